"""A plugin of pytest: writes what became of each test into the file that ``$ANYPIECE_COMPAT_OUTCOMES`` names.

A test has passed if every phase of it has; ``skipped`` and ``xfailed`` are no passes.
"""

import json
import os
from pathlib import Path

OUTCOMES = {}


def pytest_runtest_logreport(report):
    worst = OUTCOMES.get(report.nodeid, "")
    outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
    if report.when == "call" or outcome != "passed":
        OUTCOMES[report.nodeid] = worst if worst not in ("", "passed") else outcome


def pytest_collectreport(report):
    if report.failed:
        OUTCOMES[report.nodeid] = "failed"


def pytest_sessionfinish():
    Path(os.environ["ANYPIECE_COMPAT_OUTCOMES"]).write_text(json.dumps(OUTCOMES), "utf-8")
