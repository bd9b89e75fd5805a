"""``SentencePieceNormalizer``: the normalizer of a model, of a named rule, of a file of rules or of a map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..._core.checks import raise_native
from ..._native import NativeError, scan_wire_records
from ...formats.wire import protobuf
from ...io.paths import read_bytes
from ...reference.charsmap import CharsMap
from ...spec import Kind, Pieces, Spec
from ...tokenizer import Tokenizer
from ...training.normalization import RULES, charsmap_of, compiled_rules
from .encoding import checked
from .errors import NotFoundError, RefusedError, WrongTypeError, refusals
from .model import truth
from .normalizing import normalized

__all__ = ["Rules", "SentencePieceNormalizer"]

_NORMALIZER = 3
_FLAGS = {"add_dummy_prefix": 3, "remove_extra_whitespaces": 4, "escape_whitespaces": 5}


@dataclass(frozen=True)
class Rules:
    """A ``NormalizerSpec``: a character map with its name, if it has one, and flags, which are true unless they are set."""

    charsmap: bytes
    name: str | None = None
    flags: tuple[tuple[str, bool], ...] = ()

    def with_flag(self, name: str, value: bool) -> Rules:
        """These rules with a flag set."""
        return replace(
            self, flags=tuple(sorted({**dict(self.flags), name: value}.items(), key=lambda row: _FLAGS[row[0]]))
        )

    def serialized(self) -> bytes:
        """The message."""
        name = b"" if self.name is None else protobuf.bytes_field(1, self.name.encode())
        flags = b"".join(protobuf.varint_field(_FLAGS[flag], int(value)) for flag, value in self.flags)
        return name + protobuf.bytes_field(2, self.charsmap) + flags

    @classmethod
    def parsed(cls, message: bytes) -> Rules:
        """The rules of a message."""
        with refusals():
            found: dict[int, Any] = {field.number: field.value for field in protobuf.fields(message)}
        name, charsmap = found.get(1), found.get(2, b"")
        if not isinstance(charsmap, bytes) or not isinstance(name, (bytes, type(None))):
            raise RefusedError("the normalizer of the model cannot be read")
        flags = tuple((flag, bool(found[number])) for flag, number in _FLAGS.items() if number in found)
        return cls(charsmap, None if name is None else name.decode("utf-8", "replace"), flags)

    def tokenizer(self) -> Tokenizer:
        """A tokenizer that normalizes so."""
        pieces = Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), ("a", 0.0, Kind.NORMAL)])
        fields: dict[str, Any] = {"charsmap": self.charsmap, **dict(self.flags)}
        with refusals():
            return Tokenizer(Spec(pieces, **fields))

    def rows(self) -> list[tuple[str, str]]:
        """The replacements, in the order of their bytes."""
        return [] if not self.charsmap else _rows(CharsMap(self.charsmap))


def _rows(charsmap: CharsMap) -> list[tuple[str, str]]:
    units, targets = charsmap.units, charsmap.targets
    found: list[tuple[str, str]] = []
    todo = [(b"", _children(units[0]))]
    while todo:
        key, place = todo.pop()
        deeper = []
        for byte in range(1, 256):
            unit = units[place ^ byte]
            if unit & 0x800000FF != byte:
                continue
            below = (place ^ byte) ^ _children(unit)
            deeper.append((key + bytes([byte]), below))
            if unit >> 8 & 1:
                value = units[below] & 0x7FFFFFFF
                target = targets[value : targets.index(b"\0", value)]
                found.append(((key + bytes([byte])).decode("utf-8", "replace"), target.decode()))
        todo += reversed(deeper)
    return sorted(found, key=lambda row: row[0].encode())


def _children(unit: int) -> int:
    return unit >> 10 << ((unit & 1 << 9) >> 6)


class SentencePieceNormalizer:
    """A normalizer by itself. Flags that are not given are off, as up to sentencepiece 0.2.2.

    >>> SentencePieceNormalizer(rule_name="nfkc_cf").normalize("ＡＢＣ")
    'abc'
    """

    def __init__(
        self,
        model_file: Any = None,
        model_proto: Any = None,
        rule_tsv: Any = None,
        rule_name: str | None = None,
        add_dummy_prefix: bool = False,
        escape_whitespaces: bool = False,
        remove_extra_whitespaces: bool = False,
        *,
        normalizer_spec: Any = None,
        norm_map: Any = None,
    ) -> None:
        if model_file:
            self.load_from_file(model_file)
        elif model_proto:
            self.load_from_serialized_proto(model_proto)
        elif normalizer_spec:
            self.load_from_serialized_normalizer_spec(normalizer_spec)
        elif rule_tsv:
            self.load_from_rule_tsv(rule_tsv)
        elif rule_name:
            self.load_from_rule_name(rule_name)
        elif norm_map:
            self.load_from_map(norm_map)
        else:
            raise RefusedError("no model is specified")
        flags = {"add_dummy_prefix": add_dummy_prefix, "remove_extra_whitespaces": remove_extra_whitespaces}
        for name, value in (flags | {"escape_whitespaces": escape_whitespaces}).items():
            if value is not None:
                self._set(self._rules.with_flag(name, truth(value)))

    init = Init = __init__

    def _set(self, rules: Rules) -> bool:
        self._rules = rules
        self._tokenizer = rules.tokenizer()
        return True

    def load_from_file(self, filename: Any) -> bool:
        """The normalizer of a model file."""
        with refusals():
            data = read_bytes(Path(filename))
        return self.load_from_serialized_proto(data)

    def load_from_serialized_proto(self, serialized: Any) -> bool:
        """The normalizer of a model file's content."""
        data = _serialized(serialized)
        try:
            *_, rest = scan_wire_records(data, 1)
        except NativeError as error:
            with refusals():
                raise_native(error)
        messages = [data[start:end] for number, start, end, _ in rest if number == _NORMALIZER]
        with refusals():
            fields = [next(protobuf.fields(message)).value for message in messages]
        return self._set(Rules.parsed(b"".join(field for field in fields if isinstance(field, bytes))))

    def load_from_serialized_normalizer_spec(self, serialized: Any) -> bool:
        """The normalizer of a ``NormalizerSpec`` message."""
        return self._set(Rules.parsed(_serialized(serialized)))

    def load_from_rule_tsv(self, filename: Any) -> bool:
        """The normalizer of a file of rules."""
        with refusals():
            return self._set(Rules(charsmap_of(tsv=filename), "user_defined"))

    def load_from_rule_name(self, name: str) -> bool:
        """A named normalizer."""
        if name not in RULES:
            raise NotFoundError(f"No precompiled charsmap is found: {name}; there are {', '.join(RULES)}")
        return self._set(Rules(charsmap_of(name), name))

    def load_from_map(self, norm_map: Any) -> bool:
        """The normalizer of pairs of texts, or of a dictionary."""
        with refusals():
            return self._set(Rules(compiled_rules(norm_map)))

    def normalize(self, input: Any, with_offsets: bool | None = None) -> Any:
        """A text, or each of a list, normalized; with the places that it comes from if asked for."""
        if isinstance(input, list):
            return [normalized(self._tokenizer, checked(text), bool(with_offsets)) for text in input]
        return normalized(self._tokenizer, checked(input), bool(with_offsets))

    def decompile(self) -> list[tuple[str, str]]:
        """The rules: what is replaced by what."""
        return self._rules.rows()

    def serialized_normalizer_spec(self) -> bytes:
        """The ``NormalizerSpec``."""
        return self._rules.serialized()

    def serialized_model_proto(self) -> bytes:
        """A model with the normalizer alone."""
        return protobuf.bytes_field(_NORMALIZER, self._rules.serialized())

    LoadFromFile, LoadFromSerializedProto = load_from_file, load_from_serialized_proto
    LoadFromSerializedNormalizerSpec, LoadFromMap = load_from_serialized_normalizer_spec, load_from_map
    LoadFromRuleName, LoadFromRuleTSV, load_from_rule_t_s_v = (
        load_from_rule_name,
        load_from_rule_tsv,
        load_from_rule_tsv,
    )
    Normalize, Decompile = normalize, decompile

    def __getstate__(self) -> bytes:
        return self.serialized_model_proto()

    def __setstate__(self, state: bytes) -> None:
        self.load_from_serialized_proto(state)


def _serialized(message: Any) -> bytes:
    if hasattr(message, "SerializeToString"):
        message = message.SerializeToString()
    if not isinstance(message, bytes):
        raise WrongTypeError("not a string")
    return message
