"""The oracle against the scenarios: both are written from the rules, and neither from the kernels."""

from pathlib import Path
from typing import Any

import pytest
import yaml

import oracle
from oracle.compare import differences

SCENARIOS = Path(__file__).parent / "scenarios"


def scenarios_without_claim() -> list[Any]:
    """List the scenarios whose result the oracle can be asked for; a claim is another engine's result."""
    return [
        pytest.param(scenario, id=f"{path.stem}:{scenario['id']}")
        for path in sorted(SCENARIOS.glob("*.yaml"))
        for scenario in yaml.safe_load(path.read_text(encoding="utf-8"))
        if "claim" not in scenario
    ]


@pytest.mark.parametrize("scenario", scenarios_without_claim())
def test_scenario_comes_out_as_expected(scenario: dict[str, Any]) -> None:
    assert differences(scenario) == []


def test_rows_tell_what_was_there_before_the_event() -> None:
    # CR 704.8: the counters that cancel in the event are still there, and so is the effect of what dies in it.
    finks = {"controller": 0, "types": ["creature"], "power": 3, "toughness": 2, "damage": 3}
    counters = {"+1/+1": 1, "-1/-1": 1}
    result = oracle.settle({"objects": {"finks": finks | {"counters": counters}}})
    by_rule = {row["rule"]: row for row in result["rows"]}
    assert set(by_rule) == {"lethal_damage", "counters_cancel"}
    assert by_rule["lethal_damage"] == {
        "pass": 1,
        "rule": "lethal_damage",
        "kind": "sba",
        "object": "finks",
        "player": None,
        "about": None,
        "from_zone": "battlefield",
        "to_zone": "graveyard",
        "amount": None,
        "replaced_by": None,
        "controller": 0,
        "power": 3,
        "toughness": 2,
        "damage": 3,
        "counters": counters,
    }
    assert by_rule["counters_cancel"]["amount"] == 1


def test_what_cannot_be_read_is_rejected_by_its_field() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"objects": {"bear": {"controller": 0, "typs": ["creature"]}}}, "given.objects.bear"),
        ({"objects": {"bear": {"controller": 2}}}, "given.objects.bear.controller"),
        ({"objects": {"bear": {"controller": 0, "attached_to": "nobody"}}}, "given.objects.bear.attached_to"),
        ({"effects": [{"affects": "self", "switch": True}]}, "given.effects[0].affects"),
        ({"players": [{"speed": 5}, {}]}, "given.players[0].speed"),
    ]
    for given, where in cases:
        with pytest.raises(oracle.Rejected) as rejected:
            oracle.settle(given)
        assert rejected.value.reason.startswith(where)
