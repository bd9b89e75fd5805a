"""Documents of any size to training shards: a plan, tasks that are pure functions of it, and a manifest.

``plan_shards`` writes what is to be done into a folder, ``run_shards`` does what is not done yet, and ``Shards`` reads the
result. What one task writes depends on the plan and its number alone, so neither threads nor processes nor a crash change
a byte.
"""

from .engine import run_shards
from .plan import Plan, plan_shards
from .reader import Shards
from .task import run_task
from .verify import verify_shards

__all__ = ["Plan", "Shards", "plan_shards", "run_shards", "run_task", "verify_shards"]
