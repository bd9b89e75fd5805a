"""Unigram over bytes: ties, chunks that begin anew, every path equal to the reference path, what does not go together."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from anypiece.inspect.doctor import examine
from anypiece.reference import ReferenceTokenizer
from anypiece.reference.lattice import lattice_of_bytes
from anypiece.reference.sampling import sample_bytes

if TYPE_CHECKING:
    from pathlib import Path

PLAIN: dict[str, Any] = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)


def spec_of(more: dict[bytes, float], single: float = -3.0, **settings: Any) -> Spec:
    rows = [(bytes([byte]), single, Kind.NORMAL) for byte in range(256)]
    rows += [(piece, score, Kind.NORMAL) for piece, score in more.items()]
    pieces = Pieces.of(rows)
    doubles = np.array([score for _, score, _ in rows])
    pieces = Pieces(pieces.blob, pieces.offsets, doubles, pieces.kinds)
    given = {"splitter": "lines", **PLAIN} | settings
    return Spec(pieces, "unigram", "bytes", arithmetic="f64", **given)


def pieces_of(tok: ap.Tokenizer, text: str | bytes) -> list[bytes]:
    return [tok.id_to_bytes(id) for id in tok.encode(text)]


def test_a_tie_keeps_the_path_whose_last_piece_is_longest() -> None:
    tok = ap.Tokenizer(spec_of({b"ab": -6.0, b"bc": -6.0}))
    assert pieces_of(tok, "abc") == [b"a", b"bc"]
    assert pieces_of(tok, "ab") == [b"ab"]


def test_pieces_may_begin_and_end_within_characters() -> None:
    day = "日".encode()
    tok = ap.Tokenizer(spec_of({day[1:] + day[:1]: -1.0, day[:2]: -4.0}))
    assert pieces_of(tok, "日日") == [day[:1], day[1:] + day[:1], day[1:2], day[2:]]
    assert pieces_of(tok, b"\x97\xa5\xe6\xff") == [b"\x97\xa5\xe6", b"\xff"]


def test_a_path_begins_anew_in_each_line() -> None:
    """After so long a line the sums are rounded otherwise."""
    rows = {b"ab": -2.0, b"a": -1.0, b"b": -1.0 + 2**-50}
    base = spec_of({}, -500.0)
    scores = base.pieces.scores.copy()
    for piece in (b"a", b"b"):
        scores[piece[0]] = rows[piece]
    blob, ends = base.pieces.blob + b"ab", [*base.pieces.offsets, 258]
    kinds = np.full(257, Kind.NORMAL, np.uint8)
    pieces = Pieces(blob, np.array(ends, np.uint32), np.append(scores, rows[b"ab"]), kinds)
    tok = ap.Tokenizer(base.replace(pieces=pieces))
    assert pieces_of(tok, "ab") == [b"a", b"b"]
    assert pieces_of(tok, "x" * 100 + "ab")[-1:] == [b"ab"]
    assert pieces_of(tok, "x" * 100 + "\nab")[-2:] == [b"a", b"b"]


def drawn(rng: Random) -> dict[bytes, float]:
    letters = ["a", "b", " ", "\n", "日", "本", "é", "😀", "\0"]
    more: dict[bytes, float] = {}
    for _ in range(rng.choice([0, 4, 40, 200])):
        text = "".join(rng.choice(letters) for _ in range(rng.randint(1, 6))).encode()
        start = rng.randrange(len(text))
        piece = text[start : start + rng.randint(2, 12)]
        if len(piece) > 1:
            more[piece] = rng.choice([-1.1 * len(piece), -3.0 * len(piece), -rng.random() * 20])
    return more


@pytest.mark.parametrize("seed", range(40))
def test_every_path_is_the_reference_path(seed: int) -> None:
    rng = Random(f"byte unigram {seed}")
    spec = spec_of(drawn(rng), rng.choice([-3.0, -1.1, -400.5]), splitter=rng.choice(["lines", "lines", None, "gpt2"]))
    if rng.random() < 0.3:
        spec = spec.replace(splitter=None, split_rules=({"type": "whitespace-split"},))
    tok, reference = ap.Tokenizer(spec), ReferenceTokenizer(spec)
    for _ in range(20):
        text = "".join(rng.choice("aab  \n\n日本é😀\0x") for _ in range(rng.choice([3, 20, 90]))) * rng.choice(
            [1, 1, 5]
        )
        data: str | bytes = text if rng.random() < 0.7 or spec.split_rules else text.encode()[rng.randint(0, 3) : -2]
        expected = reference.encode(data)
        assert tok.encode(data) == expected == tok._kernel.encode_reference(data)
        assert [token.id for token in tok.encode_spans(data)] == expected
        assert tok.count(data) == len(expected)
        stream, ids = tok.stream_encoder(), []
        for at in range(0, len(data), 7):
            ids += stream.push(data[at : at + 7])
        assert ids + stream.flush() == expected
        if isinstance(data, str):
            kept = tok.truncate(data, len(expected) // 2)
            assert tok.count(kept) <= len(expected) // 2
            longer = [end for end in range(len(data) + 1) if tok.count(data[:end]) <= len(expected) // 2]
            assert len(kept) == max(longer)


def nested(rng: Random) -> dict[bytes, float]:
    """Pieces of one letter of many lengths, some in others: many end at one place."""
    return {b"a" * size: -rng.random() * size for size in range(2, rng.choice([9, 40]))} | {b"ab": -2.0, b"ba": -1.0}


def crowded(rng: Random) -> dict[bytes, float]:
    """Most pairs of some bytes, NUL among them."""
    return {bytes([one, other]): -rng.random() * 9 for one in range(16) for other in range(16) if rng.random() < 0.9}


HARD = [
    ("a" * 5000, nested),
    ("ab" * 2600, nested),
    (bytes(range(16)) * 400, crowded),
    ("", nested),
    ("b" * 4100, nested),
]


@pytest.mark.parametrize("number", range(len(HARD)))
def test_texts_that_pieces_crowd(number: int) -> None:
    """Longer than what goes through the automaton at a time, with and without places to cut."""
    text, pieces = HARD[number]
    rng = Random(f"crowded {number}")
    spec = spec_of(pieces(rng), splitter=rng.choice(["lines", None]))
    tok, reference = ap.Tokenizer(spec), ReferenceTokenizer(spec)
    for data in (text, text[: rng.randint(0, 400)], text[7:] + text[:3000]):
        assert tok.encode(data) == reference.encode(data) == tok._kernel.encode_reference(data)
    for alpha in (0.0, 0.05, 3.0):
        drawn = tok.sample(text, alpha, seed=number)
        assert drawn == tok.lattice(text).sample(alpha, seed=number).ids
        assert drawn == [token.id for token in tok.sample_spans(text, alpha, seed=number)]


@pytest.mark.parametrize("seed", range(20))
def test_draws_are_those_of_the_reference(seed: int) -> None:
    rng = Random(f"byte draws {seed}")
    more = rng.choice([drawn, nested])(rng)
    spec = spec_of(more, rng.choice([-3.0, -1.1]), splitter=rng.choice(["lines", None]))
    tok = ap.Tokenizer(spec)
    for alpha in (0.0, 0.1, 1.0):
        text = "".join(rng.choice("aab  \n\n日本é😀\0x") for _ in range(rng.choice([0, 3, 40])))
        key = {"seed": rng.randrange(2**64), "epoch": rng.randrange(3), "index": rng.randrange(3)}
        lattice = lattice_of_bytes(spec, text.encode())
        expected = [edge.id for edge in sample_bytes(lattice, alpha, **key)]
        assert tok.sample(text, alpha, **key) == expected
        assert tok.lattice(text).sample(alpha, **key).ids == expected
        batch = tok.sample_batch(["other", text, text], alpha, threads=2, **(key | {"index": key["index"] - 1}))
        assert batch[1].tolist() == expected


def test_a_megabyte() -> None:
    """Ways to places grow and shrink beyond what numbers can hold, and are brought back."""
    rng = Random("a megabyte")
    tok = ap.Tokenizer(spec_of(nested(rng) | {b" t": -2.0, b"th": -2.0, b"the": -3.0}, -9.0, splitter=None))
    words = " ".join(rng.choice(["aaaa", "the", "abba", "b", "xyz"]) for _ in range(230_000))
    for text in (words, "a" * 1_000_000):
        assert tok.encode(text) == tok._kernel.encode_reference(text)
        for alpha in (0.0, 0.1):
            assert tok.decode(tok.sample(text, alpha, seed=1)) == text
    # What was drawn before a place does not depend on what follows a cut.
    ids, part = (tok.sample(text, 0.1, seed=1) for text in (words, words[: words.rindex("xyz", 0, 9000)]))
    assert ids[: len(part)] == part


def test_long_texts_on_threads(tmp_path: Path) -> None:
    rng = Random("byte unigram threads")
    tok = ap.Tokenizer(spec_of(drawn(rng) | {b"ab": -1.0, "日本".encode(): -2.0}))
    lines = ["".join(rng.choice("ab 日本é") for _ in range(rng.choice([1, 40, 3000]))) for _ in range(400)]
    for text in ("\n".join(lines), "".join(lines)):
        assert tok.encode(text, threads=2) == tok.encode(text) == tok._kernel.encode_reference(text)
    tok.save(tmp_path / "it.anypiece")
    again = ap.load(tmp_path / "it.anypiece")
    assert again.encode(lines[0]) == tok.encode(lines[0])
    assert all(finding.severity != "error" for finding in examine(again))


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"arithmetic": "f32-rebased"}, "arithmetic"),
        ({"match_kinds": "unused"}, "match_kinds"),
        ({"byte_fallback": True}, "byte_fallback"),
        ({"escape_whitespaces": True}, "escape_whitespaces"),
    ],
)
def test_what_does_not_go_together(settings: dict[str, Any], field: str) -> None:
    with pytest.raises(ap.SpecError) as caught:
        ap.Tokenizer(spec_of({}).replace(**settings))
    assert (caught.value.code, caught.value.facts["field"]) == ("spec-stages", field)


def test_unmarked_decoding_is_for_bytes() -> None:
    with pytest.raises(ap.SpecError) as caught:
        ap.Tokenizer(Spec(Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), ("a", -1.0, Kind.NORMAL)]), decoding="unmarked"))
    assert caught.value.facts["field"] == "decoding"


def test_truncate_of_composed_text() -> None:
    more = {b"ab": -2.0, "é".encode(): -2.5, b" a": -2.0, b"  ": -2.2, b"    ": -2.3}
    tok = ap.Tokenizer(spec_of(more, normalizer=({"type": "nfc-14.0"},)))
    random = Random(5)
    for letters in ("ab é", "ab e\u0301", " ", "a\n "):
        text = "".join(random.choices(letters, k=120))
        for n in random.sample(range(tok.count(text) + 1), 8):
            fits = [end for end in range(len(text) + 1) if tok.count(text[:end]) <= n]
            assert tok.truncate(text, n) == text[: fits[-1]]
