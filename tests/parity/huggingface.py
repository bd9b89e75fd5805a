"""One tokenizer.json against tokenizers: ids, spans and decoded text, with special tokens as text and as themselves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tokenizers import Tokenizer

from tests.support import data

if TYPE_CHECKING:
    from collections.abc import Sequence

    import anypiece as ap

__all__ = ["FILES", "VECTORS", "first_difference", "original", "original_of"]

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


def first_difference(tok: ap.Tokenizer, other: Tokenizer, texts: Sequence[bytes], specials: str) -> str | None:
    """What differs first: an id, the place of a token, a count, the decoded text, or the batch."""
    strings = [text.decode() for text in texts]
    answers = other.encode_batch(strings, add_special_tokens=False)
    for text, answer in zip(strings, answers, strict=True):
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
    batch = tok.encode_batch(strings, specials=specials)
    if batch.ids.tolist() != [id for answer in answers for id in answer.ids]:
        return "the ids of the batch"
    return _first_text(tok, other, [answer.ids for answer in answers])


def _first_text(tok: ap.Tokenizer, other: Tokenizer, rows: list[list[int]]) -> str | None:
    for skip in (False, True):
        texts = other.decode_batch(rows, skip_special_tokens=skip)
        for ids, theirs in zip(rows, texts, strict=True):
            ours = tok.decode(ids, skip_special=skip)
            if ours != theirs:
                return f"text of {ids[:50]} (skip_special={skip}): {ours!r:.300} instead of {theirs!r:.300}"
    return None
