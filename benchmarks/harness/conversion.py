"""``tokenizer.json`` files for peers that cannot read a ``.model``.

Owns two small conversions into the cache: a published file without its template (so that every call returns content
ids only), and a ``.model`` of kind unigram or BPE where no published file has the same vocabulary. Only what the
benchmarked files use is converted; whether a peer's ids then equal the reference's is measured, not assumed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sentencepiece

from benchmarks.harness.definition import TokenizerFiles
from benchmarks.harness.places import CACHE, data_file

NORMALIZER_SPEC, CHARSMAP = 3, 2


def tokenizer_json(files: TokenizerFiles) -> Path:
    """Return the ``tokenizer.json`` of a vocabulary: the published file where the definition names one."""
    return without_template(data_file(files.json)) if files.json else from_model(data_file(files.model))


def without_template(source: Path) -> Path:
    """Return a copy of a ``tokenizer.json`` whose post-processor is gone."""
    target = CACHE / "files" / "bare" / source.name
    if not target.is_file():
        write(target, json.loads(source.read_bytes()) | {"post_processor": None})
    return target


def from_model(source: Path) -> Path:
    """Return a ``tokenizer.json`` with the pieces, scores and normalizer of a ``.model``."""
    target = CACHE / "files" / "converted" / f"{source.stem}.tokenizer.json"
    if not target.is_file():
        processor: Any = sentencepiece.SentencePieceProcessor(model_file=str(source))
        write(target, convert(processor, normalizer_fields(source.read_bytes())))
    return target


def convert(processor: Any, spec: dict[int, Any]) -> dict[str, Any]:
    """Build the JSON document."""
    size = processor.get_piece_size()
    pieces = [(processor.id_to_piece(id), processor.get_score(id)) for id in range(size)]
    unigram = not processor.is_byte(processor.piece_to_id("<0x41>"))
    # BPE cannot reach a control piece by merging, so text that spells one stays text; unigram would match it.
    controls = [id for id in range(size) if unigram and (processor.is_control(id) or processor.is_unknown(id))]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_token(id, pieces[id][0]) for id in controls],
        "normalizer": {"type": "Sequence", "normalizers": normalizers(spec, unigram)},
        "pre_tokenizer": word_split() if unigram else None,
        "post_processor": None,
        "decoder": metaspace() if unigram else None,
        "model": unigram_model(pieces, processor.unk_id()) if unigram else bpe_model(pieces),
    }


def added_token(id: int, content: str) -> dict[str, Any]:
    """Return the entry of one special token."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": id, "content": content, **flags, "special": True}


def normalizers(spec: dict[int, Any], unigram: bool) -> list[dict[str, Any]]:
    """Return the stages: the charsmap, and for BPE the space marks that no pre-tokenizer adds."""
    stages: list[dict[str, Any]] = []
    if spec.get(CHARSMAP):
        charsmap = base64.b64encode(spec[CHARSMAP]).decode()
        stages.append({"type": "Precompiled", "precompiled_charsmap": charsmap})
    if not unigram:
        stages.append({"type": "Prepend", "prepend": "▁"})
        stages.append({"type": "Replace", "pattern": {"String": " "}, "content": "▁"})
    return stages


def word_split() -> dict[str, Any]:
    """Return the pre-tokenizer of the published T5 and XLM-R files; it also drops extra whitespace."""
    return {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace()]}


def metaspace() -> dict[str, Any]:
    """Return the stage that marks spaces and splits at the marks."""
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}


def unigram_model(pieces: list[tuple[str, float]], unk_id: int) -> dict[str, Any]:
    """Return pieces with their scores."""
    return {"type": "Unigram", "unk_id": unk_id, "vocab": [list(piece) for piece in pieces], "byte_fallback": False}


def bpe_model(pieces: list[tuple[str, float]]) -> dict[str, Any]:
    """Return pieces with the merge list that their scores imply: every split into two pieces, best score first."""
    ids = {piece: id for id, (piece, _) in enumerate(pieces)}
    found: list[tuple[float, int, int, str, str]] = []
    for piece, score in pieces:
        for at in range(1, len(piece)):
            left, right = piece[:at], piece[at:]
            if left in ids and right in ids:
                found.append((-score, ids[left], ids[right], left, right))
    merges = [[left, right] for *_, left, right in sorted(found)]
    facts = {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, "ignore_merges": False, "dropout": None}
    return {"type": "BPE", **facts, "vocab": ids, "merges": merges}


def normalizer_fields(data: bytes) -> dict[int, Any]:
    """Return the numbered fields of a ``.model``'s normalizer message."""
    return dict(wire_fields(dict(wire_fields(data)).get(NORMALIZER_SPEC, b"")))


def wire_fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Yield (field number, value) of one protobuf message: integers, or bytes for everything else."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, value
            continue
        size = {1: 8, 5: 4}.get(key & 7)
        if size is None:
            size, at = varint(data, at)
        yield key >> 3, data[at : at + size]
        at += size


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Read one variable-length integer; return it and the place after it."""
    value = shift = 0
    while data[at] & 0x80:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
    return value | data[at] << shift, at + 1


def write(target: Path, document: dict[str, Any]) -> None:
    """Write JSON in one step."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".partial")
    partial.write_text(json.dumps(document, ensure_ascii=False), "utf-8")
    partial.rename(target)
