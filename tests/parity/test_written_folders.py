"""Folders that are written, as AutoTokenizer of transformers reads them: they say what the folders they came from say."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from anypiece.formats.settings import differing
from tests.parity.folders import FOLDERS, facts_difference, first_difference, written
from tests.parity.ranks import valid
from tests.support import data
from tests.support.chat import CONFIGS
from tests.support.made_folders import FOLDERS as MADE
from tests.support.made_folders import TEXTS, make
from tests.support.texts import sampled_lines, special_texts
from tests.support.transformers_peer import Transformers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SETTINGS = {
    "model_max_length": 321,
    "padding_side": "left",
    "truncation_side": "left",
    "chat_template": [{"name": "default", "template": "{{ eos_token }}ä\n"}, {"name": "tool_use", "template": "t"}],
}
_FILES = {
    "sentencepiece": ["llama2.model", "maxtext_gemma.model", "mistral01.model"],
    "tiktoken": ["r50k_base.tiktoken", "llama3.tiktoken"],
    "wordpiece": ["bert_base_uncased_vocab.txt"],
}


@pytest.fixture(scope="module")
def peer() -> Iterator[Transformers]:
    running = Transformers()
    yield running
    running.close()


def _texts(tok: ap.Tokenizer, name: str) -> list[bytes]:
    lines = [line for corpus in data.corpus_names() for line in sampled_lines(corpus, 2)]
    names = [text for text, _, _ in tok.spec.added]
    return valid([b"", b" ", b" a", *lines, *special_texts(names, name, 60)])


def _said(peer: Transformers, folder: Path, texts: list[bytes]) -> dict[str, Any]:
    facts = peer.open(folder)
    del facts["class"]
    return {**facts, **peer.settings(), "answers": peer.answers(texts)}


def _compared(peer: Transformers, source: Path, tok: ap.Tokenizer, target: Path, texts: list[bytes]) -> None:
    tok.save(target, "folder")
    wanted, found = _said(peer, source, texts), _said(peer, target, texts)
    assert {name: found[name] for name in found if found[name] != wanted[name]} == {}
    assert differing(ap.load(target).spec, tok.spec) == []


@pytest.mark.parametrize("name", MADE)
def test_small_folders_of_every_class(name: str, peer: Transformers, tmp_path: Path) -> None:
    source = make(name, tmp_path)
    config = source / "tokenizer_config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | _SETTINGS))
    _compared(peer, source, ap.load(source), tmp_path / "new", [text.encode() for text in TEXTS])


@pytest.mark.parametrize(
    "name", [name for name in FOLDERS if FOLDERS[name].name != "vocab.txt"][::4]
)  # it is converted
def test_real_folders(name: str, peer: Transformers, tmp_path: Path) -> None:
    source = written(name, tmp_path)
    tok = ap.load(source)
    _compared(peer, source, tok, tmp_path / "new", _texts(tok, name))


@pytest.mark.parametrize("name", sorted({*CONFIGS} - {"lenml_chatglm3"}))  # which has code of its own
def test_chats_of_real_folders(name: str, peer: Transformers, tmp_path: Path) -> None:
    config = json.loads(data.hf_file(f"{name}.tokenizer_config"))
    (tmp_path / "tokenizer.json").write_bytes(data.hf_file(f"{name}.tokenizer"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    ap.load(tmp_path).save(tmp_path / "new", "folder")
    peer.open(tmp_path / "new")
    assert peer.settings()["chat_template"] == config["chat_template"]


@pytest.mark.parametrize(("kind", "file"), [(kind, file) for kind, files in _FILES.items() for file in files])
def test_files_of_other_formats(kind: str, file: str, peer: Transformers, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_bytes(data.unpacked(data.folder() / "models" / kind / file))
    tok = ap.load(path)
    try:
        ap.convert(tok, f"{tmp_path / 'new'}/")
    except ap.FormatError as error:
        assert error.code == "convert-differs"  # noqa: PT017 (as for a tokenizer.json)
        with pytest.raises(ap.FormatError):
            ap.convert(tok, tmp_path / "tokenizer.json")
        ap.convert(tok, f"{tmp_path / 'new'}/", allow_lossy=True)
    again = ap.load(tmp_path / "new")
    facts = peer.open(tmp_path / "new")
    roles = {role: getattr(tok, f"{role}_id") for role in ("bos", "eos", "pad", "unk")}
    names = {f"{role}_token": tok.id_to_piece(id) for role, id in roles.items() if id is not None}
    assert names.items() <= facts["names"].items()
    assert facts_difference(again, facts) is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ap.SpecialsWarning)
        assert first_difference(again, peer, _texts(again, file)) is None
