"""What is trained from the same text is what tokenizers and sentencepiece train, and loads in its own library."""

from __future__ import annotations

import base64
import io
import json
import random
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import sentencepiece
import tiktoken
import tiktoken._educational
import tokenizers
from tokenizers import models, pre_tokenizers, trainers

import anypiece as ap
from anypiece import Tokenizer, _native
from anypiece._core.bridge import compiled
from anypiece.formats import sentencepiece as model_format
from anypiece.formats import wordpiece
from anypiece.formats.settings import UNCHANGED
from anypiece.formats.tiktoken.definitions import SPLITTERS
from anypiece.reference.words import cut
from anypiece.spec import Kind, Pieces, Spec
from anypiece.training.bpe import ByteBpeOptions, byte_bpe_spec, score_bpe_spec
from anypiece.training.lookup import char_spec, word_spec
from anypiece.training.meta import word_options
from anypiece.training.options import PieceOptions
from anypiece.training.preparation import BOUNDARY
from anypiece.training.wordpiece import WordPieceOptions, wordpiece_spec
from tests.parity.compare import Peers
from tests.support import data
from tests.support.word_tables import byte_skeleton, table

if TYPE_CHECKING:
    from pathlib import Path

    from anypiece.tokenizer import Tokenizer as Made


def corpus(name: str, size: int, start: int = 0) -> list[str]:
    """Lines with their ends, of about ``size`` bytes of a text."""
    return data.corpus_bytes(name)[start : start + size].decode("utf-8", "ignore").splitlines(keepends=True)


def chunks(lines: list[str], splitter: str) -> _native.Words:
    """The chunks of a splitter, counted."""
    rows = [(bytes([byte]), -float(byte), Kind.NORMAL) for byte in range(256)]
    spec = Spec(Pieces.of(rows), segmenter="bpe", symbols="bytes", splitter=splitter, **UNCHANGED)
    counter = _native.Counter(compiled(spec, 0), "chunks", [], 1)
    counter.add(lines)
    return counter.take()


def same_ids(ours: Made, theirs: Any, texts: list[str]) -> None:
    for text in texts:
        assert ours.encode(text) == theirs(text), text


# -- bytes


@pytest.mark.parametrize(
    ("name", "size", "vocab"), [("en_novels", 8_000, 500), ("ja_aozora", 10_000, 600), ("code_py", 8_000, 450)]
)
def test_the_pair_seen_first_is_that_of_tiktoken(name: str, size: int, vocab: int) -> None:
    """Short texts, since that trainer counts all words anew for each merge; rare pairs are often equally frequent."""
    text = "".join(corpus(name, size, 50_000))
    pattern = r"\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+"
    wanted = tiktoken._educational.bpe_train(text, vocab, pattern, visualise=None)

    def ids(ties: Any, threads: int) -> dict[bytes, int]:
        tok = ap.train([text], "byte-bpe", vocab_size=vocab, specials=(), pattern=pattern, ties=ties, threads=threads)
        return {raw: id for id, (raw, _, _) in enumerate(tok.spec.pieces)}

    assert ids("first-seen", 1) == ids("first-seen", 2) == wanted
    assert ids("rustbpe", 1) != wanted  # there are ties, and the pair of lower ids is another


def trained_by_tokenizers(lines: list[str], size: int, **options: Any) -> tuple[dict[str, int], list[list[str]]]:
    tok = tokenizers.Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tok.train_from_iterator(
        lines,
        trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False, **options),
    )
    model = json.loads(tok.to_str())["model"]
    return model["vocab"], model["merges"]


@pytest.mark.parametrize(
    ("name", "size", "vocab", "options"),
    [
        ("en_novels", 3_000_000, 8000, {}),
        ("ja_aozora", 400_000, 4000, {}),
        ("code_py", 1_000_000, 4000, {"special_tokens": ["<pad>", "<unk>", "<bos>", "<eos>"]}),
        ("udhr_all_languages", 500_000, 6000, {"min_frequency": 9}),
        ("en_novels", 300_000, 2000, {"max_token_length": 5}),
    ],
)
def test_merges_are_those_of_tokenizers(name: str, size: int, vocab: int, options: dict[str, Any]) -> None:
    lines = corpus(name, size)
    ids, merges = trained_by_tokenizers(lines, vocab, **options)
    specials = tuple(options.get("special_tokens", ()))
    wanted = ByteBpeOptions(
        vocab_size=vocab,
        specials=specials,
        min_frequency=options.get("min_frequency", 0),
        max_token_length=options.get("max_token_length"),
        hard_vocab_limit=False,
    )
    spec = byte_bpe_spec(chunks(lines, "gpt2"), wanted, byte_skeleton())
    found = spec.merges.tolist()
    assert found == [[ids[left], ids[right], ids[left + right]] for left, right in merges]
    assert len(spec.pieces) == len(ids)


@pytest.fixture(scope="module")
def trained() -> Made:
    lines = corpus("en_novels", 500_000) + corpus("ja_aozora", 200_000)
    options = ByteBpeOptions(vocab_size=3000, specials=("<|endoftext|>", "<bos>"), specials_at="end")
    return Tokenizer(byte_bpe_spec(chunks(lines, "cl100k"), options, byte_skeleton("cl100k")))


HELD_OUT = ("en_botchan", "ja_manpages", "code_c")


def held_out() -> list[str]:
    return [line for name in HELD_OUT for line in corpus(name, 30_000, 10_000)] + ["", "  \n x", "naïve ÿ\0"]


def test_bytes_load_in_tokenizers(trained: Made, tmp_path: Path) -> None:
    ap.convert(trained, tmp_path / "tokenizer.json", format="huggingface")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    same_ids(trained, lambda text: theirs.encode(text, add_special_tokens=False).ids, held_out())


def test_bytes_load_in_tiktoken(trained: Made, tmp_path: Path) -> None:
    ap.convert(trained, tmp_path / "made.tiktoken", format="tiktoken")
    rows = [line.split() for line in (tmp_path / "made.tiktoken").read_bytes().splitlines()]
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in rows}
    specials = {"<|endoftext|>": 2998, "<bos>": 2999}
    pattern = {splitter: pattern for pattern, splitter in SPLITTERS.items()}["cl100k"]
    theirs = tiktoken.Encoding("made", pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)
    same_ids(trained, theirs.encode_ordinary, held_out())


def test_bytes_load_from_gguf(tmp_path: Path) -> None:
    options = ByteBpeOptions(vocab_size=3000)
    made = byte_bpe_spec(chunks(corpus("en_novels", 500_000), "llama3"), options, byte_skeleton("llama3"))
    tok = Tokenizer(made)
    ap.convert(tok, tmp_path / "made.gguf", format="gguf")
    same_ids(tok, ap.load(tmp_path / "made.gguf").encode, held_out())


# -- SentencePiece's kinds


def trained_by_sentencepiece(lines: list[str], kind: str, options: dict[str, Any]) -> bytes:
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=written, model_type=kind, minloglevel=2, **options
    )
    return written.getvalue()


def words_of(model: bytes, lines: list[str], options: PieceOptions, kind: str) -> _native.Words:
    """Words as SentencePiece has them: normalized by the model itself, cut at spaces, without its symbols."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    if kind == "word":
        options = word_options(options, True)
    symbols = re.compile("|".join(map(re.escape, sorted(options.symbols, key=len, reverse=True))))
    counts: Counter[str] = Counter()
    for line in lines:
        text = symbols.sub(BOUNDARY, processor.normalize(line))
        if kind == "word":
            counts.update(cut(text))
        elif options.split_by_whitespace:
            counts.update(cut(text, options.treat_whitespace_as_suffix, options.allow_whitespace_only_pieces))
        else:
            counts[text] += 1
    return table(counts)


@pytest.mark.parametrize(
    ("name", "size", "kind", "options"),
    [
        ("en_novels", 3_000_000, "bpe", {"vocab_size": 8000}),
        ("ja_aozora", 600_000, "bpe", {"vocab_size": 6000}),
        ("udhr_all_languages", 1_000_000, "bpe", {"vocab_size": 8000, "character_coverage": 0.99}),
        ("zh_classical_poetry", 500_000, "bpe", {"vocab_size": 5000, "character_coverage": 0.98}),
        ("code_py", 500_000, "bpe", {"vocab_size": 4000, "byte_fallback": True, "split_digits": True,
            "normalization_rule_name": "identity", "remove_extra_whitespaces": False}),
        ("code_c", 300_000, "bpe", {"vocab_size": 2000, "allow_whitespace_only_pieces": True,
            "split_by_whitespace": False, "remove_extra_whitespaces": False}),
        ("en_botchan", 300_000, "bpe", {"vocab_size": 4000, "treat_whitespace_as_suffix": True, "split_by_number": False}),
        ("en_botchan", 300_000, "bpe", {"vocab_size": 3000, "user_defined_symbols": ["the", "ing"],
            "split_by_unicode_script": False, "max_sentencepiece_length": 5, "required_chars": "%"}),
        ("udhr_all_languages", 600_000, "char", {"vocab_size": 600}),
        ("en_botchan", 300_000, "char", {"vocab_size": 60, "use_all_vocab": True}),
        ("udhr_all_languages", 600_000, "word", {"vocab_size": 900}),
        ("en_botchan", 300_000, "word", {"vocab_size": 900, "use_all_vocab": True, "character_coverage": 0.99}),
        ("code_c", 300_000, "bpe", {"vocab_size": 2000, "normalization_rule_name": "identity"}),
        ("code_c", 300_000, "char", {"vocab_size": 90, "normalization_rule_name": "identity"}),
        ("code_c", 300_000, "word", {"vocab_size": 900, "normalization_rule_name": "identity",
            "user_defined_symbols": ["int", "▁return", "("], "treat_whitespace_as_suffix": True}),
    ],
)  # fmt: skip
def test_pieces_are_those_of_sentencepiece(name: str, size: int, kind: str, options: dict[str, Any]) -> None:
    # Lines that it would leave out are left out for both.
    lines = [line.rstrip("\n") for line in corpus(name, size) if len(line.encode()) <= 4000]
    model = trained_by_sentencepiece(lines, kind, options)
    named = PieceOptions(**{key: value for key, value in options.items() if key in PieceOptions.__dataclass_fields__})
    theirs, _ = model_format.read(model)
    words = words_of(model, lines, named, kind)
    train = {"bpe": score_bpe_spec, "char": char_spec, "word": word_spec}[kind]
    ours = train(words, named, theirs.replace(pieces=theirs.pieces, samples=()))
    assert ours.pieces.blob == theirs.pieces.blob
    assert (ours.pieces.kinds == theirs.pieces.kinds).all()
    assert ours.pieces.scores == pytest.approx(theirs.pieces.scores, abs=2e-6)
    if kind == "bpe":
        assert ours == theirs.replace(samples=())
    again = sentencepiece.SentencePieceProcessor(model_proto=model_format.write(ours))
    same_ids(Tokenizer(ours), again.encode, held_out())


ODD = ("aab ", "aab\t ", "ab\x1f\x1b ", "ab\u061c\u200b ", "aあ漢éﬁ１ ")
SMALL: dict[str, dict[str, Any]] = {
    "plain": {},
    "unchanged": {"normalization_rule_name": "identity"},
    "nfkc": {"normalization_rule_name": "nfkc"},
    "symbols": {"user_defined_symbols": ["<sep>"]},
    "suffix": {"user_defined_symbols": ["<sep>"], "treat_whitespace_as_suffix": True},
    "spaces": {"split_by_whitespace": False, "allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False},
    "scripts": {"split_by_unicode_script": False, "character_coverage": 1.0, "required_chars": "a"},
}


def odd_lines(letters: str) -> list[str]:
    rng = random.Random(letters)
    parts = [*letters, *letters, *letters, "<sep>", "<s>"]
    return ["".join(rng.choices(parts, k=rng.randint(1, 30))).strip(" ") + "a" for _ in range(300)]


@pytest.mark.parametrize("letters", ODD, ids=ascii)
@pytest.mark.parametrize("kind", ["bpe", "char", "word"])
@pytest.mark.parametrize("name", SMALL)
def test_a_corpus_makes_the_file_that_sentencepiece_makes(name: str, kind: str, letters: str) -> None:
    """From texts with control characters, marks of direction and what looks like a symbol."""
    lines, options = odd_lines(letters), {"vocab_size": 40, "hard_vocab_limit": False, **SMALL[name]}
    theirs, _ = model_format.read(trained_by_sentencepiece(lines, kind, options))
    ours = ap.train(lines, kind, **options).spec
    assert ours.pieces.blob == theirs.pieces.blob
    assert (ours.pieces.kinds == theirs.pieces.kinds).all()
    assert ours.pieces.scores == pytest.approx(theirs.pieces.scores, abs=2e-6)
    # The layout of the map is ours; what it says is compared by tests/parity/test_normalization.py.
    assert theirs.replace(pieces=ours.pieces, charsmap=ours.charsmap) == ours


@pytest.mark.parametrize("version", ["0.2.2", "0.2.1"])
@pytest.mark.parametrize("kind", ["bpe", "char", "word"])
def test_releases_before_train_the_same_pieces(kind: str, version: str, peers: Peers) -> None:
    """But for tabs, which they do not train on, and words that are user-defined."""
    lines = [line.rstrip("\n") for line in corpus("en_botchan", 200_000)]
    options = {"vocab_size": 1000, "hard_vocab_limit": False}
    now, _ = model_format.read(trained_by_sentencepiece(lines, kind, options))
    written = peers.get(version).train([line.encode() for line in lines], model_type=kind, **options)
    before, _ = model_format.read(written)
    assert list(before.pieces) == list(now.pieces)


# -- WordPiece


@pytest.mark.parametrize(
    ("name", "size", "options"),
    [
        ("en_novels", 2_000_000, {"vocab_size": 6000}),
        ("ja_aozora", 200_000, {"vocab_size": 4000, "min_frequency": 3}),
        ("udhr_all_languages", 300_000, {"vocab_size": 5000, "initial_alphabet": ["€"], "limit_alphabet": None}),
    ],
)
def test_wordpieces_are_those_of_tokenizers(name: str, size: int, options: dict[str, Any], tmp_path: Path) -> None:
    lines = corpus(name, size)
    skeleton, _ = wordpiece.read(b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n", lowercase=True)
    specials = WordPieceOptions().special_tokens
    tok = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    given = {key: value for key, value in options.items() if value is not None}
    tok.train_from_iterator(
        lines, trainers.WordPieceTrainer(special_tokens=list(specials), show_progress=False, **given)
    )
    ids = tok.get_vocab()
    wanted = sorted(ids, key=ids.__getitem__)
    # It gives ids to characters within words in the order of a hash table, which is another one each time.
    listed = [piece for piece in wanted if len(piece) == 3 and piece.startswith("##")]
    counter = _native.Counter(compiled(skeleton, 0), "chunks", [], 1)
    counter.add(lines)
    named = options | {"initial_alphabet": "".join(options.get("initial_alphabet", []))}
    made = wordpiece_spec(
        counter.take(), WordPieceOptions(**{"limit_alphabet": None, **named}, listed=tuple(listed)), skeleton
    )
    assert [made.pieces.piece(id) for id in range(len(made.pieces))] == wanted
    ours = Tokenizer(made)
    ap.convert(ours, tmp_path / "tokenizer.json", format="huggingface")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    same_ids(ours, lambda text: theirs.encode(text, add_special_tokens=False).ids, held_out())
