"""A Spec as tokenizer.json, for all that such a file can carry: the reverse of the readers beside this file."""

from __future__ import annotations

import json
from base64 import b64encode
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _native
from ...spec import AddedFlag, Kind
from ..settings import lost_fields, raise_unwritable
from .model import BYTE_CHARACTERS
from .stages import BEHAVIORS, SPLITTER_RULES, SPLITTERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...metadata import Metadata
    from ...spec import Spec

__all__ = ["CARRIED", "written"]

CARRIED = frozenset([
    "segmenter", "symbols", "splitter", "whole_chunks", "continuing_prefix", "max_word_chars", "merges", "unknown",
    "symbol_prefix", "end_suffix", "added", "arithmetic", "match_kinds", "decoder", "byte_fallback", "charsmap",
    "normalizer", "split_rules", "single", "pair", "trim_spans", "bos_id", "eos_id", "pad_id",
    "add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces", "unk_surface",
])  # fmt: skip
"""Fields of a Spec that a tokenizer.json has a place for, or that ``roles=`` names when it is read."""

_SPELLINGS = [(digits, step) for step in (0, 1, -1) for digits in (18, 19, 17, 16)]
_EXACT = Context(prec=1100)
"""Enough digits for any double."""
_OFF = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
_NAMED = {"nfc": "NFC", "nfd": "NFD", "nfkc": "NFKC", "nfkd": "NFKD", "lowercase": "Lowercase",
          "strip-accents": "StripAccents", "nmt": "Nmt", "whitespace": "Whitespace", "whitespace-split": "WhitespaceSplit",
          "unicode-scripts": "UnicodeScripts", "byte-fallback": "ByteFallback", "fuse": "Fuse"}  # fmt: skip
_BEHAVIOR = {value: name for name, value in BEHAVIORS.items()}
_FLAGS = {
    "single_word": AddedFlag.SINGLE_WORD,
    "lstrip": AddedFlag.LSTRIP,
    "rstrip": AddedFlag.RSTRIP,
    "normalized": AddedFlag.NORMALIZED,
    "special": AddedFlag.SPECIAL,
}


def written(spec: Spec, metadata: Metadata) -> bytes:
    """The bytes of the file, with the sections of truncation and padding that it had, if a pad piece is still there.

    No others are written: the library would fill up every batch. Raises ``FormatError`` for what the file has no place for.
    """
    _refuse_others(spec)
    names = _names(spec)
    if spec.merges.max(initial=0) >= len(names):
        _refuse("merges of ids outside the vocabulary", "merges")
    document = {
        "version": "1.0",
        "truncation": metadata.truncation,
        "padding": _padding(metadata.padding, spec.pad_id, names),
        "added_tokens": [
            {"id": id, "content": text, **{name: bool(flags & flag) for name, flag in _FLAGS.items()}}
            for text, id, flags in spec.added
        ],
        "normalizer": _sequence(_steps(spec), "normalizers"),
        "pre_tokenizer": _sequence(_rules(spec), "pretokenizers"),
        "post_processor": _sequence(_processors(spec, names), "processors"),
        "decoder": _decoder(spec),
        "model": _model(spec, names),
    }
    text = json.dumps(document, ensure_ascii=False)
    if spec.segmenter == "unigram":
        text = text.replace('"vocab": null', f'"vocab": {_scored(spec, names)}', 1)
    return text.encode()


def _refuse(what: str, *fields: str) -> None:
    raise_unwritable("huggingface", f"a tokenizer.json has no place for {what}", fields=list(fields))


def _refuse_others(spec: Spec) -> None:
    lost = lost_fields(spec, CARRIED)
    if lost:
        _refuse(", ".join(lost), *lost)
    if any(getattr(spec, name) for name in _OFF):
        _refuse("SentencePiece's way to normalize", *_OFF)
    if spec.segmenter == "unigram" and spec.symbols == "bytes":
        _refuse("unigram pieces that are bytes", "symbols")
    if spec.segmenter == "unigram" and (spec.arithmetic != "f64" or spec.match_kinds != "spelled"):
        _refuse("unigram scores that are not added as doubles", "arithmetic", "match_kinds")
    if spec.segmenter == "bpe" and not len(spec.merges):
        _refuse("merges that are no list", "merges")
    if spec.unknown == "omit":
        _refuse("unknown text that is left out as llama.cpp does", "unknown")
    if spec.segmenter not in ("unigram", "bpe", "wordpiece", "word-level"):
        _refuse(f"the segmenter {spec.segmenter!r}", "segmenter")
    if spec.symbols == "characters" and spec.decoder is None:
        _refuse("decoding without steps", "decoder")
    if spec.word_prefix or (spec.segmenter == "wordpiece" and spec.max_word_chars is None):
        _refuse("words without a limit or with a prefix", "word_prefix", "max_word_chars")
    if spec.unk_surface:
        _refuse("a surface of the unknown piece", "unk_surface")
    if spec.single is None or spec.pair is None:
        _refuse("marks around a text that are no template", "single", "pair")


def _names(spec: Spec) -> list[str]:
    """The string of each id: bytes as characters, but added tokens as they are."""
    size = range(len(spec.pieces))
    if spec.symbols == "characters":
        names = [spec.pieces.piece(id) for id in size]
    else:
        letters = [chr(character) for character in BYTE_CHARACTERS]
        names = ["".join(letters[byte] for byte in spec.pieces.bytes(id)) for id in size]
    for text, id, _ in spec.added:
        names[id] = text
    return names


def _padding(section: dict[str, Any] | None, pad_id: int | None, names: list[str]) -> dict[str, Any] | None:
    """The section as it was, or with the pad piece that the Spec has now."""
    if not section or pad_id is None:
        return None
    now = {} if section.get("pad_id") == pad_id else {"pad_id": pad_id, "pad_token": names[pad_id]}
    return {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_type_id": 0,
            "pad_token": names[pad_id], **section, **now}  # fmt: skip


def _sequence(sections: list[dict[str, Any]], inner: str) -> dict[str, Any] | None:
    if len(sections) < 2:
        return sections[0] if sections else None
    return {"type": "Sequence", inner: sections}


def _pattern(pattern: dict[str, str]) -> dict[str, str]:
    if not {"literal", "regex"} & pattern.keys():
        _refuse("a pattern in another language or of another Unicode", "split_rules")
    return {"String": pattern["literal"]} if "literal" in pattern else {"Regex": pattern["regex"]}


def _steps(spec: Spec) -> list[dict[str, Any]]:
    """The normalizers. Where no rule is about bytes, they are the last of them."""
    is_last = spec.splitter is None and spec.symbols == "bytes" and not spec.split_rules
    return [_step(step, spec) for step in spec.normalizer] + ([{"type": "ByteLevel"}] if is_last else [])


def _step(step: dict[str, Any], spec: Spec) -> dict[str, Any]:
    kind = step["type"]
    if kind in _NAMED:
        return {"type": _NAMED[kind]}
    if kind == "strip":
        return {"type": "Strip", "strip_left": step["left"], "strip_right": step["right"]}
    if kind == "replace":
        return {"type": "Replace", "pattern": _pattern(step["pattern"]), "content": step["content"]}
    if kind == "prepend":
        return {"type": "Prepend", "prepend": step["text"]}
    if kind == "bert":
        return {**step, "type": "BertNormalizer"}
    return {"type": "Precompiled", "precompiled_charsmap": b64encode(spec.charsmap).decode()}


def _byte_level(regex: bool, prefix: bool = False) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}


def _rules(spec: Spec) -> list[dict[str, Any]]:
    if spec.splitter is None:
        return [_rule(rule) for rule in spec.split_rules]
    if spec.splitter in SPLITTER_RULES and spec.symbols == "bytes":
        return [_rule(rule) for rule in SPLITTER_RULES[spec.splitter]]
    patterns = {name: pattern for pattern, name in SPLITTERS.items()}
    if spec.splitter not in patterns or spec.symbols != "bytes":
        _refuse(f"the splitter {spec.splitter!r}", "splitter")
    split = {"type": "Split", "pattern": {"Regex": patterns[spec.splitter]}, "behavior": "Isolated", "invert": False}
    return [split, _byte_level(False)]


def _rule(rule: dict[str, Any]) -> dict[str, Any]:
    kind = rule["type"]
    if kind in _NAMED:
        return {"type": _NAMED[kind]}
    if kind == "bert":
        return {"type": "BertPreTokenizer"}
    if kind == "split":
        behavior = _BEHAVIOR[rule["behavior"]]
        return {"type": "Split", "pattern": _pattern(rule["pattern"]), "behavior": behavior, "invert": rule["invert"]}
    if kind == "punctuation":
        return {"type": "Punctuation", "behavior": _BEHAVIOR[rule["behavior"]]}
    if kind == "digits":
        return {"type": "Digits", "individual_digits": rule["individual"]}
    if kind == "byte-level":
        return _byte_level(rule["use_regex"], rule["add_prefix_space"])
    return {
        **rule,
        "type": {"char-delimiter": "CharDelimiterSplit", "fixed-length": "FixedLength"}.get(kind, "Metaspace"),
    }


def _processors(spec: Spec, names: list[str]) -> list[dict[str, Any]]:
    sections: list[dict[str, Any]] = []
    if spec.trim_spans != "none":
        sections.append({**_byte_level(True), "add_prefix_space": spec.trim_spans == "inner"})
    templates = (spec.single or (), spec.pair or ())
    ids = {slot for slots in templates for slot, _ in slots if isinstance(slot, int)}
    if ids or templates != ((("A", 0),), (("A", 0), ("B", 1))):
        tokens = {names[id]: {"id": names[id], "ids": [id], "tokens": [names[id]]} for id in sorted(ids)}
        shown = [[_slot(slot, type_id, names) for slot, type_id in slots] for slots in templates]
        sections.append({"type": "TemplateProcessing", "single": shown[0], "pair": shown[1], "special_tokens": tokens})
    return sections


def _slot(slot: int | str, type_id: int, names: list[str]) -> dict[str, Any]:
    if isinstance(slot, int):
        return {"SpecialToken": {"id": names[slot], "type_id": type_id}}
    return {"Sequence": {"id": slot, "type_id": type_id}}


def _decoder(spec: Spec) -> dict[str, Any] | None:
    if spec.decoder is None:
        return _byte_level(True)
    # How added tokens are spelled otherwise follows from the normalizer.
    steps = [step for step in spec.decoder if step["type"] not in ("respell", "byte-letters")]
    if [step["type"] for step in steps] == ["join"]:
        return None
    return _sequence([_decoder_step(step) for step in steps], "decoders")


def _decoder_step(step: dict[str, Any]) -> dict[str, Any]:
    kind = step["type"]
    if kind in _NAMED:
        return {"type": _NAMED[kind]}
    if kind == "byte-level":
        return _byte_level(True)
    if kind == "metaspace":
        scheme = "always" if step["prepended"] else "never"
        return {"type": "Metaspace", "replacement": step["replacement"], "prepend_scheme": scheme, "split": True}
    if kind == "replace":
        return {"type": "Replace", "pattern": {"String": step["pattern"]}, "content": step["content"]}
    if kind == "strip":
        return {**step, "type": "Strip"}
    if kind == "wordpiece":
        return {**step, "type": "WordPiece"}
    if kind == "suffix":
        return {"type": "BPEDecoder", "suffix": step["suffix"]}
    if kind == "ctc":
        pad, delimiter = step["pad"], step["delimiter"]
        return {"type": "CTC", "pad_token": pad, "word_delimiter_token": delimiter, "cleanup": step["cleanup"]}
    _refuse(f"the decoding step {kind!r}", "decoder")
    return {}


def _vocabulary(spec: Spec, names: list[str]) -> list[int]:
    """The ids that stand in the vocabulary. Added tokens that do not are numbered by the library, in order, from the number
    of pieces on; where these are not the ids that they have, the empty string fills one gap, or else all of them stand in
    the vocabulary too.
    """
    kinds = spec.pieces.kinds
    named = np.array([bool(name) for name in names])
    own = named & (kinds != Kind.UNUSED)
    alone = np.zeros(len(names), bool)
    alone[spec.added.ids] = kinds[spec.added.ids] != Kind.NORMAL
    own[alone] = False
    own[[id for id in (spec.unk_id, *np.unique(spec.merges).tolist()) if id >= 0]] = True
    size = int(np.flatnonzero(own)[-1:].max(initial=-1)) + 1
    within = named & (np.arange(len(names)) < size) & ~(alone & (kinds == Kind.USER_DEFINED) & ~own)
    controls = named & (kinds != Kind.UNUSED) & ~(alone & (kinds == Kind.USER_DEFINED) & ~own)
    gaps: list[int] = np.flatnonzero(~named)[:1].tolist() if spec.segmenter != "unigram" else []
    filled = [chosen.copy() for chosen in (own, within, controls)] if gaps else []
    for chosen in filled:
        chosen[gaps] = True
    for chosen in (own, within, controls, *filled):
        ids: list[int] = np.flatnonzero(chosen).tolist()
        is_dense = spec.segmenter != "unigram" or ids == list(range(len(ids)))
        if is_dense and _are_numbered(spec, chosen):
            return ids
    rest: list[int] = np.flatnonzero(named & (kinds != Kind.UNUSED)).tolist()
    return list(range(len(names))) if spec.segmenter == "unigram" else rest


def _are_numbered(spec: Spec, chosen: NDArray[np.bool_]) -> bool:
    """Whether the tokens besides a vocabulary get the ids that they have."""
    others = list(dict.fromkeys(id for _, id, _ in spec.added if not chosen[id]))
    first = int(np.count_nonzero(chosen))
    return others == list(range(first, first + len(others)))


def _model(spec: Spec, names: list[str]) -> dict[str, Any]:
    if spec.segmenter == "unigram":
        return _unigram(spec)
    ids = _vocabulary(spec, names)
    vocab = {names[id]: id for id in ids}
    if len(vocab) < len(ids):
        _refuse("two pieces of one spelling", "pieces")
    unknown = names[spec.unk_id] if spec.unk_id >= 0 else None
    if spec.segmenter == "word-level":
        return {"type": "WordLevel", "vocab": vocab, "unk_token": unknown}
    if spec.segmenter == "wordpiece":
        options = {"continuing_subword_prefix": spec.continuing_prefix, "max_input_chars_per_word": spec.max_word_chars}
        return {"type": "WordPiece", "unk_token": unknown, **options, "vocab": vocab}
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": None if spec.unknown == "drop" else unknown,
        "continuing_subword_prefix": spec.symbol_prefix or None,
        "end_of_word_suffix": spec.end_suffix or None,
        "fuse_unk": spec.unknown == "fuse",
        "byte_fallback": spec.byte_fallback,
        "ignore_merges": spec.whole_chunks,
        "vocab": vocab,
        "merges": [[names[left], names[right]] for left, right, _ in spec.merges.tolist()],
    }


def _unigram(spec: Spec) -> dict[str, Any]:
    return {"type": "Unigram", "unk_id": spec.unk_id, "vocab": None, "byte_fallback": spec.byte_fallback}


def _scored(spec: Spec, names: list[str]) -> str:
    """The rows of a unigram vocabulary as JSON: numbers are spelled in ways that Python's writer does not know."""
    size = len(_vocabulary(spec, names))
    scores = _spelled(spec.pieces.scores[:size].astype(np.float64))
    rows = (
        f"[{json.dumps(name, ensure_ascii=False)}, {score}]" for name, score in zip(names[:size], scores, strict=True)
    )
    return f"[{', '.join(rows)}]"


def _spelled(scores: NDArray[np.float64]) -> list[str]:
    """Spellings that the library reads as the scores. Its reader misses some by a step if they are as short as can be, since
    it scales a rounded number; with more digits, or another step, it is rounded in another place."""
    if not np.isfinite(scores).all():
        raise_unwritable("huggingface", "a tokenizer.json has no place for scores that are not finite")
    texts = [repr(score) for score in scores.tolist()]
    missed = np.flatnonzero(_read(texts) != scores)
    for digits, step in _SPELLINGS:
        tried = [_with_digits(float(scores[index]), digits, step) for index in missed.tolist()]
        hits = _read(tried) == scores[missed]
        for index, text in zip(
            missed[hits].tolist(), (text for text, hit in zip(tried, hits, strict=True) if hit), strict=True
        ):
            texts[index] = text
        missed = missed[~hits]
    return texts


def _with_digits(score: float, digits: int, step: int) -> str:
    """A score rounded to this many digits, a few units in the last place of a double from its value."""
    exact = Decimal(score)
    places = digits - 1 - exact.adjusted()
    number = int(exact.scaleb(places, _EXACT).to_integral_value())
    return f"{number + (step << max(number.bit_length() - 53, 0))}e{-places}"


def _read(texts: list[str]) -> NDArray[np.float64]:
    data = f'{{"rows": [{", ".join(f"[{chr(34) * 2}, {text}]" for text in texts)}]}}'.encode()
    table = _native.scan_json(data, ["rows"])[1][0]
    return np.frombuffer(table[3] if table is not None else b"", "<f8")
