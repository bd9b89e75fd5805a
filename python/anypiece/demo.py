"""The demo: a paragraph encoded with the embedded default tokenizer, as tokens, ids and places. ``make run`` runs it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .inspect import terminal
from .loading import load

if TYPE_CHECKING:
    from .results import Token
    from .tokenizer import Tokenizer

__all__ = ["PARAGRAPH", "main"]

PARAGRAPH = (
    "A tokenizer cuts text into pieces that a language model can count. "
    "日本語も読めますし、絵文字 🦊 も失われません。 "
    "Even floccinaucinihilipilification comes back as it was."
)

_COLUMNS = ("piece", "#id", "#start", "#end", "text")


def main() -> None:
    """Print the paragraph's tokens: in colour on a terminal, plain elsewhere."""
    tokenizer = load()
    tokens = tokenizer.encode_spans(PARAGRAPH)
    if terminal.is_coloured():
        _print_coloured(tokenizer, tokens)
    else:
        _print_plain(tokenizer, tokens)


def _print_coloured(tokenizer: Tokenizer, tokens: list[Token]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for part in (
        Text(_title(tokenizer), "bold"),
        "",
        terminal.blocks(token.piece for token in tokens),
        "",
        terminal.table(_COLUMNS, _rows(tokens), terminal.terminal_width()),
        "",
        Text(_summary(tokenizer, tokens), "bold"),
    ):
        console.print(part)


def _print_plain(tokenizer: Tokenizer, tokens: list[Token]) -> None:
    parts = [
        _title(tokenizer),
        terminal.plain_blocks(token.piece for token in tokens),
        terminal.plain_table(_COLUMNS, _rows(tokens)),
        _summary(tokenizer, tokens),
    ]
    sys.stdout.flush()
    sys.stdout.buffer.write(("\n\n".join(parts) + "\n").encode())


def _title(tokenizer: Tokenizer) -> str:
    return f"The embedded default: {tokenizer.spec.segmenter}, {tokenizer.vocab_size} pieces"


def _rows(tokens: list[Token]) -> list[tuple[str, int, int, int, str]]:
    return [
        (terminal.visible(token.piece), token.id, token.start, token.end, PARAGRAPH[token.start : token.end])
        for token in tokens
    ]


def _summary(tokenizer: Tokenizer, tokens: list[Token]) -> str:
    back = tokenizer.decode([token.id for token in tokens])
    same = "decodes to the same text" if back == PARAGRAPH else "decodes to another text"
    return f"{len(tokens)} tokens, {len(PARAGRAPH)} characters, {len(PARAGRAPH.encode())} bytes; {same}."


if __name__ == "__main__":
    main()
