"""Output that is stopped and resumed: nothing is lost, nothing is done twice, and it comes out the same."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import headjudge
from headjudge import cli, pipeline
from headjudge.errors import DataError, OutputError, RejectedBoard
from headjudge.io import durable
from headjudge.io.parquet import DataSet
from headjudge.unfinished import MANIFEST, Unfinished, unfinished
from random_boards import random_boards

if TYPE_CHECKING:
    from collections.abc import Callable

JOB = {"command": "count", "options": {"step": 3}}
PARTS = 4
posix = pytest.mark.skipif(os.name == "nt", reason="signals, locks and limits are those of POSIX")


def work(
    target: Path, *, resume: bool, job: dict[str, Any] = JOB, made: Callable[[int], object] = lambda i: None
) -> int:
    """Write a folder of a file a part; return the sum of what was counted."""
    with unfinished(target, job, PARTS, resume=resume) as output:
        for number in range(PARTS):
            if number not in output.done:
                made(number)
                finish(output, number)
        return sum(entry["counted"]["n"] for entry in output.done.values())


def finish(output: Unfinished, number: int) -> None:
    """Write two files of a part and finish it."""
    files = [output.folder / table / f"part-{number}" for table in ("a", "b")]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        durable.draft_of(file).write_text(f"{file.name} " * (number + 1))
    output.finish(number, files, {"n": number})


def content(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


class Stop(Exception):
    pass


def stop_at(last: int) -> Callable[[int], None]:
    def made(number: int) -> None:
        if number == last:
            raise Stop

    return made


def test_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(Stop) as error:
        work(tmp_path / "out", resume=False, made=stop_at(2))
    assert error.value.__notes__ == [f"2 of 4 parts are kept in {tmp_path}/out.partial, --resume goes on with them"]
    assert [path.name for path in tmp_path.iterdir()] == ["out.partial"]
    again: list[int] = []
    assert work(tmp_path / "out", resume=True, made=again.append) == 6
    assert again == [2, 3]
    assert work(tmp_path / "other", resume=False) == 6
    assert content(tmp_path / "out") == content(tmp_path / "other")
    assert {path.name for path in tmp_path.iterdir()} == {"out", "other"}
    again.clear()
    assert work(tmp_path / "out", resume=True, made=again.append) == 6  # stopped between its name and its end
    assert again == []


def test_nothing_stays_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        work(tmp_path / "new/er/out", resume=False, made=stop_at(0))
    assert list(tmp_path.iterdir()) == []
    assert work(tmp_path / "new/er/out", resume=True) == 6  # there is nothing to go on with


def test_an_earlier_run_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        work(tmp_path / "out", resume=False, made=stop_at(2))
    with pytest.raises(DataError, match="an earlier run was stopped there; go on with --resume, or delete the folder"):
        work(tmp_path / "out", resume=False)
    with pytest.raises(DataError, match="options step was 3, is 4; delete the folder to start anew"):
        work(tmp_path / "out", resume=True, job={"command": "count", "options": {"step": 4}})
    assert work(tmp_path / "out", resume=True) == 6
    with pytest.raises(DataError, match="options step was 3, is 4"):
        work(tmp_path / "out", resume=True, job={"command": "count", "options": {"step": 4}})
    with pytest.raises(DataError, match="out: expected nothing or an empty folder, found files"):
        work(tmp_path / "out", resume=False)


def test_files_that_are_gone_are_made_again(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        work(tmp_path / "out", resume=False, made=stop_at(3))
    (tmp_path / "out.partial/a/part-0").unlink()
    (tmp_path / "out.partial/b/part-1").write_text("")
    again: list[int] = []
    assert work(tmp_path / "out", resume=True, made=again.append) == 6
    assert again == [0, 1, 3]
    (tmp_path / "out/a/part-0").unlink()
    with pytest.raises(DataError, match="out: expected output of 4 parts, found 3; files are missing"):
        work(tmp_path / "out", resume=True)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text[:-1], None),  # a line that was not yet written
        (lambda text: text[:-30], None),
        (lambda text: text.replace("{", "["), "expected the manifest of an earlier run"),
        (lambda text: "", "expected the manifest of an earlier run, found something else .Expecting value"),
        (lambda text: "1\n" + text, "expected the manifest of an earlier run"),
    ],
)
def test_manifests(tmp_path: Path, damage: Callable[[str], str], words: str | None) -> None:
    with pytest.raises(Stop):
        work(tmp_path / "out", resume=False, made=stop_at(3))
    manifest = tmp_path / "out.partial" / MANIFEST
    manifest.write_text(damage(manifest.read_text()))
    again: list[int] = []
    if words is None:
        assert work(tmp_path / "out", resume=True, made=again.append) == 6
        assert again == [2, 3]
        lines = [json.loads(line) for line in (tmp_path / "out" / MANIFEST).read_text().splitlines()]
        assert [line.get("part") for line in lines] == [None, 0, 1, 2, 3]
    else:
        with pytest.raises(DataError, match=words):
            work(tmp_path / "out", resume=True)
        assert (tmp_path / "out.partial/a/part-0").exists()


@posix
def test_two_runs_into_one_folder(tmp_path: Path) -> None:
    def second(number: int) -> None:
        for resume in (True, False):
            with pytest.raises(OutputError, match=r"out\.partial: another run is writing there"):
                work(tmp_path / "out", resume=resume)

    assert work(tmp_path / "out", resume=False, made=second) == 6


def in_child(action: Callable[[], object]) -> int:
    """Do something in a child process that may die of it; return how it ended."""
    child = os.fork()
    if child == 0:
        try:
            action()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@posix
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """The process is killed before each call of the system that makes something last."""
    work(tmp_path / "undisturbed", resume=False)
    calls = 0

    def killed_at(last: int) -> int:
        def counted(function: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **options: Any) -> Any:
                nonlocal calls
                calls += 1
                if calls == last:
                    os.kill(os.getpid(), signal.SIGKILL)
                return function(*arguments, **options)

            return call

        def action() -> None:
            for owner, name in ((os, "fsync"), (Path, "replace"), (Path, "rename"), (Path, "mkdir"), (Path, "open")):
                setattr(owner, name, counted(getattr(owner, name)))
            work(tmp_path / f"out{last}", resume=False)

        return in_child(action)

    for last in range(1, 200):
        target = tmp_path / f"out{last}"
        ended = killed_at(last)
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
        assert not target.exists() or content(target) == content(tmp_path / "undisturbed")
        assert work(target, resume=True) == 6
        assert content(target) == content(tmp_path / "undisturbed")
        assert not target.with_name(f"{target.name}.partial").exists()
    assert last > 50


def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def made(number: int) -> None:
        if number == 2:
            monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(OutputError, match=r"part-2: cannot be written \(No space left on device\)") as error:
        work(tmp_path / "out", resume=False, made=made)
    assert "2 of 4 parts are kept" in error.value.__notes__[0]
    monkeypatch.undo()
    assert work(tmp_path / "out", resume=True) == 6


# --- the commands ---


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of six parts."""
    path = tmp_path_factory.mktemp("data") / "boards"
    headjudge.generate(60, seed=8, profile="dense").save(path, part_size=10)
    return path


@pytest.fixture(scope="module")
def undisturbed(boards: Path) -> Path:
    """What comes out of it."""
    out = boards.with_name("undisturbed")
    pipeline.settle_data_set(DataSet.open(boards), out, after=True, threads=1)
    return out


def failing_line(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Run what must fail, and return the one line that says why."""
    assert cli.main([str(argument) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    (line,) = err.splitlines()
    assert out == ""
    return str(line)


def test_settling_is_the_same_with_any_number_of_threads(boards: Path, undisturbed: Path, tmp_path: Path) -> None:
    pipeline.settle_data_set(DataSet.open(boards), tmp_path / "out", after=True, threads=3)
    assert content(tmp_path / "out") == content(undisturbed)


def test_a_part_that_cannot_be_read(
    boards: Path, undisturbed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once it is there again, the others are not done again."""
    bad = boards / "objects/part-00003.parquet"
    good = bad.read_bytes()
    try:
        bad.write_bytes(good[:200] + bytes(20) + good[220:])
        line = failing_line(capsys, "settle", boards, tmp_path / "out", "--after", "--threads", 1)
    finally:
        bad.write_bytes(good)
    assert line.startswith(f"headjudge: {bad}: expected ")
    assert line.endswith(f"; 3 of 6 parts are kept in {tmp_path}/out.partial, --resume goes on with them")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out.partial").rglob("*.parquet")}
    assert len([path for path in before if path.parent.name == "results"]) == 3
    assert "an earlier run was stopped there" in failing_line(capsys, "settle", boards, tmp_path / "out", "--after")
    assert "options after was True, is False" in failing_line(capsys, "settle", boards, tmp_path / "out", "--resume")
    assert cli.main(["settle", str(boards), str(tmp_path / "out"), "--after", "--resume"]) == 0
    assert "60 boards" in capsys.readouterr().out
    assert content(tmp_path / "out") == content(undisturbed)
    for path, written in before.items():
        assert (tmp_path / "out" / path.relative_to(tmp_path / "out.partial")).stat().st_mtime_ns == written


def test_other_boards_are_not_mixed_in(boards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data_set = DataSet.open(boards)
    with monkeypatch.context() as patch:
        patch.setattr(Unfinished, "finish", _finish_two(Unfinished.finish))
        with pytest.raises(Stop):
            pipeline.settle_data_set(data_set, tmp_path / "out", threads=1)
    other = tmp_path / "boards"
    headjudge.generate(60, seed=9, profile="dense").save(other, part_size=10)
    with pytest.raises(DataError, match=r"input files \w+/part-0000\d.parquet was "):
        pipeline.settle_data_set(DataSet.open(other), tmp_path / "out", threads=1, resume=True)
    monkeypatch.setattr(pipeline, "_MADE_BY", {"version": "0.0", "rules": headjudge.RULES_VERSION})
    with pytest.raises(DataError, match="version was"):
        pipeline.settle_data_set(data_set, tmp_path / "out", threads=1, resume=True)
    monkeypatch.undo()
    assert pipeline.settle_data_set(data_set, tmp_path / "out", threads=1, resume=True).states == 60


def _finish_two(finish_one: Callable[..., None]) -> Callable[..., None]:
    def call(output: Unfinished, number: int, *rest: Any) -> None:
        if number == 2:
            raise Stop
        finish_one(output, number, *rest)

    return call


def test_more_parts_than_memory_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "GENERATED_STATES", 7)
    told: list[bool] = []

    def tell(part: pipeline.Record, *, earlier: bool = False) -> None:
        told.append(earlier)
        if len(told) == 3:
            raise Stop

    for resume in (False, True):
        with pytest.raises(Stop):
            pipeline.generate_data_set(tmp_path / "out", 10**15, threads=1, resume=resume, tell=tell)
        if not resume:
            assert told == [False] * 3
            told.clear()
    assert told == [True] * 3


def test_without_strict_it_may_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = random_boards(1, states=20)
    good.save(tmp_path / "boards", part_size=10)
    table = pq.read_table(tmp_path / "boards/players/part-00001.parquet")
    bad = table.set_column(table.column_names.index("seat"), "seat", [[9] * table.num_rows])
    pq.write_table(bad.cast(table.schema), tmp_path / "boards/players/part-00001.parquet")
    data_set = DataSet.open(tmp_path / "boards")
    with pytest.raises(RejectedBoard) as error:
        pipeline.settle_data_set(data_set, tmp_path / "out", strict=True, threads=1)
    assert "1 of 2 parts are kept" in error.value.__notes__[0]
    record = pipeline.settle_data_set(data_set, tmp_path / "out", threads=1, resume=True)
    assert record.states == 20
    assert record.statuses["rejected"] >= 10


@posix
def test_read_only_folder(boards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    place = tmp_path / "locked" if os.geteuid() else Path("/proc/self")  # root may write to any other folder
    line = failing_line(capsys, "settle", boards, place / "out")
    assert line.startswith(f"headjudge: {place}/out.partial: cannot be written (")


@posix
@pytest.mark.compiled
def test_file_size_limit(boards: Path, tmp_path: Path) -> None:
    """The system refuses to write, as it does when the disk is full."""
    import resource

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, resource.RLIM_INFINITY))

    call = [sys.executable, "-m", "headjudge", "settle", str(boards), str(tmp_path / "out"), "--after"]
    done = subprocess.run(call, preexec_fn=limit, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert f"headjudge: {tmp_path}/out.partial/" in line
    assert ".parquet: cannot be written (File too large)" in line
    assert not (tmp_path / "out").exists()


@posix
@pytest.mark.compiled
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_stopped_and_resumed(tmp_path: Path, ending: signal.Signals) -> None:
    options = ["--states", "12", "--profile", "dense", "--seed", "4"]
    patch = "import headjudge.pipeline as p, sys; p.GENERATED_STATES = 1; from headjudge.cli import main; "
    call = [sys.executable, "-c", f"{patch} sys.exit(main())", "generate"]
    manifest = tmp_path / "out.partial" / MANIFEST
    with subprocess.Popen([*call, str(tmp_path / "out"), *options], stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (manifest.exists() and manifest.read_text().count("\n") > 3):
            time.sleep(0.01)
        process.send_signal(ending)
        assert process.stderr is not None
        last = process.stderr.read().strip()
        code = process.wait()
    if ending == signal.SIGINT:
        assert code == 130
        assert re.fullmatch(r"headjudge: interrupted; \d+ of 12 parts are kept in .*, --resume goes on with them", last)
    else:
        assert code == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    assert subprocess.run([*call, str(tmp_path / "out"), *options, "--resume"], check=False).returncode == 0
    assert subprocess.run([*call, str(tmp_path / "whole"), *options], check=False).returncode == 0
    assert content(tmp_path / "out") == content(tmp_path / "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"out", "whole"}
