"""Words counted on a cluster: each task counts some files, and the tables are added up to what one process would write.

Ray's tasks write a table each, which are merged in the order of the files. Spark's count and are shuffled by word, so that
each of its reducers writes the table of some words. Either way the order in which tables are added changes no byte.
"""

from __future__ import annotations

import json
import os
import pickle
import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _native
from ..corpus.engines import ray, spark
from ..corpus.readers import Reject, files_of
from ..errors import AnyPieceError, InputError, InternalError
from ..io.paths import file_error
from .kinds import chosen_options, needs_order, recipe_of
from .pipeline import count_words
from .preparation import Preparation
from .words import WordCounts, merge_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..corpus.readers import Source

__all__ = ["Counted", "count_words_on"]

_PART = 64_000_000
_BATCH = 100_000
_ROWS = "kind int, word binary, count long"
_WORD, _FACT, _REJECT, _ERROR = range(4)
"""What a row of Spark is about."""
_ANSWER = "path string, rejects binary, error binary"


class Counted(NamedTuple):
    """What was written."""

    words: int
    occurrences: int
    facts: dict[str, int]
    """About the corpus: ``texts``, ``bytes`` and ``rejected``."""
    rejects: tuple[Reject, ...]


def count_words_on(
    engine: str,
    corpus: Source,
    out: str | os.PathLike[str],
    kind: str = "unigram",
    *,
    cluster: str | None = None,
    processes: int | None = None,
    threads: int = 1,
    part_size: int = _PART,
    progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> Counted:
    """Write the table of words of a corpus, counted by ``"ray"`` or ``"spark"``: byte for byte that of ``count_words``.

    ``corpus`` names files that all machines see, as they see the folder of ``out``; a task counts about ``part_size`` bytes
    of them, and a file is not cut. ``cluster`` and ``processes`` are those of ``anypiece.corpus.engines.ray.run`` and
    ``anypiece.corpus.engines.spark.run``, ``options`` those of ``count_words`` but for a choice of texts.
    """
    if engine not in ("ray", "spark"):
        raise InputError("argument-value", f"engine must be 'ray' or 'spark', not {engine!r}.", argument="engine")
    if options.get("input_sentence_size"):
        message = (
            "A choice of texts needs all of the corpus in one place. Leave input_sentence_size out, or the engine."
        )
        raise InputError("argument-value", message, argument="input_sentence_size")
    reading = ("format", "field", "whole", "max_memory", "shuffle_input_sentence", "seed", "input_sentence_size")
    chosen = chosen_options(kind, {name: value for name, value in options.items() if name not in reading})
    if engine == "spark" and needs_order(chosen):
        message = 'Spark counts in no order, which ties="first-seen" is about. Take the engine ray, or none.'
        raise InputError("argument-value", message, argument="ties")
    request = {"kind": kind, "threads": threads, **options}
    parts = _parts([path.absolute() for path in files_of(corpus)], part_size)
    with _beside(Path(out)) as folder:
        if engine == "ray":
            tables, rejects = _by_ray(parts, request, folder, cluster, processes, progress)
        else:
            header = json.dumps(recipe_of(kind).prepared(chosen).header())
            tables, rejects = _by_spark(parts, request, header, folder, cluster, processes)
        words, occurrences = merge_words(tables, out)
        facts: dict[str, int] = {"texts": 0, "bytes": 0, "rejected": 0}
        for table in tables:
            for name, value in WordCounts.facts_of(table).items():
                facts[name] = facts.get(name, 0) + value
    return Counted(words, occurrences, facts, tuple(sorted(rejects)))


def _parts(paths: list[Path], size: int) -> list[list[Path]]:
    """Files in order, put together until they are large enough."""
    parts: list[list[Path]] = []
    held = size
    for path in paths:
        weight = path.stat().st_size
        if held >= size or held + weight > 2 * size:
            parts.append([])
            held = 0
        parts[-1].append(path)
        held += weight
    return parts


@contextmanager
def _beside(out: Path) -> Iterator[Path]:
    """A folder beside a file, which goes away with what is in it."""
    folder = out.absolute().with_name(f".{out.name}.{secrets.token_hex(4)}")
    try:
        folder.mkdir()
    except OSError as error:
        raise file_error("file-unwritable", folder, error) from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _by_ray(
    parts: list[list[Path]],
    request: dict[str, Any],
    folder: Path,
    cluster: str | None,
    processes: int | None,
    progress: Callable[[str, int, int], None] | None,
) -> tuple[list[Path], list[Reject]]:
    """The tables of the parts, in order."""
    tables = [folder / f"{number}" for number in range(len(parts))]
    rejects: list[Reject] = []
    calls = ((number, (parts[number], request, tables[number])) for number in range(len(parts)))
    sizes = [sum(path.stat().st_size for path in part) for part in parts]
    finished = 0
    with ray.connected(cluster, processes) as found:
        for number, answer, died in ray.each(found, table_of, calls, request["threads"], processes):
            if died is not None:
                message = f"Task {number}, which counts {parts[number][0]}, died again and again: {died}"
                raise InternalError("shards-worker", message, task=number)
            if isinstance(answer, AnyPieceError):
                raise answer
            rejects += answer
            finished += sizes[number]
            if progress is not None:
                progress("count", finished, sum(sizes))
    return tables, rejects


def table_of(paths: list[Path], request: dict[str, Any], table: Path) -> tuple[Reject, ...] | AnyPieceError:
    """Count some files into a table; what was skipped, or what went wrong."""
    try:
        return count_words(paths, out=table, **request).rejects
    except AnyPieceError as error:
        return error


def _by_spark(
    parts: list[list[Path]],
    request: dict[str, Any],
    header: str,
    folder: Path,
    cluster: str | None,
    processes: int | None,
) -> tuple[list[Path], list[Reject]]:
    """The tables of the words of each reducer."""

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from _rows(parts[number], request)

    def reduce(batches: Iterator[Any]) -> Iterator[Any]:
        yield _reduced(batches, header, folder)

    with spark.session(cluster, processes) as found:
        counted = found.range(0, len(parts), 1, len(parts)).mapInArrow(count, _ROWS)
        summed = counted.groupBy("kind", "word").agg({"count": "sum"})
        try:
            answers = summed.mapInArrow(reduce, _ANSWER).collect()
        except Exception as error:
            message = f"Spark gave up counting: {spark.first_line(error)}"
            raise InternalError("shards-worker", message) from None
    errors = [error for row in answers for error in pickle.loads(row.error)]
    if errors:
        raise errors[0]
    return [Path(row.path) for row in answers], [reject for row in answers for reject in pickle.loads(row.rejects)]


def _rows(paths: list[Path], request: dict[str, Any]) -> Iterator[Any]:
    """The words of some files with their counts, as batches; the facts are rows, too, so that they are added up alike."""
    import pyarrow

    try:
        counts = count_words(paths, **request)
        if counts.left.words:
            message = (
                f"The words of {paths[0]} and what follows do not fit into max_memory. Give more, or smaller files."
            )
            raise InputError("train-memory", message)
    except AnyPieceError as error:
        yield _batch([_ERROR], [pickle.dumps(error)], [1])
        return
    yield _batch([_FACT] * len(counts.facts), [name.encode() for name in counts.facts], list(counts.facts.values()))
    if counts.rejects:
        spelled = [json.dumps(reject).encode() for reject in counts.rejects]
        yield _batch([_REJECT] * len(spelled), spelled, [1] * len(spelled))
    blob, offsets, amounts = counts.words.columns()
    buffers = [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(blob)]
    words = pyarrow.Array.from_buffers(pyarrow.large_binary(), len(counts), buffers)
    numbers = np.frombuffer(amounts, "<u8").astype(np.int64)
    for start in range(0, len(counts), _BATCH):
        some = words.slice(start, _BATCH)
        yield _batch([_WORD] * len(some), some.cast(pyarrow.binary()), numbers[start : start + _BATCH])


def _batch(kinds: Any, words: Any, counts: Any) -> Any:
    import pyarrow

    columns = [pyarrow.array(kinds, pyarrow.int32()), words, pyarrow.array(counts, pyarrow.int64())]
    if not isinstance(words, pyarrow.Array):
        columns[1] = pyarrow.array(words, pyarrow.binary())
    return pyarrow.RecordBatch.from_arrays(columns, ["kind", "word", "count"])


def _reduced(batches: Iterator[Any], header: str, folder: Path) -> Any:
    """Write the table of the words of a reducer; its path, and what else came."""
    import pyarrow

    facts: dict[str, int] = {"texts": 0, "bytes": 0, "rejected": 0}
    others: dict[int, list[bytes]] = {_REJECT: [], _ERROR: []}
    words: list[Any] = []
    counts: list[Any] = []
    for batch in batches:
        kinds = batch.column(0).to_numpy()
        for row in np.flatnonzero(kinds != _WORD).tolist():
            word, count = batch.column(1)[row].as_py(), batch.column(2)[row].as_py()
            if kinds[row] == _FACT:
                facts[word.decode()] += count
            else:
                others[int(kinds[row])] += [word] * count
        is_word = pyarrow.array(kinds == _WORD)
        words += batch.column(1).filter(is_word).to_pylist()
        counts.append(batch.column(2).filter(is_word).to_numpy())
    offsets = np.cumsum([0, *map(len, words)], dtype="<u8")
    amounts = np.concatenate([np.empty(0, np.int64), *counts]).astype("<u8")
    table = _native.Words(b"".join(words), offsets.tobytes(), amounts.tobytes())
    path = folder / secrets.token_hex(8)
    errors = [pickle.loads(error) for error in others[_ERROR]]
    try:
        WordCounts(table, Preparation.of_header(json.loads(header)), facts).save(path)
    except AnyPieceError as error:
        errors.append(error)
    rejects = [Reject(*json.loads(row)) for row in others[_REJECT]]
    columns = [[str(path)], [pickle.dumps(rejects)], [pickle.dumps(errors)]]
    return pyarrow.RecordBatch.from_arrays([pyarrow.array(column) for column in columns], ["path", "rejects", "error"])
