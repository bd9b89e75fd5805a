"""The watch that writes down what the reference tells while it encodes one text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..reference.watch import Merge, Watch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..reference.normalize import Normalized
    from ..reference.steps import Character
    from ..reference.tokens import Token
    from ..reference.unigram import Segment
    from .limits import Allowance

__all__ = ["ChunkRecord", "FragmentRecord", "InnerRecord", "PartRecord", "Recorder", "TextRecord"]

Tried = tuple["Segment", float, float, "float | None"]


@dataclass
class ChunkRecord:
    """What happened in one chunk. ``full``: a limit was reached, and the table is left out."""

    start: int
    end: int
    rule: str
    tried: list[Tried] = field(default_factory=list)
    rebased: list[int] = field(default_factory=list)
    whole: bool = False
    symbols: list[Sequence[tuple[int | None, int]]] = field(default_factory=list)
    choices: list[Sequence[Merge]] = field(default_factory=list)
    matches: list[tuple[int, int, int | None, int]] = field(default_factory=list)
    unrecorded: int = 0
    full: bool = False


@dataclass
class TextRecord:
    """A text that went to the segmenter."""

    text: Normalized
    chunks: list[ChunkRecord] = field(default_factory=list)
    path: Sequence[Segment] = ()


@dataclass
class InnerRecord:
    """A stretch of normalized text: an added token, or texts for the segmenter."""

    start: int
    end: int
    id: int | None
    rules: list[tuple[dict[str, Any], list[list[Character]]]] = field(default_factory=list)
    texts: list[TextRecord] = field(default_factory=list)


@dataclass
class FragmentRecord:
    """A fragment on its way through the stages."""

    steps: list[tuple[dict[str, Any], list[Character]]] = field(default_factory=list)
    normalized: Normalized | list[Character] | None = None
    inners: list[InnerRecord] = field(default_factory=list)


@dataclass
class PartRecord:
    """A stretch of the text: an added token, or a fragment."""

    start: int
    end: int
    id: int | None
    fragment: FragmentRecord = field(default_factory=FragmentRecord)


class Recorder(Watch):
    """Writes everything down, as far as the allowance goes."""

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        self.parts: list[PartRecord] = []
        self.hows: list[str] = []

    # -- the stages

    def part(self, start: int, end: int, id: int | None) -> None:
        self.parts.append(PartRecord(start, end, id))
        if id is not None:
            self.hows.append("special")

    def step(self, step: dict[str, Any], text: list[Character]) -> None:
        self._fragment.steps.append((step, text))

    def normalized(self, text: Normalized | list[Character]) -> None:
        self._fragment.normalized = text

    def inner(self, start: int, end: int, id: int | None) -> None:
        self._fragment.inners.append(InnerRecord(start, end, id))
        if id is not None:
            self.hows.append("special")

    def rule(self, rule: dict[str, Any], chunks: list[list[Character]]) -> None:
        self._fragment.inners[-1].rules.append((rule, chunks))

    def text(self, text: Normalized) -> None:
        self._fragment.inners[-1].texts.append(TextRecord(text))

    def chunk(self, start: int, end: int, rule: str) -> None:
        self._text.chunks.append(ChunkRecord(start, end, rule))

    def path(self, path: Sequence[Segment]) -> None:
        self._text.path = path

    def token(self, segment: Segment, how: str, tokens: Sequence[Token]) -> None:
        if how == "fused":
            self.hows[-1] = how
        else:
            self.hows += [how] * len(tokens)

    @property
    def _fragment(self) -> FragmentRecord:
        return self.parts[-1].fragment

    @property
    def _text(self) -> TextRecord:
        return self._fragment.inners[-1].texts[-1]

    @property
    def _chunk(self) -> ChunkRecord:
        """The chunk worked on; all of the text where nothing cuts it."""
        if not self._text.chunks:
            self._text.chunks.append(ChunkRecord(0, len(self._text.text.text), ""))
        return self._text.chunks[-1]

    # -- best paths

    def candidate(self, segment: Segment, score: float, total: float, there: float | None) -> None:
        chunk = self._chunk
        chunk.full = chunk.full or not self.allowance.takes("candidates", 1)
        if not chunk.full:
            chunk.tried.append((segment, score, total, there))

    def rebased(self, start: int, by: float) -> None:
        self._chunk.rebased.append(start)

    # -- merges

    def whole(self, id: int) -> None:
        self._chunk.whole = True

    def symbols(self, symbols: Sequence[tuple[int | None, int]]) -> None:
        chunk = self._chunk
        chunk.full = chunk.full or not self.allowance.takes("symbols", len(symbols))
        if not chunk.full:
            chunk.symbols.append(symbols)

    def choice(self, merges: Sequence[Merge]) -> None:
        if self._chunk.full:
            self._chunk.unrecorded += 1
        else:
            self._chunk.choices.append(merges)

    # -- longest match

    def match(self, start: int, longest: int, end: int | None, id: int) -> None:
        chunk = self._chunk
        chunk.full = chunk.full or not self.allowance.takes("symbols", 1)
        if not chunk.full:
            chunk.matches.append((start, longest, end, id))
