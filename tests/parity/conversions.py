"""What the library of a format makes of a converted file: ids, as its own users get them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from anypiece.formats.huggingface.stages import SPLITTERS
from tests.support import data
from tests.support.texts import sampled_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["LIBRARIES", "source", "texts"]

_CORPORA = (
    *("en_botchan", "ja_wagahaiwa_nekodearu", "es_manpages", "ru_manpages", "udhr_all_languages", "code_other"),
    *(
        "bibles/HebModern",
        "bibles/ChiUn",
        "bibles/Gujarati-NT",
        "debian_docs/installguide_ko",
        "debian_docs/handbook_ar-MA",
    ),
)
_ODD = ("", " ", "  a  b ", "it's 1234567 DON'T\n\n\t end ", "x" * 300, "🦊👩‍👩‍👧 zero\u200bwidth", "\u3000wide\u00a0")


@lru_cache
def texts() -> tuple[str, ...]:
    """Lines of corpora in many scripts, and a few odd ones."""
    lines = [line.decode() for name in _CORPORA for line in sampled_lines(name, 25)]
    return (*_ODD, *lines)


def source(folder: Path, kind: str, name: str) -> Path:
    """A real file, unpacked into ``folder`` under its own name."""
    path = folder / name
    if not path.exists():
        path.write_bytes(data.unpacked(data.folder() / "models" / kind / name))
    return path


Encode = "Callable[[str, str], list[int]]"
"""The ids of a text, with special tokens as ``text`` or ``parse``."""


def _tokenizers(path: Path, options: dict[str, Any]) -> Encode:
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(str(path))

    def encode(text: str, specials: str) -> list[int]:
        made.encode_special_tokens = specials == "text"
        return list(made.encode(text, add_special_tokens=False).ids)

    return encode


def _tiktoken(path: Path, options: dict[str, Any]) -> Encode:
    from tiktoken import Encoding
    from tiktoken.load import load_tiktoken_bpe
    from tiktoken_ext.openai_public import r50k_pat_str

    patterns = {name: pattern for pattern, name in SPLITTERS.items()} | {"gpt2": r50k_pat_str}
    made = Encoding(
        path.stem,
        pat_str=patterns[options["splitter"]],
        mergeable_ranks=load_tiktoken_bpe(str(path)),
        special_tokens=options["specials"],
    )
    ways = {"text": made.encode_ordinary, "parse": lambda text: made.encode(text, allowed_special="all")}
    return lambda text, specials: ways[specials](text)


def _sentencepiece(path: Path, options: dict[str, Any]) -> Encode:
    from sentencepiece import SentencePieceProcessor

    made = SentencePieceProcessor(model_file=str(path))
    return lambda text, specials: list(made.encode(text))


def _mistral(path: Path, options: dict[str, Any]) -> Encode:
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    made = Tekkenizer.from_file(path)
    return lambda text, specials: list(made.encode(text, bos=False, eos=False))


LIBRARIES: dict[str, Callable[[Path, dict[str, Any]], Encode]] = {
    "huggingface": _tokenizers,
    "tiktoken": _tiktoken,
    "sentencepiece": _sentencepiece,
    "tekken": _mistral,
}
"""By the format: from a file and what ``load`` was told, how its library encodes. mistral-common and sentencepiece never
parse special tokens."""
