r"""The pre-tokenizers that llama.cpp knows by name: how each cuts text, and what else the name decides.

A file names one (``tokenizer.ggml.pre``); llama.cpp has the rest in its source. Several names share a way to cut, which is
called a group here: a list of expressions. One after the other cuts what those before it left, and what lies between its
matches is a chunk too. Classes are those of Unicode 15.1, as in llama.cpp's tables; ``\p{Lu}`` and the like mean any letter
there. Where it runs code in the place of an expression, the expression here says what that code does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["PRES", "SPLITTERS", "Pre", "split_rules"]


Rule = dict[str, Any]


class Pre(NamedTuple):
    """What a name stands for."""

    group: str
    """How text is cut."""
    whole_chunks: bool = False
    clean_spaces: bool = True
    add_bos: bool = False
    no_bos: bool = False
    """Whether there is no bos token unless a field names one."""
    space_marks: bool = False
    """Whether a space is written as the mark and merging starts from characters."""


SPLITTERS = {"gpt-2": "gpt2-15.1", "llama3": "llama3-15.1", "qwen2": "qwen2-15.1"}
"""Groups with a scanner of their own."""

_QUOTED = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_HEAD = r"[^\r\n\p{L}\p{N}]?"
_WORD = rf"{_HEAD}\p{{L}}+"
_SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
_SLASHES = r" ?[^\s\p{L}\p{N}]+[\r\n/]*"
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_QWEN2 = rf"{_QUOTED}|{_WORD}|\p{{N}}|{_SIGNS}|{_SPACES}"
_ASCII_SIGN_WORD = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"""
_MARKED_WORD = r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
_DEEPSEEK = rf"{_ASCII_SIGN_WORD}|{_MARKED_WORD}| ?[\p{{P}}\p{{S}}]+"
_KANJI = r"[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+"
# The range U+0800 to U+4E00 without white space, which is a vertical tab to an expression without categories.
_OLD_KANJI = (
    r"[\u4E00-\u9FA5\u0800-\u167F\u1681-\u1FFF\u200B-\u2027\u202A-\u202E\u2030-\u205E\u2060-\u2FFF\u3001-\u4E00"
    r"\uAC00-\uD7FF]+"
)
_HAN = "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002ebef\uf900-\ufaff\U0002f800-\U0002fa1f]"
_NOT_BLOOM = r" ?[^(\s|.,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C)]+"
_LINES = r"[^\n]+|\n+"
_CASED_LETTERS = (
    r"A-Za-z\u00B5\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u01BA\u01BC-\u01BF\u01C4-\u0293\u0295-\u02AF\u0370-\u0373"
    r"\u0376\u0377\u037B-\u037D\u037F\u0386\u0388-\u038A\u038C\u038E-\u03A1\u03A3-\u03F5\u03F7-\u0481"
    r"\u048A-\u052F\u0531-\u0556\u10A0-\u10C5\u13A0-\u13F5\u13F8-\u13FD\u1C90-\u1CBA\u1CBD-\u1CBF\u1D00-\u1D2B"
    r"\u1D6B-\u1D77\u1D79-\u1D9A\u1E00-\u1F15\u1F18-\u1F1D\u1F20-\u1F45\u1F48-\u1F4D\u1F50-\u1F57\u1F59\u1F5B"
    r"\u1F5D\u1F5F-\u1F7D\u1F80-\u1FB4\u1FB6-\u1FBC\u1FBE\u1FC2-\u1FC4\u1FC6-\u1FCC\u1FD0-\u1FD3\u1FD6-\u1FDB"
    r"\u1FE0-\u1FEC\u1FF2-\u1FF4\u1FF6-\u1FFC\u2102\u2107\u210A-\u2113\u2115\u2119-\u211D\u2124\u2126\u2128"
    r"\u212A-\u212D\u212F-\u2134\u2139\u213C-\u213F\u2145-\u2149\u214E\u2183\u2184\u2C00-\u2C7B\u2C7E-\u2CE4"
    r"\u2CEB-\u2CEE\u2CF2\u2CF3\uA640-\uA66D\uA680-\uA69B\uA722-\uA76F\uA771-\uA787\uA78B-\uA78E\uAB70-\uABBF"
    r"\uFB00-\uFB06\uFB13-\uFB17\uFF21-\uFF3A\uFF41-\uFF5A"
    "\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943"
)


def _cased(letters: str, numbers: str, quoted: str) -> str:
    """Words that end where lower case turns into upper case, of ASCII."""
    upper, lower = rf"(?:(?![a-z]){letters})", rf"(?:(?![A-Z]){letters})"
    words = f"{_HEAD}{upper}*{lower}+{quoted}|{_HEAD}{upper}+{lower}*{quoted}"
    return f"{words}|{numbers}|{_SLASHES}|{_SPACES}"


def _uncased(numbers: str) -> str:
    """The expression where case means nothing, with marks."""
    letters = r"[\p{L}\p{M}]"
    words = f"{_HEAD}{letters}*{letters}+{_QUOTED}?|{_HEAD}{letters}+{letters}*{_QUOTED}?"
    return f"{words}|{numbers}|{_SLASHES}|{_SPACES}"


_ASIAN = (
    r"[\u4E00-\u9FFF\u3400-\u4DBF\u8C48-\uFAFF\u3040-\u309F\u30A0-\u30FF\uFF65-\uFF9F\u2F00-\u2FDF\u0E40-\u0E7F"
    r"\u0E80-\u0EFF\u1780-\u17FF\u1000-\u109F\uAA60-\uAA7F\uA9E0-\uA9FF\uAC00-\uD7AF\u1100-\u11FF]+"
)
_GROUPS_BEHIND: Rule = {"type": "number-groups", "cut": "behind"}
_GROUPS: dict[str, tuple[str | Rule, ...]] = {
    "default": (r"[\p{P}$+<=>^~|]+", _GPT2, r"\p{N}+", r"[0-9][0-9][0-9]"),
    "jais-2": (
        (
            rf"{_QUOTED}|{_WORD}|\p{{N}}{{1,3}}|{_SIGNS}|\s*[\r\n]+|\s{{512}}(?!\S)|\s{{256}}(?!\S)|\s{{128}}(?!\S)"
            r"|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s"
        ),
    ),
    "deepseek-llm": (
        r"[\r\n]",
        rf"\s?[{_CASED_LETTERS}]+",
        r"\s?[!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3001\u3002]+",
        r"\s+\z",
        _OLD_KANJI,
        r"\p{N}+",
    ),
    "deepseek-v3": (r"\p{N}{1,3}", _KANJI, rf"{_DEEPSEEK}[\r\n]*|{_SPACES}"),
    "spark2_5": (r"\p{N}{1,3}", _KANJI, rf"{_DEEPSEEK}|[\r\n]|\s+(?!\S)|\s+", r"\p{N}"),
    "youtu": (
        (
            r"[\uAC00-\uD7A3\u3131-\u318E]+"
            r"|[\uFF01\u2026\u201C\u201D\u2018\u2019\u2014\uFF1A\uFF1B\uFF0C\u3001-\u303F\uFE30-\uFE4F]+"
            rf"|[\u3105-\u312F]+|{_KANJI}"
        ),
        _uncased(r"\p{N}"),
    ),
    "tiny_aya": (_GROUPS_BEHIND, _uncased(r"\p{N}{1,3}")),
    "superbpe": (r"\p{N}+", {"type": "number-groups", "cut": "before"}),
    "afmoe": (_GROUPS_BEHIND, _ASIAN, rf"{_DEEPSEEK}[\r\n]*|{_SPACES}"),
    "deepseek-coder": (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _OLD_KANJI, r"\p{N}"),
    "falcon": (r"[\p{P}$+<=>^~|`]+", _GPT2, r"[0-9][0-9][0-9]"),
    "starcoder": (r"\p{N}", _GPT2),
    "qwen35": (rf"{_QUOTED}|{_HEAD}[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACES}",),
    "bloom": (_NOT_BLOOM,),
    "viking": (_NOT_BLOOM, r"\p{N}"),
    "tekken": (_cased(r"\p{L}", r"\p{N}", ""),),
    "chameleon": (
        "<sentinel:[0-9]+>",
        "IMGIMG[A-I]{1,4}Z",
        r"[\t\n]|    |  ",
        r"\p{N}",
        r"[\p{P}!-/:-@\[-`{-~]",
        _GPT2,
    ),
    "gpt-4o": (_cased(r"\p{L}", r"\p{N}{1,3}", f"{_QUOTED}?"),),
    "granite-embed-multi-97m": (_cased(r"[\p{L}\p{M}]", r"\p{N}{1,3}", f"{_QUOTED}?"),),
    "kimi-k2": (rf"{_HAN}+|{_HEAD}(?:(?!{_HAN})\p{{L}})+{_QUOTED}?|\p{{N}}{{1,3}}|{_SIGNS}|{_SPACES}",),
    "bailingmoe": (rf"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|{_WORD}|\p{{N}}|{_SIGNS}|\s*[\r\n]|\s+(?!\S)|\s+",),
    "seed-coder": (rf"{_QUOTED}|{_WORD}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_SPACES}",),
    "ufakzeka": (rf"{_WORD}|\p{{N}}|{_SIGNS}|{_SPACES}",),
    "laguna": (_LINES, _QWEN2),
    "exaone-moe": (
        (
            rf"{_QUOTED}|{_HEAD}(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+|\p{{N}}"
            r"| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
        ),
    ),
    "minicpm5": (r"\p{N}{1,3}", rf"{_QUOTED}|{_WORD}|\p{{N}}+|{_SIGNS}|{_SPACES}"),
}
"""The expressions of the other groups, in order; a rule of another kind stands for code that no expression does justice."""


def split_rules(group: str) -> tuple[Rule, ...]:
    r"""The expressions of a group as rules of a Spec.

    >>> split_rules("starcoder")[:1]
    ({'type': 'split', 'pattern': {'regex-15.1': '\\p{N}'}, 'behavior': 'isolated', 'invert': False},)
    """
    shape: Rule = {"behavior": "isolated", "invert": False}
    return tuple(
        {"type": "split", "pattern": {"regex-15.1": source}} | shape if isinstance(source, str) else source
        for source in _GROUPS[group]
    )


PRES: dict[str, Pre] = {
    "default": Pre("default"),
    "minicpm5": Pre("minicpm5", whole_chunks=True),
    "llama3": Pre("llama3", whole_chunks=True, add_bos=True),
    "llama-v3": Pre("llama3", whole_chunks=True, add_bos=True),
    "llama-bpe": Pre("llama3", whole_chunks=True, add_bos=True),
    "falcon3": Pre("llama3", whole_chunks=True, add_bos=True),
    "falcon-h1": Pre("llama3", whole_chunks=True, add_bos=True),
    "pixtral": Pre("llama3", whole_chunks=True, add_bos=True),
    "midm-2.0": Pre("llama3", whole_chunks=True, add_bos=True),
    "lfm2": Pre("llama3", whole_chunks=True, add_bos=True),
    "jina-v5-nano": Pre("llama3", whole_chunks=True, add_bos=True),
    "deepseek-llm": Pre("deepseek-llm", clean_spaces=False),
    "deepseek-coder": Pre("deepseek-coder", clean_spaces=False),
    "deepseek-v3": Pre("deepseek-v3", clean_spaces=False),
    "spark2_5": Pre("spark2_5", clean_spaces=False),
    "youtu": Pre("youtu", whole_chunks=True, clean_spaces=False),
    "falcon": Pre("falcon"),
    "mpt": Pre("gpt-2"),
    "starcoder": Pre("starcoder"),
    "gpt-2": Pre("gpt-2"),
    "phi-2": Pre("gpt-2"),
    "jina-es": Pre("gpt-2"),
    "jina-de": Pre("gpt-2"),
    "gigachat": Pre("gpt-2"),
    "jina-v2-es": Pre("gpt-2"),
    "jina-v2-de": Pre("gpt-2"),
    "a.x-4.0": Pre("gpt-2"),
    "mellum": Pre("gpt-2"),
    "modern-bert": Pre("gpt-2"),
    "jais-2": Pre("jais-2"),
    "gemma4": Pre("lines", add_bos=True, space_marks=True),
    "granite-embed-multi-311m": Pre("lines", add_bos=True, space_marks=True),
    "sarvam-moe": Pre("lines", clean_spaces=False, space_marks=True),
    "jina-v1-en": Pre("gpt-2"),
    "jina-v2-code": Pre("gpt-2"),
    "roberta-bpe": Pre("gpt-2"),
    "refact": Pre("starcoder"),
    "command-r": Pre("starcoder", clean_spaces=False),
    "qwen2": Pre("qwen2", clean_spaces=False),
    "deepseek-r1-qwen": Pre("qwen2", clean_spaces=False),
    "kormo": Pre("qwen2", clean_spaces=False),
    "f2llmv2": Pre("qwen2", clean_spaces=False),
    "qwen35": Pre("qwen35", clean_spaces=False),
    "stablelm2": Pre("qwen2"),
    "olmo": Pre("gpt-2"),
    "dbrx": Pre("llama3"),
    "smaug-bpe": Pre("llama3"),
    "poro-chat": Pre("bloom", clean_spaces=False),
    "chatglm-bpe": Pre("llama3", no_bos=True),
    "glm4": Pre("llama3", whole_chunks=True, no_bos=True),
    "glm5": Pre("llama3", whole_chunks=True, no_bos=True),
    "viking": Pre("viking", clean_spaces=False),
    "jais": Pre("gpt-2"),
    "tekken": Pre("tekken", whole_chunks=True, clean_spaces=False, add_bos=True),
    "smollm": Pre("starcoder", clean_spaces=False),
    "codeshell": Pre("starcoder"),
    "bloom": Pre("bloom"),
    "gpt3-finnish": Pre("bloom"),
    "exaone": Pre("starcoder"),
    "exaone4": Pre("gpt-2"),
    "exaone-moe": Pre("exaone-moe"),
    "chameleon": Pre("chameleon", clean_spaces=False, add_bos=True),
    "minerva-7b": Pre("starcoder"),
    "megrez": Pre("qwen2"),
    "gpt-4o": Pre("gpt-4o", clean_spaces=False),
    "llama4": Pre("gpt-4o", clean_spaces=False),
    "kanana2": Pre("gpt-4o", clean_spaces=False),
    "talkie": Pre("gpt-4o", clean_spaces=False),
    "granite-embed-multi-97m": Pre("granite-embed-multi-97m", whole_chunks=True, clean_spaces=False),
    "tiny_aya": Pre("tiny_aya", clean_spaces=False),
    "cohere2moe": Pre("tiny_aya", clean_spaces=False),
    "superbpe": Pre("superbpe", clean_spaces=False),
    "trillion": Pre("gpt-2", clean_spaces=False),
    "granite-docling": Pre("gpt-2", clean_spaces=False),
    "bailingmoe": Pre("bailingmoe", clean_spaces=False),
    "bailingmoe2": Pre("bailingmoe", clean_spaces=False),
    "llada-moe": Pre("bailingmoe", clean_spaces=False),
    "seed-coder": Pre("seed-coder", clean_spaces=False),
    "hunyuan": Pre("qwen2", clean_spaces=False),
    "hunyuan-dense": Pre("deepseek-v3", clean_spaces=False),
    "hy_v4": Pre("deepseek-v3", clean_spaces=False),
    "joyai-llm": Pre("deepseek-v3", clean_spaces=False),
    "kimi-k2": Pre("kimi-k2", clean_spaces=False),
    "ufakzeka": Pre("ufakzeka", clean_spaces=False),
    "grok-2": Pre("qwen2", clean_spaces=False),
    "afmoe": Pre("afmoe", clean_spaces=False),
    "laguna": Pre("laguna", clean_spaces=False),
    "minimax-m2": Pre("gpt-4o", clean_spaces=False),
    "solar-open": Pre("qwen2", clean_spaces=False),
    "mellum2": Pre("starcoder"),
}
"""By the name in a file."""
