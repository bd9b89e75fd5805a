"""The reference for ``.model`` files: the sentencepiece package itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import sentencepiece

from benchmarks import engines
from benchmarks.harness.definition import Sampling, TokenizerFiles
from benchmarks.harness.places import data_file


class Engine(engines.Engine):
    """``encode`` for lists, ``encode(return_type="numpy")`` for arrays and batches."""

    package = "sentencepiece"
    note = 'encode(return_type="numpy") where an array will do'

    def __init__(self, path: Path, threads: int) -> None:
        self.threads = threads
        self.processor: Any = sentencepiece.SentencePieceProcessor(model_file=str(path))

    def array(self) -> Callable[[str], Any]:
        return partial(self.processor.encode, return_type="numpy")

    def listed(self) -> Callable[[str], Any]:
        call: Callable[[str], Any] = self.processor.encode
        return call

    def batch(self) -> Callable[[list[str]], Any]:
        return partial(self.processor.encode, return_type="numpy", num_threads=self.threads)

    def count(self) -> Callable[[str], int]:
        encode = self.array()
        return lambda text: len(encode(text))

    def spans(self) -> Callable[[str], Any]:
        return partial(self.processor.encode, return_type="offset_mapping")

    def unpack_spans(self, result: Any) -> list[tuple[int, int, int]]:
        return [(id, start, end) for id, (start, end) in zip(result["ids"], result["offsets"], strict=True)]

    def decode(self) -> Callable[[Any], str]:
        call: Callable[[Any], str] = self.processor.decode
        return call

    def sample(self, sampling: Sampling) -> Callable[[str], Any]:
        # The number is the inverse temperature for unigram vocabularies and the share of dropped merges for bpe ones.
        return partial(self.processor.encode, enable_sampling=True, nbest_size=-1, alpha=sampling.alpha)

    def nbest(self, n: int) -> Callable[[str], Any]:
        return partial(self.processor.nbest_encode, nbest_size=n)

    def scores(self) -> Sequence[float]:
        size = self.processor.get_piece_size()
        return [float(score) for score in self.processor.get_score(list(range(size)))]

    @classmethod
    def file(cls, files: TokenizerFiles, form: str) -> Path:
        return data_file(files.model)
