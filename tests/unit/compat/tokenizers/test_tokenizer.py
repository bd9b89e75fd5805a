"""A tokenizer of our face says what the same tokenizer of tokenizers says."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from anypiece.compat import tokenizers as face
from tests.support.both_tokenizers import LIBRARIES, TEXTS, both, said, shapes

if TYPE_CHECKING:
    from pathlib import Path

SHAPES = list(shapes())


@pytest.mark.parametrize("name", SHAPES)
def test_encodings_are_the_same(name: str) -> None:
    theirs, ours = both(name)
    for text in TEXTS:
        for special in (True, False):
            assert said(ours.encode(text, add_special_tokens=special)) == said(
                theirs.encode(text, add_special_tokens=special)
            )
    for first, second in itertools.product(TEXTS, TEXTS[2:5]):
        assert said(ours.encode(first, second)) == said(theirs.encode(first, second)), (first, second)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("direction", ["right", "left"])
@pytest.mark.parametrize("strategy", ["longest_first", "only_first", "only_second"])
def test_truncation_and_padding_are_the_same(name: str, direction: str, strategy: str) -> None:
    theirs, ours = both(name)
    for length, stride, pair in itertools.product((5, 8), (0, 1), (None, "hello world x")):
        for tokenizer in (theirs, ours):
            tokenizer.enable_truncation(length, stride=stride, strategy=strategy, direction=direction)
            tokenizer.enable_padding(
                direction=direction, pad_id=3, pad_type_id=1, pad_token="[PAD]", pad_to_multiple_of=3
            )
        for text in TEXTS[:8]:
            results = []
            for tokenizer in (theirs, ours):
                try:
                    results.append(said(tokenizer.encode(text, pair)))
                except BaseException as error:  # both must refuse with the same words, unless the original panics
                    results.append({"error": (type(error).__name__, str(error))})
            if results[0].get("error", [""])[0] == "PanicException":
                assert results[1]["error"][0] == "ValueError"
            else:
                assert results[0] == results[1], (text, length, stride, pair)
    assert ours.truncation == theirs.truncation
    assert ours.padding == theirs.padding
    assert ours.to_str() == theirs.to_str()


@pytest.mark.parametrize("name", SHAPES)
def test_batches_and_words_are_the_same(name: str) -> None:
    theirs, ours = both(name)
    rows = [["hello", "world"], ["Hello", "x,", ""], []]
    mixed = ["hello world", ("hello", "world x"), ["a", "hello"]]
    for tokenizer in (theirs, ours):
        tokenizer.enable_padding()
    for batch, words in ((list(TEXTS), False), (mixed, False), (rows, True), ([(rows[0], rows[1])], True)):
        wanted, found = (tokenizer.encode_batch(batch, is_pretokenized=words) for tokenizer in (theirs, ours))
        assert [said(one) for one in found] == [said(one) for one in wanted]
        wanted, found = (tokenizer.encode_batch_fast(batch, is_pretokenized=words) for tokenizer in (theirs, ours))
        assert [said(one) for one in found] == [said(one) for one in wanted]
    arrays = np.array(["hello world", "x"])
    assert [one.ids for one in ours.encode_batch(arrays)] == [one.ids for one in theirs.encode_batch(arrays)]


@pytest.mark.parametrize("name", SHAPES)
def test_decoding_is_the_same(name: str) -> None:
    theirs, ours = both(name)
    for text, skip in itertools.product(TEXTS, (True, False)):
        ids = theirs.encode(text).ids
        assert ours.decode(ids, skip_special_tokens=skip) == theirs.decode(ids, skip_special_tokens=skip)
        assert ours.decode([*ids, 10**6], skip_special_tokens=skip) == theirs.decode(
            [*ids, 10**6], skip_special_tokens=skip
        )
        parts = []
        for tokenizer, library in zip((theirs, ours), LIBRARIES, strict=True):
            stream = library.decoders.DecodeStream([], skip)
            parts.append([stream.step(tokenizer, id) for id in ids])
        assert parts[0] == parts[1]


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_written_and_shown_is_the_same(name: str, tmp_path: Path) -> None:
    theirs, ours = both(name)
    assert ours.to_str() == theirs.to_str()
    assert ours.to_str(pretty=True) == theirs.to_str(pretty=True)
    if name != "bytes":  # a table of many rows is shown in no order
        assert (repr(ours), str(ours)) == (repr(theirs), str(theirs))
    theirs.save(str(tmp_path / "tokenizer.json"))
    read = [
        face.Tokenizer.from_file(str(tmp_path / "tokenizer.json")),
        face.Tokenizer.from_str(theirs.to_str()),
        face.Tokenizer.from_buffer(theirs.to_str().encode()),
        face.Tokenizer.from_pretrained(str(tmp_path)),
        pickle.loads(pickle.dumps(ours)),
        copy.deepcopy(ours),
    ]
    for one in read:
        assert json.loads(one.to_str()) == json.loads(theirs.to_str())
        assert said(one.encode(TEXTS[3])) == said(theirs.encode(TEXTS[3]))


@pytest.mark.parametrize("name", SHAPES)
def test_vocabularies_and_added_tokens_are_the_same(name: str) -> None:
    theirs, ours = both(name)
    for tokenizer, library in zip((theirs, ours), LIBRARIES, strict=True):
        added = tokenizer.add_tokens(["hello", "new", "", library.AddedToken("two words", single_word=True), "new"])
        assert (added, tokenizer.add_special_tokens(["<new>", "new"])) == ((3, 2) if name != "bare" else (2, 2))
    for special in (True, False):
        assert ours.get_vocab(special) == theirs.get_vocab(special)
        assert ours.get_vocab_size(special) == theirs.get_vocab_size(special)
        assert ours.num_special_tokens_to_add(special) == theirs.num_special_tokens_to_add(special)
    wanted = {id: repr(token) for id, token in theirs.get_added_tokens_decoder().items()}
    assert {id: repr(token) for id, token in ours.get_added_tokens_decoder().items()} == wanted
    for text in (*TEXTS, "a new two words,two wordsy <new>"):
        assert said(ours.encode(text)) == said(theirs.encode(text))
    for token in ("hello", "new", "none"):
        assert ours.token_to_id(token) == theirs.token_to_id(token)
    assert [ours.id_to_token(id) for id in range(30)] == [theirs.id_to_token(id) for id in range(30)]


@pytest.mark.parametrize("name", SHAPES)
def test_special_tokens_can_be_text(name: str) -> None:
    theirs, ours = both(name)
    for tokenizer in (theirs, ours):
        tokenizer.encode_special_tokens = True
    for text in TEXTS:
        assert said(ours.encode(text)) == said(theirs.encode(text))


def test_changed_components_count() -> None:
    found = []
    for tokenizer, library in zip(both("words"), LIBRARIES, strict=True):
        tokenizer.encode("Hello")
        tokenizer.normalizer.lowercase = False
        first = tokenizer.encode("Hello hello").tokens
        tokenizer.pre_tokenizer = library.pre_tokenizers.Sequence([library.pre_tokenizers.Whitespace()])
        tokenizer.pre_tokenizer[0] = library.pre_tokenizers.CharDelimiterSplit("-")
        tokenizer.model.unk_token = "x"
        tokenizer.post_processor = None
        found.append((first, tokenizer.encode("hello-world-Hello").tokens))
    assert found[0] == found[1]


CALLS: dict[str, Any] = {
    "no text": lambda tokenizer, lib: tokenizer.encode(3),
    "a list": lambda tokenizer, lib: tokenizer.encode(["a"]),
    "no words": lambda tokenizer, lib: tokenizer.encode("a", is_pretokenized=True),
    "a number": lambda tokenizer, lib: tokenizer.encode_batch(3),
    "a text for a batch": lambda tokenizer, lib: tokenizer.encode_batch("abc"),
    "a row of three": lambda tokenizer, lib: tokenizer.encode_batch([["a", "b", "c"]]),
    "half a surrogate pair": lambda tokenizer, lib: tokenizer.encode("a\ud800"),
    "ids that are a text": lambda tokenizer, lib: tokenizer.decode("a"),
    "no ids": lambda tokenizer, lib: tokenizer.decode(None),
    "a negative id": lambda tokenizer, lib: tokenizer.decode([-1]),
    "a wide stride": lambda tokenizer, lib: tokenizer.enable_truncation(3, stride=5),
    "a strategy": lambda tokenizer, lib: tokenizer.enable_truncation(3, strategy="x"),
    "a direction": lambda tokenizer, lib: tokenizer.enable_padding(direction="x"),
    "no token": lambda tokenizer, lib: tokenizer.add_tokens([3]),
    "no name": lambda tokenizer, lib: tokenizer.token_to_id(3),
    "no model": lambda tokenizer, lib: lib.Tokenizer("x"),
    "no file": lambda tokenizer, lib: lib.Tokenizer.from_file("/no/such/file"),
    "no JSON": lambda tokenizer, lib: lib.Tokenizer.from_str("xx"),
    "an empty document": lambda tokenizer, lib: lib.Tokenizer.from_str("{}"),
    "an empty buffer": lambda tokenizer, lib: lib.Tokenizer.from_buffer(b"{}"),
    "no normalizer": lambda tokenizer, lib: setattr(tokenizer, "normalizer", 3),
    "a merge of nothing": lambda tokenizer, lib: lib.models.BPE({"a": 0}, [("a", "c")]),
    "a behavior": lambda tokenizer, lib: lib.pre_tokenizers.Split("a", "nope"),
    "two characters": lambda tokenizer, lib: lib.pre_tokenizers.Metaspace("ab"),
    "a scheme": lambda tokenizer, lib: lib.pre_tokenizers.Metaspace(prepend_scheme="x"),
    "much dropout": lambda tokenizer, lib: lib.models.BPE(dropout=2.0),
    "no pieces": lambda tokenizer, lib: lib.models.Unigram([], 0),
    "a cut to the left of nothing": lambda tokenizer, lib: tokenizer.encode("a").truncate(1, 0, "up"),
}


@pytest.mark.parametrize("name", CALLS)
def test_errors_are_of_the_same_class(name: str) -> None:
    found = []
    for tokenizer, library in zip(both("words"), LIBRARIES, strict=True):
        with pytest.raises(Exception) as raised:  # noqa: PT011 (the class is what is compared)
            CALLS[name](tokenizer, library)
        found.append(raised.type)
    assert found[0] is found[1]


def test_components_in_python_are_refused_by_name() -> None:
    for refused in (face.normalizers.Normalizer, face.pre_tokenizers.PreTokenizer, face.decoders.Decoder):
        with pytest.raises(NotImplementedError, match=f"A {refused.__name__} written in Python"):
            refused.custom(object())
