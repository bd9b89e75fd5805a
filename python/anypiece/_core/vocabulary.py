"""Content: what a tokenizer is made of. The compiled Spec, look-ups in its vocabulary, equality, pickling.

``Tokenizer`` adds what can be done with text and ids. An object never changes after it is made; ``_lazy`` only keeps what
can be computed from the rest, so that two threads that compute it at once do no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, cast

import numpy as np

from .. import _native
from .._native import LEARNED_SLOTS
from ..errors import InputError, InputTypeError, UnknownPieceError
from ..metadata import with_present_names
from ..spec import AddedFlag, Kind
from ..text.specials import allowed_names, permitted
from .bridge import compiled, spec_of
from .calls import Skipped
from .checks import checked_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from typing_extensions import Self

    from ..spec import Spec
    from ..text.specials import Permit, Specials

__all__ = ["Content"]

Default = TypeVar("Default")

_NO_DEFAULT: Any = object()


class Content:
    """A compiled Spec: the part of a ``Tokenizer`` that is not about any text."""

    __slots__ = ("__weakref__", "_kernel", "_lazy", "_learned_slots", "_origin")

    _kernel: _native.Tokenizer
    _learned_slots: int
    _origin: Any
    _lazy: dict[str, Any]

    def __init__(self, spec: Spec, *, learned_slots: int = LEARNED_SLOTS) -> None:
        """Compile ``spec``. ``learned_slots`` bounds the per-thread table of units seen before; 0 turns it off."""
        self._fill(compiled(spec, learned_slots), spec, None, learned_slots)

    @classmethod
    def _of(cls, native: _native.Tokenizer, spec: Spec | None, origin: Any, learned_slots: int = LEARNED_SLOTS) -> Self:
        made = cls.__new__(cls)
        made._fill(native, spec, origin, learned_slots)
        return made

    def _fill(self, native: _native.Tokenizer, spec: Spec | None, origin: Any, learned_slots: int) -> None:
        put = object.__setattr__
        put(self, "_kernel", native)
        put(self, "_origin", origin)
        put(self, "_learned_slots", learned_slots)
        put(self, "_lazy", {} if spec is None else {"spec": spec})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Tokenizer cannot be changed; use tok.replace(...) for one with another {name}.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("A Tokenizer cannot be changed.")

    # -- the vocabulary

    @property
    def vocab_size(self) -> int:
        """How many pieces there are; ids run from 0 to one less."""
        return self._kernel.vocab_size

    def __len__(self) -> int:
        return self._kernel.vocab_size

    def id_to_piece(self, id: SupportsIndex) -> str:
        """The spelling of a piece.

        >>> import anypiece
        >>> tok = anypiece.load()
        >>> tok.piece_to_id(tok.id_to_piece(5))
        5
        """
        return self._kernel.id_to_piece(checked_id(id, self.vocab_size))

    def piece_to_id(self, piece: str, *, default: int | Default = _NO_DEFAULT) -> int | Default:
        """The id of a piece by its spelling; ``default`` if there is none, or an ``UnknownPieceError`` without it.

        >>> import anypiece
        >>> anypiece.load().piece_to_id("no such piece", default=None) is None
        True
        """
        if not isinstance(piece, str):
            kind = type(piece).__name__
            raise InputTypeError("input-type", f"A piece must be a str, not {kind}.", type=kind)
        try:
            found = self._kernel.piece_to_id(piece) if piece else None  # ids that stand for nothing have no spelling
        except UnicodeEncodeError:
            found = None
        if found is not None:
            return found
        if default is _NO_DEFAULT:
            hint = " A space is written ▁ (U+2581) in pieces." if self.spec.escape_whitespaces else ""
            message = f"{piece!r} is not a piece of this vocabulary.{hint}"
            raise UnknownPieceError("piece-unknown", message, piece=piece)
        return default

    def score(self, id: SupportsIndex) -> float:
        """The score of a piece: a log probability for unigram, a merge rank (negated) for BPE."""
        return self._kernel.score(checked_id(id, self.vocab_size))

    def kind(self, id: SupportsIndex) -> Kind:
        """What a piece is: normal, unknown, control, user-defined, unused or byte."""
        return Kind(self._kernel.kind(checked_id(id, self.vocab_size)))

    def id_to_bytes(self, id: SupportsIndex) -> bytes:
        """The bytes of a piece. Pieces of a vocabulary of bytes need not be UTF-8; ``id_to_piece`` then shows U+FFFD.

        >>> import anypiece
        >>> tok = anypiece.load()
        >>> tok.id_to_bytes(5).decode() == tok.id_to_piece(5)
        True
        """
        return self._kernel.id_to_bytes(checked_id(id, self.vocab_size))

    @property
    def unk_id(self) -> int | None:
        """The id of the piece that stands for unknown text; ``None`` where all text is known, as all bytes are pieces."""
        return self._kernel.unk_id

    @property
    def bos_id(self) -> int | None:
        """The id of the piece that begins a text, if there is one."""
        return self.spec.bos_id

    @property
    def eos_id(self) -> int | None:
        """The id of the piece that ends a text, if there is one."""
        return self.spec.eos_id

    @property
    def pad_id(self) -> int | None:
        """The id of the piece that pads a text, if there is one."""
        return self.spec.pad_id

    # -- content

    @property
    def spec(self) -> Spec:
        """The plain data that this tokenizer was made from."""
        if "spec" not in self._lazy:
            self._lazy["spec"] = spec_of(self._kernel)
        return cast("Spec", self._lazy["spec"])

    @property
    def fingerprint(self) -> str:
        """A hash of the Spec: equal fingerprints mean equal ids for every text."""
        return self.spec.fingerprint

    def replace(self, **changes: Any) -> Self:
        """A tokenizer with some fields of the Spec changed. Self-test samples are dropped, as they may no longer hold.

        >>> import anypiece
        >>> anypiece.load().replace(add_dummy_prefix=False).normalize("Hello")
        'Hello'
        """
        try:
            spec = self.spec.replace(**{"samples": (), **changes})
        except TypeError:
            wrong = sorted(set(changes) - set(self.spec.__dataclass_fields__))
            message = f"A Spec has no field {wrong[0]!r}; its fields are {', '.join(self.spec.__dataclass_fields__)}."
            raise InputError("argument-value", message, argument=wrong[0]) from None
        return type(self)._of(compiled(spec, self._learned_slots), spec, self._origin, self._learned_slots)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.spec, self._origin, self._learned_slots)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Content) and self.fingerprint == other.fingerprint)

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.spec.segmenter}, {self.vocab_size} pieces, fingerprint {self.fingerprint[:12]}>"

    def _specials(self) -> dict[str, int]:
        """The special tokens by their spelling: those that text can hold, or else the control pieces."""
        if "specials" not in self._lazy:
            spec = self.spec
            found = {text: id for text, id, flags in spec.added if flags & AddedFlag.SPECIAL}
            if not len(spec.added):
                controls = np.flatnonzero(spec.pieces.kinds == Kind.CONTROL)
                found = {spec.pieces.piece(int(index)): int(index) for index in controls}
            self._lazy["specials"] = found
        return cast("dict[str, int]", self._lazy["specials"])

    def _allowed(self, specials: Specials) -> tuple[Sequence[int] | NDArray[np.uint32], Permit]:
        """What ``"error"`` or a set of names allows, for the kernel: numbers of spellings, and ids that may be found.

        Kept for the last set, which may be large.
        """
        if specials == "error":
            return (), None
        held, *found = self._lazy.get("allowed", (None, (), None))
        if held is None or (held is not specials and held != specials):
            names = self._specials()
            held = allowed_names(specials, names)
            permit = permitted(held, names) if len(self.spec.added) else None
            found = [_native.spelled(self._kernel, list(held)), permit]
            self._lazy["allowed"] = (held, *found)
        return found[0], found[1]

    def _special_names(self) -> frozenset[str]:
        if "special_names" not in self._lazy:
            self._lazy["special_names"] = frozenset(self._specials())
        return cast("frozenset[str]", self._lazy["special_names"])

    def _skipped(self) -> Skipped:
        """What decoding with ``skip_special`` leaves out."""
        if "skipped" not in self._lazy:
            skipped = self.spec.pieces.kinds == Kind.CONTROL
            skipped[self.spec.added.ids[(self.spec.added.flags & AddedFlag.SPECIAL) != 0]] = True
            # What decodes to another spelling is special if that is.
            steps = [step for step in self.spec.decoder or () if step["type"] == "respell"]
            spelled = {piece: text for step in steps for piece, text in step["pieces"].items()}
            for text, id, _ in self.spec.added if spelled else ():
                if text in spelled:
                    skipped[id] = spelled[text] in self._special_names()
            self._lazy["skipped"] = Skipped(skipped, frozenset(np.flatnonzero(skipped).tolist()))
        return cast("Skipped", self._lazy["skipped"])

    def _longest_piece(self) -> int:
        if "longest" not in self._lazy:
            self._lazy["longest"] = int(np.diff(self.spec.pieces.offsets.astype(np.int64)).max())
        return cast("int", self._lazy["longest"])


def _rebuilt(kind: type[Content], spec: Spec, origin: Any, learned_slots: int) -> Content:
    return kind._of(compiled(spec, learned_slots), spec, with_present_names(origin), learned_slots)
