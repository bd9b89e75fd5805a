"""Corpora: texts from files of any size, in parts."""
