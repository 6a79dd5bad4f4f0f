"""Data sets on disk: a folder with a folder of Parquet parts for each table; and the results of settling them.

Parts of different tables belong together by `state_id`, not by their names: a data set is read in stretches of
state ids, so that it may come from any tool, in any number of files.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import headjudge
from headjudge.boards import Boards
from headjudge.errors import DataError
from headjudge.io.arrow import FULL, Schema, boards_from_arrow, boards_to_arrow, schema_in_use
from headjudge.io.choices import CHOICES_SCHEMA
from headjudge.io.table_schema import check_tables, unknown_table
from headjudge.kernels.catalogue import RULES_VERSION
from headjudge.results import ACTIONS, RESULTS, Resolution

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Version of the layout that `save` writes; a reader of an older one refuses it.
FORMAT: Final = 1
_FORMAT_KEY: Final = b"headjudge.format"
#: Small row groups of one file are read together up to so many states.
PART_SIZE: Final = 250_000
#: Rows of a row group: that of most readers' default, so that they can share the work.
_ROW_GROUP: Final = 1 << 20
_KEY: Final = "state_id"
_ALL_IDS: Final = (-(2**63), 2**63 - 1)
_ALWAYS: Final = ("states", "players", "objects")
_TABLES: Final = (*FULL, "choices")
_RESULT_TABLES: Final = {"results": RESULTS, "actions": ACTIONS}
AFTER: Final = "after"


class Part(NamedTuple):
    """Some states of a data set."""

    number: int
    boards: Boards
    choices: pa.Table  # the rows of the table `choices` that belong to them


class _RowGroup(NamedTuple):
    file: int
    number: int
    rows: int
    low: int  # of state_id
    high: int


class _Stretch(NamedTuple):
    """State ids above `after` and up to `upto`; None = without end."""

    after: int | None
    upto: int | None

    def meets(self, group: _RowGroup) -> bool:
        return (self.after is None or group.high > self.after) and (self.upto is None or group.low <= self.upto)

    def contains(self, group: _RowGroup) -> bool:
        return (self.after is None or group.low > self.after) and (self.upto is None or group.high <= self.upto)

    def filter(self, table: pa.Table) -> pa.Table:
        keep = pa.scalar(True)
        if self.after is not None:
            keep = pc.and_(keep, pc.greater(table[_KEY], self.after))
        if self.upto is not None:
            keep = pc.and_(keep, pc.less_equal(table[_KEY], self.upto))
        return table.filter(pc.fill_null(keep, True))  # a null key must be seen, and refused


@dataclass(frozen=True)
class _TableFolder:
    """The Parquet files of one table; files of one table have the same columns."""

    name: str
    files: tuple[Path, ...]
    schema: pa.Schema
    groups: tuple[_RowGroup, ...]

    @classmethod
    def open(cls, path: Path) -> _TableFolder:
        files = _parquet_files(path)
        schema: pa.Schema | None = None
        groups: list[_RowGroup] = []
        for i, file in enumerate(files):
            with _opened(file) as parquet:
                found = _checked_schema(parquet, file)
                if schema is None:
                    schema = found
                _check_same(schema, files[0], found, file)
                if _KEY not in found.names or not pa.types.is_integer(found.field(_KEY).type):
                    raise DataError(f"{file}: expected a column {_KEY} of whole numbers, found {_listed(found)}")
                groups += _row_groups(parquet, i)
        assert schema is not None  # there is at least one file
        return cls(path.name, files, schema, tuple(groups))

    def read(self, stretch: _Stretch) -> pa.Table:
        """Return the rows of a stretch, in the order of files."""
        tables = []
        for i, file in enumerate(self.files):
            groups = [group for group in self.groups if group.file == i and stretch.meets(group)]
            if groups:
                with _opened(file, self._dictionaries()) as parquet:
                    table = parquet.read_row_groups([group.number for group in groups])
                tables.append(table if all(map(stretch.contains, groups)) else stretch.filter(table))
        return pa.concat_tables(tables, promote_options="default") if tables else self.schema.empty_table()

    def _dictionaries(self) -> list[str]:
        """Return the columns of strings: they are decoded faster as what they are in the file."""
        return [
            field.name
            for field in self.schema
            if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]


@dataclass(frozen=True)
class DataSet:
    """A data set on disk, looked at but not read: its parts are read one by one, by anyone, in any order.

    Raises
    ------
    DataError
        On opening, if `path` is no data set or its files do not fit together; on reading, if a part cannot be read.
    """

    path: Path
    tables: Mapping[str, _TableFolder]
    stretches: tuple[_Stretch, ...]

    @classmethod
    def open(cls, path: str | Path) -> DataSet:
        """Look at the folder of a data set."""
        path = Path(path)
        if not path.is_dir():
            raise DataError(
                f"{path}: expected the folder of a data set, found {'a file' if path.exists() else 'nothing'}"
            )
        entries = [entry for entry in sorted(path.iterdir()) if not entry.name.startswith((".", "_"))]
        for entry in entries:
            if entry.suffix == ".parquet":
                raise DataError(f"{entry}: expected a folder for each table, such as {path / 'states'}, found a file")
        folders = {entry.name: entry for entry in entries if entry.is_dir()}
        if "states" not in folders:
            raise DataError(
                f"{path}: expected a data set with a folder states, found {', '.join(folders) or 'no folders'}"
            )
        for name, folder in folders.items():
            if name not in _TABLES:
                raise DataError(f"{folder}: {unknown_table(name, _TABLES)}")
        tables = {name: _TableFolder.open(folder) for name, folder in folders.items()}
        try:
            check_tables({name: folder.schema for name, folder in tables.items() if name in FULL})
        except DataError as error:
            raise DataError(f"{path}: {error}") from None
        return cls(path, tables, _stretches(tables["states"].groups))

    def __len__(self) -> int:
        return len(self.stretches)

    @property
    def states(self) -> int:
        """How many states there are."""
        return sum(group.rows for group in self.tables["states"].groups)

    @property
    def schema(self) -> Schema:
        """The columns of its tables as `write_part` takes them."""
        return {
            name: pa.schema([field for field in FULL[name] if field.name in folder.schema.names])
            for name, folder in self.tables.items()
            if name in FULL
        }

    def read(self, number: int) -> Part:
        """Read one of the ``len(self)`` parts."""
        tables = {name: folder.read(self.stretches[number]) for name, folder in self.tables.items()}
        choices = tables.pop("choices", CHOICES_SCHEMA.empty_table())
        try:
            return Part(number, boards_from_arrow(tables), choices)
        except DataError as error:
            raise DataError(f"{self.path}, part {number} of {len(self)}: {error}") from None


def load(path: str | Path) -> Boards:
    """Read a data set as one batch.

    Parameters
    ----------
    path : str or Path
        A folder with a folder of Parquet files for each table, as `Boards.save`, DuckDB, Polars or pandas write them.

    Returns
    -------
    Boards
        Its states sorted by `state_id`.

    Raises
    ------
    DataError
        If it cannot be read; says which file, row and column, what was expected and what was found.
    """
    first, *others = [part.boards for part in read_parts(path)]
    return Boards.concat([first, *others]) if others else first


def read_parts(path: str | Path) -> Iterator[Part]:
    """Read a data set part by part, so that memory holds one at a time."""
    data_set = DataSet.open(path)
    return (data_set.read(number) for number in range(len(data_set)))


def save(boards: Boards, path: Path, *, part_size: int = PART_SIZE) -> None:
    """Write a data set; its states are sorted by `state_id`."""
    if part_size < 1:
        raise DataError(f"part_size: expected a number of states, found {part_size}")
    if boards.problems:
        state, reason = boards.problems[0]
        raise DataError(
            f"expected boards that could be read, found {len(boards.problems)} that could not, such as the one in row "
            f"{state}: {reason}"
        )
    state_id = boards.states.state_id
    order = np.argsort(state_id, kind="stable")
    twice = np.flatnonzero(np.diff(state_id[order]) == 0)
    if len(twice):
        raise DataError(f"states, state_id: expected each state once, found {state_id[order[twice[0]]]} twice")
    if not np.array_equal(order, np.arange(len(order))):
        boards = boards[order]
    schema = schema_in_use(boards)
    with new_folder(path) as folder:
        for number, start in enumerate(range(0, max(len(boards), 1), part_size)):
            write_part(folder, number, boards[start : start + part_size], schema)


def write_part(path: Path, number: int, boards: Boards, schema: Schema) -> None:
    """Write one part of a data set; all parts must have one `schema`, such as `headjudge.io.arrow.FULL`.

    Of tables that few boards need, a part without rows is left out.
    """
    for name, table in boards_to_arrow(boards, schema=schema).items():
        if table.num_rows or name in _ALWAYS:
            _write(table, path / name, number)


def write_result_part(path: Path, number: int, resolution: Resolution, schema: Schema = FULL) -> None:
    """Write one part of `results` and `actions`, and of `after` (with the columns of `schema`) where it is there."""
    for name in _RESULT_TABLES:
        _write(getattr(resolution, name), path / name, number)
    if resolution.after is not None:
        write_part(path / AFTER, number, resolution.after, schema)


def save_resolution(resolution: Resolution, path: str | Path) -> None:
    """Write a folder with the tables `results`, `actions` and, where there, the data set `after`."""
    with new_folder(Path(path)) as folder:
        schema = FULL if resolution.after is None else schema_in_use(resolution.after)
        write_result_part(folder, 0, resolution, schema)


def load_resolution(path: str | Path) -> Resolution:
    """Read what `Resolution.save` or ``headjudge settle`` wrote."""
    path = Path(path)
    tables = {}
    for name, schema in _RESULT_TABLES.items():
        folder = path / name
        if not folder.is_dir():
            raise DataError(f"{path}: expected the folder of a result with a folder {name}, found none")
        table = _TableFolder.open(folder).read(_Stretch(None, None))
        try:
            tables[name] = table.select(schema.names).cast(schema)
        except (KeyError, pa.ArrowInvalid, ValueError) as error:
            raise DataError(
                f"{folder}: expected the columns {', '.join(schema.names)}, found others: {error}"
            ) from None
    return Resolution(**tables, after=load(path / AFTER) if (path / AFTER).is_dir() else None)


def save_verdicts(verdicts: pa.Table, path: str | Path) -> None:
    """Write a folder with the table `verdicts`."""
    with new_folder(Path(path)) as folder:
        write_verdict_part(folder, 0, verdicts)


def write_verdict_part(path: Path, number: int, verdicts: pa.Table) -> None:
    """Write one part of `verdicts`."""
    _write(verdicts, path / "verdicts", number)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Give a folder to write to that becomes `path` when all is written, and vanishes if something goes wrong."""
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise DataError(f"{path}: expected nothing or an empty folder, found {'files' if path.is_dir() else 'a file'}")
    path = path.absolute()
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.mkdir(parents=True)
        yield draft
        if path.exists():
            path.rmdir()
        draft.rename(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write(table: pa.Table, folder: Path, number: int) -> None:
    """Write a part; under its name it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"part-{number:05}.parquet"
    draft = path.with_name(f".{path.name}.tmp")
    metadata = {
        _FORMAT_KEY: str(FORMAT),
        "headjudge.version": headjudge.__version__,
        "headjudge.rules": RULES_VERSION,
    }
    try:
        pq.write_table(
            table.replace_schema_metadata(metadata), draft, row_group_size=_ROW_GROUP, compression="lz4",
            use_dictionary=[name for name in table.column_names if name != _KEY],
            column_encoding={_KEY: "DELTA_BINARY_PACKED"},
        )  # fmt: skip
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _opened(file: Path, dictionaries: list[str] | None = None) -> Iterator[pq.ParquetFile]:
    """Open a file; whatever Arrow says about it while it is open becomes a `DataError` that names it."""
    try:
        with pq.ParquetFile(file, read_dictionary=dictionaries) as parquet:
            yield parquet
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{file}: expected a Parquet file, found one that cannot be read ({error})") from None


def _parquet_files(folder: Path) -> tuple[Path, ...]:
    files = [entry for entry in sorted(folder.iterdir()) if not entry.name.startswith((".", "_"))]
    for file in files:
        if file.suffix != ".parquet" or not file.is_file():
            raise DataError(f"{file}: expected nothing but files *.parquet in the folder of a table")
    if not files:
        raise DataError(f"{folder}: expected files *.parquet, found none")
    return tuple(files)


def _checked_schema(parquet: pq.ParquetFile, file: Path) -> pa.Schema:
    schema = parquet.schema_arrow
    version = (schema.metadata or {}).get(_FORMAT_KEY, b"1").decode(errors="replace")
    if version != str(FORMAT):
        raise DataError(f"{file}: expected format {FORMAT}, found {version}; it is of a newer headjudge than this one")
    return schema


def _listed(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name} ({field.type})" for field in schema)


def _check_same(schema: pa.Schema, first: Path, found: pa.Schema, file: Path) -> None:
    columns, others = ({field.name: field.type for field in fields} for fields in (schema, found))
    if columns != others:
        different = sorted(name for name in columns.keys() | others.keys() if columns.get(name) != others.get(name))
        name = different[0]
        raise DataError(
            f"{file}: expected the columns of {first}, found {name} of type {others.get(name, 'none')} "
            f"instead of {columns.get(name, 'none')}"
        )


def _row_groups(parquet: pq.ParquetFile, file: int) -> Iterator[_RowGroup]:
    """Yield the row groups that have rows, with the least and the largest state id."""
    metadata = parquet.metadata
    leaf = next(i for i in range(metadata.num_columns) if metadata.schema.column(i).path == _KEY)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if group.num_rows:
            statistics = group.column(leaf).statistics
            bounds = (statistics.min, statistics.max) if statistics is not None and statistics.has_min_max else None
            if not bounds or not all(isinstance(bound, int) for bound in bounds):
                extremes = pc.min_max(parquet.read_row_group(number, columns=[_KEY])[_KEY])
                bounds = (extremes["min"].as_py(), extremes["max"].as_py())
            if bounds == (None, None):
                bounds = _ALL_IDS
            yield _RowGroup(file, number, group.num_rows, *bounds)


def _stretches(groups: tuple[_RowGroup, ...]) -> tuple[_Stretch, ...]:
    """Cut the line of state ids where no row group of the table `states` lies across, file by file."""
    ends: list[int] = []
    end, rows = _ALL_IDS[0], 0
    before: _RowGroup | None = None
    for group in sorted(groups, key=lambda group: (group.low, group.high)):
        if before and group.low > end and (group.file != before.file or rows + group.rows > PART_SIZE):
            ends.append(end)
            rows = 0
        rows += group.rows
        end = max(end, group.high)
        before = group
    return tuple(_Stretch(*pair) for pair in zip([None, *ends], [*ends, None], strict=True))
