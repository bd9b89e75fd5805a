"""Putting AnyPiece under transformers' fast tokenizers, and taking it away."""

from __future__ import annotations

import functools
import inspect
import weakref
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from .backend import Backend
from .tensors import tensor_batch

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["adopt", "is_patched", "patch", "patched", "release", "unpatch"]


class _Patch:
    """What has been replaced, and which tokenizers have been adopted."""

    replaced: ClassVar[list[tuple[Any, str, Any]]] = []
    """What makes new tokenizers have AnyPiece's engine."""
    hooks: ClassVar[list[tuple[Any, str, Any]]] = []
    """What makes tensors for those that have it; nothing changes for others."""
    adopted: ClassVar[weakref.WeakSet[Any]] = weakref.WeakSet()


def _fast_class() -> Any:
    """The base of all fast tokenizers."""
    try:
        from transformers.tokenization_utils_tokenizers import TokenizersBackend

        return TokenizersBackend
    except ImportError:
        from transformers import PreTrainedTokenizerFast

        return PreTrainedTokenizerFast


def is_patched() -> bool:
    """Whether tokenizers that are made now get AnyPiece's engine."""
    return bool(_Patch.replaced)


def patch(*tokenizers: Any) -> None:
    """Every fast tokenizer that is made from now on has AnyPiece's engine, and ``tokenizers``, made before, get it, too.

    A tokenizer that cannot be reproduced keeps its own engine; an ``OriginalEngineWarning`` says why when it is first used.
    """
    if not is_patched():
        cls = _fast_class()
        _replace(_Patch.replaced, cls, "__init__", _adopting(cls.__init__))
        decoders = import_module("tokenizers.decoders")
        _replace(_Patch.replaced, decoders, "DecodeStream", _stream_class(decoders.DecodeStream))
    for tokenizer in tokenizers:
        adopt(tokenizer)


def unpatch() -> None:
    """Take it back: new tokenizers, and all that were adopted, have their own engine again."""
    for rows in (_Patch.replaced, _Patch.hooks):
        while rows:
            owner, name, old = rows.pop()
            setattr(owner, name, old)
    for tokenizer in list(_Patch.adopted):
        release(tokenizer)


@contextmanager
def patched(*tokenizers: Any) -> Iterator[None]:
    """``patch``, and ``unpatch`` at the end of the block, unless it was patched before."""
    before = is_patched()
    patch(*tokenizers)
    try:
        yield
    finally:
        if not before:
            unpatch()


def adopt(tokenizer: Any) -> Any:
    """Give a fast tokenizer AnyPiece's engine; it is given back."""
    held = getattr(tokenizer, "_tokenizer", None)
    if held is None:
        raise TypeError(f"{type(tokenizer).__name__} is not a fast tokenizer of transformers.")
    if not isinstance(held, Backend):
        tokenizer._tokenizer = Backend(held)
    if not _Patch.hooks:
        cls = _fast_class()
        for name in ("_encode_plus", "_batch_encode_plus"):
            if name in cls.__dict__:
                _replace(_Patch.hooks, cls, name, _with_tensors(cls.__dict__[name]))
    _Patch.adopted.add(tokenizer)
    return tokenizer


def release(tokenizer: Any) -> Any:
    """Give a tokenizer its own engine again; it is given back."""
    held = getattr(tokenizer, "_tokenizer", None)
    if isinstance(held, Backend):
        tokenizer._tokenizer = held._original
    _Patch.adopted.discard(tokenizer)
    return tokenizer


def _replace(rows: list[tuple[Any, str, Any]], owner: Any, name: str, new: Any) -> None:
    rows.append((owner, name, owner.__dict__[name]))
    setattr(owner, name, new)


def _adopting(old: Any) -> Any:
    @functools.wraps(old)
    def made(self: Any, *arguments: Any, **options: Any) -> None:
        old(self, *arguments, **options)
        if getattr(self, "_tokenizer", None) is not None:
            adopt(self)

    return made


def _with_tensors(old: Any) -> Any:
    """An encoding method that makes tensors of a batch itself where it can."""
    signature = inspect.signature(old)
    defaults = {name: row.default for name, row in signature.parameters.items() if row.default is not row.empty}

    @functools.wraps(old)
    def encoded(self: Any, *arguments: Any, **options: Any) -> Any:
        backend = self._tokenizer
        if isinstance(backend, Backend) and options.get("return_tensors") is not None:
            given = dict(zip(list(signature.parameters)[1:], arguments, strict=False))
            chosen = {**defaults, **given, **options}
            text, pair = chosen.pop("text", None), chosen.pop("text_pair", None)
            if "batch_text_or_text_pairs" in chosen:
                text, pair = _parted(chosen.pop("batch_text_or_text_pairs"))
            found = tensor_batch(self, backend, text, pair, chosen)
            if found is not None:
                return found
        return old(self, *arguments, **options)

    return encoded


def _parted(rows: Any) -> tuple[Any, Any]:
    """Texts, or texts and pairs, of rows that are either."""
    if type(rows) is list and rows and all(type(row) is tuple and len(row) == 2 for row in rows):
        return [row[0] for row in rows], [row[1] for row in rows]
    return rows, None


def _stream_class(original: Any) -> Any:
    class DecodeStream:
        """The original's stream, which takes a patched tokenizer as well."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            self._stream = original(*arguments, **options)

        def step(self, tokenizer: Any, id: Any) -> str | None:
            """The text that an id completes, if it does."""
            held = tokenizer._original if isinstance(tokenizer, Backend) else tokenizer
            text: str | None = self._stream.step(held, id)
            return text

    return DecodeStream
