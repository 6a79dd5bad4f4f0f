"""One board between its passes: what each check was judged on, found by settling the board again up to there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge.aftermath import copy_changed_columns, finish, fix_effects, room_for_changes, without_effects
from headjudge.effects import Objects
from headjudge.filters import Filter
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.board import DERIVED, FIXED, RESULT, ROW, records
from headjudge.kernels.settling import settle_run
from headjudge.settling import derived, room, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from headjudge.boards import Boards
    from headjudge.effects import EffectText
    from headjudge.kernels.board import Board
    from headjudge.kernels.tables import Choices

Columns = dict[str, Any]
_NO_COMBAT: Final = v.STEPS.index("precombat_main")


@dataclass(frozen=True)
class Moment:
    """A board of one state at one moment."""

    board: Boards
    #: Characteristics after all effects, as `headjudge.settling.derived` has them.
    derived: Columns
    #: Which objects are permanents that are phased in.
    live: NDArray[np.bool_]
    #: Whether `board` is the board of this moment for all that effects see.
    exact: bool = True

    @classmethod
    def of(cls, board: Boards) -> Moment:
        """Return a board as it stands."""
        objects = board.objects
        permanent = (objects.zone == b.BATTLEFIELD) & (objects.kind < b.EMBLEM)
        return cls(board, derived(board), permanent & (objects.flags & b.PHASED_OUT == 0))


@dataclass(frozen=True)
class Replay:
    """The settling of a board of one state, or a procedure on it, carried out again up to any of its passes."""

    board: Boards
    choices: tuple[Choices, NDArray[np.int64]]
    do: int

    @classmethod
    def of(cls, board: Boards, choices: Choices, do: str) -> Replay:
        """Return what is done to a board, a word of `vocabulary.PROCEDURES`."""
        if do in ("end_turn", "end_combat_phase"):
            # Outside of combat these two do the same, and have no combat to end after the check (CR 724.1d).
            do = "end_turn"
            board = replace(board, states=board.states._replace(step=np.full_like(board.states.step, _NO_COMBAT)))
        return cls(board, (choices, np.array([0, len(choices.choice)])), v.PROCEDURES.index(do))

    def after(self, passes: int) -> Moment:
        """Return the board after some of its passes, before a procedure goes on."""
        settled = self._copy()
        results = records(RESULT, 1)
        rows = run(settled, *self.choices, np.zeros(1, np.int64), results, self.do, passes=passes)
        return Moment.of(finish(self.board, settled, [rows], results))

    def opened(self, opening: Sequence[Mapping[str, Any]]) -> Moment:
        """Return the board that the first check is judged on.

        `opening` are the actions before it: what a procedure does first, and consequences. The picture is the kernels'
        own; the board is put together from the actions, and `exact` says whether it comes to the same picture.
        """
        board = self._first_check()
        objects = board.objects[: len(self.board.objects.zone)]
        picture = _picture(objects)
        fixed = _fixed(board, self.board)
        opened = _carried_out(fix_effects(self.board, fixed) if len(fixed) else self.board, opening)
        rebuilt = derived(opened)
        live = objects["live"].copy()
        exact = all(np.array_equal(rebuilt[name][live], picture[name][live]) for name in picture)
        return Moment(opened, picture, live, exact)

    def _first_check(self) -> Board:
        """Return the records of the board, with what was derived for its first check.

        Without room for rows a run stops after the first check that would write some, and derives nothing anew.
        """
        states = np.zeros(1, np.int64)
        board = room(self.board, states)._replace(rows=records(ROW, 0))
        settle_run(self._copy().batch, *self.choices, states, 0, self.do, board, records(RESULT, 1))
        return board

    def _copy(self) -> Boards:
        copy = room_for_changes(self.board)
        copy_changed_columns(self.board, copy, range(1))
        return copy


def _picture(objects: Any) -> Columns:
    """Return what was derived for the records of objects."""
    names = DERIVED.names or ()
    picture = records(DERIVED, len(objects))
    for name in names:
        picture[name] = objects[f"now_{name}"]
    no_creature = objects["now_types"] & b.CREATURE == 0
    picture["power"][no_creature] = v.NULL
    picture["toughness"][no_creature] = v.NULL
    return {name: picture[name] for name in names}


def _fixed(board: Board, boards: Boards) -> Any:
    """Return what effects without a source are fixed to on the records of a board, as kernels write it."""
    rows = []
    objects = len(boards.objects.zone)
    for e, code in enumerate(boards.effects.text.tolist()):
        text: EffectText = boards.lexicon.effects[code]
        filtered = isinstance(text.affects, Filter)
        counted = isinstance(text.affects, Objects) and text.per is not None
        if boards.effects.source[e] == v.NONE and text.rule is None and (filtered or counted):
            reached = np.flatnonzero(board.reach[e, :objects]).tolist() if filtered else []
            rows += [(0, e, i, int(board.effects["per"][e])) for i in (-1, *reached)]
    return np.array(rows, FIXED)


def _carried_out(board: Boards, actions: Sequence[Mapping[str, Any]]) -> Boards:
    """Return a board with what of the actions effects can see: zones, hosts, combat, and which effects have ended."""
    names = ("zone", "attached_to", "attacking", "flags")
    zone, attached_to, attacking, flags = (getattr(board.objects, name).copy() for name in names)
    ended = np.zeros(len(board.effects.text), np.bool_)
    for action in actions:
        rule, row = action["rule"], action["object"]
        if rule == "effect_expires":
            ended |= board.effects.effect_id == action["amount"]
        elif rule == "removed_from_combat":
            attacking[row] = v.NONE
            flags[row] = int(flags[row]) & ~b.BLOCKING
        elif rule == "bestow_ends":
            attached_to[row] = v.NONE
            flags[row] = int(flags[row]) & ~b.BESTOWED
        elif action["from_zone"] != action["to_zone"]:
            zone[row] = v.ZONES.index(action["to_zone"])
    objects = board.objects._replace(zone=zone, attached_to=attached_to, attacking=attacking, flags=flags)
    return without_effects(replace(board, objects=objects), ended)
