"""Model: the base of all models, whose vocabulary is a table until it is asked for by name."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...formats.huggingface import scanned
from ...formats.huggingface.model import Table
from .component import Changes, dumped
from .shown import Struct, shown
from .values import Token

if TYPE_CHECKING:
    from typing_extensions import Self

    from . import segmenting

__all__ = ["Model", "strings_table", "table_strings"]


def strings_table(shape: str, names: list[str], values: bytes = b"") -> Table:
    """Strings as the scanner of JSON gives them."""
    raw = [name.encode() for name in names]
    ends = np.cumsum([0, *map(len, raw)]).astype("<u4").tobytes()
    return Table(shape, b"".join(raw), ends, values)


def table_strings(table: Table) -> list[str]:
    """The strings of a table."""
    ends = np.frombuffer(table.offsets, "<u4").tolist()
    return [table.blob[start:end].decode() for start, end in pairwise(ends)]


class Model:
    """The base of all models. The vocabulary is a table until it is asked for by name."""

    KIND: ClassVar[str] = ""
    SHAPE: ClassVar[str] = "ints"
    """The shape of its table, by the scanner of JSON."""
    ORDER: ClassVar[tuple[str, ...]] = ()
    """The fields of the JSON in their order."""
    _fields: dict[str, Any]
    _table: Table
    _lookup: dict[str, int] | None
    _names: dict[int, str] | None
    _made: tuple[int, segmenting.Segmenter] | None

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        if cls is Model:
            raise TypeError("No constructor defined for Model")
        made = super().__new__(cls)
        made._lookup = made._names = made._made = None
        return made

    def _hold(self, vocab: dict[str, int]) -> None:
        if not isinstance(vocab, dict):
            raise TypeError(f"'{type(vocab).__name__}' object is not an instance of 'dict'")
        for id in vocab.values():
            if not isinstance(id, int):
                raise TypeError(f"'{type(id).__name__}' object is not an instance of 'int'")
            if not 0 <= id < 2**32:
                raise OverflowError("out of range integral type conversion attempted")
        rows = sorted(vocab.items(), key=lambda row: row[1])
        ids = np.array([id for _, id in rows], "<u4").tobytes()
        self._table = strings_table("ints", [name for name, _ in rows], ids)
        self._lookup = self._names = None
        Changes.note()

    @classmethod
    def _of(cls, section: dict[str, Any], vocab: Table, merges: Table | None) -> Self:
        made = cls.__new__(cls)
        made._fields = {**cls._defaults(), **{name: section[name] for name in cls._defaults() if name in section}}
        made._table = vocab
        return made

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        raise NotImplementedError

    @property
    def _vocab(self) -> dict[str, int]:
        if self._lookup is None:
            ids = np.frombuffer(self._table.values, "<u4").tolist()
            self._lookup = dict(zip(table_strings(self._table), ids, strict=True))
        return self._lookup

    @property
    def _by_id(self) -> dict[int, str]:
        if self._names is None:
            self._names = {id: name for name, id in self._vocab.items()}
        return self._names

    @property
    def _size(self) -> int:
        return len(self._table.offsets) // 4 - 1

    def _merges_table(self) -> Table | None:
        return None

    def _section(self) -> dict[str, Any]:
        """The fields that are not tables."""
        return {"type": self.KIND, **self._fields}

    def _vocab_json(self) -> Any:
        return dict(sorted(self._vocab.items(), key=lambda row: row[1]))

    def _json(self) -> dict[str, Any]:
        tables = {"vocab": self._vocab_json}
        return {name: tables[name]() if name in tables else self._section()[name] for name in self.ORDER}

    def _tree(self) -> Struct:
        rows = [(name, value) for name, value in self._json().items() if name != "type"]
        return Struct(self.KIND, [(name, value) for name, value in rows])

    def token_to_id(self, token: str) -> int | None:
        """The id of a token."""
        return self._vocab.get(token)

    def id_to_token(self, id: int) -> str | None:
        """The token of an id."""
        return self._by_id.get(id)

    def tokenize(self, sequence: str) -> list[Token]:
        """The tokens of one pre-token."""
        if not isinstance(sequence, str):
            raise TypeError(f"'{type(sequence).__name__}' object is not an instance of 'str'")
        return [Token(id, name, span) for id, name, span in self._segment(sequence)]

    @property
    def _segment(self) -> segmenting.Segmenter:
        """The segmenter, made again when some component has changed."""
        if self._made is None or self._made[0] != Changes.count:
            self._made = (Changes.count, self._segmenter())
        return self._made[1]

    def _segmenter(self) -> segmenting.Segmenter:
        raise NotImplementedError

    def _is_random(self) -> bool:
        """Whether two calls may give other ids."""
        return False

    def get_trainer(self) -> Any:
        """A trainer for models of this kind."""
        from . import trainer_options

        return getattr(trainer_options, {"BPE": "BpeTrainer"}.get(self.KIND, f"{self.KIND}Trainer"))()

    def save(self, folder: str, prefix: str | None = None) -> list[str]:
        """Write the vocabulary into a folder; the names of the files."""
        written = []
        for name, content in self._files().items():
            path = Path(folder, f"{prefix}-{name}" if prefix else name)
            path.write_text(content, encoding="utf-8")
            written.append(str(path))
        return written

    def _files(self) -> dict[str, str]:
        return {"vocab.json": dumped(self._vocab_json()).decode()}

    def __getstate__(self) -> bytes:
        return dumped(self._json())

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.__getstate__())

    def __repr__(self) -> str:
        return shown(self._tree(), 100, None)

    def __str__(self) -> str:
        return shown(self._tree(), 6, 100)


def _restored(cls: type[Model], state: bytes) -> Model:
    fields, vocab, merges = scanned(b'{"model":' + state + b"}")
    return cls._of(fields["model"], vocab or strings_table(cls.SHAPE, []), merges)
