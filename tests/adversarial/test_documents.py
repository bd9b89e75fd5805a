"""Documents of the families that the fuzzer draws, and what each must answer: a refusal by its code, or every call.

They are used as the fuzzer uses its mutants: in a process of their own, with bounded memory and time, by every method that
runs their stages. An error with a known code is an answer to a call; an abort, a panic, any other exception is not.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.fuzz.mutant import Mutant
from tests.fuzz.pool import Worker
from tests.support.hf import added, document

if TYPE_CHECKING:
    from collections.abc import Iterator


def _grows(new: str = "aa", **pattern: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern or {"String": "a"}, "content": new}


def _sequence(name: str, *stages: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", name: list(stages)}


def _nested(name: str, inner: dict[str, Any], depth: int) -> dict[str, Any]:
    for _ in range(depth):
        inner = _sequence(name, inner)
    return inner


_TOKEN = {"SpecialToken": {"id": "<s>", "type_id": 0}}
_TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"Sequence": {"id": "A", "type_id": 0}}, *[_TOKEN] * 100],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [5] * 9, "tokens": ["<s>"] * 9}},
}
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "use_regex": False}

LOADED: dict[str, dict[str, Any]] = {
    "normalizers in turn": {"normalizer": _sequence("normalizers", *[{"type": "NFC"}, _grows()] * 300)},
    "an empty match is replaced": {"normalizer": _sequence("normalizers", *[_grows("\u0344", Regex="a*")] * 60)},
    "bytes of bytes": {"pre_tokenizer": _sequence("pretokenizers", *[_BYTE_LEVEL, {"type": "Whitespace"}] * 60)},
    "decoders that double": {"decoder": _sequence("decoders", *[_grows()] * 300)},
    "decoders in each other": {"decoder": _nested("decoders", _grows(), 100)},
    "what Python's re does not know": {"normalizer": _grows("", Regex=r"(?<=a*)b|\x{61}|\p{^L}")},
    "added tokens that are normalized": {
        "normalizer": _sequence("normalizers", *[_grows()] * 5),
        "added_tokens": [added(0, "<unk>"), *(added(5 + n, "a" * (n + 1), normalized=True) for n in range(300))],
    },
}
REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "a surrogate as a prefix": ("file-corrupt", {"normalizer": {"type": "Prepend", "prepend": "\ud800"}}),
    "a number as a content": ("json-field", {"decoder": {"type": "Replace", "pattern": {"String": "a"}, "content": 5}}),
    "a list as a stage": ("json-field", {"pre_tokenizer": [[[]]]}),
    "a pattern that is none": ("spec-pattern", {"normalizer": _grows("", Regex="(a")}),
}
TEMPLATES = {
    "a value that doubles": "{% set x = 'a' %}" + "{% set x = x ~ x %}" * 40 + "{{ x }}",
    "a list in a list": "{% set x = [1] %}" + "{% set x = [x, x] %}" * 60 + "{{ x|tojson }}",
    "loops in loops": "{% for a in range(1000) %}" * 9 + "x" + "{% endfor %}" * 9,
    "deep blocks": "{% if 1 %}" * 2000 + "x" + "{% endif %}" * 2000,
    "deep brackets": "{{ " + "(" * 2000 + "1" + ")" * 2000 + " }}",
    "a wide field": "{{ '%1000000000d' % 1 }}{{ '{:1000000000}'.format(1) }}{{ 'a'.center(10**9) }}",
    "a large power": "{% set x = 9 %}" + "{% set x = x ** 9 %}" * 9 + "{{ x }}",
    "a macro that calls itself": "{% macro f(a) %}{{ f(a) }}{% endmacro %}{{ f(1) }}",
    "out of the sandbox": "{{ ''.__class__.__mro__ }}{{ messages.__init__.__globals__ }}",
    "a filter that is not there": "{{ messages|no_such_filter }}",
}


@pytest.fixture(scope="module")
def warm() -> Iterator[Worker]:
    with Worker() as running:
        yield running


def _mutant(sections: dict[str, Any]) -> Mutant:
    return Mutant(json.dumps(document(**sections)).encode(), ".json")


@pytest.mark.parametrize("name", LOADED)
def test_every_call_is_answered(name: str, warm: Worker) -> None:
    outcome = warm.run(_mutant(LOADED[name]))
    assert outcome.fine, outcome


def test_a_template_of_many_tokens(warm: Worker) -> None:
    tokens = [added(0, "<unk>"), added(5, "<s>")]
    outcome = warm.run(_mutant({"post_processor": _TEMPLATE, "added_tokens": tokens}))
    assert outcome.fine, outcome
    many = {**_TEMPLATE, "single": [{"Sequence": {"id": "A", "type_id": 0}}, *[_TOKEN] * 5000]}
    assert warm.run(_mutant({"post_processor": many, "added_tokens": tokens}))[:2] == ("refused", "json-unsupported")


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_by_its_code(name: str, warm: Worker) -> None:
    code, sections = REFUSED[name]
    assert warm.run(_mutant(sections))[:2] == ("refused", code)


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_end(name: str, warm: Worker) -> None:
    """The tokenizer loads; that its template fails is an answer, with the code of a template."""
    outcome = warm.run(Mutant(json.dumps({"chat_template": TEMPLATES[name]}).encode(), ".config"))
    assert outcome.check == "loaded", outcome
