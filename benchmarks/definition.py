"""A benchmark definition: one TOML file, read into frozen dataclasses.

Owns the schema and its checks. A file may hold several ``[[case]]`` tables that differ from the file's common part in a
few keys (document size, tokenizer); each becomes one Definition named ``file`` or ``file/case``. Nothing is run here.
"""

from __future__ import annotations

import fnmatch
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.places import DEFINITIONS

PASSES = 2
MODES = ("array", "list", "batch", "count", "spans", "decode", "sample", "nbest", "load", "memory")
COMPARISONS = ("scores", "best")


@dataclass(frozen=True)
class TokenizerFiles:
    """One vocabulary in the formats that the engines read; paths are relative to the data folder.

    ``model`` is the ``.model`` or the rank file. Without ``json``, engines that need a ``tokenizer.json`` get one converted
    from a ``.model``; from a rank file nothing is converted.
    """

    model: str
    json: str | None = None


@dataclass(frozen=True)
class Source:
    """How many bytes of documents to take, and from where.

    Either a corpus and the part of it that may be used (fractions of its length), or characters drawn at random from
    an alphabet.
    """

    bytes: int
    corpus: str = ""
    alphabet: str = ""
    start: float = 0.0
    stop: float = 1.0


@dataclass(frozen=True)
class TextPlan:
    """Documents: cut every source into pieces of ``size`` (bytes, or characters), shuffle by ``seed``."""

    sources: tuple[Source, ...]
    size: int
    unit: str = "bytes"
    seed: int = 1


@dataclass(frozen=True)
class Expected:
    """What the reference returns for these documents, so that a changed input or reference is noticed."""

    documents: int = 0
    tokens: int = 0
    digest: str = ""


@dataclass(frozen=True)
class Entrant:
    """One engine of a definition.

    ``version`` pins it ("" for this project), ``rounds`` limits a slow engine to the first rounds (0: all of them),
    ``tokenizer`` gives it another file, so that its ids cannot be compared, and ``form`` another form of the same file.
    """

    name: str
    version: str = ""
    rounds: int = 0
    tokenizer: TokenizerFiles | None = None
    form: str = ""


@dataclass(frozen=True)
class Chance:
    """What the modes ``sample`` and ``nbest`` ask for.

    ``method`` is "lattice", a draw from all paths at the inverse temperature ``alpha``, or "dropout", merges passed over
    with probability ``alpha``. Of the ``n`` best paths, ``compare`` says what is compared with the reference's: the
    "scores" of all, or, where the reference does not find the best ones, the "best" path and how many there are.
    """

    method: str = "lattice"
    alpha: float = 0.1
    seed: int = 1
    n: int = 64
    compare: str = "scores"


@dataclass(frozen=True)
class Target:
    """The least speed of this project as a multiple of another engine's; 0 where nothing is promised."""

    versus: str = ""
    cold: float = 0.0
    warm: float = 0.0
    milliseconds: float = 0.0


@dataclass(frozen=True)
class Definition:
    """One question with everything needed to ask it again.

    ``warm`` says what the passes after the cold one read: the "same" documents again, or "other" ones, never seen by
    the process either; the documents are then divided among the passes.
    """

    name: str
    question: str
    mode: str
    threads: int
    warm: str
    tokenizer: TokenizerFiles
    text: TextPlan
    reference: str
    entrants: tuple[Entrant, ...]
    expected: Expected
    targets: tuple[Target, ...]
    chance: Chance
    path: Path

    @property
    def parts(self) -> int:
        """Into how many parts the documents are divided: one for each pass over other documents."""
        return PASSES if self.warm == "other" else 1

    def entrant(self, name: str) -> Entrant:
        """Return the entrant with this name."""
        return next(entrant for entrant in self.entrants if entrant.name == name)


def load_definitions(pattern: str = "*") -> list[Definition]:
    """Return the definitions whose name, or whose file's name, matches a shell pattern, in the order of their names.

    >>> [definition.name for definition in load_definitions("t5-english/2kb")]
    ['t5-english/2kb']
    """
    found = [one for path in sorted(DEFINITIONS.glob("*.toml")) for one in read_definitions(path)]
    return [one for one in found if fnmatch.fnmatch(one.name, pattern) or fnmatch.fnmatch(one.path.stem, pattern)]


def read_definitions(path: Path) -> list[Definition]:
    """Read one file: its common part merged with each of its cases."""
    common: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    cases = common.pop("case", [{}])
    return [build(path, merge(common, case)) for case in cases]


def merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Return ``base`` with ``over`` laid on it; tables are merged key by key, everything else is replaced."""
    out = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(out.get(key), dict)
        out[key] = merge(out[key], value) if both else value
    return out


def build(path: Path, table: dict[str, Any]) -> Definition:
    """Turn one merged table into a Definition, refusing what the schema does not know."""
    case = table.pop("name", "")
    text = dict(table.pop("text"))
    sources = tuple(Source(**source) for source in text.pop("sources"))
    definition = Definition(
        name=f"{path.stem}/{case}" if case else path.stem,
        tokenizer=TokenizerFiles(**table.pop("tokenizer")),
        text=TextPlan(sources=sources, **text),
        entrants=tuple(build_entrant(name, facts) for name, facts in table.pop("engines").items()),
        expected=Expected(**table.pop("expected", {})),
        targets=build_targets(table.pop("target", [])),
        chance=Chance(**table.pop("chance", {})),
        path=path,
        **({"warm": "same"} | table),
    )
    if definition.mode not in MODES or definition.reference not in {one.name for one in definition.entrants}:
        raise ValueError(f"{definition.name}: unknown mode {definition.mode!r} or no engine {definition.reference!r}")
    if definition.chance.compare not in COMPARISONS:
        raise ValueError(f"{definition.name}: n-best lists are compared by one of {', '.join(COMPARISONS)}")
    return definition


def build_targets(table: dict[str, Any] | list[dict[str, Any]]) -> tuple[Target, ...]:
    """Turn the ``target`` of a definition, one table or several, into Targets."""
    return tuple(Target(**one) for one in ([table] if isinstance(table, dict) else table))


def build_entrant(name: str, facts: dict[str, Any]) -> Entrant:
    """Turn one row of the ``engines`` table into an Entrant."""
    other = facts.get("tokenizer")
    return Entrant(name=name, **(facts | {"tokenizer": TokenizerFiles(**other) if other else None}))
