"""Tokenizer: the documented surface. Policy, checks and examples are here; every loop over text or tokens is native.

A Tokenizer is made from a Spec, by ``load`` or by hand, and never changes: it can be shared by threads, pickled, hashed and
compared by what it contains. Arguments are checked in ``_checks`` and ``specials``, for all methods alike.
"""

from __future__ import annotations

from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from ._core.calls import call, call_batch, counts_characters, normalized_offsets, span_rows, text_length, trimmed
from ._core.checks import REFUSALS, checked_count, checked_text, checked_threads, listed_texts
from .chat.conversation import Conversations
from .io.paths import checked_path, default_path, found_path
from .io.read import read_file, write_file
from .io.self_test import refuse_failed_samples
from .metadata import Metadata
from .results import Batch, Pair, Token, framed, tokens_of
from .text import truncate
from .text.decoding import Decoding
from .text.padding import rows_of
from .text.sampling import Sampling
from .text.specials import TEXT, checked_specials, ids_around, joined, template_ids
from .text.streams import StreamEncoder, parses
from .text.warnings import warn_of_nothing, warn_of_two

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from ._core.calls import Unit
    from .inspect.explain import Explanation
    from .text.padding import RaggedRows, Rows
    from .text.specials import AddSpecial, Specials

__all__ = ["Pair", "Token", "Tokenizer", "load", "tokenizer_of"]

Text = TypeVar("Text", str, bytes)


def load(
    path: str | os.PathLike[str] | None = None,
    *,
    dialect: str | None = None,
    definition: str | None = None,
    splitter: str | None = None,
    pattern: str | None = None,
    specials: Mapping[str, int] | None = None,
    roles: Mapping[str, str] | None = None,
    pre: str | None = None,
    lowercase: bool | None = None,
    strip_accents: bool | None = None,
    mapped: bool = False,
    verify: bool = False,
    check_samples: bool = True,
) -> Tokenizer:
    """The tokenizer of a file (``tokenizer.json``, ``.model``, ``.tiktoken``, ``.gguf``, ``tekken.json``, ``vocab.txt``,
    RWKV's list, BytePiece's JSON, ``.anypiece``), of a folder with one, or the default.

    The content decides the format, not the name. ``dialect`` is the release whose results a ``.model`` file must give
    (``"sentencepiece"``, the newest, ``"sentencepiece-0.2.2"`` or ``"sentencepiece-0.2.1"``), or that a ``.gguf`` file must
    give in the place of ``"llama.cpp"``, or a folder in the place of ``"transformers"`` (``"tokenizers"``). A rank file says
    neither how text is split nor which special tokens there are: the known files are recognised, and for others
    ``definition`` names an encoding, or ``splitter``, or ``pattern`` with a regular expression, and ``specials`` say it; see
    ``docs/formats/tiktoken.md``. ``roles`` names the tokens that are bos, eos and pad (``{"bos": "<s>"}``) where a rank
    file or ``tokenizer.json`` does not. ``pre`` is the pre-tokenizer of a ``.gguf`` file in the place of the one it names.
    ``lowercase`` and ``strip_accents`` say what a ``vocab.txt`` may leave open; see ``docs/formats/wordpiece.md``. Of a
    folder ``tokenizer.json`` is read with the config and the chat templates beside it, as AutoTokenizer does; see
    ``docs/formats/folders.md``. ``mapped`` maps an ``.anypiece`` file instead of reading it; ``verify`` compares its
    checksums and runs its samples. The sample sentences of a ``.model`` file are always run unless ``check_samples`` is
    false. Raises ``FormatError`` with a code; an unreadable path is also an ``OSError``.

    >>> load().decode(load().encode("Hello, world!"))
    'Hello, world!'
    """
    source = default_path() if path is None else found_path(path)
    folder = path is not None and Path(path).is_dir()
    options: dict[str, Any] = {"dialect": dialect, "definition": definition, "splitter": splitter, "specials": specials}
    options |= {"roles": roles, "pattern": pattern, "pre": pre, "lowercase": lowercase, "strip_accents": strip_accents}
    tokenizer = Tokenizer._of(*read_file(source, mapped=mapped, verify=verify, options=options, folder=folder))
    if check_samples and (verify or not isinstance(tokenizer._origin, (Metadata, NoneType))):
        refuse_failed_samples(tokenizer, str(source))
    return tokenizer


def tokenizer_of(source: Tokenizer | str | os.PathLike[str], **options: Any) -> Tokenizer:
    """``source`` itself, or the tokenizer of the file that it names; ``options`` are those of ``load``."""
    return source if isinstance(source, Tokenizer) else load(source, **options)


class Tokenizer(Conversations, Decoding, Sampling):
    """A vocabulary with its rules, compiled. Immutable; safe to share between threads; equal when its content is equal.

    Text is ``str``, or ``bytes`` in UTF-8. What is not UTF-8 in ``bytes`` is treated as the Spec's reference does: for a
    SentencePiece file each bad byte becomes one U+FFFD, for a rank file it is a byte like any other. A lone surrogate
    in a ``str`` becomes one U+FFFD in either; positions still count it as the one character it is.

    Wherever they appear, ``add_special`` puts the bos and eos pieces around the ids (``True``, or ``"bos"`` or ``"eos"``
    alone), and ``specials`` says what text that spells a control piece is: ``"text"`` for ordinary text, ``"parse"`` for
    that piece, ``"error"`` to refuse it, a set of names to permit those and refuse all others. ``"parse"`` equals
    ``"text"`` for SentencePiece vocabularies, where control pieces never match text.

    >>> from anypiece import Kind, Pieces, Spec
    >>> rows = [("<unk>", 0, Kind.UNKNOWN), ("▁", -2, Kind.NORMAL), ("a", -2, Kind.NORMAL), ("▁a", -1, Kind.NORMAL)]
    >>> tok = Tokenizer(Spec(Pieces.of(rows)))
    >>> tok.encode("a aa b"), tok.encode_pieces("a aa b")
    ([3, 3, 2, 1, 0], ['▁a', '▁a', 'a', '▁', 'b'])
    """

    __slots__ = ()

    # -- encode

    def encode(
        self,
        text: str | bytes,
        *,
        add_special: AddSpecial = False,
        specials: Specials = "text",
        reverse: bool = False,
        threads: int | None = 1,
    ) -> list[int]:
        """The ids of ``text``.

        ``reverse`` turns the order around before bos and eos are added. ``threads`` splits one long text at places no
        piece can cross, so the ids do not depend on it; ``None`` means one thread per processor.

        >>> tok = load()
        >>> tok.encode("Hello") == [token.id for token in tok.encode_spans("Hello")]
        True
        """
        if add_special is False and specials is TEXT and reverse is False and threads == 1:
            try:
                return self._kernel.encode(text)
            except REFUSALS:
                pass
        before, after = self._special_ids(add_special)
        ids = call(self._kernel.encode, text, checked_threads(threads), self._permit(text, specials))
        if add_special is not False and specials is not TEXT:
            warn_of_two(self, (before, after), ids)
        return before + (ids[::-1] if reverse else ids) + after

    def encode_array(
        self,
        text: str | bytes,
        *,
        add_special: AddSpecial = False,
        specials: Specials = "text",
        reverse: bool = False,
        threads: int | None = 1,
    ) -> NDArray[np.uint32]:
        """Like ``encode``, as a uint32 array.

        >>> load().encode_array("Hello").dtype
        dtype('uint32')
        """
        if add_special is False and specials is TEXT and reverse is False and threads == 1:
            try:
                return self._kernel.encode_array(text)
            except REFUSALS:
                pass
        before, after = self._special_ids(add_special)
        ids = call(self._kernel.encode_array, text, checked_threads(threads), self._permit(text, specials))
        if add_special is not False and specials is not TEXT:
            warn_of_two(self, (before, after), ids)
        ids = ids[::-1] if reverse else ids
        return np.concatenate([before, ids, after], dtype=np.uint32, casting="unsafe") if before or after else ids

    def encode_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        add_special: AddSpecial = False,
        specials: Specials = "text",
        reverse: bool = False,
        threads: int | None = None,
    ) -> Batch:
        """The ids of many texts: one flat array and one of offsets, by all processors unless ``threads`` says otherwise.

        >>> batch = load().encode_batch(["Hello", "", "world"])
        >>> len(batch), batch[0].tolist() == load().encode("Hello"), len(batch[1])
        (3, True, 0)
        """
        listed = listed_texts(texts)
        permit = self._batch_permit(listed, specials)
        before, after = self._special_ids(add_special)
        ids, offsets = call_batch(self._kernel.encode_batch, listed, checked_threads(threads), permit)
        return framed(Batch(ids, offsets), before, after, reverse)

    def encode_rows(
        self,
        texts: Iterable[str | bytes],
        pairs: Iterable[str | bytes] | None = None,
        *,
        add_special: AddSpecial = True,
        specials: Specials = "text",
        max_length: int | None = None,
        pad_id: int | None = None,
    ) -> Rows | RaggedRows:
        """Texts, or pairs of texts, in rows of one length, cut and filled up as the tokenizer.json says that this is from.

        ``max_length`` and ``pad_id`` say it in its place. A file that cuts and does not fill up gives ``RaggedRows``.

        >>> load().replace(pad_id=0).encode_rows(["Hello", ""], add_special=False).mask.tolist()
        [[True, True], [False, False]]
        """
        given = [texts] if pairs is None else [texts, pairs]
        names = checked_specials(specials)
        batches = [self.encode_batch(part, specials=names) for part in given]
        return rows_of(self, batches, add_special, max_length, pad_id)

    def encode_spans(
        self,
        text: str | bytes,
        unit: Unit | None = None,
        *,
        unk_piece: bool = False,
        add_special: AddSpecial = False,
        specials: Specials = "text",
    ) -> list[Token]:
        """The tokens of ``text``, each with its place in the text.

        Places count characters for ``str`` and bytes for ``bytes``, unless ``unit`` is ``"char"`` or ``"byte"``. A token
        that stands for unknown text has that text as its piece, or the vocabulary's own spelling with ``unk_piece``. What
        ``add_special`` puts behind the text stands at its end; what a template puts there (``Spec.single``), at 0.

        >>> tokens = load().encode_spans("Hello")
        >>> tokens[0].start, tokens[-1].end
        (0, 5)
        """
        chars = counts_characters(text, unit)
        before, after = self._special_ids(add_special)
        rows, lost = span_rows(self._kernel, text, chars, self._permit(text, specials))
        tokens = tokens_of(trimmed(self.spec, rows, chars), lost)
        if unk_piece and self.unk_id is not None:
            tokens = [
                self._token(token.start, token.end, token.id) if token.id == self.unk_id else token for token in tokens
            ]
        end = text_length(self._kernel, text, chars) if after and self.spec.single is None else 0
        return [self._token(0, 0, id) for id in before] + tokens + [self._token(end, end, id) for id in after]

    def encode_pieces(
        self,
        text: str | bytes,
        *,
        unk_piece: bool = False,
        add_special: AddSpecial = False,
        specials: Specials = "text",
        reverse: bool = False,
    ) -> list[str]:
        """The pieces of ``text`` as strings, with ``▁`` for a space.

        >>> "".join(load().encode_pieces("Hello world"))
        '▁Hello▁world'
        """
        return [token.piece for token in self._tokens(text, unk_piece, add_special, specials, reverse)]

    def encode_piece_bytes(
        self,
        text: str | bytes,
        *,
        unk_piece: bool = False,
        add_special: AddSpecial = False,
        specials: Specials = "text",
        reverse: bool = False,
    ) -> list[bytes]:
        """The pieces of ``text`` as bytes: in a vocabulary of bytes a piece may be a part of a character.

        >>> load().encode_piece_bytes("é")
        [b'\\xe2\\x96\\x81\\xc3\\xa9']
        """
        return [token.piece_bytes for token in self._tokens(text, unk_piece, add_special, specials, reverse)]

    def encode_trusted(
        self, parts: Iterable[tuple[str | bytes, bool]], *, add_special: AddSpecial = False
    ) -> list[int]:
        """The ids of a text that is partly trusted: ``parts`` are texts, each with whether its special tokens count.

        The parts are joined and encoded as one text. A special token counts where a trusted part holds it by itself (parts
        that touch are one); what others wrote is text, whatever it spells, and cannot complete or hide a token of a trusted
        part. Only one that is looked for in normalized text is lost where the normalizer joins its end to what follows.

        >>> from anypiece import Added, AddedFlag
        >>> tok = load().replace(added=Added.of([("<s>", 1, AddedFlag.SPECIAL), ("</s>", 2, AddedFlag.SPECIAL)]))
        >>> tok.encode_trusted([("<s>", True), ("</s>", False), ("</s>", True)]) == [1, *tok.encode("</s>"), 2]
        True
        """
        text, permit = joined(parts, self._kernel.lone_surrogate)
        before, after = self._special_ids(add_special)
        ids = call(self._kernel.encode, text, 1, permit if len(self.spec.added) else None)
        if add_special is not False:
            warn_of_two(self, (before, after), ids)
        return before + ids + after

    def encode_pair(
        self, first: str | bytes, second: str | bytes, *, add_special: bool = True, specials: Specials = "text"
    ) -> Pair:
        """The ids of two texts as one sequence, and for each the type id that tells the texts apart.

        ``add_special`` puts around them what the vocabulary's template for two texts says (``Spec.pair``); where there is
        none, the second simply follows the first, with the type ids 0 and 1.

        >>> tok = load()
        >>> pair = tok.encode_pair("Hello", "world")
        >>> pair.ids == tok.encode("Hello") + tok.encode("world"), pair.type_ids[0], pair.type_ids[-1]
        (True, 0, 1)
        """
        names = checked_specials(specials)
        texts = [self.encode(first, specials=names), self.encode(second, specials=names)]
        slots = (("A", 0), ("B", 1)) if self.spec.pair is None else self.spec.pair
        slots = slots if add_special else tuple(slot for slot in slots if isinstance(slot[0], str))
        return Pair(*template_ids(slots, texts))

    # -- count and cut

    def count(
        self,
        text: str | bytes,
        limit: int | None = None,
        *,
        add_special: AddSpecial = False,
        specials: Specials = "text",
    ) -> int:
        """How many tokens ``text`` has, without making them.

        With a ``limit``, counting stops early: the result is exact when it is at most ``limit``, and ``limit + 1`` says
        that there are more.

        >>> tok = load()
        >>> tok.count("Hello world") == len(tok.encode("Hello world")), tok.count("Hello world" * 1000, limit=10)
        (True, 11)
        """
        if limit is None and add_special is False and specials is TEXT:
            return call(self._kernel.count, text)
        before, after = self._special_ids(add_special)
        most = None if limit is None else checked_count(limit, "limit")
        around = len(before) + len(after)
        room = None if most is None else max(most - around, 0)
        found = around + call(self._kernel.count, text, room, self._permit(text, specials))
        return found if most is None else min(found, most + 1)

    def count_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        add_special: AddSpecial = False,
        specials: Specials = "text",
        threads: int | None = None,
    ) -> NDArray[np.int64]:
        """How many tokens each of many texts has.

        >>> load().count_batch(["", "Hello"])[0]
        np.int64(0)
        """
        listed = listed_texts(texts)
        permit = self._batch_permit(listed, specials)
        before, after = self._special_ids(add_special)
        counts = call_batch(self._kernel.count_batch, listed, checked_threads(threads), permit)
        return counts + len(before + after)

    def truncate(self, text: Text, n: int) -> Text:
        """The longest prefix of ``text``, at a character boundary, whose own encoding has at most ``n`` tokens.

        >>> tok = load()
        >>> tok.count(tok.truncate("one two three four five six seven", 3)) <= 3
        True
        """
        checked_text(text)
        return text[: truncate.prefix_length(self, text, checked_count(n, "n"))]

    def split(self, text: Text, n: int, overlap: int = 0) -> list[Text]:
        """Cut ``text`` into strings of at most ``n`` tokens each by their own encoding.

        Without ``overlap`` the strings joined are the text. With it, each repeats about that many tokens of the one
        before: as many as leave it room to go further.

        >>> parts = load().split("to be or not to be, that is the question", 4)
        >>> "".join(parts), max(map(load().count, parts)) <= 4
        ('to be or not to be, that is the question', True)
        """
        return truncate.split(self, text, n, overlap)

    # -- streams

    def stream_encoder(self, *, specials: Literal["text", "parse"] = "text") -> StreamEncoder:
        """A ``StreamEncoder``, for text that arrives in parts or does not fit into memory."""
        return StreamEncoder(self._kernel.stream_encoder(parses(specials)))

    # -- the stages

    def normalize(self, text: str | bytes) -> str:
        """``text`` as the segmenter sees it, with ``▁`` for a space.

        >>> load().normalize("Hello world")
        '▁Hello▁world'
        """
        return call(self._kernel.normalize, text)

    def normalize_offsets(self, text: str | bytes, unit: Unit | None = None) -> tuple[str, NDArray[np.int64]]:
        """``normalize``, and for each character of its result the place in ``text`` it came from; the end is included.

        Places count characters for ``str`` and bytes for ``bytes``, unless ``unit`` says otherwise.

        >>> normalized, offsets = load().normalize_offsets("ab")
        >>> normalized, offsets.tolist()
        ('▁ab', [0, 0, 1, 2])
        """
        chars = counts_characters(text, unit)
        return normalized_offsets(self._kernel, text, chars)

    def explain(self, text: str | bytes) -> Explanation:
        """Every stage of encoding ``text``, with places in the text, scores and the runner-up. Print it to read it."""
        from .inspect.explain import explain

        return explain(self, text)

    def save(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the tokenizer in a format by its name, such as ``"sentencepiece"`` or ``"huggingface"``.

        If not given, the suffix decides: .model, .gguf, .json, .tiktoken, .anypiece. The file appears as a whole or not at
        all.
        """
        write_file(self, checked_path(path), format)

    # -- what the methods above share

    def _tokens(
        self, text: str | bytes, unk_piece: bool, add_special: AddSpecial, specials: Specials, reverse: bool
    ) -> list[Token]:
        before, after = self._special_ids(add_special, depth=1)
        tokens = self.encode_spans(text, "byte", unk_piece=unk_piece, specials=specials)
        around = [[self._token(0, 0, id) for id in ids] for ids in (before, after)]
        return around[0] + (tokens[::-1] if reverse else tokens) + around[1]

    def _token(self, start: int, end: int, id: int) -> Token:
        return Token(id, self.id_to_piece(id), start, end).with_bytes(self.id_to_bytes(id))

    def _special_ids(self, add_special: AddSpecial, *, depth: int = 0) -> tuple[list[int], list[int]]:
        """What stands around a text; warns where nothing does. ``depth``: calls between a public method and this."""
        if add_special is False:
            return [], []  # a mapped file has no Spec yet
        before, after = ids_around(self.spec, add_special)
        if not (before or after):
            warn_of_nothing(self, add_special, 4 + depth)
        return before, after
