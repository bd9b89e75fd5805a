"""Every error code: something triggers it, with its class, a remedy and a line in the guide."""

from __future__ import annotations

import pickle
import re
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import anypiece as ap
from anypiece import Kind, Pieces, Sample, Spec, _native, errors
from anypiece._core.checks import class_of, raise_native
from anypiece.corpus.shards import Plan, plan_shards, run_shards, verify_shards, worker
from anypiece.formats import gguf, tiktoken
from anypiece.formats.gguf.file import packed
from anypiece.training.normalization import compiled_rules, read_rules
from anypiece.training.options import PieceOptions
from tests.support.data import ROOT
from tests.support.gguf import bpe_file
from tests.support.hf import document, written
from tests.support.small_files import BYTE_RANKS
from tests.support.small_vocabularies import BYTES, RANKS, UNIGRAM

GUIDE = ROOT / "docs" / "guide" / "errors.md"
TOK = ap.Tokenizer(UNIGRAM)


def file_of(folder: Path, suffix: str, change: Callable[[bytes], bytes]) -> Path:
    """A saved tokenizer with its bytes changed."""
    path = folder / f"changed.{suffix}"
    TOK.save(path)
    path.write_bytes(change(path.read_bytes()))
    return path


def with_piece(piece: str | bytes, score: float = -9.0, kind: int = Kind.NORMAL) -> Spec:
    return UNIGRAM.replace(pieces=Pieces.of([*UNIGRAM.pieces, (piece, score, kind)]))


def finished_stream() -> Any:
    stream = TOK.stream_encoder()
    stream.flush()
    return stream.flush()


def newer(data: bytes) -> bytes:
    return data[:8] + struct.pack("<I", 99) + data[12:]


def failing_samples(folder: Path) -> Any:
    TOK.replace(samples=(Sample("a", ("b",)),)).save(folder / "bad.model")
    return ap.load(folder / "bad.model")


def without_package() -> Any:
    try:
        sys.modules["matplotlib"] = None  # type: ignore[assignment]
        return ap.compare(TOK, "a").png()
    finally:
        del sys.modules["matplotlib"]


def table_of(blob: bytes, offsets: list[int], counts: list[int]) -> Any:
    try:
        return _native.Words(blob, np.array(offsets, "<u8").tobytes(), np.array(counts, "<u8").tobytes())
    except _native.NativeError as error:
        raise_native(error)


def rules_of(folder: Path, text: str) -> Any:
    (folder / "rules.tsv").write_text(text, encoding="utf-8")
    return read_rules(folder / "rules.tsv")


def lines_of(folder: Path, lines: bytes | str) -> Path:
    path = folder / "lines.txt"
    path.write_bytes(lines.encode() if isinstance(lines, str) else lines)
    return path


def planned(folder: Path, lines: bytes | str = "ab\n" * 2000, **options: Any) -> Plan:
    path = folder / "lines.txt"
    path = path if path.exists() else lines_of(folder, lines)
    return plan_shards(path, TOK, folder / "out", format="numpy", shard_size=1000, **options)


def damaged(folder: Path) -> Path:
    run_shards(planned(folder).folder, processes=1)
    (folder / "out" / "00000.npy").write_bytes(b"")
    return folder / "out"


def with_dying_workers(folder: Path) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "_START", "import os; os._exit(1)")
        return run_shards(planned(folder).folder, processes=2)


DOUBLED: dict[str, Any] = {
    "normalizer": ({"type": "replace", "pattern": {"literal": "a"}, "content": "aa"},) * 40,
    "add_dummy_prefix": False,
    "remove_extra_whitespaces": False,
    "escape_whitespaces": False,
}


def split_at(regex: str) -> Spec:
    rule = {"type": "split", "pattern": {"regex": regex}, "behavior": "isolated", "invert": False}
    return RANKS.replace(splitter=None, split_rules=(rule,))


TRIGGERS: dict[str, Callable[[Path], Any]] = {
    "file-unreadable": lambda folder: ap.load(folder / "missing.model"),
    "file-unwritable": lambda folder: TOK.save(folder / "missing" / "tok.model"),
    "format-unknown": lambda folder: ap.load(file_of(folder, "model", lambda data: b"a text")),
    "format-unwritable": lambda folder: TOK.save(folder / "tok.tiktoken"),
    "file-truncated": lambda folder: ap.load(file_of(folder, "model", lambda data: data[:-3])),
    "file-corrupt": lambda folder: ap.load(file_of(folder, "model", lambda data: data + b"\x0f")),
    "file-version": lambda folder: ap.load(file_of(folder, "anypiece", newer)),
    "checksum-mismatch": lambda folder: ap.load(
        file_of(folder, "anypiece", lambda data: data.replace("▁ab".encode(), "▁ac".encode(), 1)), verify=True
    ),
    "self-test-failed": failing_samples,
    "definition-unknown": lambda folder: ap.load(file_of(folder, "model", lambda data: BYTE_RANKS)),
    "definition-mismatch": lambda folder: tiktoken.read(BYTE_RANKS, definition="gpt2"),
    "rank-bytes": lambda folder: ap.load(file_of(folder, "model", lambda data: BYTE_RANKS[7:])),
    "rank-special": lambda folder: tiktoken.read(BYTE_RANKS, splitter="gpt2", specials={"<|end|>": 7}),
    "gguf-field": lambda folder: gguf.read(packed({})),
    "gguf-pre": lambda folder: gguf.read(bpe_file(pre="new")),
    "gguf-unsupported": lambda folder: gguf.read(packed({"tokenizer.ggml.model": ("string", b"test")})),
    "spec-pieces": lambda folder: ap.Tokenizer(Spec(Pieces.of([]))),
    "spec-piece-empty": lambda folder: ap.Tokenizer(with_piece("")),
    "spec-piece-too-long": lambda folder: ap.Tokenizer(with_piece("x" * 8000)),
    "spec-piece-nul": lambda folder: ap.Tokenizer(with_piece("x\0")),
    "spec-piece-utf8": lambda folder: ap.Tokenizer(with_piece(b"\xff")),
    "spec-piece-duplicate": lambda folder: ap.Tokenizer(with_piece("ab")),
    "spec-kind": lambda folder: ap.Tokenizer(with_piece("x", kind=7)),
    "spec-score": lambda folder: ap.Tokenizer(with_piece("x", score=float("nan"))),
    "spec-merges": lambda folder: ap.Tokenizer(UNIGRAM.replace(segmenter="bpe", merges=[[3, 4, 99]])),
    "spec-unknown": lambda folder: ap.Tokenizer(with_piece("x", kind=Kind.UNKNOWN)),
    "spec-bytes": lambda folder: ap.Tokenizer(BYTES.replace(byte_fallback=False)),
    "spec-charsmap": lambda folder: ap.Tokenizer(UNIGRAM.replace(charsmap=b"damaged")),
    "convert-lossy": lambda folder: ap.convert(
        ap.Tokenizer(UNIGRAM).replace(added=ap.Added.of([("x", 0, 1)])), folder / "a.model"
    ),
    "convert-differs": lambda folder: ap.convert(
        ap.Tokenizer(UNIGRAM),
        folder / "a.json",
        texts=["▁a"],
    ),
    "spec-added": lambda folder: ap.Tokenizer(UNIGRAM.replace(added=ap.Added.of([("a", 99, 0)]))),
    "chat-template": lambda folder: TOK.render_chat([]),
    "json-field": lambda folder: ap.load(written(folder, document(normalizer=[]))),
    "json-unsupported": lambda folder: ap.load(written(folder, document(decoder={"type": "Magic"}))),
    "spec-decoder": lambda folder: ap.Tokenizer(UNIGRAM.replace(decoder=({"type": "suffix", "suffix": ""},))),
    "spec-special-id": lambda folder: ap.Tokenizer(UNIGRAM.replace(bos_id=99)),
    "spec-config": lambda folder: ap.Tokenizer(UNIGRAM.replace(segmenter="sentence")),
    "spec-stages": lambda folder: ap.Tokenizer(UNIGRAM.replace(splitter="gpt2")),
    "spec-pattern": lambda folder: ap.Tokenizer(split_at(r"\X")),
    "stage-limit": lambda folder: ap.Tokenizer(UNIGRAM.replace(**DOUBLED)).encode("a"),
    "pattern-limit": lambda folder: ap.Tokenizer(split_at(r"(?:a(?=a)|a|aa)*b")).encode("a" * 99),
    "input-type": lambda folder: TOK.encode(None),  # type: ignore[arg-type]
    "input-too-long": lambda folder: TOK.encode(bytes(2**32)),  # zero pages that nobody touches cost no memory
    "arrow-type": lambda folder: TOK.encode_batch(pa.array([1])),
    "arrow-null": lambda folder: TOK.encode_batch(pa.array(["a", None])),
    "argument-value": lambda folder: TOK.split("a", 0),
    "special-missing": lambda folder: TOK.replace(bos_id=None).encode("a", add_special="bos"),
    "special-in-text": lambda folder: TOK.encode("<s>", specials="error"),
    "id-out-of-range": lambda folder: TOK.decode([99]),
    "piece-unknown": lambda folder: TOK.piece_to_id("no such piece"),
    "decode-invalid": lambda folder: ap.Tokenizer(BYTES).decode([3 + 0xFF], errors="strict"),
    "lattice-too-large": lambda folder: TOK.lattice("a" * 2**24),
    "lattice-unsupported": lambda folder: ap.Tokenizer(UNIGRAM.replace(segmenter="char")).lattice("a"),
    "sample-method": lambda folder: TOK.sample("a", 0.1, seed=1, method="dropout"),
    "words-table": lambda folder: table_of(b"ab", [0, 9], [1]),
    "words-differ": lambda folder: ap.train(ap.count_words(["a b"]), "byte-bpe"),
    "train-corpus": lambda folder: ap.train([]),
    "train-memory": lambda folder: ap.count_words(["a"], max_memory="1MB"),
    "extra-missing": lambda folder: without_package(),
    "train-option": lambda folder: PieceOptions(shrinking_factor=2.0),
    "train-vocab-size": lambda folder: PieceOptions(vocab_size=3),
    "rule-file": lambda folder: rules_of(folder, "0041\t0061\nx"),
    "rule-invalid": lambda folder: compiled_rules({"": "a"}),
    "rule-limit": lambda folder: compiled_rules({"a" * length: "" for length in range(1, 33)}),
    "shards-plan": lambda folder: run_shards(folder),
    "shards-differ": lambda folder: (planned(folder), planned(folder, min_tokens=2)),
    "shards-changed": lambda folder: (planned(folder), lines_of(folder, "b\n"), run_shards(folder / "out")),
    "shards-document": lambda folder: run_shards(planned(folder, b"\xff\n", on_bad_utf8="error").folder),
    "shards-worker": lambda folder: with_dying_workers(folder),
    "shards-unfinished": lambda folder: ap.Shards(planned(folder).folder),
    "shards-damaged": lambda folder: verify_shards(damaged(folder)),
    "internal-error": lambda folder: _native.fail_inside(False),
    "stream-finished": lambda folder: finished_stream(),
}

BUILTINS = {
    "file-unreadable": OSError,
    "file-unwritable": OSError,
    "input-type": TypeError,
    "id-out-of-range": IndexError,
    "internal-error": RuntimeError,
    "shards-worker": RuntimeError,
    "piece-unknown": KeyError,
}


def test_every_code_has_a_trigger() -> None:
    assert set(TRIGGERS) == set(errors.CODES)


@pytest.mark.parametrize("code", errors.CODES)
def test_it_is_raised(code: str, tmp_path: Path) -> None:
    with pytest.raises(ap.AnyPieceError) as found:
        TRIGGERS[code](tmp_path)
    error = found.value
    assert error.code == code, str(error)
    assert isinstance(error, class_of(code))
    assert isinstance(error, BUILTINS.get(code, ValueError))
    assert len(str(error)) > 20
    assert not re.search(r"\b(None|Errno)\b", str(error))


@pytest.mark.parametrize("code", errors.CODES)
def test_it_can_be_pickled(code: str, tmp_path: Path) -> None:
    with pytest.raises(ap.AnyPieceError) as found:
        TRIGGERS[code](tmp_path)
    again = pickle.loads(pickle.dumps(found.value))
    assert (type(again), again.code, str(again), again.facts) == (
        type(found.value),
        code,
        str(found.value),
        found.value.facts,
    )


def test_the_guide_has_a_row_for_every_code() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| ([^|]+) \| [^|]+ \|$", guide, re.MULTILINE))
    assert sorted(rows) == sorted(errors.CODES)
    meanings = {code: (rows[code].replace("`", ""), meaning.rstrip(".")) for code, meaning in errors.CODES.items()}
    assert [code for code, (said, meaning) in meanings.items() if not said.startswith(meaning)] == []


def test_the_guide_names_every_class() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    classes = [name for name in errors.__all__ if isinstance(getattr(errors, name), type)]
    assert [name for name in classes if f"`{name}`" not in guide] == []


def test_columns_of_different_lengths() -> None:
    short = Pieces(UNIGRAM.pieces.blob, UNIGRAM.pieces.offsets, UNIGRAM.pieces.scores[:-1], UNIGRAM.pieces.kinds)
    with pytest.raises(ap.SpecError) as error:
        ap.Tokenizer(UNIGRAM.replace(pieces=short))
    assert error.value.code == "spec-pieces"


def test_facts_are_plain_values() -> None:
    with pytest.raises(ap.UnknownIdError) as error:
        TOK.decode(np.array([3, 99]))
    assert error.value.facts == {"id": 99, "vocab_size": 11}
    assert type(error.value.facts["id"]) is int
