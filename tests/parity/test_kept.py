"""Answers that are kept: a library is asked again wherever anything changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from tests.parity import kept
from tests.support.texts import TextSet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Changed:
    """A tokenizer of which one method gives another answer."""

    def __init__(self, tok: ap.Tokenizer, name: str) -> None:
        self.tok, self.name = tok, name

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self.tok, name)
        if name != self.name:
            return method
        if name == "count":
            return lambda *args, **options: method(*args, **options) + 1
        if name == "decode":
            return lambda *args, **options: method(*args, **options) + "!"
        return lambda text, **options: method(text + text, **options)


def test_answers_that_were_equal_are_not_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "CACHE", tmp_path / "cache")
    file = tmp_path / "file"
    file.write_bytes(b"a file")
    asked: list[str] = []

    def found(answers: str, verdict: str | None, release: str = "library 1", text: bytes = b"text") -> str | None:
        def compare() -> str | None:
            asked.append(release)
            return verdict

        place = (release, file, TextSet("texts", lambda: [text]))
        return kept.difference(place, lambda: answers, compare)

    assert found("other", "ids") == "ids"  # a difference is never kept
    assert found("right", None) is None
    assert found("right", "would differ") is None
    assert asked == ["library 1"] * 2
    assert found("wrong", "ids") == "ids"
    assert found("right", None, release="library 2") is None
    assert found("right", None, text=b"other") is None
    file.write_bytes(b"another file")
    assert found("right", None) is None
    assert asked == [*["library 1"] * 3, "library 2", *["library 1"] * 2]


@pytest.mark.parametrize("name", ["encode", "encode_spans", "count", "decode", "encode_batch"])
def test_the_hash_is_of_all_that_is_compared(name: str) -> None:
    tok = ap.load()
    texts = ["Grüße, 世界 <s>".encode(), b" two  spaces"]
    known = kept.digest_of_answers(tok, texts, "replace")
    assert known == kept.digest_of_answers(ap.load(), texts, "replace")
    changed: Any = Changed(tok, name)
    assert kept.digest_of_answers(changed, texts, "replace") != known
