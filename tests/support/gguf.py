"""GGUF files made by hand, and llama.cpp's answers for real ones."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from anypiece import Added
from anypiece.formats import gguf
from anypiece.formats.gguf.file import packed
from tests.support import data
from tests.support.charsmap_builder import build as charsmap

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from anypiece import Spec

__all__ = [
    "GGUF_SPECS",
    "Answers",
    "answers",
    "bpe_file",
    "bpe_rows",
    "file_of",
    "files",
    "golden_texts",
    "llama_rows",
    "marked_file",
    "own_vectors",
    "spm_file",
    "unigram_file",
    "unigram_rows",
    "word_file",
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
    rows += [("abab", -3.5, 5), ("bb", -50.0, 3), ("[X]", -1000.0, 4)]
    return rows


def byte_letters() -> list[str]:
    """How GPT-2 writes each byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(byte) if byte in printable else chr(0x100 + others.index(byte)) for byte in range(256)]


BPE_MERGES = ["h e", "l l", "he ll", "Ġ hell", "a b", "ab ab", "a b", "Ġ Ġ", "Ċ Ċ"]


def bpe_rows() -> list[Row]:
    """Bytes, what the merges make of them, a token that they do not lead to, and tokens of the other types."""
    rows: list[Row] = [(letter, 0, 1) for letter in byte_letters()]
    rows += [(name, 0, 1) for name in dict.fromkeys(merge.replace(" ", "") for merge in BPE_MERGES)]
    return [*rows, ("hello", 0, 1), ("<|endoftext|>", 0, 3), ("  ", 0, 4), ("unused", 0, 5), ("▁odd", 0, 1)]


def bpe_file(
    more: dict[str, tuple[str, Any]] | None = None,
    *,
    pre: str | None = "gpt-2",
    user_defined: bool = True,
    **options: Any,
) -> bytes:
    """A file of type ``gpt2`` with those."""
    fields: dict[str, tuple[str, Any]] = {
        "tokenizer.ggml.merges": ("string[]", [merge.encode() for merge in BPE_MERGES]),
        "tokenizer.ggml.eos_token_id": ("u32", 256 + 9),
    }
    if pre is not None:
        fields["tokenizer.ggml.pre"] = ("string", pre.encode())
    rows = [row for row in bpe_rows() if user_defined or row[2] != 4]
    return file_of("gpt2", rows, fields | (more or {}), **options)


def marked_file(more: dict[str, tuple[str, Any]] | None = None, **options: Any) -> bytes:
    """A file of type ``gemma4``: merges from characters, with a mark for the space."""
    rows: list[Row] = [("<pad>", 0, 3), ("<bos>", 0, 3), *((f"<0x{byte:02X}>", 0, 6) for byte in range(256))]
    rows += [(text, 0, 1) for text in ("▁", "a", "b", "\n", "é", "ab", "▁ab", "\n\n", "<mask>")]
    merges = [b"a b", "▁ ab".encode(), b"\n \n"]
    fields: dict[str, tuple[str, Any]] = {
        "tokenizer.ggml.merges": ("string[]", merges),
        "tokenizer.ggml.bos_token_id": ("u32", 1),
    }
    return file_of("gemma4", rows, fields | (more or {}), **options)


def unigram_rows() -> list[Row]:
    """A small unigram vocabulary with tokens of every type."""
    rows: list[Row] = [("<pad>", 0, 3), ("</s>", 0, 3), ("<unk>", 0, 2)]
    scores = {
        "▁": -2,
        "a": -3,
        "b": -3.25,
        "▁a": -2.5,
        "ab": -3,
        "▁ab": -4.5,
        "!": -3,
        "!!": -5.5,
        "é": -4,
        "fi": -4,
        "▁▁": -3,
    }
    rows += [(text, float(score), 1) for text, score in scores.items()]
    return [*rows, ("b!", -1.0, 5), ("<x_1>", 0.0, 4), ("<x_10>", 0.0, 4), ("<0x41>", 0.0, 6)]


def unigram_file(
    more: dict[str, tuple[str, Any]] | None = None, *, rows: list[Row] | None = None, **options: Any
) -> bytes:
    """A file of type ``t5`` with those; a space is put in front of each word."""
    flags = ("add_space_prefix", "remove_extra_whitespaces")
    fields: dict[str, tuple[str, Any]] = {f"tokenizer.ggml.{name}": ("bool", True) for name in flags}
    return file_of("t5", rows or unigram_rows(), fields | (more or {}), **options)


def word_file(more: dict[str, tuple[str, Any]] | None = None, **options: Any) -> bytes:
    """A file of type ``bert``."""
    rows: list[Row] = [("[PAD]", 0, 3), ("[UNK]", 0, 2), ("[CLS]", 0, 3), ("[SEP]", 0, 3)]
    texts = ["▁he", "▁a", "llo", "l", "o", "▁,", "▁漢", "▁!", "▁E", "▁e", "▁e\u0301", "▁", "q"]
    rows += [(text, 0.0, 1) for text in texts]
    ids = {"unknown_token_id": 1, "bos_token_id": 2, "seperator_token_id": 3}
    fields: dict[str, tuple[str, Any]] = {f"tokenizer.ggml.{name}": ("u32", id) for name, id in ids.items()}
    return file_of("bert", rows, fields | (more or {}), **options)


def spm_file(more: dict[str, tuple[str, Any]] | None = None, **options: Any) -> bytes:
    """A file with those."""
    return file_of("llama", llama_rows(), more, **options)


def _charsmap(targets: dict[str, str]) -> dict[str, tuple[str, Any]]:
    return {"tokenizer.ggml.precompiled_charsmap": ("u8[]", np.frombuffer(charsmap(targets), np.uint8))}


_CHARSMAP = _charsmap({"ﬁ": "fi", "x": "", "<é": "é a"})
_SPACES = _charsmap({"\t": " ", "é": " a  b ", "ﬁ": "  fi", "x": "", "い": "  ", "あ": "▁ "})
"""Images with adjacent spaces, at both ends and alone, and an empty one."""
_UNLIKELY = [("ba", -10000.0, 5), ("é!", -10000.0, 5), ("!é!", -10000.0, 1)]
"""Pieces that no best path takes."""

GGUF_SPECS: dict[str, Spec] = {
    "gguf-llama": gguf.read(file_of("llama", [row for row in llama_rows() if row[2] != 4]))[0],
    **{f"gguf-{pre}": gguf.read(bpe_file(pre=pre, user_defined=False))[0] for pre in ("gpt-2", "llama-bpe", "qwen2")},
    "gguf-gemma4": gguf.read(marked_file())[0],
    "gguf-bert": gguf.read(word_file())[0],
    "gguf-t5": gguf.read(unigram_file())[0].replace(added=Added()),
    "gguf-t5-spaces": gguf.read(
        unigram_file({"tokenizer.ggml.remove_extra_whitespaces": ("bool", False), **_CHARSMAP})
    )[0].replace(added=Added()),
    "gguf-t5-images": gguf.read(unigram_file(_SPACES))[0].replace(added=Added()),
    "gguf-t5-images-spaces": gguf.read(
        unigram_file({"tokenizer.ggml.remove_extra_whitespaces": ("bool", False), **_SPACES})
    )[0].replace(added=Added()),
    "gguf-t5-unlikely": gguf.read(unigram_file(rows=[*unigram_rows(), *_UNLIKELY[:2]]))[0].replace(added=Added()),
    "gguf-t5-unlikely-normal": gguf.read(unigram_file(rows=[*unigram_rows(), *_UNLIKELY]))[0].replace(added=Added()),
}
"""What such files become, by a name; without user-defined tokens, which are found before the stages compared with these."""


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
