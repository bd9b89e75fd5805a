"""The section ``added_tokens`` of a tokenizer.json, and the pieces that it and the vocabulary make together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _native
from ..._core.bridge import compiled
from ..._core.calls import call
from ...spec import AddedFlag, Kind, Pieces, Spec
from .fields import boolean, listed, mapping, refuse, string, unsupported
from .model import BYTE_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from .model import Model, Vocabulary
    from .stages import Stages

__all__ = ["OFF", "AddedTokens", "letter_forms", "normalized_forms", "read_added", "read_pieces", "refuse_odd_spaces"]

AddedTokens = dict[str, tuple[int, AddedFlag]]
"""Id and flags by text."""

_FLAGS = {
    "special": AddedFlag.SPECIAL,
    "lstrip": AddedFlag.LSTRIP,
    "rstrip": AddedFlag.RSTRIP,
    "single_word": AddedFlag.SINGLE_WORD,
    "normalized": AddedFlag.NORMALIZED,
}
_MAX_PIECE = 8000
_MAX_GROWTH, _MAX_MORE = 16, 1 << 16

OFF: dict[str, Any] = {
    "add_dummy_prefix": False,
    "remove_extra_whitespaces": False,
    "escape_whitespaces": False,
    "unk_surface": "",
}
"""What SentencePiece does to text, and a tokenizer.json does not."""


def read_added(section: Any, model: Model, mapped: bool) -> AddedTokens:
    """Id and flags of each added token. One that is in the vocabulary has its id there, others come behind it in order,
    whatever ids the file says. ``mapped``: the normalizer writes bytes as characters.
    """
    rows = [mapping(item, "added_tokens") for item in listed([] if section is None else section, "added_tokens")]
    texts = [string(row, "content", "added_tokens") for row in rows]
    added: AddedTokens = {}
    free = model.size
    for row, text, known in zip(rows, texts, model.vocabulary.find(texts), strict=True):
        if not text:
            continue
        flags = _flags(row, text, mapped)
        if text in added and added[text][1] != flags:
            unsupported("added_tokens", f"have {text!r} twice, with other flags", "Leave one of them out.")
        id = added[text][0] if text in added else free if known is None else known
        if id == free and known is None and id < len(model.kinds) and model.vocabulary.name(id):
            what = f"have {text!r}, which gets the id {id} of the piece {model.vocabulary.name(id)!r}"
            unsupported("added_tokens", what, "Number the vocabulary without gaps.")
        free += text not in added and known is None
        if len(text.encode()) >= _MAX_PIECE:
            refuse("added_tokens", f"have a text of {len(text)} characters")
        added[text] = (id, flags)
    return added


def _flags(row: dict[str, Any], text: str, mapped: bool) -> AddedFlag:
    flags = sum((value for name, value in _FLAGS.items() if boolean(row, name, "added_tokens", False)), AddedFlag(0))
    if mapped and flags & AddedFlag.NORMALIZED:
        if flags & AddedFlag.SINGLE_WORD:
            what = f"look for the single word {text!r} in text whose spaces are mapped to letters"
            unsupported("added_tokens", what, "Map bytes in the pre-tokenizer, or set normalized to false.")
        # Bytes that are written as characters have no white space that could be taken.
        flags &= ~(AddedFlag.LSTRIP | AddedFlag.RSTRIP)
    return flags


def refuse_odd_spaces(added: AddedTokens) -> None:
    """Refuses tokens with white space at their ends that is none once the normalizer has written bytes as characters, where
    spans are to lose it."""
    for text, (_, flags) in added.items():
        inner = text.strip(" ")
        if flags & AddedFlag.NORMALIZED and inner != inner.strip().strip("\u0120"):
            what = f"have {text!r}, whose span would lose white space that the normalizer has mapped"
            unsupported("added_tokens", what, "Set normalized to false, or trim_offsets of the post-processor.")


def normalized_forms(added: AddedTokens, stages: Stages) -> dict[str, str]:
    """What the normalizer makes of the added tokens that are looked for in normalized text, if it is another text: they are
    decoded to that.
    """
    texts = [text for text, (_, flags) in added.items() if flags & AddedFlag.NORMALIZED]
    if not texts or not (stages.steps or stages.mapped):
        return {}
    pieces = Pieces.of([("?", 0.0, Kind.UNKNOWN)])
    kernel = compiled(Spec(pieces, segmenter="word-level", normalizer=stages.steps, charsmap=stages.charsmap, **OFF), 0)
    forms = _forms(kernel, texts) if stages.steps else {text: text for text in texts}
    if stages.mapped:
        forms = {text: "".join(chr(BYTE_CHARACTERS[byte]) for byte in form.encode()) for text, form in forms.items()}
    empty = [text for text, form in forms.items() if not form]
    if empty:
        what = f"have {empty[0]!r}, of which the normalizer leaves nothing: it would be found everywhere"
        unsupported("added_tokens", what, "Set normalized to false, or leave it out.")
    return {text: form for text, form in forms.items() if form != text}


def _forms(kernel: _native.Tokenizer, texts: list[str]) -> dict[str, str]:
    """The normalized texts, as long as all of them together do not become many times as long."""
    left = _MAX_GROWTH * sum(len(text.encode()) for text in texts) + _MAX_MORE
    forms = {}
    for text in texts:
        forms[text] = call(kernel.normalize, text)
        left -= len(forms[text].encode())
        if left < 0:
            what = f"are made more than {_MAX_GROWTH} times as long by the normalizer"
            unsupported("added_tokens", what, "Set normalized to false, or shorten what the normalizer puts in.")
    return forms


def read_pieces(model: Model, added: AddedTokens, byte_level: bool, forms: dict[str, str]) -> Pieces:
    """Vocabulary and added tokens as pieces; where the vocabulary is byte-level in bytes, and by their normalized forms."""
    if byte_level:
        _refuse_forms(model, added, forms)
    shown = forms if byte_level else {}
    texts = {id: shown.get(text, text) for text, (id, _) in added.items() if not _is_piece(model, id)}
    blob, offsets = _extended(model.vocabulary, texts)
    behind = len(offsets) - 1 - len(model.kinds)
    kinds = np.concatenate([model.kinds, np.full(behind, Kind.UNUSED, np.uint8)])
    scores = np.concatenate([model.scores, np.zeros(behind, model.scores.dtype)])
    if byte_level:
        blob, raw, mapped = _native.strings_unmapped(blob, offsets.tobytes(), BYTE_CHARACTERS)
        offsets = np.frombuffer(raw, "<u4")
        kinds[(kinds == Kind.NORMAL) & (np.frombuffer(mapped, np.uint8) == 0)] = Kind.UNUSED
        _refuse_whole_chunks(model, added, kinds)
    for id, flags in added.values():
        if flags & AddedFlag.SPECIAL:
            kinds[id] = Kind.UNKNOWN if kinds[id] == Kind.UNKNOWN else Kind.CONTROL
        elif id in texts:
            kinds[id] = Kind.USER_DEFINED
    return Pieces(blob, offsets, scores, kinds)


def _refuse_whole_chunks(model: Model, added: AddedTokens, kinds: NDArray[np.uint8]) -> None:
    """Refuses entries that are no letters where a whole chunk is looked up: as bytes they would be found."""
    if not model.settings["whole_chunks"]:
        return
    known = {id for id, _ in added.values()}
    ends = model.vocabulary.offsets
    for id in np.flatnonzero(kinds[: len(model.kinds)] == Kind.UNUSED).tolist():
        if id not in known and _is_piece(model, id):
            name = model.vocabulary.blob[ends[id] : ends[id + 1]].decode("utf-8", "replace")
            what = f"is on, and the byte-level vocabulary has {name!r}, which is not written in its letters"
            unsupported("model.ignore_merges", what, "Leave that entry out, or switch it off.")


def letter_forms(pieces: Pieces, model: Model, added: AddedTokens, forms: dict[str, str]) -> dict[str, str]:
    """What the library has for pieces of bytes whose letters are something else, by these letters: added tokens, and entries
    of the vocabulary that are no letters. Refuses those of the same bytes as a piece that is letters."""
    texts = {id: forms.get(text, text) for text, (id, _) in added.items()}
    texts |= {id: pieces.piece(id) for id in np.flatnonzero(pieces.kinds == Kind.UNUSED).tolist() if id not in texts}
    letters = {id: "".join(chr(BYTE_CHARACTERS[byte]) for byte in pieces.bytes(id)) for id in texts}
    spelled: dict[str, str] = {}
    for (id, text), known in zip(texts.items(), model.vocabulary.find(list(letters.values())), strict=True):
        other = letters[id] if known is not None and known not in texts else text
        if spelled.setdefault(letters[id], text) != text or other != text:
            what = f"cannot tell {text!r} from another piece of the same bytes, {letters[id]!r}"
            unsupported("decoder", what, "Use the decoder ByteLevel, or leave one of them out.")
    return {spelling: text for spelling, text in spelled.items() if spelling != text}


def _is_piece(model: Model, id: int) -> bool:
    return id < len(model.kinds) and bool(model.vocabulary.offsets[id] < model.vocabulary.offsets[id + 1])


def _refuse_forms(model: Model, added: AddedTokens, forms: dict[str, str]) -> None:
    """Refuses tokens that bytes cannot be for: the library does not skip such a special one, or it is text as well."""
    for text in forms:
        id, flags = added[text]
        if flags & AddedFlag.SPECIAL or _is_piece(model, id):
            what = f"have {text!r}, which is decoded as {forms[text]!r} but is special or in the vocabulary"
            unsupported("added_tokens", what, "Set normalized to false.")


def _extended(vocabulary: Vocabulary, texts: dict[int, str]) -> tuple[bytes, NDArray[np.uint32]]:
    """The columns with the texts of further ids, in gaps of the vocabulary and behind it."""
    size = len(vocabulary)
    if any(id < size for id in texts):
        total = max(size, max(texts) + 1)
        return _columns(texts.get(id) or (vocabulary.name(id) if id < size else "") for id in range(total))
    behind = max(texts, default=size - 1) + 1 - size
    new = [texts.get(size + place, "").encode() for place in range(behind)]
    ends = np.cumsum([len(vocabulary.blob), *map(len, new)])[1:]
    return vocabulary.blob + b"".join(new), np.concatenate([vocabulary.offsets, ends]).astype(np.uint32)


def _columns(names: Iterable[str]) -> tuple[bytes, NDArray[np.uint32]]:
    raw = [name.encode() for name in names]
    return b"".join(raw), np.cumsum([0, *map(len, raw)]).astype(np.uint32)
