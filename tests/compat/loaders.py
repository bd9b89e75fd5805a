"""The process that tries ``anypiece.loaders`` with datasets and torch on its path, and the examples of its page.

``python -m tests.compat.loaders PAGE`` is run by ``make compat``; files of the examples go to a temporary folder.
"""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest

import anypiece as ap
from anypiece.corpus.shards import plan_shards, run_shards
from anypiece.loaders.datasets import Count, Encode
from anypiece.loaders.shards import ShardBlocks
from anypiece.loaders.torch import Collate, Numbered

TOK = ap.load()
TEXTS = [None if number % 7 == 3 else f"text number {number} " * (number % 4) for number in range(40)]
LABELED = [{"text": f"example number {number} of many", "label": number} for number in range(11)]
EPOCHS = 3


def _ids(**options: Any) -> list[list[int] | None]:
    return [None if text is None else TOK.encode(text, **options) for text in TEXTS]


def _fingerprint(**options: Any) -> str:
    from datasets.fingerprint import Hasher

    found: str = Hasher.hash(Encode(ap.load(), add_special=True, **options))
    return found


def _try_mapping() -> None:
    from datasets import Dataset, disable_progress_bars

    disable_progress_bars()
    data = Dataset.from_dict({"text": TEXTS, "label": list(range(len(TEXTS)))})
    made = {}
    for processes in (None, 1, 2, 3):
        mapped = data.map(Encode(ap.load(), add_special=True), batched=True, batch_size=9, num_proc=processes)
        assert mapped["input_ids"][:] == _ids(add_special=True), processes
        assert mapped.column_names == ["text", "label", "input_ids"]
        made[processes] = mapped._fingerprint
    # datasets itself tells one process from many where it names caches, and many from each other by their parts.
    assert made[2] == made[3], made
    arrow = data.with_format("arrow").map(Encode(TOK, add_special=True), batched=True, batch_size=9, num_proc=2)
    assert arrow.with_format(None)["input_ids"][:] == _ids(add_special=True)
    assert arrow.column_names == ["text", "label", "input_ids"]
    alone = data.with_format("arrow").map(Encode(TOK), batched=True, remove_columns=["text", "label"])
    assert alone.with_format(None)["input_ids"][:] == _ids()
    counts = data.map(Count(TOK, to="n"), batched=True)["n"][:]
    assert counts == [None if ids is None else len(ids) for ids in _ids()]


def _try_fingerprints() -> None:
    code = "from tests.compat.loaders import _fingerprint; print(_fingerprint())"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2", "3")
    }
    assert runs == {_fingerprint()}, runs
    assert _fingerprint(reverse=True) not in runs


def _drawn(loader: Any, data: Numbered) -> list[dict[int, list[int]]]:
    """The draw of each example in each epoch, by its label."""
    epochs = []
    for epoch in range(EPOCHS):
        data.set_epoch(epoch)
        rows: dict[int, list[int]] = {}
        for batch in loader:
            for ids, mask, label in zip(batch.input_ids, batch.attention_mask, batch.label, strict=True):
                rows[int(label)] = ids[mask.bool()].tolist()
        epochs.append(rows)
    return epochs


def _try_draws() -> None:
    import torch
    from torch.utils.data import DataLoader

    sampler = TOK.sampler(0.1, seed=7, add_special="bos")
    wanted = [
        {n: sampler(row["text"], index=n, epoch=epoch) for n, row in enumerate(LABELED)} for epoch in range(EPOCHS)
    ]
    assert wanted[0] != wanted[1] != wanted[2]
    starts = [(0, None), (1, "fork"), (2, "fork"), (3, "fork"), (2, "spawn")]
    for workers, start in starts:
        for batch_size, persistent in ((3, True), (4, False)):
            data = Numbered(LABELED)
            options: dict[str, Any] = {"num_workers": workers, "multiprocessing_context": start}
            options["persistent_workers"] = persistent and workers > 0
            collate = Collate(sampler, pad_id=0)
            loader: Any = DataLoader(data, batch_size=batch_size, shuffle=True, collate_fn=collate, **options)  # type: ignore[arg-type]
            assert _drawn(loader, data) == wanted, (workers, start, batch_size, persistent)
    from datasets import Dataset

    data = Numbered(Dataset.from_list(LABELED))
    loader = DataLoader(
        data, batch_size=4, collate_fn=Collate(sampler, pad_id=0), num_workers=2, persistent_workers=True
    )  # type: ignore[arg-type]
    assert _drawn(loader, data) == wanted
    batch = next(iter(DataLoader(["ab", "a b c"], 2, collate_fn=Collate(TOK, pad_id=0, labels=True))))  # type: ignore[arg-type, var-annotated]
    assert batch.input_ids.dtype == batch.labels.dtype == torch.int64
    assert (batch.labels == -100).sum() == (batch.attention_mask == 0).sum() > 0
    copy = pickle.loads(pickle.dumps(data))
    assert (copy.epoch, len(copy), copy[-1].number) == (EPOCHS - 1, 11, 10)


def _epoch_of(data: ShardBlocks, workers: int, start: str | None = None) -> list[list[int]]:
    """The batches of a pass, as lists of ids."""
    from torch.utils.data import DataLoader

    loader: Any = DataLoader(data, batch_size=data.batch_size, num_workers=workers, multiprocessing_context=start)  # type: ignore[arg-type, var-annotated]
    return [batch.flatten().tolist() for batch in loader]


def _try_shards(folder: Path) -> None:
    """Each token once in an epoch, with any number of workers and ranks; resumed at every step."""
    import torch

    (folder / "lines.txt").write_text("".join(f"line number {number} of the corpus\n" * 3 for number in range(200)))
    plan_shards(folder / "lines.txt", TOK, folder / "ids", format="numpy", shard_size=4000)
    run_shards(folder / "ids", processes=1)
    stream = [int(id) for ids in ap.Shards(folder / "ids") for id in ids]
    length = 16
    blocks = [tuple(stream[at : at + length]) for at in range(0, len(stream) - length + 1, length)]
    data = ShardBlocks(folder / "ids", length, batch_size=4, seed=3)
    assert isinstance(data, torch.utils.data.IterableDataset)
    epochs = []
    for epoch in range(2):
        data.set_epoch(epoch)
        alone = _epoch_of(data, 0)
        found = [tuple(ids[at : at + length]) for ids in alone for at in range(0, len(ids), length)]
        assert sorted(found) == sorted(blocks)
        for workers, start in ((1, "fork"), (3, "fork"), (2, "spawn")):
            assert _epoch_of(data, workers, start) == alone, (epoch, workers, start)
        epochs.append(alone)
    assert epochs[0] != epochs[1]
    for step, workers in ((0, 0), (1, 2), (7, 3), (len(epochs[1]), 2)):
        again = ShardBlocks(folder / "ids", length, batch_size=4, seed=3)
        again.load_state_dict(pickle.loads(pickle.dumps(data.state_dict(step))))
        assert _epoch_of(again, workers) == epochs[1][step:], (step, workers)
    ranks = [
        ShardBlocks(folder / "ids", length, batch_size=4, rank=rank, world=3, drop_last=False) for rank in range(3)
    ]
    rows = [id for rank in ranks for batch in _rows(rank) for id in batch]
    assert sorted(rows) == sorted(stream)
    assert len({len(_rows(ShardBlocks(folder / "ids", length, rank=rank, world=3))) for rank in range(3)}) == 1
    plain = ShardBlocks(folder / "ids", length, shuffle=False)
    assert [tuple(block.tolist()) for block in plain] == blocks
    assert next(iter(plain)).dtype == torch.int64
    with pytest.raises(ap.InputError, match="rank must be below world"):
        ShardBlocks(folder / "ids", length, rank=2, world=2)


def _rows(data: ShardBlocks) -> list[list[int]]:
    return [block.tolist() for block in data]


def _try_refusals() -> None:
    from torch.utils.data import DataLoader, IterableDataset

    class Stream(IterableDataset[str]):
        def __iter__(self) -> Any:
            return iter(["a"])

    with pytest.raises(ap.InputTypeError, match="a data set with a length and items"):
        Numbered(Stream())
    collate = Collate(TOK.sampler(0.1, seed=7), pad_id=0)
    with pytest.raises(ap.InputTypeError, match=r"DataLoader\(Numbered\(dataset\)"):
        next(iter(DataLoader(["a"], collate_fn=collate, num_workers=1)))  # type: ignore[arg-type, var-annotated]


def _try_page(page: Path) -> None:
    """The blocks of Python of the page, those that are executed elsewhere included: they share their names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for kind, block in re.findall(r"^```(python|py)\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S):
        if ">>>" not in block:
            exec(compile(block, f"{page} ({kind})", "exec"), names)


def main() -> None:
    """Try all of it."""
    import datasets
    import torch

    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    page = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as place:
        os.environ["HF_HOME"] = place
        os.chdir(place)
        _try_mapping()
        _try_fingerprints()
        _try_draws()
        _try_refusals()
        _try_shards(Path(place))
        _try_page(page)
        os.chdir(page.parent)
    print("all is well with datasets", datasets.__version__, "and torch", torch.__version__.partition("+")[0])


if __name__ == "__main__":
    main()
