"""Columns of Arrow give what lists of their values give, whatever their type, their chunks and their nulls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypiece as ap
from tests.property.strategies import bad_bytes, ids_of, texts
from tests.support.small_vocabularies import BYTES, RANKS, SPECIALS, UNIGRAM

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

VOCABULARIES = {"unigram": UNIGRAM, "bytes": BYTES, "ranks": RANKS, "specials": SPECIALS}
TOKENIZERS = {name: ap.Tokenizer(spec) for name, spec in VOCABULARIES.items()}

METHODS = {"unigram": "lattice", "specials": "lattice", "bytes": "lattice", "ranks": "dropout"}

INDICES = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
PLAIN = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view())


def plain(kind: pa.DataType) -> Callable[[Sequence[Any]], pa.Array]:
    return lambda values: pa.array(values, kind)


def coded(index: pa.DataType, values_of: pa.DataType, null_value: bool) -> Callable[[Sequence[Any]], pa.Array]:
    """A dictionary of values that differ; nulls are those of the indices, or a value."""

    def made(values: Sequence[Any]) -> pa.Array:
        known: list[Any] = list(dict.fromkeys(value for value in values if null_value or value is not None))
        places = [None if value is None and not null_value else known.index(value) for value in values]
        return pa.DictionaryArray.from_arrays(pa.array(places, index), pa.array(known, values_of))

    return made


KINDS = {str(kind): plain(kind) for kind in PLAIN}
KINDS |= {f"dictionary-{index}": coded(index, pa.string(), False) for index in INDICES}
KINDS |= {f"dictionary-{index}-null-value": coded(index, pa.large_string(), True) for index in (INDICES[0], INDICES[7])}
KINDS["dictionary-of-views"] = coded(pa.int32(), pa.string_view(), False)
KINDS["dictionary-of-bytes"] = coded(pa.uint16(), pa.binary(), True)


@st.composite
def columns(draw: st.DrawFn, values: st.SearchStrategy[Any], array: Callable[[Sequence[Any]], pa.Array]) -> Any:
    """A list with ``None`` for null, and the same as a column: in one piece or in chunks, cut out of longer ones or not."""
    rows = st.lists(st.one_of(values, values, st.none()), max_size=6)
    chunks = draw(st.lists(rows, min_size=1, max_size=4))
    wanted: list[Any] = [row for chunk in chunks for row in chunk]
    around = draw(st.tuples(rows, rows))
    cut = [array([*around[0], *rows, *around[1]]).slice(len(around[0]), len(rows)) for rows in chunks]
    if len(cut) == 1 and draw(st.booleans()):
        return wanted, cut[0]
    column = pa.chunked_array([*cut, array([])])
    if draw(st.booleans()):
        return wanted, pa.table({"text": column})
    return wanted, column


OPTIONS = st.fixed_dictionaries(
    {"add_special": st.sampled_from([False, True, "bos", "eos"]), "threads": st.sampled_from([1, 2, None])}
)


def filled(wanted: Sequence[Any]) -> list[Any]:
    return ["" if text is None else text for text in wanted]


def kept(wanted: Sequence[Any], results: Sequence[Any]) -> list[Any]:
    """The results of a list, null where a text is."""
    pairs = zip(wanted, results, strict=True)
    return [None if text is None else result for text, result in pairs]


def texts_for(name: str, kind: str) -> st.SearchStrategy[Any]:
    spec = VOCABULARIES[name]
    return bad_bytes(spec) if kind.startswith("binary") or kind == "large_binary" else texts(spec, 8)


FEWER = settings(max_examples=max(10, settings().max_examples // 3))
"""There are many kinds."""


@pytest.mark.parametrize("kind", KINDS)
@FEWER
@given(data=st.data(), name=st.sampled_from(sorted(TOKENIZERS)))
def test_a_column_of_texts_is_a_list(kind: str, data: st.DataObject, name: str) -> None:
    tok = TOKENIZERS[name]
    wanted, column = data.draw(columns(texts_for(name, kind), KINDS[kind]))
    options: dict[str, Any] = data.draw(OPTIONS)
    if name == "ranks":  # it has neither bos nor eos
        options["add_special"] = False
    specials: Any = data.draw(st.sampled_from(["text", "parse"]))
    reverse = data.draw(st.booleans())
    plain_batch = tok.encode_batch(filled(wanted), reverse=reverse, specials=specials, **options)
    counts = tok.count_batch(filled(wanted), specials=specials, **options)
    drawn: dict[str, Any] = {**options, "seed": 5, "index": 3, "specials": specials, "method": METHODS[name]}
    draws = tok.sample_batch(filled(wanted), 0.3, **drawn)

    ids = tok.encode_batch(column, out="arrow", reverse=reverse, specials=specials, **options)
    assert pa.array(ids).type == pa.large_list(pa.field("item", pa.uint32(), nullable=False))
    assert pa.array(ids).to_pylist() == kept(wanted, plain_batch.tolist())
    counted = tok.count_batch(column, out="arrow", specials=specials, **options)
    assert pa.array(counted).to_pylist() == kept(wanted, counts.tolist())
    sampled = tok.sample_batch(column, 0.3, out="arrow", **drawn)
    assert pa.array(sampled).to_pylist() == kept(wanted, draws.tolist())
    if None in wanted:
        for call in (tok.encode_batch, tok.count_batch):
            with pytest.raises(ap.InputError, match="null") as caught:
                call(column)
            assert caught.value.facts["nulls"] == wanted.count(None)
    else:
        assert tok.encode_batch(column, reverse=reverse, specials=specials, **options) == plain_batch
        assert tok.count_batch(column, specials=specials, **options).tolist() == counts.tolist()
        assert tok.sample_batch(column, 0.3, **drawn) == draws


LISTS: dict[str, Callable[[Sequence[Any]], pa.Array]] = {
    f"{name}-{item}": plain(make(item))
    for name, make in (("list", pa.list_), ("large_list", pa.large_list))
    for item in INDICES
} | {"fixed_size_list": plain(pa.list_(pa.uint32(), 3))}


@pytest.mark.parametrize("kind", LISTS)
@FEWER
@given(data=st.data())
def test_a_column_of_ids_is_a_list(kind: str, data: st.DataObject) -> None:
    tok = TOKENIZERS["unigram"]
    ids = ids_of(UNIGRAM) if kind != "fixed_size_list" else st.lists(st.integers(0, 10), min_size=3, max_size=3)
    wanted, column = data.draw(columns(ids, LISTS[kind]))
    skip_special, stop_at_eos = data.draw(st.booleans()), data.draw(st.booleans())
    plain_texts = tok.decode_batch([row or [] for row in wanted], skip_special=skip_special, stop_at_eos=stop_at_eos)
    texts = tok.decode_batch(column, out="arrow", skip_special=skip_special, stop_at_eos=stop_at_eos)
    assert pa.array(texts).type == pa.large_string()
    assert pa.array(texts).to_pylist() == kept(wanted, plain_texts)
    if None in wanted:
        with pytest.raises(ap.InputError, match="null"):
            tok.decode_batch(column)
    else:
        assert tok.decode_batch(column, skip_special=skip_special, stop_at_eos=stop_at_eos) == plain_texts


@pytest.mark.parametrize("name", TOKENIZERS)
@given(data=st.data())
def test_lists_can_be_handed_out_too(name: str, data: st.DataObject) -> None:
    tok = TOKENIZERS[name]
    given_texts = data.draw(st.lists(texts(VOCABULARIES[name], 8), max_size=5))
    batch = tok.encode_batch(given_texts)
    column = tok.encode_batch(given_texts, out="arrow")
    assert pa.array(column).to_pylist() == batch.tolist()
    assert pa.array(tok.count_batch(given_texts, out="arrow")).to_pylist() == batch.lengths.tolist()
    assert pa.array(tok.decode_batch(column, out="arrow")).to_pylist() == tok.decode_batch(batch)


@pytest.mark.parametrize("kind", ["string", "binary", "string_view", "dictionary-int8"])
@given(data=st.data())
def test_forbidden_text_of_a_column_is_refused_as_that_of_a_list(kind: str, data: st.DataObject) -> None:
    tok = TOKENIZERS["specials"]
    wanted, column = data.draw(columns(texts(SPECIALS, 6), KINDS[kind]))
    as_given = [text.encode() if kind == "binary" else text for text in filled(wanted)]
    assert refusal(lambda: tok.encode_batch(as_given, specials="error")) == refusal(
        lambda: tok.encode_batch(column, specials="error", out="arrow")
    )


def refusal(call: Callable[[], Any]) -> Any:
    try:
        call()
    except ap.InputError as error:
        return error.code, str(error), error.facts
    return None
