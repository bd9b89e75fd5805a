"""Stored tokenizers with damaged tables, for every entry point: an answer, or an error that is not an internal one.

Sections are not compared with their checksums unless somebody asks for it, so whatever stands in them must do no harm:
indices are checked where they are used.
"""

from __future__ import annotations

import struct
from random import Random
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from tests.support.gguf import GGUF_SPECS
from tests.support.merge_lists import MERGE_SPECS
from tests.support.vocabularies import BYTE_SPECS, OTHER_SPECS, SPECS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ALL = SPECS | OTHER_SPECS | BYTE_SPECS | GGUF_SPECS | MERGE_SPECS
NAMES = sorted(ALL)
TEXTS = ("Hello world", "  a  b\n\n", "ab ab abab<0x41> 日本語é", b"\xff\xe3a b", "ba" * 300)

CALLS: dict[str, Callable[[ap.Tokenizer, str | bytes], object]] = {
    "encode": lambda tok, text: tok.encode(text),
    "parse": lambda tok, text: tok.encode(text, specials="parse", add_special=True),
    "array": lambda tok, text: tok.encode_array(text, threads=2),
    "batch": lambda tok, text: tok.encode_batch([text, text], threads=2),
    "spans": lambda tok, text: tok.encode_spans(text),
    "count": lambda tok, text: tok.count(text, limit=3),
    "truncate": lambda tok, text: tok.truncate(text, 3),
    "split": lambda tok, text: tok.split(text, 5, 1),
    "normalize": lambda tok, text: tok.normalize_offsets(text),
    "decode": lambda tok, text: tok.decode(range(tok.vocab_size)),
    "bytes": lambda tok, text: tok.decode_bytes(range(tok.vocab_size)),
    "stream": lambda tok, text: (tok.stream_encoder().push(text), tok.stream_encoder().flush()),
    "streams": lambda tok, text: [tok.stream_decoder().push(id) for id in range(tok.vocab_size)],
    "nbest": lambda tok, text: list(tok.nbest(text, 3)),
    "lattice": lambda tok, text: tok.lattice(text).marginals(),
    "best": lambda tok, text: (tok.lattice(text).viterbi(), tok.lattice(text).nbest(3), tok.lattice(text).entropy()),
    "draws": lambda tok, text: tok.lattice(text).sample(seed=1),
    "pieces": lambda tok, text: [(tok.id_to_piece(id), tok.score(id), tok.kind(id)) for id in range(tok.vocab_size)],
    "names": lambda tok, text: tok.piece_to_id("ab", default=None),
}
CALLS |= {
    f"sample-{method}": lambda tok, text, method=method: tok.sample(text, method=method, alpha=0.5, seed=3)  # type: ignore[misc]
    for method in ("lattice", "viterbi", "nbest", "dropout")
}


def damaged(data: bytes, rng: Random) -> bytes:
    """Some bytes or words of one section, overwritten."""
    count = struct.unpack_from("<I", data, 12)[0]
    rows = [struct.unpack_from("<IIQQQ", data, 24 + 32 * row) for row in range(count)]
    _, _, start, length, _ = rng.choice([row for row in rows if row[3] and row[0] > 1])
    out = bytearray(data)
    for _ in range(rng.choice((1, 4, 40))):
        at = rng.randrange(length)
        if rng.random() < 0.5:
            out[start + at] = rng.randrange(256)
        else:
            word = rng.choice((0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, rng.getrandbits(32), rng.randrange(1000)))
            at = at // 4 * 4
            part = word.to_bytes(4, "little")[: length - at]
            out[start + at : start + at + len(part)] = part
    return bytes(out)


def check(tok: ap.Tokenizer, seed: object) -> None:
    for text in TEXTS:
        for name, call in CALLS.items():
            try:
                call(tok, text)
            except ap.InternalError as error:
                pytest.fail(f"{seed} {name} {text[:20]!r}: {error}")
            except ap.AnyPieceError:
                continue


@pytest.mark.parametrize("name", NAMES[::3])
def test_damage_does_no_harm(name: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.anypiece"
    ap.Tokenizer(ALL[name]).save(path)
    data = path.read_bytes()
    for seed in range(8):
        path.write_bytes(damaged(data, Random(f"damage {name} {seed}")))
        try:
            tok = ap.load(path)
        except ap.InternalError as error:
            pytest.fail(f"{name} {seed}: {error}")
        except ap.AnyPieceError:
            continue
        check(tok, (name, seed))
