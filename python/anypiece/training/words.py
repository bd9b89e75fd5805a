"""Words of a corpus with their counts: counted in bounded memory, kept in files, added up.

Where words are too many for the memory allowed, sorted parts are written to a temporary folder and merged at the end. What
is left under a final name is always whole.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from .. import _native
from .._core import memory
from .._core.checks import checked_threads, raise_native, without_surrogates
from .._core.json_text import parsed
from ..corpus.readers import Block, Corpus, Texts
from ..errors import FormatError, InputError
from ..io.paths import file_error, in_place, move, read_bytes, temporary_folder
from .long_texts import LongTexts
from .preparation import Preparation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..corpus.readers import Reject

__all__ = ["Left", "WordCounts", "counted", "is_table", "merge_words"]

Report = "Callable[[str, int, int], None]"
_MAGICS = (b"APWORDS\x01", b"APWORDS\x02")
"""Without the order of words, and with it."""
_HEADER = 16
"""Bytes before the header: the magic, and its length."""
_FAN_IN = 64
_LEAST_ROOM = 32 << 20
_TABLE_SHARE = 0.35
"""How much of the room for counting the tables may take: putting them in order copies them."""


class Left(NamedTuple):
    """Words that were left out of a table because all of them do not fit: those rarer than ``least``."""

    least: int = 1
    words: int = 0
    occurrences: int = 0


class WordCounts:
    """Distinct words of a corpus, each with how often it was seen.

    >>> import anypiece as ap
    >>> counts = ap.count_words(["to be or not to be"])
    >>> counts.most_common(2), len(counts), counts.total
    ([('▁be', 2), ('▁to', 2)], 4, 6)
    """

    def __init__(
        self,
        words: _native.Words,
        preparation: Preparation,
        facts: dict[str, Any] | None = None,
        left: Left = Left(),  # noqa: B008 - immutable
        rejects: tuple[Reject, ...] = (),
    ) -> None:
        self.words = words
        self.preparation = preparation
        self.facts = facts or {}
        """About the corpus: ``texts``, ``bytes`` and ``rejected``."""
        self.left = left
        self.rejects = rejects

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<WordCounts: {len(self)} words for {self.preparation.kind}>"

    @property
    def ordered(self) -> bool:
        """Whether the table has the order in which words were first read, which ``ties="first-seen"`` needs."""
        return self.words.ordered

    @property
    def total(self) -> int:
        """The sum of all counts."""
        return self.words.total()

    def refuse_empty(self) -> None:
        """Raise ``train-corpus`` where there is no word to train on, with what was skipped."""
        if len(self):
            return
        message = "There is no word in the corpus. Check that it is not empty."
        if self.rejects:
            first = self.rejects[0]
            message = (
                f"There is no word in the corpus, and {self.facts['rejected']} lines were skipped, the first at "
                f"{first.source}:{first.line} ({first.reason}). Check the format and the field."
            )
        raise InputError("train-corpus", message)

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Each word with its count, in the order of their bytes."""
        blob, offsets, counts = self._columns()
        for index, count in enumerate(counts):
            yield blob[int(offsets[index]) : int(offsets[index + 1])], int(count)

    def most_common(self, number: int = 10) -> list[tuple[str, int]]:
        """The most frequent words; of equal counts, the first one in the order of bytes."""
        blob, offsets, counts = self._columns()
        order = np.argsort(-counts.astype(np.float64), kind="stable")[: max(0, number)]
        return [(blob[int(offsets[i]) : int(offsets[i + 1])].decode("utf-8", "replace"), int(counts[i])) for i in order]

    def _columns(self) -> tuple[bytes, Any, Any]:
        blob, offsets, counts = self.words.columns()
        return blob, np.frombuffer(offsets, "<u8"), np.frombuffer(counts, "<u8")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table; see ``docs/formats/words.md``."""
        if self.left.words:
            message = (
                f"{self.left.words} words were left out of this table to save memory; a file should have all. Give the path "
                "to count_words(out=...)."
            )
            raise InputError("argument-value", message)
        with in_place(Path(path)) as new, _translated(path):
            _native.save_words(self.words, str(new), _header(self.preparation, self.facts))

    @classmethod
    def load(cls, path: str | os.PathLike[str], max_memory: int | str | None = None) -> WordCounts:
        """Read a table. With ``max_memory`` the rarest words are left out where not all fit; ``left`` says how many."""
        limit = 2**62 if max_memory is None else memory.size_of(max_memory)
        with _translated(path):
            words, left = _native.load_words(str(path), limit)
        preparation, facts = _read_header(_header_of(Path(path)))
        return cls(words, preparation, facts, Left(*left))

    @staticmethod
    def kind_of(path: str | os.PathLike[str]) -> str:
        """The kind of vocabulary that a table is for, without reading its words."""
        return _read_header(_header_of(Path(path)))[0].kind

    @staticmethod
    def facts_of(path: str | os.PathLike[str]) -> dict[str, Any]:
        """What a table says about its corpus, without reading its words."""
        return _read_header(_header_of(Path(path)))[1]


def counted(
    corpus: Corpus,
    preparation: Preparation,
    *,
    threads: int | None = None,
    max_memory: int | str | None = None,
    out: str | os.PathLike[str] | None = None,
    report: Callable[[str, int, int], None] | None = None,
    share: float = 0.8,
    ordered: bool = False,
) -> WordCounts:
    """The words of a corpus, counted. ``share`` of the memory allowed may be taken by the words that are returned.

    With ``ordered`` the table knows where each word was read first.
    """
    room = _room(max_memory)
    counter = preparation.counter(checked_threads(threads), ordered)
    corpus.long_texts = None if max_memory is None else LongTexts(preparation, room)
    with temporary_folder() as folder:
        spill = _Spill(folder, counter, int(room * _TABLE_SHARE))
        texts = _count_all(corpus, preparation, counter, spill, report)
        facts = {"texts": texts, "bytes": corpus.done, "rejected": corpus.rejected}
        if not spill.parts:
            counts = WordCounts(counter.take(), preparation, facts, rejects=tuple(corpus.rejects))
            if out is not None:
                counts.save(out)
            if counts.words.size <= room * share:
                return counts
            spill.keep(counts.words)
            del counts
        whole = spill.merged(preparation, facts, report)
        with _translated(whole):
            words, left = _native.load_words(str(whole), int(room * share))
        if out is not None:
            move(whole, Path(out))
        return WordCounts(words, preparation, facts, Left(*left), tuple(corpus.rejects))


def _count_all(
    corpus: Corpus,
    preparation: Preparation,
    counter: _native.Counter,
    spill: _Spill,
    report: Callable[[str, int, int], None] | None,
) -> int:
    texts, told = 0, 0.0
    for part in corpus.parts():
        with _translated(part.source):
            texts += _count_part(corpus, part, preparation, counter)
        spill.if_full()
        if report is not None and time.monotonic() - told > 0.1:
            report("count", corpus.done, corpus.total)
            told = time.monotonic()
    if report is not None:
        report("count", corpus.done, corpus.total)
    return texts


def _count_part(corpus: Corpus, part: Block | Texts, preparation: Preparation, counter: _native.Counter) -> int:
    if isinstance(part, Block):
        lines, bad = counter.add_lines(part.data, preparation.keep_ends)
        for number in bad:
            corpus.reject(part.source, part.number(number), "no UTF-8")
        return lines - len(bad) - part.is_open
    texts, times = part.texts, part.times
    bad = [index for index, text in enumerate(texts) if isinstance(text, bytes) and not _is_utf8(text)]
    if bad:
        for number in bad:
            corpus.reject(part.source, part.number(number), "no UTF-8")
        kept = sorted(set(range(len(texts))) - set(bad))
        texts, times = [texts[index] for index in kept], times and [times[index] for index in kept]
    amount = len(texts)
    if corpus.long_texts is not None:
        texts, times = _shortened(part._replace(texts=texts, times=times), corpus.long_texts)
    packed = None if times is None else np.array(times, "<u8").tobytes()
    try:
        counter.add(texts, packed)
    except UnicodeEncodeError:
        counter.add([without_surrogates(text) if isinstance(text, str) else text for text in texts], packed)
    return amount


def _shortened(part: Texts, long_texts: LongTexts) -> tuple[list[str | bytes], list[int] | None]:
    """The texts, with those that are too long in parts."""
    if all(len(text) <= long_texts.longest for text in part.texts):
        return part.texts, part.times
    texts: list[str | bytes] = []
    times: list[int] = []
    for index, text in enumerate(part.texts):
        raw = without_surrogates(text, "\ufffd".encode()) if isinstance(text, str) else text
        parts = [*long_texts.parts(raw, part.source, part.number(index))]
        texts += parts
        times += [1 if part.times is None else part.times[index]] * len(parts)
    return texts, times


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


class _Spill:
    """Sorted parts of a table on disk."""

    def __init__(self, folder: Path, counter: _native.Counter, limit: int) -> None:
        self.folder, self.counter, self.limit = folder, counter, limit
        self.parts: list[Path] = []
        self.numbers = itertools.count()

    def if_full(self) -> None:
        """Write a part if the table is as large as it may be."""
        if self.counter.memory > self.limit:
            self.write()

    def write(self) -> None:
        """Write a part and begin the next."""
        self.keep(self.counter.take())

    def keep(self, words: _native.Words) -> None:
        """Write a part."""
        path = self.folder / f"{next(self.numbers)}"
        with _translated(path):
            _native.save_words(words, str(path), b"")
        self.parts.append(path)

    def merged(self, preparation: Preparation, facts: dict[str, Any], report: Any) -> Path:
        """All parts as one file."""
        self.write()

        def join(some: list[Path], header: bytes = b"") -> Path:
            if report is not None:
                report("merge", 0, len(some))
            path = self.folder / f"{next(self.numbers)}"
            _merge(some, path, header)
            for part in some:
                part.unlink()
            return path

        return join(_few(self.parts, join), _header(preparation, facts))


def _room(max_memory: int | str | None) -> int:
    """How many bytes are left of the memory allowed."""
    if max_memory is None:
        return 2**62
    allowed, taken = memory.size_of(max_memory), memory.held()
    if allowed - taken < _LEAST_ROOM:
        least = memory.shown(taken + _LEAST_ROOM)
        message = (
            f"max_memory is {memory.shown(allowed)}, and the process has {memory.shown(taken)} already; give {least}."
        )
        raise InputError("train-memory", message, max_memory=allowed, held=taken)
    return allowed - taken


def merge_words(paths: Iterable[str | os.PathLike[str]], out: str | os.PathLike[str]) -> tuple[int, int]:
    """Add tables up, without holding them; returns how many words there are, and the sum of their counts.

    All must have been prepared alike. If all know the order in which their words were read, so does the result: as if their
    corpora had been read one after the other.
    """
    listed = [Path(path) for path in paths]
    if not listed:
        raise InputError("argument-value", "There are no tables to merge.")
    facts: dict[str, Any] = {"texts": 0, "bytes": 0, "rejected": 0}
    first: Preparation | None = None
    for path in listed:
        preparation, more = _read_header(_header_of(path))
        if first is not None and first != preparation:
            message = f"{path} was made with other settings than {listed[0]}; count its corpus again with the same."
            raise FormatError("words-differ", message, path=str(path))
        first = first or preparation
        facts = {name: facts[name] + more.get(name, 0) for name in facts}
    assert first is not None
    with temporary_folder() as folder:
        numbers = itertools.count()

        def join(some: list[Path]) -> Path:
            partial = folder / str(next(numbers))
            _merge(some, partial, b"")
            return partial

        few = _few(listed, join)
        with in_place(Path(out)) as new:
            return _merge(few, new, _header(first, facts))


def _few(paths: list[Path], join: Callable[[list[Path]], Path]) -> list[Path]:
    """As many tables as can be merged at once: neighbours are joined, so that their order stays."""
    while len(paths) > _FAN_IN:
        groups = [paths[at : at + _FAN_IN] for at in range(0, len(paths), _FAN_IN)]
        paths = [join(group) if len(group) > 1 else group[0] for group in groups]
    return paths


def _merge(paths: list[Path], out: Path, header: bytes) -> tuple[int, int]:
    with _translated(out):
        return _native.merge_words([str(path) for path in paths], str(out), header)


def is_table(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a table of words, by its first bytes."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGICS[0])) in _MAGICS
    except OSError:
        return False


def _header_of(path: Path) -> bytes:
    """The header of a table, without its words."""
    head = read_bytes(path, _HEADER)
    if not head.startswith(_MAGICS):
        message = f"{path}: this is no table of words; make one with `anypiece words`"
        raise FormatError("format-unknown", message, path=str(path))
    end = _HEADER + int.from_bytes(head[8:], "little")
    if end > path.stat().st_size:
        raise FormatError("file-truncated", f"{path}: the file ends inside its header", path=str(path))
    return read_bytes(path, end)[_HEADER:]


def _header(preparation: Preparation, facts: dict[str, Any]) -> bytes:
    return json.dumps({"version": 1, "facts": facts, **preparation.header()}, ensure_ascii=False).encode()


def _read_header(header: bytes) -> tuple[Preparation, dict[str, Any]]:
    try:
        table = parsed(header)
        facts = {str(name): int(value) for name, value in table["facts"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        message = "The header of a table of words cannot be read. Count the words again."
        raise FormatError("file-corrupt", message) from None
    return Preparation.of_header(table), facts


@contextmanager
def _translated(path: str | os.PathLike[str]) -> Iterator[None]:
    """Native errors as those of the package; those about files name the file."""
    try:
        yield
    except _native.NativeError as error:
        _raise(error, path)


def _raise(error: _native.NativeError, path: str | os.PathLike[str]) -> NoReturn:
    code, message, facts = error.args
    if code == "file-unwritable" and not Path(path).parent.is_dir():
        missing = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        raise file_error(code, Path(path), missing) from None
    if str(code).startswith(("file-", "format-", "checksum-")):
        raise_native(_native.NativeError(code, f"{os.fspath(path)}: {message}", facts))
    raise_native(error)
