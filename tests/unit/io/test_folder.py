"""Folders of models that are written: which targets are folders, the files in them, and what becomes of those there."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import anypiece as ap
from anypiece.formats.settings import differing
from anypiece.io import folder as folders
from anypiece.metadata import Metadata, metadata_of
from tests.support.hf import document, written
from tests.support.made_folders import FOLDERS, make
from tests.support.shell import Result, Shell
from tests.support.small_vocabularies import BPE, RANKS, UNIGRAM

_BYTES = [(f"<0x{byte:02X}>", 0.0, ap.Kind.BYTE) for byte in range(256)]
BPE_OF_BYTES = BPE.replace(pieces=ap.Pieces.of([*BPE.pieces, *_BYTES]), byte_fallback=True)

_FILES = ["special_tokens_map.json", "tokenizer.json", "tokenizer_config.json"]


def _files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _read(folder: Path, name: str = "tokenizer_config.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / name).read_text("utf-8"))
    return found


def _source(place: Path, **fields: Any) -> ap.Tokenizer:
    """A tokenizer of a folder with these fields in its config."""
    place.mkdir()
    written(place, document())
    said = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "c", **fields}
    (place / "tokenizer_config.json").write_text(json.dumps(said))
    return ap.load(place)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_loaded_folder_is_written_as_an_equal_one(name: str, tmp_path: Path) -> None:
    tok = ap.load(make(name, tmp_path))
    target = tmp_path / "written"
    tok.save(target, "folder")
    again = ap.load(target)
    assert differing(tok.spec, again.spec) == []
    assert metadata_of(tok._origin).token_names == metadata_of(again._origin).token_names
    assert _read(target, "special_tokens_map.json").items() <= _read(target).items()
    known = {key: value for key, value in FOLDERS[name].config.items() if key in metadata_of(tok._origin).config}
    assert {key: value for key, value in _read(target).items() if key in known} | {"tokenizer_class": ""} == known | {
        "tokenizer_class": ""
    }
    again.save(f"{tmp_path / 'twice'}/")
    assert {name: (target / name).read_bytes() for name in _FILES} == {
        name: (tmp_path / "twice" / name).read_bytes() for name in _FILES
    } or FOLDERS[name].config.get("tokenizer_class") not in ("", "PreTrainedTokenizerFast")
    assert ap.load(tmp_path / "twice") == ap.load(target)


def test_what_is_a_folder(tmp_path: Path) -> None:
    tok = _source(tmp_path / "source")
    (tmp_path / "there.json").mkdir()
    tok.save(tmp_path / "there.json")
    tok.save(f"{tmp_path / 'slash.model'}{os.sep}")
    tok.save(tmp_path / "named", "folder")
    tok.save(f"{tmp_path / 'vocabulary'}/", "huggingface")
    for name in ("there.json", "slash.model", "named", "vocabulary"):
        assert _files(tmp_path / name) == _FILES
        assert ap.load(tmp_path / name) == tok
    with pytest.raises(ap.FileError) as caught:
        tok.save(tmp_path / "named", "sentencepiece")
    assert caught.value.code == "file-unwritable"
    with pytest.raises(ap.FormatError, match=r"folder \(a name that ends in /\)"):
        tok.save(tmp_path / "no-suffix")
    with pytest.raises(ap.FileError, match="Make the folder"):
        tok.save(f"{tmp_path / 'no' / 'such'}/")
    (tmp_path / "file").write_text("x")
    with pytest.raises(ap.FileError):
        tok.save(tmp_path / "file", "folder")
    assert (tmp_path / "file").read_text() == "x"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_settings_and_tokens_come_through(tmp_path: Path) -> None:
    settings = {"model_max_length": 77, "padding_side": "left", "truncation_side": "left", "model_input_names": ["a"]}
    tokens = {"image_token": "<image>", "additional_special_tokens": ["<one>", {"content": "<two>", "lstrip": True}]}
    tok = _source(tmp_path / "source", **settings, **tokens, pad_token={"content": "<pad>", "rstrip": True})
    tok.save(tmp_path / "new", "folder")
    config = _read(tmp_path / "new")
    assert {name: config[name] for name in settings} == settings
    assert (config["pad_token"], config["image_token"]) == ("<pad>", "<image>")
    assert config["additional_special_tokens"] == ["<one>", "<two>"]
    assert ap.load(tmp_path / "new") == tok
    tok.replace(pad_id=tok.piece_to_id("<one>")).save(tmp_path / "new")
    again = ap.load(tmp_path / "new")
    assert (again.pad_id, again.bos_id, again.eos_id) == (tok.piece_to_id("<one>"), tok.bos_id, tok.eos_id)


def test_roles_that_a_folder_gives_otherwise(tmp_path: Path) -> None:
    """A token with a part is special there, and so no piece of ordinary text; one that has a name has the part."""
    tok = _source(tmp_path / "source")
    for field, piece, codes in (
        ("eos_id", tok.piece_to_id("ab"), ["format-unwritable", "convert-differs"]),
        ("bos_id", None, ["format-unwritable"]),
    ):
        changed = tok.replace(**{field: piece})
        found = []
        for write in (changed.save, lambda *target, tok=changed: ap.convert(tok, target[0], format=target[1])):
            try:
                write(tmp_path / "other", "folder")
            except ap.FormatError as error:
                found.append(error.code)
        assert found[: len(codes)] == codes


def test_a_name_that_a_class_has_by_itself_can_be_taken_from_it(tmp_path: Path) -> None:
    source = make("qwen2", tmp_path)
    config = _read(source) | {"unk_token": None, "pad_token": "<|endoftext|>"}
    (source / "tokenizer_config.json").write_text(json.dumps(config))
    tok = ap.load(source)
    tok.save(tmp_path / "new", "folder")
    names = metadata_of(ap.load(tmp_path / "new")._origin).token_names
    assert names == metadata_of(tok._origin).token_names
    assert "unk_token" not in names
    assert _read(tmp_path / "new")["unk_token"] is None
    assert _read(tmp_path / "new")["tokenizer_class"] == "Qwen2Tokenizer"


def test_chat_templates(tmp_path: Path) -> None:
    rows = {"default": "{{ bos_token }}ä", "tool_use": "tools", "rag": ""}
    tok = _source(tmp_path / "source", chat_template=[{"name": key, "template": rows[key]} for key in rows])
    tok.save(tmp_path / "new", "folder")
    more = ["additional_chat_templates/rag.jinja", "additional_chat_templates/tool_use.jinja", "chat_template.jinja"]
    assert _files(tmp_path / "new") == [*more, *_FILES]
    assert "chat_template" not in _read(tmp_path / "new")
    again = ap.load(tmp_path / "new")
    assert metadata_of(again._origin).chat_template == rows
    assert again.render_chat([]) == "<s>ä"
    ap.load(written_without(tmp_path / "plain")).save(tmp_path / "new")
    assert _files(tmp_path / "new") == _FILES
    assert not (tmp_path / "new" / "additional_chat_templates").exists()


def written_without(place: Path) -> Path:
    """A folder without templates."""
    _source(place)
    return place


@pytest.mark.parametrize("rows", [{"default": "a", "../../up": "b"}, {"default": "a\r\nb"}, {"a/b": "x"}, {".x": "y"}])
def test_templates_that_no_file_can_have_stand_in_the_config(tmp_path: Path, rows: dict[str, str]) -> None:
    tok = _source(tmp_path / "source", chat_template=[{"name": key, "template": rows[key]} for key in rows])
    tok.save(tmp_path / "new", "folder")
    assert _files(tmp_path / "new") == _FILES
    assert metadata_of(ap.load(tmp_path / "new")._origin).chat_template == rows


def test_a_folder_that_is_there_keeps_its_other_files(tmp_path: Path) -> None:
    tok = _source(tmp_path / "source", chat_template="now")
    target = tmp_path / "model"
    (target / "additional_chat_templates").mkdir(parents=True)
    kept = {"model.safetensors": "weights", "config.json": '{"model_type": "gpt2"}', "vocab.json": "{}"}
    kept |= {"additional_chat_templates/notes.md": "notes"}
    stale = ["added_tokens.json", "chat_template.json", "additional_chat_templates/old.jinja"]
    for name, text in {**kept, **dict.fromkeys([*stale, *_FILES], "{}")}.items():
        (target / name).write_text(text)
    (target / "tokenizer.json").chmod(0o640)
    tok.save(target)
    assert _files(target) == sorted([*kept, *_FILES, "chat_template.jinja"])
    assert {name: (target / name).read_text() for name in kept} == kept
    assert (target / "tokenizer.json").stat().st_mode & 0o777 == 0o640
    assert ap.load(target) == tok
    assert metadata_of(ap.load(target)._origin).chat_template == {"default": "now"}


def test_a_link_is_replaced_and_not_what_it_leads_to(tmp_path: Path) -> None:
    tok = _source(tmp_path / "source")
    (tmp_path / "blob").write_text("shared")
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "tokenizer.json").symlink_to(tmp_path / "blob")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    tok.save(tmp_path / "link")
    assert (tmp_path / "blob").read_text() == "shared"
    assert (tmp_path / "link").is_symlink()
    assert ap.load(tmp_path / "real") == tok


def test_another_tokenizer_in_the_folder_is_in_the_way(tmp_path: Path) -> None:
    tok = _source(tmp_path / "source")
    target = tmp_path / "model"
    target.mkdir()
    ap.load().save(target / "mine.model")
    with pytest.raises(ap.FormatError, match=r"holds mine\.model") as caught:
        tok.save(target)
    assert (caught.value.code, _files(target)) == ("format-unwritable", ["mine.model"])
    (target / "mine.model").rename(target / "tokenizer.model")
    tok.save(target)
    assert ap.load(target) == tok


def test_the_config_of_the_model_there_counts(tmp_path: Path) -> None:
    """Qwen's class is taken whatever tokenizer_config.json says, and it makes another tokenizer of these pieces."""
    tok = _source(tmp_path / "source")
    target = tmp_path / "model"
    target.mkdir()
    (target / "config.json").write_text('{"model_type": "qwen2"}')
    with pytest.raises(ap.FormatError, match=r"config\.json there influences the class") as caught:
        tok.save(target)
    assert (caught.value.code, _files(target)) == ("format-unwritable", ["config.json"])


def test_what_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tok = _source(tmp_path / "source")
    old = tmp_path / "old"
    tok.save(old, "folder")
    before = {name: (old / name).read_bytes() for name in _FILES}

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders.os, "fsync", full)
    for target in (tmp_path / "new", old):
        with pytest.raises(ap.FileError, match="No space left"):
            ap.extend(tok, ["<more>"]).save(target, "folder")
    assert not (tmp_path / "new").exists()
    assert {path.name: path.read_bytes() for path in old.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old", "source"]


@pytest.mark.parametrize("spec", [BPE_OF_BYTES, RANKS, UNIGRAM])
def test_vocabularies_of_other_formats(spec: ap.Spec, tmp_path: Path) -> None:
    """They are rewritten as for a tokenizer.json, refused for the same reasons, and named by the config."""
    tok, texts = ap.Tokenizer(spec), ["two words", "a ab <s>"]
    with pytest.raises(ap.FormatError, match=r"try anypiece\.convert"):
        tok.save(tmp_path / "new", "folder")
    done = ap.convert(tok, f"{tmp_path / 'new'}/", texts=texts)
    assert (done.format, done.lost, done.options) == ("folder", (), {})
    again, config = ap.load(tmp_path / "new"), _read(tmp_path / "new")
    assert [again.encode(text) for text in texts] == [tok.encode(text) for text in texts]
    assert (again.bos_id, again.eos_id, again.pad_id) == (tok.bos_id, tok.eos_id, tok.pad_id)
    assert config.get("unk_token") == (spec.pieces.piece(spec.unk_id) if spec.unk_id >= 0 else None)
    assert config["tokenizer_class"] == "PreTrainedTokenizerFast"


def test_what_a_folder_has_no_place_for(tmp_path: Path) -> None:
    for odd, code in (
        (UNIGRAM.replace(whitespace_as_suffix=True), "convert-lossy"),
        (UNIGRAM.replace(segmenter="char"), "format-unwritable"),
    ):
        with pytest.raises(ap.FormatError) as caught:
            ap.convert(ap.Tokenizer(odd), tmp_path / "other", format="folder")
        assert caught.value.code == code
        assert not (tmp_path / "other").exists()


def test_words_of_bert_get_its_class(tmp_path: Path) -> None:
    lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b", "A"]
    (tmp_path / "vocab.txt").write_text("\n".join([*lines, ""]))
    tok = ap.load(tmp_path / "vocab.txt", lowercase=False)
    ap.convert(tok, tmp_path / "new", format="folder")
    config = _read(tmp_path / "new")
    assert (config["tokenizer_class"], config["do_lower_case"]) == ("BertTokenizer", False)
    again = ap.load(tmp_path / "new")
    assert again.encode("A ab", add_special=True) == tok.encode("A ab", add_special=True)
    assert metadata_of(again._origin).token_names["mask_token"] == "[MASK]"


def test_the_templates_of_another_format_come_along(tmp_path: Path) -> None:
    tok = _source(tmp_path / "source")
    origin = replace(tok._origin, metadata=Metadata(chat_template={"default": "x"}, token_names={"eos_token": "c"}))
    object.__setattr__(tok, "_origin", origin)
    assert ap.convert(tok, tmp_path / "a.anypiece").lost == ()
    assert ap.convert(tmp_path / "a.anypiece", tmp_path / "new", format="folder").lost == ()
    assert (tmp_path / "new" / "chat_template.jinja").read_text() == "x"


def test_the_command_line(shell: Shell) -> None:
    _source(Path("source"), chat_template="x")
    assert shell("convert", "source", "new/") == Result(0, "new/: folder, equal content\n", "")
    assert shell("extend", "-t", "new", "--token", "<think>", "new").code == 0
    again = ap.load("new")
    assert again.encode_pieces("a<think>b") == ["a", "<think>", "b"]
    assert again.render_chat([]) == "x"
    Path("text").write_text("two words and two more words\n" * 20)
    done = shell("train", "--kind", "byte-bpe", "--vocab-size", "262", "-o", "trained/", "text")
    assert done.code == 0, done
    assert _files(Path("trained")) == _FILES
