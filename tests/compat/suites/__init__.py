"""One module per suite, named as its page in ``docs/compat``; each has a ``SUITE``."""
