"""``anypiece info``: what a tokenizer is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..inspect.summary import internals, summary
from ..inspect.terminal import BLANK, spelled, visible
from . import options, output

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

_FEW = 8
"""How many special tokens are shown without --all."""
_LABEL = 18
_LABELS = {
    "results": "results as in",
    "vocab_size": "vocabulary",
    "specials": "special tokens",
    "around_a_text": "add special",
}


@click.command()
@options.tokenizer_argument
@click.option("--all", "everything", is_flag=True, help="Also print every special token and all settings.")
@click.option("--vocab", is_flag=True, help="Print the vocabulary instead: id, piece, score, kind, separated by tabs.")
@options.as_json
def info(tokenizer: Tokenizer, name: str, everything: bool, vocab: bool, as_json: bool) -> None:
    """Describe a tokenizer.

    Its format and what was recognised in it, the library whose results it gives, algorithm, vocabulary, normalizer and
    splitter, special tokens, their roles and what is put around a text, and chat templates.

    \b
    Examples:
      anypiece info
      anypiece info tokenizer.model
      anypiece info --all model.gguf
      anypiece info --vocab tokenizer.model | sort -t "$(printf '\\t')" -k3 -n
    """
    if vocab and everything:
        raise click.UsageError("--vocab prints the vocabulary alone: leave out --all.")
    if vocab:
        _write_vocab(tokenizer, as_json)
        return
    facts = {"tokenizer": name, **summary(tokenizer)}
    if as_json:
        output.write_json(facts | (internals(tokenizer) if everything else {}))
        return
    for key, value in _rows(facts, everything).items():
        _write_row(_LABELS.get(key, key.replace("_", " ")), value)
    if everything:
        output.write("\n")
        for key, value in internals(tokenizer).items():
            _write_row(key.replace("_", " "), _shown(value), 26)


def _rows(facts: dict[str, Any], everything: bool) -> dict[str, str]:
    """The facts in words."""
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in facts["kinds"].items())
    roles = facts["roles"].items()
    told = {
        "tokenizer": visible(facts["tokenizer"]),
        "vocab_size": f"{facts['vocab_size']:,} pieces: {kinds}",
        "specials": _specials(facts["specials"], everything),
        "roles": ", ".join(f"{role} {visible(one['token'])} ({one['id']})" for role, one in roles if one) or "none",
        "around_a_text": visible(facts["around_a_text"]),
        "chat_template": ", ".join(map(visible, facts["chat_template"])) or "none",
    }
    return {key: told.get(key, value) for key, value in facts.items() if key != "kinds"}


def _specials(tokens: dict[str, int], everything: bool) -> str:
    listed = [f"{visible(text)} ({id})" for text, id in tokens.items()]
    few = listed if everything else listed[:_FEW]
    more = f", and {len(listed) - len(few):,} more (--all)" if len(few) < len(listed) else ""
    return f"{len(listed):,}: {', '.join(few)}{more}" if listed else "none"


def _write_row(label: str, value: str, width: int = _LABEL) -> None:
    output.write(f"{output.styled(f'{label:<{width}}')}{value}\n")


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, str) and (not value or value != value.strip()) else visible(str(value))


def _write_vocab(tokenizer: Tokenizer, as_json: bool) -> None:
    space = BLANK if tokenizer.spec.symbols == "bytes" else " "
    for piece_id, (raw, score, kind) in enumerate(tokenizer.spec.pieces):
        piece, what = spelled(raw), kind.name.lower()
        if as_json:
            output.write_json({"id": piece_id, "piece": piece, "score": score, "kind": what})
        else:
            output.write(f"{piece_id}\t{visible(piece, space)}\t{score:g}\t{what}\n")
