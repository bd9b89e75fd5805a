"""Compressed files and tables, where verbs take text: read as a corpus is, or refused, never taken for text as they are."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet
import pytest
import zstandard

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.shell import Shell

TEXT = b"ab\na b\n"
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
    ".txt": bytes,
}


@pytest.mark.parametrize("suffix", PACKERS)
def test_compressed_files_are_unpacked(shell: Shell, suffix: str) -> None:
    name = f"lines{suffix}"
    Path(name).write_bytes(PACKERS[suffix](TEXT))
    plain = ("-t", "tok.model")
    assert shell("count", *plain, name).out == shell("count", *plain, "-", given=TEXT).out.rstrip() + f" {name}\n"
    for verb in (["encode"], ["encode", "--whole"], ["normalize"], ["nbest"], ["explain"], ["sample"]):
        assert shell(*verb, *plain, "-i", name).out == shell(*verb, *plain, "-i", "-", given=TEXT).out
    checked = ("check", "tok.model", "bytes.anypiece", "--only", "decoding", "-i")
    assert shell(*checked, name).out == shell(*checked, "-", given=TEXT).out
    ids = b"8 5\n8\n"
    Path(name).write_bytes(PACKERS[suffix](ids))
    assert shell("decode", *plain, "-i", name).out == "ab\na\n"


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("verb", [("count",), ("encode", "-i"), ("check", "tok.model", "ranks.anypiece", "-i")])
def test_a_file_that_was_cut_short_is_named(shell: Shell, verb: tuple[str, ...], suffix: str) -> None:
    Path(f"cut{suffix}").write_bytes(PACKERS[suffix](os.urandom(4000))[:-30])
    found = shell(*verb, f"cut{suffix}")
    assert (found.code, "[file-truncated]" in found.err, f"cut{suffix} is damaged" in found.err) == (3, True, True)


@pytest.mark.parametrize("verb", [("count",), ("encode", "-i"), ("words",), ("compare", "tok.model", "-i")])
def test_a_name_that_no_file_system_takes(shell: Shell, verb: tuple[str, ...]) -> None:
    found = shell(*verb, "x" * 300)
    assert (found.code, f"{'x' * 300} cannot be read: File name too long. [file-unreadable]" in found.err) == (3, True)


def test_a_damaged_file_among_others(shell: Shell) -> None:
    Path("cut.gz").write_bytes(gzip.compress(os.urandom(4000))[:-30])
    found = shell("count", "-t", "tok.model", "cut.gz", "tok.model")
    assert (found.code, found.out.count("\n"), "[file-truncated]" in found.err) == (4, 2, True)


def test_tables(shell: Shell) -> None:
    """Each row is a text, whatever line breaks it has."""
    table = pa.table({"text": ["ab", "a\nb", None], "other": ["c", "c", "c"], "n": [1, 2, 3]})
    pyarrow.parquet.write_table(table, "rows.parquet")
    plain = ("-t", "tok.model")
    found = shell("encode", *plain, "-i", "rows.parquet")
    assert (found.code, found.out) == (4, "10\n8 0 5\n")
    assert "left out: 1 line or row without a text, the first of them rows.parquet at 2: no text" in found.err
    assert shell("encode", *plain, "-i", "rows.parquet", "--field", "other").out.splitlines() == ["3 6"] * 3
    assert shell("count", *plain, "rows.parquet").out == "4 5 5 rows.parquet\n"
    assert shell("count", *plain, "--specials", "error", "rows.parquet").out == "4 5 5 rows.parquet\n"
    told = shell("check", "tok.model", "bytes.anypiece", "--only", "ids", "-i", "rows.parquet").out
    assert " of 2 texts" in told
    assert shell("explain", *plain, "-i", "rows.parquet").out.count("reference") == 2
    missing = shell("encode", *plain, "-i", "rows.parquet", "--field", "body")
    assert (missing.code, "has no column 'body'" in missing.err) == (3, True)
    assert shell("encode", *plain, "--whole", "-i", "rows.parquet").code == 2
    assert shell("decode", *plain, "-i", "rows.parquet").code == 3


@pytest.mark.parametrize("verb", [("count",), ("encode",), ("normalize",), ("words",)])
def test_standard_input_that_is_no_text(shell: Shell, verb: tuple[str, ...]) -> None:
    """It cannot be rewound, so what it begins with decides; it is refused by name."""
    for kind, data in {"gzip": gzip.compress(TEXT), "Zstandard": PACKERS[".zst"](TEXT), "Parquet": b"PAR1...."}.items():
        pipe = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))  # type: ignore[arg-type]
        with shell.monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", pipe)
            with pytest.raises(Exception, match=f"Standard input is {kind} data"):
                _run(*verb)


def _run(*arguments: str) -> None:
    from anypiece import cli

    cli.group.main(list(arguments), standalone_mode=False)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_read_once(shell: Shell) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_bytes, args=(TEXT,))
    writer.start()
    assert shell("encode", "-t", "tok.model", "-i", "pipe").out == "10\n8 3 5\n"
    writer.join()
