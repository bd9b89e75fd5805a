"""Growing: old ids stay, new pieces are learned from the corpus and used, and what cannot grow is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
import tokenizers

import anypiece as ap
from anypiece import InputError
from anypiece.cli import run
from anypiece.reference.bpe_training import joined, train_more_bpe
from anypiece.training import grow_on
from tests.support.small_vocabularies import RANKS
from tests.support.words import sentences

OLD = sentences(800, seed=1)
NEW = [
    text.replace("mountain", "gebirge").replace("the", "das").replace("number", "nummer")
    for text in sentences(800, seed=2)
]


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
@pytest.mark.parametrize("suffix", [False, True])
def test_a_vocabulary_grows(kind: str, suffix: bool, tmp_path: Path) -> None:
    old = ap.train(OLD, kind, vocab_size=300, treat_whitespace_as_suffix=suffix, user_defined_symbols=("<x>",))
    growth = grow_on(old, NEW, 50)
    new = growth.tokenizer
    assert growth.first == old.vocab_size
    assert 20 <= new.vocab_size - old.vocab_size <= 50
    assert [new.id_to_piece(id) for id in range(old.vocab_size)] == [
        old.id_to_piece(id) for id in range(old.vocab_size)
    ]
    assert growth.tokens_before == sum(len(old.encode(text)) for text in NEW)
    assert growth.tokens_after == sum(len(new.encode(text)) for text in NEW)
    assert growth.tokens_after < growth.tokens_before
    assert any("das" in new.id_to_piece(id) for id in range(growth.first, new.vocab_size))
    assert new.decode(new.encode(NEW[0])).strip() == NEW[0]
    for place, ids in enumerate(growth.spelled):
        assert "".join(map(old.id_to_piece, ids)) == new.id_to_piece(growth.first + place)
    new.save(tmp_path / "new.model")
    other = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "new.model"))
    assert all(other.encode(text) == new.encode(text) for text in NEW[:100])


def test_each_new_piece_is_used() -> None:
    growth = grow_on(ap.train(OLD, vocab_size=300), NEW, 30)
    seen = {id for text in NEW for id in growth.tokenizer.encode(text)}
    assert len(seen & set(range(growth.first, growth.tokenizer.vocab_size))) > 0.9 * len(growth.spelled)


def test_digits_stay_alone_where_they_were() -> None:
    old = ap.train(OLD, vocab_size=300, split_digits=True)
    growth = grow_on(old, [f"{text} {number} 2026 2026" for number, text in enumerate(NEW)], 80)
    new = [growth.tokenizer.id_to_piece(id) for id in range(growth.first, growth.tokenizer.vocab_size)]
    assert not any(character.isdigit() for piece in new if len(piece) > 1 for character in piece)


def test_the_same_for_any_threads() -> None:
    old = ap.train(OLD, vocab_size=300)
    assert grow_on(old, NEW, 40, threads=1).tokenizer == grow_on(old, NEW, 40, threads=8).tokenizer


def merged(ids: list[int], merges: list[tuple[int, int, int]]) -> list[int]:
    for left, right, made in merges:
        ids = joined(ids, (left, right), made)
    return ids


@pytest.mark.parametrize("splitter", ["gpt2", "cl100k", "o200k"])
@pytest.mark.parametrize("specials", [(), ("<|end|>", "das")])
def test_merges_of_bytes_are_learned_on_top(splitter: str, specials: tuple[str, ...], tmp_path: Path) -> None:
    old = ap.train(OLD, "byte-bpe", vocab_size=400, splitter=splitter, specials=specials)
    texts = [f"{text}<|end|>\n" for text in NEW]
    growth = grow_on(old, texts, 60)
    new, first = growth.tokenizer, growth.first
    assert (first, new.vocab_size) == (400, 460)
    assert list(new.spec.pieces)[:400] == list(old.spec.pieces)
    assert new.spec.merges[: len(old.spec.merges)].tolist() == old.spec.merges.tolist()
    # As the slow trainer learns from the chunks, each by itself.
    counts = ap.count_words(texts, "byte-bpe", splitter=splitter, specials=specials)
    alone = old.replace(splitter=None, added=ap.Added.of([]))
    rows = [(alone.encode(word), count) for word, count in counts.items()]
    pieces = [raw for raw, _, _ in old.spec.pieces]
    wanted = train_more_bpe(rows, pieces, 60, min_frequency=2, reserved=[name.encode() for name in specials])
    assert [tuple(row) for row in new.spec.merges[len(old.spec.merges) :].tolist()] == wanted
    assert all(new.id_to_bytes(id) not in [name.encode() for name in specials] for id in range(first, 460))
    # Encoding merges as before, and then further.
    for text in [*NEW[:100], *OLD[:100]]:
        pieces = [merged(alone.encode(chunk), wanted) for chunk, *_ in old._kernel.chunks(text, False)]
        assert new.encode(text) == [id for row in pieces for id in row]
    taken = [
        sum(tok.kind(id) != ap.Kind.CONTROL for text in texts for id in tok.encode(text, specials="parse"))
        for tok in (old, new)
    ]
    assert taken == [growth.tokens_before, growth.tokens_after]
    assert growth.tokens_after < 0.9 * growth.tokens_before
    for place, ids in enumerate(growth.spelled):
        assert b"".join(map(old.id_to_bytes, ids)) == new.id_to_bytes(first + place)
        assert max(ids) < first
    ap.convert(new, tmp_path / "tokenizer.json")
    other = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    other.encode_special_tokens = True
    assert all(other.encode(text).ids == new.encode(text) for text in [*NEW[:200], *OLD[:200]])


def test_ranks_of_bytes_grow(tmp_path: Path) -> None:
    old = ap.Tokenizer(RANKS)
    growth = grow_on(old, NEW, 40)
    new = growth.tokenizer
    assert new.vocab_size == old.vocab_size + 40
    assert list(new.spec.pieces)[: old.vocab_size] == list(old.spec.pieces)
    assert growth.tokens_after == sum(map(len, map(new.encode, NEW))) < growth.tokens_before
    assert growth.tokens_before == sum(map(len, map(old.encode, NEW)))
    assert all(new.decode(new.encode(text)) == text for text in NEW[:50])
    scores = new.spec.pieces.scores[old.vocab_size :]
    assert (np.diff(scores) < 0).all()
    assert scores.max() < old.spec.pieces.scores.min()


def test_bytes_that_cannot_grow() -> None:
    old = ap.train(OLD, "byte-bpe", vocab_size=400)
    with pytest.raises(InputError, match="lacks"):
        grow_on(old, ["z"], 10)
    with pytest.raises(InputError, match="no word"):
        grow_on(old, [""], 10)
    assert grow_on(old, NEW, 40, threads=1).tokenizer == grow_on(old, NEW[::-1], 40, threads=8).tokenizer


def test_what_cannot_grow() -> None:
    old = ap.train(OLD, vocab_size=300)
    with pytest.raises(InputError, match="Only unigram"):
        grow_on(ap.train(OLD, "wordpiece", vocab_size=300), NEW, 10)
    with pytest.raises(InputError, match="no word"):
        grow_on(old, [""], 10)
    with pytest.raises(InputError, match="1 or more"):
        grow_on(old, NEW, 0)
    with pytest.raises(InputError, match="lacks"):
        grow_on(old, ["a"], 10)


def test_the_verb(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    old, corpus, out, table = (tmp_path / name for name in ("old.model", "new.txt", "new.model", "map.json"))
    ap.train(OLD, vocab_size=300).save(old)
    corpus.write_text("\n".join(NEW), "utf-8")
    command = ["extend", "-t", old, "--train-on", corpus, "--grow", "30", "--map", table, "--token", "<think>", out]
    assert run([str(part) for part in command]) == 0
    assert "fewer tokens" in capfd.readouterr().out
    grown = ap.load(out)
    assert grown.piece_to_id("<think>") == 300
    found = json.loads(table.read_text())
    assert found["first"] == 301
    assert found["vocab_size"] == grown.vocab_size
    assert run(["extend", "-t", str(old), "--train-on", str(corpus), str(out)]) == 2
