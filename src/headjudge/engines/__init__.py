"""Other engines that can be questioned: a protocol, an adapter for any command, and adapters for two engines.

`open_engine` makes one by its name; the extra ``engines`` installs the engines behind `phase` and `mtg`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from headjudge.engines.protocol import Answer, Engine, Failure, expressible
from headjudge.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The names that `open_engine` knows.
ENGINES: Final = ("phase", "mtg", "command")
#: Seconds that an engine may be given at most.
LONGEST: Final = 1_000_000

__all__ = ["ENGINES", "Answer", "Engine", "Failure", "expressible", "open_engine"]


def open_engine(name: str, *, command: Sequence[str] | None = None, limit: float | None = None) -> Engine:
    """Return an engine by its name; close it when done (it is a context manager).

    Parameters
    ----------
    name
        ``phase`` or ``mtg`` (of the extra `engines`), or ``command``: any program that speaks JSON lines.
    command
        For ``command``: the program and its arguments.
    limit
        Seconds that the engine may take for a batch of boards; by default what suits the engine.

    Raises
    ------
    DataError
        For an unknown name, a missing command, a limit that is none, or an engine that is not installed (says which
        extra to install).
    """
    if name not in ENGINES:
        raise DataError(f"engine: expected one of {', '.join(ENGINES)}, found {name!r}")
    if (name == "command") != bool(command):
        raise DataError("engine: `command` needs the command to run, and no other engine takes one")
    if limit is not None and not 0 < limit <= LONGEST:
        raise DataError(f"limit: expected seconds above 0 and up to {LONGEST:,}, found {limit:g}")
    if name == "phase":
        from headjudge.engines.phase import PhaseEngine

        return PhaseEngine(limit)
    if name == "mtg":
        from headjudge.engines.mtg import MtgEngine

        return MtgEngine(limit)
    from headjudge.engines.command import CommandEngine

    assert command is not None
    return CommandEngine(command, limit=limit)
