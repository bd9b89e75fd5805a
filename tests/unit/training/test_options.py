"""Options of trainers: what is refused, with which remedy, and that meta pieces lie where SentencePiece puts them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
import sentencepiece

from anypiece import InputError, Kind, Pieces, Spec
from anypiece.formats import sentencepiece as file_format
from anypiece.training.meta import laid_out
from anypiece.training.options import PieceOptions

if TYPE_CHECKING:
    from pathlib import Path

    from .shell import Shell

TEXT = ["the cat sat on the mat and ate the rat", "a bat is not a cat, and a mat is not a hat"] * 5
SKELETON = Spec(Pieces.of([("<unk>", 0.0, Kind.UNKNOWN)]))

LAYOUTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "ids": {"unk_id": 5, "bos_id": 0, "eos_id": -1, "pad_id": 2},
    "symbols": {"control_symbols": ["<a>", "<b>"], "user_defined_symbols": ["<x>", "<y>"], "eos_id": 4},
    "kinds": {"control_symbols": ["<pad>"], "user_defined_symbols": ["<s>", "</s>"], "pad_id": 7},
    "absent": {"bos_id": -1, "control_symbols": ["<s>"], "user_defined_symbols": ["<pad>"]},
    "bytes": {"byte_fallback": True, "vocab_size": 276, "pad_id": 100, "eos_id": 275},
    "named": {"unk_piece": "[UNK]", "bos_piece": "[CLS]", "eos_piece": "[SEP]", "pad_piece": "[PAD]", "pad_id": 3},
    "swapped": {"control_symbols": ["[CLS]"], "bos_piece": "[CLS]", "bos_id": -1, "unk_surface": "?"},
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_meta_pieces_lie_where_sentencepiece_puts_them(name: str) -> None:
    given = {"vocab_size": 26, **LAYOUTS[name]}
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT), model_writer=written, model_type="bpe", minloglevel=2, **given
    )
    wanted, _ = file_format.read(written.getvalue())
    trained = [(piece, score) for piece, score, kind in wanted.pieces if kind == Kind.NORMAL]
    found = laid_out(PieceOptions(**given), trained, wanted.replace(pieces=SKELETON.pieces))
    assert list(found.pieces) == list(wanted.pieces)
    assert found == wanted


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "low": ({"num_sub_iterations": 0}, "train-option", "nearest value that works is 1"),
    "high": ({"character_coverage": 1.5}, "train-option", "nearest value that works is 1.0"),
    "not a number": ({"shrinking_factor": float("nan")}, "train-option", "from 0.05"),
    "type": ({"vocab_size": "8000"}, "train-option", "must be int, not str"),
    "flag": ({"vocab_size": True}, "train-option", "must be int, not bool"),
    "string": ({"control_symbols": "<a>"}, "train-option", "must be tuple"),
    "strings": ({"control_symbols": (1,)}, "train-option", "must be strings"),
    "id twice": ({"bos_id": 0}, "train-option", "so is the id of"),
    "piece twice": ({"bos_piece": "</s>"}, "train-option", "so is that of id 1"),
    "symbol twice": ({"control_symbols": ["a"], "user_defined_symbols": ["a"]}, "train-option", "named twice"),
    "byte": ({"control_symbols": ["<0x41>"], "byte_fallback": True}, "train-option", "named twice"),
    "unknown": ({"user_defined_symbols": ["<unk>"]}, "train-option", "is the unknown piece"),
    "no unknown": ({"unk_id": -1}, "train-option", "unk_id must be from 0"),
    "empty": ({"bos_piece": ""}, "train-option", "must have 1 to 7999 bytes"),
    "surrogate": ({"required_chars": "\ud800"}, "train-option", "surrogate"),
    "seeds": ({"seed_sentencepieces": [["a", 0]]}, "train-option", "above 0"),
    "size": ({"vocab_size": 0}, "train-vocab-size", "nearest value that works is 1"),
    "bytes": ({"vocab_size": 200, "byte_fallback": True}, "train-vocab-size", "the nearest value is 260"),
    "id": ({"pad_id": 9000}, "train-vocab-size", "the nearest value is 9001"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_work_is_refused_with_a_remedy(name: str) -> None:
    given, code, message = REFUSED[name]
    with pytest.raises(InputError) as found:
        PieceOptions(**given)
    assert found.value.code == code
    assert message in str(found.value)


def test_lists_are_taken_and_frozen() -> None:
    options = PieceOptions(control_symbols=["<a>"], seed_sentencepieces=[["ab", 3]])  # type: ignore[arg-type, list-item]
    assert options.control_symbols == ("<a>",)
    assert options.seed_sentencepieces == (("ab", 3),)
    assert hash(options) == hash(PieceOptions(control_symbols=("<a>",), seed_sentencepieces=(("ab", 3),)))


def test_too_few_pieces_are_an_error_or_a_smaller_vocabulary() -> None:
    with pytest.raises(InputError, match="Set it to 4 or less") as found:
        laid_out(PieceOptions(vocab_size=9), [(b"a", -1.0)], SKELETON)
    assert found.value.facts["nearest"] == 4
    soft = PieceOptions(vocab_size=9, hard_vocab_limit=False)
    assert [piece for piece, _, _ in laid_out(soft, [(b"a", -1.0)], SKELETON).pieces] == [
        b"<unk>",
        b"<s>",
        b"</s>",
        b"a",
    ]
    with pytest.raises(InputError, match="has id 8"):
        laid_out(PieceOptions(vocab_size=9, hard_vocab_limit=False, pad_id=8), [(b"a", -1.0)], SKELETON)


@pytest.mark.parametrize(
    ("size", "name", "least"), [(259, "t.anypiece", 260), (259, "t.json", 260), (260, "t.json", 261)]
)
def test_a_size_without_room_is_refused_before_the_corpus_is_read(
    tmp_path: Path, shell: Shell, size: int, name: str, least: int
) -> None:
    """The corpus is not there, which is said by nobody who does not read it."""
    gone = str(tmp_path / "gone.txt")
    said = shell("train", "--kind", "byte-bpe", "--vocab-size", str(size), "-o", str(tmp_path / name), gone)
    assert said.code != 0
    assert f"the nearest value is {least}" in said.err
    assert "train-vocab-size" in said.err
