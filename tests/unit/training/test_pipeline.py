"""Training as a user meets it: from texts, files and tables, with options that are checked, the same every time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

import anypiece as ap
from anypiece import FormatError, InputError
from anypiece.cli import run
from anypiece.training import KINDS, report_on
from anypiece.training import words as words_module
from anypiece.training.pipeline import counts_for
from tests.support.words import sentences

TEXTS = sentences(2000)
SIZES = {"char": 40, "bytepiece": 400}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("\n".join(TEXTS), "utf-8")
    return path


def trained(kind: str, source: Any = TEXTS, **options: Any) -> ap.Tokenizer:
    return ap.train(source, kind, vocab_size=SIZES.get(kind, 500), **options)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_the_same_for_any_threads_order_and_way(kind: str, corpus: Path, tmp_path: Path) -> None:
    one = trained(kind, [text + "\n" for text in TEXTS], threads=1)
    assert trained(kind, [text + "\n" for text in reversed(TEXTS)], threads=8).fingerprint == one.fingerprint
    counts = ap.count_words([text + "\n" for text in TEXTS], kind)
    assert trained(kind, counts).fingerprint == one.fingerprint
    counts.save(tmp_path / "table.words")
    assert trained(kind, tmp_path / "table.words").fingerprint == one.fingerprint
    assert trained(kind, corpus, threads=2).vocab_size == one.vocab_size
    text = "the river of the mountain and a cat"
    assert one.decode(one.encode(text)).strip() == text


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_in_little_memory(kind: str, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = trained(kind, corpus)
    monkeypatch.setattr("anypiece.corpus.readers._PART", 10_000)
    monkeypatch.setattr(words_module, "_TABLE_SHARE", 0.0)
    assert trained(kind, corpus, max_memory="64GB").fingerprint == whole.fingerprint


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_report(kind: str) -> None:
    counts = ap.count_words(TEXTS, kind)
    tok = trained(kind, counts)
    report = report_on(tok, counts, {"first": "\n".join(TEXTS[:50])})
    assert report.vocab_size == tok.vocab_size
    assert report.words == len(counts)
    assert report.tokens > 0
    assert (0.3 if kind in ("word", "char") else 0.98) < report.coverage <= 1.0
    assert report.slices[0].tokens == len(tok.encode("\n".join(TEXTS[:50])))
    assert "<h1>" in report.html()


def test_a_trained_model_is_the_same_in_sentencepiece(tmp_path: Path) -> None:
    tok = ap.train(TEXTS, vocab_size=700, byte_fallback=True, user_defined_symbols=("<sep>",))
    tok.save(tmp_path / "tok.model")
    other = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "tok.model"))
    for text in [*TEXTS[:200], "unknown ж 🦊<sep>x", "  spaces  "]:
        assert tok.encode(text) == other.encode(text)


@pytest.mark.parametrize("kind", ["unigram", "bpe", "char"])
def test_samples_are_words_of_the_text(kind: str, tmp_path: Path) -> None:
    tok = trained(kind, self_test_sample_size=7)
    assert len({sample.text for sample in tok.spec.samples}) == 7
    tok.save(tmp_path / "tok.model")
    assert ap.load(tmp_path / "tok.model").spec.samples == tok.spec.samples


def test_words_are_used_as_often_as_they_were_seen() -> None:
    counts = ap.count_words(TEXTS)
    tok = ap.train(counts, vocab_size=500)
    report = report_on(tok, counts)
    assert report.tokens == sum(len(tok.encode(text)) for text in TEXTS)
    assert report.occurrences == sum(len(text.split()) for text in TEXTS)
    assert sum(amount for _, amount in report.lengths) == tok.vocab_size - 3


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ({"kind": "unigrams"}, "train-option", "there are unigram"),
        ({"vocab_sise": 5}, "train-option", "Did you mean 'vocab_size'"),
        ({"splitter": "gpt2"}, "train-option", "is an option of byte-bpe"),
        ({"vocab_size": 10}, "train-vocab-size", "set it to"),
        ({"vocab_size": 10**6}, "train-vocab-size", "or less"),
        ({"normalization_rule_name": "nfkx"}, "argument-value", "nfkc"),
        ({"max_memory": "10kB"}, "train-memory", "give"),
    ],
)
def test_wrong_options(options: dict[str, Any], code: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        ap.train(TEXTS, **options)
    assert caught.value.code == code


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_train_on(kind: str) -> None:
    for source in ([], ["", ""]):
        with pytest.raises(InputError) as caught:
            ap.train(source, kind)
        assert caught.value.code == "train-corpus"


def test_tables_for_other_settings_are_refused() -> None:
    counts = ap.count_words(TEXTS, "unigram", remove_extra_whitespaces=False)
    for other in (
        {"remove_extra_whitespaces": True},
        {"treat_whitespace_as_suffix": True},
        {"user_defined_symbols": ("<x>",)},
    ):
        with pytest.raises(FormatError, match="other settings"):
            ap.train(counts, vocab_size=300, **other)
    with pytest.raises(FormatError, match="counted for unigram"):
        ap.train(counts, "byte-bpe")


def test_text_is_seen_as_the_table_says() -> None:
    counts = ap.count_words(TEXTS, "unigram", remove_extra_whitespaces=False, normalization_rule_name="identity")
    tok = ap.train(counts, vocab_size=300)
    assert not tok.spec.remove_extra_whitespaces
    assert not tok.spec.charsmap
    said = {"remove_extra_whitespaces": False, "normalization_rule_name": "identity"}
    assert tok.fingerprint == ap.train(counts, vocab_size=300, **said).fingerprint
    assert tok.fingerprint == ap.train(TEXTS, vocab_size=300, **said).fingerprint
    more = ap.train(counts, vocab_size=600, byte_fallback=True, pad_id=3, control_symbols=("<c>",))
    assert more.spec.byte_fallback
    assert more.pad_id == 3


def test_a_limit_holds_for_tables_and_for_words_that_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = ap.count_words(TEXTS)
    counts.save(tmp_path / "t.words")
    some = counts.words.size // 2
    monkeypatch.setattr(words_module, "_room", lambda allowed: some * 13)
    left = counts_for(TEXTS, max_memory="64GB")
    assert left.left.words > 0
    assert left.words.size <= some
    monkeypatch.setattr("anypiece._core.memory.held", lambda: 0)
    read = counts_for(tmp_path / "t.words", max_memory=some * 13)
    assert read.words.columns() == left.words.columns()
    assert read.left == left.left


def test_an_exception_in_progress_ends_training() -> None:
    def stop(stage: str, done: int, total: int) -> None:
        if stage != "count":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ap.train(TEXTS, vocab_size=500, progress=stop)


def called(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run([str(argument) for argument in arguments])
    seen = capfd.readouterr()
    return code, seen.out, seen.err


def test_the_verbs(corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called(capfd, "words", "--top", "1", corpus)
    assert (code, out.split("\t")[0]) == (0, "▁the")
    for name in ("a", "b"):
        assert called(capfd, "words", "-o", tmp_path / f"{name}.words", corpus)[0] == 0
    assert called(capfd, "words", "-o", tmp_path / "c.words", tmp_path / "a.words", tmp_path / "b.words")[0] == 0
    target, page = tmp_path / "tok.model", tmp_path / "report.html"
    code, out, err = called(capfd, "train", "--vocab-size", "500", "--report", page, "-o", target, tmp_path / "c.words")
    assert code == 0, err
    assert "500 pieces" in out
    assert "of memory" in err
    assert ap.load(target).vocab_size == 500
    assert "A vocabulary" in page.read_text("utf-8")


def test_the_verbs_on_a_sample(corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "tok.model"
    few = ["--input-sentence-size", "50", "--seed", "3"]
    code, said, err = called(capfd, "train", *few, "--set", "hard_vocab_limit=false", "--json", "-o", out, corpus)
    assert code == 0, err
    assert json.loads(said)["texts"] == 50
    tok = ap.train(corpus, input_sentence_size=50, seed=3, hard_vocab_limit=False)
    assert ap.load(out).fingerprint == tok.fingerprint
    first = ["--input-sentence-size", "1", "--no-shuffle-input-sentence"]
    code, said, _ = called(capfd, "words", *first, corpus)
    assert {row.split("\t")[0] for row in said.splitlines()} == {f"▁{word}" for word in TEXTS[0].split()}
    assert called(capfd, "words", "-o", tmp_path / "a.words", corpus)[0] == 0
    code, _, err = called(capfd, "words", *few, "-o", tmp_path / "b.words", tmp_path / "a.words")
    assert (code, "counted already" in err) == (2, True)
    code, _, err = called(capfd, "train", *few, "-o", out, tmp_path / "a.words")
    assert (code, "counted already" in err) == (3, True)
    command = [sys.executable, "-m", "anypiece", "words", *few]
    piped = subprocess.run(command, input=corpus.read_bytes(), check=False, capture_output=True)
    assert (piped.returncode, b"read once" in piped.stderr) == (3, True)


def test_reports_of_what_has_no_slices(corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.txt"
    rows.write_text("".join(json.dumps({"body": text}) + "\n" for text in TEXTS), "utf-8")
    (tmp_path / "empty.txt").write_bytes(b"")
    out, page = tmp_path / "tok.model", tmp_path / "page.json"
    train = ["train", "--vocab-size", "300", "--report", page, "-o", out]
    assert called(capfd, *train, "--format", "jsonl", "--field", "body", rows)[0] == 0
    assert [one["name"] for one in json.loads(page.read_text("utf-8"))["slices"]] == ["rows.txt"]
    assert called(capfd, *train, corpus, tmp_path / "empty.txt")[0] == 0
    assert [one["name"] for one in json.loads(page.read_text("utf-8"))["slices"]] == ["corpus.txt"]
    command = [sys.executable, "-m", "anypiece", *map(str, train)]
    for more in ([], ["-"]):
        subprocess.run([*command, *more], input=corpus.read_bytes(), check=True, capture_output=True)
        assert json.loads(page.read_text("utf-8"))["slices"] == []


def test_what_the_verbs_say_to_beginners(corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = called(capfd, "train", "-o", tmp_path / "tok.modle", corpus)
    assert (code, "suffix '.modle'" in err) == (3, True)
    code, _, err = called(capfd, "train", "--vocab-size", "99999", "-o", tmp_path / "tok.model", corpus)
    assert (code, "or less" in err) == (3, True)
    code, _, err = called(capfd, "train", "-o", tmp_path / "tok.model", tmp_path / "absent.txt")
    assert (code, "absent.txt" in err) == (3, True)
    code, _, err = called(capfd, "train", "--set", "split_digits", "-o", tmp_path / "tok.model", corpus)
    assert (code, "NAME=VALUE" in err) == (2, True)
    bad = tmp_path / "bad.txt"
    bad.write_bytes(corpus.read_bytes() + b"\nbad \xff line\n")
    code, _, err = called(capfd, "train", "--vocab-size", "500", "-o", tmp_path / "tok.model", bad)
    assert (code, f"bad.txt:{len(TEXTS) + 1}: no UTF-8" in err) == (4, True)


def test_a_format_without_room_loses_nothing(corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = called(capfd, "train", "--vocab-size", "500", "-o", tmp_path / "tok.tiktoken", corpus)
    assert code == 3
    assert "tok.tiktoken.anypiece" in err
    assert ap.load(tmp_path / "tok.tiktoken.anypiece").vocab_size == 500
    assert not (tmp_path / "tok.tiktoken").exists()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("verb", ["words", "train"])
def test_a_run_that_is_stopped_leaves_nothing_under_its_name(tmp_path: Path, verb: str, sign: signal.Signals) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    command = [sys.executable, "-m", "anypiece", verb, "--max-memory", "2GB", "-o", str(folder / "all.model"), "-"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    # Whoever runs the tests in the background has SIGINT ignored, and so would the child.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, preexec_fn=heard, **pipes) as process:
        assert process.stdin is not None
        process.stdin.write(("\n".join(TEXTS) * 30).encode())
        process.stdin.flush()
        wait_for(lambda: any(item.name.startswith("anypiece-") for item in tmp_path.iterdir()))
        process.send_signal(sign)
        assert process.wait(60) == (130 if sign == signal.SIGINT else -signal.SIGKILL)
    assert list(folder.iterdir()) == []
    if sign == signal.SIGINT:
        assert [item.name for item in tmp_path.iterdir()] == ["out"]


def wait_for(what: Callable[[], bool]) -> None:
    """Until it is so, at most a minute."""
    for _ in range(600):
        if what():
            return
        time.sleep(0.1)
    raise AssertionError("it never came")
