"""Effects that replace the loss of the game (CR 614, 704.7), `instead_of_losing`."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import part
from headjudge.kernels.layers import is_player_reached
from headjudge.kernels.losses import REPLACEABLE, is_teammate, own_reasons


@part
def replace_losses(board, lexicon):
    """Find the effect that replaces each loss: as chosen, else the oldest; one covers all reasons (CR 704.7).

    In Archenemy Commander a team loses its life total together, and each player for reasons of their own (904.13b).
    """
    game = board.game[0]
    giants = game.variant & b.TWO_HEADED_GIANT != 0
    for seat in range(game.players):
        p = board.players[seat]
        reasons = p.rules & own_reasons(game)
        if reasons and p.replacement < 0:
            replace_loss(board, lexicon, seat, giants, False)
        if p.rules & REPLACEABLE != reasons and p.life_replacement < 0:
            replace_loss(board, lexicon, seat, True, True)


@part
def replace_loss(board, lexicon, seat, together, of_life):
    """Find the effect that replaces the loss of one player, or of that player's team."""
    game = board.game[0]
    players = board.players
    wanted = v.NONE
    for other in range(game.players):
        if is_concerned(players, other, seat, together) and players[other].choice_loss != v.NONE:
            wanted = players[other].choice_loss
    oldest = -1
    whose = -1
    for n in range(game.effects):
        e = board.lists[b.ORDER, n]
        effect = board.effects[e]
        text = lexicon.texts[effect.text]
        if text.rule != b.RULE_INSTEAD_OF_LOSING or not effect.active:
            continue
        for other in range(game.players):
            if is_concerned(players, other, seat, together) and is_player_reached(board, effect, text, other):
                if oldest < 0 or is_wanted(effect, e, wanted):
                    oldest = e
                    whose = other
                break
        if oldest >= 0 and (wanted == v.NONE or is_wanted(board.effects[oldest], oldest, wanted)):
            break
    if oldest >= 0:
        for other in range(game.players):
            if is_concerned(players, other, seat, together):
                accept(players[other], oldest, whose, of_life)


@part
def is_wanted(effect, e, wanted):
    """Whether an effect is the one chosen, or the chosen object's."""
    return wanted == -1 - e or (wanted >= 0 and effect.source == wanted)


@part
def is_concerned(players, other, seat, together):
    """Whether an effect about `other` can replace the loss of the player at `seat`."""
    return other == seat or (together and is_teammate(players, other, seat))


@part
def accept(p, e, whose, of_life):
    """Let an effect about the player `whose` replace what a player loses by, if by anything of the kind."""
    if of_life:
        if p.rules & 1 << b.LIFE_ZERO:
            p.life_replacement = e
            p.life_replaced_for = whose
    elif p.rules & REPLACEABLE:
        p.replacement = e
        p.replaced_for = whose


@part
def mark_moved_by_replacements(board, lexicon):
    """Mark the permanents that effects which replaced a loss shuffle away or exile."""
    for seat in range(board.game[0].players):
        p = board.players[seat]
        if p.replacement >= 0:
            mark_moved_by(board, lexicon, p.replacement, p.replaced_for)
        if p.life_replacement >= 0:
            mark_moved_by(board, lexicon, p.life_replacement, p.life_replaced_for)


@part
def mark_moved_by(board, lexicon, e, whose):
    """Mark the permanents that one effect shuffles away or exiles; it is about the player `whose`."""
    effect = board.effects[e]
    text = lexicon.texts[effect.text]
    if text.exile_source and effect.source >= 0 and board.objects[effect.source].live:
        board.objects[effect.source].exiled = True
    if text.shuffle_owned:
        for i in range(board.game[0].objects):
            o = board.objects[i]
            if o.live and o.owner == whose:
                o.shuffled = True


@part
def set_life(board, lexicon):
    """Give the players whose loss was replaced the life that the effect says; what a team has together comes last."""
    game = board.game[0]
    for seat in range(game.players):
        set_life_by(board, lexicon, seat, board.players[seat].replacement)
    for seat in range(game.players):
        set_life_by(board, lexicon, seat, board.players[seat].life_replacement)


@part
def set_life_by(board, lexicon, seat, e):
    """Give a player the life that an effect says, if there is one; a shared total is every member's."""
    if e < 0:
        return
    life = lexicon.texts[board.effects[e].text].life
    board.players[seat].life = life
    if board.game[0].variant & (b.TWO_HEADED_GIANT | b.ARCHENEMY_COMMANDER):
        for other in range(board.game[0].players):
            if is_teammate(board.players, other, seat):
                board.players[other].life = life
