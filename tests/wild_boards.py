"""Small boards where mechanisms meet: few words, seats and names, so that effects, hosts and choices hit each other.

`headjudge.generate` draws what games look like; this draws anything that the board model allows, filters and conditions
of effects above all.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from headjudge import Boards
from headjudge.errors import DataError
from headjudge.io.scenarios import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Given = dict[str, Any]
TYPES = ["creature", "creature", "artifact", "land", "enchantment"]
SUBTYPES = ["goblin", "elf", "mountain"]
COLORS = ["red", "blue"]
KEYWORDS = ["indestructible", "changeling", "ascend", "umbra_armor", "space_sculptor", "start_your_engines", "storied",
            "cant_be_regenerated", "cant_be_enchanted", "cant_be_sacrificed", "reconfigure"]  # fmt: skip
VARIANTS = [[], [], ["commander"], ["two_headed_giant"], ["archenemy"], ["archenemy_commander"],
            ["commander", "planechase"]]  # fmt: skip
STEPS = ["upkeep", "precombat_main", "declare_blockers", "combat_damage", "end", "cleanup"]
PLAYER_RULES = ["cant_lose", "no_loss_at_zero_life", "no_legend_rule", "cant_be_sacrificed", "graveyard_to_exile",
                "lethal_damage_uses_power", "instead_of_losing", "instead_of_losing"]  # fmt: skip


class Draw(random.Random):
    """Random words and fields."""

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def one(self, words: list[str]) -> list[str]:
        return [self.choice(words)]

    def fields(self, among: Mapping[str, tuple[float, Callable[[], Any]]]) -> Given:
        """Return some of the fields, each with its probability, and what makes their values."""
        return {name: make() for name, (probability, make) in among.items() if self.chance(probability)}


def wild_boards(seed: int, count: int) -> Boards:
    """Return so many boards that can be read; the same for a seed."""
    draw = Draw(seed)
    found: list[Boards] = []
    while len(found) < count:
        text = yaml.safe_dump([{"id": "wild", "given": wild(draw)}], sort_keys=False)
        try:
            found += [scenario.boards for scenario in reads(text)]
        except DataError:
            continue  # contradictory effects
    boards = Boards.concat(found)
    return replace(boards, states=boards.states._replace(state_id=np.arange(count)))


def wild(draw: Draw) -> Given:
    """Return what is given of one board."""
    seats = draw.choice([2, 3, 3, 4])
    variant = draw.choice(VARIANTS)
    objects = {f"o{i}": thing(draw, seats) for i in range(draw.randint(3, 9))}
    handles = list(objects)
    for o in objects.values():
        if draw.chance(0.15):
            attach(draw, o, handles, seats)
        if draw.chance(0.1):
            o["attacking"] = draw.choice([*handles, {"player": draw.randrange(seats)}])
    for i in range(draw.randint(0, 3)):
        objects[f"x{i}"] = elsewhere(draw, handles, seats)
    effects = [effect(draw, handles, seats) for _ in range(draw.randint(0, 6))]
    return {
        "variant": variant, "step": draw.choice(STEPS), "active_player": draw.randrange(seats),
        "players": players(draw, seats, variant), "objects": objects, "effects": effects,
    }  # fmt: skip


def players(draw: Draw, seats: int, variant: list[str]) -> list[Given]:
    in_teams = draw.chance(0.2) or any(name.startswith(("two", "arch")) for name in variant)
    found: list[Given] = []
    for seat in range(seats):
        p = {"team": draw.randint(0, 1) if in_teams else seat, "life": draw.choice([20, 20, 20, 5, 1, 0, -2]),
             "poison": draw.choice([0] * 8 + [10, 15])}  # fmt: skip
        mate = next((other for other in found if other["team"] == p["team"]), p)
        if "two_headed_giant" in variant or "archenemy_commander" in variant:
            p["life"], p["poison"] = mate["life"], mate["poison"]
        p |= draw.fields({
            "drew_from_empty": (0.1, lambda: True), "cant_lose": (0.05, lambda: True),
            "no_loss_at_zero_life": (0.05, lambda: True), "speed": (0.1, lambda: draw.choice([0, 1])),
        })  # fmt: skip
        found.append(p)
    return found


def thing(draw: Draw, seats: int) -> Given:
    """Return a permanent, or a card elsewhere."""
    types = sorted({draw.choice(TYPES), draw.choice(TYPES)})
    o: Given = {"controller": draw.randrange(seats), "name": draw.choice("ABCDEF"), "types": types, "counters": {}}
    if draw.chance(0.12):
        o |= {"types": ["battle"], "subtypes": draw.choice([[], ["siege"]]), "protector": draw.randrange(seats)}
        o["counters"] = {"defense": draw.choice([0, 2])}
    elif draw.chance(0.1):
        o |= {"types": ["planeswalker"], "counters": {"loyalty": draw.choice([0, 1])}}
    elif draw.chance(0.4):
        o["subtypes"] = draw.one(SUBTYPES)
    if "creature" in o["types"]:
        o |= {"power": draw.randint(0, 2), "toughness": draw.randint(0, 3), "damage": draw.choice([0, 0, 1, 2, 3])}
    o |= draw.fields({
        "owner": (0.3, lambda: draw.randrange(seats)), "colors": (0.5, lambda: draw.one(COLORS)),
        "keywords": (0.3, lambda: draw.one(KEYWORDS)), "kind": (0.15, lambda: "token"),
        "supertypes": (0.2, lambda: draw.one(["legendary", "legendary", "world", "basic"])),
        "zone": (0.12, lambda: draw.choice(["graveyard", "exile", "command", "stack"])),
        "phased_out": (0.1, lambda: True), "regeneration": (0.1, lambda: 1), "tapped": (0.1, lambda: True),
        "graveyard_replacement": (0.1, lambda: draw.choice(["hand", "exile", "library", "command"])),
        "dies_trigger": (0.2, lambda: True), "leaves_trigger": (0.2, lambda: True),
        "deathtouch_damage": (0.1, lambda: True), "blocking": (0.1, lambda: True),
        "protection": (0.08, lambda: draw.one(["red", "creature", "player:0", "enchantment"])),
        "sector": (0.1, lambda: draw.choice(["alpha", "beta"])), "arrived": (0.1, lambda: True),
        "world_since": (0.06, lambda: draw.randint(0, 9)), "enchant": (0.03, lambda: {"zone": "graveyard"}),
        "counter_limits": (0.06, lambda: {draw.choice(["+1/+1", "shield", "-1/-1"]): draw.randint(0, 1)}),
    })  # fmt: skip
    if draw.chance(0.1):
        kinds = ["+1/+1", "-1/-1", "finality", "shield", "indestructible", "-0/-1"]
        o["counters"] = {**o["counters"], draw.choice(kinds): draw.randint(1, 2)}
    if draw.chance(0.12):
        o |= {"commander": True, "kind": "card"}
    if draw.chance(0.06):
        top: Given = {"name": o["name"], "kind": o.get("kind", "card")}
        o["components"] = [
            top,
            *({"name": draw.choice("AB"), "kind": draw.choice(["card", "token"])} for _ in range(2)),
        ]
    return o


def attach(draw: Draw, o: Given, handles: list[str], seats: int) -> None:
    """Make something that is attached of an object."""
    o["attached_to"] = draw.choice(handles)
    form = draw.randrange(4)
    if form == 0:
        enchant = [{"types": ["creature"]}, {"types": ["creature"], "owner": "you"}, {"subtypes": ["goblin"]}, {},
                   {"zone": "graveyard"}]  # fmt: skip
        o |= {"types": ["enchantment"], "subtypes": ["aura", *draw.choice([[], ["role"]])]}
        o["enchant"] = draw.choice(enchant)
        if draw.chance(0.3):
            o["keywords"] = ["umbra_armor"]
        if draw.chance(0.1):
            o["counters"] = {"shield": draw.randint(1, 2)}
        if draw.chance(0.15):
            o |= {"attached_to": {"player": draw.randrange(seats)}, "enchant": {"player": draw.choice(["any", "you"])}}
    elif form == 1:
        o |= {"types": ["artifact"], "subtypes": ["equipment"]}
    elif form == 2:
        o |= {"types": ["creature", "enchantment"], "bestowed": True, "keywords": ["bestow"]}
    else:
        o |= {"types": ["artifact", "creature"], "subtypes": ["equipment"], "keywords": ["reconfigure"]}


def elsewhere(draw: Draw, handles: list[str], seats: int) -> Given:
    """Return an ability, a copy, an emblem, or something that only the command zone has."""
    o: Given = {"controller": draw.randrange(seats)}
    form = draw.randrange(4)
    if form == 0:
        kind = draw.choice(["activated_ability", "triggered_ability", "chapter_ability"])
        return o | {"kind": kind, "zone": draw.choice(["stack", "waiting", "exile"]), "source": draw.choice(handles)}
    if form == 1:
        types = draw.one(["scheme", "phenomenon", "plane", "dungeon"])
        return o | {"types": types, "zone": "command", "face_up": draw.chance(0.8), "bottommost_room": draw.chance(0.5)}
    if form == 2:
        return o | {"kind": "emblem", "zone": "command"}
    kind = draw.choice(["spell_copy", "card_copy"])
    return o | {"kind": kind, "zone": draw.choice(["stack", "battlefield"]), "types": ["creature"], "toughness": 1}


def condition(draw: Draw) -> Given:
    """Return a filter."""
    makers: dict[str, Callable[[], Any]] = {
        "types": lambda: draw.one(TYPES), "any_types": lambda: draw.sample(TYPES[1:], 2),
        "not_types": lambda: draw.one(TYPES), "subtypes": lambda: draw.one(SUBTYPES),
        "any_subtypes": lambda: draw.sample([*SUBTYPES, "aura"], 2), "not_subtypes": lambda: draw.one(SUBTYPES),
        "colors": lambda: draw.one(COLORS), "keywords": lambda: draw.one(KEYWORDS[:3]),
        "controller": lambda: draw.choice(["you", "opponent"]), "owner": lambda: draw.choice(["you", "opponent"]),
        "supertypes": lambda: draw.one(["legendary", "basic"]),
        "not_supertypes": lambda: draw.one(["legendary", "basic"]),
        "kind": lambda: draw.choice(["card", "token"]), "named": lambda: draw.choice("AB"), "other": lambda: True,
        "attacking": lambda: draw.chance(0.7), "tapped": lambda: draw.chance(0.7),
        "zone": lambda: draw.choice(["graveyard", "battlefield", "command"]), "host": lambda: True,
    }  # fmt: skip
    return {name: makers[name]() for name in draw.sample(list(makers), draw.randint(1, 2))}


def effect(draw: Draw, handles: list[str], seats: int) -> Given:
    """Return a continuous effect."""
    e: Given = {"affects": draw.choice([condition(draw), condition(draw), draw.sample(handles, draw.randint(1, 2))])}
    if draw.chance(0.75):
        e["source"] = draw.choice(handles)
        if draw.chance(0.3):
            e["affects"] = draw.choice(["self", "host"])
    else:
        e["controller"] = draw.randrange(seats)
    if draw.chance(0.15 if "source" in e else 0.5):
        e["until"] = draw.choice(["end_of_turn", "end_of_combat"])
    if draw.chance(0.2):
        e |= {"affects": {"player": draw.choice(["you", "opponents", "any"])}, "rule": draw.choice(PLAYER_RULES)}
        if e["rule"] == "instead_of_losing":
            e |= {"life": draw.choice([0, 5, 20]), "shuffle_owned": draw.chance(0.4)}
            e["exile_source"] = "source" in e and draw.chance(0.5)
    else:
        for _ in range(draw.randint(1, 2)):
            e |= change(draw, seats)
        if {"add_toughness", "define_toughness"} & e.keys() and draw.chance(0.3):
            e["per"] = draw.choice([condition(draw), {"life": "you"}])
        if draw.chance(0.1):
            e["rule"] = draw.choice(["graveyard_to_exile", "cant_be_sacrificed", "no_legend_rule"])
    if draw.chance(0.25):
        bound = draw.choice(["at_least", "at_most"])
        e["while"] = {"matching": condition(draw), bound: draw.randint(0, 2)}
    return e


def change(draw: Draw, seats: int) -> Given:
    """Return what an effect does in one layer."""
    verb = draw.choice(["set", "add", "remove"])
    return draw.choice([
        {"control": draw.choice(["you", draw.randrange(seats)])},
        {f"{verb}_types": draw.one([*TYPES, "planeswalker"])},
        {f"{verb}_subtypes": draw.one([*SUBTYPES, "aura", "saga"])},
        {f"{draw.choice(['add', 'remove'])}_supertypes": draw.one(["legendary", "basic", "world"])},
        {f"{draw.choice(['set', 'add'])}_colors": draw.one(COLORS)},
        {f"{draw.choice(['gain', 'lose'])}_keywords": draw.one(KEYWORDS)},
        {"lose_all_abilities": True},
        {"gain_protection": draw.one([*COLORS, "creature"])},
        {"set_power": draw.choice([0, 1, "mana_value"]), "set_toughness": draw.choice([1, 2])},
        {"add_power": draw.choice([0, 1]), "add_toughness": draw.choice([-2, -1, 1])},
        {"define_power": 0, "define_toughness": draw.choice([-1, 1])},
    ])  # fmt: skip
