"""The bytes of a part of a file: read ahead and unpacked, from its beginning to its end.

What cannot be read is an error that names the file.
"""

from __future__ import annotations

import codecs
import io
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from ...errors import AnyPieceError, FormatError
from ...io.paths import file_error
from ..readers import BROKEN, unpacked
from .long_documents import PART
from .overlap import ahead

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from .inputs import File

__all__ = ["parts_of", "reading", "without_mark"]


def parts_of(
    file: File, raw: IO[bytes], start: int, end: int, advance: Callable[[int], None]
) -> Generator[bytes, None, None]:
    """The bytes of a part of a file, unpacked."""
    source = _Stretch(raw, start, end)
    opened = unpacked(cast("IO[bytes]", source)) if file.codec else cast("IO[bytes]", source)

    def read() -> Generator[tuple[bytes, int], None, None]:
        while part := opened.read(PART):
            yield part, source.untold()

    with closing(ahead(read()) if end - start > PART else read()) as items:
        for part, amount in items:
            advance(amount)
            yield part


def without_mark(parts: Iterator[bytes]) -> tuple[int, Iterator[bytes]]:
    """Parts without a mark of the byte order, and how many bytes that has."""
    head = b""
    while len(head) < len(codecs.BOM_UTF8) and (part := next(parts, b"")):
        head += part
    mark = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
    return mark, chain([head[mark:]], parts)


@contextmanager
def reading(file: File) -> Iterator[None]:
    try:
        yield
    except BROKEN as error:
        message = f"{file.path} is damaged or was cut short: {error}. Copy it again and make a new plan."
        raise FormatError("file-truncated", message, path=file.path) from None
    except AnyPieceError:
        raise
    except OSError as error:
        raise file_error("file-unreadable", Path(file.path), error) from None


class _Stretch:
    """The bytes of a file from one place to another, and how many were read since that was asked."""

    def __init__(self, raw: IO[bytes], start: int, end: int) -> None:
        self.raw, self.start, self.end = raw, start, end
        self.place = raw.seek(start)
        self.amount = 0

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        self.place = self.raw.seek({io.SEEK_SET: self.start, io.SEEK_CUR: self.place}.get(whence, self.end) + place)
        return self.place - self.start

    def tell(self) -> int:
        return self.place - self.start

    def read(self, size: int = -1) -> bytes:
        left = self.end - self.place
        part = self.raw.read(left if size < 0 else min(size, left))
        self.place += len(part)
        self.amount += len(part)
        return part

    def untold(self) -> int:
        amount, self.amount = self.amount, 0
        return amount
