"""Steps: every step of encoding one text, as data: those of the reference, whose answer is checked with the kernel's.

``anypiece.steps.steps(tok, text)`` is what ``tok.explain(text).steps`` gives; ``sample_steps`` is the same for a draw.
``data`` says what they are made of, ``limits`` how much is shown.
"""

from __future__ import annotations

from .data import Steps
from .drawing import SampleSteps, sample_steps
from .encoding import steps

__all__ = ["SampleSteps", "Steps", "sample_steps", "steps"]
