"""Files that clients send are read in a process of their own, with bounds on its memory and time.

``python -m anypiece.lab.opening`` reads a tokenizer file from its input and writes it as ``.anypiece``, compiled anew from
its Spec, to its output; nothing touches the disk. What goes wrong with a file is a line of JSON and the exit code 3.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from .. import _native, formats
from .._core.bridge import carried_metadata, compiled, spec_of, stored
from .._core.vocabulary import made
from ..errors import AnyPieceError
from ..metadata import metadata_of
from ..tokenizer import Tokenizer
from .refusals import Refused

if TYPE_CHECKING:
    from .limits import Limits

__all__ = ["opened"]

_REFUSED = 3


def opened(data: bytes, limits: Limits) -> Tokenizer:
    """The tokenizer of a file that was sent; what cannot be read is refused with 422."""
    command = [sys.executable, "-m", "anypiece.lab.opening", str(limits.upload_memory), str(limits.upload_seconds)]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=4 * limits.upload_seconds, check=False)
    except subprocess.TimeoutExpired:
        raise Refused(422, "Reading this file takes too long.") from None
    if done.returncode == _REFUSED:
        told = json.loads(done.stderr)
        raise Refused(422, told["message"], reason=told["code"])
    if done.returncode:
        raise Refused(422, "This file cannot be read within the server's bounds of memory and time.")
    native = _native.Tokenizer.from_bytes(done.stdout, True)
    return made(Tokenizer, native, None, carried_metadata(native))


def converted(data: bytes) -> bytes:
    """A tokenizer file as ``.anypiece``.

    >>> import anypiece
    >>> from anypiece.io.write import written
    >>> data = written(anypiece.load(), "anypiece")
    >>> converted(data)[:8]
    b'ANYPIECE'
    """
    name = "the file"
    if formats.sniff(data, name) == "anypiece":
        native = _native.Tokenizer.from_bytes(data, True)
        spec, metadata = spec_of(native), carried_metadata(native)
    else:
        spec, origin = formats.read(data, name)
        metadata = metadata_of(origin)
    return stored(compiled(spec, 0), (), metadata)


def _bounded(memory: int, seconds: int) -> None:
    """Bounds on this process, where the system has them."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def _main(memory: int, seconds: int) -> int:
    _bounded(memory, seconds)
    try:
        found = converted(sys.stdin.buffer.read())
    except AnyPieceError as error:
        sys.stderr.write(json.dumps({"code": error.code, "message": str(error)[:2000]}))
        return _REFUSED
    except (_native.NativeError, MemoryError) as error:
        code = "memory" if isinstance(error, MemoryError) else error.args[0]
        sys.stderr.write(json.dumps({"code": code, "message": f"The file cannot be read: {code}."}))
        return _REFUSED
    sys.stdout.buffer.write(found)
    return 0


if __name__ == "__main__":
    sys.exit(_main(int(sys.argv[1]), int(sys.argv[2])))
