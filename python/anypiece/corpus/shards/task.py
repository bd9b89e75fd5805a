"""One task: documents of some parts of files become one shard. What is written depends on the plan and the number alone.

A block of documents goes through ``encoded``, from texts to flat ids and lengths, into the writer of the format.
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.vocabulary import special_tokens
from ...errors import AnyPieceError, InternalError
from ...io.paths import file_error
from ...results import Batch, framed
from .documents import Block, Tally, blocks
from .formats import FORMATS
from .formats.output import Outputs
from .manifest import Record, write_record
from .plan import changed_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ...tokenizer import Tokenizer
    from .formats import Writer
    from .inputs import File
    from .plan import Plan

__all__ = ["run_task"]

_FEW = 4
"""How many first characters are looked for by themselves, which is quicker than an expression."""


def run_task(
    plan: Plan,
    number: int,
    tokenizer: Tokenizer | None = None,
    *,
    folder: Path | None = None,
    threads: int | None = 1,
    advance: Callable[[int], None] = lambda amount: None,
) -> Record:
    """Write one shard of a plan, into its folder or another, and its record. Doing it twice, or at once, does no harm.

    ``advance`` is told how many bytes of input were read.
    """
    target = plan.folder if folder is None else folder
    task = _Task(plan, number, tokenizer or plan.tokenizer(), target, threads)
    try:
        return task.run(advance)
    except AnyPieceError:
        raise
    except MemoryError:
        message = f"Task {number} wants more memory than there is."
        raise InternalError("shards-worker", message, task=number) from None
    except OSError as error:
        raise file_error("file-unwritable", Path(error.filename or target), error) from None
    finally:
        task.outputs.remove()


class _Task:
    def __init__(self, plan: Plan, number: int, tokenizer: Tokenizer, folder: Path, threads: int | None) -> None:
        self.plan, self.number, self.tokenizer, self.folder, self.threads = plan, number, tokenizer, folder, threads
        self.format = FORMATS[plan.options.format]
        self.dtype = self.format.dtype(plan.largest)
        self.outputs = Outputs(folder, plan.stem(number), secrets.token_hex(4))
        self.outputs.about["tokenizer"] = f"anypiece-{plan.fingerprint[:12]}"
        self.tally = Tally(plan.options)
        self.specials = _Specials(tokenizer)
        self.writer: Writer | None = None
        self.documents = self.tokens = 0
        self.largest = -1
        self.first: dict[str, Any] | None = None
        self.last: dict[str, Any] | None = None

    def run(self, advance: Callable[[int], None]) -> Record:
        """Read, encode and write all of it, then give the files their names and write the record."""
        for file, start, end in self.plan.tasks[self.number]:
            changed_file(self.plan, file)
            for block in blocks(self.plan.files[file], start, end, self.tally, advance):
                if block.texts:
                    self.take(self.plan.files[file], block)
            changed_file(self.plan, file)
        if self.writer is not None:
            self.writer.finish()
        record = Record(
            self.plan.stem(self.number),
            self.outputs.place(),
            self.documents,
            self.tokens,
            self.dtype.name,
            self.largest,
            self.first,
            self.last,
            dict(sorted(self.tally.left_out.items())),
            self.tally.repaired,
            self.tally.with_specials,
            self.tally.rejects,
        )
        write_record(self.folder, self.plan, self.number, record)
        return record

    def take(self, file: File, block: Block) -> None:
        """Encode a block and hand it to the writer."""
        batch, places = self.encoded(file, block)
        if not len(batch):
            return
        row = framed(batch, list(self.plan.before), list(self.plan.after), False)
        if len(row.ids):
            self.check(row.ids)
        if self.writer is None:
            self.writer = self.format.writer(self.outputs, self.dtype)
        self.writer.add(row.ids.astype(self.dtype), row.lengths)
        self.documents += len(row)
        self.tokens += len(row.ids)
        self.first = self.first or {"file": file.path, "at": int(places[0])}
        self.last = {"file": file.path, "at": int(places[-1])}

    def check(self, ids: NDArray[np.uint32]) -> None:
        """An id beyond the largest would be cut off by the cast."""
        self.largest = max(self.largest, int(ids.max()))
        if self.largest > self.plan.largest:
            message = f"The id {self.largest} is above {self.plan.largest}, the largest of the vocabulary."
            raise InternalError("internal-error", message, id=self.largest)

    def encoded(self, file: File, block: Block) -> tuple[Batch, NDArray[np.int64]]:
        """The ids of a block's documents, and the places of those that are kept."""
        options = self.plan.options
        try:
            batch = self.batch(block.texts)
        except AnyPieceError:
            block = self.bearable(file, block)
            batch = self.batch(block.texts)
        lengths = batch.lengths
        long = np.zeros(len(batch), bool) if options.max_tokens is None else lengths > options.max_tokens
        short = lengths < options.min_tokens
        for reason, marks in (("too_short", short), ("too_long", long)):
            if amount := int(marks.sum()):
                self.tally.left_out[reason] = self.tally.left_out.get(reason, 0) + amount
        kept = ~(short | long)
        self.tally.with_specials += self.specials.count(block.texts, kept)
        if kept.all():
            return batch, block.places
        ids = batch.ids[np.repeat(kept, lengths)]
        return Batch(ids, np.concatenate([[0], np.cumsum(lengths[kept])])), block.places[kept]

    def batch(self, texts: list[str | bytes]) -> Batch:
        """The ids of texts."""
        specials: Any = self.plan.options.specials
        return self.tokenizer.encode_batch(texts, specials=specials, threads=self.threads)

    def bearable(self, file: File, block: Block) -> Block:
        """The documents that the tokenizer does not refuse."""
        kept = []
        for number, text in enumerate(block.texts):
            try:
                self.batch([text])
                kept.append(number)
            except AnyPieceError as error:
                place = int(block.places[number])
                self.tally.leave_out(file, place, "refused", str(error), self.plan.options.on_bad_line)
        return Block([block.texts[number] for number in kept], block.places[kept])


class _Specials:
    """Counts the documents that contain the spelling of a special token."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        names = sorted(name for name in special_tokens(tokenizer) if name)
        self.text = re.compile("|".join(map(re.escape, names))) if names else None
        self.raw = re.compile(b"|".join(re.escape(name.encode()) for name in names)) if names else None
        firsts = sorted({name[0] for name in names})
        self.firsts = [(first, first.encode()) for first in firsts] if len(firsts) <= _FEW else []

    def count(self, texts: list[str | bytes], kept: NDArray[np.bool_]) -> int:
        """How many of those that are kept have one."""
        text, raw = self.text, self.raw
        if text is None or raw is None:
            return 0
        found = 0
        for item, keep in zip(texts, kept.tolist(), strict=True):
            if isinstance(item, bytes):
                likely = not self.firsts or any(first in item for _, first in self.firsts)
                found += likely and keep and raw.search(item) is not None
            else:
                likely = not self.firsts or any(first in item for first, _ in self.firsts)
                found += likely and keep and text.search(item) is not None
        return found
