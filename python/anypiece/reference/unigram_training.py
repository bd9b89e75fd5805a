"""Training a unigram vocabulary, as plainly as can be: every string in a dictionary, every segmentation looked at.

``train`` is what the kernel's trainer is compared with. It takes words with counts, as they are counted in normalized text
(``▁the``), and gives pieces with log probabilities, the best first; ``docs/algorithms/unigram-training.md`` tells it.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from .. import _native

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ..training.options import PieceOptions

__all__ = ["allowed", "alphabet", "chosen", "digamma", "estimate", "finished", "prune", "seeds", "train"]

MARK = "▁"
UNIT = 2.0**40
"""Expected counts are multiples of 1/UNIT, so that sums do not depend on the order; large texts need a smaller one."""

_BOUNDARY = "\x1f"
"""What stands where a meta piece was cut out of the text."""
_NEVER = f"\u2585\0{_BOUNDARY} "
_DIGITS = "0123456789０１２３４５６７８９"
_SIGNS, _INHERITED = _native.script("!"), _native.script("\u0301")

Scores = dict[str, float]


def train(words: Mapping[str, int], options: PieceOptions) -> list[tuple[str, float]]:
    """Pieces with log probabilities, the best first; as many as there are places besides the meta pieces, or fewer."""
    characters = alphabet(words, options)
    texts = segments(words, characters)
    scores = seeds(texts, characters, options)
    desired = options.vocab_size + options.vocab_size // 10
    while True:
        for _ in range(options.num_sub_iterations):
            scores = estimate(texts, scores)
        if len(scores) <= desired:
            return finished(scores, characters, options.vocab_size - len(options.symbols))
        scores = prune(texts, scores, max(desired, int(options.shrinking_factor * len(scores))))


def alphabet(words: Mapping[str, int], options: PieceOptions) -> list[str]:
    """The characters that pieces are made of, the most frequent first, as many as cover enough of the text."""
    counts = Counter[str]()
    for word, count in words.items():
        for character in word:
            counts[character] += count
    return chosen(counts, options, options.symbols)


def chosen(counts: Mapping[str, int], options: PieceOptions, reserved: Collection[str]) -> list[str]:
    """The alphabet that counts of characters give, without those that are ``reserved``."""
    required = set(options.required_chars)
    left = {c: counts.get(c, 0) for c in {*counts, *required} - set(_NEVER.replace(_BOUNDARY, ""))}
    total, covered, kept = sum(left.values()), 0, []
    for character in sorted(left, key=lambda c: (c not in required, -left[c], c)):
        enough = options.character_coverage < 1.0 and float(covered) >= options.character_coverage * total
        if enough and character not in required:
            break
        covered += left[character]
        if character != _BOUNDARY and character not in reserved:
            kept.append(character)
    return sorted(kept, key=lambda c: (-left[c], c))


def segments(words: Mapping[str, int], characters: list[str]) -> dict[str, int]:
    """The words without what is not in the alphabet, which no piece contains, so that they are parted there."""
    known, texts = set(characters), Counter[str]()
    for word, count in words.items():
        for part in "".join(c if c in known else _BOUNDARY for c in word).split(_BOUNDARY):
            if part:
                texts[part] += count
    return dict(texts)


def allowed(piece: str, options: PieceOptions) -> bool:
    """Whether a string may be a piece."""
    if not 0 < len(piece) <= options.max_sentencepiece_length or any(character in _NEVER for character in piece):
        return False
    if options.split_digits and len(piece) > 1 and any(character in _DIGITS for character in piece):
        return False
    if not (options.allow_whitespace_only_pieces and set(piece) == {MARK}) and not _marks_fit(piece, options):
        return False
    return not options.split_by_unicode_script or _one_script(piece, options)


def _marks_fit(piece: str, options: PieceOptions) -> bool:
    """Whether marks stand at the beginning only, or at the end; or if words may be joined, not at the other side."""
    inner, other = (piece[:-1], piece[:1]) if options.treat_whitespace_as_suffix else (piece[1:], piece[-1:])
    if options.split_by_whitespace:
        return MARK not in inner
    return len(piece) == 1 or other != MARK


def _one_script(piece: str, options: PieceOptions) -> bool:
    script: int | None = None
    for character in piece.replace(MARK, ""):
        found: int | None = _native.script(character) or _SIGNS
        if found == _INHERITED:
            found = script
        if character in _DIGITS and not options.split_by_number:
            found = None
        if script is not None and found is not None and found != script:
            return False
        script = found
    return True


def seeds(texts: Mapping[str, int], characters: list[str], options: PieceOptions) -> Scores:
    """What to begin with: all characters, and the strings that cover most, by frequency times length."""
    counts = _given(options) if options.seed_sentencepieces is not None else _repeated(texts, options)
    rank = {character: place for place, character in enumerate(characters)}
    weights = {piece: count * len(piece) for piece, count in counts.items()}
    best = sorted(weights, key=lambda piece: (-weights[piece], [rank[c] for c in piece]))[
        : options.seed_sentencepiece_size
    ]
    single = Counter[str]()
    for text, count in texts.items():
        for character in text:
            single[character] += count
    chosen = {c: single[c] for c in characters if single[c]} | {piece: weights[piece] for piece in best}
    total = sum(float(weight) for weight in chosen.values())
    return {piece: math.log(weight) - math.log(total) for piece, weight in chosen.items()}


def _given(options: PieceOptions) -> dict[str, int]:
    counts = Counter[str]()
    for piece, count in options.seed_sentencepieces or ():
        if len(piece) > 1 and allowed(piece, options) and piece not in options.symbols:
            counts[piece] += count
    return dict(counts)


def _repeated(texts: Mapping[str, int], options: PieceOptions) -> dict[str, int]:
    """Strings of two characters or more that occur more than once.

    A string that a longer piece always goes on from is left to that one. With ``seed_prefixes`` off, a string that one and
    the same character always follows is left out even where that makes no piece; the end of a word is such a character.
    """
    counts, followers = Counter[str](), dict[str, set[str]]()
    for text, count in texts.items():
        for start in range(len(text)):
            for end in range(start + 2, min(len(text), start + options.max_sentencepiece_length) + 1):
                counts[text[start:end]] += count
                followers.setdefault(text[start:end], set()).add(text[end : end + 1])
    pieces = {piece for piece, count in counts.items() if count > 1 and allowed(piece, options)}
    if options.seed_prefixes:
        longer = {(piece[:length], counts[piece]) for piece in pieces for length in range(2, len(piece))}
        kept = {piece for piece in pieces if (piece, counts[piece]) not in longer}
    else:
        kept = {piece for piece in pieces if len(followers[piece]) > 1}
    return {piece: counts[piece] for piece in kept if piece not in options.symbols}


def _edges(text: str, scores: Scores) -> Iterator[tuple[int, int, str, float]]:
    """``(start, end, piece, score)`` of the pieces of a text, by start, longest first; unknown characters have no name."""
    longest, unknown = max(map(len, scores)), min(scores.values()) - 10.0
    for start in range(len(text)):
        for end in range(min(len(text), start + longest), start, -1):
            if text[start:end] in scores:
                yield start, end, text[start:end], scores[text[start:end]]
            elif end == start + 1:
                yield start, end, "", unknown


def estimate(texts: Mapping[str, int], scores: Scores) -> Scores:
    """Scores that make the text more likely: one step of EM, without the pieces that are expected less than half a time."""
    expected = dict.fromkeys(scores, 0.0)
    for text, count in texts.items():
        edges = [(start, end, piece, math.exp(score)) for start, end, piece, score in _edges(text, scores)]
        ahead, behind = [1.0] + [0.0] * len(text), [0.0] * len(text) + [1.0]
        for start, end, _, chance in edges:
            ahead[end] += ahead[start] * chance
        for start, end, _, chance in reversed(edges):
            behind[start] += chance * behind[end]
        for start, end, piece, chance in edges:
            if piece:
                share = count * ahead[start] * chance * behind[end] / ahead[-1]
                expected[piece] += round(share * UNIT) / UNIT
    kept = {piece: count for piece, count in expected.items() if count >= 0.5}
    total = digamma(sum(kept.values()))
    return {piece: digamma(count) - total for piece, count in kept.items()}


def digamma(x: float) -> float:
    """The derivative of the logarithm of the gamma function.

    >>> round(digamma(1.0), 6)
    -0.577216
    """
    result = 0.0
    while x < 7.0:
        result -= 1.0 / x
        x += 1.0
    x -= 0.5
    square = 1.0 / (x * x)
    series = square * (1 / 24 - square * (7 / 960 - square * (31 / 8064 - square * (127 / 30720))))
    return result + math.log(x) + series


def _best(text: str, scores: Scores, but: str = "") -> tuple[float, list[str]]:
    """The best path of a text, without one piece; unknown characters are ``""`` in it."""
    best: list[tuple[float, int, str]] = [(0.0, 0, "")] + [(-math.inf, 0, "")] * len(text)
    for start, end, piece, score in _edges(text, scores):
        if (piece != but or not but) and best[start][0] + score > best[end][0]:
            best[end] = (best[start][0] + score, start, piece)
    path, at = list[str](), len(text)
    while at:
        path.append(best[at][2])
        at = best[at][1]
    return best[-1][0], path


def prune(texts: Mapping[str, int], scores: Scores, keep: int) -> Scores:
    """The ``keep`` pieces that the text would miss most, if each were spelled with the best of the others instead."""
    used = Counter[str]()
    for text, repeated in texts.items():
        for piece in _best(text, scores)[1]:
            used[piece] += repeated
    total = float(sum(used.values()))
    losses: dict[str, float] = {}
    for piece, score in scores.items():
        count = float(used[piece])
        other_score, others = _best(piece, scores, but=piece)
        if not count or (len(piece) > 1 and other_score > score):
            continue
        if len(piece) == 1:
            losses[piece] = math.inf
            continue
        log_total = math.log(total + count * (len(others) - 1))
        instead = sum(math.log((used[other] if other else 0) + count) - log_total for other in others)
        losses[piece] = count * (math.log(count) - math.log(total) - instead)
    order = sorted(losses, key=lambda piece: -losses[piece])
    kept = {piece for place, piece in enumerate(order) if place < keep or losses[piece] == math.inf}
    return {piece: score for piece, score in scores.items() if piece in kept}


def finished(scores: Scores, characters: list[str], size: int) -> list[tuple[str, float]]:
    """All characters, those that are no pieces at about the lowest score, and the best of the others, ``size`` in all."""
    lowest = min(scores.values())
    missing = [character for character in characters if character not in scores]
    known = set(characters)
    others = sorted((-score, piece) for piece, score in scores.items() if piece not in known)
    rows = [(-scores[c], c) for c in characters if c in scores]
    rows += [(-(lowest + place * 0.0001), c) for place, c in enumerate(missing)]
    rows += others[: max(0, size - len(rows))]
    return [(piece, -score) for score, piece in sorted(rows)]
