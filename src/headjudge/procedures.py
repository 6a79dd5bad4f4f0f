"""Procedures on batches of boards: ending the turn, ending the combat phase, the cleanup step.

Each of them has state-based actions to the fixed point inside, and is carried out by what settles boards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headjudge.settling import settle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from headjudge.boards import Boards
    from headjudge.kernels.tables import Choices
    from headjudge.results import Resolution


def end_turn(
    boards: Boards,
    choices: tuple[Choices, NDArray[np.int64]] | None = None,
    threads: int | None = None,
    after: bool = True,
    strict: bool = False,
) -> Resolution:
    """End the turn on every board (CR 724.1).

    Waiting abilities cease, the stack is exiled, state-based actions are performed until none applies, combat is over,
    and the game goes to the cleanup step. The parameters are those of `headjudge.settle`; `results` tell `next_step`
    and whether `players_get_priority` there.
    """
    return settle(boards, choices, threads, after, strict, do="end_turn")


def end_combat_phase(
    boards: Boards,
    choices: tuple[Choices, NDArray[np.int64]] | None = None,
    threads: int | None = None,
    after: bool = True,
    strict: bool = False,
) -> Resolution:
    """End the combat phase on every board (CR 724.2); boards in another phase stay as they are.

    As `end_turn` does, but the game goes to the next phase that is not skipped.
    """
    return settle(boards, choices, threads, after, strict, do="end_combat_phase")


def cleanup(
    boards: Boards,
    choices: tuple[Choices, NDArray[np.int64]] | None = None,
    threads: int | None = None,
    after: bool = True,
    strict: bool = False,
) -> Resolution:
    """Carry out the cleanup step on every board, from after the discarding on (CR 514.2, 514.3a).

    Damage and what lasts until end of turn end in one moment, then state-based actions are performed until none
    applies. `players_get_priority` tells whether anything was performed or waits, so that another cleanup step follows.
    """
    return settle(boards, choices, threads, after, strict, do="cleanup")
