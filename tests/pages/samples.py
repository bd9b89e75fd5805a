"""Pages as the package writes them: usual ones, and ones with all that may break a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anypiece as ap
from anypiece.comparison.compare import compare
from anypiece.corpus.shards import plan_shards, run_shards, shard_statistics
from anypiece.training.report import report_on
from tests.support.data import ROOT

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["written"]

METHODS: tuple[Any, ...] = ("lattice", "nbest", "viterbi", "reservoir")
_ENGLISH = [line for path in sorted((ROOT / "docs").rglob("*.md")) for line in path.read_text("utf-8").splitlines()]
_MANY = [
    "日本語の文章を短く書く。",
    "Привет, как твои дела сегодня?",
    "שלום לכולם וברוכים הבאים",
    "مرحبا بكم جميعا",
    "नमस्ते दुनिया",
    "สวัสดีชาวโลก",
    "👩‍👩‍👧 🦊",
]
_ODD = [
    "x" * 60,
    "<script>alert(1)</script>",
    "&amp; <b>bold</b>",
    "a\u202eb\u0007c",
    "\u200b\u00ad",
    "W" * 40,
    "\\u0000 \t tab",
]


def written(folder: Path) -> list[Path]:
    """The pages, written into a folder."""
    reports = [_report(folder), _odd_report(folder), _small_report(folder)]
    return [*reports, _comparison(folder), _wide_comparison(folder), *_shards(folder), *_steps(folder)]


def _report(folder: Path) -> Path:
    counts = ap.count_words(_ENGLISH, "unigram")
    tok = ap.train(counts, vocab_size=3000)
    whole = "\n".join(_ENGLISH)
    slices = {
        "english.txt": whole,
        "letters/of/another/folder/with a long name.txt": whole[:2000],
        "short.txt": "A rose.",
    }
    report_on(tok, counts, slices).save(folder / "report.html")
    return folder / "report.html"


def _odd_report(folder: Path) -> Path:
    lines = [*_ENGLISH[:500], *_MANY * 20, *_ODD * 20]
    counts = ap.count_words(lines, "unigram", normalization_rule_name="identity", max_sentencepiece_length=64)
    options = {"normalization_rule_name": "identity", "max_sentencepiece_length": 64, "character_coverage": 1.0}
    tok = ap.train(counts, vocab_size=1000, hard_vocab_limit=False, **options)
    report_on(tok, counts, {name: f"{name}\n" * 3 for name in [*_MANY, *_ODD]}).save(folder / "odd-report.html")
    return folder / "odd-report.html"


def _small_report(folder: Path) -> Path:
    counts = ap.count_words(["a b a"], "byte-bpe")
    report_on(ap.train(counts, vocab_size=260), counts).save(folder / "small-report.html")
    return folder / "small-report.html"


def _comparison(folder: Path) -> Path:
    toks = {kind: ap.train(_ENGLISH, kind, vocab_size=2000) for kind in ("unigram", "byte-bpe", "wordpiece")}
    compare({"built in": ap.load(), **toks}, {"English": "\n".join(_ENGLISH), "other scripts": "\n".join(_MANY)}).save(
        folder / "comparison.html"
    )
    return folder / "comparison.html"


def _wide_comparison(folder: Path) -> Path:
    tok = ap.load()
    toks = {f"a tokenizer with quite a long name, number {number}": tok for number in range(12)}
    texts = {f"{name} <as it is> {'and more ' * 4}": f"{name}\n" * 9 for name in [*_MANY, *_ODD[:3]]}
    compare(toks, texts, parallel=True).save(folder / "wide-comparison.html")
    return folder / "wide-comparison.html"


def _shards(folder: Path) -> list[Path]:
    """What is in finished shards: those of several sources with fallback tokens, and those of one line."""
    pages = []
    for name, texts in {
        "shards": {"english": _ENGLISH, "odd & <b>long</b> name": [*_MANY, *_ODD] * 9},
        "small-shards": {"one": ["a"]},
    }.items():
        inputs = []
        for number, (_, lines) in enumerate(texts.items()):
            inputs.append(folder / f"{name}-{number}.txt")
            inputs[-1].write_text("\n".join(lines), "utf-8")
        sources = {source: [str(file)] for source, file in zip(texts, inputs, strict=True)}
        plan_shards(sources, ap.load(), folder / name, format="numpy")
        run_shards(folder / name, processes=1)
        shard_statistics(folder / name).save(folder / f"{name}.html")
        pages.append(folder / f"{name}.html")
    return pages


def _steps(folder: Path) -> list[Path]:
    """Every step of a text: of a best path, of merges, of a vocabulary that tries to break the page, and in a notebook."""
    merges = ap.train(_ENGLISH, "byte-bpe", vocab_size=1000)
    rows = [
        ("<unk>", 0.0, ap.Kind.UNKNOWN),
        *((piece, -2.0, ap.Kind.NORMAL) for piece in dict.fromkeys([*_MANY, *_ODD])),
    ]
    odd = ap.Tokenizer(ap.Spec(ap.Pieces.of(rows)))
    pages = {
        "steps-path": ap.load().explain("Hello wörld 🦊 שלום مرحبا").html(),
        "steps-merges": merges.explain("Tokenizers are compared: 12345 日本").html(),
        "steps-draws": ap.load()
        .explain("unbelievable")
        .html(*(ap.load().sample_steps("unbelievable", 0.2, seed=3, method=method) for method in METHODS)),
        "steps-odd": odd.explain(" ".join(_MANY + _ODD)[:400]).html(),
        "notebook": _NOTEBOOK.format(
            ap.load().explain("Hello wörld 🦊")._repr_html_()
            + ap.load().encode_spans("Hello שלום مرحبا")._repr_html_()  # type: ignore[attr-defined]
            + ap.load().lattice("Hello")._repr_html_()
        ),
    }
    for name, html in pages.items():
        (folder / f"{name}.html").write_text(html, "utf-8")
    return [folder / f"{name}.html" for name in pages]


_NOTEBOOK = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notebook</title>
<meta name="viewport" content="width=device-width"></head><body class="ap"><main>{}</main></body></html>"""
