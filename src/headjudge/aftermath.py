"""The columns that settling changes: copies beforehand, and afterwards the rows that no longer apply."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge.effects import LifeOfYou, Objects, does_nothing
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import TABLES, EffectObjects, WorldSince
from headjudge.lexicon import LexiconBuilder
from headjudge.result_tables import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from headjudge.boards import Boards
    from headjudge.effects import EffectText

#: The columns of each table that settling changes; `after` shares all others with the input.
CHANGED: Final = {
    "states": ("step", "planar_controller"),
    "players": ("life", "speed", "flags"),
    "objects": (
        "zone", "controller", "flags", "damage", "attached_to", "attacking", "plus_counters", "minus_counters",
        "loyalty", "defense", "lore", "shield", "finality", "regeneration", "protector", "sector",
    ),
    "counters": ("count",),
    "keeps": ("object",),
    "world_since": ("object",),
    "effects": ("text",),
    "effect_objects": ("object",),
}  # fmt: skip
#: What settling changes if only results are asked for.
FLAGS: Final = {"players": ("flags",)}


def changed_columns(boards: Boards) -> dict[str, tuple[str, ...]]:
    """Return the columns of each table that settling these boards can change."""
    changed = dict(CHANGED)
    if len(boards.components.object):
        changed["components"] = ("object",)
        changed["objects"] += ("name", "kind")
    if (boards.states.variant & b.PLANECHASE).any():
        changed["objects"] += ("owner",)  # of abilities of phenomena (CR 901.10b)
    return changed


def room_for_changes(boards: Boards, after: bool = True) -> Boards:
    """Return boards whose columns that settling changes are their own, and still empty.

    If the boards afterwards are not wanted, only the flags of players are: they tell who has lost.
    """
    tables: dict[str, Any] = {}
    for name, columns in (changed_columns(boards) if after else FLAGS).items():
        table = getattr(boards, name)
        tables[name] = table._replace(**{column: np.empty_like(getattr(table, column)) for column in columns})
    return replace(boards, **tables)


def copy_changed_columns(boards: Boards, target: Boards, span: range, after: bool = True) -> None:
    """Copy the columns that settling changes for a span of states."""
    for name, columns in (changed_columns(boards) if after else FLAGS).items():
        starts = None if name == "states" else boards.table(name)[1]
        rows = slice(span.start, span.stop)
        if starts is not None:
            rows = slice(starts[span.start], starts[span.stop])
        for column in columns:
            getattr(getattr(target, name), column)[rows] = getattr(getattr(boards, name), column)[rows]


def not_changeable(boards: Boards) -> str:
    """Return which column that settling changes is read-only, or shares memory with another one; else nothing."""
    tables = {"states": boards.states, **{name: boards.table(name)[0] for name in TABLES}}
    columns = {f"{name}.{field}": column for name, table in tables.items() for field, column in table._asdict().items()}
    columns |= {f"{name}_start": boards.table(name)[1] for name in TABLES}
    changed = {f"{name}.{field}" for name, fields in changed_columns(boards).items() for field in fields}
    for name in changed:
        if not columns[name].flags.writeable:
            return f"{name}: expected an array that can be changed in place, found a read-only one"
    last, end = "", 0
    for name, column in sorted(columns.items(), key=lambda item: item[1].ctypes.data):
        start: int = column.ctypes.data
        if start < end and column.nbytes and not changed.isdisjoint((name, last)):
            return f"{name}: expected an array of its own to change in place, found memory of {last}"
        if start + column.nbytes > end:
            last, end = name, start + column.nbytes
    return ""


def before_changes(boards: Boards) -> Boards:
    """Return boards with what results tell of them, which settling them in place does not change."""
    changed = changed_columns(boards)["objects"]
    told = {name: getattr(boards.objects, name).copy() for name in ("name", "owner") if name in changed}
    players = boards.players._replace(flags=boards.players.flags.copy())
    return replace(boards, players=players, objects=boards.objects._replace(**told))


def finish(given: Boards, settled: Boards, parts: Sequence[Rows], results: Any) -> Boards:
    """Return settled boards as others may read them.

    Effects are fixed, those of players who left give no control any more, rows that no longer apply are dropped.
    Rejected boards, which may hold any number, stay as they are.
    """
    refused = results["status"] == b.REJECTED
    if not len(given.effects.text):
        return drop_gone(settled, refused)
    rows = Rows.concat(parts)
    of_effects = rows.fixed["effect"] != b.NO_EFFECT
    fixed, clocks = rows.fixed[of_effects], rows.fixed[~of_effects]
    settled = drop_gone(fix_effects(settled, fixed, refused) if len(fixed) else settled, refused)
    if len(clocks):
        settled = with_clocks(settled, clocks)
    departed = left_earlier(given, rows.rows, results)
    return without_control_of(settled, departed, refused) if departed.any() else settled


def left_earlier(boards: Boards, rows: Any, results: Any) -> NDArray[np.bool_]:
    """Return which players, by row, had left before the event in which the game ended here (CR 800.4a)."""
    out: NDArray[np.bool_] = boards.players.flags & b.IN_GAME == 0
    leaving = rows[(rows["rule"] == b.PLAYER_LEAVES) & (rows["seat"] >= 0)]
    out[boards.players_start[leaving["state"]] + leaving["seat"]] = True
    ended = (results["outcome"] != b.ONGOING_GAME) & (results["passes"] > 0)
    out &= np.repeat(ended, np.diff(boards.players_start))
    return out


def without_control_of(boards: Boards, departed: NDArray[np.bool_], refused: NDArray[np.bool_]) -> Boards:
    """Return the boards without the control that effects give to players who left, one mark a row of `players`.

    CR 800.4a. While the game goes on nobody who is out of it gets control; on the board of a game that is over those
    who lost in its last event still have what they had, and only those who left before it do not.
    """
    concerned = np.diff(count_before(departed)[boards.players_start]) > 0
    state = np.repeat(np.arange(len(boards)), np.diff(boards.effects_start))
    told = np.flatnonzero(concerned[state])
    given = boards.lexicon.tables.texts["control"][boards.effects.text[told]]
    of_you = np.where(boards.effects.source[told] == v.NONE, boards.effects.controller[told], v.NO_SEAT)
    seat = np.where(given == b.CONTROL_YOU, of_you, given)
    told, seat = told[seat >= 0], seat[seat >= 0]
    told = told[departed[boards.players_start[state[told]] + seat]]
    if not len(told):
        return boards
    builder = LexiconBuilder()
    builder.adopt(boards.lexicon)
    text = boards.effects.text.copy()
    ended = np.zeros(len(text), np.bool_)
    for row in told.tolist():
        rest = replace(boards.lexicon.effects[text[row]], control=None)
        ended[row] = does_nothing(rest)
        if not ended[row]:
            text[row] = builder.effect(rest)
    boards = replace(boards, effects=boards.effects._replace(text=text), lexicon=builder.build())
    return without_effects(boards, ended, refused)


def with_clocks(boards: Boards, clocks: Any) -> Boards:
    """Return the boards with the clocks of what has become world (CR 704.5k)."""
    state = np.concatenate((np.repeat(np.arange(len(boards)), np.diff(boards.world_since_start)), clocks["state"]))
    rows = np.concatenate((boards.world_since.object, clocks["object"]))
    since = np.concatenate((boards.world_since.since, clocks["number"]))
    order = np.lexsort((rows, state))
    last = np.append((np.diff(state[order]) != 0) | (np.diff(rows[order]) != 0), True)  # the new clock comes last
    order = order[last]
    return replace(
        boards,
        world_since=WorldSince(rows[order], since[order]),
        world_since_start=np.searchsorted(state[order], np.arange(len(boards) + 1)),
    )


def drop_gone(boards: Boards, refused: NDArray[np.bool_]) -> Boards:
    """Return the boards without the rows of side tables that no longer apply; refused ones stay as they are."""
    tables: dict[str, Any] = {}
    kept = {
        "counters": boards.counters.count != 0,
        "keeps": boards.keeps.object != b.GONE,
        "world_since": boards.world_since.object != b.GONE,
        "components": boards.components.object != b.GONE,
        "effects": boards.effects.text != b.GONE,
        "effect_objects": boards.effect_objects.object != b.GONE,
    }
    for name, keep in kept.items():
        if not keep.all():
            table, start = boards.table(name)
            np.logical_or(keep, np.repeat(refused, np.diff(start)), out=keep)
            tables[name] = type(table)(*(column[keep] for column in table))
            tables[f"{name}_start"] = count_before(keep)[start]
    if "effects" in tables:
        renumber_effects(boards, tables, kept["effects"], refused)
    return replace(boards, **tables) if tables else boards


def without_effects(boards: Boards, ended: NDArray[np.bool_], refused: NDArray[np.bool_] | None = None) -> Boards:
    """Return the boards without the effects marked, one mark a row of `effects`; refused boards stay as they are."""
    if not ended.any():
        return boards
    if refused is None:
        refused = np.zeros(len(boards), np.bool_)
    lists, starts = boards.effect_objects, boards.effect_objects_start
    listed = np.flatnonzero(np.repeat(~refused, np.diff(starts)))
    effect = np.repeat(boards.effects_start[:-1], np.diff(starts))[listed] + lists.effect[listed]
    objects = lists.object.copy()
    objects[listed[ended[effect]]] = b.GONE
    return drop_gone(
        replace(
            boards,
            effects=boards.effects._replace(text=np.where(ended, np.int32(b.GONE), boards.effects.text)),
            effect_objects=lists._replace(object=objects),
        ),
        refused,
    )


def count_before(keep: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many rows are kept before each row, and in all."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(keep, dtype=np.int64)))


def renumber_effects(
    boards: Boards, tables: dict[str, Any], kept: NDArray[np.bool_], refused: NDArray[np.bool_]
) -> None:
    """Let the lists of what effects affect refer to the effects that are left."""
    lists = tables.get("effect_objects", boards.effect_objects)
    starts = tables.get("effect_objects_start", boards.effect_objects_start)
    state = np.repeat(np.arange(len(boards)), np.diff(starts))
    listed = np.flatnonzero(~refused[state])
    before = count_before(kept)
    first = boards.effects_start[state[listed]]
    effect = lists.effect.copy()
    effect[listed] = before[first + effect[listed]] - before[first]
    tables["effect_objects"] = lists._replace(effect=effect)


def fix_effects(boards: Boards, fixed: Any, refused: NDArray[np.bool_] | None = None) -> Boards:
    """Return the boards with effects without a source listing what they were fixed to at the start (CR 611.2c, d).

    Otherwise the next settling would fix them to something else. Refused boards stay as they are.
    """
    heads = fixed[fixed["object"] < 0]
    builder = LexiconBuilder()
    builder.adopt(boards.lexicon)
    where = boards.effects_start[heads["state"]] + heads["effect"]
    text = boards.effects.text.copy()
    pairs, index = np.unique(np.stack((text[where], heads["number"])), axis=1, return_inverse=True)
    codes = [builder.effect(fixed_text(boards.lexicon.effects[code], per)) for code, per in pairs.T.tolist()]
    text[where] = np.array(codes, np.int32)[index.ravel()]
    # The new rows go behind those of their state; rows are sorted by effect within it.
    rows = fixed[fixed["object"] >= 0]
    lists, start = boards.effect_objects, boards.effect_objects_start
    state = np.concatenate((np.repeat(np.arange(len(boards)), np.diff(start)), rows["state"]))
    effect = np.concatenate((lists.effect, rows["effect"]))
    key = effect if refused is None else np.where(refused[state], 0, effect)
    order = np.lexsort((key, state))
    columns = EffectObjects(effect[order], np.concatenate((lists.object, rows["object"]))[order])
    return replace(
        boards,
        effects=boards.effects._replace(text=text),
        effect_objects=columns,
        effect_objects_start=np.searchsorted(state[order], np.arange(len(boards) + 1)),
        lexicon=builder.build(),
    )


def fixed_text(text: EffectText, per: int) -> EffectText:
    """Return what an effect says once its objects are a list and its amounts are counted."""
    if text.per is None:
        return replace(text, affects=Objects())
    adds = max(0, per) if isinstance(text.per, LifeOfYou) else per  # CR 107.1b
    times = {"define_power": per, "define_toughness": per, "add_power": adds, "add_toughness": adds}
    amounts = {name: getattr(text, name) for name in times}
    counted = {name: amount * times[name] for name, amount in amounts.items() if amount is not None}
    return replace(text, affects=Objects(), per=None, per_distinct=False, **counted)
