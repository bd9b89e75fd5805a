"""Commands of ``anypiece`` without the start of a program for each: forks of one process that has imported it.

Most of the time of a command in an example is that start. The process is a fresh one that runs nothing else, so that a
command finds what it finds in a shell. Where there is no fork, and for commands that need a shell, nothing is done here.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

__all__ = ["output_of", "words_of"]

_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\!]*\"")
_FOR_A_SHELL = re.compile(r"[|&;<>()$`\\\"'*?\[\]{}~#!\n]")


def words_of(command: str) -> list[str] | None:
    """The arguments of a command of ``anypiece`` that no shell has to look at.

    >>> words_of('anypiece count "data/*.txt"'), words_of("anypiece count a.txt | head"), words_of("ls")
    (['count', 'data/*.txt'], None, None)
    """
    if not hasattr(os, "fork") or _FOR_A_SHELL.search(_QUOTED.sub("", command)):
        return None
    name, *words = shlex.split(command)
    return words if name == "anypiece" else None


def output_of(words: list[str], environment: dict[str, str]) -> str:
    """What ``anypiece`` prints in the current folder, to either stream."""
    server = _server(tuple(sorted(environment.items())))
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "output"
        server.stdin.write(json.dumps([words, os.getcwd(), str(path)]) + "\n")
        server.stdin.flush()
        if not server.stdout.readline():
            raise OSError(f"the server of commands ended with status {server.wait()}")
        return path.read_text("utf-8")


@lru_cache(maxsize=1)
def _server(environment: tuple[tuple[str, str], ...]) -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, __file__], env=dict(environment), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    atexit.register(_close, server)
    return server


def _close(server: subprocess.Popen[str]) -> None:
    if server.stdin is not None:
        server.stdin.close()
    server.wait()


def _serve() -> None:
    """Fork for each request; the answer is an empty line."""
    from anypiece.cli import main

    with os.fdopen(os.dup(0)) as requests, os.fdopen(os.dup(1), "w") as answers:
        for request in requests:
            words, folder, output = json.loads(request)
            child = os.fork()
            if child:
                os.waitpid(child, 0)
                print(file=answers, flush=True)
                continue
            nothing, target = os.open(os.devnull, os.O_RDONLY), os.open(output, os.O_WRONLY | os.O_CREAT, 0o600)
            os.dup2(nothing, 0)
            os.dup2(target, 1)
            os.dup2(target, 2)
            os.chdir(folder)
            sys.argv = ["anypiece", *words]
            main()
            return


if __name__ == "__main__":
    _serve()
