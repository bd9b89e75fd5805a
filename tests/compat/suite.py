"""A test suite of another library: where it is, what it needs, and which of its tests are not ours to pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["SUITES", "Suite", "named"]


@dataclass(frozen=True)
class Suite:
    """One suite. Test ids are pytest's, relative to the folder of the run."""

    name: str
    """The name of its module and of its page in ``docs/compat``."""
    version: str
    packages: tuple[str, ...]
    """What pip installs for both runs, pinned, without what these need themselves; nothing where the environment has it."""
    upstream: str
    """The folder of the suite below ``../shared/data/upstream``; it is copied into the folder of each run."""
    tests: tuple[str, ...]
    """Arguments of pytest."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """In our run: the modules that are imported in the place of others, with their submodules."""
    startup: str | None = None
    """In our run: ``module:function``, called when an interpreter starts."""
    prepare: Callable[[Path], dict[str, str]] | None = None
    """Lays out the fixtures in the folder of a run; returns its environment variables."""
    not_counted: Mapping[str, str] = field(default_factory=dict)
    """Tests, or all whose ids begin so, that neither side has to pass, with the reason."""
    differs: Mapping[str, str] = field(default_factory=dict)
    """Tests that the original passes and we do not, with the reason. Its page names each."""
    sample: tuple[str, ...] = ()
    """Arguments of pytest for a short run."""
    commands: tuple[tuple[str, ...], ...] = ()
    """Arguments of Python for programs that must run after the suite, in the repository and with ``packages``."""

    def counts(self, test: str) -> bool:
        """Whether a test is in the share.

        >>> suite = Suite("x", "1", (), "x", (), not_counted={"tests/a.py": "written in Python"})
        >>> suite.counts("tests/a.py::test_b"), suite.counts("tests/ab.py::test_b")
        (False, True)
        """
        ends = ("", ":", "[", "/")
        return not any(test.startswith(skipped) and test[len(skipped) :][:1] in ends for skipped in self.not_counted)


SUITES = Path(__file__).parent / "suites"


def named(name: str) -> Suite:
    """The suite of a module in ``suites``."""
    found: Suite = import_module(f"tests.compat.suites.{name}").SUITE
    return found
