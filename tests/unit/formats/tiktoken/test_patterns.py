"""Rank files with a pattern of the caller's: known ones are splitters, others are run, and only matches are text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from anypiece.errors import FormatError, InputError
from anypiece.formats import tiktoken
from anypiece.formats.tiktoken.definitions import DEFINITIONS, SPLITTERS
from anypiece.reference import ReferenceTokenizer
from anypiece.reference.split import chunks
from tests.support.small_files import rank_file

if TYPE_CHECKING:
    from pathlib import Path

PIECES = [*[bytes([byte]) for byte in range(256)], b"ab", b"abc", b" ab", b"  ", "汉字".encode()]
FILE = rank_file(PIECES)
KIMI = DEFINITIONS["kimi_k2"].pattern or ""


def tok_of(pattern: str) -> ap.Tokenizer:
    return ap.Tokenizer(tiktoken.read(FILE, pattern=pattern, specials={"<|end|>": 300})[0])


def pieces(tok: ap.Tokenizer, text: str) -> list[bytes]:
    return [tok.id_to_bytes(id) for id in tok.encode(text)]


def test_what_lies_between_matches_is_left_out() -> None:
    tok = tok_of("[a-z]+|[0-9]")
    assert pieces(tok, "abc, ab 12") == [b"abc", b"ab", b"1", b"2"]
    assert [(token.start, token.end) for token in tok.encode_spans("é abc")] == [(2, 5)]
    assert tok.encode("a<|end|>b", specials="parse") == [97, 300, 98]
    assert tok.encode("!!") == []


@pytest.mark.parametrize(("pattern", "name"), SPLITTERS.items())
def test_known_patterns_are_splitters(pattern: str, name: str) -> None:
    spec, _ = tiktoken.read(FILE, pattern=pattern)
    assert (spec.splitter, spec.split_rules) == (name, ())
    rule = {"type": "split", "pattern": {"fancy-regex": pattern}, "behavior": "removed", "invert": True}
    run = ap.Tokenizer(spec.replace(splitter=None, split_rules=(rule,)))
    scanned = ap.Tokenizer(spec)
    for text in [
        "Hello  world, it's 2024\n",
        " \n\n x",
        "don\u017ft DON'T 3.14159 ½",
        "ABC中DEF ",
        "a\r\n\t ",
        "HelloWorld/\n",
    ]:
        assert run.encode(text) == scanned.encode(text), text
        assert [bytes(chunk).decode() for chunk, _, _ in run._kernel.chunks(text, True)] == chunks(name, text)


def test_kimi_has_chinese_apart() -> None:
    tok = tok_of(KIMI)
    found = [chunk.decode() for chunk, _, _ in tok._kernel.chunks("中文English混合, don't 12345 XMLHttp", True)]
    assert found == ["中文", "English", "混合", ",", " don't", " ", "123", "45", " XMLHttp"]


@pytest.mark.parametrize("pattern", [KIMI, r"\p{L}+|\s+$|[^\p{L}]", "^ab|a|b|c", r"[a-z&&[^b]]+|b+|\s"])
def test_as_the_reference_says(pattern: str) -> None:
    tok = tok_of(pattern)
    for text in ["abc ab\nab", "汉字abc'S 汉", "  ab  ", "A\u0301b12345汉1 ", "", "\n", "ab\n\n"]:
        assert tok.encode(text) == ReferenceTokenizer(tok.spec).encode(text), text
        assert tok.explain(text).difference is None


def test_there_and_back(tmp_path: Path) -> None:
    tok = tok_of("[a-z]+|.")
    tok.save(tmp_path / "it.tiktoken", format="tiktoken")
    assert (tmp_path / "it.tiktoken").read_bytes() == FILE
    again = ap.load(tmp_path / "it.tiktoken", **tiktoken.reading_options(tok.spec))
    assert again == tok
    tok.save(tmp_path / "it.anypiece")
    assert ap.load(tmp_path / "it.anypiece").encode("abc, ab") == tok.encode("abc, ab")
    with pytest.raises(FormatError) as caught:
        tok.save(tmp_path / "it.json", format="huggingface")
    assert caught.value.code == "format-unwritable"


@pytest.mark.parametrize("pattern", ["(a", "[", "a" * 70_000, r"\p{Nothing}", "(" * 5000, "(?:a{1000}){1000}"])
def test_patterns_that_cannot_be_run(pattern: str) -> None:
    with pytest.raises(ap.SpecError) as caught:
        tok_of(pattern)
    assert caught.value.code == "spec-pattern"


def test_a_pattern_and_a_splitter() -> None:
    with pytest.raises(InputError) as caught:
        tiktoken.read(FILE, pattern="a", splitter="gpt2")
    assert caught.value.code == "argument-value"


def test_a_pattern_that_takes_too_many_steps() -> None:
    with pytest.raises(ap.AnyPieceError) as caught:
        tok_of(r"(?:a(?=a)|a|aa)*b").encode("a" * 99)
    assert caught.value.code == "pattern-limit"


@pytest.mark.parametrize("pattern", ["a+b|a", "(?:aa)*b|a", r"\w+;|\w"])
def test_a_pattern_that_looks_far_behind_each_match(pattern: str) -> None:
    """Its work grows with the square of a run, so there is a bound on it; ordinary searches are far from that."""
    tok = tok_of(pattern)
    assert tok.count("a" * 3000) == 3000
    with pytest.raises(ap.AnyPieceError) as caught:
        tok.count("a" * 60_000)
    assert caught.value.code == "pattern-limit"
    assert tok.count("a " * 100_000) == 100_000
