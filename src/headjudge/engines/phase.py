"""phase.rs, by its bindings phase-python: what it can express, and the program that talks to it."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from headjudge.engines.speaking import SpeakingEngine
from headjudge.engines.stripping import Stripping
from headjudge.errors import DataError

if TYPE_CHECKING:
    from collections import Counter

    from headjudge.io.board_records import BoardRecord

#: Seconds for one board; a check takes thousandths, the start on a busy machine many thousands as long.
DEFAULT_LIMIT: Final = 120.0


def require(module: str, what: str) -> None:
    """Raise `DataError` if an engine is not installed."""
    if find_spec(module) is None:
        raise DataError(f"engine: {what} is not installed; in a checkout: pip install '.[engines]'")


class PhaseEngine(SpeakingEngine):
    """phase.rs in a process of its own, fed with cards whose texts say what the objects and effects of a board do."""

    name = "phase"
    fields = frozenset(
        (
            "zone", "controller", "attached_to", "damage", "counters", "tapped", "protector", "deathtouch_damage",
            "lost", "life", "poison", "speed", "drew_from_empty", "designations",
        )
    )  # fmt: skip
    takes_choices = True

    def __init__(self, limit: float | None = None) -> None:
        require("phase", "phase-python")
        command = [sys.executable, "-m", "headjudge.engines.phase_worker"]
        super().__init__(command, limit=DEFAULT_LIMIT if limit is None else limit, keep_alive=True)

    def strip(self, record: BoardRecord) -> tuple[BoardRecord | None, Counter[str]]:
        """Return a board without what phase cannot express, and what was left out, counted."""
        return Stripping(record).done()
