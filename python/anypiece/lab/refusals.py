"""Refusals: what a request is answered with that cannot be done, in one form for all reasons.

The form is that of vLLM's servers, with ``reason`` added, the code of an ``AnyPieceError``. Messages do not repeat texts
beyond the few characters that an error of the package quotes.
"""

from __future__ import annotations

import json
from typing import Any

from ..errors import AnyPieceError, InternalError

__all__ = ["Refused", "refusal_of"]

_TYPES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    405: "MethodNotAllowedError",
    409: "ConflictError",
    408: "RequestTimeoutError",
    413: "RequestTooLargeError",
    415: "UnsupportedMediaTypeError",
    421: "MisdirectedRequestError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
    500: "InternalServerError",
    501: "NotImplementedError",
    503: "ServiceUnavailableError",
}
_STATUS = {
    "lattice-too-large": 413,
    "input-too-long": 413,
    "stage-limit": 422,
    "pattern-limit": 422,
    "chat-template": 422,
    "extra-missing": 501,
}


class Refused(Exception):
    """A request that is not done. ``param`` names the field that is to blame, ``headers`` go with the answer.

    >>> Refused(404, "There is no model 'x'.", param="model").body()["error"]["type"]
    'NotFoundError'
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        reason: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.param, self.reason = status, message, param, reason
        self.headers = headers or {}

    def body(self) -> dict[str, Any]:
        """The answer."""
        kind = _TYPES.get(self.status, "Error")
        error = {"message": self.message, "type": kind, "param": self.param, "code": self.status, "reason": self.reason}
        return {"error": error}

    def written(self) -> bytes:
        """The answer as JSON."""
        return json.dumps(self.body()).encode()


def refusal_of(error: BaseException) -> Refused | None:
    """An error of the package, or of memory, as a refusal; None for what nobody foresaw."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, MemoryError):
        return Refused(503, "There is not enough memory for this request now.", headers={"Retry-After": "5"})
    if isinstance(error, InternalError) or not isinstance(error, AnyPieceError):
        return None
    status = _STATUS.get(error.code, 400)
    param = error.facts.get("argument")
    return Refused(status, str(error), param=param if isinstance(param, str) else None, reason=error.code)
