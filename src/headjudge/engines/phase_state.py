"""Boards as phase's game states, and back. For the program that talks to phase; boards are mappings as in scenarios."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import phase

from headjudge.engines import card_text

State = dict[str, Any]
#: Object ids of phase begin at 1, and so do its timestamps.
FIRST_ID: Final = 1
_ZONES: Final = {
    "battlefield": "Battlefield", "graveyard": "Graveyard", "exile": "Exile", "hand": "Hand", "library": "Library",
    "command": "Command",
}  # fmt: skip
_ZONE_OF: Final = {theirs: ours for ours, theirs in _ZONES.items()}
#: A wrong key is taken for the name of some other counter.
_COUNTERS: Final = {"+1/+1": "P1P1", "-1/-1": "M1M1"}
_COUNTER_OF: Final = {theirs: ours for ours, theirs in _COUNTERS.items()}
#: Subtypes that decide which abilities phase gives a card by itself.
_TELLING_SUBTYPES: Final = ("aura", "equipment", "fortification", "saga", "siege", "role")
_BIG: Final = ("deck_pools", "zone_changes_this_turn")
_CARD: Final = {
    "supertypes": [], "manaCost": "", "colors": [], "colorIdentity": [], "manaValue": 0, "convertedManaCost": 0,
    "layout": "normal", "legalities": {}, "identifiers": {},
}  # fmt: skip


#: What is left of an object that has left the battlefield.
_ELSEWHERE: Final = {
    "zone": "graveyard", "controller": 0, "attached_to": None, "damage": 0, "counters": {}, "tapped": False,
    "deathtouch_damage": False, "protector": None,
}  # fmt: skip


class Unspoken(Exception):
    """A card whose text phase does not understand."""


def handle(theirs: int) -> int:
    """Return the object id of the board for one of phase's."""
    return theirs - FIRST_ID


def ours(handle_: str) -> int:
    """Return phase's id of an object."""
    return int(handle_) + FIRST_ID


class Cards:
    """Objects as phase makes them of cards, and empty games; each made once."""

    def __init__(self) -> None:
        self._objects: dict[tuple[Any, ...], State] = {}
        self._games: dict[tuple[int, str], str] = {}

    @staticmethod
    def empty_engine() -> Any:
        """Return an engine that knows no cards: games that are loaded bring theirs along."""
        return phase.Engine.from_json("{}")

    def object_like(self, o: Mapping[str, Any], lines: Sequence[str]) -> State:
        """Return an object with the abilities of a card with this text."""
        types = tuple(sorted(word.capitalize() for word in o.get("types", ())))
        subtypes = tuple(word.capitalize() for word in o.get("subtypes", ()) if word in _TELLING_SUBTYPES)
        key = types, subtypes, tuple(lines)
        if key not in self._objects:
            self._objects[key] = self._made(types, subtypes, "\n".join(lines))
        return copy.copy(self._objects[key])

    def _made(self, types: Sequence[str], subtypes: Sequence[str], text: str) -> State:
        card = {
            **_CARD, "name": "Card", "types": list(types), "subtypes": list(subtypes), "text": text,
            "type": " ".join(types), "keywords": _keywords(text),
            **({"power": "1", "toughness": "1"} if "Creature" in types else {}),
            **({"loyalty": "1"} if "Planeswalker" in types else {}),
            **({"defense": "1"} if "Battle" in types else {}),
        }  # fmt: skip
        face = phase.build_oracle_face(card, None)
        engine = phase.Engine.from_json(json.dumps({"card": face}))
        deck = ["Card"] * 8
        game = engine.new_game(player=deck, opponent=deck, seed=0, first_player=0)
        made: State = dict(next(o for o in game.state()["state"]["objects"].values() if o["owner"] == 0))
        if made.get("unimplemented_mechanics") and "Umbra armor" not in text:  # which it reads as a keyword, too
            raise Unspoken(f"phase does not understand {text!r}")
        # Activated and triggered abilities do not matter, but those that make a Saga have its chapters.
        idle = ("abilities", "trigger_definitions")
        for name in idle if "Saga" not in subtypes else idle[:1]:
            made[name] = []
            made.pop(f"base_{name}", None)
        made.pop("incarnation", None)
        return made

    def game_of(self, players: int, commander: bool) -> State:
        """Return the state of a game in which nothing is left but the players."""
        key = players, "Commander" if commander else "FreeForAll"
        if key not in self._games:
            card = phase.build_oracle_face({**_CARD, "name": "Card", "types": ["Land"], "subtypes": [], "text": "",
                                            "type": "Land", "keywords": []}, None)  # fmt: skip
            engine = phase.Engine.from_json(json.dumps({"card": card}))
            deck = ["Card"] * 8
            game = engine.new_game(
                player=deck,
                opponent=deck,
                extra_players=[deck] * (players - 2),
                seed=0,
                first_player=0,
                format=key[1],
            )
            while (waiting := game.waiting_for())["type"] == "MulliganDecision":
                seat = waiting["data"]["pending"][0]["player"]
                game.apply(seat, {"type": "MulliganDecision", "data": {"choice": {"type": "Keep"}}})
            self._games[key] = json.dumps(_emptied(game.state()))
        emptied: State = json.loads(self._games[key])
        return emptied


def _keywords(text: str) -> list[str]:
    """Return the keywords that MTGJSON would list for a card with this text."""
    known = {
        "Enchant": "Enchant",
        "Umbra armor": "Umbra armor",
        "Reconfigure": "Reconfigure",
        "Indestructible": "Indestructible",
        "Changeling": "Changeling",
        "Ascend": "Ascend",
        "Protection": "Protection",
        "Start your engines!": "Start your engines!",
    }
    return [word for word in known if any(line.startswith(word) for line in text.split("\n"))]


def _emptied(saved: State) -> State:
    state = saved["state"]
    for name in _BIG:
        state[name] = []
    state.pop("resolved_rules_journal", None)
    state["objects"] = {}
    for name in ("battlefield", "exile", "stack", "command_zone"):
        state[name] = []
    for player in state["players"]:
        player.update(hand=[], library=[], graveyard=[])
    state["debug_mode"] = True
    state["phase"] = "PreCombatMain"
    return saved


def state_of(line: Mapping[str, Any], cards: Cards) -> State:
    """Return a board as a state that phase loads."""
    players = line.get("players", [{}, {}])
    commander = "commander" in line.get("variant", ())
    saved = cards.game_of(len(players), commander)
    state = saved["state"]
    active = line.get("active_player", 0)
    state.update(
        active_player=active, priority_player=active, waiting_for={"type": "Priority", "data": {"player": active}}
    )
    for seat, player in enumerate(players):
        _seat(state, seat, player)
    objects = line.get("objects", {})
    ranks = _ranks({key: o.get("timestamp", row) for row, (key, o) in enumerate(objects.items())})
    effects: dict[str, list[str]] = {}
    for effect in line.get("effects", ()):
        said = card_text.effect_line(effect, objects[effect["source"]])
        if said is None:
            raise Unspoken(f"no words for {effect}")
        effects.setdefault(effect["source"], []).append(said)
    for key, o in objects.items():
        made = _object(key, o, cards, effects.get(key, []), ranks[key])
        state["objects"][str(made["id"])] = made
        _place(state, made, o)
    for key, o in objects.items():
        host = o.get("attached_to")
        if isinstance(host, str):
            hosted = state["objects"][str(ours(host))]
            hosted["attachments"] = [*hosted["attachments"], ours(key)]
    state["next_object_id"] = len(objects) + FIRST_ID + 1
    state["next_timestamp"] = len(objects) + FIRST_ID + 1
    return saved


def _ranks(timestamps: Mapping[str, int]) -> dict[str, int]:
    order = {time: rank for rank, time in enumerate(sorted(set(timestamps.values())), FIRST_ID)}
    return {key: order[time] for key, time in timestamps.items()}


def _seat(state: State, seat: int, player: Mapping[str, Any]) -> None:
    theirs = state["players"][seat]
    theirs.update(
        life=player.get("life", 20),
        poison_counters=player.get("poison", 0),
        drew_from_empty_library=player.get("drew_from_empty", False),
    )
    if player.get("speed") is not None:
        theirs["speed"] = player["speed"]
    if not player.get("in_game", True):
        theirs["is_eliminated"] = True
        state["eliminated_players"].append(seat)
    if "city_blessing" in player.get("designations", ()):
        state.setdefault("city_blessing", []).append(seat)
    state["commander_damage"] += [
        {"player": seat, "commander": ours(key), "damage": amount}
        for key, amount in player.get("commander_damage", {}).items()
    ]


def _object(key: str, o: Mapping[str, Any], cards: Cards, effects: Sequence[str], timestamp: int) -> State:
    made = cards.object_like(o, [*_lines(o), *effects])
    types = {
        "core_types": [word.capitalize() for word in o.get("types", ())],
        "subtypes": [" ".join(word.capitalize() for word in name.split()) for name in o.get("subtypes", ())],
        "supertypes": [word.capitalize() for word in o.get("supertypes", ())],
    }
    colors = [word.capitalize() for word in o.get("colors", ())]
    owner = o.get("owner", o["controller"])
    counters = {_COUNTERS.get(kind, kind): count for kind, count in o.get("counters", {}).items()}
    # Without an entry phase takes the number on the card for a planeswalker's loyalty.
    for type_, kind in (("planeswalker", "loyalty"), ("battle", "defense")):
        if type_ in o.get("types", ()) and o.get("zone", "battlefield") == "battlefield":
            counters.setdefault(kind, 0)
    host = o.get("attached_to")
    made.update(
        id=ours(key), card_id=ours(key), owner=owner, controller=o["controller"], base_controller=o["controller"],
        zone=_ZONES[o.get("zone", "battlefield")], name=o["name"], base_name=o["name"],
        card_types=types, base_card_types=types, color=colors, base_color=colors,
        tapped=o.get("tapped", False), damage_marked=o.get("damage", 0),
        dealt_deathtouch_damage=o.get("deathtouch_damage", False), counters=counters,
        attached_to=None if host is None else {"type": "Player", "data": host["player"]}
        if isinstance(host, Mapping) else {"type": "Object", "data": ours(host)},
        attachments=[], timestamp=timestamp, entered_battlefield_turn=1, is_token=o.get("kind") == "token",
        is_commander=o.get("commander", False),
    )  # fmt: skip
    creature = "creature" in o.get("types", ())
    for name in ("power", "toughness"):
        size = (o.get(name) or 0) if creature else o.get(name)
        made.update({name: size, f"base_{name}": size, f"layer_base_{name}": size})
    if "planeswalker" in o.get("types", ()):
        made["loyalty"] = counters.get("loyalty", 0) if made["zone"] == "Battlefield" else 1
    if "battle" in o.get("types", ()):
        made["defense"] = counters.get("defense", 0) if made["zone"] == "Battlefield" else 1
        if o.get("protector") is not None:
            made["chosen_attributes"] = [{"type": "Player", "value": o["protector"]}]
    if o.get("phased_out"):
        made["phase_status"] = {"status": "PhasedOut", "cause": "Directly"}
    return made


def _lines(o: Mapping[str, Any]) -> list[str]:
    """Return the text of the card that an object is."""
    lines = [line for line in (card_text.enchant_line(o.get("enchant")),) if line]
    lines += [card_text.KEYWORD_LINES[word] for word in o.get("keywords", ())]
    if o.get("protection"):
        lines.append(f"Protection {card_text.protection_line(o['protection'])}")
    return lines + card_text.chapter_lines(o.get("final_chapter", 0))


def _place(state: State, made: State, o: Mapping[str, Any]) -> None:
    zone = o.get("zone", "battlefield")
    if zone in ("graveyard", "hand", "library"):
        state["players"][made["owner"]][zone].append(made["id"])
    else:
        state["command_zone" if zone == "command" else zone].append(made["id"])


def claim_of(line: Mapping[str, Any], game: Any) -> dict[str, Any]:
    """Return what differs between a board and what phase made of it.

    Asks for no more than it needs: whole states are big.
    """
    before = line.get("players", [{}, {}])
    seats = [game.player(seat) for seat in range(len(before))]
    gone = {seat for seat, player in enumerate(seats) if player["is_eliminated"]}
    given = line.get("objects", {})
    objects = {key: fields for key, o in given.items() if (fields := _object_claim(o, _object_of(game, key), gone))}
    blessed: set[int] = set()
    if any("ascend" in o.get("keywords", ()) for o in given.values()) or any("designations" in p for p in before):
        blessed = set(game.state()["state"].get("city_blessing", ()))
    players = {
        str(seat): fields
        for seat, player in enumerate(before)
        if (fields := _player_claim(player, seats[seat], seat in blessed))
    }
    lost = [seat for seat, player in enumerate(before) if player.get("in_game", True) and seat in gone]
    claim = {"objects": objects, "players": players, "lost": lost}
    return {name: value for name, value in claim.items() if value}


def _object_of(game: Any, key: str) -> State | None:
    try:
        found: State | None = game.object(ours(key))
    except (KeyError, ValueError):
        return None
    return found


def _object_claim(o: Mapping[str, Any], theirs: State | None, gone: set[int]) -> dict[str, Any]:
    # What a departed player owns leaves the game (CR 800.4a); phase has no place for it but exile.
    left = theirs is None or (theirs["owner"] in gone and theirs["zone"] == "Exile")
    zone = "none" if left or theirs is None else _ZONE_OF[theirs["zone"]]
    old: dict[str, Any] = {
        "zone": o.get("zone", "battlefield"), "controller": o["controller"], "attached_to": o.get("attached_to"),
        "damage": o.get("damage", 0), "counters": o.get("counters", {}), "tapped": o.get("tapped", False),
        "deathtouch_damage": o.get("deathtouch_damage", False), "protector": o.get("protector"),
    }  # fmt: skip
    if zone != "battlefield":
        # What leaves the battlefield is a new object (CR 400.7); what phase still knows of the old one says nothing.
        new = {**_ELSEWHERE, "zone": zone, "controller": o.get("owner", o["controller"])}
        return {name: value for name, value in new.items() if value != old[name]} if zone != old["zone"] else {}
    assert theirs is not None
    host = theirs["attached_to"]
    if o.get("phased_out"):  # what it is attached to matters again when it phases in (CR 702.26i)
        host = None
        old["attached_to"] = None
    chosen = [a["value"] for a in theirs.get("chosen_attributes") or () if a["type"] == "Player"]
    new = {
        "zone": zone, "controller": theirs["base_controller"],
        "attached_to": None if host is None else {"player": host["data"]} if host["type"] == "Player"
        else str(handle(host["data"])),
        "damage": theirs["damage_marked"],
        "counters": {_COUNTER_OF.get(kind, kind): count for kind, count in theirs["counters"].items() if count},
        "tapped": theirs["tapped"], "deathtouch_damage": theirs["dealt_deathtouch_damage"],
        "protector": chosen[0] if chosen else None,
    }  # fmt: skip
    return {name: value for name, value in new.items() if value != old[name]}


def _player_claim(player: Mapping[str, Any], theirs: State, blessed: bool) -> dict[str, Any]:
    new: dict[str, Any] = {
        "life": theirs["life"], "poison": theirs["poison_counters"], "speed": theirs.get("speed"),
        "drew_from_empty": theirs["drew_from_empty_library"], "designations": ["city_blessing"] if blessed else [],
    }  # fmt: skip
    old = {
        "life": player.get("life", 20), "poison": player.get("poison", 0), "speed": player.get("speed"),
        "drew_from_empty": player.get("drew_from_empty", False), "designations": list(player.get("designations", ())),
    }  # fmt: skip
    return {name: value for name, value in new.items() if value != old[name]}
