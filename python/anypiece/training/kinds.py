"""The kinds of vocabularies that can be trained: the options of each, how it prepares text, and its trainer."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .bpe import ByteBpeOptions, ScoreTies, byte_bpe_spec, score_bpe_spec
from .bytepiece import BytePieceOptions, bytepiece_spec
from .lookup import char_spec, word_spec
from .options import PieceOptions
from .preparation import BytePieceText, ByteText, SentenceText, WordPieceText, prepared_sentences
from .unigram import unigram_memory, unigram_spec
from .wordpiece import WordPieceOptions, wordpiece_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from .. import _native
    from ..spec import Spec
    from .preparation import Preparation

    Report = Callable[[str, int, int], None]
    Chosen = dict[type, Any]
    Trainer = Callable[[_native.Words, Chosen, Spec, int, Report | None], Spec]

__all__ = ["KINDS", "Recipe", "chosen_options", "needs_order", "recipe_of"]


@dataclass(frozen=True)
class Recipe:
    """How one kind is trained."""

    options: tuple[type, ...]
    """Dataclasses whose fields are the options: about the vocabulary, about text, and what one kind alone has."""
    prepared: Callable[[Chosen], Preparation]
    trained: Trainer
    memory: float
    """Bytes of memory that training takes for each byte of the table of words, about; measured on English and Japanese."""
    specials: str = "control_symbols"
    """The option that lists special tokens."""
    size: str = "vocab_size"
    """The option that says how many pieces there are to be."""
    needed: Callable[[_native.Words, Chosen, int], int] | None = None
    """How many bytes training takes, where that can be told beforehand."""

    @property
    def words_share(self) -> float:
        """How much of the memory allowed the words may take, so that training has the rest."""
        return 1 / (1 + self.memory)

    def is_about_text(self, given: Collection[str]) -> bool:
        """Whether one of these options is about text."""
        return any(field.name in given for field in fields(self.options[1]))

    def names(self) -> list[str]:
        """All options."""
        return [field.name for options in self.options for field in fields(options)]


def _sentences(kind: str, trained: Callable[..., Spec], memory: float, needed: Any = None) -> Recipe:
    """A kind that SentencePiece has."""
    return Recipe(
        (PieceOptions, SentenceText),
        lambda chosen: prepared_sentences(kind, chosen[SentenceText], chosen[PieceOptions]),
        lambda words, chosen, skeleton, threads, report: trained(
            words, chosen[PieceOptions], skeleton, threads, report
        ),
        memory,
        needed=needed,
    )


def _unigram_needed(words: _native.Words, chosen: Chosen, threads: int) -> int:
    return unigram_memory(words, chosen[PieceOptions], threads)


KINDS: dict[str, Recipe] = {
    "unigram": _sentences("unigram", unigram_spec, 12.0, _unigram_needed),
    "bpe": Recipe(
        (PieceOptions, SentenceText, ScoreTies),
        lambda chosen: prepared_sentences("bpe", chosen[SentenceText], chosen[PieceOptions]),
        lambda words, chosen, skeleton, _, report: score_bpe_spec(
            words, chosen[PieceOptions], skeleton, report, chosen[ScoreTies].ties
        ),
        memory=12.0,
    ),
    "char": _sentences("char", lambda words, options, skeleton, *_: char_spec(words, options, skeleton), 2.0),
    "word": _sentences("word", lambda words, options, skeleton, *_: word_spec(words, options, skeleton), 4.0),
    "byte-bpe": Recipe(
        (ByteBpeOptions, ByteText),
        lambda chosen: chosen[ByteText].prepared(chosen[ByteBpeOptions].specials),
        lambda words, chosen, skeleton, _, report: byte_bpe_spec(words, chosen[ByteBpeOptions], skeleton, report),
        memory=24.0,
        specials="specials",
    ),
    "wordpiece": Recipe(
        (WordPieceOptions, WordPieceText),
        lambda chosen: chosen[WordPieceText].prepared(),
        lambda words, chosen, skeleton, _, report: wordpiece_spec(words, chosen[WordPieceOptions], skeleton, report),
        memory=14.0,
        specials="special_tokens",
    ),
    "bytepiece": Recipe(
        (BytePieceOptions, BytePieceText),
        lambda chosen: chosen[BytePieceText].prepared(),
        lambda words, chosen, skeleton, _, report: bytepiece_spec(words, chosen[BytePieceOptions], skeleton, report),
        memory=28.0,
        size="max_vocab_size",
    ),
}


def recipe_of(kind: str) -> Recipe:
    """The recipe of a kind, or the error that lists them."""
    if kind not in KINDS:
        message = f"There is no kind {kind!r}; there are {', '.join(KINDS)}."
        raise InputError("train-option", message, option="kind", value=str(kind))
    return KINDS[kind]


def chosen_options(kind: str, given: dict[str, Any]) -> Chosen:
    """The options of a kind, checked; those not given have their defaults."""
    recipe = recipe_of(kind)
    known = recipe.names()
    given = {recipe.size if name == "vocab_size" else name: value for name, value in given.items()}
    for name in given:
        if name not in known:
            raise InputError("train-option", _unknown(kind, name, known), option=name)
    return {
        options: options(**{field.name: given[field.name] for field in fields(options) if field.name in given})
        for options in recipe.options
    }


def needs_order(chosen: Chosen) -> bool:
    """Whether these options need words that know where they were read first."""
    return any(getattr(options, "ties", None) == "first-seen" for options in chosen.values())


def _unknown(kind: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    others = [other for other, recipe in KINDS.items() if name in recipe.names()]
    if others:
        return f"{name} is an option of {', '.join(others)}, not of {kind}. Leave it out."
    if near:
        return f"There is no option {name!r} for {kind}. Did you mean {near[0]!r}?"
    return f"There is no option {name!r} for {kind}; there are {', '.join(known)}."
