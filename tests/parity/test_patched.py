"""A tokenizer of transformers with AnyPiece's engine says what it says without it, for every file of tokenizers."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.data import DATA, ROOT, corpus_bytes, corpus_names, folder, hf_file
from tests.support.peer import installed_beside
from tests.support.transformers_peer import NEEDED, VERSION

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = 300
_ODD = [
    "", "a", " ", "Hello, world!  ", "  two  spaces\n\nlines\t", "I'm <s>here</s> <unk> [MASK] <|endoftext|> [CLS]",
    "日本語のテキスト", "é\u0301 ñ ﬁ Ⅷ", "👩\u200d👧 emoji 🤗🤗", "x" * 300, "1234567890 12,345.67",
    "<|begin_of_text|><|eot_id|> <pad>", "\u200b\ufeff zero", " leading", "anypiece two words anypieces",
]  # fmt: skip


def _files() -> list[str]:
    found = sorted((DATA / "models" / "hf").glob("*.json.gz")) if DATA else []
    return [path.name.removesuffix(".json.gz") for path in found if "config" not in path.name]


def _texts() -> list[str]:
    """Odd texts, and parts of all corpora."""
    draws = random.Random(5)
    texts, names = list(_ODD), sorted(corpus_names())
    draws.shuffle(names)
    for name in names[:40]:
        raw = corpus_bytes(name)
        for _ in range(1 + (TEXTS - len(_ODD)) // 40):
            at = draws.randrange(max(1, len(raw) - 200))
            texts.append(raw[at : at + draws.choice([10, 40, 150])].decode("utf-8", "ignore"))
    return texts[:TEXTS]


@pytest.fixture(scope="module")
def texts_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "texts.json"
    path.write_text(json.dumps(_texts()), "utf-8")
    return path


@pytest.mark.parametrize("name", _files())
def test_the_patched_tokenizer_says_the_same(name: str, texts_file: Path, tmp_path: Path) -> None:
    place = tmp_path / "tokenizer.json"
    place.write_bytes(hf_file(name))
    config = folder() / "models" / "hf" / f"{name.removesuffix('.tokenizer')}.tokenizer_config.json.gz"
    if config.exists():
        (tmp_path / "tokenizer_config.json").write_bytes(gzip.decompress(config.read_bytes()))
        place = tmp_path
    peer = installed_beside(f"transformers-{VERSION}", f"transformers=={VERSION}", *NEEDED)
    path = os.pathsep.join(map(str, [peer, ROOT]))
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.patched_worker", str(place), str(texts_file)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == {"differences": [], "count": 0, "refused": None}
