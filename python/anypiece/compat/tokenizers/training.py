"""Training by the original's rules: texts are counted as words, and one function for each model makes a vocabulary."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _native
from ..._core.bridge import compiled
from ..._core.checks import REFUSALS, raise_native
from ...errors import AnyPieceError
from ...formats.huggingface.added import OFF
from ...formats.huggingface.stages import read_stages
from ...reference.unigram_training import finished
from ...spec import Kind, Pieces, Spec
from ...training.alphabet import kernel_options
from ...training.options import PieceOptions
from ...training.unigram import pruned_pieces
from .bpe_training import Bpe
from .component import Changes
from .engine import threads_wanted
from .models import BPE, Unigram, WordLevel, WordPiece
from .stage import letters, refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .tokenizer import Tokenizer

__all__ = ["file_lines", "flat_texts", "train", "train_parity"]

_SOME = 1000


def file_lines(files: Any) -> Iterator[str]:
    """The lines of files, with their ends."""
    for path in [files] if isinstance(files, str) else files:
        try:
            with open(path, encoding="utf-8", newline="\n") as lines:
                yield from lines
        except OSError as error:
            raise Exception(f"{error.strerror} (os error {error.errno})") from None


def flat_texts(iterator: Iterable[Any]) -> Iterator[str]:
    """Texts, or the texts of lists."""
    for item in iterator:
        if isinstance(item, str):
            yield item
        else:
            yield from item


def _words(tokenizer: Tokenizer, texts: Iterable[str]) -> tuple[Counter[str], bool]:
    """The pre-tokens of texts with their counts, and whether they are bytes that are written as characters."""
    sections = [None if part is None else part._json() for part in (tokenizer.normalizer, tokenizer.pre_tokenizer)]
    try:
        stages = read_stages(*sections)
        rows = [(bytes([byte]), -float(byte), Kind.NORMAL) for byte in range(256)]
        if stages.byte_level:
            spec = Spec(Pieces.of(rows), segmenter="bpe", symbols="bytes", **stages.settings(), **OFF)
        else:
            spec = Spec(Pieces.of([("?", 0.0, Kind.UNKNOWN)]), segmenter="word-level", **stages.settings(), **OFF)
        counter = _native.Counter(compiled(spec, 0), "chunks", [], threads_wanted())
    except AnyPieceError as error:
        raise refused(error) from None
    some: list[str] = []
    try:
        for text in texts:
            some.append(text)
            if len(some) >= _SOME:
                counter.add(some)
                some = []
        counter.add(some)
    except REFUSALS as error:
        raise_native(error)
    blob, offsets, counts = counter.take().columns()
    ends, numbers = np.frombuffer(offsets, "<u8").tolist(), np.frombuffer(counts, "<u8").tolist()
    named = letters if stages.byte_level else bytes.decode
    found = {named(blob[start:end]): count for (start, end), count in zip(pairwise(ends), numbers, strict=True)}
    return Counter(found), stages.byte_level


def train(tokenizer: Tokenizer, texts: Iterable[str], trainer: Any) -> None:
    """Train a tokenizer's model, and add the special tokens of its trainer."""
    trainer = tokenizer.model.get_trainer() if trainer is None else trainer
    kind = getattr(trainer, "MODEL", None)
    if kind is None:
        raise TypeError(f"'{type(trainer).__name__}' object is not an instance of 'Trainer'")
    if kind != tokenizer.model.KIND:
        raise Exception(f"{type(trainer).__name__} can only train a {kind}")
    words, byte_level = _words(tokenizer, texts)
    _TRAINERS[kind](tokenizer.model, words, trainer._options, byte_level)
    Changes.note()
    tokenizer.add_special_tokens(list(trainer._options["special_tokens"]))


def _names(options: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(token.content for token in options["special_tokens"] or ()))


def _bpe(model: Any, words: Counter[str], options: dict[str, Any], byte_level: bool) -> None:
    made = Bpe(words, _names(options), options)
    made.run(options["vocab_size"])
    _keep(model, made, options)


def _keep(model: BPE, made: Bpe, options: dict[str, Any]) -> None:
    for name in ("continuing_subword_prefix", "end_of_word_suffix"):
        model._fields[name] = options[name]
    model._hold(made.vocab)
    model._set_merges(made.named_merges())


def _wordpiece(model: WordPiece, words: Counter[str], options: dict[str, Any], byte_level: bool) -> None:
    made = Bpe(words, _names(options), options)
    made.run(options["vocab_size"])
    model._hold(made.vocab)
    model._fields["continuing_subword_prefix"] = options["continuing_subword_prefix"] or ""


def _word_level(model: WordLevel, words: Counter[str], options: dict[str, Any], byte_level: bool) -> None:
    rows = sorted(words.items(), key=lambda row: (-row[1], row[0]))
    listed = _names(options) + [word for word, count in rows if count >= options["min_frequency"]]
    names = list(dict.fromkeys(listed))[: options["vocab_size"]]
    model._hold({name: id for id, name in enumerate(names)})


def _unigram(model: Unigram, words: Counter[str], options: dict[str, Any], byte_level: bool) -> None:
    specials, unknown = _names(options), options["unk_token"]
    front = [unknown, *specials] if unknown is not None and unknown not in specials else specials
    wanted = options["vocab_size"] - len(front)
    if wanted <= 0:
        raise Exception("The vocab_size is too small for the special tokens.")
    settings = PieceOptions(
        vocab_size=max(wanted, 1),
        character_coverage=1.0,
        required_chars="".join(options["initial_alphabet"]),
        seed_sentencepiece_size=options["seed_size"],
        shrinking_factor=options["shrinking_factor"],
        num_sub_iterations=options["n_sub_iterations"],
        max_sentencepiece_length=options["max_piece_length"],
        split_by_unicode_script=False,
        split_by_number=False,
        split_by_whitespace=False,
        allow_whitespace_only_pieces=True,
        hard_vocab_limit=False,
        seed_prefixes=False,
    )
    rows = sorted(words.items())
    raw = [word.encode() for word, _ in rows]
    ends = np.cumsum([0, *map(len, raw)]).astype("<u8").tobytes()
    table = _native.Words(b"".join(raw), ends, np.array([count for _, count in rows], "<u8").tobytes())
    config, alphabet = kernel_options(table, settings, front)
    pieces, _ = pruned_pieces(table, config, threads_wanted())
    found = finished(pieces, [character for character, _ in alphabet], wanted)
    model._fields["unk_id"] = None if unknown is None else front.index(unknown)
    model._set_rows([(name, 0.0) for name in front] + found)


_TRAINERS = {"BPE": _bpe, "WordPiece": _wordpiece, "WordLevel": _word_level, "Unigram": _unigram}


def train_parity(trainer: Any, tokenizer: Tokenizer, texts: list[Any], dev: Any, ratio: Any) -> None:
    """Train BPE on several languages; see ``ParityBpeTrainer``."""
    options = {**trainer.__dict__, "initial_alphabet": trainer.initial_alphabet or [], "vocab_size": 0}
    ratio = trainer.ratio if ratio is None else ratio
    dev = None if dev is None else list(dev)
    for name, other in (("dev_iterators", dev), ("ratio", ratio)):
        if other is not None and len(other) != len(texts):
            raise ValueError(f"`train_iterators` and `{name}` must have the same length")
    if not isinstance(tokenizer.model, BPE):
        raise Exception("ParityBpeTrainer can only train a BPE")
    if trainer.total_symbols or trainer.global_merges:
        named = "total_symbols" if trainer.total_symbols else "global_merges"
        raise NotImplementedError(f"ParityBpeTrainer.{named} is not supported; leave it out.")
    counts = [_words(tokenizer, flat_texts(each))[0] for each in texts]
    held_out = counts if dev is None else [_words(tokenizer, flat_texts(each))[0] for each in dev]
    specials = [token if isinstance(token, str) else token.content for token in trainer.special_tokens or ()]
    made = Bpe(sum(counts, Counter()) + sum(held_out, Counter()), specials, options)
    made.run_by_language(trainer, counts, held_out, ratio)
    _keep(tokenizer.model, made, options)
    Changes.note()
    tokenizer.add_special_tokens(specials)
