"""The words of the board model and the numbers that stand for them in columns.

A set of words is a bit mask: bit ``i`` is word ``i`` of its tuple. A single word is its index.
Pure Python: importing this module compiles nothing.
"""

from __future__ import annotations

from typing import Final

VARIANTS: Final = ("two_headed_giant", "commander", "brawl", "archenemy", "archenemy_commander", "planechase")
STEPS: Final = (
    "untap", "upkeep", "draw", "precombat_main", "beginning_of_combat", "declare_attackers", "declare_blockers",
    "first_strike_damage", "combat_damage", "end_of_combat", "postcombat_main", "end", "cleanup",
)  # fmt: skip
KINDS: Final = (
    "card", "token", "spell_copy", "card_copy", "emblem", "activated_ability", "triggered_ability", "chapter_ability",
    "room_ability",
)  # fmt: skip
#: What merged and melded permanents consist of.
COMPONENT_KINDS: Final = KINDS[:2]
ZONES: Final = ("battlefield", "graveyard", "exile", "hand", "library", "stack", "command", "waiting", "none")
TYPES: Final = (
    "artifact", "battle", "creature", "enchantment", "kindred", "land", "planeswalker", "instant", "sorcery", "dungeon",
    "plane", "phenomenon", "scheme", "vanguard", "conspiracy",
)  # fmt: skip
SUPERTYPES: Final = ("basic", "legendary", "ongoing", "snow", "world")
COLORS: Final = ("white", "blue", "black", "red", "green")
#: Subtypes that a rule looks at; a lexicon numbers every other word from ``len(SUBTYPES)`` on.
SUBTYPES: Final = ("aura", "equipment", "fortification", "saga", "siege", "role")
KEYWORDS: Final = (
    "indestructible", "umbra_armor", "bestow", "reconfigure", "start_your_engines", "space_sculptor", "ascend",
    "storied", "changeling", "cant_be_sacrificed", "cant_be_regenerated", "cant_be_enchanted", "cant_be_equipped",
)  # fmt: skip
#: Boolean fields of an object, bits of the column ``flags``.
OBJECT_FLAGS: Final = (
    "deathtouch_damage", "arrived", "bestowed", "resolving", "commander", "tapped", "phased_out", "blocking",
    "dies_trigger", "leaves_trigger", "bottommost_room", "face_up", "triggered_during",
)  # fmt: skip
#: Boolean fields and designations of a player, bits of the column ``flags``.
PLAYER_FLAGS: Final = (
    "in_game", "drew_from_empty", "cant_lose", "no_loss_at_zero_life", "city_blessing", "enduring_story",
)  # fmt: skip
DESIGNATIONS: Final = ("city_blessing", "enduring_story")
#: Counter kinds with a column of their own and their words; codes 0..6 of a counter kind everywhere.
COUNTER_COLUMNS: Final = {
    "plus_counters": "+1/+1",
    "minus_counters": "-1/-1",
    "loyalty": "loyalty",
    "defense": "defense",
    "lore": "lore",
    "shield": "shield",
    "finality": "finality",
}
OWN_COUNTER_KINDS: Final = tuple(COUNTER_COLUMNS.values())
SECTORS: Final = ("alpha", "beta", "gamma")
GRAVEYARD_REPLACEMENTS: Final = ("exile", "hand", "library", "command")
ENCHANT_PLAYERS: Final = ("any", "you", "opponent")
#: Conditions of a filter, and how a player can be related to `you`.
FILTER_CONDITIONS: Final = (
    "types", "any_types", "not_types", "supertypes", "not_supertypes", "subtypes", "any_subtypes", "not_subtypes",
    "colors", "keywords", "kind", "named", "controller", "owner", "other", "attacking", "tapped", "host", "zone",
)  # fmt: skip
RELATIONS: Final = ("any", "you", "opponent")
#: Words of an effect: what it rules for players or permanents, whom it affects, how long it lasts (null = no end).
RULE_WORDS: Final = (
    "cant_lose", "no_loss_at_zero_life", "no_legend_rule", "cant_be_sacrificed", "lethal_damage_uses_power",
    "survives_zero_loyalty", "graveyard_to_exile", "instead_of_losing",
)  # fmt: skip
PLAYER_RELATIONS: Final = ("any", "you", "opponents")
DURATIONS: Final = (None, "end_of_turn", "end_of_combat")
#: What is done to a board: state-based actions alone, or a procedure with them inside (CR 724.1, 724.2, 514).
PROCEDURES: Final = ("settle", "end_turn", "end_combat_phase", "cleanup")
CHOICES: Final = ("keep", "command_zone", "protector", "sector", "replace", "destination", "loss_replacement")
OUTCOMES: Final = ("ongoing", "win", "draw")
STATUSES: Final = ("settled", "loop", "rejected")
ROW_KINDS: Final = ("sba", "consequence", "procedure")
REPLACEMENTS: Final = (
    "regeneration", "umbra_armor", "instead_of_losing", "graveyard_replacement", "finality", "graveyard_to_exile",
)  # fmt: skip

# A reference to an object is the object's row within its state (0..n-1); a reference to a player is -1 - seat.
#: No object and no player: null in tables.
NONE: Final = -(2**31)
#: `attacking: nothing` (CR 506.4c).
NOTHING: Final = -(2**31) + 1
#: power or toughness that is null.
NULL: Final = -(2**31)
#: A seat that is null (protector, planar_controller), a speed that is null, a nameless name, no sector.
NO_SEAT: Final = -1
NO_SPEED: Final = -1
NAMELESS: Final = -1
NO_SECTOR: Final = -1
#: The newest and, below 0, the oldest that a timestamp may be.
MOST_TIME: Final = 2**62
#: An effect without a timestamp of its own.
NO_TIMESTAMP: Final = -(2**63)
#: Numbers on a board lie within this distance of 0, so that sums of a few of them fit 32 bits.
LARGEST: Final = 1_000_000_000
#: More players than any variant has ever seated; seats fit 16 bits with room to spare.
MOST_PLAYERS: Final = 10_000
MAX_SPEED: Final = 4
#: A protection mask: bits of COLORS, then of TYPES, then `everything`, then the seats of `player:N`.
PROTECTION_TYPES: Final = len(COLORS)
PROTECTION_EVERYTHING: Final = PROTECTION_TYPES + len(TYPES)
PROTECTION_PLAYERS: Final = PROTECTION_EVERYTHING + 1
#: `player:N` protections fit the mask up to this seat.
LAST_PROTECTED_FROM: Final = 63 - PROTECTION_PLAYERS


def bit(words: tuple[str, ...], word: str) -> int:
    """Return the mask with the bit of one word."""
    return 1 << words.index(word)


def mask(words: tuple[str, ...], chosen: frozenset[str] | set[str] | tuple[str, ...] | list[str]) -> int:
    """Return the mask with the bits of all chosen words; ``ValueError`` for a word that is none of `words`."""
    return sum({bit(words, word) for word in chosen})


def words_of(words: tuple[str, ...], bits: int) -> tuple[str, ...]:
    """Return the words whose bits are set, in the order of `words`."""
    return tuple(word for i, word in enumerate(words) if bits >> i & 1)
