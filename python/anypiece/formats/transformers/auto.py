"""A folder as AutoTokenizer of transformers 5 loads it: which class it takes, and the tokenizer.json that comes of it.

The class is chosen by what tokenizer_config.json and config.json name; a class that is known (``classes``)
writes most sections anew, any other takes those of the file. Then the tokens are added that only the config names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..huggingface.fields import listed, mapping, unsupported, whole
from .classes import CLASSES, DIALECT_REMEDY, Given, Rules
from .names import ALIASES, BACKENDS, CLASS_OF_TYPE, MISNAMED
from .tokens import Row, Said, ordered_rows, row_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..huggingface.model import Vocabulary

__all__ = ["TIDYING", "Remake", "class_of", "is_backend", "named_by", "remake_of"]

_CONFIG = "tokenizer_config.json"
_TIDIED = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")
"""Where transformers takes spaces out of decoded text, if the config asks for it."""
TIDYING: tuple[dict[str, Any], ...] = (
    {"type": "fuse"},
    *({"type": "replace", "pattern": part, "content": part.strip(" ")} for part in _TIDIED),
)
"""The steps of decoding that do so."""


def class_of(config: dict[str, Any], model: dict[str, Any], *, byte_level: Callable[[], bool]) -> str:
    """The class that AutoTokenizer takes, without ``Fast``, by the fields of tokenizer_config.json and config.json; empty
    where they name none. ``byte_level`` says whether tokenizer.json speaks of bytes as letters.

    >>> class_of({"tokenizer_class": "LlamaTokenizerFast"}, {"model_type": "phi3"}, byte_level=lambda: False)
    'TokenizersBackend'
    """
    named = _name(config) or _name(model)
    kind = model.get("model_type")
    usual = CLASS_OF_TYPE.get(kind, "") if isinstance(kind, str) else ""
    misnamed = any(isinstance(name, str) and name in MISNAMED for name in (kind, model.get("model_name")))
    if named == "LlamaTokenizer" and not misnamed and byte_level():
        return "TokenizersBackend"
    if not named or not usual or usual == named:
        return named or usual
    if usual in BACKENDS:
        return "TokenizersBackend"
    return usual if misnamed else named


def _name(fields: dict[str, Any]) -> str:
    name = fields.get("tokenizer_class")
    return name.removesuffix("Fast") if isinstance(name, str) else ""


def is_backend(name: str) -> bool:
    """Whether a class takes a tokenizer.json as it is."""
    return name in BACKENDS


def named_by(name: str) -> set[str]:
    """The names of tokens that a class has without being told.

    >>> sorted(named_by("GemmaTokenizerFast")), named_by("PreTrainedTokenizerFast")
    (['bos_token', 'eos_token', 'mask_token', 'pad_token', 'unk_token'], set())
    """
    name = name.removesuffix("Fast")
    rules = CLASSES.get(ALIASES.get(name, name))
    return set() if rules is None else set(rules.names)


def remake_of(name: str, said: Said, *, from_json: bool) -> Remake:
    """What the class ``name`` makes of a vocabulary. ``from_json``: it is in a tokenizer.json, which says itself what stands
    around texts."""
    known = ALIASES.get(name, name)
    fields = dict(said.fields)
    if from_json:
        fields = {key: value for key, value in fields.items() if key not in ("add_bos_token", "add_eos_token")}
    return Remake(name, CLASSES.get(known), said, fields)


@dataclass(frozen=True)
class Remake:
    """A class and what it is told. Use ``document``, then ``decoder`` and ``post_processor`` of the same tokenizer.json."""

    name: str
    rules: Rules | None
    """None for a class that takes the sections of the file."""
    said: Said
    fields: dict[str, Any]

    @property
    def is_known(self) -> bool:
        """Whether the rules of the class are known."""
        return self.rules is not None or is_backend(self.name)

    def named(self) -> dict[str, Any]:
        """The tokens by name."""
        rules = self.rules or Rules("")
        found = self.said.named(rules.names)
        plain = {name: flags for name, flags in rules.flags.items() if isinstance(found.get(name), str)}
        return found | {name: row_of(found[name], special=True) | flags for name, flags in plain.items()}

    def spellings(self) -> dict[str, str]:
        """The spellings of tokens by name."""
        return {name: row_of(token, special=True)["content"] for name, token in self.named().items()}

    def extras(self) -> list[str]:
        """The spellings of the special tokens without names."""
        given = Given(self.fields, None, lambda texts: [None] * len(texts), lambda id: 0.0)
        return [row_of(token, special=True)["content"] for token in self._extras(given) if token]

    def _extras(self, given: Given) -> list[Any]:
        extra, additional = self.said.listed()
        made = (self.rules or Rules("")).extras(given, additional)
        return made or [] if extra is None else extra

    def document(
        self, document: dict[str, Any], vocabulary: Callable[[], Vocabulary], score: Callable[[int], float]
    ) -> dict[str, Any]:
        """A tokenizer.json without its tables as the class has it: sections, and added tokens in order, without ids."""
        rules = self.rules or Rules("")
        given = Given(self.fields, _charsmap(document), lambda texts: vocabulary().find(texts), score)
        sections = dict(rules.sections(given))
        if rules.model:
            self._refuse_other(document, rules.model)
            sections["model"] = mapping(document.get("model"), "model") | sections["model"]
        own = [mapping(row, "added_tokens") for row in listed(document.get("added_tokens") or [], "added_tokens")]
        extra, _ = self.said.listed()
        named = self.named()
        rows = ordered_rows(
            self.said,
            [(whole(row, "id", "added_tokens"), row_of(row, special=False, where="added_tokens")) for row in own],
            kept=not rules.model,
            named=named,
            extras=[token for token in self._extras(given) if token],
        )
        if rules.special_last:
            rows = _special_last(rows, [*named.values(), *(extra or [])])
        return document | sections | {"added_tokens": rows}

    def _refuse_other(self, document: dict[str, Any], wanted: str) -> None:
        kind = mapping(document.get("model"), "model").get("type", wanted)
        if kind != wanted:
            what = f"is {self.name!r}, which makes no vocabulary of type {kind!r} its own"
            unsupported(f"{_CONFIG}: tokenizer_class", what, DIALECT_REMEDY)

    def post_processor(self, document: dict[str, Any], find: Callable[[str], int | None]) -> Any:
        """The section of what stands around texts, by the ids of tokens in the vocabulary as it has become."""
        section = document.get("post_processor")
        rules = self.rules or Rules("")
        if section is not None and not rules.own_around:
            return section
        made = rules.around(Given(self.fields, None, lambda texts: [None] * len(texts), lambda id: 0.0))
        spellings = self.spellings()

        def numbered(name: str) -> tuple[str, int]:
            text = spellings.get(name, name)
            id = find(text)
            id = find(spellings.get("unk_token", "")) if id is None else id
            if id is None:
                what = f"puts {text!r} around texts, which is no token"
                unsupported(f"{_CONFIG}: tokenizer_class", f"is {self.name!r}, and {what}", DIALECT_REMEDY)
            return text, id

        if made["type"] == "RobertaProcessing":
            return made | {name: list(numbered(made[name])) for name in ("sep", "cls")}
        if made["type"] == "TemplateProcessing":
            absent = {"bos_token", "eos_token"} - spellings.keys()
            slots = {name: [slot for slot in made[name] if slot[0] not in absent] for name in ("single", "pair")}
            return made | _template(slots, numbered)
        return made

    def decoder(self, steps: tuple[dict[str, Any], ...] | None, kind: str) -> tuple[dict[str, Any], ...] | None:
        """The steps of decoding, with those that take spaces out of the text if the config asks for it. A vocabulary of
        merges never loses any."""
        asked = self.fields.get("clean_up_tokenization_spaces")
        if steps is None or kind == "BPE" or asked is not True:
            return steps
        return (*steps, *TIDYING)


def _special_last(rows: list[Row], tokens: list[Any]) -> list[Row]:
    """The rows with some of them made special, as if they were added once more by their texts."""
    texts = {row_of(token, special=True)["content"] for token in tokens}
    return [row_of(row["content"], special=True) if row["content"] in texts else row for row in rows]


def _charsmap(document: dict[str, Any]) -> str | None:
    """The first character map of a normalizer."""
    section = document.get("normalizer")
    steps = section.get("normalizers") if isinstance(section, dict) and section.get("type") == "Sequence" else [section]
    for step in steps if isinstance(steps, list) else []:
        if isinstance(step, dict) and step.get("type") == "Precompiled":
            found = step.get("precompiled_charsmap")
            return found if isinstance(found, str) else None
    return None


def _template(slots: dict[str, list[tuple[str, int]]], numbered: Callable[[str], tuple[str, int]]) -> dict[str, Any]:
    """The sections of a template from slots."""
    tokens = dict(numbered(name) for part in slots.values() for name, _ in part if name not in ("A", "B"))
    sections: dict[str, Any] = {
        part: [
            {"Sequence": {"id": name, "type_id": type_id}}
            if name in ("A", "B")
            else {"SpecialToken": {"id": numbered(name)[0], "type_id": type_id}}
            for name, type_id in rows
        ]
        for part, rows in slots.items()
    }
    sections["special_tokens"] = {text: {"id": text, "ids": [id], "tokens": [text]} for text, id in tokens.items()}
    return sections
