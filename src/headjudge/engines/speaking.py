"""Engines behind a program that speaks JSON lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Self

import numpy as np

from headjudge import claims
from headjudge.engines.asking import Reply, ask_until_answered
from headjudge.engines.lines import EngineError, Told, board_line, handles_of_ids, read_answer
from headjudge.engines.process import LineProcess
from headjudge.engines.protocol import Answer, Failure
from headjudge.errors import DataError
from headjudge.io.board_records import record_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headjudge.boards import Boards
    from headjudge.io.board_records import BoardRecord


class SpeakingEngine:
    """An engine behind a program that speaks JSON lines."""

    name = "command"
    fields = frozenset((*claims.OBJECT_FIELDS, *claims.PLAYER_FIELDS))
    one_pass = False
    #: Whether it is told which of several legends to keep, and says so if that was not on offer.
    takes_choices = False

    def __init__(self, command: Sequence[str], *, limit: float, keep_alive: bool = False) -> None:
        self._process = LineProcess(command, limit=limit, keep_alive=keep_alive)

    def strip(self, record: BoardRecord) -> tuple[BoardRecord | None, Counter[str]]:
        """Return the board as it is: JSON lines can say everything."""
        return record, Counter()

    def check(self, boards: Boards, records: Sequence[BoardRecord] | None = None) -> Answer:
        """Ask the program."""
        records = records or [record_of(boards, row) for row in range(len(boards))]
        ids = boards.states.state_id
        if len(np.unique(ids)) < len(ids):
            ids = np.arange(len(ids))

        def exchange(rows: Sequence[int]) -> Reply:
            row_of = {int(ids[row]): row for row in rows}
            lines = {
                state_id: board_line(records[row], handles_of_ids(boards, row), state_id, self._keep(records[row], row))
                for state_id, row in row_of.items()
            }
            heard = self._process.ask(lines)
            told: dict[int, Told] = {}
            failed: dict[int, Failure] = {}
            for state_id, answer in heard.answers.items():
                row = row_of[state_id]
                try:
                    told[row] = read_answer(answer, boards, row, records[row])
                except DataError as error:
                    failed[row] = Failure(row, "garbage", str(error))
                except EngineError as error:
                    failed[row] = Failure(row, "error", str(error))
            return Reply(told, failed, heard.ended, heard.detail or next(iter(heard.garbage), ""))

        return ask_until_answered(range(len(boards)), exchange)

    def _keep(self, record: BoardRecord, row: int) -> tuple[int, ...]:
        return legends_to_keep(record) if self.takes_choices else ()

    def close(self) -> None:
        """End the program."""
        self._process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def legends_to_keep(record: BoardRecord) -> tuple[int, ...]:
    """Return the legend to be kept of each group that the legend rule may see: the most endangered one.

    Any may be kept (CR 704.5j), one that is about to die as well; engines that forget so show it here.
    """
    groups: dict[tuple[str, int], list[int]] = {}
    for row, o in enumerate(record.objects):
        if o["zone"] == "battlefield" and "legendary" in o["supertypes"] and o["name"] and not o["phased_out"]:
            groups.setdefault((o["name"], o["controller"]), []).append(row)
    return tuple(max(rows, key=lambda row: _danger(record, row)) for rows in groups.values() if len(rows) > 1)


def _danger(record: BoardRecord, row: int) -> tuple[int, int]:
    """Return how likely an object is to die, and its age as a tie-break."""
    o = record.objects[row]
    counters = dict(o["counters"])
    toughness = (o["toughness"] or 0) + counters.get("+1/+1", 0) - counters.get("-1/-1", 0)
    dying = "creature" in o["types"] and (toughness <= o["damage"] or o["deathtouch_damage"])
    dying = dying or ("planeswalker" in o["types"] and not counters.get("loyalty"))
    return int(dying), -row
