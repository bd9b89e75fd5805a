"""What calls are given: texts, pairs of texts, and words of texts, as lists, tuples or arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["Inputs", "batch_inputs", "check_texts", "one_input"]

_TEXT = "TextInputSequence must be str"
_WORDS = "PreTokenizedInputSequence must be Union[List[str], Tuple[str]]"
_ENCODE_TEXT = "TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]"
_ENCODE_WORDS = (
    "PreTokenizedEncodeInput must be Union[PreTokenizedInputSequence, "
    "Tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]]"
)


class Inputs(NamedTuple):
    """All texts concatenated; each row has one or two sequences of a number of texts."""

    texts: list[str]
    rows: list[tuple[int, ...]]
    """How many texts each sequence of each row has."""
    words: bool
    """Whether texts are words."""

    def numbers(self) -> Any:
        """For each text its number in its sequence, where texts are words."""
        if not self.words:
            return None
        return np.array([number for row in self.rows for size in row for number in range(size)], np.int64)


def one_input(sequence: Any, pair: Any, words: bool) -> Inputs:
    """One text, or a pair."""
    parts = [_words(part) if words else [_text(part)] for part in ((sequence,) if pair is None else (sequence, pair))]
    return Inputs([text for part in parts for text in part], [tuple(len(part) for part in parts)], words)


def batch_inputs(batch: Any, words: bool) -> Inputs:
    """Many texts or pairs."""
    if isinstance(batch, str):
        raise TypeError("Can't extract `str` to `Vec`")
    if isinstance(batch, np.ndarray):
        batch = batch.tolist()
    if not isinstance(batch, (list, tuple)):
        if not hasattr(batch, "__getitem__") or not hasattr(batch, "__len__"):
            raise TypeError(f"'{type(batch).__name__}' object is not an instance of 'Sequence'")
        batch = list(batch)
    if not words and all(type(row) is str for row in batch):
        return Inputs(list(batch), [(1,)] * len(batch), False)
    texts: list[str] = []
    rows: list[tuple[int, ...]] = []
    for row in batch:
        parts = _word_row(row) if words else _text_row(row)
        for part in parts:
            texts += part
        rows.append(tuple(map(len, parts)))
    return Inputs(texts, rows, words)


def _text_row(row: Any) -> list[list[str]]:
    if isinstance(row, str):
        return [[row]]
    if isinstance(row, np.ndarray):
        row = row.tolist()
    if isinstance(row, (list, tuple)) and len(row) == 2 and all(isinstance(text, str) for text in row):
        return [[str(row[0])], [str(row[1])]]
    raise TypeError(_ENCODE_TEXT)


def _word_row(row: Any) -> list[list[str]]:
    if isinstance(row, np.ndarray):
        row = row.tolist()
    if isinstance(row, (list, tuple)):
        if all(isinstance(word, str) for word in row):
            return [list(row)]
        if len(row) == 2:
            return [_words(part, _ENCODE_WORDS) for part in row]
    raise TypeError(_ENCODE_WORDS)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(_TEXT)
    return value


def _words(value: Any, message: str = _WORDS) -> list[str]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (list, tuple)) or not all(isinstance(word, str) for word in value):
        raise TypeError(message)
    return list(value)


def check_texts(texts: list[str]) -> None:
    """Refuse what is no text, a lone surrogate included."""
    for text in texts:
        try:
            if isinstance(text, str):
                text.encode()
                continue
        except UnicodeEncodeError:
            pass
        raise TypeError("TextInputSequence must be str")
