"""The command line with vocabularies of bytes and with rank files."""

from __future__ import annotations

from pathlib import Path

import pytest

import anypiece as ap
from tests.support.shell import Result, Shell
from tests.support.small_vocabularies import RANKS


class TestRanks:
    """Vocabularies whose pieces are bytes: what is no text is spelled out, and a space is seen."""

    def test_encode(self, shell: Shell) -> None:
        assert shell("encode", "-t", "ranks.anypiece", "xyz<|日|>").out == "266 60 124 264 124 62\n"
        assert shell("encode", "-t", "ranks.anypiece", "--specials", "parse", "xyz<|日|>").out == "266 271\n"
        assert shell("encode", "-t", "ranks.anypiece", "--specials", "parse", given="the<|end|>!\n愛\n").out == (
            "256 101 270\n230 132 155\n"
        )
        assert shell("encode", "-t", "ranks.anypiece", "--specials", "error", "<|end|>").code == 3
        assert shell("count", "-t", "ranks.anypiece", "--specials", "parse", given="the<|end|>").out == " 3 10 10\n"
        assert shell("encode", "-t", "ranks.anypiece", given=b"\xff\xe6\n").out == "255 230\n"

    def test_pieces(self, shell: Shell) -> None:
        pieces = ("encode", "-t", "ranks.anypiece", "--pieces")
        assert shell(*pieces, "the 愛", "\t").out == "th e ␣\\xe6 \\x84 \\x9b\n\\t\n"
        assert shell(*pieces, "--specials", "parse", "a<|日|>").out == "a <|日|>\n"
        assert shell(*pieces, "--json", " 愛").rows() == [
            {"ids": [265, 132, 155], "pieces": [" \\xe6", "\\x84", "\\x9b"]}
        ]

    def test_spans(self, shell: Shell) -> None:
        spans = ("encode", "-t", "ranks.anypiece", "--spans")
        assert shell(*spans, " 愛").out == "265\t␣\\xe6\t0\t2\n132\t\\x84\t1\t2\n155\t\\x9b\t1\t2\n\n"
        assert shell(*spans, "--unit", "byte", "--specials", "parse", "é<|end|>").out == (
            "262\té\t0\t2\n269\t<|end|>\t2\t9\n\n"
        )

    def test_there_and_back(self, shell: Shell) -> None:
        ids = shell("encode", "-t", "ranks.anypiece", "--specials", "parse", given="the<|end|>\n 愛  \n").out
        assert shell("decode", "-t", "ranks.anypiece", given=ids).out == "the<|end|>\n 愛  \n"
        assert shell("decode", "-t", "ranks.anypiece", "--skip-special", given=ids).out == "the\n 愛  \n"
        assert shell("decode", "-t", "ranks.anypiece", "230", "151").out == "\ufffd\n"

    def test_count_and_normalize(self, shell: Shell) -> None:
        assert shell("count", "-t", "ranks.anypiece", given="the 愛".encode() + b"\xff").out == "6 6 8\n"
        assert shell("normalize", "-t", "ranks.anypiece", " a  b ").out == " a  b \n"

    def test_explain(self, shell: Shell) -> None:
        found = shell("explain", "-t", "ranks.anypiece", given=b"the \xe6\n")
        assert (found.code, "▁" in found.out, "agrees in every stage" in found.out) == (0, False, True)
        assert "units       the ␣\\xe6\\n\n" in found.out
        assert shell("explain", "-t", "ranks.anypiece", "a\udcff").code == 0  # an argument that is no UTF-8

    def test_info(self, shell: Shell) -> None:
        shown = shell("info", "--all", "ranks.anypiece").out
        for line in (
            "algorithm         byte-level BPE, by rank",
            "unknown text      cannot be: pieces are bytes",
            "symbols                   bytes",
            "unk surface               ''",
        ):
            assert f"{line}\n" in shown
        lines = shell("info", "--vocab", "ranks.anypiece").out.splitlines()
        assert [lines[id] for id in (10, 32, 255, 257, 265, 268, 271)] == [
            "10\t\\n\t-10\tnormal",
            "32\t␣\t-32\tnormal",
            "255\t\\xff\t-255\tnormal",
            "257\t␣t\t-257\tnormal",
            "265\t␣\\xe6\t-265\tnormal",
            "268\t\t0\tunused",
            "271\t<|日|>\t0\tcontrol",
        ]
        assert shell("info", "--vocab", "--json", "ranks.anypiece").rows()[265]["piece"] == " \\xe6"

    def test_doctor(self, shell: Shell) -> None:
        assert shell("doctor", "ranks.anypiece") == Result(0, "ranks.anypiece: nothing to report\n", "")
        pieces = ap.Pieces.of([*RANKS.pieces, (b"\xff a\xfe", -300.0, ap.Kind.NORMAL)])
        ap.Tokenizer(RANKS.replace(pieces=pieces)).save("odd.anypiece")
        assert "    such as '\\xff a\\xfe'\n" in shell("doctor", "odd.anypiece").out


class TestRankFiles:
    """What beginners do with a .tiktoken file, and what they are told."""

    def test_a_file_that_is_not_known(self, shell: Shell) -> None:
        ap.Tokenizer(RANKS).save("mine.tiktoken")
        found = shell("encode", "-t", "mine.tiktoken", "a")
        assert (found.code, found.out) == (3, "")
        assert "--definition with one of gpt2, " in found.err
        assert "--splitter" in found.err
        assert found.err.endswith("[definition-unknown]\n")

    def test_a_definition_that_does_not_exist(self, shell: Shell) -> None:
        ap.Tokenizer(RANKS).save("mine.tiktoken")
        found = shell("encode", "-t", "mine.tiktoken", "--definition", "gpt4", "a")
        assert (found.code, found.out) == (2, "")
        assert "'gpt4' is not one of" in found.err
        assert "'cl100k_base'" in found.err
        with pytest.raises(
            ap.FormatError, match=r"no definition is called 'gpt4'\. Pass definition= with one of"
        ) as error:
            ap.load("mine.tiktoken", definition="gpt4")
        assert error.value.code == "definition-unknown"

    def test_the_definition_of_another_file(self, shell: Shell) -> None:
        ap.Tokenizer(RANKS).save("mine.tiktoken")
        found = shell("encode", "-t", "mine.tiktoken", "--definition", "cl100k_base", "a")
        assert (found.code, found.out) == (3, "")
        assert "the file has 268 ranks" in found.err
        assert "cl100k_base has 100256" in found.err
        assert found.err.endswith("[definition-mismatch]\n")

    def test_windows_line_ends_are_the_same_file(self, shell: Shell) -> None:
        ap.Tokenizer(RANKS).save("mine.tiktoken")
        unix = Path("mine.tiktoken").read_bytes()
        Path("windows.tiktoken").write_bytes(unix.replace(b"\n", b"\r\n"))
        tok = ap.load("windows.tiktoken", splitter="gpt2")
        assert tok == ap.load("mine.tiktoken", splitter="gpt2")
        tok.save("again.tiktoken")
        assert Path("again.tiktoken").read_bytes() == Path("windows.tiktoken").read_bytes()

    def test_line_ends_of_both_kinds(self, shell: Shell) -> None:
        ap.Tokenizer(RANKS).save("mine.tiktoken")
        unix = Path("mine.tiktoken").read_bytes()
        Path("mixed.tiktoken").write_bytes(unix.replace(b"\n", b"\r\n", 20))
        found = shell("encode", "-t", "mixed.tiktoken", "a")
        assert (found.code, found.out) == (3, "")
        assert "line 1 ends in CR LF, as in Windows, but not all lines do" in found.err
        assert found.err.endswith("[file-corrupt]\n")

    def test_a_dialect(self, shell: Shell) -> None:
        ap.Tokenizer(RANKS).save("mine.tiktoken")
        found = shell("encode", "-t", "mine.tiktoken", "--dialect", "sentencepiece", "a")
        assert (found.code, found.out) == (3, "")
        assert "--dialect means nothing for a file of format tiktoken: it takes --definition" in found.err
        assert found.err.endswith("[argument-value]\n")
        with pytest.raises(ap.InputError, match="Leave it out"):
            ap.load("mine.tiktoken", splitter="gpt2", dialect="sentencepiece")

    def test_a_definition_for_a_model_file(self, shell: Shell) -> None:
        found = shell("encode", "-t", "tok.model", "--definition", "gpt2", "a")
        assert (found.code, "--definition means nothing for a file of format sentencepiece" in found.err) == (3, True)
