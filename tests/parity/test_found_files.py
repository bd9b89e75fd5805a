"""Files on which real use found a fault, against the library of their makers: ids, spans and decoded text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tokenizers import Tokenizer as Original
from tokenizers import decoders, models, normalizers, pre_tokenizers

import anypiece as ap
from tests.parity.huggingface import first_difference, original_of
from tests.parity.ranks import valid
from tests.support import data
from tests.support.texts import adversarial_texts, sampled_lines

if TYPE_CHECKING:
    from pathlib import Path

FILES = ("whisper_large_v3", "whisper_tiny", "latex_ocr", "llm_jp_2_1")


class Opened(NamedTuple):
    name: str
    content: bytes
    tok: ap.Tokenizer
    parse: Original


@pytest.fixture(scope="module", params=FILES)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    content = data.found_file(f"{request.param}.tokenizer.json")
    path = tmp_path_factory.mktemp("found") / "tokenizer.json"
    path.write_bytes(content)
    return Opened(request.param, content, ap.load(path), original_of(content, "parse"))


def test_texts(opened: Opened) -> None:
    texts = valid([line for corpus in data.corpus_names() for line in sampled_lines(corpus, 4)])
    pieces = [opened.tok.id_to_bytes(id) for id in range(0, len(opened.tok), 97)]
    texts += valid(adversarial_texts(pieces, f"found {opened.name}", 200))
    assert first_difference(opened.tok, original_of(opened.content, "text"), texts, "text") is None
    assert first_difference(opened.tok, opened.parse, texts, "parse") is None


def test_added_tokens(opened: Opened) -> None:
    """Ids are those that the file says, and the text of each id is the library's."""
    rows = json.loads(opened.content)["added_tokens"]
    texts = [f"a {row['content']} b" for row in rows]
    assert first_difference(opened.tok, opened.parse, [text.encode() for text in texts], "parse") is None
    for row in rows:
        assert opened.tok.piece_to_id(row["content"]) == row["id"]
    assert len(opened.tok) == opened.parse.get_vocab_size()


def test_written_and_read_again(opened: Opened, tmp_path: Path) -> None:
    opened.tok.save(tmp_path / "again.json")
    assert ap.load(tmp_path / "again.json").spec == opened.tok.spec
    again = Original.from_file(str(tmp_path / "again.json"))
    for text in ("Hello world 123 <|en|>", " 日本語\n\n é"):
        assert again.encode(text).ids == opened.parse.encode(text).ids


def test_a_vocab_txt_without_continuing_pieces(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(data.found_file("seqio_bertwordpiece_vocab.txt"))
    tok = ap.load(path, lowercase=True)
    library = Original(models.WordPiece.from_file(str(path), unk_token="[UNK]"))
    library.normalizer = normalizers.BertNormalizer(lowercase=True)
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.decoder = decoders.WordPiece(prefix="##", cleanup=True)
    for text in ("this is a test", "This IS, atest a", ""):
        assert tok.encode(text) == library.encode(text).ids
        assert tok.decode(tok.encode(text)) == library.decode(tok.encode(text))


def test_a_normal_piece_that_ends_a_generation_stays_one_in_a_gguf(tmp_path: Path) -> None:
    (tmp_path / "a.model").write_bytes(data.found_file("bigbird_gpt2.model"))
    ap.convert(tmp_path / "a.model", tmp_path / "a.gguf")
    first, second = ap.load(tmp_path / "a.model"), ap.load(tmp_path / "a.gguf")
    for text in ("hello<|endoftext|> world", "<|endoftext|>", " a <|endoftext|><|endoftext|>b"):
        assert first.encode(text) == second.encode(text)
        assert first.piece_to_id("<|endoftext|>") in second.encode(text)
