"""Continuous effects, stacks and what waits, on random boards."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.generation_draft import (
    EFFECT_OBJECTS,
    EFFECTS,
    MOST_EFFECTS,
    MOST_LISTED,
    OBJECTS,
    RESOLVING,
    TRIGGERED_DURING,
    Group,
    below,
    between,
    chance,
    deal,
    is_of,
    pick_player,
)
from headjudge.kernels.jit import part

END_OF_TURN, END_OF_COMBAT = (v.DURATIONS.index(until) for until in ("end_of_turn", "end_of_combat"))


@part
def add_effect(d, text, source):
    """Add a row to the effects; return it."""
    row = d.used[EFFECTS]
    d.used[EFFECTS] = row + 1
    effect = d.effects[row]
    effect.effect_id = row
    effect.text = text
    effect.source = source
    effect.controller = v.NO_SEAT
    effect.until = 0
    effect.timestamp = v.NO_TIMESTAMP
    return row


@part
def add_static_effects(d, pool, row, most):
    """Write the effects of a card as those of an object, as far as there is room."""
    card = d.card[row]
    for k in range(pool.first_effect[card], pool.first_effect[card + 1]):
        if d.used[EFFECTS] < most:
            effect = add_effect(d, pool.effects[k], row)
            if chance(d, 100):
                d.effects[effect].timestamp = below(d, 2 * d.used[OBJECTS])


@part
def list_objects(d, effect):
    """Let an effect affect one to three objects, mostly permanents, in ascending order."""
    last = -1
    for _ in range(between(d, 1, MOST_LISTED)):
        ahead = d.used[OBJECTS] - last - 1
        if ahead < 1:
            return
        row = last + 1 + below(d, ahead)
        if d.objects[row].zone != b.BATTLEFIELD and chance(d, 700):
            continue
        k = d.used[EFFECT_OBJECTS]
        d.used[EFFECT_OBJECTS] = k + 1
        d.effect_objects[k].effect = effect
        d.effect_objects[k].object = row
        last = row


@part
def add_resolved_effect(d, pool, until):
    """Add the effect of something that resolved and lasts `until`, if there is room."""
    if d.used[EFFECTS] == MOST_EFFECTS:
        return
    first, end = pool.first_card[Group.RESOLVED], pool.first_card[Group.RESOLVED + 1]
    k = pool.first_effect[first + below(d, end - first)]
    row = add_effect(d, pool.effects[k], v.NONE)
    effect = d.effects[row]
    effect.until = until
    effect.controller = pick_player(d)
    if chance(d, 500):
        effect.timestamp = below(d, 2 * d.used[OBJECTS] + 1)
    if pool.lists_objects[k]:
        list_objects(d, row)


@part
def add_static_effects_of(d, pool, marshals, most):
    """Write the effects of marshals, or those of all other cards: of some only by chance."""
    for row in range(d.used[OBJECTS]):
        is_marshal = is_of(pool, d.card[row], Group.MARSHALS)
        is_there_for_them = d.card[row] >= pool.first_card[Group.LORDS]
        if is_marshal == marshals and (is_there_for_them or chance(d, 600)):
            add_static_effects(d, pool, row, most)


@part
def add_effects(d, pool):
    """Write one to six effects: those of cards that are there for them, those of some others, and resolved ones."""
    most = between(d, 1, MOST_EFFECTS)
    resolved = below(d, min(most, 3) + 1)
    # Marshals come first: with the effects of some of them alone they would all fall at once.
    add_static_effects_of(d, pool, True, MOST_EFFECTS)
    add_static_effects_of(d, pool, False, most - resolved)
    for _ in range(resolved if d.used[EFFECTS] else max(resolved, 1)):
        add_resolved_effect(d, pool, below(d, len(v.DURATIONS)))


@part
def add_procedure(d, pool):
    """Fill the stack, with something that resolves, let abilities wait and steps be skipped."""
    if d.used[OBJECTS] == 0:
        return
    sources = d.used[OBJECTS]
    resolves = chance(d, 850)
    for i in range(below(d, 5)):
        spell = chance(d, 500)
        row = deal(d, pool, Group.SPELLS if spell else Group.ABILITIES, pick_player(d))
        thing = d.objects[row]
        thing.zone = b.STACK
        if spell and chance(d, 250):
            thing.kind = b.SPELL_COPY if chance(d, 700) else b.CARD_COPY
        elif not spell:
            thing.source = below(d, sources)
        if resolves and i == 0:
            thing.booleans |= RESOLVING
    for _ in range(below(d, 4)):
        row = deal(d, pool, Group.ABILITIES, pick_player(d))
        ability = d.objects[row]
        ability.zone = b.WAITING
        if ability.kind == b.FIRST_ABILITY:  # activated abilities do not wait
            ability.kind = b.TRIGGERED_ABILITY
        ability.source = below(d, sources)
        if chance(d, 400):
            ability.booleans |= TRIGGERED_DURING
    if chance(d, 300):
        d.state.skips = 1 << below(d, len(v.STEPS)) | 1 << below(d, len(v.STEPS))
    for row in range(sources):
        if d.objects[row].zone == b.BATTLEFIELD and chance(d, 200):
            d.objects[row].booleans |= b.DIES_TRIGGER_FLAG if chance(d, 600) else b.LEAVES_TRIGGER_FLAG
