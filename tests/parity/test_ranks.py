"""Rank files against tiktoken: ids, decoded text and offsets, with special tokens as text and as themselves.

Part of ``make test`` where the real files are; the same comparison on all texts is part of ``make parity``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import anypiece as ap
from tests.parity.ranks import first_difference, valid
from tests.parity.tiktoken_reference import ENCODINGS, Answers, Reference
from tests.support import data
from tests.support.texts import adversarial_texts, long_text, sampled_lines, special_texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Opened(NamedTuple):
    name: str
    tok: ap.Tokenizer
    reference: Reference
    facts: dict[str, Any]


@pytest.fixture(scope="module")
def reference() -> Iterator[Reference]:
    worker = Reference()
    yield worker
    worker.close()


@pytest.fixture(scope="module", params=list(ENCODINGS))
def opened(request: pytest.FixtureRequest, reference: Reference, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    name: str = request.param
    path: Path = tmp_path_factory.mktemp("ranks") / "ranks"
    path.write_bytes(data.rank_file(ENCODINGS[name]))
    return Opened(name, ap.load(path, definition=name), reference, reference.open(name))


def compare(tok: ap.Tokenizer, texts: list[bytes], answers: Answers, specials: str) -> None:
    assert first_difference(tok, texts, answers, specials) is None


def test_facts(opened: Opened) -> None:
    _, tok, _, facts = opened
    assert tok.vocab_size == facts["n_vocab"]
    assert {text: id for text, id, _ in tok.spec.added} == facts["specials"]


def test_lines_of_every_corpus(opened: Opened) -> None:
    _, tok, reference, _ = opened
    texts = valid([line for corpus in data.corpus_names() for line in sampled_lines(corpus, 40)])
    assert len(texts) > 1500
    compare(tok, texts, reference.ordinary(texts), "text")


def test_a_long_text(opened: Opened) -> None:
    _, tok, reference, _ = opened
    texts = [long_text(300_000, False)]
    answers = reference.ordinary(texts)
    compare(tok, texts, answers, "text")
    assert tok.encode(texts[0].decode(), threads=2) == answers.ids.tolist()


def test_made_up_texts(opened: Opened) -> None:
    name, tok, reference, _ = opened
    texts = valid(adversarial_texts([tok.id_to_bytes(id) for id in range(0, len(tok), 97)], f"ranks {name}", 500))
    texts += [
        text.encode()
        for text in ("\n  ", "a\n  ", " \t\n \n\t ", "  \r\n\r\n x", "don't DON'T don\u017ft", "3.14159 ½")
    ]
    assert len(texts) > 300
    compare(tok, texts, reference.ordinary(texts), "text")


def test_special_tokens(opened: Opened) -> None:
    name, tok, reference, _ = opened
    names = [text for text, _, _ in tok.spec.added]
    # All of them once, too: one id may have two names.
    texts = [*special_texts(names, name, 200), " x".join(names).encode()]
    compare(tok, texts, reference.ordinary(texts), "text")
    compare(tok, texts, reference.special(texts), "parse")
    controls = set(range(len(tok))) - {id for id in range(len(tok)) if tok.kind(id) != ap.Kind.CONTROL}
    assert all(controls.isdisjoint(tok.encode(text.decode())) for text in texts)


def test_lone_surrogates(opened: Opened) -> None:
    _, tok, reference, _ = opened
    text = "a\ud800b \udfff"
    assert (
        tok.encode(text)
        == reference.ordinary([text.encode("utf-8", "replace").replace(b"?", "\ufffd".encode())]).ids.tolist()
    )
