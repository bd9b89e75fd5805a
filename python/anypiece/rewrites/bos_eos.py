"""What stands around a text: bos and eos with two flags, or a template. Either as the other, where it can be said so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["as_flags", "as_template"]

_BOTH = (("A", 0), ("B", 1))


def as_template(spec: Spec) -> Spec:
    """``spec`` with a template for what bos, eos and the flags say. Where a mark is missing, none stands around a text."""
    single, pair = spec.single, spec.pair
    if single is None:
        bos, eos = spec.bos_id if spec.add_bos else None, spec.eos_id if spec.add_eos else None
        is_missing = (spec.add_bos and bos is None) or (spec.add_eos and eos is None)
        before, after = ([] if id is None or is_missing else [(id, 0)] for id in (bos, eos))
        single = (*before, ("A", 0), *after)
    return spec.replace(single=single, pair=_BOTH if pair is None else pair, add_bos=True, add_eos=True)


def as_flags(spec: Spec, *, flags: bool) -> Spec:
    """``spec`` with bos and eos for its template, as far as they say the same; else the template stays.

    Without ``flags`` a format cannot say that only one of the two is put around a text, nor that none is.
    """
    changes: dict[str, Any] = {} if spec.pair not in (None, _BOTH) else {"pair": None}
    if spec.single is not None:
        changes |= _marks(spec, flags)
    return spec.replace(**changes)


def _marks(spec: Spec, flags: bool) -> dict[str, Any]:
    slots = list(spec.single or ())
    place = slots.index(("A", 0)) if ("A", 0) in slots else -1
    before, after = slots[:place], slots[place + 1 :]
    is_plain = place >= 0 and all(type_id == 0 for _, type_id in slots) and max(len(before), len(after)) <= 1
    if not is_plain:
        return {}
    bos, eos = before[0][0] if before else spec.bos_id, after[0][0] if after else spec.eos_id
    if spec.bos_id not in (None, bos) or spec.eos_id not in (None, eos):
        return {}
    named = {"bos_id": bos, "eos_id": eos}
    if flags:
        return {**named, "single": None, "add_bos": bool(before), "add_eos": bool(after)}
    is_same = len(slots) == 3 or (len(slots) == 1 and None in (bos, eos))
    return {**named, "single": None} if is_same else named
