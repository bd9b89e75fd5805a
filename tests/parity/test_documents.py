"""Tokenizer.json documents made at random: each gives what tokenizers gives, and so does what is written of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import Tokenizer as Original

import anypiece as ap
from tests.parity.documents import made_document, made_texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GROUPS, EACH = 24, 20


def answer(ask: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What the library gives; ``None`` where it panics or fails."""
    try:
        return ask(*args, **options)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


def compare(tok: ap.Tokenizer, other: Original, texts: list[str], seed: int) -> int:
    """How many texts were compared."""
    compared = 0
    for specials in ("text", "parse"):
        other.encode_special_tokens = specials == "text"
        for text in texts:
            found = answer(other.encode, text, add_special_tokens=False)
            if found is None:
                continue
            compared += 1
            where = (seed, specials, text)
            assert tok.encode(text, specials=specials) == found.ids, where
            assert tok.count(text, specials=specials) == len(found.ids), where
            spans = [(token.start, token.end) for token in tok.encode_spans(text, specials=specials)]
            assert spans == found.offsets, where
            for skip in (False, True):
                decoded = answer(other.decode, found.ids, skip_special_tokens=skip)
                if decoded is not None:
                    assert tok.decode(found.ids, skip_special=skip) == decoded, (*where, skip)
        batch = tok.encode_batch(texts, specials=specials)
        assert batch.tolist() == [tok.encode(text, specials=specials) for text in texts], seed
    return compared


@pytest.mark.parametrize("group", range(GROUPS))
def test_documents(group: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    compared = 0
    for seed in range(EACH * group, EACH * (group + 1)):
        document = made_document(seed)
        texts, path = made_texts(seed, document), tmp_path / f"{seed}.json"
        path.write_text(json.dumps(document))
        tok, other = ap.load(path), Original.from_str(json.dumps(document))
        compared += compare(tok, other, texts, seed)
        tok.save(tmp_path / "again.json")
        again = ap.load(tmp_path / "again.json")
        assert again.spec == tok.spec, seed
        compare(again, Original.from_file(str(tmp_path / "again.json")), texts[:6], seed)
    assert compared > 20 * EACH  # of 22; the library panics on some
    capfd.readouterr()  # the library prints its panics
