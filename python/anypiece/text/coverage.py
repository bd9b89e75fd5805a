"""Vocabularies whose tokens cover a text: spans follow from the lengths of pieces alone, with no second segmentation.

Where every character of a text is kept one for one or dropped, whatever its neighbours are, tokens lie along the kept
characters without a gap. So the n-th token begins where the lengths before it end. The sum of all lengths is compared with
the text, and a text for which it differs (an unknown token, a character that is not known to be kept) is left to the kernel.
"""

from __future__ import annotations

import unicodedata
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ..spec import AddedFlag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..spec import Spec
    from ..tokenizer import Tokenizer

__all__ = ["Coverage", "coverage_of", "keeps_text"]

_DROPPED, _KEPT, _UNCLEAR = 0, 1, 2
"""What becomes of a character: no token has it, it is one character of a token, or that depends on more than itself."""

_LETTERS, _PUNCTUATION = range(0x250), range(0x2010, 0x2046)
_FORMS = frozenset(["nfc", "nfc-14.0"])
_STEPS = frozenset(["bert", "lowercase", "nfc", "nfc-14.0", "nfd", "nfkc", "nfkd", "strip-accents"])
_RULES = frozenset(["bert", "digits", "whitespace", "whitespace-split"])
"""Steps and rules that treat a character of ``_LETTERS`` and ``_PUNCTUATION`` alike wherever it stands. Normal forms do as
long as no combining mark is near, and those are unclear."""


class Coverage(NamedTuple):
    """How tokens lie along a text, as ``_native.lay_tokens`` takes it: the bytes or characters of each id, 0 where an id
    does not determine them, and what becomes of each code point; empty if all are kept."""

    lengths: NDArray[np.uint32]
    classes: bytes
    by_bytes: bool


def coverage_of(tokenizer: Tokenizer) -> Coverage | None:
    """How the tokens of this vocabulary cover a text; None where lengths do not say it."""
    if "coverage" not in tokenizer._lazy:
        tokenizer._lazy["coverage"] = _coverage(tokenizer)
    return cast("Coverage | None", tokenizer._lazy["coverage"])


def keeps_text(rule: dict[str, Any]) -> bool:
    """Whether a rule of ``Spec.split_rules`` only cuts.

    >>> keeps_text({"type": "digits", "individual": True}), keeps_text({"type": "whitespace-split"})
    (True, False)
    """
    if rule["type"] == "split" or rule["type"] == "punctuation":
        return bool(rule["behavior"] != "removed")
    if rule["type"] == "byte-level":
        return not rule["add_prefix_space"]
    return rule["type"] in ("digits", "unicode-scripts", "fixed-length")


def _coverage(tokenizer: Tokenizer) -> Coverage | None:
    spec = tokenizer.spec
    if spec.add_dummy_prefix or spec.remove_extra_whitespaces or spec.escape_whitespaces or spec.byte_fallback:
        return None
    steps, rules = {step["type"] for step in spec.normalizer}, {rule["type"] for rule in spec.split_rules}
    if spec.symbols == "bytes":
        if spec.charsmap or spec.unk_id >= 0 or spec.symbol_prefix or spec.end_suffix or steps - _FORMS:
            return None
        if not all(map(keeps_text, spec.split_rules)):
            return None
        lengths = np.diff(spec.pieces.offsets.astype(np.int64))
        classes = _classes(tokenizer, changed=False) if steps else b""
        return Coverage(_with_added(spec, lengths, b""), classes, True)
    if spec.segmenter != "wordpiece" or spec.word_prefix or spec.splitter or steps - _STEPS or rules - _RULES:
        return None
    classes = _classes(tokenizer, changed=True)
    return Coverage(_with_added(spec, _word_lengths(spec), classes), classes, False)


def _classes(tokenizer: Tokenizer, changed: bool) -> bytes:
    """What becomes of each character between two letters; ``changed`` if it may be another one."""
    classes = bytearray([_UNCLEAR]) * _PUNCTUATION.stop
    for code in chain(_LETTERS, _PUNCTUATION):
        if unicodedata.combining(chr(code)):
            continue
        chunks = tokenizer._kernel.chunks(f"a{chr(code)}a", True)
        text = b"".join(chunk for chunk, _, _ in chunks).decode("utf-8", "replace")
        if text == "aa":
            classes[code] = _DROPPED
        elif len(text) == 3 and text[0] == text[2] == "a" and (changed or text[1] == chr(code)):
            classes[code] = _KEPT
    return bytes(classes)


def _word_lengths(spec: Spec) -> NDArray[np.int64]:
    """Lengths in characters, without the prefix of pieces within a word."""
    prefix = spec.continuing_prefix.encode()
    names = (raw.removeprefix(prefix) if prefix else raw for raw, _, _ in spec.pieces)
    return np.array([len(name.decode("utf-8", "replace")) for name in names], np.int64)


def _with_added(spec: Spec, lengths: NDArray[np.int64], classes: bytes) -> NDArray[np.uint32]:
    """Lengths with those of added tokens, which are as long as what is looked for unless they take white space. The unknown
    piece has none: it stands for any text, also where it is an added token.
    """
    seen: dict[int, int] = {}
    for text, id, flags in spec.added:
        is_kept = all(classes[ord(one) : ord(one) + 1] == bytes([_KEPT]) for one in text) if classes else True
        size = len(text) if classes else len(text.encode())
        is_odd = not is_kept or flags & (AddedFlag.LSTRIP | AddedFlag.RSTRIP) or seen.setdefault(id, size) != size
        lengths[id] = seen[id] = 0 if is_odd else size
    if spec.unk_id >= 0:
        lengths[spec.unk_id] = 0
    return lengths.astype(np.uint32)
