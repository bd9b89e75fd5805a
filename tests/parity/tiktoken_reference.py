"""tiktoken in a process of its own, as the reference for rank files.

tiktoken and what it needs are installed on first use into ``.cache/peers``. Patterns and special tokens come from the
packages themselves, so that our definitions are compared with their source: OpenAI's from ``tiktoken_ext``, Llama's from
``llama_models``. Nothing is downloaded by them: the rank file is sent by the caller. Run as a module this is the worker;
``Reference`` is the caller's side of it. Texts must be UTF-8.
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tests.support.data import RANK_FILES, rank_file
from tests.support.peer import PeerDied, Worker, installed_beside
from tests.support.peer_worker import receive, send

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["ENCODINGS", "RELEASE", "VERSION", "Answers", "Reference"]

VERSION = "0.14.0"
LLAMA_MODELS = "0.3.0"
RELEASE = f"tiktoken {VERSION} llama-models {LLAMA_MODELS}"
_PACKAGES = (f"tiktoken=={VERSION}", "regex", f"llama-models=={LLAMA_MODELS}")

ENCODINGS = {name: name for name in RANK_FILES} | {
    "gpt2": "r50k_base",
    "p50k_edit": "p50k_base",
    "o200k_harmony": "o200k_base",
}
"""Each definition that can be compared, and the rank file it is about."""


class Answers(NamedTuple):
    """What tiktoken says about some texts: ids, the text that they decode to, and where in it each id begins."""

    counts: NDArray[np.uint32]
    """How many ids each text has."""
    ids: NDArray[np.uint32]
    decoded: list[bytes]
    offsets: NDArray[np.uint32]
    """For each id, in characters of the decoded text, as ``decode_with_offsets`` counts."""


class Reference(Worker):
    """tiktoken. ``open`` a definition, ask about texts, ``close``."""

    def __init__(self) -> None:
        place = installed_beside(f"tiktoken-{VERSION}", *_PACKAGES)
        super().__init__(f"tiktoken {VERSION}", "tests.parity.tiktoken_reference", [place])

    def open(self, name: str) -> dict[str, Any]:
        """Load the encoding of a definition; returns its ``n_vocab``, ``specials``, ``pattern`` and the ``version``."""
        facts: dict[str, Any] = json.loads(self._ask("open", [rank_file(ENCODINGS[name])], name=name)[0])
        if facts["version"] != VERSION:
            raise PeerDied(f"wanted tiktoken {VERSION}, found {facts['version']}")
        return facts

    def open_with(self, content: bytes, pattern: str, specials: dict[str, int]) -> None:
        """Load a rank file with a pattern and special tokens of the caller's."""
        self._ask("open", [content], name="mine", pattern=pattern, specials=specials)

    def ordinary(self, texts: Sequence[bytes]) -> Answers:
        """``encode_ordinary``: special tokens in the text are text."""
        return self._answers("ordinary", texts)

    def special(self, texts: Sequence[bytes]) -> Answers:
        """``encode(allowed_special="all")``: special tokens in the text are themselves."""
        return self._answers("special", texts)

    def decode(self, rows: Sequence[Sequence[int]]) -> list[bytes]:
        """``decode_bytes`` of each row of ids."""
        counts, ids = _columns(rows)
        return self._ask("decode", [counts, ids])[1:]

    def _answers(self, op: str, texts: Sequence[bytes]) -> Answers:
        counts, ids, offsets, *decoded = self._ask(op, texts)
        return Answers(np.frombuffer(counts, "<u4"), np.frombuffer(ids, "<u4"), decoded, np.frombuffer(offsets, "<u4"))


def _columns(rows: Sequence[Sequence[int]]) -> tuple[bytes, bytes]:
    counts = np.array([len(row) for row in rows], "<u4")
    return counts.tobytes(), np.fromiter((id for row in rows for id in row), "<u4", int(counts.sum())).tobytes()


# The worker.


def _openai(name: str) -> tuple[str, dict[str, int]]:
    """Pattern and special tokens of one of OpenAI's; the module is kept from fetching its rank files."""
    public: Any = import_module("tiktoken_ext.openai_public")
    nothing: Callable[..., dict[bytes, int]] = lambda *_, **__: {}  # noqa: E731
    public.load_tiktoken_bpe = public.data_gym_to_mergeable_bpe_ranks = nothing
    facts = public.ENCODING_CONSTRUCTORS[name]()
    return facts["pat_str"], facts["special_tokens"]


def _llama(name: str, content: bytes) -> tuple[str, dict[str, int]]:
    """Pattern and special tokens of one of Meta's, which counts them from the number of ranks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.model")
        path.write_bytes(content)
        tokenizer = import_module(f"llama_models.{name}.tokenizer").Tokenizer(path)
    return tokenizer.model._pat_str, tokenizer.special_tokens


def _opened(name: str, content: bytes, pattern: str | None = None, specials: dict[str, int] | None = None) -> Any:
    tiktoken: Any = import_module("tiktoken")
    fields = content.split()
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in zip(fields[::2], fields[1::2], strict=True)}
    if pattern is None or specials is None:
        pattern, specials = _llama(name, content) if name.startswith("llama") else _openai(name)
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)


def _encoded(encoding: Any, op: str, texts: list[bytes]) -> list[bytes]:
    strings = [text.decode() for text in texts]
    if op == "ordinary":
        rows = [encoding.encode_ordinary(text) for text in strings]
    else:
        rows = [encoding.encode(text, allowed_special="all") for text in strings]
    decoded = [encoding.decode_with_offsets(row) for row in rows]
    counts, ids = _columns(rows)
    _, offsets = _columns([places for _, places in decoded])
    return [counts, ids, offsets, *(text.encode() for text, _ in decoded)]


def _decoded(encoding: Any, counts: bytes, ids: bytes) -> list[bytes]:
    rows = np.split(np.frombuffer(ids, "<u4"), np.cumsum(np.frombuffer(counts, "<u4"))[:-1])
    return [b"", *(encoding.decode_bytes(row.tolist()) for row in rows)]


def _facts(encoding: Any) -> bytes:
    facts = {
        "version": metadata.version("tiktoken"),
        "n_vocab": encoding.n_vocab,
        "specials": encoding._special_tokens,
        "pattern": encoding._pat_str,
    }
    return json.dumps(facts).encode()


def main() -> None:
    """Serve requests until stdin ends."""
    encoding: Any = None
    while message := receive(sys.stdin.buffer):
        header, blobs = json.loads(message[0]), message[1:]
        if header["op"] == "open":
            encoding = _opened(header["name"], blobs[0], header.get("pattern"), header.get("specials"))
            answer = [_facts(encoding)]
        elif header["op"] == "decode":
            answer = _decoded(encoding, *blobs)
        else:
            answer = _encoded(encoding, header["op"], blobs)
        send(sys.stdout.buffer, answer)


if __name__ == "__main__":
    main()
