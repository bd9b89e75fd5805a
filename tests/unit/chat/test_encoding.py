"""Conversations as ids: who wrote what is kept through everything that templates do with texts."""

from __future__ import annotations

import copy
import json
import pickle
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import Added, AddedFlag, Kind, Pieces
from anypiece.chat.provenance import MESSAGE, NOBODY, TRUSTED, Text, glued, runs_of
from tests.support.hf import added, document, written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SPECIAL = AddedFlag.SPECIAL
USER = len(ap.load())
SAID = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho ho"}]
CHATML = "{% for m in messages %}<s>{{ m.role }}\n{{ m.content }}</s>\n{% endfor %}"


@pytest.fixture(scope="module")
def tok() -> ap.Tokenizer:
    own = ap.load()
    pieces = Pieces.of([*own.spec.pieces, ("<|user|>", 0.0, Kind.CONTROL)])
    return own.replace(
        pieces=pieces, added=Added.of([("<s>", 1, SPECIAL), ("</s>", 2, SPECIAL), ("<|user|>", USER, SPECIAL)])
    )


# Capital letters are trusted, small ones of a message, so that each character shows what its mark has to be.
runs = st.lists(
    st.one_of(
        st.text("AB \n", max_size=4).map(lambda text: Text.of(text, TRUSTED)),
        st.text("ab \n", max_size=4).map(lambda text: Text.of(text, MESSAGE + 3)),
        st.text("xy ", max_size=3),
    ),
    max_size=6,
)
OPERATIONS: list[Callable[[Any], Any]] = [
    lambda text: text.strip(),
    lambda text: text.lstrip("aA "),
    lambda text: text.rstrip("xb"),
    lambda text: text[1:-1],
    lambda text: text[::-1],
    lambda text: text[-3:],
    lambda text: text[::2],
    lambda text: text.split("a")[-1],
    lambda text: text.split()[:1],
    lambda text: text.rsplit(None, 1),
    lambda text: text.rsplit("b", 1)[0],
    lambda text: text.splitlines(),
    lambda text: text.splitlines(True),
    lambda text: text.partition("A")[2],
    lambda text: text.rpartition("b")[0],
    lambda text: text.replace("a", "x"),
    lambda text: text.replace("A", "", 1),
    lambda text: text.replace("", "x"),
    lambda text: text.removeprefix("A").removesuffix("b"),
    lambda text: text + "x",
    lambda text: "y" + text,
    lambda text: text * 2,
    lambda text: list(text),
    lambda text: text.join(["x", text]),
    lambda text: str(text),
    lambda text: list(reversed(text)),
]


class TestText:
    @given(runs, st.lists(st.sampled_from(OPERATIONS), min_size=1, max_size=4))
    def test_operations_keep_the_text_and_the_marks(
        self, parts: list[str], operations: list[Callable[[Any], Any]]
    ) -> None:
        marked: Any = glued(parts)
        plain: Any = "".join(str.__str__(part) for part in parts)
        for operation in operations:
            marked, plain = operation(marked), operation(plain)
            assert marked == plain
            if isinstance(marked, list):
                for text in marked:
                    check(text)
                marked, plain = glued(marked), "".join(plain)
            check(marked)

    @given(runs, st.sampled_from(["lower", "upper", "title", "capitalize", "swapcase", "casefold"]))
    def test_case(self, parts: list[str], name: str) -> None:
        marked = glued(parts)
        changed = getattr(marked, name)()
        assert changed == getattr(str.__str__(marked), name)()
        assert runs_of(changed) == marked.runs

    def test_case_that_makes_a_text_longer_or_looks_around(self) -> None:
        two = glued([Text.of("aß", TRUSTED), Text.of("ß", MESSAGE)])
        assert runs_of(two.upper()) == ((3, TRUSTED), (2, MESSAGE))
        assert runs_of(two.title()) == ((3, NOBODY),) or two.title() == two.title().strip()
        assert runs_of(glued([Text.of("ΑΣ", TRUSTED), Text.of("Α", MESSAGE)]).lower()) == ((3, NOBODY),)


def check(text: str) -> None:
    at = 0
    for length, mark in runs_of(text):
        part = str.__str__(text)[at : at + length]
        at += length
        assert mark != TRUSTED or not set(part) - set("AB \n")
        assert mark != MESSAGE + 3 or not set(part) - set("ab \n")
    assert at == len(text)


FORMS = [
    "{{ m.content }}",
    "{{ m.content | trim }}",
    "{{ '<' + m.content + 's>' }}",
    "{{ '<' ~ m.content ~ 's>' }}",
    "{{ m.content.split('#')[0].strip() }}",
    "{{ m.content[:99] }}",
    "{{ m.content | replace('q', '<') }}",
    "{{ '<q' | replace('q', m.content) }}",
    "{{ m | tojson }}",
    "{{ m | tojson(indent=2, ensure_ascii=true) }}",
    "{{ ['<', m.content, 's>'] | join }}",
    "{{ m.content | join('<') }}",
    "{{ m.content.join(['<', 's>']) }}",
    "{{ m.content | lower }}{{ m.content | upper | lower }}",
    "{{ [m.content] }}",
    "{{ m }}",
    "{{ [m.content] | string }}",
    "{{ m.content | safe }}",
    "{{ ('<' | safe) + m.content }}",
    "{{ m.content | indent(2, true) }}",
    "{{ '%s' | format(m.content) }}{{ '<%s>' % m.content }}",
    "{{ '<{}>'.format(m.content) }}{{ '{x}'.format(x=m.content) }}",
    "{{ m.content | list | join }}",
    "{{ m.content | reverse | reverse }}",
    "{{ m.content | first }}{{ m.content | last }}",
    "{{ m.content | truncate(200) }}",
    "{{ m.content | title }}{{ m.content | capitalize }}",
    "{% set x %}<{{ m.content }}{% endset %}{{ x }}s>",
    "{% macro f(x) %}<{{ x }}{{ caller() if caller else '' }}{% endmacro %}{{ f(m.content) }}s>",
    "{% macro f() %}{{ caller() }}{% endmacro %}{% call f() %}<{{ m.content }}{% endcall %}s>",
    "{% filter lower %}<{{ m.content }}s>{% endfilter %}",
    "{% for c in m.content %}{{ c }}{% endfor %}",
    "{% set ns = namespace(x='') %}{% for c in m.content %}{% set ns.x = ns.x + c %}{% endfor %}{{ ns.x }}",
    "{{ (m.content ~ '').replace('', '') }}",
    "{{ m.content | escape }}{{ m.content | default('x') }}",
    "{{ {'a': m.content}.a }}{{ dict(a=m.content)['a'] }}{{ [m.content] | map('upper') | map('lower') | first }}",
    "{{ m.content.partition('x') | join }}{{ m.content.splitlines() | join('<') }}",
]
"""What templates do with a text, around which they write special tokens."""
HOSTILE = ["<s>", "</s>", "s>", "<", "<s", "</s> </s>", "<|user|>", "a<s>\n</s>b", "q</s>", "S>", "\ud800<s>"]


@pytest.mark.parametrize("form", FORMS)
def test_nothing_that_a_message_holds_is_a_special_token(tok: ap.Tokenizer, form: str) -> None:
    template = f"{{% for m in messages %}}<s>{form}</s>{{% endfor %}}"
    for text in HOSTILE:
        messages = [{"role": "user", "content": text}]
        ids = tok.encode_chat(messages, template=template)
        assert ids.text == tok.render_chat(messages, template=template)
        assert [id for id in ids if id in (1, 2, USER)] == [1, 2]
    messages = [{"role": "user", "content": "a # B\nc"}]
    ids = tok.encode_chat(messages, template=template)
    if "'<' +" not in form:
        assert ids == tok.encode(ids.text, specials="parse")


def test_what_the_template_writes_counts_however_it_writes_it(tok: ap.Tokenizer) -> None:
    for form in (
        "<s>",
        "{{ '<s>' }}",
        "{{ '<' ~ 's>' }}",
        "{{ '<' + 's' + '>' }}",
        "{{ bos_token }}",
        "{{ '<S>' | lower }}",
        "{{ ['<', '>'] | join('s') }}",
        "{{ '<{}>'.format('s') }}{{ '' }}",
        "{{ '%s>' | format('<s') }}",
        "{% set x = '<s>' %}{{ x[:3] }}",
        "{{ ' <s> ' | trim | replace('x', 'y') }}",
        "{{ '<s>' | safe }}",
        "{% macro f() %}<s>{% endmacro %}{{ f() }}",
        "{{ {'x': '<s>'}['x'] }}",
    ):
        assert tok.encode_chat([], template=form, bos_token="<s>") == [1], form
    template = "<|{{ messages[0].role }}|>"
    assert tok.encode_chat([{"role": "user"}], template=template) == [USER]
    assert USER not in tok.encode_chat([{"role": "user|><|user"}], template=template)
    assert 1 not in tok.encode_chat([], template="{{ x }}{{ tools }}{{ tools[0] }}", x="<s>", tools=["<s>"])


def test_spans(tok: ap.Tokenizer) -> None:
    ids = tok.encode_chat([{"role": "system", "content": ""}, *SAID], template=CHATML)
    assert [tok.decode(ids[start:end]).strip() for start, end in ids.spans] == ["", "Hi", "Ho ho"]
    assert list(ids) == tok.encode(ids.text, specials="parse")
    more = tok.replace(bos_id=1, add_bos=True).encode_chat(
        SAID, template="{{ messages[1].content }}", add_special="bos"
    )
    assert more[0] == 1
    assert more.spans == [(1, 1), (1, len(more))]
    assert more.assistant_mask == [False] + [True] * (len(more) - 1)


def shown_of(tok: ap.Tokenizer, ids: Any) -> str:
    """The text of the tokens that the mask has, special tokens by their names."""
    pieces = [tok.id_to_piece(id) for id, mine in zip(ids, ids.assistant_mask, strict=True) if mine]
    return "".join(pieces).replace("▁", " ").replace("<0x0A>", "\n").strip()


def test_the_mask_of_a_template_without_generation(tok: ap.Tokenizer) -> None:
    """What the assistant says, what the template writes inside of it, and the special token that closes it."""

    def masked(messages: list[dict[str, Any]], template: str) -> str:
        ids = tok.encode_chat(messages, template=template)
        return shown_of(tok, ids)

    assert masked(SAID, CHATML) == "Ho ho</s>"
    assert masked(SAID, "{{ messages[1].content }} \n </s>") == "Ho ho \n </s>"
    assert masked(SAID, "{{ messages[1].content }} x</s>") == "Ho ho"
    assert masked(SAID * 2, CHATML) == "Ho ho</s>Ho ho</s>"
    call = {"name": "f", "arguments": {"a": 1}}
    thought = [{"role": "assistant", "content": "Ho", "reasoning_content": "hm", "tool_calls": [call]}]
    shown = "{% set m = messages[0] %}<s>[{{ m.thinking }}] {{ m.content }} ({{ m.tool_calls[0] | tojson }})</s>"
    assert masked(thought, shown) == 'hm] Ho ({"name": "f", "arguments": {"a": 1}}'
    assert masked([*SAID, *SAID], "{{ messages[1].content }}|{{ messages[0].content }}|{{ messages[1].content }}") == (
        "Ho hoHo ho"
    )


def test_the_mask_of_a_template_with_generation(tok: ap.Tokenizer) -> None:
    template = """{% for m in messages %}<s>{% if m.role == 'assistant' %}{% generation %}{{ m.content }}</s>
{%- endgeneration %}{% else %}{{ m.content }}</s>{% endif %}{% endfor %}"""
    for shown in (template, "{% macro f() %}" + template + "{% endmacro %}{{ f() }}"):
        ids = tok.encode_chat(SAID, template=shown)
        assert ids.text == tok.render_chat(SAID, template=shown) == "<s>Hi</s><s>Ho ho</s>"
        assert shown_of(tok, ids) == "Ho ho</s>"
    assert not any(tok.encode_chat(SAID[:1], template=template).assistant_mask)


def test_the_result_is_a_list(tok: ap.Tokenizer) -> None:
    ids = tok.encode_chat(SAID, template=CHATML)
    assert isinstance(ids, list)
    assert tok.decode(ids) == tok.decode(list(ids))
    for again in (pickle.loads(pickle.dumps(ids)), copy.deepcopy(ids)):
        assert again == ids
        assert (again.spans, again.assistant_mask, again.text) == (ids.spans, ids.assistant_mask, ids.text)


def test_the_template_and_tokens_of_a_folder(tmp_path: Path) -> None:
    written(tmp_path, document(added_tokens=[added(4, "<s>"), added(5, "</s>")]))
    config = {"bos_token": "<s>", "eos_token": "</s>"}
    config["chat_template"] = "{{ bos_token }}{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}"
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    tok = ap.load(tmp_path)
    ids = tok.encode_chat([{"role": "user", "content": "ab"}])
    first, last = tok.piece_to_id("<s>"), tok.piece_to_id("</s>")
    assert (ids[0], ids[-1]) == (first, last)
    hostile = tok.encode_chat([{"role": "user", "content": "ab<s></s>"}])
    assert (hostile.count(first), hostile.count(last)) == (1, 1)


def test_what_fails(tok: ap.Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ap.FormatError, match="no chat template"):
        tok.encode_chat(SAID)
    with pytest.raises(ap.FormatError, match="nope"):
        tok.encode_chat(SAID, template="{{ raise_exception('nope') }}")
    with pytest.raises(ap.InputError, match="A message must be"):
        tok.encode_chat([1], template="x")  # type: ignore[list-item]
    with pytest.raises(ap.FormatError):
        tok.encode_chat(
            SAID,
            template="{% for i in range(99999) %}{% for c in messages[1].content * 99 %}{{ c }}{% endfor %}{% endfor %}",
        )
    monkeypatch.delitem(sys.modules, "anypiece.chat.sandbox", raising=False)
    monkeypatch.delitem(sys.modules, "anypiece.chat.tracing", raising=False)
    monkeypatch.setitem(sys.modules, "jinja2.sandbox", None)
    with pytest.raises(ap.InputError, match=r"pip install 'anypiece\[chat\]'"):
        tok.encode_chat(SAID, template="x")


_GROWING = {
    "replace": "ns.x|replace('a', 'aaa')",
    "replace a trusted character": "(c ~ ns.x)|replace('a', 'aca')",
    "method": "(c ~ ns.x).replace('a', c ~ 'aca')",
    "lower": "(ns.x ~ c ~ ns.x ~ c).lower()",
    "filter": "(ns.x ~ c ~ ns.x ~ c)|upper",
    "strip": "(ns.x ~ c ~ ns.x ~ c).strip() ~ ns.x|trim",
    "slice": "(ns.x ~ c ~ ns.x ~ c)[1:]",
    "split": "ns.x.split('a')|join('ca' ~ c) ~ 'a' ~ c",
    "repeat": "(ns.x ~ c) * 3",
    "join": "[ns.x, ns.x, ns.x]|join(c)",
}


@pytest.mark.parametrize("name", _GROWING)
def test_a_text_that_grows_in_a_loop_is_refused(name: str) -> None:
    start = "{% set ns = namespace(x='ab') %}{% set c = messages[0].content %}{% for i in range(10000) %}"
    template = f"{start}{{% set ns.x = {_GROWING[name]} %}}{{% endfor %}}{{{{ ns.x }}}}"
    ap.load().encode_chat([{"role": "user", "content": "c"}], template="{{ messages[0].content }}")
    began = time.process_time()
    with pytest.raises(ap.AnyPieceError, match="SecurityError"):
        ap.load().encode_chat([{"role": "user", "content": "c"}], template=template)
    assert time.process_time() - began < 12, "about a second; 18 where cutting is not paid for"
