"""The bridge between a Spec and the kernel: columns there, columns back, and the name of the field that is refused."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import _native
from ..errors import FormatError, InputTypeError, SpecError
from ..metadata import Metadata
from ..spec import SPLITTERS, Added, Pieces, Sample, Spec
from .checks import checked_count, raise_native
from .json_text import parsed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["carried_metadata", "compiled", "spec_of", "stored"]

_PLACE = re.compile(r" at line 1 column (\d+)$")


def compiled(spec: Spec, cache_slots: int) -> _native.Tokenizer:
    """The kernel's tokenizer for a Spec, or the ``SpecError`` that says why there is none."""
    if not isinstance(spec, Spec):
        kind = type(spec).__name__
        raise InputTypeError(
            "input-type", f"A Tokenizer is made from a Spec, not {kind}. For a file use load().", type=kind
        )
    slots = checked_count(cache_slots, "cache_slots")
    config = spec.config()
    try:
        return _native.Tokenizer(json.dumps(config), _columns(spec), slots)
    except _native.NativeError as error:
        found = _PLACE.search(error.args[1]) if error.args[0] == "spec-config" else None
        if found is not None:
            _refuse_setting(config, int(found[1]), error.args[1])
        raise_native(error)
    except (TypeError, ValueError, RecursionError) as error:
        _refuse_what_is_no_json(config)
        raise error


def _refuse_setting(config: dict[str, Any], column: int, message: str) -> NoReturn:
    """Raise ``spec-config`` for the setting that ends at ``column`` of the JSON of all, or behind it."""
    end = 0
    for name, value in config.items():
        end += len(json.dumps({name: value}))  # its braces have the room of the comma and space between settings
        if end > column:
            break
    what = _PLACE.sub("", message).partition(": ")[2].replace("u32", "a whole number below 2**32")
    if name == "splitter":
        what = f"expected one of {', '.join(SPLITTERS)}, or None"
    text = f"the setting {name} cannot be {value!r:.80}: {what}"
    raise SpecError("spec-config", text, field=name, value=repr(value))


def _refuse_what_is_no_json(config: dict[str, Any]) -> None:
    """Raise ``spec-config`` for a setting that cannot be given to the kernel."""
    for name, value in config.items():
        try:
            json.dumps(value)
        except (TypeError, ValueError, RecursionError) as error:
            message = f"The setting {name} cannot be written as JSON, as all settings must: {error}. Use plain values."
            raise SpecError("spec-config", message, field=name) from None


def _columns(spec: Spec) -> dict[str, bytes]:
    pieces, added = spec.pieces, spec.added
    return {
        "blob": pieces.blob,
        "offsets": _little(pieces.offsets, "<u4"),
        "scores": _little(pieces.scores, "<f8" if pieces.scores.dtype == np.float64 else "<f4"),
        "kinds": _little(pieces.kinds, "u1"),
        "charsmap": spec.charsmap,
        "denormalizer": spec.denormalizer,
        "merges": _little(spec.merges, "<u4"),
        "added_blob": added.blob,
        "added_offsets": _little(added.offsets, "<u4"),
        "added_ids": _little(added.ids, "<u4"),
        "added_flags": _little(added.flags, "u1"),
    }


def _little(column: NDArray[np.generic], kind: str) -> bytes:
    return np.ascontiguousarray(column, kind).tobytes()


def spec_of(native: _native.Tokenizer) -> Spec:
    """The Spec that a kernel's tokenizer was made from; samples come from the extra section of its file."""
    try:
        config, columns = native.spec_columns()
    except _native.NativeError as error:
        code, what, _ = error.args
        message = f"The vocabulary of this .anypiece file is damaged ({code}: {what}). Write it again from its source."
        raise FormatError("file-corrupt", message) from None

    def numbers(name: str, kind: str) -> NDArray[Any]:
        return np.frombuffer(columns[name], kind)

    scores = numbers("scores", "<f8" if len(columns["scores"]) == 8 * len(columns["kinds"]) else "<f4")
    pieces = Pieces(columns["blob"], numbers("offsets", "<u4"), scores, numbers("kinds", "u1"))
    offsets = numbers("added_offsets", "<u4")
    added = Added(columns["added_blob"], offsets, numbers("added_ids", "<u4"), numbers("added_flags", "u1"))
    blobs: dict[str, Any] = {"charsmap": columns["charsmap"], "denormalizer": columns["denormalizer"]}
    merges = numbers("merges", "<u4").reshape(-1, 3)
    fields = json.loads(config)
    fields |= {name: tuple(fields[name]) for name in ("normalizer", "split_rules")}
    fields |= {name: tuple(fields[name]) for name in ("decoder",) if fields[name] is not None}
    fields |= {name: tuple(map(tuple, fields[name])) for name in ("single", "pair") if fields[name] is not None}
    is_looked_up = fields["segmenter"] in ("bpe", "char", "word") and fields["symbols"] == "characters"
    if not is_looked_up or len(merges) or fields["match_kinds"] != "text":  # then older files say nothing by it
        fields["reserved"] = Spec.reserved
    return Spec(pieces, added=added, merges=merges, samples=_samples_of(native.extra), **blobs, **fields)


def stored(native: _native.Tokenizer, samples: tuple[Sample, ...], metadata: Metadata | None = None) -> bytes:
    """The bytes of an .anypiece file that carries ``samples``, and metadata."""
    extra: dict[str, Any] = {"samples": [[sample.text, *sample.pieces] for sample in samples]}
    more = {} if metadata is None else metadata.to_json()
    return native.store(json.dumps(extra | ({"beside": more} if more else {}), ensure_ascii=False).encode())


def carried_metadata(native: _native.Tokenizer) -> Metadata | None:
    """The metadata of an .anypiece file, if it has any."""
    extra = native.extra
    if b'"beside"' not in extra:
        return None
    try:
        found = parsed(extra).get("beside")
        return None if found is None else Metadata.from_json(found)
    except (ValueError, TypeError, AttributeError):
        _refuse_extra("chat template")


def _samples_of(extra: bytes) -> tuple[Sample, ...]:
    if not extra:
        return ()
    try:
        rows = parsed(extra)["samples"]
        return tuple(Sample(str(text), tuple(map(str, pieces))) for text, *pieces in rows)
    except (ValueError, KeyError, TypeError):
        _refuse_extra("self-test samples")


def _refuse_extra(what: str) -> NoReturn:
    message = f"The {what} of this .anypiece file cannot be read. Write it again from its source."
    raise FormatError("file-corrupt", message)
