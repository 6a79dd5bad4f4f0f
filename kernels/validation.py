"""Can these boards be judged: values of columns, and what must hold among the rows of a state.

A state's first fault is its number in `fault` (0 = none) and its row within the state in `row`.
"""

# Minima are written as `if`: so values keep their width and LLVM makes vectors of them; min() and max() would widen.
# ruff: noqa: PLR1730

from __future__ import annotations

from typing import Final

import numpy as np

from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import kernel, part

# What can be wrong among the rows of a state. Numbers from COLUMNS on: the value of a column.
TOO_MANY_PLAYERS: Final = 1
ACTIVE_PLAYER: Final = 2
TEAM_LIFE: Final = 3
TEAM_POISON: Final = 4
SAME_OBJECT_ID: Final = 5
OWNER_NOT_IN_GAME: Final = 7
PROTECTION_FROM_NOBODY: Final = 8
COUNTERS_ORDER: Final = 9
COUNTERS_TWICE: Final = 10
COMMANDER_DAMAGE_TWICE: Final = 11
WORLD_SINCE_TWICE: Final = 12
SAME_EFFECT_ID: Final = 13
EFFECT_WITHOUT_SOURCE: Final = 14
RULE_AND_CHANGE: Final = 18
EFFECT_ON_NOBODY: Final = 15
EFFECT_OBJECTS_ORDER: Final = 16
COMPONENTS_ORDER: Final = 17
COLUMNS: Final = 32

_IN_GAME: Final = v.bit(v.PLAYER_FLAGS, "in_game")
_TWO_HEADED_GIANT: Final = v.bit(v.VARIANTS, "two_headed_giant")
_SHARED_LIFE: Final = _TWO_HEADED_GIANT | v.bit(v.VARIANTS, "archenemy_commander")
_ZONE_NONE: Final = v.ZONES.index("none")
#: 2**32 divided by the golden ratio: spreads neighbouring keys over a hash table (Knuth).
_GOLDEN: Final = 0x9E3779B1
_31_BITS: Final = 0x7FFFFFFF


@kernel
def extremes(column, first, last):
    """Return the smallest and the largest value of a block that is not empty."""
    block = column[first:last]
    smallest = largest = block[0]
    for i in range(len(block)):
        x = block[i]
        if x < smallest:
            smallest = x
        if x > largest:
            largest = x
    return smallest, largest


@kernel
def extremes_above(column, first, last, null, none):
    """Return the smallest value above `null`, or `none` if there is no such value, and the largest value."""
    block = column[first:last]
    smallest, largest = none, block[0]
    for i in range(len(block)):
        x = block[i]
        above = x if x > null else none
        if above < smallest:
            smallest = above
        if x > largest:
            largest = x
    return smallest, largest


@kernel
def mark_outside(column, starts, below, above, low, high, null, code, start, stop, fault, row):
    """Mark states with a value above `null` that is not from `low` - rows of `below` to `high` + rows of `above`."""
    for s in range(start, stop):
        lowest = low - (below[s + 1] - below[s])
        highest = high + (above[s + 1] - above[s])
        for i in range(starts[s], starts[s + 1]):
            x = np.int64(column[i])
            if fault[s] == 0 and x > null and (x < lowest or x > highest):
                fault[s], row[s] = code, i - starts[s]


@kernel
def mark_players(variant, active_player, players, starts, start, stop, fault, row):
    """Mark states whose players contradict each other."""
    team, life, poison, flags = players.team, players.life, players.poison, players.flags
    for s in range(start, stop):
        if fault[s] != 0:
            continue
        first = starts[s]
        count = starts[s + 1] - first
        if count > v.MOST_PLAYERS:
            fault[s], row[s] = TOO_MANY_PLAYERS, v.MOST_PLAYERS
        elif active_player[s] >= max(count, 1):  # a board without players has the default active player all the same
            fault[s] = ACTIVE_PLAYER
        elif variant[s] & _SHARED_LIFE != 0:
            fault[s], row[s] = _first_unequal(team, life, flags, first, count, TEAM_LIFE)
            if fault[s] == 0 and variant[s] & _TWO_HEADED_GIANT != 0:
                fault[s], row[s] = _first_unequal(team, poison, flags, first, count, TEAM_POISON)


@part
def _first_unequal(team, total, flags, first, count, code):
    """Members who are in the game carry their team's one total (CR 810.9, 904.4)."""
    for i in range(first, first + count):
        for k in range(first, i):
            both = flags[i] & flags[k] & _IN_GAME != 0
            if both and team[k] == team[i] and total[k] != total[i]:
                return code, i - first
    return 0, 0


@kernel
def mark_objects(objects, starts, player_flags, players_start, protected_from, scratch, start, stop, fault, row):
    """Mark states whose objects contradict each other.

    Parameters
    ----------
    objects : Objects
    starts : int64[states + 1]
    player_flags : uint8[players]
    players_start : int64[states + 1]
    protected_from : int64[traits]
        The last seat that a trait's protection names, or -1; empty if none names any.
    scratch : int64
        Room for a hash table of the rows of any state, see `table_size`.
    start, stop : int
        The states to look at.
    fault, row : int64[states]
    """
    object_id, zone, owner, traits = objects.object_id, objects.zone, objects.owner, objects.traits
    for s in range(start, stop):
        if fault[s] != 0:
            continue
        first, last = starts[s], starts[s + 1]
        seats = players_start[s]
        i = _first_repeated(object_id, first, last, scratch)
        if i >= 0:
            fault[s], row[s] = SAME_OBJECT_ID, i - first
            continue
        everyone = _IN_GAME
        for k in range(seats, players_start[s + 1]):
            everyone &= player_flags[k]
        if everyone == 0:
            for i in range(first, last):
                if zone[i] != _ZONE_NONE and player_flags[seats + owner[i]] & _IN_GAME == 0:
                    fault[s], row[s] = OWNER_NOT_IN_GAME, i - first
                    break
        if fault[s] == 0 and len(protected_from) > 0:
            for i in range(first, last):
                if protected_from[traits[i]] >= players_start[s + 1] - seats:
                    fault[s], row[s] = PROTECTION_FROM_NOBODY, i - first
                    break


@kernel
def mark_unsorted(key, starts, code, start, stop, fault, row):
    """Mark states in which a key falls."""
    for s in range(start, stop):
        for i in range(starts[s] + 1, starts[s + 1]):
            if fault[s] == 0 and key[i] < key[i - 1]:
                fault[s], row[s] = code, i - starts[s]


@kernel
def mark_repeated(key, starts, scratch, code, start, stop, fault, row):
    """Mark states in which a key (0 or more) stands twice."""
    for s in range(start, stop):
        if fault[s] == 0:
            i = _first_repeated(key, starts[s], starts[s + 1], scratch)
            if i >= 0:
                fault[s], row[s] = code, i - starts[s]


@kernel
def mark_effects(text, source, starts, players_start, text_seat, text_without_source, start, stop, fault, row):
    """Mark states with effects that miss a source, or that name the seat of nobody.

    `text_seat` is the last seat that each text names or -1, `text_without_source` the fault of a text without one.
    """
    for s in range(start, stop):
        players = players_start[s + 1] - players_start[s]
        for i in range(starts[s], starts[s + 1]):
            if fault[s] == 0 and text_without_source[text[i]] != 0 and source[i] == v.NONE:
                fault[s], row[s] = text_without_source[text[i]], i - starts[s]
            if fault[s] == 0 and text_seat[text[i]] >= players:
                fault[s], row[s] = EFFECT_ON_NOBODY, i - starts[s]


@part
def _first_repeated(ids, first, last, scratch):
    """Return the first row whose id (0 or more) an earlier row has, or -1."""
    increasing = True
    for i in range(first + 1, last):
        increasing &= ids[i] > ids[i - 1]
    if increasing:
        return -1
    size = table_size(last - first)
    scratch[:size] = -1
    for i in range(first, last):
        if _is_known(np.int64(ids[i]), scratch, size):
            return i
    return -1


@kernel
def table_size(keys):
    """Return the power of two that holds so many keys at most half full."""
    size = 8
    while size < 2 * keys:
        size *= 2
    return size


@part
def _is_known(key, table, size):
    """Whether a key (0 or more) is in a hash table; afterwards it is."""
    folded = (key + 31 * (key >> 32)) & _31_BITS
    place = (folded * _GOLDEN >> 24) & (size - 1)
    while table[place] != -1:
        if table[place] == key:
            return True
        place = (place + 1) & (size - 1)
    table[place] = key
    return False
