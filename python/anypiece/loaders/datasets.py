"""Functions for ``datasets.Dataset.map`` whose fingerprint says what they do.

``datasets`` caches what ``map`` has made under a hash of the pickled function. A function of this module is pickled as one
string of bytes that is written from the Spec and the options: the same in every process and every run, with any
``num_proc``, and another where the vocabulary, an option or the release of AnyPiece is. ``datasets`` is not imported.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import _native
from .._core import vocabulary
from ..errors import InputTypeError
from ..tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Count", "Encode"]


class _Mapped:
    """A function of batches: what is in one column goes into another. Made once per process, pickled by content."""

    __slots__ = ("_options", "_tokenizer", "column", "to")

    def __init__(self, tokenizer: Tokenizer, column: str, to: str, options: Mapping[str, Any]) -> None:
        if not isinstance(tokenizer, Tokenizer):
            kind = type(tokenizer).__name__
            raise InputTypeError("input-type", f"tokenizer must be a Tokenizer, not {kind}.", type=kind)
        self._tokenizer = tokenizer
        self.column = column
        self.to = to
        specials = options.get("specials", "text")
        # A set has no order that pickles could keep.
        fixed = specials if isinstance(specials, str) else sorted(specials)
        self._options = {**options, "specials": fixed}
        self._result([])

    def _result(self, texts: Any, **out: Any) -> Any:
        raise NotImplementedError

    def __call__(self, batch: Any) -> Any:
        """The new column of a batch: a mapping for a mapping of lists, and for a table the table with it."""
        if hasattr(batch, "append_column"):
            return self._appended(batch)
        texts = batch[self.column]
        if isinstance(texts, (str, bytes)):
            message = "This function takes batches of examples: dataset.map(function, batched=True)."
            raise InputTypeError("input-type", message, type=type(texts).__name__)
        texts = list(texts)
        found = iter(self._result([text for text in texts if text is not None]))
        return {self.to: [None if text is None else next(found) for text in texts]}

    def _appended(self, table: Any) -> Any:
        """By the buffers of a table, which come from a dataset whose format is ``"arrow"``."""
        from pyarrow import array

        made = array(self._result(table[self.column], out="arrow"))
        if self.to in table.column_names:
            return table.set_column(table.column_names.index(self.to), self.to, made)
        return table.append_column(self.to, made)

    def __reduce__(self) -> tuple[Any, ...]:
        config, columns = self._tokenizer._kernel.spec_columns()
        names = sorted(columns)
        head = {
            "release": _native.__version__,
            "slots": self._tokenizer._cache_slots,
            "config": json.loads(config),
            "columns": [(name, len(columns[name])) for name in names],
            "call": [self.column, self.to, self._options],
        }
        written = json.dumps(head, sort_keys=True).encode() + b"\n"
        return _opened, (type(self), written + b"".join(columns[name] for name in names))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.column!r} to {self.to!r} by {self._tokenizer!r}>"


class Encode(_Mapped):
    """The ids of a column of texts as a new column. ``options`` are those of ``Tokenizer.encode_batch``.

    Each process of ``map`` uses one thread, unless ``threads`` says otherwise. A text that is ``None`` has ids that are.

    >>> import anypiece
    >>> tok = anypiece.load()
    >>> function = Encode(tok, "text", add_special="bos")
    >>> rows = function({"text": ["Hello world", None]})
    >>> rows["input_ids"][0].tolist() == tok.encode("Hello world", add_special="bos"), rows["input_ids"][1]
    (True, None)
    """

    __slots__ = ()

    def __init__(self, tokenizer: Tokenizer, column: str = "text", to: str = "input_ids", **options: Any) -> None:
        """A function for ``dataset.map(function, batched=True)``, with any ``num_proc``."""
        super().__init__(tokenizer, column, to, {"threads": 1, **options})

    def _result(self, texts: Any, **out: Any) -> Any:
        return self._tokenizer.encode_batch(texts, **self._options, **out)


class Count(_Mapped):
    """How many tokens each text of a column has, as a new column. ``options`` are those of ``Tokenizer.count_batch``.

    >>> import anypiece
    >>> Count(anypiece.load())({"text": ["Hello world", ""]})
    {'tokens': [3, 0]}
    """

    __slots__ = ()

    def __init__(self, tokenizer: Tokenizer, column: str = "text", to: str = "tokens", **options: Any) -> None:
        """A function for ``dataset.map(function, batched=True)``, with any ``num_proc``."""
        super().__init__(tokenizer, column, to, {"threads": 1, **options})

    def _result(self, texts: Any, **out: Any) -> Any:
        found = self._tokenizer.count_batch(texts, **self._options, **out)
        return found if out else found.tolist()


def _opened(kind: type[Encode | Count], written: bytes) -> Encode | Count:
    """A function from what its pickle holds."""
    end = written.index(b"\n")
    head = json.loads(written[:end])
    columns, at = {}, end + 1
    for name, length in head["columns"]:
        columns[name] = written[at : at + length]
        at += length
    kernel = _native.Tokenizer(json.dumps(head["config"]), columns, head["slots"])
    tokenizer = vocabulary.made(Tokenizer, kernel, None, None, head["slots"])
    column, to, options = head["call"]
    return kind(tokenizer, column, to, **options)
