"""Making a board as small as it can be while something about it still holds.

Greedy to a fixed point, and always the same way: first the few objects around each single one are tried alone, then
objects, players and effects are dropped, numbers are lowered and fields are reset to their defaults. Many reductions
are tried in one call, since an engine is asked about each of them; those that work alone are then tried together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, STATE_FIELDS
from headjudge.record_edits import copy_of, without_effects, without_objects, without_players

if TYPE_CHECKING:
    from headjudge.io.board_records import BoardRecord, EffectRecord
    from headjudge.io.scenario_fields import Field, Record

#: Tells of each of some boards whether it still shows what is to be shown.
Holds = Callable[[Sequence["BoardRecord"]], Sequence[bool]]

#: Fields that say what an object is rather than how it is.
_KEPT_FIELDS: Final = ("name", "controller", "owner", "timestamp", "world_since", "team")
_NUMBERS: Final = (
    "power",
    "toughness",
    "damage",
    "regeneration",
    "final_chapter",
    "life",
    "poison",
    "speed",
    "mana_value",
)
_SETS: Final = ("types", "supertypes", "subtypes", "colors", "keywords", "protection", "designations", "variant")
#: Rounds before giving up on a fixed point that should long have been reached.
MOST_ROUNDS: Final = 200


@dataclass(frozen=True)
class Reduction:
    """One thing less on a board. Rows are those of the board that it was found on."""

    #: `object`, `player` and `effect` drop a row; `object field`, `player field` and `state field` change a field.
    what: str
    row: int
    field: str = ""
    value: Any = None


def shrink(record: BoardRecord, holds: Holds) -> BoardRecord:
    """Return the smallest board that is reached from `record` while `holds` stays true.

    It must be true of `record` itself.
    """
    record = _core(record, holds)
    for find in (_droppings, _changes, _everything):
        record = _to_fixed_point(record, holds, find)
    return record


def _core(record: BoardRecord, holds: Holds) -> BoardRecord:
    """Return the smallest board that is left with one object and what it hangs together with, if any will do."""
    every = range(len(record.objects))
    groups: list[set[int]] = []
    for row in every:
        near = _neighbours(record, row)
        groups += [{row}, near, set().union(*(_neighbours(record, other) for other in near))]
    groups = [group for i, group in enumerate(groups) if group not in groups[:i] and len(group) < len(every)]
    groups.sort(key=len)
    candidates = [without_objects(record, [row for row in every if row not in group]) for group in groups]
    found = holds(candidates) if candidates else []
    return next((candidate for candidate, good in zip(candidates, found, strict=True) if good), record)


def _neighbours(record: BoardRecord, row: int) -> set[int]:
    """Return the object, what it refers to, and what refers to it."""
    near = {row}
    for other, o in enumerate(record.objects):
        references = {o[name] for name in ("attached_to", "attacking", "source") if isinstance(o[name], int)}
        if row in references:
            near.add(other)
        if other == row:
            near |= {reference for reference in references if reference >= 0}
    return near


def _to_fixed_point(
    record: BoardRecord, holds: Holds, find: Callable[[BoardRecord], Iterator[Reduction]]
) -> BoardRecord:
    for _ in range(MOST_ROUNDS):
        reductions = list(find(record))
        if not reductions:
            break
        found = holds([reduced(record, [r]) for r in reductions])
        working = _compatible(r for r, good in zip(reductions, found, strict=True) if good)
        if not working:
            break
        record = _together(record, working, holds)
    return record


def _compatible(working: Iterable[Reduction]) -> list[Reduction]:
    """Return the first reduction of each field, which is the greatest, and each row that can be dropped."""
    first: dict[tuple[str, int, str], Reduction] = {}
    for r in working:
        first.setdefault((r.what, r.row, r.field), r)
    return list(first.values())


def _together(record: BoardRecord, working: list[Reduction], holds: Holds) -> BoardRecord:
    """Return the board with as many of the reductions as work together: all, half of them, ..., the first alone."""
    sizes = [len(working)]
    while sizes[-1] > 1:
        sizes.append(sizes[-1] // 2)
    candidates = [reduced(record, working[:size]) for size in sizes]
    found = [*holds(candidates[:-1]), True] if len(candidates) > 1 else [True]
    return next(candidate for candidate, good in zip(candidates, found, strict=True) if good)


def reduced(record: BoardRecord, reductions: Sequence[Reduction]) -> BoardRecord:
    """Return a board with all of some reductions made."""
    new = copy_of(record)
    for r in reductions:
        if r.what == "object field":
            new.objects[r.row][r.field] = r.value
            if r.field == "controller" and new.objects[r.row]["owner"] == record.objects[r.row]["controller"]:
                new.objects[r.row]["owner"] = r.value
        elif r.what == "player field":
            new.players[r.row][r.field] = r.value
        elif r.what == "state field":
            new.state[r.field] = r.value
        elif r.what == "effect field":
            new.effects[r.row] = r.value

    def rows(what: str) -> list[int]:
        return [r.row for r in reductions if r.what == what]

    return without_players(without_objects(without_effects(new, rows("effect")), rows("object")), rows("player"))


def _everything(record: BoardRecord) -> Iterator[Reduction]:
    yield from _droppings(record)
    yield from _changes(record)


def _droppings(record: BoardRecord) -> Iterator[Reduction]:
    for row in range(len(record.objects)):
        yield Reduction("object", row)
    for row in range(len(record.effects)):
        yield Reduction("effect", row)
    if len(record.players) > 2:
        for seat in reversed(range(len(record.players))):
            yield Reduction("player", seat)


def _changes(record: BoardRecord) -> Iterator[Reduction]:
    for field, known in STATE_FIELDS.items():
        yield from _smaller("state field", 0, field, known, record.state)
    for seat, player in enumerate(record.players):
        for field, known in PLAYER_FIELDS.items():
            yield from _smaller("player field", seat, field, known, player)
    for row, o in enumerate(record.objects):
        for field, known in OBJECT_FIELDS.items():
            yield from _smaller("object field", row, field, known, o)
        if o["controller"]:
            yield Reduction("object field", row, "controller", 0)
        if o["owner"] != o["controller"]:
            yield Reduction("object field", row, "owner", o["controller"])
        if o["timestamp"] != row:
            yield Reduction("object field", row, "timestamp", row)
    for row, effect in enumerate(record.effects):
        for smaller in _smaller_effects(effect):
            yield Reduction("effect field", row, "", smaller)


def _smaller(what: str, row: int, field: str, known: Field, record: Record) -> Iterator[Reduction]:
    """Yield a field with its default, and if that is too much, with less in it."""
    value = record[field]
    default = known.default_of(record, row)
    if field in _KEPT_FIELDS or value == default:
        return
    yield Reduction(what, row, field, default)
    if field in _NUMBERS and isinstance(value, int):
        for lower in _lower(value):
            if lower != default:
                yield Reduction(what, row, field, lower)
    elif field in _SETS and len(value) > 1:
        for word in value:
            yield Reduction(what, row, field, tuple(other for other in value if other != word))
    elif field in ("counters", "counter_limits"):
        yield from (Reduction(what, row, field, counts) for counts in _fewer(value))


def _lower(number: int) -> list[int]:
    """Return numbers nearer to 0, the nearest first."""
    sign = 1 if number > 0 else -1
    size = abs(number)
    return [sign * lower for lower in dict.fromkeys((0, 1, size // 2, size - 1)) if lower < size]


def _fewer(counts: tuple[tuple[str, int], ...]) -> Iterator[tuple[tuple[str, int], ...]]:
    for at, (kind, count) in enumerate(counts):
        rest = counts[:at], counts[at + 1 :]
        if len(counts) > 1:
            yield (*rest[0], *rest[1])
        for lower in _lower(count):
            if lower:
                yield (*rest[0], (kind, lower), *rest[1])


def _smaller_effects(effect: EffectRecord) -> Iterator[EffectRecord]:
    text = effect.text
    for name in ("add_power", "add_toughness", "set_power", "set_toughness"):
        value = getattr(text, name)
        if isinstance(value, int):
            for lower in (None, *(x for x in _lower(value) if x)):
                change: dict[str, Any] = {name: lower}
                smaller = replace(text, **change)
                if any(getattr(smaller, other) is not None for other in _DOING) or smaller.lose_all_abilities:
                    yield replace(effect, text=smaller)
    if text.lose_all_abilities and any(getattr(text, other) is not None for other in _DOING):
        yield replace(effect, text=replace(text, lose_all_abilities=False))


#: Fields of an effect of which one at least must be there for it to do something.
_DOING: Final = ("add_power", "add_toughness", "set_power", "set_toughness", "gain_keywords", "gain_protection")
