"""The look-ups of a Tokenizer in its vocabulary: pieces, ids, scores and the pieces with a role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

from ..spec import Kind, Spec
from . import vocabulary
from .checks import checked_id

if TYPE_CHECKING:
    from .. import _native

__all__ = ["Lookups"]

Default = TypeVar("Default")


class Lookups:
    """The part of ``Tokenizer`` that answers about its vocabulary, and the parts that every method works with."""

    __slots__ = ("__weakref__", "_cache_slots", "_kernel", "_lazy", "_origin")
    _kernel: _native.Tokenizer
    _lazy: dict[str, Any]
    _cache_slots: int
    _origin: Any

    @property
    def vocab_size(self) -> int:
        """How many pieces there are; ids run from 0 to one less."""
        return self._kernel.vocab_size

    def __len__(self) -> int:
        return self._kernel.vocab_size

    def id_to_piece(self, id: SupportsIndex) -> str:
        """The spelling of a piece.

        >>> tok.piece_to_id(tok.id_to_piece(5))
        5
        """
        return self._kernel.id_to_piece(checked_id(id, self.vocab_size))

    def id_to_bytes(self, id: SupportsIndex) -> bytes:
        """The bytes of a piece. Pieces of a vocabulary of bytes need not be UTF-8; ``id_to_piece`` then shows U+FFFD.

        >>> tok.id_to_bytes(5).decode() == tok.id_to_piece(5)
        True
        """
        return self._kernel.id_to_bytes(checked_id(id, self.vocab_size))

    def piece_to_id(self, piece: str, *, default: int | Default = vocabulary.NO_DEFAULT) -> int | Default:
        """The id of a piece by its spelling; ``default`` if there is none, or an ``UnknownPieceError`` without it.

        >>> tok.piece_to_id("no such piece", default=None) is None
        True
        """
        return vocabulary.piece_to_id(self, piece, default)

    def score(self, id: SupportsIndex) -> float:
        """The score of a piece: a log probability for unigram, a merge rank (negated) for BPE."""
        return self._kernel.score(checked_id(id, self.vocab_size))

    def kind(self, id: SupportsIndex) -> Kind:
        """What a piece is: normal, unknown, control, user-defined, unused or byte."""
        return Kind(self._kernel.kind(checked_id(id, self.vocab_size)))

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

    @property
    def spec(self) -> Spec:
        """The plain data that this tokenizer was made from."""
        return vocabulary.spec(self)

    @property
    def fingerprint(self) -> str:
        """A hash of the Spec: equal fingerprints mean equal ids for every text."""
        return self.spec.fingerprint
