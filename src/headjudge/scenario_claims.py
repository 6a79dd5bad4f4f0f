"""Claims of scenarios: what another engine says came of a board, judged and held against what is expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge import claims
from headjudge.claims import Claim
from headjudge.errors import DataError
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS
from headjudge.io.scenario_values import NOTHING, Names
from headjudge.io.scenario_yaml import flow
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.settling import rejected
from headjudge.validation import Check
from headjudge.verifying import AGREE, REJECTED, Finding, Judgement, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from headjudge.io.scenarios import Scenario

#: What an object keeps that is not named, and by what every player is judged.
KEPT: Final = ("zone", "controller", "attached_to", "damage", "counters")
_PLAYERS: Final = ("lost", "life", "poison", "speed")
_NULLS: Final = {"attached_to": v.NONE, "attacking": v.NONE, "power": v.NULL, "toughness": v.NULL}


def run(scenario: Scenario) -> list[str]:
    """Return a line for each thing about the verdict that is otherwise than expected; none = passed."""
    expect = scenario.expect
    if expect is None:
        return []
    found = judged(scenario)
    lines = []
    if found.verdict != expect["verdict"]:
        why = found.reason or ", ".join(_written(finding, scenario) for finding in found.findings)
        lines.append(f"verdict: expected {expect['verdict']}, got {found.verdict}{f' ({why})' if why else ''}")
    for wanted in expect.get("findings", []):
        if not any(_is_of(finding, wanted, scenario.handles) for finding in found.findings):
            got = ", ".join(_written(finding, scenario) for finding in found.findings) or "none"
            lines.append(f"findings: expected {flow(wanted)}, got {got}")
    return lines


def judged(scenario: Scenario) -> Judgement:
    """Judge the claim of a scenario."""
    check = Check.of(scenario.boards, 1)
    reasons = rejected(scenario.boards, check)
    if reasons:
        return Judgement(REJECTED, reason=reasons[0])
    found = judge(scenario.boards, claim_of(scenario), check.needed, check.marked, do=scenario.do)
    return found.get(0, Judgement(AGREE))


def claim_of(scenario: Scenario) -> Claim:
    """Return the claim of a scenario about its board: what it names is judged by what it states.

    Raises
    ------
    DataError
        If it states a field that cannot be judged.
    """
    stated = scenario.claim or {}
    boards = scenario.boards
    names = Names({handle: row for row, handle in enumerate(scenario.handles)}, len(boards.players.life))
    things = {names.rows[handle]: dict(fields) for handle, fields in stated.get("objects", {}).items()}
    if "waiting" in stated:
        waiting = {names.rows[handle] for handle in stated["waiting"]}
        for row in sorted(waiting.union(np.flatnonzero(boards.objects.zone == b.WAITING).tolist())):
            things.setdefault(row, {}).setdefault("zone", "waiting" if row in waiting else "none")
    people = {int(seat): dict(fields) for seat, fields in stated.get("players", {}).items()}
    for seat, flags in enumerate(boards.players.flags.tolist()):
        fields = people.setdefault(seat, {})
        in_game = fields.get("in_game", flags & b.IN_GAME != 0)
        fields["lost"] = seat in stated.get("lost", []) or not in_game
    object_fields = _ordered((*KEPT, *(name for fields in things.values() for name in fields)), claims.OBJECT_FIELDS)
    player_fields = _ordered((*_PLAYERS, *(name for x in people.values() for name in x)), claims.PLAYER_FIELDS)
    for name in object_fields:
        _known(name, claims.KNOWN_OBJECT_FIELDS, scenario)
    for name in player_fields:
        _known(name, claims.KNOWN_PLAYER_FIELDS, scenario)
    given = claims.view(boards, object_fields, player_fields)
    view = given.take(np.arange(len(boards.objects.zone)), np.arange(len(boards.players.life)))  # a copy
    objects = {name: np.full(len(boards.objects.zone), name in KEPT) for name in object_fields}
    players = {name: np.full(len(boards.players.life), name in _PLAYERS) for name in player_fields}
    counters: dict[int, dict[str, int]] = {}
    for row, fields in things.items():
        # What changes zones is judged by what is stated of it; what stays keeps all else.
        moves = fields.get("zone", v.ZONES[boards.objects.zone[row]]) != v.ZONES[boards.objects.zone[row]]
        for name in object_fields:
            objects[name][row] = name in fields or (name in KEPT and not moves)
        for name, value in fields.items():
            plain = OBJECT_FIELDS[name].kind.read(value, name, names)
            if name == "counters":
                counters[row] = dict(plain)
            elif name == "name" and plain is not None:
                known = boards.lexicon.names
                np.asarray(view.objects[name])[row] = known.index(plain) if plain in known else len(known)
            else:
                np.asarray(view.objects[name])[row] = _coded(name, plain)
    view.objects["counters"] = _with_counters(view.objects["counters"], counters, scenario)
    for seat, fields in people.items():
        for name, value in fields.items():
            plain = value if name == "lost" else PLAYER_FIELDS[name].kind.read(value, name, names)
            players[name][seat] = True
            np.asarray(view.players[name])[seat] = _coded(name, plain)
    game = {name: stated[name] for name in claims.GAME_FIELDS if name in stated}
    if isinstance(game.get("outcome"), dict):
        game["outcome"] = {"win": sorted(set(game["outcome"]["win"]))}
    return Claim(view, objects, players, _rules(stated, names), {0: game} if game else {})


def _ordered(names: Iterable[str], first: Sequence[str]) -> list[str]:
    """Return names once each, those that decide the kind of a finding in their order."""
    used = dict.fromkeys(names)
    return [name for name in first if name in used] + [name for name in used if name not in first]


def _known(name: str, known: Sequence[str], scenario: Scenario) -> None:
    if name not in known:
        where = f"{scenario.origin}: scenario {scenario.id}, claim"
        raise DataError(f"{where}: {name!r} is not judged; expected some of {', '.join(known)}")


def _coded(name: str, plain: Any) -> Any:
    """Return a plain value of a field as the columns of boards have it."""
    if name in claims.SETS:
        return v.mask(claims.SETS[name], plain)
    if plain is None:
        return _NULLS.get(name, -1)
    if name in claims.WORDS:
        return claims.WORDS[name].index(plain)
    return v.NOTHING if plain == NOTHING else plain


def _with_counters(columns: Any, stated: Mapping[int, Mapping[str, int]], scenario: Scenario) -> Any:
    """Return the counters with those of some rows replaced; kinds that the board does not know get a column each."""
    kinds = list(dict.fromkeys((*scenario.boards.lexicon.counter_kinds, *(k for own in stated.values() for k in own))))
    wide = [np.zeros(len(scenario.handles), np.int32) for _ in kinds]
    for column, counts in zip(wide, columns, strict=False):
        column[:] = counts
    for row, own in stated.items():
        for kind, column in zip(kinds, wide, strict=True):
            column[row] = own.get(kind, 0)
    return tuple(wide)


def _rules(stated: Mapping[str, Any], names: Names) -> dict[int, list[str]] | None:
    """Return what the claim calls the actions on each object and player; None if it lists no actions."""
    if "actions" not in stated:
        return None
    rules: dict[int, list[str]] = {}
    for rows in (*stated.get("actions", []), stated.get("consequences", {})):
        for rule, entries in rows.items():
            for entry in entries:
                if isinstance(entry, dict) or entry in names.rows:
                    rules.setdefault(names.reference(entry, "claim"), []).append(rule)
    return rules


def _is_of(finding: Finding, wanted: Mapping[str, Any], handles: Sequence[str]) -> bool:
    entry = _entry(finding, handles)
    return all(entry.get(key) == value for key, value in wanted.items())


def _entry(finding: Finding, handles: Sequence[str]) -> dict[str, Any]:
    """Return a finding as scenarios write one."""
    entry: dict[str, Any] = {"kind": finding.kind, "rule": finding.rule}
    if finding.object is not None:
        entry["object"] = handles[finding.object]
    if finding.seat is not None:
        entry["player"] = finding.seat
    return entry


def _written(finding: Finding, scenario: Scenario) -> str:
    claimed, expected = finding.claimed, finding.expected
    if finding.field in ("attached_to", "attacking"):
        handles = dict(zip(map(str, scenario.boards.objects.object_id), scenario.handles, strict=True))
        claimed, expected = handles.get(claimed, claimed), handles.get(expected, expected)
    return f"{flow(_entry(finding, scenario.handles))}: {finding.field} {claimed}, expected {expected}"
