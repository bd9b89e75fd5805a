"""Unigram training against sentencepiece with equal options: no more tokens for text that neither has seen, ids that its own
library agrees with, and the same groups of characters.
"""

from __future__ import annotations

import io
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece

import anypiece as ap
from anypiece import Spec, _native
from anypiece.formats import sentencepiece as file_format
from anypiece.reference.unigram_training import allowed
from anypiece.training.options import PieceOptions
from anypiece.training.unigram import unigram_spec
from tests.support.data import corpus_lines

MORE_TOKENS = 1.002
"""What training may cost at most in tokens compared with the original."""
LIMIT = 2_000_000


def taught(lines: list[str], **options: Any) -> bytes:
    """What sentencepiece's own trainer makes of some lines."""
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=out,
        minloglevel=2,
        num_threads=2,
        max_sentence_length=10**6,
        **options,
    )
    return out.getvalue()


def counted(lines: list[str], spec: Spec) -> _native.Words:
    """The words of some lines as the trainer wants them, in the plainest way."""
    tok = ap.Tokenizer(spec)
    counts = Counter[str]()
    for line in lines:
        counts.update(f"▁{word}" for word in tok.normalize(line).split("▁") if word)
    encoded = [word.encode() for word in counts]
    offsets = np.cumsum([0, *map(len, encoded)]).astype("<u8")
    return _native.Words(b"".join(encoded), offsets.tobytes(), np.array(list(counts.values()), "<u8").tobytes())


def lines_of(name: str, limit: int = LIMIT) -> tuple[list[str], list[str]]:
    """The lines to train on, and every twentieth to compare on."""
    lines, size = list[str](), 0
    for line in corpus_lines(name):
        size += len(line)
        if size > limit:
            break
        lines.append(line.decode())
    return [line for place, line in enumerate(lines) if place % 20], lines[::20]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("en_novels", {"vocab_size": 8000}),
        ("en_novels", {"vocab_size": 2000, "byte_fallback": True, "split_digits": True, "pad_id": 3}),
        ("ru_manpages", {"vocab_size": 4000, "user_defined_symbols": ["<sep>"], "character_coverage": 0.999}),
        ("ja_manpages", {"vocab_size": 6000, "character_coverage": 0.999}),
    ],
    ids=["English", "bytes", "Russian", "Japanese"],
)
def test_as_few_tokens_as_sentencepiece(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    lines, held = lines_of(name)
    theirs, _ = file_format.read(taught(lines, **options))
    # Its own vocabulary is not looked at, only how it normalizes.
    spec = unigram_spec(counted(lines, theirs), PieceOptions(**options), theirs, threads=2)
    ours, original = ap.Tokenizer(spec), ap.Tokenizer(theirs)
    assert ours.vocab_size == original.vocab_size
    counts = [sum(tok.count_batch(held)) for tok in (ours, original)]
    assert counts[0] <= counts[1] * MORE_TOKENS, counts
    assert (spec.bos_id, spec.eos_id, spec.pad_id) == (theirs.bos_id, theirs.eos_id, theirs.pad_id)
    ours.save(tmp_path / "ours.model")
    library = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "ours.model"))
    assert library.encode(held) == [ours.encode(line) for line in held]


def test_characters_go_together_as_in_sentencepiece() -> None:
    """For the first and last of each group, and some that have no script: what BPE without limit joins is what we allow."""
    groups: dict[int, list[str]] = {}
    for code in [*range(0x21, 0xD800), *range(0xE000, 0x20000)]:
        groups.setdefault(_native.script(chr(code)), []).append(chr(code))
    picked = [character for group in groups.values() for character in {group[0], group[-1], group[len(group) // 2]}]
    picked = sorted(c for c in picked if c not in "▁\u2585")
    pairs = {
        left + right for character in picked for left, right in ((character, "!"), ("a", character), ("漢", character))
    }
    pairs |= {one + other for one, other in pairwise(picked)}
    written = taught(
        sorted(pairs) * 2,
        model_type="bpe",
        vocab_size=5 * len(pairs),
        hard_vocab_limit=False,
        character_coverage=1.0,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
    )
    joined = {piece.decode() for piece, _, _ in file_format.read(written)[0].pieces}
    options = PieceOptions()
    assert len(pairs) > 900
    assert {pair for pair in pairs if allowed(pair, options)} == pairs & joined
