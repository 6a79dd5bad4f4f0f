"""Settling batches of boards: the compiled run over chunks of states."""

from __future__ import annotations

from dataclasses import replace
from operator import gt
from threading import local
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from headjudge.aftermath import before_changes, copy_changed_columns, finish, room_for_changes
from headjudge.boards import BOARDS, Boards, empty
from headjudge.errors import DataError, RejectedBoard, check_type
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
from headjudge.kernels.screen import clear_marks_run
from headjudge.kernels.settling import settle_run
from headjudge.kernels.tables import Choices
from headjudge.result_tables import Named, Rows, commander_errors, judging_errors, later_actions, later_results, named
from headjudge.results import Resolution
from headjudge.spans import each, spans, workers
from headjudge.validation import Check

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from headjudge.boards import Problem

#: Rows that a span has room for at least; it gets twice as many whenever they do not suffice.
FIRST_ROWS: Final = 4_096


def settle(
    boards: Boards,
    choices: tuple[Choices, NDArray[np.int64]] | None = None,
    threads: int | None = None,
    after: bool = True,
    strict: bool = False,
    *,
    do: str = "settle",
    in_place: bool = False,
) -> Resolution:
    """Perform state-based actions on every board until none applies (CR 704.3), alone or inside a procedure.

    Parameters
    ----------
    boards
        The batch; it is not changed, unless `in_place`.
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
    in_place
        Write into the columns of `boards` instead of copies of them, for simulators that settle at every step: go on
        with ``boards = settle(boards, in_place=True).after``, for rows of side tables that no longer apply are dropped
        there only. Raises `DataError` if a column that settling changes is read-only, or shares memory with another.
        With `strict`, boards settled before the error stay so if it is an error in the choices.
    """
    check_type("boards", boards, isinstance(boards, Boards), BOARDS)
    paired = choices is None or (isinstance(choices, tuple) and len(choices) == 2)
    check_type("choices", choices, paired, "what choices_from_arrow(table, boards) of headjudge.io.choices returns")
    if do not in v.PROCEDURES:
        raise DataError(f"do: expected one of {', '.join(v.PROCEDURES)}, found {do!r}")
    if in_place and not after:
        raise DataError("in_place: expected after as well, for it gives the boards to go on with")
    threads = workers(threads)
    if in_place and boards.not_changeable:
        raise DataError(boards.not_changeable)
    check = Check.of(boards, threads)
    boards = boards.writeable
    reasons = rejected(boards, check)
    unreadable = check.unreadable() if after else []  # before anything is changed in place
    if choices is not None:
        reasons = commander_errors(boards, *choices) | reasons
    if strict and reasons:
        raise RejectedBoard(reasons[min(reasons)])
    results = records(RESULT, len(boards))
    needed, marked = check.needed, check.marked
    if reasons:
        refused = np.fromiter(reasons, np.int64, len(reasons))
        results["status"][refused] = b.REJECTED
        needed[refused] = marked[refused] = False
    if do != "settle":  # a procedure does something on every board
        results["next_step"] = results["priority"] = -1
        needed, marked = results["status"] != b.REJECTED, np.zeros(len(boards), np.bool_)
    settled = boards
    told: list[Named] = []
    given = before_changes(boards) if in_place else boards
    if needed.any() or (after and marked.any()):
        settled = boards if in_place else room_for_changes(boards, after)
        chosen = choices or no_choices(boards)
        code = v.PROCEDURES.index(do)

        def work(span: range) -> Named:
            if settled is not boards:
                copy_changed_columns(boards, settled, span, after)
            if after:
                clear_marks_run(settled.objects.flags, boards.objects_start, of(span, marked))
            return named(given, run(settled, *chosen, of(span, needed), results, code, stores=after))

        told = list(each(work, list(spans(boards.objects_start)), threads))
        reasons |= judging_errors(boards, results)
        if strict and reasons:
            raise RejectedBoard(next(iter(reasons.values())))
        if after:
            settled = finish(given, settled, [part.rows for part in told], results)
    if unreadable:
        settled = replace(settled, problems=(*settled.problems, *unreadable))
    return Resolution(
        later_results(given, settled, results, reasons, do != "settle"),
        later_actions(told, boards.lexicon),
        settled if after else None,
    )


def of(span: range, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the chosen ones of some states."""
    return span.start + np.flatnonzero(chosen[span.start : span.stop])


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
    return out if resolution.after is None else out | resolution.after.readable.to_arrow()


def derived(boards: Boards) -> dict[str, NDArray[Any]]:
    """Return characteristics after all effects (CR 613), one entry an object; bit masks as in the columns of objects.

    `power` and `toughness` are NULL for what is no creature.
    """
    told = records(DERIVED, len(boards.objects.zone))
    if len(boards):
        states = np.arange(len(boards))
        board = room(boards, states)._replace(derived=told)
        settle_run(boards.batch, *no_choices(boards), states, 0, b.DERIVE, board, records(RESULT, 0))
    return {name: told[name] for name in DERIVED.names or ()}


def no_choices(boards: Boards) -> tuple[Choices, NDArray[np.int64]]:
    """Return choices for boards whose players choose as they do by default."""
    return empty(Choices), np.zeros(len(boards) + 1, np.int64)


def rejected(boards: Boards, check: Check) -> dict[int, str]:
    """Return the reason of every board that cannot be judged, by row of the state."""
    problems: list[Problem] = sorted([*boards.problems, *check.problems()], key=lambda p: p.state)
    reasons: dict[int, str] = {}
    for problem in problems:
        reasons.setdefault(problem.state, problem.reason)
    return reasons


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
    stores: bool = True,
) -> Rows:
    """Settle some states in place, or carry out a procedure on them (an index of `vocabulary.PROCEDURES`).

    Settling stops after so many passes, 0 = when nothing applies. If asked for, the rows also tell what choices there
    were (`headjudge.kernels.offering`).
    """
    if not len(states):
        return Rows()
    board = room(boards, states)
    game = board.game[0]
    game["most_passes"], game["tells_offers"], game["stores"] = passes, tells_offers, stores
    first = 0
    while first < len(states):
        first = settle_run(boards.batch, choices, choices_start, states, first, do, board, results)
        if first < len(states):
            board = enlarged(board)
    return Rows(
        board.rows[: game["rows"]].copy(), board.extras[: game["extras"]].copy(), board.fixed[: game["fixed"]].copy()
    )


def enlarged(board: Board) -> Board:
    """Return the same room with room for twice as many rows, which is kept if that is and there are not too many."""
    larger = board._replace(rows=twice(board.rows), extras=twice(board.extras), fixed=twice(board.fixed))
    if getattr(_kept, "board", None) is board and len(larger.rows) <= KEPT_ROWS:
        _kept.board = larger
    return larger


def twice(array: Any) -> Any:
    """Return records with room for twice as many."""
    larger = records(array.dtype, max(1, 2 * len(array)))
    larger[: len(array)] = array
    return larger


class Sizes(NamedTuple):
    """What a board may have at most to fit into some room."""

    objects: int
    players: int
    counters: int
    keeps: int
    effects: int
    width: int  # words of a set of subtypes: not more or less


#: Each thread keeps the room for boards up to this size, for calls with few boards.
KEPT: Final = Sizes(objects=512, players=16, counters=512, keeps=512, effects=64, width=64)
KEPT_ROWS: Final = 2**18
_kept = local()


def room(boards: Boards, states: NDArray[np.int64]) -> Board:
    """Return room for the largest of the boards."""

    def most(name: str) -> int:
        start = boards.table(name)[1]
        return int((start[states + 1] - start[states]).max()) if start[-1] else 0

    needed = Sizes(
        most("objects"), most("players"), most("counters"), most("keeps"), most("effects"),
        boards.batch.lexicon.subtype_sets.shape[1],
    )  # fmt: skip
    board: Board | None = getattr(_kept, "board", None)
    if any(map(gt, needed, KEPT)):
        board = make_room(needed)
    elif board is None or board.sets.shape[1] != needed.width:
        board = _kept.board = make_room(KEPT._replace(width=needed.width))
    board.game[:] = 0
    board.game[0]["sets_matter"] = boards.lexicon.filters_name_subtypes
    return board


def make_room(most: Sizes) -> Board:
    """Return room for a board of this size."""
    objects, effects, rows = most.objects, most.effects, max(FIRST_ROWS, most.objects)
    return Board(
        game=records(GAME, 1),
        players=records(PLAYER, 2 * most.players),
        objects=records(OBJECT, 3 * objects),
        counters=records(SIDE_COUNTER, 2 * most.counters),
        keeps=records(KEEP, most.keeps),
        effects=records(EFFECT, effects),
        lists=np.zeros((4, max(effects, objects)), np.int32),
        reach=np.zeros((effects + 1, objects if effects else 0), np.bool_),
        depends=np.zeros((effects, effects), np.bool_),
        sets=np.zeros((3 * objects, most.width), np.uint64),
        slots=np.zeros(max(8, 4 * objects), np.int32),
        rows=records(ROW, rows),
        extras=records(EXTRA, rows),
        fixed=records(FIXED, rows),
        derived=records(DERIVED, 0),
    )
