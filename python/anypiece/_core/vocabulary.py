"""What a Tokenizer is made of: its kernel and its Spec, look-ups in the vocabulary, and what follows from the Spec.

These are the bodies of methods of ``Tokenizer``. What is computed once is kept in ``Tokenizer._lazy``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from .. import _native
from ..errors import InputError, InputTypeError, UnknownPieceError
from ..metadata import with_present_names
from ..spec import AddedFlag, Kind
from .bridge import compiled, spec_of
from .calls import Skipped

if TYPE_CHECKING:
    from ..spec import Spec
    from ..tokenizer import Tokenizer
    from .lookups import Lookups

    Made = TypeVar("Made", bound=Tokenizer)

__all__ = [
    "NO_DEFAULT",
    "changed_spec",
    "fill",
    "longest_piece",
    "made",
    "piece_to_id",
    "rebuilt",
    "skipped",
    "spec",
    "special_tokens",
]

Default = TypeVar("Default")

NO_DEFAULT: Any = object()
"""For a look-up that must succeed."""


def fill(tokenizer: Tokenizer, kernel: _native.Tokenizer, spec: Spec | None, origin: Any, cache_slots: int) -> None:
    """Give a new Tokenizer its parts, which never change afterwards. A mapped file has no Spec yet."""
    put = object.__setattr__
    put(tokenizer, "_kernel", kernel)
    put(tokenizer, "_origin", origin)
    put(tokenizer, "_cache_slots", cache_slots)
    put(tokenizer, "_lazy", {} if spec is None else {"spec": spec})


def made(
    kind: type[Made],
    kernel: _native.Tokenizer,
    spec: Spec | None,
    origin: Any,
    cache_slots: int = _native.CACHE_SLOTS,
) -> Made:
    """A Tokenizer of a kernel that is there already. ``origin`` is what the file said besides the Spec."""
    tokenizer = kind.__new__(kind)
    fill(tokenizer, kernel, spec, origin, cache_slots)
    return tokenizer


def rebuilt(kind: type[Made], spec: Spec, origin: Any, cache_slots: int) -> Made:
    """A Tokenizer of a Spec and an origin. Pickles call it by this name."""
    return made(kind, compiled(spec, cache_slots), spec, with_present_names(origin), cache_slots)


def spec(tokenizer: Lookups) -> Spec:
    """The Spec, which is taken from the kernel when it is first asked for."""
    if "spec" not in tokenizer._lazy:
        tokenizer._lazy["spec"] = spec_of(tokenizer._kernel)
    return cast("Spec", tokenizer._lazy["spec"])


def changed_spec(spec: Spec, changes: dict[str, Any]) -> Spec:
    """``spec`` with other values in some fields, and without its samples, which may no longer hold."""
    try:
        return spec.replace(**{"samples": (), **changes})
    except TypeError:
        wrong = sorted(set(changes) - set(spec.__dataclass_fields__))
        message = f"A Spec has no field {wrong[0]!r}; its fields are {', '.join(spec.__dataclass_fields__)}."
        raise InputError("argument-value", message, argument=wrong[0]) from None


def piece_to_id(tokenizer: Lookups, piece: str, default: int | Default) -> int | Default:
    """See ``Tokenizer.piece_to_id``."""
    if not isinstance(piece, str):
        kind = type(piece).__name__
        raise InputTypeError("input-type", f"A piece must be a str, not {kind}.", type=kind)
    try:
        found = tokenizer._kernel.piece_to_id(piece) if piece else None  # ids that stand for nothing have no spelling
    except UnicodeEncodeError:
        found = None
    if found is not None:
        return found
    if default is NO_DEFAULT:
        hint = " A space is written ▁ (U+2581) in pieces." if tokenizer.spec.escape_whitespaces else ""
        message = f"{piece!r} is not a piece of this vocabulary.{hint}"
        raise UnknownPieceError("piece-unknown", message, piece=piece)
    return default


def special_tokens(tokenizer: Tokenizer) -> dict[str, int]:
    """The special tokens by their spelling: those that text can hold, or else the control pieces."""
    if "specials" not in tokenizer._lazy:
        spec = tokenizer.spec
        found = {text: id for text, id, flags in spec.added if flags & AddedFlag.SPECIAL}
        if not len(spec.added):
            controls = np.flatnonzero(spec.pieces.kinds == Kind.CONTROL)
            found = {spec.pieces.piece(int(index)): int(index) for index in controls}
        tokenizer._lazy["specials"] = found
    return cast("dict[str, int]", tokenizer._lazy["specials"])


def skipped(tokenizer: Tokenizer) -> Skipped:
    """What decoding with ``skip_special`` leaves out."""
    if "skipped" not in tokenizer._lazy:
        spec = tokenizer.spec
        marks = spec.pieces.kinds == Kind.CONTROL
        marks[spec.added.ids[(spec.added.flags & AddedFlag.SPECIAL) != 0]] = True
        # What decodes to another spelling is special if that is.
        steps = [step for step in spec.decoder or () if step["type"] == "respell"]
        spelled = {piece: text for step in steps for piece, text in step["pieces"].items()}
        for text, id, _ in spec.added if spelled else ():
            if text in spelled:
                marks[id] = spelled[text] in special_tokens(tokenizer)
        tokenizer._lazy["skipped"] = Skipped(marks, frozenset(np.flatnonzero(marks).tolist()))
    return cast("Skipped", tokenizer._lazy["skipped"])


def longest_piece(tokenizer: Tokenizer) -> int:
    """How many bytes the longest piece has."""
    if "longest" not in tokenizer._lazy:
        tokenizer._lazy["longest"] = int(np.diff(tokenizer.spec.pieces.offsets.astype(np.int64)).max())
    return cast("int", tokenizer._lazy["longest"])
