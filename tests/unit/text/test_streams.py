"""Stream decoding: what is given out when, bytes that are not UTF-8, special tokens, and many sequences in one call."""

from __future__ import annotations

import numpy as np
import pytest

import anypiece as ap
from tests.support.decode_steps import SP, tokenizer

TOK = tokenizer([step for step, _ in SP])
"""Replace, byte fallback, fuse and strip, as in the files of Llama-2 and Phi-3."""

A, C3, A9, FF, E, X41 = 3, 9, 10, 11, 22, 8


def marked() -> ap.Tokenizer:
    rows = [("<unk>", 0.0, ap.Kind.UNKNOWN), ("<s>", 0.0, ap.Kind.CONTROL)]
    rows += [(f"<0x{byte:02X}>", 0.0, ap.Kind.BYTE) for byte in range(256)]
    rows += [("▁a", -1.0, ap.Kind.NORMAL), ("b", -2.0, ap.Kind.NORMAL)]
    return ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), segmenter="unigram", byte_fallback=True))


MARKED = marked()


def pushed(tok: ap.Tokenizer, ids: list[int]) -> list[str]:
    stream = tok.stream_decoder()
    return [*(stream.push(id) for id in ids), stream.flush()]


class TestBytes:
    def test_a_character_is_out_when_it_is_complete(self) -> None:
        assert pushed(TOK, [X41, X41, C3, A9, X41]) == ["A", "A", "", "é", "A", ""]

    @pytest.mark.parametrize(
        ("ids", "texts", "whole"),
        [
            ([X41, C3, A], ["A", "", "\ufffda", ""], "\ufffd\ufffda"),
            ([X41, FF, X41, A], ["A", "\ufffd", "\ufffd", "a", ""], "\ufffd\ufffd\ufffda"),
            ([FF, X41, A], ["\ufffd", "\ufffd", "a", ""], "\ufffd\ufffda"),
            ([X41, C3], ["A", "", "\ufffd"], "\ufffd\ufffd"),
        ],
    )
    def test_a_bad_byte_does_not_take_back_what_is_out(self, ids: list[int], texts: list[str], whole: str) -> None:
        """The only texts in which a stream and ``decode`` differ."""
        assert pushed(TOK, ids) == texts
        assert TOK.decode(ids) == whole
        stream = TOK.stream_decoder()
        assert stream.push(ids) + stream.flush() == "".join(texts)

    def test_a_run_is_not_looked_at_again(self) -> None:
        """What is held of a long run does not grow: the text comes out with every push."""
        stream = TOK.stream_decoder()
        assert all(stream.push(X41) == "A" for _ in range(3000))
        assert stream.push(FF) == "\ufffd"
        assert all(stream.push(X41) == "\ufffd" for _ in range(3000))


class TestSpecials:
    def test_they_are_left_out(self) -> None:
        ids = [1, 258, 1, 2 + 0xC3, 1, 2 + 0xA9, 1]
        stream = MARKED.stream_decoder(skip_special=True)
        texts = [stream.push(id) for id in ids]
        assert texts == ["", "a", "", "", "", "é", ""]
        assert "".join(texts) + stream.flush() == MARKED.decode(ids, skip_special=True)
        assert "".join(pushed(MARKED, ids)) == MARKED.decode(ids) == "a\ufffd\ufffd"

    def test_in_a_batch(self) -> None:
        streams = MARKED.batch_stream_decoder(skip_special=True)
        streams.add()
        streams.add([1])
        assert streams.push_batch([1, 258]) == ["", "a"]
        assert streams.push_batch([[1, 259, 1], []]) == ["b", ""]


class TestBatch:
    def test_sequences_come_and_go(self) -> None:
        streams = TOK.batch_stream_decoder()
        one, two = streams.add(), streams.add()
        assert streams.push_batch([A, C3]) == ["a", ""]
        three = streams.add()
        assert streams.sequences == (one, two, three)
        assert len(streams) == 3
        assert streams.push_batch(np.array([A, A9, E])) == ["a", "é", "é"]
        assert streams.flush(one) == ""
        assert streams.push_batch([C3], [three]) == [""]
        streams.remove(two)
        assert streams.push_batch([A]) == ["\ufffda"]
        assert streams.add() not in (one, two, three)

    def test_several_ids_each(self) -> None:
        streams = TOK.batch_stream_decoder()
        numbers = [streams.add() for _ in range(3)]
        assert streams.push_batch([[A, A], [], (C3,)]) == ["aa", "", ""]
        assert streams.push_batch(np.array([[A9, A], [A, A]]), [numbers[2], numbers[0]]) == ["éa", "aa"]
        assert TOK.batch_stream_decoder().push_batch([]) == []

    def test_a_prompt_is_not_returned(self) -> None:
        streams = TOK.batch_stream_decoder()
        streams.add()
        streams.add([A])
        assert streams.push_batch([0, 0]) == ["a", " a"]

    def test_what_is_refused_changes_nothing(self) -> None:
        streams = TOK.batch_stream_decoder()
        number = streams.add([C3])
        streams.remove(streams.add())
        for code, call in {
            "argument-value": lambda: streams.push_batch([A9, A]),
            "stream-finished": lambda: streams.push_batch([A9, A9], [number, number + 1]),
            "id-out-of-range": lambda: streams.push_batch([10**6]),
            "input-type": lambda: streams.push_batch(["a"]),
        }.items():
            with pytest.raises(ap.AnyPieceError) as caught:
                call()
            assert caught.value.code == code
        with pytest.raises(ap.InputError, match="sequence 1 is not in this batch"):
            streams.flush(number + 1)
        with pytest.raises(ap.InputError):
            streams.flush(-1)
        assert streams.push_batch([A9]) == ["é"]
