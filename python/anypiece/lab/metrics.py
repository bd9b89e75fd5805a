"""Figures of a server in the text format of Prometheus. They hold no text of a request, and no path but those of routes."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .lanes import Lanes

__all__ = ["Metrics", "resident_bytes"]

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_PAGE = 4096


class Metrics:
    """What was asked, how it was answered, how long it took.

    >>> metrics = Metrics()
    >>> metrics.answered("/tokenize", 200, 0.003, 64)
    >>> 'anypiece_requests_total{route="/tokenize",status="200"} 1' in metrics.written([], 0)
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        self._tokens: Counter[str] = Counter()

    def answered(self, route: str, status: int, seconds: float, size: int) -> None:
        """Count a request of ``size`` bytes that was answered."""
        with self._lock:
            self._requests[route, status] += 1
            counts = self._times.setdefault(route, [0] * (len(_BUCKETS) + 1))
            counts[bisect_left(_BUCKETS, seconds)] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]
            self._bytes[route] += size

    def counted(self, model: str, tokens: int) -> None:
        """Count tokens that were made."""
        with self._lock:
            self._tokens[model] += tokens

    def written(self, lanes: Lanes | Iterable[object], connections: int) -> str:
        """All figures."""
        with self._lock:
            parts = [
                _family("requests_total", "counter", "Requests answered.", {
                    f'route="{_value(route)}",status="{status}"': float(count)
                    for (route, status), count in sorted(self._requests.items())
                }),
                self._histogram(),
                _family("request_bytes_total", "counter", "Bytes of bodies.",
                        {f'route="{_value(route)}"': float(size) for route, size in sorted(self._bytes.items())}),
                _family("tokens_total", "counter", "Tokens made.",
                        {f'model="{_value(name)}"': float(count) for name, count in sorted(self._tokens.items())}),
            ]  # fmt: skip
        open_now = {f'lane="{lane.name}"': float(lane.busy) for lane in lanes}  # type: ignore[attr-defined]
        parts.append(_family("requests_open", "gauge", "Requests that run or wait.", open_now))
        parts.append(_family("connections_open", "gauge", "Connections.", {"": float(connections)}))
        parts.append(_family("resident_bytes", "gauge", "Memory of the process.", {"": float(resident_bytes())}))
        return "".join(parts)

    def _histogram(self) -> str:
        name = "anypiece_request_seconds"
        lines = [f"# HELP {name} Time from the head of a request to the end of its answer.\n# TYPE {name} histogram\n"]
        for route, counts in sorted(self._times.items()):
            total = 0
            for bound, count in zip((*map(str, _BUCKETS), "+Inf"), counts, strict=True):
                total += count
                lines.append(f'{name}_bucket{{route="{_value(route)}",le="{bound}"}} {total}\n')
            lines.append(f'{name}_sum{{route="{_value(route)}"}} {self._seconds[route]:.6f}\n')
            lines.append(f'{name}_count{{route="{_value(route)}"}} {total}\n')
        return "".join(lines)


def _family(name: str, kind: str, about: str, rows: Mapping[str, float]) -> str:
    lines = [f"# HELP anypiece_{name} {about}\n# TYPE anypiece_{name} {kind}\n"]
    lines += [f"anypiece_{name}{'{' + labels + '}' if labels else ''} {value:.0f}\n" for labels, value in rows.items()]
    return "".join(lines)


def _value(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def resident_bytes() -> int:
    """The memory of this process; 0 where the system has no file that says it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * _PAGE
    except OSError:
        return 0
