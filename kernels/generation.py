"""Random boards, each a function of seed, profile and state id alone."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.generation_draft import (
    COMMANDER_DAMAGE,
    COUNTERS,
    HARMLESS_COUNTERS,
    KEEPS,
    MOST_ADDED,
    MOST_OBJECTS,
    OBJECTS,
    PLAYERS,
    SIDE_COUNTERS,
    WORLD_SINCE,
    Group,
    any_card,
    below,
    between,
    chance,
    deal,
    is_of,
    number,
    open_stream,
    pick_player,
)
from headjudge.kernels.generation_effects import (
    END_OF_COMBAT,
    END_OF_TURN,
    add_effects,
    add_procedure,
    add_resolved_effect,
)
from headjudge.kernels.generation_games import draw_game, send_to_combat
from headjudge.kernels.generation_things import add_thing
from headjudge.kernels.generation_twists import roughen, twist, twist_stray_token
from headjudge.kernels.jit import kernel, part

#: How often another twist is tried where one found nothing to happen to.
TRIES = 6


@part
def has_room(d):
    """Whether one more thing fits."""
    return d.used[OBJECTS] + MOST_ADDED <= MOST_OBJECTS


@part
def any_of(d, menu):
    """Return something from a menu."""
    return menu.items[below(d, menu.length)]


@part
def draw_things(d, pool, plan):
    """Add what a board of the profile is made of."""
    # the sum of two numbers, so that most boards are near the middle
    things = plan.least_things
    span = plan.most_things - plan.least_things
    things += below(d, span // 2 + 1) + below(d, span - span // 2 + 1)
    for _ in range(things):
        if has_room(d):
            add_thing(d, pool, any_of(d, plan.things), plan.wild)


@part
def draw_twists(d, pool, plan):
    """Let things happen, on a board where they are to happen at least one."""
    for _ in range(between(d, 1, plan.most_twists)):
        for _ in range(TRIES):
            if not has_room(d) or twist(d, pool, any_of(d, plan.twists), plan.wild):
                break


@part
def make_sure(d, pool):
    """Add something that a rule applies to, whatever else is on the board."""
    kind = below(d, 3)
    if kind == 0:
        twist_stray_token(d, pool)
    elif kind == 1:
        row = deal(d, pool, Group.CREATURES, pick_player(d))
        d.objects[row].toughness = -below(d, 2)
        d.objects[row].plus_counters = 0
    else:
        deal(d, pool, Group.UMBRAS, pick_player(d))


@part
def add_side_counters(d, pool, wild, rate):
    """Put counters of kinds without a column onto objects, in the order that the table has."""
    for row in range(d.used[OBJECTS]):
        here = 700 if is_of(pool, d.card[row], Group.LIMITED_CREATURES) else rate
        if not chance(d, here) or (d.objects[row].zone != b.BATTLEFIELD and not chance(d, 50)):
            continue
        first = 0 if wild else len(SIDE_COUNTERS) - HARMLESS_COUNTERS
        for kind in range(first, len(SIDE_COUNTERS)):
            if chance(d, 300):
                k = d.used[COUNTERS]
                d.used[COUNTERS] = k + 1
                counter = d.counters[k]
                counter.object = row
                counter.kind = len(v.OWN_COUNTER_KINDS) + kind
                counter.count = between(d, 1, 3) if chance(d, 700) else between(d, 1, 12)


@part
def space_ids(d):
    """Give object ids that are not the numbers of rows."""
    step = between(d, 2, 9)
    for row in range(d.used[OBJECTS]):
        d.objects[row].object_id = row * step + 7


@part
def add_keeps(d):
    """Let protections make an exception of attachments: of one, some or all of those on an object."""
    for host in range(d.used[OBJECTS]):
        if d.objects[host].zone != b.BATTLEFIELD or not chance(d, 300):
            continue
        for row in range(d.used[OBJECTS]):
            if d.objects[row].attached_to == host and d.used[KEEPS] < MOST_OBJECTS and chance(d, 600):
                k = d.used[KEEPS]
                d.used[KEEPS] = k + 1
                d.keeps[k].object = host
                d.keeps[k].attachment = row


@part
def add_world_since(d):
    """Let permanents have become world at another time than their timestamp, ties included."""
    for row in range(d.used[OBJECTS]):
        if d.objects[row].supertypes & b.WORLD and chance(d, 400):
            k = d.used[WORLD_SINCE]
            d.used[WORLD_SINCE] = k + 1
            d.world_since[k].object = row
            d.world_since[k].since = below(d, 6)


@part
def add_commander_damage(d, rate, most):
    """Let commanders have dealt damage to players, now and then enough."""
    for seat in range(d.used[PLAYERS]):
        for row in range(d.used[OBJECTS]):
            if d.objects[row].booleans & b.IS_COMMANDER and chance(d, rate) and d.used[COMMANDER_DAMAGE] < MOST_OBJECTS:
                k = d.used[COMMANDER_DAMAGE]
                d.used[COMMANDER_DAMAGE] = k + 1
                damage = d.commander_damage[k]
                damage.seat = seat
                damage.commander = row
                damage.amount = between(d, 1, most)


@part
def start_board(d, plan, seed, profile, state_id):
    """Begin a board: its random numbers, and the game that is played."""
    open_stream(d, seed, profile, state_id)
    d.used[:] = 0
    draw_game(d, plan, state_id)


@part
def draw_tokens(d, pool, objects):
    """Fill a battlefield with tokens, a few of which die."""
    for row in range(len(objects)):
        objects[row] = pool.cards[any_card(d, pool, Group.TOKENS)]
        token = objects[row]
        number(token, row, pick_player(d))
        fate = below(d, 1000)
        if fate < 30 or row == 0:
            token.damage = token.toughness
        elif fate < 40:
            token.booleans |= b.DEATHTOUCHED
        elif fate < 60:
            token.plus_counters = 1
        elif fate < 70:
            token.zone = b.GRAVEYARD
        elif fate < 90:
            # a Role on any token before it, at times the second one there
            host = below(d, row)
            objects[row] = pool.cards[pool.first_card[Group.ROLES]]
            number(token, row, objects[host].controller)
            token.attached_to = host


@part
def draw_board(d, pool, plan, seed, profile, state_id):
    """Draw one board."""
    start_board(d, plan, seed, profile, state_id)
    if pick_player(d) < 0:
        return  # the game was a draw: nobody owns anything
    with_effects = chance(d, plan.with_effects)
    draw_things(d, pool, plan)
    if with_effects:
        for _ in range(between(d, 1, 3)):
            if has_room(d):
                add_thing(d, pool, any_of(d, plan.effect_things), plan.wild)
    if chance(d, plan.combat):
        send_to_combat(d, plan.any_step)
    if plan.wild:
        roughen(d, plan.roughness)
    if chance(d, plan.twisted):
        draw_twists(d, pool, plan)
    if plan.sure and has_room(d):
        make_sure(d, pool)
    if chance(d, plan.pending) and has_room(d):
        add_procedure(d, pool)
    add_side_counters(d, pool, plan.wild, 150 if plan.wild else 30)
    if plan.wild:
        add_keeps(d)
        add_world_since(d)
        add_commander_damage(d, 400, 30)
        if chance(d, 150):
            space_ids(d)
    else:
        add_commander_damage(d, 300, 20)
    if with_effects:
        add_effects(d, pool)
    if chance(d, plan.resolved_effects):
        for _ in range(between(d, 1, 2)):
            add_resolved_effect(d, pool, END_OF_TURN if chance(d, 500) else END_OF_COMBAT)


@kernel
def draw_boards(drafts, objects, pools, plans, seed, profile, first):
    """Draw boards with state ids from `first` on, one into each draft; their objects side by side into `objects`."""
    at = 0
    for i in range(len(drafts)):
        draw_board(drafts[i], pools[0], plans[0], seed, profile, first + i)
        for row in range(drafts[i].used[OBJECTS]):
            objects[at] = drafts[i].objects[row]
            at += 1


@kernel
def draw_token_boards(drafts, objects, pools, plans, seed, profile, first):
    """Draw boards of tokens, equally many on each; a draft has no room for so many, `objects` has."""
    size = len(objects) // len(drafts)
    for i in range(len(drafts)):
        start_board(drafts[i], plans[0], seed, profile, first + i)
        drafts[i].used[OBJECTS] = size
        draw_tokens(drafts[i], pools[0], objects[i * size : (i + 1) * size])
