"""The documented surface: what each method returns, for which arguments, and that all of them agree with each other."""

from __future__ import annotations

import pickle
import sys
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece.errors import InputTypeError
from tests.support.small_tokenizers import ALL, BYTE_TOK, RAW, SPECIAL_TOK, TEXTS, TOK, code_of
from tests.support.small_vocabularies import UNIGRAM


class TestEncode:
    def test_ids_worked_out_by_hand(self) -> None:
        assert TOK.encode("a ab") == [8, 10]
        assert TOK.encode("") == TOK.encode("   ") == []
        assert TOK.encode("a日本b") == [8, 0, 5]  # neighbouring unknowns are one token
        assert BYTE_TOK.encode("日") == [259, 3 + 0xE6, 3 + 0x97, 3 + 0xA5]

    @pytest.mark.parametrize("around", [16, 256, 512, 1024, 65536])
    def test_units_of_any_length(self, around: int) -> None:
        rows = [("<unk>", 0, 2), ("▁", -1, 1), ("a", -1, 1), ("aa", -9, 1)]  # nothing cuts a run of "a"
        tok = ap.Tokenizer(ap.Spec(ap.Pieces.of(rows)))
        for length in range(around - 2, around + 18):
            assert tok.encode("a" * length) == [1] + [2] * length

    def test_numbers_of_lists_are_shared_up_to_a_bound_and_right_beyond_it(self) -> None:
        places = [1, 255, 256, 257, 511, 512, 262_143, 262_144, 262_150]
        rows = [("<unk>", 0, 2), *[(f"x{number}x", 0, 5) for number in range(1, 262_151)]]  # all but some are unused
        for number in places:
            rows[number] = (chr(0x4E00 + number % 20_000), 0, 1)
        tok = ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), segmenter="char", add_dummy_prefix=False))
        text = "".join(rows[number][0] for number in places)
        for _ in range(2):
            assert tok.encode(text) == places == tok.encode_array(text).tolist()
            assert all(type(id) is int for id in tok.encode(text))

    def test_bytes_and_str_are_the_same_text(self) -> None:
        assert TOK.encode("a é".encode()) == TOK.encode("a é")

    @pytest.mark.parametrize("text", ["a é日ab " * 100, "b\ud800é " * 100, "é" * 255, "é" * 256, "é" * 257])
    def test_a_long_str_is_read_without_keeping_its_utf8(self, text: str) -> None:
        short = "".join(chr(ord(character)) for character in text)  # a copy that nothing has read yet
        size = sys.getsizeof(short)
        expected = TOK.encode(text.encode("utf-8", "surrogatepass").replace(b"\xed\xa0\x80", "\ufffd".encode()))
        assert TOK.encode(short) == TOK.encode_array(short).tolist() == expected
        assert TOK.encode_batch([short, "a", short], threads=2).tolist() == [expected, TOK.encode("a"), expected]
        assert TOK.count(short) == len(expected)
        if len(text) > 256:
            assert sys.getsizeof(short) == size

    @pytest.mark.parametrize("options", [{}, {"threads": 2}, {"threads": None}, {"specials": "parse"}])
    def test_options_that_change_nothing(self, options: dict[str, Any]) -> None:
        assert TOK.encode("a ab c", **options) == TOK.encode("a ab c")
        assert TOK.encode_array("a ab c", **options).tolist() == TOK.encode("a ab c")

    @pytest.mark.parametrize(
        ("add_special", "expected"),
        [(False, [8, 10]), (True, [1, 8, 10, 2]), ("bos", [1, 8, 10]), ("eos", [8, 10, 2])],
    )
    def test_add_special(self, add_special: Any, expected: list[int]) -> None:
        assert TOK.encode("a ab", add_special=add_special) == expected
        assert TOK.encode_array("a ab", add_special=add_special).tolist() == expected
        assert TOK.encode_batch(["a ab", "a ab"], add_special=add_special).tolist() == [expected, expected]
        assert [token.id for token in TOK.encode_spans("a ab", add_special=add_special)] == expected
        assert TOK.encode_pieces("a ab", add_special=add_special) == [TOK.id_to_piece(i) for i in expected]
        assert TOK.count("a ab", add_special=add_special) == len(expected)
        assert TOK.count_batch(["a ab"], add_special=add_special).tolist() == [len(expected)]

    def test_reverse_comes_before_bos_and_eos(self) -> None:
        assert TOK.encode("a ab", reverse=True) == [10, 8]
        assert TOK.encode("a ab", reverse=True, add_special=True) == [1, 10, 8, 2]
        assert TOK.encode_array("a ab", reverse=True, add_special="eos").tolist() == [10, 8, 2]
        assert TOK.encode_batch(["a ab", "", "a"], reverse=True, add_special=True).tolist() == [
            [1, 10, 8, 2],
            [1, 2],
            [1, 8, 2],
        ]
        assert TOK.encode_pieces("a ab", reverse=True) == ["▁ab", "▁a"]

    def test_a_missing_special_names_the_one_there_is(self) -> None:
        with pytest.raises(ap.InputError, match='add_special="eos"') as error:
            TOK.replace(bos_id=None).encode("a", add_special=True)
        assert code_of(error) == "special-missing"
        with pytest.raises(ap.InputError, match="Leave add_special out"):
            TOK.replace(bos_id=None, eos_id=None).encode("a", add_special="bos")

    def test_array_type(self) -> None:
        assert TOK.encode_array("a ab").dtype == np.uint32
        assert TOK.encode_array("a ab", add_special=True).dtype == np.uint32
        assert TOK.encode_array("").shape == (0,)

    def test_arrays_that_are_kept(self) -> None:
        # Their memory is made ready many at a time, and as the heap shrinks and grows again.
        texts = ["a ab " * size for size in range(0, 4000, 7)]
        for _ in range(3):
            kept = [BYTE_TOK.encode_array(text) for text in texts for _ in range(3)]
            lists = [BYTE_TOK.encode(text) for text in texts]
            assert all(array.tolist() == lists[at // 3] for at, array in enumerate(kept))
            del kept

    @pytest.mark.parametrize("text", [None, 5, 1.5, ["a"], bytearray(b"a"), memoryview(b"a"), np.array([1])])
    def test_wrong_types(self, text: Any) -> None:
        calls: list[Any] = [
            TOK.encode, TOK.encode_array, TOK.encode_spans, TOK.encode_pieces, TOK.count, TOK.normalize,
            TOK.normalize_offsets, TOK.explain, TOK.stream_encoder().push,
            lambda t: TOK.encode(t, add_special=True), lambda t: TOK.encode(t, specials="error"),
            lambda t: TOK.truncate(t, 1), lambda t: TOK.split(t, 1),
            lambda t: TOK.encode_batch(["a", t]), lambda t: TOK.count_batch([t]),
        ]  # fmt: skip
        for call in calls:
            with pytest.raises(InputTypeError) as error:
                call(text)
            assert code_of(error) == "input-type"
            assert isinstance(error.value, TypeError)

    def test_a_batch_names_the_wrong_text(self) -> None:
        with pytest.raises(InputTypeError, match="text number 1"):
            TOK.encode_batch(["a", None])  # type: ignore[list-item]

    def test_one_text_is_not_a_batch(self) -> None:
        with pytest.raises(InputTypeError, match=r"\[text\]"):
            TOK.encode_batch("a b")
        with pytest.raises(InputTypeError, match="sequence"):
            TOK.encode_batch(5)  # type: ignore[arg-type]

    def test_any_iterable_is_a_batch(self) -> None:
        assert TOK.encode_batch(word for word in ("a", "ab")).tolist() == [[8], [10]]
        assert len(TOK.encode_batch([])) == 0
        assert TOK.encode_batch([], add_special=True).tolist() == []

    @pytest.mark.parametrize("threads", [0, -1])
    def test_threads_below_one(self, threads: int) -> None:
        with pytest.raises(ap.InputError, match="threads must be at least 1") as error:
            TOK.encode("a", threads=threads)
        assert code_of(error) == "argument-value"


class TestLoneSurrogates:
    """One bad character each: U+FFFD for a SentencePiece vocabulary, and one character wide in every span."""

    def test_each_becomes_one_replacement_character(self) -> None:
        assert TOK.normalize("a\ud800b") == "▁a\ufffdb"
        assert TOK.normalize("\ud83e\udd8a") == "▁\ufffd\ufffd"  # two halves of a fox are two bad characters
        assert TOK.encode("a\ud800") == TOK.encode("a\ufffd") == TOK.encode(b"a\xff")

    def test_spans_count_them_as_characters(self) -> None:
        text = "a\ud800é b"
        assert [text[token.start : token.end] for token in TOK.encode_spans(text)] == ["a", "\ud800", "é", " ", "b"]
        assert TOK.normalize_offsets(text)[1].tolist() == [0, 0, 1, 2, 3, 4, 5]
        assert TOK.encode_spans(text, add_special="eos")[-1].start == 5

    def test_byte_spans_count_one_byte(self) -> None:
        assert [(t.start, t.end) for t in TOK.encode_spans("\ud800é", "byte", add_special="eos")] == [
            (0, 0),
            (0, 1),
            (1, 3),
            (3, 3),
        ]

    @given(TEXTS)
    def test_every_path_agrees(self, text: str) -> None:
        for tok in ALL:
            ids = tok.encode(text)
            assert tok.encode_array(text).tolist() == tok.encode_batch(["a", text])[1].tolist() == ids
            assert tok.count(text) == tok.count_batch([text])[0] == len(ids)
            assert [token.id for token in tok.encode_spans(text)] == ids
            assert "".join(tok.split(text, 8)) == text
            stream = tok.stream_encoder()
            assert [i for character in text for i in stream.push(character)] + stream.flush() == ids


class TestSpans:
    def test_characters_for_str_and_bytes_for_bytes(self) -> None:
        assert TOK.encode_spans("é a") == [ap.Token(3, "▁", 0, 0), ap.Token(7, "é", 0, 1), ap.Token(8, "▁a", 1, 3)]
        assert [token[2:] for token in TOK.encode_spans("é a".encode())] == [(0, 0), (0, 2), (2, 4)]
        assert TOK.encode_spans("é a".encode(), "char") == TOK.encode_spans("é a")
        assert TOK.encode_spans("é a", "byte") == TOK.encode_spans("é a".encode())

    def test_unknown_text_or_the_unknown_piece(self) -> None:
        assert TOK.encode_pieces("a日") == ["▁a", "日"]
        assert TOK.encode_pieces("a日", unk_piece=True) == ["▁a", "<unk>"]
        assert TOK.encode_spans("a日", unk_piece=True)[1] == ap.Token(0, "<unk>", 1, 2)

    def test_specials_have_no_width(self) -> None:
        tokens = TOK.encode_spans("é", "byte", add_special=True)
        assert (tokens[0], tokens[-1]) == (ap.Token(1, "<s>", 0, 0), ap.Token(2, "</s>", 2, 2))

    def test_unit_is_checked(self) -> None:
        with pytest.raises(ap.InputError, match="unit") as error:
            TOK.encode_spans("a", "word")  # type: ignore[arg-type]
        assert code_of(error) == "argument-value"

    @given(RAW)
    def test_bytes_of_any_kind(self, raw: bytes) -> None:
        for tok in ALL:
            tokens = tok.encode_spans(raw)
            assert [token.id for token in tokens] == tok.encode(raw)
            assert all(0 <= token.start <= token.end <= len(raw) for token in tokens)
            assert "".join(tok.encode_pieces(raw)) == tok.normalize(raw) or tok is BYTE_TOK


class TestSpecials:
    def test_text_is_text_by_default(self) -> None:
        assert 1 not in SPECIAL_TOK.encode("<s>a")
        assert SPECIAL_TOK.encode("<s>a", specials="parse") == SPECIAL_TOK.encode("<s>a")

    def test_user_defined_pieces_are_vocabulary(self) -> None:
        assert 12 in SPECIAL_TOK.encode("a[USER]b", specials="error")

    @pytest.mark.parametrize("text", ["a<s>", "[SEP]", b"a</s>", "\ud800<s>"])
    def test_error_in_every_entry_point(self, text: str | bytes) -> None:
        for method in ("encode", "encode_array", "encode_spans", "encode_pieces", "count"):
            with pytest.raises(ap.InputError, match="spelling of a control piece") as error:
                getattr(SPECIAL_TOK, method)(text, specials="error")
            assert code_of(error) == "special-in-text"
        for method in ("encode_batch", "count_batch"):
            with pytest.raises(ap.InputError, match="spelling of a control piece"):
                getattr(SPECIAL_TOK, method)(["a", text], specials="error")

    def test_a_set_permits_its_names_only(self) -> None:
        assert SPECIAL_TOK.encode("a<s>", specials={"<s>"}) == SPECIAL_TOK.encode("a<s>")
        with pytest.raises(ap.InputError) as error:
            SPECIAL_TOK.encode("a<s>[SEP]", specials={"<s>"})
        assert error.value.facts == {"special": "[SEP]", "start": 4}

    def test_names_must_be_control_pieces(self) -> None:
        with pytest.raises(ap.InputError, match=r"\[USER\]") as error:
            SPECIAL_TOK.encode("a", specials={"[USER]"})
        assert code_of(error) == "special-missing"
        with pytest.raises(ap.InputError, match="specials must be") as error:
            SPECIAL_TOK.encode("a", specials="raise")
        assert code_of(error) == "argument-value"


class TestBatch:
    def test_it_is_a_sequence(self) -> None:
        batch = TOK.encode_batch(["a", "", "a ab", "c"])
        assert batch.ids.dtype == np.uint32
        assert batch.offsets.dtype == np.int64
        assert [row.tolist() for row in batch] == batch.tolist() == [[8], [], [8, 10], [3, 6]]
        assert batch[-1].tolist() == [3, 6]
        assert batch[1:3].tolist() == [[], [8, 10]]
        assert batch[::-2].tolist() == [[3, 6], []]
        assert batch[5:].tolist() == []
        assert batch == TOK.encode_batch(["a", "", "a ab", "c"]) != batch[:2]
        assert repr(batch) == "<Batch of 4 texts, 5 tokens>"
        with pytest.raises(IndexError):
            batch[4]

    def test_it_is_frozen(self) -> None:
        with pytest.raises(AttributeError):
            TOK.encode_batch(["a"]).ids = np.zeros(1, np.uint32)  # type: ignore[misc]

    @given(st.lists(TEXTS, max_size=6), st.integers(1, 4))
    def test_equals_one_by_one(self, texts: list[str], threads: int) -> None:
        for tok in ALL:
            assert tok.encode_batch(texts, threads=threads).tolist() == [tok.encode(text) for text in texts]
            assert tok.count_batch(texts, threads=threads).tolist() == [tok.count(text) for text in texts]


class TestDecode:
    def test_text(self) -> None:
        assert TOK.decode([8, 10]) == "a ab"
        assert TOK.decode([1, 8, 2]) == "a"
        assert TOK.decode([8, 0]) == "a ⁇ "
        assert TOK.decode([]) == ""
        assert BYTE_TOK.decode_bytes([3 + 0xE6, 3 + 0x97]) == b"\xe6\x97"

    @pytest.mark.parametrize(
        "ids",
        [
            (8, 10),
            np.array([8, 10]),
            np.array([8, 10], np.uint32),
            np.array([0, 8, 0, 10], np.int16)[1::2],
            [np.int64(8), np.uint8(10)],
            iter([8, 10]),
            range(8, 11, 2),
        ],
    )
    def test_ids_in_any_shape(self, ids: Any) -> None:
        assert TOK.decode(ids) == "a ab"

    @pytest.mark.parametrize(
        "ids",
        [
            [True],
            [8, 1.0],
            np.array([1.0]),
            np.array([True]),
            np.array([[1]]),
            8,
            np.int64(8),
            "8",
            b"8",
            [None],
            ["8"],
            None,
        ],
    )
    def test_what_is_no_id(self, ids: Any) -> None:
        for call in (TOK.decode, TOK.decode_bytes, lambda i: TOK.decode(i, skip_special=True)):
            with pytest.raises(InputTypeError) as error:
                call(ids)
            assert code_of(error) == "input-type"

    @pytest.mark.parametrize("bad", [-1, 11, 2**31, 2**32, 2**70])
    def test_out_of_range(self, bad: int) -> None:
        shapes: list[Any] = [[8, bad], [np.int64(8), bad], *([np.array([8, bad])] if bad < 2**63 else [])]
        for ids in shapes:
            with pytest.raises(ap.UnknownIdError, match=f"Id {bad} is not in this vocabulary") as error:
                TOK.decode(ids)
            assert (code_of(error), error.value.facts["id"]) == ("id-out-of-range", bad)
            assert isinstance(error.value, IndexError)

    def test_errors(self) -> None:
        ids = [3 + 0xE6, 260]
        assert BYTE_TOK.decode(ids) == "\ufffda"
        assert BYTE_TOK.decode(ids, errors="ignore") == "a"
        with pytest.raises(ap.DecodeError) as error:
            BYTE_TOK.decode(ids, errors="strict")
        assert code_of(error) == "decode-invalid"
        with pytest.raises(ap.InputError) as wrong:
            BYTE_TOK.decode(ids, errors="surrogateescape")  # type: ignore[arg-type]
        assert code_of(wrong) == "argument-value"

    def test_skip_special_joins_the_bytes_of_a_character(self) -> None:
        ids = [3 + 0xC3, 1, 3 + 0xA9]
        assert BYTE_TOK.decode(ids) == "\ufffd\ufffd"
        assert BYTE_TOK.decode(ids, skip_special=True) == BYTE_TOK.decode(np.array(ids), skip_special=True) == "é"
        assert BYTE_TOK.decode_bytes(ids, skip_special=True) == "é".encode()

    def test_batch(self) -> None:
        assert TOK.decode_batch(TOK.encode_batch(["a ab", "", "a"])) == ["a ab", "", "a"]
        assert TOK.decode_batch([[8], (10,)]) == ["a", "ab"]

    @given(TEXTS)
    def test_streaming_equals_decode(self, text: str) -> None:
        ids = BYTE_TOK.encode(text)
        one_by_one, stream = BYTE_TOK.stream_decoder(), BYTE_TOK.stream_decoder()
        parts = [one_by_one.push(i) for i in ids]
        assert "".join(parts) + one_by_one.flush() == BYTE_TOK.decode(ids)
        assert stream.push(np.array(ids, np.uint32)) + stream.flush() == BYTE_TOK.decode(ids)


class TestStreams:
    def test_never_half_a_character(self) -> None:
        stream = BYTE_TOK.stream_decoder()
        assert [stream.push(3 + byte) for byte in "日".encode()] == ["", "", "日"]

    def test_finished(self) -> None:
        encoder, decoder = TOK.stream_encoder(), TOK.stream_decoder()
        encoder.flush()
        decoder.flush()
        for call in (lambda: encoder.push("a"), encoder.flush, lambda: decoder.push([1]), decoder.flush):
            with pytest.raises(ap.InputError, match="make a new one") as error:
                call()
            assert code_of(error) == "stream-finished"

    def test_wrong_input_leaves_the_stream_usable(self) -> None:
        encoder = TOK.stream_encoder()
        with pytest.raises(InputTypeError):
            encoder.push(5)  # type: ignore[arg-type]
        assert encoder.push("a") + encoder.flush() == [8]
        decoder = TOK.stream_decoder()
        with pytest.raises(ap.UnknownIdError):
            decoder.push([8, 99])
        with pytest.raises(InputTypeError):
            decoder.push(True)
        assert decoder.push(8) + decoder.flush() == "a"

    @given(RAW, st.integers(1, 5))
    def test_bytes_may_be_cut_anywhere(self, raw: bytes, size: int) -> None:
        for tok in ALL:
            stream = tok.stream_encoder()
            parts = [stream.push(raw[at : at + size]) for at in range(0, len(raw), size)]
            assert [i for part in parts for i in part] + stream.flush() == tok.encode(raw)


class TestVocabulary:
    def test_look_ups(self) -> None:
        assert (TOK.vocab_size, len(TOK)) == (11, 11)
        assert (TOK.id_to_piece(8), TOK.piece_to_id("▁a")) == ("▁a", 8)
        assert TOK.id_to_piece(np.uint32(8)) == "▁a"
        assert (TOK.score(8), TOK.kind(8), TOK.kind(1)) == (-1.0, ap.Kind.NORMAL, ap.Kind.CONTROL)
        assert (TOK.unk_id, TOK.bos_id, TOK.eos_id, TOK.pad_id) == (0, 1, 2, None)

    def test_unknown_pieces(self) -> None:
        with pytest.raises(ap.UnknownPieceError, match="'x' is not a piece") as error:
            TOK.piece_to_id("x")
        assert code_of(error) == "piece-unknown"
        assert isinstance(error.value, KeyError)
        assert TOK.piece_to_id("x", default=None) is None
        assert TOK.piece_to_id("\ud800", default=-1) == -1
        with pytest.raises(InputTypeError):
            TOK.piece_to_id(b"x")  # type: ignore[arg-type]

    @pytest.mark.parametrize("method", ["id_to_piece", "score", "kind"])
    def test_ids_are_checked(self, method: str) -> None:
        for bad in (-1, 11, 2**40):
            with pytest.raises(ap.UnknownIdError):
                getattr(TOK, method)(bad)
        for wrong in (True, 1.0, "1", None):
            with pytest.raises(InputTypeError):
                getattr(TOK, method)(wrong)


class TestContent:
    def test_immutable(self) -> None:
        with pytest.raises(AttributeError, match="replace"):
            TOK.spec = UNIGRAM  # type: ignore[misc]
        with pytest.raises(AttributeError):
            TOK.anything = 1
        with pytest.raises(AttributeError):
            del TOK._kernel

    def test_equal_by_content(self) -> None:
        again = ap.Tokenizer(UNIGRAM.replace(), cache_slots=0)
        assert again == TOK
        assert hash(again) == hash(TOK)
        assert len({again, TOK, BYTE_TOK}) == 2
        assert TOK != "tokenizer"
        assert TOK.fingerprint[:12] in repr(TOK)

    def test_pickled_by_content(self) -> None:
        for tok in ALL:
            again = pickle.loads(pickle.dumps(tok))
            assert again == tok
            assert again.encode("a ab é日") == tok.encode("a ab é日")

    def test_replace(self) -> None:
        bare = TOK.replace(add_dummy_prefix=False)
        assert (bare.encode("ab"), TOK.encode("ab")) == ([9], [10])
        with pytest.raises(ap.InputError, match="no field 'add_prefix'") as error:
            TOK.replace(add_prefix=False)
        assert code_of(error) == "argument-value"
        with pytest.raises(ap.SpecError):
            TOK.replace(segmenter="sentence")

    def test_spec_only(self) -> None:
        with pytest.raises(InputTypeError, match="load"):
            ap.Tokenizer("tokenizer.model")  # type: ignore[arg-type]

    def test_threads_share_it(self) -> None:
        found: list[list[int]] = []
        threads = [
            threading.Thread(target=lambda: found.extend(TOK.encode(f"a ab {'b' * i}") for i in range(50)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found) == sorted([TOK.encode(f"a ab {'b' * i}") for i in range(50)] * 4)


def test_the_embedded_default() -> None:
    tok = ap.load()
    for text in ("Hello, world!", "日本語", "🦊 fox", "naïve café"):
        assert tok.decode(tok.encode(text)) == text
