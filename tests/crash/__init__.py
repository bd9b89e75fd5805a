"""Many runs of ``anypiece shards`` that are killed: ``make crash``."""
