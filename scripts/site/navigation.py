"""Which pages the site has, where each lies, and the order in which readers find them.

A page is named by its path in the repository. ``PLACES`` has those whose place in the site is another than that below docs/;
pages of the API reference (``reference/``) have no file, ``reference.py`` makes them.
"""

from __future__ import annotations

from pathlib import Path

from . import reference

__all__ = ["NAVIGATION", "PLACES", "ROOT", "nav", "place", "titles"]

ROOT = Path(__file__).resolve().parents[2]

PLACES = {
    "README.md": "index.md",
    "docs/README.md": "pages.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "LICENSE": "project/license.md",
    "SECURITY.md": "project/security.md",
    "benchmarks/README.md": "project/measuring.md",
    "python/anypiece/data/MODEL_CARD.md": "project/model-card.md",
}

NAVIGATION: dict[str, dict[str, str | dict[str, str]]] = {
    "Start": {
        "AnyPiece": "README.md",
        "The first ten minutes": "docs/start.md",
        "Concepts": "docs/concepts.md",
        "All pages": "docs/README.md",
    },
    "Learn": {
        "Viterbi with SentencePiece": "docs/learn/viterbi.md",
        "A GGUF opened by hand": "docs/learn/gguf.md",
        "BytePiece and exact sampling": "docs/learn/sampling.md",
        "Byte BPE from scratch": "docs/learn/byte-bpe.md",
        "One engine for all": "docs/learn/one-engine.md",
    },
    "Switch": {
        "Change one import": "docs/compat/README.md",
        "from transformers": "docs/compat/transformers.md",
        "training with transformers": "docs/compat/training.md",
        "from tokenizers": "docs/compat/tokenizers.md",
        "from tiktoken": "docs/compat/tiktoken.md",
        "from sentencepiece": "docs/compat/sentencepiece.md",
    },
    "Guides": {
        "Convert, check, extend": "docs/guide/convert.md",
        "Train a vocabulary": "docs/guide/training.md",
        "Training shards": "docs/guide/shards.md",
        "From a corpus to a training run": "docs/guide/pretraining.md",
        "On a cluster": "docs/guide/clusters.md",
        "Compare tokenizers": "docs/guide/compare.md",
        "Batches for a model": "docs/guide/batches.md",
        "Tables and loaders": "docs/guide/tables.md",
        "Encode conversations": "docs/guide/chat.md",
        "Tokenizers over HTTP": "docs/guide/server.md",
        "Serve: text as ids arrive": "docs/guide/serving.md",
        "Lattice and sampling": "docs/guide/sampling.md",
        "Errors and remedies": "docs/guide/errors.md",
    },
    "Command line": {"The command line": "docs/guide/cli.md"},
    "Files": {
        "SentencePiece .model": "docs/formats/sentencepiece.md",
        "tokenizer.json": "docs/formats/huggingface.md",
        "Folders of models": "docs/formats/folders.md",
        "GGUF": "docs/formats/gguf.md",
        "tiktoken rank files": "docs/formats/tiktoken.md",
        "tekken.json": "docs/formats/tekken.md",
        "vocab.txt (BERT)": "docs/formats/wordpiece.md",
        "RWKV's list": "docs/formats/rwkv.md",
        "BytePiece's JSON": "docs/formats/bytepiece.md",
        ".anypiece": "docs/formats/anypiece.md",
        "Tables of words": "docs/formats/words.md",
    },
    "API": {title: f"reference/{name}.md" for title, name in reference.titles().items()},
    "How it works": {
        "Architecture": "ARCHITECTURE.md",
        "Before segmentation": {
            "Specials and added tokens": "docs/algorithms/specials.md",
            "Normalization": "docs/algorithms/normalization.md",
            "Steps and rules": "docs/algorithms/stages.md",
            "Cut points": "docs/algorithms/cut-points.md",
            "Streams and threads": "docs/algorithms/streaming-and-threads.md",
        },
        "Segmenters": {
            "Unigram": "docs/algorithms/unigram.md",
            "Score-merge BPE": "docs/algorithms/bpe.md",
            "Merge-list BPE": "docs/algorithms/merge-bpe.md",
            "Byte BPE": "docs/algorithms/byte-bpe.md",
            "Long chunks": "docs/algorithms/long-chunks.md",
            "WordPiece": "docs/algorithms/wordpiece.md",
            "Word level": "docs/algorithms/word-level.md",
            "Greedy (RWKV)": "docs/algorithms/greedy.md",
            "PLaMo": "docs/algorithms/plamo.md",
        },
        "All segmentations": {
            "The lattice": "docs/algorithms/lattice.md",
            "Sampling": "docs/algorithms/sampling.md",
        },
        "Training": {
            "Unigram training": "docs/algorithms/unigram-training.md",
            "BPE training": "docs/algorithms/bpe-training.md",
            "WordPiece training": "docs/algorithms/wordpiece-training.md",
            "BytePiece training": "docs/algorithms/bytepiece-training.md",
        },
        "Decisions": {
            "A cache of units": "docs/decisions/unit-table.md",
            "A pool of scratches": "docs/decisions/scratch-pool.md",
            "Text as code points": "docs/decisions/code-points.md",
            "Misses in batches": "docs/decisions/new-units.md",
            "Memoized draws": "docs/decisions/sampling.md",
            "N-best lists": "docs/decisions/nbest.md",
            "BytePiece's automaton": "docs/decisions/bytepiece.md",
            "Counting words": "docs/decisions/counting.md",
            "Shards": "docs/decisions/shards.md",
            "Python objects": "docs/decisions/python.md",
            "Interrupts": "docs/decisions/interrupts.md",
            "Folders of the package": "docs/decisions/packages.md",
            "A folder's ids": "docs/decisions/folders.md",
            "The default vocabulary": "docs/decisions/default-vocabulary.md",
            "Dependencies": "docs/decisions/dependencies.md",
        },
        "Notebook": {
            "Unit cache": "docs/notebook/unit-table.md",
            "Code points": "docs/notebook/code-points.md",
            "Cache misses": "docs/notebook/new-units.md",
            "Draws": "docs/notebook/sampling.md",
            "N-best": "docs/notebook/nbest.md",
            "BytePiece": "docs/notebook/bytepiece.md",
            "Word counts": "docs/notebook/counting.md",
            "Shards": "docs/notebook/shards.md",
            "Python": "docs/notebook/python.md",
            "Default vocabulary": "docs/notebook/default-vocabulary.md",
        },
    },
    "Project": {
        "Benchmarks": "docs/benchmarks.md",
        "How it is measured": "benchmarks/README.md",
        "Changelog": "CHANGELOG.md",
        "Contributing": "CONTRIBUTING.md",
        "Fuzzing": "docs/guide/fuzzing.md",
        "Security": "SECURITY.md",
        "The default's model card": "python/anypiece/data/MODEL_CARD.md",
        "Licence": "LICENSE",
    },
}
"""Tabs, the pages of each, and for some of these a heading with pages of its own. A new page needs a line here."""


def place(page: str) -> str:
    """Where a page of the repository lies in the site.

    >>> place("docs/guide/cli.md"), place("ARCHITECTURE.md")
    ('guide/cli.md', 'project/architecture.md')
    """
    return PLACES.get(page, page.removeprefix("docs/"))


def titles() -> dict[str, str]:
    """Each page of the navigation with its title."""
    found: dict[str, str] = {}
    for tab in NAVIGATION.values():
        for title, page in tab.items():
            pages = {title: page} if isinstance(page, str) else page
            found |= {path: name for name, path in pages.items()}
    return found


def nav() -> list[dict[str, object]]:
    """The navigation as mkdocs has it: lists of mappings with one item."""
    return [{tab: _listed(pages)} for tab, pages in NAVIGATION.items()]


def _listed(pages: dict[str, str | dict[str, str]] | dict[str, str]) -> list[dict[str, object]]:
    return [{name: place(page) if isinstance(page, str) else _listed(page)} for name, page in pages.items()]
