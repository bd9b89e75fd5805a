"""Tokenizers that are ready for use: components that belong together, under one name each."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, ClassVar

from . import decoders, models, normalizers, pre_tokenizers, processors, trainers
from .tokenizer import Tokenizer
from .values import AddedToken, Regex

__all__ = [
    "BaseTokenizer",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
]

_SETTABLE = ("model", "normalizer", "pre_tokenizer", "post_processor", "decoder")


class BaseTokenizer:
    """A tokenizer with the settings that it was made with. What it does not have is the tokenizer's."""

    def __init__(self, tokenizer: Tokenizer, parameters: dict[str, Any] | None = None) -> None:
        self._tokenizer = tokenizer
        self._parameters = {} if parameters is None else parameters

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._tokenizer, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _SETTABLE:
            setattr(self._tokenizer, name, value)
        else:
            super().__setattr__(name, value)

    def __repr__(self) -> str:
        rows = ", ".join(f"{name}={value}" for name, value in self._parameters.items())
        return f"Tokenizer(vocabulary_size={self._tokenizer.get_vocab_size()}, {rows})"

    def normalize(self, sequence: str) -> str:
        """A text as the normalizer leaves it."""
        normalizer = self._tokenizer.normalizer
        return sequence if normalizer is None else normalizer.normalize_str(sequence)

    def encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Any:
        """The encoding of a text, or of a pair of texts."""
        if sequence is None:
            raise ValueError("encode: `sequence` can't be `None`")
        return self._tokenizer.encode(sequence, pair, is_pretokenized, add_special_tokens)

    def encode_batch(self, inputs: Any, is_pretokenized: bool = False, add_special_tokens: bool = True) -> Any:
        """The encodings of many texts or pairs."""
        if inputs is None:
            raise ValueError("encode_batch: `inputs` can't be `None`")
        return self._tokenizer.encode_batch(inputs, is_pretokenized, add_special_tokens)

    def decode(self, ids: Any, skip_special_tokens: bool | None = True) -> str:
        """The text of ids."""
        if ids is None:
            raise ValueError("None input is not valid. Should be a list of integers.")
        return self._tokenizer.decode(ids, skip_special_tokens=bool(skip_special_tokens))

    def decode_batch(self, sequences: Any, skip_special_tokens: bool | None = True) -> list[str]:
        """The texts of many lists of ids."""
        if sequences is None:
            raise ValueError("None input is not valid. Should be list of list of integers.")
        return self._tokenizer.decode_batch(sequences, skip_special_tokens=bool(skip_special_tokens))

    def save_model(self, directory: str, prefix: str | None = None) -> list[str]:
        """Write the vocabulary into a folder; the names of the files."""
        return self._tokenizer.model.save(directory, prefix)

    def to_str(self, pretty: bool = False) -> str:
        """The content of a tokenizer.json."""
        return self._tokenizer.to_str(pretty)

    def add_special_tokens(self, special_tokens: Any) -> int:
        """Add special tokens; how many are new."""
        return self._tokenizer.add_special_tokens(special_tokens)

    def _train(self, source: Any, trainer: trainers.Trainer, length: int | None, from_files: bool) -> None:
        if from_files:
            self._tokenizer.train([source] if isinstance(source, str) else source, trainer)
        else:
            self._tokenizer.train_from_iterator(source, trainer, length)


def _known(tokenizer: Tokenizer, *tokens: Any) -> None:
    """Add those tokens that the vocabulary has as special tokens."""
    for token in tokens:
        if tokenizer.token_to_id(str(token)) is not None:
            tokenizer.add_special_tokens([str(token)])


def _form(name: str | None) -> list[normalizers.Normalizer]:
    return [] if name is None else [normalizers.unicode_normalizer_from_str(name)]


def _normalized(tokenizer: Tokenizer, steps: list[normalizers.Normalizer]) -> None:
    if steps:
        tokenizer.normalizer = steps[0] if len(steps) == 1 else normalizers.Sequence(steps)


class BertWordPieceTokenizer(BaseTokenizer):
    """BERT's: WordPiece, with [CLS] and [SEP] around texts."""

    def __init__(
        self,
        vocab: Any = None,
        unk_token: str | AddedToken = "[UNK]",
        sep_token: str | AddedToken = "[SEP]",
        cls_token: str | AddedToken = "[CLS]",
        pad_token: str | AddedToken = "[PAD]",
        mask_token: str | AddedToken = "[MASK]",
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        tokenizer = Tokenizer(models.WordPiece(vocab, unk_token=str(unk_token)))
        _known(tokenizer, unk_token, sep_token, cls_token, pad_token, mask_token)
        tokenizer.normalizer = normalizers.BertNormalizer(clean_text, handle_chinese_chars, strip_accents, lowercase)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        if vocab is not None:
            marks = []
            for name, token in (("sep_token", sep_token), ("cls_token", cls_token)):
                id = tokenizer.token_to_id(str(token))
                if id is None:
                    raise TypeError(f"{name} not found in the vocabulary")
                marks.append((str(token), id))
            tokenizer.post_processor = processors.BertProcessing(*marks)
        tokenizer.decoder = decoders.WordPiece(prefix=wordpieces_prefix)
        super().__init__(
            tokenizer,
            {
                "model": "BertWordPiece", "unk_token": unk_token, "sep_token": sep_token, "cls_token": cls_token,
                "pad_token": pad_token, "mask_token": mask_token, "clean_text": clean_text,
                "handle_chinese_chars": handle_chinese_chars, "strip_accents": strip_accents, "lowercase": lowercase,
                "wordpieces_prefix": wordpieces_prefix,
            },
        )  # fmt: skip

    @staticmethod
    def from_file(vocab: str, **options: Any) -> BertWordPieceTokenizer:
        """The tokenizer of a vocab.txt."""
        return BertWordPieceTokenizer(models.WordPiece.read_file(vocab), **options)

    def _trainer(self, options: dict[str, Any]) -> trainers.WordPieceTrainer:
        defaults: dict[str, Any] = {
            "vocab_size": 30000, "min_frequency": 2, "limit_alphabet": 1000, "initial_alphabet": [],
            "special_tokens": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], "show_progress": True,
        }  # fmt: skip
        chosen = defaults | options
        prefix = chosen.pop("wordpieces_prefix", "##")
        return trainers.WordPieceTrainer(continuing_subword_prefix=prefix, **chosen)

    def train(self, files: Any, **options: Any) -> None:
        """Train on the lines of files."""
        self._train(files, self._trainer(options), None, True)

    def train_from_iterator(self, iterator: Any, length: int | None = None, **options: Any) -> None:
        """Train on texts."""
        self._train(iterator, self._trainer(options), length, False)


class _BpeTraining(BaseTokenizer):
    """Training of the three that are BPE."""

    _TRAINED: ClassVar[dict[str, Any]] = {}

    def _trainer(self, options: dict[str, Any]) -> trainers.Trainer:
        chosen = {"vocab_size": 30000, "min_frequency": 2, "show_progress": True, **self._TRAINED, **options}
        if "suffix" in chosen:
            chosen["end_of_word_suffix"] = chosen.pop("suffix")
        return trainers.BpeTrainer(**{"special_tokens": [], **chosen})

    def train(self, files: Any, **options: Any) -> None:
        """Train on the lines of files."""
        self._train(files, self._trainer(options), None, True)

    def train_from_iterator(self, iterator: Any, length: int | None = None, **options: Any) -> None:
        """Train on texts."""
        self._train(iterator, self._trainer(options), length, False)


class ByteLevelBPETokenizer(_BpeTraining):
    """GPT-2's: BPE over bytes."""

    def __init__(
        self,
        vocab: Any = None,
        merges: Any = None,
        add_prefix_space: bool = False,
        lowercase: bool = False,
        dropout: float | None = None,
        unicode_normalizer: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        trim_offsets: bool = False,
    ) -> None:
        affixes = {
            "continuing_subword_prefix": continuing_subword_prefix or "",
            "end_of_word_suffix": end_of_word_suffix or "",
        }
        given = vocab is not None and merges is not None
        tokenizer = Tokenizer(models.BPE(vocab, merges, dropout=dropout, **affixes) if given else models.BPE())
        lower: list[normalizers.Normalizer] = [normalizers.Lowercase()] if lowercase else []
        _normalized(tokenizer, _form(unicode_normalizer) + lower)
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim_offsets)
        super().__init__(
            tokenizer,
            {
                "model": "ByteLevelBPE", "add_prefix_space": add_prefix_space, "lowercase": lowercase, "dropout": dropout,
                "unicode_normalizer": unicode_normalizer, "continuing_subword_prefix": continuing_subword_prefix,
                "end_of_word_suffix": end_of_word_suffix, "trim_offsets": trim_offsets,
            },
        )  # fmt: skip

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **options: Any) -> ByteLevelBPETokenizer:
        """The tokenizer of a vocab.json and a merges.txt."""
        return ByteLevelBPETokenizer(*models.BPE.read_file(vocab_filename, merges_filename), **options)

    def _trainer(self, options: dict[str, Any]) -> trainers.Trainer:
        return super()._trainer({"initial_alphabet": pre_tokenizers.ByteLevel.alphabet(), **options})


class CharBPETokenizer(_BpeTraining):
    """The first GPT's: BPE over characters, with a mark at the end of each word."""

    def __init__(
        self,
        vocab: Any = None,
        merges: Any = None,
        unk_token: str | AddedToken = "<unk>",
        suffix: str = "</w>",
        dropout: float | None = None,
        lowercase: bool = False,
        unicode_normalizer: str | None = None,
        bert_normalizer: bool = True,
        split_on_whitespace_only: bool = False,
    ) -> None:
        options = {"dropout": dropout, "unk_token": str(unk_token), "end_of_word_suffix": suffix}
        given = vocab is not None and merges is not None
        tokenizer = Tokenizer(models.BPE(vocab, merges, **options) if given else models.BPE(**options))
        _known(tokenizer, unk_token)
        steps = _form(unicode_normalizer)
        if bert_normalizer:
            steps.append(normalizers.BertNormalizer(lowercase=False))
        if lowercase:
            steps.append(normalizers.Lowercase())
        _normalized(tokenizer, steps)
        if split_on_whitespace_only:
            tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        else:
            tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.BPEDecoder(suffix=suffix)
        super().__init__(
            tokenizer,
            {
                "model": "BPE", "unk_token": unk_token, "suffix": suffix, "dropout": dropout, "lowercase": lowercase,
                "unicode_normalizer": unicode_normalizer, "bert_normalizer": bert_normalizer,
                "split_on_whitespace_only": split_on_whitespace_only,
            },
        )  # fmt: skip

    _TRAINED: ClassVar[dict[str, Any]] = {"limit_alphabet": 1000, "suffix": "</w>", "special_tokens": ["<unk>"]}

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **options: Any) -> CharBPETokenizer:
        """The tokenizer of a vocab.json and a merges.txt."""
        return CharBPETokenizer(*models.BPE.read_file(vocab_filename, merges_filename), **options)


class SentencePieceBPETokenizer(_BpeTraining):
    """BPE over words that begin with a mark for a space."""

    def __init__(
        self,
        vocab: Any = None,
        merges: Any = None,
        unk_token: str | AddedToken = "<unk>",
        replacement: str = "▁",
        add_prefix_space: bool = True,
        dropout: float | None = None,
        fuse_unk: bool | None = False,
    ) -> None:
        options = {"dropout": dropout, "unk_token": str(unk_token), "fuse_unk": bool(fuse_unk)}
        given = vocab is not None and merges is not None
        tokenizer = Tokenizer(models.BPE(vocab, merges, **options) if given else models.BPE(**options))
        _known(tokenizer, unk_token)
        tokenizer.normalizer = normalizers.NFKC()
        scheme = "always" if add_prefix_space else "never"
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement, scheme)
        tokenizer.decoder = decoders.Metaspace(replacement, scheme)
        super().__init__(
            tokenizer,
            {
                "model": "SentencePieceBPE", "unk_token": unk_token, "replacement": replacement,
                "add_prefix_space": add_prefix_space, "dropout": dropout,
            },
        )  # fmt: skip

    _TRAINED: ClassVar[dict[str, Any]] = {"limit_alphabet": 1000, "special_tokens": ["<unk>"]}

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **options: Any) -> SentencePieceBPETokenizer:
        """The tokenizer of a vocab.json and a merges.txt."""
        return SentencePieceBPETokenizer(*models.BPE.read_file(vocab_filename, merges_filename), **options)


class SentencePieceUnigramTokenizer(BaseTokenizer):
    """Unigram over words that begin with a mark for a space."""

    def __init__(self, vocab: Any = None, replacement: str = "▁", add_prefix_space: bool = True) -> None:
        tokenizer = Tokenizer(models.Unigram() if vocab is None else models.Unigram(vocab))
        tokenizer.normalizer = normalizers.Sequence(
            [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
        )
        scheme = "always" if add_prefix_space else "never"
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement, scheme)
        tokenizer.decoder = decoders.Metaspace(replacement, scheme)
        super().__init__(
            tokenizer,
            {"model": "SentencePieceUnigram", "replacement": replacement, "add_prefix_space": add_prefix_space},
        )

    def _trainer(self, options: dict[str, Any]) -> trainers.UnigramTrainer:
        return trainers.UnigramTrainer(**{"vocab_size": 8000, "special_tokens": [], "initial_alphabet": [], **options})

    def train(self, files: Any, **options: Any) -> None:
        """Train on the lines of files."""
        self._train(files, self._trainer(options), None, True)

    def train_from_iterator(self, iterator: Any, length: int | None = None, **options: Any) -> None:
        """Train on texts."""
        self._train(iterator, self._trainer(options), length, False)

    @staticmethod
    def from_spm(filename: str) -> SentencePieceUnigramTokenizer:
        """The tokenizer of a unigram ``.model`` file."""
        from ...conversion.convert import convert

        made = SentencePieceUnigramTokenizer()
        with tempfile.TemporaryDirectory() as place:
            convert(filename, Path(place, "tokenizer.json"))
            made._tokenizer = Tokenizer.from_file(str(Path(place, "tokenizer.json")))
        made._parameters = {"model": "SentencePieceUnigram"}
        return made
