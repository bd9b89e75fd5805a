"""A pure-Python twin of ``_native.scan_wire_records``: slow and plain, to compare the native scanner with."""

from __future__ import annotations

import struct
from itertools import accumulate
from typing import cast

from anypiece.formats.wire import protobuf

Scanned = tuple[bytes, bytes, bytes, bytes, list[tuple[int, bytes]], list[tuple[int, int, int, int]]]

_COLUMNS = {1: protobuf.LENGTH, 2: protobuf.FIXED32, 3: protobuf.VARINT}


def scan_wire_records(data: bytes, field: int) -> Scanned:
    """The contract is in ``_native.pyi``."""
    names: list[bytes] = []
    floats: list[bytes] = []
    ints: list[int] = []
    strays: list[tuple[int, bytes]] = []
    rest: list[tuple[int, int, int, int]] = []
    for found in protobuf.fields(data):
        if (found.number, found.wire) != (field, protobuf.LENGTH):
            rest.append((found.number, found.start, found.end, len(names)))
            continue
        record = cast("bytes", found.value)
        columns: dict[int, int | bytes] = {1: b"", 2: bytes(4), 3: 0}
        for sub in protobuf.fields(record, found.end - len(record)):
            if _COLUMNS.get(sub.number) == sub.wire:
                columns[sub.number] = sub.value
            else:
                strays.append((len(names), record[sub.start : sub.end]))
        names.append(cast("bytes", columns[1]))
        floats.append(cast("bytes", columns[2]))
        ints.append(min(cast("int", columns[3]), 2**32 - 1))
    offsets = [0, *accumulate(map(len, names))]
    count = len(names)
    return (
        b"".join(names),
        struct.pack(f"<{count + 1}I", *offsets),
        b"".join(floats),
        struct.pack(f"<{count}I", *ints),
        strays,
        rest,
    )
