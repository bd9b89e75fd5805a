"""Every field of a Spec against every writer: it comes back when the file is read again, or the writer refuses it.

A field that is new in ``Spec`` has no row here, and the first test says so.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import anypiece as ap
from anypiece import Added, AddedFlag, formats
from anypiece.formats import gguf, huggingface, rwkv, sentencepiece, tekken, tiktoken, wordpiece
from anypiece.rewrites import rewrite_for
from tests.support.charsmap_builder import build as charsmap
from tests.support.hf import document
from tests.support.small_vocabularies import BPE, BYTES, RANKS, UNIGRAM

MAP = charsmap({"a": "b"})
VALUES: dict[str, tuple[Any, ...]] = {
    "segmenter": ("unigram", "bpe", "char", "word", "wordpiece", "word-level", "greedy", "plamo"),
    "symbols": ("characters", "bytes"),
    "splitter": (None, "gpt2", "o200k"),
    "normalizer": ((), ({"type": "nfc"},), ({"type": "charsmap"},)),
    "split_rules": ((), ({"type": "whitespace"},)),
    "whole_chunks": (True, False),
    "word_prefix": ("", "▁"),
    "continuing_prefix": ("##", "@@"),
    "max_word_chars": (100, 7, None),
    "merges": (np.zeros((0, 3), np.uint32), np.array([[1, 2, 3]]), np.array([[4, 5, 99]])),
    "unknown": ("fuse", "each", "drop", "omit"),
    "symbol_prefix": ("", "@"),
    "end_suffix": ("", "</w>"),
    "added": (
        Added(),
        Added.of([("<s>", 1, AddedFlag.SPECIAL)]),
        Added.of([("<s>", 1, AddedFlag(0))]),
        Added.of([("<s>", 1, AddedFlag.SPECIAL | AddedFlag.LSTRIP)]),
        Added.of([("other", 1, AddedFlag.SPECIAL)]),
    ),
    "matching": ("leftmost-longest", "longest-first"),
    "arithmetic": ("f32-rebased", "f64-compared", "f64"),
    "user_defined_score": ("length-bonus", "near-best", "zero"),
    "match_kinds": ("text", "spelled", "unused", "all"),
    "reserved": ("unknown", "matched"),
    "spaces": ("edges", "words"),
    "decoding": ("surface", "literal"),
    "clean_spaces": (True, False),
    "decoder": (None, ({"type": "fuse"},), ({"type": "wordpiece", "prefix": "##", "cleanup": False},)),
    "byte_fallback": (True, False),
    "charsmap": (b"", MAP),
    "denormalizer": (b"", MAP),
    "add_dummy_prefix": (True, False),
    "remove_extra_whitespaces": (True, False),
    "escape_whitespaces": (True, False),
    "whitespace_as_suffix": (True, False),
    "unk_surface": ("", "?"),
    "bos_id": (None, 0, 1, 4),
    "eos_id": (None, 0, 2, 5),
    "pad_id": (None, 1, 4),
    "add_bos": (True, False),
    "add_eos": (True, False),
    "single": (None, (("A", 0),), ((1, 0), ("A", 0)), ((4, 1), ("A", 0), (2, 0))),
    "pair": (None, (("A", 0), ("B", 1)), (("A", 0), (2, 0), ("B", 0))),
    "trim_spans": ("none", "inner", "all"),
    "samples": ((),),
}


def _made(**sections: Any) -> ap.Spec:
    return huggingface.read(json.dumps(document(**sections)).encode())[0]


def _greedy() -> ap.Spec:
    pieces = ap.Pieces.of([(b"", 0.0, ap.Kind.UNUSED), *((bytes([b]), 0.0, ap.Kind.NORMAL) for b in range(256))])
    return ap.Spec(pieces, **rwkv.SETTINGS)


def _tekken() -> ap.Spec:
    names = ["<unk>", "<s>", "</s>"]
    rows = [(name.encode(), 0.0, ap.Kind.CONTROL) for name in names]
    rows += [(bytes([byte]), 0.0 - byte, ap.Kind.NORMAL) for byte in range(256)]
    added = Added.of((name, id, AddedFlag.SPECIAL) for id, name in enumerate(names))
    return RANKS.replace(pieces=ap.Pieces.of(rows), splitter="tekken", added=added, bos_id=1, eos_id=2)


def _words() -> ap.Spec:
    data = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nplay\n##ing\na\nb\nc\n"
    return wordpiece.read(data, lowercase=True)[0]


_UNIGRAM_JSON = {
    "model": {
        "type": "Unigram",
        "unk_id": 0,
        "vocab": [["<unk>", 0.0], ["a", -1.0], ["b", -2.0], *([f"c{i}", -3.0] for i in range(7))],
    },
    "decoder": {"type": "Fuse"},
}
_WORD_LEVEL = {
    "type": "WordLevel",
    "unk_token": "<unk>",
    "vocab": dict(zip(["<unk>", *"abcdef"], range(7), strict=True)),
}
_SCORED = ap.Pieces.of((piece, 0.0 - id, kind) for id, (piece, _, kind) in enumerate(BYTES.pieces))


def _options(module: Any, spec: ap.Spec) -> dict[str, Any]:
    if module is sentencepiece:
        names = [name for name, rules in sentencepiece.DIALECTS.items() if rules.items() <= spec.config().items()]
        return {"dialect": names[0] if names else "sentencepiece"}
    ask = getattr(module, "reading_options", None)
    return {} if ask is None else {name: value for name, value in ask(spec).items() if value is not None}


def _read_back(module: Any, spec: ap.Spec) -> ap.Spec:
    found: ap.Spec = module.read(module.write(spec, None), **_options(module, spec))[0]
    return found


def _rewrite(module: Any, spec: ap.Spec) -> tuple[Any, ap.Spec]:
    """A Spec that is one of this format through and through."""
    return module, _read_back(module, rewrite_for(spec, module.__name__.rpartition(".")[2]).spec)


SPECS: dict[str, tuple[Any, ap.Spec]] = {
    "sentencepiece unigram": (sentencepiece, UNIGRAM),
    "sentencepiece bpe": (sentencepiece, BPE),
    "tiktoken": (tiktoken, RANKS),
    "tekken": (tekken, _tekken()),
    "rwkv": (rwkv, _greedy()),
    "wordpiece": (wordpiece, _words()),
    "gguf llama": (gguf, BYTES.replace(segmenter="bpe", pieces=_SCORED)),
    "gguf t5": (gguf, UNIGRAM),
    "gguf gpt2": _rewrite(gguf, RANKS.replace(splitter="llama3")),
    "gguf bert": _rewrite(gguf, _words()),
    "huggingface bpe": (huggingface, _made()),
    "huggingface bytes": _rewrite(huggingface, RANKS),
    "huggingface unigram": (huggingface, _made(**_UNIGRAM_JSON)),
    "huggingface words": _rewrite(huggingface, _words()),
    "huggingface word level": (huggingface, _made(model=_WORD_LEVEL)),
}


def test_every_field_has_a_row() -> None:
    assert set(VALUES) == set(ap.Spec.__dataclass_fields__) - {"pieces"}


@pytest.mark.parametrize("name", SPECS)
def test_the_spec_itself_is_carried(name: str) -> None:
    module, spec = SPECS[name]
    assert _read_back(module, spec).fingerprint == spec.fingerprint


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("field", [field for field in VALUES if field != "samples"])
def test_a_field_is_carried_or_refused(name: str, field: str) -> None:
    module, spec = SPECS[name]
    outcomes = [_outcome(module, spec, spec.replace(**{field: value})) for value in VALUES[field]]
    assert not [f"{value!r}: {what}" for value, what in zip(VALUES[field], outcomes, strict=True) if what]


def _outcome(module: Any, spec: ap.Spec, changed: ap.Spec) -> str:
    """What is wrong with a written field; nothing where it came back, or was refused."""
    try:
        found = _read_back(module, changed)
    except ap.FormatError as error:
        refused = error.code == "format-unwritable" and changed.fingerprint != spec.fingerprint
        return "" if refused else f"{error.code}: {error}"
    other = [name for name, value in changed.config().items() if found.config()[name] != value]
    return "" if _plain(found) == _plain(changed) else f"lost {other or 'in the pieces or columns'}"


def _plain(spec: ap.Spec) -> str:
    """A fingerprint without what has no meaning: scores of a list of merges, and whether a piece that is always found as
    an added token is also a user-defined one."""
    kinds = spec.pieces.kinds.copy()
    kinds[[id for _, id, flags in spec.added if not flags & AddedFlag.SPECIAL]] = ap.Kind.USER_DEFINED
    scores = spec.pieces.scores * 0 if len(spec.merges) else spec.pieces.scores
    ordered = Added.of(sorted((text, id, int(flags)) for text, id, flags in spec.added))
    return spec.replace(pieces=replace(spec.pieces, kinds=kinds, scores=scores), added=ordered).fingerprint


def test_a_file_of_its_own_is_no_excuse() -> None:
    """What was read from a file of the same kind must not lose what was changed since either."""
    for name, (module, spec) in SPECS.items():
        _, origin = module.read(module.write(spec, None), **_options(module, spec))
        for field, value in (("clean_spaces", True), ("spaces", "words"), ("whitespace_as_suffix", True)):
            if name.startswith("sentencepiece") and field == "whitespace_as_suffix":
                continue
            with pytest.raises(ap.FormatError) as error:
                module.write(spec.replace(**{field: value}), origin)
            assert error.value.code == "format-unwritable", (name, field)


def test_losses_are_those_that_are_refused() -> None:
    for name, (module, spec) in SPECS.items():
        kind = module.__name__.rpartition(".")[2]
        assert not formats.losses(spec, kind), name
        assert list(formats.losses(spec.replace(clean_spaces=True), kind)) == ["clean_spaces"] or module is wordpiece
