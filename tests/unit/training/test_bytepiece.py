"""Trained BytePiece vocabularies are those of the slow trainer, and those that the library made of the same lines."""

from __future__ import annotations

import base64
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypiece import InputError, Tokenizer, _native
from anypiece.formats import bytepiece
from anypiece.reference.bytepiece_training import train_bytepiece
from anypiece.training.bytepiece import BytePieceOptions, bytepiece_spec, bytepiece_specs
from tests.support.data import ROOT
from tests.support.made_lines import made_lines
from tests.support.word_tables import line_skeleton, table

CASES = json.loads((ROOT / "tests" / "cases" / "training" / "bytepiece.json").read_text("utf-8"))
SIMPLE = {b"to be or not to be, that is the question\n": 3, b"to sleep, to dream, to be\n": 2}


def native(lines: dict[bytes, int], sizes: list[int], **changes: Any) -> list[dict[bytes, int]]:
    config = {
        "order": 6, "max_piece_length": 36, "min_count": 2, "isolate_digits": False, "ensure_unicode": True,
        "max_vocab_sizes": sizes,
    } | changes  # fmt: skip
    return [dict(rows) for rows in _native.train_bytepiece(table(lines), json.dumps(config))]


texts = st.dictionaries(
    st.text("aab é漢\n", min_size=1, max_size=20).map(str.encode), st.integers(1, 5), min_size=1, max_size=8
)


@given(texts, st.integers(1, 7), st.integers(1, 4), st.booleans(), st.sampled_from([2, 4, 36]))
def test_pieces_are_those_of_the_slow_trainer(
    lines: dict[bytes, int], order: int, least: int, whole: bool, longest: int
) -> None:
    changes: dict[str, Any] = {"order": order, "min_count": least, "ensure_unicode": whole, "max_piece_length": longest}
    sizes = [300, 264, 259]
    assert native(lines, sizes, **changes) == train_bytepiece(lines, sizes, **changes)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['script']}-{case['seed']}")
def test_pieces_are_those_of_the_library(case: dict[str, Any]) -> None:
    lines = Counter(made_lines(case["seed"], case["script"], case["lines"]))
    specs = bytepiece_specs(table(lines), BytePieceOptions(**case["options"]), line_skeleton())
    for spec, wanted in zip(specs, case["pieces"], strict=True):
        made = json.loads(bytepiece.write(spec))
        assert {base64.b64decode(key).hex(): row[2] for key, row in made.items()} == wanted
        assert [row[0] for row in made.values()] == list(range(3, 3 + len(wanted)))


def test_the_result_is_a_tokenizer_and_a_file() -> None:
    spec = bytepiece_spec(table(SIMPLE), BytePieceOptions(max_vocab_size=300), line_skeleton())
    tok = Tokenizer(spec)
    assert tok.decode(tok.encode("to be asleep\n漢")) == "to be asleep\n漢"
    assert (tok.pad_id, tok.bos_id, tok.eos_id) == (0, 1, 2)
    again, _ = bytepiece.read(bytepiece.write(spec))
    assert again == spec


def test_digits_stay_by_themselves() -> None:
    lines = {"12 ٣٤ and 12\n": 5}
    made = native({line.encode(): count for line, count in lines.items()}, [400], isolate_digits=True)[0]
    assert all(
        len(piece.decode()) == 1 for piece in made if any(char.isdecimal() for char in piece.decode("utf-8", "ignore"))
    )
    assert made["٣".encode()] == 5
    assert native({line.encode(): count for line, count in lines.items()}, [400])[0] != made


def test_a_line_of_a_megabyte() -> None:
    made = native({b"to be or not to be " * 55_000: 1}, [300])[0]
    assert sum(len(piece) * count for piece, count in made.items()) >= 19 * 55_000


def test_smaller_vocabularies_are_parts_of_larger_ones() -> None:
    words = table(Counter(made_lines(9, "latin", 200)))
    large, small = bytepiece_specs(words, BytePieceOptions(max_vocab_size=(300, 400)), line_skeleton())
    assert 400 >= len(large.pieces) > 300 >= len(small.pieces)
    assert {piece for piece, _, _ in small.pieces} <= {piece for piece, _, _ in large.pieces}


@pytest.mark.parametrize(
    "changes",
    [
        {"order": 0},
        {"order": 8},
        {"max_piece_length": 0},
        {"min_count": 0},
        {"isolate_digits": 1},
        {"ensure_unicode": None},
    ],
)
def test_options_are_checked(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        BytePieceOptions(**changes)
    assert caught.value.code == "train-option"


def test_sizes_and_counts_are_checked() -> None:
    with pytest.raises(InputError) as caught:
        BytePieceOptions(max_vocab_size=(1000, 100))
    assert (caught.value.code, caught.value.facts["nearest"]) == ("train-vocab-size", 259)
    with pytest.raises(InputError):
        BytePieceOptions(max_vocab_size=())
    with pytest.raises(InputError) as caught:
        bytepiece_spec(table({b"ab": 2**63}), BytePieceOptions(), line_skeleton())
    assert caught.value.code == "words-table"


def test_a_report_ends_the_training() -> None:
    def report(stage: str, done: int, total: int) -> None:
        raise RuntimeError(stage)

    with pytest.raises(RuntimeError, match="n-grams"):
        bytepiece_spec(table(SIMPLE), BytePieceOptions(), line_skeleton(), report)
