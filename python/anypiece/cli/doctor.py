"""``anypiece doctor``: what is odd about a tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..inspect.doctor import Finding, examine
from . import options, output

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

CHECK_FAILED = 1
_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


@click.command()
@options.tokenizer_argument
@click.option("--strict", is_flag=True, help="Let warnings count as errors.")
@options.as_json
def doctor(tokenizer: Tokenizer, name: str, strict: bool, as_json: bool) -> int:
    """Look for what is odd about a tokenizer.

    Unreachable and duplicate pieces, missing bytes, scores of odd shape, self-test samples that fail, and more. The exit
    code is 1 if there is an error; warnings and notes are common in real files.

    \b
    Examples:
      anypiece doctor
      anypiece doctor --strict tokenizer.model
      anypiece doctor --json tokenizer.model | jq .code
    """
    findings = examine(tokenizer)
    for finding in findings:
        if as_json:
            output.write_json(finding.to_json())
        else:
            _write(finding)
    if not findings and not as_json:
        output.write(f"{name}: nothing to report\n")
    failing = ("error", "warning") if strict else ("error",)
    return CHECK_FAILED if any(finding.severity in failing for finding in findings) else 0


def _write(finding: Finding) -> None:
    output.write(f"{output.styled(finding.severity, _COLOURS[finding.severity])} {finding.code}: {finding.message}\n")
    if finding.examples:
        more = ", …" if finding.count > len(finding.examples) else ""
        shown = ", ".join(repr(example).replace("\\\\", "\\") for example in finding.examples)
        output.write(f"    such as {shown}{more}\n")
    output.write(f"    {finding.remedy}\n")
