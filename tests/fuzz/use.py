"""What is done once with the tokenizer of a document: every method that runs its stages, on texts that make them work.

An ``AnyPieceError`` with a known code is an answer; everything else goes to whoever judges.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import anypiece as ap
from anypiece.errors import CODES
from anypiece.inspect.doctor import examine
from anypiece.inspect.summary import internals, summary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["use_document"]

TEXTS: tuple[str | bytes, ...] = (
    "",
    "a",
    "ab a  b\n",
    "Hello aa, 12345! e\u0301 \ufb03 ▁ <s>a</s> [UNK]",
    "日本語 e\u0301\u0323 \u0344 \ufb2c \0 \ud800",
    b"\xff a \xe2\x96",
    "a" * 120,
    "ab " * 60,
)
MESSAGES: tuple[dict[str, Any], ...] = (
    {"role": "system", "content": "be a"},
    {"role": "user", "content": "a <s> \ud800 {{ x }}"},
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]},
)


def use_document(tokenizer: ap.Tokenizer, path: Path) -> None:
    """Call everything; an error that is not ours, or has no code, is raised."""
    for text in TEXTS:
        for call in _calls(tokenizer, text):
            _answered(call)
    size = tokenizer.vocab_size
    some = [*range(min(size, 300)), size - 1]
    _answered(lambda: tokenizer.decode(some))
    _answered(lambda: tokenizer.decode(some * 3, skip_special=True))
    _answered(lambda: _decoded_in_parts(tokenizer, some))
    _answered(lambda: examine(tokenizer))
    _answered(lambda: (summary(tokenizer), internals(tokenizer), repr(tokenizer)))
    _answered(lambda: pickle.loads(pickle.dumps(tokenizer)))
    again = path.with_name("again.anypiece")
    _answered(lambda: tokenizer.save(again))
    _answered(lambda: tokenizer.save(path.with_name("again.json")))
    if path.is_dir():
        _answered(lambda: tokenizer.render_chat(MESSAGES))
        _answered(lambda: tokenizer.render_chat(MESSAGES[:2], add_generation_prompt=True, tools=[{"a": "b"}]))
        _answered(lambda: tokenizer.render_chat([]))
        _answered(lambda: tokenizer.encode_chat(MESSAGES))


def _calls(tokenizer: ap.Tokenizer, text: str | bytes) -> list[Callable[[], object]]:
    ids = _answered(lambda: tokenizer.encode(text)) or []
    calls: list[Callable[[], object]] = [
        lambda: tokenizer.encode(text, specials="parse", add_special=True),
        lambda: tokenizer.encode_spans(text, specials="parse", add_special=True),
        lambda: tokenizer.normalize(text),
        lambda: tokenizer.decode(ids),
        lambda: tokenizer.decode_bytes(ids),
        lambda: tokenizer.count(text, limit=3),
        lambda: tokenizer.encode_batch([text, text], threads=1),
        lambda: _streamed(tokenizer, text),
    ]
    if len(text) < 60:
        calls += [
            lambda: tokenizer.truncate(text, 3),  # type: ignore[type-var]
            lambda: tokenizer.split(text, 3),  # type: ignore[type-var]
            lambda: tokenizer.explain(text),
            lambda: tokenizer.encode_pair(text, text),
            lambda: tokenizer.nbest(text, 3),
            lambda: tokenizer.sample(text, seed=1),
        ]
    return calls


def _streamed(tokenizer: ap.Tokenizer, text: str | bytes) -> None:
    stream = tokenizer.stream_encoder()
    stream.push(text[:7])
    stream.push(text[7:])
    stream.flush()


def _decoded_in_parts(tokenizer: ap.Tokenizer, ids: list[int]) -> None:
    for stream in (tokenizer.stream_decoder(), tokenizer.stream_decoder(skip_special=True)):
        for id in ids:
            stream.push([id])
        stream.flush()


def _answered(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except ap.AnyPieceError as error:
        if error.code not in CODES or not str(error).strip():
            raise
    return None
