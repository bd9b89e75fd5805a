"""Ctrl-C during long native calls is a ``KeyboardInterrupt`` long before they would have ended, and the tokenizer works on.

Each call runs in a process of its own, which sends itself a real SIGINT once the call is under way. How much the main thread
works from then on is told by its own clock, so that nothing depends on what else the machine does.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

PROGRAM = textwrap.dedent(
    """
    import itertools, json, os, signal, sys, threading, time
    import numpy as np
    import anypiece as ap

    signal.signal(signal.SIGINT, signal.default_int_handler)
    name, folder, first = sys.argv[1], sys.argv[2], sys.argv[3] == "first"
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
        "sample_dropout": lambda n: tok.sample("abcab" * (20_000 * n), method="dropout", alpha=0.1, seed=1),
        "nbest": lambda n: tok.nbest(few, 50 * n),
        "lattice": lambda n: tok.lattice(few * n),
        "stream": lambda n: tok.stream_encoder().push(text * n),
        "merges_unit": lambda n: tok.encode_array("a" * (200_000 * n)),
        "merges_chunk": lambda n: tok.encode_array("Qzé" * (100_000 * n)),
        "steps": lambda n: tok.encode_array("a quick ab " * (50_000 * n)),
        "decode_steps": lambda n: tok.decode(np.tile(ids, n)),
        "new_unigram": lambda n: ap.Tokenizer(specs[n]),
        "new_bpe": lambda n: ap.Tokenizer(specs[n]),
        "new_merges": lambda n: ap.Tokenizer(specs[n]),
        "load_json": lambda n: ap.load(specs[n]),
    }
    SIZES = {"encode_spans": 40, "split": 1000, "lattice": 1200, "nbest": 500, "encode_unit": 100}
    SIZES |= {"new_unigram": 1_500_000, "new_bpe": 1_500_000, "new_merges": 1_500_000, "load_json": 1_000_000}
    n, small = SIZES.get(name, 160), 1 if first else SIZES.get(name, 160) // 20
    call = CALLS[name]

    def strings(count):
        letters = [chr(code) for code in range(0x4E00, 0x4E00 + 200)]
        rows = itertools.chain.from_iterable(itertools.product(letters, repeat=size) for size in (1, 2, 3))
        return ["".join(row) for row in itertools.islice(rows, count)]

    def merged(pieces, **settings):
        '''Each piece of several letters is one merge: of all but its last letter, and of that.'''
        number = {piece: place for place, piece in enumerate(pieces, 1)}
        rows = [[number[piece[:-1]], number[piece[-1:]], number[piece]] for piece in pieces if len(piece) > 1]
        rows = np.array(rows, np.uint32)
        pieces = [("<unk>", 0.0, ap.Kind.UNKNOWN)] + [(piece, 0.0, ap.Kind.NORMAL) for piece in pieces]
        return ap.Spec(ap.Pieces.of(pieces), segmenter="bpe", merges=rows, **settings)

    def scored(pieces, segmenter):
        rows = [(piece, -float(place), ap.Kind.NORMAL) for place, piece in enumerate(pieces)]
        return ap.Spec(ap.Pieces.of([("<unk>", 0.0, ap.Kind.UNKNOWN), *rows]), segmenter=segmenter)

    def file_of(pieces, **more):
        model = {"type": "BPE", "vocab": {piece: place for place, piece in enumerate(pieces)}}
        model["merges"] = [[piece[:-1], piece[-1]] for piece in pieces if len(piece) > 1]
        path = os.path.join(folder, f"{len(pieces)}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"version": "1.0", "added_tokens": [], "model": model, **more}, file)
        return path

    def other():
        '''The tokenizer that a call needs, made anew.'''
        if name == "sample_dropout":
            return ap.Tokenizer(scored("a b c ab abc ▁".split(), "bpe"))
        if name == "merges_unit":
            return ap.Tokenizer(merged(["▁", "a", "aa", "aaa"]))
        if name == "merges_chunk":
            rows = [(bytes([byte]), 0.0, ap.Kind.NORMAL) for byte in range(256)] + [(b"zz", -1.0, ap.Kind.NORMAL)]
            off = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
            return ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), segmenter="bpe", symbols="bytes", splitter="gpt2", **off))
        if "steps" in name:
            mark = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
            back = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
            steps = [back, {"type": "ByteFallback"}, {"type": "Fuse"}]
            letters = list("abcdefghijklmnopqrstuvwxyz▁") + ["ab"]
            return ap.load(file_of(letters, normalizer=mark, decoder={"type": "Sequence", "decoders": steps}))
        return ap.load()

    tok = other()
    ids = tok.encode_array("a quick ab " * 50_000 if "steps" in name else text) if "decode" in name else None
    makes = {"new_merges": merged, "load_json": file_of}
    make = makes.get(name, lambda pieces: scored(pieces, name.removeprefix("new_")))
    specs = {size: make(strings(size)) for size in (n, small)} if SIZES.get(name, 0) >= 1_000_000 else {}

    def state():
        return [len(os.listdir(f"/proc/self/{kind}")) for kind in ("task", "fd")] if os.path.isdir("/proc/self/fd") else []

    took = 0.0
    if not first:
        begun = time.perf_counter()
        call(small)
        took = (time.perf_counter() - begun) * 20
    before, sent, main = state(), [], time.pthread_getcpuclockid(threading.main_thread().ident)

    def send():
        time.sleep(0.1)
        sent.append((time.perf_counter(), time.clock_gettime(main)))
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    outcome = "finished"
    try:
        call(n)
    except KeyboardInterrupt:
        outcome = "interrupted"
    except BaseException as error:
        outcome = repr(error)
    late, work = time.perf_counter() - sent[0][0], time.clock_gettime(main) - sent[0][1]
    sender.join()
    # A thread that was joined stays in the kernel's list for some milliseconds.
    end = time.monotonic() + 5
    while state() != before and time.monotonic() < end:
        time.sleep(0.01)
    left = [] if state() == before else [before, state()]
    found = {"outcome": outcome, "late": late, "work": work, "took": took, "left": left}
    fresh, sentence = other(), "a quick ab " + few
    found["works"] = all(
        np.array_equal(tok.encode_array(sentence[:size]), fresh.encode_array(sentence[:size])) for size in (1, 12, 300, 9000)
    ) and tok.encode_spans(few) == fresh.encode_spans(few)
    if specs:
        again = [call(small) for _ in range(2)]
        found["works"] &= again[0].encode("一丁一丁") == again[1].encode("一丁一丁") != []
    print(json.dumps(found))
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
    "merges_unit",
    "merges_chunk",
    "steps",
    "decode_steps",
    "new_unigram",
    "new_bpe",
    "new_merges",
    "load_json",
)
LOADS = ("new_unigram", "new_bpe", "new_merges", "load_json")


def run(program: str, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def interrupted(name: str, folder: Path, first: bool) -> dict[str, Any]:
    found = run(PROGRAM, name, str(folder), "first" if first else "later")
    assert found["outcome"] == "interrupted", found
    assert found["works"], found
    return found


@pytest.mark.parametrize("name", CALLS)
def test_a_long_call_is_interrupted(name: str, tmp_path: Path) -> None:
    """A load leaves nothing behind: no thread, no open file, and no file that was not there."""
    found = interrupted(name, tmp_path, first=False)
    # A question at least each 0.1 s of work; the longest calls have a gigabyte to give back, slowly on a slow machine.
    assert found["work"] < max(found["took"] / 4, 0.35), found
    assert found["late"] < max(found["took"] * 0.6, 3), found
    if name in LOADS:
        assert not found["left"], found
        assert {path.suffix for path in tmp_path.iterdir()} <= {".json"}


@pytest.mark.parametrize("name", ["encode_array", "encode_batch", "encode_batch_threads"])
def test_the_first_call_that_makes_an_array(name: str, tmp_path: Path) -> None:
    """The arrays' interface was imported with the package: that is not done while a signal waits."""
    interrupted(name, tmp_path, first=True)


WORKER = textwrap.dedent(
    """
    import json, os, signal, threading, time
    import numpy as np
    import anypiece as ap

    signal.signal(signal.SIGINT, signal.default_int_handler)
    tok = ap.load()
    text = "The quick brown fox jumps over the lazy dog, naïvely; 日本語も少し。 " * 1_000_000
    results = []

    def work(threads):
        results.append(tok.encode_array(text, threads=threads))

    workers = [threading.Thread(target=work, args=(threads,)) for threads in (1, 2)]
    for worker in workers:
        worker.start()
    time.sleep(0.1)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    raised, running = False, 0
    try:
        time.sleep(30)
    except KeyboardInterrupt:
        raised, running = True, sum(worker.is_alive() for worker in workers)
    for worker in workers:
        worker.join()
    expected = ap.load().encode_array(text)
    same = [np.array_equal(result, expected) for result in results]
    print(json.dumps({"raised": raised, "running": running, "same": same}))
    """
)


def test_calls_of_other_threads_go_on() -> None:
    """Python gives a signal to its main thread, whatever others do."""
    assert run(WORKER) == {"raised": True, "running": 2, "same": [True, True]}
