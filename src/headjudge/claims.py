"""What boards hold and what a claim says they hold, as columns that are compared field by field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, Union

import numpy as np

from headjudge.boards import rows_of_states
from headjudge.errors import DataError
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.wording import OWNERS_ZONES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from headjudge.boards import Boards

#: A field of every row: a column, one value for all rows (without a dimension), or a column for each kind of counter.
Column = Union["NDArray[Any]", tuple["NDArray[Any]", ...]]
Columns = dict[str, Column]
#: What objects and players are judged by where nothing else is said; earlier fields decide the kind of a finding.
OBJECT_FIELDS: Final = (
    "zone", "controller", "attached_to", "damage", "counters", "tapped", "attacking", "blocking", "protector", "sector",
    "regeneration", "deathtouch_damage", "face_up", "bestowed",
)  # fmt: skip
PLAYER_FIELDS: Final = ("lost", "life", "poison", "speed", "drew_from_empty", "designations")
#: What only a claim that states it is judged by.
_DERIVED: Final = ("power", "toughness", "types", "supertypes", "colors", "keywords")
_COLUMNS: Final = (
    "zone", "attached_to", "damage", "attacking", "regeneration", "protector", "sector", "name", "kind", "owner",
)  # fmt: skip
#: The words of fields that are sets, and of those that are one word.
SETS: Final = {"types": v.TYPES, "supertypes": v.SUPERTYPES, "colors": v.COLORS, "keywords": v.KEYWORDS,
               "designations": v.PLAYER_FLAGS}  # fmt: skip
WORDS: Final[dict[str, tuple[str, ...]]] = {"zone": v.ZONES, "sector": v.SECTORS, "kind": v.KINDS}
#: What can be claimed of a game as a whole, as in `results`.
GAME_FIELDS: Final = ("outcome", "next_step", "players_get_priority")
KNOWN_OBJECT_FIELDS: Final = tuple(dict.fromkeys((*OBJECT_FIELDS, *_DERIVED, *_COLUMNS, *v.OBJECT_FLAGS)))
KNOWN_PLAYER_FIELDS: Final = tuple(dict.fromkeys((*PLAYER_FIELDS, "in_game", "team", *v.PLAYER_FLAGS)))


#: By zone, whether nobody controls what is there.
_IS_OWNERS: Final = np.array([zone in OWNERS_ZONES for zone in v.ZONES])
#: The columns in which a field shows, where they are not one of its name.
_SHOWS_IN: Final = {
    "controller": ("zone", "owner", "controller"), "counters": v.COUNTER_COLUMNS,
    **dict.fromkeys(v.OBJECT_FLAGS, ("flags",)),
    **dict.fromkeys(("lost", "designations", *v.PLAYER_FLAGS), ("flags",)),
}  # fmt: skip


@dataclass(frozen=True)
class View:
    """Fields of the objects and the players of a batch, one row each, in its order."""

    objects: Columns
    players: Columns

    def take(self, objects: NDArray[np.int64], players: NDArray[np.int64]) -> View:
        """Return some of the rows."""
        return View(rows_of(self.objects, objects), rows_of(self.players, players))


def rows_of(columns: Mapping[str, Column], rows: NDArray[np.int64]) -> Columns:
    """Return some rows of columns."""
    return {name: each(column, lambda part: part[rows] if part.ndim else part) for name, column in columns.items()}


def each(column: Column, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Column:
    """Change a column, or those of all kinds of counters."""
    return tuple(map(change, column)) if isinstance(column, tuple) else change(column)


def value_at(column: Column, row: int) -> Any:
    """Return the value of a row; counters are an array by kind."""
    if isinstance(column, tuple):
        return np.array([value_at(part, row) for part in column])
    return column[row] if column.ndim else column[()]


@dataclass(frozen=True)
class Claim:
    """What is claimed of each object and player of a batch, and which of it is judged."""

    view: View
    #: By field, which rows are judged by it: a column, or one value for all.
    objects: Mapping[str, Column]
    players: Mapping[str, Column]
    #: What the claim calls the actions on an object (its row) or a player (-1 - row); None if it lists no actions.
    rules: Mapping[int, Sequence[str]] | None = None
    #: What is claimed of the game as a whole, by row of the state: fields of `GAME_FIELDS`.
    games: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    #: Why a state of the claim cannot be judged, by row of the state.
    faults: Mapping[int, str] = field(default_factory=dict)


def view(boards: Boards, object_fields: Collection[str], player_fields: Collection[str]) -> View:
    """Return what boards hold; controllers, sizes and types are those after all effects (CR 613)."""
    derived: Mapping[str, NDArray[Any]] = {}
    if len(boards.effects.text) or any(name in _DERIVED for name in object_fields):
        from headjudge.settling import derived as derive

        derived = derive(boards)
    return View(
        {name: _object_column(boards, name, derived) for name in object_fields},
        {name: _player_column(boards, name) for name in player_fields},
    )


def _object_column(boards: Boards, name: str, derived: Mapping[str, NDArray[Any]]) -> Column:
    objects = boards.objects
    if name == "counters":
        return _counters(boards)
    if name in derived:
        return derived[name]
    if name == "controller":
        return np.where(_IS_OWNERS[objects.zone], objects.owner, objects.controller)
    if name in v.OBJECT_FLAGS:
        return np.asarray(objects.flags & v.bit(v.OBJECT_FLAGS, name) != 0)
    return np.asarray(getattr(objects, name))


def _counters(boards: Boards) -> tuple[NDArray[np.int32], ...]:
    counts = [getattr(boards.objects, column) for column in v.COUNTER_COLUMNS]
    if len(boards.counters.kind):
        at = np.repeat(boards.objects_start[:-1], np.diff(boards.counters_start)) + boards.counters.object
        for kind in range(len(counts), len(boards.lexicon.counter_kinds)):
            of_kind = boards.counters.kind == kind
            counts.append(np.zeros(len(boards.objects.zone) if of_kind.any() else (), np.int32))
            if of_kind.any():
                counts[kind][at[of_kind]] = boards.counters.count[of_kind]
    return tuple(counts)


def _player_column(boards: Boards, name: str) -> NDArray[Any]:
    players = boards.players
    if name == "lost":
        return np.asarray(players.flags & b.IN_GAME == 0)
    if name == "designations":
        return np.asarray(players.flags & v.mask(v.PLAYER_FLAGS, v.DESIGNATIONS))
    if name in v.PLAYER_FLAGS:
        return np.asarray(players.flags & v.bit(v.PLAYER_FLAGS, name) != 0)
    return np.asarray(getattr(players, name))


def alike(found: Boards, claimed: Boards, fields: Collection[str]) -> NDArray[np.bool_]:
    """Return the states of which both batches, with one lexicon, hold the same behind these fields.

    A quick look at batches without effects: others may agree in these fields, too.
    """
    if len(found.effects.text) or len(claimed.effects.text) or any(name in _DERIVED for name in fields):
        return np.zeros(len(found), np.bool_)
    columns = {
        "objects": {"object_id", "zone", *_behind(KNOWN_OBJECT_FIELDS, fields)},
        "players": _behind(KNOWN_PLAYER_FIELDS, fields),
        "counters": ("object", "kind", "count") if "counters" in fields else (),
    }
    flags = {
        "objects": v.mask(v.OBJECT_FLAGS, set(v.OBJECT_FLAGS).intersection(fields)),
        "players": v.mask(v.PLAYER_FLAGS, (*v.DESIGNATIONS, "in_game", *set(v.PLAYER_FLAGS).intersection(fields))),
    }
    same = np.ones(len(found), np.bool_)
    for name, behind in columns.items():
        (table, start), (other, other_start) = found.table(name), claimed.table(name)
        as_many = np.diff(start) == np.diff(other_start)
        states = np.flatnonzero(as_many)
        if len(states) < len(same):
            same &= as_many
            rows, start = rows_of_states(start, states)
            others, _ = rows_of_states(other_start, states)
            table, other = (type(t)(*(column[r] for column in t)) for t, r in ((table, rows), (other, others)))
        differ = np.zeros(start[-1], np.bool_)
        for column in behind:
            x, y = getattr(table, column), getattr(other, column)
            differ |= (x ^ y) & flags[name] != 0 if column == "flags" else x != y
        same[states[np.searchsorted(start, np.flatnonzero(differ), "right") - 1]] = False
    return same


def _behind(known: Collection[str], fields: Collection[str]) -> set[str]:
    """Return the columns in which some known fields show."""
    return {column for name in fields if name in known for column in _SHOWS_IN.get(name, (name,))}


def first_differences(expected: Columns, claimed: Columns, judged: Mapping[str, Column], rows: int) -> NDArray[np.int8]:
    """Return for each row the first field of `judged` that differs, as its place there; -1 if none does.

    Of what has ceased to exist nothing but the zone is compared.
    """
    first = np.full(rows, -1, np.int8)
    exists = np.asarray(expected["zone"]) != b.NOWHERE if "zone" in expected else True
    for place, (name, by) in reversed(list(enumerate(judged.items()))):
        differ = unequal(expected[name], claimed[name])
        if differ.any():
            differ = differ & np.asarray(by)
            if name != "zone":
                differ &= exists
            if name == "controller":
                differ &= ~_IS_OWNERS[expected["zone"]]
            first[differ] = place
    return first


def unequal(x: Column, y: Column) -> NDArray[np.bool_]:
    """Return which rows differ; counters of kinds that one side does not know are none."""
    if not isinstance(x, tuple) or not isinstance(y, tuple):
        return np.asarray(np.asarray(x) != np.asarray(y))
    differ = np.zeros((), np.bool_)
    for some, others in zip_longest(x, y, fillvalue=np.zeros((), np.int32)):
        differ = differ | (some != others)
    return differ


def of_boards(before: Boards, claimed: Boards, fields: Collection[str]) -> Claim:
    """Return what claimed boards say about the objects of the boards before.

    Parameters
    ----------
    before, claimed
        Batches of the same states in the same order, with one lexicon.
    fields
        What is judged, of `KNOWN_OBJECT_FIELDS` and `KNOWN_PLAYER_FIELDS`.
    """
    object_fields = [name for name in KNOWN_OBJECT_FIELDS if name in fields]
    player_fields = [name for name in KNOWN_PLAYER_FIELDS if name in fields]
    found = view(claimed, object_fields, player_fields)
    faults: dict[int, str] = {}
    different = np.flatnonzero(np.diff(before.players_start) != np.diff(claimed.players_start))
    for state in different.tolist():
        faults[state] = "the claim has another number of players"
    players = found.players
    if len(different):
        players = _only_common(players, before.players_start, claimed.players_start)
    objects = found.objects
    all_rows = np.ones((), np.bool_)
    there = all_rows
    if not (
        np.array_equal(before.objects_start, claimed.objects_start)
        and np.array_equal(before.objects.object_id, claimed.objects.object_id)
    ):
        objects, there = _matched(before, claimed, objects, faults)
    return Claim(
        View(objects, players),
        {name: all_rows if name == "zone" else there for name in object_fields},
        dict.fromkeys(player_fields, all_rows),
        faults=faults,
    )


def _only_common(columns: Columns, start: NDArray[np.int64], other: NDArray[np.int64]) -> Columns:
    """Bring columns into the shape of other rows; what is not in both is zero (its state is not judged)."""
    seat = np.arange(start[-1]) - np.repeat(start[:-1], np.diff(start))
    state = np.repeat(np.arange(len(start) - 1), np.diff(start))
    there = seat < np.diff(other)[state]
    index = np.where(there, other[state] + seat, 0)
    blank = {name: each(column, lambda part: np.append(part, part.dtype.type(0))) for name, column in columns.items()}
    return rows_of(blank, index)


def _matched(
    before: Boards, claimed: Boards, columns: Columns, faults: dict[int, str]
) -> tuple[Columns, NDArray[np.bool_]]:
    """Bring the claimed objects into the rows of those before, and tell which are there.

    One that is missing has ceased to exist.
    """
    state_of = np.repeat(np.arange(len(claimed)), np.diff(claimed.objects_start))
    keys = _keys(before)
    order = np.argsort(keys, kind="stable")
    claimed_keys = _keys(claimed)
    place = np.minimum(np.searchsorted(keys[order], claimed_keys), max(0, len(order) - 1))
    row = order[place] if len(order) else np.zeros(len(place), np.int64)
    known = keys[row] == claimed_keys if len(order) else np.zeros(len(place), np.bool_)
    for unknown in np.flatnonzero(~known).tolist():
        object_id = claimed.objects.object_id[unknown]
        faults.setdefault(int(state_of[unknown]), f"the claim has object_id {object_id}, which is not on the board")
    at = np.full(len(keys), -1, np.int64)
    at[row[known]] = np.flatnonzero(known)
    missing = at < 0
    within = np.where(known, row - before.objects_start[:-1][state_of], v.NONE)
    matched: Columns = {}
    for name, column in columns.items():
        matched[name] = each(
            column,
            lambda part: np.append(part, part.dtype.type(0))[at] if part.ndim else part,  # row -1 is the last
        )
    for name in {"attached_to", "attacking"}.intersection(matched):
        targets = np.asarray(matched[name])
        found = ~missing & (targets >= 0)
        targets[found] = within[claimed.objects_start[:-1][state_of[at[found]]] + targets[found]]
    if "zone" in matched:
        np.asarray(matched["zone"])[missing] = b.NOWHERE
    return matched, ~missing


def _keys(boards: Boards) -> NDArray[np.int64]:
    state = np.repeat(np.arange(len(boards)), np.diff(boards.objects_start))
    return state << 32 | boards.objects.object_id


def checked_fields(fields: Collection[str] | None) -> tuple[str, ...]:
    """Return the fields to judge, by default all of `OBJECT_FIELDS` and `PLAYER_FIELDS`.

    Raises
    ------
    DataError
        For no fields, and for one that is unknown or cannot be judged.
    """
    if fields is None:
        return (*OBJECT_FIELDS, *PLAYER_FIELDS)
    known = (*KNOWN_OBJECT_FIELDS, *KNOWN_PLAYER_FIELDS)
    if isinstance(fields, str) or not fields:
        raise DataError(f"fields: expected names of fields, found {fields!r}")
    for name in fields:
        if name not in known:
            raise DataError(f"fields: {name!r} is not judged; expected some of {', '.join(known)}")
    return tuple(name for name in known if name in fields)


Worder = Callable[[Any, int], str]


def wording(boards: Boards, name: str) -> Worder:
    """Return a function that writes a value of a field as the tables of verdicts have it, for the row of a state."""
    kinds = boards.lexicon.counter_kinds

    def reference(value: Any, state: int) -> str:
        if value in (v.NONE, v.NOTHING):
            return "null" if value == v.NONE else "nothing"
        if value < 0:
            return f"player {-1 - value}"
        return str(boards.objects.object_id[boards.objects_start[state] + value])

    def counters(value: Any, state: int) -> str:
        names = (*kinds, *("a kind that is not on the board" for _ in range(len(value) - len(kinds))))
        return ", ".join(f"{names[kind]}: {value[kind]}" for kind in np.flatnonzero(value)) or "none"

    if name in ("attached_to", "attacking"):
        return reference
    if name == "counters":
        return counters
    if name in SETS:
        return lambda value, state: " ".join(v.words_of(SETS[name], int(value))) or "none"
    if name in WORDS:
        return lambda value, state: WORDS[name][value] if value >= 0 else "null"
    if name in ("protector", "speed"):
        return lambda value, state: str(value) if value >= 0 else "null"
    if name in ("power", "toughness"):
        return lambda value, state: "null" if value == v.NULL else str(value)
    if name == "name":
        names = (*boards.lexicon.names, "a name that is not on the board")
        return lambda value, state: "null" if value == v.NAMELESS else names[value]
    return lambda value, state: str(value).lower()
