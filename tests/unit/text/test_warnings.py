"""What is allowed and seldom meant: said in words, and by calls as a warning."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from anypiece import Added, AddedFlag
from anypiece.comparison.check import check
from anypiece.text.warnings import notices
from tests.support.hf import added, document, written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .shell import Shell

SPECIAL = AddedFlag.SPECIAL
TWO = "already, so add_special makes it two"


@pytest.fixture(scope="module")
def tok() -> ap.Tokenizer:
    marks = Added.of([("<s>", 1, SPECIAL), ("</s>", 2, SPECIAL)])
    return ap.load().replace(added=marks, bos_id=1, eos_id=2, add_bos=True, add_eos=True)


@pytest.mark.parametrize("text", ["Once upon a time ", "a  ", b"Once \xff upon ", "é" * 500 + " "])
def test_a_space_at_the_end(tok: ap.Tokenizer, text: str | bytes) -> None:
    assert [notice for notice in notices(tok, text) if "ends in a space" in notice]
    assert "ends in a space" in str(tok.explain(text))
    assert tok.explain(text).to_json()["notices"]
    assert tok.encode(text)  # no warning: the library cannot know what a text is for


@pytest.mark.parametrize("text", ["", " ", "Once upon a time", "Once\n", b"abc"])
def test_no_space_at_the_end(tok: ap.Tokenizer, text: str | bytes) -> None:
    assert notices(tok, text) == []
    assert "notice" not in str(tok.explain(text))


def test_spaces_that_a_vocabulary_drops() -> None:
    tok = ap.load().replace(remove_extra_whitespaces=True)
    assert tok.encode("a ") == tok.encode("a")
    assert notices(tok, "a ") == []


def test_two_of_a_kind(tok: ap.Tokenizer) -> None:
    for add, text in ((True, "<s>a"), (True, "a</s>"), ("bos", "<s>a"), ("eos", "a</s>")):
        with pytest.warns(ap.SpecialsWarning, match=TWO):
            tok.encode(text, add_special=add, specials="parse")
        with pytest.warns(ap.SpecialsWarning, match=TWO):
            tok.encode_array(text, add_special=add, specials={"<s>", "</s>"})
        with pytest.warns(ap.SpecialsWarning, match=TWO):
            tok.encode_trusted([(text, True)], add_special=add)
        with pytest.warns(ap.SpecialsWarning, match=TWO) as caught:
            tok.encode_chat([], template=text, add_special=add)
        assert caught[0].filename == __file__
        assert TWO in notices(tok, text, add_special=add, specials="parse")[0]
    assert TWO in str(tok.explain("<s>a"))


def test_ordinary_use_is_quiet(tok: ap.Tokenizer) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tok.encode("<s>a</s>", add_special=True)
        tok.encode("a", add_special=True, specials="parse")
        tok.encode("a<s>b", add_special=True, specials="parse")
        tok.encode("<s>a</s>", specials="parse")
        tok.encode("<s>a", add_special="eos", specials="parse")
        tok.encode_trusted([("<s>", False)], add_special=True)
        tok.encode_chat([{"role": "user", "content": "<s>"}], template="{{ messages[0].content }}", add_special=True)
        tok.encode_chat([], template="<s>a")


def test_nothing_to_add(tmp_path: Path) -> None:
    """The library adds nothing either; which roles would help is said, once, since nobody has named any."""
    written(tmp_path, document(added_tokens=[added(5, "<s>"), added(6, "</s>")]))
    tok = ap.load(tmp_path / "tokenizer.json")
    help_ = r'load\(path, roles=\{"bos": "<s>", "eos": "</s>"\}\) or tok.replace\(bos_id=..., eos_id=...\)'
    said = notices(tok, "ab", add_special=True)
    assert re.search("adds nothing.*" + help_, said[0])
    for call in (tok.encode, tok.encode_array, tok.encode_spans, tok.encode_pieces, tok.encode_piece_bytes, tok.count):
        fresh = ap.load(tmp_path / "tokenizer.json")
        with pytest.warns(ap.SpecialsWarning, match="adds nothing.*" + help_) as caught:
            getattr(fresh, call.__name__)("ab", add_special=True)
        assert [row.filename for row in caught] == [__file__], call.__name__
        _quietly(lambda again=fresh: again.encode("ab", add_special=True))
    for name, argument in (
        ("encode_batch", ["ab"]),
        ("count_batch", ["ab"]),
        ("encode_trusted", [("ab", True)]),
        ("encode_chat", []),
    ):
        more = {"template": "a"} if name == "encode_chat" else {}
        fresh = ap.load(tmp_path / "tokenizer.json")
        with pytest.warns(ap.SpecialsWarning, match="adds nothing") as caught:
            getattr(fresh, name)(argument, add_special=True, **more)
        assert [row.filename for row in caught] == [__file__], name
    _quietly(lambda: ap.load(tmp_path / "tokenizer.json").encode_rows(["ab"], pad_id=0))
    _quietly(lambda: ap.load(tmp_path / "tokenizer.json").encode_pair("ab", "ab"))
    for role, name in (("bos", "<s>"), ("eos", "</s>")):
        with pytest.raises(ap.InputError, match=rf'roles=\{{"{role}": "{name}"\}}') as caught:
            tok.encode("ab", add_special=role)  # type: ignore[arg-type]
        assert caught.value.code == "special-missing"
    both = ap.load(tmp_path / "tokenizer.json", roles={"bos": "<s>", "eos": "</s>"})
    said = notices(both, "ab", add_special=True)
    assert said[0].endswith('Pass add_special="bos" or add_special="eos", which it has.')
    assert both.encode("ab", add_special="eos")[-1] == both.eos_id
    _quietly(lambda: both.encode("ab", add_special=True))  # the roles are known: the file adds nothing on purpose
    _quietly(lambda: check(tok, both))


def _quietly(call: Callable[[], object]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call()


def test_the_command_line(tmp_path: Path, shell: Shell) -> None:
    written(tmp_path, document(added_tokens=[added(5, "<s>"), added(6, "</s>")]))
    path = str(tmp_path / "tokenizer.json")
    said = shell("encode", "Once upon ")
    assert said.code == 0
    assert "note: The text ends in a space" in said.err
    assert "space" not in said.out
    assert "note" not in shell("encode", "Once upon").err
    said = shell("encode", "-t", path, "--add-special", "both", "ab")
    assert "adds nothing" in said.err
    assert "--role" in said.err
    assert "ends in a space" in shell("explain", "Once upon ").out
