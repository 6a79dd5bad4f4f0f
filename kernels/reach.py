"""Whether a continuous effect works, who its `you` is, and what it applies to."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.characteristics import host_is_there, matches
from headjudge.kernels.jit import part


@part
def you_of(board, effect):
    """Return who controls the effect: the source's controller as it is now, NO_SEAT for nobody."""
    return board.objects[effect.source].now_controller if effect.source >= 0 else effect.controller


@part
def source_works(o):
    """Whether static abilities of the object work: a permanent that is phased in, or an emblem (CR 113.6)."""
    return not o.moved and (o.live or (o.kind == b.EMBLEM and o.zone == b.COMMAND)) and not o.lost_abilities


@part
def is_active(board, lexicon, e):
    """Whether an effect that has not begun yet works and its `while` holds."""
    effect = board.effects[e]
    if effect.over or (effect.source >= 0 and not source_works(board.objects[effect.source])):
        return False
    text = lexicon.texts[effect.text]
    return text.while_ == b.NOT_STATED or condition_holds(board, lexicon, effect, text)


@part
def condition_holds(board, lexicon, effect, text):
    """Whether the count or the life total of `while` is within its bounds."""
    you = you_of(board, effect)
    if text.while_ == b.LIFE_OF_YOU:
        if you < 0:
            return False
        count = board.players[you].life
    elif lexicon.filters[text.while_].host:  # nothing else can match
        count = 0
        if effect.source >= 0 and board.objects[effect.source].attached_to >= 0:
            host = board.objects[effect.source].attached_to
            count += matches(board, lexicon, text.while_, host, you, effect.source)
    else:
        count = 0
        for i in range(board.game[0].objects):
            count += matches(board, lexicon, text.while_, i, you, effect.source)
    return text.at_least <= count <= text.at_most


@part
def players_reached(board, effect, text):
    """Whether an effect affects players, not objects."""
    if text.affects == b.AFFECTS_HOST:
        attached_to = board.objects[effect.source].attached_to
        return attached_to < 0 and attached_to != v.NONE
    return text.affects == b.AFFECTS_PLAYERS


@part
def is_fixed(board, effect, text):
    """Whether what the effect applies to stays what it is from pass to pass (CR 611.2c)."""
    return text.affects == b.AFFECTS_LIST or (effect.locks and (effect.found or board.game[0].locked))


@part
def find_reach(board, lexicon, e, row):
    """Fill `row` with what an effect that is no list applies to now."""
    game = board.game[0]
    effect = board.effects[e]
    text = lexicon.texts[effect.text]
    if text.affects == b.AFFECTS_FILTER:
        you = you_of(board, effect)
        for i in range(game.objects):
            row[i] = matches(board, lexicon, text.filter, i, you, effect.source)
        return
    for i in range(game.objects):
        row[i] = False
    if effect.source < 0:
        return
    if text.affects == b.AFFECTS_SELF:
        row[effect.source] = True
    elif text.affects == b.AFFECTS_HOST and board.objects[effect.source].attached_to >= 0:
        row[board.objects[effect.source].attached_to] = host_is_there(board, lexicon, effect.source)
