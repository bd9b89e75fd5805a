"""Shards and tables of words by Ray and Spark, for real: ``make engines``."""
