"""Records that the kernels wrote, as the tables `results` and `actions`."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.board import EXTRA, FIXED, ROW
from headjudge.kernels.catalogue import NAMES
from headjudge.results import ACTIONS, RESULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from headjudge.boards import Boards, Start
    from headjudge.kernels.tables import Choices
    from headjudge.lexicon import Lexicon

REASONS: Final = {
    b.TWO_KEPT: ("choices", "keep: two objects of one group are kept, expected one"),
    b.PROTECTOR_NOT_ON_OFFER: ("choices", "protector: the chosen player may not be its protector"),
    b.NO_COMMANDER: ("choices", "command_zone: it is no commander"),
    b.PARTS_GO_APART: (
        "objects",
        "components: its cards and tokens go to different zones, which one row cannot say",
    ),
    b.BEYOND_TIMES: ("objects", "timestamp: expected a number from -2**62 to 2**62"),
    b.BEYOND_NUMBERS: ("objects", f"power and toughness: effects make them larger than {b.MOST_POWER:,}"),
}


class Rows(NamedTuple):
    """Rows of `actions` as records, the counters without a column beside them, and what effects are fixed to."""

    rows: Any = np.zeros(0, ROW)
    extras: Any = np.zeros(0, EXTRA)
    fixed: Any = np.zeros(0, FIXED)

    @classmethod
    def concat(cls, parts: Sequence[Rows]) -> Rows:
        """Return the rows of all parts, in order."""
        if not parts:
            return cls()
        before = np.cumsum([0, *(len(p.rows) for p in parts)])
        extras = [p.extras.copy() for p in parts]
        for part, n in zip(extras, before, strict=False):
            part["row"] += n
        return cls(
            np.concatenate([p.rows for p in parts]), np.concatenate(extras), np.concatenate([p.fixed for p in parts])
        )


def judging_errors(boards: Boards, results: Any) -> dict[int, str]:
    """Return the reason of every board that was rejected while it was judged."""
    return {
        state: _reason(boards, state, int(results[state]["reason_object"]), int(results[state]["reason"]))
        for state in np.flatnonzero(results["reason"] != b.NO_REASON).tolist()
    }


def commander_errors(boards: Boards, choices: Choices, start: Start) -> dict[int, str]:
    """Return the reason of every board where something else than a commander is sent to the command zone."""
    asked = np.flatnonzero(choices.choice == b.CHOOSE_COMMAND_ZONE)
    state = np.searchsorted(start, asked, "right") - 1
    row = choices.subject[asked]
    wrong = boards.objects.flags[boards.objects_start[state] + row] & b.IS_COMMANDER == 0
    pairs = zip(state[wrong].tolist(), row[wrong].tolist(), strict=True)
    return {state: _reason(boards, state, row, b.NO_COMMANDER) for state, row in pairs}


def _reason(boards: Boards, state: int, row: int, reason: int) -> str:
    state_id, object_id = boards.states.state_id[state], boards.objects.object_id[boards.objects_start[state] + row]
    table, text = REASONS[reason]
    return f"{table} of state_id {state_id}, object_id {object_id}, {text}"


def later_results(
    boards: Boards, after: Boards, results: Any, reasons: Mapping[int, str], by_procedure: bool
) -> Callable[[], pa.Table]:
    """Return what makes the table `results` when it is asked for, whatever becomes of the boards until then."""
    start = boards.players_start.copy()
    lost, won = np.zeros((2, len(boards.players.flags)), np.bool_)
    if after is not boards:
        is_in = after.players.flags & b.IN_GAME != 0
        lost = (boards.players.flags & b.IN_GAME != 0) & ~is_in
        if (results["outcome"] == b.WIN).any():
            state_of = np.repeat(np.arange(len(boards)), np.diff(start))
            team = boards.players.team
            winning = np.full(len(boards), np.iinfo(np.int32).min, np.int64)
            winning[state_of[is_in]] = team[is_in]
            won = (results["outcome"][state_of] == b.WIN) & (winning[state_of] == team)
    state_id = boards.states.state_id.copy()
    return partial(results_table, state_id, start, lost, won, results, reasons, by_procedure)


def outcome_of(result: Mapping[str, Any]) -> str | dict[str, list[int]]:
    """Return the outcome in a row of `results` as scenarios write it: a word, or ``{"win": [seats]}``."""
    outcome: str = result["outcome"]
    return {"win": result["winners"]} if outcome == "win" else outcome


def can_move(rule: Any, amount: Any) -> Any:
    """Whether an action of a rule, by its code, moves its object if nothing keeps it: not where a protector is found.

    Of one row or of columns of them.
    """
    finds = (np.int64(b.NO_PROTECTOR) >> rule & 1 == 1) & (amount != v.NULL)
    return (np.int64(b.MOVES) >> rule & 1 == 1) & ~finds


def results_table(
    state_id: NDArray[np.int64],
    players_start: Start,
    lost: NDArray[np.bool_],
    won: NDArray[np.bool_],
    results: Any,
    reasons: Mapping[int, str],
    by_procedure: bool,
) -> pa.Table:
    """Return the table `results`."""
    columns = [
        pa.array(state_id),
        pa.array(results["passes"]),
        pa.array(results["rows"]),
        words(v.OUTCOMES, results["outcome"]),
        seats(won, players_start),
        seats(lost, players_start),
        words(v.STATUSES, results["status"]),
        texts(len(state_id), reasons),
        words(v.STEPS, results["next_step"] if by_procedure else np.full(len(state_id), -1, np.int8)),
        pa.array(results["priority"] == 1, mask=results["priority"] < 0)
        if by_procedure
        else pa.nulls(len(state_id), pa.bool_()),
    ]
    return pa.Table.from_arrays(columns, schema=RESULTS)


def texts(rows: int, by_row: Mapping[int, str]) -> pa.Array:
    """Return a column of texts of which few are not null."""
    if not by_row:
        return pa.nulls(rows, pa.string())
    column = np.full(rows, None, object)
    for row, text in by_row.items():
        column[row] = text
    return pa.array(column, pa.string())


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


class Named(NamedTuple):
    """What boards say of the rows of `actions`; 0 of objects where a row is about none."""

    rows: Rows = Rows()
    state_id: NDArray[np.int64] = np.zeros(0, np.int64)
    object_id: NDArray[np.int32] = np.zeros(0, np.int32)
    name: NDArray[np.int32] = np.zeros(0, np.int32)
    owner: NDArray[np.int16] = np.zeros(0, np.int16)
    amount: NDArray[np.int32] = np.zeros(0, np.int32)

    @classmethod
    def concat(cls, parts: Sequence[Named]) -> Named:
        """Return all parts, in order."""
        if not parts:
            return cls()
        rows, *columns = zip(*parts, strict=True)
        return cls(Rows.concat(rows), *map(np.concatenate, columns))


def named(boards: Boards, rows: Rows) -> Named:
    """Return rows with what boards say of them."""
    r = rows.rows
    is_object = r["object"] >= 0
    index = np.where(is_object, boards.objects_start[r["state"]] + r["object"], 0)

    def of_object(column: NDArray[Any]) -> NDArray[Any]:
        return column[index] if len(column) else np.zeros(len(index), column.dtype)

    # An umbra is named by its row so far.
    umbra = (r["rule"] == b.UMBRA_ARMOR_USED) & is_object
    amount = r["amount"].copy()
    amount[umbra] = boards.objects.object_id[boards.objects_start[r["state"][umbra]] + amount[umbra]]
    # Likewise an effect.
    effect = r["rule"] == b.EFFECT_EXPIRES
    amount[effect] = boards.effects.effect_id[boards.effects_start[r["state"][effect]] + amount[effect]]
    return Named(
        rows,
        boards.states.state_id[r["state"]],
        of_object(boards.objects.object_id),
        of_object(boards.objects.name),
        of_object(boards.objects.owner),
        amount,
    )


def later_actions(parts: Sequence[Named], lexicon: Lexicon) -> Callable[[], pa.Table]:
    """Return what makes the table `actions` when it is asked for."""
    return lambda: actions_table(Named.concat(parts), lexicon)


def actions_table(named: Named, lexicon: Lexicon) -> pa.Table:
    """Return the table `actions`."""
    r = named.rows.rows
    is_object = r["object"] >= 0
    name = np.where(is_object, named.name, v.NAMELESS)
    columns = {
        "state_id": pa.array(named.state_id),
        "pass": pa.array(r["pass_"]),
        "rule": words(NAMES, r["rule"]),
        "kind": words(v.ROW_KINDS, r["kind"]),
        "object_id": pa.array(named.object_id, mask=~is_object),
        "seat": numbers(r["seat"], np.int16, v.NO_SEAT),
        "from_zone": words(v.ZONES, r["from_zone"]),
        "to_zone": words(v.ZONES, r["to_zone"]),
        "amount": numbers(named.amount, np.int32, v.NULL),
        "replaced_by": words(v.REPLACEMENTS, r["replaced_by"]),
        "name": pa.DictionaryArray.from_arrays(
            pa.array(name, mask=name == v.NAMELESS), pa.array(lexicon.names, pa.string())
        ),
        "controller": numbers(r["controller"], np.int16, v.NO_SEAT),
        "owner": pa.array(named.owner, mask=~is_object),
        **{column: numbers(r[column], np.int64, v.NULL) for column in ("power", "toughness")},
        **{column: numbers(r[column], np.int32, v.NULL) for column in ("damage", *v.COUNTER_COLUMNS)},
        "other_counters": other_counters(named.rows, lexicon.counter_kinds),
    }
    return pa.Table.from_arrays([columns[field.name] for field in ACTIONS], schema=ACTIONS)


def other_counters(rows: Rows, counter_kinds: Sequence[str]) -> pa.Array:
    """Return the counters of kinds without a column as JSON texts."""
    counters: dict[int, dict[str, int]] = {}
    for row, kind, count in rows.extras.tolist():
        counters.setdefault(row, {})[counter_kinds[kind]] = count
    return texts(
        len(rows.rows),
        {row: json.dumps(found, ensure_ascii=False, sort_keys=True) for row, found in counters.items()},
    )
