"""Whether a run of the oracle comes out as the `expect` of a scenario says."""

from collections.abc import Iterator
from typing import Any

from oracle import Rejected, run
from oracle.board import Object
from oracle.parse import Reader, read_choices
from oracle.settling import Settling, object_result, player_result, reference

# What is compared of an object that `expect` does not name.
KEPT_BY_THE_REST = ("zone", "controller", "attached_to", "damage", "counters")


def differences(scenario: dict[str, Any]) -> list[str]:
    """List everything in which a scenario without a claim comes out otherwise than expected."""
    expect = scenario["expect"]
    given, choices, do = scenario["given"], scenario.get("choices"), scenario.get("do", "settle")
    try:
        start = Settling(Reader(given).board(), read_choices(choices, Reader(given).board()))
        before = {handle: object_result(start.picture(), handle) for handle in start.board.objects}
        after = run(given, choices, do)
    except Rejected as rejection:
        return [] if expect.get("status") == "rejected" else [f"rejected: {rejection.reason}"]
    found = list(_differences_of_run(expect, after))
    found += _differences_of_objects(expect, before, after)
    for seat, fields in expect.get("players", {}).items():
        player = after.board.players[seat]
        actual = player_result(player) | {"designations": set(player.designations)}
        for name, value in fields.items():
            wanted = set(value) if name == "designations" else value
            if actual[name] != wanted:
                found.append(f"player {seat} {name}: expected {value!r}, found {actual[name]!r}")
    return found


def _differences_of_run(expect: dict[str, Any], after: Settling) -> Iterator[str]:
    result = after.result()
    wanted = {"status": "settled", "outcome": "ongoing", "lost": []} | expect
    for name in ("status", "passes", "outcome", "lost", "next_step", "waiting", "players_get_priority"):
        if name in wanted and _in_any_order(wanted[name]) != _in_any_order(result[name]):
            yield f"{name}: expected {wanted[name]!r}, found {result[name]!r}"
    if "actions" in expect:
        expected_passes = [_subjects(actions) for actions in expect["actions"]]
        found_passes = [_subjects(actions) for actions in result["actions"]]
        if expected_passes != found_passes:
            yield f"actions: expected {expect['actions']!r}, found {result['actions']!r}"
    for rule, subjects in expect.get("consequences", {}).items():
        found = result["consequences"].get(rule, [])
        if _subjects({rule: subjects}) != _subjects({rule: found}):
            yield f"consequence {rule}: expected {subjects!r}, found {found!r}"


def _in_any_order(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) else value


def _subjects(by_rule: dict[str, list[Any]]) -> dict[str, list[str]]:
    return {rule: sorted(map(repr, subjects)) for rule, subjects in by_rule.items() if subjects}


def _differences_of_objects(
    expect: dict[str, Any],
    before: dict[str, dict[str, Any]],
    after: Settling,
) -> Iterator[str]:
    picture = after.picture()
    for handle, obj in after.board.objects.items():
        actual = object_result(picture, handle)
        if handle in expect.get("objects", {}):
            wanted = dict(expect["objects"][handle])
        elif expect.get("rest", "same") == "same":
            wanted = {name: before[handle][name] for name in KEPT_BY_THE_REST}
        else:
            continue
        for name, value in wanted.items():
            found = actual[name] if name in actual else _plain_field(obj, name)
            if _comparable(name, value) != _comparable(name, found):
                yield f"{handle} {name}: expected {value!r}, found {found!r}"


def _plain_field(obj: Object, name: str) -> Any:
    value = getattr(obj, name)
    return sorted(value) if isinstance(value, frozenset) else reference(value)


def _comparable(name: str, value: Any) -> Any:
    if name == "counters":
        return {kind: count for kind, count in value.items() if count}
    return _in_any_order(value)
