"""Worked examples from five descriptions of tokenization, number by number, from vocabularies made here.

Viterbi with back-pointers; a unigram GGUF opened in a debugger; random segmentation; byte-pair encoding from scratch; and a
page on scores, byte fallback and spaces. What needs the real files is in ``tests/property/test_steps_files.py``.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import anypiece as ap
from anypiece import Kind, Pieces, Spec, Tokenizer
from anypiece.steps import sample_steps
from anypiece.steps.data import Merging
from tests.support.weather import DRAWN, WEATHER
from tests.support.worked import CONTROLS, PLAIN, byte_pairs, merged, unigram, viterbi

# -- the table and the way back


def test_the_table_has_a_row_more_than_the_text_and_begins_with_nothing() -> None:
    tok = unigram({"▁": -2.0, "a": -3.0, "b": -3.0, "ab": -4.0, "▁a": -4.5})
    table = viterbi(tok, "abab")
    first = table.positions[0]
    assert (len(table.positions), first.total, first.winner, first.back) == (5 + 1, 0.0, None, None)


def test_the_way_back_begins_at_the_end_and_its_pieces_are_turned_around() -> None:
    tok = unigram({"▁": -2.0, "a": -3.0, "b": -3.0, "ab": -4.0, "▁a": -4.5})
    table = viterbi(tok, "abab")
    back = {one.at: one.back for one in table.positions}
    walked = [len(table.positions) - 1]
    while walked[-1]:
        walked.append(back[walked[-1]])
    assert list(table.trace) == walked == [5, 3, 1, 0]
    assert tok.encode_pieces("abab") == ["▁", "ab", "ab"]


# -- scores of words

SCORES = {"▁Hello": -3.8, "▁Hell": -5.2, "o": -7.1, "▁world": -3.1, "▁wor": -6.4, "ld": -5.8}


def test_three_ways_to_say_hello() -> None:
    tok = unigram(SCORES)
    paths = [tuple(tok.id_to_piece(id) for id in path.ids) for path in tok.lattice("Hello world").nbest(9)]
    scores = {path: one.score for path, one in zip(paths, tok.lattice("Hello world").nbest(9), strict=True)}
    assert scores["▁Hello", "▁world"] == pytest.approx(-6.9)
    assert scores["▁Hell", "o", "▁world"] == pytest.approx(-15.4)
    assert scores["▁Hello", "▁wor", "ld"] == pytest.approx(-16.0)
    assert tok.encode_pieces("Hello world") == ["▁Hello", "▁world"]
    assert viterbi(tok, "Hello world").total == pytest.approx(-6.9)
    winners = {
        one.at: one.candidates[one.winner] for one in viterbi(tok, "Hello world").positions if one.winner is not None
    }
    assert [(winners[at].piece, winners[at].total) for at in (5, 6, 12)] == [
        ("▁Hell", pytest.approx(-5.2)),
        ("▁Hello", pytest.approx(-3.8)),
        ("▁world", pytest.approx(-6.9)),
    ]


def test_an_emoji_is_four_bytes() -> None:
    rows = [*CONTROLS, *((f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256)), ("▁", -2.0, Kind.NORMAL)]
    tok = Tokenizer(Spec(Pieces.of(rows), byte_fallback=True))
    tokens = tok.explain("🎉").steps.tokens
    assert [(one.piece, one.how) for one in tokens[1:]] == [
        (f"<0x{byte:02X}>", "bytes") for byte in (0xF0, 0x9F, 0x8E, 0x89)
    ]
    assert {one.end for one in tokens[-1:]} == {1}


def test_the_mark_of_a_space_is_three_bytes_and_that_of_byte_pairs_two() -> None:
    assert list("▁".encode()) == [0xE2, 0x96, 0x81]
    assert list("Ġ".encode()) == [0xC4, 0xA0]
    assert unigram(SCORES).normalize("Hello world") == "▁Hello▁world"


def test_a_run_of_unknowns_is_one_token() -> None:
    tokens = unigram({"▁": -1.0, "a": -1.0}).explain("a漢字漢").steps.tokens
    assert [(one.id, one.start, one.end, one.how) for one in tokens if one.id == 0] == [(0, 1, 4, "fused")]


def test_user_defined_pieces_score_nothing_and_control_pieces_are_not_tried() -> None:
    rows = [*CONTROLS, ("▁", -1.0, Kind.NORMAL), ("a", -1.0, Kind.NORMAL), ("<|im|>", -9.0, Kind.USER_DEFINED)]
    tok = Tokenizer(Spec(Pieces.of(rows), user_defined_score="zero"))
    tried = [one for at in viterbi(tok, "a<|im|></s>").positions for one in at.candidates]
    assert [(one.piece, one.score) for one in tried if one.piece == "<|im|>"] == [("<|im|>", 0.0)]
    assert not [one for one in tried if one.piece == "</s>"]


def test_bytes_spell_what_a_decoder_joins() -> None:
    rows = [*CONTROLS, *((f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256)), ("▁Hello", -3.8, Kind.NORMAL)]
    tok = Tokenizer(Spec(Pieces.of(rows), byte_fallback=True, bos_id=1, eos_id=2))
    ids = [1, tok.piece_to_id("▁Hello"), *(3 + byte for byte in "🎉".encode()), 2]
    assert tok.decode(ids) == "Hello🎉"


# -- a unigram vocabulary in a debugger

LORA = {"▁": -2.01229286, "▁What": -7.0, "▁is": -6.0, "▁Lo": -9.0, "RA": -10.0, "?": -6.0}


def test_what_is_lora() -> None:
    found = unigram(LORA).explain("What is LoRA?").steps
    fragment = found.parts[0].fragment
    assert fragment is not None
    assert fragment.normalized == "▁What▁is▁LoRA?"
    assert len(fragment.normalized.encode()) == 20
    assert [(one.at, one.result) for one in fragment.replacements] == [(0, "▁"), (5, "▁"), (8, "▁")]


def test_the_first_candidate_fills_row_three() -> None:
    """The mark is three bytes long: its row is that of byte 3, the way back from it leads to 0."""
    tok = unigram(LORA)
    row = viterbi(tok, "What is LoRA?").positions[1]
    assert (row.byte, row.back, row.candidates[0].id) == (3, 0, 3)
    assert row.total == float(np.float32(-2.01229286))
    assert len(tok.explain("What is LoRA?").steps.parts[0].fragment.normalized.encode()) + 1 == 21  # type: ignore[union-attr]


# -- random segmentation

PARTS = ["今天", "天气", "不错", b"\xe5\xa4\xa9\xe6", b"\xb0\x94", b"\xe4\xb8", b"\x8d", b"\xe9\x94", b"\x99", "天"]
PARTS += [b"\xe6\xb0\x94", b"\xe4\xbb", b"\x8a\xe5\xa4\xa9", b"\xe6\xb0\x94\xe4\xb8\x8d"]


def weather() -> Tokenizer:
    singles = [(bytes([byte]), -9.0, Kind.NORMAL) for byte in range(256)]
    longer = [one if isinstance(one, bytes) else one.encode() for one in PARTS]
    rows = [*singles, *((piece, -9.5, Kind.NORMAL) for piece in longer if len(piece) > 1)]
    settings = {"segmenter": "unigram", "symbols": "bytes", "arithmetic": "f64", "unk_surface": "", **PLAIN}
    return Tokenizer(Spec(Pieces.of(rows), **settings))  # type: ignore[arg-type]


def test_the_best_path_is_three_words_and_the_drawn_ones_are_paths() -> None:
    tok = weather()
    assert tok.encode_piece_bytes(WEATHER) == [part.encode() for part in ("今天", "天气", "不错")]
    seen = {tuple(tok.id_to_bytes(id) for id in tok.sample(WEATHER, 0.1, seed=1, epoch=epoch)) for epoch in range(4000)}
    assert len(seen) > 100
    places = {(edge.start, edge.end) for edge in tok.lattice(WEATHER).edges}
    for path in DRAWN:
        ends = [0, *np.cumsum([len(piece) for piece in path]).tolist()]
        assert b"".join(path) == WEATHER.encode()
        assert set(pairwise(ends)) <= places


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def test_a_piece_is_kept_by_the_sigmoid_of_the_difference() -> None:
    tok = unigram({"▁": -2.0, "a": -3.0, "▁a": -4.5})
    for alpha in (0.1, 1.0, 3.0):
        coins = sample_steps(tok, "a", alpha, seed=1, method="viterbi").units[0].coins
        at_end = [coin for coin in coins if coin.place == 2]
        assert [(coin.piece, coin.score) for coin in at_end] == [("▁a", -4.5), ("a", -5.0)]
        assert at_end[1].chance == pytest.approx(sigmoid(alpha * -0.5))


def test_equal_pieces_are_not_equally_likely() -> None:
    """Three paths of one score: each new one takes half of what there is, so the last has a half and the others a quarter
    each. By its share of all weight so far the third has a third."""
    tok = unigram({"▁": -1.0, "b": -1.0, "▁a": -2.0, "ab": -2.0, "▁ab": -3.0})
    chances = {}
    for method in ("viterbi", "reservoir"):
        coins = sample_steps(tok, "ab", 1.0, seed=1, method=method).units[0].coins  # type: ignore[arg-type]
        chances[method] = [coin.chance for coin in coins if coin.place == 3]
    assert chances["viterbi"] == pytest.approx([1, 1 / 2, 1 / 2])
    assert chances["reservoir"] == pytest.approx([1, 1 / 2, 1 / 3], abs=1e-4)  # an unknown "a" has some weight too
    count = 20_000
    drawn = tok.sample_batch(["ab"] * count, 1.0, seed=3, method="viterbi").tolist()
    paths = [[tok.piece_to_id(piece) for piece in path] for path in (["▁ab"], ["▁", "ab"], ["▁a", "b"])]
    shares = [drawn.count(path) / count for path in paths]
    assert shares == pytest.approx([1 / 4, 1 / 4, 1 / 2], abs=0.015)
    fair = tok.sample_batch(["ab"] * count, 1.0, seed=3, method="reservoir").tolist()
    assert [fair.count(path) / count for path in paths] == pytest.approx([1 / 3] * 3, abs=0.015)


def test_the_number_of_ways_does_not_count_for_the_sigmoid() -> None:
    """The coins compare a path with a path, not with all that end at its place: with four paths of different scores their
    shares are not the exact ones, those of the lattice and of the reservoir are."""
    tok = unigram({"▁": -1.0, "a": -1.0, "b": -1.5, "▁a": -1.5, "ab": -2.2, "▁ab": -3.0})
    lattice = tok.lattice("ab")
    exact = {tuple(path.ids): math.exp(path.score - lattice.log_partition()) for path in lattice.nbest(9)}
    drawn: dict[tuple[int, ...], int] = {}
    count = 20_000
    batch = tok.sample_batch(["ab"] * count, 1.0, seed=3, method="viterbi").tolist()
    for ids in batch:
        drawn[tuple(ids)] = drawn.get(tuple(ids), 0) + 1
    worst = max(abs(drawn[path] / count - share) for path, share in exact.items())
    assert worst > 0.03
    for method in ("lattice", "reservoir"):
        fair = tok.sample_batch(["ab"] * count, 1.0, seed=3, method=method).tolist()  # type: ignore[arg-type]
        counts = {path: fair.count(list(path)) for path in exact}
        assert max(abs(counts[path] / count - share) for path, share in exact.items()) < 0.015


def test_at_infinity_a_draw_is_the_best_path() -> None:
    tok = weather()
    assert tok.sample(WEATHER, math.inf, seed=9) == tok.encode(WEATHER)
    for difference, chance in ((1.0, 1.0), (0.0, 0.5), (-1.0, 0.0)):
        assert sigmoid(700 * difference) == pytest.approx(chance, abs=1e-12)


# -- byte pairs from scratch


def test_code_points_and_their_bytes() -> None:
    assert [ord(one) for one in "Hε中"] == [72, 949, 20013]
    assert [ord(one) for one in "Hello 世界"] == [72, 101, 108, 108, 111, 32, 19990, 30028]
    tok = byte_pairs({})
    assert tok.encode("Hello 世界") == [72, 101, 108, 108, 111, 32, 228, 184, 150, 231, 149, 140]
    assert tok.encode("Hi") == [72, 105]


def test_a_a_a_b_is_merged_twice() -> None:
    tok = byte_pairs({256: b"aa", 257: b"aaa"})
    assert merged(tok, "aaab") == [[97, 97, 97, 98], [256, 97, 98], [257, 98]]
    first = tok.explain("aaab").steps.chunks()[0].table
    assert isinstance(first, Merging)
    assert [(one.place, one.lost) for one in first.merges] == [(0, ((-256.0, 1, "aa"),)), (0, ())]


def test_training_finds_the_pair_that_comes_twice() -> None:
    """Of "aaab" the pair of two a is counted twice, that of a and b once."""
    pairs = list(pairwise("aaab"))
    assert {pair: pairs.count(pair) for pair in set(pairs)} == {("a", "a"): 2, ("a", "b"): 1}
    tok = ap.train(["aaab"], "byte-bpe", vocab_size=257, specials=[])
    assert [tok.id_to_bytes(id) for id in range(tok.vocab_size) if len(tok.id_to_bytes(id)) == 2] == [b"aa"]


HELLO = {256: b"He", 257: b"Hel", 258: b"Hell", 259: b"Hello", 1917: b" world"}


def test_hello_is_merged_four_times() -> None:
    tok = byte_pairs(HELLO | {300: b" w", 301: b" wo", 302: b" wor", 303: b" worl"}, splitter="cl100k")
    assert merged(tok, "Hello world") == [
        [72, 101, 108, 108, 111],
        [256, 108, 108, 111],
        [257, 108, 111],
        [258, 111],
        [259],
    ]
    assert merged(tok, "Hello world", 1)[0] == [32, 119, 111, 114, 108, 100]
    assert merged(tok, "Hello world", 1)[-1] == [1917]
    assert tok.encode("Hello world") == [259, 1917]


def test_decoding_looks_the_bytes_up() -> None:
    tok = byte_pairs(HELLO)
    assert list(tok.id_to_bytes(259)) == [72, 101, 108, 108, 111]
    assert list(tok.id_to_bytes(1917)) == [32, 119, 111, 114, 108, 100]
    assert list(tok.decode_bytes([259, 1917])) == [72, 101, 108, 108, 111, 32, 119, 111, 114, 108, 100]
    assert tok.decode([259, 1917]) == "Hello world"


@pytest.mark.parametrize(
    ("text", "chunks"),
    [("Hello world", ["Hello", " world"]), ("Hello world!", ["Hello", " world", "!"]), ("12345", ["123", "45"])],
)
def test_a_pattern_cuts_words(text: str, chunks: list[str]) -> None:
    assert [chunk.text for chunk in byte_pairs({}, splitter="cl100k").explain(text).steps.chunks()] == chunks


def test_a_number_stays_with_its_space_where_the_pattern_says_so() -> None:
    tok = byte_pairs({}, splitter="gpt2")
    assert [chunk.text for chunk in tok.explain("Hello world 123").steps.chunks()] == ["Hello", " world", " 123"]


def test_three_chunks_are_three_ids() -> None:
    """Whole words by the ids that GPT-2 has for the first of them and for the sign."""
    pieces = {15496: b"Hello", 1917: b" world"}
    tok = byte_pairs(pieces, whole_chunks=True, splitter="gpt2")
    chunks = tok.explain("Hello world!").steps.chunks()
    assert [[one.id for one in chunk.path] for chunk in chunks] == [[15496], [1917], [ord("!")]]
    assert all(isinstance(chunk.table, Merging) and chunk.table.whole for chunk in chunks[:2])


def test_pad_and_eos() -> None:
    names = ("<pad>", "<unk>", "<bos>", "<eos>")
    rows = [(name, 0.0, Kind.UNKNOWN if name == "<unk>" else Kind.CONTROL) for name in names]
    letters = [("▁", -1.0, Kind.NORMAL), ("a", -1.0, Kind.NORMAL)]
    tok = Tokenizer(Spec(Pieces.of([*rows, *letters]), bos_id=2, eos_id=3, pad_id=0))
    assert [tok.piece_to_id(name) for name in names] == [0, 1, 2, 3]
    assert tok.encode_batch(["a"]).padded(tok.pad_id, 4).ids.tolist() == [[4, 5, 0, 0]]
    assert tok.encode("é", add_special=True) == [2, 4, 1, 3]
    assert tok.decode([4, 5, 3, 5], stop_at_eos=True) == "a"


def test_a_vocabulary_is_its_bytes_its_merges_and_its_specials() -> None:
    tok = byte_pairs({256 + number: b"x" * (2 + number) for number in range(5)})
    assert tok.vocab_size == 256 + 5
