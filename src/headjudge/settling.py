"""Settling batches of boards: the compiled run over chunks of states."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge.aftermath import finish, own_changed_columns
from headjudge.boards import Boards, empty
from headjudge.errors import RejectedBoard
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.board import (
    DERIVED,
    EFFECT,
    EXTRA,
    FIXED,
    GAME,
    KEEP,
    OBJECT,
    PLAYER,
    RESULT,
    ROW,
    SIDE_COUNTER,
    Board,
    records,
)
from headjudge.kernels.settling import derive_run, settle_run
from headjudge.kernels.tables import Choices
from headjudge.result_tables import Rows, actions_table, choice_errors, results_table
from headjudge.results import Resolution
from headjudge.validation import validate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from headjudge.boards import Problem

#: Objects that one thread settles in one go: rows and records of a chunk fit the cache of a core.
CHUNK_OBJECTS: Final = 65_536
#: Rows that a chunk has room for at first; it gets twice as many whenever they do not suffice.
FIRST_ROWS: Final = 4_096


def settle(
    boards: Boards,
    choices: tuple[Choices, NDArray[np.int64]] | None = None,
    threads: int | None = None,
    after: bool = True,
    strict: bool = False,
) -> Resolution:
    """Perform state-based actions on every board until none applies (CR 704.3).

    Parameters
    ----------
    boards
        The batch; it is not changed.
    choices
        What players choose, as columns and the first row of each state (`headjudge.io.choices`); otherwise the defaults.
    threads
        How many threads work on it; by default as many as there are processors. The answer does not depend on it.
    after
        Whether to return the boards afterwards.
    strict
        Raise `RejectedBoard` at the first board that cannot be judged, rather than setting it aside as `rejected`.
    """
    threads = threads or os.cpu_count() or 1
    reasons = rejected(boards, threads)
    if strict and reasons:
        raise RejectedBoard(next(iter(reasons.values())))
    settled = own_changed_columns(boards)
    columns, starts = choices or no_choices(boards)
    results = records(RESULT, len(boards))
    results.next_step = -1
    results.priority = -1
    results.reason_object = -1
    for state in reasons:
        results[state].status = b.REJECTED

    def work(span: range) -> Rows:
        states = np.arange(span.start, span.stop)
        return run(settled, columns, starts, states[results.status[states] != b.REJECTED], results)

    rows = Rows.concat(list(each(work, chunks(boards.objects_start), threads)))
    reasons |= choice_errors(boards, results)
    if strict and reasons:
        raise RejectedBoard(next(iter(reasons.values())))
    settled = finish(settled, rows.fixed)
    return Resolution(
        results_table(boards, settled, results, reasons), actions_table(boards, rows), settled if after else None
    )


def settle_arrow(
    tables: Mapping[str, pa.Table],
    choices: pa.Table | None = None,
    threads: int | None = None,
    after: bool = True,
    strict: bool = False,
) -> dict[str, pa.Table]:
    """Do the same with Arrow tables: `results`, `actions` and, named as they came, the tables of the boards afterwards."""
    from headjudge.io.choices import choices_from_arrow

    boards = Boards.from_arrow(tables)
    chosen = None if choices is None else choices_from_arrow(choices, boards)
    resolution = settle(boards, chosen, threads, after, strict)
    out = {"results": resolution.results, "actions": resolution.actions}
    return out if resolution.after is None else out | resolution.after.to_arrow()


def derived(boards: Boards) -> dict[str, NDArray[Any]]:
    """Return characteristics after all effects (CR 613), one entry an object; bit masks as in the columns of objects.

    `power` and `toughness` are NULL for what is no creature.
    """
    records_ = records(DERIVED, len(boards.objects.zone))
    if len(boards):
        states = np.arange(len(boards))
        derive_run(boards.batch, *no_choices(boards), states, room(boards, states), records_)
    return {name: records_[name] for name in DERIVED.names or ()}


def no_choices(boards: Boards) -> tuple[Choices, NDArray[np.int64]]:
    """Return choices for boards whose players choose as they do by default."""
    return empty(Choices), np.zeros(len(boards) + 1, np.int64)


def rejected(boards: Boards, threads: int) -> dict[int, str]:
    """Return the reason of every board that cannot be judged, by row of the state."""
    problems: list[Problem] = sorted([*boards.problems, *validate(boards, threads)], key=lambda p: p.state)
    reasons: dict[int, str] = {}
    for problem in problems:
        reasons.setdefault(problem.state, problem.reason)
    return reasons


def chunks(objects_start: NDArray[np.int64]) -> Iterator[range]:
    """Yield spans of states with about CHUNK_OBJECTS objects each."""
    states = len(objects_start) - 1
    start = 0
    while start < states:
        stop = int(np.searchsorted(objects_start, objects_start[start] + CHUNK_OBJECTS, "right")) - 1
        stop = min(max(stop, start + 1), states, start + CHUNK_OBJECTS)
        yield range(start, stop)
        start = stop


def each(work: Callable[[range], Rows], spans: Iterator[range], threads: int) -> Iterator[Rows]:
    """Do the work on every span, on several threads; the results come in order."""
    if threads == 1:
        yield from map(work, spans)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, spans)


def run(
    boards: Boards, choices: Choices, choices_start: NDArray[np.int64], states: NDArray[np.int64], results: Any
) -> Rows:
    """Settle some states in place."""
    if not len(states):
        return Rows()
    board = room(boards, states)
    first = 0
    while first < len(states):
        first = settle_run(boards.batch, choices, choices_start, states, first, board, results)
        if first < len(states):
            board = board._replace(rows=twice(board.rows), extras=twice(board.extras), fixed=twice(board.fixed))
    game = board.game[0]
    return Rows(board.rows[: game.rows], board.extras[: game.extras], board.fixed[: game.fixed])


def twice(array: Any) -> Any:
    """Return records with room for twice as many."""
    larger = records(array.dtype, max(1, 2 * len(array)))
    larger[: len(array)] = array
    return larger


def room(boards: Boards, states: NDArray[np.int64]) -> Board:
    """Return room for the largest of the boards."""

    def most(name: str) -> int:
        start = boards.table(name)[1]
        return int((start[states + 1] - start[states]).max())

    objects = most("objects")
    players = most("players")
    counters = most("counters")
    effects = most("effects")
    width = boards.batch.lexicon.subtype_sets.shape[1]
    board = Board(
        game=records(GAME, 1),
        players=records(PLAYER, players),
        objects=records(OBJECT, objects),
        counters=records(SIDE_COUNTER, counters),
        keeps=records(KEEP, most("keeps")),
        effects=records(EFFECT, effects),
        order=np.zeros(effects, np.int32),
        reach=np.zeros((effects + 2, objects if effects else 0), np.bool_),
        queue=np.zeros(effects, np.int32),
        bestowed=np.zeros(objects if effects else 0, np.int32),
        depends=np.zeros((effects, effects), np.bool_),
        trial=records(OBJECT, objects if effects else 0),
        trial_sets=np.zeros((objects if effects else 0, width), np.uint64),
        sets=np.zeros((objects, width), np.uint64),
        slots=np.zeros(max(8, 4 * objects), np.int32),
        rows=records(ROW, FIRST_ROWS),
        extras=records(EXTRA, FIRST_ROWS),
        fixed=records(FIXED, FIRST_ROWS if effects else 0),
        snapshot=records(OBJECT, objects),
        snapshot_players=records(PLAYER, players),
        snapshot_counters=records(SIDE_COUNTER, counters),
    )
    subtypes = v.mask(v.FILTER_CONDITIONS, ("subtypes", "any_subtypes", "not_subtypes"))
    board.game[0].sets_matter = bool((boards.batch.lexicon.filters["conditions"] & subtypes).any())
    return board
