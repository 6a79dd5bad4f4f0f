"""Fuzzing an engine: random boards, its answers judged, what is wrong grouped and shrunk to a scenario a group.

A run is a folder: `verdicts` (Parquet parts), `scenarios` (YAML), `failures.yaml`, `summary.txt`, and `fuzz.json`, from
which a run that was interrupted goes on. A run depends on its options and its seed alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from headjudge.boards import Boards
from headjudge.errors import DataError
from headjudge.generating import generate
from headjudge.io import parquet
from headjudge.io.board_records import BoardRecord, boards_of, record_of
from headjudge.io.durable import publish
from headjudge.io.scenario_reading import read_given
from headjudge.io.scenarios import record_to_mapping
from headjudge.questioning import Group, question, shows
from headjudge.shrinking import shrink

if TYPE_CHECKING:
    from pathlib import Path

    from headjudge.engines import Engine

STATE_FILE: Final = "fuzz.json"
#: Boards of a batch: what an interrupted run loses at most.
DEFAULT_BATCH: Final = 500
#: Boards that failed which are kept whole; the others are counted.
MOST_FAILURES: Final = 1000
#: Characters of what an engine said of them.
_MOST_KEPT: Final = 300
Tell = Callable[[int], object]


@dataclass(frozen=True)
class Options:
    """What a run depends on."""

    engine: str
    states: int
    seed: int = 0
    #: Profiles of `headjudge.generate`, one batch each in turn.
    profiles: tuple[str, ...] = ("dense", "tangled")
    batch: int = DEFAULT_BATCH
    #: How many boards of a group are shrunk.
    samples: int = 1


@dataclass
class Sample:
    """A board that shows a group, as scenarios write it; `size` is what it is chosen by."""

    size: tuple[int, int]
    given: dict[str, Any]
    shrunk: bool = False


@dataclass
class Fuzz:
    """How far a run is, and what it has found."""

    options: Options
    batches: int = 0
    asked: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    failed: list[dict[str, Any]] = field(default_factory=list)
    counts: Counter[Group] = field(default_factory=Counter)
    samples: dict[Group, list[Sample]] = field(default_factory=dict)

    @classmethod
    def begun(cls, folder: Path, options: Options) -> Fuzz:
        """Return the run in a folder, or a new one. Raises `DataError` if the folder holds something else."""
        path = folder / STATE_FILE
        if not path.exists():
            if folder.exists() and any(folder.iterdir()):
                raise DataError(f"{folder}: expected nothing, an empty folder, or a run of fuzz; found files")
            return cls(options)
        saved = json.loads(path.read_text(encoding="utf-8"))
        theirs = Options(**{**saved["options"], "profiles": tuple(saved["options"]["profiles"])})
        for name, value in asdict(options).items():
            if getattr(theirs, name) != value:
                raise DataError(
                    f"{folder}: expected the options of the run in it ({name}: {getattr(theirs, name)}), found {value}"
                )
        return cls(
            options,
            saved["batches"],
            saved["asked"],
            Counter(saved["verdicts"]),
            Counter(saved["left_out"]),
            Counter(saved["failures"]),
            saved["failed"],
            Counter({Group(*group): count for group, count in saved["counts"]}),
            {
                Group(*group): [Sample(tuple(s["size"]), s["given"], s["shrunk"]) for s in samples]
                for group, samples in saved["samples"]
            },
        )

    def save(self, folder: Path) -> None:
        """Write the state; under its name the file is whole."""
        saved = {
            **{
                name: getattr(self, name) for name in ("batches", "asked", "verdicts", "left_out", "failures", "failed")
            },
            "options": asdict(self.options),
            "counts": [[list(group), count] for group, count in self.counts.items()],
            "samples": [[list(group), [asdict(s) for s in samples]] for group, samples in self.samples.items()],
        }
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f".{STATE_FILE}.tmp"
        draft.write_text(json.dumps(saved, ensure_ascii=False), encoding="utf-8")
        draft.replace(folder / STATE_FILE)

    @property
    def groups(self) -> list[Group]:
        """The groups, the most frequent first."""
        return sorted(self.counts, key=lambda group: (-self.counts[group], str(group)))


def fuzz(
    engine: Engine,
    options: Options,
    folder: Path,
    *,
    tell: Tell | None = None,
    threads: int | None = None,
) -> Fuzz:
    """Ask an engine about random boards, and write what is wrong to a folder; goes on where a run stopped.

    Parameters
    ----------
    engine
        The engine; `options.engine` is what it is called.
    options
        What the run depends on.
    folder
        Where to write; holds nothing, or a run with the same options.
    tell
        Called with the number of boards after each batch.
    threads
        For generating and judging; by default one a processor.

    Raises
    ------
    DataError
        If the folder holds something else.
    """
    from headjudge import fuzz_report

    run = Fuzz.begun(folder, options)
    batches = -(-options.states // options.batch)
    if tell is not None and run.batches:
        tell(min(run.batches * options.batch, options.states))
    for number in range(run.batches, batches):
        drawn = min(options.batch, options.states - number * options.batch)
        _batch(engine, run, folder, number, drawn, threads)
        run.batches = number + 1
        run.save(folder)
        if tell is not None:
            tell(drawn)
    for group in run.groups:
        for sample in run.samples.get(group, ()):
            if not sample.shrunk:
                sample.given = _shrunk(engine, group, sample.given)
                sample.shrunk = True
                run.save(folder)
    fuzz_report.write(run, engine, folder)
    return run


def _batch(engine: Engine, run: Fuzz, folder: Path, number: int, drawn: int, threads: int | None) -> None:
    options = run.options
    profile = options.profiles[number % len(options.profiles)]
    drawn_boards = generate(drawn, options.seed, profile, first=number * options.batch, threads=threads)
    boards, records = expressed(engine, drawn_boards, run.left_out)
    run.asked += len(boards)
    if not len(boards):
        return
    questioned = question(engine, boards, threads, records=records)
    publish([parquet.draft_verdict_part(folder, number, questioned.verdicts)])
    for failure in questioned.answer.failures:
        run.failures[failure.kind] += 1
        if len(run.failed) < MOST_FAILURES:
            given = plain(records[failure.row])
            state_id = int(boards.states.state_id[failure.row])
            run.failed.append(
                {"state_id": state_id, "kind": failure.kind, "detail": _storable(failure.detail), "given": given}
            )
    judged = dict(zip(*(questioned.verdicts[name].to_pylist() for name in ("state_id", "verdict")), strict=True))
    run.verdicts.update(judged.values())
    for row, groups in sorted(questioned.groups.items()):
        record = records[row]
        for group in groups:
            run.counts[group] += 1
            _keep_small(run, group, record, int(boards.states.state_id[row]))


def _storable(detail: str) -> str:
    """Return the start of an engine's words, as text that every file can hold."""
    return detail[:_MOST_KEPT].encode("utf-8", "backslashreplace").decode()


def expressed(engine: Engine, boards: Boards, left_out: Counter[str]) -> tuple[Boards, list[BoardRecord]]:
    """Return boards without what an engine cannot express, which is counted, and the same as records.

    Boards with nothing left that could be asked are not among them.
    """
    records: list[BoardRecord] = []
    expressible: list[Boards] = []
    for row, state_id in enumerate(boards.states.state_id.tolist()):
        record, reasons = engine.strip(record_of(boards, row))
        left_out.update(reasons)
        if record is not None:
            records.append(record)
            expressible.append(boards_of(record, state_id))
    return Boards.concat(expressible), records


def plain(record: BoardRecord) -> dict[str, Any]:
    """Return a board as scenarios write it, with rows for handles."""
    return record_to_mapping(record, tuple(map(str, range(len(record.objects)))))


def from_plain(given: Mapping[str, Any]) -> BoardRecord:
    """Return the board that `plain` wrote, or JSON of it."""
    return read_given(given, "board").record


def _keep_small(run: Fuzz, group: Group, record: BoardRecord, state_id: int) -> None:
    """Keep the smallest boards of each group, of equal ones the first."""
    samples = run.samples.setdefault(group, [])
    size = len(record.objects) + len(record.effects) + len(record.players), state_id
    if len(samples) < run.options.samples or size < samples[-1].size:
        samples.append(Sample(size, plain(record)))
        samples.sort(key=lambda sample: sample.size)
        del samples[run.options.samples :]


def _shrunk(engine: Engine, group: Group, given: Mapping[str, Any]) -> dict[str, Any]:
    record = from_plain(given)
    if not shows(engine, [record], group)[0]:  # an engine that answers now this, now that
        return dict(given)
    return plain(shrink(record, lambda records: shows(engine, records, group)))


def distinct(samples: list[Sample]) -> Iterator[Sample]:
    """Yield the samples of a group that differ in more than names and numbers of objects."""
    seen = set()
    for sample in samples:
        objects = [{k: x for k, x in o.items() if k != "name"} for o in sample.given.get("objects", {}).values()]
        form = json.dumps({**sample.given, "objects": objects}, sort_keys=True)
        if form not in seen:
            seen.add(form)
            yield sample
