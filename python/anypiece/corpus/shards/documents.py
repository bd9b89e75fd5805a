"""The documents of a part of a file, in blocks of bounded size, with the place of each.

A place is the byte at which a line begins (in a compressed file, of what is in it), or the number of a row of a table.
What cannot be used is counted and left out, or stops the work, as the options say.

Lines and columns of tables are read natively into one column of texts; ``json.loads`` reads what the native reader leaves to
it, and all lines where other columns are carried.
"""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ... import _native
from ...errors import FormatError
from . import remote, tables
from .long_documents import LONG, PART, Long, NoJson, Record, Spooled, decoded, spooled
from .overlap import ahead
from .parts import parts_of, reading, without_mark
from .tally import HALF_PAIR, Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from .inputs import File

__all__ = ["Block", "Tally", "Texts", "blocks", "listed", "parsed"]

Texts = list[str | bytes] | _native.TextColumn
"""The texts of a block: a column where they were read natively."""

_BLANK, _NO_FIELD, _NO_TEXT = 1, 2, 3
"""What the native reader says of a line that is no text; a larger number leaves it to the standard library."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")


class Block(NamedTuple):
    """Some documents of a file, and the place of each."""

    texts: Texts
    places: NDArray[np.int64]


def blocks(file: File, start: int, end: int, tally: Tally, advance: Callable[[int], None]) -> Iterator[Block | Long]:
    """The documents of a part of a file. ``advance`` is told how many of its bytes were read.

    Bytes are read and unpacked in a thread, a few megabytes ahead. The file of a long document is there until the next
    item is asked for.
    """
    if file.kind in ("parquet", "arrow"):
        yield from _rows(file, start, end, tally)
        return
    try:
        with (
            reading(file),
            remote.opened(file.path, end) as raw,
            closing(parts_of(file, raw, start, end, advance)) as parts,
        ):
            yield from parsed(file, parts, start, tally)
    except FormatError as error:
        if error.code != "file-truncated" or tally.options.on_bad_file == "error":
            raise
        tally.leave_out(file, 0, "bad_file", str(error), "skip")
    finally:
        tally.scratch.close()


def parsed(file: File, parts: Iterator[bytes], start: int, tally: Tally) -> Iterator[Block | Long]:
    """The documents of bytes that begin at a place of a file; they are no table."""
    mark, behind = without_mark(parts) if start == 0 else (0, parts)
    yield from _KINDS[file.kind](file, behind, start + mark, tally)


class _Joined(io.RawIOBase):
    """Parts as one file."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self.parts, self.rest = parts, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.rest:
            part = next(self.parts, None)
            if part is None:
                return 0
            self.rest = part
        part, self.rest = self.rest[: len(buffer)], self.rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def _whole_lines(parts: Iterator[bytes], start: int, tally: Tally) -> Iterator[tuple[bytes | Spooled, int]]:
    """Whole lines, about a megabyte at a time, and where they begin; the last may have no end. A long one is in a file."""
    rest: list[bytes] = []
    place, size = start, 0
    for part in parts:
        if cut := part.rfind(b"\n") + 1:
            yield b"".join([*rest, part[:cut]]), place
            place += size + cut
            rest, part, size = [], part[cut:], 0
        rest.append(part)
        size += len(part)
        if size <= LONG:
            continue
        if tally.is_peek:
            return
        behind: list[bytes] = []
        line = spooled(chain(rest, _to_line_end(parts, behind)), tally.scratch)
        yield line, place
        tally.scratch.close()
        place += line.size + len(behind[:1])
        rest, size = [], 0
        if behind:
            part = behind[1]
            if cut := part.rfind(b"\n") + 1:
                yield part[:cut], place
                place += cut
            rest, size = [part[cut:]], len(part) - cut
    if last := b"".join(rest):
        yield last, place


def _to_line_end(parts: Iterator[bytes], behind: list[bytes]) -> Iterator[bytes]:
    """The rest of a line; ``behind`` gets the line end and what is behind it."""
    for part in parts:
        if (end := part.find(b"\n")) >= 0:
            behind += [part[end : end + 1], part[end + 1 :]]
            yield part[:end]
            return
        yield part


def _text(file: File, parts: Iterator[bytes], start: int, tally: Tally) -> Iterator[Block | Long]:
    if tally.options.whole:
        found = _whole_text(file, parts, tally)
        if found is not None:
            yield found
        return
    for data, place in _whole_lines(parts, start, tally):
        if isinstance(data, Spooled):
            text = _long_text(file, data, place, tally)
            if text is not None:
                yield text
            continue
        column, places, _ = _native.text_lines(data)
        yield _valid(file, column, places + place, tally)


def _whole_text(file: File, parts: Iterator[bytes], tally: Tally) -> Block | Long | None:
    """A file as one document."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size > LONG and tally.is_peek:
            return None
        if size > LONG:
            return _long_text(file, spooled(chain(held, parts), tally.scratch), 0, tally)
    text = tally.text(file, 0, b"".join(held))
    return None if text is None else Block([text], np.zeros(1, np.int64))


def _long_text(file: File, line: Spooled, place: int, tally: Tally) -> Long | None:
    try:
        for _ in decoded(line, "strict"):
            pass
    except UnicodeDecodeError as error:
        if not tally.repairs(file, place, f"no UTF-8 ({error.reason})"):
            return None
        line = spooled((text.encode() for text in decoded(line, "replace")), tally.scratch)
    return Long(line, place)


def _lines(data: bytes, start: int) -> tuple[list[bytes], NDArray[np.int64]]:
    """Lines without their ends, and where each begins."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    lengths = np.fromiter(map(len, lines), np.int64, len(lines)) + 1
    return lines, np.cumsum(lengths) - lengths + start


def _valid(file: File, texts: _native.TextColumn, places: NDArray[np.int64], tally: Tally) -> Block:
    """Texts that are not null, by the policy for what is not UTF-8."""
    odd = _native.texts_not_utf8(texts).tolist()
    if odd:
        raw = cast("list[bytes]", _native.texts_taken(texts, np.array(odd)).to_list())
        repaired = [(row, tally.text(file, int(places[row]), item)) for row, item in zip(odd, raw, strict=True)]
        texts = _with(texts, repaired)
    return _without_nulls(texts, places)


def _with(texts: _native.TextColumn, others: list[tuple[int, str | None]]) -> _native.TextColumn:
    return _native.texts_replaced(texts, [(row, None if text is None else text.encode()) for row, text in others])


def _without_nulls(texts: _native.TextColumn, places: NDArray[np.int64]) -> Block:
    if not texts.null_count:
        return Block(texts, places)
    rows = texts.valid_rows()
    return Block(_native.texts_taken(texts, rows), places[rows])


def listed(texts: Texts) -> list[str | bytes]:
    """The texts of a block as objects."""
    return cast("list[str | bytes]", texts.to_list()) if isinstance(texts, _native.TextColumn) else texts


def _kept(texts: list[str | None], places: NDArray[np.int64]) -> Block:
    """Without those that are left out."""
    kept = [number for number, text in enumerate(texts) if text is not None]
    return Block([text for text in texts if text is not None], places[kept])


def _jsonl(file: File, parts: Iterator[bytes], start: int, tally: Tally) -> Iterator[Block | Long]:
    path = tally.options.field.split(".")
    read = _objects if tally.options.columns else _columns
    for data, place in _whole_lines(parts, start, tally):
        if not isinstance(data, Spooled):
            yield read(file, data, place, path, tally)
            continue
        found = _long_field(file, data, place, path, tally)
        if found is not None:
            yield found


def _objects(file: File, data: bytes, start: int, path: list[str], tally: Tally) -> Block:
    """The texts of lines of JSON by the standard library."""
    others = [name.split(".") for name in tally.options.columns]
    lines, places = _lines(data, start)
    texts = [
        _field(file, line, place, path, others, tally) if line and not line.isspace() else None
        for line, place in zip(lines, places.tolist(), strict=True)
    ]
    return _kept(texts, places)


def _columns(file: File, data: bytes, start: int, path: list[str], tally: Tally) -> Block:
    """The texts of lines of JSON, read natively; lines that it leaves are read by the standard library."""
    column, begins, kinds = _native.json_lines(data, path, tally.threads)
    places = begins + start
    read: list[tuple[int, str | None]] = []
    for row in np.flatnonzero(kinds > _BLANK).tolist():
        place, begin = int(places[row]), int(begins[row])
        if kinds[row] == _NO_FIELD:
            _no_field(file, place, path, tally)
        elif kinds[row] == _NO_TEXT:
            _no_text(file, place, path, tally)
        else:
            end = data.find(b"\n", begin)
            line = data[begin:] if end < 0 else data[begin:end]
            read.append((row, _field(file, line, place, path, [], tally)))
    return _without_nulls(_with(column, read) if read else column, places)


def _field(file: File, raw: bytes, place: int, path: list[str], others: list[list[str]], tally: Tally) -> str | None:
    """The text of a line of JSON; other columns are kept beside."""
    line = tally.text(file, place, raw)
    if line is None:
        return None
    try:
        value = record = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = error.args[0] if isinstance(error, RecursionError) else str(error)
        tally.leave_out(file, place, "bad_line", f"no JSON: {reason}", tally.options.on_bad_line)
        return None
    value = _selected(file, value, place, path, tally)
    if value is None:
        return None
    if others:
        tally.carry(place, (_within(record, name) for name in others))
    return value if "\\u" not in line or _ESCAPED.search(line) is None else tally.without_surrogates(file, place, value)


def _selected(file: File, value: Any, place: int, path: list[str], tally: Tally) -> str | None:
    """The string at a path in a value."""
    for name in path:
        if not isinstance(value, dict) or name not in value:
            _no_field(file, place, path, tally)
            return None
        value = value[name]
    if not isinstance(value, str):
        _no_text(file, place, path, tally)
        return None
    return value


def _long_field(file: File, line: Spooled, place: int, path: list[str], tally: Tally) -> Block | Long | None:
    """The text of a long line of JSON."""
    record = _long_record(file, line, place, tally)
    value = None if record is None else _selected(file, record.value, place, path, tally)
    if record is None or value is None:
        return None
    if tally.options.columns:
        others = (_within(record.value, name.split(".")) for name in tally.options.columns)
        tally.carry(place, map(record.restored, others))
    if value in record.strings:
        if value in record.broken and not tally.repairs(file, place, HALF_PAIR):
            return None
        return Long(record.strings[value], place)
    text = tally.without_surrogates(file, place, value)
    return None if text is None else Block([text], np.array([place], np.int64))


def _long_record(file: File, line: Spooled, place: int, tally: Tally) -> Record | None:
    """What a long line of JSON says, if it is no blank one."""
    for errors in ("strict", "replace"):
        texts = decoded(line, errors)
        try:
            try:
                record = Record.read(texts, tally.scratch)
            except NoJson as error:
                for _ in texts:  # what is no UTF-8 counts first
                    pass
                tally.leave_out(file, place, "bad_line", f"no JSON: {error}", tally.options.on_bad_line)
                return None
            return None if record.is_blank else record
        except UnicodeDecodeError as error:
            if not tally.repairs(file, place, f"no UTF-8 ({error.reason})"):
                return None
    return None


def _no_field(file: File, place: int, path: list[str], tally: Tally) -> None:
    tally.leave_out(file, place, "no_field", f"no field {'.'.join(path)!r}", tally.options.on_bad_line)


def _no_text(file: File, place: int, path: list[str], tally: Tally) -> None:
    message = f"the field {'.'.join(path)!r} is no string"
    tally.leave_out(file, place, "no_text", message, tally.options.on_bad_line)


def _within(value: Any, path: list[str]) -> Any:
    """A value within an object; ``None`` where there is none."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _csv(file: File, parts: Iterator[bytes], start: int, tally: Tally) -> Iterator[Block]:
    buffered = io.BufferedReader(_Joined(parts), PART)
    text = io.TextIOWrapper(buffered, "utf-8", "surrogateescape", newline="")
    before = csv.field_size_limit(2**31 - 1)  # the usual limit refuses long documents; it is global
    try:
        rows = csv.reader(text, strict=True)
        head = next(rows, [])
        for name in (tally.options.field, *tally.options.columns):
            if name not in head:
                names = ", ".join(head[:8])
                option = "field" if name == tally.options.field else "columns"
                message = f"{file.path} has no column {name!r}; it has {names}. Name one with {option}."
                raise FormatError("file-corrupt", message, path=file.path)
        others = [head.index(name) for name in tally.options.columns]
        yield from _cells(file, rows, head.index(tally.options.field), others, tally)
    finally:
        csv.field_size_limit(before)
        text.detach()


def _cells(file: File, rows: Any, column: int, others: list[int], tally: Tally) -> Iterator[Block]:
    texts: list[str | None] = []
    first, number, size = 0, 0, 0
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            tally.leave_out(file, number, "bad_line", f"no CSV: {error}", tally.options.on_bad_line)
            row = []
            texts.append(None)
        else:
            if row is None:
                break
            texts.append(_cell(file, number, row, column, tally))
            if others:
                tally.carry(number, (_unescaped(row[other]) if other < len(row) else None for other in others))
        number += 1
        size += len(texts[-1] or "") + 1
        if size >= PART:
            yield _kept(texts, np.arange(first, number, dtype=np.int64))
            texts, first, size = [], number, 0
    yield _kept(texts, np.arange(first, number, dtype=np.int64))


def _cell(file: File, number: int, row: list[str], column: int, tally: Tally) -> str | None:
    if column >= len(row):
        if row:
            tally.leave_out(file, number, "no_field", f"only {len(row)} cells", tally.options.on_bad_line)
        return None
    value = row[column]
    return (
        value
        if _SURROGATES.search(value) is None
        else tally.text(file, number, value.encode("utf-8", "surrogateescape"))
    )


def _unescaped(cell: str) -> bytes:
    return cell.encode("utf-8", "surrogateescape")


def _rows(file: File, start: int, end: int, tally: Tally) -> Iterator[Block]:
    place = tables.first_row(file.path, file.kind, start)
    for texts, more in _columns_ahead(file, start, end, tally):
        for number, row in enumerate(more, place):
            tally.carry(number, row)
        places = np.arange(place, place + len(texts), dtype=np.int64)
        place += len(texts)
        if texts.null_count:
            for number in np.delete(places, texts.valid_rows()).tolist():
                tally.leave_out(file, number, "no_text", "no text", tally.options.on_bad_line)
        yield _valid(file, texts, places, tally)


def _columns_ahead(
    file: File, start: int, end: int, tally: Tally
) -> Iterator[tuple[_native.TextColumn, list[tuple[Any, ...]]]]:
    """Columns of a table, the next one read while one is used."""
    options = tally.options
    rows = tables.columns(file.path, file.kind, options.field, start, end, options.columns)
    with closing(ahead(rows, 1)) as items:
        yield from items


_KINDS = {"text": _text, "jsonl": _jsonl, "csv": _csv}
