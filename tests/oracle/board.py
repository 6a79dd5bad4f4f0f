"""A board state as plain objects: what is given, before any effect is applied."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from oracle.words import ABILITY_KINDS

# What is no permanent even where the data puts it on the battlefield (CR 113.1, 114.5).
NO_PERMANENTS = ABILITY_KINDS | {"emblem"}

Handle = str
Seat = int


class Rejected(Exception):
    """The given state or a choice cannot be read, or breaks a rule of the board model."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Combat(Enum):
    """What else than an object or a player can be attacked."""

    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class PlayerRef:
    """A player where an object could stand as well."""

    seat: Seat


Attacked = Handle | PlayerRef | Combat


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on an object, all of which must hold."""

    types: frozenset[str] = frozenset()
    any_types: frozenset[str] | None = None
    not_types: frozenset[str] = frozenset()
    supertypes: frozenset[str] = frozenset()
    not_supertypes: frozenset[str] = frozenset()
    subtypes: frozenset[str] = frozenset()
    any_subtypes: frozenset[str] | None = None
    not_subtypes: frozenset[str] = frozenset()
    colors: frozenset[str] | None = None
    keywords: frozenset[str] = frozenset()
    kind: str | None = None
    named: str | None = None
    controller: str = "any"
    owner: str = "any"
    other: bool = False
    attacking: bool | None = None
    tapped: bool | None = None
    host: bool = False
    zone: str = "battlefield"


@dataclass(frozen=True, slots=True)
class EnchantPlayer:
    """An enchant ability for players: any, you or opponent."""

    which: str


@dataclass(frozen=True, slots=True)
class AffectedPlayers:
    """Players an effect is about: you, opponents, any, or one seat."""

    which: str | Seat


@dataclass(frozen=True, slots=True)
class LifeOf:
    """The life total of you, or of one seat."""

    which: str | Seat


@dataclass(frozen=True, slots=True)
class While:
    """A condition: how many objects match, or how high a life total is."""

    counted: Filter | LifeOf
    at_least: int | None
    at_most: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """One continuous effect (CR 611, 613). Two rows are never the same effect, so equality is identity."""

    number: int
    timestamp: float
    affects: str | tuple[Handle, ...] | Filter | AffectedPlayers
    name: str | None = None
    source: Handle | None = None
    until: str | None = None
    controller: Seat | None = None
    control: str | Seat | None = None
    set_types: frozenset[str] | None = None
    add_types: frozenset[str] = frozenset()
    remove_types: frozenset[str] = frozenset()
    set_subtypes: frozenset[str] | None = None
    add_subtypes: frozenset[str] = frozenset()
    remove_subtypes: frozenset[str] = frozenset()
    add_supertypes: frozenset[str] = frozenset()
    remove_supertypes: frozenset[str] = frozenset()
    set_colors: frozenset[str] | None = None
    add_colors: frozenset[str] = frozenset()
    lose_all_abilities: bool = False
    gain_keywords: frozenset[str] = frozenset()
    lose_keywords: frozenset[str] = frozenset()
    gain_protection: frozenset[str] = frozenset()
    define_power: int | None = None
    define_toughness: int | None = None
    set_power: int | str | None = None
    set_toughness: int | str | None = None
    add_power: int = 0
    add_toughness: int = 0
    switch: bool = False
    per: Filter | LifeOf | None = None
    per_distinct: bool = False
    condition: While | None = None
    rule: str | None = None
    life: int | None = None
    shuffle_owned: bool = False
    exile_source: bool = False
    cards_only: bool = False
    # What an object does to itself by being bestowed or reconfigured: no ability of it that could be lost.
    intrinsic: bool = False
    # The layers in which it does something (CR 613.1, 613.4).
    layers: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        acts = {
            "2": self.control is not None,
            "4": self.set_types is not None
            or self.set_subtypes is not None
            or bool(self.add_types | self.remove_types | self.add_subtypes | self.remove_subtypes)
            or bool(self.add_supertypes | self.remove_supertypes),
            "5": self.set_colors is not None or bool(self.add_colors),
            "6": self.lose_all_abilities or bool(self.gain_keywords | self.lose_keywords | self.gain_protection),
            "7a": self.define_power is not None or self.define_toughness is not None,
            "7b": self.set_power is not None or self.set_toughness is not None,
            "7c": bool(self.add_power or self.add_toughness),
            "7d": self.switch,
        }
        object.__setattr__(self, "layers", frozenset(layer for layer, does in acts.items() if does))


@dataclass(slots=True)
class Component:
    """A card or token that a merged or melded permanent consists of."""

    name: str | None
    kind: str
    owner: Seat


@dataclass(slots=True)
class Player:
    """One player."""

    seat: Seat
    team: int
    life: int = 20
    poison: int = 0
    drew_from_empty: bool = False
    speed: int | None = None
    in_game: bool = True
    designations: set[str] = field(default_factory=set)
    cant_lose: bool = False
    no_loss_at_zero_life: bool = False
    commander_damage: dict[Handle, int] = field(default_factory=dict)
    # Out of the game for good: a loser leaves after the event, and not at all when that event ends the game.
    has_left: bool = False


@dataclass(slots=True)
class Object:
    """One object: a permanent, or a card, token, copy or ability elsewhere."""

    handle: Handle
    row: int
    controller: Seat
    owner: Seat
    timestamp: float
    world_since: float
    name: str | None = None
    kind: str = "card"
    zone: str = "battlefield"
    types: frozenset[str] = frozenset()
    supertypes: frozenset[str] = frozenset()
    subtypes: frozenset[str] = frozenset()
    colors: frozenset[str] = frozenset()
    power: int | None = None
    toughness: int | None = None
    mana_value: int = 0
    damage: int = 0
    deathtouch_damage: bool = False
    counters: dict[str, int] = field(default_factory=dict)
    counter_limits: dict[str, int] = field(default_factory=dict)
    attached_to: Handle | PlayerRef | None = None
    enchant: Filter | EnchantPlayer | None = None
    keywords: frozenset[str] = frozenset()
    protection: frozenset[str] = frozenset()
    keeps_attachments: frozenset[Handle] = frozenset()
    bestowed: bool = False
    regeneration: int = 0
    graveyard_replacement: str | None = None
    final_chapter: int = 0
    source: Handle | None = None
    triggered_during: bool = False
    resolving: bool = False
    commander: bool = False
    arrived: bool = False
    tapped: bool = False
    phased_out: bool = False
    blocking: bool = False
    attacking: Attacked | None = None
    dies_trigger: bool = False
    leaves_trigger: bool = False
    protector: Seat | None = None
    sector: str | None = None
    bottommost_room: bool = False
    face_up: bool = True
    components: list[Component] = field(default_factory=list)
    # It has changed zones in this settling: a new object, to which nothing given refers (CR 400.7).
    moved: bool = False

    def exists(self) -> bool:
        """Whether the rules and effects see it: a phased-out permanent they do not (CR 702.26b)."""
        return self.on_battlefield() if self.zone == "battlefield" else self.zone != "none"

    def on_battlefield(self) -> bool:
        """Whether it is a permanent (CR 110.1: never an emblem or an ability) that the rules and effects see."""
        return self.zone == "battlefield" and not self.phased_out and self.kind not in NO_PERMANENTS

    def move_to(self, zone: str) -> None:
        """Put it into another zone, where it is a new object without memory of the old one (CR 400.7)."""
        self.zone = zone
        self.moved = True
        self.arrived = True
        self.controller = self.owner
        self.damage = 0
        self.deathtouch_damage = False
        self.counters = {}
        self.attached_to = None
        self.keeps_attachments = frozenset()
        self.bestowed = False
        self.regeneration = 0
        self.tapped = self.phased_out = self.blocking = False
        self.attacking = None
        self.protector = None
        self.sector = None
        self.resolving = False
        self.world_since = self.timestamp

    def mutable_part(self) -> tuple[object, ...]:
        """Everything that can change while settling, for the comparison of boards (CR 104.4b)."""
        return (
            self.zone,
            self.moved,
            self.arrived,
            self.controller,
            self.damage,
            self.deathtouch_damage,
            tuple(sorted((kind, count) for kind, count in self.counters.items() if count)),
            self.attached_to,
            self.keeps_attachments,
            self.bestowed,
            self.regeneration,
            self.tapped,
            self.phased_out,
            self.blocking,
            self.attacking,
            self.protector,
            self.sector,
            self.face_up,
            len(self.components),
        )


@dataclass(slots=True)
class Board:
    """One board state."""

    variant: frozenset[str]
    active_player: Seat
    step: str
    skips: frozenset[str]
    round_expired: bool
    planar_controller: Seat
    players: list[Player]
    objects: dict[Handle, Object]
    effects: list[Effect]

    def two_headed_giant(self) -> bool:
        """Whether teams win and lose as one (CR 810)."""
        return "two_headed_giant" in self.variant

    def shared_life(self) -> bool:
        """Whether a life total is a team's (CR 810.9, 904.13b)."""
        return bool(self.variant & {"two_headed_giant", "archenemy_commander"})

    def in_game(self) -> list[Player]:
        """The players who have neither lost nor left."""
        return [player for player in self.players if player.in_game]

    def team_of(self, seat: Seat) -> list[Player]:
        """The members of a player's team who are in the game."""
        return [player for player in self.in_game() if player.team == self.players[seat].team]

    def are_opponents(self, one: Seat, other: Seat) -> bool:
        """Players of different teams are opponents (CR 102.3)."""
        return self.players[one].team != self.players[other].team

    def in_turn_order_after(self, seat: Seat) -> list[Player]:
        """The other players in the game, the next in turn order first."""
        count = len(self.players)
        order = [self.players[(seat + step) % count] for step in range(1, count)]
        return [player for player in order if player.in_game]

    def outcome(self) -> Any:
        """Whether the game is over: with two teams or more, when at most one is left (CR 104.2a, 104.2c, 104.4a)."""
        teams = {player.team for player in self.players}
        left = {player.team for player in self.in_game()}
        if not self.players:
            return "ongoing"
        if not left:
            return "draw"
        if len(teams) > 1 and len(left) == 1:
            return {"win": [player.seat for player in self.players if player.team in left]}
        return "ongoing"

    def fingerprint(self) -> tuple[object, ...]:
        """The whole board as a value that can be compared."""
        players = tuple(
            (p.life, p.poison, p.drew_from_empty, p.speed, p.in_game, tuple(sorted(p.designations)))
            for p in self.players
        )
        objects = tuple(obj.mutable_part() for obj in self.objects.values())
        return players, objects, self.planar_controller
