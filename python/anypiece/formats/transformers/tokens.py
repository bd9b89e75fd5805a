"""The tokens that the files beside a vocabulary name, and the order in which transformers 5 adds them to it.

A token is a row as in a tokenizer.json, without an id: those that are not in the vocabulary get the ids behind it in the
order of the rows. It knows files, and what classes add by themselves is told to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..huggingface.fields import boolean, listed, mapping, refuse, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["NAMES", "Row", "Said", "ordered_rows", "row_of"]

Row = dict[str, Any]

NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""The names that every class knows, in the order in which their tokens are added."""
_CONFIG, _ADDED = "tokenizer_config.json", "added_tokens.json"
_FLAGS = ("lstrip", "rstrip", "single_word")
_LISTS = ("additional_special_tokens", "extra_special_tokens")


def row_of(token: Any, *, special: bool, where: str = _CONFIG) -> Row:
    """The row of a token, which is a text or an object with flags; ``special`` is what a text is, and an object that does
    not say it is not."""
    fields = mapping(token, where) if not isinstance(token, str) else {"content": token, "special": special}
    text = fields.get("content")
    if not isinstance(text, str):
        refuse(where, "has a token that is no string")
    is_special = boolean(fields, "special", where, False)
    flags = {flag: boolean(fields, flag, where, False) for flag in _FLAGS}
    return {
        "content": text,
        **flags,
        "normalized": boolean(fields, "normalized", where, not is_special),
        "special": is_special,
    }


@dataclass(frozen=True)
class Said:
    """What tokenizer_config.json, special_tokens_map.json and added_tokens.json say together."""

    fields: dict[str, Any]
    """The fields of the config; those of the map go before them where the config has no ``added_tokens_decoder``."""
    numbered: dict[int, Row] | None
    """``added_tokens_decoder`` by id; None where the config has none, and the vocabulary's file counts."""
    added: dict[str, int]
    """added_tokens.json, which counts where the config has no ``added_tokens_decoder``."""
    lists: dict[str, Any]
    """``additional_special_tokens`` and ``extra_special_tokens``, each if it is there and as the class gets it."""

    @classmethod
    def of(cls, config: dict[str, Any], map_fields: dict[str, Any], added: dict[str, Any]) -> Said:
        """What the three files say. Raises ``FormatError``."""
        lists = {name: config[name] for name in _LISTS if name in config}
        if _LISTS[0] in lists and not lists.get(_LISTS[1]):
            lists = {_LISTS[1]: lists[_LISTS[0]]}
        if config.get("added_tokens_decoder") is not None:
            where = f"{_CONFIG}: added_tokens_decoder"
            rows = mapping(config["added_tokens_decoder"], where).items()
            return cls(
                config, {_number(id): row_of(token, special=False, where=where) for id, token in rows}, {}, lists
            )
        said = {
            name: value | {"special": True} if isinstance(value, dict) else value for name, value in map_fields.items()
        }
        more = said.pop(_LISTS[1], None)
        if isinstance(more, dict):
            said |= {name: value for name, value in more.items() if name != "special"}
        elif isinstance(more, list):
            old = lists.get(_LISTS[1])
            lists[_LISTS[1]] = [*old, *more] if isinstance(old, list) else more
        if _LISTS[0] in said:
            lists[_LISTS[0]] = said.pop(_LISTS[0])
        return cls(config | said, None, {text: whole(added, text, _ADDED) for text in added}, lists)

    def named(self, defaults: Mapping[str, str | None]) -> dict[str, Any]:
        """Tokens by name: those of the files, or what the class takes them for; then those with names of their own."""
        own = {name: self.fields.get(name, defaults.get(name)) for name in NAMES}
        more = {name: value for name, value in self.fields.items() if name.endswith("_token") and name not in NAMES}
        kept = {name: value for name, value in more.items() if isinstance(value, str) or _is_token(value)}
        extra = self.lists.get(_LISTS[1])
        kept |= mapping(extra, _LISTS[1]) if isinstance(extra, dict) else {}
        return {name: value for name, value in (own | kept).items() if value is not None}

    def listed(self) -> tuple[list[Any] | None, list[Any] | None]:
        """The tokens without names, and those that a class may put its own in the place of; None where there are none."""
        extra, additional = self.lists.get(_LISTS[1]), self.lists.get(_LISTS[0])
        has_extra = _LISTS[1] in self.lists and not isinstance(extra, dict)
        first = listed(extra or [], _LISTS[1]) if has_extra else None
        return first, None if additional is None else listed(additional, _LISTS[0])


def _number(id: str) -> int:
    if not id.isascii() or not id.isdigit() or len(id) > 10:
        refuse(f"{_CONFIG}: added_tokens_decoder", f"has {id!r:.40} in the place of an id")
    return int(id)


def _is_token(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("content"), str)


def ordered_rows(
    said: Said, own: Iterable[tuple[int, Row]], *, kept: bool, named: Mapping[str, Any], extras: Iterable[Any]
) -> list[Row]:
    """The rows of all added tokens in the order of their adding, each once. ``own`` are those of the vocabulary's file by
    their ids there; ``kept`` says that they are there already, and the class does not build its vocabulary anew.

    Flags are those of the last row of a text, but what was special once stays so: a token without a name decides about one
    with a name, for instance [MASK] of a SentencePiece file that takes no space before it.
    """
    own = list(own)
    names = {row_of(token, special=True)["content"] for token in named.values()}
    numbered = dict(said.numbered) if said.numbered is not None else _older(said) | dict(own)
    rows = [row for _, row in own] if kept else []
    rows += [row | {"special": row["special"] or row["content"] in names} for _, row in sorted(numbered.items())]
    known = {row["content"] for row in rows}
    for tokens, is_named in ((named.values(), True), (extras, False)):
        for token in tokens:
            row = row_of(token, special=True)
            if row["content"] not in known:
                rows.append(row | {"special": True} if is_named or row["content"] in names else row)
    found: dict[str, Row] = {}
    for row in rows:
        old = found.get(row["content"], row)
        found[row["content"]] = row | {"special": row["special"] or old["special"]}
    return [row for text, row in found.items() if text]


def _older(said: Said) -> dict[int, Row]:
    """The rows of added_tokens.json by id: special where the files name or list them too."""
    extra = said.lists.get(_LISTS[1])
    tokens = [said.fields.get(name) for name in NAMES] + (extra if isinstance(extra, list) else [])
    specials = {row_of(token, special=True)["content"] for token in tokens if token is not None}
    rows = {}
    for text, id in said.added.items():
        rows[id] = row_of({"content": text, "special": text in specials}, special=False)
    return rows
