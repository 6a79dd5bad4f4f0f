"""One board as records, a dict of plain values for each state, player and object, and as columns.

The slow and readable form of a board: scenarios are read into it, boards are written, shown and explained from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge.boards import Boards, Problem
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, Record
from headjudge.io.scenario_values import NOTHING, Component
from headjudge.kernels import tables as t
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import DTYPES, States
from headjudge.lexicon import LexiconBuilder, Trait

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headjudge.effects import EffectText

Reference = int | str | None
Rows = list[tuple[Any, ...]]

_SPECIAL: Final[dict[Reference, int]] = {None: v.NONE, NOTHING: v.NOTHING}
_SPECIAL_CODES: Final[dict[int, Reference]] = {code: word for word, code in _SPECIAL.items()}
#: Object fields that stand in the column of their own name, as words of a tuple; index or bit mask.
_INDEXED: Final = {"kind": v.KINDS, "zone": v.ZONES}
_MASKED: Final = {"types": v.TYPES, "supertypes": v.SUPERTYPES, "colors": v.COLORS, "keywords": v.KEYWORDS}
_REFERENCES: Final = ("attached_to", "attacking", "source")
_AS_THEY_ARE: Final = ("controller", "owner", "timestamp", "damage", "regeneration")
_TRAITS: Final = tuple(Trait.__dataclass_fields__)


@dataclass(frozen=True)
class EffectRecord:
    """One continuous effect of a board."""

    text: EffectText
    source: int | None = None
    controller: int | None = None
    until: str | None = None
    timestamp: int | None = None
    #: `affects` as a list.
    objects: tuple[int, ...] = ()


@dataclass(frozen=True)
class BoardRecord:
    """One board. Records have every field of their table; rows and seats are positions in the lists."""

    state: Record
    players: list[Record]
    objects: list[Record]
    effects: list[EffectRecord] = field(default_factory=list)


def _code(reference: Reference) -> int:
    return reference if isinstance(reference, int) else _SPECIAL[reference]


def _reference(code: int) -> Reference:
    return _SPECIAL_CODES.get(code, code)


def _or_none(value: int, null: int) -> int | None:
    return None if value == null else value


def _columns(table: type, rows: Rows) -> Any:
    """Return rows as the columns of a table."""
    values = zip(*rows, strict=True) if rows else ((),) * len(DTYPES[table])
    return table(*(np.array(c, dtype) for c, dtype in zip(values, DTYPES[table].values(), strict=True)))


def boards_of(record: BoardRecord, state_id: int = 0, problems: Sequence[str] = ()) -> Boards:
    """Return a batch of one state."""
    builder = LexiconBuilder()
    objects = record.objects
    rows: dict[type, Rows] = {
        t.Players: [_player_row(p) for p in record.players],
        t.Objects: [_object_row(o, row, builder) for row, o in enumerate(objects)],
        t.Counters: [
            (row, code, count)
            for row, o in enumerate(objects)
            for code, count in sorted(
                (builder.counter_kind(kind), n) for kind, n in o["counters"] if kind not in v.OWN_COUNTER_KINDS
            )
        ],
        t.CommanderDamage: [
            (seat, commander, amount)
            for seat, p in enumerate(record.players)
            for commander, amount in p["commander_damage"]
        ],
        t.Keeps: [(row, kept) for row, o in enumerate(objects) for kept in o["keeps_attachments"]],
        t.WorldSince: [(row, o["world_since"]) for row, o in enumerate(objects) if o["world_since"] != o["timestamp"]],
        t.Effects: [_effect_row(e, i, builder) for i, e in enumerate(record.effects)],
        t.EffectObjects: [(i, row) for i, e in enumerate(record.effects) for row in e.objects],
        t.Components: [
            (row, builder.name(c.name), v.KINDS.index(c.kind), o["owner"] if c.owner is None else c.owner)
            for row, o in enumerate(objects)
            for c in o["components"]
        ],
    }
    columns = {
        name: (_columns(table, rows[table]), np.array([0, len(rows[table])])) for name, table in t.TABLES.items()
    }
    states: States = _columns(States, [_state_row(record.state, state_id)])
    return Boards.of(states, columns, builder.build(), [Problem(0, "; ".join(problems))] if problems else [])


def _state_row(state: Record, state_id: int) -> tuple[Any, ...]:
    row = {
        **state,
        "state_id": state_id,
        "variant": v.mask(v.VARIANTS, state["variant"]),
        "step": v.STEPS.index(state["step"]),
        "skips": v.mask(v.STEPS, state["skips"]),
        "planar_controller": v.NO_SEAT if state["planar_controller"] is None else state["planar_controller"],
    }
    return tuple(row[column] for column in t.States._fields)


def _player_row(player: Record) -> tuple[Any, ...]:
    flags = {word for word in v.PLAYER_FLAGS if player.get(word)} | set(player["designations"])
    speed = v.NO_SPEED if player["speed"] is None else player["speed"]
    return (player["team"], player["life"], player["poison"], speed, v.mask(v.PLAYER_FLAGS, flags))


def _object_row(record: Record, object_id: int, builder: LexiconBuilder) -> tuple[Any, ...]:
    counts = dict(record["counters"])
    row = {
        "object_id": object_id,
        "name": builder.name(record["name"]),
        "subtypes": builder.subtypes(record["subtypes"]),
        "traits": builder.trait(Trait(**{name: record[name] for name in _TRAITS})),
        "flags": v.mask(v.OBJECT_FLAGS, {flag for flag in v.OBJECT_FLAGS if record[flag]}),
        "protector": v.NO_SEAT if record["protector"] is None else record["protector"],
        "sector": v.NO_SECTOR if record["sector"] is None else v.SECTORS.index(record["sector"]),
        **{name: v.NULL if record[name] is None else record[name] for name in ("power", "toughness")},
        **{name: words.index(record[name]) for name, words in _INDEXED.items()},
        **{name: v.mask(words, record[name]) for name, words in _MASKED.items()},
        **{name: _code(record[name]) for name in _REFERENCES},
        **{name: record[name] for name in _AS_THEY_ARE},
        **{column: counts.get(kind, 0) for column, kind in v.COUNTER_COLUMNS.items()},
    }
    return tuple(row[column] for column in t.Objects._fields)


def _effect_row(effect: EffectRecord, effect_id: int, builder: LexiconBuilder) -> tuple[Any, ...]:
    return (
        effect_id,
        builder.effect(effect.text),
        _code(effect.source),
        v.NO_SEAT if effect.controller is None else effect.controller,
        v.DURATIONS.index(effect.until),
        v.NO_TIMESTAMP if effect.timestamp is None else effect.timestamp,
    )


def record_of(boards: Boards, state: int = 0) -> BoardRecord:
    """Return one state of a batch as records."""
    board = boards[state]
    every = range(len(board.objects.zone))
    return BoardRecord(state_record(board), player_records(board), object_records(board, every), effect_records(board))


def _rows(columns: Any) -> list[dict[str, Any]]:
    lists = [column.tolist() for column in columns]
    return [dict(zip(columns._fields, values, strict=True)) for values in zip(*lists, strict=True)]


def state_record(board: Boards) -> Record:
    """Return the state of a batch of one."""
    row = _rows(board.states)[0]
    return {
        "variant": v.words_of(v.VARIANTS, row["variant"]),
        "active_player": row["active_player"],
        "step": v.STEPS[row["step"]],
        "skips": v.words_of(v.STEPS, row["skips"]),
        "round_expired": row["round_expired"],
        "planar_controller": _or_none(row["planar_controller"], v.NO_SEAT),
    }


def player_records(board: Boards) -> list[Record]:
    """Return the players of a batch of one state."""
    damage = _grouped(_rows(board.commander_damage), "seat")
    return [_player_record(row, damage.get(seat, [])) for seat, row in enumerate(_rows(board.players))]


def _player_record(row: dict[str, Any], damage: list[dict[str, Any]]) -> Record:
    flags = v.words_of(v.PLAYER_FLAGS, row["flags"])
    record: Record = {
        **{name: row[name] for name in ("team", "life", "poison")},
        "speed": _or_none(row["speed"], v.NO_SPEED),
        "designations": tuple(word for word in v.DESIGNATIONS if word in flags),
        "commander_damage": tuple(sorted((d["commander"], d["amount"]) for d in damage)),
        **{flag: flag in flags for flag in v.PLAYER_FLAGS if flag in PLAYER_FIELDS},
    }
    return {name: record[name] for name in PLAYER_FIELDS}


def _grouped(rows: list[dict[str, Any]], key: str) -> dict[int, list[dict[str, Any]]]:
    groups: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def object_records(board: Boards, wanted: Sequence[int]) -> list[Record]:
    """Return some objects of a batch of one state."""
    lexicon = board.lexicon
    counters, keeps = _grouped(_rows(board.counters), "object"), _grouped(_rows(board.keeps), "object")
    components = _grouped(_rows(board.components), "object")
    since = {row["object"]: row["since"] for row in _rows(board.world_since)}
    index = np.array(wanted, np.int64)
    records = []
    for i, row in zip(wanted, _rows(t.Objects(*(column[index] for column in board.objects))), strict=True):
        trait = lexicon.traits[row["traits"]]
        flags = v.words_of(v.OBJECT_FLAGS, row["flags"])
        own = [(kind, row[column]) for column, kind in v.COUNTER_COLUMNS.items()]
        others = [(lexicon.counter_kinds[c["kind"]], c["count"]) for c in counters.get(i, ())]
        record = {
            "name": name_of(board, row["name"]),
            "subtypes": tuple(sorted(lexicon.subtypes_of(row["subtypes"]))),
            "world_since": since.get(i, row["timestamp"]),
            "counters": tuple(sorted((kind, count) for kind, count in [*own, *others] if count)),
            "keeps_attachments": tuple(sorted(k["attachment"] for k in keeps.get(i, ()))),
            "protector": _or_none(row["protector"], v.NO_SEAT),
            "sector": None if row["sector"] == v.NO_SECTOR else v.SECTORS[row["sector"]],
            "components": tuple(
                Component(
                    name_of(board, c["name"]), v.KINDS[c["kind"]], None if c["owner"] == row["owner"] else c["owner"]
                )
                for c in components.get(i, ())
            ),
            **{name: _or_none(row[name], v.NULL) for name in ("power", "toughness")},
            **{name: words[row[name]] for name, words in _INDEXED.items()},
            **{name: v.words_of(words, row[name]) for name, words in _MASKED.items()},
            **{name: _reference(row[name]) for name in _REFERENCES},
            **{name: row[name] for name in _AS_THEY_ARE},
            **{name: getattr(trait, name) for name in _TRAITS},
            **{flag: flag in flags for flag in v.OBJECT_FLAGS},
        }
        records.append({name: record[name] for name in OBJECT_FIELDS})
    return records


def name_of(boards: Boards, code: int) -> str | None:
    """Return what a value of a column `name` stands for."""
    return None if code == v.NAMELESS else boards.lexicon.names[code]


def effect_records(board: Boards, most: int | None = None) -> list[EffectRecord]:
    """Return the effects of a batch of one state, or the first of them."""
    objects = _grouped(_rows(board.effect_objects), "effect")
    return [
        EffectRecord(
            board.lexicon.effects[row["text"]],
            _or_none(row["source"], v.NONE),
            _or_none(row["controller"], v.NO_SEAT),
            v.DURATIONS[row["until"]],
            _or_none(row["timestamp"], v.NO_TIMESTAMP),
            tuple(sorted(o["object"] for o in objects.get(i, ()))),
        )
        for i, row in enumerate(_rows(t.Effects(*(column[:most] for column in board.effects))))
    ]
