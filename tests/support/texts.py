"""The text sets that are compared: which lines, which long strings, which made-up texts.

A set is a name and its texts as bytes; its digest is part of every cache key, so a changed set is a new set. The sampled
tier and the full tier draw from the same sources with the same seeds and differ only in amount.
"""

from __future__ import annotations

from functools import cache, cached_property, lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.support import adversarial, data, wire
from tests.support.records import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import anypiece as ap

__all__ = [
    "SEED",
    "TextSet",
    "adversarial_texts",
    "few_sets",
    "few_sets_of",
    "full_sets",
    "full_sets_of",
    "long_text",
    "sampled_lines",
    "sampled_sets",
    "special_texts",
]

SEED = "anypiece-1"
"""Change it and every drawn text changes."""

ENGLISH = ("en_novels", "en_linux_doc", "debian_docs/handbook_en-US")
MEGABYTE = 1_000_000
SAMPLES = (2, 3, 4, 10, 12, 20, 40)
"""How many lines of each corpus the tests want; one that wants another number unpacks all corpora for itself."""


class TextSet:
    """Texts under a name; made when first asked for."""

    def __init__(self, name: str, make: Callable[[], list[bytes]]) -> None:
        self.name = name
        self._make = make

    @cached_property
    def texts(self) -> list[bytes]:
        """The texts, in order."""
        return self._make()

    @cached_property
    def digest(self) -> str:
        """Of the texts' content."""
        return digest_of(self.texts)


def sampled_lines(name: str, count: int) -> list[bytes]:
    """``count`` lines of a corpus drawn by the seed, in the corpus's order; all where it has no more."""
    return list(_sampled_lines(name, count))


@cache
def _sampled_lines(name: str, count: int) -> tuple[bytes, ...]:
    """Kept, since every corpus has to be unpacked for a few lines of each, and most tests of a file want the same ones."""
    return _samples(name)[count] if count in SAMPLES else _sample(name, data.corpus_lines(name), count)


@cache
def _samples(name: str) -> dict[int, tuple[bytes, ...]]:
    """The samples of every usual size, for which a corpus is unpacked once."""
    lines = data.corpus_lines(name)
    return {count: _sample(name, lines, count) for count in SAMPLES}


def _sample(name: str, lines: list[bytes], count: int) -> tuple[bytes, ...]:
    if len(lines) <= count:
        return tuple(lines)
    chosen = Random(f"{SEED} {name}").sample(range(len(lines)), count)
    return tuple(lines[index] for index in sorted(chosen))


def _passages(names: tuple[str, ...], rng: Random) -> Iterator[bytes]:
    """Endless runs of consecutive lines, each from a corpus drawn anew; only those are unpacked, each once."""
    corpus = cache(data.corpus_lines)
    while True:
        lines = corpus(rng.choice(names))
        at = rng.randrange(len(lines))
        yield b"\n".join(lines[at : at + rng.randint(1, 40)]) + b"\n"


@lru_cache
def long_text(size: int, english: bool) -> bytes:
    """One string of about ``size`` bytes: English only, or passages of every corpus in turn (a third of it English)."""
    rng = Random(f"{SEED} long {size} {english}")
    names = ENGLISH if english else data.corpus_names() + ENGLISH * 7
    out: list[bytes] = []
    have = 0
    for passage in _passages(names, rng):
        out.append(passage)
        have += len(passage)
        if have >= size:
            break
    return b"".join(out)[:size].decode(errors="ignore").encode()


@lru_cache
def _every_corpus(count: int) -> TextSet:
    names = data.corpus_names()
    return TextSet(f"corpora-{count}", lambda: [line for name in names for line in sampled_lines(name, count)])


@lru_cache
def _kitoken() -> TextSet:
    return TextSet("kitoken", lambda: list(data.vector_texts()))


@lru_cache
def _whole_corpus(name: str) -> TextSet:
    return TextSet(name.replace("/", "-"), lambda: data.corpus_lines(name))


@lru_cache
def _torture() -> TextSet:
    """Whole, by line in Python's wide sense, and in runs of 700 characters."""

    def make() -> list[bytes]:
        whole = data.torture_text()
        text = whole.decode()
        runs = [text[at : at + 700] for at in range(0, len(text), 700)]
        return [whole, *(part.encode() for part in text.splitlines(keepends=True) + runs)]

    return TextSet("torture", make)


@lru_cache
def _long(name: str, *sizes: tuple[int, bool]) -> TextSet:
    return TextSet(name, lambda: [long_text(size, english) for size, english in sizes])


def _adversarial(path: Path, count: int) -> TextSet:
    def make() -> list[bytes]:
        soup = adversarial.soup_of(wire.file_pieces(path))
        return adversarial.strings(f"{SEED} {path.name}", count, soup)

    return TextSet(f"adversarial-{count}", make)


def adversarial_texts(pieces: list[bytes], seed: str, count: int) -> list[bytes]:
    """Made-up strings for a vocabulary that is not in a ``.model`` file."""
    names = [piece.decode("utf-8", "ignore") for piece in pieces]
    return adversarial.strings(f"{SEED} {seed}", count, adversarial.Soup([name for name in names if name], ["<unk>"]))


def special_texts(names: list[str], seed: str, count: int) -> list[bytes]:
    """Strings of special tokens, and of words around them that are nearly such."""
    rng = Random(f"{SEED} specials {seed}")
    words = ["a", " b", "A", "日本", "é", "'s", " ", "  ", "\n", "▁"]
    words += ["<|", "|>", "<", "[", "]", "<|endof", "<0x41>", "<unk>"]
    names = names or ["<s>"]
    return [
        "".join(rng.choice([rng.choice(names), rng.choice(words)]) for _ in range(rng.randint(1, 12))).encode()
        for _ in range(count)
    ]


def sampled_sets(path: Path) -> list[TextSet]:
    """What the slow tier compares for a file: 40 lines of each corpus, a text of 300 kB, 500 made-up strings, vectors."""
    long = _long("long-300", (300_000, False))
    return [_every_corpus(40), long, _adversarial(path, 500), _kitoken()]


def few_sets(path: Path) -> list[TextSet]:
    """What ``make parity`` compares for a file with releases before the default's: the made-up texts, and fewer others. What
    releases do differently shows in kinds of text, and the default's are compared on all.
    """
    return [_kitoken(), _adversarial(path, 20_000), _every_corpus(500), _torture()]


def few_sets_of(tok: ap.Tokenizer, seed: str) -> list[TextSet]:
    """What ``make parity`` compares where every text costs a call into a library in Python, or where the vocabulary is that
    of another file: all kinds of texts, and fewer of each.
    """
    special, made = full_sets_of(tok, seed)[1:3]
    return [_kitoken(), special, made, _every_corpus(500), _torture()]


def full_sets_of(tok: ap.Tokenizer, seed: str) -> list[TextSet]:
    """What ``make parity`` compares for a file that is not a ``.model``; only the opened one tells its pieces."""
    pieces = [tok.id_to_bytes(id) for id in range(0, len(tok), 97)]
    names = [text for text, _, _ in tok.spec.added]
    special = TextSet("specials-3000", lambda: special_texts(names, seed, 3000))
    made = TextSet("adversarial-20000", lambda: adversarial_texts(pieces, seed, 20_000))
    whole = [_whole_corpus(name) for name in (data.UDHR, *data.bible_names())]
    long = _long("long-1-and-5", (MEGABYTE, False), (5 * MEGABYTE, False))
    return [_kitoken(), special, made, _every_corpus(2000), _torture(), long, *whole]


def full_sets(path: Path) -> list[TextSet]:
    """What ``make parity`` compares for a file.

    Unigram files get 5 MB of English besides 5 MB of all languages: there path scores stay close together longest.
    """
    unigram = wire.file_segmenter(path) == "unigram"
    five = [(5 * MEGABYTE, False)] + [(5 * MEGABYTE, True)] * unigram
    whole = [_whole_corpus(name) for name in (data.UDHR, *data.bible_names())]
    long = _long(f"long-1-and-{len(five)}x5", (MEGABYTE, False), *five)
    return [_kitoken(), _adversarial(path, 20_000), _every_corpus(2000), _torture(), long, *whole]
