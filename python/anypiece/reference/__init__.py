"""The executable specification: every stage of a tokenizer in slow and obvious Python, one file each.

    text -> normalize (charsmap) -> segment (unigram, bpe, char, word) -> tokens -> template -> ids
            or steps (forms, patterns, graphemes), then rules where they split
    text <- decode <- ids
    text -> lattice -> all paths at once -> sampling (philox) -> sampled ids

What these files say is right; the kernel is compared with them, and both with the library whose files they read. A change
of behaviour is made here first. ``cuts`` holds the one idea that the fast path adds: where a text may be cut.
"""

from __future__ import annotations

from .tokenizer import ReferenceTokenizer

__all__ = ["ReferenceTokenizer"]
