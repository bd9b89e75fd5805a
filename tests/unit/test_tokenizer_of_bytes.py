"""The documented surface for a vocabulary of bytes: special tokens in text, any bytes there and back, chunks, files."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import Kind, Pieces, Spec, Token
from anypiece.reference.split import NAMES
from anypiece.spec import SPLITTERS
from tests.support.byte_tokenizers import ALL, RAW, TEXTS, TOK, VALID
from tests.support.small_vocabularies import RANKS, UNIGRAM

if TYPE_CHECKING:
    from pathlib import Path

END, END_MARK, SUN = 269, 270, 271
SPECIALS = {"<|end|>": END, "<|end|>!": END_MARK, "<|日|>": SUN}

SPACED = st.lists(st.sampled_from(["the", " ", " ", "\n", "\t", "\r\n", "日", "xyz", "5"]), max_size=14).map("".join)


def with_pieces(*more: tuple[bytes, float, Kind], **changes: Any) -> Spec:
    return RANKS.replace(pieces=Pieces.of([*RANKS.pieces, *more]), **changes)


BY_HAND: dict[str, list[int]] = {
    "": [],
    "the the": [256, 101, 260],  # "th" comes before "he"; " the" is a chunk and a piece
    "xyz": [266],  # a chunk that is a piece
    "xyz,xyz": [266, 44, 120, 121, 122],  # ",xyz" is a chunk, and no merges lead to xyz
    " xyz": [32, 120, 121, 122],
    "日": [264],
    "日本": [264, 0xE6, 0x9C, 0xAC],
    " 日": [32, 264],  # the first two bytes of 日 merge before the space and its first byte
    " 愛": [265, 0x84, 0x9B],
    "a   b": [97, 261, 32, 98],  # the last space belongs to the word
    "a   ": [97, 261, 32],  # one chunk, but three spaces are no piece
    "\n\n": [267],
    "12345": [49, 50, 51, 52, 53],
    "a\0b": [97, 0, 98],
}


def test_the_splitters_of_a_spec_are_those_of_the_reference() -> None:
    assert SPLITTERS == NAMES


@pytest.mark.parametrize(("text", "ids"), BY_HAND.items(), ids=map(repr, BY_HAND))
def test_ids_worked_out_by_hand(text: str, ids: list[int]) -> None:
    assert TOK.encode(text) == TOK.encode(text.encode()) == ids
    assert TOK.decode(ids) == TOK.normalize(text) == text


def test_a_chunk_that_is_a_piece_counts_only_where_the_spec_says_so() -> None:
    assert TOK.replace(whole_chunks=False).encode("xyz") == [120, 121, 122]
    assert TOK.replace(splitter=None).encode("xyz") == [266]
    assert TOK.replace(splitter=None).encode("the the") == [256, 101, 260]


def every_way(tok: ap.Tokenizer, text: str | bytes, **options: Any) -> list[int]:
    """The ids of a text, the same from each entry point."""
    ids = tok.encode(text, **options)
    assert tok.encode(text, threads=2, **options) == ids
    array = tok.encode_array(text, **options)
    assert (array.tolist(), array.dtype) == (ids, np.uint32)
    for threads in (1, 2):
        batch = tok.encode_batch(["the", text, "", text], threads=threads, **options)
        assert [batch[1].tolist(), batch[3].tolist()] == [ids, ids]
        counts = tok.count_batch([text, "the"], threads=threads, **options)
        assert (counts.tolist(), counts.dtype) == ([len(ids), len(tok.encode("the", **options))], np.int64)
    assert [token.id for token in tok.encode_spans(text, **options)] == ids
    assert tok.encode_pieces(text, **options) == [tok.id_to_piece(id) for id in ids]
    assert tok.count(text, **options) == len(ids)
    for limit in {0, 1, len(ids) // 2, max(len(ids) - 1, 0), len(ids), len(ids) + 1}:
        assert tok.count(text, limit, **options) == min(len(ids), limit + 1)
    return ids


PARSED: dict[str, list[int]] = {
    "": [],
    "<|end|>": [END],
    "the<|end|> the": [256, 101, END, 260],
    "<|end|>!": [END_MARK],  # the longest of those that begin at one place
    "<|end|>!!": [END_MARK, 33],
    "<|end|><|end|>!<|日|>": [END, END_MARK, SUN],
    "<<|end|>": [60, END],
    "<|end|": [60, 124, 101, 110, 100, 124],
    "xyz<|日|>xyz": [266, SUN, 266],  # what stands between them is split on its own
    "a  <|end|>": [97, 261, END],
}


class TestSpecials:
    @pytest.mark.filterwarnings("ignore::anypiece.SpecialsWarning")
    @pytest.mark.parametrize(("text", "ids"), PARSED.items(), ids=map(repr, PARSED))
    def test_parsed_by_every_entry_point(self, text: str, ids: list[int]) -> None:
        assert every_way(TOK, text, specials="parse") == every_way(TOK, text.encode(), specials="parse") == ids
        assert every_way(TOK, text, specials=set(SPECIALS)) == ids
        assert TOK.decode(ids) == text
        assert TOK.encode(text, specials="parse", reverse=True) == ids[::-1]
        assert TOK.encode_array(text, specials="parse", reverse=True).tolist() == ids[::-1]
        assert TOK.encode_pieces(text, specials="parse", reverse=True) == [TOK.id_to_piece(id) for id in ids[::-1]]
        for way in (TOK.encode, TOK.encode_array):
            assert list(way(text, specials="parse", add_special=True)) == [END, *ids, END_MARK]

    @given(TEXTS)
    def test_text_is_text_by_default(self, text: str) -> None:
        ids = every_way(TOK, text)
        assert ids == every_way(TOK, text, specials="text")
        assert not set(ids) & set(SPECIALS.values())

    @given(TEXTS)
    def test_parsed_text_is_its_parts(self, text: str) -> None:
        ids = every_way(TOK, text, specials="parse")
        expected: list[int] = []
        for part in (
            text.replace("<|end|>!", "\1\2\1").replace("<|end|>", "\1\3\1").replace("<|日|>", "\1\4\1").split("\1")
        ):
            expected += {"\2": [END_MARK], "\3": [END], "\4": [SUN]}.get(part) or TOK.encode(part)
        assert ids == expected

    @pytest.mark.parametrize("text", ["a<|end|>", b"<|end|>!", "<|日|>", "\ud800<|end|>", "<|日|>".encode() + b"\xff"])
    def test_an_error_in_every_entry_point(self, text: str | bytes) -> None:
        for name in ("encode", "encode_array", "encode_spans", "encode_pieces", "count", "encode_batch", "count_batch"):
            given: Any = ["the", text] if name.endswith("batch") else text
            with pytest.raises(ap.InputError, match="spelling of a control piece") as error:
                getattr(TOK, name)(given, specials="error")
            assert error.value.code == "special-in-text"
        with pytest.raises(ap.InputError):
            TOK.count(text, 0, specials="error")

    @given(VALID)
    def test_error_changes_nothing_where_there_are_none(self, text: str) -> None:
        clean = text.replace("<|", "")
        assert every_way(TOK, clean, specials="error") == TOK.encode(clean)

    def test_a_set_permits_its_names_and_refuses_the_others(self) -> None:
        assert every_way(TOK, "a<|日|>", specials={"<|日|>"}) == [97, SUN]
        assert every_way(TOK, "a<|日|>", specials=["<|日|>"]) == [97, SUN]
        assert every_way(TOK, "the", specials=set()) == TOK.encode("the")
        with pytest.raises(ap.InputError) as error:
            TOK.encode("a<|日|><|end|>", specials={"<|日|>"})
        assert error.value.facts == {"special": "<|end|>", "start": 6}
        with pytest.raises(ap.InputError) as error:
            TOK.encode("a", specials={"<|begin|>"})
        assert error.value.code == "special-missing"

    def test_a_name_inside_a_permitted_one_is_still_refused(self) -> None:
        with pytest.raises(ap.InputError, match=r"'<\|end\|>' at 0"):
            TOK.encode("<|end|>!", specials={"<|end|>!"})
        with pytest.raises(ap.InputError, match=r"'<\|end\|>!' at 0"):
            TOK.encode("<|end|>!", specials={"<|end|>"})

    def test_only_where_the_spec_parses_them(self) -> None:
        tok = TOK.replace(added=ap.Added())
        assert tok.encode("<|end|>", specials="parse") == TOK.encode("<|end|>")

    def test_arguments_are_checked_where_nothing_is_left_to_encode(self) -> None:
        for text in ("", "<|end|>"):
            for call in (TOK.encode, TOK.encode_array):
                with pytest.raises(ap.InputError, match="threads must be at least 1"):
                    call(text, specials="parse", threads=0)
            with pytest.raises(ap.InputError, match="limit must be at least 0"):
                TOK.count(text, -1, specials="parse")

    def test_skipped_when_decoding(self) -> None:
        assert TOK.decode([97, END, 98]) == "a<|end|>b"
        assert TOK.decode([97, END, 98], skip_special=True) == "ab"
        for ids in ([97, END, 98], [END], [], [97, 98]):
            wanted = "".join(chr(id) for id in ids if id != END)
            for form in (ids, tuple(ids), np.array(ids, np.int64), iter(ids)):
                assert TOK.decode(form, skip_special=True) == wanted
        for ids in ([97, -1], [END, 10**6], [2**70, END]):
            with pytest.raises(ap.UnknownIdError, match="is not in this vocabulary"):
                TOK.decode(ids, skip_special=True)
        assert TOK.decode([0xC3, SUN, 0xA9], skip_special=True) == "é"
        assert TOK.decode_bytes([SUN]) == "<|日|>".encode()


class TestSpans:
    def test_a_token_that_ends_inside_a_character_ends_with_it(self) -> None:
        assert [token[2:] for token in TOK.encode_spans(" 愛x")] == [(0, 2), (1, 2), (1, 2), (2, 3)]
        assert [token[2:] for token in TOK.encode_spans(" 愛x".encode())] == [(0, 2), (2, 3), (3, 4), (4, 5)]
        assert TOK.encode_spans(" 愛x", "byte") == TOK.encode_spans(" 愛x".encode())
        assert TOK.encode_spans(" 愛x".encode(), "char") == TOK.encode_spans(" 愛x")

    def test_the_same_beside_a_lone_surrogate(self) -> None:
        assert [token[2:] for token in TOK.encode_spans("a\ud800 愛")] == [
            *[(0, 1), (1, 2), (1, 2), (1, 2)],
            *[(2, 4), (3, 4), (3, 4)],
        ]

    def test_specials_have_their_width(self) -> None:
        text = "é<|日|> the"
        assert TOK.encode_spans(text, specials="parse") == [
            Token(262, "é", 0, 1),
            Token(SUN, "<|日|>", 1, 6),
            Token(260, " the", 6, 10),
        ]
        in_bytes = [(0, 2), (2, 9), (9, 13)]
        assert [token[2:] for token in TOK.encode_spans(text, "byte", specials="parse")] == in_bytes
        assert [token[2:] for token in TOK.encode_spans(text.encode(), specials="parse")] == in_bytes
        added = TOK.encode_spans(text, specials="parse", add_special=True)
        assert (added[0], added[-1]) == (Token(END, "<|end|>", 0, 0), Token(END_MARK, "<|end|>!", 10, 10))

    def test_bad_bytes_are_characters(self) -> None:
        raw = b"\xff\xe6\x97<|end|>\x80"
        assert [token[2:] for token in TOK.encode_spans(raw, "char", specials="parse")] == [
            *[(0, 1), (1, 3), (3, 10), (10, 11)]
        ]

    @given(TEXTS)
    def test_characters_are_those_of_the_bytes(self, text: str) -> None:
        edges = np.cumsum(
            [0, *(len(c.encode("utf-8", "surrogatepass")) for c in text)]
        )  # a surrogate has three bytes too
        for tok in ALL:
            for specials in ("text", "parse"):
                in_chars = tok.encode_spans(text, specials=specials)
                in_bytes = tok.encode_spans(text, "byte", specials=specials)
                assert [token[:2] for token in in_chars] == [token[:2] for token in in_bytes]
                starts = np.searchsorted(edges, [token.start for token in in_bytes], "right") - 1
                ends = np.searchsorted(edges, [token.end for token in in_bytes], "left")
                assert [token[2:] for token in in_chars] == list(zip(starts, ends, strict=True))

    @given(RAW)
    def test_bytes_are_tiled(self, raw: bytes) -> None:
        for tok in ALL:
            at = 0
            for token in tok.encode_spans(raw):
                assert (token.start, raw[token.start : token.end]) == (at, tok.id_to_bytes(token.id))
                at = token.end
            assert at == len(raw)


class TestAnyBytes:
    @given(RAW)
    def test_there_and_back(self, raw: bytes) -> None:
        for tok in ALL:
            for specials in ("text", "parse"):
                ids = tok.encode(raw, specials=specials)
                assert tok.decode_bytes(ids) == tok.decode_bytes(np.array(ids, np.uint32)) == raw

    @given(RAW)
    def test_errors_are_those_of_python(self, raw: bytes) -> None:
        ids = TOK.encode(raw)
        for errors in ("replace", "ignore"):
            assert TOK.decode(ids, errors=errors) == raw.decode("utf-8", errors)  # type: ignore[arg-type]
        try:
            expected = raw.decode("utf-8", "strict")
        except UnicodeDecodeError:
            with pytest.raises(ap.DecodeError) as error:
                TOK.decode(ids, errors="strict")
            assert error.value.code == "decode-invalid"
        else:
            assert TOK.decode(ids, errors="strict") == expected

    @given(TEXTS)
    def test_lone_surrogates_become_replacement_characters(self, text: str) -> None:
        repaired = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
        for tok in ALL:
            assert every_way(tok, text) == tok.encode(repaired)
            assert tok.decode(tok.encode(text)) == tok.normalize(text) == repaired


class TestStreams:
    @given(st.lists(VALID, max_size=6))
    def test_any_parting(self, parts: list[str]) -> None:
        for tok in ALL:
            for listed in (parts, list("".join(parts))):
                stream = tok.stream_encoder()
                ids = [id for part in listed for id in stream.push(part)]
                assert ids + stream.flush() == tok.encode("".join(parts))

    @given(SPACED, st.integers(1, 4))
    def test_white_space_may_be_parted(self, text: str, size: int) -> None:
        for tok in ALL:
            stream = tok.stream_encoder()
            ids = [id for at in range(0, len(text), size) for id in stream.push(text[at : at + size])]
            assert ids + stream.flush() == tok.encode(text)

    @given(RAW, st.integers(1, 5))
    def test_bytes_cut_anywhere(self, raw: bytes, size: int) -> None:
        for tok in ALL:
            stream = tok.stream_encoder()
            ids = [id for at in range(0, len(raw), size) for id in stream.push(raw[at : at + size])]
            assert ids + stream.flush() == tok.encode(raw)

    @given(st.lists(st.integers(0, len(RANKS.pieces) - 1), max_size=20), st.integers(1, 4))
    def test_decoder(self, ids: list[int], size: int) -> None:
        one_by_one, in_parts = TOK.stream_decoder(), TOK.stream_decoder()
        assert "".join([one_by_one.push(id) for id in ids]) + one_by_one.flush() == TOK.decode(ids)
        parts = [in_parts.push(ids[at : at + size]) for at in range(0, len(ids), size)]
        assert "".join(parts) + in_parts.flush() == TOK.decode(ids)

    def test_never_half_a_character(self) -> None:
        stream = TOK.stream_decoder()
        assert [stream.push(id) for id in TOK.encode(" 愛!")] == [" ", "", "愛", "!"]


class TestCut:
    @given(VALID | SPACED, st.integers(0, 6))
    def test_the_longest_prefix(self, text: str, n: int) -> None:
        for tok in ALL:
            best = max(end for end in range(len(text) + 1) if tok.count(text[:end]) <= n)
            assert tok.truncate(text, n) == text[:best]
            assert tok.truncate(text.encode(), n) == text[:best].encode()

    @given(st.sampled_from([" ", "  ", "\n", " \n", "the ", "日", "\t "]), st.integers(20, 90), st.integers(0, 9))
    def test_far_enough(self, part: str, times: int, n: int) -> None:
        for tok in ALL:
            for text in (part * times, part * times + "x", "a" + part * times + "x"):
                best = max(end for end in range(len(text) + 1) if tok.count(text[:end], n) <= n)
                assert tok.truncate(text, n) == text[:best]

    @given(VALID | SPACED, st.integers(4, 8), st.integers(0, 3))
    def test_parts_fit_and_are_the_text(self, text: str, n: int, overlap: int) -> None:
        for tok in ALL:
            parts = tok.split(text, n)
            assert "".join(parts) == text
            assert all(tok.count(part) <= n for part in parts)
            assert b"".join(tok.split(text.encode(), n)) == text.encode()
            for some in (tok.split(text, n, overlap), [part.decode() for part in tok.split(text.encode(), n, overlap)]):
                assert all(tok.count(part) <= n and part in text for part in some)

    def test_a_character_that_does_not_fit(self) -> None:
        with pytest.raises(ap.InputError, match="'愛' alone needs 3 tokens, more than n=2"):
            TOK.split("the愛", 2)


class TestVocabulary:
    def test_look_ups(self) -> None:
        assert (TOK.unk_id, TOK.bos_id, TOK.eos_id, TOK.pad_id) == (None, END, END_MARK, None)
        assert (len(TOK), TOK.kind(268), TOK.kind(END), TOK.kind(97)) == (272, Kind.UNUSED, Kind.CONTROL, Kind.NORMAL)
        assert [TOK.id_to_bytes(id) for id in (0, 0xFF, 263, 264, 268, SUN)] == [
            *[b"\0", b"\xff", b"\xe6\x97", "日".encode(), b"", "<|日|>".encode()]
        ]
        assert [TOK.id_to_piece(id) for id in (97, 0xFF, 263, 264, 268)] == ["a", "\ufffd", "\ufffd", "日", ""]
        assert [TOK.piece_to_id(piece) for piece in ("a", "日", " the", "<|end|>")] == [97, 264, 260, END]
        assert TOK.encode_pieces(" 愛") == [" \ufffd", "\ufffd", "\ufffd"]
        assert TOK.encode_pieces("the", unk_piece=True) == ["th", "e"]

    @pytest.mark.parametrize("piece", ["", "\ufffd", "▁the", "no"])
    def test_what_is_no_piece(self, piece: str) -> None:
        assert TOK.piece_to_id(piece, default=None) is None
        with pytest.raises(ap.UnknownPieceError) as error:
            TOK.piece_to_id(piece)
        assert "U+2581" not in str(error.value)

    def test_ids_are_checked(self) -> None:
        for bad in (-1, 272):
            with pytest.raises(ap.UnknownIdError):
                TOK.id_to_bytes(bad)
        with pytest.raises(ap.InputError):
            TOK.id_to_bytes("1")  # type: ignore[arg-type]

    def test_unused_ids_decode_to_nothing(self) -> None:
        assert (TOK.decode([97, 268, 98]), TOK.decode_bytes([268])) == ("ab", b"")


TEXT = "the xyz 日本 é\n\n  <|end|>! 愛 don't 12345\t "


class TestContent:
    def test_pickled(self) -> None:
        again = pickle.loads(pickle.dumps(TOK))
        assert again == TOK
        assert every_way(again, TEXT, specials="parse") == TOK.encode(TEXT, specials="parse")

    @pytest.mark.parametrize("mapped", [False, True])
    def test_as_anypiece(self, tmp_path: Path, mapped: bool) -> None:
        TOK.save(tmp_path / "tok.anypiece")
        again = ap.load(tmp_path / "tok.anypiece", mapped=mapped, verify=True)
        assert again == TOK
        assert again.spec == TOK.spec.replace(samples=again.spec.samples)
        assert len(again.spec.samples) == 16
        assert (again.unk_id, again.bos_id) == (None, END)
        assert every_way(again, TEXT, specials="parse") == TOK.encode(TEXT, specials="parse")

    def test_as_a_rank_file(self, tmp_path: Path) -> None:
        TOK.save(tmp_path / "tok.tiktoken")
        again = ap.load(tmp_path / "tok.tiktoken", splitter="cl100k", specials=SPECIALS)
        assert again.spec == RANKS.replace(bos_id=None, eos_id=None)
        assert every_way(again, TEXT, specials="parse") == TOK.encode(TEXT, specials="parse")
        assert ap.load(tmp_path, splitter="cl100k", specials=SPECIALS) == again  # the one file of a folder
        with pytest.raises(ap.FormatError):
            TOK.save(tmp_path / "tok.model")

    @pytest.mark.parametrize("splitter", NAMES)
    def test_what_is_stored_is_the_same_spec(self, tmp_path: Path, splitter: str) -> None:
        tok = TOK.replace(splitter=splitter)
        tok.save(tmp_path / "tok.anypiece")
        assert ap.load(tmp_path / "tok.anypiece") == tok

    @pytest.mark.parametrize("splitter", NAMES)
    def test_one_long_text_on_many_threads(self, splitter: str) -> None:
        text = "the xyz 日本 é  \n don't 12345 愛愛\t\t x" * 5000
        assert len(text.encode()) > 128 * 1024
        tok = TOK.replace(splitter=splitter)
        ids = tok.encode(text)
        for threads in (2, 3):
            assert tok.encode(text, threads=threads) == tok.encode_array(text, threads=threads).tolist() == ids
        assert tok.encode(text + "<|end|>" + text, threads=2, specials="parse") == [*ids, END, *ids]


SPEC_ERRORS: dict[str, tuple[Spec, str]] = {
    "a splitter for characters": (UNIGRAM.replace(splitter="gpt2"), "spec-stages"),
    "chunks for characters": (UNIGRAM.replace(whole_chunks=True), "spec-stages"),
    "another segmenter": (RANKS.replace(segmenter="unigram"), "spec-stages"),
    "a prefix": (RANKS.replace(add_dummy_prefix=True), "spec-stages"),
    "fewer spaces": (RANKS.replace(remove_extra_whitespaces=True), "spec-stages"),
    "escaped spaces": (RANKS.replace(escape_whitespaces=True), "spec-stages"),
    "byte fallback": (RANKS.replace(byte_fallback=True), "spec-stages"),
    "a character map": (RANKS.replace(charsmap=b"x"), "spec-stages"),
    "a denormalizer": (RANKS.replace(denormalizer=b"x"), "spec-stages"),
    "a splitter that is not known": (RANKS.replace(splitter="gpt5"), "spec-config"),
    "other symbols": (RANKS.replace(symbols="words"), "spec-config"),
    "a byte less": (RANKS.replace(pieces=Pieces.of(list(RANKS.pieces)[1:])), "spec-bytes"),
    "a byte that is a control": (
        RANKS.replace(pieces=Pieces.of([(b"\0", 0.0, Kind.CONTROL), *list(RANKS.pieces)[1:]])),
        "spec-bytes",
    ),
    "an unknown piece": (with_pieces((b"<unk>", 0.0, Kind.UNKNOWN)), "spec-kind"),
    "a user-defined piece": (with_pieces((b"ab", 0.0, Kind.USER_DEFINED)), "spec-kind"),
    "a byte piece": (with_pieces((b"<0x00>", 0.0, Kind.BYTE)), "spec-kind"),
    "an unused piece with text": (with_pieces((b"ab", 0.0, Kind.UNUSED)), "spec-kind"),
    "an empty piece": (with_pieces((b"", 0.0, Kind.NORMAL)), "spec-piece-empty"),
    "an empty control piece": (with_pieces((b"", 0.0, Kind.CONTROL)), "spec-piece-empty"),
    "a control piece that is no text": (with_pieces((b"\xff\xff", 0.0, Kind.CONTROL)), "spec-piece-utf8"),
    "the same twice": (with_pieces((b"th", -300.0, Kind.NORMAL)), "spec-piece-duplicate"),
    "the same control twice": (with_pieces((b"<|end|>", 0.0, Kind.CONTROL)), "spec-piece-duplicate"),
    "a role outside": (RANKS.replace(pad_id=272), "spec-special-id"),
}


@pytest.mark.parametrize(("spec", "code"), SPEC_ERRORS.values(), ids=SPEC_ERRORS)
def test_what_cannot_be_built(spec: Spec, code: str) -> None:
    with pytest.raises(ap.SpecError) as error:
        ap.Tokenizer(spec)
    assert error.value.code == code, str(error.value)


def test_the_longest_prefix_may_end_two_chunks_further() -> None:
    tok = ap.Tokenizer(with_pieces((b"\n    ", -300.0, Kind.NORMAL)))
    assert tok.encode("\n    ") == [272]
    assert tok.truncate("\n    b", 1) == "\n    "


@pytest.mark.parametrize("raw", [b"\x80", b"a\xed\xa0\x80b"])
def test_a_place_for_each_normalized_character(raw: bytes) -> None:
    normalized, offsets = TOK.normalize_offsets(raw)
    assert len(offsets) == len(normalized) + 1


def test_text_that_is_not_split_is_one_unit_whatever_it_holds() -> None:
    tok = TOK.replace(splitter=None)
    for text in (b"\xef\xbf\xbf\xbf" * 3000, b"\xbf" * 9000, "日本 the".encode() * 900):
        assert len(tok._kernel.units(text)) == 1
        assert tok.count(tok.truncate(text, 5)) <= 5
