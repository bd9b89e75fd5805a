"""How spaces are written and read back: by the settings of SentencePiece, or by steps as tokenizers has them.

The steps are chosen so that they do what the settings do, letter by letter; where the converters of transformers take
Metaspace instead, which puts no mark before a text that has one, the ids of some texts differ. Back from steps, those forms
are known that such files have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..spec import SPACE_MARK, Kind

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["as_settings", "as_steps", "is_sentencepiece", "parts_text"]

Step = dict[str, Any]

_OFF: dict[str, Any] = {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "escape_whitespaces": False}
_CHARSMAP: Step = {"type": "charsmap"}
_TRIM: Step = {"type": "replace", "pattern": {"regex": rf"\A +|[ {SPACE_MARK}]+\z"}, "content": ""}
_TRIM_END: Step = {"type": "replace", "pattern": {"regex": rf"[ {SPACE_MARK}]+\z"}, "content": ""}
_SQUEEZE: Step = {"type": "replace", "pattern": {"regex": " {2,}"}, "content": " "}
_PREPEND: Step = {"type": "prepend", "text": SPACE_MARK}
_ESCAPE: Step = {"type": "replace", "pattern": {"literal": " "}, "content": SPACE_MARK}
_FIRST: Step = {"type": "metaspace", "replacement": SPACE_MARK, "prepend_scheme": "first", "split": False}
_UNESCAPE: Step = {"type": "replace", "pattern": SPACE_MARK, "content": " "}
_AT_SPACES: Step = {"type": "split", "pattern": {"literal": " "}, "behavior": "merged-with-previous", "invert": False}
_STRIP: Step = {"type": "strip", "content": " ", "start": 1, "stop": 0}


def is_sentencepiece(spec: Spec) -> bool:
    """Whether ``spec`` is a vocabulary of characters whose text goes through SentencePiece's normalizer."""
    lists = spec.normalizer or spec.split_rules or spec.splitter or spec.decoder
    return spec.symbols == "characters" and spec.segmenter in ("unigram", "bpe") and not lists


def as_steps(spec: Spec) -> Spec:
    """``spec`` with steps in the place of SentencePiece's settings."""
    if not is_sentencepiece(spec) or not spec.escape_whitespaces or spec.whitespace_as_suffix:
        return spec
    steps = [_CHARSMAP] if spec.charsmap else []
    common: dict[str, Any] = {"decoder": _decoder(spec), "unk_surface": "", **_OFF}
    if parts_text(spec) and spec.remove_extra_whitespaces:
        return spec.replace(normalizer=(*steps, _TRIM_END, _SQUEEZE), split_rules=(_FIRST,), **common)
    steps += [_TRIM, _SQUEEZE] if spec.remove_extra_whitespaces else []
    steps += [_PREPEND] if spec.add_dummy_prefix else []
    return spec.replace(normalizer=(*steps, _ESCAPE), **common)


def parts_text(spec: Spec) -> bool:
    """Whether there are user-defined pieces and a mark in front. As added tokens they part the text, and no steps can tell
    the first part from the others: then some texts with such a piece come out otherwise.

    Metaspace puts a mark before the first part only, but none before a space: that is right where spaces in front go. Where
    they stay, each part gets a mark, so that at least texts without such a piece are right.
    """
    return spec.add_dummy_prefix and bool((spec.pieces.kinds == Kind.USER_DEFINED).any())


def _decoder(spec: Spec) -> tuple[Step, ...]:
    """Steps that print what SentencePiece prints. The mark in front goes; the unknown piece shows its surface."""
    unknown = spec.pieces.piece(spec.unk_id)
    surface = {"type": "replace", "pattern": unknown, "content": spec.unk_surface}
    steps = [_UNESCAPE, surface] if unknown != spec.unk_surface else [_UNESCAPE]
    steps += [{"type": "byte-fallback"}] if spec.byte_fallback else []
    return (*steps, {"type": "fuse"}, *([_STRIP] if spec.add_dummy_prefix else []))


def as_settings(spec: Spec) -> Spec:
    """``spec`` with SentencePiece's settings in the place of steps and rules; itself where they are of no known form."""
    settings = _settings(list(spec.normalizer), list(spec.split_rules))
    if spec.symbols != "characters" or spec.segmenter not in ("unigram", "bpe") or spec.splitter or settings is None:
        return spec
    surface = _surface(spec, settings["add_dummy_prefix"])
    if surface is None:
        return spec
    return spec.replace(normalizer=(), split_rules=(), decoder=None, unk_surface=surface, **settings)


def _settings(steps: list[Step], rules: list[Step]) -> dict[str, Any] | None:
    """What steps and rules say: a character map or none, spaces that go, a mark in front, marks for spaces."""
    if steps[:1] == [_CHARSMAP]:
        steps = steps[1:]
    squeezed = _SQUEEZE in steps[:2]
    steps = [step for step in steps if step not in (_TRIM, _TRIM_END, _SQUEEZE)]
    settings: dict[str, Any] = {"escape_whitespaces": True, "remove_extra_whitespaces": squeezed}
    if rules == [_AT_SPACES] and _ESCAPE in steps:  # there are no spaces any more
        rules = []
    if not rules and steps in ([_PREPEND, _ESCAPE], [_ESCAPE]):
        return {**settings, "add_dummy_prefix": len(steps) == 2}
    words = rules[:1] == [{"type": "whitespace-split"}]
    last = rules[1:] if words else rules
    if steps or len(last) != 1 or last[0]["type"] != "metaspace" or last[0]["replacement"] != SPACE_MARK:
        return None
    settings["remove_extra_whitespaces"] |= words
    return {**settings, "add_dummy_prefix": last[0]["prepend_scheme"] != "never"}


def _surface(spec: Spec, prefix: bool) -> str | None:
    """What the unknown piece prints by the decoder's steps; None where these are of no known form."""
    steps = list(spec.decoder or ())
    unknown = spec.pieces.piece(spec.unk_id) if spec.unk_id >= 0 else ""
    named = [step for step in steps if step["type"] == "replace" and step["pattern"] == unknown]
    rest = [step for step in steps if step not in named]
    metaspace = {"type": "metaspace", "replacement": SPACE_MARK, "prepended": prefix}
    bytes_too = [{"type": "byte-fallback"}] if spec.byte_fallback else []
    plain = [_UNESCAPE, *bytes_too, {"type": "fuse"}, *([_STRIP] if prefix else [])]
    if rest not in (plain, [metaspace]) or len(named) > 1:
        return None
    return named[0]["content"] if named else unknown
