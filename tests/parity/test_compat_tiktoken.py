"""``anypiece.compat.tiktoken`` against tiktoken with the real rank files, by method and by name of each encoding."""

from __future__ import annotations

import base64
import pickle
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import tiktoken
from tiktoken_ext import openai_public

import anypiece as ap
from anypiece.compat import tiktoken as ours
from anypiece.compat.tiktoken import registry
from tests.support.data import rank_file

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = list(openai_public.ENCODING_CONSTRUCTORS)
PARTS = [
    "hello",
    " ",
    "\n",
    "  ",
    "\t",
    "world",
    "é",
    "日本",
    "👍",
    "'s",
    "12345",
    "x",
    "\r\n",
    "🤚🏾",
    " fanta",
    "\u3000",
]
SPECIALS = ["<|endoftext|>", "<|fim_prefix|>", "<|reserved_200018|>", "<|endofprompt|>"]
ROUNDS, COMPLETIONS = 250, 12


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    place = tmp_path_factory.mktemp("ranks")
    for name in ("r50k_base", "p50k_base", "cl100k_base", "o200k_base"):
        (place / f"{name}.tiktoken").write_bytes(rank_file(name))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANYPIECE_RANKS", str(place))
        patch.setattr(registry, "ENCODINGS", {})
        patch.setattr(openai_public, "load_tiktoken_bpe", ranks_of)
        patch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda **_: ranks_of("r50k_base.tiktoken"))
        yield place


def ranks_of(address: str, **_: Any) -> dict[bytes, int]:
    lines = rank_file(Path(address).stem).splitlines()
    return {base64.b64decode(piece): int(rank) for piece, rank in (line.split() for line in lines)}


def answer(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")


@pytest.mark.parametrize("name", NAMES)
def test_an_encoding_answers_the_same(name: str) -> None:
    theirs, mine = tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]()), ours.get_encoding(name)
    for fact in (
        "name",
        "_pat_str",
        "_special_tokens",
        "_mergeable_ranks",
        "n_vocab",
        "eot_token",
        "special_tokens_set",
    ):
        assert getattr(mine, fact) == getattr(theirs, fact)
    assert mine.token_byte_values() == theirs.token_byte_values()
    draw = random.Random(name)
    for number in range(ROUNDS):
        text = "".join(draw.choices(PARTS + SPECIALS, k=draw.randint(0, 12)))
        raw = text.encode()[: draw.randint(0, 30)] + draw.randbytes(draw.randint(1, 3))
        ids = [draw.randrange(theirs.n_vocab + 3 * (number % 9 == 0)) for _ in range(draw.randint(0, 6))]
        calls: dict[str, Callable[[Any], Any]] = {
            "encode": lambda enc, text=text: enc.encode(text),
            "all": lambda enc, text=text: enc.encode(text, allowed_special="all"),
            "none": lambda enc, text=text: enc.encode(text, disallowed_special=()),
            "one": lambda enc, text=text: enc.encode(text, allowed_special={SPECIALS[3]}, disallowed_special=()),
            "ordinary": lambda enc, text=text: enc.encode_ordinary(text),
            "bytes": lambda enc, raw=raw: enc._encode_bytes(raw),
            "piece": lambda enc, raw=raw: enc._encode_single_piece(raw),
            "decode": lambda enc, ids=ids: enc.decode(ids),
            "tokens": lambda enc, ids=ids: enc.decode_tokens_bytes(ids),
            "offsets": lambda enc, ids=ids: enc.decode_with_offsets(ids),
        }
        for call in calls.values():
            assert answer(lambda call=call: call(mine)) == answer(lambda call=call: call(theirs)), (text, raw, ids)
        if number < COMPLETIONS:
            stable, ways = theirs.encode_with_unstable(text, allowed_special="all")
            found = mine.encode_with_unstable(text, allowed_special="all")
            assert (found[0], sorted(found[1])) == (stable, sorted(map(list, ways)))


@pytest.mark.parametrize("name", NAMES)
def test_an_encoding_is_loaded_by_its_name(name: str) -> None:
    tok, enc = ap.load(name), ours.get_encoding(name)
    text = "hello world, 12345 日本語\n\n" * 20
    assert tok.encode(text) == enc.encode(text)
    assert pickle.loads(pickle.dumps(enc)).encode(text) == enc.encode(text)
