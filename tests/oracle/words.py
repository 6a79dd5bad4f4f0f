"""The words of the board model, and which subtypes belong to which card types (CR 205.3)."""

import json
from pathlib import Path

VARIANTS = frozenset({"two_headed_giant", "commander", "brawl", "archenemy", "archenemy_commander", "planechase"})
COMBAT_STEPS = (
    "beginning_of_combat",
    "declare_attackers",
    "declare_blockers",
    "first_strike_damage",
    "combat_damage",
    "end_of_combat",
)
STEPS = ("untap", "upkeep", "draw", "precombat_main", *COMBAT_STEPS, "postcombat_main", "end", "cleanup")

ABILITY_KINDS = frozenset({"activated_ability", "triggered_ability", "chapter_ability", "room_ability"})
# Chapter abilities (CR 714.2b) and room abilities (CR 309.4c) are triggered abilities.
TRIGGERED_KINDS = ABILITY_KINDS - {"activated_ability"}
KINDS = frozenset({"card", "token", "spell_copy", "card_copy", "emblem"}) | ABILITY_KINDS

ZONES = frozenset({"battlefield", "graveyard", "exile", "hand", "library", "stack", "command", "waiting", "none"})
# The zones in which an object has a controller other than its owner (CR 108.4).
CONTROLLED_ZONES = frozenset({"battlefield", "stack", "waiting", "command"})

TYPES = frozenset(
    {
        "artifact",
        "battle",
        "creature",
        "enchantment",
        "kindred",
        "land",
        "planeswalker",
        "instant",
        "sorcery",
        "dungeon",
        "plane",
        "phenomenon",
        "scheme",
        "vanguard",
        "conspiracy",
    }
)
SUPERTYPES = frozenset({"basic", "legendary", "ongoing", "snow", "world"})
COLORS = frozenset({"white", "blue", "black", "red", "green"})
KEYWORDS = frozenset(
    {
        "indestructible",
        "umbra_armor",
        "bestow",
        "reconfigure",
        "start_your_engines",
        "space_sculptor",
        "ascend",
        "storied",
        "changeling",
        "cant_be_sacrificed",
        "cant_be_regenerated",
        "cant_be_enchanted",
        "cant_be_equipped",
    }
)
SECTORS = ("alpha", "beta", "gamma")
DESIGNATIONS = frozenset({"city_blessing", "enduring_story"})
GRAVEYARD_REPLACEMENTS = frozenset({"exile", "hand", "library", "command"})

PLAYER_RULES = frozenset({"cant_lose", "no_loss_at_zero_life", "instead_of_losing"})
PERMANENT_RULES = frozenset(
    {"no_legend_rule", "cant_be_sacrificed", "lethal_damage_uses_power", "survives_zero_loyalty"}
)
RULES = PLAYER_RULES | PERMANENT_RULES | {"graveyard_to_exile"}

_HERE = Path(__file__).resolve()
_SUBTYPES: dict[str, list[str]] = json.loads(
    (_HERE.parents[2] / "src" / "headjudge" / "data" / "subtypes.json").read_text(encoding="utf-8"),
)

# The lists name card types, but for "spell", which two card types share (CR 205.3k), and creature types, which
# kindreds share (CR 205.3m). "basic_land" is a part of the land types (CR 205.3i), not a list of its own.
_SHARED = {"spell": ("instant", "sorcery"), "creature": ("creature", "kindred")}
_LISTS = {name: words for name, words in _SUBTYPES.items() if name != "basic_land"}

BASIC_LAND_TYPES = frozenset(_SUBTYPES["basic_land"])
CREATURE_TYPES = frozenset(_SUBTYPES["creature"])
# A subtype and the card types it can belong to. A word that is not here is free of any card type.
CARD_TYPES_OF: dict[str, frozenset[str]] = {
    word: frozenset(
        card_type for name, words in _LISTS.items() if word in words for card_type in _SHARED.get(name, (name,))
    )
    for word in {word for words in _LISTS.values() for word in words}
}
