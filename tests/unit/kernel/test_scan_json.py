"""The JSON scanner: equal to Python's own reader on what is valid, and strict about what is not."""

from __future__ import annotations

import itertools
import json
import random

import numpy as np
import pytest
import tokenizers

from anypiece import _native
from anypiece._native import merge_ids, scan_json, strings_by_number, strings_unmapped

PLACES = ["model/vocab", "model/merges"]
ALPHABET = ['"', "\\", "/", "\b", "\f", "\n", "\t", "a", "é", "▁", "😀", "\x7f", "\u2028", "\uffff", "\x00"]


def strings(blob: bytes, offsets: bytes) -> list[str]:
    ends = np.frombuffer(offsets, "<u4").tolist()
    return [blob[start:end].decode() for start, end in itertools.pairwise(ends)]


def columns(names: list[str]) -> tuple[bytes, bytes]:
    raw = [name.encode() for name in names]
    return b"".join(raw), np.cumsum([0, *map(len, raw)]).astype("<u4").tobytes()


@pytest.mark.parametrize("seed", range(30))
def test_tables_are_what_the_document_says(seed: int) -> None:
    draw = random.Random(seed)
    name = lambda: "".join(draw.choices(ALPHABET, k=draw.randrange(6)))  # noqa: E731
    vocab = {name(): draw.randrange(2**32) for _ in range(draw.randrange(20))}
    rows = [[name(), draw.choice([-1.5, 0, -12.25, 3e-5])] for _ in range(draw.randrange(20))]
    merges = draw.choice([[name() for _ in range(9)], [[name(), name()] for _ in range(9)], []])
    table = draw.choice([vocab, rows])
    document = {
        "a": [name(), {"vocab": {"x": 1}}],
        "model": {"kind": name(), "vocab": table, "merges": merges},
        "z": None,
    }
    text = json.dumps(document, ensure_ascii=draw.random() < 0.5, indent=draw.choice([None, 2, 11]))
    rest, found = scan_json(text.encode(), PLACES)
    expected = {**document, "model": {**document["model"], "vocab": None, "merges": None}}
    assert json.loads(rest) == expected
    assert found[0] is not None
    assert found[1] is not None
    shape, blob, offsets, values = found[0]
    if shape == "ints":
        assert dict(zip(strings(blob, offsets), np.frombuffer(values, "<u4").tolist(), strict=True)) == vocab
    elif rows:
        read = zip(strings(blob, offsets), np.frombuffer(values, "<f8").tolist(), strict=True)
        assert [list(row) for row in read] == rows
    flat = [part for row in merges for part in (row if isinstance(row, list) else [row])]
    assert strings(found[1][1], found[1][2]) == flat


def test_floats_are_read_as_tokenizers_does_or_as_python() -> None:
    draw = random.Random(7)
    written = ["-2.0122928619384766", "-2", " 1e-7", "-12.130167007446289 ", "-0.0", "1E+3"]
    written += [repr(float(np.float32(-20 * draw.random()))) for _ in range(2000)]
    text = json.dumps({"model": {"vocab": None}}).replace(
        "null", f"[{','.join(f'[{chr(34) * 2},{n}]' for n in written)}]"
    )

    def read(*nearest: bool) -> list[float]:
        table = scan_json(text.encode(), PLACES, *nearest)[1][0]
        assert table is not None
        return np.frombuffer(table[3], "<f8").tolist()  # type: ignore[no-any-return]

    wanted = [float(number) for number in written]
    unigram = {"type": "Unigram", "unk_id": 0, "vocab": [[str(at), number] for at, number in enumerate(wanted)]}
    model = tokenizers.Tokenizer.from_str(json.dumps({"version": "1.0", "model": unigram, "added_tokens": []})).model
    theirs = [score for _, score in json.loads(model.__getstate__())["vocab"]]
    assert read(True) == wanted
    assert read() == read(False) == theirs
    assert theirs[0] == -2.012292861938477 != wanted[0]


def test_a_place_that_is_absent_or_no_table_stays() -> None:
    assert scan_json(b'{"model": {"vocab": null}}', PLACES) == (b'{"model": {"vocab": null}}', [None, None])
    assert scan_json(b"[1, 2]", PLACES)[1] == [None, None]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"model": {"vocab": {"a": 1', "file-truncated"),
        ('{"model": {"vocab": {"a', "file-truncated"),
        ('{"model": {"vocab": {"a": 1.0}}}', "file-corrupt"),
        ('{"model": {"vocab": {"a": -1}}}', "file-corrupt"),
        ('{"model": {"vocab": {"a": 01}}}', "file-corrupt"),
        ('{"model": {"vocab": {"a": 4294967296}}}', "file-corrupt"),
        ('{"model": {"vocab": {"a": 1,}}}', "file-corrupt"),
        ('{"model": {"vocab": {"a": "b"}}}', "file-corrupt"),
        ('{"model": {"vocab": [["a", 1], "b"]}}', "file-corrupt"),
        ('{"model": {"vocab": [["a", 1, 2]]}}', "file-corrupt"),
        ('{"model": {"vocab": [["a", 1e400]]}}', "file-corrupt"),
        ('{"model": {"vocab": [["a", NaN]]}}', "file-corrupt"),
        ('{"model": {"vocab": [[1, 2]]}}', "file-corrupt"),
        ('{"model": {"merges": ["a", ["b", "c"]]}}', "file-corrupt"),
        ('{"model": {"vocab": {}, "vocab": {}}}', "file-corrupt"),
        ('{"model": {"vocab": {}}, "model": {}}', "file-corrupt"),
        ('{"a": "\\ud800"}', "file-corrupt"),
        ('{"a": "\\ud800\\u0041"}', "file-corrupt"),
        ('{"a": "\\x41"}', "file-corrupt"),
        ('{"a": "\\u+041"}', "file-corrupt"),
        ('{"a": "\n"}', "file-corrupt"),
        ('{"a": tru}', "file-corrupt"),
        ('{"a": 1} x', "file-corrupt"),
        ('{"a": 1-2}', "file-corrupt"),
        ('{"a" 1}', "file-corrupt"),
        ("[" * 200 + "]" * 200, "file-corrupt"),
        ("", "file-truncated"),
    ],
)
def test_what_is_not_json_is_refused(text: str, code: str) -> None:
    with pytest.raises(_native.NativeError) as caught:
        scan_json(text.encode(), PLACES)
    assert caught.value.args[0] == code


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(_native.NativeError, match="UTF-8"):
        scan_json(b'{"a": "\xff"}', PLACES)


def test_deep_nesting_costs_no_stack() -> None:
    with pytest.raises(_native.NativeError, match="recursion limit"):
        scan_json(b"[" * 10_000_000, PLACES)
    assert scan_json(b"[" * 127 + b"]" * 127, [])[1] == []


def test_strings_go_to_their_numbers() -> None:
    numbers = np.array([3, 0, 1, 4], "<u4").tobytes()
    blob, offsets = strings_by_number(*columns(["d", "a", "a", "bb"]), numbers, 10)
    assert strings(blob, offsets) == ["", "a", "", "d", "bb"]  # of the two "a" the last counts
    with pytest.raises(_native.NativeError, match="same id"):
        strings_by_number(*columns(["a", "b"]), np.array([1, 1], "<u4").tobytes(), 10)
    with pytest.raises(_native.NativeError, match="far beyond"):
        strings_by_number(*columns(["a"]), np.array([11], "<u4").tobytes(), 10)
    with pytest.raises(_native.NativeError, match="different lengths"):
        strings_by_number(*columns(["a"]), b"", 10)


def test_characters_are_mapped_to_bytes() -> None:
    characters = [256 + byte for byte in range(256)]
    names = ["".join(chr(256 + byte) for byte in range(256)), "", "a", "\u0141b"]
    blob, offsets, mapped = strings_unmapped(*columns(names), characters)
    ends = np.frombuffer(offsets, "<u4").tolist()
    assert [blob[start:end] for start, end in itertools.pairwise(ends)] == [
        bytes(range(256)),
        b"",
        b"a",
        "\u0141b".encode(),
    ]
    assert list(mapped) == [1, 1, 0, 0]


def test_merges_become_ids() -> None:
    vocabulary = columns(["a", "b", "ab", "", "c", "abc", "##c", " a", " ab"])

    def rows(
        merges: list[str], listing: str, prefix: int = 0, keeps_last: bool = True
    ) -> tuple[list[list[int]], object]:
        raw, odd = merge_ids(vocabulary, columns(merges), listing, prefix, keeps_last)
        return np.frombuffer(raw, "<u4").reshape(-1, 3).tolist(), odd

    assert rows(["a", "b", "ab", "c"], "pairs") == ([[0, 1, 2], [2, 4, 5]], None)
    assert rows(["a b", "ab c", "a b"], "one-space") == ([[2, 4, 5], [0, 1, 2]], None)
    assert rows(["a b", "ab c", "a b"], "one-space", keeps_last=False) == ([[0, 1, 2], [2, 4, 5]], None)
    assert rows(["ab", "##c"], "pairs", 2) == ([[2, 6, 5]], None)
    assert rows([" a b", "ab", "", "a b"], "first-space") == ([[7, 1, 8], [0, 1, 2]], None)
    assert rows(["a", "b", "b", "c"], "pairs") == ([[0, 1, 2]], 1)
    assert rows(["a b", "a  b"], "one-space") == ([[0, 1, 2]], 1)
    assert rows(["ab"], "one-space") == ([], 0)
    assert rows(["a", ""], "pairs") == ([], 0)
    assert rows(["a "], "first-space") == ([], 0)


def test_columns_of_merges_fit() -> None:
    for bad in ((b"a", b"123"), (b"a", np.array([0, 2], "<u4").tobytes()), (b"a", b"")):
        with pytest.raises(_native.NativeError, match="column"):
            merge_ids(columns(["a"]), bad, "pairs")
