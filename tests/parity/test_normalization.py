"""The named rules and TSV files: the maps have the keys and targets of SentencePiece's own, and change texts alike there.

Two maps with the same rows change every text alike; so the texts here are about the layout of the map and its readers. The
whole of it, not a sample: ``python -m tests.parity.test_normalization``.
"""

from __future__ import annotations

import io
import random
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pytest
import sentencepiece
from tokenizers import normalizers

import anypiece as ap
from anypiece.reference import ReferenceTokenizer
from anypiece.training.charsmap import rows_of
from anypiece.training.normalization import RULES, charsmap_of, named_rules, read_rules
from tests.parity.compare import Peers
from tests.support.normalization import CODES, JAMO, decompositions, only_mapped, random_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

NAMED = [rule for rule in RULES if rule != "identity"]


@lru_cache(maxsize=1)
def all_decompositions() -> list[str]:
    return decompositions()


@lru_cache(maxsize=1)
def all_rows() -> dict[str, str]:
    return named_rules("nmt_nfkc_cf")


TRAINING: dict[str, Any] = {"model_type": "char", "vocab_size": 8}


def trained(**options: object) -> bytes:
    """The map in a model that SentencePiece has trained."""
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c"]), model_writer=out, minloglevel=2, **TRAINING, **options
    )
    return ap.formats.sentencepiece.read(out.getvalue())[0].charsmap


def rule_of_package(rule: str) -> sentencepiece.SentencePieceNormalizer:
    """A named rule without what is done to spaces besides, which 0.2.3 does unless it is told not to."""
    return sentencepiece.SentencePieceNormalizer(
        rule_name=rule, add_dummy_prefix=False, escape_whitespaces=False, remove_extra_whitespaces=False
    )


def texts_of(rule: str, share: int) -> Iterator[str]:
    """One of ``share`` of all texts that are to be compared."""
    offset = len(rule) % share
    for code in CODES[offset::share]:
        yield chr(code)
        yield f"a{chr(code)}e"
    yield from all_decompositions()[offset::share]
    rng = random.Random(len(rule))
    for _ in range(60_000 // share):
        yield "".join(rng.choice(JAMO) for _ in range(rng.randrange(1, 9)))
    yield from random_texts(all_rows(), 20_000 // share, seed=len(rule))


def differing(rule: str, texts: Iterable[str], folder: Path) -> tuple[int, list[str]]:
    """How many texts were compared, and those that differ: by the kernel, or by SentencePiece with our map in a file."""
    tokenizer = ap.Tokenizer(only_mapped(charsmap_of(rule)))
    tokenizer.save(folder / f"{rule}.model")
    loaded = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{rule}.model"))
    theirs = rule_of_package(rule)
    count, found = 0, []
    for text in texts:
        expected = theirs.normalize(text)
        count += 1
        if tokenizer.normalize(text) != expected or loaded.normalize(text) != expected:
            found.append(text)
    return count, found


@pytest.mark.parametrize("rule", NAMED)
def test_the_rows_are_those_of_the_package(rule: str) -> None:
    theirs = rows_of(trained(normalization_rule_name=rule))
    assert named_rules(rule) == theirs
    assert rows_of(charsmap_of(rule)) == theirs


@pytest.mark.parametrize("rule", NAMED)
def test_the_rows_of_the_release_before(rule: str, peers: Peers) -> None:
    """0.2.2 leaves U+061C alone; 0.2.3 takes it for a space as the other marks of direction."""
    written = peers.get("0.2.2").train([b"a b c"], normalization_rule_name=rule, **TRAINING)
    theirs = rows_of(ap.formats.sentencepiece.read(written)[0].charsmap)
    later = {"\u061c": " "} if rule.startswith("nmt") else {}
    assert named_rules(rule) == theirs | later
    assert not later.keys() & theirs.keys()


@pytest.mark.parametrize("flags", [{}, {"add_dummy_prefix": False}, {"escape_whitespaces": False}], ids=str)
def test_a_rule_by_name_does_to_spaces_what_a_file_would(flags: dict[str, bool]) -> None:
    """``SentencePieceNormalizer`` of 0.2.3 has the flags of a model where none are given; before, all were off."""
    theirs = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc", **flags)
    all_on = {"add_dummy_prefix": True, "remove_extra_whitespaces": True, "escape_whitespaces": True}
    ours = ap.Tokenizer(only_mapped(charsmap_of("nmt_nfkc")).replace(**(all_on | flags)))
    for text in ("a", "  a \u061c b ", "", " ", "Ｈｅｌｌｏ\tⅣ"):
        assert ours.normalize(text) == theirs.normalize(text), ascii(text)


@pytest.mark.parametrize("rule", RULES)
def test_texts_become_the_same(rule: str, tmp_path: Path) -> None:
    count, found = differing(rule, texts_of(rule, 97), tmp_path)
    assert count > 24_000
    assert found == []


def test_tokenizers_reads_the_map() -> None:
    """Which keys it looks up is its own affair; with our map and with SentencePiece's they are the same."""
    ours = normalizers.Precompiled(charsmap_of("nmt_nfkc"))
    theirs = normalizers.Precompiled(trained(normalization_rule_name="nmt_nfkc"))
    for text in texts_of("nmt_nfkc", 97):
        assert ours.normalize_str(text) == theirs.normalize_str(text), ascii(text)


@pytest.mark.parametrize("rule", NAMED)
def test_the_reference_reads_the_map(rule: str) -> None:
    reference = ReferenceTokenizer(only_mapped(charsmap_of(rule)))
    theirs = rule_of_package(rule)
    for text in texts_of(rule, 997):
        assert reference.normalize(text) == theirs.normalize(text), ascii(text)


def test_the_rows_of_nfkc_follow_from_the_standard() -> None:
    """Each row is the form of its source, by tables that are not ours; those know older characters only."""
    known = 0
    for source, target in named_rules("nfkc").items():
        if all(unicodedata.category(c) != "Cn" for c in source + target):
            assert target == unicodedata.normalize("NFKC", source), ascii(source)
            known += 1
    assert known > 224_000


def test_tsv(tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text("0041 0042\t0061\n00E9\t0065\t# é => e\n0062\nU+3042\tU+4E00 30\n41\t\n41 42 43\t58", "utf-8")
    charsmap = charsmap_of(tsv=path)
    rules = {"AB": "a", "é": "e", "b": "", "あ": "一0", "A": "", "ABC": "X"}
    assert read_rules(path) == rules
    assert rows_of(charsmap) == rows_of(trained(normalization_rule_tsv=str(path))) == rules
    tokenizer = ap.Tokenizer(only_mapped(charsmap))
    tokenizer.save(tmp_path / "rules.model")
    loaded = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "rules.model"))
    rng = random.Random(1)
    for _ in range(500):
        text = "".join(rng.choice("ABCbéあx") for _ in range(rng.randrange(12)))
        assert tokenizer.normalize(text) == loaded.normalize(text), text


def main() -> None:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        for rule in RULES:
            count, found = differing(rule, texts_of(rule, 1), Path(folder))
            print(f"{rule}: {count} texts, {len(found)} differ", [ascii(text) for text in found[:20]], flush=True)


if __name__ == "__main__":
    main()
