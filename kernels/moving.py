"""What happens to an object when it changes zones, is unattached, or leaves combat."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import part


@part
def move(board, i, zone):
    """Put an object into another zone, where it is a new object with no memory of the old one (CR 400.7, 122.2)."""
    game = board.game[0]
    o = board.objects[i]
    o.zone = zone
    o.moved = True
    o.controller = o.owner
    o.booleans &= ~b.LEFT_BEHIND
    o.booleans |= b.ARRIVED
    o.damage = 0
    o.attached_to = v.NONE
    o.attacking = v.NONE
    o.plus_counters = 0
    o.minus_counters = 0
    o.loyalty = 0
    o.defense = 0
    o.lore = 0
    o.shield = 0
    o.finality = 0
    o.regeneration = 0
    o.protector = v.NO_SEAT
    o.sector = v.NO_SECTOR
    o.side_power = 0
    o.side_toughness = 0
    o.side_keywords = 0
    c = o.side_counters
    while 0 <= c < game.counters and board.counters[c].object == i:
        board.counters[c].count = 0
        c += 1
    if zone == b.NOWHERE:
        o.booleans &= ~b.ARRIVED


@part
def leave_combat(o):
    """Remove a permanent from combat (CR 506.4)."""
    o.attacking = v.NONE
    o.booleans &= ~b.BLOCKING


@part
def is_in_combat(o):
    """Whether the object attacks or blocks."""
    return o.attacking != v.NONE or o.booleans & b.BLOCKING != 0


@part
def remove_side_counters(board, lexicon, o, c, count):
    """Take counters of a kind without a column off, with what they gave."""
    counter = board.counters[c]
    counter.count -= count
    o.side_power -= lexicon.counter_power[counter.kind] * count
    o.side_toughness -= lexicon.counter_toughness[counter.kind] * count
    if counter.count == 0:
        o.side_keywords &= ~lexicon.counter_keywords[counter.kind]
