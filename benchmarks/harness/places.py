"""Where benchmark inputs and caches live.

Inputs are real tokenizer files and corpora that are never committed: ``$ANYPIECE_DATA``, or ``shared/data`` beside the
checkout. Everything derived from them goes to ``.cache/bench`` in the checkout and may be deleted at any time.
"""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "bench"
DEFINITIONS = ROOT / "benchmarks" / "definitions"
RECORDS = ROOT / "benchmarks" / "record"


def has_data() -> bool:
    """Tell whether the folder with ``models/`` and ``corpora/`` is there."""
    return data_path().is_dir()


def data_path() -> Path:
    """Return where the folder with ``models/`` and ``corpora/`` should be."""
    named = os.environ.get("ANYPIECE_DATA")
    return Path(named) if named else ROOT.parent / "shared" / "data"


def data_folder() -> Path:
    """Return the folder that holds ``models/`` and ``corpora/``."""
    folder = data_path()
    if not folder.is_dir():
        raise SystemExit(
            f"no benchmark data: {folder} does not exist; set ANYPIECE_DATA to a folder with models/ and corpora/"
        )
    return folder


def data_file(relative: str) -> Path:
    """Return a plain file of the data folder, unpacked into the cache when it is stored as ``.gz``."""
    plain = data_folder() / relative
    if plain.is_file():
        return plain
    packed = plain.with_name(plain.name + ".gz")
    if not packed.is_file():
        raise SystemExit(f"no benchmark data: neither {relative} nor {relative}.gz is in the data folder")
    unpacked = CACHE / "files" / relative
    if not unpacked.is_file():
        unpack(packed, unpacked)
    return unpacked


def unpack(packed: Path, unpacked: Path) -> None:
    """Write the content of a gzip file; the name appears only when the file is whole."""
    unpacked.parent.mkdir(parents=True, exist_ok=True)
    partial = unpacked.with_name(unpacked.name + f".{os.getpid()}")
    with gzip.open(packed, "rb") as source, partial.open("wb") as target:
        shutil.copyfileobj(source, target)
    partial.rename(unpacked)
