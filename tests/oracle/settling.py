"""Checks, repeated until nothing applies any more (CR 704.3), and how a game ends (CR 104)."""

from dataclasses import dataclass, field
from typing import Any

from oracle.actions import Action, Row
from oracle.board import Board, Combat, Handle, Object, Player, PlayerRef, Seat
from oracle.consequences import CombatMemory, Consequences, remember_combat
from oracle.event import Event
from oracle.layers import FixedAtStart, Picture, fix_at_start, take_picture
from oracle.losing import LOSING_RULES
from oracle.parse import Choices
from oracle.permanents import OBJECT_RULES
from oracle.words import ABILITY_KINDS


def judge(picture: Picture, choices: Choices) -> list[Action]:
    """Find every state-based action that applies to one picture."""
    actions = [action for losing_rule in LOSING_RULES for action in losing_rule(picture)]
    actions += [action for object_rule in OBJECT_RULES for action in object_rule(picture, choices)]
    return actions


def worlds(picture: Picture) -> dict[Handle, Object]:
    return {obj.handle: obj for obj in picture.permanents() if "world" in picture.views[obj.handle].supertypes}


@dataclass(slots=True)
class Settling:
    """One board, what happens to it, and the record of that."""

    board: Board
    choices: Choices
    fixed: FixedAtStart = field(init=False)
    worlds: set[Handle] = field(init=False)
    rows: list[Row] = field(default_factory=list)
    passes: int = 0
    lost: set[Seat] = field(default_factory=set)
    outcome: Any = "ongoing"
    status: str = "settled"
    next_step: str | None = None
    waiting: list[Handle] = field(default_factory=list)
    players_get_priority: bool | None = None
    combat_memory: CombatMemory = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.outcome = self.board.outcome()
        if self.is_over():
            # CR 104.1: nobody leaves a game that has ended.
            for player in self.board.players:
                player.has_left = False
        self.fixed = fix_at_start(self.board)
        self.worlds = set(worlds(self.picture()))

    def picture(self) -> Picture:
        return take_picture(self.board, self.fixed)

    def is_over(self) -> bool:
        return bool(self.outcome != "ongoing")

    def pass_number(self) -> int:
        """The pass that rows outside an event are recorded with."""
        return max(1, self.passes)

    def settle(self) -> None:
        """Check until a check performs nothing, the game is over, or the board repeats itself."""
        if self.is_over():
            return
        self.consequences([])
        self.stray_abilities_cease()
        seen = {self.board.fingerprint()}
        while self.check():
            if self.is_over():
                return
            board = self.board.fingerprint()
            if board in seen:
                # CR 104.4b: a loop of mandatory actions is a draw, and nobody has lost by it.
                self.status = "loop"
                self.outcome = "draw"
                return
            seen.add(board)

    def check(self) -> bool:
        """Make one check; tell whether it performed anything."""
        picture = self.picture()
        self.start_clocks(picture)
        actions = judge(picture, self.choices)
        if not actions:
            self.clear_marks()
            return False
        self.passes += 1
        event = Event(picture, self.choices, actions, self.passes)
        self.rows += event.rows()
        self.clear_marks()
        event.happen()
        self.lost |= event.lost
        self.outcome = self.board.outcome()
        if not self.is_over():
            self.consequences([self.board.players[seat] for seat in sorted(event.lost)])
        return True

    def start_clocks(self, picture: Picture) -> None:
        """Let what has become world start to count as such (CR 704.5k: how long it has been)."""
        now = worlds(picture)
        latest = max((obj.world_since for obj in now.values()), default=0)
        for handle in now.keys() - self.worlds:
            self.board.objects[handle].world_since = latest + 1
        self.worlds = set(now)

    def clear_marks(self) -> None:
        # CR 704.5b, 704.5h, 704.6d: "since the last time state-based actions were checked".
        for player in self.board.players:
            player.drew_from_empty = False
        for obj in self.board.objects.values():
            obj.deathtouch_damage = False
            obj.arrived = False

    def consequences(self, leaving: list[Player]) -> None:
        """Let follow what follows at once, in rounds, until nothing does."""
        while True:
            picture = self.picture()
            found = Consequences(picture, self.combat_memory, leaving, self.pass_number())
            self.combat_memory = remember_combat(picture)
            if not found.found_something():
                return
            found.happen()
            self.rows += found.rows
            leaving = []

    def stray_abilities_cease(self) -> None:
        """Let abilities cease that are neither on the stack nor waiting; that is no action (CR 112.1, 113.1)."""
        for obj in self.board.objects.values():
            if obj.kind in ABILITY_KINDS and obj.zone not in ("stack", "waiting", "none"):
                obj.move_to("none")

    # -- the result ------------------------------------------------------------------------------------------------

    def result(self) -> dict[str, Any]:
        picture = self.picture()
        return {
            "status": self.status,
            "outcome": self.outcome,
            "passes": self.passes,
            "actions": [self.subjects_by_rule(number) for number in range(1, self.passes + 1)],
            "consequences": self.subjects_by_rule(None),
            "lost": sorted(self.lost),
            "next_step": self.next_step,
            "waiting": sorted(self.waiting),
            "players_get_priority": self.players_get_priority,
            "players": [player_result(player) for player in self.board.players],
            "objects": {handle: object_result(picture, handle) for handle in self.board.objects},
            "rows": [row.as_dict() for row in self.rows],
        }

    def subjects_by_rule(self, number: int | None) -> dict[str, list[Any]]:
        """List what the actions of one pass were performed on, or everything that is no action."""
        found: dict[str, list[Any]] = {}
        for row in self.rows:
            if number == (row.number if row.kind == "sba" else None):
                found.setdefault(row.rule, []).append(row.subject())
        return {rule: sorted(subjects, key=sorting_key) for rule, subjects in sorted(found.items())}


def sorting_key(subject: Any) -> tuple[int, int, str]:
    """Order players by seat, then handles by name."""
    return (0, subject["player"], "") if isinstance(subject, dict) else (1, 0, str(subject))


def reference(value: Handle | PlayerRef | Combat | None) -> Any:
    if isinstance(value, PlayerRef):
        return {"player": value.seat}
    return value.value if isinstance(value, Combat) else value


def player_result(player: Player) -> dict[str, Any]:
    return {
        "life": player.life,
        "poison": player.poison,
        "speed": player.speed,
        "in_game": player.in_game,
        "designations": sorted(player.designations),
    }


def object_result(picture: Picture, handle: Handle) -> dict[str, Any]:
    obj = picture.board.objects[handle]
    view = picture.views[handle]
    result: dict[str, Any] = {
        "zone": obj.zone,
        "controller": view.controller,
        "attached_to": reference(obj.attached_to),
        "damage": obj.damage,
        "counters": {kind: count for kind, count in sorted(obj.counters.items()) if count},
        "tapped": obj.tapped,
        "attacking": reference(obj.attacking),
        "protector": obj.protector,
        "sector": obj.sector,
    }
    if obj.zone == "battlefield":
        is_creature = "creature" in view.types
        result["power"] = view.power if is_creature else None
        result["toughness"] = view.toughness if is_creature else None
        result["types"] = sorted(view.types)
    return result
