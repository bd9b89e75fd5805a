"""Ties that go to the pair seen first: as the short trainers of textbooks decide them, whatever threads and disks do."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import FormatError, InputError, _native
from anypiece.corpus.readers import Corpus
from anypiece.reference.bpe_training import train_byte_bpe, train_score_bpe
from anypiece.training import words as module
from anypiece.training.bpe import score_bpe_spec
from anypiece.training.options import PieceOptions
from anypiece.training.words import WordCounts, merge_words
from tests.support.word_tables import piece_skeleton, table

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.shell import Shell

LOOSE: dict[str, Any] = {"hard_vocab_limit": False, "ties": "first-seen"}
BYTES: dict[str, Any] = {"vocab_size": 256 + 80, "specials": (), "splitter": "gpt2", **LOOSE}
CHARACTERS: dict[str, Any] = {
    "vocab_size": 90, "character_coverage": 1.0, "max_sentencepiece_length": 512, **LOOSE,
}  # fmt: skip


# -- The trainers that everyone writes first. They share nothing with the package.


def textbook(words: list[list[Any]], merges: int) -> list[Any]:
    """The merges of a textbook trainer, which counts the pairs of all words anew for each merge."""
    made = []
    while len(made) < merges:
        stats: dict[Any, int] = {}
        for word in words:
            for pair in pairwise(word):
                stats[pair] = stats.get(pair, 0) + 1
        if not stats:
            break
        best = max(stats, key=stats.get)  # type: ignore[arg-type]
        made.append(best[0] + best[1])
        merged = []
        for word in words:
            row, at = [], 0
            while at < len(word):
                if at + 1 < len(word) and (word[at], word[at + 1]) == best:
                    row.append(made[-1])
                    at += 2
                else:
                    row.append(word[at])
                    at += 1
            merged.append(row)
        words = merged
    return made


def by_bytes(texts: list[str], merges: int = 80) -> list[bytes]:
    kernel = ap.Tokenizer(ap.count_words(["a"], "byte-bpe", specials=(), splitter="gpt2").preparation.skeleton)._kernel
    chunks = [chunk for text in texts for chunk, *_ in kernel.chunks(text, False)]
    return textbook([[bytes([byte]) for byte in chunk] for chunk in chunks], merges)


def by_characters(texts: list[str], size: int = 90) -> list[str]:
    words = [["▁", *word] for text in texts for word in text.split()]
    chars = {char for word in words for char in word}
    return textbook(words, size - 3 - len(chars))


def trained_bytes(corpus: Any, **options: Any) -> list[bytes]:
    return [piece for piece, _, _ in ap.train(corpus, "byte-bpe", **(BYTES | options)).spec.pieces][256:]


def trained_characters(corpus: Any, **options: Any) -> list[str]:
    tok = ap.train(corpus, "bpe", **(CHARACTERS | options))
    return [raw.decode() for raw, _, _ in tok.spec.pieces if len(raw.decode()) > 1][3:]


def corpus(seed: int, lines: int = 60, letters: str = "abcde") -> list[str]:
    """Few letters and short words, so that most counts are shared by many pairs."""
    draw = random.Random(seed)
    vocabulary = ["".join(draw.choices(letters, k=draw.randint(1, 7))) for _ in range(40)]
    vocabulary += ["".join(draw.choices(letters, k=draw.randint(16, 30))) for _ in range(4)]
    return [" ".join(draw.choices(vocabulary, k=draw.randint(0, 9))) for _ in range(lines)]


@pytest.fixture(scope="module")
def large() -> list[str]:
    """Several shares of text for several threads: 64 kB are one."""
    return [line for seed in range(40) for line in corpus(seed, 250, "abcdefghijklmnopqrst")]


def spill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write every part of the corpus to the disk, and merge a few of them at a time."""
    monkeypatch.setattr("anypiece.corpus.readers._PART", 70_000)
    monkeypatch.setattr(module, "_TABLE_SHARE", 0.0)
    monkeypatch.setattr(module, "_FAN_IN", 3)


# -- What is merged


def test_by_hand() -> None:
    # a+t stands twice. Of the pairs that stand once, "z at" is seen before "c at" and "d o".
    assert trained_bytes(["zat cat dog"], vocab_size=256 + 4, pattern="[a-z]+", splitter=None) == [
        b"at", b"zat", b"cat", b"do",
    ]  # fmt: skip
    assert trained_bytes(["dog cat zat"], vocab_size=256 + 4, pattern="[a-z]+", splitter=None) == [
        b"at", b"do", b"dog", b"cat",
    ]  # fmt: skip
    other = trained_bytes(["zat cat dog"], vocab_size=256 + 4, pattern="[a-z]+", splitter=None, ties="rustbpe")
    assert other == [b"at", b"cat", b"do", b"zat"]


def test_a_pair_counts_from_where_it_still_stands() -> None:
    # "b c" is first seen in "abc", which becomes "ab c"; when it ties with "d e" it stands in the third word.
    texts = ["abc de bc ab ab de"]
    assert trained_bytes(texts, vocab_size=256 + 3, pattern="[a-z]+", splitter=None) == [b"ab", b"de", b"abc"]
    assert by_bytes(["abc"]) == [b"ab", b"abc"]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("threads", [1, 2])
def test_as_the_textbook_does(seed: int, threads: int) -> None:
    texts = corpus(seed)
    assert trained_bytes(texts, threads=threads) == by_bytes(texts)
    assert trained_characters(texts, threads=threads) == by_characters(texts)


orders = st.lists(
    st.tuples(st.lists(st.sampled_from("aab"), min_size=1, max_size=12).map("".join), st.integers(1, 3)), max_size=12
)


@given(orders, st.sampled_from([None, 1, 3, 10**9]), st.integers(1, 3))
def test_bytes_are_those_of_the_slow_trainer(rows: list[tuple[str, int]], floor: int | None, least: int) -> None:
    words = {word.encode(): count for word, count in rows}
    config = {
        "symbols": list(range(256)), "merges": 20, "min_frequency": least, "max_length": 7, "reserved": ["aab"],
        "first_floor": floor, "first_seen": True,
    }  # fmt: skip
    found, _ = _native.train_byte_bpe(table(words, ordered=True), json.dumps(config))
    limits: dict[str, Any] = {"min_frequency": least, "max_length": 7, "reserved": [b"aab"]}
    assert [tuple(row) for row in found.reshape(-1, 3).tolist()] == train_byte_bpe(
        words, range(256), 20, first_seen=True, **limits
    )


@given(orders.filter(len), st.integers(1, 6))
def test_characters_are_those_of_the_slow_trainer(rows: list[tuple[str, int]], longest: int) -> None:
    words = {"▁" + word: count for word, count in rows}
    counts: Counter[str] = Counter()
    for word, count in words.items():
        counts.update(dict.fromkeys(word, 0))
        for char in word:
            counts[char] += count
    chars = sorted(counts, key=lambda char: (-counts[char], char))
    options = PieceOptions(
        vocab_size=40, character_coverage=1.0, max_sentencepiece_length=longest, hard_vocab_limit=False
    )
    found = score_bpe_spec(table(words, ordered=True), options, piece_skeleton(), ties="first-seen")

    def allows(piece: str) -> bool:
        return len(piece) <= longest

    wanted = train_score_bpe(words, chars, 37 - len(chars), allows, first_seen=True)
    assert [piece.decode() for piece, _, _ in found.pieces][3:] == wanted


def test_long_words_with_many_ties() -> None:
    draw = random.Random(3)
    for letters in (b"a", b"ab", b"abcdefgh"):
        words = {bytes(draw.choices(letters, k=length)): 1 for length in (700, 16, 15, 900)}
        config = {"symbols": list(range(256)), "merges": 90, "min_frequency": 1, "max_length": None, "reserved": []}
        found, _ = _native.train_byte_bpe(table(words, ordered=True), json.dumps(config | {"first_seen": True}))
        wanted = train_byte_bpe(words, range(256), 90, first_seen=True)
        assert [tuple(row) for row in found.reshape(-1, 3).tolist()] == wanted


# -- The order of words


def order_of(counts: WordCounts) -> list[bytes]:
    """The words as they were read."""
    firsts = counts.words.firsts()
    assert firsts is not None
    words = [word for word, _ in counts.items()]
    return [words[at] for at in np.argsort(np.frombuffer(firsts, "<u8"))]


@pytest.mark.parametrize("kind", ["bpe", "byte-bpe"])
@pytest.mark.parametrize("of_lines", [False, True])
def test_words_stand_where_they_were_read_first(
    kind: str, of_lines: bool, large: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source: Any = large
    if of_lines:
        source = tmp_path / "corpus.txt"
        source.write_text("\n".join(large) + "\n", "utf-8")
    counts = ap.count_words(
        source, kind, threads=1, **({} if kind == "bpe" else {"splitter": "gpt2"}), ties="first-seen"
    )
    if kind == "bpe":
        read = ["▁" + word for line in large for word in line.split()]
        assert order_of(counts) == [word.encode() for word in dict.fromkeys(read)]
        firsts = np.frombuffer(counts.words.firsts() or b"", "<u8").tolist()
        places = {word: place for place, word in reversed(list(enumerate(read)))}
        assert firsts == [places[word.decode()] for word, _ in counts.items()]
    counts.save(tmp_path / "one")
    plain = ap.count_words(source, kind, **({} if kind == "bpe" else {"splitter": "gpt2"}))
    assert plain.words.columns() == counts.words.columns()
    assert (plain.ordered, counts.ordered) == (False, True)
    spill(monkeypatch)
    for threads in (1, 2, 5):
        for limit in (None, "64GB"):
            out = tmp_path / f"{threads}-{limit}"
            again = ap.count_words(
                source, kind, threads=threads, max_memory=limit, out=out, ties="first-seen",
                **({} if kind == "bpe" else {"splitter": "gpt2"}),
            )  # fmt: skip
            assert again.words.firsts() == counts.words.firsts()
            assert out.read_bytes() == (tmp_path / "one").read_bytes()
            assert WordCounts.load(out).words.firsts() == counts.words.firsts()


def test_threads_and_the_disk_change_nothing(large: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(large), "utf-8")
    size = {"vocab_size": 2000}
    wanted = [trained_bytes(path, threads=1, **size), trained_characters(path, threads=1, **size)]
    assert wanted[0] != trained_bytes(path, ties="rustbpe", **size)
    assert wanted[1] != trained_characters(path, ties="sentencepiece", **size)
    for threads in (1, 2):
        with monkeypatch.context() as patch:
            if threads == 2:
                spill(patch)
            found = [
                trained(path, threads=threads, max_memory="64GB", **size)
                for trained in (trained_bytes, trained_characters)
            ]
        assert found == wanted


def test_a_long_line_that_is_cut_is_read_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "line.txt"
    path.write_text(" ".join(corpus(1, 9000)), "utf-8")
    whole = ap.count_words(path, "bpe", ties="first-seen")
    monkeypatch.setattr("anypiece.training.long_texts._LEAST", 20_000)
    monkeypatch.setattr("anypiece.training.long_texts._SHARE", 2**62)
    cut = ap.count_words(path, "bpe", ties="first-seen", max_memory="64GB", threads=2)
    assert (cut.words.columns(), cut.words.firsts()) == (whole.words.columns(), whole.words.firsts())


def test_rows_of_a_table_are_read_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("zat\t3\ncat\t3\ndog\t3\ncat\t2\n", "utf-8")
    counts = ap.count_words(path, "byte-bpe", ties="first-seen")
    assert order_of(counts) == [b"zat", b"cat", b"dog"]
    # What counts several times is read once.
    assert np.frombuffer(counts.words.firsts() or b"", "<u8").tolist() == [1, 2, 0]


# -- Tables


def test_tables_are_added_as_if_read_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FAN_IN", 3)
    parts = [corpus(seed, 20, "abcdefgh") for seed in range(11)]
    for number, part in enumerate(parts):
        ap.count_words(part, "bpe", ties="first-seen", out=tmp_path / f"{number:02}")
    paths = sorted(tmp_path.iterdir())
    merge_words(paths, tmp_path / "all")
    whole = ap.count_words([line for part in parts for line in part], "bpe", ties="first-seen", out=tmp_path / "whole")
    assert WordCounts.load(tmp_path / "all").words.firsts() == whole.words.firsts()
    assert trained_characters(tmp_path / "all") == trained_characters(tmp_path / "whole") == trained_characters(whole)
    merge_words(reversed(paths), tmp_path / "back")
    assert trained_characters(tmp_path / "back") != trained_characters(whole)


def test_a_table_without_order_is_refused(tmp_path: Path) -> None:
    plain, ordered = ap.count_words(["b a"], "bpe"), ap.count_words(["b a"], "bpe", ties="first-seen")
    plain.save(tmp_path / "plain")
    ordered.save(tmp_path / "ordered")
    assert (tmp_path / "plain").read_bytes()[:8] == b"APWORDS\x01"
    assert (tmp_path / "ordered").read_bytes()[:8] == b"APWORDS\x02"
    merge_words([tmp_path / "ordered", tmp_path / "plain"], tmp_path / "both")
    assert not WordCounts.load(tmp_path / "both").ordered
    for counts in (plain, tmp_path / "plain", tmp_path / "both"):
        with pytest.raises(FormatError, match="Count them again with ties") as caught:
            ap.train(counts, **CHARACTERS)
        assert caught.value.code == "words-differ"
    # The other way round nothing is missing.
    options = {name: value for name, value in CHARACTERS.items() if name != "ties"}
    assert ap.train(ordered, **options).fingerprint == ap.train(plain, **options).fingerprint
    with pytest.raises(InputError, match="count them again"):
        score_bpe_spec(plain.words, PieceOptions(vocab_size=40), piece_skeleton(), ties="first-seen")


def test_rare_words_that_do_not_fit_take_nothing_from_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TABLE_SHARE", 0.0)
    monkeypatch.setattr(module, "_room", lambda allowed: 1000)
    some = ["zeta rare alpha"] + ["alpha zeta"] * 9
    counts = module.counted(
        Corpus(some),
        ap.count_words(["a"], "bpe").preparation,
        max_memory="64GB",
        share=0.07,
        ordered=True,
    )
    assert order_of(counts) == ["▁zeta".encode(), "▁alpha".encode()]
    assert counts.left == (2, 1, 1)


# -- Options


@pytest.mark.parametrize(
    ("kind", "ties", "message"),
    [
        ("unigram", "first-seen", "an option of bpe, byte-bpe"),
        ("wordpiece", "first-seen", "an option of bpe, byte-bpe"),
        ("bpe", "tokenizers", "'sentencepiece', 'first-seen'"),
        ("byte-bpe", "sentencepiece", "'tokenizers', 'rustbpe', 'first-seen'"),
    ],
)
def test_ties_that_a_kind_does_not_have(kind: str, ties: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        ap.train(["a b"], kind, ties=ties)
    assert caught.value.facts["option"] == "ties"


def test_on_the_command_line(shell: Shell, tmp_path: Path) -> None:
    texts = corpus(7)
    (tmp_path / "c.txt").write_text("\n".join(texts), "utf-8")
    common = ["--kind", "bpe", "--ties", "first-seen", "--set", "character_coverage=1"]
    more = ["--set", "max_sentencepiece_length=512", "--vocab-size", "60"]
    one, two = tmp_path / "one.model", tmp_path / "two.model"
    assert shell("train", *common, *more, "-o", str(one), str(tmp_path / "c.txt")).code == 0
    assert shell("words", *common, "-o", str(tmp_path / "t.words"), str(tmp_path / "c.txt")).code == 0
    assert shell("train", *common, *more, "-o", str(two), str(tmp_path / "t.words")).code == 0
    assert one.read_bytes() == two.read_bytes()
    found = [raw.decode() for raw, _, _ in ap.load(one).spec.pieces if len(raw.decode()) > 1][3:]
    assert found == by_characters(texts, 60)
    code, _, errors = shell("train", "--ties", "first-seen", "-o", str(one), str(tmp_path / "c.txt"))
    assert (code, "not of unigram" in errors) == (3, True)
