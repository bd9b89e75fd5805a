"""Small files made to eat the machine: each is refused by a code, or answers within bounded memory and time.

Every file here has less than 200 kB. Without bounds they took gigabytes, minutes, or the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.limits import answers, tokenizer_json

if TYPE_CHECKING:
    from pathlib import Path


def _replace(old: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def _steps(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": list(steps)}


def _rules(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(rules)}


def _decoders(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "decoders": list(steps)}


ENCODING = [
    "tok.normalize('a')",
    "tok.encode('a')",
    "tok.encode_spans('a')",
    "tok.count('a', limit=1)",
    "tok.truncate('a', 1)",
    "list(tok.encode_batch(['a', 'aa'])[0])",
    "stream(tok.stream_encoder(), ['a', 'a'])",
    "tok.encode('a' * 1000)",
    "tok.encode_spans('a' * 1000)",
    "tok.explain('a')",
]
DECODING = [
    "tok.decode([1])",
    "tok.decode_bytes([1])",
    "tok.decode([1] * 1000)",
    "tok.decode_batch([[1], [1, 1]])",
    "stream(tok.stream_decoder(), [1, 1])",
]

_DOUBLE = _replace("a", "aa")
_KILO = _replace("a", "a" * 1000)

_ALONE = {"clean_text": False, "handle_chinese_chars": True, "strip_accents": False, "lowercase": False}
_EXPRESSION = {"type": "Replace", "pattern": {"Regex": "a"}, "content": "aaa"}
_NFKD = {"type": "NFKD"}

GROWING = {
    "doubled forty times": [_DOUBLE] * 40,
    "a thousand of each twice": [_KILO, _KILO],
    "behind a prefix": [{"type": "Prepend", "prepend": "a" * 1000}, _KILO],
    "by a form of Unicode": [_replace("a", "\ufdfa" * 300), _NFKD, _replace(" ", "\ufdfa" * 9), _NFKD],
    "by signs that stand alone": [_replace("a", "中" * 300), *[{"type": "BertNormalizer", **_ALONE}] * 8],
    "by an expression": [_EXPRESSION] * 40,
}


def _files(folder: Path, sections: dict[str, dict[str, Any]]) -> dict[str, Path]:
    return {name: tokenizer_json(folder / f"{at}.json", **sections[name]) for at, name in enumerate(sections)}


def test_a_text_that_would_grow_without_end(tmp_path: Path) -> None:
    sections = {name: {"normalizer": _steps(*GROWING[name])} for name in GROWING}
    for name, found in answers(_files(tmp_path, sections), ENCODING).items():
        assert {call for call, (code, _) in found.items() if code != "stage-limit"} == {"load"}, (name, found)
        assert found["load"][0] == "ok"


WORKING = {
    "forms in turn": {"normalizer": _steps(_KILO, *[{"type": "NFKD"}, {"type": "NFKC"}] * 700)},
    "lower case again and again": {"normalizer": _steps(*[{"type": "Lowercase"}, {"type": "StripAccents"}] * 1500)},
    "expressions and texts": {"normalizer": _steps(*[_replace("a", "b"), _replace("b", "a")] * 2000)},
    "rules over rules": {"pre_tokenizer": _rules(*[{"type": "Digits", "individual_digits": False},
                                                   {"type": "UnicodeScripts"}] * 1000)},
}  # fmt: skip


def test_steps_that_would_take_long(tmp_path: Path) -> None:
    long = "tok.encode_spans('aé' * 10000)"
    calls = ["tok.encode('a' * 3 + 'é')", "tok.encode_spans('a')", "tok.encode('aé' * 10000)", long]
    for name, found in answers(_files(tmp_path, WORKING), calls).items():
        assert {code for code, _ in found.values()} == {"ok", "stage-limit"}, (name, found)
        assert (found["load"][0], found[long][0]) == ("ok", "stage-limit"), name


DECODERS = {
    "doubled forty times": _decoders(*[_DOUBLE] * 40),
    "a thousand of each twice": _decoders(_KILO, _KILO),
    "fused and doubled": _decoders({"type": "Fuse"}, *[_DOUBLE] * 64),
    "the same again and again": _decoders(*[_replace("a", "b"), _replace("b", "a")] * 1500),
}


def test_decoders_that_grow_or_repeat(tmp_path: Path) -> None:
    files = _files(tmp_path, {name: {"decoder": decoder} for name, decoder in DECODERS.items()})
    files["a little"] = tokenizer_json(tmp_path / "little.json", decoder=_decoders(*[_DOUBLE] * 5))
    found = answers(files, DECODING)
    little = found.pop("a little")
    assert little["tok.decode([1])"] == ("ok", "a" * 32)
    assert "".join(little["stream(tok.stream_decoder(), [1, 1])"][1]) == "a" * 64
    for name, rows in found.items():
        assert rows.pop("load")[0] == "ok"
        assert {code for code, _ in rows.values()} == {"stage-limit"}, (name, rows)


def _tokens(count: int, text: str) -> list[dict[str, Any]]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}
    return [{"id": 2 + number, "content": text.format(number), **flags} for number in range(count)]


FORMS = {
    "each to its slack": ({"normalizer": _steps({"type": "Prepend", "prepend": "b" * 1000})}, "json-unsupported"),
    "each beyond it": ({"normalizer": _steps({"type": "Prepend", "prepend": "a"}, _KILO, _KILO)}, "stage-limit"),
    "with much work": ({"normalizer": _steps(_KILO, *[{"type": "NFKD"}, {"type": "NFKC"}] * 500)}, "stage-limit"),
}


def test_added_tokens_whose_forms_are_long(tmp_path: Path) -> None:
    tokens = {"added_tokens": _tokens(1000, "<a{}>")}
    found = answers(_files(tmp_path, {name: tokens | sections for name, (sections, _) in FORMS.items()}), [])
    assert {name: rows["load"][0] for name, rows in found.items()} == {name: code for name, (_, code) in FORMS.items()}


PATTERNS = {
    "long repetitions": [rf"\w{{250}}{'x' * (number % 50)}" for number in range(200)],
    "many short ones": [rf"\p{{L}}x{number}" for number in range(1000)],
    "repeated within": [r"(?:(?:\w{9}){9}){9}"],
    "repeated beyond numbers": [r"(?:(?:(?:a{1000}){1000}){1000}){1000}"],
    "behind a look": [rf"(?<=\w{{99}}){number}" for number in range(50)],
}


def _with_patterns(stage: str, patterns: list[str]) -> dict[str, Any]:
    if stage == "normalizer":
        return _steps(*[{"type": "Replace", "pattern": {"Regex": one}, "content": ""} for one in patterns])
    return _rules(*[_split(one) for one in patterns])


def _split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


@pytest.mark.parametrize("stage", ["normalizer", "pre_tokenizer"])
def test_patterns_that_are_large_together(stage: str, tmp_path: Path) -> None:
    sections = {name: {stage: _with_patterns(stage, patterns)} for name, patterns in PATTERNS.items()}
    for name, found in answers(_files(tmp_path, sections), []).items():
        assert found["load"][0] == "spec-pattern", (name, found)


BACKTRACKING = {
    "(a|a)*b": ("a" * 40, ["ok"]),
    "(a*)*b": ("a" * 40, ["ok", "pattern-limit"]),
    "(?<=a|bc)d": ("abcd", ["ok"]),
    "(?:a(?=a*b)|a)*c": ("a" * 60, ["ok", "pattern-limit"]),
    "(?>a+|b)c": ("aac", ["ok"]),
}


def test_the_reference_runs_patterns_within_bounds(tmp_path: Path) -> None:
    calls = {pattern: [f"tok.explain({text!r}).difference"] for pattern, (text, _) in BACKTRACKING.items()}
    files = _files(tmp_path, {pattern: {"pre_tokenizer": _split(pattern)} for pattern in BACKTRACKING})
    for pattern, found in answers(files, calls).items():
        [(code, difference)] = [answer for call, answer in found.items() if call != "load"]
        assert code in BACKTRACKING[pattern][1], (pattern, found)
        assert code != "ok" or difference is None, (pattern, found)
