"""``SentencePieceNormalizer`` compared with the release of the environment, whose flags are on unless they are given."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

from anypiece.compat import sentencepiece as ours

TEXTS = ["", "ＫＡＤＯ ABC", "  two  spaces ", "㍻ﬁ\u3000x", "Straße ÉTÉ", "\u200bx\u00ad", "a b c"]
FLAGS = ("add_dummy_prefix", "escape_whitespaces", "remove_extra_whitespaces")
MAP = [("a", "b"), ("bc", ""), ("é", "e\u0301")]


def flags(number: int) -> dict[str, bool]:
    return {name: bool(number >> place & 1) for place, name in enumerate(FLAGS)}


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("source", [{"rule_name": "nfkc_cf"}, {"rule_name": "identity"}, {"norm_map": MAP}], ids=str)
def test_texts(source: dict[str, Any], number: int) -> None:
    theirs = sentencepiece.SentencePieceNormalizer(**source, **flags(number))
    mine = ours.SentencePieceNormalizer(**source, **flags(number))
    for text in TEXTS:
        assert mine.normalize(text) == theirs.normalize(text)
        assert mine.Normalize(text, with_offsets=True) == theirs.Normalize(text, with_offsets=True)
        assert mine.normalize(text.encode(), with_offsets=True) == theirs.normalize(text.encode(), with_offsets=True)
    assert mine.normalize(TEXTS) == theirs.normalize(TEXTS)


@pytest.mark.deep
def test_rules_are_listed() -> None:
    assert ours.SentencePieceNormalizer(norm_map=MAP).decompile() == sorted(MAP)
    wanted = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc").decompile()
    assert ours.SentencePieceNormalizer(rule_name="nmt_nfkc").Decompile() == wanted


def test_flags_are_off_as_up_to_0_2_2() -> None:
    assert ours.SentencePieceNormalizer(rule_name="nfkc").normalize("  Ａ b ") == "  A b "
    same = ours.SentencePieceNormalizer(rule_name="nfkc", **dict.fromkeys(FLAGS))
    assert same.normalize("  Ａ b ") == "\u2581A\u2581b"


def test_messages() -> None:
    mine = ours.SentencePieceNormalizer(rule_name="identity", add_dummy_prefix=True)
    theirs = sentencepiece.SentencePieceNormalizer(normalizer_spec=mine.serialized_normalizer_spec())
    assert theirs.serialized_normalizer_spec() == mine.serialized_normalizer_spec()
    assert theirs.serialized_model_proto() == mine.serialized_model_proto()
    rules = ours.SentencePieceNormalizer(norm_map=MAP)
    again = ours.SentencePieceNormalizer(model_proto=rules.serialized_model_proto())
    assert again.decompile() == rules.decompile()
    copied = pickle.loads(pickle.dumps(ours.SentencePieceNormalizer(rule_name="nfkc_cf", add_dummy_prefix=True)))
    assert copied.normalize("ＡＢ") == " ab"


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text("61\t62\n62 63\t\n", "utf-8")
    assert ours.SentencePieceNormalizer(rule_tsv=str(path)).normalize("abca") == "bb"
    with pytest.raises(OSError, match="cannot be read"):
        ours.SentencePieceNormalizer(model_file="no such.model")


def test_what_is_wrong() -> None:
    with pytest.raises(RuntimeError, match="no model"):
        ours.SentencePieceNormalizer()
    with pytest.raises(OSError, match="nope"):
        ours.SentencePieceNormalizer(rule_name="nope")
    with pytest.raises(TypeError):
        ours.SentencePieceNormalizer(rule_name="nfkc").normalize(5)
    with pytest.raises(RuntimeError):
        ours.SentencePieceNormalizer(model_proto=b"garbage")
