"""Writes crates/core/src/normalize/rules/unicode_table.rs: what SentencePiece's named rules know beyond the kernel's tables.

Run it with the releases that the tests pin: ``python scripts/normalization_tables.py``. Nothing else may edit that file.
With ``--map`` it writes the compiled map of the usual rule instead, which the package keeps; build the kernel before.

The kernel's compatibility forms are those of Unicode 9, SentencePiece 0.2.3 was built with Unicode 17. What single
characters become is measured by asking the libraries; the pairs that compose are those that the Unicode Character Database
has added since (versions 13 and 16), each of them checked here, and tests/parity/test_normalization.py checks that none is
missing.
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

import sentencepiece
from tokenizers import normalizers

TABLE = Path(__file__).resolve().parent.parent / "crates/core/src/normalize/rules/unicode_table.rs"
MAPS = Path(__file__).resolve().parent.parent / "python/anypiece/data"
CHARACTERS = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000]

COMPOSED = (
    (0x105D2, 0x307, 0x105C9), (0x105DA, 0x307, 0x105E4),
    (0x11382, 0x113C9, 0x11383), (0x11384, 0x113BB, 0x11385), (0x1138B, 0x113C2, 0x1138E), (0x11390, 0x113C9, 0x11391),
    (0x113C2, 0x113C2, 0x113C5), (0x113C2, 0x113B8, 0x113C7), (0x113C2, 0x113C9, 0x113C8),
    (0x11935, 0x11930, 0x11938),
    (0x1611E, 0x1611E, 0x16121), (0x1611E, 0x16129, 0x16122), (0x1611E, 0x1611F, 0x16123), (0x16129, 0x1611F, 0x16124),
    (0x1611E, 0x16120, 0x16125), (0x16121, 0x1611F, 0x16126), (0x16122, 0x1611F, 0x16127), (0x16121, 0x16120, 0x16128),
    (0x16D67, 0x16D67, 0x16D68), (0x16D63, 0x16D67, 0x16D69), (0x16D69, 0x16D67, 0x16D6A),
)  # fmt: skip


def rule(name: str) -> sentencepiece.SentencePieceNormalizer:
    """A named rule without what is done to spaces besides."""
    plain = {"add_dummy_prefix": False, "escape_whitespaces": False, "remove_extra_whitespaces": False}
    return sentencepiece.SentencePieceNormalizer(rule_name=name, **plain)


def decompositions() -> list[tuple[str, str]]:
    """Characters with a compatibility form that is newer than the kernel's tables."""
    ours, theirs = normalizers.NFKC(), rule("nfkc")
    found = [(c, form) for c in CHARACTERS if (form := theirs.normalize(c)) != ours.normalize_str(c)]
    assert all(normalizers.NFKD().normalize_str(form) == form for _, form in found)
    return found


def checked_pairs() -> tuple[tuple[int, int, int], ...]:
    """The newer pairs, after asking for each of them."""
    theirs, parts = rule("nfkc"), {}
    for first, second, whole in COMPOSED:
        parts[chr(whole)] = parts.get(chr(first), chr(first)) + parts.get(chr(second), chr(second))
        assert theirs.normalize(parts[chr(whole)]) == chr(whole), hex(whole)
    return COMPOSED


def foldings() -> list[tuple[int, int]]:
    """Characters that are their own form, and what they are folded to."""
    form, fold = rule("nfkc"), rule("nfkc_cf")
    return [(ord(c), ord(fold.normalize(c))) for c in CHARACTERS if form.normalize(c) == c != fold.normalize(c)]


def ranges(pairs: list[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """Pairs as (first, last, step, what the first becomes): the others of a range are as far away from theirs."""
    found: list[tuple[int, int, int, int]] = []
    for source, target in pairs:
        if found:
            first, last, step, image = found[-1]
            near = source - last
            if target - source == image - first and near in ((1, 2) if first == last else (step,)):
                found[-1] = (first, source, near, image)
                continue
        found.append((source, source, 1, target))
    return found


def listed(name: str, kind: str, about: str, rows: list[str]) -> str:
    out = f"/// {about}\n#[rustfmt::skip]\npub static {name}: [{kind}; {len(rows)}] = [\n"
    line = "   "
    for row in rows:
        if len(line) + len(row) > 115:
            out, line = out + line + "\n", "   "
        line += f" {row},"
    return f"{out}{line}\n];\n"


def escaped(text: str) -> str:
    return "".join(f"\\u{{{ord(c):X}}}" for c in text)


def char(c: str) -> str:
    return f"'{escaped(c)}'"


def write_map() -> None:
    """Keep the compiled map of the usual rule in the package."""
    from anypiece.training.normalization import RULES, compiled_rule

    packed = lzma.compress(compiled_rule(RULES[0]), preset=9 | lzma.PRESET_EXTREME)
    (MAPS / f"{RULES[0]}.charsmap.xz").write_bytes(packed)


def main() -> None:
    if sys.argv[1:] == ["--map"]:
        return write_map()
    version = sentencepiece.__version__
    head = f"//! What the named rules of SentencePiece {version} know beyond the tables of `steps::forms`.\n//!\n"
    head += "//! Written by `scripts/normalization_tables.py`.\n"
    forms = [f'({char(c)}, "{escaped(form)}")' for c, form in decompositions()]
    pairs = [f"({', '.join(char(chr(code)) for code in row)})" for row in sorted(checked_pairs())]
    folds = [f"(0x{a:X}, 0x{b:X}, {step}, 0x{image:X})" for a, b, step, image in ranges(foldings())]
    body = (
        listed("DECOMPOSED", "(char, &str)", "Characters and their compatibility decompositions, ascending.", forms),
        listed("COMPOSED", "(char, char, char)", "Pairs that compose, ascending, and what to.", pairs),
        listed(
            "FOLDED",
            "(u32, u32, u32, u32)",
            "Simple case folding of characters that NFKC leaves alone: first, last, step, and what the first becomes.",
            folds,
        ),
    )
    TABLE.write_text("\n".join((head, *body)), encoding="utf-8")


if __name__ == "__main__":
    main()
