"""Convert: one tokenizer file into another format or a model's folder, proved by reading the result again.

A Spec is first rewritten for the target (``rewrites``). What the target has no place for then is listed, and
refused unless the caller accepts the loss. Nothing is left behind when it fails: the file appears once it has been read back
and compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .. import _native
from .._core.bridge import compiled
from .._core.checks import listed_texts
from .._core.vocabulary import made
from ..comparison.check import Check, compared
from ..errors import FormatError
from ..formats import home_of, is_own, losses, lost_metadata, reading_options, stripped
from ..formats.gguf import other_dialects
from ..formats.transformers.write import with_named_tokens
from ..inspect.terminal import quoted
from ..io.folder import Folder, folder_of, write_folder
from ..io.paths import checked_path, temporary_folder, write_bytes
from ..io.write import FOLDER, content_format, format_of, written
from ..loading import load, tokenizer_of
from ..metadata import metadata_of
from ..rewrites import Rewrite, rewrite_for
from ..spec import Added, AddedFlag
from ..tokenizer import Tokenizer

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from pathlib import Path

    from ..spec import Spec

__all__ = ["Conversion", "convert", "dialect_hint", "raise_lossy"]


@dataclass(frozen=True)
class Conversion:
    """What a conversion did."""

    format: str
    lost: tuple[str, ...]
    """The fields of the Spec that the target has no place for, and those that it has in a way of its own if that shows; also
    ``chat_template``, ``truncation`` and ``padding``, which are metadata and change no ids."""
    options: dict[str, Any]
    """What ``load`` has to be told to read the result as the same tokenizer."""
    check: Check
    """The comparison of source and result."""
    nearly: tuple[str, ...] = ()
    """Fields that the target has in a way of its own, whether the comparison showed it or not."""


def convert(
    source: str | os.PathLike[str] | Tokenizer,
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
    allow_lossy: bool = False,
    texts: Iterable[str] | None = None,
    **options: Any,
) -> Conversion:
    """Write the tokenizer of ``source`` to ``target`` in the format of its name, or ``format``, and prove the result.

    A folder that is there, or a name that ends in ``/``, becomes one that AutoTokenizer reads (``format="folder"``).

    ``options`` go to ``load``. The result is read again and must give the same ids and texts on ``texts``, or on many that
    are made from the vocabulary, and the same ids for special tokens; otherwise ``convert-differs`` is raised and nothing is
    written. ``allow_lossy`` accepts what the target cannot carry, and differences that come of it.

    >>> import anypiece, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = convert(anypiece.load(), pathlib.Path(folder) / "mine.model")
    >>> done.format, done.lost, bool(done.check)
    ('sentencepiece', (), True)
    """
    tokenizer = tokenizer_of(source, **options)
    name = format_of(target, format)
    path, kind = checked_path(target), content_format(name)
    rewrite = _rewrite(tokenizer, kind)
    lost = (*losses(rewrite.spec, kind, tokenizer._origin), *rewrite.lost) if name != "anypiece" else ()
    metadata = tuple(lost_metadata(tokenizer._origin, name))
    if lost + metadata and not allow_lossy:
        home = home_of(tokenizer.spec, tokenizer._origin, kind) if lost else None
        raise_lossy(name, lost + metadata, dialect_hint(tokenizer), home)
    spec = stripped(rewrite.spec, kind) if lost else rewrite.spec
    spec = with_named_tokens(spec, metadata_of(tokenizer._origin)) if name == FOLDER else spec
    data = _written(tokenizer, name, spec, path)
    needed = {} if isinstance(data, Folder) else reading_options(spec, name)
    result = _read_back(data, path.suffix, needed)
    listed: list[Any] | None = None if texts is None else list(listed_texts(texts))
    seen = _unspecial(tokenizer) if rewrite.unparsed else tokenizer
    found = _compared(seen, result, listed)
    is_explained = bool(lost or rewrite.nearly)  # lost metadata explains no other ids
    if not found and not (allow_lossy and is_explained):
        _raise_differs(name, found, rewrite.nearly)
    if not found and lost and not set(rewrite.nearly) - {"added"}:
        rest = _compared(_without(seen, spec, lost + rewrite.nearly), result, listed)
        if not rest:
            _raise_differs(name, rest, ())
    if isinstance(data, Folder):
        write_folder(path, data.files)
    else:
        write_bytes(path, data)
    shown = [name for name in rewrite.nearly if name != "added" or not rewrite.unparsed]
    named = dict.fromkeys((*lost, *metadata, *([] if found else shown)))
    return Conversion(name, tuple(named), needed, found, () if found.proved else rewrite.nearly)


def _rewrite(tokenizer: Tokenizer, name: str) -> Rewrite:
    """The Spec as the target has it. One that came from a file of that format is left as it is."""
    own = name == "anypiece" or is_own(tokenizer._origin, name)
    return Rewrite(tokenizer.spec) if own else rewrite_for(tokenizer.spec, name)


def _compared(tokenizer: Tokenizer, result: Tokenizer, texts: Iterable[str] | None) -> Check:
    """The comparison, from the side of the source: that the result can find more in text is no loss."""
    return compared(tokenizer, result, texts, ("ids", "decoding", "specials"), both=False)


def _unspecial(tokenizer: Tokenizer) -> Tokenizer:
    """The source as it is where special tokens are control pieces, which no text can be."""
    rows = [(text, id, int(flags)) for text, id, flags in tokenizer.spec.added if not flags & AddedFlag.SPECIAL]
    return tokenizer.replace(added=Added.of(rows))


def _without(tokenizer: Tokenizer, spec: Spec, names: tuple[str, ...]) -> Tokenizer:
    """The source with the fields of that name as they were written: what is left of it must have come through."""
    changes = {name: getattr(spec, name) for name in names}
    if "added" in names:
        changes["pieces"] = replace(tokenizer.spec.pieces, kinds=spec.pieces.kinds)
    return tokenizer.replace(**changes)


def _written(tokenizer: Tokenizer, name: str, spec: Spec, path: Path) -> bytes | Folder:
    try:
        return folder_of(spec, tokenizer._origin, path) if name == FOLDER else written(tokenizer, name, spec)
    except FormatError as error:
        hint = dialect_hint(tokenizer)
        raise FormatError(error.code, f"{error}.{hint}" if hint else str(error), **error.facts) from None


def dialect_hint(tokenizer: Tokenizer) -> str:
    """A GGUF file read by llama.cpp's rules has those; by the rules of the original library it may fit."""
    if not is_own(tokenizer._origin, "gguf") or tokenizer.spec.matching != "longest-first":
        return ""
    known = other_dialects(tokenizer._origin.model)
    way = f'dialect="{known[0]}" (--dialect)' if known else ""
    return f" This file can also be read with {way}, by the rules of that library." if known else ""


def raise_lossy(name: str, lost: tuple[str, ...], hint: str, home: str | None) -> None:
    """Raise ``convert-lossy`` for what a file has no place for."""
    other = f", or format={home!r}, which has a place for all of it" if home else ""
    message = (
        f"{name} has no place for {', '.join(lost)}.{hint} Pass allow_lossy=True (--allow-lossy) to leave that out, or "
        f"write .anypiece, which holds everything{other}"
    )
    raise FormatError("convert-lossy", message, format=name, lost=list(lost))


def _raise_differs(name: str, found: Check, nearly: tuple[str, ...]) -> None:
    difference = found.difference
    assert difference is not None
    why = f" {name} has a way of its own for {', '.join(nearly)}." if nearly else ""
    message = (
        f"as {name} the tokenizer gives other {difference.what} for {quoted(difference.text)}: {difference.second} instead "
        f"of {difference.first}.{why} Pass allow_lossy=True (--allow-lossy) to accept that, or write .anypiece"
    )
    raise FormatError("convert-differs", message, format=name, text=difference.text, nearly=list(nearly))


def _read_back(data: bytes | Folder, suffix: str, options: dict[str, Any]) -> Tokenizer:
    if isinstance(data, Folder):
        return made(Tokenizer, compiled(data.spec, _native.CACHE_SLOTS), data.spec, data.origin)
    with temporary_folder() as folder:
        path = folder / f"result{suffix}"
        write_bytes(path, data)
        return load(path, **options)
