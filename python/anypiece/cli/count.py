"""``anypiece count``: like ``wc``, for tokens."""

from __future__ import annotations

import codecs
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from ..errors import FileError, FormatError, InputError
from ..inspect.terminal import visible
from . import inputs, options, output
from .messages import in_options
from .numbers import Amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..text.specials import Specials
    from ..tokenizer import Tokenizer

OVER_LIMIT = 1
PARTIAL = 4


class Counts(NamedTuple):
    """What one file, or all of them, amount to."""

    documents: int = 0
    tokens: int = 0
    characters: int = 0
    bytes: int = 0

    def plus(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


@click.command()
@click.argument("files", type=options.PATH, metavar="[FILE]...", nargs=-1)
@options.tokenizer
@options.field
@options.input_format
@click.option("--each", is_flag=True, help="Print a line for each document, with where it begins in its file.")
@click.option("--limit", type=Amount(), metavar="N", help="Exit with 1 if there are more than N tokens in all.")
@options.specials
@options.threads
@options.as_json
def count(
    tokenizer: Tokenizer,
    files: tuple[str, ...],
    each: bool,
    limit: int | None,
    specials: Specials,
    threads: int | None,
    as_json: bool,
) -> int:
    """Count the tokens, characters and bytes of files.

    FILE is a file, a glob or a folder. A file of text is one text, compressed or not, and is read in parts, so it may be
    larger than memory; only to refuse special tokens it is read as a whole. Of JSON lines (.jsonl, .json), CSV, Parquet and
    Arrow the texts of --field are counted, each by itself, as anypiece shards has them. - is standard input, and so is no
    FILE at all. A byte that is not UTF-8 counts as one character.

    A FILE that cannot be read, or is refused, is reported, the others are counted, and the exit code is 4; so it is where
    lines or rows without a text are left out.

    \b
    Examples:
      anypiece count README.md
      anypiece count -t tokenizer.model docs/*.md
      anypiece count --field text "data/*.jsonl.zst"
      anypiece count --each --json corpus.parquet
      cat prompt.txt | anypiece count --limit 8192 && echo it fits
    """
    counter = _Counter(tokenizer, specials, threads, as_json if each else None)
    names, missing = _named(files or ("-",))
    total = Counts()
    rows = []
    for name in names:
        with _reported(len(names) + missing == 1) as failed:
            counts = counter.counts_of(name)
            rows.append((name, counts))
            total = total.plus(counts)
        missing += len(failed)
    counter.reading.tell()
    if not each:
        _write(rows, total, as_json, several=len(names) + missing > 1)
    if missing or counter.reading.is_partial:
        return PARTIAL
    if limit is not None and total.tokens > limit:
        output.note(f"{total.tokens} tokens are more than the limit of {limit}")
        return OVER_LIMIT
    return 0


def _named(files: tuple[str, ...]) -> tuple[list[str], int]:
    """The files that globs, folders and lists stand for, and how many of these name none."""
    names: list[str] = []
    missing = 0
    for item in files:
        with _reported(len(files) == 1) as failed:
            names += inputs.files_of([item])
        missing += len(failed)
    return names, missing


@contextmanager
def _reported(is_only: bool) -> Iterator[list[str]]:
    """Errors of one file are said, and kept in a list; that of the only one is raised."""
    failed: list[str] = []
    try:
        yield failed
    except (FileError, FormatError, InputError) as error:
        if is_only:
            raise
        output.complain(in_options(str(error), click.get_current_context().command), error.code)
        failed.append(error.code)


class _Counter:
    """Counts files; with ``each`` the documents are printed, as JSON or not."""

    def __init__(self, tokenizer: Tokenizer, specials: Specials, threads: int | None, each: bool | None) -> None:
        self.tokenizer, self.specials, self.threads, self.each = tokenizer, specials, threads, each
        self.reading = inputs.Reading()

    def counts_of(self, name: str) -> Counts:
        """What a file amounts to."""
        try:
            if self.reading.is_text(name):
                with inputs.opened(name) as file:
                    counts = self.of_text(inputs.read_parts(file))
                self.tell(name, [0], [counts])
                return counts
            total = Counts()
            for block in self.reading.documents(name):
                if not isinstance(block, tuple):
                    rows, places = [self.of_text(block.text.parts())], [block.place]
                else:
                    rows, places = self.of_texts(inputs.Group(block.texts).listed), block.places.tolist()
                total = Counts(*(sum(column) for column in zip(total, *rows, strict=True)))
                self.tell(name, places, rows)
        except InputError as error:
            if name in str(error):
                raise
            raise InputError(error.code, f"{name}: {error}", **error.facts) from None
        return total

    def of_text(self, parts: Iterator[bytes]) -> Counts:
        """What one text amounts to, which is read in parts."""
        if self.specials not in ("text", "parse"):
            return self.of_texts([b"".join(parts)])[0]
        stream = self.tokenizer.stream_encoder(specials="parse" if self.specials == "parse" else "text")
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        tokens = characters = size = 0
        for part in parts:
            tokens += len(stream.push(part))
            characters += len(decoder.decode(part))
            size += len(part)
        return Counts(1, tokens + len(stream.flush()), characters + len(decoder.decode(b"", True)), size)

    def of_texts(self, texts: list[str | bytes]) -> list[Counts]:
        """What some texts amount to."""
        tokens = self.tokenizer.count_batch(texts, specials=self.specials, threads=self.threads).tolist()
        raw = [text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text for text in texts]
        characters = [len(text.decode("utf-8", "surrogateescape")) for text in raw]
        return [Counts(1, *row) for row in zip(tokens, characters, map(len, raw), strict=True)]

    def tell(self, name: str, places: list[int], rows: list[Counts]) -> None:
        """Print documents, if that is asked for."""
        for place, counts in zip(places, rows, strict=True) if self.each is not None else ():
            numbers = counts._asdict()
            del numbers["documents"]
            if self.each:
                output.write_json({"file": name, "at": place, **numbers})
            else:
                output.write(f"{' '.join(map(str, numbers.values()))} {visible(name)} {place}\n")


def _write(rows: list[tuple[str, Counts]], total: Counts, as_json: bool, several: bool) -> None:
    if as_json:
        for name, counts in rows:
            output.write_json({"file": name, **counts._asdict()})
        return
    if several:
        rows = [*rows, ("total", total)]
    width = max((len(str(number)) for _, counts in rows for number in counts[1:]), default=1)
    for name, counts in rows:
        numbers = " ".join(f"{number:>{width}}" for number in counts[1:])
        output.write(f"{numbers}{'' if name == '-' else ' ' + visible(name)}\n")
