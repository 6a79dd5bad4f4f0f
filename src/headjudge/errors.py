"""What can go wrong, in words: what was expected, what was found, where."""

from __future__ import annotations


class HeadjudgeError(Exception):
    """Base of all errors that headjudge raises on purpose."""


class DataError(HeadjudgeError, ValueError):
    """Input that cannot be read: names file or table, row, field, what was expected and what was found."""


class RejectedBoard(HeadjudgeError, ValueError):
    """A board that cannot be judged, where the caller asked to stop at the first (``strict``)."""
