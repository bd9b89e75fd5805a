from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CACHE_SLOTS",
    "ArrowColumn",
    "BatchStreamDecoder",
    "Counter",
    "Lattice",
    "Literals",
    "NativeError",
    "Pattern",
    "StreamDecoder",
    "StreamEncoder",
    "TextColumn",
    "Tokenizer",
    "Words",
    "__version__",
    "arrow_lists",
    "count_characters",
    "count_newlines",
    "encode_words",
    "fail_inside",
    "forbidden",
    "json_integers",
    "json_lines",
    "json_long_strings",
    "lattice",
    "lay_tokens",
    "load_words",
    "merge_ids",
    "merge_words",
    "nbest",
    "numbers_of_strings",
    "sample",
    "sample_batch",
    "sample_ordinary",
    "sample_spans",
    "save_words",
    "scan_json",
    "scan_lines",
    "scan_strings",
    "scan_wire_records",
    "script",
    "spelled",
    "strings_by_number",
    "strings_unmapped",
    "text_lines",
    "text_sizes",
    "texts_not_utf8",
    "texts_replaced",
    "texts_taken",
    "train_byte_bpe",
    "train_bytepiece",
    "train_more_bpe",
    "train_score_bpe",
    "train_spelled_bpe",
    "train_unigram",
    "unigram_memory",
]

CACHE_SLOTS: int
__version__: str

_Text: TypeAlias = str | bytes
_Cutting: TypeAlias = Literal["chunks", "prefix", "prefix-runs", "suffix", "suffix-runs", "texts", "words"]
_Key: TypeAlias = tuple[int, int, int]
_Rows: TypeAlias = tuple[list[tuple[int, str, int, int]], list[tuple[int, bytes]]]
_Permit: TypeAlias = bool | list[int] | tuple[tuple[int, int], ...] | None

@final
class NativeError(ValueError):
    """Raised by every native call; args are (code, message, facts as a JSON object)."""

@final
class Tokenizer:
    """A compiled Spec. Immutable; every method may be called from any thread."""

    def __new__(
        cls,
        config: str,
        columns: dict[str, bytes],
        cache_slots: int = ...,
    ) -> Tokenizer: ...
    @staticmethod
    def open(path: str, mapped: bool = False, verify: bool = False, cache_slots: int = ...) -> Tokenizer: ...
    @staticmethod
    def from_bytes(data: bytes, verify: bool = False, cache_slots: int = ...) -> Tokenizer: ...
    def store(self, extra: bytes | None = None) -> bytes: ...
    @property
    def extra(self) -> bytes: ...
    def spec_columns(self) -> tuple[str, dict[str, bytes]]: ...
    @property
    def vocab_size(self) -> int: ...
    @property
    def unk_id(self) -> int | None: ...
    @property
    def lone_surrogate(self) -> bytes: ...
    def id_to_piece(self, id: int) -> str: ...
    def id_to_bytes(self, id: int) -> bytes: ...
    def piece_to_id(self, piece: str) -> int | None: ...
    def score(self, id: int) -> float: ...
    def kind(self, id: int) -> int: ...
    def encode(self, text: _Text, threads: int = 1, permit: _Permit = None) -> list[int]: ...
    def encode_array(self, text: _Text, threads: int = 1, permit: _Permit = None) -> NDArray[np.uint32]: ...
    def encode_reference(self, text: _Text, permit: _Permit = None) -> list[int]: ...
    def encode_batch(
        self, texts: Sequence[_Text] | TextColumn, threads: int, permit: _Permit = None
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
    def encode_spans(self, text: _Text, chars: bool, permit: _Permit = None) -> _Rows: ...
    def count(self, text: _Text, limit: int | None = None, permit: _Permit = None) -> int: ...
    def count_batch(
        self, texts: Sequence[_Text] | TextColumn, threads: int, permit: _Permit = None
    ) -> NDArray[np.int64]: ...
    def truncate(self, text: _Text, n: int) -> int: ...
    def normalize(self, text: _Text) -> str: ...
    def normalize_offsets(self, text: _Text, chars: bool) -> tuple[str, NDArray[np.int64]]: ...
    def chunks(self, text: _Text, chars: bool) -> list[tuple[bytes, int, int]]: ...
    def units(self, text: _Text) -> list[tuple[int, int, bool]]: ...
    def decode(
        self, ids: Sequence[int] | NDArray[np.uint32], errors: Literal["replace", "ignore", "strict"] = "replace"
    ) -> str: ...
    def decode_bytes(self, ids: Sequence[int] | NDArray[np.uint32]) -> bytes: ...
    def stream_encoder(self, permit: _Permit = None) -> StreamEncoder: ...
    def stream_decoder(self) -> StreamDecoder: ...
    def batch_stream_decoder(self) -> BatchStreamDecoder: ...
    def table_stats(self) -> dict[str, int]: ...

@final
class StreamEncoder:
    def push(self, text: _Text) -> list[int]: ...
    def flush(self) -> list[int]: ...
    @property
    def lone_surrogate(self) -> bytes: ...
    @property
    def pending_bytes(self) -> int: ...

@final
class StreamDecoder:
    def push(self, ids: Sequence[int] | NDArray[np.uint32]) -> str: ...
    def flush(self) -> str: ...

@final
class BatchStreamDecoder:
    """Streams by number. ``push`` adds ``ids[ends[i - 1]:ends[i]]`` to number ``i`` of ``sequences``, or of all in the order
    in which they were added; ``flush`` ends a sequence and forgets it."""

    def add(self, ids: Sequence[int] | NDArray[np.uint32]) -> int: ...
    def push(
        self, ids: Sequence[int] | NDArray[np.uint32], ends: Sequence[int], sequences: Sequence[int] | None
    ) -> list[str]: ...
    def flush(self, sequence: int) -> str: ...
    @property
    def sequences(self) -> list[int]: ...
    def __len__(self) -> int: ...

def fail_inside(threaded: bool) -> None:
    """Panics, on a thread of its own if asked for: what callers get is an ``InternalError``."""

def scan_strings(data: bytes, at: int, count: int, big: bool) -> tuple[bytes, bytes, int]:
    """``count`` strings from ``data[at:]``, each behind its length in eight bytes (``big``: most significant byte first):
    the strings one after the other, where each begins and ends as little-endian uint32, and the place behind the last."""

def script(character: str) -> int:
    """A number for a character's script, as the rule ``unicode-scripts`` has it; 0 goes with every other."""

def scan_wire_records(
    data: bytes, field: int
) -> tuple[bytes, bytes, bytes, bytes, list[tuple[int, bytes]], list[tuple[int, int, int, int]]]:
    """Split protobuf-wire bytes into columns without knowing any message's name.

    Every top-level length-delimited ``field`` is a record; of a record, subfield 1 (bytes), 2 (fixed32 as float) and 3
    (varint) become the columns ``(blob, offsets u32 n+1, floats f32, ints u32)``; an absent float is 0.0, an absent int 0,
    the last of several wins. Then ``strays``: ``(record index, raw bytes)`` of a record's other subfields. Then ``rest``:
    ``(field number, start, end, records before it)`` for every other top-level field, tag included.
    """

def scan_lines(data: bytes) -> tuple[bytes, bytes, bytes] | None:
    """Columns of lines of base64, a space, a number and LF: ``(blob, offsets u32 n+1, numbers u32)``.

    None if a line is anything else, or two lines have the same bytes.
    """

def scan_json(
    data: bytes, places: Sequence[str], nearest: bool = False
) -> tuple[bytes, list[tuple[str, bytes, bytes, bytes] | None]]:
    """Check a JSON document and take tables of strings out of it.

    A place is keys with ``/`` between them. The first value is the document with ``null`` for each table. Then, by place,
    ``(shape, blob, offsets u32 n+1, values)``, or None where no array or object is. Shapes: ``ints`` (an object of whole
    numbers; values u32), ``floats`` (rows of a string and a number; values f64), ``strings``, and ``pairs`` (rows of two
    strings, so that there are twice as many strings as rows). A float is read as tokenizers does, which may miss the nearest
    one by a step; with ``nearest`` it is the nearest, as Python's.
    """

def json_long_strings(document: bytes, longest: int) -> tuple[bytes, list[str]] | None:
    """Take string values longer than ``longest`` bytes, as they are written, out of a JSON document.

    The first value is the document with ``NaN`` for each, the second their texts in its order.
    Keys stay, and strings that a reader may refuse or that hold half of a surrogate pair. None if nothing is taken, the
    document is not UTF-8, or a ``NaN`` or ``Infinity`` is in it already. The lock is not held while it is read.
    """

def json_integers(numbers: NDArray[np.uint32] | NDArray[np.int64]) -> bytes:
    """A contiguous array as a JSON list. The lock is not held while it is written."""

def numbers_of_strings(vocabulary: tuple[bytes, bytes], wanted: tuple[bytes, bytes]) -> bytes:
    """The number (u32) of each wanted string among the strings ``(blob, offsets)``; 4294967295 for one that is not there."""

def strings_by_number(blob: bytes, offsets: bytes, numbers: bytes, limit: int) -> tuple[bytes, bytes]:
    """Put each string at its number: ``(blob, offsets)``, with empty strings at numbers that none has.

    Of equal strings the last counts. A number above ``limit``, or one that two strings have, is an error.
    """

def strings_unmapped(blob: bytes, offsets: bytes, characters: Sequence[int]) -> tuple[bytes, bytes, bytes]:
    """The bytes of strings in which byte ``b`` is written as the character ``characters[b]``: ``(blob, offsets, mapped)``.

    A string with any other character stays as it is, and its ``mapped`` is 0.
    """

def merge_ids(
    vocabulary: tuple[bytes, bytes],
    merges: tuple[bytes, bytes],
    listing: str,
    prefix: int = 0,
    keeps_last: bool = True,
) -> tuple[bytes, int | None]:
    """The ids (u32) of left side, right side and result of each merge, looked up in a vocabulary ``(blob, offsets)``, and
    the first merge that is misspelled or has a side or a result that is not there.

    ``listing`` says how merges are spelled: ``"pairs"`` of strings, strings with ``"one-space"`` between the sides, or
    with a ``"first-space"`` that is not the first character, where strings without one are skipped. The first
    ``prefix`` bytes of the right side are left out of the result. Of equal pairs the last counts, or the first, at its
    own place.
    """

@final
class TextColumn:
    """A column of texts that an object exports by the Arrow PyCapsule protocol; a table must have one column."""

    def __new__(cls, object: object) -> TextColumn: ...
    def __len__(self) -> int: ...
    @property
    def null_count(self) -> int: ...
    def to_list(self) -> list[str | bytes | None]: ...
    def valid_rows(self) -> NDArray[np.int64]:
        """The numbers of the rows that are not null."""

@final
class ArrowColumn:
    """A column that is handed out by the Arrow PyCapsule protocol, without a copy of ids and numbers."""

    @staticmethod
    def lists(ids: NDArray[np.uint32], offsets: NDArray[np.int64], column: TextColumn | None = None) -> ArrowColumn: ...
    @staticmethod
    def numbers(numbers: NDArray[np.int64], column: TextColumn | None = None) -> ArrowColumn: ...
    @staticmethod
    def texts(texts: list[str], valid: list[bool] | None = None) -> ArrowColumn: ...
    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...

def arrow_lists(object: object) -> tuple[NDArray[np.uint32], NDArray[np.int64], list[bool] | None, int | None]:
    """The ids, offsets and validity (``None``: nothing is null) of a column of lists of integers, and the first that is no
    uint32; in its place, as in that of all others, is the largest uint32."""

@final
class Lattice:
    """The lattice of a text. Immutable. A path is a list of numbers of edges, which are sorted by end and then by start."""

    def columns(self) -> list[NDArray[np.uint32]]:
        """For each edge: start, end, id, and where it is from in the text, start and end."""

    def scores(self) -> NDArray[np.float64]: ...
    def widths(self) -> NDArray[np.uint32]: ...
    def bounds(self) -> NDArray[np.uint32]: ...
    def normalized(self) -> bytes: ...
    def best(self) -> list[int]: ...
    def score(self, path: Sequence[int]) -> float: ...
    def ids(self, path: Sequence[int]) -> list[int]: ...
    def token_scores(self, path: Sequence[int]) -> list[float]:
        """What each of the ids of a path adds to its score."""
    def nbest(self, n: int) -> tuple[NDArray[np.uint32], int, NDArray[np.uint32], NDArray[np.int64]]:
        """The best paths as ``Paths`` has them, and how many; their edges, and where those of each begin."""
    def log_partition(self, alpha: float) -> float: ...
    def entropy(self, alpha: float) -> float: ...
    def marginals(self, alpha: float) -> NDArray[np.float64]: ...
    def sample(self, method: str, alpha: float, key: _Key) -> tuple[list[int], float]: ...
    def without_replacement(
        self, k: int, alpha: float, key: _Key, without: Sequence[int] | None
    ) -> list[tuple[list[int], float, float]]: ...
    def __len__(self) -> int: ...

def lattice(tokenizer: Tokenizer, text: _Text, chars: bool, permit: _Permit = None) -> Lattice: ...
def nbest(tokenizer: Tokenizer, text: _Text, n: int, permit: _Permit = None) -> tuple[NDArray[np.uint32], int] | None:
    """The best paths as ``Paths`` has them, and how many. None where only the lattice says it."""

def sample(
    tokenizer: Tokenizer, text: _Text, method: str, value: float, key: _Key, permit: _Permit = None, nbest: int = 1
) -> NDArray[np.uint32]:
    """Ids of a text, drawn at random by (seed, epoch, index) and an inverse temperature or a probability of dropout."""

def sample_ordinary(
    tokenizer: Tokenizer, text: _Text, method: str, value: float, seed: int, epoch: int, index: int
) -> NDArray[np.uint32]:
    """Draw with a number from 0 to 1 and a key of 64 bits each; any other argument is refused."""

def sample_batch(
    tokenizer: Tokenizer,
    texts: Sequence[_Text] | TextColumn,
    method: str,
    value: float,
    key: _Key,
    threads: int,
    permit: _Permit = None,
    nbest: int = 1,
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
def sample_spans(
    tokenizer: Tokenizer,
    text: _Text,
    method: str,
    value: float,
    key: _Key,
    chars: bool,
    permit: _Permit = None,
    nbest: int = 1,
) -> _Rows: ...
def encode_words(
    tokenizer: Tokenizer, texts: Sequence[_Text], permit: _Permit = None
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
    """The tokens of many texts: ids, where each text begins among them, and for each token its start and end in characters
    and the number of its pre-token, where added tokens and the chunks between them count on through a text."""

def lay_tokens(
    texts: Sequence[_Text],
    ids: NDArray[np.uint32],
    bounds: NDArray[np.int64],
    lengths: NDArray[np.uint32],
    classes: bytes,
    by_bytes: bool,
    chars: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Starts and ends of tokens that cover their texts without a gap, and for each text whether they do. Where they do not,
    its starts and ends mean nothing.

    The tokens of text ``i`` are ``ids[bounds[i]:bounds[i + 1]]``. ``lengths`` has the bytes or characters of each id, 0
    where the id does not determine them. ``classes`` says by code point whether a character is dropped (0), kept (1) or
    neither for certain (2, and all code points beyond); empty if all are kept.
    """

def spelled(tokenizer: Tokenizer, names: Sequence[str]) -> NDArray[np.uint32]:
    """Numbers of special tokens by their spelling, for ``forbidden``; names that are none are left out."""

def forbidden(
    tokenizer: Tokenizer, texts: Sequence[_Text] | TextColumn, allowed: NDArray[np.uint32] | Sequence[int]
) -> tuple[int, str, int] | None:
    """The first special token in the first text that has one, but for those with the numbers ``allowed``.

    Number of the text, spelling, and where it begins, in bytes.
    """

@final
class Pattern:
    """A pattern by itself, as the steps and rules of a Spec have them: literal, regex, regex-15.1 or fancy-regex."""

    def __new__(cls, kind: str, source: str) -> Pattern: ...
    def stretches(self, text: str) -> list[tuple[int, int, bool]]:
        """The matches and what lies between them, by characters: start, end, whether it is a match."""

@final
class Words:
    """Distinct words with 64-bit counts, in the order of their bytes: what the trainers read."""

    def __new__(cls, blob: bytes, offsets: bytes, counts: bytes, ordered: bool = False) -> Words:
        """From columns of little-endian 64-bit numbers, in any order; counts of equal words are added.

        With ``ordered`` the order of the rows is that in which the words were read.
        """
    def __len__(self) -> int: ...
    @property
    def size(self) -> int:
        """Bytes that the table takes in memory."""
    @property
    def ordered(self) -> bool:
        """Whether the order in which the words were read is known."""
    def total(self) -> int: ...
    def columns(self) -> tuple[bytes, bytes, bytes]: ...
    def firsts(self) -> bytes | None:
        """How many words were read before each was read first (``<u8``), if that is known."""

@final
class Counter:
    """Counts the words of texts, as a tokenizer's normalizer and splitter leave them, on several threads.

    With ``ordered`` it is noted where each word was read first.
    """

    def __new__(
        cls, tokenizer: Tokenizer, cutting: _Cutting, breaks: Sequence[bytes], threads: int, ordered: bool = False
    ) -> Counter: ...
    def add(self, texts: Sequence[_Text], times: bytes | None = None) -> None:
        """Count texts; ``times`` are little-endian 64-bit numbers, one for each."""
    def add_lines(self, block: bytes, keep_ends: bool) -> tuple[int, list[int]]:
        """Count the lines of a block; the number of lines, and the numbers of those that are no UTF-8 and not counted."""
    @property
    def memory(self) -> int:
        """Bytes that the words take so far, and what is needed to put them in order."""
    def take(self) -> Words:
        """The words so far; the counter is empty then."""

def count_newlines(block: bytes) -> int: ...
def save_words(words: Words, path: str, header: bytes) -> None: ...
def load_words(path: str, limit: int) -> tuple[Words, tuple[int, int, int]]:
    """The words of a file that fit into ``limit`` bytes, and what was left out.

    That is: the least count of a word that was not, how many words were, and the sum of their counts.
    """

def merge_words(paths: Sequence[str], out: str, header: bytes) -> tuple[int, int]:
    """Write the sum of at most 64 files; how many words there are, and the sum of their counts.

    The order of words is that of reading one file after the other; it is kept if all files have one.
    """

def count_characters(words: Words) -> dict[str, int]:
    """How often each character is seen."""

def train_unigram(
    words: Words, options: str, threads: int, report: Callable[[str, int, int], object] | None = None
) -> tuple[bytes, bytes, bytes, str]:
    """The pieces left by pruning on end, offsets (``<u4``), scores (``<f8``), facts as JSON; ``options`` as JSON, those of
    ``kernel_options``."""

_Report = Callable[[str, int, int], object] | None

def train_byte_bpe(words: Words, config: str, report: _Report = None) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """Merges on end (left, right, made) and how often each pair was there. Symbols from 256 on are those that were made.

    Options as JSON: ``symbols`` (of each byte, or null), ``merges``, ``min_frequency``, ``max_length``, ``reserved``.
    """

def train_more_bpe(
    ids: bytes, offsets: bytes, counts: bytes, pieces: list[bytes], config: str, report: _Report = None
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """More merges, as ``train_byte_bpe`` has them, of words that are ids of pieces; new symbols come behind all pieces.

    Columns: ids on end, where each word begins, how often it was seen. Options as JSON: ``merges``, ``min_frequency``,
    ``max_length``, ``reserved``.
    """

def train_score_bpe(words: Words, config: str, report: _Report = None) -> list[bytes]:
    """The merged pieces in their order. Options as JSON: ``kernel_options`` with ``merges`` and ``first_seen``."""

def train_spelled_bpe(words: Words, config: str, report: _Report = None) -> list[bytes]:
    """Pieces by id. Options as JSON: ``vocab_size``, ``min_frequency``, ``max_token_length``, ``listed``, ``prefix``."""

def train_bytepiece(words: Words, config: str, report: _Report = None) -> list[list[tuple[bytes, int]]]:
    """Pieces with counts for each size, the largest first; ``max_vocab_sizes`` in the place of ``max_vocab_size``."""

def unigram_memory(words: Words, options: str, threads: int) -> int:
    """How many bytes ``train_unigram`` needs at most besides the words."""

def text_lines(block: bytes) -> tuple[TextColumn, NDArray[np.int64], NDArray[np.uint8]]:
    """Each line of a block as a text, without its end, and where it begins; the third array is empty."""

def json_lines(
    block: bytes, path: Sequence[str], threads: int = 1
) -> tuple[TextColumn, NDArray[np.int64], NDArray[np.uint8]]:
    """The string at a path in the JSON object on each line, null where there is none, and where the line begins.

    The numbers say what became of each line: 0 a text, 1 nothing but white space, 2 no such field, 3 a field that is no
    string, 4 a line that the caller has to read: it is no JSON, or not plain (not UTF-8, half of a surrogate pair, a number
    beyond a double or none, more than a hundred objects within each other). Of equal keys the last one counts.
    """

def text_sizes(texts: TextColumn) -> NDArray[np.int64]:
    """The sizes of the texts in bytes; 0 for null."""

def texts_not_utf8(texts: TextColumn) -> NDArray[np.int64]:
    """The rows whose texts are not UTF-8."""

def texts_taken(texts: TextColumn, rows: NDArray[np.int64]) -> TextColumn:
    """Some rows of a column."""

def texts_replaced(texts: TextColumn, others: Sequence[tuple[int, bytes | None]]) -> TextColumn:
    """A column with other texts in some rows; ``None`` for null."""

@final
class Literals:
    """Strings that texts are searched for; none is empty."""

    def __new__(cls, strings: Sequence[bytes]) -> Literals: ...
    def are_in(self, texts: TextColumn) -> NDArray[np.bool_]:
        """Whether each text of a column contains one."""
