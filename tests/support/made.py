"""Files trained here with sentencepiece, for what no real file has: suffix mode, own rules, denormalizers.

Training takes a fraction of a second and is kept in ``.cache/parity/trained``, keyed by release, options and texts. The
texts are drawn by a seed from a few alphabets.
"""

from __future__ import annotations

import json
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

from tests.support.data import CACHE
from tests.support.peer import Peer
from tests.support.records import digest_of

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TRAINED", "trained_file"]

RULES = "41\t61\n42 43\t78 79 7A\n3042\t\n5F\t20\n42 43 44\t20 62 20\n20 5A\t5A\n"
"""Source and target code points: a change, a growth, a deletion, a space from a letter and one between, a shorter one."""

UNDO_RULES = "61\t41\n78 79\t59\n20 7A\t7A\n"

TRAINED: dict[str, dict[str, Any]] = {
    "unigram": {"vocab_size": 300, "self_test_sample_size": 20},
    "unigram-folded-bytes": {"vocab_size": 600, "normalization_rule_name": "nmt_nfkc_cf", "byte_fallback": True},
    "unigram-suffix": {"vocab_size": 300, "treat_whitespace_as_suffix": True, "user_defined_symbols": ["<sep>", "ab"]},
    "unigram-rules": {"vocab_size": 250, "normalization_rule_tsv": RULES, "denormalization_rule_tsv": UNDO_RULES},
    "unigram-across-spaces": {"vocab_size": 400, "split_by_whitespace": False, "add_dummy_prefix": False},
    "bpe-nfkc-suffix": {"model_type": "bpe", "vocab_size": 300, "normalization_rule_name": "nfkc",
                        "treat_whitespace_as_suffix": True},
    "bpe-identity-bytes": {"model_type": "bpe", "vocab_size": 600, "normalization_rule_name": "identity",
                           "byte_fallback": True, "remove_extra_whitespaces": False, "split_digits": True,
                           "allow_whitespace_only_pieces": True, "user_defined_symbols": ["<sep>", "ab", "▁▁"]},
    "bpe-rules": {"model_type": "bpe", "vocab_size": 250, "normalization_rule_tsv": RULES, "self_test_sample_size": 20},
    "char": {"model_type": "char", "vocab_size": 90},
    "char-suffix": {"model_type": "char", "vocab_size": 90, "treat_whitespace_as_suffix": True},
    "word": {"model_type": "word", "vocab_size": 200, "user_defined_symbols": ["<sep>"]},
    "word-folded": {"model_type": "word", "vocab_size": 200, "normalization_rule_name": "nfkc_cf"},
}  # fmt: skip
"""Name to the options of sentencepiece's trainer; rules are given as text and written to a file for it."""


@lru_cache
def _texts() -> tuple[bytes, ...]:
    rng = Random("made")
    letters = "aaabbcdeehllooxyzABCDZ_0１２ｱﾞあいうえ漢字語한글éüﬁß…"
    words = ["".join(rng.choices(letters, k=rng.randint(1, 7))) for _ in range(400)]
    return tuple(" ".join(rng.choices(words, k=rng.randint(1, 12))).encode() for _ in range(800))


def _with_files(options: dict[str, Any], folder: Path) -> dict[str, Any]:
    out = {"model_type": "unigram", "hard_vocab_limit": False, **options}
    for name in ("normalization_rule_tsv", "denormalization_rule_tsv"):
        if name in out:
            path = folder / f"{digest_of([out[name].encode()])}.tsv"
            path.write_text(out[name], encoding="utf-8")
            out[name] = str(path)
    return out


def trained_file(name: str) -> Path:
    """The file trained with the options called ``name``, by sentencepiece 0.2.3."""
    folder = CACHE / "parity" / "trained"
    options = TRAINED[name]
    key = digest_of([json.dumps(options, sort_keys=True).encode(), *_texts()])
    path = folder / f"{name}-{key}.model"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        peer = Peer("0.2.3")
        content = peer.train(_texts(), **_with_files(options, folder))
        peer.close()
        fresh = path.with_suffix(".partial")
        fresh.write_bytes(content)
        fresh.replace(path)
    return path
