"""The documents are held to their word: examples run, links lead somewhere, generated parts are current."""
