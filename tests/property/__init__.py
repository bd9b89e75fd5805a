"""Properties: every path through the kernel gives the same result as the reference path."""
