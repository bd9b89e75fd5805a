"""One tokenizer file against one release of sentencepiece, text set by text set.

The reference's answers are kept as one short hash per group of texts in ``.cache/parity``, so a second run only runs our
side. Where a hash differs, the reference is asked again, the first differing text is found, shortened while it still
differs, and shown with both answers. Caches are keyed by content: file, texts, release.
"""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.parity.report import Difference, difference_of
from tests.support.data import CACHE
from tests.support.ours import Ours, PathsDiffer, Side
from tests.support.peer import Peer
from tests.support.records import Digests, digest_of, group_texts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.support.texts import TextSet

__all__ = ["Outcome", "Parity", "Peers"]

FORM = 1
"""Part of the cache's path; raise it when what is hashed changes."""


@dataclass(frozen=True)
class Outcome:
    """What the comparison of one text set gave."""

    texts: int
    size: int
    ids_only: int
    refused: int
    difference: Difference | None


class Peers:
    """One process per release, started when first needed, ended together."""

    def __init__(self) -> None:
        self._running: dict[str, Peer] = {}
        self._opened: dict[str, str] = {}

    def get(self, version: str, content: bytes | None = None) -> Peer:
        """The peer of a release, with ``content`` open where it is given."""
        peer = self._running.get(version)
        if peer is None:
            peer = self._running[version] = Peer(version)
        if content is None:
            return peer
        key = hashlib.sha256(content).hexdigest()
        if self._opened.get(version) != key:
            peer.open(content)
            self._opened[version] = key
        return peer

    def close(self) -> None:
        """End all processes."""
        for peer in self._running.values():
            peer.close()
        self._running.clear()
        self._opened.clear()


class Parity:
    """A tokenizer file opened by us (the kernel, unless another side is given), and by sentencepiece when it is needed."""

    def __init__(self, path: Path, version: str, peers: Peers, ours: Side | None = None) -> None:
        self.path, self.version, self._peers = path, version, peers
        self.content = path.read_bytes()
        self.ours = ours or Ours(path, version)
        self._last: tuple[TextSet, list[Digests | None]] | None = None

    def check(self, texts: TextSet, again: bool = False) -> Outcome:
        """Compare everything about every text of the set. ``again``: the reference is asked whatever is kept."""
        groups = list(group_texts(texts.texts))
        with ThreadPoolExecutor(1) as thread:
            theirs = thread.submit(self._reference, texts, groups, again)
            own = self._own(texts)
            answers = theirs.result()
        difference = None
        for index, answer in enumerate(answers):
            if not self._equal(own[index], answer, groups[index]):
                difference = difference_of(self.ours, self._peer(), groups[index], texts.name)
                break
        ids_only, refused = (sum(len(part) for part in parts) for parts in _left_out(answers))
        return Outcome(len(texts.texts), sum(map(len, texts.texts)), ids_only, refused, difference)

    def answers(self, texts: TextSet) -> str | None:
        """The hash of our own answers; None where two of our own paths contradict each other."""
        own = [digests and digests.hashes for digests in self._own(texts)]
        return None if None in own else digest_of([json.dumps(own).encode()])

    def _own(self, texts: TextSet) -> list[Digests | None]:
        """Our hashes of each group; those of the last texts are kept."""
        if self._last is None or self._last[0] is not texts:
            self._last = (texts, [self._own_group(group, None) for group in group_texts(texts.texts)])
        return self._last[1]

    def _own_group(self, group: list[bytes], like: Digests | None) -> Digests | None:
        """Our hashes, or None where two of our own paths already contradict each other."""
        try:
            return self.ours.columns(group, like).digests()
        except PathsDiffer:
            return None

    def _equal(self, own: Digests | None, answer: Digests, group: list[bytes]) -> bool:
        if answer.ids_only or answer.refused:
            own = self._own_group(group, answer)
        return own is not None and own.hashes == answer.hashes

    def _peer(self) -> Peer:
        return self._peers.get(self.version, self.content)

    def _cache(self, texts: TextSet) -> Path:
        file = hashlib.sha256(self.content).hexdigest()[:16]
        folder = CACHE / "parity" / f"reference-{FORM}" / self.version / f"{self.path.name}-{file}"
        return folder / f"{texts.name}-{texts.digest}.json"

    def _reference(self, texts: TextSet, groups: Sequence[list[bytes]], again: bool) -> list[Digests]:
        cache = self._cache(texts)
        if cache.exists() and not again:
            return [Digests(**row) for row in json.loads(cache.read_text(encoding="utf-8"))]
        peer = self._peer()
        answers = [peer.digests(group) for group in groups]
        cache.parent.mkdir(parents=True, exist_ok=True)
        fresh = cache.with_suffix(".partial")
        fresh.write_text(json.dumps([answer.to_json() for answer in answers]), encoding="utf-8")
        fresh.replace(cache)
        return answers


def _left_out(answers: Sequence[Digests]) -> tuple[list[list[int]], list[list[int]]]:
    return [answer.ids_only for answer in answers], [answer.refused for answer in answers]
