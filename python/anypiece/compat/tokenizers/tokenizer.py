"""Tokenizer: components, added tokens and settings, compiled when ids are asked for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .added import AddedVocabulary
from .component import Changes, checked
from .encoding import Encoding
from .engine import Engine
from .inputs import Inputs, batch_inputs, one_input
from .models import Model
from .parts import Held, held
from .post import encodings_of, padded, post_processed
from .reading import (
    FAMILIES,
    document_json,
    padding_json,
    read_document,
    read_model_json,
    read_padding,
    read_truncation,
    truncation_json,
)
from .shown import Struct, Variant, shown
from .values import AddedToken, read_added

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .decoders import Decoder
    from .normalizers import Normalizer
    from .pre_tokenizers import PreTokenizer
    from .processors import PostProcessor

__all__ = ["Tokenizer"]


class Tokenizer:
    """A tokenizer of the original's shape over AnyPiece's kernel.

    >>> from anypiece.compat.tokenizers import models, pre_tokenizers
    >>> made = Tokenizer(models.WordLevel({"hello": 0, "[UNK]": 1}, unk_token="[UNK]"))
    >>> made.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> found = made.encode("hello there")
    >>> found.ids, found.tokens, found.offsets
    ([0, 1], ['hello', '[UNK]'], [(0, 5), (6, 11)])
    """

    def __init__(self, model: Model) -> None:
        self._model = _checked_model(model)
        self._components: dict[str, Any] = dict.fromkeys(FAMILIES)
        self._added = AddedVocabulary()
        self._truncation: dict[str, Any] | None = None
        self._padding: dict[str, Any] | None = None
        self._splits_special = False
        self._compiled: tuple[Any, int, Engine] | None = None

    # -- reading and writing
    @classmethod
    def _read(cls, data: bytes) -> Tokenizer:
        document = read_document(data)
        made = cls(document.model)
        made._components = document.components
        rows = [{name: value for name, value in row.items() if name != "id"} for row in document.added]
        made._added.add([AddedToken(**row) for row in rows], made._model)
        made._truncation, made._padding = read_truncation(document.truncation), read_padding(document.padding)
        return made

    @staticmethod
    def from_file(path: str) -> Tokenizer:
        """The tokenizer of a tokenizer.json."""
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise Exception(f"{error.strerror} (os error {error.errno})") from None
        return Tokenizer._read(data)

    @staticmethod
    def from_str(json: str) -> Tokenizer:
        """The tokenizer of the content of a tokenizer.json."""
        if not isinstance(json, str):
            raise TypeError(f"'{type(json).__name__}' object is not an instance of 'str'")
        return Tokenizer._read(json.encode())

    @staticmethod
    def from_buffer(buffer: bytes) -> Tokenizer:
        """The tokenizer of the content of a tokenizer.json as bytes."""
        try:
            return Tokenizer._read(bytes(buffer))
        except Exception as error:
            raise ValueError(f"Cannot instantiate Tokenizer from buffer: {error}") from None

    @staticmethod
    def from_pretrained(identifier: str, revision: str = "main", token: str | None = None) -> Tokenizer:
        """The tokenizer of a local folder, or of a model in the local cache of Hugging Face. Nothing is downloaded."""
        place = Path(identifier)
        if place.is_dir():
            return Tokenizer.from_file(str(place / "tokenizer.json"))
        from .cache import cached_file

        return Tokenizer.from_file(cached_file(identifier, revision))

    def _sections(self) -> dict[str, Any]:
        parts = {name: None if part is None else part._json() for name, part in self._components.items()}
        return {
            "version": "1.0",
            "truncation": truncation_json(self._truncation),
            "padding": padding_json(self._padding),
            "added_tokens": self._added.rows(),
            **parts,
            "model": self._model._json(),
        }

    def to_str(self, pretty: bool = False) -> str:
        """The content of a tokenizer.json."""
        return document_json(self._sections(), pretty)

    def save(self, path: str, pretty: bool = True) -> None:
        """Write a tokenizer.json."""
        Path(path).write_text(self.to_str(pretty), encoding="utf-8")

    def __getstate__(self) -> bytes:
        return self.to_str().encode()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.__getstate__(),)

    def _tree(self) -> Struct:
        parts = [(name, None if part is None else part._tree()) for name, part in self._components.items()]
        sections = self._sections_shown()
        return Struct("Tokenizer", [*sections, *parts, ("model", self._model._tree())])

    def _sections_shown(self) -> list[tuple[str | None, Any]]:
        truncation, padding = truncation_json(self._truncation), padding_json(self._padding)
        names = ("direction", "strategy")
        rows: list[tuple[str | None, Any]] = [("version", "1.0")]
        for name, kind, section in (
            ("truncation", "TruncationParams", truncation),
            ("padding", "PaddingParams", padding),
        ):
            shown_section: Any = section
            if section is not None:
                pairs = [
                    (key, Variant(value) if key in names and isinstance(value, str) else value)
                    for key, value in section.items()
                ]
                pairs = [
                    (key, Struct("Fixed", [(None, value["Fixed"])]) if isinstance(value, dict) else value)
                    for key, value in pairs
                ]
                shown_section = Struct(kind, list(pairs))
            rows.append((name, shown_section))
        return [*rows, ("added_tokens", self._added.rows())]

    def __repr__(self) -> str:
        return shown(self._tree(), 100, None)

    def __str__(self) -> str:
        return shown(self._tree(), 6, 100)

    # -- components
    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    @model.setter
    def model(self, model: Model) -> None:
        self._model = _checked_model(model)
        Changes.note()

    def _set(self, family: str, value: Any) -> None:
        self._components[family] = None if value is None else checked(FAMILIES[family], value)
        Changes.note()

    @property
    def normalizer(self) -> Normalizer | None:
        """The component that changes a text before it is split."""
        found: Normalizer | None = self._components["normalizer"]
        return found

    @normalizer.setter
    def normalizer(self, normalizer: Normalizer | None) -> None:
        self._set("normalizer", normalizer)

    @property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """How a text is split."""
        found: PreTokenizer | None = self._components["pre_tokenizer"]
        return found

    @pre_tokenizer.setter
    def pre_tokenizer(self, pre_tokenizer: PreTokenizer | None) -> None:
        self._set("pre_tokenizer", pre_tokenizer)

    @property
    def post_processor(self) -> PostProcessor | None:
        """What stands around texts."""
        found: PostProcessor | None = self._components["post_processor"]
        return found

    @post_processor.setter
    def post_processor(self, processor: PostProcessor | None) -> None:
        self._set("post_processor", processor)

    @property
    def decoder(self) -> Decoder | None:
        """How tokens become text."""
        found: Decoder | None = self._components["decoder"]
        return found

    @decoder.setter
    def decoder(self, decoder: Decoder | None) -> None:
        self._set("decoder", decoder)

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens in a text are text."""
        return self._splits_special

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        self._splits_special = bool(value)

    def _engine(self) -> Engine:
        """The components compiled; again where one of them has changed."""
        if self._compiled is not None and self._compiled[1] == Changes.count:
            return self._compiled[2]
        count = Changes.count
        parts = {name: self._components[name] for name in FAMILIES}
        states = {
            name: None if part is None else part.__getstate__()
            for name, part in parts.items()
            if name != "post_processor"
        }
        key = (states, id(self._model._table), dict(self._model._fields), self._added.version)
        if self._compiled is not None and self._compiled[0] == key and self._compiled[2].model is self._model:
            self._compiled = (key, count, self._compiled[2])
        else:
            sections = {name: None if part is None else part._json() for name, part in parts.items()}
            self._compiled = (key, count, Engine(sections, self._model, dict(self._added.tokens)))
        return self._compiled[2]

    # -- settings
    @property
    def truncation(self) -> dict[str, Any] | None:
        """The settings of truncation."""
        return None if self._truncation is None else dict(self._truncation)

    def enable_truncation(
        self, max_length: int, *, stride: int = 0, strategy: str = "longest_first", direction: str = "right"
    ) -> None:
        """Cut encodings to a length."""
        if strategy not in ("longest_first", "only_first", "only_second"):
            known = "`longest_first`, `only_first`, or `only_second`"
            raise ValueError(f"Unknown `strategy`: `{strategy}`. Use one of {known}")
        _check_direction(direction, ".")
        added = self.num_special_tokens_to_add(False)
        if max_length and stride + added >= max_length:
            raise ValueError(
                f"tokenizer stride set to {stride}, which is greater than or equal to its effective max length of "
                f"{max_length - added} (= {max_length} original max length - {added} added special tokens), "
            )
        self._truncation = {"max_length": max_length, "stride": stride, "strategy": strategy, "direction": direction}

    def no_truncation(self) -> None:
        """Do not cut."""
        self._truncation = None

    @property
    def padding(self) -> dict[str, Any] | None:
        """The settings of padding."""
        return None if self._padding is None else dict(self._padding)

    def enable_padding(
        self,
        *,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
        **rest: Any,
    ) -> None:
        """Fill encodings up to a length, or to the longest of a batch."""
        for name in rest:
            print(f"Ignored unknown kwarg option {name}")
        _check_direction(direction, "")
        self._padding = {
            "length": length,
            "pad_to_multiple_of": pad_to_multiple_of,
            "pad_id": pad_id,
            "pad_token": pad_token,
            "pad_type_id": pad_type_id,
            "direction": direction,
        }

    def no_padding(self) -> None:
        """Do not fill up."""
        self._padding = None

    # -- the vocabulary
    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many tokens are put around a text, or a pair of texts."""
        processor = self._components["post_processor"]
        return 0 if processor is None else processor._added(bool(is_pair))

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """The vocabulary."""
        return {**self._model._vocab, **self._added.ids} if with_added_tokens else dict(self._model._vocab)

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """How many tokens there are."""
        if not with_added_tokens:
            return self._model._size
        return self._model._size + sum(self._model.token_to_id(text) is None for text in self._added.ids)

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id."""
        return {id: token._settled() for id, token in sorted(self._added.tokens.items())}

    def token_to_id(self, token: str) -> int | None:
        """The id of a token."""
        if not isinstance(token, str):
            raise TypeError(f"'{type(token).__name__}' object is not an instance of 'str'")
        found = self._added.ids.get(token)
        return self._model.token_to_id(token) if found is None else found

    def id_to_token(self, id: int) -> str | None:
        """The token of an id; one that is looked for in normalized text as it stands there."""
        if id < 0:
            raise OverflowError("can't convert negative int to unsigned")
        added = self._added.tokens.get(id)
        if added is None:
            return self._model.id_to_token(id)
        is_changed = added.normalized and self._components["normalizer"] is not None
        return self._engine().forms.get(id, added.content) if is_changed else added.content

    def add_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Add tokens that are found in a text before it is segmented; how many are new."""
        return self._add(read_added(tokens, False))

    def add_special_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Add special tokens, which are not decoded by default; how many are new."""
        return self._add(read_added(tokens, True))

    def _add(self, tokens: list[AddedToken]) -> int:
        Changes.note()
        return self._added.add(tokens, self._model)

    # -- encode
    def _encoded(self, inputs: Inputs, add_special: bool, fast: bool = False) -> list[Encoding]:
        engine = self._engine()
        source = engine.source(inputs.texts, self._splits_special, inputs.numbers())
        processor = self._components["post_processor"]
        rows = encodings_of(inputs, source)
        if fast:
            rows = [[_bare(one) for one in row] for row in rows]
        found = [post_processed(row, processor, self._truncation, add_special) for row in rows]
        return padded(found, self._padding)

    def encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        """The encoding of a text, or of a pair of texts."""
        return self._encoded(one_input(sequence, pair, is_pretokenized), add_special_tokens)[0]

    def encode_batch(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The encodings of many texts or pairs."""
        return self._encoded(batch_inputs(input, is_pretokenized), add_special_tokens)

    def encode_batch_fast(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encodings of a batch without names, words and places of tokens."""
        return self._encoded(batch_inputs(input, is_pretokenized), add_special_tokens, fast=True)

    async def async_encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        """``encode`` on a thread."""
        return await asyncio.to_thread(self.encode, sequence, pair, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """``encode_batch`` on a thread."""
        return await asyncio.to_thread(self.encode_batch, input, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """``encode_batch_fast`` on a thread."""
        return await asyncio.to_thread(self.encode_batch_fast, input, is_pretokenized, add_special_tokens)

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """One or two encodings cut, with what stands around them, and filled up."""
        sequences = [encoding._copy()] if pair is None else [encoding._copy(), pair._copy()]
        processor = self._components["post_processor"]
        return padded([post_processed(sequences, processor, self._truncation, add_special_tokens)], self._padding)[0]

    # -- decode
    def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
        """The text of ids; ids of no token are left out."""
        return self._engine().decode(checked_ids(ids), skip_special_tokens)

    def decode_batch(self, sequences: Any, skip_special_tokens: bool = True) -> list[str]:
        """The texts of many lists of ids."""
        engine = self._engine()
        return [engine.decode(checked_ids(ids), skip_special_tokens) for ids in sequences]

    async def async_decode_batch(self, sequences: Any, skip_special_tokens: bool = True) -> list[str]:
        """``decode_batch`` on a thread."""
        return await asyncio.to_thread(self.decode_batch, sequences, skip_special_tokens)

    # -- train
    def train(self, files: Any, trainer: Any = None) -> None:
        """Train the model on the lines of files."""
        from .training import file_lines, train

        train(self, file_lines(files), trainer)

    def train_from_iterator(self, iterator: Iterable[Any], trainer: Any = None, length: int | None = None) -> None:
        """Train the model on texts, or on lists of texts."""
        from .training import flat_texts, train

        train(self, flat_texts(iterator), trainer)


def _checked_model(model: Any) -> Model:
    if isinstance(model, Model):
        return model
    state = getattr(model, "__getstate__", lambda: None)()
    if isinstance(state, bytes) and type(model).__module__.startswith("tokenizers"):
        return read_model_json(state)
    raise TypeError(f"'{type(model).__name__}' object is not an instance of 'Model'")


def _check_direction(direction: str, end: str) -> None:
    if direction not in ("left", "right"):
        raise ValueError(f"Unknown `direction`: `{direction}`. Use one of `left` or `right`{end}")


def checked_ids(ids: Any) -> list[int]:
    """Ids as a list of ints."""
    if isinstance(ids, str):
        raise TypeError("Can't extract `str` to `Vec`")
    if hasattr(ids, "tolist"):
        ids = ids.tolist()
    if not isinstance(ids, (list, tuple)):
        if not hasattr(ids, "__getitem__"):
            raise TypeError(f"'{type(ids).__name__}' is not an instance of 'Sequence'")
        ids = list(ids)
    if not all(type(id) is int for id in ids):
        ids = [id.__index__() if hasattr(id, "__index__") else _refuse_id(id) for id in ids]
    if ids and (min(ids) < 0 or max(ids) >= 2**32):
        raise OverflowError("out of range integral type conversion attempted")
    return list(ids)


def _refuse_id(id: object) -> int:
    raise TypeError(f"'{type(id).__name__}' object cannot be interpreted as an integer")


def _bare(encoding: Encoding) -> Encoding:
    """An encoding that has ids alone."""
    ids = encoding.ids
    size = len(ids)
    whole: Held = held([])._replace(
        columns=(ids, [0] * size, [""] * size, [None] * size, [(0, 0)] * size, [0] * size, [1] * size)
    )
    return Encoding._of([whole])


def _unpickled(state: bytes) -> Tokenizer:
    return Tokenizer._read(state)
