"""Numbers as people write them, options that contradict each other, raw bytes, and completion in three shells."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

import anypiece as ap
from anypiece import cli
from anypiece.cli.numbers import Amount
from anypiece.cli.training_options import settings
from tests.support.data import ROOT

if TYPE_CHECKING:
    from tests.support.shell import Shell


@pytest.mark.parametrize(
    ("given", "number"),
    [
        ("7", 7),
        ("32k", 32_000),
        ("32K", 32_000),
        ("1.5M", 1_500_000),
        ("64Ki", 65_536),
        ("1_000", 1000),
        ("1,000", 1000),
    ],
)
def test_amounts(given: str, number: int) -> None:
    assert Amount().convert(given, None, None) == number


@pytest.mark.parametrize("given", ["", "k", "1.5", "0.0001k", "1e3", "ten", "-1", "1,00", "٣"])
def test_what_is_no_amount(given: str) -> None:
    with pytest.raises(click.BadParameter):
        Amount().convert(given, None, None)


def test_sizes_with_units_on_the_command_line(shell: Shell) -> None:
    Path("corpus.txt").write_text("low lower lowest new newer newest\n" * 20, encoding="utf-8")
    train = ["train", "--kind", "byte-bpe", "-o", "made.json", "corpus.txt"]
    assert shell(*train, "--vocab-size", "0.27k").code == 0
    assert len(ap.load("made.json")) == 270
    assert shell(*train, "--set", "vocab_size=0.271k").code == 0
    assert len(ap.load("made.json")) == 271
    assert settings(("seed_sentencepiece_size=1M", "unk_piece=5k")) == {
        "seed_sentencepiece_size": 1_000_000,
        "unk_piece": "5k",
    }
    grown = shell("extend", "-t", "made.json", "--train-on", "corpus.txt", "--grow", "0.002k", "bigger.json")
    assert (grown.code, len(ap.load("bigger.json"))) == (0, 273)
    assert shell("words", "--top", "0.001k", "corpus.txt").out.count("\n") == 1
    assert shell("count", "-t", "tok.model", "--limit", "1k", given="a").code == 0
    wrong = shell(*train, "--vocab-size", "many")
    assert (wrong.code, "'many' is no whole number; write it as 32000, 32k" in wrong.err) == (2, True)


CONTRADICTIONS = [
    ("train", "--vocab-size", "9", "--set", "vocab_size=8", "-o", "x.model", "corpus.txt"),
    ("train", "--kind", "bytepiece", "--vocab-size", "9", "--set", "max_vocab_size=8", "-o", "x.json", "corpus.txt"),
    ("train", "--byte-fallback", "--set", "byte_fallback=false", "-o", "x.model", "corpus.txt"),
    ("train", "--normalization", "nfkc", "--set", "normalization_rule_name=identity", "-o", "x.model", "corpus.txt"),
    ("train", "--set", "split_digits=true", "--set", "split-digits=false", "-o", "x.model", "corpus.txt"),
    ("train", "--seed", "3", "-o", "x.model", "corpus.txt"),
    ("train", "--whole", "--format", "jsonl", "-o", "x.model", "corpus.txt"),
    ("train", "--field", "body", "--format", "text", "-o", "x.model", "corpus.txt"),
    ("words", "--top", "3", "-o", "x.words", "corpus.txt"),
    ("encode", "--pieces", "--spans", "a"),
    ("encode", "--unit", "byte", "a"),
    ("encode", "--specials", "text", "--allow-special", "<s>", "a"),
    ("encode", "-i", "corpus.txt", "a"),
    ("decode", "--bytes", "--json", "5"),
    ("decode", "--bytes", "--errors", "strict", "5"),
    ("info", "--vocab", "--all"),
    ("info", "tok.model", "-t", "tok.model"),
    ("lattice", "--svg", "-", "--json", "a"),
    ("sample", "--count", "3", "--spans", "a"),
    ("sample", "--count", "3", "--pieces", "a"),
    ("sample", "--top", "3", "a"),
    ("sample", "--nbest", "3", "a"),
    ("extend", "--token", "x", "--map", "map.json", "x.model"),
    ("extend", "--token", "x", "--grow", "3", "x.model"),
]


@pytest.mark.parametrize("arguments", CONTRADICTIONS, ids=lambda arguments: " ".join(arguments[:5]))
def test_contradictions_are_wrong_usage(shell: Shell, arguments: tuple[str, ...]) -> None:
    Path("corpus.txt").write_text("low lower\n", encoding="utf-8")
    found = shell(*arguments)
    assert (found.code, found.out) == (2, "")
    assert not list(Path().glob("x.*"))


def test_lenient_decode(shell: Shell) -> None:
    """Ids that no piece has are left out, in text and in bytes."""
    given = ["decode", "-t", "ranks.anypiece", "--errors", "lenient"]
    assert shell(*given, "--", "-100", "104", "99999999", "105").out == "hi\n"
    assert shell(*given, "--bytes", "--", "104", "99999999", "105").out == "hi"
    assert shell("decode", "-t", "ranks.anypiece", "--errors", "ignore", "104", "99999999").code == 3


def test_decode_writes_raw_bytes(shell: Shell) -> None:
    """Half a character comes out as it is, and nothing behind it."""
    given = ["decode", "-t", "ranks.anypiece", "--bytes"]
    with open("out.bin", "wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "anypiece", *given, "263", "10"], stdout=out, check=False, timeout=60
        )
    assert (done.returncode, Path("out.bin").read_bytes()) == (0, b"\xe6\x97\n")
    assert shell(*given, "-i", "-", given="104 105\n106\n").out == "hij"
    assert shell(*given, "--skip-special", "104", "269", "105").out == "hi"
    assert shell(*given, "--stop-at-eos", "104", "270", "105").out == "h"


SHELLS = {"bash": "_anypiece_completion", "zsh": "#compdef anypiece", "fish": "function _anypiece_completion"}


@pytest.mark.parametrize("name", SHELLS)
def test_completion_scripts(name: str) -> None:
    """What the guide tells people to run gives the script of their shell."""
    found = _completed({"_ANYPIECE_COMPLETE": f"{name}_source"}, name)
    assert SHELLS[name] in found
    guide = (ROOT / "docs/guide/cli.md").read_text(encoding="utf-8")
    assert f"_ANYPIECE_COMPLETE={name}_source" in guide


def test_completion_of_verbs_options_and_choices() -> None:
    def answers(words: str, place: int) -> list[str]:
        found = _completed(
            {"_ANYPIECE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(place)}, "bash"
        )
        return [line.partition(",")[2] for line in found.splitlines()]

    assert answers("anypiece en", 1) == ["encode"]
    assert set(cli.VERBS) <= set(answers("anypiece ", 1))
    assert "--only" in answers("anypiece check --o", 2)
    assert sorted(answers("anypiece check --only sp", 3)) == ["spans", "specials"]


@pytest.mark.parametrize("words", ["encode -t ", "encode -i ", "count ", "info ", "check a ", "train -o ", "compare "])
def test_completion_of_files(words: str) -> None:
    given = {"COMP_WORDS": f"anypiece {words}", "COMP_CWORD": str(words.count(" ") + 1 - (words.count(" ") == 0))}
    assert _completed({"_ANYPIECE_COMPLETE": "bash_complete", **given}, "bash").startswith("file,")


def _completed(environment: dict[str, str], name: str) -> str:
    """The answer of the command as the shell asks for it."""
    program = "import sys; sys.argv[0] = 'anypiece'; from anypiece.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, f"{name}: {done.stderr}"
    return done.stdout


def test_the_embedded_tokenizer_is_called_default(shell: Shell) -> None:
    """Wherever a tokenizer is named, unless there is a file of that name."""
    plain = shell("encode", "Hello").out
    assert shell("encode", "-t", "default", "Hello").out == plain
    assert shell("info", "default").out == shell("info").out
    assert shell("check", "default", "default").code == 0
    assert shell("convert", "default", "x.model").code == 0
    Path("default").write_bytes(Path("tok.model").read_bytes())
    assert shell("encode", "-t", "default", "ab").out == "10\n"


def test_a_token_that_was_a_piece_before_is_noted(shell: Shell) -> None:
    found = shell("extend", "-t", "tok.model", "--token", "ab", "--token", "new", "big.model")
    assert (found.code, found.out) == (0, "9\tab\n11\tnew\n")
    assert found.err == "anypiece: note: 'ab' has been a piece before, and keeps its id 9\n"
