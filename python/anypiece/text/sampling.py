"""Sampling: stochastic segmentation, as one function of the text, ``alpha``, the method and the seed.

Each unit of a text has random numbers of its own, keyed by (seed, index, epoch) and its place, so that a draw does not
depend on threads, batches, workers or what was drawn before. The methods are described in ``docs/algorithms/sampling.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from .. import _native
from .._core.calls import Bound, call, call_batch, counts_characters, trimmed
from .._core.checks import REFUSALS, checked_threads
from .._core.columns import id_column, texts_of
from ..errors import InputError
from ..lattice.lattice import Lattice, Paths, checked_alpha, checked_key, checked_paths
from ..results import Batch, framed, tokens_of
from .encoding import frame_ids, framed_tokens
from .specials import TEXT, batch_permit, permit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from .._core.calls import Unit
    from .._core.columns import Column, Out
    from .._native import ArrowColumn
    from ..results import Token
    from ..tokenizer import Tokenizer
    from .specials import AddSpecial, Specials

__all__ = [
    "METHODS",
    "NBEST",
    "Method",
    "Sampler",
    "lattice",
    "nbest",
    "sample",
    "sample_array",
    "sample_batch",
    "sample_spans",
]

Method = Literal["lattice", "nbest", "viterbi", "reservoir", "dropout"]
METHODS = ("lattice", "nbest", "viterbi", "reservoir", "dropout")
"""Their names."""
NBEST = 64
"""How many paths the method ``"nbest"`` draws from."""
# More paths than that are always found in the lattice.
_QUICK = 1024


@dataclass(frozen=True)
class Sampler:
    """Draws for training: the ids of a text in an epoch, by the text's index in the data set.

    Picklable, and without state: workers of a loader may draw in any order.

    >>> import anypiece
    >>> sampler = anypiece.load().sampler(0.1, seed=7)
    >>> first, again = sampler("Hello world", index=3), sampler("Hello world", index=3)
    >>> first == again, [sampler("Hello world", index=3, epoch=e) == first for e in range(3)][0]
    (True, True)
    """

    tokenizer: Tokenizer
    alpha: float
    seed: int
    method: Method = "lattice"
    nbest: int = NBEST
    add_special: AddSpecial = False

    def __post_init__(self) -> None:
        """Refuse what no text could be drawn with, instead of at the first draw."""
        self("", index=0)

    def __call__(self, text: str | bytes, *, index: int, epoch: int = 0) -> list[int]:
        """The ids of ``text`` as the ``index``-th of the data, in an epoch."""
        return self.tokenizer.sample(
            text,
            self.alpha,
            seed=self.seed,
            method=self.method,
            nbest=self.nbest,
            epoch=epoch,
            index=index,
            add_special=self.add_special,
        )

    def batch(
        self, texts: Iterable[str | bytes] | Column, *, index: int, epoch: int = 0, threads: int | None = None
    ) -> Batch:
        """The ids of texts that follow each other in the data; ``index`` is that of the first."""
        return self.tokenizer.sample_batch(
            texts,
            self.alpha,
            seed=self.seed,
            method=self.method,
            nbest=self.nbest,
            epoch=epoch,
            index=index,
            threads=threads,
            add_special=self.add_special,
        )


def lattice(tokenizer: Tokenizer, text: str | bytes, specials: Specials) -> Lattice:
    """See ``Tokenizer.lattice``."""
    permitted, chars = permit(tokenizer, text, specials), counts_characters(text, None)
    return Lattice(tokenizer, call(Bound(_native.lattice, tokenizer._kernel), text, chars, permitted))


def nbest(tokenizer: Tokenizer, text: str | bytes, n: int, specials: Specials) -> Paths:
    """See ``Tokenizer.nbest``."""
    if type(n) is int and 1 <= n <= _QUICK and specials is TEXT:
        try:
            found = _native.nbest(tokenizer._kernel, text, n)
        except REFUSALS:  # found out about below
            found = None
        if found is not None:
            words, count = found
            return Paths(words, count, (tokenizer, text))
    return lattice(tokenizer, text, specials).nbest(n)


def sample(
    tokenizer: Tokenizer,
    text: str | bytes,
    alpha: float,
    seed: int,
    method: Method,
    nbest: int,
    epoch: int,
    index: int,
    specials: Specials,
    add_special: AddSpecial,
) -> list[int]:
    """See ``Tokenizer.sample``."""
    found = sample_array(tokenizer, text, alpha, seed, method, nbest, epoch, index, specials, add_special)
    return cast("list[int]", found.tolist())


def sample_array(
    tokenizer: Tokenizer,
    text: str | bytes,
    alpha: float,
    seed: int,
    method: Method,
    nbest: int,
    epoch: int,
    index: int,
    specials: Specials,
    add_special: AddSpecial,
) -> NDArray[np.uint32]:
    """See ``Tokenizer.sample_array``."""
    if specials is TEXT and method != "nbest" and add_special is False:
        try:
            return _native.sample_ordinary(tokenizer._kernel, text, method, alpha, seed, epoch, index)
        except REFUSALS:  # looked at below
            pass
    (value, paths), key = _checked(method, alpha, nbest), checked_key(seed, epoch, index)
    permitted = permit(tokenizer, text, specials)
    before, after = frame_ids(tokenizer, add_special)
    found: NDArray[np.uint32] = call(
        Bound(_native.sample, tokenizer._kernel), text, method, value, key, permitted, paths
    )
    return np.concatenate([before, found, after], dtype=np.uint32, casting="unsafe") if before or after else found


def sample_spans(
    tokenizer: Tokenizer,
    text: str | bytes,
    alpha: float,
    unit: Unit | None,
    seed: int,
    method: Method,
    nbest: int,
    epoch: int,
    index: int,
    specials: Specials,
    add_special: AddSpecial,
) -> list[Token]:
    """See ``Tokenizer.sample_spans``."""
    (value, paths), key = _checked(method, alpha, nbest), checked_key(seed, epoch, index)
    chars = counts_characters(text, unit)
    permitted = permit(tokenizer, text, specials)
    bound = Bound(_native.sample_spans, tokenizer._kernel)
    before, after = frame_ids(tokenizer, add_special)
    rows, lost = call(bound, text, method, value, key, chars, permitted, paths)
    return framed_tokens(tokenizer, text, chars, tokens_of(trimmed(tokenizer.spec, rows, chars), lost), before, after)


def sample_batch(
    tokenizer: Tokenizer,
    texts: Iterable[str | bytes] | Column,
    alpha: float,
    seed: int,
    method: Method,
    nbest: int,
    epoch: int,
    index: int,
    threads: int | None,
    specials: Specials,
    add_special: AddSpecial,
    out: Out = None,
) -> Batch | ArrowColumn:
    """See ``Tokenizer.sample_batch``."""
    given = texts_of(texts, out)
    (value, paths), key = _checked(method, alpha, nbest), checked_key(seed, epoch, index)
    permitted = batch_permit(tokenizer, given, specials)
    bound = Bound(_native.sample_batch, tokenizer._kernel)
    before, after = frame_ids(tokenizer, add_special)
    found = call_batch(bound, given, method, value, key, checked_threads(threads), permitted, paths)
    batch = framed(Batch(*found), before, after, reverse=False)
    return batch if out is None else id_column(batch.ids, batch.offsets, given)


def _checked(method: object, alpha: object, nbest: object) -> tuple[float, int]:
    """``alpha``, and how many paths a draw is from, where that counts."""
    if method not in METHODS:
        raise InputError("argument-value", f"method must be one of {', '.join(METHODS)}.", argument="method")
    value = checked_alpha(alpha, 1.0 if method == "dropout" else math.inf)
    return value, checked_paths(nbest, "nbest") if method == "nbest" else 1
