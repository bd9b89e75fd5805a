"""Doctor: what is odd about a tokenizer, how bad it is, and what can be done.

Each check is one small function over the same columns and yields findings. Nothing here changes the tokenizer, and nothing
that real vocabularies often have is an error: an error means that the tokenizer contradicts its own file.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .formats import gguf
from .render import spelled
from .samples import failed_samples
from .spec import SPACE_MARK, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from .tokenizer import Tokenizer

__all__ = ["Finding", "Severity", "examine"]

Severity = Literal["error", "warning", "note"]

_EXAMPLES = 5
_BYTE_SPELLING = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_RESERVED = (Kind.CONTROL, Kind.UNKNOWN, Kind.BYTE)


@dataclass(frozen=True)
class Finding:
    """One thing the doctor noticed. ``examples`` are the first few of ``count``."""

    code: str
    severity: Severity
    message: str
    remedy: str
    count: int = 1
    examples: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON-ready values."""
        return asdict(self)


class _Subject:
    """The tokenizer under examination, with the columns that several checks need."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.spec = tokenizer.spec
        self.kinds = self.spec.pieces.kinds
        self.scores = self.spec.pieces.scores

    @cached_property
    def names(self) -> list[str]:
        blob, edges = self.spec.pieces.blob, self.spec.pieces.offsets.tolist()
        return [spelled(blob[start:end]) for start, end in pairwise(edges)]

    def ids_of(self, *kinds: Kind) -> NDArray[np.int64]:
        return np.flatnonzero(np.isin(self.kinds, kinds))

    @property
    def has_bytes(self) -> bool:
        """Whether pieces are bytes, as those of a rank file are: then spaces are spaces and nothing is unknown."""
        return self.spec.symbols == "bytes"

    @cached_property
    def bare(self) -> Tokenizer:
        """The same tokenizer for text from inside a sentence: no prefix is added and no spaces are dropped."""
        return self.tokenizer.replace(add_dummy_prefix=False, remove_extra_whitespaces=False)

    @cached_property
    def unreachable(self) -> list[int]:
        """Ids of normal and user-defined pieces that their own text does not encode to.

        No context can help such a piece: whatever wins inside its text wins in any text around it.
        """
        ids = self.ids_of(Kind.NORMAL, Kind.USER_DEFINED)
        if self.spec.segmenter == "wordpiece":
            return self._missed(self.tokenizer, *self._first_pieces(ids))
        if self.has_bytes:
            return self._unmerged(ids)
        missed = self._missed(self.bare, ids, [self.surface(int(i)) for i in ids])
        return self._missed(self.bare, np.array(missed, np.int64), [self.names[i] for i in missed])

    def _first_pieces(self, ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
        """The pieces that only begin chunks, which must be chunks themselves, and the chunks that they are."""
        first, within = self.spec.word_prefix, self.spec.continuing_prefix
        found = [i for i in ids.tolist() if self.names[i].startswith(first) and len(self.names[i]) > len(first)]
        if within:
            found = [i for i in found if not self.names[i].startswith(within)]
        return np.array(found, np.int64), [self.names[i].removeprefix(first) for i in found]

    def _unmerged(self, ids: NDArray[np.int64]) -> list[int]:
        """Pieces of bytes that neither merges lead to nor are a chunk.

        The splitter has no say in the first: a piece that is cut where it stands alone, such as half a character behind a
        letter, may be whole in another text.
        """
        merging = self.tokenizer.replace(splitter=None, whole_chunks=False)
        missed = self._missed(merging, ids, [self.spec.pieces.bytes(int(i)) for i in ids])
        return self._missed(self.tokenizer, np.array(missed, np.int64), [self.spec.pieces.bytes(i) for i in missed])

    def _missed(
        self, tokenizer: Tokenizer, ids: NDArray[np.int64], texts: Sequence[str] | Sequence[bytes]
    ) -> list[int]:
        batch = tokenizer.encode_batch(texts)
        alone = batch.lengths == 1
        hit = np.zeros(len(ids), np.bool_)
        hit[alone] = batch.ids[batch.offsets[:-1][alone]] == ids[alone]
        return [int(piece_id) for piece_id in ids[~hit]]

    def surface(self, piece_id: int) -> str:
        if self.spec.segmenter == "wordpiece":
            return self.names[piece_id].removeprefix(self.spec.word_prefix)
        return self.names[piece_id].replace(SPACE_MARK, " ")

    def wanted(self, name: str) -> str:
        """What the surface of a piece must be normalized to."""
        return name.removeprefix(self.spec.word_prefix) if self.spec.segmenter == "wordpiece" else name


def examine(tokenizer: Tokenizer) -> list[Finding]:
    """Everything the doctor has to say, errors first.

    >>> import anypiece
    >>> [finding.code for finding in examine(anypiece.load()) if finding.severity == "error"]
    []
    """
    subject = _Subject(tokenizer)
    found = [finding for check in _CHECKS for finding in check(subject)]
    order: Sequence[Severity] = ("error", "warning", "note")
    return sorted(found, key=lambda finding: order.index(finding.severity))


def _samples(subject: _Subject) -> Iterator[Finding]:
    failures = failed_samples(subject.tokenizer)
    if failures:
        yield Finding(
            "sample-failed",
            "error",
            f"{len(failures)} of {len(subject.spec.samples)} self-test samples do not come out as the file says.",
            "Try another dialect; otherwise the file was changed after training: take it from its source again.",
            len(failures),
            tuple(failure.sample.text for failure in failures[:_EXAMPLES]),
        )


def _unreachable(subject: _Subject) -> Iterator[Finding]:
    spaced, changed, outscored = [], [], []
    for piece_id in subject.unreachable:
        name = subject.names[piece_id]
        if " " in name and subject.spec.escape_whitespaces:
            spaced.append(name)
        elif not subject.has_bytes and subject.bare.normalize(subject.surface(piece_id)) != subject.wanted(name):
            changed.append(name)
        else:
            outscored.append(name)
    yield from _listed(
        "piece-literal-space",
        spaced,
        "contain a literal space, but spaces reach the vocabulary as ▁ (U+2581), so they never match",
        "Spell the space as ▁ in these pieces.",
    )
    yield from _listed(
        "piece-not-normalized",
        changed,
        "are changed by the tokenizer's own normalizer, so they never match",
        "Normalize these pieces, or drop them; their ids can be reused.",
    )
    how = "merges never lead to them" if subject.spec.segmenter == "bpe" else "other pieces win"
    yield from _listed(
        "piece-unreachable",
        outscored,
        f"do not encode to themselves ({how}), so their ids go unused",
        "Nothing to do for a tokenizer in use; a new vocabulary could spend these ids better.",
    )


def _collapsed(subject: _Subject) -> Iterator[Finding]:
    if subject.spec.remove_extra_whitespaces:
        names = [subject.names[i] for i in subject.ids_of(Kind.NORMAL) if SPACE_MARK * 2 in subject.names[i]]
        yield from _listed(
            "piece-collapsed-spaces",
            names,
            "hold several spaces in a row, but remove_extra_whitespaces leaves only one",
            "Set remove_extra_whitespaces to false if such text matters, as in source code.",
        )


def _trailing(subject: _Subject) -> Iterator[Finding]:
    if not subject.spec.whitespace_as_suffix and not subject.has_bytes:
        names = [subject.names[i] for i in subject.ids_of(Kind.NORMAL, Kind.USER_DEFINED)]
        trailing = [name for name in names if name.endswith(SPACE_MARK) and name.strip(SPACE_MARK)]
        yield from _listed(
            "piece-trailing-space",
            trailing,
            "end in a space: a prompt that stops before or after that space is tokenized differently",
            "Do not end prompts in a space.",
            "note",
        )


def _duplicates(subject: _Subject) -> Iterator[Finding]:
    reserved = {subject.names[i]: int(i) for i in subject.ids_of(*_RESERVED)}
    others = subject.ids_of(Kind.NORMAL, Kind.USER_DEFINED, Kind.UNUSED)
    yield from _listed(
        "piece-duplicate",
        [subject.names[i] for i in others if subject.names[i] in reserved],
        "have the spelling of a control, unknown or byte piece: text encodes to one id and piece_to_id gives the other",
        "Rename one of the two.",
    )


def _bytes(subject: _Subject) -> Iterator[Finding]:
    if subject.spec.byte_fallback or subject.has_bytes:
        return
    yield Finding(
        "bytes-missing",
        "note",
        "There is no byte fallback: characters outside the vocabulary become the unknown piece and are lost.",
        "Train with byte fallback if every text must come back as it was.",
    )
    yield from _listed(
        "bytes-misspelled",
        [
            name
            for i, name in enumerate(subject.names)
            if subject.kinds[i] != Kind.BYTE and _BYTE_SPELLING.fullmatch(name)
        ],
        "are spelled like byte pieces but are not of kind BYTE, so they stand for their spelling",
        "Set their kind to BYTE and byte_fallback to true, if all 256 are there.",
    )


def _scores(subject: _Subject) -> Iterator[Finding]:
    normal = subject.ids_of(Kind.NORMAL)
    scores = subject.scores[normal]
    if subject.spec.segmenter == "unigram":
        yield from _listed(
            "score-positive",
            [subject.names[i] for i in normal[scores > 0]],
            "have a positive score, which no log probability has: longer texts of them score better and better",
            "Check how the scores were made.",
        )
    if subject.spec.segmenter in ("unigram", "bpe"):
        values, counts = np.unique(scores, return_counts=True)
        tied = np.isin(scores, values[counts > 1])
        rule = (
            "the leftmost pair merges first"
            if subject.spec.segmenter == "bpe"
            else "rounding and order decide between them"
        )
        yield from _listed(
            "score-tied",
            [subject.names[i] for i in normal[tied]],
            f"share their score with another piece; {rule}",
            "Harmless here, since that rule is reproduced; other libraries may differ on such pieces.",
            "note",
        )


def _specials(subject: _Subject) -> Iterator[Finding]:
    ids = {"bos": subject.spec.bos_id, "eos": subject.spec.eos_id}
    missing = [name for name, piece_id in ids.items() if piece_id is None]
    if missing:
        yield Finding(
            "special-missing",
            "note",
            f"There is no {' and no '.join(missing)} piece, so add_special cannot add it.",
            "Set bos_id or eos_id in the Spec if a control piece plays that part under another name.",
            len(missing),
        )
    odd = [f"{name}={i}" for name, i in ids.items() if i is not None and subject.kinds[i] != Kind.CONTROL]
    yield from _listed(
        "special-kind",
        odd,
        "name a piece that is not of kind CONTROL, so that text can encode to it",
        "Change the kind of that piece to CONTROL.",
    )


def _pre_tokenizer(subject: _Subject) -> Iterator[Finding]:
    origin = subject.tokenizer._origin
    if isinstance(origin, gguf.Origin) and origin.lacks_pre:
        yield Finding(
            "pre-missing",
            "warning",
            "The file names no pre-tokenizer, so text is cut in llama.cpp's default way, which is probably not the model's.",
            "Pass pre= with the name of the right one, or convert the model again with a newer converter.",
        )


def _arithmetic(subject: _Subject) -> Iterator[Finding]:
    if subject.spec.segmenter == "unigram":
        release = "0.2.2" if subject.spec.arithmetic == "f32-rebased" else "0.1.99 to 0.2.1"
        other = "sentencepiece-0.2.1" if subject.spec.arithmetic == "f32-rebased" else "sentencepiece"
        yield Finding(
            "arithmetic",
            "note",
            f"Near-ties go as in sentencepiece {release} ({subject.spec.arithmetic}); a .model file does not say which.",
            f"Load with dialect={other!r} if ids must equal those of another release.",
        )


def _listed(
    code: str, names: Sequence[str], what: str, remedy: str, severity: Severity = "warning"
) -> Iterator[Finding]:
    if names:
        yield Finding(code, severity, f"{len(names)} pieces {what}.", remedy, len(names), tuple(names[:_EXAMPLES]))


_CHECKS: tuple[Callable[[_Subject], Iterator[Finding]], ...] = (
    _samples,
    _unreachable,
    _collapsed,
    _trailing,
    _duplicates,
    _bytes,
    _scores,
    _specials,
    _arithmetic,
    _pre_tokenizer,
)
