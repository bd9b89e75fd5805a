"""A panic of the kernel is an ``InternalError``, on whatever thread it happened, and nothing is printed."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys

import pytest

import anypiece as ap
from anypiece import _native
from tests.support.data import ROOT


@pytest.mark.parametrize("threaded", [False, True])
def test_a_panic_is_an_error(threaded: bool) -> None:
    with pytest.raises(ap.InternalError, match="this was asked for") as caught:
        _native.fail_inside(threaded)
    assert caught.value.code == "internal-error"
    assert isinstance(caught.value, RuntimeError)
    assert ap.load().decode(ap.load().encode("Hello")) == "Hello"


def test_nothing_is_printed() -> None:
    program = """
import anypiece as ap
from anypiece import _native
for threaded in (False, True):
    try:
        _native.fail_inside(threaded)
    except ap.AnyPieceError as error:
        print(error.code)
"""
    environment = {name: value for name, value in os.environ.items() if name != "RUST_BACKTRACE"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert (done.stdout.split(), done.stderr) == (["internal-error"] * 2, "")


def test_every_function_is_guarded() -> None:
    """Whatever Python can call stands under the attribute that catches panics."""
    for path in (ROOT / "crates" / "native" / "src").glob("*.rs"):
        source = path.read_text(encoding="utf-8")
        for found in re.finditer(r"^(.*\n)#\[(pymethods|pyfunction|pymodule.*)\]$", source, re.MULTILINE):
            assert found[1].strip() in ("#[guarded]", "#[anypiece_guarded::guarded]"), (path.name, found[0])
    assert inspect.isbuiltin(_native.fail_inside)
