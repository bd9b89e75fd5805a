"""One table of calls for sentencepiece and for our face of it: what each answers about texts, ready for JSON.

Run as a module it answers for the release that is first on the path: ``python -m tests.support.sentencepiece_calls`` reads
a request from stdin, and a failed call is its error's class by the built-ins that programs catch.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["COMMON", "NEWER", "OLDER", "answers", "shown"]

_ERRORS = (TypeError, IndexError, ValueError, OSError, RuntimeError)

COMMON: dict[str, Callable[[Any, str], Any]] = {
    "ids": lambda sp, text: sp.encode(text),
    "ids of bytes": lambda sp, text: sp.encode(text.encode()),
    "pieces": lambda sp, text: sp.encode(text, out_type=str),
    "unknown pieces": lambda sp, text: sp.encode(text, out_type=str, emit_unk_piece=True),
    "marks": lambda sp, text: sp.encode(text, add_bos=sp.bos_id() >= 0, add_eos=sp.eos_id() >= 0, reverse=True),
    "marked pieces": lambda sp, text: sp.encode(text, out_type=str, add_bos=sp.bos_id() >= 0, reverse=True),
    "proto": lambda sp, text: sp.encode(text, out_type="serialized_proto"),
    "batch": lambda sp, text: sp.encode([text, "", text[:3]], num_threads=2),
    "normalized": lambda sp, text: sp.normalize(text),
    "offsets": lambda sp, text: list(sp.normalize(text, with_offsets=True)),
    "byte offsets": lambda sp, text: list(sp.normalize(text.encode(), with_offsets=True)),
    "decoded": lambda sp, text: sp.decode(sp.encode(text)),
    "decoded pieces": lambda sp, text: sp.decode(sp.encode(text, out_type=str)) if text else "",
    "decoded proto": lambda sp, text: sp.decode(sp.encode(text), out_type="serialized_proto") if text else "",
    "decoded pieces proto": lambda sp, text: sp.decode(["\u2581x", *text, "<unk>"], out_type="serialized_proto"),
    "decoded backwards": lambda sp, text: sp.decode(sp.encode(text)[::-1], out_type="serialized_proto") if text else "",
    "looked up": lambda sp, text: [
        sp.piece_to_id([*text]),
        sp.id_to_piece(sp.encode(text)),
        sp.is_byte(sp.encode(text)),
    ],
}
"""What all releases have."""

OLDER: dict[str, Callable[[Any, str], Any]] = {
    "immutable": lambda sp, text: sp.encode(text, out_type="immutable_proto").SerializeAsString(),
    "immutable text": lambda sp, text: str(sp.encode(text, out_type="immutable_proto")),
    "decoded immutable": lambda sp, text: str(sp.decode(sp.encode(text), out_type="immutable_proto")) if text else "",
    "restricted": lambda sp, text: _restricted(sp, text),
    "extra": lambda sp, text: _extra(sp, text),
    "plain spaces": lambda sp, text: _overridden(sp, text),
}
"""What 0.2.1 has and 0.2.3 does not. The last changes the processor for good."""

NEWER: dict[str, Callable[[Any, str], Any]] = {
    "piece bytes": lambda sp, text: sp.encode(text, return_type=bytes),
    "numpy": lambda sp, text: sp.encode(text, return_type="numpy").tolist(),
    "mapping": lambda sp, text: sp.encode(text, return_type="offset_mapping"),
    "mapping of bytes": lambda sp, text: sp.encode(text.encode(), return_type="offset_mapping"),
    "decoded mapping": lambda sp, text: sp.decode(sp.encode(text), return_type="offset_mapping"),
    "decoded bytes": lambda sp, text: sp.decode(sp.encode(text, return_type=bytes)),
    "parallel": lambda sp, text: sp.parallel_encode(text, chunk_len=1 << 20),
    "marks that may be none": lambda sp, text: sp.encode(text, out_type=str, add_bos=True, add_eos=True),
    "errors": lambda sp, text: sp.decode([*sp.encode(text), len(sp)]),
    "wrong type": lambda sp, text: sp.encode([text, len(text)]),
    "wrong result": lambda sp, text: sp.encode(text, out_type=float),
    "wrong threads": lambda sp, text: sp.encode([text], num_threads=text),
    "wrong draw": lambda sp, text: sp.encode(text, enable_sampling=True, nbest_size=1),
}
"""What 0.2.3 has, or answers otherwise than 0.2.1."""


_STEPS = {"restricted": 5, "plain spaces": 5}
"""Calls that are made for one text in this number: each builds the tokenizer anew."""


def _restricted(sp: Any, text: str) -> Any:
    ids = list(range(len(sp)))
    if any(sp.is_unused(ids)) or any(sp.is_byte(ids)):
        return None  # 0.2.1 makes plain pieces of these for good
    sp.set_vocabulary([*sp.encode(text, out_type=str)[::2], "\u2581the", "ing"])
    found = [sp.encode(text), sp.is_unused([0, 1, 4, 5])]
    sp.reset_vocabulary()
    return [*found, sp.encode(text)]


def _extra(sp: Any, text: str) -> Any:
    found = []
    marks = [name for name in ("bos", "eos") if getattr(sp, f"{name}_id")() >= 0]
    for options in (
        ":".join(marks),
        ":".join(["reverse", *marks]),
        "unk",
        ":".join([*marks[1:], "reverse", *marks[:1]]),
    ):
        sp.set_encode_extra_options(options)
        found += [sp.encode(text), sp.encode(text, out_type=str), sp.encode(text, out_type="serialized_proto")]
        sp.set_encode_extra_options("")
    sp.set_decode_extra_options("reverse")
    found += [sp.decode(sp.encode(text)), sp.decode(sp.encode(text), out_type="serialized_proto") if text else ""]
    sp.set_decode_extra_options("")
    return found


def _overridden(sp: Any, text: str) -> Any:
    sp.override_normalizer_spec(add_dummy_prefix=False)
    sp.override_normalizer_spec(remove_extra_whitespaces=False)
    sp.override_normalizer_spec(escape_whitespaces=False)
    return [sp.encode(text), sp.encode(text, out_type=str), sp.normalize(text)]


def shown(found: Any) -> Any:
    """An answer as JSON has it."""
    if isinstance(found, bytes):
        return found.hex()
    if isinstance(found, dict):
        return {name: shown(value) for name, value in found.items()}
    return [shown(value) for value in found] if isinstance(found, (list, tuple)) else found


def answers(package: Any, model: bytes, texts: list[str], calls: list[str]) -> dict[str, list[Any]]:
    """The answers to calls, for each text."""
    sp = package.SentencePieceProcessor(model_proto=model)
    table = COMMON | OLDER | NEWER
    return {name: [_answer(table[name], sp, text) for text in texts[:: _STEPS.get(name, 1)]] for name in calls}


def _answer(call: Callable[[Any, str], Any], sp: Any, text: str) -> Any:
    try:
        return shown(call(sp, text))
    except _ERRORS as error:
        return [f"raises {kind.__name__}" for kind in _ERRORS if isinstance(error, kind)]


def main() -> None:
    """Answer one request."""
    package: Any = import_module("sentencepiece")
    package.set_min_log_level(3)
    request = json.load(sys.stdin)
    found = answers(package, bytes.fromhex(request["model"]), request["texts"], request["calls"])
    json.dump({"version": package.__version__, "answers": found}, sys.stdout)


if __name__ == "__main__":
    main()
