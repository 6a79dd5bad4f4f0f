"""Boards to Arrow tables: the tables of a data set, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headjudge.effects import Objects as ObjectsAffected
from headjudge.errors import DataError
from headjudge.io import table_words as w
from headjudge.io.table_schema import FULL, REQUIRED, Schema
from headjudge.kernels import vocabulary as v
from headjudge.validation import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from headjudge.boards import Boards, Start


class _Column(NamedTuple):
    """A column that may be written."""

    is_stated: bool  # holds something else than the default
    make: Callable[[], pa.Array]


_Columns = dict[str, _Column]


def schema_in_use(boards: Boards) -> Schema:
    """Return the tables that have rows, and their columns that hold something else than defaults."""
    return _schema_of(boards, _columns(boards))


def boards_to_arrow(boards: Boards, *, all_columns: bool = False, schema: Schema | None = None) -> dict[str, pa.Table]:
    """Return the tables of a data set.

    Parameters
    ----------
    boards : Boards
    all_columns : bool
        Write every column there is; by default those that hold only defaults, and tables without rows, are left out.
    schema : Schema, optional
        Write just these tables and columns: so that all parts of a data set have the same ones.

    Raises
    ------
    DataError
        If a table or column that `schema` leaves out holds something, or a board could not be read.
    """
    if problems := boards.problems or Check.of(boards, 1).unreadable():
        state, reason = problems[0]
        raise DataError(
            f"expected boards that could be read, found {len(problems)} that could not, such as that of "
            f"state_id {boards.states.state_id[state]}: {reason}"
        )
    columns = _columns(boards)
    in_use = _schema_of(boards, columns)
    chosen = schema or (FULL if all_columns else in_use)
    for table, needed in in_use.items():
        missing = [name for name in needed.names if table not in chosen or name not in chosen[table].names]
        if missing:
            raise DataError(
                f"{table}: expected nothing in columns that are not written, found some in {', '.join(missing)}"
            )
    return {
        table: pa.Table.from_arrays([columns[table][name].make() for name in fields.names], schema=fields)
        for table, fields in chosen.items()
    }


def _schema_of(boards: Boards, columns: dict[str, _Columns]) -> Schema:
    return {
        table: pa.schema([field for field in FULL[table] if own[field.name].is_stated or field.name in REQUIRED[table]])
        for table, own in columns.items()
        if table == "states" or len(boards.table(table)[0][0])
    }


def _columns(boards: Boards) -> dict[str, _Columns]:
    tables = {
        "states": _states(boards),
        "players": _players(boards),
        "objects": _objects(boards),
        "counters": _counters(boards),
        "commander_damage": _commander_damage(boards),
        "effects": _effects(boards),
        "components": _components(boards),
    }
    for name, columns in tables.items():
        columns["state_id"] = _Column(True, _state_ids(boards, name))
    return tables


def _state_ids(boards: Boards, table: str) -> Callable[[], pa.Array]:
    state_id = boards.states.state_id
    return lambda: pa.array(state_id if table == "states" else np.repeat(state_id, np.diff(boards.table(table)[1])))


def _numbers(values: NDArray[Any], default: int | NDArray[Any] | None = None, null: int | None = None) -> _Column:
    """Return numbers as they are; `null` is null, and the default unless there is another."""
    usual = null if default is None else default
    is_stated = usual is None or bool((values != usual).any())
    return _Column(is_stated, lambda: pa.array(values, mask=None if null is None else values == null))


def _texts(codes: NDArray[Any], meanings: Sequence[str | None], default: str | None, index: type = np.int32) -> _Column:
    """Return what each code means, of which several may mean the same; None is null."""
    words = {word: i for i, word in enumerate(dict.fromkeys(word for word in meanings if word is not None))}
    row: NDArray[Any] = np.array([-1 if word is None else words[word] for word in meanings], index)
    is_stated = any(word != default for word in meanings) and bool(
        np.array([word != default for word in meanings])[codes].any()
    )

    def make() -> pa.Array:
        indices = row[codes]
        mask = indices < 0 if None in meanings else None
        return pa.DictionaryArray.from_arrays(pa.array(indices, mask=mask), pa.array(list(words), pa.string()))

    return _Column(is_stated, make)


def _words(codes: NDArray[Any], words: Sequence[str | None], default: str | None) -> _Column:
    return _texts(codes, words, default, np.int8)


def _sets(values: NDArray[Any], write: Callable[[int], Sequence[str]]) -> _Column:
    """Return sets of words, of which few are distinct; by default empty."""
    encoded = pa.array(values).dictionary_encode()
    return _texts(encoded.indices.to_numpy(), [w.join(write(x)) for x in encoded.dictionary.to_pylist()], "")


def _masks(values: NDArray[Any], words: tuple[str, ...]) -> _Column:
    return _sets(values, lambda bits: v.words_of(words, bits))


def _flags(values: NDArray[Any], words: Sequence[str], on: Sequence[str] = ()) -> _Columns:
    """Return bits as columns; those in `on` are set by default."""
    somewhere, everywhere = int(np.bitwise_or.reduce(values)), int(np.bitwise_and.reduce(values))

    def column(bit: int, default: bool) -> _Column:
        is_stated = len(values) > 0 and bool(not everywhere & bit if default else somewhere & bit)
        return _Column(is_stated, lambda: pa.array((values & np.asarray(bit, values.dtype)) != 0))

    return {word: column(1 << i, word in on) for i, word in enumerate(words)}


def _within(start: Start) -> NDArray[np.int64]:
    """Return the row of each row within its state."""
    return np.arange(start[-1]) - np.repeat(start[:-1], np.diff(start))


def _first_objects(boards: Boards, start: Start) -> NDArray[np.int64]:
    """Return for each row of a table the first object of its state."""
    return np.repeat(boards.objects_start[:-1], np.diff(start))


def _references(boards: Boards, values: NDArray[np.int32], start: Start) -> _Column:
    """Return references as tables have them: `object_id` in place of the row; none is null."""
    stated = values != v.NONE

    def make() -> pa.Array:
        references = values.copy()
        rows = np.flatnonzero(values >= 0)
        references[rows] = boards.objects.object_id[_first_objects(boards, start)[rows] + values[rows]]
        return pa.array(references, mask=~stated)

    return _Column(bool(stated.any()), make)


def _states(boards: Boards) -> _Columns:
    states = boards.states
    return {
        "variant": _masks(states.variant, v.VARIANTS),
        "active_player": _numbers(states.active_player, 0),
        "step": _words(states.step, v.STEPS, "precombat_main"),
        "skips": _masks(states.skips, v.STEPS),
        **_flags(states.round_expired.view(np.uint8), ["round_expired"]),
        "planar_controller": _numbers(states.planar_controller, null=v.NO_SEAT),
    }


def _players(boards: Boards) -> _Columns:
    players, start = boards.table("players")
    seat = _within(start).astype(np.int16)
    designations = players.flags & np.uint8(v.mask(v.PLAYER_FLAGS, v.DESIGNATIONS))
    return {
        "seat": _numbers(seat),
        "team": _numbers(players.team, seat),
        "life": _numbers(players.life, 20),
        "poison": _numbers(players.poison, 0),
        "speed": _numbers(players.speed, null=v.NO_SPEED),
        "designations": _masks(designations, v.PLAYER_FLAGS),
        **_flags(players.flags, v.PLAYER_FLAGS, ["in_game"]),
    }


def _objects(boards: Boards) -> _Columns:
    objects, start = boards.table("objects")
    lexicon = boards.lexicon

    def traits(
        field: str, write: Callable[[Any], str | None] = lambda value: value, default: str | None = None
    ) -> _Column:
        return _texts(objects.traits, [write(getattr(trait, field)) for trait in lexicon.traits], default)

    return {
        "object_id": _numbers(objects.object_id),
        "name": _texts(objects.name, [*lexicon.names, None], None),
        "kind": _words(objects.kind, v.KINDS, "card"),
        "zone": _words(objects.zone, v.ZONES, "battlefield"),
        "controller": _numbers(objects.controller),
        "owner": _numbers(objects.owner, objects.controller),
        "types": _masks(objects.types, v.TYPES),
        "supertypes": _masks(objects.supertypes, v.SUPERTYPES),
        "subtypes": _sets(objects.subtypes, lexicon.subtypes_of),
        "colors": _masks(objects.colors, v.COLORS),
        "power": _numbers(objects.power, null=v.NULL),
        "toughness": _numbers(objects.toughness, null=v.NULL),
        "mana_value": _numbers(lexicon.tables.trait_mana_value[objects.traits], 0),
        "timestamp": _numbers(objects.timestamp, _within(start)),
        "world_since": _world_since(boards),
        "damage": _numbers(objects.damage, 0),
        **{column: _numbers(getattr(objects, column), 0) for column in v.COUNTER_COLUMNS},
        "counter_limits": traits("counter_limits", lambda limits: w.write_json(dict(limits)) if limits else None),
        "attached_to": _references(boards, objects.attached_to, start),
        "enchant": traits("enchant", w.write_enchant),
        "keywords": _masks(objects.keywords, v.KEYWORDS),
        "protection": traits("protection", w.join, ""),
        "keeps_attachments": _keeps(boards),
        "regeneration": _numbers(objects.regeneration, 0),
        "graveyard_replacement": _words(
            objects.traits, [trait.graveyard_replacement for trait in lexicon.traits], None
        ),
        "final_chapter": _numbers(lexicon.tables.trait_final_chapter[objects.traits], 0),
        "source": _references(boards, objects.source, start),
        "attacking": _references(boards, objects.attacking, start),
        "protector": _numbers(objects.protector, null=v.NO_SEAT),
        "sector": _words(objects.sector, [*v.SECTORS, None], None),
        **_flags(objects.flags, v.OBJECT_FLAGS, ["face_up"]),
    }


def _world_since(boards: Boards) -> _Column:
    since, start = boards.table("world_since")
    rows = _first_objects(boards, start) + since.object

    def make() -> pa.Array:
        values = np.zeros(len(boards.objects.object_id), np.int64)
        values[rows] = since.since
        nulls = np.ones(len(values), np.bool_)
        nulls[rows] = False
        return pa.array(values, mask=nulls)

    return _Column(len(rows) > 0, make)


def _lists(rows: int, row: NDArray[np.int64], ids: NDArray[Any]) -> pa.Array:
    """Return for each of so many rows the JSON list of the ids that belong to it; `row` rises."""
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(row, minlength=rows))))
    texts = pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(ids).cast(pa.string()))
    return pc.binary_join_element_wise("[", pc.binary_join(texts, ","), "]", "")


def _keeps(boards: Boards) -> _Column:
    keeps, start = boards.table("keeps")
    first = _first_objects(boards, start)

    def make() -> pa.Array:
        objects = len(boards.objects.object_id)
        order = np.lexsort((keeps.attachment, first + keeps.object))
        ids = boards.objects.object_id[first + keeps.attachment]
        lists = _lists(objects, (first + keeps.object)[order], ids[order])
        has_any = np.zeros(objects, np.bool_)
        has_any[first + keeps.object] = True
        return pc.if_else(pa.array(has_any), lists, None).dictionary_encode()

    return _Column(len(first) > 0, make)


def _object_ids(boards: Boards, values: NDArray[np.int32], start: Start) -> _Column:
    """Return references to objects, which are never null, as their ids."""
    return _Column(True, lambda: pa.array(boards.objects.object_id[_first_objects(boards, start) + values]))


def _counters(boards: Boards) -> _Columns:
    counters, start = boards.table("counters")
    return {
        "object_id": _object_ids(boards, counters.object, start),
        "kind": _texts(counters.kind, boards.lexicon.counter_kinds, None),
        "count": _numbers(counters.count),
    }


def _commander_damage(boards: Boards) -> _Columns:
    damage, start = boards.table("commander_damage")
    return {
        "seat": _numbers(damage.seat),
        "commander": _object_ids(boards, damage.commander, start),
        "amount": _numbers(damage.amount),
    }


def _components(boards: Boards) -> _Columns:
    components, start = boards.table("components")
    first = _first_objects(boards, start)
    here = first + components.object
    row = np.arange(len(here))
    is_first = np.append(True, here[1:] != here[:-1])[: len(here)]
    return {
        "object_id": _object_ids(boards, components.object, start),
        "position": _Column(
            True, lambda: pa.array(row - np.maximum.accumulate(np.where(is_first, row, 0)), pa.int32())
        ),
        "name": _texts(components.name, [*boards.lexicon.names, None], None),
        "kind": _words(components.kind, v.KINDS, "card"),
        "owner": _numbers(components.owner, boards.objects.owner[here]),
    }


def _effects(boards: Boards) -> _Columns:
    effects, start = boards.table("effects")
    texts = [w.write_effect(text) for text in boards.lexicon.effects]

    def column(name: str) -> _Column:
        values = [text.get(name) for text in texts]
        if pa.types.is_dictionary(FULL["effects"].field(name).type):
            return _texts(effects.text, values, None)
        is_stated = np.array([value is not None for value in values], np.bool_)[effects.text]
        codes = pa.array(effects.text)
        return _Column(bool(is_stated.any()), lambda: pa.array(values, FULL["effects"].field(name).type).take(codes))

    return {
        "effect_id": _numbers(effects.effect_id),
        "source": _references(boards, effects.source, start),
        "controller": _numbers(effects.controller, null=v.NO_SEAT),
        "until": _words(effects.until, v.DURATIONS, None),
        "timestamp": _numbers(effects.timestamp, null=v.NO_TIMESTAMP),
        **{name: column(name) for name in w.EFFECT_COLUMNS},
        "affects": _affects(boards, column("affects")),
    }


def _affects(boards: Boards, of_texts: _Column) -> _Column:
    affected, start = boards.table("effect_objects")

    def make() -> pa.Array:
        effect = np.repeat(boards.effects_start[:-1], np.diff(start)) + affected.effect
        order = np.lexsort((affected.object, effect))
        ids = boards.objects.object_id[_first_objects(boards, start) + affected.object]
        lists = _lists(len(boards.effects.text), effect[order], ids[order])
        is_list = np.array([isinstance(text.affects, ObjectsAffected) for text in boards.lexicon.effects], np.bool_)
        texts = of_texts.make().cast(pa.string())
        return pc.if_else(pa.array(is_list[boards.effects.text]), lists, texts).dictionary_encode()

    return _Column(True, make)
