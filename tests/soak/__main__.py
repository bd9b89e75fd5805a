"""``python -m tests.soak``: a server under load, on this machine alone, by the clients of ``load``.

A hundred thousand mixed requests whose answers are compared with the library, then short requests alone and beside two
clients that send megabytes, then bad input and floods, then a kill. Nothing may be wrong, memory may not grow, and the
99th percentile of the short ones beside the long ones may be at most five times that of the idle server, or 20 ms.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import time
import urllib.request
from typing import TYPE_CHECKING

from tests.soak.load import Client, long_client, mixed, timed
from tests.support.serving import Served, head_of

if TYPE_CHECKING:
    from collections.abc import Callable

_CLIENTS = 4
_MEGA = 1 << 20
_GROWTH = 48
"""Megabytes that the process may grow by from the first fifth of the load to its end."""
_FACTOR, _FLOOR = 5, 20.0
_IDLE = 10.0
"""Milliseconds that half of the short requests to an idle server may take: a delayed ACK takes 40."""


def main() -> int:
    """Run all parts; the exit code is 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--requests", type=int, default=100_000, help="how many mixed requests")
    parser.add_argument("--timed", type=int, default=2_000, help="how many short requests are timed, each time")
    asked = parser.parse_args()
    wrong: list[str] = []
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the beginning", flush=True)
    with Served() as served:
        warm(served, wrong)
        together(served, asked.requests, wrong)
        beside(served, asked.timed, wrong)
        bad(served, wrong)
    killed(wrong)
    for line in wrong[:50]:
        print(f"wrong: {line}")
    print(f"load {os.getloadavg()[0]:.1f} at the end; {len(wrong)} problems")
    return 1 if wrong else 0


def warm(served: Served, wrong: list[str]) -> None:
    """What is made once is made."""
    _run(served, 2_000, 90, wrong)


def together(served: Served, count: int, wrong: list[str]) -> None:
    """Mixed requests by some clients at once."""
    fifth = max(1, count // 5)
    begun, memory = time.monotonic(), [served.settled_memory()]
    for part in range(5):
        _run(served, fifth, part * _CLIENTS, wrong)
        memory.append(served.settled_memory())
    seconds = time.monotonic() - begun
    shown = ", ".join(f"{size / _MEGA:.0f}" for size in memory)
    print(
        f"{5 * fifth:,} mixed requests by {_CLIENTS} clients: {len(wrong)} errors, {5 * fifth / seconds:,.0f} a second"
    )
    print(f"memory before and after each fifth, in MB: {shown}", flush=True)
    if memory[-1] - memory[1] > _GROWTH * _MEGA:
        wrong.append(f"memory grew by {(memory[-1] - memory[1]) / _MEGA:.0f} MB")


def _run(served: Served, count: int, seed: int, wrong: list[str]) -> None:
    def client(number: int) -> None:
        one, requests = Client(served), mixed(seed + number)
        try:
            for _ in range(count // _CLIENTS):
                path, body, expected = next(requests)
                status, answer = one.ask(path, body)
                if status != 200:
                    wrong.append(f"{path}: {status} {answer[:200]!r}")
                elif expected is not None and json.loads(answer)[expected[0]] != expected[1]:
                    wrong.append(f"{path}: another answer than the library's for {body[:200]!r}")
        except (OSError, ValueError) as error:
            wrong.append(f"a client stopped: {error}")
        finally:
            one.close()

    _threads([lambda number=number: client(number) for number in range(_CLIENTS)])  # type: ignore[misc]


def _threads(works: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def beside(served: Served, count: int, wrong: list[str]) -> None:
    """Short requests alone, and beside two clients that send megabytes."""
    idle = timed(served, count, wrong)
    stop, done = threading.Event(), list[int]()
    threads = [threading.Thread(target=long_client, args=(served, stop, done, wrong)) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    loaded = timed(served, count, wrong)
    stop.set()
    for thread in threads:
        thread.join()
    names = {"idle": idle, "beside two clients with 1 MB texts": loaded}
    for name, times in names.items():
        print(
            f"/tokenize of 200 characters, {name}: " + ", ".join(f"p{p} {_part(times, p):.2f} ms" for p in (50, 90, 99))
        )
    print(f"{len(done)} long texts meanwhile", flush=True)
    if _part(idle, 50) > _IDLE:
        wrong.append(f"half of the short requests to an idle server take more than {_part(idle, 50):.1f} ms")
    most = max(_FACTOR * _part(idle, 99), _FLOOR)
    if _part(loaded, 99) > most:
        wrong.append(f"p99 beside long texts is {_part(loaded, 99):.1f} ms, more than {most:.1f}")


def _part(times: list[float], percent: int) -> float:
    return times[min(len(times) - 1, len(times) * percent // 100)]


def bad(served: Served, wrong: list[str]) -> None:
    """Bad input and floods, while others are served."""
    before, stop, others = served.settled_memory(), threading.Event(), list[float]()

    def other() -> None:
        while not stop.is_set():
            others.extend(timed(served, 20, wrong))

    thread = threading.Thread(target=other)
    thread.start()
    status = {}
    big = json.dumps({"text": "unbelievable " * 800_000}).encode()
    status["a paste of 10 MB"] = [Client(served).ask("/v1/encode", big)[0] for _ in range(5)]
    status["a paste of 17 MB"] = [Client(served).ask("/v1/encode", b" " * (17 * _MEGA))[0] for _ in range(3)]
    status["deep nesting"] = [Client(served).ask("/v1/encode", b"[" * _MEGA)[0] for _ in range(20)]
    status["no JSON"] = [Client(served).ask("/tokenize", b'{"prompt": "a')[0] for _ in range(200)]
    status["explanations at once"] = flood(served, "/v1/explain", {"text": "a" * 500}, 100)
    status["large texts at once"] = flood(served, "/v1/spans", {"text": "word " * 200_000, "details": True}, 100)
    held = [served.connect() for _ in range(300)]
    for number, connection in enumerate(held):
        connection.sendall(head_of("/v1/encode", 1000)[: 10 + number])
    time.sleep(15)
    for connection in held:
        connection.close()
    stop.set()
    thread.join()
    for name, codes in status.items():
        print(f"{name}: { ({code: codes.count(code) for code in sorted(set(codes))}) }")
    allowed = {"a paste of 10 MB": {200}, "a paste of 17 MB": {413}, "deep nesting": {400}, "no JSON": {400}}
    wrong.extend(f"{name}: {codes}" for name, codes in status.items() if set(codes) - allowed.get(name, {200, 429}))
    time.sleep(2)
    after = served.settled_memory()
    print(
        f"others meanwhile: {len(others)} answers, the slowest {max(others):.0f} ms; "
        f"memory {before / _MEGA:.0f} to {after / _MEGA:.0f} MB"
    )
    flooded_again(served, wrong)


def flooded_again(served: Served, wrong: list[str]) -> None:
    """Floods of large texts, one after another: memory may not grow once the first two have filled pools and arenas."""
    sizes, answers = list[int](), 0
    for _ in range(5):
        answers += len(flood(served, "/v1/spans", {"text": "word " * 200_000, "details": True}, 100))
        sizes.append(served.settled_memory())
    shown = ", ".join(f"{size / _MEGA:.0f}" for size in sizes)
    print(f"the flood of large texts five times more, {answers} answers; memory after each, in MB: {shown}", flush=True)
    if sizes[-1] - sizes[1] > _GROWTH * _MEGA:
        wrong.append(f"memory grew by {(sizes[-1] - sizes[1]) / _MEGA:.0f} MB when the flood came again and again")


def flood(served: Served, path: str, value: object, count: int) -> list[int]:
    """The statuses of requests that are sent at once."""
    body, codes = json.dumps(value).encode(), list[int]()

    def one() -> None:
        client = Client(served)
        try:
            codes.append(client.ask(path, body)[0])
        except OSError:
            codes.append(0)
        finally:
            client.close()

    _threads([one] * count)
    return codes


def killed(wrong: list[str]) -> None:
    """A kill loses open requests alone: a server on the same port goes on."""
    first = Served()
    client = Client(first)
    status, answer = client.ask("/v1/count", b'{"text": "before"}')
    first.stop(signal.SIGKILL)
    try:
        client.ask("/v1/count", b'{"text": "open"}')
        wrong.append("a killed server answers")
    except OSError:
        pass
    with Served(port=first.port) as second:
        again = second.post("/v1/count", {"text": "before"})
        with urllib.request.urlopen(second.url + "/healthz", timeout=30) as health:
            print(f"killed and started again on port {second.port}: {status} before, {again[0]} after, {health.status}")
        if again[0] != 200 or json.loads(answer) != again[1]:
            wrong.append(f"after a kill: {again}")


if __name__ == "__main__":
    sys.exit(main())
