"""A tokenizer as another file: the same vocabulary in another format, or with more pieces."""
