"""From the text of a chat template to code: what jinja2 makes of it, with calls of the environment where work can grow.

Joins, slices, comparisons, keys and literals go through ``chat_sandbox.Bounded``, which counts them. What is too much to be
compiled in a moment is refused before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, operators
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension

if TYPE_CHECKING:
    from jinja2.compiler import Frame
    from jinja2.parser import Parser

__all__ = ["MOST_BITS", "Generation", "Generator", "refuse_large_tree"]

MOST_BITS = 60
"""Numbers beyond this many bits could all have one hash."""
_MOST_NODES = 20_000
_MOST_NAMES = 500
_CONTAINMENT = ("in", "notin")


class Generator(CodeGenerator):
    """Writes what can grow as calls of the environment."""

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        self.write("environment.joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802
        if not isinstance(node.arg, nodes.Slice):
            super().visit_Getitem(node, frame)
            return
        self.write("environment.sliced(")
        self.visit(node.node, frame)
        for bound in (node.arg.start, node.arg.stop, node.arg.step):
            self.write(", ")
            self.visit(bound or nodes.Const(None), frame)
        self.write(")")

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:  # noqa: N802
        """Each side is weighed, unless it is compared with a constant alone: that takes no longer than the constant is."""
        sides = [node.expr, *(op.expr for op in node.ops)]
        is_short = len(node.ops) == 1 and any(map(_is_constant, sides))
        self.write("(")
        for place, side in enumerate(sides):
            before = node.ops[place - 1].op if place else ""
            self.write(f" {operators[before]} " if place else "")
            if place == len(node.ops) and before in _CONTAINMENT:
                self._through("searched", side, frame)
            elif is_short:
                self.visit(side, frame)
            else:
                self._through("weighed", side, frame)
        self.write(")")

    def visit_List(self, node: nodes.List, frame: Frame) -> None:  # noqa: N802
        self.write("environment.made(")
        super().visit_List(node, frame)
        self.write(")")

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:  # noqa: N802
        if node.ctx != "load":
            super().visit_Tuple(node, frame)
            return
        self.write("environment.made(")
        super().visit_Tuple(node, frame)
        self.write(")")

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:  # noqa: N802
        self.write("environment.made({")
        for item in node.items:
            self._through("weighed", item.key, frame)
            self.write(": ")
            self.visit(item.value, frame)
            self.write(", ")
        self.write("})")

    def _through(self, method: str, node: nodes.Expr, frame: Frame) -> None:
        if _is_constant(node):
            self.visit(node, frame)
            return
        self.write(f"environment.{method}(")
        self.visit(node, frame)
        self.write(")")


def _is_constant(node: nodes.Expr) -> bool:
    if isinstance(node, (nodes.List, nodes.Tuple)):
        return all(isinstance(item, nodes.Const) for item in node.items)
    return isinstance(node, nodes.Const)


class Generation(Extension):
    """``{% generation %}`` marks what the model wrote; the text is that of its body."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        return nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True)).set_lineno(line)


def refuse_large_tree(tree: nodes.Template) -> None:
    """Raise ``SecurityError`` for a template that would take long to compile, or has numbers beyond ``MOST_BITS``."""
    number, names, waiting = 0, set[str](), list[nodes.Node]([tree])
    while waiting:
        node = waiting.pop()
        number += 1
        waiting.extend(node.iter_child_nodes())
        if isinstance(node, nodes.Name):
            names.add(node.name)
        if isinstance(node, nodes.Const) and isinstance(node.value, int) and node.value.bit_length() > MOST_BITS:
            raise SecurityError(f"a number has more than {MOST_BITS} bits")
        if number > _MOST_NODES or len(names) > _MOST_NAMES:
            raise SecurityError(f"it has more than {_MOST_NODES} parts or {_MOST_NAMES} names")
