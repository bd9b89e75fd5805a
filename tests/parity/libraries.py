"""Files against the library that their makers give out, in this process: tekken.json against mistral-common, vocab.txt
against tokenizers, RWKV's list against the package rwkv and BytePiece's file against bytepiece, which are installed on
first use into ``.cache/peers``.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tests.parity.answers import same_tokens
from tests.support import data
from tests.support.peer import installed_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import anypiece as ap

__all__ = ["FILES", "Library", "bytepiece_library", "first_difference", "library_of", "unpacked"]

RWKV = "0.8.32"
BYTEPIECE = "0.6.3"


@dataclass(frozen=True)
class Library:
    """What a library does with strings: its ids, the text of ids, and, where it has them, the places of tokens."""

    version: str
    encode: Callable[[str], list[int]]
    decode: Callable[[list[int]], str]
    spans: Callable[[str], list[tuple[int, int]]] | None = None
    parsed: Callable[[str], list[int]] | None = None
    """The ids with special tokens in the text as themselves."""
    options: tuple[tuple[str, Any], ...] = ()
    """What our reader must be told of the file."""
    errors: Literal["replace", "ignore"] = "replace"
    """What ``decode`` does with bytes that are no text."""
    is_slow: bool = False
    """Whether it is written in Python, for which fewer texts are compared."""
    sample: Callable[[str, float], list[int]] | None = None
    """Ids drawn at an inverse temperature, from a seed that is always the same."""


def _mistral(path: Path) -> Library:
    from importlib.metadata import version

    from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    tokenizer = Tekkenizer.from_file(path)
    return Library(
        f"mistral-common {version('mistral-common')} tiktoken {version('tiktoken')}",
        lambda text: tokenizer.encode(text, bos=False, eos=False),
        lambda ids: tokenizer.decode(ids, SpecialTokenPolicy.KEEP),
    )


def _rwkv(path: Path) -> Library:
    source = installed_beside(f"rwkv-{RWKV}", f"rwkv=={RWKV}") / "rwkv" / "rwkv_tokenizer.py"
    spec = importlib.util.spec_from_file_location("rwkv_tokenizer", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tokenizer = module.TRIE_TOKENIZER(str(path))
    return Library(
        f"rwkv {RWKV}",
        tokenizer.encode,
        lambda ids: tokenizer.decodeBytes(ids).decode("utf-8", "replace"),
        is_slow=True,
    )


def bytepiece_library(path: Path) -> Library:
    """It wants ahocorasick built for bytes, and its own build wants Cython, which are looked for in no other place."""
    tools = installed_beside("cython-3.1", "cython==3.1.4", "setuptools==80.9.0", "wheel==0.45.1")
    place = installed_beside(
        f"bytepiece-{BYTEPIECE}",
        *(f"bytepiece=={BYTEPIECE}", "pyahocorasick==2.2.0", "tqdm==4.67.1"),
        options=("--no-build-isolation", "--no-binary=pyahocorasick,bytepiece"),
        PYTHONPATH=str(tools),
        AHOCORASICK_BYTES="1",
    )
    sys.path.insert(0, str(place))
    try:
        bytepiece = importlib.import_module("bytepiece")
    finally:
        sys.path.remove(str(place))
    tokenizer = bytepiece.Tokenizer(json.loads(path.read_bytes()), seed=1)
    return Library(
        f"bytepiece {BYTEPIECE}",
        tokenizer.encode,
        tokenizer.decode,
        errors="ignore",
        is_slow=True,
        sample=lambda text, alpha: tokenizer.encode(text, alpha=alpha),
    )


def _bert(path: Path, *, lowercase: bool, named: bool = False) -> Library:
    """Of tokenizers, put together as its ``BertWordPieceTokenizer`` is, which wants special tokens that not all files have.

    ``named``: our reader has to be told of the case.
    """
    import tokenizers
    from tokenizers import decoders, models, normalizers, pre_tokenizers

    tokenizer = tokenizers.Tokenizer(models.WordPiece.from_file(str(path), unk_token="[UNK]"))
    known = [name for name in ("[UNK]", "[SEP]", "[CLS]", "[PAD]", "[MASK]") if tokenizer.token_to_id(name) is not None]
    tokenizer.add_special_tokens(known)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##", cleanup=True)

    @lru_cache(2)
    def encode(text: str, specials: bool = False) -> tokenizers.Encoding:
        tokenizer.encode_special_tokens = not specials
        return tokenizer.encode(text, add_special_tokens=False)

    return Library(
        f"tokenizers {tokenizers.__version__}",
        lambda text: encode(text).ids,
        lambda ids: tokenizer.decode(ids, skip_special_tokens=False),
        spans=lambda text: encode(text).offsets,
        parsed=lambda text: encode(text, specials=True).ids,
        options=(("lowercase", lowercase),) if named else (),
    )


FILES: dict[str, Callable[[Path], Library]] = {
    "bytepiece/bytepiece.plus.40k.model": bytepiece_library,
    "bytepiece/bytepiece_160k.model": bytepiece_library,
    "tekken/tekken_240911.json": _mistral,
    "rwkv/rwkv_vocab_v20230424.txt": _rwkv,
    "wordpiece/bert_base_cased_vocab.txt": partial(_bert, lowercase=False),
    "wordpiece/bert_base_uncased_vocab.txt": partial(_bert, lowercase=True),
    "wordpiece/bert_chinese_vocab.txt": partial(_bert, lowercase=False, named=True),
    "wordpiece/bert_multi_cased_vocab.txt": partial(_bert, lowercase=False),
    "wordpiece/tftext_test_wp_en_vocab.txt": partial(_bert, lowercase=True, named=True),
}
"""Each file by its place under ``models``, and the library that is asked about it."""


def unpacked(name: str, folder: Path) -> Path:
    """The file as it is given out, in a folder."""
    path = folder / Path(name).name
    path.write_bytes(data.model_file(name))
    return path


def library_of(name: str) -> Library:
    """The library with the file opened."""
    with tempfile.TemporaryDirectory() as folder:
        return FILES[name](unpacked(name, Path(folder)))


def _same(tok: ap.Tokenizer, strings: list[str], rows: list[list[int]], library: Library) -> bool:
    """Whether batches have the library's answers."""
    places = library.spans and [library.spans(text) for text in strings]
    same = same_tokens(tok, strings, rows, "text", places)
    same = same and tok.decode_batch(rows, errors=library.errors) == [library.decode(row) for row in rows]
    if library.parsed is not None:
        parsed = [library.parsed(text) for text in strings]
        same = same and tok.encode_batch(strings, specials="parse", threads=1).tolist() == parsed
    return same


def first_difference(tok: ap.Tokenizer, texts: Sequence[bytes], library: Library, batched: bool = False) -> str | None:
    """What differs first: an id, the decoded text, a count, the place of a token, or the batch. ``batched``: our single
    calls are made only where our batches have other answers than the library.
    """
    strings = [text.decode() for text in texts]
    rows = [library.encode(text) for text in strings]
    if batched and _same(tok, strings, rows, library):
        return None
    for text, expected in zip(strings, rows, strict=True):
        tokens = tok.encode_spans(text)
        found: dict[str, tuple[object, object]] = {
            "ids": (tok.encode(text), expected),
            "ids of spans": ([token.id for token in tokens], expected),
            "text": (tok.decode(expected, errors=library.errors), library.decode(expected)),
            "count": (tok.count(text), len(expected)),
        }
        if library.parsed is not None:
            found["ids with specials parsed"] = (tok.encode(text, specials="parse"), library.parsed(text))
        if library.spans is not None:
            found["spans"] = ([(token.start, token.end) for token in tokens], library.spans(text))
        for what, (ours, theirs) in found.items():
            if ours != theirs:
                return f"{what} of {text[:300]!r}: {ours!r:.300} instead of {theirs!r:.300}"
    return None if same_tokens(tok, strings, rows, "text") else "ids, counts or places of the batch"
