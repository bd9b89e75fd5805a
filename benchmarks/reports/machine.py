"""A short, public description of the machine a record was made on: processor and cores, no names, no paths."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path


def facts() -> dict[str, str]:
    """Return what a reader needs to judge the numbers."""
    return {
        "machine": f"{processor()}, {cores()} cores, {memory_gigabytes()} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def folder_name() -> str:
    """Return the description as a folder name.

    >>> folder_name() == folder_name().lower()
    True
    """
    return re.sub(r"[^a-z0-9]+", "-", f"{processor()} {cores()} cores".lower()).strip("-")


def cores() -> int:
    """Return the number of usable cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """Return the processor's name, with family and model where the name alone says little."""
    fields = cpuinfo()
    name = re.sub(r"\((R|TM|r|tm)\)| CPU| Processor", "", fields.get("model name", platform.machine())).strip()
    if any(character.isdigit() for character in name) or "model" not in fields:
        return name
    return f"{name} (family {fields['cpu family']} model {fields['model']})"


def cpuinfo() -> dict[str, str]:
    """Return the first processor's fields, or nothing on systems without them."""
    path = Path("/proc/cpuinfo")
    if not path.is_file():
        return {}
    block = path.read_text().partition("\n\n")[0]
    pairs = (line.partition(":") for line in block.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def memory_gigabytes() -> int:
    """Return the memory in whole gigabytes."""
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
