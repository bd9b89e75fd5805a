"""Preparation: how a corpus becomes words, before any of them is counted.

It is part of what is trained: the vocabulary's Spec has the same normalizer and splitter. A ``skeleton`` is that Spec with
no pieces but those that must be there for it to be one. Kinds of vocabularies differ in nothing else here.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from .. import _native
from .._core.bridge import compiled, spec_of, stored
from .._core.checks import raise_native
from ..errors import FormatError, InputError
from ..formats import bytepiece, tiktoken, wordpiece
from ..formats.settings import RANKS
from ..spec import SPACE_MARK, Added, AddedFlag, Kind, Pieces, Spec
from .meta import word_options
from .normalization import charsmap_of

if TYPE_CHECKING:
    from .options import PieceOptions

__all__ = [
    "BOUNDARY",
    "SENTENCE_KINDS",
    "BytePieceText",
    "ByteText",
    "Preparation",
    "SentenceText",
    "WordPieceText",
    "prepared_sentences",
]

Cutting = Literal["chunks", "prefix", "prefix-runs", "suffix", "suffix-runs", "texts", "words"]

_TEXT_FIELDS = (
    "charsmap", "add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces", "normalizer", "splitter",
    "split_rules",
)  # fmt: skip
"""What the options about text become in a Spec."""
BOUNDARY = "\x1f"
"""What SentencePiece's trainer puts where text looks like a meta piece; a text that has it is parted there too."""
SENTENCE_KINDS = ("unigram", "bpe", "char", "word")
"""Those that SentencePiece trains."""


@dataclass(frozen=True, eq=False)
class Preparation:
    """How texts become words: by the normalizer and splitter of ``skeleton``, cut as ``cutting`` says.

    ``breaks`` are strings that part words and are not counted; with ``words`` each stays in its word as ``BOUNDARY``. With
    ``keep_ends`` lines of a file keep their newlines.
    """

    kind: str
    skeleton: Spec
    cutting: Cutting
    breaks: tuple[str, ...] = ()
    keep_ends: bool = False

    def counter(self, threads: int, ordered: bool = False) -> _native.Counter:
        """A counter of such words, which knows where each was read first if it is ``ordered``."""
        try:
            breaks = [text.encode() for text in self.breaks]
            return _native.Counter(compiled(self.skeleton, 0), self.cutting, breaks, threads, ordered)
        except _native.NativeError as error:
            raise_native(error)

    def header(self) -> dict[str, Any]:
        """What a table of words says about itself, ready for JSON."""
        spec = base64.b64encode(stored(compiled(self.skeleton, 0), ())).decode()
        return {
            "kind": self.kind, "cutting": self.cutting, "breaks": list(self.breaks), "keep_ends": self.keep_ends,
            "skeleton": spec,
        }  # fmt: skip

    @classmethod
    def of_header(cls, header: dict[str, Any]) -> Preparation:
        """What ``header`` gave. Raises ``FormatError``."""
        try:
            spec = spec_of(_native.Tokenizer.from_bytes(base64.b64decode(header["skeleton"]), True, 0))
            cutting, breaks = header["cutting"], tuple(map(_text, header["breaks"]))
            if cutting not in get_args(Cutting):
                raise ValueError(cutting)
            return cls(str(header["kind"]), spec, cutting, breaks, bool(header["keep_ends"]))
        except (KeyError, TypeError, ValueError, _native.NativeError):
            message = "The header of a table of words cannot be read. Count the words again."
            raise FormatError("file-corrupt", message) from None

    def fits(self, wanted: Preparation, text: bool) -> bool:
        """Whether words of this preparation are good for what ``wanted`` is for.

        With ``text`` its normalizer and splitter must be the same; without, those of this one are to be taken. Strings that
        part words may differ: what looks like one of them was then counted as text.
        """
        skeleton = wanted.skeleton
        if not text:
            skeleton = skeleton.replace(**{name: getattr(self.skeleton, name) for name in _TEXT_FIELDS})
        same = (self.cutting, self.keep_ends) == (wanted.cutting, wanted.keep_ends)
        return same and skeleton.fingerprint == self.skeleton.fingerprint

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Preparation) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def key(self) -> tuple[object, ...]:
        """Words of two preparations with the same key can be added up."""
        return self.skeleton.fingerprint, self.cutting, self.breaks, self.keep_ends


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


@dataclass(frozen=True)
class SentenceText:
    """How SentencePiece's kinds of vocabularies see text, under SentencePiece's names."""

    normalization_rule_name: str = "nmt_nfkc"
    """``nmt_nfkc``, ``nfkc``, ``nmt_nfkc_cf``, ``nfkc_cf`` or ``identity``."""
    normalization_rule_tsv: str | None = None
    """A file of rules in the place of named ones: code points in hex, a tab, and what they become."""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True


def prepared_sentences(kind: str, text: SentenceText, options: PieceOptions) -> Preparation:
    """The preparation of SentencePiece's trainers. Text that looks like a meta piece parts words.

    Words of a vocabulary of words are what it looks up, so they are not parted, but those with such text are left out.
    """
    if kind == "word":
        options = word_options(options, text.escape_whitespaces)
    rows: list[tuple[str | bytes, float, int]] = [(options.unk_piece, 0.0, Kind.UNKNOWN)]
    symbols = dict.fromkeys(options.user_defined_symbols)
    rows += [(symbol, 0.0, Kind.USER_DEFINED) for symbol in symbols if symbol != options.unk_piece]
    if SPACE_MARK not in symbols:
        rows.append((SPACE_MARK, 0.0, Kind.NORMAL))  # a vocabulary that nothing matches is refused
    skeleton = Spec(
        Pieces.of(rows),
        segmenter=kind if kind in SENTENCE_KINDS else "unigram",  # type: ignore[arg-type]
        charsmap=charsmap_of(text.normalization_rule_name, text.normalization_rule_tsv),
        add_dummy_prefix=text.add_dummy_prefix,
        remove_extra_whitespaces=text.remove_extra_whitespaces,
        escape_whitespaces=text.escape_whitespaces,
        whitespace_as_suffix=options.treat_whitespace_as_suffix,
        unk_surface=options.unk_surface,
    )
    breaks = [*options.symbols, options.pretokenization_delimiter, BOUNDARY]
    cutting: Cutting = "words" if kind == "word" else _cutting(options)
    return Preparation(kind, skeleton, cutting, tuple(sorted({text for text in breaks if text})))


def _cutting(options: PieceOptions) -> Cutting:
    if not options.split_by_whitespace:
        return "texts"
    runs = options.allow_whitespace_only_pieces
    if options.treat_whitespace_as_suffix:
        return "suffix-runs" if runs else "suffix"
    return "prefix-runs" if runs else "prefix"


@dataclass(frozen=True)
class ByteText:
    """How vocabularies of bytes see text: in the chunks of a splitter or of a pattern."""

    splitter: str | None = None
    """The name of a splitter: gpt2, cl100k, o200k, llama3, qwen2 and others. Default: cl100k."""
    pattern: str | None = None
    """A regular expression whose matches are the chunks, in the place of a splitter."""
    normalizer: tuple[dict[str, Any], ...] = ()
    """Steps that rewrite the text before, such as ``{"type": "nfc"}``."""

    def prepared(self, specials: tuple[str, ...]) -> Preparation:
        """The preparation. Special tokens part the text and are not counted."""
        if self.splitter is not None and self.pattern is not None:
            message = "splitter and pattern both say how text is cut; leave one of them out."
            raise InputError("train-option", message, option="pattern")
        cut = tiktoken.split_by(self.pattern) if self.pattern else {"splitter": self.splitter or "cl100k"}
        rows: list[tuple[str | bytes, float, int]] = [(bytes([byte]), -float(byte), Kind.NORMAL) for byte in range(256)]
        rows += [(special, 0.0, Kind.CONTROL) for special in specials]
        added = Added.of([(special, 256 + index, AddedFlag.SPECIAL) for index, special in enumerate(specials)])
        skeleton = Spec(Pieces.of(rows), added=added, normalizer=self.normalizer, **cut, **RANKS)
        return Preparation("byte-bpe", skeleton, "chunks", keep_ends=True)


@dataclass(frozen=True)
class WordPieceText:
    """How BERT sees text."""

    lowercase: bool = True
    strip_accents: bool | None = None

    def prepared(self) -> Preparation:
        """The preparation."""
        names = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
        skeleton, _ = wordpiece.read(names, lowercase=self.lowercase, strip_accents=self.strip_accents)
        return Preparation("wordpiece", skeleton, "chunks")


@dataclass(frozen=True)
class BytePieceText:
    """How BytePiece sees text: in lines, composed, each with the newlines behind it."""

    def prepared(self) -> Preparation:
        """The preparation."""
        rows = {base64.b64encode(bytes([byte])).decode(): [3 + byte, "", 1] for byte in range(256)}
        skeleton, _ = bytepiece.read(json.dumps(rows).encode())
        return Preparation("bytepiece", skeleton, "chunks", keep_ends=True)
