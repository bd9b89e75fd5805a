r"""Every splitter with a name is, in the engine of ``tokenizers``, the pre-tokenizers that files spell out for it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tokenizers import Regex
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence, Split

from anypiece import Tokenizer
from anypiece.reference import split
from anypiece.reference.rules import byte_of
from tests.support.stages import BYTES, texts

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_BEFORE, _SIGNS = r"[^\r\n\p{L}\p{N}]?", r"| ?[^\s\p{L}\p{N}]+"
PATTERNS = {
    "gpt2": [r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"],
    "llama3": [rf"{_CONTRACTIONS}|{_BEFORE}\p{{L}}+|\p{{N}}{{1,3}}{_SIGNS}[\r\n]*{_SPACES}"],
    "qwen2": [rf"{_CONTRACTIONS}|{_BEFORE}\p{{L}}+|\p{{N}}{_SIGNS}[\r\n]*{_SPACES}"],
    "o200k": [
        (
            rf"{_BEFORE}{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|{_BEFORE}{_UPPER}+{_LOWER}*{_CONTRACTIONS}?"
            rf"|\p{{N}}{{1,3}}{_SIGNS}[\r\n/]*{_SPACES}"
        )
    ],
    "tekken": [
        rf"{_BEFORE}{_UPPER}*{_LOWER}+|{_BEFORE}{_UPPER}+{_LOWER}*|\p{{N}}{_SIGNS}[\r\n/]*{_SPACES}",
    ],
    "deepseek-v3": [
        r"\p{N}{1,3}",
        "[一-龥぀-ゟ゠-ヿ]+",
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^" + "\r\n" + r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
        r"| ?[\p{P}\p{S}]+[" + "\r\n" + r"]*|\s*[" + "\r\n" + r"]+|\s+(?!\S)|\s+",
    ],
}
LETTERS = [*"aABª中の・゛ǅ'sſé !1\n", "\u3099", "\u0301", "'s", "'LL"]
WHITE = list("   \n\r\t\xa0/!a1\u0301\x85中\u200b\1½")


def theirs(name: str) -> Any:
    bytes_only = ByteLevel(add_prefix_space=False, use_regex=False)
    if name == "starcoder":
        return Sequence([Digits(individual_digits=True), ByteLevel(add_prefix_space=False)])
    return Sequence([*(Split(Regex(pattern), "isolated") for pattern in PATTERNS[name]), bytes_only])


def drawn(seed: int) -> list[str]:
    draw = random.Random(seed)
    parts = [LETTERS, WHITE] * 600
    return [*texts(seed, 1500), *("".join(draw.choices(some, k=draw.randrange(1, 25))) for some in parts)]


@pytest.mark.parametrize("name", [*PATTERNS, "starcoder"])
def test_is_what_files_spell_out(name: str) -> None:
    ours, judge = Tokenizer(BYTES.replace(splitter=name)), theirs(name)
    for text in drawn(1):
        wanted = [bytes(map(byte_of, chunk)) for chunk, _ in judge.pre_tokenize_str(text)]
        assert [chunk for chunk, _, _ in ours._kernel.chunks(text, True)] == wanted, text


@pytest.mark.parametrize("name", [*PATTERNS, "starcoder"])
def test_is_the_reference(name: str) -> None:
    ours = Tokenizer(BYTES.replace(splitter=name))
    for text in texts(2, 200, newer=False):
        wanted = [chunk.encode() for chunk in split.chunks(name, text)]
        assert [chunk for chunk, _, _ in ours._kernel.chunks(text, True)] == wanted, text


@pytest.mark.parametrize("name", ["deepseek-v3", "starcoder"])
def test_every_character(name: str) -> None:
    """Their classes are their own."""
    ours, judge = Tokenizer(BYTES.replace(splitter=name)), theirs(name)
    codes = [*range(0xD800), *range(0xE000, 0x20000), *range(0x20000, 0x110000, 97), *range(0xE0000, 0xE0200)]
    for at in range(0, len(codes), 512):
        text = "".join(f"a{chr(code)} {chr(code)}b{chr(code)}\n" for code in codes[at : at + 512])
        wanted = [bytes(map(byte_of, chunk)) for chunk, _ in judge.pre_tokenize_str(text)]
        assert [chunk for chunk, _, _ in ours._kernel.chunks(text, True)] == wanted, at
