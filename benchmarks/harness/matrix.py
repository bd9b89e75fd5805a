"""Definitions as a matrix: each file of ``definitions/kinds`` lists vocabularies × texts, and each cell is one Definition.

Vocabularies, texts, pinned engine versions and expected values have one file each in ``definitions``. A ``[[matrix]]``
table takes its missing keys from the top of its file. Keys that the schema does not know are refused.
"""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.harness.definition import (
    COMPARISONS,
    MODES,
    Definition,
    Entrant,
    Expected,
    Sampling,
    Source,
    Target,
    TextPlan,
    TokenizerFiles,
)
from benchmarks.harness.places import DEFINITIONS

OURS = "anypiece"
EXPECTED = "expected.toml"
HEAD = """\
# What the reference returns for each row; `python -m benchmarks.run --expect` writes this file. A run whose reference
# returns something else says so and ends with status 1.
"""


@dataclass(frozen=True)
class Vocabulary:
    """The files of one vocabulary, whose ids they must give, and which other engines read one of the files."""

    title: str
    files: TokenizerFiles
    reference: str
    peers: tuple[str, ...]


@dataclass(frozen=True)
class Matrix:
    """One ``[[matrix]]`` table: vocabularies × texts that are asked the same question.

    ``row`` is the name of a cell, with ``{vocabulary}`` and ``{text}`` filled in; ``texts`` maps the name of a text within
    the row to its name in ``texts.toml``. ``peers`` selects from the peers of the vocabulary (None: all of them), ``once``
    are those that run in the first round alone, ``stand_ins`` engines that run another vocabulary, ``baselines`` other
    modes of this project, ``form`` the form in which this project gets the file, and ``reference`` another library than
    that of the vocabulary.
    """

    row: str
    question: str
    vocabularies: list[str]
    texts: dict[str, str]
    mode: str
    threads: int = 1
    warm: str = "same"
    peers: list[str] | None = None
    once: list[str] = field(default_factory=list)
    stand_ins: dict[str, str] = field(default_factory=dict)
    baselines: list[str] = field(default_factory=list)
    form: str = ""
    reference: str = ""
    sampling: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Tables:
    """What the cells refer to by name."""

    vocabularies: dict[str, Vocabulary]
    texts: dict[str, TextPlan]
    versions: dict[str, str]
    expected: dict[str, Expected]


def load_definitions(patterns: str = "*", folder: Path = DEFINITIONS) -> list[Definition]:
    """Return the definitions whose name, or the part of it before the slash, matches one of some shell patterns (with commas
    between them), sorted by that part.

    >>> [definition.name for definition in load_definitions("t5-english/2kb,arrow/t5-*b")]
    ['arrow/t5-100b', 't5-english/2kb']
    """
    tables = read_tables(folder)
    found = [one for path in sorted((folder / "kinds").glob("*.toml")) for one in read_kind(path, tables)]
    names = [one.name for one in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"rows with the same name: {', '.join(sorted(twice))}")
    wanted = [(pattern, one) for pattern in patterns.split(",") for one in found]
    matching = {
        one.name
        for pattern, one in wanted
        if fnmatch.fnmatch(one.name, pattern) or fnmatch.fnmatch(group(one.name), pattern)
    }
    chosen = [one for one in found if one.name in matching]
    return sorted(chosen, key=lambda one: group(one.name))


def group(name: str) -> str:
    """Return the part of a row's name before the slash."""
    return name.partition("/")[0]


def read_tables(folder: Path) -> Tables:
    """Read the files that all kinds share."""
    vocabularies = {name: build_vocabulary(**table) for name, table in read(folder / "vocabularies.toml").items()}
    texts = {name: build_text(**table) for name, table in read(folder / "texts.toml").items()}
    return Tables(vocabularies, texts, read(folder / "engines.toml"), read_expected(folder))


def read(path: Path) -> dict[str, Any]:
    """Read one TOML file."""
    return tomllib.loads(path.read_text("utf-8"))


def build_vocabulary(title: str, model: str, reference: str, peers: list[str], json: str | None = None) -> Vocabulary:
    """Turn one table of ``vocabularies.toml`` into a Vocabulary."""
    return Vocabulary(title, TokenizerFiles(model, json), reference, tuple(peers))


def build_text(
    size: int,
    unit: str = "bytes",
    corpora: dict[str, int] | None = None,
    start: float = 0.0,
    alphabet: str = "",
    bytes: int = 0,
) -> TextPlan:
    """Turn one table of ``texts.toml`` into a TextPlan."""
    drawn = [Source(bytes=bytes, alphabet=alphabet)] if alphabet else []
    taken = [Source(bytes=count, corpus=corpus, start=start) for corpus, count in (corpora or {}).items()]
    return TextPlan(sources=(*drawn, *taken), size=size, unit=unit)


def read_kind(path: Path, tables: Tables) -> list[Definition]:
    """Read one file: every cell of its matrices."""
    common = read(path)
    targets = {row: build_targets(table) for row, table in common.pop("targets", {}).items()}
    matrices = [Matrix(**(common | table)) for table in common.pop("matrix")]
    found = [one for matrix in matrices for one in cells(matrix, tables, targets)]
    if unknown := targets.keys() - {one.name for one in found}:
        raise ValueError(f"{path.name}: targets for rows that are not there: {', '.join(sorted(unknown))}")
    return found


def cells(matrix: Matrix, tables: Tables, targets: dict[str, tuple[Target, ...]]) -> Iterator[Definition]:
    """Yield one Definition per vocabulary and text."""
    for key in matrix.vocabularies:
        vocabulary = tables.vocabularies[key]
        for label, text in matrix.texts.items():
            name = matrix.row.format(vocabulary=key, text=label)
            definition = Definition(
                name=name,
                question=matrix.question.format(vocabulary=vocabulary.title),
                mode=matrix.mode,
                threads=matrix.threads,
                warm=matrix.warm,
                tokenizer=vocabulary.files,
                text=tables.texts[text],
                reference=matrix.reference or vocabulary.reference,
                entrants=tuple(entrants(matrix, vocabulary, tables)),
                expected=tables.expected.get(name, Expected()),
                targets=targets.get(name, ()),
                sampling=Sampling(**matrix.sampling),
            )
            check(definition)
            yield definition


def entrants(matrix: Matrix, vocabulary: Vocabulary, tables: Tables) -> Iterator[Entrant]:
    """Yield the engines of a cell: this project, its baselines, the reference, the peers, the stand-ins."""
    yield Entrant(OURS, form=matrix.form)
    yield from (Entrant(name) for name in matrix.baselines)
    asked = [name for name in vocabulary.peers if matrix.peers is None or name in matrix.peers]
    for name in (matrix.reference or vocabulary.reference, *asked, *matrix.stand_ins):
        other = matrix.stand_ins.get(name)
        yield Entrant(
            name,
            version="" if name.startswith(OURS) else tables.versions[name],
            rounds=1 if name in matrix.once else 0,
            tokenizer=tables.vocabularies[other].files if other else None,
        )


def build_targets(table: dict[str, Any] | list[dict[str, Any]]) -> tuple[Target, ...]:
    """Turn the target of a row, one table or several, into Targets."""
    return tuple(Target(**one) for one in ([table] if isinstance(table, dict) else table))


def check(definition: Definition) -> None:
    """Refuse modes and comparisons that do not exist."""
    if definition.mode not in MODES:
        raise ValueError(f"{definition.name}: unknown mode {definition.mode!r}")
    if definition.sampling.compare not in COMPARISONS:
        raise ValueError(f"{definition.name}: n-best lists are compared by one of {', '.join(COMPARISONS)}")


def read_expected(folder: Path = DEFINITIONS) -> dict[str, Expected]:
    """Read the expected values of all rows."""
    return {name: Expected(**table) for name, table in read(folder / EXPECTED).items()}


def write_expected(name: str, found: Expected, folder: Path = DEFINITIONS) -> None:
    """Put what the reference returned for a row into the table of expected values."""
    rows = sorted((read_expected(folder) | {name: found}).items())
    lines = [
        f'"{row}" = {{ documents = {one.documents}, tokens = {one.tokens}, digest = "{one.digest}" }}\n'
        for row, one in rows
    ]
    (folder / EXPECTED).write_text(HEAD + "".join(lines), "utf-8")
