"""The numbers that bound a chat template, and refusals that more than one part of the sandbox needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2.exceptions import SecurityError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "CALL",
    "GROWS_BY",
    "IN_A_LIST",
    "MOST_BITS",
    "MOST_STRIPPED",
    "refuse_large",
    "refuse_long",
    "refuse_long_sets",
    "replaced_size",
]

CALL = 32
"""What a call costs, or a literal: what it makes is kept perhaps."""
IN_A_LIST = 16
"""What an item of a list costs besides its text."""
GROWS_BY = 6
"""How many characters one may become: those that HTML writes as a name."""
MOST_BITS = 60
"""Numbers beyond this many bits could all have one hash."""
MOST_STRIPPED = 100
"""How many characters may be named that are taken off the ends of a text: each is looked for at each place."""
_MOST_NUMBER = 100_000


def refuse_long_sets(values: Iterable[Any]) -> None:
    """Raise for characters to take off a text's ends that are too many."""
    if any(isinstance(value, str) and len(value) > MOST_STRIPPED for value in values):
        raise SecurityError(f"more than {MOST_STRIPPED} characters are to be taken off the ends of a text")


def refuse_long(*values: Any) -> Any:
    """The first of the values, if no number is so long that many would have one hash."""
    for value in values:
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            raise SecurityError(f"a number has more than {MOST_BITS} bits")
    return values[0]


def refuse_large(*values: object) -> None:
    """Raise for a number that an operation could make much of."""
    for value in values:
        if isinstance(value, int) and abs(value) > _MOST_NUMBER:
            raise SecurityError(f"a number beyond {_MOST_NUMBER} is given to an operation")


def replaced_size(text: str, old: str = "", new: str = "", count: int = -1) -> int:
    """How long a text is in which something was replaced."""
    places = text.count(old)
    return len(text) + len(new) * (places if count < 0 else min(places, count))
