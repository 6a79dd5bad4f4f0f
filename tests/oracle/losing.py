"""Who loses the game (CR 704.5a-c, 704.6a-c, MTR 2.4), and what replaces it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from oracle.actions import Action, Does
from oracle.board import Effect, Player, Seat
from oracle.layers import Picture
from oracle.parse import Choices


def cant_lose(picture: Picture, player: Player) -> bool:
    # CR 101.2: "can't" beats the state-based action.
    return player.cant_lose or picture.player_has_rule(player.seat, "cant_lose")


def no_loss_at_zero_life(picture: Picture, player: Player) -> bool:
    return player.no_loss_at_zero_life or picture.player_has_rule(player.seat, "no_loss_at_zero_life")


def someone_of_team(picture: Picture, player: Player, holds: Callable[[Picture, Player], bool]) -> bool:
    # CR 810.8a: what keeps one member from losing keeps the team from it.
    return any(holds(picture, member) for member in picture.board.team_of(player.seat))


def is_kept_in_game(picture: Picture, player: Player) -> bool:
    """Whether the player cannot lose for a reason that is the player's own."""
    if picture.board.two_headed_giant():
        return someone_of_team(picture, player, cant_lose)
    return cant_lose(picture, player)


def life_zero(picture: Picture) -> Iterator[Action]:
    # CR 704.5a: a player with 0 or less life loses. Where life is the team's, it is the team that loses (CR 704.6a).
    if picture.board.shared_life():
        return
    for player in picture.board.in_game():
        if player.life <= 0 and not cant_lose(picture, player) and not no_loss_at_zero_life(picture, player):
            yield Action("life_zero", Does.LOSE, player=player.seat)


def empty_draw(picture: Picture) -> Iterator[Action]:
    # CR 704.5b: a player who attempted to draw from an empty library since the last check loses.
    for player in picture.board.in_game():
        if player.drew_from_empty and not is_kept_in_game(picture, player):
            yield Action("empty_draw", Does.LOSE, player=player.seat)


def poison(picture: Picture) -> Iterator[Action]:
    # CR 704.5c: a player with ten or more poison counters loses, but not in Two-Headed Giant.
    if picture.board.two_headed_giant():
        return
    for player in picture.board.in_game():
        if player.poison >= 10 and not cant_lose(picture, player):
            yield Action("poison", Does.LOSE, player=player.seat)


def team_life_zero(picture: Picture) -> Iterator[Action]:
    # CR 704.6a, 810.8c, 904.13b: a team with 0 or less life loses, all its members.
    if not picture.board.shared_life():
        return
    for player in picture.board.in_game():
        kept = someone_of_team(picture, player, cant_lose) or someone_of_team(picture, player, no_loss_at_zero_life)
        if player.life <= 0 and not kept:
            # 704.6a is about Two-Headed Giant; in Archenemy Commander it is 704.5a, read of the team's total.
            rule = "team_life_zero" if picture.board.two_headed_giant() else "life_zero"
            yield Action(rule, Does.LOSE, player=player.seat)


def team_poison(picture: Picture) -> Iterator[Action]:
    # CR 704.6b, 810.8d: a Two-Headed Giant team with fifteen or more poison counters loses; for each head above two
    # it takes five more (CR 810.11).
    board = picture.board
    if not board.two_headed_giant():
        return
    for player in board.in_game():
        heads = sum(other.team == player.team for other in board.players)
        if player.poison >= 15 + 5 * max(0, heads - 2) and not someone_of_team(picture, player, cant_lose):
            yield Action("team_poison", Does.LOSE, player=player.seat)


def commander_damage(picture: Picture) -> Iterator[Action]:
    # CR 704.6c: a player who was dealt 21 or more combat damage by one commander loses. Not in Brawl (CR 903.12h).
    if not picture.board.variant & {"commander", "archenemy_commander"}:
        return
    for player in picture.board.in_game():
        if any(n >= 21 for n in player.commander_damage.values()) and not is_kept_in_game(picture, player):
            yield Action("commander_damage", Does.LOSE, player=player.seat)


def highest_life(picture: Picture) -> Iterator[Action]:
    # MTR 2.4: after time a player without the highest life total loses. It is no rule of the game proper, so nothing
    # in the game stops it.
    players = picture.board.in_game()
    if picture.board.round_expired:
        for player in players:
            if player.life < max(other.life for other in players):
                yield Action("highest_life", Does.LOSE, player=player.seat)


LOSING_RULES = (life_zero, empty_draw, poison, team_life_zero, team_poison, commander_damage, highest_life)


@dataclass(slots=True)
class Saved:
    """An effect that replaced a loss: whose it was, and who gets its life total."""

    effect: Effect
    seat: Seat
    gets_life: list[Seat]


def replacement_for(picture: Picture, choices: Choices, seats: list[Seat]) -> tuple[Effect, Seat] | None:
    """Find the effect that one of these players uses instead of losing: the chosen one, else the oldest."""
    offers = [
        (given.effect, seat)
        for given in picture.rules
        if given.effect.rule == "instead_of_losing"
        for seat in seats
        if seat in given.seats
    ]
    # Where a team loses as one, any of its members may have made the choice; the last of them is heard.
    chosen = [choices.loss_replacement[seat] for seat in seats if seat in choices.loss_replacement][-1:]
    offers.sort(key=lambda offer: (offer[0].timestamp, offer[0].number, offer[1]))
    wanted = [offer for offer in offers if chosen and chosen[0] in (offer[0].name, offer[0].source)]
    return next(iter(wanted + offers), None)


def replace_losses(picture: Picture, choices: Choices, losses: list[Action]) -> list[Saved]:
    """Replace what can be replaced of the losses of one event, and mark those actions.

    One replacement covers all reasons for which a player, or a team that loses as one, would lose (CR 704.7).
    """
    saved = []
    for seats, actions in losses_as_units(picture, losses):
        if found := replacement_for(picture, choices, seats):
            # A total that is the team's is every member's, whatever the loss was that was replaced.
            board = picture.board
            gets_life = [p.seat for p in board.team_of(seats[0])] if board.shared_life() else seats
            saved.append(Saved(*found, gets_life=gets_life))
            for action in actions:
                action.replaced_by = "instead_of_losing"
    return saved


def losses_as_units(picture: Picture, losses: list[Action]) -> list[tuple[list[Seat], list[Action]]]:
    """Put together what is lost as one: a player's own reasons, and those of a team that loses as one."""
    board = picture.board
    units: dict[tuple[str, int], tuple[list[Seat], list[Action]]] = {}
    for action in losses:
        if action.player is None or action.rule == "highest_life":
            continue
        if board.two_headed_giant() or (board.shared_life() and action.rule == "life_zero"):
            key = ("team", board.players[action.player].team)
            seats = [member.seat for member in board.team_of(action.player)]
        else:
            key = ("player", action.player)
            seats = [action.player]
        units.setdefault(key, (seats, []))[1].append(action)
    # Life totals are set in this order: by seat, and what a team loses together comes last.
    return [units[key] for key in sorted(units)]


def losers(picture: Picture, losses: list[Action]) -> set[Seat]:
    """Find who loses in the end. In Two-Headed Giant a team loses with any of its members (CR 810.8a)."""
    seats = {action.player for action in losses if action.player is not None and action.replaced_by is None}
    if picture.board.two_headed_giant():
        return {member.seat for seat in seats for member in picture.board.team_of(seat)}
    return seats
