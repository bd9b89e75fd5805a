"""The commands and programs of ``docs/guide/clusters.md``, run as they stand there on a small corpus."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import anypiece as ap
from tests.support.corpora import TOK, tree, written
from tests.support.data import CACHE, ROOT

__all__ = ["problems"]

PAGE = ROOT / "docs" / "guide" / "clusters.md"
_TEXTS = [f"ab {number} c a" for number in range(3000)]
_JOBS = 3
_LIMIT = 400


def sections() -> dict[str, list[tuple[str, str]]]:
    """The blocks under each heading: their language and their lines."""
    found: dict[str, list[tuple[str, str]]] = {}
    heading, language, lines = "", None, []
    for line in PAGE.read_text("utf-8").splitlines():
        if language is not None and line == "```":
            found.setdefault(heading, []).append((language, "\n".join(lines)))
            language, lines = None, []
        elif language is not None:
            lines.append(line)
        elif line.startswith("```"):
            language = line[3:]
        elif line.startswith("## "):
            heading = line[3:].partition(",")[0]
    return found


def problems(engine: str, folder: Path, ray: dict[str, str]) -> list[str]:
    """What is wrong with the blocks of a section, which run one after the other in a folder; ``ray`` is its environment."""
    (folder / "data").mkdir(parents=True)
    for name, texts in (("a", _TEXTS[:1000]), ("b", _TEXTS[1000:])):
        written(folder / "data", "corpus.jsonl", texts).rename(folder / "data" / f"{name}.jsonl")
    TOK.save(folder / "tokenizer.json", "anypiece")  # files are told by what is in them
    blocks = sections()[engine.capitalize()]
    if len(blocks) < 2:
        return [f"{PAGE.name} has {len(blocks)} blocks for {engine}"]
    if engine != "slurm":
        blocks += [
            (language, text.replace("ENGINE", engine))
            for language, text in sections()["Words for training a vocabulary"]
        ]
    for number, (language, text) in enumerate(blocks):
        ranks = range(_JOBS) if "SLURM" in text else range(1)
        for rank in ranks:
            done = _run(engine, folder, language, text, rank, ray)
            if done.returncode:
                return [f"block {number} under {engine}: exit status {done.returncode}: {done.stderr.strip()[-2000:]}"]
    return _different(engine, folder)


def _run(
    engine: str, folder: Path, language: str, text: str, rank: int, ray: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    environments = {"slurm": ROOT / ".venv"}
    python = environments.get(engine, CACHE / f"{engine}-venv") / "bin" / "python"
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    script = tools / "anypiece"
    script.write_text(f'#!/bin/sh\nexec {python} -W ignore -m anypiece "$@"\n')
    script.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
        "PYSPARK_PYTHON": str(python),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "MASTER": "local[2]",
        **ray,
        "SLURM_ARRAY_TASK_ID": str(rank),
        "SLURM_ARRAY_TASK_COUNT": str(_JOBS),
    }
    command = [str(python), "-W", "ignore", "-c", text] if language == "py" else ["bash", "-euc", text]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=_LIMIT)


def _different(engine: str, folder: Path) -> list[str]:
    """What is not as it should be in the folders that the blocks made."""
    shards = ap.Shards(folder / ("shards" if engine == "slurm" else f"{engine}-shards"))
    end = TOK.eos_id
    if [ids.tolist() for ids in shards] != [[*TOK.encode(text), end] for text in _TEXTS]:
        return ["the shards have other ids than encode"]
    if engine == "slurm":
        return []
    local = folder / "local.words"
    ap.count_words(str(folder / "data" / "*.jsonl"), out=local)
    if local.read_bytes() != (folder / "cluster.words").read_bytes():
        return ["the table of words is not that of one process"]
    import pyarrow.dataset

    names = [name for name in tree(folder / f"{engine}-columns") if name.endswith(".parquet")]
    table = pyarrow.dataset.dataset([str(folder / f"{engine}-columns" / name) for name in names]).to_table()
    found = dict(zip(table["text"].to_pylist(), table["input_ids"].to_pylist(), strict=True))
    wrong = [text for text in _TEXTS if found.get(text) != TOK.encode(text)]
    shutil.rmtree(folder)
    return [f"the column of ids is wrong for {wrong[0]!r}"] if wrong or len(table) != len(_TEXTS) else []
