"""The cards that generated boards are made of: data/pool.yaml as records, and the lexicon of all generated boards."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import yaml

from headjudge.effects import Objects as ListedObjects
from headjudge.errors import DataError
from headjudge.io.board_records import boards_of
from headjudge.io.scenario_reading import read_given
from headjudge.kernels.generation_draft import MOST_SEATS, SIDE_COUNTERS, Group, pool_type
from headjudge.lexicon import Lexicon, LexiconBuilder


class Pool(NamedTuple):
    """The cards as one record of `pool_type`, and what the numbers in it mean."""

    cards: Any
    lexicon: Lexicon


def _as_scenario(groups: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return a board of all cards, with their effects in the order of the cards."""
    objects: dict[str, Any] = {}
    effects: list[dict[str, Any]] = []
    for group, cards in groups.items():
        for i, given in enumerate(cards):
            handle = f"{group}_{i}"
            card = dict(given)
            # What resolved has no source; every other effect is an ability of its card.
            source = {} if group == "resolved" else {"source": handle}
            effects += [{**source, **effect} for effect in card.pop("effects", ())]
            objects[handle] = {"controller": 0, **card}
    return {"players": [{}] * MOST_SEATS, "objects": objects, "effects": effects}


@cache
def pool() -> Pool:
    """Return the cards of data/pool.yaml."""
    text = files("headjudge").joinpath("data/pool.yaml").read_text(encoding="utf-8")
    groups = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    expected = [group.name.lower() for group in Group]
    if list(groups) != expected:
        raise DataError(f"data/pool.yaml: expected the groups {expected}, found {list(groups)}")
    board = boards_of(read_given(_as_scenario(groups), "data/pool.yaml").record)
    builder = LexiconBuilder()
    for kind in SIDE_COUNTERS:
        builder.counter_kind(kind)
    builder.adopt(board.lexicon)  # nothing else is there yet: every other number stays what it was
    lexicon = builder.build()
    text_of = board.effects.text
    cards = np.zeros(1, pool_type(len(board.objects.zone), len(text_of)))
    for field, column in zip(cards["cards"].dtype.names or (), board.objects, strict=True):
        cards["cards"][field] = column
    every_card = [card for cards_of_group in groups.values() for card in cards_of_group]
    cards["first_card"] = np.cumsum([0, *map(len, groups.values())])
    cards["first_effect"] = np.cumsum([0, *(len(card.get("effects", ())) for card in every_card)])
    cards["effects"] = text_of
    cards["lists_objects"] = [isinstance(lexicon.effects[k].affects, ListedObjects) for k in text_of]
    return Pool(cards.view(np.recarray), lexicon)
