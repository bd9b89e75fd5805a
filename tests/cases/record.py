"""Fill the expected values of case files with what the installed sentencepiece package returns.

    python tests/cases/record.py tests/cases/bpe.json …

Run it with the release that the file names; it refuses any other. Outputs that the package refuses to give are left out,
and for texts of many tokens only ids are kept.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import sentencepiece

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anypiece.formats import sentencepiece as model_format
from anypiece.formats.wire import protobuf
from tests.support.cases import spec_of, text_of

LONG = 150


def record(path: Path) -> None:
    """Rewrite one file."""
    file = json.loads(path.read_text("utf-8"))
    if file["release"] != sentencepiece.__version__:
        sys.exit(f"{path.name} is for sentencepiece {file['release']}, and {sentencepiece.__version__} is installed")
    for case in file["cases"]:
        data = model_format.write(spec_of(case["spec"]))
        processor = sentencepiece.SentencePieceProcessor(model_proto=data)
        case["texts"] = [with_outputs(processor, row) for row in case["texts"]]
        if "decode" in case:
            case["decode"] = [{"ids": row["ids"], "text": processor.decode(row["ids"])} for row in case["decode"]]
    path.write_text(pretty(file), "utf-8")


def with_outputs(processor: Any, row: dict[str, Any]) -> dict[str, Any]:
    """A row with only its inputs kept, and outputs added."""
    out: dict[str, Any] = {key: row[key] for key in ("text", "hex", "times", "why") if key in row}
    raw = text_of(row)
    raw = raw.encode() if isinstance(raw, str) else raw
    out["ids"] = list(processor.encode(raw))
    if len(out["ids"]) <= LONG:
        out |= _details(processor, raw, out["ids"])
    if "text" in row and "spans" in out and sentencepiece.__version__ > "0.2.1":
        found = processor.encode(text_of(row), return_type="offset_mapping")
        out["char_spans"] = [list(span) for span in found["offsets"]]
    return out


def _details(processor: Any, raw: bytes, ids: list[int]) -> dict[str, Any]:
    normalized = processor.normalize(raw)
    out = {"normalized": normalized.decode() if isinstance(normalized, bytes) else normalized}
    try:
        found = tokens(processor.encode(raw, out_type="serialized_proto"))
    except RuntimeError:
        found = []  # the package has no spans where a control piece was found in the text
    if [token[0] for token in found] == ids:
        out["pieces"] = [piece for _, piece, _, _ in found]
        out["spans"] = [[start, end] for _, _, start, end in found]
    return out | {"decoded": processor.decode(ids)}


def tokens(message: bytes) -> list[tuple[int, str, int, int]]:
    """(id, piece, start, end) of each token of a serialized SentencePieceText."""
    out = []
    for field in protobuf.fields(message):
        if field.number == 2 and isinstance(field.value, bytes):
            values: dict[int, Any] = {1: b"", 2: 0, 4: 0, 5: 0}
            values.update({sub.number: sub.value for sub in protobuf.fields(field.value)})
            out.append((values[2], values[1].decode(), values[4], values[5]))
    return out


def pretty(file: dict[str, Any]) -> str:
    """JSON with one line per case, piece list, text and decode row, so that a change shows as a changed line."""
    cases = ",\n".join(_case(case) for case in file["cases"])
    return f'{{"release": {_line(file["release"])}, "cases": [\n{cases}\n]}}\n'


def _case(case: dict[str, Any]) -> str:
    lists = [f'"{key}": [\n{_lines(case[key])}\n]' for key in ("texts", "decode") if key in case]
    head = f'{{"name": {_line(case["name"])},\n"spec": {_line(case["spec"])}'
    return ",\n".join([head, *lists]) + "}"


def _lines(rows: list[dict[str, Any]]) -> str:
    return ",\n".join(f"  {_line(row)}" for row in rows)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        record(Path(argument))
