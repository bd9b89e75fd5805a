"""``load``: the tokenizer of a file, of a folder, or the default."""

from __future__ import annotations

import os
from types import NoneType
from typing import TYPE_CHECKING, Any

from ._core.vocabulary import made
from .io.names import located
from .io.paths import default_path, found_path
from .io.read import read_file
from .io.self_test import refuse_failed_samples
from .metadata import Metadata
from .tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["load", "tokenizer_of"]


def load(
    path: str | os.PathLike[str] | None = None,
    *,
    dialect: str | None = None,
    definition: str | None = None,
    splitter: str | None = None,
    pattern: str | None = None,
    specials: Mapping[str, int] | None = None,
    roles: Mapping[str, str] | None = None,
    pre: str | None = None,
    lowercase: bool | None = None,
    strip_accents: bool | None = None,
    mapped: bool = False,
    verify: bool = False,
    check_samples: bool = True,
) -> Tokenizer:
    """The tokenizer of a file (``tokenizer.json``, ``.model``, ``.tiktoken``, ``.gguf``, ``tekken.json``, ``vocab.txt``,
    RWKV's list, BytePiece's JSON, ``.anypiece``), of a folder with one, or the default.

    A name that is no path may be that of an encoding (``"cl100k_base"``), whose rank file lies in the folder that
    ``$ANYPIECE_RANKS`` names or in tiktoken's cache, or that of a model (``"org/name"``) in the local cache of Hugging Face.
    The content decides the format, not the name. ``dialect`` is the release whose results a ``.model`` file must give
    (``"sentencepiece"``, the newest, ``"sentencepiece-0.2.2"`` or ``"sentencepiece-0.2.1"``), or that a ``.gguf`` file must
    give in the place of ``"llama.cpp"``, or a folder in the place of ``"transformers"`` (``"tokenizers"``). A rank file says
    neither how text is split nor which special tokens there are: the known files are recognised, and for others
    ``definition`` names an encoding, or ``splitter``, or ``pattern`` with a regular expression, and ``specials`` say it; see
    ``docs/formats/tiktoken.md``. ``roles`` names the tokens that are bos, eos and pad (``{"bos": "<s>"}``) where a rank
    file or ``tokenizer.json`` does not. ``pre`` is the pre-tokenizer of a ``.gguf`` file in the place of the one it names.
    ``lowercase`` and ``strip_accents`` say what a ``vocab.txt`` may leave open; see ``docs/formats/wordpiece.md``. Of a
    folder ``tokenizer.json`` is read with the config and the chat templates beside it, as AutoTokenizer does; see
    ``docs/formats/folders.md``. ``mapped`` maps an ``.anypiece`` file instead of reading it; ``verify`` compares its
    checksums and runs its samples. The sample sentences of a ``.model`` file are always run unless ``check_samples`` is
    false. Raises ``FormatError`` with a code; an unreadable path is also an ``OSError``.

    >>> load().decode(load().encode("Hello, world!"))
    'Hello, world!'
    """
    place, named = (default_path(), None) if path is None else located(path)
    source, folder = found_path(place), os.path.isdir(place)
    definition = named if definition is None else definition
    options: dict[str, Any] = {"dialect": dialect, "definition": definition, "splitter": splitter, "specials": specials}
    options |= {"roles": roles, "pattern": pattern, "pre": pre, "lowercase": lowercase, "strip_accents": strip_accents}
    tokenizer = made(Tokenizer, *read_file(source, mapped=mapped, verify=verify, options=options, folder=folder))
    if check_samples and (verify or not isinstance(tokenizer._origin, (Metadata, NoneType))):
        refuse_failed_samples(tokenizer, str(source))
    return tokenizer


def tokenizer_of(source: Tokenizer | str | os.PathLike[str], **options: Any) -> Tokenizer:
    """``source`` itself, or the tokenizer of the file that it names; ``options`` are those of ``load``."""
    return source if isinstance(source, Tokenizer) else load(source, **options)
