"""Ctrl-C during long native calls is a ``KeyboardInterrupt`` long before they would have ended, and the tokenizer works on.

Each call runs in a process of its own, which sends itself a real SIGINT once the call is under way. How long the call would
have taken is estimated from a shorter one in the same process, so that nothing depends on the machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import Any

import pytest

PROGRAM = textwrap.dedent(
    """
    import json, os, signal, sys, threading, time
    import numpy as np
    import anypiece as ap

    signal.signal(signal.SIGINT, signal.default_int_handler)
    name, first = sys.argv[1], sys.argv[2] == "first"
    tok = ap.load()
    words = "The quick brown fox jumps over the lazy dog, naïvely; 日本語も少し。 "
    text = words * 5000
    few = words * 50
    CALLS = {
        "encode": lambda n: tok.encode(text * n),
        "encode_threads": lambda n: tok.encode(text * n, threads=2),
        "encode_unit": lambda n: tok.encode("a" * (100_000 * n)),
        "encode_array": lambda n: tok.encode_array(text * n),
        "encode_batch": lambda n: tok.encode_batch([text] * n, threads=1),
        "encode_batch_threads": lambda n: tok.encode_batch([few] * (100 * n), threads=2),
        "encode_spans": lambda n: tok.encode_spans(text * n),
        "count": lambda n: tok.count(text * n),
        "normalize": lambda n: tok.normalize(text * n),
        "truncate": lambda n: tok.truncate(text * n, 10**9),
        "split": lambda n: tok.split(few * n, 20),
        "decode": lambda n: tok.decode(np.tile(ids, n)),
        "sample": lambda n: tok.sample(text * n, alpha=0.2, seed=1),
        "sample_dropout": lambda n: dropping.sample("abcab" * (20_000 * n), method="dropout", alpha=0.1, seed=1),
        "nbest": lambda n: tok.nbest(few, 50 * n),
        "lattice": lambda n: tok.lattice(few * n),
        "stream": lambda n: tok.stream_encoder().push(text * n),
    }
    call = CALLS[name]
    ids = tok.encode_array(text) if name == "decode" else None
    rows = [("<unk>", 0.0, ap.Kind.UNKNOWN)]
    rows += [(piece, -float(place), ap.Kind.NORMAL) for place, piece in enumerate("a b c ab abc ▁".split())]
    dropping = ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), segmenter="bpe")) if name == "sample_dropout" else None
    sizes = {"encode_spans": 40, "split": 1000, "lattice": 1200, "nbest": 500, "encode_unit": 100}
    n, took = sizes.get(name, 160), 0.0
    if not first:
        begun = time.perf_counter()
        call(n // 20 or 1)
        took = (time.perf_counter() - begun) * 20
    sent = []

    def send():
        time.sleep(0.1)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()
    outcome = "finished"
    try:
        call(n)
    except KeyboardInterrupt:
        outcome = "interrupted"
    except BaseException as error:
        outcome = repr(error)
    late = time.perf_counter() - sent[0] if sent else 0.0
    works = tok.decode(tok.encode("Hello world")) == "Hello world" and len(tok.encode_array("a b")) > 0
    print(json.dumps({"outcome": outcome, "late": late, "took": took, "works": works}))
    """
)

CALLS = (
    "encode",
    "encode_threads",
    "encode_unit",
    "encode_array",
    "encode_batch",
    "encode_batch_threads",
    "encode_spans",
    "count",
    "normalize",
    "truncate",
    "split",
    "decode",
    "sample",
    "sample_dropout",
    "nbest",
    "lattice",
    "stream",
)


def interrupted(name: str, first: bool) -> dict[str, Any]:
    command = [sys.executable, "-c", PROGRAM, name, "first" if first else "later"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert found["outcome"] == "interrupted", found
    assert found["works"]
    return found


@pytest.mark.parametrize("name", CALLS)
def test_a_long_call_is_interrupted(name: str) -> None:
    found = interrupted(name, first=False)
    assert found["late"] < max(found["took"] * 0.6, 0.5), found  # nbest puts its paths together without a look


@pytest.mark.parametrize("name", ["encode_array", "encode_batch", "encode_batch_threads"])
def test_the_first_call_that_makes_an_array(name: str) -> None:
    """The arrays' interface was imported with the package: that is not done while a signal waits."""
    interrupted(name, first=True)
