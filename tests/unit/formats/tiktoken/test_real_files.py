"""The real rank files: known by content, read as their definitions say, written back byte for byte."""

from __future__ import annotations

import base64
import hashlib
import pickle

import numpy as np
import pytest

from anypiece import formats
from anypiece.errors import FormatError
from anypiece.formats import tiktoken
from anypiece.formats.tiktoken.definitions import DEFINITIONS
from anypiece.spec import Kind
from tests.support.data import RANK_FILES, rank_file

each_file = pytest.mark.parametrize("name", RANK_FILES)

UNUSED = {"cl100k_base": 16, "o200k_base": 19}
"""How many ids are neither a rank nor a special token; none in the other files."""


@each_file
def test_written_as_it_was_read(name: str) -> None:
    data = rank_file(name)
    spec, origin = tiktoken.read(data)
    assert origin == tiktoken.Origin(name)
    assert tiktoken.write(spec, origin) == tiktoken.write(spec, pickle.loads(pickle.dumps(origin))) == data
    assert tiktoken.write(spec) == data


@each_file
def test_read_as_its_lines_say(name: str) -> None:
    """Each line decoded on its own, by other means than the reader's."""
    data = rank_file(name)
    spec, _ = tiktoken.read(data)
    fields = data.split()
    for piece, rank in zip(fields[::2], map(int, fields[1::2]), strict=True):
        assert spec.pieces.bytes(rank) == base64.b64decode(piece, validate=True)
        assert spec.pieces.kinds[rank] == Kind.NORMAL
    normal = spec.pieces.kinds == Kind.NORMAL
    assert int(normal.sum()) == len(fields) // 2
    assert np.array_equal(spec.pieces.scores, np.where(normal, -np.arange(len(normal)), 0).astype(np.float32))


@each_file
def test_known_by_its_content(name: str) -> None:
    data = rank_file(name)
    definition = DEFINITIONS[name]
    assert hashlib.sha256(data).hexdigest() == definition.sha256
    spec, _ = tiktoken.read(data)
    assert len(spec.pieces) == definition.n_vocab
    counts = np.bincount(spec.pieces.kinds, minlength=7).tolist()
    assert counts == [0, definition.ranks, 0, len(definition.specials), 0, UNUSED.get(name, 0), 0]
    crlf = data.replace(b"\n", b"\r\n")
    again, origin = tiktoken.read(crlf)
    assert (again, origin.definition, origin.crlf) == (spec, name, True)
    assert tiktoken.write(again, origin) == crlf


@pytest.mark.parametrize(
    ("file", "name"), [("r50k_base", "gpt2"), ("p50k_base", "p50k_edit"), ("o200k_base", "o200k_harmony")]
)
def test_encodings_that_share_a_file(file: str, name: str) -> None:
    spec, origin = tiktoken.read(rank_file(file), definition=name)
    assert (len(spec.pieces), origin.definition) == (DEFINITIONS[name].n_vocab, name)
    assert tiktoken.write(spec, origin) == rank_file(file)


@each_file
def test_cut_short(name: str) -> None:
    data = rank_file(name)
    for cut in (7, 40, 4097, 1 << 20, len(data) - 1):
        assert formats.sniff(data[:cut], name) == "tiktoken"
    codes = {}
    for cut in (7, len(data) // 2, len(data) - 1, data.rindex(b"\n", 0, -1) + 1):
        with pytest.raises(FormatError) as caught:
            tiktoken.read(data[:cut])
        codes[cut] = caught.value.code
    assert list(codes.values())[2:] == ["file-truncated", "definition-unknown"]


@each_file
def test_no_special_token_is_also_a_rank(name: str) -> None:
    ranks = set(rank_file(name).split()[::2])
    assert not any(base64.b64encode(text.encode()) in ranks for text in DEFINITIONS[name].specials)
