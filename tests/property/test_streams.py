"""The laws of stream decoding for decoders composed at random."""

from __future__ import annotations

from random import Random

import pytest

from tests.property import stream_laws
from tests.support.decode_steps import STEPS, tokenizer


@pytest.mark.parametrize("seed", range(80))
def test_composed_decoders(seed: int) -> None:
    """Joined, nothing differs from decoding at once, whatever the steps."""
    rng = Random(f"composed {seed}")
    tok = tokenizer([step for step, _ in rng.choices(STEPS, k=rng.randint(1, 5))])
    for _ in range(40):
        ids = [rng.randrange(tok.vocab_size) for _ in range(rng.randint(1, 9))]
        stream_laws.joined_is_decode(tok, [[id] for id in ids])
        stream_laws.joined_is_decode(tok, [ids[:3], [], ids[3:]])


ONE_BY_ONE = [[step] for step, _ in STEPS] + [
    [{"type": "fuse"}, {"type": "suffix", "suffix": "</w>"}],
    [{"type": "fuse"}, {"type": "wordpiece", "prefix": "##", "cleanup": True}],
    [{"type": "fuse"}, {"type": "strip", "content": "a", "start": 1, "stop": 2}],
    [{"type": "strip", "content": "a", "start": 1, "stop": 2}],
    [{"type": "join", "separator": " "}],
    [step for step, _ in (STEPS[3], STEPS[0], STEPS[5], STEPS[6])],
]


@pytest.mark.parametrize("steps", ONE_BY_ONE, ids=lambda steps: "-".join(step["type"] for step in steps))
def test_a_step_gives_out_all_that_is_certain(steps: list[dict[str, object]]) -> None:
    rng, tok = Random("prompt"), tokenizer(steps)
    continuations = stream_laws.Continuations(tok, rng)
    continuations.rows = [[], *([id] for id in range(tok.vocab_size)), *([9, id] for id in range(tok.vocab_size))]
    continuations.rows += [[*row, 22] for row in continuations.rows]
    continuations.rows.append(stream_laws.Continuations.pieces(tok, "'", " ", "s"))
    for _ in range(30):
        stream_laws.is_prompt(tok, [rng.randrange(tok.vocab_size) for _ in range(6)], continuations)
