"""Benchmarks as data: definitions state the questions, engines answer them, ``run`` prints ratios to the reference.

Importing this package puts the checkout's own ``python/`` first on the path: what is measured is this tree.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
