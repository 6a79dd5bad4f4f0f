"""Boards that cannot be judged, in memory: they cost no other board, and stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import headjudge
from headjudge import Boards
from headjudge.errors import DataError, RejectedBoard
from headjudge.io import scenarios

if TYPE_CHECKING:
    from collections.abc import Callable

GIVEN = """
- given:
    objects: {{a: {{controller: 0, types: [creature], power: 1, toughness: 2}}}}
    effects: [{{affects: {affects}, add_power: 1, until: end_of_turn}}]
- given:
    objects: {{a: {{controller: 0, types: [creature], power: 1, toughness: 2}}}}
    effects: [{{affects: {affects}, add_power: 1}}]
"""


def two(affects: str = "{types: [creature]}") -> Boards:
    return Boards.concat([s.boards for s in scenarios.reads(GIVEN.format(affects=affects))])


def break_in(table: str, column: str, value: int, affects: str = "{types: [creature]}") -> Callable[[], Boards]:
    def make() -> Boards:
        boards = two(affects)
        getattr(getattr(boards, table), column)[-1] = value
        return boards

    return make


BROKEN = {
    "list": break_in("effect_objects", "effect", 10**9, "[a]"),
    "object of a list": break_in("effect_objects", "object", -1, "[a]"),
    "text like one that is gone": break_in("effects", "text", -1),
    "text": break_in("effects", "text", 1),
    "a text far off": break_in("effects", "text", -(2**31) + 1),
    "kind": break_in("objects", "kind", 99),
    "zone": break_in("objects", "zone", 99),
    "traits": break_in("objects", "traits", -1),
    "name": break_in("objects", "name", 10**6),
    "subtypes": break_in("objects", "subtypes", 2**30),
    "types": break_in("objects", "types", 2**15),
}


@pytest.mark.parametrize("do", ["settle", "cleanup", "end_turn"])
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("broken", BROKEN)
def test_what_cannot_be_judged_stays_so(broken: str, in_place: bool, do: str, tmp_path: Path) -> None:
    boards = BROKEN[broken]()
    given = [column[-1:].copy() for column in (*boards.objects, *boards.effects)]
    resolution = headjudge.settle(boards, do=do, threads=1, in_place=in_place)
    statuses = resolution.results["status"].to_pylist()
    assert statuses == ["settled", "rejected"]
    after = resolution.after
    assert after is not None
    for column, before in zip((*after.objects, *after.effects), given, strict=True):
        np.testing.assert_array_equal(column[-1:], before)
    assert "cannot be judged" in str(after[1])
    assert headjudge.settle(after, threads=1).results["status"].to_pylist() == statuses
    resolution.save(tmp_path / "out")
    assert headjudge.load(tmp_path / "out/after").states.state_id.tolist() == [0]
    with pytest.raises(DataError, match="expected boards that could be read, found 1 that could not"):
        after.to_arrow()


@pytest.mark.parametrize("broken", BROKEN)
def test_they_stay_so_in_a_larger_batch(broken: str) -> None:
    boards = Boards.concat([headjudge.generate(2, seed=1, profile="effects"), BROKEN[broken]()])
    assert headjudge.settle(boards, threads=1).results["status"].to_pylist() == ["settled"] * 3 + ["rejected"]


def test_lists_out_of_order_stay_so() -> None:
    text = GIVEN.format(affects="{types: [creature]}") + GIVEN.format(affects="[a]").split("- given:")[1].join(
        ("- given:", "")
    ).replace("effects: [", "effects: [{affects: [a], add_power: 2}, ")
    boards = Boards.concat([scenario.boards for scenario in scenarios.reads(text)])
    assert boards.effect_objects.effect.tolist() == [0, 1]
    boards.effect_objects.effect[:] = [1, 0]
    for _ in range(2):
        resolution = headjudge.settle(boards, threads=1)
        assert resolution.results["status"].to_pylist() == ["settled", "settled", "rejected"]
        assert resolution.after is not None
        boards = resolution.after
        assert boards.effect_objects.effect[-2:].tolist() == [1, 0]


def test_verdicts_are_counted_by_board() -> None:
    boards = headjudge.generate(5, seed=1)
    twice = Boards.concat([boards, boards])
    after = headjudge.settle(twice, threads=1).after
    assert after is not None
    assert headjudge.verify(twice, after, threads=1).counts == {"agree": 10, "disagree": 0, "rejected": 0}


def test_large_bonuses_count_or_are_refused() -> None:
    given = "- given: {{objects: {{a: {{controller: 0, types: [creature], toughness: 2, counters: {{'{kind}': 2}}}}}}}}"
    (scenario,) = scenarios.reads(given.format(kind="-0/-0000999"))
    assert headjudge.settle(scenario.boards, threads=1).actions["rule"].to_pylist() == ["toughness_zero"]
    with pytest.raises(DataError, match="expected at most 1,000 of"):
        scenarios.reads(given.format(kind="-0/-1001"))


@pytest.mark.parametrize("after", [True, False])
def test_power_beyond_what_can_be_added_is_refused(after: bool) -> None:
    # The true toughness is 1; sums that wrapped, or stopped at the largest number, would be below 0.
    boards = scenarios.reads(
        """
        - given: &given
            players: [{life: 1000000000}, {}]
            objects: {bear: {controller: 0, types: [creature], toughness: 1}}
            effects:
              - &up {controller: 0, affects: [bear], add_toughness: 1000000000, per: {life: you}}
              - *up
              - *up
              - &down {controller: 0, affects: [bear], add_toughness: -1000000000, per: {life: you}}
              - *down
              - *down
        - given:
            <<: *given
            effects: [*up, *up, *up, *up, *up, *down, *down, *down, *down, *down]
        """
    )
    batch = Boards.concat([scenario.boards for scenario in boards])
    resolution = headjudge.settle(batch, threads=1, after=after)
    assert resolution.results["status"].to_pylist() == ["settled", "rejected"]
    (reason,) = resolution.results["reason"].to_pylist()[1:]
    assert reason.startswith("objects of state_id 1, object_id 0, power and toughness: effects make them larger than")
    assert resolution.actions.num_rows == 0
    assert resolution.after is None or resolution.after.objects.zone.tolist() == batch.objects.zone.tolist()
    with pytest.raises(RejectedBoard, match="power and toughness"):
        headjudge.settle(batch, threads=1, strict=True)


@pytest.mark.parametrize("found", ["boards", Path("boards"), [1], {"states": 1}, None])
def test_what_is_no_boards(found: Any) -> None:
    expected = rf"expected Boards, such as headjudge\.load\(path\) .* return, found {type(found).__name__}"
    for call in (headjudge.settle, headjudge.end_turn, lambda found: Boards.concat([found])):
        with pytest.raises(TypeError, match=expected):
            call(found)


def test_what_is_no_number_of_threads() -> None:
    with pytest.raises(TypeError, match="threads: expected a whole number, found str"):
        headjudge.settle(headjudge.generate(1), threads="2")  # type: ignore[arg-type]


@pytest.mark.parametrize("row", [4, -5])
def test_rows_that_are_not_there(row: int) -> None:
    with pytest.raises(IndexError, match=f"expected a row of 4 boards, found {row}"):
        headjudge.generate(4)[row]
