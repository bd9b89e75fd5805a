"""Every real ``.model`` file: read, written back byte for byte, and read as the sentencepiece package reads it."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest
import sentencepiece

from anypiece._native import scan_wire_records
from anypiece.errors import FormatError
from anypiece.formats import sentencepiece as model_format
from anypiece.formats import sniff
from anypiece.spec import Kind
from tests.support import wire_twin
from tests.support.data import tokenizer_files

if TYPE_CHECKING:
    from pathlib import Path

FILES = tokenizer_files()
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


@each_file
def test_written_as_it_was_read(path: Path) -> None:
    data = path.read_bytes()
    spec, origin = model_format.read(data)
    assert model_format.write(spec, origin) == data
    assert model_format.write(spec, pickle.loads(pickle.dumps(origin))) == data
    assert origin.odd == ()


@each_file
def test_read_as_the_package_reads_it(path: Path) -> None:
    data = path.read_bytes()
    spec, _ = model_format.read(data)
    processor = sentencepiece.SentencePieceProcessor(model_proto=data)
    ids = list(range(processor.get_piece_size()))
    assert [spec.pieces.bytes(i) for i in ids] == [piece.encode() for piece in processor.id_to_piece(ids)]
    assert np.array_equal(spec.pieces.scores, np.array(processor.get_score(ids), np.float32))
    for kind, asked in [(Kind.CONTROL, "is_control"), (Kind.UNKNOWN, "is_unknown"), (Kind.BYTE, "is_byte")]:
        assert (spec.pieces.kinds == kind).tolist() == getattr(processor, asked)(ids)
    named = (spec.unk_id, spec.bos_id, spec.eos_id, spec.pad_id)
    expected = (processor.unk_id(), processor.bos_id(), processor.eos_id(), processor.pad_id())
    assert tuple(-1 if piece is None else piece for piece in named) == expected


@each_file
def test_written_without_its_origin(path: Path) -> None:
    """What was kept aside is not needed to tokenize: a file of the Spec alone gives the same ids."""
    spec, _ = model_format.read(path.read_bytes())
    written = model_format.write(spec)
    again, _ = model_format.read(written)
    assert again == spec
    texts = ["Hello world, 日本語 ﬁne\t<s>  ▁ 😀\0!", "", "  a  ", "naïve ½ x" * 20]
    ours, theirs = (
        sentencepiece.SentencePieceProcessor(model_proto=data).encode(texts) for data in (written, path.read_bytes())
    )
    assert ours == theirs


@pytest.mark.parametrize("path", [path for path in FILES if path.stat().st_size < 10**6], ids=lambda path: path.name)
def test_native_scan_equals_its_twin(path: Path) -> None:
    data = path.read_bytes()
    assert scan_wire_records(data, 1) == wire_twin.scan_wire_records(data, 1)


@each_file
def test_cut_short(path: Path) -> None:
    """A file that was not copied whole is known for what it is, and refused."""
    data = path.read_bytes()
    for cut in (40, 4097, len(data) // 2, len(data) - 1):
        assert sniff(data[:cut], path.name) == "sentencepiece"
    with pytest.raises(FormatError) as caught:
        model_format.read(data[:-1])
    assert caught.value.code == "file-truncated"


def test_the_files_cover_what_they_should() -> None:
    specs = [model_format.read(path.read_bytes())[0] for path in FILES]
    assert {spec.segmenter for spec in specs} >= {"unigram", "bpe", "word"}
    assert {spec.byte_fallback for spec in specs} == {True, False}
    assert sum(len(spec.samples) for spec in specs) >= 100
    origins = [model_format.read(path.read_bytes())[1] for path in FILES]
    assert any([number for number, _, _ in origin.rest] == [3, 2] for origin in origins)
    assert len({origin.style for origin in origins}) >= 3
