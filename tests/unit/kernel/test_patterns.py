"""The patterns of files, as the kernel's engine runs them, against Python's ``re`` where that is quick."""

from __future__ import annotations

import pytest

import anypiece as ap
from anypiece.reference.patterns import known, stretches

EXPRESSIONS = [
    r"\s+",
    r"\w+|[^\w\s]+",
    r"[\w]+",
    r"\d",
    r"\p{L}+(?=\s)",
    "$",
    "^.",
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    r"\b",
    r"[^\r\n\p{L}\p{N}]?\p{L}+|\s+$",
    r"\p{N}{1,3}",
    r"\W*",
    "[一-龥぀-ゟ゠-ヿ]+",
    r"(?<!\p{L})a{,2}",
    r"\h+|.",
    r"\p{Lu}?\p{Ll}+|\P{L}",
]
TEXTS = [
    "",
    "a",
    "Hello, it's 12345 words\n",
    "\n\na\r\n b\n",
    "²½x³ \u0345a_b",
    "日本語のテキスト 漢字",
    "Ünïcödé Straße ЖЗ\u0301 ",
    "  \t\u3000\u2003x",
    "aaaa baaab",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_matches_are_those_of_re(expression: str) -> None:
    for text in TEXTS:
        assert stretches({"regex": expression}, text) == known(expression, text), text


def test_a_literal_is_no_expression() -> None:
    assert stretches({"literal": "."}, "a.é.") == [(0, 1, False), (1, 2, True), (2, 3, False), (3, 4, True)]


def test_other_languages() -> None:
    assert stretches({"fancy-regex": "[a-z&&[^b]]"}, "ab") == [(0, 1, True), (1, 2, False)]
    assert stretches({"regex-15.1": r"\p{L}"}, "a1") == [(0, 1, True), (1, 2, False)]


def test_refusals_have_codes() -> None:
    for pattern, text, code in [
        ({"regex": r"\X"}, "", "spec-pattern"),
        ({"regex": "(?:a(?=a)|a|aa)*b"}, "a" * 99, "pattern-limit"),
        ({"other": "a"}, "a", "spec-pattern"),
        ({"fancy-regex": r"(?<g>a\g<g>?)"}, "a", "spec-pattern"),
    ]:
        with pytest.raises(ap.AnyPieceError) as caught:
            stretches(pattern, text)
        assert caught.value.code == code
