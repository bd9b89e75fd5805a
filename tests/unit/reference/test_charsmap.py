"""The character map: look-ups against a plain dictionary, and every way a blob can be damaged."""

from __future__ import annotations

import random
import struct

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from anypiece import Tokenizer
from anypiece.errors import SpecError
from anypiece.formats import sentencepiece as model_format
from anypiece.reference import ReferenceTokenizer
from anypiece.reference.charsmap import CharsMap
from anypiece.spec import Kind, Pieces, Spec
from tests.support.charsmap_builder import build

RULES: dict[str | bytes, str | bytes] = {"a": "x", "ab": "yy", "abcd": "", "é": "e", "日本": "JP", b"\xc3": "C"}
SPEC = Spec(Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), ("x", -1.0, Kind.NORMAL)]))


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("a", 0, (1, b"x")),
        ("ab", 0, (2, b"yy")),
        ("abc", 0, (2, b"yy")),
        ("abcd", 0, (4, b"")),
        ("xabcd", 1, (4, b"")),
        ("é", 0, (2, b"e")),
        ("è", 0, (1, b"C")),
        ("日本", 0, (6, b"JP")),
        ("日", 0, None),
        ("b", 0, None),
        ("\0", 0, None),
        ("a\0", 0, (1, b"x")),
    ],
)
def test_longest(text: str, start: int, expected: tuple[int, bytes] | None) -> None:
    assert CharsMap(build(RULES)).longest(text.encode(), start) == expected


keys = st.text("ab\u0301é日", min_size=1, max_size=5)


@given(
    st.dictionaries(keys, st.text("xy ▁", max_size=3), min_size=1, max_size=40), st.text("ab\u0301é日\0", max_size=8)
)
def test_every_match_is_found(rules: dict[str, str], text: str) -> None:
    charsmap, raw = CharsMap(build(dict(rules))), text.encode()
    for start in range(len(raw)):
        expected = sorted(len(key.encode()) for key in rules if raw.startswith(key.encode(), start))
        found = charsmap.matches(raw, start)
        assert [length for length, _ in found] == expected
        if found:
            length, target = charsmap.longest(raw, start) or (0, b"")
            assert rules[raw[start : start + length].decode()].encode() == target


def parts() -> tuple[list[int], bytes]:
    """The units and texts of a sound blob."""
    blob = build(RULES)
    size = int.from_bytes(blob[:4], "little")
    return list(struct.unpack(f"<{size // 4}I", blob[4 : 4 + size])), blob[4 + size :]


def joined(units: list[int], texts: bytes) -> bytes:
    trie = struct.pack(f"<{len(units)}I", *units)
    return len(trie).to_bytes(4, "little") + trie + texts


def with_unit(index: int, unit: int) -> bytes:
    units, texts = parts()
    units[index] = unit
    return joined(units, texts)


def leaf() -> int:
    """The index of a leaf in use, whose text is not empty."""
    units, texts = parts()
    return next(i for i, unit in enumerate(units) if unit >> 31 and 0 < unit & 0x7FFFFFFF < len(texts))


DAMAGED = {
    "empty but for its size": b"\0\0\0\0",
    "shorter than its size": b"\1\0",
    "trie larger than the blob": (2048).to_bytes(4, "little") + bytes(2048),
    "trie of no units": (0).to_bytes(4, "little") + b"abc\0",
    "trie not in blocks": (1028).to_bytes(4, "little") + bytes(1028) + b"a\0",
    "texts not ended": joined(parts()[0], parts()[1][:-1] + b"x"),
    "root with a label": with_unit(0, parts()[0][0] | 0x41),
    "root with a leaf": with_unit(0, parts()[0][0] | 0x100),
    "root without children": with_unit(0, 0),
    "root far away": with_unit(0, 0x1FFFFF << 10),
    "node far away": with_unit(leaf(), 0x41 | 0x1FFFFF << 10),
    "value past the texts": with_unit(leaf(), 0x80000000 | 10**6),
}
OURS = {
    "texts not UTF-8": joined(parts()[0], parts()[1][:-1] + b"\xff\0"),
    "a huge text": joined(parts()[0], parts()[1] + b"x" * 257 + b"\0"),
    "value inside a character": joined(parts()[0], b"\xc3\xa9" * 8 + b"\0"),
}


@pytest.mark.parametrize("blob", [*DAMAGED.values(), *OURS.values()], ids=[*DAMAGED, *OURS])
def test_damaged(blob: bytes) -> None:
    for refuse in (CharsMap, lambda blob: Tokenizer(SPEC.replace(charsmap=blob))):
        with pytest.raises(SpecError) as caught:
            refuse(blob)
        assert caught.value.code == "spec-charsmap"


def test_the_longest_text() -> None:
    units, texts = parts()
    for refuse in (CharsMap, lambda blob: Tokenizer(SPEC.replace(charsmap=blob))):
        refuse(joined(units, texts + (b"x" * 256 + b"\0") * 3 + b"y\0"))
        with pytest.raises(SpecError):
            refuse(joined(units, texts + b"x" * 256 + b"\0y" + b"z" * 256 + b"\0"))


@pytest.mark.parametrize("blob", DAMAGED.values(), ids=DAMAGED)
def test_the_package_refuses_the_same(blob: bytes) -> None:
    with pytest.raises(RuntimeError):
        sentencepiece.SentencePieceProcessor(model_proto=model_format.write(SPEC.replace(charsmap=blob)))


def test_mutated_blobs_agree_with_the_package() -> None:
    """A mutated blob is refused by both, or both look up the same; only our own checks on texts may refuse it alone."""
    refused, compared = 0, 0
    for seed in range(400):
        spec = SPEC.replace(charsmap=mutated(random.Random(seed)))
        accepted = is_accepted(spec.charsmap)
        try:
            processor = sentencepiece.SentencePieceProcessor(model_proto=model_format.write(spec))
        except RuntimeError:
            assert not accepted, seed
            refused += 1
            continue
        if accepted:
            compared += 1
            for text in ("a", "ab", "abcd", "é日本", "zab\0cab", "".join(map(chr, range(1, 255)))):
                assert ReferenceTokenizer(spec).normalize(text) == processor.normalize(text), seed
    assert refused > 20
    assert compared > 20


def mutated(rng: random.Random) -> bytes:
    units, texts = parts()
    for _ in range(rng.randrange(1, 4)):
        units[rng.randrange(len(units))] ^= 1 << rng.randrange(32)
    return joined(units, texts)


def is_accepted(blob: bytes) -> bool:
    try:
        CharsMap(blob)
    except SpecError:
        return False
    return True
