"""The law of linear time on a sample of files, families of texts and entry points, and where it was broken before."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from tests.property.linear_time import ENTRIES, Cell, cells_of, difference, files, growth, opened
from tests.support.text_families import FAMILIES
from tests.support.texts import SEED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BROKEN = (
    ("hf/t5_small.tokenizer.json", "newlines", "encode"),
    ("hf/t5_small.tokenizer.json", "code", "count with a limit"),
    ("hf/xlnet_base_cased.json", "mixed blanks", "count"),
    ("hf/gpt2.json", "newlines", "truncate to half"),
    ("hf/gpt2.json", "jamo", "split"),
    ("tiktoken/cl100k_base.tiktoken", "bad bytes", "truncate to half"),
    ("tiktoken/cl100k_base.tiktoken", "jamo", "truncate to half"),
    ("sentencepiece/t5_base_spiece.model", "letters and spaces", "truncate to half"),
)
DRAWN_FILES, DRAWN_CELLS = 5, 12


@lru_cache(maxsize=2)
def tokenizer(file: str) -> ap.Tokenizer:
    return opened(file)


def drawn() -> list[tuple[str, int]]:
    """Files, each with the number of its draw."""
    return [(file, number) for number, file in enumerate(Random(f"{SEED} linear time").sample(files(), DRAWN_FILES))]


@pytest.mark.parametrize("cell", BROKEN, ids=" | ".join)
def test_where_it_was_broken(cell: tuple[str, str, str]) -> None:
    assert difference(tokenizer(cell[0]), Cell(*cell)) is None


@pytest.mark.parametrize(("file", "number"), drawn())
def test_drawn_cells(file: str, number: int) -> None:
    cells = Random(f"{SEED} linear time {number}").sample(list(cells_of(file)), DRAWN_CELLS)
    found = [difference(tokenizer(file), cell) for cell in cells]
    assert not any(found), [one for one in found if one]


def test_split_with_a_step_that_grows_the_text(tmp_path: Path) -> None:
    """Each window is normalized for several prefixes of it, and never the whole text."""
    vocabulary = {"type": "BPE", "vocab": {"a": 0, "b": 1, "bb": 2}, "merges": ["b b"]}
    step = {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 8}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"normalizer": step, "model": vocabulary}), encoding="utf-8")
    tok = ap.load(path)

    def ready(size: int) -> Callable[[], object]:
        return lambda: tok.split("a" * size, 40)

    cell, sizes = Cell("grows", "one letter", "split"), (2_000, 8_000)
    assert len(tok.split("a" * 100, 40)) == 10
    assert any(growth(ready, cell, sizes).is_linear for _ in range(3))


def with_unknowns(size: int, folder: Path) -> Path:
    """A ``.model`` file of this number of pieces with a self-test sample of as many unknowns."""
    rows = [("<unk>", 0.0, ap.Kind.UNKNOWN), ("▁", -1.0, ap.Kind.NORMAL), ("a", -1.0, ap.Kind.NORMAL)]
    rows += [(f"w{number:x}", -1.0, ap.Kind.NORMAL) for number in range(size)]
    sample = ap.Sample("a", ("? " * size + "?",))
    path = folder / f"{size}.model"
    ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), samples=(sample,))).save(path, "sentencepiece")
    return path


def with_config(size: int, folder: Path) -> Path:
    """A folder whose config lists every piece."""
    path = folder / f"{size}"
    path.mkdir(exist_ok=True)
    tok = ap.load(with_unknowns(size, path), check_samples=False)
    rows = {str(number): {"content": tok.id_to_piece(number)} for number in range(tok.vocab_size)}
    (path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": rows}), encoding="utf-8")
    return path


def with_steps(size: int, folder: Path) -> Path:
    """A ``tokenizer.json`` with as many normalizers."""
    steps = [{"type": "NFD"}, {"type": "Lowercase"}] * (size // 2)
    path, model = folder / f"{size}.json", {"type": "BPE", "vocab": {"a": 0, "aa": 1}, "merges": ["a a"]}
    document = {"normalizer": {"type": "Sequence", "normalizers": steps}, "model": model}
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("made", "options"), [(with_unknowns, {}), (with_config, {"check_samples": False}), (with_steps, {})]
)
def test_loading(made: Callable[[int, Path], Path], options: dict[str, Any], tmp_path: Path) -> None:
    def ready(size: int) -> Callable[[], object]:
        path = made(size, tmp_path)

        def call() -> None:
            with suppress(ap.AnyPieceError):
                ap.load(path, **options)

        return call

    cell, sizes = Cell(made.__name__, "any", "load"), (8_000, 32_000)
    assert any(growth(ready, cell, sizes).is_linear for _ in range(3))


def test_there_are_enough_of_all() -> None:
    assert len(FAMILIES) >= 40
    assert len(ENTRIES) >= 10
    assert len(files()) >= 80
