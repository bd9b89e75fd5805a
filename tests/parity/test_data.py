"""The folder of real files holds what its README lists: nothing that is compared can go missing unseen."""

from __future__ import annotations

import pytest

from tests.support import data


def test_every_listed_file_is_there() -> None:
    missing = [str(path) for path in data.listed_files() if not path.is_file()]
    assert data.listed_files()
    assert missing == []


def test_every_tokenizer_file_is_listed() -> None:
    assert set(data.tokenizer_files()) <= set(data.listed_files())


def test_every_rank_file_is_listed_and_used() -> None:
    listed = {path.name for path in data.listed_files() if path.parent.name == "tiktoken"}
    assert listed == {f"{name}.tiktoken.gz" for name in data.RANK_FILES}


@pytest.mark.parametrize("name", data.corpus_names() if data.DATA else ())
def test_corpus_has_lines(name: str) -> None:
    assert len(data.corpus_lines(name)) > 1000


def test_the_torture_file_goes_to_the_last_plane() -> None:
    assert max(data.torture_text().decode()) >= "\U000e0000"
