"""Can these boards be judged: values of columns, and what must hold among the rows of a state.

A state's first fault is its number in `fault` (0 = none) and its row within the state in `row`.
"""

# Minima are written as `if`: so values keep their width and LLVM makes vectors of them; min() and max() would widen.
# ruff: noqa: PLR1730

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import inlined, kernel, part
from headjudge.kernels.tables import Column, Counters, Objects, Players, States

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
COMPONENT_OWNER: Final = 20
TOP_COMPONENT: Final = 21
COLUMNS: Final = 32

#: The row of each column in the arrays of `Limits`.
STATE: Final = States(*range(len(States._fields)))
PLAYER: Final = Players(*range(len(Players._fields)))
OBJECT: Final = Objects(*range(len(Objects._fields)))
COUNTER: Final = Counters(*range(len(Counters._fields)))
#: Objects that are looked at in one go: their columns fit the cache of a core.
BLOCK: Final = 4_096
#: Kinds of counters on one object that are compared pair by pair.
FEW_KINDS: Final = 16

_IN_GAME: Final = v.bit(v.PLAYER_FLAGS, "in_game")
_TWO_HEADED_GIANT: Final = v.bit(v.VARIANTS, "two_headed_giant")
_SHARED_LIFE: Final = _TWO_HEADED_GIANT | v.bit(v.VARIANTS, "archenemy_commander")
_ZONE_NONE: Final = v.ZONES.index("none")
#: 2**32 divided by the golden ratio: spreads neighbouring keys over a hash table (Knuth).
_GOLDEN: Final = 0x9E3779B1
_31_BITS: Final = 0x7FFFFFFF


class Limits(NamedTuple):
    """What a lexicon says about the values of columns, as compiled functions take it."""

    states: Column  # int64[columns, 2]: the least and the greatest value
    players: Column
    objects: Column
    counters: Column
    limiting: Column  # bool[traits]: which traits limit counters
    first_limiting: int  # the first and the last of them; 0 and -1 if there are none
    last_limiting: int
    first_protected: int  # likewise the traits with protection from players
    last_protected: int
    last_protected_from: int  # the last seat that any of them names


class Room(NamedTuple):
    """Room for what is found out about objects."""

    found: Column  # uint8
    states: Column  # int32[3, objects]: of an object's state, how many players and objects it has, and which it is
    lists: Column  # int32[2, objects]: those of which something is noted, and some of them


@inlined
def are_lawful(batch, limits, first_state, last_state, room, fault, row):
    """Whether nothing is wrong with some states, their players, objects and counters, as far as passes can see.

    If something may be, every state has to be looked at by itself.
    """
    first, last = batch.players_start[first_state], batch.players_start[last_state]
    lawful = are_states_lawful(batch.states, limits.states, batch.players_start, first_state, last_state)
    lawful &= are_players_lawful(batch.players, limits.players, first, last)
    lawful &= are_counters_lawful(
        batch.counters, batch.counters_start, limits.counters, batch.objects_start, first_state, last_state
    )
    first, last = batch.objects_start[first_state], batch.objects_start[last_state]
    if not (lawful & are_objects_lawful(batch.objects, limits, first, last, room.states[0], room.states[1])):
        return False
    if not do_ids_rise(batch.objects.object_id[first:last], room.states[2]):
        return False
    mark_players(
        batch.states.variant, batch.states.active_player, batch.players, batch.players_start, first_state, last_state,
        fault, row,
    )  # fmt: skip
    for state in range(first_state, last_state):
        lawful &= fault[state] == 0
    return lawful


@part
def are_states_lawful(states, limits, players_start, first, last):
    """Whether the columns of some states hold nothing outside their limits."""
    lawful = is_within(states.variant[first:last], limits, STATE.variant)
    lawful &= is_within(states.active_player[first:last], limits, STATE.active_player)
    lawful &= is_within(states.step[first:last], limits, STATE.step)
    lawful &= is_within(states.skips[first:last], limits, STATE.skips)
    seat, starts = states.planar_controller[first:last], players_start[first : last + 1]
    for s in range(last - first):
        lawful &= (seat[s] >= v.NO_SEAT) & (seat[s] < starts[s + 1] - starts[s])
    return lawful


@part
def are_players_lawful(players, limits, first, last):
    """Whether the columns of some players hold nothing outside their limits, and all are in the game."""
    lawful = is_within(players.team[first:last], limits, PLAYER.team)
    lawful &= is_within(players.life[first:last], limits, PLAYER.life)
    lawful &= is_within(players.poison[first:last], limits, PLAYER.poison)
    lawful &= is_within(players.speed[first:last], limits, PLAYER.speed)
    lawful &= is_within(players.flags[first:last], limits, PLAYER.flags)
    flags = players.flags[first:last]
    for k in range(last - first):
        lawful &= flags[k] & _IN_GAME != 0
    return lawful


@part
def are_objects_lawful(objects, limits, first, last, players, count):
    """Whether the columns of some objects hold nothing outside their limits, nor traits that may name nobody."""
    bounds = limits.objects
    lawful = are_within(
        objects.object_id[first:last], objects.name[first:last], objects.subtypes[first:last],
        objects.traits[first:last], bounds, OBJECT.object_id, OBJECT.name, OBJECT.subtypes, OBJECT.traits,
    )  # fmt: skip
    lawful &= are_within(
        objects.kind[first:last], objects.zone[first:last], objects.supertypes[first:last],
        objects.colors[first:last], bounds, OBJECT.kind, OBJECT.zone, OBJECT.supertypes, OBJECT.colors,
    )  # fmt: skip
    lawful &= are_within(
        objects.types[first:last], objects.keywords[first:last], objects.flags[first:last],
        objects.regeneration[first:last], bounds, OBJECT.types, OBJECT.keywords, OBJECT.flags, OBJECT.regeneration,
    )  # fmt: skip
    lawful &= are_within(
        objects.damage[first:last], objects.plus_counters[first:last], objects.minus_counters[first:last],
        objects.loyalty[first:last], bounds, OBJECT.damage, OBJECT.plus_counters, OBJECT.minus_counters,
        OBJECT.loyalty,
    )  # fmt: skip
    lawful &= are_within(
        objects.defense[first:last], objects.lore[first:last], objects.shield[first:last],
        objects.finality[first:last], bounds, OBJECT.defense, OBJECT.lore, OBJECT.shield, OBJECT.finality,
    )  # fmt: skip
    lawful &= is_within(objects.sector[first:last], bounds, OBJECT.sector)
    lawful &= are_seats(
        objects.controller[first:last], objects.owner[first:last], objects.protector[first:last], players
    )  # fmt: skip
    lawful &= are_numbers(objects.power[first:last], objects.toughness[first:last])
    lawful &= are_references(
        objects.attached_to[first:last], objects.attacking[first:last], objects.source[first:last], players, count
    )  # fmt: skip
    traits = objects.traits[first:last]
    first_protected, last_protected = np.int32(limits.first_protected), np.int32(limits.last_protected)
    last_seat = np.int32(limits.last_protected_from)
    doubtful = 0
    for i in range(len(traits)):
        doubtful += (traits[i] >= first_protected) & (traits[i] <= last_protected) & (players[i] <= last_seat)
    return lawful & (doubtful == 0)


@part
def are_counters_lawful(counters, starts, limits, objects_start, first_state, last_state):
    """Whether the counters of some states are within their limits and sorted by object, each kind once on each."""
    first, last = starts[first_state], starts[last_state]
    lawful = is_within(counters.kind[first:last], limits, COUNTER.kind)
    lawful &= is_within(counters.count[first:last], limits, COUNTER.count)
    state = first_state
    for k in range(first, last):
        while k >= starts[state + 1]:
            state += 1
        on = counters.object[k]
        lawful &= (on >= 0) & (on < objects_start[state + 1] - objects_start[state])
        other = k - 1
        while other >= starts[state] and counters.object[other] == on:
            lawful &= (counters.kind[other] != counters.kind[k]) & (k - other < FEW_KINDS)
            if not lawful:
                return False
            other -= 1
        lawful &= (other < starts[state]) | (counters.object[other] < on)
    return lawful


@part
def is_within(column, limits, code):
    """Whether all values of a column are from the least to the greatest."""
    if len(column) == 0:
        return True
    smallest = largest = column[0]
    for i in range(len(column)):
        x = column[i]
        if x < smallest:
            smallest = x
        if x > largest:
            largest = x
    return smallest >= limits[code, 0] and largest <= limits[code, 1]


@part
def spread(players_start, objects_start, first_state, last_state, rows):
    """Tell each object about its state, a row at a time, so that these are vector stores."""
    first = objects_start[first_state]
    for s in range(first_state, last_state):
        players = np.int32(players_start[s + 1] - players_start[s])
        objects = np.int32(objects_start[s + 1] - objects_start[s])
        state = np.int32(s - first_state)
        begin = objects_start[s] - first
        for i in range(objects):
            rows[0, np.uint64(begin + i)] = players
        for i in range(objects):
            rows[1, np.uint64(begin + i)] = objects
        for i in range(objects):
            rows[2, np.uint64(begin + i)] = state


@part
def are_within(p, q, r, s, limits, of_p, of_q, of_r, of_s):
    """Whether all values of four columns are from the least to the greatest.

    Columns are read side by side: memory gives several streams faster than one.
    """
    if len(p) == 0:
        return True
    least_p = most_p = p[0]
    least_q = most_q = q[0]
    least_r = most_r = r[0]
    least_s = most_s = s[0]
    for i in range(len(p)):
        least_p, most_p = min(least_p, p[i]), max(most_p, p[i])
        least_q, most_q = min(least_q, q[i]), max(most_q, q[i])
        least_r, most_r = min(least_r, r[i]), max(most_r, r[i])
        least_s, most_s = min(least_s, s[i]), max(most_s, s[i])
    lawful = (least_p >= limits[of_p, 0]) & (most_p <= limits[of_p, 1])
    lawful &= (least_q >= limits[of_q, 0]) & (most_q <= limits[of_q, 1])
    lawful &= (least_r >= limits[of_r, 0]) & (most_r <= limits[of_r, 1])
    return lawful & (least_s >= limits[of_s, 0]) & (most_s <= limits[of_s, 1])


@part
def are_seats(controller, owner, protector, players):
    """Whether these are seats of their states; a protector may be nobody."""
    least, none, above = np.int32(0), np.int32(0), np.int32(-1)
    for i in range(len(controller)):
        least = min(least, np.int32(controller[i]), np.int32(owner[i]))
        none = min(none, np.int32(protector[i]))
        most = max(np.int32(controller[i]), np.int32(owner[i]), np.int32(protector[i]))
        above = max(above, np.int32(most - players[i]))
    return least >= 0 and none >= v.NO_SEAT and above < 0


@part
def are_references(attached_to, attacking, source, players, objects):
    """Whether these refer to objects or players of their states, or to nothing; what wraps around is wrong as well."""
    below, least, above = np.int32(0), np.int32(0), np.int32(-1)
    for i in range(len(source)):
        x = attached_to[i] if attached_to[i] > np.int32(v.NONE) else np.int32(0)
        y = attacking[i] if attacking[i] > np.int32(v.NOTHING) else np.int32(0)
        z = source[i] if source[i] > np.int32(v.NONE) else np.int32(0)
        least = min(least, z)
        below = min(below, np.int32(x + players[i]), np.int32(y + players[i]))
        above = max(above, np.int32(x - objects[i]), np.int32(y - objects[i]), np.int32(z - objects[i]))
    return below >= 0 and least >= 0 and above < 0


@part
def are_numbers(power, toughness):
    """Whether everything that is not NULL is a number that is not too large."""
    least = most = np.int32(0)
    for i in range(len(power)):
        x = power[i] if power[i] > np.int32(v.NULL) else np.int32(0)
        y = toughness[i] if toughness[i] > np.int32(v.NULL) else np.int32(0)
        least, most = min(least, x, y), max(most, x, y)
    return least >= -v.LARGEST and most <= v.LARGEST


@part
def do_ids_rise(ids, states):
    """Whether the ids of each state rise, so that none stands twice."""
    before, after = ids[:-1], ids[1:]
    next_state = states[1:]
    falls = 0
    for i in range(len(after)):
        falls += (after[i] <= before[i]) & (states[i] == next_state[i])
    return falls == 0


@kernel
def rises(start):
    """Whether numbers never fall."""
    before, after = start[:-1], start[1:]
    falls = 0
    for i in range(len(after)):
        falls += after[i] < before[i]
    return falls == 0


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


@part
def goes_on_without_some(players, first, last):
    """Whether some player is not in the game, and the game is not over, after which everything stays (CR 104.1)."""
    everyone = _IN_GAME
    teams = False
    left = -1
    several_left = False
    for k in range(first, last):
        everyone &= players.flags[k]
        teams |= players.team[k] != players.team[first]
        if players.flags[k] & _IN_GAME:
            several_left |= left >= 0 and players.team[k] != players.team[left]
            left = k
    return everyone == 0 and left >= 0 and (several_left or not teams)


@kernel
def mark_objects(objects, starts, players, players_start, protected_from, scratch, start, stop, fault, row):
    """Mark states whose objects contradict each other.

    Parameters
    ----------
    objects : Objects
    starts : int64[states + 1]
    players : Players
    players_start : int64[states + 1]
    protected_from : int64[traits]
        The last seat that a trait's protection names, or -1; empty if none names any.
    scratch : int64
        Room for a hash table of the rows of any state, see `table_size`.
    start, stop : int
        The states to look at.
    fault : int16[states]
    row : int32[states]
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
        if goes_on_without_some(players, seats, players_start[s + 1]):
            for i in range(first, last):
                if zone[i] != _ZONE_NONE and players.flags[seats + owner[i]] & _IN_GAME == 0:
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


@kernel
def mark_components(components, starts, objects, objects_start, start, stop, fault, row):
    """Mark states with components that no permanent can have.

    What one player owns merges and melds (CR 701.42a, 702.140a); what is on top makes it a card or a token (730.2d).
    """
    for s in range(start, stop):
        if fault[s] != 0:
            continue  # a component may be of no object
        for i in range(starts[s], starts[s + 1]):
            k = objects_start[s] + components.object[i]
            code = 0
            if components.owner[i] != objects.owner[k]:
                code = COMPONENT_OWNER
            elif (i == starts[s] or components.object[i - 1] != components.object[i]) and (
                components.kind[i] != objects.kind[k]
            ):
                code = TOP_COMPONENT
            if code != 0 and fault[s] == 0:
                fault[s], row[s] = code, i - starts[s]


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
