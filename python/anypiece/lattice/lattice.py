"""The lattice of a text: every piece that fits somewhere, with its score, and what follows from that.

A path from the beginning to the end is one way to segment the text. At inverse temperature ``alpha`` a path has the weight
``exp(alpha * score)``: 1 is the vocabulary's own distribution, 0 makes all paths alike, infinity leaves the best. Places are
bytes of ``Lattice.normalized``; ``Lattice.places`` says which characters of ``Lattice.shown`` those are. The theory is in
``docs/algorithms/lattice.md``.
"""

from __future__ import annotations

import math
import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._core.checks import char_positions, checked_count, checked_integer, raise_native
from ..errors import InputError
from ..report import fragment, paragraph
from ..results import Batch, KeepsBytes
from ..spec import SPACE_MARK
from .paths import Path, Paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .. import _native
    from ..tokenizer import Tokenizer

__all__ = ["Edge", "Lattice", "Path", "Paths", "checked_alpha", "checked_key", "checked_paths"]

_MOST_PATHS = 1_000_000
_METHODS = ("lattice", "viterbi", "reservoir")
_LARGEST_ALPHA = 1e100
_MASK = 2**64 - 1
_BAD = re.compile("[\udc80-\udcff]")


class _Edge(NamedTuple):
    id: int
    piece: str
    """The piece; for an unknown character the character."""
    start: int
    end: int
    score: float
    source: tuple[int, int]
    """Where it is from in the text: characters of a ``str``, bytes of ``bytes``."""


class Edge(KeepsBytes, _Edge):
    """A piece at a place of the normalized text. A tuple; ``piece_bytes`` is an attribute besides."""


class Lattice:
    """All segmentations of a text at once. Made by ``Tokenizer.lattice``; never changes.

    >>> import anypiece
    >>> lattice = anypiece.load().lattice("Hello")
    >>> [lattice.edges[number].piece for number in lattice.viterbi().edges]
    ['▁', 'Hello']
    >>> 0 < lattice.entropy() < lattice.entropy(0)
    True
    """

    __slots__ = ("__dict__", "_native", "_tokenizer")

    def __init__(self, tokenizer: Tokenizer, native: _native.Lattice) -> None:
        self._tokenizer = tokenizer
        self._native = native

    def __len__(self) -> int:
        """How many edges there are."""
        return len(self._native)

    def __repr__(self) -> str:
        return f"<Lattice of {len(self.normalized)} bytes, {len(self)} edges, {len(self.bounds) - 1} units>"

    # -- what it is made of

    @cached_property
    def normalized(self) -> bytes:
        """The text that is segmented: normalized, with a space for each ``▁``."""
        return self._native.normalized()

    @cached_property
    def shown(self) -> str:
        """The text that is segmented as ``Tokenizer.normalize`` shows it: ``▁`` for a space that is one to the vocabulary,
        U+FFFD for each byte that is not UTF-8. Rules that split text (``Spec.split_rules``), and special tokens found in it,
        may leave spaces out or put marks in, which ``normalize`` does not do.

        >>> import anypiece
        >>> tok = anypiece.load()
        >>> lattice = tok.lattice("é b")
        >>> lattice.normalized, lattice.shown == tok.normalize("é b")
        (b' \\xc3\\xa9 b', True)
        """
        marked = self.normalized.replace(b" ", SPACE_MARK.encode()) if self.has_space_marks else self.normalized
        return _BAD.sub("\ufffd", marked.decode("utf-8", "surrogateescape"))

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """For each place of ``normalized``, its end included, the character of ``shown`` that begins there or has it inside.

        >>> import anypiece
        >>> lattice = anypiece.load().lattice("é b")
        >>> edge = lattice.edges[lattice.viterbi().edges[0]]
        >>> edge.piece == lattice.shown[lattice.places[edge.start] : lattice.places[edge.end]]
        True
        """
        try:
            self.normalized.decode()
        except UnicodeDecodeError:
            # A byte that is not UTF-8 is one character.
            text = self.normalized.decode("utf-8", "surrogateescape")
            lengths = [len(character.encode("utf-8", "surrogateescape")) for character in text]
            return np.append(np.repeat(np.arange(len(text)), lengths), len(text))
        return char_positions(self.normalized)

    @cached_property
    def bounds(self) -> NDArray[np.uint32]:
        """The places that every path goes through: 0, and the ends of units."""
        return self._native.bounds()

    @cached_property
    def starts(self) -> NDArray[np.uint32]:
        """Where each edge begins. Edges are sorted by their ends, and then by this."""
        return self._columns[0]

    @cached_property
    def ends(self) -> NDArray[np.uint32]:
        """Where each edge ends."""
        return self._columns[1]

    @cached_property
    def ids(self) -> NDArray[np.uint32]:
        """The piece of each edge; the unknown piece for a character that no piece covers."""
        return self._columns[2]

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """What each edge adds to the score of a path: 0 where a vocabulary has no probabilities."""
        return self._native.scores()

    @cached_property
    def edges(self) -> list[Edge]:
        """The edges one by one."""
        rows = zip(self.ids.tolist(), self.starts.tolist(), self.ends.tolist(), self.scores.tolist(), strict=True)
        sources = zip(self._columns[3].tolist(), self._columns[4].tolist(), strict=True)
        return [
            self._edge(self._piece(id, start, end), id, start, end, score, source)
            for (id, start, end, score), source in zip(rows, sources, strict=True)
        ]

    @cached_property
    def _columns(self) -> Sequence[NDArray[np.uint32]]:
        return self._native.columns()

    def _piece(self, id: int, start: int, end: int) -> bytes:
        tokenizer = self._tokenizer
        if id != tokenizer.unk_id and id < tokenizer.vocab_size:
            return tokenizer.id_to_bytes(id)
        shown = self.normalized[start:end]
        return shown.replace(b" ", SPACE_MARK.encode()) if self.has_space_marks else shown

    def _edge(self, piece: bytes, id: int, start: int, end: int, score: float, source: tuple[int, int]) -> Edge:
        edge = Edge(id, piece.decode("utf-8", "replace"), start, end, score, source)
        return edge.with_bytes(piece) if "\ufffd" in edge.piece else edge

    @property
    def is_scored(self) -> bool:
        """Whether some paths are better than others: only a unigram vocabulary has probabilities."""
        return self._tokenizer.spec.segmenter == "unigram"

    @property
    def has_space_marks(self) -> bool:
        """Whether a space of ``normalized`` is a ``▁`` to the vocabulary."""
        return self._tokenizer.spec.escape_whitespaces

    # -- paths

    def viterbi(self) -> Path:
        """The path that encoding takes."""
        return self._path(self._native.best())

    def nbest(self, n: int) -> Paths:
        """The ``n`` paths of highest score, the best first; all of them if there are fewer.

        Scores are exact sums, so that the first has the highest; where another is nearly as good, ``viterbi`` may be that
        other one, since encoding compares rounded sums.

        Different paths can have the same ids where neighbouring unknowns become one. At most 16,777,216 partial paths are
        kept at once (256 MB); what needs more is refused with ``lattice-too-large``. A ``Path`` is made when it is
        looked at; ``batch`` and ``scores`` of the result are arrays of all.

        >>> import anypiece
        >>> paths = anypiece.load().lattice("Hello world").nbest(3)
        >>> [path.score for path in paths] == sorted((path.score for path in paths), reverse=True)
        True
        """
        self._refuse_unscored("nbest")
        try:
            words, count, edges, bounds = self._native.nbest(checked_paths(n, "n"))
        except Exception as error:
            raise_native(error)
        return Paths(words, count, Batch(edges, bounds))

    def runner_up(self) -> Path:
        """The best path other than that of encoding; that one itself if there is no other."""
        best = self.viterbi()
        return next((path for path in self.nbest(2) if path.edges != best.edges), best)

    def sample(self, alpha: float = 1.0, *, seed: int, epoch: int = 0, index: int = 0, method: str = "lattice") -> Path:
        """A path drawn as ``Tokenizer.sample`` draws it, with the logarithm of its share of all weight; at infinity it is
        certain to be that of encoding.

        >>> import anypiece
        >>> path = anypiece.load().lattice("Hello").sample(0.1, seed=7)
        >>> path.ids == anypiece.load().sample("Hello", 0.1, seed=7), path.log_probability < 0
        (True, True)
        """
        value, key = checked_alpha(alpha), checked_key(seed, epoch, index)
        if method not in _METHODS:
            raise InputError("argument-value", f"method must be one of {', '.join(_METHODS)} here.", argument="method")
        if math.isinf(value):
            return self._path(self._native.best(), 0.0)
        edges, log_probability = self._native.sample(method, value, key)
        return self._path(edges, log_probability)

    def sample_without_replacement(
        self, k: int, alpha: float = 1.0, *, seed: int, epoch: int = 0, index: int = 0, include_best: bool = False
    ) -> list[Path]:
        """``k`` different paths, each drawn from those that are left; all of them if there are fewer.

        They come in the order of their log-probability plus Gumbel noise. ``log_inclusion`` is the logarithm of the
        probability that a path is among them, given the noise of the first one that is not, so that a sum over paths can be
        estimated by weighing each with its probability over that one. With ``include_best`` the best path comes first and is
        certain, and ``k - 1`` others are drawn.

        >>> import anypiece
        >>> paths = anypiece.load().lattice("Hello").sample_without_replacement(4, seed=7)
        >>> len({path.edges for path in paths})
        4
        """
        value = checked_alpha(alpha)
        if math.isinf(value):
            raise InputError("argument-value", "alpha must be finite here.", argument="alpha")
        number = checked_paths(k, "k")
        best = self._native.best() if include_best else None
        try:
            drawn = self._native.without_replacement(
                number - (best is not None), value, checked_key(seed, epoch, index), best
            )
        except Exception as error:
            raise_native(error)
        paths = [self._path(edges, probability, inclusion) for edges, probability, inclusion in drawn]
        if best is None:
            return paths
        score = value * self._native.score(best) - self.log_partition(value)
        return [self._path(best, score, 0.0), *paths]

    def _path(self, edges: list[int], log_probability: float | None = None, inclusion: float | None = None) -> Path:
        return Path(self._native.ids(edges), self._native.score(edges), tuple(edges), log_probability, inclusion)

    # -- sums over all paths

    def log_partition(self, alpha: float = 1.0) -> float:
        """The logarithm of the weight of all paths; with ``alpha=0`` that of their number."""
        value = checked_alpha(alpha)
        if math.isinf(value):
            best = self.viterbi().score
            return value * best if best else 0.0
        total = self._native.log_partition(value)
        if value == alpha:
            return total
        # Where alpha was brought down: what is left is the best score, or how many paths have it if that is 0.
        best = float(self.nbest(1).scores[0]) if self.is_scored else 0.0
        return float(alpha) * best if best else total

    def marginals(self, alpha: float = 1.0) -> NDArray[np.float64]:
        """For each edge the share of all weight that goes through it: the probability that a draw has it."""
        value = checked_alpha(alpha)
        if not math.isinf(value):
            return self._native.marginals(value)
        marginals = np.zeros(len(self))
        marginals[self._native.best()] = 1.0
        return marginals

    def boundaries(self, alpha: float = 1.0) -> NDArray[np.float64]:
        """For each place of the normalized text, its end included, the probability that a piece ends or begins there."""
        found = np.zeros(len(self.normalized) + 1)
        found[0] = 1.0
        np.add.at(found, self.ends, self.marginals(alpha))
        return np.minimum(found, 1.0)

    def entropy(self, alpha: float = 1.0) -> float:
        """How uncertain the path is, in nats; 0 where there is but one."""
        value = checked_alpha(alpha)
        return 0.0 if math.isinf(value) else self._native.entropy(value)

    def expected_tokens(self, alpha: float = 1.0) -> float:
        """How many tokens a draw has on average, before neighbouring unknowns are made one."""
        return float(self.marginals(alpha) @ self._native.widths())

    # -- to look at

    def summary(self, alpha: float = 1.0) -> str:
        """The lattice in a line: how many paths there are, and the numbers of their distribution.

        >>> import anypiece
        >>> anypiece.load().lattice("Hi").summary()
        '4 paths, log partition -11.15, entropy 0.26 nats, 1.06 tokens on average'
        """
        count = self.log_partition(0)
        paths = f"{round(math.exp(count)):,}" if count < 34 else f"about 10^{count / math.log(10):.0f}"
        parts = [f"{paths} path{'' if paths == '1' else 's'}"]
        if self.is_scored:
            total = self.log_partition(alpha)
            parts.append(f"log partition {total:.2f}" if abs(total) < 1e9 else f"log partition {total:.3g}")
        parts.append(f"entropy {self.entropy(alpha):.2f} nats")
        return ", ".join([*parts, f"{self.expected_tokens(alpha):.2f} tokens on average"])

    def svg(self, alpha: float = 1.0, *, most: int = 300) -> str:
        """A picture, as the text of an SVG file: an arc for each edge, as wide as it is probable at ``alpha``.

        The best path is bold, the runner-up dashed. A text of more than ``most`` characters is refused with
        ``lattice-too-large``.

        >>> import anypiece
        >>> anypiece.load().lattice("Hello").svg().startswith("<svg")
        True
        """
        from .svg import drawn

        return drawn(self, checked_alpha(alpha), checked_count(most, "most"))

    def _repr_html_(self) -> str:
        """What a notebook shows: the summary and the picture, where that is not too wide to read."""
        try:
            drawn = f'<div class="scroll" tabindex="0" role="group" aria-label="Lattice">{self.svg()}</div>'
        except InputError as error:
            drawn = paragraph(str(error), note=True)
        return fragment(paragraph(self.summary()), drawn)

    def _refuse_unscored(self, what: str) -> None:
        if not self.is_scored:
            message = f"{what} needs a unigram vocabulary: here no path is better than another."
            raise InputError("sample-method", message, method=what)


def checked_alpha(alpha: object, most: float = math.inf) -> float:
    """``alpha`` as a number from 0 to ``most``."""
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, np.floating, np.integer)):
        raise InputError("argument-value", f"alpha must be a number, not {type(alpha).__name__}.", argument="alpha")
    try:
        value = float(alpha)
    except OverflowError:
        raise InputError(
            "argument-value", "alpha must fit into a float; for infinity pass math.inf.", argument="alpha"
        ) from None
    if math.isnan(value) or not 0 <= value <= most:
        bound = "not negative" if math.isinf(most) else f"from 0 to {most:g}"
        raise InputError("argument-value", f"alpha must be {bound}, not {value}.", argument="alpha")
    # Beyond this any difference of scores decides, and products with scores might be infinite, their differences no numbers.
    return value if math.isinf(value) else min(value, _LARGEST_ALPHA)


def checked_key(seed: object, epoch: object, index: object) -> tuple[int, int, int]:
    """The three numbers that a draw is keyed by; each is taken modulo 2**64."""
    if type(seed) is int and type(epoch) is int and type(index) is int:
        return seed & _MASK, epoch & _MASK, index & _MASK
    found = []
    for name, value in (("seed", seed), ("epoch", epoch), ("index", index)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise InputError("argument-value", f"{name} must be an int, not {type(value).__name__}.", argument=name)
        found.append(int(value) % 2**64)
    return found[0], found[1], found[2]


def checked_paths(value: object, name: str) -> int:
    """A number of paths, of the argument ``name``."""
    number = checked_integer(value, name)
    if not 1 <= number <= _MOST_PATHS:
        raise InputError("argument-value", f"{name} must be from 1 to {_MOST_PATHS:,}.", argument=name)
    return number
