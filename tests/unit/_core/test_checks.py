"""Arguments and files that are wrong in ways that Python refuses by itself: each is one of our errors, with a remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import anypiece as ap
from anypiece.errors import InputTypeError
from anypiece.formats import rwkv, tiktoken
from tests.support.small_files import BYTE_RANKS, RWKV_LIST, written_pair
from tests.support.small_vocabularies import UNIGRAM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TOK = ap.load().replace(eos_id=2)
SMALL = ap.Tokenizer(UNIGRAM)
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n"


@pytest.mark.parametrize("given", [["<x>"], "abc", [], 5])
def test_special_tokens_that_are_no_mapping(given: Any) -> None:
    for read in (
        lambda: tiktoken.read(BYTE_RANKS, splitter="gpt2", specials=given),
        lambda: rwkv.read(RWKV_LIST, specials=given),
    ):
        with pytest.raises(ap.InputError, match="must map") as caught:
            read()
        assert caught.value.code == "argument-value"


def test_a_definition_that_is_no_name() -> None:
    with pytest.raises(ap.FormatError, match="no definition"):
        tiktoken.read(BYTE_RANKS, definition=[])  # type: ignore[arg-type]


SPECIALS_CALLS: dict[str, Callable[[Any], object]] = {
    "encode": lambda given: TOK.encode("a", specials=given),
    "encode_array": lambda given: TOK.encode_array("a", specials=given),
    "encode_batch": lambda given: TOK.encode_batch(["a"], specials=given),
    "encode_rows": lambda given: TOK.encode_rows(["a"], specials=given),
    "encode_spans": lambda given: TOK.encode_spans("a", specials=given),
    "encode_pair": lambda given: TOK.encode_pair("a", "b", specials=given),
    "count": lambda given: TOK.count("a", specials=given),
    "count_batch": lambda given: TOK.count_batch(["a"], specials=given),
    "nbest": lambda given: TOK.nbest("a", 2, specials=given),
    "lattice": lambda given: TOK.lattice("a", specials=given),
    "sample": lambda given: TOK.sample("a", seed=1, specials=given),
    "stream_encoder": lambda given: TOK.stream_encoder(specials=given),
}


@pytest.mark.parametrize("call", SPECIALS_CALLS.values(), ids=SPECIALS_CALLS)
def test_permissions_that_are_arrays(call: Callable[[Any], object]) -> None:
    """An array has no one answer to whether it is equal to something, and must not be asked."""
    for given in (np.array([1, 2]), np.array(5), np.array([[1.5], [2.5]])):
        with pytest.raises(ap.InputError, match="specials"):
            call(given)


def test_permissions_in_an_array() -> None:
    names = np.array(["<s>", "</s>"])
    assert TOK.encode("a", specials=names) == TOK.encode("a", specials=set(names.tolist()))
    assert TOK.encode("a", specials="".join(["te", "xt"])) == TOK.encode("a")
    with pytest.raises(ap.InputError, match="add_special must be"):
        TOK.encode("a", add_special=np.array([True, False]))  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [5, "gpt5", ("gpt2",)])
def test_splitters_that_are_none(tmp_path: Path, given: Any) -> None:
    (tmp_path / "a.tiktoken").write_bytes(BYTE_RANKS)
    for make in (
        lambda: ap.load(tmp_path / "a.tiktoken", splitter=given),
        lambda: ap.train(["a b"], "byte-bpe", vocab_size=260, splitter=given),
        lambda: TOK.replace(splitter=given),
    ):
        with pytest.raises((ap.SpecError, ap.InputError), match=r"splitter .*(gpt2, cl100k|must be)"):
            make()


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("bos_id", -1, "expected a whole number"),
        ("segmenter", "words", "expected one of `unigram`"),
        ("normalizer", ({"type": "upper"},), "expected one of `nfc`"),
        ("trim_spans", "some", "expected one of"),
    ],
)
def test_settings_of_a_spec_are_named(field: str, value: Any, what: str) -> None:
    with pytest.raises(ap.SpecError, match=f"^the setting {field} cannot be .*{what}") as caught:
        TOK.replace(**{field: value})
    assert (caught.value.code, caught.value.facts["field"]) == ("spec-config", field)


@pytest.mark.parametrize(
    "field",
    [
        "segmenter", "arithmetic", "user_defined_score", "byte_fallback", "add_dummy_prefix",
        "remove_extra_whitespaces", "escape_whitespaces", "whitespace_as_suffix", "unk_surface",
    ],
)  # fmt: skip
def test_the_kernel_refuses_settings_without_a_required_one(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {name: value for name, value in TOK.spec.config().items() if name != field}
    monkeypatch.setattr(ap.Spec, "config", lambda _spec: settings)
    with pytest.raises(ap.SpecError, match=f"{field} is missing") as caught:
        ap.Tokenizer(TOK.spec)
    assert (caught.value.code, caught.value.facts["field"]) == ("spec-config", field)


def test_a_path_is_as_good_as_a_tokenizer(tmp_path: Path) -> None:
    TOK.save(tmp_path / "a.model")
    assert ap.extend(tmp_path / "a.model", ["<x>"]) == ap.extend(ap.load(tmp_path / "a.model"), ["<x>"])
    assert ap.grow(str(tmp_path / "a.model"), TOK)[0].vocab_size == TOK.vocab_size
    with pytest.raises(ap.InputTypeError, match="A path must be"):
        ap.extend(5, ["<x>"])  # type: ignore[arg-type]
    for given in (None, 5):
        with pytest.raises(ap.InputTypeError, match="must be a sequence"):
            ap.extend(TOK, given)  # type: ignore[arg-type]
        with pytest.raises(ap.InputTypeError, match="must be a sequence"):
            ap.compare(given, ["a"])  # type: ignore[arg-type]
        with pytest.raises(ap.InputTypeError, match="must be a sequence"):
            TOK.encode_trusted(given)  # type: ignore[arg-type]
    with pytest.raises(ap.FileError, match="give texts as a list"):
        ap.train("one text", vocab_size=9)


def test_ids_of_an_array_in_a_spec() -> None:
    assert TOK.replace(pad_id=np.uint32(3)) == TOK.replace(pad_id=3)


@pytest.mark.parametrize("rows", ["ab", b"ab", 5, None])
def test_rows_that_are_none(rows: Any) -> None:
    with pytest.raises(ap.SpecError, match="rows of piece, score and kind, not"):
        ap.Pieces.of(rows)
    with pytest.raises(ap.SpecError, match="rows of text, id and flags, not"):
        ap.Added.of(rows)


@pytest.mark.parametrize("ids", [None, 5, "abc", b"ab", np.zeros((2, 2), int), [np.zeros(2, int)], [[1], [2]], [1.5]])
def test_ids_that_are_none(ids: Any) -> None:
    for stop_at_eos in (False, True):
        with pytest.raises(ap.InputError) as caught:
            TOK.decode(ids, stop_at_eos=stop_at_eos)
        assert caught.value.code == "input-type"
    with pytest.raises(ap.InputError):
        TOK.decode_batch([ids], stop_at_eos=True)


def test_ids_end_before_eos() -> None:
    ids = TOK.encode("Hello")
    for given in ([*ids, 2, 5], (*ids, 2, -1), np.array([*ids, 2, 5], np.int64), iter([*ids, 2, 5]), np.array(ids)):
        assert TOK.decode(given, stop_at_eos=True) == "Hello"
    with pytest.raises(ap.InputError):
        TOK.decode_batch(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("id", [-1, 2**32, 2**70, 1.5, True])
def test_ids_that_rows_cannot_be_filled_with(id: Any) -> None:
    with pytest.raises(ap.InputError, match="pad_id"):
        TOK.encode_batch(["a"]).padded(id, 4)
    assert TOK.encode_batch(["a"]).padded(2**32 - 1, 4).ids[0, -1] == 2**32 - 1


@pytest.mark.parametrize("path", ["", "a\0b", "a\ud800"])
def test_paths_that_no_file_has(path: str) -> None:
    with pytest.raises(ap.InputError, match="path") as caught:
        ap.load(path)
    assert caught.value.code == "argument-value"
    if path:
        with pytest.raises(ap.InputError, match="path"):
            TOK.save(f"{path}.model")


@pytest.mark.parametrize("specials", [None, 5, b"<s>", [5], [[]]])
def test_permissions_that_are_none(specials: Any) -> None:
    for call in (TOK.encode, TOK.count, TOK.encode_spans):
        with pytest.raises(ap.InputError, match="a set of names") as caught:
            call("<s>", specials=specials)
        assert caught.value.code == "input-type"
    with pytest.raises(ap.InputError, match="a set of names"):
        TOK.encode_batch([], specials=specials)


def test_permissions_that_can_be_gone_over_once(tmp_path: Path) -> None:
    (tmp_path / "a.tiktoken").write_bytes(BYTE_RANKS)
    tok = ap.load(tmp_path / "a.tiktoken", splitter="gpt2", specials={"<s>": 256, "<e>": 257})
    assert tok.encode("<s>", specials=iter(["<s>"])) == [256]  # type: ignore[arg-type]
    assert tok.encode_batch(["<s>", "<s>"], specials=iter(["<s>"])).tolist() == [[256], [256]]  # type: ignore[arg-type]
    assert tok.encode_pair("<s>", "<s>", specials=iter(["<s>"]), add_special=False).ids == [256, 256]  # type: ignore[arg-type]
    drawn = tok.sample_batch(["<s>", "<s>"], 0.0, seed=1, method="dropout", specials=iter(["<s>"]))  # type: ignore[arg-type]
    assert drawn.tolist() == [[256], [256]]
    with pytest.raises(ap.InputError, match="contains '<e>'"):
        tok.encode("<e>", specials=iter(["<s>"]))  # type: ignore[arg-type]


def test_one_text_is_not_many(tmp_path: Path) -> None:
    with pytest.raises(ap.InputError, match=r"pass \[text\]"):
        ap.convert(TOK, tmp_path / "a.anypiece", texts="abc")
    assert not list(tmp_path.iterdir())


def test_pointers_of_git_lfs(tmp_path: Path) -> None:
    written_pair(tmp_path)
    for name in ("tokenizer.model", "tokenizer.json", "vocab.json", "merges.txt"):
        (tmp_path / name).write_text(POINTER)
        path = tmp_path / ("vocab.json" if name == "merges.txt" else name)
        with pytest.raises(ap.FormatError, match="git lfs pull") as caught:
            ap.load(path)
        assert caught.value.code == "format-unknown"
        assert name in str(caught.value)
        written_pair(tmp_path)


@pytest.mark.parametrize(
    ("merges", "words"),
    [
        (b"#version: 0.2\nh e\n\nhe\n", "line 4 .*two pieces"),
        (b"h e\r\nh zz\r\n", "line 2 needs the piece"),
        (b"", "list of merges is empty"),
    ],
)
def test_a_damaged_list_of_merges(tmp_path: Path, merges: bytes, words: str) -> None:
    written_pair(tmp_path)
    (tmp_path / "merges.txt").write_bytes(merges)
    with pytest.raises(ap.FormatError, match=words) as caught:
        ap.load(tmp_path)
    assert str(caught.value).startswith(str(tmp_path / "merges.txt"))
    assert caught.value.facts["path"] == str(tmp_path / "merges.txt")


@pytest.mark.parametrize(
    ("vocab", "words"), [('{"a": 1,', "line 1 column 9"), ('{"a": "x"}', "whole number"), ("[]", "no object")]
)
def test_a_damaged_vocabulary_beside_merges(tmp_path: Path, vocab: str, words: str) -> None:
    written_pair(tmp_path)
    (tmp_path / "vocab.json").write_text(vocab)
    with pytest.raises(ap.FormatError, match=words) as caught:
        ap.load(tmp_path)
    assert str(caught.value).startswith(str(tmp_path / "vocab.json"))
    assert "at byte" not in str(caught.value)


def test_a_number_that_is_no_id(tmp_path: Path) -> None:
    written_pair(tmp_path)
    rows = '{"added_tokens_decoder": {"' + "9" * 5000 + '": {"content": "<x>"}}}'
    (tmp_path / "tokenizer_config.json").write_text(rows)
    with pytest.raises(ap.FormatError, match="in the place of an id") as caught:
        ap.load(tmp_path)
    assert caught.value.code == "json-field"
    assert len(str(caught.value)) < 400


def test_a_vocab_txt_without_its_unknown_piece(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[PAD]\n[CLS]\n[SEP]\na\n##b\n")
    with pytest.raises(ap.FormatError, match=r"no line \[UNK\]") as caught:
        ap.load(tmp_path / "vocab.txt")
    assert caught.value.code == "file-corrupt"


def test_settings_are_refused_by_name() -> None:
    for name, value in (
        ("bos_id", 2.0), ("bos_id", True), ("eos_id", "2"), ("add_dummy_prefix", 1), ("byte_fallback", None),
        ("charsmap", "x"), ("unk_surface", b"?"), ("unk_surface", "\ud800"), ("pieces", [("a", 0.0, 1)]),
        ("added", []), ("added", None), ("splitter", 3), ("splitter", {1}), ("add_bos", None), ("denormalizer", 5),
        ("normalizer", ({"type": object()},)), ("decoder", {1, 2}),
    ):  # fmt: skip
        with pytest.raises(ap.SpecError, match=f"setting {name} ") as caught:
            SMALL.replace(**{name: value})
        assert (caught.value.code, caught.value.facts["field"]) == ("spec-config", name)
    assert SMALL.replace(bos_id=np.int64(1), add_dummy_prefix=np.bool_(False)).bos_id == 1


@pytest.mark.parametrize(
    "row",
    [
        ("\ud800", 0.0, 1),
        ("a", "x", 1),
        ("a", 0.0),
        ("a", 0.0, 300),
        ("a", 0.0, -1),
        (1, 0.0, 1),
        ("a", 0.0, None),
        None,
    ],
)
def test_rows_of_pieces_are_refused_by_number(row: Any) -> None:
    with pytest.raises(ap.SpecError, match="Row 1 is ") as caught:
        ap.Pieces.of([("<unk>", 0.0, 2), row])
    assert caught.value.code == "spec-pieces"


@pytest.mark.parametrize("row", [("a", -1, 0), ("a", 1, 900), ("\ud800", 1, 0), (b"a", 1, 0), ("a", None, 0)])
def test_rows_of_added_tokens_are_refused_by_number(row: Any) -> None:
    with pytest.raises(ap.SpecError, match="Row 0 is ") as caught:
        ap.Added.of([row])
    assert caught.value.code == "spec-added"


def test_arguments_of_other_types() -> None:
    tok: Any = ap.load()
    for ask in (
        lambda: tok.encode_trusted(None),
        lambda: tok.encode("a", specials=np.array(1)),
        lambda: tok.replace(eos_id=2).decode(np.array(1), stop_at_eos=True),
        lambda: tok.save(None),
        lambda: tok.save(b"x.anypiece"),
    ):
        with pytest.raises(InputTypeError):
            ask()
    with pytest.raises(ap.InputError, match="dialect"):
        ap.load(dialect=[])  # type: ignore[arg-type]

    class Two:
        def __index__(self) -> int:
            return 2

    assert tok.split("one two three", Two()) == tok.split("one two three", 2)


@pytest.mark.parametrize("bad", [-100, -1, len(TOK), 2**31, 2**32, 2**63, 2**70])
def test_lenient_decoding_leaves_out_ids_outside_the_vocabulary(bad: int) -> None:
    """Masked labels (-100) and rows of a padded embedding are no pieces; each other choice of ``errors`` refuses them."""
    ids = TOK.encode("Hello wörld")
    mixed = [bad, *ids[:2], bad, *ids[2:], bad]
    arrays = [np.array(mixed)] if bad < 2**63 else []
    for shape in (mixed, tuple(mixed), iter(mixed), *arrays):
        assert TOK.decode(shape, errors="lenient") == "Hello wörld"
    assert TOK.decode_bytes(mixed, errors="lenient") == "Hello wörld".encode()
    assert TOK.decode_batch([mixed, [bad], []], errors="lenient") == ["Hello wörld", "", ""]
    stopped = [bad, *ids, bad, 2, *ids]
    assert TOK.decode(stopped, errors="lenient", skip_special=True, stop_at_eos=True) == "Hello wörld"
    for errors in ("replace", "ignore", "strict"):
        with pytest.raises(ap.UnknownIdError):
            TOK.decode(mixed, errors=errors)
    with pytest.raises(ap.UnknownIdError):
        TOK.decode_bytes(mixed)


def test_lenient_decoding_refuses_what_is_no_id() -> None:
    wrong: list[Any] = ["12", b"12", 5, [1.5], [True], ["a"], np.array([1.5]), np.array([[1]])]
    for ids in wrong:
        with pytest.raises(InputTypeError):
            TOK.decode(ids, errors="lenient")
    assert TOK.decode([TOK.piece_to_id("<0xE6>"), -1], errors="lenient") == "\ufffd"
    with pytest.raises(ap.InputError, match='"strict" or "lenient"'):
        TOK.decode_bytes([], errors="replace")  # type: ignore[arg-type]
