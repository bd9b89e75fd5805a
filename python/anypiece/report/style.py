"""The colours and the stylesheet of all reports, light and dark, narrow and wide, on screens and on paper.

Every rule is below ``.ap``, so that a part of a report in a notebook leaves the notebook as it is. Colours are variables:
``--c0`` to ``--c7`` for lines and bars, which stand out from the ground by 3 to 1, and ``--t0`` to ``--t5`` for grounds of
text.
"""

from __future__ import annotations

import base64
import hashlib

__all__ = ["BLOCKS", "COLOURS", "DARK", "LIGHT", "SCALE", "STYLE", "STYLE_SOURCE"]

SCALE = 8
"""How many colours there are for lines and bars."""
BLOCKS = 6
"""How many there are for the grounds of tokens."""

LIGHT = {
    "ink": "#1f2328", "soft": "#59636e", "line": "#d1d9e0", "ground": "#fff", "band": "#f6f8fa", "good": "#1a7f37",
    "bad": "#cf222e",
    "c0": "#0969da", "c1": "#bc4c00", "c2": "#1a7f37", "c3": "#8250df", "c4": "#9a6700", "c5": "#cf222e", "c6": "#0a7d8c",
    "c7": "#6e7781",
    "t0": "#cfe4fd", "t1": "#ffdfc2", "t2": "#c9f0d1", "t3": "#e9dcfc", "t4": "#f7e6a8", "t5": "#fcd7dc",
}  # fmt: skip
DARK = {
    "ink": "#e6edf3", "soft": "#9198a1", "line": "#3d444d", "ground": "#0d1117", "band": "#151b23", "good": "#3fb950",
    "bad": "#f85149",
    "c0": "#4493f8", "c1": "#f0883e", "c2": "#3fb950", "c3": "#ab7df8", "c4": "#d29922", "c5": "#f85149", "c6": "#39c5cf",
    "c7": "#9198a1",
    "t0": "#123a6b", "t1": "#5a2f0c", "t2": "#114a22", "t3": "#3f2a6b", "t4": "#4d3a08", "t5": "#67202b",
}  # fmt: skip


def _variables(colours: dict[str, str]) -> str:
    return ";".join(f"--{name}:{value}" for name, value in colours.items())


COLOURS = (
    f".ap{{color-scheme:light dark;{_variables(LIGHT)}}}\n"
    f"@media (prefers-color-scheme:dark){{.ap{{{_variables(DARK)}}}}}\n"
)
"""The colours as variables of CSS, for pages with a stylesheet of their own."""

_PAINT = "".join(
    f".ap .k{number}{{background:var(--c{number})}}.ap .f{number}{{fill:var(--c{number})}}"
    f".ap .s{number}{{stroke:var(--c{number})}}"
    for number in range(SCALE)
) + "".join(f".ap .blocks .t{number}{{background:var(--t{number})}}" for number in range(BLOCKS))

_RULES = """
.ap,.ap *{box-sizing:border-box}
.ap{background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,'Noto Sans','DejaVu Sans',sans-serif}
body.ap{margin:0 auto;max-width:64rem;padding:2rem 1.25rem 4rem}
div.ap{padding:.6rem .9rem;max-width:64rem}
.ap h1{font-size:1.7rem;line-height:1.3;margin:0 0 .25rem}.ap h2{font-size:1.2rem;margin:2.2rem 0 .6rem}
.ap h3{font-size:1rem;margin:1.4rem 0 .4rem}.ap p{margin:.4rem 0;max-width:46rem}
.ap h1,.ap h2,.ap h3,.ap p,.ap dd,.ap li,.ap figcaption,.ap summary{overflow-wrap:anywhere}
.ap .lead,.ap .note{color:var(--soft)}.ap .scroll{overflow-x:auto}
.ap .scroll:focus-visible,.ap summary:focus-visible{outline:2px solid var(--c0);outline-offset:2px}
.ap table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.6rem 0;font-size:.92rem;color:inherit}
.ap caption{text-align:left;color:var(--soft);padding-bottom:.3rem;caption-side:top}
.ap th,.ap td{padding:.28rem .8rem .28rem 0;border:0;border-bottom:1px solid var(--line);text-align:right;
vertical-align:top;background:none}
.ap td{white-space:nowrap}.ap th:first-child{text-align:left;min-width:8rem;max-width:22rem;overflow-wrap:anywhere}
.ap .w{text-align:left;white-space:normal;min-width:6rem;max-width:40rem;overflow-wrap:anywhere}
.ap tbody th{font-weight:400}
.ap thead th{border-bottom:2px solid var(--line);font-weight:600;vertical-align:bottom;max-width:9rem}
.ap tbody tr:hover{background:var(--band)}.ap td.best{font-weight:700}.ap tr.won>*{font-weight:700}
.ap code,.ap .piece{font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:.9em}
.ap .piece{background:var(--band);padding:.05em .35em;border-radius:.3em;unicode-bidi:isolate;display:inline-block;
max-width:100%;white-space:pre-wrap;overflow-wrap:anywhere}
.ap .pieces{display:flex;flex-wrap:wrap;gap:.35rem;list-style:none;padding:0;margin:.4rem 0}
.ap .pieces small{color:var(--soft);margin:0 .5rem 0 .3rem;font-variant-numeric:tabular-nums}
.ap .blocks{line-height:2;margin:.6rem 0;padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1px}
.ap .blocks li{text-align:center}.ap .blocks .piece{padding:.1em .3em;border-radius:.2em;color:var(--ink)}
.ap .blocks .k{display:block;padding:0 .3em;font-size:.7rem;line-height:1.2;color:var(--soft)}
.ap figure{margin:.6rem 0}.ap figcaption{color:var(--soft);font-size:.92rem}
.ap svg{display:block}.ap svg.plot{overflow:visible}
.ap .plot text{fill:var(--soft);font-size:12.5px;font-variant-numeric:tabular-nums;font-family:inherit}
.ap .plot .mid{text-anchor:middle}.ap .plot .end{text-anchor:end}
.ap .plot .axis{stroke:var(--line)}.ap .plot .whisker{stroke:var(--ink);stroke-width:1.5}
.ap .plot .lines path{fill:none;stroke-width:2;vector-effect:non-scaling-stroke}
.ap .bars>div{display:grid;grid-template-columns:11rem 1fr;gap:0 .8rem;align-items:center;margin:0 0 .7rem}
.ap .bars b{font-weight:400;font-size:.92rem;line-height:1.3;text-align:right;overflow-wrap:anywhere;unicode-bidi:isolate}
.ap .legend{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;list-style:none;padding:0;margin:.3rem 0;font-size:.92rem}
.ap .legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:.2rem;margin-right:.4rem;vertical-align:-.08rem}
.ap dl.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.6rem 1.2rem;margin:1rem 0}
.ap dl.facts div{border-top:2px solid var(--line);padding-top:.3rem}.ap dt{color:var(--soft);font-size:.85rem}
.ap dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums}
.ap summary{cursor:pointer;color:var(--soft);font-size:.92rem}
.ap .k,.ap i,.ap .plot rect,.ap .blocks .piece{print-color-adjust:exact}
@media (max-width:40rem){body.ap{padding:1.2rem 1rem 3rem}.ap .bars>div{grid-template-columns:1fr}
.ap .bars b{text-align:left}.ap .plot .more{display:none}}
"""

STYLE = COLOURS + _RULES + _PAINT
"""All of it."""

STYLE_SOURCE = f"'sha256-{base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'"
"""How a content security policy permits a ``<style>`` with exactly ``STYLE``."""
