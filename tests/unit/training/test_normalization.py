"""Rules of normalization: the compiler of maps against a dictionary, and the reader of TSV files."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece.formats import sentencepiece as model_format
from anypiece.reference import ReferenceTokenizer
from anypiece.reference.charsmap import CharsMap
from anypiece.training.charsmap import rows_of
from anypiece.training.normalization import RULES, charsmap_of, compiled_rules, named_rules, read_rules
from tests.support.normalization import only_mapped

LETTERS = "abcé日\u0301𝐚"


def replaced(rules: dict[str, str], text: str) -> str:
    """The definition: the longest key at each place, or the character itself."""
    out, at = "", 0
    while at < len(text):
        key = max((key for key in rules if text.startswith(key, at)), key=len, default=text[at])
        out, at = out + rules.get(key, key), at + len(key)
    return out


def all_readers(rules: dict[str, str], text: str) -> set[str]:
    spec = only_mapped(compiled_rules(rules))
    loaded = sentencepiece.SentencePieceProcessor(model_proto=model_format.write(spec))
    return {ap.Tokenizer(spec).normalize(text), ReferenceTokenizer(spec).normalize(text), loaded.normalize(text)}


@pytest.mark.parametrize(
    ("rules", "text", "expected"),
    [
        ({"a": "x"}, "banana", "bxnxnx"),
        ({"a": "x", "ab": "y", "abc": "z"}, "abcabac", "zyxc"),
        ({"ab": "y", "abcd": "z"}, "abcab", "ycy"),
        ({"a": ""}, "banana", "bnn"),
        ({"a": "", "b": "", "": "x"} | {"c": "c"}, "", ""),
        ({"日本": "JP", "日": "J"}, "日本日", "JPJ"),
        ({"e\u0301": "é"}, "e\u0301e", "ée"),
        ({"\U0010ffff": "end"}, "\U0010ffff\U0010fffe", "end\U0010fffe"),
        ({"\x01": " "}, "\x01\x02\x00\x01", " \x02\x00 "),
        ({"a" * 31: "x"}, "a" * 64, "xxaa"),
        ({"a" * length: str(length) for length in range(1, 32)}, "a" * 64, "31312"),
    ],
)
def test_longest_match(rules: dict[str, str], text: str, expected: str) -> None:
    rules = {key: target for key, target in rules.items() if key}
    assert replaced(rules, text) == expected
    assert all_readers(rules, text) == {expected}


some_rules = st.dictionaries(
    st.text(LETTERS, min_size=1, max_size=5), st.text("xyé日 ", max_size=3), min_size=1, max_size=60
)


@given(some_rules, st.lists(st.text(LETTERS + "\0z", max_size=12), max_size=4), st.randoms(use_true_random=False))
def test_any_rules(rules: dict[str, str], texts: list[str], rng: random.Random) -> None:
    blob = compiled_rules(rules)
    assert rows_of(blob) == rules
    shuffled = list(rules.items()) * 2
    rng.shuffle(shuffled)
    assert compiled_rules(shuffled) == blob
    tokenizer, charsmap = ap.Tokenizer(only_mapped(blob)), CharsMap(blob)
    for text in [*texts, *rules]:
        assert tokenizer.normalize(text) == replaced(rules, text)
    for key, target in rules.items():
        assert charsmap.longest(key.encode(), 0) == (len(key.encode()), target.encode())


def test_many_rules() -> None:
    """Many blocks, of keys that share ends and of keys that do not."""
    rng = random.Random(7)
    rules = {
        "".join(chr(rng.randrange(1, 0xD800)) for _ in range(rng.randrange(1, 4))): rng.choice(("", "x", "yy", "é日"))
        for _ in range(30_000)
    }
    blob = compiled_rules(rules)
    assert rows_of(blob) == rules
    spec = only_mapped(blob)
    loaded = sentencepiece.SentencePieceProcessor(model_proto=model_format.write(spec))
    text = "".join(list(rules)[:5000])
    assert ap.Tokenizer(spec).normalize(text) == loaded.normalize(text)
    size = int.from_bytes(blob[:4], "little")
    nodes = {prefix for key in rules for prefix in (key.encode()[:end] for end in range(len(key.encode()) + 1))}
    assert size % 1024 == 0
    assert size < 4 * len(nodes)


def test_equal_ends_are_kept_once() -> None:
    ends = {f"{a}{b}": f"{b}!" for a in "abcdefgh" for b in "日本語中文字"}
    size = int.from_bytes(compiled_rules(ends)[:4], "little")
    assert size == 1024


def test_a_long_key_needs_no_stack() -> None:
    key = "ab" * 100_000
    blob = compiled_rules({key: "x"})
    assert CharsMap(blob).longest(key.encode(), 0) == (200_000, b"x")
    assert ap.Tokenizer(only_mapped(blob)).normalize(key + "c") == "xc"


def test_no_rules() -> None:
    assert compiled_rules({}) == charsmap_of("identity") == charsmap_of(None) == b""
    assert named_rules("identity") == {}


@pytest.mark.parametrize(
    ("rules", "code", "facts"),
    [
        ([("a", "b"), ("", "x")], "rule-invalid", {"row": 1}),
        ([("a\0", "b")], "rule-invalid", {"row": 0}),
        ([("a", "b\0")], "rule-invalid", {"row": 0}),
        ([("b", "x"), ("a", "x"), ("b", "y")], "rule-invalid", {"row": 2, "other": 0}),
        ([("a\ud800", "b")], "rule-invalid", {"rule": "a\ud800"}),
        ([("a" * length, "") for length in range(1, 33)], "rule-limit", {"limit": 31}),
    ],
)
def test_rules_that_cannot_be(rules: list[tuple[str, str]], code: str, facts: dict[str, object]) -> None:
    with pytest.raises(ap.InputError) as caught:
        compiled_rules(rules)
    assert (caught.value.code, caught.value.facts) == (code, facts)


def test_the_same_rule_twice_is_one() -> None:
    assert compiled_rules([("a", "b"), ("a", "b")]) == compiled_rules({"a": "b"})


def test_more_units_than_a_map_can_have() -> None:
    rng = np.random.default_rng(3)
    texts = rng.integers(97, 123, (120_000, 24), np.uint8)
    with pytest.raises(ap.InputError) as caught:
        compiled_rules((row.tobytes().decode(), str(number)) for number, row in enumerate(texts))
    assert caught.value.code == "rule-limit"
    assert caught.value.facts["limit"] == 1 << 21


def test_named_rules() -> None:
    assert charsmap_of() is charsmap_of("nmt_nfkc")
    tokenizers = {rule: ap.Tokenizer(only_mapped(charsmap_of(rule))) for rule in RULES}
    text = "Ａ\t～ⅣﾃﾞE\u0301"
    assert {rule: tokenizer.normalize(text) for rule, tokenizer in tokenizers.items()} == {
        "identity": text,
        "nfkc": "A\t~IVデÉ",
        "nfkc_cf": "a\t~ivデé",
        "nmt_nfkc": "A ～IVデÉ",
        "nmt_nfkc_cf": "a ～ivデé",
    }


@pytest.mark.parametrize("rule", ["nfd", "NFKC", "", 5])
def test_an_unknown_name(rule: str) -> None:
    with pytest.raises(ap.InputError) as caught:
        charsmap_of(rule)
    assert caught.value.code == "argument-value"
    assert all(name in str(caught.value) for name in RULES)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", {}),
        (b"0041\t0061\n", {"A": "a"}),
        (b"41\t61 0062\r\n\r\n43\t\r\n", {"A": "ab", "C": ""}),
        (b"\xef\xbb\xbfU+0041 U+1F600\t0x61\n42", {"A\U0001f600": "a", "B": ""}),
        (b"41\t61\t# \x85 \xff anything\t x\n41\t61", {"A": "a"}),
        (b"41  42 \t 61\n", {"AB": "a"}),
    ],
)
def test_tsv(data: bytes, expected: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_bytes(data)
    assert read_rules(path) == expected
    assert charsmap_of(tsv=path) == charsmap_of("nfkc", path) == compiled_rules(expected)


@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        (b"41\t61\n\t62\n", 2, "no source"),
        (b"41\t61\n\nG1\t62\n", 3, "'G1'"),
        (b"41\t6\xb9\n", 1, "not a code point"),
        (b"# a remark\n", 1, "'#'"),
        (b"0\t61\n", 1, "0 is no character"),
        (b"41\tD800\n", 1, "D800 is no character"),
        (b"110000\t61\n", 1, "110000 is no character"),
        (b"FFFFFFFFF\t61\n", 1, "not a code point"),
        (b"41,42\t61\n", 1, "'41,42'"),
        (b"41\t61\n42\t62\n41\t63\n", 3, "line 1 has another target"),
    ],
)
def test_tsv_that_is_wrong(data: bytes, line: int, what: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_bytes(data)
    with pytest.raises(ap.FormatError) as caught:
        charsmap_of(tsv=path)
    assert caught.value.code == "rule-file"
    assert caught.value.facts == {"path": str(path), "line": line}
    assert f"{path}, line {line}: " in str(caught.value)
    assert what in str(caught.value)


def test_a_missing_or_huge_tsv(tmp_path: Path) -> None:
    with pytest.raises(ap.FileError) as caught:
        charsmap_of(tsv=tmp_path / "missing.tsv")
    assert caught.value.code == "file-unreadable"
    path = tmp_path / "huge.tsv"
    with path.open("wb") as file:
        file.truncate((1 << 26) + 1)
    with pytest.raises(ap.FormatError) as huge:
        charsmap_of(tsv=path)
    assert huge.value.code == "rule-file"


def test_maps_are_kept_for_all_names() -> None:
    kept = {path.name for path in (Path(ap.__file__).parent / "data").glob("*.charsmap.xz")}
    assert kept == {f"{rule}.charsmap.xz" for rule in RULES if rule != "identity"}


@pytest.mark.parametrize("rule", ["nmt_nfkc", "nfkc_cf"])
def test_the_map_that_is_kept_is_the_compiled_one(rule: str) -> None:
    rows = named_rules(rule)
    assert compiled_rules(rows) == charsmap_of(rule), "run: python -m scripts.normalization_maps"
    assert list(rows) == sorted(rows)
