"""Training: counts of words in, a Spec out."""
