"""The oracle: state-based actions written from the rules, slow and obvious, sharing no code with what it judges."""

from typing import Any

from oracle import procedures
from oracle.board import Rejected
from oracle.parse import Reader, read_choices
from oracle.settling import Settling

__all__ = ["Rejected", "run", "settle"]

_WHAT_TO_DO = {
    "settle": Settling.settle,
    "end_turn": procedures.end_turn,
    "end_combat_phase": procedures.end_combat_phase,
    "cleanup": procedures.cleanup,
}


def run(given: dict[str, Any], choices: dict[str, Any] | None = None, do: str = "settle") -> Settling:
    """Read a given state, carry out what is to be done, and return the board with its record."""
    if do not in _WHAT_TO_DO:
        raise Rejected(f"do: unknown word {do!r}")
    board = Reader(given).board()
    settling = Settling(board, read_choices(choices, board))
    _WHAT_TO_DO[do](settling)
    return settling


def settle(given: dict[str, Any], choices: dict[str, Any] | None = None, do: str = "settle") -> dict[str, Any]:
    """Return the full result of a given state, as `scenarios/README.md` describes it, and the rows of the record."""
    return run(given, choices, do).result()
