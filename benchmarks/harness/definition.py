"""One row of the benchmarks as frozen dataclasses: vocabulary, text, mode, engines, expected values, targets.

``benchmarks.harness.matrix`` reads rows from the TOML files; nothing is run here.
"""

from __future__ import annotations

from dataclasses import dataclass

PASSES = 2
MODES = (
    "array", "list", "face", "batch", "column", "padded", "count", "spans", "spans-batch", "decode", "sample", "nbest",
    "load", "memory",
)  # fmt: skip
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
class Sampling:
    """The options of the modes ``sample`` and ``nbest``.

    ``method`` is "lattice", a draw from all paths at the inverse temperature ``alpha``, or "dropout", BPE-dropout with
    probability ``alpha``. Of the ``n`` best paths, ``compare`` says what is compared with the reference's: the
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
    sampling: Sampling

    @property
    def parts(self) -> int:
        """Into how many parts the documents are divided: one for each pass over other documents."""
        return PASSES if self.warm == "other" else 1

    def entrant(self, name: str) -> Entrant:
        """Return the entrant with this name."""
        return next(entrant for entrant in self.entrants if entrant.name == name)
