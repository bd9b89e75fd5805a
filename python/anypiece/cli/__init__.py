"""The command line: ``anypiece VERB``. A thin layer: parse, call the public API, print.

Data goes to stdout and everything else to stderr. This file owns the list of verbs and the exit codes; options that
several verbs share are in ``options``, reading and printing in ``inputs`` and ``output``.
"""

from __future__ import annotations

import difflib
import errno
import sys
from importlib import import_module
from typing import NoReturn

import click

from .._native import __version__
from ..errors import AnyPieceError
from . import output
from .messages import in_options

__all__ = ["group", "main", "run"]

VERBS = {
    "encode": "encode", "decode": "decode", "count": "count", "info": "info", "normalize": "normalize",
    "explain": "explain", "lattice": "lattice", "nbest": "lattice", "sample": "sample", "doctor": "doctor",
    "check": "check", "convert": "convert", "extend": "extend", "words": "words", "train": "train", "compare": "compare",
    "shards": "shards", "serve": "serve",
}  # fmt: skip
"""Verbs in the order of their list, and the modules that hold them; each is imported when it is asked for."""

BAD_INPUT = 3
VERIFICATION_FAILED = 5
INTERRUPTED = 130
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
"""What only writing runs into."""
_VERIFICATION_CODES = ("checksum-mismatch", "self-test-failed", "shards-damaged")


class Verbs(click.Group):
    """The verbs by their names."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All of them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One of them."""
        if cmd_name not in VERBS:
            return None
        return _verb(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """One of them, or the one that was perhaps meant."""
        near = difflib.get_close_matches(args[0], VERBS, n=1) if args[0] not in VERBS else []
        if near:
            ctx.fail(f"There is no verb {args[0]!r}. Did you mean {near[0]}?")
        return super().resolve_command(ctx, args)


def _verb(name: str) -> click.Command:
    verb: click.Command = getattr(import_module(f".{VERBS[name]}", __name__), name)
    return verb


def _called(arguments: list[str]) -> click.Command | None:
    """The verb that arguments call, or the one within it."""
    verb = _verb(arguments[0]) if arguments and arguments[0] in VERBS else None
    if isinstance(verb, click.Group) and arguments[1:]:
        return verb.commands.get(arguments[1], verb)
    return verb


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="anypiece")
def group() -> None:
    """One exact, fast tokenizer for every model file.

    Each verb is a filter: text or ids in, results on stdout, messages on stderr. Without --tokenizer the embedded default
    is used.

    \b
    Examples:
      anypiece encode "Hello world"
      anypiece encode < lines.txt | anypiece decode
      anypiece count *.md
      anypiece explain -t tokenizer.model "Hello world"

    \b
    Exit codes: 0 ok, 1 a check failed, 2 wrong usage, 3 bad input or file, 4 done in part,
    5 verification failed, 130 interrupted.
    """


def main() -> NoReturn:
    """The entry point of the installed command."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        code = group.main(arguments, prog_name="anypiece", standalone_mode=False)
        output.flush()
    except click.exceptions.Exit as leave:
        code = leave.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except AnyPieceError as error:
        output.complain(in_options(str(error), _called(arguments)), error.code)
        code = VERIFICATION_FAILED if error.code in _VERIFICATION_CODES else BAD_INPUT
    except OSError as error:
        output.complain(str(error), "file-unwritable" if error.errno in _FULL else "file-unreadable")
        code = BAD_INPUT
    return int(code or 0)
