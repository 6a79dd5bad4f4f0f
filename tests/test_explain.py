"""What happens on a board, in words and as the full result."""

from __future__ import annotations

import json
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import yaml

import headjudge
import oracle
from headjudge import course, explain, scenario_runner
from headjudge.full_result import carry_out
from headjudge.io import scenarios
from headjudge.io.choices import columns_of
from headjudge.kernels import vocabulary as v
from headjudge.kernels.board import RESULT, records
from headjudge.kernels.catalogue import NAMES
from headjudge.kernels.settling import settle_run
from headjudge.replay import Replay
from headjudge.settling import room

if TYPE_CHECKING:
    from headjudge.io.scenarios import Scenario

CASES = [
    pytest.param(scenario, entry, id=f"{path.stem}:{scenario.id}")
    for path in sorted((Path(__file__).parent / "scenarios").glob("*.yaml"))
    for scenario, entry in zip(scenarios.read(path), yaml.safe_load(path.read_text(encoding="utf-8")), strict=True)
    if scenario.claim is None
]


UMBRA = (
    "{name: Umbra, controller: 0, types: [enchantment], subtypes: [aura], enchant: {types: [creature]}, "
    "attached_to: x, keywords: [umbra_armor]}"
)


def one(text: str) -> Scenario:
    (scenario,) = scenarios.reads(text)
    return scenario


def explained(text: str) -> explain.Explanation:
    return explain.explain_scenario(one(text))


@pytest.mark.parametrize(("scenario", "entry"), CASES)
def test_full_result_is_that_of_the_oracle(scenario: Scenario, entry: dict[str, Any]) -> None:
    explanation = explain.explain_scenario(scenario)
    mapping = json.loads(json.dumps(explanation.mapping))
    assert scenario_runner.run(scenario) == []
    try:
        expected = oracle.settle(entry["given"], entry.get("choices"), scenario.do)
    except oracle.Rejected:
        assert mapping["status"] == "rejected"
        assert mapping["reason"]
        return
    assert (mapping.pop("id"), mapping.pop("reason")) == (scenario.id, None)
    assert set(mapping) == set(expected) - {"rows", "players_get_priority"}
    for key, value in mapping.items():
        if key == "waiting" or (mapping["status"] == "loop" and key not in ("status", "outcome")):
            continue  # the oracle knows what waits after a procedure only, and follows a loop further
        if key in ("actions", "consequences"):
            assert _unordered(value) == _unordered(expected[key]), key
        else:
            assert value == expected[key], key


def _unordered(value: Any) -> Any:
    if isinstance(value, list):
        return sorted(map(repr, value)) if not all(isinstance(x, dict) and "player" not in x for x in value) else [
            _unordered(x) for x in value
        ]  # fmt: skip
    return {key: _unordered(x) for key, x in value.items()}


CHAIN = """
- id: chain
  title: Three passes
  given:
    players: [{life: 0}, {life: 20}, {life: 20}]
    objects:
      bear:  {name: Runeclaw Bear, controller: 1, types: [creature], power: 2, toughness: 2, damage: 3,
              counters: {"+1/+1": 1}}
      twin:  {name: Runeclaw Bear, controller: 1, types: [creature], power: 2, toughness: 2}
      bond:  {name: Spirit Link, controller: 2, types: [enchantment], subtypes: [aura],
              enchant: {types: [creature]}, attached_to: bear}
      token: {kind: token, controller: 2, zone: exile}
      hers:  {controller: 0, types: [land]}
"""


def test_text() -> None:
    assert (
        explained(CHAIN).text
        == """\
chain: Three passes

Board 0: precombat main, turn of player 0
Player 0: 0 life
  battlefield
    hers: land
Player 1: 20 life
  battlefield
    Runeclaw Bear (bear): creature 2/2, 1 +1/+1 counter, 3 damage
    Runeclaw Bear (twin): creature 2/2
Player 2: 20 life
  battlefield
    Spirit Link -> Runeclaw Bear (bear): enchantment (aura), enchants creatures
  exile
    token: token

Pass 1 (CR 704.3)
  CR 704.5a life_zero: player 0 has 0 or less life and loses the game
  CR 704.5g lethal_damage: Runeclaw Bear (bear) (3/3, 3 damage, 1 +1/+1) has lethal damage and is destroyed: \
battlefield -> graveyard
  CR 704.5d token_off_battlefield: token ceases to exist: exile -> gone
  CR 800.4a player_leaves: player 0 leaves the game
  besides, hers: battlefield -> gone

Pass 2 (CR 704.3)
  CR 704.5m illegal_aura: Spirit Link is attached to nothing that it may enchant: battlefield -> graveyard

Nothing more applies. 2 passes in all. Lost: player 0. The game goes on.

Afterwards
Board 0: precombat main, turn of player 0
Player 0: 0 life, is out of the game
  out of the game
    hers: land
Player 1: 20 life
  battlefield
    Runeclaw Bear (twin): creature 2/2
  graveyard
    Runeclaw Bear (bear): creature 2/2
Player 2: 20 life
  graveyard
    Spirit Link: enchantment (aura), enchants creatures
  out of the game
    token: token"""
    )


def test_mapping() -> None:
    assert explained(CHAIN).mapping == {
        "id": "chain",
        "status": "settled",
        "outcome": "ongoing",
        "passes": 2,
        "actions": [
            {"life_zero": [{"player": 0}], "token_off_battlefield": ["token"], "lethal_damage": ["bear"]},
            {"illegal_aura": ["bond"]},
        ],
        "consequences": {"player_leaves": [{"player": 0}]},
        "lost": [0],
        "next_step": None,
        "reason": None,
        "waiting": [],
        "players": [
            {"life": 0, "poison": 0, "speed": None, "in_game": False, "designations": []},
            {"life": 20, "poison": 0, "speed": None, "in_game": True, "designations": []},
            {"life": 20, "poison": 0, "speed": None, "in_game": True, "designations": []},
        ],
        "objects": {
            "bear": _thing("graveyard", 1),
            "twin": _thing("battlefield", 1) | {"power": 2, "toughness": 2, "types": ["creature"]},
            "bond": _thing("graveyard", 2),
            "token": _thing("none", 2),
            "hers": _thing("none", 0),
        },
    }


def _thing(zone: str, controller: int) -> dict[str, Any]:
    return {
        "zone": zone, "controller": controller, "attached_to": None, "damage": 0, "counters": {}, "tapped": False,
        "attacking": None, "protector": None, "sector": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{players: [{life: 20}, {life: 0}]}", "1 pass in all. Lost: player 1. The game is won by player 0."),
        ("{players: [{life: 0}, {life: 0}]}", "Lost: player 0 and player 1. The game is a draw."),
        ("{}", "Nothing more applies. No pass in all. The game goes on."),
        (
            "{players: [{}, {in_game: false}], objects: {x: {controller: 0, types: [creature], toughness: 0}}}",
            "\n\nNo pass in all. The game is won by player 0.",
        ),
        (
            "{objects: {x: {controller: 0, types: [creature], toughness: 1, damage: 1, regeneration: 1}}}",
            "lethal_damage: x (0/1, 1 damage) has lethal damage and would be destroyed, replaced by regeneration\n",
        ),
        (
            "{players: [{life: 0}, {}], effects: [{affects: {player: 0}, rule: instead_of_losing, life: 7}]}",
            "CR 704.5a life_zero: player 0 has 0 or less life and would lose the game, replaced by instead of losing\n",
        ),
        (
            (
                "{objects: {x: &x {name: X, controller: 0, types: [creature], supertypes: [legendary], toughness: 1, "
                "damage: 1, regeneration: 1}, y: {<<: *x, damage: 0}}}"
            ),
            "X (x) (0/1, 1 damage) has lethal damage and would be destroyed, replaced by regeneration\n",
        ),
        (
            "{objects: {x: {controller: 0, types: [artifact], colors: [blue, red], protection: [black, 'player:1']}}}",
            "x: blue red artifact, protection from black and player 1\n",
        ),
        (
            (
                "{objects: {x: {controller: 0, keeps_attachments: [a], types: [artifact]}, "
                "a: &a {controller: 0, types: [land], subtypes: [aura], enchant: {controller: you}, attached_to: x}, "
                "c: {<<: *a, enchant: {player: opponent}}}}"
            ),
            (
                "x: artifact, keeps a attached\n    a -> x: land (aura), enchants permanents you control\n"
                "    c -> x: land (aura), enchants opponents\n"
            ),
        ),
        (
            f"{{objects: {{x: {{controller: 0, types: [creature], toughness: 1, damage: 1}}, u: {UMBRA}}}}}",
            "CR 702.89a umbra_armor: x (0/1, 1 damage) is saved by Umbra",
        ),
        (
            "{objects: {x: {controller: 0, types: [creature], toughness: 1, keywords: [space_sculptor]}}}",
            "CR 704.5u sector: x (0/1) gets the sector alpha",
        ),
        (
            "{objects: {x: {controller: 0, types: [battle], subtypes: [siege], counters: {defense: 3}}}}",
            "CR 704.5x battle_no_protector: x (3 defense) needs a protector and gets player 1",
        ),
        (
            "{objects: {x: {controller: 0, types: [artifact], counters: {+1/+1: 2, -1/-1: 1}}}}",
            "CR 704.5q counters_cancel: x (2 +1/+1, 1 -1/-1) loses 1 +1/+1 and 1 -1/-1",
        ),
        (
            "{objects: {x: {controller: 0, counters: {dream: 9, +1/+1: 4}, counter_limits: {dream: 7, +1/+1: 3}}}}",
            "x (4 +1/+1, 9 dream) has 1 +1/+1 counter and 2 dream counters beyond its limit\n",
        ),
        (
            "{objects: {x: {controller: 0, counters: {+1/+1: 4, -1/-1: 2}, counter_limits: {+1/+1: 3}}}}",
            "x (4 +1/+1, 2 -1/-1) has 1 +1/+1 counter beyond its limit\n",
        ),
        (
            "{objects: {x: {controller: 0, types: [artifact], counters: {dream: 8}, counter_limits: {dream: 7}}}}",
            "x: artifact, 8 dream counters, at most 7 dream counters\n",
        ),
        (
            """{variant: [brawl], objects: {x: {controller: 0, types: [planeswalker], commander: true,
                                                graveyard_replacement: hand}}}""",
            "battlefield -> command, replaced by graveyard replacement, which is replaced in turn (CR 903.9b)\n",
        ),
        (
            "{round_expired: true, players: [{life: 1}, {life: 2}]}",
            "MTR 2.4 highest_life: player 0 does not have the highest life total and loses the game",
        ),
        (
            "{objects: {x: {controller: 0, types: [planeswalker], counters: {finality: 1}}}}",
            "x (1 finality) has no loyalty left: battlefield -> exile, replaced by finality",
        ),
        (
            "{variant: [two_headed_giant], players: [{team: 0}, {team: 0, life: 3}, {team: 1}, {team: 1}]}",
            "Rejected: ",
        ),
    ],
)
def test_sentences(text: str, sentence: str) -> None:
    assert sentence in explained(f"- given: {text}").text


def test_only_what_moves_an_object_names_its_zones() -> None:
    text = explained("""
- given:
    objects:
      x:
        {controller: 0, types: [creature], power: 1, toughness: 1, damage: 1, dies_trigger: true,
        counters: {+1/+1: 2, -1/-1: 2}}
""").text
    assert [line.rpartition(") ")[2] for line in _told(text)[1:4]] == [
        "has lethal damage and is destroyed: battlefield -> graveyard",
        "loses 2 +1/+1 and 2 -1/-1",
        "triggers, because it died",
    ]


def test_the_reason_of_a_rejection_is_told_once() -> None:
    text = explained("- given: {objects: {x: {controller: 0, damage: -1}}}").text
    assert text.count("expected a number from 0 to ") == 1
    assert text.endswith("\n\nRejected.")


def test_effects_are_named_for_what_they_do() -> None:
    text = explained("""
- id: anthem
  given:
    objects:
      bear:   {name: Runeclaw Bear, controller: 0, types: [creature], power: 2, toughness: 2, damage: 2}
      lord:   {controller: 0, types: [creature], power: 0, toughness: 1, damage: 1}
      golem:  {controller: 1, types: [artifact], keywords: [indestructible]}
    effects:
      - {source: lord, affects: {types: [creature], controller: you, other: true}, add_power: 1, add_toughness: 1}
      - {id: theft, affects: [golem], control: 0, add_types: [creature], lose_keywords: [indestructible]}
      - {id: size, affects: [golem], set_power: 3, set_toughness: 3}
""").text
    first, last = text.split("Pass 1")[0], text.split("Afterwards")[1]
    theft = "    golem: no creature -> 3/3, artifact -> artifact creature, controller player 1 -> player 0, "
    theft += "loses indestructible"
    assert "What effects make of it\n    Runeclaw Bear: 2/2 -> 3/3 (lord)\n" in first
    assert "    golem: no creature -> 4/4" in first
    assert "(lord, theft and size)\n" in first
    assert f"{theft} (theft and size)" in last
    assert "Runeclaw Bear: 2/2" not in last


def test_two_effects_that_do_the_same_are_both_named() -> None:
    effect = "{affects: [x], gain_keywords: [bestow]}"
    text = explained(f"- given: {{objects: {{x: {{controller: 0}}}}, effects: [{effect}, {effect}]}}").text
    assert "x: gains bestow (effect_1 and effect_2)" in text


def test_many_effects_are_not_tried_one_by_one() -> None:
    effect = "{affects: [x], add_power: 1}"
    objects = "{x: {controller: 0, types: [creature], toughness: 1}}"
    text = explained(f"- given: {{objects: {objects}, effects: [{', '.join([effect] * 70)}]}}").text
    assert "    x: 0/1 -> 70/1\n" in text


def _told(text: str) -> list[str]:
    """What is told of the course of things, without the boards before and after."""
    return text.split("\n\n", 2)[2].split("\n\nAfterwards", maxsplit=1)[0].splitlines()


def test_each_pass_tells_what_effects_make_of_the_board_by_then() -> None:
    text = explained("""
- id: falling
  given:
    objects:
      flag:   {controller: 1, types: [enchantment, creature], toughness: 2, damage: 2}
      thief:  {controller: 1, types: [creature], power: 1, toughness: 1, damage: 1}
      wolf:   {name: Wolf, controller: 0, types: [creature], power: 2, toughness: 2}
      twin:   {name: Wolf, controller: 1, types: [creature], power: 2, toughness: 2}
      land:   {controller: 1, types: [land]}
      moss:   {controller: 1, types: [enchantment], subtypes: [aura], enchant: {types: [creature]}, attached_to: land}
      wall:   {controller: 0, types: [creature], toughness: 4}
    effects:
      - {source: flag, affects: {types: [creature], controller: you, other: true}, add_power: 1, add_toughness: 1}
      - {source: thief, affects: [wolf], control: you}
      - {source: thief, affects: [land], add_types: [creature], set_power: 3, set_toughness: 3}
      - {id: fog, affects: [wall], gain_keywords: [indestructible], until: end_of_turn}
""").text
    assert _told(text) == [
        "Pass 1 (CR 704.3)",
        "  CR 704.5g lethal_damage: flag (0/2, 2 damage) has lethal damage and is destroyed: battlefield -> graveyard",
        "",
        "Pass 2 (CR 704.3)",
        "  CR 613.1 effects: thief: 2/2 -> 1/1 (no longer: flag)",
        "  CR 613.1 effects: Wolf (wolf) and Wolf (twin): 3/3 -> 2/2 (no longer: flag)",
        "  CR 613.1 effects: land: 4/4 -> 3/3 (no longer: flag)",
        "  CR 704.5g lethal_damage: thief (1/1, 1 damage) has lethal damage and is destroyed: battlefield -> graveyard",
        "",
        "Pass 3 (CR 704.3)",
        "  CR 613.1 effects: Wolf (wolf): controller player 1 -> player 0 (no longer: thief)",
        "  CR 613.1 effects: land: 3/3 -> no creature, creature land -> land (no longer: thief)",
        "  CR 704.5m illegal_aura: moss is attached to nothing that it may enchant: battlefield -> graveyard",
        "",
        "Nothing more applies. 3 passes in all. The game goes on.",
    ]


def test_why_an_object_is_another_by_then() -> None:
    text = explained("""
- id: why
  given:
    objects:
      moon:   {controller: 1, types: [creature], toughness: 1, damage: 1}
      dead:   {controller: 0, types: [creature], toughness: 1, damage: 1}
      older:  {controller: 0, types: [creature], zone: graveyard}
      lord:   {controller: 0, types: [creature], power: 2, toughness: 2}
      ghoul:  {controller: 0, types: [creature], power: 0, toughness: 1}
      hydra:  {controller: 0, types: [creature], toughness: 1, counters: {+1/+1: 3}, counter_limits: {+1/+1: 1}}
      bear:   {controller: 0, types: [creature], power: 2, toughness: 2}
    effects:
      - {source: moon, affects: [lord], lose_all_abilities: true}
      - {source: lord, affects: [bear], add_power: 1, add_toughness: 1}
      - {source: ghoul, affects: self, add_power: 1, add_toughness: 1, per: {types: [creature], zone: graveyard}}
      - {source: moon, affects: [hydra], add_power: 1}
""").text
    assert _told(text)[-6:] == [
        "After pass 1",
        "  CR 613.1 effects: ghoul: 1/2 -> 3/4 (otherwise than before: ghoul)",
        "  CR 613.1 effects: hydra: 4/4 -> 1/2 (no longer: moon; itself changed)",
        "  CR 613.1 effects: bear: 2/2 -> 3/3 (now: lord; no longer: moon)",
        "",
        "Nothing more applies. 1 pass in all. The game goes on.",
    ]


def test_two_effects_that_end_together_are_both_named() -> None:
    text = explained("""
- given:
    objects:
      a: {controller: 0, types: [creature], toughness: 0}
      b: {controller: 0, types: [creature], toughness: 0}
      x: {controller: 0, types: [creature], power: 1, toughness: 1}
    effects:
      - {source: a, affects: [x], gain_keywords: [indestructible]}
      - {source: b, affects: [x], gain_keywords: [indestructible]}
""").text
    assert "  CR 613.1 effects: x: loses indestructible (no longer: a and b)" in text


def test_consequences_before_the_first_check_change_what_it_is_judged_on() -> None:
    told = _told(
        explained("""
- given:
    objects:
      host:  {controller: 0, types: [creature], power: 3, toughness: 5, damage: 5}
      nymph: {controller: 0, types: [enchantment, creature], power: 1, toughness: 1, colors: [white], bestowed: true,
              keywords: [bestow], attached_to: host}
    effects:
      - {source: nymph, affects: host, add_power: 1, add_toughness: 1}
      - {id: ward, affects: [host], gain_protection: [white]}
""").text
    )
    assert told[:5] == [
        "Pass 1 (CR 704.3)",
        "  CR 702.103f bestow_ends: nymph is no longer bestowed",
        "  CR 613.1 effects: host: 4/6 -> 3/5 (no longer: nymph)",
        "  CR 613.1 effects: nymph: no creature -> 1/1, enchantment -> creature enchantment (itself changed)",
        "  CR 704.5g lethal_damage: host (3/5, 5 damage) has lethal damage and is destroyed: battlefield -> graveyard",
    ]


FIGHT = """
- do: {do}
  given:
    step: combat_damage
    objects:
      lord:   {{controller: 0, types: [creature], toughness: 0}}
      raider: {{controller: 0, types: [creature], power: 1, toughness: 1, attacking: {{player: 1}}}}
      land:   {{controller: 0, types: [land]}}
    effects:
      - {{source: lord, affects: [raider], add_power: 1, add_toughness: 1}}
      - {{id: banner, affects: {{attacking: true}}, add_power: 1}}
      - {{id: charge, affects: [raider], add_power: 4, until: end_of_combat}}
      - {{id: bloom, affects: [land], add_types: [creature], set_power: 2, set_toughness: 2, until: end_of_turn}}
"""


@pytest.mark.parametrize(("do", "title"), [("end_turn", "CR 724.1)"), ("end_combat_phase", "CR 724.2)")])
def test_combat_ends_after_the_check(do: str, title: str) -> None:
    told = _told(explained(FIGHT.format(do=do)).text)
    check = told.index("After pass 1")
    end = next(n for n, line in enumerate(told) if title in line)
    assert told[check + 1] == "  CR 613.1 effects: raider: 7/2 -> 6/1 (no longer: lord)"
    assert check < end
    assert told[end + 1 :][-3] == "  CR 613.1 effects: raider: 6/1 -> 2/1 (no longer: charge)"


def test_cleanup_tells_what_ended_before_the_check() -> None:
    told = _told(explained(FIGHT.format(do="cleanup")).text)
    assert told[:6] == [
        "The cleanup step (CR 514.2)",
        "  CR 514.2 effect_expires: bloom ends",
        "",
        "Pass 1 (CR 704.3)",
        "  CR 613.1 effects: land: 2/2 -> no creature, creature land -> land (no longer: bloom)",
        "  CR 704.5f toughness_zero: lord (0/0) has toughness 0 or less: battlefield -> graveyard",
    ]


def test_cleanup_tells_what_goes_without_a_row() -> None:
    text = explained("""
- do: cleanup
  given:
    objects:
      bear: {controller: 0, types: [creature], power: 2, toughness: 2, damage: 1, regeneration: 1}
      wall: {controller: 1, types: [creature], toughness: 4, damage: 3, phased_out: true}
""").text
    assert _told(text)[:3] == [
        "The cleanup step (CR 514.2)",
        "  CR 514.2: no more damage marked on bear and wall",
        "  CR 514.2: no more regeneration shields of bear",
    ]
    assert text.endswith("bear: creature 2/2\nPlayer 1: 20 life\n  battlefield\n    wall: creature 0/4, phased out")


def test_cleanup_takes_nothing_from_a_game_that_is_over() -> None:
    text = explained("""
- do: cleanup
  given:
    players: [{}, {in_game: false}]
    objects:
      bear: {controller: 0, types: [creature], power: 2, toughness: 2, damage: 1}
""").text
    assert "no more damage" not in text
    assert "Afterwards" not in text


def test_a_move_that_something_else_in_the_event_makes_is_told() -> None:
    text = explained("""
- given:
    players: [{life: 0}, {}]
    objects:
      angel: {controller: 0, types: [creature], toughness: 5, damage: 5}
    effects:
      - {source: angel, affects: {player: you}, rule: instead_of_losing, life: 7, exile_source: true}
  choices: {destination: {angel: exile}}
""").text
    assert "is destroyed: battlefield -> exile, where something else in the event moves it\n" in text


def test_what_one_who_leaves_controls_is_exiled() -> None:
    text = explained("""
- given:
    players: [{life: 0}, {}, {}]
    objects:
      land: {controller: 0, owner: 1, types: [land]}
""").text
    leaves = "player 0 leaves the game\n  CR 800.4a player_leaves: land is exiled: battlefield -> exile\n"
    assert f"CR 800.4a player_leaves: {leaves}" in text


def test_control_that_goes_back_to_who_has_left_exiles() -> None:
    text = explained("""
- given:
    players: [{in_game: false}, {}, {}]
    objects:
      shaman: {controller: 1, types: [creature], toughness: 0}
      angel:  {controller: 0, owner: 2, types: [creature], toughness: 4}
    effects:
      - {source: shaman, affects: [angel], control: 1}
""").text
    assert "CR 800.4c player_leaves: angel (0/4) is exiled: battlefield -> exile" in text


@pytest.mark.parametrize(("effects", "heading"), [
    (64, "What effects make of it\n    bear: 2/2 -> 66/2 ("),
    (65, "What effects make of it (which of them is told only up to 64 effects and 2,000 objects)\n    bear: 2/2"),
])  # fmt: skip
def test_which_of_many_effects_is_not_told(effects: int, heading: str) -> None:
    each = ", ".join(["{affects: [bear], add_power: 1}"] * effects)
    bear = "bear: {controller: 0, types: [creature], power: 2, toughness: 2}"
    assert heading in explained(f"- given: {{objects: {{{bear}}}, effects: [{each}]}}").text


def test_nothing_is_told_of_a_game_that_is_over() -> None:
    text = explained("""
- given:
    players: [{life: 0}, {}]
    objects:
      lord: {controller: 1, types: [creature], toughness: 0}
      bear: {controller: 1, types: [creature], power: 2, toughness: 2}
    effects: [{source: lord, affects: [bear], add_power: 1}]
""").text
    assert "The game is won by player 1." in text
    assert "CR 613" not in text


def test_a_long_chain_is_told_up_to_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    objects = [f"c{i}: {{controller: 0, types: [creature], toughness: 0}}" for i in range(6)]
    effects = [f"{{source: c{i}, affects: [c{i + 1}], add_toughness: 1}}" for i in range(5)]
    text = f"- given: {{objects: {{{', '.join(objects)}}}, effects: [{', '.join(effects)}]}}"
    assert explained(text).text.count("CR 613.1") == 5
    monkeypatch.setattr(course, "_MOST_PASSES", 2)
    told = _told(explained(text).text)
    assert [line for line in told if "613.1" in line or "From here on" in line] == [
        "  CR 613.1 effects: c1: 0/1 -> 0/0 (no longer: c0)",
        "  CR 613.1 effects: c2: 0/1 -> 0/0 (no longer: c1)",
        "  From here on only actions are told: there are too many passes.",
    ]
    assert (
        told.index("Pass 4 (CR 704.3)")
        == told.index("  From here on only actions are told: there are too many passes.") - 1
    )
    monkeypatch.setattr(course, "_MOST_WORK", 0)
    assert "CR 613.1" not in explained(text).text


def test_many_objects_that_change_alike_stand_on_one_line() -> None:
    objects = "".join(f", t{i}: {{controller: 0, types: [creature], power: 1, toughness: 1}}" for i in range(12))
    lord = "{controller: 0, types: [creature], toughness: 0}"
    effect = "{source: lord, affects: {types: [creature], other: true}, add_power: 1}"
    text = explained(f"- given: {{objects: {{lord: {lord}{objects}}}, effects: [{effect}]}}").text
    assert "  CR 613.1 effects: t0, t1, t2, t3, t4, t5, t6, t7 and 4 others: 2/1 -> 1/1 (no longer: lord)" in text


@pytest.mark.parametrize(("scenario", "entry"), CASES)
def test_what_the_first_check_is_judged_on_is_put_together_rightly(scenario: Scenario, entry: dict[str, Any]) -> None:
    result = carry_out(scenario.boards, scenario.choices, scenario.do)
    if result.actions:
        opening = list(takewhile(lambda action: action["kind"] != "sba", result.actions))
        ends = [n for n, action in enumerate(opening) if action["rule"] in ("removed_from_combat", "skipped_to")]
        if result.result["passes"] or not ends:
            assert Replay.of(scenario.boards, scenario.choices, scenario.do).opened(opening).exact


@pytest.mark.parametrize(("profile", "do"), [("tangled", "settle"), ("tangled", "end_turn"), ("effects", "cleanup")])
def test_each_moment_is_what_the_kernels_judged(profile: str, do: str) -> None:
    """The kernels leave in their records what they derived last; the boards in between must come to the same."""
    looked = 0
    for board in headjudge.generate(12, seed=5, profile=profile):
        result = carry_out(board, columns_of([]), do)
        replay = Replay.of(board, columns_of([]), do)
        for passes in range(1, result.result["passes"] + (result.result["outcome"] == "ongoing")):
            moment = replay.after(passes)
            states, copy = np.zeros(1, np.int64), replay._copy()
            kernels = room(replay.board, states)
            kernels.game[0]["most_passes"] = passes
            settle_run(copy.batch, *replay.choices, states, 0, replay.do, kernels, records(RESULT, 1))
            objects = kernels.objects[: len(board.objects.zone)]
            np.testing.assert_array_equal(moment.live, objects["live"])
            for name in ("controller", "types", "keywords"):
                np.testing.assert_array_equal(moment.derived[name][moment.live], objects[f"now_{name}"][moment.live])
            creatures = moment.live & (moment.derived["power"] != v.NULL)
            for name in ("power", "toughness"):
                np.testing.assert_array_equal(moment.derived[name][creatures], objects[f"now_{name}"][creatures])
            looked += 1
    assert looked > 3


def test_every_rule_has_words() -> None:
    assert set(explain._HAPPENS) == set(NAMES)


def test_a_board_of_a_data_set() -> None:
    board = one("- given: {objects: {x: {name: Grizzly Bears, controller: 0, types: [creature], toughness: 0}}}").boards
    board.states.state_id[:] = 17
    explanation = explain.explain(board)
    assert explanation.mapping["id"] == "state-17"
    assert explanation.mapping["actions"] == [{"toughness_zero": ["grizzly_bears"]}]
    assert explanation.text.startswith("state-17\n\nBoard 17: ")


def test_choices_are_made() -> None:
    legends = "{a: &l {name: X, controller: 0, supertypes: [legendary], types: [artifact]}, b: *l}"
    assert explained(f"- given: {{objects: {legends}}}").mapping["actions"] == [{"legend_rule": ["a"]}]
    chosen = explained(f"- {{given: {{objects: {legends}}}, choices: {{keep: [a]}}}}")
    assert chosen.mapping["actions"] == [{"legend_rule": ["b"]}]
    assert "\n\nChoices\n  keep: [X (a)]\n\nPass 1" in chosen.text


def test_what_is_chosen_for_something_that_the_event_moves() -> None:
    told = explained("""
- given:
    objects:
      siege: {controller: 0, types: [battle], subtypes: [siege], protector: 0}
      scout: {controller: 0, types: [creature], toughness: 0}
      guide: {controller: 0, types: [creature], power: 1, toughness: 1, keywords: [space_sculptor]}
""").text
    lines = told.splitlines()
    moved = "but something else in the event moves it"
    assert f"  CR 704.5y battle_illegal_protector: siege needs another protector and gets player 1, {moved}" in lines
    assert f"  CR 704.5u sector: scout (0/0) gets the sector alpha, {moved}" in lines
    assert "  CR 704.5u sector: guide (1/1) gets the sector alpha" in lines


def test_an_ability_that_is_nowhere_it_can_be() -> None:
    told = explained("""
- given:
    objects:
      stray: {controller: 0, kind: activated_ability, zone: command}
      there: {controller: 0, kind: activated_ability, zone: stack}
""").text
    assert _told(told)[:3] == ["At once", "  besides, stray: command -> gone", ""]
    assert "Afterwards" in told


@pytest.mark.parametrize("since", [7, 8])
def test_world_permanents_that_are_not_newer_than_all_others(since: int) -> None:
    world = "controller: 0, types: [enchantment], supertypes: [world]"
    new = f"new: {{{world}, timestamp: 8}}"
    told = explained(f"- given: {{objects: {{{new}, old: {{{world}, timestamp: {since}}}}}}}").text
    assert "old is not the one permanent that has been world for the shortest time" in told
    assert ("new is not" in told) == (since == 8)


def test_marks_that_their_names_do_not_tell() -> None:
    told = explained("""
- given:
    objects:
      host:  {controller: 0, types: [creature], power: 1, toughness: 1}
      nymph: {controller: 0, types: [enchantment, creature], power: 1, toughness: 1, bestowed: true, keywords: [bestow],
              attached_to: host}
      late:  {controller: 0, kind: triggered_ability, zone: waiting, triggered_during: true}
""").text
    assert "nymph -> host: creature enchantment 1/1, bestow, bestowed (an Aura, no creature)" in told
    assert "late: triggered ability, triggered while the turn or phase was ending" in told


def test_names_stay_on_their_lines() -> None:
    told = explained(r"""
- id: "i\nd"
  given:
    objects:
      "a\nb": {name: "A\nB", controller: 0, types: [creature], toughness: 0, components: [{name: "A\nB"}],
               counters: {"j\nk": 1}}
    effects: [{id: "e\nf", affects: {named: "c\nd", subtypes: ["g\nh"]}, add_power: 1}]
""").text
    assert r"    A\nB: creature 0/0, 1 j\nk counter, made of A\nB" in told.splitlines()
    assert told.startswith("i\\nd\n\n")
    assert r"  CR 704.5f toughness_zero: A\nB (0/0, 1 j\nk) has toughness" in told
    assert r"    e\nf: g\nh permanents named c\nd: gets +1/+0" in told.splitlines()


def test_what_is_called_alike_is_told_apart() -> None:
    told = explained("""
- given:
    objects:
      a: {name: b, controller: 0, types: [creature], toughness: 0}
      b: {controller: 0, types: [creature], toughness: 1}
      c: {name: c, controller: 0, types: [creature], toughness: 1}
    effects: [{id: c, affects: [c], add_power: 1}]
""").text
    lines = ["b (a): creature 0/0", "b: creature 0/1", "c: creature 0/1", "effect c: c: gets +1/+0"]
    assert [f"    {line}" for line in lines] == [line for line in told.splitlines() if line[:4] == "    "][:4]


def test_what_actions_bring_along() -> None:
    told = _told(
        explained(f"""
- given:
    players: [{{}}, {{life: 0}}]
    objects:
      x: {{controller: 0, types: [creature], power: 1, toughness: 1, damage: 1, sector: alpha}}
      umbra: {UMBRA}
      guide: {{controller: 1, types: [creature], toughness: 0, keywords: [space_sculptor], sector: beta}}
      phoenix: {{controller: 1, types: [artifact]}}
    effects:
      - {{source: phoenix, affects: {{player: you}}, rule: instead_of_losing, life: 7, exile_source: true}}
""").text
    )
    assert [line for line in told if " besides," in line or "702.158b" in line] == [
        "  besides, Umbra: battlefield -> graveyard",
        "  besides, phoenix: battlefield -> exile",
        "  CR 702.158b: no sector is left to x",
        "  besides, player 1: 0 -> 7 life",
    ]


def test_a_card_goes_on_without_its_tokens() -> None:
    parts = "[{name: Nightpack}, {name: Wolf, kind: token}]"
    pack = f"{{name: Nightpack, controller: 0, zone: graveyard, types: [creature], components: {parts}}}"
    text = explained(f"- given: {{objects: {{pack: {pack}}}}}").text
    assert "token_off_battlefield: Nightpack (0/0) goes on without its tokens, which cease to exist\n" in text


def test_what_else_changes_without_a_row() -> None:
    told = explained(f"""
- given:
    variant: [planechase]
    step: declare_blockers
    planar_controller: 2
    players: [{{}}, {{}}, {{life: 0}}]
    objects:
      x: {{controller: 0, types: [creature], power: 1, toughness: 1, damage: 1, attacking: jace}}
      umbra: {UMBRA[:-1]}, counters: {{shield: 2}}}}
      jace: {{controller: 1, types: [planeswalker]}}
      plane: {{controller: 2, zone: command, types: [plane]}}
""").text.splitlines()
    assert [line for line in told if line.startswith(("  besides", "  CR 506", "  CR 122", "  CR 901"))] == [
        "  besides, plane: command -> gone",
        "  CR 506.4c: nothing is attacked any more by x",
        "  CR 122.1c: a shield counter is used up on Umbra",
        "  CR 901.6: player 0 is the planar controller",
    ]


def test_moves_that_other_lines_of_the_event_do_not_tell() -> None:
    told = _told(
        explained("""
- given:
    players: [{life: 0}, {}]
    objects:
      mask: {controller: 0, types: [enchantment]}
      siege: {controller: 0, types: [battle], subtypes: [siege], counters: {defense: 1}}
      troll: {controller: 0, types: [creature], power: 1, toughness: 1, damage: 1, regeneration: 1}
      token: {kind: token, controller: 0, types: [artifact], leaves_trigger: true}
    effects: [{source: mask, affects: {player: you}, rule: instead_of_losing, life: 5, shuffle_owned: true}]
""").text
    )
    assert "  besides, mask, siege, troll and token: battlefield -> library" in told


def test_a_second_move_in_one_pass() -> None:
    told = _told(
        explained("""
- given:
    players: [{life: 0}, {}, {}]
    objects:
      a: {controller: 0, types: [creature], power: 1, toughness: 0}
      b: {controller: 0, types: [creature], power: 1, toughness: 1}
""").text
    )
    assert "  besides, a: graveyard -> gone" in told
    assert "  besides, b: battlefield -> gone" in told


def test_what_follows_after_the_check_of_a_procedure_stands_there() -> None:
    told = _told(
        explained("""
- do: end_turn
  given:
    step: combat_damage
    objects:
      host: {controller: 0, types: [land]}
      nymph: {controller: 0, types: [enchantment, creature], power: 1, toughness: 1, bestowed: true, keywords: [bestow],
              attached_to: host}
      guide: {controller: 0, types: [creature], power: 1, toughness: 1, sector: alpha}
      weak: {controller: 0, types: [creature], toughness: 0}
    effects:
      - {id: bloom, affects: [host], add_types: [creature], set_power: 2, set_toughness: 2, until: end_of_combat}
      - {id: chart, affects: [guide], gain_keywords: [space_sculptor], until: end_of_combat}
""").text
    )
    ending = told[told.index("Ending the turn (CR 724.1)") :]
    assert sum(line.startswith("Pass 1") for line in told) == 1
    assert "  CR 702.103f bestow_ends: nymph is no longer bestowed" in ending
    assert "  CR 702.158b: no sector is left to host and guide" in ending


def test_control_that_goes_back_to_who_left_in_the_same_pass_as_others() -> None:
    text = explained("""
- do: cleanup
  given:
    players: [{}, {in_game: false}, {life: 0}, {}]
    objects:
      a: {controller: 1, owner: 3, types: [creature], power: 1, toughness: 1}
    effects: [{until: end_of_turn, affects: [a], control: 0}]
""").text
    assert "CR 800.4c player_leaves: a (1/1) is exiled: battlefield -> exile" in text
