"""Claims of other engines: every lawful way agrees, and whatever no choice explains is found."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import xor
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numba.core import config

from bulk import random_choices
from headjudge import Boards, claims, cli, generate, playing, settle, verify
from headjudge.errors import DataError
from headjudge.io.scenarios import reads
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import TABLES
from headjudge.pipeline import in_parallel
from headjudge.playing import Way, choosing, play
from headjudge.spans import go_on
from headjudge.verifying import VERDICTS, Nearest, Verification, play_every_way
from wild_boards import wild_boards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

COUNT = 20 if config.DISABLE_JIT else 400
PROFILES = ["midgame", "dense", "effects", "tangled"]


def settled(boards: Boards, choices: Any = None) -> tuple[Boards, Boards]:
    """Settle boards; those that were, before and after, with one lexicon."""
    resolution = settle(boards, choices)
    assert resolution.after is not None
    rows = [i for i, word in enumerate(resolution.results["status"].to_pylist()) if word == "settled"]
    both = Boards.concat((boards[rows], resolution.after[rows]))
    return both[: len(rows)], both[len(rows) :]


def one(given: str) -> Boards:
    (scenario,) = reads(f"- given: {given}")
    return scenario.boards


def findings(verification: Verification) -> list[dict[str, Any]]:
    return [row for row in verification.verdicts.to_pylist() if row["verdict"] != "agree"]


@pytest.mark.parametrize("profile", PROFILES)
def test_the_default_outcome_agrees(profile: str) -> None:
    before, after = settled(generate(COUNT, 11, profile))
    verification = verify(before, after)
    assert findings(verification) == []
    assert verification.counts == {"agree": len(before), "disagree": 0, "rejected": 0}
    assert verification.verdicts.schema == VERDICTS
    assert verification.verdicts["state_id"].to_pylist() == before.states.state_id.tolist()


@pytest.mark.parametrize("profile", PROFILES)
def test_any_lawful_choices_agree(profile: str) -> None:
    boards = generate(COUNT, 12, profile)
    before, after = settled(boards, random_choices(boards, 12))
    assert findings(verify(before, after)) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_check_by_check_every_board_comes_to_its_end(profile: str) -> None:
    """The way that a search takes, a check at a time, ends where settling ends."""
    before, after = settled(generate(COUNT, 13, profile))
    claim = claims.of_boards(before, after, claims.checked_fields(None))
    nearest = Nearest(before, claim, by_procedure=False, one_pass=False)
    every = list(range(len(before)))
    unfinished = play_every_way(before, b.SETTLE, False, every, nearest)
    assert [state for state in every if not nearest.agrees(state) and state not in unfinished] == []
    assert len(unfinished) <= len(before) // 20


@pytest.mark.parametrize("boards", [wild_boards(14, COUNT), generate(COUNT, 14, "tangled")], ids=["wild", "tangled"])
def test_check_by_check_every_board_is_left_as_it_is(boards: Boards) -> None:
    """What the next check has to know is on the boards between checks, the clocks of worlds among it (CR 704.5k)."""
    resolution = settle(boards)
    assert resolution.after is not None
    few = [i for i, result in enumerate(resolution.results.to_pylist()) if result["status"] == "settled"]
    played, after = boards[few], resolution.after[few]
    for _ in range(max(resolution.results["passes"].to_pylist()) + 1):  # the last one finds nothing
        played = play(played, passes=1, tells_offers=False).boards
    ends, expected = ([Way(i, which, i).stand() for i in range(len(few))] for which in (played, after))
    assert [i for i in range(len(few)) if ends[i] != expected[i]] == []


@pytest.mark.parametrize("do", ["end_turn", "end_combat_phase", "cleanup"])
def test_check_by_check_every_procedure_comes_to_its_end(do: str) -> None:
    boards = generate(COUNT, 15, "procedures")
    if do == "end_combat_phase":  # outside of combat it does nothing, and is not played check by check
        boards = boards[np.flatnonzero(b.COMBAT_STEPS >> boards.states.step.astype(np.int64) & 1)]
    resolution = settle(boards, do=do)
    assert resolution.after is not None
    results = resolution.results.to_pylist()
    rows = [
        i
        for i, result in enumerate(results)
        if result["status"] == "settled" and (result["passes"] or result["outcome"] == "ongoing")  # not given as over
    ]
    both = Boards.concat((boards[rows], resolution.after[rows]))
    before, after = both[: len(rows)], both[len(rows) :]
    told = {
        i: {name: results[row][name] for name in ("next_step", "players_get_priority")} for i, row in enumerate(rows)
    }
    claim = replace(claims.of_boards(before, after, claims.checked_fields(None)), games=told)
    nearest = Nearest(before, claim, by_procedure=True, one_pass=False)
    every = list(range(len(before)))
    unfinished = play_every_way(before, v.PROCEDURES.index(do), False, every, nearest)
    assert [state for state in every if not nearest.agrees(state) and state not in unfinished] == []
    assert len(every) > len(boards) // 2
    assert len(unfinished) <= len(before) // 20


def test_boards_that_cannot_be_judged_are_rejected() -> None:
    """Which zone a merged token and its card go to is no one answer: no claim about it can be judged."""
    boards = one(
        """
      objects:
        m: {controller: 0, name: T, kind: token, types: [creature], toughness: 1, damage: 1,
            components: [{name: T, kind: token}, {name: B}]}
        r: {controller: 0, types: [enchantment]}
      effects: [{source: r, affects: {player: any}, rule: graveyard_to_exile, cards_only: true}]
    """.replace("\n", "\n  ")
    )
    (row,) = verify(boards, boards).verdicts.to_pylist()
    assert row["verdict"] == "rejected"
    assert row["reason"].endswith("its cards and tokens go to different zones, which one row cannot say")


#: For each field a column in which it shows, and another value there.
OBJECT_CHANGES: dict[str, tuple[str, Any]] = {
    "zone": ("zone", lambda value: b.EXILE if value != b.EXILE else b.GRAVEYARD),
    "controller": ("controller", lambda value: 1 - min(value, 1)),
    "attached_to": ("attached_to", lambda value: -1 if value != -1 else -2),
    "damage": ("damage", lambda value: value + 1),
    "attacking": ("attacking", lambda value: -1 if value != -1 else -2),
    "protector": ("protector", lambda value: 1 - min(max(value, 0), 1)),
    "sector": ("sector", lambda value: 0 if value != 0 else 1),
    "regeneration": ("regeneration", lambda value: value + 1),
} | {
    name: ("flags", partial(xor, v.bit(v.OBJECT_FLAGS, name)))
    for name in ("tapped", "blocking", "deathtouch_damage", "face_up", "bestowed")
}  # fmt: skip
COUNTER_CHANGES: dict[str, tuple[str, Any]] = {
    name: (name, lambda value: value + 2 if value < v.LARGEST - 2 else value - 2) for name in v.COUNTER_COLUMNS
}
PLAYER_CHANGES: dict[str, tuple[str, Any]] = {
    "life": ("life", lambda value: value + 1),
    "poison": ("poison", lambda value: value - 1 if value else 1),
    "speed": ("speed", lambda value: value + 1 if value < 4 else 1),
} | {
    name: ("flags", partial(xor, v.bit(v.PLAYER_FLAGS, name)))
    for name in ("in_game", "drew_from_empty", *v.DESIGNATIONS)
}  # fmt: skip
CHANGES = [
    *(("objects", field, *change) for field, change in OBJECT_CHANGES.items()),
    *(("objects", "counters", *change) for change in COUNTER_CHANGES.values()),
    *(("players", "lost" if name == "in_game" else "designations" if name in v.DESIGNATIONS else name, *change)
      for name, change in PLAYER_CHANGES.items()),
]  # fmt: skip


def test_there_is_a_change_of_every_field() -> None:
    assert {field for _, field, _, _ in CHANGES} == {*claims.OBJECT_FIELDS, *claims.PLAYER_FIELDS}


@pytest.mark.parametrize(("table", "field", "column", "other"), CHANGES)
@pytest.mark.parametrize("profile", ["midgame", "dense", "effects"])
def test_a_change_that_no_choice_explains_is_found(
    profile: str, table: str, field: str, column: str, other: Callable[[Any], Any]
) -> None:
    boards = generate(COUNT, 14, profile)
    free = np.delete(np.arange(len(boards)), choosing(play(boards).offers))
    before, after = settled(boards[free[np.diff(boards.players_start)[free] > 1]])
    rows, start = after.table(table)
    values = getattr(rows, column).copy()
    draw = np.random.default_rng(5)
    changed = {}
    for state in range(len(after)):
        some = np.arange(start[state], start[state + 1])
        if table == "objects":
            some = some[rows.zone[some] != b.NOWHERE]
        if field == "controller":
            some = some[rows.zone[some] == b.STACK]  # effects control permanents
        if len(some):
            row = int(draw.choice(some))
            values[row] = other(int(values[row]))
            id_ = after.objects.object_id[row] if table == "objects" else row - start[state]
            changed[int(after.states.state_id[state])] = int(id_)
    claimed = Boards.of(
        after.states,
        {name: after.table(name) for name in TABLES} | {table: (rows._replace(**{column: values}), start)},
        after.lexicon,
    )
    found = findings(verify(before, claimed))
    name = "object_id" if table == "objects" else "seat"
    assert {row["state_id"]: row[name] for row in found} == changed
    assert {row["field"] for row in found} == {field}
    assert {row["verdict"] for row in found} == {"disagree"}


LEGENDS = """{objects: {
    a: {name: Thalia, controller: 0, types: [creature], supertypes: [legendary], power: 2, toughness: 1},
    c: {name: Thalia, controller: 0, types: [creature], supertypes: [legendary], power: 2, toughness: 1},
    d: {name: Thalia, controller: 0, types: [creature], supertypes: [legendary], power: 2, toughness: 1, damage: 1}}}"""


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_any_legend_may_be_kept_a_dying_one_too(kept: int) -> None:
    before = one(LEGENDS)
    zones = np.full(3, b.GRAVEYARD, np.uint8)
    zones[kept] = b.GRAVEYARD if kept == 2 else b.BATTLEFIELD
    damage = np.zeros(3, np.int32)
    claimed = before[[0]]
    claimed.objects.zone[:], claimed.objects.damage[:] = zones, damage
    assert findings(verify(before, claimed)) == []


def test_no_choice_keeps_two() -> None:
    before = one(LEGENDS)
    claimed = before[[0]]
    claimed.objects.zone[2], claimed.objects.damage[2] = b.GRAVEYARD, 0
    (row,) = findings(verify(before, claimed))
    assert (row["kind"], row["rule"], row["field"], row["claimed"]) == ("missed", "legend_rule", "zone", "battlefield")


def test_a_choice_may_be_made_differently_in_the_next_pass() -> None:
    """`a` is kept from `c`, then comes under the control of `d`'s controller, where `d` is kept from it."""
    before = one("""{players: [{}, {}, {}], objects: {
        a: {name: Thalia, controller: 0, types: [creature], supertypes: [legendary], power: 2, toughness: 3},
        c: {name: Thalia, controller: 1, types: [creature], supertypes: [legendary], power: 2, toughness: 3},
        d: {name: Thalia, controller: 0, types: [creature], supertypes: [legendary], power: 2, toughness: 3},
        thief: {controller: 1, types: [creature], power: 1, toughness: 1, damage: 1}},
      effects: [{source: thief, affects: [a], control: you}]}""")
    for left in (0, 2):
        claimed = before[[0]]
        zones = claimed.objects.zone
        zones[:] = b.GRAVEYARD
        zones[left] = b.BATTLEFIELD
        claimed.objects.damage[:] = 0
        # In the first pass `a` is player 1's and kept there; then it goes home.
        assert findings(verify(before, claimed, fields=["zone"])) == []
    claimed.objects.zone[:] = (b.BATTLEFIELD, b.GRAVEYARD, b.BATTLEFIELD, b.GRAVEYARD)
    assert [row["kind"] for row in findings(verify(before, claimed, fields=["zone"]))] == ["missed"]


def test_one_pass() -> None:
    before = one("""{objects: {
        bear: {controller: 0, types: [creature], power: 2, toughness: 2, damage: 2},
        aura: {controller: 0, types: [enchantment], subtypes: [aura], enchant: {types: [creature]},
               attached_to: bear}}}""")
    claimed = before[[0]]
    claimed.objects.zone[0], claimed.objects.damage[0] = b.GRAVEYARD, 0
    assert [row["rule"] for row in findings(verify(before, claimed, fields=["zone"]))] == ["illegal_aura"]
    assert findings(verify(before, claimed, fields=["zone"], one_pass=True)) == []
    claimed.objects.zone[1] = b.GRAVEYARD
    (row,) = findings(verify(before, claimed, fields=["zone"], one_pass=True))
    assert (row["kind"], row["rule"], row["expected"]) == ("spurious", None, "battlefield")


def test_only_what_is_reported_is_judged() -> None:
    before = one("{objects: {a: {controller: 0, types: [creature], power: 1, toughness: 3, deathtouch_damage: true}}}")
    claimed = before[[0]]
    assert {row["rule"] for row in findings(verify(before, claimed))} == {"deathtouch_damage"}
    claimed.objects.zone[:] = b.GRAVEYARD
    assert [row["field"] for row in findings(verify(before, claimed))] == ["deathtouch_damage"]
    verification = verify(before, claimed, fields=["zone", "lost"])
    assert findings(verification) == []
    assert verification.fields == ("zone", "lost")


def test_objects_are_matched_by_id() -> None:
    before = one("""{objects: {
        bear: {controller: 0, types: [creature], power: 2, toughness: 2},
        token: {controller: 0, kind: token, types: [creature], power: 1, toughness: 1, zone: graveyard},
        aura: {controller: 0, types: [enchantment], subtypes: [aura], enchant: {types: [creature]},
               attached_to: bear, counters: {odd: 2}}}}""")
    after = settle(before).after
    assert after is not None
    ids = after.objects.object_id[[2, 0]].tolist()
    claimed = Boards.from_arrow(
        {
            "states": after.to_arrow()["states"],
            "players": after.to_arrow()["players"],
            "objects": after.to_arrow()["objects"].take(pa.array([2, 0])),
            "counters": after.to_arrow()["counters"],
        }
    )
    assert claimed.objects.object_id.tolist() == ids
    assert findings(verify(before, claimed)) == []
    claimed.counters.count[:] = 3
    (row,) = findings(verify(before, claimed))
    assert (row["object_id"], row["field"], row["expected"], row["claimed"]) == (ids[0], "counters", "odd: 2", "odd: 3")
    claimed.objects.object_id[0] = 99
    (row,) = findings(verify(before, claimed))
    assert row["verdict"] == "rejected"
    assert "object_id 99, which is not on the board" in row["reason"]


def test_what_cannot_be_judged_is_rejected() -> None:
    before = generate(3, 1, "midgame")
    claimed = before[np.arange(3)]
    before.objects.damage[0] = -1
    claimed.objects.attached_to[claimed.objects_start[1]] = 500
    rows = {row["state_id"]: row for row in findings(verify(before, claimed))}
    assert rows[0]["reason"].startswith("objects row 0 of state_id 0")
    assert rows[1]["reason"].startswith("claimed: objects row 0 of state_id 1")
    loop = one("""{objects: {mirror: {controller: 0, types: [artifact]}}, players: [{life: 0}, {}],
        effects: [{source: mirror, affects: {player: you}, rule: instead_of_losing, life: 0}]}""")
    (row,) = findings(verify(loop, loop[[0]]))
    assert row["reason"] == "the actions never end (CR 732.4): a draw"


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"fields": ["tapped", "hat"]}, "fields: 'hat' is not judged"),
        ({"fields": []}, "fields: expected names of fields, found \\[]"),
        ({"fields": "zone"}, "fields: expected names of fields, found 'zone'"),
        ({"do": "dance"}, "do: expected one of settle"),
        ({"do": "end_turn", "one_pass": True}, "one_pass: expected do: settle, found end_turn"),
    ],
)
def test_wrong_calls(how: dict[str, Any], message: str) -> None:
    boards = generate(1, 1, "quiet")
    with pytest.raises(DataError, match=message):
        verify(boards, boards, **how)


def test_other_states_are_refused() -> None:
    boards = generate(3, 1, "quiet")
    with pytest.raises(DataError, match=r"expected the states before \(3\), in their order"):
        verify(boards, boards[[0, 2, 1]])


def test_the_answer_does_not_depend_on_neighbours() -> None:
    boards = generate(COUNT, 15, "dense")
    claimed = boards[np.arange(len(boards))]
    whole = verify(boards, claimed, threads=2).verdicts
    parts = [verify(boards[i : i + 7], claimed[i : i + 7], threads=1).verdicts for i in range(0, len(boards), 7)]
    assert whole.equals(pa.concat_tables(parts))


def test_the_answer_does_not_depend_on_how_many_checks_are_made_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = generate(20 if config.DISABLE_JIT else 200, 31, "dense")
    expected = verify(batch, batch)
    monkeypatch.setattr(playing, "AT_ONCE", 3)
    assert verify(batch, batch).verdicts.equals(expected.verdicts)


def test_what_nobody_waits_for_ends() -> None:
    begun = Event()

    def judge_for_ever(_: int) -> None:
        begun.set()
        while True:
            go_on()

    def parts() -> Iterator[int]:
        yield 0
        begun.wait()
        raise KeyboardInterrupt

    go_on()
    with pytest.raises(KeyboardInterrupt):
        next(in_parallel(judge_for_ever, parts(), 1))


def test_verdicts_are_written(tmp_path: Path) -> None:
    before, after = settled(generate(20, 16, "midgame"))
    verification = verify(before, after)
    verification.save(tmp_path / "out")
    back = pq.read_table(tmp_path / "out" / "verdicts")
    assert back.to_pylist() == verification.verdicts.to_pylist()
    assert repr(verification) == f"<Verification: {len(before)} agree, 0 disagree, 0 rejected>"


def test_data_sets_of_other_layouts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Parts need not be alike, columns may be left out, and a state without a claim is told."""
    boards = generate(90, 17, "midgame")
    after = settle(boards).after
    assert after is not None
    boards.save(tmp_path / "before", part_size=40)
    claimed = after[np.flatnonzero(np.arange(90) % 30 != 7)]
    claimed.save(tmp_path / "claimed", part_size=25)
    assert cli.main(["verify", *(str(tmp_path / name) for name in ("before", "claimed", "out"))]) == 0
    told = capsys.readouterr().out
    assert told.startswith("90 boards: 87 agree, 3 rejected\n")
    assert "not judged  " in told
    found = findings(Verification(pq.read_table(tmp_path / "out" / "verdicts"), (), {}))
    assert [row["state_id"] for row in found] == [7, 37, 67]
    assert {row["reason"] for row in found} == {"the claim has no such state"}


def test_a_data_set_that_disagrees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    boards = generate(30, 18, "midgame")
    boards.save(tmp_path / "before")
    assert cli.main(["verify", str(tmp_path / "before"), str(tmp_path / "before"), str(tmp_path / "out")]) == 1
    assert "missed" in capsys.readouterr().out
    boards.states.state_id[4] = 99
    boards.save(tmp_path / "foreign")
    assert cli.main(["verify", str(tmp_path / "before"), str(tmp_path / "foreign"), str(tmp_path / "o")]) == 2
    assert "state_id 99 is not in" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_what_cannot_be_read_is_rejected_in_words_of_another_lexicon_too() -> None:
    given = "{objects: {a: {controller: 0, counters: {odd: 1}}}}"
    before, claimed = one(given), one(given)
    claimed.counters.kind[:] = 500
    (row,) = findings(verify(before, claimed))
    assert row["verdict"] == "rejected"
    assert row["reason"].startswith("claimed: counters row 0 of state_id 0")


def test_who_left_before_the_game_ended_has_no_control_on_either_side() -> None:
    """CR 800.4a: player 0 had left; the game then ends, and the creature stays player 2's."""
    before = one("""{players: [{life: 20, in_game: false}, {life: 0}, {}], objects: {
        bear: {controller: 2, types: [creature], power: 2, toughness: 2}},
      effects: [{affects: [bear], controller: 0, control: you}]}""")
    after = settle(before).after
    assert after is not None
    assert findings(verify(before, after)) == []
