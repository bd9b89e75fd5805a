"""JSON of answers is what json.dumps would write."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypiece import _native
from anypiece.lab.refusals import Refused
from anypiece.lab.wire import Spelled, parsed, written


@given(st.lists(st.integers(0, 2**32 - 1), max_size=50))
def test_ids(ids: list[int]) -> None:
    assert written(np.array(ids, np.uint32)) == json.dumps(ids, separators=(",", ":")).encode()


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20))
def test_places(places: list[int]) -> None:
    assert written(np.array(places, np.int64)) == json.dumps(places, separators=(",", ":")).encode()


def test_columns_of_other_types_and_strides() -> None:
    for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint64):
        column = np.arange(100).astype(kind)[::-3]
        assert json.loads(written(column)) == column.tolist()
    assert written(np.array([2**64 - 1], np.uint64)) == b"[18446744073709551615]"


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters(codec=None))
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


def strings_of(value: object) -> list[str]:
    """All strings of a value but keys, in the order of its JSON."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in strings_of(one)]


@given(VALUES, st.booleans(), st.sampled_from([None, 1]), st.integers(0, 3))
def test_long_strings_taken_out(value: object, ascii: bool, indent: int | None, longest: int) -> None:
    document = json.dumps(value, ensure_ascii=ascii, indent=indent).encode("utf-8", "surrogatepass")
    try:
        wanted = json.loads(document)
    except UnicodeDecodeError:
        assert _native.json_long_strings(document, longest) is None
        return
    strings = [
        text
        for text in strings_of(wanted)
        if not any("\ud800" <= one <= "\udfff" for one in text)
        and len(json.dumps(text, ensure_ascii=ascii).encode()) - 2 > longest
    ]
    found = _native.json_long_strings(document, longest)
    assert (found[1] if found else []) == strings
    if found is not None:
        following = iter(strings)
        assert json.loads(found[0], parse_constant=lambda _: next(following)) == wanted


def test_long_bodies_are_what_json_says() -> None:
    texts = ["a" * 5000, '\\"\n\u00e9\u4f60' * 1000, "\U0001f600" * 2000, "\ud800" + "b" * 5000, "\x7f" * 5000]
    for text in texts:
        value = {"text": text, text: [text, "short", {"deep": text}], "n": -1.5e3}
        assert parsed(json.dumps(value).encode(), 8) == value
        body = json.dumps(value, ensure_ascii=False)
        if "\ud800" not in text:
            assert parsed(body.encode(), 8) == value


@pytest.mark.parametrize("broken", ['{"a": LONG', '{"a": LONG LONG}', '{"a": -LONG}', '["b\\x", LONG]', "[LONG, NaN]"])
def test_long_bodies_that_are_no_json(broken: str) -> None:
    body = broken.replace("LONG", '"' + "a" * 5000 + '"').encode()
    try:
        json.loads(body, parse_constant=lambda _: _refuse())
        raise AssertionError("this is JSON")
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
    except ValueError:
        where = ""
    with pytest.raises(Refused, match="is not JSON") as refused:
        parsed(body, 8)
    assert where in str(refused.value)


def _refuse() -> None:
    raise ValueError


def test_long_columns() -> None:
    assert json.loads(written(np.arange(100_000))) == list(range(100_000))


def test_long_lists_of_strings() -> None:
    rows = [json.dumps(f"piece {number}\u2028") for number in range(10_000)]
    assert json.loads(written(Spelled(rows))) == [f"piece {number}\u2028" for number in range(10_000)]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_other_values(value: object) -> None:
    assert json.loads(written(value)) == json.loads(json.dumps(value))


def test_floats_that_json_lacks_are_null() -> None:
    assert written(np.array([0.5, np.inf, np.nan])) == b"[0.5,null,null]"
    assert written(np.array([True, False])) == b"[true,false]"
