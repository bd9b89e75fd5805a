"""Trusted and untrusted text in one call, and text that a call refuses for the special tokens in it."""

from __future__ import annotations

import json
import random
import re
from itertools import groupby

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Original

import anypiece as ap
from anypiece import Added, AddedFlag, Kind, Pieces
from anypiece._core.vocabulary import special_tokens
from anypiece.formats import huggingface
from anypiece.reference.specials import parts
from tests.support.added_tokens import FIRST, LSTRIP, RSTRIP, SPECIAL, TEXTS, WORD, any_rows, matchings, with_added
from tests.support.added_tokens import rows as raw_rows
from tests.support.hf import added, document
from tests.support.small_vocabularies import RANKS, SPECIALS

NORMALIZED = AddedFlag.NORMALIZED
LOWER = ({"type": "lowercase"},)
letters = st.sampled_from(["<a>", "<A>", "<a", "<b>", ">", "a", "A", "b", "B", " ", "\n", "é", "É", "日", "本", "x"])
texts = st.lists(letters, max_size=12).map("".join)
given_parts = st.lists(st.tuples(texts, st.booleans()), max_size=5)
Parts = list[tuple[str, bool]]
Rows = list[tuple[str, AddedFlag]]


def ranges(listed: Parts) -> list[tuple[int, int]]:
    """The places of trusted text, those that touch joined."""
    at, found = 0, []
    for trusted, some in groupby([row for row in listed if row[0]], key=lambda row: row[1]):
        size = sum(len(text) for text, _ in some)
        found += [(at, at + size)] if trusted else []
        at += size
    return found


def lower(tok: ap.Tokenizer) -> ap.Tokenizer:
    return tok.replace(normalizer=LOWER)


class TestTrusted:
    @given(raw_rows, given_parts, matchings)
    @example([("a<", AddedFlag(0)), ("<a>", SPECIAL)], [("a", False), ("<a>", True)], "leftmost-longest")
    @example([("a<a", AddedFlag(0)), ("<a", SPECIAL)], [("a", False), ("<a", True)], "longest-first")
    @example([("<a>", SPECIAL | WORD)], [("a", False), ("<a>", True), ("a", False)], "leftmost-longest")
    @example([("a", RSTRIP), ("\n", SPECIAL | LSTRIP)], [("a", False), ("\n", True)], "leftmost-longest")
    @example([("a", RSTRIP), ("\n", SPECIAL)], [("a", False), ("\n", True)], "longest-first")
    def test_the_reference(self, listed: Rows, given_parts: Parts, matching: str) -> None:
        tok, plain = with_added(listed, matching), ap.Tokenizer(RANKS)
        whole = "".join(text for text, _ in given_parts)
        expected: list[int] = []
        for part in parts(whole, tok.spec.added, matching, trusted=ranges(given_parts)):
            expected += plain.encode(whole[part.start : part.end]) if part.id is None else [part.id]
        assert tok.encode_trusted(given_parts) == expected

    @given(any_rows, given_parts, matchings)
    @example(
        [("<a>", SPECIAL | NORMALIZED)], [("<A>", True), ("<a>", False), ("<a", True), (">", False)], "longest-first"
    )
    @example([("<a>", SPECIAL | NORMALIZED), ("x<", AddedFlag(0))], [("x", False), ("<A>", True)], "leftmost-longest")
    @example([("<a>", SPECIAL | NORMALIZED), ("x<", NORMALIZED)], [("x", False), ("<A>", True)], "leftmost-longest")
    def test_special_tokens_are_those_of_each_trusted_text_alone(
        self, listed: Rows, given_parts: Parts, matching: str
    ) -> None:
        for tok in (with_added(listed, matching), lower(with_added(listed, matching))):
            specials = set(special_tokens(tok).values())
            whole = "".join(text for text, _ in given_parts)
            expected: list[int] = []
            for start, end in ranges(given_parts):
                expected += [id for id in tok.encode(whole[start:end], specials="parse") if id in specials]
            ids = tok.encode_trusted(given_parts)
            assert [id for id in ids if id in specials] == expected
            if ranges(given_parts) == [(0, len(whole))]:
                assert ids == tok.encode(whole, specials="parse")

    def test_what_the_normalizer_composes_completes_nothing(self) -> None:
        """An accent that others write makes no token of a trusted letter, and hides one only by changing its letter."""
        nfc = [("<é", SPECIAL | NORMALIZED), ("<e", SPECIAL | NORMALIZED)]
        tok = with_added(nfc).replace(normalizer=({"type": "nfc"},))
        assert tok.encode("<e\u0301", specials="parse") == [FIRST]
        assert (
            tok.encode_trusted([("<e\u0301", True)]) == tok.encode_trusted([("<e\u0301", True), ("", False)]) == [FIRST]
        )
        assert not {FIRST, FIRST + 1} & set(tok.encode_trusted([("<e", True), ("\u0301", False)]))
        assert tok.encode_trusted([("<e", True), ("x\u0301", False)])[0] == FIRST + 1

    def test_what_the_normalizer_removes_hides_nothing(self) -> None:
        bert = {
            "type": "bert",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        }
        tok = with_added([("<a>", SPECIAL | NORMALIZED)]).replace(normalizer=(bert,))
        assert tok.encode_trusted([("\0", False), ("<A>", True), ("\0x", False)])[0] == FIRST
        assert FIRST not in tok.encode_trusted([("<A", True), ("\0", False), (">", True)])


def refused(tok: ap.Tokenizer, text: str | bytes, specials: object) -> tuple[str, int] | None:
    try:
        tok.encode(text, specials=specials)  # type: ignore[arg-type]
    except ap.InputError as error:
        return error.facts["special"], error.facts["start"]
    return None


def spelled(tok: ap.Tokenizer, text: str, allowed: set[str]) -> tuple[str, int] | None:
    """The first spelling of a special token, the longest of those there."""
    names = sorted(set(special_tokens(tok)) - allowed, key=len, reverse=True)
    found = re.search("|".join(map(re.escape, names)), text) if names else None
    return (found[0], found.start()) if found else None


def spelled_lowered(tok: ap.Tokenizer, text: str, allowed: set[str]) -> bool:
    """Whether a fragment of a text spells a special token once it is in lower case, where the tokenizer does that."""
    found = parts(text, tok.spec.added, tok.spec.matching, set(special_tokens(tok).values()))
    fragments = [text[part.start : part.end] for part in found if part.id is None and tok.spec.normalizer]
    return any(spelled(tok, fragment.lower(), allowed) for fragment in fragments)


class TestRefused:
    @given(any_rows, texts, matchings, st.sets(st.sampled_from(TEXTS)))
    @example([("<a>", SPECIAL | NORMALIZED)], "x<A><a>", "leftmost-longest", {"<a>"})
    @example([("<a>", SPECIAL | NORMALIZED), ("b ", SPECIAL)], "x<A>b ", "longest-first", {"b "})
    def test_by_spelling_or_because_it_would_be_found(
        self, listed: Rows, text: str, matching: str, permitted: set[str]
    ) -> None:
        for tok in (with_added(listed, matching), lower(with_added(listed, matching))):
            names = sorted(special_tokens(tok))
            allowed = permitted & set(names)
            for specials in ("error", allowed):
                free = set() if specials == "error" else allowed
                found, plain = refused(tok, text, specials), spelled(tok, text, free)
                ids = {special_tokens(tok)[name] for name in names if name not in free}
                parsed = tok.encode_spans(text, specials="parse")
                first = next((token for token in parsed if token.id in ids), None)
                lowered = spelled_lowered(tok, text, free)
                assert (found is None) == (plain is None and first is None and not lowered)
                if tok.spec.normalizer == () and found is not None:
                    assert found == plain
                elif plain is None and found is not None and first is not None and not lowered:
                    assert first.start <= found[1] < first.end
                    assert special_tokens(tok)[found[0]] == first.id
                elif found is not None and plain is not None:
                    assert found[1] <= plain[1]
                if found is None:
                    kept = {special_tokens(tok)[name] for name in free}
                    assert tok.encode(text, specials=specials) == tok._kernel.encode(text, 1, sorted(kept))
                    assert specials != "error" or tok.encode(text) == tok.encode(text, specials="parse")
                raw = refused(tok, text.encode(), specials)
                assert raw == (found and (found[0], len(text[: found[1]].encode())))
                assert refused(tok, "\ud800" + text, specials) == (found and (found[0], found[1] + 1))

    @pytest.mark.parametrize(("text", "start"), [("<S>", 0), ("É <S>", 2), ("\ud800<S> </s>", 1), ("a  <S>", 1)])
    def test_a_token_that_the_normalizer_makes(self, text: str, start: int) -> None:
        tokens = [added(5, "<s>", normalized=True), added(6, "</s>"), added(7, "[X]", normalized=True, lstrip=True)]
        made = json.dumps(document(added_tokens=tokens, normalizer={"type": "Lowercase"}))
        tok = ap.Tokenizer(huggingface.read(made.encode())[0])
        start += 2 * text.startswith("a")
        assert 5 in tok.encode(text, specials="parse")
        if "\ud800" not in text:
            assert 5 in Original.from_str(made).encode(text, add_special_tokens=False).ids
        for specials in ("error", {"</s>"}):
            assert refused(tok, text, specials) == ("<s>", start)
            assert refused(tok, text.replace("S", "s"), specials) == ("<s>", start)
            with pytest.raises(ap.InputError, match="once it is encoded, which is the spelling of a control piece"):
                tok.encode_batch(["a", text], specials=specials)
        assert refused(tok, "a  [x]", "error") == ("[X]", 3)  # the white space that it takes is not its place
        assert 5 in tok.encode(text, specials={"<s>", "</s>"})

    def test_a_spelling_that_is_not_found_is_refused_too(self) -> None:
        tok = with_added([("<a>", SPECIAL | WORD)])
        assert tok.encode("x<a>", specials="parse") == tok.encode("x<a>")
        assert refused(tok, "x<a>", "error") == ("<a>", 1)

    def test_control_pieces_of_a_vocabulary_without_added_tokens(self) -> None:
        tok = ap.Tokenizer(SPECIALS)
        assert refused(tok, "é[SEP]<s>", "error") == ("[SEP]", 1)
        assert refused(tok, "é[SEP]<s>", {"[SEP]"}) == ("<s>", 6)
        assert refused(tok, "é[SEP]<s>", {"[SEP]", "<s>"}) is None

    def test_names_that_share_an_id_are_permitted_one_by_one(self) -> None:
        tok = ap.Tokenizer(RANKS.replace(added=Added.of([("<x>", 269, SPECIAL), ("<y>", 269, SPECIAL)])))
        assert tok.encode("<x>", specials={"<x>"}) == [269]
        assert refused(tok, "<x><y>", {"<x>"}) == ("<y>", 3)

    def test_many_special_tokens(self) -> None:
        """By one pattern for each set this took minutes."""
        draw = random.Random(1)
        names = ["".join(draw.choices("abcdefghij", k=8)) + "!" for _ in range(100_000)]
        names = sorted(set(names))
        more = [(name, 0.0, Kind.CONTROL) for name in names]
        special = Added.of((name, FIRST + index, SPECIAL) for index, name in enumerate(names))
        tok = ap.Tokenizer(RANKS.replace(pieces=Pieces.of([*RANKS.pieces, *more]), added=special))
        text = "abcdefghij" * 100_000
        assert refused(tok, text, "error") is None
        assert refused(tok, text + names[5], "error") == (names[5], len(text))
        for index in range(200):
            assert refused(tok, names[index] + names[-1], {names[index]}) == (names[-1], 9)
        assert refused(tok, text + names[-1], frozenset(names[:-1])) == (names[-1], len(text))
        assert tok.encode(names[7], specials=frozenset(names)) == [FIRST + 7]
