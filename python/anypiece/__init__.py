"""AnyPiece: one exact, fast tokenizer for every model file.

>>> import anypiece as ap
>>> tok = ap.load()
>>> tok.decode(tok.encode("Hello, world!"))
'Hello, world!'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import _moved
from ._native import ArrowColumn, __version__
from .comparison.check import Check, check
from .conversion.convert import Conversion, convert
from .conversion.extend import extend, grow
from .errors import (
    AnyPieceError,
    DecodeError,
    FileError,
    FormatError,
    InputError,
    InputTypeError,
    InternalError,
    SpecError,
    UnknownClassWarning,
    UnknownIdError,
    UnknownPieceError,
)
from .inspect.explain import Explanation
from .lattice.lattice import Edge, Lattice, Path, Paths
from .loading import load
from .results import Batch, Encoded, SpanBatch, Token
from .spec import Added, AddedFlag, Kind, Pieces, Sample, Spec
from .text.sampling import Sampler
from .text.streams import BatchStreamDecoder, StreamDecoder, StreamEncoder
from .text.warnings import SpecialsWarning
from .tokenizer import Tokenizer

if TYPE_CHECKING:
    from .comparison.compare import Comparison, compare
    from .corpus.shards import Shards
    from .training import WordCounts, count_words, merge_words, train

__all__ = [
    "Added",
    "AddedFlag",
    "AnyPieceError",
    "ArrowColumn",
    "Batch",
    "BatchStreamDecoder",
    "Check",
    "Comparison",
    "Conversion",
    "DecodeError",
    "Edge",
    "Encoded",
    "Explanation",
    "FileError",
    "FormatError",
    "InputError",
    "InputTypeError",
    "InternalError",
    "Kind",
    "Lattice",
    "Path",
    "Paths",
    "Pieces",
    "Sample",
    "Sampler",
    "Shards",
    "SpanBatch",
    "Spec",
    "SpecError",
    "SpecialsWarning",
    "StreamDecoder",
    "StreamEncoder",
    "Token",
    "Tokenizer",
    "UnknownClassWarning",
    "UnknownIdError",
    "UnknownPieceError",
    "WordCounts",
    "__version__",
    "check",
    "compare",
    "convert",
    "count_words",
    "extend",
    "grow",
    "load",
    "merge_words",
    "train",
]

_LATER = {
    "Comparison": "comparison.compare",
    "compare": "comparison.compare",
    "Shards": "corpus.shards",
    "WordCounts": "training",
    "count_words": "training",
    "merge_words": "training",
    "train": "training",
}
"""Names whose modules are imported when they are first asked for: most programs only encode."""


_moved.install()


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
