"""Formats: what a file is, by its content, and the reader for it.

One table, one row per foreign format; a reader turns bytes into a Spec and an Origin that remembers what a Spec does not
say. The ``.anypiece`` format belongs to the kernel's store and is only recognised here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import AnyPieceError, FormatError, InputError
from ..metadata import metadata_of
from ..spec import Spec
from . import bytepiece, gguf, huggingface, rwkv, sentencepiece, tekken, tiktoken, wordpiece
from .settings import lost_fields

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import ModuleType


__all__ = [
    "KNOWN",
    "NATIVE_MAGIC",
    "first_read",
    "home_of",
    "is_own",
    "knows_dialect",
    "losses",
    "lost_metadata",
    "options_of",
    "place_of",
    "read",
    "reading_options",
    "refuse_options",
    "sniff",
    "stripped",
    "write",
]

NATIVE_MAGIC = b"ANYPIECE"
_FORMATS: dict[str, ModuleType] = {
    "sentencepiece": sentencepiece,
    "tiktoken": tiktoken,
    "gguf": gguf,
    "tekken": tekken,
    "bytepiece": bytepiece,
    "rwkv": rwkv,
    "huggingface": huggingface,
    "wordpiece": wordpiece,
}
KNOWN = ("anypiece", *_FORMATS)
"""The names that ``sniff`` can return."""


def sniff(data: bytes, name: str) -> str:
    """The format of ``data``, by its content alone; ``name`` is only for the message.

    >>> sniff(b"ANYPIECE and more", "a file")
    'anypiece'
    """
    if data.startswith(NATIVE_MAGIC):
        return "anypiece"
    for kind, module in _FORMATS.items():
        if module.looks_like(data):
            return kind
    what = "is empty" if not data else "is of no known tokenizer format"
    known = ", ".join(KNOWN)
    raise FormatError("format-unknown", f"{name} {what}; known formats: {known}", name=name, known=list(KNOWN))


def read(data: bytes, name: str, **options: Any) -> tuple[Spec, Any]:
    """The Spec and Origin of a foreign file. ``options`` go to its reader: ``dialect`` for SentencePiece and GGUF;
    ``definition``, ``splitter``, ``pattern``, ``specials`` and ``roles`` for rank files; ``roles`` and ``dialect`` for
    tokenizer.json;
    ``splitter`` for tekken.json; ``specials`` for RWKV's list; ``lowercase`` and ``strip_accents`` for vocab.txt. One
    that is ``None`` is as if it were left out.
    """
    kind = sniff(data, name)
    if kind not in _FORMATS:
        message = f"{name} is an .anypiece file, which is opened and not converted: use anypiece.load"
        raise FormatError("format-unknown", message, name=name, known=list(_FORMATS))
    given = {option: value for option, value in options.items() if value is not None}
    refuse_options(given, kind)
    result: tuple[Spec, Any] = _FORMATS[kind].read(data, **given)
    return result


def first_read(kind: str) -> int:
    """How many bytes of a file of this kind are read at first, where its reader can say that it needs more; -1 for all.

    >>> first_read("sentencepiece"), first_read("gguf")
    (-1, 16777216)
    """
    module = _FORMATS.get(kind)
    return int(getattr(module, "FIRST_READ", -1))


def options_of(kind: str) -> tuple[str, ...]:
    """What the reader of files of this kind can be told.

    >>> options_of("sentencepiece"), options_of("anypiece")
    (('dialect',), ())
    """
    return tuple(_FORMATS[kind].OPTIONS) if kind in _FORMATS else ()


def knows_dialect(kind: str, dialect: str | None) -> bool:
    """Whether there is such a dialect of files of this kind, or of folders with one.

    >>> knows_dialect("huggingface", "transformers"), knows_dialect("huggingface", "sentencepiece")
    (True, False)
    """
    folder = ("transformers",) if kind == "sentencepiece" else ()
    return dialect is None or dialect in (*getattr(_FORMATS.get(kind), "DIALECTS", ()), *folder)


def refuse_options(given: Collection[str], kind: str, known: Collection[str] | None = None) -> None:
    """Raise ``argument-value`` for an option that means nothing for files of this kind, or is not one of ``known``."""
    known = options_of(kind) if known is None else known
    for option in given:
        if option not in known:
            can = f"it takes {', '.join(f'{name}=' for name in known)}" if known else "it takes none"
            message = f"{option}= means nothing for a file of format {kind}: {can}. Leave it out."
            raise InputError("argument-value", message, argument=option, known=list(known))


def place_of(kind: str, code: str) -> str:
    """The field of files of this kind that an error about a Spec is about; empty where lines have no names.

    >>> place_of("tekken", "spec-pattern"), place_of("tekken", "spec-bytes"), place_of("tiktoken", "spec-bytes")
    ('config.pattern', 'vocab', '')
    """
    places: dict[str, str] = getattr(_FORMATS.get(kind), "PLACES", {"": ""})
    return places.get(code, places[""])


def is_own(origin: Any, kind: str) -> bool:
    """Whether a tokenizer with this origin came from a file of this kind."""
    return kind in _FORMATS and isinstance(origin, _FORMATS[kind].Origin)


def write(spec: Spec, origin: Any, kind: str) -> bytes:
    """The bytes of a foreign file. ``origin`` counts where the tokenizer came from a file of the same kind."""
    module, own = _FORMATS[kind], origin if is_own(origin, kind) else None
    try:
        if own is None:
            _refuse_losses(spec, kind)
        if own is None and hasattr(module, "METADATA"):
            own = metadata_of(origin)
        data: bytes = module.write(spec, own)
    except FormatError as error:
        home = None if error.code != "format-unwritable" else home_of(spec, origin, kind)
        if home is None:
            raise
        message = f"{error}, or pass format={home!r}, which has a place for all of it"
        raise FormatError(error.code, message, **error.facts) from None
    return data


def home_of(spec: Spec, origin: Any, but: str) -> str | None:
    """The format that a tokenizer came from, or the only one for its kind, if that can hold it."""
    of_bytes = spec.segmenter == "unigram" and spec.symbols == "bytes"
    kind = next((kind for kind in _FORMATS if is_own(origin, kind)), "bytepiece" if of_bytes else but)
    if kind == but:
        return None
    try:
        _FORMATS[kind].write(spec, origin if is_own(origin, kind) else None)
    except AnyPieceError:
        return None
    return kind


def lost_metadata(origin: Any, kind: str) -> list[str]:
    """The metadata of a tokenizer that a file of this kind has no place for; a ``"folder"`` has one for all.

    >>> from anypiece.metadata import Metadata
    >>> lost_metadata(Metadata(truncation={"max_length": 9}), "sentencepiece")
    ['truncation']
    """
    carried = getattr(_FORMATS.get(kind), "METADATA", ())
    return (
        [] if kind in ("anypiece", "folder") else [name for name in metadata_of(origin).named() if name not in carried]
    )


def losses(spec: Spec, kind: str, origin: Any = None) -> dict[str, Any]:
    """The fields of ``spec`` with another value than their default that a file of this kind has no place for. One that is
    written as it was read, as ``origin`` shows, has a place for all."""
    if is_own(origin, kind) and getattr(origin, "spec", None) == spec:
        return {}
    module: Any = _FORMATS.get(kind)
    carried = module.carried(spec) if hasattr(module, "carried") else getattr(module, "CARRIED", ())
    return {name: getattr(spec, name) for name in lost_fields(spec, carried)} if carried else {}


def stripped(spec: Spec, kind: str) -> Spec:
    """``spec`` without what a file of this kind has no place for."""
    defaults = Spec(spec.pieces)
    return spec.replace(**{name: getattr(defaults, name) for name in losses(spec, kind)})


def reading_options(spec: Spec, kind: str) -> dict[str, Any]:
    """What ``load`` has to be told to read a file of this kind as ``spec``."""
    ask = getattr(_FORMATS.get(kind), "reading_options", None)
    return {} if ask is None else ask(spec)


def _refuse_losses(spec: Spec, kind: str) -> None:
    lost = list(losses(spec, kind))
    if lost:
        message = f"a {kind} file has no place for {', '.join(lost)}; write .anypiece instead"
        raise FormatError("format-unwritable", message, format=kind, fields=lost)
