"""The verbs that look into the lattice: what they print."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import anypiece as ap
from tests.support.bytepiece import bytepiece_spec
from tests.support.shell import Shell
from tests.support.small_vocabularies import UNIGRAM


class TestLattice:
    def test_a_table_of_edges(self, shell: Shell) -> None:
        found = shell("lattice", "-t", "tok.model", "ab")
        assert (found.code, found.err) == (0, "")
        lines = found.out.splitlines()
        assert lines[0].split() == ["start", "end", "id", "score", "marginal", "path", "piece"]
        assert lines[1].split() == ["0", "1", "3", "-3.000", "0.0640", "▁"]
        assert [line.split()[-1] for line in lines if " best " in line] == ["▁ab"]
        assert [line.split()[-1] for line in lines if " second " in line] == ["▁a", "b"]
        assert lines[-1] == "4 paths, log partition -2.23, entropy 0.69 nats, 1.24 tokens on average"

    def test_as_json(self, shell: Shell) -> None:
        [row] = shell("lattice", "-t", "tok.model", "--alpha", "0", "--json", "ab").rows()
        assert row["normalized"] == " ab"
        assert row["log_partition"] == row["log_paths"] == pytest.approx(math.log(4))
        assert sum(edge["best"] for edge in row["edges"]) == 1
        assert {edge["piece"] for edge in row["edges"]} == {"▁", "a", "b", "▁a", "ab", "▁ab"}
        assert len(shell("lattice", "-t", "tok.model", "--json", given="a\nb\n").rows()) == 2

    def test_numbers_that_json_has_no_word_for(self, shell: Shell) -> None:
        found = shell("lattice", "-t", "tok.model", "--alpha", "inf", "--json", "ab")
        assert "Infinity" not in found.out
        assert [row["log_partition"] for row in found.rows()] == [None]

    def test_draws_at_infinity_are_certain(self, shell: Shell) -> None:
        options = ("sample", "-t", "tok.model", "--alpha", "inf", "--count", "5", "--json", "ab")
        for method in ("lattice", "nbest"):
            [row] = shell(*options, "--method", method).rows()
            assert [(found["drawn"], found["exact"]) for found in row["most"]] == [(1.0, 1.0)]

    @pytest.mark.timeout(60)
    def test_draws_from_very_many_paths(self, shell: Shell) -> None:
        options = ("sample", "-t", "tok.model", "--method", "nbest", "--nbest", "100000", "--count", "2", "--json")
        [row] = shell(*options, "ab" * 17).rows()
        assert all(0 < found["exact"] < 1 for found in row["most"])

    def test_a_picture(self, shell: Shell) -> None:
        found = shell("lattice", "-t", "tok.model", "--svg", "out.svg", "ab")
        assert (found.code, "paths" in found.out) == (0, True)
        assert Path("out.svg").read_text("utf-8") == ap.Tokenizer(UNIGRAM).lattice("ab").svg()
        assert shell("lattice", "-t", "tok.model", "--svg", "-", "ab").out == Path("out.svg").read_text("utf-8")
        assert shell("lattice", "--svg", "out.svg", "a", "b").code == 2
        assert shell("lattice", "--svg", "no/such/out.svg", "a").code == 3
        found = shell("lattice", "--svg", "out.svg", "a" * 400)
        assert (found.code, "[lattice-too-large]" in found.err) == (3, True)

    def test_vocabularies_of_bytes(self, shell: Shell) -> None:
        found = shell("lattice", "-t", "ranks.anypiece", " 日")
        assert "␣\\xe6" in found.out
        assert "score" not in found.out

    def test_nbest(self, shell: Shell) -> None:
        found = shell("nbest", "-t", "tok.model", "-n", "2", "ab")
        assert [line.split() for line in found.out.splitlines()] == [
            ["score", "probability", "pieces"],
            ["-2.5000", "0.7653", "▁ab"],
            ["-4.0000", "0.1708", "▁a", "b"],
        ]
        [row] = shell("nbest", "-t", "tok.model", "--json", "ab").rows()
        assert [path["ids"] for path in row["paths"]] == [[10], [8, 5], [3, 9], [3, 4, 5]]
        assert shell("nbest", "-n", "0", "ab").code == 2
        assert "[sample-method]" in shell("nbest", "-t", "ranks.anypiece", "ab").err

    def test_sample(self, shell: Shell) -> None:
        tok = ap.Tokenizer(UNIGRAM)
        ids = [tok.sample("ab ab", 0.2, seed=7, index=index, epoch=3) for index in (5, 6)]
        options = ("sample", "-t", "tok.model", "--alpha", "0.2", "--seed", "7", "--epoch", "3", "--index", "5")
        lines = [" ".join(map(str, row)) + "\n" for row in ids]
        assert shell(*options, "ab ab", "ab ab").out == shell(*options, given="ab ab\nab ab\n").out == "".join(lines)
        [row] = shell(*options, "--json", "--pieces", "ab ab").rows()
        assert row == {"ids": ids[0], "pieces": [tok.id_to_piece(id) for id in ids[0]]}
        assert shell(*options, "--alpha", "nan", "a").code == 3
        assert shell("sample", "-t", "tok.model", "--alpha", "inf", "ab").out == "10\n"

    def test_draws_are_shown_as_encode_shows_tokens(self, shell: Shell) -> None:
        tok = ap.Tokenizer(UNIGRAM)
        for method in ("lattice", "nbest"):
            options = ("sample", "-t", "tok.model", "--alpha", "0.2", "--seed", "7", "--method", method)
            tokens = tok.sample_spans("ab xy", 0.2, seed=7, method=method)
            assert [token.piece for token in tokens][-2:] == ["▁", "xy"]
            assert shell(*options, "--pieces", "ab xy").out.split() == [token.piece for token in tokens]
            lines = [f"{token.id}\t{token.piece}\t{token.start}\t{token.end}\n" for token in tokens]
            assert shell(*options, "--spans", "ab xy").out == "".join(lines) + "\n"
            [row] = shell(*options, "--spans", "--unit", "byte", "--json", "ab éy").rows()
            assert row.keys() == {"ids", "pieces", "spans"}
            assert row["spans"][-1][1] == 6
            assert "<unk>" not in shell(*options, "--count", "3", "ab xy").out
        assert shell("sample", "--alpha", "inf", "--spans", "ab é").out == shell("encode", "--spans", "ab é").out
        assert shell("sample", "--spans", "--count", "2", "ab").code == 2

    def test_pieces_that_are_no_text(self, shell: Shell) -> None:
        ap.Tokenizer(bytepiece_spec()).save("it.anypiece")
        verbs = [
            ("lattice",),
            ("nbest",),
            ("explain",),
            ("encode", "--pieces"),
            ("encode", "--spans"),
            ("sample", "--pieces"),
        ]
        verbs += [("sample", "--spans"), ("sample", "--count", "9"), ("sample", "--count", "9", "--method", "nbest")]
        for verb in verbs:
            for more in ((), ("--json",)):
                found = shell(*verb, *more, "-t", "it.anypiece", "日 é")
                assert found.code == 0
                assert "\\xc3" in found.out, (verb, more)
                assert "\ufffd" not in found.out, (verb, more)

    def test_sample_often(self, shell: Shell) -> None:
        options = ("sample", "-t", "tok.model", "--alpha", "0.3", "--count", "2000", "ab")
        for method in ("lattice", "reservoir", "nbest"):
            [row] = shell(*options, "--json", "--method", method).rows()
            assert (row["draws"], row["different"]) == (2000, 4)
            for most in row["most"]:
                assert most["drawn"] == pytest.approx(most["exact"], abs=0.05)
            assert sum(most["exact"] for most in row["most"]) == pytest.approx(1)
        lines = shell(*options, "--top", "2").out.splitlines()
        assert (len(lines), "█" in lines[1], "│" in lines[1]) == (4, True, True)
        assert lines[-1].startswith("2,000 draws, 4 different segmentations; those not shown: 0.")
        often = shell(
            "sample", "-t", "ranks.anypiece", "--method", "dropout", "--alpha", "0.5", "--count", "50", "the the"
        )
        assert (often.code, "│" in often.out, "th e" in often.out) == (0, False, True)
        assert "[sample-method]" in shell("sample", "-t", "ranks.anypiece", "the").err
        assert shell("sample", "-t", "tok.model", "--count", "3", "").out.endswith("3 draws, one segmentation\n")
