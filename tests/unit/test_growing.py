"""Growing: old ids stay, new pieces are learned from the corpus and used, and what cannot grow is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sentencepiece

import anypiece as ap
from anypiece import InputError
from anypiece.cli import run
from anypiece.training import grow_on
from tests.support.words import sentences
from tests.unit.vocabularies import RANKS

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


def test_what_cannot_grow() -> None:
    old = ap.train(OLD, vocab_size=300)
    with pytest.raises(InputError, match="Only unigram"):
        grow_on(ap.Tokenizer(RANKS), NEW, 10)
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
