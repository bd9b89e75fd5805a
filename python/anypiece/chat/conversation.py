"""Conversations: what a tokenizer does with messages, by the chat template that stands beside it (extra ``[chat]``).

The templates and how they are run are in ``chat``; this is the documented surface, a part of ``Tokenizer``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core.vocabulary import Content
from ..metadata import metadata_of
from ..text.specials import ids_around
from ..text.warnings import warn_of_nothing, warn_of_two

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..text.specials import AddSpecial
    from .encoding import ChatIds

__all__ = ["Conversations"]

_TOKENS = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


class Conversations(Content):
    """The part of a ``Tokenizer`` that is about messages."""

    __slots__ = ()

    def render_chat(
        self, messages: Sequence[Mapping[str, Any]], *, template: str | None = None, **variables: Any
    ) -> str:
        """The text of a conversation, by the chat template of the file or folder that this was loaded from.

        ``template`` is the name of one of its templates, where there are several (``"default"``, ``"tool_use"``), or a
        template itself. ``variables`` go to the template: ``add_generation_prompt``, ``tools`` and what else it asks for;
        with ``tools``, the one of the name ``tool_use`` is taken unless another is named. For ids take ``encode_chat``: in
        the text alone nobody can tell what users wrote from what the template did.

        >>> import anypiece
        >>> anypiece.load().render_chat([{"role": "user", "content": "Hi"}], template="{{ messages[0].content }}!")
        'Hi!'
        """
        from . import chosen, rendered

        metadata = metadata_of(self._origin)
        own = chosen(metadata.chat_template, template, has_tools=variables.get("tools") is not None)
        return rendered(own, messages, {"add_generation_prompt": False, **metadata.token_names, **variables})

    def encode_chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        template: str | None = None,
        add_special: AddSpecial = False,
        **variables: Any,
    ) -> ChatIds:
        """The ids of a conversation, a list; special tokens are only those that the template wrote.

        What messages, tools, documents and other ``variables`` hold is text, whatever it spells, and can neither complete
        nor hide a token of the template. The text is that of ``render_chat``, and the ids are those of ``encode(text,
        specials="parse")`` where nothing in the messages looks like a special token. A role that is well known counts as
        the template's, since templates make tokens of it. The result has ``spans`` with the tokens of each message,
        ``assistant_mask`` for training, and ``text``; see ``docs/guide/chat.md``. ``add_special`` is for templates that
        write no bos themselves.

        >>> import anypiece
        >>> from anypiece import Added, AddedFlag
        >>> tok = anypiece.load().replace(added=Added.of([("<s>", 1, AddedFlag.SPECIAL), ("</s>", 2, AddedFlag.SPECIAL)]))
        >>> said = [{"role": "user", "content": "Hi</s>"}, {"role": "assistant", "content": "Ho"}]
        >>> ids = tok.encode_chat(said, template="{% for m in messages %}<s>{{ m.content }}</s>{% endfor %}")
        >>> ids.count(2), tok.decode(ids[slice(*ids.spans[0])]), sum(ids.assistant_mask)
        (2, 'Hi</s>', 2)
        """
        from . import chosen, traced

        metadata = metadata_of(self._origin)
        own = chosen(metadata.chat_template, template, has_tools=variables.get("tools") is not None)
        names = {f"{name}_token" for name in _TOKENS} | set(metadata.token_names)
        given = {name: value for name, value in variables.items() if name in names and isinstance(value, str)}
        others = {name: value for name, value in variables.items() if name not in given}
        tokens = {**metadata.token_names, **given}
        text, roles = traced(own, messages, {"add_generation_prompt": False, **others}, tokens)
        from .encoding import encoded, marks_generation  # needs what traced has looked for

        specials = frozenset(self._specials().values()) if len(self.spec.added) else frozenset[int]()
        around = ids_around(self.spec, add_special)
        found = encoded(self._kernel, text, roles, specials, around, marks_generation(own))
        if add_special is not False:
            before, after = map(len, around)
            if not (before or after):
                warn_of_nothing(self, add_special, 3)
            warn_of_two(self, around, found[before : len(found) - after])
        return found
