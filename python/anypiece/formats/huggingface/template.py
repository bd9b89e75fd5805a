"""The section ``post_processor`` of a tokenizer.json: what stands around texts, and which spans lose their spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .fields import boolean, kind_of, listed, mapping, refuse, string, unsupported, whole

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["read_template"]

Slots = tuple[tuple[int | str, int], ...]

_NOTHING: dict[str, Slots] = {"single": (("A", 0),), "pair": (("A", 0), ("B", 1))}
"""What a file means that puts nothing around texts."""
MOST_SLOTS = 1024
"""A template that puts more around every text is refused: each call would pay for what a few bytes of a file spell."""


def read_template(section: Any) -> dict[str, Any]:
    """The fields of the Spec that the section sets: ``single``, ``pair`` and ``trim_spans``."""
    settings: dict[str, Any] = {}
    for kind, fields in _flat(section):
        read = _READERS.get(kind)
        if read is None:
            unsupported(
                "post_processor", f"is of type {kind!r}, which is not known", f"Known are: {', '.join(_READERS)}."
            )
        found = read(fields)
        if settings.keys() & found.keys():
            unsupported("post_processor", "has two templates, or trims spans twice", "Keep one of each.")
        settings |= found
    return _NOTHING | settings


def _flat(section: Any) -> list[tuple[str, dict[str, Any]]]:
    if section is None:
        return []
    kind, fields = kind_of(section, "post_processor")
    if kind != "Sequence":
        return [(kind, fields)]
    return [part for item in listed(fields.get("processors"), "post_processor.processors") for part in _flat(item)]


def _template(fields: dict[str, Any]) -> dict[str, Any]:
    tokens = mapping(fields.get("special_tokens"), "post_processor.special_tokens")
    ids = {name: _ids(token) for name, token in tokens.items()}
    single, pair = _slots(fields.get("single"), ids), _slots(fields.get("pair"), ids)
    if [slot for slot, _ in single if isinstance(slot, str)] != ["A"]:
        unsupported("post_processor.single", "does not have the text once", "Write it with the sequence A once.")
    if sorted(slot for slot, _ in pair if isinstance(slot, str)) != ["A", "B"]:
        unsupported("post_processor.pair", "does not have both texts once", "Write it with A and B once each.")
    return {"single": single, "pair": pair}


def _ids(token: Any) -> list[int]:
    fields = mapping(token, "post_processor.special_tokens")
    ids = listed(fields.get("ids"), "post_processor.special_tokens.ids")
    return [whole({"ids": id}, "ids", "post_processor.special_tokens") for id in ids]


def _slots(section: Any, ids: dict[str, list[int]]) -> Slots:
    slots: list[tuple[int | str, int]] = []
    for item in listed(section, "post_processor"):
        for kind, part in mapping(item, "post_processor").items():
            fields = mapping(part, f"post_processor.{kind}")
            name, type_id = string(fields, "id", "post_processor"), whole(fields, "type_id", "post_processor")
            if kind == "Sequence":
                slots.append((name, type_id))
            elif name not in ids:
                refuse("post_processor", f"names {name!r}, which is not among its special_tokens")
            else:
                slots += [(id, type_id) for id in ids[name]]
            if len(slots) > MOST_SLOTS:
                unsupported("post_processor", f"puts more than {MOST_SLOTS} ids around a text", "List fewer.")
    return tuple(slots)


def _mark(fields: dict[str, Any], name: str) -> int:
    row = listed(fields.get(name), f"post_processor.{name}")
    return whole({name: row[1] if len(row) == 2 else None}, name, "post_processor")


def _bert(fields: dict[str, Any]) -> dict[str, Any]:
    cls, sep = _mark(fields, "cls"), _mark(fields, "sep")
    single: Slots = ((cls, 0), ("A", 0), (sep, 0))
    return {"single": single, "pair": (*single, ("B", 1), (sep, 1))}


def _roberta(fields: dict[str, Any]) -> dict[str, Any]:
    cls, sep = _mark(fields, "cls"), _mark(fields, "sep")
    single: Slots = ((cls, 0), ("A", 0), (sep, 0))
    return {"single": single, "pair": (*single, (sep, 0), ("B", 0), (sep, 0)), **_trim(fields)}


def _trim(fields: dict[str, Any]) -> dict[str, Any]:
    if not boolean(fields, "trim_offsets", "post_processor", True):
        return {}
    return {"trim_spans": "inner" if boolean(fields, "add_prefix_space", "post_processor", True) else "all"}


_READERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "TemplateProcessing": _template,
    "BertProcessing": _bert,
    "RobertaProcessing": _roberta,
    "ByteLevel": _trim,
}
