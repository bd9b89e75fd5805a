"""The same tokenizer made with tokenizers and with our face of it, and everything that an encoding says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tokenizers as original

from anypiece.compat import tokenizers as face

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LIBRARIES", "TEXTS", "both", "said", "shapes"]

LIBRARIES = (original, face)

TEXTS = (
    "", " ", "hello world", "Hello,  World! [MASK] x", "héllo wörld 日本 hello", "  hello <s>there</s> world ",
    "unhappily hello\n\nworld\t12 345", "[CLS]hello[SEP] [SEP]", "a" * 30, "🤗 hello🤗",
)  # fmt: skip


def _words(lib: Any) -> Any:
    names = [
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[PAD]",
        "hello",
        "world",
        "un",
        "##happi",
        "##ly",
        "h",
        "##a",
        "a",
        "x",
        ",",
        "!",
    ]
    made = lib.Tokenizer(lib.models.WordPiece({name: id for id, name in enumerate(names)}, unk_token="[UNK]"))
    made.normalizer = lib.normalizers.BertNormalizer()
    made.pre_tokenizer = lib.pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens(["[CLS]", "[SEP]", "[PAD]", lib.AddedToken("[MASK]", lstrip=True)])
    made.post_processor = lib.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    made.decoder = lib.decoders.WordPiece()
    return made


def _bytes(lib: Any) -> Any:
    letters = sorted(original.pre_tokenizers.ByteLevel.alphabet())
    merges = [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("Ġ", "hello"), ("Ġ", "w"), ("o", "r")]
    vocab = {name: id for id, name in enumerate([*letters, *(left + right for left, right in merges)])}
    made = lib.Tokenizer(lib.models.BPE(vocab, merges))
    made.pre_tokenizer = lib.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.add_special_tokens(["<s>", "</s>"])
    made.add_tokens([lib.AddedToken("[MASK]", lstrip=True, rstrip=True), "happily"])
    made.post_processor = lib.processors.RobertaProcessing(
        ("</s>", made.token_to_id("</s>")), ("<s>", made.token_to_id("<s>")), add_prefix_space=False
    )
    made.decoder = lib.decoders.ByteLevel()
    return made


def _pieces(lib: Any) -> Any:
    rows = [
        ("<unk>", 0.0),
        ("▁", -3.0),
        ("▁hello", -1.0),
        ("▁w", -2.0),
        ("or", -2.5),
        ("l", -3.0),
        ("d", -3.0),
        ("a", -2.0),
    ]
    rows += [("aa", -2.2), ("</s>", 0.0), ("h", -4.0), ("é", -4.0)]
    made = lib.Tokenizer(lib.models.Unigram(rows, 0))
    made.normalizer = lib.normalizers.Sequence([lib.normalizers.NFKC(), lib.normalizers.Lowercase()])
    made.pre_tokenizer = lib.pre_tokenizers.Metaspace()
    made.add_special_tokens(["</s>"])
    made.add_tokens(["World"])
    made.post_processor = lib.processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 9)]
    )
    made.decoder = lib.decoders.Metaspace()
    return made


def _bare(lib: Any) -> Any:
    made = lib.Tokenizer(lib.models.BPE())
    made.add_tokens(["hello", "world", "x"])
    return made


def _levels(lib: Any) -> Any:
    made = lib.Tokenizer(lib.models.WordLevel({"hello": 0, "world": 1, "?": 2, ",": 3}, unk_token="?"))
    made.pre_tokenizer = lib.pre_tokenizers.Whitespace()
    made.post_processor = lib.processors.BertProcessing(("world", 1), ("hello", 0))
    return made


def shapes() -> dict[str, Callable[[Any], Any]]:
    """How to make each tokenizer, given a library."""
    return {"words": _words, "bytes": _bytes, "pieces": _pieces, "bare": _bare, "levels": _levels}


def both(name: str) -> tuple[Any, Any]:
    """A tokenizer of the original, and ours."""
    make = shapes()[name]
    return make(original), make(face)


def said(encoding: Any) -> dict[str, Any]:
    """Everything that an encoding says of itself."""
    size = len(encoding)
    return {
        "length": size,
        "ids": encoding.ids,
        "type_ids": encoding.type_ids,
        "tokens": encoding.tokens,
        "offsets": encoding.offsets,
        "word_ids": encoding.word_ids,
        "sequence_ids": encoding.sequence_ids,
        "n_sequences": encoding.n_sequences,
        "special": encoding.special_tokens_mask,
        "attention": encoding.attention_mask,
        "chars": [encoding.token_to_chars(at) for at in range(size + 2)],
        "words": [encoding.token_to_word(at) for at in range(size + 2)],
        "sequences": [encoding.token_to_sequence(at) for at in range(size + 2)],
        "by word": [[encoding.word_to_tokens(at, number) for at in range(6)] for number in (0, 1)],
        "word chars": [[encoding.word_to_chars(at, number) for at in range(6)] for number in (0, 1)],
        "by char": [[encoding.char_to_token(at, number) for at in range(12)] for number in (0, 1)],
        "char words": [[encoding.char_to_word(at, number) for at in range(12)] for number in (0, 1)],
        "overflowing": [said(one) for one in encoding.overflowing],
    }
