"""Each verb of the command line as a filter: what goes to stdout, what to stderr, and with which exit code it ends.

Mistakes, terminals, signals and help, which are those of all verbs, are in ``test_cli.py``.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import anypiece as ap
from tests.support.shell import Result, Shell
from tests.support.small_vocabularies import BYTES, RANKS, UNIGRAM


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
            {"file": "one.txt", "documents": 1, "tokens": 2, "characters": 4, "bytes": 4}
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

    def test_explain_steps(self, shell: Shell) -> None:
        found = shell("explain", "-t", "tok.model", "--steps", "--add-special", "both", "ab é")
        assert (found.code, found.err) == (0, "")
        for said in (
            "▁a b instead of ▁ab",
            "# Normalization",
            "wins by 1.5",
            "Back-trace: 5 ← 4 ← 3 ← 0",
            "put before",
        ):
            assert said in found.out
        (row,) = shell("explain", "-t", "tok.model", "--steps", "--json", "ab é").rows()
        tok = ap.load("tok.model")
        assert row["steps"] == tok.explain("ab é").steps.to_json()
        assert "steps" not in shell("explain", "-t", "tok.model", "--json", "ab").rows()[0]

    def test_explain_a_draw(self, shell: Shell) -> None:
        options = ("explain", "-t", "tok.model", "--sample", "0.3", "--seed", "5")
        found = shell(*options, "ab", "ab")
        assert (found.code, found.out.count("Draw: alpha 0.3, seed 5, epoch 0, index 1")) == (0, 1)
        assert "# Normalization" not in found.out
        rows = shell(*options, "--method", "viterbi", "--json", "ab", "ab").rows()
        tok = ap.load("tok.model")
        drawn = [tok.sample("ab", 0.3, seed=5, index=index, method="viterbi") for index in range(2)]
        assert [row["sample"]["ids"] for row in rows] == drawn
        assert shell(*options, "--method", "dropout", "ab").code == 3

    def test_a_difference_is_a_failed_check(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        from anypiece.reference import ReferenceTokenizer

        monkeypatch.setattr(ReferenceTokenizer, "normalize", lambda self, text: "else")
        found = shell("explain", "-t", "tok.model", "ab")
        assert (found.code, "differs first in normalize" in found.out) == (1, True)


class TestInfoAndDoctor:
    def test_info(self, shell: Shell) -> None:
        lines = shell("info", "tok.model").out.splitlines()
        assert lines.pop(2).startswith("results as in     sentencepiece ")
        assert lines[:5] == [
            "tokenizer         tok.model",
            "format            SentencePiece .model",
            "algorithm         unigram",
            "vocabulary        11 pieces: 8 normal, 1 unknown, 2 control",
            "unknown text      becomes <unk>, id 0",
        ]
        assert "roles             bos <s> (1), eos </s> (2), unk <unk> (0)" in lines
        assert "longest piece" not in "".join(lines)
        assert "longest piece bytes       5\n" in shell("info", "--all", "tok.model").out
        assert shell("info", "--all", "--vocab", "tok.model").code == 2
        (facts,) = shell("info", "--json", "-t", "bytes.anypiece").rows()
        assert facts["kinds"] == {"normal": 8, "unknown": 1, "control": 2, "byte": 256}
        assert facts["fingerprint"] == ap.Tokenizer(BYTES).fingerprint
        assert shell("info", "tok.model", "-t", "tok.model").code == 2

    def test_settings_of_other_segmenters_are_left_out(self, shell: Shell) -> None:
        others = {"continuing_prefix", "max_word_chars", "word_prefix", "end_suffix", "whole_chunks"}
        (facts,) = shell("info", "--all", "--json", "tok.model").rows()
        assert not others & facts.keys()
        assert {"arithmetic", "user_defined_score", "byte_fallback"} <= facts.keys()
        assert "##" not in shell("info", "--all", "tok.model").out
        ap.Tokenizer(UNIGRAM).replace(continuing_prefix="@@").save("odd.anypiece")
        assert "continuing prefix         @@\n" in shell("info", "--all", "odd.anypiece").out
        (facts,) = shell("info", "--all", "--json", "ranks.anypiece").rows()
        assert "whole_chunks" in facts
        assert not {"continuing_prefix", "user_defined_score"} & facts.keys()

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
        lines = found.out.splitlines()
        assert lines[0] == "ids       2 of 2 texts differ; the smallest: 'a'"
        assert lines[1:3] == ["            first:  [8]", "            second: [4]"]
        assert lines[-2:] == ["settings that differ, first | second:", "  add_dummy_prefix: True | False"]
        [row] = shell("check", "tok.model", "other.model", "--json").rows()
        assert (row["same"], row["aspects"]["ids"]["smallest"]["what"]) == (False, "ids")
        ap.Tokenizer(UNIGRAM).replace(pad_id=0).save(shell.folder / "padded.anypiece")
        told = shell("check", "tok.model", "padded.anypiece", "-i", "-", given="a\n")
        assert (told.code, told.out.splitlines()[3]) == (0, "specials  no difference in 5 texts")
        plain = shell("check", "tok.model", "padded.anypiece", "-i", "-", "--only", "ids", given="a\n")
        assert plain.out.splitlines()[0] == "ids       no difference in 1 texts"

    def test_check_is_judged_by_what_was_asked(self, shell: Shell) -> None:
        """Texts are quoted, with escapes for what would not be seen."""
        ap.Tokenizer(UNIGRAM).replace(unk_surface="?").save(shell.folder / "other.model")
        given = ["check", "tok.model", "other.model", "-i", "-"]
        assert shell(*given, "--only", "ids", "--only", "specials", given="\u200b\n").code == 0
        found = shell(*given, "--only", "decoding", given="\u200b\n")
        assert (found.code, found.out.splitlines()[0]) == (
            1,
            "decoding  1 of 1 texts differ; the smallest: '\\u200b'",
        )
        assert shell(*given, "--only", "everything", given="a\n").code == 2

    def test_check_takes_the_options_of_reading(self, shell: Shell) -> None:
        """Each file gets those that it takes; one that neither takes is refused."""
        found = shell("check", "tok.model", "bytes.anypiece", "--dialect", "sentencepiece-0.2.1")
        assert (found.code, found.err) == (1, "")
        refused = shell("check", "tok.model", "bytes.anypiece", "--pre", "llama3")
        assert refused.code == 3
        assert "--pre means nothing" in refused.err

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
        told = shell("convert", "ranks.anypiece", "a.tiktoken", "-i", "lines.txt").out
        assert shlex.split(told.partition("to read it, pass ")[2]) == [*given[:2], *given[6:], *given[2:6]]
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

    def test_extend_refuses_what_the_file_cannot_hold(self, shell: Shell) -> None:
        """A rank file holds no special tokens: it would be the same as before, and the token text."""
        shell("convert", "ranks.anypiece", "a.tiktoken")
        names = {text: id for text, id, _ in RANKS.added}
        given = ["--splitter", "cl100k"]
        given += [part for text, id in names.items() for part in ("--special-token", f"{text}={id}")]
        refused = shell("extend", "-t", "a.tiktoken", *given, "--special", "<x>", "b.tiktoken")
        assert refused.code == 3
        assert "convert-lossy" in refused.err
        assert ".anypiece or tokenizer.json" in refused.err
        assert not (shell.folder / "b.tiktoken").exists()
        assert shell("extend", "-t", "a.tiktoken", *given, "--special", "<x>", "b.tiktoken", "--allow-lossy").code == 0
        for target in ("b.anypiece", "b.json"):
            done = shell("extend", "-t", "a.tiktoken", *given, "--special", "<x>", target)
            assert (done.code, done.out) == (0, "272\t<x>\n")
            assert ap.load(shell.folder / target).encode("<x>", specials="parse") == [272]
