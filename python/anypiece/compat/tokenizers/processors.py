"""Post-processors: what stands around texts, and how spans are trimmed."""

from __future__ import annotations

import re
from typing import Any

from .component import Component, Field, Listed, component_of
from .encoding import Encoding, merged
from .parts import Held, Slice, Trim, held
from .shown import Struct, Variant

__all__ = [
    "BertProcessing",
    "ByteLevel",
    "PostProcessor",
    "RobertaProcessing",
    "Sequence",
    "TemplateProcessing",
]

Pieces = list[dict[str, Any]]


class PostProcessor(Component):
    """The base of all post-processors."""

    FAMILY = "post_processor"

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many tokens are put around a text, or a pair of texts."""
        return self._added(bool(is_pair))

    def process(self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True) -> Encoding:
        """One or two encodings with what stands around them, as one."""
        return self._process(
            [encoding._copy()] if pair is None else [encoding._copy(), pair._copy()], add_special_tokens
        )

    def _process(self, encodings: list[Encoding], add_special: bool) -> Encoding:
        for number, one in enumerate(encodings):
            for each in (one, *one._overflowing):
                each.set_sequence_id(number)
            _set_types(one, number)
        return merged(self._each(encodings, add_special), False)

    def _added(self, is_pair: bool) -> int:
        raise NotImplementedError

    def _each(self, encodings: list[Encoding], add_special: bool) -> list[Encoding]:
        raise NotImplementedError


def _set_types(encoding: Encoding, type_id: int) -> None:
    encoding._parts = [part.typed(type_id) for part in encoding._parts]


def special_part(ids: list[int], tokens: list[str], type_id: int) -> Held:
    """Tokens that are put around a text."""
    size = len(ids)
    return Held((ids, [type_id] * size, tokens, [None] * size, [(0, 0)] * size, [1] * size, [1] * size))


def trim_offsets(encoding: Encoding, keeps_first: bool) -> None:
    """Spans lose the spaces that their tokens begin and end with."""
    for one in (encoding, *encoding._overflowing):
        parts = one._parts
        if len(parts) == 1 and isinstance(parts[0], Slice) and parts[0].trim is None and not parts[0].shift:
            one._parts = [parts[0]._replace(trim=Trim(keeps_first, parts[0].begin))]
        elif parts:
            ids, types, tokens, words, offsets, special, attention = held(parts).columns
            offsets = [
                trimmed_span(token, span, place == 0, keeps_first)
                for place, (token, span) in enumerate(zip(tokens, offsets, strict=True))
            ]
            one._parts = [Held((ids, types, tokens, words, offsets, special, attention))]
        one._kept = {}


def _is_space(character: str) -> bool:
    return character == "\u0120" or (character.isspace() and not "\x1c" <= character <= "\x1f")


def edge_spaces(token: str) -> tuple[int, int]:
    """How many spaces a token begins and ends with."""
    leading = next((place for place, one in enumerate(token) if not _is_space(one)), len(token))
    trailing = next((place for place, one in enumerate(reversed(token)) if not _is_space(one)), len(token))
    return leading, trailing


def trimmed_span(token: str, span: tuple[int, int], is_first: bool, keeps_first: bool) -> tuple[int, int]:
    """A span without the spaces of its token; one in front of the text stays if it was put there."""
    leading, trailing = edge_spaces(token)
    start, end = span
    if leading == 1 and keeps_first and (is_first or start == 0):
        leading = 0
    start = min(start + leading, end)
    if trailing and end >= trailing:
        end = max(end - trailing, start)
    return start, end


class ByteLevel(PostProcessor):
    """Trims spans in byte-level vocabularies."""

    add_prefix_space = Field("add_prefix_space")
    trim_offsets = Field("trim_offsets")
    use_regex = Field("use_regex")

    def __init__(
        self,
        add_prefix_space: bool | None = None,
        trim_offsets: bool | None = None,
        use_regex: bool | None = None,
        **_rest: Any,
    ) -> None:
        given = {"add_prefix_space": add_prefix_space, "trim_offsets": trim_offsets, "use_regex": use_regex}
        self._fields = {name: True if value is None else bool(value) for name, value in given.items()}

    def _added(self, is_pair: bool) -> int:
        return 0

    def _each(self, encodings: list[Encoding], add_special: bool) -> list[Encoding]:
        for number, one in enumerate(encodings):
            if self._fields.get("trim_offsets", True):
                trim_offsets(one, self._fields.get("add_prefix_space", True))
            one.set_sequence_id(number)
        return encodings


class _Marks(PostProcessor):
    """Around the first text, and behind the second."""

    def __init__(self, sep: Any, cls_token: Any) -> None:
        self._fields = {"sep": _mark(sep), "cls": _mark(cls_token)}

    sep = Field("sep", lambda row: tuple(row), lambda row: _mark(row))
    cls = Field("cls", lambda row: tuple(row), lambda row: _mark(row))

    def _tree(self) -> Any:
        rows = [(name, tuple(value) if isinstance(value, list) else value) for name, value in self._fields.items()]
        return Struct(type(self).__name__, list(rows))

    def _framed(self, encoding: Encoding, number: int, before: list[str], type_id: int) -> Encoding:
        """An encoding with marks around it, and what was cut off of it."""
        front = [special_part([self._fields[name][1]], [self._fields[name][0]], type_id) for name in before]
        behind = special_part([self._fields["sep"][1]], [self._fields["sep"][0]], type_id)

        def framed(one: Encoding) -> Encoding:
            size = len(one)
            inner = [part if isinstance(part, Slice) else _unmarked(part) for part in one._parts]
            return Encoding._of([*front, *inner, behind], {number: (len(front), len(front) + size)})

        made = framed(encoding)
        made._overflowing = [framed(one) for one in encoding._overflowing]
        return made


def _unmarked(part: Any) -> Held:
    """Tokens as if all were of a text."""
    ids, types, tokens, words, offsets, *_ = held([part]).columns
    return Held((ids, types, tokens, words, offsets, [0] * len(ids), [1] * len(ids)))


def _mark(row: Any) -> list[Any]:
    name, id = row
    return [str(name), int(id)]


class BertProcessing(_Marks):
    """What BERT puts around texts."""

    def _added(self, is_pair: bool) -> int:
        return 3 if is_pair else 2

    def _each(self, encodings: list[Encoding], add_special: bool) -> list[Encoding]:
        if not add_special:
            return encodings
        return [
            self._framed(one, number, [] if number else ["cls"], 1 if number else 0)
            for number, one in enumerate(encodings)
        ]


class RobertaProcessing(_Marks):
    """What RoBERTa puts around texts."""

    trim_offsets = Field("trim_offsets")
    add_prefix_space = Field("add_prefix_space")

    def __init__(self, sep: Any, cls_token: Any, trim_offsets: bool = True, add_prefix_space: bool = True) -> None:
        super().__init__(sep, cls_token)
        self._fields |= {"trim_offsets": bool(trim_offsets), "add_prefix_space": bool(add_prefix_space)}

    def _added(self, is_pair: bool) -> int:
        return 4 if is_pair else 2

    def _each(self, encodings: list[Encoding], add_special: bool) -> list[Encoding]:
        if self._fields.get("trim_offsets", True):
            for one in encodings:
                trim_offsets(one, self._fields.get("add_prefix_space", True))
        for one in encodings:
            _set_types(one, 0)
        if not add_special:
            return encodings
        for one in encodings:
            for part in one._overflowing:
                _set_types(part, 0)
        return [self._framed(one, number, ["sep" if number else "cls"], 0) for number, one in enumerate(encodings)]


_NUMBER = re.compile(r"\d+")


def _template(value: Any) -> Pieces:
    words = value.split(" ") if isinstance(value, str) else value
    return [_piece(word) for word in words]


def _piece(word: str) -> dict[str, Any]:
    name, colon, number = word.rpartition(":") if ":" in word else (word, "", "")
    if colon and not _NUMBER.fullmatch(number):
        if word.startswith("$") or not number:
            raise ValueError(f'Cannot build Piece from string "{word}"')
        name, number = word, ""
    type_id = int(number or 0)
    if not name.startswith("$"):
        return {"SpecialToken": {"id": name, "type_id": type_id}}
    rest = name[1:]
    if _NUMBER.fullmatch(rest):
        return {"Sequence": {"id": "A", "type_id": type_id if colon else int(rest)}}
    if rest not in ("", "A", "a", "B", "b"):
        raise ValueError(f'Cannot build Piece from string "{word}"')
    return {"Sequence": {"id": rest.upper() or "A", "type_id": type_id}}


def _special(row: Any) -> dict[str, Any]:
    if isinstance(row, dict):
        if len(row["ids"]) != len(row["tokens"]):
            raise ValueError("SpecialToken: ids and tokens must be of the same length")
        return {"id": row["id"], "ids": list(row["ids"]), "tokens": list(row["tokens"])}
    first, second = row
    name, id = (second, first) if isinstance(first, int) else (first, second)
    return {"id": name, "ids": [id], "tokens": [name]}


class TemplateProcessing(PostProcessor):
    """What a template says stands around texts."""

    def __init__(self, single: Any = None, pair: Any = None, special_tokens: Any = None) -> None:
        rows = sorted((_special(row) for row in special_tokens or ()), key=lambda row: str(row["id"]))
        self._fields = {
            "single": _template("$0" if single is None else single),
            "pair": _template("$A:0 $B:1" if pair is None else pair),
            "special_tokens": {row["id"]: row for row in rows},
        }
        if {"A", "B"} - {part["Sequence"]["id"] for part in self._fields["pair"] if "Sequence" in part}:
            raise ValueError("Template for `pair` must use both sequences")
        used = [
            part["SpecialToken"]["id"]
            for name in ("single", "pair")
            for part in self._fields[name]
            if "SpecialToken" in part
        ]
        missing = [name for name in dict.fromkeys(used) if name not in self._fields["special_tokens"]]
        if missing:
            raise ValueError(f"Missing SpecialToken(s) with id(s) `{', '.join(missing)}`")

    @property
    def single(self) -> list[Any]:
        """The template for one text."""
        return list(self._fields["single"])

    @single.setter
    def single(self, single: Any) -> None:
        made = TemplateProcessing(single, None, list(self._fields["special_tokens"].values()))
        self._fields["single"] = made._fields["single"]
        from .component import Changes

        Changes.note()

    def _tree(self) -> Any:
        def part(piece: dict[str, Any]) -> Struct:
            kind, row = next(iter(piece.items()))
            name = Variant(row["id"]) if kind == "Sequence" else row["id"]
            return Struct(kind, [("id", name), ("type_id", row["type_id"])])

        special = {
            name: Struct("SpecialToken", [("id", row["id"]), ("ids", row["ids"]), ("tokens", row["tokens"])])
            for name, row in self._fields["special_tokens"].items()
        }
        rows: list[tuple[str | None, Any]] = [
            (name, [part(piece) for piece in self._fields[name]]) for name in ("single", "pair")
        ]
        return Struct("TemplateProcessing", [*rows, ("special_tokens", special)])

    def _added(self, is_pair: bool) -> int:
        pieces = self._fields["pair" if is_pair else "single"]
        names = [piece["SpecialToken"]["id"] for piece in pieces if "SpecialToken" in piece]
        return sum(len(self._fields["special_tokens"][name]["ids"]) for name in names)

    def _each(self, encodings: list[Encoding], add_special: bool) -> list[Encoding]:
        found = []
        for piece in self._fields["pair" if len(encodings) == 2 else "single"]:
            kind, row = next(iter(piece.items()))
            if kind == "Sequence":
                number = 0 if row["id"] == "A" else 1
                one = encodings[number]
                _set_types(one, row["type_id"])
                one.set_sequence_id(number)
                found.append(one._copy())
            elif add_special:
                token = self._fields["special_tokens"][row["id"]]
                found.append(Encoding._of([special_part(token["ids"], token["tokens"], row["type_id"])]))
        return found


class Sequence(Listed, PostProcessor):
    """Post-processors one after the other."""

    FIELD = "processors"

    def __init__(self, processors: Any) -> None:
        self._hold(PostProcessor, processors)

    @classmethod
    def _of(cls, section: dict[str, Any]) -> Sequence:
        return cls([component_of(PostProcessor, part) for part in section["processors"]])

    def _added(self, is_pair: bool) -> int:
        return sum(part._added(is_pair) for part in self._parts)

    def _each(self, encodings: list[Encoding], add_special: bool) -> list[Encoding]:
        for part in self._parts:
            encodings = part._each(encodings, add_special)
        return encodings
