"""What rank files do not say, as plain data: the splitter, the special tokens, and which file it is about.

One row per encoding. ``sha256`` is that of the rank file with LF line ends, and only where that file alone decides: of
encodings that share a file one has it, the others are asked for by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["DEFINITIONS", "SPLITTERS", "Definition", "definition_of"]


@dataclass(frozen=True)
class Definition:
    """One encoding: what must be known beyond the rank file in order to tokenize with it."""

    name: str
    splitter: str | None
    """None where a pattern that has no splitter cuts the text."""
    ranks: int
    """How many ranks its file has."""
    n_vocab: int
    """One more than the highest id."""
    specials: Mapping[str, int] = field(repr=False)
    bos: str | None = None
    eos: str | None = None
    pad: str | None = None
    sha256: str | None = None
    aliases: Mapping[str, int] = field(default_factory=dict, repr=False)
    """Further names of special tokens: text may spell them so, but their pieces are called as ``specials`` says."""
    pattern: str | None = field(default=None, repr=False)
    """The expression whose matches are the chunks, where there is no splitter."""


def definition_of(sha256: str) -> Definition | None:
    """The definition that a rank file belongs to, by its content."""
    return _BY_CONTENT.get(sha256)


def _numbered(first: int, names: Iterable[str]) -> dict[str, int]:
    return {f"<|{name}|>": first + index for index, name in enumerate(names)}


def _reserved(name: str, numbers: range) -> list[str]:
    return [f"{name}_{number}" for number in numbers]


_END = "<|endoftext|>"
_R50K = "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"
_P50K = "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"
_CL100K = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_O200K = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_LLAMA3 = "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55"
_LLAMA4 = "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed"

_HARMONY_NAMED = {
    199998: "startoftext",
    199999: "endoftext",
    200002: "return",
    200003: "constrain",
    200005: "channel",
    200006: "start",
    200007: "end",
    200008: "message",
    200012: "call",
    200018: "endofprompt",
}
_HARMONY = {f"<|{_HARMONY_NAMED.get(id, f'reserved_{id}')}|>": id for id in range(199998, 201088)}

_LLAMA3_NAMED = [
    "begin_of_text",
    "end_of_text",
    "reserved_special_token_0",
    "reserved_special_token_1",
    "finetune_right_pad_id",
    "step_id",
    "start_header_id",
    "end_header_id",
    "eom_id",
    "eot_id",
    "python_tag",
    "image",
]
_LLAMA3_SPECIALS = _numbered(128000, [*_LLAMA3_NAMED, *_reserved("reserved_special_token", range(2, 246))])

_LLAMA4_SPECIALS = _numbered(
    200000,
    [
        *["begin_of_text", "end_of_text", "fim_prefix", "fim_middle", "fim_suffix"],
        *["header_start", "header_end", "eom", "eot", "step"],
        *_reserved("text_post_train_reserved_special_token", range(6)),
        *["python_start", "python_end", "finetune_right_pad"],
        *_reserved("text_post_train_reserved_special_token", range(8, 69)),
        *["image_start", "image_end"],
        *_reserved("vision_reserved_special_token", range(2)),
        *["tile_x_separator", "tile_y_separator"],
        *_reserved("vision_reserved_special_token", range(2, 6)),
        *["image", "vision_reserved_special_token_6", "patch"],
        *_reserved("vision_reserved_special_token", range(7, 1048)),
        *_reserved("reasoning_reserved_special_token", range(8)),
        *["reasoning_thinking_start", "reasoning_thinking_end"],
        *_reserved("reserved_special_token", range(904)),
    ],
)

_CL100K_SPECIALS = {
    _END: 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}
_P50K_EDIT_SPECIALS = {_END: 50256, "<|fim_prefix|>": 50281, "<|fim_middle|>": 50282, "<|fim_suffix|>": 50283}
_O200K_SPECIALS = {_END: 199999, "<|endofprompt|>": 200018}
_QWEN_SPECIALS = _numbered(151643, ["endoftext", "im_start", "im_end", *_reserved("extra", range(205))])

_KIMI_NAMED = {
    163584: "[BOS]",
    163585: "[EOS]",
    163586: "<|im_end|>",
    163587: "<|im_user|>",
    163588: "<|im_assistant|>",
    163590: "<|start_header_id|>",
    163591: "<|end_header_id|>",
    163593: "[EOT]",
    163594: "<|im_system|>",
    163595: "<|tool_calls_section_begin|>",
    163596: "<|tool_calls_section_end|>",
    163597: "<|tool_call_begin|>",
    163598: "<|tool_call_argument_begin|>",
    163599: "<|tool_call_end|>",
    163601: "<|im_middle|>",
    163838: "[UNK]",
    163839: "[PAD]",
}
_KIMI_LATER = {
    163602: "<|media_begin|>",
    163603: "<|media_content|>",
    163604: "<|media_end|>",
    163605: "<|media_pad|>",
    163606: "<think>",
    163607: "</think>",
}


def _kimi(named: Mapping[int, str]) -> dict[str, int]:
    return {named.get(id, f"<|reserved_token_{id}|>"): id for id in range(163584, 163842)}


_QUOTED = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_HEAD = r"[^\r\n\p{L}\p{N}]?"
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_NOT_HAN = r"&&[^\p{Han}]"


def _cased(without: str, quoted: str) -> str:
    upper, lower = f"[{_UPPER}{without}]", f"[{_LOWER}{without}]"
    return f"{_HEAD}{upper}*{lower}+{quoted}|{_HEAD}{upper}+{lower}*{quoted}"


_KIMI = rf"[\p{{Han}}]+|{_cased(_NOT_HAN, f'{_QUOTED}?')}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}"
_GPT2 = r"| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
SPLITTERS: Mapping[str, str] = MappingProxyType(
    {
        "'s|'t|'re|'ve|'m|'ll|'d" + _GPT2: "gpt2",
        r"'(?:[sdmt]|ll|ve|re)" + _GPT2: "gpt2",
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
        (
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
            r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        ): "cl100k",
        rf"{_QUOTED}|{_HEAD}\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}": "llama3",
        rf"{_QUOTED}|{_HEAD}\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}": "qwen2",
        rf"{_cased('', f'{_QUOTED}?')}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}": "o200k",
        rf"{_cased('', '')}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}": "tekken",
    }
)
"""Patterns whose matches are the chunks of a splitter, as they are published."""

_KIMI_SHA = "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103"
_LLAMA: dict[str, Any] = {"bos": "<|begin_of_text|>", "eos": "<|end_of_text|>"}
_ROWS = [
    Definition("gpt2", "gpt2", 50256, 50257, {_END: 50256}, eos=_END),
    Definition("r50k_base", "gpt2", 50256, 50257, {_END: 50256}, eos=_END, sha256=_R50K),
    Definition("p50k_base", "gpt2", 50280, 50281, {_END: 50256}, eos=_END, sha256=_P50K),
    Definition("p50k_edit", "gpt2", 50280, 50284, _P50K_EDIT_SPECIALS, eos=_END),
    Definition("cl100k_base", "cl100k", 100256, 100277, _CL100K_SPECIALS, eos=_END, sha256=_CL100K),
    Definition("o200k_base", "o200k", 199998, 200019, _O200K_SPECIALS, eos=_END, sha256=_O200K),
    Definition("o200k_harmony", "o200k", 199998, 201088, _HARMONY, eos=_END, aliases={"<|reserved_200018|>": 200018}),
    Definition(
        "llama3", "llama3", 128000, 128256, _LLAMA3_SPECIALS, **_LLAMA, pad="<|finetune_right_pad_id|>", sha256=_LLAMA3
    ),
    Definition(
        "llama4", "o200k", 200000, 202048, _LLAMA4_SPECIALS, **_LLAMA, pad="<|finetune_right_pad|>", sha256=_LLAMA4
    ),
    Definition("qwen", "qwen2", 151643, 151851, _QWEN_SPECIALS, eos=_END),
    Definition(
        *("kimi_k2", None, 163584, 163842, _kimi(_KIMI_NAMED), "[BOS]", "[EOS]", "[PAD]"),
        pattern=_KIMI,
        sha256=_KIMI_SHA,
    ),
    Definition(
        *("kimi_k2_5", None, 163584, 163842, _kimi(_KIMI_NAMED | _KIMI_LATER), "[BOS]", "[EOS]", "[PAD]"),
        pattern=_KIMI,
    ),
]
DEFINITIONS: Mapping[str, Definition] = MappingProxyType({row.name: row for row in _ROWS})
"""Every known encoding by its name."""

_BY_CONTENT = {row.sha256: row for row in _ROWS if row.sha256}
