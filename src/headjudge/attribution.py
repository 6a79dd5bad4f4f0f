"""What continuous effects make of a board, and which of them: found by leaving each out (CR 613)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from headjudge import wording
from headjudge.boards import Boards
from headjudge.io.board_records import boards_of, record_of
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Beyond these every effect is not left out one by one; what they make of the board is said without saying which.
_MOST_EFFECTS: Final = 64
_MOST_OBJECTS: Final = 2_000


class Picture(NamedTuple):
    """What one object is after all effects."""

    power: int | None
    toughness: int | None
    controller: int
    types: int
    keywords: int

    def differences(self, other: Picture) -> str:
        """Return how another picture of the same object differs, in words."""
        facts = []
        if (self.power, self.toughness) != (other.power, other.toughness):
            facts.append(f"{_size(self)} -> {_size(other)}")
        if self.types != other.types:
            facts.append(f"{_types(self)} -> {_types(other)}")
        if self.controller != other.controller:
            facts.append(f"player {self.controller} -> player {other.controller}")
        gained = v.words_of(v.KEYWORDS, other.keywords & ~self.keywords)
        lost = v.words_of(v.KEYWORDS, self.keywords & ~other.keywords)
        facts += [f"gains {wording.enumerated(map(wording.spaced, gained))}"] if gained else []
        facts += [f"loses {wording.enumerated(map(wording.spaced, lost))}"] if lost else []
        return ", ".join(facts)


def _size(picture: Picture) -> str:
    return "no creature" if picture.power is None else wording.size(picture.power, picture.toughness)


def _types(picture: Picture) -> str:
    return " ".join(v.words_of(v.TYPES, picture.types)) or "no type"


def lines(board: Boards, name: wording.Namer) -> list[str]:
    """Return a line for each object of a batch of one state that effects change, with the effects that do."""
    effects = len(board.effects.text)
    if not effects:
        return []
    record = record_of(board)
    every = range(effects)
    trials = every if effects <= _MOST_EFFECTS and len(record.objects) <= _MOST_OBJECTS else range(0)
    chosen: list[set[int]] = [
        set(every), set(), *({*every} - {e} for e in trials), *({e} for e in trials),
    ]  # fmt: skip
    boards = Boards.concat(
        [boards_of(replace(record, effects=[record.effects[e] for e in sorted(some)])) for some in chosen]
    )
    pictures = _pictures(boards)
    whole, bare, rest = pictures[0], pictures[1], pictures[2:]
    without, alone = rest[: len(trials)], rest[len(trials) :]
    found = []
    for row, (before, after) in enumerate(zip(bare, whole, strict=True)):
        if before != after:
            guilty = [e for e in trials if without[e][row] != after] or [e for e in trials if alone[e][row] != before]
            because = f" ({wording.enumerated(dict.fromkeys(map(name.effect, guilty)))})" if guilty else ""
            found.append(f"{name(row)}: {before.differences(after)}{because}")
    return found


def _pictures(boards: Boards) -> list[list[Picture]]:
    """Return the pictures of the objects of each state."""
    from headjudge.settling import derived

    columns: Mapping[str, list[Any]] = {name: column.tolist() for name, column in derived(boards).items()}
    rows = [
        Picture(None if power == v.NULL else power, None if toughness == v.NULL else toughness, *others)
        for power, toughness, *others in zip(*(columns[field] for field in Picture._fields), strict=True)
    ]
    start = boards.objects_start.tolist()
    return [rows[first:stop] for first, stop in pairwise(start)]
