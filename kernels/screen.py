"""Which boards need settling at all: columnar passes over whole columns (most boards of a simulation are quiet).

The screen may name a board on which nothing applies, never miss one on which something does; a test holds it against
settling everything. Each pass is one branchless loop over few columns, so that it vectorises; what needs a second look
is looked at object by object. Boards with effects, components or departed players are not looked at here: they are
settled.
"""

from __future__ import annotations

import numpy as np

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import inlined, kernel, part

# What the passes find about an object.
NEEDED = 1  # something applies, or may
ATTACHED = 2  # attached, or an Aura
LEGEND = 4
FIGHTING = 8
A_SAGA = 16
MARKED = 32  # has a mark that the check clears
A_BATTLE = 64
ONE_AT_MOST = 128  # world or a Role, of which several may be too many
UNMARKED = 255 - MARKED

#: Numbers beyond this are left to settling, which counts in 64 bits.
SMALL = 2**29
#: Types whose rules the screen does not know.
SPECIAL_TYPES = b.DUNGEON | b.SCHEME | b.PHENOMENON
SPECIAL_KEYWORDS = b.START_YOUR_ENGINES | b.SPACE_SCULPTOR | b.ASCEND | b.STORIED
#: Conditions on the host that the screen can judge by its given card types and controllers.
PLAIN_CONDITIONS = v.mask(v.FILTER_CONDITIONS, ("types", "any_types", "not_types", "controller"))
#: More legends than this on one board are left to settling.
FEW_LEGENDS = 8


@kernel
def screen_run(batch, first_state, last_state, found, limits, needed, cleared):
    """Set `needed[state]` for the boards to settle, `cleared[state]` for others with marks that a check clears.

    `found` is room for a byte an object of these states; `limits[trait]` says which traits limit counters, and is empty
    if none does.
    """
    objects = batch.objects
    first, last = batch.objects_start[first_state], batch.objects_start[last_state]
    look_at_creatures(objects, first, last, found)
    look_at_types(objects, first, last, found)
    look_at_zones(objects, first, last, found)
    look_at_relations(objects, first, last, found)
    if limits.shape[0] > 0:
        look_at_limits(objects.traits, first, last, limits, found)
    for state in range(first_state, last_state):
        all_found = 0
        for i in range(batch.objects_start[state] - first, batch.objects_start[state + 1] - first):
            all_found |= found[i]
        is_needed = all_found & NEEDED != 0 or game_needs_it(batch, state)
        if not is_needed and all_found & UNMARKED:
            is_needed = second_look(batch, state, first, found, all_found)
        needed[state] = is_needed
        cleared[state] = not is_needed and all_found & MARKED != 0


@part
def look_at_creatures(objects, first, last, found):
    """Toughness and damage (CR 704.5f, g), and counters that cancel (704.5q)."""
    types, zone = objects.types[first:last], objects.zone[first:last]
    toughness, damage = objects.toughness[first:last], objects.damage[first:last]
    plus, minus = objects.plus_counters[first:last], objects.minus_counters[first:last]
    for i in range(last - first):
        large = np.uint32(toughness[i] + SMALL) | np.uint32(plus[i] + SMALL) | np.uint32(minus[i] + SMALL)
        left = np.int32(toughness[i] + (plus[i] - minus[i]))
        dies = (left <= 0) | (large >= 2 * SMALL) | ((damage[i] > 0) & (damage[i] >= left))
        creature = types[i] & b.CREATURE != 0
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
def look_at_zones(objects, first, last, found):
    """Tokens, copies and abilities where they cannot be (CR 704.5d, e), marks and flags."""
    kind, zone, flags = objects.kind[first:last], objects.zone[first:last], objects.flags[first:last]
    for i in range(last - first):
        gone = zone[i] == b.NOWHERE
        token = (kind[i] == b.TOKEN) & (zone[i] != b.BATTLEFIELD)
        copy = ((kind[i] == b.SPELL_COPY) | (kind[i] == b.CARD_COPY)) & (zone[i] != b.STACK)
        ability = (kind[i] >= b.FIRST_ABILITY) & (zone[i] != b.STACK) & (zone[i] != b.WAITING)
        marked = flags[i] & b.OBJECT_MARKS != 0
        special = (flags[i] & b.DEATHTOUCHED != 0) | (marked & (flags[i] & b.IS_COMMANDER != 0))
        found[i] |= (
            np.uint8(((token | copy | ability) & (gone == False)) | special)  # noqa: E712 - vectorises
            | np.uint8(marked) * MARKED
            | np.uint8(flags[i] & b.BLOCKING != 0) * FIGHTING
            | np.uint8(flags[i] & b.BESTOWED != 0) * ATTACHED
        )


@part
def look_at_relations(objects, first, last, found):
    """Note what is attached, attacks, is a Saga or a Role, legendary or world."""
    attached, attacking = objects.attached_to[first:last], objects.attacking[first:last]
    subtypes, supertypes = objects.subtypes[first:last], objects.supertypes[first:last]
    for i in range(last - first):
        is_attached = (attached[i] != v.NONE) | (subtypes[i] & b.AURA != 0)
        found[i] |= (
            np.uint8((supertypes[i] & b.WORLD != 0) | (subtypes[i] & b.ROLE != 0)) * ONE_AT_MOST
            | np.uint8(is_attached) * ATTACHED
            | np.uint8(supertypes[i] & b.LEGENDARY != 0) * LEGEND
            | np.uint8(attacking[i] != v.NONE) * FIGHTING
            | np.uint8(subtypes[i] & b.SAGA != 0) * A_SAGA
        )


@part
def look_at_limits(traits, first, last, limits, found):
    """Traits that limit counters (CR 704.5r)."""
    for i in range(last - first):
        found[i] |= limits[traits[first + i]]


@inlined
def game_needs_it(batch, state):
    """Whether something about the players, or a table beside the objects, calls for settling."""
    if batch.effects_start[state] != batch.effects_start[state + 1]:
        return True
    if batch.components_start[state] != batch.components_start[state + 1] or batch.states.round_expired[state]:
        return True
    for k in range(batch.players_start[state], batch.players_start[state + 1]):
        if batch.players.life[k] <= 0 or batch.players.poison[k] >= 10:
            return True
        if batch.players.flags[k] & (b.IN_GAME | b.DREW_FROM_EMPTY) != b.IN_GAME:
            return True
    for k in range(batch.commander_damage_start[state], batch.commander_damage_start[state + 1]):
        if batch.commander_damage.amount[k] >= 21:
            return True
    for k in range(batch.counters_start[state], batch.counters_start[state + 1]):
        # Only counters that take toughness away, and limits (noted before), can make something apply.
        if batch.lexicon.counter_toughness[batch.counters.kind[k]] < 0:
            of = batch.objects_start[state] + batch.counters.object[k]
            if batch.objects.types[of] & b.CREATURE and batch.objects.zone[of] == b.BATTLEFIELD:
                return True
    return False


@inlined
def second_look(batch, state, first, found, all_found):
    """Look at attachments, combat, battles, Sagas and legends of one board, object by object."""
    start, stop = batch.objects_start[state], batch.objects_start[state + 1]
    seats = batch.players_start[state]
    objects, players, lexicon = batch.objects, batch.players, batch.lexicon
    one_at_most = 0
    for k in range(start, stop):
        bits = found[k - first]
        if bits == 0 or objects.zone[k] != b.BATTLEFIELD or objects.flags[k] & b.PHASED_OUT:
            continue
        if bits & ATTACHED and not is_plainly_attached(objects, players, lexicon, start, k, seats):
            return True
        if bits & FIGHTING and not fights_plainly(objects, start, k):
            return True
        if bits & A_BATTLE and not is_plain_battle(objects, players, k, seats):
            return True
        if bits & A_SAGA:
            final = lexicon.trait_final_chapter[objects.traits[k]]
            if final > 0 and objects.lore[k] >= final:
                return True
        one_at_most += bits & ONE_AT_MOST != 0
    return one_at_most > 1 or (all_found & LEGEND != 0 and has_two_legends(objects, start, stop, found, first))


@part
def is_no_creature_now(objects, k):
    """Whether bestow or reconfigure make something else of what its columns say is a creature."""
    if objects.flags[k] & b.BESTOWED:
        return True
    return objects.keywords[k] & b.RECONFIGURE != 0 and objects.attached_to[k] != v.NONE


@part
def is_plain_permanent(objects, k):
    """Whether an object is a permanent that is phased in and is what its columns say."""
    is_there = objects.zone[k] == b.BATTLEFIELD and objects.flags[k] & b.PHASED_OUT == 0
    return is_there and objects.kind[k] < b.EMBLEM and not is_no_creature_now(objects, k)


@part
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


@part
def is_plainly_related(objects, players, relation, seat, k, seats):
    """Whether a seat stands in a relation to the controller of an object."""
    if relation == b.ANYONE:
        return True
    if relation == b.YOU:
        return seat == objects.controller[k]
    return players.team[seats + seat] != players.team[seats + objects.controller[k]]


@part
def is_plain_battle(objects, players, k, seats):
    """Whether a battle has defense, is not attached, and is protected by a player who may do so (CR 310.11)."""
    protector = objects.protector[k]
    if objects.defense[k] <= 0 or objects.attached_to[k] != v.NONE or protector == v.NO_SEAT:
        return False
    if objects.subtypes[k] & b.SIEGE:
        return players.team[seats + protector] != players.team[seats + objects.controller[k]]
    return protector == objects.controller[k]


@part
def fights_plainly(objects, start, k):
    """Whether an attacker or blocker is a creature, and what it attacks is a player, a planeswalker or a battle."""
    if objects.types[k] & b.CREATURE == 0 or objects.types[k] & b.BATTLE or is_no_creature_now(objects, k):
        return False
    attacked = objects.attacking[k]
    if attacked < 0:
        return True
    attackable = objects.types[start + attacked] & (b.PLANESWALKER | b.BATTLE) != 0
    return is_plain_permanent(objects, start + attacked) and attackable


@part
def has_two_legends(objects, start, stop, found, first):
    """Whether two legendary permanents of one controller have one name, or there are too many to look (CR 704.5j)."""
    legends = 0
    for k in range(start, stop):
        if found[k - first] & LEGEND == 0 or not is_legend(objects, k):
            continue
        legends += 1
        if legends > FEW_LEGENDS:
            return True
        for j in range(start, k):
            same = objects.name[j] == objects.name[k] and objects.controller[j] == objects.controller[k]
            if same and found[j - first] & LEGEND and is_legend(objects, j):
                return True
    return False


@part
def is_legend(objects, k):
    """Whether an object is a legendary permanent with a name."""
    return (
        objects.zone[k] == b.BATTLEFIELD
        and objects.supertypes[k] & b.LEGENDARY != 0
        and objects.flags[k] & b.PHASED_OUT == 0
        and objects.name[k] != v.NAMELESS
    )


@kernel
def clear_marks_run(flags, objects_start, states):
    """Clear what a check clears on boards where it does nothing else (CR 704.5h, 704.6d)."""
    for n in range(states.shape[0]):
        for k in range(objects_start[states[n]], objects_start[states[n] + 1]):
            flags[k] &= np.uint16(0xFFFF & ~b.OBJECT_MARKS)
