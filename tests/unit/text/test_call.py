"""A tokenizer as a function: rows as tokenizers makes them with the same settings, tensors, and arguments that are wrong."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tokenizers import Tokenizer as Original

import anypiece as ap
from tests.support.hf import added, document

if TYPE_CHECKING:
    from pathlib import Path

WORDS = {"a": 0, "b": 1, "<unk>": 2, "<s>": 3, "<p>": 4, "</s>": 5}
TEXTS = ["a b", "", "a a b b a", "b"]
PAIRS = ["b b b b", "a", "", "a b"]
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "</s>", "type_id": 0}},
    ],
    "pair": [
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "</s>", "type_id": 0}},
        {"Sequence": {"id": "B", "type_id": 1}},
        {"SpecialToken": {"id": "</s>", "type_id": 1}},
    ],
    "special_tokens": {
        "<s>": {"id": "<s>", "ids": [3], "tokens": ["<s>"]},
        "</s>": {"id": "</s>", "ids": [5], "tokens": ["</s>"]},
    },
}
CONTENT = json.dumps(
    document(
        model={"type": "WordLevel", "vocab": WORDS, "unk_token": "<unk>"},
        pre_tokenizer={"type": "Whitespace"},
        post_processor=TEMPLATE,
        added_tokens=[added(3, "<s>"), added(4, "<p>"), added(5, "</s>")],
    )
)


@pytest.fixture
def tok(tmp_path: Path) -> ap.Tokenizer:
    (tmp_path / "tokenizer.json").write_text(CONTENT)
    return ap.load(tmp_path / "tokenizer.json", roles={"pad": "<p>"})


def original(**options: Any) -> Any:
    made = Original.from_str(CONTENT)
    if options.get("truncation"):
        strategy = options["truncation"] if isinstance(options["truncation"], str) else "longest_first"
        side = options.get("truncation_side", "right")
        made.enable_truncation(options["max_length"], strategy=strategy, direction=side)
    if options.get("padding"):
        length = options["max_length"] if options["padding"] == "max_length" else None
        side, multiple = options.get("padding_side", "right"), options.get("pad_to_multiple_of")
        made.enable_padding(direction=side, pad_id=4, pad_token="<p>", length=length, pad_to_multiple_of=multiple)
    return made


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("add_special", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"padding": True},
        {"padding": "longest", "padding_side": "left"},
        {"padding": "longest", "pad_to_multiple_of": 4},
        {"truncation": True, "max_length": 5},
        {"truncation": "longest_first", "max_length": 4, "truncation_side": "left"},
        {"truncation": True, "max_length": 5, "padding": True, "padding_side": "left", "truncation_side": "left"},
        {"truncation": True, "max_length": 6, "padding": "max_length"},
        {"truncation": True, "max_length": 6, "padding": "max_length", "pad_to_multiple_of": 4},
        {"padding": "max_length", "max_length": 13},
    ],
)
def test_rows_are_those_of_tokenizers(
    tok: ap.Tokenizer, options: dict[str, Any], add_special: bool, paired: bool
) -> None:
    given = list(zip(TEXTS, PAIRS, strict=True)) if paired else TEXTS
    wanted = original(**options).encode_batch(given, add_special_tokens=add_special)
    asked = {"return_special_tokens_mask": True, "return_token_type_ids": True, "return_offsets_mapping": True}
    for arguments in ((TEXTS, PAIRS), (given,)) if paired else ((TEXTS,),):
        found = tok(*arguments, add_special=add_special, **options, **asked)
        assert found["input_ids"] == [one.ids for one in wanted]
        assert found["attention_mask"] == [one.attention_mask for one in wanted]
        assert found["token_type_ids"] == [one.type_ids for one in wanted]
        assert found["special_tokens_mask"] == [one.special_tokens_mask for one in wanted]
        assert found["offset_mapping"] == [[list(span) for span in one.offsets] for one in wanted]


def test_one_text_is_flat_and_a_tensor_has_a_batch(tok: ap.Tokenizer) -> None:
    assert tok("a b") == {"input_ids": [3, 0, 1, 5], "attention_mask": [1, 1, 1, 1]}
    assert tok("a", "b")["token_type_ids"] == [0, 0, 0, 1, 1]
    assert tok(b"a b", add_special=False).input_ids == [0, 1]
    found = tok("a b", return_tensors="np", return_length=True)
    assert (found.input_ids.tolist(), found.length.tolist()) == ([[3, 0, 1, 5]], [4])
    assert tok(["a", "b"], return_tensors="np").input_ids.tolist() == [[3, 0, 5], [3, 1, 5]]
    assert tok([]) == {"input_ids": [], "attention_mask": []}
    assert tok([], padding=True, return_tensors="np").input_ids.shape == (0, 0)
    assert tok(text for text in TEXTS) == tok(TEXTS)


def test_tensors_are_int64(tok: ap.Tokenizer) -> None:
    asked = dict.fromkeys(("return_special_tokens_mask", "return_token_type_ids", "return_offsets_mapping"), True)
    found = tok(TEXTS, PAIRS, padding=True, return_tensors="np", return_length=True, **asked)
    assert {name: array.dtype for name, array in found.items()} == dict.fromkeys(found, np.dtype("int64"))
    assert found.offset_mapping.shape == (*found.input_ids.shape, 2)


def test_a_result_is_a_mapping_with_attributes(tok: ap.Tokenizer) -> None:
    found = tok(TEXTS, padding=True, return_tensors="np")
    assert dict(**found).keys() == {"input_ids", "attention_mask"}
    for other in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
        assert type(other) is ap.Encoded
        assert np.array_equal(other.input_ids, found.input_ids)
    with pytest.raises(AttributeError, match="no 'labels' here, only input_ids, attention_mask"):
        found.labels  # noqa: B018
    assert not hasattr(found, "__array__")


def test_a_length_alone_cuts(tok: ap.Tokenizer) -> None:
    """As in transformers, where nothing is said of truncation and nothing is filled up."""
    assert tok("a a a a", max_length=4).input_ids == [3, 0, 0, 5]
    assert tok("a a a a", max_length=4, truncation=False).input_ids == [3, 0, 0, 0, 0, 5]
    assert tok(["a a a a"], max_length=4, padding="max_length").input_ids == [[3, 0, 0, 0, 0, 5]]


def test_special_tokens_in_text_are_text_unless_permitted(tok: ap.Tokenizer) -> None:
    assert tok("a </s>", specials="parse").input_ids == [3, 0, 5, 5]
    assert 5 not in tok("a </s>", add_special=False).input_ids


def test_the_folder_says_what_a_call_leaves_open(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(CONTENT)
    config = {"pad_token": "<p>", "padding_side": "left", "truncation_side": "left", "model_max_length": 4}
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", **config})
    )
    tok = ap.load(tmp_path)
    assert tok(["a a b b", "a"], truncation=True, padding=True).input_ids == [[3, 1, 1, 5], [4, 3, 0, 5]]
    assert tok(["a"], padding="max_length", padding_side="right").input_ids == [[3, 0, 5, 4]]
    again = pickle.loads(pickle.dumps(tok))
    assert again(["a a b b"], truncation=True) == tok(["a a b b"], truncation=True)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"truncation": True}, ap.InputError, "max_length="),
        ({"padding": "max_length"}, ap.InputError, "max_length="),
        ({"padding": "widest"}, ap.InputError, "padding must be one of True, 'longest'"),
        ({"truncation": "both"}, ap.InputError, "truncation must be one of"),
        ({"truncation": 1}, ap.InputError, "truncation must be one of"),
        ({"padding_side": "top"}, ap.InputError, "padding_side"),
        ({"truncation_side": "top"}, ap.InputError, "truncation_side"),
        ({"max_length": "9"}, ap.InputTypeError, "max_length must be an integer"),
        ({"max_length": 1}, ap.InputError, "add_special=False"),
        ({"max_length": 3, "truncation": "only_second"}, ap.InputError, "second text"),
        ({"padding": True, "pad_to_multiple_of": 0}, ap.InputError, "pad_to_multiple_of"),
        ({"padding": "max_length", "max_length": 1 << 27}, ap.InputError, "smaller max_length"),
        ({"return_tensors": "np"}, ap.InputError, "Pass padding=True"),
        ({"return_tensors": "tf"}, NotImplementedError, "return_tensors='tf'"),
        ({"return_tensors": "numpy"}, ap.InputError, '"np", "pt" or None'),
        ({"stride": 2}, NotImplementedError, "stride"),
        ({"is_split_into_words": True}, NotImplementedError, "is_split_into_words"),
        ({"add_special_tokens": False}, ap.InputTypeError, "called add_special"),
        ({"max_lenght": 3}, ap.InputTypeError, "Did you mean max_length"),
        ({"flavour": 3}, ap.InputTypeError, "no argument 'flavour'"),
        ({"specials": 3}, ap.InputTypeError, "specials"),
        ({"add_special": 3}, ap.InputError, "add_special"),
    ],
)
def test_arguments_that_are_wrong(
    tok: ap.Tokenizer, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error) as caught:
        tok(TEXTS, **options)
    assert says in str(caught.value)


@pytest.mark.parametrize("texts", [5, None, 1.5, [5], ["a", None], [["a"]], [("a", "b", "a")], [("a", 5)], object()])
def test_what_is_no_text(tok: ap.Tokenizer, texts: Any) -> None:
    with pytest.raises(ap.InputTypeError):
        tok(texts)


def test_pairs_that_do_not_fit(tok: ap.Tokenizer) -> None:
    with pytest.raises(ap.InputTypeError):
        tok(["a"], "b")
    with pytest.raises(ap.InputTypeError):
        tok("a", ["b"])
    with pytest.raises(ap.InputError, match="2 pairs"):
        tok(["a"], ["b", "a"])


def test_padding_without_a_pad_piece_names_the_way_out(tok: ap.Tokenizer) -> None:
    bare = tok.replace(pad_id=None)
    with pytest.raises(ap.InputError, match=r'pad_id=\.\.\. to this call.*roles={"pad".*tok\.replace') as caught:
        bare(TEXTS, padding=True)
    assert caught.value.code == "special-missing"
    assert bare(TEXTS, padding=True, pad_id=4) == tok(TEXTS, padding=True)
    assert bare(TEXTS) == tok(TEXTS)


def test_torch_that_is_not_installed(tok: ap.Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ap.InputError, match="pip install torch") as caught:
        tok("a", return_tensors="pt")
    assert caught.value.code == "extra-missing"


def test_pad_fills_up_what_a_call_would(tok: ap.Tokenizer) -> None:
    rows = tok(TEXTS, PAIRS, return_special_tokens_mask=True, return_offsets_mapping=True)
    listed = [{name: rows[name][number] for name in rows} for number in range(len(TEXTS))]
    for options in (
        {},
        {"padding_side": "left"},
        {"pad_to_multiple_of": 8},
        {"padding": "max_length", "max_length": 12},
    ):
        asked = {"padding": True, "truncation": False, **options}
        wanted = tok(TEXTS, PAIRS, return_special_tokens_mask=True, return_offsets_mapping=True, **asked)
        assert tok.pad(rows, **options) == wanted
        assert tok.pad(listed, **options) == wanted
        assert tok.pad(listed, return_tensors="np", **options).input_ids.tolist() == wanted.input_ids
    assert tok.pad(rows, padding=False) == rows


def test_pad_and_what_else_examples_have(tok: ap.Tokenizer) -> None:
    examples = [{"input_ids": np.array([0, 1, 1]), "labels": [0, 1, 1], "name": "x"},
                {"input_ids": [0], "labels": [1], "name": "y"}]  # fmt: skip
    found = tok.pad(examples)
    assert found == {
        "input_ids": [[0, 1, 1], [0, 4, 4]],
        "labels": [[0, 1, 1], [1, -100, -100]],
        "name": ["x", "y"],
        "attention_mask": [[1, 1, 1], [1, 0, 0]],
    }
    classes = tok.pad([{"input_ids": [0, 1], "labels": 1}, {"input_ids": [], "labels": 0}], return_tensors="np")
    assert (classes.labels.tolist(), classes.input_ids.tolist()) == ([1, 0], [[0, 1], [4, 4]])
    assert tok.pad({"input_ids": [0, 1]}, padding="max_length", max_length=3) == {
        "input_ids": [0, 1, 4],
        "attention_mask": [1, 1, 0],
    }


@pytest.mark.parametrize(
    ("examples", "says"),
    [
        (5, "not int"),
        ([], "an empty list"),
        ([[1, 2]], "a list of something else"),
        ({"ids": [[1]]}, "need input_ids"),
        ([{"input_ids": [1]}, {"input_ids": [1], "labels": [1]}], "'labels'"),
        ([{"input_ids": ["a"]}], "must be integers"),
        ([{"input_ids": [0.5]}], "must be integers"),
    ],
)
def test_examples_that_are_wrong(tok: ap.Tokenizer, examples: Any, says: str) -> None:
    with pytest.raises(ap.InputError) as caught:
        tok.pad(examples)
    assert says in str(caught.value)
