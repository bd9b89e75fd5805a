"""What each library does to train on a file of lines; run in a process of its own, whose time and memory are measured."""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["ENGINES", "count_tokens", "main"]

PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)
"""GPT-4's, which all trainers of bytes are given, or have, as theirs; gigatoken has GPT-2's alone."""


def lines(path: str) -> Iterator[str]:
    """Lines with their ends, as tokenizers reads files."""
    with open(path, encoding="utf-8", newline="") as file:
        yield from file


def anypiece(kind: str, path: str, size: int, out: str, **options: Any) -> None:
    """Ours."""
    import anypiece as ap

    if kind == "byte-bpe":
        options["specials"] = ()  # the others have none either
    tok = ap.train(Path(path), kind, vocab_size=size, threads=1, **options)
    tok.save(out + ".anypiece")


def sentencepiece(kind: str, path: str, size: int, out: str, **options: Any) -> None:
    """SentencePiece, with the same options and one thread."""
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        input=path,
        model_prefix=out,
        model_type=kind,
        vocab_size=size,
        num_threads=1,
        max_sentence_length=1_000_000,
        minloglevel=2,
        **options,
    )


def _splitting(splitter: str) -> Any:
    from tokenizers import Regex, pre_tokenizers

    if splitter == "gpt2":
        return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PATTERN), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip


def tokenizers(kind: str, path: str, size: int, out: str, splitter: str = "gpt2") -> None:
    """Hugging Face's."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer, tok.decoder = _splitting(splitter), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)  # type: ignore[call-arg]
    tok.train_from_iterator(lines(path), trainer)
    tok.save(out + ".json")


def rustbpe(kind: str, path: str, size: int, out: str, splitter: str = "gpt2") -> None:
    """rustbpe, by its own tie rule."""
    import rustbpe

    tok = rustbpe.Tokenizer()
    tok.train_from_iterator(lines(path), size, pattern=_pattern(splitter))
    Path(out + ".json").write_text(json.dumps([list(piece) for piece, _ in tok.get_mergeable_ranks()]))


def bpeasy(kind: str, path: str, size: int, out: str, splitter: str = "gpt2") -> None:
    """bpeasy."""
    import bpeasy

    ranks = bpeasy.train_bpe(lines(path), _pattern(splitter), 128, size)
    Path(out + ".json").write_text(json.dumps([list(piece) for piece in ranks]))


def gigatoken(kind: str, path: str, size: int, out: str, splitter: str = "gpt2") -> None:
    """gigatoken, which takes a whole file and GPT-2's pattern."""
    import gigatoken

    found = gigatoken.train_bpe(Path(path).read_bytes(), size, [])
    Path(out + ".json").write_text(json.dumps(str(type(found))))


def _pattern(splitter: str) -> str:
    gpt2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    return gpt2 if splitter == "gpt2" else PATTERN


ENGINES: dict[str, Callable[..., None]] = {
    "anypiece": anypiece,
    "sentencepiece": sentencepiece,
    "tokenizers": tokenizers,
    "rustbpe": rustbpe,
    "bpeasy": bpeasy,
    "gigatoken": gigatoken,
}


def count_tokens(engine: str, out: str, text: Path) -> int | None:
    """Tokens of the lines of a text, in what an engine made; ``None`` where it left nothing to read."""
    import anypiece as ap

    suffix = {"anypiece": ".anypiece", "sentencepiece": ".model", "tokenizers": ".json"}.get(engine)
    if suffix is None:
        return None
    tok = ap.load(out + suffix)
    rows = text.read_text("utf-8").splitlines(keepends=tok.spec.symbols == "bytes")
    return int(tok.count_batch(rows).sum())


def main() -> None:
    """``python -m benchmarks.training.engines ENGINE KIND PATH SIZE OUT OPTIONS``: train, and write how long it took."""
    engine, kind, path, size, out, options = sys.argv[1:]
    importlib.import_module("anypiece.training" if engine == "anypiece" else engine)
    wall, cpu = time.monotonic(), time.process_time()
    ENGINES[engine](kind, path, int(size), out, **json.loads(options))
    cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    Path(out + ".times").write_text(json.dumps([cpu, wall]))


if __name__ == "__main__":
    main()
