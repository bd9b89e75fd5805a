"""The options of training, one class for each model."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from .component import dumped
from .shown import Struct, Variant, shown
from .values import AddedToken, read_added

__all__ = ["BpeTrainer", "Trainer", "UnigramTrainer", "WordLevelTrainer", "WordPieceTrainer"]


class Option:
    """An attribute that is an option of a trainer."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, owner: Trainer | None, kind: type | None = None) -> Any:
        return self if owner is None else owner._shown(self._name)

    def __set__(self, owner: Trainer, value: Any) -> None:
        owner._set(self._name, value)


class Trainer:
    """The base of all trainers."""

    MODEL: ClassVar[str] = ""
    DEFAULTS: ClassVar[dict[str, Any]] = {}
    vocab_size = Option()
    show_progress = Option()
    special_tokens = Option()

    def __init__(self, **options: Any) -> None:
        if type(self) is Trainer:
            raise TypeError("No constructor defined for Trainer")
        self._options = dict(self.DEFAULTS)
        for name, value in options.items():
            if name not in self.DEFAULTS:
                print(f"Ignored unknown kwargs option {name}")
            else:
                self._set(name, value)

    def _set(self, name: str, value: Any) -> None:
        if name == "special_tokens":
            value = [token._settled() for token in _special(value)]
        elif name == "initial_alphabet":
            value = sorted({text[0] for text in value if text})
        elif name == "progress_format":
            if value not in ("indicatif", "jsonl", "silent"):
                raise ValueError(f"Unknown progress_format: {value}")
            value = value.capitalize() if value != "jsonl" else "JsonLines"
        self._options[name] = value

    def _shown(self, name: str) -> Any:
        value = self._options[name]
        if name == "special_tokens":
            return [token._settled() for token in value]
        if name == "progress_format":
            return {"JsonLines": "jsonl"}.get(value, value.lower())
        return list(value) if isinstance(value, list) else value

    def _json(self) -> dict[str, Any]:
        found = {**self._options, "words": {}}
        found["special_tokens"] = [token._json() for token in found["special_tokens"]]
        return found

    def _tree(self) -> Struct:
        rows: list[tuple[str | None, Any]] = []
        for name, value in {**self._options, "words": {}}.items():
            shown_value = value
            if name == "special_tokens":
                shown_value = [Struct("AddedToken", list(token._json().items())) for token in value]
            elif name == "progress_format":
                shown_value = Variant(value)
            rows.append((name, shown_value))
        return Struct(type(self).__name__, rows)

    def _wrapped(self) -> Any:
        return {type(self).__name__: self._json()}

    def __getstate__(self) -> bytes:
        return dumped(self._wrapped())

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), dumped(self._json()))

    def __repr__(self) -> str:
        return shown(Struct(type(self).__name__, [(None, self._tree())]), 100, None)

    def __str__(self) -> str:
        return shown(Struct(type(self).__name__, [(None, self._tree())]), 6, 100)


def _special(tokens: Any) -> list[AddedToken]:
    """Tokens that become special, without changing those that were given."""
    copies = []
    for token in tokens:
        if isinstance(token, AddedToken):
            copy = AddedToken(**token._json())
            copy._normalized = token._normalized
            token = copy
        copies.append(token)
    return read_added(copies, True)


def _restored(cls: type[Trainer], state: bytes) -> Trainer:
    made = cls.__new__(cls)
    options = json.loads(state)
    options.pop("words")
    options["special_tokens"] = [AddedToken(**row) for row in options["special_tokens"]]
    made._options = options
    return made


_BPE: dict[str, Any] = {
    "min_frequency": 0,
    "vocab_size": 30000,
    "show_progress": True,
    "progress_format": "Indicatif",
    "special_tokens": [],
    "limit_alphabet": None,
    "initial_alphabet": [],
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "max_token_length": None,
}


class BpeTrainer(Trainer):
    """Options for training BPE.

    >>> BpeTrainer(vocab_size=100, special_tokens=["<s>"]).special_tokens[0].content
    '<s>'
    """

    MODEL = "BPE"
    DEFAULTS = _BPE
    min_frequency = Option()
    progress_format = Option()
    limit_alphabet = Option()
    initial_alphabet = Option()
    continuing_subword_prefix = Option()
    end_of_word_suffix = Option()
    max_token_length = Option()


class WordPieceTrainer(Trainer):
    """Options for training WordPiece."""

    MODEL = "WordPiece"
    DEFAULTS: ClassVar[dict[str, Any]] = {**_BPE, "continuing_subword_prefix": "##"}
    min_frequency = Option()
    limit_alphabet = Option()
    initial_alphabet = Option()
    continuing_subword_prefix = Option()
    end_of_word_suffix = Option()

    def _wrapped(self) -> Any:
        return {"WordPieceTrainer": {"bpe_trainer": self._json()}}

    def _tree(self) -> Struct:
        inner = super()._tree()
        return Struct("WordPieceTrainer", [("bpe_trainer", Struct("BpeTrainer", inner.rows))])


class WordLevelTrainer(Trainer):
    """Options for training a vocabulary of words."""

    MODEL = "WordLevel"
    DEFAULTS: ClassVar[dict[str, Any]] = {
        "min_frequency": 0,
        "vocab_size": 30000,
        "show_progress": True,
        "special_tokens": [],
    }
    min_frequency = Option()


class UnigramTrainer(Trainer):
    """Options for training a unigram vocabulary."""

    MODEL = "Unigram"
    DEFAULTS: ClassVar[dict[str, Any]] = {
        "show_progress": True,
        "vocab_size": 8000,
        "n_sub_iterations": 2,
        "shrinking_factor": 0.75,
        "special_tokens": [],
        "initial_alphabet": [],
        "unk_token": None,
        "max_piece_length": 16,
        "seed_size": 1_000_000,
    }
    initial_alphabet = Option()
