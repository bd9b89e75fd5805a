"""A tokenizer of transformers with AnyPiece's engine beside itself without it, for every file of tokenizers:
``python -m tests.parity.patched [NAME ...]``.

Each file is opened with its config where it has one. 300 texts are asked one by one and in batches, with padding,
truncation, pairs and kinds of results (lists, numpy, torch) in all combinations, before and after tokens are added. Prints
for each file how many answers were compared, and in the end files, comparisons and differences; the status is 1 if anything
differs, or a file keeps its original engine. torch and transformers come into ``.cache/peers``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.data import DATA, ROOT, corpus_bytes, corpus_names, folder, hf_file

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TEXTS", "compared", "files", "main", "texts"]

TEXTS = 300
_ODD = [
    "", "a", " ", "Hello, world!  ", "  two  spaces\n\nlines\t", "I'm <s>here</s> <unk> [MASK] <|endoftext|> [CLS]",
    "日本語のテキスト", "é\u0301 ñ ﬁ Ⅷ", "👩\u200d👧 emoji 🤗🤗", "x" * 300, "-" * 34, "1234567890 12,345.67",
    "<|begin_of_text|><|eot_id|> <pad>", "\u200b\ufeff zero", " leading", "anypiece two words anypieces",
]  # fmt: skip


def files() -> list[str]:
    """All files of tokenizers, without their ``.json``."""
    found = sorted((DATA / "models" / "hf").glob("*.json.gz")) if DATA else []
    return [path.name.removesuffix(".json.gz") for path in found if "config" not in path.name]


@lru_cache(maxsize=1)
def texts() -> tuple[str, ...]:
    """Odd texts, and parts of all corpora."""
    draws = random.Random(5)
    found, names = list(_ODD), sorted(corpus_names())
    draws.shuffle(names)
    for name in names[:40]:
        raw = corpus_bytes(name)
        for _ in range(1 + (TEXTS - len(_ODD)) // 40):
            at = draws.randrange(max(1, len(raw) - 200))
            found.append(raw[at : at + draws.choice([10, 40, 150])].decode("utf-8", "ignore"))
    return tuple(found[:TEXTS])


def compared(
    name: str,
    texts: Sequence[str],
    *,
    path: Sequence[Path],
    kinds: Sequence[str] = ("none", "np", "pt"),
    share: int = 1,
) -> dict[str, Any]:
    """What a process of its own finds on one file; ``path`` has transformers, and torch where its tensors are wanted."""
    with tempfile.TemporaryDirectory() as made:
        place, listed = Path(made, "model"), Path(made, "texts.json")
        place.mkdir()
        listed.write_text(json.dumps(texts), "utf-8")
        opened = place / "tokenizer.json"
        opened.write_bytes(hf_file(name))
        config = folder() / "models" / "hf" / f"{name.removesuffix('.tokenizer')}.tokenizer_config.json.gz"
        if config.exists():
            (place / "tokenizer_config.json").write_bytes(gzip.decompress(config.read_bytes()))
            opened = place
        known = filter(None, [*map(str, path), str(ROOT), os.environ.get("PYTHONPATH")])
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.support.patched_worker",
                str(opened),
                str(listed),
                ",".join(kinds),
                str(share),
            ],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(known),
                "HF_HUB_OFFLINE": "1",
                "TOKENIZERS_PARALLELISM": "false",
                "CUDA_VISIBLE_DEVICES": "",
            },
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _line(name: str, found: dict[str, Any]) -> str:
    told = f"{found['comparisons']:,} compared ({found['raised']:,} raise on both), {found['count']} differ"
    rows = [f"{name}: {told}", *(f"  {row}" for row in found["differences"])]
    return "\n".join(rows + [f"  keeps its engine: {found['refused']}"] * (found["refused"] is not None))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare files by name, or all; 1 if one differs or keeps its engine."""
    from tests.support.training_peers import training_path

    parser = argparse.ArgumentParser(
        prog="python -m tests.parity.patched", description=(__doc__ or "").partition("\n\n")[2]
    )
    parser.add_argument("name", nargs="*", choices=[*files(), []], help="files without .json; all if none is named")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument(
        "--share", type=int, default=1, metavar="N", help="ask each batch with one in N combinations of options"
    )
    chosen = parser.parse_args(arguments)
    wanted = chosen.name or files()
    total = {"comparisons": 0, "raised": 0, "count": 0}
    kept = 0
    one = partial(compared, texts=texts(), path=training_path(), share=chosen.share)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for name, found in zip(wanted, pool.map(one, wanted), strict=True):
            print(_line(name, found), flush=True)
            total = {key: count + found[key] for key, count in total.items()}
            kept += found["refused"] is not None
    print(
        f"patched transformers: {len(wanted)} files, {total['comparisons']:,} comparisons "
        f"({total['raised']:,} raise on both), {total['count']} differences, {kept} with their original engine"
    )
    return int(bool(total["count"] or kept or not wanted))


if __name__ == "__main__":
    sys.exit(main())
