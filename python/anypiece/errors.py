"""Errors: one base class, a stable code, the facts as attributes, and a remedy in every message.

Each class also subclasses the built-in that a caller would expect, so ``except ValueError`` works. ``CODES`` is the one
table of codes; a test fails when a code has no test that triggers it, or no line in ``docs/guide/errors.md`` that begins
with the same meaning.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "CODES",
    "AnyPieceError",
    "DecodeError",
    "FileError",
    "FormatError",
    "InputError",
    "InputTypeError",
    "InternalError",
    "SpecError",
    "UnknownClassWarning",
    "UnknownIdError",
    "UnknownPieceError",
    "extra_missing",
]

CODES: dict[str, str] = {
    # reading files
    "file-unreadable": "The path does not exist or cannot be read.",
    "file-unwritable": "The path, or standard output, cannot be written.",
    "format-unknown": "The content is of no known tokenizer format.",
    "format-unwritable": "The tokenizer cannot be written in the format asked for.",
    "convert-lossy": "The format asked for has no place for some of the tokenizer.",
    "convert-differs": "The converted tokenizer does not give the same ids or texts.",
    "file-truncated": "A length or offset in the file points past its end, or a .model file ends with its pieces.",
    "file-corrupt": "The file's structure is not that of its format.",
    "file-version": "The file was written by a newer version of its format.",
    "checksum-mismatch": "A section of an .anypiece file does not match its checksum.",
    "self-test-failed": "The file's own sample sentences do not come out as the file says.",
    "definition-unknown": "A file does not say all that is needed to read it, and neither does the call.",
    "definition-mismatch": "A rank file does not have the ranks that the definition asked for is about.",
    "rank-bytes": "A rank file, or another vocabulary of bytes, does not have all 256 single bytes.",
    "rank-special": "Two special tokens of a rank file have one id, or one has the id of a rank.",
    "gguf-field": "A field of a GGUF file that is needed is missing, or is not of its type or length.",
    "gguf-pre": "A GGUF file names a pre-tokenizer that is not known, or none where one is needed.",
    "gguf-unsupported": "A GGUF file has a vocabulary that is not reproduced.",
    "chat-template": "A chat template is missing, fails, or asks for more than it may.",
    "json-field": "A field of a tokenizer.json is not what its format says.",
    "json-unsupported": "A tokenizer.json asks for something that is not reproduced.",
    # building a tokenizer
    "spec-pieces": "The vocabulary is empty, or its columns have different lengths.",
    "spec-piece-empty": "A piece is the empty string.",
    "spec-piece-too-long": "A piece has 8000 bytes or more.",
    "spec-piece-nul": "A piece contains a NUL byte.",
    "spec-piece-utf8": "A piece is not valid UTF-8.",
    "spec-piece-duplicate": "Two pieces have the same text.",
    "spec-kind": "A piece has a kind that does not exist, or that a vocabulary of bytes cannot have.",
    "spec-score": "A score is NaN or infinite.",
    "spec-merges": "A merge names no piece, makes another than it says, stands twice, or builds on a special piece.",
    "spec-unknown": "There is no piece of kind UNKNOWN, or more than one.",
    "spec-bytes": "Byte pieces and byte_fallback do not go together, or not all 256 bytes are there.",
    "spec-charsmap": "The precompiled character map is damaged.",
    "spec-added": "The added tokens of a Spec cannot be used.",
    "spec-decoder": "The decoding steps of the Spec cannot be run.",
    "spec-special-id": "A bos, eos or pad id is outside the vocabulary.",
    "spec-config": "A setting of the Spec is missing or has a value that is not known.",
    "spec-stages": "Settings of the Spec do not go together.",
    "spec-pattern": "A pattern of the Spec cannot be run, or not as its own engine would run it.",
    # calls
    "input-type": "The text is neither str nor bytes, or another argument has the wrong type.",
    "input-too-long": "The text is longer than 4 GiB minus 64 KiB.",
    "arrow-type": "An Arrow object is no column of texts, or of ids, where one is asked for.",
    "arrow-null": "An Arrow column has nulls, and the result that is asked for has no place for them.",
    "argument-value": "An argument is outside its range.",
    "special-missing": "The call asks for a special piece that the vocabulary does not have.",
    "special-in-text": "The text contains a special piece that the call forbids.",
    "id-out-of-range": "An id is negative or not below the vocabulary size.",
    "piece-unknown": "The piece is not in the vocabulary.",
    "decode-invalid": 'The byte pieces do not decode to UTF-8 and errors="strict" was asked for.',
    "stage-limit": "The steps of a file would make a text too long, or work on it for too long.",
    "pattern-limit": "A pattern of the Spec took more than a million steps back on this text, or looked at it too often.",
    "lattice-too-large": "The paths of a text that were asked for, its lattice, or a picture of it, would be too large.",
    "lattice-unsupported": "The pieces of this vocabulary are not adjacent spans of a text.",
    "sample-method": "The vocabulary cannot be drawn from by the method asked for.",
    "words-table": "A table of words is damaged, or its counts are too large.",
    "words-differ": "Tables of words were not prepared alike, or not for what is trained.",
    "train-corpus": "There is nothing in the corpus to train on.",
    "train-memory": "The memory allowed is too small to begin with.",
    "extra-missing": "What was asked for needs a package that is not installed.",
    "train-option": "An option of a trainer is not usable, alone or together with the others.",
    "train-vocab-size": "The vocabulary asked for is too small for what must be in it, or larger than the text allows.",
    "rule-file": "A file of normalization rules has a line that cannot be read.",
    "rule-invalid": "A normalization rule cannot be compiled, or two contradict each other.",
    "rule-limit": "Normalization rules are more than a character map can hold.",
    # shards of a corpus
    "shards-plan": "A folder has no plan of shards, or one that cannot be used.",
    "shards-differ": "A folder of shards has another plan than the one asked for, or other files.",
    "shards-changed": "A file of the corpus has changed since the plan was made.",
    "shards-document": "A document cannot be used, and the options say to stop there.",
    "shards-worker": "A process that writes shards died again and again, or wants more memory than there is.",
    "shards-unfinished": "A folder of shards has no manifest, or not that of its plan.",
    "shards-damaged": "Shards are not what their manifest says.",
    "internal-error": "The kernel failed in a way it was not made for.",
    "stream-finished": "The stream was flushed and takes no more input.",
}


class AnyPieceError(Exception):
    """Base of all errors raised on purpose here. ``code`` is stable; ``facts`` holds what the message was made of.

    Libraries that raise an error of a worker or a callback anew, as polars and the DataLoader of torch do, make one of the
    same class with the message alone. Its code is empty.
    """

    def __init__(self, code: str, message: str | None = None, **facts: Any) -> None:
        super().__init__(code if message is None else message)
        self.code = "" if message is None else code
        self.facts = facts

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.code, str(self), self.facts)


def _rebuild(kind: type[AnyPieceError], code: str, message: str, facts: dict[str, Any]) -> AnyPieceError:
    return kind(code, message, **facts)


class FormatError(AnyPieceError, ValueError):
    """A tokenizer file cannot be read, or a tokenizer cannot be written as asked."""


class FileError(FormatError, OSError):
    """A path cannot be read or written; ``errno`` and ``filename`` are those of the operating system's error."""

    def __str__(self) -> str:
        return str(self.args[0])


class SpecError(AnyPieceError, ValueError):
    """A Spec cannot become a tokenizer."""


class InternalError(AnyPieceError, RuntimeError):
    """The kernel failed in a way it was not made for: a fault of its own, or a damaged ``.anypiece`` file."""


class InputError(AnyPieceError, ValueError):
    """An argument of a call is not usable."""


class UnknownClassWarning(UserWarning):
    """A folder names a class of transformers whose rules are not known, so its files are read as they are.

    >>> import warnings
    >>> warnings.simplefilter("error", UnknownClassWarning)  # to have such folders refused
    """


def extra_missing(what: str, package: str, extra: str | None = None) -> InputError:
    """The error for something that needs a package which only an extra installs, or none does.

    >>> str(extra_missing("A PNG", "matplotlib", "plots"))
    "A PNG needs the package matplotlib. Install it: pip install 'anypiece[plots]'"
    """
    wanted = f"'anypiece[{extra}]'" if extra else package
    message = f"{what} needs the package {package}. Install it: pip install {wanted}"
    return InputError("extra-missing", message, package=package)


class InputTypeError(InputError, TypeError):
    """An argument has the wrong type."""


class DecodeError(AnyPieceError, ValueError):
    """Ids do not decode under ``errors="strict"``."""


class UnknownIdError(AnyPieceError, IndexError):
    """An id is outside the vocabulary."""


class UnknownPieceError(AnyPieceError, KeyError):
    """A piece is not in the vocabulary."""

    def __str__(self) -> str:
        return str(self.args[0])
