"""Which encoding a model of OpenAI's uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .registry import get_encoding

if TYPE_CHECKING:
    from .core import Encoding

__all__ = ["MODEL_PREFIX_TO_ENCODING", "MODEL_TO_ENCODING", "encoding_for_model", "encoding_name_for_model"]


def _by_model(rows: dict[str, str]) -> dict[str, str]:
    return {model: encoding for encoding, models in rows.items() for model in models.split()}


MODEL_PREFIX_TO_ENCODING: dict[str, str] = _by_model(
    {
        "o200k_base": "o1- o3- o4-mini- gpt-5 gpt-4.5- gpt-4.1- chatgpt-4o- gpt-4o- ft:gpt-4o",
        "cl100k_base": "gpt-4- gpt-3.5-turbo- gpt-35-turbo- ft:gpt-4 ft:gpt-3.5-turbo ft:davinci-002 ft:babbage-002",
        "o200k_harmony": "gpt-oss-",
    }
)
"""For models whose names begin so; the first that fits counts."""

_SIZES = ("davinci", "curie", "babbage", "ada")

MODEL_TO_ENCODING: dict[str, str] = _by_model(
    {
        "o200k_base": "o1 o3 o4-mini gpt-5 gpt-4.1 gpt-4o",
        "cl100k_base": "gpt-4 gpt-3.5-turbo gpt-3.5 gpt-35-turbo davinci-002 babbage-002 text-embedding-ada-002 "
        "text-embedding-3-small text-embedding-3-large",
        "p50k_base": "text-davinci-003 text-davinci-002 code-davinci-002 code-davinci-001 code-cushman-002 "
        "code-cushman-001 davinci-codex cushman-codex",
        "r50k_base": " ".join(
            [
                *(f"text-{size}-001 {size} text-similarity-{size}-001 text-search-{size}-doc-001" for size in _SIZES),
                "code-search-babbage-code-001 code-search-ada-code-001",
            ]
        ),
        "p50k_edit": "text-davinci-edit-001 code-davinci-edit-001",
        "gpt2": "gpt2 gpt-2",
    }
)
"""For models by their whole names."""


def encoding_name_for_model(model_name: str) -> str:
    """The name of a model's encoding; ``KeyError`` for a model that is not known.

    >>> encoding_name_for_model("gpt-4o"), encoding_name_for_model("gpt-4-0314")
    ('o200k_base', 'cl100k_base')
    """
    if model_name in MODEL_TO_ENCODING:
        return MODEL_TO_ENCODING[model_name]
    for start, encoding in MODEL_PREFIX_TO_ENCODING.items():
        if model_name.startswith(start):
            return encoding
    raise KeyError(f"The encoding of {model_name} is not known. Ask for one by its name with get_encoding.")


def encoding_for_model(model_name: str) -> Encoding:
    """The encoding of a model."""
    return get_encoding(encoding_name_for_model(model_name))
