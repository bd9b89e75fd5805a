"""sentencepiece's surface over this engine: ``import anypiece.compat.sentencepiece as spm``.

It is the union of the releases 0.2.1 to 0.2.3. Ids are those of the newest; where releases disagree on the rest, see
``docs/compat/sentencepiece.md``. Draws have the same distribution as sentencepiece's and are other draws.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .drawing import set_seed
from .errors import NotFoundError, RefusedError, WrongTypeError
from .processor import SentencePieceProcessor
from .protos import (
    ImmutableNBestSentencePieceText,
    ImmutableSentencePieceText,
    ImmutableSentencePieceText_ImmutableSentencePiece,
)
from .threads import ThreadPool

if TYPE_CHECKING:
    from .normalizer import SentencePieceNormalizer
    from .trainer import SentencePieceTrainer

__all__ = [
    "ConvertToFlatbuffer",
    "ImmutableNBestSentencePieceText",
    "ImmutableSentencePieceText",
    "ImmutableSentencePieceText_ImmutableSentencePiece",
    "NotFoundError",
    "RefusedError",
    "SentencePieceNormalizer",
    "SentencePieceProcessor",
    "SentencePieceTrainer",
    "SetDataDir",
    "SetMinLogLevel",
    "SetNBestTimeout",
    "SetRandomGeneratorSeed",
    "ThreadPool",
    "WrongTypeError",
    "__version__",
    "convert_to_flatbuffer",
    "set_data_dir",
    "set_min_log_level",
    "set_nbest_timeout",
    "set_random_generator_seed",
]

__version__ = "0.2.3"
"""The newest release whose surface this is."""

_LATER = {"SentencePieceNormalizer": "normalizer", "SentencePieceTrainer": "trainer"}
"""Names whose modules are imported when they are first asked for: they bring the trainers."""


def set_random_generator_seed(seed: int) -> None:
    """Begin the draws of a seed: the same calls in the same order then give the same draws."""
    set_seed(seed)


def set_min_log_level(v: int) -> None:
    """Nothing is logged here, whatever the level."""
    if not isinstance(v, int):
        raise WrongTypeError("the level must be int")


def set_nbest_timeout(timeout_ms: int) -> None:
    """Refused: n-best lists have a bound on memory here, and none on time."""
    raise NotImplementedError("SetNBestTimeout is not supported")


def set_data_dir(data_dir: str) -> None:
    """Refused: the rules of normalization are in this package."""
    raise NotImplementedError("SetDataDir is not supported")


def convert_to_flatbuffer(*args: Any, **kwargs: Any) -> bytes | None:
    """Refused: there is no writer of FlatBuffers here."""
    raise NotImplementedError("ConvertToFlatbuffer is not supported")


SetRandomGeneratorSeed, SetMinLogLevel = set_random_generator_seed, set_min_log_level
SetNBestTimeout, SetDataDir, ConvertToFlatbuffer = set_nbest_timeout, set_data_dir, convert_to_flatbuffer


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = found
    return found
