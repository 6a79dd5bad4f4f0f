"""Fuzzing and shrinking, with an engine that is headjudge itself but for a planted bug."""

from __future__ import annotations

import json
from collections import Counter
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import headjudge
from headjudge import Boards, DataError, claims
from headjudge.engines.protocol import Answer, Failure
from headjudge.fuzz_report import FAILURES, SCENARIOS, SUMMARY, scenario_of
from headjudge.fuzzing import STATE_FILE, Options, from_plain, fuzz, plain
from headjudge.io.board_records import BoardRecord, boards_of, record_of
from headjudge.io.scenarios import dumps, read, reads
from headjudge.kernels import vocabulary as v
from headjudge.questioning import Group, shows
from headjudge.record_edits import without_objects, without_players
from headjudge.scenario_runner import run_files
from headjudge.shrinking import shrink

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

PLANTED = Group("missed", "lethal_damage", "zone")
#: Of an engine that crashes: nothing that a file could hold, and no end.
WORDS = "it is 77\x00\ud800" + 10_000 * "!"

pytestmark = pytest.mark.compiled


class Planted:
    """Right about everything, but that red creatures survive lethal damage; and it crashes on board 77."""

    name = "planted"
    fields = frozenset((*claims.OBJECT_FIELDS, *claims.PLAYER_FIELDS))
    one_pass = False

    def strip(self, record: BoardRecord) -> tuple[BoardRecord | None, Counter[str]]:
        return (record, Counter()) if len(record.players) > 1 else (None, Counter({"a lonely player": 1}))

    def check(self, boards: Boards, records: Sequence[BoardRecord] | None = None) -> Answer:
        fails = [row for row, state_id in enumerate(boards.states.state_id.tolist()) if state_id == 77]
        rows = np.array([row for row in range(len(boards)) if row not in fails], np.int64)
        asked = boards[rows]
        resolution = headjudge.settle(asked)
        assert resolution.after is not None
        records = [record_of(resolution.after, row) for row in range(len(asked))]
        row_of = {state_id: row for row, state_id in enumerate(asked.states.state_id.tolist())}
        for action in resolution.actions.to_pylist():
            if action["rule"] != "lethal_damage" or action["replaced_by"]:
                continue
            row = row_of[action["state_id"]]
            ids = asked.objects.object_id[asked.objects_start[row] : asked.objects_start[row + 1]].tolist()
            at = ids.index(action["object_id"])
            before = record_of(asked, row).objects[at]
            if "red" in before["colors"]:
                records[row].objects[at] = {**before, "mana_value": 99}  # nothing is judged by that
        claimed = [boards_of(r, int(i)) for r, i in zip(records, asked.states.state_id, strict=True)]
        return Answer(rows, Boards.concat(claimed), tuple(Failure(row, "crash", WORDS) for row in fails))

    def close(self) -> None:
        pass

    def __enter__(self) -> Planted:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


OPTIONS = Options("planted", 240, seed=2, profiles=("midgame",), batch=80)


def contents(folder: Path) -> dict[str, Any]:
    texts = {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in folder.rglob("*.*ml")}
    texts[SUMMARY] = (folder / SUMMARY).read_text(encoding="utf-8")
    return texts | {"verdicts": pq.read_table(folder / "verdicts").to_pylist()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "run"
    fuzz(Planted(), OPTIONS, folder)
    return folder


def test_planted_bug_is_found_and_shrunk(finished: Path) -> None:
    (scenario,) = read(finished / SCENARIOS / f"{PLANTED.slug}.yaml")
    record = record_of(scenario.boards)
    assert len(record.objects) == 1
    (creature,) = record.objects
    assert creature["types"] == ("creature",)
    assert creature["colors"] == ("red",)
    assert (creature["toughness"], creature["damage"]) == (1, 1)
    assert creature["power"] is None
    assert creature["counters"] == ()
    assert len(record.players) == 2
    assert all(p["life"] == 20 for p in record.players)


def test_what_was_found_is_a_scenario_that_holds(finished: Path) -> None:
    out = StringIO()
    tally = run_files(sorted((finished / SCENARIOS).glob("*.yaml")), out)
    assert tally.failed == 0, out.getvalue()
    assert tally.passed > 0


class Lazy(Planted):
    """Says of every board that nothing happens."""

    def check(self, boards: Boards, records: Sequence[BoardRecord] | None = None) -> Answer:
        return Answer(np.arange(len(boards)), boards, ())


def test_controllers_in_claims_are_those_after_all_effects(tmp_path: Path) -> None:
    (board,) = reads("""
- given:
    objects:
      bear: {controller: 1, types: [creature], toughness: 1}
      charm: {controller: 0, types: [enchantment], attached_to: bear}
    effects: [{source: charm, affects: host, control: you}]
""")
    given = plain(record_of(board.boards))
    scenario = scenario_of(Lazy(), Group("missed", None, "controller"), given, 1)
    assert scenario is not None
    assert scenario.claim is not None
    assert scenario.claim["objects"][scenario.handles[0]]["controller"] == 0
    (tmp_path / "found.yaml").write_text(dumps([scenario]), encoding="utf-8")
    assert run_files([tmp_path / "found.yaml"], StringIO()).failed == 0


def test_summary_and_verdicts_say_the_same(finished: Path) -> None:
    verdicts = pq.read_table(finished / "verdicts")
    found = Counter(dict(zip(*(verdicts[c].to_pylist() for c in ("state_id", "verdict")), strict=True)).values())
    summary = (finished / SUMMARY).read_text(encoding="utf-8")
    assert f"agree {found['agree']}, disagree {found['disagree']}" in summary
    assert str(PLANTED) in summary
    assert "crash 1" in summary
    assert len(summary.splitlines()) < 45
    (failure,) = read(finished / FAILURES)
    assert failure.id == "state-77"
    assert failure.title is not None
    assert failure.title.startswith("crash: it is 77")
    assert len(failure.title) < 1000


def test_same_seed_finds_the_same(finished: Path, tmp_path: Path) -> None:
    fuzz(Planted(), OPTIONS, tmp_path / "again", threads=1)
    assert contents(tmp_path / "again") == contents(finished)


@pytest.mark.parametrize("after", [1, 2])
def test_interrupted_runs_go_on(finished: Path, tmp_path: Path, after: int) -> None:
    told: list[int] = []

    def interrupt(boards: int) -> None:
        told.append(boards)
        if len(told) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fuzz(Planted(), OPTIONS, tmp_path / "run", tell=interrupt)
    assert json.loads((tmp_path / "run" / STATE_FILE).read_text(encoding="utf-8"))["batches"] == after
    told.clear()
    fuzz(Planted(), OPTIONS, tmp_path / "run", tell=told.append)
    assert told[0] == 80 * after
    assert contents(tmp_path / "run") == contents(finished)


def test_other_options_or_other_files_are_refused(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"expected the options of the run in it \(seed: 2\), found 3"):
        fuzz(Planted(), Options("planted", 240, seed=3, profiles=("midgame",), batch=80), finished)
    (tmp_path / "letter.txt").write_text("hello", encoding="utf-8")
    with pytest.raises(DataError, match="found files"):
        fuzz(Planted(), OPTIONS, tmp_path)


def test_shrinking_leaves_nothing_that_can_go() -> None:
    engine = Planted()
    batch = headjudge.generate(60, 5, "midgame")
    records = [record_of(batch, row) for row in range(len(batch))]
    record = next(r for r, shown in zip(records, shows(engine, records, PLANTED), strict=True) if shown)
    small = shrink(record, lambda some: shows(engine, some, PLANTED))
    assert small == shrink(record, lambda some: shows(engine, some, PLANTED))
    assert len(small.objects) == 1
    assert plain(small) == plain(from_plain(json.loads(json.dumps(plain(small)))))


@pytest.mark.parametrize("profile", ["dense", "tangled"])
def test_every_field_is_reset(profile: str) -> None:
    batch = headjudge.generate(30, 4, profile)
    records = [record_of(batch, row) for row in range(len(batch))]
    for record in [r for r in records if len(r.objects) > 1 and r.effects][:5]:
        small = shrunk(plain(record), lambda r: len(r.objects) > 1 and len(r.effects) > 0 and len(r.players) > 1)
        (effect,) = small.pop("effects")
        assert small == {"objects": {"0": {"controller": 0}, "1": {"controller": 0}}}
        needed = {"affects", *(["source"] if effect["affects"] in ("self", "host") else [])}
        assert len(effect.keys() - needed - {"life"}) == 1, "one thing that it does"


def shrunk(given: dict[str, Any], holds: Callable[[BoardRecord], bool]) -> dict[str, Any]:
    return plain(shrink(from_plain(given), lambda records: [holds(record) for record in records]))


def test_what_is_needed_stays() -> None:
    bear = {"controller": 1, "types": ["creature"], "timestamp": 9, "world_since": 2, "counters": {"charge": 4}}
    given = {"objects": {"a": {"name": "Bear", **bear}, "b": {"name": "Bear", **bear, "timestamp": 8}}}

    def named_alike(record: BoardRecord) -> bool:
        return len(record.objects) > 1 and len({o["name"] or row for row, o in enumerate(record.objects)}) == 1

    assert shrunk(given, named_alike)["objects"]["1"] == {"name": "Bear", "controller": 0}
    older = shrunk(given, lambda r: len(r.objects) > 1 and r.objects[1]["timestamp"] < r.objects[0]["timestamp"])
    assert older == {"objects": {"0": {"controller": 0, "timestamp": 2}, "1": {"controller": 0}}}
    charged = shrunk(given, lambda r: any(dict(o["counters"]).get("charge", 0) > 1 for o in r.objects))
    assert charged == {"objects": {"0": {"controller": 0, "counters": {"charge": 2}}}}


def test_fields_that_hang_together_are_reset_together() -> None:
    given = {"players": [{"team": 1, "drew_from_empty": True}, {"team": 0}]}
    assert shrunk(given, lambda r: r.players[0]["team"] != r.players[1]["team"]) == {}


@pytest.mark.parametrize(("life", "least", "good"), [(19_999, 77, range(77, 20_000)), (1, 0, range(2))])
def test_numbers_are_lowered_in_few_steps(life: int, least: int, good: range) -> None:
    steps = 0

    def holds(records: Sequence[BoardRecord]) -> list[bool]:
        nonlocal steps
        steps += 1
        return [record.players[0]["life"] in good and record.players[0]["life"] != 20 for record in records]

    assert shrink(from_plain({"players": [{"life": life}, {}]}), holds).players[0]["life"] == least
    assert steps < 40


@pytest.mark.parametrize("profile", ["dense", "tangled"])
def test_boards_with_something_taken_away_are_boards(profile: str) -> None:
    batch = headjudge.generate(40, 9, profile)
    numbers = np.random.default_rng(1)
    for row in range(len(batch)):
        record = record_of(batch, row)
        dropped = [i for i in range(len(record.objects)) if numbers.random() < 0.4]
        fewer = without_objects(record, dropped)
        assert len(fewer.objects) == len(record.objects) - len(dropped)
        if len(record.players) > 2 and not record.state["variant"]:
            fewer = without_players(fewer, [1])
            assert len(fewer.players) == len(record.players) - 1
        (result,) = headjudge.settle(boards_of(fewer)).results.to_pylist()
        assert result["status"] in v.STATUSES
        assert result["status"] != "rejected", result["reason"]
