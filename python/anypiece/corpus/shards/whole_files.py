"""The documents of whole files, for whoever reads a corpus without a plan, and a look at the first of them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ...errors import InputError
from .documents import Block, Tally, blocks
from .inputs import atoms
from .options import Options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .inputs import File
    from .long_documents import Long

__all__ = ["check_field", "documents_of"]

_ALL = 1 << 62


def documents_of(file: File, tally: Tally) -> Iterator[Block | Long]:
    """The documents of a file, in blocks, as a plan of it alone has them."""
    for _, start, end, _ in atoms(0, file, tally.options, _ALL):
        yield from blocks(file, start, end, tally, lambda amount: None)


def check_field(files: tuple[File, ...], options: Options) -> None:
    """Refuse JSON and CSV whose first texts or columns cannot be found: the names are likely others."""
    bare = [file.path for file in files if file.kind == "text"]
    if options.columns and bare:
        raise InputError("argument-value", f"{bare[0]} has lines of text and no columns.", argument="columns")
    lenient = Options(options.format, options.field, columns=options.columns, on_bad_file=options.on_bad_file)
    for kind in ("jsonl", "csv"):
        file = next((file for file in files if file.kind == kind and file.size), None)
        if file is None:
            continue
        tally = Tally(lenient, is_peek=True)
        with suppress(StopIteration):
            first = next(blocks(file, 0, file.size, tally, lambda amount: None))
            if isinstance(first, Block) and not len(first.texts) and tally.rejects:
                message = f"None of the first documents of {file.path} has a text: {tally.rejects[0]['reason']}. "
                raise InputError(
                    "argument-value", f"{message}Name the field, or say what the file is with input_format=."
                )
            for name, values in zip(options.columns, zip(*tally.carried.values(), strict=True), strict=False):
                if not any(value is not None for value in values):
                    message = (
                        f"None of the first documents of {file.path} has a field {name!r}. Name another in columns."
                    )
                    raise InputError("argument-value", message, argument="columns")
