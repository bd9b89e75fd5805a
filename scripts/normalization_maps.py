"""Writes the maps of the named rules, python/anypiece/data/*.charsmap.xz: ``python -m scripts.normalization_maps``.

The rows are those of the release of SentencePiece that the tests pin, asked for by training a model with each rule. They are
compiled by ``anypiece.training.charsmap``, so that the bytes do not depend on how SentencePiece lays a map out.
"""

from __future__ import annotations

import io
import lzma
from pathlib import Path

import sentencepiece

from anypiece.formats.sentencepiece import read
from anypiece.training.charsmap import rows_of
from anypiece.training.normalization import RULES, compiled_rules

MAPS = Path(__file__).resolve().parent.parent / "python/anypiece/data"


def rows(rule: str) -> dict[str, str]:
    """The rows of a rule in a model that SentencePiece has trained."""
    out = io.BytesIO()
    options = {"model_type": "char", "vocab_size": 8, "minloglevel": 2, "normalization_rule_name": rule}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(["a b c"]), model_writer=out, **options)
    return rows_of(read(out.getvalue())[0].charsmap)


def main() -> None:
    for rule in RULES:
        if rule != "identity":
            packed = lzma.compress(compiled_rules(rows(rule)), preset=9 | lzma.PRESET_EXTREME)
            (MAPS / f"{rule}.charsmap.xz").write_bytes(packed)


if __name__ == "__main__":
    main()
