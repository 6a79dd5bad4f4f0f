"""Settling batches of boards: the compiled run over chunks of states, and its rows as tables."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from headjudge.boards import Boards, empty
from headjudge.errors import RejectedBoard
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.board import (
    DERIVED,
    EFFECT,
    EXTRA,
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
from headjudge.kernels.catalogue import NAMES
from headjudge.kernels.settling import derive_run, settle_run
from headjudge.kernels.tables import Choices
from headjudge.results import ACTIONS, RESULTS, Resolution
from headjudge.validation import validate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from headjudge.boards import Problem

#: Objects that one thread settles in one go: rows and records of a chunk fit the cache of a core.
CHUNK_OBJECTS: Final = 65_536
#: Rows that a chunk has room for at first; it gets twice as many whenever they do not suffice.
FIRST_ROWS: Final = 4_096
#: The columns of each table that settling changes; `after` shares all others with the input.
CHANGED: Final = {
    "states": ("planar_controller",),
    "players": ("life", "speed", "flags"),
    "objects": (
        "zone", "controller", "flags", "damage", "attached_to", "attacking", "plus_counters", "minus_counters",
        "loyalty", "defense", "lore", "shield", "finality", "regeneration", "protector", "sector",
    ),
    "counters": ("count",),
    "keeps": ("object",),
    "world_since": ("object",),
}  # fmt: skip
REASONS: Final = {
    b.TWO_KEPT: "keep: two objects of one group are kept, expected one",
    b.PROTECTOR_NOT_ON_OFFER: "protector: the chosen player may not be its protector",
    b.NO_COMMANDER: "command_zone: it is no commander",
}


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
    settled = drop_gone(settled)
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


class Rows(NamedTuple):
    """Rows of `actions` as records, and the counters without a column beside them."""

    rows: Any  # ROW
    extras: Any  # EXTRA

    @classmethod
    def concat(cls, parts: Sequence[Rows]) -> Rows:
        """Return the rows of all parts, in order."""
        if not parts:
            return cls(np.zeros(0, ROW), np.zeros(0, EXTRA))
        before = np.cumsum([0, *(len(p.rows) for p in parts)])
        extras = [p.extras.copy() for p in parts]
        for part, n in zip(extras, before, strict=False):
            part["row"] += n
        return cls(np.concatenate([p.rows for p in parts]), np.concatenate(extras))


def rejected(boards: Boards, threads: int) -> dict[int, str]:
    """Return the reason of every board that cannot be judged, by row of the state."""
    problems: list[Problem] = sorted([*boards.problems, *validate(boards, threads)], key=lambda p: p.state)
    reasons: dict[int, str] = {}
    for problem in problems:
        reasons.setdefault(problem.state, problem.reason)
    return reasons


def own_changed_columns(boards: Boards) -> Boards:
    """Return the boards with copies of the columns that settling changes."""
    tables: dict[str, Any] = {}
    changed = dict(CHANGED)
    if len(boards.components.object):
        changed["components"] = ("object",)
        changed["objects"] += ("name", "kind", "owner")
    for name, columns in changed.items():
        table = getattr(boards, name)
        tables[name] = table._replace(**{column: getattr(table, column).copy() for column in columns})
    return replace(boards, problems=(), **tables)


def drop_gone(boards: Boards) -> Boards:
    """Return the boards without the rows of side tables that no longer apply."""
    tables: dict[str, Any] = {}
    for name, keep in (
        ("counters", boards.counters.count != 0),
        ("keeps", boards.keeps.object != b.GONE),
        ("world_since", boards.world_since.object != b.GONE),
        ("components", boards.components.object != b.GONE),
    ):
        if not keep.all():
            table, start = boards.table(name)
            before = np.concatenate((np.zeros(1, np.int64), np.cumsum(keep)))
            tables[name] = type(table)(*(column[keep] for column in table))
            tables[f"{name}_start"] = before[start]
    return replace(boards, **tables) if tables else boards


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
        return Rows(np.zeros(0, ROW), np.zeros(0, EXTRA))
    board = room(boards, states)
    first = 0
    while first < len(states):
        first = settle_run(boards.batch, choices, choices_start, states, first, board, results)
        if first < len(states):
            board = board._replace(rows=twice(board.rows), extras=twice(board.extras))
    game = board.game[0]
    return Rows(board.rows[: game.rows], board.extras[: game.extras])


def twice(array: Any) -> Any:
    """Return records with room for twice as many."""
    larger = records(array.dtype, 2 * len(array))
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
        snapshot=records(OBJECT, objects),
        snapshot_players=records(PLAYER, players),
        snapshot_counters=records(SIDE_COUNTER, counters),
    )
    subtypes = v.mask(v.FILTER_CONDITIONS, ("subtypes", "any_subtypes", "not_subtypes"))
    board.game[0].sets_matter = bool((boards.batch.lexicon.filters["conditions"] & subtypes).any())
    return board


def choice_errors(boards: Boards, results: Any) -> dict[int, str]:
    """Return the reason of every board that was rejected while it was judged."""
    reasons = {}
    for state in np.flatnonzero(results.reason != b.NO_REASON).tolist():
        row = int(boards.objects_start[state]) + int(results[state].reason_object)
        state_id, object_id = int(boards.states.state_id[state]), int(boards.objects.object_id[row])
        reasons[state] = f"choices of state_id {state_id}, object_id {object_id}, {REASONS[int(results[state].reason)]}"
    return reasons


def results_table(boards: Boards, after: Boards, results: Any, reasons: Mapping[int, str]) -> pa.Table:
    """Return the table `results`."""
    was_in = boards.players.flags & b.IN_GAME != 0
    is_in = after.players.flags & b.IN_GAME != 0
    start = boards.players_start
    state_of = np.repeat(np.arange(len(boards)), np.diff(start))
    lost = was_in & ~is_in
    won = np.zeros(len(lost), np.bool_)
    if (results.outcome == b.WIN).any():
        team = boards.players.team
        winning = np.full(len(boards), np.iinfo(np.int32).min, np.int64)
        winning[state_of[is_in]] = team[is_in]
        won = (results.outcome[state_of] == b.WIN) & (winning[state_of] == team)
    reason = np.full(len(boards), None, object)
    for state, text in reasons.items():
        reason[state] = text
    columns = [
        pa.array(boards.states.state_id),
        pa.array(results.passes),
        pa.array(results.rows),
        words(v.OUTCOMES, results.outcome),
        seats(won, start),
        seats(lost, start),
        words(v.STATUSES, results.status),
        pa.array(reason, pa.string()),
        words(v.STEPS, results.next_step),
        pa.array(results.priority == 1, mask=results.priority < 0),
    ]
    return pa.Table.from_arrays(columns, schema=RESULTS)


def seats(chosen: NDArray[np.bool_], start: NDArray[np.int64]) -> pa.Array:
    """Return the chosen seats of each state as lists."""
    before = np.concatenate((np.zeros(1, np.int32), np.cumsum(chosen, dtype=np.int32)))
    rows = np.flatnonzero(chosen)
    state_of = np.searchsorted(start, rows, "right") - 1
    return pa.ListArray.from_arrays(pa.array(before[start]), pa.array((rows - start[state_of]).astype(np.int16)))


def words(known: tuple[str, ...], codes: NDArray[Any]) -> pa.Array:
    """Return codes as a dictionary array; negative ones are null."""
    codes = codes.astype(np.int8)
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(known))


def numbers(column: NDArray[Any], dtype: type, null: int) -> pa.Array:
    """Return numbers with nulls."""
    return pa.array(column.astype(dtype), mask=column == null)


def actions_table(boards: Boards, rows: Rows) -> pa.Table:
    """Return the table `actions`."""
    r = rows.rows
    is_object = r["object"] >= 0
    index = np.where(is_object, boards.objects_start[r["state"]] + r["object"], 0)

    def of_object(column: NDArray[Any]) -> NDArray[Any]:
        return column[index] if len(column) else np.zeros(len(index), column.dtype)

    # An umbra is named by its row so far.
    umbra = (r["rule"] == b.UMBRA_ARMOR_USED) & is_object
    amount = r["amount"].copy()
    amount[umbra] = boards.objects.object_id[boards.objects_start[r["state"][umbra]] + amount[umbra]]
    name = np.where(is_object, of_object(boards.objects.name), v.NAMELESS)
    columns = {
        "state_id": pa.array(boards.states.state_id[r["state"]]),
        "pass": pa.array(r["pass_"]),
        "rule": words(NAMES, r["rule"]),
        "kind": words(v.ROW_KINDS, r["kind"]),
        "object_id": pa.array(of_object(boards.objects.object_id), mask=~is_object),
        "seat": numbers(r["seat"], np.int16, v.NO_SEAT),
        "from_zone": words(v.ZONES, r["from_zone"]),
        "to_zone": words(v.ZONES, r["to_zone"]),
        "amount": numbers(amount, np.int32, v.NULL),
        "replaced_by": words(v.REPLACEMENTS, r["replaced_by"]),
        "name": pa.DictionaryArray.from_arrays(
            pa.array(name, mask=name == v.NAMELESS), pa.array(boards.lexicon.names, pa.string())
        ),
        "controller": numbers(r["controller"], np.int16, v.NO_SEAT),
        "owner": pa.array(of_object(boards.objects.owner), mask=~is_object),
        **{
            column: numbers(r[column], np.int32, v.NULL)
            for column in ("power", "toughness", "damage", *v.COUNTER_COLUMNS)
        },
        "other_counters": other_counters(boards, rows),
    }
    return pa.Table.from_arrays([columns[field.name] for field in ACTIONS], schema=ACTIONS)


def other_counters(boards: Boards, rows: Rows) -> pa.Array:
    """Return the counters of kinds without a column as JSON texts."""
    texts: dict[int, dict[str, int]] = {}
    for row, kind, count in rows.extras.tolist():
        texts.setdefault(row, {})[boards.lexicon.counter_kinds[kind]] = count
    column = np.full(len(rows.rows), None, object)
    for row, counters in texts.items():
        column[row] = json.dumps(counters, ensure_ascii=False, sort_keys=True)
    return pa.array(column, pa.string())
