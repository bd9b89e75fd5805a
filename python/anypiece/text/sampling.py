"""Sampling: encoding by chance, as one function of the text, ``alpha``, the method and the seed.

Each unit of a text has random numbers of its own, keyed by (seed, index, epoch) and its place, so that a draw does not
depend on threads, batches, workers or what was drawn before. The methods are described in ``docs/algorithms/sampling.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _native
from .._core.calls import call, call_batch, counts_characters, trimmed
from .._core.checks import REFUSALS, checked_text, checked_threads, listed_texts
from .._core.vocabulary import Content
from .._native import sample_ordinary
from ..errors import InputError
from ..lattice.lattice import Lattice, Paths, checked_alpha, checked_key, checked_paths
from ..results import Batch, tokens_of
from .specials import TEXT, checked_specials, raise_special

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from .._core.calls import Unit
    from ..results import Token
    from ..tokenizer import Tokenizer
    from .specials import Permit, Specials

__all__ = ["Method", "Sampler", "Sampling"]

Method = Literal["lattice", "nbest", "viterbi", "reservoir", "dropout"]
_METHODS = ("lattice", "nbest", "viterbi", "reservoir", "dropout")
_NBEST = 64
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
    nbest: int = _NBEST

    def __post_init__(self) -> None:
        """Refuse what no text could be drawn with, instead of at the first draw."""
        self("", index=0)

    def __call__(self, text: str | bytes, *, index: int, epoch: int = 0) -> list[int]:
        """The ids of ``text`` as the ``index``-th of the data, in an epoch."""
        return self.tokenizer.sample(
            text, self.alpha, seed=self.seed, method=self.method, nbest=self.nbest, epoch=epoch, index=index
        )

    def batch(self, texts: Iterable[str | bytes], *, index: int, epoch: int = 0, threads: int | None = None) -> Batch:
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
        )


class Sampling(Content):
    """What a Tokenizer can do with the lattice of a text."""

    __slots__ = ()

    def lattice(self, text: str | bytes, *, specials: Specials = "text") -> Lattice:
        """All segmentations of ``text`` at once: edges, best paths, draws, marginals, entropy.

        BPE vocabularies have one too, of all pieces that fit, with no scores; ``viterbi`` is then what merging gives.
        Refused with ``lattice-unsupported`` where pieces do not lie side by side, and with ``lattice-too-large`` beyond
        16 MB of text.

        >>> import anypiece
        >>> anypiece.load().lattice("Hello").viterbi().ids == anypiece.load().encode("Hello")
        True
        """
        permit, chars = self._permit(text, specials), counts_characters(text, None)
        tokenizer: Any = self
        return Lattice(tokenizer, call(_Bound(_native.lattice, self._kernel), text, chars, permit))

    def nbest(self, text: str | bytes, n: int, *, specials: Specials = "text") -> Paths:
        """The ``n`` segmentations of highest score, the best first; see ``Lattice.nbest``.

        The first has the highest exact score. ``encode`` compares rounded sums, as SentencePiece does, and of segmentations
        closer than the rounding it may take another.

        >>> import anypiece
        >>> tok = anypiece.load()
        >>> tok.nbest("Hello", 2)[0].ids == tok.encode("Hello")
        True
        """
        if type(n) is int and 1 <= n <= _QUICK and specials is TEXT:
            try:
                found = _native.nbest(self._kernel, text, n)
            except REFUSALS:  # found out about below
                found = None
            if found is not None:
                tokenizer: Any = self
                words, count = found
                return Paths(words, count, (tokenizer, text))
        return self.lattice(text, specials=specials).nbest(n)

    def sample(
        self,
        text: str | bytes,
        alpha: float = 0.1,
        *,
        seed: int,
        method: Method = "lattice",
        nbest: int = _NBEST,
        epoch: int = 0,
        index: int = 0,
        specials: Specials = "text",
    ) -> list[int]:
        """The ids of ``text`` by a segmentation that is drawn at random.

        ``method`` is ``"lattice"``: exactly by the weight ``exp(alpha * score)``, 0 for all alike, infinity for ``encode``;
        ``"nbest"``: the same among the ``nbest`` best ones; ``"viterbi"`` and ``"reservoir"``: see
        ``docs/algorithms/sampling.md``; ``"dropout"``: for BPE, each merge is passed over with probability ``alpha``.
        The same arguments give the same ids, anywhere.

        >>> import anypiece
        >>> tok = anypiece.load()
        >>> draws = {tuple(tok.sample("Hello world", 0.1, seed=seed)) for seed in range(20)}
        >>> len(draws) > 3, all(tok.decode(ids) == "Hello world" for ids in draws)
        (True, True)
        """
        ids: list[int] = self.sample_array(
            text, alpha, seed=seed, method=method, nbest=nbest, epoch=epoch, index=index, specials=specials
        ).tolist()
        return ids

    def sample_array(
        self,
        text: str | bytes,
        alpha: float = 0.1,
        *,
        seed: int,
        method: Method = "lattice",
        nbest: int = _NBEST,
        epoch: int = 0,
        index: int = 0,
        specials: Specials = "text",
    ) -> NDArray[np.uint32]:
        """Like ``sample``, as a uint32 array."""
        if specials is TEXT and method != "nbest":
            try:
                return sample_ordinary(self._kernel, text, method, alpha, seed, epoch, index)
            except REFUSALS:  # looked at below
                pass
        (value, paths), key = _checked(method, alpha, nbest), checked_key(seed, epoch, index)
        permit = self._permit(text, specials)
        return call(_Bound(_native.sample, self._kernel), text, method, value, key, permit, paths)

    def sample_spans(
        self,
        text: str | bytes,
        alpha: float = 0.1,
        unit: Unit | None = None,
        *,
        seed: int,
        method: Method = "lattice",
        nbest: int = _NBEST,
        epoch: int = 0,
        index: int = 0,
        specials: Specials = "text",
    ) -> list[Token]:
        """What ``sample`` gives for the same arguments, each token with its place in the text, as ``encode_spans`` has it.

        >>> import anypiece
        >>> tokens = anypiece.load().sample_spans("Hello", 0.1, seed=3)
        >>> tokens[0].start, tokens[-1].end
        (0, 5)
        """
        (value, paths), key = _checked(method, alpha, nbest), checked_key(seed, epoch, index)
        chars = counts_characters(text, unit)
        permit = self._permit(text, specials)
        rows, lost = call(_Bound(_native.sample_spans, self._kernel), text, method, value, key, chars, permit, paths)
        return tokens_of(trimmed(self.spec, rows, chars), lost)

    def sample_batch(
        self,
        texts: Iterable[str | bytes],
        alpha: float = 0.1,
        *,
        seed: int,
        method: Method = "lattice",
        nbest: int = _NBEST,
        epoch: int = 0,
        index: int = 0,
        threads: int | None = None,
        specials: Specials = "text",
    ) -> Batch:
        """The draws of many texts: that of the n-th is ``sample`` with the index ``index + n``.

        >>> import anypiece
        >>> tok = anypiece.load()
        >>> batch = tok.sample_batch(["Hello", "world"], 0.1, seed=7)
        >>> batch[1].tolist() == tok.sample("world", 0.1, seed=7, index=1)
        True
        """
        listed = listed_texts(texts)
        (value, paths), key = _checked(method, alpha, nbest), checked_key(seed, epoch, index)
        permit = self._batch_permit(listed, specials)
        bound = _Bound(_native.sample_batch, self._kernel)
        found = call_batch(bound, listed, method, value, key, checked_threads(threads), permit, paths)
        return Batch(*found)

    def sampler(self, alpha: float = 0.1, *, seed: int, method: Method = "lattice", nbest: int = _NBEST) -> Sampler:
        """A ``Sampler`` with these settings, for data loaders. Refused here where ``sample`` would refuse them."""
        tokenizer: Any = self
        return Sampler(tokenizer, alpha, seed, method, nbest)

    # -- what may be found in a text

    def _permit(self, text: str | bytes, specials: Specials) -> Permit:
        """What ``specials`` permits to be found in ``text``; refuses the text if it holds what is forbidden."""
        if not isinstance(text, (str, bytes)):
            checked_text(text)
        return None if specials is TEXT else self._batch_permit([text], specials)

    def _batch_permit(self, texts: Sequence[str | bytes], specials: Specials) -> Permit:
        """The same for many texts."""
        specials = checked_specials(specials)
        if specials == "text":
            return None
        if specials == "parse":
            return True if len(self.spec.added) else None
        numbers, permit = self._allowed(specials)
        found = call_batch(_Bound(_native.forbidden, self._kernel), texts, numbers)
        if found is not None:
            number, name, start = found
            raise_special(texts[number], name, start, self._kernel.lone_surrogate)
        return permit


def _checked(method: object, alpha: object, nbest: object) -> tuple[float, int]:
    """``alpha``, and how many paths a draw is from, where that counts."""
    if method not in _METHODS:
        raise InputError("argument-value", f"method must be one of {', '.join(_METHODS)}.", argument="method")
    value = checked_alpha(alpha, 1.0 if method == "dropout" else math.inf)
    return value, checked_paths(nbest, "nbest") if method == "nbest" else 1


class _Bound:
    """A native function of a kernel and a text as one of the text alone, as calls are made."""

    __slots__ = ("__self__", "_function")

    def __init__(self, function: Any, kernel: _native.Tokenizer) -> None:
        self._function = function
        self.__self__ = kernel

    def __call__(self, *arguments: Any) -> Any:
        return self._function(self.__self__, *arguments)
