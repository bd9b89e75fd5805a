"""The guide to the command line: whatever stands between two markers is the help of a verb, as the command prints it."""

from __future__ import annotations

import re

import click

from anypiece import cli

from .pages import ROOT

__all__ = ["GUIDE", "WIDTH", "help_of", "with_current_help"]

GUIDE = ROOT / "docs" / "guide" / "cli.md"
WIDTH = 100
"""The terminal that the help is printed for."""


def with_current_help(guide: str) -> str:
    """``guide`` with the help of the command and of each verb made anew."""

    def block(found: re.Match[str]) -> str:
        verb = found[1] if found[1].split()[0] in cli.VERBS else None
        return f"<!-- help {found[1]} -->\n```text\n{help_of(verb)}\n```\n<!-- end -->"

    return re.sub(r"<!-- help ([\w ]+) -->\n.*?<!-- end -->", block, guide, flags=re.DOTALL)


def help_of(verb: str | None) -> str:
    """The help text of a verb, or of the whole command, at a fixed width."""
    settings = {**cli.group.context_settings, "terminal_width": WIDTH}
    context = click.Context(cli.group, info_name="anypiece", **settings)
    if verb is None:
        return cli.group.get_help(context)
    command: click.Command = cli.group
    for name in verb.split():
        found = command.get_command(context, name) if isinstance(command, click.Group) else None
        if found is None:
            raise ValueError(f"there is no verb {verb!r}")
        command, context = found, click.Context(found, context, info_name=name)
    return command.get_help(context)
