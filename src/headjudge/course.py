"""What happens on one board in the order of time: actions, and between them what effects make of the board anew."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge import attribution, wording
from headjudge.attribution import Pictures
from headjudge.errors import one_line
from headjudge.full_result import tells_a_move
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from headjudge.boards import Boards
    from headjudge.full_result import FullResult
    from headjudge.kernels.tables import Choices

#: What a procedure is called.
PROCEDURES: Final = {
    "end_turn": "Ending the turn (CR 724.1)",
    "end_combat_phase": "Ending the combat phase (CR 724.2)",
    "cleanup": "The cleanup step (CR 514.2)",
}
#: What ending the turn or the combat phase does after the check.
_AFTER_THE_CHECK: Final = ("removed_from_combat", "effect_expires", "skipped_to")
#: The board is looked at after so many passes, and no more than this work takes (objects times effects looked at: some
#: seconds); later passes are told without what effects make of the board.
_MOST_PASSES: Final = 200
_MOST_WORK: Final = 1_000_000_000
#: What is told of a pass beyond that.
_UNTOLD: Final[tuple[list[str], list[str]]] = ([], [])


@dataclass(frozen=True)
class Course:
    """What was done to one board, and how to say it."""

    boards: Boards
    choices: Choices
    do: str
    result: FullResult
    name: wording.Namer
    sentence: Callable[[Mapping[str, Any]], str]

    def blocks(self) -> list[str]:
        """Return a block of lines for each pass, and for what came before and after."""
        return [
            "\n".join([title, *(f"  {one_line(line)}" for _, line in lines)])
            for title, lines in groupby(self._lines(), key=lambda titled: titled[0])
        ]

    def _lines(self) -> Iterator[tuple[str, str]]:
        """Yield everything that is told, each line with the title of its block."""
        actions, passes = self.result.actions, self.result.result["passes"]
        if self.do == "cleanup" and self.result.took_place:
            yield from _titled(PROCEDURES["cleanup"], self._worn_off())
        end = PROCEDURES.get(self.do, "At once")
        if not actions:
            yield from _titled(end, self._unsaid(self.boards, self.result.boards_after, actions))
            return
        opening, closing = self._opening(), self._closing()
        changes = self._changes()
        yield from map(self._said, actions[:opening])
        _, made = next(changes)
        yield from _titled(_pass(1) if passes else self._said(actions[opening - 1])[0], made)
        for number, those in groupby(actions[opening:closing], key=lambda action: int(action["pass"])):
            yield from map(self._said, those)
            brought, made = next(changes, _UNTOLD)
            yield from _titled(_pass(number), brought)
            yield from _titled(_pass(number + 1) if number < passes else f"After pass {number}", made)
        yield from _titled(end, map(self.sentence, actions[closing:]))
        yield from _titled(end, chain(*next(changes, _UNTOLD)))

    def _worn_off(self) -> Iterator[str]:
        """Yield what permanents lose in the cleanup step without a row of its own."""
        objects = self.boards.objects
        there = objects.zone == b.BATTLEFIELD
        for column, what in ((objects.damage, "damage marked on"), (objects.regeneration, "regeneration shields of")):
            if rows := np.flatnonzero(there & (column > 0)).tolist():
                yield f"CR 514.2: no more {what} {self.name.together(rows)}"

    def _unsaid(self, before: Boards, after: Boards, actions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Yield what became of a board besides its actions: what they bring along has no rows of its own."""

        def is_of(rule: str) -> NDArray[np.bool_]:
            rows = [action["object"] for action in actions if action["rule"] == rule]
            return np.isin(np.arange(len(before.objects.zone)), rows)

        here, there = before.objects, after.objects
        told = here.zone.copy()
        for action in filter(tells_a_move, actions):
            told[action["object"]] = v.ZONES.index(action["to_zone"])
        moved = told != there.zone
        for old, new in dict.fromkeys(zip(told[moved].tolist(), there.zone[moved].tolist(), strict=True)):
            rows = np.flatnonzero(moved & (told == old) & (there.zone == new)).tolist()
            yield f"besides, {self.name.together(rows)}: {v.ZONES[old]} -> {wording.zone(v.ZONES[new])}"
        stays = here.zone == there.zone
        had_sector = (here.sector != v.NO_SECTOR) | is_of("sector")
        for what, concerned in (
            ("702.158b: no sector is left to", had_sector & (there.sector == v.NO_SECTOR)),
            (
                "506.4c: nothing is attacked any more by",
                (here.attacking != there.attacking) & (there.attacking == v.NOTHING),
            ),
            ("122.1c: a shield counter is used up on", (there.shield < here.shield) & ~is_of("counter_limit")),
        ):
            if found := np.flatnonzero(stays & concerned).tolist():
                yield f"CR {what} {self.name.together(found)}"
        if before.states.planar_controller[0] != after.states.planar_controller[0]:
            yield f"CR 901.6: player {after.states.planar_controller[0]} is the planar controller"
        for seat in np.flatnonzero(before.players.life != after.players.life).tolist():
            yield f"besides, player {seat}: {before.players.life[seat]} -> {after.players.life[seat]} life"

    def _said(self, action: Mapping[str, Any]) -> tuple[str, str]:
        if action["kind"] == "procedure":
            title = PROCEDURES[self.do]
        else:
            title = _pass(action["pass"]) if self.result.result["passes"] else "At once"
        return title, self.sentence(action)

    def _opening(self) -> int:
        """Return how many actions come before the first check."""
        return next((n for n, action in enumerate(self.result.actions) if action["kind"] == "sba"), self._closing())

    def _closing(self) -> int:
        """Return how many actions come before a procedure goes on after the check."""
        actions = self.result.actions
        ending = self.do in ("end_turn", "end_combat_phase")
        return next(
            (
                n
                for n, action in enumerate(actions)
                if ending and action["kind"] == "procedure" and action["rule"] in _AFTER_THE_CHECK
            ),
            len(actions),
        )

    def _changes(self) -> Iterator[tuple[list[str], list[str]]]:
        """Yield what the time before the first check and each pass bring along, and what effects change then.

        Last comes the same of what is left: of a board without passes, or of a procedure's end.
        """
        from headjudge.replay import Moment, Replay

        passes, told = self.result.result["passes"], self._told()
        replay = Replay.of(self.boards, self.choices, self.do)
        opening = self.result.actions[: self._opening()]
        last = Pictures(Moment.of(self.boards))
        moments = chain((replay.opened(opening) if opening else last.moment,), map(replay.after, range(1, told + 1)))
        for number, moment in enumerate(moments):
            brought = self._besides(last, moment.board, number) if number > 0 else []
            pictures = Pictures(moment)
            yield brought, self._between(last, pictures)
            last = pictures
        after = self.result.boards_after
        if told < self._looks():
            yield [], ["From here on only actions are told: there are too many passes."]
        elif told < passes:
            yield self._besides(last, after, passes), []
        else:
            rest = self.result.actions[self._closing() if passes else 0 :]
            brought = list(self._unsaid(last.moment.board, after, rest))
            yield brought, self._between(last, Pictures(Moment.of(after))) if self.do != "settle" else []

    def _looks(self) -> int:
        """Return after how many passes anything looks at the board again: none does once the game is over."""
        row = self.result.result
        return int(row["passes"] if row["outcome"] == "ongoing" or row["status"] == "loop" else row["passes"] - 1)

    def _told(self) -> int:
        """Return after how many passes the board is looked at here."""
        effects = max(1, len(self.boards.effects.text))
        once = effects * len(self.boards.objects.zone)
        trials = 2 * effects if attribution.can_try(self.boards) else 2
        told = min(self._looks(), _MOST_PASSES)
        while told > 0 and told * (told / 2 + trials) * once > _MOST_WORK:
            told -= 1
        return told

    def _besides(self, before: Pictures, after: Boards, number: int) -> list[str]:
        those = [action for action in self.result.actions if action["pass"] == number]
        return list(self._unsaid(before.moment.board, after, those))

    def _between(self, before: Pictures, after: Pictures) -> list[str]:
        return [f"CR 613.1 effects: {line}" for line in attribution.changes(before, after, self.name)]


def _pass(number: int) -> str:
    return f"Pass {number} (CR 704.3)"


def _titled(title: str, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((title, line) for line in lines)
