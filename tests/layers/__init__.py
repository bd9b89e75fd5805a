"""Which part of the code may import which."""
