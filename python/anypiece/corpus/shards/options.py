"""The options of a run that change a byte of its shards. A plan records all of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, get_args

from ..._core.memory import size_of
from ..._core.vocabulary import special_tokens
from ...errors import InputError
from ...text.specials import AddSpecial, roles_that_help
from .formats import FORMATS, Place
from .inputs import Kind

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

__all__ = ["Options", "frame_of", "largest_id", "resolved"]

_POLICIES = {
    "on_bad_utf8": ("replace", "skip", "error"),
    "on_bad_line": ("skip", "error"),
    "on_bad_file": ("error", "skip"),
    "specials": ("text", "parse"),
    "add_special": (False, True, "bos", "eos"),
    "end_of_text": (None, *get_args(Place)),
    "input_format": (None, *get_args(Kind)),
}
_LEAST_SHARD = 1000


@dataclass(frozen=True)
class Options:
    """What is written, from what, and what happens with input that cannot be used."""

    format: str
    """The name of a format: see ``FORMATS``."""
    field: str = "text"
    """The field of JSON objects, with dots into objects within them, or the column of a table."""
    input_format: Kind | None = None
    """What all files hold; by default their names and first bytes tell it."""
    whole: bool = False
    """Whether a file of text is one document; otherwise each line is."""
    end_of_text: Place | None = None
    """Where the end-of-text token stands; by default where the format's own tool puts it."""
    end_of_text_token: str | None = None
    """The spelling of that token; by default the eos of the tokenizer."""
    add_special: AddSpecial = False
    """The bos, the eos or both around each document, as ``encode`` takes it."""
    specials: str = "text"
    """Whether text that spells a special token is text, or that token."""
    on_bad_utf8: str = "replace"
    """Documents that are not UTF-8: U+FFFD in the place of what is not, leave them out, or stop."""
    on_bad_line: str = "skip"
    """Lines and rows without a text: leave them out, or stop."""
    on_bad_file: str = "error"
    """Files that cannot be read to their end: stop, or take what can be read."""
    min_tokens: int = 1
    """Documents of fewer tokens are left out; what is put around them does not count."""
    max_tokens: int | None = None
    """Documents of more tokens are left out."""
    shard_size: int = 0
    """About how many bytes of input make a shard; 0 for a size that goes by the corpus."""

    def to_json(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Options:
        """The reverse."""
        names = {item.name for item in fields(cls)}
        if set(value) != names:
            raise ValueError(f"options {sorted(set(value) ^ names)}")
        return cls(**value)


def resolved(given: dict[str, Any], tokenizer: Tokenizer) -> Options:
    """Options with every default in its place, checked against each other and the tokenizer."""
    unknown = sorted(set(given) - {item.name for item in fields(Options)})
    if unknown:
        raise InputError("argument-value", f"There is no option {unknown[0]!r}.", argument=unknown[0])
    if given.get("format") not in FORMATS:
        raise InputError("argument-value", f"format must be one of {', '.join(FORMATS)}, not {given.get('format')!r}.")
    options = Options(**given)
    for name, allowed in _POLICIES.items():
        value = getattr(options, name)
        if not any(value is one or (isinstance(value, str) and value == one) for one in allowed):
            choices = ", ".join(map(repr, allowed))
            raise InputError("argument-value", f"{name} must be one of {choices}, not {value!r}.", argument=name)
    _check_amounts(options)
    place = options.end_of_text or FORMATS[options.format].end_of_text
    changed = {**asdict(options), "end_of_text": place, "shard_size": size_of(options.shard_size)}
    if place != "none":
        changed["end_of_text_token"] = _end_of_text(tokenizer, options.end_of_text_token)
    elif options.end_of_text_token is not None:
        raise InputError("argument-value", "end_of_text_token says which token end_of_text puts: give both or neither.")
    made = Options(**changed)
    _, after = frame_of(made, tokenizer)
    if len(after) == 2 and after[0] == after[1]:
        message = "The eos that add_special puts is the end-of-text token too. Leave one out: end_of_text='none'."
        raise InputError("argument-value", message, argument="end_of_text")
    FORMATS[made.format].dtype(largest_id(tokenizer))
    return made


def _check_amounts(options: Options) -> None:
    for name in ("min_tokens", "max_tokens"):
        value = getattr(options, name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            raise InputError("argument-value", f"{name} must be a number of tokens, not {value!r}.", argument=name)
    if options.max_tokens is not None and options.max_tokens < options.min_tokens:
        raise InputError("argument-value", "max_tokens is below min_tokens.", argument="max_tokens")
    if not isinstance(options.field, str) or not all(options.field.split(".")):
        raise InputError("argument-value", f"field must be the name of a field, not {options.field!r}.")
    if not isinstance(options.whole, bool):
        raise InputError("argument-value", f"whole must be True or False, not {options.whole!r}.", argument="whole")
    if 0 < size_of(options.shard_size) < _LEAST_SHARD:
        raise InputError("argument-value", f"shard_size must be at least {_LEAST_SHARD} bytes.", argument="shard_size")


def _end_of_text(tokenizer: Tokenizer, token: str | None) -> str:
    if token is not None:
        if tokenizer.piece_to_id(token, default=None) is None and token not in special_tokens(tokenizer):
            message = f"The vocabulary has no token {token!r} to end texts with. Name one that it has."
            raise InputError("special-missing", message, special=token)
        return token
    if tokenizer.eos_id is None:
        message = (
            "This vocabulary names no eos to end texts with. Name a token with end_of_text_token=, or put none with "
            f'end_of_text="none".{roles_that_help(tokenizer.spec, ["eos"])}'
        )
        raise InputError("special-missing", message, special="eos")
    return tokenizer.id_to_piece(tokenizer.eos_id)


def frame_of(options: Options, tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """The ids that stand before and after those of a document.

    >>> import anypiece
    >>> frame_of(resolved({"format": "llmc"}, anypiece.load()), anypiece.load())
    ([2], [])
    """
    from ...text.encoding import frame_ids

    before, after = frame_ids(tokenizer, options.add_special)
    if options.end_of_text == "none" or options.end_of_text_token is None:
        return before, after
    token = options.end_of_text_token
    id = special_tokens(tokenizer).get(token)
    found = tokenizer.piece_to_id(token) if id is None else id
    return ([found, *before], after) if options.end_of_text == "before" else (before, [*after, found])


def largest_id(tokenizer: Tokenizer) -> int:
    """The largest id that a tokenizer can emit; added tokens count."""
    return tokenizer.vocab_size - 1
