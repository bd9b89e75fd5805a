"""The API reference: which names stand on which page. What is said of each name is its docstring."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

__all__ = ["GROUPS", "Group", "exported", "listed", "pages", "titles"]

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "anypiece"


class Group(NamedTuple):
    """A page: its title, what it begins with, names of ``anypiece``, other modules with all their names, other objects."""

    title: str
    intro: str
    names: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    doubles: tuple[str, ...] = ()
    """Second names of what the page has; the intro says so."""


GROUPS = {
    "tokenizer": Group(
        "Tokenizer",
        "What opens a file, and what it gives. The methods stand by subject: look-ups in the vocabulary, rows for models,"
        " encode, count and cut, decode, the lattice, chat. [The first ten minutes](../start.md) show the usual ones.",
        ("load", "Tokenizer"),
    ),
    "results": Group(
        "Results",
        "What the methods of a `Tokenizer` return besides lists, arrays and strings.",
        ("Token", "Batch", "SpanBatch", "Encoded", "ArrowColumn", "Explanation"),
        others=("results.Pair", "results.Padded", "text.padding.Rows", "text.padding.RaggedRows"),
    ),
    "steps": Group(
        "Steps",
        "Every step of encoding one text, as data: `tok.explain(text).steps`. What walks through an algorithm draws these.",
        modules=("steps", "steps.data"),
    ),
    "streams": Group(
        "Streams",
        "Text or ids that arrive in parts, by methods of a `Tokenizer`. [A guide](../guide/serving.md) shows them at work.",
        ("StreamEncoder", "StreamDecoder", "BatchStreamDecoder"),
    ),
    "lattice": Group(
        "Lattice and sampling",
        "All segmentations of a text, the best of them, and draws. [A guide](../guide/sampling.md) shows them at work.",
        ("Lattice", "Edge", "Paths", "Path", "Sampler"),
    ),
    "convert": Group(
        "Convert, check, compare",
        "A tokenizer in another format or with more pieces, and how two tokenizers differ:"
        " [convert, check, extend](../guide/convert.md), [compare](../guide/compare.md).",
        ("convert", "Conversion", "check", "Check", "extend", "grow", "compare", "Comparison"),
    ),
    "training": Group(
        "Training",
        "A vocabulary from a corpus or from tables of words; [a guide](../guide/training.md) has the options of each kind.",
        ("train", "count_words", "merge_words", "WordCounts"),
        others=("training.report_on", "training.Report", "training.grow_on", "training.Growth"),
    ),
    "shards": Group(
        "Training shards",
        "A corpus as files of ids that training programs read; [a guide](../guide/shards.md) has formats and options.",
        ("Shards",),
        others=(
            "corpus.shards.plan_shards",
            "corpus.shards.run_shards",
            "corpus.shards.verify_shards",
            "corpus.shards.run_task",
            "corpus.shards.repack_shards",
            "corpus.shards.merge_shards",
            "corpus.shards.shard_statistics",
            "corpus.shards.Statistics",
            "corpus.shards.Plan",
            "corpus.shards.estimate_shards",
            "corpus.shards.Estimate",
            "corpus.engines.ray.run",
            "corpus.engines.spark.run",
        ),
    ),
    "spec": Group(
        "Spec",
        "A tokenizer as plain data, to read what a file says or to make a tokenizer by hand.",
        ("Spec", "Pieces", "Kind", "Added", "AddedFlag", "Sample"),
        others=("__version__",),
    ),
    "errors": Group(
        "Errors and warnings",
        "Every error has a `code` that does not change between releases;"
        " [the list of codes](../guide/errors.md) says what each means and what to do.",
        (
            "AnyPieceError",
            "InputError",
            "InputTypeError",
            "UnknownIdError",
            "UnknownPieceError",
            "DecodeError",
            "FileError",
            "FormatError",
            "SpecError",
            "InternalError",
            "SpecialsWarning",
            "UnknownClassWarning",
        ),
    ),
    "loaders-polars": Group(
        "loaders.polars",
        "Expressions of polars, for frames, lazy frames and groups. [A guide](../guide/tables.md) shows them at work.",
        modules=("loaders.polars",),
    ),
    "loaders-datasets": Group(
        "loaders.datasets",
        "Functions for `datasets.Dataset.map`, pickled by content. [A guide](../guide/tables.md) shows them at work.",
        modules=("loaders.datasets",),
    ),
    "loaders-ray": Group(
        "loaders.ray",
        "Columns of ids for data sets of `ray.data`. [A guide](../guide/clusters.md) shows them at work.",
        modules=("loaders.ray",),
    ),
    "loaders-spark": Group(
        "loaders.spark",
        "Columns of ids for data frames of Spark. [A guide](../guide/clusters.md) shows them at work.",
        modules=("loaders.spark",),
    ),
    "loaders-torch": Group(
        "loaders.torch",
        "Batches for torch, with other draws in every epoch. [A guide](../guide/tables.md) shows them at work.",
        modules=("loaders.torch",),
    ),
    "compat-transformers": Group(
        "compat.transformers",
        "The kernel under the fast tokenizers of transformers. [What holds](../compat/transformers.md).",
        modules=("compat.transformers",),
    ),
    "compat-tokenizers": Group(
        "compat.tokenizers",
        "In the place of `tokenizers` 0.23. [What is not reproduced](../compat/tokenizers.md).",
        modules=(
            "compat.tokenizers",
            "compat.tokenizers.models",
            "compat.tokenizers.normalizers",
            "compat.tokenizers.pre_tokenizers",
            "compat.tokenizers.processors",
            "compat.tokenizers.decoders",
            "compat.tokenizers.trainers",
        ),
    ),
    "compat-tiktoken": Group(
        "compat.tiktoken",
        "In the place of `tiktoken` 0.14. [Where rank files come from](../compat/tiktoken.md).",
        modules=("compat.tiktoken",),
    ),
    "compat-sentencepiece": Group(
        "compat.sentencepiece",
        "In the place of `sentencepiece` 0.2.1 to 0.2.3. [Where releases differ](../compat/sentencepiece.md)."
        " Functions have two names, as there: `SetDataDir` is `set_data_dir`, and so on.",
        modules=("compat.sentencepiece",),
        doubles=("ConvertToFlatbuffer", "SetDataDir", "SetMinLogLevel", "SetNBestTimeout", "SetRandomGeneratorSeed"),
    ),
}
"""Pages by name. Each name of ``anypiece`` stands on one."""


def exported(module: str = "") -> list[str]:
    """The ``__all__`` of a module of the package, read without importing it.

    >>> "load" in exported(), exported("compat.tiktoken")[0]
    (True, 'Encoding')
    """
    path = PACKAGE.joinpath(*module.split(".")) if module else PACKAGE
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    for node in ast.parse(source.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    raise ValueError(f"{source.name} has no __all__")


def listed() -> list[str]:
    """The names of ``anypiece`` that pages list, in their order."""
    return [name for group in GROUPS.values() for name in (*group.names, *group.others) if "." not in name]


def titles() -> dict[str, str]:
    """The name of each page by its title."""
    return {group.title: name for name, group in GROUPS.items()}


def pages() -> dict[str, str]:
    """Each page of the reference as Markdown, by its path in the site."""
    return {f"reference/{name}.md": _page(group) for name, group in GROUPS.items()}


def _page(group: Group) -> str:
    """Pages of ``anypiece`` itself come before those of other libraries' surfaces in the results of a search."""
    boost = [] if group.modules else ["---", "search: { boost: 2 }", "---", ""]
    lines = [*boost, f"# {group.title}", "", group.intro, ""]
    for name in (*group.names, *group.others):
        lines += [f"::: anypiece.{name}", ""]
    for module in group.modules:
        names = exported(module)
        if len(group.modules) > 1:
            lines += [f"## {module.rpartition('.')[2]}" if module != group.modules[0] else "## The module itself", ""]
        for name in names:
            if f"{module}.{name}" not in group.modules and name not in group.doubles:
                level = 3 if len(group.modules) > 1 else 2
                lines += [f"::: anypiece.{module}.{name}", "    options:", f"      heading_level: {level}", ""]
    return "\n".join(lines)
