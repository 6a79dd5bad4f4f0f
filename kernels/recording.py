"""Writing rows of `actions`. A row keeps the object as it was before the event (CR 704.8)."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import part


@part
def record_object(board, state, rule, kind, i, to_zone, amount, replaced_by):
    """Write a row about an object; without room, only note that there was none."""
    game = board.game[0]
    if game.rows >= board.rows.shape[0]:
        game.full = True
        return
    o = board.objects[i]
    row = board.rows[game.rows]
    row.state = state
    row.pass_ = game.recorded_pass
    row.rule = rule
    row.kind = kind
    row.object = i
    row.seat = v.NO_SEAT
    row.from_zone = o.zone
    row.to_zone = to_zone
    row.amount = amount
    row.replaced_by = replaced_by
    row.controller = o.now_controller
    is_creature = o.now_types & b.CREATURE != 0
    row.power = o.now_power if is_creature else v.NULL
    row.toughness = o.now_toughness if is_creature else v.NULL
    row.damage = o.damage
    row.plus_counters = o.plus_counters
    row.minus_counters = o.minus_counters
    row.loyalty = o.loyalty
    row.defense = o.defense
    row.lore = o.lore
    row.shield = o.shield
    row.finality = o.finality
    record_side_counters(board, i)
    game.rows += 1


@part
def record_side_counters(board, i):
    """Write the object's counters of kinds without a column beside its row."""
    game = board.game[0]
    c = board.objects[i].side_counters
    while 0 <= c < game.counters and board.counters[c].object == i:
        if board.counters[c].count > 0:
            if game.extras >= board.extras.shape[0]:
                game.full = True
                return
            extra = board.extras[game.extras]
            extra.row = game.rows
            extra.kind = board.counters[c].kind
            extra.count = board.counters[c].count
            game.extras += 1
        c += 1


@part
def record_player(board, state, rule, kind, seat, amount, replaced_by):
    """Write a row about a player."""
    game = board.game[0]
    if game.rows >= board.rows.shape[0]:
        game.full = True
        return
    row = board.rows[game.rows]
    row.state = state
    row.pass_ = game.recorded_pass
    row.rule = rule
    row.kind = kind
    row.object = -1
    row.seat = seat
    row.from_zone = -1
    row.to_zone = -1
    row.amount = amount
    row.replaced_by = replaced_by
    row.controller = v.NO_SEAT
    row.power = v.NULL
    row.toughness = v.NULL
    row.damage = v.NULL
    row.plus_counters = v.NULL
    row.minus_counters = v.NULL
    row.loyalty = v.NULL
    row.defense = v.NULL
    row.lore = v.NULL
    row.shield = v.NULL
    row.finality = v.NULL
    game.rows += 1
