"""What a Tokenizer does with text and ids: specials, padding, truncation, streams, sampling, decoding."""
