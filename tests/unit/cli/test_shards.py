"""``anypiece shards``: what it prints, its exit codes, and that each option arrives."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import click
import pytest

import anypiece as ap
from anypiece import cli
from anypiece.cli import shard_runs as verb
from anypiece.corpus.shards.options import Options
from tests.support.corpora import DOCUMENTS, TOK, tree, written
from tests.support.fake_ray import FakeRay
from tests.support.shell import Shell


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    written(tmp_path, "corpus.jsonl", DOCUMENTS * 30)
    return Shell(monkeypatch, tmp_path)


PLAN = ("corpus.jsonl", "-t", "tok.model", "--to", "megatron", "-o", "out")


def test_plan_run_verify_inspect(run: Shell) -> None:
    planned = run("shards", "plan", *PLAN, "--shard-size", "4kB")
    amount = int(planned.out.split()[0])
    assert (planned.code, amount > 2) == (0, True)
    assert planned.err == "anypiece: note: write them: anypiece shards run out\n"
    done = run("shards", "run", "--processes", "1", "--max-memory", "1GB", "out")
    wanted = [ids for text in DOCUMENTS * 30 if (ids := TOK.encode(text))]
    tokens = sum(map(len, wanted)) + len(wanted)
    said = f"{amount} shards, {len(wanted)} documents, {tokens} tokens as uint16, "
    assert done.out.startswith(said)
    assert done.code == 0
    assert "left out: 30 documents of too few tokens" in done.err
    assert "30 documents contain the spelling of a special token" in done.err
    for again in (("run", "out"), ("verify", "out"), ("verify", "--deep", "out")):
        assert run("shards", *again).out == done.out
    both = [*wanted[0], 2], [*wanted[3], 2]
    assert run("shards", "inspect", "out", "0", "3").out == "".join(TOK.decode(ids) + "\n" for ids in both)
    shown = run("shards", "inspect", "--ids", "out", "0").out
    assert shown == " ".join(map(str, [*wanted[0], 2])) + "\n"
    beyond = run("shards", "inspect", "--json", "out", "9999")
    assert (beyond.code, "no document 9999" in beyond.err) == (2, True)
    assert run("shards", "inspect", "--json", "out", "0").rows()[0]["ids"] == [*wanted[0], 2]
    table = run("shards", "inspect", "out").out.splitlines()
    assert table[0].split() == ["shard", "documents", "tokens", "size", "from"]
    assert len(table) == amount + 1
    records = run("shards", "inspect", "--json", "out").rows()
    assert sum(record["documents"] for record in records) == len(wanted)


def test_run_plans_too(run: Shell) -> None:
    done = run("shards", "run", *PLAN, "--json")
    assert done.rows()[0]["format"] == "megatron"
    assert done.rows()[0]["shards"] == 1
    assert run("shards", "run", *PLAN, "--json").out == done.out
    other = run("shards", "run", *PLAN, "--min-tokens", "3")
    assert (other.code, "min_tokens is 1 there and 3 here" in other.err) == (3, True)
    assert other.err.rstrip().endswith("[shards-differ]")


def test_documents_that_cannot_be_used_are_told(run: Shell) -> None:
    Path("bad.jsonl").write_bytes(b'{"text": "ab"}\n{\n{"text": "a\xff"}\n')
    done = run("shards", "run", "bad.jsonl", "-t", "tok.model", "--to", "numpy", "-o", "out")
    assert done.code == 4
    assert "left out: 1 lines that are no JSON or CSV" in done.err
    assert "1 documents are not UTF-8 and have U+FFFD" in done.err
    assert f"left out {Path('bad.jsonl').absolute()} at 15: no JSON" in done.err
    assert run("shards", "verify", "out").code == 0
    stopped = run(
        "shards", "run", "bad.jsonl", "-t", "tok.model", "--to", "numpy", "-o", "other", "--on-bad-line", "error"
    )
    assert stopped.code == 3
    assert "leave such out with --on-bad-line skip" in stopped.err
    assert "go on: anypiece shards run other [shards-document]" in stopped.err


def test_damage_has_its_exit_code(run: Shell) -> None:
    run("shards", "run", *PLAN)
    Path("out/00000.bin").write_bytes(b"")
    damaged = run("shards", "verify", "out")
    assert damaged.code == 5
    assert damaged.err.rstrip().endswith("[shards-damaged]")


def test_ranks(run: Shell) -> None:
    run("shards", "plan", *PLAN, "--shard-size", "4kB")
    first = run("shards", "run", "out", "--rank", "0", "--world", "2", "--processes", "1")
    assert (first.code, first.out) == (0, "")
    assert "whoever is done last" in first.err
    assert run("shards", "run", "out", "--rank", "1", "--world", "2", "--processes", "1").out.endswith("B\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plan", "corpus.jsonl", "--to", "numpy"], "with --output"),
        (["plan", "corpus.jsonl", "-o", "out"], "with --to"),
        (["run", "one", "two"], "with --output"),
        (["run", "out", "--to", "numpy"], "--to belongs to the plan"),
        (["run", "out", "-t", "tok.model"], "--tokenizer belongs to the plan"),
        (["run", "out", "--rank", "2", "--world", "2"], "--rank is from 0 to 1"),
        (["inspect", "--ids", "out"], "--ids is for documents"),
    ],
)
def test_wrong_usage(run: Shell, arguments: list[str], message: str) -> None:
    run("shards", "run", *PLAN)
    done = run("shards", *arguments)
    assert done.code == 2
    assert message in done.err


VALUES: dict[str, tuple[list[str], Any]] = {
    "format": (["--to", "llmc"], "llmc"),
    "field": (["--field", "meta.body"], "meta.body"),
    "input_format": (["--format", "jsonl"], "jsonl"),
    "whole": (["--whole"], True),
    "end_of_text": (["--end-of-text", "none"], "none"),
    "end_of_text_token": (["--end-of-text-token", "<s>"], "<s>"),
    "add_special": (["--add-special", "both", "--end-of-text", "none"], True),
    "specials": (["--specials", "parse"], "parse"),
    "on_bad_utf8": (["--on-bad-utf8", "skip"], "skip"),
    "on_bad_line": (["--on-bad-line", "error"], "error"),
    "on_bad_file": (["--on-bad-file", "skip"], "skip"),
    "min_tokens": (["--min-tokens", "3"], 3),
    "max_tokens": (["--max-tokens", "1k"], 1000),
    "shard_size": (["--shard-size", "5kB"], 5000),
    "max_document": (["--max-document", "5kB"], 5000),
    "long_documents": (["--long-documents", "skip"], "skip"),
    "validation": (["--validation", "0.1"], 0.1),
    "sample": (["--sample", "0.1"], 0.1),
    "sample_method": (["--sample-method", "nbest"], "nbest"),
    "sample_nbest": (["--sample-nbest", "9"], 9),
    "seed": (["--seed", "7"], 7),
    "dedupe": (["--dedupe"], True),
    "pack": (["--pack", "2k"], 2000),
    "packing": (["--pack", "2048", "--packing", "fit", "--to", "numpy"], "fit"),
    "shuffle": (["--shuffle"], True),
    "budget": (["--budget", "10B"], 10**10),
    "weights": (["--weight", "web=0.7", "--weight", "code=0.3"], (("code", 0.3), ("web", 0.7))),
    "epochs": (["--epochs", "web=1.5", "--shuffle"], (("web", 1.5),)),
    "columns": (["--columns", "text,meta.body", "--to", "arrow"], ("text", "meta.body")),
}


@pytest.mark.parametrize("name", Options.__dataclass_fields__)
def test_every_option_arrives(run: Shell, name: str) -> None:
    flags, wanted = VALUES[name]
    Path("a.jsonl").write_text(json.dumps({"text": "ab", "meta": {"body": "ab"}}) + "\n")
    Path("b.jsonl").write_bytes(Path("a.jsonl").read_bytes())
    inputs = ["web=a.jsonl", "code=b.jsonl"] if name in ("weights", "epochs") else ["a.jsonl"]
    arguments = [*(["--to", "megatron"] if name != "format" else []), *flags]
    done = run("shards", "plan", *inputs, "-t", "tok.model", "-o", "out", *arguments)
    assert done.code == 0, done.err
    assert getattr(ap.corpus.shards.plan.read_plan("out").options, name) == wanted


def test_arranged(run: Shell) -> None:
    arranged = ["--dedupe", "--budget", "1k", "--seed", "3"]
    done = run("shards", "run", "web=corpus.jsonl", *PLAN[1:], *arranged)
    assert done.code == 0, done.err
    assert "note: left out: 203 documents whose text came before" in done.err
    assert "note: web: 7 documents, " in done.err
    run("shards", "plan", *PLAN[:-1], "other", "--shuffle", "--shard-size", "4kB")
    part = run("shards", "run", "other", "--rank", "0", "--world", "2", "--processes", "1")
    assert (part.code, part.out) == (0, "")
    assert "run them again, or give all of them --wait" in part.err


def test_the_first_interrupt_finishes_shards_and_the_second_leaves(run: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    run("shards", "plan", *PLAN, "--shard-size", "4kB")

    def interrupted(folder: str, **rest: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        assert rest["stop"].is_set()
        if rest["threads"] == 2:
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(verb, "run_shards", interrupted)
    done = run("shards", "run", "out")
    assert done.code == 130
    assert "finishing the shards that are being written" in done.err
    assert "interrupted; go on: anypiece shards run out" in done.err
    assert run("shards", "run", "--threads", "2", "out").code == 130
    assert signal.getsignal(signal.SIGINT) is before


def test_every_verb_has_examples() -> None:
    group = cli.group.get_command(click.Context(cli.group), "shards")
    assert isinstance(group, click.Group)
    for command in group.commands.values():
        assert f"anypiece shards {command.name} " in (command.help or "")


def test_an_engine_runs_a_plan_that_is_there(run: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    run("shards", "run", *PLAN, "--shard-size", "4kB", "--processes", "1")
    wanted = tree(run.folder / "out")
    assert run("shards", "plan", *PLAN[:-1], "other", "--shard-size", "4kB").code == 0
    monkeypatch.setitem(sys.modules, "ray", FakeRay())  # type: ignore[arg-type]
    done = run("shards", "run", "--engine", "ray", "--cluster", "auto", "--threads", "2", "--processes", "1", "other")
    assert done.code == 0, done.err
    assert tree(run.folder / "other") == wanted


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "--cluster", "auto", "out"), "--cluster is for --engine"),
        (("run", "--engine", "spark", "--world", "2", "out"), "spark does it itself"),
    ],
)
def test_engines_that_do_not_fit(run: Shell, arguments: tuple[str, ...], message: str) -> None:
    done = run("shards", *arguments)
    assert (done.code, message in done.err) == (2, True)


def test_words_by_an_engine(run: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", FakeRay())  # type: ignore[arg-type]
    assert run("words", "-o", "local.words", "corpus.jsonl").code == 0
    done = run("words", "--engine", "ray", "-o", "ray.words", "corpus.jsonl")
    assert (done.code, ", in ray.words" in done.err) == (0, True)
    assert (run.folder / "ray.words").read_bytes() == (run.folder / "local.words").read_bytes()
    for arguments, message in (
        (("--engine", "ray", "corpus.jsonl"), "with --output"),
        (("--cluster", "auto", "corpus.jsonl"), "--cluster is for --engine"),
        (("--engine", "ray", "--input-sentence-size", "5", "-o", "a.words", "corpus.jsonl"), "all of the corpus"),
    ):
        refused = run("words", *arguments)
        assert (refused.code, message in " ".join(refused.err.split())) == (2, True), refused.err
