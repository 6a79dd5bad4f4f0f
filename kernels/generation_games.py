"""What random games are played by whom, and where in the turn."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.generation_draft import (
    MOST_SEATS,
    OBJECTS,
    PLAYERS,
    below,
    between,
    chance,
    find_permanent,
    give_life,
    give_poison,
    pick_opponent,
    pick_player,
)
from headjudge.kernels.jit import part

UNTAP, UPKEEP, DRAW_STEP, MAIN = range(4)
DECLARE_ATTACKERS, END_OF_COMBAT, SECOND_MAIN, END = (
    v.STEPS.index(step) for step in ("declare_attackers", "end_of_combat", "postcombat_main", "end")
)
COMMANDER, BRAWL, ARCHENEMY = (v.bit(v.VARIANTS, variant) for variant in ("commander", "brawl", "archenemy"))


@part
def seat_players(d, count, team_size, life):
    """Seat players with a life total, in teams of `team_size` neighbours or, where that is 0, one against all."""
    d.used[PLAYERS] = count
    for seat in range(count):
        player = d.players[seat]
        player.team = seat // team_size if team_size else min(seat, 1)
        player.life = life
        player.poison = 0
        player.speed = v.NO_SPEED
        player.booleans = b.IN_GAME


@part
def draw_wild_game(d):
    """Choose a variant, teams, and who has left already."""
    state = d.state
    kind = below(d, 100)
    if kind < 45:
        seat_players(d, 2 if chance(d, 600) else between(d, 1, MOST_SEATS), 1, 20)
    elif kind < 62:
        state.variant = b.TWO_HEADED_GIANT
        team_size = 2 if chance(d, 650) else 3
        seat_players(d, team_size * (2 if team_size == 3 or chance(d, 800) else 3), team_size, 30)
    elif kind < 78:
        state.variant = COMMANDER if chance(d, 800) else BRAWL
        seat_players(d, between(d, 2, 5), 1, 40)
    elif kind < 88:
        state.variant = ARCHENEMY if chance(d, 600) else b.ARCHENEMY_COMMANDER
        seat_players(d, between(d, 3, 5), 0, 40)
    elif kind < 96:
        state.variant = b.PLANECHASE | (COMMANDER if chance(d, 300) else 0)
        seat_players(d, between(d, 2, 4), 1, 20)
    else:
        state.variant = below(d, 1 << len(v.VARIANTS))
        seat_players(d, between(d, 2, MOST_SEATS), between(d, 0, 3), 20)
    if chance(d, 60):
        for seat in range(d.used[PLAYERS]):
            d.players[seat].team = d.players[seat].team * 3 + 2
    if state.variant & b.PLANECHASE and chance(d, 500):
        state.planar_controller = below(d, d.used[PLAYERS])
    state.round_expired = chance(d, 50)


@part
def is_team_of(d, seat, other):
    """Whether a player is of the team of another one, if there is one."""
    return other >= 0 and d.players[seat].team == d.players[other].team


@part
def let_players_leave(d):
    """Take players out of the game, in Two-Headed Giant a whole team; now and then the game is over."""
    count = d.used[PLAYERS]
    over = chance(d, 25)
    if not over and not (count > 2 and chance(d, 350)):
        return
    # Two teams stay; where the game is over one does, or nobody.
    winner = -1 if over and chance(d, 200) else below(d, count)
    rival = -1 if over else pick_opponent(d, winner)
    leaving = below(d, count)
    for seat in range(count):
        leaves = over or chance(d, 350)
        if d.state.variant & b.TWO_HEADED_GIANT and not over:
            leaves = is_team_of(d, seat, leaving)
        if leaves and not is_team_of(d, seat, winner) and not is_team_of(d, seat, rival):
            d.players[seat].booleans ^= b.IN_GAME


@part
def draw_wild_players(d):
    """Give players life totals, poison, speed and marks of all kinds."""
    for seat in range(d.used[PLAYERS]):
        give_life(d, seat, between(d, -2, 3) if chance(d, 80) else between(d, 1, 40))
        give_poison(d, seat, between(d, 8, 20) if chance(d, 60) else below(d, 9))
        player = d.players[seat]
        if chance(d, 450):
            player.speed = below(d, v.MAX_SPEED + 1)
        for flag, rate in (
            (b.DREW_FROM_EMPTY, 30),
            (b.CANT_LOSE, 50),
            (b.NO_LOSS_AT_ZERO_LIFE, 50),
            (b.HAS_CITY_BLESSING, 100),
            (b.HAS_ENDURING_STORY, 100),
        ):
            if chance(d, rate):
                player.booleans |= flag


@part
def draw_calm_game(d, variants):
    """Seat two players, or four with commanders, none of them about to lose."""
    if chance(d, variants):
        d.state.variant = COMMANDER
        seat_players(d, 4, 1, 40)
    else:
        seat_players(d, 2, 1, 20)
    for seat in range(d.used[PLAYERS]):
        d.players[seat].life = between(d, 1, d.players[seat].life + 2)
        if chance(d, 80):
            d.players[seat].poison = between(d, 1, 7)
        if chance(d, 50):
            d.players[seat].speed = between(d, 1, v.MAX_SPEED)


@part
def draw_game(d, plan, state_id):
    """Begin a board: the game, its players and whose turn it is."""
    state = d.state
    state.state_id = state_id
    state.variant = 0
    state.skips = 0
    state.round_expired = False
    state.planar_controller = v.NO_SEAT
    if plan.wild:
        draw_wild_game(d)
        draw_wild_players(d)
        let_players_leave(d)
    else:
        draw_calm_game(d, plan.variants)
    state.active_player = max(pick_player(d), 0)
    if plan.wild and chance(d, 60):
        state.active_player = below(d, d.used[PLAYERS])
    if plan.any_step:
        state.step = below(d, len(v.STEPS))
    elif chance(d, 250):
        state.step = between(d, UPKEEP, DRAW_STEP)
    else:
        state.step = MAIN if chance(d, 600) else between(d, SECOND_MAIN, END)


@part
def send_to_combat(d, any_step):
    """Let creatures of the active player attack players and planeswalkers, and others block."""
    state = d.state
    if not any_step:
        state.step = between(d, DECLARE_ATTACKERS, END_OF_COMBAT)
    elif not DECLARE_ATTACKERS <= state.step <= END_OF_COMBAT:
        return
    defender = pick_opponent(d, state.active_player)
    if defender < 0:
        return
    target = -1 - defender
    walker = find_permanent(d, b.PLANESWALKER, defender)
    for row in range(d.used[OBJECTS]):
        creature = d.objects[row]
        if creature.zone != b.BATTLEFIELD or not creature.types & b.CREATURE or creature.attached_to != v.NONE:
            continue
        if creature.types & b.BATTLE:
            continue
        if creature.controller == state.active_player and chance(d, 600):
            creature.attacking = walker if walker >= 0 and chance(d, 300) else target
        elif creature.controller == defender and chance(d, 400):
            creature.booleans |= b.BLOCKING
