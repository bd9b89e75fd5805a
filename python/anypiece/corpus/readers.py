"""Texts from files, globs, standard input or an iterable, in parts of about a megabyte.

Lines of plain text stay one block of bytes, so that they can be taken apart natively. Lines that cannot be used are kept as
``Reject``s and skipped. A file that cannot be read to its end is an error that names it.
"""

from __future__ import annotations

import bz2
import dataclasses
import glob
import gzip
import importlib
import io
import itertools
import json
import lzma
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, cast

import numpy as np

from .. import _native
from ..errors import FormatError, InputError, InputTypeError, extra_missing
from ..io.paths import BZIP2, GZIP, XZ, ZSTD, file_error
from .sampling import bound, numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..training.long_texts import LongTexts

__all__ = ["BROKEN", "TABLE", "Block", "Corpus", "Reject", "Texts", "checked_pipe", "files_of", "unpacked"]

Format = Literal["text", "jsonl", "tsv", "parquet"]
Source = str | os.PathLike[str] | Iterable[str | bytes | os.PathLike[str]]

_PART = 1 << 20
_MAX_REJECTS = 1000
_SUFFIXES: dict[str, Format] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".tsv": "tsv", ".parquet": "parquet",
}  # fmt: skip
_PACKED = (".gz", ".bz2", ".xz", ".zst")
BROKEN = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)
"""What reading a damaged compressed file raises."""
TABLE = b"PAR1"
"""What a Parquet table begins with."""
_NO_TEXT = {GZIP: "gzip", BZIP2: "bzip2", XZ: "xz", ZSTD: "Zstandard", TABLE: "Parquet"}


class Block(NamedTuple):
    """Whole lines of a file as they are, and the number of the first; of a sample also the places of those taken."""

    data: bytes
    source: str
    line: int
    places: NDArray[np.int64] | None = None
    is_open: bool = False
    """Whether the last line goes on in the next block."""

    def number(self, index: int) -> int:
        """The number of a line in its file."""
        return self.line + (index if self.places is None else int(self.places[index]))


class Texts(NamedTuple):
    """Some texts, how often each counts (once, where that is ``None``), the number of the first, and places as above."""

    texts: list[str | bytes]
    times: list[int] | None
    source: str
    line: int
    places: NDArray[np.int64] | None = None

    def number(self, index: int) -> int:
        """The number of a text in its file."""
        return self.line + (index if self.places is None else int(self.places[index]))


class Reject(NamedTuple):
    """A line or text that was skipped."""

    source: str
    line: int
    reason: str


@dataclasses.dataclass
class Corpus:
    """Texts to read once or more often.

    ``source`` is the path of a file, a glob (``data/**/*.jsonl.zst``), ``-`` for standard input, an iterable of path
    objects, or an iterable of texts. What a file holds is told by its name, or by ``format``: lines of text, JSON objects
    with a ``field``, lines of a text, a tab and how often it counts, or a Parquet table with a column ``field``. Compression
    (gzip, bzip2, xz, Zstandard) is told by the first bytes. With ``whole`` a file of text is one text.

    ``input_sentence_size`` is the most texts that are taken, 0 for all: a random sample of them, the same for the same
    ``seed``, or the first ones where ``shuffle_input_sentence`` is false. For a random sample the corpus is read twice.

    >>> corpus = Corpus(["one text", "another"])
    >>> [part.texts for part in corpus.parts()]
    [['one text', 'another']]
    >>> few = Corpus(map(str, range(100)), input_sentence_size=3, shuffle_input_sentence=False)
    >>> [part.texts for part in few.parts()]
    [['0', '1', '2']]
    """

    source: Source
    format: Format | None = None
    field: str = "text"
    whole: bool = False
    input_sentence_size: int = 0
    shuffle_input_sentence: bool = True
    seed: int = 0
    rejects: list[Reject] = dataclasses.field(default_factory=list)
    """The first thousand that were skipped; ``rejected`` counts all."""
    rejected: int = 0
    done: int = 0
    """Bytes read from disk so far, or characters of the texts given."""
    total: int = 0
    """Bytes on disk of all files; 0 where that is not known."""
    long_texts: LongTexts | None = None
    """What cuts lines that are too long for the memory allowed; without it they are read whole."""

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in ("text", "jsonl", "tsv", "parquet"):
            raise InputError("argument-value", f"format must be text, jsonl, tsv or parquet, not {self.format!r}.")
        size = self.input_sentence_size
        if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size < 2**63:
            raise InputError("argument-value", f"input_sentence_size must be a number of texts, or 0, not {size!r}.")
        if not isinstance(self.seed, int):
            raise InputError("argument-value", f"seed must be a whole number, not {self.seed!r}.")
        self._paths, self._texts = _told_apart(self.source)
        self.total = sum(path.stat().st_size for path in self._paths if os.path.isfile(path))

    @property
    def paths(self) -> list[Path]:
        """The files, in order; empty for texts and standard input."""
        return list(self._paths)

    def parts(self) -> Iterator[Block | Texts]:
        """The corpus in parts, in order."""
        if not self.input_sentence_size:
            yield from self._parts()
            return
        if not self.shuffle_input_sentence:
            below = None
        elif self._is_read_once():
            message = (
                "A random sample reads the corpus twice, and this one can be read once. Write it to a file, give a list, "
                "or take the first texts with shuffle_input_sentence=False."
            )
            raise InputError("argument-value", message)
        else:
            below = bound(sum(map(_amount, self._parts())), self.input_sentence_size, self.seed)
        before = 0
        for part in self._parts():
            amount = _amount(part)
            if below is None:
                taken = np.arange(min(amount, self.input_sentence_size - before))
            else:
                taken = np.flatnonzero(numbers(before, amount, self.seed) <= np.uint64(below - 1))
            before += amount
            if len(taken):
                yield part if len(taken) == amount else _some(part, taken)
            if below is None and before >= self.input_sentence_size:
                return

    def _is_read_once(self) -> bool:
        if self._texts is not None:
            return iter(self._texts) is self._texts
        return not self._paths or not all(map(os.path.isfile, self._paths))

    def _parts(self) -> Iterator[Block | Texts]:
        self.rejects, self.rejected, self.done = [], 0, 0
        if self._texts is not None:
            yield from self._given(self._texts)
        elif not self._paths:
            yield from self._parts_of(checked_pipe(sys.stdin.buffer), "-", self.format or "text")
        for path in self._paths:
            kind = self.format or _format_of(path)
            before = self.done
            if kind == "parquet":
                yield from self._rows(path)
            else:
                yield from self._file(path, kind)
            self.done = before + path.stat().st_size

    def reject(self, source: str, line: int, reason: str) -> None:
        """Keep a note of a line that is skipped."""
        self.rejected += 1
        if len(self.rejects) < _MAX_REJECTS:
            self.rejects.append(Reject(source, line, reason))

    def _given(self, texts: Iterable[str | bytes]) -> Iterator[Texts]:
        line = 1
        rest = iter(texts)
        while some := list(itertools.islice(rest, 4096)):
            for text in some:
                if not isinstance(text, (str, bytes)):
                    kind = type(text).__name__
                    raise InputTypeError("input-type", f"A corpus is made of str or bytes, not {kind}.", type=kind)
            yield Texts(some, None, "texts", line)
            self.done += sum(map(len, some))
            line += len(some)

    def _file(self, path: Path, kind: Format) -> Iterator[Block | Texts]:
        try:
            with open(path, "rb") as raw, unpacked(raw) as file:
                before = self.done
                for part in self._parts_of(file, str(path), kind):
                    yield part
                    self.done = before + raw.tell()
        except BROKEN as error:
            message = f"{path} is damaged or was cut short: {error}. Copy it again."
            raise FormatError("file-truncated", message, path=str(path)) from None
        except OSError as error:
            raise file_error("file-unreadable", path, error) from None

    def _parts_of(self, file: IO[bytes], name: str, kind: Format) -> Iterator[Block | Texts]:
        if kind == "parquet":
            raise InputError("argument-value", "A Parquet table cannot be read from a pipe. Give the path of a file.")
        if kind == "text" and self.whole:
            yield Texts([self._all(file, name)], None, name, 1)
            return
        line = 1
        for block, is_open in self._blocks(file, name, kind == "text" and not self.input_sentence_size):
            if kind == "text":
                yield Block(block, name, line, is_open=is_open)
            else:
                rows = self._objects if kind == "jsonl" else self._counted
                yield rows(block, name, line)
            line += _native.count_newlines(block)

    def _blocks(self, file: IO[bytes], name: str, can_cut: bool) -> Iterator[tuple[bytes, bool]]:
        """Whole lines, about a megabyte at a time; the last one may have no end. A line that is too long is cut, if that is
        possible; then it goes on in the next block."""
        rest: list[bytes] = []
        size, line = 0, 1
        while part := _part(file):
            if end := part.rfind(b"\n") + 1:
                block = b"".join([*rest, memoryview(part)[:end]])
                line += _native.count_newlines(block) if self.long_texts else 0
                yield block, False
                rest, part, size = [], part[end:], 0
            rest.append(part)
            size += len(part)
            if self.long_texts is not None and size > self.long_texts.longest:
                if not can_cut:
                    self.long_texts.refuse(size, name, line)
                first, left = self.long_texts.cut(b"".join(rest), name, line)
                yield first, True
                rest, size = [left], len(left)
        if last := b"".join(rest):
            yield last, False

    def _all(self, file: IO[bytes], name: str) -> bytes:
        """A file as one text."""
        if self.long_texts is None:
            return file.read()
        data = file.read(self.long_texts.longest + 1)
        if len(data) > self.long_texts.longest:
            self.long_texts.refuse(len(data), name, 1)
        return data

    def _objects(self, block: bytes, name: str, first: int) -> Texts:
        texts: list[str | bytes] = []
        for line, row in enumerate(block.split(b"\n"), first):
            if not row.strip():
                continue
            try:
                text = json.loads(row)[self.field]
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                reason = f"no field {self.field!r}" if isinstance(error, (KeyError, TypeError)) else f"no JSON: {error}"
                self.reject(name, line, reason)
                continue
            if isinstance(text, str):
                texts.append(text)
            else:
                self.reject(name, line, f"field {self.field!r} is no string")
        return Texts(texts, None, name, first)

    def _counted(self, block: bytes, name: str, first: int) -> Texts:
        texts: list[str | bytes] = []
        times: list[int] = []
        for line, row in enumerate(block.rstrip(b"\n").split(b"\n"), first):
            text, _, number = row.rstrip(b"\r").rpartition(b"\t")
            if len(number) > 19 or not number.isdigit() or not 0 < int(number) < 2**63 or b"\t" in text:
                self.reject(name, line, "not a text, a tab and a number above 0")
                continue
            try:
                texts.append(text.decode())
            except UnicodeDecodeError:
                self.reject(name, line, "no UTF-8")
                continue
            times.append(int(number))
        return Texts(texts, times, name, first)

    def _rows(self, path: Path) -> Iterator[Texts]:
        parquet = _extra("pyarrow.parquet", "pyarrow", "parquet")
        try:
            with parquet.ParquetFile(path) as table:
                if self.field not in table.schema_arrow.names:
                    names = ", ".join(table.schema_arrow.names[:8])
                    raise InputError(
                        "argument-value", f"{path} has no column {self.field!r}; it has {names}. Name one with field."
                    )
                line, before, rows = 1, self.done, max(1, table.metadata.num_rows)
                for batch in table.iter_batches(columns=[self.field]):
                    values = batch.column(0).to_pylist()
                    texts = [value for value in values if isinstance(value, (str, bytes))]
                    for offset, value in enumerate(values):
                        if not isinstance(value, (str, bytes)):
                            self.reject(str(path), line + offset, "no text")
                    yield Texts(texts, None, str(path), line)
                    line += len(values)
                    self.done = before + path.stat().st_size * (line - 1) // rows
        except OSError as error:
            raise file_error("file-unreadable", path, error) from None
        except ValueError as error:  # pyarrow's own errors are ValueErrors
            if isinstance(error, InputError):
                raise
            message = f"{path} is no Parquet table that can be read: {error}"
            raise FormatError("file-corrupt", message, path=str(path)) from None


def _amount(part: Block | Texts) -> int:
    """How many texts a part has."""
    if isinstance(part, Texts):
        return len(part.texts)
    return _native.count_newlines(part.data) + (not part.data.endswith(b"\n"))


def _some(part: Block | Texts, places: NDArray[np.int64]) -> Block | Texts:
    """Some texts of a part."""
    if isinstance(part, Block):
        lines = part.data.splitlines(keepends=True) if b"\r" not in part.data else _lines(part.data)
        return part._replace(data=b"".join([lines[place] for place in places]), places=places)
    times = part.times and [part.times[place] for place in places]
    return part._replace(texts=[part.texts[place] for place in places], times=times, places=places)


def _lines(data: bytes) -> list[bytes]:
    """Lines that end with a newline, whatever else stands in them."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines


def files_of(source: Source) -> list[Path]:
    """The files that a corpus names, in order. Texts and standard input have none, and are refused."""
    paths, texts = _told_apart(source)
    if texts is not None or not paths:
        raise InputError("argument-value", "A cluster reads files that all its machines see: name files or globs.")
    return paths


def _told_apart(source: Source) -> tuple[list[Path], Iterable[str | bytes] | None]:
    """Paths, or texts, or neither for standard input."""
    if isinstance(source, (str, os.PathLike)):
        return ([] if source == "-" else _found(source)), None
    if isinstance(source, bytes) or not isinstance(source, Iterable):
        kind = type(source).__name__
        raise InputTypeError(
            "input-type", f"A corpus is a path, paths, or an iterable of texts, not {kind}.", type=kind
        )
    rest = iter(source)
    first = list(itertools.islice(rest, 1))
    if first and isinstance(first[0], os.PathLike):
        paths = itertools.chain(first, rest)
        return [path for item in paths for path in _found(cast("os.PathLike[str]", item))], None
    if first and isinstance(first[0], str) and _names_file(first[0]):
        message = (
            f"The corpus is a list of texts, and its first text, {first[0]!r}, is the name of a file. For files, give path "
            "objects: [Path(name) for name in names]."
        )
        raise InputError("argument-value", message, text=first[0])
    texts: Any = itertools.chain(first, rest) if rest is source else source
    return [], cast("Iterable[str | bytes]", texts)


def _names_file(text: str) -> bool:
    return 0 < len(text) < 256 and not set(text) & set("\n\0") and os.path.isfile(text)


def _found(source: str | os.PathLike[str]) -> list[Path]:
    """The file of that name, or those that a glob finds."""
    path = Path(source)
    if os.path.isdir(path):
        message = f"{path} is a folder. Say which files of it: {path / '**' / '*.txt'}"
        raise InputError("argument-value", message, path=str(path))
    if not os.path.exists(path) and glob.has_magic(str(path)):
        names = sorted(name for name in glob.iglob(str(path), recursive=True) if os.path.isfile(name))
        if not names:
            raise InputError("argument-value", f"No file matches {path}. Check the pattern.", path=str(path))
        return [Path(name) for name in names]
    try:
        with open(path, "rb"):
            return [path]
    except OSError as error:
        hint = " A corpus that is one str is a path; give texts as a list." if isinstance(source, str) else ""
        raise file_error("file-unreadable", path, error, hint) from None


def _format_of(path: Path) -> Format:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return _SUFFIXES.get(suffixes[-1], "text") if suffixes else "text"


def _part(file: IO[bytes]) -> bytes:
    """The next bytes. From a pipe they come in small parts, and between those Python looks whether it was interrupted."""
    read = getattr(file, "read1", None) if file is getattr(sys.stdin, "buffer", None) else None
    if read is None:
        return file.read(_PART)
    parts, size = [], 0
    while size < _PART and (part := read(_PART)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def unpacked(raw: IO[bytes]) -> IO[bytes]:
    """A file without its compression, which its first bytes tell."""
    head = raw.read(6)
    raw.seek(0)
    if head.startswith(GZIP):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if head.startswith(BZIP2):
        return cast("IO[bytes]", bz2.BZ2File(raw))
    if head.startswith(XZ):
        return cast("IO[bytes]", lzma.LZMAFile(raw))
    if head.startswith(ZSTD):
        return _zstd(raw)
    return raw


def checked_pipe(pipe: BinaryIO) -> BinaryIO:
    """Standard input, refused if it begins as compressed data or a table does: it would be taken for text."""
    head = pipe.peek(8)[:8] if isinstance(pipe, io.BufferedReader) else b""
    kind = next((kind for magic, kind in _NO_TEXT.items() if head.startswith(magic)), None)
    if kind is not None:
        way = "Name the file itself" if kind == "Parquet" else "Unpack it before, or name the file itself"
        raise InputError("input-type", f"Standard input is {kind} data, no text. {way}.", kind=kind)
    return pipe


def _zstd(raw: IO[bytes]) -> IO[bytes]:
    if sys.version_info >= (3, 14):
        module = importlib.import_module("compression.zstd")
        return cast("IO[bytes]", _Frames(raw, module.ZstdDecompressor, module.ZstdError))
    module = _extra("zstandard", "zstandard", "zstd")
    return cast("IO[bytes]", _Frames(raw, module.ZstdDecompressor().decompressobj, module.ZstdError))


class _Frames(io.RawIOBase):
    """Zstandard frames one after the other. One that was cut short is an error, which a package's own reader may not see."""

    def __init__(self, raw: IO[bytes], begin: Any, broken: type[Exception]) -> None:
        self.raw, self.begin, self.broken = raw, begin, broken
        self.frame: Any = None
        self.rest = b""

    def read(self, size: int = -1) -> bytes:
        """About ``size`` bytes; nothing at the end."""
        found: list[bytes] = []
        amount = 0
        while size < 0 or amount < size:
            part = self.rest or self.raw.read(1 << 18)
            if not part:
                break
            self.frame = self.frame or self.begin()
            try:
                found.append(self.frame.decompress(part))
            except self.broken as error:
                raise EOFError(str(error)) from None
            amount += len(found[-1])
            self.rest = self.frame.unused_data if self.frame.eof else b""
            self.frame = None if self.frame.eof else self.frame
        if not amount and self.frame is not None:
            raise EOFError("the last frame has no end")
        return b"".join(found)


def _extra(module: str, package: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise extra_missing("This file", package, extra) from None
