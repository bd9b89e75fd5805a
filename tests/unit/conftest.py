"""Unit tests that read real files are not collected where there are none; the session's header says so."""

from __future__ import annotations

from tests.support.data import DATA

collect_ignore = [] if DATA else ["test_sentencepiece_files.py", "test_tiktoken_files.py"]
