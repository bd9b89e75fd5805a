"""As much of Ray as the engines use: calls are done when they are waited for, and some die."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

__all__ = ["FakeRay"]


class Lost(Exception):
    """A worker that died, in the place of Ray's own error."""


class Reference:
    """A call and its arguments."""

    def __init__(self, function: Any, values: tuple[Any, ...]) -> None:
        self.function, self.values = function, values


class FakeRay:
    """Ray. The calls die whose argument at a position is one of ``dying``."""

    exceptions = SimpleNamespace(RayError=Lost)

    def __init__(self, dying: frozenset[Any] = frozenset(), position: int = 3) -> None:
        self.dying, self.position = dying, position
        self.most = 0

    def is_initialized(self) -> bool:
        return True

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def remote(self, **options: Any) -> Any:
        assert set(options) == {"num_cpus", "max_retries"}
        return lambda function: SimpleNamespace(remote=lambda *values: Reference(function, values))

    def wait(self, waiting: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        self.most = max(self.most, len(waiting))
        return waiting[-1:], waiting[:-1]

    def get(self, reference: Any) -> Any:
        function, values = reference.function, reference.values
        if self.dying and values[self.position] in self.dying:
            raise Lost("killed")
        return pickle.loads(pickle.dumps(function(*values)))
