"""The table `choices`: in and out, from other tools, and what is refused in which words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headjudge.boards import Boards
from headjudge.errors import DataError
from headjudge.io.choices import CHOICE_VALUES, CHOICES_SCHEMA, choices_from_arrow, choices_to_arrow, columns_of
from headjudge.io.scenarios import reads
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import DTYPES, Choices
from headjudge.settling import settle


def boards(count: int = 3, objects: int = 4, players: int = 3) -> Boards:
    """States 10, 20, ... with objects 107, 106, ... in rows 0, 1, ...."""
    seats, things = ", ".join(["{}"] * players), ", ".join(f"o{i}: {{controller: 0}}" for i in range(objects))
    (scenario,) = reads(f"- given: {{players: [{seats}], objects: {{{things}}}}}")
    batch = Boards.concat([scenario.boards] * count)
    batch.states.state_id[:] = 10 * np.arange(1, count + 1)
    batch.objects.object_id[:] = np.tile(107 - np.arange(objects), count)
    return batch


def table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=CHOICES_SCHEMA)


EVERY_CHOICE = (
    {"state_id": 10, "choice": "keep", "object_id": 106},
    {"state_id": 10, "choice": "command_zone", "object_id": 107, "value": "false"},
    {"state_id": 10, "choice": "command_zone", "object_id": 104, "value": "true"},
    {"state_id": 30, "choice": "protector", "object_id": 105, "value": "2"},
    {"state_id": 30, "choice": "sector", "object_id": 105, "value": "gamma"},
    {"state_id": 30, "choice": "replace", "object_id": 104, "value": "regeneration"},
    {"state_id": 30, "choice": "replace", "object_id": 107, "value": "105"},
    {"state_id": 30, "choice": "destination", "object_id": 107, "value": "library"},
    {"state_id": 30, "choice": "loss_replacement", "seat": 2, "value": "104"},
)


def rows_of(choices: Choices) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in choices), strict=True))


def test_what_is_no_choices() -> None:
    batch = boards()
    with pytest.raises(TypeError, match=r"choices: expected what choices_from_arrow\(table, boards\) .*, found Table"):
        settle(batch, table(*EVERY_CHOICE))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"choices: expected an Arrow table, .*, found Boards"):
        choices_from_arrow(batch, table(*EVERY_CHOICE))  # type: ignore[arg-type]
    read, _ = choices_from_arrow(table(*EVERY_CHOICE).to_pandas(), batch)
    assert rows_of(read) == rows_of(choices_from_arrow(table(*EVERY_CHOICE), batch)[0])


def test_every_choice() -> None:
    batch = boards()
    choices, start = choices_from_arrow(table(*EVERY_CHOICE), batch)
    assert start.tolist() == [0, 3, 3, 9]
    assert rows_of(choices) == [
        (0, 1, 0), (1, 0, 0), (1, 3, 1), (2, 2, 2), (3, 2, 2), (4, 0, 2), (4, 3, -1), (5, 0, 4), (6, -3, 3),
    ]  # fmt: skip
    for column, dtype in zip(choices, DTYPES[Choices].values(), strict=True):
        assert column.dtype == dtype
    back = choices_to_arrow(choices, start, batch)
    assert back.schema == CHOICES_SCHEMA
    key = [("state_id", "ascending"), ("choice", "ascending"), ("object_id", "ascending")]
    plain = pa.schema([field.with_type(pa.string()) if field.name == "choice" else field for field in CHOICES_SCHEMA])
    assert back.cast(plain).sort_by(key) == table(*EVERY_CHOICE).cast(plain).sort_by(key)


def test_values_are_described() -> None:
    assert tuple(CHOICE_VALUES) == v.CHOICES


def test_no_choices() -> None:
    choices, start = choices_from_arrow(table(), boards())
    assert rows_of(choices) == []
    assert start.tolist() == [0, 0, 0, 0]
    assert choices_to_arrow(choices, start, boards()).num_rows == 0
    assert rows_of(columns_of([])) == []


def test_unsorted_rows_states_and_foreign_types() -> None:
    batch = boards()[[2, 0, 1]]
    rows = table(*reversed(EVERY_CHOICE))
    foreign = pa.table(
        {
            "value": rows["value"].cast(pa.large_string()),
            "choice": rows["choice"].cast(pa.string()),
            "state_id": rows["state_id"].cast(pa.uint16()),
            "seat": rows["seat"].cast(pa.int64()),
            "object_id": pa.chunked_array(
                [rows["object_id"][:4].combine_chunks(), rows["object_id"][4:].combine_chunks()]
            ),
        }
    )
    choices, start = choices_from_arrow(foreign, batch)
    assert start.tolist() == [0, 6, 9, 9]
    assert rows_of(choices)[6:] == [(0, 1, 0), (1, 0, 0), (1, 3, 1)]


def test_columns_that_are_not_needed_may_be_missing() -> None:
    choices, _ = choices_from_arrow(table(EVERY_CHOICE[0]).drop_columns(["seat", "value"]), boards())
    assert rows_of(choices) == [(0, 1, 0)]


KEEP = {"state_id": 20, "choice": "keep", "object_id": 106}
REFUSED = [
    (KEEP | {"state_id": 25}, "state_id 25, state_id: expected a state of the boards, found 25"),
    (KEEP | {"choice": "kept"}, "state_id 20, choice: expected one of keep, command_zone"),
    (KEEP | {"object_id": 99}, "state_id 20, object_id: expected an object of the state, found 99"),
    (KEEP | {"object_id": -1}, "object_id: expected an object of the state, found -1"),
    (KEEP | {"object_id": None}, "object_id: expected an object; null for loss_replacement alone, found None"),
    (KEEP | {"seat": 0}, "seat: expected a seat for loss_replacement alone, found 0"),
    (KEEP | {"value": "yes"}, "value (keep): expected null, found yes"),
    (KEEP | {"choice": "command_zone"}, "value (command_zone): expected one of false, true, found None"),
    (KEEP | {"choice": "sector", "value": "delta"}, "value (sector): expected one of alpha, beta, gamma, found delta"),
    (KEEP | {"choice": "destination", "value": ""}, "value (destination): expected one of battlefield"),
    (KEEP | {"choice": "protector", "value": "3"}, "value (protector): expected the seat of a player of the state"),
    (KEEP | {"choice": "protector", "value": "-1"}, "value (protector): expected the seat"),
    (
        KEEP | {"choice": "replace", "value": "7"},
        "value (replace): expected regeneration or shield_counter or an object_id of the state",
    ),
    (
        KEEP | {"choice": "replace", "value": "9" * 40},
        "value (replace): expected regeneration or shield_counter or an object_id",
    ),
    ({"state_id": 20, "choice": "loss_replacement", "seat": 3, "value": "104"}, "seat: expected a player of the state"),
    ({"state_id": 20, "choice": "loss_replacement", "value": "104"}, "seat: expected a seat for loss_replacement"),
    (
        {"state_id": 20, "choice": "loss_replacement", "seat": 1, "value": "regeneration"},
        "value (loss_replacement): expected an object_id of the state, or `effect` and an effect_id of it, found",
    ),
]


@pytest.mark.parametrize(("row", "message"), REFUSED)
def test_refused(row: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        choices_from_arrow(table(EVERY_CHOICE[0], row), boards())
    assert f"choices, state_id {row['state_id']}, " in str(caught.value)
    assert message in str(caught.value)


def test_the_same_choice_twice_is_refused() -> None:
    twice = table(*(KEEP | {"choice": "sector", "value": word} for word in ("alpha", "beta")))
    with pytest.raises(DataError, match=r"state_id 20, choice: expected one choice of a kind .*, found sector"):
        choices_from_arrow(twice, boards())


def test_states_that_repeat_are_refused() -> None:
    batch = boards()
    batch.states.state_id[:] = 20
    with pytest.raises(DataError, match="state_id: expected a state_id that stands once in the boards, found 20"):
        choices_from_arrow(table(KEEP), batch)


def test_columns_are_checked() -> None:
    good = table(KEEP)
    with pytest.raises(DataError, match="unknown column 'chosen'; expected state_id, choice"):
        choices_from_arrow(good.append_column("chosen", pa.array([1])), boards())
    with pytest.raises(DataError, match="column choice is missing"):
        choices_from_arrow(good.drop_columns(["choice"]), boards())
    with pytest.raises(DataError, match="column seat: expected int64, found string"):
        choices_from_arrow(good.set_column(3, "seat", pa.array(["1"])), boards())
    with pytest.raises(DataError, match="column state_id: "):
        choices_from_arrow(good.set_column(0, "state_id", pa.array([2**63], pa.uint64())), boards())


@given(st.data())
def test_any_choices_come_back(data: st.DataObject) -> None:
    batch = boards(count=4)
    objects, seats = st.integers(0, 3), st.integers(0, 2)
    subjects = {"loss_replacement": seats.map(lambda seat: -1 - seat)}
    values = {
        "keep": st.just(0), "command_zone": st.integers(0, 1), "protector": seats, "sector": st.integers(0, 2),
        "replace": st.integers(-1, 3), "destination": st.integers(0, 8), "loss_replacement": objects,
    }  # fmt: skip
    rows: list[list[tuple[int, int, int]]] = []
    for _ in range(len(batch)):
        chosen = data.draw(st.lists(st.sampled_from(v.CHOICES), max_size=4))
        found = {(v.CHOICES.index(c), data.draw(subjects.get(c, objects))): data.draw(values[c]) for c in chosen}
        rows.append([(*key, value) for key, value in found.items()])
    parts = [columns_of(r) for r in rows]
    choices = Choices(*map(np.concatenate, zip(*parts, strict=True)))
    start = np.cumsum([0, *map(len, rows)])
    again, starts = choices_from_arrow(choices_to_arrow(choices, start, batch), batch)
    assert rows_of(again) == rows_of(choices)
    assert np.array_equal(starts, start)
