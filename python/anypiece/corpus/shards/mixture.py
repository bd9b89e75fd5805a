"""How much of each source is taken: a budget of tokens, weights of sources, or how often each is read.

A source is a named part of the inputs: ``web=data/web`` on the command line, ``{"web": "data/web"}`` in Python.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Share", "Shares", "check_names", "named_sources", "shares_of", "wanted_tokens"]

Shares = tuple[tuple[str, float], ...]
"""A number for each source."""
Path = str | os.PathLike[str]
_NAMED = re.compile(r"([A-Za-z][\w.-]*)=(.+)", re.DOTALL)


class Share(NamedTuple):
    """How much is taken of a source."""

    copies: int
    """How often each of its documents is taken."""
    tokens: int
    """How many tokens of its documents are taken once more, at most."""


def named_sources(sources: Path | Iterable[Path] | Mapping[str, Any]) -> list[tuple[str, list[Path]]]:
    """Inputs with the names of their sources; what has no name has an empty one.

    >>> named_sources(["web=a.txt", "b.txt"]), named_sources({"web": ["a.txt", "b.txt"]})
    ([('web', ['a.txt']), ('', ['b.txt'])], [('web', ['a.txt', 'b.txt'])])
    """
    if isinstance(sources, Mapping):
        for name in sources:
            if not isinstance(name, str) or not name:
                raise InputError("argument-value", f"A source has a name, not {name!r}.", argument="sources")
        return [(name, [item] if isinstance(item, (str, os.PathLike)) else [*item]) for name, item in sources.items()]
    found: list[tuple[str, list[Path]]] = []
    for source in [sources] if isinstance(sources, (str, os.PathLike)) else sources:
        match = _NAMED.fullmatch(source) if isinstance(source, str) and not os.path.exists(source) else None
        if match is None and found and not found[-1][0]:
            found[-1][1].append(source)
        else:
            found.append((match[1], [match[2]]) if match else ("", [source]))
    return found


def shares_of(given: Any, option: str) -> Shares:
    """Numbers of sources, from a mapping, pairs, or texts such as ``web=0.7``; sorted by name.

    >>> shares_of({"web": 2, "code": 0.5}, "weights"), shares_of(["web=0.7"], "weights")
    ((('code', 0.5), ('web', 2.0)), (('web', 0.7),))
    """
    rows = given.items() if isinstance(given, Mapping) else [_pair(item) for item in given]
    found: dict[str, float] = {}
    for name, value in rows:
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not isinstance(name, str) or not name or name in found or not 0 <= number < 1e6:
            message = f"{option} must have a number from 0 for each source, such as web=0.7, not {name}={value}."
            raise InputError("argument-value", message, argument=option)
        found[name] = number
    if option == "weights" and found and not any(found.values()):
        raise InputError("argument-value", f"{option} must not all be 0.", argument=option)
    return tuple(sorted(found.items()))


def _pair(item: Any) -> tuple[Any, Any]:
    if isinstance(item, str):
        name, _, value = item.partition("=")
        return name, value
    try:
        name, value = item
    except (TypeError, ValueError):
        return str(item), None
    return name, value


def check_names(names: Sequence[str], weights: Shares, epochs: Shares) -> None:
    """Refuse weights of sources that there are not, and sources without a weight."""
    known = set(names)
    for option, shares in (("weights", weights), ("epochs", epochs)):
        for name, _ in shares:
            if name not in known:
                there = ", ".join(sorted(known - {""})) or "none"
                message = f"{option}= names {name!r}, and the named inputs are: {there}. Name an input: {name}=PATH."
                raise InputError("argument-value", message, argument=option)
    missing = sorted(known - {name for name, _ in weights}) if weights else []
    if missing:
        what = f"The source {missing[0]!r} has" if missing[0] else "Inputs without a name have"
        message = f"{what} no weight. Name each input, as in web=PATH, and give each name one of weights=."
        raise InputError("argument-value", message, argument="weights")


def wanted_tokens(tokens: Mapping[str, int], budget: int, weights: Shares, epochs: Shares) -> dict[str, Share]:
    """How much is taken of each source, given the tokens that it has.

    Weights without a budget give the largest mixture in which no document is taken twice. Without weights a budget takes
    none twice either.

    >>> wanted_tokens({"web": 100, "code": 10}, 0, (("code", 0.5), ("web", 0.5)), ())
    {'web': Share(copies=0, tokens=10), 'code': Share(copies=1, tokens=0)}
    >>> wanted_tokens({"web": 100, "code": 10}, 50, (("code", 0.5), ("web", 0.5)), ())
    {'web': Share(copies=0, tokens=25), 'code': Share(copies=2, tokens=5)}
    >>> wanted_tokens({"": 100}, 30, (), ()), wanted_tokens({"": 100}, 300, (), ())
    ({'': Share(copies=0, tokens=30)}, {'': Share(copies=1, tokens=0)})
    >>> wanted_tokens({"web": 100, "code": 10}, 0, (), (("code", 2.5),))
    {'web': Share(copies=1, tokens=0), 'code': Share(copies=2, tokens=5)}
    """
    if weights:
        chosen = dict(weights)
        empty = [name for name, amount in tokens.items() if not amount and chosen[name]]
        if empty:
            message = f"The source {empty[0]!r} has a weight and no tokens. Leave it out, in a new folder."
            raise InputError("argument-value", message, argument="weights")
        total = sum(chosen.values())
        shares = {name: chosen[name] / total for name in tokens}
        most = min((int(tokens[name] / share) for name, share in shares.items() if share), default=0)
        return {name: _share(int((budget or most) * share + 0.5), tokens[name]) for name, share in shares.items()}
    if budget:
        return {name: _share(min(budget, amount), amount) for name, amount in tokens.items()}
    times = dict(epochs)
    wanted = {name: amount if name not in times else int(amount * times[name]) for name, amount in tokens.items()}
    return {name: _share(amount, tokens[name]) for name, amount in wanted.items()}


def _share(wanted: int, tokens: int) -> Share:
    return Share(*divmod(wanted, tokens)) if tokens else Share(0, 0)
