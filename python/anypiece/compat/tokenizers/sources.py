"""The tokens of a call. Ids come from one call of the kernel; spans, words and names when they are asked for."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _native
from ..._core.checks import REFUSALS, raise_native
from .inputs import check_texts
from .processors import edge_spaces, trimmed_span
from .stage import letters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .engine import Engine
    from .parts import Offsets, Trim

__all__ = ["KernelSource", "PlainSource", "TextSource"]

_SPACES = " ▁"


class KernelSource:
    """The tokens of texts as the kernel gives them."""

    __slots__ = ("_engine", "_numbers", "_permit", "_spans", "_texts", "_words", "bounds", "ids")

    def __init__(
        self,
        engine: Engine,
        texts: list[str],
        permit: bool | None,
        ids: NDArray[np.uint32],
        bounds: NDArray[np.int64],
        numbers: NDArray[np.int64] | None,
    ) -> None:
        self._engine, self._texts, self._permit = engine, texts, permit
        self.ids, self.bounds = ids, bounds
        self._numbers = numbers
        self._spans: tuple[NDArray[Any], NDArray[Any]] | None = None
        self._words: NDArray[Any] | None = None

    def spans(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Starts and ends of all tokens, in characters."""
        if self._spans is None:
            self._spans = self._covering() or self._by_kernel()
        return self._spans

    def _by_kernel(self) -> tuple[NDArray[Any], NDArray[Any]]:
        try:
            _, _, starts, ends, words = _native.encode_words(self._engine.kernel, self._texts, self._permit)
        except REFUSALS as error:
            raise_native(error)
        if self._numbers is None:
            self._words = words
        return starts, ends

    def _covering(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """The spans where the lengths of tokens add up to those of the texts."""
        lengths = self._engine.piece_lengths()
        if lengths is None or len(self._texts) == 0:
            return None
        sizes = lengths[self.ids]
        ends = np.cumsum(sizes)
        edges = np.concatenate([[0], ends])[self.bounds]
        joined = "".join(self._texts)
        raw = joined.encode()
        counts = np.fromiter(map(len, self._texts), np.int64, len(self._texts))
        if len(raw) == len(joined):
            if (np.diff(edges) != counts).any() or sizes.min(initial=0) < 0:
                return None
            base = np.repeat(edges[:-1], np.diff(self.bounds))
            ends -= base
            return ends - sizes, ends
        widths = np.fromiter((len(text.encode()) for text in self._texts), np.int64, len(self._texts))
        if (np.diff(edges) != widths).any() or sizes.min(initial=0) < 0:
            return None
        firsts = np.cumsum((np.frombuffer(raw, np.uint8) & 0xC0) != 0x80)
        before = np.repeat(np.concatenate([[0], np.cumsum(counts)[:-1]]), np.diff(self.bounds))
        starts = ends - sizes
        # A token that is a part of a character has the place of all of it.
        return firsts[np.minimum(starts, len(raw) - 1)] - 1 - before, firsts[ends - 1] - before

    def offsets(self, begin: int, end: int) -> list[Offsets]:
        """The places of some tokens in their text."""
        starts, ends = self.spans()
        return list(zip(starts[begin:end].tolist(), ends[begin:end].tolist(), strict=True))

    def trimmed(self, begin: int, end: int, trim: Trim) -> list[Offsets]:
        """The offsets without the spaces that the tokens begin and end with."""
        odd = self._engine.odd_added
        ids = self.ids[begin:end]
        if odd and not odd.isdisjoint(ids.tolist()):
            rows = zip(self.tokens(begin, end), self.offsets(begin, end), strict=True)
            return [
                trimmed_span(token, span, place == trim.first, trim.keeps_first)
                for place, (token, span) in enumerate(rows, begin)
            ]
        leading, trailing = _spaces(self._engine)
        starts, ends = (column[begin:end].astype(np.int64) for column in self.spans())
        front, back = leading[ids], trailing[ids]
        if trim.keeps_first:
            is_first = (starts == 0) | (np.arange(begin, end) == trim.first)
            front = np.where(is_first & (front == 1), 0, front)
        starts = np.minimum(starts + front, ends)
        ends = np.where((back > 0) & (ends >= back), np.maximum(ends - back, starts), ends)
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def words(self, begin: int, end: int) -> list[int | None]:
        """The numbers of the words that some tokens belong to."""
        if self._words is None:
            if self._numbers is None:
                self._by_kernel_words()
            else:
                self._words = np.repeat(self._numbers, np.diff(self.bounds))
        found: list[int | None] = self._words[begin:end].tolist()  # type: ignore[index]
        return found

    def _by_kernel_words(self) -> None:
        spans = self._by_kernel()
        self._spans = self._spans or spans

    def tokens(self, begin: int, end: int) -> list[str]:
        """The names of some tokens."""
        names, ids = self._engine.names, self.ids[begin:end].tolist()
        found = [names[id] for id in ids]
        odd = self._engine.odd_added
        if odd and not odd.isdisjoint(ids):
            for place, id in enumerate(ids):
                if id in odd:
                    found[place] = self._taken(begin + place, id)
        if self._engine.spec.segmenter == "unigram" and self._engine.spec.unk_id in ids:
            self._put_surfaces(begin, end, found)
        return found

    def _text_of(self, token: int) -> int:
        return int(np.searchsorted(self.bounds, token, "right")) - 1

    def _taken(self, token: int, id: int) -> str:
        """The text that an added token has taken, spaces around it included."""
        starts, ends = self.spans()
        text = self._texts[self._text_of(token)][int(starts[token]) : int(ends[token])]
        form = self._engine.forms.get(id)
        if form is None:
            return text if text.strip() == self._engine.names[id].strip() else self._engine.names[id]
        if self._engine.is_bytes:
            return form
        # Spaces that the normalized token has itself, mostly as marks, are not those that it has stripped.
        before = len(text) - len(text.lstrip()) - (len(form) - len(form.lstrip(_SPACES)))
        behind = len(text) - len(text.rstrip()) - (len(form) - len(form.rstrip(_SPACES)))
        return text[: max(before, 0)] + form + (text[len(text) - behind :] if behind > 0 else "")

    def _put_surfaces(self, begin: int, end: int, names: list[str]) -> None:
        """Unknown tokens are called by their text."""
        unk_id, bounds = self._engine.spec.unk_id, self.bounds.tolist()
        for number in range(self._text_of(begin), len(self._texts)):
            first, last = max(bounds[number], begin), min(bounds[number + 1], end)
            if bounds[number] >= end:
                break
            if unk_id not in self.ids[first:last]:
                continue
            rows, _ = self._engine.kernel.encode_spans(self._texts[number], True, self._permit)
            for token in range(first, last):
                if self.ids[token] == unk_id:
                    names[token - begin] = rows[token - bounds[number]][1]


def _spaces(engine: Engine) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many spaces the token of each id begins and ends with."""
    if "spaces" not in engine._lazy:
        pairs = [edge_spaces(name) for name in engine.names]
        table = np.array(pairs, np.int64).reshape(-1, 2)
        engine._lazy["spaces"] = (table[:, 0].copy(), table[:, 1].copy())
    found: tuple[NDArray[np.int64], NDArray[np.int64]] = engine._lazy["spaces"]
    return found


class PlainSource:
    """The tokens of texts where Python runs the model over the pre-tokens of the kernel."""

    def __init__(
        self, engine: Engine, texts: list[str], permit: bool | None, numbers: NDArray[np.int64] | None
    ) -> None:
        self._rows: list[tuple[int, str, int, Offsets]] = []
        bounds = [0]
        for number, text in enumerate(texts):
            try:
                self._rows += _plain_rows(engine, text, permit, None if numbers is None else int(numbers[number]))
            except REFUSALS as error:
                check_texts(texts)
                raise_native(error)
            bounds.append(len(self._rows))
        self.ids = np.array([row[0] for row in self._rows], np.uint32)
        self.bounds = np.array(bounds, np.int64)

    def tokens(self, begin: int, end: int) -> list[str]:
        """The names of some tokens."""
        return [row[1] for row in self._rows[begin:end]]

    def words(self, begin: int, end: int) -> list[int | None]:
        """The numbers of the words that some tokens belong to."""
        return [row[2] for row in self._rows[begin:end]]

    def offsets(self, begin: int, end: int) -> list[Offsets]:
        """The places of some tokens in their text."""
        return [row[3] for row in self._rows[begin:end]]

    def spans(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Starts and ends of all tokens, in characters."""
        places = np.array([row[3] for row in self._rows], np.int64).reshape(-1, 2)
        return places[:, 0], places[:, 1]

    def trimmed(self, begin: int, end: int, trim: Trim) -> list[Offsets]:
        """The offsets without the spaces that the tokens begin and end with."""
        return [
            trimmed_span(row[1], row[3], place == trim.first, trim.keeps_first)
            for place, row in enumerate(self._rows[begin:end], begin)
        ]


def _plain_rows(
    engine: Engine, text: str, permit: bool | None, number: int | None
) -> list[tuple[int, str, int, Offsets]]:
    """Id, name, word and place of the tokens of a text. The kernel gives its characters, or bytes, by word."""
    _, _, starts, ends, words = _native.encode_words(engine.kernel, [text], permit)
    shown, lost = engine.kernel.encode_spans(text, True, permit)
    raw = dict(lost)
    symbols = [raw.get(place, row[1].encode()) for place, row in enumerate(shown)]
    places = list(zip(starts.tolist(), ends.tolist(), strict=True))
    numbers = words.tolist()
    edges = [at for at in range(len(numbers)) if at == 0 or numbers[at] != numbers[at - 1]]
    found: list[tuple[int, str, int, Offsets]] = []
    for first, last in pairwise([*edges, len(numbers)]):
        word = numbers[first] if number is None else number
        added = engine.plain_added.get(shown[first][0])
        if added is not None:
            taken = text[places[first][0] : places[first][1]]
            form = engine.forms.get(added)
            name = taken if form is None else form
            found.append((added, name, word, places[first]))
            continue
        units = [letters(part) if engine.is_bytes else part.decode() for part in symbols[first:last]]
        found += [
            (id, name, word, _span(places[first:last], units, span))
            for id, name, span in engine.model._segment("".join(units))
        ]
    return found


def _span(places: list[Offsets], units: list[str], span: Offsets) -> Offsets:
    """The place in the text of a range of a pre-token, where each unit of it has a place."""
    at = np.cumsum([0, *map(len, units)])
    first = int(np.searchsorted(at, span[0], "right")) - 1
    last = max(int(np.searchsorted(at, span[1], "left")) - 1, first)
    return places[first][0], places[last][1]


TextSource = KernelSource | PlainSource
