"""sentencepiece's own tests, of 0.2.1: the last release with the immutable protos and the entropy that our face has."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

from tests.compat.suite import Suite


def _prepare(folder: Path) -> dict[str, str]:
    upstream = folder / "sentencepiece"
    upstream.rename(folder / "test")
    (folder.parent / "data").mkdir(exist_ok=True)
    copy(folder / "test" / "botchan.txt", folder.parent / "data" / "botchan.txt")
    return {}


_CLASS = "test/sentencepiece_test.py::TestSentencepieceProcessor"

SUITE = Suite(
    name="sentencepiece",
    version="0.2.1",
    packages=("sentencepiece==0.2.1",),
    upstream="sentencepiece",
    tests=("test/sentencepiece_test.py",),
    aliases={"sentencepiece": "anypiece.compat.sentencepiece"},
    prepare=_prepare,
    sample=(
        f"{_CLASS}::test_roundtrip",
        f"{_CLASS}::test_immutable_proto",
        f"{_CLASS}::test_sample_and_score",
        f"{_CLASS}::test_normalizer",
        f"{_CLASS}::test_train_kwargs",
    ),
)
