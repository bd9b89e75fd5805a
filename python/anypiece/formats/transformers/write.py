"""A tokenizer as the files of a model's folder, as transformers 5 writes them: tokenizer.json, its config, chat templates.

Which class the config names decides what becomes of the tokenizer.json, so there are several ways to write a folder, and
which of them is right is found out by reading it. Both names of tokens and settings of other programs come through.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..._core.json_text import is_text
from ...spec import Added, AddedFlag, Kind
from ..huggingface import write
from ..settings import role_names
from .auto import TIDYING, named_by
from .config import EXTRA, TEMPLATES, ids_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...metadata import Metadata
    from ...spec import Spec

__all__ = ["AS_IT_IS", "configs", "files_of", "token_names", "with_named_tokens"]

AS_IT_IS = "PreTrainedTokenizerFast"
"""The class that takes a tokenizer.json as it is, by the name that transformers 4 and 5 know."""
_TIDY = "clean_up_tokenization_spaces"
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


def token_names(spec: Spec, metadata: Metadata) -> dict[str, str]:
    """The tokens by name (``bos_token``): those of the files that the vocabulary has, and those that the Spec says.

    >>> import anypiece
    >>> from anypiece.metadata import Metadata
    >>> sorted(token_names(anypiece.load().spec, Metadata(token_names={"image_token": "<image>"})))
    ['bos_token', 'eos_token', 'pad_token']
    """
    known = ids_of(spec, metadata.token_names.values())
    found = {name: text for name, text in metadata.token_names.items() if known[text] is not None}
    unknown = _unknown(spec, metadata)
    if unknown in {text for text, _, _ in spec.added}:
        found.setdefault("unk_token", unknown)
    return found | {f"{role}_token": text for role, text in role_names(spec).items()}


def with_named_tokens(spec: Spec, metadata: Metadata) -> Spec:
    """``spec`` whose named tokens are special ones, which they become where a folder is loaded."""
    names = [name for name in (*token_names(spec, metadata).values(), _unknown(spec, metadata)) if name]
    rows = {text: (id, int(flags)) for text, id, flags in spec.added}
    kinds = spec.pieces.kinds.copy()
    for text, id in ids_of(spec, names).items():
        if id is not None:
            rows[text] = (id, rows.get(text, (id, 0))[1] | AddedFlag.SPECIAL)
            kinds[id] = Kind.UNKNOWN if kinds[id] == Kind.UNKNOWN else Kind.CONTROL
    added = Added.of([(text, *row) for text, row in rows.items()])
    return spec.replace(added=added, pieces=replace(spec.pieces, kinds=kinds))


def _unknown(spec: Spec, metadata: Metadata) -> str:
    """The unknown piece, where no config says which token that is or that there is none."""
    return spec.pieces.piece(spec.unk_id) if spec.unk_id >= 0 and not metadata.config else ""


def configs(spec: Spec, metadata: Metadata) -> Iterator[dict[str, Any]]:
    """The fields that a tokenizer_config.json may have besides tokens, the preferred ones first: with the class that the
    files named, with BERT's for words as it cuts them, and with the one that takes a tokenizer.json as it is."""
    fields = {name: value for name, value in metadata.config.items() if name != EXTRA and not _is_token(name, value)}
    if fields.get(_TIDY) is True and spec.segmenter != "bpe" and not _is_tidied(spec, fields):
        fields[_TIDY] = False
    if isinstance(fields.get("tokenizer_class"), str):
        yield fields
    elif spec.segmenter == "wordpiece" and spec.normalizer and spec.normalizer[0]["type"] == "bert":
        step = spec.normalizer[0]
        asked = {"do_lower_case": step["lowercase"], "strip_accents": step["strip_accents"]}
        chinese = {"tokenize_chinese_chars": step["handle_chinese_chars"]}
        yield fields | {"tokenizer_class": "BertTokenizer", **asked, **chinese}
    rules = spec.split_rules if spec.splitter is None else ()
    if len(rules) == 1 and rules[0]["type"] == "byte-level":  # which transformers 4 changes as the config says
        fields["add_prefix_space"] = rules[0]["add_prefix_space"]
    yield fields | {"tokenizer_class": AS_IT_IS}


def files_of(spec: Spec, metadata: Metadata, config: dict[str, Any]) -> dict[str, bytes]:
    """The files of a folder by their names, with these fields in its config. Raises ``FormatError`` for what a
    tokenizer.json has no place for."""
    names = token_names(spec, metadata)
    plain = spec
    if spec.decoder is not None and _is_tidied(spec, config):
        plain = spec.replace(decoder=spec.decoder[: -len(TIDYING)])
    templates, listed = _templates(metadata.chat_template)
    others = {name: text for name, text in names.items() if not name.endswith("_token")}
    extra = [text for text in metadata.config.get(EXTRA, ()) if ids_of(spec, [text])[text] is not None]
    absent = dict.fromkeys(named_by(str(config["tokenizer_class"])) - names.keys() if metadata.token_names else ())
    fields = {**config, **absent, **{name: text for name, text in names.items() if name not in others}}
    fields |= {"extra_special_tokens": others} if others else {}
    fields |= {EXTRA: extra} if extra else {}
    fields |= {"chat_template": listed} if listed else {}
    named = {name: text for name, text in names.items() if name not in others}
    return {
        "tokenizer.json": write(plain, metadata),
        "tokenizer_config.json": _json(fields),
        "special_tokens_map.json": _json(named),
        **templates,
    }


def _is_token(name: str, value: Any) -> bool:
    return name.endswith("_token") and (isinstance(value, str) or (isinstance(value, dict) and "content" in value))


def _is_tidied(spec: Spec, fields: dict[str, Any]) -> bool:
    """Whether decoding takes out spaces because a config asks for it."""
    is_asked = fields.get(_TIDY) is True and spec.segmenter != "bpe"
    return is_asked and spec.decoder is not None and spec.decoder[-len(TIDYING) :] == TIDYING


def _templates(templates: dict[str, str]) -> tuple[dict[str, bytes], list[dict[str, str]]]:
    """Chat templates as files, or as rows of the config where a name is none of a file, or a text is not what a file is
    read as."""
    names = (name == "default" or _FILE_NAME.fullmatch(name) for name in templates)
    if not all(names) or any("\r" in text or not is_text(text) for text in templates.values()):
        return {}, [{"name": name, "template": text} for name, text in templates.items()]
    places = {name: f"{TEMPLATES}/{name}.jinja" for name in templates} | {"default": "chat_template.jinja"}
    return {places[name]: text.encode() for name, text in templates.items()}, []


def _json(fields: dict[str, Any]) -> bytes:
    text = json.dumps(fields, indent=2, sort_keys=True, ensure_ascii=False)
    text = text if is_text(text) else json.dumps(fields, indent=2, sort_keys=True)
    return f"{text}\n".encode()
