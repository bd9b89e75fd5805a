"""What is mutated: hand-made vocabularies, ``tests/cases``, the embedded default and, where they are, real files.

Real files are also cut down to their first pieces: settings and character map stay real, and a load takes milliseconds.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import anypiece as ap
from anypiece.formats import sentencepiece
from anypiece.spec import Spec
from tests.fuzz.damage import damaged
from tests.fuzz.documents import FAMILIES as DOCUMENTS_THAT_HURT
from tests.fuzz.documents import document, spelled
from tests.fuzz.fields import PIECE, Field, mutated_fields, parse, written
from tests.fuzz.mutant import Mutant
from tests.fuzz.sections import mutated_sections
from tests.fuzz.templates import config
from tests.support.cases import all_cases
from tests.support.data import ROOT, tokenizer_files
from tests.support.vocabularies import SPECS
from tests.support.wire import file_bytes

__all__ = ["FAMILIES", "made_file", "made_files", "mutant"]

_KEPT_PIECES = 320
_MAX_BYTES = 8_000_000
_DIALECTS = ("sentencepiece", "sentencepiece", "sentencepiece-0.2.1")
Source = Callable[[], bytes]


@lru_cache(maxsize=1)
def _made() -> list[Spec]:
    return [*SPECS.values(), *(case.spec for case in all_cases())]


@lru_cache(maxsize=1)
def _files() -> list[Path]:
    return [ROOT / "python" / "anypiece" / "data" / "default.model", *tokenizer_files()]


@lru_cache(maxsize=64)
def _small(path: Path) -> bytes:
    """A real file with all its special pieces but only the first of its normal ones."""
    fields = parse(path.read_bytes()) or []
    normal = [index for index, field in enumerate(fields) if field.number == PIECE and not _has_kind(field)]
    gone = set(normal[_KEPT_PIECES:])
    return written([field for index, field in enumerate(fields) if index not in gone])


def _has_kind(piece: Field) -> bool:
    return isinstance(piece.value, bytes) and any(field.number == 3 for field in parse(piece.value) or ())


@lru_cache(maxsize=64)
def _stored(data: bytes) -> bytes:
    """The ``.anypiece`` file of a ``.model`` file."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "a.model", Path(folder) / "a.anypiece"
        source.write_bytes(data)
        ap.load(source, check_samples=False).save(target)
        return target.read_bytes()


def _file_of(spec: Spec) -> bytes:
    """A file by the writer that is independent of the package; denormalizers need our own, that one writes too little.

    A file does not say by whose rules it is read, so a Spec is written as if it were read by those of the newest release.
    """
    if not spec.denormalizer:
        return file_bytes(spec)
    return sentencepiece.write(dataclasses.replace(spec, **sentencepiece.rules_of(_DIALECTS[0], spec.segmenter)))


def made_file(name: str, suffix: str) -> bytes:
    """The file of a hand-made vocabulary."""
    data = _file_of(SPECS[name])
    return data if suffix == ".model" else _stored(data)


def made_files() -> list[bytes]:
    """Every hand-made vocabulary as a ``.model`` file."""
    return [_file_of(spec) for spec in _made()]


def _model(rng: Random) -> bytes:
    draw = rng.random()
    if draw < 0.6:
        return _file_of(rng.choice(_made()))
    if draw < 0.97:
        return _small(rng.choice(_files()))
    return rng.choice(_files()).read_bytes()


def _compiled(rng: Random) -> bytes:
    return _stored(_small(rng.choice(_files())) if rng.random() < 0.3 else _file_of(rng.choice(_made())))


FAMILIES = ("files", *DOCUMENTS_THAT_HURT, "templates")
"""What can be mutated: the bytes and fields of files, or by what they mean the stages of a tokenizer.json and templates."""


def mutant(seed: int, number: int, families: Sequence[str] = FAMILIES) -> Mutant:
    """Mutant ``number`` of a run: a function of the seed, the number, the families and the files that are there."""
    rng = Random(f"{seed} {number}")
    family = rng.choice([*families, *(["files"] * len(families) if "files" in families else [])])
    if family == "templates":
        return Mutant(spelled(config(rng)), ".config")
    if family != "files":
        data = spelled(document(rng, family))
        return Mutant(damaged(rng, data) if rng.random() < 0.02 else data, ".json")
    if rng.random() < 0.3:
        options: dict[str, Any] = {"verify": rng.random() < 0.2, "mapped": rng.random() < 0.3}
        base = _compiled(rng)
        return Mutant(mutated_sections(rng, base), ".anypiece", options, base)
    data = _model(rng)
    options = {"dialect": rng.choice(_DIALECTS), "check_samples": rng.random() < 0.5}
    return Mutant(_mutated(rng, data)[:_MAX_BYTES], ".model", options)


def _mutated(rng: Random, data: bytes) -> bytes:
    draw = rng.random()
    if draw < 0.65:
        return mutated_fields(rng, data)
    if draw < 0.9:
        return damaged(rng, data)
    other = _model(rng)
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]
