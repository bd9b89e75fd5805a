"""What is written where: a link's target, a device and a pipe are written to, and only regular files are replaced."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from threading import Thread
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from anypiece.corpus.shards import plan_shards
from anypiece.io.paths import in_place, move
from anypiece.training import count_words
from tests.support.small_vocabularies import UNIGRAM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TOK = ap.Tokenizer(UNIGRAM)


def saved(path: Path) -> None:
    TOK.save(path, "anypiece")


def converted(path: Path) -> None:
    ap.convert(TOK, path, format="anypiece")


def counted(path: Path) -> None:
    count_words(["a b a"], kind="unigram", out=path)


def placed(path: Path) -> None:
    with in_place(path) as new:
        new.write_bytes(b"content")


def moved(path: Path) -> None:
    old = path.parent / "old"
    old.write_bytes(b"content")
    move(old, path)


WRITERS: list[Callable[[Path], None]] = [saved, converted, counted, placed, moved]


def read_through(path: Path, write: Callable[[Path], None]) -> bytes:
    """What comes out of a pipe while ``write`` writes to it."""
    found: list[bytes] = []
    reader = Thread(target=lambda: found.append(path.read_bytes()), daemon=True)
    reader.start()
    write(path)
    reader.join(30)
    return found[0]


@pytest.mark.parametrize("write", WRITERS)
def test_a_pipe_is_written_to(write: Callable[[Path], None], tmp_path: Path) -> None:
    pipe, plain = tmp_path / "pipe.html", tmp_path / "plain.html"
    os.mkfifo(pipe)
    write(plain)
    assert read_through(pipe, write) == plain.read_bytes() != b""
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


@pytest.mark.parametrize("write", WRITERS)
def test_a_link_stays_and_its_target_is_written(write: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link, plain = tmp_path / "there" / "real", tmp_path / "link", tmp_path / "plain"
    link.symlink_to("there/real")
    write(plain)
    for before in (None, b"old"):  # the target may be yet to be made
        if before is not None:
            target.write_bytes(before)
            target.chmod(0o640)
        write(link)
        assert link.is_symlink()
        assert target.read_bytes() == plain.read_bytes()
    assert sorted(item.name for item in target.parent.iterdir()) == ["real"]
    if write in (saved, converted):
        assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.parametrize("write", WRITERS)
def test_a_device_stays_one(write: Callable[[Path], None], tmp_path: Path) -> None:
    node = tmp_path / "null"
    try:
        os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        node.write_bytes(b"")
    except PermissionError:
        node = tmp_path / "link"
        node.symlink_to("/dev/null")
    write(node)
    assert stat.S_ISCHR(node.stat().st_mode)


@pytest.mark.parametrize("write", WRITERS)
def test_a_failed_write_is_called_that(write: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "full").symlink_to("/dev/full")
    for name in ("folder", "loop", "full"):
        with pytest.raises(ap.AnyPieceError) as caught:
            write(tmp_path / name)
        assert caught.value.code == "file-unwritable", name
    assert (tmp_path / "loop").is_symlink()


READERS: dict[str, Callable[[str], object]] = {
    "load": ap.load,
    "check": lambda name: ap.check(name, TOK),
    "convert": lambda name: ap.convert(name, "new.model"),
    "count_words": lambda name: count_words(name, kind="unigram"),
    "train": lambda name: ap.train(name, vocab_size=50),
    "plan_shards": lambda name: plan_shards([name], TOK, "new", format="numpy"),
}


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + ".model", "/".join(["y" * 200] * 40)])
def test_a_name_that_no_file_system_takes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the operating system says of a path before it is opened is an error of the package as well."""
    monkeypatch.chdir(tmp_path)
    for reader in READERS.values():
        with pytest.raises(ap.FileError, match="cannot be read: File name too long") as caught:
            reader(name)
        assert caught.value.code == "file-unreadable"
    text = tmp_path / "text.txt"
    text.write_text("a b a", encoding="utf-8")
    for write in (*WRITERS[:-1], lambda path: plan_shards([text], TOK, path, format="numpy")):
        with pytest.raises(ap.FileError, match="cannot be written: File name too long") as caught:
            write(tmp_path / name)
        assert caught.value.code == "file-unwritable"


def test_standard_output_by_its_path(tmp_path: Path) -> None:
    """Also where it is a regular file that others have written to."""
    code = "import sys, anypiece; print('first', flush=True); anypiece.load().save('/dev/stdout', 'sentencepiece')"
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    with open(tmp_path / "out", "wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    ap.load().save(tmp_path / "plain.model")
    expected = b"first\n" + (tmp_path / "plain.model").read_bytes()
    assert piped.stdout == expected
    assert (tmp_path / "out").read_bytes() == expected


def test_there_is_no_place_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with pytest.raises(ap.FormatError) as caught:
        ap.convert(TOK, tmp_path / "a.model")
    assert caught.value.code == "file-unwritable"
