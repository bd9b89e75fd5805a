"""Lowering passes: a Spec rewritten as one of the same meaning that a format can write.

One vocabulary can be said in several ways: merges as scores, ranks or a list; spaces as settings or as steps; marks as ids
with flags or as a template. Each module here knows one such pair and turns either into the other; the table says which of
them a format needs. There is no way from each format to each: a Spec goes through the rewrites of its target, and those that
it does not need leave it alone.

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
from . import added_tokens, bos_eos, merges, whitespace, wordpiece

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..spec import Spec

__all__ = ["Rewrite", "rewrite_for"]

_NEWER = {name: name.removesuffix("-15.1") for name in SPLITTERS.values()}
"""Splitters of llama.cpp, and those that differ in the release of Unicode."""


class Rewrite(NamedTuple):
    """A Spec rewritten for a format."""

    spec: Spec
    nearly: tuple[str, ...] = ()
    """Fields that the format has in a way of its own, which may give other ids or texts."""
    unparsed: bool = False
    """Whether its special tokens are control pieces there, which no text can be, not even where a call permits it."""
    lost: tuple[str, ...] = ()
    """Fields whose value the format has no place for, though it has for others; the Spec is without them."""


def rewrite_for(spec: Spec, format: str) -> Rewrite:
    """``spec`` as ``format`` can write it, as far as there is a way; the rest is for its writer to refuse.

    >>> import anypiece
    >>> spec = anypiece.Spec(anypiece.Pieces.of([("<unk>", 0, 2), ("a", -1, 1), ("aa", -2, 1)]), segmenter="bpe")
    >>> rewrite_for(spec, "huggingface").spec.merges.tolist()
    [[1, 1, 2]]
    """
    make = _REWRITES.get(format)
    return Rewrite(spec) if make is None else make(spec)


def _huggingface(spec: Spec) -> Rewrite:
    nearly: tuple[str, ...] = ()
    if whitespace.is_sentencepiece(spec):
        if spec.segmenter == "unigram":
            nearly = ("arithmetic", "match_kinds")
            nearly += ("user_defined_score",) if (spec.pieces.kinds == Kind.USER_DEFINED).any() else ()
            spec = spec.replace(arithmetic="f64", match_kinds="spelled", user_defined_score="length-bonus")
        else:
            spec = spec.replace(arithmetic="f32-rebased", user_defined_score="length-bonus", reserved="unknown")
        nearly += ("charsmap",) if spec.charsmap else ()
        nearly += ("add_dummy_prefix",) if whitespace.parts_text(spec) else ()
        spec = added_tokens.as_added(whitespace.as_steps(spec))
        spec = added_tokens.as_normal(spec) if spec.segmenter == "unigram" else spec
    spec = bos_eos.as_template(merges.as_list(spec))
    newer = _NEWER.get(spec.splitter or "")
    if newer is not None:
        spec, nearly = spec.replace(splitter=newer), (*nearly, "splitter")
    if spec.symbols == "bytes" and spec.unknown == "omit":
        nearly += () if _has_all_bytes(spec) else ("unknown",)
        spec = spec.replace(unknown="drop")
    return Rewrite(_bare(spec), nearly)


def _model(spec: Spec) -> Rewrite:
    """A ``.model`` can call only control pieces bos, eos or pad."""
    rewrite = _sentencepiece(spec)
    roles = {role: getattr(rewrite.spec, role) for role in ("bos_id", "eos_id", "pad_id")}
    kinds = rewrite.spec.pieces.kinds
    lost = {role: None for role, id in roles.items() if id is not None and kinds[id] != Kind.CONTROL}
    return rewrite._replace(spec=rewrite.spec.replace(**lost), lost=tuple(lost))


def _sentencepiece(spec: Spec, flags: bool = False) -> Rewrite:
    if whitespace.is_sentencepiece(spec):
        return Rewrite(spec)
    nearly: tuple[str, ...] = ("normalizer", "split_rules") if spec.split_rules or spec.charsmap else ()
    if spec.segmenter == "unigram":
        nearly += ("arithmetic", "match_kinds")
        scores = spec.pieces.scores.astype(np.float32)
        spec = spec.replace(arithmetic="f32-rebased", match_kinds="text", pieces=replace(spec.pieces, scores=scores))
    specials = any(flags & AddedFlag.SPECIAL for _, _, flags in spec.added)
    spec = added_tokens.as_kinds(merges.as_scores(whitespace.as_settings(spec)))
    unparsed = specials and not len(spec.added)
    return Rewrite(bos_eos.as_flags(spec, flags=flags), nearly + (("added",) if unparsed else ()), unparsed)


def _gguf(spec: Spec) -> Rewrite:
    if spec.segmenter == "greedy":
        return Rewrite(spec)
    if spec.symbols == "characters" and spec.segmenter != "wordpiece":
        return _sentencepiece(spec, flags=True)
    if spec.segmenter == "wordpiece":
        return Rewrite(wordpiece.with_marks(_bare(spec)))
    spec = _bare(added_tokens.without_flags(bos_eos.as_flags(merges.as_list(spec), flags=True)))
    name = name_of(spec)
    if name is not None:
        spec = merges.with_whole_chunks(spec, PRES[name].whole_chunks)
    spec = spec.replace(unknown="drop" if _has_all_bytes(spec) else spec.unknown)
    plain = added_tokens.without_strips(spec)
    return Rewrite(plain, () if plain is spec else ("added",))


def _bare(spec: Spec) -> Spec:
    """``spec`` without what the unknown piece prints, where the decoder's steps or bytes leave that without a meaning."""
    return spec.replace(unk_surface="") if spec.symbols == "bytes" or spec.decoder else spec


def _has_all_bytes(spec: Spec) -> bool:
    ids = np.flatnonzero((np.diff(spec.pieces.offsets) == 1) & (spec.pieces.kinds == Kind.NORMAL))
    return len(np.unique(np.frombuffer(spec.pieces.blob, np.uint8)[spec.pieces.offsets[ids]])) == 256


def _ranked(spec: Spec, first: int) -> Rewrite:
    spec = added_tokens.without_flags(bos_eos.as_flags(merges.as_ranks(spec, first=first), flags=False))
    if all(flags == AddedFlag.SPECIAL for _, _, flags in spec.added):
        return Rewrite(spec)
    return Rewrite(added_tokens.as_specials(spec), ("added",))


def _tiktoken(spec: Spec) -> Rewrite:
    return _ranked(spec, 0)


def _tekken(spec: Spec) -> Rewrite:
    """Ranks are counted from the first piece behind the special tokens, and bos, eos and pad have fixed names."""
    normal = np.flatnonzero(spec.pieces.kinds == Kind.NORMAL)
    rewrite = _ranked(spec, int(normal[0]) if len(normal) else 0)
    names = {text: id for text, id, _ in rewrite.spec.added}
    roles = {role: names.get(name) for role, name in TEKKEN_ROLES.items() if getattr(rewrite.spec, role) is None}
    return Rewrite(rewrite.spec.replace(**roles), rewrite.nearly)


_REWRITES: dict[str, Callable[[Spec], Rewrite]] = {
    "huggingface": _huggingface,
    "tiktoken": _tiktoken,
    "tekken": _tekken,
    "sentencepiece": _model,
    "gguf": _gguf,
    "wordpiece": lambda spec: Rewrite(wordpiece.as_vocabulary(spec)),
}
