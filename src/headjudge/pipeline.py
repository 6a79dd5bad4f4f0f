"""Data sets in and out, part by part: reading, settling and writing overlap, and memory holds a few parts at most.

The work on one part (`Settling`, `Generating`) looks at that part alone, writes a part of the output aside and returns
a small `Record` of what was done. Threads do that; this one gives finished parts their names once they are on the disk.
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import headjudge
from headjudge.errors import DataError
from headjudge.io import parquet
from headjudge.io.arrow import FULL
from headjudge.io.choices import choices_from_arrow
from headjudge.kernels import vocabulary as v
from headjudge.kernels.catalogue import RULES_VERSION
from headjudge.settling import settle
from headjudge.spans import Pool, workers
from headjudge.unfinished import unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping
    from concurrent.futures import Future

    from headjudge.boards import Boards
    from headjudge.results import Resolution
    from headjudge.unfinished import Unfinished

Made = TypeVar("Made")
Part = TypeVar("Part")

#: Of other versions the output may differ, so that they go on with nothing of each other.
_MADE_BY: Final = {"version": headjudge.__version__, "rules": RULES_VERSION}
#: States of a part that is generated; of large boards so many that a part has about as many objects.
GENERATED_STATES: Final = 50_000
GENERATED_OBJECTS: Final = 500_000
#: `headjudge.generate` knows no state ids beyond.
MOST_STATES: Final = (1 << 62) - 1
#: Parts that are worked on at the same time, each by its share of the threads: memory holds no more of them.
AT_A_TIME: Final = 4


@dataclass(frozen=True)
class Record:
    """What was done with a part, or with several."""

    states: int = 0
    #: States by status, by outcome (of those that could be judged) and by passes.
    statuses: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    passes: Counter[int] = field(default_factory=Counter)
    #: Rows of `actions` by rule and kind, as ``rule kind``.
    hits: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, resolution: Resolution) -> Record:
        """Count what a resolution holds."""
        results, actions = resolution.results, resolution.actions.select(["rule", "kind"])
        judged = results.filter(pc.not_equal(results["status"], "rejected"))

        def count(table: pa.Table, column: str) -> Counter[Any]:
            found = pc.value_counts(table[column])
            return Counter(dict(zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True)))

        return cls(
            states=results.num_rows,
            statuses=count(results, "status"),
            outcomes=count(judged, "outcome"),
            passes=count(results, "passes"),
            # No `group_by`: its threads may let go of our columns only when the interpreter is gone, which aborts it.
            hits=Counter(
                {
                    f"{rule} {kind}": times
                    for kind in v.ROW_KINDS
                    for rule, times in count(actions.filter(pc.equal(actions["kind"], kind)), "rule").items()
                }
            ),
        )

    @classmethod
    def from_json(cls, counted: Mapping[str, Any]) -> Record:
        """Return the record that `to_json` wrote."""
        counters = {name: Counter(counted[name]) for name in ("statuses", "outcomes", "hits")}
        passes = Counter({int(number): count for number, count in counted["passes"].items()})
        return cls(counted["states"], passes=passes, **counters)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return dict(vars(self))

    def __add__(self, other: Record) -> Record:
        return Record(
            self.states + other.states,
            self.statuses + other.statuses,
            self.outcomes + other.outcomes,
            self.passes + other.passes,
            self.hits + other.hits,
        )


class Written(NamedTuple):
    """A part that was written aside."""

    record: Record
    #: The files that are to appear.
    files: list[Path]


@dataclass(frozen=True)
class Settling:
    """The work of settling a part of a data set and writing what came out."""

    data_set: parquet.DataSet
    folder: Path
    #: Choices for all parts, instead of those of the data set.
    choices: pa.Table | None = None
    #: Where the choices stand.
    chosen_in: Path | None = None
    threads: int = 1
    after: bool = False
    strict: bool = False
    do: str = "settle"

    def __call__(self, number: int) -> Written:
        """Settle one part."""
        part = self.data_set.read(number, use_threads=self.threads > 1)
        rows = part.choices if self.choices is None else _chosen_on(part.boards, self.choices)
        try:
            choices = choices_from_arrow(rows, part.boards) if rows.num_rows else None
        except DataError as error:
            raise DataError(f"{self.chosen_in or self.data_set.path}: {error}") from None
        resolution = settle(
            part.boards, choices, threads=self.threads, after=self.after, strict=self.strict, do=self.do
        )
        # Settling may change columns that the input left out, but adds no rows to tables that it has not.
        schema = {name: FULL[name] for name in self.data_set.schema}
        files = parquet.draft_result_part(self.folder, number, resolution, schema)
        return Written(Record.of(resolution), files)


def _chosen_on(boards: Boards, choices: pa.Table) -> pa.Table:
    return choices.filter(pc.is_in(choices["state_id"], value_set=pa.array(boards.states.state_id)))


def settle_data_set(
    data_set: parquet.DataSet | str | Path,
    target: str | Path,
    *,
    choices: str | Path | None = None,
    threads: int | None = None,
    after: bool = False,
    strict: bool = False,
    do: str = "settle",
    resume: bool = False,
    tell: Callable[..., object] | None = None,
) -> Record:
    """Settle a data set into the folder `target`, which appears when everything is done.

    Parameters
    ----------
    data_set
        What to settle, or its folder.
    target
        Where `results`, `actions` and `after` go; nothing or an empty folder.
    choices
        A Parquet file or folder with a table `choices` instead of that of the data set.
    threads
        By default one a processor.
    after, strict, do
        As `headjudge.settle` has them.
    resume
        Go on with what an earlier run of the same work has left beside `target`.
    tell
        Called with the record of each part, and with ``earlier=True`` if it was done in an earlier run.

    Raises
    ------
    DataError
        If a part cannot be read, or what there is to resume is another work.
    RejectedBoard
        With `strict`.
    OutputError
        If a part cannot be written.
    """
    if not isinstance(data_set, parquet.DataSet):
        data_set = parquet.DataSet.open(data_set)
    chosen_in = None if choices is None else Path(choices)
    chosen = None if chosen_in is None else _choices(chosen_in, data_set)
    outer, inner = _shared(threads, len(data_set))
    job = {
        "command": "settle",
        "input": {"path": str(data_set.path.resolve()), "files": data_set.checksums()},
        # Not `strict`: where it stopped, a run without it may go on.
        "options": {"after": after, "do": do, "choices": None if chosen is None else _checksum(chosen)},
        **_MADE_BY,
    }
    with unfinished(Path(target), job, len(data_set), resume=resume) as output:
        work = Settling(data_set, output.folder, chosen, chosen_in, inner, after, strict, do)
        return _completed(output, work, outer, tell)


def _checksum(table: pa.Table) -> str:
    """Return what tells a table from others."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table.combine_chunks())
    return hashlib.sha256(sink.getvalue()).hexdigest()


def _choices(path: Path, data_set: parquet.DataSet) -> pa.Table:
    """Read choices; they must be about states of the data set."""
    if not path.exists():
        raise DataError(f"{path}: expected a Parquet file or folder with the table choices, found nothing")
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path}: expected a Parquet file or folder with the table choices ({error})") from None
    if "state_id" not in table.column_names:
        raise DataError(f"{path}: column state_id is missing; found {', '.join(table.column_names) or 'none'}")
    foreign = pc.unique(table["state_id"])
    for ids in data_set.state_ids():
        foreign = foreign.filter(pc.invert(pc.is_in(foreign, value_set=ids.cast(foreign.type))))
    if len(foreign):
        raise DataError(f"{path}: expected states of {data_set.path}, found state_id {foreign[0]}")
    return table


@dataclass(frozen=True)
class Generating:
    """The work of writing a part of generated boards, and of settling them to count what would happen."""

    folder: Path
    states: int
    #: States of a part.
    step: int
    seed: int
    profile: str
    size: int
    threads: int = 1

    def __call__(self, number: int) -> Written:
        """Generate one part."""
        from headjudge.generating import generate

        first = number * self.step
        count = min(self.step, self.states - first)
        boards = generate(count, self.seed, self.profile, first=first, size=self.size, threads=self.threads)
        files = parquet.draft_part(self.folder, number, boards, FULL)
        return Written(Record.of(settle(boards, threads=self.threads, after=False)), files)


def generate_data_set(
    target: Path,
    states: int,
    *,
    seed: int = 0,
    profile: str = "midgame",
    size: int = 1000,
    threads: int | None = None,
    resume: bool = False,
    tell: Callable[..., object] | None = None,
) -> Record:
    """Write a data set of generated boards to the folder `target`, which appears when everything is done.

    `seed`, `profile` and `size` are those of `headjudge.generate`, `resume` and `tell` those of `settle_data_set`.
    """
    if states > MOST_STATES:
        raise DataError(f"states: expected at most {MOST_STATES:,}, found {states:,}")
    step = min(GENERATED_STATES, max(1, GENERATED_OBJECTS // size)) if profile == "tokens" else GENERATED_STATES
    parts = -(-states // step)
    outer, inner = _shared(threads, parts)
    options = {"states": states, "seed": seed, "profile": profile, "size": size}
    job = {"command": "generate", "options": options, **_MADE_BY}
    with unfinished(target, job, parts, resume=resume) as output:
        work = Generating(output.folder, states, step, seed, profile, size, inner)
        return _completed(output, work, outer, tell)


def _shared(threads: int | None, parts: int) -> tuple[int, int]:
    """Return how many parts to work on at a time, and with how many threads each."""
    threads = workers(threads)
    outer = max(1, min(threads, parts, AT_A_TIME))
    return outer, max(1, threads // outer)


def _completed(
    output: Unfinished, work: Callable[[int], Written], threads: int, tell: Callable[..., object] | None
) -> Record:
    """Do what is not done yet; return the record of all parts."""
    total = Record()
    for entry in output.done.values():
        total += _told(Record.from_json(entry["counted"]), tell and partial(tell, earlier=True))
    missing, numbers = tee(number for number in range(output.parts) if number not in output.done)
    with closing(in_parallel(work, missing, threads)) as all_written:
        for number, written in zip(numbers, all_written, strict=True):
            output.finish(number, written.files, written.record.to_json())
            total += _told(written.record, tell)
    return total


def _told(record: Record, tell: Callable[..., object] | None) -> Record:
    if tell is not None:
        tell(record)
    return record


def in_parallel(work: Callable[[Part], Made], parts: Iterable[Part], threads: int) -> Generator[Made]:
    """Yield what `work` makes of each part, in order, `threads` at a time.

    Parts are taken from `parts` only as fast as they are worked on. The first error ends everything.
    """
    waiting: deque[Future[Made]] = deque()
    with Pool(threads) as pool:
        for part in parts:
            waiting.append(pool.submit(work, part))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
