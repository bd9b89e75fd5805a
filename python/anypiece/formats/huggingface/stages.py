"""Normalizers and pre-tokenizers of a tokenizer.json as steps and rules of a Spec.

Each kind has one small function here; what the steps and rules do is in ``docs/algorithms/stages.md``. Where rules have
a name of their own in the kernel, the name is used: it is the same, faster.
"""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._core.bridge import compiled
from ...spec import Kind, Pieces, Spec
from .fields import boolean, kind_of, listed, made, mapping, refuse, string, unsupported, whole
from .model import BYTE_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BEHAVIORS", "SPLITTERS", "SPLITTER_RULES", "Stages", "prepend_scheme", "read_stages"]

Step = dict[str, Any]

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_WORD = r"[^\r\n\p{L}\p{N}]?"
SPLITTERS = {
    _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*" + _SPACES: "llama3",
    _CONTRACTIONS
    + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]|\s+(?!\S)|\s": "cl100k",
    _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*" + _SPACES: "qwen2",
    f"{_WORD}{_UPPER}*{_LOWER}+|{_WORD}{_UPPER}+{_LOWER}*" + r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*" + _SPACES: "tekken",
    f"{_WORD}{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|{_WORD}{_UPPER}+{_LOWER}*{_CONTRACTIONS}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*" + _SPACES: "o200k",
}
"""Patterns whose matches are the chunks, each isolated, by the splitter that does the same."""

_DEEPSEEK = (
    r"\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    (
        r'[!"#$%&'
        r"'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^"
        "\r\n"
        r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+["
        "\r\n"
        r"]*|\s*["
        "\r\n"
        r"]+|\s+(?!\S)|\s+"
    ),
)
_BYTES: Step = {"type": "byte-level", "add_prefix_space": False, "use_regex": False}
SPLITTER_RULES: dict[str, tuple[Step, ...]] = {
    "gpt2": ({**_BYTES, "use_regex": True},),
    "starcoder": ({"type": "digits", "individual": True}, {**_BYTES, "use_regex": True}),
    "deepseek-v3": (
        *({"type": "split", "pattern": {"regex": one}, "behavior": "isolated", "invert": False} for one in _DEEPSEEK),
        _BYTES,
    ),
}
"""Rules that a splitter does the same as."""

BEHAVIORS = {
    "Removed": "removed",
    "Isolated": "isolated",
    "MergedWithPrevious": "merged-with-previous",
    "MergedWithNext": "merged-with-next",
    "Contiguous": "contiguous",
}


class Stages(NamedTuple):
    """How a file normalizes and splits text."""

    steps: tuple[Step, ...]
    rules: tuple[Step, ...]
    splitter: str | None
    charsmap: bytes
    byte_level: bool
    """Whether bytes are written as characters before text is segmented."""
    mapped: bool
    """Whether the normalizer does that."""

    def settings(self) -> dict[str, Any]:
        """The fields of the Spec."""
        return {
            "normalizer": self.steps,
            "split_rules": self.rules,
            "splitter": self.splitter,
            "charsmap": self.charsmap,
        }


def read_stages(normalizer: Any, pre_tokenizer: Any) -> Stages:
    """The stages of the two sections, either of which may be None."""
    sections = _flat(normalizer, "normalizer", "normalizers")
    mapped = bool(sections) and sections[-1][0] == "ByteLevel"
    steps = [made(_STEPS, kind, fields, "normalizer") for kind, fields in (sections[:-1] if mapped else sections)]
    maps = {step.pop("map") for step in steps if step["type"] == "charsmap"}
    if len(maps) > 1:
        unsupported("normalizer", "has two different character maps", "Join them, or use one.")
    parts = _flat(pre_tokenizer, "pre_tokenizer", "pretokenizers")
    rules = tuple(made(_RULES, kind, fields, "pre_tokenizer") for kind, fields in parts)
    if mapped and any(rule["type"] == "byte-level" for rule in rules):
        unsupported(
            "pre_tokenizer", "maps bytes to characters that the normalizer has mapped", "Leave one of them out."
        )
    if mapped and rules:
        unsupported("pre_tokenizer", "splits text whose bytes are mapped already", "Map bytes in the pre-tokenizer.")
    _refuse_marks(rules)
    _refuse_lost_places(steps, mapped or any(rule["type"] == "byte-level" for rule in rules))
    byte_level = mapped or any(rule["type"] == "byte-level" for rule in rules)
    splitter = _splitter(rules)
    return Stages(tuple(steps), () if splitter else rules, splitter, next(iter(maps), b""), byte_level, mapped)


def _refuse_marks(rules: tuple[Step, ...]) -> None:
    """Refuses a mark that is put in front of bytes and stands for none."""
    kinds = [rule["type"] for rule in rules]
    behind = rules[kinds.index("byte-level") :] if "byte-level" in kinds else ()
    for rule in behind:
        is_put = rule["type"] == "metaspace" and rule["prepend_scheme"] != "never"
        if is_put and ord(rule["replacement"]) not in BYTE_CHARACTERS:
            what = f"puts {rule['replacement']!r} in front of text whose bytes are mapped already"
            unsupported("pre_tokenizer", what, "Put Metaspace before ByteLevel, or leave it out.")


_PROBES = [first + second for first in "ab1 _.\n'é日▁<" for second in ("", "a", " ", "1", ".", "\n")]


def _refuse_lost_places(steps: list[Step], byte_level: bool) -> None:
    """Refuses what is put in front of a text, where nothing was, before a step that goes by places: the library then does
    that step to a part of the text, and writes some of it twice or panics.
    """
    behind = "ByteLevel" if byte_level else None
    for step in reversed(steps):
        if step["type"] not in ("replace", "prepend"):
            behind = step["type"]
        if step["type"] != "replace" or not step["content"] or behind is None:
            continue
        if _matches_nothing(step["pattern"]):
            shown = next(iter(step["pattern"].values()))
            what = f"puts text in front of the first character by the pattern {shown!r}, before {behind}"
            unsupported("normalizer", what, "Use Prepend, or a pattern that matches some character.")


def _matches_nothing(pattern: Step) -> bool:
    """Whether a pattern matches before the first character of one of some texts."""
    if pattern.get("literal"):
        return False
    probe = {"type": "replace", "pattern": pattern, "content": "\ue000"}
    off: dict[str, Any] = {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "escape_whitespaces": False}
    kernel = compiled(
        Spec(Pieces.of([("?", 0.0, Kind.UNKNOWN)]), segmenter="word-level", normalizer=(probe,), **off), 0
    )
    found = [(text, kernel.normalize(text)) for text in _PROBES]
    return any(made.startswith("\ue000") and made.replace("\ue000", "") == text for text, made in found)


def _flat(section: Any, field: str, inner: str) -> list[tuple[str, dict[str, Any]]]:
    """The sections of a sequence, sequences in it included, as (type, fields)."""
    if section is None:
        return []
    kind, fields = kind_of(section, field)
    if kind != "Sequence":
        return [(kind, fields)]
    return [part for item in listed(fields.get(inner), f"{field}.{inner}") for part in _flat(item, field, inner)]


def _splitter(rules: tuple[Step, ...]) -> str | None:
    """The splitter that does what the rules do, if there is one."""
    named = next((name for name, listed in SPLITTER_RULES.items() if listed == rules), None)
    if named or len(rules) != 2 or rules[1] != _BYTES:
        return named
    first = rules[0]
    is_split = first["type"] == "split" and first["behavior"] == "isolated" and not first["invert"]
    return SPLITTERS.get(first["pattern"].get("regex", "")) if is_split else None


def _pattern(fields: dict[str, Any], field: str) -> Step:
    pattern = fields.get("pattern")
    if isinstance(pattern, str):  # files of old releases
        return {"literal": pattern}
    given = mapping(pattern, f"{field}.pattern")
    if set(given) == {"String"}:
        return {"literal": string(given, "String", f"{field}.pattern")}
    if set(given) != {"Regex"}:
        refuse(f"{field}.pattern", "is neither a String nor a Regex")
    return {"regex": string(given, "Regex", f"{field}.pattern")}


def _charsmap(fields: dict[str, Any]) -> Step:
    raw = string(fields, "precompiled_charsmap", "normalizer")
    try:
        return {"type": "charsmap", "map": b64decode(raw, validate=True)}
    except ValueError:
        refuse("normalizer.precompiled_charsmap", "is not base64")


def _bert(fields: dict[str, Any]) -> Step:
    flags = ("clean_text", "handle_chinese_chars", "lowercase")
    strip = fields.get("strip_accents")
    if strip is not None and not isinstance(strip, bool):
        refuse("normalizer.strip_accents", "is neither true, false nor null")
    return {"type": "bert", **{flag: boolean(fields, flag, "normalizer") for flag in flags}, "strip_accents": strip}


def _prepend(fields: dict[str, Any]) -> Step:
    text = string(fields, "prepend", "normalizer")
    if not text:
        what = "is empty: the library loses the place of the first character"
        unsupported("normalizer.prepend", what, "Leave it out.")
    return {"type": "prepend", "text": text}


def _named(name: str) -> Callable[[dict[str, Any]], Step]:
    return lambda fields: {"type": name}


_STEPS: dict[str, Callable[[dict[str, Any]], Step]] = {
    "NFC": _named("nfc"),
    "NFD": _named("nfd"),
    "NFKC": _named("nfkc"),
    "NFKD": _named("nfkd"),
    "Lowercase": _named("lowercase"),
    "StripAccents": _named("strip-accents"),
    "Nmt": _named("nmt"),
    "Strip": lambda fields: {
        "type": "strip",
        "left": boolean(fields, "strip_left", "normalizer"),
        "right": boolean(fields, "strip_right", "normalizer"),
    },
    "Replace": lambda fields: {
        "type": "replace",
        "pattern": _pattern(fields, "normalizer"),
        "content": string(fields, "content", "normalizer"),
    },
    "Prepend": _prepend,
    "BertNormalizer": _bert,
    "Precompiled": _charsmap,
}


def _behavior(fields: dict[str, Any], default: str | None = None) -> str:
    name = string(fields, "behavior", "pre_tokenizer", default)
    if name not in BEHAVIORS:
        refuse("pre_tokenizer.behavior", f"is {name!r}, which is none of {', '.join(BEHAVIORS)}")
    return BEHAVIORS[name]


def _metaspace(fields: dict[str, Any]) -> Step:
    replacement = string(fields, "replacement", "pre_tokenizer")
    if len(replacement) != 1:
        refuse("pre_tokenizer.replacement", "is not one character")
    return {
        "type": "metaspace",
        "replacement": replacement,
        "prepend_scheme": prepend_scheme(fields, "pre_tokenizer"),
        "split": boolean(fields, "split", "pre_tokenizer", True),
    }


def prepend_scheme(fields: dict[str, Any], field: str) -> str:
    """Where Metaspace puts a mark; files of old releases have a flag next to it."""
    scheme = string(fields, "prepend_scheme", field, "always")
    if scheme not in ("always", "first", "never"):
        refuse(f"{field}.prepend_scheme", "is none of always, first, never")
    if fields.get("add_prefix_space") is False and scheme != "never":
        refuse(f"{field}.add_prefix_space", "does not go together with prepend_scheme")
    return scheme


def _delimiter(fields: dict[str, Any]) -> Step:
    delimiter = string(fields, "delimiter", "pre_tokenizer")
    if len(delimiter) != 1:
        refuse("pre_tokenizer.delimiter", "is not one character")
    return {"type": "char-delimiter", "delimiter": delimiter}


_RULES: dict[str, Callable[[dict[str, Any]], Step]] = {
    "Whitespace": _named("whitespace"),
    "WhitespaceSplit": _named("whitespace-split"),
    "BertPreTokenizer": _named("bert"),
    "UnicodeScripts": _named("unicode-scripts"),
    "Split": lambda fields: {
        "type": "split",
        "pattern": _pattern(fields, "pre_tokenizer"),
        "behavior": _behavior(fields),
        "invert": boolean(fields, "invert", "pre_tokenizer", False),
    },
    "Punctuation": lambda fields: {"type": "punctuation", "behavior": _behavior(fields, "Isolated")},
    "Digits": lambda fields: {
        "type": "digits",
        "individual": boolean(fields, "individual_digits", "pre_tokenizer", False),
    },
    "CharDelimiterSplit": _delimiter,
    "FixedLength": lambda fields: {"type": "fixed-length", "length": whole(fields, "length", "pre_tokenizer", 5)},
    "Metaspace": _metaspace,
    "ByteLevel": lambda fields: {
        "type": "byte-level",
        "add_prefix_space": boolean(fields, "add_prefix_space", "pre_tokenizer", True),
        "use_regex": boolean(fields, "use_regex", "pre_tokenizer", True),
    },
}
