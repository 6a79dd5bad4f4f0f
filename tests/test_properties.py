"""What settling never depends on, and what it never touches."""

from __future__ import annotations

import gc
import hashlib
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numba.core import config

from comparison import handles_of, kernel_results
from headjudge import DataError, generate, settle, settle_arrow, settling, spans, verify
from headjudge.boards import Boards
from headjudge.io import scenarios
from headjudge.io.choices import choices_to_arrow
from headjudge.kernels import bits as b
from headjudge.kernels.tables import TABLES, Choices
from headjudge.testing.strategies import offers
from headjudge.validation import Check

if TYPE_CHECKING:
    from headjudge.results import Resolution

PROFILES = ("dense", "effects", "midgame", "quiet")
EACH = 12 if config.DISABLE_JIT else 150


@pytest.fixture(scope="module")
def batch() -> Boards:
    """Boards of all profiles, mixed."""
    boards = Boards.concat([generate(EACH, 7, profile) for profile in PROFILES])
    mixed = boards[np.arange(len(boards)).reshape(len(PROFILES), -1).T.ravel()]
    return numbered(mixed)


def numbered(boards: Boards) -> Boards:
    """Return the boards with state ids from 0 on."""
    return replace(boards, states=boards.states._replace(state_id=np.arange(len(boards))))


@pytest.fixture(scope="module")
def choices(batch: Boards) -> tuple[Choices, Any]:
    """The last of what is on offer on each board, so that most boards have some choice."""
    rows = [[options[-1] for options in offers(board) if options] for board in batch]
    table = np.array([row for chosen in rows for row in chosen], np.int64).reshape(-1, 3)
    columns = Choices(table[:, 0].astype(np.uint8), table[:, 1].astype(np.int32), table[:, 2].astype(np.int32))
    return columns, np.concatenate(([0], np.cumsum([len(chosen) for chosen in rows])))


@pytest.fixture(scope="module")
def resolution(batch: Boards, choices: tuple[Choices, Any]) -> Resolution:
    return settle(batch, choices, threads=1)


def assert_same(ours: Resolution, theirs: Resolution) -> None:
    assert ours.results.equals(theirs.results)
    assert ours.actions.equals(theirs.actions)
    assert ours.after is not None
    assert theirs.after is not None
    mine, other = ours.after.to_arrow(), theirs.after.to_arrow()
    assert mine.keys() == other.keys()
    for name, table in mine.items():
        assert table.equals(other[name]), name


def test_the_batch_has_something_of_everything(resolution: Resolution) -> None:
    found = set(resolution.actions["rule"].unique().to_pylist())
    assert len(found) > 25
    assert resolution.results["passes"].to_numpy().max() > 2
    assert set(resolution.results["status"].to_pylist()) <= {"settled", "loop", "rejected"}


# --- threads, chunks, room


@pytest.mark.parametrize("threads", [2, 5])
def test_threads(batch: Boards, choices: tuple[Choices, Any], resolution: Resolution, threads: int) -> None:
    assert_same(settle(batch, choices, threads=threads), resolution)


@pytest.mark.parametrize("objects", [1, 40, 333])
@pytest.mark.parametrize("threads", [1, 3])
def test_chunks(
    batch: Boards,
    choices: tuple[Choices, Any],
    resolution: Resolution,
    monkeypatch: pytest.MonkeyPatch,
    objects: int,
    threads: int,
) -> None:
    monkeypatch.setattr(spans, "OBJECTS", objects)
    assert_same(settle(batch, choices, threads=threads), resolution)


@pytest.mark.parametrize("rows", [0, 1, 7])
def test_boards_are_done_again_when_there_is_no_room_for_their_rows(
    batch: Boards, choices: tuple[Choices, Any], resolution: Resolution, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(settling, "FIRST_ROWS", rows)
    assert_same(settle(batch, choices, threads=1), resolution)


def test_boards_are_done_again_when_there_is_no_room_for_what_is_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    effect = "{affects: {types: [creature]}, add_power: 1, until: end_of_turn}"
    objects = (
        "bear: {controller: 0, types: [creature], toughness: 2}, ox: {controller: 1, types: [creature], toughness: 4}"
    )
    (scenario,) = scenarios.reads(f"[{{given: {{objects: {{{objects}}}, effects: [{effect}]}}}}]")
    board = scenario.boards
    expected = settle(board, threads=1)
    monkeypatch.setattr(settling, "FIRST_ROWS", 0)
    assert_same(settle(board, threads=1), expected)


def test_the_screen_passes_over_nothing(
    batch: Boards, choices: tuple[Choices, Any], resolution: Resolution, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Everything(Check):
        def look(self, span: range) -> None:
            super().look(span)
            self.needed[span.start : span.stop] = True
            self.marked[span.start : span.stop] = False

    monkeypatch.setattr(settling, "Check", Everything)
    assert_same(settle(batch, choices, threads=1), resolution)


@pytest.mark.parametrize("profile", ["quiet", "midgame"])
def test_the_screen_names_few_boards_too_many(profile: str) -> None:
    boards = generate(10 * EACH, 8, profile)
    check = Check(boards)
    check.look(range(len(boards)))
    acts = settle(boards, threads=1, after=False).results["actions"].to_numpy() > 0
    assert (acts <= check.needed).all()
    assert (check.needed & ~acts).mean() < 0.005


def test_references_to_nowhere_are_not_followed() -> None:
    """Boards that are refused are not screened: what they refer to may lie outside of all memory."""
    boards = generate(40, 3, "quiet")
    objects = boards.objects._replace(
        **{column: np.full_like(getattr(boards.objects, column), 2**31 - 1) for column in ("attached_to", "traits")}
    )
    counters = boards.counters._replace(kind=np.full_like(boards.counters.kind, 2**31 - 1))
    results = settle(replace(boards, objects=objects, counters=counters), threads=1).results
    assert set(results["status"].to_pylist()) == {"rejected"}


# --- without the boards afterwards, in place


def test_results_do_not_depend_on_after(batch: Boards, choices: tuple[Choices, Any], resolution: Resolution) -> None:
    without = settle(batch, choices, threads=2, after=False)
    assert without.after is None
    assert without.results.equals(resolution.results)
    assert without.actions.equals(resolution.actions)


def own(boards: Boards) -> Boards:
    """Return the boards in columns of their own."""
    return boards[np.arange(len(boards))]


@pytest.mark.parametrize("do", ["settle", "end_turn", "end_combat_phase", "cleanup"])
@pytest.mark.parametrize("threads", [1, 3])
def test_in_place(batch: Boards, choices: tuple[Choices, Any], do: str, threads: int) -> None:
    given = own(batch)
    resolution = settle(given, choices, threads=threads, do=do, in_place=True)
    assert resolution.after is not None
    assert resolution.after.objects.zone is given.objects.zone
    assert_same(resolution, settle(batch, choices, threads=1, do=do))


def test_in_place_again_and_again(batch: Boards) -> None:
    boards, copied = own(batch), batch
    for do in ("settle", "cleanup", "settle", "end_turn"):
        resolution, expected = settle(boards, threads=1, do=do, in_place=True), settle(copied, threads=1, do=do)
        assert_same(resolution, expected)
        assert resolution.after is not None
        assert expected.after is not None
        boards, copied = resolution.after, expected.after


def test_results_are_of_when_they_were_settled(
    batch: Boards, choices: tuple[Choices, Any], resolution: Resolution
) -> None:
    """Tables are made when they are asked for; boards may have changed until then."""
    boards = own(batch)
    later = settle(boards, choices, threads=1)
    for part in (boards.states, *(part for name in TABLES for part in boards.table(name))):
        for column in part if isinstance(part, tuple) else (part,):
            column[:] = 0
    assert later.results.equals(resolution.results)
    assert later.actions.equals(resolution.actions)


def test_boards_are_freed_without_garbage_collection() -> None:
    gc.disable()
    try:
        boards = generate(20, 3, "dense", threads=1)
        resolution = settle(boards, threads=1)
        verify(boards, resolution.after)
        alive = [weakref.ref(boards), weakref.ref(resolution.after)]
        del boards, resolution
        assert [ref() for ref in alive] == [None, None]
    finally:
        gc.enable()


def test_in_place_needs_columns_of_its_own() -> None:
    boards = generate(3, 1, "midgame")
    with pytest.raises(DataError, match="after as well"):
        settle(boards, after=False, in_place=True)
    damage = boards.objects.damage.copy()
    damage.flags.writeable = False
    with pytest.raises(DataError, match=r"objects\.damage: .* found a read-only one"):
        settle(replace(boards, objects=boards.objects._replace(damage=damage)), in_place=True)
    nothing = np.zeros(len(damage), np.int32)
    shared = boards.objects._replace(plus_counters=nothing, minus_counters=nothing)
    with pytest.raises(DataError, match=r"minus_counters: .* found memory of objects\.plus_counters"):
        settle(replace(boards, objects=shared), in_place=True)
    assert settle(replace(boards, objects=shared)).after is not None


# --- neighbours


def test_order_and_neighbours(batch: Boards) -> None:
    expected = kernel_results(batch, threads=1)
    order = np.random.default_rng(5).permutation(len(batch))
    assert kernel_results(numbered(batch[order]), threads=1) == [expected[i] for i in order]


def test_alone(batch: Boards) -> None:
    some = batch[:: max(1, len(batch) // 40)]
    assert [kernel_results(board, threads=1)[0] for board in some] == kernel_results(some, threads=1)


def test_a_rejected_neighbour(batch: Boards) -> None:
    some = batch[:8]
    broken = settle(some, threads=1).results.to_pylist()
    life = some.players.life.copy()
    life[some.players_start[3]] = 2**31 - 1
    results = settle(replace(some, players=some.players._replace(life=life)), threads=1).results.to_pylist()
    assert results[3]["status"] == "rejected"
    assert "life" in results[3]["reason"]
    assert results[:3] + results[4:] == broken[:3] + broken[4:]


# --- input and output


def digest(boards: Boards) -> str:
    columns = hashlib.sha256()
    for part in (boards.states, *(part for name in TABLES for part in boards.table(name)), *boards.lexicon.tables):
        for column in part if isinstance(part, tuple) else (part,):
            columns.update(np.ascontiguousarray(column).tobytes())
    return columns.hexdigest()


def test_the_input_is_never_changed(batch: Boards, choices: tuple[Choices, Any]) -> None:
    before, chosen = digest(batch), [column.copy() for column in choices[0]]
    assert settle(batch, choices, threads=2).after is not batch
    assert digest(batch) == before
    assert all(map(np.array_equal, choices[0], chosen))


def test_a_settled_board_stays_as_it_is(batch: Boards) -> None:
    first = settle(batch, threads=1)
    assert first.after is not None
    settled = first.after[np.flatnonzero(np.array(first.results["status"].to_pylist()) == "settled")]
    again = settle(settled, threads=1)
    assert again.actions.num_rows == 0
    assert set(again.results["passes"].to_pylist()) == {0}
    assert again.after is not None
    before, after = settled.to_arrow(), again.after.to_arrow()
    for name, table in before.items():
        assert table.equals(after[name]), name


def test_marks_are_cleared(batch: Boards) -> None:
    resolution = settle(batch, threads=1)
    assert resolution.after is not None
    ongoing = np.array(resolution.results["outcome"].to_pylist()) == "ongoing"
    settled = resolution.after[np.flatnonzero(ongoing)]
    assert not (settled.objects.flags & b.OBJECT_MARKS).any()
    assert not (settled.players.flags & b.DREW_FROM_EMPTY).any()


def test_arrow_does_the_same(batch: Boards, choices: tuple[Choices, Any], resolution: Resolution) -> None:
    tables = settle_arrow(batch.to_arrow(), choices_to_arrow(*choices, batch), threads=1)
    assert tables["results"].equals(resolution.results)
    assert tables["actions"].equals(resolution.actions)
    assert resolution.after is not None
    again = Boards.from_arrow({name: table for name, table in tables.items() if name not in ("results", "actions")})
    assert kernel_results(again, threads=1) == kernel_results(resolution.after, threads=1)
    assert handles_of(again) == handles_of(batch)
    assert "objects" not in settle_arrow(batch.to_arrow(), threads=1, after=False)


@pytest.mark.parametrize("threads", [0, -1])
def test_no_threads_are_an_error(threads: int) -> None:
    boards = generate(2, seed=1)
    with pytest.raises(DataError, match="threads: expected at least 1"):
        settle(boards, threads=threads)
    with pytest.raises(DataError, match="threads: expected at least 1"):
        verify(boards, boards, threads=threads)


@pytest.mark.compiled
def test_read_only_columns_compile_nothing_anew() -> None:
    boards = generate(20, 3, "effects")
    expected = settle(boards, threads=1)
    compiled = len(settling.settle_run.signatures)
    for name in TABLES:
        columns, start = boards.table(name)
        for column in (*columns, start):
            column.setflags(write=False)
    frozen = replace(boards)
    found = settle(frozen, threads=1)
    assert found.results.equals(expected.results)
    assert found.actions.equals(expected.actions)
    assert len(settling.settle_run.signatures) == compiled
    assert verify(frozen, found.after, threads=1).counts["agree"] == 20
    with pytest.raises(DataError, match="found a read-only one"):
        settle(frozen, threads=1, in_place=True)


def test_a_finished_game_is_settled_again() -> None:
    boards = generate(300, 2, "dense")
    first = settle(boards, threads=1)
    assert first.after is not None
    came, again = (
        list(zip(*(table[name].to_pylist() for name in ("status", "outcome", "winners")), strict=True))
        for table in (first.results, settle(first.after, threads=1).results)
    )
    assert [x for x, y in zip(again, came, strict=True) if y[0] == "settled"] == [y for y in came if y[0] == "settled"]
    assert {outcome for _, outcome, _ in came} == {"ongoing", "win", "draw"}
