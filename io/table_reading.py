"""Boards from Arrow tables: the tables of a data set, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from headjudge.boards import Boards
from headjudge.effects import EffectText
from headjudge.effects import Objects as ObjectsAffected
from headjudge.errors import DataError, check_type
from headjudge.io import table_words as w
from headjudge.io.table_columns import Reasons, Rows, distinct_numbers, distinct_rows, keys, sort_order
from headjudge.io.table_schema import FULL, as_table, check_tables
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import (
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
from headjudge.lexicon import LexiconBuilder, Trait

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from headjudge.boards import Start
    from headjudge.effects import Affects

_INT16: Final = 2**15 - 1
_INT32: Final = 2**31 - 1
_INT64: Final = 2**63 - 1
_LAST_SEAT: Final = v.MOST_PLAYERS - 1
#: Stands for an effect that cannot be read; written out it says nothing, so that reading it again fails again.
_UNREADABLE: Final = EffectText(ObjectsAffected())


def boards_from_arrow(tables: Mapping[str, pa.Table]) -> Boards:
    """Make a batch of the tables of a data set.

    Columns may be of any integer width, plain or dictionary strings, in any order; sets may be lists. Columns whose
    dtype agrees share their memory with the tables. Rows are sorted by `state_id` where they are not.

    Parameters
    ----------
    tables : Mapping[str, pa.Table]
        By name; `states` must be among them, a table that is missing has no rows. Whatever has an Arrow stream, such
        as frames of pandas and Polars, is a table as well.

    Returns
    -------
    Boards
        States with a value that cannot be read have a reason in `problems`, and a default in place of the value.

    Raises
    ------
    DataError
        For tables and columns that are unknown, missing or of the wrong type, and for keys that fit no state.
    """
    by_name = isinstance(tables, Mapping)
    check_type(
        "tables", tables, by_name, "tables by name, {'states': table, ...}; headjudge.settle(boards) takes boards"
    )
    tables = {name: as_table(name, table) for name, table in tables.items()}
    check_tables({name: table.schema for name, table in tables.items()})
    complete = {name: tables[name] if name in tables else schema.empty_table() for name, schema in FULL.items()}
    return _Reading(complete).boards()


class _Reading:
    """A batch in the making."""

    def __init__(self, tables: Mapping[str, pa.Table]) -> None:
        self._lexicon = LexiconBuilder()
        state_id = _state_ids(tables["states"])
        self._reasons = Reasons(state_id)
        self._rows = {name: Rows(name, table, state_id, self._reasons) for name, table in tables.items()}
        self._state_id = state_id
        self._tables: dict[str, tuple[Any, Start]] = {}

    def boards(self) -> Boards:
        """Return the batch."""
        states = self._states()
        self._players()
        objects = self._rows["objects"]
        self._finder = _Finder(objects.known_by("object_id"), objects.start)
        self._objects()
        self._counters()
        self._commander_damage()
        self._effects()
        self._components()
        return Boards.of(states, self._tables, self._lexicon.build(), self._reasons.problems())

    def _states(self) -> States:
        rows = self._rows["states"]
        return States(
            state_id=self._state_id,
            variant=rows.words("variant", np.uint8, w.mask_of("variant", v.VARIANTS), 0),
            active_player=rows.numbers("active_player", np.int16, 0, _LAST_SEAT, 0),
            step=rows.words("step", np.uint8, w.index_of("step", v.STEPS), v.STEPS.index("precombat_main")),
            skips=rows.words("skips", np.uint16, w.mask_of("skips", v.STEPS), 0),
            round_expired=rows.flags(["round_expired"], [], np.uint8).view(np.bool_),
            planar_controller=rows.numbers("planar_controller", np.int16, 0, _LAST_SEAT, v.NO_SEAT),
        )

    def _players(self) -> None:
        rows = self._rows["players"]
        rows.sort_within("seat")
        seat = rows.known_by("seat")
        rows.fault(
            np.flatnonzero(seat != rows.within),
            lambda row: f"seat: expected seats from 0 on without gaps, each once, found {seat[row]}",
        )
        flags = rows.flags(v.PLAYER_FLAGS[: -len(v.DESIGNATIONS)], ["in_game"], np.uint8)
        designations = w.mask_of("designations", v.DESIGNATIONS, v.PLAYER_FLAGS)
        players = Players(
            team=rows.numbers("team", np.int16, 0, _INT16, rows.within),
            life=rows.numbers("life", np.int32, -v.LARGEST, v.LARGEST, 20),
            poison=rows.numbers("poison", np.int32, 0, v.LARGEST, 0),
            speed=rows.numbers("speed", np.int8, 0, v.MAX_SPEED, v.NO_SPEED),
            flags=flags | rows.words("designations", np.uint8, designations, 0),
        )
        self._tables["players"] = (players, rows.start)

    def _objects(self) -> None:
        rows = self._rows["objects"]

        def counts(column: str) -> NDArray[Any]:
            return rows.numbers(column, np.int32, 0, v.LARGEST, 0)

        def masks(column: str, words: tuple[str, ...], dtype: type[np.integer[Any]]) -> NDArray[Any]:
            return rows.words(column, dtype, w.mask_of(column, words), 0)

        object_id = rows.numbers("object_id", np.int32, 0, _INT32, None)
        controller = rows.numbers("controller", np.int16, 0, _LAST_SEAT, None)
        timestamp = rows.numbers("timestamp", np.int64, -v.MOST_TIME, v.MOST_TIME, rows.within)
        objects = Objects(
            object_id=object_id,
            name=rows.words("name", np.int32, self._lexicon.name, v.NAMELESS),
            kind=rows.words("kind", np.uint8, w.index_of("kind", v.KINDS), v.KINDS.index("card")),
            zone=rows.words("zone", np.uint8, w.index_of("zone", v.ZONES), v.ZONES.index("battlefield")),
            controller=controller,
            owner=rows.numbers("owner", np.int16, 0, _LAST_SEAT, controller),
            types=masks("types", v.TYPES, np.uint16),
            supertypes=masks("supertypes", v.SUPERTYPES, np.uint8),
            colors=masks("colors", v.COLORS, np.uint8),
            subtypes=rows.words("subtypes", np.int32, lambda text: self._lexicon.subtypes(w.parse_subtypes(text)), 0),
            power=rows.numbers("power", np.int32, -v.LARGEST, v.LARGEST, v.NULL),
            toughness=rows.numbers("toughness", np.int32, -v.LARGEST, v.LARGEST, v.NULL),
            timestamp=timestamp,
            keywords=masks("keywords", v.KEYWORDS, np.uint16),
            traits=self._traits(),
            flags=rows.flags(v.OBJECT_FLAGS, ["face_up"], np.uint16),
            damage=counts("damage"),
            attached_to=self._references(rows, "attached_to", players=True),
            attacking=self._references(rows, "attacking", players=True, nothing=True),
            source=self._references(rows, "source"),
            **{column: counts(column) for column in v.COUNTER_COLUMNS},
            regeneration=rows.numbers("regeneration", np.int16, 0, _INT16, 0),
            protector=rows.numbers("protector", np.int16, 0, _LAST_SEAT, v.NO_SEAT),
            sector=rows.words("sector", np.int8, w.index_of("sector", v.SECTORS), v.NO_SECTOR),
        )
        self._tables["objects"] = (objects, rows.start)
        self._keeps()
        if "world_since" in rows:
            since = rows.numbers("world_since", np.int64, -v.MOST_TIME, v.MOST_TIME, timestamp)
            differs = np.flatnonzero(since != timestamp)
            self._side_table("world_since", rows, differs, WorldSince(rows.within[differs], since[differs]))

    def _traits(self) -> NDArray[np.int32]:
        rows = self._rows["objects"]
        plain = Trait()
        columns: dict[str, tuple[NDArray[Any], Sequence[Any]]] = {
            "enchant": rows.texts("enchant", w.parse_enchant, plain.enchant),
            "protection": rows.texts("protection", w.parse_protection, plain.protection),
            "graveyard_replacement": rows.texts(
                "graveyard_replacement",
                lambda text: v.GRAVEYARD_REPLACEMENTS[
                    w.index_of("graveyard_replacement", v.GRAVEYARD_REPLACEMENTS)(text)
                ],
                plain.graveyard_replacement,
            ),
            "counter_limits": rows.texts("counter_limits", w.parse_counter_limits, plain.counter_limits),
        }
        for column in ("final_chapter", "mana_value"):
            if column in rows:
                columns[column] = distinct_numbers(rows.numbers(column, np.int32, 0, v.LARGEST, 0))
        codes, distinct = distinct_rows([(codes, len(meanings)) for codes, meanings in columns.values()])
        traits = [
            self._lexicon.trait(
                Trait(**{name: columns[name][1][code] for name, code in zip(columns, row, strict=True)})
            )
            for row in distinct
        ]
        return np.array(traits, np.int32)[codes]

    def _references(self, rows: Rows, column: str, players: bool = False, nothing: bool = False) -> NDArray[np.int32]:
        """Return references to objects of the state, and to players where those may stand."""
        references = np.full(len(rows), v.NONE, np.int32)
        if column not in rows:
            return references
        numbers, nulls = rows.numbers_and_nulls(column)
        stated = np.arange(len(rows)) if nulls is None else np.flatnonzero(~nulls)
        ids = numbers[stated]
        ids = np.minimum(ids, ids.dtype.type(min(np.iinfo(ids.dtype).max, _INT64))).astype(np.int64)
        found = self._finder.rows(rows.state[stated], ids)
        as_they_are = (ids < 0) & (ids >= -v.MOST_PLAYERS) if players else np.zeros(len(ids), np.bool_)
        if nothing:
            as_they_are |= ids == v.NOTHING
        references[stated] = np.where(as_they_are, ids, found)
        dangling = stated[(found < 0) & ~as_they_are]
        expected = "an object_id of the state" + (" or a player as -1 - seat" if players else "")
        rows.fault(dangling, lambda row: f"{column}: expected {expected}, found {numbers[row]}")
        references[dangling] = v.NONE
        return references

    def _found(self, rows: Rows, column: str, ids: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the objects that rows are about, -1 for those that are not there."""
        found = self._finder.rows(rows.state, ids)
        rows.fault(
            np.flatnonzero(found < 0), lambda row: f"{column}: expected an object_id of the state, found {ids[row]}"
        )
        return found

    def _lists(
        self, rows: Rows, column: str, codes: NDArray[Any], lists: list[tuple[int, ...]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return one row an object of lists of ids: the row whose list it is, and the object."""
        lengths = np.array([len(ids) for ids in lists])
        chosen = np.flatnonzero(lengths[codes])
        own = lengths[codes[chosen]]
        row = np.repeat(chosen, own)
        before = np.cumsum(own) - own
        first = (np.cumsum(lengths) - lengths)[codes[chosen]]
        ids = np.array([i for members in lists for i in members], np.int64)
        ids = ids[np.arange(len(row)) + np.repeat(first - before, own)]
        found = self._finder.rows(rows.state[row], ids)
        missing = np.flatnonzero(found < 0)
        which = dict(zip(row[missing][::-1].tolist(), ids[missing][::-1].tolist(), strict=True))
        rows.fault(
            np.unique(row[missing]), lambda row: f"{column}: expected object_ids of the state, found {which[row]}"
        )
        return row[found >= 0], found[found >= 0]

    def _side_table(self, name: str, rows: Rows, chosen: NDArray[np.int64], columns: Any) -> None:
        """Take a table with a row for each of the `chosen` rows, given in rising order of their states."""
        counts = np.bincount(rows.state[chosen], minlength=len(self._state_id))
        self._tables[name] = (columns, np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))))

    def _keeps(self) -> None:
        rows = self._rows["objects"]
        if "keeps_attachments" in rows:
            none: tuple[int, ...] = ()
            codes, lists = rows.texts("keeps_attachments", w.parse_keeps, none)
            row, kept = self._lists(rows, "keeps_attachments", codes, lists)
            self._side_table("keeps", rows, row, Keeps(rows.within[row], kept))

    def _counters(self) -> None:
        rows = self._rows["counters"]
        found = self._found(rows, "object_id", rows.known_by("object_id"))
        kind = rows.words("kind", np.int32, lambda text: self._lexicon.counter_kind(w.parse_counter_kind(text)), -1)
        rows.fault(np.flatnonzero(kind < 0), lambda row: "kind: expected a word, found null")
        count = rows.numbers("count", np.int32, 0, v.LARGEST, None)
        order = np.lexsort((kind, found, rows.state))
        order = order[(found[order] >= 0) & (kind[order] >= 0)]
        self._side_table("counters", rows, order, Counters(found[order], kind[order], count[order]))

    def _commander_damage(self) -> None:
        rows = self._rows["commander_damage"]
        found = self._found(rows, "commander", rows.known_by("commander"))
        seat = rows.numbers("seat", np.int16, 0, _LAST_SEAT, None)
        amount = rows.numbers("amount", np.int32, 0, v.LARGEST, None)
        order = np.lexsort((found, seat, rows.state))
        order = order[found[order] >= 0]
        columns = CommanderDamage(seat[order], found[order], amount[order])
        self._side_table("commander_damage", rows, order, columns)

    def _components(self) -> None:
        rows = self._rows["components"]
        found = self._found(rows, "object_id", rows.known_by("object_id"))
        position = rows.numbers("position", np.int64, 0, _INT32, rows.within)
        order = np.lexsort((position, found, rows.state))
        order = order[found[order] >= 0]
        key = np.stack([rows.state[order], found[order], position[order]])
        twice = np.sort(order[1:][(key[:, 1:] == key[:, :-1]).all(axis=0)])
        rows.fault(
            twice, lambda row: f"position: expected another for each component of the object, found {position[row]}"
        )
        objects, start = self._tables["objects"]
        owner = np.zeros(len(rows), np.int16)
        owner[order] = objects.owner[start[rows.state[order]] + found[order]]
        columns = Components(
            object=found,
            name=rows.words("name", np.int32, self._lexicon.name, v.NAMELESS),
            kind=rows.words("kind", np.uint8, w.index_of("kind", v.COMPONENT_KINDS), v.KINDS.index("card")),
            owner=rows.numbers("owner", np.int16, 0, _LAST_SEAT, owner),
        )
        self._side_table("components", rows, order, Components(*(column[order] for column in columns)))

    def _effects(self) -> None:
        rows = self._rows["effects"]
        rows.known_by("effect_id")
        nothing: tuple[Affects | None, tuple[int, ...]] = (None, ())
        codes, affects = rows.texts("affects", w.parse_affects, nothing)
        effects = Effects(
            effect_id=rows.numbers("effect_id", np.int32, 0, _INT32, None),
            text=self._effect_texts(rows, codes, [what for what, _ in affects]),
            source=self._references(rows, "source"),
            controller=rows.numbers("controller", np.int16, 0, _LAST_SEAT, v.NO_SEAT),
            until=rows.words("until", np.uint8, w.index_of("until", v.DURATIONS), 0),
            timestamp=rows.numbers("timestamp", np.int64, -v.MOST_TIME, v.MOST_TIME, v.NO_TIMESTAMP),
        )
        self._tables["effects"] = (effects, rows.start)
        row, affected = self._lists(rows, "affects", codes, [ids for _, ids in affects])
        self._side_table("effect_objects", rows, row, EffectObjects(rows.within[row], affected))

    def _effect_texts(self, rows: Rows, codes: NDArray[Any], affects: list[Affects | None]) -> NDArray[np.int32]:
        # Lists of objects are no part of the text: all of them are one thing to affect.
        distinct_affects = list(dict.fromkeys(affects))
        own = np.array([distinct_affects.index(what) for what in affects])
        columns: dict[str, tuple[NDArray[Any], list[Any]]] = {"affects": (own[codes], distinct_affects)}
        for column in w.EFFECT_COLUMNS:
            if column in rows:
                columns[column] = self._effect_field(rows, column)
        codes, distinct = distinct_rows([(codes, len(meanings)) for codes, meanings in columns.values()])
        wrong: dict[int, str] = {}
        texts = []
        for i, row in enumerate(distinct):
            given = {name: columns[name][1][code] for name, code in zip(columns, row, strict=True)}
            try:
                text = w.parse_effect(given)
            except DataError as error:
                wrong[i] = str(error)
                text = _UNREADABLE
            texts.append(self._lexicon.effect(text))
        rows.fault(np.flatnonzero(np.isin(codes, list(wrong))), lambda row: wrong[int(codes[row])])
        return np.array(texts, np.int32)[codes]

    def _effect_field(self, rows: Rows, column: str) -> tuple[NDArray[Any], list[Any]]:
        dtype = FULL["effects"].field(column).type
        if pa.types.is_boolean(dtype):
            return rows.flags([column], [], np.uint8), [None, True]
        if pa.types.is_integer(dtype):
            null = np.iinfo(np.int64).min
            most = v.LARGEST**2 if pa.types.is_int64(dtype) else v.LARGEST  # amounts that were counted may be large
            numbers = rows.numbers(column, np.int64, -most, most, null)
            encoded = pa.array(numbers, mask=numbers == null).dictionary_encode(null_encoding="encode")
            return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()
        return rows.texts(column, w.parse_effect_field(column), None)


def _state_ids(table: pa.Table) -> NDArray[np.int64]:
    """Return the ids of all states, sorted; `DataError` if one stands there twice."""
    given = keys("states", table, "state_id")
    order = sort_order(given)
    state_id = given if order is None else given[order]
    twice = np.flatnonzero(state_id[1:] == state_id[:-1]) + 1
    if len(twice):
        row = twice[0] if order is None else order[twice[0]]
        raise DataError(f"states row {row}, state_id: expected each state once, found {given[row]} again")
    return state_id


class _Finder:
    """Finds the rows of objects within their states."""

    def __init__(self, object_id: NDArray[np.int64], start: Start) -> None:
        self._count = np.diff(start).astype(np.int32)
        state = np.repeat(np.arange(len(self._count)), self._count)
        within = np.arange(len(object_id)) - np.repeat(start[:-1], self._count)
        #: Most tools number the objects of a state from 0 on: then an id is a row.
        self._ids_are_rows = np.array_equal(object_id, within)
        if not self._ids_are_rows:
            keys = state << 32 | np.clip(object_id, -1, _INT32)
            order = sort_order(keys)
            self._keys = keys if order is None else keys[order]
            self._rows = within if order is None else within[order]

    def rows(self, state: NDArray[np.int32], ids: NDArray[Any]) -> NDArray[np.int32]:
        """Return the rows of objects, -1 for those that are not there."""
        if self._ids_are_rows:
            return np.where((ids >= 0) & (ids < self._count[state]), ids, -1).astype(np.int32)
        keys = state.astype(np.int64) << 32 | np.clip(ids, 0, _INT32).astype(np.int64)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        there = (self._keys[place] == keys) & (ids >= 0) & (ids <= _INT32)
        return np.where(there, self._rows[place], -1).astype(np.int32)
