"""Continuous effects in layers (CR 613), on a board that has some.

An effect's row of `reach` holds what it applies to. It stays what it is from the first layer in which the effect
applied to something (613.6); for a list, and for a filter of an effect without a source, it stays from pass to pass
(611.2c).
"""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels.changes import apply_effect
from headjudge.kernels.characteristics import (
    add_counters,
    apply_changeling,
    is_related,
    see,
    start_characteristics,
)
from headjudge.kernels.dependency import apply_anything, next_effect, prepare_layer
from headjudge.kernels.jit import part
from headjudge.kernels.losses import in_game
from headjudge.kernels.reach import find_reach, is_active, players_reached, you_of


@part
def derive_with_effects(board, lexicon):
    """Derive the characteristics of every object and what effects rule for players."""
    game = board.game[0]
    for i in range(game.objects):
        start_characteristics(board, lexicon, i)
        board.objects[i].now_rules = 0
    for seat in range(game.players):
        p = board.players[seat]
        p.now_booleans = p.booleans
        p.now_protection = 0
    for e in range(game.effects):
        effect = board.effects[e]
        effect.begun = False
        effect.active = False
    apply_layer(board, lexicon, b.LAYER_CONTROL)
    for i in range(game.objects):
        apply_changeling(board, lexicon, i)
    apply_layer(board, lexicon, b.LAYER_TYPES)
    apply_layer(board, lexicon, b.LAYER_COLORS)
    apply_layer(board, lexicon, b.LAYER_ABILITIES)
    # Keyword counters (122.1b) are no abilities of the object's own: losing those leaves what counters give.
    for i in range(game.objects):
        board.objects[i].now_keywords |= board.objects[i].side_keywords
    apply_in_order(board, lexicon, b.LAYER_DEFINE)
    apply_in_order(board, lexicon, b.LAYER_SET)
    for i in range(game.objects):
        add_counters(board.objects[i])
    apply_in_order(board, lexicon, b.LAYER_ADD)
    apply_in_order(board, lexicon, b.LAYER_SWITCH)
    apply_rules(board, lexicon)
    game.locked = True
    game.seen = 0
    game.keywords = 0
    for i in range(game.objects):
        see(game, board.objects[i])


@part
def apply_in_order(board, lexicon, layer):
    """Apply the effects of a layer in which none can depend on another, oldest first."""
    for n in range(board.game[0].effects):
        e = board.lists[b.ORDER, n]
        if lexicon.texts[board.effects[e].text].layers & layer:
            apply_effect(board, lexicon, e, layer)


@part
def apply_layer(board, lexicon, layer):
    """Apply the effects of a layer, each after those that it depends on, else oldest first (CR 613.7, 613.8)."""
    prepare_layer(board, lexicon, layer)
    while True:
        e = next_effect(board, lexicon, layer)
        if e == b.NO_EFFECT:
            return
        apply_anything(board, lexicon, e, layer)


@part
def apply_rules(board, lexicon):
    """Give players and permanents what effects rule for them (CR 613.10, 613.11)."""
    game = board.game[0]
    for n in range(game.effects):
        e = board.lists[b.ORDER, n]
        effect = board.effects[e]
        text = lexicon.texts[effect.text]
        if text.rule < 0 and text.gain_protection == 0:
            continue
        if not is_active(board, lexicon, e):
            continue
        # Rules follow the board: they are not fixed to what the effect matched before.
        row = board.reach[e]
        if text.affects != b.AFFECTS_LIST:
            row = board.reach[board.reach.shape[0] - 1]
            find_reach(board, lexicon, e, row)
        effect.active = True
        if players_reached(board, effect, text):
            for seat in range(game.players):
                if is_player_reached(board, effect, text, seat):
                    rule_for_player(board, text, seat)
        elif text.rule >= 0:
            for i in range(game.objects):
                o = board.objects[i]
                if row[i] and not o.moved:
                    o.now_rules |= rule_for_object(o, text)


@part
def is_player_reached(board, effect, text, seat):
    """Whether an effect on players applies to one of them."""
    if not in_game(board.players[seat]):
        return False
    if text.affects == b.AFFECTS_HOST:
        return board.objects[effect.source].attached_to == -1 - seat
    if text.players < 0:
        return -1 - text.players == seat
    return is_related(board.players, text.players, seat, you_of(board, effect))


@part
def rule_for_player(board, text, seat):
    """Give one player what an effect rules; rules about permanents mean those they control, or own (graveyards)."""
    p = board.players[seat]
    p.now_protection |= text.gain_protection
    if text.rule == b.RULE_CANT_LOSE:
        p.now_booleans |= b.CANT_LOSE
    elif text.rule == b.RULE_NO_LOSS_AT_ZERO_LIFE:
        p.now_booleans |= b.NO_LOSS_AT_ZERO_LIFE
    elif text.rule >= 0 and text.rule != b.RULE_INSTEAD_OF_LOSING:
        for i in range(board.game[0].objects):
            o = board.objects[i]
            concerned = o.owner if text.rule == b.RULE_GRAVEYARD_TO_EXILE else o.now_controller
            if o.live and concerned == seat:
                o.now_rules |= rule_for_object(o, text)


@part
def rule_for_object(o, text):
    """Return the bit of what an effect rules for an object; one about cards can be about some parts of it (730.3e)."""
    if o.kind == b.CARD or not text.cards_only:
        return 1 << text.rule
    return b.CARDS_EXILED_INSTEAD if o.components > o.token_components else 0
