"""The full tier: ``python -m tests.parity.full`` compares everything about every ``.model`` file with both releases of
sentencepiece, about every rank file with tiktoken, about every GGUF file with what llama.cpp returned, and about the other
files with the library of their makers, and about folders with transformers; ten thousand tokenizer.json documents are drawn
and compared with tokenizers. Vocabularies that are trained here are written as GGUF, and llama.cpp is asked. Then the law
of linear time is held to every file.

Where answers have the hash that the record keeps of a library's (``tests.parity.kept``), the library is not asked, but for
some lines of the record that are drawn by a seed. ``--record`` adds what was found equal to the record.

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
from tests.parity import kept
from tests.parity.answers import digest_of_answers, digest_of_folder, parts
from tests.parity.compare import Parity, Peers
from tests.parity.drawn_compare import first_difference as first_drawn_difference
from tests.parity.drawn_compare import quiet
from tests.parity.folders import FOLDERS, facts_difference, own_facts
from tests.parity.folders import first_difference as first_folder_difference
from tests.parity.folders import written as written_folder
from tests.parity.gguf import first_difference as first_gguf_difference
from tests.parity.huggingface import FILES as HF_FILES
from tests.parity.huggingface import first_difference as first_json_difference
from tests.parity.huggingface import original
from tests.parity.huggingface import reading_specials as reading_json_specials
from tests.parity.kept import FORM, Kept, Place, hash_of
from tests.parity.libraries import FILES, Library, library_of, unpacked
from tests.parity.libraries import first_difference as first_library_difference
from tests.parity.ranks import first_difference, reading_specials, valid
from tests.parity.tiktoken_reference import ENCODINGS, RELEASE, Reference
from tests.parity.trained import GGUFS, gguf_difference
from tests.parity.trained import texts as trained_texts
from tests.property import linear_time
from tests.support import data, llama_cpp
from tests.support.gguf import files as gguf_files
from tests.support.gguf import golden_texts
from tests.support.ours import Ours, OursByBatches
from tests.support.peer import VERSIONS, installed
from tests.support.text_families import FAMILIES, family_text
from tests.support.texts import TextSet, few_sets, few_sets_of, full_sets, full_sets_of
from tests.support.transformers_peer import VERSION as TRANSFORMERS
from tests.support.transformers_peer import Transformers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["main"]

DRAWN, BLOCKS = 1000, 10
"""Documents per block, and blocks."""
RECHECKED = 10
"""Lines of the record for which the library is asked in every run."""


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
    how: str = "asked"
    """``kept``, ``asked`` or ``rechecked``, as ``kept.Found`` has it."""

    def line(self) -> str:
        """For the terminal, when it is done."""
        verdict = "DIFFERS" if self.difference else "equal  "
        amount = f"{self.amount:>7,} texts {self.size / 1e6:6.1f} MB {self.seconds:6.1f} s"
        return f"{verdict} {self.version}  {self.file:<52} {self.texts:<20} {amount}  {self.how}"


class Run(NamedTuple):
    """What holds for a whole run, and is told to every process of it."""

    kept: Kept = Kept()
    texts: str = "*"
    """A pattern of the names of text sets."""


_run_of = [Run()]


def _begin(run: Run) -> None:
    _run_of[0] = run


@lru_cache
def code_hash() -> str:
    """Of everything that decides our answers: the kernel's binary and all modules of the package."""
    digest = hashlib.sha256(f"{FORM}".encode())
    folder = Path(ap.__file__).parent
    for path in sorted(path for kind in ("*.py", "*.so", "*.pyd") for path in folder.rglob(kind)):
        digest.update(str(path.relative_to(folder)).encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _mark(place: Place) -> Path:
    folder = data.CACHE / "parity" / "done" / code_hash() / place.release / f"{place.file}-{place.content}"
    return folder / f"{place.texts.name}-{place.texts.digest}.json"


def _marked(places: list[Place], compare: Callable[[Place], Row]) -> list[Row]:
    """Every text set of one file and release that is wanted; those with a mark are not run again."""
    rows: list[Row] = []
    run = _run_of[0]
    for place in places:
        if not fnmatch.fnmatch(place.texts.name, run.texts):
            continue
        mark = _mark(place)
        if mark.exists() and run.kept.is_complete(place):
            rows.append(Row(*json.loads(mark.read_text(encoding="utf-8"))))
            continue
        row = compare(place)
        print(row.line(), file=sys.stderr, flush=True)
        rows.append(row)
        if row.difference is None:
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.write_text(json.dumps(row), encoding="utf-8")
    return rows


class Compared(NamedTuple):
    """An opened file, the hash of our answers, and what differs between a library's and ours, batches or single calls."""

    file: str
    content: str
    release: str
    answers: Callable[[Sequence[bytes]], str]
    differ: Callable[[Sequence[bytes], bool], str | None]

    def rows(self, sets: list[TextSet]) -> list[Row]:
        """Of every text set."""
        return _marked([Place(self.release, self.file, self.content, texts) for texts in sets], self._row)

    def _row(self, place: Place) -> Row:
        """Of those texts that libraries can take which take strings only. What is rechecked is so by single calls."""
        start, all_kept = time.monotonic(), _run_of[0].kept
        known, batched = valid(place.texts.texts), not all_kept.is_doubted(place)
        left_out = len(place.texts.texts) - len(known)

        def ask() -> tuple[str | None, int, int]:
            found = (self.differ(part, batched) for part in parts(known))
            return next((difference for difference in found if difference), None), 0, left_out

        found = all_kept.compare(place, partial(self.answers, known), ask)
        amounts = (len(known), sum(map(len, known)), 0, left_out, time.monotonic() - start)
        return Row(self.release.split()[1], self.file, place.texts.name, *amounts, found.difference, found.how)


def compare_file(path: Path, version: str) -> list[Row]:
    """One ``.model`` file against a release of sentencepiece."""
    peers, content = Peers(), hash_of(path.read_bytes())
    parity = lru_cache(lambda side: Parity(path, version, peers, side(path, version)))

    def compare(place: Place) -> Row:
        start, texts = time.monotonic(), place.texts

        def ask() -> tuple[str | None, int, int]:
            is_doubted = _run_of[0].kept.is_doubted(place)
            found = parity(Ours).check(texts, again=True) if is_doubted else parity(OursByBatches).check(texts)
            return str(found.difference) if found.difference else None, found.ids_only, found.refused

        found = _run_of[0].kept.compare(place, partial(parity(OursByBatches).answers, texts), ask)
        amounts = (
            len(texts.texts),
            sum(map(len, texts.texts)),
            found.ids_only,
            found.refused,
            time.monotonic() - start,
        )
        return Row(version, path.name, texts.name, *amounts, found.difference, found.how)

    sets = full_sets(path) if version == VERSIONS[0] else few_sets(path)
    rows = _marked([Place(f"sentencepiece {version}", path.name, content, texts) for texts in sets], compare)
    peers.close()
    return rows


def compare_ranks(name: str) -> list[Row]:
    """One rank file against tiktoken."""
    with tempfile.TemporaryDirectory() as folder, closing(Reference()) as reference:
        path = Path(folder) / f"{name}.tiktoken"
        path.write_bytes(data.rank_file(ENCODINGS[name]))
        tok = ap.load(path, definition=name)
        specials = reference.open(name)["specials"]

        def differ(texts: Sequence[bytes], batched: bool) -> str | None:
            as_text = first_difference(tok, texts, reference.ordinary(texts), "text", batched)
            read = reading_specials(specials, texts) if batched else texts
            return as_text or first_difference(tok, read, reference.special(read), "parse", batched)

        answers = partial(digest_of_answers, tok, errors="replace")
        compared = Compared(path.name, hash_of(path.read_bytes()), RELEASE, answers, differ)
        return compared.rows(full_sets_of(tok, f"ranks {name}"))


def compare_library(name: str) -> list[Row]:
    """One file against the library of its makers."""
    library: Library = library_of(name)
    with tempfile.TemporaryDirectory() as folder:
        path = unpacked(name, Path(folder))
        tok = ap.load(path, **dict(library.options))

        def differ(texts: Sequence[bytes], batched: bool) -> str | None:
            return first_library_difference(tok, texts, library, batched)

        answers = partial(digest_of_answers, tok, errors=library.errors)
        compared = Compared(path.name, hash_of(path.read_bytes()), library.version, answers, differ)
        return compared.rows((few_sets_of if library.is_slow else full_sets_of)(tok, name))


def compare_huggingface(name: str) -> list[Row]:
    """One tokenizer.json against tokenizers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.json"
        path.write_bytes(data.hf_file(name))
        tok, text, parse = ap.load(path), original(name, "text"), original(name, "parse")

        def differ(texts: Sequence[bytes], batched: bool) -> str | None:
            as_text = first_json_difference(tok, text, texts, "text", batched)
            read = reading_json_specials(parse, texts) if batched else texts
            return as_text or first_json_difference(tok, parse, read, "parse", batched)

        answers = partial(digest_of_answers, tok, errors="replace")
        release = f"tokenizers {tokenizers.__version__}"
        compared = Compared(path.name, hash_of(path.read_bytes()), release, answers, differ)
        return compared.rows(full_sets_of(tok, f"hf {name}"))


def compare_folder(name: str) -> list[Row]:
    """One folder against AutoTokenizer of transformers."""
    with tempfile.TemporaryDirectory() as place, closing(Transformers()) as peer:
        folder = written_folder(name, Path(place))
        tok = ap.load(folder)
        opened = lru_cache(lambda: facts_difference(tok, peer.open(folder)))

        def differ(texts: Sequence[bytes], batched: bool) -> str | None:
            return opened() or first_folder_difference(tok, peer, texts)

        content = hash_of(*(path.name.encode() + path.read_bytes() for path in sorted(folder.iterdir())))
        release = f"transformers {TRANSFORMERS} tokenizers {tokenizers.__version__}"
        answers = partial(digest_of_folder, tok, facts=own_facts(tok))
        return Compared(f"folder {name}", content, release, answers, differ).rows(few_sets_of(tok, f"folder {name}"))


def compare_drawn(block: int) -> list[Row]:
    """Some of the documents that are drawn from every component of a tokenizer.json, against tokenizers."""
    start = time.monotonic()
    seeds = range(DRAWN * block, DRAWN * (block + 1))
    with quiet():
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

    def compare(place: Place) -> Row:
        start, texts = time.monotonic(), place.texts
        cells = list(linear_time.cells_of(name, texts.name))
        found = [difference for cell in cells if (difference := linear_time.difference(tok(), cell))]
        amounts = (len(cells), sum(map(len, texts.texts)), 0, 0, time.monotonic() - start)
        return Row("times", path.name, texts.name, *amounts, "\n".join(found) or None, "measured")

    def one(family: str) -> list[bytes]:
        text = family_text(family, tok(), linear_time.SIZES[0])
        return [text.encode() if isinstance(text, str) else text]

    content, sets = hash_of(path.read_bytes()), [TextSet(family, partial(one, family)) for family in FAMILIES]
    return _marked([Place("times", path.name, content, texts) for texts in sets], compare)


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
    parser.add_argument("--texts", default="*", metavar="GLOB", help="text sets whose name matches (default: all)")
    parser.add_argument("--version", choices=VERSIONS, action="append", help="one release (default: all)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="files compared at the same time (default: 2)")
    parser.add_argument("--section", choices=("answers", "times"), help="answers or times only (default: both)")
    parser.add_argument("--record", action="store_true", help="add what was found equal to tests/parity/record")
    parser.add_argument(
        "--recheck",
        type=int,
        default=RECHECKED,
        metavar="N",
        help=f"lines that are not believed (default: {RECHECKED})",
    )
    return parser.parse_args(argv)


def _run(calls: list[tuple[Any, ...]], jobs: int, run: Run) -> list[Row]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(run,)) as pool:
        futures = [pool.submit(*call) for call in calls]
        return [row for future in as_completed(futures) for row in future.result()]


def _comparisons(
    wanted: Callable[[str], bool], texts: Callable[[str], bool], versions: list[str] | None
) -> list[tuple[Any, ...]]:
    """The calls that compare the wanted files with their libraries; with ``versions``, with these of sentencepiece only."""
    files = [path for path in data.tokenizer_files() if wanted(path.name)]
    for version in versions or VERSIONS:
        installed(version)
    calls: list[tuple[Any, ...]] = [(compare_file, path, version) for path in files for version in versions or VERSIONS]
    if versions:
        return calls
    calls += [(compare_ranks, name) for name in ENCODINGS if wanted(f"{name}.tiktoken")]
    calls += [(compare_gguf, path) for path in gguf_files() if wanted(path.name) and texts("golden")]
    calls += [(compare_library, name) for name in FILES if wanted(Path(name).name)]
    calls += [(compare_huggingface, name) for name in HF_FILES if wanted(f"{name}.json")]
    calls += [(compare_folder, name) for name in FOLDERS if wanted(f"folder {name}")]
    calls += [
        (compare_drawn, block) for block in range(BLOCKS) if wanted(f"drawn documents {block}") and texts("drawn")
    ]
    trained = [(compare_trained, name) for name in GGUFS if wanted(f"trained {name}.gguf") and texts("trained")]
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
        calls += _comparisons(wanted, partial(fnmatch.fnmatch, pat=options.texts), options.version)
    if options.section != "answers" and not options.version:
        calls += [(compare_times, name) for name in linear_time.files() if wanted(Path(name).name)]
    only_models = bool(options.version) or options.section == "times"
    doubted = set() if only_models else kept.sampled(kept.RECORD, options.recheck, options.only, options.texts)
    run = Run(Kept(writes=options.record, doubted=frozenset(doubted)), options.texts)
    rows = _run(calls, options.jobs, run)
    print(_table(rows))
    differences = [row for row in rows if row.difference]
    for row in differences:
        print(f"\n{row.file}, {row.version}\n{row.difference}")
    ways = Counter(row.how for row in rows)
    print(
        f"\n{len(rows)} comparisons, {len(differences)} differ; {', '.join(f'{ways[way]} {way}' for way in sorted(ways))}"
    )
    lost = len(doubted) - ways["rechecked"]
    if lost:
        print(f"{lost} drawn lines of the record are about files or texts that are gone")
    return 1 if differences or lost or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
