"""Folders: what stands beside the file of a tokenizer, and what it says of it.

It reads the files and puts what they say into Specs and Origins; their meaning is in ``formats.huggingface_folder``. Errors
name the file that they are about.
"""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

from . import formats
from .beside import Beside, beside_of
from .errors import FormatError
from .files import MERGES, read_bytes
from .formats import gguf, huggingface, huggingface_folder, sentencepiece
from .formats.huggingface_fields import boolean, unsupported
from .formats.settings import checked_tokens, role_names

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .spec import Spec

__all__ = [
    "AGAIN",
    "POINTER",
    "completed",
    "config_of",
    "pointer_hint",
    "rank_options",
    "read_pair",
    "vocab_txt_options",
    "with_templates",
]

AGAIN = "; the file is damaged, or the program that made it is at fault: copy it again, or make it again"
POINTER = b"version https://git-lfs.github.com/spec/v1"
"""How the files begin that git LFS puts in the place of large ones."""

_CONFIG = "tokenizer_config.json"
_MERGE = re.compile(r"merge (\d+)(.*)", re.DOTALL)
_PLACE = re.compile(r" at byte \d+")
_AS_BERT = frozenset([
    "", "BertTokenizer", "ConvBertTokenizer", "DistilBertTokenizer", "DPRContextEncoderTokenizer",
    "DPRQuestionEncoderTokenizer", "DPRReaderTokenizer", "ElectraTokenizer", "LayoutLMTokenizer", "LxmertTokenizer",
    "MobileBertTokenizer", "RetriBertTokenizer", "SqueezeBertTokenizer",
])  # fmt: skip
"""Classes that cut text as BERT's does; a config may also name none."""


def config_of(folder: Path) -> huggingface_folder.Config:
    """What the files beside a vocabulary say."""
    paths = [folder / name for name in huggingface_folder.CONFIG_FILES]
    more = folder / huggingface_folder.TEMPLATES
    paths += sorted(more.glob("*.jinja"))[: huggingface_folder.MOST_TEMPLATES] if more.is_dir() else []
    return huggingface_folder.read_config(
        {path.relative_to(folder).as_posix(): read_bytes(path) for path in paths if path.is_file()}
    )


def completed(spec: Spec, origin: Any, config: huggingface_folder.Config) -> tuple[Spec, Any]:
    """A Spec and its Origin with what the config beside its file says. A GGUF file says all itself, and keeps its templates
    unless there are others beside it."""
    if isinstance(origin, gguf.Origin):
        return spec, with_templates(origin, config)
    if isinstance(origin, huggingface.Origin):
        spec = huggingface_folder.with_roles(spec, config)
    else:
        huggingface_folder.refuse_unknown_tokens(spec, config)
    is_named = isinstance(origin, (huggingface.Origin, sentencepiece.Origin))
    own = {} if is_named else {f"{role}_token": name for role, name in role_names(spec).items()}
    beside = dataclasses.replace(origin.beside, chat_template=config.templates, token_names=own | config.names)
    return spec, dataclasses.replace(origin, beside=beside)


def with_templates(origin: Any, config: huggingface_folder.Config | None) -> Any:
    """An Origin, or what an .anypiece file carries, with the templates of a folder, if it has any, instead of its own."""
    if config is None or not config.templates:
        return origin
    old = beside_of(origin)
    names = old.token_names | config.names
    beside = dataclasses.replace(old, chat_template=config.templates, token_names=names)
    return beside if origin is None or isinstance(origin, Beside) else dataclasses.replace(origin, beside=beside)


def vocab_txt_options(folder: Path, kind: str, options: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """What the config beside a vocab.txt says of case and accents, where the call does not, and whether Chinese characters
    are words. A class that cuts text otherwise than BERT's is refused."""
    path = folder / _CONFIG
    fields: dict[str, Any] = json.loads(read_bytes(path)) if path.is_file() else {}
    words = fields.get("word_tokenizer_type") or "basic"
    if kind not in _AS_BERT or words != "basic" or fields.get("do_basic_tokenize") is False:
        what = f"is {kind!r}" if kind not in _AS_BERT else "cuts text into words in another way"
        remedy = "Use a tokenizer.json, or pass the path of the vocab.txt itself to read it as BERT's."
        unsupported(f"{_CONFIG}: tokenizer_class", f"{what}, which is not known to be BERT's", remedy)
    named = {"lowercase": "do_lower_case", "strip_accents": "strip_accents"}
    said = {option: boolean(fields, name, _CONFIG) for option, name in named.items() if fields.get(name) is not None}
    given = {name: value for name, value in options.items() if value is not None}
    return said | given, boolean(fields, "tokenize_chinese_chars", _CONFIG, True)


def rank_options(config: huggingface_folder.Config, options: Mapping[str, Any]) -> dict[str, Any]:
    """The tokens with ids that the config beside a rank file names, as Kimi's does, among those that the call does."""
    rows = {text: row["id"] for text, row in config.tokens.items() if row["id"] is not None}
    return {**options, "specials": rows | checked_tokens(options.get("specials"))}


def read_pair(path: Path, config: huggingface_folder.Config | None, options: Mapping[str, Any]) -> tuple[Spec, Any]:
    """The Spec and Origin of a vocab.json and its merges.txt. An error names the one that it is about."""
    given = [name for name in options if options[name] is not None and name not in huggingface_folder.PAIR_OPTIONS]
    formats.refuse_options(given, "huggingface")
    told = {name: options.get(name) for name in huggingface_folder.PAIR_OPTIONS}
    other = path.parent / MERGES
    vocab, merges = read_bytes(path), read_bytes(other)
    for name, data in ((path, vocab), (other, merges)):
        if data.startswith(POINTER):
            raise FormatError("format-unknown", f"{name}: {pointer_hint()}", path=str(name))
    try:
        return huggingface_folder.read_pair(vocab, merges, config, **told)
    except FormatError as error:
        if not vocab.lstrip().startswith(b"{"):
            raise FormatError("file-corrupt", f"{path}: the JSON is no object{AGAIN}", path=str(path)) from None
        found = _MERGE.match(str(error))
        if found:
            text = f"{other}: line {_line_of(merges, int(found[1]))}{found[2]}{AGAIN}"
            raise FormatError(error.code, text, **{**error.facts, "path": str(other)}) from None
        if str(error).startswith("model.merges"):
            text = f"{other}: the list of merges{str(error).removeprefix('model.merges')}"
            raise FormatError(error.code, text, **{**error.facts, "path": str(other)}) from None
        if " at byte " in str(error):
            _refuse_json(path, vocab, error)
        raise


def pointer_hint() -> str:
    """What to do about a pointer of git LFS."""
    return "It is a pointer of git LFS in the place of the file: run `git lfs pull`, or download the file itself."


def _line_of(merges: bytes, number: int) -> int:
    """The line of a merge, from 1; the line of the version and empty ones are none."""
    lines = enumerate(merges.split(b"\n"), 1)
    rows = [place for place, line in lines if line.strip(b"\r") and not line.startswith(b"#version")]
    return rows[number] if number < len(rows) else 1


def _refuse_json(path: Path, vocab: bytes, error: FormatError) -> NoReturn:
    """What is wrong with a vocab.json, without the place in the document that it was read as a part of."""
    what = _PLACE.sub("", str(error))
    try:
        json.loads(vocab)
    except (ValueError, RecursionError) as cause:
        what = f"the JSON cannot be read: {cause}; copy the file again"
    raise FormatError(error.code, f"{path}: {what}", path=str(path)) from None
