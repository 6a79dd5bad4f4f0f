"""Which choices a check offers: rows of kind OFFER, written when `game.tells_offers` asks for them.

`rule` is the choice, `object` or `seat` whom it is about, `amount` an option, as in `value` of `tables.Choices`. Every
lawful option is there; one that changes nothing may be, too. Which legends form a group (`keep`) shows in `controller`
and in their names.
"""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.characteristics import host_is_there
from headjudge.kernels.event import has_shield, is_umbra, leaves_the_battlefield
from headjudge.kernels.groups import is_legend, may_protect
from headjudge.kernels.jit import part
from headjudge.kernels.layers import is_player_reached
from headjudge.kernels.recording import record_object, record_player
from headjudge.kernels.saving import is_concerned


@part
def tell_offers(board, lexicon, state, found):
    """Write the choices of a check that has been judged and resolved; `found` are the bits of all rules that apply."""
    for seat in range(board.game[0].players):
        if board.players[seat].replacement >= 0:
            together = board.game[0].variant & b.TWO_HEADED_GIANT != 0
            offer_loss_replacements(board, lexicon, state, seat, together)
        if board.players[seat].life_replacement >= 0:
            offer_loss_replacements(board, lexicon, state, seat, True)
    for i in range(board.game[0].objects):
        o = board.objects[i]
        if found & 1 << b.LEGEND_RULE and is_legend(o):
            offer(board, state, b.CHOOSE_KEEP, i, 0)
        if o.rules & 1 << b.COMMANDER_ZONE or goes_to_command_by_choice(o):
            offer(board, state, b.CHOOSE_COMMAND_ZONE, i, 0)
            offer(board, state, b.CHOOSE_COMMAND_ZONE, i, 1)
        if o.rules & 1 << b.SECTOR:
            for sector in range(len(v.SECTORS)):
                offer(board, state, b.CHOOSE_SECTOR, i, sector)
        if o.rules & b.NO_PROTECTOR:
            for seat in range(board.game[0].players):
                if may_protect(board.players, o, seat):
                    offer(board, state, b.CHOOSE_PROTECTOR, i, seat)
        if o.destroyed or o.saved_by >= 0:
            offer_replacements(board, lexicon, state, i)
        if leaves_the_battlefield(o):
            offer_destinations(board, state, i)


@part
def offer(board, state, choice, i, option):
    """Write one option of a choice about an object."""
    record_object(board, state, choice, b.OFFER, i, board.objects[i].zone, option, -1)


@part
def goes_to_command_by_choice(o):
    """CR 903.9b: a commander that would go to a hand or library."""
    return leaves_the_battlefield(o) and o.destination == b.COMMAND and o.booleans & b.IS_COMMANDER != 0


@part
def offer_replacements(board, lexicon, state, i):
    """Write what can replace the destruction of an object (CR 616.1): a shield of either kind, or an umbra on it."""
    if has_shield(board.objects[i]):
        offer(board, state, b.CHOOSE_REPLACE, i, b.CHOOSE_REGENERATION)
    if board.objects[i].shield > 0 and not board.objects[i].destroyed:
        offer(board, state, b.CHOOSE_REPLACE, i, b.CHOOSE_SHIELD)
    for k in range(board.game[0].objects):
        umbra = board.objects[k]
        if umbra.live and umbra.attached_to == i and is_umbra(umbra) and host_is_there(board, lexicon, k):
            offer(board, state, b.CHOOSE_REPLACE, i, k)


@part
def offer_destinations(board, state, i):
    """Write which effect can move it, or which replaces the graveyard (CR 400.6, 616.1)."""
    o = board.objects[i]
    if o.exiled or (o.to_graveyard and (o.finality > 0 or o.now_rules & b.EXILED_INSTEAD)):
        offer(board, state, b.CHOOSE_DESTINATION, i, b.EXILE)
    if o.shuffled:
        offer(board, state, b.CHOOSE_DESTINATION, i, b.LIBRARY)
    if o.to_graveyard:
        # Not the zone of another effect: its own replacement, or the graveyard.
        offer(board, state, b.CHOOSE_DESTINATION, i, b.GRAVEYARD)


@part
def offer_loss_replacements(board, lexicon, state, seat, together):
    """Write which effects can replace a player's loss, or that of the team."""
    game = board.game[0]
    for e in range(game.effects):
        effect = board.effects[e]
        text = lexicon.texts[effect.text]
        if text.rule != b.RULE_INSTEAD_OF_LOSING or not effect.active:
            continue
        for other in range(game.players):
            if is_concerned(board.players, other, seat, together) and is_player_reached(board, effect, text, other):
                record_player(board, state, b.CHOOSE_LOSS_REPLACEMENT, b.OFFER, seat, -1 - e, -1)
                break
