"""The command line as a filter: what goes to stdout, what to stderr, and with which exit code it ends.

``python -m tests.unit.test_cli --update`` pastes the help texts into the guide; a test holds the guide to them.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

import anypiece as ap
from anypiece import cli
from tests.unit.vocabularies import BYTES, RANKS, UNIGRAM

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "cli.md"
VERBS = (
    *("encode", "decode", "count", "info", "normalize", "explain", "lattice", "nbest", "sample"),
    *("doctor", "check", "convert", "extend", "words", "train", "compare"),
)
WIDTH = 100


class Result(NamedTuple):
    code: int
    out: str
    err: str

    def rows(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


class Shell:
    """Runs the command line in this process, with its own standard streams."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.monkeypatch = monkeypatch
        self.folder = folder
        monkeypatch.chdir(folder)
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setenv("COLUMNS", str(WIDTH))
        ap.Tokenizer(UNIGRAM).save(folder / "tok.model")
        ap.Tokenizer(BYTES).save(folder / "bytes.anypiece")
        ap.Tokenizer(RANKS).save(folder / "ranks.anypiece")

    def __call__(self, *arguments: str, given: bytes | str | None = b"", terminal: bool = False) -> Result:
        """``given`` is standard input; None is a terminal at which nobody types."""
        raw = given.encode() if isinstance(given, str) else given
        kind = Terminal if terminal else io.TextIOWrapper
        streams = {name: kind(io.BytesIO(), encoding="utf-8", newline="") for name in ("stdout", "stderr")}
        stdin = Terminal(io.BytesIO()) if raw is None else io.TextIOWrapper(io.BytesIO(raw))
        with self.monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", stdin)
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            code = cli.run(list(arguments))
        return Result(code, *(self._text(stream) for stream in streams.values()))

    @staticmethod
    def _text(stream: io.TextIOWrapper) -> str:
        stream.flush()
        buffer = stream.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode()


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    return Shell(monkeypatch, tmp_path)


class TestEncode:
    def test_texts_as_arguments(self, shell: Shell) -> None:
        assert shell("encode", "-t", "tok.model", "a ab", "a") == Result(0, "8 10\n8\n", "")

    def test_one_text_per_line(self, shell: Shell) -> None:
        assert shell("encode", "-t", "tok.model", given="a ab\n\na").out == "8 10\n\n8\n"
        assert shell("encode", "-t", "tok.model", "-", given="a\n").out == "8\n"

    def test_the_whole_input(self, shell: Shell) -> None:
        assert shell("encode", "-t", "tok.model", "--whole", given="a\nab").out == "8 0 9\n"

    def test_from_a_file(self, shell: Shell) -> None:
        Path("lines.txt").write_bytes(b"a\nab\n")
        assert shell("encode", "-t", "tok.model", "-i", "lines.txt", given=None).out == "8\n10\n"

    def test_pieces_and_spans(self, shell: Shell) -> None:
        assert shell("encode", "-t", "tok.model", "--pieces", "é ab", "a").out == "▁ é ▁ab\n▁a\n"
        assert shell("encode", "-t", "tok.model", "--spans", "é a").out == "3\t▁\t0\t0\n7\té\t0\t1\n8\t▁a\t1\t3\n\n"
        assert "8\t▁a\t2\t4" in shell("encode", "-t", "tok.model", "--spans", "--unit", "byte", "é a").out
        assert shell("encode", "-t", "tok.model", "--pieces", "--whole", given="a\n\tb").out == "▁a \\n\\t b\n"

    def test_json(self, shell: Shell) -> None:
        assert shell("encode", "-t", "tok.model", "--json", given="a ab\na\n").rows() == [
            {"ids": [8, 10]},
            {"ids": [8]},
        ]
        found = shell("encode", "-t", "tok.model", "--json", "--spans", "a ab").rows()
        assert found == [{"ids": [8, 10], "pieces": ["▁a", "▁ab"], "spans": [[0, 1], [1, 4]]}]

    def test_specials(self, shell: Shell) -> None:
        assert shell("encode", "-t", "tok.model", "--add-special", "both", "a").out == "1 8 2\n"
        assert shell("encode", "-t", "tok.model", "--add-special", "eos", given="a\na\n").out == "8 2\n8 2\n"
        found = shell("encode", "-t", "tok.model", "--specials", "error", "<s>")
        assert (found.code, found.out) == (3, "")
        assert "[special-in-text]" in found.err

    def test_threads_change_nothing(self, shell: Shell) -> None:
        lines = "a ab é\n" * 50
        assert shell("encode", "--threads", "2", "-t", "tok.model", given=lines) == shell(
            "encode", "-t", "tok.model", given=lines
        )

    def test_bytes_that_are_no_text(self, shell: Shell) -> None:
        assert shell("encode", "-t", "tok.model", "--pieces", given=b"a\xff\n").out == "▁a \ufffd\n"

    def test_a_text_that_is_a_file_name(self, shell: Shell) -> None:
        found = shell("encode", "-t", "tok.model", "tok.model")
        assert found.code == 0
        assert "--input tok.model" in found.err

    def test_no_input_at_all(self, shell: Shell) -> None:
        found = shell("encode", "-t", "tok.model", given=None)
        assert (found.code, found.out) == (2, "")
        assert "There is no input" in found.err
        assert shell("encode", "-t", "tok.model", "-i", "x", "a").code == 2

    def test_the_embedded_default(self, shell: Shell) -> None:
        assert shell("encode", "Hello").out.split() == [str(i) for i in ap.load().encode("Hello")]


class TestDecode:
    def test_it_is_the_way_back(self, shell: Shell) -> None:
        ids = shell("encode", "-t", "bytes.anypiece", given="a ab\n\n日本 é\n").out
        assert shell("decode", "-t", "bytes.anypiece", given=ids).out == "a ab\n\n日本 é\n"
        ids = shell("encode", "-t", "bytes.anypiece", "--json", given="a ab\n日本\n").out
        assert shell("decode", "-t", "bytes.anypiece", given=ids).out == "a ab\n日本\n"
        ids = shell("encode", "-t", "bytes.anypiece", "--whole", given="a\nab").out
        assert shell("decode", "-t", "bytes.anypiece", "--whole", given=ids).out == "a\nab"

    def test_ids_as_arguments(self, shell: Shell) -> None:
        assert shell("decode", "-t", "tok.model", "8", "10").out == "a ab\n"
        assert shell("decode", "-t", "tok.model", "[8, 10]").out == "a ab\n"
        assert shell("decode", "-t", "tok.model", "--json", "8").rows() == [{"text": "a"}]

    def test_options(self, shell: Shell) -> None:
        half = str(3 + 0xE6)
        assert shell("decode", "-t", "bytes.anypiece", half).out == "\ufffd\n"
        assert shell("decode", "-t", "bytes.anypiece", "--errors", "ignore", half).out == "\n"
        found = shell("decode", "-t", "bytes.anypiece", "--errors", "strict", half)
        assert (found.code, "[decode-invalid]" in found.err) == (3, True)
        split = [str(3 + 0xC3), "1", str(3 + 0xA9)]
        assert shell("decode", "-t", "bytes.anypiece", "--skip-special", *split).out == "é\n"

    @pytest.mark.parametrize(
        ("given", "code"),
        [("hello\n", "input-type"), ("8 99\n", "id-out-of-range"), ('{"ids": 5}\n', "input-type"), ("{", "input-type")],
    )
    def test_what_is_no_id(self, shell: Shell, given: str, code: str) -> None:
        found = shell("decode", "-t", "tok.model", given=given)
        assert (found.code, f"[{code}]" in found.err) == (3, True)

    def test_a_negative_id_is_an_option_to_the_shell(self, shell: Shell) -> None:
        assert shell("decode", "-t", "tok.model", "--", "-5").code == 3


class TestCount:
    def test_like_wc(self, shell: Shell) -> None:
        Path("one.txt").write_bytes("é a".encode())
        Path("two.txt").write_bytes(b"a ab a ab a ab a ab")
        assert shell("count", "-t", "tok.model", "one.txt").out == "3 3 4 one.txt\n"
        assert shell("count", "-t", "tok.model", "one.txt", "two.txt").out == (
            " 3  3  4 one.txt\n 8 19 19 two.txt\n11 22 23 total\n"
        )
        assert shell("count", "-t", "tok.model", given="é a").out == "3 3 4\n"
        assert shell("count", "-t", "tok.model", "-", given=b"a\xff\xe6").out == "2 3 3\n"

    def test_json(self, shell: Shell) -> None:
        Path("one.txt").write_text("a ab")
        assert shell("count", "-t", "tok.model", "--json", "one.txt").rows() == [
            {"file": "one.txt", "tokens": 2, "characters": 4, "bytes": 4}
        ]

    def test_some_files_are_missing(self, shell: Shell) -> None:
        Path("one.txt").write_text("a")
        found = shell("count", "-t", "tok.model", "one.txt", "two.txt")
        assert (found.code, found.out) == (4, "1 1 1 one.txt\n1 1 1 total\n")
        assert "two.txt cannot be read" in found.err
        assert "Did you mean one.txt" not in found.out
        assert shell("count", "-t", "tok.model", "two.txt").code == 3

    def test_limit(self, shell: Shell) -> None:
        assert shell("count", "-t", "tok.model", "--limit", "2", given="a ab").code == 0
        found = shell("count", "-t", "tok.model", "--limit", "1", given="a ab")
        assert (found.code, found.out) == (1, "2 4 4\n")
        assert "limit of 1" in found.err

    def test_a_large_file_takes_bounded_memory(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        pushed: list[int] = []
        right = ap.StreamEncoder.push

        def push(stream: ap.StreamEncoder, text: str | bytes) -> list[int]:
            pushed.append(len(text))
            return right(stream, text)

        monkeypatch.setattr(ap.StreamEncoder, "push", push)
        Path("large.txt").write_bytes(b"a ab " * 1_000_000)
        assert shell("count", "-t", "tok.model", "large.txt").out == "2000000 5000000 5000000 large.txt\n"
        assert max(pushed) <= 1 << 20


class TestNormalizeAndExplain:
    def test_normalize(self, shell: Shell) -> None:
        assert shell("normalize", "-t", "tok.model", "a  b", " c ").out == "▁a▁b\n▁c\n"
        assert shell("normalize", "-t", "tok.model", "--json", given="é\n").rows() == [
            {"normalized": "▁é", "offsets": [0, 0, 1]}
        ]

    def test_explain(self, shell: Shell) -> None:
        found = shell("explain", "-t", "tok.model", "ab é")
        assert found.code == 0
        assert "▁a b instead of ▁ab" in found.out
        (row,) = shell("explain", "-t", "tok.model", "--json", given="ab é").rows()
        assert [token["id"] for token in row["tokens"]] == [10, 3, 7]

    def test_a_difference_is_a_failed_check(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        from anypiece.reference import ReferenceTokenizer

        monkeypatch.setattr(ReferenceTokenizer, "normalize", lambda self, text: "else")
        found = shell("explain", "-t", "tok.model", "ab")
        assert (found.code, "differs first in normalize" in found.out) == (1, True)


class TestInfoAndDoctor:
    def test_info(self, shell: Shell) -> None:
        assert "vocab size                11\n" in shell("info", "tok.model").out
        (facts,) = shell("info", "--json", "-t", "bytes.anypiece").rows()
        assert facts["kinds"] == {"normal": 8, "unknown": 1, "control": 2, "byte": 256}
        assert facts["fingerprint"] == ap.Tokenizer(BYTES).fingerprint
        assert shell("info", "tok.model", "-t", "tok.model").code == 2

    def test_vocabulary(self, shell: Shell) -> None:
        lines = shell("info", "--vocab", "tok.model").out.splitlines()
        assert (len(lines), lines[0], lines[8]) == (11, "0\t<unk>\t0\tunknown", "8\t▁a\t-1\tnormal")
        assert shell("info", "--vocab", "--json", "tok.model").rows()[8]["piece"] == "▁a"

    def test_doctor(self, shell: Shell) -> None:
        found = shell("doctor", "tok.model")
        assert (found.code, "note bytes-missing: There is no byte fallback" in found.out) == (0, True)
        rows = shell("doctor", "--json", "tok.model").rows()
        assert {row["severity"] for row in rows} == {"note"}
        assert shell("doctor", "--strict", "tok.model").code == 0

    def test_doctor_fails_for_errors(self, shell: Shell) -> None:
        ap.Tokenizer(UNIGRAM).replace(samples=(ap.Sample("a", ("b",)),)).save("bad.model")
        found = shell("doctor", "bad.model")
        assert (found.code, found.out.startswith("error sample-failed")) == (1, True)

    def test_strict_counts_warnings(self, shell: Shell) -> None:
        pieces = ap.Pieces.of([*BYTES.pieces, ("a a", -9.0, ap.Kind.NORMAL)])
        ap.Tokenizer(BYTES.replace(pieces=pieces)).save("odd.model")
        assert (shell("doctor", "odd.model").code, shell("doctor", "--strict", "odd.model").code) == (0, 1)


class TestFiles:
    """Verbs from file to file."""

    def test_convert_and_check(self, shell: Shell) -> None:
        done = shell("convert", "tok.model", "new.anypiece")
        assert (done.code, done.out) == (0, "new.anypiece: anypiece, equal content\n")
        assert shell("check", "tok.model", "new.anypiece").out == "the same: their content is equal\n"
        [row] = shell("convert", "tok.model", "again.model", "--json").rows()
        assert row["lost"] == []
        assert row["same"]

    def test_a_difference_is_exit_code_1(self, shell: Shell) -> None:
        ap.Tokenizer(UNIGRAM).replace(add_dummy_prefix=False).save(shell.folder / "other.model")
        found = shell("check", "tok.model", "other.model", "-i", "-", given="a\nb\n")
        assert found.code == 1
        assert found.out.startswith("they differ in ids for 'a'")
        [row] = shell("check", "tok.model", "other.model", "--json").rows()
        assert (row["same"], row["difference"]["what"]) == (False, "ids")
        ap.Tokenizer(UNIGRAM).replace(pad_id=0).save(shell.folder / "padded.anypiece")
        assert (
            shell("check", "tok.model", "padded.anypiece", "-i", "-", given="a\n").out == "no difference in 1 texts\n"
        )

    def test_convert_what_needs_options(self, shell: Shell) -> None:
        """A rank file that nobody knows: what it needs is said, and can be given again."""
        (shell.folder / "lines.txt").write_text("the 日\nxyz <|end|>\n", encoding="utf-8")
        [row] = shell("convert", "ranks.anypiece", "a.tiktoken", "-i", "lines.txt", "--json").rows()
        assert (row["same"], row["proved"], row["lost"]) == (True, True, [])
        assert row["options"]["roles"] == {"bos": "<|end|>", "eos": "<|end|>!"}
        given = ["--splitter", "cl100k", "--role", "bos=<|end|>", "--role", "eos=<|end|>!"]
        given += [
            part for name, id in row["options"]["specials"].items() for part in ("--special-token", f"{name}={id}")
        ]
        assert "equal content" in shell("convert", "a.tiktoken", "b.anypiece", *given).out
        assert shell("check", "b.anypiece", "ranks.anypiece").code == 0
        assert "no difference" in shell("convert", "a.tiktoken", "a.json", *given).out
        for wrong in (["--role", "bos"], ["--role", "cls=x"], ["--special-token", "x"], ["--special-token", "x=y"]):
            assert shell("convert", "a.tiktoken", "c.json", *wrong).code == 2

    def test_what_cannot_be_converted(self, shell: Shell) -> None:
        failed = shell("convert", "ranks.anypiece", "new.model")
        assert failed.code == 3
        assert "[convert-lossy]" in failed.err
        assert not (shell.folder / "new.model").exists()
        assert shell("convert", "tok.model", "new.txt").code == 3

    def test_extend(self, shell: Shell) -> None:
        size = UNIGRAM.pieces.kinds.size
        done = shell("extend", "-t", "tok.model", "--token", "<think>", "--special", "<|end|>", "big.model")
        assert (done.code, done.out) == (0, f"{size}\t<think>\n{size + 1}\t<|end|>\n")
        assert ap.load(shell.folder / "big.model").encode_pieces("<think>")[-1] == "<think>"
        assert shell("extend", "-t", "tok.model", "big.model").code == 2
        [row] = shell("extend", "-t", "tok.model", "--token", "<x>", "big.model", "--json").rows()
        assert row == {"piece": "<x>", "id": size, "new": True}


class TestLattice:
    def test_a_table_of_edges(self, shell: Shell) -> None:
        found = shell("lattice", "-t", "tok.model", "ab")
        assert (found.code, found.err) == (0, "")
        lines = found.out.splitlines()
        assert lines[0].split() == ["start", "end", "id", "score", "marginal", "path", "piece"]
        assert lines[1].split() == ["0", "1", "3", "-3.000", "0.0640", "▁"]
        assert [line.split()[-1] for line in lines if " best " in line] == ["▁ab"]
        assert [line.split()[-1] for line in lines if " second " in line] == ["▁a", "b"]
        assert lines[-1] == "4 paths, log partition -2.23, entropy 0.69 nats, 1.24 tokens on average"

    def test_as_json(self, shell: Shell) -> None:
        [row] = shell("lattice", "-t", "tok.model", "--alpha", "0", "--json", "ab").rows()
        assert row["normalized"] == " ab"
        assert row["log_partition"] == row["log_paths"] == pytest.approx(math.log(4))
        assert sum(edge["best"] for edge in row["edges"]) == 1
        assert {edge["piece"] for edge in row["edges"]} == {"▁", "a", "b", "▁a", "ab", "▁ab"}
        assert len(shell("lattice", "-t", "tok.model", "--json", given="a\nb\n").rows()) == 2

    def test_a_picture(self, shell: Shell) -> None:
        found = shell("lattice", "-t", "tok.model", "--svg", "out.svg", "ab")
        assert (found.code, "paths" in found.out) == (0, True)
        assert Path("out.svg").read_text("utf-8") == ap.Tokenizer(UNIGRAM).lattice("ab").svg()
        assert shell("lattice", "-t", "tok.model", "--svg", "-", "ab").out == Path("out.svg").read_text("utf-8")
        assert shell("lattice", "--svg", "out.svg", "a", "b").code == 2
        assert shell("lattice", "--svg", "no/such/out.svg", "a").code == 3
        found = shell("lattice", "--svg", "out.svg", "a" * 400)
        assert (found.code, "[lattice-too-large]" in found.err) == (3, True)

    def test_vocabularies_of_bytes(self, shell: Shell) -> None:
        found = shell("lattice", "-t", "ranks.anypiece", " 日")
        assert "␣\\xe6" in found.out
        assert "score" not in found.out

    def test_nbest(self, shell: Shell) -> None:
        found = shell("nbest", "-t", "tok.model", "-n", "2", "ab")
        assert [line.split() for line in found.out.splitlines()] == [
            ["score", "probability", "pieces"],
            ["-2.5000", "0.7653", "▁ab"],
            ["-4.0000", "0.1708", "▁a", "b"],
        ]
        [row] = shell("nbest", "-t", "tok.model", "--json", "ab").rows()
        assert [path["ids"] for path in row["paths"]] == [[10], [8, 5], [3, 9], [3, 4, 5]]
        assert shell("nbest", "-n", "0", "ab").code == 2
        assert "[sample-method]" in shell("nbest", "-t", "ranks.anypiece", "ab").err

    def test_sample(self, shell: Shell) -> None:
        tok = ap.Tokenizer(UNIGRAM)
        ids = [tok.sample("ab ab", 0.2, seed=7, index=index, epoch=3) for index in (5, 6)]
        options = ("sample", "-t", "tok.model", "--alpha", "0.2", "--seed", "7", "--epoch", "3", "--index", "5")
        lines = [" ".join(map(str, row)) + "\n" for row in ids]
        assert shell(*options, "ab ab", "ab ab").out == shell(*options, given="ab ab\nab ab\n").out == "".join(lines)
        [row] = shell(*options, "--json", "--pieces", "ab ab").rows()
        assert row == {"ids": ids[0], "pieces": [tok.id_to_piece(id) for id in ids[0]]}
        assert shell(*options, "--alpha", "nan", "a").code == 3
        assert shell("sample", "-t", "tok.model", "--alpha", "inf", "ab").out == "10\n"

    def test_sample_often(self, shell: Shell) -> None:
        options = ("sample", "-t", "tok.model", "--alpha", "0.3", "--count", "2000", "ab")
        for method in ("lattice", "reservoir", "nbest"):
            [row] = shell(*options, "--json", "--method", method).rows()
            assert (row["draws"], row["different"]) == (2000, 4)
            for most in row["most"]:
                assert most["drawn"] == pytest.approx(most["exact"], abs=0.05)
            assert sum(most["exact"] for most in row["most"]) == pytest.approx(1)
        lines = shell(*options, "--top", "2").out.splitlines()
        assert (len(lines), "█" in lines[1], "│" in lines[1]) == (4, True, True)
        assert lines[-1].startswith("2,000 draws, 4 different segmentations; those not shown: 0.")
        often = shell(
            "sample", "-t", "ranks.anypiece", "--method", "dropout", "--alpha", "0.5", "--count", "50", "the the"
        )
        assert (often.code, "│" in often.out, "th e" in often.out) == (0, False, True)
        assert "[sample-method]" in shell("sample", "-t", "ranks.anypiece", "the").err
        assert shell("sample", "-t", "tok.model", "--count", "3", "").out.endswith("3 draws, one segmentation\n")


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
        shown = shell("info", "ranks.anypiece").out
        for line in (
            "unk id                    none",
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
        assert "definition= with one of gpt2, " in found.err
        assert "splitter=" in found.err
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
        assert "dialect= means nothing for a file of format tiktoken: it takes definition" in found.err
        assert found.err.endswith("[argument-value]\n")
        with pytest.raises(ap.InputError, match="Leave it out"):
            ap.load("mine.tiktoken", splitter="gpt2", dialect="sentencepiece")

    def test_a_definition_for_a_model_file(self, shell: Shell) -> None:
        found = shell("encode", "-t", "tok.model", "--definition", "gpt2", "a")
        assert (found.code, "definition= means nothing for a file of format sentencepiece" in found.err) == (3, True)


class TestMistakes:
    """What beginners do, and what they are told."""

    def test_a_path_that_does_not_exist(self, shell: Shell) -> None:
        found = shell("encode", "-t", "tok.modle", "a")
        assert (found.code, found.out) == (3, "")
        assert found.err == (
            "anypiece: error: tok.modle cannot be read: No such file or directory. "
            "Did you mean tok.model? [file-unreadable]\n"
        )

    def test_a_file_of_another_kind(self, shell: Shell) -> None:
        Path("tokenizer.json").write_text('{"version": "1.0"}')
        Path("weights.bin").write_bytes(b"PK\x03\x04" + bytes(100))
        for name, hint in (("tokenizer.json", "looks like JSON"), ("weights.bin", "looks like an archive")):
            found = shell("info", name)
            assert (found.code, hint in found.err, "tokenizer.model" in found.err) == (3, True, True)

    def test_a_text_as_tokenizer(self, shell: Shell) -> None:
        Path("story.txt").write_text("Once upon a time there was a text.\n")
        found = shell("count", "-t", "story.txt", "tok.model")
        assert (found.code, "looks like a text" in found.err) == (3, True)

    def test_verification_has_its_own_code(self, shell: Shell) -> None:
        ap.Tokenizer(UNIGRAM).replace(samples=(ap.Sample("a", ("b",)),)).save("bad.model")
        found = shell("encode", "-t", "bad.model", "a")
        assert (found.code, "[self-test-failed]" in found.err) == (5, True)

    @pytest.mark.parametrize("arguments", [["nonsense"], ["encode", "--nonsense"], ["encode", "--threads", "0"], []])
    def test_usage(self, shell: Shell, arguments: list[str]) -> None:
        found = shell(*arguments)
        assert (found.code, found.out, bool(found.err)) == (2, "", True)


class TestTerminal:
    def test_colour_only_where_it_is_wanted(self, shell: Shell) -> None:
        for verb in (("explain", "ab"), ("doctor",), ("info",)):
            arguments = (verb[0], "-t", "tok.model", *verb[1:])
            assert "\x1b[" in shell(*arguments, terminal=True).out
            assert "\x1b[" not in shell(*arguments).out
            shell.monkeypatch.setenv("NO_COLOR", "1")
            assert "\x1b[" not in shell(*arguments, terminal=True).out
            shell.monkeypatch.delenv("NO_COLOR")

    def test_errors_too(self, shell: Shell) -> None:
        assert "\x1b[" not in shell("info", "missing").err
        shell.monkeypatch.setenv("NO_COLOR", "1")
        assert "\x1b[" not in shell("info", "missing", terminal=True).err


class TestProcess:
    """What only a process of its own can show."""

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "anypiece", *arguments]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen(command, **{**pipes, **options})

    def test_the_module_is_the_command(self) -> None:
        with self.start("--version") as process:
            out, err = process.communicate(timeout=60)
        assert (process.returncode, out.decode().split(), err) == (0, ["anypiece,", "version", ap.__version__], b"")

    def test_a_reader_that_goes_away(self) -> None:
        with self.start("info", "--vocab") as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr is not None
            err = process.stderr.read()
            process.wait(timeout=60)
        assert (process.returncode, err) == (0, b"")

    def test_a_line_is_answered_before_the_next_comes(self) -> None:
        with self.start("encode") as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for text in ("Hello", "world"):
                process.stdin.write(f"{text}\n".encode())
                process.stdin.flush()
                assert process.stdout.readline().split() == [str(i).encode() for i in ap.load().encode(text)]
            process.stdin.close()
            assert process.wait(timeout=60) == 0

    @pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")
    def test_interrupted(self) -> None:
        # A shell that runs the tests in the background has them ignore the signal, and children inherit that.
        def heed() -> None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        with self.start("encode", preexec_fn=heed) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(b"a\n")
            process.stdin.flush()
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130

    def test_the_demo(self) -> None:
        found = subprocess.run([sys.executable, "-m", "anypiece.demo"], capture_output=True, check=True, timeout=60)
        shown = found.stdout.decode()
        assert "decodes to the same text" in shown
        assert "\x1b[" not in shown


def help_of(verb: str | None) -> str:
    """The help text of a verb, or of the whole command, at a fixed width."""
    settings = {**cli.group.context_settings, "terminal_width": WIDTH}
    context = click.Context(cli.group, info_name="anypiece", **settings)
    if verb is None:
        return cli.group.get_help(context)
    command = cli.group.get_command(context, verb)
    assert command is not None
    return command.get_help(click.Context(command, context, info_name=verb))


def pasted(guide: str) -> str:
    """The guide with the current help text between each pair of markers."""

    def block(found: re.Match[str]) -> str:
        verb = found[1] if found[1] in VERBS else None
        return f"<!-- help {found[1]} -->\n```text\n{help_of(verb)}\n```\n<!-- end -->"

    return re.sub(r"<!-- help (\w+) -->\n.*?<!-- end -->", block, guide, flags=re.DOTALL)


def test_the_guide_shows_the_real_help() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    assert re.findall(r"<!-- help (\w+) -->", guide) == ["anypiece", *VERBS]
    assert guide == pasted(guide), "run: python -m tests.unit.test_cli --update"


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_examples(verb: str) -> None:
    shown = help_of(verb)
    assert "Examples:" in shown
    assert f"anypiece {verb}" in shown
    assert verb in cli.VERBS


def test_every_verb_is_listed() -> None:
    assert tuple(cli.VERBS) == VERBS


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.unit.test_cli --update")
    GUIDE.write_text(pasted(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
