"""Checksums of whole Parquet files: those of the format cover the contents of pages, but no header and no footer.

A seal stands between the last column and the footer, where every reader passes over it: Parquet is found from its end,
and what a footer points to is counted from the start. A tool that writes the file anew leaves the seal out.
"""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from headjudge.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

_WORDS: Final = b"headjudge seal 1"
#: The words; the checksum of all bytes before the seal, and of all bytes after it.
_SEAL: Final = struct.Struct(f"<{len(_WORDS)}sII")
#: The length of the footer, and the word with which a Parquet file ends.
_END: Final = struct.Struct("<I4s")
_MAGIC: Final = b"PAR1"
#: So many bytes of the words are enough to tell that a seal was there.
_ENOUGH: Final = 8
_BLOCK: Final = 1 << 20


class Seal(NamedTuple):
    """What stands in the seal of a file."""

    body: int
    footer: int


def seal(path: Path) -> None:
    """Put the seal into a Parquet file that was just written."""
    with path.open("r+b") as file:
        start, footer = _footer(file, path)
        body = _checksum(file, start)
        file.seek(start)
        file.write(_SEAL.pack(_WORDS, body, zlib.crc32(footer)) + footer)


def check_footer(path: Path) -> Seal | None:
    """Return the seal of a file, None if it has none; `DataError` if the footer is not what was sealed."""
    with path.open("rb") as file:
        start, footer = _footer(file, path)
        if start < _SEAL.size:
            return None
        file.seek(start - _SEAL.size)
        words, *sums = _SEAL.unpack(file.read(_SEAL.size))
    if sum(found == expected for found, expected in zip(words, _WORDS, strict=True)) < _ENOUGH:
        return None
    found = Seal(*sums)
    if words != _WORDS or zlib.crc32(footer) != found.footer:
        raise _damaged(path)
    return found


def check_body(path: Path, expected: Seal) -> None:
    """Raise `DataError` if what stands before the seal is not what was sealed; each state of a file is read once."""
    status = path.stat()
    _check_body(path, expected, status.st_size, status.st_mtime_ns)


@lru_cache(1 << 16)
def _check_body(path: Path, expected: Seal, size: int, mtime: int) -> None:
    with path.open("rb") as file:
        start, _ = _footer(file, path)
        if _checksum(file, start - _SEAL.size) != expected.body:
            raise _damaged(path)


def footer_checksum(path: Path) -> int:
    """Return a checksum of the footer and, where there is one, of the seal before it."""
    with path.open("rb") as file:
        start, footer = _footer(file, path)
        file.seek(max(start - _SEAL.size, 0))
        return zlib.crc32(file.read(min(start, _SEAL.size)) + footer)


def _footer(file: BinaryIO, path: Path) -> tuple[int, bytes]:
    """Return where the footer starts, and the bytes from there to the end."""
    size = file.seek(0, 2)
    file.seek(max(size - _END.size, 0))
    end = file.read(_END.size)
    length, word = _END.unpack(end) if len(end) == _END.size else (0, b"")
    start = size - _END.size - length
    if word != _MAGIC or start < len(_MAGIC):
        raise DataError(f"{path}: expected a Parquet file, found one that does not end like one; is it cut off?")
    file.seek(start)
    return start, file.read()


def _checksum(file: BinaryIO, end: int) -> int:
    """Return the checksum of the bytes up to `end`."""
    found = 0
    file.seek(0)
    for start in range(0, end, _BLOCK):
        found = zlib.crc32(file.read(min(_BLOCK, end - start)), found)
    return found


def _damaged(path: Path) -> DataError:
    return DataError(f"{path}: expected the bytes that were written, found others: the file is damaged")
