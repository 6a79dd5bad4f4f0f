"""The shipped strategies: lawful, complete, and small when they shrink."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from headjudge import generate, settle
from headjudge.effects import TEXT_FIELDS
from headjudge.io.board_records import BoardRecord, record_of
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, STATE_FIELDS, Field
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.testing.strategies import batches, boards, choices, filters
from headjudge.validation import validate

if TYPE_CHECKING:
    from headjudge.boards import Boards
    from headjudge.filters import Filter


@given(boards())
def test_boards_are_lawful(board: Boards) -> None:
    assert len(board) == 1
    assert validate(board) == []
    assert settle(board).results["status"][0].as_py() != "rejected"


@given(boards(max_objects=3, max_players=2, effects=False))
def test_bounds_are_kept(board: Boards) -> None:
    assert len(board.objects.zone) <= 3
    assert len(board.players.life) <= 2
    assert len(board.effects.text) == 0


@given(batches())
def test_batches_are_lawful(batch: Boards) -> None:
    assert validate(batch) == []
    assert batch.states.state_id.tolist() == list(range(len(batch)))


@given(st.data())
def test_choices_are_read(data: st.DataObject) -> None:
    board = data.draw(boards())
    chosen = data.draw(choices(board))
    result = settle(board, chosen).results.to_pylist()[0]
    assert result["status"] != "rejected" or "choices" in result["reason"]


def differing(records: list[dict[str, Any]], fields: dict[str, Field]) -> set[str]:
    """Return the fields that some record states."""
    return {
        name
        for row, record in enumerate(records)
        for name, field in fields.items()
        if record[name] != field.default_of(record, row)
    }


def test_every_field_is_drawn() -> None:
    seen: set[str] = set()

    @settings(max_examples=700, database=None, derandomize=True, phases=[Phase.generate])
    @given(boards())
    def look(board: Boards) -> None:
        record = record_of(board)
        seen.update(differing([record.state], STATE_FIELDS))
        seen.update(differing(record.players, PLAYER_FIELDS), differing(record.objects, OBJECT_FIELDS))
        for effect in record.effects:
            seen.update(f"effect.{name}" for name, value in vars(effect).items() if value not in (None, ()))
            seen.update(f"text.{name}" for name, value in vars(effect.text).items() if value not in (None, False))

    look()
    texts = {f"text.{'condition' if name == 'while' else name}" for name in TEXT_FIELDS}
    effects = {f"effect.{name}" for name in ("text", "source", "controller", "until", "timestamp", "objects")}
    expected = {*STATE_FIELDS, *PLAYER_FIELDS, *OBJECT_FIELDS, *texts, *effects}
    assert expected - seen - {"controller"} == set()  # which has no default


def test_every_condition_of_a_filter_is_drawn() -> None:
    seen: set[str] = set()

    @settings(max_examples=300, database=None, derandomize=True, phases=[Phase.generate])
    @given(filters())
    def look(drawn: Filter) -> None:
        seen.update(drawn.to_mapping())

    look()
    assert seen == set(v.FILTER_CONDITIONS)


def smallest(condition: Any, strategy: Any = None) -> Boards:
    # Which example comes first is luck; what it shrinks to is not.
    quick = settings(max_examples=4_000, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    found: Boards = find(boards() if strategy is None else strategy, condition, settings=quick)
    return found


def test_boards_shrink_to_a_bare_one() -> None:
    record: BoardRecord = record_of(smallest(lambda board: len(board.objects.zone) > 0))
    assert differing([record.state], STATE_FIELDS) == set()
    assert len(record.players) == 1
    assert differing(record.players, PLAYER_FIELDS) == set()
    assert len(record.objects) == 1
    assert differing(record.objects, OBJECT_FIELDS) == {"controller"}  # which has no default
    assert record.effects == []
    assert len(smallest(lambda batch: True, batches())) == 0


@pytest.mark.parametrize("rule", ["lethal_damage", "illegal_aura", "life_zero", "token_off_battlefield"])
def test_boards_shrink_to_what_a_rule_needs(rule: str) -> None:
    board = smallest(lambda board: rule in settle(board, after=False).actions["rule"].to_pylist())
    assert len(board.objects.zone) == (rule != "life_zero")
    assert len(board.effects.text) == 0


def test_choices_shrink_to_none() -> None:
    commander = smallest(lambda board: bool((board.objects.flags & b.IS_COMMANDER).any()))
    columns, starts = find(choices(commander), lambda chosen: True)
    assert len(columns.choice) == 0
    assert starts.tolist() == [0, 0]


def test_choices_of_all_kinds_are_drawn() -> None:
    many = generate(300, seed=3, profile="tangled")
    seen: set[str] = set()

    @settings(max_examples=500, database=None, derandomize=True, phases=[Phase.generate])
    @given(st.data())
    def look(data: st.DataObject) -> None:
        drawn, _ = data.draw(choices(many[data.draw(st.integers(0, len(many) - 1))]))
        seen.update(v.CHOICES[choice] for choice in np.unique(drawn.choice))

    look()
    assert seen == set(v.CHOICES)


def test_without_hypothesis_the_error_says_what_to_install() -> None:
    program = "import sys; sys.modules['hypothesis'] = None; import headjudge.testing.strategies"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "pip install '.[testing]'" in run.stderr.splitlines()[-1]
