"""The one table of rules: name, bit, what it looks at, and its number in each edition of the Comprehensive Rules.

The kernels take their bits from here, the command line, the documentation and the Parquet metadata their text.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

#: Editions by effective date, oldest first; the letters of CR 704.5 move between them.
EDITIONS: Final = ("2026-02-27", "2026-08-07", "2026-09-25")
#: The edition whose rules are carried out.
RULES_VERSION: Final = EDITIONS[-1]

Subject = Literal["player", "object", "effect", "game"]
RowKind = Literal["sba", "consequence", "procedure"]


class Rule(NamedTuple):
    """A rule that can have rows in `actions`."""

    name: str
    kind: RowKind
    subject: Subject
    looks_at: str  # the fields that decide it
    numbers: tuple[str | None, ...]  # one an edition; None = that edition has no such rule
    text: str  # the rule in a sentence of our own


def _sba(name: str, subject: Subject, looks_at: str, numbers: str, text: str) -> Rule:
    """Numbers: ``new``, or ``old|new`` where the letter moved in August 2026; ``-`` = not in that edition."""
    old, _, new = numbers.rpartition("|")
    by_edition = (old or new, new, new)
    return Rule(name, "sba", subject, looks_at, tuple(None if n == "-" else n for n in by_edition), text)


def _other(name: str, kind: RowKind, subject: Subject, looks_at: str, number: str, text: str) -> Rule:
    """Make a consequence or a row of a procedure; section 724 was 723 in February 2026."""
    old = number.replace("724.", "723.")
    return Rule(name, kind, subject, looks_at, (old, number, number), text)


#: In this order, which is also the order of their bits.
RULES: Final = (
    _sba("life_zero", "player", "life", "704.5a", "A player with 0 or less life loses the game."),
    _sba("empty_draw", "player", "drew_from_empty", "704.5b",
         "A player who tried to draw from an empty library since the last check loses the game."),
    _sba("poison", "player", "poison", "704.5c", "A player with ten or more poison counters loses the game."),
    _sba("team_life_zero", "player", "team, life", "704.6a",
         "In Two-Headed Giant a team with 0 or less life loses the game."),
    _sba("team_poison", "player", "team, poison", "704.6b",
         "In Two-Headed Giant a team with 15 or more poison counters (5 more for each player beyond two) loses."),
    _sba("commander_damage", "player", "commander_damage", "704.6c",
         "In Commander a player dealt 21 or more combat damage by one commander over the game loses."),
    _sba("highest_life", "player", "life, round_expired", "MTR 2.4",
         "After time and extra turns of a single-elimination round, a player without the highest life total loses."),
    _sba("start_engines", "player", "speed, keywords", "704.5z|704.5aa",
         "A player without speed who controls a permanent with start your engines! gets speed 1."),
    _sba("token_off_battlefield", "object", "kind, zone", "704.5d",
         "A token that is not on the battlefield ceases to exist."),
    _sba("copy_off_zone", "object", "kind, zone", "704.5e",
         "A copy of a spell off the stack, or of a card off stack and battlefield, ceases to exist."),
    _sba("toughness_zero", "object", "types, toughness", "704.5f",
         "A creature with toughness 0 or less is put into its owner's graveyard."),
    _sba("lethal_damage", "object", "types, toughness, damage", "704.5g",
         "A creature with damage marked on it not less than its toughness is destroyed."),
    _sba("deathtouch_damage", "object", "types, toughness, deathtouch_damage", "704.5h",
         "A creature dealt damage by a source with deathtouch since the last check is destroyed."),
    _sba("loyalty_zero", "object", "types, loyalty", "704.5i",
         "A planeswalker with loyalty 0 is put into its owner's graveyard."),
    _sba("legend_rule", "object", "supertypes, name, controller", "704.5j",
         "Of legendary permanents with one name under one controller, that player keeps one."),
    _sba("world_rule", "object", "supertypes, world_since", "704.5k",
         "Of several world permanents only the one that has been world for the shortest time stays."),
    _sba("illegal_aura", "object", "subtypes, attached_to, enchant", "704.5m",
         "An Aura attached to something illegal or to nothing is put into its owner's graveyard."),
    _sba("illegal_equipment", "object", "subtypes, attached_to", "704.5n",
         "An Equipment or Fortification attached to an illegal permanent or a player becomes unattached."),
    _sba("illegal_attachment", "object", "types, subtypes, attached_to", "704.5p",
         "An attached creature, battle or other permanent that cannot be attached becomes unattached."),
    _sba("counters_cancel", "object", "counters", "704.5q",
         "Equal numbers of +1/+1 and -1/-1 counters on one permanent are removed."),
    _sba("counter_limit", "object", "counters, counter_limits", "704.5r",
         "Counters of a kind beyond the limit that an ability of the permanent sets are removed."),
    _sba("saga_finished", "object", "subtypes, lore, final_chapter", "704.5s",
         "A Saga with its last lore counter and no chapter ability pending is sacrificed."),
    _sba("dungeon_completed", "object", "types, bottommost_room", "704.5t",
         "A dungeon whose venture marker is on the bottommost room, with no room ability pending, is removed."),
    _sba("sector", "object", "types, sector, keywords", "704.5u",
         "While a permanent has space sculptor, each creature without a sector gets one."),
    _sba("siege_defense_zero", "object", "types, subtypes, defense", "704.5v",
         "A Siege with defense 0 and none of its triggered abilities pending is put into its owner's graveyard."),
    _sba("battle_defense_zero", "object", "types, subtypes, defense", "704.5v|704.5w",
         "A battle that is no Siege and has defense 0 is put into its owner's graveyard."),
    _sba("battle_no_protector", "object", "types, protector, attacking", "704.5w|704.5x",
         "A battle that is not attacked and has no protector in the game gets one, or goes to the graveyard."),
    _sba("battle_illegal_protector", "object", "types, protector", "704.5x|704.5y",
         "A battle whose protector may not be its protector gets another, or goes to the graveyard."),
    _sba("extra_role", "object", "subtypes, attached_to, controller, timestamp", "704.5y|704.5z",
         "Of several Roles that one player controls on one permanent only the newest stays."),
    _sba("commander_zone", "object", "commander, zone, arrived", "704.6d",
         "A commander put into a graveyard or exile since the last check may be moved to the command zone."),
    _sba("scheme_turned_down", "object", "types, supertypes, face_up", "704.6e",
         "In Archenemy a face-up scheme that is not ongoing is turned down once no scheme's trigger is pending."),
    _sba("phenomenon", "object", "types, face_up", "704.6f",
         "In Planechase the planar controller walks away from a phenomenon without a pending trigger."),
    _other("player_leaves", "consequence", "player", "in_game", "800.4a",
           "A player who lost leaves the game with everything they own; what they still control is exiled."),
    _other("bestow_ends", "consequence", "object", "bestowed, attached_to", "702.103f",
           "A bestowed Aura that is unattached or on something illegal is a creature again."),
    _other("removed_from_combat", "consequence", "object", "attacking, blocking, types", "506.4",
           "A permanent that regenerates, or is no longer what it was in combat, leaves combat."),
    _other("regenerated", "consequence", "object", "regeneration", "701.19a",
           "A regeneration shield replaces a destruction: damage off, tapped, out of combat."),
    _other("umbra_armor", "consequence", "object", "keywords, attached_to", "702.89a",
           "Umbra armor replaces a destruction: damage off, the Aura is destroyed."),
    _other("city_blessing", "consequence", "player", "keywords", "702.131b",
           "A player with ten permanents and one with ascend has the city's blessing."),
    _other("enduring_story", "consequence", "player", "keywords", "702.195a",
           "A player with three artifacts, Sagas or legendary permanents and one with storied has an enduring story."),
    _other("dies_trigger", "consequence", "object", "dies_trigger", "603.10a",
           "An object with an ability that triggers when it dies was put into a graveyard from the battlefield."),
    _other("leaves_trigger", "consequence", "object", "leaves_trigger", "603.10a",
           "An object with an ability that triggers when it leaves the battlefield left it."),
    _other("trigger_ceases", "procedure", "object", "zone", "724.1a",
           "An ability that triggered before and is not on the stack ceases to exist."),
    _other("exiled_from_stack", "procedure", "object", "zone", "724.1b", "An object on the stack is exiled."),
    _other("ability_ceases", "procedure", "object", "kind, zone", "724.1b",
           "An exiled ability ceases to exist at the check."),
    _other("effect_expires", "procedure", "effect", "until", "724.2d",
           "An effect until end of combat ends with the combat phase; until end of turn, in the cleanup step (514.2)."),
    _other("skipped_to", "procedure", "game", "step, skips", "724.1d", "The game goes directly to the next step."),
)  # fmt: skip
NAMES: Final = tuple(rule.name for rule in RULES)
SBAS: Final = tuple(rule.name for rule in RULES if rule.kind == "sba")
BY_NAME: Final = {rule.name: rule for rule in RULES}


def code(name: str) -> int:
    """Return the number of a rule in columns; for state-based actions also its bit in a mask."""
    return NAMES.index(name)
