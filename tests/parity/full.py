"""The full tier: ``python -m tests.parity.full`` compares everything about every ``.model`` file with both releases of
sentencepiece, about every rank file with tiktoken, about every GGUF file with what llama.cpp returned, and about the other
files with the library of their makers, and about folders with transformers; ten thousand tokenizer.json documents are drawn
and compared with tokenizers. Vocabularies that are trained here are written as GGUF, and llama.cpp is asked. Then the law
of linear time is held to every file.

Every comparison of a file, a text set and a release that was equal leaves a mark, keyed by the kernel's binary, the
package's sources, the file and the texts; an interrupted run goes on where it was. Exit code 1 on any difference.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import tokenizers

import anypiece as ap
from tests.parity.compare import FORM, Parity, Peers
from tests.parity.drawn_compare import first_difference as first_drawn_difference
from tests.parity.drawn_compare import quiet
from tests.parity.folders import FOLDERS, facts_difference
from tests.parity.folders import first_difference as first_folder_difference
from tests.parity.folders import written as written_folder
from tests.parity.gguf import first_difference as first_gguf_difference
from tests.parity.huggingface import FILES as HF_FILES
from tests.parity.huggingface import first_difference as first_json_difference
from tests.parity.huggingface import original
from tests.parity.kept import Errors, difference, digest_of_answers
from tests.parity.libraries import FILES, Library, library_of, unpacked
from tests.parity.libraries import first_difference as first_library_difference
from tests.parity.ranks import first_difference, valid
from tests.parity.tiktoken_reference import ENCODINGS, VERSION, Reference
from tests.parity.trained import GGUFS, gguf_difference
from tests.parity.trained import texts as trained_texts
from tests.property import linear_time
from tests.support import data, llama_cpp
from tests.support.gguf import files as gguf_files
from tests.support.gguf import golden_texts
from tests.support.peer import VERSIONS, installed
from tests.support.text_families import FAMILIES, family_text
from tests.support.texts import TextSet, full_sets, full_sets_of
from tests.support.transformers_peer import VERSION as TRANSFORMERS
from tests.support.transformers_peer import Transformers

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["main"]

DRAWN, BLOCKS = 1000, 10
"""Documents per block, and blocks."""


class Row(NamedTuple):
    """The result for one file, text set and release."""

    version: str
    file: str
    texts: str
    amount: int
    size: int
    ids_only: int
    refused: int
    seconds: float
    difference: str | None

    def line(self) -> str:
        """For the terminal, when it is done."""
        verdict = "DIFFERS" if self.difference else "equal  "
        amount = f"{self.amount:>7,} texts {self.size / 1e6:6.1f} MB {self.seconds:6.1f} s"
        return f"{verdict} {self.version}  {self.file:<52} {self.texts:<20} {amount}"


@lru_cache
def code_hash() -> str:
    """Of everything that decides our answers: the kernel's binary and all modules of the package."""
    digest = hashlib.sha256(f"{FORM}".encode())
    folder = Path(ap.__file__).parent
    for path in sorted(path for kind in ("*.py", "*.so", "*.pyd") for path in folder.rglob(kind)):
        digest.update(str(path.relative_to(folder)).encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _mark(path: Path, version: str, texts: TextSet) -> Path:
    file = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    folder = data.CACHE / "parity" / "done" / code_hash() / version / f"{path.name}-{file}"
    return folder / f"{texts.name}-{texts.digest}.json"


def _marked(path: Path, version: str, sets: list[TextSet], compare: Callable[[TextSet], Row]) -> list[Row]:
    """Every text set of one file and release; those with a mark are not run again."""
    rows: list[Row] = []
    for texts in sets:
        mark = _mark(path, version, texts)
        if mark.exists():
            rows.append(Row(*json.loads(mark.read_text(encoding="utf-8"))))
            continue
        row = compare(texts)
        print(row.line(), file=sys.stderr, flush=True)
        rows.append(row)
        if row.difference is None:
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.write_text(json.dumps(row), encoding="utf-8")
    return rows


class Compared(NamedTuple):
    """A file opened by us, and what tells how a library's answers to texts differ."""

    path: Path
    release: str
    tok: ap.Tokenizer
    differ: Callable[[list[bytes]], str | None]
    errors: Errors = "replace"

    def rows(self, name: str) -> list[Row]:
        """Of every text set, ``name`` being the seed of those that are made of the file's special tokens."""
        folder = self.release.replace(" ", "-")
        return _marked(self.path, folder, full_sets_of(self.tok, name), self._row)

    def _row(self, texts: TextSet) -> Row:
        """Of those texts that libraries can take which take strings only."""
        start = time.monotonic()
        known = valid(texts.texts)
        answers = partial(digest_of_answers, self.tok, known, self.errors)
        found = difference((self.release, self.path, texts), answers, partial(self.differ, known))
        amounts = (len(known), sum(map(len, known)), 0, len(texts.texts) - len(known), time.monotonic() - start)
        return Row(self.release.split()[-1], self.path.name, texts.name, *amounts, found)


def compare_file(path: Path, version: str) -> list[Row]:
    """One ``.model`` file against a release of sentencepiece."""
    peers = Peers()
    parity = lru_cache(lambda: Parity(path, version, peers))

    def compare(texts: TextSet) -> Row:
        start = time.monotonic()
        found = parity().check(texts)
        report = str(found.difference) if found.difference else None
        amounts = (found.texts, found.size, found.ids_only, found.refused, time.monotonic() - start)
        return Row(version, path.name, texts.name, *amounts, report)

    rows = _marked(path, version, full_sets(path), compare)
    peers.close()
    return rows


def compare_ranks(name: str) -> list[Row]:
    """One rank file against tiktoken."""
    with tempfile.TemporaryDirectory() as folder, closing(Reference()) as reference:
        path = Path(folder) / f"{name}.tiktoken"
        path.write_bytes(data.rank_file(ENCODINGS[name]))
        tok = ap.load(path, definition=name)
        reference.open(name)

        def differ(texts: list[bytes]) -> str | None:
            as_text = first_difference(tok, texts, reference.ordinary(texts), "text")
            return as_text or first_difference(tok, texts, reference.special(texts), "parse")

        return Compared(path, f"tiktoken {VERSION}", tok, differ).rows(f"ranks {name}")


def compare_library(name: str) -> list[Row]:
    """One file against the library of its makers."""
    library: Library = library_of(name)
    with tempfile.TemporaryDirectory() as folder:
        path = unpacked(name, Path(folder))
        tok = ap.load(path, **dict(library.options))
        differ = partial(first_library_difference, tok, library=library)
        return Compared(path, library.version, tok, differ, library.errors).rows(name)


def compare_huggingface(name: str) -> list[Row]:
    """One tokenizer.json against tokenizers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.json"
        path.write_bytes(data.hf_file(name))
        tok, text, parse = ap.load(path), original(name, "text"), original(name, "parse")

        def differ(texts: list[bytes]) -> str | None:
            as_text = first_json_difference(tok, text, texts, "text")
            return as_text or first_json_difference(tok, parse, texts, "parse")

        return Compared(path, f"tokenizers {tokenizers.__version__}", tok, differ).rows(f"hf {name}")


def compare_folder(name: str) -> list[Row]:
    """One folder against AutoTokenizer of transformers."""
    with tempfile.TemporaryDirectory() as place, closing(Transformers()) as peer:
        folder = written_folder(name, Path(place))
        tok = ap.load(folder)
        facts = facts_difference(tok, peer.open(folder))

        def differ(texts: list[bytes]) -> str | None:
            parts = (texts[at : at + 5000] for at in range(0, len(texts), 5000))
            found = (first_folder_difference(tok, peer, part) for part in parts)
            return facts or next((difference for difference in found if difference), None)

        path = folder / FOLDERS[name].name
        rows = Compared(path, f"transformers-{name} {TRANSFORMERS}", tok, differ).rows(f"folder {name}")
        return [row._replace(file=f"folder {name}") for row in rows]


def compare_drawn(block: int) -> list[Row]:
    """Some of the documents that are drawn from every component of a tokenizer.json, against tokenizers."""
    start = time.monotonic()
    quiet()
    seeds = range(DRAWN * block, DRAWN * (block + 1))
    found = first_drawn_difference(seeds)
    amounts = (len(seeds), 0, 0, found.refused, time.monotonic() - start)
    return [Row(tokenizers.__version__, f"drawn documents {block}", "drawn", *amounts, found.difference)]


def compare_gguf(path: Path) -> list[Row]:
    """One GGUF file against what llama.cpp returned for it."""
    start = time.monotonic()
    found = first_gguf_difference(ap.load(path), path.name)
    texts = golden_texts()
    amounts = (len(texts), sum(len(text.encode()) for text in texts), 0, 0, time.monotonic() - start)
    row = Row("llama.cpp", path.name, "golden", *amounts, found)
    print(row.line(), file=sys.stderr, flush=True)
    return [row]


def compare_trained(name: str) -> list[Row]:
    """A vocabulary that is trained here, as a GGUF file, against llama.cpp itself."""
    start = time.monotonic()
    found = gguf_difference(name)
    amounts = (
        len(trained_texts()),
        sum(len(text.encode()) for text in trained_texts()),
        0,
        0,
        time.monotonic() - start,
    )
    row = Row("llama.cpp", f"trained {name}.gguf", "trained", *amounts, found)
    print(row.line(), file=sys.stderr, flush=True)
    return [row]


def compare_times(name: str) -> list[Row]:
    """The time of one file with each family of texts, by all entry points."""
    assert data.DATA is not None
    path = data.DATA / "models" / name
    path = path if path.exists() else path.with_name(f"{path.name}.gz")
    tok = lru_cache(lambda: linear_time.opened(name))

    def compare(texts: TextSet) -> Row:
        start = time.monotonic()
        cells = list(linear_time.cells_of(name, texts.name))
        found = [difference for cell in cells if (difference := linear_time.difference(tok(), cell))]
        amounts = (len(cells), sum(map(len, texts.texts)), 0, 0, time.monotonic() - start)
        return Row("times", path.name, texts.name, *amounts, "\n".join(found) or None)

    def one(family: str) -> list[bytes]:
        text = family_text(family, tok(), linear_time.SIZES[0])
        return [text.encode() if isinstance(text, str) else text]

    return _marked(path, "times", [TextSet(family, partial(one, family)) for family in FAMILIES], compare)


def _table(rows: list[Row]) -> str:
    """One line per file and release."""
    lines = [
        f"{'file':<52} {'release':<8} {'texts':>9} {'MB':>7} {'ids only':>9} {'refused':>8} {'differing sets':>15}"
    ]
    for file, version in sorted({(row.file, row.version) for row in rows}):
        own = [row for row in rows if (row.file, row.version) == (file, version)]
        total: Counter[str] = Counter()
        for row in own:
            total.update(texts=row.amount, size=row.size, ids_only=row.ids_only, refused=row.refused)
        differing = sum(row.difference is not None for row in own)
        amounts = f"{total['texts']:>9,} {total['size'] / 1e6:>7.1f} {total['ids_only']:>9} {total['refused']:>8}"
        lines.append(f"{file:<52} {version:<8} {amounts} {differing:>15}")
    return "\n".join(lines)


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.parity.full", description=__doc__)
    parser.add_argument("--only", default="*", metavar="GLOB", help="files whose name matches (default: all)")
    parser.add_argument("--version", choices=VERSIONS, action="append", help="one release (default: all)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="files compared at the same time (default: 2)")
    parser.add_argument("--section", choices=("answers", "times"), help="answers or times only (default: both)")
    return parser.parse_args(argv)


def _run(calls: list[tuple[Any, ...]], jobs: int) -> list[Row]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = [pool.submit(*call) for call in calls]
        return [row for future in as_completed(futures) for row in future.result()]


def _comparisons(wanted: Callable[[str], bool], versions: list[str] | None) -> list[tuple[Any, ...]]:
    """The calls that compare the wanted files with their libraries; with ``versions``, with these of sentencepiece only."""
    files = [path for path in data.tokenizer_files() if wanted(path.name)]
    for version in versions or VERSIONS:
        installed(version)
    calls: list[tuple[Any, ...]] = [(compare_file, path, version) for path in files for version in versions or VERSIONS]
    if versions:
        return calls
    calls += [(compare_ranks, name) for name in ENCODINGS if wanted(f"{name}.tiktoken")]
    calls += [(compare_gguf, path) for path in gguf_files() if wanted(path.name)]
    calls += [(compare_library, name) for name in FILES if wanted(Path(name).name)]
    calls += [(compare_huggingface, name) for name in HF_FILES if wanted(f"{name}.json")]
    calls += [(compare_folder, name) for name in FOLDERS if wanted(f"folder {name}")]
    calls += [(compare_drawn, block) for block in range(BLOCKS) if wanted(f"drawn documents {block}")]
    trained = [(compare_trained, name) for name in GGUFS if wanted(f"trained {name}.gguf")]
    if trained:
        llama_cpp.place()  # compiled once, before anybody asks
    return calls + trained


def main(argv: list[str] | None = None) -> int:
    """Compare, print the table, and say by the exit code whether all is equal."""
    options = _arguments(argv)
    if data.DATA is None:
        print("no folder of real files at ../shared/data or $ANYPIECE_DATA: nothing can be compared", file=sys.stderr)
        return 2
    wanted = partial(fnmatch.fnmatch, pat=options.only)
    calls: list[tuple[Any, ...]] = []
    if options.section != "times":
        calls += _comparisons(wanted, options.version)
    if options.section != "answers" and not options.version:
        calls += [(compare_times, name) for name in linear_time.files() if wanted(Path(name).name)]
    rows = _run(calls, options.jobs)
    print(_table(rows))
    differences = [row for row in rows if row.difference]
    for row in differences:
        print(f"\n{row.file}, {row.version}\n{row.difference}")
    print(f"\n{len(rows)} comparisons, {len(differences)} differ")
    return 1 if differences or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
