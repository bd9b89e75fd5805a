"""Rows of a run as ratios, records, and tables."""
