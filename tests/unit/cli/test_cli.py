"""What all verbs share: mistakes and their exit codes, terminals, pipes, signals and the help texts.

What each verb prints is in ``test_verbs.py``. The guide shows the help texts as they are; ``make docs`` pastes them.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import anypiece as ap
from anypiece import cli
from scripts.docs.help import GUIDE, help_of, with_current_help
from tests.support.shell import Shell
from tests.support.small_vocabularies import UNIGRAM

VERBS = (
    *("encode", "decode", "count", "info", "normalize", "explain", "lattice", "nbest", "sample"),
    *("doctor", "check", "convert", "extend", "words", "train", "compare", "shards", "serve"),
)


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

    def test_output_that_cannot_be_written(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        told: list[tuple[str, str]] = []
        monkeypatch.setattr(cli.output, "complain", lambda message, code: told.append((message, code)))
        for failing in ("write", "flush"):
            buffer = SimpleNamespace(**{"write": len, "flush": lambda: None, failing: fail})
            with monkeypatch.context() as patch:
                patch.setattr(sys, "stdout", SimpleNamespace(buffer=buffer, isatty=lambda: False, fileno=fail))
                assert cli.run(["encode", "-t", "tok.model", "a"]) == 3
        assert [(message[:33], code) for message, code in told] == [
            ("standard output cannot be written", "file-unwritable")
        ] * 2

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


def test_the_guide_shows_the_real_help() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    assert re.findall(r"<!-- help (\w+) -->", guide) == ["anypiece", *VERBS]
    assert guide == with_current_help(guide), "run: make docs"


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_examples(verb: str) -> None:
    shown = help_of(verb)
    assert "Examples:" in shown
    assert f"anypiece {verb}" in shown
    assert verb in cli.VERBS


def test_every_verb_is_listed() -> None:
    assert tuple(cli.VERBS) == VERBS
