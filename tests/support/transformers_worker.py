"""The process that runs transformers: opens folders with AutoTokenizer, and answers what it says of texts.

It is started by ``transformers_peer.py`` with the wanted release on the path. Nothing is downloaded.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import pairwise
from typing import Any

from tests.support.peer_worker import receive, send


def _opened(folder: str) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder, local_files_only=True)


def _facts(tokenizer: Any) -> dict[str, Any]:
    import transformers

    added = {id: str(token) for id, token in tokenizer.added_tokens_decoder.items()}
    return {
        "version": transformers.__version__,
        "class": type(tokenizer).__name__,
        "size": len(tokenizer),
        "names": tokenizer.special_tokens_map,
        "added": added,
        "special": sorted(set(tokenizer.all_special_ids)),
    }


def _settings(tokenizer: Any) -> dict[str, Any]:
    """What a folder says besides its tokens."""
    names = ("model_max_length", "padding_side", "truncation_side", "clean_up_tokenization_spaces", "model_input_names")
    return {name: getattr(tokenizer, name) for name in (*names, "chat_template", "extra_special_tokens")}


def _answers(tokenizer: Any, texts: list[str]) -> dict[str, Any]:
    marked = [tokenizer.encode(text) for text in texts]
    return {
        "ids": [tokenizer.encode(text, add_special_tokens=False) for text in texts],
        "marked": marked,
        "pairs": [tokenizer(*pair)["input_ids"] for pair in pairwise(texts[:20]) if all(pair)],
        "decoded": [tokenizer.decode(ids) for ids in marked],
        "skipped": [tokenizer.decode(ids, skip_special_tokens=True) for ids in marked],
    }


def main() -> None:
    """Answer until the requests end."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    tokenizer: Any = None
    while request := receive(requests):
        header = json.loads(request[0])
        if header["op"] == "open":
            tokenizer = _opened(header["folder"])
            found = _facts(tokenizer)
        elif header["op"] == "settings":
            found = _settings(tokenizer)
        else:
            found = _answers(tokenizer, [text.decode() for text in request[1:]])
        send(answers, [json.dumps(found, default=str).encode()])


if __name__ == "__main__":
    main()
