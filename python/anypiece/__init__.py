"""AnyPiece: one exact, fast tokenizer for every model file.

>>> import anypiece as ap
>>> tok = ap.load()
>>> tok.decode(tok.encode("Hello, world!"))
'Hello, world!'
"""

from ._native import __version__
from .batch import Batch
from .check import Check, check
from .convert import Conversion, convert
from .errors import (
    AnyPieceError,
    DecodeError,
    FileError,
    FormatError,
    InputError,
    SpecError,
    UnknownIdError,
    UnknownPieceError,
)
from .explain import Explanation
from .extend import extend, grow
from .lattice import Edge, Lattice, Path, Paths
from .sampling import Sampler
from .spec import Added, AddedFlag, Kind, Pieces, Sample, Spec
from .streams import StreamDecoder, StreamEncoder
from .tokenizer import Token, Tokenizer, load

__all__ = [
    "Added",
    "AddedFlag",
    "AnyPieceError",
    "Batch",
    "Check",
    "Conversion",
    "DecodeError",
    "Edge",
    "Explanation",
    "FileError",
    "FormatError",
    "InputError",
    "Kind",
    "Lattice",
    "Path",
    "Paths",
    "Pieces",
    "Sample",
    "Sampler",
    "Spec",
    "SpecError",
    "StreamDecoder",
    "StreamEncoder",
    "Token",
    "Tokenizer",
    "UnknownIdError",
    "UnknownPieceError",
    "__version__",
    "check",
    "convert",
    "extend",
    "grow",
    "load",
]
