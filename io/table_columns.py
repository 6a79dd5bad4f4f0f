"""Columns of Arrow tables as NumPy columns: whatever the width and encoding, in the order of states, faults noted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headjudge.boards import Problem
from headjudge.errors import DataError, row_sentence
from headjudge.io.table_schema import is_list
from headjudge.memory import column_at

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

Value = TypeVar("Value")
#: How a text of a column is understood; raises `DataError` with a message that begins with the column.
Parse = Callable[[str], Value]
#: Up to this every whole number is a floating one.
_EXACT: Final = 2.0**53
#: No reason quotes more than this of what was found.
_LONG: Final = 1_000
#: In place of a list with a null in it: a set with empty words, which no column takes.
_NULL_WORD: Final = ","


class Reasons:
    """Why states cannot be judged: the first fault of each."""

    def __init__(self, state_id: NDArray[np.int64]) -> None:
        self._state_id = state_id
        self._reasons: dict[int, str] = {}

    def add(self, state: int, table: str, row: int, key: str, message: str) -> None:
        """Note a fault in a row of a state."""
        if state not in self._reasons:
            if len(message) > _LONG:
                message = f"{message[:_LONG]} ..."
            self._reasons[state] = row_sentence(table, row, int(self._state_id[state]), key, message)

    def problems(self) -> list[Problem]:
        """Return what was noted, by state."""
        return [Problem(state, reason) for state, reason in sorted(self._reasons.items())]


class Rows:
    """The rows of one table, sorted by state: its columns as arrays.

    Faults of values are noted in `reasons`, and a default stands in for them.
    """

    def __init__(self, name: str, table: pa.Table, state_id: NDArray[np.int64], reasons: Reasons) -> None:
        """Sort the rows; `state_id` are those of the table `states`, sorted."""
        self.name = name
        self._table = table
        self._reasons = reasons
        own = keys(name, table, "state_id")
        self._order = sort_order(own)
        #: First row of each state.
        self.start = _starts(name, own, self._order, state_id)
        #: The columns by which users know a row, for messages.
        self._key: tuple[str, NDArray[Any]] | None = None

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __contains__(self, column: str) -> bool:
        """Whether the column is there and says anything."""
        return column in self._table.column_names and self._table.column(column).null_count < len(self)

    @cached_property
    def state(self) -> NDArray[np.int32]:
        """The row of each row's state."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), np.diff(self.start))

    @cached_property
    def within(self) -> NDArray[np.int32]:
        """The row of each row within its state."""
        first = np.repeat(self.start[:-1].astype(np.int32), np.diff(self.start))
        return np.arange(len(self), dtype=np.int32) - first

    def sort_within(self, minor: str) -> None:
        """Sort the rows of each state by a column of keys, unless they already stand in the order 0, 1, 2..."""
        values = self._sorted(keys(self.name, self._table, minor))
        if not np.array_equal(values, self.within):
            order = np.lexsort((values, self.state))
            self._order = order if self._order is None else self._order[order]

    def known_by(self, column: str) -> NDArray[np.int64]:
        """Return a column of keys, by which messages name the rows from now on."""
        values = self._sorted(keys(self.name, self._table, column))
        self._key = (column, values)
        return values

    def fault(self, rows: NDArray[np.int64], message: Callable[[int], str]) -> None:
        """Note faults in rows, given in rising order."""
        states = self.state[rows]
        first = np.flatnonzero(np.append(True, states[1:] != states[:-1])) if len(rows) else rows
        for row, state in zip(rows[first].tolist(), states[first].tolist(), strict=True):
            key = f"{self._key[0]} {self._key[1][row]}" if self._key else ""
            self._reasons.add(state, self.name, row - int(self.start[state]), key, message(row))

    def _sorted(self, column: NDArray[Any]) -> NDArray[Any]:
        return column if self._order is None else column[self._order]

    def numbers_and_nulls(self, column: str) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """Return the whole numbers of a column in their own width, and where they are null (None: nowhere)."""
        if column not in self:
            return np.zeros(len(self), np.int8), np.ones(len(self), np.bool_)
        values, nulls = _numbers(self.name, self._table, column)
        return self._sorted(values), None if nulls is None else self._sorted(nulls)

    def numbers(
        self, column: str, dtype: DTypeLike, low: int, high: int, default: int | NDArray[Any] | None
    ) -> NDArray[Any]:
        """Return whole numbers from `low` to `high`; null is the default, or a fault if there is none."""
        if column not in self and default is not None:
            return np.full(len(self), default, dtype)
        values, nulls = self.numbers_and_nulls(column)
        if nulls is None and len(self) and low <= values.min() and values.max() <= high:
            return values.astype(dtype, copy=False)
        outside = (values < low) | (values > high)
        if nulls is not None:
            outside &= ~nulls
        self.fault(
            np.flatnonzero(outside),
            lambda row: f"{column}: expected a number from {low} to {high}, found {values[row]}",
        )
        if nulls is not None:
            if default is None:
                self.fault(np.flatnonzero(nulls), lambda row: f"{column}: expected a number, found null")
            outside |= nulls
        numbers = values.astype(dtype)
        fallback = low if default is None else default
        numbers[outside] = fallback[outside] if isinstance(fallback, np.ndarray) else fallback
        return numbers

    def flags(self, bits: Sequence[str], on: Sequence[str], dtype: DTypeLike) -> NDArray[Any]:
        """Return boolean columns as the bits of one; those in `on` are true by default."""
        flags = np.zeros(len(self), dtype)
        everywhere = 0
        for i, column in enumerate(bits):
            by_default = column in on
            values = self._table.column(column) if column in self else None
            if values is None or not any(c.false_count if by_default else c.true_count for c in values.chunks):
                everywhere |= by_default << i
            else:
                stated = self._sorted(pc.fill_null(values, by_default).to_numpy())
                flags |= stated.view(np.uint8).astype(dtype) << np.asarray(i, dtype)
        flags |= np.asarray(everywhere, dtype)
        return flags

    def texts(self, column: str, parse: Parse[Value], default: Value) -> tuple[NDArray[Any], list[Value]]:
        """Return a number for each row, and what each number means; the last one is the default, which null means too.

        The faults of texts that cannot be understood are noted, and they mean the default.
        """
        if column not in self:
            return np.zeros(len(self), np.int8), [default]
        given = self._table.column(column)
        if pa.types.is_floating(given.type):
            numbers, nulls = _numbers(self.name, self._table, column)
            given = pa.chunked_array([pa.array(numbers, mask=nulls)])
        codes, words = _encoded(given, f"{self.name}.{column}")
        codes = self._sorted(codes)
        meanings: list[Value] = []
        wrong: dict[int, str] = {}
        for i, word in enumerate(words):
            try:
                meanings.append(parse(word))
            except DataError as error:
                wrong[i] = str(error)
                meanings.append(default)
        if wrong:
            is_wrong = np.zeros(len(words) + 1, np.bool_)
            is_wrong[list(wrong)] = True
            self.fault(np.flatnonzero(is_wrong[codes]), lambda row: wrong[int(codes[row])])
        return codes, [*meanings, default]

    def words(self, column: str, dtype: DTypeLike, parse: Parse[int], default: int) -> NDArray[Any]:
        """Return the number that each text stands for."""
        if column not in self:
            return np.full(len(self), default, dtype)
        codes, meanings = self.texts(column, parse, default)
        numbers: NDArray[Any] = np.array(meanings, dtype).take(codes)
        return numbers


def distinct_rows(columns: Sequence[tuple[NDArray[Any], int]]) -> tuple[NDArray[np.int32], list[tuple[int, ...]]]:
    """Return a number for each row of several columns of codes, and the distinct rows.

    Columns are pairs of the codes and how many there can be.
    """
    if not len(columns[0][0]):
        return np.zeros(0, np.int32), []
    codes = np.zeros(len(columns[0][0]), np.int32)
    rows: list[tuple[int, ...]] = [()]
    for column, most in columns:
        if most == 1:
            rows = [(*row, 0) for row in rows]
            continue
        pairs = codes.astype(np.int64) * most + column
        if len(rows) * most <= len(codes):
            is_there = np.zeros(len(rows) * most, np.bool_)
            is_there[pairs] = True
            found = np.flatnonzero(is_there)
            codes = (np.cumsum(is_there, dtype=np.int32) - np.int32(1)).take(pairs)
        else:
            encoded = pa.array(pairs).dictionary_encode()
            found, codes = encoded.dictionary.to_numpy(), encoded.indices.to_numpy()
        rows = [(*rows[pair // most], pair % most) for pair in found.tolist()]
    return codes, rows


def distinct_numbers(numbers: NDArray[Any]) -> tuple[NDArray[Any], Sequence[int]]:
    """Return a code for each number from 0 on, and what the codes stand for."""
    most = int(numbers.max(initial=0))
    if most < len(numbers):
        return numbers, range(most + 1)
    encoded = pa.array(numbers).dictionary_encode()
    return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()


def keys(table: str, data: pa.Table, column: str) -> NDArray[np.int64]:
    """Return a column of keys; `DataError` for null and for what is beyond 64 bits."""
    values, nulls = _numbers(table, data, column)
    if nulls is not None:
        raise DataError(f"{table} row {int(np.argmax(nulls))}, {column}: expected a number, found null")
    largest = np.iinfo(np.int64).max
    if values.dtype == np.uint64 and len(values) and values.max() > largest:
        row = int(np.argmax(values > largest))
        raise DataError(f"{table} row {row}, {column}: expected a number up to {largest}, found {values[row]}")
    return values.astype(np.int64, copy=False)


def sort_order(values: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the order in which values rise, equal ones as they stand; None if they rise already."""
    return None if bool((values[1:] >= values[:-1]).all()) else np.argsort(values, kind="stable")


def _starts(
    table: str, own: NDArray[np.int64], order: NDArray[np.int64] | None, state_id: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the first row of each state; `DataError` for rows of a state that is not there."""
    ids = own if order is None else own[order]
    first = np.flatnonzero(np.append(True, ids[1:] != ids[:-1])) if len(ids) else np.zeros(0, np.int64)
    runs = ids[first]
    state = np.searchsorted(state_id, runs)
    known = state < len(state_id)
    known[known] = state_id[state[known]] == runs[known]
    if not known.all():
        position = int(first[np.argmin(known)])
        row = position if order is None else int(order[position])
        raise DataError(f"{table} row {row}, state_id: expected a state of the table states, found {ids[position]}")
    counts = np.zeros(len(state_id) + 1, np.int64)
    counts[state + 1] = np.diff(np.append(first, len(ids)))
    return np.cumsum(counts)


def _numbers(table: str, data: pa.Table, name: str) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return whole numbers, and where they are null (None: nowhere); at null stands anything."""
    column = data.column(name)
    if pa.types.is_floating(column.type):
        return _whole(column.to_numpy().astype(np.float64), f"{table} row {{}}, {name}")
    if pa.types.is_null(column.type):
        return np.zeros(len(column), np.int8), np.ones(len(column), np.bool_) if len(column) else None
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    nulls = pc.is_null(column).to_numpy() if column.null_count else None
    chunks = [_shared(chunk) for chunk in column.chunks if len(chunk)]
    if len(chunks) == 1:
        return chunks[0], nulls
    return np.concatenate([*chunks, np.zeros(0, column.type.to_pandas_dtype())]), nulls


def _whole(values: NDArray[Any], where: str) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """Return floating numbers as whole ones; not a number is null. Raises `DataError` for those that are not whole."""
    nulls = np.isnan(values)
    numbers = np.where(nulls, 0, values)
    wrong = np.flatnonzero((numbers != np.floor(numbers)) | (np.abs(numbers) > _EXACT))
    if len(wrong):
        raise DataError(f"{where.format(wrong[0])}: expected a whole number, found {values[wrong[0]]}")
    return numbers.astype(np.int64), nulls if nulls.any() else None


def _shared(array: pa.Array) -> NDArray[Any]:
    """Return an Arrow array as a NumPy array over the same memory."""
    dtype = np.dtype(array.type.to_pandas_dtype())
    column = column_at(array.buffers()[1].address + array.offset * dtype.itemsize, len(array), dtype, array)
    return column if column.flags.aligned else column.copy()


def _encoded(column: pa.ChunkedArray, where: str) -> tuple[NDArray[Any], list[str]]:
    """Return the row of each text among the distinct ones, and those; null has the number after the last."""
    chunks = [_dictionary(chunk) for chunk in column.chunks if len(chunk)]
    rows: dict[str, int] = {}
    parts: list[tuple[pa.Array, NDArray[Any]]] = []
    try:
        for chunk in chunks:
            words = chunk.dictionary.to_pylist()
            row = [-1 if word is None else rows.setdefault(word, len(rows)) for word in words]
            parts.append((chunk.indices, np.array([*row, -1], np.int32)))
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: expected text in UTF-8, found {error.object!r}") from None
    codes = [_codes(indices, np.where(row < 0, len(rows), row).astype(np.int32)) for indices, row in parts]
    return np.concatenate([*codes, np.zeros(0, np.int32)]) if len(codes) != 1 else codes[0], list(rows)


def _codes(indices: pa.Array, row: NDArray[np.int32]) -> NDArray[Any]:
    own = _shared(indices)
    if indices.null_count:
        own = np.where(indices.is_null().to_numpy(zero_copy_only=False), len(row) - 1, own.astype(np.int32))
    if np.array_equal(row, np.arange(len(row))):
        return own
    codes: NDArray[np.int32] = row.take(own)
    return codes


def _dictionary(array: pa.Array) -> pa.DictionaryArray:
    """Return texts, or lists of them joined by commas, as a dictionary array."""
    if pa.types.is_null(array.type):
        return array.cast(pa.string()).dictionary_encode()
    if is_list(array.type):
        array = _joined(array)
    if pa.types.is_integer(array.type):
        array = array.cast(pa.string())
    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def _joined(lists: pa.Array) -> pa.Array:
    lists = lists.cast(pa.list_(pa.string()))
    joined = pc.binary_join(lists, ",")  # null also where a list has a null in it
    return pc.if_else(pc.and_(lists.is_valid(), joined.is_null()), _NULL_WORD, joined)
