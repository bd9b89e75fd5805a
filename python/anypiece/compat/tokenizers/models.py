"""Models: vocabularies and how a pre-token becomes tokens. The kernel runs them; ``tokenize`` is for one pre-token."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...formats.huggingface.model import Table
from . import segmenting
from .component import Changes, Field, dumped
from .model import Model, strings_table, table_strings
from .shown import Struct

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["BPE", "Model", "Unigram", "WordLevel", "WordPiece"]


def _warn_ignored(options: dict[str, Any]) -> None:
    for name in options:
        print(f"Ignored unknown kwarg option {name}")


def _single(value: Any) -> float | None:
    return None if value is None else float(np.float32(value))


def _words_of(merges: str) -> list[tuple[str, str]]:
    rows = []
    for number, line in enumerate(merges.split("\n")):
        if line.startswith("#version") or not line:
            continue
        parts = line.rstrip("\r").split(" ")
        if len(parts) != 2:
            raise Exception(f"Merges text file invalid at line {number + 1}")
        rows.append((parts[0], parts[1]))
    return rows


class BPE(Model):
    """Merges of pairs, those that stand first in the list going first.

    >>> BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).tokenize("ab")[0].as_tuple()
    (2, 'ab', (0, 2))
    """

    KIND = "BPE"
    ORDER = (
        "type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "byte_fallback",
        "ignore_merges", "vocab", "merges",
    )  # fmt: skip
    unk_token = Field("unk_token")
    continuing_subword_prefix = Field("continuing_subword_prefix")
    end_of_word_suffix = Field("end_of_word_suffix")
    fuse_unk = Field("fuse_unk")
    byte_fallback = Field("byte_fallback")
    ignore_merges = Field("ignore_merges")
    dropout = Field("dropout", write=_single)

    def __init__(self, vocab: Any = None, merges: Any = None, **options: Any) -> None:
        if isinstance(vocab, str) and isinstance(merges, str):
            warnings.warn("Use `BPE.from_file` to read files.", DeprecationWarning, stacklevel=2)
            vocab, merges = BPE.read_file(vocab, merges)
        if (vocab is None) != (merges is None):
            raise ValueError("`vocab` and `merges` must be both specified")
        self._fields = self._defaults()
        options.pop("cache_capacity", None)
        self._fields |= {name: options.pop(name) for name in list(options) if name in self._fields}
        for name in ("fuse_unk", "byte_fallback", "ignore_merges"):
            self._fields[name] = bool(self._fields[name])
        self._fields["dropout"] = _single(self._fields["dropout"])
        if self._fields["dropout"] is not None and not 0.0 <= self._fields["dropout"] <= 1.0:
            raise Exception("Error while initializing BPE: Dropout should be between 0 and 1, inclusive")
        _warn_ignored(options)
        self._hold(vocab or {})
        self._set_merges([(left, right) for left, right in merges or ()])

    def _set_merges(self, merges: list[tuple[str, str]]) -> None:
        vocab, prefix = self._vocab, self._fields["continuing_subword_prefix"] or ""
        for left, right in merges:
            for name in (left, right, left + right.removeprefix(prefix) if prefix else left + right):
                if name not in vocab:
                    raise Exception(f"Error while initializing BPE: Token `{name}` out of vocabulary")
        self._merge_rows = strings_table("pairs", [name for row in merges for name in row])

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        none = dict.fromkeys(("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"))
        return none | dict.fromkeys(("fuse_unk", "byte_fallback", "ignore_merges"), False)

    @classmethod
    def _of(cls, section: dict[str, Any], vocab: Table, merges: Table | None) -> Self:
        made = super()._of(section, vocab, merges)
        made._merge_rows = strings_table("pairs", []) if merges is None else merges
        for name in ("fuse_unk", "byte_fallback", "ignore_merges"):
            made._fields[name] = bool(made._fields[name])
        return made

    @property
    def _merges(self) -> list[tuple[str, str]]:
        names = table_strings(self._merge_rows)
        if self._merge_rows.shape == "strings":
            rows = [name.split(" ") for name in names if not name.startswith("#version")]
            return [(row[0], row[1]) for row in rows]
        return list(zip(names[::2], names[1::2], strict=True))

    def _merges_table(self) -> Table:
        return self._merge_rows

    def _json(self) -> dict[str, Any]:
        section = self._section() | {"vocab": self._vocab_json(), "merges": [list(row) for row in self._merges]}
        return {name: section[name] for name in self.ORDER}

    def _tree(self) -> Struct:
        rows = [(name, value) for name, value in self._json().items() if name not in ("type", "merges")]
        return Struct("BPE", [*rows, ("merges", self._merges)])

    def _segmenter(self) -> segmenting.Segmenter:
        return segmenting.bpe(self._vocab, self._by_id, self._merges, self._fields)

    def _is_random(self) -> bool:
        return bool(self._fields["dropout"])

    def _files(self) -> dict[str, str]:
        lines = ["#version: 0.2", *(f"{left} {right}" for left, right in self._merges)]
        return {**super()._files(), "merges.txt": "\n".join(lines) + "\n"}

    @staticmethod
    def read_file(vocab: str, merges: str) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """A vocab.json and a merges.txt as a vocabulary and a list of merges."""
        try:
            found = json.loads(Path(vocab).read_text(encoding="utf-8"))
            return found, _words_of(Path(merges).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Exception(f"Error while reading vocab & merges files: {error}") from None

    @classmethod
    def from_file(cls, vocab: str, merges: str, **options: Any) -> BPE:
        """The model of a vocab.json and a merges.txt."""
        return cls(*cls.read_file(vocab, merges), **options)

    def _clear_cache(self) -> None:
        """Caches are bounded here."""

    def _resize_cache(self, capacity: int) -> None:
        """Caches are bounded here."""


class WordPiece(Model):
    """The longest piece that fits, then the longest of what follows."""

    KIND = "WordPiece"
    ORDER = ("type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab")
    unk_token = Field("unk_token")
    continuing_subword_prefix = Field("continuing_subword_prefix")
    max_input_chars_per_word = Field("max_input_chars_per_word")

    def __init__(self, vocab: Any = None, **options: Any) -> None:
        if isinstance(vocab, str):
            warnings.warn("Use `WordPiece.from_file` to read a file.", DeprecationWarning, stacklevel=2)
            vocab = WordPiece.read_file(vocab)
        self._fields = self._defaults() | {
            name: options.pop(name) for name in list(options) if name in self._defaults()
        }
        _warn_ignored(options)
        self._hold(vocab or {})

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {"unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100}

    def _segmenter(self) -> segmenting.Segmenter:
        return segmenting.wordpiece(self._vocab, self._fields)

    def _files(self) -> dict[str, str]:
        return {"vocab.txt": "".join(f"{name}\n" for name in self._vocab_json())}

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """A vocab.txt as a vocabulary."""
        try:
            lines = Path(vocab).read_text(encoding="utf-8").split("\n")
        except (OSError, ValueError) as error:
            raise Exception(f"Error while reading WordPiece file: {error}") from None
        lines = lines[:-1] if lines and not lines[-1] else lines
        return {line.rstrip(): id for id, line in enumerate(lines)}

    @classmethod
    def from_file(cls, vocab: str, **options: Any) -> WordPiece:
        """The model of a vocab.txt."""
        return cls(cls.read_file(vocab), **options)


class WordLevel(Model):
    """Each pre-token is a token, or unknown."""

    KIND = "WordLevel"
    ORDER = ("type", "vocab", "unk_token")
    unk_token = Field("unk_token")

    def __init__(self, vocab: Any = None, unk_token: str | None = None) -> None:
        if isinstance(vocab, str):
            warnings.warn("Use `WordLevel.from_file` to read a file.", DeprecationWarning, stacklevel=2)
            vocab = WordLevel.read_file(vocab)
        self._fields = {"unk_token": "<unk>" if unk_token is None else unk_token}
        self._hold(vocab or {})

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {"unk_token": "<unk>"}

    def _segmenter(self) -> segmenting.Segmenter:
        return segmenting.word_level(self._vocab, self._fields)

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """A vocab.json as a vocabulary."""
        try:
            found: dict[str, int] = json.loads(Path(vocab).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Exception(f"Error while reading WordLevel file: {error}") from None
        return found

    @classmethod
    def from_file(cls, vocab: str, unk_token: str | None = None) -> WordLevel:
        """The model of a vocab.json."""
        return cls(cls.read_file(vocab), unk_token)


class Unigram(Model):
    """The path of pieces with the highest score."""

    KIND = "Unigram"
    SHAPE = "floats"
    ORDER = ("type", "unk_id", "vocab", "byte_fallback")
    alpha = Field("alpha", write=lambda value: None if value is None else float(value))
    nbest_size = Field("nbest_size")

    def __init__(
        self,
        vocab: Any = None,
        unk_id: int | None = None,
        byte_fallback: bool | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
    ) -> None:
        if vocab is None and (unk_id is not None or byte_fallback is not None):
            raise ValueError("`vocab` and `unk_id` must be both specified")
        rows = [("<unk>", 0.0)] if vocab is None else [(str(name), float(score)) for name, score in vocab]
        unk_id = 0 if vocab is None else unk_id
        if unk_id is not None and not rows:
            raise Exception("Error while loading Unigram: The vocabulary is empty but at least <unk> is needed")
        if unk_id is not None and unk_id >= len(rows):
            raise Exception("Error while loading Unigram: The `unk_id` is larger than vocabulary size")
        self._fields = {
            "unk_id": unk_id,
            "byte_fallback": bool(byte_fallback),
            "alpha": alpha,
            "nbest_size": nbest_size,
        }
        self._set_rows(rows)

    def _set_rows(self, rows: list[tuple[str, float]]) -> None:
        scores = np.array([score for _, score in rows], "<f8").tobytes()
        self._table = strings_table("floats", [name for name, _ in rows], scores)
        self._lookup = self._names = None
        Changes.note()

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {"unk_id": None, "byte_fallback": False, "alpha": None, "nbest_size": None}

    @property
    def _rows(self) -> list[tuple[str, float]]:
        return list(zip(table_strings(self._table), np.frombuffer(self._table.values, "<f8").tolist(), strict=True))

    @property
    def _vocab(self) -> dict[str, int]:
        if self._lookup is None:
            self._lookup = {name: id for id, name in enumerate(table_strings(self._table))}
        return self._lookup

    @property
    def _by_id(self) -> dict[int, str]:
        if self._names is None:
            self._names = dict(enumerate(table_strings(self._table)))
        return self._names

    def _section(self) -> dict[str, Any]:
        return {"type": "Unigram", "unk_id": self._fields["unk_id"], "byte_fallback": self._fields["byte_fallback"]}

    def _vocab_json(self) -> Any:
        return [list(row) for row in self._rows]

    def _tree(self) -> Struct:
        section = self._section()
        return Struct(
            "Unigram",
            [("unk_id", section["unk_id"]), ("vocab", self._rows), ("byte_fallback", section["byte_fallback"])],
        )

    def _segmenter(self) -> segmenting.Segmenter:
        if self._is_random() and self._fields["nbest_size"] not in (None, -1):
            raise NotImplementedError(
                "Unigram.nbest_size is not supported with alpha; leave it out to draw from all paths."
            )
        alpha = self._fields["alpha"] or 0.0
        return segmenting.unigram(self._rows, self._vocab, self._fields["unk_id"], self._fields["byte_fallback"], alpha)

    def _is_random(self) -> bool:
        alpha = self._fields["alpha"]
        return alpha is not None and not math.isclose(alpha, 0.0)

    def _files(self) -> dict[str, str]:
        return {"unigram.json": dumped(self._json()).decode()}

    def _clear_cache(self) -> None:
        """Caches are bounded here."""

    def _resize_cache(self, capacity: int) -> None:
        """Caches are bounded here."""


_MODELS: dict[str, type[Model]] = {"BPE": BPE, "Unigram": Unigram, "WordPiece": WordPiece, "WordLevel": WordLevel}


def model_of(section: dict[str, Any], vocab: Table | None, merges: Table | None) -> Model:
    """The model of a section without its tables, and the tables. Files of old releases do not say its type."""
    kind = section.get("type")
    if kind is None:
        shape = None if vocab is None else vocab.shape
        kind = "BPE" if merges is not None else "Unigram" if shape == "floats" else None
        kind = kind or ("WordPiece" if "continuing_subword_prefix" in section else "WordLevel")
    if kind not in _MODELS:
        raise Exception(f"There is no model of type {kind!r}.")
    cls = _MODELS[kind]
    if vocab is None or len(vocab.offsets) <= 4:
        vocab = strings_table(cls.SHAPE, [])
    if vocab.shape != cls.SHAPE:
        raise Exception("The vocabulary of the file is not what its model has.")
    return cls._of(section, vocab, merges)
