"""What boards hold and what a claim says they hold, as columns that are compared field by field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge.errors import DataError
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from headjudge.boards import Boards

Columns = dict[str, "NDArray[Any]"]
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
KNOWN_OBJECT_FIELDS: Final = tuple(dict.fromkeys((*OBJECT_FIELDS, *_DERIVED, *_COLUMNS, *v.OBJECT_FLAGS)))
KNOWN_PLAYER_FIELDS: Final = tuple(dict.fromkeys((*PLAYER_FIELDS, "in_game", "team", *v.PLAYER_FLAGS)))


@dataclass(frozen=True)
class View:
    """Fields of the objects and the players of a batch: one row each, in its order; `counters` has a column a kind."""

    objects: Columns
    players: Columns

    def take(self, objects: NDArray[np.int64], players: NDArray[np.int64]) -> View:
        """Return some of the rows."""
        return View(
            {name: column[objects] for name, column in self.objects.items()},
            {name: column[players] for name, column in self.players.items()},
        )


@dataclass(frozen=True)
class Claim:
    """What is claimed of each object and player of a batch, and which of it is judged."""

    view: View
    #: By field, which rows are judged by it.
    objects: Mapping[str, NDArray[np.bool_]]
    players: Mapping[str, NDArray[np.bool_]]
    #: What the claim calls the action on an object (its row) or a player (-1 - row).
    rules: Mapping[int, str] = field(default_factory=dict)
    #: Why a state of the claim cannot be judged, by row of the state.
    faults: Mapping[int, str] = field(default_factory=dict)


def view(boards: Boards, object_fields: Collection[str], player_fields: Collection[str]) -> View:
    """Return what boards hold; controllers, sizes and types are those after all effects (CR 613)."""
    derived: Mapping[str, NDArray[Any]] = {}
    # Without effects nobody but the owner controls what is elsewhere, and move() has written that down.
    if len(boards.effects.text) or any(name in _DERIVED for name in object_fields):
        from headjudge.settling import derived as derive

        derived = derive(boards)
    return View(
        {name: _object_column(boards, name, derived) for name in object_fields},
        {name: _player_column(boards, name) for name in player_fields},
    )


def _object_column(boards: Boards, name: str, derived: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    objects = boards.objects
    if name == "counters":
        return _counters(boards)
    if name in derived:
        return derived[name]
    if name in v.OBJECT_FLAGS:
        return np.asarray(objects.flags & v.bit(v.OBJECT_FLAGS, name) != 0)
    return np.asarray(getattr(objects, name))


def _counters(boards: Boards) -> NDArray[np.int32]:
    kinds = [getattr(boards.objects, column) for column in v.COUNTER_COLUMNS]
    others = len(boards.lexicon.counter_kinds) - len(kinds) if len(boards.counters.kind) else 0
    counts = np.zeros((len(boards.objects.zone), len(kinds) + max(0, others)), np.int32)
    for i, column in enumerate(kinds):
        counts[:, i] = column
    if len(boards.counters.kind):
        first = np.repeat(boards.objects_start[:-1], np.diff(boards.counters_start))
        counts[first + boards.counters.object, boards.counters.kind] = boards.counters.count
    return counts


def _player_column(boards: Boards, name: str) -> NDArray[Any]:
    players = boards.players
    if name == "lost":
        return np.asarray(players.flags & b.IN_GAME == 0)
    if name == "designations":
        return np.asarray(players.flags & v.mask(v.PLAYER_FLAGS, v.DESIGNATIONS))
    if name in v.PLAYER_FLAGS:
        return np.asarray(players.flags & v.bit(v.PLAYER_FLAGS, name) != 0)
    return np.asarray(getattr(players, name))


def first_differences(
    expected: Columns, claimed: Columns, judged: Mapping[str, NDArray[np.bool_]], rows: int
) -> NDArray[np.int8]:
    """Return for each row the first field of `judged` that differs, as its place there; -1 if none does.

    Of what has ceased to exist nothing but the zone is compared.
    """
    first = np.full(rows, -1, np.int8)
    exists = expected["zone"] != b.NOWHERE if "zone" in expected else np.True_
    for place, (name, by) in reversed(list(enumerate(judged.items()))):
        differ = unequal(expected[name], claimed[name]) & by
        first[differ if name == "zone" else differ & exists] = place
    return first


def unequal(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows differ; counters of kinds that one side does not know are none."""
    if x.ndim == 1:
        return np.asarray(x != y)
    common = min(x.shape[1], y.shape[1])
    differ = (x[:, :common] != y[:, :common]).any(axis=1)
    return np.asarray(differ | x[:, common:].any(axis=1) | y[:, common:].any(axis=1))


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
    if not (
        np.array_equal(before.objects_start, claimed.objects_start)
        and np.array_equal(before.objects.object_id, claimed.objects.object_id)
    ):
        objects = _matched(before, claimed, objects, faults)
    everything = np.ones(len(before.objects.zone), np.bool_)
    everyone = np.ones(len(before.players.life), np.bool_)
    return Claim(
        View(objects, players),
        dict.fromkeys(object_fields, everything),
        dict.fromkeys(player_fields, everyone),
        faults=faults,
    )


def _only_common(columns: Columns, start: NDArray[np.int64], other: NDArray[np.int64]) -> Columns:
    """Bring columns into the shape of other rows; what is not in both is zero (its state is not judged)."""
    seat = np.arange(start[-1]) - np.repeat(start[:-1], np.diff(start))
    state = np.repeat(np.arange(len(start) - 1), np.diff(start))
    there = seat < np.diff(other)[state]
    index = np.where(there, other[state] + seat, 0)
    return {
        name: column[index] if len(column) else np.zeros(len(index), column.dtype) for name, column in columns.items()
    }


def _matched(before: Boards, claimed: Boards, columns: Columns, faults: dict[int, str]) -> Columns:
    """Bring the claimed objects into the rows of those before; one that is missing has ceased to exist."""
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
        blank = np.zeros((1, *column.shape[1:]), column.dtype)
        matched[name] = np.concatenate((column, blank))[np.where(missing, len(column), at)]
        if name in ("attached_to", "attacking"):
            target = ~missing & (matched[name] >= 0)
            first = claimed.objects_start[:-1][state_of[at[target]]]
            matched[name][target] = within[first + matched[name][target]]
    if "zone" in matched:
        matched["zone"][missing] = b.NOWHERE
    return matched


def _keys(boards: Boards) -> NDArray[np.int64]:
    state = np.repeat(np.arange(len(boards)), np.diff(boards.objects_start))
    return state << 32 | boards.objects.object_id


def checked_fields(fields: Collection[str] | None) -> tuple[str, ...]:
    """Return the fields to judge, by default all of `OBJECT_FIELDS` and `PLAYER_FIELDS`.

    Raises
    ------
    DataError
        For a field that is unknown or cannot be judged.
    """
    if fields is None:
        return (*OBJECT_FIELDS, *PLAYER_FIELDS)
    known = (*KNOWN_OBJECT_FIELDS, *KNOWN_PLAYER_FIELDS)
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
        return ", ".join(f"{kinds[kind]}: {value[kind]}" for kind in np.flatnonzero(value)) or "none"

    sets = {"types": v.TYPES, "supertypes": v.SUPERTYPES, "colors": v.COLORS, "keywords": v.KEYWORDS,
            "designations": v.PLAYER_FLAGS}  # fmt: skip
    words: dict[str, tuple[str, ...]] = {"zone": v.ZONES, "sector": v.SECTORS, "kind": v.KINDS}
    if name in ("attached_to", "attacking"):
        return reference
    if name == "counters":
        return counters
    if name in sets:
        return lambda value, state: " ".join(v.words_of(sets[name], int(value))) or "none"
    if name in words:
        return lambda value, state: words[name][value] if value >= 0 else "null"
    if name in ("protector", "speed"):
        return lambda value, state: str(value) if value >= 0 else "null"
    if name in ("power", "toughness"):
        return lambda value, state: "null" if value == v.NULL else str(value)
    if name == "name":
        return lambda value, state: "null" if value == v.NAMELESS else str(boards.lexicon.names[value])
    return lambda value, state: str(value).lower()
