"""Steps end with the ids of the kernel, every table leads to the path that came out, and what is left out is said."""

from __future__ import annotations

from typing import Any

import pytest

import anypiece as ap
from anypiece.reference import ReferenceTokenizer
from anypiece.steps import Steps, limits
from anypiece.steps.data import Merging, Viterbi
from tests.support.gguf import GGUF_SPECS
from tests.support.merge_lists import MERGE_SPECS
from tests.support.small_vocabularies import BPE, BYTES, CHAR, RANKS, SPECIALS, UNIGRAM
from tests.support.steps import assert_steps
from tests.support.vocabularies import BYTE_SPECS, OTHER_SPECS, SPECS, alphabet

SMALL = {"unigram": UNIGRAM, "bytes": BYTES, "specials": SPECIALS, "bpe": BPE, "char": CHAR, "ranks": RANKS}
MADE = SPECS | OTHER_SPECS | BYTE_SPECS | GGUF_SPECS | MERGE_SPECS
TEXTS: tuple[str | bytes, ...] = ("", " ", "ab  é x🦊", "the <|end|> xyz\n", b"a\xff ab", "a\ud800b", "aab" * 9)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_small_vocabularies(name: str, text: str | bytes) -> None:
    tok = ap.Tokenizer(SMALL[name])
    for specials in ("text", "parse"):
        assert_steps(tok, text, specials=specials, add_special=True)


@pytest.mark.parametrize("name", MADE)
def test_made_vocabularies(name: str) -> None:
    """Drawn texts are in the deep tier (``tests/property/test_steps.py``)."""
    tok = ap.Tokenizer(MADE[name])
    pieces = [piece for piece in alphabet(MADE[name]) if piece != "unused"]
    for text in (" ".join(pieces[:12]), "".join(pieces[-9:]), "a b ab 日é", b"\xf0a\xff b"):
        assert_steps(tok, text)


def table(tok: ap.Tokenizer, text: str) -> Any:
    return tok.explain(text).steps.chunks()[0].table


# -- each stage by itself


def test_replacements_have_both_places() -> None:
    fragment = ap.Tokenizer(UNIGRAM).explain("  ab  é ").steps.parts[0].fragment
    assert fragment is not None
    rows = [(one.start, one.end, one.source, one.at, one.to, one.result, one.why) for one in fragment.replacements]
    assert (fragment.normalized, rows) == (
        "▁ab▁é",
        [
            (0, 2, "  ", 0, 0, "", "removed"),
            (2, 2, "", 0, 1, "▁", "prefix"),
            (4, 6, "  ", 3, 4, "▁", "space"),
            (7, 8, " ", 5, 5, "", "removed"),
        ],
    )


def test_a_byte_that_is_no_text_is_replaced() -> None:
    fragment = ap.Tokenizer(UNIGRAM).explain(b"a\xff").steps.parts[0].fragment
    assert fragment is not None
    assert [(one.source, one.result, one.why) for one in fragment.replacements][1:] == [("\\xff", "�", "not UTF-8")]


def test_rules_of_chunks() -> None:
    found = ap.Tokenizer(RANKS).explain("It's 12").steps.chunks()
    assert [(chunk.text, chunk.rule) for chunk in found] == [
        ("It", "sign and letters"),
        ("'s", "contraction in any case"),
        (" ", "spaces"),
        ("12", "three numbers"),
    ]


def test_unknown_runs_and_byte_fallback() -> None:
    assert [(t.piece, t.how) for t in ap.Tokenizer(UNIGRAM).explain("日本a").steps.tokens] == [
        ("▁", "piece"),
        ("日本", "fused"),
        ("a", "piece"),
    ]
    assert [(t.piece, t.how) for t in ap.Tokenizer(BYTES).explain("日").steps.tokens] == [
        ("▁", "piece"),
        ("<0xE6>", "bytes"),
        ("<0x97>", "bytes"),
        ("<0xA5>", "bytes"),
    ]


def test_who_permitted_a_special_token() -> None:
    tok = ap.Tokenizer(RANKS)
    told = tok.explain("a<|end|>").steps
    assert [(one.piece, one.found, one.by) for one in told.spelled] == [("<|end|>", False, 'specials="text"')]
    told = tok.explain("a<|end|>", specials={"<|end|>"}, add_special="bos").steps
    assert (told.spelled, told.around.by) == ((), "add_special='bos'")
    assert [(p.special.piece, p.special.by) for p in told.parts if p.special] == [("<|end|>", "specials={'<|end|>'}")]
    assert [(one.piece, one.how) for one in told.around.before] == [("<|end|>", "bos")]
    assert [one.by for one in ap.Tokenizer(UNIGRAM).explain("<s>").steps.spelled] == [
        "vocabulary: its control pieces are not in text"
    ]


def test_ties_are_named() -> None:
    rows = [("<unk>", 0, 2), ("a", -1.0, 1), ("b", -1.0, 1), ("ab", -2.0, 1)]
    tok = ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), add_dummy_prefix=False))
    last = table(tok, "ab").positions[-1]
    assert [(one.piece, one.total, one.verdict) for one in last.candidates] == [
        ("ab", -2.0, "first"),
        ("b", -2.0, "tie"),
    ]
    assert (last.tied, last.winner, last.back) == (True, 0, 0)


def test_merges_that_lost() -> None:
    found = table(ap.Tokenizer(RANKS), " the")
    assert isinstance(found, Merging)
    assert found.whole  # a chunk that is a piece is not merged
    found = table(ap.Tokenizer(RANKS.replace(whole_chunks=False)), " the")
    (rank, _, piece), *_ = found.merges[0].lost
    assert (found.merges[0].made.piece, found.merges[0].rank, rank, piece) == ("th", -256.0, -257.0, " t")
    assert [len(merge.symbols) for merge in found.merges] == [3, 2, 1]


# -- limits


def test_long_texts_have_stages_without_tables() -> None:
    for tok in (ap.Tokenizer(UNIGRAM), ap.Tokenizer(RANKS)):
        found = assert_steps(tok, "ab é " * 200)
        assert found.limits == ("the text is longer than 500 characters: no tables",)
        fragment = found.parts[0].fragment
        assert fragment is not None
        assert fragment.chunks
        assert {chunk.table for chunk in fragment.chunks} == {None}


def test_candidates_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vocabulary of all lengths has a candidate for each pair of places."""
    rows = [("<unk>", 0.0, 2), *(("a" * length, -1.0 * length, 1) for length in range(1, 301))]
    tok = ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), add_dummy_prefix=False))
    found = tok.explain("a" * 400).steps
    assert found.limits == ("more than 10,000 candidates: the tables after that are left out",)
    assert found.chunks()[0].table is None
    monkeypatch.setattr(limits, "CANDIDATES", 10**6)
    assert isinstance(tok.explain("a" * 400).steps.chunks()[0].table, Viterbi)


def test_symbols_are_bounded() -> None:
    pieces = [(bytes([byte]), -float(byte), 1) for byte in range(256)]
    pieces += [(b"a" * 2**power, -256.0 - power, 1) for power in range(1, 9)]
    plain = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
    tok = ap.Tokenizer(ap.Spec(ap.Pieces.of(pieces), segmenter="bpe", symbols="bytes", unk_surface="", **plain))
    assert assert_steps(tok, "a" * 100).limits == ()
    found = tok.explain("a" * 480).steps
    assert found.limits == ("more than 20,000 symbols: the tables after that are left out",)


def test_other_ids_than_those_of_the_kernel_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    right = ReferenceTokenizer.encode_spans

    def wrong(self: ReferenceTokenizer, text: str, **options: Any) -> Any:
        return [token._replace(id=0) for token in right(self, text, **options)]

    tok = ap.Tokenizer(UNIGRAM)
    monkeypatch.setattr(ReferenceTokenizer, "encode_spans", wrong)
    with pytest.raises(ap.InternalError) as raised:
        _ = tok.explain("ab").steps
    assert raised.value.code == "internal-error"


def test_an_explanation_made_by_hand_has_no_steps() -> None:
    made = ap.Explanation("a", "a", (0, 1), (), (), None, None, False, None)
    with pytest.raises(ap.InternalError):
        _ = made.steps


def test_steps_are_importable() -> None:
    tok = ap.Tokenizer(UNIGRAM)
    assert isinstance(ap.steps.steps(tok, "ab"), Steps)
    assert ap.steps.steps(tok, "ab") == tok.explain("ab").steps
