"""Chat templates that hurt: deep nesting, growth, repetition, large numbers, what a sandbox must refuse; and configs around
them whose fields do not fit."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.fuzz.values import text, with_misfit

__all__ = ["config", "template"]

_VALUES = (
    "messages", "messages[0]", "messages[0]['content']", "messages[0].role", "messages[-1]", "bos_token", "eos_token",
    "tools", "documents", "add_generation_prompt", "undefined_name", "loop.index", "ns.x", "'a'", "'\\n'", "''", "0",
    "1", "-1", "7", "1.5", "10**9", "2**40", "10**100", "9999999999999999999999", "true", "none", "[]", "[1,2]", "{}",
    "{'a': 1}", "('a',)", "range(3)", "range(10**6)", "range(10**9)", "'a' * 10", "'a' * 10**9", "[0] * 10**8",
    "'%d' % 5", "'%1000000000d' % 1", "'{}'.format(1)", "'{:1000000000}'.format(1)", "''.__class__",
    "messages.__class__.__mro__", "self", "cycler", "joiner", "lipsum()", "dict(a=1)", "namespace(x='a')",
    "strftime_now('%Y')", "raise_exception('no')", "x", "x ~ x", "x + x", "[x, x]", "caller()", "super()",
)  # fmt: skip
_FILTERS = (
    "length", "upper", "lower", "trim", "title", "capitalize", "string", "int", "float", "list", "first", "last",
    "join", "join(x)", "tojson", "tojson(indent=4)", "tojson(indent=10**8)", "replace('a', 'aa')", "replace('', 'ab')",
    "center(10**9)", "indent(10**9)", "indent", "wordwrap(1)", "batch(10**9)", "batch(2)|list", "slice(10**8)|list",
    "slice(3)|list", "sort", "unique|list", "reverse", "sum", "random", "items", "dictsort", "map('upper')|list",
    "map(attribute='role')|list", "selectattr('role')|list", "default('x')", "format(1)", "escape", "safe", "striptags",
    "truncate(10**9)", "urlize", "xmlattr", "pprint", "abs", "round(10**6)", "attr('x')", "no_such_filter",
    "groupby('role')|list", "filesizeformat", "urlencode", "wordcount", "max", "min", "select|list", "reject|list",
)  # fmt: skip
_TESTS = (
    "defined", "none", "string", "mapping", "iterable", "sequence", "number", "in messages", "sameas none",
    "no_such_test", "divisibleby 0", "eq 1", "odd", "callable", "filter", "boolean",
)  # fmt: skip
_METHODS = (
    "split('a')", "strip()", "replace('a', 'aa')", "join(['a'] * 9)", "format(x)", "items()", "get('a')", "append(1)",
    "pop()", "startswith('a')", "encode()", "zfill(10**9)", "ljust(10**9)", "expandtabs(10**9)", "translate({})",
    "splitlines()", "upper()", "count('')", "__add__('a')", "rstrip('\\n')", "title()", "partition('a')",
)  # fmt: skip


def _expression(rng: Random, depth: int) -> str:
    draw = rng.random()
    if depth <= 0 or draw < 0.3:
        return rng.choice(_VALUES)
    inner = _expression(rng, depth - 1)
    if draw < 0.5:
        return f"({inner})|{rng.choice(_FILTERS)}"
    if draw < 0.65:
        return f"({inner}).{rng.choice(_METHODS)}"
    if draw < 0.75:
        return f"({inner}) is {rng.choice(('', 'not '))}{rng.choice(_TESTS)}"
    if draw < 0.9:
        sign = rng.choice(("+", "-", "*", "/", "//", "%", "**", "~", "and", "or", "in", "==", "<", "is"))
        return f"({inner}) {sign} ({_expression(rng, depth - 1)})"
    return rng.choice(
        (
            f"not ({inner})",
            f"[{inner}][0]",
            f"({inner})[:1]",
            f"({inner})[::-1]",
            f"({inner}) if x else x",
            f"-({inner})",
        )
    )


def _block(rng: Random, depth: int) -> str:
    draw = rng.random()
    if depth <= 0 or draw < 0.35:
        return f"{{{{ {_expression(rng, 3)} }}}}"
    inner = "".join(_block(rng, depth - 1) for _ in range(rng.choice((1, 1, 2, 3))))
    if draw < 0.5:
        over = rng.choice(("messages", "range(3)", "range(1000)", "range(10**9)", "x", "'aaaa'", _expression(rng, 2)))
        last = rng.choice(("", "{% else %}b", "{% break %}", "{{ loop(m) }}"))
        return f"{{% for m in {over} %}}{inner}{last}{{% endfor %}}"
    if draw < 0.65:
        return f"{{% if {_expression(rng, 2)} %}}{inner}{{% else %}}b{{% endif %}}"
    if draw < 0.8:
        return f"{{% set x = {_expression(rng, 3)} %}}{inner}"
    return rng.choice((
        f"{{% macro f(a) %}}{inner}{{{{ f(a) }}}}{{% endmacro %}}{{{{ f(1) }}}}",
        f"{{% filter {rng.choice(_FILTERS)} %}}{inner}{{% endfilter %}}", f"{{% call(y) f() %}}{inner}{{% endcall %}}",
        f"{{% set x %}}{inner}{{% endset %}}", f"{{% with x = {_expression(rng, 1)} %}}{inner}{{% endwith %}}",
        f"{{% generation %}}{inner}{{% endgeneration %}}", f"{{% include {_expression(rng, 1)} %}}{inner}",
        f"{{# {inner} #}}", f"{{% raw %}}{inner}{{% endraw %}}", f"{{% import 'os' as os %}}{inner}",
    ))  # fmt: skip


def _grown(rng: Random) -> str:
    """A value that doubles, step by step."""
    steps = rng.choice((10, 25, 40, 200, 2000))
    step = rng.choice((
        "{% set x = x ~ x %}", "{% set x = x + x %}", "{% set x = x.replace('a', 'aa') %}", "{% set x = [x, x] %}",
        "{% set x = x|replace('a', 'aaa') %}", "{% set x = (x, x)|join %}", "{% set x = {'a': x, 'b': x} %}",
        "{% set x = x|tojson %}", "{% set ns.x = ns.x ~ ns.x %}", "{% set x = x * 9 %}", "{% set x = x ** 9 %}",
        "{% set x = x|list %}", "{% set x = x|indent(9) %}", "{% set x = x|map('string')|list %}",
        "{% set x = x|batch(2)|list %}", "{% set x = x.split('') %}", "{% set x = x|escape %}",
    ))  # fmt: skip
    first = rng.choice(("'a'", "'a' * 99", "[1]", "7", "messages", "'\"'"))
    shown = rng.choice(("{{ x }}", "{{ x|length }}", "{{ x|tojson }}", "{{ x == x }}", "{{ x|string|length }}", ""))
    return f"{{% set ns = namespace(x='a') %}}{{% set x = {first} %}}{step * steps}{shown}"


def _nested(rng: Random) -> str:
    """One construct inside itself, very deep."""
    depth = rng.choice((20, 60, 99, 200, 2000))
    before, inner, after = rng.choice((
        ("{% if 1 %}", "x", "{% endif %}"), ("{% for a in 'ab' %}", "{{ a }}", "{% endfor %}"),
        ("{{ " + "(" * 9, "1", ")" * 9 + " }}"), ("{% for a in [1] %}", "y", "{% endfor %}"),
        ("{% set x %}", "x", "{% endset %}"), ("{% filter upper %}", "a", "{% endfilter %}"),
        ("{% with a = 1 %}", "x", "{% endwith %}"), ("{% macro f() %}", "x", "{% endmacro %}"), ("{# ", "x", " #}"),
    ))  # fmt: skip
    if rng.random() < 0.3:
        sign = rng.choice(("(", "[", "{'a':", "not ", "-", "x|upper ~ (", "1 if ("))
        return "{{ " + sign * depth + "1" + {"(": ")", "[": "]", "{": "}"}.get(sign[0], ")") * depth + " }}"
    return before * depth + inner + after * depth


def template(rng: Random) -> str:
    """A template: drawn by a grammar, one that grows, one that is deep, or one with parts that do not belong together."""
    draw = rng.random()
    if draw < 0.5:
        found = "".join(_block(rng, rng.choice((1, 2, 3, 4))) for _ in range(rng.choice((1, 2, 4))))
        return (
            rng.choice(("", "{% set x = 'a' %}", "{%- set x = messages -%}", "{% set ns = namespace(x='a') %}")) + found
        )
    if draw < 0.7:
        return _grown(rng)
    if draw < 0.85:
        return _nested(rng)
    if draw < 0.93:
        part = _block(rng, 2)
        return part * rng.choice((5, 100, 2000))
    return "".join(
        rng.choice(("{{", "}}", "{%", "%}", "{#", "#}", "-", "x", " ", "|", text(rng), "endif", "for"))
        for _ in range(30)
    )


def config(rng: Random) -> dict[str, Any]:
    """A ``tokenizer_config.json`` with such a template, sometimes several by name, and sometimes with what does not fit."""
    made: dict[str, Any] = {"bos_token": "<s>", "eos_token": {"content": "</s>"}, "chat_template": template(rng)}
    if rng.random() < 0.1:
        names = ("default", "tool_use", text(rng))
        made["chat_template"] = [{"name": name, "template": template(rng)} for name in names[: rng.randint(1, 3)]]
    if rng.random() < 0.15:
        rows = {str(rng.choice((5, 6, 300, -1, "x"))): {"content": text(rng), "special": True} for _ in range(3)}
        made["added_tokens_decoder"] = rows
    return with_misfit(rng, made) if rng.random() < 0.2 else made
