"""What an engine must offer to be judged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np

from headjudge.io.board_records import record_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from numpy.typing import NDArray

    from headjudge.boards import Boards
    from headjudge.io.board_records import BoardRecord

#: How an engine can fail on a board.
FAILURES: Final = ("crash", "time_limit", "garbage", "error")


class Failure(NamedTuple):
    """A board on which an engine gave no answer."""

    row: int  # of the batch
    kind: str  # of FAILURES; `error`: the engine itself says that it cannot
    detail: str


class Refusal(NamedTuple):
    """A choice that an engine was asked to make and did not have on offer."""

    row: int  # of the batch
    object: int  # row within the state: the object that was to be kept


@dataclass(frozen=True)
class Answer:
    """What an engine says became of a batch of boards."""

    #: Rows of the batch that it answered, ascending.
    rows: NDArray[np.int64]
    #: Those boards afterwards, with the same states and objects; what ceased to exist is in zone `none`.
    claimed: Boards
    failures: tuple[Failure, ...] = ()
    refusals: tuple[Refusal, ...] = ()


class Engine(Protocol):
    """An engine that can be asked what becomes of boards."""

    #: By which findings call it.
    name: str
    #: What it reports: names of `headjudge.claims.OBJECT_FIELDS` and `PLAYER_FIELDS`. Nothing else is judged.
    fields: frozenset[str]
    #: Whether it carries out one check only, rather than repeating it until nothing is performed (CR 704.3).
    one_pass: bool

    def strip(self, record: BoardRecord) -> tuple[BoardRecord | None, Counter[str]]:
        """Return a board without what the engine cannot express, and what was left out, counted.

        None if nothing is left that could be asked. A board that the engine can express comes back with nothing
        counted.
        """

    def check(self, boards: Boards, records: Sequence[BoardRecord] | None = None) -> Answer:
        """Ask for the boards after all state-based actions; `records` are the same boards, where the caller has them.

        Crashes, hangs and garbage are failures, not exceptions.
        """

    def close(self) -> None:
        """End what was started."""

    def __enter__(self) -> Engine: ...

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None: ...


def expressible(engine: Engine, boards: Boards) -> tuple[NDArray[np.bool_], Counter[str]]:
    """Return which boards an engine can express as they are, and what the others say that it cannot, counted."""
    mask = np.zeros(len(boards), np.bool_)
    reasons: Counter[str] = Counter()
    for row in range(len(boards)):
        _, left_out = engine.strip(record_of(boards, row))
        mask[row] = not left_out
        reasons.update(left_out)
    return mask, reasons
