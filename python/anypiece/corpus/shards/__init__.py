"""Documents of any size to training shards: a plan, tasks that are pure functions of it, and a manifest.

``plan_shards`` writes what is to be done into a folder, ``run_shards`` does what is not done yet, and ``Shards`` reads the
result. What one task writes depends on the plan and its number alone, so neither threads nor processes nor a crash change
a byte.
"""

from .engine import run_shards
from .estimate import Estimate, estimate_shards
from .plan import Plan, plan_shards
from .reader import Shards
from .repacking import merge_shards, repack_shards
from .statistics import Statistics, shard_statistics
from .task import run_task
from .verify import verify_shards

__all__ = [
    "Estimate",
    "Plan",
    "Shards",
    "Statistics",
    "estimate_shards",
    "merge_shards",
    "plan_shards",
    "repack_shards",
    "run_shards",
    "run_task",
    "shard_statistics",
    "verify_shards",
]
