"""From a path to what a Tokenizer is made of, and back: files, model folders, self-test samples."""
