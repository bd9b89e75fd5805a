"""The process that tries ``patch`` with transformers on its path: a small tokenizer, files, and the page's examples.

Arguments: the page. It is started by ``tests/unit/compat/transformers/test_patch.py``, in an empty folder.
"""

from __future__ import annotations

import copy
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

from anypiece.compat.transformers import AutoTokenizer, adopt, is_patched, patch, patched, unpatch
from anypiece.compat.transformers.backend import Backend, OriginalEngineWarning

TEXTS = ["hello world", "hello <s> there, world", "", "x"]


def _made(**options: Any) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = ["[UNK]", "<s>", "<pad>", "hello", "world", ",", "there"]
    tokenizer = Tokenizer(models.WordLevel({name: id for id, name in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", pad_token="<pad>", **options)


def _answers(tokenizer: Any) -> Any:
    batch = tokenizer(TEXTS, padding=True, return_tensors="np")
    return (
        {name: array.tolist() for name, array in batch.items()},
        [batch.tokens(0), batch.word_ids(1), batch.char_to_token(1, 0), len(batch.encodings)],
        dict(tokenizer(TEXTS, truncation=True, max_length=2, return_offsets_mapping=True)),
        tokenizer.batch_decode(batch["input_ids"], skip_special_tokens=True),
        len(tokenizer),
    )


def _try_patching() -> None:
    before = _made()
    wanted = _answers(before)
    assert not is_patched()
    with patched(before):
        assert is_patched()
        after = _made()
        for tokenizer in (before, after, copy.deepcopy(after), pickle.loads(pickle.dumps(after))):
            assert isinstance(tokenizer._tokenizer, Backend)
            assert _answers(tokenizer) == wanted
    assert not is_patched()
    assert not isinstance(before._tokenizer, Backend)
    assert not isinstance(after._tokenizer, Backend)
    assert _answers(before) == wanted


def _try_changes() -> None:
    plain, ours = _made(), adopt(_made())
    ours(TEXTS)
    for tokenizer in (plain, ours):
        tokenizer.add_tokens(["x"])
        tokenizer.add_special_tokens({"eos_token": "</s>"})
    assert _answers(ours) == _answers(plain)
    from tokenizers import pre_tokenizers

    for tokenizer in (plain, ours):
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.CharDelimiterSplit("o")
    assert _answers(ours) == _answers(plain)
    for tokenizer in (plain, ours):
        tokenizer.backend_tokenizer.pre_tokenizer.delimiter = "h"
    assert _answers(ours) == _answers(plain)
    ours.save_pretrained("saved")
    again = AutoTokenizer.from_pretrained("saved")
    assert _answers(again) == _answers(plain)
    trained = [one.train_new_from_iterator(iter([["hello world world"]] * 5), 9) for one in (plain, ours)]
    assert set(trained[0].get_vocab()) == set(trained[1].get_vocab())
    unpatch()


def _try_streams() -> None:
    patch()
    from tokenizers.decoders import DecodeStream

    tokenizer = _made()
    stream = DecodeStream(skip_special_tokens=False)
    assert [stream.step(tokenizer._tokenizer, id) for id in (3, 4)] == ["hello", " world"]
    unpatch()


def _try_refusals() -> None:
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    model = models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], dropout=0.5)
    tokenizer = adopt(PreTrainedTokenizerFast(tokenizer_object=Tokenizer(model)))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = {tuple(tokenizer.encode("ab")) for _ in range(100)}
    assert found == {(2,), (0, 1)}
    tokenizer.backend_tokenizer.model.dropout = None
    assert {tuple(tokenizer.encode("ab")) for _ in range(20)} == {(2,)}
    assert tokenizer._tokenizer._refused is None
    tokenizer.backend_tokenizer.model.dropout = 1.0
    assert tokenizer.encode("ab") == [0, 1]
    named = [str(one.message) for one in said if one.category is OriginalEngineWarning]
    assert named == ["This tokenizer stays with the engine of tokenizers: the model BPE draws at random"]
    try:
        adopt(object())
    except TypeError:
        pass
    else:
        raise AssertionError("what is no tokenizer was adopted")
    unpatch()


def _try_page(page: str) -> None:
    """The blocks of the page that are called py."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in Path(page).read_text("utf-8").split("```py\n")[1:]:
        exec(compile(block.partition("```")[0], page, "exec"), names)


def main() -> None:
    """Try all of it."""
    import transformers

    transformers.logging.set_verbosity_error()
    _try_patching()
    _try_changes()
    _try_streams()
    _try_refusals()
    _try_page(sys.argv[1])
    print("all is well with", transformers.__version__)


if __name__ == "__main__":
    main()
