"""Everything that became of one board, in the words of scenarios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge.io.board_records import object_records, player_records
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS
from headjudge.io.scenario_reading import default_effect_id
from headjudge.io.scenario_values import player_mapping
from headjudge.kernels import vocabulary as v
from headjudge.kernels.catalogue import NAMES
from headjudge.result_tables import can_move, outcome_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from headjudge.boards import Boards
    from headjudge.io.scenario_fields import Record
    from headjudge.kernels.tables import Choices

_PLAYER_KEYS: Final = ("life", "poison", "speed", "in_game", "designations")
_OBJECT_KEYS: Final = (
    "zone", "controller", "attached_to", "damage", "counters", "tapped", "attacking", "protector", "sector",
)  # fmt: skip
_PERMANENT_KEYS: Final = ("power", "toughness", "types")


@dataclass(frozen=True)
class FullResult:
    """What was done to one board, and the board before and after with all effects counted in."""

    before: list[Record]
    after: list[Record]
    players: list[Record]
    #: The row of `results`.
    result: dict[str, Any]
    #: The rows of `actions`, with the row of the object as `object`, and whether its controller leaves the game in that
    #: very event as `leaving`.
    actions: list[dict[str, Any]]
    boards_after: Boards
    #: What effects are called, by effect_id.
    effects: Mapping[int, str]

    def entry(self, action: Mapping[str, Any], handles: Sequence[str]) -> str | dict[str, int]:
        """Return whom or what an action concerns, as scenarios write it."""
        if action["rule"] == "effect_expires":
            return self.effects[action["amount"]]
        if action["rule"] == "skipped_to":
            return str(self.result["next_step"])
        return player_mapping(-1 - action["seat"]) if action["object"] is None else handles[action["object"]]

    def passes(self, handles: Sequence[str]) -> list[dict[str, list[Any]]]:
        """Return the state-based actions of each pass."""
        passes: list[dict[str, list[Any]]] = [{} for _ in range(self.result["passes"])]
        for action in self.actions:
            if action["kind"] == "sba":
                passes[action["pass"] - 1].setdefault(action["rule"], []).append(self.entry(action, handles))
        return [sorted_rows(rows) for rows in passes]

    def consequences(self, handles: Sequence[str]) -> dict[str, list[Any]]:
        """Return everything else that was recorded."""
        rows: dict[str, list[Any]] = {}
        for action in self.actions:
            if action["kind"] != "sba":
                rows.setdefault(action["rule"], []).append(self.entry(action, handles))
        return sorted_rows(rows)

    @property
    def took_place(self) -> bool:
        """Whether anything could be done: the board can be judged, and its game was not over."""
        row = self.result
        return bool(row["status"] != "rejected" and (row["passes"] > 0 or row["outcome"] == "ongoing"))

    @property
    def outcome(self) -> str | dict[str, list[int]]:
        """``ongoing``, ``draw`` or ``{"win": [seats]}``."""
        return outcome_of(self.result)

    def waiting(self, handles: Sequence[str]) -> list[str]:
        """Return the abilities that will be put on the stack."""
        return sorted(handle for handle, record in zip(handles, self.after, strict=True) if record["zone"] == "waiting")

    def mapping(self, scenario_id: str, handles: Sequence[str]) -> dict[str, Any]:
        """Return the full result as JSON has it."""
        return {
            "id": scenario_id,
            "status": self.result["status"],
            "outcome": self.outcome,
            "passes": self.result["passes"],
            "actions": self.passes(handles),
            "consequences": self.consequences(handles),
            "lost": self.result["lost"],
            "next_step": self.result["next_step"],
            "waiting": self.waiting(handles),
            "players": [_written(record, PLAYER_FIELDS, _PLAYER_KEYS, handles) for record in self.players],
            "objects": {
                handle: _written(record, OBJECT_FIELDS, _keys(record), handles)
                for handle, record in zip(handles, self.after, strict=True)
            },
        }


#: What keeps something from being done at all; other replacements say where an object goes instead.
INSTEAD: Final = ("regeneration", "umbra_armor", "instead_of_losing")


def tells_a_move(action: Mapping[str, Any]) -> bool:
    """Whether a row of `actions` moves its object, rather than what else in the event does."""
    code = NAMES.index(action["rule"])
    amount = v.NULL if action["amount"] is None else action["amount"]
    if action["from_zone"] == action["to_zone"] or action["object"] is None or not can_move(code, amount):
        return False
    if action["rule"] == "token_off_battlefield":
        return bool(action["to_zone"] == "none")
    return action["replaced_by"] not in INSTEAD


def carry_out(
    board: Boards, choices: Choices, do: str = "settle", effect_ids: Sequence[str] | None = None
) -> FullResult:
    """Do to a batch of one state what is to be done to it."""
    from headjudge.settling import settle

    start = np.array([0, len(choices.choice)], np.int64)
    resolution = settle(board, (choices, start), threads=1, do=do)
    after = resolution.after
    assert after is not None
    (result,) = resolution.results.to_pylist()
    rejected = result["status"] == "rejected"
    return FullResult(
        derived_records(board, rejected),
        derived_records(after, rejected),
        player_records(after),
        result,
        list(_actions(board, resolution.actions.to_pylist())),
        after,
        effect_names(board, effect_ids),
    )


def _actions(board: Boards, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    row_of = {object_id: row for row, object_id in enumerate(board.objects.object_id.tolist())}
    leaving: set[int] = set()
    number = 0
    for action in rows:
        if action["kind"] == "procedure" or action["pass"] != number:
            leaving.clear()
        if action["rule"] == "player_leaves" and action["object_id"] is None:
            leaving.add(action["seat"])
        number = action["pass"]
        yield {**action, "object": row_of.get(action["object_id"]), "leaving": action["controller"] in leaving}


def effect_names(board: Boards, effect_ids: Sequence[str] | None = None) -> dict[int, str]:
    """Return what the effects of a batch of one state are called, by effect_id; by default by their rows."""
    numbers = board.effects.effect_id.tolist()
    names = effect_ids or [default_effect_id(row) for row in range(len(numbers))]
    return dict(zip(numbers, names, strict=True))


def derived_records(board: Boards, rejected: bool = False) -> list[Record]:
    """Return the objects of a batch of one state with `controller`, `power`, `toughness` and `types` after all effects.

    Those of a board that cannot be judged are as they were given.
    """
    records = object_records(board, range(len(board.objects.zone)))
    if rejected:
        return records
    from headjudge.settling import derived

    columns = {name: column.tolist() for name, column in derived(board).items()}
    for i, record in enumerate(records):
        types = v.words_of(v.TYPES, columns["types"][i])
        power, toughness = columns["power"][i], columns["toughness"][i]
        record["controller"] = columns["controller"][i]
        record["types"] = types
        record["power"] = None if power == v.NULL else power
        record["toughness"] = None if toughness == v.NULL else toughness
    return records


def sorted_rows(rows: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Sort rules as in the catalogue, and what each was performed on; rules without any are left out."""
    return {rule: sorted_entries(rows[rule]) for rule in NAMES if rows.get(rule)}


def sorted_entries(entries: list[Any]) -> list[Any]:
    """Sort objects by handle, then players by seat."""
    return sorted(entries, key=lambda entry: (1, "", entry["player"]) if isinstance(entry, dict) else (0, entry, 0))


def _keys(record: Record) -> tuple[str, ...]:
    return (*_OBJECT_KEYS, *_PERMANENT_KEYS) if record["zone"] == "battlefield" else _OBJECT_KEYS


def _written(record: Record, fields: Mapping[str, Any], keys: Sequence[str], handles: Sequence[str]) -> dict[str, Any]:
    written = {key: fields[key].kind.write(record[key], handles) for key in keys}
    return {key: sorted(x) if isinstance(x, list) else x for key, x in written.items()}
