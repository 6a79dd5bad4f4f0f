"""Making a board as small as it can be while something about it still holds.

Greedy to a fixed point, and always the same way: first the few objects around each single one are tried alone, then
objects, players and effects are dropped, fields are reset to their defaults, numbers are lowered and sets made smaller.
Many reductions are tried in one call, since an engine is asked about each of them; those that work alone are then tried
together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from headjudge.errors import DataError
from headjudge.io import scenario_values as values
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, REQUIRED, STATE_FIELDS, Field, Record
from headjudge.io.scenario_reading import read_given
from headjudge.io.scenarios import record_to_mapping
from headjudge.record_edits import copy_of, without_effects, without_objects, without_players

if TYPE_CHECKING:
    from headjudge.io.board_records import BoardRecord, EffectRecord

#: Tells of each of some boards whether it still shows what is to be shown.
Holds = Callable[[Sequence["BoardRecord"]], Sequence[bool]]

#: The value of a field that is reset: the default on the board as it is by then.
DEFAULT: Final = object()
#: In place of a row: a field of every row.
EVERY: Final = -1
#: Rounds before giving up on a fixed point that should long have been reached.
MOST_ROUNDS: Final = 200


@dataclass(frozen=True)
class Reduction:
    """One thing less on a board. Rows are those of the board that it was found on."""

    #: `object`, `player` and `effect` drop a row; `object field`, `player field` and `state field` change a field;
    #: `effect less` puts another effect in place of one.
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
        if (r.what, EVERY, r.field) not in first:
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
        if r.what in _TABLES:
            known, records = _TABLES[r.what], _records(new, r.what)
            for row in range(len(records)) if r.row == EVERY else (r.row,):
                _set(records[row], known, row, r.field, r.value)
        elif r.what == "effect less":
            new.effects[r.row] = r.value

    def rows(what: str) -> list[int]:
        return [r.row for r in reductions if r.what == what]

    return without_players(without_objects(without_effects(new, rows("effect")), rows("object")), rows("player"))


#: The fields that a reduction can change.
_TABLES: Final[dict[str, dict[str, Field]]] = {
    "state field": STATE_FIELDS,
    "player field": PLAYER_FIELDS,
    "object field": OBJECT_FIELDS,
}


def _records(record: BoardRecord, what: str) -> list[Record]:
    return {"state field": [record.state], "player field": record.players, "object field": record.objects}[what]


def _default_of(known: Field, record: Record, row: int) -> Any:
    """Return the default of a field; what must be stated is a seat, of which the first is the least."""
    default = known.default_of(record, row)
    return 0 if default is REQUIRED else default


def _set(record: Record, known: Mapping[str, Field], row: int, field: str, value: Any) -> None:
    """Change a field; others whose default hangs on it keep their defaults if they had them."""
    following = [
        name for name, other in known.items() if name != field and record[name] == _default_of(other, record, row)
    ]
    record[field] = _default_of(known[field], record, row) if value is DEFAULT else value
    for name in following:
        record[name] = _default_of(known[name], record, row)


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
    for what, known in _TABLES.items():
        records = _records(record, what)
        stated = {
            name: [row for row, some in enumerate(records) if some[name] != _default_of(field, some, row)]
            for name, field in known.items()
        }
        yield from (Reduction(what, EVERY, name, DEFAULT) for name, rows in stated.items() if len(rows) > 1)
        for name, rows in stated.items():
            for row in rows:
                yield Reduction(what, row, name, DEFAULT)
                for less in _less_of_kind(known[name].kind, records[row][name]):
                    yield Reduction(what, row, name, less)
    for row, effect in enumerate(record.effects):
        for less in _less_of_effect(effect):
            if _can_be_read(record, less):
                yield Reduction("effect less", row, "", less)


def _less_of_kind(kind: values.Kind, value: Any) -> Iterator[Any]:
    """Yield what is less than the value of a field."""
    match kind:
        case values.Number() if value is not None:
            yield from _lower(value)
        case values.Words() | values.Subtypes() | values.Protection() | values.Attachments() | values.Components():
            yield from _without_one(value)
        case values.Counts() | values.CommanderDamage():
            yield from _without_one(value)
            for at, (key, count) in enumerate(value):
                yield from ((*value[:at], (key, lower), *value[at + 1 :]) for lower in _lower(count) if lower)
        case values.Enchant():
            yield from _less(value)


def _lower(number: int) -> list[int]:
    """Return numbers nearer to 0, the nearest first: 0, 1, and those that halve the way there again and again."""
    sign = 1 if number > 0 else -1
    size = abs(number)
    halves = (size - (size >> times) for times in range(1, size.bit_length()))
    return [sign * lower for lower in dict.fromkeys((0, 1, *halves)) if lower < size]


def _without_one(several: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if len(several) > 1:
        yield from (several[:at] + several[at + 1 :] for at in range(len(several)))


def _less_of_effect(effect: EffectRecord) -> Iterator[EffectRecord]:
    """Yield an effect that says less, or that says it of fewer objects."""
    yield from _with_a_default(effect)
    yield from (replace(effect, objects=objects) for objects in _without_one(effect.objects))
    yield from (replace(effect, text=text) for text in _less(effect.text))


def _less(value: Any) -> Iterator[Any]:
    """Yield what is less than a text, a filter, or what stands in them."""
    if is_dataclass(value):
        yield from _with_a_default(value)
        for field in fields(value):
            yield from (_with(value, field.name, less) for less in _less(getattr(value, field.name)))
    elif isinstance(value, tuple):
        yield from _without_one(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield from _lower(value)


def _with_a_default(value: Any) -> Iterator[Any]:
    for field in fields(value):
        if field.default is not MISSING and getattr(value, field.name) != field.default:
            yield _with(value, field.name, field.default)


def _with(value: Any, field: str, new: Any) -> Any:
    change: dict[str, Any] = {field: new}
    return replace(value, **change)


def _can_be_read(record: BoardRecord, effect: EffectRecord) -> bool:
    """Whether a board may hold an effect: it does something, and does not contradict itself."""
    handles = tuple(map(str, range(len(record.objects))))
    try:
        read_given(record_to_mapping(replace(record, effects=[effect]), handles), "board")
    except DataError:
        return False
    return True
