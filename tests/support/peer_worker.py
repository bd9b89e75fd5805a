"""The process that runs a peer: reads requests from stdin, answers on stdout.

It is started by ``peer.py`` with the wanted release of sentencepiece first on the path, so two releases never meet in
one process. A message is a number of blobs, each with its length before it; the first blob is a JSON header.
"""

from __future__ import annotations

import json
import struct
import sys
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from tests.support.protos import read_protos
from tests.support.records import Columns

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["receive", "send"]

_TEXT_TAG = b"\x0a"


def send(stream: IO[bytes], blobs: Sequence[bytes]) -> None:
    """Write one message."""
    stream.write(struct.pack("<I", len(blobs)))
    for blob in blobs:
        stream.write(struct.pack("<I", len(blob)))
        stream.write(blob)
    stream.flush()


def receive(stream: IO[bytes]) -> list[bytes]:
    """Read one message; empty at the end of the stream."""
    head = stream.read(4)
    if len(head) < 4:
        return []
    return [stream.read(struct.unpack("<I", stream.read(4))[0]) for _ in range(struct.unpack("<I", head)[0])]


class Reference:
    """One tokenizer file opened with sentencepiece.

    Releases up to 0.2.1 take ids from the same proto that they serialize; later ones have a path of their own for ids,
    which also answers where a control piece in the text makes the proto fail.
    """

    def __init__(self, package: Any, content: bytes) -> None:
        self.processor = package.SentencePieceProcessor()
        self.processor.LoadFromSerializedProto(content)
        self.own_ids = package.__version__ > "0.2.1"

    def columns(self, texts: list[bytes]) -> Columns:
        """Everything sentencepiece says about ``texts``."""
        protos, no_proto = self._each("serialized_proto", texts)
        tokens = read_protos([proto or b"" for proto in protos])
        if self.own_ids:
            ids, refused = self._each("int", texts)
        else:
            ids = [row.tolist() for row in np.split(tokens.ids, np.cumsum(tokens.counts)[:-1])]
            refused = no_proto
        counts = np.array([len(row or ()) for row in ids], np.int64)
        flat = np.fromiter((number for row in ids for number in row or ()), np.uint32, int(counts.sum()))
        decoded = [self.processor.decode(row).encode() if row else b"" for row in ids]
        ids_only = sorted(set(no_proto) - set(refused))
        return Columns(counts, flat, tokens.counts, tokens.pieces, tokens.spans, decoded, ids_only, refused)

    def _each(self, kind: str, texts: list[bytes]) -> tuple[list[Any], list[int]]:
        """Answers of one kind, None where sentencepiece refuses, and the indexes of those.

        Up to 0.2.1 a refusal is silent: no ids, and a proto without the text that it must begin with.
        """
        out_type: Any = int if kind == "int" else kind
        try:
            answers = self.processor.encode(texts, out_type=out_type, num_threads=1)
        except (RuntimeError, ValueError):
            answers = [self._one(out_type, text) for text in texts]
        if kind == "serialized_proto":
            answers = [_finished(answer, text) for answer, text in zip(answers, texts, strict=True)]
        return answers, [index for index, answer in enumerate(answers) if answer is None]

    def _one(self, out_type: Any, text: bytes) -> Any:
        try:
            return self.processor.encode(text, out_type=out_type)
        except (RuntimeError, ValueError):
            return None

    def normalize(self, texts: list[bytes]) -> list[bytes]:
        """Each text as the normalizer leaves it."""
        return [_as_bytes(self.processor.normalize(text)) for text in texts]


def _finished(proto: bytes | None, text: bytes) -> bytes | None:
    return proto if (proto and proto.startswith(_TEXT_TAG)) or not text else None


def _as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _train(package: Any, texts: list[bytes], options: dict[str, Any]) -> bytes:
    """A small file trained on ``texts``: real charsmaps and settings that no real file has."""
    from io import BytesIO

    out = BytesIO()
    package.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=out, minloglevel=2, num_threads=1, **options
    )
    return out.getvalue()


def _answer(package: Any, state: dict[str, Reference], header: dict[str, Any], blobs: list[bytes]) -> list[bytes]:
    op = header["op"]
    if op == "open":
        state["now"] = Reference(package, blobs[0])
        return [json.dumps({"version": package.__version__}).encode()]
    if op == "digests":
        return [json.dumps(state["now"].columns(blobs).digests().to_json()).encode()]
    if op == "columns":
        return state["now"].columns(blobs).to_blobs()
    if op == "normalize":
        return state["now"].normalize(blobs)
    if op == "entropies":
        texts, alpha = [blob.decode() for blob in blobs], header["alpha"]
        return [json.dumps([state["now"].processor.calculate_entropy(text, alpha) for text in texts]).encode()]
    if op == "train":
        return [_train(package, blobs, header["options"])]
    raise ValueError(op)


def main() -> None:
    """Serve requests until stdin ends."""
    import sentencepiece

    sentencepiece.set_min_log_level(3)
    state: dict[str, Reference] = {}
    while message := receive(sys.stdin.buffer):
        send(sys.stdout.buffer, _answer(sentencepiece, state, json.loads(message[0]), message[1:]))


if __name__ == "__main__":
    main()
