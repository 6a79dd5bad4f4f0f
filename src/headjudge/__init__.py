"""headjudge: a high-throughput batch verifier for the state-based actions of Magic: The Gathering.

`load` or `generate` a batch of `Boards`, `settle` it (or `end_turn`, `end_combat_phase`, `cleanup`), and read the
`Resolution`. What needs numba or pyarrow is imported when it is first used, so that ``import headjudge`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from headjudge.errors import DataError, HeadjudgeError, RejectedBoard
from headjudge.kernels.catalogue import RULES as rules  # noqa: N811 - here it is a collection rather than a setting
from headjudge.kernels.catalogue import RULES_VERSION

if TYPE_CHECKING:
    from headjudge.boards import Boards
    from headjudge.generating import generate
    from headjudge.io.parquet import load
    from headjudge.procedures import cleanup, end_combat_phase, end_turn
    from headjudge.results import Resolution
    from headjudge.settling import settle, settle_arrow
    from headjudge.verifying import Verification, verify
else:
    from importlib import import_module

    _HOMES: Final = {
        "Boards": "headjudge.boards",
        "Resolution": "headjudge.results",
        "Verification": "headjudge.verifying",
        "cleanup": "headjudge.procedures",
        "end_combat_phase": "headjudge.procedures",
        "end_turn": "headjudge.procedures",
        "generate": "headjudge.generating",
        "load": "headjudge.io.parquet",
        "settle": "headjudge.settling",
        "settle_arrow": "headjudge.settling",
        "verify": "headjudge.verifying",
    }

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value = getattr(import_module(_HOMES[name]), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


__version__: Final = "0.1.0"
__all__ = [
    "RULES_VERSION",
    "Boards",
    "DataError",
    "HeadjudgeError",
    "RejectedBoard",
    "Resolution",
    "Verification",
    "__version__",
    "cleanup",
    "end_combat_phase",
    "end_turn",
    "generate",
    "load",
    "rules",
    "settle",
    "settle_arrow",
    "verify",
]
