"""The process that compares transformers with and without the patch, on one tokenizer: prints what it found as JSON.

Arguments: a folder, or a tokenizer.json by itself; a JSON file with texts; the kinds of results, as in ``none,np,pt``; and
which share of all combinations of options each batch is asked with, 1 for all. ``tests/parity/patched.py`` starts it.
"""

from __future__ import annotations

import copy
import itertools
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

MOST = 20
"""How many differences are printed."""
BATCH = 20
_CHATS = [
    [{"role": "user", "content": "Hello <s> there"}, {"role": "assistant", "content": "Hi!"}],
    [
        {"role": "user", "content": "日本語? <|im_end|>"},
        {"role": "assistant", "content": "  Yes,\n\nit is 👩\u200d👧."},
        {"role": "user", "content": "And now?"},
    ],
]
_TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|> {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
"""For tokenizers that bring none."""


class Comparison:
    """Two tokenizers that are asked the same things: how many, on how many both raised, and what differed."""

    def __init__(self, plain: Any, patched: Any) -> None:
        self.plain, self.patched = plain, patched
        self.count = self.raised = 0
        self.differences: list[str] = []

    def ask(self, name: str, call: Callable[[Any], Any]) -> None:
        """One question."""
        wanted, found = _asked(call, self.plain), _asked(call, self.patched)
        self.count += 1
        self.raised += isinstance(wanted, type)
        if wanted != found:
            self.differences.append(f"{name}: {_shown(found)} not {_shown(wanted)}")


def _asked(call: Callable[[Any], Any], tokenizer: Any) -> Any:
    """The answer as what can be compared; of an exception its class, which must come from both."""
    try:
        return _plain(call(tokenizer))
    except Exception as error:
        return type(error)


def _shown(value: Any) -> str:
    return f"{value!r:.200}"


_SIMPLE = {int, float, bool, str, tuple, type(None)}


def _plain(value: Any) -> Any:
    """A result as what can be compared."""
    if hasattr(value, "tolist"):
        listed = value.tolist()
        return [type(value).__module__, str(value.dtype), _plain(listed) if str(value.dtype) == "object" else listed]
    if hasattr(value, "items"):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list) and not set(map(type, value)) <= _SIMPLE:
        return [_plain(part) for part in value]
    return value


def _opened(place: str) -> Any:
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    if not os.path.isdir(place):
        return PreTrainedTokenizerFast(tokenizer_file=place)
    try:
        return AutoTokenizer.from_pretrained(place, local_files_only=True, trust_remote_code=False)
    except ValueError:  # a class whose code the folder would have to bring along
        return PreTrainedTokenizerFast.from_pretrained(place, local_files_only=True)


def _facts(on: Comparison) -> None:
    on.ask("length", len)
    on.ask("vocabulary", lambda tokenizer: sorted(tokenizer.get_vocab().items()))
    on.ask("special_tokens_map", lambda tokenizer: tokenizer.special_tokens_map)
    on.ask("all_special_ids", lambda tokenizer: tokenizer.all_special_ids)
    on.ask("added_tokens_decoder", lambda tokenizer: [*map(repr, tokenizer.added_tokens_decoder.items())])


def _chats(on: Comparison, kinds: Sequence[str | None]) -> None:
    given = {} if on.plain.chat_template else {"chat_template": _TEMPLATE}
    for chat in _CHATS:
        for prompt in (False, True):
            options = {"add_generation_prompt": prompt, **given}
            on.ask("chat", lambda it, chat=chat, o=options: it.apply_chat_template(chat, tokenize=False, **o))
            on.ask("chat ids", lambda it, chat=chat, o=options: it.apply_chat_template(chat, **o))
    for kind in kinds:
        options = {"return_tensors": kind, "padding": True, "return_dict": True, **given}
        on.ask(f"chats {kind}", lambda it, o=options: it.apply_chat_template(_CHATS, **o))


def _single(on: Comparison, text: str, kinds: Sequence[str | None]) -> None:
    shown = {"return_offsets_mapping": True, "return_special_tokens_mask": True, "return_token_type_ids": True}
    ids = on.plain.encode(text)
    questions: dict[str, Callable[[Any], Any]] = {
        "ids": lambda it: it.encode(text),
        "ids without specials": lambda it: it.encode(text, add_special_tokens=False),
        "call": lambda it: it(text, **shown),
        "call with a pair": lambda it: it(text, text[::-1], **shown),
        "tokens": lambda it: it(text).tokens(),
        "word_ids": lambda it: it(text, text[::-1]).word_ids(),
        "sequence_ids": lambda it: it(text, text[::-1]).sequence_ids(),
        "char_to_token": lambda it: _places(it(text), text),
        "split special tokens": lambda it: it(text, split_special_tokens=True),
        "decode": lambda it: it.decode(ids),
        "decode without specials": lambda it: it.decode(ids, skip_special_tokens=True),
        "decode and clean up": lambda it: it.decode(ids, clean_up_tokenization_spaces=True),
        "tokenize": lambda it: it.tokenize(text),
    }
    for name, call in questions.items():
        on.ask(f"{name} of {text[:60]!r}", call)
    for kind in kinds:
        on.ask(f"call as {kind} of {text[:60]!r}", lambda it, kind=kind: it(text, return_tensors=kind, **shown))


def _places(encoded: Any, text: str) -> Any:
    """Where characters have gone, and where tokens come from."""
    spans = [encoded.token_to_chars(at) for at in range(len(encoded["input_ids"]))]
    return [[encoded.char_to_token(at) for at in range(len(text))], [None if one is None else [*one] for one in spans]]


_AROUND = list(itertools.product(("right", "left"), (True, False)))


def _combinations(kinds: Sequence[str | None], number: int) -> list[tuple[Any, ...]]:
    """Of the options of a batch call: padding, truncation, pairs and kinds of results, all with all. The side of the padding
    and whether there are special tokens take turns, from combination to combination and from batch to batch."""
    product = itertools.product((False, True, "max_length"), (False, True, "only_first"), (False, True), kinds)
    return [(*one, *_AROUND[(place + number) % len(_AROUND)]) for place, one in enumerate(product)]


def _batch(on: Comparison, texts: list[str], combinations: Sequence[tuple[Any, ...]]) -> None:
    pairs = [text[::-1] for text in texts]
    for padding, truncation, paired, kind, side, special in combinations:
        options: dict[str, Any] = {"padding": padding, "truncation": truncation, "max_length": 24, "padding_side": side}
        options |= {"return_tensors": kind, "add_special_tokens": special, "return_special_tokens_mask": True}
        options |= {"return_token_type_ids": True, "return_offsets_mapping": kind is None, "return_length": True}
        pair = pairs if paired else None
        name = f"batch {padding=} {truncation=} {paired=} {kind=} {side=} {special=} from {texts[0][:40]!r}"
        on.ask(name, lambda it, pair=pair, options=options: it(texts, pair, **options))


def _batches(on: Comparison, texts: list[str], kinds: Sequence[str | None]) -> None:
    """Calls that are not in the product of all options."""
    pairs = [text[::-1] for text in texts]
    for truncation, side, pair, kind in itertools.product(
        ("only_second", "longest_first"), ("right", "left"), (None, pairs), kinds
    ):
        options: dict[str, Any] = {"padding": True, "truncation": truncation, "max_length": 12, "pad_to_multiple_of": 8}
        options |= {"return_tensors": kind}
        name = f"batch {truncation=} from the {side} {pair is not None} {kind=} from {texts[0][:40]!r}"
        on.ask(name, lambda it, side=side, pair=pair, options=options: _cut_from(it, side, texts, pair, options))
    options = {"truncation": True, "max_length": 16, "stride": 4, "return_overflowing_tokens": True}
    for pair, kind in itertools.product((None, pairs), kinds):
        more = {**options, "return_offsets_mapping": True, "padding": kind is not None, "return_tensors": kind}
        on.ask(f"overflowing {pair is not None} {kind=}", lambda it, pair=pair, more=more: it(texts, pair, **more))
    words = [text.split() for text in texts]
    on.ask("words", lambda it: it(words, is_split_into_words=True, return_offsets_mapping=True))
    ids = on.plain(texts)["input_ids"]
    on.ask("batch_decode", lambda it: it.batch_decode(ids, skip_special_tokens=True))
    for kind in kinds:
        on.ask(f"pad {kind=}", lambda it, kind=kind: it.pad({"input_ids": ids}, return_tensors=kind))
        on.ask(
            f"offsets {kind=}",
            lambda it, kind=kind: it(texts, **_PADDED, return_offsets_mapping=True, return_tensors=kind),
        )
        on.ask(f"encodings {kind=}", lambda it, kind=kind: _looked_at(it(texts, pairs, **_PADDED, return_tensors=kind)))


_PADDED = {"padding": True, "truncation": True, "max_length": 40}


def _looked_at(batch: Any) -> Any:
    """What a batch knows beside its values."""
    rows = range(len(batch.encodings))
    return [[batch.tokens(row), batch.word_ids(row), batch.sequence_ids(row)] for row in rows]


def _cut_from(tokenizer: Any, side: str, texts: list[str], pair: Any, options: dict[str, Any]) -> Any:
    before, tokenizer.truncation_side = tokenizer.truncation_side, side
    try:
        return tokenizer(texts, pair, **options)
    finally:
        tokenizer.truncation_side = before


def _compare(on: Comparison, texts: list[str], kinds: Sequence[str | None], share: int) -> None:
    _facts(on)
    _chats(on, kinds)
    for text in texts:
        _single(on, text, kinds)
    for number, start in enumerate(range(0, len(texts), BATCH)):
        some = texts[start : start + BATCH]
        _batch(on, some, _combinations(kinds, number)[number % share :: share])
        _batches(on, some, kinds)


def main() -> None:
    """Compare, with added tokens as well."""
    warnings.simplefilter("ignore")
    import transformers

    from anypiece.compat.transformers import adopt
    from anypiece.compat.transformers.backend import Backend

    transformers.logging.set_verbosity_error()
    place, listed, named, share = sys.argv[1:]
    texts = json.loads(Path(listed).read_text("utf-8"))
    kinds = [None if name == "none" else name for name in named.split(",")]
    plain = _opened(place)
    if plain.pad_token is None:
        plain.add_special_tokens({"pad_token": "<the pad>"})
    on = Comparison(plain, adopt(copy.deepcopy(plain)))
    _compare(on, texts, kinds, int(share))
    for tokenizer in (on.plain, on.patched):
        tokenizer.add_tokens(["anypiece", " two words "])
    _compare(on, texts[:BATCH], kinds, int(share))
    backend: Backend = on.patched._tokenizer
    answer = {"comparisons": on.count, "raised": on.raised, "count": len(on.differences)}
    print(json.dumps({**answer, "differences": on.differences[:MOST], "refused": backend._refused}))


if __name__ == "__main__":
    main()
