"""Compare: its figures are those that the tokenizers give, and its pages hold what strangers wrote as text."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import anypiece as ap
from anypiece import InputError, Kind
from anypiece.comparison.compare import compare
from anypiece.comparison.measure import Parts, renyi_entropy
from tests.support.html import checked
from tests.support.small_vocabularies import BYTES, RANKS, UNIGRAM

TOKENIZERS = {"unigram": ap.Tokenizer(UNIGRAM), "ranks": ap.Tokenizer(RANKS), "bytes": ap.Tokenizer(BYTES)}
TEXTS = {"en": "the cat sat on the mat", "ja": "猫が座る 🦊", "mixed": "a\n\nb é"}


def test_figures_are_those_of_encode() -> None:
    found = compare(TOKENIZERS, TEXTS)
    assert found.tokenizers == list(TOKENIZERS)
    assert found.texts == list(TEXTS)
    for row in found.rows:
        tok, text = TOKENIZERS[row.tokenizer], TEXTS[row.text]
        ids = tok.encode(text)
        assert (row.tokens, row.bytes, row.characters) == (len(ids), len(text.encode()), len(text))
        assert row.words == len(text.split())
        assert row.bytes_per_token == pytest.approx(len(text.encode()) / len(ids))
        assert row.tokens_per_word == pytest.approx(len(ids) / len(text.split()))
        assert row.unknown == sum(tok.kind(id) == Kind.UNKNOWN for id in ids)


LINES = "".join(f"the cat sat on {'x' * (n % 7)} mat {'猫' * (n % 3)}\n" for n in range(60))


def test_what_comes_back_and_what_is_used() -> None:
    found = compare(TOKENIZERS, {"lines": LINES})
    for row in found.rows:
        tok = TOKENIZERS[row.tokenizer]
        ids = tok.encode(LINES)
        lines = LINES.splitlines(keepends=True)
        assert (row.lines, row.used, row.vocab_size) == (60, len(set(ids)), tok.vocab_size)
        assert row.returned == sum(tok.decode(tok.encode(line[:-1])) == line[:-1] for line in lines)
        shares = [ids.count(id) / len(ids) for id in set(ids)]
        entropy = math.log(sum(share**2.5 for share in shares)) / (1 - 2.5)
        assert row.renyi == pytest.approx(entropy)
        assert row.renyi_efficiency == pytest.approx(entropy / math.log(tok.vocab_size))
    assert found.row("ranks", "lines").returned == 60
    assert found.row("unigram", "lines").returned < 60


def test_the_entropy_of_pieces_that_are_used_alike_is_the_highest() -> None:
    assert renyi_entropy(np.full(8, 3)) == pytest.approx(math.log(8))
    assert renyi_entropy(np.array([7, 0])) == 0
    assert renyi_entropy(np.zeros(4, np.int64)) == 0
    assert renyi_entropy(np.array([9, 1])) < renyi_entropy(np.array([5, 5]))


def test_intervals_are_those_of_texts_drawn_from_the_lines() -> None:
    row = compare(TOKENIZERS, {"lines": LINES}).row("ranks", "lines")
    tok, rng = TOKENIZERS["ranks"], np.random.default_rng(1)
    lines = LINES.splitlines(keepends=True)
    sizes = np.array([len(line.encode()) for line in lines])
    counts = np.array([len(tok.encode(line)) for line in lines])
    drawn = rng.integers(0, len(lines), (4000, len(lines)))
    low, high = np.quantile(sizes[drawn].sum(axis=1) / counts[drawn].sum(axis=1), [0.025, 0.975])
    assert row.interval is not None
    assert row.interval[0] < row.bytes_per_token < row.interval[1]
    assert row.interval == pytest.approx((low, high), rel=0.02)


def test_few_lines_have_no_interval() -> None:
    assert compare(TOKENIZERS, TEXTS).row("ranks", "en").interval is None
    facts = compare(TOKENIZERS, {"few": "a\n" * 19, "enough": "a\n" * 20}).facts()
    assert [row["low"] is None for row in facts] == [True] * 3 + [False] * 3
    assert [row["low"] for row in facts[3:]] == [row["high"] for row in facts[3:]]


def test_lines_are_drawn_in_groups_where_they_are_many() -> None:
    parts = Parts("ab\n" * 2500 + "c")
    assert (len(parts.lines), len(parts.groups), parts.sizes.sum()) == (2501, 1000, 7501)
    assert parts.draws.shape == (1000, 1000)
    again = Parts("ab\n" * 2500 + "c")
    assert (parts.draws == again.draws).all()


def test_the_page_has_intervals_and_the_new_figures() -> None:
    html = compare(TOKENIZERS, {"lines": LINES}).html()
    said = checked(html)
    for word in ("Rényi efficiency", "Pieces in use", "Lines that decode to themselves", "intervals of 95%"):
        assert word in said
    assert html.count('class="whisker"') == 3 * 2
    assert 'class="whisker"' not in compare(TOKENIZERS, TEXTS).html()


def test_partial_tokens_are_bytes_of_characters() -> None:
    found = compare(TOKENIZERS, {"ascii": "the cat", "fox": "🦊"})
    assert found.row("bytes", "fox").partial == 4
    assert found.row("ranks", "fox").partial == 4
    assert found.row("ranks", "ascii").partial == 0


def test_parity_is_beside_the_first_text() -> None:
    found = compare(TOKENIZERS, TEXTS, parallel=True)
    tok = TOKENIZERS["ranks"]
    assert found.parity("ranks", "en") == 1.0
    assert found.parity("ranks", "ja") == len(tok.encode(TEXTS["ja"])) / len(tok.encode(TEXTS["en"]))
    assert "parity" in found.facts()[0]
    assert "parity" not in compare(TOKENIZERS, TEXTS).facts()[0]


def test_files_have_names_and_limits(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("ab é\n" * 100)
    tok = tmp_path / "tok.model"
    TOKENIZERS["unigram"].save(tok)
    found = compare([tok, TOKENIZERS["ranks"]], [path, "text"], limit=13)
    assert found.tokenizers == ["tok.model", "tokenizer 2"]
    assert found.texts == ["a.txt", "text 2"]
    assert found.row("tok.model", "a.txt").bytes == 13


def test_what_loses_text_is_not_the_best() -> None:
    found = compare(TOKENIZERS, {"ja": "猫が座る" * 10})
    assert found.row("unigram", "ja").loses
    html = found.html()
    assert f"({found.row('unigram', 'ja').bytes_per_token:.3f})" in html
    assert html.count("<rect") == 2


def test_pages_are_whole_and_hostile_names_are_text() -> None:
    hostile = '<script>alert("x")</script>'
    found = compare(
        {hostile: TOKENIZERS["ranks"], "b": TOKENIZERS["bytes"]}, {hostile: "the cat", "y": "z"}, parallel=True
    )
    html = found.html()
    assert "<script" not in html
    assert hostile in checked(html)
    assert not re.search(r"(src|href)=", html)


def test_it_is_saved_by_suffix(tmp_path: Path) -> None:
    found = compare(TOKENIZERS, TEXTS)
    for suffix in ("html", "json", "csv"):
        found.save(tmp_path / f"out.{suffix}")
    rows = json.loads((tmp_path / "out.json").read_text())
    assert rows == json.loads(json.dumps(found.facts()))
    read = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert [row["tokens"] for row in read] == [str(row["tokens"]) for row in rows]
    with pytest.raises(InputError, match=r"should end in \.html"):
        found.save(tmp_path / "out.pdf")


def test_a_picture(tmp_path: Path) -> None:
    compare(TOKENIZERS, {"en": "the cat", "de": "die Katze"}).save(tmp_path / "out.png")
    data = (tmp_path / "out.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20], "big") > 500


def test_a_picture_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"anypiece\[plots\]"):
        compare(TOKENIZERS, TEXTS).png()


def test_nothing_to_compare() -> None:
    with pytest.raises(InputError, match="at least one"):
        compare({}, TEXTS)
    with pytest.raises(InputError, match="empty"):
        compare(TOKENIZERS, {"a": ""})
