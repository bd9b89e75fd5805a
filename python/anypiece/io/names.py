"""Names in the place of paths: an encoding's rank file in a folder of such files, a model in the cache of Hugging Face.

Nothing is downloaded. A path that exists is never taken for a name.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
from pathlib import Path

from ..errors import FileError
from ..formats.tiktoken.definitions import DEFINITIONS
from .paths import checked_path, read_bytes

__all__ = ["cached_model", "located", "rank_folders", "rank_path"]

_SHARED = {"gpt2": "r50k_base", "p50k_edit": "p50k_base", "o200k_harmony": "o200k_base"}
"""Encodings that have the rank file of another."""
_CACHE_KEYS = {
    "r50k_base": "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4",
    "p50k_base": "ec7223a39ce59f226a68acc30dc1af2788490e15",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
}
"""What tiktoken calls the files in its cache."""
_MODEL = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def located(path: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """The file or folder of a path or name, and the definition that a name stands for."""
    found = checked_path(path)
    if not isinstance(path, str) or os.path.lexists(path):
        return found, None
    if path in DEFINITIONS:
        return rank_path(path), path
    if _MODEL.fullmatch(path) and (os.path.isdir(_model_folder(path)) or not os.path.isdir(found.parent)):
        return cached_model(path), None
    return found, None


def rank_folders() -> list[Path]:
    """Where rank files are looked for: the folder that ``$ANYPIECE_RANKS`` names, and the cache of tiktoken."""
    cache = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    default = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    return [Path(name) for name in (os.environ.get("ANYPIECE_RANKS"), default if cache is None else cache) if name]


def rank_path(name: str) -> Path:
    """The rank file of an encoding by its name: ``<name>.tiktoken``, or what tiktoken's cache calls it."""
    file = _SHARED.get(name, name)
    names = [f"{file}.tiktoken", *([_CACHE_KEYS[file]] if file in _CACHE_KEYS else [])]
    for folder in rank_folders():
        for candidate in names:
            if os.path.isfile(folder / candidate):
                return folder / candidate
    looked = ", ".join(map(str, rank_folders())) or "no folder"
    message = (
        f"{name} is the name of an encoding, and its file {names[0]} was not found ({looked}). Put it into a folder and "
        "name that in $ANYPIECE_RANKS, or fill $TIKTOKEN_CACHE_DIR with tiktoken itself: nothing is downloaded here."
    )
    raise _missing(name, message)


def _missing(name: str, message: str) -> FileError:
    error = FileError("file-unreadable", message, path=name, reason=os.strerror(errno.ENOENT))
    error.errno, error.filename = errno.ENOENT, name
    return error


def _hub() -> Path:
    """The folder of cached models, as huggingface_hub finds it."""
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if named:
        return Path(named).expanduser()
    home = os.environ.get("HF_HOME")
    if home:
        return Path(home).expanduser() / "hub"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "huggingface" / "hub"


def _model_folder(name: str) -> Path:
    return _hub() / f"models--{name.replace('/', '--')}"


def cached_model(name: str) -> Path:
    """The folder of a model ``org/name`` in the local cache of Hugging Face: what its branch ``main`` is there."""
    model = _model_folder(name)
    main = model / "refs" / "main"
    commit = read_bytes(main, 64).decode("ascii", "replace").strip() if main.is_file() else ""
    snapshots = sorted(path for path in (model / "snapshots").glob("*") if path.is_dir())
    if _COMMIT.fullmatch(commit):
        snapshots = [path for path in snapshots if path.name == commit]
    if len(snapshots) == 1:
        return snapshots[0]
    if snapshots:
        which = ", ".join(path.name for path in snapshots[:3])
        message = (
            f"{name} is in the cache in {len(snapshots)} revisions ({which}), none of which is main. Pass the path of one: "
            f"{model}"
        )
    else:
        message = (
            f"{name} is neither a file nor a folder, and not in the local cache of Hugging Face ({_hub()}). Download it "
            "with huggingface_hub, or pass a path: nothing is downloaded here."
        )
    raise _missing(name, message)
