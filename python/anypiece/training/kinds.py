"""The kinds of vocabularies that can be trained: the options of each, how it prepares text, and its trainer."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from .. import _native
from ..errors import InputError
from .bpe import ByteBpeOptions, byte_bpe_spec, score_bpe_spec
from .bytepiece import BytePieceOptions, bytepiece_spec
from .lookup import char_spec, word_spec
from .options import PieceOptions
from .preparation import BytePieceText, ByteText, SentenceText, WordPieceText, prepared_sentences
from .unigram import unigram_spec
from .wordpiece import WordPieceOptions, wordpiece_spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..spec import Spec
    from .preparation import Preparation

    Report = Callable[[str, int, int], None]
    Chosen = dict[type, Any]
    Trainer = Callable[[_native.Words, Chosen, Spec, int, Report | None], Spec]

__all__ = ["KINDS", "Recipe", "chosen_options", "recipe_of"]


@dataclass(frozen=True)
class Recipe:
    """How one kind is trained."""

    options: tuple[type, ...]
    """Dataclasses whose fields are the options."""
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

    def names(self) -> list[str]:
        """All options."""
        return [field.name for options in self.options for field in fields(options)]


def _sentences(kind: str, trained: Callable[..., Spec], memory: float, alone: bool = False) -> Recipe:
    """A kind that SentencePiece has; the trainer may take threads and reports, or do ``alone`` without."""

    def run(words: _native.Words, chosen: Chosen, skeleton: Spec, threads: int, report: Report | None) -> Spec:
        options = chosen[PieceOptions]
        if alone:
            return trained(words, options, skeleton)
        return trained(words, options, skeleton, threads, report) if kind == "unigram" else trained(
            words, options, skeleton, report
        )  # fmt: skip

    def prepared(chosen: Chosen) -> Preparation:
        return prepared_sentences(kind, chosen[SentenceText], chosen[PieceOptions])

    needed = _unigram_needed if kind == "unigram" else None
    return Recipe((PieceOptions, SentenceText), prepared, run, memory, needed=needed)


def _unigram_needed(words: _native.Words, chosen: Chosen, threads: int) -> int:
    return _native.unigram_memory(words, json.dumps(chosen[PieceOptions].kernel()), threads)


KINDS: dict[str, Recipe] = {
    "unigram": _sentences("unigram", unigram_spec, 12.0),
    "bpe": _sentences("bpe", score_bpe_spec, 12.0),
    "char": _sentences("char", char_spec, 2.0, alone=True),
    "word": _sentences("word", word_spec, 4.0, alone=True),
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


def _unknown(kind: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    others = [other for other, recipe in KINDS.items() if name in recipe.names()]
    if others:
        return f"{name} is an option of {', '.join(others)}, not of {kind}. Leave it out."
    if near:
        return f"There is no option {name!r} for {kind}. Did you mean {near[0]!r}?"
    return f"There is no option {name!r} for {kind}; there are {', '.join(known)}."
