"""What continuous effects make of a board, and which of them: found by leaving each out (CR 613)."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from headjudge import wording
from headjudge.aftermath import without_effects
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from headjudge.boards import Boards
    from headjudge.replay import Columns, Moment

#: Beyond these every effect is not left out one by one; what they make of the board is said without saying which.
_MOST_EFFECTS: Final = 64
_MOST_OBJECTS: Final = 2_000
LIMITS: Final = f"{_MOST_EFFECTS} effects and {_MOST_OBJECTS:,} objects"


class Picture(NamedTuple):
    """What one object is after all effects."""

    size: tuple[int, int] | None  # None: no creature
    types: int
    controller: int
    keywords: int

    def differences(self, other: Picture) -> str:
        """Return how another picture of the same object differs, in words."""
        facts = []
        if self.size != other.size:
            facts.append(f"{_size(self)} -> {_size(other)}")
        if self.types != other.types:
            facts.append(f"{_types(self)} -> {_types(other)}")
        if self.controller != other.controller:
            facts.append(f"controller player {self.controller} -> player {other.controller}")
        gained = v.words_of(v.KEYWORDS, other.keywords & ~self.keywords)
        lost = v.words_of(v.KEYWORDS, self.keywords & ~other.keywords)
        facts += [f"gains {wording.enumerated(map(wording.spaced, gained))}"] if gained else []
        facts += [f"loses {wording.enumerated(map(wording.spaced, lost))}"] if lost else []
        return ", ".join(facts)


#: What an effect does to one object, fact by fact of its picture; None where it does nothing.
Share = tuple[Any, ...]
_NOTHING: Final[Share] = (None,) * len(Picture._fields)


def _size(picture: Picture) -> str:
    return "no creature" if picture.size is None else wording.size(*picture.size)


def _types(picture: Picture) -> str:
    return " ".join(v.words_of(v.TYPES, picture.types)) or "no type"


def _share(before: Picture, after: Picture) -> Share:
    """Return what makes one picture of an object out of another; equal if the same is done to different pictures."""
    size: Any = None
    if before.size is None or after.size is None:
        size = None if before.size == after.size else after.size is not None
    elif before.size != after.size:
        size = tuple(new - old for new, old in zip(after.size, before.size, strict=True))
    return (
        size,
        _bits(before.types, after.types),
        None if before.controller == after.controller else after.controller,
        _bits(before.keywords, after.keywords),
    )


def _bits(before: int, after: int) -> tuple[int, int] | None:
    """Return the bits gained and lost."""
    return None if before == after else (after & ~before, before & ~after)


def can_try(board: Boards) -> bool:
    """Whether every effect of a batch of one state is left out one by one, to find what it does."""
    return len(board.effects.text) <= _MOST_EFFECTS and len(board.objects.zone) <= _MOST_OBJECTS


class Pictures:
    """The pictures of the objects of a batch of one state at one moment, with and without each of its effects."""

    def __init__(self, moment: Moment) -> None:
        self.moment = moment
        board = moment.board
        self._effect_ids: list[int] = board.effects.effect_id.tolist()
        self._every = range(len(self._effect_ids))
        self._tried = self._every if moment.exact and can_try(board) else range(0)

    def __getitem__(self, row: int) -> Picture:
        """Return the picture of an object."""
        return _picture(self.moment.derived, row)

    def differ(self, other: Pictures) -> list[int]:
        """Return the permanents that have another picture at another moment."""
        both = self.moment.live & other.moment.live
        return np.flatnonzero(both & _different(self.moment.derived, other.moment.derived)).tolist()

    @property
    def changed(self) -> list[int]:
        """The objects that effects change."""
        return np.flatnonzero(_different(self.moment.derived, self._trials[0])).tolist() if self._every else []

    def bare(self, row: int) -> Picture:
        """Return the picture of an object without any effect."""
        return _picture(self._trials[0], row)

    def shares(self, row: int, alone: bool = False) -> dict[int, Share]:
        """Return what each effect, by effect_id, does to an object: by leaving it out, or `alone` by itself."""
        count = len(self._tried)
        if alone:
            found = [_share(self.bare(row), _picture(trial, row)) for trial in self._trials[1 + count :]]
        else:
            found = [_share(_picture(trial, row), self[row]) for trial in self._trials[1 : 1 + count]]
        return {effect: share for effect, share in zip(self._effect_ids, found, strict=False) if share != _NOTHING}

    @cached_property
    def _trials(self) -> list[Columns]:
        """What is derived without any effect, then without each, then with each alone."""
        from headjudge.settling import derived

        board, every = self.moment.board, set(self._every)
        left_out = [every, *({e} for e in self._tried), *(every - {e} for e in self._tried)]
        marks = [[e in out for e in self._every] for out in left_out]
        trials = board[np.zeros(len(left_out), np.int64)]
        columns = derived(without_effects(trials, np.array(marks, np.bool_).ravel()))
        shaped = {name: column.reshape(len(left_out), -1) for name, column in columns.items()}
        return [{name: column[n] for name, column in shaped.items()} for n in range(len(left_out))]


_FACTS: Final = ("power", "toughness", "types", "controller", "keywords")


def _different(columns: Columns, others: Columns) -> NDArray[np.bool_]:
    different: NDArray[np.bool_] = np.any([columns[name] != others[name] for name in _FACTS], axis=0)
    return different


def _picture(columns: Columns, row: int) -> Picture:
    power, toughness, *others = (int(columns[name][row]) for name in _FACTS)
    return Picture(None if power == v.NULL else (power, toughness), *others)


def lines(pictures: Pictures, name: wording.Namer) -> list[str]:
    """Return a line for the objects that effects change, with the effects that do."""
    found = []
    for row in pictures.changed:
        guilty = pictures.shares(row) or pictures.shares(row, alone=True)
        because = f" ({_named(guilty, name)})" if guilty else ""
        found.append((row, f"{pictures.bare(row).differences(pictures[row])}{because}"))
    return _together(found, name)


def changes(before: Pictures, after: Pictures, name: wording.Namer) -> list[str]:
    """Return a line for the permanents whose pictures differ between two moments, with the effects that are why."""
    found = []
    for row in before.differ(after):
        because = _because(before, after, row, name)
        found.append((row, f"{before[row].differences(after[row])}{f' ({because})' if because else ''}"))
    return _together(found, name)


def _because(before: Pictures, after: Pictures, row: int, name: wording.Namer) -> str:
    """Return which effects do something else to an object than before, and whether it is another without them.

    An effect that goes on does something else because others began or ended, which are told then, or because of what
    it counts.
    """
    facts = [fact for fact in range(len(_NOTHING)) if before[row][fact] != after[row][fact]]
    now: list[int] = []
    gone: list[int] = []
    other: list[int] = []
    for alone in (False, True):
        were, are = before.shares(row, alone), after.shares(row, alone)
        for effect in dict.fromkeys((*were, *are)):
            was, is_ = were.get(effect, _NOTHING), are.get(effect, _NOTHING)
            if any(was[fact] != is_[fact] for fact in facts):
                (now if effect not in were else gone if effect not in are else other).append(effect)
        if now or gone or other:
            break
    told = {"now": now, "no longer": gone} if now or gone else {"otherwise than before": other}
    parts = [f"{word}: {_named(effects, name)}" for word, effects in told.items() if effects]
    was, is_ = before.bare(row), after.bare(row)
    parts += ["itself changed"] if any(was[fact] != is_[fact] for fact in facts) else []
    return "; ".join(parts)


def _named(effects: Iterable[int], name: wording.Namer) -> str:
    return wording.enumerated(dict.fromkeys(map(name.effect_of, effects)))


def _together(found: Sequence[tuple[int, str]], name: wording.Namer) -> list[str]:
    """Return one line for all objects of which the same is said."""
    rows = defaultdict(list)
    for row, said in found:
        rows[said].append(row)
    return [f"{name.together(those)}: {said}" for said, those in rows.items()]
