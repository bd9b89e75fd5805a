"""More numbers of the five descriptions of tokenization: those of the formats, of whole vocabularies, and of limits.

The tables step by step are in ``test_worked_examples.py``, what needs real files in ``tests/property/test_steps_files.py``.
"""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest

import anypiece as ap
from anypiece import Kind, Pieces, Spec, Tokenizer
from anypiece.steps import sample_steps
from anypiece.steps.data import Viterbi
from tests.support.worked import CONTROLS, PLAIN, byte_pairs, merged, unigram, viterbi


def test_pieces_are_found_by_their_first_character() -> None:
    words = ["un", "uni", "unique", "que", "quick"]
    tok = unigram({**dict.fromkeys(words, -5.0), **dict.fromkeys("uniqeck", -9.0)}, **PLAIN)
    found: dict[str, list[int]] = {}
    for text in ("unique", "que", "quick"):
        for row in viterbi(tok, text).positions:
            starting = [one.piece for one in row.candidates if one.start == 0 and len(one.piece) > 1]
            found.setdefault(text[0], []).extend(words.index(piece) for piece in starting)
    assert found == {"u": [0, 1, 2], "q": [3, 4]}


@pytest.mark.parametrize(
    ("text", "normalized"), [("W", "▁W"), ("What i", "▁What▁i"), ("What is LoRA?", "▁What▁is▁LoRA?")]
)
def test_the_normalized_text_as_it_grows(text: str, normalized: str) -> None:
    assert unigram({"▁": -2.0}).normalize(text) == normalized
    assert (len("What is LoRA?"), ord("W"), ord("h"), int.from_bytes(b"\xe2", signed=True)) == (13, 87, 104, -30)


def test_the_table_has_a_row_for_each_byte_and_one_more() -> None:
    table = viterbi(unigram({"▁": -2.0}), "What is LoRA?")
    assert isinstance(table, Viterbi)
    assert table.positions[-1].byte + 1 == 21


# -- vocabularies


def test_characters_words_and_pieces_of_words() -> None:
    letters = [*CONTROLS, *((letter, -1.0, Kind.NORMAL) for letter in "Helowrd")]
    char = Tokenizer(Spec(Pieces.of(letters), segmenter="char", **PLAIN))  # type: ignore[arg-type]
    assert len(char.encode("Hello")) == 5
    words = [*CONTROLS, *((word, -1.0, Kind.NORMAL) for word in ("▁Hello", "▁world"))]
    word = Tokenizer(Spec(Pieces.of(words), segmenter="word"))
    assert word.encode_pieces("Hello world") == ["▁Hello", "▁world"]
    assert byte_pairs({256: b"Hello", 257: b" world"}, whole_chunks=True, splitter="gpt2").count("Hello world") == 2


@pytest.mark.parametrize(
    ("point", "count"),
    [(0, 1), (127, 1), (128, 2), (2047, 2), (2048, 3), (65535, 3), (65536, 4), (0x10FFFF, 4)],
)
def test_how_many_bytes_a_code_point_has(point: int, count: int) -> None:
    ids = byte_pairs({}).encode(chr(point))
    assert len(ids) == count
    assert all(0 <= id <= 255 for id in ids)


def test_the_second_round_of_counting_is_a_tie() -> None:
    """Both pairs of [256, 97, 98] come once: either may be merged, and a trainer takes one of them."""
    pairs = list(pairwise([256, 97, 98]))
    assert {pair: pairs.count(pair) for pair in pairs} == {(256, 97): 1, (97, 98): 1}
    tok = ap.train(["aaab"], "byte-bpe", vocab_size=258, specials=[])
    made = [tok.id_to_bytes(id) for id in range(tok.vocab_size) if len(tok.id_to_bytes(id)) > 1]
    assert made[0] == b"aa"
    assert made[1] in (b"aaa", b"ab")


def test_merges_reach_over_a_space_where_nothing_cuts() -> None:
    tok = byte_pairs({256: b"e ", 257: b"e l"})
    assert merged(tok, "e l") == [[101, 32, 108], [256, 108], [257]]


@pytest.mark.parametrize("merges", [5, 50_000])
def test_a_vocabulary_with_four_specials(merges: int) -> None:
    names = ("<pad>", "<unk>", "<bos>", "<eos>")
    rows = [(bytes([byte]), 0.0, Kind.NORMAL) for byte in range(256)]
    rows += [(b"x" * 2, -1.0, Kind.NORMAL), *((b"", 0.0, Kind.UNUSED) for _ in range(merges - 1))]
    rows += [(name.encode(), 0.0, Kind.CONTROL) for name in names]
    tok = Tokenizer(Spec(Pieces.of(rows), segmenter="bpe", symbols="bytes", unk_surface="", **PLAIN))  # type: ignore[arg-type]
    assert tok.vocab_size == 256 + merges + 4
    assert [tok.piece_to_id(name) for name in names] == [256 + merges + number for number in range(4)]
    if merges == 50_000:
        assert [tok.piece_to_id(name) for name in names] == [50256, 50257, 50258, 50259]
    assert tok.encode("xx") == [256]


def test_the_whole_pipeline_with_the_bytes_of_gpt_2() -> None:
    """There the exclamation mark is the first byte, so its id is 0."""
    first = [*range(33, 127), *range(161, 173), *range(174, 256)]
    order = [*first, *(byte for byte in range(256) if byte not in first)]
    pieces = {15496: b"Hello", 1917: b" world", **{id: bytes([byte]) for id, byte in enumerate(order)}}
    rows = [(pieces.get(id, b""), -float(id), Kind.NORMAL if id in pieces else Kind.UNUSED) for id in range(15497)]
    settings = {"segmenter": "bpe", "symbols": "bytes", "unk_surface": "", "whole_chunks": True, "splitter": "gpt2"}
    tok = Tokenizer(Spec(Pieces.of(rows), **settings, **PLAIN))  # type: ignore[arg-type]
    chunks = tok.explain("Hello world!").steps.chunks()
    assert [list(chunk.text.encode()) for chunk in chunks] == [
        [72, 101, 108, 108, 111],
        [32, 119, 111, 114, 108, 100],
        [33],
    ]
    assert [[one.id for one in chunk.path] for chunk in chunks] == [[15496], [1917], [0]]
    assert tok.encode("Hello world!") == [15496, 1917, 0]
    assert tok.decode([15496, 1917, 0]) == "Hello world!"


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("it's", ["it", "'s"]), ("don'T", ["don", "'T"]), ("we'LL", ["we", "'LL"]), ("I've", ["I", "'ve"]),
        ("you're", ["you", "'re"]), ("999", ["999"]), ("1000", ["100", "0"]), ("123456789", ["123", "456", "789"]),
        ("a\n\nb", ["a", "\n\n", "b"]),
    ],
)  # fmt: skip
def test_contractions_and_numbers(text: str, chunks: list[str]) -> None:
    found = byte_pairs({}, splitter="cl100k").explain(text).steps.chunks()
    assert [chunk.text for chunk in found] == chunks


@pytest.mark.parametrize("count", range(1, 20))
def test_four_spaces_are_a_token(count: int) -> None:
    tok = byte_pairs({256: b"  ", 257: b"    ", 258: b"   "})
    assert tok.count(" " * count) == math.ceil(count / 4)


def test_padding_and_the_end() -> None:
    names = [("<pad>", 0.0, Kind.CONTROL), ("a", -1.0, Kind.NORMAL), ("b", -1.0, Kind.NORMAL), ("c", -1.0, Kind.NORMAL)]
    tok = Tokenizer(Spec(Pieces.of([*names, ("<unk>", 0.0, Kind.UNKNOWN)]), pad_id=0, **PLAIN))  # type: ignore[arg-type]
    assert tok.encode_batch(["abc"]).padded(tok.pad_id, 5).ids.tolist() == [[1, 2, 3, 0, 0]]
    end = [*names[:3], ("<eos>", 0.0, Kind.CONTROL), ("<unk>", 0.0, Kind.UNKNOWN), ("d", -1.0, Kind.NORMAL)]
    tok = Tokenizer(Spec(Pieces.of(end), eos_id=3, **PLAIN))  # type: ignore[arg-type]
    assert tok.decode([1, 2, 3, 5], stop_at_eos=True) == tok.decode([1, 2, 3], stop_at_eos=True) == "ab"


# -- pieces with scores


def test_kinds_have_the_numbers_of_a_gguf() -> None:
    kinds = ("NORMAL", "UNKNOWN", "CONTROL", "USER_DEFINED", "UNUSED", "BYTE")
    assert {name: int(Kind[name]) for name in kinds} == {name: number for number, name in enumerate(kinds, 1)}


@pytest.mark.parametrize("ids", [(100, 101), (12345, 67890)])
def test_hello_world_with_its_beginning(ids: tuple[int, int]) -> None:
    pieces = dict(zip(ids, (("▁Hello", -3.8), ("▁world", -3.1)), strict=True))
    rows = [
        (*pieces.get(id, (f"<unused{id}>", 0.0)), Kind.NORMAL if id in pieces else Kind.UNUSED)
        for id in range(3, ids[1] + 1)
    ]
    tok = Tokenizer(Spec(Pieces.of([*CONTROLS, *rows]), bos_id=1, eos_id=2))
    assert tok.encode("Hello world", add_special="bos") == [1, *ids]
    assert tok.decode([1, *ids], skip_special=True) == "Hello world"
    assert tok.score(ids[0]) == pytest.approx(-3.8)


def test_byte_pieces_are_a_table_of_256() -> None:
    rows = [*CONTROLS, *((f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256)), ("x", -1.0, Kind.NORMAL)]
    tok = Tokenizer(Spec(Pieces.of(rows), byte_fallback=True, **PLAIN))  # type: ignore[arg-type]
    assert [tok.piece_to_id(f"<0x{byte:02X}>") for byte in (0x00, 0xE2, 0xFF)] == [3, 3 + 0xE2, 258]
    assert ord("🎉") == 0x1F389
    assert tok.encode("🎉") == [3 + byte for byte in (0xF0, 0x9F, 0x8E, 0x89)]
    assert {tok.kind(id) for id in tok.encode("🎉")} == {Kind.BYTE}


def test_roles_travel_in_a_gguf(tmp_path: Path) -> None:
    roles = {0: "<pad>", 2: "<bos>", 106: "<end_of_turn>"}
    rows: list[tuple[str, float, Kind]] = [(roles.get(id, f"<unused{id}>"), -1e10, Kind.CONTROL) for id in range(107)]
    rows[3] = ("<unk>", -1e10, Kind.UNKNOWN)
    rows += [("▁Hello", -3.8, Kind.NORMAL), ("▁", -9.0, Kind.NORMAL)]
    tok = Tokenizer(Spec(Pieces.of(rows), bos_id=2, eos_id=106, pad_id=0))
    tok.save(tmp_path / "roles.gguf")
    found = ap.load(tmp_path / "roles.gguf")
    assert (found.bos_id, found.eos_id, found.unk_id, found.pad_id) == (2, 106, 3, 0)
    assert [int(found.kind(id)) for id in (3, 2, 107)] == [2, 3, 1]
    assert found.score(107) == pytest.approx(-3.8)
    assert found.score(0) == pytest.approx(-1e10)


def test_at_zero_every_coin_is_fair() -> None:
    """For alpha 0 the sigmoid is a half, whatever the difference; for a large one it is the comparison of the best path."""
    tok = unigram({"▁": -2.0, "a": -3.0, "▁a": -4.5})
    for alpha, chance in ((0.0, 0.5), (1e6, 0.0)):
        coins = sample_steps(tok, "a", alpha, seed=1, method="viterbi").units[0].coins
        assert [coin.chance for coin in coins if coin.place == 2] == [pytest.approx(1.0), pytest.approx(chance)]


@pytest.mark.parametrize("alpha", [0.1, 1.0, 3.0])
def test_among_the_best_cuts_the_share_is_the_weight(alpha: float) -> None:
    tok = unigram({"▁": -1.0, "a": -1.0, "b": -1.5, "▁a": -1.5, "ab": -2.2, "▁ab": -3.0})
    weights = [math.exp(alpha * path.score) for path in tok.nbest("ab", 3)]
    choices = sample_steps(tok, "ab", alpha, seed=1, method="nbest", nbest=3).units[0].draws[0].choices
    assert [choice.share for choice in choices] == pytest.approx([weight / sum(weights) for weight in weights])
