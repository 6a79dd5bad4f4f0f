"""Settling batches of boards: the compiled run over chunks of states."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from headjudge.aftermath import copy_changed_columns, finish, room_for_changes
from headjudge.boards import Boards, empty
from headjudge.errors import DataError, RejectedBoard
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
from headjudge.kernels.screen import clear_marks_run, screen_run
from headjudge.kernels.settling import derive_run, settle_run
from headjudge.kernels.tables import Choices
from headjudge.result_tables import Rows, actions_table, choice_errors, commander_errors, results_table
from headjudge.results import Resolution
from headjudge.validation import validate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from headjudge.boards import Problem

T = TypeVar("T")
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
    *,
    do: str = "settle",
) -> Resolution:
    """Perform state-based actions on every board until none applies (CR 704.3), alone or inside a procedure.

    Parameters
    ----------
    boards
        The batch; it is not changed.
    choices
        What players choose, as columns and the first row of each state (`headjudge.io.choices`); else the defaults.
    threads
        How many threads work on it; by default as many as there are processors. The answer does not depend on it.
    after
        Whether to return the boards afterwards.
    strict
        Raise `RejectedBoard` at the first board that cannot be judged, rather than setting it aside as `rejected`.
    do
        ``settle``, or a procedure: ``end_turn``, ``end_combat_phase``, ``cleanup`` (`headjudge.procedures`).
    """
    if do not in v.PROCEDURES:
        raise DataError(f"do: expected one of {', '.join(v.PROCEDURES)}, found {do!r}")
    code = v.PROCEDURES.index(do)
    threads = threads or os.cpu_count() or 1
    reasons = rejected(boards, threads)
    if choices is not None:
        reasons = commander_errors(boards, *choices) | reasons
    if strict and reasons:
        raise RejectedBoard(reasons[min(reasons)])
    results = records(RESULT, len(boards))
    results.next_step = -1
    results.priority = -1
    results.reason_object = -1
    refused = np.fromiter(reasons, np.int64, len(reasons))
    results.status[refused] = b.REJECTED
    spans = list(chunks(boards.objects_start))
    if do == "settle":
        needed, marked = screen(boards, spans, refused, threads)
    else:  # a procedure does something on every board
        needed, marked = results.status != b.REJECTED, np.zeros(len(boards), np.bool_)
    settled = boards
    rows = Rows()
    if needed.any() or marked.any():
        settled = room_for_changes(boards)
        chosen = choices or no_choices(boards)

        def work(span: range) -> Rows:
            copy_changed_columns(boards, settled, span)
            clear_marks_run(
                settled.objects.flags, boards.objects_start, span.start + np.flatnonzero(marked[slice_of(span)])
            )
            return run(settled, *chosen, span.start + np.flatnonzero(needed[slice_of(span)]), results, code)

        rows = Rows.concat(list(each(work, spans, threads)))
        reasons |= choice_errors(boards, results)
        if strict and reasons:
            raise RejectedBoard(next(iter(reasons.values())))
        settled = finish(settled, rows.fixed)
    return Resolution(
        results_table(boards, settled, results, reasons), actions_table(boards, rows), settled if after else None
    )


def slice_of(span: range) -> slice:
    """Return a span of states as a slice."""
    return slice(span.start, span.stop)


def screen(
    boards: Boards, spans: Sequence[range], refused: NDArray[np.int64], threads: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which boards have to be settled, and on which others the check clears marks and does nothing else."""
    limits = np.diff(boards.lexicon.tables.limit_start) > 0
    limits = limits if limits.any() else limits[:0]
    needed = np.zeros(len(boards), np.bool_)
    marked = np.zeros(len(boards), np.bool_)

    def look(span: range) -> None:
        first, last = boards.objects_start[span.start], boards.objects_start[span.stop]
        found = np.empty(last - first, np.uint8)
        with np.errstate(over="ignore"):  # boards that were refused may hold any number
            screen_run(boards.batch, span.start, span.stop, found, limits, needed, marked)

    for _ in each(look, spans, threads):
        pass
    needed[refused] = False
    marked[refused] = False
    return needed, marked


def settle_arrow(
    tables: Mapping[str, pa.Table],
    choices: pa.Table | None = None,
    threads: int | None = None,
    after: bool = True,
    strict: bool = False,
    *,
    do: str = "settle",
) -> dict[str, pa.Table]:
    """Do the same with Arrow tables: `results`, `actions` and the tables of the boards afterwards."""
    from headjudge.io.choices import choices_from_arrow

    boards = Boards.from_arrow(tables)
    chosen = None if choices is None else choices_from_arrow(choices, boards)
    resolution = settle(boards, chosen, threads, after, strict, do=do)
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


def each(work: Callable[[range], T], spans: Sequence[range], threads: int) -> Iterator[T]:
    """Do the work on every span, on several threads; the results come in order."""
    if threads == 1 or len(spans) == 1:
        yield from map(work, spans)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, spans)


def run(
    boards: Boards,
    choices: Choices,
    choices_start: NDArray[np.int64],
    states: NDArray[np.int64],
    results: Any,
    do: int,
    *,
    passes: int = 0,
    tells_offers: bool = False,
) -> Rows:
    """Settle some states in place, or carry out a procedure on them (an index of `vocabulary.PROCEDURES`).

    Settling stops after so many passes, 0 = when nothing applies. If asked for, the rows also tell what choices there
    were (`headjudge.kernels.offering`).
    """
    if not len(states):
        return Rows()
    board = room(boards, states)
    board.game[0].most_passes = passes
    board.game[0].tells_offers = tells_offers
    first = 0
    while first < len(states):
        first = settle_run(boards.batch, choices, choices_start, states, first, do, board, results)
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
    effects = most("effects")
    width = boards.batch.lexicon.subtype_sets.shape[1]
    board = Board(
        game=records(GAME, 1),
        players=records(PLAYER, 2 * players),
        objects=records(OBJECT, 3 * objects),
        counters=records(SIDE_COUNTER, 2 * most("counters")),
        keeps=records(KEEP, most("keeps")),
        effects=records(EFFECT, effects),
        lists=np.zeros((3, max(effects, objects) if effects else 0), np.int32),
        reach=np.zeros((effects + 2, objects if effects else 0), np.bool_),
        depends=np.zeros((effects, effects), np.bool_),
        sets=np.zeros((3 * objects, width), np.uint64),
        slots=np.zeros(max(8, 4 * objects), np.int32),
        rows=records(ROW, FIRST_ROWS),
        extras=records(EXTRA, FIRST_ROWS),
        fixed=records(FIXED, FIRST_ROWS if effects else 0),
    )
    subtypes = v.mask(v.FILTER_CONDITIONS, ("subtypes", "any_subtypes", "not_subtypes"))
    board.game[0].sets_matter = bool((boards.batch.lexicon.filters["conditions"] & subtypes).any())
    return board
