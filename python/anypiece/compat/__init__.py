"""Other libraries' surfaces over this engine: change one import and keep the rest of a program.

``anypiece.compat.sentencepiece``, ``anypiece.compat.tiktoken``, ``anypiece.compat.tokenizers`` and
``anypiece.compat.transformers`` are imported one by one; this module imports none of them.
"""
