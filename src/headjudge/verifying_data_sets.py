"""Judging a data set of claims against the data set of the boards before, part by part."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from headjudge import claims
from headjudge.boards import Boards
from headjudge.errors import DataError
from headjudge.io import parquet
from headjudge.io.durable import new_folder, publish
from headjudge.kernels.vocabulary import COUNTER_COLUMNS
from headjudge.pipeline import in_parallel
from headjudge.result_tables import words
from headjudge.spans import workers
from headjudge.verifying import REJECTED, VERDICT_WORDS, VERDICTS, verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from headjudge.io.parquet import DataSet

_MISSING: Final = "the claim has no such state"


@dataclass(frozen=True)
class Judged:
    """What was found in a part, or in several: states by verdict, and findings by kind and rule."""

    states: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    findings: Counter[tuple[str, str | None]] = field(default_factory=Counter)

    def __add__(self, other: Judged) -> Judged:
        return Judged(self.states + other.states, self.verdicts + other.verdicts, self.findings + other.findings)


def fields_of(claimed: DataSet) -> tuple[str, ...]:
    """Return the fields that a claimed data set has columns for, and that are therefore judged."""
    columns = {table: set(schema.names) for table, schema in claimed.schema.items()}
    objects, players = columns.get("objects", set()), columns.get("players", set())
    if "counters" in columns or objects.intersection(COUNTER_COLUMNS):
        objects.add("counters")
    if "in_game" in players:
        players.add("lost")
    return (*filter(objects.__contains__, claims.OBJECT_FIELDS), *filter(players.__contains__, claims.PLAYER_FIELDS))


def verify_data_sets(
    before: DataSet,
    claimed: DataSet,
    target: Path,
    *,
    one_pass: bool = False,
    do: str = "settle",
    threads: int | None = None,
    tell: Callable[[Judged], object] | None = None,
) -> Judged:
    """Judge claims into the folder `target`, which appears when everything is done.

    Parameters
    ----------
    before, claimed
        The boards as the engine got them, and what it made of them. A state without a claim is `rejected`. Fields that
        `claimed` has no column for are not judged (`fields_of`).
    target
        Where `verdicts` goes; nothing or an empty folder.
    one_pass, do
        As `headjudge.verify` has them.
    threads
        By default one a processor.
    tell
        Called with what was found in each part.

    Raises
    ------
    DataError
        For a claimed state that is not in `before`, and whatever cannot be read.
    """
    judged = fields_of(claimed)

    with new_folder(target) as folder:

        def work(part: tuple[int, Boards, Boards]) -> Judged:
            number, boards, claim = part
            ids, claimed_ids = boards.states.state_id, claim.states.state_id
            foreign = claimed_ids[~np.isin(claimed_ids, ids)]
            if len(foreign):
                raise DataError(f"{claimed.path}: state_id {foreign[0]} is not in {before.path}")
            there = np.isin(ids, claimed_ids)
            given = boards[np.flatnonzero(there)]
            if "players" not in claimed.schema:
                claim = replace(claim, players=given.players, players_start=given.players_start)
            found = verify(given, claim, fields=judged, one_pass=one_pass, do=do, threads=1)
            verdicts = pa.concat_tables([found.verdicts, _without_claim(ids[~there])])
            if not there.all():
                verdicts = verdicts.sort_by("state_id")
            publish([parquet.draft_verdict_part(folder, number, verdicts)])
            counts = found.counts
            counts[REJECTED] += int(np.sum(~there))
            findings = Counter(zip(*(verdicts[name].to_pylist() for name in ("kind", "rule")), strict=True))
            del findings[None, None]
            return Judged(len(boards), Counter(counts), findings)

        total = Judged()
        for record in in_parallel(work, _parts(before, claimed), workers(threads)):
            total += record
            if tell is not None:
                tell(record)
    return total


def _without_claim(state_id: np.ndarray[tuple[int], np.dtype[np.int64]]) -> pa.Table:
    """Return the verdicts on states of which nothing is claimed."""
    count = len(state_id)
    rejected = words(VERDICT_WORDS, np.full(count, VERDICT_WORDS.index(REJECTED)))
    given = {"state_id": pa.array(state_id), "verdict": rejected, "reason": pa.array([_MISSING] * count, pa.string())}
    return pa.Table.from_arrays([given.get(f.name, pa.nulls(count, f.type)) for f in VERDICTS], schema=VERDICTS)


def _parts(before: DataSet, claimed: DataSet) -> Iterator[tuple[int, Boards, Boards]]:
    """Yield each part of `before` with the claims about its states, however those are laid out."""
    claims_left = (claimed.read(number).boards for number in range(len(claimed)))
    held: Boards | None = None
    for number in range(len(before)):
        boards = before.read(number).boards
        last = boards.states.state_id[-1] if len(boards) else 0
        of_part: list[Boards] = []
        while (held := next(claims_left, None) if held is None else held) is not None:
            ids = held.states.state_id
            count = len(ids) if number == len(before) - 1 else int(np.searchsorted(ids, last, "right"))
            of_part.append(held[:count])
            held = held[count:] if count < len(ids) else None
            if held is not None:
                break
        yield number, boards, Boards.concat(of_part)
