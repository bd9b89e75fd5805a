"""Drawn documents against tokenizers: what differs, made as small as it can be, and named by the components it takes.

``python -m tests.parity.drawn_compare --seconds 600 --seed 1`` goes on until the time is up and prints each kind of
difference once. Exit code 1 if there is any.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections import Counter
from contextlib import contextmanager
from copy import deepcopy
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from tokenizers import Tokenizer as Original

import anypiece as ap
from anypiece.formats import huggingface
from tests.parity.drawn import drawn_document, drawn_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "REFUSALS",
    "Block",
    "Finding",
    "Result",
    "compared",
    "first_difference",
    "main",
    "quiet",
    "shrunk",
    "signature",
]

Section = dict[str, Any]

SECOND = "ab é"
"""What stands behind each text where pairs are compared."""

REFUSALS = {
    "json-unsupported": "field",
    "spec-pattern": "pattern",
    "spec-piece-duplicate": "first",
    "spec-merges": "",
    "spec-decoder": "",
}
"""Codes of refusals of what the library loads, and the fact that names the part of the file, if not the code alone."""


class Finding(NamedTuple):
    """A difference: of which answer, on which text, and both answers."""

    what: str
    text: str
    ours: Any
    theirs: Any


class Result(NamedTuple):
    """What became of a document: refused with a message, or compared on this number of texts."""

    refusal: str | None
    texts: int
    finding: Finding | None


def _answer(ask: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What the library gives; ``None`` where it panics or fails."""
    try:
        return ask(*args, **options)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


def compared(document: Section, texts: list[str]) -> Result:
    """A document by us and by the library. Errors of ours that are no refusal are findings."""
    content = json.dumps(document)
    other = _answer(Original.from_str, content)
    if other is None:
        return Result("the library does not load it", 0, None)
    try:
        tok = ap.Tokenizer(huggingface.read(content.encode())[0])
    except ap.AnyPieceError as error:
        return Result(f"{error.code}: {error}", 0, _unnamed(error))
    except Exception as error:
        return Result(None, 0, Finding("reading", "", f"{type(error).__name__}: {error}", "it loads"))
    count = 0
    for specials in ("text", "parse"):
        other.encode_special_tokens = specials == "text"
        for text in texts:
            found = _answer(other.encode, text, add_special_tokens=False)
            if found is None:
                continue
            count += 1
            difference = _difference(tok, other, text, specials, found, document)
            difference = difference or _own_difference(tok, text, specials)
            if difference is not None and not _by_chance(content, text, specials):
                return Result(None, count, difference)
    return Result(None, count, _decoded_difference(tok, other) or _written_difference(tok, other, content, texts))


def _unnamed(error: ap.AnyPieceError) -> Finding | None:
    """Whether a refusal does not say which part of the file is not reproduced."""
    if error.code in REFUSALS and REFUSALS[error.code] in {"", *error.facts}:
        return None
    return Finding(f"a refusal without a name: {error.code}", "", str(error), "it loads")


def _by_chance(content: str, text: str, specials: str) -> bool:
    """Whether the library does not agree with itself: of added tokens that are normalized to one text it takes any."""
    answers = set()
    for _ in range(12):
        other = Original.from_str(content)
        other.encode_special_tokens = specials == "text"
        found = _answer(other.encode, text, SECOND, add_special_tokens=False)
        answers.add(() if found is None else tuple(found.ids))
    return len(answers) > 1


def _decoded_difference(tok: ap.Tokenizer, other: Original) -> Finding | None:
    """Of ids in any order, which no text need become."""
    rng = Random(len(tok))
    for _ in range(12):
        ids = [
            rng.randrange(max(0, len(tok) - 20) if rng.random() < 0.3 else 0, len(tok))
            for _ in range(rng.randint(1, 6))
        ]
        for skip in (False, True):
            theirs = _answer(other.decode, ids, skip_special_tokens=skip)
            ours = _tried(lambda skip=skip, ids=ids: tok.decode(ids, skip_special=skip))  # type: ignore[misc]
            if theirs is not None and ours != theirs:
                shown = [other.id_to_token(id) for id in ids]
                return Finding(f"text of any ids, {skip=}", f"{ids} {shown}", ours, theirs)
    return None


def _own_difference(tok: ap.Tokenizer, text: str, specials: str) -> Finding | None:
    """Between our own entry points."""
    ids = tok.encode(text, specials=specials)
    stream = tok.stream_encoder(specials=specials)
    asked: dict[str, Callable[[], Any]] = {
        "array": lambda: tok.encode_array(text, specials=specials).tolist(),
        "batch": lambda: tok.encode_batch([text, text], specials=specials).tolist()[1],
        "spans": lambda: [token.id for token in tok.encode_spans(text, specials=specials)],
        "stream": lambda: [id for part in text for id in stream.push(part)] + stream.flush(),
    }
    for what, ask in asked.items():
        found = _tried(ask)
        if found != ids:
            return Finding(f"{what} of our own ({specials})", text, found, ids)
    count = _tried(lambda: tok.count(text, specials=specials))
    return None if count == len(ids) else Finding(f"count of our own ({specials})", text, count, len(ids))


def _written_difference(tok: ap.Tokenizer, other: Original, content: str, texts: list[str]) -> Finding | None:
    """Between a file and what is written of it, both by the library."""
    try:
        again = _answer(Original.from_str, huggingface.write(tok.spec, None).decode())
    except ap.AnyPieceError:
        return None
    other.encode_special_tokens = False
    for text in texts[:4]:
        wanted, found = (_answer(one.encode, text) for one in (other, again))
        is_other = wanted is not None and (found is None or found.ids != wanted.ids)
        if is_other and not _by_chance(content, text, "parse"):
            return Finding("ids of what is written", text, found and found.ids, wanted.ids)
    return None


def _tried(ask: Callable[[], Any]) -> Any:
    """An answer of ours, or the error, whatever it is: then that is what was found."""
    try:
        return ask()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _difference(
    tok: ap.Tokenizer, other: Original, text: str, specials: str, found: Any, document: Section
) -> Finding | None:
    marked = _answer(other.encode, text)
    asked: dict[str, tuple[Callable[[], Any], Any]] = {
        "ids": (lambda: tok.encode(text, specials=specials), found.ids),
        "spans": (lambda: _spans(tok, text, specials, False), found.offsets),
        "ids with specials": (
            lambda: tok.encode(text, specials=specials, add_special=True),
            None if marked is None else marked.ids,
        ),
        "spans with specials": (lambda: _spans(tok, text, specials, True), None if marked is None else marked.offsets),
    }
    pair = _answer(other.encode, text, SECOND)
    if pair is not None:
        asked["ids of a pair"] = (lambda: tok.encode_pair(text, SECOND, specials=specials).ids, pair.ids)
        asked["types of a pair"] = (lambda: tok.encode_pair(text, SECOND, specials=specials).type_ids, pair.type_ids)
    for skip in (False, True):
        decoded = _answer(other.decode, found.ids, skip_special_tokens=skip)
        asked[f"text, {skip=}"] = (lambda skip=skip: tok.decode(found.ids, skip_special=skip), decoded)  # type: ignore[misc]
    for what, (ask, theirs) in asked.items():
        if theirs is None:
            continue
        ours = _tried(ask)
        seen, ids = (f"{text}{SECOND}", pair.ids) if "pair" in what else (text, found.ids)
        if ours != theirs and not _looks_special(document, seen, ids):
            return Finding(f"{what} ({specials})", text, ours, theirs)
    return None


def _spans(tok: ap.Tokenizer, text: str, specials: str, add_special: bool) -> list[tuple[int, int]]:
    return [(token.start, token.end) for token in tok.encode_spans(text, specials=specials, add_special=add_special)]


def _looks_special(document: Section, text: str, ids: list[int]) -> bool:
    """Whether a special token is a piece of the vocabulary, and the model can have made it of this text."""
    vocab = document["model"]["vocab"]
    names = {row[0] for row in vocab} if isinstance(vocab, list) else set(vocab)
    rows = [row for row in document["added_tokens"] if row["special"] and row["content"] in names]
    return any(row["content"] in text or row["id"] in ids for row in rows)


def shrunk(document: Section, finding: Finding, seconds: float = 5.0) -> tuple[Section, Finding]:
    """A smaller document and text with a difference of the same answer."""
    end = time.monotonic() + seconds
    for ways in (_smaller, _fewer_pieces):
        for text in _shorter(finding.text):
            result = _result(document, text) if len(text) < len(finding.text) and time.monotonic() < end else None
            if result and result.what == finding.what:
                finding = result
        found = True
        while found and time.monotonic() < end:
            found = False
            for smaller in ways(document):
                result = _result(smaller, finding.text)
                if result and result.what == finding.what:
                    document, finding, found = smaller, result, True
                    break
    return document, finding


def _result(document: Section, text: str) -> Finding | None:
    try:
        return compared(document, [text]).finding
    except Exception:
        return None


def _shorter(text: str) -> Iterator[str]:
    for size in range(len(text) - 1, 0, -1):
        for start in range(size + 1):
            yield text[:start] + text[start + len(text) - size :]


def _smaller(document: Section) -> Iterator[Section]:
    """Documents with one thing less."""
    for name in ("post_processor", "decoder", "pre_tokenizer", "normalizer"):
        if document[name] is not None:
            yield {**document, name: None}
            inner = next(
                (key for key, value in document[name].items() if key in _ROWS and isinstance(value, list)), None
            )
            if inner:
                for item in document[name][inner]:
                    yield {**document, name: item}
                for place in range(len(document[name][inner])):
                    rest = document[name][inner][:place] + document[name][inner][place + 1 :]
                    yield {**document, name: {**document[name], inner: rest}}
    for place in range(len(document["added_tokens"])):
        yield {**document, "added_tokens": document["added_tokens"][:place] + document["added_tokens"][place + 1 :]}
        for flag in ("special", "lstrip", "rstrip", "single_word", "normalized"):
            if document["added_tokens"][place][flag]:
                rows = deepcopy(document["added_tokens"])
                rows[place][flag] = False
                yield {**document, "added_tokens": rows}
    model = document["model"]
    for name, plain in _PLAIN.items():
        if model.get(name):
            yield {**document, "model": {**model, name: plain}}


def _fewer_pieces(document: Section) -> Iterator[Section]:
    """Documents with fewer merges or pieces."""
    model = document["model"]
    for name in ("merges", "vocab"):
        rows = list(model[name].items() if isinstance(model.get(name), dict) else model.get(name, ()))
        for size in (len(rows) // 2, len(rows) // 8, 1):
            for start in range(0, len(rows) if size else 0, max(size, 1)):
                rest = rows[:start] + rows[start + size :]
                yield {**document, "model": {**model, name: dict(rest) if isinstance(model[name], dict) else rest}}


_ROWS = ("normalizers", "pretokenizers", "decoders", "processors")
_PLAIN = {"fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "continuing_subword_prefix": None,
          "end_of_word_suffix": None}  # fmt: skip


def signature(document: Section, finding: Finding) -> str:
    """The answer that differs, and the components of a small document."""
    parts = [document["model"]["type"]]
    parts += [name for name in _PLAIN if document["model"].get(name)]
    for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        shown = json.dumps(document[name])
        parts += [f"{name}:{kind}" for kind in _kinds(document[name])] if shown != "null" else []
    flags = {flag for row in document["added_tokens"] for flag, value in row.items() if value is True}
    parts += [f"added:{'+'.join(sorted(flags))}"] if document["added_tokens"] else []
    return f"{finding.what} | {' '.join(parts)}"


def _kinds(section: Any) -> list[str]:
    if not isinstance(section, dict):
        return []
    inner = [kind for key in _ROWS for item in section.get(key, []) for kind in _kinds(item)]
    return inner or [section.get("type", "?")]


class Block(NamedTuple):
    """What came of some documents: how many were refused, and the first difference, made small."""

    refused: int
    difference: str | None


def first_difference(seeds: Iterable[int]) -> Block:
    """Of the documents of some seeds."""
    refused = 0
    for seed in seeds:
        document = drawn_document(seed)
        result = compared(document, drawn_texts(seed, document))
        refused += result.refusal is not None
        if result.finding is not None:
            small, finding = shrunk(document, result.finding)
            return Block(refused, f"seed {seed}: {signature(small, finding)}: {finding}\n{json.dumps(small)}")
    return Block(refused, None)


@contextmanager
def quiet() -> Iterator[None]:
    """The library prints its panics: here nothing does, and a second bos is no news."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ap.SpecialsWarning)
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def main(argv: list[str] | None = None) -> int:
    """Compare until the time is up, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.parity.drawn_compare", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0, help="where the seeds of documents begin")
    parser.add_argument("--count", type=int, default=1 << 30, help="how many documents at most")
    options = parser.parse_args(argv)
    with quiet():
        return _compare_all(options.seed, options.count, options.seconds)


def _compare_all(first: int, most: int, seconds: float) -> int:
    counts: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    seen: dict[str, int] = {}
    end = time.monotonic() + seconds
    for seed in range(first, first + most):
        if time.monotonic() > end:
            break
        document = drawn_document(seed)
        result = compared(document, drawn_texts(seed, document))
        counts["documents"] += 1
        counts["texts"] += result.texts
        if result.refusal:
            refusals[result.refusal[:70]] += 1
        if result.finding:
            counts["different"] += 1
            small, finding = shrunk(document, result.finding)
            name = signature(small, finding)
            seen[name] = seen.get(name, 0) + 1
            if seen[name] == 1:
                _print(seed, name, small, finding)
        elif not result.refusal:
            counts["equal"] += 1
    print(dict(counts))
    for message, times in refusals.most_common():
        print(f"{times:6} refused: {message}")
    for name, times in sorted(seen.items(), key=lambda row: -row[1]):
        print(f"{times:6} {name}")
    return 1 if seen else 0


def _print(seed: int, name: str, small: Section, finding: Finding) -> None:
    vocab = small["model"]["vocab"]
    shown = {**small, "model": {**small["model"], "vocab": f"{len(vocab)} pieces"}}
    print(f"{seed}: {name}\n  {finding.text!r}\n  ours   {finding.ours!r:.300}\n  theirs {finding.theirs!r:.300}")
    print(
        f"  {json.dumps({key: value for key, value in shown.items() if value}, ensure_ascii=False):.900}\n", flush=True
    )


if __name__ == "__main__":
    sys.exit(main())
