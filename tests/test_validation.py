"""Whether boards can be judged: what is refused, and what is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headjudge import spans
from headjudge.boards import Boards
from headjudge.errors import DataError
from headjudge.kernels import tables as t
from headjudge.kernels import vocabulary as v
from headjudge.lexicon import Lexicon, LexiconBuilder, Trait
from headjudge.settling import settle
from headjudge.validation import validate
from random_boards import random_boards

SEEDS = st.integers(0, 2**32 - 1)
IN_GAME = v.bit(v.PLAYER_FLAGS, "in_game")


def with_column(boards: Boards, table: str, field: str, column: Any) -> Boards:
    """Return the boards with another column."""
    return replace(boards, **{table: getattr(boards, table)._replace(**{field: column})})


def with_value(boards: Boards, table: str, field: str, row: int, value: int) -> Boards:
    """Return the boards with one other value."""
    column = getattr(getattr(boards, table), field).copy()
    column[row] = value
    return with_column(boards, table, field, column)


@given(SEEDS, st.integers(1, 3))
def test_what_is_lawful_is_not_refused(seed: int, threads: int) -> None:
    assert validate(random_boards(seed), threads) == []


#: Values that no column of the kind may hold, whatever the board.
OUTSIDE = {
    "states": {
        "variant": [64, 255],
        "active_player": [-1, 4],
        "step": [13],
        "skips": [1 << 13],
        "planar_controller": [-2, 4],
    },
    "players": {"team": [-1], "life": [v.LARGEST + 1, -v.LARGEST - 1], "poison": [-1], "speed": [-2, 5], "flags": [64]},
    "objects": {
        "object_id": [-1],
        "name": [-2, 4],
        "kind": [9],
        "zone": [9],
        "controller": [-1, 4],
        "owner": [-1, 4],
        "types": [1 << 15],
        "supertypes": [1 << 5],
        "colors": [1 << 5],
        "subtypes": [-1, 4 << 6],
        "power": [v.NULL + 1, v.LARGEST + 1],
        "toughness": [-v.LARGEST - 1, 2**31 - 1],
        "keywords": [1 << 13],
        "traits": [-1, 4],
        "flags": [1 << 13],
        "damage": [-1, v.LARGEST + 1, v.NULL],
        "attached_to": [9, -5, v.NOTHING],
        "attacking": [9, -5, v.NOTHING + 1],
        "source": [9, -1],
        **{column: [-1, v.LARGEST + 1] for column in v.COUNTER_COLUMNS},
        "regeneration": [-1],
        "protector": [-2, 4],
        "sector": [-2, 3],
    },
    "counters": {"object": [-1, 9, v.NONE], "kind": [-1, 6, 10], "count": [-1]},
    "commander_damage": {"seat": [-1, 4], "commander": [-1, 9], "amount": [-1]},
    "keeps": {"object": [-1, 9], "attachment": [-1, 9]},
    "world_since": {"object": [-1, 9], "since": [-v.MOST_TIME - 1, v.MOST_TIME + 1]},
    "effects": {
        "effect_id": [-1],
        "text": [-1, 9],
        "source": [-1, 9],
        "controller": [-2, 4],
        "until": [3],
        "timestamp": [v.NO_TIMESTAMP + 1, v.MOST_TIME + 1],
    },
    "effect_objects": {"effect": [-1, 4], "object": [-1, 9]},
    "components": {"object": [-1, 9], "name": [-2, 4], "kind": [9], "owner": [-1, 4]},
}
CASES = [
    (table, field, value) for table, fields in OUTSIDE.items() for field, values in fields.items() for value in values
]


@pytest.mark.parametrize(("table", "field", "value"), CASES)
@settings(max_examples=max(1, settings().max_examples // 5))
@given(seed=SEEDS)
def test_a_value_outside_its_limits_costs_one_state(table: str, field: str, value: int, seed: int) -> None:
    boards = random_boards(seed, states=6)
    columns, start = (boards.states, np.arange(7)) if table == "states" else boards.table(table)
    if not len(columns[0]):
        return
    row = seed % len(columns[0])
    state = int(np.searchsorted(start, row, "right")) - 1
    problems = validate(with_value(boards, table, field, row, value), 1)
    assert [p.state for p in problems] == [state]
    state_id = int(boards.states.state_id[state])
    place = (
        f"states, state_id {state_id}"
        if table == "states"
        else f"{table} row {row - start[state]} of state_id {state_id}"
    )
    assert problems[0].reason.startswith(place)
    assert f", {field}: expected " in problems[0].reason
    kinds = boards.lexicon.counter_kinds if (table, field) == ("counters", "kind") else ()
    found = repr(kinds[value]) if 0 <= value < len(kinds) else value
    assert problems[0].reason.endswith(f", found {found}")


def test_every_column_with_limits_is_tried() -> None:
    without = {
        "states": {"state_id", "round_expired"},
        "objects": {"timestamp"},  # looked at where a board is judged
    }
    for name, table in {"states": t.States, **t.TABLES}.items():
        assert set(t.DTYPES[table]) - without.get(name, set()) == set(OUTSIDE[name])


@given(SEEDS)
def test_neighbours_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    boards = random_boards(seed)
    for table, field, value in [CASES[i] for i in rng.integers(0, len(CASES), 4)]:
        rows = len(getattr(getattr(boards, table), field))
        if rows:
            boards = with_value(boards, table, field, int(rng.integers(rows)), value)
    alone = [(s, p.reason) for s in range(len(boards)) for p in validate(boards[s], 1)]
    assert [(p.state, p.reason) for p in validate(boards)] == alone


def test_many_chunks_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "OBJECTS", 60)
    boards = Boards.concat([random_boards(seed, states=50) for seed in range(3)])
    assert validate(boards, 1) == validate(boards, 3) == []
    bad = with_value(boards, "players", "poison", len(boards.players.poison) - 1, -1)
    for threads in (1, 3):
        assert [p.state for p in validate(bad, threads)] == [149]


def board(players: int = 2, objects: int = 3, states: int = 1, lexicon: Lexicon | None = None) -> Boards:
    """Return boards of ordinary players and cards on the battlefield."""
    p, n = players * states, objects * states

    def table(kind: Any, rows: int, **values: Any) -> Any:
        return kind(*(np.full(rows, values.get(f, 0), dtype) for f, dtype in t.DTYPES[kind].items()))

    none = dict.fromkeys(("attached_to", "attacking", "source"), v.NONE)
    game = table(t.States, states, planar_controller=v.NO_SEAT)._replace(state_id=np.arange(states))
    people = table(t.Players, p, life=20, flags=IN_GAME)
    people = people._replace(team=np.tile(np.arange(players), states).astype(np.int16))
    things = table(t.Objects, n, name=v.NAMELESS, protector=v.NO_SEAT, sector=v.NO_SECTOR, **none)
    things = things._replace(object_id=np.tile(np.arange(objects, dtype=np.int32), states))
    starts = np.arange(states + 1)
    return Boards.of(
        game,
        {"players": (people, starts * players), "objects": (things, starts * objects)},
        lexicon or LexiconBuilder().build(),
    )


def reason(boards: Boards) -> str:
    (problem,) = validate(boards, 1)
    return problem.reason


def test_lawful_oddities() -> None:
    assert validate(board(objects=0)) == []
    assert validate(board(players=0, objects=0)) == []
    assert validate(board(players=1_000, objects=2_000)) == []
    assert validate(board(states=0)) == []
    cycle = with_column(board(), "objects", "attached_to", np.array([1, 2, 2], np.int32))
    assert validate(cycle) == []
    tokens = with_column(board(), "objects", "kind", np.full(3, v.KINDS.index("token"), np.uint8))
    for zone in range(len(v.ZONES)):
        assert validate(with_column(tokens, "objects", "zone", np.full(3, zone, np.uint8))) == []
    huge = board(objects=1)
    for field in ("damage", "power", "toughness", "plus_counters"):
        huge = with_value(huge, "objects", field, 0, v.LARGEST)
    assert validate(with_value(huge, "players", "life", 0, -v.LARGEST)) == []


def test_object_ids_in_any_order() -> None:
    rng = np.random.default_rng(0)
    boards = board(objects=50_000)
    ids = rng.permutation(50_000).astype(np.int32) * 40_000
    assert validate(with_column(boards, "objects", "object_id", ids)) == []
    ids[41_234] = ids[7]
    assert reason(with_column(boards, "objects", "object_id", ids)) == (
        f"objects row 41234 of state_id 0 (object_id {ids[7]}), object_id: "
        f"expected an id that no earlier object of the state has, found {ids[7]}"
    )


def test_seats_need_players() -> None:
    assert "controller: expected the seat of a player of the state, of which there is none, found 0" in reason(
        board(players=0)
    )
    assert "active_player: expected the seat of a player" in reason(
        with_value(board(), "states", "active_player", 0, 2)
    )


def test_too_many_players() -> None:
    assert validate(board(players=v.MOST_PLAYERS)) == []
    assert "at most 10000 players, found 10000" in reason(board(players=v.MOST_PLAYERS + 1))


@pytest.mark.parametrize("variant", ["two_headed_giant", "archenemy_commander", "commander"])
@pytest.mark.parametrize("field", ["life", "poison"])
def test_totals_of_a_team(variant: str, field: str) -> None:
    boards = with_column(board(players=4), "players", "team", np.array([0, 1, 0, 1], np.int16))
    boards = with_value(boards, "states", "variant", 0, v.bit(v.VARIANTS, variant))
    assert validate(boards) == []
    unequal = with_value(boards, "players", field, 2, 7)
    is_shared = variant == "two_headed_giant" or (variant == "archenemy_commander" and field == "life")
    if is_shared:
        assert f"players row 2 of state_id 0, {field}: expected the {field}" in reason(unequal)
    else:
        assert validate(unequal) == []
    for gone in (0, 2):
        assert validate(with_value(unequal, "players", "flags", gone, 0)[:0]) == []
        left = with_column(unequal, "objects", "owner", np.ones(3, np.int16))
        assert validate(with_value(left, "players", "flags", gone, 0)) == []


def test_owners_are_in_the_game() -> None:
    boards = with_value(board(), "objects", "owner", 1, 1)
    boards = with_value(boards, "players", "flags", 1, 0)
    assert validate(boards) == []  # the game is over
    boards = with_column(boards, "players", "team", np.zeros(2, np.int16))
    assert "objects row 1 of state_id 0 (object_id 1), owner: expected a player who is in the game" in reason(boards)
    assert validate(with_value(boards, "objects", "zone", 1, v.ZONES.index("none"))) == []
    assert validate(with_value(with_value(boards, "objects", "owner", 1, 0), "objects", "controller", 1, 1)) == []


def test_protection_from_players() -> None:
    builder = LexiconBuilder()
    for seat in (0, 1, 2, v.LAST_PROTECTED_FROM):
        builder.trait(Trait(protection=("everything", f"player:{seat}")))
    boards = board(lexicon=builder.build())
    for trait, problems in enumerate([0, 0, 0, 1, 1]):
        assert len(validate(with_value(boards, "objects", "traits", 1, trait))) == problems
    many = board(players=v.LAST_PROTECTED_FROM + 1, lexicon=builder.build())
    assert validate(with_value(many, "objects", "traits", 1, 4)) == []


@pytest.mark.parametrize(
    "trait", [Trait(mana_value=-1), Trait(final_chapter=v.LARGEST + 1), Trait(counter_limits=(("dream", -1),))]
)
def test_traits_within_their_limits(trait: Trait) -> None:
    builder = LexiconBuilder()
    builder.trait(trait)
    with pytest.raises(DataError, match=r"lexicon, traits, \w+: expected a number from 0 to 1000000000, found"):
        validate(board(lexicon=builder.build()))


def test_order_of_side_tables() -> None:
    lexicon = LexiconBuilder()
    kinds = [lexicon.counter_kind(kind) for kind in ("dream", "stun")]

    def counters(*rows: tuple[int, int]) -> Boards:
        boards = board(lexicon=lexicon.build())
        objects, codes = (np.array(x, np.int32) for x in zip(*rows, strict=True))
        table = t.Counters(objects, codes, np.ones(len(rows), np.int32))
        return replace(boards, counters=table, counters_start=np.array([0, len(rows)]))

    assert validate(counters((0, kinds[1]), (0, kinds[0]), (2, kinds[0]))) == []
    assert "counters row 1 of state_id 0 (object_id 0), object: expected rows sorted" in reason(
        counters((2, kinds[1]), (0, kinds[0]))
    )
    assert "kind: expected one row for each object and kind" in reason(counters((2, kinds[1]), (2, kinds[1])))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([(0, 0, 0), (0, 1, 0)], ""),
        ([(1, 1, 1), (1, 1, 1), (2, 1, 0)], "components row 2 of state_id 0 (object_id 2), kind: expected on top what"),
        ([(0, 0, 0), (0, 0, 1)], "components row 1 of state_id 0 (object_id 0), owner: expected the owner of the perm"),
        ([(0, 2, 0)], "components row 0 of state_id 0 (object_id 0), kind: expected a kind (0 to 1), found 2"),
    ],
)
def test_components_make_a_permanent(rows: list[tuple[int, int, int]], expected: str) -> None:
    boards = with_value(with_value(board(), "objects", "kind", 1, v.KINDS.index("token")), "objects", "owner", 1, 1)
    objects, kinds, owners = (np.array(x) for x in zip(*rows, strict=True))
    columns = (objects, np.full(len(rows), v.NAMELESS), kinds, owners)
    table = t.Components(
        *(column.astype(dtype) for column, dtype in zip(columns, t.DTYPES[t.Components].values(), strict=True))
    )
    boards = replace(boards, components=table, components_start=np.array([0, len(rows)]))
    assert (reason(boards).startswith(expected)) if expected else validate(boards) == []


def test_timestamps_from_which_the_rules_can_go_on() -> None:
    boards = with_value(board(), "objects", "timestamp", 1, v.MOST_TIME + 1)
    boards = with_value(boards, "objects", "damage", 1, 1)
    result = settle(with_value(boards, "objects", "types", 1, v.bit(v.TYPES, "creature"))).results.to_pylist()[0]
    assert result["status"] == "rejected"
    assert "object_id 1, timestamp: expected a number from -2**62 to 2**62" in result["reason"]


STRUCTURE: list[tuple[Any, str]] = [
    (
        lambda b: with_column(b, "objects", "damage", np.zeros(3, np.int64)),
        "objects.damage: expected a one-dimensional array of int32, found int64[3]",
    ),
    (
        lambda b: with_column(b, "objects", "damage", np.zeros(3, ">i4")),
        "objects.damage: expected a one-dimensional array of int32",
    ),
    (
        lambda b: with_column(b, "objects", "damage", [0, 0, 0]),
        "objects.damage: expected a one-dimensional array of int32, found [0, 0, 0]",
    ),
    (lambda b: with_column(b, "objects", "damage", np.zeros((3, 1), np.int32)), "found int32[3, 1]"),
    (
        lambda b: with_column(b, "objects", "damage", np.zeros(6, np.int32)[::2]),
        "objects.damage: expected a contiguous array",
    ),
    (
        lambda b: with_column(b, "objects", "damage", np.zeros(2, np.int32)),
        "objects.damage: expected 3 rows as in object_id, found 2",
    ),
    (
        lambda b: with_column(b, "states", "step", np.zeros(2, np.uint8)),
        "states.step: expected 1 rows as in state_id, found 2",
    ),
    (lambda b: replace(b, objects_start=np.array([0, 2])), "objects_start: expected numbers that rise from 0 to 3"),
    (lambda b: replace(b, objects_start=np.array([1, 3])), "objects_start: expected numbers that rise from 0 to 3"),
    (lambda b: replace(b, objects_start=np.array([0, 1, 3])), "objects_start: expected an int64 array of 2"),
    (lambda b: replace(b, objects_start=np.array([0, 3], np.int32)), "objects_start: expected an int64 array of 2"),
    (lambda b: replace(b, counters_start=np.zeros(4, np.int64)[::2]), "counters_start: expected a contiguous array"),
]


@pytest.mark.parametrize(("change", "message"), STRUCTURE)
def test_arrays_that_are_not_as_documented(change: Any, message: str) -> None:
    with pytest.raises(DataError) as error:
        validate(change(board()))
    assert message in str(error.value)


def test_starts_that_fall() -> None:
    boards = replace(board(states=3), objects_start=np.array([0, 5, 4, 9]))
    with pytest.raises(DataError, match="objects_start: expected numbers that rise"):
        validate(boards)
