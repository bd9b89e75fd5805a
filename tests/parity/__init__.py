"""Parity: every id, piece, span and decoded text equals sentencepiece's."""
