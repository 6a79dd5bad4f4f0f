"""Forge's ``[state]`` text (``.pzl``), line by line: what came in comes back the same, to the byte.

The format: sections ``[metadata]`` and ``[state]`` of lines ``key=value`` (``[metadata]`` also writes ``key:value``);
``#`` starts a line of comment; keys ignore case. A file without any section is all state.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from headjudge.errors import DataError

STATE: Final = "state"
#: Sections that Forge knows.
SECTIONS: Final = ("metadata", STATE)
#: Lines end as Java reads them.
_LINE: Final = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_SECTION: Final = re.compile(r"\[([^\]]*)\]\s*")


@dataclass(frozen=True)
class Line:
    """A line of a file: as it is, and as ``key=value`` where it is that."""

    number: int
    text: str
    end: str
    #: In lower case; none before the first section of a file that has sections.
    section: str | None
    #: In lower case; None for comments, empty lines, names of sections and what has no ``=``.
    key: str | None = None
    value: str = ""

    def with_value(self, value: str) -> Line:
        """Return the line with another value, its key as written."""
        written = self.text.partition("=")[0]
        return Line(self.number, f"{written}={value}", self.end, self.section, self.key, value)

    @property
    def is_unread(self) -> bool:
        """Whether something stands there that Forge passes over: neither comment nor section nor ``key=value``."""
        plain = self.text.strip()
        return self.key is None and bool(plain) and not plain.startswith("#") and not _SECTION.fullmatch(plain)


@dataclass(frozen=True)
class Document:
    """A file of Forge's, nothing of it lost: ``document.text == text`` for `parse(text)`."""

    lines: tuple[Line, ...]
    origin: str = "state"
    has_mark: bool = False  # it starts with a byte order mark

    @property
    def text(self) -> str:
        """The file again, without its byte order mark."""
        return "".join(line.text + line.end for line in self.lines)

    @property
    def data(self) -> bytes:
        """The file again."""
        return (codecs.BOM_UTF8 if self.has_mark else b"") + self.text.encode()

    @property
    def state(self) -> dict[str, Line]:
        """The lines of the state by their keys.

        Raises
        ------
        DataError
            If a key stands there twice: Forge would take the last, and cards would be lost.
        """
        found: dict[str, Line] = {}
        for line in self.lines:
            if line.section != STATE or line.key is None:
                continue
            if line.key in found:
                raise DataError(
                    f"{self.origin}: line {line.number}: expected {line.key} once, found it on line "
                    f"{found[line.key].number} as well"
                )
            found[line.key] = line
        return found


def parse(text: str, origin: str = "state", *, has_mark: bool = False) -> Document:
    """Cut a text into lines; any text can be cut."""
    pieces = [(m[1], m[2]) for m in _LINE.finditer(text)]
    if pieces and pieces[-1] == ("", ""):
        pieces.pop()
    section = None if any(_SECTION.fullmatch(body) for body, _ in pieces) else STATE
    lines = []
    for number, (body, end) in enumerate(pieces, 1):
        header = _SECTION.fullmatch(body)
        if header:
            section = header[1].strip().lower()
        key, equals, value = body.partition("=")
        stated = equals and not header and not body.startswith("#")
        lines.append(Line(number, body, end, section, key.strip().lower() if stated else None, value if stated else ""))
    return Document(tuple(lines), origin, has_mark)


def read(path: str | Path) -> Document:
    """Read a file.

    Raises
    ------
    DataError
        If it cannot be read or is not UTF-8; names file and line.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    return from_bytes(data, str(path))


def from_bytes(data: bytes, origin: str) -> Document:
    """Read the contents of a file; raises `DataError` like `read`."""
    has_mark = data.startswith(codecs.BOM_UTF8)
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        byte = error.object[error.start]
        raise DataError(f"{origin}: line {line}: expected UTF-8 text, found byte {byte:#04x}") from None
    return parse(text, origin, has_mark=has_mark)
