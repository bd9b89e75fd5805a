"""The laws of stream decoding for one real file of each kind of decoder.

All files: ``python -m tests.property.streams``, which ``make parity`` runs.
"""

from __future__ import annotations

import pytest

from tests.property.stream_laws import check_file
from tests.property.streams import opened

FILES = (
    "sentencepiece/hf_test_sentencepiece_with_bytefallback.model",
    "sentencepiece/kerashub_albert_test_vocab.model",
    "gguf/ggml-vocab-llama-bpe.gguf",
    "gguf/ggml-vocab-llama-spm.gguf",
    "gguf/ggml-vocab-bert-bge.gguf",
    "hf/gpt2.json",
    "hf/phi3.tokenizer.json",
    "hf/bert_base_cased.json",
    "hf/hw_doc_summarizer.json",
    "hf/sqlpilot.json",
    "tiktoken/r50k_base.tiktoken",
    "bytepiece/bytepiece.plus.40k.model",
    "rwkv/rwkv_vocab_v20230424.txt",
)


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_of_each_kind(name: str) -> None:
    check_file(opened(name), name, 8)
