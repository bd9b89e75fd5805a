"""The one table of routes: what each is asked, what it answers, which function does it, and how fast that is.

The server, its OpenAPI document and the tests of both go through this table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import paths, texts, views
from .limits import Limits
from .schemas import BOOL, INT, NUMBER, TEXT, array, either, integer, null_or, number, record

if TYPE_CHECKING:
    from collections.abc import Callable

    from .asked import Lab

__all__ = ["Route", "routes"]

Schema = dict[str, Any]
_SEED = 2**64 - 1


@dataclass(frozen=True)
class Route:
    """One thing that can be asked. Work of the pace ``slow`` has a lane of its own, ``quick`` work one by its size."""

    path: str
    about: str
    request: Schema
    answer: Schema
    run: Callable[[Lab, dict[str, Any]], dict[str, Any]]
    pace: str = "quick"
    method: str = "POST"
    tags: tuple[str, ...] = field(default=("v1",))


_MODEL: Schema = {"model": {**TEXT, "description": "The tokenizer; by default the first."}}
_SPECIALS: Schema = {
    "specials": either(
        {"type": "string", "enum": ["text", "parse", "error"]},
        array(TEXT, maxItems=1000),
        default="text",
        about="What text is that spells a special token: text, the token, an error, or only the tokens listed.",
    )
}
_ADD: Schema = {
    "add_special": either(
        BOOL, {"type": "string", "enum": ["bos", "eos"]}, default=False, about="Put bos and eos around the ids."
    )
}
_UNIT: Schema = {"unit": {"type": "string", "enum": ["char", "byte", "utf16"], "default": "char"}}
_ALPHA: Schema = {"alpha": number(0, 1e6, 1.0, "Weigh paths by exp(alpha * score).")}
_IDS = array(integer(0, 2**32 - 1))
_ID_LIST = array(INT, maxItems=8_000_000)
_ROW = {"type": "array", "description": "id, piece, bytes in hexadecimal digits, score, kind"}
_VOCABULARY = array(_ROW)
_SUMS: Schema = {
    "alpha": NUMBER,
    "log_paths": null_or(NUMBER),
    "log_partition": null_or(NUMBER),
    "entropy": null_or(NUMBER),
    "expected_tokens": null_or(NUMBER),
}
_MESSAGES = array({"type": "object"}, maxItems=10_000)


def routes(limits: Limits) -> tuple[Route, ...]:
    """The table for a server with these bounds.

    >>> [route.path for route in routes(Limits())][:3]
    ['/tokenize', '/detokenize', '/v1/encode']
    """
    return (*_of_vllm(), *_of_texts(limits), *_of_paths(limits), *_of_views(limits))


def _of_vllm() -> tuple[Route, ...]:
    chat = {"messages": _MESSAGES, "add_generation_prompt": {**BOOL, "default": True}}
    chat |= {"continue_final_message": {**BOOL, "default": False}, "chat_template": null_or(TEXT)}
    chat |= {"chat_template_kwargs": null_or({"type": "object"}), "tools": null_or(array({"type": "object"}))}
    asked = {
        **_MODEL,
        "prompt": TEXT,
        **chat,
        "add_special_tokens": {**BOOL, "description": "By default true for a prompt and false for messages."},
        "return_token_strs": {"anyOf": [BOOL, {"type": "null"}], "default": False},
        "specials": {**_SPECIALS["specials"], "default": "parse"},
    }
    answer = record(
        {"count": INT, "max_model_len": null_or(INT), "tokens": _IDS, "token_strs": null_or(array(TEXT))},
    )
    return (
        Route("/tokenize", "Ids of a prompt or of messages, as vLLM answers it.", record({}, asked, closed=False),
              answer, texts.tokenize, tags=("vllm",)),
        Route("/detokenize", "The text of ids, as vLLM answers it.",
              record({"tokens": _ID_LIST}, _MODEL, closed=False), record({"prompt": TEXT}), texts.detokenize,
              tags=("vllm",)),
    )  # fmt: skip


def _of_texts(limits: Limits) -> tuple[Route, ...]:
    text = {"text": either(TEXT, array(TEXT, maxItems=limits.texts))}
    counted = either(INT, array(INT))
    ids = either(_ID_LIST, array(_ID_LIST, maxItems=limits.texts))
    errors: Schema = {"type": "string", "enum": ["replace", "ignore", "strict", "lenient"], "default": "replace"}
    one = {"text": TEXT}
    details = {**BOOL, "default": False, "description": "Add a row for each piece that occurs."}
    spans = record(
        {"model": TEXT, "count": INT, "ids": _IDS, "starts": array(INT), "ends": array(INT)},
        {"vocabulary": _VOCABULARY},
    )
    most = 1 << 30
    return (
        Route("/v1/encode", "Ids of a text, or of each of a list.", record(text, {**_MODEL, **_ADD, **_SPECIALS}),
              record({"model": TEXT, "count": counted, "ids": either(_IDS, array(_IDS))}), texts.encode),
        Route("/v1/decode", "The text of ids, or of each list of ids.",
              record({"ids": ids}, {**_MODEL, "skip_special": {**BOOL, "default": False}, "errors": errors}),
              record({"text": either(TEXT, array(TEXT))}), texts.decode),
        Route("/v1/count", "How many tokens a text has; with a limit, limit + 1 means more.",
              record(text, {**_MODEL, **_SPECIALS, "limit": integer(0, most)}),
              record({"model": TEXT, "count": counted}), texts.count),
        Route("/v1/spans", "Ids with their places in the text, as columns.",
              record(one, {**_MODEL, **_SPECIALS, **_UNIT, "details": details}), spans, texts.spans),
        Route("/v1/truncate", "The longest prefix of at most n tokens.", record({**one, "n": integer(0, most)}, _MODEL),
              record({"text": TEXT, "count": INT, "is_whole": BOOL}), texts.truncate),
        Route("/v1/split", "A text in parts of at most n tokens.",
              record({**one, "n": integer(1, most)}, {**_MODEL, "overlap": integer(0, most, 0)}),
              record({"parts": array(TEXT), "count": array(INT)}), texts.split),
        _chat(),
        Route("/v1/models", "The tokenizers.", record({}), record({"object": TEXT, "data": array({"type": "object"})}),
              texts.models, method="GET"),
    )  # fmt: skip


def _chat() -> Route:
    asked = {
        **_MODEL,
        **_ADD,
        "add_generation_prompt": {**BOOL, "default": False},
        "template": {**TEXT, "description": "The name of one of the file's templates, or a template."},
        "tools": array({"type": "object"}),
    }
    answer = record(
        {
            "model": TEXT, "count": INT, "ids": _IDS, "text": TEXT, "spans": array(array(INT)),
            "assistant_mask": array(BOOL), "vocabulary": _VOCABULARY,
        }
    )  # fmt: skip
    about = "Ids of a conversation, with special tokens of the template alone."
    return Route("/v1/chat", about, record({"messages": _MESSAGES}, asked), answer, texts.chat)


def _of_paths(limits: Limits) -> tuple[Route, ...]:
    text = {"text": {**TEXT, "maxLength": limits.lattice_text}}
    pieces = {"ids": _IDS, "pieces": array(TEXT)}
    path = record({**pieces, "score": NUMBER, "probability": NUMBER})
    draw = record({**pieces, "count": INT, "probability": null_or(NUMBER)})
    edges = record(
        {**pieces, "starts": array(INT), "ends": array(INT), "scores": array(NUMBER), "marginals": array(NUMBER)}
    )
    places = {"start": integer(0, 1 << 30, 0), "end": integer(0, 1 << 30)}
    lattice = {
        "model": TEXT, "normalized": TEXT, "is_scored": BOOL, "start": INT, "end": INT, "edges": edges, "left_out": INT,
        "best": array(INT), "runner_up": array(INT), "bounds": array(INT), **_SUMS,
    }  # fmt: skip
    drawn = {
        "model": TEXT, "n": INT, "method": TEXT, "seed": INT, "different": INT, "draws": array(draw),
        "drawn_entropy": NUMBER, "drawn_tokens": NUMBER,
    }  # fmt: skip
    methods = ["lattice", "nbest", "viterbi", "reservoir", "dropout"]
    sampled = {
        **_MODEL, **_SPECIALS, "alpha": number(0, 1e6, 0.1), "n": integer(1, limits.draws, 1),
        "seed": integer(0, _SEED, 0), "epoch": integer(0, _SEED, 0), "index": integer(0, 2**63, 0),
        "method": {"type": "string", "enum": methods, "default": "lattice"},
    }  # fmt: skip
    return (
        Route("/v1/lattice", "All segmentations: edges with marginals, the best path, the sums.",
              record(text, {**_MODEL, **_SPECIALS, **_ALPHA, **places}), record(lattice), paths.lattice, "slow"),
        Route("/v1/nbest", "The best segmentations with their probabilities.",
              record(text, {**_MODEL, **_SPECIALS, **_ALPHA, "n": integer(1, limits.paths, 10)}),
              record({"model": TEXT, "paths": array(path), **_SUMS}), paths.nbest, "slow"),
        Route("/v1/sample", "Draws, counted by segmentation, beside their exact probabilities.",
              record(text, sampled), record(drawn, _SUMS), paths.sample, "slow"),
    )  # fmt: skip


def _of_views(limits: Limits) -> tuple[Route, ...]:
    names = array(TEXT, minItems=2, maxItems=limits.compared)
    column = record(
        {
            "model": TEXT, "count": INT, "ids": _IDS, "starts": array(INT), "ends": array(INT), "own_boundaries": INT,
            "bytes_per_token": null_or(NUMBER), "characters_per_token": null_or(NUMBER), "unknown": INT,
            "byte_pieces": INT, "different_pieces": INT, "round_trip": BOOL, "vocabulary": _VOCABULARY,
        }
    )  # fmt: skip
    side_by_side = record({"characters": INT, "bytes": INT, "common": array(INT), "models": array(column)})
    explained = record(
        {
            "model": TEXT, "text": TEXT, "normalized": TEXT, "offsets": array(INT), "units": array({"type": "object"}),
            "tokens": array({"type": "object"}), "total_score": null_or(NUMBER), "runner_up": null_or({"type": "object"}),
            "compared": BOOL, "difference": null_or({"type": "object"}), "symbols": TEXT, "verbatim": BOOL,
            "notices": array(TEXT), "steps": null_or({"type": "object"}),
        }
    )  # fmt: skip
    text = {"text": {**TEXT, "maxLength": limits.explained_text}}
    options = {**_MODEL, **_SPECIALS, **_ADD, "steps": {**BOOL, "default": True}}
    return (
        Route("/v1/explain", "Every stage of a text, and every step of them.", record(text, options), explained,
              views.explain, "slow"),
        Route("/v1/compare", "Tokens by several tokenizers, and the boundaries they share.",
              record({"text": TEXT, "models": names}, {**_SPECIALS, **_UNIT}), side_by_side, views.compare),
    )  # fmt: skip
