"""The pre-tokenizers that llama.cpp knows by name: how each cuts text, and what else the name decides.

A file names one (``tokenizer.ggml.pre``); llama.cpp has the rest in its source. Several names share a way to cut, which is
called a group here.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PRES", "SPLITTERS", "Pre"]


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
