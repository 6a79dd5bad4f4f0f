"""The program that talks to python-mtg: boards as JSON lines in, answers as JSON lines out.

Its rules say which objects die and who loses, its driver applies that, and Auras and loyalty by itself. Both are run
until nothing changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mtg import driver

from headjudge.engines.worker import serve

if TYPE_CHECKING:
    from collections.abc import Mapping

Facts = dict[str, set[tuple[Any, ...]]]
#: Passes of a check: a board of ordinary size needs a few.
MOST_PASSES: Final = 50
_ZONES: Final = {"battlefield": "on_battlefield", "graveyard": "graveyard", "exile": "exile", "hand": "in_hand"}
_COUNTERS: Final = {"+1/+1": "p1p1", "-1/-1": "m1m1"}
_COUNTER_OF: Final = {theirs: ours for ours, theirs in _COUNTERS.items()}
_RELATIONS: Final = (
    "active_player", "current_step", "is_player", "life", "poison", "on_battlefield", "graveyard", "exile", "in_hand",
    "printed_type", "printed_subtype", "printed_color", "printed_control", "printed_power", "printed_toughness",
    "printed_keyword", "has_supertype", "instance_of", "counter", "attached_to", "tapped", "attacks", "blocks",
    "would_draw_from_empty", "is_token",
)  # fmt: skip


def seat_name(seat: int) -> str:
    """Return what a player is called."""
    return f"seat_{seat}"


def object_name(handle: str) -> str:
    """Return what an object is called."""
    return f"object_{handle}"


def facts_of(line: Mapping[str, Any]) -> Facts:
    """Return a board as facts."""
    facts: Facts = {name: set() for name in _RELATIONS}
    facts["active_player"] = {(seat_name(line.get("active_player", 0)),)}
    facts["current_step"] = {("precombat_main",)}
    for seat, player in enumerate(line.get("players", [{}, {}])):
        if not player.get("in_game", True):
            continue
        name = seat_name(seat)
        facts["is_player"].add((name,))
        facts["life"].add((name, player.get("life", 20)))
        if player.get("poison"):
            facts["poison"].add((name, player["poison"]))
        if player.get("drew_from_empty"):
            facts["would_draw_from_empty"].add((name,))
    for handle, o in line.get("objects", {}).items():
        _add_object(facts, object_name(handle), o)
    return facts


def _add_object(facts: Facts, name: str, o: Mapping[str, Any]) -> None:
    zone, controller = o.get("zone", "battlefield"), seat_name(o["controller"])
    facts[_ZONES[zone]].add((controller, name) if zone == "hand" else (name,))
    facts["printed_control"].add((controller, name))
    facts["instance_of"].add((name, _slug(o["name"])))
    for relation, key in (
        ("printed_type", "types"), ("printed_subtype", "subtypes"), ("printed_color", "colors"),
        ("has_supertype", "supertypes"), ("printed_keyword", "keywords"),
    ):  # fmt: skip
        facts[relation] |= {(name, word) for word in o.get(key, ())}
    for key in ("power", "toughness"):
        if o.get(key) is not None or "creature" in o.get("types", ()):
            facts[f"printed_{key}"].add((name, o.get(key) or 0))
    counters = dict(o.get("counters", {}))
    if zone == "battlefield" and "planeswalker" in o.get("types", ()):
        counters.setdefault("loyalty", 0)
    facts["counter"] |= {(name, _COUNTERS.get(kind, kind), count) for kind, count in counters.items()}
    if o.get("attached_to") is not None:
        facts["attached_to"].add((name, object_name(o["attached_to"])))
    if o.get("tapped"):
        facts["tapped"].add((name,))
    if o.get("kind") == "token":
        facts["is_token"].add((name,))


def _slug(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name.lower())


def settle(facts: Facts) -> set[str]:
    """Run rules and driver until nothing changes; return who lost."""
    active = next(iter(facts["active_player"]))[0]
    for _ in range(MOST_PASSES):
        before = {name: set(facts[name]) for name in _RELATIONS}
        out = driver.run(facts, driver.OUTPUTS)
        loser = driver._apply_outputs(facts, {**out, "advance_to": set(), "to_untap": set(), "to_draw": set()}, active)
        if loser is not None:
            return {loser}
        driver._aura_sba(facts)
        if before == {name: set(facts[name]) for name in _RELATIONS}:
            return set()
    raise RuntimeError(f"no end after {MOST_PASSES} passes")


def answer(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return what python-mtg makes of a board."""
    facts = facts_of(line)
    losers = settle(facts)
    life: dict[str, int] = dict(facts["life"])
    poison: dict[str, int] = dict(facts["poison"])
    claim: dict[str, Any] = {"objects": {}, "players": {}, "lost": []}
    for seat, player in enumerate(line.get("players", [{}, {}])):
        name = seat_name(seat)
        if name in losers:
            claim["lost"].append(seat)
        new = {"life": life.get(name, player.get("life", 20)), "poison": poison.get(name, 0)}
        old = {"life": player.get("life", 20), "poison": player.get("poison", 0)}
        if new != old and player.get("in_game", True):
            claim["players"][str(seat)] = new
    for handle, o in line.get("objects", {}).items():
        fields = _object_claim(facts, object_name(handle), o)
        if fields:
            claim["objects"][handle] = fields
    return claim


def _object_claim(facts: Facts, name: str, o: Mapping[str, Any]) -> dict[str, Any]:
    old_zone = o.get("zone", "battlefield")
    places = [zone for zone, relation in _ZONES.items() if any(row[-1] == name for row in facts[relation])]
    zone = places[0] if places else "none"
    elsewhere: dict[str, Any] = {"attached_to": None, "counters": {}, "tapped": False}
    if zone != "battlefield":
        return {} if zone == old_zone else {"zone": zone, **elsewhere}
    host = next((host for attached, host in facts["attached_to"] if attached == name), None)
    counters = {_COUNTER_OF.get(kind, kind): count for of, kind, count in facts["counter"] if of == name and count}
    new = {
        "attached_to": None if host is None else host.removeprefix("object_"),
        "counters": counters,
        "tapped": (name,) in facts["tapped"],
    }
    old = {
        "attached_to": o.get("attached_to"),
        "counters": dict(o.get("counters", {})),
        "tapped": o.get("tapped", False),
    }
    return {key: value for key, value in new.items() if value != old[key]}


if __name__ == "__main__":
    serve(answer)
