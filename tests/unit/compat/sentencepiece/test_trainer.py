"""``SentencePieceTrainer``: options by name and by command line, files, and the pieces that sentencepiece trains."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

from anypiece.compat import sentencepiece as ours

LINES = [
    "the cat sat on the mat", "that cats' tails are long, 1234", "a rose is a rose is a rose", "slower and lower news",
] * 30  # fmt: skip


def trained(package: Any, **options: Any) -> Any:
    out = BytesIO()
    package.SentencePieceTrainer.train(sentence_iterator=iter(LINES), model_writer=out, minloglevel=2, **options)
    return package.SentencePieceProcessor(model_proto=out.getvalue())


def pieces(processor: Any) -> list[str]:
    return [processor.id_to_piece(id) for id in range(len(processor))]


@pytest.mark.parametrize(
    "options",
    [
        {"vocab_size": 60},
        {"vocab_size": 60, "model_type": "bpe"},
        {"vocab_size": 30, "model_type": "char"},
        {"vocab_size": 25, "model_type": "word"},
        {"vocab_size": 330, "byte_fallback": True},
        {"vocab_size": 62, "user_defined_symbols": ["<sep>", "rose"], "control_symbols": "<x>,<y>", "pad_id": 3},
        {"vocab_size": 60, "normalization_rule_name": "nmt_nfkc_cf", "add_dummy_prefix": "false"},
    ],
    ids=str,
)
def test_pieces(options: dict[str, Any]) -> None:
    mine, theirs = (trained(package, hard_vocab_limit=False, **options) for package in (ours, sentencepiece))
    both = set(pieces(mine)) & set(pieces(theirs))
    if "model_type" in options:
        assert set(pieces(mine)) == set(pieces(theirs))
    else:  # in so small a text scores are ties, and EM is not rounded alike
        assert len(both) > 0.85 * max(len(mine), len(theirs))
    assert [mine.unk_id(), mine.bos_id(), mine.pad_id()] == [theirs.unk_id(), theirs.bos_id(), theirs.pad_id()]
    text = "the slower cats rose <sep> 12 日本"
    assert mine.decode(mine.encode(text)) == theirs.decode(theirs.encode(text))


def test_files(tmp_path: Path) -> None:
    source, prefix = tmp_path / "texts.txt", tmp_path / "m"
    source.write_text("\n".join(LINES), "utf-8")
    ours.SentencePieceTrainer.Train(f"--input={source} --model_prefix={prefix} --vocab_size=34 --byte_fallback=false")
    read = sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")
    mine = ours.SentencePieceProcessor(model_file=f"{prefix}.model")
    assert read.encode(LINES) == mine.encode(LINES)
    rows = [line.split("\t") for line in Path(f"{prefix}.vocab").read_text("utf-8").splitlines()]
    assert [row[0] for row in rows] == pieces(mine)
    assert [float(row[1]) for row in rows] == pytest.approx(mine.get_score(list(range(34))), rel=1e-5)
    with open(os.devnull, "w") as log:
        ours.SentencePieceTrainer.train(
            input=[str(source)],
            model_prefix=str(prefix),
            vocab_size=34,
            vocabulary_output_piece_score=False,
            logstream=log,
        )
    assert Path(f"{prefix}.vocab").read_text("utf-8").splitlines() == pieces(mine)


def test_counts_and_limits(tmp_path: Path) -> None:
    source = tmp_path / "texts.tsv"
    source.write_text("the cat\t50\nthe mat\t50\n" + "z" * 300 + "\t9\n", "utf-8")
    out = BytesIO()
    options: dict[str, Any] = {"vocab_size": 12, "hard_vocab_limit": False, "max_sentence_length": 100}
    ours.SentencePieceTrainer.train(input=str(source), input_format="tsv", model_writer=out, **options)
    found = pieces(ours.SentencePieceProcessor(model_proto=out.getvalue()))
    assert "t" in found
    assert "z" not in found


def test_a_normalizer_is_taken_over() -> None:
    rules = ours.SentencePieceNormalizer(norm_map=[("a", "o")], add_dummy_prefix=True, escape_whitespaces=True)
    mine = trained(ours, vocab_size=34, normalizer=rules)
    assert mine.normalize("cat") == "\u2581cot"
    assert trained(ours, vocab_size=34, denormalization_rule_tsv="").decode([5]) != ""


def test_languages_are_kept() -> None:
    mine = trained(ours, vocab_size=34, accept_language="en,de")
    assert b"\x2a\x02en\x2a\x02de" in mine.serialized_model_proto()


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"enable_differential_privacy": True}, NotImplementedError, "enable_differential_privacy"),
        ({"auto_character_coverage": True}, NotImplementedError, "auto_character_coverage"),
        ({"precompiled_charsmap": "x"}, NotImplementedError, "precompiled_charsmap"),
        ({"pretokenizer": str.split}, NotImplementedError, "pretokenizer"),
        ({"vocab_sice": 5}, OSError, "vocab_sice"),
        ({"vocab_sice": 5}, RuntimeError, "vocab_sice"),
        ({"vocab_size": "many"}, ValueError, "many"),
        ({"model_type": "other"}, RuntimeError, "other"),
        ({"vocab_size": 100000}, RuntimeError, "vocab_size"),
        ({"input": "x.txt"}, RuntimeError, "exclusive"),
        ({"byte_fallback": "perhaps"}, ValueError, "perhaps"),
        ({"normalizer": 5}, TypeError, "SentencePieceNormalizer"),
    ],
    ids=str,
)
def test_what_is_refused(options: dict[str, Any], error: type[Exception], named: str) -> None:
    with pytest.raises(error, match=named):
        trained(ours, **({"vocab_size": 34} | options))


def test_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="none"):
        ours.SentencePieceTrainer.train(
            input=str(tmp_path / "none.txt"), model_prefix=str(tmp_path / "m"), vocab_size=20
        )
    for options in ({"model_prefix": "m"}, {"input": "x.txt"}):
        with pytest.raises(ValueError, match="must not be empty"):
            ours.SentencePieceTrainer.train(**options)
    with pytest.raises(TypeError):
        ours.SentencePieceTrainer.train(sentence_iterator=iter([5]), model_writer=BytesIO(), vocab_size=20)
