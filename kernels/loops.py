"""Noticing that a board has been here before, so that the actions would never end (CR 104.4b, 732.4).

Brent's method: the board is kept after passes 4, 8, 16, ... and every later one is compared with the one kept.
"""

from __future__ import annotations

from headjudge.kernels.jit import part

#: The first pass after which the board is kept: most boards are done by then.
FIRST_KEPT = 4


@part
def kept_row(board, i):
    """Return where an object of an earlier board is kept: behind the objects."""
    return board.objects.shape[0] // 3 + i


@part
def remember(board):
    """Keep the board if its pass is a power of two, but for the first ones."""
    game = board.game[0]
    if game.passes < FIRST_KEPT or game.passes & game.passes - 1:
        return
    for i in range(game.objects):
        board.objects[kept_row(board, i)] = board.objects[i]
    for seat in range(game.players):
        board.players[board.players.shape[0] // 2 + seat] = board.players[seat]
    for c in range(game.counters):
        board.counters[board.counters.shape[0] // 2 + c] = board.counters[c]


@part
def returns(board):
    """Whether the board equals the one that was kept."""
    game = board.game[0]
    if game.passes <= FIRST_KEPT:
        return False
    for seat in range(game.players):
        if not is_same_player(board.players[seat], board.players[board.players.shape[0] // 2 + seat]):
            return False
    for i in range(game.objects):
        if not is_same_object(board.objects[i], board.objects[kept_row(board, i)]):
            return False
    for c in range(game.counters):
        if board.counters[c].count != board.counters[board.counters.shape[0] // 2 + c].count:
            return False
    return True


@part
def is_same_player(p, q):
    """Whether two players agree in everything that events change."""
    return p.life == q.life and p.speed == q.speed and p.booleans == q.booleans


@part
def is_same_object(o, k):
    """Whether two objects agree in everything that events change."""
    return (
        o.zone == k.zone
        and o.controller == k.controller
        and o.booleans == k.booleans
        and o.damage == k.damage
        and o.attached_to == k.attached_to
        and o.attacking == k.attacking
        and o.plus_counters == k.plus_counters
        and o.minus_counters == k.minus_counters
        and o.loyalty == k.loyalty
        and o.defense == k.defense
        and o.lore == k.lore
        and o.shield == k.shield
        and o.finality == k.finality
        and o.regeneration == k.regeneration
        and o.protector == k.protector
        and o.sector == k.sector
        and o.moved == k.moved
    )
