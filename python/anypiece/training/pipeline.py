"""From a corpus, or from counts of words, to a tokenizer."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _native
from .._core import memory
from .._core.checks import checked_threads, raise_native
from ..corpus.readers import Corpus
from ..errors import FormatError, InputError
from ..spec import SPACE_MARK, Sample
from ..tokenizer import Tokenizer
from .kinds import chosen_options, needs_order, recipe_of
from .options import PieceOptions
from .words import WordCounts, counted, is_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..corpus.readers import Format, Source

__all__ = ["Plan", "count_words", "counts_for", "plan_of", "train", "trained"]


def count_words(
    corpus: Source,
    kind: str = "unigram",
    *,
    format: Format | None = None,
    field: str = "text",
    whole: bool = False,
    input_sentence_size: int = 0,
    shuffle_input_sentence: bool = True,
    seed: int = 0,
    threads: int | None = None,
    max_memory: int | str | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> WordCounts:
    """The distinct words of a corpus with their counts, as a vocabulary of ``kind`` will see them.

    ``corpus`` is a path, a glob, ``-``, an iterable of path objects, or an iterable of texts; ``format``, ``field``,
    ``whole``, ``input_sentence_size``, ``shuffle_input_sentence`` and ``seed`` are those of
    ``anypiece.corpus.readers.Corpus``: what files hold, and how many texts are taken of it. ``options`` are those of
    ``train`` that are about text; with ``ties="first-seen"`` the table also has where each word was first read. With
    ``max_memory`` (``"2GB"``) parts are written to a temporary folder and merged; with ``out`` the table is written to a
    file as well, all of it. ``progress`` is called with a stage, how much is done, and of how much.

    >>> import anypiece as ap
    >>> ap.count_words(["a rose is a rose"]).most_common(1)
    [('▁a', 2)]
    """
    chosen = chosen_options(kind, options)
    preparation = recipe_of(kind).prepared(chosen)
    read = Corpus(corpus, format, field, whole, input_sentence_size, shuffle_input_sentence, seed)
    return counted(
        read, preparation, threads=threads, max_memory=max_memory, out=out, report=progress, ordered=needs_order(chosen)
    )


class Plan(NamedTuple):
    """What training is going to take."""

    words: int
    bytes: int
    """Of memory, at most, about."""

    def __str__(self) -> str:
        return f"{self.words} distinct words; training takes about {memory.shown(self.bytes)} of memory"


def plan_of(counts: WordCounts, *, threads: int | None = None, **options: Any) -> Plan:
    """The memory that training from these counts takes."""
    kind = counts.preparation.kind
    recipe, chosen = recipe_of(kind), chosen_options(kind, options)
    if recipe.needed is None:
        return Plan(len(counts), memory.held() + int(counts.words.size * recipe.memory))
    try:
        return Plan(len(counts), memory.held() + recipe.needed(counts.words, chosen, checked_threads(threads)))
    except _native.NativeError as error:
        raise_native(error)


def train(
    corpus: Source | WordCounts,
    kind: str | None = None,
    *,
    format: Format | None = None,
    field: str = "text",
    whole: bool = False,
    input_sentence_size: int = 0,
    shuffle_input_sentence: bool = True,
    seed: int = 0,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> Tokenizer:
    """Train a tokenizer on a corpus, or on counts of words.

    ``kind`` is ``"unigram"`` (the default) or another of ``anypiece.training.KINDS``; ``options`` are its options, under the
    names that SentencePiece has for them where it has them: ``vocab_size``, ``character_coverage``, ``byte_fallback`` and so
    on. The result depends on the counts of the words and the options alone, not on ``threads``, the order of the corpus or
    how it was cut into files. With ``ties="first-seen"`` (``bpe`` and ``byte-bpe``) the order counts, too: of pairs with one
    count the one that stands first in the corpus is merged first. With ``input_sentence_size`` a random sample
    of that many texts is taken, the same ones for the same ``seed``, or the first without ``shuffle_input_sentence``; which
    these are depends on the order. With ``max_memory`` counting goes through a temporary folder, and the rarest words are
    left out where not all fit.

    >>> import anypiece as ap
    >>> tok = ap.train(["low lower lowest", "new newer newest"] * 10, vocab_size=18)
    >>> tok.encode_pieces("lower slow")
    ['▁lower', '▁', 's', 'l', 'o', 'w']
    """
    counts = counts_for(
        corpus, kind, format=format, field=field, whole=whole, input_sentence_size=input_sentence_size,
        shuffle_input_sentence=shuffle_input_sentence, seed=seed, threads=threads, max_memory=max_memory, progress=progress,
        **options,
    )  # fmt: skip
    return trained(counts, kind, threads=threads, progress=progress, **options)


def counts_for(
    corpus: Source | WordCounts,
    kind: str | None = None,
    *,
    format: Format | None = None,
    field: str = "text",
    whole: bool = False,
    input_sentence_size: int = 0,
    shuffle_input_sentence: bool = True,
    seed: int = 0,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> WordCounts:
    """What ``train`` trains from: counts as they are, a table that is read, or a corpus that is counted.

    Of a limit of memory so much is taken that training has the rest.
    """
    is_counted = isinstance(corpus, WordCounts) or (isinstance(corpus, (str, os.PathLike)) and is_table(corpus))
    if is_counted and input_sentence_size:
        message = "The words are counted already, so that no texts can be chosen. Leave input_sentence_size out."
        raise InputError("train-option", message, option="input_sentence_size")
    if isinstance(corpus, WordCounts):
        return corpus
    if isinstance(corpus, (str, os.PathLike)) and is_counted:
        return _read_table(corpus, max_memory)
    kind = kind or "unigram"
    recipe = recipe_of(kind)
    chosen = chosen_options(kind, options)  # a wrong option is better known before counting
    return counted(
        Corpus(corpus, format, field, whole, input_sentence_size, shuffle_input_sentence, seed),
        recipe.prepared(chosen),
        threads=threads,
        max_memory=max_memory,
        report=progress,
        share=recipe.words_share,
        ordered=needs_order(chosen),
    )


def _read_table(path: str | os.PathLike[str], max_memory: int | str | None) -> WordCounts:
    if max_memory is None:
        return WordCounts.load(path)
    share = recipe_of(WordCounts.kind_of(path)).words_share
    return WordCounts.load(path, max(0, int((memory.size_of(max_memory) - memory.held()) * share)))


def trained(
    counts: WordCounts,
    kind: str | None = None,
    *,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> Tokenizer:
    """The tokenizer that counts of words give. Options about text that are not given are those of the counts."""
    kind = kind or counts.preparation.kind
    recipe, chosen = recipe_of(kind), chosen_options(kind, options)
    if not counts.preparation.fits(recipe.prepared(chosen), recipe.is_about_text(options)):
        message = (
            f"The words were counted for {counts.preparation.kind} with other settings than those asked for now: of spaces, "
            "text, special tokens or symbols. Count them again with these options, or leave such options out."
        )
        raise FormatError("words-differ", message, kind=counts.preparation.kind)
    counts.refuse_empty()
    if needs_order(chosen) and not counts.ordered:
        message = (
            'ties="first-seen" needs the order in which the words were read, and they were counted without it. Count them '
            'again with ties="first-seen".'
        )
        raise FormatError("words-differ", message, option="ties")
    spec = recipe.trained(counts.words, chosen, counts.preparation.skeleton, checked_threads(threads), progress)
    tokenizer = Tokenizer(spec)
    amount = getattr(chosen.get(PieceOptions), "self_test_sample_size", 0)
    return tokenizer.replace(samples=_samples(tokenizer, counts, amount)) if amount else tokenizer


def _samples(tokenizer: Tokenizer, counts: WordCounts, amount: int) -> tuple[Sample, ...]:
    """Words from all over the table with the pieces that they become: what the file is tested with when it is loaded."""
    step = max(1, len(counts) // amount)
    words = (word.decode("utf-8", "replace") for word, _ in itertools.islice(counts.items(), 0, None, step))
    texts = (word.replace(SPACE_MARK, " ").strip() for word in words)
    good = (text for text in texts if text)
    return tuple(Sample(text, tuple(tokenizer.encode_pieces(text))) for text in itertools.islice(good, amount))
