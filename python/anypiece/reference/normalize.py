"""Normalize: the text as the segmenter sees it, and for each of its bytes where it came from.

1. at every place: a user-defined piece is left as it is; else the longest key of the character map is replaced; else
   one character is copied; else one bad byte becomes U+FFFD (which does not go through the map again)
2. spaces: leading, doubled and trailing ones go (if the Spec says so); each of the others becomes "▁" (likewise)
3. one "▁" is put in front, or behind, so that a word at the edge looks like a word in the middle
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..spec import SPACE_MARK
from . import utf8
from .charsmap import CharsMap
from .prefix import Prefixes

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["Normalized", "Normalizer"]


@dataclass(frozen=True)
class Normalized:
    """Normalized text in UTF-8. Byte ``i`` came from ``offsets[i]`` of the original; one more offset stands for its end.

    Where the text was made by steps, what a byte came from ends at ``ends[i]``, which need not be where the next one begins.
    """

    text: bytes
    offsets: list[int]
    ends: list[int] = field(default_factory=list)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the original a stretch came from."""
        return self.offsets[start], self.ends[end - 1] if self.ends and end > start else self.offsets[end]


@dataclass
class _Draft:
    text: bytearray = field(default_factory=bytearray)
    offsets: list[int] = field(default_factory=list)


class Normalizer:
    """The normalizer of a Spec."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.charsmap = CharsMap(spec.charsmap) if spec.charsmap else None
        self.shielded = Prefixes(spec)
        self.mark = SPACE_MARK.encode() if spec.escape_whitespaces else b" "

    def normalize(self, text: bytes) -> Normalized:
        """The whole stage. Nothing is put in front of, or behind, text that is empty once its leading spaces are gone."""
        if self.spec.spaces == "words":
            return self._words(text)
        start = self._skip_leading_spaces(text)
        if start == len(text):
            return Normalized(b"", [0])
        out = _Draft()
        if self.spec.add_dummy_prefix and not self.spec.whitespace_as_suffix:
            self._append(out, b" ", start)
        self._copy(out, text, start)
        end = self._trim(out, len(text))
        if self.spec.add_dummy_prefix and self.spec.whitespace_as_suffix:
            self._append(out, b" ", end)
        return Normalized(bytes(out.text), [*out.offsets, end])

    def _words(self, text: bytes) -> Normalized:
        """Marks in front of words: of each if spaces are dropped, else of the first.

        The origin of a mark is the first of the spaces that it replaces, or its word.
        """
        out, squeeze = _Draft(), self.spec.remove_extra_whitespaces
        prefix = self.spec.add_dummy_prefix and not self.spec.whitespace_as_suffix
        inside, gap, start = False, -1, 0
        while start < len(text):
            chunk, length = self.chunk(text, start)
            for byte in (chunk[at : at + 1] for at in range(len(chunk))):
                if byte != b" ":
                    if not inside and (squeeze or prefix):
                        self._append(out, b" ", start if gap < 0 else gap)
                        prefix = False
                    inside, gap = True, -1
                    self._append(out, byte, start)
                    continue
                inside = False
                if not squeeze:
                    self._append(out, b" ", start)
                elif gap < 0:
                    gap = start
            start += length
        if self.spec.add_dummy_prefix and self.spec.whitespace_as_suffix:
            self._append(out, b" ", len(text))
        return Normalized(bytes(out.text), [*out.offsets, len(text)])

    def _skip_leading_spaces(self, text: bytes) -> int:
        """Where the text begins once what normalizes to exactly one space is gone from its front."""
        start = 0
        while self.spec.remove_extra_whitespaces and start < len(text):
            chunk, length = self.chunk(text, start)
            if chunk != b" ":
                break
            start += length
        return start

    def _copy(self, out: _Draft, text: bytes, start: int) -> None:
        """Normalize chunk by chunk. After a space, the spaces at the front of the next chunk are dropped.

        A chunk that is empty (a character that the map deletes) changes nothing: a space before it still counts.
        """
        after_space = self.spec.remove_extra_whitespaces
        while start < len(text):
            chunk, length = self.chunk(text, start)
            if after_space:
                chunk = chunk.lstrip(b" ")
            if chunk:
                self._append(out, chunk, start)
                after_space = self.spec.remove_extra_whitespaces and chunk.endswith(b" ")
            start += length

    def _append(self, out: _Draft, chunk: bytes, source: int) -> None:
        """Every byte of a chunk came from where the chunk's source began."""
        chunk = chunk.replace(b" ", self.mark)
        out.text += chunk
        out.offsets += [source] * len(chunk)

    def _trim(self, out: _Draft, end: int) -> int:
        """Take space marks off the end; the text then ends where the first of them came from.

        It asks for the mark, not for a space of the original: a "▁" that the text itself ends with goes as well, and so
        does the one put in front when nothing else is left.
        """
        while self.spec.remove_extra_whitespaces and out.text.endswith(self.mark):
            keep = len(out.text) - len(self.mark)
            end = out.offsets[keep]
            del out.text[keep:], out.offsets[keep:]
        return end

    def chunk(self, text: bytes, start: int) -> tuple[bytes, int]:
        """What the text at ``start`` begins with, normalized, and how many bytes of the text that was."""
        length = self.shielded.longest(text, start)
        if length:
            return text[start : start + length], length
        found = self.charsmap.longest(text, start) if self.charsmap else None
        if found:
            return found[1], found[0]
        length = utf8.valid_length(text, start)
        if length:
            return text[start : start + length], length
        return utf8.REPLACEMENT, 1
