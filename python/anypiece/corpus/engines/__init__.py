"""Plans of shards on clusters: Ray and Spark, which are loaded when they are used.

Both only hand out numbers of tasks, since a task is a pure function of the plan and its number: the bytes are those of
``run_shards``. All machines must see the folder of the plan and the inputs under the same paths, and have this package.
"""
