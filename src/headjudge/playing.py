"""Playing boards out: by default, or by every lawful sequence of choices, a check at a time.

The kernels tell what each check offers (`headjudge.kernels.offering`). Choices are made pass by pass, so that one that
comes up twice may be made differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, product
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from headjudge.aftermath import changed_columns, copy_changed_columns, finish, room_for_changes
from headjudge.boards import Boards
from headjudge.io.choices import by_state
from headjudge.kernels import bits as b
from headjudge.kernels.board import RESULT, records
from headjudge.settling import no_choices, run
from headjudge.spans import go_on

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from headjudge.kernels.tables import Choices

#: More checks than this are not played for one state, and no way of more than so many passes is followed.
MOST_CHECKS: Final = 4_096
MOST_PASSES: Final = 512
#: Checks that are made in one go.
AT_ONCE: Final = 4_096
#: (choice, subject): the subject is the row of an object, or -1 - seat.
Point = tuple[int, int]
#: For one question the answers there are; each is the choices to make: (choice, subject, value).
Answers = list[tuple[tuple[int, int, int], ...]]
#: Which answers of a question of a state are worth trying.
Narrow = Callable[[int, Point, Answers], Answers]


class Played(NamedTuple):
    """Boards after some passes, and of each the records of its result, its rows and the rows that are offers."""

    boards: Boards
    results: Any
    rows: NDArray[Any]
    offers: NDArray[Any]

    def rows_of(self, index: int) -> NDArray[Any]:
        """Return the rows about one board."""
        first, last = np.searchsorted(self.rows["state"], (index, index + 1))
        return self.rows[first:last]

    def offers_to(self, states: NDArray[np.int64]) -> NDArray[Any]:
        """Return the offers of some boards."""
        some = np.zeros(len(self.boards), np.bool_)
        some[states] = True
        return np.asarray(self.offers[some[self.offers["state"]]])

    def of(self, numbers: Sequence[int]) -> Played:
        """Return some of the boards with their results, without rows."""
        return Played(self.boards[numbers], self.results[numbers], self.rows[:0], self.offers[:0])


def play(
    boards: Boards,
    choices: tuple[Choices, NDArray[np.int64]] | None = None,
    *,
    do: int = b.SETTLE,
    passes: int = 0,
    states: NDArray[np.int64] | None = None,
    tells_offers: bool = True,
    so_far: Any = None,
) -> Played:
    """Make so many passes on boards, 0 = until nothing applies; `states` are those on which anything can apply.

    The boards must be fit to be judged. `so_far` are the results before the end of a procedure (`bits.CLOSES`).
    """
    settled = room_for_changes(boards)
    copy_changed_columns(boards, settled, range(len(boards)))
    results = records(RESULT, len(boards)) if so_far is None else so_far
    states = np.arange(len(boards)) if states is None else states
    rows = run(settled, *(choices or no_choices(boards)), states, results, do, passes=passes, tells_offers=tells_offers)
    written = rows.rows.view(np.ndarray)
    is_offer = written["kind"] == b.OFFER
    return Played(finish(boards, settled, [rows], results), results, written[~is_offer], written[is_offer])


class Way(NamedTuple):
    """A board on the way: state it comes from, where it stands, the rows so far."""

    root: int
    boards: Boards
    number: int
    rows: tuple[Any, ...] = ()
    passes: int = 0

    def stand(self) -> tuple[Any, ...]:
        """Return everything on the board that settling changes, to be compared with other ways of the state."""
        boards, number = self.boards, self.number
        effects = slice(*boards.effects_start[number : number + 2])
        # The texts of effects may have other numbers in another lexicon.
        found: list[Any] = [boards.lexicon.effects[text] for text in boards.effects.text[effects]]
        for name, changed in changed_columns(boards).items():
            table: Any = getattr(boards, name)
            columns = changed if name in ("states", "players", "objects") else table._fields
            bounds = (number, number + 1) if name == "states" else boards.table(name)[1][number : number + 2]
            rows = slice(*bounds)
            found += [getattr(table, column)[rows].tobytes() for column in columns if column != "text"]
        return tuple(found)

    def has_triggered(self) -> bool:
        """Whether an ability has triggered on the way whose controller is in the game (CR 603.3a, 800.4d)."""
        flags = self.boards.players.flags[self.boards.players_start[self.number] :]
        return any(
            flags[row["controller"]] & b.IN_GAME
            for rows in self.rows
            for row in rows[np.isin(rows["rule"], (b.DIES_TRIGGER, b.LEAVES_TRIGGER))]
        )


class Question(NamedTuple):
    """A way, and what is already chosen for its next check."""

    way: Way
    chosen: dict[Point, tuple[tuple[int, int, int], ...]]


class Search:
    """Every lawful way through a batch of boards; `ways` are those that go on.

    Ways of a state that come to the same board are one: what comes of it does not depend on how it came about. So
    what goes round in circles ends.
    """

    def __init__(self, boards: Boards, do: int, one_pass: bool, narrow: Narrow, most_checks: int = MOST_CHECKS) -> None:
        self._do = do
        self._most_checks = most_checks
        self._one_pass = one_pass
        self._narrow = narrow
        self._checks = [0] * len(boards)
        #: States of which not every way could be played.
        self.unfinished: set[int] = set()
        self.ways = [Way(root, boards, root) for root in range(len(boards))]
        if do != b.SETTLE:
            opened = play(boards, do=do | b.OPENS)
            self.ways = [Way(root, opened.boards, root, (opened.rows_of(root),)) for root in range(len(boards))]
        self._seen = {(way.root, way.stand()) for way in self.ways}

    def drop(self, roots: set[int]) -> None:
        """Follow no more ways of these states."""
        self.ways = [way for way in self.ways if way.root not in roots]

    def step(self) -> Iterator[tuple[Played, list[Way]]]:
        """Make one check on every way; yields what was played and the ways that have come to their end there."""
        questions = [Question(way, {}) for way in self.ways]
        self.ways = []
        while questions:
            go_on()
            some, questions = questions[:AT_ONCE], questions[AT_ONCE:]
            played = play(_gathered([q.way for q in some]), _columns([q.chosen for q in some]), passes=1)
            ends: list[Way] = []
            more: list[Question] = []
            offered = _points(played)
            bounds = np.searchsorted(played.rows["state"], np.arange(len(some) + 1)).tolist()
            results = (played.results[name].tolist() for name in ("status", "passes", "outcome"))
            for index, (way, chosen), status, passes, outcome in zip(count(), some, *results, strict=False):
                if status == b.REJECTED:
                    continue  # no answer to what came up later in the same check
                points = offered.get(index, {})
                open_points = {point: answers for point, answers in points.items() if point not in chosen}
                if open_points:
                    more += self._asked(way, chosen, open_points)
                    continue
                rows = played.rows[bounds[index] : bounds[index + 1]]
                rows["pass_"] += way.passes
                reached = Way(way.root, played.boards, index, (*way.rows, rows), way.passes + passes)
                if passes == 0 or outcome != b.ONGOING_GAME or self._one_pass:
                    ends.append(reached)
                elif reached.passes >= MOST_PASSES:
                    self.unfinished.add(way.root)
                elif (stand := (way.root, reached.stand())) not in self._seen:
                    self._seen.add(stand)
                    self.ways.append(reached)
            yield (played, ends) if self._do == b.SETTLE or not ends else self._closed(ends)
            questions += more

    def _closed(self, ways: Sequence[Way]) -> tuple[Played, list[Way]]:
        """Carry out what comes after the last check of a procedure."""
        so_far = records(RESULT, len(ways))
        so_far["passes"] = [way.passes for way in ways]
        so_far["priority"] = [way.has_triggered() for way in ways]
        played = play(_gathered(ways), do=self._do | b.CLOSES, so_far=so_far)
        return played, [
            way._replace(boards=played.boards, number=index, rows=(*way.rows, played.rows_of(index)))
            for index, way in enumerate(ways)
        ]

    def _asked(self, way: Way, chosen: dict[Point, Any], points: dict[Point, Answers]) -> list[Question]:
        """Return a question for each combination of answers, as far as there is room for more checks."""
        answers = [self._narrow(way.root, point, options) for point, options in points.items()]
        combinations = prod(map(len, answers))
        room = self._most_checks - self._checks[way.root]
        if combinations > room:
            self.unfinished.add(way.root)
        self._checks[way.root] += min(combinations, room)
        combined = zip(range(room), product(*answers), strict=False)
        return [Question(way, chosen | dict(zip(points, answer, strict=True))) for _, answer in combined]


def _gathered(ways: Sequence[Way]) -> Boards:
    """Return the boards of all ways as one batch, in order."""
    parts: list[Boards] = []
    first = 0
    for last in range(1, len(ways) + 1):
        if last == len(ways) or ways[last].boards is not ways[first].boards:
            parts.append(ways[first].boards[[way.number for way in ways[first:last]]])
            first = last
    return parts[0] if len(parts) == 1 else Boards.concat(parts)


def _columns(chosen: Sequence[dict[Point, tuple[tuple[int, int, int], ...]]]) -> tuple[Choices, NDArray[np.int64]]:
    rows = sorted(
        (index, *row) for index, answers in enumerate(chosen) for answer in answers.values() for row in answer
    )
    state, choice, subject, value = np.array(rows, np.int64).reshape(-1, 4).T
    return by_state(state, choice, subject, value, len(chosen))


def _points(played: Played) -> dict[int, dict[Point, Answers]]:
    """Return what each check asked and the answers to it, where there are several."""
    asked: dict[int, dict[Point, Answers]] = {}
    legends: dict[tuple[int, int, int], list[int]] = {}
    offers = played.offers
    name = played.boards.objects.name[played.boards.objects_start[offers["state"]] + np.maximum(offers["object"], 0)]
    columns = (offers[column].tolist() for column in ("state", "rule", "object", "seat", "amount", "controller"))
    for state, choice, row, seat, option, controller, called in zip(*columns, name.tolist(), strict=True):
        if choice == b.CHOOSE_KEEP:
            legends.setdefault((state, controller, called), []).append(row)
            continue
        subject = row if row >= 0 else -1 - seat
        answer = ((choice, subject, option),)
        answers = asked.setdefault(state, {}).setdefault((choice, subject), [])
        if answer not in answers:
            answers.append(answer)
    for (state, _, _), members in legends.items():
        answers = [((b.CHOOSE_KEEP, member, 0),) for member in members]
        asked.setdefault(state, {})[b.CHOOSE_KEEP, members[0]] = answers
    return {
        state: {point: answers for point, answers in points.items() if len(answers) > 1}
        for state, points in asked.items()
    }


def choosing(offers: NDArray[Any]) -> NDArray[np.int64]:
    """Return the states to which a check offered a choice between several answers, or may have."""
    by = ("state", "pass_", "rule", "object", "seat")
    order = np.lexsort([offers[name] for name in reversed(by)])
    questions = np.stack([offers[name][order] for name in by])
    several = order[1:][(questions[:, 1:] == questions[:, :-1]).all(axis=0)]
    legends = np.flatnonzero(offers["rule"] == b.CHOOSE_KEEP)
    return np.unique(offers["state"][np.concatenate((several, legends))])
