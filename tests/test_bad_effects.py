"""Effects that cannot be: named errors, from YAML, from Arrow and from NumPy."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from headjudge import Boards, DataError, settle, settle_arrow
from headjudge.effects import EffectText, Objects, PlayersAffected
from headjudge.filters import Filter
from headjudge.io import scenarios
from headjudge.lexicon import LexiconBuilder

#: The fields of an effect, and what the error about them says.
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    # empty
    "nothing": ({"affects": [0]}, "it does nothing"),
    "modifiers_alone": ({"affects": [0], "per": {"types": ["land"]}}, "it does nothing"),
    "while_alone": ({"affects": [0], "while": {"life": "you", "at_most": 5}}, "it does nothing"),
    # contradictory
    "types_set_and_added": (
        {"affects": [0], "set_types": ["land"], "add_types": ["creature"]},
        "set_types and add_types or remove_types contradict each other",
    ),
    "subtypes_set_and_removed": (
        {"affects": [0], "set_subtypes": ["elf"], "remove_subtypes": ["goblin"]},
        "set_subtypes and add_subtypes or remove_subtypes contradict each other",
    ),
    "colors_set_and_added": (
        {"affects": [0], "set_colors": ["red"], "add_colors": ["blue"]},
        "set_colors and add_colors contradict each other",
    ),
    "per_with_7b": ({"affects": [0], "set_power": 1, "per": {"types": ["land"]}}, "layer 7b has no amounts"),
    "per_with_7b_and_7c": (
        {"affects": [0], "set_power": 1, "add_power": 1, "per": {"types": ["land"]}},
        "set_power and set_toughness cannot be multiplied; write two effects",
    ),
    "per_distinct_of_life": (
        {"affects": [0], "add_power": 1, "per": {"life": "you"}, "per_distinct": "types"},
        "per_distinct: expected a filter in per beside it",
    ),
    "life_without_its_rule": ({"affects": {"player": "you"}, "rule": "cant_lose", "life": 5}, "belong together"),
    "rule_without_its_life": ({"affects": {"player": "you"}, "rule": "instead_of_losing"}, "belong together"),
    "cards_only_alone": (
        {"affects": [0], "add_power": 1, "cards_only": True},
        "cards_only: expected rule: graveyard_to_exile beside it",
    ),
    "shuffle_without_its_rule": (
        {"affects": {"player": "you"}, "rule": "cant_lose", "shuffle_owned": True},
        "shuffle_owned and exile_source need rule: instead_of_losing",
    ),
    "power_of_a_player": ({"affects": {"player": "you"}, "add_power": 1}, "add_power cannot affect a player"),
    "object_that_cannot_lose": ({"affects": [0], "rule": "cant_lose"}, "cant_lose affects players, found objects"),
    # unknown words
    "unknown_type": ({"affects": [0], "add_types": ["creatur"]}, "add_types: unknown word 'creatur'"),
    "unknown_keyword": ({"affects": [0], "gain_keywords": ["flying"]}, "gain_keywords: unknown word 'flying'"),
    "unknown_quality": ({"affects": [0], "gain_protection": ["pink"]}, "unknown quality 'pink'"),
    "unknown_rule": ({"affects": [0], "rule": "cant_win"}, "rule: unknown word 'cant_win'"),
    "unknown_condition": ({"affects": {"typ": ["creature"]}, "add_power": 1}, "affects: unknown condition 'typ'"),
    "unknown_word_in_affects": (
        {"affects": {"types": ["beast"]}, "add_power": 1},
        "affects.types: unknown word 'beast'",
    ),
    "unknown_word_in_per": (
        {"affects": [0], "add_power": 1, "per": {"controller": "me"}},
        "per.controller: unknown word 'me'",
    ),
    "nowhere_in_per": ({"affects": [0], "add_power": 1, "per": {"zone": "none"}}, "per.zone: unknown word 'none'"),
    "unknown_word_in_while": (
        {"affects": [0], "add_power": 1, "while": {"matching": {"colors": ["pink"]}}},
        "while.colors: unknown word 'pink'",
    ),
    "unknown_bound": (
        {"affects": [0], "add_power": 1, "while": {"matching": {}, "exactly": 3}},
        "while: expected one of matching and life, and at_least, at_most",
    ),
    "while_of_nothing": (
        {"affects": [0], "add_power": 1, "while": {"at_least": 3}},
        "expected one of matching and life",
    ),
    "life_of_another": (
        {"affects": [0], "add_power": 1, "per": {"life": "opponent"}},
        "per: expected {life: you} alone",
    ),
    "too_large": ({"affects": [0], "add_power": 2 * 10**18}, "add_power: expected"),
    # whose it is
    "self_without_source": ({"affects": "self", "add_power": 1}, "source"),
    "host_without_source": ({"affects": "host", "add_power": 1}, "source"),
    "unknown_source": ({"affects": [0], "source": 9, "add_power": 1}, "source"),
    "unknown_object": ({"affects": [9], "add_power": 1}, "affects"),
    "unknown_seat": ({"affects": [0], "control": 7}, "seat"),
    "unknown_duration": ({"affects": [0], "add_power": 1, "until": "noon"}, "until"),
    # half fixed at the start, half not
    "rule_and_change": (
        {"affects": {"types": ["creature"]}, "rule": "no_legend_rule", "add_power": 1},
        "write two effects",
    ),
    "nothing_added": ({"affects": [0], "add_types": []}, "it does nothing"),
}
HANDLES = {0: "bear", 9: "ghost"}


def yaml_of(effect: dict[str, Any]) -> str:
    """Return a scenario with one effect; objects are named by handles there."""
    named = dict(effect)
    if isinstance(named["affects"], list):
        named["affects"] = [HANDLES[i] for i in named["affects"]]
    if "source" in named:
        named["source"] = HANDLES[named["source"]]
    given = {"objects": {"bear": {"controller": 0, "types": ["creature"]}}, "effects": [named]}
    return json.dumps([{"id": "bad", "given": given}])


def rejection(boards: Boards) -> str:
    (result,) = settle(boards, threads=1).results.to_pylist()
    assert result["status"] == "rejected"
    return str(result["reason"])


def error_of(read: Any) -> str:
    """Return the error of reading a board, or the reason for which it is then rejected."""
    try:
        boards = read()
    except DataError as error:
        return str(error)
    return rejection(boards)


@pytest.mark.parametrize(("effect", "message"), REFUSED.values(), ids=list(REFUSED))
def test_from_yaml(effect: dict[str, Any], message: str) -> None:
    error = error_of(lambda: scenarios.reads(yaml_of(effect), "bad.yaml")[0].boards)
    assert message in error
    assert "effects" in error or "effect_id" in error
    assert "\n" not in error


def arrow_of(effect: dict[str, Any]) -> dict[str, pa.Table]:
    """Return the tables of a board with one effect."""
    row: dict[str, Any] = {"state_id": 5, "effect_id": 3}
    for name, value in effect.items():
        if name in ("affects", "per", "while"):
            row[name] = json.dumps(value)
        elif isinstance(value, list):
            row[name] = ",".join(value)
        else:
            row[name] = str(value) if name in ("control", "set_power") else value
    objects = {"state_id": [5], "object_id": [0], "controller": [0], "types": ["creature"]}
    return {
        "states": pa.table({"state_id": [5]}),
        "players": pa.table({"state_id": [5, 5], "seat": [0, 1]}),
        "objects": pa.table(objects),
        "effects": pa.Table.from_pylist([row]),
    }


@pytest.mark.parametrize(("effect", "message"), REFUSED.values(), ids=list(REFUSED))
def test_from_arrow(effect: dict[str, Any], message: str) -> None:
    error = error_of(lambda: Boards.from_arrow(arrow_of(effect)))
    assert message in error
    assert "state_id 5" in error
    assert "effect_id 3" in error


def test_one_bad_effect_does_not_cost_the_neighbours() -> None:
    tables = arrow_of({"affects": "self", "add_power": 1})
    good = {name: table.set_column(0, "state_id", pa.array([6] * len(table))) for name, table in tables.items()}
    both = {name: pa.concat_tables([table, good[name]]) for name, table in tables.items() if name != "effects"}
    results = settle_arrow(both | {"effects": tables["effects"]})["results"].to_pylist()
    assert [result["status"] for result in results] == ["rejected", "settled"]


def board_with(effect: EffectText | None, **columns: Any) -> Boards:
    """Return a board of columns with one effect, as a simulator would make it: nothing has read it."""
    boards = scenarios.reads(
        "[{given: {objects: {bear: {controller: 0}}, effects: [{id: x, affects: [bear], switch: true}]}}]"
    )[0].boards
    builder = LexiconBuilder()
    builder.adopt(boards.lexicon)
    changed = columns if effect is None else {"text": builder.effect(effect), **columns}
    effects = boards.effects._replace(
        **{name: np.array([value], getattr(boards.effects, name).dtype) for name, value in changed.items()}
    )
    return replace(boards, effects=effects, lexicon=builder.build())


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        (EffectText("self", switch=True), {}, "source: expected an object, as it affects `self` or `host`"),
        (EffectText("host", switch=True), {}, "source: expected an object, as it affects `self` or `host`"),
        (EffectText(Objects(), switch=True), {"source": 1}, "source: expected the row of an object"),
        (EffectText(Objects(), switch=True), {"controller": 2}, "controller: expected the seat of a player"),
        (EffectText(Objects(), switch=True), {"until": 7}, "until: expected a duration"),
        (None, {"text": 99}, "text: expected a row of Lexicon.effects"),
        (EffectText(Objects(), control=5), {}, "control: expected seats of players of the state only"),
        (EffectText(PlayersAffected(3), rule="cant_lose"), {}, "affects: expected seats of players of the state only"),
        (
            EffectText(Objects(), gain_protection=("player:4",)),
            {},
            "gain_protection: expected seats of players of the state only",
        ),
        (EffectText(Filter(), rule="no_legend_rule", switch=True), {}, "write two effects"),
    ],
)
def test_from_columns(text: EffectText | None, columns: dict[str, Any], message: str) -> None:
    error = rejection(board_with(text, **columns))
    assert message in error
    assert "effects" in error
    assert "state_id 0" in error


def test_a_rule_beside_a_change_is_fine_where_both_follow_the_board() -> None:
    both: dict[str, Any] = {"rule": "no_legend_rule", "switch": True}
    for board in (
        board_with(EffectText(Filter(), **both), source=0),
        board_with(EffectText(Objects(), **both)),
        board_with(EffectText(Filter(), rule="no_legend_rule")),
        board_with(EffectText(Filter(), switch=True)),
    ):
        assert settle(board).results["status"].to_pylist() == ["settled"]


def test_unknown_references_in_lists() -> None:
    board = board_with(EffectText(Objects(), switch=True))
    wrong = board.effect_objects._replace(object=np.array([4], np.int32))
    assert "effect_objects" in rejection(replace(board, effect_objects=wrong))
