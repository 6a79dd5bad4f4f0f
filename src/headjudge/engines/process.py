"""A program that is sent lines and answers lines, and that may crash, hang or speak garbage."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, Final

from headjudge.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: How an exchange can end.
DONE, CRASH, TIME_LIMIT = "done", "crash", "time_limit"
#: Characters of a message that a failure keeps.
_MOST_KEPT: Final = 300


@dataclass
class Heard:
    """What came back for a number of lines."""

    #: Answers by the id of their board.
    answers: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    #: Lines that are no answers, and why.
    garbage: list[str] = field(default_factory=list)
    ended: str = DONE
    detail: str = ""


def _number(text: str) -> int | float:
    """Return a number with a point or an exponent: a whole one is as good as one without."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; `DataError` if the last of several equal keys would win."""
    read = dict(pairs)
    if len(read) < len(pairs):
        keys = [key for key, _ in pairs]
        raise DataError(f"{next(key for key in keys if keys.count(key) > 1)!r} stands twice in one mapping")
    return read


class LineProcess:
    """A program that reads boards as lines and writes answers as lines.

    One that is kept alive answers each line as it comes, and is given `limit` seconds for each; any other is started
    for every exchange, reads until its input ends, and is given `limit` seconds for all.
    """

    def __init__(self, command: Sequence[str], *, limit: float, keep_alive: bool = False) -> None:
        self._command = list(command)
        self._limit = limit
        self._keep_alive = keep_alive
        self._running: Running | None = None

    def ask(self, lines: Mapping[int, str]) -> Heard:
        """Send lines (by the id of their board) and wait for the answers."""
        running, self._running = self._running, None
        try:
            running = running or Running(self._command)
            heard = self._exchange(running, lines)
        except BaseException:  # Ctrl-C
            if running is not None:
                running.kill()
            raise
        if self._keep_alive and heard.ended == DONE:
            self._running = running
        else:
            running.kill()
        return heard

    def _exchange(self, running: Running, lines: Mapping[int, str]) -> Heard:
        heard = Heard()
        running.send(lines.values(), close=not self._keep_alive)
        deadline = time.monotonic() + self._limit
        while not (self._keep_alive and len(heard.answers) == len(lines)):
            try:
                line = running.lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                heard.ended, heard.detail = TIME_LIMIT, f"no answer within {self._limit:g} s"
                break
            if line is None:
                self._ended(running, heard, deadline)
                break
            self._hear(line, lines, heard)
            if self._keep_alive:
                deadline = time.monotonic() + self._limit
        return heard

    @staticmethod
    def _hear(line: str, lines: Mapping[int, str], heard: Heard) -> None:
        answer: Any = None
        why = "no answer to a board"
        try:
            answer = json.loads(line, parse_float=_number, object_pairs_hook=_mapping)
        except RecursionError:
            why = "nested too deep"
        except ValueError as error:
            why = str(error)
        state_id = answer.get("state_id") if isinstance(answer, dict) else None
        if type(state_id) is int and state_id in lines and state_id not in heard.answers:
            heard.answers[state_id] = answer
        elif line.strip():
            heard.garbage.append(f"{why[:_MOST_KEPT]}: {line.strip()[:_MOST_KEPT]}")

    def _ended(self, running: Running, heard: Heard, deadline: float) -> None:
        """Say how a program that closed its output ended."""
        code = running.wait(max(0.1, deadline - time.monotonic()))
        if code is None:
            heard.ended, heard.detail = TIME_LIMIT, f"still running {self._limit:g} s after the start"
        elif code or self._keep_alive:
            heard.ended, heard.detail = CRASH, running.last_words(code)

    def close(self) -> None:
        """End the program."""
        if self._running is not None:
            self._running.kill()
            self._running = None


class Running:
    """A program that runs, its output in a queue, line by line; None is the end."""

    def __init__(self, command: Sequence[str]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `kill`)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise DataError(f"engine: {command[0]} cannot be run: {error.strerror}") from None
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._threads = [Thread(target=self._read, daemon=True)]
        self._threads[0].start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self._process.stdout:
                self.lines.put(line)
        self.lines.put(None)

    def send(self, lines: Any, *, close: bool) -> None:
        """Write lines without waiting for the program to read them."""
        thread = Thread(target=self._write, args=(list(lines), close), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _write(self, lines: list[str], close: bool) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        # Whoever ended early, or was ended, does not read on.
        with contextlib.suppress(ValueError, OSError):
            for line in lines:
                stdin.write(line + "\n")
            stdin.flush()
        if close:
            with contextlib.suppress(ValueError, OSError):
                stdin.close()

    def wait(self, seconds: float) -> int | None:
        """Return the exit status, or None if it still runs."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def last_words(self, code: int) -> str:
        """Return how the program ended: status or signal, and the last line that it wrote to standard error."""
        try:
            how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        except ValueError:
            how = f"signal {-code}"
        self._errors.seek(0)
        words = [line for line in self._errors.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return f"{how}: {words[-1].strip()}"[:_MOST_KEPT] if words else how

    def kill(self) -> None:
        """End the program and everything that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for thread in self._threads:
            thread.join(timeout=5)
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            with contextlib.suppress(ValueError, OSError):
                if stream is not None:
                    stream.close()
