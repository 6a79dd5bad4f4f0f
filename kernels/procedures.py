"""What procedures do around the settling inside them: ending the turn or the combat phase (CR 724), cleanup (CR 514).

`begin` comes before the check, `end_combat` and `go_on` after it; `settling` has them in a row.
"""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.characteristics import has, is_ability
from headjudge.kernels.consequences import note_attacked
from headjudge.kernels.jit import part
from headjudge.kernels.losses import in_game
from headjudge.kernels.moving import is_in_combat, leave_combat, move
from headjudge.kernels.recording import record_object, record_player


@part
def is_in_combat_phase(game):
    """Whether the combat phase is going on."""
    return b.COMBAT_STEPS >> game.step & 1 != 0


@part
def begin(board, state, do):
    """Do what comes before the check."""
    if do == b.CLEANUP:
        wear_off(board)
        expire(board, state, b.END_OF_TURN)
    else:
        waiting_triggers_cease(board, state)
        exile_the_stack(board, state)


@part
def wear_off(board):
    """CR 514.2, 701.19a: damage and the shields of this turn are gone, from phased-out permanents too."""
    for i in range(board.game[0].objects):
        o = board.objects[i]
        o.damage = 0
        o.regeneration = 0


@part
def waiting_triggers_cease(board, state):
    """CR 724.1a, 724.2a: abilities that triggered before the process and are not on the stack cease to exist."""
    for i in range(board.game[0].objects):
        o = board.objects[i]
        if o.zone == b.WAITING and not o.booleans & b.TRIGGERED_DURING:
            record_object(board, state, b.TRIGGER_CEASES, b.PROCEDURE, i, b.NOWHERE, v.NULL, -1)
            move(board, i, b.NOWHERE)


@part
def exile_the_stack(board, state):
    """CR 724.1b, 724.2b: every object on the stack is exiled; abilities among them are gone with the check."""
    for i in range(board.game[0].objects):
        o = board.objects[i]
        if o.zone == b.STACK:
            record_object(board, state, b.EXILED_FROM_STACK, b.PROCEDURE, i, b.EXILE, v.NULL, -1)
            move(board, i, b.EXILE)
            if is_ability(o):
                record_object(board, state, b.ABILITY_CEASES, b.PROCEDURE, i, b.NOWHERE, v.NULL, -1)
                move(board, i, b.NOWHERE)


@part
def expire(board, state, until):
    """End the effects that last until now; what they are called stands in `amount`."""
    for e in range(board.game[0].effects):
        effect = board.effects[e]
        source = effect.source
        if effect.until != until or (source >= 0 and board.objects[source].moved):
            continue
        effect.over = True
        if source >= 0:
            record_object(board, state, b.EFFECT_EXPIRES, b.PROCEDURE, source, board.objects[source].zone, e, -1)
        else:
            record_player(board, state, b.EFFECT_EXPIRES, b.PROCEDURE, v.NO_SEAT, e, -1)


@part
def end_combat(board, state):
    """CR 724.1d, 724.2d, 500.5a: creatures and planeswalkers leave combat, effects until end of combat end."""
    note_attacked(board)
    for i in range(board.game[0].objects):
        o = board.objects[i]
        if o.live and (is_in_combat(o) or (o.attacked and has(o, b.PLANESWALKER))):
            record_object(board, state, b.REMOVED_FROM_COMBAT, b.PROCEDURE, i, o.zone, v.NULL, -1)
            leave_combat(o)
    expire(board, state, b.END_OF_COMBAT)


@part
def go_on(board, state, do, triggered):
    """Go to the step that follows; `triggered` if an ability has triggered in the procedure, or waits."""
    game = board.game[0]
    if do == b.CLEANUP:
        # 514.3a
        priority = game.passes > 0 or triggered
        step = b.CLEANUP_STEP if priority else b.UNTAP_STEP
    else:
        step = next_step(game, do)
        record_player(board, state, b.SKIPPED_TO, b.PROCEDURE, v.NO_SEAT, v.NULL, -1)
        # 724.1f; nobody gets priority in an untap step (502.4).
        priority = triggered if step == b.CLEANUP_STEP else step != b.UNTAP_STEP
    game.step = step
    game.next_step = step
    game.priority = priority
    for i in range(game.objects):
        board.objects[i].booleans &= ~b.TRIGGERED_DURING


@part
def next_step(game, do):
    """Return the first step after this phase or turn that is not skipped (CR 500.11); else the turn is over."""
    if do != b.END_TURN:
        if not game.skips >> b.POSTCOMBAT_MAIN & 1:
            return b.POSTCOMBAT_MAIN
        if not game.skips >> b.END_STEP & 1:
            return b.END_STEP
    return b.UNTAP_STEP if game.skips >> b.CLEANUP_STEP & 1 else b.CLEANUP_STEP


@part
def something_triggered(board, first_row):
    """Whether an ability waits, or one triggered just now whose controller is in the game (CR 603.3a, 800.4d)."""
    game = board.game[0]
    for i in range(game.objects):
        if board.objects[i].zone == b.WAITING:
            return True
    for n in range(first_row, game.rows):
        row = board.rows[n]
        if row.rule in (b.DIES_TRIGGER, b.LEAVES_TRIGGER) and in_game(board.players[row.controller]):
            return True
    return False
