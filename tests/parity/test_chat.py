"""The chat templates of real files render as the plain sandbox of jinja2 renders them."""

from __future__ import annotations

from typing import Any

import pytest

import anypiece as ap
from tests.support.chat import CONFIGS, CONVERSATIONS, FOUND, GGUF, OPTIONS, plainly, template_of, templates
from tests.support.gguf import files

TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "date_string": "1 Jan 2024"}


def ours(tok: ap.Tokenizer, template: str, messages: list[dict[str, Any]], variables: dict[str, Any]) -> str | None:
    try:
        return tok.render_chat(messages, template=template, **variables)
    except ap.FormatError as error:
        return None if error.code == "chat-template" else error.code


@pytest.mark.parametrize("name", [*CONFIGS, *GGUF, *FOUND])
def test_templates_of_real_files(name: str) -> None:
    tok, template = ap.load(), templates()[name]
    rendered = 0
    for messages in CONVERSATIONS:
        for more in OPTIONS:
            variables = {**TOKENS, **more}
            expected = plainly(template, messages, variables)
            assert ours(tok, template, messages, variables) == expected
            rendered += expected is not None
    assert rendered >= 10


@pytest.mark.parametrize("name", GGUF)
def test_templates_of_gguf_files(name: str) -> None:
    tok = ap.load(next(path for path in files() if path.name == f"ggml-vocab-{name}.gguf"))
    tokens = {"bos_token": tok.id_to_piece(tok.bos_id or 0), "eos_token": tok.id_to_piece(tok.eos_id or 0)}
    expected = plainly(template_of(name), CONVERSATIONS[1], {"add_generation_prompt": True, **tokens})
    assert tok.render_chat(CONVERSATIONS[1], add_generation_prompt=True) == expected
    assert expected is not None
    assert "A mark." in expected
