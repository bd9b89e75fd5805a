"""What happened to the input of a task, and the policies for input that cannot be used."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import FormatError
from .long_documents import Scratch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .inputs import File
    from .options import Options

__all__ = ["HALF_PAIR", "Tally", "shown_place", "spelled"]

HALF_PAIR = "half of a surrogate pair"
_MAX_REJECTS = 20
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass
class Tally:
    """What happened to the input of a task."""

    options: Options
    threads: int = 1
    """How many threads read the lines of a block."""
    scratch: Scratch = field(default_factory=Scratch)
    """Makes files for what is too long to be held; ``blocks`` closes them."""
    is_peek: bool = False
    """Whether only a look is taken at the first documents: a long one is skipped, with what is behind it."""
    left_out: dict[str, int] = field(default_factory=dict)
    """How many documents were left out, by reason."""
    repaired: int = 0
    """How many documents were not UTF-8 and have U+FFFD in its place."""
    with_specials: int = 0
    """How many documents contained the spelling of a special token."""
    rejects: list[dict[str, Any]] = field(default_factory=list)
    """The first that were left out because they could not be used."""
    cut: int = 0
    """How many documents were cut because of their size."""
    carried: dict[int, tuple[str | None, ...]] = field(default_factory=dict)
    """The other columns of the documents of a block, by their places; whoever takes a block clears it."""

    def leave_out(self, file: File, place: int, reason: str, detail: str, policy: str) -> None:
        """Count something that cannot be used; or stop, if that is the policy."""
        if policy == "error":
            option = {"bad_utf8": "on_bad_utf8", "bad_file": "on_bad_file"}.get(reason, "on_bad_line")
            message = f'{shown_place(file, place)}: {detail}. Mend it, or leave such out with {option}="skip".'
            raise FormatError("shards-document", message, path=file.path, place=place, reason=reason)
        self.left_out[reason] = self.left_out.get(reason, 0) + 1
        if len(self.rejects) < _MAX_REJECTS:
            self.rejects.append({"file": file.path, "at": place, "reason": detail})

    def carry(self, place: int, values: Iterable[Any]) -> None:
        """Keep the values of other columns of a document."""
        self.carried[place] = tuple(map(spelled, values))

    def text(self, file: File, place: int, raw: bytes) -> str | None:
        """Bytes as a text, by the policy for what is not UTF-8."""
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            return raw.decode("utf-8", "replace") if self.repairs(file, place, f"no UTF-8 ({error.reason})") else None

    def repairs(self, file: File, place: int, detail: str) -> bool:
        """Whether a document that is not UTF-8 is repaired, which is counted; if not, it is left out."""
        if self.options.on_bad_utf8 == "replace":
            self.repaired += 1
            return True
        self.leave_out(file, place, "bad_utf8", detail, self.options.on_bad_utf8)
        return False

    def without_surrogates(self, file: File, place: int, text: str) -> str | None:
        """A text in which lone surrogates are treated as what is not UTF-8."""
        if _SURROGATES.search(text) is None:
            return text
        return _SURROGATES.sub("\ufffd", text) if self.repairs(file, place, HALF_PAIR) else None


def spelled(value: Any) -> str | None:
    """A value of any kind as a text: what is none is spelled as JSON.

    >>> spelled("a"), spelled(7), spelled([1, None]), spelled(None)
    ('a', '7', '[1, null]', None)
    """
    if value is None:
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _SURROGATES.sub("\ufffd", text)


def shown_place(file: File, place: int) -> str:
    """Where something is, for people."""
    return f"{file.path} {'byte' if file.kind in ('text', 'jsonl') else 'row'} {place}"
