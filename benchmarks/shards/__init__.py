"""How fast a corpus becomes shards, from file to file."""
