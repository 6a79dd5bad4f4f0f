"""The columns of a batch of boards: one NamedTuple of arrays per table, and the first row of each state.

Compiled functions take a `Batch`. Row ``k`` of state ``s`` in table ``t`` is ``t_start[s] + k``; every ``*_start``
has one entry more than there are states. References between objects are rows within the state.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

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
    """Counters of kinds without a column of their own, sorted by object; one row a kind."""

    object: Column  # int32, reference
    kind: Column  # int32, row of Lexicon.counter_kinds
    count: Column  # type: ignore[assignment]  # int32


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


#: A filter: a condition holds where its bit in `conditions` is unset.
FILTER: Final = np.dtype(
    [
        ("conditions", np.int32),  # bits of headjudge.filters.FILTER_CONDITIONS: which are stated
        ("types", np.int32),
        ("any_types", np.int32),
        ("not_types", np.int32),
        ("supertypes", np.int32),
        ("not_supertypes", np.int32),
        ("colors", np.int32),
        ("keywords", np.int32),
        ("kind", np.int32),
        ("named", np.int32),
        ("controller", np.int32),  # index into headjudge.filters.RELATIONS
        ("owner", np.int32),
        ("zone", np.int32),
        ("other", np.bool_),
        ("attacking", np.bool_),
        ("tapped", np.bool_),
        ("host", np.bool_),
    ],
    align=True,
)

#: What an effect says (headjudge.effects.EffectText). -1 is a set or filter that is not stated, NULL a number.
TEXT: Final = np.dtype(
    [
        ("affects", np.int32),  # bits.AFFECTS_*
        ("filter", np.int32),
        ("players", np.int32),  # PLAYER_RELATIONS index, or -1 - seat
        ("layers", np.int32),  # bits of bits.LAYER_*: where it does something
        ("control", np.int32),  # seat, bits.CONTROL_YOU, bits.NO_CONTROL
        ("set_types", np.int32),
        ("add_types", np.int32),
        ("remove_types", np.int32),
        ("sets_subtypes", np.bool_),
        ("adds_subtypes", np.bool_),
        ("add_supertypes", np.int32),
        ("remove_supertypes", np.int32),
        ("set_colors", np.int32),
        ("add_colors", np.int32),
        ("lose_all_abilities", np.bool_),
        ("gain_keywords", np.int32),
        ("lose_keywords", np.int32),
        ("gain_protection", np.int64),
        ("define_power", np.int64),
        ("define_toughness", np.int64),
        ("set_power", np.int32),  # or bits.MANA_VALUE
        ("set_toughness", np.int32),
        ("add_power", np.int64),
        ("add_toughness", np.int64),
        ("switch", np.bool_),
        ("per", np.int32),  # row of the filters, bits.LIFE_OF_YOU
        ("per_distinct", np.bool_),
        ("while_", np.int32),
        ("at_least", np.int32),
        ("at_most", np.int32),
        ("rule", np.int32),  # index into headjudge.effects.RULE_WORDS
        ("cards_only", np.bool_),
        ("life", np.int32),
        ("shuffle_owned", np.bool_),
        ("exile_source", np.bool_),
    ],
    align=True,
)


class LexiconTables(NamedTuple):
    """A `Lexicon` as arrays; bit sets of subtypes are over Lexicon.subtypes."""

    subtype_sets: Column  # uint64[sets, words]
    type_subtypes: Column  # uint64[TYPES, words]: the subtypes of each card type (CR 205.3)
    free_subtypes: Column  # uint64[words]: words that no card type claims
    basic_land_types: Column  # uint64[words]
    counter_power: Column  # int32[counter kinds]: what one such counter adds to power (layer 7c)
    counter_toughness: Column  # int32[counter kinds]
    counter_keywords: Column  # uint16[counter kinds]: the keywords that such a counter grants (CR 122.1b)
    trait_enchant: Column  # int32[traits]: row of the filters, or bits.ENCHANT_*
    trait_protection: Column  # int64[traits]
    trait_final_chapter: Column  # int32[traits]
    trait_graveyard: Column  # uint8[traits], ZONES; graveyard = no replacement
    trait_mana_value: Column  # int32[traits]
    limit_start: Column  # int64[traits + 1]
    limit_kind: Column  # int32: row of Lexicon.counter_kinds
    limit_most: Column  # int32
    filters: Column  # FILTER
    filter_subtypes: Column  # uint64[filters, 3, words]: all of, any of, none of
    texts: Column  # TEXT
    text_subtypes: Column  # uint64[texts, 3, words]: set, added, removed


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
