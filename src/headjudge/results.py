"""What comes out of settling: two tables, and the boards afterwards."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from headjudge.kernels.vocabulary import COUNTER_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from headjudge.boards import Boards

WORD: Final = pa.dictionary(pa.int8(), pa.string())
SEATS: Final = pa.list_(pa.int16())

#: One row a state.
RESULTS: Final = pa.schema(
    [
        pa.field("state_id", pa.int64(), nullable=False),
        pa.field("passes", pa.int32(), nullable=False),
        pa.field("actions", pa.int32(), nullable=False),
        pa.field("outcome", WORD, nullable=False),
        pa.field("winners", SEATS, nullable=False),
        pa.field("lost", SEATS, nullable=False),
        pa.field("status", WORD, nullable=False),
        pa.field("reason", pa.string()),
        pa.field("next_step", WORD),
        pa.field("players_get_priority", pa.bool_()),
    ]
)
#: One row an action; null where a field does not apply (objects have no seat, players no zone).
ACTIONS: Final = pa.schema(
    [
        pa.field("state_id", pa.int64(), nullable=False),
        pa.field("pass", pa.int32(), nullable=False),
        pa.field("rule", WORD, nullable=False),
        pa.field("kind", WORD, nullable=False),
        pa.field("object_id", pa.int32()),
        pa.field("seat", pa.int16()),
        pa.field("from_zone", WORD),
        pa.field("to_zone", WORD),
        pa.field("amount", pa.int32()),
        pa.field("replaced_by", WORD),
        pa.field("name", pa.dictionary(pa.int32(), pa.string())),
        pa.field("controller", pa.int16()),
        pa.field("owner", pa.int16()),
        pa.field("power", pa.int64()),
        pa.field("toughness", pa.int64()),
        pa.field("damage", pa.int32()),
        *(pa.field(column, pa.int32()) for column in COUNTER_COLUMNS),
        pa.field("other_counters", pa.string()),  # JSON, kind to count
    ]
)


class Resolution:
    """What became of a batch of boards: `results`, `actions` and, if asked for, the boards `after`.

    `results` (schema `RESULTS`) has one row a state in the order of the batch; `actions` (schema `ACTIONS`) one row an
    action, sorted by state and pass. `after` has the same states in the same order; rejected boards are in it as given
    (with their `problems`; `save` leaves out those that could not be read).
    The tables are made when they are first asked for; what is done to the boards until then does not change them.
    """

    def __init__(
        self,
        results: pa.Table | Callable[[], pa.Table],
        actions: pa.Table | Callable[[], pa.Table],
        after: Boards | None = None,
    ) -> None:
        self._results = results
        self._actions = actions
        self.after = after

    @cached_property
    def results(self) -> pa.Table:
        """The table `results`."""
        return self._results() if callable(self._results) else self._results

    @cached_property
    def actions(self) -> pa.Table:
        """The table `actions`."""
        return self._actions() if callable(self._actions) else self._actions

    def save(self, path: str | Path) -> None:
        """Write a folder with the tables `results`, `actions` and, if there, `after` (a data set)."""
        from headjudge.io import parquet

        parquet.save_resolution(self, path)

    def __repr__(self) -> str:
        from headjudge.wording import counted

        return f"<Resolution: {counted(self.results.num_rows, 'state')}, {counted(self.actions.num_rows, 'action')}>"
