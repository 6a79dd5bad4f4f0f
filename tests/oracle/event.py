"""All state-based actions of one check, performed as one event (CR 704.3)."""

from collections import defaultdict

from oracle.actions import Action, Before, Does, Row
from oracle.board import Board, Combat, Handle, Object, Seat
from oracle.destruction import Destination, Destructions, destination
from oracle.layers import Picture
from oracle.losing import Saved, losers, replace_losses
from oracle.parse import Choices
from oracle.words import SECTORS


def leave_combat(obj: Object) -> None:
    """Stop attacking and blocking (CR 506.4)."""
    obj.attacking = None
    obj.blocking = False


def stop_being_attacked(board: Board, handle: Handle) -> None:
    """Let the attackers of what left combat go on attacking nothing (CR 506.4c)."""
    for obj in board.objects.values():
        if obj.attacking == handle and obj.on_battlefield():
            obj.attacking = Combat.NOTHING


def move(board: Board, obj: Object, zone: str) -> None:
    stop_being_attacked(board, obj.handle)
    obj.move_to(zone)


def leaving_rows(picture: Picture, obj: Object, zone: str, number: int) -> list[Row]:
    """Record the abilities that trigger as a permanent leaves: they look back (CR 603.10a)."""
    if not obj.on_battlefield() or not picture.views[obj.handle].has_abilities:
        return []
    before = Before.of(picture, obj)
    rows = []
    if obj.dies_trigger and zone == "graveyard":
        rows.append(Row(number, "dies_trigger", "consequence", obj.handle, to_zone=zone, before=before))
    if obj.leaves_trigger:
        rows.append(Row(number, "leaves_trigger", "consequence", obj.handle, to_zone=zone, before=before))
    return rows


class Event:
    """One event: first everything is decided on one picture, then everything happens."""

    def __init__(self, picture: Picture, choices: Choices, actions: list[Action], number: int) -> None:
        self.picture = picture
        self.board = picture.board
        self.choices = choices
        self.actions = actions
        self.number = number
        losses = self.that_do(Does.LOSE)
        self.saved = replace_losses(picture, choices, losses)
        self.lost: set[Seat] = losers(picture, losses)
        by_rule = dict.fromkeys(self.handles_that(Does.DESTROY))
        self.destructions = Destructions(picture, choices, list(by_rule)).resolve()
        self.destinations = self.find_destinations()

    def that_do(self, does: Does) -> list[Action]:
        return [action for action in self.actions if action.does is does]

    def handles_that(self, does: Does) -> list[Handle]:
        return [action.object for action in self.that_do(does) if action.object is not None]

    def find_destinations(self) -> dict[Handle, Destination]:
        """Find for everything that moves where it goes."""
        ceases = {handle: Destination("none", None) for handle in self.handles_that(Does.CEASE_TO_EXIST)}
        command = {handle: Destination("command", None) for handle in self.handles_that(Does.MOVE_TO_COMMAND_ZONE)}
        dies = set(self.handles_that(Does.PUT_INTO_GRAVEYARD)) | self.destructions.destroyed
        moved_by_effect = self.moved_by_loss_replacements(self.saved)
        moves = {
            handle: destination(
                self.picture,
                self.choices,
                self.board.objects[handle],
                dies=handle in dies,
                effect_zones=moved_by_effect.get(handle, []),
            )
            for handle in self.board.objects
            if handle in dies or handle in moved_by_effect
        }
        # What ceases to exist goes nowhere else (CR 111.8).
        return {**moves, **command, **ceases}

    def moved_by_loss_replacements(self, saved: list[Saved]) -> dict[Handle, list[str]]:
        zones: dict[Handle, list[str]] = defaultdict(list)
        for save in saved:
            source = save.effect.source
            if save.effect.exile_source and source is not None and self.board.objects[source].on_battlefield():
                zones[source].append("exile")
            if save.effect.shuffle_owned:
                for obj in self.picture.permanents():
                    if obj.owner == save.seat:
                        zones[obj.handle].append("library")
        return zones

    # -- the record ------------------------------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        rows = [self.row_of(action) for action in self.actions]
        rows += self.rows_of_saves()
        for handle, where in self.destinations.items():
            rows += leaving_rows(self.picture, self.board.objects[handle], where.zone, self.number)
        return rows

    def row_of(self, action: Action) -> Row:
        row = Row(
            self.number,
            action.rule,
            "sba",
            action.object,
            action.player,
            amount=action.amount,
            replaced_by=action.replaced_by,
        )
        if action.object is None:
            return row
        row.before = Before.of(self.picture, self.board.objects[action.object])
        row.to_zone = self.zone_afterwards(action.object)
        if action.does is Does.DESTROY and action.object in self.destructions.saves:
            row.replaced_by = self.destructions.saves[action.object].replaced_by()
        elif action.does in (Does.DESTROY, Does.PUT_INTO_GRAVEYARD):
            row.replaced_by = self.destinations[action.object].replaced_by
        return row

    def zone_afterwards(self, handle: Handle) -> str:
        return self.destinations[handle].zone if handle in self.destinations else self.board.objects[handle].zone

    def rows_of_saves(self) -> list[Row]:
        """Record who was saved from destruction. What is moved all the same was not."""
        rows = []
        for save in self.destructions.saves.values():
            if save.handle in self.destinations:
                continue
            obj = self.board.objects[save.handle]
            rule = "regenerated" if save.umbra is None else "umbra_armor"
            names = [rule]
            if save.umbra is None and (obj.attacking is not None or obj.blocking):
                names.append("removed_from_combat")
            before = Before.of(self.picture, obj)
            rows += [
                Row(self.number, name, "consequence", save.handle, to_zone=obj.zone, amount=save.umbra, before=before)
                for name in names
            ]
        return rows

    # -- what happens ----------------------------------------------------------------------------------------------

    def happen(self) -> None:
        self.players_lose_or_are_saved()
        for action in self.actions:
            if action.object is None:
                if action.does is Does.GET_SPEED and action.player is not None:
                    self.board.players[action.player].speed = action.amount
            else:
                self.change(action, self.board.objects[action.object])
        for save in self.destructions.saves.values():
            obj = self.board.objects[save.handle]
            obj.damage = 0
            if save.umbra is None:
                # CR 701.19a: tapped and removed from combat, and the shield is used up.
                obj.regeneration -= 1
                obj.tapped = True
                leave_combat(obj)
        for handle in self.destructions.shields_used:
            # A limit may have taken all of them in the same event (CR 704.5r).
            shields = self.board.objects[handle].counters.get("shield", 0)
            self.board.objects[handle].counters["shield"] = max(0, shields - 1)
        for handle, where in self.destinations.items():
            move(self.board, self.board.objects[handle], where.zone)

    def players_lose_or_are_saved(self) -> None:
        for save in self.saved:
            if save.effect.life is not None:
                for seat in save.gets_life:
                    self.board.players[seat].life = save.effect.life
        for seat in self.lost:
            self.board.players[seat].in_game = False

    def change(self, action: Action, obj: Object) -> None:
        match action.does:
            case Does.UNATTACH:
                obj.attached_to = None
            case Does.REMOVE_COUNTERS:
                for kind, count in action.counters.items():
                    obj.counters[kind] = max(0, obj.counters[kind] - count)
            case Does.GET_PROTECTOR:
                obj.protector = action.amount
            case Does.GET_SECTOR if action.amount is not None:
                obj.sector = SECTORS[action.amount]
            case Does.TURN_FACE_DOWN:
                obj.face_up = False
            case Does.PLANESWALK:
                # CR 701.31: away from every face-up plane and phenomenon; what comes up next is not on the board.
                for other in self.board.objects.values():
                    if other.zone == "command" and self.picture.views[other.handle].types & {"plane", "phenomenon"}:
                        other.face_up = False
            case Does.DROP_TOKEN_COMPONENTS:
                obj.components = [component for component in obj.components if component.kind != "token"]
                top = obj.components[0]
                obj.name, obj.kind, obj.owner = top.name, top.kind, top.owner
            case _:
                # Losing, destruction and zone changes have been decided for all together.
                pass
