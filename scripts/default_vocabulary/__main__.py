"""``python -m scripts.default_vocabulary``: fetch the packages, build the corpus, train, write the file and its card.

Needs apt-get and dpkg-deb (Debian 12) and Python 3.11; no root. Takes about a quarter of an hour, nearly all of it reading.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

from .card import card
from .corpus import build
from .fetch import fetch, write_lock
from .train import train

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def main() -> None:
    """Do it."""
    parser = argparse.ArgumentParser(prog="python -m scripts.default_vocabulary")
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "default-vocabulary", help="packages go here")
    parser.add_argument("--output", type=Path, default=ROOT / "python" / "anypiece" / "data")
    parser.add_argument("--update-lock", action="store_true", help="take the versions the archive offers now")
    arguments = parser.parse_args()

    config = tomllib.loads((HERE / "sources.toml").read_text("utf-8"))
    names = list(dict.fromkeys(name for source in config["source"] for name in source["packages"]))
    packages = fetch(names, arguments.cache, update=arguments.update_lock)
    print(f"{len(packages)} packages; reading")
    corpus = build(config, arguments.cache / "files")
    print(f"{sum(corpus.characters().values()):,} characters in {len(corpus.train)} slices; training")
    tok = train(corpus, config["train"])
    arguments.output.mkdir(parents=True, exist_ok=True)
    tok.save(arguments.output / "default.model")
    data = (arguments.output / "default.model").read_bytes()
    (arguments.output / "MODEL_CARD.md").write_text(card(tok, data, corpus, config, packages), "utf-8")
    if arguments.update_lock:
        write_lock(packages)
    print(f"{len(data):,} bytes in {arguments.output / 'default.model'}")


if __name__ == "__main__":
    main()
