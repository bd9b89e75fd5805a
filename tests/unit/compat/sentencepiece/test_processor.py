"""``SentencePieceProcessor`` compared with the release of the environment, with small models that are trained here."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import sentencepiece

from anypiece.compat import sentencepiece as ours
from tests.support.sentencepiece_calls import COMMON, NEWER, answers

LINES = ["the cat sat on the mat", "that cats' tails are long, 1234", "日本の猫は日本語を話す", "été à la plage"] * 30
TEXTS = [
    "",
    "the cats",
    "  that's  日本語 ",
    "été\t\u3000mat!",
    "🤚🏾x",
    "\u2581the <s> a",
    "ＡＢ ㍻",
    "catcatcat " * 5,
]
MODELS: dict[str, dict[str, Any]] = {
    "unigram": {"vocab_size": 90},
    "bytes": {"vocab_size": 340, "byte_fallback": True},
    "bpe": {"vocab_size": 90, "model_type": "bpe"},
    "bpe-bytes": {"vocab_size": 340, "model_type": "bpe", "byte_fallback": True},
    "char": {"vocab_size": 50, "model_type": "char"},
    "word": {"vocab_size": 20, "model_type": "word"},
    "spaces": {"vocab_size": 90, "remove_extra_whitespaces": False, "user_defined_symbols": ["cat", " "]},
    "suffix": {"vocab_size": 90, "treat_whitespace_as_suffix": True, "bos_id": -1},
}


@lru_cache
def model(name: str) -> bytes:
    out = BytesIO()
    sentencepiece.set_min_log_level(2)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES), model_writer=out, hard_vocab_limit=False, minloglevel=2, **MODELS[name]
    )
    return out.getvalue()


def both(name: str, **options: Any) -> tuple[Any, Any]:
    return (
        sentencepiece.SentencePieceProcessor(model_proto=model(name), **options),
        ours.SentencePieceProcessor(model_proto=model(name), **options),
    )


@pytest.mark.parametrize("name", MODELS)
def test_calls(name: str) -> None:
    calls = [*COMMON, *NEWER]
    wanted = answers(sentencepiece, model(name), TEXTS, calls)
    found = answers(ours, model(name), TEXTS, calls)
    for call in calls:
        for text, mine, other in zip(TEXTS, found[call], wanted[call], strict=True):
            raised = isinstance(other, list) and other and str(other[0]).startswith("raises")
            assert set(other) <= set(mine) if raised else mine == other, (call, text)


def test_every_name_of_the_releases_is_there() -> None:
    for theirs, mine in [
        (sentencepiece, ours),
        (sentencepiece.SentencePieceProcessor, ours.SentencePieceProcessor),
        (sentencepiece.SentencePieceNormalizer, ours.SentencePieceNormalizer),
        (sentencepiece.SentencePieceTrainer, ours.SentencePieceTrainer),
    ]:
        public = {name for name in vars(theirs) if not name.startswith("_")}
        assert {name for name in public if not hasattr(mine, name)} <= {"csv", "importlib", "io", "os", "sys"}
    older = "CalculateEntropy EncodeAsImmutableProto SampleEncodeAndScore SetEncodeExtraOptions LoadVocabulary init"
    for name in older.split():
        assert hasattr(ours.SentencePieceProcessor, name)


def test_options_of_the_constructor_are_defaults() -> None:
    for options in ({"add_bos": True}, {"out_type": str, "reverse": True}, {"return_type": bytes, "add_eos": True}):
        theirs, mine = both("unigram", **options)
        assert mine.encode("the cats") == theirs.encode("the cats")
        assert mine.encode("the cats", add_bos=False, reverse=False) == theirs.encode(
            "the cats", add_bos=False, reverse=False
        )


def test_the_second_argument_is_the_type() -> None:
    mine = both("unigram")[1]
    assert mine.encode("the", str) == mine.encode("the", out_type=str)
    with pytest.raises(TypeError, match="by their names"):
        mine.encode("the", True)
    with pytest.raises(ValueError, match="one of them"):
        mine.encode("the", out_type=str, return_type=str)


@pytest.mark.parametrize("kind", [int, str, "serialized_proto"])
@pytest.mark.parametrize("text", ["the cat", "that's 日本語 🤚", ""])
def test_best_paths(kind: Any, text: str) -> None:
    for name in ("unigram", "bytes"):
        theirs, mine = both(name)
        for count in (-1, 1, 2, 5):
            wanted = theirs.nbest_encode(text, nbest_size=count, out_type=kind)
            found = mine.nbest_encode(text, nbest_size=count, out_type=kind)
            assert _near(found) == _near(wanted) if kind == "serialized_proto" else found == wanted
    assert mine.nbest_encode([text], nbest_size=2) == [mine.nbest_encode(text, nbest_size=2)]


def _near(proto: bytes) -> bytes:
    """A message without its scores, which are sums in another order."""
    return b"".join(part[4:] if place else part for place, part in enumerate(proto.split(b"\x1d")))


def drawn(draw: Callable[[], Any], times: int = 6000) -> dict[tuple[int, ...], float]:
    found = Counter(tuple(draw()) for _ in range(times))
    return {path: count / times for path, count in found.items() if count > 0.004 * times}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("unigram", {"alpha": 0.3, "nbest_size": -1}),
        ("unigram", {"alpha": 0.5, "nbest_size": 3}),
        ("bpe", {"alpha": 0.2, "nbest_size": -1}),
    ],
)
def test_draws_have_the_same_distribution(name: str, options: dict[str, Any]) -> None:
    theirs, mine = both(name)
    sentencepiece.set_random_generator_seed(1)
    ours.set_random_generator_seed(1)
    wanted = drawn(lambda: theirs.encode("that cat", enable_sampling=True, **options))
    found = drawn(lambda: mine.encode("that cat", enable_sampling=True, **options))
    assert len(wanted) > 2
    for path in wanted.keys() | found.keys():
        assert abs(wanted.get(path, 0) - found.get(path, 0)) < 0.03


def test_a_seed_begins_the_draws_again() -> None:
    mine = both("unigram")[1]
    rows = []
    for _ in range(2):
        ours.SetRandomGeneratorSeed(7)
        rows.append([mine.sample_encode_as_ids("that cat sat", -1, 0.1) for _ in range(5)])
    assert rows[0] == rows[1]
    assert len({tuple(row) for row in rows[0]}) > 1
    for kind in (str, bytes, "serialized_proto", "immutable_proto", "proto"):
        assert len({_hashable(mine.encode("that cat", out_type=kind, enable_sampling=True)) for _ in range(30)}) > 1
    assert mine.decode(mine.sample_encode_as_pieces("that cat", 5, 0.5)) == "that cat"


def _hashable(found: Any) -> Any:
    return tuple(found) if isinstance(found, list) else found


def test_draws_with_scores() -> None:
    mine = both("unigram")[1]
    lattice = mine.tokenizer.lattice("the cat")
    for ids, score in mine.sample_encode_and_score("the cat", num_samples=20, alpha=0.5):
        assert mine.decode(ids) == "the cat"
        assert score < 0
    best = mine.sample_encode_and_score_as_ids("the cat", 4, 0.5, wor=True, include_best=True)
    assert best[0] == (lattice.viterbi().ids, 0.0)
    assert len({tuple(ids) for ids, _ in best}) == 4
    proto = mine.sample_encode_and_score_as_immutable_proto("the cat", 3, wor=True)
    assert [text.text for text in proto.nbests] == ["the cat"] * 3
    assert mine.calculate_entropy(["the cat"], 0.5) == [pytest.approx(lattice.entropy(0.5))]
    for call in (
        lambda: mine.sample_encode_and_score("a", num_samples=0),
        lambda: mine.sample_encode_and_score("a", include_best=True),
        lambda: both("bpe")[1].sample_encode_and_score("a"),
        lambda: both("bpe")[1].calculate_entropy("a", 1.0),
        lambda: both("char")[1].sample_encode_as_ids("a", -1, 0.5),
        lambda: mine.encode("a", enable_sampling=True, alpha=-1.0),
        lambda: mine.nbest_encode("a", nbest_size=513),
    ):
        with pytest.raises(RuntimeError):
            call()


def test_immutable_protos() -> None:
    mine = both("bytes")[1]
    text = "the 日本語 🤚!"
    proto = mine.encode(text, out_type="immutable_proto")
    assert [piece.id for piece in proto.pieces] == mine.encode(text)
    assert "".join(piece.surface for piece in proto.pieces) == text
    shown = [piece for piece in proto.pieces if piece.surface]
    assert [text[piece.begin : piece.end] for piece in shown] == [piece.surface for piece in shown]
    assert proto.pieces[::-1] == list(reversed(proto.pieces))
    assert proto.pieces[-1] == proto.pieces[len(proto.pieces) - 1]
    with pytest.raises(IndexError):
        proto.pieces[len(proto.pieces)]
    assert {proto: 1}[mine.encode(text, out_type="immutable_proto")] == 1
    plain = mine.encode(text, out_type="proto")
    assert plain.SerializeToString() == mine.encode(text, out_type="serialized_proto")
    with pytest.raises(NotImplementedError):
        mine.encode(text, out_type="proto", add_bos=True)
    with pytest.raises(AttributeError):
        proto.text = "another"


def test_pickle_keeps_options_and_changes() -> None:
    mine = ours.SentencePieceProcessor(model_proto=model("unigram"), out_type=str, add_bos=True)
    mine.override_normalizer_spec(add_dummy_prefix=False)
    copied = pickle.loads(pickle.dumps(mine))
    assert copied.encode("the cats") == mine.encode("the cats")
    assert copied.encode("the")[0] == "<s>"
    assert ours.SentencePieceProcessor(model_proto=model("unigram")).serialized_model_proto() == model("unigram")


def test_a_processor_without_a_model() -> None:
    empty = ours.SentencePieceProcessor()
    assert (len(empty), empty.unk_id(), empty.serialized_model_proto(), empty.piece_to_id("a")) == (0, -1, b"", 0)
    with pytest.raises(RuntimeError, match="not initialized"):
        empty.encode("a")
    with pytest.raises(IndexError):
        empty.decode([1])
    with pytest.raises(OSError, match="cannot be read"):
        empty.load("no such.model")
    with pytest.raises(RuntimeError, match="cannot be read"):
        ours.SentencePieceProcessor.from_file("no such.model")
    with pytest.raises(RuntimeError):
        empty.load_from_serialized_proto(b"garbage")
    with pytest.raises(ValueError, match="exclusive"):
        empty.load("a", b"b")
    assert pickle.loads(pickle.dumps(empty)).unk_id() == -1


def test_what_is_not_supported_is_named() -> None:
    for call in (ours.SetNBestTimeout, ours.set_data_dir, ours.ConvertToFlatbuffer):
        with pytest.raises(NotImplementedError, match="not supported"):
            call(1)
    with pytest.raises(NotImplementedError, match="precompiled_charsmap"):
        both("unigram")[1].override_normalizer_spec(precompiled_charsmap="x")


def test_a_vocabulary_file(tmp_path: Any) -> None:
    mine = both("unigram")[1]
    path = tmp_path / "words.txt"
    path.write_text("\u2581the\t5\n\u2581cat\t1\n", "utf-8")
    mine.load_vocabulary(str(path), 2)
    assert mine.encode("the cat", out_type=str)[:2] in (["\u2581the", "\u2581"], ["\u2581", "t"])
    assert mine.is_unused(mine.piece_to_id("\u2581cat"))
    mine.reset_vocabulary()
    assert not mine.is_unused(mine.piece_to_id("\u2581cat"))
    with pytest.raises(RuntimeError, match="unigram and BPE"):
        both("word")[1].set_vocabulary(["a"])


def test_threads_and_arrays() -> None:
    mine = both("unigram")[1]
    rows = mine.encode(TEXTS, num_threads=8)
    assert rows == mine.encode(TEXTS, thread_pool=ours.ThreadPool(2)) == [mine.encode(text) for text in TEXTS]
    assert mine.encode_as_numpy("the").dtype == np.int32
    assert mine.decode(np.array(mine.encode("the cat"))) == "the cat"
    assert mine.parallel_encode_as_pieces("the cat", chunk_len=3) == mine.encode_as_pieces("the cat")
