"""The state-based actions about players (CR 704.5a-c, 704.5aa, 704.6a-c, MTR 2.4), and how a game ends (CR 104)."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import part

#: What a replacement can replace: the tournament rule lies outside the game.
REPLACEABLE = b.LOSSES & ~(1 << b.HIGHEST_LIFE)


@part
def in_game(p):
    """Whether a player has neither lost nor left."""
    return p.booleans & b.IN_GAME != 0


@part
def team_flags(game, players, seat):
    """Return the flags that any member of the player's team in the game has after effects (CR 810.8a)."""
    found = 0
    for other in range(game.players):
        p = players[other]
        if is_teammate(players, other, seat):
            found |= p.now_booleans
    return found


@part
def team_size(game, players, seat):
    """Return how many players the team has, departed ones included."""
    size = 0
    for other in range(game.players):
        size += players[other].team == players[seat].team
    return size


@part
def judge_player(game, players, seat, highest):
    """Return the bits of the rules that apply to a player in the game."""
    p = players[seat]
    giants = game.variant & b.TWO_HEADED_GIANT != 0
    shared = p.now_booleans
    if giants or game.variant & b.ARCHENEMY_COMMANDER:
        shared = team_flags(game, players, seat)
    rules = 0
    # 704.5a, 704.6a; a shared life total is lost together (810.8, 904.13b).
    if p.life <= 0 and not shared & (b.CANT_LOSE | b.NO_LOSS_AT_ZERO_LIFE):
        rules |= 1 << (b.TEAM_LIFE_ZERO if giants else b.LIFE_ZERO)
    if not (shared if giants else p.now_booleans) & b.CANT_LOSE:
        # 704.5b
        if p.booleans & b.DREW_FROM_EMPTY:
            rules |= 1 << b.EMPTY_DRAW
        # 704.5c, 704.6b; 810.11: five more for each player beyond two.
        if giants:
            if p.poison >= 15 + 5 * max(0, team_size(game, players, seat) - 2):
                rules |= 1 << b.TEAM_POISON
        elif p.poison >= 10:
            rules |= 1 << b.POISON
        # 704.6c
        if game.variant & b.COMMANDER_DAMAGE_COUNTS and p.commander_damage >= 21:
            rules |= 1 << b.COMMANDER_DAMAGE
    # MTR 2.4: outside the rules of the game, so that no effect stops it.
    if game.round_expired and p.life < highest:
        rules |= 1 << b.HIGHEST_LIFE
    return rules


@part
def judge_losses(game, players):
    """Set the rules by which players lose, and who does; nothing is replaced yet."""
    highest = -v.LARGEST - 1
    for seat in range(game.players):
        if in_game(players[seat]):
            highest = max(highest, players[seat].life)
    found = 0
    for seat in range(game.players):
        p = players[seat]
        p.loses = False
        p.replacement = -1
        p.life_replacement = -1
        p.rules = judge_player(game, players, seat, highest) if in_game(p) else 0
        found |= p.rules
    return found


@part
def own_reasons(game):
    """Return what a replacement covers together: everything, but for life that in 904.13b only the team loses by."""
    if game.variant & b.ARCHENEMY_COMMANDER:
        return REPLACEABLE & ~(1 << b.LIFE_ZERO)
    return REPLACEABLE


@part
def replaced_losses(game, p):
    """Return the bits of the rules whose loss is replaced."""
    replaced = 0
    if p.replacement >= 0:
        replaced |= own_reasons(game)
    if p.life_replacement >= 0:
        replaced |= 1 << b.LIFE_ZERO
    return replaced


@part
def decide_losses(game, players):
    """Mark who loses by a rule that was not replaced; a Two-Headed Giant team loses together (CR 810.8a)."""
    for seat in range(game.players):
        p = players[seat]
        losses = p.rules & b.LOSSES & ~replaced_losses(game, p)
        if losses and not p.loses:
            p.loses = True
            if game.variant & b.TWO_HEADED_GIANT:
                for other in range(game.players):
                    if is_teammate(players, other, seat):
                        players[other].loses = True


@part
def is_teammate(players, other, seat):
    """Whether a player in the game is of another's team, or that player."""
    return players[other].team == players[seat].team and in_game(players[other])


@part
def teams_left(game, players):
    """Return 0, 1 or 2: no team, one team, or more than one has a player in the game."""
    first = -1
    for seat in range(game.players):
        if in_game(players[seat]):
            if first < 0:
                first = seat
            elif players[seat].team != players[first].team:
                return 2
    return 0 if first < 0 else 1


@part
def decide_outcome(game, players):
    """Set the outcome of the game as it stands (CR 104.2a, c, 104.4a, d); one team alone plays on until it lost."""
    left = teams_left(game, players)
    if game.players == 0 or left == 2 or (left == 1 and game.teams == 1):
        game.outcome = b.ONGOING_GAME
    else:
        game.outcome = b.WIN if left == 1 else b.DRAW


@part
def has_control_of(o, keyword):
    """Whether an object gives its controller something: a live permanent with the keyword."""
    return o.live and o.now_keywords & keyword != 0


@part
def start_engines(board):
    """CR 704.5aa: a player without speed controls a permanent with the keyword."""
    found = 0
    for i in range(board.game[0].objects):
        o = board.objects[i]
        if has_control_of(o, b.START_YOUR_ENGINES):
            p = board.players[o.now_controller]
            if in_game(p) and p.speed == v.NO_SPEED:
                p.rules |= 1 << b.START_ENGINES
                found |= 1 << b.START_ENGINES
    return found
