"""The aspects in which two tokenizers are compared: on how many texts each differs, and a smallest text that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from .._core.vocabulary import special_tokens
from ..errors import InputError
from ..text.specials import ids_around
from .texts import shrunk, special_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..tokenizer import Tokenizer

__all__ = ["ASPECTS", "Aspect", "AspectName", "Difference", "compare_specials", "compare_texts"]

AspectName = Literal["ids", "pieces", "spans", "specials", "decoding"]
What = Literal[
    "ids",
    "pieces",
    "spans",
    "decoded",
    "special tokens found in ordinary text",
    "ids with special tokens parsed",
    "text of special tokens",
    "text without special tokens",
    "ids around a text",
]
ASPECTS: tuple[AspectName, ...] = ("ids", "pieces", "spans", "specials", "decoding")

_BATCH = 2048
_TRIED = 4
"""How many of the shortest differing texts are cut down; the smallest result is shown."""


@dataclass(frozen=True)
class Difference:
    """A text for which two tokenizers have different answers; no character of it can be left out."""

    text: str
    what: What
    first: Any
    second: Any

    def to_json(self) -> dict[str, Any]:
        """The difference as JSON-ready values."""
        return {"text": self.text, "what": self.what, "first": self.first, "second": self.second}


@dataclass(frozen=True)
class Aspect:
    """One thing that was compared: ids, pieces, spans, specials or decoding. True where it never differed."""

    name: AspectName
    texts: int
    """How many texts were compared."""
    differing: int
    """On how many of them it differed."""
    smallest: Difference | None = None
    """One of those, cut down; where there are any, one whose ids are equal."""
    alone: int = 0
    """On how many it differed although the ids were equal."""

    def __bool__(self) -> bool:
        return not self.differing

    def to_json(self) -> dict[str, Any]:
        """The aspect as JSON-ready values."""
        shown = self.smallest.to_json() if self.smallest else None
        return {"texts": self.texts, "differing": self.differing, "alone": self.alone, "smallest": shown}


class _Pair:
    """Two tokenizers, and what each answers for a text."""

    def __init__(self, first: Tokenizer, second: Tokenizer) -> None:
        self.first, self.second = first, second

    def ids(self, text: str) -> tuple[list[int], list[int]]:
        return self.first.encode(text), self.second.encode(text)

    def pieces(self, text: str) -> tuple[list[str], list[str]]:
        ids, others = self.ids(text)
        return _spellings(self.first, ids), _spellings(self.second, others)

    def spans(self, text: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        return _spans(self.first, text), _spans(self.second, text)

    def decoded(self, text: str) -> tuple[str, str | None]:
        """The ids of the first as both decode them; None where the other has no such id."""
        return self.decoded_ids(self.first.encode(text))

    def decoded_ids(self, ids: list[int]) -> tuple[str, str | None]:
        inside = max(ids, default=0) < self.second.vocab_size
        return self.first._kernel.decode(ids), self.second._kernel.decode(ids) if inside else None

    def parsed(self, text: str) -> tuple[list[int], list[int]]:
        """Where special tokens are permitted: all ids, or where ordinary ids differ already, those of added tokens alone."""
        found = self.first.encode(text, specials="parse"), self.second.encode(text, specials="parse")
        return found if _alike(self.ids(text)) else self.marked(found)

    def unparsed(self, text: str) -> tuple[list[int], list[int]]:
        """The added tokens that are found where none are permitted."""
        return self.marked(self.ids(text))

    def marked(self, found: tuple[list[int], list[int]]) -> tuple[list[int], list[int]]:
        """The ids that are those of special or added tokens."""
        ids, others = ([id for id in some if id in self.marks] for some in found)
        return ids, others

    def parsed_text(self, text: str, skip: bool) -> tuple[str, str] | tuple[None, None]:
        """What the special tokens of a text are decoded to; nothing where their ids differ, which says more. Where ordinary
        text is decoded differently already, it is left out."""
        ids, others = self.first.encode(text, specials="parse"), self.second.encode(text, specials="parse")
        if not _alike(self.decoded(text)):
            ids, others = self.marked((ids, others))
        if ids != others:
            return None, None
        return self.first.decode(ids, skip_special=skip), self.second.decode(ids, skip_special=skip)

    @cached_property
    def marks(self) -> frozenset[int]:
        """The ids of special and added tokens of both."""
        rows = [[*tokenizer.spec.added.ids.tolist(), *special_tokens(tokenizer).values()] for tokenizer in self.both]
        return frozenset(id for ids in rows for id in ids)

    @property
    def both(self) -> tuple[Tokenizer, Tokenizer]:
        return self.first, self.second

    @cached_property
    def respelled(self) -> frozenset[int]:
        """Ids that do not stand for the same piece in both."""
        one, other = self.first.spec.pieces, self.second.spec.pieces
        common = min(len(one), len(other))
        unlike = (id for id in range(common) if one.bytes(id) != other.bytes(id))
        return frozenset([*unlike, *range(common, max(len(one), len(other)))])


def _spellings(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    return [tokenizer.spec.pieces.bytes(id).decode("utf-8", "backslashreplace") for id in ids]


def _spans(tokenizer: Tokenizer, text: str) -> list[tuple[int, int]]:
    return [(token.start, token.end) for token in tokenizer.encode_spans(text)]


_WHATS: dict[AspectName, What] = {"ids": "ids", "pieces": "pieces", "spans": "spans", "decoding": "decoded"}


def compare_texts(
    first: Tokenizer, second: Tokenizer, texts: Sequence[str], names: Sequence[AspectName]
) -> list[Aspect]:
    """Ordinary text, in every aspect of ``names`` but ``specials``."""
    pair = _Pair(first, second)
    found: dict[AspectName, list[tuple[bool, str]]] = {name: [] for name in names if name != "specials"}
    for start in range(0, len(texts), _BATCH):
        part = texts[start : start + _BATCH]
        rows = zip(part, first.encode_batch(part).tolist(), second.encode_batch(part).tolist(), strict=True)
        for text, ids, others in rows:
            for name in found:
                if _DIFFERS[name](pair, text, ids, others):
                    found[name].append((ids != others, text))
    return [_aspect(pair, name, len(texts), rows) for name, rows in found.items()]


def _pieces_differ(pair: _Pair, text: str, ids: list[int], others: list[int]) -> bool:
    if ids == others:
        return bool(pair.respelled) and not pair.respelled.isdisjoint(ids)
    return len(ids) != len(others) or _spellings(pair.first, ids) != _spellings(pair.second, others)


def _decoding_differs(pair: _Pair, text: str, ids: list[int], others: list[int]) -> bool:
    one, other = pair.decoded_ids(ids)
    return one != other


_DIFFERS: dict[AspectName, Callable[[_Pair, str, list[int], list[int]], bool]] = {
    "ids": lambda pair, text, ids, others: ids != others,
    "pieces": _pieces_differ,
    "spans": lambda pair, text, ids, others: _spans(pair.first, text) != _spans(pair.second, text),
    "decoding": _decoding_differs,
}


def _aspect(pair: _Pair, name: AspectName, texts: int, rows: list[tuple[bool, str]]) -> Aspect:
    """The result; each row says whether the ids differed too, and the text."""
    if not rows:
        return Aspect(name, texts, 0)
    alone = [text for by_ids, text in rows if not by_ids]
    answers: Callable[[str], tuple[Any, Any]] = getattr(pair, _WHATS[name])

    def differs(text: str) -> bool:
        one, other = answers(text)
        return bool(one != other) and (not alone or _alike(pair.ids(text)))

    smallest = _smallest(alone or [text for _, text in rows], differs)
    return Aspect(
        name,
        texts,
        len(rows),
        Difference(smallest, _WHATS[name], *answers(smallest)),
        0 if name == "ids" else len(alone),
    )


def _alike(answers: tuple[Any, Any]) -> bool:
    return bool(answers[0] == answers[1])


def _smallest(texts: list[str], differs: Callable[[str], bool]) -> str:
    made = [shrunk(text, differs) for text in sorted(texts, key=len)[:_TRIED]]
    return min(made, key=len)


def compare_specials(first: Tokenizer, second: Tokenizer, *, both: bool = True) -> Aspect:
    """What the special and added tokens become in text, as text and where they are permitted, what they are decoded to, and
    what is put around one text and two.

    Without ``both`` only the added tokens and marks of the first count: the second may find more in text.

    >>> import anypiece
    >>> tok = anypiece.load()
    >>> compare_specials(tok, tok.replace(add_eos=False)).smallest.what
    'ids around a text'
    """
    pair = _Pair(first, second)
    texts = special_texts(first, second, both=both)
    found: dict[What, list[str]] = {}
    for text in texts:
        for what in _special_differences(pair, text):
            found.setdefault(what, []).append(text)
    differing = len({text for some in found.values() for text in some})
    around = _around_difference(first, second, both)
    smallest = None
    for what, answers in _special_answers(pair).items():
        if what in found:
            text = _smallest(found[what], lambda part, answers=answers: not _alike(answers(part)))  # type: ignore[misc]
            smallest = Difference(text, what, *answers(text))
            break
    return Aspect("specials", len(texts) + 1, differing + (around is not None), smallest or around)


def _special_answers(pair: _Pair) -> dict[What, Callable[[str], tuple[Any, Any]]]:
    """The questions about a text with special tokens, worst first."""
    return {
        "ids with special tokens parsed": pair.parsed,
        "special tokens found in ordinary text": pair.unparsed,
        "text of special tokens": lambda text: pair.parsed_text(text, False),
        "text without special tokens": lambda text: pair.parsed_text(text, True),
    }


def _special_differences(pair: _Pair, text: str) -> Iterator[What]:
    for what, answers in _special_answers(pair).items():
        if not _alike(answers(text)):
            yield what


def _around_difference(first: Tokenizer, second: Tokenizer, both: bool) -> Difference | None:
    around, other = _around(first), _around(second)
    if both:
        around, other = around or _BARE, other or _BARE
    if (both or around not in (None, _BARE)) and around != other:
        return Difference("a", "ids around a text", around, other)
    return None


_BARE: list[list[Any]] = [["A"], ["A", "B"], [0, 1]]
"""What stands around one text and two where nothing does, as in a vocabulary that lacks the marks that it asks for."""


def _around(tokenizer: Tokenizer) -> list[list[Any]] | None:
    """One text and two with their marks, and the types of the two; the ids of the texts themselves, which are compared
    elsewhere, as "A" and "B". None where the vocabulary has none of the marks that it asks for."""
    try:
        before, after = ids_around(tokenizer.spec, True)
    except InputError:
        return None
    texts = {"A": tokenizer.encode("a"), "B": tokenizer.encode("b")}
    one = before + texts["A"] + after
    pair = tokenizer.encode_pair("a", "b")
    single = _without(one, [0] * len(one), {"A": texts["A"]})
    double = _without(pair.ids, pair.type_ids, texts)
    return [[mark for mark, _ in single], [mark for mark, _ in double], [type for _, type in double]]


def _without(ids: list[int], types: list[int], texts: dict[str, list[int]]) -> list[tuple[int | str, int]]:
    """Ids and their types, with a name for each of ``texts``, which come in that order."""
    rows: list[tuple[int | str, int]] = list(zip(ids, types, strict=True))
    at = 0
    for name, part in texts.items():
        while at + len(part) <= len(rows) and [id for id, _ in rows[at : at + len(part)]] != part:
            at += 1
        type = rows[at][1] if part and at < len(rows) else 0
        rows[at : at + len(part)] = [(name, type)]
        at += 1
    return rows
