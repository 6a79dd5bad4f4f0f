"""Judging what another engine made of boards: right if some lawful sequence of choices leads there (CR 704).

Most claims agree with the default choices and cost one settling and a comparison of columns. For the others the choices
that they show are tried (`headjudge.guessing`), then every lawful way is played (`headjudge.playing`), and what is left
is told by object against the nearest outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from headjudge import claims
from headjudge.boards import BOARDS, Boards, rows_of_states, starts_of_states
from headjudge.errors import DataError, check_type
from headjudge.guessing import meant_choices
from headjudge.io.scenario_yaml import flow
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.catalogue import NAMES
from headjudge.kernels.screen import clear_marks_run
from headjudge.playing import MOST_CHECKS, Search, choosing, play
from headjudge.result_tables import can_move, judging_errors, later_results, outcome_of, words
from headjudge.results import WORD
from headjudge.settling import rejected
from headjudge.spans import each, spans, workers
from headjudge.validation import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from headjudge.claims import Claim, Columns, View
    from headjudge.playing import Answers, Played, Point, Way

#: One row a finding; a state that agrees or cannot be judged has one row without a finding.
VERDICTS: Final = pa.schema(
    [
        pa.field("state_id", pa.int64(), nullable=False),
        pa.field("verdict", WORD, nullable=False),
        pa.field("kind", WORD),
        pa.field("rule", WORD),
        pa.field("object_id", pa.int32()),
        pa.field("seat", pa.int16()),
        pa.field("field", pa.string()),
        pa.field("expected", pa.string()),
        pa.field("claimed", pa.string()),
        pa.field("reason", pa.string()),
    ]
)
AGREE, DISAGREE, REJECTED = VERDICT_WORDS = ("agree", "disagree", "rejected")
#: Objects that are judged in one go, at most and at least: a search for other choices makes its calls once for all.
OBJECTS: Final = 262_144
FEW_OBJECTS: Final = 4_096
#: Checks played for one state to find an outcome that is nearer to a claim that is wrong.
MOST_NEARER: Final = 256
MISSED, SPURIOUS, WRONG_RESULT = KIND_WORDS = ("missed", "spurious", "wrong_result")

#: Which rules change a field; where none of them acted, whatever acted first is named.
_CHANGED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "attached_to": ("illegal_equipment", "illegal_attachment", "bestow_ends"),
    "counters": ("counters_cancel", "counter_limit"),
    "attacking": ("removed_from_combat",),
    "blocking": ("removed_from_combat",),
    "protector": ("battle_no_protector", "battle_illegal_protector"),
    "sector": ("sector",),
    "face_up": ("scheme_turned_down", "phenomenon"),
    "bestowed": ("bestow_ends",),
    "speed": ("start_engines",),
    "designations": v.DESIGNATIONS,
}
#: Marks that are about what happened since the last check: the rule that asks for them (704.5b, 704.5h, 704.6d).
_MARKS: Final = {
    "deathtouch_damage": "deathtouch_damage",
    "drew_from_empty": "empty_draw",
    "arrived": "commander_zone",
}


@dataclass(frozen=True)
class Verification:
    """What became of claims: `verdicts` (schema `VERDICTS`), by state, and which fields were judged."""

    verdicts: pa.Table
    fields: tuple[str, ...]
    #: How many states there are of each verdict.
    counts: dict[str, int]

    def save(self, path: str | Path) -> None:
        """Write a folder with the table `verdicts`. Raises `DataError` if `path` holds something."""
        from headjudge.io import parquet

        parquet.save_verdicts(self.verdicts, path)

    def __repr__(self) -> str:
        return f"<Verification: {', '.join(f'{count:,} {word}' for word, count in self.counts.items())}>"


class Finding(NamedTuple):
    """One difference between a claim and the nearest lawful outcome."""

    kind: str
    rule: str | None
    #: Row of the object within the state, or None.
    object: int | None
    seat: int | None
    field: str
    expected: str
    claimed: str


class Judgement(NamedTuple):
    """What became of the claim about one state."""

    verdict: str
    findings: tuple[Finding, ...] = ()
    reason: str | None = None


def verify(
    before: Boards,
    claimed: Boards,
    *,
    fields: Collection[str] | None = None,
    one_pass: bool = False,
    do: str = "settle",
    threads: int | None = None,
) -> Verification:
    """Judge what another engine made of boards.

    A claim is right if some lawful sequence of choices leads to it: which legend is kept, whether a commander moves,
    protectors, sectors, which replacement applies. Otherwise the findings say what differs from the nearest outcome.

    Parameters
    ----------
    before
        The boards as the engine got them.
    claimed
        What it made of them: the same states in the same order. Objects are matched by `object_id`; one that is
        missing is claimed to have ceased to exist.
    fields
        The fields that the engine reports and that are judged (`headjudge.claims`), by default all of
        `claims.OBJECT_FIELDS` and `claims.PLAYER_FIELDS`.
    one_pass
        The claim is about the boards after one check, rather than when nothing applies any more.
    do
        ``settle``, or the procedure that the engine carried out (`headjudge.procedures`).
    threads
        How many threads work on it; by default as many as there are processors.

    Raises
    ------
    DataError
        If the states are not the same, a field is unknown, or `one_pass` is asked of a procedure.
    """
    check_type("before", before, isinstance(before, Boards), BOARDS)
    check_type("claimed", claimed, isinstance(claimed, Boards), BOARDS)
    judged = claims.checked_fields(fields)
    if do not in v.PROCEDURES:
        raise DataError(f"do: expected one of {', '.join(v.PROCEDURES)}, found {do!r}")
    if one_pass and do != "settle":
        raise DataError(f"one_pass: expected do: settle, found {do}")
    if not np.array_equal(before.states.state_id, claimed.states.state_id):
        raise DataError(f"claimed: expected the states before ({len(before):,}), in their order; found others")
    threads = workers(threads)
    readable = _readable(claimed)
    unreadable = rejected(readable, Check.of(readable, threads))
    reasons = {state: f"claimed: {reason}" for state, reason in unreadable.items()}
    check = Check.of(before, threads)
    before = before.writeable
    reasons |= rejected(before, check)
    judgements = {state: Judgement(REJECTED, reason=reason) for state, reason in reasons.items()}
    states = np.delete(np.arange(len(before)), list(reasons))
    given, claim = (before, claimed) if not reasons else (before[states], claimed[states])
    given, claim = _with_one_lexicon(given, claim)
    needed, marked = check.needed[states], check.marked[states]

    def compare(span: range) -> NDArray[np.int64]:
        """Return the boards of a span of which the claim is not the same as what comes of the default choices."""
        rows = np.arange(span.start, span.stop)
        part, told = given[span.start : span.stop], claim[span.start : span.stop]
        if len(part.effects.text):
            return rows
        expected = play_by_default(part, needed[rows], marked[rows], do, one_pass, tells_offers=False)
        agree = claims.alike(expected.boards, told, judged) & (expected.results["status"] == b.SETTLED)
        return np.asarray(rows[~agree])

    differing = list(each(compare, list(spans(given.objects_start, OBJECTS)), threads))
    rest = np.concatenate(differing) if differing else np.zeros(0, np.int64)
    rest_start = starts_of_states(given.objects_start, rest)
    share = max(FEW_OBJECTS, min(OBJECTS, int(1.1 * rest_start[-1]) // threads))  # a tenth more: no short last span

    def work(span: range) -> dict[int, Judgement]:
        rows = rest[span.start : span.stop]
        part = given[rows]
        about = claims.of_boards(part, claim[rows], judged)
        found = judge(part, about, needed[rows], marked[rows], one_pass=one_pass, do=do)
        return {int(states[rows[row]]): judgement for row, judgement in found.items()}

    for found in each(work, list(spans(rest_start, share)), threads):
        judgements |= found
    counts = {AGREE: len(before) - len(judgements), DISAGREE: 0, REJECTED: 0}
    for judgement in judgements.values():
        counts[judgement.verdict] += 1
    return Verification(_table(before, judgements), judged, counts)


def _with_one_lexicon(before: Boards, claimed: Boards) -> tuple[Boards, Boards]:
    if claimed.lexicon is before.lexicon:
        return before, claimed
    both = Boards.concat((before, claimed))
    return both[: len(before)], both[len(before) :]


def _readable(claimed: Boards) -> Boards:
    """Return boards that are rejected only if they cannot be read, not for what no game could have come to."""
    everyone_plays = claimed.players._replace(flags=claimed.players.flags | np.uint8(b.IN_GAME))
    no_variant = claimed.states._replace(variant=np.zeros_like(claimed.states.variant))
    return replace(claimed, players=everyone_plays, states=no_variant)


def judge(
    before: Boards,
    claim: Claim,
    needed: NDArray[np.bool_],
    marked: NDArray[np.bool_],
    *,
    one_pass: bool = False,
    do: str = "settle",
) -> dict[int, Judgement]:
    """Judge the claim about every board, which must be fit to be judged; states that agree are left out.

    `needed` and `marked` are what `validation.Check` says of the boards.
    """
    code = v.PROCEDURES.index(do)
    played = play_by_default(before, needed, marked, do, one_pass)
    nearest = Nearest(before, claim, by_procedure=do != "settle", one_pass=one_pass)
    nearest.look(played, np.arange(len(before)), played.rows_of, by_default=True)
    judgements = {state: Judgement(REJECTED, reason=reason) for state, reason in claim.faults.items()}
    endless = set(np.flatnonzero(played.results["status"] == b.LOOP).tolist())
    unknown = judging_errors(before, played.results)
    nearest.forget({*endless, *unknown})
    doubtful = np.array(sorted({*nearest.differing, *endless, *unknown} - judgements.keys()), np.int64)
    offers = played.offers_to(doubtful)
    states = choosing(offers)
    if len(states):
        meant = play(
            before[states], meant_choices(before, claim, played, offers, states), do=code, passes=int(one_pass)
        )
        settled = np.flatnonzero(meant.results["status"] == b.SETTLED).tolist()
        nearest.look(meant.of(settled), states[settled], lambda index: meant.rows_of(settled[index]))
    roots = [state for state in states.tolist() if not nearest.agrees(state)]
    unfinished = play_every_way(before[roots], code, one_pass, roots, nearest) if roots else set()
    for state in sorted({*nearest.differing, *endless, *unknown}):
        if nearest.agrees(state):
            continue
        if state in unknown:
            judgement = Judgement(REJECTED, reason=unknown[state])
        elif state in unfinished:
            reason = f"more lawful sequences of choices than are tried ({MOST_CHECKS:,} checks)"
            judgement = Judgement(REJECTED, reason=reason)
        elif not nearest.knows(state):
            judgement = Judgement(REJECTED, reason="the actions never end (CR 732.4): a draw")
        else:
            judgement = Judgement(DISAGREE, nearest.findings(state))
        judgements.setdefault(state, judgement)
    return judgements


def play_by_default(
    boards: Boards,
    needed: NDArray[np.bool_],
    marked: NDArray[np.bool_],
    do: str,
    one_pass: bool,
    tells_offers: bool = True,
) -> Played:
    """Play boards by the default choices."""
    settles = do == "settle"  # a procedure does something on every board
    states = np.flatnonzero(needed) if settles else np.arange(len(boards))
    code = v.PROCEDURES.index(do)
    played = play(boards, do=code, passes=int(one_pass), states=states, tells_offers=tells_offers)
    if settles:
        clear_marks_run(played.boards.objects.flags, boards.objects_start, np.flatnonzero(marked))
    return played


def play_every_way(boards: Boards, do: int, one_pass: bool, roots: list[int], nearest: Nearest) -> set[int]:
    """Play every lawful way of some boards, the states `roots`; returns those of which not every way could be played.

    Ways of a state end with the first one that the claim agrees with. First only those are played that the claim can
    mean; where none agrees, also those that are nearer to it than what it can mean.
    """
    search = Search(
        boards, do, one_pass, lambda root, point, answers: nearest.worth_trying(roots[root], point, answers)
    )
    _follow(search, roots, nearest)
    disagreeing = [i for i, root in enumerate(roots) if not nearest.agrees(root) and i not in search.unfinished]
    if disagreeing:
        every_way = Search(boards[disagreeing], do, one_pass, lambda root, point, answers: answers, MOST_NEARER)
        _follow(every_way, [roots[i] for i in disagreeing], nearest)
    return {roots[i] for i in search.unfinished}


def _follow(search: Search, roots: Sequence[int], nearest: Nearest) -> None:
    """Look at the end of every way of a search."""
    while search.ways:
        for played, ways in search.step():
            if ways:
                states = np.array([roots[way.root] for way in ways])
                nearest.look(played.of([way.number for way in ways]), states, partial(_rows_of_way, ways))
        search.drop({i for i, root in enumerate(roots) if nearest.agrees(root)})


def _rows_of_way(ways: Sequence[Way], index: int) -> NDArray[Any]:
    return np.concatenate(ways[index].rows)


class Difference(NamedTuple):
    """Where an outcome and a claim differ: the row within the state of an object or player, and its first field.

    Without a row it is about the game as a whole.
    """

    is_object: bool
    row: int | None
    field: str
    expected: Any


#: What an object or player that differs weighs, beside which of its fields does so first.
_ONE: Final = 1 << 20


class Look(NamedTuple):
    """Outcomes that were compared with the claims about them together."""

    #: For objects and for players: whether they are objects, what came, its fields, the place there of the first that
    #: differs in each row (-1: none), where the rows of each outcome start.
    tables: list[tuple[bool, Columns, list[str], NDArray[np.int8], NDArray[np.int64]]]
    games: dict[int, list[Difference]]
    #: The rows on the way to each outcome.
    rows: Callable[[int], Any]

    def distances(self, outcomes: int) -> NDArray[np.int64]:
        """Return how much each outcome differs: in how many objects, players and facts about the game.

        Of those that differ in as many, the one is nearer whose first fields that differ come later.
        """
        distances = np.zeros(outcomes, np.int64)
        for _, _, fields, first, start in self.tables:
            rows = np.flatnonzero(first >= 0)
            outcome = np.searchsorted(start, rows, "right") - 1
            np.add.at(distances, outcome, _ONE + len(fields) - first[rows].astype(np.int64))
        for index, differences in self.games.items():
            distances[index] += _ONE * len(differences)
        return distances

    def differences(self, index: int) -> list[Difference]:
        """Return what differs in an outcome."""
        found = []
        for is_object, expected, fields, first, start in self.tables:
            begin, end = start[index : index + 2].tolist()
            for row in np.flatnonzero(first[begin:end] >= 0).tolist():
                field = fields[first[begin + row]]
                found.append(Difference(is_object, row, field, claims.value_at(expected[field], begin + row)))
        return found + self.games.get(index, [])


class Nearest:
    """For each state the lawful outcome that differs from the claim about the fewest objects and players."""

    #: More differences than there can be: no outcome of the state has been looked at.
    _UNKNOWN: Final = np.iinfo(np.int64).max

    def __init__(self, before: Boards, claim: Claim, *, by_procedure: bool, one_pass: bool) -> None:
        self._before = before
        self._claim = claim
        self._by_procedure = by_procedure
        #: Whether things can still be attached to what has left.
        self._in_between = by_procedure or one_pass
        self._looks: list[Look] = []
        #: Of the nearest outcome of each state: how much differs, the look at it and its place there.
        self._least = np.full(len(before), self._UNKNOWN)
        self._look = np.zeros(len(before), np.int64)
        self._place = np.zeros(len(before), np.int64)
        self._given: View | None = None

    @property
    def differing(self) -> list[int]:
        """The states of which outcomes have been looked at, and none agrees so far."""
        found: list[int] = np.flatnonzero((self._least > 0) & (self._least < self._UNKNOWN)).tolist()
        return found

    def agrees(self, state: int) -> bool:
        """Whether an outcome of the state agrees with the claim."""
        return bool(self._least[state] == 0)

    def knows(self, state: int) -> bool:
        """Whether an outcome of the state has been looked at."""
        return bool(self._least[state] < self._UNKNOWN)

    def forget(self, states: Collection[int]) -> None:
        """Forget the outcomes of some states."""
        self._least[list(states)] = self._UNKNOWN

    def look(
        self, played: Played, states: NDArray[np.int64], rows: Callable[[int], Any], *, by_default: bool = False
    ) -> None:
        """Look at outcomes of some states; `rows` gives the rows on the way to each.

        The first look is at what comes by default, of all states. Where both differ as much, what was chosen is
        preferred to the default: it is what the claim meant.
        """
        claim, before, boards = self._claim, self._before, played.boards
        claimed, judged_objects, judged_players = claim.view, claim.objects, claim.players
        if not by_default:
            objects, _ = rows_of_states(before.objects_start, states)
            players, _ = rows_of_states(before.players_start, states)
            claimed = claimed.take(objects, players)
            judged_objects = claims.rows_of(judged_objects, objects)
            judged_players = claims.rows_of(judged_players, players)
        found = claims.view(boards, {**claim.objects, "zone": None}, claim.players)
        if self._in_between and "attached_to" in judged_objects:
            came_off = _detached(before[states], boards)
            found, claimed = came_off(found), came_off(claimed)
        tables = []
        for is_object, expected, stated, judged, start in (
            (True, found.objects, claimed.objects, judged_objects, boards.objects_start),
            (False, found.players, claimed.players, judged_players, boards.players_start),
        ):
            first = claims.first_differences(expected, stated, judged, int(start[-1]))
            tables.append((is_object, expected, list(judged), first, start))
        look = Look(tables, self._games(played, states), rows)
        distances = look.distances(len(states))
        nearest_first = np.argsort(distances, kind="stable")
        some, earliest = np.unique(states[nearest_first], return_index=True)
        place = nearest_first[earliest]
        least = self._least[some]
        is_nearer = (distances[place] < least) | ((distances[place] == least) & (self._look[some] == 0))
        nearer, place = some[is_nearer], place[is_nearer]
        self._least[nearer], self._look[nearer], self._place[nearer] = distances[place], len(self._looks), place
        if len(nearer):
            self._looks.append(look)

    def _games(self, played: Played, states: NDArray[np.int64]) -> dict[int, list[Difference]]:
        """Return what differs of what is claimed of games as a whole."""
        if not self._claim.games:
            return {}
        results = later_results(self._before[states], played.boards, played.results, {}, self._by_procedure)()
        differences: dict[int, list[Difference]] = {}
        for index, (state, came) in enumerate(zip(states.tolist(), results.to_pylist(), strict=True)):
            came["outcome"] = outcome_of(came)
            for name, value in self._claim.games.get(state, {}).items():
                if came[name] != value:
                    differences.setdefault(index, []).append(Difference(False, None, name, came[name]))
        return differences

    def worth_trying(self, state: int, point: Point, answers: Answers) -> Answers:
        """Return the answers to a question that can lead to the claim, where the claim itself says which.

        What is left out leads to an outcome that differs from the claim about the very object, whatever else happens:
        nothing comes back to the battlefield or out of the command zone, and nothing depends on a sector.
        """
        choice = point[0]
        if choice == b.CHOOSE_KEEP:
            there = [answer for answer in answers if self._claimed(state, answer[0][1], "zone") == b.BATTLEFIELD]
            return there[:1] or answers
        if choice == b.CHOOSE_COMMAND_ZONE:
            zone = self._claimed(state, point[1], "zone")
            if zone not in (None, b.NOWHERE):
                return [answer for answer in answers if answer[0][2] == (zone == b.COMMAND)]
        if choice == b.CHOOSE_SECTOR:
            sector = self._claimed(state, point[1], "sector")
            return [answer for answer in answers if answer[0][2] == sector] or answers[:1]
        return answers

    def _claimed(self, state: int, row: int, field: str) -> Any:
        """Return what is claimed of an object, None if it is not judged."""
        at = self._before.objects_start[state] + row
        judged = self._claim.objects.get(field)
        if judged is None or not claims.value_at(judged, at):
            return None
        return claims.value_at(self._claim.view.objects[field], at)

    def findings(self, state: int) -> tuple[Finding, ...]:
        """Return what differs from the nearest outcome."""
        if self._given is None:
            self._given = claims.view(self._before, self._claim.objects, self._claim.players)
        look, place = self._looks[self._look[state]], int(self._place[state])
        rows = look.rows(place)
        return tuple(self._finding(state, difference, rows) for difference in look.differences(place))

    def _finding(self, state: int, difference: Difference, rows: Any) -> Finding:
        is_object, row, field, expected = difference
        if row is None:
            claimed = self._claim.games[state][field]
            return Finding(WRONG_RESULT, None, None, None, field, flow(expected), flow(claimed))
        start = (self._before.objects_start if is_object else self._before.players_start)[state]
        at = int(start) + row
        assert self._given is not None
        given, claimed = (
            claims.value_at((view.objects if is_object else view.players)[field], at)
            for view in (self._given, self._claim.view)
        )
        rows = rows[rows["object" if is_object else "seat"] == row]
        listed = (self._claim.rules or {}).get(at if is_object else -1 - at, ())
        extra = [name for name in listed if NAMES.index(name) not in rows["rule"]]
        kind = self._kind(rows, listed, extra, _is_same(claimed, given), _is_same(expected, given))
        rule = next(iter((*extra, *listed)), None)
        if kind != SPURIOUS:
            if field == "counters" and _is_same(expected[:2], claimed[:2]):  # those that cancel each other are right
                rows = rows[rows["rule"] != b.COUNTERS_CANCEL]
            rule = _rule(rows, field, None if kind == MISSED else expected)
        word = claims.wording(self._before, field)
        return Finding(
            kind, rule, row if is_object else None, None if is_object else row, field,
            word(expected, state), word(claimed, state),
        )  # fmt: skip

    def _kind(self, rows: Any, listed: Sequence[str], extra: Sequence[str], left: bool, stays: bool) -> str:
        """Return the kind of a finding: `left` as it was given by the claim, or `stays` so by the rules.

        `rows` are what should have happened to it, `listed` the actions on it that the claim lists, `extra` those of
        them that are not due. If it lists actions, but none here, what was due is missed.
        """
        if left or (self._claim.rules is not None and not listed and len(rows)):
            return MISSED
        uncalled_for = len(extra) > 0 if listed else not len(rows)
        return SPURIOUS if stays and uncalled_for else WRONG_RESULT


def _detached(before: Boards, after: Boards) -> Callable[[View], View]:
    """Return what changes a view so that nothing is attached to what has changed zones (CR 400.7, 701.3d)."""
    moved = before.objects.zone != after.objects.zone
    first = np.repeat(before.objects_start[:-1], np.diff(before.objects_start))

    def came_off(view: View) -> View:
        host = np.asarray(view.objects["attached_to"])
        is_off = (host >= 0) & moved[np.maximum(first + host, 0)]
        return replace(view, objects={**view.objects, "attached_to": np.where(is_off, v.NONE, host)})

    return came_off


def _is_same(x: Any, y: Any) -> bool:
    """Whether two values of a field are the same; counters of kinds that one side does not know are none."""
    pairs = zip_longest(np.atleast_1d(x).tolist(), np.atleast_1d(y).tolist(), fillvalue=0)
    return all(one == other for one, other in pairs)


def _rule(rows: Any, field: str, expected: Any) -> str | None:
    """Return the rule that should have acted on an object or player, of the rows about it.

    `expected` is what its field should have become, None for a claim that left it as it was.
    """
    if field in _MARKS:
        return _MARKS[field]
    if field in ("damage", "tapped", "regeneration", "life"):
        chosen = rows[rows["replaced_by"] >= 0]
    elif field == "zone":
        chosen = rows[can_move(rows["rule"], rows["amount"]) & (rows["to_zone"] != rows["from_zone"])]
        if expected is not None and (chosen["to_zone"] == expected).any():
            chosen = chosen[chosen["to_zone"] == expected]
    else:
        chosen = rows[np.isin(rows["rule"], [NAMES.index(name) for name in _CHANGED_BY.get(field, ())])]
    for some in (chosen[chosen["kind"] == b.SBA], chosen, rows[rows["kind"] == b.SBA], rows):
        if len(some):
            return str(NAMES[some["rule"][0]])
    return None


def _table(boards: Boards, judgements: Mapping[int, Judgement]) -> pa.Table:
    """Return the table `verdicts`."""
    states: list[int] = []
    rows: list[tuple[Any, ...]] = []
    nothing: tuple[Any, ...] = (None,) * 7
    for state, (verdict, findings, reason) in judgements.items():
        found = [tuple(finding) for finding in findings] or [nothing]
        states += [state] * len(found)
        rows += [(verdict, *f, reason) for f in found]
    agreeing = np.ones(len(boards), np.bool_)
    agreeing[list(judgements)] = False
    agreeing_states = np.flatnonzero(agreeing)
    every = np.concatenate((np.array(states, np.int64), agreeing_states))
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * 9
    verdicts, kind, rule, object_, seat, *texts = columns
    ids = [
        None if row is None else int(boards.objects.object_id[boards.objects_start[state] + row])
        for state, row in zip(states, object_, strict=True)
    ]
    agreed = len(agreeing_states)

    def column(values: Sequence[Any], dtype: pa.DataType) -> pa.Array:
        return pa.concat_arrays([pa.array(values, dtype), pa.nulls(agreed, dtype)])

    def worded(values: Sequence[Any], known: tuple[str, ...], rest: int = -1) -> pa.Array:
        codes = np.full(len(every), rest, np.int8)
        codes[: len(values)] = [-1 if x is None else known.index(x) for x in values]
        return words(known, codes)

    table = pa.Table.from_arrays(
        [
            pa.array(boards.states.state_id[every]),
            worded(verdicts, VERDICT_WORDS, VERDICT_WORDS.index(AGREE)),
            worded(kind, KIND_WORDS),
            worded(rule, NAMES),
            column(ids, pa.int32()),
            column(seat, pa.int16()),
            *(column(text, pa.string()) for text in texts),
        ],
        schema=VERDICTS,
    )
    return table.take(pa.array(np.argsort(every, kind="stable"))) if judgements else table
