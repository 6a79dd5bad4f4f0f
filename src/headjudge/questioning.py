"""Asking an engine about boards, judging its answers, and sorting what is wrong into groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from headjudge.boards import Boards
from headjudge.io.board_records import boards_of, name_of
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import Choices
from headjudge.settling import settle
from headjudge.verifying import AGREE, DISAGREE, MISSED, VERDICTS, verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headjudge.engines import Answer, Engine
    from headjudge.io.board_records import BoardRecord

#: The field of a finding about a choice: what was to be kept was not on offer.
OFFER: Final = "keep"
_RULE_OF_OFFER: Final = "legend_rule"
ON_OFFER, NOT_ON_OFFER = "on offer", "not on offer"


class Group(NamedTuple):
    """What findings of one cause mostly have in common."""

    kind: str
    rule: str | None
    field: str
    #: The action that should have happened was due in a later pass than the first.
    later: bool = False

    def __str__(self) -> str:
        return f"{self.kind} {self.rule or '-'} {self.field}{' (later pass)' if self.later else ''}"

    @property
    def slug(self) -> str:
        """The group as the name of a file."""
        words = [self.kind, self.rule or "no_rule", self.field, *(["later"] if self.later else [])]
        return "-".join(words)


@dataclass(frozen=True)
class Questioned:
    """What an engine said about a batch, and what is wrong with it."""

    boards: Boards
    answer: Answer
    #: Schema `headjudge.verifying.VERDICTS`, of the boards that were answered.
    verdicts: pa.Table
    #: The groups that each board shows, by its row.
    groups: dict[int, dict[Group, dict[str, Any]]]


def question(
    engine: Engine, boards: Boards, threads: int | None = None, *, records: Sequence[BoardRecord] | None = None
) -> Questioned:
    """Ask an engine about boards that it can express, and judge what it says; `records` are the same boards.

    Where the engine says that the game is over, nobody looks at the objects any more: findings about them are left out.
    """
    answer = engine.check(boards, records)
    asked = boards[answer.rows]
    verification = verify(asked, answer.claimed, fields=engine.fields, one_pass=engine.one_pass, threads=threads)
    row_of = {state_id: row for row, state_id in enumerate(asked.states.state_id.tolist())}
    findings: dict[int, list[dict[str, Any]]] = {row: [] for row in range(len(asked))}
    other: dict[int, dict[str, Any]] = {}
    over = games_over(answer.claimed)
    for entry in verification.verdicts.to_pylist():
        row = row_of[entry["state_id"]]
        if entry["verdict"] != DISAGREE:
            other[row] = entry
        elif not (over[row] and entry["object_id"] is not None):
            findings[row].append(entry)
    batch_row = {int(row): at for at, row in enumerate(answer.rows.tolist())}
    refused = {batch_row[refusal.row]: refusal.object for refusal in answer.refusals}
    for row, o in _on_offer(asked, {row: o for row, o in refused.items() if not over[row]}).items():
        findings[row].append(_refusal(asked, row, o))
    rows = []
    for row in range(len(asked)):
        agreed = other.get(row, _agreement(asked, row))
        rows += findings[row] or [agreed]
    groups = _grouped(asked, findings)
    return Questioned(
        boards,
        answer,
        pa.Table.from_pylist(rows, schema=VERDICTS),
        {int(answer.rows[row]): found for row, found in groups.items()},
    )


def games_over(boards: Boards) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return for each state whether at most one team is left."""
    over = np.zeros(len(boards), np.bool_)
    for state in range(len(boards)):
        seats = slice(boards.players_start[state], boards.players_start[state + 1])
        there = boards.players.flags[seats] & b.IN_GAME != 0
        over[state] = len(set(boards.players.team[seats][there].tolist())) < 2
    return over


def _agreement(boards: Boards, row: int) -> dict[str, Any]:
    return {"state_id": int(boards.states.state_id[row]), "verdict": AGREE}


def _refusal(boards: Boards, row: int, o: int) -> dict[str, Any]:
    return {
        **_agreement(boards, row), "verdict": DISAGREE, "kind": MISSED, "rule": _RULE_OF_OFFER, "field": OFFER,
        "object_id": int(boards.objects.object_id[boards.objects_start[row] + o]), "expected": ON_OFFER,
        "claimed": NOT_ON_OFFER, "seat": None,
    }  # fmt: skip


def _on_offer(boards: Boards, wanted: dict[int, int]) -> dict[int, int]:
    """Return the objects that the legend rule does offer to keep, by row of their state."""
    if not wanted:
        return {}
    rows = sorted(wanted)
    choices = Choices(
        np.full(len(rows), v.CHOICES.index("keep"), np.uint8),
        np.array([wanted[row] for row in rows], np.int32),
        np.zeros(len(rows), np.int32),
    )
    some = boards[rows]
    resolution = settle(some, (choices, np.arange(len(rows) + 1)), after=False)
    put_away: dict[int, list[dict[str, Any]]] = {}
    for action in resolution.actions.to_pylist():
        if action["rule"] == _RULE_OF_OFFER and action["pass"] == 1:
            put_away.setdefault(action["state_id"], []).append(action)
    found = {}
    for at, row in enumerate(rows):
        first = some.objects_start[at] + wanted[row]
        name = name_of(some, some.objects.name[first])
        same = [
            action
            for action in put_away.get(int(some.states.state_id[at]), [])
            if action["name"] == name and action["controller"] == some.objects.controller[first]
        ]
        ids = {action["object_id"] for action in same}
        if same and int(some.objects.object_id[first]) not in ids:
            found[row] = wanted[row]
    return found


def _grouped(boards: Boards, findings: dict[int, list[dict[str, Any]]]) -> dict[int, dict[Group, dict[str, Any]]]:
    """Return the groups of the findings about each state, each with its first finding."""
    wrong = [row for row, found in findings.items() if found]
    passes = _passes(boards[wrong]) if wrong else {}
    groups: dict[int, dict[Group, dict[str, Any]]] = {}
    for row in wrong:
        for entry in findings[row]:
            due = passes.get((entry["state_id"], entry.get("object_id"), entry.get("seat"), entry["rule"]), 1)
            group = Group(entry["kind"], entry["rule"], entry["field"], due > 1)
            groups.setdefault(row, {}).setdefault(group, entry)
    return groups


def _passes(boards: Boards) -> dict[tuple[Any, ...], int]:
    """Return in which pass each action should have happened first."""
    actions = settle(boards, after=False).actions.select(["state_id", "object_id", "seat", "rule", "pass"])
    passes: dict[tuple[Any, ...], int] = {}
    for action in actions.to_pylist():
        passes.setdefault((action["state_id"], action["object_id"], action["seat"], action["rule"]), action["pass"])
    return passes


def shows(engine: Engine, records: Sequence[BoardRecord], group: Group) -> list[bool]:
    """Tell of each board whether the engine can express it and is wrong about it in the way of the group."""
    said = [row for row, record in enumerate(records) if _expressible(engine, record)]
    if not said:
        return [False] * len(records)
    asked = [records[row] for row in said]
    boards = Boards.concat([boards_of(record, row) for row, record in zip(said, asked, strict=True)])
    questioned = question(engine, boards, records=asked)
    shown = {said[row] for row, groups in questioned.groups.items() if group in groups}
    return [row in shown for row in range(len(records))]


def _expressible(engine: Engine, record: BoardRecord) -> bool:
    stripped, left_out = engine.strip(record)
    return stripped is not None and not left_out
