"""JSON documents with one value of another type or size than its format says, and the use of what loads all the same."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import anypiece as ap
from anypiece.io.write import written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["ODD", "odd_documents", "used"]

ODD: tuple[str, ...] = (
    *("null", "5", "-1", "1e400", "99999999999999999999", '""', '"x"', '"\\ud800"', '"a\\nb 7"', "[1]"),
    *("{}", '{"\\udc00": 1}'),
)
"""Values as JSON; some are none."""
_LONG = ("[" * 100_000, "1" * 5000, "NaN")
"""What is no JSON wherever it stands."""

_HOLE = "\x00here\x00"


def odd_documents(document: Any, under: tuple[Any, ...] = ()) -> Iterator[tuple[str, str]]:
    """What was changed, and the text of the document: each value under a place by each odd one, under odd keys, and there
    twice."""
    hole = json.dumps(_HOLE)
    inner = document
    for key in under:
        inner = inner[key]
    for at in _places(inner, under):
        name = "/".join(map(str, at))
        text = json.dumps(_changed(document, at, _HOLE))
        for value in ODD if at != under else ODD + _LONG:
            yield f"{name} = {value[:40]}", text.replace(hole, value)
        if at and isinstance(at[-1], str):
            text = json.dumps(_changed(document, at, None, _HOLE))
            for value in ('"\\ud800"', '""', '"x"', '"a\\nb"'):
                yield f"{name} is called {value}", text.replace(hole, value)
            again = json.dumps(_changed(document, at, None))
            member = f"{json.dumps(at[-1])}: null"
            yield f"{name} is there twice", again.replace(member, f"{member}, {member}", 1)


def _places(value: Any, at: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The paths of a document; of a long table only the first and the last row."""
    yield at
    if isinstance(value, (dict, list)):
        items: list[Any] = list(value.items() if isinstance(value, dict) else enumerate(value))
        for key, item in items if len(items) < 20 else (items[0], items[-1]):
            yield from _places(item, (*at, key))


def _changed(document: Any, at: tuple[Any, ...], value: Any, key: str | None = None) -> Any:
    """The document with another value at a place, or with its own under another key."""
    if not at:
        return value
    if len(at) == 1 and key is not None:
        return {key if name == at[0] else name: item for name, item in document.items()}
    made = copy.copy(document)
    made[at[0]] = _changed(document[at[0]], at[1:], value, key)
    return made


def used(path: Path, out: Path, *, wholly: bool = False, **options: Any) -> set[str]:
    """Load a file or folder and use it, ``wholly`` also in ways that take long; the codes of what was refused. Anything else
    that is raised goes on."""
    codes = set()
    try:
        tok = ap.load(path, **options)
    except ap.AnyPieceError as error:
        return {error.code}
    ids = range(min(tok.vocab_size, 20))
    calls: list[Callable[[], Any]] = [
        lambda: tok.encode("a b<s>\u00e9", add_special=True, specials="parse"),
        lambda: tok.decode(ids),
        lambda: [tok.id_to_piece(id) for id in ids],
        lambda: tok.spec.config(),
        lambda: tok.render_chat([{"role": "user", "content": "hi"}]),
        lambda: written(tok, "anypiece"),
    ]
    slow: list[Callable[[], Any]] = [
        lambda: tok.explain("a b"),
        lambda: tok.save(out / "saved", format="huggingface"),
        lambda: tok.save(out / "saved", format="sentencepiece"),
    ]
    for call in calls + (slow if wholly else []):
        try:
            call()
        except ap.AnyPieceError as error:
            codes.add(error.code)
        except ap.SpecialsWarning:
            codes.add("second-special")
    return codes
