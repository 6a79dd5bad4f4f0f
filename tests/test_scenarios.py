"""Scenarios: what is read, what is refused and in which words, and that what is written reads the same."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from headjudge.boards import Boards
from headjudge.errors import DataError
from headjudge.filters import FILTER_ZONES
from headjudge.io import scenario_fields as f
from headjudge.io import scenario_values as kinds
from headjudge.io import scenarios
from headjudge.io.board_records import boards_of, record_of
from headjudge.io.scenario_reading import read_given
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import TABLES

if TYPE_CHECKING:
    from headjudge.io.scenarios import Scenario

FOLDER = Path(__file__).parent / "scenarios"
FILES = sorted(FOLDER.glob("*.yaml"))
DOCS = Path(__file__).parent.parent / "docs/scenarios.md"


def assert_same_board(a: Boards, b: Boards) -> None:
    """Same columns and words, whatever the numbers of words."""
    both = Boards.concat([a, b])
    for name in TABLES:
        (columns, start), rows = both.table(name), len(a.table(name)[0][0])
        assert start[1] == rows == start[2] - rows, name
        for column, values in zip(columns._fields, columns, strict=True):
            assert np.array_equal(values[:rows], values[rows:]), (name, column)
    for column, values in zip(both.states._fields, both.states, strict=True):
        assert column == "state_id" or values[0] == values[1], column


def assert_same_scenario(a: Scenario, b: Scenario) -> None:
    assert_same_board(a.boards, b.boards)
    for name in ("id", "title", "rules", "source", "handles", "effect_ids", "do", "expect", "claim"):
        assert getattr(a, name) == getattr(b, name), name
    assert all(map(np.array_equal, a.choices, b.choices))


# --- what is read ---


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_read_and_come_back_as_they_were(path: Path) -> None:
    first = scenarios.read(path)
    text = scenarios.dumps(first)
    second = scenarios.reads(text)
    assert len(first) == len(second) > 0
    for a, b in zip(first, second, strict=True):
        assert_same_scenario(a, b)
    assert scenarios.dumps(second) == text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_given_is_stable(path: Path) -> None:
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    for scenario, entry in zip(scenarios.read(path), written, strict=True):
        mapping = scenarios.to_mapping(scenario.boards, 0, scenario.handles, scenario.effect_ids)
        again = read_given(mapping, "again")
        assert_same_board(scenario.boards, boards_of(again.record))
        assert again.handles == scenario.handles == tuple(entry["given"].get("objects", {}))
        assert scenarios.choices_to_mapping(scenario.choices, scenario.handles, scenario.effect_ids) == entry.get(
            "choices", {}
        )


def one(text: str) -> Scenario:
    (scenario,) = scenarios.reads(text)
    return scenario


def test_defaults() -> None:
    scenario = one("- given: {objects: {a: {controller: 1}, b: {controller: 0}}}")
    board = record_of(scenario.boards)
    assert scenario.id == "scenarios-1"
    assert scenario.expect is scenario.claim is scenario.title is scenario.source is None
    assert (scenario.do, scenario.rules, scenario.effect_ids) == ("settle", (), ())
    assert [p["life"] for p in board.players] == [20, 20]
    assert [p["team"] for p in board.players] == [0, 1]
    assert board.state["step"] == "precombat_main"
    first, second = board.objects
    assert (first["owner"], first["timestamp"], first["world_since"]) == (1, 0, 0)
    assert (second["owner"], second["timestamp"], second["zone"], second["kind"]) == (0, 1, "battlefield", "card")
    assert (first["power"], first["face_up"], first["counters"]) == (None, True, ())


def test_every_field_reaches_its_column() -> None:
    scenario = one(
        """
- id: all
  given:
    variant: [commander, planechase]
    active_player: 1
    step: end
    skips: [end, cleanup]
    round_expired: true
    planar_controller: 1
    players:
      - {life: -3, poison: 2, team: 5, speed: 0, designations: [city_blessing], drew_from_empty: true}
      - {in_game: false, cant_lose: true, no_loss_at_zero_life: true, commander_damage: {host: 21}}
    objects:
      host: {controller: 0, owner: 1, name: "Host", counters: {"+1/+1": 2, dream: 3, "-1/-1": 0}, sector: gamma,
             world_since: 7, attacking: nothing, keeps_attachments: [aura], supertypes: [world, legendary]}
      aura: {controller: 1, attached_to: host, enchant: {types: [creature], controller: you},
             protection: [red, "player:1"], subtypes: [role, aura, goblin], counter_limits: {dream: 0}, protector: 0,
             attacking: {player: 1},
             components: [{name: Top}, {kind: token, owner: 0}], graveyard_replacement: library, timestamp: -5}
      curse: {controller: 1, attached_to: {player: 0}, enchant: {player: opponent}, attacking: host, source: aura,
              face_up: false}
    effects:
      - {id: anthem, source: host, affects: {types: [creature], controller: you}, add_power: 1, per: {life: you},
         while: {matching: {any_subtypes: [goblin]}, at_least: 2}}
      - {affects: [aura, host], control: 0, until: end_of_turn, timestamp: 4, controller: 1}
      - {affects: {player: opponents}, rule: instead_of_losing, life: 1, exile_source: true}
      - {affects: {player: 1}, gain_protection: [everything], while: {life: you, at_most: 5}, controller: 0}
"""
    )
    boards = scenario.boards
    assert boards.states.variant[0] == v.mask(v.VARIANTS, ("commander", "planechase"))
    assert boards.states.skips[0] == v.mask(v.STEPS, ("end", "cleanup"))
    assert boards.states.planar_controller[0] == 1
    assert boards.players.speed.tolist() == [0, v.NO_SPEED]
    assert boards.players.team.tolist() == [5, 1]
    assert v.words_of(v.PLAYER_FLAGS, int(boards.players.flags[1])) == ("cant_lose", "no_loss_at_zero_life")
    assert [c.tolist() for c in boards.commander_damage] == [[1], [0], [21]]
    objects = boards.objects
    assert objects.plus_counters[0] == 2
    assert boards.counters.count.tolist() == [3]
    assert objects.attacking.tolist() == [v.NOTHING, -2, 0]
    assert objects.attached_to.tolist() == [v.NONE, 0, -1]
    assert objects.source.tolist() == [v.NONE, v.NONE, 1]
    assert [c.tolist() for c in boards.keeps] == [[0], [1]]
    assert [c.tolist() for c in boards.world_since] == [[0], [7]]
    assert boards.components.owner.tolist() == [1, 0]
    trait = boards.lexicon.traits[objects.traits[1]]
    assert (trait.protection, trait.counter_limits) == (("player:1", "red"), (("dream", 0),))
    assert boards.lexicon.traits[objects.traits[2]].enchant == "opponent"
    assert boards.lexicon.subtypes_of(int(objects.subtypes[1])) == ("aura", "role", "goblin")
    assert boards.effects.timestamp.tolist() == [v.NO_TIMESTAMP, 4, v.NO_TIMESTAMP, v.NO_TIMESTAMP]
    assert boards.effect_objects.object.tolist() == [0, 1]
    assert scenario.effect_ids == ("anthem", "effect_2", "effect_3", "effect_4")
    assert_same_scenario(scenario, one(scenarios.dumps([scenario])))


def test_a_file_with_one_state_alone() -> None:
    assert one("given: {players: [{life: 3}]}").boards.players.life.tolist() == [3]


def test_choices() -> None:
    scenario = one(
        """
- given:
    players: [{}, {}, {}]
    objects: {a: {controller: 0}, b: {controller: 1}, regrowth: {controller: 2}}
  choices:
    keep: [b]
    command_zone: {a: false, b: true}
    protector: {a: 2}
    sector: {a: gamma}
    replace: {a: b, b: regeneration}
    destination: {a: library}
    loss_replacement: {0: regrowth}
"""
    )
    assert list(zip(*(c.tolist() for c in scenario.choices), strict=True)) == [
        (0, 1, 0), (1, 0, 0), (1, 1, 1), (2, 0, 2), (3, 0, 2), (4, 0, 1), (4, 1, -1), (5, 0, 4), (6, -1, 2),
    ]  # fmt: skip
    assert_same_scenario(scenario, one(scenarios.dumps([scenario])))


def test_numbers_that_no_board_can_hold_reject_the_board() -> None:
    scenario = one("- {id: low, given: {players: [{poison: -1}], objects: {a: {controller: 0, counters: {lore: -2}}}}}")
    (problem,) = scenario.boards.problems
    assert "low, given.players[0].poison: expected a number from 0" in problem.reason
    assert "given.objects.a.counters.lore" in problem.reason
    with pytest.raises(DataError, match=r"state 0 cannot be written: .*poison"):
        scenarios.dumps([scenario])


# --- what is refused ---

REFUSED = {
    # the file
    "": "expected a list of scenarios",
    "[]": "expected a list of scenarios (entries that start with '- id: ...'), found nothing",
    "a: 1": "expected a list of scenarios (entries that start with '- id: ...'), found dict",
    "- 3": "entry 1: expected a mapping, found 3",
    "- {a: [}": "line 1: not YAML",
    "- {given: 2026-13-40}": "line 1: expected timestamp as YAML has it, found 2026-13-40",
    "- {id: a, given: {active_player: 010}}": "line 1: expected int as YAML has it, found 010",
    "- {id: a, given: {active_player: 1:30}}": "line 1: expected int as YAML has it, found 1:30",
    "- {id: a, given: {active_player: 1:30.5}}": "line 1: expected float as YAML has it, found 1:30.5",
    "- {id: a,\n  given: {round_expired: !!bool maybe}}": "line 2: expected bool as YAML has it, found maybe",
    "- {id: a, given: {round_expired: !!timestamp x}}": "line 1: expected timestamp as YAML has it, found x",
    "- {id: a, given: {round_expired: !!int x}}": "line 1: expected int as YAML has it, found x",
    f"- {{id: a, given: {{active_player: {5000 * '9'}}}}}": f"line 1: expected int as YAML has it, found {80 * '9'}",
    "- {id: a, given: {}}\n---\n- 1": "not YAML: but found another document",
    "- {id: a, given: {}, id: b}": "line 1: 'id' stands twice in one mapping",
    "- {id: a, given: {objects: {b: {controller: 0}, b: {controller: 1}}}}": "'b' stands twice in one mapping",
    "- {id: a, given: {}}\n- {id: a, given: {}}": "scenario a, id: expected another one, two scenarios have it",
    "- &a [*a]": "*a stands for nothing that is complete",
    "[" * 60 + "]" * 60: "nested more than 40 deep",
    "- !!python/object:os.system {}": "could not determine a constructor for the tag",
    "\x07": "not YAML: unacceptable character",
    # the scenario
    "- {id: 3, given: {}}": "entry 1.id: expected text, found 3",
    "- {id: a}": "scenario a: given is missing",
    "- {id: a, given: {}, then: 1}": "scenario a: unknown field 'then'; expected one of id, title",
    "- {id: a, title: 5, given: {}}": "scenario a, title: expected text, found 5",
    "- {id: a, given: {}, do: win}": "scenario a, do: unknown word 'win'; expected one of settle",
    "- {id: a, given: {}, rules: [lethal]}": "scenario a, rules: unknown word 'lethal'",
    # given
    "- {id: a, given: 1}": "scenario a, given: expected a mapping, found 1",
    "- {id: a, given: {life: 3}}": "scenario a, given: unknown field 'life'; expected one of variant",
    "- {id: a, given: {step: noon}}": "scenario a, given.step: unknown word 'noon'; expected one of untap",
    "- {id: a, given: {active_player: 2}}": "given.active_player: unknown seat 2; expected a seat from 0 to 1",
    "- {id: a, given: {players: [], objects: {x: {controller: 0}}}}": "unknown seat 0; there are no players",
    "- {id: a, given: {round_expired: 1}}": "given.round_expired: expected true or false, found 1",
    "- {id: a, given: {players: [{life: 1.5}]}}": "given.players[0].life: expected a whole number, found 1.5",
    "- {id: a, given: {players: [{life: true}]}}": "given.players[0].life: expected a whole number, found True",
    "- {id: a, given: {players: {0: {}}}}": "given.players: expected a list, found {0: {}}",
    "- {id: a, given: {players: [{commander_damage: {x: 3}}]}}": "commander_damage: unknown object 'x'",
    "- {id: a, given: {objects: {1: {controller: 0}}}}": "expected text as key, found 1 (put it in quotes)",
    "- {id: a, given: {objects: {b: {}}}}": "given.objects.b: controller is missing",
}

REFUSED_OBJECTS = {
    "counters: {plus_counters: 1}": "unknown word 'plus_counters'; expected '+1/+1'",
    "types: [creatur]": "types: unknown word 'creatur'; expected one of artifact",
    "types: creature": "types: expected a list, found 'creature'",
    "types:": "types: expected a list, found None",
    "typs: []": "unknown field 'typs'",
    "subtypes: [Aura]": "subtypes: unknown word 'Aura'; expected 'aura'",
    "subtypes: ['a,b']": "subtypes: expected a word without commas",
    "name: 1996": "name: expected text, found 1996",
    "owner: 2": "owner: unknown seat 2",
    "owner: true": "owner: unknown seat True",
    "attached_to: c": "attached_to: unknown object 'c'; expected one of b",
    "attached_to: {player: 2}": "attached_to.player: unknown seat 2",
    "attached_to: {seat: 1}": "attached_to: unknown field 'seat'; expected one of player",
    "source: {player: 1}": "source: unknown object {'player': 1}",
    "enchant: {typ: [creature]}": "enchant: unknown condition 'typ'",
    "enchant: {player: me}": "enchant.player: unknown word 'me'",
    "protection: [pink]": "b.protection: unknown quality 'pink'",
    "protection: ['player:2']": "protection: unknown seat 2",
    "protection: [1]": "protection: expected a word, found 1",
    "counters: {Lore: 1}": "counters: unknown word 'Lore'; expected 'lore'",
    "counters: [lore]": "counters: expected a mapping, found ['lore']",
    "counters: {lore: '1'}": "counters.lore: expected a whole number, found '1'",
    "components: [{card: x}]": "components[0]: unknown field 'card'",
    "keeps_attachments: [z]": "keeps_attachments: unknown object 'z'",
    "graveyard_replacement: grave": "graveyard_replacement: unknown word 'grave'",
}

REFUSED_EFFECTS = {
    "{add_power: 1}": "affects: expected self, host, a list of objects, a filter or {player: ...}, found None",
    "{affects: self, add_power: 1}": "affects: 'self' needs a source, found none",
    "{affects: [c], add_power: 1}": "affects: unknown object 'c'; expected one of b",
    "{affects: {player: us}, rule: cant_lose}": "affects.player: unknown word 'us'",
    "{affects: {player: 7}, rule: cant_lose}": "affects.player: unknown seat 7",
    "{affects: [b]}": "it does nothing",
    "{affects: [b], add_pwer: 1}": "unknown field 'add_pwer'",
    "{affects: [b], control: 2}": "control: unknown seat 2",
    "{affects: [b], source: c, add_power: 1}": "source: unknown object 'c'",
    "{affects: [b], until: noon, add_power: 1}": "until: unknown word 'noon'; expected one of end_of_turn",
    "{affects: [b], gain_protection: [pink]}": "gain_protection: unknown quality 'pink'",
    "{affects: [b], timestamp: x, add_power: 1}": "timestamp: expected a whole number, found 'x'",
    "{affects: [b], id: 3, add_power: 1}": "id: expected text, found 3",
    "{id: effect_2, affects: [b], add_power: 1}, {affects: [b], switch: true}": "[1].id: 'effect_2' is the name of",
    "3": "expected a mapping, found 3",
}

REFUSED_OUTCOMES = {
    "choices: {keep: b}": "choices.keep: expected a list, found 'b'",
    "choices: {keep: [b, b]}": "choices.keep: expected each object once",
    "choices: {keeps: [b]}": "choices: unknown field 'keeps'",
    "choices: {protector: {b: 2}}": "choices.protector.b: unknown seat 2",
    "choices: {protector: [b]}": "choices.protector: expected a mapping, found ['b']",
    "choices: {sector: {b: delta}}": "choices.sector.b: unknown word 'delta'",
    "choices: {destination: {b: void}}": "choices.destination.b: unknown word 'void'",
    "choices: {command_zone: {b: 1}}": "choices.command_zone.b: expected true or false, found 1",
    "choices: {replace: {b: c}}": "choices.replace.b: unknown object 'c'",
    "choices: {replace: {b: [b]}}": "choices.replace.b: unknown object ['b']",
    "choices: {loss_replacement: {0: [b]}}": "choices.loss_replacement.0: unknown object or effect ['b']",
    "choices: {loss_replacement: {5: b}}": "choices.loss_replacement: unknown seat 5",
    "expect: {pases: 1}": "expect: unknown field 'pases'",
    "expect: {passes: one}": "expect.passes: expected a whole number, found 'one'",
    "expect: {actions: [{bestow_ends: [b]}]}": "expect.actions[0]: unknown rule 'bestow_ends'",
    "expect: {actions: [{legend_rule: [c]}]}": "expect.actions[0].legend_rule: unknown object 'c'",
    "expect: {actions: {legend_rule: [b]}}": "expect.actions: expected a list",
    "expect: {actions: [{life_zero: [player: 9]}]}": "expect.actions[0].life_zero.player: unknown seat 9",
    "expect: {consequences: {legend_rule: [b]}}": "expect.consequences: unknown rule 'legend_rule'",
    "expect: {consequences: {effect_expires: [b]}}": "effect_expires: unknown effect 'b'; expected one of none",
    "expect: {objects: {c: {}}}": "expect.objects: unknown object 'c'",
    "expect: {objects: {b: {zone: void}}}": "expect.objects.b.zone: unknown word 'void'",
    "expect: {objects: {b: {damage: -1}}}": "expect.objects.b.damage: expected a number from 0",
    "expect: {players: {9: {}}}": "expect.players: unknown seat 9",
    "expect: {players: [{}]}": "expect.players: expected a mapping from seats",
    "expect: {players: {0: {live: 1}}}": "expect.players.0: unknown field 'live'",
    "expect: {lost: [9]}": "expect.lost: unknown seat 9",
    "expect: {outcome: lost}": "expect.outcome: expected ongoing, draw or {win: [seats]}, found 'lost'",
    "expect: {outcome: {win: [9]}}": "expect.outcome.win: unknown seat 9",
    "expect: {next_step: noon}": "expect.next_step: unknown word 'noon'",
    "expect: {waiting: [c]}": "expect.waiting: unknown object 'c'",
    "expect: {rest: different}": "expect.rest: unknown word 'different'",
    "expect: {players_get_priority: 1}": "expect.players_get_priority: expected true or false",
    "expect: {verdict: agree}": "expect: unknown field 'verdict'",
    "claim: {rest: any}": "claim: unknown field 'rest'",
    "claim: {objects: {c: {}}}": "claim.objects: unknown object 'c'",
    "claim: {}, expect: {passes: 1}": "expect: unknown field 'passes'; expected one of verdict, findings",
    "claim: {}, expect: {}": "expect: verdict is missing",
    "claim: {}, expect: {verdict: maybe}": "expect.verdict: unknown word 'maybe'",
    "claim: {}, expect: {verdict: agree, findings: [{}]}": "expect.findings: expected none with verdict agree",
    "claim: {}, expect: {verdict: disagree, findings: [{kind: odd}]}": "findings[0].kind: unknown word 'odd'",
    "claim: {}, expect: {verdict: disagree, findings: [{rule: odd}]}": "findings[0].rule: unknown word 'odd'",
    "claim: {}, expect: {verdict: disagree, findings: [{object: c}]}": "findings[0].object: unknown object 'c'",
    "claim: {}, expect: {verdict: disagree, findings: [{player: 9}]}": "findings[0].player: unknown seat 9",
    "claim: {}, expect: {verdict: disagree, findings: [{player: 0, object: b}]}": "expected an object or a player",
}


def refused(text: str) -> str:
    with pytest.raises(DataError) as caught:
        scenarios.reads(text, "file.yaml")
    message = str(caught.value)
    assert message.startswith("file.yaml: ")
    assert "\n" not in message
    return message


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=[text[:50] for text in REFUSED])
def test_refused(text: str, message: str) -> None:
    assert message in refused(text)


@pytest.mark.parametrize(("field", "message"), REFUSED_OBJECTS.items())
def test_refused_objects(field: str, message: str) -> None:
    found = refused(f"- id: c057\n  given:\n    objects:\n      b:\n        controller: 0\n        {field}")
    assert "scenario c057, given.objects.b" in found
    assert message in found


@pytest.mark.parametrize(("effects", "message"), REFUSED_EFFECTS.items())
def test_refused_effects(effects: str, message: str) -> None:
    found = refused(f"- {{id: c057, given: {{objects: {{b: {{controller: 0}}}}, effects: [{effects}]}}}}")
    assert "scenario c057, given.effects[" in found
    assert message in found


@pytest.mark.parametrize(("outcome", "message"), REFUSED_OUTCOMES.items())
def test_refused_outcomes(outcome: str, message: str) -> None:
    found = refused(f"- {{id: c057, given: {{objects: {{b: {{controller: 0}}}}}}, {outcome}}}")
    assert "scenario c057, " in found
    assert message in found


@pytest.mark.parametrize(
    ("handle", "use"),
    [("nothing", "attacking: nothing}}}"), ("regeneration", "}}}, choices: {replace: {regeneration: regeneration}}")],
)
def test_words_that_are_also_handles_are_refused(handle: str, use: str) -> None:
    assert "is a word here" in refused(f"- {{given: {{objects: {{{handle}: {{controller: 0, {use}}}")


def test_aliases_are_followed_but_not_without_end() -> None:
    shared = one("- given: {objects: {a: &bear {controller: 0, power: 2}, b: *bear}}")
    assert shared.boards.objects.power.tolist() == [2, 2]
    bomb = "- &a0 [x]\n" + "".join(f"- &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))
    assert "aliases stand for more than 1,000,000 values" in refused(bomb)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.yaml: cannot be read: No such file"):
        scenarios.read(tmp_path / "gone.yaml")
    (tmp_path / "latin.yaml").write_bytes("- é".encode("latin-1"))
    with pytest.raises(DataError, match=r"latin\.yaml: expected UTF-8 text: .* at byte 2"):
        scenarios.read(tmp_path / "latin.yaml")
    (tmp_path / "mark.yaml").write_bytes(b"\xef\xbb\xbf- given: {}")
    assert [s.id for s in scenarios.read(tmp_path / "mark.yaml")] == ["mark-1"]


def test_deep_nesting_does_not_end_the_process() -> None:
    for text in ("[" * 100_000, "{a: " * 100_000, "- " * 100_000, "? " * 100_000):
        refused(text)


# --- writing ---


def test_handles_are_made_from_names() -> None:
    names = [
        "Runeclaw Bear",
        "Runeclaw Bear",
        "Urza's Tower",
        None,
        "Nothing",
        "Æther Vial",
        "1996 Champion",
        "¡!",
    ]
    objects = {f"h{i}": {"controller": 0, **({"name": n} if n else {})} for i, n in enumerate(names)}
    objects["h3"]["kind"] = "triggered_ability"
    board = boards_of(read_given({"objects": objects}, "here").record)
    assert scenarios.handles_of(board) == (
        "runeclaw_bear_0", "runeclaw_bear_1", "urzas_tower", "triggered_ability_3", "nothing_4", "ther_vial", "card_6",
        "card_7",
    )  # fmt: skip
    again = one(scenarios.dumps([scenarios.from_board(board, id="x", title="a: b\nc", do="end_turn")]))
    assert (again.id, again.title, again.do, again.handles) == ("x", "a: b\nc", "end_turn", scenarios.handles_of(board))
    assert_same_board(again.boards, board)


def test_made_handles_are_unique() -> None:
    names = ["A", "A", "A 1", "A 0", "A 0 0"]
    objects = {f"h{i}": {"controller": 0, "name": n} for i, n in enumerate(names)}
    handles = scenarios.handles_of(boards_of(read_given({"objects": objects}, "here").record))
    assert len(set(handles)) == len(names)


def test_written_form() -> None:
    text = """\
- id: aura
  title: An Aura, and what it is on
  rules: [lethal_damage, illegal_aura]
  given:
    step: end
    players: [{}, {life: 3}]
    objects:
      bear:     {name: Runeclaw Bear, controller: 0, types: [creature], power: 2, toughness: 2, damage: 2}
      pacifism: {name: 'Pacifism, or so', controller: 1, counters: {+1/+1: 1}, attached_to: bear}
    effects:
      - {until: end_of_turn, affects: [bear], add_toughness: -1}
  choices:
    keep: [bear]
  expect:
    passes: 2
    actions:
      - {lethal_damage: [bear]}
      - {illegal_aura: [pacifism]}
    lost: []
"""
    assert scenarios.dumps(scenarios.reads(text)) == text


# --- any board ---

HANDLES = ["a", "b", "c", "d"]
PLAYERS = 3
words = st.text(alphabet="abcxyz-' ", min_size=1, max_size=8).filter(str.strip)
amounts = st.integers(0, 30)
handles = st.sampled_from(HANDLES)
seats = st.integers(0, PLAYERS - 1)
players = st.fixed_dictionaries({"player": seats})
filters = st.fixed_dictionaries(
    {},
    optional={
        "types": st.lists(st.sampled_from(v.TYPES), unique=True, max_size=2),
        "any_subtypes": st.lists(words, unique=True, max_size=2),
        "controller": st.sampled_from(v.RELATIONS),
        "named": words,
        "other": st.booleans(),
        "zone": st.sampled_from(FILTER_ZONES),
    },
)


def sets(known: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(known), unique=True, max_size=3)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """What may stand in a field of some kind."""
    match kind:
        case kinds.Number():
            numbers = st.integers(max(kind.least, -60), min(kind.most, 60))
            return numbers | st.none() if kind.nullable else numbers
        case kinds.Flag():
            return st.booleans()
        case kinds.Text():
            return st.none() | st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=12)
        case kinds.Word():
            return st.sampled_from([*kind.words, None] if kind.nullable else kind.words)
        case kinds.Words():
            return sets(kind.words)
        case kinds.Subtypes():
            return st.lists(st.sampled_from(v.SUBTYPES) | words, unique=True, max_size=4)
        case kinds.Protection():
            return st.lists(st.sampled_from(["red", "creature", "everything", "player:0", "player:2"]), unique=True)
        case kinds.Seat():
            return seats | st.none() if kind.nullable else seats
        case kinds.Reference():
            options = st.none() | handles
            options = options | players if kind.players else options
            return options | st.just("nothing") if kind.nothing else options
        case kinds.Attachments():
            return st.lists(handles, unique=True)
        case kinds.Counts():
            return st.dictionaries(st.sampled_from(v.OWN_COUNTER_KINDS) | words, amounts, max_size=3)
        case kinds.CommanderDamage():
            return st.dictionaries(handles, amounts, max_size=2)
        case kinds.Enchant():
            return st.none() | filters | st.fixed_dictionaries({"player": st.sampled_from(v.ENCHANT_PLAYERS)})
        case kinds.Components():
            part = {"name": st.none() | words, "kind": st.sampled_from(v.COMPONENT_KINDS), "owner": seats}
            return st.lists(st.fixed_dictionaries({}, optional=part), max_size=3)
    raise AssertionError(kind)


def records(fields: dict[str, f.Field]) -> st.SearchStrategy[dict[str, Any]]:
    optional = {name: values(field.kind) for name, field in fields.items() if field.default is not f.REQUIRED}
    required = {name: values(field.kind) for name, field in fields.items() if field.default is f.REQUIRED}
    return st.fixed_dictionaries(required, optional=optional)


texts = st.one_of(
    st.fixed_dictionaries({"add_power": amounts}, optional={"per": filters, "switch": st.booleans()}),
    st.fixed_dictionaries({"set_power": amounts | st.just("mana_value")}, optional={"control": st.just("you") | seats}),
    st.fixed_dictionaries(
        {"gain_keywords": sets(v.KEYWORDS).filter(bool)},
        optional={"while": st.fixed_dictionaries({"matching": filters}, optional={"at_least": amounts})},
    ),
    st.fixed_dictionaries(
        {"set_subtypes": st.lists(words, unique=True, max_size=2), "lose_all_abilities": st.just(True)}
    ),
    st.fixed_dictionaries({"rule": st.just("no_legend_rule")}),
)
effects = st.lists(
    st.builds(
        lambda row, text: {**row, **text},
        st.fixed_dictionaries(
            {
                "source": handles,
                "affects": st.sampled_from(["self", "host"]) | st.lists(handles, unique=True) | filters,
            },
            optional={
                "until": st.sampled_from(["end_of_turn", "end_of_combat"]),
                "controller": seats,
                "timestamp": st.integers(-9, 9),
            },
        ),
        texts,
    ),
    max_size=3,
)
givens = st.builds(
    lambda state, players, objects, effects: {
        **state, "players": players, "objects": dict(zip(HANDLES, objects, strict=True)), "effects": effects,
    },
    records(f.STATE_FIELDS),
    st.lists(records(f.PLAYER_FIELDS), min_size=PLAYERS, max_size=PLAYERS),
    st.lists(records(f.OBJECT_FIELDS), min_size=len(HANDLES), max_size=len(HANDLES)),
    effects,
)  # fmt: skip


@given(givens)
def test_any_board_comes_back_as_it_was(mapping: dict[str, Any]) -> None:
    board = boards_of(read_given(mapping, "given").record)
    scenario = scenarios.from_board(board)
    assert_same_board(board, one(scenarios.dumps([scenario])).boards)
    written = scenarios.to_mapping(board, 0, scenario.handles)
    assert scenarios.to_mapping(boards_of(read_given(written, "again").record), 0, scenario.handles) == written


@given(st.text(max_size=80) | st.text(alphabet="-[]{}:,&*! ab\n'\"", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(DataError):
        scenarios.reads(text)


# --- the page about them ---


def test_scenarios_of_the_page_hold() -> None:
    from headjudge import scenario_runner

    blocks = re.findall(r"^```yaml\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    for block in blocks:
        for scenario in scenarios.reads(block, DOCS.name):
            assert scenario_runner.skip_reason(scenario) or scenario_runner.run(scenario) == []


def test_run_files_counts_and_tells(tmp_path: Path) -> None:
    from headjudge import scenario_runner

    bear = "objects: {bear: {controller: 0, types: [creature], power: 2, toughness: 2, damage: 2}}"
    (tmp_path / "a.yaml").write_text(
        f"""
- {{id: right, given: {{{bear}}}, expect: {{passes: 1, actions: [{{lethal_damage: [bear]}}], rest: any}}}}
- {{id: wrong, given: {{{bear}}},
   expect: {{passes: 0, actions: [], lost: [1], outcome: {{win: [0]}}, players: {{0: {{life: 3}}}}}}}}
- {{id: state, given: {{{bear}}}}}
"""
    )
    out = io.StringIO()
    tally = scenario_runner.run_files([tmp_path / "a.yaml"], out)
    assert tally == (1, 1, 1)
    lines = [line.removeprefix(f"{tmp_path / 'a.yaml'}: wrong: ") for line in out.getvalue().splitlines()]
    assert lines == [
        "passes: expected 0, got 1",
        "actions, pass 1: expected no such pass, got {lethal_damage: [bear]}",
        "lost: expected [1], got []",
        "outcome: expected {win: [0]}, got ongoing",
        "objects.bear.zone: expected battlefield, got graveyard",
        "objects.bear.damage: expected 2, got 0",
        "players.0.life: expected 3, got 20",
        "1 passed, 1 failed, 1 skipped",
    ]


def test_names_with_line_breaks_make_no_second_line() -> None:
    from headjudge import scenario_runner

    given, expect = r'{objects: {"a\u2028b": {controller: 0, FIELD: []}}}', "{players: {0: {life: 3}}}"
    named = rf'- {{id: "i\nd", given: {given}, expect: {expect}}}'
    with pytest.raises(DataError, match=r"scenario i\\nd, given\.objects\.a\\u2028b: unknown field 'FIELD'"):
        scenarios.reads(named)
    (scenario,) = scenarios.reads(named.replace("FIELD", "types"))
    assert scenario_runner.run(scenario) == [r"i\nd: players.0.life: expected 3, got 20"]


def test_a_pass_in_which_nothing_happens_is_no_pass() -> None:
    from headjudge import scenario_runner

    bear = "objects: {bear: {controller: 0, types: [creature], toughness: 0}}"
    happens = "{toughness_zero: [bear]}"
    expect = f"{{actions: [{happens}, {{}}], objects: {{bear: {{zone: graveyard}}}}}}"
    (scenario,) = scenarios.reads(f"- {{id: more, given: {{{bear}}}, expect: {expect}}}")
    assert scenario_runner.run(scenario) == ["more: actions, pass 2: expected {}, got no such pass"]


def test_a_claim_of_which_nothing_is_expected() -> None:
    from headjudge import scenario_runner

    bear = "objects: {bear: {controller: 0, types: [creature], toughness: 0}}"
    (scenario,) = scenarios.reads(f"- {{id: bear, given: {{{bear}}}, claim: {{}}}}")
    assert scenario_runner.skip_reason(scenario)
    assert scenario_runner.run(scenario) == []
