"""Where meta pieces go: unknown, bos, eos and pad at their ids, then control and user-defined symbols and the 256 bytes
in the first places left, and what was trained in all the others. The layout is SentencePiece's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import InputError
from ..spec import SPACE_MARK, Kind, Pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..spec import Spec
    from .options import PieceOptions

__all__ = ["laid_out", "meta_pieces", "word_options"]


def meta_pieces(options: PieceOptions) -> dict[int, tuple[str, Kind]]:
    """The pieces that are not trained, by id.

    >>> from anypiece.training.options import PieceOptions
    >>> placed = meta_pieces(PieceOptions(bos_id=3, control_symbols=("<a>",), user_defined_symbols=("</s>", "<b>")))
    >>> " ".join(f"{id}:{placed[id][0]}:{placed[id][1].name}" for id in sorted(placed))
    '0:<unk>:UNKNOWN 1:<a>:CONTROL 2:</s>:USER_DEFINED 3:<s>:CONTROL 4:<b>:USER_DEFINED'
    """
    placed: dict[int, tuple[str, Kind]] = {}
    named: dict[str, int] = {}
    for role in ("unk", "bos", "eos", "pad"):
        id, piece = getattr(options, f"{role}_id"), getattr(options, f"{role}_piece")
        if id < 0:
            continue
        if id in placed:
            raise _fail(f"{role}_id", f"{role}_id is {id}, and so is the id of {placed[id][0]!r}. Give it another one.")
        if piece in named:
            raise _fail(f"{role}_piece", f"{role}_piece is {piece!r}, and so is that of id {named[piece]}. Rename one.")
        placed[id] = (piece, Kind.UNKNOWN if role == "unk" else Kind.CONTROL)
        named[piece] = id
    _place_symbols(options, placed, named)
    highest = max(placed)
    if len(placed) >= options.vocab_size or highest >= options.vocab_size:
        least = max(len(placed), highest) + 1
        message = (
            f"vocab_size is {options.vocab_size}, and meta pieces alone need {least}; the nearest value is {least}."
        )
        raise InputError("train-vocab-size", message, vocab_size=options.vocab_size, nearest=least)
    return placed


def _place_symbols(options: PieceOptions, placed: dict[int, tuple[str, Kind]], named: dict[str, int]) -> None:
    """Symbols in the first free places; one that is the spelling of bos, eos or pad gives that piece its kind."""
    symbols = [("control_symbols", symbol, Kind.CONTROL) for symbol in options.control_symbols]
    symbols += [("user_defined_symbols", symbol, Kind.USER_DEFINED) for symbol in options.user_defined_symbols]
    if options.byte_fallback:
        symbols += [("byte_fallback", f"<0x{byte:02X}>", Kind.BYTE) for byte in range(256)]
    seen: set[str] = set()
    free = 0
    for option, symbol, kind in symbols:
        if symbol in seen:
            raise _fail(option, f"the symbol {symbol!r} is named twice. Remove one.")
        seen.add(symbol)
        if symbol == options.unk_piece:
            raise _fail(
                option, f"{symbol!r} is the unknown piece and can be no other symbol. Set unk_piece to rename it."
            )
        if symbol in named:
            placed[named[symbol]] = (symbol, kind)
            continue
        while free in placed:
            free += 1
        placed[free] = (symbol, kind)


def word_options(options: PieceOptions, escape: bool) -> PieceOptions:
    """Options of a vocabulary of words: a user-defined symbol is also one with its space, which a word begins with.

    >>> from anypiece.training.options import PieceOptions
    >>> word_options(PieceOptions(user_defined_symbols=("<a>", "▁b")), True).user_defined_symbols
    ('<a>', '▁<a>', '▁b')
    """
    given = options.user_defined_symbols
    if not escape:
        return options
    both = [(symbol, symbol if symbol.startswith(SPACE_MARK) else SPACE_MARK + symbol) for symbol in given]
    return replace(options, user_defined_symbols=tuple(dict.fromkeys(name for pair in both for name in pair)))


def laid_out(options: PieceOptions, trained: Sequence[tuple[bytes, float]], skeleton: Spec) -> Spec:
    """``skeleton`` with the pieces trained, in their order, around the meta pieces, and with the ids of bos, eos and pad."""
    placed = meta_pieces(options)
    size = len(placed) + len(trained)
    if not options.use_all_vocab:
        size = min(size, options.vocab_size)
    if options.hard_vocab_limit and size < options.vocab_size and not options.use_all_vocab:
        raise too_large(options, size)
    if max(placed) >= size:
        message = (
            f"there are only {size} pieces, and {placed[max(placed)][0]!r} has id {max(placed)}. Give it a lower id."
        )
        raise InputError("train-vocab-size", message, vocab_size=options.vocab_size, nearest=size)
    rest = iter(trained)
    rows: list[tuple[str | bytes, float, int]] = []
    for id in range(size):
        if id in placed:
            rows.append((placed[id][0], 0.0, placed[id][1]))
        else:
            piece, score = next(rest)
            rows.append((piece, score, Kind.NORMAL))
    # A role belongs to the control piece of that name, whoever put it there.
    roles = {piece: id for id, (piece, kind) in placed.items() if kind == Kind.CONTROL}
    return skeleton.replace(
        pieces=Pieces.of(rows),
        byte_fallback=options.byte_fallback,
        unk_surface=options.unk_surface,
        whitespace_as_suffix=options.treat_whitespace_as_suffix,
        bos_id=roles.get(options.bos_piece),
        eos_id=roles.get(options.eos_piece),
        pad_id=roles.get(options.pad_piece),
    )


def too_large(options: PieceOptions, size: int) -> InputError:
    """The error that fewer pieces were found than asked for."""
    message = (
        f"vocab_size is {options.vocab_size}, and the text has pieces for {size}. "
        f"Set it to {size} or less, train on more text, or pass hard_vocab_limit=False."
    )
    return InputError("train-vocab-size", message, vocab_size=options.vocab_size, nearest=size)


def _fail(option: str, message: str) -> InputError:
    return InputError("train-option", message, option=option)
