"""Boards as people read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headjudge import display
from headjudge.boards import Boards
from headjudge.effects import TEXT_FIELDS
from headjudge.filters import Filter
from headjudge.io import scenarios
from headjudge.io.scenario_reading import read_given
from headjudge.settling import settle
from headjudge.wording import effect_line, enumerated, filter_words

FILES = sorted((Path(__file__).parent / "scenarios").glob("*.yaml"))


def board(text: str) -> Boards:
    return scenarios.reads(text)[0].boards


DUEL = board(
    """
- given:
    variant: [commander]
    step: combat_damage
    round_expired: true
    skips: [end]
    active_player: 1
    planar_controller: 0
    players:
      - {life: 40, poison: 3, speed: 2, designations: [city_blessing], drew_from_empty: true}
      - {life: -1, in_game: false, cant_lose: true, no_loss_at_zero_life: true, commander_damage: {general: 21}}
    objects:
      bear: {name: Runeclaw Bear, controller: 0, types: [creature], subtypes: [bear], power: 2, toughness: 2, damage: 1}
      other: {name: Runeclaw Bear, controller: 0, types: [creature], subtypes: [bear], power: 2, toughness: 2}
      twin: {name: Runeclaw Bear, controller: 0, types: [creature], subtypes: [bear], power: 2, toughness: 2}
      pacifism: {name: Pacifism, controller: 1, types: [enchantment], subtypes: [aura], attached_to: bear}
      curse: {name: Curse, controller: 1, owner: 0, types: [enchantment], attached_to: {player: 0}}
      general: {name: General, controller: 1, types: [creature], supertypes: [legendary], commander: true, tapped: true,
                attacking: {player: 0}, counters: {"+1/+1": 1, lore: 2}, keywords: [umbra_armor],
                protection: [red, blue]}
      siege: {controller: 0, types: [battle], protector: 1, face_up: false, regeneration: 1, sector: beta,
              final_chapter: 3, graveyard_replacement: exile, components: [{name: Top}, {kind: token}]}
      ability: {kind: triggered_ability, controller: 0, zone: waiting, source: general, attacking: nothing}
      dead: {name: Elf, controller: 1, owner: 0, zone: graveyard}
      unused: {name: Ghost, controller: 1, zone: none}
    effects:
      - {source: curse, affects: {types: [creature], controller: you, other: true}, add_power: 1, add_toughness: -1}
      - {affects: [bear, general], control: 0, until: end_of_turn, controller: 1}
"""
)


IN_WORDS = """\
Board 0: combat damage, turn of player 1, commander, skips end, the round has expired, player 0 is the planar controller
Player 0: 40 life, 3 poison, speed 2, city blessing, drew from an empty library
  battlefield
    Runeclaw Bear #0: creature (bear) 2/2, 1 damage
    2 x Runeclaw Bear: creature (bear) 2/2
    card #6: battle, face down, 1 regeneration shield, protected by player 1, sector beta, 3 chapters, goes to exile instead of the graveyard, made of Top and token
  graveyard
    Elf
  waiting
    triggered ability #7: triggered ability, attacking nothing, of General
Player 1: -1 life, 21 damage from commander General, can't lose, doesn't lose at 0 life, is out of the game
  battlefield
    Pacifism -> Runeclaw Bear #0: enchantment (aura)
    Curse -> player 0: enchantment, owned by player 0
    General: legendary creature 0/0, 1 +1/+1 counter, 2 lore counters, umbra armor, protection from blue and red, tapped, commander, attacking player 0
  out of the game
    Ghost
Effects
    Curse: other creatures you control: gets +1/-1
    effect 1 (you: player 1): Runeclaw Bear #0 and General: controlled by player 0, until end of turn"""  # noqa: E501


def test_a_board() -> None:
    assert str(DUEL) == IN_WORDS


def test_several_boards() -> None:
    batch = Boards.concat([DUEL] * 1005)
    text = display.text(batch)
    assert text.count("Board 0: ") == 3
    assert text.endswith("\n\n... and 1,002 more boards")
    assert display.text(batch[:2]).count("Board 0: ") == 2
    assert display.text(batch[:4]).endswith("... and 1 more board")
    assert display.text(batch[:0]) == "no boards"


def test_one_is_no_plural() -> None:
    board = DUEL[:1]
    assert repr(board).startswith("<Boards: 1 state, 10 objects, ")
    assert repr(settle(board)) == "<Resolution: 1 state, 0 actions>"


def test_problems_are_told() -> None:
    bad = board("- {id: x, given: {players: [{life: 2, poison: -1}]}}")
    assert "cannot be judged: scenarios: scenario x, given.players[0].poison: expected a number" in str(bad)


def test_many_objects_are_summed_up() -> None:
    rows = 100_000
    token = board(
        "- given: {objects: {t: {controller: 1, kind: token, name: Saproling}, u: {controller: 1, name: Elf}}}"
    )
    index = np.zeros(rows, np.int64)
    index[7] = 1
    many = Boards.of(
        token.states,
        {
            "players": token.table("players"),
            "objects": (type(token.objects)(*(c[index] for c in token.objects)), np.array([0, rows])),
        },
        token.lexicon,
    )
    text = str(many)
    assert "100,000 objects:\n    99,999 x Saproling (token)\n    1 x Elf (card)" in text
    assert "99,999 x Saproling" in many._repr_html_()


def test_many_kinds_players_and_effects_are_cut_short() -> None:
    objects = ", ".join(f"o{i}: {{controller: 0, name: N{i}}}" for i in range(50))
    effects = ", ".join(f"{{affects: [o{i}], switch: true}}" for i in range(50))
    text = str(board(f"- given: {{players: [{', '.join(['{}'] * 60)}], objects: {{{objects}}}, effects: [{effects}]}}"))
    assert "    50 objects:\n    1 x N0 (card)" in text
    assert "    ... and 38 others" in text
    assert "... and 20 more players" in text
    assert "    ... and 10 more effects" in text


def test_boards_that_make_no_sense_are_shown() -> None:
    odd = board("- given: {objects: {a: {controller: 0, name: A}, b: {controller: 0, attached_to: a}}}")
    odd.objects.controller[0] = 5
    odd.objects.attached_to[1] = 9
    text = str(odd)
    assert "Player 5: not there\n  battlefield\n    A" in text
    assert "card #1 -> an object that is not there" in text


def test_html_is_escaped() -> None:
    text = board("- given: {objects: {a: {controller: 0, name: '<b>&'}}}")._repr_html_()
    assert "&lt;b&gt;&amp;" in text
    assert "<b>" not in text
    assert text.startswith("<table>")
    assert text.endswith("</table>")


def test_html_of_several_boards() -> None:
    batch = Boards.concat([DUEL] * 12)
    text = batch._repr_html_()
    assert text.count("<tr>") == 11
    assert "<caption>12 boards, the first 10</caption>" in text
    assert "<td>combat_damage</td><td>40, -1</td><td>10</td><td>7</td><td>2</td>" in text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_scenario_is_shown(path: Path) -> None:
    for scenario in scenarios.read(path):
        text = str(scenario.boards)
        assert all(name in text for name in scenario.boards.lexicon.names)
        assert scenario.boards._repr_html_().count("<table>") == 1


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({}, "permanents"),
        ({"types": ["creature"], "controller": "you", "other": True}, "other creatures you control"),
        ({"types": ["artifact", "creature"], "controller": "opponent"}, "artifact creatures your opponents control"),
        ({"any_types": ["instant", "sorcery"]}, "instants or sorceries"),
        ({"types": ["creature"], "kind": "card", "zone": "graveyard"}, "creature cards in graveyard"),
        ({"zone": "hand", "owner": "you"}, "objects in hand you own"),
        ({"not_supertypes": ["basic"], "types": ["land"]}, "nonbasic lands"),
        (
            {"colors": ["blue", "red"], "any_subtypes": ["elf", "orc"], "tapped": True},
            "tapped blue or red elf or orc permanents",
        ),
        ({"keywords": ["bestow"], "named": "X", "attacking": True}, "attacking permanents with bestow named X"),
        ({"host": True, "supertypes": ["legendary"]}, "legendary permanents that are its host"),
        ({"types": [], "subtypes": []}, "permanents"),
        ({"types": ["creature"], "any_subtypes": []}, "nothing"),
        ({"any_types": ["artifact", "creature"], "types": ["enchantment"]}, "artifact or creature enchantments"),
        ({"controller": "opponent", "owner": "you"}, "permanents your opponents control and you own"),
    ],
)
def test_filters_in_words(conditions: dict[str, object], words: str) -> None:
    assert filter_words(Filter.parse(conditions, "here")) == words


def test_enumerations() -> None:
    assert [enumerated(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


EFFECTS = {
    "{affects: {player: any}, rule: instead_of_losing, life: 5, shuffle_owned: true, exile_source: true}":
        "all players: instead of losing, life becomes 5, all permanents they own are shuffled away, the source is exiled",  # noqa: E501
    "{affects: {player: you}, rule: cant_lose}": "you: can't lose",
    "{affects: {player: 1}, gain_protection: [red]}": "player 1: gains protection from red",
    "{affects: [], rule: graveyard_to_exile, cards_only: true}": "nothing: graveyard to exile (cards only)",
    "{source: a, affects: self, define_power: 1, per: {zone: graveyard}, per_distinct: types}":
        "itself: defined as 1/-, times the number of card types among objects in graveyard",
    "{source: a, affects: host, control: you, set_power: mana_value, set_toughness: 0}":
        "its host: controlled by you, becomes mana value/0",
    "{affects: [a], set_types: [], add_subtypes: [elf], set_colors: [red], lose_all_abilities: true, switch: true}":
        "A: has the types none, is also elf, has the colors red, loses all abilities, power and toughness switched",
    "{affects: [a], add_toughness: 2, per: {life: you}, while: {life: you, at_least: 1, at_most: 3}}":
        "A: gets +0/+2, times your life, while your life is at least 1 and at most 3",
    "{affects: [a], add_power: 2, while: {matching: {tapped: true}}}":
        "A: gets +2/+0, while the number of tapped permanents is at least 1",
}  # fmt: skip


@pytest.mark.parametrize(("effect", "words"), EFFECTS.items())
def test_effects_in_words(effect: str, words: str) -> None:
    text = str(board(f"- given: {{objects: {{a: {{controller: 0, name: A}}}}, effects: [{effect}]}}"))
    assert text.splitlines()[-1].removeprefix("    effect 0: ").removeprefix("    A: ") == words


def test_no_field_of_an_effect_goes_unsaid() -> None:
    """Effects that differ in one field differ in words."""
    stated: dict[str, object] = {
        "control": 1, "set_types": ["land"], "add_types": ["land"], "remove_types": ["land"], "set_subtypes": ["elf"],
        "add_subtypes": ["elf"], "remove_subtypes": ["elf"], "add_supertypes": ["snow"], "remove_supertypes": ["snow"],
        "set_colors": ["red"], "add_colors": ["red"], "lose_all_abilities": True, "gain_keywords": ["bestow"],
        "lose_keywords": ["bestow"], "gain_protection": ["red"], "define_power": 7, "define_toughness": 7,
        "set_power": 7, "set_toughness": 7, "add_power": 7, "add_toughness": 7, "switch": True,
        "rule": "no_legend_rule",
    }  # fmt: skip
    lines = set()
    for field, value in stated.items():
        given = {"objects": {"a": {"controller": 0}}, "effects": [{"affects": ["a"], field: value}]}
        record = read_given(given, "here").record
        lines.add(effect_line(record.effects[0], "effect", str))
    assert len(lines) == len(stated)
    modifiers = {"affects", "per", "per_distinct", "while", "cards_only", "life", "shuffle_owned", "exile_source"}
    assert set(TEXT_FIELDS) == set(stated) | modifiers
