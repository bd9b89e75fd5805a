"""Spec: everything that can change a tokenizer's output, as plain data, and nothing else.

A format reads a foreign file into a Spec; the kernel compiles a Spec into a Tokenizer. Pieces are columns (one blob of
bytes, offsets, scores, kinds), not a quarter of a million Python objects. Nothing here knows which file it came from.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum, IntFlag
from functools import cached_property
from itertools import pairwise
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from .errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

__all__ = ["SPACE_MARK", "SPLITTERS", "Added", "AddedFlag", "Kind", "Pieces", "Sample", "Spec"]

SPACE_MARK = "▁"
SPLITTERS = (
    "gpt2",
    "cl100k",
    "llama3",
    "qwen2",
    "o200k",
    "tekken",
    "gpt2-15.1",
    "llama3-15.1",
    "qwen2-15.1",
    "lines",
    "starcoder",
    "deepseek-v3",
)
"""The names that ``Spec.splitter`` can have; ``-15.1`` is the release of Unicode whose tables it uses."""
"""U+2581, what an escaped space looks like inside a piece."""

_FIRST = frozenset([
    "segmenter", "symbols", "splitter", "whole_chunks",
    "arithmetic", "user_defined_score", "byte_fallback",
    "add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces", "whitespace_as_suffix",
    "unk_surface", "bos_id", "eos_id", "pad_id",
])  # fmt: skip
"""Settings that always count in a fingerprint. Others came later: they count where they differ from their defaults."""
_MAX_ID = 2**32 - 1
_SURROGATE = re.compile("[\ud800-\udfff]")

SegmenterKind = Literal["unigram", "bpe", "char", "word", "wordpiece", "word-level", "greedy", "plamo"]
Arithmetic = Literal["f32-rebased", "f64-compared", "f64"]
Symbols = Literal["characters", "bytes"]
MatchKinds = Literal["text", "spelled", "unused", "all"]
Spaces = Literal["edges", "words"]
Decoding = Literal["surface", "literal", "unspaced", "unmarked"]
Unknown = Literal["fuse", "each", "drop", "omit"]


class Kind(IntEnum):
    """What a piece is."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


@dataclass(frozen=True, eq=False)
class Pieces:
    """The vocabulary as columns: piece ``i`` is ``blob[offsets[i]:offsets[i + 1]]`` with its score and kind."""

    blob: bytes
    offsets: NDArray[np.uint32]
    scores: NDArray[np.float32] | NDArray[np.float64]
    kinds: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Iterable[tuple[str | bytes, float, int]]) -> Pieces:
        """Columns from ``(piece, score, kind)`` rows.

        >>> Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), ("▁a", -1.5, Kind.NORMAL)]).piece(1)
        '▁a'
        """
        listed = _rows(rows, "spec-pieces", "Pieces are rows of piece, score and kind")
        return _columns(
            _pieces, listed, "spec-pieces", 'a piece, a score and a kind, such as ("▁a", -1.5, Kind.NORMAL)'
        )

    def __len__(self) -> int:
        return len(self.kinds)

    def __iter__(self) -> Iterator[tuple[bytes, float, Kind]]:
        kinds = {value: Kind(value) for value in np.unique(self.kinds).tolist()}
        for (start, end), score, kind in zip(
            pairwise(self.offsets.tolist()), self.scores.tolist(), self.kinds.tolist(), strict=True
        ):
            yield self.blob[start:end], score, kinds[kind]

    def bytes(self, index: int) -> bytes:
        """The UTF-8 bytes of piece ``index``."""
        return self.blob[int(self.offsets[index]) : int(self.offsets[index + 1])]

    def piece(self, index: int) -> str:
        """The text of piece ``index``; bytes that are no UTF-8 show as U+FFFD."""
        return self.bytes(index).decode("utf-8", "replace")


class AddedFlag(IntFlag):
    """How an added token is found in text."""

    SPECIAL = 1
    """Only where a call permits it; the others are vocabulary and always match."""
    LSTRIP = 2
    """It takes the white space before it."""
    RSTRIP = 4
    """It takes the white space behind it."""
    SINGLE_WORD = 8
    """Only where no letter, digit or underscore touches it."""
    NORMALIZED = 16
    """In normalized text, by its own normalized form."""


@dataclass(frozen=True, eq=False)
class Added:
    """Strings that are found in a text before it is segmented, as columns; each becomes the piece of its id.

    A piece of kind USER_DEFINED that is one of them is found in no other way.
    """

    blob: bytes = b""
    offsets: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(1, np.uint32))
    ids: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    flags: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))

    @classmethod
    def of(cls, rows: Iterable[tuple[str, int, int]]) -> Added:
        """Columns from ``(text, id, flags)`` rows.

        >>> Added.of([("<|end|>", 7, AddedFlag.SPECIAL)]).text(0)
        '<|end|>'
        """
        listed = _rows(rows, "spec-added", "Added tokens are rows of text, id and flags")
        return _columns(
            _added, listed, "spec-added", 'a text, an id and flags, such as ("<|end|>", 7, AddedFlag.SPECIAL)'
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[tuple[str, int, AddedFlag]]:
        for index in range(len(self)):
            yield self.text(index), int(self.ids[index]), AddedFlag(int(self.flags[index]))

    def text(self, index: int) -> str:
        """The text that is looked for."""
        return self.blob[int(self.offsets[index]) : int(self.offsets[index + 1])].decode("utf-8", "replace")


Row = tuple[Any, Any, Any]
Columns = TypeVar("Columns", Pieces, Added)


def _rows(rows: Iterable[Row], code: str, what: str) -> list[Row]:
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Iterable):
        raise SpecError(code, f"{what}, not {type(rows).__name__}.")
    return list(rows)


def _columns(made: Callable[[list[Row]], Columns], rows: list[Row], code: str, what: str) -> Columns:
    """The columns of rows; if there are none, the row that is wrong is named."""
    wrong = (TypeError, ValueError, OverflowError, AttributeError)
    try:
        return made(rows)
    except wrong as error:
        refused: Exception = error
    for number, row in enumerate(rows):
        try:
            made([row])
        except wrong:
            message = f"Row {number} is {row!r:.80}, and must be {what}."
            raise SpecError(code, message, row=number) from refused
    raise refused


def _pieces(rows: list[Row]) -> Pieces:
    names, scores, kinds = [], [], []
    for piece, score, kind in rows:
        names.append(piece.encode() if isinstance(piece, str) else piece)
        scores.append(score)
        kinds.append(int(kind))
    with np.errstate(over="ignore"):  # a score that is too large is refused as such
        return Pieces(b"".join(names), _offsets(names), np.array(scores, np.float32), np.array(kinds, np.uint8))


def _added(rows: list[Row]) -> Added:
    texts = [text.encode() for text, _, _ in rows]
    ids = np.array([id for _, id, _ in rows], np.uint32)
    return Added(b"".join(texts), _offsets(texts), ids, np.array([int(flags) for _, _, flags in rows], np.uint8))


def _offsets(parts: list[bytes]) -> NDArray[np.uint32]:
    offsets = np.zeros(len(parts) + 1, np.uint32)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return offsets


@dataclass(frozen=True)
class Sample:
    """A self-test: encoding ``text`` must give ``pieces``."""

    text: str
    pieces: tuple[str, ...]


def _no_merges() -> NDArray[np.uint32]:
    return np.zeros((0, 3), np.uint32)


@dataclass(frozen=True, eq=False)
class Spec:
    """A tokenizer as data. The defaults are those of a SentencePiece file that says nothing.

    ``charsmap`` and ``denormalizer`` are precompiled maps (trie length, double array, NUL-separated targets), kept byte
    for byte; empty means the identity.

    >>> spec = Spec(Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), ("▁a", -1.0, Kind.NORMAL)]))
    >>> spec.segmenter, spec.unk_id
    ('unigram', 0)
    """

    pieces: Pieces
    segmenter: SegmenterKind = "unigram"
    symbols: Symbols = "characters"
    """What ``bpe`` starts from. With ``bytes`` pieces are bytes, and text is taken as it is, as ``greedy`` needs it and
    ``unigram`` in ``f64`` can have it. Without ``merges`` all 256 bytes must be pieces."""
    splitter: str | None = None
    """The name of the rule that cuts text into chunks, which are segmented one by one; see ``anypiece.reference.split``."""
    normalizer: tuple[dict[str, Any], ...] = ()
    """Steps that rewrite the text, in order; see ``anypiece.reference.steps``. With any, SentencePiece's settings of this
    stage must be off, and ``charsmap`` is used by the step of that name only."""
    split_rules: tuple[dict[str, Any], ...] = ()
    """Rules that cut the text into chunks, in order; see ``anypiece.reference.rules``. They exclude ``splitter``."""
    whole_chunks: bool = False
    """Whether a chunk that is a piece becomes that piece without merging."""
    word_prefix: str = ""
    """What ``wordpiece`` finds in front of the spelling of pieces that begin a chunk: ``▁`` in the files of llama.cpp."""
    continuing_prefix: str = "##"
    """What ``wordpiece`` finds in front of the spelling of pieces within a chunk."""
    max_word_chars: int | None = 100
    """Chunks of more characters are unknown to ``wordpiece``; ``None`` is no limit."""
    merges: NDArray[np.uint32] = field(default_factory=_no_merges)
    """For ``bpe``: the list of merges, a row ``(left id, right id, result id)`` each, those that go first standing first.
    Without them the pair whose piece has the highest score is merged."""
    unknown: Unknown = "fuse"
    """With ``merges``, what becomes of a symbol that no piece covers. ``fuse``: the unknown piece, one for all that stand
    adjacent in a chunk; ``each``: one for each; ``drop``: nothing, before merging; ``omit``: nothing, but only after
    merging, so that what stands around it is not joined."""
    symbol_prefix: str = ""
    """With ``merges``: what each symbol but the first of a chunk has in front when it is looked up."""
    end_suffix: str = ""
    """With ``merges``: what the last symbol of a chunk has behind when it is looked up."""
    added: Added = field(default_factory=Added)
    """Strings that part a text before it is segmented: special tokens, and others that are whole wherever they stand."""
    matching: Literal["leftmost-longest", "longest-first"] = "leftmost-longest"
    """Which of several added tokens that overlap counts: the one that begins first (then the longest), or the longest."""
    arithmetic: Arithmetic = "f32-rebased"
    """How unigram path scores are added and compared: ``f32-rebased`` is float throughout and subtracts the running score
    when it passes ±100000; ``f64-compared`` adds in double, compares with and stores a float cell; ``f64`` is double
    throughout, and then scores may be doubles too."""
    user_defined_score: Literal["length-bonus", "near-best", "zero"] = "length-bonus"
    """Unigram score of a user-defined piece of n bytes: ``0.1 * (n - 1)``, ``n * max(FLT_MIN, best score) - 0.1``, or 0."""
    match_kinds: MatchKinds = "text"
    """Which pieces text can become. ``text``: normal, user-defined and unused ones; user-defined ones are kept whole, unused
    ones split again. ``spelled``: also the unknown piece and byte pieces, by their spelling; for ``unigram`` in ``f64``.
    ``unused``: normal, user-defined and unused ones alike; what a user-defined one begins with is a symbol that the
    normalizer leaves alone; for ``unigram`` in ``f64``. ``all``: every piece, whatever its kind, like any other; for
    ``bpe`` with byte fallback."""
    reserved: Literal["unknown", "matched"] = "unknown"
    """What a symbol of ``bpe``, ``char`` or ``word`` becomes that only a byte or unused piece spells: the unknown piece, or
    bytes, as since SentencePiece 0.2.3; or ``matched``, that piece, as before. A control piece never comes out of text. Of
    vocabularies of characters without ``merges``, where ``match_kinds`` is ``text``."""
    spaces: Spaces = "edges"
    """Where marks for spaces are put. ``edges``: where spaces are, and where ``add_dummy_prefix`` says. ``words``: in front
    of each word if extra spaces are removed, else of the first; text of spaces alone gets no more of them."""
    decoding: Decoding = "surface"
    """How ids become text. ``surface``: control pieces leave no trace, the unknown piece prints its surface, and the space
    put in front is looked for until something is printed. ``literal``: each piece by itself, control, unknown and
    user-defined ones as they are spelled, unused ones as nothing; only the very first piece loses one space in front, if
    ``add_dummy_prefix`` puts it there. ``unspaced``: the same, and it loses that space in any case.
    ``unmarked``: the bytes of each piece, control ones as nothing; for ``symbols="bytes"``."""
    clean_spaces: bool = False
    """Whether decoded text loses spaces before ``?!.,``, ``'s``, ``'m``, ``'re``, ``'ve`` and around a lone apostrophe."""
    decoder: tuple[dict[str, Any], ...] | None = None
    """Steps that make text of the pieces' spellings, in order, in the place of ``decoding``; see
    ``anypiece.reference.decode_steps``."""
    byte_fallback: bool = False
    charsmap: bytes = b""
    denormalizer: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    whitespace_as_suffix: bool = False
    unk_surface: str = " \u2047 "
    bos_id: int | None = None
    eos_id: int | None = None
    pad_id: int | None = None
    add_bos: bool = True
    """Whether ``add_special=True`` puts the bos piece in front of a text."""
    add_eos: bool = True
    """Whether ``add_special=True`` puts the eos piece behind a text."""
    single: tuple[tuple[int | str, int], ...] | None = None
    """What ``add_special=True`` puts around a text, in the place of bos and eos: ids and ``"A"``, the text, each with its
    type id."""
    pair: tuple[tuple[int | str, int], ...] | None = None
    """What stands around two texts, ``"A"`` and ``"B"``."""
    trim_spans: Literal["none", "inner", "all"] = "none"
    """Which spans lose the spaces that their tokens begin and end with: ``all``, or ``inner``, where one space at the
    beginning of the text stays."""
    samples: tuple[Sample, ...] = field(default=())

    def __post_init__(self) -> None:
        for name, kinds in _SETTINGS.items():
            _check_setting(self, name, kinds)
        rows = np.asarray(self.merges)
        if rows.size == 0:
            rows = _no_merges()
        if rows.ndim != 2 or rows.shape[1] != 3 or rows.dtype.kind not in "iu" or rows.min(initial=0) < 0:
            message = "merges must be integers of shape (n, 3): left, right and result id. Reshape the array."
            raise SpecError("spec-merges", message, shape=str(rows.shape))
        if rows.max(initial=0) > _MAX_ID:
            raise SpecError("spec-merges", "merges name an id beyond 32 bits; remove such rows.", id=int(rows.max()))
        object.__setattr__(self, "merges", rows.astype(np.uint32, copy=False))
        for role in ("bos_id", "eos_id", "pad_id"):
            if isinstance(getattr(self, role), np.integer):  # taken from an array of ids
                object.__setattr__(self, role, int(getattr(self, role)))

    @cached_property
    def unk_id(self) -> int:
        """The one piece of kind UNKNOWN, or -1 where there is none, as pieces that are bytes or have merges may do."""
        found = np.flatnonzero(self.pieces.kinds == Kind.UNKNOWN)
        return int(found[0]) if len(found) else -1

    def config(self) -> dict[str, Any]:
        """The fields that are not columns or blobs, as JSON-ready values: what crosses to the kernel."""
        skip = {"pieces", "merges", "charsmap", "denormalizer", "samples", "added"}
        return {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in skip}

    def changed_fields(self) -> dict[str, Any]:
        """The fields, without the pieces, whose values are not the defaults.

        >>> Spec(Pieces.of([("<unk>", 0.0, Kind.UNKNOWN)]), segmenter="bpe").changed_fields()
        {'segmenter': 'bpe'}
        """
        defaults = Spec(self.pieces)
        named = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "pieces"}
        return {name: value for name, value in named.items() if _differs(value, getattr(defaults, name))}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over everything that can change output. Equal fingerprints mean equal ids.

        >>> a = Spec(Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), ("a", -1.0, Kind.NORMAL)]))
        >>> a.fingerprint == a.replace().fingerprint != a.replace(add_dummy_prefix=False).fingerprint
        True
        """
        digest = hashlib.sha256(b"anypiece spec 1\0")
        columns = (self.pieces.offsets, self.pieces.scores, self.pieces.kinds)
        fields = self.__dataclass_fields__
        config = {
            name: value for name, value in self.config().items() if name in _FIRST or value != fields[name].default
        }
        parts = [json.dumps(config, sort_keys=True).encode(), self.pieces.blob]
        parts += [np.ascontiguousarray(column).tobytes() for column in columns]
        parts += [self.charsmap, self.denormalizer]
        if len(self.added):
            numbers = (self.added.offsets, self.added.ids, self.added.flags)
            parts += [self.added.blob, *(np.ascontiguousarray(column).tobytes() for column in numbers)]
        if len(self.merges):
            parts.append(np.ascontiguousarray(self.merges, "<u4").tobytes())
        for part in parts:
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
        return digest.hexdigest()

    def replace(self, **changes: Any) -> Spec:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and self.fingerprint == other.fingerprint and self.samples == other.samples

    def __hash__(self) -> int:
        return hash(self.fingerprint)


_NUMBERS = ("bos_id", "eos_id", "pad_id", "max_word_chars")
_SETTINGS: dict[str, tuple[type, ...]] = {
    "pieces": (Pieces,),
    "added": (Added,),
    "splitter": (str, NoneType),
    **dict.fromkeys(_NUMBERS, (int, NoneType)),
    **{
        name: (type(row.default),)
        for name, row in Spec.__dataclass_fields__.items()
        if type(row.default) in (bool, str, bytes)
    },
}
"""What a field is, where that is one or two types."""


def _check_setting(spec: Spec, name: str, kinds: tuple[type, ...]) -> None:
    value = getattr(spec, name)
    if isinstance(value, np.generic):
        value = value.item()
        object.__setattr__(spec, name, value)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        wanted = " or ".join("None" if kind is NoneType else kind.__name__ for kind in kinds)
        made = f" Make it with {kinds[0].__name__}.of." if kinds[0] in (Pieces, Added) else ""
        message = f"The setting {name} must be {wanted}, not {type(value).__name__} ({value!r:.40}).{made}"
        raise SpecError("spec-config", message, field=name)
    if isinstance(value, str) and not value.isascii() and _SURROGATE.search(value):
        raise SpecError("spec-config", f"The setting {name} has a lone surrogate, which is no text.", field=name)


def _differs(value: Any, default: Any) -> bool:
    return len(value) > 0 if isinstance(value, (Added, np.ndarray)) else bool(value != default)
