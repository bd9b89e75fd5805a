"""Real files in another format and back: the same ids, by our reader and by the library of the target.

Where somebody else has converted the same vocabulary, the results are compared: merges with those of Hugging Face's files,
rank files byte for byte, GGUF files with what llama.cpp answered for its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

import anypiece as ap
from tests.parity.conversions import LIBRARIES, source, texts
from tests.parity.gguf import first_difference
from tests.support import data

if TYPE_CHECKING:
    from pathlib import Path


class Row(NamedTuple):
    """A conversion. ``lost`` is what it must name; only then it needs ``allow_lossy``."""

    kind: str
    name: str
    target: str
    lost: tuple[str, ...] = ()
    options: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    nearly: bool = False
    """Whether the target's library does something otherwise: then source and result may differ, never we and the library."""
    merges: str = ""
    """A published tokenizer.json of the same vocabulary, whose merges must be those that were made."""


_ORIGINAL = {"dialect": "tokenizers"}
_T5 = ("arithmetic", "match_kinds", "user_defined_score", "charsmap", "add_dummy_prefix")
ROWS = (
    Row("tiktoken", "cl100k_base.tiktoken", "a.json"),
    Row("tiktoken", "llama3.tiktoken", "a.json", merges="lenml_llama3_2.tokenizer.json"),
    Row("tekken", "tekken_240911.json", "a.json", merges="lenml_mistral_nemo.tokenizer.json"),
    Row("hf", "gpt2.json", "a.tiktoken"),
    Row("hf", "lenml_qwen3.tokenizer.json", "a.tiktoken", ("normalizer", "added"), nearly=True),
    Row("sentencepiece", "llama2.model", "a.json"),
    Row("sentencepiece", "hf_test_sentencepiece_bpe.model", "a.json"),
    Row("sentencepiece", "nai-t5.model", "a.json", _T5, nearly=True),
    Row("sentencepiece", "mistral_mistral_instruct_tokenizer_240323.model.v3", "a.json"),
    Row("hf", "lenml_llama2.tokenizer.json", "a.model", ("single", "pair")),
    Row("hf", "lenml_chatglm3.tokenizer.json", "a.model", ("single", "pair")),
    Row("gguf", "ggml-vocab-gpt-2.gguf", "a.json", options=_ORIGINAL),
    Row("gguf", "ggml-vocab-refact.gguf", "a.json", options=_ORIGINAL),
    Row("gguf", "ggml-vocab-bert-bge.gguf", "a.json", options=_ORIGINAL),
    Row("gguf", "ggml-vocab-gpt-2.gguf", "a.tiktoken", ("add_bos", "add_eos"), options=_ORIGINAL),
    Row("gguf", "ggml-vocab-llama-spm.gguf", "a.json", options={"dialect": "sentencepiece"}),
    Row("wordpiece", "bert_base_cased_vocab.txt", "a.json"),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}-{row.target}")
def test_as_the_library_of_the_target_reads_it(row: Row, tmp_path: Path) -> None:
    tok = ap.load(source(tmp_path, row.kind, row.name), **row.options)
    path = tmp_path / "made" / row.target
    path.parent.mkdir()
    if row.lost:
        with pytest.raises(ap.FormatError):
            ap.convert(tok, path, texts=("<unk>", *texts()))
        assert not path.exists()
    done = ap.convert(tok, path, texts=("<unk>", *texts()), allow_lossy=bool(row.lost))
    assert done.lost == row.lost
    result = ap.load(path, **done.options)
    encode = LIBRARIES[done.format](path, done.options)
    for specials in ("text",) if done.format == "sentencepiece" else ("text", "parse"):
        for text in (*texts(), *_special_texts(tok)):
            assert result.encode(text, specials=specials) == encode(text, specials), text
    if row.merges:
        assert np.array_equal(result.spec.merges, ap.load(source(tmp_path, "hf", row.merges)).spec.merges)
    if not row.nearly:
        assert tok.encode_batch(texts()).tolist() == result.encode_batch(texts()).tolist()
        assert [tok.decode(tok.encode(text)) for text in texts()] == [
            result.decode(tok.encode(text)) for text in texts()
        ]


def _special_texts(tok: ap.Tokenizer) -> list[str]:
    return [f"a {name}{name} b\n{name}" for name, _, _ in list(tok.spec.added)[:20]]


def test_ranks_of_a_tokenizer_json_are_those_that_were_published(tmp_path: Path) -> None:
    for name, ranks in (("gpt2.json", "r50k_base"), ("lenml_llama3_2.tokenizer.json", "llama3")):
        ap.convert(source(tmp_path, "hf", name), tmp_path / "a.tiktoken", texts=texts()[:50], allow_lossy=True)
        assert (tmp_path / "a.tiktoken").read_bytes() == data.rank_file(ranks)


def test_vocab_txt_both_ways(tmp_path: Path) -> None:
    path = source(tmp_path, "wordpiece", "bert_base_cased_vocab.txt")
    done = ap.convert(path, tmp_path / "a.json", texts=texts())
    ap.convert(tmp_path / "a.json", tmp_path / "vocab.txt", texts=texts(), **done.options)
    assert (tmp_path / "vocab.txt").read_bytes() == path.read_bytes()
    ap.convert(source(tmp_path, "hf", "bert_base_cased.json"), tmp_path / "vocab.txt", texts=texts())
    assert (tmp_path / "vocab.txt").read_bytes() == path.read_bytes()


def test_the_list_of_rwkv_both_ways(tmp_path: Path) -> None:
    path = source(tmp_path, "rwkv", "rwkv_vocab_v20230424.txt")
    done = ap.convert(path, tmp_path / "a.gguf", texts=texts())
    tok = ap.load(tmp_path / "a.gguf", **done.options)
    assert tok.spec == ap.load(path).spec
    assert ap.load(tmp_path / "a.gguf").encode_batch(texts()).tolist() == tok.encode_batch(texts()).tolist()
    ap.convert(tok, tmp_path / "b.txt", format="rwkv", texts=texts())
    assert (tmp_path / "b.txt").read_bytes() == path.read_bytes()


def test_ranks_as_tekken_and_back(tmp_path: Path) -> None:
    path = source(tmp_path, "tekken", "tekken_240911.json")
    done = ap.convert(path, tmp_path / "a.tiktoken", texts=texts())
    encode = LIBRARIES["tiktoken"](tmp_path / "a.tiktoken", done.options)
    assert [encode(text, "text") for text in texts()] == ap.load(path).encode_batch(texts()).tolist()
    ap.convert(tmp_path / "a.tiktoken", tmp_path / "tekken.json", texts=texts(), **done.options)
    assert ap.load(tmp_path / "tekken.json") == ap.load(path)
    encode = LIBRARIES["tekken"](tmp_path / "tekken.json", {})
    assert [encode(text, "text") for text in texts()] == ap.load(path).encode_batch(texts()).tolist()


@pytest.mark.parametrize(
    ("kind", "name", "golden"),
    [
        ("hf", "gpt2.json", "ggml-vocab-gpt-2.gguf"),
        ("tiktoken", "r50k_base.tiktoken", "ggml-vocab-gpt-2.gguf"),
        ("wordpiece", "bert_base_uncased_vocab.txt", "ggml-vocab-bert-bge.gguf"),
        ("sentencepiece", "nai-t5.model", "t5-from-nai-t5-model.gguf"),
    ],
)
def test_gguf_files_give_what_llama_cpp_gives(kind: str, name: str, golden: str, tmp_path: Path) -> None:
    """A file that we made, read by llama.cpp's rules, against its answers for the file that its own converter made."""
    done = ap.convert(source(tmp_path, kind, name), tmp_path / "a.gguf", texts=texts())
    assert done.lost == ()
    marks = {"gpt-2": {"add_bos": False, "add_eos": False}, "nai-t5": {"add_bos": False}}
    changes = next((value for key, value in marks.items() if key in golden), {})
    assert first_difference(ap.load(tmp_path / "a.gguf").replace(**changes), golden, 11) is None


def test_gguf_as_tokenizer_json_and_back(tmp_path: Path) -> None:
    path = source(tmp_path, "gguf", "ggml-vocab-llama-bpe.gguf")
    done = ap.convert(path, tmp_path / "a.json", texts=texts(), dialect="tokenizers")
    again = ap.convert(tmp_path / "a.json", tmp_path / "a.gguf", texts=texts(), **done.options)
    assert (done.lost, again.lost) == ((), ())
    assert first_difference(ap.load(tmp_path / "a.gguf"), path.name, 11) is None
    with pytest.raises(ap.FormatError, match='dialect="tokenizers"') as error:
        ap.convert(path, tmp_path / "b.json")
    assert error.value.code == "convert-lossy"


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


@pytest.mark.parametrize("name", ["nai-t5.model", "blingfire_laser_100k.model", "chatglm6b_ice_text.model"])
def test_unigram_as_gguf_and_back(name: str, tmp_path: Path) -> None:
    path = source(tmp_path, "sentencepiece", name)
    done = ap.convert(path, tmp_path / "a.gguf")
    assert done.check.proved
    assert ap.convert(tmp_path / "a.gguf", tmp_path / "b.model", **done.options).check.proved
    assert ap.load(tmp_path / "b.model") == ap.load(path)


def test_what_libraries_do_otherwise_is_found(tmp_path: Path) -> None:
    """In tokenizers the unknown piece of a unigram vocabulary is found by its name, and symbols part the text before."""
    texts = ("<unk>", "[REFERENCE_DOC_1]")
    for name, found in (
        ("nai-t5.model", "<unk>"),
        ("mistral_mistral_instruct_tokenizer_240323.model.v3", "[REFERENCE_DOC_1]"),
    ):
        with pytest.raises(ap.FormatError) as error:
            ap.convert(source(tmp_path, "sentencepiece", name), tmp_path / "a.json", texts=texts)
        assert error.value.code == "convert-differs"
        assert error.value.facts["text"] == found
        assert not (tmp_path / "a.json").exists()
