"""Any program as an engine: boards go out and come back as JSON lines, or as the folders of data sets."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from headjudge.engines.asking import Reply, ask_until_answered
from headjudge.engines.lines import Told
from headjudge.engines.process import CRASH, DONE, TIME_LIMIT, Running
from headjudge.engines.protocol import Answer, Failure
from headjudge.engines.speaking import SpeakingEngine
from headjudge.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headjudge.boards import Boards
    from headjudge.io.board_records import BoardRecord

#: Words of a command that stand for the folder with the boards, and for the one to be written.
BOARDS, ANSWER = "{boards}", "{answer}"
#: Seconds for a batch.
DEFAULT_LIMIT: Final = 60.0


class CommandEngine(SpeakingEngine):
    """A program that reads boards and writes what becomes of them.

    Without placeholders the program reads JSON lines and writes JSON lines (docs/engines.md). If ``{boards}`` and
    ``{answer}`` stand in its arguments, they become the folder of a data set with the boards, and the folder where the
    program is to write one with the same states.
    """

    def __init__(self, command: Sequence[str], *, limit: float | None = None, name: str | None = None) -> None:
        limit = DEFAULT_LIMIT if limit is None else limit
        super().__init__(command, limit=limit)
        self.name = name or Path(command[0]).name
        self._command = list(command)
        self._limit = limit
        placeholders = [word for word in (BOARDS, ANSWER) if any(word in part for part in command)]
        if len(placeholders) == 1:
            raise DataError(f"engine: expected {BOARDS} and {ANSWER} in the command, found only {placeholders[0]}")
        self._folders = bool(placeholders)

    def check(self, boards: Boards, records: Sequence[BoardRecord] | None = None) -> Answer:
        """Ask the program."""
        if not self._folders:
            return super().check(boards, records)
        if len(np.unique(boards.states.state_id)) < len(boards):
            raise DataError("engine: expected each state_id once, where boards are sent as a data set")
        return ask_until_answered(range(len(boards)), lambda rows: self._exchange(boards[list(rows)], rows))

    def _exchange(self, boards: Boards, rows: Sequence[int]) -> Reply:
        with tempfile.TemporaryDirectory(prefix="headjudge-") as folder:
            sent, answer = Path(folder, "boards"), Path(folder, "answer")
            boards.save(sent)
            command = [part.replace(BOARDS, str(sent)).replace(ANSWER, str(answer)) for part in self._command]
            ended, detail = self._run(command)
            if ended != DONE:
                return Reply({}, {}, ended, detail)
            try:
                return Reply(self._read(answer, boards, rows), {}, DONE, "no answer for this state_id")
            except DataError as error:
                failed = {row: Failure(row, "garbage", str(error).replace(folder, "")) for row in rows}
                return Reply({}, failed, DONE, "")

    def _run(self, command: Sequence[str]) -> tuple[str, str]:
        running = Running(command)
        try:
            running.send([], close=True)
            code = running.wait(self._limit)
            if code is None:
                return TIME_LIMIT, f"still running after {self._limit:g} s"
            return (CRASH, running.last_words(code)) if code else (DONE, "")
        finally:
            running.kill()

    @staticmethod
    def _read(answer: Path, boards: Boards, rows: Sequence[int]) -> dict[int, Told]:
        from headjudge.io.parquet import load

        claimed = load(answer)
        row_of = {state_id: at for at, state_id in enumerate(claimed.states.state_id.tolist())}
        return {
            row: Told(claimed[row_of[state_id]])
            for row, state_id in zip(rows, boards.states.state_id.tolist(), strict=True)
            if state_id in row_of
        }
