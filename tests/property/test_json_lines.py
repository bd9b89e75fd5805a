"""Lines read natively are what the standard library reads: texts, places, and what is said of lines that cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import _native
from anypiece.corpus.shards import documents
from anypiece.corpus.shards.documents import Tally, listed
from anypiece.corpus.shards.inputs import File
from tests.support.json_lines import BLOCKS, OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from anypiece.corpus.shards.documents import Block
    from anypiece.corpus.shards.options import Options

TOK = ap.load()
FILE = File("lines.jsonl", 0, 0, "jsonl", "")


def read(work: Callable[[Tally], Block], options: Options) -> tuple[Any, ...]:
    tally = Tally(options, threads=2)
    try:
        block = work(tally)
    except ap.FormatError as error:
        return str(error), error.facts, tally.left_out, tally.rejects, tally.repaired
    texts = [text.encode() if isinstance(text, str) else text for text in listed(block.texts)]
    ids = TOK.encode_batch(block.texts)
    return (
        texts, block.places.tolist(), ids.ids.tolist(), ids.offsets.tolist(), tally.left_out, tally.rejects, tally.repaired
    )  # fmt: skip


@given(BLOCKS, OPTIONS, st.integers(0, 1 << 40))
def test_lines_of_json(block: bytes, options: Options, start: int) -> None:
    path = options.field.split(".")
    plain = read(lambda tally: documents._objects(FILE, block, start, path, tally), options)
    native = read(lambda tally: documents._columns(FILE, block, start, path, tally), options)
    assert native == plain


@given(st.lists(st.binary(max_size=8), max_size=8).map(b"\n".join), OPTIONS)
def test_lines_of_text(block: bytes, options: Options) -> None:
    def plain(tally: Tally) -> Block:
        lines = block.split(b"\n") if block else []
        lines = lines[:-1] if block.endswith(b"\n") else lines
        places = documents.np.cumsum([0, *(len(line) + 1 for line in lines)])[:-1].astype("i8")
        texts = [tally.text(FILE, place, line) for line, place in zip(lines, places.tolist(), strict=True)]
        return documents._kept(texts, places)

    def native(tally: Tally) -> Block:
        column, places, _ = _native.text_lines(block)
        return documents._valid(FILE, column, places, tally)

    assert read(native, options) == read(plain, options)


@given(
    st.lists(st.text("<s>/a", max_size=8), max_size=6), st.lists(st.text("<s>/a", min_size=1, max_size=3), max_size=4)
)
def test_texts_that_contain_literals(texts: list[str], names: list[str]) -> None:
    column, _, _ = _native.text_lines("\n".join([*texts, ""]).encode())
    marks = _native.Literals([name.encode() for name in names]).are_in(column)
    assert marks.tolist() == [any(name in text for name in names) for text in texts]


def test_lines_without_an_end_are_whole() -> None:
    reads = [_native.json_lines(data, ["a"])[1].tolist() for data in (b"", b"{}", b"{}\n", b"\n{}\n\n")]
    assert reads == [[], [0], [0], [0, 1, 4]]
