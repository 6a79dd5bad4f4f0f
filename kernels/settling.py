"""State-based actions to the fixed point (CR 704.3), alone or in a procedure, for one board and for a run of them."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.characteristics import derive_without_effects
from headjudge.kernels.consequences import follow
from headjudge.kernels.event import apply_to_objects, apply_to_players, record, resolve
from headjudge.kernels.groups import note_worlds
from headjudge.kernels.jit import kernel, part
from headjudge.kernels.judging import clear_marks, judge, stray_abilities_cease
from headjudge.kernels.layers import derive_with_effects
from headjudge.kernels.loading import load, store, store_effects, store_flags
from headjudge.kernels.loops import remember, returns
from headjudge.kernels.losses import decide_losses, decide_outcome, in_game, teams_left
from headjudge.kernels.offering import tell_offers
from headjudge.kernels.procedures import begin, end_combat, go_on, is_in_combat_phase, something_triggered
from headjudge.kernels.saving import replace_losses, set_life


@part
def derive(board, lexicon):
    """Derive all characteristics anew (CR 613)."""
    game = board.game[0]
    if game.effects:
        # The first time some effects only find out what they are fixed to; then they depend on nothing (CR 611.2c).
        for _ in range(1 if game.locked or not game.locks else 2):
            derive_with_effects(board, lexicon)
        if game.worlds < 0:
            note_worlds(board)
    else:
        derive_without_effects(board, lexicon)


@part
def leave_off(board):
    """Note on a derived picture that no check will look at now what the next check has to know of it (CR 704.5k)."""
    if board.game[0].effects:
        note_worlds(board)


@part
def follow_through(board, lexicon, state):
    """Carry out consequences until none is left; leaves the picture derived."""
    derive(board, lexicon)
    while follow(board, lexicon, state):
        derive(board, lexicon)


@part
def is_over(game, players):
    """Whether the game was given as already over."""
    decide_outcome(game, players)
    return game.outcome != b.ONGOING_GAME


@part
def check(board, lexicon, components, state):
    """Make one check on the derived picture and carry out its event; returns whether anything was performed."""
    game = board.game[0]
    found = judge(board, lexicon)
    if found == 0:
        clear_marks(board)
        return False
    game.passes += 1
    game.recorded_pass = game.passes
    if game.effects and found & b.LOSSES:
        replace_losses(board, lexicon)
    decide_losses(game, board.players)
    resolve(board, lexicon)
    if game.tells_offers:
        tell_offers(board, lexicon, state, found)
    record(board, lexicon, state)
    clear_marks(board)
    apply_to_objects(board, lexicon, components)
    if game.effects:
        set_life(board, lexicon)
    apply_to_players(board)
    return True


@part
def settle_board(board, lexicon, components, state):
    """Settle one loaded board; its rows are appended, its outcome and status stand in `game`."""
    game = board.game[0]
    players = board.players
    follow_through(board, lexicon, state)
    if stray_abilities_cease(board):
        derive(board, lexicon)
    while game.reason == b.NO_REASON and check(board, lexicon, components, state):
        if game.reason != b.NO_REASON or game.full:
            return
        decide_outcome(game, players)
        if game.outcome != b.ONGOING_GAME:
            return
        game.departed |= teams_left(game, players) > 0 and someone_is_out(game, players)
        follow_through(board, lexicon, state)
        if game.passes == game.most_passes:
            leave_off(board)
            return
        if returns(board):
            game.status = b.LOOP
            game.outcome = b.DRAW
            return
        remember(board)


@part
def carry_out(board, lexicon, components, state, do, first_row):
    """Do to one loaded board what is to be done to it (v.PROCEDURES); `first_row` is where its rows begin."""
    game = board.game[0]
    game.next_step = -1
    game.priority = -1
    # 724.2g: outside of combat there is no combat phase to end.
    if is_over(game, board.players) or (do == b.END_COMBAT_PHASE and not is_in_combat_phase(game)):
        return
    if do != b.SETTLE:
        derive(board, lexicon)
        begin(board, state, do)
    settle_board(board, lexicon, components, state)
    if do != b.SETTLE and not game.full and game.reason == b.NO_REASON:
        end(board, lexicon, state, do, first_row, False)


@part
def end(board, lexicon, state, do, first_row, triggered):
    """Carry out what comes after the last check of a procedure; `triggered` if something did before `first_row`."""
    game = board.game[0]
    if game.outcome != b.ONGOING_GAME:
        game.priority = False
        return
    if do != b.CLEANUP and is_in_combat_phase(game):
        end_combat(board, state)
        follow_through(board, lexicon, state)
        leave_off(board)
    go_on(board, state, do, triggered or something_triggered(board, first_row))


@part
def carry_out_in_part(board, lexicon, state, do, result):
    """Carry out only what comes before or after the checks of a procedure, which are made one at a time in between.

    Before its end `result` holds how many passes there were, and in `priority` whether something triggered.
    """
    game = board.game[0]
    game.next_step = -1
    game.priority = -1
    decide_outcome(game, board.players)
    derive(board, lexicon)
    if do & b.OPENS:
        begin(board, state, do - b.OPENS)
        derive(board, lexicon)
        leave_off(board)
    else:
        game.passes = result.passes
        game.recorded_pass = max(1, game.passes)
        end(board, lexicon, state, do - b.CLOSES, game.rows, result.priority > 0)


@part
def someone_is_out(game, players):
    """Whether a player has left."""
    for seat in range(game.players):
        if not in_game(players[seat]):
            return True
    return False


@part
def tell_derived(board, lexicon, first):
    """Tell the characteristics of one loaded board as it is, without any check; `first` is where its objects begin."""
    decide_outcome(board.game[0], board.players)
    derive(board, lexicon)
    for i in range(board.game[0].objects):
        o = board.objects[i]
        d = board.derived[first + i]
        is_creature = o.now_types & b.CREATURE != 0
        d.power = o.now_power if is_creature else v.NULL
        d.toughness = o.now_toughness if is_creature else v.NULL
        d.controller = o.now_controller
        d.types = o.now_types
        d.supertypes = o.now_supertypes
        d.colors = o.now_colors
        d.keywords = o.now_keywords


@kernel
def settle_run(batch, choices, choices_start, states, first, do, board, results):
    """Settle the boards `states[first:]` in place, carry out a procedure on them, or derive their characteristics.

    `do` is one of `vocabulary.PROCEDURES`, perhaps with OPENS or CLOSES of `bits`, or DERIVE.

    Unless the board that is given says that it `stores`, nothing is changed but the flags of players.

    Returns how many were done; fewer than asked for when there is no more room for rows. Then the rows of the
    unfinished board are taken back, and its columns are as they were.
    """
    game = board.game[0]
    for n in range(first, states.shape[0]):
        state = states[n]
        rows = game.rows
        extras = game.extras
        fixed = game.fixed
        load(batch, choices, choices_start, state, board)
        if do == b.DERIVE:
            tell_derived(board, batch.lexicon, batch.objects_start[state])
            continue
        game.departed = someone_is_out(game, board.players)
        if do & (b.OPENS | b.CLOSES):
            carry_out_in_part(board, batch.lexicon, state, do, results[state])
        else:
            carry_out(board, batch.lexicon, batch.components, state, do, rows)
        if game.reason != b.NO_REASON:
            game.status = b.REJECTED
        if game.stores and game.effects and not game.full and game.status != b.REJECTED:
            store_effects(batch, state, board)
        if game.full:
            game.rows = rows
            game.extras = extras
            game.fixed = fixed
            return n
        result = results[state]
        if game.status == b.REJECTED:
            game.rows = rows
            game.extras = extras
            result.reason = game.reason
            result.reason_object = game.reason_object
            result.passes = 0
        else:
            if game.stores:
                store(batch, state, board)
            else:
                store_flags(batch, state, board)
            result.reason = b.NO_REASON
            result.passes = game.passes
        result.status = game.status
        result.next_step = game.next_step
        result.priority = game.priority
        result.outcome = b.ONGOING_GAME if game.status == b.REJECTED else game.outcome
        result.rows = game.rows - rows
    return states.shape[0]
