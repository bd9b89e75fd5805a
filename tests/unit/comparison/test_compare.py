"""Compare: its figures are those that the tokenizers give, and its pages hold what strangers wrote as text."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import anypiece as ap
from anypiece import InputError, Kind
from anypiece.comparison.compare import compare
from anypiece.inspect.html_report import Html, bars, columns, literal, page, section, table
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
    assert html.count('<i style="width') == 2


class Checker(HTMLParser):
    """Every element that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_data(self, data: str) -> None:
        self.text += data


def checked(html: str) -> str:
    checker = Checker()
    checker.feed(html)
    assert checker.open == []
    return checker.text


def test_pages_are_whole_and_hostile_names_are_text() -> None:
    hostile = '<script>alert("x")</script>'
    found = compare(
        {hostile: TOKENIZERS["ranks"], "b": TOKENIZERS["bytes"]}, {hostile: "the cat", "y": "z"}, parallel=True
    )
    html = found.html()
    assert "<script" not in html
    assert hostile in checked(html)
    assert not re.search(r"(src|href)=", html)


def test_parts_of_pages() -> None:
    checked(page("t", "l", section("s", table(["a", "b"], [["x", Html("<b>1</b>")], ["<i>", "2"]], "c", [(0, 1)]))))
    assert section("nothing", "", "") == ""
    assert columns([], "u", "t") == ""
    checked(columns([("1", 5.0), ("2", 0.0)], "pieces", "lengths"))
    checked(bars({"g": {"a": 0.0}}, "u"))
    assert "\\u202e" in literal("\u202eabc")
    assert literal(b"\xe2\x96") == '<span class="piece">\\xe2\\x96</span>'
    assert literal("<b>") == '<span class="piece">&lt;b&gt;</span>'


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
