"""Writes crates/core/src/unicode/*_table.rs: what each character is to `tokenizers`, measured by asking the library.

Run it with the release that the tests pin: ``python scripts/unicode_tables.py``. Nothing else may edit those files; the
tests compare the kernel with the library for every code point.
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import normalizers, pre_tokenizers

FOLDER = Path(__file__).resolve().parent.parent / "crates/core/src/unicode"
CODES = range(0x110000)

FLAGS = (
    "WHITE", "NUMERIC", "PUNCTUATION", "WORD", "UNCLEAN", "NONSPACING", "MARK", "CASED", "NFC", "NFD", "NFKC", "NFKD",
    "SIGN",
)  # fmt: skip


def chunks_of(rule: Any, text: str) -> list[str]:
    return [chunk for chunk, _ in rule.pre_tokenize_str(text)]


def seconds() -> set[str]:
    """Characters that can be composed with one before them; those of a newer Unicode do no harm."""
    found = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for code in CODES:
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            found.add(chr(int(parts[1], 16)))
    return found


def properties() -> list[int]:
    """The flags of every code point."""
    white, digits = pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(individual_digits=True)
    punctuation, words = pre_tokenizers.Punctuation(), pre_tokenizers.Whitespace()
    options = {"handle_chinese_chars": False, "lowercase": False}
    clean = normalizers.BertNormalizer(clean_text=True, strip_accents=False, **options)
    accents = normalizers.BertNormalizer(clean_text=False, strip_accents=True, **options)
    marks, lower = normalizers.StripAccents(), normalizers.Lowercase()
    forms = (normalizers.NFC(), normalizers.NFD(), normalizers.NFKC(), normalizers.NFKD())
    signs = pre_tokenizers.Split(tokenizers.Regex(r"[\p{P}\p{S}]"), "isolated")
    joining = seconds()
    flags = []
    for code in CODES:
        if 0xD800 <= code < 0xE000:
            flags.append(0)
            continue
        c = chr(code)
        starter = unicodedata.combining(c) == 0
        inert = [starter and form.normalize_str(c) == c for form in forms]
        tests = (
            chunks_of(white, f"a{c}a") == ["a", "a"],
            len(chunks_of(digits, f"a{c}a")) == 3,
            len(chunks_of(punctuation, f"a{c}a")) == 3,
            chunks_of(words, f"a{c}a") == [f"a{c}a"],
            clean.normalize_str(c) == "",
            accents.normalize_str(c) == "",
            marks.normalize_str(c) == "",
            lower.normalize_str(c) != c,
            inert[0] and c not in joining,
            inert[1],
            inert[2] and c not in joining,
            inert[3],
            len(chunks_of(signs, f"a{c}a")) == 3,
        )
        flags.append(sum(1 << bit for bit, found in enumerate(tests) if found))
    return flags


def scripts() -> list[int]:
    """A number for each script: what the library keeps together has the same. 0 goes with everything."""
    rule = pre_tokenizers.UnicodeScripts()
    samples: list[str] = []
    numbers: list[int] = []
    for code in CODES:
        c = chr(code)
        if 0xD800 <= code < 0xE000 or not chunks_of(rule, c):
            numbers.append(0)
            continue
        before = numbers[-1] if numbers else 0
        order = [before, *range(1, len(samples) + 1)] if before else range(1, len(samples) + 1)
        found = next((number for number in order if len(chunks_of(rule, samples[number - 1] + c)) == 1), None)
        if found is None:
            samples.append(c)
            found = len(samples)
        numbers.append(found)
    return numbers


def paged(name: str, values: list[int], what: str) -> str:
    """Pages of 256 characters each, those alike only once."""
    pages: dict[tuple[int, ...], int] = {}
    order = [pages.setdefault(tuple(values[at : at + 256]), len(pages)) for at in range(0, len(values), 256)]
    out = f"/// Which of [`{name}`] the code points `256 * i..256 * (i + 1)` have.\n#[rustfmt::skip]\n"
    out += f"pub static {name}_PAGES: [u8; {len(order)}] = [\n"
    for at in range(0, len(order), 24):
        out += f"    {', '.join(map(str, order[at : at + 24]))},\n"
    out += f"];\n\n/// {what}\n#[rustfmt::skip]\npub static {name}: [[u8; 256]; {len(pages)}] = [\n"
    for page in pages:
        out += '    *b"'
        for at in range(0, 256, 64):
            row = "".join(shown(value) for value in page[at : at + 64])
            out += f"\\\n       {row}"
        out += '",\n'
    return out + "];\n"


def shown(value: int) -> str:
    return chr(0x40 + value) if value < 0x3F and value != 0x1C else f"\\x{0x40 + value:02X}"


def written(name: str, about: str, body: str) -> None:
    version = tokenizers.__version__
    head = f"//! {about}, as tokenizers {version} has them.\n//!\n//! Written by `scripts/unicode_tables.py`.\n\n"
    (FOLDER / name).write_text(head + body, encoding="utf-8")


def main() -> None:
    flags = properties()
    kinds = {value: number for number, value in enumerate(sorted(set(flags)))}
    body = "".join(f"/// See `unicode`.\npub const {name}: u16 = 1 << {bit};\n" for bit, name in enumerate(FLAGS))
    body += f"\n/// The flags of each class.\n#[rustfmt::skip]\npub static FLAGS: [u16; {len(kinds)}] = [\n"
    listed = list(kinds)
    for at in range(0, len(listed), 16):
        body += f"    {', '.join(map(str, listed[at : at + 16]))},\n"
    body += "];\n\n" + paged(
        "CLASSES", [kinds[value] for value in flags], "The classes of 256 code points each, 64 more."
    )
    written("properties_table.rs", "What characters are", body)
    body = paged("SCRIPTS", scripts(), "The scripts of 256 code points each, 64 more.")
    written("scripts_table.rs", "Scripts of characters", body)
    print(len(kinds), "classes", file=sys.stderr)


if __name__ == "__main__":
    main()
