"""Names in the place of paths: encodings, and models in the local cache of Hugging Face."""

from __future__ import annotations

from pathlib import Path

import pytest

import anypiece as ap
from anypiece.io.names import rank_folders, rank_path

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("HUGGINGFACE_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    return tmp_path


def cached(hub: Path, commit: str = COMMIT, *, main: bool = True) -> Path:
    model = hub / "models--org--some-model"
    folder = model / "snapshots" / commit
    folder.mkdir(parents=True)
    blob = model / "blobs" / commit
    blob.parent.mkdir(exist_ok=True)
    ap.load().save(blob, "sentencepiece")
    (folder / "tokenizer.model").symlink_to(blob)
    if main:
        (model / "refs").mkdir(exist_ok=True)
        (model / "refs" / "main").write_text(commit)
    return folder


def test_a_model_of_the_cache(hub: Path) -> None:
    cached(hub)
    assert ap.load("org/some-model").encode("Hello") == ap.load().encode("Hello")


def test_the_branch_main_counts(hub: Path) -> None:
    cached(hub)
    (hub / "models--org--some-model" / "snapshots" / ("f" * 40)).mkdir()
    assert ap.load("org/some-model") == ap.load(hub / "models--org--some-model" / "snapshots" / COMMIT)


def test_one_revision_needs_no_branch(hub: Path) -> None:
    cached(hub, main=False)
    ap.load("org/some-model")
    cached(hub, "f" * 40, main=False)
    with pytest.raises(ap.FileError, match="2 revisions"):
        ap.load("org/some-model")


def test_a_path_is_no_name(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cached(hub)
    monkeypatch.chdir(hub)
    (hub / "org" / "some-model").mkdir(parents=True)
    with pytest.raises(ap.FormatError, match="is a folder"):
        ap.load("org/some-model")
    (hub / "org" / "some-model").rmdir()
    ap.load("org/some-model")


@pytest.mark.parametrize("name", ["org/other", "org/..", "../some-model", "org/some-model/x"])
def test_what_is_not_there(hub: Path, name: str) -> None:
    cached(hub)
    with pytest.raises(ap.FileError):
        ap.load(name)


def test_other_places_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    cached(tmp_path / "hub")
    ap.load("org/some-model")
    monkeypatch.delenv("HF_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(ap.FileError, match="not in the local cache"):
        ap.load("org/some-model")
    cached(tmp_path / "cache" / "huggingface" / "hub")
    ap.load("org/some-model")


def test_rank_files_are_looked_for_in_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYPIECE_RANKS", str(tmp_path / "ours"))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "theirs"))
    assert rank_folders() == [tmp_path / "ours", tmp_path / "theirs"]
    with pytest.raises(ap.FileError, match=r"r50k_base\.tiktoken") as caught:
        ap.load("gpt2")
    assert isinstance(caught.value, OSError)
    (tmp_path / "theirs").mkdir()
    kept = tmp_path / "theirs" / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
    kept.write_bytes(b"IQ== 0\n")
    assert rank_path("cl100k_base") == kept
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "cl100k_base.tiktoken").write_bytes(b"IQ== 0\n")
    assert rank_path("cl100k_base") == tmp_path / "ours" / "cl100k_base.tiktoken"
    with pytest.raises(ap.FormatError):
        ap.load("cl100k_base")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert rank_folders() == [tmp_path / "ours"]
