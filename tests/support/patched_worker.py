"""The process that compares transformers with and without the patch, on one tokenizer: prints what differs as JSON.

Arguments: a folder, or a tokenizer.json by itself, and a JSON file with texts. ``tests/parity/test_patched.py`` starts it.
"""

from __future__ import annotations

import copy
import itertools
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

MOST = 20
"""How many differences are printed."""
WHOLE, SHARES = 3, 5
"""How many batches are made with every combination of options; each later one is made with a fifth of them, in turn."""
_CHAT = [
    {"role": "user", "content": "Hello <s> there"},
    {"role": "assistant", "content": "Hi!"},
    {"role": "user", "content": "And now?"},
]


def _opened(place: str) -> Any:
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    file = os.path.join(place, "tokenizer.json") if os.path.isdir(place) else place
    if place != file:
        try:
            return AutoTokenizer.from_pretrained(place, local_files_only=True, trust_remote_code=False)
        except ValueError:  # a class whose code the folder would have to bring along
            pass
    return PreTrainedTokenizerFast(tokenizer_file=file)


def _plain(value: Any) -> Any:
    """A result as what can be compared."""
    if hasattr(value, "tolist"):
        return ["array", str(value.dtype), _plain(value.tolist())]
    if hasattr(value, "items"):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _asked(call: Any) -> Any:
    try:
        return _plain(call())
    except Exception as error:  # the same class must come from both
        return f"{type(error).__name__}"


def _single(tokenizer: Any, text: str) -> dict[str, Any]:
    ids = tokenizer.encode(text)
    encoding = tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True, return_token_type_ids=True)
    return {
        "ids": ids,
        "bare": tokenizer.encode(text, add_special_tokens=False),
        "encoding": _plain(encoding),
        "tokens": encoding.tokens(),
        "words": encoding.word_ids(),
        "sequences": encoding.sequence_ids(),
        "split": _asked(lambda: tokenizer(text, split_special_tokens=True)),
        "decoded": tokenizer.decode(ids),
        "skipped": tokenizer.decode(ids, skip_special_tokens=True),
        "pieces": tokenizer.tokenize(text),
    }


def _batches(tokenizer: Any, texts: list[str], share: slice) -> dict[str, Any]:
    """Batches with every combination of options, or a share of them."""
    found: dict[str, Any] = {}
    pairs = [text[::-1] for text in texts]
    axes = itertools.product(
        (False, True, "max_length"),
        (False, True, "only_first"),
        (None, pairs),
        (None, "np"),
        ("right", "left"),
        (True, False),
    )
    for padding, truncation, pair, tensors, side, special in list(axes)[share]:
        options: dict[str, Any] = {"padding": padding, "truncation": truncation, "max_length": 24, "padding_side": side}
        options |= {"return_tensors": tensors, "add_special_tokens": special, "return_special_tokens_mask": True}
        options |= {"return_token_type_ids": True, "return_offsets_mapping": tensors is None, "return_length": True}
        name = f"{padding} {truncation} {pair is not None} {tensors} {side} {special}"
        found[name] = _asked(lambda options=options, pair=pair: tokenizer(texts, pair, **options))
    sides = tokenizer.truncation_side
    for truncation, side in itertools.product(("only_second", "longest_first"), ("right", "left")):
        tokenizer.truncation_side = side
        options = {"padding": True, "truncation": truncation, "max_length": 12, "pad_to_multiple_of": 8}
        for pair, tensors in itertools.product((None, pairs), (None, "np")):
            name = f"{truncation} from the {side} {pair is not None} {tensors}"
            found[name] = _asked(
                lambda options=options, pair=pair, tensors=tensors: tokenizer(
                    texts, pair, return_tensors=tensors, **options
                )
            )
    tokenizer.truncation_side = sides
    options = {"truncation": True, "max_length": 16, "stride": 4, "return_overflowing_tokens": True}
    for pair in (None, pairs):
        found[f"overflowing {pair is not None}"] = _asked(
            lambda pair=pair: tokenizer(texts, pair, **options, return_offsets_mapping=True)
        )
    words = [text.split() for text in texts]
    found["words"] = _asked(lambda: tokenizer(words, is_split_into_words=True, return_offsets_mapping=True))
    found["offsets"] = _asked(lambda: tokenizer(texts, padding=True, return_offsets_mapping=True, return_tensors="np"))
    found["decoded"] = _asked(lambda: tokenizer.batch_decode(tokenizer(texts)["input_ids"], skip_special_tokens=True))
    return found


def _facts(tokenizer: Any) -> dict[str, Any]:
    def chat() -> Any:
        return [
            tokenizer.apply_chat_template(_CHAT, tokenize=False, add_generation_prompt=True),
            _plain(tokenizer.apply_chat_template(_CHAT, add_generation_prompt=True)),
        ]

    return {
        "length": len(tokenizer),
        "vocab": sorted(tokenizer.get_vocab().items()),
        "special": tokenizer.special_tokens_map,
        "all": tokenizer.all_special_ids,
        "added": [(id, repr(token)) for id, token in tokenizer.added_tokens_decoder.items()],
        "chat": _asked(chat),
    }


def _compare(plain: Any, patched: Any, texts: list[str]) -> list[str]:
    differences = [f"facts {name}" for name, value in _facts(plain).items() if value != _facts(patched)[name]]
    for text in texts:
        wanted, found = _single(plain, text), _single(patched, text)
        differences += [f"{name} of {text[:60]!r}: {found[name]!r:.200} not {wanted[name]!r:.200}"
                        for name in wanted if wanted[name] != found[name]]  # fmt: skip
    for start in range(0, len(texts), 20):
        some = texts[start : start + 20]
        number = start // 20
        share = slice(None) if number < WHOLE else slice(number % SHARES, None, SHARES)
        wanted, found = _batches(plain, some, share), _batches(patched, some, share)
        differences += [f"batch {name}" for name in wanted if wanted[name] != found[name]]
    return differences


def main() -> None:
    """Compare, with added tokens as well."""
    warnings.simplefilter("ignore")
    import transformers

    from anypiece.compat.transformers import adopt
    from anypiece.compat.transformers.backend import Backend

    transformers.logging.set_verbosity_error()
    texts = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    plain = _opened(sys.argv[1])
    if plain.pad_token is None:
        plain.add_special_tokens({"pad_token": "<the pad>"})
    patched = adopt(copy.deepcopy(plain))
    differences = _compare(plain, patched, texts)
    for tokenizer in (plain, patched):
        tokenizer.add_tokens(["anypiece", " two words "])
    differences += [f"with added tokens: {row}" for row in _compare(plain, patched, texts[:30])]
    backend: Backend = patched._tokenizer
    answer = {"differences": differences[:MOST], "count": len(differences), "refused": backend._refused}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
