"""From the text of a chat template to code: what jinja2 makes of it, with calls of the environment where work can grow.

Joins, slices, comparisons, keys, literals and methods go through ``sandbox.Bounded``, which counts them, and each time that
the body of a loop or a macro begins it costs as many steps as it has parts. What is too much to be compiled in a moment is
refused before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, operators
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension

from .limits import MOST_BITS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jinja2 import Environment
    from jinja2.compiler import Frame
    from jinja2.parser import Parser

__all__ = ["GENERATED_TEXT", "Generation", "Generator", "TracedGeneration", "TracingGenerator", "refuse_large_tree"]

GENERATED_TEXT = "generated text"
"""The filter that marks it, by a name that no template can have written."""
_MOST_NODES = 20_000
_MOST_NAMES = 500
_CONTAINMENT = ("in", "notin")
_LINE = 256
"""How many characters that a template writes count as one step."""
_REPEATED = (nodes.For, nodes.Macro, nodes.CallBlock, nodes.Block)
"""What has a body that can run many times."""


class Generator(CodeGenerator):
    """Writes what can grow as calls of the environment."""

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        self._call_of("joined", node.nodes, frame)

    def visit_Add(self, node: nodes.BinExpr, frame: Frame) -> None:  # noqa: N802
        """A sum of many is one call, so that a text is not copied again for each part."""
        parts: list[nodes.Expr] = [node.right]
        left = node.left
        while isinstance(left, nodes.Add):
            parts.append(left.right)
            left = left.left
        self._call_of("added", [left, *reversed(parts)], frame)

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802
        if not isinstance(node.arg, nodes.Slice):
            super().visit_Getitem(node, frame)
            return
        bounds = (node.arg.start, node.arg.stop, node.arg.step)
        self._call_of("sliced", [node.node, *(bound or nodes.Const(None) for bound in bounds)], frame)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        if isinstance(node.node, nodes.EnvironmentAttribute):
            self._call_of(node.node.name, node.args, frame)
            return
        target = node.node
        if isinstance(target, nodes.Getattr):
            self.write("environment.method(context, ")
            self.visit(target.node, frame)
            self.write(f", {target.attr!r}")
        else:
            self.write("environment.call(context, ")
            self.visit(target, frame)
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
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

    def _call_of(self, method: str, arguments: Iterable[nodes.Expr], frame: Frame) -> None:
        self.write(f"environment.{method}(")
        for argument in arguments:
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")

    def _through(self, method: str, node: nodes.Expr, frame: Frame) -> None:
        if _is_constant(node):
            self.visit(node, frame)
        else:
            self._call_of(method, [node], frame)

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: object) -> str:
        """Nothing is computed while a template is compiled. What it writes itself is in the steps of its body."""
        if isinstance(node, nodes.TemplateData):
            return str(node.data)
        if isinstance(node, nodes.Const) and isinstance(node.value, str):
            return node.value
        raise nodes.Impossible

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: object) -> None:
        """A text that was joined is paid for already."""
        if not isinstance(node, nodes.Concat):
            self.write("environment.shown(")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: object) -> None:
        if not isinstance(node, nodes.Concat):
            self.write(")")


class TracingGenerator(Generator):
    """Writes the texts that stand in the template as such, so that they can be told from what it is given."""

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:  # noqa: N802
        if isinstance(node.value, str):
            self.write(f"environment.written({node.value!r})")
        else:
            super().visit_Const(node, frame)

    def _output_const_repr(self, group: Iterable[object]) -> str:
        return f"environment.written({''.join(map(str, group))!r})"


def _is_constant(node: nodes.Expr) -> bool:
    if isinstance(node, (nodes.List, nodes.Tuple)):
        return all(isinstance(item, nodes.Const) for item in node.items)
    return isinstance(node, nodes.Const)


class Generation(Extension):
    """``{% generation %}`` marks what the model wrote; the text is that of its body."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return self.marked(body).set_lineno(line)

    def marked(self, body: list[nodes.Node]) -> nodes.Node:
        """The node of such a part of a template."""
        return nodes.Scope(body)


class TracedGeneration(Generation):
    """The ``generation`` tag in a rendering that also records which characters stood inside it."""

    def marked(self, body: list[nodes.Node]) -> nodes.Node:
        return nodes.FilterBlock(body, nodes.Filter(None, GENERATED_TEXT, [], [], None, None))


def refuse_large_tree(tree: nodes.Template) -> None:
    """Raise ``SecurityError`` for a template that would take long to compile, or has numbers beyond ``MOST_BITS``; and
    have each body that can run many times count its steps."""
    number, names = 0, set[str]()
    waiting: list[tuple[nodes.Node, list[int] | None]] = [(tree, None)]
    bodies: list[tuple[nodes.Node, list[int]]] = []
    while waiting:
        node, steps = waiting.pop()
        number += 1
        if isinstance(node, _REPEATED):
            steps = [1]
            bodies.append((node, steps))
        if steps is not None:
            steps[0] += 1 + _length(node) // _LINE
        waiting.extend((child, steps) for child in node.iter_child_nodes())
        if isinstance(node, nodes.Name):
            names.add(node.name)
        if isinstance(node, nodes.Const) and isinstance(node.value, int) and node.value.bit_length() > MOST_BITS:
            raise SecurityError(f"a number has more than {MOST_BITS} bits")
        if number > _MOST_NODES or len(names) > _MOST_NAMES:
            raise SecurityError(f"it has more than {_MOST_NODES} parts or {_MOST_NAMES} names")
    for body, steps in bodies:
        _count(body, steps[0], tree.environment)  # type: ignore[arg-type]  # the parser has set it


def _length(node: nodes.Node) -> int:
    """How many characters a node writes by itself."""
    if isinstance(node, nodes.TemplateData):
        return len(node.data)
    return len(node.value) if isinstance(node, nodes.Const) and isinstance(node.value, str) else 0


def _count(node: Any, steps: int, environment: Environment) -> None:
    """Have the body of a node begin with the steps that it takes; what a condition leaves out of a loop takes them too."""
    call = nodes.Call(nodes.EnvironmentAttribute("step"), [nodes.Const(steps)], [], None, None)
    statement = nodes.ExprStmt(call).set_lineno(node.lineno)
    node.body = [statement.set_environment(environment), *node.body]
    if isinstance(node, nodes.For) and node.test is not None:
        each = [node.iter, nodes.Const(steps)]
        paced = nodes.Call(nodes.EnvironmentAttribute("paced"), each, [], None, None)
        node.iter = paced.set_lineno(node.lineno).set_environment(environment)
