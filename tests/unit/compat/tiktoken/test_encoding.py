"""``Encoding`` compared with tiktoken's own, of a small vocabulary: ids, bytes, offsets, completions, errors."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import tiktoken

import anypiece as ap
from anypiece.compat.tiktoken import Encoding

PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
SPECIALS = {"<|endoftext|>": 600, "<|a|>": 601, "<|b|>": 603, "<|also b|>": 603}
PARTS = ["the", " cat", "s", " ", "  ", "\n", "\t", "é", "日本", "👍", "12", "'s", "x", "\u00a0", "🤚🏾", *SPECIALS]


@lru_cache
def ranks() -> dict[bytes, int]:
    texts = ["the cat sat on the mat, 123 times; that's it", "the cats' tails\n\n  日本 日本語 été"] * 5
    tok = ap.train(texts, "byte-bpe", vocab_size=300, specials=(), splitter="gpt2")
    return {tok.id_to_bytes(id): id for id in range(tok.vocab_size)}


@lru_cache
def both() -> tuple[Any, Encoding]:
    options: dict[str, Any] = {"pat_str": PATTERN, "mergeable_ranks": ranks(), "special_tokens": SPECIALS}
    return tiktoken.Encoding("small", **options), Encoding("small", **options)


def answer(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")


def texts(count: int) -> list[str]:
    draw = random.Random(7)
    return ["".join(draw.choices(PARTS, k=draw.randint(0, 9))) for _ in range(count)]


PERMISSIONS: list[dict[str, Any]] = [
    {},
    {"allowed_special": "all"},
    {"disallowed_special": ()},
    {"allowed_special": {"<|a|>"}, "disallowed_special": ()},
    {"allowed_special": {"<|b|>"}, "disallowed_special": ()},
    {"allowed_special": {"<|a|>", "none"}},
    {"disallowed_special": {"x", "<|a|>"}},
    {"allowed_special": ["<|a|>"]},
    {"allowed_special": "all", "disallowed_special": "all"},
]


@pytest.mark.parametrize("permission", PERMISSIONS, ids=map(str, range(len(PERMISSIONS))))
def test_ids(permission: dict[str, Any]) -> None:
    theirs, ours = both()
    for text in texts(150):
        wanted = answer(lambda text=text: theirs.encode(text, **permission))
        assert answer(lambda text=text: ours.encode(text, **permission)) == wanted, text
        array = answer(lambda text=text: ours.encode_to_numpy(text, **permission))
        assert wanted == (array.tolist() if isinstance(array, np.ndarray) else array)


def test_completions() -> None:
    theirs, ours = both()
    for text in texts(60):
        stable, ways = theirs.encode_with_unstable(text, allowed_special="all")
        ours_stable, ours_ways = ours.encode_with_unstable(text, allowed_special="all")
        assert (ours_stable, sorted(ours_ways)) == (stable, sorted(map(list, ways))), text


def test_bytes_and_single_pieces() -> None:
    theirs, ours = both()
    draw = random.Random(1)
    for text in texts(200):
        raw = text.encode()[: draw.randint(0, 20)] + draw.randbytes(draw.randint(1, 3))
        assert ours._encode_bytes(raw) == theirs._encode_bytes(raw), raw
        assert ours._encode_single_piece(raw) == theirs._encode_single_piece(raw), raw
        assert ours._encode_only_native_bpe(text) == theirs._encode_only_native_bpe(text)


@pytest.mark.parametrize("method", ["decode", "decode_bytes", "decode_tokens_bytes", "decode_with_offsets"])
def test_decoding(method: str) -> None:
    theirs, ours = both()
    draw = random.Random(2)
    rows: list[Any] = [[draw.randrange(700) for _ in range(draw.randint(0, 5))] for _ in range(200)]
    rows += [theirs.encode(text, allowed_special="all") for text in texts(50)]
    rows += [[-1], [2**40], ["a"], [1.5], (116, 104), np.array([116, 104]), [602], 5]
    for row in rows:
        wanted = answer(lambda row=row: getattr(theirs, method)(row))
        assert answer(lambda row=row: getattr(ours, method)(row)) == wanted, row


def test_batches() -> None:
    theirs, ours = both()
    some = [*texts(20), "a\ud83d\udc4db\ud800"]
    every = {"allowed_special": "all"}
    assert ours.encode_batch(some, **every) == theirs.encode_batch(some, **every)
    assert ours.encode_batch(some, allowed_special={"<|b|>"}, disallowed_special=()) == theirs.encode_batch(
        some, allowed_special={"<|b|>"}, disallowed_special=()
    )
    assert ours.encode_ordinary_batch(some, num_threads=2) == theirs.encode_ordinary_batch(some)
    rows = ours.encode_batch(some, **every)
    assert ours.decode_batch(rows) == theirs.decode_batch(rows)
    assert ours.decode_bytes_batch(iter(rows)) == theirs.decode_bytes_batch(rows)
    assert ours.encode_batch([], allowed_special="all") == []
    with pytest.raises(ValueError, match="disallowed"):
        ours.encode_batch(["a", "<|a|>"])
    with pytest.raises(ValueError, match="greater than 0"):
        ours.encode_batch(["a"], num_threads=0)


def test_surrogates_are_repaired_where_tiktoken_repairs_them() -> None:
    theirs, ours = both()
    for text in ("\ud83d\udc4d", "a\ud83d", "\udc4d\ud83d<|a|>"):
        for permission in PERMISSIONS[:4]:
            assert answer(lambda t=text, p=permission: ours.encode(t, **p)) == answer(
                lambda t=text, p=permission: theirs.encode(t, **p)
            )
        assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)
        with pytest.raises(UnicodeEncodeError):
            ours.encode_to_numpy(text, disallowed_special=())


@pytest.mark.parametrize("text", [None, 5, b"the", ["the"]])
def test_other_types_are_refused_as_there(text: Any) -> None:
    theirs, ours = both()
    for method in ("encode", "encode_ordinary", "encode_to_numpy", "encode_with_unstable", "encode_single_token"):
        assert answer(lambda m=method: getattr(ours, m)(text)) == answer(lambda m=method: getattr(theirs, m)(text))


def test_vocabulary() -> None:
    theirs, ours = both()
    for name in ("n_vocab", "max_token_value", "eot_token", "special_tokens_set", "name", "_special_token_values"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.token_byte_values() == theirs.token_byte_values()
    assert repr(ours) == repr(theirs)
    assert [ours.is_special_token(id) for id in (600, 602, 5)] == [True, False, False]
    for token in ("the", b"\xe6", "<|also b|>", "nothing of the kind"):
        assert answer(lambda t=token: ours.encode_single_token(t)) == answer(
            lambda t=token: theirs.encode_single_token(t)
        )
    with pytest.raises(AssertionError):
        ours.is_special_token("a")  # type: ignore[arg-type]


def test_pickle() -> None:
    ours = both()[1]
    copied = pickle.loads(pickle.dumps(ours))
    assert copied.encode("the cats<|a|>", allowed_special="all") == ours.encode("the cats<|a|>", allowed_special="all")
    assert copied._mergeable_ranks == ours._mergeable_ranks


def test_the_size_is_checked() -> None:
    size = len(ranks())
    options: dict[str, Any] = {"pat_str": PATTERN, "mergeable_ranks": ranks()}
    Encoding("small", **options, special_tokens={"<|a|>": size}, explicit_n_vocab=size + 1)
    with pytest.raises(AssertionError):
        Encoding("small", **options, special_tokens={"<|a|>": size + 1}, explicit_n_vocab=size + 1)


@pytest.mark.parametrize(
    ("changed", "specials", "named"),
    [
        ({b"\xff": None}, {}, "single bytes"),
        ({}, {"<|a|>": 5}, "id of a rank"),
        ({}, {"<|a|>": 1 << 30}, "above"),
        ({}, {"": 400}, "empty"),
    ],
)
def test_what_the_kernel_cannot_hold_is_named(changed: dict[bytes, Any], specials: dict[str, int], named: str) -> None:
    kept = {piece: rank for piece, rank in ranks().items() if piece not in changed}
    with pytest.raises(NotImplementedError, match=named):
        Encoding("small", pat_str=PATTERN, mergeable_ranks=kept, special_tokens=specials)
    with pytest.raises(ValueError, match="same rank"):
        Encoding("small", pat_str=PATTERN, mergeable_ranks=dict.fromkeys(ranks(), 1), special_tokens={})
    with pytest.raises(ValueError, match="pattern"):
        Encoding("small", pat_str="(", mergeable_ranks=ranks(), special_tokens={})
