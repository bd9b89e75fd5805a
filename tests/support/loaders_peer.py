"""datasets and torch, which the slow tests of ``anypiece.loaders`` install on first use into ``.cache/peers``.

torch has no wheels of its own for processors alone on PyPI: on Linux its libraries for graphics cards have to be there too.
"""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from tests.support.peer import installed_beside

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DATASETS", "TORCH", "folders"]

DATASETS = "5.2.0"
_DATASETS = (
    "anyio==4.16.0",
    "dill==0.4.1",
    "filelock==4.2.10",
    "fsspec==2026.9.0",
    "h11==0.16.0",
    "httpcore2==2.16.0",
    "httpx2==2.16.0",
    "huggingface_hub==2.4.0",
    "idna==3.20",
    "multiprocess==0.70.19",
    "pyyaml==6.0.3",
    "tqdm==4.70.1",
    "truststore==0.10.5",
    "typing_extensions==4.16.0",
    "xxhash==4.1.0",
)
TORCH = "2.15.0"
_TORCH = (
    "filelock==4.2.10",
    "fsspec==2026.9.0",
    "mpmath==1.3.0",
    "networkx==3.6.1",
    "sympy==1.14.0",
    "typing_extensions==4.16.0",
)
_CARDS = (
    "nvidia-cublas==13.4.1.3",
    "nvidia-cuda-cupti==13.2.86",
    "nvidia-cuda-nvrtc==13.2.86",
    "nvidia-cuda-runtime==13.2.86",
    "nvidia-cudnn-cu13==9.26.0.51",
    "nvidia-cufft==12.2.0.57",
    "nvidia-cufile==1.17.1.22",
    "nvidia-cusolver==12.2.0.11",
    "nvidia-cusparse==12.7.10.12",
    "nvidia-cusparselt-cu13==0.8.1",
    "nvidia-nccl-cu13==2.30.7",
    "nvidia-nvjitlink==13.5.37",
    "nvidia-nvshmem-cu13==3.7.2",
    "nvidia-nvtx==13.2.86",
)


def folders() -> list[Path]:
    """What to put on the path for both."""
    cards = _CARDS if platform.system() == "Linux" and platform.machine() == "x86_64" else ()
    return [
        installed_beside(f"datasets-{DATASETS}", f"datasets=={DATASETS}", *_DATASETS),
        installed_beside(f"torch-{TORCH}", f"torch=={TORCH}", *_TORCH, *cards),
    ]
