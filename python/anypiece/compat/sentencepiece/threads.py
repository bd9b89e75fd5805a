"""``ThreadPool``: how many threads a call may use. The kernel has threads of its own."""

from __future__ import annotations

from .errors import WrongTypeError

__all__ = ["ThreadPool"]


class ThreadPool:
    """A number of threads, for ``thread_pool=``."""

    def __init__(self, num_threads: int) -> None:
        if not isinstance(num_threads, int):
            raise WrongTypeError("num_threads must be int")
        self._number = max(1, num_threads)

    def num_threads(self) -> int:
        """The number."""
        return self._number
