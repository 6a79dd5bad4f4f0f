"""What is no state-based action but follows at once (CR 506.4, 702.103f, 702.131b, 702.195a, 800.4)."""

from collections.abc import Iterator
from dataclasses import dataclass

from oracle import words
from oracle.actions import Before, Row
from oracle.attachments import is_legal_for_bestowed
from oracle.board import Board, Combat, Handle, Object, Player, PlayerRef, Seat
from oracle.event import leave_combat, leaving_rows, move, stop_being_attacked
from oracle.layers import Picture
from oracle.permanents import is_attacked
from oracle.views import host_of


@dataclass(frozen=True, slots=True)
class InCombat:
    """What of a permanent decides whether it stays in combat, as the last picture showed it."""

    controller: Seat
    protector: Seat | None
    was_battle: bool

    @classmethod
    def of(cls, picture: Picture, obj: Object) -> "InCombat":
        view = picture.views[obj.handle]
        return cls(view.controller, obj.protector, "battle" in view.types)


CombatMemory = dict[Handle, InCombat]


def remember_combat(picture: Picture) -> CombatMemory:
    return {obj.handle: InCombat.of(picture, obj) for obj in picture.permanents()}


def bestow_ends(picture: Picture) -> Iterator[Object]:
    # CR 702.103f, g: a bestowed Aura that is unattached, or attached to something illegal, is bestowed no more. One
    # without its abilities has no bestow either.
    for obj in picture.permanents():
        if not obj.bestowed:
            continue
        host = host_of(picture.board, picture.views, obj)
        if host is None or not picture.views[obj.handle].has_abilities or not is_legal_for_bestowed(picture, obj, host):
            yield obj


def attacker_or_blocker_leaves(picture: Picture, obj: Object) -> bool:
    # CR 506.4: an attacking or blocking permanent that is no creature any more, or is a battle, leaves combat.
    types = picture.views[obj.handle].types
    return (obj.attacking is not None or obj.blocking) and ("creature" not in types or "battle" in types)


def attacked_permanent_leaves(picture: Picture, obj: Object, memory: CombatMemory) -> bool:
    # CR 506.4: an attacked planeswalker or battle that is neither any more leaves combat.
    types = picture.views[obj.handle].types
    if not is_attacked(picture, obj.handle) or "battle" in types:
        return False
    if "planeswalker" not in types:
        return True
    # CR 506.4e: what was attacked as a battle and is still a planeswalker stays only if that is no other defender.
    was_battle = obj.handle in memory and memory[obj.handle].was_battle
    return was_battle and obj.protector != picture.views[obj.handle].controller


def changed_sides(picture: Picture, obj: Object, memory: CombatMemory) -> bool:
    # CR 506.4: a permanent in combat whose controller or protector changes leaves combat.
    if obj.handle not in memory:
        return False
    was, now = memory[obj.handle], InCombat.of(picture, obj)
    attacked = is_attacked(picture, obj.handle)
    if not attacked and obj.attacking is None and not obj.blocking:
        return False
    return now.controller != was.controller or (attacked and now.was_battle and now.protector != was.protector)


def attack_nothing(picture: Picture) -> Iterator[Object]:
    # CR 506.4c: what attacks something that is not there (any more) attacks nothing.
    there = {obj.handle for obj in picture.permanents()}
    for obj in picture.permanents():
        if isinstance(obj.attacking, PlayerRef):
            if not picture.board.players[obj.attacking.seat].in_game:
                yield obj
        elif isinstance(obj.attacking, str) and obj.attacking not in there:
            yield obj


def city_blessing(picture: Picture) -> Iterator[Player]:
    # CR 702.131b: a player with ten or more permanents, one of them with ascend, gets the city's blessing for good.
    for player in picture.board.in_game():
        permanents = list(picture.controlled_by(player.seat))
        ascends = any("ascend" in picture.views[obj.handle].keywords for obj in permanents)
        if ascends and len(permanents) >= 10 and "city_blessing" not in player.designations:
            yield player


def enduring_story(picture: Picture) -> Iterator[Player]:
    # CR 702.195a: the same for three or more permanents that are each an artifact, a Saga or legendary, and storied.
    for player in picture.board.in_game():
        views = [picture.views[obj.handle] for obj in picture.controlled_by(player.seat)]
        told = [v for v in views if "artifact" in v.types or "saga" in v.subtypes or "legendary" in v.supertypes]
        storied = any("storied" in view.keywords for view in views)
        if storied and len(told) >= 3 and "enduring_story" not in player.designations:
            yield player


def sectors_end(picture: Picture) -> list[Object]:
    # CR 702.158b: sectors last as long as someone controls a permanent with space sculptor, or an ability from one.
    objects = picture.board.objects
    if any("space_sculptor" in picture.views[obj.handle].keywords for obj in picture.permanents()):
        return []
    abilities = [
        obj for obj in objects.values() if obj.kind in words.ABILITY_KINDS and obj.zone in ("stack", "waiting")
    ]
    if any("space_sculptor" in objects[obj.source].keywords for obj in abilities if obj.source is not None):
        return []
    return [obj for obj in objects.values() if obj.sector is not None]


def left_behind(picture: Picture) -> Iterator[Object]:
    # CR 800.4a, 800.4c: what a player who has left still controls. Most of the command zone stays where it is.
    stays = {"plane", "phenomenon", "scheme", "vanguard", "conspiracy", "dungeon"}
    for obj in picture.board.objects.values():
        view = picture.views[obj.handle]
        if picture.board.players[view.controller].in_game or obj.zone not in words.CONTROLLED_ZONES:
            continue
        if obj.zone != "command" or (obj.kind in ("card", "token") and not view.types & stays):
            yield obj


class Consequences:
    """One round: everything is found on one picture, then everything happens."""

    def __init__(self, picture: Picture, memory: CombatMemory, leaving: list[Player], number: int) -> None:
        self.picture = picture
        self.board: Board = picture.board
        self.leaving = leaving
        self.number = number
        self.rows: list[Row] = []
        self.bestow_ends = list(bestow_ends(picture))
        permanents = list(picture.permanents())
        changed = [obj for obj in permanents if changed_sides(picture, obj, memory)]
        # CR 506.4d: what both attacks or blocks and is attacked can leave the one part of combat and stay in the other.
        self.stop_fighting = changed + [o for o in permanents if attacker_or_blocker_leaves(picture, o)]
        self.stop_being_attacked = changed + [o for o in permanents if attacked_permanent_leaves(picture, o, memory)]
        fighting = {obj.handle for obj in permanents if obj.attacking is not None or obj.blocking}
        leaving_combat = {obj.handle for obj in self.stop_fighting}
        leaving_combat |= {obj.handle for obj in self.stop_being_attacked} - fighting
        self.leave_combat = [obj for obj in permanents if obj.handle in leaving_combat]
        self.attack_nothing = list(attack_nothing(picture))
        self.designations = [(player, "city_blessing") for player in city_blessing(picture)] + [
            (player, "enduring_story") for player in enduring_story(picture)
        ]
        self.sectors_end = sectors_end(picture)
        # CR 800.4a has an order: what the players own goes first, and only what they still control then is exiled.
        self.left_behind = [] if leaving else list(left_behind(picture))

    def found_something(self) -> bool:
        leave_combat = self.stop_fighting or self.stop_being_attacked
        leave_combat = leave_combat or self.attack_nothing
        ends = self.bestow_ends or self.sectors_end
        return bool(self.leaving or ends or leave_combat or self.designations or self.left_behind)

    def happen(self) -> None:
        self.record()
        for obj in self.attack_nothing:
            obj.attacking = Combat.NOTHING
        for obj in self.bestow_ends:
            obj.bestowed = False
            obj.attached_to = None
        for obj in self.stop_fighting:
            leave_combat(obj)
        for obj in self.stop_being_attacked:
            stop_being_attacked(self.board, obj.handle)
        for obj in self.sectors_end:
            obj.sector = None
        for player, designation in self.designations:
            player.designations.add(designation)
        for player in self.leaving:
            self.leave_game(player)
        for obj in self.left_behind:
            move(self.board, obj, "exile" if is_exiled_when_left(obj) else "none")

    def record(self) -> None:
        for player in self.leaving:
            self.rows.append(Row(self.number, "player_leaves", "consequence", player=player.seat))
            for obj in owned_by(self.board, player):
                self.rows += leaving_rows(self.picture, obj, "none", self.number)
        for obj in self.left_behind:
            if is_exiled_when_left(obj):
                self.record_object("player_leaves", obj, "exile")
                self.rows += leaving_rows(self.picture, obj, "exile", self.number)
        for obj in self.bestow_ends:
            self.record_object("bestow_ends", obj, obj.zone)
        for obj in self.leave_combat:
            self.record_object("removed_from_combat", obj, obj.zone)
        for player, designation in self.designations:
            self.rows.append(Row(self.number, designation, "consequence", player=player.seat))

    def record_object(self, rule: str, obj: Object, to_zone: str) -> None:
        before = Before.of(self.picture, obj)
        self.rows.append(Row(self.number, rule, "consequence", obj.handle, to_zone=to_zone, before=before))

    def leave_game(self, player: Player) -> None:
        """Take a player out of the game with everything they own (CR 800.4a)."""
        if "planechase" in self.board.variant and self.board.planar_controller == player.seat:
            self.pass_on_planes(player)
        player.has_left = True
        if "planechase" in self.board.variant:
            self.pass_on_abilities_of_phenomena(player)
        for obj in owned_by(self.board, player):
            move(self.board, obj, "none")

    def pass_on_planes(self, player: Player) -> None:
        # CR 901.6, 800.4p: the next player in turn order becomes the planar controller.
        others = self.board.in_turn_order_after(player.seat)
        if not others:
            return
        self.board.planar_controller = others[0].seat
        for obj in self.board.objects.values():
            is_plane = bool(self.picture.views[obj.handle].types & {"plane", "phenomenon"})
            if is_plane and obj.zone == "command" and obj.face_up and obj.controller == player.seat:
                obj.controller = others[0].seat

    def pass_on_abilities_of_phenomena(self, player: Player) -> None:
        # CR 901.10b: on the stack they stay, controlled by the new planar controller.
        for obj in self.board.objects.values():
            if obj.kind not in words.ABILITY_KINDS or obj.zone != "stack" or obj.source is None:
                continue
            if player.seat in (obj.owner, obj.controller) and "phenomenon" in self.board.objects[obj.source].types:
                obj.owner = obj.controller = self.board.planar_controller


def owned_by(board: Board, player: Player) -> list[Object]:
    return [obj for obj in board.objects.values() if obj.owner == player.seat and obj.zone != "none"]


def is_exiled_when_left(obj: Object) -> bool:
    """Whether an object is exiled; a copy or an ability only ceases to exist, and nothing is recorded of it."""
    if obj.kind in words.ABILITY_KINDS:
        return False
    return obj.zone in ("battlefield", "command") or (obj.zone == "stack" and obj.kind == "card")
