"""Texts that show what rules of normalization do, and tokenizers that do nothing else."""

from __future__ import annotations

import random
import unicodedata
from typing import TYPE_CHECKING

from anypiece.spec import Kind, Pieces, Spec

if TYPE_CHECKING:
    from collections.abc import Iterator

CODES = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
JAMO = "".join(
    map(chr, (*range(0x1100, 0x1200), *range(0x3131, 0x318F), *range(0xA960, 0xA97D), *range(0xD7B0, 0xD7FC)))
)
JAMO += "".join(map(chr, (*range(0xFFA0, 0xFFDD), *range(0x3260, 0x327F), *range(0xAC00, 0xAC40))))
MARKS = "".join(chr(code) for code in CODES if unicodedata.combining(chr(code)))


def only_mapped(charsmap: bytes) -> Spec:
    """A Spec that changes text by its map and by nothing else."""
    return Spec(
        Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), ("a", -1.0, Kind.NORMAL)]),
        charsmap=charsmap,
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        escape_whitespaces=False,
    )


def decompositions() -> list[str]:
    """The canonical and the compatibility decomposition of every character that has one, and the first steps of them."""
    found: dict[str, None] = {}
    for code in CODES:
        step = unicodedata.decomposition(chr(code)).split()
        if step or 0xAC00 <= code < 0xD7A4:
            for form in ("NFD", "NFKD", "NFC", "NFKC"):
                found[unicodedata.normalize(form, chr(code))] = None
            found["".join(chr(int(part, 16)) for part in step if not part.startswith("<"))] = None
    return list(found)


def random_texts(rules: dict[str, str], count: int, seed: int) -> Iterator[str]:
    """Strings of keys, targets, parts of keys, jamo, marks and letters in disorder."""
    rng = random.Random(seed)
    keys = sorted(rules)
    singles = [key for key in keys if len(key) == 1]
    sources = (
        lambda: rng.choice(keys),
        lambda: rng.choice(singles),
        lambda: rng.choice(keys)[: rng.randrange(1, 3)],
        lambda: rules[rng.choice(keys)],
        lambda: rng.choice(JAMO),
        lambda: rng.choice(MARKS),
        lambda: rng.choice("aeiouAEIOUkKßİſ \t\n\u200b\u2581～~かカｶ"),
        lambda: chr(rng.choice(CODES)),
    )
    for _ in range(count):
        yield "".join(rng.choice(sources)() for _ in range(rng.randrange(1, 24)))
