"""Real files in another format and back: the same ids, and those of the file that llama.cpp's own converter made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anypiece as ap
from tests.parity.gguf import first_difference
from tests.support import data

if TYPE_CHECKING:
    from pathlib import Path


def test_llama2_as_gguf_and_back(tmp_path: Path) -> None:
    (tmp_path / "llama2.model").write_bytes(data.unpacked(data.folder() / "models" / "sentencepiece" / "llama2.model"))
    model = ap.load(tmp_path / "llama2.model").replace(add_eos=False)  # as llama.cpp puts marks around a text
    done = ap.convert(model, tmp_path / "llama2.gguf")
    assert done.options == {"dialect": "sentencepiece"}
    assert done.check
    assert first_difference(ap.load(tmp_path / "llama2.gguf"), "ggml-vocab-llama-spm.gguf", 7) is None
    back = ap.convert(tmp_path / "llama2.gguf", tmp_path / "back.model", dialect="sentencepiece", allow_lossy=True)
    assert back.lost == ("add_eos",)
    assert ap.check(ap.load(tmp_path / "back.model"), ap.load(tmp_path / "llama2.model")).proved


def test_the_files_of_llama_cpp_as_models(tmp_path: Path) -> None:
    path = data.folder() / "models" / "gguf" / "ggml-vocab-llama-spm.gguf"
    done = ap.convert(path, tmp_path / "a.model", dialect="sentencepiece", allow_lossy=True)
    assert done.lost == ("add_eos",)
    (tmp_path / "llama2.model").write_bytes(data.unpacked(data.folder() / "models" / "sentencepiece" / "llama2.model"))
    assert ap.check(ap.load(tmp_path / "a.model"), ap.load(tmp_path / "llama2.model"))
