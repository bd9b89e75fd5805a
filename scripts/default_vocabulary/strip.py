"""From a file's bytes to its plain text, per kind of file: man, html, catalog (gettext), dictionary, text, code.

Owns the removal of markup and nothing else: which files are read is ``sources.toml``'s business, duplicates and balance
are ``corpus``'s. What cannot be read as UTF-8 becomes the empty string.
"""

from __future__ import annotations

import gzip
import re
import struct
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["strip"]


def strip(data: bytes, kind: str) -> str:
    """The plain text of one file."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if kind == "catalog":
        return "\n".join(_catalog(data))
    try:
        return _STRIPPERS[kind](data.decode())
    except UnicodeDecodeError:
        return ""


# ---------------------------------------------------------------- manual pages

_GLYPHS = {"aq": "'", "bu": "•", "em": "—", "en": "–", "co": "©", "lq": "“", "rq": "”", "dq": '"', "oq": "‘", "cq": "’",
           "ti": "~", "ha": "^", "rs": "\\", "mi": "-", "hy": "-", "->": "→", "<-": "←", ">=": "≥", "<=": "≤"}  # fmt: skip
_ESCAPE = re.compile(
    r"\\(?:f(?:\[[^]]*\]|\(..|.)|\*(?:\[[^]]*\]|\(..|.)|[sm](?:\[[^]]*\]|[-+]?\d+)|[hvw]'[^']*'"
    r"|\(..|\[[^]]*\]|[-e&%/,:~ 0|^'`dutcp])"
)
_KEPT_MACROS = re.compile(r"[.'](?:SH|SS|B|I|BR|IR|RB|RI|BI|IB|SM|Sh|Ss|Nm|Nd|Fl|Ar|Op|Pa|Xr|Em|Li|It)\b")
_BREAKS = re.compile(r"[.'](?:SH|SS|P|PP|LP|TP|IP|HP|br|sp|Sh|Ss|Pp|It)\b")


def _glyph(match: re.Match[str]) -> str:
    body = match.group()[1:]
    if body in ("-", "~", " ", "'", "`", "0", "e"):
        return {"~": " ", "0": " ", "e": "\\"}.get(body, body)
    name = body[1:] if body[0] == "(" else body[1:-1] if body[0] == "[" else ""
    if re.fullmatch(r"u[0-9A-F]{4,5}", name):
        return chr(int(name[1:], 16))
    return _GLYPHS.get(name, "")


def _macro_text(line: str) -> str:
    words = re.findall(r'"([^"]*)"|(\S+)', line.partition(" ")[2])
    alternating = re.match(r"[.'](?:BR|IR|RB|RI|BI|IB)\b", line)
    return ("" if alternating else " ").join(quoted or plain for quoted, plain in words)


def _joined(lines: list[str]) -> str:
    text = ""
    for line in lines:
        wide = text and min(text[-1], line[:1] or " ") >= "\u2e80"
        text += line if not text or wide else " " + line
    return text


def _man(text: str) -> str:
    paragraphs: list[str] = []
    open_lines: list[str] = []
    verbatim = table = False

    def close() -> None:
        if open_lines:
            paragraphs.append(_joined(open_lines))
            open_lines.clear()

    for line in text.replace("\\\n", "").split("\n"):
        if line.startswith((".TS", ".TE")):
            table = line.startswith(".TS")
        if re.match(r"[.']\s*(?:\\\"|TS|TE|TH|Dd|Dt|Os|so)", line) or table:
            continue
        if line.startswith((".nf", ".EX", ".fi", ".EE")):
            close()
            verbatim = line.startswith((".nf", ".EX"))
            continue
        if _BREAKS.match(line) or not line:
            close()
        kept = _macro_text(line) if line[:1] in (".", "'") and _KEPT_MACROS.match(line) else line
        if kept is line and line[:1] in (".", "'"):
            continue
        plain = _ESCAPE.sub(_glyph, kept)
        if plain.strip():
            open_lines.append(plain if verbatim else plain.strip())
        if verbatim or line.startswith((".SH", ".SS", ".Sh", ".Ss")):
            close()
    close()
    return "\n".join(paragraphs)


# ---------------------------------------------------------------- HTML and Mallard

_BLOCKS = frozenset((
    "p", "div", "li", "ul", "ol", "dl", "dt", "dd", "tr", "td", "th", "table", "h1", "h2", "h3", "h4", "h5", "h6", "br",
    "pre", "section", "article", "blockquote", "title", "item", "steps", "list", "terms", "note", "caption", "figure",
    "screen", "body", "html", "header", "footer", "aside", "hr",
))  # fmt: skip
_SILENT = frozenset(("script", "style", "head", "nav", "info", "noscript", "template", "svg", "button"))


class _Text(HTMLParser):
    """Collects text; block elements end lines, ``pre``/``screen`` keep theirs, ``_SILENT`` ones say nothing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.silent = self.verbatim = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in _SILENT
        self.verbatim += tag in ("pre", "screen")
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.silent = max(0, self.silent - (tag in _SILENT))
        self.verbatim = max(0, self.verbatim - (tag in ("pre", "screen")))
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.parts.append(data if self.verbatim else re.sub(r"\s+", " ", data))


def _html(text: str) -> str:
    parser = _Text()
    parser.feed(text)
    lines = "".join(parser.parts).split("\n")
    return "\n".join(line.rstrip() if line.startswith("  ") else line.strip() for line in lines)


# ---------------------------------------------------------------- the others


def _catalog(data: bytes) -> Iterator[str]:
    """The translated messages of a gettext ``.mo`` file, without keyboard accelerators."""
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    _, _, count, _, table = struct.unpack_from(order + "5I", data)
    for index in range(count):
        length, start = struct.unpack_from(order + "2I", data, table + 8 * index)
        message = data[start : start + length].decode(errors="replace")
        if index and "\ufffd" not in message:
            yield re.sub(r"[~_](?=\w)|<[^>]*>", "", message.replace("\0", "\n"))


def _dictionary(text: str) -> str:
    """Entries with their hard-wrapped lines joined."""
    text = re.sub(r"[{}\\]|\s*\[1913 Webster\]|\s*\[PJC\]|\s*\[Webster 1913 Suppl\.\]", "", text)
    return re.sub(r"(\S)\n +(?=\S)", r"\1 ", text)


def _text(text: str) -> str:
    return text


_STRIPPERS: dict[str, Callable[[str], str]] = {
    "man": _man,
    "html": _html,
    "dictionary": _dictionary,
    "text": _text,
    "code": _text,
}
