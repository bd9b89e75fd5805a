"""Explain: every stage of encoding one text, with the way back to the text, and what almost won.

The kernel's result is the explanation; for short texts the slow reference runs as well, and the first stage in which the
two differ is named, since that is the folder to look into.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import InternalError
from ..io.self_test import PathScores
from ..spec import SPACE_MARK, Kind
from ..steps.data import Steps
from ..steps.encoding import permitted_ids, reference_of, steps, units_of
from ..text.specials import checked_specials, permit
from ..text.warnings import notices
from . import terminal
from .explained_page import explained_fragment, explained_page

if TYPE_CHECKING:
    from rich.console import Group

    from ..reference.unigram import Path
    from ..results import Token
    from ..spec import Symbols
    from ..steps.drawing import SampleSteps
    from ..text.specials import AddSpecial, Specials
    from ..tokenizer import Tokenizer

__all__ = ["Difference", "ExplainedToken", "ExplainedUnit", "Explanation", "RunnerUp", "explain"]

COMPARED_LENGTH = 2000
"""Texts longer than this are not given to the reference, which takes a millisecond for about 50 characters."""


@dataclass(frozen=True)
class ExplainedUnit:
    """A stretch of normalized text that no piece reaches out of: a chunk, where a splitter makes them.

    ``start`` and ``end`` are places in ``normalized``; where rules split, which may leave text out and put text in, they are
    places in ``text``.
    ``settled``: its pieces do not depend on what precedes.
    """

    text: str
    start: int
    end: int
    settled: bool


@dataclass(frozen=True)
class ExplainedToken:
    """A token with the score it was chosen for. Where pieces are bytes, ``piece`` shows what is no UTF-8 as ``\\\\xNN``."""

    id: int
    piece: str
    start: int
    end: int
    score: float
    kind: str


@dataclass(frozen=True)
class RunnerUp:
    """The second-best segmentation of the unit where the choice was closest. ``margin`` is how far it is behind."""

    unit: str
    best: tuple[str, ...]
    pieces: tuple[str, ...]
    margin: float


@dataclass(frozen=True)
class Difference:
    """The first stage in which kernel and reference differ: a defect, please report it."""

    stage: str
    native: str
    reference: str


@dataclass(frozen=True)
class Explanation:
    """What became of a text, stage by stage. ``print`` it, or take ``to_json()`` or ``html()``.

    ``offsets[i]`` is the place in the text that character ``i`` of ``normalized`` came from; the last one is its end.
    ``total_score`` is None where scores are not added up (BPE, char and word). ``compared`` says whether the reference ran,
    ``symbols`` whether pieces are characters or bytes, ``verbatim`` whether nothing is normalized.
    """

    text: str | bytes
    normalized: str
    offsets: tuple[int, ...]
    units: tuple[ExplainedUnit, ...]
    tokens: tuple[ExplainedToken, ...]
    total_score: float | None
    runner_up: RunnerUp | None
    compared: bool
    difference: Difference | None
    symbols: Symbols = "characters"
    verbatim: bool = False
    notices: tuple[str, ...] = ()
    """Notices for a second look, if this text is for a model to continue."""

    _made_by: tuple[Tokenizer, Specials, AddSpecial] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def steps(self) -> Steps:
        """Every step, as data: what was replaced, what cut the text, the table of each chunk. See ``anypiece.steps``.

        They are made when they are first asked for, and end with the ids of ``encode``: an ``InternalError`` if not.

        >>> import anypiece
        >>> [replaced.result for replaced in anypiece.load().explain("a b").steps.parts[0].fragment.replacements]
        ['▁', '▁']
        """
        if self._made_by is None:
            raise InternalError("internal-error", "This explanation was not made by a tokenizer and has no steps.")
        tokenizer, specials, add_special = self._made_by
        return steps(tokenizer, self.text, specials=specials, add_special=add_special)

    def to_json(self) -> dict[str, Any]:
        """The explanation as JSON-ready values, without the steps, which have a ``to_json`` of their own.

        ``bytes`` that are not UTF-8 appear as ``\\\\xNN``.
        """
        found = asdict(replace(self, _made_by=None))
        del found["_made_by"]
        return {**found, "text": _shown_text(self.text)}

    def html(self, *draws: SampleSteps) -> str:
        """A page with the tokens, every step, and those of ``draws``, in one file that loads nothing. Text and pieces are
        text in it, whatever they spell.

        >>> import anypiece
        >>> tok = anypiece.load()
        >>> tok.explain("<b>").html().startswith("<!doctype html>")
        True
        >>> "Draw: alpha 0.1, seed 3" in tok.explain("<b>").html(tok.sample_steps("<b>", 0.1, seed=3))
        True
        """
        return explained_page(self, _shown_text(self.text), self._lines()[4:], draws)

    def _repr_html_(self) -> str:
        return explained_fragment(self, self._lines()[4:])

    def __str__(self) -> str:
        titles = [f"{name}  {value}" for name, value in self._lines()]
        return "\n".join([*titles[:3], "", terminal.plain_table(_COLUMNS, self._rows()), "", *titles[3:]])

    def render(self) -> Group:
        """The report for a terminal, with the tokens as coloured blocks."""
        from rich.console import Group
        from rich.text import Text

        lines = [Text.assemble((name, "bold"), "  ", value) for name, value in self._lines()]
        mark = " " if self.symbols == "bytes" else SPACE_MARK
        tokens = terminal.blocks((token.piece for token in self.tokens), mark)
        return Group(
            *lines[:3],
            "",
            tokens,
            "",
            terminal.table(_COLUMNS, self._rows(), terminal.terminal_width()),
            "",
            *lines[3:],
        )

    def _lines(self) -> list[tuple[str, str]]:
        lines = [
            ("text      ", terminal.visible(_shown_text(self.text))),
            ("normalized", "the text itself" if self.verbatim else terminal.visible(self.normalized)),
            ("units     ", " ".join(self._visible(unit.text) + ("" if unit.settled else "*") for unit in self.units)),
        ]
        total = "" if self.total_score is None else f", total score {self.total_score:.6g}"
        lines.append(("tokens    ", f"{len(self.tokens)}{total}"))
        if self.runner_up is not None:
            lines.append(("runner-up ", _shown_runner_up(self.runner_up)))
        lines += [("notice    ", notice) for notice in self.notices]
        lines.append(("reference ", self._verdict()))
        return lines

    def _verdict(self) -> str:
        if self.difference is not None:
            found = self.difference
            return f"differs first in {found.stage}: native {found.native}, reference {found.reference}"
        return (
            "agrees in every stage"
            if self.compared
            else f"not run: the text is longer than {COMPARED_LENGTH} characters"
        )

    def _rows(self) -> list[tuple[str, int, int, int, str, str]]:
        return [(self._visible(t.piece), t.id, t.start, t.end, f"{t.score:.6g}", t.kind) for t in self.tokens]

    def _visible(self, piece: str) -> str:
        return terminal.visible(piece, terminal.BLANK if self.symbols == "bytes" else " ")


_COLUMNS = ("piece", "#id", "#start", "#end", "#score", "kind")


def _shown_text(text: str | bytes) -> str:
    raw = text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text
    return terminal.spelled(raw)


def _shown_runner_up(found: RunnerUp) -> str:
    best, second = " ".join(found.best), " ".join(found.pieces)
    return f"{second} instead of {best}, {found.margin:.6g} behind"


def explain(
    tokenizer: Tokenizer, text: str | bytes, *, specials: Specials = "text", add_special: AddSpecial = False
) -> Explanation:
    """See ``Tokenizer.explain``.

    >>> import anypiece
    >>> explanation = explain(anypiece.load(), "Hello world")
    >>> explanation.normalized, explanation.difference is None
    ('▁Hello▁world', True)
    """
    normalized, offsets = tokenizer.normalize_offsets(text)
    rows = tokenizer.encode_spans(text, specials=specials)
    compared = len(text) <= COMPARED_LENGTH
    tokens = _tokens(tokenizer, rows, _scores(tokenizer, text, rows, compared, specials))
    units = tuple(ExplainedUnit(*unit) for unit in units_of(tokenizer, text, normalized))
    return Explanation(
        text,
        normalized,
        tuple(offsets.tolist()),
        units,
        tokens,
        sum(token.score for token in tokens) if tokenizer.spec.segmenter == "unigram" else None,
        _runner_up(tokenizer, units) if compared else None,
        compared,
        _difference(tokenizer, text, normalized, rows, specials) if compared else None,
        tokenizer.spec.symbols,
        tokenizer.spec.symbols == "bytes" and not tokenizer.spec.normalizer,
        tuple(notices(tokenizer, text, add_special=tokenizer.bos_id is not None and "bos", specials="parse")),
        (tokenizer, checked_specials(specials), add_special),
    )


def _tokens(tokenizer: Tokenizer, rows: list[Token], scores: list[float]) -> tuple[ExplainedToken, ...]:
    if tokenizer.spec.symbols == "bytes":
        rows = [row._replace(piece=terminal.spelled(row.piece_bytes)) for row in rows]
    scored = zip(rows, scores, strict=True)
    return tuple(ExplainedToken(*row, score, tokenizer.kind(row.id).name.lower()) for row, score in scored)


def _scores(tokenizer: Tokenizer, text: str | bytes, rows: list[Token], exact: bool, specials: Specials) -> list[float]:
    """What each token adds to the path: by the path, or where no lattice is made of a long text, by its piece."""
    if tokenizer.spec.segmenter != "unigram" or not exact:
        scores = PathScores(tokenizer)
        return [_score(tokenizer, row, scores) for row in rows]
    lattice = tokenizer.lattice(text, specials=specials)
    return lattice._native.token_scores(list(lattice.viterbi().edges))


def _score(tokenizer: Tokenizer, token: Token, scores: PathScores) -> float:
    """What a token adds to the path: an unknown character costs ten more than the worst piece, spelled in bytes or not."""
    kind = tokenizer.kind(token.id)
    if tokenizer.spec.segmenter != "unigram" or kind in (Kind.NORMAL, Kind.UNUSED):
        return tokenizer.score(token.id)
    if kind == Kind.CONTROL or (kind == Kind.USER_DEFINED and token.id in tokenizer.spec.added.ids):
        return 0.0  # found before there are paths
    if kind == Kind.USER_DEFINED:
        return float(scores.user_defined(len(token.piece.encode())))
    characters = len(token.piece) if kind == Kind.UNKNOWN else int(_begins_character(token.piece))
    return characters * float(scores.unknown) if characters else 0.0


def _begins_character(byte_piece: str) -> bool:
    return int(byte_piece[3:5], 16) & 0xC0 != 0x80


def _runner_up(tokenizer: Tokenizer, units: tuple[ExplainedUnit, ...]) -> RunnerUp | None:
    if tokenizer.spec.segmenter != "unigram" or tokenizer.spec.symbols == "bytes":
        return None
    found = [_second(tokenizer, unit) for unit in {unit.text for unit in units}]
    return min((one for one in found if one is not None), key=lambda one: (one.margin, one.unit), default=None)


def _second(tokenizer: Tokenizer, unit: str) -> RunnerUp | None:
    from ..reference.unigram import Unigram, second_best

    unigram = reference_of(tokenizer).segmenter
    assert isinstance(unigram, Unigram)
    raw = unit.encode()
    found = second_best(unigram, raw)
    if found is None:
        return None
    best = unigram.segment(raw)
    margin = sum(float(unigram.score(segment)) for segment in best) - found[1]
    return RunnerUp(unit, _names(raw, best), _names(raw, found[0]), margin)


def _names(raw: bytes, path: Path) -> tuple[str, ...]:
    return tuple(raw[segment.start : segment.end].decode() for segment in path)


def _difference(
    tokenizer: Tokenizer, text: str | bytes, normalized: str, tokens: list[Token], specials: Specials
) -> Difference | None:
    """The first stage in which the reference has another result; stages are named as the kernel's folders are."""
    reference, permitted = reference_of(tokenizer), permitted_ids(tokenizer.spec, permit(tokenizer, text, specials))
    expected = reference.encode_spans(text, chars=isinstance(text, str), permitted=permitted)
    stages = (
        ("normalize", normalized, reference.normalize(text)),
        (f"segment/{tokenizer.spec.segmenter}", [token.id for token in tokens], [token.id for token in expected]),
        ("tokens", [(t.piece, t.start, t.end) for t in tokens], [(t.piece, t.start, t.end) for t in expected]),
    )
    return next((Difference(name, str(ours), str(theirs)) for name, ours, theirs in stages if ours != theirs), None)
