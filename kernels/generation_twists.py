"""What can happen to a random board: one function for each twist, and the roughness of wild boards.

A new twist is a member of `Twist`, a function, a line in `twist` and weights in the profiles of
`headjudge.generating`. A twist says whether it found something to happen to.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Final

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.generation_draft import (
    BESTOW,
    COMPONENTS,
    ENCHANTMENT,
    OBJECTS,
    PLAYERS,
    Group,
    any_reference,
    below,
    between,
    chance,
    deal,
    find_in_zone,
    find_marked,
    find_permanent,
    give_life,
    give_poison,
    pick_player,
)
from headjudge.kernels.generation_things import add_battle, add_commander, add_planeswalker, add_saga, rest
from headjudge.kernels.jit import part

#: As large as numbers on a board get.
HUGE: Final = v.LARGEST


class Twist(IntEnum):
    """What a profile's table of twists is about."""

    LETHAL_DAMAGE = auto()
    TOUGHNESS_ZERO = auto()
    DEATHTOUCH = auto()
    LOYALTY_ZERO = auto()
    STRAY_TOKEN = auto()
    STRAY_COPY = auto()
    SECOND_LEGEND = auto()
    LOOSE_AURA = auto()
    LOOSE_EQUIPMENT = auto()
    LIFE_ZERO = auto()
    POISON = auto()
    EMPTY_DRAW = auto()
    CANCELLING_COUNTERS = auto()
    FINISHED_SAGA = auto()
    FALLEN_SIEGE = auto()
    SECOND_ROLE = auto()
    LOST_COMMANDER = auto()
    ARRIVAL = auto()
    MISPLACED_ATTACHMENT = auto()
    SELF_ATTACHMENT = auto()
    CYCLE = auto()
    TIMESTAMPS = auto()
    HUGE_NUMBER = auto()
    ODD_ATTACKER = auto()
    STRAY_OBJECT = auto()
    ATTACKED_PERMANENT = auto()
    GUARDED_LOSER = auto()
    HEAP_OF_UMBRAS = auto()
    CHANGED_OWNER = auto()


@part
def size(thing):
    """Return the toughness that a creature has by its card and its counters, as far as damage can match it."""
    printed = 0 if thing.toughness == v.NULL else int(thing.toughness)
    return min(printed + int(thing.plus_counters) - int(thing.minus_counters), HUGE - 2)


@part
def twist_lethal_damage(d):
    """Damage a creature lethally; now and then it could regenerate."""
    row = find_permanent(d, b.CREATURE, -1)
    if row < 0 or size(d.objects[row]) < 1:
        return False
    creature = d.objects[row]
    creature.damage = size(creature) + below(d, 3)
    if chance(d, 80):
        creature.regeneration = between(d, 1, 2)
    return True


@part
def twist_toughness_zero(d):
    """Shrink a creature to nothing by -1/-1 counters, in place of what counters it had."""
    row = find_permanent(d, b.CREATURE, -1)
    if row < 0 or size(d.objects[row]) < 1:
        return False
    creature = d.objects[row]
    creature.plus_counters = 0
    creature.minus_counters = 0
    creature.minus_counters = max(0, size(creature)) + below(d, 2)
    return True


@part
def twist_deathtouch(d):
    """Let a source with deathtouch have dealt damage to a creature."""
    row = find_permanent(d, b.CREATURE, -1)
    if row < 0 or size(d.objects[row]) < 1:
        return False
    d.objects[row].booleans |= b.DEATHTOUCHED
    d.objects[row].damage = max(1, d.objects[row].damage)
    return True


@part
def twist_loyalty_zero(d, pool, wild):
    """Take all loyalty from a planeswalker."""
    row = find_permanent(d, b.PLANESWALKER, -1)
    if row < 0:
        add_planeswalker(d, pool, pick_player(d), wild)
        row = find_permanent(d, b.PLANESWALKER, -1)
    if row < 0:
        return False
    d.objects[row].loyalty = 0
    return True


@part
def twist_stray_token(d, pool):
    """Leave a token where it has just gone from the battlefield."""
    row = deal(d, pool, Group.TOKENS if chance(d, 800) else Group.TRINKETS, pick_player(d))
    zone = below(d, 10)
    rest(d, row, b.GRAVEYARD if zone < 6 else b.EXILE if zone < 8 else b.HAND if zone < 9 else b.LIBRARY)
    return True


@part
def twist_stray_copy(d, pool):
    """Leave a copy of a spell off the stack, or one of a card in exile."""
    row = deal(d, pool, Group.SPELLS, pick_player(d))
    copy = d.objects[row]
    copy.kind = b.SPELL_COPY if chance(d, 600) else b.CARD_COPY
    copy.zone = b.GRAVEYARD if chance(d, 500) else b.EXILE
    return True


@part
def twist_second_legend(d, pool):
    """Give a player a second legendary permanent of one name, newer or older."""
    first = -1
    for _ in range(4):
        row = find_permanent(d, 0, -1)
        if row >= 0 and d.objects[row].supertypes & b.LEGENDARY and d.objects[row].name != v.NAMELESS:
            first = row
            break
    if first < 0:
        first = deal(d, pool, Group.LEGENDS, pick_player(d))
    row = d.used[OBJECTS]
    d.used[OBJECTS] = row + 1
    d.card[row] = d.card[first]
    d.objects[row] = d.objects[first]
    second = d.objects[row]
    second.object_id = row
    second.timestamp = row
    second.attacking = v.NONE
    if second.booleans & b.IS_COMMANDER:
        second.booleans ^= b.IS_COMMANDER
    if chance(d, 200):
        second.kind = b.TOKEN
    if chance(d, 100):
        d.objects[first].timestamp = row + 1
    return True


@part
def lost_host(d):
    """Return what was a host and is one no longer: something in a graveyard, or a land; -1 if there is neither."""
    host = find_in_zone(d, b.GRAVEYARD)
    return find_permanent(d, b.LAND, -1) if host < 0 or chance(d, 300) else host


@part
def twist_loose_aura(d, pool):
    """Leave an Aura on a creature that has died, on what it may not enchant, or on nothing."""
    row = deal(d, pool, Group.CREATURE_AURAS, pick_player(d))
    host = lost_host(d)
    if host >= 0 and chance(d, 800):
        d.objects[row].attached_to = host
    return True


@part
def twist_loose_equipment(d, pool):
    """Leave Equipment on a creature that has died or on what is no creature."""
    host = lost_host(d)
    if host < 0:
        return False
    row = deal(d, pool, Group.EQUIPMENT, pick_player(d))
    d.objects[row].attached_to = host
    return True


@part
def twist_life_zero(d):
    """Bring a player's life to 0 or below, now and then everybody's."""
    give_life(d, pick_player(d), -below(d, 6))
    if chance(d, 60):
        for seat in range(d.used[PLAYERS]):
            give_life(d, seat, -below(d, 3))
    return True


@part
def twist_poison(d):
    """Give a player ten poison counters or more; a team fifteen."""
    most = 9 + 12 * (d.state.variant & b.TWO_HEADED_GIANT != 0)
    give_poison(d, pick_player(d), between(d, 10, most + 3))
    return True


@part
def twist_empty_draw(d):
    """Let a player have drawn from an empty library."""
    d.players[pick_player(d)].booleans |= b.DREW_FROM_EMPTY
    return True


@part
def twist_cancelling_counters(d):
    """Give a creature +1/+1 and -1/-1 counters that it can live with."""
    row = find_permanent(d, b.CREATURE, -1)
    if row < 0:
        return False
    creature = d.objects[row]
    creature.minus_counters = between(d, 1, 2)
    creature.plus_counters = creature.minus_counters + below(d, 3)
    return True


@part
def twist_finished_saga(d, pool):
    """Give a Saga its last lore counter."""
    row = find_marked(d, b.SAGA)
    if row < 0:
        row = d.used[OBJECTS]
        add_saga(d, pool, pick_player(d), False)
    d.objects[row].lore = pool.cards[d.card[row]].lore + 1
    return True


@part
def twist_fallen_siege(d, pool, wild):
    """Take all defense from a battle."""
    row = find_permanent(d, b.BATTLE, -1)
    if row < 0:
        add_battle(d, pool, Group.SIEGES, pick_player(d), wild)
        row = find_permanent(d, b.BATTLE, -1)
    if row < 0:
        return False
    d.objects[row].defense = 0
    return True


@part
def twist_second_role(d, pool):
    """Put two Roles of one player on a creature."""
    host = find_permanent(d, b.CREATURE, -1)
    if host < 0:
        return False
    seat = pick_player(d)
    for _ in range(2):
        row = deal(d, pool, Group.ROLES, seat)
        d.objects[row].attached_to = host
    return True


@part
def twist_lost_commander(d, pool, wild):
    """Leave a commander where it has just been put."""
    row = d.used[OBJECTS]
    add_commander(d, pool, pick_player(d), wild)
    rest(d, row, b.GRAVEYARD if chance(d, 700) else b.EXILE)
    d.objects[row].booleans |= b.ARRIVED
    return True


@part
def twist_arrival(d):
    """Mark a card in a graveyard as put there since the last check."""
    row = find_in_zone(d, b.GRAVEYARD)
    if row < 0:
        return False
    d.objects[row].booleans |= b.ARRIVED
    return True


@part
def twist_misplaced_attachment(d):
    """Attach some permanent, of whatever type, to anything."""
    row = find_permanent(d, 0, -1)
    if row < 0:
        return False
    d.objects[row].attached_to = any_reference(d)
    return True


@part
def twist_self_attachment(d, pool):
    """Attach an Aura, Equipment or anything to itself."""
    kind = below(d, 5)
    row = find_permanent(d, 0, -1)
    if kind == 0:
        row = deal(d, pool, Group.PICKY_AURAS, pick_player(d))
    elif kind == 1:
        row = deal(d, pool, Group.RECONFIGURE, pick_player(d))
    elif kind == 2:
        row = deal(d, pool, Group.BESTOW, pick_player(d))
        d.objects[row].booleans |= b.BESTOWED
    if row < 0:
        return False
    d.objects[row].attached_to = row
    return True


@part
def twist_cycle(d, pool):
    """Attach two or three permanents in a circle."""
    count = between(d, 2, 3)
    first = d.used[OBJECTS]
    for i in range(count):
        kind = below(d, 4)
        group = Group.PICKY_AURAS if kind == 0 else Group.UMBRAS if kind == 1 else Group.BESTOW
        if kind == 3:
            group = Group.RECONFIGURE
        row = deal(d, pool, group, pick_player(d))
        if group == Group.BESTOW:
            d.objects[row].booleans |= b.BESTOWED
        d.objects[row].attached_to = first + (i + 1) % count
    return True


@part
def twist_timestamps(d):
    """Give timestamps that have nothing to do with the order of the rows, or are equal."""
    count = d.used[OBJECTS]
    range_ = 4 if chance(d, 400) else count + 1
    for row in range(count):
        d.objects[row].timestamp = below(d, range_)
    return True


@part
def twist_huge_number(d):
    """Make one number as large, or as small, as numbers get."""
    what = below(d, 10)
    if what == 0:
        give_life(d, pick_player(d), HUGE if chance(d, 500) else -HUGE)
        return True
    if what == 1:
        give_poison(d, pick_player(d), HUGE)
        return True
    if d.used[OBJECTS] == 0:
        return False
    thing = d.objects[below(d, d.used[OBJECTS])]
    if what == 2:
        thing.damage = HUGE
    elif what == 3:
        thing.plus_counters = HUGE
        thing.toughness = 1
    elif what == 4:
        thing.minus_counters = HUGE
        thing.toughness = 1
    elif what == 5:
        thing.toughness = HUGE
        thing.plus_counters = 0
    elif what == 6:
        thing.toughness = -HUGE
        thing.minus_counters = 0
    elif what == 7:
        thing.loyalty = HUGE
    elif what == 8:
        thing.timestamp = 1 << 61
    else:
        thing.lore = HUGE
    return True


@part
def twist_odd_attacker(d):
    """Let something attack that cannot, or attack what cannot be attacked, or block."""
    row = find_permanent(d, 0, -1)
    if row < 0:
        return False
    thing = d.objects[row]
    if chance(d, 250):
        thing.booleans |= b.BLOCKING
    else:
        thing.attacking = v.NOTHING if chance(d, 150) else any_reference(d)
    return True


@part
def twist_stray_object(d):
    """Move an object, with all that is on it, to another zone; an ability cannot be on the battlefield."""
    if d.used[OBJECTS] == 0:
        return False
    thing = d.objects[below(d, d.used[OBJECTS])]
    thing.zone = between(d, 1 if thing.kind >= b.FIRST_ABILITY else 0, b.WAITING - 1)
    if chance(d, 300):
        thing.booleans |= b.ARRIVED
    return True


@part
def twist_attacked_permanent(d, pool, wild):
    """Let a creature attack a planeswalker or battle that is in trouble."""
    target = find_permanent(d, b.PLANESWALKER if chance(d, 500) else b.BATTLE, -1)
    if target < 0:
        target = d.used[OBJECTS]
        group = Group.SIEGES if chance(d, 600) else Group.BATTLES
        add_battle(d, pool, group, pick_player(d), wild)
    attacker = find_permanent(d, b.CREATURE, -1)
    if attacker < 0 or target >= d.used[OBJECTS]:
        return False
    d.objects[attacker].attacking = target
    if chance(d, 300):
        d.objects[target].protector = v.NO_SEAT
    if chance(d, 200):
        d.objects[target].loyalty = 0
        d.objects[target].defense = 0
    return True


@part
def twist_guarded_loser(d):
    """Protect a player who would lose."""
    seat = pick_player(d)
    d.players[seat].booleans |= b.CANT_LOSE if chance(d, 500) else b.NO_LOSS_AT_ZERO_LIFE
    give_life(d, seat, -below(d, 3))
    return True


@part
def twist_heap_of_umbras(d, pool):
    """Let a creature that would be destroyed wear one umbra or several, with whatever can happen to those."""
    host = find_permanent(d, b.CREATURE, -1)
    if host < 0:
        return False
    d.objects[host].damage = max(1, size(d.objects[host]))
    for _ in range(between(d, 1, 3)):
        row = deal(d, pool, Group.UMBRAS, pick_player(d))
        umbra = d.objects[row]
        umbra.attached_to = host
        if chance(d, 250):
            umbra.shield = 1
        if chance(d, 150):
            umbra.regeneration = 1
        if chance(d, 250):
            host = row
    return True


@part
def twist_changed_owner(d):
    """Let a player control what another one owns."""
    if d.used[OBJECTS] == 0:
        return False
    row = below(d, d.used[OBJECTS])
    d.objects[row].owner = pick_player(d)
    for k in range(d.used[COMPONENTS]):
        if d.components[k].object == row:
            d.components[k].owner = d.objects[row].owner
    return True


@part
def twist(d, pool, kind, wild):
    """Let one thing happen; return whether it could."""
    if kind == Twist.LETHAL_DAMAGE:
        return twist_lethal_damage(d)
    if kind == Twist.TOUGHNESS_ZERO:
        return twist_toughness_zero(d)
    if kind == Twist.DEATHTOUCH:
        return twist_deathtouch(d)
    if kind == Twist.LOYALTY_ZERO:
        return twist_loyalty_zero(d, pool, wild)
    if kind == Twist.STRAY_TOKEN:
        return twist_stray_token(d, pool)
    if kind == Twist.STRAY_COPY:
        return twist_stray_copy(d, pool)
    if kind == Twist.SECOND_LEGEND:
        return twist_second_legend(d, pool)
    if kind == Twist.LOOSE_AURA:
        return twist_loose_aura(d, pool)
    if kind == Twist.LOOSE_EQUIPMENT:
        return twist_loose_equipment(d, pool)
    if kind == Twist.LIFE_ZERO:
        return twist_life_zero(d)
    if kind == Twist.POISON:
        return twist_poison(d)
    if kind == Twist.EMPTY_DRAW:
        return twist_empty_draw(d)
    if kind == Twist.CANCELLING_COUNTERS:
        return twist_cancelling_counters(d)
    if kind == Twist.FINISHED_SAGA:
        return twist_finished_saga(d, pool)
    if kind == Twist.FALLEN_SIEGE:
        return twist_fallen_siege(d, pool, wild)
    if kind == Twist.SECOND_ROLE:
        return twist_second_role(d, pool)
    if kind == Twist.LOST_COMMANDER:
        return twist_lost_commander(d, pool, wild)
    if kind == Twist.ARRIVAL:
        return twist_arrival(d)
    if kind == Twist.MISPLACED_ATTACHMENT:
        return twist_misplaced_attachment(d)
    if kind == Twist.SELF_ATTACHMENT:
        return twist_self_attachment(d, pool)
    if kind == Twist.CYCLE:
        return twist_cycle(d, pool)
    if kind == Twist.TIMESTAMPS:
        return twist_timestamps(d)
    if kind == Twist.HUGE_NUMBER:
        return twist_huge_number(d)
    if kind == Twist.ODD_ATTACKER:
        return twist_odd_attacker(d)
    if kind == Twist.STRAY_OBJECT:
        return twist_stray_object(d)
    if kind == Twist.ATTACKED_PERMANENT:
        return twist_attacked_permanent(d, pool, wild)
    if kind == Twist.GUARDED_LOSER:
        return twist_guarded_loser(d)
    if kind == Twist.HEAP_OF_UMBRAS:
        return twist_heap_of_umbras(d, pool)
    if kind == Twist.CHANGED_OWNER:
        return twist_changed_owner(d)
    return False


@part
def roughen_flags(d, thing, rate):
    """Change flags, keywords and the words on the type line of a permanent."""
    if chance(d, rate):
        thing.keywords |= 1 << below(d, len(v.KEYWORDS))
        if thing.keywords & BESTOW and thing.types & b.CREATURE and chance(d, 400):
            thing.booleans |= b.BESTOWED
    if chance(d, rate):
        thing.booleans |= b.DIES_TRIGGER_FLAG if chance(d, 600) else b.LEAVES_TRIGGER_FLAG
    if chance(d, rate // 3):
        thing.booleans |= b.PHASED_OUT
    if chance(d, rate // 3):
        thing.booleans |= b.ARRIVED if chance(d, 500) else b.DEATHTOUCHED
    if chance(d, rate // 4):
        kind = below(d, 6)
        thing.types |= (
            b.ARTIFACT if kind == 0 else b.BATTLE if kind == 1 else b.CREATURE if kind == 2
            else ENCHANTMENT if kind == 3 else b.LAND if kind == 4 else b.PLANESWALKER
        )  # fmt: skip
    if chance(d, rate // 6):
        thing.supertypes |= b.LEGENDARY if chance(d, 700) else b.WORLD
    if chance(d, rate // 2):
        thing.colors = below(d, 1 << len(v.COLORS))
    if chance(d, rate // 10):
        thing.name = v.NAMELESS


@part
def roughen_numbers(d, thing, rate):
    """Change damage, counters and shields of a permanent."""
    if chance(d, rate):
        thing.damage = below(d, 6)
    if chance(d, rate // 2):
        thing.plus_counters = between(d, 1, 4)
    if chance(d, rate // 2):
        thing.minus_counters = between(d, 1, 4)
    if chance(d, rate // 2):
        thing.regeneration = between(d, 1, 3)
    if chance(d, rate // 2):
        thing.shield = between(d, 1, 2)
    if chance(d, rate // 2):
        thing.finality = between(d, 1, 2)
    if chance(d, rate // 5):
        thing.loyalty = below(d, 4)
    if chance(d, rate // 5):
        thing.defense = below(d, 4)
    if chance(d, rate // 5):
        thing.lore = below(d, 5)
    if chance(d, rate // 5):
        thing.sector = below(d, len(v.SECTORS))
    if chance(d, rate // 8):
        thing.power = v.NULL if chance(d, 300) else between(d, -2, 5)
        thing.toughness = v.NULL if chance(d, 300) else between(d, -2, 5)


@part
def roughen(d, rate):
    """Change details of permanents at random."""
    for row in range(d.used[OBJECTS]):
        if d.objects[row].zone == b.BATTLEFIELD:
            roughen_flags(d, d.objects[row], rate)
            roughen_numbers(d, d.objects[row], rate)
