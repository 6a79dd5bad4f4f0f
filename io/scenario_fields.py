"""The fields of a board and their defaults: one table each for states, players and objects.

A record is a dict with every field of its table in plain form (`headjudge.io.scenario_values`);
`headjudge.io.board_records` makes columns of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from headjudge.errors import DataError
from headjudge.io.scenario_values import (
    Attachments,
    CommanderDamage,
    Components,
    Counts,
    Enchant,
    Flag,
    Kind,
    Names,
    Number,
    OutOfRange,
    Protection,
    Reference,
    Seat,
    Subtypes,
    Text,
    Word,
    Words,
    known_keys,
    mapping,
)
from headjudge.kernels import vocabulary as v

Record = dict[str, Any]
REQUIRED: Final = object()
Default = Callable[[Record, int], Any]


class Field(NamedTuple):
    """A field: its kind, and its default as a value or as a function of the record so far and its row."""

    kind: Kind
    default: Any

    def default_of(self, record: Record, row: int) -> Any:
        """Return the default in this record; `REQUIRED` if there is none."""
        return self.default(record, row) if callable(self.default) else self.default


def _row(_: Record, row: int) -> int:
    return row


def _same_as(field: str) -> Default:
    return lambda record, _: record[field]


def _flags(names: Collection[str], default: bool = False) -> dict[str, Field]:
    return {name: Field(Flag(), default) for name in names}


_INT16: Final = 2**15 - 1
_NONE: Final = Field(Reference(), None)

STATE_FIELDS: Final[dict[str, Field]] = {
    "variant": Field(Words(v.VARIANTS), ()),
    "active_player": Field(Seat(), 0),
    "step": Field(Word(v.STEPS), "precombat_main"),
    "skips": Field(Words(v.STEPS), ()),
    **_flags(["round_expired"]),
    "planar_controller": Field(Seat(nullable=True), None),
}
PLAYER_FIELDS: Final[dict[str, Field]] = {
    "team": Field(Number(0, _INT16), _row),
    "life": Field(Number(), 20),
    "poison": Field(Number(0), 0),
    **_flags(["drew_from_empty"]),
    "speed": Field(Number(0, v.MAX_SPEED, nullable=True), None),
    **_flags(["in_game"], default=True),
    "designations": Field(Words(v.DESIGNATIONS), ()),
    **_flags(["cant_lose", "no_loss_at_zero_life"]),
    "commander_damage": Field(CommanderDamage(), ()),
}
OBJECT_FIELDS: Final[dict[str, Field]] = {
    "name": Field(Text(), None),
    "kind": Field(Word(v.KINDS), "card"),
    "zone": Field(Word(v.ZONES), "battlefield"),
    "controller": Field(Seat(), REQUIRED),
    "owner": Field(Seat(), _same_as("controller")),
    "types": Field(Words(v.TYPES), ()),
    "supertypes": Field(Words(v.SUPERTYPES), ()),
    "subtypes": Field(Subtypes(), ()),
    "colors": Field(Words(v.COLORS), ()),
    "power": Field(Number(nullable=True), None),
    "toughness": Field(Number(nullable=True), None),
    "mana_value": Field(Number(0), 0),
    "timestamp": Field(Number(-v.MOST_TIME, v.MOST_TIME), _row),
    "world_since": Field(Number(-v.MOST_TIME, v.MOST_TIME), _same_as("timestamp")),
    "damage": Field(Number(0), 0),
    **_flags(["deathtouch_damage"]),
    "counters": Field(Counts(), ()),
    "counter_limits": Field(Counts(keep_zeros=True), ()),
    "attached_to": _NONE,
    "enchant": Field(Enchant(), None),
    "keywords": Field(Words(v.KEYWORDS), ()),
    "protection": Field(Protection(), ()),
    "keeps_attachments": Field(Attachments(), ()),
    **_flags(["bestowed"]),
    "regeneration": Field(Number(0, _INT16), 0),
    "graveyard_replacement": Field(Word(v.GRAVEYARD_REPLACEMENTS, nullable=True), None),
    "final_chapter": Field(Number(0), 0),
    "source": Field(Reference(players=False), None),
    **_flags(["triggered_during", "resolving", "commander", "arrived", "tapped", "phased_out", "blocking"]),
    "attacking": Field(Reference(nothing=True), None),
    **_flags(["dies_trigger", "leaves_trigger"]),
    "protector": Field(Seat(nullable=True), None),
    "sector": Field(Word(v.SECTORS, nullable=True), None),
    **_flags(["bottommost_room"]),
    **_flags(["face_up"], default=True),
    "components": Field(Components(), ()),
}


def read_record(
    given: Any, fields: Mapping[str, Field], row: int, where: str, *, names: Names, problems: list[str]
) -> Record:
    """Return all fields of one state, player or object, defaults where nothing is stated.

    Numbers that no board can hold are added to `problems`, and the default stands in for them.
    """
    known_keys(mapping(given, where), fields, where)
    record: Record = {}
    for name, field in fields.items():
        value = field.default_of(record, row)
        if name in given:
            try:
                value = field.kind.read(given[name], f"{where}.{name}", names)
            except OutOfRange as problem:
                problems.append(str(problem))
        elif value is REQUIRED:
            raise DataError(f"{where}: {name} is missing; expected it to be stated")
        record[name] = value
    return record


def write_record(record: Record, fields: Mapping[str, Field], row: int, handles: Sequence[str]) -> dict[str, Any]:
    """Return the fields that are not the defaults, as YAML writes them."""
    return {
        name: field.kind.write(record[name], handles)
        for name, field in fields.items()
        if record[name] != field.default_of(record, row)
    }
