"""From components to ids: the kernel where it runs them, and Python over the kernel's characters where it does not."""

from __future__ import annotations

import os
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _native
from ..._core.bridge import compiled
from ..._core.checks import REFUSALS, raise_native
from ...errors import AnyPieceError
from ...formats.huggingface import assembled
from ...formats.huggingface.model import Table
from ...spec import Added, AddedFlag, Kind
from ...text.coverage import keeps_text
from .inputs import check_texts
from .model import strings_table
from .models import BPE
from .sources import KernelSource, PlainSource
from .stage import ALPHABET, decoded_tokens, refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ...spec import Spec
    from .models import Model
    from .sources import TextSource
    from .values import AddedToken

__all__ = ["Engine", "threads_wanted"]

_OFF = ("", "0", "false", "f", "no", "n", "off")


def threads_wanted() -> int:
    """How many threads a batch takes: one per processor, or one where TOKENIZERS_PARALLELISM says so."""
    if os.environ.get("TOKENIZERS_PARALLELISM", "true").lower() in _OFF:
        return 1
    return os.cpu_count() or 1


class Engine:
    """What a tokenizer's components are compiled to. It never changes."""

    def __init__(self, sections: dict[str, Any], model: Model, added: dict[int, AddedToken]) -> None:
        self.model = model
        self.added = added
        self.special = {token.content for token in added.values() if token.special}
        self._decoder = sections["decoder"]
        rows = [{"id": id, **token._json()} for id, token in sorted(added.items())]
        self._sections = {**sections, "post_processor": None, "added_tokens": rows}
        self.kernel: _native.Tokenizer
        self.spec: Spec
        self._decodes = True
        self.is_plain = model._is_random() or not self._compile()
        if self.is_plain:
            self._compile_plain()
        self._lazy: dict[str, Any] = {}

    def _compile(self) -> bool:
        """Compile all of it; whether that can be done."""
        tables = (self.model._table, self.model._merges_table())
        document = {**self._sections, "model": self.model._section()}
        for decoder in (self._decoder, {"type": "Fuse"}):
            try:
                self.spec, _ = assembled({**document, "decoder": decoder}, *tables)
                found = {text: id for text, id, _ in self.spec.added}
                if found != {token.content: id for id, token in self.added.items()}:
                    return False
                self.kernel = compiled(self.spec, _native.CACHE_SLOTS)
                return True
            except AnyPieceError:
                self._decodes = False
        return False

    def _compile_plain(self) -> None:
        """Compile the stages alone, with a model that takes every character for unknown."""
        dummy, unknown = _dummy()
        section = {**BPE._defaults(), "type": "BPE", "unk_token": unknown}
        document = {**self._sections, "model": section, "decoder": {"type": "Fuse"}}
        try:
            self.spec, _ = assembled(document, *dummy)
            self.kernel = compiled(self.spec, 0)
        except AnyPieceError as error:
            raise refused(error) from None
        numbers = {token.content: id for id, token in self.added.items()}
        self.plain_added = {id: numbers[text] for text, id, _ in self.spec.added}
        self._decodes = False

    @property
    def is_bytes(self) -> bool:
        """Whether pieces are bytes that are written as characters."""
        return self.spec.symbols == "bytes"

    @property
    def odd_added(self) -> frozenset[int]:
        """Added tokens that may take more text than their own, or another form of it."""
        if "odd" not in self._lazy:
            flags = AddedFlag.LSTRIP | AddedFlag.RSTRIP
            changes = bool(self.spec.normalizer) or self._sections["normalizer"] is not None
            self._lazy["odd"] = frozenset(
                id for _, id, found in self.spec.added if found & flags or (changes and found & AddedFlag.NORMALIZED)
            )
        found: frozenset[int] = self._lazy["odd"]
        return found

    @property
    def names(self) -> list[str]:
        """Tokens by id, added ones included; an id of no token has the empty string."""
        if "names" not in self._lazy:
            known = self.model._by_id
            size = max([-1, *known, *self.added]) + 1
            names = [known.get(id, "") for id in range(size)]
            for id, token in self.added.items():
                names[id] = token.content
            self._lazy["names"] = names
        found: list[str] = self._lazy["names"]
        return found

    @property
    def forms(self) -> dict[int, str]:
        """What the normalizer makes of added tokens that are looked for in normalized text, where it is another text."""
        if "forms" not in self._lazy:
            self._lazy["forms"] = self._normalized_forms()
        found: dict[int, str] = self._lazy["forms"]
        return found

    def _normalized_forms(self) -> dict[int, str]:
        from .stage import normalized_text

        section = self._sections["normalizer"]
        tokens = {id: token.content for id, token in self.added.items() if token.normalized}
        if section is None or not tokens:
            return {}
        forms = {id: normalized_text(section, content) for id, content in tokens.items()}
        return {id: form for id, form in forms.items() if form != tokens[id]}

    def piece_lengths(self) -> NDArray[np.int64] | None:
        """How many bytes of text each id is, where tokens cover a text without a gap; else None."""
        if "lengths" not in self._lazy:
            self._lazy["lengths"] = self._lengths() if self._covers() else None
        found: NDArray[np.int64] | None = self._lazy["lengths"]
        return found

    def _covers(self) -> bool:
        spec = self.spec
        if self.is_plain or not self.is_bytes or spec.normalizer or spec.byte_fallback or spec.unk_id >= 0:
            return False
        if spec.symbol_prefix or spec.end_suffix or self._sections["normalizer"] is not None:
            return False
        return all(keeps_text(rule) for rule in spec.split_rules)

    def _lengths(self) -> NDArray[np.int64]:
        lengths = np.diff(self.spec.pieces.offsets.astype(np.int64))
        lengths[list(self.odd_added)] = -1
        return lengths

    def source(self, texts: list[str], split_special: bool, words: NDArray[np.int64] | None = None) -> TextSource:
        """The tokens of texts; ``words`` numbers texts that are words of longer ones."""
        if split_special and self.special and not self.is_plain:
            return self._of_text().source(texts, False, words)
        permit = None if split_special else True
        if self.is_plain:
            return PlainSource(self, texts, permit, words)
        try:
            ids, offsets = self.kernel.encode_batch(texts, threads_wanted() if len(texts) > 1 else 1, permit)
        except REFUSALS as error:
            check_texts(texts)
            raise_native(error)
        return KernelSource(self, texts, permit, ids, offsets, words)

    def _of_text(self) -> Engine:
        """The engine for which special tokens are text: those of the vocabulary are pieces like any other."""
        if "of text" not in self._lazy:
            kinds = self.spec.pieces.kinds.copy()
            known = self.model._by_id
            for text, id, flags in self.spec.added:
                if flags & AddedFlag.SPECIAL and id in known and kinds[id] == Kind.CONTROL:
                    is_piece = not self.is_bytes or all(letter in LETTERS for letter in text)
                    kinds[id] = Kind.NORMAL if is_piece else Kind.UNUSED
            rows = [row for row in self.spec.added if not row[2] & AddedFlag.SPECIAL]
            made = copy(self)
            made._lazy = {}
            pieces = replace(self.spec.pieces, kinds=kinds)
            try:
                made.spec = self.spec.replace(pieces=pieces, added=Added.of(rows))
                made.kernel = compiled(made.spec, _native.CACHE_SLOTS)
            except AnyPieceError as error:
                raise refused(error) from None
            self._lazy["of text"] = made
        found: Engine = self._lazy["of text"]
        return found

    def decode(self, ids: Sequence[int], skip_special: bool) -> str:
        """The text of ids; those of no token are left out."""
        if self._decodes:
            found = self._decoded(ids, skip_special)
            if found is not None:
                return found
        return decoded_tokens(self._decoder, self.decoded_names(ids, skip_special))

    def _decoded(self, ids: Sequence[int], skip_special: bool) -> str | None:
        if skip_special:
            marks = self._skipped()
            ids = ids if marks.isdisjoint(ids) else [id for id in ids if id not in marks]
        try:
            return self.kernel.decode(ids)
        except REFUSALS:
            size = self.kernel.vocab_size
            kept = [id for id in ids if 0 <= id < size]
            return self.kernel.decode(kept) if len(kept) != len(ids) else None

    def _skipped(self) -> frozenset[int]:
        if "skipped" not in self._lazy:
            forms = self.forms
            named = {id for id, token in self.added.items() if forms.get(id, token.content) in self.special}
            named |= {id for id, name in self.model._by_id.items() if name in self.special} if self.special else set()
            self._lazy["skipped"] = frozenset(named)
        found: frozenset[int] = self._lazy["skipped"]
        return found

    def decoded_names(self, ids: Sequence[int], skip_special: bool) -> list[str]:
        """The strings that a decoder is given for ids."""
        names, forms = self.names, self.forms
        known = self.model._by_id
        size = len(names)
        found = [forms.get(id, names[id]) for id in ids if 0 <= id < size and (id in known or id in self.added)]
        return [name for name in found if name not in self.special] if skip_special else found


def _dummy() -> tuple[tuple[Table, Table], str]:
    """A vocabulary that no text has a piece of, and the name of its unknown piece."""
    unknown, left, right = "\U0010fffd", "\U0010fffc", "\U0010fffb"
    names = [unknown, left, right, left + right]
    numbers = np.arange(len(names)).astype("<u4").tobytes()
    return (strings_table("ints", names, numbers), strings_table("pairs", [left, right])), unknown


LETTERS = {letter: byte for byte, letter in enumerate(ALPHABET)}
