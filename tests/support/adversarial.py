"""Seeded texts made to hurt: what breaks normalizers, cut points, tie rules and UTF-8 readers.

``strings`` draws short texts (bytes; most are valid UTF-8), half of them built from the pieces of the file under test.
``hurtful`` names the big ones of a megabyte each. Everything is a function of the seed, so a failure can be replayed.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.support.wire import PieceRow

__all__ = ["ALPHABETS", "HURTFUL", "Soup", "hurtful", "soup_of", "strings"]

ALPHABETS: dict[str, tuple[str, ...]] = {
    "spaces": tuple(" \t\n\r\v\f\u00a0\u1680\u2000\u2003\u2009\u200b\u200c\u200e\u2028\u2029\u202f\u205f\u3000\ufeff\u0085"),
    "marks": ("▁", "▁▁", " ", "\u2585", "\ufffd", "\u2047", "\0", "\x01", "\x1f", "\x7f", "\u0080", "\u009f", "▁a", "a▁"),
    "combining": tuple("ae\u0300\u0301\u0308\u0323\u0327\u0338\u0345\u05b0\u064b\u093c\u0e31\u20d0\u1ab0\ufe20n\u0303"),
    "emoji": ("😀", "👍", "👍🏽", "\u200d", "\ufe0f", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇯🇵", "🇺🇸", "🇦", "🏽", "1️⃣", "🧑🏿‍🚀", "❤️", "🫠"),
    "ligatures": tuple("ﬀﬁﬂﬃﬄﬅﬆĳǆ½¼Ⅷ①㈱㍿㌔№℡ªº²₃™ﷺﻼ…‥ſİßŉẞ"),
    "kana": tuple("ｶﾞﾊﾟｱｰﾞﾟヴか\u3099は\u309aカ\u3099パガｳ、。「」ＡＢｚ０９！～〜ヽヾゝゞゟヿ"),
    "hangul": ("\u1100", "\u1161", "\u11a8", "각", "가", "힣", "\u115f",
               "\u1160", "\uffa1", "\uffc2", "ㄱ", "ㅏ", "\u3164", "한국"),
    "rtl": tuple("אבגשׁשּׂﬡﭏابتلاﻻﻼﷲ\u200f\u202e\u2067\u2069٠١۳پ\u064e\u0651\u0670ى"),
    "indic": tuple("कखक्षि\u094dড়ড\u09bcกำเแาำ\u0e4dதமிക്‍ಕ್ສຳ"),
    "han": tuple("文献學学一二三丁漢﨑神\u2e80⼀㐀𠀀𪜀都\ufe00葛\U000e0100"),
    "edges": ("\x00", "\x7f", "\u0080", "\u07ff", "\u0800",
              "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff", "\ufdd0"),
    "ascii": tuple("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;:!?'\"()-_/\\<>[]{}|@#$%^&*+=~`"),
    "angle": ("<", ">", "<s>", "</s>", "<unk>", "<pad>", "<0x41>",
              "<0x0A>", "<0xE2>", "<0x", "[INST]", "<|endoftext|>", "a", " "),
}  # fmt: skip
"""Characters and short sequences that belong together; each is also a source of runs and mixtures."""

TIES = ("o", "-", "!", ".", "=", "a", "ab", "0", "  ", "aa", "the", "ha", "一", "ー", "あ", "*", "_", "#", "00", "la")
"""What near-ties are made of: runs that many pieces of different lengths cover with almost the same score."""

BAD_BYTES = (
    b"\xff", b"\xfe", b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xed\xa0\x80",
    b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80", b"\xe2\x96", b"\xe2", b"\xf0\x9f\x98",
    b"\xf0\x9f", b"\xc3", b"\xe2\x96\x81", b"\xe3\x81\xe3\x81\x82", b"\xef\xbf\xbd", b"\xe2\x28\xa1", b"\xef\xbb\xbf",
)  # fmt: skip
"""Overlong, truncated, surrogate and out-of-range sequences, and a few valid ones that look like them."""


class Soup(NamedTuple):
    """The pieces that texts are glued from: all of them, and those that are not ordinary."""

    pieces: Sequence[str]
    odd: Sequence[str]


def soup_of(rows: Sequence[PieceRow]) -> Soup:
    """The pieces of a file; user-defined, control, unused, unknown and byte pieces are the odd ones."""
    odd = [row.piece.decode() for row in rows if row.kind != 1]
    return Soup([row.piece.decode() for row in rows], odd or ["<unk>"])


def _length(rng: Random, most: int) -> int:
    """Mostly short, sometimes long."""
    return rng.randint(1, rng.choice((2, 5, 12, 30, most)))


def _mixture(rng: Random, characters: Sequence[str], most: int) -> str:
    return "".join(rng.choice(characters) for _ in range(_length(rng, most)))


def _run(rng: Random, _: Soup) -> bytes:
    unit = rng.choice(TIES) if rng.random() < 0.5 else rng.choice(rng.choice(list(ALPHABETS.values())))
    return (rng.choice(("", " ", "a")) + unit * _length(rng, 300) + rng.choice(("", " ", "b"))).encode()


def _one_alphabet(rng: Random, _: Soup) -> bytes:
    return _mixture(rng, rng.choice(list(ALPHABETS.values())), 80).encode()


def _many_alphabets(rng: Random, _: Soup) -> bytes:
    chosen = rng.sample(list(ALPHABETS.values()), 3)
    return "".join(_mixture(rng, rng.choice(chosen), 12) for _ in range(_length(rng, 10))).encode()


def _sprinkled(rng: Random, soup: Soup) -> bytes:
    """Text from pieces with spaces, marks and controls between them."""
    between = ALPHABETS["spaces"] + ALPHABETS["marks"] + ("",) * 20
    return "".join(rng.choice(soup.pieces) + rng.choice(between) for _ in range(_length(rng, 40))).encode()


def _glued(rng: Random, soup: Soup) -> bytes:
    return "".join(rng.choice(soup.pieces) for _ in range(_length(rng, 40))).encode()


def _glued_spaced(rng: Random, soup: Soup) -> bytes:
    """As a reader would see it: the marks of the pieces turned back into spaces."""
    return _glued(rng, soup).decode().replace("▁", " ").encode()


def _neighbours(rng: Random, soup: Soup) -> bytes:
    """Pieces with near ids share parts and scores, so their mixtures have close runners-up."""
    at = rng.randrange(len(soup.pieces))
    near = soup.pieces[at : at + 12]
    return "".join(rng.choice(near) for _ in range(_length(rng, 40))).encode()


def _broken_pieces(rng: Random, soup: Soup) -> bytes:
    """Pieces cut at random characters, so that units end where pieces do not."""
    out = []
    for _ in range(_length(rng, 30)):
        piece = rng.choice(soup.pieces)
        cut = rng.randrange(len(piece) + 1)
        out.append(rng.choice((piece[:cut], piece[cut:], piece)))
    return "".join(out).encode()


def _odd(rng: Random, soup: Soup) -> bytes:
    """User-defined, control, byte and unknown pieces as text, whole and damaged."""
    out = []
    for _ in range(_length(rng, 12)):
        piece = rng.choice(soup.odd)
        out.append(rng.choice((piece, piece + " ", " " + piece, piece[:-1], piece * 2, "a" + piece + "b")))
    return "".join(out).encode()


def _bad_utf8(rng: Random, soup: Soup) -> bytes:
    good = [rng.choice(soup.pieces).encode() for _ in range(4)] + [b"a", b" ", "é".encode(), "▁".encode()]
    return b"".join(rng.choice(BAD_BYTES if rng.random() < 0.5 else good) for _ in range(_length(rng, 40)))


def _damaged(rng: Random, soup: Soup) -> bytes:
    """Good text with some bytes removed, changed or doubled."""
    data = bytearray(_glued_spaced(rng, soup) + _many_alphabets(rng, soup))
    for _ in range(_length(rng, 6)):
        at = rng.randrange(len(data) + 1)
        data[at : at + rng.randint(0, 2)] = rng.randbytes(rng.randint(0, 2))
    return bytes(data)


def _random_bytes(rng: Random, _: Soup) -> bytes:
    return rng.randbytes(_length(rng, 120))


def _random_unicode(rng: Random, _: Soup) -> bytes:
    top = rng.choice((0x80, 0x250, 0x800, 0x3400, 0xD800, 0x110000))
    points = (rng.randrange(top) for _ in range(_length(rng, 60)))
    return "".join(chr(point) for point in points if not 0xD800 <= point < 0xE000).encode()


def _long_word(rng: Random, soup: Soup) -> bytes:
    """One word without any space, up to a few kilobytes."""
    size = rng.choice((50, 200, 1500))
    if rng.random() < 0.5:
        return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(size)).encode()
    return "".join(rng.choice(soup.pieces).replace("▁", "") for _ in range(size // 4)).encode()


def _one_character(rng: Random, soup: Soup) -> bytes:
    return rng.choice(rng.choice((soup.pieces, *ALPHABETS.values())))[:1].encode()


MAKERS: tuple[Callable[[Random, Soup], bytes], ...] = (
    _run, _run, _one_alphabet, _many_alphabets, _sprinkled, _glued, _glued_spaced, _neighbours, _broken_pieces, _odd,
    _bad_utf8, _damaged, _random_bytes, _random_unicode, _long_word, _one_character,
)  # fmt: skip


def strings(seed: str, count: int, soup: Soup) -> list[bytes]:
    """``count`` texts, the same for the same seed and pieces; the fixed short ones first."""
    rng = Random(seed)
    fixed = [item.encode() for alphabet in ALPHABETS.values() for item in alphabet]
    fixed = [*dict.fromkeys([b"", b" ", b"  ", "▁".encode(), " ▁ ".encode(), *BAD_BYTES, *fixed])]
    rng.shuffle(fixed)
    out = fixed[: count // 4]
    while len(out) < count:
        out.append(rng.choice(MAKERS)(rng, soup))
    return out


def _repeat(unit: str | bytes, size: int) -> bytes:
    data = unit.encode() if isinstance(unit, str) else unit
    return data * (size // len(data) + 1)


HURTFUL: dict[str, Callable[[int], bytes]] = {
    "one letter": lambda size: _repeat("a", size),
    "another letter": lambda size: _repeat("o", size),
    "hyphens": lambda size: _repeat("-", size),
    "spaces": lambda size: _repeat(" ", size),
    "space marks": lambda size: _repeat("▁", size),
    "newlines and tabs": lambda size: _repeat("\n\t", size),
    "combining marks": lambda size: b"a" + _repeat("\u0301\u0323\u0308", size),
    "emoji sequences": lambda size: _repeat("👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇯🇵", size),
    "random bytes": lambda size: Random("hurtful").randbytes(size),
    "NULs": lambda size: _repeat("\0", size),
    "bad bytes": lambda size: _repeat(b"\xe2\x96", size),
    "one ideograph": lambda size: _repeat("一", size),
    "halfwidth voiced kana": lambda size: _repeat("ｶﾞﾊﾟ", size),
    "unassigned": lambda size: _repeat("\U000e0fff", size),
    "letters": lambda size: "".join(Random("letters").choices("abcdefghijklmnopqrstuvwxyz", k=size)).encode(),
    "words": lambda size: _repeat("the quick brown fox ", size),
}
"""Name to a maker of such a text of about this number of bytes."""


def hurtful(name: str, size: int = 1_000_000) -> bytes:
    """The big text called ``name``, cut to at most ``size`` bytes at a character where it is valid UTF-8."""
    data = HURTFUL[name](size)
    if name in ("random bytes", "bad bytes"):
        return data[:size]
    return data[:size].decode(errors="ignore").encode()
