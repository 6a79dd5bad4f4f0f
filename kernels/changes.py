"""What a continuous effect changes in each layer (CR 613.1, 613.4)."""

from __future__ import annotations

import numpy as np

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.characteristics import lose_subtypes, matches, subtypes_of
from headjudge.kernels.jit import part
from headjudge.kernels.losses import in_game
from headjudge.kernels.reach import find_reach, is_active, is_fixed, you_of


@part
def apply_effect(board, lexicon, e, layer):
    """Apply what an effect does in one layer to everything it reaches."""
    game = board.game[0]
    effect = board.effects[e]
    text = lexicon.texts[effect.text]
    applies = effect.begun or is_active(board, lexicon, e)
    # What it is fixed to at the start does not wait for its `while` (CR 611.2c, d).
    if not applies and (effect.source >= 0 or game.locked):
        return
    if not effect.begun and not is_fixed(board, effect, text):
        find_reach(board, lexicon, e, board.reach[e])
        for i in range(game.objects):
            effect.found |= effect.locks and board.reach[e, i]
    you = you_of(board, effect)
    amount = 1
    if layer & (b.LAYER_DEFINE | b.LAYER_ADD):
        amount = multiplier(board, lexicon, e, text, you)
        if layer == b.LAYER_ADD and text.per == b.LIFE_OF_YOU:
            amount = max(0, amount)  # 107.1b
    if not applies:
        return
    fixed = is_fixed(board, effect, text)
    for i in range(game.objects):
        o = board.objects[i]
        if board.reach[e, i] and is_changeable(o, fixed):
            effect.begun = True
            change(board, lexicon, effect, text, i, layer, you, amount)


@part
def is_changeable(o, fixed):
    """Whether an object that an effect applies to, fixed to it or not, is still there (CR 400.7, 611.3a, 702.26b)."""
    return not (fixed and o.moved) and (o.live or o.zone != b.BATTLEFIELD)


@part
def change(board, lexicon, effect, text, i, layer, you, amount):
    """Apply what an effect does in one layer to one object."""
    o = board.objects[i]
    if layer == b.LAYER_CONTROL:
        change_control(board, text, o, you)
    elif layer == b.LAYER_TYPES:
        change_types(board, lexicon, effect.text, text, i)
    elif layer == b.LAYER_COLORS:
        if text.set_colors >= 0:
            o.now_colors = text.set_colors
        o.now_colors |= text.add_colors
    elif layer == b.LAYER_ABILITIES:
        change_abilities(board, text, i)
    elif layer == b.LAYER_DEFINE:
        if text.define_power != v.NULL:
            o.now_power = text.define_power * amount
        if text.define_toughness != v.NULL:
            o.now_toughness = text.define_toughness * amount
    elif layer == b.LAYER_SET:
        if text.set_power != v.NULL:
            o.now_power = o.mana_value if text.set_power == b.MANA_VALUE else text.set_power
        if text.set_toughness != v.NULL:
            o.now_toughness = o.mana_value if text.set_toughness == b.MANA_VALUE else text.set_toughness
    elif layer == b.LAYER_ADD:
        if text.add_power != v.NULL:
            o.now_power += text.add_power * amount
        if text.add_toughness != v.NULL:
            o.now_toughness += text.add_toughness * amount
        # Each addition is at most 10 ** 18, so that it is noticed before a sum of 64 bits wraps.
        if max(abs(o.now_power), abs(o.now_toughness)) > b.MOST_POWER:
            board.game[0].reason = b.BEYOND_NUMBERS
            board.game[0].reason_object = i
    else:
        power = o.now_power
        o.now_power = o.now_toughness
        o.now_toughness = power


@part
def change_control(board, text, o, you):
    """Layer 2; a player who has left can't control anything (CR 800.4b), unless the game was over before that.

    One who has lost and is about to leave still does (800.4a).
    """
    seat = you if text.control == b.CONTROL_YOU else text.control
    if seat >= 0 and (o.zone == b.BATTLEFIELD or o.zone == b.STACK):
        p = board.players[seat]
        if in_game(p) or p.departs or board.game[0].outcome != b.ONGOING_GAME:
            o.now_controller = seat


@part
def types_after(text, types):
    """Return the card types that an effect leaves of these."""
    if text.set_types >= 0:
        types = text.set_types
    return (types | text.add_types) & ~text.remove_types


@part
def change_types(board, lexicon, text_row, text, i):
    """Layer 4: types set, added, removed; then subtypes, which need their card type (CR 205.3d); then supertypes."""
    o = board.objects[i]
    before = o.now_types
    o.now_types = types_after(text, before)
    o.now_supertypes = (o.now_supertypes | text.add_supertypes) & ~text.remove_supertypes
    lost = before & ~o.now_types
    if lost:
        lose_subtypes(board, lexicon, i, lost)
    row = board.sets[i]
    sets_land_type = False
    for w in range(row.shape[0]):
        if text.sets_subtypes or text.adds_subtypes:
            fitting = lexicon.free_subtypes[w] | subtypes_of(lexicon, o.now_types, w)
            chosen = lexicon.text_subtypes[text_row, 0, w]
            if text.sets_subtypes:
                row[w] = chosen & fitting
                sets_land_type |= chosen & lexicon.basic_land_types[w] != 0
            row[w] |= lexicon.text_subtypes[text_row, 1, w] & fitting
        row[w] &= ~lexicon.text_subtypes[text_row, 2, w]
    o.now_marks = np.int64(row[0]) & b.MARKS
    # 305.7: a land that is given a basic land type loses the abilities of its own.
    if sets_land_type and o.now_types & b.LAND:
        lose_abilities(o)


@part
def lose_abilities(o):
    """Take all abilities away."""
    o.lost_abilities = True
    o.gained_changeling = False
    o.now_keywords = 0
    o.now_protection = 0


@part
def change_abilities(board, text, i):
    """Layer 6: all abilities lost, keywords lost, gained, protection gained."""
    o = board.objects[i]
    if text.lose_all_abilities:
        lose_abilities(o)
    if text.lose_keywords & b.CHANGELING:
        o.gained_changeling = False
    o.gained_changeling |= text.gain_keywords & b.CHANGELING != 0
    o.now_keywords = (o.now_keywords & ~text.lose_keywords) | text.gain_keywords
    o.now_protection |= text.gain_protection


@part
def multiplier(board, lexicon, e, text, you):
    """Return by what an effect's amounts are multiplied: how many objects match `per`, or a life total."""
    if text.per == b.NOT_STATED:
        return 1
    effect = board.effects[e]
    if effect.source < 0 and board.game[0].locked:
        return effect.per
    if text.per == b.LIFE_OF_YOU:
        count = board.players[you].life if you >= 0 else 0
    else:
        count = count_matching(board, lexicon, text.per, you, effect.source, text.per_distinct)
    effect.per = count
    return count


@part
def count_matching(board, lexicon, row, you, source, distinct_types):
    """Return how many objects match a filter, or how many card types there are among them."""
    count = 0
    types = 0
    for i in range(board.game[0].objects):
        if matches(board, lexicon, row, i, you, source):
            count += 1
            types |= board.objects[i].now_types
    if distinct_types:
        count = 0
        while types:
            count += types & 1
            types >>= 1
    return count
