"""tekken.json: ids behind the special tokens, the pattern, what is refused, the same file again."""

from __future__ import annotations

import json
from typing import Any

import pytest

import anypiece as ap
from anypiece import Kind
from anypiece.formats import sniff, tekken
from tests.support.tekken import PATTERN, PIECES, SPECIALS, content, entry, file_of


@pytest.mark.parametrize("form", [{}, {"indent": 4}, {"indent": 2, "ensure_ascii": False}])
def test_there_and_back(form: dict[str, Any]) -> None:
    data = file_of(**form) + b"\n" * ("indent" in form)
    assert sniff(data, "a file") == "tekken"
    spec, origin = tekken.read(data)
    assert (spec.splitter, spec.bos_id, spec.eos_id, spec.pad_id) == ("tekken", 1, 2, 11)
    assert len(spec.pieces) == SPECIALS + len(PIECES) - 1, "the last piece has no id"
    assert [spec.pieces.piece(id) for id in (0, 3, 19, 20, 23)] == [
        "<unk>",
        "[INST]",
        "[TOOL_CONTENT]",
        "<SPECIAL_20>",
        "<SPECIAL_23>",
    ]
    assert tekken.write(spec, origin) == data
    assert tekken.read(tekken.write(spec))[0] == spec


def test_ids() -> None:
    tok = ap.Tokenizer(tekken.read(file_of())[0])
    assert tok.encode("abc ab") == [SPECIALS + 257, SPECIALS + 258]
    assert tok.encode("a1") == [SPECIALS + ord("a"), SPECIALS + ord("1")]
    assert tok.encode("[INST]") != [3] == tok.encode("[INST]", specials="parse")
    assert tok.encode("a", add_special=True) == [1, SPECIALS + ord("a"), 2]
    assert all(tok.kind(id) == Kind.CONTROL for id in range(SPECIALS))
    assert tok.decode([3, SPECIALS + 257]) == "[INST]abc"


def test_listed_special_tokens() -> None:
    names = ["<unk>", "<s>", "</s>", "[ARGS]"]
    listed = [{"rank": id, "token_str": name, "is_control": True} for id, name in enumerate(names)]
    data = file_of(content(special_tokens=listed, config={"version": "v13"}))
    spec, origin = tekken.read(data)
    assert [spec.pieces.piece(id) for id in (3, 4)] == ["[ARGS]", "<SPECIAL_4>"]
    assert spec.pad_id is None
    assert tekken.write(spec, origin) == data


def test_a_changed_spec_is_written_as_changed() -> None:
    spec, origin = tekken.read(file_of())
    rows = list(spec.pieces)
    rows[20] = (b"[MORE]", 0.0, Kind.CONTROL)
    changed = spec.replace(pieces=ap.Pieces.of(rows))
    changed = changed.replace(added=ap.Added.of((name.decode(), id, 1) for id, (name, _, kind) in enumerate(rows[:24])))
    assert tekken.read(tekken.write(changed, origin))[0] == changed


def test_another_pattern_is_run_as_it_is() -> None:
    data = file_of(content(config={"pattern": r"\w+|\W+"}))
    spec, origin = tekken.read(data)
    assert spec.split_rules[0]["pattern"] == {"fancy-regex": r"\w+|\W+"}
    assert tekken.write(spec, origin) == data
    tok = ap.Tokenizer(spec)
    assert [tok.id_to_bytes(id) for id in tok.encode("abc ab")] == [b"abc", b" ", b"ab"]
    named, _ = tekken.read(data, splitter="tekken")
    assert (named.splitter, named.split_rules) == ("tekken", ())
    assert json.loads(tekken.write(named, origin))["config"]["pattern"] == PATTERN
    with pytest.raises(ap.SpecError) as caught:
        ap.Tokenizer(tekken.read(file_of(content(config={"pattern": "(a"})))[0])
    assert caught.value.code == "spec-pattern"


def changed_entry(place: int, **changes: Any) -> list[dict[str, Any]]:
    entries = [entry(*row) for row in enumerate(PIECES)]
    entries[place] = entries[place] | changes
    return entries


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"vocab": {}}, "vocab"),
        ({"config": {"default_vocab_size": "x"}}, "default_vocab_size"),
        ({"config": {"default_vocab_size": 10**12}}, "config.default_vocab_size"),
        ({"config": {"default_vocab_size": SPECIALS}}, "config.default_vocab_size"),
        ({"config": {"default_vocab_size": len(PIECES) + SPECIALS + 1}}, "config.default_vocab_size"),
        ({"config": {"default_num_special_tokens": 10**9}}, "config.default_num_special_tokens"),
        ({"config": {"default_num_special_tokens": 3}}, "special_tokens"),
        ({"config": {"default_num_special_tokens": True}}, "default_num_special_tokens"),
        ({"config": {"version": "three"}}, "config.version"),
        ({"config": {"version": "v11"}}, "special_tokens"),
        ({"config": {"pattern": None}}, "pattern"),
        ({"special_tokens": [{"rank": 1, "token_str": "<s>"}]}, "special_tokens[0].rank"),
        ({"special_tokens": [{"rank": 0, "token_str": ""}]}, "special_tokens[0].token_str"),
        ({"special_tokens": ["<s>"]}, "special_tokens[0].token_str"),
        ({"special_tokens": [{"rank": id, "token_str": "<s>"} for id in range(2)]}, "special_tokens"),
        ({"vocab": changed_entry(5, rank=6)}, "vocab[5].rank"),
        ({"vocab": changed_entry(258, token_bytes="A")}, "vocab[258].token_bytes"),
        ({"vocab": changed_entry(258, token_bytes="A A=")}, "vocab[258].token_bytes"),
        ({"vocab": changed_entry(258, token_bytes="YWI=")}, "vocab[258].token_bytes"),
        ({"vocab": changed_entry(258, token_bytes="é")}, "vocab[258].token_bytes"),
        ({"vocab": changed_entry(7, token_bytes="YWI=")}, "vocab[256].token_bytes"),
        ({"vocab": changed_entry(7, token_bytes="eHg=")}, "vocab"),
        ({"vocab": changed_entry(7, more=1)}, "vocab[7]"),
        ({"vocab": ["AA=="]}, "config.default_vocab_size"),
    ],
)
def test_refused(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ap.FormatError) as caught:
        tekken.read(file_of(content(**changes)))
    assert caught.value.code == "file-corrupt"
    assert caught.value.facts["field"] == field


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"a": ' + b"[" * 100_000, b"\xff{}"])
def test_not_json(data: bytes) -> None:
    with pytest.raises(ap.FormatError) as caught:
        tekken.read(data)
    assert caught.value.code == "file-corrupt"


@pytest.mark.parametrize(
    "changes",
    [
        {"splitter": "starcoder"},
        {"whole_chunks": False},
        {"bos_id": 3},
        {"pieces": ap.Pieces.of([(b"a", 0.0, Kind.NORMAL)])},
    ],
)
def test_only_such_vocabularies_are_written(changes: dict[str, Any]) -> None:
    with pytest.raises(ap.FormatError) as caught:
        tekken.write(tekken.read(file_of())[0].replace(**changes))
    assert caught.value.code == "format-unwritable"
