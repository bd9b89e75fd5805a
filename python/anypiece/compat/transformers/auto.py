"""AutoTokenizer over AnyPiece's engine, which opens GGUF and ``.model`` files as well."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

from .patching import adopt

__all__ = ["AutoTokenizer", "ConversionWarning"]

_ROLES = ("unk", "bos", "eos", "pad")


class ConversionWarning(UserWarning):
    """A file has become a tokenizer of transformers that gives other ids for some texts."""


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
    from ...tokenizer import Tokenizer

    if path.suffix == ".json":
        return PreTrainedTokenizerFast(tokenizer_file=str(path), **options)
    loaded = load(path)
    names = {
        f"{role}_token": loaded.id_to_piece(id) for role in _ROLES if (id := getattr(loaded, f"{role}_id")) is not None
    }
    templates = metadata_of(loaded._origin).chat_template
    with tempfile.TemporaryDirectory() as place:
        written = Path(place, "tokenizer.json")
        _write(Tokenizer(loaded.spec), written)
        made = PreTrainedTokenizerFast(tokenizer_file=str(written), **{**names, **options})
    if templates and made.chat_template is None:
        made.chat_template = templates["default"] if set(templates) == {"default"} else templates
    return made


def _write(tokenizer: Any, path: Path) -> None:
    """A tokenizer as a tokenizer.json; a warning says where that cannot give the same ids for every text."""
    from ...conversion.convert import convert
    from ...errors import FormatError

    try:
        convert(tokenizer, path)
    except FormatError as error:
        done = convert(tokenizer, path, allow_lossy=True)
        named = ", ".join(done.lost or done.nearly)
        message = f"As a tokenizer of transformers it differs from its file in {named}: {error}"
        warnings.warn(message, ConversionWarning, stacklevel=5)
