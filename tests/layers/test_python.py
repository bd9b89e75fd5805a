"""The folders and root modules of the package, in the order of the layers: a module imports from its own and from those
before it, at its top and within functions alike.

Imports for type checkers alone do not count: nothing runs them. No chain of imports leads back to where it began, unless
it is a package and a module in it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.support.data import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = ROOT / "python" / "anypiece"

LAYERS = (
    # plain data
    "_moved _native errors spec metadata",
    # how reports look
    "report",
    # the way to the kernel, what calls return
    "_core results",
    # what is done with text and ids
    "lattice text chat",
    # the executable specification
    "reference",
    # files
    "formats rewrites io",
    # what is shown of a tokenizer
    "steps inspect",
    # the documented surface
    "tokenizer loading",
    # what is done with tokenizers
    "corpus comparison conversion training",
    # other libraries: their surfaces, their data
    "compat loaders",
    # over HTTP
    "lab",
    # programs
    "demo cli",
)
ORDER = " ".join(LAYERS).split()


def modules() -> dict[str, Path]:
    """The modules of the package by their names in it; the package itself is the empty name."""
    files = [*PACKAGE.rglob("*.py"), PACKAGE / "_native.pyi"]
    return {".".join(_parts(path)): path for path in files if path.name != "__main__.py"}


def _parts(path: Path) -> list[str]:
    parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" else parts


def imports_of(source: str, module: str, is_package: bool, known: set[str]) -> set[str]:
    """The modules of the package that a module imports when it is imported or used."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    found = set()
    for node in _run(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names if name.name.split(".")[0] == "anypiece"]
            found |= {name.partition(".")[2] for name in names}
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, [part for part in package if part])
            if base is not None:
                found |= {name if (name := _joined(base, item.name)) in known else base for item in node.names}
    return found


def _base(node: ast.ImportFrom, package: list[str]) -> str | None:
    """The module that names are imported from, if it is one of the package."""
    named = node.module.split(".") if node.module else []
    if node.level:
        return ".".join(package[: len(package) - node.level + 1] + named)
    return ".".join(named[1:]) if named[0] == "anypiece" else None


def _joined(base: str, name: str) -> str:
    return f"{base}.{name}" if base else name


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree, those that only type checkers read left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield from _run(ast.Module(node.orelse, []))
        else:
            yield node
            yield from _run(node)


def graph() -> dict[str, set[str]]:
    """The modules and what each imports, but for the package itself: it collects the public names."""
    found = modules()
    known = set(found)
    edges = {}
    for name, path in found.items():
        imported = imports_of(path.read_text("utf-8"), name, path.stem == "__init__", known)
        edges[name] = {whole for one in imported for whole in _with_parents(one, name)} - {name}
    del edges[""]
    return edges


def _with_parents(name: str, module: str) -> Iterator[str]:
    """A module and the packages that are imported before it, unless the importing module lies in them."""
    yield name
    while (name := name.rpartition(".")[0]) and not f"{module}.".startswith(f"{name}."):
        yield name


def layer_of(module: str) -> str:
    return module.partition(".")[0]


def test_every_layer_has_its_place() -> None:
    assert len(ORDER) == len(set(ORDER))
    assert {layer_of(name) for name in modules()} - {""} == set(ORDER)


def test_imports_go_upwards() -> None:
    place = {layer: number for number, layer in enumerate(ORDER)}
    assert [
        f"{module} imports {name or 'the package itself'}"
        for module, names in graph().items()
        for name in names
        if layer_of(name) not in place or place[layer_of(name)] > place[layer_of(module)]
    ] == []


def test_no_import_leads_back() -> None:
    """Parent and child are one: a package may collect what its modules hold, and they may use what it says."""
    edges = graph()
    for module, names in edges.items():
        edges[module] = {name for name in names if not _are_kin(module, name)}
    assert circles(edges) == []


def _are_kin(one: str, other: str) -> bool:
    return one.rpartition(".")[0] == other or other.rpartition(".")[0] == one


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules that import each other by a chain."""
    reached: dict[str, set[str]] = {}
    for start in edges:
        seen, waiting = set[str](), [start]
        while waiting:
            new = edges.get(waiting.pop(), set()) - seen
            seen |= new
            waiting += new
        reached[start] = seen
    groups = {tuple(sorted(two for two in reached[one] if one in reached[two])) for one in edges if one in reached[one]}
    return sorted(map(list, groups))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("from ..errors import FileError", {"errors"}),
        ("from . import paths", {"io.paths"}),
        ("from .paths import read_bytes", {"io.paths"}),
        ("from .. import errors, load", {"errors", ""}),
        ("def f():\n    from ..errors import FileError", {"errors"}),
        ("if TYPE_CHECKING:\n    from ..errors import FileError", set()),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    from ..errors import FileError", {"errors"}),
        ("import anypiece.errors\nimport errors", {"errors"}),
        ("from anypiece.io import paths\nfrom os import path", {"io.paths"}),
    ],
)
def test_imports_are_found(source: str, names: set[str]) -> None:
    assert imports_of(source, "io.read", False, {"", "errors", "io", "io.paths", "io.read"}) == names


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a", "e"}, "e": set(), "f": {"g"}, "g": {"f"}}) == [
        ["a", "b", "c"],
        ["f", "g"],
    ]
