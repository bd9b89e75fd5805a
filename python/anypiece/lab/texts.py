"""What routes answer about texts and ids: encode, decode, count, spans, truncate, split, chat, and vLLM's two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .asked import encoded, spans_of, specials_of, within
from .refusals import Refused
from .wire import Spelled

if TYPE_CHECKING:
    from ..spec import Spec
    from ..tokenizer import Tokenizer
    from .asked import Lab

__all__ = ["chat", "count", "decode", "detokenize", "encode", "models", "spans", "split", "tokenize", "truncate"]

_TEMPLATE = 64 << 10


def tokenize(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """As vLLM answers it: a prompt, whose special tokens count, or messages."""
    model = lab.model(asked)
    if "messages" in asked and "prompt" in asked:
        raise Refused(400, "Give prompt or messages, not both.", param="messages")
    if "messages" in asked:
        if asked["continue_final_message"]:
            message = (
                "continue_final_message is not supported: end the template's text yourself, and send it as prompt."
            )
            raise Refused(501, message, param="continue_final_message")
        ids = np.array(_chat_ids(model.tokenizer, asked, asked.get("add_special_tokens") is True), np.uint32)
    elif "prompt" in asked:
        add_special = asked.get("add_special_tokens") is not False and _around(model.tokenizer.spec)
        ids = encoded(model.tokenizer, asked["prompt"], add_special, specials_of(asked))
    else:
        raise Refused(400, "prompt or messages is missing.", param="prompt")
    lab.metrics.counted(model.name, len(ids))
    strings = Spelled(model.spelled_pieces(ids.tolist())) if asked["return_token_strs"] else None
    return {"count": len(ids), "max_model_len": model.longest, "tokens": ids, "token_strs": strings}


def _around(spec: Spec) -> bool:
    """Whether a file has what it says to put around a text. Clients of vLLM ask for it by default, whatever the file: one
    that lacks bos or eos, such as a list of ranks, puts nothing around.
    """
    lacks_bos, lacks_eos = spec.add_bos and spec.bos_id is None, spec.add_eos and spec.eos_id is None
    return spec.single is not None or not (lacks_bos or lacks_eos)


def detokenize(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """As vLLM answers it."""
    return {"prompt": lab.model(asked).tokenizer.decode(asked["tokens"])}


def encode(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """The ids of a text, or of each of a list."""
    model, specials = lab.model(asked), specials_of(asked)
    found = [encoded(model.tokenizer, text, asked["add_special"], specials) for text in _texts(asked["text"])]
    lab.metrics.counted(model.name, sum(map(len, found)))
    if isinstance(asked["text"], str):
        return {"model": model.name, "count": len(found[0]), "ids": found[0]}
    return {"model": model.name, "count": [len(ids) for ids in found], "ids": found}


def decode(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """The text of ids, or of each list of ids."""
    tokenizer, ids = lab.model(asked).tokenizer, asked["ids"]
    options: dict[str, Any] = {"skip_special": asked["skip_special"], "errors": asked["errors"]}
    if ids and isinstance(ids[0], list):
        return {"text": [tokenizer.decode(row, **options) for row in ids]}
    return {"text": tokenizer.decode(ids, **options)}


def count(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """How many tokens a text has, or each of a list."""
    model, specials = lab.model(asked), specials_of(asked)
    found = [model.tokenizer.count(text, asked.get("limit"), specials=specials) for text in _texts(asked["text"])]
    return {"model": model.name, "count": found[0] if isinstance(asked["text"], str) else found}


def spans(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """Ids and places as columns; with ``details`` a row for each piece that occurs."""
    model, text = lab.model(asked), asked["text"]
    row = spans_of(model.tokenizer, text, asked["unit"], specials_of(asked))
    lab.metrics.counted(model.name, len(row.ids))
    found = {"model": model.name, "count": len(row.ids), "ids": row.ids, "starts": row.starts, "ends": row.ends}
    if asked["details"]:
        found["vocabulary"] = Spelled(model.spelled_rows(np.unique(row.ids).tolist()))
    return found


def truncate(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """The longest prefix of at most n tokens."""
    tokenizer = lab.model(asked).tokenizer
    text = tokenizer.truncate(asked["text"], asked["n"])
    return {"text": text, "count": tokenizer.count(text), "is_whole": len(text) == len(asked["text"])}


def split(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """A text cut into parts of at most n tokens."""
    model = lab.model(asked)
    if asked["overlap"] >= asked["n"]:
        raise Refused(400, "overlap must be less than n.", param="overlap")
    parts = model.tokenizer.split(asked["text"], asked["n"], asked["overlap"])
    return {"parts": parts, "count": [model.tokenizer.count(part) for part in parts]}


def chat(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """The ids of a conversation, its text, and which tokens are of which message."""
    model = lab.model(asked)
    ids = _chat_ids(model.tokenizer, asked, asked["add_special"])
    lab.metrics.counted(model.name, len(ids))
    return {
        "model": model.name,
        "count": len(ids),
        "ids": np.array(ids, np.uint32),
        "text": ids.text,
        "spans": [list(span) for span in ids.spans],
        "assistant_mask": ids.assistant_mask,
        "vocabulary": Spelled(model.spelled_rows(sorted(set(ids)))),
    }


def models(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """All tokenizers."""
    return {"object": "list", "data": [model.info() for model in lab.models.all()]}


def _chat_ids(tokenizer: Tokenizer, asked: dict[str, Any], add_special: Any) -> Any:
    variables: dict[str, Any] = {"add_generation_prompt": asked["add_generation_prompt"]}
    if asked.get("tools") is not None:
        variables["tools"] = asked["tools"]
    variables |= asked.get("chat_template_kwargs") or {}
    template = asked.get("template", asked.get("chat_template"))
    within(template or "", _TEMPLATE, "template")
    strange = {"messages", "template", "add_special"} & variables.keys()
    if strange:
        message = f"{min(strange)} cannot be a variable of the template."
        raise Refused(400, message, param="chat_template_kwargs")
    return tokenizer.encode_chat(asked["messages"], template=template, add_special=add_special, **variables)


def _texts(given: str | list[str]) -> list[str]:
    return [given] if isinstance(given, str) else given
