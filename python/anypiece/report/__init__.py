"""Reports in one look: pages, parts of pages for notebooks, tables and charts. They know nothing of tokenizers.

``style`` has the colours and the stylesheet, ``page`` what a page is made of, ``charts`` pictures as SVG, ``tokens`` pieces
as coloured blocks. A page loads nothing and runs nothing: no script, no attribute with style or code, and one stylesheet,
which its own policy names by its digest.
"""

from __future__ import annotations

from .charts import bars, columns, lines
from .page import Html, details, facts, fragment, literal, page, paragraph, pieces, section, table
from .style import COLOURS, STYLE
from .tokens import Block, blocks

__all__ = [
    "COLOURS",
    "STYLE",
    "Block",
    "Html",
    "bars",
    "blocks",
    "columns",
    "details",
    "facts",
    "fragment",
    "lines",
    "literal",
    "page",
    "paragraph",
    "pieces",
    "section",
    "table",
]
