"""What is measured, and against what. Times are the median of several; what is compared takes turns."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

import headjudge
from headjudge.io import scenarios
from headjudge.io.choices import by_state
from headjudge.kernels.bits import CHOOSE_KEEP
from headjudge.kernels.tables import Objects
from headjudge.playing import play
from headjudge.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from headjudge.kernels.tables import Choices

SEED = 2026


@dataclass(frozen=True)
class Measurement:
    """One line of the report."""

    what: str
    seconds: float
    #: What it is compared with, and the seconds of that; without, the limit is in seconds.
    against: str = ""
    base: float = 1.0
    limit: float | None = None

    @property
    def ratio(self) -> float:
        return self.seconds / self.base

    @property
    def holds(self) -> bool:
        return self.limit is None or self.ratio <= self.limit


def seconds(function: Callable[[], object]) -> float:
    """The time of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def in_turns(functions: Iterable[Callable[[], object]], repeat: int) -> list[float]:
    """The median time of each function, called in turns so that all meet the same machine."""
    functions = list(functions)
    for function in functions:
        function()  # compiles, and touches memory
    rounds = [[seconds(function) for function in functions] for _ in range(repeat)]
    return list(map(median, zip(*rounds, strict=True)))


class Copy:
    """Copying the columns of `objects` once with `np.copyto`, each thread its share of the rows."""

    def __init__(self, boards: headjudge.Boards, threads: int) -> None:
        self.columns = list(boards.objects)
        self.copies = [np.zeros_like(column) for column in self.columns]
        rows = len(self.columns[0])
        self.shares = [slice(rows * i // threads, rows * (i + 1) // threads) for i in range(threads)]
        self.pool = ThreadPoolExecutor(threads)

    def __call__(self) -> None:
        list(self.pool.map(self._copy, self.shares))

    def _copy(self, rows: slice) -> None:
        for column, copy in zip(self.columns, self.copies, strict=True):
            np.copyto(copy[rows], column[rows])


def batch(states: int, profile: str, threads: int) -> headjudge.Boards:
    return headjudge.generate(states, seed=SEED, profile=profile, threads=threads)


def against_copying(states: int, threads: int, repeat: int, limits: dict[str, float | None]) -> Iterator[Measurement]:
    """Settling each profile against copying its objects (issue of speed: limits are in these ratios)."""
    for profile, limit in limits.items():
        boards = batch(states, profile, threads)
        settle = partial(headjudge.settle, boards, threads=threads, after=False)
        with_after = partial(headjudge.settle, boards, threads=threads, after=True)
        settled, settled_after, copied = in_turns((settle, with_after, Copy(boards, threads)), repeat)
        name = f"{profile}, {states:,} boards, {len(boards.objects.zone):,} objects"
        yield Measurement(name, settled, "np.copyto of objects", copied, limit)
        yield Measurement(f"{profile}, with the boards after", settled_after, "np.copyto of objects", copied)


def batches(states: int, threads: int, repeat: int) -> Measurement:
    """The time a board in a large batch against that in one of 10,000."""
    large = batch(states, "midgame", threads)
    few = [large[first : first + 10_000] for first in range(0, states, 10_000)]

    def settle_few() -> None:
        for boards in few:
            headjudge.settle(boards, threads=threads, after=False)

    times = in_turns((partial(headjudge.settle, large, threads=threads, after=False), settle_few), repeat)
    return Measurement(f"midgame, {states:,} boards in one batch", times[0], "in batches of 10,000", times[1], 1.2)


def verdicts(states: int, threads: int, repeat: int) -> Iterator[Measurement]:
    """Judging claims that are right against settling the same boards."""
    boards = batch(states, "midgame", threads)
    for how, choices in (("by default", None), ("at random", some_choices(boards))):
        resolution = headjudge.settle(boards, choices, threads=threads)
        both = headjudge.Boards.concat((boards, resolution.after))
        given, claimed = both[:states], both[states:]
        verify = partial(headjudge.verify, given, claimed, threads=threads)
        assert verify().counts["agree"] == states
        settle = partial(headjudge.settle, given, threads=threads)
        times = in_turns((verify, settle), repeat)
        yield Measurement(f"verify, midgame, {states:,} right claims, chosen {how}", times[0], "settle", times[1], 2)


def some_choices(boards: headjudge.Boards) -> tuple[Choices, NDArray[np.int64]]:
    """Of all that is offered about objects, answers at random; of each board's legends one is kept."""
    offers = play(boards).offers
    offers = offers[offers["object"] >= 0]
    offers = offers[np.random.default_rng(SEED).permutation(len(offers))]
    state, choice, subject, value = (offers[name].astype(np.int64) for name in ("state", "rule", "object", "amount"))
    about = np.where(choice == CHOOSE_KEEP, -1, subject)
    _, one_each = np.unique(np.stack((state, choice, about)), axis=1, return_index=True)
    rows = one_each[np.lexsort([column[one_each] for column in (subject, choice, state)])]
    return by_state(state[rows], choice[rows], subject[rows], value[rows], len(boards))


def growth(repeat: int) -> Measurement:
    """One battlefield of 100,000 tokens against one of 10,000."""
    sizes = (100_000, 10_000)
    boards = [headjudge.generate(1, seed=SEED, profile="tokens", size=size) for size in sizes]
    large, small = in_turns([partial(headjudge.settle, each, threads=1, after=False) for each in boards], repeat)
    return Measurement("tokens, one board of 100,000", large, "one of 10,000", small, 15)


#: Ten objects on which there is something to do for the legend rule, Roles, attachments, damage and zones.
TEN_OBJECTS = """
- given:
    objects:
      one:   &twin {name: Twin, controller: 0, types: [creature], supertypes: [legendary], power: 2, toughness: 2}
      two:   *twin
      other: {<<: *twin, controller: 1}
      bear:  {controller: 0, types: [creature], power: 2, toughness: 2}
      old: &role
        {kind: token, controller: 0, types: [enchantment], subtypes: [aura, role], enchant: {}, attached_to: bear}
      young: *role
      lost:  {controller: 1, types: [artifact], subtypes: [equipment], attached_to: old}
      sword: {controller: 1, types: [artifact], subtypes: [equipment], attached_to: bear}
      dying: {controller: 1, types: [creature], power: 2, toughness: 2, damage: 2}
      gone:  {kind: token, zone: graveyard, controller: 1, types: [creature], power: 2, toughness: 2}
"""


def tiled(times: int, copies: int) -> headjudge.Boards:
    """Boards that hold `TEN_OBJECTS` so many times; legends of each ten have a name of their own."""
    (scenario,) = scenarios.reads(TEN_OBJECTS)
    ten = scenario.boards
    tile = np.repeat(np.arange(times, dtype=np.int32), len(ten.objects.zone))
    columns = {name: np.tile(column, times) for name, column in ten.objects._asdict().items()}
    columns["object_id"] = np.arange(len(tile), dtype=np.int32)
    columns["name"] = np.where(columns["name"] >= 0, tile, columns["name"])
    columns["attached_to"] += np.where(columns["attached_to"] >= 0, len(ten.objects.zone) * tile, 0).astype(np.int32)
    board = replace(
        ten,
        objects=Objects(**columns),
        objects_start=np.array([0, len(tile)]),
        lexicon=replace(ten.lexicon, names=tuple(f"Twin {i}" for i in range(times))),
    )
    return board[np.zeros(copies, np.int64)]


def sizes(repeat: int) -> Iterator[Measurement]:
    """The time an object on boards of 10 to 100,000 objects, against boards of 1,000."""
    objects = (1_000, 10, 100, 10_000, 100_000)
    boards = [tiled(size // 10, 200_000 // size) for size in objects]
    base, *times = in_turns([partial(headjudge.settle, each, threads=1, after=False) for each in boards], repeat)
    for size, found in zip(objects[1:], times, strict=True):
        yield Measurement(f"200,000 objects on boards of {size:,}", found, "as many on boards of 1,000", base, 1.5)


def effects(repeat: int) -> Iterator[Measurement]:
    """1,000 creatures under 50 anthems against as many pairs of a creature and an anthem on smaller boards."""
    boards = [anthems(1_000, 50, 4), anthems(1_000, 5, 40), anthems(100, 50, 40)]
    times = in_turns([partial(headjudge.settle, each, threads=1, after=False) for each in boards], 2 * repeat)
    for against, base in zip(("40 of 1,000 under 5", "40 of 100 under 50"), times[1:], strict=True):
        yield Measurement("1,000 creatures under 50 anthems, 4 boards", times[0], against, base, 1.5)


def anthems(creatures: int, anthems: int, copies: int) -> headjudge.Boards:
    """Boards of one player's 1/1 creatures and of enchantments that give them all +1/+1."""
    objects = {f"creature{i}": "{controller: 0, types: [creature], power: 1, toughness: 1}" for i in range(creatures)}
    objects |= {f"anthem{i}": "{controller: 0, types: [enchantment]}" for i in range(anthems)}
    gives = "affects: {types: [creature], controller: you}, add_power: 1, add_toughness: 1"
    effects = [f"{{source: anthem{i}, {gives}}}" for i in range(anthems)]
    given = f"{{objects: {{{', '.join(map(': '.join, objects.items()))}}}, effects: [{', '.join(effects)}]}}"
    (scenario,) = scenarios.reads(f"- given: {given}")
    return scenario.boards[np.zeros(copies, np.int64)]


def calls(repeat: int) -> Iterator[Measurement]:
    """What a call costs, for simulations that settle at every step."""
    for states, limit in ((1, 200e-6), (1_000, 3e-3)):
        boards = batch(states, "midgame", 1)
        (middle,) = in_turns([partial(headjudge.settle, boards, threads=1)], repeat * 20)
        yield Measurement(f"a call with {counted(states, 'midgame board')}", middle, limit=limit)
        own = boards[np.arange(states)]
        (middle,) = in_turns([partial(headjudge.settle, own, threads=1, in_place=True)], repeat * 20)
        yield Measurement("likewise in place, once they are settled", middle, limit=limit)


def commands(repeat: int) -> Iterator[Measurement]:
    """The command line: compiling everything in an empty cache, one board with a warm one, and --help."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        environment = {**os.environ, "HEADJUDGE_CACHE_DIR": str(place / "cache")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode

        def command(*words: str | Path) -> None:
            call = [sys.executable, "-m", "headjudge", *map(str, words)]
            subprocess.run(call, env=environment, check=True, capture_output=True)

        def settle_one() -> None:
            command("settle", place / "one", place / f"settled-{time.time_ns()}")

        batch(1, "midgame", 1).save(place / "one")
        cold = seconds(lambda: command("demo", place / "demo", "--states", "1000"))
        yield Measurement("headjudge demo of 1,000 boards, everything compiled anew", cold, limit=60)
        yield Measurement("headjudge settle of one board, compiled before", *in_turns([settle_one], repeat), limit=2)
        yield Measurement("headjudge --help", *in_turns([partial(command, "--help")], repeat), limit=0.4)
