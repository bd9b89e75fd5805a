"""``python -m tests.support.llama_cpp_worker FILE``: texts as JSON in, what llama.cpp makes of them as JSON out."""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any


def main() -> None:
    """Load a vocabulary without a model, and tokenize what comes in."""
    import llama_cpp  # type: ignore[import-not-found,unused-ignore]

    quiet = llama_cpp.llama_log_callback(lambda *_: None)
    llama_cpp.llama_log_set(quiet, ctypes.c_void_p(0))
    params = llama_cpp.llama_model_default_params()
    params.vocab_only = True
    model = llama_cpp.llama_model_load_from_file(sys.argv[1].encode(), params)
    if not model:
        sys.exit("the file cannot be loaded")
    vocab = llama_cpp.llama_model_get_vocab(model)
    texts = [text.encode() for text in json.load(sys.stdin)]
    ids = [tokenized(llama_cpp, vocab, text, False, False) for text in texts]
    answer = {
        "ids": ids,
        "parsed": [tokenized(llama_cpp, vocab, text, False, True) for text in texts],
        "marked": [tokenized(llama_cpp, vocab, text, True, False) for text in texts],
        "texts": [detokenized(llama_cpp, vocab, row).hex() for row in ids],
    }
    json.dump(answer, sys.stdout)


def tokenized(llama_cpp: Any, vocab: Any, text: bytes, add_special: bool, parse_special: bool) -> list[int]:
    """The ids of a text."""
    room = len(text) + 16
    while True:
        tokens = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(vocab, text, len(text), tokens, room, add_special, parse_special)
        if count >= 0:
            return list(tokens[:count])
        room = -count


def detokenized(llama_cpp: Any, vocab: Any, ids: list[int]) -> bytes:
    """The text of ids."""
    tokens = (llama_cpp.llama_token * len(ids))(*ids)
    room = 16 * len(ids) + 16
    while True:
        out = ctypes.create_string_buffer(room)
        count = llama_cpp.llama_detokenize(vocab, tokens, len(ids), out, room, False, True)
        if count >= 0:
            return out.raw[:count]
        room = -count


if __name__ == "__main__":
    main()
