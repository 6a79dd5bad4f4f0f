"""What can be added to a random board: one function for each kind of thing, and the one place that calls them by name.

A new kind of object is a group of cards in data/pool.yaml, a member of `Thing`, an ``add_`` function and weights in the
profiles of `headjudge.generating`. On a board that is not wild everything is added so that nothing applies to it.
"""

from __future__ import annotations

from enum import IntEnum, auto

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.generation_draft import (
    COMPONENTS,
    OBJECTS,
    PLAYERS,
    Group,
    any_card,
    any_reference,
    below,
    between,
    chance,
    deal,
    deal_card,
    find_in_zone,
    find_permanent,
    give_life,
    has_namesake,
    has_role,
    pick_opponent,
    pick_player,
)
from headjudge.kernels.jit import part


class Thing(IntEnum):
    """What a profile's table of weights is about."""

    LAND = auto()
    CREATURE = auto()
    ODD_CREATURE = auto()
    LIMITED_CREATURE = auto()
    PROTECTED_CREATURE = auto()
    RETURNING = auto()
    LEGEND = auto()
    TOKEN = auto()
    ARTIFACT = auto()
    ENCHANTMENT = auto()
    AURA = auto()
    PICKY_AURA = auto()
    GRAVE_AURA = auto()
    CURSE = auto()
    UMBRA = auto()
    ROLE = auto()
    EQUIPMENT = auto()
    RECONFIGURE = auto()
    FORTIFICATION = auto()
    BESTOW = auto()
    AURA_CREATURE = auto()
    SAGA = auto()
    PLANESWALKER = auto()
    ODD_PLANESWALKER = auto()
    SIEGE = auto()
    BATTLE = auto()
    WORLD = auto()
    CARD_ELSEWHERE = auto()
    SPELL = auto()
    ABILITY = auto()
    COMMANDER = auto()
    SCULPTOR = auto()
    ENGINE = auto()
    BLESSED = auto()
    DUNGEON = auto()
    SCHEME = auto()
    PHENOMENON = auto()
    EMBLEM = auto()
    MERGED = auto()
    UNUSED_ROW = auto()
    LORD = auto()
    ANTHEM = auto()
    SHAPER = auto()
    SELF_MADE = auto()
    LAWGIVER = auto()
    FALLING_LORDS = auto()


@part
def lay(d, pool, group, seat):
    """Put a card of a group onto the battlefield, tapped now and then; return its row."""
    row = deal(d, pool, group, seat)
    if chance(d, 220):
        d.objects[row].booleans |= b.TAPPED
    return row


@part
def pick_host(d, types, wild):
    """Return what something that is attached to permanents of these types is attached to; NONE if nothing is there."""
    if wild and chance(d, 300):
        return any_reference(d)
    row = find_permanent(d, types, -1)
    return v.NONE if row < 0 else row


@part
def attach(d, pool, group, seat, types, wild):
    """Add a card that is attached to a permanent of these types; nothing where there is none. Return its row, or -1."""
    host = pick_host(d, types, wild)
    if host == v.NONE and not wild:
        return -1
    row = lay(d, pool, group, seat)
    d.objects[row].attached_to = host
    return row


@part
def add_pending(d, pool, source, kind, seat):
    """Add an ability of a source that waits or is on the stack."""
    row = deal(d, pool, Group.ABILITIES, seat)
    ability = d.objects[row]
    ability.kind = kind
    ability.source = source
    ability.zone = b.STACK if chance(d, 600) else b.WAITING
    return row


@part
def add_land(d, pool, seat):
    """Add a land."""
    lay(d, pool, Group.BASIC_LANDS if chance(d, 750) else Group.LANDS, seat)


@part
def add_creature(d, pool, seat):
    """Add a creature that has been around: damaged, but not lethally, or with counters."""
    row = lay(d, pool, Group.CREATURES if chance(d, 850) else Group.ARTIFACT_CREATURES, seat)
    creature = d.objects[row]
    fate = below(d, 100)
    if fate < 18:
        creature.damage = below(d, creature.toughness)
    elif fate < 30:
        creature.plus_counters = between(d, 1, 3)
    elif fate < 33 and creature.toughness > 1:
        creature.minus_counters = 1


@part
def add_limited_creature(d, pool, seat):
    """Add a creature that may have only so many counters of a kind, and has some."""
    row = lay(d, pool, Group.LIMITED_CREATURES, seat)
    creature = d.objects[row]
    creature.plus_counters = below(d, 8)
    creature.minus_counters = below(d, 4)
    creature.lore = below(d, 6)


@part
def add_protected_creature(d, pool, seat):
    """Add a creature with protection; card i of the group that has protection from players needs player i."""
    if chance(d, 700):
        lay(d, pool, Group.PROTECTED_CREATURES, seat)
        return
    first, end = pool.first_card[Group.NEMESES], pool.first_card[Group.NEMESES + 1]
    deal_card(d, pool, first + below(d, min(end - first, d.used[PLAYERS])), seat)


@part
def add_legend(d, pool, group, seat, wild):
    """Add a legendary permanent: a second of its name goes to the graveyard, where the legend rule is to be kept."""
    row = lay(d, pool, group, seat)
    if not wild and has_namesake(d, row):
        rest(d, row, b.GRAVEYARD)
    return row


@part
def rest(d, row, zone):
    """Move a card that has just been dealt to another zone, with nothing on it."""
    card = d.objects[row]
    card.zone = zone
    card.loyalty = 0
    card.defense = 0
    card.lore = 0
    if card.booleans & b.TAPPED:
        card.booleans ^= b.TAPPED


@part
def add_tokens(d, pool, seat):
    """Add one to three tokens."""
    group = Group.TOKENS if chance(d, 750) else Group.TRINKETS
    for _ in range(between(d, 1, 3)):
        lay(d, pool, group, seat)


@part
def add_grave_aura(d, pool, seat):
    """Add an Aura on a card in a graveyard."""
    host = find_in_zone(d, b.GRAVEYARD)
    row = deal(d, pool, Group.GRAVE_AURAS, seat)
    d.objects[row].attached_to = host if host >= 0 and chance(d, 700) else any_reference(d)


@part
def add_curse(d, pool, seat, wild):
    """Add an Aura on a player."""
    if wild:
        row = deal(d, pool, Group.CURSES, seat)
        d.objects[row].attached_to = -1 - below(d, d.used[PLAYERS])
        if chance(d, 150):
            d.objects[row].attached_to = any_reference(d)
        return
    cursed = pick_opponent(d, seat)
    if cursed >= 0:
        row = deal_card(d, pool, pool.first_card[Group.CURSES], seat)
        d.objects[row].attached_to = -1 - cursed


@part
def add_umbras(d, pool, seat, wild):
    """Add an umbra; on a wild board several, on one host or on one another."""
    row = attach(d, pool, Group.UMBRAS, seat, b.CREATURE, wild)
    if not wild or row < 0:
        return
    host = d.objects[row].attached_to
    for _ in range(below(d, 4)):
        another = deal(d, pool, Group.UMBRAS, pick_player(d))
        d.objects[another].attached_to = host if chance(d, 600) else another - 1


@part
def add_role(d, pool, seat, wild):
    """Add a Role, on a wild board perhaps beside another one."""
    host = pick_host(d, b.CREATURE, wild)
    if wild or (host != v.NONE and not has_role(d, host, seat)):
        row = deal(d, pool, Group.ROLES, seat)
        d.objects[row].attached_to = host
        if wild and chance(d, 400):
            another = deal(d, pool, Group.ROLES, seat if chance(d, 700) else pick_player(d))
            d.objects[another].attached_to = host


@part
def add_equipment(d, pool, seat, wild):
    """Add Equipment, attached to a creature or not."""
    if chance(d, 600):
        attach(d, pool, Group.EQUIPMENT, seat, b.CREATURE, wild)
    else:
        lay(d, pool, Group.EQUIPMENT, seat)


@part
def add_reconfigure(d, pool, seat, wild):
    """Add a creature that can be attached, attached or not."""
    if chance(d, 600):
        row = attach(d, pool, Group.RECONFIGURE, seat, b.CREATURE, wild)
    else:
        row = lay(d, pool, Group.RECONFIGURE, seat)
    if row >= 0 and not wild and has_namesake(d, row):
        d.objects[row].supertypes = 0


@part
def add_bestow(d, pool, seat, wild):
    """Add a creature with bestow: an Aura on a creature, or a creature itself if it can live."""
    if chance(d, 650):
        row = attach(d, pool, Group.BESTOW, seat, b.CREATURE, wild)
        if row >= 0:
            d.objects[row].booleans |= b.BESTOWED
            if wild and chance(d, 250):
                # a host that is bestowed itself
                another = deal(d, pool, Group.BESTOW, pick_player(d))
                d.objects[another].booleans |= b.BESTOWED
                d.objects[another].attached_to = row
        return
    row = lay(d, pool, Group.BESTOW, seat)
    if not wild and d.objects[row].toughness < 1:
        d.objects[row].plus_counters = 1


@part
def add_aura_creature(d, pool, seat):
    """Add a creature that is also an Aura, Equipment or Fortification, attached to anything."""
    row = deal(d, pool, Group.AURA_CREATURES, seat)
    d.objects[row].attached_to = any_reference(d)


@part
def add_saga(d, pool, seat, wild):
    """Add a Saga that still has a chapter to come; on a wild board it may be at its end, with abilities pending."""
    row = deal(d, pool, Group.ODD_SAGAS if wild and chance(d, 300) else Group.SAGAS, seat)
    saga = d.objects[row]
    last = saga.lore
    if wild:
        saga.lore = below(d, last + 4)
        if chance(d, 250):
            kind = b.CHAPTER_ABILITY if chance(d, 700) else b.TRIGGERED_ABILITY
            add_pending(d, pool, row, kind, seat)
    elif last > 0:
        saga.lore = between(d, 1, last)


@part
def add_planeswalker(d, pool, seat, wild):
    """Add a planeswalker with some loyalty left."""
    row = add_legend(d, pool, Group.PLANESWALKERS, seat, wild)
    if d.objects[row].zone == b.BATTLEFIELD:
        d.objects[row].loyalty = between(d, 1, 6)


@part
def add_battle(d, pool, group, seat, wild):
    """Add a battle that is held; on a wild board by anyone, at any defense, with triggers pending."""
    protector = pick_opponent(d, seat) if group == Group.SIEGES else seat
    if protector < 0 and not wild:
        return
    row = deal(d, pool, group, seat)
    battle = d.objects[row]
    battle.protector = protector
    battle.defense = between(d, 1, battle.defense)
    if wild:
        if chance(d, 300):
            battle.defense = 0
        if chance(d, 350):
            battle.protector = below(d, d.used[PLAYERS] + 1) - 1
        if chance(d, 200):
            add_pending(d, pool, row, b.TRIGGERED_ABILITY, seat)


@part
def add_world(d, pool, seat, wild):
    """Add a world permanent, the only one unless the board is wild."""
    if not wild:
        for row in range(d.used[OBJECTS]):
            if d.objects[row].supertypes & b.WORLD:
                return
        deal_card(d, pool, pool.first_card[Group.WORLDS], seat)
        return
    for _ in range(between(d, 1, 3)):
        row = deal(d, pool, Group.WORLDS, pick_player(d))
        if chance(d, 250):
            d.objects[row].timestamp = between(d, 0, 2)


@part
def add_card_elsewhere(d, pool, seat, wild):
    """Add a card that is not on the battlefield."""
    row = deal(d, pool, Group.CREATURES if chance(d, 600) else Group.SPELLS, seat)
    place = below(d, 20)
    zone = b.GRAVEYARD
    if place < 3:
        zone = b.EXILE
    elif place < 7:
        zone = b.HAND
    elif place < 10:
        zone = b.LIBRARY
    d.objects[row].zone = zone
    if wild and chance(d, 250):
        d.objects[row].booleans |= b.ARRIVED


@part
def add_spell(d, pool, seat):
    """Add a spell on the stack, perhaps a copy."""
    row = deal(d, pool, Group.SPELLS, seat)
    spell = d.objects[row]
    spell.zone = b.STACK
    if chance(d, 150):
        spell.kind = b.SPELL_COPY if chance(d, 700) else b.CARD_COPY


@part
def add_ability(d, pool, seat, wild):
    """Add an ability of some object, on the stack; on a wild board anywhere."""
    if d.used[OBJECTS] == 0:
        return
    source = below(d, d.used[OBJECTS])
    row = deal(d, pool, Group.ABILITIES, seat)
    ability = d.objects[row]
    ability.zone = b.STACK
    ability.source = source
    if wild:
        if chance(d, 500):
            ability.zone = b.WAITING
        elif chance(d, 150):
            ability.zone = between(d, b.GRAVEYARD, b.NOWHERE)
        if chance(d, 100):
            ability.source = v.NONE


@part
def add_commander(d, pool, seat, wild):
    """Add a player's commander."""
    group = Group.COMMANDERS if wild and chance(d, 600) else Group.LEGENDS
    row = add_legend(d, pool, group, seat, wild)
    commander = d.objects[row]
    commander.booleans |= b.IS_COMMANDER
    place = below(d, 100)
    if wild and place < 40:
        rest(d, row, b.GRAVEYARD if place < 25 else b.EXILE)
        if chance(d, 700):
            commander.booleans |= b.ARRIVED
    elif place < 60 or commander.zone != b.BATTLEFIELD:
        rest(d, row, b.COMMAND)
    elif wild and place < 65:
        rest(d, row, b.LIBRARY)


@part
def add_sculptor(d, pool, seat):
    """Add a permanent with space sculptor, and sectors for some of the creatures."""
    lay(d, pool, Group.SCULPTORS, seat)
    for row in range(d.used[OBJECTS]):
        if d.objects[row].types & b.CREATURE and chance(d, 600):
            d.objects[row].sector = below(d, len(v.SECTORS))


@part
def add_dungeon(d, pool, seat, wild):
    """Add a dungeon; on a wild board perhaps at its end, perhaps with the last room's ability pending."""
    row = deal(d, pool, Group.DUNGEONS, seat)
    d.objects[row].zone = b.COMMAND
    if wild and chance(d, 600):
        d.objects[row].booleans |= b.BOTTOMMOST_ROOM
        if chance(d, 350):
            add_pending(d, pool, row, b.ROOM_ABILITY if chance(d, 700) else b.TRIGGERED_ABILITY, seat)


@part
def add_command_card(d, pool, group, seat):
    """Add a scheme, plane or phenomenon, face up or not, perhaps with a trigger pending."""
    row = deal(d, pool, group, seat)
    card = d.objects[row]
    card.zone = b.COMMAND
    if chance(d, 200):
        card.booleans ^= b.FACE_UP
    if chance(d, 250):
        add_pending(d, pool, row, b.TRIGGERED_ABILITY, seat)


@part
def add_emblem(d, pool, seat):
    """Add an emblem."""
    row = deal(d, pool, Group.EMBLEMS, seat)
    d.objects[row].zone = b.COMMAND


@part
def add_merged(d, pool, seat):
    """Add a merged permanent: a creature on top of cards and tokens."""
    row = lay(d, pool, Group.CREATURES, seat)
    top = d.objects[row]
    if chance(d, 250):
        top.kind = b.TOKEN
    for position in range(between(d, 2, 3)):
        k = d.used[COMPONENTS]
        d.used[COMPONENTS] = k + 1
        component = d.components[k]
        component.object = row
        component.name = top.name
        component.kind = top.kind
        component.owner = top.owner
        if position > 0:
            component.name = pool.cards[pool.first_card[Group.CREATURES] + below(d, 20)].name
            component.kind = b.TOKEN if chance(d, 300) else b.CARD


@part
def add_unused_row(d, pool, seat):
    """Add a row that stands for nothing, or for what has ceased to exist."""
    row = deal(d, pool, Group.CREATURES, seat)
    d.objects[row].zone = b.NOWHERE


@part
def add_shapers(d, pool, seat):
    """Add what changes types and abilities, often beside the next card of the group: one may depend on the other."""
    card = any_card(d, pool, Group.SHAPERS)
    deal_card(d, pool, card, seat)
    if card + 1 < pool.first_card[Group.SHAPERS + 1] and chance(d, 500):
        deal_card(d, pool, card + 1, pick_player(d))


@part
def add_lawgiver(d, pool, seat):
    """Add what changes a rule, now and then for a player who needs it."""
    lay(d, pool, Group.LAWGIVERS, seat)
    if chance(d, 250):
        give_life(d, seat, -below(d, 3))


@part
def add_falling_lords(d, pool, seat):
    """Add lords that keep one another alive, so damaged that they die one in each pass."""
    count = between(d, 2, 4)
    for i in range(count):
        row = deal(d, pool, Group.MARSHALS, seat)
        lord = d.objects[row]
        # With k of them left each has toughness t + k - 1. The i-th dies when i others are gone.
        lord.damage = lord.toughness + count - 1 - i


@part
def add_thing(d, pool, thing, wild):
    """Add one kind of thing."""
    seat = pick_player(d)
    if thing == Thing.LAND:
        add_land(d, pool, seat)
    elif thing == Thing.CREATURE:
        add_creature(d, pool, seat)
    elif thing == Thing.ODD_CREATURE:
        lay(d, pool, Group.ODD_CREATURES, seat)
    elif thing == Thing.LIMITED_CREATURE:
        add_limited_creature(d, pool, seat)
    elif thing == Thing.PROTECTED_CREATURE:
        add_protected_creature(d, pool, seat)
    elif thing == Thing.RETURNING:
        lay(d, pool, Group.RETURNING, seat)
    elif thing == Thing.LEGEND:
        add_legend(d, pool, Group.LEGENDS, seat, wild)
    elif thing == Thing.TOKEN:
        add_tokens(d, pool, seat)
    elif thing == Thing.ARTIFACT:
        lay(d, pool, Group.ARTIFACTS, seat)
    elif thing == Thing.ENCHANTMENT:
        lay(d, pool, Group.ENCHANTMENTS, seat)
    elif thing == Thing.AURA:
        attach(d, pool, Group.CREATURE_AURAS, seat, b.CREATURE, wild)
    elif thing == Thing.PICKY_AURA:
        attach(d, pool, Group.PICKY_AURAS, seat, 1 << below(d, 7), wild)
    elif thing == Thing.GRAVE_AURA:
        add_grave_aura(d, pool, seat)
    elif thing == Thing.CURSE:
        add_curse(d, pool, seat, wild)
    elif thing == Thing.UMBRA:
        add_umbras(d, pool, seat, wild)
    elif thing == Thing.ROLE:
        add_role(d, pool, seat, wild)
    elif thing == Thing.EQUIPMENT:
        add_equipment(d, pool, seat, wild)
    elif thing == Thing.RECONFIGURE:
        add_reconfigure(d, pool, seat, wild)
    elif thing == Thing.FORTIFICATION:
        attach(d, pool, Group.FORTIFICATIONS, seat, b.LAND, wild)
    elif thing == Thing.BESTOW:
        add_bestow(d, pool, seat, wild)
    elif thing == Thing.AURA_CREATURE:
        add_aura_creature(d, pool, seat)
    elif thing == Thing.SAGA:
        add_saga(d, pool, seat, wild)
    elif thing == Thing.PLANESWALKER:
        add_planeswalker(d, pool, seat, wild)
    elif thing == Thing.ODD_PLANESWALKER:
        lay(d, pool, Group.ODD_PLANESWALKERS, seat)
    elif thing == Thing.SIEGE:
        add_battle(d, pool, Group.SIEGES, seat, wild)
    elif thing == Thing.BATTLE:
        add_battle(d, pool, Group.BATTLES, seat, wild)
    elif thing == Thing.WORLD:
        add_world(d, pool, seat, wild)
    elif thing == Thing.CARD_ELSEWHERE:
        add_card_elsewhere(d, pool, seat, wild)
    elif thing == Thing.SPELL:
        add_spell(d, pool, seat)
    elif thing == Thing.ABILITY:
        add_ability(d, pool, seat, wild)
    elif thing == Thing.COMMANDER:
        add_commander(d, pool, seat, wild)
    elif thing == Thing.SCULPTOR:
        add_sculptor(d, pool, seat)
    elif thing == Thing.ENGINE:
        lay(d, pool, Group.ENGINES, seat)
    elif thing == Thing.BLESSED:
        lay(d, pool, Group.BLESSED, seat)
    elif thing == Thing.DUNGEON:
        add_dungeon(d, pool, seat, wild)
    elif thing == Thing.SCHEME:
        add_command_card(d, pool, Group.SCHEMES, seat)
    elif thing == Thing.PHENOMENON:
        add_command_card(d, pool, Group.PHENOMENA if chance(d, 700) else Group.PLANES, seat)
    elif thing == Thing.EMBLEM:
        add_emblem(d, pool, seat)
    elif thing == Thing.MERGED:
        add_merged(d, pool, seat)
    elif thing == Thing.UNUSED_ROW:
        add_unused_row(d, pool, seat)
    elif thing == Thing.LORD:
        lay(d, pool, Group.LORDS, seat)
    elif thing == Thing.ANTHEM:
        lay(d, pool, Group.ANTHEMS, seat)
    elif thing == Thing.SHAPER:
        add_shapers(d, pool, seat)
    elif thing == Thing.SELF_MADE:
        lay(d, pool, Group.SELF_MADE, seat)
    elif thing == Thing.LAWGIVER:
        add_lawgiver(d, pool, seat)
    elif thing == Thing.FALLING_LORDS:
        add_falling_lords(d, pool, seat)
