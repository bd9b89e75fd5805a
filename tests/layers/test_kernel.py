"""The folders of the kernel in the order of the layers: a file imports from its own folder and from those above it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.data import ROOT

SOURCES = ROOT / "crates" / "core" / "src"

LAYERS = (
    # what knows nothing of tokenizers
    "util unicode index pattern",
    # data
    "spec",
    # the stages of a text
    "normalize split specials",
    # pieces of a unit, units of a text
    "segment units",
    # the lattice, draws and best paths
    "lattice sampling nbest",
    # the tokenizer's methods
    "tokenizer",
    # what makes vocabularies, what reads files
    "training scan",
    # entry points of single stages for benchmarks
    "bench",
)
ORDER = " ".join(LAYERS).split()

TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", re.DOTALL)
COMMENT = re.compile(r"//.*")
PATH = re.compile(r"\bcrate::")
NAME = re.compile(r"\s*(\w+|\*)(?:\s+as\s+\w+)?\s*,?\s*")


def paths(text: str, at: int) -> tuple[list[tuple[str, ...]], int]:
    """The paths that begin at a place, which may be a group, and the place behind them.

    >>> paths("spec::{Spec, vocab::{Kind, Vocab}};", 0)[0]
    [('spec', 'Spec'), ('spec', 'vocab', 'Kind'), ('spec', 'vocab', 'Vocab')]
    """
    if text[at] == "{":
        at += len(re.match(r"\{\s*", text[at:])[0])
        found: list[tuple[str, ...]] = []
        while text[at] != "}":
            more, at = paths(text, at)
            found += more
        return found, at + len(re.match(r"\}\s*,?\s*", text[at:])[0])
    name = re.compile(r"\w+|\*").match(text, at)
    if name is None:
        return [()], at
    if text.startswith("::", name.end()):
        rests, at = paths(text, name.end() + 2)
        return [(name[0], *rest) for rest in rests], at
    behind = NAME.match(text, at)
    return [(name[0],)], behind.end() if behind else name.end()


def imports_of(source: str) -> set[tuple[str, ...]]:
    """The paths in this crate that a file names, its tests aside."""
    text = COMMENT.sub("", TESTS.sub("", source))
    return {path for match in PATH.finditer(text) for path in paths(text, match.end())[0]}


def module_of(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return parts[:-1] if parts[-1] == "mod" else parts


def module_imports(source: str, modules: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """The modules that a file names, its tests aside."""
    found = set()
    for path in imports_of(source):
        starts = (path[:size] for size in range(len(path), 0, -1))
        found.update([start for start in starts if start in modules][:1])
    return found


def circles(graph: dict[tuple[str, ...], set[tuple[str, ...]]]) -> list[tuple[str, ...]]:
    """The modules on cycles or on paths between them: those without imports or importers are removed until none is left."""
    left = {module: set(others) for module, others in graph.items()}
    while True:
        used = set().union(*left.values()) if left else set()
        ends = {module for module, others in left.items() if not others or module not in used}
        if not ends:
            return sorted(left)
        left = {module: others - ends for module, others in left.items() if module not in ends}


def layer_of(path: Path) -> str:
    return path.relative_to(SOURCES).parts[0].removesuffix(".rs")


def imports() -> set[tuple[str, str]]:
    files = [path for path in sorted(SOURCES.rglob("*.rs")) if path.name != "lib.rs"]
    pairs = {(layer_of(path), name) for path in files for name, *_ in imports_of(path.read_text(encoding="utf-8"))}
    return {(layer, name) for layer, name in pairs if layer != name}


def test_every_layer_has_its_place() -> None:
    assert len(ORDER) == len(set(ORDER))
    assert {layer_of(path) for path in SOURCES.rglob("*.rs")} - {"lib"} == set(ORDER)


def test_imports_go_upwards() -> None:
    place = {layer: number for number, layer in enumerate(ORDER)}
    assert not {pair for pair in imports() if place[pair[1]] > place[pair[0]]}


def test_no_modules_import_each_other_in_a_circle() -> None:
    """But parent and child, of which the one declares the other."""
    files = {module_of(path): path for path in sorted(SOURCES.rglob("*.rs")) if path.name not in ("lib.rs", "tests.rs")}
    graph = {}
    for module, path in files.items():
        named = module_imports(path.read_text(encoding="utf-8"), set(files))
        graph[module] = {other for other in named if other[: len(module)] != module and module[: len(other)] != other}
    assert len(graph) > 100
    assert circles(graph) == []


def test_circles_are_found() -> None:
    graph = {("a",): {("b",)}, ("b",): {("c",)}, ("c",): {("b",)}, ("d",): {("c",)}}
    assert circles(graph) == [("b",), ("c",)]
    modules = {("a",), ("a", "b"), ("c",)}
    assert module_imports("use crate::{a::b::X, c};\nfn f(x: crate::a::Y) {}", modules) == modules


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("use crate::cast::us;", {"cast"}),
        ("use crate::{cast::{u32_of, us}, error::Result};\nfn f() -> crate::spec::Spec {}", {"cast", "error", "spec"}),
        ("use crate::util::rng as random;\nfn f(x: crate::Spec) {}", {"util", "Spec"}),
        ("// crate::cast\nuse std::fmt;", set()),
        ("use crate::cast::us;\n#[cfg(test)]\nmod tests {\n    use crate::spec::Spec;\n}", {"cast"}),
    ],
)
def test_imports_are_found(source: str, names: set[str]) -> None:
    assert {name for name, *_ in imports_of(source)} == names
