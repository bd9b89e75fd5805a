"""``SentencePieceProcessor``: the union of the surfaces of sentencepiece 0.2.1 to 0.2.3, in both naming styles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._core.checks import REFUSALS, checked_threads
from .decoding import decoded_rows
from .encoding import Shape, checked, encoded, encoded_batch, encoded_best, encoded_draws, shown
from .errors import RefusedError, WrongTypeError
from .lookups import Lookups

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .model import Model
    from .threads import ThreadPool

__all__ = ["SentencePieceProcessor"]

_TYPES = (int, str, bytes, "proto", "serialized_proto", "immutable_proto", "numpy", "offset_mapping")
_DECODED = (str, bytes, "proto", "serialized_proto", "immutable_proto", "offset_mapping")
_MOST_THREADS = 256


class SentencePieceProcessor(Lookups):
    """A loaded model. Options of the constructor are the defaults of calls.

    ``out_type``, or ``return_type``, is ``int``, ``str``, ``bytes``, ``"serialized_proto"``, ``"immutable_proto"`` (places
    count characters), ``"proto"`` (bytes), ``"numpy"`` or ``"offset_mapping"``.
    """

    def __init__(
        self,
        model_file: Any = None,
        model_proto: Any = None,
        out_type: Any = None,
        add_bos: bool = False,
        add_eos: bool = False,
        reverse: bool = False,
        emit_unk_piece: bool = False,
        enable_sampling: bool = False,
        nbest_size: int = -1,
        alpha: float = 0.1,
        num_threads: int = -1,
        return_type: Any = None,
    ) -> None:
        super().__init__()
        self._return_type = self._resolved(return_type, out_type, int)
        self._add_bos = add_bos
        self._add_eos = add_eos
        self._reverse = reverse
        self._emit_unk_piece = emit_unk_piece
        self._enable_sampling = enable_sampling
        self._nbest_size = nbest_size
        self._alpha = alpha
        self._num_threads = num_threads
        if model_file or model_proto:
            self.load(model_file=model_file, model_proto=model_proto)

    init = Init = __init__

    def _resolved(self, return_type: Any, out_type: Any, default: Any) -> Any:
        """The type of a result by either of its names."""
        if isinstance(out_type, bool) or isinstance(return_type, bool):
            raise WrongTypeError(
                "the second argument is the type of the result; pass add_bos and others by their names"
            )
        if out_type is not None and return_type is not None:
            raise RefusedError("out_type and return_type are the same; pass one of them")
        kind = out_type if return_type is None else return_type
        kind = default if kind is None else kind
        if kind not in _TYPES:
            raise RefusedError(f"unknown out_type={kind}; it is one of {_TYPES}")
        return kind

    def _threads(self, num_threads: Any, thread_pool: ThreadPool | None) -> int:
        number = self._num_threads if num_threads is None else num_threads
        if not isinstance(number, int) or isinstance(number, bool):
            raise WrongTypeError("num_threads must be int")
        if thread_pool is not None:
            number = thread_pool.num_threads()
        return checked_threads(None) if number < 0 else max(1, min(number, _MOST_THREADS))

    def _shape(self, kind: Any, add_bos: Any, add_eos: Any, reverse: Any, emit_unk_piece: Any, **more: Any) -> Shape:
        return Shape(
            kind,
            self._add_bos if add_bos is None else add_bos,
            self._add_eos if add_eos is None else add_eos,
            self._reverse if reverse is None else reverse,
            self._emit_unk_piece if emit_unk_piece is None else emit_unk_piece,
            extra=self._encode_extra,
            **more,
        )

    # -- encode
    def encode(
        self,
        input: Any,
        out_type: Any = None,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        enable_sampling: bool | None = None,
        nbest_size: int | None = None,
        alpha: float | None = None,
        num_threads: int | None = None,
        *,
        thread_pool: ThreadPool | None = None,
        return_type: Any = None,
        return_bytes: bool | None = None,
    ) -> Any:
        """A text, or a list of texts, as ids, pieces or protos.

        ``reverse`` comes before bos and eos are added. With ``enable_sampling`` a segmentation is drawn: from the
        ``nbest_size`` best ones, or from all with -1, each by its probability to the power of ``alpha``; for BPE a merge is
        skipped with probability ``alpha``.
        """
        if (
            (out_type is int or (out_type is None and self._return_type is int and return_type is None))
            and add_bos is add_eos is reverse is enable_sampling is None
            and isinstance(input, str)
            and not (self._add_bos or self._add_eos or self._reverse or self._enable_sampling or self._encode_extra)
            and num_threads is return_bytes is return_type is None
            and self._loaded is not None
        ):
            # The usual call, which would spend half of its time below.
            try:
                return self._loaded.kernel.encode(input)
            except REFUSALS:
                pass
        kind = self._resolved(return_type, out_type, self._return_type)
        if return_bytes is not None and kind != "offset_mapping":
            raise RefusedError("return_bytes is for return_type='offset_mapping' alone")
        draws = self._enable_sampling if enable_sampling is None else enable_sampling
        size = self._nbest_size if nbest_size is None else nbest_size
        smoothing = self._alpha if alpha is None else alpha
        if draws and (size is None or size in (0, 1) or smoothing is None):
            raise RefusedError(
                "with enable_sampling, nbest_size must be above 1, or -1 for all segmentations, and alpha must be given"
            )
        if kind == "offset_mapping" and return_bytes is None:
            first = input[0] if isinstance(input, list) and input else input
            return_bytes = isinstance(first, bytes)
        shape = self._shape(
            kind, add_bos, add_eos, reverse, emit_unk_piece, draws=bool(draws), nbest_size=size, alpha=smoothing,
            as_bytes=bool(return_bytes),
        )  # fmt: skip
        threads = self._threads(num_threads, thread_pool)
        if isinstance(input, list):
            return encoded_batch(self._model, input, shape, threads)
        return encoded(self._model, input, shape)

    Encode = Tokenize = tokenize = encode

    def encode_as_ids(self, input: Any, **kwargs: Any) -> Any:
        return self.encode(input, int, **kwargs)

    def encode_as_pieces(self, input: Any, **kwargs: Any) -> Any:
        return self.encode(input, str, **kwargs)

    def encode_as_numpy(self, input: Any, **kwargs: Any) -> Any:
        return self.encode(input, "numpy", **kwargs)

    def encode_as_proto(self, input: Any, **kwargs: Any) -> Any:
        return self.encode(input, "proto", **kwargs)

    def encode_as_serialized_proto(self, input: Any, **kwargs: Any) -> Any:
        return self.encode(input, "serialized_proto", **kwargs)

    def encode_as_immutable_proto(self, input: Any, **kwargs: Any) -> Any:
        return self.encode(input, "immutable_proto", **kwargs)

    def encode_as_offset_mapping(self, input: Any, **kwargs: Any) -> Any:
        return self.encode(input, "offset_mapping", **kwargs)

    EncodeAsIds, EncodeAsPieces, EncodeAsNumpy = encode_as_ids, encode_as_pieces, encode_as_numpy
    EncodeAsProto, EncodeAsSerializedProto = encode_as_proto, encode_as_serialized_proto
    EncodeAsImmutableProto, EncodeAsOffsetMapping = encode_as_immutable_proto, encode_as_offset_mapping

    def _drawn(self, input: Any, kind: Any, nbest_size: Any, alpha: Any, kwargs: dict[str, Any]) -> Any:
        return self.encode(input, kind, enable_sampling=True, nbest_size=nbest_size, alpha=alpha, **kwargs)

    def sample_encode_as_ids(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return self._drawn(input, int, nbest_size, alpha, kwargs)

    def sample_encode_as_pieces(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return self._drawn(input, str, nbest_size, alpha, kwargs)

    def sample_encode_as_numpy(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return self._drawn(input, "numpy", nbest_size, alpha, kwargs)

    def sample_encode_as_proto(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return self._drawn(input, "proto", nbest_size, alpha, kwargs)

    def sample_encode_as_serialized_proto(
        self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any
    ) -> Any:
        return self._drawn(input, "serialized_proto", nbest_size, alpha, kwargs)

    def sample_encode_as_immutable_proto(
        self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any
    ) -> Any:
        return self._drawn(input, "immutable_proto", nbest_size, alpha, kwargs)

    SampleEncodeAsIds, SampleEncodeAsPieces = sample_encode_as_ids, sample_encode_as_pieces
    SampleEncodeAsNumpy, SampleEncodeAsProto = sample_encode_as_numpy, sample_encode_as_proto
    SampleEncodeAsSerializedProto = sample_encode_as_serialized_proto
    SampleEncodeAsImmutableProto = sample_encode_as_immutable_proto

    # -- n-best
    def nbest_encode(
        self,
        input: Any,
        out_type: Any = None,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        nbest_size: int | None = None,
        *,
        return_type: Any = None,
    ) -> Any:
        """The best segmentations of a text, or of each of a list, the best first. For unigram models."""
        kind = self._resolved(return_type, out_type, self._return_type)
        count = self._nbest_size if nbest_size is None else nbest_size
        shape = self._shape(kind, add_bos, add_eos, reverse, emit_unk_piece)
        return _each(input, lambda text: encoded_best(self._model, text, count, shape))

    NBestEncode = nbest_encode

    def nbest_encode_as_ids(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.nbest_encode(input, int, nbest_size=nbest_size, **kwargs)

    def nbest_encode_as_pieces(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.nbest_encode(input, str, nbest_size=nbest_size, **kwargs)

    def nbest_encode_as_numpy(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.nbest_encode(input, "numpy", nbest_size=nbest_size, **kwargs)

    def nbest_encode_as_proto(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.nbest_encode(input, "proto", nbest_size=nbest_size, **kwargs)

    def nbest_encode_as_serialized_proto(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.nbest_encode(input, "serialized_proto", nbest_size=nbest_size, **kwargs)

    def nbest_encode_as_immutable_proto(self, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.nbest_encode(input, "immutable_proto", nbest_size=nbest_size, **kwargs)

    NBestEncodeAsIds, NBestEncodeAsPieces = nbest_encode_as_ids, nbest_encode_as_pieces
    NBestEncodeAsNumpy, NBestEncodeAsProto = nbest_encode_as_numpy, nbest_encode_as_proto
    NBestEncodeAsSerializedProto = nbest_encode_as_serialized_proto
    NBestEncodeAsImmutableProto = nbest_encode_as_immutable_proto

    # -- draws with scores
    def sample_encode_and_score(
        self,
        input: Any,
        out_type: Any = None,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        num_samples: int | None = None,
        alpha: float | None = None,
        wor: bool | None = None,
        include_best: bool | None = None,
        *,
        return_type: Any = None,
    ) -> Any:
        """Draws from all segmentations with their scores, without replacement with ``wor``. For unigram models."""
        kind = self._resolved(return_type, out_type, self._return_type)
        count = 1 if num_samples is None else num_samples
        if count <= 0:
            raise RefusedError("num_samples must be positive")
        if include_best and not wor:
            raise RefusedError("include_best needs wor=True")
        shape = self._shape(kind, add_bos, add_eos, reverse, emit_unk_piece)
        power = 1.0 if alpha is None else alpha
        return _each(
            input, lambda text: encoded_draws(self._model, text, count, power, bool(wor), bool(include_best), shape)
        )

    SampleEncodeAndScore = sample_encode_and_score

    def _scored(self, input: Any, kind: Any, num_samples: Any, alpha: Any, kwargs: dict[str, Any]) -> Any:
        return self.sample_encode_and_score(input, kind, num_samples=num_samples, alpha=alpha, **kwargs)

    def sample_encode_and_score_as_ids(
        self, input: Any, num_samples: Any = None, alpha: Any = None, **kwargs: Any
    ) -> Any:
        return self._scored(input, int, num_samples, alpha, kwargs)

    def sample_encode_and_score_as_pieces(
        self, input: Any, num_samples: Any = None, alpha: Any = None, **kwargs: Any
    ) -> Any:
        return self._scored(input, str, num_samples, alpha, kwargs)

    def sample_encode_and_score_as_proto(
        self, input: Any, num_samples: Any = None, alpha: Any = None, **kwargs: Any
    ) -> Any:
        return self._scored(input, "proto", num_samples, alpha, kwargs)

    def sample_encode_and_score_as_serialized_proto(
        self, input: Any, num_samples: Any = None, alpha: Any = None, **kwargs: Any
    ) -> Any:
        return self._scored(input, "serialized_proto", num_samples, alpha, kwargs)

    def sample_encode_and_score_as_immutable_proto(
        self, input: Any, num_samples: Any = None, alpha: Any = None, **kwargs: Any
    ) -> Any:
        return self._scored(input, "immutable_proto", num_samples, alpha, kwargs)

    SampleEncodeAndScoreAsIds = sample_encode_and_score_as_ids
    SampleEncodeAndScoreAsPieces = sample_encode_and_score_as_pieces
    SampleEncodeAndScoreAsProto = sample_encode_and_score_as_proto
    SampleEncodeAndScoreAsSerializedProto = sample_encode_and_score_as_serialized_proto
    SampleEncodeAndScoreAsImmutableProto = sample_encode_and_score_as_immutable_proto

    # -- one long text
    def parallel_encode(
        self,
        input: Any,
        out_type: Any = None,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        chunk_len: int | None = None,
        num_threads: int | None = None,
        *,
        thread_pool: ThreadPool | None = None,
        return_type: Any = None,
    ) -> Any:
        """A long text by several threads. It is split where no piece can span, so that the result is that of
        ``encode``; ``chunk_len`` is checked and means nothing else."""
        kind = self._resolved(return_type, out_type, self._return_type)
        threads = self._threads(num_threads, thread_pool)
        if not isinstance(chunk_len, int) or chunk_len <= 0:
            raise RefusedError("chunk_len must be positive.")
        shape = self._shape(kind, add_bos, add_eos, reverse, emit_unk_piece)
        if kind is int and shape.is_plain:
            return _each(input, lambda text: self._model.tokenizer.encode(checked(text), threads=threads))
        return _each(input, lambda text: encoded(self._model, text, shape))

    ParallelEncode = parallel_encode

    def parallel_encode_as_ids(self, input: Any, **kwargs: Any) -> Any:
        return self.parallel_encode(input, int, **kwargs)

    def parallel_encode_as_pieces(self, input: Any, **kwargs: Any) -> Any:
        return self.parallel_encode(input, str, **kwargs)

    def parallel_encode_as_numpy(self, input: Any, **kwargs: Any) -> Any:
        return self.parallel_encode(input, "numpy", **kwargs)

    def parallel_encode_as_proto(self, input: Any, **kwargs: Any) -> Any:
        return self.parallel_encode(input, "proto", **kwargs)

    def parallel_encode_as_serialized_proto(self, input: Any, **kwargs: Any) -> Any:
        return self.parallel_encode(input, "serialized_proto", **kwargs)

    ParallelEncodeAsIds, ParallelEncodeAsPieces = parallel_encode_as_ids, parallel_encode_as_pieces
    ParallelEncodeAsNumpy, ParallelEncodeAsProto = parallel_encode_as_numpy, parallel_encode_as_proto
    ParallelEncodeAsSerializedProto = parallel_encode_as_serialized_proto

    # -- decode
    def decode(
        self,
        input: Any,
        out_type: Any = None,
        num_threads: int | None = None,
        *,
        thread_pool: ThreadPool | None = None,
        return_type: Any = None,
        return_bytes: bool | None = None,
    ) -> Any:
        """The text of ids or pieces, or the texts of a list of such lists."""
        loaded = self._loaded
        if out_type is return_type is num_threads is None and loaded and type(input) is list and not self._decode_extra:
            try:
                return loaded.kernel.decode(input)
            except REFUSALS:  # pieces, a batch, or what is looked at below
                pass
        kind = self._resolved(return_type, out_type, str)
        if kind not in _DECODED:
            raise RefusedError(f"unknown out_type={kind}")
        if return_bytes is not None and kind != "offset_mapping":
            raise RefusedError("return_bytes is for return_type='offset_mapping' alone")
        self._threads(num_threads, thread_pool)
        found = [] if input is None or (isinstance(input, (str, bytes)) and not input) else input
        if not hasattr(found, "__len__") or isinstance(found, (str, bytes)):
            found = [found]
        if len(found) and hasattr(found[0], "__len__") and not isinstance(found[0], (str, bytes)):
            return [self._decoded(row, kind, bool(return_bytes)) for row in found]
        return self._decoded(found, kind, bool(return_bytes))

    Decode = Detokenize = detokenize = decode

    def _decoded(self, row: Sequence[Any], kind: Any, return_bytes: bool) -> Any:
        if len(row) and isinstance(row[0], (str, bytes)):
            model = self._model
            ids, raw = self._read_pieces(row)
            if kind is str and isinstance(row[0], bytes):
                kind = bytes
            is_known = model.unk_id not in ids
        else:
            ids, raw, is_known = self._read_ids(row), None, True
            model = self._model
        if is_known and (kind is str or kind is bytes) and not self._decode_extra:
            text = model.kernel.decode(ids)
            return text if kind is str else text.encode()
        for option in self._decode_extra:
            ids, raw = _extra_decoded(model, option, ids, raw)
        rows = decoded_rows(model, [model.raw_pieces[id] for id in ids] if raw is None else raw, ids)
        if kind is str or kind is bytes:
            return rows.text if kind is bytes else rows.text.decode("utf-8", "replace")
        return shown(kind, rows, Shape(as_bytes=return_bytes), with_text=True)

    def decode_ids(self, input: Any, out_type: Any = None, **kwargs: Any) -> Any:
        return self.decode(input, out_type, **kwargs)

    def decode_pieces(self, input: Any, out_type: Any = None, **kwargs: Any) -> Any:
        return self.decode(input, out_type, **kwargs)

    def decode_ids_as_proto(self, input: Any, **kwargs: Any) -> Any:
        return self.decode(input, "proto", **kwargs)

    def decode_ids_as_serialized_proto(self, input: Any, out_type: Any = "serialized_proto", **kwargs: Any) -> Any:
        return self.decode(input, out_type, **kwargs)

    def decode_ids_as_immutable_proto(self, input: Any, out_type: Any = "immutable_proto", **kwargs: Any) -> Any:
        return self.decode(input, out_type, **kwargs)

    decode_pieces_as_proto = DecodePiecesAsProto = DecodeIdsAsProto = decode_ids_as_proto
    decode_pieces_as_serialized_proto = DecodePiecesAsSerializedProto = decode_ids_as_serialized_proto
    decode_pieces_as_immutable_proto = DecodePiecesAsImmutableProto = decode_ids_as_immutable_proto
    DecodeIds, DecodePieces = decode_ids, decode_pieces
    DecodeIdsAsSerializedProto = decode_ids_as_serialized_proto
    DecodeIdsAsImmutableProto = decode_ids_as_immutable_proto


def _each(input: Any, made: Callable[[Any], Any]) -> Any:
    """Apply ``made`` to a text, or to each of a list."""
    return [made(text) for text in input] if isinstance(input, list) else made(input)


def _extra_decoded(
    model: Model, option: str, ids: list[int], raw: list[bytes] | None
) -> tuple[list[int], list[bytes] | None]:
    """Ids and pieces after an option of ``SetDecodeExtraOptions``."""
    raw = [model.raw_pieces[id] for id in ids] if raw is None else raw
    if option == "reverse":
        return ids[::-1], raw[::-1]
    if option in ("bos", "eos"):
        id = model.mark(option)
        piece = model.raw_pieces[id]
        return ([id, *ids], [piece, *raw]) if option == "bos" else ([*ids, id], [*raw, piece])
    unknown = model.raw_pieces[model.unk_id]
    return ids, [unknown if id == model.unk_id else piece for id, piece in zip(ids, raw, strict=True)]
