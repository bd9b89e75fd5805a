"""This project."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow

import anypiece
from benchmarks import engines
from benchmarks.harness.definition import Sampling, TokenizerFiles
from benchmarks.harness.places import CACHE, data_file


class Engine(engines.Engine):
    """``encode_array``, ``encode``, ``encode_batch`` as they are."""

    package = "anypiece"
    note = "encode_array, encode_batch, sample_array, nbest"
    wants_arrays = True

    def __init__(self, path: Path, threads: int) -> None:
        self.path = path
        self.threads = threads
        self.tokenizer = anypiece.load(str(path))

    def array(self) -> Callable[[str], Any]:
        if self.threads == 1:
            return self.tokenizer.encode_array
        return partial(self.tokenizer.encode_array, threads=self.threads)

    def listed(self) -> Callable[[str], Any]:
        return self.tokenizer.encode

    def face(self) -> Callable[[str], Any]:
        return self._face

    @cached_property
    def _face(self) -> Callable[[str], Any]:
        """By ``anypiece.compat``: sentencepiece's processor of a ``.model``, tiktoken's encoding of a rank file. One object
        for all passes, as warm ones are about what it has cached."""
        if self.path.suffix == ".tiktoken":
            from anypiece.compat import tiktoken

            os.environ["ANYPIECE_RANKS"] = str(self.path.parent)
            return tiktoken.get_encoding(self.path.stem).encode_ordinary
        from anypiece.compat import sentencepiece

        call: Callable[[str], Any] = sentencepiece.SentencePieceProcessor(model_file=str(self.path)).encode
        return call

    def padded(self) -> Callable[[list[str]], Any]:
        return self._padded

    @cached_property
    def _padded(self) -> Callable[[list[str]], Any]:
        """By ``anypiece.compat.transformers``, under the same tokenizer as the reference has; one for all passes."""
        from anypiece.compat.transformers import adopt
        from benchmarks.engines.transformers import opened

        tokenizer = adopt(opened(self.path))
        tokenizer.encode("")  # the kernel is made of it when it is first needed, which is loading
        return partial(tokenizer, padding=True, return_tensors="np")

    def batch(self) -> Callable[[list[str]], Any]:
        return partial(self.tokenizer.encode_batch, threads=self.threads)

    def unpack_batch(self, result: Any) -> Sequence[engines.Ids]:
        bounds = result.offsets.tolist()
        return [result.ids[start:stop] for start, stop in pairwise(bounds)]

    def column_of(self, texts: Sequence[str]) -> Any:
        return pyarrow.array(texts)

    def column(self) -> Callable[[Any], Any]:
        return partial(self.tokenizer.encode_batch, threads=self.threads, out="arrow")

    def unpack_column(self, result: Any) -> Sequence[engines.Ids]:
        found = pyarrow.array(result)
        ids, bounds = found.values.to_numpy(), found.offsets.to_pylist()
        return [ids[start:stop] for start, stop in pairwise(bounds)]

    def count(self) -> Callable[[str], int]:
        return self.tokenizer.count

    def spans(self) -> Callable[[str], Any]:
        return self.tokenizer.encode_spans

    def unpack_spans(self, result: Any) -> list[tuple[int, int, int]]:
        return [(token.id, token.start, token.end) for token in result]

    def spans_batch(self) -> Callable[[list[str]], Any]:
        return partial(self.tokenizer.encode_spans_batch, threads=self.threads)

    def unpack_spans_batch(self, result: Any) -> Sequence[list[tuple[int, int, int]]]:
        found: list[list[tuple[int, int, int]]] = result.tolist()
        return found

    def decode(self) -> Callable[[Any], str]:
        return self.tokenizer.decode

    def sample(self, sampling: Sampling) -> Callable[[str], Any]:
        draw, alpha, seed = self.tokenizer.sample_array, sampling.alpha, sampling.seed
        method: Any = sampling.method
        # As a caller writes it: arguments of ``partial`` go through a dictionary.
        return lambda text: draw(text, alpha, seed=seed, method=method)

    def verifies(self, text: str, ids: engines.Ids, sampling: Sampling) -> bool:
        """By what keeps nothing: the lattice of the whole text; merges one by one, as ``sample_spans`` does."""
        method: Any = sampling.method
        if method == "dropout":
            tokens = self.tokenizer.sample_spans(text, sampling.alpha, seed=sampling.seed, method=method)
            return list(ids) == [token.id for token in tokens]
        drawn = self.tokenizer.lattice(text).sample(sampling.alpha, seed=sampling.seed, method=method)
        return list(ids) == drawn.ids

    def nbest(self, n: int) -> Callable[[str], Any]:
        return partial(self.tokenizer.nbest, n=n)

    def unpack_nbest(self, result: Any) -> Sequence[engines.Ids]:
        return list(result.batch)

    def scores(self) -> Sequence[float]:
        return [self.tokenizer.score(id) for id in range(self.tokenizer.vocab_size)]

    @classmethod
    def version(cls) -> str:
        return str(anypiece.__version__)

    @classmethod
    def file(cls, files: TokenizerFiles, form: str) -> Path:
        model = data_file(files.model)
        return own_file(model) if form == "anypiece" else model


def own_file(model: Path) -> Path:
    """Save a file in this project's own format; always anew, since the format may have changed since the last run."""
    path = CACHE / "files" / f"{model.stem}.anypiece"
    path.parent.mkdir(parents=True, exist_ok=True)
    anypiece.load(str(model)).save(str(path))
    return path
