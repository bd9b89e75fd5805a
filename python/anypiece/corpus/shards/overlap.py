"""Work beside other work, in a thread of its own: what is read ahead, and what is written behind. Both are bounded."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

__all__ = ["AT_ONCE", "Behind", "ahead"]

Item = TypeVar("Item")

AT_ONCE = 4
"""How many items wait between two threads at most."""
_END = object()


def ahead(items: Iterator[Item], most: int = AT_ONCE) -> Generator[Item, None, None]:
    """The items of an iterator, which a thread makes up to ``most`` items before they are asked for.

    Its errors are raised where the items are taken. Whoever stops taking them ends the thread, which closes the iterator.

    >>> list(ahead(iter("abc"), 1))
    ['a', 'b', 'c']
    """
    made: queue.Queue[tuple[Any, BaseException | None]] = queue.Queue(most)
    is_left = threading.Event()

    def make() -> None:
        last: tuple[Any, BaseException | None] = (_END, None)
        try:
            for item in items:
                made.put((item, None))
                if is_left.is_set():
                    break
        except BaseException as error:
            last = (_END, error)
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()
            made.put(last)

    thread = threading.Thread(target=make, name="anypiece-ahead", daemon=True)
    thread.start()
    try:
        while True:
            item, error = made.get()
            if error is not None:
                raise error
            if item is _END:
                return
            yield item
    finally:
        is_left.set()
        while thread.is_alive():  # one that waits for room gets it
            try:
                made.get(timeout=0.01)
            except queue.Empty:
                continue


class Behind:
    """Does calls one after the other in a thread, while whoever asked for them goes on.

    >>> done = []
    >>> behind = Behind()
    >>> behind.call(done.append, 1); behind.call(done.append, 2)
    >>> behind.finish(); done
    [1, 2]
    """

    def __init__(self, most: int = AT_ONCE) -> None:
        self._calls: queue.Queue[tuple[Callable[..., object], tuple[Any, ...]] | None] = queue.Queue(most)
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None

    def call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Have a call done, after those before. The first error of one before is raised."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="anypiece-behind", daemon=True)
            self._thread.start()
        self._raise()
        self._calls.put((function, arguments))

    def _work(self) -> None:
        while (task := self._calls.get()) is not None:
            function, arguments = task
            if self._error is None:
                try:
                    function(*arguments)
                except BaseException as error:
                    self._error = error
            del task, arguments

    def finish(self) -> None:
        """Wait for all calls. The first error of one is raised."""
        self.stop()
        self._raise()

    def stop(self) -> None:
        """Wait for all calls, whatever became of them."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._calls.put(None)
            thread.join()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error
