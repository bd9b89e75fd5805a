"""Texts too long for the memory allowed: cut where no word is, with the same words, or refused by name."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from anypiece.training import count_words
from anypiece.training.long_texts import LongTexts

if TYPE_CHECKING:
    from pathlib import Path

WORDS = "the cat, can't see 12 dogs  caf\u00e9 \u4e2d\u6587 \uff21\uff22 fi\u0301n A user def  x"
LINE = " ".join(f"{WORDS}{number}" for number in range(2_000))
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("unigram", {}),
    ("unigram", {"add_dummy_prefix": False, "remove_extra_whitespaces": False}),
    ("unigram", {"remove_extra_whitespaces": False}),
    ("unigram", {"treat_whitespace_as_suffix": True}),
    ("unigram", {"user_defined_symbols": ["user def", "see 1"]}),
    ("unigram", {"normalization_rule_name": "identity"}),
    ("bpe", {}),
    ("byte-bpe", {}),
]


@pytest.fixture
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anypiece.training.long_texts._LEAST", 20_000)
    monkeypatch.setattr("anypiece.training.long_texts._SHARE", 10**9)
    monkeypatch.setattr("anypiece.corpus.readers._PART", 10_000)


def rows(corpus: Any, kind: str, **options: Any) -> tuple[list[tuple[bytes, int]], dict[str, Any]]:
    found = count_words(corpus, kind, **options)
    return list(found.items()), found.facts


@pytest.mark.usefixtures("_short")
@pytest.mark.parametrize(("kind", "options"), SETTINGS)
def test_the_same_words(kind: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.txt"
    path.write_text(f"first line\n{LINE}\nlast line", encoding="utf-8")
    cuts: list[bytes] = []
    cut = LongTexts.cut

    def noted(self: LongTexts, data: bytes, source: str, line: int) -> tuple[bytes, bytes]:
        found = cut(self, data, source, line)
        cuts.append(found[0])
        return found

    monkeypatch.setattr(LongTexts, "cut", noted)
    assert rows(path, kind, max_memory="4GB", **options) == rows(path, kind, **options)
    assert len(cuts) > 3
    texts = ["one", LINE]
    assert rows(texts, kind, max_memory="4GB", **options) == rows(texts, kind, **options)


@pytest.mark.usefixtures("_short")
@pytest.mark.parametrize(
    ("name", "content", "kind", "options"),
    [
        ("a.txt", LINE, "bytepiece", {}),
        ("a.jsonl", json.dumps({"text": "one"}) + "\n" + json.dumps({"text": "a" * 2_000_000}), "unigram", {}),
        ("a.txt", "one\n" + "\u3042" * 100_000, "unigram", {}),
        ("a.txt", LINE, "unigram", {"add_dummy_prefix": False}),
        ("a.txt", LINE, "unigram", {"whole": True}),
        ("a.txt", LINE, "unigram", {"input_sentence_size": 3}),
    ],
)
def test_what_cannot_be_cut(name: str, content: str, kind: str, options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ap.AnyPieceError, match=rf"{name}:\d+ is a text of") as caught:
        count_words(path, kind, max_memory="4GB", **options)
    assert caught.value.code == "train-memory"
    count_words(path, kind, **options)


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_the_limit_holds_for_a_long_line(tmp_path: Path) -> None:
    path, limit = tmp_path / "long.txt", 110_000_000
    with open(path, "w", encoding="utf-8") as file:
        for number in range(40):
            file.write(f"the cat sees {number} dogs and words " * 32_000)
    assert path.stat().st_size > 38_000_000
    code = (
        "import re, sys; from anypiece.training import count_words;"
        f"count_words(sys.argv[1], 'unigram', max_memory={limit}, threads=1);"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=True, text=True)
    assert int(done.stdout) * 1024 < limit
