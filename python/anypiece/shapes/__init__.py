"""Shapes: a Spec rewritten as one of the same meaning that a format can write.

The same vocabulary has several shapes: merges as scores, ranks or a list; spaces as settings or as steps; marks as ids with
flags or as a template. Each module here knows one such pair and turns either into the other; the table says which of them a
format needs. There is no way from each format to each: a Spec goes through the rewrites of its target, and those that it
does not need leave it alone.

A rewrite may be right only nearly: the target's library adds scores otherwise, or looks up characters otherwise. Then it
names the fields that this is about, and whether it matters is for ``convert`` to find out, which compares the two.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..formats.gguf.pretokenizers import PRES, SPLITTERS
from ..formats.gguf.write_bpe import name_of
from ..formats.tekken import ROLES as TEKKEN_ROLES
from ..spec import AddedFlag, Kind
from . import marks, merges, spaces, tokens, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..spec import Spec

__all__ = ["Shaped", "rewritten"]

_NEWER = {name: name.removesuffix("-15.1") for name in SPLITTERS.values()}
"""Splitters of llama.cpp, and those that differ in the release of Unicode."""


class Shaped(NamedTuple):
    """A Spec in the shape of a format."""

    spec: Spec
    nearly: tuple[str, ...] = ()
    """Fields that the format has in a way of its own, which may give other ids or texts."""
    unparsed: bool = False
    """Whether its special tokens are control pieces there, which no text can be, not even where a call permits it."""
    lost: tuple[str, ...] = ()
    """Fields whose value the format has no place for, though it has for others; the Spec is without them."""


def rewritten(spec: Spec, format: str) -> Shaped:
    """``spec`` as ``format`` can write it, as far as there is a way; the rest is for its writer to refuse.

    >>> import anypiece
    >>> spec = anypiece.Spec(anypiece.Pieces.of([("<unk>", 0, 2), ("a", -1, 1), ("aa", -2, 1)]), segmenter="bpe")
    >>> rewritten(spec, "huggingface").spec.merges.tolist()
    [[1, 1, 2]]
    """
    make = _SHAPES.get(format)
    return Shaped(spec) if make is None else make(spec)


def _huggingface(spec: Spec) -> Shaped:
    nearly: tuple[str, ...] = ()
    if spaces.is_sentencepiece(spec):
        if spec.segmenter == "unigram":
            nearly = ("arithmetic", "match_kinds")
            nearly += ("user_defined_score",) if (spec.pieces.kinds == Kind.USER_DEFINED).any() else ()
            spec = spec.replace(arithmetic="f64", match_kinds="spelled", user_defined_score="length-bonus")
        else:
            spec = spec.replace(arithmetic="f32-rebased", user_defined_score="length-bonus", reserved="unknown")
        nearly += ("charsmap",) if spec.charsmap else ()
        nearly += ("add_dummy_prefix",) if spaces.parts_text(spec) else ()
        spec = tokens.as_added(spaces.as_steps(spec))
        spec = tokens.as_normal(spec) if spec.segmenter == "unigram" else spec
    spec = marks.as_template(merges.as_list(spec))
    newer = _NEWER.get(spec.splitter or "")
    if newer is not None:
        spec, nearly = spec.replace(splitter=newer), (*nearly, "splitter")
    if spec.symbols == "bytes" and spec.unknown == "omit":
        nearly += () if _has_all_bytes(spec) else ("unknown",)
        spec = spec.replace(unknown="drop")
    return Shaped(_bare(spec), nearly)


def _model(spec: Spec) -> Shaped:
    """A ``.model`` can call only control pieces bos, eos or pad."""
    shaped = _sentencepiece(spec)
    roles = {role: getattr(shaped.spec, role) for role in ("bos_id", "eos_id", "pad_id")}
    kinds = shaped.spec.pieces.kinds
    lost = {role: None for role, id in roles.items() if id is not None and kinds[id] != Kind.CONTROL}
    return shaped._replace(spec=shaped.spec.replace(**lost), lost=tuple(lost))


def _sentencepiece(spec: Spec, flags: bool = False) -> Shaped:
    if spaces.is_sentencepiece(spec):
        return Shaped(spec)
    nearly: tuple[str, ...] = ("normalizer", "split_rules") if spec.split_rules or spec.charsmap else ()
    if spec.segmenter == "unigram":
        nearly += ("arithmetic", "match_kinds")
        scores = spec.pieces.scores.astype(np.float32)
        spec = spec.replace(arithmetic="f32-rebased", match_kinds="text", pieces=replace(spec.pieces, scores=scores))
    specials = any(flags & AddedFlag.SPECIAL for _, _, flags in spec.added)
    spec = tokens.as_kinds(merges.as_scores(spaces.as_settings(spec)))
    unparsed = specials and not len(spec.added)
    return Shaped(marks.as_flags(spec, flags=flags), nearly + (("added",) if unparsed else ()), unparsed)


def _gguf(spec: Spec) -> Shaped:
    if spec.segmenter == "greedy":
        return Shaped(spec)
    if spec.symbols == "characters" and spec.segmenter != "wordpiece":
        return _sentencepiece(spec, flags=True)
    if spec.segmenter == "wordpiece":
        return Shaped(words.with_marks(_bare(spec)))
    spec = _bare(tokens.without_flags(marks.as_flags(merges.as_list(spec), flags=True)))
    name = name_of(spec)
    if name is not None:
        spec = merges.with_whole_chunks(spec, PRES[name].whole_chunks)
    spec = spec.replace(unknown="drop" if _has_all_bytes(spec) else spec.unknown)
    plain = tokens.without_strips(spec)
    return Shaped(plain, () if plain is spec else ("added",))


def _bare(spec: Spec) -> Spec:
    """``spec`` without what the unknown piece prints, where the decoder's steps or bytes leave that without a meaning."""
    return spec.replace(unk_surface="") if spec.symbols == "bytes" or spec.decoder else spec


def _has_all_bytes(spec: Spec) -> bool:
    ids = np.flatnonzero((np.diff(spec.pieces.offsets) == 1) & (spec.pieces.kinds == Kind.NORMAL))
    return len(np.unique(np.frombuffer(spec.pieces.blob, np.uint8)[spec.pieces.offsets[ids]])) == 256


def _ranked(spec: Spec, first: int) -> Shaped:
    spec = tokens.without_flags(marks.as_flags(merges.as_ranks(spec, first=first), flags=False))
    if all(flags == AddedFlag.SPECIAL for _, _, flags in spec.added):
        return Shaped(spec)
    return Shaped(tokens.as_specials(spec), ("added",))


def _tiktoken(spec: Spec) -> Shaped:
    return _ranked(spec, 0)


def _tekken(spec: Spec) -> Shaped:
    """Ranks are counted from the first piece behind the special tokens, and bos, eos and pad have fixed names."""
    normal = np.flatnonzero(spec.pieces.kinds == Kind.NORMAL)
    shaped = _ranked(spec, int(normal[0]) if len(normal) else 0)
    names = {text: id for text, id, _ in shaped.spec.added}
    roles = {role: names.get(name) for role, name in TEKKEN_ROLES.items() if getattr(shaped.spec, role) is None}
    return Shaped(shaped.spec.replace(**roles), shaped.nearly)


_SHAPES: dict[str, Callable[[Spec], Shaped]] = {
    "huggingface": _huggingface,
    "tiktoken": _tiktoken,
    "tekken": _tekken,
    "sentencepiece": _model,
    "gguf": _gguf,
    "wordpiece": lambda spec: Shaped(words.as_vocabulary(spec)),
}
