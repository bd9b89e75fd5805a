"""From a file to what a Tokenizer is made of: sniff, read, compile.

It owns the order of these steps and the hints for files that are something else; the meaning of bytes is in ``formats``.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .. import _native, formats
from .._core.bridge import carried_metadata, compiled
from .._core.checks import raise_native
from ..errors import FileError, FormatError, SpecError
from ..formats.transformers import config as folder_config
from .model_dir import (
    AGAIN,
    POINTER,
    completed,
    config_of,
    pointer_hint,
    rank_options,
    read_json,
    read_model,
    read_pair,
    vocab_txt_options,
    with_templates,
)
from .paths import BZIP2, GZIP, MERGES, VOCABULARY, XZ, ZSTD, file_error, is_pair, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ..formats.transformers.config import Config
    from ..spec import Spec

__all__ = ["accepted_options", "read_file"]

_HEAD = 1 << 20
_MOST_READ = 1 << 30
"""Of a file of weights no more is read than this."""
_DAMAGED = ("spec-", "file-corrupt", "file-truncated")
"""How the codes begin of errors about the content of a file, which may say only what is wrong with it."""
_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*["\[{\d])')
_SAFETENSORS = re.compile(rb".{6}\0\0\{", re.DOTALL)
_ARCHIVES = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_HTML = re.compile(rb"\s*<(!doctype )?html", re.IGNORECASE)
_HINTS: tuple[tuple[Callable[[str, bytes], object], str], ...] = (
    (lambda name, head: not head, "Copy or download it again."),
    (lambda name, head: head.startswith(POINTER), pointer_hint()),
    (lambda name, head: name == VOCABULARY, f"Such a file is half a vocabulary: its {MERGES} must stand beside it."),
    (
        lambda name, head: name == MERGES,
        f"It is half a vocabulary: load the {VOCABULARY} that it belongs to, with this file beside it.",
    ),
    (
        lambda name, head: head.startswith((GZIP, BZIP2, XZ, ZSTD)),
        "It is compressed: unpack it, and load the file that comes out.",
    ),
    (
        lambda name, head: _HTML.match(head),
        "It is a page of HTML, as sites show it in the place of a file: download the file itself.",
    ),
    (
        lambda name, head: _JSON.match(head) or _SAFETENSORS.match(head),
        "It looks like JSON or weights: the tokenizer beside it is usually tokenizer.json or tokenizer.model.",
    ),
    (
        lambda name, head: head.startswith(_ARCHIVES),
        "It looks like an archive or weights: the tokenizer is usually tokenizer.json or tokenizer.model beside it.",
    ),
    (
        lambda name, head: _is_text(head),
        "It looks like a text: if it is what you want to tokenize, give it as the input and not as the tokenizer.",
    ),
    (lambda name, head: True, "Load the tokenizer file of a model: usually tokenizer.json or tokenizer.model."),
)
"""What a file seems to be by its name and its head, and what to do then; the first that fits counts."""


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
        if str(error).startswith(str(path)) or "path" in error.facts:
            raise
        is_bare = isinstance(error, FormatError) and error.code.startswith(_DAMAGED) and ";" not in str(error)
        remedy = AGAIN if is_bare else ""
        raise type(error)(error.code, f"{path}: {error}{remedy}", **{"path": str(path), **error.facts}) from None


def _read_file(
    path: Path, *, mapped: bool, verify: bool, options: dict[str, Any], folder: bool
) -> tuple[_native.Tokenizer, Spec | None, Any]:
    config = config_of(path.parent) if folder else None
    if is_pair(path):
        with _about_a_file("", options):
            spec, origin, config = read_pair(path, config, options)
            return _finished(config, spec, origin)
    kind = sniffed(path)
    with _about_a_file(kind, options):
        return _read_as(kind, path, mapped=mapped, verify=verify, options=options, config=config)


@contextmanager
def _about_a_file(kind: str, options: dict[str, Any]) -> Iterator[None]:
    """A Spec that is refused for what a file says is an error of that file, and names the field; one that is refused for
    what the caller said of it is the caller's."""
    try:
        yield
    except SpecError as error:
        told = {"spec-pattern": "pattern", "spec-config": error.facts.get("field")}.get(error.code)
        if options.get(str(told)) is not None:
            raise
        place = formats.place_of(kind, error.code)
        text = f"{place}: {error}" if place else str(error)
        raise FormatError(error.code, text, **error.facts | ({"field": place} if place else {})) from None


def _read_as(
    kind: str, path: Path, *, mapped: bool, verify: bool, options: dict[str, Any], config: Config | None
) -> tuple[_native.Tokenizer, Spec | None, Any]:
    if kind == "anypiece":
        formats.refuse_options([name for name, value in options.items() if value is not None], "anypiece")
        native = _opened(path, mapped, verify)
        return native, None, with_templates(carried_metadata(native), config)
    chinese = True
    if config is not None and kind == "tiktoken":
        options = rank_options(config, options)
    if config is not None and kind == "wordpiece":
        options, chinese = vocab_txt_options(config, options)
    if config is not None and kind == "huggingface":
        formats.refuse_options([name for name, value in options.items() if value is not None], kind)
        spec, origin, config = read_json(read_bytes(path), config, options)
        return _finished(config, spec, origin)
    if config is not None and kind == "sentencepiece":
        found = read_model(path, config, options)
        if found is not None:
            formats.refuse_options([name for name, value in options.items() if value is not None], kind)
            return _finished(found[2], *found[:2])
    spec, origin = _read_as_needed(path, formats.first_read(kind), options)
    if not chinese:
        spec = spec.replace(normalizer=({**spec.normalizer[0], "handle_chinese_chars": False},))
    return _finished(config, spec, origin)


def _opened(path: Path, mapped: bool, verify: bool) -> _native.Tokenizer:
    """The kernel's tokenizer of an .anypiece file."""
    try:
        return _native.Tokenizer.open(str(path), mapped, verify)
    except _native.NativeError as error:
        raise_native(error)
    except OSError as error:
        raise file_error("file-unreadable", path, error) from None


def _finished(config: Config | None, spec: Spec, origin: Any) -> tuple[_native.Tokenizer, Spec, Any]:
    """The kernel's tokenizer of a Spec, with what the config beside its file says, if its folder was asked for."""
    if config is not None:
        spec, origin = completed(spec, origin, config)
    return compiled(spec, _native.CACHE_SLOTS), spec, origin


def accepted_options(path: Path, dialect: str | None = None) -> tuple[str, ...]:
    """What ``read_file`` can be told of a file of this kind; a ``dialect`` only if files of this kind know that one."""
    kind = "huggingface" if is_pair(path) else sniffed(path)
    known = folder_config.PAIR_OPTIONS if is_pair(path) else formats.options_of(kind)
    return known if formats.knows_dialect(kind, dialect) else tuple(name for name in known if name != "dialect")


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
        hint = next(text for fits, text in _HINTS if fits(path.name, head))
        raise FormatError(error.code, f"{error}. {hint}", **error.facts) from None


def _is_text(head: bytes) -> bool:
    """Whether nearly all of it is UTF-8."""
    return b"\0" not in head and len(head.decode(errors="ignore")) > 0.9 * len(head.decode(errors="replace"))
