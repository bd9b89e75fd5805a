"""JSON of answers is what json.dumps would write."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypiece.lab.wire import Spelled, written


@given(st.lists(st.integers(0, 2**32 - 1), max_size=50))
def test_ids(ids: list[int]) -> None:
    assert written(np.array(ids, np.uint32)) == json.dumps(ids, separators=(",", ":")).encode()


@given(st.lists(st.integers(-(2**62), 2**62), max_size=20))
def test_places(places: list[int]) -> None:
    assert json.loads(written(np.array(places, np.int64))) == places


@pytest.mark.parametrize("size", [(1 << 15) - 1, 1 << 15, (1 << 15) + 1, 100_000])
def test_slices_meet(size: int) -> None:
    assert json.loads(written(np.arange(size))) == list(range(size))


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
