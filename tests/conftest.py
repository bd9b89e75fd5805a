"""What every test session shares: where real files are, which tests need them, and the hypothesis profiles.

Tests that need the folder of real files are not collected where it does not exist; the header says so once. Where it
exists they run, and a file missing from it fails. Hypothesis is derandomized, so a failure is the same on every run.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.data import DATA, tokenizer_files

pytest.register_assert_rewrite("tests.property.laws", "tests.property.stream_laws")

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.parity.compare import Peers

NEED_DATA = [
    "compat/test_sample.py",
    "parity/test_chat.py",
    "parity/test_compat_sentencepiece.py",
    "parity/test_compat_tiktoken.py",
    "parity/test_conversions.py",
    "parity/test_data.py",
    "parity/test_found_files.py",
    "parity/test_folders.py",
    "parity/test_gguf.py",
    "parity/test_huggingface.py",
    "parity/test_kitoken.py",
    "parity/test_lattice.py",
    "parity/test_libraries.py",
    "parity/test_merge_lists.py",
    "parity/test_merge_training.py",
    "parity/test_patched.py",
    "parity/test_patterns.py",
    "parity/test_ranks.py",
    "parity/test_sampled.py",
    "parity/test_trained_files.py",
    "parity/test_training.py",
    "parity/test_written_folders.py",
    "property/test_bounds.py",
    "property/test_chat_files.py",
    "property/test_lattice_files.py",
    "property/test_linear_time.py",
    "property/test_real_files.py",
    "property/test_steps_files.py",
    "property/test_truncate.py",
    "property/test_stream_files.py",
    "adversarial/test_big_texts_parity.py",
    "unit/formats/sentencepiece/test_real_files.py",
    "unit/formats/tiktoken/test_real_files.py",
]
NEED_FORK = ["property/test_fork.py"]
SLOW = [
    "adversarial/test_big_texts.py",
    "parity/test_made_files.py",
    "parity/test_normalization.py",
    "parity/test_reference.py",
    "property/test_kernel_and_reference.py",
    "property/test_paths.py",
    "property/test_steps.py",
    "unit/compat/transformers/test_patch.py",
    "unit/kernel/test_interrupts.py",
    "unit/kernel/test_stages.py",
    "unit/training/test_normalization.py",
]
"""Modules that take long without real files, too."""
DEEP = frozenset(NEED_DATA + SLOW)
collect_ignore = ([] if DATA else NEED_DATA) + ([] if hasattr(os, "fork") else NEED_FORK)

_COMMON = settings(
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.register_profile("fast", _COMMON, max_examples=12)
settings.register_profile("slow", _COMMON, max_examples=2000)
PROFILE = os.environ.get("ANYPIECE_HYPOTHESIS", "fast")
settings.load_profile(PROFILE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A tier does not import the modules of the other: all of it is a few seconds, in each process."""
    tier = config.option.markexpr
    if tier not in ("deep", "not deep") or not collection_path.name.startswith("test_"):
        return None
    if collection_path.relative_to(Path(__file__).parent).as_posix() in DEEP:
        return True if tier == "not deep" else None
    return True if tier == "deep" and "mark.deep" not in collection_path.read_text("utf-8") else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tier, which ``make test-deep`` runs: what compares real files, and the longest laws."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.path.relative_to(here).as_posix() in DEEP:
            item.add_marker(pytest.mark.deep)


def pytest_report_header() -> list[str]:
    """Say which profile runs and whether real files are there."""
    profile = f"hypothesis: profile {PROFILE!r}, {settings().max_examples} examples, derandomized"
    if DATA:
        return [profile, f"real files: {len(tokenizer_files())} tokenizers; the slow tier compares them"]
    return [profile, "real files: no ../shared/data and no $ANYPIECE_DATA; tests that need them are not collected"]


@pytest.fixture(scope="session")
def peers() -> Iterator[Peers]:
    """Processes that run releases of sentencepiece, shared by the session."""
    from tests.parity.compare import Peers

    running = Peers()
    yield running
    running.close()
