"""What several test folders share: data, text generators, peers in subprocesses, hand-made vocabularies."""
