"""Write ``bytepiece.json`` with what bytepiece 0.6.3 makes of made-up lines.

    python tests/cases/training/record.py

Run it where that package is installed; no other part of the project is needed.
"""

from __future__ import annotations

import base64
import json
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bytepiece import Trainer  # type: ignore[import-not-found,unused-ignore]

from tests.support.made_lines import made_lines

CASES = [
    ("latin", {"max_vocab_size": [500, 400, 300]}),
    ("han", {"max_vocab_size": 330}),
    ("han", {"max_vocab_size": 400, "ensure_unicode": False, "order": 4}),
    ("cyrillic", {"max_vocab_size": 320, "max_piece_length": 8, "min_count": 3, "order": 3}),
    ("cyrillic", {"max_vocab_size": 600, "isolate_digits": True, "min_count": 1, "order": 7}),
]


def main() -> None:
    """Write the file."""
    if version("bytepiece") != "0.6.3":
        sys.exit("This needs bytepiece 0.6.3.")
    cases = []
    for seed, (script, options) in enumerate(CASES):
        trainer = Trainer(**options)
        trainer.train(made_lines(seed, script, 300))
        dumps = [trainer.dump(pieces) for pieces in trainer.pieces]
        rows = [{base64.b64decode(key).hex(): row[2] for key, row in dump.items()} for dump in dumps]
        case = {"seed": seed, "script": script, "lines": 300, "options": options, "pieces": rows}
        cases.append(json.dumps(case))
    Path(__file__).with_name("bytepiece.json").write_text("[\n" + ",\n".join(cases) + "\n]\n", "utf-8")


if __name__ == "__main__":
    main()
