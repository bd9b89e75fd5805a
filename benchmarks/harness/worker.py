"""One engine in one fresh process, driven over pipes by ``benchmarks.run``.

Reads one JSON job, then commands, one per line, and answers each with one JSON line. Between commands it waits, so that
the driver can interleave several workers. It times and digests; comparing and judging is the driver's part.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from benchmarks.engines import Engine, engine_class
from benchmarks.harness.definition import Sampling
from benchmarks.harness.modes import Checked, check, packed, run_pass, timed
from benchmarks.harness.texts import Documents, open_documents


@dataclass(frozen=True)
class Job:
    """What a worker is started for.

    ``path`` is the tokenizer file, ``texts`` and ``ids`` are cache files, ``parts`` says into how many parts the
    documents are divided; the n-th pass reads the n-th part, over and over.
    """

    engine: str
    mode: str
    threads: int
    path: str
    texts: str
    ids: str
    parts: int
    sampling: Sampling


class Bench:
    """The state of a worker: the engine once it is loaded, and the documents."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.kind = engine_class(job.engine)
        self.documents = open_documents(Path(job.texts))
        self.passes = 0
        self.engine: Engine | None = None

    def about(self) -> dict[str, Any]:
        """Answer with the installed version."""
        return {"version": self.kind.version()}

    def load(self) -> dict[str, Any]:
        """Load the tokenizer file."""
        found = timed(lambda: [self.kind(Path(self.job.path), self.job.threads)])
        self.engine = found.results[0]
        return {"cpu": found.cpu, "wall": found.wall}

    def encode(self) -> dict[str, Any]:
        """Run one pass over the next part of the inputs with the loaded engine."""
        engine = self.loaded()
        part = self.documents.part(self.passes % self.job.parts, self.job.parts)
        self.passes += 1
        inputs = self.inputs(part)
        found = run_pass(engine, self.job.mode, inputs, self.job.sampling)
        result = check(engine, self.job.mode, found.results, inputs, self.job.sampling)
        tokens = sum(map(len, inputs)) if self.job.mode == "decode" else result.tokens
        return {"cpu": found.cpu, "wall": found.wall} | summary(part, Checked(result.digests, tokens))

    def first(self) -> dict[str, Any]:
        """Load anew and encode the first document: what a caller waits for. Then check that engine on all documents."""
        texts = self.documents.fresh()
        found = timed(lambda: [self.first_result(texts[0])])
        engine: Engine = found.results[0]
        return {"cpu": found.cpu, "wall": found.wall} | summary(self.documents, check_each(engine, texts))

    def first_result(self, text: str) -> Engine:
        """Load, encode one text, return the engine."""
        engine = self.kind(Path(self.job.path), self.job.threads)
        engine.array()(text)
        return engine

    def memory(self) -> dict[str, Any]:
        """Load and encode every document, keeping no result; answer with the growth of the resident peak."""
        texts = self.documents.fresh()
        before = reset_peak()
        self.load()
        found = check_each(self.loaded(), texts)
        return {"bytes": peak("VmHWM") - before} | summary(self.documents, found)

    def write_ids(self) -> dict[str, Any]:
        """Write the ids of all documents for decoders to read."""
        engine = self.loaded()
        encode = engine.array()
        rows = [np.frombuffer(packed(engine.unpack(encode(text)))[0], dtype="<u4") for text in self.documents.fresh()]
        Path(self.job.ids).parent.mkdir(parents=True, exist_ok=True)
        np.savez(self.job.ids, ids=np.concatenate(rows), offsets=np.cumsum([0, *map(len, rows)]))
        return {"tokens": sum(map(len, rows))}

    def inputs(self, part: Documents) -> list[Any]:
        """Return new input objects: texts, or ids in the form the engine decodes fastest."""
        if self.job.mode != "decode":
            return list(part.fresh())
        stored = np.load(self.job.ids)
        rows = np.split(stored["ids"], stored["offsets"][1:-1])
        return [row.copy() for row in rows] if self.loaded().wants_arrays else [row.tolist() for row in rows]

    def loaded(self) -> Engine:
        """Return the engine, which a ``load`` command must have made."""
        if self.engine is None:
            raise RuntimeError("the engine is not loaded")
        return self.engine


def check_each(engine: Engine, texts: list[str]) -> Checked:
    """Encode text by text without keeping results."""
    call = engine.array()
    found = [check(engine, "array", [call(text)], [text], Sampling()) for text in texts]
    return Checked([one.digests[0] for one in found], sum(one.tokens for one in found))


def summary(part: Documents, found: Checked) -> dict[str, Any]:
    """Pack what is compared, and the size of the input, for the pipe."""
    digests = base64.b64encode(b"".join(found.digests)).decode()
    return {"digests": digests, "tokens": found.tokens, "documents": len(part), "input": len(part.blob)}


def reset_peak() -> int:
    """Set the kernel's resident-peak counter back to the present size, and return that size."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    return peak("VmRSS")


def peak(field: str) -> int:
    """Read one memory field of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))


def private_stdout() -> TextIO:
    """Return the pipe to the driver, and send whatever libraries print to standard error."""
    pipe = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return pipe


def main() -> None:
    """Serve commands until the input ends."""
    pipe = private_stdout()
    facts = json.loads(sys.stdin.readline())
    bench = Bench(Job(**(facts | {"sampling": Sampling(**facts["sampling"])})))
    commands: dict[str, Callable[[], dict[str, Any]]] = {
        "about": bench.about,
        "load": bench.load,
        "encode": bench.encode,
        "first": bench.first,
        "memory": bench.memory,
        "ids": bench.write_ids,
    }
    gc.disable()
    for line in sys.stdin:
        print(json.dumps(commands[line.strip()]()), file=pipe, flush=True)
        gc.collect()


if __name__ == "__main__":
    main()
