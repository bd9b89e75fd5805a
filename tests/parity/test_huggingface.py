"""tokenizer.json against tokenizers: ids, spans and decoded text, with special tokens as text and as themselves.

Part of ``make test`` where the real files are; the same comparison on all texts is part of ``make parity``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
from tokenizers import Tokenizer as Original

import anypiece as ap
from anypiece._core.vocabulary import special_tokens
from tests.parity.huggingface import FILES, VECTORS, first_difference, original
from tests.parity.ranks import valid
from tests.support import data
from tests.support.texts import adversarial_texts, long_text, sampled_lines, special_texts

if TYPE_CHECKING:
    from pathlib import Path

    from tokenizers import Tokenizer


class Opened(NamedTuple):
    name: str
    tok: ap.Tokenizer
    text: Tokenizer
    parse: Tokenizer


@pytest.fixture(scope="module", params=FILES[1::2])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    name: str = request.param
    path = tmp_path_factory.mktemp("hf") / "tokenizer.json"
    path.write_bytes(data.hf_file(name))
    return Opened(name, ap.load(path), original(name, "text"), original(name, "parse"))


def test_lines_of_every_corpus(opened: Opened) -> None:
    texts = valid([line for corpus in data.corpus_names() for line in sampled_lines(corpus, 4)])
    assert len(texts) > 150
    assert first_difference(opened.tok, opened.text, texts, "text") is None


def test_a_long_text(opened: Opened) -> None:
    text = long_text(60_000, False)
    assert first_difference(opened.tok, opened.text, [text], "text") is None
    assert opened.tok.encode(text.decode(), threads=2) == opened.tok.encode(text.decode())


def test_made_up_texts(opened: Opened) -> None:
    pieces = [opened.tok.id_to_bytes(id) for id in range(0, len(opened.tok), 97)]
    texts = valid(adversarial_texts(pieces, f"hf {opened.name}", 200))
    assert first_difference(opened.tok, opened.text, texts, "text") is None
    assert first_difference(opened.tok, opened.parse, texts, "parse") is None


def test_spans_in_batches(opened: Opened) -> None:
    """The same as tokenizers' offsets, for texts that tokens cover and for those that they do not."""
    lines = [line.decode() for corpus in data.corpus_names() for line in sampled_lines(corpus, 2)]
    texts = [*lines, "two  words\t\r\n", "nai\u0308ve \u0130 ½", "", " ", "x\x00y \ud55c\uad6d"]
    wanted = [
        [(id, start, end) for id, (start, end) in zip(one.ids, one.offsets, strict=True)]
        for one in opened.text.encode_batch(texts, add_special_tokens=False)
    ]
    assert opened.tok.encode_spans_batch(texts).tolist() == wanted


def test_special_tokens(opened: Opened) -> None:
    tok = opened.tok
    texts = special_texts([text for text, _, _ in tok.spec.added], f"hf {opened.name}", 150)
    assert first_difference(tok, opened.text, texts, "text") is None
    assert first_difference(tok, opened.parse, texts, "parse") is None
    special = {id for _, id, flags in tok.spec.added if flags & ap.AddedFlag.SPECIAL} - {tok.unk_id}
    assert all(special.isdisjoint(tok.encode(text.decode())) for text in texts)


def test_what_the_library_takes_for_a_special_token_is_refused(opened: Opened) -> None:
    tok = opened.tok
    names = special_tokens(tok)
    texts = special_texts([text for text, _, _ in tok.spec.added], f"hf {opened.name}", 60)
    written = [text.decode() for text in texts] + [
        change(name) for name in list(names)[:50] for change in (str.upper, str.title)
    ]
    special = set(names.values()) - {tok.unk_id}
    for text in written:
        if not special.isdisjoint(opened.parse.encode(text, add_special_tokens=False).ids):
            with pytest.raises(ap.InputError) as error:
                tok.encode(text, specials="error")
            assert error.value.code == "special-in-text"


def test_special_tokens_of_trusted_text(opened: Opened) -> None:
    tok = opened.tok
    names = special_tokens(tok)
    special = set(names.values()) - {tok.unk_id}
    for name, id in list(names.items())[:50]:
        alone = [found for found in opened.parse.encode(name, add_special_tokens=False).ids if found in special]
        assert alone == [id] or id == tok.unk_id
        ids = tok.encode_trusted([("user: ", False), (name, True), (f"{name} and {name}", False), (name[:2], True)])
        assert [found for found in ids if found in special] == alone
        assert special.isdisjoint(tok.encode_trusted([(name[:-1], True), (name[-1:], False), (name, False)]))


def test_templates(opened: Opened) -> None:
    for first, second in [("Hello", "world"), ("", "x"), ("a b", "")]:
        assert opened.tok.encode(first, add_special=True, specials="parse") == opened.parse.encode(first).ids
        pair, answer = opened.tok.encode_pair(first, second, specials="parse"), opened.parse.encode(first, second)
        assert (pair.ids, pair.type_ids) == (answer.ids, answer.type_ids)


def test_streams(opened: Opened) -> None:
    text = "Hello  world, it's 3.14!\n\n日本語 é😀 <s>x</s>"
    ids = opened.tok.encode(text, specials="parse")
    stream = opened.tok.stream_decoder()
    assert "".join([stream.push([id]) for id in ids] + [stream.flush()]) == opened.tok.decode(ids)
    encoder = opened.tok.stream_encoder()
    found = [id for part in text for id in encoder.push(part)] + list(encoder.flush())
    assert found == opened.tok.encode(text)


@pytest.mark.parametrize("name", VECTORS)
def test_recorded_ids_and_texts(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("vectors") / "tokenizer.json"
    path.write_bytes(data.hf_file(VECTORS[name]))
    tok = ap.load(path)
    for vector in data.vectors(name, "tokenizers"):
        assert tok.encode(vector.text, specials="parse") == vector.ids
        if vector.decoded is not None:
            assert tok.decode(vector.ids) == vector.decoded


def test_written_and_read_again(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    opened.tok.save(path)
    again = ap.load(path)
    assert again.spec == opened.tok.spec
    other = Original.from_file(str(path))
    texts = valid([line for corpus in data.corpus_names()[::4] for line in sampled_lines(corpus, 3)])
    assert first_difference(again, other, texts, "parse") is None
    for text in ("Hello world", ""):
        assert other.encode(text).ids == opened.parse.encode(text).ids
        assert other.encode(text, "x").type_ids == opened.parse.encode(text, "x").type_ids
