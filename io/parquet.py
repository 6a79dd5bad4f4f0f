"""Data sets on disk: a folder with a folder of Parquet parts for each table; and the results of settling them.

Parts of different tables belong together by `state_id`, not by their names: a data set is read in stretches of
state ids, so that it may come from any tool, in any number of files.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import headjudge
from headjudge.boards import Boards
from headjudge.errors import DataError
from headjudge.io.arrow import FULL, Schema, boards_from_arrow, boards_to_arrow
from headjudge.io.choices import CHOICES_SCHEMA
from headjudge.io.durable import draft_of, new_folder, publish, writing
from headjudge.io.seal import check_body, check_footer, footer_checksum, seal
from headjudge.io.table_schema import check_tables, fields_of, unknown_table
from headjudge.kernels.catalogue import RULES_VERSION
from headjudge.results import ACTIONS, RESULTS, Resolution

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from headjudge.io.seal import Seal

#: Version of the layout that `save` writes; a reader of an older one refuses it.
FORMAT: Final = 1
_FORMAT_KEY: Final = b"headjudge.format"
#: A part has about so many states, or so many rows of the largest table: some 200 MB while it is settled.
PART_SIZE: Final = 250_000
PART_ROWS: Final = 800_000
#: A row group with more is refused before it is read: memory could not hold it. pyarrow writes at most so many rows.
_MOST_VALUES: Final = 1 << 26
#: Rows of a row group: about what DuckDB writes, and little is read twice where a part ends inside of one.
_ROW_GROUP: Final = 1 << 17
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

    def cut(self, table: pa.Table) -> pa.Table:
        """Return the rows of the stretch."""
        ids = table[_KEY]
        if not ids.null_count and pa.types.is_signed_integer(ids.type):
            keys = ids.to_numpy()
            if (keys[1:] >= keys[:-1]).all():
                first = 0 if self.after is None else int(np.searchsorted(keys, self.after, "right"))
                last = len(keys) if self.upto is None else int(np.searchsorted(keys, self.upto, "right"))
                return table.slice(first, last - first)
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
    seals: tuple[Seal | None, ...]
    schema: pa.Schema
    groups: tuple[_RowGroup, ...]

    @classmethod
    def open(cls, path: Path) -> _TableFolder:
        files = _parquet_files(path)
        schema: pa.Schema | None = None
        groups: list[_RowGroup] = []
        seals = []
        for i, file in enumerate(files):
            with _reading(file):
                seals.append(check_footer(file))
            with _opened(file) as parquet:
                found = _checked_schema(parquet, file)
                if schema is None:
                    schema = found
                _check_same(schema, files[0], found, file)
                if _KEY not in found.names or not pa.types.is_integer(found.field(_KEY).type):
                    raise DataError(f"{file}: expected a column {_KEY} of whole numbers, found {_listed(found)}")
                if seals[-1] is None:
                    _touch(parquet)
                groups += _row_groups(parquet, file, i)
        assert schema is not None  # there is at least one file
        return cls(path.name, files, tuple(seals), schema, tuple(groups))

    def rising_ids(self, group: _RowGroup) -> list[int]:
        """Return the state ids of a row group, none if they do not rise."""
        with _opened(self.files[group.file]) as parquet:
            ids = parquet.read_row_group(group.number, columns=[_KEY])[_KEY]
            if ids.null_count or len(ids) != group.rows or pa.types.is_unsigned_integer(ids.type):
                return []
            keys = ids.to_numpy()
        return keys.tolist() if (keys[1:] > keys[:-1]).all() else []

    def read(self, stretch: _Stretch, *, use_threads: bool = True) -> pa.Table:
        """Return the rows of a stretch, in the order of files."""
        tables = []
        for i in range(len(self.files)):
            groups = [group for group in self.groups if group.file == i and stretch.meets(group)]
            if groups:
                table = self._read_groups(i, groups, use_threads)
                tables.append(table if all(map(stretch.contains, groups)) else stretch.cut(table))
        return pa.concat_tables(tables, promote_options="default") if tables else self.schema.empty_table()

    def _read_groups(self, i: int, groups: list[_RowGroup], use_threads: bool) -> pa.Table:
        """Return the rows of row groups of a file, if they are what the footer says."""
        file, found_seal = self.files[i], self.seals[i]
        with _opened(file, self._dictionaries) as parquet:
            if found_seal:
                check_body(file, found_seal)
            table = parquet.read_row_groups([group.number for group in groups], use_threads=use_threads)
            table.validate(full=True)
        rows = sum(group.rows for group in groups)
        if table.num_rows != rows:
            raise DataError(f"{file}: expected {rows} rows, as its footer says, found {table.num_rows}")
        low, high = (pc.min_max(table[_KEY])[end].as_py() for end in ("min", "max"))
        least, most = min(group.low for group in groups), max(group.high for group in groups)
        if low is not None and not least <= low <= high <= most:
            raise DataError(f"{file}: expected state_id {least} to {most}, as its footer says, found {low} to {high}")
        return table

    @cached_property
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
            if entry.name in _TABLES and not entry.is_dir():
                raise DataError(f"{entry}: expected a folder with Parquet files, found a file")
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
        states = tables["states"]
        most = max(sum(group.rows for group in folder.groups) for folder in tables.values())
        return cls(path, tables, _stretches(states, most / max(1, sum(group.rows for group in states.groups))))

    def __len__(self) -> int:
        return len(self.stretches)

    @property
    def states(self) -> int:
        """How many states there are."""
        return sum(group.rows for group in self.tables["states"].groups)

    def state_ids(self) -> Iterator[pa.ChunkedArray]:
        """Return the ids of its states, a file at a time."""
        for file in self.tables["states"].files:
            with _opened(file) as parquet:
                yield parquet.read(columns=[_KEY])[_KEY]

    @property
    def schema(self) -> Schema:
        """The columns of its tables as `write_part` takes them."""
        return {
            name: pa.schema([field for field in FULL[name] if field.name in folder.schema.names])
            for name, folder in self.tables.items()
            if name in FULL
        }

    def checksums(self) -> dict[str, str]:
        """Return what tells its files from others: the size and a checksum of the footer of each."""
        return {
            file.relative_to(self.path).as_posix(): f"{file.stat().st_size}-{footer_checksum(file):08x}"
            for folder in self.tables.values()
            for file in folder.files
        }

    def read(self, number: int, *, use_threads: bool = True) -> Part:
        """Read one of the ``len(self)`` parts; `use_threads`: several columns at a time."""
        stretch = self.stretches[number]
        tables = {name: folder.read(stretch, use_threads=use_threads) for name, folder in self.tables.items()}
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
    state_id = boards.states.state_id
    order = np.argsort(state_id, kind="stable")
    twice = np.flatnonzero(np.diff(state_id[order]) == 0)
    if len(twice):
        raise DataError(f"states, state_id: expected each state once, found {state_id[order[twice[0]]]} twice")
    if not np.array_equal(order, np.arange(len(order))):
        boards = boards[order]
    with new_folder(path) as folder:
        drafts = [
            draft
            for number, start in enumerate(range(0, max(len(boards), 1), part_size))
            for draft in draft_part(folder, number, boards[start : start + part_size], FULL)
        ]
        publish(drafts)


def draft_part(path: Path, number: int, boards: Boards, schema: Schema) -> list[Path]:
    """Write one part of a data set aside and return its files, which `publish` gives their names.

    All parts must have one `schema`, such as `headjudge.io.arrow.FULL`. Of tables that few boards need, a part without
    rows is left out.
    """
    return [
        _draft(table, path / name, number)
        for name, table in boards_to_arrow(boards, schema=schema).items()
        if table.num_rows or name in _ALWAYS
    ]


def draft_result_part(path: Path, number: int, resolution: Resolution, schema: Schema = FULL) -> list[Path]:
    """Do the same with `results` and `actions`, and with `after` (with the columns of `schema`) where it is there."""
    drafts = [_draft(getattr(resolution, name), path / name, number) for name in _RESULT_TABLES]
    if resolution.after is not None:
        drafts += draft_part(path / AFTER, number, resolution.after.readable, schema)
    return drafts


def write_part(path: Path, number: int, boards: Boards, schema: Schema) -> None:
    """Write one part of a data set; under their names files are whole."""
    publish(draft_part(path, number, boards, schema))


def write_result_part(path: Path, number: int, resolution: Resolution) -> None:
    """Write one part of `results` and `actions`, and of `after` where it is there."""
    publish(draft_result_part(path, number, resolution))


def save_resolution(resolution: Resolution, path: str | Path) -> None:
    """Write a folder with the tables `results`, `actions` and, where there, the data set `after`."""
    with new_folder(Path(path)) as folder:
        write_result_part(folder, 0, resolution)


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
        publish([draft_verdict_part(folder, 0, verdicts)])


def draft_verdict_part(path: Path, number: int, verdicts: pa.Table) -> Path:
    """Write one part of `verdicts` aside, to be published."""
    return _draft(verdicts, path / "verdicts", number)


def _draft(table: pa.Table, folder: Path, number: int) -> Path:
    """Write a part aside; return the name that it is to have."""
    path = folder / f"part-{number:05}.parquet"
    draft = draft_of(path)
    metadata = {
        _FORMAT_KEY: str(FORMAT),
        "headjudge.version": headjudge.__version__,
        "headjudge.rules": RULES_VERSION,
    }
    try:
        with writing(path):
            folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(
                table.replace_schema_metadata(metadata), draft, row_group_size=_ROW_GROUP, compression="lz4",
                use_dictionary=[name for name in table.column_names if name != _KEY],
                column_encoding={_KEY: "DELTA_BINARY_PACKED"}, write_page_checksum=True,
            )  # fmt: skip
            seal(draft)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return path


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    """Turn whatever is said about a file while it is read into a `DataError` that names it."""
    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError, ArithmeticError, MemoryError, RuntimeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"{file}: expected a Parquet file, found one that cannot be read ({reason})") from None


@contextmanager
def _opened(file: Path, dictionaries: list[str] | None = None) -> Iterator[pq.ParquetFile]:
    with _reading(file), pq.ParquetFile(
        file, read_dictionary=dictionaries, page_checksum_verification=True
    ) as parquet:  # fmt: skip
        yield parquet


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
    return pa.schema(fields_of(schema))


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


def _touch(parquet: pq.ParquetFile) -> None:
    """Begin to read every column: what is wrong with the description of one raises an error here.

    Where its levels do not fit its statistics, pyarrow's `RowGroupMetaData.column` would end the process.
    """
    lists = {field.name for field in parquet.schema_arrow if pa.types.is_nested(field.type)}
    flat = sorted(set(parquet.schema_arrow.names) - lists)
    for number in range(parquet.metadata.num_row_groups):
        next(parquet.iter_batches(1, row_groups=[number], columns=flat, use_threads=False), None)
    if lists:
        parquet.scan_contents(columns=sorted(lists))  # one row of a list may be of any length


def _row_groups(parquet: pq.ParquetFile, file: Path, place: int) -> Iterator[_RowGroup]:
    """Yield the row groups that have rows, with the least and the largest state id."""
    metadata = parquet.metadata
    columns = range(metadata.num_columns)
    leaf = next(i for i in columns if metadata.schema.column(i).path == _KEY)
    flat = [i for i in columns if not metadata.schema.column(i).max_repetition_level]
    total = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if group.num_rows == 0:
            continue
        values = [group.column(i).num_values for i in columns]
        if not 0 <= group.num_rows <= _MOST_VALUES or not all(0 <= count <= _MOST_VALUES for count in values):
            found = max(group.num_rows, *values, key=abs)
            raise DataError(f"{file}: expected row groups of at most {_MOST_VALUES} values, found one of {found}")
        wrong = next((i for i in flat if values[i] != group.num_rows), None)
        if wrong is not None:
            name = metadata.schema.column(wrong).path
            raise DataError(f"{file}: expected {group.num_rows} values of {name}, found {values[wrong]}")
        total += group.num_rows
        statistics = group.column(leaf).statistics
        bounds = (statistics.min, statistics.max) if statistics is not None and statistics.has_min_max else None
        if not bounds or not all(isinstance(bound, int) for bound in bounds):
            extremes = pc.min_max(parquet.read_row_group(number, columns=[_KEY])[_KEY])
            bounds = (extremes["min"].as_py(), extremes["max"].as_py())
        if bounds == (None, None):
            bounds = _ALL_IDS
        yield _RowGroup(place, number, group.num_rows, *bounds)
    if total != metadata.num_rows:
        raise DataError(f"{file}: expected {metadata.num_rows} rows, as its footer says, found {total} in row groups")


def _stretches(states: _TableFolder, rows_a_state: float) -> tuple[_Stretch, ...]:
    """Cut the line of state ids into parts, where no row group of the table `states` lies across: file by file.

    A row group that is too large for a part is cut where its ids rise, so that memory holds any data set.
    """
    most = max(1, int(PART_ROWS / max(rows_a_state, PART_ROWS / PART_SIZE)))
    ends: list[int] = []
    end, rows = _ALL_IDS[0], 0
    before: _RowGroup | None = None
    groups = sorted(states.groups, key=lambda group: (group.low, group.high))
    for group, after in zip_longest(groups, groups[1:]):
        if before and group.low > end and (group.file != before.file or rows + group.rows > most):
            ends.append(end)
            rows = 0
        pieces = -(-group.rows // (most * 5 // 4 + 1))
        if pieces > 1 and group.low > end and (after is None or after.low > group.high):
            size = -(-group.rows // pieces)
            inside = states.rising_ids(group)[size - 1 : -1 : size]
            ends += inside
            rows -= len(inside) * size
        rows += group.rows
        end = max(end, group.high)
        before = group
    return tuple(_Stretch(*pair) for pair in zip([None, *ends], [*ends, None], strict=True))
