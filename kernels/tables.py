"""The columns of a batch of boards: one NamedTuple of arrays per table, and the first row of each state.

Compiled functions take a `Batch`. Row ``k`` of state ``s`` in table ``t`` is ``t_start[s] + k``; every ``*_start``
has one entry more than there are states. References between objects are rows within the state.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Column = NDArray[Any]


class States(NamedTuple):
    """One row a state."""

    state_id: Column  # int64
    variant: Column  # uint8, bits of VARIANTS
    active_player: Column  # int16, seat
    step: Column  # uint8, STEPS
    skips: Column  # uint16, bits of STEPS
    round_expired: Column  # bool
    planar_controller: Column  # int16, seat; NO_SEAT = the active player


class Players(NamedTuple):
    """One row a player; the seat is the row within the state."""

    team: Column  # int16
    life: Column  # int32
    poison: Column  # int32
    speed: Column  # int8, NO_SPEED = has none
    flags: Column  # uint8, bits of PLAYER_FLAGS


class Objects(NamedTuple):
    """One row an object: 95 bytes."""

    object_id: Column  # int32
    name: Column  # int32, row of Lexicon.names; NAMELESS
    kind: Column  # uint8, KINDS
    zone: Column  # uint8, ZONES
    controller: Column  # int16, seat
    owner: Column  # int16, seat
    types: Column  # uint16, bits of TYPES
    supertypes: Column  # uint8, bits of SUPERTYPES
    colors: Column  # uint8, bits of COLORS
    subtypes: Column  # int32, low bits: SUBTYPES; above them: row of Lexicon.subtype_sets
    power: Column  # int32, NULL
    toughness: Column  # int32, NULL
    timestamp: Column  # int64
    keywords: Column  # uint16, bits of KEYWORDS
    traits: Column  # int32, row of Lexicon.traits
    flags: Column  # uint16, bits of OBJECT_FLAGS
    damage: Column  # int32
    attached_to: Column  # int32, reference
    attacking: Column  # int32, reference or NOTHING
    source: Column  # int32, reference
    plus_counters: Column  # int32
    minus_counters: Column  # int32
    loyalty: Column  # int32
    defense: Column  # int32
    lore: Column  # int32
    shield: Column  # int32
    finality: Column  # int32
    regeneration: Column  # int16
    protector: Column  # int16, seat; NO_SEAT
    sector: Column  # int8, SECTORS; NO_SECTOR


class Counters(NamedTuple):
    """Counters of kinds without a column of their own, sorted by object and kind."""

    object: Column  # int32, reference
    kind: Column  # int32, row of Lexicon.counter_kinds
    count: Column  # int32


class CommanderDamage(NamedTuple):
    """Combat damage dealt so far by one commander to one player."""

    seat: Column  # int16
    commander: Column  # int32, reference
    amount: Column  # int32


class Keeps(NamedTuple):
    """`keeps_attachments`: one row an attachment that the object's protections let stay."""

    object: Column  # int32, reference
    attachment: Column  # int32, reference


class WorldSince(NamedTuple):
    """`world_since` where it is not the timestamp."""

    object: Column  # int32, reference
    since: Column  # int64


class Effects(NamedTuple):
    """One row a continuous effect."""

    effect_id: Column  # int32
    text: Column  # int32, row of Lexicon.effects
    source: Column  # int32, reference
    controller: Column  # int16, seat; NO_SEAT
    until: Column  # uint8, DURATIONS
    timestamp: Column  # int64; NO_TIMESTAMP = the source's, or newer than everything


class EffectObjects(NamedTuple):
    """`affects` as a list: one row an object, sorted by effect."""

    effect: Column  # int32, row of the effect within the state
    object: Column  # int32, reference


class Components(NamedTuple):
    """What merged and melded permanents consist of, top first, sorted by object."""

    object: Column  # int32, reference
    name: Column  # int32, row of Lexicon.names
    kind: Column  # uint8, KINDS
    owner: Column  # int16, seat


class Choices(NamedTuple):
    """What players choose: one row a choice that is not the default."""

    choice: Column  # uint8, CHOICES
    subject: Column  # int32, reference: the object (or player, for loss_replacement) that is chosen for
    value: Column  # int32, see CHOICE_VALUES in headjudge.io.choices


class LexiconTables(NamedTuple):
    """A `Lexicon` as arrays."""

    subtype_sets: Column  # uint64[sets, words]: bit sets over Lexicon.subtypes
    creature_types: Column  # uint64[words]: the words that are creature types
    counter_power: Column  # int32[counter kinds]: what one such counter adds to power (layer 7c)
    counter_toughness: Column  # int32[counter kinds]
    counter_keywords: Column  # uint16[counter kinds]: the keywords that such a counter grants (CR 122.1b)
    trait_enchant: (
        Column  # int32[traits]: row of the filters; -1 = nothing is legal; -2 - i = player, ENCHANT_PLAYERS[i]
    )
    trait_protection: Column  # uint64[traits]
    trait_final_chapter: Column  # int32[traits]
    trait_graveyard: Column  # uint8[traits], ZONES; graveyard = no replacement
    trait_mana_value: Column  # int32[traits]
    limit_start: Column  # int64[traits + 1]
    limit_kind: Column  # int32: row of Lexicon.counter_kinds
    limit_most: Column  # int32
    filters: FilterTables


class FilterTables(NamedTuple):
    """Filters as arrays, one row a filter."""

    conditions: Column  # uint32, bits of FILTER_CONDITIONS: which conditions the filter states
    types: Column  # uint16
    any_types: Column  # uint16
    not_types: Column  # uint16
    supertypes: Column  # uint8
    not_supertypes: Column  # uint8
    colors: Column  # uint8
    keywords: Column  # uint16
    kind: Column  # uint8
    named: Column  # int32
    controller: Column  # uint8, RELATIONS
    owner: Column  # uint8, RELATIONS
    zone: Column  # uint8
    other: Column  # bool
    attacking: Column  # bool
    tapped: Column  # bool
    host: Column  # bool
    subtypes: Column  # uint64[filters, words]
    any_subtypes: Column  # uint64[filters, words]
    not_subtypes: Column  # uint64[filters, words]


class Batch(NamedTuple):
    """A batch of boards."""

    states: States
    players: Players
    players_start: Column  # int64[states + 1]
    objects: Objects
    objects_start: Column
    counters: Counters
    counters_start: Column
    commander_damage: CommanderDamage
    commander_damage_start: Column
    keeps: Keeps
    keeps_start: Column
    world_since: WorldSince
    world_since_start: Column
    effects: Effects
    effects_start: Column
    effect_objects: EffectObjects
    effect_objects_start: Column
    components: Components
    components_start: Column
    lexicon: LexiconTables


#: The dtype of every column; a `Batch` holds C-contiguous arrays of exactly these.
DTYPES: dict[type, dict[str, np.dtype[Any]]] = {
    States: {
        "state_id": np.dtype(np.int64),
        "variant": np.dtype(np.uint8),
        "active_player": np.dtype(np.int16),
        "step": np.dtype(np.uint8),
        "skips": np.dtype(np.uint16),
        "round_expired": np.dtype(np.bool_),
        "planar_controller": np.dtype(np.int16),
    },
    Players: {
        "team": np.dtype(np.int16),
        "life": np.dtype(np.int32),
        "poison": np.dtype(np.int32),
        "speed": np.dtype(np.int8),
        "flags": np.dtype(np.uint8),
    },
    Objects: {
        "object_id": np.dtype(np.int32),
        "name": np.dtype(np.int32),
        "kind": np.dtype(np.uint8),
        "zone": np.dtype(np.uint8),
        "controller": np.dtype(np.int16),
        "owner": np.dtype(np.int16),
        "types": np.dtype(np.uint16),
        "supertypes": np.dtype(np.uint8),
        "colors": np.dtype(np.uint8),
        "subtypes": np.dtype(np.int32),
        "power": np.dtype(np.int32),
        "toughness": np.dtype(np.int32),
        "timestamp": np.dtype(np.int64),
        "keywords": np.dtype(np.uint16),
        "traits": np.dtype(np.int32),
        "flags": np.dtype(np.uint16),
        "damage": np.dtype(np.int32),
        "attached_to": np.dtype(np.int32),
        "attacking": np.dtype(np.int32),
        "source": np.dtype(np.int32),
        "plus_counters": np.dtype(np.int32),
        "minus_counters": np.dtype(np.int32),
        "loyalty": np.dtype(np.int32),
        "defense": np.dtype(np.int32),
        "lore": np.dtype(np.int32),
        "shield": np.dtype(np.int32),
        "finality": np.dtype(np.int32),
        "regeneration": np.dtype(np.int16),
        "protector": np.dtype(np.int16),
        "sector": np.dtype(np.int8),
    },
    Counters: {"object": np.dtype(np.int32), "kind": np.dtype(np.int32), "count": np.dtype(np.int32)},
    CommanderDamage: {"seat": np.dtype(np.int16), "commander": np.dtype(np.int32), "amount": np.dtype(np.int32)},
    Keeps: {"object": np.dtype(np.int32), "attachment": np.dtype(np.int32)},
    WorldSince: {"object": np.dtype(np.int32), "since": np.dtype(np.int64)},
    Effects: {
        "effect_id": np.dtype(np.int32),
        "text": np.dtype(np.int32),
        "source": np.dtype(np.int32),
        "controller": np.dtype(np.int16),
        "until": np.dtype(np.uint8),
        "timestamp": np.dtype(np.int64),
    },
    EffectObjects: {"effect": np.dtype(np.int32), "object": np.dtype(np.int32)},
    Components: {
        "object": np.dtype(np.int32),
        "name": np.dtype(np.int32),
        "kind": np.dtype(np.uint8),
        "owner": np.dtype(np.int16),
    },
    Choices: {"choice": np.dtype(np.uint8), "subject": np.dtype(np.int32), "value": np.dtype(np.int32)},
}

#: The tables of a batch with one block of rows a state: name in Batch, NamedTuple of columns.
TABLES: dict[str, type] = {
    "players": Players,
    "objects": Objects,
    "counters": Counters,
    "commander_damage": CommanderDamage,
    "keeps": Keeps,
    "world_since": WorldSince,
    "effects": Effects,
    "effect_objects": EffectObjects,
    "components": Components,
}
