"""Run one definition in this process, alone: for callgrind, perf, and quick A/B while changing the kernel.

``python -m benchmarks.profile t5-english --passes 3`` prints MB per CPU second of every pass: the first is cold, the
others warm. The reference runs afterwards in the same process and its ids are compared. This is no record: engines are
not interleaved and share one process; ``benchmarks.run`` does that properly.
"""

from __future__ import annotations

import argparse
import gc
import time

from benchmarks.engines import engine_class
from benchmarks.harness.definition import Definition
from benchmarks.harness.matrix import load_definitions
from benchmarks.harness.modes import Checked, check, run_pass
from benchmarks.harness.texts import Documents, open_documents, prepare

ENCODING_MODES = ("array", "list", "face", "batch", "padded", "count", "spans", "sample", "nbest")


def main() -> None:
    """Parse the command line and profile."""
    options = parse()
    found = load_definitions(options.definition)
    if not found:
        raise SystemExit(
            f"no definition {options.definition}; there are: " + " ".join(d.name for d in load_definitions())
        )
    for definition in found if options.all else found[:1]:
        profile(definition, options)


def parse() -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.profile", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "definition", help="name or pattern, for instance t5-english or t5-english/100b; the first match is run"
    )
    parser.add_argument("--all", action="store_true", help="run every match")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--engines", default="", help="comma-separated; default: anypiece and the reference")
    parser.add_argument("--mode", default="", help="what to time instead of the definition's own mode")
    parser.add_argument("--threads", type=int, default=0, help="instead of the definition's own")
    parser.add_argument("--documents", type=int, default=0, help="only the first N documents")
    return parser.parse_args()


def profile(definition: Definition, options: argparse.Namespace) -> None:
    """Time each engine's passes and compare its results with the last engine's."""
    documents = open_documents(prepare(definition.text))
    if options.documents:
        documents = documents.slice(0, options.documents)
    mode = options.mode or (definition.mode if definition.mode in ENCODING_MODES else "array")
    print(f"{definition.name}: {len(documents)} documents, {len(documents.blob) / 1e6:.2f} MB, {mode}")
    names = options.engines.split(",") if options.engines else ["anypiece", definition.reference]
    seen = [measure(definition, name, mode, documents, options) for name in names]
    for name, found in zip(names[:-1], seen[:-1], strict=True):
        print(f"  {name} differs from {names[-1]} in {found.differing(seen[-1])} of {len(documents)} documents")


def measure(definition: Definition, name: str, mode: str, documents: Documents, options: argparse.Namespace) -> Checked:
    """Print one engine's speed per pass; return what its first pass gave."""
    kind = engine_class(name)
    path = kind.file(definition.tokenizer, "")
    started = time.process_time()
    engine = kind(path, options.threads or definition.threads)
    print(f"  {name:<14} load {1e3 * (time.process_time() - started):8.1f} ms", end="", flush=True)
    first: Checked | None = None
    gc.disable()
    for _ in range(max(1, options.passes)):
        texts = documents.fresh()
        timing = run_pass(engine, mode, texts, definition.sampling)
        first = first or check(engine, mode, timing.results, texts, definition.sampling)
        print(f"   {len(documents.blob) / timing.cpu / 1e6:8.2f} MB/s", end="", flush=True)
    print()
    assert first is not None
    return first


if __name__ == "__main__":
    main()
