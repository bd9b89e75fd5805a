"""JSON of files: what is refused though ``json`` of Python takes it."""

from __future__ import annotations

import pickle

import pytest

from anypiece._core.json_text import parsed


@pytest.mark.parametrize(("opening", "close"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
def test_levels_are_bounded(opening: bytes, close: bytes) -> None:
    levels = opening.count(b"[") + opening.count(b"{")
    value = parsed(opening * (128 // levels) + b"1" + close * (128 // levels))
    assert pickle.loads(pickle.dumps(value)) == value
    for count in (130, 900, 100_000):
        with pytest.raises(ValueError, match="nested too deeply"):
            parsed(opening * (count // levels) + b"1" + close * (count // levels))


def test_wide_values_are_not_deep() -> None:
    assert len(parsed(b"[" + b"[1]," * 10_000 + b"{}]")) == 10_001
    assert [parsed(text) for text in (b"1", b"[]", b'"["')] == [1, [], "["]
