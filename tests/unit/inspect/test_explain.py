"""Explain: the stages agree with the methods that compute them, and a difference to the reference is named."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece.formats import huggingface
from anypiece.inspect.explain import COMPARED_LENGTH
from anypiece.reference import ReferenceTokenizer
from tests.support.gguf import GGUF_SPECS
from tests.support.hf import added, document
from tests.support.merge_lists import byte_letters
from tests.support.small_vocabularies import BPE, BYTES, CHAR, RANKS, SPECIALS, UNIGRAM

ALL = [ap.Tokenizer(spec) for spec in (UNIGRAM, BYTES, SPECIALS, BPE, CHAR, RANKS)]
TOK = ALL[0]


def test_every_stage() -> None:
    explanation = TOK.explain("ab é")
    assert explanation.normalized == "▁ab▁é"
    assert explanation.offsets == (0, 0, 1, 2, 3, 4)
    assert [(unit.text, unit.start, unit.end) for unit in explanation.units] == [
        ("▁ab", 0, 3),
        ("▁", 3, 4),
        ("é", 4, 5),
    ]
    assert [(token.id, token.start, token.end, token.score) for token in explanation.tokens] == [
        (10, 0, 2, -2.5),
        (3, 2, 3, -3.0),
        (7, 3, 4, -4.0),
    ]
    assert explanation.total_score == -9.5
    assert explanation.compared
    assert explanation.difference is None


def test_the_runner_up_is_that_of_the_closest_unit() -> None:
    runner_up = TOK.explain("ab a").runner_up
    assert runner_up is not None
    assert (runner_up.unit, runner_up.best, runner_up.pieces) == ("▁ab", ("▁ab",), ("▁a", "b"))
    assert runner_up.margin == pytest.approx(1.5)
    assert TOK.explain("é").runner_up is None
    assert ap.Tokenizer(BPE).explain("ab").runner_up is None


def test_scores_of_what_is_not_in_the_vocabulary() -> None:
    assert TOK.explain("日本").total_score == pytest.approx(-3 + 2 * -14)  # ten below the lowest, for each character
    tokens = ap.Tokenizer(BYTES).explain("日").tokens
    assert [token.score for token in tokens] == [-3.0, -14.0, 0.0, 0.0]
    assert ap.Tokenizer(SPECIALS).explain("[USER]").tokens[1].score == pytest.approx(0.5)
    assert ap.Tokenizer(BPE).explain("ab").total_score is None


def test_text_and_json_forms() -> None:
    explanation = TOK.explain("ab é")
    shown = str(explanation)
    for expected in (
        "normalized  ▁ab▁é",
        "units       ▁ab ▁ é",
        "3, total score -9.5",
        "▁a b instead of ▁ab, 1.5 behind",
    ):
        assert expected in shown
    facts = json.loads(json.dumps(explanation.to_json()))
    assert facts["tokens"][0] == {"id": 10, "piece": "▁ab", "start": 0, "end": 2, "score": -2.5, "kind": "normal"}
    assert TOK.explain(b"a\xff").to_json()["text"] == "a\\xff"


def test_coloured_form() -> None:
    from rich.console import Console

    console = Console(width=100, force_terminal=True)
    with console.capture() as capture:
        console.print(TOK.explain("ab [x]é").render())
    assert "\x1b[" in capture.get()
    assert "[x]" in capture.get()  # brackets in a text are not markup


def test_long_texts_are_not_compared() -> None:
    explanation = TOK.explain("a" * (COMPARED_LENGTH + 1))
    assert (explanation.compared, explanation.difference, explanation.runner_up) == (False, None, None)
    assert "not run" in str(explanation)


@pytest.mark.parametrize(
    ("broken", "stage"),
    [("normalize", "normalize"), ("segment", "segment/unigram"), ("tokens", "tokens")],
)
def test_the_first_stage_that_differs_is_named(monkeypatch: pytest.MonkeyPatch, broken: str, stage: str) -> None:
    tok = ap.Tokenizer(UNIGRAM)
    right = ReferenceTokenizer.encode_spans

    def wrong(self: ReferenceTokenizer, text: str, **options: bool) -> Any:
        found = right(self, text, **options)
        return found[:-1] if broken == "segment" else [token._replace(end=99) for token in found]

    if broken == "normalize":
        monkeypatch.setattr(ReferenceTokenizer, "normalize", lambda self, text: "else")
    else:
        monkeypatch.setattr(ReferenceTokenizer, "encode_spans", wrong)
    explanation = tok.explain("ab a")
    assert explanation.difference is not None
    assert explanation.difference.stage == stage
    assert f"differs first in {stage}" in str(explanation)


@given(st.text(st.sampled_from("aab c é日🦊\n\ud800"), max_size=20))
def test_it_agrees_with_the_methods(text: str) -> None:
    for tok in ALL:
        explanation = tok.explain(text)
        assert explanation.difference is None, str(explanation)
        assert [token.id for token in explanation.tokens] == tok.encode(text)
        assert "".join(unit.text for unit in explanation.units) == explanation.normalized == tok.normalize(text)
        assert len(explanation.offsets) == len(explanation.normalized) + 1
        assert str(explanation)


def test_pieces_of_bytes() -> None:
    tok = ap.Tokenizer(RANKS)
    explanation = tok.explain("the  愛<|end|>")
    assert explanation.difference is None
    assert [unit.text for unit in explanation.units] == ["the", " ", " 愛", "<|", "end", "|>"]
    assert [token.piece for token in explanation.tokens][:6] == ["th", "e", " ", " \\xe6", "\\x84", "\\x9b"]
    assert [(token.start, token.end) for token in explanation.tokens][3:6] == [(4, 6), (5, 6), (5, 6)]
    assert explanation.total_score is explanation.runner_up is None
    shown = str(explanation)
    for expected in (
        "normalized  the text itself\n",
        "units       the ␣ ␣愛 <| end |>\n",
        "␣\\xe6  265 ",
        "agrees in every",
    ):
        assert expected in shown
    assert "▁" not in shown
    assert json.loads(json.dumps(explanation.to_json()))["symbols"] == "bytes"


def test_bytes_that_are_not_utf8() -> None:
    explanation = ap.Tokenizer(RANKS).explain(b"a\xff \xe6\x97b\n")
    assert [unit.text for unit in explanation.units] == ["a", "\\xff", " \\xe6\\x97", "b", "\n"]
    assert [token.piece for token in explanation.tokens] == ["a", "\\xff", " ", "\\xe6\\x97", "b", "\n"]
    assert "text        a\\xff \\xe6\\x97b\\n\n" in str(explanation)


@given(st.binary(max_size=12))
def test_any_bytes(raw: bytes) -> None:
    explanation = ap.Tokenizer(RANKS).explain(raw)
    assert explanation.difference is None, str(explanation)
    assert "".join(unit.text for unit in explanation.units) == raw.decode("utf-8", "backslashreplace")


@pytest.mark.parametrize("tok", [TOK, ap.Tokenizer(RANKS)], ids=["characters", "bytes"])
def test_lone_surrogates_can_be_written(tok: ap.Tokenizer) -> None:
    explanation = tok.explain("a\ud800")
    assert explanation.to_json()["text"] == "a\\ud800"
    assert "a\\ud800\n" in str(explanation).encode().decode()


def test_coloured_bytes() -> None:
    from rich.console import Console

    console = Console(width=100, force_terminal=True, color_system=None)
    with console.capture() as capture:
        console.print(ap.Tokenizer(RANKS).explain("the ▁愛").render())
    assert "the \\xe2\\x96\\x81\\xe6\\x84\\x9b" in capture.get()


def byte_level(trim: bool) -> ap.Tokenizer:
    vocab = {letter: byte for byte, letter in byte_letters().items()} | {"Ġa": 256, "ab": 257}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": trim, "use_regex": True}
    model = {"type": "BPE", "vocab": vocab, "merges": [["Ġ", "a"], ["a", "b"]]}
    tokens = [added(258, "<m>", lstrip=True), added(259, "<n>", special=False, rstrip=True)]
    made = document(model=model, pre_tokenizer=level, post_processor=level, added_tokens=tokens)
    return ap.Tokenizer(huggingface.read(json.dumps(made).encode())[0])


@pytest.mark.parametrize("text", ["ab ab a", " a\ta  <n> b", "日 \u3000a<n>", b" a\xff <n>"])
def test_the_reference_trims_spans_too(text: str | bytes) -> None:
    for trim in (True, False):
        assert byte_level(trim).explain(text).difference is None


def test_added_tokens_that_are_not_found_are_no_pieces() -> None:
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0], ["b", -1.0]]}
    tokens = [added(3, "ab", special=False, single_word=True), added(4, "<s>")]
    made = document(model=model, pre_tokenizer=None, added_tokens=tokens)
    tok = ap.Tokenizer(huggingface.read(json.dumps(made).encode())[0])
    for text in ("ab", "aab", "a ab<s>b"):
        found = tok.explain(text)
        assert found.difference is None
        assert found.total_score == pytest.approx(tok.lattice(text).viterbi().score)


def test_scores_of_text_that_spells_a_piece() -> None:
    names = ["a", *(f"<0x{byte:02X}>" for byte in range(256))]
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *([name, -1.0] for name in names)]}
    for fallback, spelled, score in ((True, "", -1 - 11 - 1 - 1), (False, "<unk>", -1 + 0 - 11 - 1 - 1)):
        tokens = [added(0, "<unk>")] if fallback else []  # with a fallback text must not spell the unknown piece
        made = document(model=model | {"byte_fallback": fallback}, pre_tokenizer=None, added_tokens=tokens)
        tok = ap.Tokenizer(huggingface.read(json.dumps(made).encode())[0])
        found = tok.explain(f"a{spelled}é<0x41>a")
        assert found.difference is None
        assert found.total_score == pytest.approx(score)


def test_control_pieces_in_a_unigram_text() -> None:
    """Some files of llama.cpp match control tokens wherever they stand."""
    tok = ap.Tokenizer(GGUF_SPECS["gguf-t5-spaces"])
    text = "a</s><x_1>b"
    found = tok.explain(text)
    assert [token.id for token in found.tokens] == tok.encode(text)
    assert found.total_score == pytest.approx(tok.lattice(text).viterbi().score)
    long = tok.explain("</s><x_1>b!" * 400)  # no lattice is made
    assert len(long.tokens) == tok.count("</s><x_1>b!" * 400)
