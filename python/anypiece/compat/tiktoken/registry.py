"""Encodings by name: OpenAI's, and those of plugins in the namespace package ``tiktoken_ext``."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from typing import TYPE_CHECKING, Any

from .core import ENCODINGS, OPENERS, Encoding
from .openai import CONSTRUCTORS, opened

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ENCODINGS", "ENCODING_CONSTRUCTORS", "get_encoding", "list_encoding_names"]

ENCODING_CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] | None = None
"""All, once one was asked for: functions that give the arguments of ``Encoding``."""

_OURS = "tiktoken_ext.openai_public"
"""tiktoken's own plugin, whose encodings are known here."""
_lock = threading.RLock()


def _plugins() -> list[str]:
    try:
        package = importlib.import_module("tiktoken_ext")
    except ModuleNotFoundError:
        return []
    found = [name for _, name, _ in pkgutil.iter_modules(package.__path__, "tiktoken_ext.")]
    return [name for name in found if name != _OURS]


def _constructors() -> dict[str, Callable[[], dict[str, Any]]]:
    global ENCODING_CONSTRUCTORS
    with _lock:
        if ENCODING_CONSTRUCTORS is None:
            known = dict(CONSTRUCTORS)
            for plugin in _plugins():
                more = getattr(importlib.import_module(plugin), "ENCODING_CONSTRUCTORS", None)
                if more is None:
                    raise ValueError(f"the plugin {plugin} has no ENCODING_CONSTRUCTORS")
                twice = sorted(known.keys() & more.keys())
                if twice:
                    raise ValueError(f"the plugin {plugin} has an encoding that is there already: {twice[0]}")
                known |= more
            ENCODING_CONSTRUCTORS = known
        return ENCODING_CONSTRUCTORS


def get_encoding(encoding_name: str) -> Encoding:
    """The encoding of a name, always the same object. Its rank file must be there: nothing is downloaded."""
    if not isinstance(encoding_name, str):
        raise ValueError(f"the name of an encoding is a str, not {type(encoding_name)}")
    with _lock:
        if encoding_name not in ENCODINGS:
            constructors = _constructors()
            if encoding_name not in constructors:
                known = ", ".join(constructors)
                raise ValueError(
                    f"Unknown encoding {encoding_name}; known are {known}. Plugins: {_plugins() or 'none'}"
                )
            constructor = constructors[encoding_name]
            is_ours = constructor is CONSTRUCTORS.get(encoding_name)
            ENCODINGS[encoding_name] = opened(encoding_name) if is_ours else Encoding(**constructor())
        return ENCODINGS[encoding_name]


def list_encoding_names() -> list[str]:
    """The names of all encodings."""
    return list(_constructors())


OPENERS.append(get_encoding)
