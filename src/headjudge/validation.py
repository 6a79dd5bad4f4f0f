"""Whether the boards of a batch can be judged, and why not.

Arrays that are not what `headjudge.kernels.tables` says are a `DataError`, values that no board can have a `Problem`.
"""

from __future__ import annotations

from functools import cached_property
from threading import local
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from headjudge.boards import Boards, Problem, Start
from headjudge.errors import DataError, row_sentence
from headjudge.kernels import bits as b
from headjudge.kernels import validation as k
from headjudge.kernels import vocabulary as v
from headjudge.kernels.screen import look_run
from headjudge.kernels.tables import DTYPES, TABLES, Counters, Objects, Players, States
from headjudge.lexicon import SUBTYPE_BITS
from headjudge.spans import each, spans, workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from headjudge.kernels.tables import LexiconTables
    from headjudge.lexicon import Lexicon

INT16: Final = 2**15 - 1
INT32: Final = 2**31 - 1


class Limit(NamedTuple):
    """What a column may hold: from `low` less the rows of `below` to `high` plus those of `above`.

    Values up to `null` stand for nothing. A plain number can be told even if no board may have it.
    """

    low: int
    high: int
    expected: str
    null: int | None = None
    below: str | None = None
    above: str | None = None
    is_plain: bool = False

    def sentence(self, boards: Boards, state: int) -> str:
        """Return what was expected in one state."""
        low = self.low - (_rows(boards, self.below, state) if self.below else 0)
        high = self.high + (_rows(boards, self.above, state) if self.above else 0)
        noun, bounds, _ = self.expected.partition(" (")
        return f"{noun}, of which there is none" if bounds and high < low else self.expected.format(low=low, high=high)


def _rows(boards: Boards, table: str, state: int) -> int:
    start = boards.table(table)[1]
    return int(start[state + 1] - start[state])


def _index(words: tuple[Any, ...], what: str) -> Limit:
    return Limit(0, len(words) - 1, f"a {what} ({{low}} to {{high}})")


def _mask(words: tuple[str, ...]) -> Limit:
    return Limit(0, (1 << len(words)) - 1, f"bits of {', '.join(words)} ({{low}} to {{high}})")


def _number(low: int, high: int) -> Limit:
    return Limit(low, high, "a number from {low} to {high}", is_plain=True)


def _row_of(table: str, what: str) -> Limit:
    return Limit(0, -1, f"{what} of the state ({{low}} to {{high}})", above=table)


def _or_none(limit: Limit, none: int = -1) -> Limit:
    """Allow the value just below the others."""
    return limit._replace(low=none, expected=f"{limit.expected}; {none} is none")


_COUNT: Final = _number(0, v.LARGEST)
_NUMBER: Final = _number(-v.LARGEST, v.LARGEST)
_TIME: Final = _number(-v.MOST_TIME, v.MOST_TIME)
_SEAT: Final = _row_of("players", "the seat of a player")._replace(is_plain=True)
_OBJECT: Final = _row_of("objects", "the row of an object")
_TARGET: Final = Limit(
    0,
    -1,
    "the row of an object of the state, or a player as -1 - seat ({low} to {high})",
    v.NONE,
    below="players",
    above="objects",
)


def _limits(lexicon: Lexicon) -> dict[str, dict[str, Limit]]:
    """Return the limits of every column that has any."""
    name = _or_none(_index(lexicon.names, "row of Lexicon.names"))
    sets = (len(lexicon.subtype_sets) << SUBTYPE_BITS) - 1
    own_kinds, kinds = len(v.OWN_COUNTER_KINDS), len(lexicon.counter_kinds) - 1
    return {
        "states": {
            "variant": _mask(v.VARIANTS),
            "active_player": _number(0, INT16),
            "step": _index(v.STEPS, "step"),
            "skips": _mask(v.STEPS),
            "planar_controller": _or_none(_SEAT),
        },
        "players": {
            "team": _number(0, INT16),
            "life": _NUMBER,
            "poison": _COUNT,
            "speed": _or_none(_number(0, v.MAX_SPEED)),
            "flags": _mask(v.PLAYER_FLAGS),
        },
        "objects": {
            "object_id": _number(0, INT32),
            "name": name,
            "kind": _index(v.KINDS, "kind"),
            "zone": _index(v.ZONES, "zone"),
            "controller": _SEAT,
            "owner": _SEAT,
            "types": _mask(v.TYPES),
            "supertypes": _mask(v.SUPERTYPES),
            "colors": _mask(v.COLORS),
            "subtypes": Limit(0, sets, "a set of Lexicon.subtype_sets and bits of SUBTYPES ({low} to {high})"),
            "power": _NUMBER._replace(null=v.NULL),
            "toughness": _NUMBER._replace(null=v.NULL),
            "keywords": _mask(v.KEYWORDS),
            "traits": _index(lexicon.traits, "row of Lexicon.traits"),
            "flags": _mask(v.OBJECT_FLAGS),
            "damage": _COUNT,
            "attached_to": _TARGET,
            "attacking": _TARGET._replace(null=v.NOTHING),
            "source": _OBJECT._replace(null=v.NONE),
            **dict.fromkeys(v.COUNTER_COLUMNS, _COUNT),
            "regeneration": _number(0, INT16),
            "protector": _or_none(_SEAT),
            "sector": _or_none(_index(v.SECTORS, "sector")),
        },
        "counters": {
            "object": _OBJECT,
            "kind": Limit(own_kinds, kinds, "a kind without a column of its own"),
            "count": _COUNT,
        },
        "commander_damage": {"seat": _SEAT, "commander": _OBJECT, "amount": _COUNT},
        "keeps": {"object": _OBJECT, "attachment": _OBJECT},
        "world_since": {"object": _OBJECT, "since": _TIME},
        "effects": {
            "effect_id": _number(0, INT32),
            "text": _index(lexicon.effects, "row of Lexicon.effects"),
            "source": _OBJECT._replace(null=v.NONE),
            "controller": _or_none(_SEAT),
            "until": _index(v.DURATIONS, "duration"),
            "timestamp": _TIME._replace(null=v.NO_TIMESTAMP),
        },
        "effect_objects": {"effect": _row_of("effects", "the row of an effect"), "object": _OBJECT},
        "components": {"object": _OBJECT, "name": name, "kind": _index(v.COMPONENT_KINDS, "kind"), "owner": _SEAT},
    }


def validate(boards: Boards, threads: int | None = None) -> list[Problem]:
    """Return the boards that cannot be judged, at most one problem for each, in their order.

    Parameters
    ----------
    boards : Boards
        Of any origin: columns may come straight from a simulator.
    threads : int, optional
        How many threads look; by default as many as there are processors.

    Raises
    ------
    DataError
        If a column's dtype, length or layout, or the starts of a table, are not what `headjudge.kernels.tables` says.
    """
    return Check.of(boards, workers(threads)).problems()


def check_structure(boards: Boards) -> None:
    """Raise `DataError` unless dtypes, lengths, layouts and starts are what `headjudge.kernels.tables` says.

    What arrays are is looked at once for each `Boards`, what the starts hold every time.
    """
    for name, rows in boards.rows.items():
        start = getattr(boards, f"{name}_start")
        if start[0] != 0 or start[-1] != rows or not k.rises(start):
            raise DataError(f"{name}_start: expected numbers that rise from 0 to {rows}, the number of rows")


def rows_of(boards: Boards) -> dict[str, int]:
    """Return how many rows each table has; dtypes, lengths and layouts are as they should be."""
    _check_columns("states", boards.states, len(boards))
    rows = {}
    for name in TABLES:
        columns, start = boards.table(name)
        rows[name] = len(columns[0])
        _check_columns(name, columns, rows[name])
        if not isinstance(start, np.ndarray) or start.dtype != np.int64 or start.shape != (len(boards) + 1,):
            raise DataError(
                f"{name}_start: expected an int64 array of {len(boards) + 1}, one more than states, found {start!r}"
            )
        if not _is_plain(start):
            raise DataError(f"{name}_start: expected a contiguous array, found a strided one; use its .copy()")
    return rows


def _check_columns(name: str, columns: Any, rows: int) -> None:
    for (field, dtype), column in zip(DTYPES[type(columns)].items(), columns, strict=True):
        if not isinstance(column, np.ndarray) or column.dtype != dtype or column.ndim != 1:
            shape = f"{column.dtype}{list(column.shape)}" if isinstance(column, np.ndarray) else repr(column)
            raise DataError(f"{name}.{field}: expected a one-dimensional array of {dtype}, found {shape}")
        if not _is_plain(column):
            raise DataError(f"{name}.{field}: expected a contiguous array, found a strided one; use its .copy()")
        if len(column) != rows:
            raise DataError(f"{name}.{field}: expected {rows} rows as in {columns._fields[0]}, found {len(column)}")


def _is_plain(column: NDArray[Any]) -> bool:
    return column.flags.c_contiguous and column.flags.aligned


class _Column(NamedTuple):
    table: str
    field: str
    values: NDArray[Any]
    start: Start
    limit: Limit


#: What no value of a column with limits is.
_NEVER: Final = -(2**63)


class LexiconLimits(NamedTuple):
    """What boards of a lexicon may hold."""

    of_columns: dict[str, dict[str, Limit]]
    in_passes: k.Limits
    #: The last seat that a trait's protection names or -1; empty if none names any.
    protected_from: NDArray[np.int64]
    #: The last seat that each text of an effect names or -1: in each of its fields, and in all.
    seats_in_fields: dict[str, NDArray[np.int64]]
    text_seat: NDArray[np.int64]
    #: The fault of a text without a source.
    without_source: NDArray[np.int64]


def limits_of(lexicon: Lexicon) -> LexiconLimits:
    """Return what boards of a lexicon may hold. Raises `DataError` for numbers that no card can have."""
    tables = lexicon.tables
    _check_traits(tables)
    of_columns = _limits(lexicon)
    limiting = np.diff(tables.limit_start) > 0
    protected_from = _last_player(tables.trait_protection)
    affects = tables.texts["affects"]
    seats_in_fields = {
        "affects": np.where(affects == b.AFFECTS_PLAYERS, -1 - tables.texts["players"], -1),
        "control": tables.texts["control"],
        "gain_protection": _last_player(tables.texts["gain_protection"]),
    }
    needs_source = (affects == b.AFFECTS_SELF) | (affects == b.AFFECTS_HOST)
    # Without a source, what a filter matches is fixed at the start for what layers change, and never for a rule.
    both = (affects == b.AFFECTS_FILTER) & (tables.texts["rule"] >= 0)
    both &= tables.texts["layers"] & ~b.LAYER_RULES != 0
    in_passes = k.Limits(
        _bounds(of_columns["states"], States),
        _bounds(of_columns["players"], Players),
        _bounds(of_columns["objects"], Objects),
        _bounds(of_columns["counters"], Counters),
        limiting,
        *_first_and_last(limiting),
        *_first_and_last(protected_from >= 0),
        int(protected_from.max(initial=-1)),
    )
    return LexiconLimits(
        of_columns,
        in_passes,
        protected_from if (protected_from >= 0).any() else protected_from[:0],
        seats_in_fields,
        np.maximum.reduce(list(seats_in_fields.values())),
        np.where(needs_source, k.EFFECT_WITHOUT_SOURCE, np.where(both, k.RULE_AND_CHANGE, 0)),
    )


#: The tables that are not looked at in passes over columns, and those that are.
_IN_PASSES: Final = ("players", "objects", "counters")
_BESIDE: Final = tuple(name for name in TABLES if name not in _IN_PASSES)


def _bounds(limits: dict[str, Limit], table: Any) -> NDArray[np.int64]:
    return np.array([limits[f][:2] if f in limits else (0, 0) for f in table._fields], np.int64)


def _first_and_last(chosen: NDArray[np.bool_]) -> tuple[int, int]:
    rows = np.flatnonzero(chosen)
    return (int(rows[0]), int(rows[-1])) if len(rows) else (0, -1)


#: Objects that a thread looks at in one call.
CHECKED: Final = 262_144


class Check:
    """Which boards cannot be judged, and which of the others have to be settled: chunk by chunk, in any order."""

    def __init__(self, boards: Boards) -> None:
        check_structure(boards)
        self._boards = boards.writeable
        self._limits = boards.lexicon.limits
        self.fault = np.zeros(len(boards), np.int16)
        self._row = np.zeros(len(boards), np.int32)
        self.needed = np.zeros(len(boards), np.bool_)
        self.marked = np.zeros(len(boards), np.bool_)
        self._beside = [name for name in _BESIDE if boards.rows[name]]

    @classmethod
    def of(cls, boards: Boards, threads: int) -> Check:
        """Look at all states."""
        check = cls(boards)
        for _ in each(check.look, list(spans(boards.objects_start, CHECKED)), threads):
            pass
        return check

    def look(self, span: range) -> None:
        """Look at some states."""
        if self._has_fault_beside(span):
            self._look_closely(span)
            return
        start = self._screen(span, True)
        while start < span.stop:
            doubtful = range(start, min(next(spans(self._boards.objects_start, start=start)).stop, span.stop))
            self._look_closely(doubtful)
            start = self._screen(range(doubtful.stop, span.stop), True)

    def _look_closely(self, span: range) -> None:
        """Look at states of which one may be faulty."""
        self.fault[span.start : span.stop] = 0
        self._find_faults(span)
        self._screen(span, False)

    def _screen(self, span: range, checks: bool) -> int:
        """Screen states up to one that may be faulty, and return which that is."""
        if not len(span):
            return span.stop
        boards = self._boards
        most = int(self._lengths("objects", span).max())
        with np.errstate(over="ignore"):  # boards that are not lawful may hold any number
            stop: int = look_run(
                boards.batch, self._limits.in_passes, checks, span.start, span.stop, _room(max(most, k.BLOCK)),
                self.fault, self._row, self.needed, self.marked,
            )  # fmt: skip
        return stop

    def _has_fault_beside(self, span: range) -> bool:
        """Whether something is wrong in the tables beside the objects."""
        states = (span.start, span.stop, self.fault, self._row)
        starts = {name: self._boards.table(name)[1] for name in self._beside}
        some = [name for name, start in starts.items() if start[span.start] < start[span.stop]]
        if not some:
            return False
        for column in self._columns(some):
            self._mark_outside(column, k.COLUMNS, span)
        self._mark_rows_beside(some, self._scratch(some, span), states)
        return bool(self.fault[span.start : span.stop].any())

    def _find_faults(self, span: range) -> None:
        """Find the first fault of each state."""
        for code, column in enumerate(self._all_columns, k.COLUMNS):
            self._mark_outside(column, code, span)
        boards = self._boards
        players, objects = boards.players_start, boards.objects_start
        scratch, states = self._scratch(TABLES, span), (span.start, span.stop, self.fault, self._row)
        k.mark_players(boards.states.variant, boards.states.active_player, boards.players, players, *states)
        k.mark_objects(
            boards.objects, objects, boards.players, players, self._limits.protected_from, scratch, *states
        )  # fmt: skip
        self._mark_rows_beside(("counters", *self._beside), scratch, states)

    @cached_property
    def _all_columns(self) -> list[_Column]:
        """The columns with limits, in the order in which faults are told."""
        return list(self._columns(("states", *_IN_PASSES, *_BESIDE)))

    def _columns(self, tables: Iterable[str]) -> Iterator[_Column]:
        for name in tables:
            columns, start = self._table(name)
            for field, limit in self._limits.of_columns[name].items():
                yield _Column(name, field, getattr(columns, field), start, limit)

    def _table(self, name: str) -> tuple[Any, Start]:
        boards = self._boards
        return (boards.states, np.arange(len(boards) + 1)) if name == "states" else boards.table(name)

    def _scratch(self, tables: Iterable[str], span: range) -> NDArray[np.int64]:
        """Return room for a hash table of the rows of any state in some tables."""
        most = max(int(self._lengths(name, span).max()) for name in tables)
        return np.empty(k.table_size(most), np.int64)

    def _lengths(self, table: str, span: range) -> NDArray[np.int64]:
        start = self._boards.table(table)[1]
        return start[span.start + 1 : span.stop + 1] - start[span.start : span.stop]

    def _mark_outside(self, column: _Column, code: int, span: range) -> None:
        limit = column.limit
        values = column.values[column.start[span.start] : column.start[span.stop]]
        if not len(values):
            return
        # What is within the narrowest limits of the chunk needs no second look, state by state.
        low, high = limit.low - self._fewest(limit.below, span), limit.high + self._fewest(limit.above, span)
        smallest = values.min() if limit.null is None else values.min(where=values > limit.null, initial=high)
        if smallest >= low and values.max() <= high:
            return
        below, above = (
            self._boards.table(name)[1] if name else self._no_rows for name in (limit.below, limit.above)
        )  # fmt: skip
        k.mark_outside(
            column.values, column.start, below, above, limit.low, limit.high,
            _NEVER if limit.null is None else limit.null, code, span.start, span.stop, self.fault, self._row,
        )  # fmt: skip

    def _fewest(self, table: str | None, span: range) -> int:
        if table is None:
            return 0
        return int(self._lengths(table, span).min())

    @cached_property
    def _no_rows(self) -> Start:
        return np.zeros(len(self._boards) + 1, np.int64)

    def _mark_rows_beside(self, tables: Sequence[str], scratch: NDArray[np.int64], states: tuple[Any, ...]) -> None:
        """Look at what must hold among the rows of a state; their values are within their limits."""
        boards = self._boards
        if "counters" in tables:
            columns, starts = boards.table("counters")
            k.mark_unsorted(columns.object, starts, k.COUNTERS_ORDER, *states)
            k.mark_repeated(self._counters, starts, scratch, k.COUNTERS_TWICE, *states)
        if "commander_damage" in tables:
            starts = boards.commander_damage_start
            k.mark_repeated(self._commander_damage, starts, scratch, k.COMMANDER_DAMAGE_TWICE, *states)
        if "world_since" in tables:
            columns, starts = boards.table("world_since")
            k.mark_repeated(columns.object, starts, scratch, k.WORLD_SINCE_TWICE, *states)
        if "components" in tables:
            columns, starts = boards.table("components")
            k.mark_unsorted(columns.object, starts, k.COMPONENTS_ORDER, *states)
            k.mark_components(columns, starts, boards.objects, boards.objects_start, *states)
        if "effects" in tables:
            columns, starts = boards.table("effects")
            k.mark_effects(
                columns.text, columns.source, starts, boards.players_start, self._limits.text_seat,
                self._limits.without_source, *states,
            )  # fmt: skip
            k.mark_repeated(columns.effect_id, starts, scratch, k.SAME_EFFECT_ID, *states)
        if "effect_objects" in tables:
            columns, starts = boards.table("effect_objects")
            k.mark_unsorted(columns.effect, starts, k.EFFECT_OBJECTS_ORDER, *states)

    @cached_property
    def _counters(self) -> NDArray[np.int64]:
        counters = self._boards.counters
        return _pairs(counters.object, counters.kind)

    @cached_property
    def _commander_damage(self) -> NDArray[np.int64]:
        damage = self._boards.commander_damage
        return _pairs(damage.seat, damage.commander)

    def problems(self) -> list[Problem]:
        """Return the boards that cannot be judged, in their order."""
        return [Problem(state, self.reason(state)) for state in np.flatnonzero(self.fault).tolist()]

    def unreadable(self) -> list[Problem]:
        """Return the boards with a number that stands for nothing, which no table can say."""
        if not (self.fault >= k.COLUMNS).any():
            return []
        closer = Check(self._boards)
        for code, column in enumerate(self._all_columns, k.COLUMNS):
            if not column.limit.is_plain:
                closer._mark_outside(column, code, range(len(self._boards)))
        return closer.problems()

    def reason(self, state: int) -> str:
        """Return the sentence about a state with a fault."""
        fault, row = int(self.fault[state]), int(self._row[state])
        if fault >= k.COLUMNS:
            column = self._all_columns[fault - k.COLUMNS]
            table, field, expected = column.table, column.field, column.limit.sentence(self._boards, state)
        else:
            table, field, expected = _CONTRADICTIONS[fault]
        boards = self._boards
        columns, start = self._table(table)
        found: Any = row if fault == k.TOO_MANY_PLAYERS else getattr(columns, field)[start[state] + row]
        if (table, field) == ("counters", "kind") and 0 <= found < len(boards.lexicon.counter_kinds):
            found = repr(boards.lexicon.counter_kinds[found])
        elif fault == k.PROTECTION_FROM_NOBODY:
            field, found = "protection", ", ".join(boards.lexicon.traits[found].protection)
        elif fault == k.TOP_COMPONENT:
            found = v.KINDS[found]
        elif fault in (k.EFFECT_WITHOUT_SOURCE, k.RULE_AND_CHANGE):
            found = "null"
        elif fault == k.EFFECT_ON_NOBODY:
            seats = {field: of_texts[found] for field, of_texts in self._limits.seats_in_fields.items()}
            field = max(seats, key=lambda name: seats[name])
            found = f"seat {seats[field]}"
        return row_sentence(
            table, row, int(boards.states.state_id[state]), self._key(table, columns, state, start[state] + row),
            f"{field}: expected {expected}, found {found}",
        )  # fmt: skip

    def _key(self, table: str, columns: Any, state: int, row: int) -> str:
        """Return the id by which users know a row."""
        if table == "objects":
            return f"object_id {columns.object_id[row]}"
        if table == "effects":
            return f"effect_id {columns.effect_id[row]}"
        objects = self._boards[state].objects.object_id
        if hasattr(columns, "object") and 0 <= columns.object[row] < len(objects):
            return f"object_id {objects[columns.object[row]]}"
        return ""


#: Each thread keeps the room for a block: fresh memory costs as much as looking at what is in it.
_kept = local()


def _room(objects: int) -> k.Room:
    """Return room for what is found out about so many objects."""
    if objects > k.BLOCK:
        return _make_room(objects)
    room: k.Room | None = getattr(_kept, "room", None)
    if room is None:
        room = _kept.room = _make_room(k.BLOCK)
    return room


def _make_room(objects: int) -> k.Room:
    return k.Room(np.empty(objects, np.uint8), np.empty((3, objects), np.int32), np.empty((2, objects), np.int32))


def _pairs(major: NDArray[Any], minor: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return pairs of numbers from 0 on as one number each."""
    return major.astype(np.int64) << 32 | minor


def _last_player(protection: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the last seat that each protection mask names, or -1."""
    players = protection.astype(np.uint64) >> np.uint64(v.PROTECTION_PLAYERS)
    return np.frexp(players.astype(np.float64))[1].astype(np.int64) - 1


def _check_traits(tables: LexiconTables) -> None:
    for field, values in (
        ("final_chapter", tables.trait_final_chapter),
        ("mana_value", tables.trait_mana_value),
        ("counter_limits", tables.limit_most),
    ):
        wrong = (values < 0) | (values > v.LARGEST)
        if wrong.any():
            found = values[wrong][0]
            raise DataError(f"lexicon, traits, {field}: expected a number from 0 to {v.LARGEST}, found {found}")


#: Table, field and what was expected.
_CONTRADICTIONS: Final = {
    k.TOO_MANY_PLAYERS: ("players", "seat", f"at most {v.MOST_PLAYERS} players"),
    k.ACTIVE_PLAYER: ("states", "active_player", "the seat of a player"),
    k.TEAM_LIFE: ("players", "life", "the life total of the team, equal for all its members who are in the game"),
    k.TEAM_POISON: ("players", "poison", "the poison of the team, equal for all its members who are in the game"),
    k.SAME_OBJECT_ID: ("objects", "object_id", "an id that no earlier object of the state has"),
    k.OWNER_NOT_IN_GAME: ("objects", "owner", "a player who is in the game, as its zone is not none"),
    k.PROTECTION_FROM_NOBODY: ("objects", "traits", "protection from players of the state only"),
    k.COUNTERS_ORDER: ("counters", "object", "rows sorted by object"),
    k.COUNTERS_TWICE: ("counters", "kind", "one row for each object and kind"),
    k.COMMANDER_DAMAGE_TWICE: ("commander_damage", "commander", "one row for each seat and commander"),
    k.WORLD_SINCE_TWICE: ("world_since", "object", "one row for each object"),
    k.SAME_EFFECT_ID: ("effects", "effect_id", "an id that no earlier effect of the state has"),
    k.EFFECT_WITHOUT_SOURCE: ("effects", "source", "an object, as it affects `self` or `host`"),
    k.RULE_AND_CHANGE: (
        "effects",
        "source",
        "an object, as it states both a rule and something that is fixed at the start; write two effects",
    ),
    k.EFFECT_ON_NOBODY: ("effects", "text", "seats of players of the state only"),
    k.EFFECT_OBJECTS_ORDER: ("effect_objects", "effect", "rows sorted by effect"),
    k.COMPONENTS_ORDER: ("components", "object", "rows sorted by object"),
    k.COMPONENT_OWNER: ("components", "owner", "the owner of the permanent, who owns all of it (CR 701.42a, 702.140a)"),
    k.TOP_COMPONENT: ("components", "kind", "on top what the object is, a card or a token (CR 730.2d)"),
}
