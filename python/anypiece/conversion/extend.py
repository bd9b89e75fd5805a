"""Extend: a tokenizer with more tokens, whose old ids stay as they are.

Tokens are added as the format of the tokenizer knows them: user-defined and control pieces in a SentencePiece vocabulary,
added tokens elsewhere. Growing takes the pieces of another vocabulary instead, and says which id each of them has now.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formats
from .._core.checks import listed
from .._core.json_text import is_text
from ..errors import AnyPieceError, FormatError, InputError
from ..io.paths import read_bytes, temporary_folder, write_bytes
from ..io.write import FOLDER, format_of, save
from ..loading import load, tokenizer_of
from ..spec import Added, AddedFlag, Kind, Pieces
from .convert import convert, dialect_hint, raise_lossy

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from ..spec import Spec
    from ..tokenizer import Tokenizer

__all__ = ["appended", "extend", "grow", "save_extended"]


def extend(
    tokenizer: Tokenizer | str | os.PathLike[str], tokens: Iterable[str] = (), *, special: Iterable[str] = ()
) -> Tokenizer:
    """``tokenizer`` with ``tokens`` that are whole wherever they stand, and ``special`` ones that need permission.

    They get the next free ids in the order given. One that is in the vocabulary already keeps its id, and becomes whole or
    special from then on.

    >>> import anypiece
    >>> tok = extend(anypiece.load(), ["<think>"], special=["<|end|>"])
    >>> tok.encode_pieces("a<think>b"), tok.vocab_size - anypiece.load().vocab_size
    (['▁a', '<think>', 'b'], 2)
    """
    names = [(name, Kind.USER_DEFINED) for name in _named(tokens)] + [(name, Kind.CONTROL) for name in _named(special)]
    if len({name for name, _ in names}) < len(names):
        _refuse("a token is given twice")
    tokenizer = tokenizer_of(tokenizer)
    spec = tokenizer.spec
    uses_added = not _finds_user_defined(spec)
    kinds = spec.pieces.kinds.copy()
    rows: list[tuple[str | bytes, float, int]] = []
    ids: dict[str, int] = {}
    for name, kind in names:
        old = tokenizer.piece_to_id(name, default=None)
        ids[name] = len(spec.pieces) + len(rows) if old is None else old
        if old is None:
            rows.append((name, 0.0, kind))
        elif not uses_added or kind == Kind.CONTROL:
            _refuse_reserved(name, Kind(int(kinds[old])))
            kinds[old] = kind
    changes: dict[str, Any] = {"pieces": appended(spec.pieces, kinds, rows)}
    if uses_added:
        flags = {Kind.USER_DEFINED: 0, Kind.CONTROL: AddedFlag.SPECIAL}
        changes["added"] = _joined(spec.added, [(name, ids[name], int(flags[kind])) for name, kind in names])
    return tokenizer.replace(**changes)


def grow(
    tokenizer: Tokenizer | str | os.PathLike[str], other: Tokenizer | str | os.PathLike[str]
) -> tuple[Tokenizer, NDArray[np.uint32]]:
    """``tokenizer`` with the normal pieces of ``other`` that it lacks, and for each id of ``other`` the id it has now.

    Both must be of one kind: the same segmenter, over characters or over bytes. New pieces of a unigram vocabulary keep
    their scores; those of a vocabulary of merges come behind all merges that were there. Pieces of ``other`` that are
    neither there nor normal map to 2**32 - 1.

    >>> from anypiece import Kind, Pieces, Spec, Tokenizer
    >>> a = Tokenizer(Spec(Pieces.of([("<unk>", 0, Kind.UNKNOWN), ("a", -1, Kind.NORMAL)])))
    >>> b = Tokenizer(Spec(Pieces.of([("<unk>", 0, Kind.UNKNOWN), ("b", -2, Kind.NORMAL), ("a", -3, Kind.NORMAL)])))
    >>> grown, ids = grow(a, b)
    >>> grown.vocab_size, ids.tolist()
    (3, [0, 2, 1])
    """
    tokenizer = tokenizer_of(tokenizer)
    spec, more = tokenizer.spec, tokenizer_of(other).spec
    if (spec.segmenter, spec.symbols) != (more.segmenter, more.symbols) or _has_merges(spec) or _has_merges(more):
        _refuse("only two vocabularies of one kind can be joined, and none that lists its merges")
    known = {raw: id for id, (raw, _, _) in enumerate(spec.pieces)}
    lowest = float(spec.pieces.scores.min())
    rows: list[tuple[str | bytes, float, int]] = []
    ids = np.full(len(more.pieces), 2**32 - 1, np.uint32)
    for id, (raw, score, kind) in enumerate(more.pieces):
        if raw not in known and kind == Kind.NORMAL and raw:
            known[raw] = len(spec.pieces) + len(rows)
            place = -float(known[raw]) if spec.symbols == "bytes" else lowest - 1 - len(rows)
            rows.append((raw, score if spec.segmenter == "unigram" else place, Kind.NORMAL))
        ids[id] = known.get(raw, 2**32 - 1)
    return tokenizer.replace(pieces=appended(spec.pieces, spec.pieces.kinds, rows)), ids


def save_extended(
    tokenizer: Tokenizer,
    path: str | os.PathLike[str],
    tokens: Iterable[str],
    options: Mapping[str, Any],
    *,
    allow_lossy: bool = False,
) -> None:
    """Write a tokenizer, and refuse to (``convert-lossy``) if ``tokens`` are others when the file is read with ``options``.

    A rank file has no place for special tokens, so that one may be written and look well, and lack them. Into another
    format than that of its source, and into a folder, a tokenizer is converted. A chat template that the file has no place
    for is lost too.
    """
    name = format_of(path, None)
    if name == FOLDER:
        convert(tokenizer, path, allow_lossy=allow_lossy)
        return
    metadata = formats.lost_metadata(tokenizer._origin, name)
    if metadata and not allow_lossy:
        raise_lossy(name, tuple(metadata), "", None)
    with temporary_folder() as folder:
        new = folder / Path(path).name
        if name == "anypiece" or formats.is_own(tokenizer._origin, name):
            _write_own(tokenizer, new, name)
        else:
            convert(tokenizer, new, allow_lossy=allow_lossy)
        known = formats.options_of(name)
        given = {option: value for option, value in options.items() if option in known}
        lost = [] if allow_lossy else _unread(tokenizer, new, list(tokens), given)
        if lost:
            _raise_unread(tokenizer, name, lost)
        write_bytes(Path(path), read_bytes(new))


def _write_own(tokenizer: Tokenizer, path: Path, name: str) -> None:
    try:
        save(tokenizer, path, name)
    except FormatError as error:
        hint = dialect_hint(tokenizer)
        raise FormatError(error.code, f"{error}.{hint}" if hint else str(error), **error.facts) from None


def _unread(tokenizer: Tokenizer, path: Path, tokens: list[str], options: dict[str, Any]) -> list[str]:
    """The tokens that a file does not give back."""
    try:
        result = load(path, **options)
    except AnyPieceError:
        return tokens

    def found(tokenizer: Tokenizer, token: str) -> list[Any]:
        texts = (token, f"a{token} {token}")
        return [tokenizer.encode(text, specials=mode) for text in texts for mode in ("text", "parse")]

    return [token for token in tokens if found(tokenizer, token) != found(result, token)]


def _raise_unread(tokenizer: Tokenizer, name: str, lost: list[str]) -> None:
    ids = ", ".join(f"{token!r}: {tokenizer.piece_to_id(token)}" for token in lost)
    message = (
        f"a {name} file has no place for {', '.join(map(repr, lost))}: read again, that is text. Write .anypiece or "
        f"tokenizer.json instead; or pass --allow-lossy, and when the file is read specials={{{ids}}}"
    )
    raise FormatError("convert-lossy", message, format=name, lost=["added"], tokens=lost)


def _finds_user_defined(spec: Spec) -> bool:
    """Whether a user-defined piece is whole wherever it stands, as in SentencePiece's vocabularies."""
    staged = spec.normalizer or spec.split_rules or len(spec.added) or _has_merges(spec)
    return not staged and spec.symbols == "characters" and spec.segmenter in ("unigram", "bpe", "char", "word")


def _has_merges(spec: Spec) -> bool:
    return len(spec.merges) > 0


def _named(names: Iterable[str]) -> list[str]:
    found = [names] if isinstance(names, str) else listed(names, "tokens")
    for name in found:
        if not isinstance(name, str) or not name or not is_text(name):
            _refuse(f"a token is a text with at least one character and no lone surrogates, not {name!r}")
    return found


def _refuse(what: str) -> None:
    raise InputError("argument-value", f"The vocabulary cannot be extended: {what}.", argument="tokens")


def _refuse_reserved(name: str, kind: Kind) -> None:
    if kind in (Kind.UNKNOWN, Kind.BYTE):
        _refuse(f"{name!r} is the {kind.name.lower()} piece")


def appended(old: Pieces, kinds: NDArray[np.uint8], rows: list[tuple[str | bytes, float, int]]) -> Pieces:
    """Pieces with other kinds, and more of them behind."""
    new = Pieces.of(rows)
    offsets = np.concatenate([old.offsets, new.offsets[1:] + old.offsets[-1]]).astype(np.uint32)
    scores = np.concatenate([old.scores, np.array([score for _, score, _ in rows], old.scores.dtype)])
    return Pieces(old.blob + new.blob, offsets, scores, np.concatenate([kinds, new.kinds]).astype(np.uint8))


def _joined(old: Added, rows: list[tuple[str, int, int]]) -> Added:
    names = {name for name, _, _ in rows}
    return Added.of([*((text, id, int(flags)) for text, id, flags in old if text not in names), *rows])
