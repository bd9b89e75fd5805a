"""Texts made to hurt: right ids, linear time, no crash."""
