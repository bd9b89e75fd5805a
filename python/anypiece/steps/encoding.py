"""Steps of encoding: the reference runs with a recorder, and what was written down becomes rows of plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .._core.calls import call, counts_characters
from ..errors import InternalError
from ..reference import utf8
from ..reference.normalize import Normalized
from ..reference.specials import parts as parts_of
from ..reference.steps import text_of
from ..spec import AddedFlag, Kind
from ..text.encoding import frame_ids
from ..text.specials import permit
from .data import Around, Chunk, Fragment, Part, Replacement, Special, Split, Steps, StepToken, TextStep
from .limits import ADDED, LENGTH, NORMALIZED, Allowance
from .normalization import replacements
from .recorder import ChunkRecord, Recorder
from .tables import Names, spelled, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ..reference import ReferenceTokenizer
    from ..results import Token
    from ..spec import Spec
    from ..text.specials import AddSpecial, Permit, Specials
    from ..tokenizer import Tokenizer
    from .recorder import FragmentRecord, InnerRecord, TextRecord

_Rules = list[tuple[str, set[tuple[int, int]]]]

__all__ = ["Unit", "permitted_ids", "reference_of", "shown_text", "steps", "units_of"]


def steps(
    tokenizer: Tokenizer, text: str | bytes, *, specials: Specials = "text", add_special: AddSpecial = False
) -> Steps:
    """Every step of ``tokenizer.encode(text)`` with the same options. Their ids are compared with it, always.

    >>> import anypiece
    >>> found = steps(anypiece.load(), "Hello")
    >>> list(found.ids) == anypiece.load().encode("Hello"), found.chunks()[0].table.kind
    (True, 'viterbi')
    """
    rows = tokenizer.encode_spans(text, add_special=add_special, specials=specials)
    before, after = frame_ids(tokenizer, add_special)
    permitted = permit(tokenizer, text, specials)
    inner = rows[len(before) : len(rows) - len(after)]
    too_much = _too_much(tokenizer, text)
    limits: tuple[str, ...] = (too_much,)
    if too_much:
        parts, tokens = _outline(tokenizer, text), _tokens_of(tokenizer, inner)
    else:
        parts, tokens, limits = _run(tokenizer, text, permitted, specials)
    ids = (*before, *(token.id for token in tokens), *after)
    expected = tuple(tokenizer.encode(text, add_special=add_special, specials=specials))
    if ids != expected:
        message = (
            f"The steps of {text!r:.80} end with other ids than encode gives. Please report the text and the file."
        )
        raise InternalError("internal-error", message, steps=ids[:100], encode=expected[:100])
    around = _around(tokenizer, rows, (len(before), len(after)), add_special)
    return Steps(
        shown_text(text),
        "char" if counts_characters(text, None) else "byte",
        tokenizer.spec.segmenter,
        tokenizer.spec.symbols,
        () if too_much else _unfound(tokenizer, text, permitted, specials, parts),
        parts,
        tokens,
        around,
        ids,
        limits,
    )


def shown_text(text: str | bytes) -> str:
    """A text with what is no UTF-8, and lone surrogates, spelled out."""
    return spelled(text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text)


def reference_of(tokenizer: Tokenizer) -> ReferenceTokenizer:
    """The slow twin, kept with the tokenizer: building it takes seconds for a large vocabulary."""
    if "reference" not in tokenizer._lazy:
        from ..reference import ReferenceTokenizer

        tokenizer._lazy["reference"] = ReferenceTokenizer(tokenizer.spec)
    return cast("ReferenceTokenizer", tokenizer._lazy["reference"])


def _too_much(tokenizer: Tokenizer, text: str | bytes) -> str:
    """Why the reference does not run; nothing if it does."""
    if len(text) > LENGTH:
        return f"the text is longer than {LENGTH} {'characters' if isinstance(text, str) else 'bytes'}: no tables"
    if len(tokenizer.spec.added) > ADDED:
        return f"the vocabulary has more than {ADDED:,} added tokens: no tables"
    if len(tokenizer.normalize(text).encode("utf-8", "replace")) > NORMALIZED:
        return f"the normalized text is longer than {NORMALIZED:,} bytes: no tables"
    return ""


# -- what the kernel says, where the reference does not run


class Unit(NamedTuple):
    """A stretch that is segmented by itself, its places in the normalized text (in the text, where rules split)."""

    text: str
    start: int
    end: int
    settled: bool


def units_of(tokenizer: Tokenizer, text: str | bytes, normalized: str) -> list[Unit]:
    """The units of a text: chunks, or what lies between places that no piece crosses."""
    if tokenizer.spec.split_rules:
        rows = call(tokenizer._kernel.chunks, text, isinstance(text, str))
        return [Unit(spelled(chunk), start, end, True) for chunk, start, end in rows]
    if tokenizer.spec.symbols == "bytes" and isinstance(text, bytes):
        normalized = text.decode("utf-8", "surrogateescape")  # each bad byte is one character to the kernel
    found = call(tokenizer._kernel.units, text)
    names = [spelled(normalized[start:end].encode("utf-8", "surrogateescape")) for start, end, _ in found]
    return [Unit(name, *unit) for name, unit in zip(names, found, strict=True)]


def _outline(tokenizer: Tokenizer, text: str | bytes) -> tuple[Part, ...]:
    normalized, offsets = tokenizer.normalize_offsets(text)
    places = [*offsets.tolist(), len(text)]
    chunks = []
    for unit in units_of(tokenizer, text, normalized):
        source = (unit.start, unit.end)
        if not tokenizer.spec.split_rules and unit.end < len(places):
            source = (places[unit.start], places[unit.end])
        chunks.append(Chunk(unit.text, unit.start, unit.end, *source, "", (), None, ()))
    return (Part(0, len(text), shown_text(text), None, Fragment(normalized, (), (), (), (), tuple(chunks))),)


def _tokens_of(tokenizer: Tokenizer, rows: list[Token]) -> tuple[StepToken, ...]:
    added = set(tokenizer.spec.added.ids.tolist())
    return tuple(StepToken(row.id, _piece(row), row.start, row.end, _how(tokenizer, row.id, added)) for row in rows)


def _how(tokenizer: Tokenizer, id: int, added: Collection[int]) -> str:
    if id in added:
        return "special"
    if id == tokenizer.unk_id:
        return "unknown"
    return "bytes" if tokenizer.kind(id) == Kind.BYTE else "piece"


def _piece(row: Token) -> str:
    return spelled(row.piece_bytes)


def _around(tokenizer: Tokenizer, rows: list[Token], counts: tuple[int, int], add_special: AddSpecial) -> Around:
    """What stands around the text, as ``encode_spans`` has it."""
    before, after = counts
    roles = {tokenizer.bos_id: "bos", tokenizer.eos_id: "eos"}
    template = add_special is True and tokenizer.spec.single is not None

    def made(token: Token) -> StepToken:
        how = "template" if template else roles.get(token.id, "template")
        return StepToken(token.id, _piece(token), token.start, token.end, how)

    by = "" if add_special is False else f"add_special={add_special!r}"
    return Around(tuple(map(made, rows[:before])), tuple(map(made, rows[len(rows) - after :])), by)


# -- what the reference says


class _Source:
    """The text as bytes, and places in it as its caller counts them."""

    def __init__(self, text: str | bytes, reference: ReferenceTokenizer) -> None:
        self.raw = utf8.of_text(text, reference.lone_surrogate)
        numbers = utf8.character_starts(text, reference.lone_surrogate) if isinstance(text, str) else None
        self.place: Callable[[int], int] = int if numbers is None else numbers.__getitem__

    def shown(self, start: int, end: int) -> str:
        return spelled(self.raw[start:end])


def _run(
    tokenizer: Tokenizer, text: str | bytes, permitted: Permit, specials: Specials
) -> tuple[tuple[Part, ...], tuple[StepToken, ...], tuple[str, ...]]:
    reference, allowance = reference_of(tokenizer), Allowance()
    recorder = Recorder(allowance)
    may = permitted_ids(tokenizer.spec, permitted)
    found = reference.encode_spans(text, chars=isinstance(text, str), permitted=may, watch=recorder)
    source = _Source(text, reference)
    builder = _Builder(tokenizer, reference, source, specials)
    parts = tuple(builder.part(record.start, record.end, record.id, record.fragment) for record in recorder.parts)
    unk = tokenizer.spec.unk_id
    hows = recorder.hows
    if reference.bytes is not None:  # these make tokens themselves
        added = set(tokenizer.spec.added.ids.tolist())
        hows = [("unknown" if token.id == unk else "special" if token.id in added else "piece") for token in found]
    bytewise = tokenizer.spec.symbols == "bytes"
    tokens = tuple(
        StepToken(
            token.id,
            spelled(tokenizer.id_to_bytes(token.id)) if bytewise and token.id != unk else token.piece,
            token.start,
            token.end,
            how,
        )
        for token, how in zip(found, hows, strict=True)
    )
    return parts, tokens, tuple(allowance.reached)


def permitted_ids(spec: Spec, permitted: Permit) -> frozenset[int]:
    """The ids that may be found, by what the kernel is told."""
    if permitted is True:
        return frozenset(spec.added.ids.tolist())
    return frozenset(cast("Collection[int]", permitted or ()))


class _Builder:
    """Rows of plain data from what was written down."""

    def __init__(
        self, tokenizer: Tokenizer, reference: ReferenceTokenizer, source: _Source, specials: Specials
    ) -> None:
        self.spec, self.reference, self.source = tokenizer.spec, reference, source
        self.by = _by(specials)
        self.flags = {id: AddedFlag(flags) for _, id, flags in self.spec.added}

    def part(self, start: int, end: int, id: int | None, record: FragmentRecord) -> Part:
        """A stretch of the text, by its bytes."""
        place, shown = self.source.place, self.source.shown(start, end)
        if id is not None:
            special = self.special(id, shown, place(start), place(end), "text")
            return Part(place(start), place(end), shown, special, None)
        return Part(place(start), place(end), shown, None, self.fragment(start, end, record))

    def special(self, id: int, text: str, start: int, end: int, where: str) -> Special:
        """An added token that was found."""
        is_special = bool(self.flags[id] & AddedFlag.SPECIAL)
        by = self.by if is_special else "vocabulary"
        return Special(id, self.spec.pieces.piece(id), text, start, end, True, is_special, by, where)

    def fragment(self, start: int, end: int, record: FragmentRecord) -> Fragment:
        raw, normalized = self.source.raw[start:end], record.normalized
        assert normalized is not None

        def place(byte: int) -> int:
            return self.source.place(start + byte)

        staged = isinstance(normalized, list)
        text = text_of(normalized) if isinstance(normalized, list) else spelled(normalized.text)
        changes: tuple[Replacement, ...] = ()
        if self.reference.bytes is None or staged:
            changes = replacements(raw, normalized, place, None if staged else self.reference.normalizer)
        specials, chunks = [], []
        at = 0
        for inner in record.inners:
            if inner.id is not None:
                specials.append(self._inner_special(inner, normalized, place))
                continue
            if not self.spec.split_rules:
                at = self._place_in(text, normalized, inner.start)
            rules = _places_after(inner)
            for one in inner.texts:
                made = self._chunks(rules, one, at, place)
                chunks += made
                at = made[-1].end if made else at
        return Fragment(
            text,
            changes,
            _text_steps(self.source.raw[start:end], record),
            _splits(record),
            tuple(specials),
            tuple(chunks),
        )

    def _place_in(self, text: str, normalized: Normalized | list[Any], place: int) -> int:
        """Where a stretch begins, in symbols."""
        if isinstance(normalized, Normalized):
            if self.spec.symbols == "bytes":
                return place
            return len(normalized.text[:place].decode("utf-8", "replace"))
        return len(text[:place].encode()) if self.spec.symbols == "bytes" else place

    def _inner_special(
        self, inner: InnerRecord, normalized: Normalized | list[Any], place: Callable[[int], int]
    ) -> Special:
        assert inner.id is not None
        if isinstance(normalized, Normalized):
            text = spelled(normalized.text[inner.start : inner.end])
            start, end = normalized.offsets[inner.start], normalized.offsets[inner.end]
        else:
            inside = normalized[inner.start : inner.end]
            text, start, end = text_of(inside), inside[0].start, inside[-1].end
        return self.special(inner.id, text, place(start), place(end), "normalized text")

    def _chunks(self, rules: _Rules, record: TextRecord, at: int, place: Callable[[int], int]) -> list[Chunk]:
        chunks = []
        records = record.chunks
        if not records and record.text.text:
            records = [ChunkRecord(0, len(record.text.text), "")]
        for number, one in enumerate(records):
            names = Names(self.spec, record.text.text[one.start : one.end])
            last = number == len(records) - 1
            inside = [s for s in record.path if one.start <= s.start and (last or s.start < one.end)]
            path = names.found(inside, one.start)
            source = record.text.span(one.start, one.end)
            rule = one.rule or _rule_of(rules, source)
            table = table_of(self.spec, names, one, path)
            width = len(names.symbols)
            shown = spelled(names.raw)
            chunks.append(
                Chunk(shown, at, at + width, place(source[0]), place(source[1]), rule, names.symbols, table, path)
            )
            at += width
        return chunks


def _places_after(inner: InnerRecord) -> _Rules:
    """The rules, each with the places of the chunks after it."""
    return [
        (rule["type"], {(chunk[0].start, chunk[-1].end) for chunk in chunks if chunk}) for rule, chunks in inner.rules
    ]


def _rule_of(rules: _Rules, source: tuple[int, int]) -> str:
    """The rule after which a chunk had the place that it has in the end."""
    name = ""
    for rule, places in rules:
        there = source in places
        if there and not name:
            name = rule
        elif not there:
            name = ""
    return name


def _text_steps(raw: bytes, record: FragmentRecord) -> tuple[TextStep, ...]:
    before, rows = raw.decode("utf-8", "replace"), []
    for step, text in record.steps:
        after = text_of(text)
        options = {name: value for name, value in step.items() if name != "type"}
        rows.append(TextStep(step["type"], options, after, after != before))
        before = after
    return tuple(rows)


def _splits(record: FragmentRecord) -> tuple[Split, ...]:
    """The rules of a fragment, with the chunks of all its stretches."""
    rows: list[tuple[dict[str, Any], list[str]]] = []
    for inner in record.inners:
        for number, (rule, chunks) in enumerate(inner.rules):
            if number == len(rows):
                rows.append((rule, []))
            rows[number][1].extend(text_of(chunk) for chunk in chunks)
    out: list[Split] = []
    for rule, shown in rows:
        options = {name: value for name, value in rule.items() if name != "type"}
        out.append(Split(rule["type"], options, tuple(shown), not out or tuple(shown) != out[-1].chunks))
    return tuple(out)


# -- special tokens that the text spells


def _by(specials: Specials) -> str:
    if isinstance(specials, str):
        return f'specials="{specials}"'
    return "specials={" + ", ".join(sorted(map(repr, specials))[:8]) + "}"


def _unfound(
    tokenizer: Tokenizer, text: str | bytes, permitted: Permit, specials: Specials, parts: tuple[Part, ...]
) -> tuple[Special, ...]:
    """Special tokens that the text spells and that nobody permitted: they are text."""
    spec, reference = tokenizer.spec, reference_of(tokenizer)
    source = _Source(text, reference)
    raw = source.raw.decode("utf-8", "surrogateescape")
    found = {(part.special.id, part.start) for part in parts if part.special}
    out = []
    everything = frozenset(spec.added.ids.tolist())
    flags = {id: AddedFlag(flag) for _, id, flag in spec.added}
    if len(permitted_ids(spec, permitted)) < len(everything):
        for part in parts_of(raw, spec.added, spec.matching, everything):
            if part.id is None or not flags[part.id] & AddedFlag.SPECIAL:
                continue
            start, end = (len(raw[:at].encode("utf-8", "surrogateescape")) for at in (part.start, part.end))
            if (part.id, source.place(start)) not in found:
                out.append(_text_only(spec, source, part.id, start, end, _by(specials)))
    controls = {int(id) for id in (spec.pieces.kinds == Kind.CONTROL).nonzero()[0]} - everything
    for id in sorted(controls)[:ADDED]:
        name = spec.pieces.bytes(id)
        at = source.raw.find(name) if name else -1
        if at >= 0:
            out.append(
                _text_only(spec, source, id, at, at + len(name), "vocabulary: its control pieces are not in text")
            )
    return tuple(out)


def _text_only(spec: Spec, source: _Source, id: int, start: int, end: int, by: str) -> Special:
    shown = source.shown(start, end)
    return Special(id, spec.pieces.piece(id), shown, source.place(start), source.place(end), False, True, by)
