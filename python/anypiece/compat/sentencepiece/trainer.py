"""``SentencePieceTrainer``: sentencepiece's options to ``anypiece.train``, and the files it writes."""

from __future__ import annotations

import csv
import tempfile
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...formats import sentencepiece
from ...formats.wire import protobuf
from ...io.paths import read_bytes, write_bytes
from ...training import train
from ...training.normalization import charsmap_of
from ...training.options import PieceOptions
from ...training.preparation import SentenceText
from .errors import NotFoundError, RefusedError, WrongTypeError, refusals
from .model import truth
from .normalizer import Rules, SentencePieceNormalizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...tokenizer import Tokenizer

__all__ = ["SentencePieceTrainer"]

_KINDS = ("unigram", "bpe", "word", "char")
_DEFAULTS: dict[str, Any] = {
    field.name: field.default
    for options in (PieceOptions, SentenceText)
    for field in fields(options)
    if field.name not in ("seed_sentencepieces", "seed_prefixes")
}
"""What ``anypiece.train`` knows by sentencepiece's own names."""
_OWN: dict[str, Any] = {
    "input": (),
    "input_format": "text",
    "model_prefix": "",
    "model_type": "unigram",
    "accept_language": (),
    "input_sentence_size": 0,
    "shuffle_input_sentence": True,
    "max_sentence_length": 4192,
    "num_threads": 16,
    "vocabulary_output_piece_score": True,
    "seed_sentencepieces_file": "",
    "denormalization_rule_tsv": "",
    "random_seed": 0,
    "train_extremely_large_corpus": False,
    "mining_sentence_size": 0,
    "training_sentence_size": 0,
    "minloglevel": 0,
    "auto_character_coverage": False,
    "name": "",
    "precompiled_charsmap": "",
    "enable_differential_privacy": False,
    "differential_privacy_noise_level": 0.0,
    "differential_privacy_clipping_threshold": 0,
    "_serialized_normalizer_spec": b"",
}
"""Each option with its type: honoured here, or, of the last rows, without meaning here or refused."""
_REFUSED = (
    "auto_character_coverage",
    "name",
    "precompiled_charsmap",
    "enable_differential_privacy",
    "differential_privacy_noise_level",
    "differential_privacy_clipping_threshold",
)
_TRAINER, _ACCEPT_LANGUAGE = 2, 5


class SentencePieceTrainer:
    """Trains models. Texts are counted and vocabularies trained by ``anypiece.train``, with the pieces of sentencepiece."""

    @staticmethod
    def train(arg: str | None = None, logstream: Any = None, **kwargs: Any) -> None:
        """Train a model and write ``<model_prefix>.model`` and ``.vocab``, or the model to ``model_writer``.

        ``arg`` has options as the command line takes them (``--input=a.txt --vocab_size=8000``), ``kwargs`` by name.
        ``sentence_iterator`` gives texts in the place of files. Nothing is logged.
        """
        given = _of_string(arg) if isinstance(arg, str) else kwargs
        sentences = given.pop("sentence_iterator", given.pop("sentence_reader", None))
        writer = given.pop("model_writer", None)
        normalizer = given.pop("normalizer", None)
        for name in ("pretokenizer", "allow_inconsistent_pretokenization"):
            if given.pop(name, None):
                raise NotImplementedError(f"{name}= is not supported: it is written in Python")
        options = {name: _checked(name, value) for name, value in given.items()}
        _refuse(options, sentences, writer)
        with refusals():
            tokenizer = _trained(options, sentences, normalizer)
            _write(tokenizer, options, writer)
        if hasattr(logstream, "flush"):
            logstream.flush()

    Train = train


def _of_string(arg: str) -> dict[str, Any]:
    """The options of a command line.

    >>> _of_string("--input=a.txt --byte_fallback")
    {'input': 'a.txt', 'byte_fallback': ''}
    """
    words = [word.removeprefix("--").partition("=") for word in arg.split()]
    return {name: value for name, _, value in words}


def _checked(name: str, value: Any) -> Any:
    """An option in its type."""
    if name not in _DEFAULTS and name not in _OWN:
        raise NotFoundError(f'unknown field name "{name}" in TrainerSpec.')
    default = _DEFAULTS.get(name, _OWN.get(name))
    if isinstance(default, bool):
        return truth(value)
    if isinstance(default, tuple):
        return _listed(value)
    if isinstance(default, bytes):
        return value
    try:
        return type(default)(str(value)) if isinstance(default, (int, float)) else str(value)
    except ValueError:
        raise RefusedError(f'cannot parse "{value}" as {type(default).__name__}.') from None


def _listed(value: Any) -> tuple[str, ...]:
    """The strings of a list, or of a line of CSV."""
    if isinstance(value, (list, tuple)):
        return tuple(map(str, value))
    text = str(value)
    return tuple(next(csv.reader([text]))) if text else ()


def _refuse(options: dict[str, Any], sentences: Any, writer: Any) -> None:
    for name in _REFUSED:
        if options.get(name):
            raise NotImplementedError(f"{name}= is not supported")
    if sentences is None and not options.get("input"):
        raise RefusedError("input must not be empty, unless there is a sentence_iterator")
    if sentences is not None and options.get("input"):
        raise RefusedError("input and sentence_iterator are exclusive")
    if not options.get("model_prefix") and writer is None:
        raise RefusedError("model_prefix must not be empty, unless there is a model_writer")
    kind = options.get("model_type", "unigram")
    if str(kind).lower() not in _KINDS:
        raise RefusedError(f'unknown value "{kind}" for model_type.')
    if options.get("input_format", "text") not in ("", "text", "tsv"):
        raise RefusedError("input_format must be text or tsv")


def _trained(options: dict[str, Any], sentences: Iterable[Any] | None, normalizer: Any) -> Tokenizer:
    chosen = {name: value for name, value in options.items() if name in _DEFAULTS}
    if options.get("seed_sentencepieces_file"):
        chosen["seed_sentencepieces"] = _seeds(options["seed_sentencepieces_file"])
    most = options.get("max_sentence_length", _OWN["max_sentence_length"])
    kind = options.get("model_type", "unigram").lower()
    if kind == "unigram":
        chosen["seed_prefixes"] = False
    with _texts(options, sentences, most) as texts, _normalizing(options, normalizer) as rules:
        tokenizer = train(
            texts[0],
            kind,
            format=texts[1],
            input_sentence_size=options.get("input_sentence_size", 0),
            shuffle_input_sentence=options.get("shuffle_input_sentence", True),
            seed=options.get("random_seed", 0),
            threads=max(1, options.get("num_threads", 1)),
            **(chosen | rules),
        )
    if options.get("denormalization_rule_tsv"):
        return tokenizer.replace(denormalizer=charsmap_of(tsv=options["denormalization_rule_tsv"]))
    return tokenizer


@contextmanager
def _texts(options: dict[str, Any], sentences: Iterable[Any] | None, most: int) -> Iterator[tuple[Any, Any]]:
    """The texts to train on, and their format: texts, or a file of counted texts. Texts above ``most`` bytes are left
    out."""
    if sentences is not None:
        yield _kept(_of_iterator(sentences), most), None
        return
    lines = _lines(options["input"])
    if options.get("input_format") != "tsv":
        sample = options.get("input_sentence_size", 0) and options.get("shuffle_input_sentence", True)
        kept = _kept(lines, most)
        yield (list(kept) if sample else kept), None
        return
    with tempfile.TemporaryDirectory(prefix="anypiece-") as folder:
        path = Path(folder, "texts.tsv")
        with path.open("wb") as file:
            file.writelines(line + b"\n" for line in lines if len(line.partition(b"\t")[0]) <= most)
        yield [path], "tsv"


def _lines(paths: Iterable[str]) -> Iterator[bytes]:
    for path in paths:
        try:
            with open(path, "rb") as file:
                for line in file:
                    yield line.rstrip(b"\r\n")
        except FileNotFoundError as error:
            raise NotFoundError(f'"{path}": {error.strerror}') from None


def _of_iterator(sentences: Iterable[Any]) -> Iterator[bytes]:
    for sentence in sentences:
        if not isinstance(sentence, (str, bytes)):
            raise WrongTypeError(f"sentence_iterator must give str or bytes, not {type(sentence).__name__}")
        raw = sentence.encode("utf-8", "replace") if isinstance(sentence, str) else sentence
        yield raw.rstrip(b"\r\n")


def _kept(texts: Iterator[bytes], most: int) -> Iterator[bytes]:
    return (text for text in texts if text and len(text) <= most)


@contextmanager
def _normalizing(options: dict[str, Any], normalizer: Any) -> Iterator[dict[str, Any]]:
    """The options that stand for a normalizer that was given; its rules go through a file."""
    serialized: bytes = options.get("_serialized_normalizer_spec", b"")
    if normalizer is None and not serialized:
        yield {}
        return
    if normalizer is not None and not isinstance(normalizer, SentencePieceNormalizer):
        raise WrongTypeError("normalizer must be a SentencePieceNormalizer")
    rules = Rules.parsed(serialized) if normalizer is None else normalizer._rules
    flags: dict[str, Any] = dict(rules.flags)
    if not rules.charsmap:
        yield flags | {"normalization_rule_name": "identity"}
        return
    with tempfile.TemporaryDirectory(prefix="anypiece-") as folder:
        path = Path(folder, "rules.tsv")
        path.write_text("".join(f"{_codes(source)}\t{_codes(target)}\n" for source, target in rules.rows()), "utf-8")
        yield flags | {"normalization_rule_tsv": str(path)}


def _codes(text: str) -> str:
    return " ".join(f"{ord(character):X}" for character in text)


def _seeds(path: str) -> tuple[tuple[str, int], ...]:
    """The pieces of a file with their frequencies, to begin with."""
    rows = [line.split("\t") for line in read_bytes(Path(path)).decode("utf-8", "replace").splitlines() if line]
    try:
        return tuple((row[0], int(row[1])) for row in rows)
    except (IndexError, ValueError):
        raise RefusedError(f"{path} must have a piece, a tab and its frequency on each line") from None


def _write(tokenizer: Tokenizer, options: dict[str, Any], writer: Any) -> None:
    content = sentencepiece.write(tokenizer.spec)
    if options.get("accept_language"):
        content = _with_languages(content, options["accept_language"])
    if writer is not None:
        writer.write(content)
        return
    prefix = options["model_prefix"]
    write_bytes(Path(f"{prefix}.model"), content)
    scores = options.get("vocabulary_output_piece_score", True)
    pieces = [tokenizer.id_to_piece(id) for id in range(tokenizer.vocab_size)]
    lines = [f"{piece}\t{tokenizer.score(id):g}\n" if scores else f"{piece}\n" for id, piece in enumerate(pieces)]
    write_bytes(Path(f"{prefix}.vocab"), "".join(lines).encode())


def _with_languages(content: bytes, languages: Iterable[str]) -> bytes:
    """A file whose settings of training name languages."""
    old = next(field for field in protobuf.fields(content) if field.number == _TRAINER)
    added = b"".join(protobuf.bytes_field(_ACCEPT_LANGUAGE, language.encode()) for language in languages)
    message = (old.value if isinstance(old.value, bytes) else b"") + added
    return content[: old.start] + protobuf.bytes_field(_TRAINER, message) + content[old.end :]
