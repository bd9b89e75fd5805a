"""A loaded model: the tokenizer, its columns, and the ways in which a processor may change it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.bridge import compiled
from ..._core.vocabulary import made
from ..._native import CACHE_SLOTS
from ...formats import sentencepiece
from ...io.paths import read_bytes
from ...io.self_test import refuse_failed_samples
from ...spec import Kind
from ...tokenizer import Tokenizer
from .errors import NotFoundError, RefusedError, refusals

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Model", "truth"]

_RESTRICTED = ("unigram", "bpe")
_NORMALIZER = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
_TRUE = ("1", "t", "true", "y", "yes", "")
_FALSE = ("0", "f", "false", "n", "no")


class Model:
    """A tokenizer of a ``.model`` file with what look-ups need. Never changes; changes make another one."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.kernel = tokenizer._kernel
        spec = tokenizer.spec
        self.size = len(spec.pieces)
        self.kinds: list[int] = spec.pieces.kinds.tolist()
        self.unk_id = spec.unk_id
        self.is_unigram = spec.segmenter == "unigram"

    @classmethod
    def of_bytes(cls, data: bytes, dialect: str, name: str = "the serialized model") -> Model:
        """The model of a file's content."""
        with refusals():
            spec, origin = sentencepiece.read(data, dialect=dialect)
            tokenizer = made(Tokenizer, compiled(spec, CACHE_SLOTS), spec, origin)
            refuse_failed_samples(tokenizer, name)
        return cls(tokenizer)

    @classmethod
    def of_file(cls, path: str, dialect: str) -> Model:
        """The model of a file."""
        with refusals():
            data = read_bytes(Path(path))
        return cls.of_bytes(data, dialect, str(path))

    @cached_property
    def pieces(self) -> list[str]:
        """The spelling of each piece by its id."""
        return list(map(self.kernel.id_to_piece, range(self.size)))

    @cached_property
    def raw_pieces(self) -> list[bytes]:
        return list(map(self.kernel.id_to_bytes, range(self.size)))

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of each piece by its spelling; of equal ones the first."""
        return {piece: id for id, piece in reversed(list(enumerate(self.pieces)))}

    @cached_property
    def content(self) -> bytes:
        """The file."""
        with refusals():
            return sentencepiece.write(self.tokenizer.spec, self.tokenizer._origin)

    def special_id(self, role: str) -> int:
        """The id of bos, eos or pad, or -1."""
        id = getattr(self.tokenizer.spec, f"{role}_id")
        return -1 if id is None else int(id)

    def mark(self, role: str) -> int:
        """The id of bos or eos, which must be there."""
        id = self.special_id(role)
        if id < 0:
            raise RefusedError(f"{role.upper()} token is not defined as a control symbol in this model.")
        return id

    # -- changes
    def _changed(self, **fields: Any) -> Model:
        with refusals():
            return Model(self.tokenizer.replace(**fields))

    def _with_kinds(self, kinds: np.ndarray[Any, np.dtype[np.uint8]]) -> Model:
        return self._changed(pieces=replace(self.tokenizer.spec.pieces, kinds=kinds))

    def restricted(self, pieces: Collection[str]) -> Model:
        """With all pieces unused but these, single characters, and those that are no plain pieces."""
        if self.tokenizer.spec.segmenter not in _RESTRICTED:
            raise RefusedError("a vocabulary can be restricted for unigram and BPE models alone")
        valid = frozenset(pieces)
        kinds = self.tokenizer.spec.pieces.kinds.copy()
        for id, piece in enumerate(self.pieces):
            if kinds[id] in (Kind.NORMAL, Kind.UNUSED):
                kinds[id] = Kind.NORMAL if piece in valid or len(piece) == 1 else Kind.UNUSED
        return self._with_kinds(kinds)

    def unrestricted(self) -> Model:
        """With no unused pieces, also where the file has some."""
        kinds = self.tokenizer.spec.pieces.kinds.copy()
        kinds[kinds == Kind.UNUSED] = Kind.NORMAL
        return self._with_kinds(kinds)

    def normalizing(self, settings: dict[str, Any]) -> Model:
        """With other settings of the normalizer."""
        fields = {}
        for name, value in settings.items():
            if name in ("name", "precompiled_charsmap", "normalization_rule_tsv"):
                raise NotImplementedError(f"override_normalizer_spec({name}=) is not supported")
            if name not in _NORMALIZER:
                raise NotFoundError(f'unknown field name "{name}" in NormalizerSpec.')
            fields[name] = truth(value)
        return self._changed(**fields)


def truth(value: object) -> bool:
    """A flag as sentencepiece writes them.

    >>> truth("true"), truth(0)
    (True, False)
    """
    text = str(value).lower()
    if text not in _TRUE + _FALSE:
        raise RefusedError(f'cannot parse "{value}" as bool.')
    return text in _TRUE
