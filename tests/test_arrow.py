"""Boards from Arrow tables and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headjudge.boards import Boards
from headjudge.errors import DataError
from headjudge.io.arrow import FULL, boards_from_arrow, boards_to_arrow, schema_in_use
from headjudge.io.parquet import load
from headjudge.io.table_schema import SETS
from headjudge.kernels import vocabulary as v
from headjudge.settling import settle, settle_arrow
from headjudge.validation import validate
from random_boards import plain, random_boards

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SEEDS = st.integers(0, 2**32 - 1)


def two_boards(**objects: Any) -> dict[str, pa.Table]:
    """Two states of two players, the first with two objects and the second with one."""
    columns = {"state_id": [4, 4, 9], "object_id": [3, 8, 3], "controller": [0, 1, 0], **objects}
    return {
        "states": pa.table({"state_id": [4, 9]}),
        "players": pa.table({"state_id": [4, 4, 9, 9], "seat": [0, 1, 0, 1]}),
        "objects": pa.table(columns),
    }


def reasons(tables: dict[str, pa.Table]) -> dict[int, str]:
    """Read tables and return what is wrong with their states, by state_id."""
    boards = boards_from_arrow(tables)
    problems = [*boards.problems, *validate(boards, 1)]
    return {int(boards.states.state_id[p.state]): p.reason for p in reversed(problems)}


@given(SEEDS, st.booleans(), st.booleans())
def test_round_trip(seed: int, all_columns: bool, gaps: bool) -> None:
    boards = random_boards(seed, gaps=gaps)
    again = boards_from_arrow(boards_to_arrow(boards, all_columns=all_columns))
    assert again.problems == ()
    assert plain(again) == plain(boards)


def encodings(dtype: pa.DataType, column: str) -> list[Any]:
    if pa.types.is_integer(dtype):
        return [pa.int64(), dtype, pa.dictionary(pa.int16(), dtype)]
    if pa.types.is_boolean(dtype):
        return [dtype]
    texts = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
    if column in SETS:
        texts += [pa.list_(pa.string()), pa.large_list(pa.large_string())]
    return texts


def encoded(column: pa.ChunkedArray, dtype: pa.DataType) -> pa.ChunkedArray:
    if pa.types.is_list(dtype) or pa.types.is_large_list(dtype):
        texts = column.cast(pa.string())
        words = pc.split_pattern(texts, ",")
        empty = pa.scalar([], words.type)
        return pc.if_else(pc.equal(texts, ""), empty, words).cast(dtype)
    if pa.types.is_dictionary(dtype):
        return column.cast(dtype.value_type).dictionary_encode()
    return (column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column).cast(dtype)


@given(SEEDS, st.data())
def test_any_width_and_encoding(seed: int, data: st.DataObject) -> None:
    boards = random_boards(seed)
    tables = {}
    for name, table in boards_to_arrow(boards).items():
        columns = {
            column: encoded(
                table[column], data.draw(st.sampled_from(encodings(table.schema.field(column).type, column)))
            )
            for column in data.draw(st.permutations(table.column_names))
        }
        recoded = pa.table(columns)
        cut = data.draw(st.integers(0, recoded.num_rows))
        tables[name] = pa.concat_tables([recoded.slice(0, cut), recoded.slice(cut)])
    assert plain(boards_from_arrow(tables)) == plain(boards)


def test_unsigned_columns() -> None:
    tables = two_boards(damage=pa.array([1, 2, None], pa.uint64()), attached_to=pa.array([8, None, 3], pa.uint8()))
    tables["states"] = tables["states"].cast(pa.schema({"state_id": pa.uint32()}))
    boards = boards_from_arrow(tables)
    assert boards.objects.damage.tolist() == [1, 2, 0]
    assert boards.objects.attached_to.tolist() == [1, v.NONE, 0]


@given(SEEDS)
def test_unsorted_rows_are_sorted(seed: int) -> None:
    boards = random_boards(seed)
    rng = np.random.default_rng(seed)
    tables = boards_to_arrow(boards)
    for name, table in tables.items():
        if name == "players":
            order = rng.permutation(table.num_rows)
        else:  # the order within a state means something
            rank = rng.permutation(len(boards))
            state = np.searchsorted(boards.states.state_id, table["state_id"].to_numpy())
            order = np.argsort(rank[state], kind="stable")
        tables[name] = table.take(order)
    assert plain(boards_from_arrow(tables)) == plain(boards)


def test_defaults() -> None:
    boards = boards_from_arrow(two_boards())
    objects = boards.objects
    assert boards.states.active_player.tolist() == [0, 0]
    assert [v.STEPS[i] for i in boards.states.step] == ["precombat_main"] * 2
    assert boards.states.planar_controller.tolist() == [v.NO_SEAT] * 2
    assert boards.players.team.tolist() == [0, 1, 0, 1]
    assert boards.players.life.tolist() == [20] * 4
    assert boards.players.speed.tolist() == [v.NO_SPEED] * 4
    assert boards.players.flags.tolist() == [v.bit(v.PLAYER_FLAGS, "in_game")] * 4
    assert objects.owner.tolist() == objects.controller.tolist() == [0, 1, 0]
    assert objects.timestamp.tolist() == [0, 1, 0]
    assert objects.name.tolist() == [v.NAMELESS] * 3
    assert [v.KINDS[i] for i in objects.kind] == ["card"] * 3
    assert [v.ZONES[i] for i in objects.zone] == ["battlefield"] * 3
    assert objects.flags.tolist() == [v.bit(v.OBJECT_FLAGS, "face_up")] * 3
    assert objects.power.tolist() == [v.NULL] * 3
    assert objects.attached_to.tolist() == objects.source.tolist() == objects.attacking.tolist() == [v.NONE] * 3
    assert objects.protector.tolist() == [v.NO_SEAT] * 3
    assert objects.sector.tolist() == [v.NO_SECTOR] * 3
    assert len(boards.world_since.object) == 0
    assert validate(boards) == []


def test_null_is_the_default() -> None:
    tables = two_boards()
    for name, schema in FULL.items():
        if name in tables:
            for field in schema:
                if field.name not in tables[name].column_names:
                    nulls = pa.nulls(tables[name].num_rows, field.type)
                    tables[name] = tables[name].append_column(field.name, nulls)
    assert plain(boards_from_arrow(tables)) == plain(boards_from_arrow(two_boards()))


def test_only_states() -> None:
    boards = boards_from_arrow({"states": pa.table({"state_id": [7, 5]})})
    assert boards.states.state_id.tolist() == [5, 7]
    assert validate(boards) == []
    nothing = boards_from_arrow({"states": pa.table({"state_id": pa.array([], pa.int64())})})
    assert len(nothing) == 0
    assert validate(nothing) == []
    assert boards_to_arrow(nothing)["states"].num_rows == 0


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda table: table.to_reader(), id="reader"),
        pytest.param(lambda table: table.to_batches()[0], id="batch"),
        pytest.param(lambda table: pytest.importorskip("polars").from_arrow(table), id="polars"),
        pytest.param(lambda table: table.to_pandas(), id="pandas"),
        pytest.param(lambda table: table.to_pandas().iloc[::-1].iloc[::-1].query("state_id > 0"), id="pandas-filtered"),
    ],
)
def test_whatever_has_an_arrow_stream_is_a_table(made: Callable[[pa.Table], Any]) -> None:
    tables = two_boards(types=["creature", "enchantment", None], attached_to=[None, 3, None])
    expected = plain(boards_from_arrow(tables))
    assert plain(boards_from_arrow({name: made(table) for name, table in tables.items()})) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (two_boards()["states"], "tables: expected tables by name, {'states': table, ...}; .*, found Table"),
        (boards_from_arrow(two_boards()), r"headjudge\.settle\(boards\) takes boards, found Boards"),
        ({"states": [4, 9]}, "states: expected an Arrow table, .*pandas and Polars, found list"),
    ],
    ids=["table", "boards", "list"],
)
def test_what_is_no_tables(given: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        settle_arrow(given)


@pytest.mark.parametrize("name", ["__index_level_0__", "__index_level_11__"])
def test_the_index_of_pandas_is_no_column(name: str) -> None:
    tables = two_boards()
    indexed = {key: table.append_column(name, pa.nulls(table.num_rows)) for key, table in tables.items()}
    assert plain(boards_from_arrow(indexed)) == plain(boards_from_arrow(tables))
    with pytest.raises(DataError, match="unknown column '__index__'"):
        boards_from_arrow({**tables, "states": tables["states"].append_column("__index__", pa.nulls(2))})


def test_memory_is_shared_where_dtypes_agree() -> None:
    damage = pa.array([1, 2, 3], pa.int32())
    boards = boards_from_arrow(two_boards(damage=damage))
    assert np.shares_memory(boards.objects.damage, damage.to_numpy())
    assert boards.objects.damage.flags.writeable  # or numba would compile everything for read-only arrays as well
    del damage
    assert boards.objects.damage.tolist() == [1, 2, 3]


def test_a_million_rows_of_references() -> None:
    n = 100_000
    ids = np.arange(n, dtype=np.int32) * 7
    tables = {
        "states": pa.table({"state_id": [0]}),
        "players": pa.table({"state_id": [0], "seat": [0]}),
        "objects": pa.table(
            {
                "state_id": np.zeros(n, np.int64),
                "object_id": ids,
                "controller": np.zeros(n, np.int8),
                "attached_to": ids[::-1],
            }
        ),
    }
    boards = boards_from_arrow(tables)
    assert np.array_equal(boards.objects.attached_to, np.arange(n)[::-1])
    assert validate(boards) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"object": two_boards()["objects"]}, "unknown table 'object'; expected 'objects'"),
        ({"states": None}, "table 'states' is missing"),
        ({"objects": two_boards(dammage=[0, 0, 0])["objects"]}, "objects: unknown column 'dammage'; expected 'damage'"),
        ({"objects": two_boards()["objects"].drop(["controller"])}, "objects: column 'controller' is missing"),
        (
            {"objects": two_boards(damage=[0.0, 1.0, 2.5])["objects"]},
            "objects row 2, damage: expected a whole number, found 2.5",
        ),
        (
            {"objects": two_boards(damage=[0.0, 1.0, 2.0**60])["objects"]},
            "objects row 2, damage: expected a whole number, found 1.15",
        ),
        (
            {"objects": two_boards(damage=["0", "1", "2"])["objects"]},
            "objects.damage: expected whole numbers, found string",
        ),
        ({"objects": two_boards(tapped=[0, 1, 0])["objects"]}, "objects.tapped: expected booleans, found int64"),
        ({"objects": two_boards(name=[["a"], [], []])["objects"]}, "objects.name: expected strings, found list"),
        (
            {"objects": two_boards(types=[[1], [], []])["objects"]},
            "objects.types: expected strings or lists of strings",
        ),
        (
            {"objects": two_boards(state_id=[4, 4, None])["objects"]},
            "objects row 2, state_id: expected a number, found null",
        ),
        (
            {"objects": two_boards(state_id=[4, 5, 9])["objects"]},
            "objects row 1, state_id: expected a state of the table states, found 5",
        ),
        (
            {"objects": two_boards(object_id=[4, None, 9])["objects"]},
            "objects row 1, object_id: expected a number, found null",
        ),
        (
            {"states": pa.table({"state_id": [9, 4, 9]})},
            "states row 2, state_id: expected each state once, found 9 again",
        ),
        (
            {"states": pa.table({"state_id": pa.array([4, 2**64 - 1], pa.uint64())})},
            "expected a number up to 9223372036854775807",
        ),
        (
            {"states": pa.Table.from_arrays([pa.array([4, 9])] * 2, names=["state_id"] * 2)},
            "column 'state_id' stands there twice",
        ),
        (
            {"counters": pa.table({"state_id": [4], "object_id": [3], "kind": ["dream"]})},
            "counters: column 'count' is missing",
        ),
    ],
)
def test_tables_that_cannot_be_read(change: dict[str, Any], message: str) -> None:
    tables = {name: table for name, table in {**two_boards(), **change}.items() if table is not None}
    with pytest.raises(DataError, match=r".*") as error:
        boards_from_arrow(tables)
    assert message in str(error.value)


BAD_VALUES: list[tuple[dict[str, Any], str]] = [
    (
        {"types": ["creature", "creatur", ""]},
        "objects row 1 of state_id 4 (object_id 8), types: unknown word 'creatur'",
    ),
    ({"types": [["creature"], ["land", None], []]}, "objects row 1 of state_id 4 (object_id 8), types: expected words"),
    ({"kind": ["card", "Card", "card"]}, "kind: unknown word 'Card'; expected one of card, token"),
    ({"subtypes": ["aura", "Aura", ""]}, "subtypes: unknown word 'Aura'; expected 'aura'"),
    ({"zone": ["hand", "nowhere", "hand"]}, "zone: unknown word 'nowhere'"),
    ({"damage": [0, -1, 0]}, "damage: expected a number from 0 to 1000000000, found -1"),
    ({"damage": [0, 2**40, 0]}, "damage: expected a number from 0 to 1000000000, found 1099511627776"),
    (
        {"damage": pa.array([0, 2**63, 0], pa.uint64())},
        "damage: expected a number from 0 to 1000000000, found 9223372036854775808",
    ),
    ({"power": [0, -(2**31), 0]}, "power: expected a number from -1000000000 to 1000000000, found -2147483648"),
    ({"loyalty": [0, -3, 0]}, "loyalty: expected a number from 0"),
    ({"regeneration": [0, 40_000, 0]}, "regeneration: expected a number from 0 to 32767, found 40000"),
    ({"controller": [0, None, 0]}, "controller: expected a number, found null"),
    ({"controller": [0, 2, 0]}, "controller: expected the seat of a player of the state (0 to 1), found 2"),
    ({"controller": [0, 99_999, 0]}, "controller: expected a number from 0 to 9999, found 99999"),
    ({"protector": [0, -1, 0]}, "protector: expected a number from 0 to 9999, found -1"),
    ({"object_id": [3, 3, 3]}, "object_id: expected an id that no earlier object of the state has, found 3"),
    ({"object_id": [3, -8, 3]}, "object_id: expected a number from 0 to 2147483647, found -8"),
    (
        {"attached_to": [8, 4, None]},
        "attached_to: expected an object_id of the state or a player as -1 - seat, found 4",
    ),
    ({"attached_to": [-1, -3, -2]}, "attached_to: expected the row of an object of the state, or a player"),
    ({"attached_to": [8, v.NONE, None]}, "attached_to: expected an object_id"),
    ({"attached_to": [8, v.NOTHING, None]}, "attached_to: expected an object_id"),
    ({"attached_to": pa.array([8, 2**64 - 1, None], pa.uint64())}, "attached_to: expected an object_id"),
    ({"source": [3, -1, None]}, "source: expected an object_id of the state, found -1"),
    ({"enchant": [None, "{types", None]}, "enchant: expected JSON, found '{types'"),
    ({"enchant": [None, '{"type": ["creature"]}', None]}, "enchant: unknown condition 'type'"),
    ({"enchant": [None, '{"types": ["creatures"]}', None]}, "enchant.types: unknown word 'creatures'"),
    ({"enchant": [None, '{"player": "me"}', None]}, "enchant.player: unknown word 'me'"),
    ({"protection": ["red", "reds", ""]}, "protection: unknown quality 'reds'"),
    ({"protection": ["red", "player:2", ""]}, "protection from players of the state only"),
    ({"protection": ["red", "player:00", ""]}, "protection: unknown quality 'player:00'"),
    ({"enchant": [None, '{"types": ["land"], "types": []}', None]}, "the key 'types' stands 2 times"),
    ({"counter_limits": [None, '{"dream": -1}', None]}, "counter_limits.dream: expected a number from 0"),
    ({"counter_limits": [None, "[7]", None]}, "counter_limits: expected JSON such as"),
    ({"keeps_attachments": ["[8]", "[4]", "[]"]}, "keeps_attachments: expected object_ids of the state, found 4"),
    ({"keeps_attachments": ["[8]", "8", "[]"]}, "keeps_attachments: expected a list of object_ids, found 8"),
    ({"graveyard_replacement": ["exile", "stack", None]}, "graveyard_replacement: unknown word 'stack'"),
]


@pytest.mark.parametrize(("objects", "message"), BAD_VALUES)
def test_a_bad_value_costs_one_state(objects: dict[str, Any], message: str) -> None:
    found = reasons(two_boards(**objects))
    assert list(found) == [4]
    assert message in found[4]
    assert "of state_id 4 (object_id " in found[4]


EFFECTS: list[tuple[dict[str, Any], str]] = [
    ({"affects": ["selff"]}, "affects: expected JSON, found 'selff'"),
    ({"affects": [None]}, "affects: expected what the effect affects, found null"),
    ({"affects": ["[3, 4]"]}, "affects: expected object_ids of the state, found 4"),
    (
        {"affects": ['{"player": 2}'], "add_power": [None], "rule": ["cant_lose"]},
        "(effect_id 7), affects: expected seats of players of the state only, found seat 2",
    ),
    ({"affects": ['{"player": "us"}'], "add_power": [None], "rule": ["cant_lose"]}, "affects: expected {player:"),
    ({"affects": ['"host"'], "source": [None]}, "source: expected an object, as it affects `self` or `host`"),
    ({"source": [4]}, "source: expected an object_id of the state, found 4"),
    ({"add_power": [None]}, "it does nothing"),
    ({"add_power": [2**62]}, "add_power: expected a number from -1000000000"),
    ({"set_power": ["X"]}, "set_power: expected a whole number"),
    ({"control": ["5"]}, "(effect_id 7), control: expected seats of players of the state only, found seat 5"),
    ({"control": ["me"]}, "control: expected a whole number"),
    ({"add_types": ["creatur"]}, "add_types: unknown word 'creatur'"),
    ({"add_subtypes": ["Aura"]}, "add_subtypes: unknown word 'Aura'"),
    (
        {"gain_protection": ["player:40"]},
        "(effect_id 7), gain_protection: expected seats of players of the state only, found seat 40",
    ),
    ({"gain_protection": ["plaid"]}, "gain_protection: unknown quality 'plaid'"),
    ({"rule": ["no_rule"]}, "rule: unknown word 'no_rule'"),
    ({"while": ['{"at_least": 1}']}, "while: expected one of matching and life"),
    ({"per": ['{"life": "me"}']}, "per: expected {life: you}"),
    ({"per_distinct": ["names"]}, "per_distinct: expected 'types', found 'names'"),
    ({"until": ["forever"]}, "until: unknown word 'forever'"),
]


@pytest.mark.parametrize(("effects", "message"), EFFECTS)
def test_a_bad_effect_costs_one_state(effects: dict[str, Any], message: str) -> None:
    good = {"state_id": 9, "effect_id": 0, "source": 3, "affects": "self", "add_power": 1}
    bad = {"state_id": 4, "effect_id": 7, "source": 3, "affects": "self", "add_power": 1}
    bad |= {name: values[0] for name, values in effects.items()}
    rows = [{name: row.get(name) for name in {**good, **bad}} for row in (bad, good)]
    schema = pa.schema([FULL["effects"].field(name) for name in FULL["effects"].names if name in rows[0]])
    schema = pa.schema([pa.field(f.name, pa.int64() if pa.types.is_integer(f.type) else f.type) for f in schema])
    tables = {**two_boards(), "effects": pa.Table.from_pylist(rows, schema)}
    found = reasons(tables)
    assert list(found) == [4]
    assert message in found[4]
    assert "effects row 0 of state_id 4 (effect_id 7), " in found[4]


def test_what_could_not_be_read_stays_so(tmp_path: Path) -> None:
    tables = {**two_boards(), "states": pa.table({"state_id": [4, 9], "step": ["never", "end"]})}
    resolution = settle(boards_from_arrow(tables), threads=1)
    for _ in range(2):
        assert resolution.results["status"].to_pylist() == ["rejected", "settled"]
        assert resolution.after is not None
        resolution = settle(resolution.after, threads=1, in_place=True)
    with pytest.raises(DataError, match="found 1 that could not, such as that of state_id 4"):
        boards_to_arrow(resolution.after)
    resolution.save(tmp_path / "out")
    saved = load(tmp_path / "out/after").to_arrow()
    for written in (resolution.after.readable.to_arrow(), settle_arrow(tables), saved):
        assert written["states"]["state_id"].to_pylist() == [9]


SIDE_TABLES: list[tuple[str, dict[str, Any], str]] = [
    (
        "counters",
        {"object_id": 4, "kind": "dream", "count": 1},
        "object_id: expected an object_id of the state, found 4",
    ),
    (
        "counters",
        {"object_id": 3, "kind": "loyalty", "count": 1},
        "kind: expected a kind without a column of its own, found 'loyalty'",
    ),
    ("counters", {"object_id": 3, "kind": "Loyalty", "count": 1}, "kind: unknown word 'Loyalty'; expected 'loyalty'"),
    ("counters", {"object_id": 3, "kind": "dream", "count": -1}, "count: expected a number from 0"),
    ("commander_damage", {"seat": 2, "commander": 3, "amount": 1}, "seat: expected the seat of a player"),
    ("commander_damage", {"seat": 0, "commander": 9, "amount": 1}, "commander: expected an object_id of the state"),
    ("components", {"object_id": 5, "position": 0}, "object_id: expected an object_id of the state, found 5"),
    ("components", {"object_id": 3, "owner": 7}, "owner: expected the seat of a player"),
    ("components", {"object_id": 3, "kind": "copy"}, "kind: unknown word 'copy'"),
]


@pytest.mark.parametrize(("table", "row", "message"), SIDE_TABLES)
def test_a_bad_row_of_a_side_table_costs_one_state(table: str, row: dict[str, Any], message: str) -> None:
    found = reasons({**two_boards(), table: pa.Table.from_pylist([{"state_id": 4, **row}])})
    assert list(found) == [4]
    assert message in found[4]


def test_repeated_keys_of_side_tables() -> None:
    twice = {"state_id": [4, 4], "object_id": [3, 3], "kind": ["dream", "dream"], "count": [1, 2]}
    assert "one row for each object and kind" in reasons({**two_boards(), "counters": pa.table(twice)})[4]
    twice = {"state_id": [4, 4], "seat": [0, 0], "commander": [3, 3], "amount": [1, 2]}
    assert "one row for each seat and commander" in reasons({**two_boards(), "commander_damage": pa.table(twice)})[4]
    twice = {"state_id": [4, 4], "object_id": [3, 3], "position": [1, 1]}
    assert "position: expected another" in reasons({**two_boards(), "components": pa.table(twice)})[4]
    twice = {"state_id": [4, 4], "effect_id": [3, 3], "affects": ["[3]", "[3]"], "add_power": [1, 1]}
    assert "an id that no earlier effect" in reasons({**two_boards(), "effects": pa.table(twice)})[4]


@pytest.mark.parametrize("seats", [[0, 2], [1, 1], [1, 2], [0, 0]])
def test_seats_without_gaps(seats: list[int]) -> None:
    tables = two_boards(controller=[0, 0, 0])
    tables["players"] = pa.table({"state_id": [4, 4, 9, 9], "seat": [*seats, 0, 1]})
    found = reasons(tables)
    assert list(found) == [4]
    assert "seat: expected seats from 0 on without gaps, each once, found" in found[4]


def test_only_columns_in_use_are_written() -> None:
    boards = boards_from_arrow(two_boards(damage=[0, 1, 0]))
    tables = boards_to_arrow(boards)
    assert {name: table.column_names for name, table in tables.items()} == {
        "states": ["state_id"],
        "players": ["state_id", "seat"],
        "objects": ["state_id", "object_id", "controller", "damage"],
    }
    everything = boards_to_arrow(boards, all_columns=True)
    assert {name: table.schema for name, table in everything.items()} == dict(FULL)
    assert plain(boards_from_arrow(everything)) == plain(boards)


def test_nothing_is_left_out_that_is_in_use() -> None:
    plain_schema = schema_in_use(boards_from_arrow(two_boards()))
    with pytest.raises(
        DataError, match="objects: expected nothing in columns that are not written, found some in damage"
    ):
        boards_to_arrow(boards_from_arrow(two_boards(damage=[0, 1, 0])), schema=plain_schema)


def test_columns_name_what_they_hold() -> None:
    tables = boards_to_arrow(random_boards(1, states=200))
    assert set(tables) == set(FULL)
    objects = tables["objects"].to_pylist()
    assert any(row["keywords"] == "indestructible,umbra_armor,bestow" for row in objects) or objects
    assert {row["zone"] for row in objects} == set(v.ZONES)
    assert {row["counter_limits"] for row in objects} == {None, '{"dream":7,"loyalty":0}'}
    assert {row["protection"] for row in objects} == {"", "everything,player:1,red"}
    assert '{"player":"opponent"}' in {row["enchant"] for row in objects}
    assert any(row["attacking"] == v.NOTHING for row in objects)
    assert {row["affects"] for row in tables["effects"].to_pylist()} >= {'"self"', '"host"', '{"player":"opponents"}'}
    assert {row["kind"] for row in tables["counters"].to_pylist()} == {"dream", "+2/+0", "stun"}


@given(SEEDS)
def test_slices_and_concat_keep_everything(seed: int) -> None:
    boards = random_boards(seed)
    parts = [boards_from_arrow(boards_to_arrow(boards[i : i + 3])) for i in range(0, len(boards), 3)]
    whole = Boards.concat(parts)
    assert plain(whole) == plain(boards)
    assert [p.state for p in validate(whole)] == [p.state for p in validate(boards)]


def test_floating_numbers_that_are_whole() -> None:
    """Pandas makes floating columns of whole ones with nulls."""
    plain = two_boards(attached_to=[8, None, None], damage=[1, None, 2])
    objects = plain["objects"]
    for name in ("attached_to", "damage"):
        floating = pa.array([np.nan if x is None else float(x) for x in objects[name].to_pylist()], pa.float32())
        objects = objects.set_column(objects.column_names.index(name), name, floating)
    assert reasons({**plain, "objects": objects}) == {}
    same = Boards.from_arrow({**plain, "objects": objects}).to_arrow()
    assert all(same[name].equals(table) for name, table in Boards.from_arrow(plain).to_arrow().items())


def test_counters_have_a_kind() -> None:
    tables = two_boards()
    tables["counters"] = pa.table({"state_id": [4], "object_id": [3], "kind": pa.nulls(1), "count": [2]})
    assert "kind: expected a word, found null" in reasons(tables)[4]


@pytest.mark.parametrize("dtype", [pa.int8(), pa.float64()])
def test_numbers_where_words_may_stand(dtype: pa.DataType) -> None:
    rows = {"state_id": [0, 0], "effect_id": [0, 1], "source": [0, 0], "affects": ["[1]", '"self"']}
    stated = {"set_toughness": [-1, None], "control": [1, None], "set_power": [None, 3]}
    numbers = {name: pa.array(values, dtype) for name, values in stated.items()}
    tables = {
        "states": pa.table({"state_id": [0]}),
        "players": pa.table({"state_id": [0, 0], "seat": [0, 1]}),
        "objects": pa.table({"state_id": [0, 0], "object_id": [0, 1], "controller": [0, 0]}),
        "effects": pa.table(rows | numbers),
    }
    (first, second) = (text for text in Boards.from_arrow(tables).lexicon.effects)
    assert (first.set_toughness, first.control, first.set_power) == (-1, 1, None)
    assert (second.set_toughness, second.control, second.set_power) == (None, None, 3)


def test_no_reason_quotes_a_long_text() -> None:
    long = Boards.from_arrow(two_boards(enchant=["{" * 100_000, None, None]))
    assert len(long.problems[0].reason) < 1_200
