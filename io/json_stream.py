"""Large JSON files, an entry at a time: card data comes as one list or mapping of tens of thousands of entries."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from headjudge.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Characters read at a time: many entries, little memory.
_CHUNK: Final = 1 << 20
_SPACE: Final = " \t\n\r"
#: What may follow a number; anything else may be the rest of it.
_AFTER_NUMBER: Final = (*_SPACE, ",", "]", "}")
_CLOSERS: Final = {"[": "]", "{": "}"}


def entries(path: Path) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the entries of a file with the keys above each, without ever holding more than one of them.

    An entry is what stands in the outermost list or mapping; the mapping under an outermost key ``data`` is gone
    through in turn. ``[{...}, {...}]`` gives ``((), {...})`` twice, ``{"meta": 1, "data": {"a": 2}}`` gives
    ``(("meta",), 1)`` and ``(("data", "a"), 2)``.

    Raises
    ------
    DataError
        If the file cannot be read, is not UTF-8 or no JSON; names the file and the character.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from _Reader(path, file).document()
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: expected UTF-8 text: {error.reason} at byte {error.start} of a part") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None


class _Reader:
    """A window on the text of a file that moves on with what has been read."""

    def __init__(self, path: Path, file: Any) -> None:
        self._path = path
        self._file = file
        self._text = ""
        self._at = 0
        self._before = 0  # characters that have left the window
        self._decode = json.JSONDecoder().raw_decode

    def document(self) -> Iterator[tuple[tuple[str, ...], Any]]:
        if self._peek() not in _CLOSERS:
            self._fail("a list or mapping of cards")
        yield from self._inside(())
        if self._peek():
            self._fail("the end of the file")

    def _inside(self, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
        opener = self._peek()
        closer = _CLOSERS[opener]
        self._at += 1
        if self._peek() == closer:
            self._at += 1
            return
        while True:
            here = keys
            if opener == "{":
                key = self._value()
                if not isinstance(key, str):
                    self._fail("a key")
                self._expect(":")
                here = (*keys, key)
            if here == ("data",) and self._peek() == "{":
                yield from self._inside(here)
            else:
                yield here, self._value()
            if self._peek() == closer:
                self._at += 1
                return
            self._expect(",")

    def _value(self) -> Any:
        """Read one value; a number must not end where the window does, for more of it may follow."""
        self._peek()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except json.JSONDecodeError:
                if not self._more():
                    self._fail("JSON")
            except RecursionError:
                self._fail("JSON that is not nested that deeply")
            else:
                is_whole = self._text[end : end + 1] in _AFTER_NUMBER if isinstance(value, (int, float)) else True
                if (is_whole and end < len(self._text)) or not self._more():
                    self._at = end
                    return value

    def _peek(self) -> str:
        """Return the next character that is no space, or nothing at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _expect(self, character: str) -> None:
        if self._peek() != character:
            self._fail(repr(character))
        self._at += 1

    def _more(self) -> bool:
        chunk = self._file.read(max(_CHUNK, len(self._text) - self._at))
        self._before += self._at
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return bool(chunk)

    def _fail(self, expected: str) -> None:
        found = self._text[self._at : self._at + 20]
        raise DataError(
            f"{self._path}: character {self._before + self._at + 1}: expected {expected}, "
            f"found {f'{found!r}' if found else 'the end of the file'}"
        )
