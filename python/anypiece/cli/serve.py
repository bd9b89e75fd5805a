"""``anypiece serve``: tokenizers over HTTP, and the page that shows every step."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from ..io.paths import read_bytes
from ..lab import Limits
from ..lab import serve as serve_lab
from ..loading import load
from . import options, output
from .numbers import Amount

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

__all__ = ["serve"]

_TOKEN = "ANYPIECE_TOKEN"


@click.command()
@click.option(
    "-t", "--tokenizer", "given", multiple=True, metavar="[NAME=]PATH",
    help="A tokenizer file or folder, under the name that requests call it; by default its file's. May be repeated.",
)  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 takes a free one.")
@click.option("--remote", "is_remote", is_flag=True, help="Permit a --host that other machines can reach.")
@click.option(
    "--token-file", type=options.PATH, metavar="FILE",
    help=f"A file with the token that requests must carry; it may also be in ${_TOKEN}.",
)  # fmt: skip
@click.option("--max-body", type=Amount(), default="16Mi", show_default=True, help="Bytes of a request, at most.")
@click.option("--open", "is_opened", is_flag=True, help="Open the page in the browser.")
@click.option("--quiet", is_flag=True, help="Log no requests.")
def serve(
    given: tuple[str, ...],
    host: str,
    port: int,
    is_remote: bool,
    token_file: str | None,
    max_body: int,
    is_opened: bool,
    quiet: bool,
) -> None:
    """Serve tokenizers over HTTP, with a page that shows every step.

    It needs the extra [lab]. The page is at /, what can be asked at /openapi.json. Texts are never logged. Only this
    machine can reach it unless --host says otherwise, which needs --remote and a token. Control-C stops it, after open
    requests.

    \b
    Examples:
      anypiece serve
      anypiece serve -t tokenizer.model -t other=tokenizer.json --port 8000
      curl localhost:8080/v1/encode -H 'content-type: application/json' -d '{"text": "Hello"}'
    """

    def ready(url: str) -> None:
        output.note(f"serving {', '.join(tokenizers)} on {url}")
        if is_opened:
            webbrowser.open(url)

    tokenizers = _loaded(given)
    serve_lab(
        tokenizers, limits=Limits(body=max_body), host=host, port=port, is_remote=is_remote, token=_token(token_file),
        is_logged=not quiet, ready=ready,
    )  # fmt: skip


def _loaded(given: tuple[str, ...]) -> dict[str, Tokenizer]:
    """Tokenizers by their names; the embedded one if none is given."""
    found: dict[str, Tokenizer] = {}
    for one in given or ("default",):
        name, equals, path = one.partition("=")
        if not equals or os.path.exists(one):
            name, path = "", one
        name = name or _name(path)
        if name in found:
            raise click.UsageError(f"Two tokenizers are called {name!r}. Give one another name: -t NAME=PATH.")
        found[name] = load(options.path_of(path))
    return found


def _name(path: str) -> str:
    place = Path(path)
    common = (
        place.name in ("tokenizer.json", "tokenizer.model", "tekken.json", "vocab.txt") and place.resolve().parent.name
    )
    return common or place.name or place.resolve().name


def _token(file: str | None) -> str | None:
    if file is None:
        return os.environ.get(_TOKEN) or None
    token = read_bytes(Path(file)).decode("utf-8", "replace").strip()
    if not token:
        raise InputError("argument-value", f"{file} has no token.", argument="token-file")
    return token
