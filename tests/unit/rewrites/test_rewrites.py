"""A Spec in another shape: the same ids and texts as before, and a refusal where there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import anypiece as ap
from anypiece import Added, AddedFlag
from anypiece.rewrites import added_tokens, bos_eos, merges, rewrite_for, whitespace
from tests.support.small_vocabularies import BPE, BYTES, RANKS, UNIGRAM

TEXTS = ["", " ", "  ", "a b", " ab  ab ", "the the\n\n日 xyz", "▁a", "ab▁", "é日", "<s>abc</s>", "cab é a"]


def same(one: ap.Spec, other: ap.Spec) -> None:
    first, second = ap.Tokenizer(one), ap.Tokenizer(other)
    for text in TEXTS:
        assert first.encode(text) == second.encode(text), text
        if text != "▁a" or not one.remove_extra_whitespaces:  # SentencePiece takes such marks for spaces in front
            assert first.decode(first.encode(text)) == second.decode(first.encode(text)), text


def test_ranks_as_a_list_and_back() -> None:
    spec = merges.as_list(RANKS)
    assert spec.merges[:3].tolist() == [[ord("t"), ord("h"), 256], [ord(" "), ord("t"), 257], [ord("h"), ord("e"), 258]]
    assert [row for row in spec.merges.tolist() if row[2] == 260] == [[257, 258, 260], [259, ord("e"), 260]]
    assert not spec.pieces.scores.any()
    same(spec, RANKS)
    assert merges.as_ranks(spec, first=0) == RANKS
    assert merges.as_list(spec) is spec
    assert merges.as_list(UNIGRAM) is UNIGRAM


def test_scores_as_a_list_and_back() -> None:
    spec = merges.as_list(BPE)
    assert spec.merges.tolist() == [[3, 4, 8], [4, 5, 9], [3, 9, 10], [8, 5, 10]]
    same(spec, BPE)
    again = merges.as_scores(spec)
    assert again.pieces.scores.tolist() == [0, 0, 0, -3, -3, -3, -3, -3, 0, -1, -2]
    same(again, BPE)
    assert merges.as_scores(BPE) is BPE


def test_an_order_that_ranks_cannot_say() -> None:
    spec = merges.as_list(RANKS)
    turned = spec.replace(merges=spec.merges[::-1])
    with pytest.raises(ap.FormatError, match="in the order of their ids") as error:
        merges.as_ranks(turned, first=0)
    assert error.value.code == "format-unwritable"
    apart = spec.replace(merges=np.concatenate([spec.merges[3:4], spec.merges[:3], spec.merges[4:]]))
    one = apart.replace(merges=np.array([[257, 258, 260], [ord("t"), ord("h"), 256], [259, ord("e"), 260]]))
    with pytest.raises(ap.FormatError, match="have others between them"):
        merges.as_ranks(one, first=0)


@pytest.mark.parametrize("spec", [UNIGRAM, BPE, BYTES], ids=["unigram", "bpe", "bytes"])
@pytest.mark.parametrize("prefix", [True, False])
@pytest.mark.parametrize("squeeze", [True, False])
def test_settings_as_steps_and_back(spec: ap.Spec, prefix: bool, squeeze: bool) -> None:
    spec = spec.replace(add_dummy_prefix=prefix, remove_extra_whitespaces=squeeze)
    steps = whitespace.as_steps(spec)
    off = (steps.add_dummy_prefix, steps.remove_extra_whitespaces, steps.escape_whitespaces, bool(steps.unk_surface))
    assert not any(off)
    same(spec, steps)
    assert whitespace.as_settings(steps) == spec


def test_steps_of_another_form_stay() -> None:
    steps = whitespace.as_steps(UNIGRAM)
    for odd in (
        steps.replace(normalizer=({"type": "nfkc"}, *steps.normalizer)),
        steps.replace(decoder=({"type": "fuse"},)),
        steps.replace(split_rules=({"type": "whitespace"},)),
    ):
        assert whitespace.as_settings(odd) is odd
    suffixed = UNIGRAM.replace(whitespace_as_suffix=True)
    assert whitespace.as_steps(suffixed) is suffixed


def test_metaspace_as_settings() -> None:
    mark = {"type": "metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    decoder = ({"type": "metaspace", "replacement": "▁", "prepended": True},)
    steps = whitespace.as_steps(UNIGRAM).replace(normalizer=(), split_rules=(mark,), decoder=decoder)
    found = whitespace.as_settings(steps)
    assert found == UNIGRAM.replace(remove_extra_whitespaces=False, unk_surface="<unk>")
    words = steps.replace(split_rules=({"type": "whitespace-split"}, mark))
    assert whitespace.as_settings(words) == UNIGRAM.replace(unk_surface="<unk>")


@pytest.mark.parametrize(
    ("bos", "eos", "single"),
    [
        (True, True, ((1, 0), ("A", 0), (2, 0))),
        (True, False, ((1, 0), ("A", 0))),
        (False, True, (("A", 0), (2, 0))),
        (False, False, (("A", 0),)),
    ],
)
def test_marks_as_a_template_and_back(bos: bool, eos: bool, single: tuple[tuple[int | str, int], ...]) -> None:
    spec = UNIGRAM.replace(add_bos=bos, add_eos=eos)
    made = bos_eos.as_template(spec)
    assert (made.single, made.pair) == (single, (("A", 0), ("B", 1)))
    assert ap.Tokenizer(made).encode("a", add_special=True) == ap.Tokenizer(spec).encode("a", add_special=True)
    assert bos_eos.as_flags(made, flags=True) == spec
    kept = bos_eos.as_flags(made, flags=False).single
    assert (kept is None) == (bos == eos == True)  # noqa: E712


def test_a_template_that_marks_cannot_say_stays() -> None:
    for single in (((1, 0), (1, 0), ("A", 0)), (("A", 1),), ((1, 1), ("A", 0))):
        spec = UNIGRAM.replace(single=single, pair=(("A", 0), (2, 0), ("B", 1)))
        assert bos_eos.as_flags(spec, flags=True) == spec
    missing = UNIGRAM.replace(bos_id=None)
    assert bos_eos.as_template(missing).single == (("A", 0),)


def test_added_tokens_as_less() -> None:
    rows = [("<s>", 1, AddedFlag.SPECIAL | AddedFlag.NORMALIZED), ("ab", 9, AddedFlag.NORMALIZED)]
    spec = UNIGRAM.replace(added=Added.of(rows))
    assert [flags for _, _, flags in added_tokens.without_flags(spec).added] == [AddedFlag.SPECIAL, AddedFlag(0)]
    with_step = spec.replace(normalizer=({"type": "nfc"},))
    assert added_tokens.without_flags(with_step) is with_step
    special = added_tokens.as_specials(spec)
    assert [flags for _, _, flags in special.added] == [AddedFlag.SPECIAL] * 2
    assert special.pieces.kinds[9] == ap.Kind.CONTROL
    kinds = added_tokens.as_kinds(spec)
    assert kinds.pieces.kinds[9] == ap.Kind.USER_DEFINED
    assert not len(kinds.added)
    other = spec.replace(added=Added.of([("<x>", 1, AddedFlag.SPECIAL), *rows[1:]]))
    assert (
        len(added_tokens.as_kinds(other).added) == 2
    )  # one has another spelling than its piece, which a kind cannot say
    assert not len(added_tokens.as_kinds(spec.replace(added=Added.of(rows[1:]))).added)


def test_control_pieces_as_added_tokens() -> None:
    rows = [(name, score, kind) for name, score, kind in UNIGRAM.pieces]
    spec = UNIGRAM.replace(pieces=ap.Pieces.of([*rows, ("[X]", 0.0, ap.Kind.USER_DEFINED)]))
    found = {text: (id, flags) for text, id, flags in added_tokens.as_added(spec).added}
    special = AddedFlag.SPECIAL
    assert found == {"<unk>": (0, special), "<s>": (1, special), "</s>": (2, special), "[X]": (11, AddedFlag(0))}
    bare = spec.replace(normalizer=({"type": "nfc"},), add_dummy_prefix=False)
    assert AddedFlag.NORMALIZED in [flags for _, _, flags in added_tokens.as_added(bare).added]


def test_symbols_and_a_mark_in_front() -> None:
    """No steps do the same where user-defined pieces part a text; other texts come out right in either way."""
    rows = [(name, score, kind) for name, score, kind in BPE.pieces]
    pieces = ap.Pieces.of([*rows, ("[X]", 0.0, ap.Kind.USER_DEFINED)])
    for squeeze, right in ((True, ["a[X]b", "ab [X]ab"]), (False, ["ab[X]", "a [X]"])):
        spec = BPE.replace(pieces=pieces, remove_extra_whitespaces=squeeze)
        rewrite = rewrite_for(spec, "huggingface")
        assert rewrite.nearly == ("add_dummy_prefix",)
        one, other = ap.Tokenizer(spec), ap.Tokenizer(rewrite.spec)
        for text in (*right[:1], "a b", "  ab", "ab  a ", " "):
            assert one.encode(text) == other.encode(text), text
        assert any(one.encode(text) != other.encode(text) for text in ("[X]", "a[X]b", "a [X]"))
        assert whitespace.as_settings(rewrite.spec).add_dummy_prefix


def test_what_is_only_nearly_the_same_is_named() -> None:
    assert rewrite_for(UNIGRAM, "huggingface").nearly == ("arithmetic", "match_kinds")
    assert rewrite_for(BPE, "huggingface").nearly == ()
    assert rewrite_for(RANKS, "huggingface").nearly == ()
    assert rewrite_for(RANKS, "no such format").spec is RANKS
    rows = [(text, id, int(flags) & 0) for text, id, flags in RANKS.added]
    kinds = RANKS.pieces.kinds.copy()
    kinds[269:] = ap.Kind.USER_DEFINED
    loose = RANKS.replace(added=Added.of(rows), pieces=replace(RANKS.pieces, kinds=kinds))
    assert rewrite_for(loose, "tiktoken").nearly == ("added",)
    assert rewrite_for(loose, "tiktoken").spec == RANKS
