"""Columns of Arrow from the libraries that have them, what is no column, and what a result owns."""

from __future__ import annotations

import gc
import importlib.metadata
import sys
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import anypiece as ap
from tests.support.small_vocabularies import UNIGRAM

if TYPE_CHECKING:
    from collections.abc import Callable

TOK = ap.Tokenizer(UNIGRAM)
TEXTS = ["ab a", None, "", "éab", None]
WANTED = [None if text is None else TOK.encode(text) for text in TEXTS]
PANDAS_EXPORTS = int(importlib.metadata.version("pandas").split(".")[0]) >= 3
"""Older releases have the protocol for tables alone."""


def duckdb_column() -> Any:
    rows = ", ".join("(null)" if text is None else f"('{text}')" for text in TEXTS)
    return duckdb.sql(f"select text from (values {rows}) as made(text)")


COLUMNS: dict[str, Callable[[], Any]] = {
    "pyarrow array": lambda: pa.array(TEXTS),
    "pyarrow chunks": lambda: pa.chunked_array([TEXTS[:2], [], TEXTS[2:]]),
    "pyarrow table": lambda: pa.table({"text": TEXTS}),
    "pyarrow batch": lambda: pa.record_batch({"text": TEXTS}),
    "pyarrow reader": lambda: pa.table({"text": TEXTS}).to_reader(max_chunksize=2),
    "polars series": lambda: pl.Series(TEXTS),
    "polars slice": lambda: pl.Series(["a", *TEXTS, "b"])[1:-1],
    "polars chunks": lambda: pl.concat([pl.Series(TEXTS[:1]), pl.Series(TEXTS[1:])], rechunk=False),
    "polars categories": lambda: pl.Series(TEXTS, dtype=pl.Categorical),
    "polars enum": lambda: pl.Series(TEXTS, dtype=pl.Enum(["", "ab a", "éab"])),
    "polars bytes": lambda: pl.Series([None if text is None else text.encode() for text in TEXTS], dtype=pl.Binary),
    "polars frame": lambda: pl.DataFrame({"text": TEXTS}),
    "pandas frame": lambda: pd.DataFrame({"text": pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string()))}),
    "duckdb relation": duckdb_column,
    "duckdb result": lambda: duckdb_column().to_arrow_table()["text"],
}
if PANDAS_EXPORTS:
    COLUMNS |= {
        "pandas strings": lambda: pd.Series(TEXTS, dtype="str"),
        "pandas string[pyarrow]": lambda: pd.Series(TEXTS, dtype="string[pyarrow]"),
        "pandas ArrowDtype": lambda: pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.large_string())),
        "pandas dictionary": lambda: pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
        "pandas categories": lambda: pd.Series(TEXTS, dtype="category"),
    }


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_of_a_library(name: str) -> None:
    found = TOK.encode_batch(COLUMNS[name](), out="arrow")
    assert pa.array(found).to_pylist() == WANTED
    counts = TOK.count_batch(COLUMNS[name](), out="arrow")
    assert pl.Series(counts).to_list() == [None if ids is None else len(ids) for ids in WANTED]


def test_libraries_take_results() -> None:
    ids, counts = TOK.encode_batch(TEXTS[:1], out="arrow"), TOK.count_batch(TEXTS[:1], out="arrow")
    texts = TOK.decode_batch(ids, out="arrow")
    assert pl.DataFrame({"ids": pl.Series(ids), "n": pl.Series(counts), "text": pl.Series(texts)}).rows() == [
        (TOK.encode("ab a"), 2, "ab a")
    ]
    column = pd.Series(pa.array(ids), dtype=pd.ArrowDtype(pa.large_list(pa.uint32())))
    assert TOK.decode_batch(column if PANDAS_EXPORTS else pa.array(column)) == ["ab a"]
    assert TOK.decode_batch(pl.Series([[4, 5], []], dtype=pl.List(pl.Int16))) == [TOK.decode([4, 5]), ""]
    assert TOK.decode_batch(pl.Series([[4, 5]], dtype=pl.Array(pl.UInt8, 2))) == [TOK.decode([4, 5])]
    assert TOK.decode_batch(duckdb.sql("select [4, 5] as ids")) == [TOK.decode([4, 5])]


def test_a_result_keeps_its_memory() -> None:
    texts = ["ab a" * 500] * 50
    wanted = TOK.encode_batch(texts).tolist()
    found = pa.array(TOK.encode_batch(pa.array(texts), out="arrow"))
    gc.collect()
    np.zeros(1 << 20)
    assert found.to_pylist() == wanted


def test_ids_are_not_copied() -> None:
    ids, offsets = np.arange(5, dtype=np.uint32), np.array([0, 2, 5])
    column = pa.array(ap.ArrowColumn.lists(ids, offsets))
    assert column.values.buffers()[1].address == ids.ctypes.data
    assert column.buffers()[1].address == offsets.ctypes.data


def test_without_rows() -> None:
    for empty in (pa.array([], pa.string()), pa.chunked_array([], pa.string()), pl.Series([], dtype=pl.String), []):
        assert TOK.encode_batch(empty).tolist() == []
        assert pa.array(TOK.encode_batch(empty, out="arrow")).to_pylist() == []
        assert pa.array(TOK.count_batch(empty, out="arrow")).to_pylist() == []
    assert pa.array(TOK.decode_batch([], out="arrow")).to_pylist() == []
    for kind in (pa.list_(pa.int8()), pa.large_list(pa.null())):
        assert TOK.decode_batch(pa.chunked_array([], kind)) == []


def test_rows_that_are_all_null() -> None:
    kinds = (pa.null(), pa.string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()))
    for kind in kinds:
        assert pa.array(TOK.encode_batch(pa.array([None, None], kind), out="arrow")).to_pylist() == [None, None]


NO_TEXTS: dict[str, tuple[Any, str]] = {
    "integers": (pa.array([1, 2]), "not Int64. Select another column, or cast"),
    "integers without rows": (pa.chunked_array([], pa.int32()), "not Int32"),
    "lists": (pa.array([["a"]]), r"not List\(Utf8\)"),
    "a dictionary of integers": (pa.array([1]).dictionary_encode(), "not Int64"),
    "a table of two columns": (
        pa.table({"a": ["x"], "b": ["y"]}),
        r'A table of 2 columns .* Select one of \["a", "b"\]',
    ),
    "a frame of two columns": (pl.DataFrame({"a": ["x"], "b": ["y"]}), r'Select one of \["a", "b"\]'),
    "structs that may be null": (pa.array([{"a": "x"}, None]), "structs, some of them null. Pass its field"),
    "series of integers": (pl.Series([1]), "not Int64"),
}


@pytest.mark.parametrize("name", NO_TEXTS)
def test_what_is_no_column_of_texts(name: str) -> None:
    given, message = NO_TEXTS[name]
    calls: list[Callable[..., Any]] = [TOK.encode_batch, TOK.count_batch, lambda x: TOK.sample_batch(x, seed=1)]
    for call in calls:
        with pytest.raises(ap.InputTypeError, match=message) as caught:
            call(given)
        assert caught.value.code == "arrow-type"
        assert isinstance(caught.value, TypeError)


NO_IDS: dict[str, tuple[Any, str]] = {
    "texts": (pa.array(["a"]), "must be of lists of integers, not of Utf8. Select another column, or cast"),
    "lists of texts": (pa.array([["a"]]), "not of Utf8"),
    "lists of texts without rows": (pa.chunked_array([], pa.list_(pa.string())), "not of Utf8"),
    "lists of floats": (pa.array([[1.0]]), "not of Float64"),
    "lists with nulls": (pa.array([[1], [2, None]]), "row 1 has an id that is null. Leave"),
}


@pytest.mark.parametrize("name", NO_IDS)
def test_what_is_no_column_of_ids(name: str) -> None:
    given, message = NO_IDS[name]
    with pytest.raises(ap.InputTypeError, match=message) as caught:
        TOK.decode_batch(given)
    assert caught.value.code == "arrow-type"


@pytest.mark.parametrize(("ids", "kind"), [([4, -100], pa.int32()), ([4, 2**40], pa.int64()), ([4, 99], pa.uint8())])
def test_ids_outside_the_vocabulary(ids: list[int], kind: pa.DataType) -> None:
    column = pa.array([[4], ids], pa.list_(kind))
    with pytest.raises(ap.UnknownIdError, match=f"Id {ids[1]} ") as of_column:
        TOK.decode_batch(column)
    with pytest.raises(ap.UnknownIdError) as of_list:
        TOK.decode_batch(column.to_pylist())
    assert (str(of_column.value), of_column.value.facts) == (str(of_list.value), of_list.value.facts)
    assert TOK.decode_batch(column, errors="lenient") == TOK.decode_batch(column.to_pylist(), errors="lenient")


def test_nulls_where_no_null_can_be() -> None:
    for call in (TOK.encode_batch, TOK.count_batch):
        with pytest.raises(ap.InputError, match=r'nulls \(2\).*Pass out="arrow"') as caught:
            call(pa.array(TEXTS))
        assert (caught.value.code, caught.value.facts) == ("arrow-null", {"nulls": 2})
    with pytest.raises(ap.InputError, match=r"nulls \(1\)"):
        TOK.decode_batch(pa.array([[1], None]))


@pytest.mark.parametrize("out", ["numpy", "Arrow", 1, True, ["arrow"]])
def test_another_out(out: Any) -> None:
    for call in (TOK.encode_batch, TOK.count_batch, TOK.decode_batch):
        with pytest.raises(ap.InputError, match='out must be None or "arrow", not ') as caught:
            call([], out=out)
        assert caught.value.code == "argument-value"


def test_what_fails_to_export_is_listed() -> None:
    """As pandas does without pyarrow, or with objects that Arrow has no type for."""

    class Column(list[Any]):
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise ImportError("pyarrow")

    class Stuck:
        __arrow_c_stream__ = Column.__arrow_c_stream__

    class Rows:
        __arrow_c_stream__ = Column.__arrow_c_stream__

        def __iter__(self) -> Any:
            return iter(["ab", b"a"])

    assert TOK.encode_batch(Rows()) == TOK.encode_batch(["ab", b"a"])
    assert TOK.encode_batch(pd.Series(["ab", b"a"], dtype=object)) == TOK.encode_batch(["ab", b"a"])
    with pytest.raises(ImportError):
        TOK.encode_batch(Stuck())  # type: ignore[arg-type]


def test_a_stream_is_read_once() -> None:
    reader = pa.table({"text": ["ab"]}).to_reader()
    assert TOK.count_batch(reader).tolist() == [len(TOK.encode("ab"))]
    assert TOK.count_batch(reader).tolist() == []  # as pyarrow has it: the reader is at its end

    class Failing:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            def batches() -> Any:
                yield pa.record_batch({"text": ["a"]})
                raise OSError("the disk is gone")

            schema = pa.schema({"text": pa.string()})
            return pa.RecordBatchReader.from_batches(schema, batches()).__arrow_c_stream__()

    with pytest.raises(ap.InputTypeError, match=r"The Arrow stream failed: .*the disk is gone"):
        TOK.encode_batch(Failing())


def test_a_result_says_what_it_is() -> None:
    assert repr(TOK.count_batch(pa.array(TEXTS), out="arrow")) == "<ArrowColumn of 5 rows of Int64, 2 null>"
    assert len(TOK.count_batch(pa.array(TEXTS), out="arrow")) == 5


def test_kinds_that_bytes_decide() -> None:
    """Bytes that are not UTF-8 are read as those of a list are."""
    given = [b"a\xffb", b"ab"]
    assert TOK.encode_batch(pa.array(given)) == TOK.encode_batch(given)


def test_nothing_is_imported_for_it() -> None:
    assert "pyarrow" in sys.modules  # by this test, not by the package
    import subprocess

    code = "import anypiece, sys; anypiece.load().encode_batch(['a'], out='arrow'); print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
