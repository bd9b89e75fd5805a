"""Lines that are too long to be held are read as shorter ones are, however they are cut into parts."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece.corpus.shards import documents, long_documents
from anypiece.corpus.shards.documents import blocks, listed
from anypiece.corpus.shards.inputs import described
from anypiece.corpus.shards.long_documents import Long, Record, Scratch
from anypiece.corpus.shards.tally import Tally
from tests.support.json_lines import BLOCKS, OPTIONS

if TYPE_CHECKING:
    from anypiece.corpus.shards.options import Options

SIZES = st.tuples(st.sampled_from([1, 2, 3, 7, 40]), st.sampled_from([0, 1, 5, 30]), st.sampled_from([12, 15, 30]))
"""Of a part, of a line that is held, and of a string that is held: names of fields are."""
BODIES = st.lists(
    st.sampled_from(["a", "é", "🦊", "\\\\", '\\"', "\\n", "\\u00e9", "\\ud83e\\udd8a", "\\ud83e", "\\udd8a", "\\u", "\\x"]),
    max_size=30,
).map("".join)  # fmt: skip


def read(path: Path, kind: Any, options: Options, sizes: tuple[int, int, int]) -> tuple[Any, ...]:
    tally, found = Tally(options, scratch=Scratch(path.parent)), []
    part, most, string = sizes
    file = described(path, kind)
    with (
        patch.object(documents, "PART", part),
        patch.object(documents, "LONG", most),
        patch.object(long_documents, "PART", part),
        patch.object(long_documents, "STRING", string),
    ):
        error = ""
        try:
            for block in blocks(file, 0, file.size, tally, lambda amount: None):
                if isinstance(block, Long):
                    found.append((block.place, b"".join(block.text.parts())))
                else:
                    texts = [text.encode() if isinstance(text, str) else text for text in listed(block.texts)]
                    found += zip(block.places.tolist(), texts, strict=True)
        except ap.FormatError as raised:
            error = f"{raised.facts['place']} {raised.facts['reason']}"
    places = [(reject["at"], reject["reason"].split(":")[0]) for reject in tally.rejects]
    return found, error, tally.left_out, tally.repaired, places


def hold(data: bytes, kind: str, options: Options, sizes: tuple[int, int, int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lines.txt")
        path.write_bytes(data)
        assert read(path, kind, options, sizes) == read(path, kind, options, (1 << 20, 1 << 20, 1 << 16))
        assert [item.name for item in Path(folder).iterdir()] == ["lines.txt"]


@given(BLOCKS, OPTIONS, SIZES)
def test_lines_of_json(data: bytes, options: Options, sizes: tuple[int, int, int]) -> None:
    hold(data, "jsonl", options, sizes)


@given(st.lists(BODIES, max_size=4), OPTIONS, SIZES, st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff"]))
def test_strings_with_escapes(bodies: list[str], options: Options, sizes: tuple[int, int, int], head: bytes) -> None:
    lines = [f'{{"a": "{body}", "text": "{body[::-1]}", "text": "{body}"}}' for body in bodies]
    hold(head + "\n".join(lines).encode(), "jsonl", replace(options, field="text"), sizes)


@given(st.lists(st.binary(max_size=20), max_size=5).map(b"\n".join), OPTIONS, SIZES, st.booleans())
def test_lines_of_text(data: bytes, options: Options, sizes: tuple[int, int, int], whole: bool) -> None:
    hold(data, "text", replace(options, whole=whole), sizes)


@given(BODIES)
def test_strings_are_cut_between_escapes(body: str) -> None:
    """A part can be unescaped by itself, whatever comes behind."""
    try:
        whole = json.loads(f'"{body}"')
    except ValueError:
        return
    for place in range(len(body) + 1):
        cut = long_documents._whole(body[:place])
        assert json.loads(f'"{body[:cut]}"') + json.loads(f'"{body[cut:]}"') == whole
        assert place - cut <= 11


def test_other_columns_get_their_long_strings() -> None:
    line = json.dumps({"text": "x" * 50, "url": "y" * 50, "meta": ["z" * 50, {"w" * 50: 1}]})
    with patch.object(long_documents, "STRING", 20):
        record = Record.read(iter([line[:60], line[60:]]), Scratch())
    assert record.strings
    assert record.restored(record.value) == json.loads(line)
    record.scratch.close()
