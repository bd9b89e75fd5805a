"""Rows as a tokenizer.json cuts and fills them, against tokenizers; and sections that say what nobody can do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import Tokenizer as Original

import anypiece as ap
from tests.support.hf import added, document

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["a b", "", "a a b b a", "b"]
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "B", "type_id": 2}},
        {"SpecialToken": {"id": "<s>", "type_id": 1}},
    ],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [3], "tokens": ["<s>"]}},
}
CUT = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
FILL = {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": 4, "pad_type_id": 0,
        "pad_token": "<p>"}  # fmt: skip


def content(truncation: dict[str, Any] | None, padding: dict[str, Any] | None) -> str:
    model = {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "<unk>": 2, "<s>": 3, "<p>": 4}, "unk_token": "<unk>"}
    made = document(
        model=model,
        pre_tokenizer={"type": "Whitespace"},
        post_processor=TEMPLATE,
        added_tokens=[added(3, "<s>"), added(4, "<p>")],
    )
    return json.dumps({**made, "truncation": truncation, "padding": padding})


def loaded(folder: Path, text: str) -> ap.Tokenizer:
    (folder / "tokenizer.json").write_text(text)
    return ap.load(folder / "tokenizer.json")


@pytest.mark.parametrize("truncation", [None, CUT, CUT | {"direction": "Left"}, CUT | {"max_length": 1}])
@pytest.mark.parametrize(
    "padding",
    [
        FILL,
        FILL | {"direction": "Left"},
        FILL | {"strategy": {"Fixed": 9}},
        FILL | {"pad_to_multiple_of": 4},
        FILL | {"strategy": {"Fixed": 7}, "pad_to_multiple_of": 4, "direction": "Left"},
    ],
)
@pytest.mark.parametrize("special", [True, False])
def test_rows_of_the_library(
    tmp_path: Path, truncation: dict[str, Any] | None, padding: dict[str, Any], special: bool
) -> None:
    made = content(truncation, padding)
    tok, other = loaded(tmp_path, made), Original.from_str(made)
    rows = tok.encode_rows(TEXTS, add_special=special)
    answers = other.encode_batch(TEXTS, add_special_tokens=special)
    assert rows.ids.tolist() == [answer.ids for answer in answers]
    assert rows.mask.astype(int).tolist() == [answer.attention_mask for answer in answers]
    assert rows.type_ids.tolist() == [answer.type_ids for answer in answers]
    tok.save(tmp_path / "again.json")
    again = ap.load(tmp_path / "again.json").encode_rows(TEXTS, add_special=special)
    assert again.ids.tolist() == rows.ids.tolist()


@pytest.mark.parametrize("strategy", ["LongestFirst", "OnlyFirst", "OnlySecond"])
@pytest.mark.parametrize("direction", ["Right", "Left"])
@pytest.mark.parametrize("most", [2, 3, 4, 5, 6, 9, 30])
@pytest.mark.parametrize("special", [True, False])
def test_pairs_of_the_library(tmp_path: Path, strategy: str, direction: str, most: int, special: bool) -> None:
    """Pairs of all lengths up to seven; those that one strategy cannot cut are refused here as there."""
    made = content(
        CUT | {"strategy": strategy, "direction": direction, "max_length": most},
        FILL | {"pad_type_id": 3, "direction": direction},
    )
    tok, other = loaded(tmp_path, made), Original.from_str(made)
    refused = 0
    pairs = [("a " * first, "b a " * (second // 2)) for first in range(7) for second in range(0, 8, 2)]
    able = []
    for first, second in pairs:
        try:
            other.encode(first, second, add_special_tokens=special)
        except Exception:  # the library raises nothing more special
            refused += 1
            with pytest.raises(ap.InputError, match="Shorten the other text"):
                tok.encode_rows([first], [second], add_special=special)
        else:
            able.append((first, second))
    assert (refused > 0) == (strategy != "LongestFirst" and most < 9 and most - 2 * special > 0)
    rows = tok.encode_rows(*zip(*able, strict=True), add_special=special)
    answers = other.encode_batch(able, add_special_tokens=special)
    assert rows.ids.tolist() == [answer.ids for answer in answers]
    assert rows.mask.astype(int).tolist() == [answer.attention_mask for answer in answers]
    assert rows.type_ids.tolist() == [answer.type_ids for answer in answers]


@pytest.mark.parametrize(
    "truncation", [CUT, CUT | {"direction": "Left"}, CUT | {"max_length": 1}, CUT | {"max_length": 99}]
)
@pytest.mark.parametrize("special", [True, False])
def test_a_file_that_cuts_and_does_not_fill_up(tmp_path: Path, truncation: dict[str, Any], special: bool) -> None:
    made = content(truncation, None)
    tok, other = loaded(tmp_path, made), Original.from_str(made)
    for pairs in (None, TEXTS[::-1]) if truncation["max_length"] > 1 else (None,):
        rows = tok.encode_rows(TEXTS, pairs, add_special=special)
        given = TEXTS if pairs is None else list(zip(TEXTS, pairs, strict=True))
        answers = other.encode_batch(given, add_special_tokens=special)
        assert rows.ids.tolist() == [answer.ids for answer in answers]
        assert rows.mask.tolist() == [answer.attention_mask for answer in answers]
        assert rows.type_ids.tolist() == [answer.type_ids for answer in answers]
    filled = tok.encode_rows(TEXTS, add_special=special, pad_id=4)
    other.enable_padding(pad_id=4, pad_token="<p>")
    assert filled.ids.tolist() == [answer.ids for answer in other.encode_batch(TEXTS, add_special_tokens=special)]


@pytest.mark.parametrize("most", [1, 2, 3, 4, 30])
@pytest.mark.parametrize("truncation", [None, CUT, CUT | {"direction": "Left"}])
@pytest.mark.parametrize("padding", [None, FILL, FILL | {"direction": "Left"}])
def test_lengths_and_pads_that_a_call_names(
    tmp_path: Path, most: int, truncation: dict[str, Any] | None, padding: dict[str, Any] | None
) -> None:
    made = content(truncation, padding)
    tok, other = loaded(tmp_path, made), Original.from_str(made)
    rows = tok.encode_rows(TEXTS, max_length=most, pad_id=1)
    direction = "left" if truncation and truncation["direction"] == "Left" else "right"
    other.enable_truncation(most, direction=direction)
    other.enable_padding(pad_id=1, direction="left" if padding and padding["direction"] == "Left" else "right")
    answers = other.encode_batch(TEXTS)
    assert rows.ids.tolist() == [answer.ids for answer in answers]
    assert rows.mask.tolist() == [[bool(one) for one in answer.attention_mask] for answer in answers]


def test_lengths_that_are_none(tmp_path: Path) -> None:
    tok = loaded(tmp_path, content(None, FILL))
    for wrong in ({"max_length": -1}, {"pad_id": -1}, {"pad_id": 2**32}, {"max_length": 0}):
        with pytest.raises(ap.InputError) as caught:
            tok.encode_rows(TEXTS, **wrong)
        assert caught.value.code == "argument-value"


@pytest.mark.parametrize("side", ["left", "right"])
def test_what_is_put_around_a_text_stays_when_a_row_is_cut(tmp_path: Path, side: Any) -> None:
    tok = loaded(tmp_path, content(None, None)).replace(bos_id=3, eos_id=4, single=((3, 0), ("A", 0), (4, 0)))
    batch = tok.encode_batch(TEXTS, add_special=True)
    for width in range(2, 9):
        ids, mask = batch.padded(2, width, side=side, truncate=True)
        for row, found in enumerate(ids.tolist()):
            text = tok.encode(TEXTS[row])[: width - 2]
            fill = [2] * (width - 2 - len(text))
            assert found == ([*fill, 3, *text, 4] if side == "left" else [3, *text, 4, *fill])
            assert mask[row].sum() == len(text) + 2
    assert batch[1:].padded(2, 3, truncate=True).ids.tolist() == batch.padded(2, 3, truncate=True).ids[1:].tolist()
    assert batch[::-1].padded(2, 3, truncate=True).ids.tolist() == batch.padded(2, 3, truncate=True).ids[::-1].tolist()
    with pytest.raises(ap.InputError, match="put around each text"):
        batch.padded(2, 1, truncate=True)


def test_pairs_that_are_none(tmp_path: Path) -> None:
    tok = loaded(tmp_path, content(None, FILL))
    with pytest.raises(ap.InputError, match="2 texts and 1 pairs"):
        tok.encode_rows(["a", "b"], ["a"])
    with pytest.raises(ap.InputError, match="add_special"):
        tok.encode_rows(["a"], ["a"], add_special="bos")
    assert tok.encode_rows([], []).ids.shape == (0, 0)


def test_without_sections(tmp_path: Path) -> None:
    tok = loaded(tmp_path, content(None, None))
    with pytest.raises(ap.InputError) as caught:
        tok.encode_rows(TEXTS)
    assert caught.value.code == "special-missing"
    rows = tok.replace(pad_id=4).encode_rows(TEXTS)
    assert rows.ids.tolist() == [[3, 0, 1, 4, 4, 4], [3, 4, 4, 4, 4, 4], [3, 0, 0, 1, 1, 0], [3, 1, 4, 4, 4, 4]]
    assert tok.replace(pad_id=4).encode_rows([]).ids.shape == (0, 0)


def test_rows_that_are_nearly_all_filling(tmp_path: Path) -> None:
    tok = loaded(tmp_path, content(None, FILL | {"strategy": {"Fixed": 1 << 24}}))
    with pytest.raises(ap.FormatError, match="nearly all") as caught:
        tok.encode_rows(["a"] * 1000)
    assert caught.value.code == "json-field"


@pytest.mark.parametrize(
    ("truncation", "padding", "code"),
    [
        (CUT | {"max_length": 0}, FILL, "argument-value"),  # less than what is put around a text
        (CUT | {"max_length": -1}, FILL, "json-field"),
        (CUT | {"strategy": "OnlySecond"}, FILL, "json-field"),
        (CUT | {"direction": "Up"}, FILL, "json-field"),
        (None, FILL | {"strategy": {"Fixed": 10**12}}, "json-field"),
        (None, FILL | {"strategy": "Longest"}, "json-field"),
        (None, FILL | {"strategy": {"Fixed": 2}}, "argument-value"),  # rows would be of several lengths
    ],
)
def test_refused(tmp_path: Path, truncation: dict[str, Any], padding: dict[str, Any], code: str) -> None:
    with pytest.raises(ap.AnyPieceError) as caught:
        loaded(tmp_path, content(truncation, padding)).encode_rows(TEXTS)
    assert caught.value.code == code
