"""NumPy arrays over memory that something else owns.

numba compiles everything a second time for arrays that are read-only. So columns say that they may be written to:
headjudge never writes to columns that it is given, but in place where that is asked for and they are not read-only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _Memory:
    """Some memory, as NumPy asks for it."""

    def __init__(self, address: int, length: int, dtype: np.dtype[Any], owner: object) -> None:
        self._owner = owner  # keeps the memory alive
        self.__array_interface__ = {"data": (address, False), "shape": (length,), "typestr": dtype.str, "version": 3}


def column_at(address: int, length: int, dtype: np.dtype[Any], owner: object) -> NDArray[Any]:
    """Return a column over memory that `owner` keeps alive."""
    column: NDArray[Any] = np.asarray(_Memory(address, length, dtype, owner))
    return column


def as_writeable(column: NDArray[Any]) -> NDArray[Any]:
    """Return a contiguous column as compiled functions take it: over the same memory if it is read-only."""
    return column if column.flags.writeable else column_at(column.ctypes.data, len(column), column.dtype, column)
