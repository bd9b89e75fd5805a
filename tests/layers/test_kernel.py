"""The folders of the kernel in the order of the layers: a file imports from its own folder and from those above it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.data import ROOT

SOURCES = ROOT / "crates" / "core" / "src"

LAYERS = (
    # what knows nothing of tokenizers
    "util unicode index pattern",
    # data
    "spec",
    # the stages of a text
    "normalize split specials",
    # pieces of a unit, units of a text
    "segment units",
    # the lattice, draws and best paths
    "lattice sampling nbest",
    # the tokenizer's methods
    "tokenizer",
    # what makes vocabularies, what reads files
    "training scan",
)
ORDER = " ".join(LAYERS).split()

TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", re.DOTALL)
COMMENT = re.compile(r"//.*")
PATH = re.compile(r"\bcrate::(?:(\w+)|\{)")


def imports_of(source: str) -> set[str]:
    """The modules at the root of the crate that a file names, its tests aside."""
    text = COMMENT.sub("", TESTS.sub("", source))
    found = set()
    for match in PATH.finditer(text):
        found.update([match[1]] if match[1] else first_names(text[match.end() :]))
    return found


def first_names(group: str) -> list[str]:
    """The first names of the paths in a group, which begins behind its opening brace.

    >>> first_names("cast::{u32_of, us}, error::Result};")
    ['cast', 'error']
    """
    names, depth = [""], 0
    for character in group:
        if character == "}" and depth == 0:
            break
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            names.append("")
        else:
            names[-1] += character
    return [name.strip().partition("::")[0] for name in names if name.strip()]


def layer_of(path: Path) -> str:
    return path.relative_to(SOURCES).parts[0].removesuffix(".rs")


def imports() -> set[tuple[str, str]]:
    files = [path for path in sorted(SOURCES.rglob("*.rs")) if path.name != "lib.rs"]
    pairs = {(layer_of(path), name) for path in files for name in imports_of(path.read_text(encoding="utf-8"))}
    return {(layer, name) for layer, name in pairs if layer != name}


def test_every_layer_has_its_place() -> None:
    assert len(ORDER) == len(set(ORDER))
    assert {layer_of(path) for path in SOURCES.rglob("*.rs")} - {"lib"} == set(ORDER)


def test_imports_go_upwards() -> None:
    place = {layer: number for number, layer in enumerate(ORDER)}
    assert not {pair for pair in imports() if place[pair[1]] > place[pair[0]]}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("use crate::cast::us;", {"cast"}),
        ("use crate::{cast::{u32_of, us}, error::Result};\nfn f() -> crate::spec::Spec {}", {"cast", "error", "spec"}),
        ("// crate::cast\nuse std::fmt;", set()),
        ("use crate::cast::us;\n#[cfg(test)]\nmod tests {\n    use crate::spec::Spec;\n}", {"cast"}),
    ],
)
def test_imports_are_found(source: str, names: set[str]) -> None:
    assert imports_of(source) == names
