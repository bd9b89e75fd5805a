"""Imported when an interpreter of a run starts: puts our modules in the place of the original's.

``$ANYPIECE_COMPAT`` holds what is replaced, as JSON; without it nothing is.
"""

import importlib
import importlib.abc
import importlib.machinery
import json
import os
import sys


class Aliases(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a module and its submodules under another name, as the very same objects."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, fullname, path=None, target=None):
        name, _, rest = fullname.partition(".")
        if name not in self.names:
            return None
        ours = ".".join(filter(None, [self.names[name], rest]))
        try:
            found = importlib.import_module(ours)
        except ModuleNotFoundError as error:
            if rest and error.name == ours:
                return None  # and nobody else finds it: the path of its package is ours
            raise
        spec = importlib.machinery.ModuleSpec(fullname, self, is_package=hasattr(found, "__path__"))
        spec.loader_state = found
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        # The import system takes what stands in sys.modules then, and not the empty module it made.
        sys.modules[module.__name__] = module.__spec__.loader_state


if "ANYPIECE_COMPAT" in os.environ:
    wanted = json.loads(os.environ["ANYPIECE_COMPAT"])
    sys.meta_path.insert(0, Aliases(wanted["aliases"]))
    if wanted["startup"]:
        where, _, what = wanted["startup"].partition(":")
        getattr(importlib.import_module(where), what)()
