"""AutoTokenizer over AnyPiece's engine, which opens GGUF and ``.model`` files as well."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from .patching import adopt

__all__ = ["AutoTokenizer"]

_ROLES = ("unk", "bos", "eos", "pad")


class AutoTokenizer:
    """``AutoTokenizer.from_pretrained`` with AnyPiece's engine under what it makes."""

    def __init__(self) -> None:
        raise OSError("AutoTokenizer is made with `AutoTokenizer.from_pretrained(folder)`.")

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *inputs: Any, **options: Any) -> Any:
        """The tokenizer of a folder, of a model in the local cache, or of one file: GGUF, ``.model``, tokenizer.json."""
        path = Path(pretrained_model_name_or_path)
        if path.is_file():
            return adopt(_of_file(path, options))
        import transformers

        return adopt(transformers.AutoTokenizer.from_pretrained(pretrained_model_name_or_path, *inputs, **options))


def _of_file(path: Path, options: dict[str, Any]) -> Any:
    """A file that ``load`` opens, written as a tokenizer.json and read by transformers."""
    from transformers import PreTrainedTokenizerFast

    from ...loading import load
    from ...metadata import metadata_of

    if path.suffix == ".json":
        return PreTrainedTokenizerFast(tokenizer_file=str(path), **options)
    loaded = load(path)
    names = {
        f"{role}_token": loaded.id_to_piece(id) for role in _ROLES if (id := getattr(loaded, f"{role}_id")) is not None
    }
    templates = metadata_of(loaded._origin).chat_template
    with tempfile.TemporaryDirectory() as place:
        written = Path(place, "tokenizer.json")
        loaded.save(written, "huggingface")
        made = PreTrainedTokenizerFast(tokenizer_file=str(written), **{**names, **options})
    if templates and made.chat_template is None:
        made.chat_template = templates["default"] if set(templates) == {"default"} else templates
    return made
