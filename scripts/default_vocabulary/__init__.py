"""Builds the vocabulary that ``anypiece.load()`` opens: ``python -m scripts.default_vocabulary --help``."""
