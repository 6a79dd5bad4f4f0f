"""Asking an engine about a batch until every board is answered, or known to be one on which it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from headjudge.boards import Boards
from headjudge.engines.process import DONE
from headjudge.engines.protocol import Answer, Failure, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from headjudge.engines.lines import Told


class Reply(NamedTuple):
    """What one exchange gave: answers and failures by row, and how it ended for the rows that got neither."""

    told: dict[int, Told]
    failed: dict[int, Failure]
    ended: str
    detail: str


def ask_until_answered(rows: Sequence[int], exchange: Callable[[Sequence[int]], Reply]) -> Answer:
    """Return what an engine says, asking anew after each crash and hang until the boards that cause them are found.

    An engine that answers as it goes fails on the first board without an answer: that is asked alone, then the rest.
    One that gave no answer at all is asked for the halves. A board that fails alone is a failure, and so is one that an
    engine passed over which ended well; all are if it did so without any answer.
    """
    told: dict[int, Told] = {}
    failed: dict[int, Failure] = {}
    waiting = [list(rows)] if len(rows) else []
    while waiting:
        asked = waiting.pop()
        reply = exchange(asked)
        told |= reply.told
        failed |= reply.failed
        open_ = [row for row in asked if row not in reply.told and row not in reply.failed]
        passed_over: list[int] = []
        if len(asked) == 1 or (reply.ended == DONE and not told and not failed):
            passed_over, open_ = open_, []
        elif reply.ended == DONE and len(open_) < len(asked):
            last = max(at for at, row in enumerate(asked) if row in reply.told or row in reply.failed)
            passed_over = [row for row in asked[:last] if row in open_]
            open_ = [row for row in asked[last:] if row in open_]
        kind = "garbage" if reply.ended == DONE else reply.ended
        failed |= {row: Failure(row, kind, reply.detail or "no answer") for row in passed_over}
        if not open_:
            continue
        if len(open_) < len(asked):
            waiting += [part for part in (open_[1:], open_[:1]) if part]
        else:
            middle = len(open_) // 2
            waiting += [open_[middle:], open_[:middle]]
    answered = sorted(told)
    return Answer(
        np.array(answered, np.int64),
        Boards.concat([told[row].claimed for row in answered]),
        tuple(failed[row] for row in sorted(failed)),
        tuple(Refusal(row, o) for row in answered for o in told[row].not_offered),
    )
