"""Two tokenizers against each other: whether they agree on every text, and how they differ on a corpus."""
