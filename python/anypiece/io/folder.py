"""A tokenizer as the folder of a model: which files, proved by reading them, and how they are put in place.

A new folder appears as a whole. In one that is there the files of its tokenizer are replaced, each as a whole, and other
files stay.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import AnyPieceError, FormatError
from ..formats.settings import differing
from ..formats.transformers.config import TEMPLATES
from ..formats.transformers.write import configs, files_of, token_names
from ..metadata import metadata_of
from .model_dir import read_files
from .paths import file_error, new_mode, read_bytes, rivals

if TYPE_CHECKING:
    from ..metadata import Metadata
    from ..spec import Spec

__all__ = ["Folder", "folder_of", "write_folder"]

_MODEL = "config.json"
_STALE = ("added_tokens.json", "chat_template.json", "chat_template.jinja")
"""What a folder may have besides that says something of its tokenizer."""


class Folder(NamedTuple):
    """Files of a folder, and what they are read as."""

    files: dict[str, bytes]
    spec: Spec
    origin: Any


def folder_of(spec: Spec, origin: Any, place: Path) -> Folder:
    """The files for a folder at ``place``, with the class that the tokenizer came with if that makes the same Spec of them.
    Raises ``FormatError``."""
    metadata = metadata_of(origin)
    model = place / _MODEL
    beside = {_MODEL: read_bytes(model)} if os.path.isfile(model) else {}
    fields: list[str] = []
    for config in configs(spec, metadata):
        files = files_of(spec, metadata, config)
        try:
            found = read_files(files | beside)
        except AnyPieceError:  # the class takes no vocabulary of this kind
            continue
        fields = ["tokenizer_class"] if found is None else differing(spec, found[0])
        if found is not None and not _same_names(token_names(spec, metadata), metadata, metadata_of(found[1])):
            fields = [*fields, "tokenizer_class"]
        if found is not None and not fields:
            return Folder(files, *found)
    also = f" The {_MODEL} there influences the class that reads it; try another folder." if beside else ""
    message = (
        f"a folder that AutoTokenizer reads has no place for this value of {', '.join(fields or ['pieces'])}.{also}"
    )
    raise FormatError("format-unwritable", f"{message} Write .anypiece instead", format="folder", fields=fields)


def _same_names(names: dict[str, str], metadata: Metadata, found: Metadata) -> bool:
    """Whether tokens are named as they should be. A class may name more, if no file has named any."""
    is_more = bool(metadata.token_names) and bool(found.token_names.keys() - names.keys())
    return names.items() <= found.token_names.items() and not is_more


def write_folder(place: Path, files: dict[str, bytes]) -> None:
    """Put the files into a folder, which is made if it is not there, and take away what another tokenizer left of its config
    and templates.

    A file that is a link is replaced, and not what it leads to: in the cache of Hugging Face models share it.
    """
    target = Path(os.path.realpath(place)) if place.is_symlink() else place
    stage = None
    try:
        is_new = not os.path.isdir(target)
        if not is_new:
            _refuse_rivals(target)
        stage = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent if is_new else target))
        for name, data in files.items():
            _put(stage / name, data, target / name)
        if is_new:
            os.chmod(stage, new_mode(0o777))
            os.rename(stage, target)
            return
        for name in files:
            (target / name).parent.mkdir(exist_ok=True)
            os.replace(stage / name, target / name)
        _clean(target, files)
    except OSError as error:
        raise file_error("file-unwritable", place, error) from None
    finally:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)


def _refuse_rivals(folder: Path) -> None:
    found = rivals(folder)
    if found:
        message = f"{folder} holds {found[0].name}, beside which a tokenizer.json is not read. Name another folder"
        raise FormatError("format-unwritable", message, path=str(folder), format="folder")


def _put(path: Path, data: bytes, old: Path) -> None:
    """Write a new file with the permissions of the one that it will replace."""
    path.parent.mkdir(exist_ok=True)
    with open(path, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileNotFoundError, NotADirectoryError):
        os.chmod(path, stat.S_IMODE(os.stat(old).st_mode))


def _clean(folder: Path, files: dict[str, bytes]) -> None:
    templates = [f"{TEMPLATES}/{path.name}" for path in (folder / TEMPLATES).glob("*.jinja")]
    for name in (*_STALE, *templates):
        if name not in files:
            (folder / name).unlink(missing_ok=True)
    if templates:
        with suppress(OSError):  # it holds something else
            (folder / TEMPLATES).rmdir()
