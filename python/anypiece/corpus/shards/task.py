"""One task: documents of some parts of files become one shard, or two where some are held out for validation.

What is written depends on the plan and the number alone. A block of documents goes through ``selected``, which cuts long
ones and says which are held out, and ``encoded``, from texts to flat ids and lengths, into the shards. A document that is
too long to be held goes in parts.
"""

from __future__ import annotations

import re
import secrets
import time
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ... import _native
from ..._core.checks import checked_threads
from ..._core.vocabulary import special_tokens
from ...errors import AnyPieceError, InternalError
from ...io.paths import file_error
from ...results import Batch, framed
from . import tables
from .documents import Tally, blocks, listed
from .formats.output import CONTROL, TEMPORARY
from .long_documents import LONG, Long, Scratch
from .manifest import Record, task_record, write_records
from .plan import changed_file
from .repacking import stretches
from .selection import Documents, chance, hash_of, hashes_of, is_held_out, ranges_of, selected
from .shard import Rows, Shard
from .staging import Staged
from .streaming import LongIds

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from numpy.typing import NDArray

    from ...text.sampling import Method
    from ...tokenizer import Tokenizer
    from .documents import Block, Texts
    from .long_documents import Spooled
    from .plan import Plan, Slice
    from .repacking import Stretch

__all__ = ["Sample", "run_task", "sampled"]

_FEW = 4
"""How many first characters are looked for by themselves, which is quicker than an expression."""
_PIECE = 40
"""Pieces of one document are drawn by places that differ from this bit on."""


def run_task(
    plan: Plan,
    number: int,
    tokenizer: Tokenizer | None = None,
    *,
    folder: Path | None = None,
    threads: int | None = 1,
    advance: Callable[[int], None] = lambda amount: None,
) -> list[Record]:
    """Write the shards of one task of a plan, into its folder or another, and their records: one for each part of the plan.

    Where the plan arranges documents, they are staged instead; see ``phases``. Doing it twice, or at once, does no harm.
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
        for shard in task.shards:
            shard.remove()


class Sample(NamedTuple):
    """What a part of the input of a plan amounts to."""

    read: int
    """Bytes on disk."""
    documents: int
    tokens: int
    written: int
    """Bytes of shards."""


def sampled(plan: Plan, parts: list[Slice], tokenizer: Tokenizer, folder: str, seconds: float) -> Sample:
    """Read the beginnings of some parts of files, for as many seconds in all, and write what they give."""
    task = _Task(plan, 0, tokenizer, Path(folder), 1)
    read = 0
    try:
        for file, start, end in parts:
            until = time.perf_counter() + seconds / len(parts)
            read += task.beginning(file, start, end, until)
        files = [item for shard in task.shards for item in shard.finish()]
    finally:
        for shard in task.shards:
            shard.remove()
    documents, tokens = (sum(getattr(shard, name) for shard in task.shards) for name in ("documents", "tokens"))
    return Sample(read, documents, tokens, sum(item["bytes"] for item in files))


class _Task:
    def __init__(self, plan: Plan, number: int, tokenizer: Tokenizer, folder: Path, threads: int | None) -> None:
        self.plan, self.number, self.tokenizer, self.folder, self.threads = plan, number, tokenizer, folder, threads
        token = secrets.token_hex(4)
        kind = Staged if plan.options.is_arranged else Shard
        self.shards = [kind(plan, number, part, folder, token) for part in plan.parts]
        self.tally = Tally(plan.options, checked_threads(threads), Scratch(folder / CONTROL / TEMPORARY))
        self.specials = _Specials(tokenizer)

    def run(self, advance: Callable[[int], None]) -> list[Record]:
        """Read, encode and write all of it, then give the files their names and write the records."""
        for file, start, end in self.plan.tasks[self.number]:
            changed_file(self.plan, file)
            if self.plan.files[file].kind == "shards":
                for stretch in stretches(self.plan, file, start, end):
                    self.repack(file, stretch)
                    advance(self.plan.bytes_of(file, len(stretch.places)))
                continue
            for block in blocks(self.plan.files[file], start, end, self.tally, advance):
                self.take_block(file, block)
            changed_file(self.plan, file)
        records = [
            self.record(shard, Tally(self.plan.options) if row else self.tally) for row, shard in enumerate(self.shards)
        ]
        write_records(task_record(self.folder, self.plan, self.number), records)
        return records

    def beginning(self, number: int, start: int, end: int, until: float) -> int:
        """Take blocks of a part of a file until a time; how many bytes on disk they are."""
        file = self.plan.files[number]
        is_table = file.kind in ("parquet", "arrow")
        amounts: list[int] = []
        rows = 0
        with closing(cast("Generator[Block | Long]", blocks(file, start, end, self.tally, amounts.append))) as items:
            for block in items:
                self.take_block(number, block)
                rows += 1 if isinstance(block, Long) else len(block.texts)
                if time.perf_counter() > until:
                    break
        if not is_table:
            return sum(amounts)
        of_all = tables.first_row(file.path, file.kind, end) - tables.first_row(file.path, file.kind, start)
        return self.plan.bytes_of(number, end - start) * min(rows, of_all) // max(of_all, 1)

    def take_block(self, number: int, block: Block | Long) -> None:
        """Take the documents of a block of a file."""
        if isinstance(block, Long):
            self.take_long(number, block)
        elif len(block.texts):
            self.take(number, selected(self.plan.files[number], block, self.plan.options, self.tally))
        self.tally.carried.clear()

    def record(self, shard: Shard, tally: Tally) -> Record:
        """The record of a shard, whose files get their names."""
        files = shard.finish()
        said = shard.documents, shard.tokens, shard.dtype.name, shard.largest, shard.first, shard.last
        counted = dict(sorted(tally.left_out.items())), tally.repaired, tally.cut, tally.with_specials, tally.rejects
        return Record(shard.stem, shard.part, files, *said, *counted, shard.packed, shard.padding, shard.inputs())

    def repack(self, number: int, stretch: Stretch) -> None:
        """Hand documents of finished shards to new ones."""
        batch, kept = stretch.batch, self.fitting(stretch.batch.lengths)
        if not kept.all():
            ids, lengths = batch.ids[np.repeat(kept, batch.lengths)], batch.lengths[kept]
            batch = Batch(ids, np.concatenate([[0], np.cumsum(lengths)]))
        hashes = hashes_of([*(row.tobytes() for row in batch)]) if self.plan.options.dedupe else None
        row = framed(batch, list(self.plan.before), list(self.plan.after), False)
        path = self.plan.files[number].path
        rows = Rows(row.ids, row.lengths, path, stretch.places[kept], [], number, hashes)
        self.shards[-1 if stretch.is_held_out else 0].add(rows)

    def fitting(self, lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which documents have as many tokens as they should; the others are counted."""
        options = self.plan.options
        long = np.zeros(len(lengths), bool) if options.max_tokens is None else lengths > options.max_tokens
        short = lengths < options.min_tokens
        for reason, marks in (("too_short", short), ("too_long", long)):
            if amount := int(marks.sum()):
                self.tally.left_out[reason] = self.tally.left_out.get(reason, 0) + amount
        kept: NDArray[np.bool_] = ~(short | long)
        return kept

    def take(self, number: int, documents: Documents) -> None:
        """Encode documents of a file and hand them to the shards."""
        batch, documents = self.encoded(number, documents)
        if not len(batch):
            return
        row = framed(batch, list(self.plan.before), list(self.plan.after), False)
        columns: list[list[str | None]] = []
        if self.plan.options.columns:
            carried = [self.tally.carried[place] for place in documents.places.tolist()]
            columns = [list(column) for column in zip(*carried, strict=True)]
        path = self.plan.files[number].path
        rows = Rows(row.ids, row.lengths, path, documents.places, columns, number, documents.hashes)
        if len(self.shards) == 1 or not documents.held_out.any():
            self.shards[0].add(rows)
            return
        self.shards[0].add(rows.kept(~documents.held_out))
        self.shards[1].add(rows.kept(documents.held_out))

    def take_long(self, number: int, long: Long) -> None:
        """Cut, encode and hand over a document that is too long to be held."""
        options, text = self.plan.options, long.text
        held_out = bool(options.validation and is_held_out(chance(text.parts(), options.seed, "validation"), options))
        ranges = [(0, text.size)]
        if options.max_document and text.size > options.max_document:
            if options.long_documents == "skip":
                self.tally.left_out["too_large"] = self.tally.left_out.get("too_large", 0) + 1
                return
            self.tally.cut += 1
            ranges = [*ranges_of(text.read_within, text.size, options.max_document)]
        whole = hash_of(text.parts()) if options.dedupe else None
        for piece, (start, end) in enumerate(ranges):
            where = np.array([[long.place], [piece]], np.int64)
            hashes = None if whole is None else whole + np.array([[0, piece]], np.uint64)
            if end - start > LONG and options.sample is None:
                empty = Documents([], where[0], where[1], np.array([held_out]), hashes)
                self.stream(number, text.within(start, end), empty)
            else:
                texts: list[str | bytes] = [text.read_within(start, end)]
                self.take(number, Documents(texts, where[0], where[1], np.array([held_out]), hashes))

    def stream(self, number: int, text: Spooled, document: Documents) -> None:
        """Encode a document in parts and hand it to its shard."""
        plan, tally, place = self.plan, self.tally, int(document.places[0])
        with LongIds(self.folder / CONTROL / TEMPORARY) as ids:
            try:
                ids.encode(text, self.tokenizer, plan.options)
            except AnyPieceError as error:
                tally.leave_out(plan.files[number], place, "refused", str(error), plan.options.on_bad_line)
                return
            too_long = plan.options.max_tokens is not None and ids.amount > plan.options.max_tokens
            if too_long or ids.amount < plan.options.min_tokens:
                reason = "too_long" if too_long else "too_short"
                tally.left_out[reason] = tally.left_out.get(reason, 0) + 1
                return
            tally.with_specials += self.specials.is_in(text.parts())
            around = [np.array(some, np.uint32) for some in (plan.before, plan.after)]
            amount = np.array([sum(map(len, around)) + ids.amount])
            columns = [[value] for value in tally.carried[place]] if plan.options.columns else []
            path, none = plan.files[number].path, np.empty(0, np.uint32)
            rows = Rows(none, amount, path, document.places, columns, number, document.hashes)
            parts = chain(around[:1], ids.parts(), around[1:])
            self.shards[int(document.held_out[0])].add_long(parts, rows)

    def encoded(self, number: int, documents: Documents) -> tuple[Batch, Documents]:
        """The ids of documents of a file, and those that are kept."""
        try:
            batch = self.batch(number, documents)
        except AnyPieceError:
            documents = self.bearable(number, documents)
            batch = self.batch(number, documents)
        lengths = batch.lengths
        kept = self.fitting(lengths)
        self.tally.with_specials += self.specials.count(documents.texts, kept)
        if kept.all():
            return batch, documents
        ids = batch.ids[np.repeat(kept, lengths)]
        return Batch(ids, np.concatenate([[0], np.cumsum(lengths[kept])])), documents.kept(np.flatnonzero(kept))

    def batch(self, number: int, documents: Documents) -> Batch:
        """The ids of documents: those of the best path, or a draw that depends on the place of each."""
        options = self.plan.options
        specials: Any = options.specials
        if options.sample is None:
            return self.tokenizer.encode_batch(documents.texts, specials=specials, threads=self.threads)
        rows = [
            self.tokenizer.sample_array(
                text,
                options.sample,
                seed=options.seed,
                method=cast("Method", options.sample_method),
                nbest=options.sample_nbest,
                epoch=number,
                index=place + (piece << _PIECE),
                specials=specials,
            )
            for text, place, piece in zip(
                listed(documents.texts), documents.places.tolist(), documents.pieces.tolist(), strict=True
            )
        ]
        ids = np.concatenate([np.empty(0, np.uint32), *rows])
        return Batch(ids, np.cumsum([0, *map(len, rows)], dtype=np.int64))

    def bearable(self, number: int, documents: Documents) -> Documents:
        """The documents that the tokenizer does not refuse."""
        kept = []
        file = self.plan.files[number]
        for row in range(len(documents.texts)):
            try:
                self.batch(number, documents.kept(np.array([row])))
                kept.append(row)
            except AnyPieceError as error:
                place = int(documents.places[row])
                self.tally.leave_out(file, place, "refused", str(error), self.plan.options.on_bad_line)
        return documents.kept(np.array(kept, np.int64))


class _Specials:
    """Counts the documents that contain the spelling of a special token."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        names = sorted(name for name in special_tokens(tokenizer) if name)
        self.text = re.compile("|".join(map(re.escape, names))) if names else None
        self.raw = re.compile(b"|".join(re.escape(name.encode()) for name in names)) if names else None
        self.longest = max((len(name.encode()) for name in names), default=0)
        self.literals = _native.Literals([name.encode() for name in names])
        firsts = sorted({name[0] for name in names})
        self.firsts = [(first, first.encode()) for first in firsts] if len(firsts) <= _FEW else []

    def is_in(self, parts: Iterable[bytes]) -> bool:
        """Whether a text that comes in parts has one."""
        if self.raw is None:
            return False
        tail = b""
        for part in parts:
            if self.raw.search(tail + part) is not None:
                return True
            tail = (tail + part)[-self.longest :]
        return False

    def count(self, texts: Texts, kept: NDArray[np.bool_]) -> int:
        """How many of those that are kept have one."""
        if isinstance(texts, _native.TextColumn):
            return int((self.literals.are_in(texts) & kept).sum())
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
