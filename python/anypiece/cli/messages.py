"""Messages of the library as the command line says them: ``splitter=`` of a call is the option ``--splitter`` of a verb."""

from __future__ import annotations

import ast
import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

__all__ = ["in_options"]

_ARGUMENT = re.compile(r"""\b([a-z_]+)=("[^"]*"|'[^']*'|\{[^{}]*\}|True\b|False\b)?""")
_BOTH = re.compile(r"\b[a-z_]+=True \((--[a-z-]+)\)")


def in_options(message: str, verb: click.Command | None) -> str:
    """``message`` with the options of ``verb`` in the place of the arguments that they stand for; others stay.

    >>> from anypiece.cli.encode import encode
    >>> in_options('Pass specials="text", or splitter= and specials= with ids, or lowercase=False, not x=.', encode)
    'Pass --specials text, or --splitter and --special-token with ids, or --cased, not x=.'
    >>> in_options("Pass specials={'<s>'}, or specials={'<s>': 1} when the file is read.", encode)
    "Pass --allow-special '<s>', or --special-token '<s>=1' when the file is read."
    >>> in_options('Name them: load(path, roles={"bos": "<s>", "eos": ...}).', encode)
    "Name them: load(path, --role 'bos=<s>' --role eos=...)."
    """
    options = {str(option.name): option for option in verb.params} if verb is not None else {}
    if "output_format" in options:
        options["format"] = options["output_format"]
    return _ARGUMENT.sub(lambda found: _said(found[0], found[1], found[2] or "", options), _BOTH.sub(r"\1", message))


def _said(whole: str, name: str, value: str, options: dict[str, click.Parameter]) -> str:
    if name == "specials" and "specials_of_file" in options:
        # Those of a file are named with their ids; those that a text may hold are not.
        if not value:
            return options["specials_of_file"].opts[-1]
        if value.startswith("{"):
            return _tokens(value, options)
    if name == "roles" and name in options and value.startswith("{"):
        given = re.findall(r'"([a-z]+)": ("[^"]*"|\.\.\.)', value)
        return " ".join(f"--role {shlex.quote(role + '=' + token.strip(chr(34)))}" for role, token in given)
    if name not in options:
        return f"--set {name}={value.lower()}" if "others" in options and value in ("True", "False") else whole
    words = options[name].secondary_opts if value == "False" else options[name].opts
    if not words:
        return whole
    bare = value.strip('"')
    return words[-1] if value in ("", "True", "False") else f"{words[-1]} {bare}"


def _tokens(value: str, options: dict[str, click.Parameter]) -> str:
    try:
        given = ast.literal_eval(value)
    except (ValueError, SyntaxError):  # not ours, but a text that the message shows
        return f"specials={value}"
    if isinstance(given, dict):
        rows = [f"{options['specials_of_file'].opts[-1]} {shlex.quote(f'{text}={id}')}" for text, id in given.items()]
    else:
        rows = [f"{options['allowed'].opts[-1]} {shlex.quote(text)}" for text in given] if "allowed" in options else []
    return " ".join(rows) or f"specials={value}"
