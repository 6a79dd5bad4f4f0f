"""Batches in spans of states, for several threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Event, local
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from headjudge.errors import DataError, check_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

T = TypeVar("T")
#: Objects that one thread looks at, or settles, in one go: rows and records of a span fit the cache of a core.
OBJECTS: Final = 65_536


def spans(objects_start: NDArray[np.int64], objects: int = OBJECTS, start: int = 0) -> Iterator[range]:
    """Yield spans of states, the first of them `start`, with about so many objects each."""
    states = len(objects_start) - 1
    while start < states:
        stop = int(np.searchsorted(objects_start, objects_start[start] + objects, "right")) - 1
        stop = min(max(stop, start + 1), states, start + objects)
        yield range(start, stop)
        start = stop


def workers(threads: int | None) -> int:
    """Return how many threads to work with: as many as there are processors, if it is not said."""
    if threads is None:
        return os.cpu_count() or 1
    check_type("threads", threads, isinstance(threads, (int, np.integer)), "a whole number")
    if threads < 1:
        raise DataError(f"threads: expected at least 1, found {threads}")
    return threads


def each(work: Callable[[range], T], parts: Sequence[range], threads: int) -> Iterator[T]:
    """Do the work on every span, on several threads; the results come in order."""
    if threads == 1 or len(parts) <= 1:
        yield from map(work, parts)
        return
    with Pool(threads) as pool:
        yield from pool.map(work, parts)


class Stopped(Exception):
    """Nobody waits any more for what a thread of a pool does."""


class Pool(ThreadPoolExecutor):
    """Threads whose work ends at the next `go_on` once the pool is left, by an error or Ctrl-C."""

    def __init__(self, threads: int) -> None:
        self._left = Event()
        super().__init__(threads, initializer=setattr, initargs=(_here, "left", self._left))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """Leave the pool."""
        self._left.set()
        super().shutdown(wait, cancel_futures=cancel_futures)


_here = local()


def go_on() -> None:
    """Raise `Stopped` in a thread of a pool that has been left; work that may take long calls this now and then."""
    left: Event | None = getattr(_here, "left", None)
    if left is not None and left.is_set():
        raise Stopped
