"""What routes answer to look into a tokenizer: the stages of a text with every step, and several tokenizers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..spec import Kind
from .asked import spans_of, specials_of, within
from .refusals import Refused
from .wire import Spelled

if TYPE_CHECKING:
    from .asked import Lab
    from .models import Model

__all__ = ["compare", "explain"]


def explain(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """All stages of a text, and every step of them."""
    within(asked["text"], lab.limits.explained_text)
    model = lab.model(asked)
    found = model.tokenizer.explain(asked["text"], specials=specials_of(asked), add_special=asked["add_special"])
    return {"model": model.name, **found.to_json(), "steps": found.steps.to_json() if asked["steps"] else None}


def compare(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """Tokens of a text by each of some tokenizers, and the places that are boundaries for all of them."""
    names = asked["models"]
    if len(set(names)) != len(names):
        raise Refused(400, "models names one twice.", param="models")
    text = asked["text"]
    models = [lab.models.get(name) for name in names]
    rows = [spans_of(model.tokenizer, text, asked["unit"], specials_of(asked)) for model in models]
    places = [np.union1d(row.starts, row.ends) for row in rows]
    common = places[0]
    for other in places[1:]:
        common = np.intersect1d(common, other)
    found = [_column(model, text, row, place, common) for model, row, place in zip(models, rows, places, strict=True)]
    return {"characters": len(text), "bytes": _bytes_of(text), "common": common, "models": found}


def _bytes_of(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _column(model: Model, text: str, row: Any, places: Any, common: Any) -> dict[str, Any]:
    tokenizer, ids = model.tokenizer, row.ids
    used, times = np.unique(ids, return_counts=True)
    kinds = {int(id): tokenizer.kind(int(id)) for id in used}
    share = {kind: sum(int(n) for id, n in zip(used, times, strict=True) if kinds[int(id)] == kind) for kind in Kind}
    count = len(ids)
    return {
        "model": model.name,
        "count": count,
        "ids": ids,
        "starts": row.starts,
        "ends": row.ends,
        "own_boundaries": len(places) - len(common),
        "bytes_per_token": _bytes_of(text) / count if count else None,
        "characters_per_token": len(text) / count if count else None,
        "unknown": share[Kind.UNKNOWN],
        "byte_pieces": share[Kind.BYTE],
        "different_pieces": len(used),
        "round_trip": tokenizer.decode(ids) == text,
        "vocabulary": Spelled(model.spelled_rows(used.tolist())),
    }
