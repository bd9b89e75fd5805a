"""What a call gives for a text: ids, and everything that can be asked about them, computed when it is asked for."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

from .component import dumped
from .parts import Filler, Held, held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .parts import Offsets, Part

__all__ = ["Encoding"]

_FIELDS = ("ids", "type_ids", "tokens", "words", "offsets", "special_tokens_mask", "attention_mask")


class Encoding:
    """The tokens of one text, or of two.

    >>> made = Encoding()
    >>> made.pad(2, pad_id=7)
    >>> made.ids, made.attention_mask, made.tokens
    ([7, 7], [0, 0], ['[PAD]', '[PAD]'])
    """

    __slots__ = ("__weakref__", "_kept", "_overflowing", "_parts", "_ranges")

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._ranges: dict[int, tuple[int, int]] = {}
        self._overflowing: list[Encoding] = []
        self._kept: dict[str, list[Any]] = {}

    @classmethod
    def _of(cls, parts: list[Part], ranges: dict[int, tuple[int, int]] | None = None) -> Encoding:
        made = cls.__new__(cls)
        made._parts = parts
        made._ranges = {} if ranges is None else ranges
        made._overflowing = []
        made._kept = {}
        return made

    def _copy(self) -> Encoding:
        made = Encoding._of(list(self._parts), dict(self._ranges))
        made._overflowing = [one._copy() for one in self._overflowing]
        return made

    def _column(self, read: Callable[[Any], list[Any]]) -> list[Any]:
        parts = self._parts
        if len(parts) == 1:
            return read(parts[0])
        found: list[Any] = []
        for part in parts:
            found += read(part)
        return found

    def _held(self, name: str, read: Callable[[Any], list[Any]]) -> list[Any]:
        """A column that is looked into many times."""
        found = self._kept.get(name)
        if found is None:
            found = self._kept[name] = self._column(read)
        return found

    def __len__(self) -> int:
        return sum([part.size for part in self._parts])

    @property
    def ids(self) -> list[int]:
        """The ids."""
        return self._column(lambda part: part.ids())

    @property
    def type_ids(self) -> list[int]:
        """For each token, which of two texts it belongs to, as the model sees it."""
        return self._column(lambda part: part.type_ids())

    @property
    def tokens(self) -> list[str]:
        """The tokens as strings."""
        return self._column(lambda part: part.tokens())

    @property
    def offsets(self) -> list[Offsets]:
        """For each token its place in the text, in characters."""
        kept = self._kept.get("offsets")
        return self._column(lambda part: part.offsets()) if kept is None else list(kept)

    @property
    def word_ids(self) -> list[int | None]:
        """For each token the number of the word that it is of."""
        kept = self._kept.get("words")
        return self._column(lambda part: part.words()) if kept is None else list(kept)

    @property
    def words(self) -> list[int | None]:
        """The old name of ``word_ids``."""
        warnings.warn("`Encoding.words` is deprecated, use `word_ids`.", DeprecationWarning, stacklevel=2)
        return self.word_ids

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for tokens that are put around a text, 0 for its own."""
        return self._column(lambda part: part.special())

    @property
    def attention_mask(self) -> list[int]:
        """0 for tokens that fill up, 1 for the others."""
        return self._column(lambda part: part.attention())

    @property
    def overflowing(self) -> list[Encoding]:
        """What was cut off, in parts of the same length."""
        return list(self._overflowing)

    @property
    def n_sequences(self) -> int:
        """How many texts these are."""
        return len(self._ranges) or 1

    @property
    def sequence_ids(self) -> list[int | None]:
        """For each token the number of its text."""
        found: list[int | None] = [None] * len(self)
        for number in range(self.n_sequences):
            start, end = self._range(number)
            found[start:end] = [number] * (end - start)
        return found

    def _range(self, sequence: int) -> tuple[int, int]:
        return self._ranges.get(sequence, (0, len(self)))

    def set_sequence_id(self, sequence_id: int) -> None:
        """All tokens belong to the text of this number."""
        self._ranges[sequence_id] = (0, len(self))

    def token_to_sequence(self, token_index: int) -> int | None:
        """The number of the text that a token belongs to."""
        if token_index > len(self):
            return None
        if not self._ranges:
            return 0
        return next((number for number, (start, end) in self._ranges.items() if start <= token_index < end), None)

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """The range of the tokens of a word."""
        start, end = self._range(sequence_index)
        first = last = None
        for place, word in enumerate(self._held("words", lambda part: part.words())[start:end], start):
            if word is not None and word > word_index:
                break
            if word == word_index:
                first, last = (place if first is None else first), place + 1
        return None if first is None or last is None else (first, last)

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> Offsets | None:
        """The place of a word in its text."""
        found = self.word_to_tokens(word_index, sequence_index)
        if found is None:
            return None
        offsets = self._held("offsets", lambda part: part.offsets())
        return offsets[found[0]][0], offsets[found[1] - 1][1]

    def token_to_chars(self, token_index: int) -> Offsets | None:
        """The place of a token in its text."""
        if self.token_to_sequence(token_index) is None or token_index >= len(self):
            return None
        found: Offsets = self._held("offsets", lambda part: part.offsets())[token_index]
        return found

    def token_to_word(self, token_index: int) -> int | None:
        """The number of the word of a token."""
        if self.token_to_sequence(token_index) is None or token_index >= len(self):
            return None
        found: int | None = self._held("words", lambda part: part.words())[token_index]
        return found

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The token that a character is in."""
        start, end = self._range(sequence_index)
        offsets = self._held("offsets", lambda part: part.offsets())[start:end]
        return next((at for at, (first, last) in enumerate(offsets, start) if first <= char_pos < last), None)

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The word that a character is in."""
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.token_to_word(token)

    def pad(
        self,
        length: int,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
    ) -> None:
        """Fill up to a length."""
        if direction not in ("right", "left"):
            raise ValueError(f"Unknown `direction`: `{direction}`. Use one of `left` or `right`")
        for one in self._overflowing:
            one.pad(length, direction, pad_id, pad_type_id, pad_token)
        missing = length - len(self)
        if missing <= 0:
            return
        self._kept = {}
        filler = Filler(missing, pad_id, pad_type_id, pad_token)
        if direction == "right":
            self._parts.append(filler)
        else:
            self._parts.insert(0, filler)
            self._ranges = {key: (start + missing, end + missing) for key, (start, end) in self._ranges.items()}

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Cut to a length; what is cut off stands in ``overflowing``, each part beginning with ``stride`` tokens again."""
        if direction not in ("right", "left"):
            raise ValueError(f"Invalid truncation direction value : {direction}")
        size = len(self)
        if max_length >= size:
            return
        if max_length == 0:
            whole = self._copy()
            self._parts, self._ranges, self._overflowing, self._kept = [], {}, [whole], {}
            return
        if stride >= max_length:
            raise ValueError(f"`stride` must be strictly less than `max_len={max_length}`")
        ranges = _windows(size, max_length, max_length - stride, direction == "left")
        first, *others = [Encoding._of(_cut(self._parts, start, end)) for start, end in ranges]
        self._parts, self._ranges, self._overflowing, self._kept = first._parts, {}, others, {}

    @staticmethod
    def merge(encodings: Sequence[Encoding], growing_offsets: bool = True) -> Encoding:
        """Some encodings as one."""
        return merged(encodings, growing_offsets)

    def __getstate__(self) -> bytes:
        return dumped(self._state())

    def _state(self) -> dict[str, Any]:
        columns = held(self._parts).columns
        return {
            **dict(zip(_FIELDS, columns, strict=True)),
            "overflowing": [one._state() for one in self._overflowing],
            "sequence_ranges": {str(key): {"start": start, "end": end} for key, (start, end) in self._ranges.items()},
        }

    def __setstate__(self, state: bytes) -> None:
        made = _restored(json.loads(state))
        self._parts, self._ranges, self._overflowing = made._parts, made._ranges, made._overflowing
        self._kept = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.__getstate__(),)

    def __repr__(self) -> str:
        names = "ids, type_ids, tokens, offsets, attention_mask, special_tokens_mask, overflowing"
        return f"Encoding(num_tokens={len(self)}, attributes=[{names}])"


def merged(encodings: Iterable[Encoding], growing_offsets: bool) -> Encoding:
    """Some encodings as one; what was cut off of each is combined with all that stands around it."""
    found = Encoding._of([])
    for one in encodings:
        _merge(found, one, growing_offsets)
    return found


def _merge(into: Encoding, other: Encoding, growing: bool) -> None:
    combined = []
    if into._overflowing or other._overflowing:
        for own in into._overflowing:
            for behind in (other, *other._overflowing):
                combined.append(_joined(own, behind, growing))
        combined += [_joined(into, behind, growing) for behind in other._overflowing]
    size = len(into)
    if other._ranges:
        into._ranges |= {key: (start + size, end + size) for key, (start, end) in other._ranges.items()}
    shift = 0
    if growing and size:
        shift = into._column(lambda part: part.offsets())[-1][1]
    into._parts += [part.shifted(shift) for part in other._parts] if shift else other._parts
    into._overflowing = combined
    into._kept = {}


def _joined(first: Encoding, second: Encoding, growing: bool) -> Encoding:
    made = Encoding._of(list(first._parts), dict(first._ranges))
    made._overflowing = list(first._overflowing)
    _merge(made, second, growing)
    return made


def _windows(size: int, length: int, step: int, left: bool) -> list[tuple[int, int]]:
    found = []
    for at in range(0, size, step):
        start, end = (max(size - at - length, 0), size - at) if left else (at, min(at + length, size))
        found.append((start, end))
        if (start == 0) if left else (end == size):
            break
    return found


def _cut(parts: list[Part], start: int, end: int) -> list[Part]:
    found: list[Part] = []
    at = 0
    for part in parts:
        first, last = max(start - at, 0), min(end - at, part.size)
        if first < last:
            found.append(part.cut(first, last))
        at += part.size
    return found


def _restored(state: dict[str, Any]) -> Encoding:
    ids, types, tokens, words, offsets, special, attention = (state[name] for name in _FIELDS)
    places = [(start, end) for start, end in offsets]
    made = Encoding._of([Held((ids, types, tokens, words, places, special, attention))])
    made._ranges = {int(key): (row["start"], row["end"]) for key, row in state["sequence_ranges"].items()}
    made._overflowing = [_restored(one) for one in state["overflowing"]]
    return made


def _unpickled(state: bytes) -> Encoding:
    return _restored(json.loads(state))
