"""Ending the turn, ending the combat phase, the cleanup step: against the oracle, and what comes out of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headjudge
from comparison import differences
from headjudge import explain, scenario_runner
from headjudge.errors import DataError
from headjudge.io import scenarios
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.settling import settle, settle_arrow

if TYPE_CHECKING:
    from headjudge.boards import Boards

PROCEDURES = v.PROCEDURES[1:]
CASES = [
    pytest.param(scenario, id=f"{path.stem}:{scenario.id}")
    for path in sorted((Path(__file__).parent / "scenarios").glob("*.yaml"))
    for scenario in scenarios.read(path)
    if scenario.do != "settle" and scenario.claim is None
]


def board(given: str) -> Boards:
    (scenario,) = scenarios.reads(f"- given: {given}")
    return scenario.boards


def outcome(boards: Boards, do: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]], Boards]:
    """Return the rows of `results` and `actions`, and the boards afterwards."""
    resolution = settle(boards, do=do)
    assert resolution.after is not None
    return resolution.results.to_pylist(), resolution.actions.to_pylist(), resolution.after


# --- against the oracle ---


@pytest.mark.parametrize("scenario", CASES)
def test_scenario_comes_out_as_expected(scenario: scenarios.Scenario) -> None:
    assert scenario_runner.skip_reason(scenario) is None
    assert scenario_runner.run(scenario) == []


@pytest.mark.parametrize("do", PROCEDURES)
@pytest.mark.parametrize(("profile", "states"), [("procedures", 300), ("dense", 100), ("tangled", 60)])
def test_kernels_agree_with_the_oracle(do: str, profile: str, states: int) -> None:
    assert differences(headjudge.generate(states, seed=4, profile=profile), do=do) == {}


@pytest.mark.soak
@pytest.mark.parametrize("do", PROCEDURES)
@pytest.mark.parametrize("part", range(20))
def test_kernels_agree_with_the_oracle_on_a_hundred_thousand_boards(do: str, part: int) -> None:
    boards = headjudge.generate(5_000, seed=724, profile="procedures", first=5_000 * part)
    assert differences(boards, do=do) == {}


# --- what comes out ---


def test_after_is_the_board_as_the_next_step_finds_it() -> None:
    boards = headjudge.generate(400, seed=9, profile="procedures")
    before = [column.copy() for column in (*boards.states, *boards.objects, *boards.effects)]
    for do in PROCEDURES:
        results, _, after = outcome(boards, do)
        steps = [v.STEPS.index(row["next_step"]) if row["next_step"] else -1 for row in results]
        moved = np.array(steps) >= 0
        assert (after.states.step == np.where(moved, steps, boards.states.step)).all()
        state = np.repeat(np.arange(len(boards)), np.diff(boards.objects_start))
        assert not (after.objects.flags[moved[state]] & b.TRIGGERED_DURING).any()
        ended = np.repeat(moved, np.diff(after.effects_start))
        until = b.END_OF_TURN if do == "cleanup" else b.END_OF_COMBAT
        was_combat = do == "cleanup" or (b.COMBAT_STEPS >> boards.states.step.astype(int) & 1).astype(bool)
        fought = np.repeat(np.broadcast_to(was_combat, len(boards)), np.diff(after.effects_start))
        assert not (after.effects.until[ended & fought] == until).any()
        if do != "cleanup":
            gone = np.isin(after.objects.zone[moved[state]], (b.STACK,))
            assert not gone.any()
    assert all(map(np.array_equal, before, (*boards.states, *boards.objects, *boards.effects)))


def test_outside_of_combat_there_is_no_combat_phase_to_end() -> None:
    bear = "{controller: 0, types: [creature], toughness: 0}"
    boards = board(f"{{step: end, objects: {{bear: {bear}, spell: {{controller: 0, zone: stack}}}}}}")
    (result,), actions, after = outcome(boards, "end_combat_phase")
    assert (result["passes"], result["next_step"], result["players_get_priority"]) == (0, None, None)
    assert actions == []
    assert (after.objects.zone == boards.objects.zone).all()


def test_a_game_that_ends_goes_nowhere() -> None:
    for do in PROCEDURES:
        (result,), actions, after = outcome(board("{step: combat_damage, players: [{}, {life: 0}]}"), do)
        assert (result["outcome"], result["next_step"], result["players_get_priority"]) == ("win", None, False)
        assert "skipped_to" not in {row["rule"] for row in actions}
        assert v.STEPS[after.states.step[0]] == "combat_damage"


def test_rows_about_effects_and_the_game() -> None:
    boards = board("""{step: combat_damage,
        objects: {bear: {controller: 0, types: [creature], toughness: 2}, flag: {controller: 1, types: [artifact]}},
        effects: [{affects: [bear], add_power: 1, until: end_of_turn},
                  {affects: [bear], add_power: 2, until: end_of_combat},
                  {source: flag, affects: {types: [creature]}, add_power: 3, until: end_of_combat}]}""")
    boards.effects.effect_id[:] = [70, 71, 72]
    _, actions, after = outcome(boards, "end_turn")
    rows = [(row["rule"], row["kind"], row["object_id"], row["seat"], row["amount"]) for row in actions]
    flag = boards.objects.object_id[1]
    assert rows == [
        ("effect_expires", "procedure", None, None, 71),
        ("effect_expires", "procedure", flag, None, 72),
        ("skipped_to", "procedure", None, None, None),
    ]
    assert after.effects.effect_id.tolist() == [70]


def test_an_exiled_ability_ceases_from_exile() -> None:
    _, actions, after = outcome(
        board("{objects: {x: {kind: activated_ability, controller: 0, zone: stack}}}"), "end_turn"
    )
    rows = [(row["rule"], row["from_zone"], row["to_zone"]) for row in actions if row["from_zone"]]
    assert rows == [("exiled_from_stack", "stack", "exile"), ("ability_ceases", "exile", "none")]
    assert v.ZONES[after.objects.zone[0]] == "none"


def test_what_was_done_can_be_gone_on_from() -> None:
    """A turn that is ended, then its cleanup steps until one of them is the last."""
    boards = headjudge.generate(300, seed=2, profile="procedures")
    results, _, boards = outcome(boards, "end_turn")
    here = [i for i, row in enumerate(results) if row["next_step"] == "cleanup"]
    boards = boards[here]
    for _ in range(20):
        results, _, boards = outcome(boards, "cleanup")
        boards = boards[[i for i, row in enumerate(results) if row["next_step"] == "cleanup"]]
        boards.objects.zone[boards.objects.zone == b.WAITING] = b.NOWHERE  # put on the stack, and resolved
        if not len(boards):
            return
    raise AssertionError("cleanup never ends")


def test_functions_threads_and_tables_are_one() -> None:
    boards = headjudge.generate(200, seed=3, profile="procedures")
    functions = (headjudge.end_turn, headjudge.end_combat_phase, headjudge.cleanup)
    for do, function in zip(PROCEDURES, functions, strict=True):
        one, several = function(boards, threads=1), settle(boards, threads=3, do=do)
        assert one.results == several.results
        assert one.actions == several.actions
        tables = settle_arrow(boards.to_arrow(), do=do)
        assert tables["results"]["next_step"].to_pylist() == one.results["next_step"].to_pylist()
        assert isinstance(tables["states"], pa.Table)


def test_rejected_boards_go_nowhere() -> None:
    boards = board("{players: [{poison: -1}, {}]}")
    (result,), actions, _ = outcome(boards, "end_turn")
    assert (result["status"], result["next_step"], result["players_get_priority"]) == ("rejected", None, None)
    assert actions == []


def test_unknown_words_are_refused() -> None:
    with pytest.raises(
        DataError, match="do: expected one of settle, end_turn, end_combat_phase, cleanup, found 'pass'"
    ):
        settle(headjudge.generate(1), do="pass")


# --- on the command line and in words ---


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from headjudge.cli import main

    monkeypatch.chdir(tmp_path)
    boards = headjudge.generate(100, seed=5, profile="procedures")
    boards.save("in")
    assert main(["settle", "in", "out", "--do", "end_turn", "--after"]) == 0
    assert "exiled_from_stack" in capsys.readouterr().out
    expected = headjudge.end_turn(boards)
    resolved = pq.read_table("out/results")
    assert resolved["next_step"].to_pylist() == expected.results["next_step"].to_pylist()
    after = headjudge.load("out/after")
    assert expected.after is not None
    assert (after.states.step == expected.after.states.step).all()


GIVEN = """
- id: x
  do: {do}
  given:
    step: {step}
    objects:
      bear: {{name: Runeclaw Bear, controller: 0, types: [creature], power: 2, toughness: 2, damage: 2,
              attacking: {{player: 1}}}}
      ogre: {{name: Gray Ogre, controller: 1, types: [creature], power: 2, toughness: 2, blocking: true}}
      early: {{kind: triggered_ability, controller: 1, zone: waiting, source: ogre}}
      peace: {{name: Mandate of Peace, controller: 1, types: [instant], zone: stack, resolving: true}}
    effects:
      - {{id: growth, affects: [ogre], add_power: 1, until: end_of_combat}}
      - {{id: rage, affects: [ogre], add_power: 1, until: end_of_turn}}
"""


def explained(do: str, step: str) -> str:
    (scenario,) = scenarios.reads(GIVEN.format(do=do, step=step))
    return explain.explain_scenario(scenario).text


def test_explained() -> None:
    text = explained("end_combat_phase", "declare_blockers")
    parts = (
        "Ending the combat phase (CR 724.2)\n  CR 724.2a trigger_ceases: early ceases to exist: waiting -> gone",
        "  CR 724.2b exiled_from_stack: Mandate of Peace is exiled: stack -> exile\n\nPass 1 (CR 704.3)\n",
        "Ending the combat phase (CR 724.2)\n  CR 724.2d removed_from_combat: Gray Ogre (4/2) is removed from combat",
        "  CR 724.2d effect_expires: growth ends\n  CR 724.2d skipped_to: the game goes directly to: postcombat main",
        "The game goes on. Next is postcombat main, where players get priority.",
    )
    assert [part for part in parts if part not in text] == []
    text = explained("end_turn", "declare_blockers")
    assert "CR 500.5a effect_expires: growth ends" in text
    assert "CR 724.1d removed_from_combat: Gray Ogre" in text
    text = explained("cleanup", "cleanup")
    assert "The cleanup step (CR 514.2)\n  CR 514.2: no more damage marked on Runeclaw Bear\n" in text
    assert "  CR 514.2 effect_expires: rage ends" in text
    assert "Next is cleanup, where players get priority." in text
    assert "There is no combat phase to end, and nothing happens (CR 724.2g)." in explained("end_combat_phase", "end")
