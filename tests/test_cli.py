"""The command line: what it prints, its exit codes, and that it starts at once."""

from __future__ import annotations

import ctypes
import json
import os
import shlex
import subprocess
import sys
import time
from _thread import interrupt_main
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headjudge
from headjudge import cli
from headjudge.io.parquet import load_resolution
from headjudge.kernels.catalogue import EDITIONS, RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

SCENARIO = """
- id: bear
  given:
    objects:
      bear: {name: Bear, controller: 0, types: [creature], power: 2, toughness: 2, damage: 2}
  expect:
    passes: 1
    actions: [{lethal_damage: [bear]}]
    objects: {bear: {zone: ZONE}}
"""
COMMANDS = ("demo", "generate", "import", "settle", "verify", "fuzz", "explain", "scenarios", "export", "rules")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def data_set(here: Path) -> Path:
    """Three boards: a bear with lethal damage, a quiet one, and one that cannot be judged."""
    tables = {
        "states": pa.table({"state_id": [1, 2, 3]}),
        "players": pa.table({"state_id": [1, 1, 2, 2, 3, 3], "seat": [0, 1] * 3, "life": [20, 20, 7, 20, 1, 1]}),
        "objects": pa.table(
            {
                "state_id": [1, 2, 3],
                "object_id": [5, 5, 5],
                "name": ["Bear", "Bear", "Bear"],
                "controller": [0, 0, 9],
                "types": ["creature"] * 3,
                "power": [2, 2, 2],
                "toughness": [2, 2, 2],
                "damage": [2, 1, 0],
            }
        ),
    }
    for name, table in tables.items():
        folder = here / "boards" / name
        folder.mkdir(parents=True)
        pq.write_table(table, folder / "any.parquet")
    return here / "boards"


def fails(capsys: pytest.CaptureFixture[str], arguments: Sequence[object]) -> str:
    """Run what must fail, and return the one line that says why."""
    try:
        code = cli.main([str(argument) for argument in arguments])
    except SystemExit as error:  # argparse
        code = int(error.code or 0)
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if "compil" not in line]
    assert (code, out, len(lines)) == (2, "", 1), err
    assert lines[0].startswith("headjudge: ")
    return lines[0]


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    assert cli.main([str(argument) for argument in arguments]) == code
    return capsys.readouterr().out


def rows(boards: headjudge.Boards | None) -> dict[str, list[str]]:
    """The rows of every table; counters of an object stand in no particular order."""
    assert boards is not None
    return {name: sorted(map(str, table.to_pylist())) for name, table in boards.to_arrow().items()}


# --- starting ---


@pytest.mark.parametrize("arguments", [[], *([name] for name in COMMANDS)], ids=lambda words: "-".join(words) or "top")
def test_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main([*arguments, "--help"])
    assert capsys.readouterr().out.startswith(f"usage: headjudge {' '.join(arguments)}".rstrip())


def test_nothing_slow_is_imported_for_help() -> None:
    question = "import sys, headjudge, headjudge.cli; headjudge.cli.parser(); print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", question], check=True, capture_output=True, text=True).stdout
    assert not {"numba", "numpy", "pyarrow", "rich", "yaml"} & set(answer.split())


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])
    assert headjudge.__version__ in (out := capsys.readouterr().out)
    assert headjudge.RULES_VERSION in out


# --- the public names ---


def test_public_names_are_there_whatever_was_imported_before() -> None:
    question = "import headjudge.settling, headjudge.generating, headjudge.explain, headjudge as h; "
    question += "print([n for n in h.__all__ if not hasattr(h, n)], callable(h.settle), callable(h.generate))"
    answer = subprocess.run([sys.executable, "-c", question], check=True, capture_output=True, text=True).stdout
    assert answer.strip() == "[] True True"
    assert set(headjudge.__all__) <= set(dir(headjudge))
    with pytest.raises(AttributeError, match="no attribute 'shuffle'"):
        _ = headjudge.shuffle  # type: ignore[attr-defined]


# --- settle ---


def test_settle(capsys: pytest.CaptureFixture[str], data_set: Path) -> None:
    out = run(capsys, "settle", data_set, "out", "--after", "--threads", 1)
    assert "3 boards: 1 had something to do" in out
    assert "  status   settled 2, rejected 1\n  outcome  ongoing 2\n" in out
    assert [line.split() for line in out.splitlines() if line.startswith("lethal")] == [
        ["lethal_damage", "704.5g", "1", "sba"]
    ]
    resolution = load_resolution("out")
    assert resolution.results["status"].to_pylist() == ["settled", "settled", "rejected"]
    assert resolution.results["passes"].to_pylist() == [1, 0, 0]
    assert resolution.actions["name"].to_pylist() == ["Bear"]
    assert pq.read_table("out/after/objects")["zone"].to_pylist() == ["graveyard", "battlefield", "battlefield"]


def test_nothing_is_said_of_nothing(capsys: pytest.CaptureFixture[str], data_set: Path) -> None:
    headjudge.load(data_set)[1].save("quiet")
    headjudge.load(data_set)[:0].save("none")
    assert run(capsys, "settle", "quiet", "a") == (
        "1 board: 0 had something to do\n  status   settled 1\n  outcome  ongoing 1\n\na\n"
    )
    assert cli.main(["settle", "none", "b"]) == 0
    out, err = capsys.readouterr()
    assert out == "0 boards: 0 had something to do\n\nb\n"
    assert "a second" not in err
    assert run(capsys, "verify", "quiet", "quiet", "v").startswith("1 board: 1 agree\n")
    assert run(capsys, "verify", "none", "none", "w").startswith("0 boards\n")
    assert run(capsys, "export", "forge", "quiet", "-o", "f").endswith("\n1 file: f\n")


def test_settle_is_the_same_in_parts_and_threads(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    boards = headjudge.generate(200, seed=5, profile="dense")
    boards.save(here / "whole")
    boards.save(here / "parts", part_size=37)
    whole = headjudge.settle(boards, threads=1)
    run(capsys, "settle", "whole", "out1", "--after", "--threads", 1)
    run(capsys, "settle", "parts", "out2", "--after", "--threads", 3)
    for folder in ("out1", "out2"):
        found = load_resolution(folder)
        assert found.results.equals(whole.results)
        assert found.actions.to_pylist() == whole.actions.to_pylist()
        assert rows(found.after) == rows(whole.after)


def test_strict_stops_and_leaves_nothing(capsys: pytest.CaptureFixture[str], data_set: Path) -> None:
    assert "state_id 3" in fails(capsys, ["settle", data_set, "out", "--strict"])
    assert [path.name for path in data_set.parent.iterdir()] == ["boards"]


def test_choices(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    legends = {
        "state_id": [0, 0], "object_id": [0, 1], "name": ["Thalia"] * 2, "controller": [0, 0],
        "types": ["creature"] * 2, "supertypes": ["legendary"] * 2, "toughness": [1, 1],
    }  # fmt: skip
    tables = {"states": {"state_id": [0]}, "players": {"state_id": [0, 0], "seat": [0, 1]}, "objects": legends}
    for name, columns in tables.items():
        (here / "boards" / name).mkdir(parents=True)
        pq.write_table(pa.table(columns), here / "boards" / name / "a.parquet")

    def gone(*arguments: str) -> list[int]:
        folder = f"out{len(list(here.iterdir()))}"
        run(capsys, "settle", "boards", folder, *arguments)
        return list(load_resolution(folder).actions["object_id"].to_pylist())

    def keep(object_id: int, state_id: int = 0) -> pa.Table:
        return pa.table({"state_id": [state_id], "choice": ["keep"], "object_id": [object_id]})

    assert gone() == [0]
    pq.write_table(keep(0), "older.parquet")
    assert gone("--choices", "older.parquet") == [1]
    (here / "boards" / "choices").mkdir()
    pq.write_table(keep(0), "boards/choices/a.parquet")
    assert gone() == [1]
    pq.write_table(keep(1), "newer.parquet")
    assert gone("--choices", "newer.parquet") == [0]

    pq.write_table(keep(0, state_id=8), "stray.parquet")
    assert "stray.parquet: expected states of boards, found state_id 8" in fails(
        capsys, ["settle", "boards", "out", "--choices", "stray.parquet"]
    )
    pq.write_table(pa.table({"a": [1]}), "other.parquet")
    assert "state_id is missing" in fails(capsys, ["settle", "boards", "out", "--choices", "other.parquet"])
    assert "none.parquet" in fails(capsys, ["settle", "boards", "out", "--choices", "none.parquet"])
    pq.write_table(keep(9), "wrong.parquet")
    words = "choices, state_id 0, object_id: expected an object of the state, found 9"
    assert f"wrong.parquet: {words}" in fails(capsys, ["settle", "boards", "out", "--choices", "wrong.parquet"])
    (here / "wrong.parquet").replace("boards/choices/a.parquet")
    assert f"boards: {words}" in fails(capsys, ["settle", "boards", "out"])
    assert not (here / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["settle", "nothing", "out"], "nothing: expected the folder of a data set"),
        (["settle", "boards", "boards"], "expected nothing or an empty folder"),
        (
            ["settle", "boards", "boards/x"],
            "boards/x: expected a folder outside of data sets, found one in the data set /",
        ),
        (["settle", "boards", "boards/states/x"], "boards/states/x: expected a folder outside of data sets"),
        (["verify", "boards", "boards", "boards/v"], "boards/v: expected a folder outside of data sets"),
        (
            ["export", "forge", "boards", "-o", "boards/f", "--cards", "x"],
            "boards/f: expected a folder outside of data",
        ),
        (["generate", "boards/g", "--states", "1"], "boards/g: expected a folder outside of data sets"),
        (["fuzz", "--engine", "phase", "--states", "1", "-o", "boards/fz"], "boards/fz: expected a folder outside of"),
        (["settle", "boards"], "the following arguments are required: OUT (see headjudge settle --help)"),
        (
            ["settle", "boards", "out", "--threads", "none"],
            "--threads: expected a whole number from 1 up",
        ),
        (["generate", "out", "--states", "0"], "--states: expected a whole number from 1 up, found '0'"),
        (["generate", "out", "--states", "1", "--profile", "busy"], "profile: expected one of quiet, midgame"),
        (["generate", "out", "--states", "1", "--seed", "-1"], "seed: expected"),
        (["explain", "boards"], "boards: expected --state ID beside the folder of a data set"),
        (["explain", "boards/objects/any.parquet", "--state", "17"], "of which all are explained"),
        (["explain", "nothing", "--state", "17"], "beside --state, found nothing"),
        (["settle", "boards", "out", "--aft"], "unrecognized arguments: --aft (see headjudge settle --help)"),
        (
            ["export", "forge", "b", "-o", "f", "--all"],
            "unrecognized arguments: --all (see headjudge export forge --help)",
        ),
        (
            ["generate", "out", "--states", str(1 << 62)],
            "states: expected at most 4,611,686,018,427,387,903, found 4,6",
        ),
        (["explain", "boards", "--state", "17"], "boards: expected a state with state_id 17, found none"),
        (["explain", "nothing.yaml"], "nothing.yaml"),
        (["explain", "no\nthing.yaml"], r"no\nthing.yaml: cannot be read"),
        (["rules", "a\nb"], r"unrecognized arguments: a\nb"),
        (["scenarios", "nothing.yaml"], "nothing.yaml"),
        (["fuzz", "--engine", "forge", "--states", "1", "-o", "out"], "--engine: invalid choice: 'forge'"),
        (["fuzz", "--engine", "command", "--states", "1", "-o", "out"], "engine: `command` needs the command to run"),
        (
            ["fuzz", "--engine", "command", "--command", '"x', "--states", "1", "-o", "out"],
            "--command: expected words as a shell reads them, found '\"x' (No closing quotation)",
        ),
        *(
            (
                ["fuzz", "--engine", "phase", "--states", "1", "--limit", limit, "-o", "out"],
                "limit: expected seconds above 0",
            )
            for limit in ("0", "-1", "nan", "inf", "1e300")
        ),
        (["rules", "--format", "json", "--edition", "2026-02-27"], "--edition: expected --format text, found json"),
        (["fuzz", "--engine", "phase", "--states", "1"], "the following arguments are required: -o/--out"),
        (["rules", "--format", "pdf"], "--format: invalid choice: 'pdf'"),
        (["shuffle"], "invalid choice: 'shuffle'"),
        ([], "the following arguments are required: COMMAND"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_errors_are_one_line(
    capsys: pytest.CaptureFixture[str], data_set: Path, arguments: list[str], words: str
) -> None:
    assert words in fails(capsys, arguments)
    assert [path.name for path in data_set.parent.iterdir()] == ["boards"]
    assert sorted(path.name for path in data_set.iterdir()) == ["objects", "players", "states"]


# --- the others ---


@pytest.mark.compiled
def test_fuzz(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    lazy = "import json, sys\nfor line in sys.stdin: print(json.dumps({'state_id': json.loads(line)['state_id']}))"
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(lazy)}"
    words = ("fuzz", "--engine", "command", "--command", command, "--states", 60, "--batch", 30, "--profile", "midgame")
    out = run(capsys, *words, "-o", "run")
    assert "missed lethal_damage zone" in out
    assert "failures  none" in out
    assert run(capsys, *words, "-o", "run") == out
    assert run(capsys, "scenarios", *sorted((here / "run/scenarios").glob("*.yaml"))).endswith(" passed, 0 failed\n")
    assert "704.5g" in run(capsys, "explain", "run/scenarios/missed-lethal_damage-zone.yaml")


def test_generate(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    assert "40 boards" in run(
        capsys, "generate", "a", "--states", 40, "--seed", 3, "--profile", "dense", "--threads", 1
    )
    run(capsys, "generate", "b", "--states", 40, "--seed", 3, "--profile", "dense", "--threads", 2)
    boards = headjudge.generate(40, seed=3, profile="dense")
    assert rows(headjudge.load(here / "a")) == rows(headjudge.load(here / "b")) == rows(boards)


def test_generate_tokens(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    run(capsys, "generate", "a", "--states", 2, "--profile", "tokens", "--size", 50)
    assert len(headjudge.load(here / "a").objects.zone) >= 100


def test_parts_of_generated_boards_go_on_where_the_last_ended(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from headjudge import pipeline

    monkeypatch.setattr(pipeline, "GENERATED_STATES", 7)
    told: list[int] = []
    record = pipeline.generate_data_set(here / "a", 20, threads=2, tell=lambda part: told.append(part.states))
    assert told == [7, 7, 6]
    assert record.states == 20
    assert pq.read_table(here / "a" / "states")["state_id"].to_pylist() == list(range(20))


def test_demo(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    for folder in ("demo", "demo-2"):
        out = run(capsys, "demo", "--states", 60)
        assert "60 boards" in out
        assert f"{folder}/settled/actions/*.parquet" in out
        assert pq.read_table(here / folder / "settled" / "results").num_rows == 60
        assert len(headjudge.load(here / folder / "settled" / "after")) == 60


def test_demo_goes_on_where_it_was_stopped(
    capsys: pytest.CaptureFixture[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from headjudge import pipeline

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pipeline.Generating, "__call__", stopped)
        assert cli.main(["demo", "--states", "60"]) == 130
    assert list(here.iterdir()) == []
    run(capsys, "demo", "--states", 60)
    with monkeypatch.context() as patch:
        patch.setattr(pipeline.Settling, "__call__", stopped)
        assert cli.main(["demo", "--states", "60"]) == 130
    capsys.readouterr()
    assert cli.main(["demo", "--states", "60", "--resume"]) == 0
    out, err = capsys.readouterr()
    assert "demo-2/settled/actions/*.parquet" in out
    assert "generating 0 of 60 boards, the others in an earlier run, took" in err
    assert err.count("a second") == 1
    assert "demo-3/settled" in run(capsys, "demo", "--states", 60, "--resume")


def test_scenarios(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "good.yaml").write_text(SCENARIO.replace("ZONE", "graveyard"))
    (here / "bad.yaml").write_text(SCENARIO.replace("ZONE", "exile"))
    assert run(capsys, "scenarios", "good.yaml").splitlines() == ["1 passed, 0 failed"]
    mismatch, last = run(capsys, "scenarios", "good.yaml", "bad.yaml", code=1).splitlines()
    assert "bear" in mismatch
    assert "exile" in mismatch
    assert "graveyard" in mismatch
    assert last == "1 passed, 1 failed"


def test_explain(capsys: pytest.CaptureFixture[str], data_set: Path) -> None:
    bear = SCENARIO.replace("ZONE", "graveyard")
    (data_set.parent / "bear.yaml").write_text(bear + bear.replace("id: bear", "id: other"))
    text = run(capsys, "explain", "bear.yaml")
    assert text.count("CR 704.5g lethal_damage: ") == 2
    lines = [json.loads(line) for line in run(capsys, "explain", "bear.yaml", "--format", "json").splitlines()]
    assert [line["actions"] for line in lines] == [[{"lethal_damage": ["bear"]}]] * 2
    assert "704.5g" in run(capsys, "explain", data_set, "--state", 1)
    (line,) = run(capsys, "explain", data_set, "--state", 2, "--format", "json").splitlines()
    assert json.loads(line)["passes"] == 0


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "rules")
    found = json.loads(run(capsys, "rules", "--format", "json"))
    markdown = run(capsys, "rules", "--format", "markdown")
    assert [rule["rule"] for rule in found] == [rule.name for rule in RULES]
    assert all(rule.name in text and f"`{rule.name}`" in markdown for rule in RULES)
    (extra_role,) = (rule for rule in found if rule["rule"] == "extra_role")
    assert list(extra_role["numbers"]) == list(EDITIONS)
    old = run(capsys, "rules", "--edition", EDITIONS[0])
    for line, number in ((text, extra_role["numbers"][EDITIONS[-1]]), (old, extra_role["numbers"][EDITIONS[0]])):
        assert any(words.split()[:2] == ["extra_role", number] for words in line.splitlines())


# --- interruptions ---


def test_ctrl_c(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("headjudge.rulebook.as_json", interrupt)
    assert cli.main(["rules", "--format", "json"]) == 130
    assert capsys.readouterr().err == "headjudge: interrupted\n"


def test_ctrl_c_while_c_calls_back(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    @ctypes.CFUNCTYPE(None)
    def called() -> None:
        interrupt_main()
        work()

    def interrupted() -> str:
        called()
        work()
        return ""

    def work() -> None:
        for _ in range(300):
            time.sleep(0.01)

    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr("headjudge.rulebook.as_json", interrupted)
    assert cli.main(["rules", "--format", "json"]) == 130
    assert capsys.readouterr().err == "headjudge: interrupted\n"


@pytest.mark.skipif(os.name == "nt", reason="pipes are those of POSIX")
def test_whoever_reads_may_stop() -> None:
    call = f"{sys.executable} -m headjudge rules --format json | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[\n", "")
    assert done.returncode in (0, 141)  # everything may have been written before


@pytest.mark.parametrize(
    ("arguments", "unbuffered"), list(product(["scenarios wrong.yaml", "--help", "--version"], ["", "1"]))
)
def test_what_nobody_reads_does_not_end_well(here: Path, arguments: str, unbuffered: str) -> None:
    bear = "{objects: {bear: {controller: 0, types: [creature], toughness: 1}}}"
    (here / "wrong.yaml").write_text(f"- {{id: wrong, given: {bear}, expect: {{passes: 3}}}}")
    read, write = os.pipe()
    os.close(read)
    call = [sys.executable, "-m", "headjudge", *arguments.split()]
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(call, stdout=write, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    os.close(write)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("argument", ["rules", "--help"])
def test_what_cannot_be_printed(argument: str) -> None:
    call = [sys.executable, "-m", "headjudge", argument]
    environment = os.environ | {"PYTHONUNBUFFERED": ""}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (2, "headjudge: standard output: No space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="streams are closed as in POSIX")
@pytest.mark.compiled
def test_streams_that_are_closed(here: Path) -> None:
    for number, closed in enumerate(("1>&-", "2>&-", ">&- 2>&-")):
        call = f"{sys.executable} -m headjudge generate out{number} --states 5 {closed}"
        done = subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=True)
        assert len(headjudge.load(f"out{number}")) == 5
        assert ("generating 5 boards took" in done.stderr) == (closed == "1>&-")
        assert ("5 boards: " in done.stdout) == (closed == "2>&-")
    call = f"{sys.executable} -m headjudge shuffle 2>&-"
    done = subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_no_bars_in_a_pipe(capsys: pytest.CaptureFixture[str], data_set: Path) -> None:
    cli.main(["settle", str(data_set), "out"])
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert "\r" not in err
    assert "settling 3 boards took" in err


def test_bars_on_a_terminal(
    capsys: pytest.CaptureFixture[str], data_set: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    cli.main(["settle", str(data_set), "out"])
    assert "settling boards" in capsys.readouterr().err
