"""Every case of ``tests/cases`` through every implementation: the reference and the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

from anypiece import Tokenizer
from anypiece.reference import ReferenceTokenizer
from tests.support.cases import Case, all_cases, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from anypiece.spec import Spec


class Kernel(Tokenizer):
    """The tokenizer itself, asked for spans as the reference is."""

    __slots__ = ()

    def encode_spans(self, text: str | bytes, *, chars: bool = False) -> list[Any]:  # type: ignore[override]
        return super().encode_spans(text, unit="char" if chars else "byte")


class Implementation(Protocol):
    """What a case asks for. Tokens are (id, piece, start, end)."""

    def encode(self, text: str | bytes) -> list[int]: ...
    def encode_spans(self, text: str | bytes, *, chars: bool = False) -> Iterable[tuple[int, str, int, int]]: ...
    def normalize(self, text: str | bytes) -> str: ...
    def decode(self, ids: list[int]) -> str: ...


IMPLEMENTATIONS: list[Callable[[Spec], Implementation]] = [ReferenceTokenizer, Kernel]

CASES = all_cases()
matrix = [
    pytest.mark.parametrize("make", IMPLEMENTATIONS),
    pytest.mark.parametrize("case", CASES, ids=lambda c: c.name),
]


def over_matrix(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test for every case and implementation."""
    for mark in matrix:
        test = mark(test)
    return test


def test_there_are_cases() -> None:
    assert len(CASES) > 60
    assert sum(len(case.texts) + len(case.decodes) for case in CASES) > 1200


@over_matrix
def test_encode(case: Case, make: Callable[[Spec], Implementation]) -> None:
    tokenizer = make(case.spec)
    for row in case.texts:
        assert tokenizer.encode(text_of(row)) == row["ids"], row


@over_matrix
def test_spans(case: Case, make: Callable[[Spec], Implementation]) -> None:
    tokenizer = make(case.spec)
    for row in case.texts:
        if "spans" in row:
            check_spans(tokenizer, row, raw_of(row), chars=False, expected=row["spans"])
        if "char_spans" in row:
            check_spans(tokenizer, row, text_of(row), chars=True, expected=row["char_spans"])


def raw_of(row: dict[str, Any]) -> bytes:
    text = text_of(row)
    return text if isinstance(text, bytes) else text.encode()


def check_spans(
    tokenizer: Implementation, row: dict[str, Any], text: str | bytes, *, chars: bool, expected: list[list[int]]
) -> None:
    tokens = list(tokenizer.encode_spans(text, chars=chars))
    assert [token[0] for token in tokens] == row["ids"], row
    assert [token[1] for token in tokens] == row["pieces"], row
    assert [[token[2], token[3]] for token in tokens] == expected, row


@over_matrix
def test_normalize(case: Case, make: Callable[[Spec], Implementation]) -> None:
    tokenizer = make(case.spec)
    for row in case.texts:
        assert "normalized" not in row or tokenizer.normalize(text_of(row)) == row["normalized"], row


@over_matrix
def test_decode(case: Case, make: Callable[[Spec], Implementation]) -> None:
    tokenizer = make(case.spec)
    for row in case.texts:
        assert "decoded" not in row or tokenizer.decode(row["ids"]) == row["decoded"], row
    for row in case.decodes:
        assert tokenizer.decode(row["ids"]) == row["text"], row
