"""Compare: several tokenizers on several texts, side by side.

For each pair: bytes per token, tokens per word, the share of unknown tokens and of tokens that are not whole characters, and
speed. Of texts that say the same in several languages also how many tokens each takes compared with the first.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.checks import listed
from ..corpus.readers import Block, Corpus
from ..errors import InputError, extra_missing
from ..io.paths import write_bytes
from ..loading import tokenizer_of
from ..report import Html, bars, page, paragraph, section, table
from ..tokenizer import Tokenizer
from .measure import DRAWS, ORDER, SURE, Parts, Row, measured, partial_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Comparison", "Row", "compare"]

_LIMIT = 10_000_000
_INTERVALS = (
    f"Lines across the ends are intervals of {SURE:.0%}: {DRAWS:,} texts are drawn from the lines of this one, with "
    "replacement and the same for every tokenizer, and the outermost results left out."
)
_RENYI = (
    f"How evenly the pieces of a vocabulary are used: the Rényi entropy of order {ORDER} of the tokens, divided by the "
    "logarithm of the size of the vocabulary. 1 is all alike."
)
_MORE = (
    "<p>More is better: fewer tokens for the same text. Where more than a token in a hundred is unknown, text was lost; \
such figures are in brackets below, and have no bar.</p>"
)


@dataclass(frozen=True)
class Comparison:
    """All rows, by text and then by tokenizer, and the sizes of the vocabularies."""

    rows: tuple[Row, ...]
    sizes: dict[str, int]
    parallel: bool = False

    @property
    def tokenizers(self) -> list[str]:
        """Their names, in the order given."""
        return list(self.sizes)

    @property
    def texts(self) -> list[str]:
        """Their names, in the order given."""
        return list(dict.fromkeys(row.text for row in self.rows))

    def row(self, tokenizer: str, text: str) -> Row:
        """The row of a pair."""
        return next(row for row in self.rows if (row.tokenizer, row.text) == (tokenizer, text))

    def parity(self, tokenizer: str, text: str) -> float:
        """Tokens of a text, divided by those of the first text; 1 is fair where both say the same."""
        return self.row(tokenizer, text).tokens / max(1, self.row(tokenizer, self.texts[0]).tokens)

    def facts(self) -> list[dict[str, Any]]:
        """The rows, ready for JSON or CSV."""
        found = []
        for row in self.rows:
            more = {
                "vocab_size": self.sizes[row.tokenizer],
                "bytes_per_token": round(row.bytes_per_token, 4),
                "low": round(row.interval[0], 4) if row.interval else None,
                "high": round(row.interval[1], 4) if row.interval else None,
                "tokens_per_word": round(row.tokens_per_word, 4),
                "megabytes_per_second": round(row.megabytes_per_second, 1),
            }
            if self.parallel:
                more["parity"] = round(self.parity(row.tokenizer, row.text), 4)
            known = asdict(row)
            del known["interval"]
            found.append(known | {"renyi_efficiency": round(row.renyi_efficiency, 4)} | more)
        return found

    def html(self) -> str:
        """A page with charts and tables that loads no other file."""
        lead = f"{', '.join(self.tokenizers)} on {', '.join(self.texts)}"
        charts = {
            text: {name: row.bytes_per_token for name in self.tokenizers if not (row := self.row(name, text)).loses}
            for text in self.texts
        }
        spans = {
            text: {name: row.interval for name in charts[text] if (row := self.row(name, text)).interval}
            for text in self.texts
        }
        sure = paragraph(_INTERVALS, note=True) if any(spans.values()) else Html("")
        parts = [
            section("Bytes per token", _MORE, bars(charts, "bytes per token", intervals=spans), sure),
            section("Bytes per token, as a table", self._table(_with_interval, max)),
        ]
        if self.parallel:
            shown = {text: {name: self.parity(name, text) for name in self.tokenizers} for text in self.texts}
            title = f"Tokens compared with those of {self.texts[0]}"
            parts.append(
                section(title, "<p>Where the texts say the same, 1 is fair.</p>", bars(shown, "times as many"))
            )
        parts += [
            section("Tokens per word", self._table(lambda row: f"{row.tokens_per_word:.3f}", min)),
            section("Unknown tokens", self._table(lambda row: f"{100 * row.unknown / max(1, row.tokens):.3f} %")),
            section(
                "Tokens that are no whole characters",
                self._table(lambda row: f"{100 * row.partial / max(1, row.tokens):.2f} %"),
            ),
            section(
                "Rényi efficiency",
                paragraph(_RENYI, note=True),
                self._table(lambda row: f"{row.renyi_efficiency:.4f}"),
            ),
            section("Pieces in use", self._table(lambda row: f"{100 * row.used / max(1, row.vocab_size):.2f} %")),
            section(
                "Lines that decode to themselves",
                self._table(lambda row: f"{100 * row.returned / max(1, row.lines):.2f} %"),
            ),
            section("Speed on one thread", self._table(lambda row: f"{row.megabytes_per_second:.0f} MB/s")),
            section("Texts", table(["text", "bytes", "characters", "words", "lines"], self._texts(), "The texts")),
        ]
        return page("Tokenizers compared", lead, *parts)

    def _texts(self) -> list[list[str]]:
        rows = [self.row(self.tokenizers[0], text) for text in self.texts]
        return [[row.text, f"{row.bytes:,}", f"{row.characters:,}", f"{row.words:,}", f"{row.lines:,}"] for row in rows]

    def _table(self, shown: Any, best: Any = None) -> str:
        heads = ["text", *(f"{name} ({self.sizes[name]:,})" for name in self.tokenizers)]
        rows, marks = [], []
        for number, text in enumerate(self.texts):
            found = [self.row(name, text) for name in self.tokenizers]
            cells = [shown(row) for row in found]
            fair = [cell for cell, row in zip(cells, found, strict=True) if not row.loses]
            if best is not None and len(fair) > 1:
                top = best(fair, key=_number)
                marks += [(number, place) for place, cell in enumerate(cells, 1) if cell == top]
            if best is not None:
                cells = [f"({cell})" if row.loses else cell for cell, row in zip(cells, found, strict=True)]
            rows.append([text, *cells])
        return table(heads, rows, "By text and tokenizer, each with the size of its vocabulary", best=marks)

    def csv(self) -> str:
        """The rows as CSV."""
        out = io.StringIO()
        facts = self.facts()
        writer = csv.DictWriter(out, list(facts[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(facts)
        return out.getvalue()

    def png(self) -> bytes:
        """The chart of bytes per token as a picture. Needs matplotlib."""
        try:
            importlib.import_module("matplotlib").use("agg")
            pyplot: Any = importlib.import_module("matplotlib.pyplot")
        except ImportError:
            raise extra_missing("A PNG", "matplotlib", "plots") from None
        height = 1.2 + 0.22 * len(self.texts) * (len(self.tokenizers) + 1)
        figure, axes = pyplot.subplots(figsize=(9, height), layout="constrained")
        step = 0.8 / len(self.tokenizers)
        places = np.arange(len(self.texts))
        for number, name in enumerate(self.tokenizers):
            values = [self.row(name, text).bytes_per_token for text in self.texts]
            axes.barh(places + step * number, values, step * 0.9, label=f"{name} ({self.sizes[name]:,})")
        axes.set_yticks(places + 0.4 - step / 2, self.texts)
        axes.invert_yaxis()
        axes.set_xlabel("bytes per token")
        axes.legend()
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=120)
        pyplot.close(figure)
        return out.getvalue()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it; the suffix says as what: .html, .json, .csv or .png."""
        suffix = Path(path).suffix.lower()
        if suffix == ".png":
            data = self.png()
        elif suffix == ".json":
            data = (json.dumps(self.facts(), ensure_ascii=False, indent=1) + "\n").encode()
        elif suffix in (".html", ".csv"):
            data = (self.html() if suffix == ".html" else self.csv()).encode()
        else:
            raise InputError("argument-value", f"{path} should end in .html, .json, .csv or .png.", path=str(path))
        write_bytes(Path(path), data)


def _with_interval(row: Row) -> str:
    known = f" ({row.interval[0]:.3f}–{row.interval[1]:.3f})" if row.interval else ""
    return f"{row.bytes_per_token:.3f}{known}"


def _number(cell: str) -> float:
    return float(cell.partition(" ")[0])


def compare(
    tokenizers: Mapping[str, Any] | Sequence[Any],
    texts: Mapping[str, Any] | Sequence[Any],
    *,
    parallel: bool = False,
    limit: int = _LIMIT,
) -> Comparison:
    """Several tokenizers (or paths of their files) on several texts (``str``, ``bytes``, path objects, or a ``Corpus``).

    Names come from a mapping or from the files. At most ``limit`` bytes of each text are taken. ``parallel`` says that the
    texts say the same in several languages.

    >>> import anypiece as ap
    >>> found = compare({"default": ap.load()}, {"en": "A rose is a rose.", "de": "Eine Rose ist eine Rose."}, parallel=True)
    >>> [(row.text, row.tokens) for row in found.rows], found.parity("default", "en")
    ([('en', 6), ('de', 8)], 1.0)
    """
    loaded = {name: tokenizer_of(one) for name, one in _named(tokenizers, "tokenizer").items()}
    read = {name: _read(name, one, limit) for name, one in _named(texts, "text").items()}
    if not loaded or not read:
        raise InputError("argument-value", "There must be at least one tokenizer and one text.")
    masks = {name: partial_pieces(one) for name, one in loaded.items()}
    rows = []
    for title, text in read.items():
        parts = Parts(text)
        rows += [measured(name, one, masks[name], title, parts) for name, one in loaded.items()]
    return Comparison(tuple(rows), {name: one.vocab_size for name, one in loaded.items()}, parallel)


def _named(things: Mapping[str, Any] | Sequence[Any], what: str) -> dict[str, Any]:
    if isinstance(things, (str, bytes, os.PathLike, Tokenizer)):
        things = [things]
    if isinstance(things, Mapping):
        return dict(things)
    things = listed(things, f"{what}s")
    found: dict[str, Any] = {}
    for number, one in enumerate(things, 1):
        path = one if isinstance(one, os.PathLike) or (what == "tokenizer" and isinstance(one, str)) else None
        name = Path(path).name if path is not None else f"{what} {number}"
        if name in found and path is not None:
            name = str(path)
        found[name if name not in found else f"{name} {number}"] = one
    return found


def _read(name: str, one: Any, limit: int) -> str:
    if isinstance(one, os.PathLike):
        one = Corpus(one)
    if isinstance(one, Corpus):
        parts, size = [], 0
        for part in one.parts():
            texts = [part.data] if isinstance(part, Block) else [_bytes(text) + b"\n" for text in part.texts]
            parts += texts
            size += sum(map(len, texts))
            if size >= limit:
                break
        one = b"".join(parts)
    data = _bytes(one)[:limit]
    text = data.decode("utf-8", "ignore") if len(data) == limit else data.decode("utf-8", "replace")
    if not text:
        raise InputError("argument-value", f"The text {name!r} is empty. Give another, or leave it out.", text=name)
    return text


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "replace") if isinstance(text, str) else text
