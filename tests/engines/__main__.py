"""``python -m tests.engines [slurm] [ray] [spark]``: shards by Ray and by Spark, compared with those of one process.

Each engine runs in an environment of its own, with a worker killed meanwhile; the commands of the page about clusters are
run, too. Exit status 1 if a byte differs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from anypiece.corpus.shards import plan_shards
from tests.engines.page import problems
from tests.engines.victims import apart
from tests.support.corpora import TOK, tree
from tests.support.data import CACHE, ROOT

PLANS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("megatron", {"sample": 0.2, "seed": 5}),
    ("numpy", {"dedupe": True, "shuffle": True, "seed": 5}),
)
_LIMIT = 400
_LINES = 8_000


def corpus(folder: Path) -> Path:
    """Files enough for tasks of about a second, by draws, which take their time."""
    data = folder / "data"
    data.mkdir()
    for name in "abcd":
        lines = (f"ab {number} c a b é 🦊 " * (number % 9 + 1) for number in range(_LINES))
        (data / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return data


def planned(data: Path, out: Path, row: int) -> None:
    format, options = PLANS[row]
    plan_shards(data, TOK, out, **{"format": format, "shard_size": 300_000, **options})


def by(engine: str, folder: Path, data: Path, ray: dict[str, str]) -> list[str]:
    """What is wrong with the shards of an engine, beside those of one process in its environment."""
    for row in range(len(PLANS)):
        planned(data, folder / f"{engine}-{row}", row)
        planned(data, folder / f"local-{engine}-{row}", row)
    python = CACHE / f"{engine}-venv" / "bin" / "python"
    path = os.pathsep.join([str(ROOT / "python"), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": str(python), **ray}
    wanted = []
    for row in range(len(PLANS)):
        out = folder / f"local-{engine}-{row}"
        local = [str(python), "-m", "anypiece", "shards", "run", "--processes", "1", str(out)]
        subprocess.run(local, env=environment, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, timeout=_LIMIT)
        wanted.append(tree(out))
    command = [str(python), "-W", "ignore", "-m", f"tests.engines.by_{engine}", str(folder)]
    try:
        done = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=_LIMIT, start_new_session=True
        )
    except subprocess.TimeoutExpired as error:
        return [f"it did not end within {_LIMIT} seconds: {(error.stderr or b'')[-2000:]!r}"]
    print(done.stdout, end="", flush=True)
    if done.returncode:
        return [f"exit status {done.returncode}: {done.stderr.strip()[-3000:]}"]
    wrong = []
    for row, files in enumerate(wanted):
        found = tree(folder / f"{engine}-{row}")
        names = sorted(name for name in {*found, *files} if found.get(name) != files.get(name))
        wrong += [f"{PLANS[row]}: {', '.join(names[:9])} differ"] * bool(names)
        print(f"{engine}: {PLANS[row][0]}, {len(files)} files, {'other' if names else 'the same'} bytes", flush=True)
    return wrong


def main() -> int:
    """Do it; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.engines", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help="slurm, ray, spark; default: all")
    engines = parser.parse_args().engines or ["slurm", "ray", "spark"]
    wrong = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:  # Ray's last processes may still write
        folder = Path(name)
        data = corpus(folder)
        ray = apart(folder)
        for engine in engines:
            found = [] if engine == "slurm" else by(engine, folder, data, ray)
            found += problems(engine, folder / f"page-{engine}", ray)
            print(f"{engine}: the page's commands were run", flush=True)
            for problem in found:
                print(f"{engine}: WRONG: {problem}", flush=True)
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
