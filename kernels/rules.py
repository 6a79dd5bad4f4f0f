"""The state-based actions that look at one object (CR 704.5d-i, q-t, v, w, 704.6d-f).

Each function says whether the action applies to the object on the picture that was derived for this check. Attachments
are in `attachments`, rules that compare objects in `groups`, those about players in `losses`.
"""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels.characteristics import has
from headjudge.kernels.jit import part


@part
def token_off_battlefield(o):
    """CR 704.5d: a token that is not on the battlefield ceases to exist, of what was merged only the tokens (730.3)."""
    return o.zone != b.BATTLEFIELD and (o.token_components > 0 if o.components else o.kind == b.TOKEN)


@part
def only_tokens_cease(o):
    """Whether cards are left of an object when its token components cease to exist."""
    return 0 < o.token_components < o.components


@part
def copy_off_zone(o):
    """CR 704.5e: a copy of a spell off the stack, or of a card off stack and battlefield, ceases to exist."""
    return (o.kind == b.SPELL_COPY and o.zone != b.STACK) or (
        o.kind == b.CARD_COPY and o.zone != b.STACK and o.zone != b.BATTLEFIELD
    )


@part
def toughness_zero(o):
    """CR 704.5f: a creature with toughness 0 or less goes to its owner's graveyard."""
    return has(o, b.CREATURE) and o.now_toughness <= 0


@part
def can_be_destroyed(o):
    """CR 702.12b: an action that can do nothing is not performed."""
    return not o.now_keywords & b.INDESTRUCTIBLE


@part
def lethal_damage(o):
    """CR 704.5g: a creature with toughness above 0 and damage marked on it not less than that is destroyed."""
    if not has(o, b.CREATURE) or o.now_toughness <= 0 or o.damage <= 0 or not can_be_destroyed(o):
        return False
    measure = o.now_power if o.now_rules & b.LETHAL_DAMAGE_USES_POWER else o.now_toughness
    return o.damage >= measure


@part
def deathtouch_damage(o):
    """CR 704.5h: a creature with toughness above 0 that deathtouch has damaged since the last check is destroyed."""
    return has(o, b.CREATURE) and o.now_toughness > 0 and o.booleans & b.DEATHTOUCHED != 0 and can_be_destroyed(o)


@part
def loyalty_zero(o):
    """CR 704.5i: a planeswalker with loyalty 0 goes to its owner's graveyard."""
    return has(o, b.PLANESWALKER) and o.loyalty <= 0 and not o.now_rules & b.SURVIVES_ZERO_LOYALTY


@part
def counters_cancel(o):
    """CR 704.5q: +1/+1 and -1/-1 counters on one permanent are removed in equal numbers."""
    return o.plus_counters > 0 and o.minus_counters > 0


@part
def saga_finished(o):
    """CR 704.5s, 714.4: a Saga with its last lore counter and no chapter ability pending is sacrificed."""
    return (
        o.now_marks & b.SAGA != 0
        and o.final_chapter > 0
        and not o.lost_abilities
        and o.lore >= o.final_chapter
        and not o.pending & b.PENDING_CHAPTER
        and not o.now_keywords & b.CANT_BE_SACRIFICED
        and not o.now_rules & b.RULE_CANT_BE_SACRIFICED
    )


@part
def siege_defense_zero(o):
    """CR 704.5v, 310.7: a Siege with defense 0 goes unless it is the source of a pending triggered ability."""
    return has(o, b.BATTLE) and o.now_marks & b.SIEGE != 0 and o.defense <= 0 and not o.pending & b.PENDING_TRIGGER


@part
def battle_defense_zero(o):
    """CR 704.5w, 310.8: a battle that is no Siege goes at defense 0, whatever is pending."""
    return has(o, b.BATTLE) and not o.now_marks & b.SIEGE and o.defense <= 0


@part
def dungeon_completed(o):
    """CR 704.5t, 309.6: the venture marker is on the bottommost room and no room ability is pending."""
    return (
        has(o, b.DUNGEON)
        and o.zone == b.COMMAND
        and o.booleans & b.BOTTOMMOST_ROOM != 0
        and not o.pending & b.PENDING_ROOM
    )


@part
def commander_zone(game, o):
    """CR 704.6d, 903.9a: a commander put into a graveyard or exile since the last check may go to the command zone."""
    return (
        game.variant & b.COMMANDERS != 0
        and (o.kind == b.CARD or only_tokens_cease(o))
        and o.booleans & b.IS_COMMANDER != 0
        and o.booleans & b.ARRIVED != 0
        and (o.zone == b.GRAVEYARD or o.zone == b.EXILE)
        and o.choice_command != 0
    )


@part
def scheme_turned_down(game, o, scheme_pending):
    """CR 704.6e, 314.6: a face-up scheme that is not ongoing, once no trigger of any scheme is pending."""
    return (
        game.variant & b.SCHEMES != 0
        and has(o, b.SCHEME)
        and o.zone == b.COMMAND
        and o.booleans & b.FACE_UP != 0
        and not o.now_supertypes & b.ONGOING
        and not scheme_pending
    )


@part
def phenomenon(game, o):
    """CR 704.6f, 312.7: a face-up phenomenon that is not the source of a pending triggered ability."""
    return (
        game.variant & b.PLANECHASE != 0
        and has(o, b.PHENOMENON)
        and o.zone == b.COMMAND
        and o.booleans & b.FACE_UP != 0
        and not o.pending & b.PENDING_TRIGGER
    )
