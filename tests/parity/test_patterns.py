"""Patterns of the caller's against tiktoken with the same pattern: ids, decoded text, places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from anypiece.formats.tiktoken.definitions import DEFINITIONS
from tests.parity.ranks import first_difference, valid
from tests.parity.tiktoken_reference import Reference
from tests.support import data
from tests.support.texts import adversarial_texts, sampled_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATTERNS = {
    "kimi": DEFINITIONS["kimi_k2"].pattern,
    "words": r"\p{L}+(?:[-'’]\p{L}+)*|\p{Nd}{1,2}|\p{Sc}?\d+|[^\s\p{L}\d]+|\s+",
    "holes": r"(?i)[a-z]+|\p{Script=Cyrillic}{2,}|[\p{L}--[a-zа-я]]|(?<=\d)\.|\d",
    "lines": r"(?m)^[^\n]*$\n?|\n",
    "looks": r"(?<!\w)\w{1,4}(?=\w)|\w+\b|\W",
}
SPECIALS = {"<|end|>": 100300, "<|more|>": 100301}


@pytest.fixture(scope="module")
def reference() -> Iterator[Reference]:
    worker = Reference()
    yield worker
    worker.close()


@pytest.mark.parametrize("name", PATTERNS)
def test_same_ids(name: str, reference: Reference, tmp_path: Path) -> None:
    pattern = PATTERNS[name]
    assert pattern is not None
    path = tmp_path / "ranks"
    path.write_bytes(data.rank_file("cl100k_base"))
    reference.open_with(path.read_bytes(), pattern, SPECIALS)
    tok = ap.load(path, pattern=pattern)
    texts = valid([line for corpus in data.corpus_names() for line in sampled_lines(corpus, 20)])
    texts += valid(adversarial_texts([tok.id_to_bytes(id) for id in range(0, 100_000, 97)], f"pattern {name}", 300))
    texts += [
        text.encode() for text in ("a\n\nb\n", "1.5.x", "ÀÉ don't", "中文English混合 12345", "\u2028é\r\n", "Ⅷ½²³")
    ]
    assert len(texts) > 1000
    answers = reference.ordinary(texts)
    if all(decoded == text for decoded, text in zip(answers.decoded, texts, strict=True)):
        assert first_difference(tok, texts, answers, "text") is None
        return
    # Where text is left out, tiktoken's places are those in what is decoded.
    assert name == "holes"
    batch = tok.encode_batch([text.decode() for text in texts])
    assert batch.ids.tolist() == answers.ids.tolist()
    assert [tok.decode(batch[index]).encode() for index in range(len(texts))] == answers.decoded
