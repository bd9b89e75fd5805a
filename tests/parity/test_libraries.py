"""Files against the library of their makers: ids, decoded text, places, written and read again.

Part of ``make test-deep`` where the real files are; the same comparison on all texts is part of ``make parity``.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

import anypiece as ap
from tests.parity.libraries import FILES, Library, first_difference, library_of, unpacked
from tests.parity.ranks import valid
from tests.support import data
from tests.support.chances import assert_same
from tests.support.gguf import golden_texts
from tests.support.texts import SEED, adversarial_texts, long_text, sampled_lines, special_texts

if TYPE_CHECKING:
    from pathlib import Path


class Opened(NamedTuple):
    name: str
    path: Path
    tok: ap.Tokenizer
    library: Library


@pytest.fixture(scope="module", params=list(FILES))
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    name: str = request.param
    path = unpacked(name, tmp_path_factory.mktemp("files"))
    library = library_of(name)
    return Opened(name, path, ap.load(path, **dict(library.options)), library)


def test_lines_of_every_corpus(opened: Opened) -> None:
    texts = valid([line for corpus in data.corpus_names() for line in sampled_lines(corpus, 10)])
    assert len(texts) > 400
    assert first_difference(opened.tok, texts, opened.library) is None


def test_a_long_text(opened: Opened) -> None:
    text = long_text(150_000, False)
    assert first_difference(opened.tok, [text], opened.library) is None
    assert opened.tok.encode(text.decode(), threads=2) == opened.tok.encode(text.decode())


def test_made_up_texts(opened: Opened) -> None:
    pieces = [opened.tok.id_to_bytes(id) for id in range(0, len(opened.tok), 97)]
    texts = valid(adversarial_texts(pieces, opened.name, 200))
    assert len(texts) > 120
    assert first_difference(opened.tok, texts, opened.library) is None


def test_special_tokens_in_text_are_text(opened: Opened) -> None:
    tok = opened.tok
    names = [tok.id_to_piece(id) for id in range(len(tok)) if tok.kind(id) == ap.Kind.CONTROL]
    texts = special_texts(names, opened.name, 200)
    assert first_difference(tok, texts, opened.library) is None
    controls = {id for id in range(len(tok)) if tok.kind(id) == ap.Kind.CONTROL}
    assert all(controls.isdisjoint(tok.encode(text.decode())) for text in texts)


def test_any_ids_decode_alike(opened: Opened) -> None:
    rng = Random(f"{SEED} ids {opened.name}")
    used = [id for id in range(len(opened.tok)) if opened.tok.kind(id) != ap.Kind.UNUSED]
    if opened.name.startswith("wordpiece"):  # tokenizers takes white space off the end of lines, and no text meets them
        used = [id for id in used if opened.tok.id_to_piece(id) == opened.tok.id_to_piece(id).rstrip()]
    for _ in range(200):
        ids = rng.choices(used, k=rng.randint(1, 20))
        assert opened.tok.decode(ids, errors=opened.library.errors) == opened.library.decode(ids)


def test_written_as_it_was(opened: Opened, tmp_path: Path) -> None:
    kind = opened.name.split("/")[0]
    opened.tok.save(tmp_path / "again", format=kind)
    assert (tmp_path / "again").read_bytes() == opened.path.read_bytes()
    opened.tok.save(tmp_path / "it.anypiece")
    assert ap.load(tmp_path / "it.anypiece", verify=True) == opened.tok


@pytest.mark.parametrize("name", ["bytepiece.plus.40k", "bytepiece_160k"])
def test_recorded_ids_and_texts_of_bytepiece(name: str, tmp_path: Path) -> None:
    tok = ap.load(unpacked(f"bytepiece/{name}.model", tmp_path))
    recorded = json.loads(data.unpacked(data.folder() / "vectors" / "bytepiece" / f"{name}.json"))
    texts = golden_texts()
    assert len(texts) == len(recorded["ids"]) == 1600
    assert [tok.encode(text) for text in texts] == recorded["ids"]
    assert len(recorded["decoded"]) == 300
    for text, ids, decoded in zip(texts, recorded["ids"], recorded["decoded"], strict=False):
        assert tok.decode(ids) == decoded == tok.normalize(text)


@pytest.mark.parametrize("name", ["bytepiece.plus.40k", "bytepiece_160k"])
def test_draws_of_bytepiece(name: str, tmp_path: Path) -> None:
    """From one distribution, by 30,000 draws of each with a fixed seed."""
    tok = ap.load(unpacked(f"bytepiece/{name}.model", tmp_path))
    library = library_of(f"bytepiece/{name}.model")
    assert library.sample is not None
    for text, alpha in (("the cat sat", 0.1), ("日本語を", 0.5), ("a🦄!", 0.0), ("hello", 1.0)):
        batch = tok.sample_batch([text] * 30_000, alpha, seed=7)
        theirs = [tuple(library.sample(text, alpha)) for _ in range(30_000)]
        assert_same(map(tuple, batch.tolist()), theirs)


def test_recorded_ids_and_texts_of_bert(tmp_path: Path) -> None:
    tok = ap.load(unpacked("wordpiece/bert_base_cased_vocab.txt", tmp_path))
    vectors = data.vectors("bert_base_cased", "tokenizers")
    assert len(vectors) > 100
    for vector in vectors:
        assert tok.encode(vector.text, specials="parse") == vector.ids
        if vector.decoded is not None:
            assert tok.decode(vector.ids) == vector.decoded


@pytest.mark.parametrize("name", ["mistral2410", "mistral2512", "mistral35"])
def test_recorded_ids_of_tekken(name: str, tmp_path: Path) -> None:
    """Of other files than ours; on these texts all of them agree."""
    tok = ap.load(unpacked("tekken/tekken_240911.json", tmp_path))
    vectors = data.vectors(name, "tekken")
    assert len(vectors) > 100
    assert [tok.encode(vector.text) for vector in vectors] == [vector.ids for vector in vectors]
