"""The shape of the tests: folders of ``tests/unit`` are those of the package, and no test module imports another."""

from __future__ import annotations

import ast

from tests.support.data import ROOT

TESTS = ROOT / "tests"
OTHERS = {"benchmarks", "kernel"}
"""Folders of ``tests/unit`` for what is no folder of the package: the harness, and the kernel as Python calls it."""


def test_unit_tests_lie_as_the_package_does() -> None:
    package, unit = ROOT / "python" / "anypiece", TESTS / "unit"
    folders = {path.parent.relative_to(unit) for path in unit.rglob("test_*.py")}
    assert len(folders) > 15
    assert {str(path) for path in folders if not (package / path).is_dir()} == OTHERS


def test_test_modules_do_not_import_each_other() -> None:
    found = []
    for path in TESTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            is_relative = isinstance(node, ast.ImportFrom) and node.level > 0
            of_tests = [name for name in names if name.startswith("tests.") or is_relative]
            found += [f"{path.relative_to(ROOT)}: {name}" for name in of_tests if ".test_" in f".{name}"]
    assert found == []


def test_helpers_lie_in_one_place() -> None:
    """``tests/unit`` has tests alone."""
    others = {path.name for path in (TESTS / "unit").rglob("*.py") if not path.name.startswith("test_")}
    assert others == {"__init__.py", "conftest.py"}
