"""What the classes of transformers 5 make of a vocabulary: the sections of a tokenizer.json that they write anew.

One row per class. A class takes vocabulary, merges and character map from a file, and most of the rest from its own code
and from tokenizer_config.json; so the ids of a folder are those of these sections, and not of the ones in tokenizer.json.
Which class a folder is loaded with is in ``auto``, and the order of added tokens in ``tokens``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..huggingface.fields import boolean, string, unsupported, whole

__all__ = ["CLASSES", "DIALECT_REMEDY", "PAIR_CLASSES", "Given", "Rules", "Slots"]

Section = dict[str, Any]
Slots = tuple[tuple[str, int], ...]
"""Tokens around texts with their type ids: ``A`` and ``B`` are the texts, the others the names or spellings of tokens."""

_CONFIG = "tokenizer_config.json"
DIALECT_REMEDY = (
    'Pass dialect="tokenizers" to read the files as they are, or dialect="sentencepiece" for a .model file.'
)


@dataclass(frozen=True)
class Given:
    """What a class is given: the config, and what the file of the vocabulary has."""

    fields: Mapping[str, Any]
    charsmap: str | None
    """The character map of SentencePiece in base64."""
    places: Callable[[list[str]], list[int | None]]
    """Where pieces stand in the vocabulary."""
    score: Callable[[int], float]
    """The score of a piece of a unigram vocabulary."""

    def find(self, piece: str) -> int | None:
        """Where a piece stands in the vocabulary; in one of scores that is its id."""
        return self.places([piece])[0]

    def flag(self, name: str, default: bool | None) -> bool:
        """A truth value of the config."""
        return boolean({name: default if self.fields.get(name) is None else self.fields[name]}, name, _CONFIG)

    def number(self, name: str, default: int, limit: int = 10_000) -> int:
        """A whole number of the config; most say how many tokens there are to be."""
        value = default if self.fields.get(name) is None else self.fields[name]
        return whole({name: value}, name, _CONFIG, limit=limit)

    def text(self, name: str, default: str) -> str:
        """A token or another text of the config."""
        value = self.fields.get(name)
        value = value.get("content") if isinstance(value, dict) else value
        return string({name: default if value is None else value}, name, _CONFIG)


def _no_extras(given: Given, additional: list[Any] | None) -> list[Any] | None:
    return additional


@dataclass(frozen=True)
class Rules:
    """What one class does."""

    model: str
    """The type of model that it needs; empty for one that takes the sections of the file."""
    sections: Callable[[Given], Section] = lambda given: {}
    """The sections that it writes: ``normalizer``, ``pre_tokenizer``, ``decoder``, and the fields of ``model``."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The tokens that it has without being told."""
    around: Callable[[Given], Section] = field(default=lambda given: _marks(given))
    """The section ``post_processor`` with names in the place of ids."""
    own_around: bool = False
    """Whether its own ``post_processor`` goes before that of the file."""
    extras: Callable[[Given, list[Any] | None], list[Any] | None] = _no_extras
    """The special tokens without names, from those that it is given."""
    flags: Mapping[str, dict[str, bool]] = field(default_factory=dict)
    """The flags of named tokens for which the config has a text alone, where they are not the usual ones."""
    special_last: bool = False
    """Whether it adds all its special tokens once more, as special ones."""


# -- sections


def _metaspace(scheme: str, split: bool = True) -> Section:
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}


def _byte_level(prefix: bool, regex: bool = True) -> Section:
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}


def _replaced(pattern: str, content: str, kind: str = "String") -> Section:
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def _split(pattern: str, behavior: str, *, invert: bool = False) -> Section:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def _words(scheme: str) -> Section:
    return {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, _metaspace(scheme)]}


def _normalizers(*steps: Section) -> Section:
    return {"type": "Sequence", "normalizers": list(steps)}


def _mapped(given: Given) -> list[Section]:
    return [] if given.charsmap is None else [{"type": "Precompiled", "precompiled_charsmap": given.charsmap}]


def _bpe(*, unknown: str | None = None, fuse: bool = False, bytes: bool = False, suffix: str = "") -> Section:
    return {
        "type": "BPE",
        "unk_token": unknown,
        "end_of_word_suffix": suffix,
        "fuse_unk": fuse,
        "byte_fallback": bytes,
        "ignore_merges": False,
    }


def _unigram(unknown: int) -> Section:
    return {"type": "Unigram", "unk_id": unknown, "byte_fallback": False}


_SPACES_AND_BYTES = [_replaced("▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"}]


def _template(single: str, pair: str) -> Callable[[Given], Section]:
    """A post-processor from slots such as ``cls_token A sep_token B:1``."""

    def slots(text: str) -> Slots:
        rows = [part.rpartition(":") if part[-2:-1] == ":" else (part, ":", "0") for part in text.split()]
        return tuple((name, int(type_id)) for name, _, type_id in rows)

    return lambda given: {"type": "TemplateProcessing", "single": slots(single), "pair": slots(pair)}


def _marks(given: Given) -> Section:
    """The post-processor of the marks that the config asks for."""
    before = [("bos_token", 0)] if given.flag("add_bos_token", False) else []
    after = [("eos_token", 0)] if given.flag("add_eos_token", False) else []
    single = (*before, ("A", 0), *after)
    pair = (*single, *((name, 1) for name, _ in before), ("B", 1), *((name, 1) for name, _ in after))
    return {"type": "TemplateProcessing", "single": single, "pair": pair}


_BERT_AROUND = _template("cls_token A sep_token", "cls_token A sep_token B:1 sep_token:1")


# -- classes


def _llama(given: Given) -> Section:
    prefixed = given.flag("add_prefix_space", True)
    scheme = ("always" if given.flag("legacy", False) else "first") if prefixed else "never"
    strip = [{"type": "Strip", "content": " ", "start": 1, "stop": 0}] if prefixed else []
    return {
        "normalizer": None,
        "pre_tokenizer": _metaspace(scheme, split=False),
        "decoder": {"type": "Sequence", "decoders": [*_SPACES_AND_BYTES, *strip]},
        "model": _bpe(unknown=_never(given), fuse=True, bytes=True),
    }


def _never(given: Given) -> str | None:
    """The unknown piece where bytes stand for all that is not known, so that it changes no ids; the class has none, but
    other formats want one."""
    name = given.text("unk_token", "<unk>")
    return None if None in given.places([name, *(f"<0x{byte:02X}>" for byte in range(256))]) else name


def _gemma(given: Given) -> Section:
    spaces = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    return {
        "normalizer": _replaced(" ", "▁"),
        "pre_tokenizer": spaces,
        "decoder": {"type": "Sequence", "decoders": _SPACES_AND_BYTES},
        "model": _bpe(unknown=given.text("unk_token", "<unk>"), fuse=True, bytes=True),
    }


def _t5(given: Given) -> Section:
    return {
        "normalizer": next(iter(_mapped(given)), None),
        "pre_tokenizer": _words("always"),
        "decoder": _metaspace("always"),
        "model": _unigram(2),
    }


def _texts(tokens: list[Any] | None) -> list[str]:
    return [str(token.get("content") if isinstance(token, dict) else token) for token in tokens or []]


def _t5_extras(given: Given, additional: list[Any] | None) -> list[Any]:
    count = given.number("extra_ids", 100)
    own = [f"<extra_id_{number}>" for number in range(count)]
    held = [text for text in _texts(additional) if "<extra_id_" in text]
    if not held:
        return [*(additional or []), *own]
    if count not in (0, len(held)):
        what = f"is {count}, and {len(held)} such tokens are named"
        unsupported(f"{_CONFIG}: extra_ids", what, f"The class refuses that. {DIALECT_REMEDY}")
    return list(additional or [])


def _pegasus(given: Given) -> Section:
    spaces = _replaced(" {2,}", " ", "Regex")
    name = given.text("unk_token", "<unk>")
    unknown = given.find(name)
    if unknown is None or unknown < 1 or given.score(unknown) != 0.0:
        what = f"is {name!r}, which is no piece with the score 0 behind the first"
        unsupported("unk_token", what, f"PegasusTokenizer refuses that. {DIALECT_REMEDY}")
    return {
        "normalizer": _normalizers(*(_mapped(given) or [_replaced("\\n", " ", "Regex")]), spaces),
        "pre_tokenizer": _metaspace("always"),
        "decoder": _metaspace("always"),
        "model": _unigram(unknown),
    }


def _pegasus_extras(given: Given, additional: list[Any] | None) -> list[Any]:
    sentence = given.fields.get("mask_token_sent", "<mask_1>")
    first = [sentence] if sentence is not None and sentence not in _texts(additional) else []
    return [*first, *(f"<unk_{number}>" for number in range(2, given.number("offset", 103)))]


def _scheme(given: Given) -> str:
    return "always" if given.flag("add_prefix_space", True) else "never"


def _xlm_roberta(given: Given) -> Section:
    scheme = _scheme(given)
    return _t5(given) | {"pre_tokenizer": _words(scheme), "decoder": _metaspace(scheme), "model": _unigram(3)}


def _quotes(given: Given, *, bare: bool, lowercase: bool) -> Section:
    """The normalizer of ALBERT and XLNet: plain quotation marks, no accents, lower case."""
    accents: list[Section] = [{"type": "NFKD"}, {"type": "StripAccents"}] if bare else []
    lower: list[Section] = [{"type": "Lowercase"}] if lowercase else []
    return _normalizers(_replaced("``", '"'), _replaced("''", '"'), *accents, *lower, *_mapped(given))


def _albert(given: Given) -> Section:
    bare, lowercase = not given.flag("keep_accents", False), given.flag("do_lower_case", True)
    normalizer = _quotes(given, bare=bare, lowercase=lowercase)
    return _xlm_roberta(given) | {"normalizer": normalizer, "model": _unigram(1)}


def _xlnet(given: Given) -> Section:
    normalizer = _quotes(given, bare=True, lowercase=given.flag("do_lower_case", False))
    return _t5(given) | {"normalizer": normalizer, "model": _unigram(given.number("unk_id", 0, 2**32 - 1))}


def _big_bird(given: Given) -> Section:
    name = given.text("unk_token", "<unk>")
    unknown = given.find(name)
    known = unknown is not None and given.score(unknown) == 0.0
    return {
        "normalizer": _replaced(" {2,}", "▁", "Regex"),
        "pre_tokenizer": _metaspace(_scheme(given)),
        "decoder": _metaspace(_scheme(given)),
        "model": _unigram(unknown if known and unknown is not None else 100),
    }


def _camembert(given: Given) -> Section:
    return _xlm_roberta(given) | {"model": _unigram(given.find(given.text("unk_token", "<unk>")) or 0)}


def _bert(given: Given) -> Section:
    normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": given.flag("tokenize_chinese_chars", True),
        "strip_accents": None if given.fields.get("strip_accents") is None else given.flag("strip_accents", None),
        "lowercase": given.flag("do_lower_case", True),
    }
    model = {"type": "WordPiece", "unk_token": given.text("unk_token", "[UNK]"), "max_input_chars_per_word": 100}
    return {
        "normalizer": normalizer,
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": model | {"continuing_subword_prefix": "##"},
    }


def _gpt2(given: Given) -> Section:
    return {
        "normalizer": None,
        "pre_tokenizer": _byte_level(given.flag("add_prefix_space", False)),
        "decoder": _byte_level(True),
        "model": _bpe(),
    }


def _gpt_neox(given: Given) -> Section:
    return _gpt2(given) | {"normalizer": {"type": "NFC"}}


def _roberta_around(given: Given) -> Section:
    trim, prefixed = given.flag("trim_offsets", True), given.flag("add_prefix_space", False)
    marks = {"sep": "sep_token", "cls": "cls_token"}
    return {"type": "RobertaProcessing", **marks, "trim_offsets": trim, "add_prefix_space": prefixed}


_QWEN2_CUT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_CLIP_CUT = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def _qwen2(given: Given) -> Section:
    cut = [_split(_QWEN2_CUT, "Isolated"), _byte_level(given.flag("add_prefix_space", False), regex=False)]
    return _gpt_neox(given) | {"pre_tokenizer": {"type": "Sequence", "pretokenizers": cut}}


_ALL = 1_000_000
"""More spaces than any text ends in."""


def _clip(given: Given) -> Section:
    normalizer = _normalizers({"type": "NFC"}, _replaced("\\s+", " ", "Regex"), {"type": "Lowercase"})
    cut = [_split(_CLIP_CUT, "Removed", invert=True), _byte_level(False)]
    strip = {"type": "Strip", "content": " ", "start": _ALL, "stop": _ALL}
    return {
        "normalizer": normalizer,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": cut},
        "decoder": {"type": "Sequence", "decoders": [_byte_level(True), _replaced("</w>", " "), strip]},
        "model": _bpe(unknown=given.text("unk_token", "<|endoftext|>"), suffix="</w>"),
    }


def _clip_around(given: Given) -> Section:
    marks = {"sep": "eos_token", "cls": "bos_token"}
    return {"type": "RobertaProcessing", **marks, "trim_offsets": False, "add_prefix_space": False}


def _whisper_around(given: Given) -> Section:
    before: list[tuple[str, int]] = [("<|startoftranscript|>", 0)]
    language, task = (given.text(name, "").lower() for name in ("language", "task"))
    if len(language) > 3:
        remedy = f"Write the code of the language, as in its token. {DIALECT_REMEDY}"
        unsupported(f"{_CONFIG}: language", f"is {language!r:.40}, the name of one", remedy)
    before += [(f"<|{name}|>", 0) for name in (language, task) if name]
    if not given.flag("predict_timestamps", False):
        before.append(("<|notimestamps|>", 0))
    single, pair = ((*before, ("A", 0), ("eos_token", 0)), (*before, ("A", 0), ("B", 1), ("eos_token", 1)))
    return {"type": "TemplateProcessing", "single": single, "pair": pair}


_END = "<|endoftext|>"
_ENDS = {"unk_token": _END, "bos_token": _END, "eos_token": _END}
_BERT_NAMES = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
_FAIRSEQ = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "cls_token": "<s>",
    "unk_token": "<unk>",
    "pad_token": "<pad>",
    "mask_token": "<mask>",
}
_MASK_WITH_SPACE = {"lstrip": True, "normalized": True, "special": False}
_PLAIN = {"normalized": True, "special": False}
_NOT_USED = ["<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"]

CLASSES: dict[str, Rules] = {
    "LlamaTokenizer": Rules("BPE", _llama, {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}),
    "GemmaTokenizer": Rules(
        "BPE",
        _gemma,
        {
            "unk_token": "<unk>",
            "bos_token": "<bos>",
            "eos_token": "<eos>",
            "pad_token": "<pad>",
            "mask_token": "<mask>",
        },
    ),
    "T5Tokenizer": Rules(
        "Unigram",
        _t5,
        {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"},
        _template("A </s>", "A </s> B </s>"),
        own_around=True,
        extras=_t5_extras,
    ),
    "PegasusTokenizer": Rules(
        "Unigram",
        _pegasus,
        {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "mask_token": "<mask_2>"},
        _template("A eos_token", "A B eos_token"),
        own_around=True,
        extras=_pegasus_extras,
    ),
    "XLMRobertaTokenizer": Rules(
        "Unigram",
        _xlm_roberta,
        _FAIRSEQ,
        _template("bos_token A eos_token", "bos_token A eos_token eos_token B eos_token"),
        own_around=True,
    ),
    "CamembertTokenizer": Rules(
        "Unigram",
        _camembert,
        _FAIRSEQ,
        _template("bos_token A eos_token", "bos_token A eos_token eos_token B eos_token"),
        own_around=True,
        extras=lambda given, additional: _NOT_USED if additional is None else additional,
        flags={"mask_token": {"lstrip": True, "normalized": False, "special": True}},
    ),
    "AlbertTokenizer": Rules(
        "Unigram",
        _albert,
        {"bos_token": "[CLS]", "eos_token": "[SEP]", "unk_token": "<unk>", "pad_token": "<pad>"}
        | {name: _BERT_NAMES[name] for name in ("sep_token", "cls_token", "mask_token")},
        _template("cls_token A sep_token", "cls_token A sep_token B:1 sep_token:1"),
    ),
    "XLNetTokenizer": Rules(
        "Unigram",
        _xlnet,
        _FAIRSEQ | {"sep_token": "<sep>", "cls_token": "<cls>"},
        _template("A sep_token cls_token:2", "A sep_token B:1 sep_token:1 cls_token:2"),
        own_around=True,
        extras=lambda given, additional: ["<eop>", "<eod>"] if additional is None else additional,
        flags={"mask_token": _MASK_WITH_SPACE},
    ),
    "BigBirdTokenizer": Rules(
        "Unigram",
        _big_bird,
        {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
        | {name: _BERT_NAMES[name] for name in ("sep_token", "cls_token", "mask_token")},
        _BERT_AROUND,
        own_around=True,
        flags=dict.fromkeys([*_FAIRSEQ], _PLAIN) | {"mask_token": _MASK_WITH_SPACE},
    ),
    "BertTokenizer": Rules("WordPiece", _bert, _BERT_NAMES, _BERT_AROUND, own_around=True),
    "ConvBertTokenizer": Rules("", names=_BERT_NAMES, around=_BERT_AROUND, own_around=True),
    "GPT2Tokenizer": Rules("BPE", _gpt2, _ENDS),
    "CodeGenTokenizer": Rules(
        "BPE",
        _gpt2,
        _ENDS,
        lambda given: {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
    ),
    "RobertaTokenizer": Rules("BPE", _gpt2, _FAIRSEQ, _roberta_around, own_around=True),
    "GPTNeoXTokenizer": Rules("BPE", _gpt_neox, _ENDS | {"pad_token": "<|padding|>"}, own_around=True),
    "Qwen2Tokenizer": Rules(
        "BPE", _qwen2, {"unk_token": _END, "eos_token": _END, "pad_token": _END}, special_last=True
    ),
    "CLIPTokenizer": Rules(
        "BPE", _clip, _ENDS | {"bos_token": "<|startoftext|>", "pad_token": _END}, _clip_around, own_around=True
    ),
    "WhisperTokenizer": Rules("BPE", _gpt2, _ENDS, _whisper_around, own_around=True),
}
"""The classes whose rules are known."""
PAIR_CLASSES = tuple(sorted(name for name, rules in CLASSES.items() if rules.model == "BPE"))
"""Those that can have a vocab.json with its merges.txt."""
