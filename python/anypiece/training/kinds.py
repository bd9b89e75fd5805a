"""The kinds of vocabularies that can be trained: the options of each, how it prepares text, and its trainer."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .options import PieceOptions
from .preparation import SENTENCE_KINDS, SentenceText, prepared_sentences
from .unigram import unigram_spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import _native
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

    def names(self) -> list[str]:
        """All options."""
        return [field.name for options in self.options for field in fields(options)]


def _sentences(kind: str) -> Callable[[Chosen], Preparation]:
    return lambda chosen: prepared_sentences(kind, chosen[SentenceText], chosen[PieceOptions])


KINDS: dict[str, Recipe] = {
    "unigram": Recipe(
        (PieceOptions, SentenceText),
        _sentences("unigram"),
        lambda words, chosen, skeleton, threads, report: unigram_spec(
            words, chosen[PieceOptions], skeleton, threads, report
        ),
        memory=12.0,
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
