"""What hypothesis draws: texts made of a Spec's own pieces and of trouble, their chunkings, and id sequences."""

from __future__ import annotations

from functools import wraps
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import strategies as st

from tests.support.adversarial import ALPHABETS, BAD_BYTES
from tests.support.vocabularies import alphabet

if TYPE_CHECKING:
    from collections.abc import Callable

    from anypiece.spec import Spec

__all__ = ["bad_bytes", "chunks_of", "ids_of", "raw_texts", "texts"]

Text = TypeVar("Text", str, bytes)

LONG = 40


def _kept(make: Callable[..., st.SearchStrategy[Any]]) -> Callable[..., st.SearchStrategy[Any]]:
    """A memoized strategy of a Spec: building and validating a strategy takes as long as several draws from it."""
    made: dict[tuple[int, ...], tuple[Spec, st.SearchStrategy[Any]]] = {}

    @wraps(make)
    def strategy(spec: Spec, *sizes: int) -> st.SearchStrategy[Any]:
        key = (id(spec), *sizes)
        if key not in made:
            made[key] = spec, make(spec, *sizes)  # the Spec is held, so its id is not given to another
        return made[key][1]

    return strategy


@_kept
def texts(spec: Spec, size: int = LONG) -> st.SearchStrategy[str]:
    """Strings: pieces glued together, runs of one of them, and any Unicode but surrogates.

    Splitters are about classes of characters: then only of such that this Python knows, as the reference asks it.
    """
    parts = st.sampled_from(alphabet(spec))
    trouble = st.sampled_from([item for items in ALPHABETS.values() for item in items])
    is_split = spec.symbols == "bytes" or spec.splitter is not None or bool(spec.split_rules)
    any_character = st.characters(exclude_categories=["Cs", "Cn"] if is_split else ["Cs"])
    runs = st.builds(lambda part, count: part * count, parts, st.integers(1, 30))
    part = st.one_of(parts, parts, parts, runs, trouble, any_character)
    return st.lists(part, max_size=size).map("".join)


@_kept
def bad_bytes(spec: Spec) -> st.SearchStrategy[bytes]:
    """Bytes of which some are not UTF-8."""
    good = st.sampled_from([part.encode() for part in alphabet(spec)])
    part = st.one_of(good, good, st.sampled_from(BAD_BYTES), st.binary(min_size=1, max_size=3))
    return st.lists(part, max_size=LONG).map(b"".join)


@_kept
def raw_texts(spec: Spec) -> st.SearchStrategy[str | bytes]:
    """Either."""
    return st.one_of(texts(spec), texts(spec), bad_bytes(spec))


@st.composite
def chunks_of(draw: st.DrawFn, whole: st.SearchStrategy[Text]) -> list[Text]:
    """A text cut anywhere, empty parts included; often into single characters or bytes."""
    text = draw(whole)
    if draw(st.booleans()):
        return [text[at : at + 1] for at in range(len(text))]
    cuts: list[int] = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    edges = [0, *cuts, len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


@_kept
def ids_of(spec: Spec) -> st.SearchStrategy[list[int]]:
    """Ids of the vocabulary, half of them from its last pieces or its bytes, where runs matter."""
    size = len(spec.pieces)
    return st.lists(st.one_of(st.integers(0, size - 1), st.integers(max(0, size - 20), size - 1)), max_size=LONG)
