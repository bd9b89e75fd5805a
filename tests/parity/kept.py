"""Answers that were once found equal to a library's, as one hash for each file, release and text set.

Asking a slow library takes most of the full tier's time. Where a whole set of texts was compared and all was equal, the hash
of our answers is that of the library's; while ours have that hash, they are equal without asking again. Any other hash, and
the library is asked.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal

import numpy as np

from tests.support.data import CACHE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import anypiece as ap
    from tests.support.texts import TextSet

__all__ = ["Errors", "difference", "digest_of_answers"]

Errors = Literal["replace", "ignore"]

FORM = 1
"""Part of the cache's path; raise it when more is compared with a library, or other things are hashed."""


def digest_of_answers(tok: ap.Tokenizer, texts: Sequence[bytes], errors: Errors) -> str:
    """Of all that is compared: ids, places, counts and decoded texts, one by one and as a batch, with special tokens as text
    and as themselves.
    """
    digest = hashlib.sha256()
    strings = [text.decode() for text in texts]
    for specials in ("text", "parse"):
        for string in strings:
            ids = tok.encode(string, specials=specials)
            places = [(token.id, token.start, token.end) for token in tok.encode_spans(string, specials=specials)]
            digest.update(np.array([len(ids), tok.count(string, specials=specials), *ids], np.int64).tobytes())
            digest.update(np.array(places, np.int64).tobytes())
            for skip in (False, True):
                decoded = tok.decode(ids, errors=errors, skip_special=skip).encode("utf-8", "surrogatepass")
                digest.update(len(decoded).to_bytes(8, "little") + decoded)
        digest.update(tok.encode_batch(strings, specials=specials).ids.tobytes())
    return digest.hexdigest()


def difference(
    place: tuple[str, Path, TextSet],
    answers: Callable[[], str],
    compare: Callable[[], str | None],
) -> str | None:
    """What ``compare`` finds between us and a library; it is not called where our ``answers`` have the hash that they had
    when it last found nothing. The ``place`` is a release, a file and a text set.
    """
    release, path, texts = place
    file = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    folder = CACHE / "parity" / f"kept-{FORM}" / release.replace(" ", "-") / f"{path.name}-{file}"
    mark = folder / f"{texts.name}-{texts.digest}"
    ours = answers()
    if mark.exists() and mark.read_text(encoding="ascii") == ours:
        return None
    found = compare()
    if found is None:
        folder.mkdir(parents=True, exist_ok=True)
        mark.write_text(ours, encoding="ascii")
    return found
