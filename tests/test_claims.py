"""Claims of scenarios: what another engine says came of a board, and the verdict that is expected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headjudge import scenario_runner
from headjudge.errors import DataError
from headjudge.io.scenarios import read, reads

if TYPE_CHECKING:
    from headjudge.io.scenarios import Scenario

CASES = [
    pytest.param(scenario, id=f"{path.stem}:{scenario.id}")
    for path in sorted((Path(__file__).parent / "scenarios").glob("*.yaml"))
    for scenario in read(path)
    if scenario.claim is not None
]


@pytest.mark.parametrize("scenario", CASES)
def test_verdict(scenario: Scenario) -> None:
    assert scenario_runner.run(scenario) == []


def judged(text: str) -> str:
    """Return the verdict, and the findings as the runner writes them."""
    (scenario,) = reads(text + "\n  expect: {verdict: agree}")
    return "; ".join(scenario_runner.run(scenario))


BEAR = "bear: {controller: 0, types: [creature], power: 2, toughness: 2, damage: 2}"


def test_mismatches_are_told_in_words() -> None:
    (scenario,) = reads(
        f"- id: x\n  given: {{objects: {{{BEAR}}}}}\n  claim: {{}}\n"
        "  expect: {verdict: disagree, findings: [{kind: spurious, object: bear}]}"
    )
    (line,) = scenario_runner.run(scenario)
    assert line.startswith(
        "x: findings: expected {kind: spurious, object: bear}, got {kind: missed, rule: lethal_damage"
    )


def test_a_board_that_cannot_be_judged() -> None:
    text = "- given: {objects: {a: {controller: 0, damage: 99999999999}}}\n  claim: {}"
    assert "verdict: expected agree, got rejected (" in judged(text)


def test_what_is_not_judged_is_refused() -> None:
    with pytest.raises(DataError, match="claim: 'mana_value' is not judged"):
        judged(f"- id: x\n  given: {{objects: {{{BEAR}}}}}\n  claim: {{objects: {{bear: {{mana_value: 3}}}}}}")


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("objects: {bear: {zone: graveyard}}, outcome: ongoing", ""),
        ("objects: {bear: {zone: graveyard}}, outcome: draw", "outcome draw, expected ongoing"),
        ("objects: {bear: {zone: graveyard, tapped: true}}", "tapped true, expected false"),
        (
            "objects: {bear: {zone: graveyard, counters: {odd: 1}}}",
            "counters a kind that is not on the board: 1, expected none",
        ),
    ],
)
def test_what_a_claim_states(claim: str, verdict: str) -> None:
    found = judged(f"- given: {{objects: {{{BEAR}}}}}\n  claim: {{{claim}}}")
    assert verdict in found
    assert bool(found) == bool(verdict)


#: A choice, the claims that some answer explains, and one that none does.
CHOICES = {
    "protector": (
        (
            "{players: [{}, {}, {}], objects: {"
            "siege: {controller: 0, types: [battle], subtypes: [siege], counters: {defense: 3}}}}"
        ),
        ["objects: {siege: {protector: 1}}", "objects: {siege: {protector: 2}}"],
        "objects: {siege: {protector: 0}}",
    ),
    "sector": (
        "{objects: {sculptor: {controller: 0, types: [creature], power: 1, toughness: 1, keywords: [space_sculptor]}}}",
        [f"objects: {{sculptor: {{sector: {word}}}}}" for word in ("alpha", "beta", "gamma")],
        "objects: {sculptor: {sector: null}}",
    ),
    "commander": (
        (
            "{variant: [commander], objects: {c: {controller: 0, types: [creature], power: 1, toughness: 1, damage: 1, "
            "commander: true}}}"
        ),
        ["objects: {c: {zone: command}}", "objects: {c: {zone: graveyard}}"],
        "objects: {c: {zone: exile}}",
    ),
    "replacement": (
        (
            "{objects: {x: {controller: 0, types: [creature], power: 1, toughness: 1, damage: 1, regeneration: 1}, "
            "u: {controller: 0, types: [enchantment], subtypes: [aura], keywords: [umbra_armor], "
            "enchant: {types: [creature]}, attached_to: x}, "
            "w: {controller: 0, types: [enchantment], subtypes: [aura], keywords: [umbra_armor], "
            "enchant: {types: [creature]}, attached_to: x}}}"
        ),
        [
            "objects: {x: {damage: 0, regeneration: 0, tapped: true}}",
            "objects: {x: {damage: 0, regeneration: 1}, u: {zone: graveyard}}",
            "objects: {x: {damage: 0, regeneration: 1}, w: {zone: graveyard}}",
        ],
        "objects: {x: {damage: 0, regeneration: 0}, u: {zone: graveyard}}",
    ),
    "destination": (
        (
            "{objects: {x: {controller: 0, types: [creature], power: 1, toughness: 1, damage: 1, "
            "graveyard_replacement: hand, counters: {finality: 1}}}}"
        ),
        ["objects: {x: {zone: hand}}", "objects: {x: {zone: exile}}"],
        "objects: {x: {zone: graveyard}}",
    ),
    "shuffled or dead": (
        (
            "{players: [{life: 0}, {}], objects: {"
            "x: {controller: 0, types: [creature], power: 1, toughness: 1, damage: 1}, "
            "mirror: {controller: 0, types: [artifact]}}, "
            "effects: [{source: mirror, affects: {player: you}, rule: instead_of_losing, life: 5, shuffle_owned: true, "
            "exile_source: true}]}"
        ),
        [
            f"players: {{0: {{life: 5}}}}, objects: {{x: {{zone: {x}}}, mirror: {{zone: {mirror}}}}}"
            for x in ("graveyard", "library")
            for mirror in ("exile", "library")
        ],
        "players: {0: {life: 5}}, objects: {x: {zone: exile}, mirror: {zone: exile}}",
    ),
    "loss replacement": (
        (
            "{players: [{life: 0}, {}], objects: {"
            "one: {controller: 0, types: [artifact]}, two: {controller: 0, types: [artifact]}}, "
            "effects: [{source: one, affects: {player: you}, rule: instead_of_losing, life: 5},"
            "{source: two, affects: {player: you}, rule: instead_of_losing, life: 7}]}"
        ),
        ["players: {0: {life: 5}}", "players: {0: {life: 7}}"],
        "players: {0: {life: 12}}",
    ),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_every_answer_is_right_and_nothing_else(choice: str) -> None:
    given, right, wrong = CHOICES[choice]
    for claim in right:
        assert judged(f"- given: {given}\n  claim: {{{claim}}}") == "", claim
    assert "verdict: expected agree, got disagree" in judged(f"- given: {given}\n  claim: {{{wrong}}}")


def test_findings_name_hosts_by_their_handles() -> None:
    given = (
        "{objects: {land: {controller: 0, types: [land]}, bear: {controller: 0, types: [creature], toughness: 2}, "
        "sword: {controller: 0, types: [artifact], subtypes: [equipment], attached_to: land}}}"
    )
    found = judged(f"- given: {given}\n  claim: {{objects: {{sword: {{attached_to: bear}}}}}}")
    assert "attached_to bear, expected null" in found
