"""Metadata: what files say of a tokenizer that changes no ids. Chat templates, and how long other programs make rows.

It is kept apart from the Spec, written into files that have a place for it, and listed as lost where there is none.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

__all__ = ["Metadata", "metadata_of", "with_present_names"]


@dataclass(frozen=True)
class Metadata:
    """What a file says besides its Spec. By default nothing."""

    chat_template: dict[str, str] = field(default_factory=dict)
    """How a conversation becomes a text: templates by name, the usual one being ``default``."""
    token_names: dict[str, str] = field(default_factory=dict)
    """What a template calls tokens (``bos_token``), and how they are spelled."""
    truncation: dict[str, Any] | None = None
    """The section of a tokenizer.json, as it was."""
    padding: dict[str, Any] | None = None
    """The section of a tokenizer.json, as it was."""
    config: dict[str, Any] = field(default_factory=dict)
    """What the tokenizer_config.json of a folder says besides tokens and templates, such as ``model_max_length``."""

    def to_json(self) -> dict[str, Any]:
        """The fields that are set, as JSON-ready values."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_json(cls, value: Any) -> Metadata:
        """The reverse; what is not of its type is a ``TypeError`` or ``ValueError``."""
        known = {item.name for item in fields(cls)}
        made = cls(**{name: dict(part) for name, part in dict(value).items() if name in known})
        texts = [*made.chat_template.items(), *made.token_names.items()]
        if not all(isinstance(text, str) for row in texts for text in row):
            raise TypeError
        return made

    def named(self) -> list[str]:
        """The fields that are there and mean something by themselves.

        >>> Metadata(chat_template={"default": ""}, token_names={"bos_token": "<s>"}).named()
        ['chat_template']
        """
        return [name for name in self.to_json() if name not in ("token_names", "config")]


def metadata_of(origin: Any) -> Metadata:
    """The metadata of the file that a tokenizer came from."""
    found = origin if isinstance(origin, Metadata) else getattr(origin, "metadata", None)
    return found if isinstance(found, Metadata) else Metadata()


def with_present_names(origin: Any) -> Any:
    """An origin out of a pickle, whose metadata may have the name that it had before, ``beside``, and may lack a field."""
    state = getattr(origin, "__dict__", {})
    if "beside" in state:
        state["metadata"] = state.pop("beside")
    metadata = metadata_of(origin)
    metadata.__dict__.setdefault("config", {})
    return origin
