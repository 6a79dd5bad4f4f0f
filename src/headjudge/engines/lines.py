"""Boards and answers as JSON lines: one board a line, one answer a line, in the words of scenarios.

A board is what stands under `given` in a scenario, with `state_id` beside it and object ids (as text) for handles; an
answer is what stands under `claim`: only what differs from the board. docs/engines.md describes both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from headjudge.errors import DataError
from headjudge.io.board_records import BoardRecord, boards_of
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, Record
from headjudge.io.scenario_reading import Given, check_claim, default_effect_id
from headjudge.io.scenarios import record_to_mapping

if TYPE_CHECKING:
    from headjudge.boards import Boards
    from headjudge.io.scenario_values import Names

#: What a claim may say; what an engine did on the way there is not looked at.
_ANSWER_KEYS: Final = ("state_id", "objects", "players", "lost", "not_offered", "error")
#: Deeper than any answer.
_DEEPEST: Final = 40
#: What an object in another zone has nothing of, as it is a new one there (CR 400.7), unless the answer says so.
_FORGOTTEN: Final[Record] = {
    name: OBJECT_FIELDS[name].default
    for name in (
        "damage", "deathtouch_damage", "counters", "attached_to", "attacking", "blocking", "tapped", "regeneration",
        "protector", "sector", "bestowed",
    )
}  # fmt: skip


class Told(NamedTuple):
    """An answer that could be read."""

    claimed: Boards
    not_offered: tuple[int, ...] = ()  # rows of objects that could not be kept


class EngineError(Exception):
    """The engine says that it cannot answer; the text says why."""


def handles_of_ids(boards: Boards, row: int) -> tuple[str, ...]:
    """Return the object ids of a state as text."""
    first, last = boards.objects_start[row], boards.objects_start[row + 1]
    return tuple(map(str, boards.objects.object_id[first:last].tolist()))


def board_line(record: BoardRecord, handles: Sequence[str], state_id: int, keep: Sequence[int] = ()) -> str:
    """Return a board as a line of JSON, without the end of the line; `keep` are the legends to be kept."""
    line: dict[str, Any] = {"state_id": state_id, **record_to_mapping(record, handles)}
    if keep:
        line["choices"] = {"keep": [handles[row] for row in keep]}
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def read_answer(answer: Any, boards: Boards, row: int, record: BoardRecord) -> Told:
    """Return what an answer claims for a board.

    Raises
    ------
    DataError
        If it is none; the message names the field.
    EngineError
        If it is the engine's word that it cannot answer.
    """
    if not isinstance(answer, Mapping):
        raise DataError(f"answer: expected a mapping, found {answer!r:.80}")
    for key in answer:
        if key not in _ANSWER_KEYS:
            raise DataError(f"answer: unknown field {key!r:.80}; expected one of {', '.join(_ANSWER_KEYS)}")
    _check_storable(answer)
    if "error" in answer:
        raise EngineError(str(answer["error"]))
    handles = handles_of_ids(boards, row)
    claim = _claim(answer, len(record.players))
    return Told(claimed_boards(claim, boards, row, record, handles), _not_offered(answer, handles))


def _check_storable(value: Any, depth: int = 0) -> None:
    """Raise `DataError` for what YAML and Parquet cannot hold: halves of surrogate pairs, endless nesting."""
    if depth > _DEEPEST:
        raise DataError(f"answer: nested more than {_DEEPEST} deep")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise DataError(f"answer: expected text, found half a surrogate pair in {value!r:.80}") from None
    elif isinstance(value, list | dict):
        for part in [*value, *value.values()] if isinstance(value, dict) else value:
            _check_storable(part, depth + 1)


def _claim(answer: Mapping[str, Any], players: int) -> dict[str, Any]:
    """Return the claim in an answer; JSON has no numbers for keys, so that seats are text there."""
    claim = {key: answer[key] for key in ("objects", "lost") if key in answer}
    stated = answer.get("players", {})
    if not isinstance(stated, Mapping):
        raise DataError(f"answer.players: expected a mapping from seats, found {stated!r:.80}")
    seats: dict[str, Any] = {str(seat): seat for seat in range(players)}
    claim["players"] = {seats.get(seat, seat): fields for seat, fields in stated.items()}
    return claim


def _not_offered(answer: Mapping[str, Any], handles: tuple[str, ...]) -> tuple[int, ...]:
    named = answer.get("not_offered", [])
    if not isinstance(named, list) or not all(handle in handles for handle in named):
        raise DataError(f"answer.not_offered: expected a list of objects, found {named!r:.80}")
    return tuple(handles.index(handle) for handle in named)


def claimed_boards(
    claim: Mapping[str, Any], boards: Boards, row: int, record: BoardRecord, handles: Sequence[str]
) -> Boards:
    """Return the board that a claim (as in a scenario) speaks of, as a batch of one. Raises `DataError`."""
    ids = tuple(map(default_effect_id, range(len(record.effects))))
    given = Given(record, tuple(handles), ids, ())
    check_claim(claim, "answer", given)
    names = given.names
    objects = list(record.objects)
    for handle, fields in claim.get("objects", {}).items():
        at = names.rows[handle]
        stated = _read(fields, OBJECT_FIELDS, names)
        moves = stated.get("zone", objects[at]["zone"]) != objects[at]["zone"]
        objects[at] = {**objects[at], **(_FORGOTTEN if moves else {}), **stated}
    players = list(record.players)
    for seat, fields in claim.get("players", {}).items():
        players[seat] = {**players[seat], **_read(fields, PLAYER_FIELDS, names)}
    for seat in claim.get("lost", ()):
        players[seat] = {**players[seat], "in_game": False}
    claimed = boards_of(BoardRecord(record.state, players, objects, record.effects), int(boards.states.state_id[row]))
    first, last = boards.objects_start[row], boards.objects_start[row + 1]
    ids_of = claimed.objects._replace(object_id=boards.objects.object_id[first:last])
    return replace(claimed, objects=ids_of)


def _read(fields: Mapping[str, Any], known: Mapping[str, Any], names: Names) -> Record:
    return {name: known[name].kind.read(value, f"answer.{name}", names) for name, value in fields.items()}


def claim_of(before: BoardRecord, claimed: BoardRecord, handles: Sequence[str]) -> dict[str, Any]:
    """Return what differs between two records of one board as a claim of a scenario."""
    lost = [
        seat
        for seat, (old, new) in enumerate(zip(before.players, claimed.players, strict=True))
        if old["in_game"] and not new["in_game"]
    ]
    players = {
        seat: fields
        for seat, (old, new) in enumerate(zip(before.players, claimed.players, strict=True))
        if (fields := _differing(old, new, PLAYER_FIELDS, handles, seat not in lost))
    }
    objects = {
        handle: fields
        for handle, old, new in zip(handles, before.objects, claimed.objects, strict=True)
        if (fields := _differing(old, new, OBJECT_FIELDS, handles))
    }
    claim = {"objects": objects, "players": players, "lost": lost}
    return {key: value for key, value in claim.items() if value}


def _differing(
    old: Record, new: Record, fields: Mapping[str, Any], handles: Sequence[str], in_game: bool = True
) -> dict[str, Any]:
    return {
        name: field.kind.write(new[name], handles)
        for name, field in fields.items()
        if new[name] != old[name] and (in_game or name != "in_game")
    }
