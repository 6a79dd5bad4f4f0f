"""Which boards need settling at all: columnar passes over whole columns (most boards of a simulation are quiet).

The screen may name a board on which nothing applies, never miss one on which something does; a test holds it against
settling everything. Each pass is one branchless loop over few columns, so that it vectorises; the few objects of which
it notes something are listed, and looked at one by one. Boards with effects, components or departed players are not
looked at here: they are settled.
"""

from __future__ import annotations

import numpy as np

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import inlined, kernel, part
from headjudge.kernels.validation import BLOCK, are_lawful, spread

# What the passes note about an object; all but NEEDED and MARKED about permanents that are phased in.
NEEDED = 1  # something applies, or may
ATTACHED = 2  # attached, or an Aura
LEGEND = 4
FIGHTING = 8
COUNTED = 16  # a Saga, or its traits may limit counters
MARKED = 32  # has a mark that the check clears
A_BATTLE = 64
ONE_AT_MOST = 128  # world or a Role, of which several may be too many
ANYWHERE = NEEDED | MARKED

#: Numbers beyond this are left to settling, which counts in 64 bits.
SMALL = 2**29
#: Types whose rules the screen does not know.
SPECIAL_TYPES = b.DUNGEON | b.SCHEME | b.PHENOMENON
SPECIAL_KEYWORDS = b.START_YOUR_ENGINES | b.SPACE_SCULPTOR | b.ASCEND | b.STORIED
#: Conditions on the host that the screen can judge by its given card types and controllers.
PLAIN_CONDITIONS = v.mask(v.FILTER_CONDITIONS, ("types", "any_types", "not_types", "controller"))
#: A board with more such permanents than this is left to settling.
FEW = 8


@kernel
def look_run(batch, limits, checks, first_state, last_state, room, fault, row, needed, cleared):
    """Check and screen some boards; returns the first one of a block in which one may be faulty, or `last_state`.

    Boards are looked at in blocks, so that what was read once is still in the cache when it is read again.

    Parameters
    ----------
    batch : Batch
    limits : Limits
        Of the lexicon (`headjudge.validation`).
    checks : bool
        Whether to check states, players and objects; otherwise only boards whose `fault` is 0 are screened.
    first_state, last_state : int
    room : Room
        For BLOCK objects, and for those of each of these states.
    fault : int16[states]
    row : int32[states]
        Set where players contradict each other (`validation.mark_players`).
    needed, cleared : bool[states]
        Set for the boards to settle, and for others with marks that a check clears.
    """
    while first_state < last_state:
        stop = first_state + 1
        while stop < last_state and batch.objects_start[stop + 1] - batch.objects_start[first_state] <= BLOCK:
            stop += 1
        spread(batch.players_start, batch.objects_start, first_state, stop, room.states)
        if checks and not are_lawful(batch, limits, first_state, stop, room, fault, row):
            break
        look(batch, limits, first_state, stop, room, fault, needed, cleared)
        first_state = stop
    return first_state


@inlined
def look(batch, limits, first_state, last_state, room, fault, needed, cleared):
    """Screen some boards."""
    first, last = batch.objects_start[first_state], batch.objects_start[last_state]
    look_at_creatures(batch.objects, first, last, room.found)
    look_at_types(batch.objects, first, last, room.found)
    look_at_relations(batch.objects, first, last, limits.first_limiting, limits.last_limiting, room.found)
    look_at_zones(batch.objects, first, last, room.found)
    look_at_games(batch, first_state, last_state, fault, needed)
    noted = list_noted(room.found, last - first, room.lists[0])
    look_closer(batch, limits, first_state, last_state, room, noted, fault, needed, cleared)
    faults = fault[first_state:last_state]
    need, clear = needed[first_state:last_state], cleared[first_state:last_state]
    for s in range(last_state - first_state):
        need[s] &= faults[s] == 0
        clear[s] &= (faults[s] == 0) & (need[s] == False)  # noqa: E712 - vectorises


@part
def list_noted(found, objects, listed):
    """List the objects of which something was noted; returns how many."""
    noted = 0
    for i in range(objects):
        listed[noted] = i
        noted += found[i] != 0
    return noted


@part
def list_some(found, listed, noted, bits, some):
    """List those of which one of these bits was noted; returns how many."""
    count = 0
    for n in range(noted):
        some[count] = listed[n]
        count += found[listed[n]] & bits != 0
    return count


@part
def list_followers(some, count, state_of_object, followers):
    """List the places in `some` of those that come after another one of the same state; returns how many."""
    found = 0
    for n in range(1, count):
        followers[found] = n
        found += state_of_object[some[n]] == state_of_object[some[n - 1]]
    return found


@part
def look_at_creatures(objects, first, last, found):
    """Toughness and damage (CR 704.5f, g), and counters that cancel (704.5q); what is bestowed is seen to later."""
    types, zone, flags = objects.types[first:last], objects.zone[first:last], objects.flags[first:last]
    toughness, damage = objects.toughness[first:last], objects.damage[first:last]
    plus, minus = objects.plus_counters[first:last], objects.minus_counters[first:last]
    for i in range(last - first):
        large = np.uint32(toughness[i] + SMALL) | np.uint32(plus[i] + SMALL) | np.uint32(minus[i] + SMALL)
        left = np.int32(toughness[i] + (plus[i] - minus[i]))
        dies = (left <= 0) | (large >= 2 * SMALL) | ((damage[i] > 0) & (damage[i] >= left))
        creature = (types[i] & b.CREATURE != 0) & (flags[i] & b.BESTOWED == 0)
        found[i] = (zone[i] == b.BATTLEFIELD) & ((creature & dies) | ((plus[i] > 0) & (minus[i] > 0)))


@part
def look_at_types(objects, first, last, found):
    """Loyalty (CR 704.5i), and types and keywords with rules of their own."""
    types, loyalty = objects.types[first:last], objects.loyalty[first:last]
    keywords, zone = objects.keywords[first:last], objects.zone[first:last]
    for i in range(last - first):
        spent = (types[i] & b.PLANESWALKER != 0) & (loyalty[i] <= 0) & (zone[i] == b.BATTLEFIELD)
        special = (types[i] & SPECIAL_TYPES != 0) | (keywords[i] & SPECIAL_KEYWORDS != 0)
        found[i] |= np.uint8(special | spent) | np.uint8(types[i] & b.BATTLE != 0) * A_BATTLE


@part
def look_at_relations(objects, first, last, first_limiting, last_limiting, found):
    """Note what is attached, attacks, is a Saga or a Role, legendary or world, or may limit counters."""
    attached, attacking = objects.attached_to[first:last], objects.attacking[first:last]
    subtypes, supertypes = objects.subtypes[first:last], objects.supertypes[first:last]
    traits = objects.traits[first:last]
    for i in range(last - first):
        is_attached = (attached[i] != v.NONE) | (subtypes[i] & b.AURA != 0)
        may_limit = (traits[i] >= first_limiting) & (traits[i] <= last_limiting)
        found[i] |= (
            np.uint8((supertypes[i] & b.WORLD != 0) | (subtypes[i] & b.ROLE != 0)) * ONE_AT_MOST
            | np.uint8(is_attached) * ATTACHED
            | np.uint8(supertypes[i] & b.LEGENDARY != 0) * LEGEND
            | np.uint8(attacking[i] != v.NONE) * FIGHTING
            | np.uint8((subtypes[i] & b.SAGA != 0) | may_limit) * COUNTED
        )


@part
def look_at_zones(objects, first, last, found):
    """Tokens, copies and abilities where they cannot be (CR 704.5d, e), marks, flags and sectors."""
    kind, zone, flags = objects.kind[first:last], objects.zone[first:last], objects.flags[first:last]
    sector = objects.sector[first:last]
    for i in range(last - first):
        gone = zone[i] == b.NOWHERE
        token = (kind[i] == b.TOKEN) & (zone[i] != b.BATTLEFIELD)
        copy = ((kind[i] == b.SPELL_COPY) | (kind[i] == b.CARD_COPY)) & (zone[i] != b.STACK)
        ability = (kind[i] >= b.FIRST_ABILITY) & (zone[i] != b.STACK) & (zone[i] != b.WAITING)
        marked = flags[i] & b.OBJECT_MARKS != 0
        special = (flags[i] & b.DEATHTOUCHED != 0) | (marked & (flags[i] & b.IS_COMMANDER != 0))
        noted = (
            found[i] | np.uint8(flags[i] & b.BLOCKING != 0) * FIGHTING | np.uint8(flags[i] & b.BESTOWED != 0) * ATTACHED
        )
        there = (zone[i] == b.BATTLEFIELD) & (flags[i] & b.PHASED_OUT == 0)
        found[i] = (
            noted & (ANYWHERE | np.uint8(there) * (255 - ANYWHERE))
            | np.uint8(((token | copy | ability) & (gone == False)) | special)  # noqa: E712 - vectorises
            | np.uint8(sector[i] != v.NO_SECTOR)
            | np.uint8(marked) * MARKED
        )


@inlined
def look_at_games(batch, first, last, fault, needed):
    """Find what calls for settling about the players, and in the tables beside the objects."""
    need, expired = needed[first:last], batch.states.round_expired[first:last]
    for s in range(last - first):
        need[s] = expired[s]
    for starts in (batch.effects_start, batch.components_start):
        if starts[first] != starts[last]:
            for state in range(first, last):
                needed[state] |= starts[state] != starts[state + 1]
    life, poison, flags = batch.players.life, batch.players.poison, batch.players.flags
    starts = batch.players_start
    for k in range(starts[first], starts[last]):
        plain = (life[k] > 0) & (poison[k] < 10) & (flags[k] & (b.IN_GAME | b.DREW_FROM_EMPTY) == b.IN_GAME)
        if not plain:
            needed[state_of(k, starts, first, last)] = True
    starts = batch.commander_damage_start
    for k in range(starts[first], starts[last]):
        if batch.commander_damage.amount[k] >= 21:
            needed[state_of(k, starts, first, last)] = True
    starts = batch.counters_start
    state = first
    for k in range(starts[first], starts[last]):
        while k >= starts[state + 1]:
            state += 1
        # Only counters that take toughness away, and limits, can make something apply.
        if fault[state] == 0 and batch.lexicon.counter_toughness[batch.counters.kind[k]] < 0:
            of = batch.objects_start[state] + batch.counters.object[k]
            needed[state] |= batch.objects.types[of] & b.CREATURE != 0 and batch.objects.zone[of] == b.BATTLEFIELD


@part
def state_of(row, starts, first, last):
    """Return the state of a row of a table, one of those from `first` up to `last`."""
    while last - first > 1:
        middle = (first + last) // 2
        if starts[middle] <= row:
            first = middle
        else:
            last = middle
    return first


@inlined
def look_closer(batch, limits, first_state, last_state, room, noted, fault, needed, cleared):
    """Look at objects of which something was noted: what is alike in turn, so that processors guess branches right."""
    objects, players, lexicon = batch.objects, batch.players, batch.lexicon
    starts, seats = batch.objects_start, batch.players_start
    first = starts[first_state]
    found, state_of_object = room.found, room.states[2]
    listed, some = room.lists[0], room.lists[1]
    for n in range(list_some(found, listed, noted, ANYWHERE, some)):
        state = first_state + state_of_object[some[n]]
        needed[state] |= found[some[n]] & NEEDED != 0
        cleared[state] |= found[some[n]] & MARKED != 0
    for n in range(list_some(found, listed, noted, ATTACHED, some)):
        state = first_state + state_of_object[some[n]]
        k = first + some[n]
        if fault[state] == 0 and not is_plainly_attached(objects, players, lexicon, starts[state], k, seats[state]):
            needed[state] = True
    for n in range(list_some(found, listed, noted, FIGHTING, some)):
        state = first_state + state_of_object[some[n]]
        if fault[state] == 0 and not fights_plainly(objects, starts[state], first + some[n]):
            needed[state] = True
    for n in range(list_some(found, listed, noted, A_BATTLE, some)):
        state = first_state + state_of_object[some[n]]
        if fault[state] == 0 and not is_plain_battle(objects, players, first + some[n], seats[state]):
            needed[state] = True
    for n in range(list_some(found, listed, noted, COUNTED, some)):
        state = first_state + state_of_object[some[n]]
        if fault[state] == 0 and reaches_a_limit(objects, lexicon, limits, first + some[n]):
            needed[state] = True
    count = list_some(found, listed, noted, LEGEND | ONE_AT_MOST, some)
    for c in range(list_followers(some, count, state_of_object, listed)):
        n = listed[c]
        m = n - 1
        while m >= 0 and state_of_object[some[m]] == state_of_object[some[n]]:
            if n - m > FEW or are_rivals(objects, found, first, some[m], some[n]):
                needed[first_state + state_of_object[some[n]]] = True
                break
            m -= 1


@inlined
def is_no_creature_now(objects, k):
    """Whether bestow or reconfigure make something else of what its columns say is a creature."""
    if objects.flags[k] & b.BESTOWED:
        return True
    return objects.keywords[k] & b.RECONFIGURE != 0 and objects.attached_to[k] != v.NONE


@inlined
def is_plain_permanent(objects, k):
    """Whether an object is a permanent that is phased in and is what its columns say."""
    is_there = objects.zone[k] == b.BATTLEFIELD and objects.flags[k] & b.PHASED_OUT == 0
    return is_there and objects.kind[k] < b.EMBLEM and not is_no_creature_now(objects, k)


@inlined
def is_plainly_attached(objects, players, lexicon, start, k, seats):
    """Whether an attached object or Aura is on a host that is legal at first sight."""
    attached_to = objects.attached_to[k]
    if attached_to == v.NONE or (objects.types[k] & b.CREATURE and not is_no_creature_now(objects, k)):
        return False
    marks = objects.subtypes[k] & (b.AURA | b.EQUIPMENT | b.FORTIFICATION)
    enchant = lexicon.trait_enchant[objects.traits[k]]
    if attached_to < 0:
        if marks != b.AURA or enchant > b.ENCHANT_PLAYER or objects.flags[k] & b.BESTOWED:
            return False
        return is_plainly_related(objects, players, b.ENCHANT_PLAYER - enchant, -1 - attached_to, k, seats)
    host = start + attached_to
    if host == k or not is_plain_permanent(objects, host) or lexicon.trait_protection[objects.traits[host]] != 0:
        return False
    types = objects.types[host]
    if objects.flags[k] & b.BESTOWED:
        return types & b.CREATURE != 0 and objects.keywords[host] & b.CANT_BE_ENCHANTED == 0
    if marks == b.EQUIPMENT:
        return types & b.CREATURE != 0 and objects.keywords[host] & b.CANT_BE_EQUIPPED == 0
    if marks == b.FORTIFICATION:
        return types & b.LAND != 0
    if marks != b.AURA or enchant < 0 or objects.keywords[host] & b.CANT_BE_ENCHANTED:
        return False
    f = lexicon.filters[enchant]
    if f.conditions & ~PLAIN_CONDITIONS or types & f.types != f.types or types & f.not_types:
        return False
    if f.conditions & b.STATES_ANY_TYPES and types & f.any_types == 0:
        return False
    return is_plainly_related(objects, players, f.controller, objects.controller[host], k, seats)


@inlined
def is_plainly_related(objects, players, relation, seat, k, seats):
    """Whether a seat stands in a relation to the controller of an object."""
    if relation == b.ANYONE:
        return True
    if relation == b.YOU:
        return seat == objects.controller[k]
    return players.team[seats + seat] != players.team[seats + objects.controller[k]]


@inlined
def is_plain_battle(objects, players, k, seats):
    """Whether a battle has defense, is not attached, and is protected by a player who may do so (CR 310.11)."""
    protector = objects.protector[k]
    if objects.defense[k] <= 0 or objects.attached_to[k] != v.NONE or protector == v.NO_SEAT:
        return False
    if objects.subtypes[k] & b.SIEGE:
        return players.team[seats + protector] != players.team[seats + objects.controller[k]]
    return protector == objects.controller[k]


@inlined
def reaches_a_limit(objects, lexicon, limits, k):
    """Whether a permanent may have its final chapter's lore counters (CR 714.4), or a limit of counters."""
    trait = objects.traits[k]
    may_limit = limits.first_limiting <= trait <= limits.last_limiting
    return 0 < lexicon.trait_final_chapter[trait] <= objects.lore[k] or (may_limit and limits.limiting[trait])


@inlined
def fights_plainly(objects, start, k):
    """Whether an attacker or blocker is a creature, and what it attacks is a player, a planeswalker or a battle."""
    if objects.types[k] & b.CREATURE == 0 or objects.types[k] & b.BATTLE or is_no_creature_now(objects, k):
        return False
    attacked = objects.attacking[k]
    if attacked < 0:
        return True
    attackable = objects.types[start + attacked] & (b.PLANESWALKER | b.BATTLE) != 0
    return is_plain_permanent(objects, start + attacked) and attackable


@inlined
def are_rivals(objects, found, first, m, n):
    """Whether two permanents that are legendary, world or Roles cannot both stay (CR 704.5j, k, z)."""
    j, k = first + m, first + n
    if objects.name[j] == objects.name[k] and found[m] & found[n] & LEGEND:
        if objects.name[k] != v.NAMELESS and objects.controller[j] == objects.controller[k]:
            return True
    if found[m] & found[n] & ONE_AT_MOST == 0:
        return False
    if objects.supertypes[j] & objects.supertypes[k] & b.WORLD:
        return True
    both_roles = objects.subtypes[j] & objects.subtypes[k] & b.ROLE != 0
    same_host = objects.attached_to[j] == objects.attached_to[k]
    return both_roles and same_host and objects.controller[j] == objects.controller[k]


@kernel
def clear_marks_run(flags, objects_start, states):
    """Clear what a check clears on boards where it does nothing else (CR 704.5h, 704.6d)."""
    for n in range(states.shape[0]):
        for k in range(objects_start[states[n]], objects_start[states[n] + 1]):
            flags[k] &= np.uint16(0xFFFF & ~b.OBJECT_MARKS)
