"""AnyPiece's kernel under the fast tokenizers of transformers (5, and 4.57 or later).

``patch()`` makes every fast tokenizer that is made from now on encode and decode with AnyPiece, ``unpatch()`` takes it back,
and ``with patched():`` is both. Settings, added tokens, saving and training stay with transformers and tokenizers, so all
else works as before. Importing this module does not import transformers.

>>> is_patched()
False
"""

from .auto import AutoTokenizer
from .patching import adopt, is_patched, patch, patched, release, unpatch

__all__ = ["AutoTokenizer", "adopt", "is_patched", "patch", "patched", "release", "unpatch"]
