"""Counting words: the kernel counts as the reference does, in any memory and on any number of threads; tables add up."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import anypiece as ap
from anypiece import FormatError, InputError, _native
from anypiece.corpus.readers import Corpus
from anypiece.reference import words as reference
from anypiece.training import words as module
from anypiece.training.options import PieceOptions
from anypiece.training.preparation import (
    BytePieceText,
    ByteText,
    Preparation,
    SentenceText,
    WordPieceText,
    prepared_sentences,
)
from anypiece.training.words import WordCounts, counted, merge_words

ALPHABET = ["a", "b", "ab", " ", "  ", "▁", "é", "e\u0301", "狐", "🦊", "\t", "<x>", "<s>", "ﬁ", "1", "\u3000"]


def texts(seed: int, amount: int = 300) -> list[str]:
    chance = random.Random(seed)
    return ["".join(chance.choices(ALPHABET, k=chance.randrange(0, 30))) for _ in range(amount)]


def sentences(**options: Any) -> Preparation:
    return prepared_sentences("unigram", SentenceText(), PieceOptions(**options))


WAYS: dict[str, dict[str, Any]] = {
    "prefix": {},
    "prefix-runs": {"allow_whitespace_only_pieces": True},
    "suffix": {"treat_whitespace_as_suffix": True},
    "suffix-runs": {"treat_whitespace_as_suffix": True, "allow_whitespace_only_pieces": True},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("squeeze", [True, False])
def test_words_are_those_of_the_reference(way: str, threads: int, squeeze: bool) -> None:
    options = PieceOptions(user_defined_symbols=("<x>",), **WAYS[way])
    preparation = prepared_sentences("unigram", SentenceText(remove_extra_whitespaces=squeeze), options)
    assert preparation.cutting == way
    some = texts(1)
    counts = counted(Corpus(some), preparation, threads=threads)
    normalize = ap.Tokenizer(preparation.skeleton).normalize
    how = {"suffix": way.startswith("suffix"), "runs": way.endswith("runs")}
    wanted = reference.count_words(map(normalize, some), preparation.breaks, **how)
    assert list(counts.items()) == [(word.encode(), count) for word, count in wanted.items()]
    assert counts.total == sum(wanted.values())
    assert counts.facts["texts"] == len(some)


@pytest.mark.parametrize("options", [{}, {"treat_whitespace_as_suffix": True}, {"split_by_whitespace": False}], ids=str)
def test_words_to_look_up_are_not_parted(options: dict[str, Any]) -> None:
    given = PieceOptions(user_defined_symbols=("<x>",), **options)
    preparation = prepared_sentences("word", SentenceText(), given)
    assert "▁<x>" in preparation.breaks
    some = texts(1)
    symbols = re.compile("|".join(map(re.escape, sorted(preparation.breaks, key=len, reverse=True))))
    marked = [symbols.sub("\x1f", text) for text in map(ap.Tokenizer(preparation.skeleton).normalize, some)]
    wanted = reference.count_words(marked)
    assert any("\x1f" in word for word in wanted)
    assert dict(counted(Corpus(some), preparation).items()) == {word.encode(): count for word, count in wanted.items()}


def test_words_with_a_symbol_are_no_pieces() -> None:
    tok = ap.train(["ab<x>cd <x> ab x\ty"] * 3, "word", vocab_size=8, user_defined_symbols=["<x>"],
                   normalization_rule_name="identity", hard_vocab_limit=False)  # fmt: skip
    names = ["<unk>", "<s>", "</s>", "<x>", "▁<x>", "▁ab", "▁x\ty"]
    assert [tok.id_to_piece(id) for id in range(tok.vocab_size)] == names


def test_whole_texts_are_words_where_spaces_do_not_cut() -> None:
    counts = counted(Corpus(["to be", "to be", "or<s>not"]), sentences(split_by_whitespace=False))
    assert dict(counts.items()) == {"▁to▁be".encode(): 2, "▁or".encode(): 1, b"not": 1}


def test_chunks_of_splitters() -> None:
    split = counted(Corpus(["a b<|end|> c\n\n d", "a b"]), ByteText("gpt2").prepared(("<|end|>",)))
    assert dict(split.items()) == {b"a": 2, b" b": 2, b" c": 1, b"\n\n": 1, b" d": 1}
    matched = counted(Corpus(["ab 12 cd"]), ByteText(pattern="[a-z]+").prepared(()))
    assert dict(matched.items()) == {b"ab": 1, b"cd": 1}
    bert = counted(Corpus(["Hé, World hé"]), WordPieceText().prepared())
    assert dict(bert.items()) == {b"he": 2, b",": 1, b"world": 1}
    lines = counted(Corpus(["e\u0301\n\nx"]), BytePieceText().prepared())
    assert dict(lines.items()) == {"é\n\n".encode(): 1, b"x": 1}


def test_long_texts_are_cut_as_the_splitter_cuts() -> None:
    text = "".join(texts(5, 3000))
    for name in ("gpt2", "cl100k", "o200k", "llama3"):
        preparation = ByteText(name).prepared(())
        chunks = ap.Tokenizer(preparation.skeleton)._kernel.chunks(text, False)
        wanted: dict[bytes, int] = {}
        for chunk, *_ in chunks:
            wanted[chunk] = wanted.get(chunk, 0) + 1
        assert dict(counted(Corpus([text]), preparation).items()) == wanted


def test_lines_of_files_keep_their_ends_for_bytes_alone(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(b"a b\r\n\nb\n")
    assert dict(counted(Corpus(path), sentences()).items()) == {"▁a".encode(): 1, "▁b".encode(): 2}
    assert dict(counted(Corpus(path), ByteText("gpt2").prepared(())).items()) == {
        b"a": 1, b" b": 1, b"\r\n": 1, b"\n": 2, b"b": 1,
    }  # fmt: skip


SPLITTERS = ["gpt2", "cl100k", "llama3", "qwen2", "o200k", "tekken", "starcoder", "deepseek-v3", "lines"]


@pytest.mark.parametrize("name", SPLITTERS)
@pytest.mark.parametrize("threads", [1, 3])
def test_lines_of_a_file_are_cut_one_by_one(name: str, threads: int, tmp_path: Path) -> None:
    """Many lines at once give the chunks that each line gives by itself: as the plain scanner cuts it."""
    chance = random.Random(name)
    bits = [*ALPHABET, "the", " House", "don't", "'ll", "1984", ".", "!?", "/", "\r", "é́", "中文"]
    bits += ["a" * 14, "b" * 15, "c" * 16]
    ends = ["\n", "\n", "\n", " \n", "  \n", "\r\n", ".\n", "!\r\n", "\t \n", "\u3000\n", "<|end|>\n"]
    lines = [
        "".join(chance.choices(bits, k=chance.choice([0, 1, 3, 12, 40]))) + chance.choice(ends) for _ in range(3000)
    ]
    path = tmp_path / "lines.txt"
    path.write_bytes("".join(lines).encode() + b"the last one ")
    # One line in ten has the special token in the first table, none in the second.
    for specials in (("<|end|>",), ("<|none|>",), ()):
        preparation = ByteText(name).prepared(specials)
        kernel = ap.Tokenizer(preparation.skeleton)._kernel
        wanted: dict[bytes, int] = {}
        for line in [*lines, "the last one "]:
            for part in line.split(specials[0]) if specials else [line]:
                for chunk, *_ in kernel.chunks(part, False):
                    wanted[chunk] = wanted.get(chunk, 0) + 1
        wanted.pop(b"", None)
        counts = counted(Corpus(path), preparation, threads=threads)
        assert dict(counts.items()) == wanted
        assert [word for word, _ in counts.items()] == sorted(wanted)
        assert counts.facts["texts"] == len(lines) + 1


def test_bad_lines_are_numbered_across_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"".join(b"\xff\n" if number % 7 == 0 else b"good line\n" for number in range(1, 30_001)))
    monkeypatch.setattr("anypiece.corpus.readers._PART", 150_001)
    counts = counted(Corpus(path), ByteText("gpt2").prepared(()), threads=3)
    assert [reject.line for reject in counts.rejects] == list(range(7, 7001, 7))
    assert counts.facts == {"texts": 30_000 - 4285, "bytes": path.stat().st_size, "rejected": 4285}
    assert dict(counts.items()) == {b"good": 25_715, b" line": 25_715, b"\n": 25_715}


def test_bad_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"good\nb\xffd\ngood\n\xed\xa0\x80\n")
    counts = counted(Corpus(path), sentences())
    assert dict(counts.items()) == {"▁good".encode(): 2}
    assert [(reject.line, reject.reason) for reject in counts.rejects] == [(2, "no UTF-8"), (4, "no UTF-8")]
    given = counted(Corpus([b"good", b"\xff", "half \ud800 pair"]), sentences())
    assert given.facts == {"texts": 2, "bytes": 16, "rejected": 1}
    assert "▁\ufffd".encode() in dict(given.items())


def test_spilled_parts_are_the_same_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(text.replace("\n", "") for text in texts(2, 3000)), "utf-8")
    whole = counted(Corpus(path), sentences())
    monkeypatch.setattr("anypiece.corpus.readers._PART", 1000)
    monkeypatch.setattr(module, "_TABLE_SHARE", 0.0)
    monkeypatch.setattr(module, "_FAN_IN", 7)
    out = tmp_path / "out.words"
    parts = counted(Corpus(path), sentences(), max_memory="64GB", out=out, threads=2)
    assert parts.words.columns() == whole.words.columns()
    assert parts.left == (1, 0, 0)
    assert parts.facts == whole.facts
    assert WordCounts.load(out).words.columns() == whole.words.columns()
    assert [item.name for item in tmp_path.iterdir() if item.name not in ("corpus.txt", "out.words")] == []


def test_rare_words_are_left_out_where_not_all_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TABLE_SHARE", 0.0)
    monkeypatch.setattr(module, "_room", lambda allowed: 1000)
    some = ["common rare"] + ["common"] * 9
    counts = counted(Corpus(some), sentences(), max_memory="64GB", share=0.03)
    assert dict(counts.items()) == {"▁common".encode(): 10}
    assert counts.left == (2, 1, 1)
    with pytest.raises(InputError, match="left out"):
        counts.save(tmp_path / "short.words")


def test_tables_are_saved_loaded_and_added(tmp_path: Path) -> None:
    preparation = sentences(user_defined_symbols=("<x>",))
    parts = [texts(seed) for seed in (3, 4)]
    for name, part in zip("ab", parts, strict=True):
        counted(Corpus(part), preparation).save(tmp_path / name)
    loaded = WordCounts.load(tmp_path / "a")
    assert loaded.preparation == preparation
    assert loaded.facts["texts"] == 300
    both = counted(Corpus(parts[0] + parts[1]), preparation)
    assert merge_words([tmp_path / "a", tmp_path / "b"], tmp_path / "c") == (len(both), both.total)
    merged = WordCounts.load(tmp_path / "c")
    assert merged.words.columns() == both.words.columns()
    assert merged.facts == both.facts
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a", "b", "c"]


def test_many_tables_are_merged_in_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted(Corpus(["a b"]), sentences()).save(tmp_path / "one")
    monkeypatch.setattr(module, "_FAN_IN", 3)
    assert merge_words([tmp_path / "one"] * 20, tmp_path / "all") == (2, 40)


def test_what_cannot_be_merged_or_read(tmp_path: Path) -> None:
    counted(Corpus(["a"]), sentences()).save(tmp_path / "a")
    counted(Corpus(["a"]), sentences(treat_whitespace_as_suffix=True)).save(tmp_path / "b")
    with pytest.raises(FormatError, match="other settings"):
        merge_words([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    with pytest.raises(InputError, match="no tables"):
        merge_words([], tmp_path / "c")
    (tmp_path / "d").write_bytes(b"no table at all")
    with pytest.raises(FormatError, match="no table of words") as caught:
        WordCounts.load(tmp_path / "d")
    assert str(tmp_path / "d") in str(caught.value)
    data = (tmp_path / "a").read_bytes()
    (tmp_path / "d").write_bytes(data[:-3])
    with pytest.raises(FormatError, match="too early"):
        WordCounts.load(tmp_path / "d")
    with pytest.raises(FormatError, match="cannot be read"):
        WordCounts.load(tmp_path / "absent")
    (tmp_path / "e").write_bytes(b"")
    _native.save_words(counted(Corpus(["a"]), sentences()).words, str(tmp_path / "e"), b"{}")
    with pytest.raises(FormatError, match="header"):
        WordCounts.load(tmp_path / "e")


def test_headers_of_strangers(tmp_path: Path) -> None:
    words = counted(Corpus(["a"]), sentences())
    good = {"version": 1, "facts": words.facts, **words.preparation.header()}
    changes: list[dict[str, Any]] = [
        {"cutting": "other"}, {"breaks": [1]}, {"breaks": 5}, {"skeleton": "AAAA"}, {"facts": {"texts": "x"}}, {"facts": []},
    ]  # fmt: skip
    for change in changes:
        _native.save_words(words.words, str(tmp_path / "t"), json.dumps(good | change).encode())
        with pytest.raises(FormatError, match="header"):
            WordCounts.load(tmp_path / "t")
        with pytest.raises(FormatError, match="header"):
            merge_words([tmp_path / "t"], tmp_path / "u")
    (tmp_path / "t").write_bytes(b"APWORDS\x01" + b"\xff" * 8 + b"{}")
    with pytest.raises(FormatError):
        merge_words([tmp_path / "t"], tmp_path / "u")
    assert not (tmp_path / "u").exists()


def test_a_table_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    counts = counted(Corpus(["a"]), sentences())
    with pytest.raises(FormatError, match="cannot be written"):
        counts.save(tmp_path / "absent" / "table")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FormatError, match="cannot be written"):
        counts.save(tmp_path / "folder")
    assert [item.name for item in tmp_path.iterdir()] == ["folder"]


def test_too_little_memory_is_an_error() -> None:
    with pytest.raises(InputError, match="give") as caught:
        counted(Corpus(["a"]), sentences(), max_memory="1MB")
    assert caught.value.code == "train-memory"
    with pytest.raises(InputError, match="no amount of memory"):
        counted(Corpus(["a"]), sentences(), max_memory="much")


def test_progress_is_told_and_may_stop_the_work() -> None:
    seen: list[tuple[str, int, int]] = []
    counted(Corpus(["a"] * 10000), sentences(), report=lambda *now: seen.append(now))
    assert seen[-1] == ("count", 10000, 0)

    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        counted(Corpus(["a"] * 10000), sentences(), report=stop)
