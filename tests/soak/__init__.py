"""Load on a server, for as long as it takes to see what grows."""
