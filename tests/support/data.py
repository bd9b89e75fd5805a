"""Where the real tokenizer files and texts are, and how to open them.

They lie beside the checkout in ``../shared/data`` (or in ``$ANYPIECE_DATA``), never in the repository. Its README lists
what must be there; where the folder exists a missing file is an error, and where it does not, nothing that needs it is
collected (see ``tests/conftest.py``). This module only finds and opens; ``texts.py`` chooses which texts are compared.
"""

from __future__ import annotations

import gzip
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

__all__ = [
    "CACHE",
    "DATA",
    "RANK_FILES",
    "ROOT",
    "VECTOR_FILES",
    "Vector",
    "bible_names",
    "corpus_bytes",
    "corpus_lines",
    "corpus_names",
    "folder",
    "found_file",
    "hf_file",
    "listed_files",
    "model_file",
    "rank_file",
    "tokenizer_files",
    "torture_text",
    "unpacked",
    "vector_texts",
    "vectors",
]

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""

CACHE = ROOT / ".cache"
"""Git-ignored: peers' packages and reference results."""

UDHR = "udhr_all_languages"
TORTURE = "kitoken_utf8_sequence_0x10ffff"

RANK_FILES = ("r50k_base", "p50k_base", "cl100k_base", "o200k_base", "llama3", "llama4")
"""tiktoken's rank files, each by the name of the definition that its content stands for."""

VECTOR_FILES = {
    "gemma": "maxtext_gemma.model",
    "gemma3": "maxtext_gemma3.model",
    "llama2": "llama2.model",
    "mistral01": "mistral01.model",
    "mistral03": "mistral_mistral_instruct_tokenizer_240323.model.v3",
    "nai-t5": "nai-t5.model",
    "xlnet_base_cased": "xlnet_base_cased.model",
}
"""The name kitoken's vectors use for a tokenizer, and the file it is here."""

_KINDS = ("sentencepiece/", "tiktoken/", "gguf/", "tekken/", "rwkv/", "wordpiece/", "bytepiece/")

VECTOR_SETS = ("small", "mixed", "utf8")


def _find_data() -> Path | None:
    named = os.environ.get("ANYPIECE_DATA")
    place = Path(named) if named else ROOT.parent / "shared" / "data"
    return place.resolve() if (place / "models" / "sentencepiece").is_dir() else None


DATA = _find_data()
"""The folder of real files, or None."""


def _data() -> Path:
    if DATA is None:
        raise FileNotFoundError("no folder of real files: put it at ../shared/data or name it in $ANYPIECE_DATA")
    return DATA


def folder() -> Path:
    """The folder of real files; an error where there is none."""
    return _data()


def unpacked(path: Path) -> bytes:
    """The content of a file that may lie there compressed."""
    return path.read_bytes() if path.exists() else gzip.decompress(path.with_name(f"{path.name}.gz").read_bytes())


def tokenizer_files() -> list[Path]:
    """Every SentencePiece file, by name; none where there is no data folder."""
    return sorted((DATA / "models" / "sentencepiece").iterdir()) if DATA else []


@lru_cache
def model_file(name: str) -> bytes:
    """The content of a tokenizer file by its place under ``models``."""
    return gzip.decompress((_data() / "models" / f"{name}.gz").read_bytes())


@lru_cache
def rank_file(name: str) -> bytes:
    """The content of a rank file."""
    return gzip.decompress((_data() / "models" / "tiktoken" / f"{name}.tiktoken.gz").read_bytes())


def hf_file(name: str) -> bytes:
    """The content of a file of ``tokenizers``, by its name without ``.json``."""
    return gzip.decompress((_data() / "models" / "hf" / f"{name}.json.gz").read_bytes())


def found_file(name: str) -> bytes:
    """The content of a file on which real use found a fault."""
    return gzip.decompress((_data() / "found" / f"{name}.gz").read_bytes())


@lru_cache
def listed_files() -> tuple[Path, ...]:
    """The tokenizer files of the kinds that are compared, and the corpora, that the folder's README says must be there."""
    readme = (_data() / "README.md").read_text(encoding="utf-8")
    models, _, corpora = readme.partition("## corpora/")
    rows = re.compile(r"^\| (\S+) \| \d+ \|", re.MULTILINE)
    paths = [f"models/{name}" for name in rows.findall(models) if name.startswith(_KINDS)]
    paths += [f"corpora/{name}" for name in rows.findall(corpora)]
    return tuple(_data() / path for path in paths)


@lru_cache
def corpus_names() -> tuple[str, ...]:
    """Every corpus by its path without ``.txt.gz``: plain texts, Bibles, handbooks, the udhr; not the torture file."""
    folder = _data() / "corpora"
    names = {str(path.relative_to(folder)).removesuffix(".txt.gz") for path in listed_files() if folder in path.parents}
    names |= {str(path.relative_to(folder)).removesuffix(".txt.gz") for path in folder.rglob("*.txt.gz")}
    return tuple(sorted(names - {TORTURE}))


def bible_names() -> tuple[str, ...]:
    """The corpora that are Bibles."""
    return tuple(name for name in corpus_names() if name.startswith("bibles/"))


def corpus_bytes(name: str) -> bytes:
    """The whole of a corpus."""
    return gzip.decompress((_data() / "corpora" / f"{name}.txt.gz").read_bytes())


def corpus_lines(name: str) -> list[bytes]:
    """The lines of a corpus that hold something, without their line ends."""
    return [line for line in corpus_bytes(name).split(b"\n") if line]


def torture_text() -> bytes:
    """Nearly every code point up to U+10FFFF once, in order, as one text."""
    return corpus_bytes(TORTURE)


class Vector(NamedTuple):
    """A text, the ids kitoken recorded for it, and the decoded text where it recorded one."""

    text: str
    ids: list[int]
    decoded: str | None


_ESCAPES = {r"\n": "\n", r"\t": "\t", r"\r": "\r", r"\s": " "}


def _unescape(line: str) -> str:
    return re.sub(r"\\[ntrs]", lambda found: _ESCAPES[found[0]], line)


def _vector_file(name: str) -> str:
    return (_data() / "vectors" / "kitoken" / name).read_bytes().decode()


def _inputs(which: str) -> list[str]:
    """The texts of one set: ``utf8`` is one text, ``small`` writes some characters as escapes."""
    whole = _vector_file(f"{which}_input.txt")
    if which == "utf8":
        return [whole]
    return [_unescape(line) if which == "small" else line for line in whole.split("\n")]


@lru_cache
def vector_texts() -> tuple[bytes, ...]:
    """Every text of kitoken's vectors, the ``utf8`` one whole and by line."""
    texts = [text for which in VECTOR_SETS for text in _inputs(which)]
    return tuple(text.encode() for text in texts + _inputs("utf8")[0].split("\n") if text)


def _outputs(which: str, name: str, kind: str) -> list[str] | None:
    path = _data() / "vectors" / "kitoken" / kind / f"{which}_output_{name}.txt"
    if not path.exists():  # kitoken records the decoded text only where it differs from the input
        return None
    whole = path.read_bytes().decode()
    return [whole] if which == "utf8" else [_unescape(line) for line in whole.split("\n")]


def vectors(name: str, kind: str = "sentencepiece") -> list[Vector]:
    """What kitoken recorded for the tokenizer it calls ``name``, in the folder ``kind``."""
    out = []
    for which in VECTOR_SETS:
        inputs, outputs = _inputs(which), _outputs(which, name, kind)
        recorded = _vector_file(f"{kind}/{which}_tokens_{name}.txt")
        rows = [recorded] if which == "utf8" else recorded.split("\n")
        if not len(rows) == len(inputs) == len(outputs or inputs):
            raise ValueError(f"kitoken's {which} vectors for {name} do not have one row per text")
        ids = [[int(number) for number in re.findall(r"\d+", row)] for row in rows]
        decoded: list[str | None] = [*outputs] if outputs else [None] * len(inputs)
        out += [Vector(*row) for row in zip(inputs, ids, decoded, strict=True)]
    return out
