"""What stands on a card, from the words of the board model: how an engine that reads cards is told of abilities.

Works on the mappings of scenarios (`io.scenario_fields`), in the program that talks to the engine as well as outside.
None is what these texts cannot say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

ROMAN: Final = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII")

#: Keywords of the board model and the line that gives a card each of them.
KEYWORD_LINES: Final = {
    "indestructible": "Indestructible",
    "umbra_armor": "Umbra armor",
    "reconfigure": "Reconfigure {2}",
    "start_your_engines": "Start your engines!",
    "ascend": "Ascend",
    "changeling": "Changeling",
    "cant_be_enchanted": "This permanent can't be enchanted.",
    "cant_be_equipped": "This permanent can't be equipped.",
}
#: Qualities that a card can have protection from, as its line says them.
PROTECTIONS: Final = {
    **{color: color for color in ("white", "blue", "black", "red", "green")},
    **{f"{word}": f"{word}s" for word in ("artifact", "battle", "creature", "enchantment", "land", "planeswalker")},
    "everything": "everything",
}
_ENCHANTABLE: Final = ("artifact", "creature", "enchantment", "land", "planeswalker")
_ENCHANTABLE_CARDS: Final = ("creature", "instant")
_YOURS: Final = {None: "", "any": "", "you": " you control", "opponent": " an opponent controls"}
_THEIRS: Final = {None: "", "any": "", "you": " you control", "opponent": " your opponents control"}
_ENCHANT_PLAYER: Final[dict[str, str]] = {"any": "Enchant player", "opponent": "Enchant opponent"}
_RULE_LINES: Final[dict[tuple[str, str | None], str]] = {
    ("cant_lose", "you"): "You can't lose the game.",
    ("no_loss_at_zero_life", "you"): "You don't lose the game for having 0 or less life.",
    ("no_legend_rule", "any"): 'The "legend rule" doesn\'t apply.',
}


def enchant_line(enchant: Mapping[str, Any] | None) -> str | None:
    """Return the line with which an Aura says what it may enchant."""
    if enchant is None:
        return None
    if "player" in enchant:
        who: str = enchant["player"]
        return _ENCHANT_PLAYER.get(who)
    what = _enchanted(enchant)
    return None if what is None else f"Enchant {what}"


def _enchanted(enchant: Mapping[str, Any]) -> str | None:
    stated = set(enchant)
    types: tuple[str, ...] = tuple(enchant.get("types", ()))
    if stated == {"types", "zone"} and enchant["zone"] == "graveyard" and len(types) == 1:
        return f"{types[0]} card in a graveyard" if types[0] in _ENCHANTABLE_CARDS else None
    if stated <= {"types", "controller"} and len(types) == 1 and types[0] in _ENCHANTABLE:
        return types[0] + _YOURS[enchant.get("controller")]
    if stated <= {"controller"}:
        return "permanent" + _YOURS[enchant.get("controller")]
    if stated == {"any_types"} and set(enchant["any_types"]) <= set(_ENCHANTABLE) and len(enchant["any_types"]) > 1:
        return _either(enchant["any_types"])
    if stated == {"supertypes"} and tuple(enchant["supertypes"]) == ("legendary",):
        return "legendary permanent"
    if stated == {"types", "not_subtypes"} and types == ("creature",) and tuple(enchant["not_subtypes"]) == ("wall",):
        return "non-Wall creature"
    return None


def _either(words: Sequence[str]) -> str:
    *first, last = words
    return f"{first[0]} or {last}" if len(first) == 1 else f"{', '.join(first)}, or {last}"


def chapter_lines(final_chapter: int) -> list[str]:
    """Return the chapter abilities of a Saga."""
    return [f"{ROMAN[chapter]} — You gain 1 life." for chapter in range(final_chapter)]


def protection_line(qualities: Sequence[str]) -> str | None:
    """Return the line that gives protection from these qualities."""
    if not qualities or any(quality not in PROTECTIONS for quality in qualities):
        return None
    return " and ".join(f"from {PROTECTIONS[quality]}" for quality in qualities)


def effect_line(effect: Mapping[str, Any], source: Mapping[str, Any]) -> str | None:
    """Return a static ability of `source` as its card says it."""
    said = {key: x for key, x in effect.items() if key not in ("id", "source", "controller")}
    affects = said.pop("affects")
    if "rule" in said:
        return _rule_line(affects, said)
    subject, many = _subject(affects, source)
    does = _predicate(said, "" if many else "s", host=affects == "host")
    if subject is None or does is None:
        return None
    if "control" in said:
        return f"You control {subject[0].lower()}{subject[1:]}." if len(said) == 1 else None
    return f"{subject} {does}."


def _rule_line(affects: Any, said: Mapping[str, Any]) -> str | None:
    if set(said) != {"rule"} or not isinstance(affects, Mapping):
        return None
    if said["rule"] == "graveyard_to_exile":
        return (
            None if affects else ("If a card or token would be put into a graveyard from anywhere, exile it instead.")
        )
    if dict(affects) == {"controller": "you"} and said["rule"] == "no_legend_rule":
        return 'The "legend rule" doesn\'t apply to permanents you control.'
    return _RULE_LINES.get((said["rule"], affects.get("player")))


def _subject(affects: Any, source: Mapping[str, Any]) -> tuple[str | None, bool]:
    """Return whom an ability speaks of, and whether they are many."""
    if affects == "self":
        return ("This creature" if "creature" in source.get("types", ()) else None), False
    if affects == "host":
        return _host(source), False
    if not isinstance(affects, Mapping) or "player" in affects:
        return None, True
    return _creatures(affects), True


def _host(source: Mapping[str, Any]) -> str | None:
    subtypes = source.get("subtypes", ())
    if "aura" in subtypes and "equipment" not in subtypes:
        enchant = source.get("enchant") or {}
        return "Enchanted creature" if tuple(enchant.get("types", ())) == ("creature",) else None
    return "Equipped creature" if "equipment" in subtypes and "aura" not in subtypes else None


def _creatures(affects: Mapping[str, Any]) -> str | None:
    stated = set(affects)
    known = {"types", "controller", "other", "colors", "tapped", "kind", "subtypes"}
    if not stated <= known or tuple(affects.get("types", ())) != ("creature",):
        return None
    adjectives = stated & {"colors", "tapped", "kind", "subtypes"}
    if len(adjectives) > 1 or affects.get("tapped") is True or affects.get("kind", "token") != "token":
        return None
    words = "creature tokens" if "kind" in affects else "creatures"
    for key in ("colors", "subtypes"):
        if key in affects:
            if len(affects[key]) != 1:
                return None
            words = f"{affects[key][0].capitalize() if key == 'subtypes' else affects[key][0]} creatures"
    words = f"untapped {words}" if "tapped" in affects else words
    words = f"other {words}" if affects.get("other") else words
    if words == "creatures" and affects.get("controller") in (None, "any"):
        words = "all creatures"
    words += _THEIRS[affects.get("controller")]
    return words[0].upper() + words[1:]


def _predicate(said: Mapping[str, Any], s: str, *, host: bool) -> str | None:
    """Return what an ability does, with the verb of one (`s` is "s") or of many."""
    known = {"add_power", "add_toughness", "set_power", "set_toughness", "gain_keywords", "gain_protection"}
    if "control" in said:
        return "" if host and said["control"] == "you" else None
    if not set(said) <= known | {"lose_all_abilities"}:
        return None
    has = "has" if s else "have"
    parts = []
    if said.get("lose_all_abilities"):
        parts.append(f"lose{s} all abilities")
    if "set_power" in said or "set_toughness" in said:
        size = said.get("set_power"), said.get("set_toughness")
        if not all(isinstance(x, int) and x >= 0 for x in size):
            return None
        parts.append(f"{has} base power and toughness {size[0]}/{size[1]}")
    if "add_power" in said or "add_toughness" in said:
        power, toughness = said.get("add_power", 0), said.get("add_toughness", 0)
        parts.append(f"get{s} {_delta(power, toughness)}/{_delta(toughness, power)}")
    if "gain_keywords" in said:
        if tuple(said["gain_keywords"]) != ("indestructible",):
            return None
        parts.append(f"{has} indestructible")
    if "gain_protection" in said:
        line = protection_line(said["gain_protection"])
        if line is None:
            return None
        parts.append(f"{has} protection {line}")
    return " and ".join(parts) if len(parts) <= 2 else None


def _delta(number: int, beside: int) -> str:
    return f"-{-number}" if number < 0 or (number == 0 and beside < 0) else f"+{number}"
