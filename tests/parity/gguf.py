"""One GGUF file against llama.cpp: the ids and texts that it returned, with special tokens as text and as themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.gguf import answers, golden_texts, own_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator

    import anypiece as ap

__all__ = ["first_difference"]


def first_difference(tok: ap.Tokenizer, name: str, step: int = 1) -> str | None:
    """What differs first from what llama.cpp returned for the file of this name; each ``step``-th text is compared."""
    for what, text, ours, theirs in _comparisons(tok, name, step):
        if ours != theirs:
            return f"{what} of {text[:200]!r}: {ours!r:.300} instead of {theirs!r:.300}"
    return None


def _comparisons(tok: ap.Tokenizer, name: str, step: int) -> Iterator[tuple[str, str, object, object]]:
    known, texts = answers(name), golden_texts()
    for text, ids in own_vectors(name):
        yield "ids", text, tok.encode(text), ids
    for place in range(0, len(texts), step):
        text, ids = texts[place], known.ids[place]
        yield "ids", text, tok.encode(text), ids
        yield "count", text, tok.count(text), len(ids)
        yield "ids of spans", text, [token.id for token in tok.encode_spans(text)], ids
        if place < len(known.add_special):
            yield "ids with marks", text, tok.encode(text, add_special=True), known.add_special[place]
        if place < len(known.detokenized):
            yield "text", text, tok.decode_bytes(ids), known.detokenized[place]
    batch = tok.encode_batch(texts[::step])
    yield "ids of the batch", "", batch.tolist(), known.ids[::step]
    for place, text in enumerate(known.special_texts):
        yield "ids with specials as text", text, tok.encode(text), known.special_text_as_text[place]
        yield "ids with specials parsed", text, tok.encode(text, specials="parse"), known.special_text_parsed[place]
