"""Small folders made by hand, one for each rule of a class of transformers, and what transformers says of them.

``python -m tests.support.made_folders`` asks it and writes ``tests/cases/folders/transformers.json``; a test of the
parity tier compares the two.
"""

from __future__ import annotations

import json
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from anypiece.formats.huggingface.model import BYTE_CHARACTERS
from tests.support.hf import added
from tests.support.transformers_peer import VERSION, Transformers

__all__ = ["CASES", "FOLDERS", "TEXTS", "answers_of", "make"]

CASES = Path(__file__).parents[1] / "cases" / "folders" / "transformers.json"
TEXTS = (
    "",
    " ",
    "ab a",
    " a  b\n",
    "<s>ab</s> a<new> a",
    "É é ``a'' AB.",
    "a <mask>b , a .",
    "<|endoftext|>ab[MASK] <one>",
    "a [MASK] b",
    "-" * 34,
)
"""The texts of the cases: spaces, case, accents, special tokens and their like, and one with many paths of equal score."""


class Made(NamedTuple):
    """The vocabulary of a folder: ``spaces``, ``bytes``, ``clip``, ``unigram``, ``words``, or with ``.model`` at the end; a
    pair of files where ``pair`` says so."""

    vocabulary: str
    config: dict[str, Any]
    more: dict[str, dict[str, Any]] = {}  # noqa: RUF012 (other files by name; nobody writes to it)
    pair: bool = False


_TEXT_ENDS = ["<|startoftext|>", "<|endoftext|>"]
_LETTERS = [chr(character) for character in BYTE_CHARACTERS]
_MARKS = ["<unk>", "<s>", "</s>"]
_SPACES = {
    name: id for id, name in enumerate([*_MARKS, "▁", "a", "b", "ab", "▁a", *(f"<0x{n:02X}>" for n in range(256))])
}
_BYTES = {name: id for id, name in enumerate([*_LETTERS, "ab", "Ġa", "<|endoftext|>"])}
_CLIP = {
    name: id for id, name in enumerate([*_LETTERS, *(f"{letter}</w>" for letter in _LETTERS), "ab</w>", *_TEXT_ENDS])
}
_SCORED = [
    ["<pad>", 0.0],
    ["</s>", 0.0],
    ["<unk>", 0.0],
    ["▁", -2.0122928619384766],
    ["a", -3.0],
    ["b", -3.5],
    ["▁ab", -4.0],
    ["e", -5.0],
    ["-", -5.129043102264404],
    ["---", -12.130167007446289],
]
"""Three scores are T5's: tokenizers reads one of them a step away, which decides between paths of equal score."""
_WORDS = {
    name: id for id, name in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b", "A", "e", "é", "."])
}


def _document(model: dict[str, Any], *rows: dict[str, Any], **sections: Any) -> dict[str, Any]:
    return {"version": "1.0", "added_tokens": list(rows), "model": model, **sections}


def _bpe(vocab: dict[str, int], *merges: str, **fields: Any) -> dict[str, Any]:
    return {"type": "BPE", "vocab": vocab, "merges": list(merges), "unk_token": None, **fields}


_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
_DOCUMENTS: dict[str, dict[str, Any]] = {
    "spaces": _document(
        _bpe(_SPACES, "a b", "▁ a", byte_fallback=True, fuse_unk=True, unk_token="<unk>"),
        added(1, "<s>"),
        added(2, "</s>"),
        normalizer={"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        decoder={"type": "Fuse"},
    ),
    "bytes": _document(
        _bpe(_BYTES, "a b", "Ġ a"), added(258, "<|endoftext|>"), pre_tokenizer=_BYTE_LEVEL, decoder=_BYTE_LEVEL
    ),
    "clip": _document(
        _bpe(_CLIP, "a b</w>", end_of_word_suffix="</w>"), pre_tokenizer=_BYTE_LEVEL, decoder=_BYTE_LEVEL
    ),
    "unigram": _document(
        {"type": "Unigram", "unk_id": 2, "vocab": _SCORED},
        pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        decoder={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    ),
    "words": _document(
        {"type": "WordPiece", "unk_token": "[UNK]", "vocab": _WORDS}
        | {"max_input_chars_per_word": 9, "continuing_subword_prefix": "##"},
        pre_tokenizer={"type": "Whitespace"},
    ),
}


def _of(kind: str, **fields: Any) -> dict[str, Any]:
    return {"tokenizer_class": kind, **fields}


_TOKENS = {
    "added_tokens_decoder": {"999": {"content": "<new>", "rstrip": True, "special": True}, "3": {"content": "<mask>"}},
    "pad_token": "<filled>",
    "image_token": "<image>",
    "additional_special_tokens": ["<one>", "<two>"],
}
_ENDS = {"cls_token": "<pad>", "sep_token": "</s>"}
_OLDER = {
    "special_tokens_map.json": {
        "eos_token": {"content": "<new>", "lstrip": True},
        "additional_special_tokens": ["<one>"],
    },
    "added_tokens.json": {"<one>": 900, "<mask>": 800},
}
FOLDERS: dict[str, Made] = {
    "llama": Made("spaces", _of("LlamaTokenizer", pad_token="<new>")),
    "llama-legacy": Made("spaces", _of("LlamaTokenizerFast", legacy=True, **_TOKENS)),
    "llama-bare": Made("spaces", _of("LlamaTokenizer", add_prefix_space=False, add_bos_token=True)),
    "llama-of-bytes": Made("bytes", _of("LlamaTokenizer")),
    "llama-type-phi3": Made("spaces", _of("LlamaTokenizer"), {"config.json": {"model_type": "phi3"}}),
    "llama-model": Made("spaces.model", _of("LlamaTokenizer", add_bos_token=True, add_eos_token=True)),
    "gemma": Made("spaces", _of("GemmaTokenizer")),
    "gemma-model": Made("spaces.model", _of("GemmaTokenizer", **_TOKENS)),
    "t5": Made("unigram", _of("T5Tokenizer", extra_ids=2, clean_up_tokenization_spaces=True)),
    "t5-type": Made("unigram", {"extra_ids": 0}, {"config.json": {"model_type": "mt5"}}),
    "t5-model": Made("unigram.model", _of("T5Tokenizer", extra_ids=3)),
    "pegasus": Made("unigram", _of("PegasusTokenizer", offset=5, mask_token="<mask>")),
    "pegasus-model": Made("unigram.model", _of("PegasusTokenizer", offset=4)),
    "xlm-roberta-model": Made("unigram.model", _of("XLMRobertaTokenizer", mask_token="[MASK]")),
    "camembert-model": Made("fairseq.model", _of("CamembertTokenizer")),
    "albert": Made("unigram", _of("AlbertTokenizer", keep_accents=True, **_ENDS, **_TOKENS)),
    "albert-model": Made("unigram.model", _of("AlbertTokenizer", do_lower_case=False, **_ENDS)),
    "xlnet": Made("unigram", _of("XLNetTokenizer", unk_id=2)),
    "xlnet-model": Made("unigram.model", _of("XLNetTokenizer")),
    "big-bird": Made("unigram", _of("BigBirdTokenizer")),
    "big-bird-model": Made("masked.model", _of("BigBirdTokenizer")),
    "bert": Made("words", _of("BertTokenizer", do_lower_case=False, **_TOKENS)),
    "bert-lower": Made("words", _of("ElectraTokenizerFast", clean_up_tokenization_spaces=True)),
    "convbert": Made("words", _of("ConvBertTokenizer")),
    "gpt2": Made("bytes", _of("GPT2Tokenizer", add_prefix_space=True, **_TOKENS)),
    "gpt2-pair": Made("bytes", _of("GPT2Tokenizer", add_bos_token=True), pair=True),
    "codegen": Made("bytes", _of("CodeGenTokenizer")),
    "roberta-pair": Made("bytes", _of("BartTokenizer"), pair=True),
    "gpt-neox": Made("bytes", _of("GPTNeoXTokenizer")),
    "gpt-neox-pair": Made("bytes", _of("GPTNeoXTokenizer", add_eos_token=True), pair=True),
    "qwen2": Made("bytes", _of("Qwen2Tokenizer", **_TOKENS)),
    "clip": Made("clip", _of("CLIPTokenizer")),
    "clip-pair": Made("clip", _of("CLIPTokenizer"), pair=True),
    "whisper": Made("bytes", _of("WhisperTokenizer", task="transcribe", additional_special_tokens=["<|transcribe|>"])),
    "backend": Made("spaces", _of("PreTrainedTokenizerFast", **_TOKENS)),
    "backend-older": Made("spaces", {"pad_token": "<s>"}, _OLDER),
    "backend-named": Made("words", {"extra_special_tokens": {"image_token": "<new>", "other_token": "a"}}),
}
"""Each folder by the rule that it shows."""


def make(name: str, place: Path) -> Path:
    """The folder of that name, in ``place``."""
    made, folder = FOLDERS[name], place / name
    folder.mkdir()
    kind, _, is_model = made.vocabulary.partition(".")
    document = _DOCUMENTS.get(kind, {})
    if is_model:
        ap.Tokenizer(_spec(kind)).save(folder / "tokenizer.model")
    elif made.pair:
        (folder / "vocab.json").write_text(json.dumps(document["model"]["vocab"]))
        (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *document["model"]["merges"], ""]), "utf-8")
    else:
        (folder / "tokenizer.json").write_text(json.dumps(document))
    for file, content in {"tokenizer_config.json": made.config, **made.more}.items():
        (folder / file).write_text(json.dumps(content))
    return folder


def _spec(kind: str) -> Spec:
    """A Spec of the same pieces that a .model file can have."""
    kinds = {"<unk>": Kind.UNKNOWN, "<s>": Kind.CONTROL, "</s>": Kind.CONTROL, "<pad>": Kind.CONTROL}
    if kind == "fairseq":
        rows = [(name, 0.0, kinds[name]) for name in _MARKS]
        return Spec(Pieces.of([*rows, ("▁", -2.0, Kind.NORMAL), ("a", -3.0, Kind.NORMAL), ("▁a", -4.0, Kind.NORMAL)]))
    if kind in ("unigram", "masked"):
        rows = [(str(name), float(str(score)), kinds.get(str(name), Kind.NORMAL)) for name, score in _SCORED]
        last = ("<new>", 0.0, Kind.USER_DEFINED) if kind == "unigram" else ("[MASK]", 0.0, Kind.CONTROL)
        return Spec(Pieces.of([*rows, last]))
    bytes = {f"<0x{byte:02X}>": Kind.BYTE for byte in range(256)}
    pieces = [(name, -float(id), (kinds | bytes).get(name, Kind.NORMAL)) for name, id in _SPACES.items()]
    return Spec(Pieces.of(pieces), segmenter="bpe", byte_fallback=True)


def answers_of(peer: Transformers, folder: Path) -> dict[str, Any]:
    """What transformers says of a folder."""
    facts = peer.open(folder)
    del facts["version"]
    return {"facts": facts, "answers": peer.answers([text.encode() for text in TEXTS])}


def main() -> None:
    """Write the cases anew."""
    with closing(Transformers()) as peer, tempfile.TemporaryDirectory() as place:
        rows = {name: answers_of(peer, make(name, Path(place))) for name in FOLDERS}
    lines = [f"{json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in rows.items()]
    body = ",\n".join(lines)
    CASES.write_text(f'{{"release": "transformers {VERSION}",\n"cases": {{\n{body}\n}}}}\n', "utf-8")


if __name__ == "__main__":
    main()
