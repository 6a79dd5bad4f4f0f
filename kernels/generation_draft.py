"""Room for one random board, random numbers that are the same everywhere, and the search for something on the board."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

import numpy as np

from headjudge.kernels import bits as b
from headjudge.kernels import tables as t
from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import kernel, part
from headjudge.kernels.tables import DTYPES, TABLES

#: Rows of `used`, in the order of `TABLES`.
PLAYERS, OBJECTS, COUNTERS, COMMANDER_DAMAGE, KEEPS, WORLD_SINCE, EFFECTS, EFFECT_OBJECTS, COMPONENTS = range(
    len(TABLES)
)
#: Objects on one board.
MOST_OBJECTS: Final = 64
#: The most objects that one function adds: there is room for that many before one is called.
MOST_ADDED: Final = 8
MOST_SEATS: Final = 8
MOST_EFFECTS: Final = 6
#: Objects that one effect lists.
MOST_LISTED: Final = 3
#: Kinds of counters without a column on generated boards: the first ones of their lexicon. The harmless ones last.
SIDE_COUNTERS: Final = ("+1/+0", "-0/-1", "+2/+2", "dream", "indestructible", "charge", "stun")
HARMLESS_COUNTERS: Final = 2
#: The sum of the weights in a table of weights.
MOST_WEIGHT: Final = 512

#: Words that only a generator needs; the others stand in `bits`.
ENCHANTMENT: Final = v.bit(v.TYPES, "enchantment")
BESTOW: Final = v.bit(v.KEYWORDS, "bestow")
RESOLVING: Final = v.bit(v.OBJECT_FLAGS, "resolving")
TRIGGERED_DURING: Final = v.bit(v.OBJECT_FLAGS, "triggered_during")
SHARED_LIFE: Final = b.TWO_HEADED_GIANT | b.ARCHENEMY_COMMANDER


class Group(IntEnum):
    """The groups of cards in data/pool.yaml, in the order of the file."""

    BASIC_LANDS = 0
    LANDS = 1
    CREATURES = 2
    ARTIFACT_CREATURES = 3
    ODD_CREATURES = 4
    LIMITED_CREATURES = 5
    PROTECTED_CREATURES = 6
    NEMESES = 7
    RETURNING = 8
    LEGENDS = 9
    COMMANDERS = 10
    TOKENS = 11
    TRINKETS = 12
    ARTIFACTS = 13
    ENCHANTMENTS = 14
    CREATURE_AURAS = 15
    PICKY_AURAS = 16
    GRAVE_AURAS = 17
    CURSES = 18
    UMBRAS = 19
    ROLES = 20
    EQUIPMENT = 21
    RECONFIGURE = 22
    FORTIFICATIONS = 23
    BESTOW = 24
    AURA_CREATURES = 25
    SAGAS = 26
    ODD_SAGAS = 27
    PLANESWALKERS = 28
    ODD_PLANESWALKERS = 29
    SIEGES = 30
    BATTLES = 31
    WORLDS = 32
    SPELLS = 33
    SCULPTORS = 34
    ENGINES = 35
    BLESSED = 36
    DUNGEONS = 37
    SCHEMES = 38
    PHENOMENA = 39
    PLANES = 40
    EMBLEMS = 41
    ABILITIES = 42
    LORDS = 43
    MARSHALS = 44
    ANTHEMS = 45
    SHAPERS = 46
    SELF_MADE = 47
    LAWGIVERS = 48
    RESOLVED = 49


def record(table: type) -> np.dtype[Any]:
    """Return the type of one row of a table, its columns in their order."""
    # `flags` is what NumPy calls an attribute of its own scalars.
    columns = {"booleans" if name == "flags" else name: dtype for name, dtype in DTYPES[table].items()}
    return np.dtype(list(columns.items()), align=True)


#: Room for one board. One record: numba hands records on as one pointer, tuples of arrays as a hundred numbers.
DRAFT: Final = np.dtype(
    [
        ("stream", np.uint64),  # the state of the random numbers
        ("used", np.int64, len(TABLES)),  # rows written
        ("card", np.int64, MOST_OBJECTS),  # the card of the pool that each object is
        ("state", record(t.States)),
        ("players", record(t.Players), MOST_SEATS),
        ("objects", record(t.Objects), MOST_OBJECTS),
        ("counters", record(t.Counters), len(SIDE_COUNTERS) * MOST_OBJECTS),
        ("commander_damage", record(t.CommanderDamage), MOST_OBJECTS),
        ("keeps", record(t.Keeps), MOST_OBJECTS),
        ("world_since", record(t.WorldSince), MOST_OBJECTS),
        ("effects", record(t.Effects), MOST_EFFECTS),
        ("effect_objects", record(t.EffectObjects), MOST_EFFECTS * MOST_LISTED),
        ("components", record(t.Components), 3 * MOST_OBJECTS),
    ],
    align=True,
)


def pool_type(cards: int, effects: int) -> np.dtype[Any]:
    """Return the type of the one record of all cards to choose from."""
    return np.dtype(
        [
            ("cards", record(t.Objects), cards),
            ("first_card", np.int64, len(Group) + 1),
            ("first_effect", np.int64, cards + 1),  # where the effects of each card begin
            ("effects", np.int32, effects),  # rows of Lexicon.effects
            ("lists_objects", np.uint8, effects),  # bool: `affects` of the effect is a list of objects
        ],
        align=True,
    )


#: A list of what can be added, each thing as often as its weight says.
MENU: Final = np.dtype([("length", np.int64), ("items", np.int64, MOST_WEIGHT)], align=True)
#: A profile: how much of what happens on its boards. Chances are out of 1,000.
PLAN: Final = np.dtype(
    [
        ("things", MENU),  # of Thing
        ("twists", MENU),  # of Twist
        ("effect_things", MENU),  # of Thing, on boards with effects
        ("least_things", np.int64),
        ("most_things", np.int64),
        ("twisted", np.int64),  # boards with twists
        ("most_twists", np.int64),
        ("sure", np.bool_),  # something applies on every board
        ("variants", np.int64),  # multiplayer games
        ("wild", np.bool_),  # any variant, any number of players, anyone out of the game, anything marked
        ("roughness", np.int64),  # permanents on which each of a dozen details is changed
        ("combat", np.int64),  # boards with attackers
        ("any_step", np.bool_),
        ("pending", np.int64),  # boards with a stack, abilities that wait, and steps that are skipped
        ("with_effects", np.int64),  # boards with continuous effects
        ("resolved_effects", np.int64),  # boards with effects that last until end of turn or combat
    ],
    align=True,
)


# Random numbers: splitmix64 (Steele, Lea, Flood 2014), all in 64-bit integers, so that every machine draws the same.


@kernel
def mixed(x):
    """Return 64 bits that have nothing to do with the 64 bits of `x`."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@part
def open_stream(d, seed, profile, state_id):
    """Begin the random numbers of one board, which depend on nothing else."""
    d.stream = mixed(mixed(mixed(seed) ^ profile) ^ np.uint64(state_id))


@kernel
def below(d, count):
    """Return a number from 0 to ``count - 1``."""
    d.stream += np.uint64(0x9E3779B97F4A7C15)
    return (np.int64(mixed(d.stream) >> np.uint64(32)) * count) >> 32


@part
def between(d, least, most):
    """Return a number from `least` to `most`."""
    return least + below(d, most - least + 1)


@part
def chance(d, per_mille):
    """Return true in `per_mille` of 1,000 cases."""
    return below(d, 1000) < per_mille


# Players


@part
def pick_player(d):
    """Return the seat of a player who is in the game, -1 if nobody is."""
    count = d.used[PLAYERS]
    first = below(d, count)
    for i in range(count):
        seat = (first + i) % count
        if d.players[seat].booleans & b.IN_GAME:
            return seat
    return -1


@part
def pick_opponent(d, of):
    """Return the seat of an opponent who is in the game, -1 if there is none."""
    count = d.used[PLAYERS]
    first = below(d, count)
    for i in range(count):
        seat = (first + i) % count
        if d.players[seat].booleans & b.IN_GAME and d.players[seat].team != d.players[of].team:
            return seat
    return -1


# Objects


@part
def number(dealt, row, seat):
    """Give a card that has just been dealt its place and its player."""
    dealt.object_id = row
    dealt.timestamp = row
    dealt.controller = seat
    dealt.owner = seat


@part
def deal_card(d, pool, card, seat):
    """Put a card of the pool under a player's control; return its row."""
    row = d.used[OBJECTS]
    d.used[OBJECTS] = row + 1
    d.card[row] = card
    d.objects[row] = pool.cards[card]
    number(d.objects[row], row, seat)
    return row


@part
def is_of(pool, card, group):
    """Whether a card is one of a group."""
    return pool.first_card[group] <= card < pool.first_card[group + 1]


@part
def any_card(d, pool, group):
    """Return a card of a group."""
    first = pool.first_card[group]
    return first + below(d, pool.first_card[group + 1] - first)


@part
def deal(d, pool, group, seat):
    """Put some card of a group under a player's control; return its row."""
    return deal_card(d, pool, any_card(d, pool, group), seat)


@part
def is_permanent(thing):
    """Whether an object is on the battlefield, for all to see."""
    return thing.zone == b.BATTLEFIELD and not thing.booleans & b.PHASED_OUT


@part
def find_permanent(d, types, seat):
    """Return the row of an unattached permanent of all these types (and a controller, unless -1), or -1."""
    count = d.used[OBJECTS]
    if count == 0:
        return -1
    first = below(d, count)
    for i in range(count):
        row = (first + i) % count
        thing = d.objects[row]
        if (
            is_permanent(thing)
            and thing.types & types == types
            and thing.attached_to == v.NONE
            and (seat < 0 or thing.controller == seat)
        ):
            return row
    return -1


@part
def find_marked(d, subtype):
    """Return the row of a permanent with a subtype that the rules look at, -1 if there is none."""
    count = d.used[OBJECTS]
    if count == 0:
        return -1
    first = below(d, count)
    for i in range(count):
        row = (first + i) % count
        if is_permanent(d.objects[row]) and d.objects[row].subtypes & subtype:
            return row
    return -1


@part
def find_in_zone(d, zone):
    """Return the row of an object in a zone, -1 if there is none."""
    count = d.used[OBJECTS]
    if count == 0:
        return -1
    first = below(d, count)
    for i in range(count):
        row = (first + i) % count
        if d.objects[row].zone == zone:
            return row
    return -1


@part
def has_namesake(d, row):
    """Whether the controller of a permanent has another legendary one of its name."""
    mine = d.objects[row]
    for other in range(d.used[OBJECTS]):
        thing = d.objects[other]
        if (
            other != row
            and thing.name == mine.name
            and thing.controller == mine.controller
            and thing.supertypes & b.LEGENDARY
            and thing.zone == b.BATTLEFIELD
        ):
            return True
    return False


@part
def has_role(d, host, seat):
    """Whether a player has a Role on a permanent."""
    for row in range(d.used[OBJECTS]):
        thing = d.objects[row]
        if thing.attached_to == host and thing.controller == seat and thing.subtypes & b.ROLE:
            return True
    return False


@part
def any_reference(d):
    """Return a reference to something: mostly an object, now and then a player, in the game or not, or nothing."""
    choice = below(d, 12)
    if choice == 0:
        return v.NONE
    if choice == 1:
        return -1 - below(d, d.used[PLAYERS])
    return below(d, d.used[OBJECTS]) if d.used[OBJECTS] else v.NONE


@part
def give_life(d, seat, life):
    """Set a player's life total, and that of the whole team where the team has one."""
    for other in range(d.used[PLAYERS]):
        if other == seat or (d.state.variant & SHARED_LIFE and d.players[other].team == d.players[seat].team):
            d.players[other].life = life


@part
def give_poison(d, seat, poison):
    """Set a player's poison counters, and those of the whole team where the team has them."""
    for other in range(d.used[PLAYERS]):
        if other == seat or (d.state.variant & b.TWO_HEADED_GIANT and d.players[other].team == d.players[seat].team):
            d.players[other].poison = poison
