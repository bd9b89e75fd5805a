"""The process that loads mutants: many one after the other, each under its own limits of memory and time.

Requests come on stdin (a line of JSON, then the bytes), answers go to stdout. It owns what is done with a file and which
outcomes are fine; a crash or a hang is seen by whoever started it.
"""

from __future__ import annotations

import faulthandler
import json
import math
import os
import resource
import signal
import sys
import time
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anypiece as ap
from anypiece.errors import CODES
from anypiece.formats import sentencepiece
from tests.fuzz.mutant import DOCUMENTS, Outcome
from tests.fuzz.use import use_document
from tests.support.hf import added, document, written

__all__ = ["BASE_BYTES", "BYTES_PER_BYTE", "base_seconds"]

BASE_BYTES = 64 << 20
BYTES_PER_BYTE = 64
"""Address space that a load may add: a base, and bytes for each byte of the file. Real files take 12 to 27."""

DOCUMENT_BYTES = 512 << 20
DOCUMENT_SECONDS = 20.0
"""What a small document may take, with all that is done with its tokenizer: its stages may make text longer."""

SECONDS_PER_MEGABYTE = 10.0
TEXTS: tuple[str | bytes, ...] = (
    "",
    "Hello world, this is it.",
    "  a  b\tc\n\u3000▁▁ ",
    "ab" * 40 + "aaaa" * 30,
    "日本語の文章です。한국어 텍스트 e\u0301 ﬁ ① ½ 😀👍🏽 \u200d",
    "\0\x01\ufffd\u2581\ud800",
    b"\xff\xfe\xe2\x96 ok \xf0\x9f\x98 <0x41></s><unk>",
    "word " * 300,
)


def base_seconds() -> float:
    """Processor seconds that any load may take; an environment variable stretches it for slow machines."""
    return float(os.environ.get("ANYPIECE_FUZZ_SECONDS", "5"))


def judge(data: bytes, path: Path, options: dict[str, Any]) -> Outcome:
    """Load the file and use it; every way this can end."""
    loaded = False
    try:
        tokenizer = ap.load(path, **options)
        loaded = True
        if path.suffix in (*DOCUMENTS, ""):
            use_document(tokenizer, path)
            return Outcome("loaded", "")
        problem = _use(tokenizer, data, path)
    except ap.AnyPieceError as error:
        return _judge_error(error, loaded, path)
    except MemoryError as error:
        return Outcome("memory", "MemoryError", _place(error))
    except BaseException as error:
        what = "".join(traceback.format_exception_only(error)).strip()
        return Outcome("exception", f"{what}\n{_place(error)}", f"{type(error).__name__} {_place(error)}")
    return Outcome("wrong", problem, problem) if problem else Outcome("loaded", "")


def _judge_error(error: ap.AnyPieceError, loaded: bool, path: Path) -> Outcome:
    if error.code not in CODES or not str(error).strip():
        return Outcome("error without a known code or message", f"{error.code}: {error}", error.code)
    if loaded and path.suffix == ".model":
        # A file that was read as a whole is valid; only damage to a compiled one may show later.
        return Outcome("error after loading", f"{error.code}: {error}", f"{error.code} {_place(error)}")
    return Outcome("refused", error.code)


def _place(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "anypiece" in frame.filename]
    return " < ".join(f"{Path(frame.filename).name}:{frame.name}" for frame in reversed(frames[-4:]))


def _use(tokenizer: ap.Tokenizer, data: bytes, path: Path) -> str:
    """Do everything with a tokenizer once; returns what is wrong, if anything is."""
    ids = [tokenizer.encode(text) for text in TEXTS]
    for text, expected in zip(TEXTS, ids, strict=True):
        _use_with(tokenizer, text)
        if path.suffix == ".model" and tokenizer.count(text) != len(expected):
            return "count differs from encode"
    size = tokenizer.vocab_size
    some = [*range(min(size, 200)), size - 1, size // 2]
    tokenizer.decode(some)
    for index in some[:50]:
        tokenizer.id_to_piece(index), tokenizer.score(index), tokenizer.kind(index)
    tokenizer.piece_to_id("a", default=None)
    tokenizer.encode_batch(list(TEXTS), threads=1)
    return _use_as_file(tokenizer, data, path, ids)


def _use_with(tokenizer: ap.Tokenizer, text: str | bytes) -> None:
    spans = tokenizer.encode_spans(text)
    size = tokenizer.vocab_size
    tokenizer.decode([token.id for token in spans if token.id < size])
    tokenizer.normalize(text)
    if len(text) < 200:
        tokenizer.truncate(text, 3)  # type: ignore[type-var]
    stream = tokenizer.stream_encoder()
    stream.push(text[:7])
    stream.push(text[7:])
    stream.flush()


def _use_as_file(tokenizer: ap.Tokenizer, data: bytes, path: Path, ids: list[list[int]]) -> str:
    """The Spec, its fingerprint, and the way back into files; a valid tokenizer comes back the same."""
    fingerprint = tokenizer.fingerprint
    again = path.with_name("again.anypiece")
    tokenizer.save(again)
    if path.suffix != ".model":
        return ""
    if sentencepiece.write(tokenizer.spec, tokenizer._origin) != data:
        return "written again, the file has other bytes"
    stored = ap.load(again, verify=True, check_samples=False)
    if stored.fingerprint != fingerprint or [stored.encode(text) for text in TEXTS] != ids:
        return "stored and opened, it is another tokenizer"
    return ""


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def limited(data: bytes, path: Path, options: dict[str, Any]) -> Outcome:
    """``judge`` under limits that follow from the size of the file."""
    is_document = path.suffix in DOCUMENTS
    path = _written(data, path)
    room = (DOCUMENT_BYTES if is_document else BASE_BYTES) + BYTES_PER_BYTE * len(data)
    most = SECONDS_PER_MEGABYTE * len(data) / 1e6 + base_seconds() + (DOCUMENT_SECONDS if is_document else 0.0)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    hard_seconds = resource.getrlimit(resource.RLIMIT_CPU)[1]
    start = time.process_time()
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + room, hard))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(start + most) + _GRACE, hard_seconds))
    try:
        outcome = judge(data, path, options)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        resource.setrlimit(resource.RLIMIT_CPU, (hard_seconds, hard_seconds))
    seconds = time.process_time() - start
    if outcome.fine and seconds > most:
        return Outcome("slow", f"{seconds:.1f} processor seconds for {len(data)} bytes, {outcome.check}", "slow")
    return outcome


_GRACE = 30
"""Seconds over the limit after which the process is ended, so that one that never ends is seen, and where."""


def _written(data: bytes, path: Path) -> Path:
    """The file, or for a config the folder that it stands in, next to a small tokenizer."""
    if path.suffix != ".config":
        path.write_bytes(data)
        return path
    folder = path.with_name("folder")
    folder.mkdir(exist_ok=True)
    written(folder, document(added_tokens=[added(0, "<unk>"), added(5, "<s>"), added(6, "</s>")]))
    (folder / "tokenizer_config.json").write_bytes(data)
    return folder


def main() -> None:
    """Answer requests until stdin ends."""
    faulthandler.enable()
    faulthandler.register(signal.SIGXCPU, all_threads=False, chain=True)
    requests, answers = sys.stdin.buffer, sys.stdout
    with TemporaryDirectory(prefix="anypiece-fuzz-") as folder:
        while line := requests.readline():
            request = json.loads(line)
            data = requests.read(request["size"])
            path = Path(folder) / f"mutant{request['suffix']}"
            outcome = limited(data, path, request["options"])
            answers.write(json.dumps(outcome) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
