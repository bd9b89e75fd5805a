"""Specials are a permission: what text is that contains the spelling of a control piece.

By default it is text like any other. ``specials="parse"`` takes each spelling for its piece, where the vocabulary has
special tokens that text can hold (``Spec.added``; in a SentencePiece vocabulary control pieces never match text),
``"error"`` refuses such text, and a set of names permits those and refuses all others. Refused is a text with the spelling
of such a piece, and one that would become it (after a normalizer, ``<S>`` may be ``<s>``; merges may build it): the kernel
says where. This module owns that decision and the bos and eos of ``add_special``; it knows nothing of segmentation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, SupportsIndex

import numpy as np

from .. import _native
from .._core.calls import Bound, Permit, call_batch
from .._core.checks import checked_text, listed, without_surrogates
from .._core.columns import text_at
from .._core.vocabulary import special_tokens
from ..errors import InputError, InputTypeError
from ..spec import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core.columns import Texts
    from ..spec import Spec
    from ..tokenizer import Tokenizer

__all__ = [
    "TEXT",
    "AddSpecial",
    "Permit",
    "Specials",
    "allowed_names",
    "batch_permit",
    "checked_specials",
    "ids_around",
    "joined",
    "permit",
    "permitted",
    "raise_special",
    "roles_that_help",
    "special_ids",
    "template_ids",
    "until",
]

Specials = Literal["text", "parse", "error"] | Collection[str]
AddSpecial = Literal["bos", "eos"] | bool
Slots = Sequence[tuple[int | str, int]]
"""Ids and names of texts, ``"A"`` and ``"B"``, each with a type id."""

TEXT: Final = "text"
"""The usual ``specials``. Calls compare by identity with it, which is quick and safe for whatever was given (an array has no
one answer to ``==``); what is equal but not the same goes the long way."""

_USUAL = {
    "bos": ("<s>", "<bos>", "<|begin_of_text|>", "<|startoftext|>", "[CLS]", "<|endoftext|>"),
    "eos": ("</s>", "<eos>", "<|end_of_text|>", "<|im_end|>", "<|endoftext|>", "[SEP]"),
}
"""What tokens of a role are called in most files."""

_MODES = (TEXT, "parse", "error")


def checked_specials(specials: object) -> Specials:
    """``specials`` as a mode, or as a set of names that can be gone over many times.

    >>> checked_specials("parse"), sorted(checked_specials(name for name in ("<s>", "</s>")))
    ('parse', ['</s>', '<s>'])
    """
    if isinstance(specials, (str, frozenset)):
        return specials
    try:
        names: list[Any] = [None] if isinstance(specials, bytes) else list(specials)  # type: ignore[call-overload]
    except TypeError:
        names = [None]
    if not all(isinstance(name, str) for name in names):
        kind = type(specials).__name__
        message = f'specials must be "text", "parse", "error" or a set of names, not {kind} ({specials!r:.80}).'
        raise InputTypeError("input-type", message, type=kind)
    return frozenset(names)


def allowed_names(specials: Specials, names: Mapping[str, int]) -> frozenset[str]:
    """The names that ``specials`` does not forbid, where it forbids any; one that is no name is refused.

    >>> sorted(allowed_names({"<s>"}, {"<s>": 1, "</s>": 2})), sorted(allowed_names("error", {"<s>": 1}))
    (['<s>'], [])
    """
    if isinstance(specials, str):
        if specials not in _MODES:
            raise InputError(
                "argument-value",
                f'specials must be "text", "parse", "error" or a set of names, not {specials!r}.',
                argument="specials",
                value=specials,
            )
        return frozenset()
    allowed = frozenset(specials)
    missing = sorted((name for name in allowed if name not in names), key=repr)
    if missing:
        raise InputError(
            "special-missing",
            f"{missing[0]!r} is not a control piece of this vocabulary; specials may name only those: {_few(names)}.",
            special=missing[0],
        )
    return allowed


def raise_special(text: str | bytes, name: str, start: int, stand_in: bytes) -> NoReturn:
    """Raise ``special-in-text`` for what the kernel found at byte ``start`` of ``text``, as it was given it."""
    raw = text if isinstance(text, bytes) else without_surrogates(text, stand_in)
    read = "" if raw.startswith(name.encode(), start) else " once it is encoded"
    place = start if isinstance(text, bytes) else len(raw[:start].decode("utf-8", "replace"))
    raise InputError(
        "special-in-text",
        f"The text contains {name!r} at {place}{read}, which is the spelling of a control piece. "
        f'Pass specials="text" to take it as ordinary text, or specials={{{name!r}}} to permit this one.',
        special=name,
        start=place,
    )


def permitted(specials: Specials, names: Mapping[str, int]) -> Permit:
    """What the kernel is told of ``specials``: nothing, that all special tokens may be found, or the ids of some.

    >>> permitted("parse", {"<s>": 1}), permitted({"<s>"}, {"<s>": 1}), permitted("error", {"<s>": 1})
    (True, [1], None)
    """
    if specials == "parse":
        return True
    return None if isinstance(specials, str) else sorted({names[name] for name in specials})


def permit(tokenizer: Tokenizer, text: str | bytes, specials: Specials) -> Permit:
    """What ``specials`` permits to be found in ``text``; refuses the text if it holds what is forbidden."""
    if not isinstance(text, (str, bytes)):
        checked_text(text)
    return None if specials is TEXT else batch_permit(tokenizer, [text], specials)


def batch_permit(tokenizer: Tokenizer, texts: Texts, specials: Specials) -> Permit:
    """What ``specials`` permits to be found in any of ``texts``; refuses them if one holds what is forbidden."""
    specials = checked_specials(specials)
    if specials == "text":
        return None
    if specials == "parse":
        return True if len(tokenizer.spec.added) else None
    numbers, permitted_ids = _allowed(tokenizer, specials)
    found = call_batch(Bound(_native.forbidden, tokenizer._kernel), texts, numbers)
    if found is not None:
        number, name, start = found
        raise_special(text_at(texts, number), name, start, tokenizer._kernel.lone_surrogate)
    return permitted_ids


def _allowed(tokenizer: Tokenizer, specials: Specials) -> tuple[Sequence[int] | NDArray[np.uint32], Permit]:
    """What ``"error"`` or a set of names allows, for the kernel: numbers of spellings, and ids that may be found.

    Kept for the last set, which may be large.
    """
    if specials == "error":
        return (), None
    held, *found = tokenizer._lazy.get("allowed", (None, (), None))
    if held is None or (held is not specials and held != specials):
        names = special_tokens(tokenizer)
        held = allowed_names(specials, names)
        ids = permitted(held, names) if len(tokenizer.spec.added) else None
        found = [_native.spelled(tokenizer._kernel, list(held)), ids]
        tokenizer._lazy["allowed"] = (held, *found)
    return found[0], found[1]


def joined(parts: Iterable[tuple[str | bytes, bool]], stand_in: bytes) -> tuple[bytes, Permit]:
    """Texts that are trusted or not as one text in UTF-8, and the ranges of it that are trusted.

    >>> joined([("<s>", True), ("a<s>", False), ("</s>", True)], b"?")
    (b'<s>a<s></s>', ((0, 3), (7, 11)))
    """
    text, ranges = bytearray(), list[tuple[int, int]]()
    for part, trusted in map(_part, listed(parts, "parts")):
        raw = checked_text(part, stand_in=stand_in)
        raw = raw.encode() if isinstance(raw, str) else raw
        if trusted and raw:
            touches = bool(ranges) and ranges[-1][1] == len(text)
            start = ranges.pop()[0] if touches else len(text)
            ranges.append((start, len(text) + len(raw)))
        text += raw
    return bytes(text), tuple(ranges)


def _part(given: object) -> tuple[str | bytes, bool]:
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not isinstance(given[1], (bool, np.bool_)):
        kind = type(given).__name__
        message = f"A part is a text and whether it is trusted, such as ('Hello', False), not {given!r:.80}."
        raise InputTypeError("input-type", message, type=kind)
    return given[0], bool(given[1])


def _few(names: Iterable[str]) -> str:
    found = sorted(names)
    return (", ".join(found[:8]) + (", …" if len(found) > 8 else "")) or "there are none"


def special_ids(
    add_special: AddSpecial, bos_id: int | None, eos_id: int | None, spec: Spec | None = None
) -> tuple[list[int], list[int]]:
    """The ids that ``add_special`` puts before and after a text.

    >>> special_ids("bos", 1, 2), special_ids(True, 1, 2), special_ids(False, None, None)
    (([1], []), ([1], [2]), ([], []))
    """
    if add_special is False:
        return [], []
    if add_special is not True and (not isinstance(add_special, str) or add_special not in ("bos", "eos")):
        raise InputError(
            "argument-value",
            f'add_special must be True, False, "bos" or "eos", not {add_special!r}.',
            argument="add_special",
            value=repr(add_special),
        )
    wants = ("bos", "eos") if add_special is True else (add_special,)
    for name, found in (("bos", bos_id), ("eos", eos_id)):
        if name in wants and found is None:
            _raise_missing(name, bos_id, eos_id, spec)
    before = [bos_id] if "bos" in wants and bos_id is not None else []
    after = [eos_id] if "eos" in wants and eos_id is not None else []
    return before, after


def until(ids: Iterable[SupportsIndex], eos_id: int | None) -> Iterable[SupportsIndex]:
    """The ids before the first that is the eos. What are no ids is given back as it is.

    >>> until([5, 6, 2, 7], 2)
    [5, 6]
    """
    if eos_id is None:
        message = (
            "This vocabulary has no eos piece. Leave stop_at_eos out, or name one: "
            'load(path, roles={"eos": ...}) or tok.replace(eos_id=...).'
        )
        raise InputError("special-missing", message, special="eos")
    if isinstance(ids, np.ndarray):
        places = np.flatnonzero(ids == eos_id)
        return ids[: places[0]] if ids.ndim == 1 and len(places) else ids
    try:
        before = takewhile(lambda id: getattr(id, "ndim", 0) != 0 or id != eos_id, ids)
    except TypeError:
        return ids
    return ids if isinstance(ids, (str, bytes)) else list(before)


def ids_around(spec: Spec, add_special: AddSpecial) -> tuple[list[int], list[int]]:
    """The ids that stand before and after a text: those of its template, or bos and eos, as asked for.

    >>> import anypiece
    >>> ids_around(anypiece.load().spec, False)
    ([], [])
    """
    if add_special is False:
        return [], []
    if add_special is True and spec.single is not None:
        ids = [slot for slot, _ in spec.single]
        place = ids.index("A")
        return [id for id in ids[:place] if isinstance(id, int)], [id for id in ids[place:] if isinstance(id, int)]
    if add_special is True and not (spec.add_bos and spec.add_eos):
        before = special_ids("bos", spec.bos_id, None, spec)[0] if spec.add_bos else []
        return before, special_ids("eos", None, spec.eos_id, spec)[1] if spec.add_eos else []
    return special_ids(add_special, spec.bos_id, spec.eos_id, spec)


def roles_that_help(spec: Spec, wanted: Sequence[str] = ("bos", "eos")) -> str:
    """How a caller names roles that a file does not, by pieces that are called so in most files, or asks for those it has.

    >>> import anypiece
    >>> roles_that_help(anypiece.load().spec.replace(eos_id=None), ["eos"])
    ' Name it: load(path, roles={"eos": "</s>"}) or tok.replace(eos_id=...).'
    """
    missing = [role for role in wanted if getattr(spec, f"{role}_id") is None]
    if not missing:
        return ' Pass add_special="bos" or add_special="eos", which it has.'
    controls = np.flatnonzero(spec.pieces.kinds == Kind.CONTROL)
    names = {text for text, _, _ in spec.added} | {spec.pieces.piece(int(index)) for index in controls}
    known = [(role, next((f'"{name}"' for name in _USUAL[role] if name in names), "...")) for role in missing]
    roles = ", ".join(f'"{role}": {name}' for role, name in known)
    ids = ", ".join(f"{role}_id=..." for role in missing)
    return f" Name {'it' if len(missing) == 1 else 'them'}: load(path, roles={{{roles}}}) or tok.replace({ids})."


def template_ids(slots: Slots, texts: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """The ids of a template with the ids of its texts put in, and the type id of each.

    >>> template_ids(((1, 0), ("A", 0), ("B", 1)), [[5, 6], [7]])
    ([1, 5, 6, 7], [0, 0, 0, 1])
    """
    ids: list[int] = []
    types: list[int] = []
    for slot, type_id in slots:
        part = [slot] if isinstance(slot, int) else texts["AB".index(slot)]
        ids += part
        types += [type_id] * len(part)
    return ids, types


def _raise_missing(name: str, bos_id: int | None, eos_id: int | None, spec: Spec | None) -> None:
    other = "eos" if name == "bos" else "bos"
    has_other = (eos_id if name == "bos" else bos_id) is not None
    remedy = f'Pass add_special="{other}", which it has.' if has_other else "Leave add_special out."
    way = "" if spec is None else roles_that_help(spec, [name])
    raise InputError("special-missing", f"This vocabulary has no {name} piece. {remedy}{way}", special=name)
