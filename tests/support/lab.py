"""Requests for every route of the server."""

from __future__ import annotations

from typing import Any

__all__ = ["CHAT", "SAMPLES", "TEXT"]

TEXT = "Hello wörld, 你好 a😀b"
CHAT = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"

SAMPLES: dict[str, list[dict[str, Any]]] = {
    "/tokenize": [
        {"prompt": TEXT},
        {"prompt": "Hi", "model": "bare", "add_special_tokens": False, "return_token_strs": True, "user": "x"},
        {"messages": [{"role": "user", "content": "Hi"}], "chat_template": CHAT},
    ],
    "/detokenize": [{"tokens": [5, 6, 700]}, {"tokens": [], "model": "bare"}],
    "/v1/encode": [{"text": TEXT}, {"text": ["a", "", "b c"], "add_special": "bos", "specials": ["<s>"]}],
    "/v1/decode": [{"ids": [5, 6]}, {"ids": [[5], [], [700, 6]], "skip_special": True, "errors": "lenient"}],
    "/v1/count": [{"text": TEXT}, {"text": ["a", "b c"], "limit": 1}],
    "/v1/spans": [{"text": TEXT}, {"text": TEXT, "unit": "utf16", "details": True}, {"text": "", "unit": "byte"}],
    "/v1/truncate": [{"text": TEXT, "n": 3}, {"text": "", "n": 0}],
    "/v1/split": [{"text": TEXT, "n": 6}, {"text": TEXT, "n": 6, "overlap": 1}],
    "/v1/chat": [{"messages": [{"role": "user", "content": "Hi"}], "template": CHAT}],
    "/v1/lattice": [{"text": TEXT}, {"text": "Hello", "alpha": 0.2, "start": 2, "end": 4}, {"text": ""}],
    "/v1/nbest": [{"text": "Hello world", "n": 5}, {"text": "", "n": 2}],
    "/v1/sample": [{"text": "Hello", "n": 50}, {"text": "Hello", "method": "viterbi", "alpha": 0.0, "seed": 7}],
    "/v1/explain": [{"text": "Hello wörld"}, {"text": "", "steps": False, "add_special": True}],
    "/v1/compare": [{"text": TEXT, "models": ["default", "bare"]}, {"text": "", "models": ["bare", "default"]}],
    "/v1/models": [{}],
}
