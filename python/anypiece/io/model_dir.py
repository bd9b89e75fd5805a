"""Model folders: the files that stand beside a tokenizer file, and what they say of it.

It reads the files and puts what they say into Specs and Origins; their meaning is in ``formats.transformers.config``. Errors
name the file that they are about.
"""

from __future__ import annotations

import dataclasses
import os
import re
from typing import TYPE_CHECKING, Any, NoReturn

from .. import formats
from .._core.json_text import parsed
from .._core.warn import warn_caller
from ..errors import FormatError, InputError, UnknownClassWarning
from ..formats import gguf, huggingface, sentencepiece
from ..formats.huggingface.fields import boolean, unsupported
from ..formats.settings import checked_tokens, role_names
from ..formats.transformers import config as folder_config
from ..formats.transformers.auto import Remake, class_of, remake_of
from ..formats.transformers.classes import PAIR_CLASSES
from ..formats.transformers.sentencepiece import as_document
from ..metadata import Metadata, metadata_of
from .paths import MERGES, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ..spec import Spec

__all__ = [
    "AGAIN",
    "POINTER",
    "completed",
    "config_of",
    "pointer_hint",
    "rank_options",
    "read_files",
    "read_json",
    "read_model",
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


def config_of(folder: Path) -> folder_config.Config:
    """What the files beside a vocabulary say."""
    paths = [folder / name for name in folder_config.CONFIG_FILES]
    more = folder / folder_config.TEMPLATES
    paths += sorted(more.glob("*.jinja"))[: folder_config.MOST_TEMPLATES] if os.path.isdir(more) else []
    return folder_config.read_config(
        {path.relative_to(folder).as_posix(): read_bytes(path) for path in paths if os.path.isfile(path)}
    )


def completed(spec: Spec, origin: Any, config: folder_config.Config) -> tuple[Spec, Any]:
    """A Spec and its Origin with what the config beside its file says. A GGUF file says all itself, and keeps its templates
    unless there are others beside it."""
    if isinstance(origin, gguf.Origin):
        return spec, with_templates(origin, config)
    if isinstance(origin, huggingface.Origin):
        spec = folder_config.with_roles(spec, config)
    else:
        folder_config.refuse_unknown_tokens(spec, config)
    is_named = isinstance(origin, (huggingface.Origin, sentencepiece.Origin))
    own = {} if is_named else {f"{role}_token": name for role, name in role_names(spec).items()}
    metadata = dataclasses.replace(
        origin.metadata,
        chat_template=config.templates,
        token_names=own | config.names,
        config=folder_config.settings_of(config),
    )
    return spec, dataclasses.replace(origin, metadata=metadata)


def with_templates(origin: Any, config: folder_config.Config | None) -> Any:
    """An Origin, or what an .anypiece file carries, with the templates of a folder, if it has any, instead of its own."""
    if config is None or not config.templates:
        return origin
    old = metadata_of(origin)
    names = old.token_names | config.names
    settings = folder_config.settings_of(config)
    metadata = dataclasses.replace(old, chat_template=config.templates, token_names=names, config=settings)
    return (
        metadata if origin is None or isinstance(origin, Metadata) else dataclasses.replace(origin, metadata=metadata)
    )


def vocab_txt_options(config: folder_config.Config, options: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """What the config beside a vocab.txt says of case and accents, where the call does not, and whether Chinese characters
    are words. A class that is named puts text into lower case unless the config says otherwise; one that cuts text otherwise
    than BERT's is refused."""
    fields = config.fields
    kind = class_of(fields, config.model, byte_level=lambda: False)
    words = fields.get("word_tokenizer_type") or "basic"
    if kind not in _AS_BERT or words != "basic" or fields.get("do_basic_tokenize") is False:
        what = f"is {kind!r}" if kind not in _AS_BERT else "cuts text into words in another way"
        remedy = "Use a tokenizer.json, or pass the path of the vocab.txt itself to read it as BERT's."
        unsupported(f"{_CONFIG}: tokenizer_class", f"{what}, which is not known to be BERT's", remedy)
    named = {"lowercase": "do_lower_case", "strip_accents": "strip_accents"}
    said = {option: boolean(fields, name, _CONFIG) for option, name in named.items() if fields.get(name) is not None}
    said = ({"lowercase": True} if kind else {}) | said
    given = {name: value for name, value in options.items() if value is not None}
    return said | given, boolean(fields, "tokenize_chinese_chars", _CONFIG, True)


def rank_options(config: folder_config.Config, options: Mapping[str, Any]) -> dict[str, Any]:
    """The tokens with ids that the config beside a rank file names, as Kimi's does, among those that the call does."""
    rows = {text: row["id"] for text, row in config.tokens.items() if row["id"] is not None}
    return {**options, "specials": rows | checked_tokens(options.get("specials"))}


def read_json(
    data: bytes, config: folder_config.Config, options: Mapping[str, Any]
) -> tuple[Spec, Any, folder_config.Config]:
    """The Spec and Origin of the tokenizer.json of a folder in the dialect that was asked for, and the config with the names
    of tokens in it."""
    dialect = options.get("dialect")
    huggingface.refuse_dialect(dialect, alone=False)
    roles = options.get("roles")
    if dialect == "tokenizers":
        return *huggingface.read(data, roles=roles), config
    remake = _remake(config, lambda: b'"ByteLevel"' in data)
    if not remake.is_known:
        _warn(remake.name, "tokenizer.json", "tokenizers")
    spec, origin = huggingface.read(data, roles=roles, remake=remake)
    return spec, origin, dataclasses.replace(config, names=remake.spellings(), extra=remake.extras())


def read_files(files: Mapping[str, bytes]) -> tuple[Spec, Any] | None:
    """The Spec and Origin of a folder with a tokenizer.json, from the content of its files by their names; None where they
    name a class that is not known."""
    config = folder_config.read_config({name: data for name, data in files.items() if name != "tokenizer.json"})
    data = files["tokenizer.json"]
    if not _remake(config, lambda: b'"ByteLevel"' in data).is_known:
        return None
    return completed(*read_json(data, config, {}))


def read_model(
    path: Path, config: folder_config.Config, options: Mapping[str, Any]
) -> tuple[Spec, Any, folder_config.Config] | None:
    """The Spec and Origin of a .model file as the class that its folder names takes it, and the config with the names of
    tokens; None where the dialect is SentencePiece's, or nothing is known of a class."""
    dialect = options.get("dialect")
    remake = _remake(config, lambda: False)
    if dialect not in (None, "transformers") or remake.rules is None or not remake.rules.model:
        if dialect is None and not remake.is_known:
            _warn(remake.name, path.name, "sentencepiece")
        return None
    spec, _ = sentencepiece.read(read_bytes(path))
    data, told = as_document(spec, remake_of(remake.name, config.said, from_json=False))
    spec, origin = huggingface.read(data, remake=told)
    return spec, origin, dataclasses.replace(config, names=told.spellings(), extra=told.extras())


def _remake(config: folder_config.Config, byte_level: Callable[[], bool]) -> Remake:
    return remake_of(class_of(config.fields, config.model, byte_level=byte_level), config.said, from_json=True)


def _warn(name: str, file: str, library: str) -> None:
    message = (
        f"The folder names the class {name!r}, whose rules are not known: {file} is read as {library} reads it, which may "
        f'give other ids than the class. Pass dialect="{library}" to say that this is meant.'
    )
    warn_caller(message, UnknownClassWarning)


def read_pair(
    path: Path, config: folder_config.Config | None, options: Mapping[str, Any]
) -> tuple[Spec, Any, folder_config.Config | None]:
    """The Spec and Origin of a vocab.json and its merges.txt, and the config with the names of tokens. An error names the
    file that it is about."""
    known = folder_config.PAIR_OPTIONS
    formats.refuse_options(
        [name for name in options if options[name] is not None and name not in known], "huggingface", known
    )
    told = {name: options.get(name) for name in ("splitter", "specials", "roles")}
    remake = _remake_of_pair(config, options)
    spec, origin = _read_pair(path, config, **told, remake=remake)
    if remake is not None:
        config = dataclasses.replace(config or folder_config.Config(), names=remake.spellings(), extra=remake.extras())
    return spec, origin, config


def _remake_of_pair(config: folder_config.Config | None, options: Mapping[str, Any]) -> Remake | None:
    """The class that the call or the config names; None for one that is read as GPT-2's, if at all, and where the call says
    how text is cut or which tokens are special."""
    asked, dialect = options.get("definition"), options.get("dialect")
    huggingface.refuse_dialect(dialect, alone=config is None)
    found = config or folder_config.Config()
    name = asked or class_of(found.fields, found.model, byte_level=lambda: False)
    remake = remake_of(str(name), found.said, from_json=False)
    is_bpe = remake.rules is not None and remake.rules.model == "BPE"
    if asked is not None and not is_bpe:
        message = f"no class of a vocab.json with merges.txt is called {asked!r}; known are {', '.join(PAIR_CLASSES)}"
        raise InputError("argument-value", message, argument="definition", value=repr(asked), known=list(PAIR_CLASSES))
    is_told = options.get("splitter") is not None or options.get("specials") is not None
    return remake if is_bpe and not is_told and (dialect != "tokenizers" or asked is not None) else None


def _read_pair(path: Path, config: folder_config.Config | None, **told: Any) -> tuple[Spec, Any]:
    other = path.parent / MERGES
    vocab, merges = read_bytes(path), read_bytes(other)
    for name, data in ((path, vocab), (other, merges)):
        if data.startswith(POINTER):
            raise FormatError("format-unknown", f"{name}: {pointer_hint()}", path=str(name))
    try:
        return folder_config.read_pair(vocab, merges, config, **told)
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
    """Raise what is wrong with a vocab.json, without the place in the document that it was read as a part of."""
    what = _PLACE.sub("", str(error))
    try:
        parsed(vocab)
    except ValueError as cause:
        what = f"the JSON cannot be read: {cause}; copy the file again"
    raise FormatError(error.code, f"{path}: {what}", path=str(path)) from None
