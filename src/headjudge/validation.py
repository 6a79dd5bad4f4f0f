"""Whether the boards of a batch can be judged, and why not.

Arrays that are not what `headjudge.kernels.tables` says are a `DataError`, values that no board can have a `Problem`.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from headjudge.boards import Boards, Problem, Start
from headjudge.errors import DataError, row_sentence
from headjudge.kernels import bits as b
from headjudge.kernels import validation as k
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import DTYPES, TABLES
from headjudge.lexicon import SUBTYPE_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from headjudge.kernels.tables import LexiconTables
    from headjudge.lexicon import Lexicon

#: States that one thread looks at in one go: many enough that calling compiled functions costs nothing.
_CHUNK: Final = 32768
INT16: Final = 2**15 - 1
INT32: Final = 2**31 - 1


class Limit(NamedTuple):
    """What a column may hold: from `low` less the rows of `below` to `high` plus those of `above`.

    Values up to `null` stand for nothing.
    """

    low: int
    high: int
    expected: str
    null: int | None = None
    below: str | None = None
    above: str | None = None

    def sentence(self, boards: Boards, state: int) -> str:
        """Return what was expected in one state."""
        low = self.low - (_rows(boards, self.below, state) if self.below else 0)
        high = self.high + (_rows(boards, self.above, state) if self.above else 0)
        return self.expected.format(low=low, high=high)


def _rows(boards: Boards, table: str, state: int) -> int:
    start = boards.table(table)[1]
    return int(start[state + 1] - start[state])


def _index(words: tuple[Any, ...], what: str) -> Limit:
    return Limit(0, len(words) - 1, f"a {what} ({{low}} to {{high}})")


def _mask(words: tuple[str, ...]) -> Limit:
    return Limit(0, (1 << len(words)) - 1, f"bits of {', '.join(words)} ({{low}} to {{high}})")


def _number(low: int, high: int) -> Limit:
    return Limit(low, high, "a number from {low} to {high}")


def _row_of(table: str, what: str) -> Limit:
    return Limit(0, -1, f"{what} of the state ({{low}} to {{high}})", above=table)


def _or_none(limit: Limit, none: int = -1) -> Limit:
    """Allow the value just below the others."""
    return limit._replace(low=none, expected=f"{limit.expected}; {none} is none")


_COUNT: Final = _number(0, v.LARGEST)
_NUMBER: Final = _number(-v.LARGEST, v.LARGEST)
_SEAT: Final = _row_of("players", "the seat of a player")
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
            "kind": Limit(own_kinds, kinds, "a kind without a column of its own ({low} to {high})"),
            "count": _COUNT,
        },
        "commander_damage": {"seat": _SEAT, "commander": _OBJECT, "amount": _COUNT},
        "keeps": {"object": _OBJECT, "attachment": _OBJECT},
        "world_since": {"object": _OBJECT},
        "effects": {
            "effect_id": _number(0, INT32),
            "text": _index(lexicon.effects, "row of Lexicon.effects"),
            "source": _OBJECT._replace(null=v.NONE),
            "controller": _or_none(_SEAT),
            "until": _index(v.DURATIONS, "duration"),
        },
        "effect_objects": {"effect": _row_of("effects", "the row of an effect"), "object": _OBJECT},
        "components": {"object": _OBJECT, "name": name, "kind": _index(v.KINDS, "kind"), "owner": _SEAT},
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
    _check_structure(boards)
    check = _Check(boards)
    starts = range(0, len(boards), _CHUNK)
    workers = min(threads or os.cpu_count() or 1, len(starts))
    if workers > 1:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(check.chunk, starts))
    else:
        list(map(check.chunk, starts))
    return [Problem(state, check.reason(state)) for state in np.flatnonzero(check.fault).tolist()]


def _tables(boards: Boards) -> Iterator[tuple[str, Any, Start]]:
    yield "states", boards.states, np.arange(len(boards) + 1)
    for name in TABLES:
        yield name, *boards.table(name)


def _check_structure(boards: Boards) -> None:
    states = len(boards)
    for name, columns, start in _tables(boards):
        rows = len(columns[0])
        for (field, dtype), column in zip(DTYPES[type(columns)].items(), columns, strict=True):
            if not isinstance(column, np.ndarray) or column.dtype != dtype or column.ndim != 1:
                shape = f"{column.dtype}{list(column.shape)}" if isinstance(column, np.ndarray) else repr(column)
                raise DataError(f"{name}.{field}: expected a one-dimensional array of {dtype}, found {shape}")
            if not (column.flags.c_contiguous and column.flags.aligned):
                raise DataError(f"{name}.{field}: expected a contiguous array, found a strided one; use its .copy()")
            if len(column) != rows:
                raise DataError(f"{name}.{field}: expected {rows} rows as in {columns._fields[0]}, found {len(column)}")
        if name == "states":
            continue
        if not isinstance(start, np.ndarray) or start.dtype != np.int64 or start.shape != (states + 1,):
            raise DataError(
                f"{name}_start: expected an int64 array of {states + 1}, one more than states, found {start!r}"
            )
        if not (start.flags.c_contiguous and start.flags.aligned):
            raise DataError(f"{name}_start: expected a contiguous array, found a strided one; use its .copy()")
        if start[0] != 0 or start[-1] != rows or (start[1:] < start[:-1]).any():
            raise DataError(f"{name}_start: expected numbers that rise from 0 to {rows}, the number of rows")


class _Column(NamedTuple):
    table: str
    field: str
    values: NDArray[Any]
    start: Start
    limit: Limit
    nulls: tuple[Any, ...]  # the limit's null and the dtype's largest number, as scalars of the dtype


def _column(table: str, field: str, values: NDArray[Any], start: Start, limit: Limit) -> _Column:
    dtype = values.dtype
    nulls = () if limit.null is None else (dtype.type(limit.null), dtype.type(np.iinfo(dtype).max))
    return _Column(table, field, values, start, limit, nulls)


#: What no value of a column with limits is.
_NEVER: Final = -(2**63)


class _Check:
    """What `validate` finds, chunk by chunk."""

    def __init__(self, boards: Boards) -> None:
        self._boards = boards
        limits = _limits(boards.lexicon)
        self._columns = [
            _column(name, field, getattr(columns, field), start, limit)
            for name, columns, start in _tables(boards)
            if len(columns[0])
            for field, limit in limits[name].items()
        ]
        self._starts = {name: boards.table(name)[1] for name in TABLES}
        self._no_rows = np.zeros(len(boards) + 1, np.int64)
        self.fault = np.zeros(len(boards), np.int64)
        self._row = np.zeros(len(boards), np.int64)
        self._counters = _pairs(boards.counters.object, boards.counters.kind)
        self._commander_damage = _pairs(boards.commander_damage.seat, boards.commander_damage.commander)
        tables = boards.lexicon.tables
        _check_traits(tables)
        protected_from = _last_player(tables.trait_protection)
        self._protected_from = protected_from if (protected_from >= 0).any() else protected_from[:0]
        affects = tables.texts["affects"]
        affected = np.where(affects == b.AFFECTS_PLAYERS, -1 - tables.texts["players"], -1)
        protected_from = _last_player(tables.texts["gain_protection"])
        self._text_seat = np.maximum(np.maximum(affected, tables.texts["control"]), protected_from)
        needs_source = (affects == b.AFFECTS_SELF) | (affects == b.AFFECTS_HOST)
        # Without a source, what a filter matches is fixed at the start for what layers change, and never for a rule.
        both = (affects == b.AFFECTS_FILTER) & (tables.texts["rule"] >= 0)
        both &= tables.texts["layers"] & ~b.LAYER_RULES != 0
        self._without_source = np.where(needs_source, k.EFFECT_WITHOUT_SOURCE, np.where(both, k.RULE_AND_CHANGE, 0))

    def chunk(self, start: int) -> None:
        """Look at the states from `start` on."""
        stop = min(start + _CHUNK, len(self._boards))
        lengths = {name: np.diff(s[start : stop + 1]) for name, s in self._starts.items()}
        fewest = {name: int(n.min()) for name, n in lengths.items()}
        for code, column in enumerate(self._columns, k.COLUMNS):
            self._check_column(code, column, start, stop, fewest)
        scratch = np.empty(k.table_size(max(int(n.max()) for n in lengths.values())), np.int64)
        self._check_rows(scratch, (start, stop, self.fault, self._row))

    def _check_rows(self, scratch: NDArray[np.int64], states: tuple[Any, ...]) -> None:
        """Look at what must hold among the rows of a state; their values are within their limits."""
        boards = self._boards
        players, objects = boards.players_start, boards.objects_start
        k.mark_players(boards.states.variant, boards.states.active_player, boards.players, players, *states)
        k.mark_objects(
            boards.objects, objects, boards.players.flags, players, self._protected_from, scratch, *states
        )  # fmt: skip
        if len(boards.counters.object):
            columns, starts = boards.table("counters")
            k.mark_unsorted(columns.object, starts, k.COUNTERS_ORDER, *states)
            k.mark_repeated(self._counters, starts, scratch, k.COUNTERS_TWICE, *states)
        if len(self._commander_damage):
            starts = boards.commander_damage_start
            k.mark_repeated(self._commander_damage, starts, scratch, k.COMMANDER_DAMAGE_TWICE, *states)
        if len(boards.world_since.object):
            columns, starts = boards.table("world_since")
            k.mark_repeated(columns.object, starts, scratch, k.WORLD_SINCE_TWICE, *states)
        if len(boards.components.object):
            columns, starts = boards.table("components")
            k.mark_unsorted(columns.object, starts, k.COMPONENTS_ORDER, *states)
        if len(boards.effects.text):
            columns, starts = boards.table("effects")
            k.mark_effects(
                columns.text, columns.source, starts, players, self._text_seat, self._without_source, *states
            )  # fmt: skip
            k.mark_repeated(columns.effect_id, starts, scratch, k.SAME_EFFECT_ID, *states)
            columns, starts = boards.table("effect_objects")
            k.mark_unsorted(columns.effect, starts, k.EFFECT_OBJECTS_ORDER, *states)

    def _check_column(self, code: int, column: _Column, start: int, stop: int, fewest: dict[str, int]) -> None:
        limit = column.limit
        first, last = column.start[start], column.start[stop]
        if first == last:
            return
        extremes = k.extremes_above if column.nulls else k.extremes
        smallest, largest = extremes(column.values, first, last, *column.nulls)
        # What is within the narrowest limits of the chunk needs no second look, state by state.
        if smallest < limit.low - fewest.get(limit.below or "", 0) or largest > limit.high + fewest.get(
            limit.above or "", 0
        ):
            k.mark_outside(
                column.values, column.start, self._starts.get(limit.below or "", self._no_rows),
                self._starts.get(limit.above or "", self._no_rows), limit.low, limit.high,
                _NEVER if limit.null is None else limit.null, code, start, stop, self.fault, self._row,
            )  # fmt: skip

    def reason(self, state: int) -> str:
        """Return the sentence about a state with a fault."""
        fault, row = int(self.fault[state]), int(self._row[state])
        if fault >= k.COLUMNS:
            column = self._columns[fault - k.COLUMNS]
            table, field, expected = column.table, column.field, column.limit.sentence(self._boards, state)
        else:
            table, field, expected = _CONTRADICTIONS[fault]
        boards = self._boards
        columns, start = (boards.states, np.arange(len(boards) + 1)) if table == "states" else boards.table(table)
        found = row if fault == k.TOO_MANY_PLAYERS else getattr(columns, field)[start[state] + row]
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
}
