"""Definitions, documents, worker processes and rounds: everything from a question to timed and checked rows."""
