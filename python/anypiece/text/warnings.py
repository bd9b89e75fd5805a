"""Notices and warnings: what is allowed and seldom meant. A text that ends in a space before generation, a second bos or
eos, nothing that is added where something was asked for.

``notices`` says them in words, for ``explain`` and the command line. ``encode``, ``encode_array``, ``encode_trusted`` and
``encode_chat`` warn of a second bos or eos with ``SpecialsWarning``. Every call whose ``add_special`` is off by default
warns, once for each tokenizer, where ``True`` adds nothing to a file that names neither a bos nor an eos. A file that names
one and adds nothing does so on purpose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.warn import warn_caller
from .specials import TEXT, ids_around, roles_that_help

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ..tokenizer import Tokenizer
    from .specials import AddSpecial, Specials

__all__ = ["SpecialsWarning", "notices", "warn_of_nothing", "warn_of_two"]

_TAIL = 200
"""How many characters at the end of a text are looked at."""


class SpecialsWarning(UserWarning):
    """A call adds a special token that the text already has, or is asked to add some and the file names none."""


def notices(
    tokenizer: Tokenizer, text: str | bytes, *, add_special: AddSpecial = False, specials: Specials = TEXT
) -> list[str]:
    """Warnings for a second look when ``text`` is encoded so.

    >>> import anypiece
    >>> notices(anypiece.load(), "Once upon a time ")
    ['The text ends in a space, which is a token of its own; words begin with theirs. Leave it out before generation.']
    """
    said = []
    tail = text[-_TAIL:] if isinstance(text, str) else text[-_TAIL:].decode("utf-8", "ignore")
    if tail.endswith(" ") and tail.strip() and tokenizer.encode(tail) != tokenizer.encode(tail.rstrip(" ")):
        said.append(
            "The text ends in a space, which is a token of its own; words begin with theirs. "
            "Leave it out before generation."
        )
    if add_special is False:
        return said
    before, after = ids_around(tokenizer.spec, add_special)
    if add_special is True and not (before or after):
        said.append(_nothing(tokenizer))
    if specials is not TEXT and (before or after):
        found = _twice(before, after, tokenizer.encode(text, specials=specials))
        said += [_second(tokenizer, id, role) for id, role in found]
    return said


def warn_of_two(
    tokenizer: Tokenizer, around: tuple[Sequence[int], Sequence[int]], ids: Sequence[int] | NDArray[np.uint32]
) -> None:
    """Warn where ``around`` is put around ``ids`` that have it already."""
    for id, role in _twice(*around, ids):
        warn_caller(_second(tokenizer, id, role), SpecialsWarning)


def warn_of_nothing(tokenizer: Tokenizer, add_special: AddSpecial) -> None:
    """Warn, the first time, that ``True`` adds nothing, where a file names no roles and so nobody can have meant that."""
    spec = tokenizer.spec
    if add_special is True and spec.bos_id is None and spec.eos_id is None and "warned" not in tokenizer._lazy:
        tokenizer._lazy["warned"] = True
        warn_caller(_nothing(tokenizer), SpecialsWarning)


def _twice(
    before: Sequence[int], after: Sequence[int], ids: Sequence[int] | NDArray[np.uint32]
) -> list[tuple[int, str]]:
    found = [(int(before[-1]), "begins")] if before and len(ids) and ids[0] == before[-1] else []
    return found + ([(int(after[0]), "ends")] if after and len(ids) and ids[-1] == after[0] else [])


def _second(tokenizer: Tokenizer, id: int, role: str) -> str:
    piece = tokenizer.id_to_piece(id)
    return f"The text {role} with {piece!r} already, so add_special makes it two. Leave one of them out."


def _nothing(tokenizer: Tokenizer) -> str:
    named = tokenizer.bos_id is not None and tokenizer.eos_id is not None
    then = "" if named else ' Then pass add_special="bos" or add_special="eos".'
    help = roles_that_help(tokenizer.spec)
    return f"add_special=True adds nothing: the file puts nothing around a text.{help}{then}"
