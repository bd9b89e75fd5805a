"""Decoding by a list of steps: the spellings of the pieces go through them in order and are joined at the end.

A step takes a list of tokens and gives a list of tokens. They are the decoders of tokenizers 0.23.3:

- ``byte-fallback``: a run of tokens spelled ``<0xNN>`` becomes the text of its bytes; if it is none, each byte is bad.
- ``metaspace``: ``replacement`` becomes a space; if one was ``prepended``, those of the first token go.
- ``replace``: in each token ``pattern`` becomes ``content``.
- ``fuse``: all tokens become one.
- ``strip``: at most ``start`` and ``stop`` of the character ``content`` go at the ends of each token.
- ``wordpiece``: a token with ``prefix`` loses it, any other but the first gets a space in front; then ``cleanup``.
- ``suffix``: ``suffix`` becomes a space, and nothing in the last token.
- ``ctc``: of equal adjacent tokens one stays; ``pad`` goes; with ``cleanup`` that is done, and ``delimiter`` is a space.
- ``join``: ``separator`` stands between every two tokens.

and one more, for what a normalizer makes of added tokens:

- ``respell``: a token that is one of ``pieces`` becomes the text that this says.

Where pieces are bytes, the first step is ``byte-letters``: each byte becomes the character that stands for it in byte-level
vocabularies. ``byte-level`` is the reverse, and all tokens become one text; a token with another character stays as it is.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .bounds import Bounds
from .decode import repaired

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .decode import Errors

__all__ = ["decoded"]

Tokens = list[bytes]

_BYTE = re.compile(rb"<0x(\+[0-9A-Fa-f]|[0-9A-Fa-f]{2})>")
_CLEANUP = (
    (b" .", b"."),
    (b" ?", b"?"),
    (b" !", b"!"),
    (b" ,", b","),
    (b" ' ", b"'"),
    (b" n't", b"n't"),
    (b" 'm", b"'m"),
    (b" do not", b" don't"),
    (b" 's", b"'s"),
    (b" 've", b"'ve"),
    (b" 're", b"'re"),
)


def decoded(
    steps: Sequence[dict[str, Any]],
    pieces: Iterable[bytes],
    errors: Errors = "replace",
    *,
    streamed: bool = False,
    has_empty: bool = False,
) -> bytes:
    """The text of pieces; ``streamed`` is what a stream gives of them, which cannot take back a character. Empty ones stand
    where no piece has the id and are left out, unless ``has_empty`` says that they are tokens.

    >>> steps = [{"type": "byte-fallback"}, {"type": "fuse"}, {"type": "strip", "content": " ", "start": 1, "stop": 0}]
    >>> decoded(steps, [b" a", b"<0xC3>", b"<0xA9>", b"<0xFF>", b"b"]).decode()
    'a���b'
    >>> decoded(steps, [b" a", b"<0xC3>", b"<0xA9>", b"<0xFF>", b"b"], streamed=True).decode()
    'aé�b'
    """
    tokens = [piece for piece in pieces if piece or has_empty]
    bounds = Bounds(sum(map(len, tokens)))
    for step in steps:
        bounds.spend(sum(map(len, tokens)) + len(tokens))
        bounds.check(_put_in(tokens, step))
        options = {name: value for name, value in step.items() if name != "type"}
        if step["type"] in ("byte-fallback", "byte-level"):
            options["errors"] = errors
        if step["type"] == "byte-fallback":
            options["streamed"] = streamed
        tokens = _STEPS[step["type"]](tokens, **options)
        bounds.check(sum(map(len, tokens)))
    return b"".join(tokens)


def _put_in(tokens: Tokens, step: dict[str, Any]) -> int:
    """How many bytes a step puts in that the file spells."""
    if step["type"] == "replace":
        found = sum(token.count(step["pattern"].encode()) for token in tokens)
        return found * len(step["content"].encode())
    if step["type"] == "join":
        return (len(tokens) - 1) * len(step["separator"].encode()) if tokens else 0
    return (
        sum(len(step["pieces"].get(token.decode("utf-8", "replace"), "")) for token in tokens)
        if step["type"] == "respell"
        else 0
    )


def _byte_fallback(tokens: Tokens, errors: Errors, streamed: bool) -> Tokens:
    out: Tokens = []
    for is_byte, run in groupby(tokens, key=lambda token: _BYTE.fullmatch(token) is not None):
        if not is_byte:
            out += run
            continue
        raw = bytes(int(token[3:5], 16) for token in run)
        if repaired(raw, "ignore") == raw:
            out.append(raw)
        elif errors == "replace":
            # Good characters in front of the first bad byte: a stream has given them out before that came.
            good = _good(raw) if streamed else b""
            out += [good] * bool(good) + ["\ufffd".encode()] * (len(raw) - len(good))
        else:
            out.append(repaired(raw, errors))
    return out


def _good(raw: bytes) -> bytes:
    """The characters that ``raw`` begins with."""
    try:
        return raw.decode().encode()
    except UnicodeDecodeError as error:
        return raw[: error.start]


def _metaspace(tokens: Tokens, replacement: str, prepended: bool) -> Tokens:
    marks = [b"" if prepended and place == 0 else b" " for place in range(len(tokens))]
    return [token.replace(replacement.encode(), mark) for token, mark in zip(tokens, marks, strict=True)]


def _strip(tokens: Tokens, content: str, start: int, stop: int) -> Tokens:
    mark = content.encode()
    out = []
    for token in tokens:
        for _ in range(start):
            token = token.removeprefix(mark) if token.startswith(mark) else token
        for _ in range(stop):
            token = token.removesuffix(mark) if token.endswith(mark) else token
        out.append(token)
    return out


def _cleaned(token: bytes) -> bytes:
    for old, new in _CLEANUP:
        token = token.replace(old, new)
    return token


def _wordpiece(tokens: Tokens, prefix: str, cleanup: bool) -> Tokens:
    mark = prefix.encode()
    rest = [token[len(mark) :] if token.startswith(mark) else b" " + token for token in tokens[1:]]
    return [_cleaned(token) if cleanup else token for token in tokens[:1] + rest]


def _respell(tokens: Tokens, pieces: dict[str, str]) -> Tokens:
    spelled = {piece.encode(): text.encode() for piece, text in pieces.items()}
    return [spelled.get(token, token) for token in tokens]


def _suffix(tokens: Tokens, suffix: str) -> Tokens:
    return [token.replace(suffix.encode(), b" ") for token in tokens[:-1]] + [
        token.replace(suffix.encode(), b"") for token in tokens[-1:]
    ]


def _ctc(tokens: Tokens, pad: str, delimiter: str, cleanup: bool) -> Tokens:
    out = []
    for token, _ in groupby(tokens):
        text = token.replace(pad.encode(), b"") if pad else token
        if cleanup:
            text = _cleaned(text)
            text = text.replace(delimiter.encode(), b" ") if delimiter else text
        out.append(text)
    return [text for text in out if text]


_SEEN = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_HIDDEN = [byte for byte in range(256) if byte not in _SEEN]
_LETTERS = {byte: chr(byte) for byte in _SEEN} | {byte: chr(0x100 + place) for place, byte in enumerate(_HIDDEN)}
_BYTES = {letter: byte for byte, letter in _LETTERS.items()}


def _byte_letters(tokens: Tokens) -> Tokens:
    return ["".join(_LETTERS[byte] for byte in token).encode() for token in tokens]


def _byte_level(tokens: Tokens, errors: Errors) -> Tokens:
    texts = [(token, token.decode()) for token in tokens]
    parts = [bytes(map(_BYTES.__getitem__, text)) if set(text) <= set(_BYTES) else token for token, text in texts]
    raw = b"".join(parts)
    return [raw if errors == "keep" else raw.decode("utf-8", errors).encode()]


_STEPS: dict[str, Callable[..., Tokens]] = {
    "byte-fallback": _byte_fallback,
    "metaspace": _metaspace,
    "replace": lambda tokens, pattern, content: [token.replace(pattern.encode(), content.encode()) for token in tokens],
    "fuse": lambda tokens: [b"".join(tokens)],
    "strip": _strip,
    "wordpiece": _wordpiece,
    "suffix": _suffix,
    "respell": _respell,
    "byte-letters": _byte_letters,
    "byte-level": _byte_level,
    "ctc": _ctc,
    "join": lambda tokens, separator: [separator.encode().join(tokens)],
}
