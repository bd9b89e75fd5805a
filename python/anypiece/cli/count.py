"""``anypiece count``: like ``wc``, for tokens."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import click

from ..errors import FileError, FormatError, InputError
from ..inspect.terminal import visible
from . import inputs, options, output
from .messages import in_options
from .numbers import Amount

if TYPE_CHECKING:
    from ..text.specials import Specials
    from ..tokenizer import Tokenizer

OVER_LIMIT = 1
PARTIAL = 4


class Counts(NamedTuple):
    """What one file, or all of them, amount to."""

    tokens: int = 0
    characters: int = 0
    bytes: int = 0

    def plus(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


@click.command()
@click.argument("files", type=options.PATH, metavar="[FILE]...", nargs=-1)
@options.tokenizer
@options.field
@click.option("--limit", type=Amount(), metavar="N", help="Exit with 1 if there are more than N tokens in all.")
@options.specials
@options.as_json
def count(tokenizer: Tokenizer, files: tuple[str, ...], limit: int | None, specials: Specials, as_json: bool) -> int:
    """Count the tokens, characters and bytes of files.

    Each FILE is one text, compressed or not, and is read in parts, so it may be larger than memory; only to refuse special
    tokens it is read as a whole. Of a Parquet table each row is a text. - is standard input, and so is no FILE at
    all. A byte that is not UTF-8 counts as one character. A FILE that cannot be read, or is refused, is reported, the others
    are counted, and the exit code is 4.

    \b
    Examples:
      anypiece count README.md
      anypiece count -t tokenizer.model docs/*.md
      cat prompt.txt | anypiece count --limit 8192 && echo it fits
    """
    rows, missing = _counted(tokenizer, files or ("-",), specials)
    total = Counts()
    for _, counts in rows:
        total = total.plus(counts)
    _write(rows, total, as_json, several=len(files) > 1)
    if missing:
        return PARTIAL
    if limit is not None and total.tokens > limit:
        output.note(f"{total.tokens} tokens are more than the limit of {limit}")
        return OVER_LIMIT
    return 0


def _counted(tokenizer: Tokenizer, files: tuple[str, ...], specials: Specials) -> tuple[list[tuple[str, Counts]], int]:
    rows = []
    for name in files:
        try:
            if inputs.is_table(name):
                rows.append((name, _counts_of_table(tokenizer, name, specials)))
                continue
            with inputs.opened(name) as file:
                rows.append((name, _counts(tokenizer, file, specials)))
        except (FileError, FormatError, InputError) as error:
            if len(files) == 1:
                raise
            text = str(error) if not isinstance(error, InputError) else f"{name}: {error}"
            output.complain(in_options(text, click.get_current_context().command), error.code)
    return rows, len(files) - len(rows)


def _counts(tokenizer: Tokenizer, file: BinaryIO, specials: Specials) -> Counts:
    if specials not in ("text", "parse"):
        text = b"".join(inputs.read_parts(file))
        tokens = tokenizer.count(text, specials=specials)
        return Counts(tokens, len(text.decode("utf-8", "surrogateescape")), len(text))
    stream = tokenizer.stream_encoder(specials="parse" if specials == "parse" else "text")
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    tokens = characters = size = 0
    for part in inputs.read_parts(file):
        tokens += len(stream.push(part))
        characters += len(decoder.decode(part))
        size += len(part)
    return Counts(tokens + len(stream.flush()), characters + len(decoder.decode(b"", True)), size)


def _counts_of_table(tokenizer: Tokenizer, name: str, specials: Specials) -> Counts:
    total = Counts()
    for texts in inputs.texts_of_table(name):
        tokens = int(tokenizer.count_batch(texts, specials=specials).sum())
        raw = [text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text for text in texts]
        characters = sum(len(text.decode("utf-8", "surrogateescape")) for text in raw)
        total = total.plus(Counts(tokens, characters, sum(map(len, raw))))
    return total


def _write(rows: list[tuple[str, Counts]], total: Counts, as_json: bool, several: bool) -> None:
    if as_json:
        for name, counts in rows:
            output.write_json({"file": name, **counts._asdict()})
        return
    if several:
        rows = [*rows, ("total", total)]
    width = max((len(str(number)) for _, counts in rows for number in counts), default=1)
    for name, counts in rows:
        numbers = " ".join(f"{number:>{width}}" for number in counts)
        output.write(f"{numbers}{'' if name == '-' else ' ' + visible(name)}\n")
