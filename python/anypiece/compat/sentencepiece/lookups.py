"""The part of ``SentencePieceProcessor`` that is not about texts: loading, look-ups, settings, pickling."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UnknownIdError
from ...io.paths import read_bytes
from ...spec import Kind
from .encoding import EXTRA, checked, raw_of
from .errors import RefusedError, WrongTypeError, refusals
from .model import Model
from .normalizing import normalized

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from ...tokenizer import Tokenizer

__all__ = ["Lookups"]


class Lookups:
    """A model that may be loaded, and what is known of its pieces."""

    dialect = "sentencepiece"
    """The release whose ids are given; ``"sentencepiece-0.2.1"`` on a subclass, or before loading, for an older one."""

    def __init__(self) -> None:
        self._loaded: Model | None = None
        self._encode_extra: tuple[str, ...] = ()
        self._decode_extra: tuple[str, ...] = ()

    @property
    def _model(self) -> Model:
        if self._loaded is None:
            raise RuntimeError("Model is not initialized.")
        return self._loaded

    @property
    def tokenizer(self) -> Tokenizer:
        """The ``anypiece.Tokenizer`` behind it."""
        return self._model.tokenizer

    # -- load
    @classmethod
    def from_file(cls, model_file: Any, **kwargs: Any) -> Self:
        """A processor of a file."""
        made = cls(**_without_model(kwargs))
        made.load_from_file(model_file)
        return made

    @classmethod
    def from_proto(cls, model_proto: Any, **kwargs: Any) -> Self:
        """A processor of a file's content."""
        made = cls(**_without_model(kwargs))
        made.load_from_serialized_proto(model_proto)
        return made

    def load(self, model_file: Any = None, model_proto: Any = None) -> bool:
        """Load a file, or the content of one."""
        if model_file and model_proto:
            raise RefusedError("model_file and model_proto must be exclusive.")
        if not model_file and not model_proto:
            raise RefusedError("Either model_file or model_proto must be specified.")
        return self.load_from_serialized_proto(model_proto) if model_proto else self.load_from_file(model_file)

    def load_from_file(self, filename: Any) -> bool:
        """Load a file."""
        if not isinstance(filename, (str, bytes, Path)):
            raise WrongTypeError("not a string")
        self._loaded = Model.of_file(filename.decode() if isinstance(filename, bytes) else str(filename), self.dialect)
        return True

    def load_from_serialized_proto(self, serialized: Any) -> bool:
        """Load the content of a file, or a protobuf message of it."""
        if hasattr(serialized, "SerializeToString"):
            serialized = serialized.SerializeToString()
        if not isinstance(serialized, bytes):
            raise WrongTypeError("not a string")
        self._loaded = Model.of_bytes(serialized, self.dialect)
        return True

    def serialized_model_proto(self) -> bytes:
        """The content of the file, with what was changed since."""
        return self._loaded.content if self._loaded else b""

    Load, LoadFromFile, LoadFromSerializedProto = load, load_from_file, load_from_serialized_proto

    # -- settings
    def set_encode_extra_options(self, extra_option: str) -> bool:
        """Set what every encoding gets: ``bos``, ``eos``, ``reverse``, ``unk`` with colons between them."""
        self._encode_extra = _extra(extra_option, self._model)
        return True

    def set_decode_extra_options(self, extra_option: str) -> bool:
        """Set what is done to ids before every decoding."""
        self._decode_extra = _extra(extra_option, self._model)
        return True

    def set_vocabulary(self, valid_vocab: Sequence[str]) -> bool:
        """Use these pieces alone, and single characters."""
        if not isinstance(valid_vocab, (list, tuple, set, frozenset)):
            raise WrongTypeError("the pieces must be a list")
        names = [raw_of(piece).decode("utf-8", "replace") for piece in valid_vocab]
        self._loaded = self._model.restricted(names)
        return True

    def reset_vocabulary(self) -> bool:
        """Use all pieces again."""
        self._loaded = self._model.unrestricted()
        return True

    def load_vocabulary(self, filename: Any, threshold: int) -> bool:
        """Use the pieces of a file alone that has a piece, and behind a tab its frequency, on each line: those that are
        at least as frequent as ``threshold``."""
        with refusals():
            lines = read_bytes(Path(filename)).decode("utf-8", "replace").splitlines()
        rows = [line.split("\t") for line in lines]
        if not all(row[0] for row in rows):
            raise RefusedError(f"{filename} has a line without a piece")
        try:
            counts = [int(row[1]) if len(row) > 1 else 1 for row in rows]
        except ValueError:
            raise RefusedError(f"{filename} has a frequency that is not a number") from None
        return self.set_vocabulary([row[0] for row, count in zip(rows, counts, strict=True) if count >= threshold])

    def override_normalizer_spec(self, **kwargs: Any) -> bool:
        """Change ``add_dummy_prefix``, ``remove_extra_whitespaces`` or ``escape_whitespaces``."""
        self._loaded = self._model.normalizing(kwargs)
        return True

    SetEncodeExtraOptions, SetDecodeExtraOptions = set_encode_extra_options, set_decode_extra_options
    SetVocabulary, ResetVocabulary, LoadVocabulary = set_vocabulary, reset_vocabulary, load_vocabulary
    OverrideNormalizerSpec = override_normalizer_spec

    # -- text without segmentation
    def normalize(self, input: Any, with_offsets: bool | None = None) -> Any:
        """A text, or each of a list, as the segmenter sees it, with the places that it comes from if asked for."""
        if isinstance(input, list):
            return [normalized(self._model.tokenizer, checked(text), bool(with_offsets)) for text in input]
        return normalized(self._model.tokenizer, checked(input), bool(with_offsets))

    def calculate_entropy(self, input: Any, alpha: float, num_threads: int | None = None) -> Any:
        """The entropy of all segmentations of a text, or of each of a list. For unigram models."""
        if num_threads is not None and not isinstance(num_threads, int):
            raise WrongTypeError("num_threads must be int")
        if not self._model.is_unigram:
            raise RefusedError("CalculateEntropy is not available for the current model.")
        if isinstance(input, list):
            return [self._entropy(text, alpha) for text in input]
        return self._entropy(input, alpha)

    def _entropy(self, text: Any, alpha: float) -> float:
        with refusals():
            return self.tokenizer.lattice(checked(text)).entropy(alpha)

    Normalize, CalculateEntropy = normalize, calculate_entropy

    # -- look-ups
    def get_piece_size(self) -> int:
        """How many pieces there are."""
        return self._loaded.size if self._loaded else 0

    GetPieceSize = piece_size = vocab_size = get_piece_size

    def piece_to_id(self, piece: Any) -> Any:
        """The id of a piece, or of each of a list; that of the unknown piece where there is none."""
        if isinstance(piece, (list, tuple)):
            return [self.piece_to_id(one) for one in piece]
        name = raw_of(piece).decode("utf-8", "replace")
        return self._loaded.ids.get(name, self._loaded.unk_id) if self._loaded else 0

    def _look_up(self, id: Any, found: Callable[[Model, int], Any]) -> Any:
        if hasattr(id, "__len__") and not isinstance(id, (str, bytes)):
            return [self._look_up(one, found) for one in id]
        number = _checked_id(id, self.get_piece_size())
        return found(self._model, number)

    def id_to_piece(self, id: Any) -> Any:
        """The spelling of a piece, or of each of a list."""
        return self._look_up(id, lambda model, number: model.pieces[number])

    def get_score(self, id: Any) -> Any:
        """The score of a piece, or of each of a list."""
        return self._look_up(id, lambda model, number: model.tokenizer.score(number))

    def is_unknown(self, id: Any) -> Any:
        """Whether a piece, or each of a list, is the unknown one."""
        return self._look_up(id, lambda model, number: model.kinds[number] == Kind.UNKNOWN)

    def is_control(self, id: Any) -> Any:
        """Whether a piece, or each of a list, is a control piece."""
        return self._look_up(id, lambda model, number: model.kinds[number] == Kind.CONTROL)

    def is_unused(self, id: Any) -> Any:
        """Whether a piece, or each of a list, is not used."""
        return self._look_up(id, lambda model, number: model.kinds[number] == Kind.UNUSED)

    def is_byte(self, id: Any) -> Any:
        """Whether a piece, or each of a list, is a byte."""
        return self._look_up(id, lambda model, number: model.kinds[number] == Kind.BYTE)

    PieceToId, IdToPiece, GetScore = piece_to_id, id_to_piece, get_score
    IsUnknown, IsControl, IsUnused, IsByte = is_unknown, is_control, is_unused, is_byte

    def unk_id(self) -> int:
        return self._loaded.unk_id if self._loaded else -1

    def bos_id(self) -> int:
        return self._loaded.special_id("bos") if self._loaded else -1

    def eos_id(self) -> int:
        return self._loaded.special_id("eos") if self._loaded else -1

    def pad_id(self) -> int:
        return self._loaded.special_id("pad") if self._loaded else -1

    def __len__(self) -> int:
        return self.get_piece_size()

    def __getitem__(self, piece: Any) -> Any:
        return self.piece_to_id(piece)

    # -- what decoding reads
    def _read_ids(self, row: Any) -> list[int]:
        size = self.get_piece_size()
        return [_checked_id(id, size) for id in (row.tolist() if hasattr(row, "tolist") else row)]

    def _read_pieces(self, row: Sequence[Any]) -> tuple[list[int], list[bytes]]:
        raw = [raw_of(piece) for piece in row]
        return [self.piece_to_id(piece) for piece in raw], raw

    # -- pickle
    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name != "_loaded"}
        return state | {"model_proto": self.serialized_model_proto()}

    def __setstate__(self, state: Any) -> None:
        options = dict(state) if isinstance(state, dict) else {"model_proto": state}
        content = options.pop("model_proto")
        type(self).__init__(self)
        self.__dict__.update(options)
        if content:
            self.load_from_serialized_proto(content)


def _without_model(kwargs: dict[str, Any]) -> dict[str, Any]:
    if "model_file" in kwargs or "model_proto" in kwargs:
        raise RefusedError("model_file and model_proto are not options here")
    return kwargs


def _checked_id(id: Any, size: int) -> int:
    if isinstance(id, (str, bytes, float)) or not hasattr(id, "__index__"):
        raise WrongTypeError(f"an id must be an int, not {type(id).__name__}")
    number: int = id.__index__()
    if not 0 <= number < size:
        raise UnknownIdError("id-out-of-range", "piece id is out of range.", id=number, vocab_size=size)
    return number


def _extra(options: str, model: Model) -> tuple[str, ...]:
    """The extra options of a string."""
    if not isinstance(options, str):
        raise WrongTypeError("not a string")
    names = tuple(name for name in options.split(":") if name)
    for name in names:
        if name not in EXTRA:
            raise RefusedError(f'option "{name}" is not available.')
        if name in ("bos", "eos") and model.special_id(name) < 0:
            raise RefusedError(f"the model has no {name} piece")
    return names
