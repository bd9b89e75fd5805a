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

from ..formats import gguf, sentencepiece
from ..io.self_test import failed_samples
from ..spec import SPACE_MARK, Kind
from .terminal import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ..tokenizer import Tokenizer

__all__ = ["Finding", "Severity", "examine"]

Severity = Literal["error", "warning", "note"]

_EXAMPLES = 5
_BYTE_SPELLING = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_FORMS = ("nfc", "nfc-14.0", "nfd", "nfkc", "nfkd")
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
        """This tokenizer for text from inside a sentence: no prefix is added and no spaces are dropped."""
        return self.tokenizer.replace(add_dummy_prefix=False, remove_extra_whitespaces=False)

    @cached_property
    def unreachable(self) -> list[int]:
        """Ids of normal and user-defined pieces that their own text does not encode to.

        No context can help such a piece: whatever wins inside its text wins in any text around it.
        """
        ids = self.ids_of(Kind.NORMAL, Kind.USER_DEFINED)
        if self.spec.segmenter == "wordpiece":
            return self._missed(self.tokenizer, *self._first_pieces(ids))
        if self.has_bytes or self.spec.normalizer or self.spec.split_rules:
            return self._unsegmented(ids)
        missed = self._missed(self.bare, ids, [self.surface(int(i)) for i in ids])
        return self._missed(self.bare, np.array(missed, np.int64), [self.names[i] for i in missed])

    def _first_pieces(self, ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
        """The pieces that only begin chunks, which must be chunks themselves, and the chunks that they are."""
        first, within = self.spec.word_prefix, self.spec.continuing_prefix
        found = [i for i in ids.tolist() if self.names[i].startswith(first) and len(self.names[i]) > len(first)]
        if within:
            found = [i for i in found if not self.names[i].startswith(within)]
        return np.array(found, np.int64), [self.names[i].removeprefix(first) for i in found]

    def _unsegmented(self, ids: NDArray[np.int64]) -> list[int]:
        """Pieces that neither the segmenter alone leads to nor are a chunk, and those that are text of another form.

        Steps and rules have no say in the first: a piece that is cut where it stands alone, such as half a character behind
        a letter, may be whole in another text, and half a character is no text to normalize.
        """
        ends, changed = self.spec.end_suffix.encode(), [i for i in ids.tolist() if self.is_changed(i)]
        if self.spec.symbol_prefix or ends:  # spelled otherwise where they stand alone, but for those that end a chunk
            found = [] if self.spec.symbol_prefix else [i for i in ids.tolist() if self.raw(i).endswith(ends)]
            ids = np.array(found, np.int64)
        alone = self.tokenizer.replace(splitter=None, split_rules=(), normalizer=(), charsmap=b"", whole_chunks=False)
        for tokenizer in (alone, self.tokenizer):
            missed = self._missed(tokenizer, ids, [self.raw(i).removesuffix(ends) for i in ids.tolist()])
            ids = np.array(missed, np.int64)
        return sorted({*missed, *changed})

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

    def is_changed(self, piece_id: int) -> bool:
        """Whether the normalizer changes the text of a piece, wherever it stands."""
        steps, raw = self.spec.normalizer, self.raw(piece_id)
        if not steps:
            if self.spec.split_rules:  # which may put marks for spaces
                return False
            wanted = self.wanted(self.names[piece_id])
            return not self.has_bytes and self.bare.normalize(self.surface(piece_id)) != wanted
        # A part of a text in one of these forms is in that form itself; other steps may look at what is around it.
        if raw.isascii() or not all(step["type"] in _FORMS for step in steps) or not _is_text(raw):
            return False
        return self.tokenizer.normalize(raw) != raw.decode()

    def raw(self, piece_id: int) -> bytes:
        return self.spec.pieces.bytes(piece_id)

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
        elif subject.is_changed(piece_id):
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
            "hold several adjacent spaces, but remove_extra_whitespaces leaves only one",
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
    if subject.spec.segmenter in ("unigram", "bpe") and not len(subject.spec.merges):
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
    if missing and not subject.spec.single:  # a template says what stands around a text
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


def _merged_specials(subject: _Subject) -> Iterator[Finding]:
    """Merges that make a special piece are skipped, so that its id stays with those whom a caller permits it."""
    made = np.unique(subject.spec.merges[:, 2]) if len(subject.spec.merges) else np.zeros(0, np.int64)
    yield from _listed(
        "special-merged",
        [subject.names[i] for i in made.tolist() if subject.kinds[i] == Kind.CONTROL],
        "are special, but merges make them; such text stays split here, since no text may become a special piece",
        "Leave these merges out of the file, or make the pieces normal ones if text may become them.",
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
    spec, origin = subject.spec, subject.tokenizer._origin
    if spec.segmenter != "unigram":
        return
    if spec.arithmetic == "f64":  # what a format says itself, unless there are dialects of it
        if isinstance(origin, gguf.Origin):
            yield Finding(
                "arithmetic",
                "note",
                "Near-ties go as in llama.cpp, which adds scores in double.",
                "Load with dialect='sentencepiece' if ids must equal those of SentencePiece.",
            )
        return
    newest = spec.arithmetic == "f32-rebased"
    release, other = ("0.2.2 and 0.2.3", "sentencepiece-0.2.1") if newest else ("0.1.99 to 0.2.1", "sentencepiece")
    has_dialects = isinstance(origin, (sentencepiece.Origin, gguf.Origin))
    again = "Load" if has_dialects else "Make it anew from a file that is loaded"
    yield Finding(
        "arithmetic",
        "note",
        f"Near-ties go as in sentencepiece {release} ({spec.arithmetic}); a .model file does not say which.",
        f"{again} with dialect={other!r} if ids must equal those of another release.",
    )


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


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
    _merged_specials,
    _arithmetic,
    _pre_tokenizer,
)
