"""The tokenizers of a server by their names: those it was started with, and a few that clients sent, which it may forget."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..metadata import metadata_of
from ..spec import Kind
from ..steps.tables import spelled
from .refusals import Refused
from .wire import written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..tokenizer import Tokenizer

__all__ = ["Model", "Models"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_BYTE = re.compile(rb"<0x[0-9A-Fa-f]{2}>")
_NO_LENGTH = 10**9
"""Configs that know no length have an enormous one."""


@dataclass
class Model:
    """A tokenizer with its name. ``pieces`` and ``rows`` are what was written of a piece before, as JSON."""

    name: str
    tokenizer: Tokenizer
    is_sent: bool = False
    size: int = 0
    pieces: dict[int, str] = field(default_factory=dict)
    rows: dict[int, str] = field(default_factory=dict)

    def spelled_pieces(self, ids: Sequence[int]) -> list[str]:
        """The pieces of ids, as JSON."""
        known = self.pieces
        for id in set(ids) - known.keys():
            known[id] = written(self.tokenizer.id_to_piece(id)).decode()
        return [known[id] for id in ids]

    def spelled_rows(self, ids: Sequence[int]) -> list[str]:
        """For each id a row of its piece, its bytes in hexadecimal digits, score and kind, as JSON."""
        known, tokenizer = self.rows, self.tokenizer
        for id in set(ids) - known.keys():
            raw, kind = tokenizer.id_to_bytes(id), tokenizer.kind(id)
            score = round(float(tokenizer.score(id)), 6)
            meant = bytes.fromhex(raw[3:5].decode()) if kind == Kind.BYTE and _BYTE.fullmatch(raw) else raw
            known[id] = written([id, spelled(raw), meant.hex(), score, kind.name.lower()]).decode()
        return [known[id] for id in ids]

    @property
    def longest(self) -> int | None:
        """How many tokens a model takes, if the config of its folder says it."""
        found = metadata_of(self.tokenizer._origin).config.get("model_max_length")
        return found if isinstance(found, int) and 0 < found < _NO_LENGTH else None

    def info(self) -> dict[str, Any]:
        """What the server says of a tokenizer."""
        tok, spec = self.tokenizer, self.tokenizer.spec
        return {
            "id": self.name,
            "object": "model",
            "owned_by": "client" if self.is_sent else "server",
            "segmenter": spec.segmenter,
            "symbols": spec.symbols,
            "vocab_size": tok.vocab_size,
            "max_model_len": self.longest,
            "bos_id": tok.bos_id,
            "eos_id": tok.eos_id,
            "pad_id": tok.pad_id,
            "unk_id": tok.unk_id,
            "chat_templates": sorted(metadata_of(tok._origin).chat_template),
            "fingerprint": tok.fingerprint,
        }


class Models:
    """Tokenizers by name, the first of which is meant where none is named.

    >>> import anypiece
    >>> models = Models({"default": anypiece.load()})
    >>> models.get(None).name, models.get("default").is_sent
    ('default', False)
    """

    def __init__(self, tokenizers: Mapping[str, Tokenizer], uploads: int = 8) -> None:
        self._lock = threading.Lock()
        self._own = {name: Model(name, tokenizer) for name, tokenizer in tokenizers.items()}
        self._sent: OrderedDict[str, Model] = OrderedDict()
        self._most = uploads

    def get(self, name: str | None) -> Model:
        """The one of a name; 404 if there is none."""
        if name is None or name == "":
            return next(iter(self._own.values()))
        with self._lock:
            if name in self._sent:
                self._sent.move_to_end(name)
                return self._sent[name]
        if name in self._own:
            return self._own[name]
        raise Refused(
            404, f"The model {name[:80]!r} does not exist. GET /v1/models lists those that do.", param="model"
        )

    def check(self, name: str) -> None:
        """Refuse a name that one that is sent cannot have."""
        if not _NAME.fullmatch(name):
            message = (
                "A name has at most 64 letters, digits, dots, dashes and underscores, and a letter or digit first."
            )
            raise Refused(400, message, param="name")
        if name in self._own:
            raise Refused(409, f"{name!r} is the name of a tokenizer that the server was started with.", param="name")

    def add(self, name: str, tokenizer: Tokenizer, size: int) -> Model:
        """Keep one that was sent, in the place of one of the same name; the one not used for longest may have to go."""
        self.check(name)
        with self._lock:
            self._sent.pop(name, None)
            while len(self._sent) >= self._most:
                self._sent.popitem(last=False)
            model = self._sent[name] = Model(name, tokenizer, True, size)
        return model

    def remove(self, name: str) -> None:
        """Forget one that was sent."""
        with self._lock:
            if self._sent.pop(name, None) is not None:
                return
        if name in self._own:
            raise Refused(403, f"{name!r} is a tokenizer that the server was started with; it stays.")
        raise Refused(404, f"The model {name[:80]!r} does not exist.")

    @property
    def are_own(self) -> bool:
        """Whether all of them are those that the server was started with."""
        return not self._sent

    def all(self) -> list[Model]:
        """All of them, those of the server first."""
        with self._lock:
            return [*self._own.values(), *self._sent.values()]
