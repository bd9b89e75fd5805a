"""What stands in the place of a fast tokenizer's backend: the original, whose texts and ids AnyPiece's kernel handles.

All that is set or asked for goes to the original; ids, their encodings and decoded text come from an engine that is
compiled from it, again where it has changed. What the engine cannot do the original does, and a warning says so once.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from ...errors import AnyPieceError
from ..tokenizers.engine import Engine
from ..tokenizers.inputs import Inputs, batch_inputs, one_input
from ..tokenizers.post import encodings_of, padded, post_processed
from ..tokenizers.processors import PostProcessor
from ..tokenizers.reading import read_document
from ..tokenizers.tokenizer import checked_ids
from ..tokenizers.values import AddedToken

if TYPE_CHECKING:
    from ..tokenizers.encoding import Encoding

__all__ = ["Backend", "OriginalEngineWarning"]

_COMPONENTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
_CHANGES = ("add_tokens", "add_special_tokens", "train", "train_from_iterator")
_MODEL = (
    "dropout", "alpha", "nbest_size", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges", "continuing_subword_prefix",
    "end_of_word_suffix", "max_input_chars_per_word",
)  # fmt: skip
"""What can be changed of a model where it stands."""
_SLOTS = ("_engine_", "_lent", "_original", "_processor", "_refused", "_states")


class OriginalEngineWarning(UserWarning):
    """A tokenizer stays with its original engine, for the reason that the warning gives."""


class Backend:
    """A ``tokenizers.Tokenizer`` whose encoding and decoding is AnyPiece's."""

    __slots__ = (*_SLOTS, "__weakref__")

    _original: Any
    _engine_: Engine | None
    _processor: PostProcessor | None
    _lent: set[str]
    _states: dict[str, Any]
    _refused: str | None

    def __init__(self, original: Any) -> None:
        object.__setattr__(self, "_original", original)
        object.__setattr__(self, "_lent", set())
        self._forget()

    def _forget(self) -> None:
        for name in ("_engine_", "_processor", "_refused"):
            object.__setattr__(self, name, None)
        object.__setattr__(self, "_states", {})

    # -- what the original has
    def __getattr__(self, name: str) -> Any:
        found = getattr(object.__getattribute__(self, "_original"), name)
        if name in _CHANGES:
            self._forget()
        elif (name in _COMPONENTS or name == "model") and name not in self._lent:
            self._lent.add(name)
            self._states[name] = self._state(name)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._original, name, value)
        if name in _COMPONENTS or name == "model":
            self._forget()

    def __reduce__(self) -> tuple[Any, ...]:
        return Backend, (self._original,)

    def __deepcopy__(self, memo: dict[int, Any]) -> Backend:
        import copy

        return Backend(copy.deepcopy(self._original, memo))

    def __repr__(self) -> str:
        return repr(self._original)

    def __str__(self) -> str:
        return str(self._original)

    # -- the engine
    def _state(self, name: str) -> Any:
        """A component as it is now."""
        part = getattr(self._original, name)
        if name == "model":
            return [getattr(part, field, None) for field in _MODEL]
        return None if part is None else part.__getstate__()

    def _lent_states(self) -> dict[str, Any]:
        """The components that were given out, as they are now: they can be changed where they stand."""
        return {name: self._state(name) for name in self._lent}

    def engine(self) -> Engine | None:
        """The engine for what the original is now; None where it cannot be had."""
        if self._engine_ is None and self._refused is None:
            self._compile()
        elif self._lent and self._states != self._lent_states():
            self._forget()
            self._compile()
        return self._engine_

    def _compile(self) -> None:
        object.__setattr__(self, "_states", self._lent_states())
        try:
            document = read_document(self._original.to_str().encode(), nearest=True)
            rows = {
                id: AddedToken(token.content, **_flags(token))
                for id, token in self._original.get_added_tokens_decoder().items()
            }
            sections = {name: None if part is None else part._json() for name, part in document.components.items()}
            if any(getattr(self._original.model, name, None) for name in ("dropout", "alpha")):
                raise NotImplementedError(f"the model {document.model.KIND} draws at random")
            engine = Engine(sections, document.model, rows)
            if engine.is_plain:
                raise NotImplementedError(f"the model {document.model.KIND} is not one that the kernel runs as it is")
        except (AnyPieceError, NotImplementedError, Exception) as error:
            object.__setattr__(self, "_refused", str(error) or type(error).__name__)
            message = f"This tokenizer stays with the engine of tokenizers: {self._refused}"
            warnings.warn(message, OriginalEngineWarning, stacklevel=4)
            return
        object.__setattr__(self, "_engine_", engine)
        object.__setattr__(self, "_processor", document.components["post_processor"])

    # -- encode
    def _encoded(self, engine: Engine, inputs: Inputs, add_special: bool) -> list[Encoding]:
        original = self._original
        source = engine.source(inputs.texts, original.encode_special_tokens, inputs.numbers())
        truncation, processor = original.truncation, self._processor
        rows = encodings_of(inputs, source)
        found = [post_processed(row, processor, truncation, add_special) for row in rows]
        return padded(found, original.padding)

    def encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Any:
        """The encoding of a text, or of a pair of texts."""
        engine = self.engine()
        if engine is None:
            return self._original.encode(sequence, pair, is_pretokenized, add_special_tokens)
        return self._encoded(engine, one_input(sequence, pair, is_pretokenized), add_special_tokens)[0]

    def encode_batch(self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True) -> Any:
        """The encodings of many texts or pairs."""
        engine = self.engine()
        if engine is None:
            return self._original.encode_batch(input, is_pretokenized, add_special_tokens)
        return self._encoded(engine, batch_inputs(input, is_pretokenized), add_special_tokens)

    # -- decode
    def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
        """The text of ids; ids of no token are left out."""
        engine = self.engine()
        if engine is None:
            text: str = self._original.decode(ids, skip_special_tokens=skip_special_tokens)
            return text
        return engine.decode(checked_ids(ids), skip_special_tokens)

    def decode_batch(self, sequences: Any, skip_special_tokens: bool = True) -> list[str]:
        """The texts of many lists of ids."""
        return [self.decode(ids, skip_special_tokens) for ids in sequences]


def _flags(token: Any) -> dict[str, bool]:
    return {name: getattr(token, name) for name in ("single_word", "lstrip", "rstrip", "normalized", "special")}
