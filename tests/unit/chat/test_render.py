"""Chat templates: what they render, and that hostile ones end."""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import pytest

import anypiece as ap
from anypiece.chat.render import _compiled
from tests.support.gguf import spm_file
from tests.support.hf import document, written

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = """{{ bos_token }}{% for message in messages %}
{% if message.role not in ['user', 'system'] %}{{ raise_exception('no such role') }}{% endif %}
[{{ message['role'] }}]{{ message['content'] | trim }}
{%- endfor %}{% if add_generation_prompt %}>{% endif %}"""

_GROWTHS = (
    "ns.x ~ ns.x",
    "ns.x + ns.x",
    "ns.x * 2",
    "[ns.x, ns.x] | join",
    "ns.x.replace('a', 'aa')",
    "[ns.x, 'a' * 90000 ~ i][:]",
)
DOUBLING = [
    "{% set ns = namespace(x='a') %}{% for i in range(99999) %}{% set ns.x = "
    + growth
    + " %}{% endfor %}{{ ns.x | length }}"
    for growth in _GROWTHS
]
"""Templates that make a text twice as long again and again, or keep one more each time."""

_LOOKS = (
    "ns.a == ns.b",
    "ns.a < ns.b or ns.a is eq ns.b",
    "ns.a is in [ns.b]",
    "1 < 2 > ns.a in [ns.b]",
    "ns.a in [ns.b] | map('default')",
    "ns.a in {1: ns.b}.values()",
    "[ns.a] | select('eq', ns.b) | list",
    "[ns.a, ns.b] | sort",
    "[ns.a, ns.b] | max",
    "[ns.a].index(ns.b)",
    "{ns.a: 1}",
    "ns.a in {}",
    "{}[ns.a]",
    "{}.get(ns.a)",
    "dict([(ns.a, 1)])",
    "[ns.a] | unique | list",
    "dict([(ns.a, 1)] | map('default'))",
    "[1][ns.a].x",
    "ns.a is filter",
    "raise_exception(ns.a)",
    "ns | string",
    "'a' | replace(ns.a, 'b')",
)
NESTED = [
    "{% set ns = namespace(a=(), b=()) %}{% for i in range(40) %}{% set ns.a = (ns.a, ns.a) %}{% set ns.b = (ns.b, ns.b) %}"
    "{% endfor %}{% if " + look + " %}{% endif %}"
    for look in _LOOKS
]
"""Templates that go over a list whose items are all one list, and so on."""

_KEPT = (
    "range(100000) | list",
    "range(100000) | map('string') | list",
    "[" + "1," * 5000 + "]",
    "cycler(*range(100000))",
    "l.copy()",
    "{}.fromkeys(l)",
    "[" + "namespace()," * 2000 + "]",
)
KEEPING = [
    "{% set l = range(100000) | list %}{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = [ns.l, "
    + kept
    + "] %}{% endfor %}"
    for kept in _KEPT
]
"""Templates that keep one more list each time."""

_SLOW = ("-1 in l", "'b' in h", "h is upper", "'b' in range(99999)", "h | int", "l | max", "l == l[:]", "l.count(-1)")
SLOW = [
    "{% set l = range(100000) | list %}{% set ns = namespace(h='a' * 90000) %}{% for i in range(7) %}"
    "{% set ns.h = ns.h ~ ns.h %}{% endfor %}{% set h = ns.h %}{% for i in range(99999) %}{% if ["
    + f"{slow}," * 300
    + "] %}{% endif %}{% endfor %}"
    for slow in _SLOW
]
"""Templates of few lines, each of which takes long."""


@pytest.fixture
def tok(tmp_path: Path) -> ap.Tokenizer:
    written(tmp_path, document())
    config = {"bos_token": "<s>", "chat_template": TEMPLATE}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    return ap.load(tmp_path)


def test_a_conversation(tok: ap.Tokenizer) -> None:
    messages = [{"role": "system", "content": " ab "}, {"role": "user", "content": "c"}]
    text = tok.render_chat(messages, add_generation_prompt=True)
    assert text == "<s>[system]ab[user]c>"
    assert tok.encode(text, specials="parse")[0] == tok.bos_id
    assert tok.render_chat(messages, template="{{ messages | length }}") == "2"
    assert tok.render_chat(messages, template="{{ tools | tojson }}", tools=[{"é": 1}]) == '[{"é": 1}]'


def test_what_templates_in_use_need(tok: ap.Tokenizer) -> None:
    def shown(template: str) -> str:
        return tok.render_chat([{"role": "user", "content": "a\nb"}], template=template)

    assert shown("{% generation %}{{ messages[0].content[:1] }}{% endgeneration %}!") == "a!"
    assert shown("{{ messages[0].content.split('\n')[-1].strip() ~ (1 + 2) }}") == "b3"
    assert shown("{{ messages | map(attribute='content') | join('+') | indent(2) }}") == "a\n  b"
    assert shown("{{ {'b': 1, 'a': [2]} | tojson(indent=1, sort_keys=true) }}") == '{\n "a": [\n  2\n ],\n "b": 1\n}'
    assert shown("{% set x %}{{ messages[0].role }}{% endset %}{{ x.upper() | replace('S', '$') }}") == "U$ER"
    assert shown("{{ [1, 2.5] | sum }}{{ 'abc'[::-1] }}{{ 'x' * 3 }}") == "3.5cbaxxx"
    assert len(shown("{{ strftime_now('%Y-%m-%d') }}")) == 10
    assert shown("{{ 3 is odd }}{{ 6 is divisibleby(3) }}{{ 2.567 | round(2) }}{{ '--x'.lstrip('-') | trim }}") == (
        "TrueTrue2.57x"
    )
    assert shown("{{ [1, 2] | tojson(separators=(',', ':')) }}{{ '7' | int + 1 }}") == "[1,2]8"


def test_comparisons(tok: ap.Tokenizer) -> None:
    """They go through the sandbox, and mean what they did."""

    def shown(template: str) -> str:
        return tok.render_chat([{"role": "user", "content": ["a", {"b": 1}]}], template=template)

    assert shown("{{ 1 < 2 < 3 }}{{ 3 > 2 > 2 }}{{ 1 in [1] in [[1]] }}") == "TrueFalseTrue"
    assert shown("{{ messages[0].role in ['user'] }}{{ 'c' not in messages[0] }}{{ 'use' in messages[0].role }}") == (
        "TrueTrueTrue"
    )
    assert shown("{{ messages[0].content == ['a', {'b': 1}] }}{{ 'a' in messages[0].content }}") == "TrueTrue"
    assert shown("{{ 'a' in messages[0].content | map('string') }}{{ (1, 2) in {(1, 2): 3} }}") == "TrueTrue"
    assert shown("{% for a, b in [(1, 2)] %}{{ a - b }}{{ {a: b}[1] }}{% endfor %}{{ 7 // 2 }}{{ 7 / 2 }}") == "-1233.5"
    assert shown("{{ [3, 1] | sort | first }}{{ ['a', 'a'] | unique | list }}{{ {'b': 1, 'a': 2} | dictsort }}") == (
        "1['a'][('a', 2), ('b', 1)]"
    )


def test_messages_that_are_none(tok: ap.Tokenizer) -> None:
    for wrong in (None, "abc", 5, [1], ["abc"], {"role": "user"}):
        with pytest.raises(ap.InputError, match="role") as caught:
            tok.render_chat(wrong)  # type: ignore[arg-type]
        assert caught.value.code == "input-type"


def test_long_conversations(tok: ap.Tokenizer) -> None:
    messages = [{"role": "user", "content": "word " * 1_000_000}] * 4
    template = "{% for message in messages %}{{ '[' + message.content | trim ~ ']' }}{% endfor %}"
    assert len(tok.render_chat(messages, template=template)) == 4 * 5_000_001
    thought = "{% for message in messages %}{% if '</think>' in message.content %}{% endif %}"
    thought += (
        "{{ message.content.split('</think>')[-1].rstrip('\\n').split('<think>')[-1].lstrip('\\n') }}{% endfor %}"
    )
    assert len(tok.render_chat(messages, template=thought)) == 4 * 5_000_000
    many = [{"role": "user", "content": "word", "id": 2**63}] * 2000
    template = "{% for message in messages %}{% if message.role in ['user'] and message != messages[-2] %}{% endif %}"
    assert tok.render_chat(many, template=template + "{{ messages | length == 2000 }}{% endfor %}") == "True" * 2000


def test_the_template_of_its_own_file(tmp_path: Path) -> None:
    written(tmp_path, document())
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": "old"}')
    (tmp_path / "chat_template.jinja").write_text("new {{ messages[0].content }}")
    assert ap.load(tmp_path).render_chat([{"role": "user", "content": "x"}]) == "new x"


@pytest.mark.parametrize(
    "template",
    [
        "{{ messages.append(1) }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ 'a' * 10**12 }}",
        "{{ ('a' * 99999) * 99999 }}",
        "{{ 'a'.ljust(10**10) }}",
        "{{ 'a' | center(10**10) }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ 9 ** 9 ** 9 ** 9 }}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) %}{{ 'a' * 99999 }}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{{ raise_exception('no') }}",
        "{% if %}",
        "{{ messages[7].content.x }}",
        "{% include 'file' %}",
        *DOUBLING,
        "{% set a = 'x' * 90000 %}{{ a.replace('x', a) | length }}",
        "{% set a = 'x' * 90000 %}{{ a | replace('x', a) | length }}",
        "{% set a = 'x' * 90000 %}{{ a.join(range(90000) | map('string') | list) | length }}",
        "{% set a = 'x' * 90000 %}{{ range(90000) | join(a) | length }}",
        "{{ '{:>4000000000}'.format('x') | length }}",
        "{{ 'x'['format_map']({}) }}",
        "{{ ('{:>4000000000}' | attr('format'))(1) }}",
        "{{ '{0.__class__.__mro__}'.format(1) }}",
        "{{ '{0[0]}'.format([1]) }}",
        "{{ '{:{}}'.format(1, 4000000000) }}",
        "{{ '%4000000000d' | format(1) }}",
        "{{ '%.4000000000f' | format(1) }}",
        "{{ '%*d' | format(4000000000, 1) }}",
        "{{ ('%s' * 90000) | format(*range(90000)) }}",
        "{{ 'a' | format(1) }}{{ '%s' | format }}",
        "{% for i in range(99999) %}{% for j in range(99999) if false %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) %}{% if range(99999) | select('none') | first %}{% endif %}{% endfor %}",
        "{{ ('\n' * 90000) | indent(90000) | length }}",
        "{{ ('\t' * 90000).expandtabs(90000) | length }}",
        "{{ [('x' * 90000)] * 90000 }}",
        "{{ ([[1] * 90000] * 90000) | sum(start=[]) | length }}",
        "{{ ([('x' * 90000)] * 9000) | tojson | length }}",
        "{{ ([('x' * 90000)] * 9000) | string | length }}",
        "{{ lipsum(90000) }}",
        *NESTED,
        *KEEPING,
        *SLOW,
        "{% set ns = namespace(a=()) %}{% for i in range(9000) %}{% set ns.a = (ns.a,) %}{% endfor %}{{ {ns.a: 1} }}",
        "{% set b = (65).to_bytes(1, 'big') %}{{ b.center(90000).replace(b, b.center(90000)) }}",
        "{% set ns = namespace(x=2) %}{% for i in range(99999) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "{{ ('f' * 90000) | int(base=16) // 7 }}",
        "{{ 2305843009213693951 }}",
        "{{ '%999999999d' is odd }}",
        "{{ '%999999999d' is divisibleby(1) }}",
        "{{ ('a' * 90000) | round(5, 'ceil') }}",
        "{{ (range(90000) | list) | tojson(separators=('x' * 90000, 'y')) }}",
        "{{ ('a' * 90000).strip('b' * 90000 ~ 'a') }}",
        "{{ ('a' * 90000) | trim('b' * 90000 ~ 'a') }}",
        "{{a}}" * 200_000,
        "{{a}}" * 26_000,
        "".join([f"{{{{a{number}}}}}" for number in range(1990)]) + "{%if a%}{%endif%}" * 6000,
    ],
)
def test_hostile_templates_end(tok: ap.Tokenizer, template: str) -> None:
    start = time.process_time()
    with pytest.raises(ap.FormatError) as caught:
        tok.render_chat([{"role": "user", "content": "x"}], template=template)
    assert caught.value.code == "chat-template"
    assert time.process_time() - start < 10
    assert len(str(caught.value)) < 600


MESSAGES = [{"role": "user", "content": "a"}]


def test_what_is_not_given_is_none(tok: ap.Tokenizer) -> None:
    template = "{{ tools is none }}{{ documents is none }}{{ tools is defined }}{{ x is defined }}"
    assert tok.render_chat(MESSAGES, template=template) == "TrueTrueTrueFalse"
    assert tok.render_chat(MESSAGES, template=template, tools=[], documents=[]) == "FalseFalseTrueFalse"
    with pytest.raises(ap.InputError, match="A document must be a dictionary"):
        tok.render_chat(MESSAGES, template=template, documents=["a"])
    with pytest.raises(ap.InputError, match="its JSON schema"):
        tok.render_chat(MESSAGES, template=template, tools=[print])


@pytest.mark.parametrize("name", ["pprint", "center", "no_such_filter", "urlize"])
def test_a_filter_that_is_not_there_fails_where_it_is_reached(tok: ap.Tokenizer, name: str) -> None:
    for used in (f"{{{{ 'a' | {name} }}}}", f"{{{{ ['a'] | map('{name}') | list }}}}", f"{{{{ 'a' is {name} }}}}"):
        assert tok.render_chat(MESSAGES, template=f"{{% if false %}}{used}{{% endif %}}b") == "b"
        assert tok.render_chat(MESSAGES, template=f"{{% macro m() %}}{used}{{% endmacro %}}b") == "b"
        with pytest.raises(ap.FormatError, match=name):
            tok.render_chat(MESSAGES, template=used)


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ("{{ '%s' | format(messages[0].content) }}", "a"),
        ("{{ '%s and %5.2f%%|%-3d|%r' | format([1], 2.5, 7, 'é') }}", "[1] and  2.50%|7  |'é'"),
        ("{{ '%(x)s%(y)d' | format(x='a', y=2) }}{{ '%%' | format }}", "a2%"),
        ("{{ '%s' % 'a' }}{{ '%s%s' % (1, 2) }}{{ '%(a)s' % {'a': 1} }}{{ '%s' % {'a': 1} }}", "a121{'a': 1}"),
        (
            "{{ '{}{}'.format(1, 'a') }}{{ '{1}{0}'.format(1, 2) }}{{ '{x}{{}}{y!r:}'.format(x=1, y='b') }}",
            "1a211{}'b'",
        ),
        ("{{ '{:>4}|{:.1f}'.format('a', 2.25) }}", "   a|2.2"),
    ],
)
def test_texts_with_places_to_fill_in(tok: ap.Tokenizer, template: str, shown: str) -> None:
    assert tok.render_chat(MESSAGES, template=template) == shown


def test_reasoning_by_any_of_its_names(tok: ap.Tokenizer) -> None:
    """The first that is there counts, and stands under both names that templates read."""
    template = "{{ messages[0].reasoning_content }}|{{ messages[0].thinking }}|{{ messages[0].reasoning }}"
    rows = {
        "reasoning_content": "t|t|",
        "thinking": "t|t|",
        "reasoning": "t|t|t",
    }
    for name, shown in rows.items():
        assert tok.render_chat([{"role": "assistant", name: "t"}], template=template) == shown
    both = {"role": "assistant", "thinking": "x", "reasoning_content": None, "reasoning": "y"}
    assert tok.render_chat([both], template=template) == "x|x|y"
    assert tok.render_chat([{"role": "assistant"}], template=template) == "||"


def test_none_stays_none(tok: ap.Tokenizer) -> None:
    template = "{{ messages[0].content is none }}{{ messages[0].content is defined }}{{ messages[0].content }}"
    assert tok.render_chat([{"role": "assistant", "content": None}], template=template) == "TrueTrueNone"
    assert tok.render_chat([{"role": "assistant"}], template=template) == "FalseFalse"


@dataclass
class Message:
    role: str
    content: object


class Dumped:
    def model_dump(self) -> dict[str, object]:
        return {"role": "user", "content": "d"}


def test_messages_are_plain_data_for_a_template(tok: ap.Tokenizer) -> None:
    template = "{{ messages[0].content }}"
    for given, shown in [
        (Message("user", "a"), "a"),
        (Dumped(), "d"),
        (MappingProxyType({"content": "m"}), "m"),
        (Message("user", np.bool_(False)), "False"),
        (Message("user", {1, 2}), "<set>"),
        (Message("user", b"abc"), "<bytes>"),
        (Message("user", np.str_("s")), "s"),
        (Message("user", (1, 2)), "(1, 2)"),
    ]:
        assert tok.render_chat([given], template=template) == shown  # type: ignore[list-item]
    own: list[object] = []
    own.append(own)
    with pytest.raises(ap.InputError, match="a list holds itself perhaps"):
        tok.render_chat([{"content": own}], template=template)


def test_a_template_is_compiled_once_and_serves_many_threads(tok: ap.Tokenizer) -> None:
    template = (
        "{% set ns = namespace(x='') %}{% for m in messages %}{% set ns.x = ns.x ~ m.content %}{% endfor %}{{ ns.x }}!"
    )
    before = _compiled.cache_info()

    def shown(number: int) -> bool:
        rows = [{"role": "user", "content": f"{number},"}] * (1 + number % 50)
        return tok.render_chat(rows, template=template) == f"{number}," * len(rows) + "!"

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(shown, range(400)))
    after = _compiled.cache_info()
    assert after.misses - before.misses <= 8
    assert after.hits - before.hits >= 392
    assert after.maxsize is not None
    assert after.maxsize < 100


def test_an_error_leaves_the_next_rendering_whole(tok: ap.Tokenizer) -> None:
    template = "{% for i in range(messages[0].n) %}{{ 'x' * 50000 }}{% endfor %}"
    for _ in range(2):
        with pytest.raises(ap.FormatError):
            tok.render_chat([{"n": 90000}], template=template)
        assert len(tok.render_chat([{"n": 2}], template=template)) == 100_000


def test_named_templates(tmp_path: Path) -> None:
    """A list of them in the config, and further ones in files."""
    written(tmp_path, document())
    rows = [
        {"name": "default", "template": "d{{ unk_token }}"},
        {"name": "tool_use", "template": "t{{ tools | length }}"},
    ]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": rows, "unk_token": "<unk>"}))
    (tmp_path / "additional_chat_templates").mkdir()
    (tmp_path / "additional_chat_templates" / "rag.jinja").write_text("r")
    tok = ap.load(tmp_path)
    messages = [{"role": "user", "content": "x"}]
    assert tok.render_chat(messages) == tok.render_chat(messages, template="default") == "d<unk>"
    assert tok.render_chat(messages, template="tool_use", tools=[1, 2]) == "t2"
    assert tok.render_chat(messages, tools=[1]) == "t1"
    assert tok.render_chat(messages, tools=[1], template="default") == "d<unk>"
    assert tok.render_chat(messages, template="rag") == "r"
    assert tok.render_chat(messages, template="no such name") == "no such name"
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": rows[1:]}))
    with pytest.raises(ap.FormatError, match="pass template= with a name: tool_use, rag"):
        ap.load(tmp_path).render_chat(messages)


def test_templates_of_a_gguf_file(tmp_path: Path) -> None:
    """They are read, and written again: as they were, with another vocabulary, and from another format."""
    fields = {
        "tokenizer.chat_template": ("string", b"d{{ bos_token }}{{ eos_token }}{{ unk_token }}"),
        "tokenizer.chat_template.tool_use": ("string", b"t{{ tools | length }}"),
        "tokenizer.chat_templates": ("string[]", [b"tool_use"]),
        "tokenizer.ggml.bos_token_id": ("u32", 1),
        "tokenizer.ggml.eos_token_id": ("u32", 2),
    }
    path = tmp_path / "a.gguf"
    path.write_bytes(spm_file(fields))
    tok = ap.load(path)
    names = "".join(tok.id_to_piece(id) for id in (tok.bos_id, tok.eos_id, tok.unk_id) if id is not None)
    tok.save(tmp_path / "again.gguf")
    tok.save(tmp_path / "kept.anypiece")
    ap.convert(ap.load(path, dialect="sentencepiece"), tmp_path / "new.anypiece")
    ap.convert(ap.load(tmp_path / "new.anypiece"), tmp_path / "new.gguf")
    read = [ap.load(tmp_path / name) for name in ("again.gguf", "kept.anypiece", "new.anypiece", "new.gguf")]
    for other in (tok, tok.replace(add_bos=False), *read):
        assert other.render_chat([]) == f"d{names}"
        assert other.render_chat([], tools=[1, 2]) == "t2"
    with pytest.raises(ap.FormatError) as caught:
        ap.convert(ap.load(path, dialect="sentencepiece"), tmp_path / "new.model")
    assert "chat_template" in caught.value.facts["lost"]


def test_a_template_of_a_gguf_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(spm_file({"tokenizer.chat_template": ("u32", 5)}))
    with pytest.raises(ap.FormatError, match=r"tokenizer\.chat_template"):
        ap.load(tmp_path / "a.gguf")


def test_no_template() -> None:
    with pytest.raises(ap.FormatError, match="no chat template"):
        ap.load().render_chat([])


def test_without_jinja2(tok: ap.Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "anypiece.chat.sandbox", raising=False)
    monkeypatch.setitem(sys.modules, "jinja2.sandbox", None)
    with pytest.raises(ap.InputError, match=r"pip install 'anypiece\[chat\]'") as caught:
        tok.render_chat([{"role": "user", "content": "x"}])
    assert caught.value.code == "extra-missing"
