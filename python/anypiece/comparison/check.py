"""Check: whether two tokenizers give the same results, and if not, in what, how often, and a smallest text that shows it.

Equal fingerprints are a proof. Otherwise texts decide: the caller's, or texts made from both vocabularies, in which every
piece occurs at least once next to others. Ids, pieces, spans, special tokens and decoding are compared separately, so that a
harmless difference of one hides none of another. That finds differences; that there are none it can only make likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..loading import tokenizer_of
from ..tokenizer import Tokenizer
from .aspects import ASPECTS, Aspect, AspectName, Difference, compare_specials, compare_texts
from .fields import Field, differing_fields
from .texts import special_texts, strings, texts_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

__all__ = ["Aspect", "Check", "Difference", "Field", "check", "compared"]


@dataclass(frozen=True)
class Check:
    """What a check found. True where nothing that was asked for differs."""

    proved: bool
    """Whether that there is no difference follows from the Specs, for every text."""
    aspects: tuple[Aspect, ...]
    """What was asked for, one entry each."""
    fields: tuple[Field, ...] = ()
    """The fields of the two Specs that differ, whether that shows on the texts or not."""

    def __getitem__(self, name: str) -> Aspect:
        for aspect in self.aspects:
            if aspect.name == name:
                return aspect
        asked = ", ".join(aspect.name for aspect in self.aspects)
        raise InputError("argument-value", f"{name!r} was not compared; this check is of {asked}.", aspect=str(name))

    @property
    def difference(self) -> Difference | None:
        """The smallest text of the first aspect that differs."""
        return next((aspect.smallest for aspect in self.aspects if not aspect), None)

    @property
    def texts(self) -> int:
        """How many ordinary texts were compared."""
        return max((aspect.texts for aspect in self.aspects if aspect.name != "specials"), default=0)

    @property
    def compared(self) -> str:
        """What was compared, in words."""
        names = [aspect.name for aspect in self.aspects if aspect.name != "specials"]
        parts = (
            [f"{' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))} of {self.texts} texts"] if names else []
        )
        parts += [f"special tokens in {aspect.texts}" for aspect in self.aspects if aspect.name == "specials"]
        return ", ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """The check as JSON-ready values."""
        return {
            "same": bool(self),
            "proved": self.proved,
            "aspects": {aspect.name: aspect.to_json() for aspect in self.aspects},
            "fields": [field.to_json() for field in self.fields],
        }

    def __bool__(self) -> bool:
        return all(self.aspects)


def check(
    first: Tokenizer | str | os.PathLike[str],
    second: Tokenizer | str | os.PathLike[str],
    texts: Iterable[str] | None = None,
    *,
    only: Iterable[AspectName] | None = None,
) -> Check:
    """Compare what two tokenizers, or those of two files, make of texts.

    Five aspects are compared, each by itself: ``ids``; ``pieces``, as the vocabularies spell those ids; ``spans``;
    ``specials``, which is the special tokens of both, as text and parsed, what they are decoded to, and what
    ``add_special=True`` puts around a text; and ``decoding``, the text that both make of the ids of the first. For each the
    result says on how many texts it differs and has a smallest one, cut down until no character can be left out. ``only``
    compares some of them. Without ``texts`` they are made from both vocabularies: every piece next to others, and by itself.
    Which tokens are called bos, eos and pad counts only as far as that shows it.

    >>> import anypiece
    >>> tok = anypiece.load()
    >>> check(tok, tok).proved
    True
    >>> found = check(tok, tok.replace(add_dummy_prefix=False), ["rose", ""])
    >>> bool(found), found["ids"].differing, found["ids"].smallest.text, bool(found["specials"])
    (False, 1, 'e', True)
    >>> [field.name for field in found.fields]
    ['add_dummy_prefix']
    >>> check(tok, tok.replace(add_eos=False), ["a"], only=["specials"]).difference.what
    'ids around a text'
    """
    return compared(tokenizer_of(first), tokenizer_of(second), texts, _asked(only))


def _asked(only: Iterable[AspectName] | None) -> tuple[AspectName, ...]:
    if only is None:
        return ASPECTS
    given = [only] if isinstance(only, str) else list(only)
    wrong = [name for name in given if name not in ASPECTS]
    if wrong or not given:
        shown = f", not {wrong[0]!r}" if wrong else ""
        raise InputError("argument-value", f"only= takes some of {', '.join(ASPECTS)}{shown}.", only=str(given))
    return tuple(name for name in ASPECTS if name in given)


def compared(
    first: Tokenizer,
    second: Tokenizer,
    texts: Iterable[str] | None = None,
    names: Sequence[AspectName] = ASPECTS,
    *,
    both: bool = True,
) -> Check:
    """The check of some aspects, in that order. Without ``both`` it is no difference that the second finds more special
    tokens in text."""
    if first.fingerprint == second.fingerprint:
        return Check(True, tuple(Aspect(name, 0, 0) for name in names))
    listed: Iterable[str] = strings(texts) if texts is not None else ()
    ordinary: list[Aspect] = []
    if set(names) - {"specials"}:
        listed = _made(first, second) if texts is None else listed
        ordinary = compare_texts(first, second, list(listed), names)
    found = {aspect.name: aspect for aspect in ordinary}
    if "specials" in names:
        found["specials"] = compare_specials(first, second, both=both)
    return Check(False, tuple(found[name] for name in names), differing_fields(first.spec, second.spec))


def _made(first: Tokenizer, second: Tokenizer) -> list[str]:
    return [*texts_of(first, second), *special_texts(first, second)]
