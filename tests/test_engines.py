"""Other engines: the adapter for any command with good and bad programs, and the real engines on random boards."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import headjudge
from headjudge import Boards, DataError
from headjudge.boards import Boards as Batch
from headjudge.engines import Engine, expressible, open_engine
from headjudge.engines.command import CommandEngine
from headjudge.fuzzing import expressed
from headjudge.io.board_records import boards_of, record_of
from headjudge.io.scenarios import reads
from headjudge.questioning import Group, question

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
EXAMPLE = re.search(
    r"^```py\n(.*?)^```", (ROOT / "docs/engines.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)
#: Reads and answers line by line; what it does with a board is filled in.
LINES = """
import json, os, signal, sys, time
for line in sys.stdin:
    board = json.loads(line)
    answer = {{"state_id": board["state_id"]}}
    odd = board["state_id"] % 4 == 1
    {body}
    print(json.dumps(answer), flush=True)
"""

pytestmark = pytest.mark.compiled


def boards(count: int = 8) -> Boards:
    """A dying bear, a healthy one, and so on in turn."""
    text = "".join(
        f"""
- id: board-{i}
  given:
    objects:
      bear: {{name: Bear, controller: 0, types: [creature], power: 2, toughness: 2, damage: {2 if i % 2 else 1}}}
"""
        for i in range(count)
    )
    return Batch.concat([scenario.boards for scenario in reads(text)])


def program(tmp_path: Path, body: str) -> list[str]:
    path = tmp_path / "engine.py"
    path.write_text(LINES.format(body=body), encoding="utf-8")
    return [sys.executable, str(path)]


def test_example_of_the_docs_knows_lethal_damage(tmp_path: Path) -> None:
    assert EXAMPLE is not None
    path = tmp_path / "engine.py"
    path.write_text(EXAMPLE[1], encoding="utf-8")
    with CommandEngine([sys.executable, str(path)]) as engine:
        questioned = question(engine, boards())
    assert questioned.verdicts["verdict"].to_pylist() == ["agree"] * 8
    assert questioned.answer.failures == ()


def test_what_an_engine_misses_is_found(tmp_path: Path) -> None:
    with CommandEngine(program(tmp_path, "pass")) as engine:
        questioned = question(engine, boards())
    assert sorted(questioned.groups) == [1, 3, 5, 7]
    assert set(questioned.groups[1]) == {Group("missed", "lethal_damage", "zone")}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("odd and os.kill(os.getpid(), signal.SIGSEGV)", "crash"),
        ("odd and sys.exit('no')", "crash"),
        ("odd and time.sleep(60)", "time_limit"),
        ("answer = 'nonsense' if odd else answer", "garbage"),
        ("answer = {**answer, 'objects': {'7': {}}} if odd else answer", "garbage"),
        ("answer = {**answer, 'objects': {'0': {'zone': 'nowhere'}}} if odd else answer", "garbage"),
        ("answer = {**answer, 'players': {'0': {'life': 'many'}}} if odd else answer", "garbage"),
        ("answer = {**answer, 'error': 'too hard'} if odd else answer", "error"),
        ("answer = {**answer, 'error': '\\ud800'} if odd else answer", "garbage"),
        ("answer = {**answer, 'objects': {'0': {'name': '\\ud800'}}} if odd else answer", "garbage"),
        ("answer = {**answer, 'objects': {'0': {'counters': {'\\ud800': 1}}}} if odd else answer", "garbage"),
        (
            "answer = {**answer, 'objects': {'0': {'enchant': json.loads(60 * '[' + 60 * ']')}}} if odd else answer",
            "garbage",
        ),
        ("if odd: print('{\"objects\": ' + 100_000 * '[' + 100_000 * ']' + '}'); continue", "garbage"),
        ('if odd: print(f\'{{"state_id": {board["state_id"]}, "lost": [], "lost": [0]}}\'); continue', "garbage"),
        ('if odd: print(f\'{{"state_id": {board["state_id"]}, "lost": [{5_000 * "9"}]}}\'); continue', "garbage"),
        ("answer = {'state_id': True} if odd else answer", "garbage"),
        ("answer = {**answer, 'players': {5_000 * '9': {}}} if odd else answer", "garbage"),
        ("answer = {**answer, 'players': {'0': {'life': 10**30}}} if odd else answer", "garbage"),
        ("answer = {**answer, 'players': {'0': {'life': 3.5}}} if odd else answer", "garbage"),
        ("answer = {**answer, 'players': {'0': {'life': float('nan')}}} if odd else answer", "garbage"),
        ("answer = {**answer, 'players': {'0': {'life': float('inf')}}} if odd else answer", "garbage"),
    ],
)
def test_failures_are_kept_with_their_boards(tmp_path: Path, body: str, kind: str) -> None:
    with CommandEngine(program(tmp_path, body), limit=5 if kind == "time_limit" else 60) as engine:
        answer = engine.check(boards())
    assert [(failure.row, failure.kind) for failure in answer.failures] == [(1, kind), (5, kind)]
    assert answer.rows.tolist() == [0, 2, 3, 4, 6, 7]
    assert len(answer.claimed) == 6


def test_what_has_no_name_is_not_on_offer(tmp_path: Path) -> None:
    bear = "objects: {a: {controller: 0, types: [creature], toughness: 1}}"
    (scenario,) = reads(f"- {{id: nameless, given: {{{bear}}}}}")
    with CommandEngine(program(tmp_path, "answer['not_offered'] = ['0']")) as engine:
        questioned = question(engine, scenario.boards)
    assert questioned.groups == {}
    assert questioned.answer.failures == ()


def test_whole_numbers_may_have_a_point(tmp_path: Path) -> None:
    with CommandEngine(program(tmp_path, "answer['players'] = {'1': {'life': 3.0}}")) as engine:
        answer = engine.check(boards(2))
    assert answer.failures == ()
    assert answer.claimed.players.life.tolist() == [20, 3, 20, 3]


def test_who_answers_at_the_end_is_asked_for_halves(tmp_path: Path) -> None:
    path = tmp_path / "engine.py"
    body = "import json, sys\nboards = [json.loads(line) for line in sys.stdin]\n"
    body += "assert all(board['state_id'] != 5 for board in boards)\n"
    body += "for board in boards: print(json.dumps({'state_id': board['state_id']}))\n"
    path.write_text(body, encoding="utf-8")
    with CommandEngine([sys.executable, str(path)], limit=20) as engine:
        answer = engine.check(boards())
    assert [(failure.row, failure.kind) for failure in answer.failures] == [(5, "crash")]
    assert "AssertionError" in answer.failures[0].detail


def test_who_ends_well_before_all_is_answered_is_asked_again(tmp_path: Path) -> None:
    with CommandEngine(program(tmp_path, "odd and sys.exit(0)")) as engine:
        answer = engine.check(boards())
    assert [(failure.row, failure.kind, failure.detail) for failure in answer.failures] == [
        (1, "garbage", "no answer"), (5, "garbage", "no answer")
    ]  # fmt: skip
    assert answer.rows.tolist() == [0, 2, 3, 4, 6, 7]


def test_who_leaves_boards_out_is_not_asked_for_each(tmp_path: Path) -> None:
    body = f"if odd: continue\n    open({str(tmp_path / 'started')!r}, 'a').write(str(os.getpid()) + ' ')"
    with CommandEngine(program(tmp_path, body)) as engine:
        answer = engine.check(boards(8))
    assert [failure.row for failure in answer.failures] == [1, 5]
    assert len(set((tmp_path / "started").read_text(encoding="utf-8").split())) == 1


@pytest.mark.skipif(os.name == "nt", reason="processes have no groups")
def test_nothing_is_left_of_an_engine_that_hangs(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    hangs = f"sleep 600 & echo $! > {pid}; wait; : {{boards}} {{answer}}"
    with CommandEngine(["sh", "-c", hangs], limit=1) as engine:
        assert [failure.kind for failure in engine.check(boards(1)).failures] == ["time_limit"]
    assert is_gone(pid)


def is_gone(pid: Path) -> bool:
    """Whether the process whose number stands in a file has ended."""
    state = Path("/proc", pid.read_text(encoding="utf-8").strip(), "stat")
    return not state.exists() or state.read_text(encoding="utf-8").split()[2] == "Z"


@pytest.mark.skipif(os.name == "nt", reason="processes have no groups")
def test_nothing_is_left_of_an_engine_after_sigterm(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    command = f"sh -c 'echo $$ > {pid}; exec sleep 600'"
    words = ["fuzz", "--engine", "command", "--command", command, "--states", "2", "-o", str(tmp_path / "out")]
    with subprocess.Popen([sys.executable, "-m", "headjudge", *words], stderr=subprocess.PIPE, text=True) as run:
        deadline = time.monotonic() + 300
        while not (pid.exists() and pid.read_text(encoding="utf-8")) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)  # until it is waited for
        run.terminate()
        _, words_left = run.communicate()
    assert run.returncode == 130
    assert words_left.endswith("headjudge: interrupted\n")  # and of nothing that goes on, for nothing was done
    assert is_gone(pid)


def test_data_sets_go_out_and_come_back(tmp_path: Path) -> None:
    copy = "import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2])"
    with CommandEngine([sys.executable, "-c", copy, "{boards}", "{answer}"]) as engine:
        questioned = question(engine, boards())
    assert sorted(questioned.groups) == [1, 3, 5, 7]
    with CommandEngine([sys.executable, "-c", "pass", "{boards}", "{answer}"]) as engine:
        assert [failure.kind for failure in engine.check(boards(2)).failures] == ["garbage", "garbage"]
    dies = r"import sys; sys.stderr.buffer.write(b'\xff'); raise SystemExit(3)"
    with CommandEngine([sys.executable, "-c", dies, "{boards}", "{answer}"]) as engine:
        assert {failure.kind for failure in engine.check(boards(2)).failures} == {"crash"}


def test_calls_that_cannot_work() -> None:
    with pytest.raises(DataError, match="expected one of phase, mtg, command, found 'forge'"):
        open_engine("forge")
    with pytest.raises(DataError, match="needs the command"):
        open_engine("command")
    with pytest.raises(DataError, match=r"found only \{boards\}"):
        open_engine("command", command=["x", "{boards}"])
    with CommandEngine(["/no/such/engine"]) as engine, pytest.raises(DataError, match="cannot be run"):
        engine.check(boards(1))


@pytest.fixture(params=["phase", "mtg"])
def real(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if find_spec(request.param) is None:
        pytest.skip(f"the engine {request.param} is not installed (pip install '.[engines]')")
    with open_engine(request.param) as engine:
        yield engine


def test_real_engines_answer_what_they_can_express(real: Engine) -> None:
    left_out: Counter[str] = Counter()
    given = [headjudge.generate(100, 3, profile) for profile in ("dense", "tangled")]
    asked, records = expressed(real, Batch.concat(given), left_out)
    assert len(asked) > 180, "most boards remain"
    assert len(asked.objects.zone) > 8 * len(asked), "and most of what is on them"
    mask, reasons = expressible(real, asked)
    assert mask.all(), reasons
    questioned = question(real, asked, records=records)
    assert questioned.answer.failures == ()
    verdicts = Counter(questioned.verdicts["verdict"].to_pylist())
    assert verdicts["rejected"] == 0
    assert verdicts["agree"] > 20, "or else the adapter says something wrong of every board"


PHASE_FINDINGS = {
    "a deathtouch mark outlives the check": (
        "{bear: {name: Bear, controller: 0, types: [artifact], deathtouch_damage: true}}",
        Group("missed", "deathtouch_damage", "deathtouch_damage"),
    ),
    "deathtouch damage that is not marked": (
        "{bear: {name: Bear, controller: 0, types: [creature], toughness: 2, deathtouch_damage: true}}",
        Group("missed", "deathtouch_damage", "zone"),
    ),
    "a dying legend is not offered": (
        (
            "{a: {name: A, controller: 0, types: [creature], supertypes: [legendary], toughness: 1, damage: 1},"
            " b: {name: A, controller: 0, types: [creature], supertypes: [legendary], toughness: 1}}"
        ),
        Group("missed", "legend_rule", "keep"),
    ),
}


@pytest.mark.skipif(find_spec("phase") is None, reason="phase-python is not installed: pip install '.[engines]'")
@pytest.mark.parametrize("case", PHASE_FINDINGS)
def test_phase_is_wrong_where_it_was_found_wrong(case: str) -> None:
    objects, group = PHASE_FINDINGS[case]
    (scenario,) = reads(f"- given: {{objects: {objects}}}")
    with open_engine("phase") as engine:
        assert group in question(engine, scenario.boards).groups[0]


@pytest.mark.skipif(find_spec("phase") is None, reason="phase-python is not installed: pip install '.[engines]'")
def test_phase_does_not_feel_a_lord_die_and_keeps_the_mark_of_an_empty_draw() -> None:
    text = """
- given:
    players: [{drew_from_empty: true}, {}, {}]
    objects:
      lord: {name: Lord, controller: 1, types: [creature], power: 2, toughness: 2, damage: 2}
      bear: {name: Bear, controller: 1, types: [creature], power: 2, toughness: 2, damage: 2}
    effects:
      - {source: lord, affects: {types: [creature], controller: you, other: true}, add_power: 1, add_toughness: 1}
"""
    (scenario,) = reads(text)
    with open_engine("phase") as engine:
        found = question(engine, scenario.boards).groups[0]
    assert Group("missed", "empty_draw", "drew_from_empty") in found
    assert Group("missed", "lethal_damage", "zone", later=True) in found


def test_boards_come_back_with_their_ids() -> None:
    given = headjudge.generate(5, 1, "dense", first=40)
    lazy = "import json,sys\nfor line in sys.stdin: print(json.dumps({'state_id': json.loads(line)['state_id']}))"
    with CommandEngine([sys.executable, "-c", lazy]) as engine:
        answer = engine.check(given)
    assert answer.claimed.states.state_id.tolist() == given.states.state_id.tolist()
    assert answer.claimed.objects.object_id.tolist() == given.objects.object_id.tolist()
    for row in range(5):
        assert record_of(answer.claimed, row) == record_of(given, row)
    assert len(boards_of(record_of(given, 0))) == 1
