"""What routes have in common: the state of a server, ids with what stands around them, and places as clients count them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..text.specials import ids_around
from .limits import Limits
from .metrics import Metrics
from .refusals import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..results import SpanRow
    from ..text.specials import AddSpecial, Specials
    from ..tokenizer import Tokenizer
    from .models import Model, Models

__all__ = ["Lab", "encoded", "spans_of", "specials_of", "within"]


@dataclass
class Lab:
    """A server's tokenizers, bounds and figures: what the routes work with."""

    models: Models
    limits: Limits = field(default_factory=Limits)
    metrics: Metrics = field(default_factory=Metrics)

    def model(self, asked: dict[str, Any]) -> Model:
        """The model that a request names, or the first."""
        return self.models.get(asked.get("model"))


def specials_of(asked: dict[str, Any]) -> Specials:
    """What a request permits special tokens to be."""
    found = asked["specials"]
    return frozenset(found) if isinstance(found, list) else found


def encoded(tokenizer: Tokenizer, text: str, add_special: AddSpecial, specials: Specials) -> NDArray[np.uint32]:
    """The ids of a text as ``encode`` gives them, without its warnings: nobody would see them."""
    before, after = ids_around(tokenizer.spec, add_special)
    ids = tokenizer.encode_array(text, specials=specials)
    if not (before or after):
        return ids
    return np.concatenate([np.array(before, np.uint32), ids, np.array(after, np.uint32)])


def spans_of(tokenizer: Tokenizer, text: str, unit: str, specials: Specials) -> SpanRow:
    """Ids and places of a text. ``utf16`` counts as JavaScript and Java do, where a character may be two."""
    kind: Literal["byte", "char"] = "byte" if unit == "byte" else "char"
    row = tokenizer.encode_spans_batch([text], kind, specials=specials, threads=1)[0]
    if unit != "utf16" or text.isascii():
        return row
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    places = np.zeros(len(points) + 1, np.int64)
    np.cumsum(1 + (points > 0xFFFF), out=places[1:])
    return row._replace(starts=places[row.starts], ends=places[row.ends])


def within(text: str | Sequence[str], most: int, param: str = "text") -> None:
    """Refuse a text that is too long for what is asked."""
    if len(text) > most:
        message = f"{param} has {len(text):,} characters; at most {most:,} are allowed here."
        raise Refused(413, message, param=param)
