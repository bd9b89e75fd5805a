"""The section ``decoder`` of a tokenizer.json as decoding steps of a Spec."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .fields import boolean, kind_of, listed, made, mapping, refuse, string, unsupported, whole
from .stages import prepend_scheme

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["read_decoder", "refuse_empty"]

Step = dict[str, Any]


def read_decoder(section: Any, byte_level: bool, forms: Callable[[], dict[str, str]]) -> tuple[Step, ...] | None:
    """The steps; None where pieces are bytes that decode to themselves. ``forms`` says which pieces decode to what; where
    they are bytes, which do by their letters.
    """
    sections = _flat(section)
    kinds = [kind for kind, _ in sections]
    # One text is left for what follows the first, and to join it changes nothing.
    if byte_level and kinds[:1] == ["ByteLevel"] and not set(kinds[1:]) - {"Fuse"}:
        return None
    lettered: tuple[Step, ...] = ({"type": "byte-letters"},) if byte_level else ()
    spelled = dict(sorted(forms().items()))
    respelled: tuple[Step, ...] = ({"type": "respell", "pieces": spelled},) if spelled else ()
    if section is None:
        return (*lettered, *respelled, {"type": "join", "separator": " "})
    return (*lettered, *respelled, *(made(_STEPS, kind, fields, "decoder") for kind, fields in sections))


def refuse_empty(section: Any) -> None:
    """Refuses decoders that show where a token of no characters stood. A Spec has no such pieces: they decode to nothing."""
    blind = {"ByteLevel", "Fuse", "Replace", "Strip"}
    kinds = [kind for kind, _ in _flat(section)]
    if section is None or set(kinds) - blind:
        shown = ", ".join(kind for kind in kinds if kind not in blind) or "null"
        what = f"has the empty string, which the decoder {shown} would show"
        unsupported("model.vocab", what, "Leave it out, and number the added tokens anew.")


def _flat(section: Any) -> list[tuple[str, dict[str, Any]]]:
    if section is None:
        return []
    kind, fields = kind_of(section, "decoder")
    if kind != "Sequence":
        return [(kind, fields)]
    return [part for item in listed(fields.get("decoders"), "decoder.decoders") for part in _flat(item)]


def _character(fields: dict[str, Any], name: str) -> str:
    character = string(fields, name, "decoder")
    if len(character) != 1:
        refuse(f"decoder.{name}", "is not one character")
    return character


def _replace(fields: dict[str, Any]) -> Step:
    pattern, content = mapping(fields.get("pattern"), "decoder.pattern"), string(fields, "content", "decoder")
    if set(pattern) != {"String"}:
        return _expression(string(pattern, "Regex", "decoder.pattern"), content)
    return {"type": "replace", "pattern": string(pattern, "String", "decoder.pattern"), "content": content}


_PLAIN = re.compile(r"(?:[^\\.*+?()\[\]{}|^$]|\\[!-/:-@\[-`{-~ ])+")
_FIRST = re.compile(r"(?:\(\?<!\\n\)\^|\\A)(.+)", re.DOTALL)


def _expression(source: str, content: str) -> Step:
    """A regular expression as a step: one that is a text, or that takes a character away at the beginning of a token."""
    if _PLAIN.fullmatch(source):
        return {"type": "replace", "pattern": _unescaped(source), "content": content}
    first = _FIRST.fullmatch(source)
    if first and not content and _PLAIN.fullmatch(first[1]) and len(_unescaped(first[1])) == 1:
        return {"type": "strip", "content": _unescaped(first[1]), "start": 1, "stop": 0}
    what = f"is the regular expression {source!r}"
    unsupported("decoder.pattern", what, "Replace a text by a text, or take a character away at the beginning.")


def _unescaped(source: str) -> str:
    return re.sub(r"\\(.)", r"\1", source, flags=re.DOTALL)


def _ctc(fields: dict[str, Any]) -> Step:
    pad, delimiter = (string(fields, name, "decoder") for name in ("pad_token", "word_delimiter_token"))
    cleanup = boolean(fields, "cleanup", "decoder")
    if cleanup and not delimiter:
        unsupported("decoder.word_delimiter_token", "is empty", "Name the token that stands between words.")
    return {"type": "ctc", "pad": pad, "delimiter": delimiter, "cleanup": cleanup}


_STEPS: dict[str, Callable[[dict[str, Any]], Step]] = {
    "ByteFallback": lambda fields: {"type": "byte-fallback"},
    "Fuse": lambda fields: {"type": "fuse"},
    "ByteLevel": lambda fields: {"type": "byte-level"},
    "Replace": _replace,
    "Metaspace": lambda fields: {
        "type": "metaspace",
        "replacement": _character(fields, "replacement"),
        "prepended": prepend_scheme(fields, "decoder") != "never",
    },
    "Strip": lambda fields: {
        "type": "strip",
        "content": _character(fields, "content"),
        "start": whole(fields, "start", "decoder"),
        "stop": whole(fields, "stop", "decoder"),
    },
    "WordPiece": lambda fields: {
        "type": "wordpiece",
        "prefix": string(fields, "prefix", "decoder"),
        "cleanup": boolean(fields, "cleanup", "decoder"),
    },
    "BPEDecoder": lambda fields: {"type": "suffix", "suffix": string(fields, "suffix", "decoder")},
    "CTC": _ctc,
}
