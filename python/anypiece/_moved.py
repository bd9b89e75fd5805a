"""Former module names. Importing one gives the names of the module that took its place.

``MOVED`` has the paths that documents named and those that pickles hold: a pickle names the module of each class in it.
Everything else has one path only.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from types import ModuleType
else:
    Loader = object

__all__ = ["MOVED", "install"]

PACKAGE = __package__ or "anypiece"

MOVED: dict[str, str] = {
    "batch": "results",
    "beside": "metadata",
    "content": "_core.vocabulary",
    "paths": "lattice.paths",
    "rows": "text.padding",
    "sampling": "text.sampling",
    "tokens": "results",
    "formats.gguf_file": "formats.gguf.file",
    "formats.rank_lines": "formats.wire.rank_lines",
    "formats.tiktoken_definitions": "formats.tiktoken.definitions",
    "formats.wire_records": "formats.wire.records",
}
"""Former and present path within the package."""

RENAMED = {"beside": {"Beside": "Metadata"}, "content": {"_rebuilt": "rebuilt"}}
"""Former names in such a module, and the present ones."""


class _Finder(Loader):
    """Makes a module of a former name, filled with what the present module has."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        package, _, name = fullname.partition(".")
        return ModuleSpec(fullname, self) if package == PACKAGE and name in MOVED else None

    def create_module(self, spec: ModuleSpec) -> None:
        """Python's own way to make an empty module."""

    def exec_module(self, module: ModuleType) -> None:
        former = module.__name__.partition(".")[2]
        present = import_module(f".{MOVED[former]}", PACKAGE)
        names = {name: value for name, value in vars(present).items() if not name.startswith("__")}
        names |= {old: names[new] for old, new in RENAMED.get(former, {}).items()}
        vars(module).update(names, __doc__=present.__doc__)


def install() -> None:
    """Make the former names importable."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
