"""The libraries that models are trained with, in folders of their own: torch, and what of Hugging Face stands on it.

torch brings some gigabytes along for processors that are not used here: its wheels are made for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.peer import installed_beside
from tests.support.transformers_peer import NEEDED, VERSION

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DATASETS", "TORCH", "TRL", "torch_path", "training_path"]

TORCH, DATASETS, TRL = "2.15.0", "5.2.0", "1.16.0"
_WITH_TORCH = (
    "cuda-bindings==13.5.0",
    "cuda-pathfinder==1.9.0",
    "cuda-toolkit==13.2.2",
    "mpmath==1.3.0",
    "networkx==3.6.1",
    "nvidia-cublas==13.4.1.3",
    "nvidia-cuda-cccl==13.3.5.0.6",
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
    "setuptools==84.2.1",
    "sympy==1.14.0",
    "triton==3.9.0",
)
_WITH_OTHERS = (
    "accelerate==1.15.0",
    "annotated-types==0.8.0",
    "dill==0.4.1",
    "multiprocess==0.70.19",
    "pandas==3.1.1",
    "psutil==7.2.2",
    "pydantic==2.14.3",
    "pydantic_core==2.50.4",
    "python-dateutil==4.0.0",
    "typing-inspection==0.4.5",
    "tzdata==2026.6",
    "xxhash==4.1.0",
)


def torch_path() -> Path:
    """The folder of torch and its libraries, made when it is first needed."""
    return installed_beside(f"torch-{TORCH}", f"torch=={TORCH}", *_WITH_TORCH)


def training_path() -> list[Path]:
    """The folders to put first on the path; they are made when they are first needed."""
    return [
        installed_beside(f"transformers-{VERSION}", f"transformers=={VERSION}", *NEEDED),
        installed_beside(f"datasets-{DATASETS}-trl-{TRL}", f"datasets=={DATASETS}", f"trl=={TRL}", *_WITH_OTHERS),
        torch_path(),
    ]
