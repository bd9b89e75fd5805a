"""Shards read by the libraries that they are for: ``make readers``."""
