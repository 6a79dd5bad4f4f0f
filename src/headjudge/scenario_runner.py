"""Running scenarios: what came out against what must come out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TextIO

from headjudge import scenario_claims
from headjudge.errors import one_line
from headjudge.full_result import carry_out, sorted_entries, sorted_rows
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, Field
from headjudge.io.scenario_values import Names
from headjudge.io.scenario_yaml import flow
from headjudge.io.scenarios import Scenario, read

if TYPE_CHECKING:
    from pathlib import Path

    from headjudge.full_result import FullResult
    from headjudge.io.scenario_fields import Record


_NO_PASS: Final = "no such pass"


class Tally(NamedTuple):
    """How many scenarios of a run passed, failed and were skipped."""

    passed: int
    failed: int
    skipped: int

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def skip_reason(scenario: Scenario) -> str | None:
    """Return why a scenario cannot be run, or None."""
    return "it expects nothing" if scenario.expect is None else None


def run(scenario: Scenario) -> list[str]:
    """Return a line for each thing that came out otherwise than expected; none = passed."""
    mismatches = _mismatches(scenario) if scenario.claim is None else scenario_claims.run(scenario)
    return [one_line(f"{scenario.id}: {mismatch}") for mismatch in mismatches]


def _mismatches(scenario: Scenario) -> list[str]:
    expect = {"status": "settled", "lost": [], "outcome": "ongoing", "rest": "same", **(scenario.expect or {})}
    result = carry_out(scenario.boards, scenario.choices, scenario.do, scenario.effect_ids)
    handles = scenario.handles
    lines = _compared("status", expect["status"], result.result["status"])
    if lines and result.result["reason"]:
        lines.append(f"reason: {result.result['reason']}")
    if expect["status"] != "loop":  # how far a loop was followed is nobody's business
        lines += _passes(expect, result, handles)
    lines += _compared("lost", sorted(expect["lost"]), result.result["lost"])
    lines += _compared("outcome", _sorted_seats(expect["outcome"]), result.outcome)
    lines += _consequences(expect, result, handles)
    lines += _procedure(expect, result, handles)
    lines += _objects(expect, result, scenario)
    lines += _players(expect, result, scenario)
    return lines


def run_files(paths: Iterable[str | Path], out: TextIO) -> Tally:
    """Run all scenarios of some files; write a line for each mismatch, and last how many passed."""
    return run_all([scenario for path in paths for scenario in read(path)], out)


def run_all(scenarios: Iterable[Scenario], out: TextIO) -> Tally:
    """Run scenarios in the same way."""
    passed = failed = skipped = 0
    for scenario in scenarios:
        reason = skip_reason(scenario)
        if reason is not None:
            skipped += 1
            continue
        mismatches = run(scenario)
        passed, failed = passed + (not mismatches), failed + bool(mismatches)
        for mismatch in mismatches:
            print(f"{scenario.origin}: {mismatch}", file=out)
    tally = Tally(passed, failed, skipped)
    print(tally, file=out)
    return tally


def _compared(what: str, expected: Any, got: Any) -> list[str]:
    return [] if expected == got else [f"{what}: expected {flow(expected)}, got {flow(got)}"]


def _sorted_seats(outcome: Any) -> Any:
    return {"win": sorted(outcome["win"])} if isinstance(outcome, Mapping) else outcome


def _passes(expect: Mapping[str, Any], result: FullResult, handles: Sequence[str]) -> list[str]:
    lines = _compared("passes", expect["passes"], result.result["passes"]) if "passes" in expect else []
    if "actions" in expect:
        expected = [sorted_rows(rows) for rows in expect["actions"]]
        pairs = zip_longest(expected, result.passes(handles), fillvalue=_NO_PASS)
        for number, (wanted, got) in enumerate(pairs, 1):
            lines += _compared(f"actions, pass {number}", wanted, got)
    return lines


def _consequences(expect: Mapping[str, Any], result: FullResult, handles: Sequence[str]) -> list[str]:
    got = result.consequences(handles)
    return [
        line
        for rule, entries in expect.get("consequences", {}).items()
        for line in _compared(f"consequences.{rule}", sorted_entries(entries), got.get(rule, []))
    ]


def _procedure(expect: Mapping[str, Any], result: FullResult, handles: Sequence[str]) -> list[str]:
    lines = []
    for key in ("next_step", "players_get_priority"):
        if key in expect:
            lines += _compared(key, expect[key], result.result[key])
    if "waiting" in expect:
        lines += _compared("waiting", sorted(expect["waiting"]), result.waiting(handles))
    return lines


def _objects(expect: Mapping[str, Any], result: FullResult, scenario: Scenario) -> list[str]:
    named = expect.get("objects", {})
    lines = []
    for row, handle in enumerate(scenario.handles):
        after, where = result.after[row], f"objects.{handle}"
        if handle in named:
            lines += _fields(where, named[handle], after, OBJECT_FIELDS, scenario)
        elif expect["rest"] == "same":
            kept = {
                name: OBJECT_FIELDS[name].kind.write(result.before[row][name], scenario.handles)
                for name in scenario_claims.KEPT
            }
            lines += _fields(where, kept, after, OBJECT_FIELDS, scenario)
    return lines


def _players(expect: Mapping[str, Any], result: FullResult, scenario: Scenario) -> list[str]:
    return [
        line
        for seat, fields in expect.get("players", {}).items()
        for line in _fields(f"players.{seat}", fields, result.players[seat], PLAYER_FIELDS, scenario)
    ]


def _fields(
    where: str, expected: Mapping[str, Any], record: Record, fields: Mapping[str, Field], scenario: Scenario
) -> list[str]:
    names = Names({handle: row for row, handle in enumerate(scenario.handles)}, len(scenario.boards.players.life))
    lines = []
    for name, value in expected.items():
        kind = fields[name].kind
        wanted = kind.read(value, f"{where}.{name}", names)
        if name == "components":  # an owner that is not stated is that of the permanent
            wanted = tuple(
                part._replace(owner=None if part.owner == record["owner"] else part.owner) for part in wanted
            )
        if wanted != record[name]:
            lines += _compared(f"{where}.{name}", value, kind.write(record[name], scenario.handles))
    return lines
