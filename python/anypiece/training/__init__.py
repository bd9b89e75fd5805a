"""Training: counts of words in, a Spec out.

``pipeline`` has the way from a corpus to a tokenizer: ``preparation`` says how text becomes words, ``words`` counts them in
bounded memory, and one module for each kind of vocabulary makes it of the counts. ``report`` says what came of it, and
``extension`` adds to a vocabulary that is there.
"""

from .extension import Growth, grow_on
from .kinds import KINDS
from .pipeline import count_words, plan_of, train, trained
from .report import Report, report_on
from .words import WordCounts, merge_words

__all__ = [
    "KINDS", "Growth", "Report", "WordCounts", "count_words", "grow_on", "merge_words", "plan_of", "report_on", "train",
    "trained",
]  # fmt: skip
