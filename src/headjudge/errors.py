"""What can go wrong, in words: what was expected, what was found, where."""

from __future__ import annotations

import re
from typing import Final

_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def one_line(text: str) -> str:
    """Return text with line breaks and other control characters escaped: names may hold any."""
    return _BREAKS.sub(lambda found: repr(found[0])[1:-1], text)


class HeadjudgeError(Exception):
    """Base of all errors that headjudge raises on purpose: one line each."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class DataError(HeadjudgeError, ValueError):
    """Input that cannot be read: names file or table, row, field, what was expected and what was found."""


class OutputError(HeadjudgeError, OSError):
    """Output that cannot be written: names the file or folder, and why."""


class RejectedBoard(HeadjudgeError, ValueError):
    """A board that cannot be judged, where the caller asked to stop at the first (``strict``)."""


def check_type(name: str, found: object, fits: bool, expected: str) -> None:
    """Raise `TypeError` for an argument that is of another type than what is `expected`."""
    if not fits:
        raise TypeError(f"{name}: expected {expected}, found {type(found).__name__}")


def row_sentence(table: str, row: int, state_id: int, key: str, message: str) -> str:
    """Return why a board is rejected: `row` counts within the state, `key` is the id by which users know it."""
    if table == "states":
        return f"states, state_id {state_id}, {message}"
    return f"{table} row {row} of state_id {state_id}{f' ({key})' if key else ''}, {message}"
