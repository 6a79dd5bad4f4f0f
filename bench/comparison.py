"""``python -m bench.comparison``: what else can be used to judge boards, on the same boards, on one thread.

Prints a table; with ``--out FOLDER`` it also writes comparison.md, comparison.json and comparison.svg.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

os.environ["POLARS_MAX_THREADS"] = "1"  # is read at the first import

import duckdb
import numpy as np
import polars as pl

import headjudge
from bench.chart import bars
from bench.measure import SEED, in_turns, seconds
from headjudge.engines import open_engine
from headjudge.fuzzing import expressed
from headjudge.io.board_records import record_of
from headjudge.io.scenarios import record_to_mapping
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
#: The rules that columns alone can express, of objects and of players. All make one check, without what follows.
SUBSET = ("toughness_zero", "lethal_damage", "token_off_battlefield", "life_zero", "poison")
#: How SQL says what toughness is.
TOUGHNESS = "coalesce(toughness, 0) + plus_counters - minus_counters"

PAGE = """# What there is to judge boards with

`python -m bench.comparison --out docs` puts the same boards to everything that can judge them.
{report}
*Five rules*: `toughness_zero`, `lethal_damage`, `token_off_battlefield`, `life_zero` and `poison`, as far as columns
alone say so: one check, without replacements, effects or what follows. What they need stands ready in arrays or tables.
That is what a query language can express, and the C loop over the same columns what the machine allows for it.
headjudge, the oracle of its tests (plain Python) and [phase](engines.md) settle the boards by every rule they know;
from all of them was taken what phase cannot express.

![Microseconds a board, on a logarithmic scale](comparison.svg)
"""
Found = dict[str, int]


@dataclass(frozen=True)
class Contender:
    """Something that judges boards."""

    name: str
    what: str
    boards: int
    run: Callable[[], object]
    #: How many times each rule of the subset applied in the first check, if it says so.
    found: Found | None = None


@dataclass(frozen=True)
class Line:
    """One line of the report."""

    name: str
    what: str
    boards: int
    microseconds: float  # a board
    ratio: float  # against headjudge
    found: int | None  # how often a rule of the subset applied in the first check


def with_numpy(boards: headjudge.Boards) -> Found:
    """Judge the subset with NumPy."""
    o, p = boards.objects, boards.players
    toughness = np.where(o.toughness == v.NULL, 0, o.toughness) + o.plus_counters - o.minus_counters
    creature = (o.zone == b.BATTLEFIELD) & (o.flags & b.PHASED_OUT == 0) & (o.types & b.CREATURE != 0)
    lethal = (toughness > 0) & (o.damage >= toughness) & (o.keywords & b.INDESTRUCTIBLE == 0)
    elsewhere = (o.zone != b.BATTLEFIELD) & (o.zone != b.NOWHERE)
    playing = p.flags & b.IN_GAME != 0
    applies = (
        creature & (toughness <= 0),
        creature & lethal,
        (o.kind == b.TOKEN) & elsewhere,
        playing & (p.life <= 0),
        playing & (p.poison >= 10),
    )
    return {rule: int(np.count_nonzero(it)) for rule, it in zip(SUBSET, applies, strict=True)}


def compiled_c(folder: Path) -> ctypes.CDLL | None:
    """Compile the loop in C, if there is a compiler."""
    library = folder / "loop.so"
    words = ("BATTLEFIELD", "NOWHERE", "TOKEN", "PHASED_OUT", "CREATURE", "INDESTRUCTIBLE", "IN_GAME")
    options = ["-O3", "-march=native", "-shared", "-fPIC", *(f"-D{word}={getattr(b, word)}" for word in words)]
    try:
        subprocess.run(["cc", *options, "-o", library, HERE / "loop.c"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return ctypes.CDLL(str(library))


def with_c(library: ctypes.CDLL, boards: headjudge.Boards) -> Found:
    """Judge the subset with the loop in C."""
    o, p = boards.objects, boards.players
    of_objects = (
        o.zone,
        o.kind,
        o.flags,
        o.types,
        o.keywords,
        o.toughness,
        o.plus_counters,
        o.minus_counters,
        o.damage,
    )
    found = np.zeros(len(SUBSET), np.int64)
    for function, columns in (("judge_objects", of_objects), ("judge_players", (p.flags, p.life, p.poison))):
        addresses: Iterator[Any] = (ctypes.c_void_p(column.ctypes.data) for column in (*columns, found))
        getattr(library, function)(ctypes.c_int64(len(columns[0])), *addresses)
    return dict(zip(SUBSET, found.tolist(), strict=True))


def with_polars(objects: pl.DataFrame, players: pl.DataFrame) -> Found:
    """Judge the subset with Polars."""
    toughness = pl.col("toughness").fill_null(0) + pl.col("plus_counters") - pl.col("minus_counters")
    creature = pl.col("battlefield") & pl.col("creature")
    lethal = (toughness > 0) & (pl.col("damage") >= toughness) & ~pl.col("indestructible")
    of_objects = (creature & (toughness <= 0), creature & lethal, pl.col("token") & ~pl.col("battlefield"))
    of_players = (pl.col("life") <= 0, pl.col("poison") >= 10)
    found: Found = {}
    for frame, rules, predicates in ((objects, SUBSET[:3], of_objects), (players, SUBSET[3:], of_players)):
        found |= frame.select(**{n: p.sum() for n, p in zip(rules, predicates, strict=True)}).row(0, named=True)
    return found


def with_duckdb(connection: duckdb.DuckDBPyConnection) -> Found:
    """Judge the subset with DuckDB."""
    creature = f"battlefield and creature and {TOUGHNESS}"
    of_objects = (
        f"{creature} <= 0",
        f"{creature} > 0 and damage >= {TOUGHNESS} and not indestructible",
        "token and not battlefield",
    )
    found: Found = {}
    for table, rules, predicates in (
        ("objects", SUBSET[:3], of_objects),
        ("players", SUBSET[3:], ("life <= 0", "poison >= 10")),
    ):
        counts = ", ".join(f"count(*) filter (where {predicate})" for predicate in predicates)
        row = connection.execute(f"select {counts} from {table}").fetchone()
        assert row is not None
        found |= dict(zip(rules, row, strict=True))
    return found


def frames(boards: headjudge.Boards) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return objects and players with what queries need, words already looked up."""
    o, p = boards.objects, boards.players
    objects = pl.DataFrame(
        {
            "battlefield": (o.zone == b.BATTLEFIELD) & (o.flags & b.PHASED_OUT == 0),
            "token": (o.kind == b.TOKEN) & (o.zone != b.NOWHERE),
            "creature": o.types & b.CREATURE != 0,
            "indestructible": o.keywords & b.INDESTRUCTIBLE != 0,
            "toughness": pl.Series(o.toughness).replace(v.NULL, None),
            **{name: getattr(o, name) for name in ("plus_counters", "minus_counters", "damage")},
        }
    )
    playing = p.flags & b.IN_GAME != 0
    return objects, pl.DataFrame({name: getattr(p, name)[playing] for name in ("life", "poison")})


def found_by_headjudge(boards: headjudge.Boards) -> Found:
    """How often each rule of the subset applied in the first check."""
    actions = headjudge.settle(boards, threads=1, after=False).actions
    first = actions.filter(np.asarray(actions["pass"]) == 1)
    times = Counter(first["rule"].to_pylist())
    return {rule: times[rule] for rule in SUBSET}


def oracle(boards: headjudge.Boards) -> Callable[[], list[Any]]:
    """Return what settles boards with the oracle of the tests."""
    sys.path.insert(0, str(HERE.parent / "tests"))
    import oracle as plain_python
    from comparison import handles_of

    given = [record_to_mapping(record_of(boards, row), handles) for row, handles in enumerate(handles_of(boards))]
    return lambda: [plain_python.settle(mapping, None, "settle") for mapping in given]


def phase(boards: headjudge.Boards) -> tuple[Callable[[], object], Callable[[], float]]:
    """Return what loads boards into phase and has it make its check, and what tells the seconds of the checks alone."""
    from headjudge.engines import phase_state
    from headjudge.engines.lines import board_line, handles_of_ids
    from headjudge.engines.phase_worker import Table

    cards = phase_state.Cards()
    engine = cards.empty_engine()
    states = []
    for row in range(len(boards)):
        line = json.loads(board_line(record_of(boards, row), handles_of_ids(boards, row), row))
        states.append(json.dumps(phase_state.state_of(line, cards)))

    def check_only() -> float:
        games = [engine.load_game(state) for state in states]
        return seconds(lambda: [Table.settle(game, []) for game in games])

    return lambda: [Table.settle(engine.load_game(state), []) for state in states], check_only


def judging_columns(boards: headjudge.Boards, folder: Path) -> Iterator[Contender]:
    """What judges the subset."""
    objects, players = frames(boards)
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("create table objects as from objects")
    connection.execute("create table players as from players")
    subset = "five rules, one check"
    if library := compiled_c(folder):
        run = partial(with_c, library, boards)
        yield Contender("C loop", f"{subset}; cc -O3 -march=native", len(boards), run, run())
    for name, run in {
        "NumPy": partial(with_numpy, boards),
        "Polars": partial(with_polars, objects, players),
        "DuckDB": partial(with_duckdb, connection),
    }.items():
        yield Contender(name, f"{subset}; {name} {version(name.lower())}", len(boards), run, run())


def judging_all(boards: headjudge.Boards, few: headjudge.Boards) -> Iterator[Contender]:
    """What judges every rule; the slow ones judge `few` boards."""
    settle = partial(headjudge.settle, boards, threads=1, after=False)
    every = "every rule, to the fixed point"
    yield Contender("headjudge", f"{every}; who lost, what died", len(boards), settle, found_by_headjudge(boards))
    with_after = partial(headjudge.settle, boards, threads=1)
    yield Contender("headjudge, with the boards afterwards", every, len(boards), with_after)
    yield Contender("oracle", f"{every}, in plain Python", len(few), oracle(few))


def measured(states: int, few: int, repeat: int) -> list[Line]:
    """Measure everything; all judge boards that phase can express, the slow ones the first of them."""
    with open_engine("phase") as engine, tempfile.TemporaryDirectory() as folder:
        boards, _ = expressed(engine, headjudge.generate(states, seed=SEED, profile="midgame"), Counter())
        first = boards[:few]
        check, check_only = phase(first)
        phases = f"its rules, to the fixed point; {version('phase-python')}"
        found = [
            *judging_columns(boards, Path(folder)),
            *judging_all(boards, first),
            Contender("phase-python, loading the boards too", phases, few, check),
        ]
        times = in_turns([it.run for it in found], repeat)
    found.append(Contender("phase-python", phases, few, check_only))
    times.append(median(check_only() for _ in range(repeat)))
    each = {it.name: total * 1e6 / it.boards for it, total in zip(found, times, strict=True)}
    lines = [
        Line(
            it.name,
            it.what,
            it.boards,
            each[it.name],
            each[it.name] / each["headjudge"],
            it.found and sum(it.found.values()),
        )
        for it in found
    ]
    return sorted(lines, key=lambda it: it.microseconds)


def number(x: float) -> str:
    """A number with three digits that count, or all of a large one."""
    return f"{x:,.0f}" if x >= 1000 else f"{x:.3g}"


def markdown(lines: list[Line], machine: str) -> str:
    """The report as Markdown."""
    rows = [
        f"| {it.name} | {it.what} | {it.boards:,} | {number(it.microseconds)} | {number(it.ratio)} | "
        f"{'' if it.found is None else f'{it.found:,}'} |"
        for it in lines
    ]
    head = "| what | which rules | boards | µs a board | times headjudge | found in the first check |"
    return "\n".join([machine, "", head, "| --- | --- | ---: | ---: | ---: | ---: |", *rows, ""])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.comparison", description=__doc__)
    parser.add_argument("--states", type=int, default=20_000)
    parser.add_argument("--few", type=int, default=500, help="boards for what takes milliseconds a board")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--out", type=Path, help="a folder for comparison.md, comparison.json and comparison.svg")
    given = parser.parse_args()
    if find_spec("phase") is None:
        parser.error("phase-python is not installed; pip install '.[engines]'")

    machine = f"{platform.machine()}, one thread, {platform.system()}, Python {platform.python_version()}"
    machine += f"; midgame boards, seed {SEED}; median of {given.repeat}"
    lines = measured(given.states, given.few, given.repeat)
    report = markdown(lines, machine)
    print(report)
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        report = PAGE.format(report=report)
        (given.out / "comparison.md").write_text(report, encoding="utf-8")
        told = {"machine": machine, "lines": [asdict(it) for it in lines]}
        (given.out / "comparison.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        (given.out / "comparison.svg").write_text(
            bars({it.name: it.microseconds for it in lines}, "microseconds a board, one thread"), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
