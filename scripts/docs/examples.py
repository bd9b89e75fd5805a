"""Runs the examples: Python blocks, ``>>>`` sessions and console sessions of pages, and the docstrings of the package.

The Python blocks of one page share their names and run in order, in an empty folder of their own. In a ``console`` block
each line after ``$`` is run by the shell with ``anypiece`` on its path, and what it prints must be the lines that follow;
``...`` stands for any text. Blocks of other languages (``sh``, ``text``) are not examples.
"""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
import tempfile
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .commands import output_of, words_of
from .pages import Block, blocks, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_module", "check_page", "modules", "names_of"]

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def names_of(page: Path) -> dict[str, Any]:
    """The names that the examples of a page leave behind. An example that is false is a ``ValueError``."""
    names: dict[str, Any] = {}
    failures = check_page(page, names)
    if failures:
        raise ValueError("\n".join(failures))
    return names


def check_page(page: Path, names: dict[str, Any] | None = None) -> list[str]:
    """What is wrong with the examples of a page, as text for a reader; empty when all is well. ``names`` are filled."""
    names = {} if names is None else names
    names["__name__"] = "__main__"
    failures: list[str] = []
    with _empty_folder():
        for block in blocks(page):
            if block.language == "python":
                failures += _run_python(block, names)
            elif block.language == "console":
                failures += _run_console(block)
    return failures


def modules() -> list[str]:
    """The names of the package's modules: all that can be imported without side effects."""
    import anypiece

    found = pkgutil.walk_packages(anypiece.__path__, "anypiece.")
    return ["anypiece", *(module.name for module in found if not module.name.endswith("__main__"))]


def check_module(name: str) -> list[str]:
    """What is wrong with the docstring examples of a module."""
    module = importlib.import_module(name)
    failures: list[str] = []
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name, extraglobs=_given(name)):
        with _empty_folder():
            failures += _run_doctest(test)
    return failures


def _given(name: str) -> dict[str, Any]:
    """Names that examples may use without defining them: the methods of ``Tokenizer`` are shown on the default one."""
    import anypiece

    is_shown = name in ("anypiece.tokenizer", "anypiece.text.batches", "anypiece._core.lookups")
    return {"tok": anypiece.load()} if is_shown else {}


@contextmanager
def _empty_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _run_doctest(test: doctest.DocTest, *, clear: bool = True) -> list[str]:
    said: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS, verbose=False).run(test, out=said.append, clear_globs=clear)
    return ["".join(said)] if said else []


def _run_python(block: Block, names: dict[str, Any]) -> list[str]:
    place = f"{shown(block.page)}:{block.line}"
    if ">>>" in block.text:
        test = doctest.DocTestParser().get_doctest(block.text, names, place, place, block.line - 1)
        failures = _run_doctest(test, clear=False)
        names.update(test.globs)
        return failures
    try:
        exec(compile("\n" * (block.line - 1) + block.text, place, "exec"), names)
    except Exception:
        return [f"{place}: the example raised\n{traceback.format_exc()}"]
    return []


def _run_console(block: Block) -> list[str]:
    failures = []
    for command, expected in _console_steps(block.text):
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
        words = words_of(command)
        printed = _printed(command, environment) if words is None else output_of(words, environment)
        if not doctest.OutputChecker().check_output(expected, printed, OPTIONS):
            failures.append(f"{shown(block.page)}:{block.line}: $ {command}\nexpected:\n{expected}\ngot:\n{printed}")
    return failures


def _printed(command: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, shell=True, text=True, encoding="utf-8", env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.stdout


def _console_steps(text: str) -> list[tuple[str, str]]:
    steps: list[tuple[str, str]] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            steps.append((line[2:].strip(), ""))
        elif steps:
            command, output = steps.pop()
            steps.append((command, output + line))
    return steps
