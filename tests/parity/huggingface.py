"""One tokenizer.json against tokenizers: ids, spans and decoded text, with special tokens as text and as themselves."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tokenizers import Tokenizer

from tests.parity.answers import same_tokens
from tests.support import data

if TYPE_CHECKING:
    from collections.abc import Sequence

    import anypiece as ap

__all__ = ["FILES", "VECTORS", "first_difference", "original", "original_of", "reading_specials"]

FILES = (
    "anthropic_claude2.tokenizer",
    "bert_base_cased",
    "clip_base",
    "deepseek_v3.tokenizer",
    "falcon.tokenizer",
    "gpt2",
    "gpt_neox",
    "hw_doc_summarizer",
    "lenml_baichuan2.tokenizer",
    "lenml_chatglm3.tokenizer",
    "lenml_gemma3.tokenizer",
    "lenml_llama2.tokenizer",
    "lenml_llama3_2.tokenizer",
    "lenml_mistral_nemo.tokenizer",
    "lenml_qwen3.tokenizer",
    "mistral03",
    "mpt",
    "phi2.tokenizer",
    "phi3.tokenizer",
    "sqlpilot",
    "t5_small.tokenizer",
    "xlnet_base_cased",
)
"""Every tokenizer.json there is, by its name without ``.json``."""

VECTORS = {
    "bert_base_cased": "bert_base_cased",
    "clip_base": "clip_base",
    "gemma3": "lenml_gemma3.tokenizer",
    "gpt2": "gpt2",
    "gpt_neox": "gpt_neox",
    "hw_doc_summarizer": "hw_doc_summarizer",
    "llama32": "lenml_llama3_2.tokenizer",
    "llama33": "lenml_llama3_2.tokenizer",
    "mistral03": "mistral03",
    "mistral2410": "lenml_mistral_nemo.tokenizer",
    "mpt": "mpt",
    "r1": "deepseek_v3.tokenizer",
    "sqlpilot": "sqlpilot",
    "xlnet_base_cased": "xlnet_base_cased",
}
"""The name kitoken's vectors use for a tokenizer, and the file it is here."""


def original(name: str, specials: str) -> Tokenizer:
    """The library with one of ``FILES`` opened; see ``original_of``."""
    return original_of(data.hf_file(name), specials)


def original_of(content: bytes, specials: str) -> Tokenizer:
    """The library with a file opened, and special tokens in text as text or as themselves.

    In a unigram vocabulary the library matches special tokens in text even where it should take them as text, since they
    are pieces like any other. Here they never do; so they are given spellings there that no text has.
    """
    document = json.loads(content)
    if specials == "text" and isinstance(document["model"]["vocab"], list):
        special = {row["content"] for row in document["added_tokens"] if row["special"]}
        rows = document["model"]["vocab"]
        special.discard(rows[document["model"]["unk_id"]][0])
        for id, row in enumerate(rows):
            row[0] = f"\ue000{id}\ue001" if row[0] in special else row[0]
        document["added_tokens"] = [row for row in document["added_tokens"] if row["content"] not in special]
        content = json.dumps(document).encode()
    made = Tokenizer.from_str(content.decode())
    made.encode_special_tokens = specials == "text"
    return made


def reading_specials(parse: Tokenizer, texts: Sequence[bytes]) -> Sequence[bytes]:
    """Those texts that may be something else if special tokens are read in them: the library looks for their spellings, in
    the text as it is unless a token says otherwise. A unigram vocabulary has them as pieces too, in the normalized text.
    """
    special = [token for token in parse.get_added_tokens_decoder().values() if token.special]
    if type(parse.model).__name__ == "Unigram" or any(token.normalized for token in special):
        return texts
    beginnings = sorted({token.content.encode()[:3] for token in special if token.content})
    if not beginnings:
        return []
    some = re.compile(b"|".join(map(re.escape, beginnings)))
    return [text for text in texts if some.search(text)]


def first_difference(
    tok: ap.Tokenizer, other: Tokenizer, texts: Sequence[bytes], specials: str, batched: bool = False
) -> str | None:
    """What differs first: an id, the place of a token, a count, the decoded text, or the batch. ``batched``: our single
    calls are made only where our batches have other answers than the library.
    """
    strings = [text.decode() for text in texts]
    answers = other.encode_batch(strings, add_special_tokens=False)
    rows = [answer.ids for answer in answers]
    same = batched and same_tokens(tok, strings, rows, specials, [answer.offsets for answer in answers])
    for text, answer in () if same else zip(strings, answers, strict=True):
        tokens = tok.encode_spans(text, specials=specials)
        found: dict[str, tuple[object, object]] = {
            "ids": (tok.encode(text, specials=specials), answer.ids),
            "ids of spans": ([token.id for token in tokens], answer.ids),
            "spans": ([(token.start, token.end) for token in tokens], answer.offsets),
            "count": (tok.count(text, specials=specials), len(answer.ids)),
        }
        for what, (ours, theirs) in found.items():
            if ours != theirs:
                return f"{what} of {text[:300]!r} (specials as {specials}): {ours!r:.300} instead of {theirs!r:.300}"
    if not same and not same_tokens(tok, strings, rows, specials, [answer.offsets for answer in answers]):
        return "ids, counts or places of the batch"
    return _first_text(tok, other, rows)


def _first_text(tok: ap.Tokenizer, other: Tokenizer, rows: list[list[int]]) -> str | None:
    """The same of decoding; only rows with a special token are decoded without them, since the library looks at no more."""
    special = {id for id, token in other.get_added_tokens_decoder().items() if token.special}
    for skip in (False, True):
        asked = [row for row in rows if not special.isdisjoint(row)] if skip else rows
        texts = other.decode_batch(asked, skip_special_tokens=skip)
        for ids, theirs, ours in zip(asked, texts, tok.decode_batch(asked, skip_special=skip), strict=True):
            if ours != theirs:
                return f"text of {ids[:50]} (skip_special={skip}): {ours!r:.300} instead of {theirs!r:.300}"
    return None
