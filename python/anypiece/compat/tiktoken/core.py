"""``Encoding``: tiktoken's class, each method one or two calls of the kernel."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from ... import _native
from ..._core.checks import raise_native
from . import unstable
from .ranks import columns, dictionary, tokenizer_of

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    import numpy as np
    from numpy.typing import NDArray

    from ...formats.wire.rank_lines import RankLines
    from ...tokenizer import Tokenizer

__all__ = ["ENCODINGS", "OPENERS", "Encoding"]

_ALL = "all"
_NONE: frozenset[str] = frozenset()
_ID_LIMIT = 1 << 32


class Encoding:
    """Ranks, a pattern and special tokens, by a name.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"he": 256, b"llo": 258, b"ll": 257, b"hello": 259}
    >>> enc = Encoding("small", pat_str=r"\\S+|\\s+", mergeable_ranks=ranks, special_tokens={"<|end|>": 260})
    >>> enc.encode("hello hell"), enc.decode([259, 32, 256])
    ([259, 32, 256, 257], 'hello he')
    >>> enc.encode("<|end|>", allowed_special="all")
    [260]
    """

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: dict[bytes, int],
        special_tokens: dict[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        """``explicit_n_vocab`` is checked against the number of tokens and the highest id."""
        self._ranks = mergeable_ranks
        self._fill(name, pat_str, columns(mergeable_ranks), special_tokens)
        if explicit_n_vocab:
            tokens = len(mergeable_ranks) + len(special_tokens)
            if tokens != explicit_n_vocab or self.n_vocab != explicit_n_vocab:
                found = f"{tokens} tokens, the highest id is {self.max_token_value}"
                raise AssertionError(f"explicit_n_vocab is {explicit_n_vocab}, but there are {found}.")

    def _fill(self, name: str, pattern: str, lines: RankLines, specials: dict[str, int]) -> None:
        self.name = name
        self._pat_str = pattern
        self._lines = lines
        self._special_tokens = specials
        self._special_token_values = set(specials.values())
        self.max_token_value = max(int(lines.ranks.max()), max(specials.values(), default=0))
        self._tokenizer = tokenizer_of(lines, pattern, specials)
        self._kernel = self._tokenizer._kernel
        self._shared_ids = len(self._special_token_values) < len(specials)

    @classmethod
    def _of_lines(cls, name: str, pattern: str, lines: RankLines, specials: dict[str, int]) -> Encoding:
        """An encoding of ranks in columns; the dictionary of them is made when it is asked for."""
        made = cls.__new__(cls)
        made._fill(name, pattern, lines, specials)
        return made

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    @property
    def tokenizer(self) -> Tokenizer:
        """The ``anypiece.Tokenizer`` behind it."""
        return self._tokenizer

    @property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        if "_ranks" not in self.__dict__:
            self._ranks = dictionary(self._lines)
        return self._ranks

    # -- encode
    def encode_ordinary(self, text: str) -> list[int]:
        """The ids of a text in which special tokens are text."""
        _refuse_other_types(text)
        try:
            return self._kernel.encode(text)
        except UnicodeEncodeError:
            return self._kernel.encode(_repaired(text))
        except _native.NativeError as error:
            raise_native(error)

    def encode(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | AbstractSet[str] = _NONE,
        disallowed_special: Literal["all"] | Collection[str] = _ALL,
    ) -> list[int]:
        """The ids of a text.

        Of the special tokens in it those ``allowed_special`` are themselves, and ``ValueError`` is raised for one that is
        ``disallowed_special``, by default each that is not allowed. What is neither is text.
        """
        if allowed_special is _NONE and disallowed_special is _ALL:
            _refuse_other_types(text)
            try:
                if (found := _native.forbidden(self._kernel, [text], ())) is None:
                    return self._kernel.encode(text)
                _raise_disallowed(found[1])
            except UnicodeEncodeError:
                pass
        allowed = self._allowed(text, allowed_special, disallowed_special)
        try:
            return self._encode(text, allowed)
        except UnicodeEncodeError:
            return self._encode(_repaired(text), allowed)

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | AbstractSet[str] = _NONE,
        disallowed_special: Literal["all"] | Collection[str] = _ALL,
    ) -> NDArray[np.uint32]:
        """The ids of a text as an array of uint32; a lone surrogate in it is refused."""
        allowed = self._allowed(text, allowed_special, disallowed_special)
        if self._is_ambiguous(allowed):
            import numpy as np

            return np.array(self._encode(text, allowed), np.uint32)
        try:
            return self._kernel.encode_array(text, 1, self._permit(allowed))
        except _native.NativeError as error:
            raise_native(error)

    def encode_ordinary_batch(self, text: Iterable[str], *, num_threads: int = 8) -> list[list[int]]:
        """``encode_ordinary`` of each text, by several threads."""
        _refuse_threads(num_threads)
        return self._encode_batch(list(text), _NONE, num_threads)

    def encode_batch(
        self,
        text: Iterable[str],
        *,
        num_threads: int = 8,
        allowed_special: Literal["all"] | AbstractSet[str] = _NONE,
        disallowed_special: Literal["all"] | Collection[str] = _ALL,
    ) -> list[list[int]]:
        """``encode`` of each text, by several threads."""
        _refuse_threads(num_threads)
        texts = list(text)
        allowed: AbstractSet[str] = _NONE
        for one in texts:
            allowed = self._allowed(one, allowed_special, disallowed_special)
        return self._encode_batch(texts, allowed, num_threads)

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | AbstractSet[str] = _NONE,
        disallowed_special: Literal["all"] | Collection[str] = _ALL,
    ) -> tuple[list[int], list[list[int]]]:
        """The ids that stay whatever follows the text, and the ways in which what is left of it may go on."""
        allowed = self._allowed(text, allowed_special, disallowed_special)
        return unstable.completions(self, text, allowed)

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of one token, which may be special; ``KeyError`` if there is none."""
        raw = text_or_bytes.encode("utf-8") if isinstance(text_or_bytes, str) else text_or_bytes
        if not isinstance(raw, bytes):
            raise TypeError(f"a token must be str or bytes, not {type(raw).__name__}")
        found = self._mergeable_ranks.get(raw)
        if found is None:
            found = self._special_bytes.get(raw)
        if found is None:
            raise KeyError(raw)
        return found

    def _allowed(
        self,
        text: str,
        allowed: Literal["all"] | AbstractSet[str],
        disallowed: Literal["all"] | Collection[str],
    ) -> AbstractSet[str]:
        """The names that are allowed; refuses a text with one that is not."""
        names: Any = self.special_tokens_set if isinstance(allowed, str) and allowed == _ALL else allowed
        refused: Any = disallowed
        if isinstance(disallowed, str) and disallowed == _ALL:
            refused = self.special_tokens_set - names
        if refused and (found := _any_of(frozenset(refused)).search(text)):
            _raise_disallowed(found.group())
        _refuse_other_types(text)
        if not isinstance(names, (set, frozenset)):
            raise TypeError(f"allowed_special must be 'all' or a set, not {type(names).__name__}")
        return names

    def _encode(self, text: str, allowed: AbstractSet[str]) -> list[int]:
        if self._is_ambiguous(allowed):
            parts = unstable.parts(self, text, allowed)
            return [id for part in parts for id in ([part] if isinstance(part, int) else self._kernel.encode(part))]
        try:
            return self._kernel.encode(text, 1, self._permit(allowed))
        except _native.NativeError as error:
            raise_native(error)

    def _encode_batch(self, texts: list[str], allowed: AbstractSet[str], threads: int) -> list[list[int]]:
        for text in texts:
            _refuse_other_types(text)
        if self._is_ambiguous(allowed):
            return [self._encode(_whole(text), allowed) for text in texts]
        try:
            ids, offsets = self._kernel.encode_batch(texts, threads, self._permit(allowed))
        except UnicodeEncodeError:
            ids, offsets = self._kernel.encode_batch(list(map(_whole, texts)), threads, self._permit(allowed))
        except _native.NativeError as error:
            raise_native(error)
        flat = ids.tolist()
        return [flat[start:end] for start, end in pairwise(offsets.tolist())]

    def _permit(self, allowed: AbstractSet[str]) -> bool | list[int] | None:
        """What the kernel is told of the names that are allowed; others than special tokens mean nothing."""
        ids = {self._special_tokens[name] for name in allowed if name in self._special_tokens}
        return len(ids) == len(self._special_token_values) or sorted(ids) if ids else None

    def _is_ambiguous(self, allowed: AbstractSet[str]) -> bool:
        """Whether an id is allowed by one of its names and not by another, which the kernel does not tell apart."""
        if not self._shared_ids or not allowed:
            return False
        other = {id for name, id in self._special_tokens.items() if name not in allowed}
        return any(self._special_tokens.get(name) in other for name in allowed)

    # -- decode
    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes of ids; ``KeyError`` for an id that is no token."""
        try:
            # An id that is no token is empty to the kernel; most lists are below the first of these.
            if max(tokens, default=0) < self._first_unused or self._unused.isdisjoint(tokens):
                return self._kernel.decode_bytes(tokens)
        except (_native.NativeError, OverflowError, TypeError, ValueError):
            pass
        return b"".join(map(self._bytes_of, tokens))

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """The text of ids; ``errors`` is that of ``bytes.decode``."""
        return self.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one id, which may be that of a special token; ``KeyError`` if it is no token."""
        try:
            return self._bytes_of(token)
        except KeyError:
            raise KeyError(str(token)) from None

    def _bytes_of(self, token: int) -> bytes:
        """The bytes of an id, with the errors that tiktoken has for what is none."""
        number = token.__index__() if hasattr(token, "__index__") else _raise_no_int(token)
        if number < 0:
            raise OverflowError("can't convert negative int to unsigned")
        if number >= _ID_LIMIT:
            raise OverflowError("out of range integral type conversion attempted")
        if number > self.max_token_value or number in self._unused:
            raise KeyError(f"Invalid token for decoding: {number}")
        return self._kernel.id_to_bytes(number)

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of each id."""
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of ids, and for each the number of the first character of which it has a byte.

        ``UnicodeDecodeError`` where the ids together are not UTF-8.
        """
        offsets, characters = [], 0
        raw = self.decode_tokens_bytes(tokens)
        for piece in raw:
            offsets.append(max(0, characters - (0x80 <= piece[0] < 0xC0)))
            characters += len(piece) - len([byte for byte in piece if 0x80 <= byte < 0xC0])
        return b"".join(raw).decode("utf-8", errors="strict"), offsets

    def decode_batch(
        self, batch: Iterable[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """``decode`` of each row of ids."""
        _refuse_threads(num_threads)
        return [self.decode(tokens, errors) for tokens in batch]

    def decode_bytes_batch(self, batch: Iterable[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """``decode_bytes`` of each row of ids."""
        _refuse_threads(num_threads)
        return [self.decode_bytes(tokens) for tokens in batch]

    # -- the vocabulary
    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens but the special ones, sorted."""
        return sorted(self._mergeable_ranks)

    @property
    def eot_token(self) -> int:
        """The id of ``<|endoftext|>``."""
        return self._special_tokens["<|endoftext|>"]

    @cached_property
    def special_tokens_set(self) -> set[str]:
        """The names of the special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Whether an id is that of a special token."""
        if not isinstance(token, int):
            raise AssertionError(f"a token is an int, not {type(token).__name__}")
        return token in self._special_token_values

    @property
    def n_vocab(self) -> int:
        """One more than the highest id."""
        return self.max_token_value + 1

    @cached_property
    def _unused(self) -> frozenset[int]:
        """Ids below the highest that are no tokens."""
        return frozenset(range(self.n_vocab)) - set(self._lines.ranks.tolist()) - self._special_token_values

    @cached_property
    def _first_unused(self) -> int:
        return min(self._unused, default=self.n_vocab)

    @cached_property
    def _special_bytes(self) -> dict[bytes, int]:
        return {name.encode(): id for name, id in self._special_tokens.items()}

    # -- what its users touch although it is underscored
    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        """The ids of a text that is not split."""
        raw = text_or_bytes.encode("utf-8") if isinstance(text_or_bytes, str) else text_or_bytes
        return unstable.piece_ids(self, raw)

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        """The ids of a text in which special tokens are text."""
        return self.encode_ordinary(text)

    def _encode_bytes(self, text: bytes) -> list[int]:
        """The ids of bytes that may end in a part of a character."""
        return unstable.byte_ids(self, text)

    def __getstate__(self) -> object:
        if self is ENCODINGS.get(self.name):
            return self.name
        names = {"name": self.name, "pat_str": self._pat_str}
        return names | {"mergeable_ranks": self._mergeable_ranks, "special_tokens": self._special_tokens}

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, str):
            self.__dict__ = OPENERS[0](state).__dict__
            return
        Encoding.__init__(self, **state)


ENCODINGS: dict[str, Encoding] = {}
"""Those that were asked for by name; they are pickled as their names."""
OPENERS: list[Callable[[str], Encoding]] = []
"""What opens an encoding by its name: the registry, which puts itself here."""


def _refuse_other_types(text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"the text must be a str, not {type(text).__name__}")


def _refuse_threads(number: int) -> None:
    if not number > 0:
        raise ValueError("num_threads must be greater than 0")


def _raise_no_int(token: object) -> NoReturn:
    raise TypeError(f"a token must be an int, not {type(token).__name__}")


def _repaired(text: str) -> str:
    """A text with surrogates: two that belong together become their character, others U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _whole(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return _repaired(text)
    return text


@lru_cache(maxsize=128)
def _any_of(names: frozenset[str]) -> re.Pattern[str]:
    import re

    return re.compile("|".join(map(re.escape, names)))


def _raise_disallowed(token: str) -> NoReturn:
    raise ValueError(
        f"The text contains the special token {token!r}, which is disallowed. Pass allowed_special={{{token!r}}} to take it "
        f"for the token, disallowed_special=(enc.special_tokens_set - {{{token!r}}}) to take it for text, or "
        "disallowed_special=() to take all of them for text."
    )
