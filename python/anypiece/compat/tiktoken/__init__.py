"""tiktoken's surface over this engine: ``import anypiece.compat.tiktoken as tiktoken``.

Ids, bytes, offsets and errors are those of tiktoken 0.14. Rank files are read from the folder that ``$ANYPIECE_RANKS`` names
or from tiktoken's cache, and never downloaded; see ``docs/compat/tiktoken.md``.
"""

from .core import Encoding
from .model import encoding_for_model, encoding_name_for_model
from .registry import get_encoding, list_encoding_names

__all__ = [
    "Encoding",
    "__version__",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "list_encoding_names",
]

__version__ = "0.14.0"
"""The release of tiktoken whose surface this is."""
