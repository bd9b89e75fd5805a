"""Gets Debian packages into a cache folder and unpacks them there, without root and without touching the system.

Package lists live in the cache too, so the machine's own apt state is only read for its sources and keys. ``packages.lock``
names every package with version and digest; a rebuild uses exactly those, ``update`` takes what the archive offers now.
"""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["LOCK", "Package", "fetch"]

LOCK = Path(__file__).with_name("packages.lock")


@dataclass(frozen=True)
class Package:
    """One package as it was used."""

    name: str
    version: str
    sha256: str

    def line(self) -> str:
        return f"{self.name} {self.version} {self.sha256}\n"


def fetch(names: list[str], cache: Path, *, update: bool = False) -> list[Package]:
    """Download and unpack ``names`` into ``cache``; return what was used, in the order of the names."""
    locked = {} if update or not LOCK.exists() else _read_lock()
    missing = [name for name in names if not update and LOCK.exists() and name not in locked]
    if missing:
        raise SystemExit(f"not in {LOCK.name}: {' '.join(missing)}; run with --update-lock")
    options = _apt_options(cache)
    wanted = [f"{name}={locked[name].version}" if locked else name for name in names]
    if not all(_deb(name, cache) for name in names):
        _run(["apt-get", *options, "update"], cache)
        _run(["apt-get", *options, "download", *wanted], cache / "debs")
    packages = [_describe(name, cache) for name in names]
    for package in packages:
        if locked and package != locked[package.name]:
            raise SystemExit(f"{package.name} {package.version} is not what {LOCK.name} names; run with --update-lock")
        _unpack(package, cache)
    return packages


def write_lock(packages: list[Package]) -> None:
    """Remember what was used."""
    LOCK.write_text("".join(package.line() for package in sorted(packages, key=lambda p: p.name)))


def _read_lock() -> dict[str, Package]:
    rows = (line.split() for line in LOCK.read_text().splitlines())
    return {name: Package(name, version, sha256) for name, version, sha256 in rows}


def _apt_options(cache: Path) -> list[str]:
    for folder in ("lists/partial", "archives/partial", "debs", "files"):
        (cache / folder).mkdir(parents=True, exist_ok=True)
    folders = {"Dir::State::Lists": "lists", "Dir::Cache": ".", "Dir::Cache::Archives": "archives"}
    options = [f"-o{key}={(cache / folder).resolve()}" for key, folder in folders.items()]
    return [*options, "-oAPT::Sandbox::User=root", "-q=2"]


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True)


def _deb(name: str, cache: Path) -> Path | None:
    found = sorted((cache / "debs").glob(f"{name}_*.deb"))
    return found[-1] if found else None


def _describe(name: str, cache: Path) -> Package:
    path = _deb(name, cache)
    if path is None:
        raise SystemExit(f"apt-get download brought no file for {name}")
    version = subprocess.run(["dpkg-deb", "-f", path, "Version"], check=True, capture_output=True, text=True).stdout
    return Package(name, version.strip(), hashlib.sha256(path.read_bytes()).hexdigest())


def _unpack(package: Package, cache: Path) -> None:
    folder = cache / "files" / package.name
    done = folder / ".done"
    if not done.exists() or done.read_text() != package.sha256:
        folder.mkdir(exist_ok=True)
        _run(["dpkg-deb", "-x", str(_deb(package.name, cache)), str(folder)], cache)
        done.write_text(package.sha256)
