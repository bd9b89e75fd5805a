"""Tokenizer: the documented surface. A method is one call of the kernel, or delegates to the folder of its subject.

A Tokenizer is made from a Spec, by ``load`` or by hand, and never changes: it can be shared by threads, pickled, hashed and
compared by what it contains. ``_lazy`` only keeps what follows from the rest, so two threads that compute it do no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from . import _native
from ._core import vocabulary
from ._core.bridge import compiled
from ._core.calls import Unit, call, counts_characters, normalized_offsets
from ._core.checks import REFUSALS
from .chat import conversation
from .inspect.explain import Explanation, explain
from .io.write import save
from .spec import Spec
from .steps.drawing import SampleSteps, sample_steps
from .text import call as call_rows
from .text import collate, decoding, encoding, sampling, streams, truncate
from .text.batches import Batches
from .text.sampling import NBEST, Method, Sampler
from .text.specials import TEXT, AddSpecial, Specials

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from .chat.encoding import ChatIds, Messages
    from .lattice import Lattice, Paths
    from .results import Encoded, Pair, Token
    from .text.call import Paddings, Side, Truncations
    from .text.decoding import Errors, Ids
    from .text.padding import RaggedRows, Rows

__all__ = ["Tokenizer"]

Text = TypeVar("Text", str, bytes)
if TYPE_CHECKING:
    Texts = str | bytes | Iterable[str | bytes] | Iterable[tuple[str | bytes, str | bytes]]


class Tokenizer(Batches):
    """A vocabulary with its rules, compiled. Immutable; safe to share between threads; equal when its content is equal.

    Text is ``str``, or ``bytes`` in UTF-8. What is not UTF-8 in ``bytes`` is treated as the Spec's reference does: for a
    SentencePiece file each bad byte becomes one U+FFFD, for a rank file it is a byte like any other. A lone surrogate
    in a ``str`` becomes one U+FFFD in either; positions still count it as the one character it is.

    Wherever they appear, ``add_special`` puts the bos and eos pieces around the ids (``True``, or ``"bos"`` or ``"eos"``
    alone), and ``specials`` says what text that spells a control piece is: ``"text"`` for ordinary text, ``"parse"`` for
    that piece, ``"error"`` to refuse it, a set of names to permit those and refuse all others. ``"parse"`` equals
    ``"text"`` for SentencePiece vocabularies, where control pieces never match text. In examples ``tok`` is ``load()``.

    >>> from anypiece import Kind, Pieces, Spec
    >>> rows = [("<unk>", 0, Kind.UNKNOWN), ("▁", -2, Kind.NORMAL), ("a", -2, Kind.NORMAL), ("▁a", -1, Kind.NORMAL)]
    >>> small = Tokenizer(Spec(Pieces.of(rows)))
    >>> small.encode("a aa b"), small.encode_pieces("a aa b")
    ([3, 3, 2, 1, 0], ['▁a', '▁a', 'a', '▁', 'b'])
    """

    __slots__ = ()

    def __init__(self, spec: Spec, *, cache_slots: int = _native.CACHE_SLOTS) -> None:
        """Compile ``spec``. ``cache_slots`` bounds the unit cache of each thread; 0 turns it off."""
        vocabulary.fill(self, compiled(spec, cache_slots), spec, None, cache_slots)

    # -- rows for models
    def __call__(self, texts: Texts, pairs: Texts | None = None, *, add_special: AddSpecial = True,
                 specials: Specials = "text", max_length: int | None = None, truncation: Truncations | None = None,
                 truncation_side: Side | None = None, padding: Paddings = False, padding_side: Side | None = None,
                 pad_to_multiple_of: int | None = None, pad_id: int | None = None,
                 return_tensors: Literal["np", "pt"] | None = None, return_attention_mask: bool = True,
                 return_token_type_ids: bool | None = None, return_special_tokens_mask: bool = False,
                 return_offsets_mapping: bool = False, return_length: bool = False,
                 threads: int | None = None, **unknown: Any) -> Encoded:  # fmt: skip
        """Texts as a model takes them: a dictionary of ``input_ids``, ``attention_mask`` and what else is asked for.

        Arguments are those that users of transformers know. One text gives flat lists, a list of texts a list for each;
        ``return_tensors`` gives arrays or torch tensors of int64 with the dimension of the batch. ``pairs`` are second
        texts. ``truncation`` cuts what is longer than ``max_length`` together with the special tokens, which stay;
        ``padding`` fills up to the longest row, or with ``"max_length"`` to that. What is not said comes from the file: the
        pad piece, the sides, and ``model_max_length``. See ``docs/guide/batches.md``.

        >>> rows = tok(["Hello world", "Hi"], padding=True, pad_id=0, add_special=False, return_tensors="np")
        >>> rows.input_ids.shape == rows["attention_mask"].shape, rows.attention_mask.sum(1).tolist()
        (True, [3, 1])
        """
        if unknown:
            call_rows.refuse_unknown(unknown, Tokenizer.__call__.__kwdefaults__ or ())
        sizes = {"max_length": max_length, "truncation": truncation, "truncation_side": truncation_side,
                 "padding": padding, "padding_side": padding_side, "pad_to_multiple_of": pad_to_multiple_of,
                 "pad_id": pad_id}  # fmt: skip
        returned = {"return_tensors": return_tensors, "return_attention_mask": return_attention_mask,
                    "return_token_type_ids": return_token_type_ids, "return_length": return_length,
                    "return_special_tokens_mask": return_special_tokens_mask,
                    "return_offsets_mapping": return_offsets_mapping}  # fmt: skip
        return call_rows.encode_call(self, texts, pairs, add_special, specials, sizes, returned, threads)

    def pad(self, examples: Mapping[str, Any] | Sequence[Mapping[str, Any]], *, padding: Paddings = True,
            max_length: int | None = None, padding_side: Side | None = None, pad_to_multiple_of: int | None = None,
            pad_id: int | None = None, return_tensors: Literal["np", "pt"] | None = None) -> Encoded:  # fmt: skip
        """Encoded examples of different lengths, a mapping of lists or a list of mappings, filled up as a call does it.

        ``attention_mask`` is made where there is none. ``labels`` that are as long as the ids are filled up with -100, which
        losses leave out. Anything else stays as it is.

        >>> tok.pad([{"input_ids": [5, 6], "label": 1}, {"input_ids": [7], "label": 0}], pad_id=0)
        {'input_ids': [[5, 6], [7, 0]], 'label': [1, 0], 'attention_mask': [[1, 1], [1, 0]]}
        """
        sizes = {"max_length": max_length, "padding": padding, "padding_side": padding_side,
                 "pad_to_multiple_of": pad_to_multiple_of, "pad_id": pad_id}  # fmt: skip
        return collate.pad(self, examples, sizes, return_tensors)

    # -- encode
    def encode(self, text: str | bytes, *, add_special: AddSpecial = False, specials: Specials = "text",
               reverse: bool = False, threads: int | None = 1) -> list[int]:  # fmt: skip
        """The ids of ``text``.

        ``reverse`` turns the order around before bos and eos are added. ``threads`` splits one long text at places no
        piece can cross, so the ids do not depend on it; ``None`` means one thread per processor.

        >>> tok.encode("Hello") == [token.id for token in tok.encode_spans("Hello")]
        True
        """
        if add_special is False and specials is TEXT and reverse is False and threads == 1:
            try:
                return self._kernel.encode(text)
            except REFUSALS:
                pass
        return encoding.encode(self, text, add_special, specials, reverse, threads)

    def encode_array(self, text: str | bytes, *, add_special: AddSpecial = False, specials: Specials = "text",
                     reverse: bool = False, threads: int | None = 1) -> NDArray[np.uint32]:  # fmt: skip
        """Like ``encode``, as a uint32 array.

        >>> tok.encode_array("Hello").dtype
        dtype('uint32')
        """
        if add_special is False and specials is TEXT and reverse is False and threads == 1:
            try:
                return self._kernel.encode_array(text)
            except REFUSALS:
                pass
        return encoding.encode_array(self, text, add_special, specials, reverse, threads)

    def encode_rows(self, texts: Iterable[str | bytes], pairs: Iterable[str | bytes] | None = None, *,
                    add_special: AddSpecial = True, specials: Specials = "text", max_length: int | None = None,
                    pad_id: int | None = None) -> Rows | RaggedRows:  # fmt: skip
        """Texts, or pairs of texts, in rows of one length, cut and filled up as the tokenizer.json says that this is from.
        ``max_length`` and ``pad_id`` say it in its place. A file that cuts and does not fill up gives ``RaggedRows``.

        >>> tok.replace(pad_id=0).encode_rows(["Hello", ""], add_special=False).mask.tolist()
        [[True, True], [False, False]]
        """
        return encoding.encode_rows(self, texts, pairs, add_special, specials, max_length, pad_id)

    def encode_spans(self, text: str | bytes, unit: Unit | None = None, *, unk_piece: bool = False,
                     add_special: AddSpecial = False, specials: Specials = "text") -> list[Token]:  # fmt: skip
        """The tokens of ``text``, each with its place in the text.

        Places count characters for ``str`` and bytes for ``bytes``, unless ``unit`` is ``"char"`` or ``"byte"``. A token
        that stands for unknown text has that text as its piece, or the vocabulary's own spelling with ``unk_piece``. What
        ``add_special`` puts behind the text stands at its end; what a template puts there (``Spec.single``), at 0.

        >>> tokens = tok.encode_spans("Hello")
        >>> tokens[0].start, tokens[-1].end
        (0, 5)
        """
        return encoding.encode_spans(self, text, unit, unk_piece, add_special, specials)

    def encode_pieces(self, text: str | bytes, *, unk_piece: bool = False, add_special: AddSpecial = False,
                      specials: Specials = "text", reverse: bool = False) -> list[str]:  # fmt: skip
        """The pieces of ``text`` as strings, with ``▁`` for a space.

        >>> "".join(tok.encode_pieces("Hello world"))
        '▁Hello▁world'
        """
        return [token.piece for token in encoding.tokens(self, text, unk_piece, add_special, specials, reverse)]

    def encode_piece_bytes(self, text: str | bytes, *, unk_piece: bool = False, add_special: AddSpecial = False,
                           specials: Specials = "text", reverse: bool = False) -> list[bytes]:  # fmt: skip
        """The pieces of ``text`` as bytes: in a vocabulary of bytes a piece may be a part of a character.

        >>> tok.encode_piece_bytes("é")
        [b'\\xe2\\x96\\x81\\xc3\\xa9']
        """
        return [token.piece_bytes for token in encoding.tokens(self, text, unk_piece, add_special, specials, reverse)]

    def encode_trusted(self, parts: Iterable[tuple[str | bytes, bool]], *,
                       add_special: AddSpecial = False) -> list[int]:  # fmt: skip
        """The ids of a text that is partly trusted: ``parts`` are texts, each with whether its special tokens count.

        The parts are joined and encoded as one text. A special token counts where a trusted part holds it by itself (parts
        that touch are one); what others wrote is text, whatever it spells, and cannot complete or hide a token of a trusted
        part. Only one that is looked for in normalized text is lost where the normalizer joins its end to what follows.

        >>> from anypiece import Added, AddedFlag
        >>> chat = tok.replace(added=Added.of([("<s>", 1, AddedFlag.SPECIAL), ("</s>", 2, AddedFlag.SPECIAL)]))
        >>> chat.encode_trusted([("<s>", True), ("</s>", False), ("</s>", True)]) == [1, *chat.encode("</s>"), 2]
        True
        """
        return encoding.encode_trusted(self, parts, add_special)

    def encode_pair(self, first: str | bytes, second: str | bytes, *, add_special: bool = True,
                    specials: Specials = "text") -> Pair:  # fmt: skip
        """The ids of two texts as one sequence, and for each the type id that tells the texts apart.

        ``add_special`` puts around them what the vocabulary's template for two texts says (``Spec.pair``); where there is
        none, the second simply follows the first, with the type ids 0 and 1.

        >>> pair = tok.encode_pair("Hello", "world")
        >>> pair.ids == tok.encode("Hello") + tok.encode("world"), pair.type_ids[0], pair.type_ids[-1]
        (True, 0, 1)
        """
        return encoding.encode_pair(self, first, second, add_special, specials)

    def stream_encoder(self, *, specials: Literal["text", "parse"] = "text") -> streams.StreamEncoder:
        """A ``StreamEncoder``, for text that arrives in parts or does not fit into memory."""
        return streams.stream_encoder(self._kernel, specials)

    # -- count and cut
    def count(self, text: str | bytes, limit: int | None = None, *, add_special: AddSpecial = False,
              specials: Specials = "text") -> int:  # fmt: skip
        """How many tokens ``text`` has, without making them.

        With a ``limit``, counting stops early: the result is exact up to ``limit``, and ``limit + 1`` means more.

        >>> tok.count("Hello world") == len(tok.encode("Hello world")), tok.count("Hello world" * 1000, limit=10)
        (True, 11)
        """
        if limit is None and add_special is False and specials is TEXT:
            return call(self._kernel.count, text)
        return encoding.count(self, text, limit, add_special, specials)

    def truncate(self, text: Text, n: int) -> Text:
        """The longest prefix of ``text``, at a character boundary, whose own encoding has at most ``n`` tokens.

        >>> tok.count(tok.truncate("one two three four five six seven", 3)) <= 3
        True
        """
        return truncate.truncate(self, text, n)

    def split(self, text: Text, n: int, overlap: int = 0) -> list[Text]:
        """Cut ``text`` into strings of at most ``n`` tokens each by their own encoding.

        Joined they are the text. With ``overlap`` each repeats about that many tokens of the one before, as room allows.

        >>> parts = tok.split("to be or not to be, that is the question", 4)
        >>> "".join(parts), max(map(tok.count, parts)) <= 4
        ('to be or not to be, that is the question', True)
        """
        return truncate.split(self, text, n, overlap)

    # -- decode
    def decode(self, ids: Ids, *, skip_special: bool = False, errors: Errors = "replace",
               stop_at_eos: bool = False) -> str:  # fmt: skip
        """The text of ``ids``, an iterable of ints or an integer array.

        Control pieces of a SentencePiece vocabulary have no text, those of other vocabularies have their spelling;
        ``skip_special`` leaves them out, and keeps them from parting the byte pieces of one character.
        ``errors`` says what becomes of byte pieces that are not UTF-8: U+FFFD for each, nothing, or a ``DecodeError``. An id
        outside the vocabulary is an ``UnknownIdError``; ``"lenient"`` is ``"replace"`` and leaves such ids out, as serving
        libraries do. ``stop_at_eos`` ends before the first eos piece.

        >>> tok.decode(tok.encode_array("Hello")), tok.decode([-100, *tok.encode("Hello"), 10**6], errors="lenient")
        ('Hello', 'Hello')
        """
        return decoding.decode(self, ids, skip_special, errors, stop_at_eos)

    def decode_bytes(self, ids: Ids, *, skip_special: bool = False,
                     errors: Literal["strict", "lenient"] = "strict") -> bytes:  # fmt: skip
        """The text of ``ids`` as bytes: byte pieces are taken as they are, UTF-8 or not. With ``errors="lenient"`` ids
        outside the vocabulary are left out.

        >>> tok.decode_bytes(tok.encode("é")).decode()
        'é'
        """
        return decoding.decode_bytes(self, ids, skip_special, errors)

    def stream_decoder(self, *, skip_special: bool = False) -> streams.StreamDecoder:
        """A ``StreamDecoder``, for ids that arrive one by one; ``skip_special`` is that of ``decode``."""
        stream = self._kernel.stream_decoder()
        return streams.StreamDecoder(stream, self.vocab_size, decoding.skipped(self, skip_special))

    def batch_stream_decoder(self, *, skip_special: bool = False) -> streams.BatchStreamDecoder:
        """A ``BatchStreamDecoder``, for many sequences whose next ids arrive together."""
        stream = self._kernel.batch_stream_decoder()
        return streams.BatchStreamDecoder(stream, self.vocab_size, decoding.skipped(self, skip_special))

    # -- all segmentations, and draws from them
    def lattice(self, text: str | bytes, *, specials: Specials = "text") -> Lattice:
        """All segmentations of ``text`` at once: edges, best paths, draws, marginals, entropy.

        BPE vocabularies have one too, of all pieces that fit, with no scores; ``viterbi`` is then what merging gives.
        Refused with ``lattice-unsupported`` where pieces are not adjacent, ``lattice-too-large`` beyond 16 MB of text.

        >>> tok.lattice("Hello").viterbi().ids == tok.encode("Hello")
        True
        """
        return sampling.lattice(self, text, specials)

    def nbest(self, text: str | bytes, n: int, *, specials: Specials = "text") -> Paths:
        """The ``n`` segmentations of highest score, the best first; see ``Lattice.nbest``.

        The first has the highest exact score; ``encode`` compares rounded sums, as SentencePiece does, and may take another.

        >>> tok.nbest("Hello", 2)[0].ids == tok.encode("Hello")
        True
        """
        return sampling.nbest(self, text, n, specials)

    def sample(self, text: str | bytes, alpha: float = 0.1, *, seed: int, method: Method = "lattice",
               nbest: int = NBEST, epoch: int = 0, index: int = 0, specials: Specials = "text",
               add_special: AddSpecial = False) -> list[int]:  # fmt: skip
        """The ids of ``text`` by a segmentation that is drawn at random.

        ``method`` is ``"lattice"``: exactly by the weight ``exp(alpha * score)``, 0 for all alike, infinity for ``encode``;
        ``"nbest"``: the same among the ``nbest`` best ones; ``"dropout"``: for BPE, each merge is skipped with probability
        ``alpha``; ``"viterbi"``, ``"reservoir"``: see ``docs/algorithms/sampling.md``. The same arguments give the same ids.

        >>> draws = {tuple(tok.sample("Hello world", 0.1, seed=seed)) for seed in range(20)}
        >>> len(draws) > 3, all(tok.decode(ids) == "Hello world" for ids in draws)
        (True, True)
        """
        return sampling.sample(self, text, alpha, seed, method, nbest, epoch, index, specials, add_special)

    def sample_array(self, text: str | bytes, alpha: float = 0.1, *, seed: int, method: Method = "lattice",
                     nbest: int = NBEST, epoch: int = 0, index: int = 0, specials: Specials = "text",
                     add_special: AddSpecial = False) -> NDArray[np.uint32]:  # fmt: skip
        """Like ``sample``, as a uint32 array."""
        return sampling.sample_array(self, text, alpha, seed, method, nbest, epoch, index, specials, add_special)

    def sample_spans(self, text: str | bytes, alpha: float = 0.1, unit: Unit | None = None, *, seed: int,
                     method: Method = "lattice", nbest: int = NBEST, epoch: int = 0, index: int = 0,
                     specials: Specials = "text", add_special: AddSpecial = False) -> list[Token]:  # fmt: skip
        """What ``sample`` gives for the same arguments, each token with its place in the text, as ``encode_spans`` has it.

        >>> tok.sample_spans("Hello", 0.1, seed=3)[-1].end
        5
        """
        return sampling.sample_spans(self, text, alpha, unit, seed, method, nbest, epoch, index, specials, add_special)

    def sample_steps(self, text: str | bytes, alpha: float = 0.1, *, seed: int, method: Method = "lattice",
                     nbest: int = NBEST, epoch: int = 0, index: int = 0,
                     specials: Specials = "text") -> SampleSteps:  # fmt: skip
        """How ``sample`` came to its ids with the same arguments: sums, numbers drawn and what they decided, as data.

        >>> found = tok.sample_steps("Hello", 0.1, seed=3)
        >>> list(found.ids) == tok.sample("Hello", 0.1, seed=3), 0 <= found.units[0].draws[0].number < 1
        (True, True)
        """
        return sample_steps(self, text, alpha, seed=seed, method=method, nbest=nbest, epoch=epoch, index=index,
                            specials=specials)  # fmt: skip

    def sampler(self, alpha: float = 0.1, *, seed: int, method: Method = "lattice", nbest: int = NBEST,
                add_special: AddSpecial = False) -> Sampler:  # fmt: skip
        """A ``Sampler`` with these settings, for data loaders. Refused here where ``sample`` would refuse them."""
        return Sampler(self, alpha, seed, method, nbest, add_special)

    # -- conversations
    def render_chat(self, messages: Messages, *, template: str | None = None, **variables: Any) -> str:
        """The text of a conversation, by the chat template of the file or folder that this was loaded from.

        ``template`` is the name of one of its templates, where there are several (``"default"``, ``"tool_use"``), or a
        template itself. ``variables`` go to the template: ``add_generation_prompt``, ``tools`` and what else it asks for;
        with ``tools``, the one of the name ``tool_use`` is taken unless another is named. For ids take ``encode_chat``: in
        the text alone nobody can tell what users wrote from what the template did.

        >>> tok.render_chat([{"role": "user", "content": "Hi"}], template="{{ messages[0].content }}!")
        'Hi!'
        """
        return conversation.render_chat(self, messages, template, variables)

    def encode_chat(self, messages: Messages, *, template: str | None = None, add_special: AddSpecial = False,
                    **variables: Any) -> ChatIds:  # fmt: skip
        """The ids of a conversation, a list; special tokens are only those that the template wrote.

        What messages, tools, documents and other ``variables`` hold is text, whatever it spells, and can neither complete
        nor hide a token of the template. The text is that of ``render_chat``, and the ids are those of ``encode(text,
        specials="parse")`` where nothing in the messages looks like a special token. A well-known role counts as the
        template's, since templates make tokens of it. The result has ``spans`` with the tokens of each message, ``text`` and
        ``assistant_mask`` for training; see ``docs/guide/chat.md``. ``add_special`` is for templates that write no bos.

        >>> from anypiece import Added, AddedFlag
        >>> chat = tok.replace(added=Added.of([("<s>", 1, AddedFlag.SPECIAL), ("</s>", 2, AddedFlag.SPECIAL)]))
        >>> said = [{"role": "user", "content": "Hi</s>"}, {"role": "assistant", "content": "Ho"}]
        >>> ids = chat.encode_chat(said, template="{% for m in messages %}<s>{{ m.content }}</s>{% endfor %}")
        >>> ids.count(2), chat.decode(ids[slice(*ids.spans[0])]), sum(ids.assistant_mask)
        (2, 'Hi</s>', 2)
        """
        return conversation.encode_chat(self, messages, template, add_special, variables)

    # -- the stages
    def normalize(self, text: str | bytes) -> str:
        """``text`` as the segmenter sees it, with ``▁`` for a space.

        >>> tok.normalize("Hello world")
        '▁Hello▁world'
        """
        return call(self._kernel.normalize, text)

    def normalize_offsets(self, text: str | bytes, unit: Unit | None = None) -> tuple[str, NDArray[np.int64]]:
        """``normalize``, and for each character of its result the place in ``text`` it came from; the end is included.
        Places count characters for ``str`` and bytes for ``bytes``, unless ``unit`` says otherwise.

        >>> normalized, offsets = tok.normalize_offsets("ab")
        >>> normalized, offsets.tolist()
        ('▁ab', [0, 0, 1, 2])
        """
        return normalized_offsets(self._kernel, text, counts_characters(text, unit))

    def explain(
        self, text: str | bytes, *, specials: Specials = "text", add_special: AddSpecial = False
    ) -> Explanation:
        """Every stage of encoding ``text``, with places in the text, scores and the runner-up. Print it to read it; in a
        notebook it is a page. Its ``steps`` are every step as data, those of ``specials`` and ``add_special`` too.
        """
        return explain(self, text, specials=specials, add_special=add_special)

    # -- content
    def replace(self, **changes: Any) -> Self:
        """A tokenizer with some fields of the Spec changed. Self-test samples are dropped, as they may no longer hold.

        >>> tok.replace(add_dummy_prefix=False).normalize("Hello")
        'Hello'
        """
        spec = vocabulary.changed_spec(self.spec, changes)
        return vocabulary.rebuilt(type(self), spec, self._origin, self._cache_slots)

    def save(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the tokenizer in a format by its name, such as ``"sentencepiece"`` or ``"huggingface"``; if not given, the
        suffix decides: .model, .gguf, .json, .tiktoken, .anypiece. The file appears as a whole or not at all.

        A folder that is there, or a name that ends in ``/``, becomes the folder of a model (``format="folder"``): a
        tokenizer.json with its config and chat templates, which AutoTokenizer of transformers reads, and ``load`` as well.
        """
        save(self, path, format)

    def __reduce__(self) -> tuple[Any, ...]:
        return vocabulary.rebuilt, (type(self), self.spec, self._origin, self._cache_slots)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Tokenizer) and self.fingerprint == other.fingerprint)

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.spec.segmenter}, {self.vocab_size} pieces, fingerprint {self.fingerprint[:12]}>"

    def __setattr__(self, name: str, value: object = None) -> None:
        raise AttributeError(f"A Tokenizer cannot be changed; use tok.replace(...) for one with another {name}.")

    __delattr__ = __setattr__
