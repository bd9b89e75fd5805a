"""GGUF files: metadata to (Spec, Origin) and back, with the ids that llama.cpp returns.

``tokenizer.ggml.model`` says what kind of vocabulary it is; each kind has its own reader here. Where llama.cpp departs
from the library that a vocabulary was made with, the Spec follows llama.cpp, unless ``dialect`` asks for the original.
What is not reproduced is refused, never replaced by something near.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import FormatError, InputError
from ...metadata import Metadata, metadata_of
from ...spec import Kind, Pieces, Spec
from ..sentencepiece import DIALECTS as SENTENCEPIECE
from ..sentencepiece import rules_of
from ..settings import refuse_unequal
from .bpe import read_bpe, read_gemma4
from .chat import read_beside, template_fields
from .file import MAGIC, GgufFile, packed, parsed
from .rwkv_plamo import read_plamo, read_rwkv
from .tokens import Roles, added_of, flag, marks_of, read_pieces, read_roles, refuse, text
from .unigram import read_unigram
from .wordpiece import read_words
from .write import carried, dialect_of, made

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "DIALECTS",
    "FIRST_READ",
    "METADATA",
    "OPTIONS",
    "PLACES",
    "Origin",
    "carried",
    "looks_like",
    "other_dialects",
    "read",
    "reading_options",
    "write",
]

OPTIONS = ("dialect", "pre")
"""What ``read`` can be told."""
PLACES = {
    "": "tokenizer.ggml.tokens",
    "spec-score": "tokenizer.ggml.scores",
    "spec-kind": "tokenizer.ggml.token_type",
    "spec-merges": "tokenizer.ggml.merges",
    "spec-charsmap": "tokenizer.ggml.precompiled_charsmap",
}
"""Where a file says what a Spec may be refused for, by the code of the error; the first is where it says the rest."""
METADATA = ("chat_template",)
"""What such a file can carry besides a Spec."""

DIALECTS = ("llama.cpp", "tokenizers", "rwkv", *SENTENCEPIECE)
"""Whose ids a file gives: llama.cpp's, or those of the library that the vocabulary was made with."""
_LIBRARIES = {
    "llama": tuple(SENTENCEPIECE),
    "t5": tuple(SENTENCEPIECE),
    "gpt2": ("tokenizers",),
    "bert": ("tokenizers",),
    "rwkv": ("rwkv",),
}
"""The other dialects of each type."""

FIRST_READ = 1 << 24
"""How much of a file is read at first; the metadata of most ends before it, and no tensor is needed."""

_MODEL = "tokenizer.ggml.model"


@dataclass(frozen=True)
class Origin:
    """What a GGUF file holds beyond its Spec."""

    file: GgufFile
    spec: Spec
    """What was read. As long as a tokenizer still has it, the metadata are written as they were."""
    ends: tuple[int, ...]
    """The ids that end a generation."""
    model: str
    """The type of the vocabulary."""
    pre: str | None
    """The pre-tokenizer that the file or the caller named."""
    metadata: Metadata
    """Its chat templates."""

    @property
    def lacks_pre(self) -> bool:
        """Whether text is cut in the default way because nobody named one."""
        return self.model == "gpt2" and self.pre is None

    def facts(self) -> dict[str, Any]:
        """What matters of the metadata, JSON-ready."""
        named = {name: text(self.file, f"general.{name}") for name in ("architecture", "name")}
        order = "little" if self.file.order == "<" else "big"
        facts = {"version": self.file.version, "byte_order": order, **named, "model": self.model, "pre": self.pre}
        return {f"gguf_{name}": value for name, value in facts.items()} | {"gguf_ends": list(self.ends)}


def looks_like(data: bytes) -> bool:
    """Whether ``data`` begins as a GGUF file does.

    >>> looks_like(b"GGUF\\x03\\0\\0\\0"), looks_like(b"{}")
    (True, False)
    """
    return data.startswith(MAGIC)


def read(data: bytes, *, dialect: str = "llama.cpp", pre: str | None = None) -> tuple[Spec, Origin]:
    """The Spec of a GGUF file that begins with ``data``, and what must be kept to write its metadata again.

    ``dialect`` is one of ``DIALECTS``; ``pre`` is the pre-tokenizer in the place of the one that the file names. Raises
    ``FormatError``; ``file-truncated`` where more of the file is needed.
    """
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        known = ", ".join(DIALECTS)
        message = f"no dialect of GGUF files is called {dialect!r}; known are {known}"
        raise InputError("argument-value", message, argument="dialect", value=dialect, known=list(DIALECTS))
    file = parsed(data)
    model = text(file, _MODEL)
    if model is None:
        message = f"the file has no field {_MODEL}, so it holds no tokenizer; use the file of the model itself"
        raise FormatError("gguf-field", message, field=_MODEL)
    if model not in _READERS and model not in _MERGED:
        known = ", ".join([*_READERS, *_MERGED])
        why = _REFUSED.get(model, "not known")
        refuse(f"{_MODEL} is {model!r}, and that kind of vocabulary is {why}; read are: {known}", model)
    if dialect not in ("llama.cpp", *_LIBRARIES.get(model, ())):
        known = ", ".join(["llama.cpp", *_LIBRARIES.get(model, ())])
        refuse(f"{_MODEL} is {model!r}, which has the dialects {known}", "dialect")
    if model in _MERGED:
        spec, roles = _MERGED[model](file, pre, dialect)
    else:
        if pre is not None:
            message = f"pre= means nothing for a vocabulary of type {model}: it is not cut before it is segmented"
            raise InputError("argument-value", message, argument="pre", value=pre)
        spec, roles = _READERS[model](file, dialect)
    named = pre or text(file, "tokenizer.ggml.pre")
    return spec, Origin(file, spec, roles.ends, model, named, read_beside(file, spec))


def _llama(file: GgufFile, dialect: str) -> tuple[Spec, Roles]:
    """Merges by score over characters."""
    pieces = read_pieces(file)
    roles = read_roles(file, pieces, {"bos": 1, "eos": 2, "unk": 0} if dialect == "llama.cpp" else {"unk": 0})
    prefix = flag(file, "add_space_prefix", True)
    common: dict[str, Any] = {
        "segmenter": "bpe",
        "add_dummy_prefix": prefix,
        **marks_of(file, roles, bos=True, eos=False, dialect=dialect),
    }
    if dialect != "llama.cpp":
        return _original_merges(file, pieces, common, dialect), roles
    if len(pieces) and b"<0x" not in pieces.blob and pieces.blob == pieces.blob.decode("utf-8", "replace").encode():
        what = (
            "the vocabulary has no tokens for bytes (<0x00> to <0xFF>), which llama.cpp needs for what is in no token"
        )
        refuse(f"{what}; dialect= does not help, as SentencePiece's own merges are not in the file", "tokens")
    spec = Spec(
        Pieces(pieces.blob, pieces.offsets, pieces.scores, roles.kinds),
        match_kinds="all",
        decoding="literal",
        added=added_of(file, pieces, roles),
        matching="longest-first",
        arithmetic="f64-compared",
        byte_fallback=True,
        remove_extra_whitespaces=False,
        **common,
    )
    return spec, roles


def _original_merges(file: GgufFile, pieces: Pieces, common: dict[str, Any], dialect: str) -> Spec:
    """This vocabulary by the rules of SentencePiece. A file of this kind does not say whether it was trained as merges;
    integer scores, which are ranks, do."""
    normal = pieces.scores[pieces.kinds == Kind.NORMAL]
    if not np.array_equal(normal, np.round(normal)):
        refuse("the scores are no ranks, so that the vocabulary is none of merges", "dialect")
    if np.count_nonzero(pieces.kinds == Kind.BYTE) != 256:
        refuse("not all 256 bytes are tokens of type BYTE, as SentencePiece has them", "dialect")
    squeeze = flag(file, "remove_extra_whitespaces", False)
    rules = rules_of(dialect, "bpe")
    return Spec(pieces, byte_fallback=True, remove_extra_whitespaces=squeeze, **common, **rules)


_READERS: dict[str, Callable[[GgufFile, str], tuple[Spec, Roles]]] = {
    "llama": _llama,
    "t5": read_unigram,
    "bert": read_words,
    "rwkv": read_rwkv,
    "plamo2": read_plamo,
}
_REFUSED = {
    "hybriddna": "one of two alphabets, which is not reproduced",
    "whitespace": "one of words that lose the white space between them, which is not reproduced",
    "test": "one of hashes, which is for tests of llama.cpp itself",
    "no_vocab": "none at all",
    "none": "none at all",
}
_MERGED: dict[str, Callable[[GgufFile, str | None, str], tuple[Spec, Roles]]] = {
    "gpt2": read_bpe,
    "gemma4": read_gemma4,
}


def write(spec: Spec, origin: Origin | Metadata | None = None) -> bytes:
    """A GGUF file of the vocabulary alone, without tensors. The metadata are those of the file that ``spec`` came from, or
    new ones for a vocabulary that came from another format, with the chat templates of ``origin``."""
    if not isinstance(origin, Origin) or origin.spec != spec:
        data = made(spec, template_fields(metadata_of(origin)))
        refuse_unequal(spec, lambda: read(data, **reading_options(spec)), "gguf", "a GGUF file made from another one")
        return data
    file = origin.file
    return packed(file.raw, count=len(file.fields), version=file.version, order=file.order)


def other_dialects(model: str) -> tuple[str, ...]:
    """The dialects of a type of vocabulary besides llama.cpp's.

    >>> other_dialects("gpt2"), other_dialects("plamo2")
    (('tokenizers',), ())
    """
    return _LIBRARIES.get(model, ())


def reading_options(spec: Spec) -> dict[str, Any]:
    """What ``read`` has to be told to give ``spec`` and not llama.cpp's."""
    dialect = dialect_of(spec)
    return {} if dialect is None else {"dialect": dialect}
