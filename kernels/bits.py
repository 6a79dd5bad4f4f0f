"""Bits and indices by name, for compiled functions."""

from __future__ import annotations

from typing import Final

from headjudge.kernels import catalogue
from headjudge.kernels import vocabulary as v

# zones
BATTLEFIELD: Final = v.ZONES.index("battlefield")
GRAVEYARD: Final = v.ZONES.index("graveyard")
EXILE: Final = v.ZONES.index("exile")
HAND: Final = v.ZONES.index("hand")
LIBRARY: Final = v.ZONES.index("library")
STACK: Final = v.ZONES.index("stack")
COMMAND: Final = v.ZONES.index("command")
WAITING: Final = v.ZONES.index("waiting")
NOWHERE: Final = v.ZONES.index("none")

# kinds of objects
CARD: Final = v.KINDS.index("card")
TOKEN: Final = v.KINDS.index("token")
SPELL_COPY: Final = v.KINDS.index("spell_copy")
CARD_COPY: Final = v.KINDS.index("card_copy")
EMBLEM: Final = v.KINDS.index("emblem")
FIRST_ABILITY: Final = v.KINDS.index("activated_ability")
TRIGGERED_ABILITY: Final = v.KINDS.index("triggered_ability")
CHAPTER_ABILITY: Final = v.KINDS.index("chapter_ability")
ROOM_ABILITY: Final = v.KINDS.index("room_ability")

# types
ARTIFACT: Final = v.bit(v.TYPES, "artifact")
BATTLE: Final = v.bit(v.TYPES, "battle")
CREATURE: Final = v.bit(v.TYPES, "creature")
ENCHANTMENT: Final = v.bit(v.TYPES, "enchantment")
CREATURE_OR_KINDRED: Final = v.mask(v.TYPES, ("creature", "kindred"))
LAND: Final = v.bit(v.TYPES, "land")
PLANESWALKER: Final = v.bit(v.TYPES, "planeswalker")
DUNGEON: Final = v.bit(v.TYPES, "dungeon")
PLANE: Final = v.bit(v.TYPES, "plane")
PHENOMENON: Final = v.bit(v.TYPES, "phenomenon")
SCHEME: Final = v.bit(v.TYPES, "scheme")
#: Cards that cannot leave the command zone (CR 400.4b).
COMMAND_ZONE_ONLY: Final = v.mask(v.TYPES, ("dungeon", "plane", "phenomenon", "scheme", "vanguard", "conspiracy"))

CREATURE_INDEX: Final = v.TYPES.index("creature")

LEGENDARY: Final = v.bit(v.SUPERTYPES, "legendary")
ONGOING: Final = v.bit(v.SUPERTYPES, "ongoing")
WORLD: Final = v.bit(v.SUPERTYPES, "world")

AURA: Final = v.bit(v.SUBTYPES, "aura")
EQUIPMENT: Final = v.bit(v.SUBTYPES, "equipment")
FORTIFICATION: Final = v.bit(v.SUBTYPES, "fortification")
SAGA: Final = v.bit(v.SUBTYPES, "saga")
SIEGE: Final = v.bit(v.SUBTYPES, "siege")
ROLE: Final = v.bit(v.SUBTYPES, "role")
MARKS: Final = (1 << len(v.SUBTYPES)) - 1
MARK_BITS: Final = len(v.SUBTYPES)

INDESTRUCTIBLE: Final = v.bit(v.KEYWORDS, "indestructible")
UMBRA_ARMOR: Final = v.bit(v.KEYWORDS, "umbra_armor")
RECONFIGURE: Final = v.bit(v.KEYWORDS, "reconfigure")
START_YOUR_ENGINES: Final = v.bit(v.KEYWORDS, "start_your_engines")
SPACE_SCULPTOR: Final = v.bit(v.KEYWORDS, "space_sculptor")
ASCEND: Final = v.bit(v.KEYWORDS, "ascend")
STORIED: Final = v.bit(v.KEYWORDS, "storied")
CHANGELING: Final = v.bit(v.KEYWORDS, "changeling")
CANT_BE_SACRIFICED: Final = v.bit(v.KEYWORDS, "cant_be_sacrificed")
CANT_BE_REGENERATED: Final = v.bit(v.KEYWORDS, "cant_be_regenerated")
CANT_BE_ENCHANTED: Final = v.bit(v.KEYWORDS, "cant_be_enchanted")
CANT_BE_EQUIPPED: Final = v.bit(v.KEYWORDS, "cant_be_equipped")

DEATHTOUCHED: Final = v.bit(v.OBJECT_FLAGS, "deathtouch_damage")
ARRIVED: Final = v.bit(v.OBJECT_FLAGS, "arrived")
BESTOWED: Final = v.bit(v.OBJECT_FLAGS, "bestowed")
IS_COMMANDER: Final = v.bit(v.OBJECT_FLAGS, "commander")
TAPPED: Final = v.bit(v.OBJECT_FLAGS, "tapped")
PHASED_OUT: Final = v.bit(v.OBJECT_FLAGS, "phased_out")
BLOCKING: Final = v.bit(v.OBJECT_FLAGS, "blocking")
DIES_TRIGGER_FLAG: Final = v.bit(v.OBJECT_FLAGS, "dies_trigger")
LEAVES_TRIGGER_FLAG: Final = v.bit(v.OBJECT_FLAGS, "leaves_trigger")
TRIGGERED_DURING: Final = v.bit(v.OBJECT_FLAGS, "triggered_during")
BOTTOMMOST_ROOM: Final = v.bit(v.OBJECT_FLAGS, "bottommost_room")
FACE_UP: Final = v.bit(v.OBJECT_FLAGS, "face_up")
#: What the next check clears (CR 704.5h, 704.6d).
OBJECT_MARKS: Final = DEATHTOUCHED | ARRIVED
#: What a zone change takes off (CR 400.7).
LEFT_BEHIND: Final = v.mask(
    v.OBJECT_FLAGS, ("deathtouch_damage", "bestowed", "resolving", "tapped", "phased_out", "blocking")
)

IN_GAME: Final = v.bit(v.PLAYER_FLAGS, "in_game")
DREW_FROM_EMPTY: Final = v.bit(v.PLAYER_FLAGS, "drew_from_empty")
CANT_LOSE: Final = v.bit(v.PLAYER_FLAGS, "cant_lose")
NO_LOSS_AT_ZERO_LIFE: Final = v.bit(v.PLAYER_FLAGS, "no_loss_at_zero_life")
HAS_CITY_BLESSING: Final = v.bit(v.PLAYER_FLAGS, "city_blessing")
HAS_ENDURING_STORY: Final = v.bit(v.PLAYER_FLAGS, "enduring_story")

TWO_HEADED_GIANT: Final = v.bit(v.VARIANTS, "two_headed_giant")
ARCHENEMY_COMMANDER: Final = v.bit(v.VARIANTS, "archenemy_commander")
#: Variants with a commander that may return to the command zone (903.9a), and with commander damage (903.10a, 903.12h).
COMMANDERS: Final = v.mask(v.VARIANTS, ("commander", "brawl", "archenemy_commander"))
COMMANDER_DAMAGE_COUNTS: Final = v.mask(v.VARIANTS, ("commander", "archenemy_commander"))
SCHEMES: Final = v.mask(v.VARIANTS, ("archenemy", "archenemy_commander"))
PLANECHASE: Final = v.bit(v.VARIANTS, "planechase")

SETTLE: Final = v.PROCEDURES.index("settle")
END_TURN: Final = v.PROCEDURES.index("end_turn")
END_COMBAT_PHASE: Final = v.PROCEDURES.index("end_combat_phase")
CLEANUP: Final = v.PROCEDURES.index("cleanup")
#: Beside the procedures: nothing is done, and what is derived is told.
DERIVE: Final = len(v.PROCEDURES)
#: Added to a procedure: only what comes before its first check, or after its last one, is carried out.
OPENS: Final = 8
CLOSES: Final = 16
END_OF_TURN: Final = v.DURATIONS.index("end_of_turn")
END_OF_COMBAT: Final = v.DURATIONS.index("end_of_combat")
UNTAP_STEP: Final = v.STEPS.index("untap")
POSTCOMBAT_MAIN: Final = v.STEPS.index("postcombat_main")
END_STEP: Final = v.STEPS.index("end")
CLEANUP_STEP: Final = v.STEPS.index("cleanup")
COMBAT_STEPS: Final = v.mask(
    v.STEPS,
    (
        "beginning_of_combat", "declare_attackers", "declare_blockers", "first_strike_damage", "combat_damage",
        "end_of_combat",
    ),
)  # fmt: skip

ONGOING_GAME: Final = v.OUTCOMES.index("ongoing")
WIN: Final = v.OUTCOMES.index("win")
DRAW: Final = v.OUTCOMES.index("draw")
SETTLED: Final = v.STATUSES.index("settled")
LOOP: Final = v.STATUSES.index("loop")
REJECTED: Final = v.STATUSES.index("rejected")
SBA: Final = v.ROW_KINDS.index("sba")
CONSEQUENCE: Final = v.ROW_KINDS.index("consequence")
PROCEDURE: Final = v.ROW_KINDS.index("procedure")
#: Rows that are not for the table `actions` (`headjudge.kernels.offering`).
OFFER: Final = len(v.ROW_KINDS)
REGENERATION: Final = v.REPLACEMENTS.index("regeneration")
UMBRA: Final = v.REPLACEMENTS.index("umbra_armor")
INSTEAD_OF_LOSING: Final = v.REPLACEMENTS.index("instead_of_losing")
GRAVEYARD_REPLACEMENT: Final = v.REPLACEMENTS.index("graveyard_replacement")
FINALITY: Final = v.REPLACEMENTS.index("finality")
GRAVEYARD_TO_EXILE: Final = v.REPLACEMENTS.index("graveyard_to_exile")
#: A choice that is not stated.
UNCHOSEN: Final = -1
#: `choices: replace: regeneration` or `shield_counter`; an umbra is named by its row.
CHOOSE_REGENERATION: Final = -1
CHOOSE_SHIELD: Final = -2

# Codes of rules; 1 << code is the bit of a state-based action.
LIFE_ZERO: Final = catalogue.code("life_zero")
EMPTY_DRAW: Final = catalogue.code("empty_draw")
POISON: Final = catalogue.code("poison")
TEAM_LIFE_ZERO: Final = catalogue.code("team_life_zero")
TEAM_POISON: Final = catalogue.code("team_poison")
COMMANDER_DAMAGE: Final = catalogue.code("commander_damage")
HIGHEST_LIFE: Final = catalogue.code("highest_life")
START_ENGINES: Final = catalogue.code("start_engines")
TOKEN_OFF_BATTLEFIELD: Final = catalogue.code("token_off_battlefield")
COPY_OFF_ZONE: Final = catalogue.code("copy_off_zone")
TOUGHNESS_ZERO: Final = catalogue.code("toughness_zero")
LETHAL_DAMAGE: Final = catalogue.code("lethal_damage")
DEATHTOUCH_DAMAGE: Final = catalogue.code("deathtouch_damage")
LOYALTY_ZERO: Final = catalogue.code("loyalty_zero")
LEGEND_RULE: Final = catalogue.code("legend_rule")
WORLD_RULE: Final = catalogue.code("world_rule")
ILLEGAL_AURA: Final = catalogue.code("illegal_aura")
ILLEGAL_EQUIPMENT: Final = catalogue.code("illegal_equipment")
ILLEGAL_ATTACHMENT: Final = catalogue.code("illegal_attachment")
COUNTERS_CANCEL: Final = catalogue.code("counters_cancel")
COUNTER_LIMIT: Final = catalogue.code("counter_limit")
SAGA_FINISHED: Final = catalogue.code("saga_finished")
DUNGEON_COMPLETED: Final = catalogue.code("dungeon_completed")
SECTOR: Final = catalogue.code("sector")
SIEGE_DEFENSE_ZERO: Final = catalogue.code("siege_defense_zero")
BATTLE_DEFENSE_ZERO: Final = catalogue.code("battle_defense_zero")
BATTLE_NO_PROTECTOR: Final = catalogue.code("battle_no_protector")
BATTLE_ILLEGAL_PROTECTOR: Final = catalogue.code("battle_illegal_protector")
EXTRA_ROLE: Final = catalogue.code("extra_role")
COMMANDER_ZONE: Final = catalogue.code("commander_zone")
SCHEME_TURNED_DOWN: Final = catalogue.code("scheme_turned_down")
PHENOMENON_ENDS: Final = catalogue.code("phenomenon")
PLAYER_LEAVES: Final = catalogue.code("player_leaves")
BESTOW_ENDS: Final = catalogue.code("bestow_ends")
REMOVED_FROM_COMBAT: Final = catalogue.code("removed_from_combat")
REGENERATED: Final = catalogue.code("regenerated")
UMBRA_ARMOR_USED: Final = catalogue.code("umbra_armor")
CITY_BLESSING: Final = catalogue.code("city_blessing")
ENDURING_STORY: Final = catalogue.code("enduring_story")
DIES_TRIGGER: Final = catalogue.code("dies_trigger")
LEAVES_TRIGGER: Final = catalogue.code("leaves_trigger")
TRIGGER_CEASES: Final = catalogue.code("trigger_ceases")
EXILED_FROM_STACK: Final = catalogue.code("exiled_from_stack")
ABILITY_CEASES: Final = catalogue.code("ability_ceases")
EFFECT_EXPIRES: Final = catalogue.code("effect_expires")
SKIPPED_TO: Final = catalogue.code("skipped_to")

#: The rules before this one are about players.
FIRST_OBJECT_RULE: Final = TOKEN_OFF_BATTLEFIELD
#: Actions that put the object into a graveyard, destruction and sacrifice included.
TO_GRAVEYARD: Final = (
    1 << TOUGHNESS_ZERO
    | 1 << LOYALTY_ZERO
    | 1 << LEGEND_RULE
    | 1 << WORLD_RULE
    | 1 << ILLEGAL_AURA
    | 1 << SAGA_FINISHED
    | 1 << SIEGE_DEFENSE_ZERO
    | 1 << BATTLE_DEFENSE_ZERO
    | 1 << EXTRA_ROLE
)
DESTROY: Final = 1 << LETHAL_DAMAGE | 1 << DEATHTOUCH_DAMAGE
CEASE: Final = 1 << TOKEN_OFF_BATTLEFIELD | 1 << COPY_OFF_ZONE | 1 << DUNGEON_COMPLETED
#: Actions that give a battle a protector, or put it into the graveyard if nobody may be one.
NO_PROTECTOR: Final = 1 << BATTLE_NO_PROTECTOR | 1 << BATTLE_ILLEGAL_PROTECTOR
#: Actions that put their object into another zone.
MOVES: Final = (
    TO_GRAVEYARD
    | DESTROY
    | CEASE
    | NO_PROTECTOR
    | 1 << COMMANDER_ZONE
    | 1 << PLAYER_LEAVES
    | 1 << TRIGGER_CEASES
    | 1 << EXILED_FROM_STACK
    | 1 << ABILITY_CEASES
)
UNATTACH: Final = 1 << ILLEGAL_EQUIPMENT | 1 << ILLEGAL_ATTACHMENT
LOSSES: Final = (
    1 << LIFE_ZERO
    | 1 << EMPTY_DRAW
    | 1 << POISON
    | 1 << TEAM_LIFE_ZERO
    | 1 << TEAM_POISON
    | 1 << COMMANDER_DAMAGE
    | 1 << HIGHEST_LIFE
)

# What a pending ability makes of its source (OBJECT.pending).
PENDING_TRIGGER: Final = 1
PENDING_CHAPTER: Final = 2
PENDING_ROOM: Final = 4

# Why a board is rejected while it is judged (GAME.reason).
NO_REASON: Final = 0
TWO_KEPT: Final = 1
PROTECTOR_NOT_ON_OFFER: Final = 2
NO_COMMANDER: Final = 3
BEYOND_NUMBERS: Final = 4
PARTS_GO_APART: Final = 5
BEYOND_TIMES: Final = 6

# OBJECT.choice_keep
NOT_CHOSEN: Final = 0
WAS_KEPT: Final = 1  # in an earlier check: it may go now if another one is chosen
KEEP: Final = 2

#: The largest power and toughness that effects may lead to.
MOST_POWER: Final = 4 * 10**18

#: OBJECT.enchant: nothing is legal; a player by relation i is ENCHANT_PLAYER - i; a creature, by bestow.
#: A filter is its row.
ENCHANT_NOTHING: Final = -1
ENCHANT_PLAYER: Final = -2
ENCHANT_CREATURE: Final = -8

# TEXT.affects
AFFECTS_SELF: Final = 0
AFFECTS_HOST: Final = 1
AFFECTS_LIST: Final = 2
AFFECTS_FILTER: Final = 3
AFFECTS_PLAYERS: Final = 4
#: TEXT.control
NO_CONTROL: Final = -2
CONTROL_YOU: Final = -1
#: TEXT.set_power, TEXT.set_toughness
MANA_VALUE: Final = v.NULL + 1
#: TEXT.per, TEXT.while_
NOT_STATED: Final = -1
LIFE_OF_YOU: Final = -2
#: TEXT.layers (CR 613)
LAYER_CONTROL: Final = 1
LAYER_TYPES: Final = 2
LAYER_COLORS: Final = 4
LAYER_ABILITIES: Final = 8
LAYER_DEFINE: Final = 16
LAYER_SET: Final = 32
LAYER_ADD: Final = 64
LAYER_SWITCH: Final = 128
LAYER_RULES: Final = 256

# Choices.choice
CHOOSE_KEEP: Final = v.CHOICES.index("keep")
CHOOSE_COMMAND_ZONE: Final = v.CHOICES.index("command_zone")
CHOOSE_PROTECTOR: Final = v.CHOICES.index("protector")
CHOOSE_SECTOR: Final = v.CHOICES.index("sector")
CHOOSE_REPLACE: Final = v.CHOICES.index("replace")
CHOOSE_DESTINATION: Final = v.CHOICES.index("destination")
CHOOSE_LOSS_REPLACEMENT: Final = v.CHOICES.index("loss_replacement")
#: The object of a row of a side table that no longer applies.
GONE: Final = -1

# FILTER.conditions and FILTER.controller
ANYONE: Final = v.RELATIONS.index("any")
YOU: Final = v.RELATIONS.index("you")
STATES_ANY_TYPES: Final = v.bit(v.FILTER_CONDITIONS, "any_types")
STATES_COLORS: Final = v.bit(v.FILTER_CONDITIONS, "colors")
STATES_KIND: Final = v.bit(v.FILTER_CONDITIONS, "kind")
STATES_NAMED: Final = v.bit(v.FILTER_CONDITIONS, "named")
STATES_ATTACKING: Final = v.bit(v.FILTER_CONDITIONS, "attacking")
STATES_TAPPED: Final = v.bit(v.FILTER_CONDITIONS, "tapped")
STATES_ANY_SUBTYPES: Final = v.bit(v.FILTER_CONDITIONS, "any_subtypes")
STATES_SUBTYPES: Final = v.mask(v.FILTER_CONDITIONS, ("subtypes", "any_subtypes", "not_subtypes"))

# OBJECT.now_rules, PLAYER: the `rule` words of effects.
NO_LEGEND_RULE: Final = v.bit(v.RULE_WORDS, "no_legend_rule")
RULE_CANT_BE_SACRIFICED: Final = v.bit(v.RULE_WORDS, "cant_be_sacrificed")
LETHAL_DAMAGE_USES_POWER: Final = v.bit(v.RULE_WORDS, "lethal_damage_uses_power")
SURVIVES_ZERO_LOYALTY: Final = v.bit(v.RULE_WORDS, "survives_zero_loyalty")
EXILED_INSTEAD: Final = v.bit(v.RULE_WORDS, "graveyard_to_exile")
#: The same, of the cards of a merged token alone.
CARDS_EXILED_INSTEAD: Final = 1 << len(v.RULE_WORDS)
RULE_INSTEAD_OF_LOSING: Final = v.RULE_WORDS.index("instead_of_losing")
RULE_CANT_LOSE: Final = v.RULE_WORDS.index("cant_lose")
RULE_NO_LOSS_AT_ZERO_LIFE: Final = v.RULE_WORDS.index("no_loss_at_zero_life")
RULE_GRAVEYARD_TO_EXILE: Final = v.RULE_WORDS.index("graveyard_to_exile")

STATES_CONTROLLER: Final = v.bit(v.FILTER_CONDITIONS, "controller")
STATES_OWNER: Final = v.bit(v.FILTER_CONDITIONS, "owner")
STATES_TYPES: Final = STATES_SUBTYPES | v.mask(
    v.FILTER_CONDITIONS, ("types", "any_types", "not_types", "supertypes", "not_supertypes")
)
STATES_KEYWORDS: Final = v.bit(v.FILTER_CONDITIONS, "keywords")
#: No effect is left in the queue of a layer; other negative numbers stand for bestow and reconfigure of an object.
NO_EFFECT: Final = v.NONE

#: The timestamp of an effect that is newer than everything.
NEWEST: Final = 2**63 - 1

# GAME.seen
SEEN_COMBAT: Final = 1
SEEN_BESTOWED: Final = 2
SEEN_ABILITIES: Final = 4
SEEN_SECTORS: Final = 8
SEEN_MARKS: Final = 16

# Rows of Board.lists
ORDER: Final = 0  # effects by timestamp
QUEUE: Final = 1  # effects of a layer that are still to be applied
BESTOWALS: Final = 2  # objects that bestow or reconfigure change
INVOLVED: Final = 3  # objects that an event may change
