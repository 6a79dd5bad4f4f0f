"""Batches of boards in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from headjudge.errors import check_type
from headjudge.kernels.tables import (
    DTYPES,
    TABLES,
    Batch,
    CommanderDamage,
    Components,
    Counters,
    EffectObjects,
    Effects,
    Keeps,
    Objects,
    Players,
    States,
    WorldSince,
)
from headjudge.kernels.vocabulary import NAMELESS
from headjudge.lexicon import SUBTYPE_BITS, Adopted, Lexicon, LexiconBuilder
from headjudge.memory import as_writeable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

Start = NDArray[np.int64]
#: What to pass where boards are expected.
BOARDS: Final = "Boards, such as headjudge.load(path) and headjudge.Boards.from_arrow(tables) return"
#: A number that stands for nothing in any lexicon.
_NOTHING: Final = np.int32(-(2**31))


class Problem(NamedTuple):
    """Why a board cannot be judged."""

    state: int  # row of the state in its batch
    reason: str  # names table, row, field, what was expected and what was found


def empty(table: type, rows: int = 0) -> Any:
    """Return a table of zeros."""
    return table(*(np.zeros(rows, dtype) for dtype in DTYPES[table].values()))


def _nowhere(states: int) -> Start:
    return np.zeros(states + 1, np.int64)


def rows_of_states(start: Start, states: NDArray[np.int64]) -> tuple[NDArray[np.int64], Start]:
    """Return the rows of some states in a table with a block of rows a state, and where each block then starts."""
    new = starts_of_states(start, states)
    return np.arange(new[-1]) + np.repeat(start[:-1][states] - new[:-1], np.diff(new)), new


def starts_of_states(start: Start, states: NDArray[np.int64]) -> Start:
    """Return where the blocks of some states start once they stand alone."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(np.diff(start)[states])))


@dataclass(frozen=True, eq=False, repr=False)
class Boards:
    """A batch of board states as NumPy columns; never changed by anything that headjudge does.

    Every table is a NamedTuple of one-dimensional arrays (`headjudge.kernels.tables` has the dtypes: 95 bytes an
    object). Row ``k`` of state ``s`` of a table is row ``table_start[s] + k``. References between
    objects are rows within the state, references to players are ``-1 - seat``; sets of words are bit masks over the
    tuples of `headjudge.kernels.vocabulary`; the `lexicon` says what the other numbers stand for.

    ``len(boards)`` counts states; ``boards[3]``, ``boards[10:20]`` (a view) and ``boards[rows]`` are batches again;
    ``print(boards[3])`` shows the board. Batches made from tables carry in `problems` what could not be read.
    """

    states: States
    players: Players
    players_start: Start
    objects: Objects
    objects_start: Start
    counters: Counters
    counters_start: Start
    commander_damage: CommanderDamage
    commander_damage_start: Start
    keeps: Keeps
    keeps_start: Start
    world_since: WorldSince
    world_since_start: Start
    effects: Effects
    effects_start: Start
    effect_objects: EffectObjects
    effect_objects_start: Start
    components: Components
    components_start: Start
    lexicon: Lexicon = field(default_factory=Lexicon)
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(
        cls,
        states: States,
        tables: Mapping[str, tuple[Any, Start]],
        lexicon: Lexicon,
        problems: Sequence[Problem] = (),
    ) -> Boards:
        """Make a batch of the tables that have rows; `tables` maps their names to columns and starts."""
        columns: dict[str, Any] = {}
        for name, table in TABLES.items():
            columns[name], columns[f"{name}_start"] = tables.get(name) or (empty(table), _nowhere(len(states.state_id)))
        return cls(states, **columns, lexicon=lexicon, problems=tuple(problems))

    @cached_property
    def batch(self) -> Batch:
        """The same columns as compiled functions take them."""
        columns = {f.name: getattr(self.writeable, f.name) for f in fields(self)}
        del columns["lexicon"], columns["problems"]
        return Batch(**columns, lexicon=self.lexicon.tables)

    @property
    def writeable(self) -> Boards:
        """The same boards without read-only columns, as compiled functions take them (`headjudge.memory`)."""
        return self if self._made_writeable is None else self._made_writeable

    @cached_property
    def _made_writeable(self) -> Boards | None:
        # Not the boards themselves: what refers to itself is not freed before the next garbage collection.
        tables: dict[str, Any] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                if not value.flags.writeable:
                    tables[f.name] = as_writeable(value)
            elif hasattr(value, "_fields") and not all(column.flags.writeable for column in value):
                tables[f.name] = type(value)(*map(as_writeable, value))
        return replace(self, **tables) if tables else None

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """How many rows each table has. Raises `DataError` for columns that are not what compiled functions take."""
        from headjudge import validation

        return validation.rows_of(self)

    @cached_property
    def not_changeable(self) -> str:
        """Why settling cannot change these boards in place, or nothing."""
        from headjudge import aftermath

        return aftermath.not_changeable(self)

    def table(self, name: str) -> tuple[Any, Start]:
        """Return columns and starts of a table by its name in `TABLES`."""
        return getattr(self, name), getattr(self, f"{name}_start")

    def __len__(self) -> int:
        return len(self.states.state_id)

    def __iter__(self) -> Iterator[Boards]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, which: int) -> Boards: ...
    @overload
    def __getitem__(self, which: slice | Sequence[int] | NDArray[Any]) -> Boards: ...
    def __getitem__(self, which: Any) -> Boards:
        if isinstance(which, (int, np.integer)):
            if not -len(self) <= which < len(self):
                from headjudge.wording import counted

                raise IndexError(f"expected a row of {counted(len(self), 'board')}, found {which}")
            row = range(len(self))[which]
            return self._slice(row, row + 1)
        if isinstance(which, slice):
            start, stop, step = which.indices(len(self))
            if step == 1:
                return self._slice(start, max(start, stop))
        rows = np.arange(len(self))[which]
        return self._take(rows)

    def _slice(self, start: int, stop: int) -> Boards:
        tables = {}
        for name in TABLES:
            columns, starts = self.table(name)
            first, last = int(starts[start]), int(starts[stop])
            tables[name] = (type(columns)(*(c[first:last] for c in columns)), starts[start : stop + 1] - first)
        problems = [Problem(p.state - start, p.reason) for p in self.problems if start <= p.state < stop]
        return Boards.of(States(*(c[start:stop] for c in self.states)), tables, self.lexicon, problems)

    def _take(self, rows: NDArray[np.int64]) -> Boards:
        tables = {}
        for name in TABLES:
            columns, starts = self.table(name)
            index, new = rows_of_states(starts, rows)
            tables[name] = (type(columns)(*(c[index] for c in columns)), new)
        reasons: dict[int, list[str]] = {}
        for problem in self.problems:
            reasons.setdefault(problem.state, []).append(problem.reason)
        problems = [Problem(i, reason) for i, row in enumerate(rows.tolist()) for reason in reasons.get(row, ())]
        return Boards.of(States(*(c[rows] for c in self.states)), tables, self.lexicon, problems)

    @classmethod
    def concat(cls, batches: Sequence[Boards]) -> Boards:
        """Return one batch of all states, in order. State ids may repeat."""
        for batch in batches:
            check_type("batches", batch, isinstance(batch, Boards), BOARDS)
        if not batches:
            return cls.of(empty(States), {}, Lexicon())
        first = batches[0]
        if any(b.lexicon is not first.lexicon for b in batches):
            builder = LexiconBuilder()
            adopted = [builder.adopt(b.lexicon) for b in batches]
            lexicon = builder.build()
            batches = [b._renumbered(a, lexicon) for b, a in zip(batches, adopted, strict=True)]
        tables = {}
        for name in TABLES:
            parts = [b.table(name) for b in batches]
            columns = type(parts[0][0])(*map(np.concatenate, zip(*(c for c, _ in parts), strict=True)))
            lengths = np.concatenate([np.diff(starts) for _, starts in parts])
            tables[name] = (columns, np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths))))
        states = States(*map(np.concatenate, zip(*(b.states for b in batches), strict=True)))
        before = np.cumsum([0, *map(len, batches)])
        problems = [
            Problem(p.state + int(n), p.reason) for b, n in zip(batches, before, strict=False) for p in b.problems
        ]
        return cls.of(states, tables, batches[0].lexicon, problems)

    def _renumbered(self, new: Adopted, lexicon: Lexicon) -> Boards:
        def renumbered(column: NDArray[np.int32], codes: NDArray[np.int32]) -> NDArray[np.int32]:
            """Numbers that stand for nothing still stand for nothing afterwards."""
            known = (column >= 0) & (column < len(codes))
            if known.all():
                return codes[column]
            return np.where(known, np.append(codes, np.int32(0))[np.where(known, column, -1)], _NOTHING)

        def names(column: NDArray[np.int32]) -> NDArray[np.int32]:
            return np.where(column == NAMELESS, np.int32(NAMELESS), renumbered(column, new.names))

        codes = self.objects.subtypes
        sets = renumbered(codes >> SUBTYPE_BITS, new.subtype_sets)
        low = (1 << SUBTYPE_BITS) - 1
        return replace(
            self,
            objects=self.objects._replace(
                name=names(self.objects.name),
                subtypes=np.where(sets < 0, _NOTHING, sets << SUBTYPE_BITS | codes & low),
                traits=renumbered(self.objects.traits, new.traits),
            ),
            counters=self.counters._replace(kind=renumbered(self.counters.kind, new.counter_kinds)),
            effects=self.effects._replace(text=renumbered(self.effects.text, new.effects)),
            components=self.components._replace(name=names(self.components.name)),
            lexicon=lexicon,
        )

    @property
    def readable(self) -> Boards:
        """The boards without those that could not be read."""
        if not self.problems:
            return self
        return self[np.setdiff1d(np.arange(len(self)), [problem.state for problem in self.problems])]

    @property
    def nbytes(self) -> int:
        """Bytes held by all columns."""
        tables = [self.states, *(self.table(name)[0] for name in TABLES)]
        columns: list[NDArray[Any]] = [c for table in tables for c in table]
        return sum(c.nbytes for c in columns) + sum(self.table(name)[1].nbytes for name in TABLES)

    @classmethod
    def from_arrow(cls, tables: Mapping[str, pa.Table]) -> Boards:
        """Make a batch of Arrow tables named as in a data set (`states`, `players`, `objects`, ...).

        Frames of pandas and Polars, and whatever else has an Arrow stream, are tables as well. Columns whose dtype
        agrees are not copied. Raises `DataError` for tables that cannot be read.
        """
        from headjudge.io import arrow

        return arrow.boards_from_arrow(tables)

    def to_arrow(self) -> dict[str, pa.Table]:
        """Return the tables of a data set. Raises `DataError` if there are `problems`; `readable` leaves those out."""
        from headjudge.io import arrow

        return arrow.boards_to_arrow(self)

    def save(self, path: str | Path, *, part_size: int = 250_000) -> None:
        """Write a data set folder, `part_size` states to a part. Raises `DataError` if `path` holds something.

        Boards with `problems` are not written but refused as well; `readable` leaves them out.
        """
        from headjudge.io import parquet

        parquet.save(self, Path(path), part_size=part_size)

    def __str__(self) -> str:
        from headjudge import display

        return display.text(self)

    def __repr__(self) -> str:
        from headjudge.wording import counted

        states, objects = counted(len(self), "state"), counted(len(self.objects.zone), "object")
        return f"<Boards: {states}, {objects}, {self.nbytes / 1e6:,.1f} MB>"

    def _repr_html_(self) -> str:
        from headjudge import display

        return display.html(self)
