"""Options of the command line for what a file does not say, and for which special tokens a text may hold."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from anypiece.cli import options
from tests.support.small_files import BYTE_RANKS, VOCAB_TXT

if TYPE_CHECKING:
    from tests.support.shell import Shell


def test_accents(shell: Shell) -> None:
    Path("vocab.txt").write_text("\n".join(VOCAB_TXT) + "\n", encoding="utf-8")
    encode = ("encode", "-t", "vocab.txt", "--pieces")
    assert shell(*encode, "--lowercase", "É").out == "e\n"
    assert shell(*encode, "--lowercase", "--keep-accents", "É").out == "é\n"
    assert shell(*encode, "--cased", "é").out == "é\n"
    assert shell(*encode, "--cased", "--strip-accents", "é").out == "e\n"


@pytest.mark.parametrize("strip_accents", [None, True, False])
def test_a_conversion_names_options_that_there_are(shell: Shell, strip_accents: bool | None) -> None:
    Path("source.txt").write_text("\n".join(VOCAB_TXT) + "\n", encoding="utf-8")
    tok = ap.load("source.txt", lowercase=False, strip_accents=strip_accents)
    ap.convert(tok, "bert.json")
    told = shell("convert", "bert.json", "vocab.txt")
    assert told.code == 0
    found = re.search(r"to read it, pass (.*)\n", told.out)
    assert found is not None
    assert "=" not in found[1]
    for text in ("é É", "ab A"):
        ids = shell("encode", "-t", "vocab.txt", *shlex.split(found[1]), text)
        assert ids.out == " ".join(map(str, tok.encode(text))) + "\n"


def test_each_option_of_reading_can_be_given() -> None:
    """What ``load`` can be told of a file, the command line can be told too."""
    assert options.named_options({"pattern": "a b", "strip_accents": True}) == "--pattern 'a b' --strip-accents"
    told = {options._NAMES.get(name, name) for name in options._READING}
    known = {option for kind in ap.formats.KNOWN for option in ap.formats.options_of(kind)}
    assert known <= told


def test_a_pattern(shell: Shell) -> None:
    Path("mine.tiktoken").write_bytes(BYTE_RANKS)
    assert shell("encode", "-t", "mine.tiktoken", "--pattern", "[a-z]", "a-b").out == "97 98\n"
    both = shell("encode", "-t", "mine.tiktoken", "--pattern", "[a-z]", "--splitter", "gpt2", "a-b")
    assert (both.code, "leave one of them out" in both.err) == (3, True)


def test_special_tokens_that_are_allowed(shell: Shell) -> None:
    encode = ("encode", "-t", "ranks.anypiece", "--allow-special", "<|end|>")
    parsed = shell("encode", "-t", "ranks.anypiece", "--specials", "parse", "a<|end|>")
    assert shell(*encode, "a<|end|>").out == parsed.out == "97 269\n"
    refused = shell(*encode, "<|日|>")
    assert (refused.code, "special-in-text" in refused.err) == (3, True)
    assert shell(*encode, "--allow-special", "<|日|>", "<|日|>", "a<|end|>").out == "271\n97 269\n"
    unknown = shell("encode", "-t", "ranks.anypiece", "--allow-special", "<x>", "a")
    assert (unknown.code, "special-missing" in unknown.err) == (3, True)
    both = shell(*encode, "--specials", "parse", "a")
    assert (both.code, "not both" in both.err) == (2, True)
    sampled = shell("sample", "-t", "ranks.anypiece", "--method", "dropout", "--alpha", "0", *encode[3:], "a<|end|>")
    assert sampled.out == "97 269\n"


def test_decoding_ends_at_eos(shell: Shell) -> None:
    tok = ap.load("tok.model")
    tok.replace(eos_id=tok.piece_to_id("</s>")).save("eos.anypiece")
    ids = [str(id) for id in tok.encode("ab")]
    end = str(tok.piece_to_id("</s>"))
    assert shell("decode", "-t", "eos.anypiece", "--stop-at-eos", *ids, end, *ids).out == "ab\n"
    line = json.dumps({"ids": [*map(int, ids), int(end), 1]})
    assert shell("decode", "-t", "eos.anypiece", "--stop-at-eos", given=f"{line}\n").out == "ab\n"
    tok.replace(eos_id=None).save("none.anypiece")
    none = shell("decode", "-t", "none.anypiece", "--stop-at-eos", *ids)
    assert (none.code, "special-missing" in none.err) == (3, True)


def test_a_model_of_the_cache_has_a_name(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path("hub", "models--org--name", "snapshots", "0" * 40)
    folder.mkdir(parents=True)
    ap.load().save(folder / "tokenizer.model")
    monkeypatch.setenv("HF_HUB_CACHE", str(Path("hub").absolute()))
    assert shell("encode", "-t", "org/name", "Hello").out == shell("encode", "Hello").out
    assert shell("check", "org/name", str(folder)).code == 0
