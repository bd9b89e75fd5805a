"""Steps and rules: the kernel, the reference and ``tokenizers`` give the same text, chunks and places."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers

import anypiece as ap
from anypiece import Kind, Pieces, Spec, Tokenizer
from anypiece.reference import ReferenceTokenizer
from anypiece.reference.rules import byte_of
from anypiece.training.normalization import charsmap_of
from tests.support.charsmap_builder import build
from tests.support.small_vocabularies import RANKS, UNIGRAM
from tests.support.stages import BYTES, CHARACTERS, RULES, joined_rules, joined_steps, texts

Chunk = tuple[bytes, int, int]

EACH_CHARACTER = {"type": "fixed-length", "length": 1}
KEYS = {
    "ａ": "a",
    "é": "e",
    "e\u0301": "E",
    "ﷺ": "long text",
    "\u0301": "",
    "①": "1",
    "か": "カ",
    "\r\n": "|",
    "Σ": "σσ",
    "ß": "",
}
MAP = build(KEYS)  # type: ignore[arg-type]


def chunks(tokenizer: Tokenizer, text: str) -> list[Chunk]:
    return tokenizer._kernel.chunks(text, True)


def reference_chunks(reference: ReferenceTokenizer, text: str) -> list[Chunk]:
    counts = [0]
    for character in text:
        counts += [counts[-1]] * (len(character.encode()) - 1) + [counts[-1] + 1]
    found = reference.chunks(text.encode())
    return [(one.text, counts[one.offsets[0]], counts[one.ends[-1]]) for one in found]


def their_tokenizer(normalizer: Any, rule: Any) -> tokenizers.Tokenizer:
    """One whose tokens are its chunks."""
    made = tokenizers.Tokenizer(models.WordLevel({"<unk>": 0}, unk_token="<unk>"))
    made.normalizer, made.pre_tokenizer = normalizer, rule
    return made


@pytest.mark.parametrize("newer", [False, True])
def test_steps(newer: bool) -> None:
    for number, (steps, theirs) in enumerate(joined_steps(1, 60)):
        ours = Tokenizer(CHARACTERS.replace(normalizer=tuple(steps)))
        split = Tokenizer(CHARACTERS.replace(normalizer=tuple(steps), split_rules=(EACH_CHARACTER,)))
        reference = ReferenceTokenizer(split.spec)
        judge = their_tokenizer(theirs, pre_tokenizers.FixedLength(1))
        for text in texts(number, 40, newer):
            wanted = theirs.normalize_str(text)
            assert ours.normalize(text) == wanted, (steps, text)
            offsets = judge.encode(text).offsets
            assert [place[1:] for place in chunks(split, text)] == offsets, (steps, text)
            if not newer:
                assert reference.normalize(text) == wanted, (steps, text)
                assert [place[1:] for place in reference_chunks(reference, text)] == offsets, (steps, text)


def test_every_character_by_every_step() -> None:
    """Whatever the tables of any release say: here they are the library's."""
    everything = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    lines = ["\n".join(everything[at : at + 1024]) for at in range(0, len(everything), 1024)]
    steps = [pair for pair in joined_steps(0, 0) if pair[0][0]["type"] not in ("bert", "replace", "prepend")]
    steps.append(([{"type": "bert", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                    "lowercase": True}], normalizers.BertNormalizer()))  # fmt: skip
    for step, theirs in steps:
        ours = Tokenizer(CHARACTERS.replace(normalizer=tuple(step)))
        for line in lines:
            assert ours.normalize(line) == theirs.normalize_str(line), step


def test_every_character_by_every_rule() -> None:
    codes = [*range(0xD800), *range(0xE000, 0x20000), *range(0x20000, 0x110000, 97), *range(0xE0000, 0xE0200)]
    everything = "".join(f"a{chr(code)} " for code in codes)
    tried: set[str] = set()
    for rule, theirs in RULES:
        if rule["type"] in ("split", "fixed-length", "metaspace") or rule["type"] in tried:
            continue
        tried.add(rule["type"])
        ours = Tokenizer(CHARACTERS.replace(split_rules=(rule,)))
        for at in range(0, len(everything), 1 << 12):
            text = everything[at : at + (1 << 12)]
            wanted = [chunk.encode() for chunk, _ in theirs.pre_tokenize_str(text)]
            assert [chunk for chunk, _, _ in chunks(ours, text)] == wanted, rule


def test_charsmap() -> None:
    theirs = normalizers.Precompiled(MAP)
    judge = their_tokenizer(theirs, pre_tokenizers.FixedLength(1))
    split = Tokenizer(
        CHARACTERS.replace(normalizer=({"type": "charsmap"},), split_rules=(EACH_CHARACTER,), charsmap=MAP)
    )
    reference = ReferenceTokenizer(split.spec)
    listed = [*texts(5, 600, newer=False), *KEYS, *(key + "\u0301" for key in KEYS), "ßßa", "ß", "éß\u0301x"]
    for text in listed:
        wanted = theirs.normalize_str(text)
        assert split.normalize(text) == reference.normalize(text) == wanted, text
        offsets = judge.encode(text).offsets
        assert [place[1:] for place in chunks(split, text)] == offsets, text
        assert [place[1:] for place in reference_chunks(reference, text)] == offsets, text


JOINING = ("\u0301", "\u200d", "\ufe0f", "\u1160", "\u11a8", "\u094d", "\u0903", "\u0600", "\U0001f1e6", "\r")
"""Characters that form a grapheme with those beside them: marks, joiners, vowels and ends of Hangul, a virama, others."""


@pytest.mark.parametrize("rule", ["nfkc", "nmt_nfkc_cf"])
def test_every_character_by_charsmap(rule: str) -> None:
    """Alone and beside others: what is looked up is a grapheme."""
    map_bytes = charsmap_of(rule)
    theirs = normalizers.Precompiled(map_bytes)
    ours = Tokenizer(CHARACTERS.replace(normalizer=({"type": "charsmap"},), charsmap=map_bytes))
    codes = [*range(0xD800), *range(0xE000, 0x10000), *range(0x10000, 0x110000, 61), *range(0x1F1E0, 0x1F700)]
    for at in range(0, len(codes), 256):
        some = [chr(code) for code in codes[at : at + 256]]
        beside = "x".join(f"{one}{joining}{one}" for one in some for joining in JOINING)
        for text in ("".join(some), "x".join(some), "\n".join(some), beside):
            assert ours.normalize(text) == theirs.normalize_str(text), hex(codes[at])


CLASSES: dict[tuple[str, ...], list[Any]] = {
    (): [],
    ("whitespace-split",): [pre_tokenizers.WhitespaceSplit()],
    ("bert",): [pre_tokenizers.BertPreTokenizer()],
    ("punctuation",): [pre_tokenizers.Punctuation("isolated")],
    ("digits", "whitespace-split"): [pre_tokenizers.Digits(True), pre_tokenizers.WhitespaceSplit()],
}
"""Rules that remove or isolate characters, as ours by name and as theirs."""


@pytest.mark.parametrize("names", CLASSES, ids="-".join)
@pytest.mark.parametrize("mark", ["▁", "_", "1"])
@pytest.mark.parametrize("lower", [False, True])
def test_metaspace_behind_rules_of_single_characters(names: tuple[str, ...], mark: str, lower: bool) -> None:
    """They run in one pass where no places are asked for; the mark itself may be of a class that is isolated."""
    more = {"digits": {"individual": True}, "punctuation": {"behavior": "isolated"}}
    before = [{"type": name, **more.get(name, {})} for name in names]
    bert = {"type": "bert", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
    normalizer = normalizers.BertNormalizer() if lower else normalizers.Sequence([])
    listed = [text.replace("▁", mark) for text in texts(11, 40, newer=False)]
    listed += [
        "",
        " ",
        mark,
        f" {mark} a",
        f"a{mark}{mark} b{mark}",
        f"A {mark}a.{mark} ",
        "a  b \t",
        "\ta",
        "é日本 aa1a1",
    ]
    # Where a step has removed the beginning, "first" is no chunk, which such a cut of normalized text does not know.
    for scheme in ("always", "never") if lower else ("always", "first", "never"):
        for split in (False, True):
            rule = {"type": "metaspace", "replacement": mark, "prepend_scheme": scheme, "split": split}
            theirs = pre_tokenizers.Sequence([*CLASSES[names], pre_tokenizers.Metaspace(mark, scheme, split)])
            judge = their_tokenizer(normalizer, theirs)
            changes = {"normalizer": (bert,) if lower else (), "split_rules": (*before, rule)}
            ours, as_bytes = (Tokenizer(spec.replace(**changes)) for spec in (CHARACTERS, BYTES))
            for text in listed:
                wanted = pieces_of(judge, text)
                assert bytes(as_bytes.encode(text)).decode() == "".join(wanted), (rule, text)
                assert [one.decode() for one, _, _ in chunks(ours, text)] == wanted, (rule, text)
                check_tokens(ours, text, wanted)


def pieces_of(judge: tokenizers.Tokenizer, text: str) -> list[str]:
    """The chunks that a tokenizer makes of a text, as it writes them."""
    cut = tokenizers.PreTokenizedString(judge.normalizer.normalize_str(text))
    judge.pre_tokenizer.pre_tokenize(cut)
    return [piece for piece, _, _ in cut.get_splits("normalized")]


@pytest.mark.parametrize("newer", [False, True])
def test_rules(newer: bool) -> None:
    for number, (rules, theirs) in enumerate(joined_rules(2, 60)):
        ours, as_bytes = (Tokenizer(spec.replace(split_rules=tuple(rules))) for spec in (CHARACTERS, BYTES))
        mapped = any(rule["type"] == "byte-level" for rule in rules)
        references = [ReferenceTokenizer(ours.spec), ReferenceTokenizer(as_bytes.spec)]
        for text in texts(number, 16, newer):
            found = theirs.pre_tokenize_str(text)
            wanted = [(chunk.encode(), *place) for chunk, place in found]
            assert chunks(ours, text) == wanted, (rules, text)
            check_tokens(ours, text, [chunk for chunk, _ in found])
            raw = [bytes(map(byte_of, chunk)) if mapped else chunk.encode() for chunk, _ in found]
            bytes_wanted = [(chunk, *place) for chunk, (_, place) in zip(raw, found, strict=True)]
            assert chunks(as_bytes, text) == bytes_wanted, (rules, text)
            assert bytes(as_bytes.encode(text)) == b"".join(raw), (rules, text)
            if not newer:
                assert reference_chunks(references[0], text) == wanted, (rules, text)
                assert reference_chunks(references[1], text) == bytes_wanted, (rules, text)
                assert references[0].encode_spans(text, chars=True) == ours.encode_spans(text), (rules, text)
                assert references[1].encode_spans(text, chars=True) == as_bytes.encode_spans(text), (rules, text)


def check_tokens(tokenizer: Tokenizer, text: str, found: list[str]) -> None:
    """Unknowns are one token in each chunk, on every path."""
    wanted: list[int] = []
    for chunk in found:
        ids = [int(character == "a") for character in chunk]
        wanted += [one for place, one in enumerate(ids) if one or not place or ids[place - 1]]
    assert tokenizer.encode(text) == tokenizer._kernel.encode_reference(text) == wanted
    assert [token.id for token in tokenizer.encode_spans(text)] == wanted
    assert tokenizer.count(text) == len(wanted)


def test_first_is_about_the_original() -> None:
    """Only a chunk from the very beginning of the text gets the mark, even if a rule or step took away what was there."""
    mark = {"type": "metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
    theirs = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace("▁", "first", False)])
    ours = Tokenizer(CHARACTERS.replace(split_rules=({"type": "whitespace-split"}, mark)))
    for text in ("a b", " a b", "", " "):
        wanted = [(chunk.encode(), *place) for chunk, place in theirs.pre_tokenize_str(text)]
        assert chunks(ours, text) == wanted
    strip = {"type": "strip", "left": True, "right": True}
    judge = their_tokenizer(normalizers.Strip(), pre_tokenizers.Metaspace("▁", "first", False))
    tokenizer = Tokenizer(CHARACTERS.replace(normalizer=(strip,), split_rules=(mark,)))
    judge.model = models.WordLevel({"<unk>": 0, "a": 1, "▁a": 2}, unk_token="<unk>")
    for text, wanted in ((" a", "a"), ("a", "▁a")):
        assert judge.encode(text).tokens == [wanted]
        assert [chunk for chunk, _, _ in chunks(tokenizer, text)] == [wanted.encode()]


WORDS = {"type": "whitespace-split"}
ROWS = [("<unk>", 0.0, Kind.UNKNOWN), ("a", -2.0, Kind.NORMAL), ("b", -2.0, Kind.NORMAL), ("ab", -3.0, Kind.NORMAL)]
SPACED = Spec(Pieces.of([*ROWS, ("b a", -0.1, Kind.NORMAL)]), add_dummy_prefix=False).replace(
    remove_extra_whitespaces=False, escape_whitespaces=False, split_rules=(WORDS,)
)


@pytest.mark.parametrize("segmenter", ["unigram", "bpe", "char"])
def test_chunks_are_segmented_one_by_one(segmenter: str) -> None:
    """Short and long ones, again and again: no piece and no unknown reaches over the end of a chunk."""
    spec = SPACED.replace(segmenter=segmenter)
    tokenizer, reference = Tokenizer(spec), ReferenceTokenizer(spec)
    words = ["ab", "b", "xx", "xxa", "ab" * 40, "x" * 90, "ab" * 700, "abx" * 500, "aé"]
    for number in range(40):
        text = " ".join(words[(number * place + place * place) % len(words)] for place in range(number % 9))
        wanted = reference.encode_spans(text, chars=True)
        assert tokenizer.encode_spans(text) == wanted
        ids = [token.id for token in wanted]
        assert tokenizer.encode(text) == tokenizer._kernel.encode_reference(text) == ids
        assert tokenizer.count(text) == len(ids)
        stream = tokenizer.stream_encoder()
        assert [one for part in text for one in stream.push(part)] + stream.flush() == ids


def test_steps_before_a_named_splitter() -> None:
    spec = RANKS.replace(splitter="gpt2", normalizer=({"type": "nfkc"}, {"type": "lowercase"}))
    tokenizer, reference = Tokenizer(spec), ReferenceTokenizer(spec)
    for text in ["ＴＨＥ the ﬁ", "e\u0301 THE", ""]:
        assert tokenizer.encode_spans(text) == reference.encode_spans(text, chars=True)
        assert tokenizer.encode(text, threads=2) == [token.id for token in reference.encode_spans(text)]


def test_one_text_in_every_way() -> None:
    """A text that is long enough for threads and windows."""
    rules = (
        {"type": "punctuation", "behavior": "contiguous"},
        {"type": "byte-level", "add_prefix_space": False, "use_regex": True},
        {"type": "digits", "individual": False},
    )
    tokenizer = Tokenizer(RANKS.replace(splitter=None, split_rules=rules))
    text = "The 1234 theologians, the²³ — and thee!\n" * 6000
    line = tokenizer.encode(text[: len(text) // 6000])
    whole = tokenizer.encode(text)
    assert whole == tokenizer.encode(text, threads=4) == tokenizer._kernel.encode_reference(text) == line * 6000
    assert [token.id for token in tokenizer.encode_spans(text)] == whole
    assert tokenizer.decode(whole) == text


def test_truncate_counts() -> None:
    tokenizer = Tokenizer(SPACED.replace(normalizer=({"type": "nfc"}, {"type": "lowercase"})))
    text = "AB b xx  ab e\u0301 ab"
    for limit in range(9):
        fits = [end for end in range(len(text) + 1) if tokenizer.count(text[:end]) <= limit]
        assert tokenizer.truncate(text, limit) == text[: fits[-1]]


@pytest.mark.parametrize("form", ["nfc", "nfkc"])
def test_truncate_of_text_that_is_composed(form: str) -> None:
    tokenizer = Tokenizer(SPACED.replace(normalizer=({"type": form},)))
    for text in ("ab é ba b" * 9, "ab e\u0301 ba" * 9, "é" * 30 + "\u0301", "ab\u0301 " * 20, "b ﬁ x" * 9):
        for limit in range(0, tokenizer.count(text) + 1, 5):
            fits = [end for end in range(len(text) + 1) if tokenizer.count(text[:end]) <= limit]
            assert tokenizer.truncate(text, limit) == text[: fits[-1]]


@pytest.mark.parametrize(("size", "times"), [(100, 5), (1000, 3), (1000, 1)])
def test_steps_that_blow_a_text_up(size: int, times: int) -> None:
    step = {"type": "replace", "pattern": {"literal": "a"}, "content": "a" * size}
    tokenizer = Tokenizer(SPACED.replace(normalizer=(step,) * times))
    calls = (tokenizer.encode, tokenizer.normalize, tokenizer.count, tokenizer.encode_spans)
    for call in calls:
        with pytest.raises(ap.InputError) as caught:
            call("a" * 2000)
        assert caught.value.code == "stage-limit"
    assert tokenizer.normalize("b" * 2000) == "b" * 2000
    smaller = Tokenizer(SPACED.replace(normalizer=(step | {"content": "ab"},) * 5))
    assert smaller.normalize("a") == "a" + "b" * 5


GROWING_RULES: dict[str, tuple[dict[str, Any], ...]] = {
    "bytes as characters": ({"type": "byte-level", "add_prefix_space": False, "use_regex": False},) * 30,
    "marks before marks": (
        {"type": "metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False},
        {"type": "fixed-length", "length": 1},
        {"type": "metaspace", "replacement": "_", "prepend_scheme": "always", "split": False},
        {"type": "fixed-length", "length": 1},
    )
    * 8,
    "again and again": ({"type": "digits", "individual": False}, {"type": "unicode-scripts"}) * 800,
}


@pytest.mark.parametrize("name", GROWING_RULES)
def test_rules_that_blow_a_text_up_or_repeat(name: str) -> None:
    tokenizer = Tokenizer(SPACED.replace(split_rules=GROWING_RULES[name]))
    reference = ReferenceTokenizer(tokenizer.spec)
    for call in (tokenizer.encode, tokenizer.encode_spans, tokenizer.count, reference.encode):
        with pytest.raises(ap.InputError) as caught:
            call("é" * 20)
        assert caught.value.code == "stage-limit"


def test_the_reference_has_the_same_bounds() -> None:
    for times in range(1, 12):
        for text in ("a", "aaa", "ba" * 30):
            step = {"type": "replace", "pattern": {"literal": "a"}, "content": "aa"}
            tokenizer = Tokenizer(SPACED.replace(normalizer=({"type": "nfc"}, *(step,) * times)))
            grows = [_code(call, text) for call in (tokenizer.normalize, ReferenceTokenizer(tokenizer.spec).normalize)]
            assert grows[0] == grows[1], (times, text)


def _code(call: Any, text: str) -> str:
    try:
        return str(call(text))
    except ap.AnyPieceError as error:
        return error.code


def test_bytes_that_are_no_text() -> None:
    for spec in (CHARACTERS, BYTES):
        tokenizer = Tokenizer(spec.replace(split_rules=(WORDS,)))
        reference = ReferenceTokenizer(tokenizer.spec)
        for raw in (b"a\xff b", b"\xe2\x96 \xe2\x96\x81", b"\xff"):
            assert tokenizer.encode_spans(raw) == reference.encode_spans(raw)
        for text in ("a\ud800 b", "\ud800"):
            assert tokenizer.encode_spans(text) == reference.encode_spans(text, chars=True)


def test_kept_in_files_and_pickles(tmp_path: Any) -> None:
    spec = CHARACTERS.replace(normalizer=({"type": "charsmap"}, {"type": "nfc"}), split_rules=(WORDS,), charsmap=MAP)
    tokenizer = Tokenizer(spec)
    tokenizer.save(tmp_path / "a.anypiece")
    for again in (ap.load(tmp_path / "a.anypiece", verify=True), pickle.loads(pickle.dumps(tokenizer))):
        assert again.spec.replace(samples=()) == spec
        assert again.fingerprint == tokenizer.fingerprint
        assert again.encode("ａ éa ①") == tokenizer.encode("ａ éa ①")


def test_explained() -> None:
    spec = SPACED.replace(normalizer=({"type": "lowercase"},))
    found = Tokenizer(spec).explain("AB  xa")
    assert found.normalized == "ab  xa"
    assert [(unit.text, unit.start, unit.end) for unit in found.units] == [("ab", 0, 2), ("xa", 4, 6)]
    assert found.difference is None


REFUSED = {
    "a step of no name": (CHARACTERS.replace(normalizer=({"type": "upper"},)), "spec-config"),
    "an option too many": (CHARACTERS.replace(normalizer=({"type": "nfc", "left": True},)), "spec-config"),
    "an option too few": (CHARACTERS.replace(normalizer=({"type": "strip", "left": True},)), "spec-config"),
    "a rule of no name": (CHARACTERS.replace(split_rules=({"type": "sentences"},)), "spec-config"),
    "nothing long": (CHARACTERS.replace(split_rules=({"type": "fixed-length", "length": 0},)), "spec-stages"),
    "a long text": (CHARACTERS.replace(normalizer=({"type": "prepend", "text": "x" * 1025},)), "spec-stages"),
    "a prefix": (UNIGRAM.replace(normalizer=({"type": "nfc"},)), "spec-stages"),
    "rules and a splitter": (BYTES.replace(splitter="gpt2", split_rules=(WORDS,)), "spec-stages"),
    "a map without its step": (CHARACTERS.replace(split_rules=(WORDS,), charsmap=MAP), "spec-stages"),
    "a step without its map": (CHARACTERS.replace(normalizer=({"type": "charsmap"},)), "spec-stages"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    spec, code = REFUSED[name]
    with pytest.raises(ap.errors.SpecError) as caught:
        Tokenizer(spec)
    assert caught.value.code == code


PATTERNS = [
    r"\X", r"\R", r"\K", r"a{2}?", r"a{1,2}+", r"a++b+*", r"(?m)a", r"a(?i)b", r"[[:alpha:]]", r"[]a]", r"[a&&b]",
    r"(?<n>a)", r"(a)\1", r"\p{Foo}", r"\pL", r"\xff", r"\ud800", r"[a", r"(a", "\\", r"(?i:stop)", r"(?i:ä)",
    "(" * 99, "a" * 99999, r"[\b]",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_refused_patterns(pattern: str) -> None:
    rule = {"type": "split", "pattern": {"regex": pattern}, "behavior": "removed", "invert": False}
    with pytest.raises(ap.errors.SpecError) as caught:
        Tokenizer(CHARACTERS.replace(split_rules=(rule,)))
    assert caught.value.code == "spec-pattern"
    assert caught.value.facts["pattern"] == pattern
