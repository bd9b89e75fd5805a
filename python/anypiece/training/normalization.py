"""Rules of normalization by name or from a TSV file, as SentencePiece's trainer takes them, and the map they become.

The maps of the named rules are kept in the package (``docs/algorithms/normalization.md``); ``charsmap`` compiles others.
This module owns the names, the file and its messages.
"""

from __future__ import annotations

import lzma
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FormatError, InputError
from ..io.paths import read_bytes
from .charsmap import compiled, rows_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

__all__ = ["RULES", "charsmap_of", "compiled_rules", "named_rules", "read_rules"]

RULES = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")
"""The names; the first is what SentencePiece takes if nothing is said."""

_KEPT = Path(__file__).parents[1] / "data"
_MOST_BYTES = 1 << 26
_CODE = re.compile(r"(?:U\+|0x)?([0-9A-Fa-f]{1,8})\Z", re.ASCII)


def charsmap_of(rule: str | None = "nmt_nfkc", tsv: str | os.PathLike[str] | None = None) -> bytes:
    """The character map of a named rule, or of a TSV file, which then stands in the place of the rule.

    ``None`` and ``"identity"`` change nothing and have an empty map. The map of a name is kept; a file is read each time.

    >>> import anypiece as ap
    >>> pieces = ap.Pieces.of([("<unk>", 0.0, ap.Kind.UNKNOWN), ("a", 0.0, ap.Kind.NORMAL)])
    >>> ap.Tokenizer(ap.Spec(pieces, charsmap=charsmap_of("nmt_nfkc_cf"))).normalize("Ｈｅｌｌｏ\\tⅣ ﾃﾞ")
    '▁hello▁iv▁デ'
    >>> charsmap_of("identity")
    b''
    """
    if tsv is not None:
        return compiled_rules(read_rules(tsv))
    return _named_charsmap("identity" if rule is None else rule)


@lru_cache(maxsize=len(RULES))
def _named_charsmap(rule: str) -> bytes:
    if rule not in RULES:
        names = ", ".join(RULES)
        raise InputError(
            "argument-value",
            f"There is no normalization rule {rule!r}. Take one of {names}, or give rules of your own in a TSV file.",
            argument="rule",
            value=rule,
        )
    return b"" if rule == "identity" else lzma.decompress((_KEPT / f"{rule}.charsmap.xz").read_bytes())


def named_rules(rule: str) -> dict[str, str]:
    """The rows of a named rule: what a text has, and what it becomes.

    >>> rules = named_rules("nfkc")
    >>> rules["①"], rules["ｶﾞ"], "a" in rules, len(rules)
    ('1', 'ガ', False, 225232)
    """
    return rows_of(_named_charsmap(rule))


def compiled_rules(rules: Mapping[str, str] | Iterable[tuple[str, str]]) -> bytes:
    """The character map of rules in any order; the longest that matches a text at a place is applied there.

    >>> charsmap = compiled_rules({"colour": "color", "é": "e", "\\u200d": ""})
    >>> from anypiece.reference.charsmap import CharsMap
    >>> CharsMap(charsmap).longest(b"colours", 0)
    (6, b'color')
    """
    rows = rules.items() if hasattr(rules, "items") else rules
    try:
        encoded = [(source.encode(), target.encode()) for source, target in rows]
    except UnicodeEncodeError as error:
        raise InputError(
            "rule-invalid",
            f"A rule has a lone surrogate: {error.object!r}. Rules are about characters.",
            rule=error.object,
        ) from None
    return compiled(encoded)


def read_rules(path: str | os.PathLike[str]) -> dict[str, str]:
    """The rows of a TSV file: code points in hexadecimal with spaces between them, a tab, those of what they become.

    Nothing behind the tab, or no tab, takes the source away. ``U+`` may stand before a number. Further columns are remarks.
    Empty lines are skipped; a line that is wrong, or that gives a source another target, is an error with its number.
    """
    path = Path(path)
    data = read_bytes(path, _MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise FormatError(
            "rule-file", f"{path} has more than {_MOST_BYTES} bytes; rules of normalization do not.", path=str(path)
        )
    rules: dict[str, str] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        source, target = (_text(field, path, number) for field in _fields(line))
        if not source:
            raise _wrong(path, number, "it has no source; write its code points before the tab")
        if rules.setdefault(source, target) != target:
            raise _wrong(path, number, f"line {lines[source]} has another target for the same source; keep one of them")
        lines.setdefault(source, number)
    return rules


def _fields(line: bytes) -> tuple[bytes, bytes]:
    source, _, rest = line.rstrip(b"\r").partition(b"\t")
    return source, rest.partition(b"\t")[0]


def _text(field: bytes, path: Path, number: int) -> str:
    return "".join(_character(word, path, number) for word in field.decode("latin-1").split(" ") if word)


def _character(word: str, path: Path, number: int) -> str:
    match = _CODE.match(word)
    if match is None:
        raise _wrong(path, number, f"{word!r} is not a code point in hexadecimal, such as 00E9 or U+00E9")
    code = int(match[1], 16)
    if code == 0 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise _wrong(path, number, f"{word} is no character that a text can have; remove it")
    return chr(code)


def _wrong(path: Path, number: int, what: str) -> FormatError:
    return FormatError("rule-file", f"{path}, line {number}: {what}.", path=str(path), line=number)
