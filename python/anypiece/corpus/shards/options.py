"""The options of a run that change a byte of its shards. A plan records all of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, cast, get_args

from ..._core.memory import size_of
from ..._core.vocabulary import special_tokens
from ...errors import InputError
from ...text.sampling import NBEST, Method
from ...text.specials import AddSpecial, roles_that_help
from .formats import FORMATS, Place
from .formats.chunks import TOKENS
from .inputs import Kind
from .mixture import Shares, shares_of
from .packing import Packing

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

__all__ = ["Options", "frame_of", "largest_id", "pad_of", "resolved"]

_POLICIES = {
    "on_bad_utf8": ("replace", "skip", "error"),
    "on_bad_line": ("skip", "error"),
    "on_bad_file": ("error", "skip"),
    "specials": ("text", "parse"),
    "add_special": (False, True, "bos", "eos"),
    "end_of_text": (None, *get_args(Place)),
    "input_format": (None, *get_args(Kind)),
    "long_documents": ("cut", "skip"),
    "sample_method": get_args(Method),
    "packing": get_args(Packing),
}
_LEAST_SHARD = 1000
_LEAST_DOCUMENT = 16


@dataclass(frozen=True)
class Options:
    """The inputs, the format of the output, and what happens with input that cannot be used."""

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
    max_document: int = 0
    """How many bytes the text of a document may have; 0 for any number."""
    long_documents: str = "cut"
    """What happens to longer ones: they are cut into several, or left out."""
    validation: float = 0.0
    """The share of documents that go into shards of their own, chosen by a hash of their text and the seed."""
    sample: float | None = None
    """The alpha of a segmentation that is drawn at random, as ``Tokenizer.sample`` takes it; ``None`` for the best one."""
    sample_method: str = "lattice"
    sample_nbest: int = NBEST
    seed: int = 0
    """What all that is drawn at random is drawn by."""
    columns: tuple[str, ...] = ()
    """Other fields or columns of a document that are kept beside its ids, as texts."""
    dedupe: bool = False
    """Whether of equal texts only the first one in the plan is kept."""
    shuffle: bool = False
    """Whether documents are written in a random order, by the seed, over all shards."""
    budget: int = 0
    """How many tokens are written, those held out for validation aside; 0 for all."""
    weights: Shares = ()
    """The share of each source in the tokens; given as a mapping from names."""
    epochs: Shares = ()
    """How often each source is read, 1 for those not named; given as a mapping from names."""
    pack: int = 0
    """The length of sequences that documents are put together to; 0 for documents as they are."""
    packing: Packing = "concat"
    """Whether all ids are one stream that is cut, or documents stay whole in the sequence that they fill best."""

    @property
    def is_arranged(self) -> bool:
        """Whether which documents are written, and where, is known only when all are encoded."""
        return bool(self.dedupe or self.shuffle or self.budget or self.weights or self.epochs)

    def to_json(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Options:
        """The reverse."""
        unknown = set(value) - {item.name for item in fields(cls)}
        if unknown:
            raise ValueError(f"options {sorted(unknown)}")
        pairs = {name: tuple((item[0], item[1]) for item in value.get(name, ())) for name in ("weights", "epochs")}
        return cls(**{**value, **pairs, "columns": tuple(value.get("columns", ()))})


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
    changed = {
        **asdict(options),
        "end_of_text": place,
        "shard_size": size_of(options.shard_size),
        "max_document": size_of(options.max_document),
        "columns": _columns(options),
        "pack": _tokens(options.pack, "pack"),
        "budget": _tokens(options.budget, "budget"),
        "weights": shares_of(options.weights, "weights"),
        "epochs": shares_of(options.epochs, "epochs"),
    }
    if place != "none":
        changed["end_of_text_token"] = _end_of_text(tokenizer, options.end_of_text_token)
    elif options.end_of_text_token is not None:
        raise InputError("argument-value", "end_of_text_token says which token end_of_text puts: give both or neither.")
    made = Options(**changed)
    _check_mixture(made)
    _check_packing(made)
    before, after = frame_of(made, tokenizer)
    if not (FORMATS[made.format].has_empty or made.min_tokens or before or after):
        message = f"{made.format} has no empty documents: min_tokens must be at least 1."
        raise InputError("argument-value", message, argument="min_tokens")
    if len(after) == 2 and after[0] == after[1]:
        message = "The eos that add_special puts is the end-of-text token too. Leave one out: end_of_text='none'."
        raise InputError("argument-value", message, argument="end_of_text")
    FORMATS[made.format].dtype(largest_id(tokenizer))
    if made.sample is not None:
        tokenizer.sample(
            "", made.sample, seed=made.seed, method=cast("Method", made.sample_method), nbest=made.sample_nbest
        )
    return made


def _columns(options: Options) -> tuple[str, ...]:
    given = options.columns.split(",") if isinstance(options.columns, str) else options.columns
    if not isinstance(given, (tuple, list)) or not all(
        isinstance(name, str) and all(name.split(".")) for name in given
    ):
        raise InputError("argument-value", f"columns must be names of fields, not {given!r}.", argument="columns")
    if not given:
        return ()
    taken = {"input_ids", "position_ids", TOKENS} & set(given)
    if taken or len(set(given)) < len(given):
        message = f"columns must have other names than the ids and each other, not {', '.join(given)}."
        raise InputError("argument-value", message, argument="columns")
    able = [name for name, format in FORMATS.items() if format.columns]
    if options.format not in able:
        message = f"Shards of {options.format} have no columns beside the ids. Take one of {', '.join(able)}."
        raise InputError("argument-value", message, argument="columns")
    if options.input_format == "text":
        raise InputError("argument-value", "Lines of text have no columns.", argument="columns")
    return tuple(given)


def _check_amounts(options: Options) -> None:
    for name in ("min_tokens", "max_tokens"):
        value = getattr(options, name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            raise InputError("argument-value", f"{name} must be a number of tokens, not {value!r}.", argument=name)
    if not isinstance(options.validation, (int, float)) or not 0 <= options.validation < 1:
        message = f"validation must be a share of documents from 0 to below 1, not {options.validation!r}."
        raise InputError("argument-value", message, argument="validation")
    if not isinstance(options.seed, int) or isinstance(options.seed, bool) or not 0 <= options.seed < 2**64:
        message = f"seed must be a whole number from 0 to below 2^64, not {options.seed!r}."
        raise InputError("argument-value", message, argument="seed")
    if 0 < size_of(options.max_document) < _LEAST_DOCUMENT:
        message = f"max_document must be at least {_LEAST_DOCUMENT} bytes."
        raise InputError("argument-value", message, argument="max_document")
    if options.max_tokens is not None and options.max_tokens < options.min_tokens:
        raise InputError("argument-value", "max_tokens is below min_tokens.", argument="max_tokens")
    if not isinstance(options.field, str) or not all(options.field.split(".")):
        raise InputError("argument-value", f"field must be the name of a field, not {options.field!r}.")
    if not isinstance(options.whole, bool):
        raise InputError("argument-value", f"whole must be True or False, not {options.whole!r}.", argument="whole")
    if 0 < size_of(options.shard_size) < _LEAST_SHARD:
        raise InputError("argument-value", f"shard_size must be at least {_LEAST_SHARD} bytes.", argument="shard_size")


def _tokens(amount: Any, name: str) -> int:
    """A number of tokens, which may be written as 10B or 300M.

    >>> _tokens("10B", "budget"), _tokens("1.5M", "budget"), _tokens(70, "budget")
    (10000000000, 1500000, 70)
    """
    text = amount.strip().upper().replace("B", "G") if isinstance(amount, str) else amount
    try:
        return size_of(text)
    except InputError:
        message = f"{name} must be a number of tokens, such as 10B or 300M, not {amount!r}."
        raise InputError("argument-value", message, argument=name) from None


def _check_mixture(options: Options) -> None:
    for name in ("dedupe", "shuffle"):
        value = getattr(options, name)
        if not isinstance(value, bool):
            raise InputError("argument-value", f"{name} must be True or False, not {value!r}.", argument=name)
    if options.epochs and (options.weights or options.budget):
        message = (
            "epochs= says how much of each source is taken: leave budget= and weights= out, or give those instead."
        )
        raise InputError("argument-value", message, argument="epochs")
    repeats = (options.budget and options.weights) or any(times > 1 for _, times in options.epochs)
    if repeats and not options.shuffle:
        message = "Documents that may be taken more than once have to be shuffled: give shuffle=True."
        raise InputError("argument-value", message, argument="shuffle")


def _check_packing(options: Options) -> None:
    if options.packing == "fit" and not options.pack:
        message = "Best fit needs the length of sequences: give pack=, such as 2048."
        raise InputError("argument-value", message, argument="packing")
    if options.pack == 1:
        raise InputError("argument-value", "pack must be at least 2 tokens.", argument="pack")
    if options.pack and options.columns:
        message = "Sequences of several documents have no columns of one: leave columns= or pack= out."
        raise InputError("argument-value", message, argument="columns")
    able = [name for name, format in FORMATS.items() if format.positions]
    if options.packing == "fit" and options.format not in able:
        message = (
            f"{options.format} has no place for the positions that best fit gives. "
            f'Take one of {", ".join(able)}, or packing="concat".'
        )
        raise InputError("argument-value", message, argument="packing")


def pad_of(options: Options, tokenizer: Tokenizer) -> int:
    """The id that sequences are filled up with: the pad of the vocabulary, its end-of-text token, or its eos."""
    if not options.pack:
        return 0
    before, after = frame_of(options, tokenizer)
    ends = after[-1:] if options.end_of_text == "after" else before[:1] if options.end_of_text == "before" else []
    found = [id for id in (tokenizer.pad_id, *ends, tokenizer.eos_id) if id is not None]
    if not found:
        message = "This vocabulary names no pad to fill sequences up with. Name a token with end_of_text_token=."
        raise InputError("special-missing", message, special="pad")
    return found[0]


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
