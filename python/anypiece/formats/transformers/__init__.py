"""Model folders as AutoTokenizer of transformers reads them: config files, classes, files."""
