"""Tokenizers where data is loaded: expressions of polars, functions for ``datasets``, batches for torch.

Each module is imported by its own name, and its library when it is used.
"""
