"""The record of answers: a library is asked again wherever anything changed, and for some lines whatever holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import anypiece as ap
from tests.parity import answers, kept
from tests.parity.full import Compared, Run, _begin
from tests.parity.kept import Kept, Line, Place
from tests.support.texts import TextSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

TEXTS = ["Grüße, 世界 <s>".encode(), b" two  spaces", b"", b"<|endoftext|>a</s>", "e\u0301 \U0001f600".encode()]


class Changed:
    """A tokenizer of which one method gives another answer."""

    def __init__(self, tok: ap.Tokenizer, name: str) -> None:
        self.tok, self.name = tok, name

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self.tok, name)
        what, _, column = self.name.partition(" ")
        if name != what:
            return method
        if name == "count_batch":
            return lambda *args, **options: method(*args, **options) + 1
        if name == "decode_batch":
            return lambda *args, **options: [text + "!" for text in method(*args, **options)]
        if name == "encode_pair":
            return lambda first, second, **options: method(second, first, **options)

        def other(*args: Any, **options: Any) -> Any:
            rows = method(*args, **options)
            return replace(rows, **{column: getattr(rows, column) + 1})

        return other


class Library:
    """What stands for a library: our own tokenizer, and a note of each time that it is asked."""

    def __init__(self) -> None:
        self.asked: list[bool] = []
        self.verdict: str | None = None

    def differ(self, texts: Sequence[bytes], batched: bool) -> str | None:
        self.asked.append(batched)
        return self.verdict


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    from tests.support import data

    monkeypatch.setattr(kept, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(data, "CACHE", tmp_path / "cache")
    yield Library()
    _begin(Run())


def compared(
    library: Library, ours: str = "right", release: str = "library 1", file: str = "file", text: bytes = b"a"
) -> str:
    """How one comparison came about, and what differs if anything does."""
    own = Compared("name", kept.hash_of(file.encode()), release, lambda texts: ours, library.differ)
    (row,) = own.rows([TextSet("texts", lambda: [text])])
    return row.difference or row.how


def test_a_library_is_not_asked_for_what_is_recorded(library: Library, tmp_path: Path) -> None:
    _begin(Run(Kept(tmp_path / "record", writes=True)))
    library.verdict = "ids"
    assert compared(library) == "ids"
    assert not (tmp_path / "record").exists()  # a difference is never kept
    library.verdict = None
    assert compared(library) == "asked"
    (path,) = (tmp_path / "record").iterdir()
    assert path.name == "library-1.txt"
    assert path.read_text().splitlines()[0] == f"form {kept.FORM}"
    library.asked.clear()
    library.verdict = "would differ"
    (tmp_path / "cache" / "parity" / "done").rename(tmp_path / "gone")  # as another code has it
    assert compared(library) == "kept"
    assert not library.asked


def test_a_wrong_hash_makes_the_library_be_asked_and_the_difference_be_told(library: Library, tmp_path: Path) -> None:
    _begin(Run(Kept(tmp_path / "record", writes=True)))
    assert compared(library) == "asked"
    (path,) = (tmp_path / "record").iterdir()
    path.write_text(path.read_text().replace("right", "wrong"))
    (tmp_path / "cache" / "parity" / "done").rename(tmp_path / "gone")
    library.verdict = "ids"
    assert compared(library) == "ids"
    assert compared(library, ours="other") == "ids"
    assert library.asked == [True] * 3
    assert compared(library, ours="wrong") == "kept"


def test_another_release_file_text_or_form_is_no_line(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(Run(Kept(tmp_path / "record", writes=True)))
    assert compared(library) == "asked"
    library.verdict = "other"
    assert compared(library, release="library 2") == "other"
    assert compared(library, file="another file") == "other"
    assert compared(library, text=b"b") == "other"
    (tmp_path / "cache" / "parity" / "done").rename(tmp_path / "gone")
    monkeypatch.setattr(kept, "FORM", kept.FORM + 1)
    assert compared(library) == "other"
    monkeypatch.setattr(kept, "FORM", kept.FORM - 1)
    assert compared(library) == "kept"


def test_drawn_lines_are_asked_again_whatever_is_known(library: Library, tmp_path: Path) -> None:
    record = tmp_path / "record"
    _begin(Run(Kept(record, writes=True)))
    assert [compared(library, release=f"library {n}") for n in range(20)] == ["asked"] * 20
    library.asked.clear()
    doubted = kept.sampled(record, 5)
    assert doubted == kept.sampled(record, 5) < kept.sampled(record, 6)
    assert doubted != kept.sampled(record, 5, seed="another")
    _begin(Run(Kept(record, doubted=frozenset(doubted))))
    ways = [compared(library, release=f"library {n}") for n in range(20)]
    assert sorted(ways) == ["asked"] * 15 + ["rechecked"] * 5  # the others have the mark of the first run
    assert library.asked == [False] * 5  # by single calls
    library.verdict = "ids"
    assert sorted(compared(library, release=f"library {n}") for n in range(20)) == ["asked"] * 15 + ["ids"] * 5


def test_what_is_not_recorded_is_kept_beside_and_moved_to_the_record(library: Library, tmp_path: Path) -> None:
    record = tmp_path / "record"
    _begin(Run(Kept(record)))
    assert compared(library) == "asked"
    assert not record.exists()
    _begin(Run(Kept(record, writes=True)))
    assert compared(library) == "kept"
    (line,) = kept.read(record / "library-1.txt").values()
    assert line.answers == "right"
    assert library.asked == [True]


def test_answers_that_contradict_each_other_are_a_difference(tmp_path: Path, library: Library) -> None:
    place = Place("library 1", "name", "0", TextSet("texts", lambda: [b"a"]))
    found = Kept(tmp_path / "record", writes=True).compare(place, lambda: None, lambda: (None, 0, 0))
    assert "contradict" in str(found.difference)
    assert not (tmp_path / "record").exists()


def test_lines_are_sorted_and_take_the_place_of_older_ones(library: Library, tmp_path: Path) -> None:
    rows = [Line(file, "c", "t", "d", answers) for file, answers in [("b", "1"), ("a", "2"), ("b", "3")]]
    for row in rows:
        kept.write(tmp_path / "record", "library 1", row)
    found = kept.read(tmp_path / "record" / "library-1.txt")
    assert list(found.values()) == [rows[1], rows[2]]


@pytest.mark.parametrize(
    "name",
    ["encode_batch ids", "count_batch", "decode_batch"]
    + [f"encode_spans_batch {column}" for column in ("ids", "starts", "ends", "offsets")],
)
def test_the_hash_is_of_all_that_is_compared(name: str) -> None:
    tok = ap.load()
    known = answers.digest_of_answers(tok, TEXTS, "replace")
    assert known == answers.digest_of_answers(ap.load(), TEXTS, "replace")
    changed: Any = Changed(tok, name)
    assert answers.digest_of_answers(changed, TEXTS, "replace") != known


@pytest.mark.parametrize("name", ["encode_batch ids", "decode_batch", "encode_pair"])
def test_the_hash_of_a_folder_is_of_all_that_is_compared(name: str) -> None:
    tok = ap.load()
    known = answers.digest_of_folder(tok, TEXTS, {"size": 1})
    changed: Any = Changed(tok, name)
    assert answers.digest_of_folder(changed, TEXTS, {"size": 1}) != known
    assert answers.digest_of_folder(tok, TEXTS, {"size": 2}) != known
    assert answers.digest_of_folder(tok, TEXTS, {"size": 1}) == known


@pytest.mark.parametrize("specials", ["text", "parse"])
def test_batches_are_what_single_calls_give(specials: Any) -> None:
    tok = ap.load()
    strings = [text.decode() for text in TEXTS]
    rows = [tok.encode(text, specials=specials) for text in strings]
    tokens = [tok.encode_spans(text, specials=specials) for text in strings]
    places = [[(token.start, token.end) for token in row] for row in tokens]
    assert answers.same_tokens(tok, strings, rows, specials, places)
    assert not answers.same_tokens(tok, strings, rows[::-1], specials)
    moved = [*places[:-1], [(start + 1, end) for start, end in places[-1]]]
    assert not answers.same_tokens(tok, strings, rows, specials, moved)
    assert tok.decode_batch(rows) == [tok.decode(row) for row in rows]
