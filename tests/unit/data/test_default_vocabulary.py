"""The embedded default: the file is the one its card describes, loses no text, and the script's strippers keep words."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import pytest

import anypiece as ap
from scripts.default_vocabulary.strip import strip

DATA = Path(ap.__file__).parent / "data"

TEXTS = {
    "english": "A tokenizer cuts text into pieces.",
    "code": "def f(x):\n\tif x:\n\t\treturn {\n            'a': 1,\n        }\r\n",
    "spaces": "  two  and   three    and a trailing one ",
    "japanese": "吾輩は猫である。名前はまだ無い。",
    "chinese": "敏捷的棕色狐狸跳过了懒狗。",
    "korean": "모든 인간은 태어날 때부터 자유로우며",
    "arabic": "يولد جميع الناس أحراراً",
    "hindi": "सभी मनुष्यों को गौरव",
    "thai": "มนุษย์ทั้งหลายเกิดมามีอิสระ",
    "emoji": "🦊👩‍👩‍👧‍👦🇯🇵",
    "compatibility forms": "①ﬁＡ½ e\u0301 é",
    "controls": "\0\x01\x7f\u200b\ufeff",
    "rare scripts": "𒀀𒁀 𐎠𐎡 ꙮ",
    "empty": "",
}


def test_card_describes_the_file() -> None:
    data = (DATA / "default.model").read_bytes()
    card = (DATA / "MODEL_CARD.md").read_text("utf-8")
    assert hashlib.sha256(data).hexdigest() in card
    assert f"{len(data):,} bytes" in card
    assert len(data) < 1_500_000


def test_what_it_is() -> None:
    tok = ap.load()
    assert (tok.vocab_size, tok.spec.segmenter, tok.spec.byte_fallback) == (64000, "unigram", True)
    assert [tok.id_to_piece(i) for i in range(4)] == ["<unk>", "<s>", "</s>", "<pad>"]
    assert (tok.unk_id, tok.bos_id, tok.eos_id, tok.pad_id) == (0, 1, 2, 3)
    assert len(tok.spec.samples) == 16


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_nothing_is_lost(text: str) -> None:
    tok = ap.load()
    ids = tok.encode(text)
    assert tok.decode(ids) == text
    assert tok.unk_id not in ids


def test_indentation_is_cheap() -> None:
    tok = ap.load()
    assert tok.count("\n" + " " * 8 + "x") <= tok.count("\nx") + 2
    assert tok.encode_pieces("\t\t\tx")[:2] == ["▁", "\t\t\t"]


def test_digits_stand_alone() -> None:
    assert ap.load().encode_pieces("x2047")[-4:] == ["2", "0", "4", "7"]


PAGE = rb"""'\" t
.TH CAT 1 "2022" "GNU"
.SH NAME
cat \- concatenate files
.SH DESCRIPTION
.\" a comment
Concatenate \fIFILE\fP(s) to
standard output, \(lqas is\(rq.
.TP
.BR \-n , " \-\-number"
number \f[B]all\f[] lines
.nf
  keep    this
.fi
.TS
l l.
no	table
.TE
"""


def test_manual_page() -> None:
    assert strip(PAGE, "man").split("\n") == [
        "NAME",
        "cat - concatenate files",
        "DESCRIPTION",
        "Concatenate FILE(s) to standard output, “as is”.",
        "-n, --number number all lines",
        "  keep    this",
    ]


def test_lines_of_scripts_without_spaces_are_joined_without_one() -> None:
    assert strip("日本語の\n文章".encode(), "man") == "日本語の文章"


def test_html() -> None:
    head = b"<html><head><title>no</title></head><script>x</script>"
    page = head + b"<body><p>One\n <b>two</b> &amp; three</p><pre>  a\n  b</pre>"
    assert [line for line in strip(page, "html").split("\n") if line] == ["One two & three", "  a", "  b"]


def test_catalog() -> None:
    strings = [(b"", b"Project-Id"), (b"File", b"~Datei"), (b"Open", "Ö_ffnen".encode())]
    start = 28 + 16 * len(strings)
    table, blob = b"", b""
    for column in (0, 1):
        for pair in strings:
            table += struct.pack("<2I", len(pair[column]), start + len(blob))
            blob += pair[column] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(strings), 28, 28 + 8 * len(strings), 0, 0)
    assert strip(head + table + blob, "catalog") == "Datei\nÖffnen"


def test_what_is_not_utf8_is_left_out() -> None:
    assert strip(b"caf\xe9", "text") == ""
