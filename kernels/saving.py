"""Effects that replace the loss of the game (CR 614, 704.7), `instead_of_losing`."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import part
from headjudge.kernels.layers import is_player_reached
from headjudge.kernels.losses import is_teammate

#: What a replacement can replace: the tournament rule lies outside the game.
REPLACEABLE = b.LOSSES & ~(1 << b.HIGHEST_LIFE)


@part
def shares_losses(game, p):
    """Whether a player loses with the team (CR 810.8a, 904.13b)."""
    if game.variant & b.TWO_HEADED_GIANT:
        return True
    return game.variant & b.ARCHENEMY_COMMANDER != 0 and p.rules & 1 << b.LIFE_ZERO != 0


@part
def replace_losses(board, lexicon):
    """Find the effect that replaces each loss: as chosen, else the oldest; one covers all reasons (CR 704.7)."""
    game = board.game[0]
    for seat in range(game.players):
        p = board.players[seat]
        if p.rules & REPLACEABLE and p.replacement < 0:
            replace_loss(board, lexicon, seat)


@part
def replace_loss(board, lexicon, seat):
    """Find the effect that replaces the loss of one player, or of that player's team."""
    game = board.game[0]
    players = board.players
    together = shares_losses(game, players[seat])
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
                if oldest < 0 or effect.source == wanted:
                    oldest = e
                    whose = other
                break
        if oldest >= 0 and (wanted == v.NONE or board.effects[oldest].source == wanted):
            break
    if oldest >= 0:
        players[whose].saved = True
        accept(game, players, seat, together, oldest)


@part
def is_concerned(players, other, seat, together):
    """Whether an effect about `other` can replace the loss of the player at `seat`."""
    return other == seat or (together and is_teammate(players, other, seat))


@part
def accept(game, players, seat, together, e):
    """Let an effect replace the losses of a player, or of that player's team."""
    players[seat].replacement = e
    if together:
        for other in range(game.players):
            p = players[other]
            if is_teammate(players, other, seat) and shares_losses(game, p) and p.rules & REPLACEABLE:
                p.replacement = e


@part
def mark_moved_by_replacements(board, lexicon):
    """Mark the permanents that effects which replaced a loss shuffle away or exile."""
    game = board.game[0]
    for seat in range(game.players):
        p = board.players[seat]
        if p.replacement < 0:
            continue
        effect = board.effects[p.replacement]
        text = lexicon.texts[effect.text]
        if text.exile_source and effect.source >= 0 and board.objects[effect.source].live:
            board.objects[effect.source].exiled = True
        if text.shuffle_owned:
            for i in range(game.objects):
                o = board.objects[i]
                if o.live and board.players[o.owner].saved and board.players[o.owner].team == p.team:
                    o.shuffled = True


@part
def set_life(board, lexicon):
    """Give the players whose loss was replaced the life that the effect says; a shared total is every member's."""
    game = board.game[0]
    for seat in range(game.players):
        p = board.players[seat]
        if p.replacement < 0:
            continue
        life = lexicon.texts[board.effects[p.replacement].text].life
        p.life = life
        if game.variant & (b.TWO_HEADED_GIANT | b.ARCHENEMY_COMMANDER):
            for other in range(game.players):
                if is_teammate(board.players, other, seat):
                    board.players[other].life = life
