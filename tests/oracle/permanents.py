"""The state-based actions about objects (CR 704.5d-z, 704.5aa, 704.6d-f).

Each rule looks at one picture and changes nothing.
"""

from collections import defaultdict
from collections.abc import Iterator

from oracle.actions import Action, Does
from oracle.attachments import is_legal_for_aura, is_legal_for_equipment, pending_triggers
from oracle.board import Handle, Object, Rejected, Seat
from oracle.layers import Picture
from oracle.parse import Choices
from oracle.views import host_of
from oracle.words import SECTORS


def token_off_battlefield(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5d: a token that is not on the battlefield ceases to exist. What was a merged permanent is several objects
    # there (CR 730.3), of which only the tokens cease.
    for obj in picture.board.objects.values():
        if obj.zone in ("battlefield", "none"):
            continue
        kinds = {component.kind for component in obj.components} or {obj.kind}
        if kinds == {"token"}:
            yield Action("token_off_battlefield", Does.CEASE_TO_EXIST, obj.handle)
        elif "token" in kinds:
            yield Action("token_off_battlefield", Does.DROP_TOKEN_COMPONENTS, obj.handle)


def copy_off_zone(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5e: a copy of a spell anywhere but on the stack, and a copy of a card anywhere but on the stack or the
    # battlefield, ceases to exist.
    allowed = {"spell_copy": {"stack"}, "card_copy": {"stack", "battlefield"}}
    for obj in picture.board.objects.values():
        if obj.kind in allowed and obj.exists() and obj.zone not in allowed[obj.kind]:
            yield Action("copy_off_zone", Does.CEASE_TO_EXIST, obj.handle)


def toughness_zero(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5f: a creature with toughness 0 or less is put into its owner's graveyard; that is no destruction.
    for obj in picture.permanents():
        view = picture.views[obj.handle]
        if "creature" in view.types and view.toughness <= 0:
            yield Action("toughness_zero", Does.PUT_INTO_GRAVEYARD, obj.handle)


def lethal_damage(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5g: a creature with toughness above 0 and marked damage of at least that is destroyed, unless it is
    # indestructible (CR 702.12b).
    for obj in picture.permanents():
        view = picture.views[obj.handle]
        if not can_be_destroyed_by_rule(picture, obj) or obj.damage <= 0:
            continue
        by_power = picture.permanent_has_rule(obj.handle, "lethal_damage_uses_power")
        if obj.damage >= (view.power if by_power else view.toughness):
            yield Action("lethal_damage", Does.DESTROY, obj.handle)


def deathtouch_damage(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5h: a creature with toughness above 0 that was dealt damage by a source with deathtouch since the last
    # check is destroyed, unless it is indestructible.
    for obj in picture.permanents():
        if obj.deathtouch_damage and can_be_destroyed_by_rule(picture, obj):
            yield Action("deathtouch_damage", Does.DESTROY, obj.handle)


def can_be_destroyed_by_rule(picture: Picture, obj: Object) -> bool:
    view = picture.views[obj.handle]
    return "creature" in view.types and view.toughness > 0 and "indestructible" not in view.keywords


def loyalty_zero(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5i: a planeswalker with loyalty 0 is put into its owner's graveyard. Its loyalty is the number of its
    # loyalty counters (CR 306.5c).
    for obj in picture.permanents():
        if "planeswalker" not in picture.views[obj.handle].types or obj.counters.get("loyalty", 0):
            continue
        if not picture.permanent_has_rule(obj.handle, "survives_zero_loyalty"):
            yield Action("loyalty_zero", Does.PUT_INTO_GRAVEYARD, obj.handle)


def legend_rule(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5j: of legendary permanents of one name under one controller that player keeps one. Without a name there is
    # no same name (CR 201.2a).
    groups: dict[tuple[Seat, str], list[Object]] = defaultdict(list)
    for obj in picture.permanents():
        view = picture.views[obj.handle]
        if obj.name is None or "legendary" not in view.supertypes:
            continue
        if not picture.permanent_has_rule(obj.handle, "no_legend_rule"):
            groups[view.controller, obj.name].append(obj)
    for (_, name), group in groups.items():
        if len(group) < 2:
            continue
        chosen = [obj for obj in group if obj.handle in choices.keep]
        new = [obj for obj in chosen if obj.handle not in choices.kept]
        if len(new) > 1:
            raise Rejected(f"choices.keep: of the permanents named {name!r} only one can be kept")
        kept = newest(new or chosen or group)
        if kept in chosen:
            choices.kept.add(kept.handle)
        for obj in group:
            if obj is not kept:
                yield Action("legend_rule", Does.PUT_INTO_GRAVEYARD, obj.handle)


def newest(group: list[Object]) -> Object:
    return max(group, key=lambda obj: (obj.timestamp, obj.row))


def world_rule(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5k: of all world permanents only the one that has been world for the shortest time stays, and none if there
    # is a tie for it.
    group = [obj for obj in picture.permanents() if "world" in picture.views[obj.handle].supertypes]
    if len(group) < 2:
        return
    latest = max(obj.world_since for obj in group)
    tie = sum(obj.world_since == latest for obj in group) > 1
    for obj in group:
        if tie or obj.world_since < latest:
            yield Action("world_rule", Does.PUT_INTO_GRAVEYARD, obj.handle)


def is_creature_or_battle(picture: Picture, obj: Object) -> bool:
    return bool(picture.views[obj.handle].types & {"creature", "battle"})


def illegal_aura(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5m: an Aura attached to something illegal or to nothing is put into its owner's graveyard. Bestowed ones
    # are no concern of this rule (CR 702.103f). One that is also a creature comes off first (CR 303.4d).
    for obj in picture.permanents():
        if "aura" not in picture.views[obj.handle].subtypes or obj.bestowed:
            continue
        host = host_of(picture.board, picture.views, obj)
        if host is None:
            falls_off = True
        elif is_creature_or_battle(picture, obj):
            falls_off = False
        else:
            falls_off = not is_legal_for_aura(picture, obj, host)
        if falls_off:
            yield Action("illegal_aura", Does.PUT_INTO_GRAVEYARD, obj.handle)


def illegal_equipment(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5n: an Equipment or Fortification attached to an illegal permanent or to a player comes off and stays.
    for obj in picture.permanents():
        if obj.attached_to is None or not picture.views[obj.handle].subtypes & {"equipment", "fortification"}:
            continue
        host = host_of(picture.board, picture.views, obj)
        if host is None or not is_legal_for_equipment(picture, obj, host):
            yield Action("illegal_equipment", Does.UNATTACH, obj.handle)


def illegal_attachment(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5p: an attached creature or battle comes off, and so does whatever is no Aura, Equipment or Fortification.
    # Where the host is gone, an Aura, Equipment or Fortification is a matter of the rules above alone.
    for obj in picture.permanents():
        if obj.attached_to is None:
            continue
        if picture.views[obj.handle].subtypes & {"aura", "equipment", "fortification"}:
            comes_off = is_creature_or_battle(picture, obj) and host_of(picture.board, picture.views, obj) is not None
        else:
            comes_off = True
        if comes_off:
            yield Action("illegal_attachment", Does.UNATTACH, obj.handle)


def counters_cancel(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5q: of +1/+1 and -1/-1 counters on one permanent as many of each are removed as there are of the fewer.
    for obj in picture.permanents():
        if pairs := min(obj.counters.get("+1/+1", 0), obj.counters.get("-1/-1", 0)):
            removed = {"+1/+1": pairs, "-1/-1": pairs}
            yield Action("counters_cancel", Does.REMOVE_COUNTERS, obj.handle, amount=pairs, counters=removed)


def counter_limit(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5r: from a permanent whose ability limits its counters of a kind all above the limit are removed.
    for obj in picture.permanents():
        if not picture.views[obj.handle].has_abilities:
            continue
        excess = {kind: obj.counters.get(kind, 0) - limit for kind, limit in obj.counter_limits.items()}
        removed = {kind: count for kind, count in excess.items() if count > 0}
        if removed:
            amount = sum(removed.values())
            yield Action("counter_limit", Does.REMOVE_COUNTERS, obj.handle, amount=amount, counters=removed)


def saga_finished(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5s: a Saga with as many lore counters as its final chapter's number is sacrificed, unless a chapter ability
    # of it waits or is on the stack. Without a chapter ability it is never finished (CR 714.4).
    for obj in picture.permanents():
        view = picture.views[obj.handle]
        if "saga" not in view.subtypes or not view.has_abilities or obj.final_chapter <= 0:
            continue
        if obj.counters.get("lore", 0) < obj.final_chapter:
            continue
        if pending_triggers(picture, obj, frozenset({"chapter_ability"})):
            continue
        kept = "cant_be_sacrificed" in view.keywords or picture.permanent_has_rule(obj.handle, "cant_be_sacrificed")
        if not kept:
            yield Action("saga_finished", Does.PUT_INTO_GRAVEYARD, obj.handle)


def dungeon_completed(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5t: a dungeon whose marker is on the bottommost room leaves the game, unless a room ability of it waits or
    # is on the stack.
    for obj in picture.board.objects.values():
        if obj.zone != "command" or "dungeon" not in picture.views[obj.handle].types or not obj.bottommost_room:
            continue
        if not pending_triggers(picture, obj, frozenset({"room_ability"})):
            yield Action("dungeon_completed", Does.CEASE_TO_EXIST, obj.handle)


def sector(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5u: while a permanent is a space sculptor, each creature without a sector gets one its controller chooses.
    if not any("space_sculptor" in picture.views[obj.handle].keywords for obj in picture.permanents()):
        return
    for obj in picture.permanents():
        if "creature" in picture.views[obj.handle].types and obj.sector is None:
            chosen = choices.sector.get(obj.handle, SECTORS[0])
            yield Action("sector", Does.GET_SECTOR, obj.handle, amount=SECTORS.index(chosen))


def is_siege(picture: Picture, obj: Object) -> bool:
    return "siege" in picture.views[obj.handle].subtypes


def battles(picture: Picture) -> Iterator[Object]:
    return (obj for obj in picture.permanents() if "battle" in picture.views[obj.handle].types)


def siege_defense_zero(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5v: a Siege with defense 0 is put into its owner's graveyard, unless a triggered ability of it waits or is
    # on the stack.
    for obj in battles(picture):
        if is_siege(picture, obj) and not obj.counters.get("defense", 0) and not pending_triggers(picture, obj):
            yield Action("siege_defense_zero", Does.PUT_INTO_GRAVEYARD, obj.handle)


def battle_defense_zero(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5w: any other battle with defense 0 is put into its owner's graveyard.
    for obj in battles(picture):
        if not is_siege(picture, obj) and not obj.counters.get("defense", 0):
            yield Action("battle_defense_zero", Does.PUT_INTO_GRAVEYARD, obj.handle)


def possible_protectors(picture: Picture, battle: Object) -> list[Seat]:
    """Find who may protect a battle: a Siege an opponent, in turn order (CR 310.12a), others their controller."""
    board = picture.board
    controller = picture.views[battle.handle].controller
    if not is_siege(picture, battle):
        return [controller] if board.players[controller].in_game else []
    return [p.seat for p in board.in_turn_order_after(controller) if board.are_opponents(p.seat, controller)]


def choose_protector(picture: Picture, choices: Choices, battle: Object, rule: str) -> Action:
    possible = possible_protectors(picture, battle)
    if not possible:
        return Action(rule, Does.PUT_INTO_GRAVEYARD, battle.handle)
    chosen = choices.protector.get(battle.handle, possible[0])
    if chosen not in possible:
        if battle.handle not in choices.protected:
            raise Rejected(f"choices.protector.{battle.handle}: seat {chosen} cannot be its protector")
        chosen = possible[0]  # who was chosen in an earlier check has left since
    choices.protected.add(battle.handle)
    return Action(rule, Does.GET_PROTECTOR, battle.handle, amount=chosen)


def is_attacked(picture: Picture, handle: Handle) -> bool:
    return any(obj.attacking == handle for obj in picture.permanents())


def battle_no_protector(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5x: the controller of a battle that nobody attacks, and that has no protector in the game, chooses one. If
    # there is none to choose, the battle is put into its owner's graveyard.
    for obj in battles(picture):
        gone = obj.protector is None or not picture.board.players[obj.protector].in_game
        if gone and not is_attacked(picture, obj.handle):
            yield choose_protector(picture, choices, obj, "battle_no_protector")


def battle_illegal_protector(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5y: the same for a battle whose protector is a player who cannot be its protector, attacked or not.
    for obj in battles(picture):
        protector = obj.protector
        if protector is None or not picture.board.players[protector].in_game:
            continue
        if protector not in possible_protectors(picture, obj):
            yield choose_protector(picture, choices, obj, "battle_illegal_protector")


def extra_role(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5z: of several Roles one player controls on one permanent only the newest stays.
    groups: dict[tuple[Handle, Seat], list[Object]] = defaultdict(list)
    for obj in picture.permanents():
        if "role" not in picture.views[obj.handle].subtypes or not isinstance(obj.attached_to, Handle):
            continue
        # What it may enchant plays no part here.
        host = picture.board.objects[obj.attached_to]
        if host.on_battlefield() and not host.moved:
            groups[host.handle, picture.views[obj.handle].controller].append(obj)
    for group in groups.values():
        for obj in group:
            if obj is not newest(group):
                yield Action("extra_role", Does.PUT_INTO_GRAVEYARD, obj.handle)


def start_engines(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.5aa: a player without speed who controls a permanent with start your engines! gets speed 1.
    for player in picture.board.in_game():
        if player.speed is None and any(
            "start_your_engines" in picture.views[obj.handle].keywords for obj in picture.controlled_by(player.seat)
        ):
            yield Action("start_engines", Does.GET_SPEED, player=player.seat, amount=1)


def commander_zone(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.6d, 903.9a: a commander that got into a graveyard or into exile since the last check may be put into the
    # command zone by its owner.
    if not may_use_command_zone(picture):
        return
    for obj in picture.board.objects.values():
        just_arrived = obj.arrived and obj.zone in ("graveyard", "exile")
        is_card = "card" in ({component.kind for component in obj.components} or {obj.kind})
        if obj.commander and is_card and just_arrived and choices.command_zone.get(obj.handle, True):
            yield Action("commander_zone", Does.MOVE_TO_COMMAND_ZONE, obj.handle)


def may_use_command_zone(picture: Picture) -> bool:
    return bool(picture.board.variant & {"commander", "brawl", "archenemy_commander"})


def face_up_in_command_zone(picture: Picture, types: set[str]) -> Iterator[Object]:
    for obj in picture.board.objects.values():
        if obj.zone == "command" and obj.face_up and picture.views[obj.handle].types & types:
            yield obj


def scheme_turned_down(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.6e: a face-up scheme that is not ongoing is turned face down, unless a triggered ability of any scheme
    # waits or is on the stack.
    if not picture.board.variant & {"archenemy", "archenemy_commander"}:
        return
    schemes = [obj for obj in picture.board.objects.values() if "scheme" in picture.views[obj.handle].types]
    if any(pending_triggers(picture, scheme) for scheme in schemes):
        return
    for obj in face_up_in_command_zone(picture, {"scheme"}):
        if "ongoing" not in picture.views[obj.handle].supertypes:
            yield Action("scheme_turned_down", Does.TURN_FACE_DOWN, obj.handle)


def phenomenon(picture: Picture, choices: Choices) -> Iterator[Action]:
    # CR 704.6f: when no triggered ability of a face-up phenomenon waits or is on the stack, the planar controller
    # planeswalks.
    if "planechase" in picture.board.variant:
        for obj in face_up_in_command_zone(picture, {"phenomenon"}):
            if not pending_triggers(picture, obj):
                yield Action("phenomenon", Does.PLANESWALK, obj.handle)


OBJECT_RULES = (
    token_off_battlefield,
    copy_off_zone,
    toughness_zero,
    lethal_damage,
    deathtouch_damage,
    loyalty_zero,
    legend_rule,
    world_rule,
    illegal_aura,
    illegal_equipment,
    illegal_attachment,
    counters_cancel,
    counter_limit,
    saga_finished,
    dungeon_completed,
    sector,
    siege_defense_zero,
    battle_defense_zero,
    battle_no_protector,
    battle_illegal_protector,
    extra_role,
    start_engines,
    commander_zone,
    scheme_turned_down,
    phenomenon,
)
