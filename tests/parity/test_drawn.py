"""Tokenizer.json documents drawn from every component and option: what both load gives what tokenizers gives, and what is
not reproduced is refused by name. ``make parity`` compares more of them.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from anypiece.formats import huggingface
from tests.parity.drawn import drawn_document, drawn_texts
from tests.parity.drawn_compare import compared, shrunk, signature
from tests.support.hf import added, document

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 300


@pytest.mark.filterwarnings("ignore::anypiece.SpecialsWarning")  # texts spell what templates add
def test_a_sample(capfd: pytest.CaptureFixture[str]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(COUNT):
        made = drawn_document(seed)
        result = compared(made, drawn_texts(seed, made))
        if result.finding is not None:
            small, finding = shrunk(made, result.finding)
            pytest.fail(f"seed {seed}: {signature(small, finding)}\n{finding}\n{json.dumps(small)}")
        counts[(result.refusal or "compared").partition(":")[0]] += 1
    assert counts["compared"] > COUNT * 0.5, counts
    capfd.readouterr()  # the library prints its panics


BYTES = {f"<0x{byte:02X}>": 10 + byte for byte in range(256)}
VOCAB = {"<unk>": 0, "a": 1, "b": 2, "ab": 3, "a</w>": 4}
LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def bpe(**options: Any) -> dict[str, Any]:
    return {"type": "BPE", "unk_token": "<unk>", "vocab": VOCAB | BYTES, "merges": [["a", "b"]], **options}


UNIGRAM = [["<unk>", 0.0], ["a", -1.0], *([name, -9.0] for name in BYTES)]
NAMED: dict[str, tuple[dict[str, Any], str]] = {
    "a spelled unknown next to bytes": (
        {"model": {"type": "Unigram", "unk_id": 0, "byte_fallback": True, "vocab": UNIGRAM}, "added_tokens": []},
        "model.byte_fallback",
    ),
    "bytes with a suffix": ({"model": bpe(byte_fallback=True, end_of_word_suffix="</w>")}, "model.byte_fallback"),
    "bytes of letters": ({"model": bpe(byte_fallback=True), "pre_tokenizer": LEVEL}, "model.byte_fallback"),
    "nothing in front": ({"normalizer": {"type": "Prepend", "prepend": ""}}, "normalizer.prepend"),
    "lost places": (
        {
            "normalizer": {"type": "Sequence", "normalizers": [
                {"type": "Replace", "pattern": {"Regex": "^"}, "content": "x"}, {"type": "Lowercase"}]}
        },
        "normalizer",
    ),
    "an expression in a decoder": (
        {"decoder": {"type": "Replace", "pattern": {"Regex": "a+"}, "content": ""}},
        "decoder.pattern",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_refused_by_name(name: str) -> None:
    sections, field = NAMED[name]
    with pytest.raises(ap.FormatError) as caught:
        huggingface.read(json.dumps(document(**sections)).encode())
    assert (caught.value.code, caught.value.facts["field"]) == ("json-unsupported", field)


@pytest.mark.parametrize(
    ("error", "finding"),
    [
        (ap.FormatError("json-unsupported", "x", field="decoder"), None),
        (ap.FormatError("json-unsupported", "x"), "a refusal without a name: json-unsupported"),
        (ap.FormatError("file-corrupt", "x"), "a refusal without a name: file-corrupt"),
        (TypeError("x"), "reading"),
    ],
)
def test_a_refusal_without_a_name_is_a_difference(
    error: Exception, finding: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(content: bytes) -> None:
        raise error

    monkeypatch.setattr(huggingface, "read", read)
    found = compared(document(), ["a"]).finding
    assert (found and found.what) == finding


@pytest.mark.parametrize("pattern", ["a{2,1}", "a{10,9}b", "(?:ab){2,0}", "[ab]{3,1}?"])
def test_intervals_that_are_turned_round_are_refused(pattern: str) -> None:
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    with pytest.raises(ap.AnyPieceError, match="turned round") as caught:
        ap.Tokenizer(huggingface.read(json.dumps(document(pre_tokenizer=split)).encode())[0])
    assert caught.value.code == "spec-pattern"


EQUAL: dict[str, Callable[[], dict[str, Any]]] = {
    "a special unknown next to bytes": lambda: document(
        model={"type": "Unigram", "unk_id": 0, "byte_fallback": True, "vocab": UNIGRAM}, added_tokens=[added(0, "<unk>")]
    ),
    "no byte pieces to fall back to": lambda: document(
        model=bpe(vocab=VOCAB, byte_fallback=True, end_of_word_suffix="</w>"), added_tokens=[]
    ),
    "dropped letters": lambda: document(
        model={"type": "BPE", "vocab": {"a": 0, "Ã": 1, "Ġ": 2, "aÃ": 3}, "merges": [["a", "Ã"]]},
        added_tokens=[],
        pre_tokenizer=LEVEL,
    ),
    "plain expressions in a decoder": lambda: document(
        decoder={"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"Regex": "b"}, "content": " "},
            {"type": "Fuse"},
            {"type": "Replace", "pattern": {"Regex": r"(?<!\n)^a"}, "content": ""},
        ]}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EQUAL)
def test_equal(name: str) -> None:
    texts = ["ab a", "é aé<éaé ", "x", "aÿÿ a", "aab", "日 a日a", "ca", ""]
    result = compared(EQUAL[name](), texts)
    assert result == (None, 2 * len(texts), None)
