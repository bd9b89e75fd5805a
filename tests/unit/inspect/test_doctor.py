"""The doctor: each finding on a vocabulary that was made to have it, and none of it on one that was not."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from anypiece.conversion.convert import convert
from anypiece.inspect.doctor import Finding, examine
from tests.support.charsmap_builder import build
from tests.support.hf import document
from tests.support.small_vocabularies import BPE, BYTES, RANKS, UNIGRAM

if TYPE_CHECKING:
    from pathlib import Path

UNK = ("<unk>", 0.0, Kind.UNKNOWN)


def spec_of(*rows: tuple[str, float, Kind], **settings: object) -> Spec:
    return Spec(Pieces.of([UNK, *rows]), bos_id=None, eos_id=None, **settings)  # type: ignore[arg-type]


def normal(*pieces: str) -> list[tuple[str, float, Kind]]:
    return [(piece, -float(number), Kind.NORMAL) for number, piece in enumerate(pieces, 1)]


CASES: dict[str, tuple[Spec, tuple[str, ...]]] = {
    "sample-failed": (UNIGRAM.replace(samples=(ap.Sample("ab", ("a", "b")), ap.Sample("a", ("▁a",)))), ("ab",)),
    "piece-unreachable": (spec_of(("▁", -1, Kind.NORMAL), ("a", -1, Kind.NORMAL), ("aa", -9, Kind.NORMAL)), ("aa",)),
    "piece-literal-space": (spec_of(*normal("▁", "a", "a a")), ("a a",)),
    "piece-collapsed-spaces": (spec_of(*normal("▁", "▁▁", "a")), ("▁▁",)),
    "piece-trailing-space": (spec_of(*normal("▁", "a", "a▁")), ("a▁",)),
    "piece-duplicate": (spec_of(("<s>", 0, Kind.CONTROL), *normal("▁", "<s>")), ("<s>",)),
    "bytes-missing": (UNIGRAM, ()),
    "bytes-misspelled": (spec_of(*normal("▁", "<0x41>")), ("<0x41>",)),
    "score-positive": (spec_of(("▁", -1, Kind.NORMAL), ("a", 0.5, Kind.NORMAL)), ("a",)),
    "score-tied": (spec_of(("▁", -1, Kind.NORMAL), ("a", -2, Kind.NORMAL), ("b", -2, Kind.NORMAL)), ("a", "b")),
    "special-missing": (UNIGRAM.replace(bos_id=None), ()),
    "special-kind": (UNIGRAM.replace(bos_id=4), ("bos=4",)),
    "arithmetic": (UNIGRAM, ()),
}


def findings_of(spec: Spec) -> dict[str, Finding]:
    return {finding.code: finding for finding in examine(ap.Tokenizer(spec))}


@pytest.mark.parametrize("code", CASES)
def test_it_finds(code: str) -> None:
    spec, examples = CASES[code]
    finding = findings_of(spec)[code]
    assert finding.examples == examples
    assert finding.count == max(len(examples), 1)
    assert finding.message.endswith(".")
    assert finding.remedy.endswith(".")
    assert finding.to_json() == asdict(finding)


def test_a_piece_its_own_normalizer_changes() -> None:
    charsmap = build({"ﬁ": "fi"})
    finding = findings_of(spec_of(*normal("▁", "a", "ﬁ"), charsmap=charsmap))["piece-not-normalized"]
    assert finding.examples == ("ﬁ",)


def test_a_healthy_vocabulary() -> None:
    ranked = Pieces.of((piece, -float(rank), kind) for rank, (piece, _, kind) in enumerate(BYTES.pieces))
    assert examine(ap.Tokenizer(BYTES.replace(segmenter="bpe", pieces=ranked))) == []


def test_merges_that_never_happen() -> None:
    pieces = Pieces.of([UNK, *[(p, -float(r), Kind.NORMAL) for r, p in enumerate(["ab", "▁", "a", "b", "c", "xyz"])]])
    finding = findings_of(BPE.replace(pieces=pieces, bos_id=None, eos_id=None))["piece-unreachable"]
    assert finding.examples == ("xyz",)
    assert "merges never lead to them" in finding.message


def test_errors_come_first() -> None:
    spec = UNIGRAM.replace(samples=(ap.Sample("ab", ("a", "b")),))
    severities = [finding.severity for finding in examine(ap.Tokenizer(spec))]
    assert severities == sorted(severities, key=("error", "warning", "note").index)
    assert severities[0] == "error"


def test_examples_are_few() -> None:
    rows = [(chr(0x4E00 + number), -1.0, Kind.NORMAL) for number in range(40)]
    finding = findings_of(spec_of(*rows))["score-tied"]
    assert (finding.count, len(finding.examples)) == (40, 5)


BYTE_CASES: dict[str, tuple[Spec, dict[str, tuple[str, ...]]]] = {
    "healthy": (RANKS, {}),  # xyz is a piece that no merges lead to, but it is a chunk
    "without whole chunks": (RANKS.replace(whole_chunks=False), {"piece-unreachable": ("xyz",)}),
    "no merges and no chunk": (
        RANKS.replace(pieces=Pieces.of([*RANKS.pieces, (b"\xff a\xfe", -300.0, Kind.NORMAL)])),
        {"piece-unreachable": ("\\xff a\\xfe",)},
    ),
    "half a character behind a letter": (
        RANKS.replace(pieces=Pieces.of([*RANKS.pieces, (b"a\xc3", -300.0, Kind.NORMAL)])),
        {},
    ),
    "a space mark is text": (
        RANKS.replace(pieces=Pieces.of([*RANKS.pieces, ("▁ ▁".encode(), -300.0, Kind.NORMAL)])),
        {"piece-unreachable": ("▁ ▁",)},
    ),
    "ties": (
        RANKS.replace(pieces=Pieces.of([*RANKS.pieces, (b"ab", -256.0, Kind.NORMAL)])),
        {"score-tied": ("th", "ab")},
    ),
    "a special that is a piece": (
        RANKS.replace(pieces=Pieces.of([*RANKS.pieces, (b"<|end|>", -300.0, Kind.NORMAL)])),
        {"piece-duplicate": ("<|end|>",), "piece-unreachable": ("<|end|>",)},
    ),
    "no roles": (RANKS.replace(bos_id=None), {"special-missing": ()}),
}


@pytest.mark.parametrize(("spec", "found"), BYTE_CASES.values(), ids=BYTE_CASES)
def test_vocabularies_of_bytes(spec: Spec, found: dict[str, tuple[str, ...]]) -> None:
    findings = findings_of(spec)
    assert {code: finding.examples for code, finding in findings.items()} == found
    assert not any("▁" in finding.message + finding.remedy for finding in findings.values())


def test_parts_of_characters_are_used_within_text(tmp_path: Path) -> None:
    """The normalizer of BytePiece's files takes them for bad text, but only where they stand alone."""
    counts = {bytes([byte]): 1 for byte in range(256)} | {b"\xe6\x97": 40, b" \xe6": 9, b"zz": 1, b"e\xcc\x81": 50}
    rows = enumerate(sorted(counts), 3)
    whole = {b64encode(piece).decode(): [id, "", counts[piece]] for id, piece in rows}
    (tmp_path / "it.model").write_text(json.dumps(whole))
    tok = ap.load(tmp_path / "it.model")
    assert tok.id_to_bytes(tok.encode("\x80")[-1]) == b"\x80"
    found = {finding.code: finding for finding in examine(tok)}
    assert found.keys() == {"piece-not-normalized", "score-tied"}
    assert found["piece-not-normalized"].examples == ("e\u0301",)
    with pytest.raises(ap.InputError):  # so that there is nothing to say about near-ties
        ap.load(tmp_path / "it.model", dialect="sentencepiece")


METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
VOCAB = [["<unk>", 0.0], ["▁a", -1.0], ["a", -1.0], ["b", -1.0], ["ab", -9.0]]


def test_pieces_that_never_begin_a_text(tmp_path: Path) -> None:
    model = {"type": "Unigram", "unk_id": 0, "vocab": VOCAB}
    (tmp_path / "tokenizer.json").write_text(json.dumps(document(model=model, pre_tokenizer=METASPACE)))
    found = {finding.code: finding for finding in examine(ap.load(tmp_path / "tokenizer.json"))}
    assert found["piece-unreachable"].examples == ("ab",)
    assert "arithmetic" not in found


def test_pieces_that_end_words(tmp_path: Path) -> None:
    vocab = {"a": 0, "b": 1, "a</w>": 2, "b</w>": 3, "ab</w>": 4, "ba</w>": 5}
    model = {"type": "BPE", "vocab": vocab, "merges": ["a b</w>"], "end_of_word_suffix": "</w>"}
    (tmp_path / "tokenizer.json").write_text(json.dumps(document(model=model)))
    found = {finding.code: finding for finding in examine(ap.load(tmp_path / "tokenizer.json"))}
    assert found["piece-unreachable"].examples == ("ba</w>",)


@pytest.mark.parametrize(
    ("name", "options", "remedy"),
    [
        ("it.model", {}, "Load with dialect='sentencepiece-0.2.1'"),
        ("it.model", {"dialect": "sentencepiece-0.2.1"}, "Load with dialect='sentencepiece'"),
        ("it.gguf", {}, "Load with dialect='sentencepiece'"),
        ("it.gguf", {"dialect": "sentencepiece"}, "Load with dialect='sentencepiece-0.2.1'"),
        ("it.anypiece", {}, "Make it anew from a file that is loaded with dialect='sentencepiece-0.2.1'"),
    ],
)
def test_dialects_are_named_where_there_are_any(
    tmp_path: Path, name: str, options: dict[str, str], remedy: str
) -> None:
    convert(ap.Tokenizer(UNIGRAM), tmp_path / name, allow_lossy=True)
    found = {finding.code: finding for finding in examine(ap.load(tmp_path / name, **options))}  # type: ignore[arg-type]
    assert found["arithmetic"].remedy.startswith(remedy)


def test_what_a_list_of_merges_and_a_template_settle(tmp_path: Path) -> None:
    vocab = {"▁": 0, "a": 1, "▁a": 2, "<s>": 3}
    model = {"type": "BPE", "vocab": vocab, "merges": ["▁ a"]}
    mark = {"id": 3, "content": "<s>", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [3], "tokens": ["<s>"]}},
    }
    content = document(
        model=model, pre_tokenizer=METASPACE, post_processor=template, added_tokens=[mark | {"special": True}]
    )
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    found = {finding.code for finding in examine(ap.load(tmp_path / "tokenizer.json"))}
    assert found.isdisjoint({"score-tied", "special-missing", "piece-not-normalized", "piece-unreachable"})
