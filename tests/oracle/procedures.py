"""Ending the turn and the combat phase (CR 724), and the cleanup step (CR 514.2, 514.3a)."""

from oracle.actions import Before, Row
from oracle.board import Object
from oracle.event import leave_combat, stop_being_attacked
from oracle.layers import Picture
from oracle.permanents import is_attacked
from oracle.settling import Settling
from oracle.words import ABILITY_KINDS, COMBAT_STEPS


def end_turn(run: Settling) -> None:
    """End the turn (CR 724.1)."""
    if run.is_over():
        return
    end_what_is_going_on(run)
    if run.is_over():
        run.players_get_priority = False
        return
    if run.board.step in COMBAT_STEPS:
        clear_combat(run)
        # CR 724.1d, 500.5a: the combat phase ends with the turn.
        expire(run, "end_of_combat")
        run.consequences([])
        run.start_clocks(run.picture())
    go_to(run, ["cleanup"])


def end_combat_phase(run: Settling) -> None:
    """End the combat phase (CR 724.2). Outside of combat that does nothing (CR 724.2g)."""
    if run.is_over() or run.board.step not in COMBAT_STEPS:
        return
    end_what_is_going_on(run)
    if run.is_over():
        run.players_get_priority = False
        return
    clear_combat(run)
    expire(run, "end_of_combat")
    run.consequences([])
    run.start_clocks(run.picture())
    go_to(run, ["postcombat_main", "end", "cleanup"])


def cleanup(run: Settling) -> None:
    """Carry out the part of a cleanup step that comes after discarding (CR 514.2, 514.3a)."""
    if run.is_over():
        return
    for obj in run.board.objects.values():
        # CR 514.2: damage comes off phased-out permanents as well.
        obj.damage = 0
        # CR 701.19a: a regeneration shield is for "this turn".
        obj.regeneration = 0
    expire(run, "end_of_turn")
    run.settle()
    if run.is_over():
        run.players_get_priority = False
        return
    run.waiting = [obj.handle for obj in run.board.objects.values() if obj.zone == "waiting"]
    run.players_get_priority = run.passes > 0 or something_triggered(run)
    run.next_step = "cleanup" if run.players_get_priority else "untap"


def end_what_is_going_on(run: Settling) -> None:
    """Do what both procedures begin with: waiting triggers cease, the stack is exiled, one check is made."""
    picture = run.picture()
    for obj in run.board.objects.values():
        # CR 724.1a: not the abilities that trigger during the process.
        if obj.zone == "waiting" and not obj.triggered_during:
            record(run, picture, "trigger_ceases", obj, "none")
            obj.move_to("none")
    for obj in run.board.objects.values():
        # CR 724.1b: everything on the stack is exiled, and what is no card, token or copy does not stay there.
        if obj.zone == "stack":
            record(run, picture, "exiled_from_stack", obj, "exile")
            obj.move_to("exile")
            if obj.kind in ABILITY_KINDS:
                # It has nothing on it there (CR 122.2), and is gone with the check.
                record(run, picture, "ability_ceases", obj, "none")
                obj.move_to("none")
    run.settle()


def clear_combat(run: Settling) -> None:
    # CR 724.1d, 724.2d: creatures and planeswalkers leave combat; battles are not named.
    picture = run.picture()
    in_combat = [
        obj
        for obj in picture.permanents()
        if obj.attacking is not None
        or obj.blocking
        or ("planeswalker" in picture.views[obj.handle].types and is_attacked(picture, obj.handle))
    ]
    for obj in in_combat:
        record(run, picture, "removed_from_combat", obj, obj.zone)
    for obj in in_combat:
        leave_combat(obj)
        stop_being_attacked(run.board, obj.handle)


def expire(run: Settling, until: str) -> None:
    for effect in run.board.effects:
        # CR 400.7: the effect of an object that has left has ended with it.
        is_there = effect.source is None or not run.board.objects[effect.source].moved
        if effect.until == until and is_there:
            run.rows.append(Row(run.pass_number(), "effect_expires", "procedure", about=effect.name))
    run.board.effects = [effect for effect in run.board.effects if effect.until != until]


def go_to(run: Settling, steps: list[str]) -> None:
    """Go to the first of these steps that is not skipped; with all of them skipped the turn is over."""
    step = next((step for step in steps if step not in run.board.skips), "untap")
    run.next_step = step
    run.rows.append(Row(run.pass_number(), "skipped_to", "procedure", about=step))
    run.waiting = [obj.handle for obj in run.board.objects.values() if obj.zone == "waiting"]
    if step == "cleanup":
        # CR 514.3a, 724.1f: only what has triggered gives players priority there.
        run.players_get_priority = something_triggered(run)
    else:
        # CR 502.4: nobody gets priority in the untap step.
        run.players_get_priority = step != "untap"


def something_triggered(run: Settling) -> bool:
    """Whether an ability waits, or one triggered in what happened, of a player who is still there (CR 800.4d)."""
    return bool(run.waiting) or any(
        row.rule in ("dies_trigger", "leaves_trigger")
        and row.before is not None
        and run.board.players[row.before.controller].in_game
        for row in run.rows
    )


def record(run: Settling, picture: Picture, rule: str, obj: Object, to_zone: str) -> None:
    before = Before.of(picture, obj)
    run.rows.append(Row(run.pass_number(), rule, "procedure", obj.handle, to_zone=to_zone, before=before))
