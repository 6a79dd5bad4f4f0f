"""State-based actions as they are judged, and the rows that record what happened."""

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from oracle.board import Handle, Object, Seat
from oracle.layers import Picture


class Does(Enum):
    """What a state-based action does to its object or player."""

    LOSE = auto()
    DESTROY = auto()
    PUT_INTO_GRAVEYARD = auto()
    CEASE_TO_EXIST = auto()
    DROP_TOKEN_COMPONENTS = auto()
    MOVE_TO_COMMAND_ZONE = auto()
    UNATTACH = auto()
    REMOVE_COUNTERS = auto()
    GET_PROTECTOR = auto()
    GET_SECTOR = auto()
    GET_SPEED = auto()
    TURN_FACE_DOWN = auto()
    PLANESWALK = auto()


@dataclass(slots=True)
class Action:
    """One state-based action of one check."""

    rule: str
    does: Does
    object: Handle | None = None
    player: Seat | None = None
    amount: int | None = None
    counters: dict[str, int] = field(default_factory=dict)
    replaced_by: str | None = None


@dataclass(slots=True)
class Before:
    """What an object was just before an event (CR 704.8)."""

    zone: str
    controller: Seat
    power: int | None
    toughness: int | None
    damage: int
    counters: dict[str, int]

    @classmethod
    def of(cls, picture: Picture, obj: Object) -> "Before":
        view = picture.views[obj.handle]
        is_creature = "creature" in view.types
        return cls(
            zone=obj.zone,
            controller=view.controller,
            power=view.power if is_creature else None,
            toughness=view.toughness if is_creature else None,
            damage=obj.damage,
            counters={kind: count for kind, count in sorted(obj.counters.items()) if count},
        )


@dataclass(slots=True)
class Row:
    """One row of the record."""

    number: int
    rule: str
    kind: str
    object: Handle | None = None
    player: Seat | None = None
    # What else a row can be about: an effect that expires, the step that is skipped to.
    about: str | None = None
    to_zone: str | None = None
    amount: int | str | None = None
    replaced_by: str | None = None
    before: Before | None = None

    def subject(self) -> Any:
        if self.object is not None:
            return self.object
        return self.about if self.player is None else {"player": self.player}

    def as_dict(self) -> dict[str, Any]:
        before = self.before
        moved = before is not None and self.to_zone is not None and self.to_zone != before.zone
        return {
            "pass": self.number,
            "rule": self.rule,
            "kind": self.kind,
            "object": self.object,
            "player": self.player,
            "about": self.about,
            # Zones are told of what was moved.
            "from_zone": before.zone if before is not None and moved else None,
            "to_zone": self.to_zone if moved else None,
            "amount": self.amount,
            "replaced_by": self.replaced_by,
            "controller": None if before is None else before.controller,
            "power": None if before is None else before.power,
            "toughness": None if before is None else before.toughness,
            "damage": None if before is None else before.damage,
            "counters": None if before is None else dict(before.counters),
        }
