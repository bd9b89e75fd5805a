"""What a tokenizer is and does, for people: its stages, its settings, what looks wrong in it; on a terminal or as HTML."""
