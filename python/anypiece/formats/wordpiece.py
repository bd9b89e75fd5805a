"""vocab.txt, the WordPiece vocabularies of BERT: bytes to (Spec, Origin) and back.

One line for each piece; the id is the number of the line. How BERT cleans and cuts text is not in the file, but the same for
all of them, except for one thing: whether text is put into lower case. That is known where pieces have capital letters,
which lower case would never reach, and of the file of bert-base-uncased; for others the call must say it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..errors import FormatError
from ..metadata import Metadata
from ..spec import Added, AddedFlag, Kind, Pieces, Spec
from .settings import UNCHANGED

__all__ = ["OPTIONS", "Origin", "looks_like", "read", "reading_options", "write"]

OPTIONS = ("lowercase", "strip_accents")
"""What ``read`` can be told."""

UNKNOWN = "[UNK]"
_SPECIALS = (UNKNOWN, "[CLS]", "[SEP]", "[PAD]", "[MASK]")
_NAMES = frozenset(name.encode() for name in _SPECIALS)
_ROLES = {"bos_id": "[CLS]", "eos_id": "[SEP]", "pad_id": "[PAD]"}
_BRACKETED = re.compile(r"\[.*\]|<.*>")
_RARE = 100
"""If fewer than one piece in this many has a capital letter, they may be an accident."""
_UNCASED = {"07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"}
"""Files without capital letters that are known to be for text in lower case: bert-base-uncased."""

_SETTINGS: dict[str, Any] = {
    "segmenter": "wordpiece",
    "symbols": "characters",
    "splitter": None,
    "split_rules": ({"type": "bert"},),
    "word_prefix": "",
    "continuing_prefix": "##",
    "max_word_chars": 100,
    "decoder": ({"type": "wordpiece", "prefix": "##", "cleanup": True},),
    **UNCHANGED,
    "unk_surface": UNKNOWN,
}
"""What every such file means."""


@dataclass(frozen=True)
class Origin:
    """What a vocab.txt shows beyond its Spec."""

    crlf: bool = False
    """Whether lines end in CR LF."""
    ends: bool = True
    """Whether the last line has an end."""
    metadata: Metadata = field(default_factory=Metadata)
    """The chat templates of its folder."""


def looks_like(data: bytes) -> bool:
    r"""Whether ``data`` begins as a vocab.txt does: lines without blanks, among them ``[UNK]`` or another special token of
    BERT's, and a second one, or a piece with ``##`` in front.

    >>> looks_like(b"[UNK]\na\n##b\n"), looks_like(b"[PAD]\n[UNK]\na\n"), looks_like(b"[UNK] and\n##text\n")
    (True, True, False)
    """
    head = data[: 1 << 20]
    lines = head.replace(b"\r\n", b"\n").split(b"\n")
    names = _NAMES.intersection(lines)
    if not names or (len(names) < 2 and not any(line.startswith(b"##") for line in lines)):
        return False
    return not any(blank in head for blank in (b"\0", b" ", b"\t"))


def read(data: bytes, *, lowercase: bool | None = None, strip_accents: bool | None = None) -> tuple[Spec, Origin]:
    """The Spec of a vocab.txt, and what must be kept to write the same file again.

    ``lowercase`` says whether text is put into lower case, ``strip_accents`` whether it loses its accents; left out, it does
    so with lower case. Raises ``FormatError``.
    """
    names, origin = _lines(data)
    kinds = dict.fromkeys(_SPECIALS, Kind.CONTROL) | {UNKNOWN: Kind.UNKNOWN}
    if lowercase is None:
        lowercase = _is_uncased(data, names)
    step = {
        "type": "bert",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": strip_accents,
        "lowercase": lowercase,
    }
    ids = {name: id for id, name in enumerate(names)}
    added = Added.of([(name, ids[name], AddedFlag.SPECIAL) for name in _SPECIALS if name in ids])
    roles: dict[str, Any] = {role: ids.get(name) for role, name in _ROLES.items()}
    pieces = Pieces.of((name, 0.0, kinds.get(name, Kind.NORMAL)) for name in names)
    return Spec(pieces, added=added, normalizer=(step,), **_SETTINGS, **roles, **_template(ids)), origin


def _template(ids: dict[str, int]) -> dict[str, Any]:
    """What stands around one text and around two, where the file has the marks for it."""
    first, last = ids.get("[CLS]"), ids.get("[SEP]")
    if first is None or last is None:
        return {}
    single = ((first, 0), ("A", 0), (last, 0))
    return {"single": single, "pair": (*single, ("B", 1), (last, 1))}


def _lines(data: bytes) -> tuple[list[str], Origin]:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        _raise(data.count(b"\n", 0, error.start) + 1, "is not UTF-8")
    crlf = "\r\n" in text and text.count("\r\n") == text.count("\n")
    names = text.split("\r\n" if crlf else "\n")
    ends = not names[-1]
    if ends:
        names.pop()
    seen: set[str] = set()
    for number, name in enumerate(names, 1):
        if not name or name in seen:
            _raise(number, "is empty" if not name else "is that of an earlier line")
        seen.add(name)
    if UNKNOWN not in seen:
        message = (
            "the file has no line [UNK], which stands for words that are not known; add it, or copy the file again"
        )
        raise FormatError("file-corrupt", message, line=len(names))
    return names, Origin(crlf, ends)


def _raise(line: int, what: str) -> NoReturn:
    message = f"line {line} {what}; copy the file again, or correct the line"
    raise FormatError("file-corrupt", message, line=line)


def _is_uncased(data: bytes, names: list[str]) -> bool:
    """Whether text must be put into lower case, if the file shows it."""
    capital = sum(name != name.lower() and not _BRACKETED.fullmatch(name) for name in names)
    if capital * _RARE >= len(names):
        return False
    if hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest() in _UNCASED:
        return True
    message = (
        f"{capital} of the {len(names)} pieces of this vocab.txt have a capital letter: too few to tell that text keeps its "
        "case, and having none would not tell that it is put into lower case. "
        "Pass lowercase=True or lowercase=False; do_lower_case in the tokenizer_config.json of the model says which"
    )
    raise FormatError("definition-unknown", message, option="lowercase")


def write(spec: Spec, origin: Origin | None = None) -> bytes:
    """The vocab.txt of ``spec``; with the ``origin`` of the file it came from, with its line ends.

    Case and accents are not written: the file has no place for them. Raises ``FormatError`` (``format-unwritable``) for a
    Spec that is not such a vocabulary.
    """
    origin = origin or Origin()
    names = [spec.pieces.piece(id) for id in range(len(spec.pieces))]
    _refuse_unwritable(spec, names)
    end = "\r\n" if origin.crlf else "\n"
    return (end.join(names) + end * origin.ends).encode()


def _refuse_unwritable(spec: Spec, names: list[str]) -> None:
    if UNKNOWN not in names or any("\n" in name or "\r" in name for name in names):
        _raise_unwritable("a vocabulary without [UNK], or with a line end in a piece")
    wanted, _ = read("\n".join(names).encode(), **reading_options(spec))
    if wanted != spec.replace(samples=()):
        found = spec.config()
        named = [name for name, value in wanted.config().items() if found[name] != value]
        _raise_unwritable(f"{', '.join(named) or 'kinds of pieces, added tokens or maps'} other than BERT's")


def _raise_unwritable(what: str) -> NoReturn:
    message = f"a vocab.txt has no place for {what}; write .anypiece instead"
    raise FormatError("format-unwritable", message, format="wordpiece")


def reading_options(spec: Spec) -> dict[str, Any]:
    """What ``read`` has to be told of ``spec``, which the file does not say."""
    step: dict[str, Any] = spec.normalizer[0] if len(spec.normalizer) == 1 else {}
    return {"lowercase": bool(step.get("lowercase")), "strip_accents": step.get("strip_accents")}
