"""The same boards settled by the kernels and by the oracle, and where the two differ."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

import oracle
from headjudge.boards import Boards
from headjudge.full_result import FullResult, derived_records, effect_names
from headjudge.io.board_records import player_records
from headjudge.io.scenario_reading import default_effect_id
from headjudge.io.scenarios import choices_to_mapping, dumps, from_board, to_mapping
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import Choices
from headjudge.settling import settle

#: Rules whose rows are about an effect or a step.
ABOUT = ("effect_expires", "skipped_to")
ROW_FIELDS = ("controller", "power", "toughness", "damage")


def handles_of(boards: Boards) -> list[tuple[str, ...]]:
    """Return a handle for every object of every state: its row."""
    sizes = np.diff(boards.objects_start)
    return [tuple(f"o{i}" for i in range(size)) for size in sizes]


def kernel_results(boards: Boards, choices: tuple[Choices, Any] | None = None, **how: Any) -> list[dict[str, Any]]:
    """Settle a batch and return the full result of each board, with its rows; {"rejected": reason} if it was."""
    resolution = settle(boards, choices, **how)
    after = resolution.after
    assert after is not None
    rows: dict[int, list[dict[str, Any]]] = {}
    state_of = {state_id: i for i, state_id in enumerate(boards.states.state_id.tolist())}
    for action in resolution.actions.to_pylist():
        rows.setdefault(state_of[action["state_id"]], []).append(action)
    results = []
    for i, (result, handles) in enumerate(zip(resolution.results.to_pylist(), handles_of(boards), strict=True)):
        if result["status"] == "rejected":
            results.append({"rejected": result["reason"]})
            continue
        first = int(boards.objects_start[i])
        ids = boards.objects.object_id[first : first + len(handles)].tolist()
        row_of = {object_id: k for k, object_id in enumerate(ids)}
        actions = [{**action, "object": row_of.get(action["object_id"])} for action in rows.get(i, ())]
        board = after[i]
        names = effect_names(boards[i])
        full = FullResult([], derived_records(board), player_records(board), result, actions, board, names)
        mapping = full.mapping("", handles)
        mapping["players_get_priority"] = result["players_get_priority"]
        mapping["rows"] = sorted(map(str, (_kernel_row(action, handles, row_of, full) for action in actions)))
        results.append(mapping)
    return results


def _kernel_row(
    action: dict[str, Any], handles: tuple[str, ...], row_of: dict[int, int], full: FullResult
) -> dict[str, Any]:
    row = {"pass": action["pass"], "rule": action["rule"], "kind": action["kind"], "replaced_by": action["replaced_by"]}
    amount = action["amount"]
    if action["rule"] in ABOUT:
        return row | {"about": full.entry(action, handles)}
    if action["rule"] == "umbra_armor" and amount is not None:
        amount = handles[row_of[amount]]
    row["amount"] = amount
    if action["object"] is None:
        return row | {"player": action["seat"]}
    counters = {word: action[column] for column, word in v.COUNTER_COLUMNS.items()}
    if action["other_counters"]:
        import json

        counters |= json.loads(action["other_counters"])
    moved = action["to_zone"] != action["from_zone"]
    return row | {
        "object": handles[action["object"]],
        "to_zone": action["to_zone"] if moved else None,
        "counters": {kind: n for kind, n in sorted(counters.items()) if n},
        **{field: action[field] for field in ROW_FIELDS},
    }


def oracle_results(
    boards: Boards, choices: tuple[Choices, Any] | None = None, do: str = "settle"
) -> list[dict[str, Any]]:
    """Do the same with the oracle."""
    results = []
    for i, handles in enumerate(handles_of(boards)):
        given = to_mapping(boards, i, handles)
        chosen = None
        if choices is not None:
            columns, start = choices
            span = slice(int(start[i]), int(start[i + 1]))
            effects = [default_effect_id(e) for e in range(int(np.diff(boards.effects_start)[i]))]
            chosen = choices_to_mapping(Choices(*(c[span] for c in columns)), handles, effects)
        try:
            result = oracle.settle(given, chosen, do)
        except oracle.Rejected as rejection:
            results.append({"rejected": rejection.reason})
            continue
        result["rows"] = sorted(map(str, (_oracle_row(row) for row in result["rows"])))
        results.append(result)
    return results


def _oracle_row(row: dict[str, Any]) -> dict[str, Any]:
    kept = {"pass": row["pass"], "rule": row["rule"], "kind": row["kind"], "replaced_by": row["replaced_by"]}
    if row["rule"] in ABOUT:
        return kept | {"about": row["about"]}
    kept["amount"] = row["amount"]
    if row.get("object") is None:
        return kept | {"player": row["player"]}
    return kept | {
        "object": row["object"],
        "to_zone": row["to_zone"] if row["to_zone"] != row["from_zone"] else None,
        "counters": {kind: n for kind, n in sorted((row["counters"] or {}).items()) if n},
        **{field: row[field] for field in ROW_FIELDS},
    }


#: What a loop's boards are compared in: the rest depends on where in the loop it was noticed.
LOOP_KEYS = ("status", "outcome")
KEYS = (
    "status", "outcome", "passes", "lost", "actions", "consequences", "rows", "players", "objects", "next_step",
    "players_get_priority",
)  # fmt: skip


def difference(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Return in words where two results of one board differ."""
    if "rejected" in ours or "rejected" in theirs:
        same = "rejected" in ours and "rejected" in theirs
        return [] if same else [f"rejected: kernel {ours.get('rejected')}, oracle {theirs.get('rejected')}"]
    keys: tuple[str, ...] = LOOP_KEYS if theirs["status"] == "loop" else KEYS
    if theirs["next_step"] is not None:
        keys += ("waiting",)
    found = []
    for key in keys:
        if ours.get(key) == theirs.get(key):
            continue
        if key == "objects":
            for handle in ours[key]:
                mine, other = ours[key][handle], theirs[key][handle]
                found += [
                    f"{handle}.{field}: kernel {mine.get(field)}, oracle {other.get(field)}"
                    for field in mine.keys() | other.keys()
                    if mine.get(field) != other.get(field)
                ]
        elif key == "rows":
            mine_rows, other_rows = Counter(ours[key]), Counter(theirs[key])
            found += [f"only kernel: {row}" for row in (mine_rows - other_rows).elements()]
            found += [f"only oracle: {row}" for row in (other_rows - mine_rows).elements()]
        elif key not in ("actions", "consequences"):
            found.append(f"{key}: kernel {ours.get(key)}, oracle {theirs.get(key)}")
    return found


def differences(
    boards: Boards, choices: tuple[Choices, Any] | None = None, do: str = "settle", **how: Any
) -> dict[int, list[str]]:
    """Settle a batch both ways; return the differences by row of the state."""
    pairs = zip(kernel_results(boards, choices, do=do, **how), oracle_results(boards, choices, do), strict=True)
    found = {i: difference(ours, theirs) for i, (ours, theirs) in enumerate(pairs)}
    return {i: lines for i, lines in found.items() if lines}


def scenarios_of(boards: Boards, states: list[int], choices: tuple[Choices, Any] | None = None) -> str:
    """Return states as YAML, with the choices made on them: a scenario each, but for what is expected."""
    written = []
    for i in states:
        scenario = from_board(boards[i], id=f"state-{i}")
        if choices is not None:
            columns, start = choices
            own = Choices(*(column[start[i] : start[i + 1]] for column in columns))
            scenario = replace(scenario, choices=own)
        written.append(scenario)
    return dumps(written)
