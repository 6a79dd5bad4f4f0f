"""Boards with something taken away: objects, players, effects, with everything that refers to them.

Works on `BoardRecord`; what comes out is a board again: rows and seats count from 0 without gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from headjudge.effects import EffectText, Objects, PlayersAffected
from headjudge.io.board_records import BoardRecord, EffectRecord
from headjudge.io.scenario_values import NOTHING, Component

if TYPE_CHECKING:
    from headjudge.io.scenario_fields import Record

Renumber = Callable[[int], int | None]

_PLAYER_QUALITY: Final = "player:"


def copy_of(record: BoardRecord) -> BoardRecord:
    """Return a board whose records can be changed without changing the ones given."""
    return BoardRecord(
        dict(record.state), [dict(p) for p in record.players], [dict(o) for o in record.objects], list(record.effects)
    )


def without_effects(record: BoardRecord, dropped: Collection[int]) -> BoardRecord:
    """Return a board without the effects of these rows."""
    return replace(record, effects=[e for row, e in enumerate(record.effects) if row not in dropped])


def without_objects(record: BoardRecord, dropped: Collection[int]) -> BoardRecord:
    """Return a board without the objects of these rows, and without the effects whose source they are.

    What was attached to them, or attacked them, refers to nothing afterwards.
    """
    if not dropped:
        return record
    kept = [row for row in range(len(record.objects)) if row not in dropped]
    new_row = {old: new for new, old in enumerate(kept)}
    return BoardRecord(
        record.state,
        [
            {
                **p,
                "commander_damage": tuple(
                    sorted((new_row[c], amount) for c, amount in p["commander_damage"] if c in new_row)
                ),
            }
            for p in record.players
        ],
        [_object_renumbered(record.objects[row], new_row.get) for row in kept],
        [e for effect in record.effects if (e := _effect_renumbered(effect, new_row.get)) is not None],
    )


def _object_renumbered(o: Record, new_row: Renumber) -> Record:
    keeps = (new_row(row) for row in o["keeps_attachments"])
    return {
        **o,
        **{name: _reference(o[name], new_row) for name in ("attached_to", "attacking", "source")},
        "keeps_attachments": tuple(sorted(row for row in keeps if row is not None)),
    }


def _reference(reference: Any, new_row: Renumber) -> Any:
    if reference is None or reference == NOTHING or reference < 0:
        return reference
    return new_row(reference)


def _effect_renumbered(effect: EffectRecord, new_row: Renumber) -> EffectRecord | None:
    source = None if effect.source is None else new_row(effect.source)
    objects = tuple(sorted(row for o in effect.objects if (row := new_row(o)) is not None))
    if (effect.source is not None and source is None) or (isinstance(effect.text.affects, Objects) and not objects):
        return None
    return replace(effect, source=source, objects=objects)


def without_players(record: BoardRecord, dropped: Collection[int]) -> BoardRecord:
    """Return a board without the players of these seats, what they own or control, and what speaks of them."""
    if not dropped:
        return record
    theirs = [row for row, o in enumerate(record.objects) if o["controller"] in dropped or o["owner"] in dropped]
    record = without_objects(record, theirs)
    kept = [seat for seat in range(len(record.players)) if seat not in dropped]
    new_seat = {old: new for new, old in enumerate(kept)}
    own_teams = all(p["team"] == seat for seat, p in enumerate(record.players))
    players = [dict(record.players[seat]) for seat in kept]
    if own_teams:
        for seat, player in enumerate(players):
            player["team"] = seat
    planar = record.state["planar_controller"]
    return BoardRecord(
        {
            **record.state,
            "active_player": new_seat.get(record.state["active_player"], 0),
            "planar_controller": None if planar is None else new_seat.get(planar),
        },
        players,
        [_object_reseated(o, new_seat.get) for o in record.objects],
        [e for effect in record.effects if (e := _effect_reseated(effect, new_seat.get)) is not None],
    )


def _object_reseated(o: Record, new_seat: Renumber) -> Record:
    protector = o["protector"]
    return {
        **o,
        "controller": new_seat(o["controller"]),
        "owner": new_seat(o["owner"]),
        "protector": None if protector is None else new_seat(protector),
        "protection": _qualities(o["protection"], new_seat),
        "components": tuple(
            Component(c.name, c.kind, None if c.owner is None else new_seat(c.owner)) for c in o["components"]
        ),
        **{name: _player_reference(o[name], new_seat) for name in ("attached_to", "attacking")},
    }


def _player_reference(reference: Any, new_seat: Renumber) -> Any:
    if not isinstance(reference, int) or reference >= 0:
        return reference
    seat = new_seat(-1 - reference)
    return None if seat is None else -1 - seat


def _qualities(qualities: tuple[str, ...], new_seat: Renumber) -> tuple[str, ...]:
    new = []
    for quality in qualities:
        if not quality.startswith(_PLAYER_QUALITY):
            new.append(quality)
        elif (seat := new_seat(int(quality.removeprefix(_PLAYER_QUALITY)))) is not None:
            new.append(f"{_PLAYER_QUALITY}{seat}")
    return tuple(sorted(new))


def _effect_reseated(effect: EffectRecord, new_seat: Renumber) -> EffectRecord | None:
    text: EffectText = effect.text
    controller = None if effect.controller is None else new_seat(effect.controller)
    if effect.controller is not None and controller is None:
        return None
    if isinstance(text.control, int):
        if (seat := new_seat(text.control)) is None:
            return None
        text = replace(text, control=seat)
    if isinstance(text.affects, PlayersAffected) and isinstance(text.affects.who, int):
        if (seat := new_seat(text.affects.who)) is None:
            return None
        text = replace(text, affects=PlayersAffected(seat))
    if text.gain_protection is not None:
        text = replace(text, gain_protection=_qualities(text.gain_protection, new_seat))
    return replace(effect, text=text, controller=controller)
