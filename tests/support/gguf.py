"""GGUF files made by hand, and llama.cpp's answers for real ones."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from anypiece.formats import gguf
from anypiece.formats.gguf_file import packed
from tests.support import data

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from anypiece import Spec

__all__ = [
    "GGUF_SPECS",
    "Answers",
    "answers",
    "file_of",
    "files",
    "golden_texts",
    "llama_rows",
    "own_vectors",
    "spm_file",
]

Row = tuple[str, float, int]


def file_of(model: str, rows: Iterable[Row], more: dict[str, tuple[str, Any]] | None = None, **options: Any) -> bytes:
    """A file with tokens of ``(text, score, type)``; ``more`` are other fields."""
    listed = list(rows)
    fields: dict[str, tuple[str, Any]] = {
        "general.architecture": ("string", b"llama"),
        "tokenizer.ggml.model": ("string", model.encode()),
        "tokenizer.ggml.tokens": ("string[]", [text.encode() for text, _, _ in listed]),
        "tokenizer.ggml.scores": ("f32[]", np.array([score for _, score, _ in listed], np.float32)),
        "tokenizer.ggml.token_type": ("i32[]", np.array([kind for _, _, kind in listed], np.int32)),
    }
    return packed(fields | (more or {}), **options)


def llama_rows() -> list[Row]:
    """A small vocabulary of merges by score with all bytes; tokens of every type, some that merges lead to."""
    rows: list[Row] = [("<unk>", 0, 2), ("<s>", 0, 3), ("</s>", 0, 3)]
    rows += [(f"<0x{byte:02X}>", 0, 6) for byte in range(256)]
    texts = ["▁a", "ab", "▁ab", "<s", "s>", "▁▁", "un", "k>", "<un", "é"]
    rows += [(text, -float(rank), 1) for rank, text in enumerate(texts)]
    rows += [(text, -100.0, 1) for text in "▁abs<>unk"]
    rows += [("abab", -3.5, 5), ("bab", -50.0, 3), ("[X]", -1000.0, 4)]
    return rows


def spm_file(more: dict[str, tuple[str, Any]] | None = None, **options: Any) -> bytes:
    """A file with those."""
    return file_of("llama", llama_rows(), more, **options)


GGUF_SPECS: dict[str, Spec] = {"gguf-llama": gguf.read(spm_file())[0]}
"""What such files become, by a name."""


def files() -> list[Path]:
    """Every GGUF file, by name; none where there is no data folder."""
    return sorted((data.DATA / "models" / "gguf").iterdir()) if data.DATA else []


class Answers(NamedTuple):
    """What llama.cpp returned for a file."""

    ids: list[list[int]]
    """For every text, special tokens as text and none added."""
    add_special: list[list[int]]
    """For the first texts, with what the file adds."""
    special_texts: list[str]
    special_text_as_text: list[list[int]]
    special_text_parsed: list[list[int]]
    detokenized: list[bytes]
    """Of the ids of the first texts."""


def _vectors() -> Path:
    return data.folder() / "vectors" / "llama.cpp"


@lru_cache
def golden_texts() -> tuple[str, ...]:
    """The texts that llama.cpp was given."""
    return tuple(json.loads(data.unpacked(_vectors() / "golden" / "texts.json")))


def answers(name: str) -> Answers:
    """What llama.cpp returned for the file of this name."""
    found = json.loads(data.unpacked(_vectors() / "golden" / f"{name}.json"))
    found["detokenized"] = [text.encode("latin-1") for text in found["detokenized"]]
    return Answers(**{field: found[field] for field in Answers._fields})


def own_vectors(name: str) -> list[tuple[str, list[int]]]:
    """The texts and ids of llama.cpp's own test for a file; none for one without."""
    path = _vectors() / f"{name}.inp"
    if not path.exists():
        return []
    texts = path.read_bytes().decode().split("\n__ggml_vocab_test__\n")
    rows = path.with_suffix(".out").read_text(encoding="utf-8").splitlines()
    return list(zip(texts, [[int(number) for number in row.split()] for row in rows], strict=False))
