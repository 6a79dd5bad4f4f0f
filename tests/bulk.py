"""Generated boards and choices in bulk, settled by kernels and oracle."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np

from comparison import differences, scenarios_of
from headjudge import generate
from headjudge.io.choices import columns_of
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import Choices
from headjudge.testing.strategies import offers

if TYPE_CHECKING:
    from headjudge.boards import Boards
    from headjudge.testing.strategies import Option


def random_choices(batch: Boards, seed: int) -> tuple[Choices, Any]:
    """Draw up to four choices for each board: mostly what is on offer, and now and then anything at all."""
    draw = random.Random(seed)
    rows: list[list[Option]] = [_choices_of(board, draw) for board in batch]
    columns = [columns_of(chosen) for chosen in rows]
    joined = Choices(*(np.concatenate(parts) for parts in zip(*columns, strict=True)))
    return joined, np.concatenate(([0], np.cumsum([len(chosen) for chosen in rows])))


def _choices_of(board: Boards, draw: random.Random) -> list[Option]:
    kinds = [options for options in offers(board) if options]
    objects, players = len(board.objects.zone), len(board.players.life)
    chosen: dict[tuple[int, int], int] = {}
    for _ in range(draw.randrange(5)):
        if kinds and draw.random() < 0.8:
            choice, subject, value = draw.choice(draw.choice(kinds))
        elif objects:
            choice, subject, value = _any_choice(objects, players, draw)
        else:
            continue
        chosen[choice, subject] = value
    return [(*key, value) for key, value in chosen.items()]


def _any_choice(objects: int, players: int, draw: random.Random) -> Option:
    """Draw a choice that names objects, seats and words that there are, and may make no sense otherwise."""
    word = draw.choice(v.CHOICES)
    value = {
        "keep": 0,
        "command_zone": draw.randrange(2),
        "protector": draw.randrange(players),
        "sector": draw.randrange(len(v.SECTORS)),
        "replace": draw.randrange(-2, objects),
        "destination": draw.randrange(len(v.ZONES)),
        "loss_replacement": draw.randrange(objects),
    }[word]
    subject = -1 - draw.randrange(players) if word == "loss_replacement" else draw.randrange(objects)
    return v.CHOICES.index(word), subject, value


def report(batch: Boards, found: dict[int, list[str]], chosen: tuple[Choices, Any] | None = None) -> str:
    """Return the first differences in words, with their boards as scenarios for tests/scenarios/found.yaml."""
    shown = dict(list(found.items())[:3])
    lines = [f"state {i}: {line}" for i, rows in shown.items() for line in rows]
    return "\n".join([f"{len(found)} of {len(batch)} boards differ", *lines, scenarios_of(batch, list(shown), chosen)])


def compare(profile: str, seed: int, count: int, with_choices: bool = False) -> str:
    """Compare generated boards; return what differs, in words."""
    batch = generate(count, seed, profile, threads=1)
    chosen = random_choices(batch, seed) if with_choices else None
    found = differences(batch, chosen, threads=1)
    return report(batch, found, chosen) if found else ""
