"""Errors that the releases of sentencepiece raise, whichever of their classes a program catches.

Up to 0.2.1 nearly all are ``RuntimeError``; later ones are ``ValueError`` and ``TypeError`` where an argument is wrong. Each
class here is both.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...errors import AnyPieceError, FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NotFoundError", "RefusedError", "WrongTypeError", "refusals"]


class RefusedError(ValueError, RuntimeError):
    """An argument, a file or a model that cannot be used."""


class WrongTypeError(TypeError, RuntimeError):
    """An argument of another type than it must have."""


class NotFoundError(OSError, RuntimeError):
    """A file, or the name of an option, that is not there."""


@contextmanager
def refusals() -> Iterator[None]:
    """The errors of this package as those of sentencepiece."""
    try:
        yield
    except FileError as error:
        raise NotFoundError(str(error)) from error
    except AnyPieceError as error:
        if isinstance(error, (IndexError, TypeError)):
            raise
        raise RefusedError(str(error)) from error
