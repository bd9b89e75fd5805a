"""The suite of tokenizers 0.23.3. Files that it would download are taken from the shared data where those have them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

from tests.compat.suite import Suite
from tests.support.data import corpus_bytes, folder, hf_file

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SUITE"]

_CONFTEST = '''
"""The suite asks for a folder that is called python, and imports datasets for a test that needs the network."""

import os
import sys
import types

sys.modules.setdefault("datasets", types.ModuleType("datasets"))
os.makedirs("python", exist_ok=True)
if not os.path.exists("python/tests"):
    os.symlink("../tests", "python/tests")
os.makedirs("python/data", exist_ok=True)
os.makedirs("tests/data", exist_ok=True)
os.chdir("python")


def pytest_configure(config):
    config.addinivalue_line("markers", "network: needs files")
    config.addinivalue_line("markers", "timeout: seconds")
'''

_MODELS = {
    "gpt2": "gpt2",
    "bert-base-cased": "bert_base_cased",
    "t5-base": "t5_small.tokenizer",
    "hf-internal-testing/Llama-3.1-8B-Instruct": "lenml_llama3_2.tokenizer",
    "hf-internal-testing/llama-new-metaspace": "lenml_llama2.tokenizer",
    "hf-internal-testing/gpt-oss-20b": "lenml_qwen3.tokenizer",
}
"""The name of each model that is opened, and the same file or one like it."""


def _put(cache: Path, kind: str, name: str, files: dict[str, bytes]) -> None:
    """Files as the cache of Hugging Face has them."""
    place = cache / f"{kind}--{name.replace('/', '--')}"
    (place / "refs").mkdir(parents=True, exist_ok=True)
    (place / "refs" / "main").write_text("0" * 40)
    (place / "snapshots" / ("0" * 40)).mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        (place / "snapshots" / ("0" * 40) / path).write_bytes(content)


def _prepare(place: Path) -> dict[str, str]:
    (place / "conftest.py").write_text(_CONFTEST, "utf-8")
    cache = place / "hub"
    for name, file in _MODELS.items():
        _put(cache, "models", name, {"tokenizer.json": hf_file(file)})
    model: dict[str, Any] = json.loads(hf_file("gpt2"))["model"]
    merges = [row if isinstance(row, str) else " ".join(row) for row in model["merges"]]
    text = corpus_bytes("en_novels")
    _put(
        cache,
        "datasets",
        "hf-internal-testing/tokenizers-test-data",
        {
            "bert-base-uncased-vocab.txt": gzip.decompress(
                (folder() / "models" / "wordpiece" / "bert_base_uncased_vocab.txt.gz").read_bytes()
            ),
            "roberta-base-vocab.json": json.dumps(model["vocab"]).encode(),
            "roberta-base-merges.txt": "\n".join(["#version: 0.2", *merges, ""]).encode(),
            "small.txt": text[:100_000].decode("utf-8", "ignore").encode(),
            "big.txt": text[:1_000_000].decode("utf-8", "ignore").encode(),
        },
    )
    return {"HF_HUB_CACHE": str(cache), "HF_HOME": str(place / "home"), "HF_HUB_DISABLE_TELEMETRY": "1"}


_PYTHON = "a component written in Python"
_FORK = "expects a deadlock after fork"

_FORKING = (
    "bindings/test_tokenizer.py::TestTokenizer",
    "implementations/test_bert_wordpiece.py::TestBertWordPieceTokenizer",
    "implementations/test_byte_level_bpe.py::TestByteLevelBPE",
    "implementations/test_char_bpe.py::TestCharBPETokenizer",
)

SUITE = Suite(
    name="tokenizers",
    version="0.23.3",
    packages=("tokenizers==0.23.3", "pytest-asyncio==1.5.0", "tqdm==4.70.1"),
    upstream="tokenizers/tests",
    tests=("tests",),
    aliases={"tokenizers": "anypiece.compat.tokenizers"},
    prepare=_prepare,
    not_counted={
        "tests/bindings/test_pre_tokenizers.py::TestCustomPreTokenizer": _PYTHON,
        "tests/bindings/test_normalizers.py::TestCustomNormalizer": _PYTHON,
        "tests/bindings/test_trainers.py::TestUnigram::test_train_parallelism_with_custom_pretokenizer": _PYTHON,
        **{f"tests/{place}::test_multiprocessing_with_parallelism": _FORK for place in _FORKING},
    },
    differs={
        "tests/bindings/test_trainers.py::TestUnigram::test_train_with_special_tokens": (
            "unigram pieces are trained by SentencePiece's rules"
        ),
    },
    sample=("tests/bindings/test_encoding.py", "tests/bindings/test_processors.py", "tests/test_serialization.py"),
)
