"""Conversations: what ``Tokenizer.render_chat`` and ``encode_chat`` do, by the template of a file (extra ``[chat]``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core.vocabulary import special_tokens
from ..metadata import metadata_of
from ..text.specials import ids_around
from ..text.warnings import warn_of_nothing, warn_of_two
from .render import chosen, rendered, traced

if TYPE_CHECKING:
    from ..text.specials import AddSpecial
    from ..tokenizer import Tokenizer
    from .encoding import ChatIds, Messages

__all__ = ["encode_chat", "render_chat"]

_TOKENS = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


def render_chat(tokenizer: Tokenizer, messages: Messages, template: str | None, variables: dict[str, Any]) -> str:
    """See ``Tokenizer.render_chat``."""
    metadata = metadata_of(tokenizer._origin)
    own = chosen(metadata.chat_template, template, has_tools=variables.get("tools") is not None)
    return rendered(own, messages, {"add_generation_prompt": False, **metadata.token_names, **variables})


def encode_chat(
    tokenizer: Tokenizer,
    messages: Messages,
    template: str | None,
    add_special: AddSpecial,
    variables: dict[str, Any],
) -> ChatIds:
    """See ``Tokenizer.encode_chat``."""
    metadata = metadata_of(tokenizer._origin)
    own = chosen(metadata.chat_template, template, has_tools=variables.get("tools") is not None)
    names = {f"{name}_token" for name in _TOKENS} | set(metadata.token_names)
    given = {name: value for name, value in variables.items() if name in names and isinstance(value, str)}
    others = {name: value for name, value in variables.items() if name not in given}
    tokens = {**metadata.token_names, **given}
    text, roles = traced(own, messages, {"add_generation_prompt": False, **others}, tokens)
    from .encoding import encoded, marks_generation  # needs jinja2, which traced has looked for

    specials = frozenset(special_tokens(tokenizer).values()) if len(tokenizer.spec.added) else frozenset[int]()
    around = ids_around(tokenizer.spec, add_special)
    found = encoded(tokenizer._kernel, text, roles, specials, around, marks_generation(own))
    if add_special is not False:
        before, after = map(len, around)
        if not (before or after):
            warn_of_nothing(tokenizer, add_special)
        warn_of_two(tokenizer, around, found[before : len(found) - after])
    return found
