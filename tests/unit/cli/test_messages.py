"""What the command line says when something is wrong: in the words of its options, and before work is done in vain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from anypiece.cli.messages import in_options
from anypiece.cli.train import train
from tests.support.small_files import BYTE_RANKS

if TYPE_CHECKING:
    from tests.support.shell import Shell


def test_arguments_are_said_as_options(shell: Shell) -> None:
    found = shell("encode", "-t", "ranks.anypiece", "--specials", "error", "a<|end|>")
    assert (found.code, "--specials text" in found.err, "--allow-special '<|end|>'" in found.err) == (3, True, True)
    Path("mine.tiktoken").write_bytes(BYTE_RANKS)
    found = shell("encode", "-t", "mine.tiktoken", "a")
    assert all(f" --{name} with" in found.err for name in ("definition", "splitter", "pattern", "special-token"))
    assert "=" not in found.err.replace("mine.tiktoken", "")


def test_what_is_no_option_stays() -> None:
    assert in_options("Pass roles= or specials={x}.", None) == "Pass roles= or specials={x}."
    assert in_options("pass hard_vocab_limit=False", train) == "pass --set hard_vocab_limit=false"
    assert in_options("pass format='bytepiece' or allow_lossy=True (--allow-lossy)", train) == (
        "pass --output-format 'bytepiece' or --allow-lossy"
    )


def test_a_verb_that_was_meant(shell: Shell) -> None:
    assert "Did you mean encode?" in shell("encod", "a").err
    assert (shell("zzz").code, "Did you mean" in shell("zzz").err) == (2, False)


class TestCount:
    def test_special_tokens_by_name(self, shell: Shell) -> None:
        Path("one.txt").write_text("the<|end|>")
        Path("two.txt").write_text("the")
        count = ("count", "-t", "ranks.anypiece")
        assert shell(*count, "--allow-special", "<|end|>", "one.txt").out == " 3 10 10 one.txt\n"
        assert shell(*count, "--specials", "error", "two.txt").out == "2 3 3 two.txt\n"
        found = shell(*count, "--specials", "error", "one.txt", "two.txt")
        assert (found.code, found.out) == (4, "2 3 3 two.txt\n2 3 3 total\n")
        assert "one.txt: The text contains '<|end|>' at 3" in found.err
        assert shell(*count, "--specials", "error", "one.txt").code == 3


class TestCompare:
    def test_files_of_one_name_are_told_apart(self, shell: Shell) -> None:
        for folder in ("a", "b"):
            Path(folder).mkdir()
            Path(folder, "tok.model").write_bytes(Path("tok.model").read_bytes())
            Path(folder, "text.txt").write_text(folder)
        texts = ("-i", "a/text.txt", "-i", "b/text.txt")
        rows = shell("compare", "a/tok.model", "b/tok.model", *texts, "--json").rows()
        assert [(row["tokenizer"], row["text"]) for row in rows] == [
            (f"{one}/tok.model", f"{other}/text.txt") for other in "ab" for one in "ab"
        ]
        found = shell("compare", "a/tok.model", "a/tok.model", *texts)
        assert (found.code, "NAME=FILE" in found.err) == (2, True)


class TestTrain:
    def test_reports_of_no_known_kind(self, shell: Shell) -> None:
        found = shell("train", "-o", "new.model", "--vocab-size", "9", "--report", "report.txt", given="a b\n")
        assert (found.code, "should end in .html or .json" in found.err) == (3, True)
        assert not Path("new.model").exists()

    def test_a_corpus_of_another_format(self, shell: Shell) -> None:
        Path("lines.txt").write_text("a b\nc\n")
        found = shell("train", "-o", "new.model", "--format", "jsonl", "lines.txt")
        assert "2 lines were skipped, the first at lines.txt:1" in found.err
        assert found.err.endswith("[train-corpus]\n")

    def test_how_to_read_the_file_is_said_in_options(self, shell: Shell) -> None:
        found = shell(
            "train", "-o", "new.tiktoken", "--kind", "byte-bpe", "--special", "<x>", "--vocab-size", "258",
            given="ab ab ab\n",
        )  # fmt: skip
        assert (found.code, "pass --splitter cl100k --special-token '<x>=0'" in found.err) == (0, True)
