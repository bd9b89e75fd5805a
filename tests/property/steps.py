"""``python -m tests.property.steps``: the laws of steps over every real file, on 200 short texts each; exit code 1 if one
fails."""

from __future__ import annotations

import argparse
import fnmatch
import sys
from random import Random

import anypiece as ap
from tests.property.linear_time import files
from tests.property.streams import opened
from tests.support import data
from tests.support.steps import assert_draw, assert_steps
from tests.support.texts import SEED, sampled_lines

__all__ = ["check_file", "main", "short_texts"]

COUNT = 200
METHODS = {"unigram": "lattice", "bpe": "dropout"}
MOST = 60
"""Characters of a text."""
ODD = (
    "",
    " ",
    "  a  b ",
    "naïve café",
    "🎉👩‍💻",
    "今天天气不错",
    "don't 12345",
    "a\u0301\u00ad\ufb01",
    "<s> <|endoftext|> [CLS]",
    "\x00\t\n",
)


def short_texts(name: str, count: int) -> list[str | bytes]:
    """Odd texts, and stretches of lines of every corpus; some of them as bytes, some of these cut inside a character."""
    rng = Random(f"{SEED} steps {name}")
    corpora = data.corpus_names()
    texts: list[str | bytes] = [*ODD]
    while len(texts) < count:
        line = rng.choice(_lines(rng.choice(corpora))).decode("utf-8", "replace")
        start = rng.randrange(max(len(line) - 20, 1))
        text = line[start : start + rng.randrange(1, MOST)]
        texts.append(text.encode()[: rng.randrange(1, MOST)] if rng.random() < 0.1 else text)
    return texts[:count]


_LINES: dict[str, list[bytes]] = {}


def _lines(corpus: str) -> list[bytes]:
    if corpus not in _LINES:
        _LINES[corpus] = sampled_lines(corpus, 40)
    return _LINES[corpus]


def check_file(tok: ap.Tokenizer, name: str, count: int) -> None:
    """Hold the laws for some short texts."""
    method = METHODS.get(tok.spec.segmenter)
    for number, text in enumerate(short_texts(name, count)):
        assert_steps(tok, text, specials="parse" if number % 2 else "text")
        if method is not None and number % 8 == 0:
            assert_draw(tok, text, 0.2, seed=number, method=method)


def main() -> int:
    """Check every file, or those that a pattern names."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--files", default="*")
    parser.add_argument("--count", type=int, default=COUNT)
    options = parser.parse_args()
    failed = 0
    for name in fnmatch.filter(files(), options.files):
        try:
            check_file(opened(name), name, options.count)
        except (AssertionError, ap.AnyPieceError) as error:
            failed += 1
            print(f"FAILS {name}: {str(error)[:300]}", flush=True)
        else:
            print(f"holds {name}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
