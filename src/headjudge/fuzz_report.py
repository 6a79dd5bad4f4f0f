"""What a run of fuzz found, for people: scenarios, boards on which the engine failed, a summary."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from headjudge import claims
from headjudge.engines.lines import claim_of
from headjudge.full_result import carry_out
from headjudge.fuzzing import distinct, from_plain
from headjudge.io.board_records import boards_of, record_of
from headjudge.io.choices import columns_of
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS
from headjudge.io.scenarios import Scenario, dumps, from_board
from headjudge.kernels import vocabulary as v
from headjudge.kernels.catalogue import BY_NAME
from headjudge.questioning import OFFER, Group, question
from headjudge.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from headjudge.engines import Engine
    from headjudge.fuzzing import Fuzz

SCENARIOS, FAILURES, SUMMARY = "scenarios", "failures.yaml", "summary.txt"
#: Lines of groups, failures and reasons that a summary shows: it fits on a screen.
_MOST_GROUPS: Final = 30
_MOST_REASONS: Final = 6


def write(run: Fuzz, engine: Engine, folder: Path) -> None:
    """Write scenarios, failures and summary of a run."""
    (folder / SCENARIOS).mkdir(parents=True, exist_ok=True)
    sizes: dict[Group, int] = {}
    for group in run.groups:
        found = []
        for number, sample in enumerate(distinct(run.samples.get(group, [])), 1):
            scenario = scenario_of(engine, group, sample.given, number)
            if scenario is not None:
                found.append(scenario)
                sizes[group] = min(len(scenario.handles), sizes.get(group, len(scenario.handles)))
        if found:
            (folder / SCENARIOS / f"{group.slug}.yaml").write_text(dumps(found), encoding="utf-8")
    if run.failed:
        (folder / FAILURES).write_text(dumps([_failure(failed) for failed in run.failed]), encoding="utf-8")
    (folder / SUMMARY).write_text(summary(run, sizes), encoding="utf-8")


def _failure(failed: Mapping[str, Any]) -> Scenario:
    record = from_plain(failed["given"])
    title = f"{failed['kind']}: {failed['detail']}"
    return replace(from_board(boards_of(record), id=f"state-{failed['state_id']}"), title=title)


def scenario_of(engine: Engine, group: Group, given: Mapping[str, Any], number: int) -> Scenario | None:
    """Return a board with what the engine says of it as a claim; None if it does not show the group any more."""
    board = boards_of(from_plain(given))
    questioned = question(engine, board)
    finding = questioned.groups.get(0, {}).get(group)
    if finding is None:
        return None
    scenario = from_board(board, id=f"{engine.name}-{group.slug}-{number}")
    scenario = replace(
        scenario,
        title=f"{engine.name}: {finding['field']} {finding['claimed']}, expected {finding['expected']}",
        rules=(group.rule,) if group.rule in BY_NAME else (),
    )
    if group.field == OFFER:
        return _with_choice(scenario, finding)
    claimed = questioned.answer.claimed
    return replace(
        scenario,
        claim=_claim(scenario, claimed, questioned.verdicts.to_pylist()),
        expect={"verdict": "disagree", "findings": [_finding(scenario, group, finding)]},
    )


def _claim(scenario: Scenario, claimed: Any, findings: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what differs from the board, and what the findings are about even where it does not."""
    before, after = record_of(scenario.boards), record_of(claimed)
    claim = claim_of(before, after, scenario.handles)
    objects, players = claim.setdefault("objects", {}), claim.setdefault("players", {})
    for handle, fields in objects.items():
        if "zone" in fields:  # what moved is judged by its zone, and by what is found
            objects[handle] = {"zone": fields["zone"]}
    for finding in findings:
        name = finding["field"]
        if finding["object_id"] is not None and name in OBJECT_FIELDS:
            row = finding["object_id"]  # boards of one state count their objects from 0
            fields = objects.setdefault(scenario.handles[row], {})
            fields[name] = OBJECT_FIELDS[name].kind.write(after.objects[row][name], scenario.handles)
        elif finding["seat"] is not None and name in PLAYER_FIELDS:
            fields = players.setdefault(finding["seat"], {})
            fields[name] = PLAYER_FIELDS[name].kind.write(after.players[finding["seat"]][name], scenario.handles)
    controllers = claims.view(claimed, ("controller",), ()).objects["controller"]
    for row, handle in enumerate(scenario.handles):
        if "controller" in objects.get(handle, ()):  # claims state it as it is after all effects
            objects[handle]["controller"] = int(claims.value_at(controllers, row))
    for known, stated in ((claims.OBJECT_FIELDS, objects), (claims.PLAYER_FIELDS, players)):
        for fields in stated.values():
            for name in [name for name in fields if name not in known]:  # what nothing is judged by
                del fields[name]
    return {key: value for key, value in claim.items() if value}


def _finding(scenario: Scenario, group: Group, finding: Mapping[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {"kind": group.kind, "rule": group.rule}
    if finding["object_id"] is not None:
        entry["object"] = scenario.handles[finding["object_id"]]
    if finding["seat"] is not None:
        entry["player"] = finding["seat"]
    return {key: value for key, value in entry.items() if value is not None}


def _with_choice(scenario: Scenario, finding: Mapping[str, Any]) -> Scenario:
    """Return a scenario of what comes of the choice that the engine does not offer."""
    choices = columns_of([(v.CHOICES.index("keep"), finding["object_id"], 0)])
    result = carry_out(scenario.boards, choices)
    expect = {
        "actions": result.passes(scenario.handles),
        **({"lost": result.result["lost"]} if result.result["lost"] else {}),
        **({"outcome": result.outcome} if result.outcome != "ongoing" else {}),
        "rest": "any",
    }
    title = f"{scenario.title}: {scenario.handles[finding['object_id']]} may be kept (CR 704.5j)"
    return replace(scenario, choices=choices, expect=expect, title=title)


def summary(run: Fuzz, sizes: Mapping[Group, int]) -> str:
    """Return what a run found on a screen."""
    options = run.options
    asked = f"seed {options.seed}, {', '.join(options.profiles)}: {run.asked:,} asked"
    lines = [
        f"{options.engine}: {counted(options.states, 'board')}, {asked}",
        f"  verdicts  {_counted(run.verdicts)}",
        f"  failures  {_counted(run.failures)}",
    ]
    groups = run.groups
    if groups:
        width = max(len(str(group)) for group in groups[:_MOST_GROUPS])
        lines += ["", f"{'group (kind, rule, field)':{width}}  {'boards':>8}  {'objects':>7}"]
        for group in groups[:_MOST_GROUPS]:
            lines.append(f"{group!s:{width}}  {run.counts[group]:8,}  {sizes.get(group, '-'):>7}")
        if len(groups) > _MOST_GROUPS:
            lines.append(f"... and {counted(len(groups) - _MOST_GROUPS, 'more group')}")
        if hidden := len([group for group in groups if group not in sizes]):
            lines.append(
                f"{counted(hidden, 'group')} did not show again when the engine was asked once more: no scenario"
            )
    if run.left_out:
        common = [f"{reason} ({count:,})" for reason, count in run.left_out.most_common(_MOST_REASONS)]
        more = len(run.left_out) - len(common)
        lines += ["", f"left out: {', '.join(common)}{f' and {more} more' if more > 0 else ''}"]
    return "\n".join(lines) + "\n"


def _counted(words: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {count:,}" for word, count in sorted(words.items())) or "none"
