"""From a file to what a Tokenizer is made of, and back: sniff, read, compile, write.

It owns the order of these steps and the hints for files that are something else; the meaning of bytes is in ``formats``.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

from . import formats
from ._bridge import carried_beside, compiled, opened, stored
from ._native import LEARNED_SLOTS
from .beside import beside_of
from .errors import FileError, FormatError, SpecError
from .files import MERGES, is_pair, read_bytes, write_bytes
from .formats import huggingface_folder
from .samples import made_samples

if TYPE_CHECKING:
    from pathlib import Path

    from . import _native
    from .spec import Spec
    from .tokenizer import Tokenizer

__all__ = ["accepted_options", "format_of", "read_file", "write_file", "written"]

_HEAD = 1 << 20
_MOST_READ = 1 << 30
"""Of a file of weights no more is read than this."""
_AGAIN = "; the file is damaged, or the program that made it is at fault: copy it again, or make it again"
_REMEDIES = dict.fromkeys(
    ["spec-score", "spec-piece-too-long", "spec-piece-nul", "spec-piece-utf8", "spec-piece-duplicate", "file-corrupt"],
    _AGAIN,
)
"""What to do about the content of a file, where the error says only what is wrong with it."""
_FORMAT_OF_SUFFIX = {
    ".model": "sentencepiece",
    ".anypiece": "anypiece",
    ".tiktoken": "tiktoken",
    ".json": "huggingface",
    ".gguf": "gguf",
}
_FORMAT_OF_NAME = {"tekken.json": "tekken", "vocab.txt": "wordpiece"}
_POINTER = b"version https://git-lfs.github.com/spec/v1"
_MERGE = re.compile(r"merge (\d+)(.*)", re.DOTALL)
_PLACE = re.compile(r" at byte \d+")
_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*["\[{\d])')
_SAFETENSORS = re.compile(rb".{6}\0\0\{", re.DOTALL)
_ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x80\x02", b"\x80\x03", b"\x80\x04")


def read_file(
    path: Path, *, mapped: bool, verify: bool, options: dict[str, Any], folder: bool = False
) -> tuple[_native.Tokenizer, Spec | None, Any]:
    """The kernel's tokenizer of a file, its Spec where it was read as one, and the Origin needed to write it again.

    ``folder`` says that the folder of the file was asked for, and not the file alone. Errors name the file.
    """
    try:
        return _read_file(path, mapped=mapped, verify=verify, options=options, folder=folder)
    except FileError:
        raise
    except (FormatError, SpecError) as error:
        if str(path) in str(error) or "path" in error.facts:
            raise
        remedy = _REMEDIES.get(error.code, "") if ";" not in str(error) else ""
        raise type(error)(error.code, f"{path}: {error}{remedy}", **{"path": str(path), **error.facts}) from None


def _read_file(
    path: Path, *, mapped: bool, verify: bool, options: dict[str, Any], folder: bool
) -> tuple[_native.Tokenizer, Spec | None, Any]:
    if is_pair(path):
        beside = _config_of(path.parent) if folder else None
        return _finished(path, beside, *_read_pair(path, beside, options))
    kind = sniffed(path)
    if kind == "anypiece":
        formats.refuse_options([name for name, value in options.items() if value is not None], "anypiece")
        native = opened(path, mapped, verify)
        return native, None, carried_beside(native)
    config = _config_of(path.parent) if folder and kind in ("huggingface", "sentencepiece") else None
    return _finished(path, config, *_read_as_needed(path, formats.first_read(kind), options))


def _read_pair(path: Path, beside: huggingface_folder.Config | None, options: dict[str, Any]) -> tuple[Spec, Any]:
    """The Spec and Origin of a vocab.json and its merges.txt. An error names the one that it is about."""
    given = [name for name in options if options[name] is not None and name not in huggingface_folder.PAIR_OPTIONS]
    formats.refuse_options(given, "huggingface")
    told = {name: options.get(name) for name in huggingface_folder.PAIR_OPTIONS}
    other = path.parent / MERGES
    vocab, merges = read_bytes(path), read_bytes(other)
    for name, data in ((path, vocab), (other, merges)):
        if data.startswith(_POINTER):
            raise FormatError("format-unknown", f"{name}:{_hint(data)}", path=str(name))
    try:
        return huggingface_folder.read_pair(vocab, merges, beside, **told)
    except FormatError as error:
        if not vocab.lstrip().startswith(b"{"):
            raise FormatError("file-corrupt", f"{path}: the JSON is no object{_AGAIN}", path=str(path)) from None
        found = _MERGE.match(str(error))
        if found:
            text = f"{other}: line {_line_of(merges, int(found[1]))}{found[2]}{_AGAIN}"
            raise FormatError(error.code, text, **{**error.facts, "path": str(other)}) from None
        if str(error).startswith("model.merges"):
            text = f"{other}: the list of merges{str(error).removeprefix('model.merges')}"
            raise FormatError(error.code, text, **{**error.facts, "path": str(other)}) from None
        if " at byte " in str(error):
            _refuse_json(path, vocab, error)
        raise


def _line_of(merges: bytes, number: int) -> int:
    """The line of a merge, from 1; the line of the version and empty ones are none."""
    lines = enumerate(merges.split(b"\n"), 1)
    rows = [place for place, line in lines if line.strip(b"\r") and not line.startswith(b"#version")]
    return rows[number] if number < len(rows) else 1


def _refuse_json(path: Path, vocab: bytes, error: FormatError) -> NoReturn:
    """What is wrong with a vocab.json, without the place in the document that it was read as a part of."""
    what = _PLACE.sub("", str(error))
    try:
        json.loads(vocab)
    except (ValueError, RecursionError) as cause:
        what = f"the JSON cannot be read: {cause}; copy the file again"
    raise FormatError(error.code, f"{path}: {what}", path=str(path)) from None


def accepted_options(path: Path) -> tuple[str, ...]:
    """What ``read_file`` can be told of a file of this kind."""
    return huggingface_folder.PAIR_OPTIONS if is_pair(path) else formats.options_of(sniffed(path))


def _config_of(folder: Path) -> huggingface_folder.Config:
    """What the files beside a tokenizer.json, a vocab.json or a ``.model`` say."""
    paths = [folder / name for name in huggingface_folder.CONFIG_FILES]
    more = folder / huggingface_folder.TEMPLATES
    paths += sorted(more.glob("*.jinja"))[: huggingface_folder.MOST_TEMPLATES] if more.is_dir() else []
    return huggingface_folder.read_config(
        {path.relative_to(folder).as_posix(): read_bytes(path) for path in paths if path.is_file()}
    )


def _finished(
    path: Path, config: huggingface_folder.Config | None, spec: Spec, origin: Any
) -> tuple[_native.Tokenizer, Spec, Any]:
    """The kernel's tokenizer of a Spec, with what the config beside its file says, if its folder was asked for."""
    if config is not None:
        spec, origin = huggingface_folder.completed(spec, origin, config)
    return compiled(spec, LEARNED_SLOTS), spec, origin


def _read_as_needed(path: Path, limit: int, options: dict[str, Any]) -> tuple[Spec, Any]:
    """The Spec and Origin of a file, reading its first ``limit`` bytes, and more while its reader asks for what is there."""
    while True:
        data = read_bytes(path, limit)
        try:
            return formats.read(data, str(path), **options)
        except FormatError as error:
            needed = error.facts.get("needed", 0)
            if error.code != "file-truncated" or limit < 0 or len(data) < limit or needed > path.stat().st_size:
                raise
            if max(needed, len(data)) >= _MOST_READ:
                message = f"{error}; what stands before the weights takes more than a gigabyte, which no tokenizer does"
                raise FormatError("file-corrupt", message, **error.facts) from None
        limit = min(max(4 * limit, needed), _MOST_READ)


def sniffed(path: Path) -> str:
    """The format of a file by its head, so that a large file of another kind is not read as a whole."""
    head = read_bytes(path, _HEAD)
    try:
        return formats.sniff(head, str(path))
    except FormatError as error:
        raise FormatError(error.code, f"{error}.{_hint(head)}", **error.facts) from None


def _hint(head: bytes) -> str:
    """What the file seems to be, and what to do then."""
    if head.startswith(_POINTER):
        return " It is a pointer of git LFS in the place of the file: run `git lfs pull`, or download the file itself."
    if _JSON.match(head) or _SAFETENSORS.match(head):
        return " It looks like JSON or weights: the tokenizer beside it is usually tokenizer.json or tokenizer.model."
    if head.startswith(_ARCHIVES):
        return " It looks like an archive or weights: the SentencePiece file is usually tokenizer.model beside it."
    if head and b"\0" not in head and len(head.decode(errors="ignore")) > 0.9 * len(head.decode(errors="replace")):
        return (
            " It looks like a text: if it is what you want to tokenize, give it as the input and not as the tokenizer."
        )
    return ""


def write_file(tokenizer: Tokenizer, path: Path, format: str | None) -> None:
    """Write a tokenizer as a whole or not at all."""
    write_bytes(path, written(tokenizer, format_of(path, format)))


def format_of(path: Path, format: str | None) -> str:
    """The format to write: the one asked for, or that of the name or the suffix."""
    name = format or _FORMAT_OF_NAME.get(path.name) or _FORMAT_OF_SUFFIX.get(path.suffix)
    if name is None or name not in formats.KNOWN:
        asked = f"format {format!r}" if format else f"the suffix {path.suffix!r}"
        suffixes = {value: suffix for suffix, value in _FORMAT_OF_SUFFIX.items()}
        known = ", ".join(f"{kind} ({suffixes[kind]})" if kind in suffixes else kind for kind in formats.KNOWN)
        message = f"No format can be written for {asked}; known are {known}. Pass format= or another suffix."
        raise FormatError("format-unwritable", message, path=str(path), format=format)
    return name


def written(tokenizer: Tokenizer, name: str, spec: Spec | None = None) -> bytes:
    """The bytes of a file in the format ``name``: of the tokenizer, or of its Spec in another shape. What the format has no
    place for is refused."""
    if name == "anypiece":
        samples = tokenizer.spec.samples or made_samples(tokenizer)
        return stored(tokenizer._kernel, samples, beside_of(tokenizer._origin))
    return formats.write(tokenizer.spec if spec is None else spec, tokenizer._origin, name)
