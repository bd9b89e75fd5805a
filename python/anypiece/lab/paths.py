"""What routes answer about all segmentations of a text: the lattice, the best paths, draws against exact probabilities."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..steps.tables import spelled
from .asked import specials_of, within
from .refusals import Refused

if TYPE_CHECKING:
    from ..lattice import Lattice
    from ..tokenizer import Tokenizer
    from .asked import Lab

__all__ = ["lattice", "nbest", "sample"]

_SHOWN = 200
"""How many different segmentations of all draws are listed."""
_EXACT = ("lattice",)


def lattice(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """Edges as columns with their marginals, the paths that matter, and the sums over all."""
    text, alpha = asked["text"], asked["alpha"]
    within(text, lab.limits.lattice_text)
    found = lab.model(asked).tokenizer.lattice(text, specials=specials_of(asked))
    starts, ends = found.places[found.starts.astype(np.int64)], found.places[found.ends.astype(np.int64)]
    first, last = asked["start"], asked.get("end", len(found.shown))
    chosen = np.flatnonzero((starts >= first) & (ends <= last))
    left_out = max(0, len(chosen) - lab.limits.lattice_edges)
    chosen = chosen[: lab.limits.lattice_edges]
    number = {int(edge): place for place, edge in enumerate(chosen.tolist())}
    best = found.viterbi().edges
    second = found.runner_up().edges if found.is_scored else best
    return {
        "model": lab.model(asked).name,
        "normalized": found.shown,
        "is_scored": found.is_scored,
        "start": first,
        "end": min(last, len(found.shown)),
        "edges": {
            "ids": found.ids[chosen],
            "pieces": [spelled(found._piece(*row)) for row in _rows(found, chosen)],
            "starts": starts[chosen],
            "ends": ends[chosen],
            "scores": found.scores[chosen],
            "marginals": found.marginals(alpha)[chosen],
        },
        "left_out": left_out,
        "best": [number[edge] for edge in best if edge in number],
        "runner_up": [number[edge] for edge in second if edge in number] if second != best else [],
        "bounds": found.places[found.bounds.astype(np.int64)],
        **_sums(found, alpha),
    }


def _rows(found: Lattice, chosen: Any) -> Any:
    return zip(found.ids[chosen].tolist(), found.starts[chosen].tolist(), found.ends[chosen].tolist(), strict=True)


def _sums(found: Lattice, alpha: float) -> dict[str, Any]:
    """The numbers of the distribution at ``alpha``."""
    return {
        "alpha": alpha,
        "log_paths": _number(found.log_partition(0)),
        "log_partition": _number(found.log_partition(alpha)),
        "entropy": _number(found.entropy(alpha)),
        "expected_tokens": _number(found.expected_tokens(alpha)),
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def nbest(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """The best paths with their probabilities at ``alpha``."""
    text, n, alpha = asked["text"], asked["n"], asked["alpha"]
    within(text, lab.limits.lattice_text)
    _refuse_work(lab, n * max(1, len(text)))
    model = lab.model(asked)
    found = model.tokenizer.lattice(text, specials=specials_of(asked))
    total = found.log_partition(alpha)
    paths = [
        {
            "ids": path.ids,
            "pieces": _pieces(model.tokenizer, path.ids),
            "score": path.score,
            "probability": math.exp(min(0.0, alpha * path.score - total)),
        }
        for path in found.nbest(n)
    ]
    return {"model": model.name, "paths": paths, **_sums(found, alpha)}


def sample(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """Draws, counted by segmentation, with exact probabilities where the method has them."""
    text, n, alpha, method = asked["text"], asked["n"], asked["alpha"], asked["method"]
    within(text, lab.limits.lattice_text)
    _refuse_work(lab, n * max(1, len(text)))
    model = lab.model(asked)
    tokenizer, specials = model.tokenizer, specials_of(asked)
    options: dict[str, Any] = {"seed": asked["seed"], "epoch": asked["epoch"], "index": asked["index"]}
    batch = tokenizer.sample_batch([text] * n, alpha, method=method, specials=specials, threads=1, **options)
    counts = Counter(row.tobytes() for row in batch)
    exact: dict[bytes, float] = {}
    sums: dict[str, Any] = {}
    if method in _EXACT:
        found = tokenizer.lattice(text, specials=specials)
        for number in range(n):
            path = found.sample(alpha, seed=asked["seed"], epoch=asked["epoch"], index=asked["index"] + number)
            exact[np.array(path.ids, np.uint32).tobytes()] = math.exp(path.log_probability or 0.0)
        sums = _sums(found, alpha)
    rows = [_draw(tokenizer, raw, count, exact.get(raw)) for raw, count in counts.most_common(_SHOWN)]
    entropy = -sum(count / n * math.log(count / n) for count in counts.values())
    return {
        "model": model.name,
        "n": n,
        "method": method,
        "seed": asked["seed"],
        "different": len(counts),
        "draws": rows,
        "drawn_entropy": entropy + 0.0,
        "drawn_tokens": len(batch.ids) / n,
        **sums,
    }


def _draw(tokenizer: Tokenizer, raw: bytes, count: int, probability: float | None) -> dict[str, Any]:
    ids = np.frombuffer(raw, np.uint32).tolist()
    return {"ids": ids, "pieces": _pieces(tokenizer, ids), "count": count, "probability": probability}


def _pieces(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    return [spelled(tokenizer.id_to_bytes(id)) for id in ids]


def _refuse_work(lab: Lab, work: int) -> None:
    if work > lab.limits.work:
        message = f"n times the characters of text is {work:,}; at most {lab.limits.work:,} is allowed."
        raise Refused(413, message, param="n")
