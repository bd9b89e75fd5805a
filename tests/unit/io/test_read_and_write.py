"""Files: what is saved is loaded again, what is no tokenizer is refused, and what is damaged harms nobody."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from anypiece._native import CACHE_SLOTS
from tests.support.small_vocabularies import BPE, BYTES, CHAR, SPECIALS, UNIGRAM

if TYPE_CHECKING:
    from pathlib import Path

TOK = ap.Tokenizer(UNIGRAM)
ALL = [ap.Tokenizer(spec) for spec in (UNIGRAM, BYTES, SPECIALS, BPE, CHAR)]


class TestFiles:
    @pytest.mark.parametrize("suffix", ["model", "anypiece"])
    def test_save_and_load(self, tmp_path: Path, suffix: str) -> None:
        for number, tok in enumerate(ALL):
            path = tmp_path / f"{number}.{suffix}"
            tok.save(path)
            again = ap.load(path)
            assert again == tok
            assert again.encode("a ab é日 [USER]") == tok.encode("a ab é日 [USER]")
            assert pickle.loads(pickle.dumps(again)) == tok
        assert sorted(item.name for item in tmp_path.iterdir()) == [f"{n}.{suffix}" for n in range(len(ALL))]

    def test_format_beats_suffix(self, tmp_path: Path) -> None:
        TOK.save(tmp_path / "tok", format="sentencepiece")
        assert ap.load(str(tmp_path / "tok")) == TOK

    def test_every_format_gives_as_much_room_to_learn(self, tmp_path: Path) -> None:
        rooms = {TOK._kernel.table_stats()["cache_slots"]}
        for suffix in ("model", "anypiece"):
            TOK.save(tmp_path / f"tok.{suffix}")
            rooms.add(ap.load(tmp_path / f"tok.{suffix}")._kernel.table_stats()["cache_slots"])
        assert rooms == {CACHE_SLOTS}

    def test_mapped_and_verified(self, tmp_path: Path) -> None:
        TOK.save(tmp_path / "tok.anypiece")
        assert ap.load(tmp_path / "tok.anypiece", mapped=True, verify=True) == TOK

    def test_a_folder_with_one_file(self, tmp_path: Path) -> None:
        TOK.save(tmp_path / "spiece.model")
        (tmp_path / "config.json").write_text("{}")
        assert ap.load(tmp_path) == TOK
        TOK.save(tmp_path / "other.anypiece")
        with pytest.raises(ap.FormatError, match=r"other\.anypiece, spiece\.model"):
            ap.load(tmp_path)

    def test_a_missing_file_suggests_its_neighbour(self, tmp_path: Path) -> None:
        TOK.save(tmp_path / "tokenizer.model")
        with pytest.raises(ap.FileError, match=r"Did you mean .*tokenizer\.model") as error:
            ap.load(tmp_path / "tokeniser.model")
        assert str(error.value.code) == "file-unreadable"
        assert isinstance(error.value, OSError)
        assert error.value.filename == str(tmp_path / "tokeniser.model")
        for name in ("google/t5-small", "gpt2"):
            with pytest.raises(ap.FileError, match="nothing is downloaded"):
                ap.load(name)
        with pytest.raises(ap.FileError, match="expanduser"):
            ap.load("~/tokenizer.model")

    def test_half_a_vocabulary(self, tmp_path: Path) -> None:
        for name, other in (("vocab.json", "merges.txt"), ("merges.txt", "vocab.json")):
            folder = tmp_path / name
            folder.mkdir()
            (folder / name).write_text('{"a": 0}')
            for path in (folder, folder / name):
                with pytest.raises(ap.FormatError, match=f"half a vocabulary.*{other}"):
                    ap.load(path)

    @pytest.mark.parametrize(
        ("content", "hint"),
        [
            (b'{"version": "1.0"}', "JSON"),
            (b"PK\x03\x04rest", "archive"),
            (b"Once upon a time\nthere was a text.\n", "looks like a text"),
            (b"", "is empty.* download it again"),
            (gzip.compress(b"a", mtime=0), "compressed: unpack it"),
            (b"<!DOCTYPE html><html></html>", "download the file itself"),
            (b"\x89PNG\r\n\x1a\n\0", "usually tokenizer.json"),
        ],
    )
    def test_files_of_another_kind(self, tmp_path: Path, content: bytes, hint: str) -> None:
        (tmp_path / "file.model").write_bytes(content)
        with pytest.raises(ap.FormatError, match=hint) as error:
            ap.load(tmp_path / "file.model")
        assert str(error.value.code) == "format-unknown"

    def test_errors_about_content_name_the_file_and_a_remedy(self, tmp_path: Path) -> None:
        path = tmp_path / "tokenizer.json"
        vocab = {"a": 0, "b": 4_000_000_000}
        path.write_text(json.dumps({"added_tokens": [], "model": {"type": "BPE", "merges": [], "vocab": vocab}}))
        with pytest.raises(ap.FormatError) as caught:
            ap.load(path)
        assert str(caught.value).startswith(f'{path}: model.vocab cannot be used: "b" has the id 4000000000')
        assert "write it again" in str(caught.value)
        assert caught.value.facts["path"] == str(path)
        TOK.save(tmp_path / "a.model")
        data = (tmp_path / "a.model").read_bytes()
        odd = data.replace(struct.pack("<f", -3.5), struct.pack("<f", float("nan")))
        assert odd != data
        (tmp_path / "a.model").write_bytes(odd)
        with pytest.raises(ap.FormatError, match=r"pieces: .* NaN or infinite; the file is damaged") as score:
            ap.load(tmp_path / "a.model")
        assert str(score.value).startswith(str(tmp_path / "a.model"))
        assert (score.value.code, score.value.facts["field"]) == ("spec-score", "pieces")

    def test_a_path_that_a_message_holds_by_chance(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n")
        with pytest.raises(ap.FormatError, match=r"^vocab\.txt: .* of this vocab\.txt") as caught:
            ap.load("vocab.txt")
        assert caught.value.facts["path"] == "vocab.txt"

    def test_saving_keeps_the_old_file_when_it_fails(self, tmp_path: Path) -> None:
        TOK.save(tmp_path / "tok.model")
        before = (tmp_path / "tok.model").read_bytes()
        with pytest.raises(ap.FormatError):
            TOK.save(tmp_path / "tok.model", format="tiktoken")
        with pytest.raises(ap.FileError) as error:
            TOK.save(tmp_path / "no folder" / "tok.model")
        assert str(error.value.code) == "file-unwritable"
        assert "Make the folder" in str(error.value)
        with pytest.raises(ap.FileError, match="Name a file in that folder"):
            TOK.save(tmp_path, "sentencepiece")
        with pytest.raises(ap.InputError, match="A path must be"):
            TOK.save(None)  # type: ignore[arg-type]
        assert (tmp_path / "tok.model").read_bytes() == before
        assert os.listdir(tmp_path) == ["tok.model"]

    def test_samples_are_checked(self, tmp_path: Path) -> None:
        good = TOK.replace(samples=(ap.Sample("a ab", ("▁a", "▁ab")),))
        good.save(tmp_path / "good.model")
        assert ap.load(tmp_path / "good.model").spec.samples == good.spec.samples
        bad = TOK.replace(samples=(ap.Sample("a ab", ("▁a", "▁", "ab")),))
        bad.save(tmp_path / "bad.model")
        with pytest.raises(ap.FormatError, match="1 of 1 self-test samples") as error:
            ap.load(tmp_path / "bad.model")
        assert str(error.value.code) == "self-test-failed"
        assert ap.load(tmp_path / "bad.model", check_samples=False) == TOK

    def test_samples_of_equal_score_are_equal(self, tmp_path: Path) -> None:
        pieces = ap.Pieces.of([("<unk>", 0, 2), ("▁", -1, 1), ("a", -1, 1), ("aa", -2, 1)])
        tok = ap.Tokenizer(ap.Spec(pieces, samples=(ap.Sample("aaa", ("▁", "aa", "a")),)))
        assert tok.encode_pieces("aaa") != ["▁", "aa", "a"]
        tok.save(tmp_path / "tie.model")
        assert ap.load(tmp_path / "tie.model") == tok

    def test_dialect(self, tmp_path: Path) -> None:
        TOK.save(tmp_path / "tok.model")
        assert ap.load(tmp_path / "tok.model", dialect="sentencepiece-0.2.1").spec.arithmetic == "f64-compared"
        with pytest.raises(ap.InputError):
            ap.load(tmp_path / "tok.model", dialect="sentencepiece-9")


def trie_of(data: bytes) -> tuple[int, int]:
    """Offset of the pieces' trie (section 8) in an `.anypiece`, and its number of nodes."""
    (sections,) = struct.unpack_from("<I", data, 12)
    rows = (struct.unpack_from("<IIQQQ", data, 24 + 32 * row) for row in range(sections))
    offset, length = next((start, size) for number, _, start, size, _ in rows if number == 8)
    return offset, length // 8


def test_a_trie_that_goes_in_circles_ends(tmp_path: Path) -> None:
    TOK.save(tmp_path / "tok.anypiece")
    data = bytearray((tmp_path / "tok.anypiece").read_bytes())
    offset, count = trie_of(data)
    assert count >= 512
    for byte in range(256):  # whatever the byte, it leads to one of these nodes again
        struct.pack_into("<Q", data, offset + 8 * (256 + byte), 1 << 37 | byte << 28 | 256)
    struct.pack_into("<Q", data, offset, 256)
    (tmp_path / "tok.anypiece").write_bytes(data)
    encode = "import sys, anypiece; anypiece.load(sys.argv[1]).encode('a ab b c ' * 9)"
    subprocess.run([sys.executable, "-c", encode, tmp_path / "tok.anypiece"], check=True, timeout=60)


def test_encoding_with_a_compiled_file_does_not_read_its_spec(tmp_path: Path) -> None:
    """It is opened in a few milliseconds, and what most calls need is ready; the Spec would take as long again."""
    ap.load().save(tmp_path / "a.anypiece")
    tok = ap.load(tmp_path / "a.anypiece")
    tok.encode("Hello")
    tok.encode_array("Hello")
    tok.encode_batch(["Hello", "world"])
    tok.count("Hello")
    tok.count_batch(["Hello"])
    assert "spec" not in tok._lazy


def test_a_save_that_needs_a_rewrite_names_convert(tmp_path: Path) -> None:
    tok = ap.Tokenizer(BPE)
    with pytest.raises(ap.FormatError, match=r"; or try anypiece\.convert, which says it as huggingface does") as error:
        tok.save(tmp_path / "tokenizer.json")
    assert error.value.code == "format-unwritable"
    assert ap.convert(tok, tmp_path / "tokenizer.json", allow_lossy=True).format == "huggingface"
