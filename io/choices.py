"""What players choose: the table `choices` and the columns that compiled functions take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headjudge.errors import DataError
from headjudge.io.table_schema import as_table, fields_of
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import DTYPES, Choices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from headjudge.boards import Boards, Start

#: What `value` of `Choices` means for each choice; in tables it is the text in brackets.
CHOICE_VALUES: Final = {
    "keep": "0 [null]: the subject is the one that is kept",
    "command_zone": "1 = to the command zone, 0 = stays where it is [true, false]",
    "protector": "seat of the new protector [the seat]",
    "sector": "row of SECTORS [the word]",
    "replace": "-1 = regeneration, -2 = a shield counter, else row of the umbra [the word, or its object_id]",
    "destination": "row of ZONES [the word]",
    "loss_replacement": "row of the object whose effect replaces the loss, or -1 - row of the effect "
    "[its object_id, or `effect` and its effect_id]",
}
#: `value` of the choice `replace` that means a regeneration shield, or a shield counter of an umbra (CR 122.1c).
REPLACE_WORDS: Final = {"regeneration": b.CHOOSE_REGENERATION, "shield_counter": b.CHOOSE_SHIELD}
#: `value` of the choice `loss_replacement` that names an effect, not its source: this and the `effect_id`.
_EFFECT: Final = "effect "
#: The choice whose subject is a player.
_OF_PLAYERS: Final = "loss_replacement"
_WORDS: Final[dict[str, dict[str, int]]] = {
    "command_zone": {"false": 0, "true": 1},
    "sector": {word: i for i, word in enumerate(v.SECTORS)},
    "destination": {word: i for i, word in enumerate(v.ZONES)},
    "replace": REPLACE_WORDS,
}
_NULL_ID: Final = np.iinfo(np.int64).min

CHOICES_SCHEMA: Final = pa.schema(
    [
        pa.field("state_id", pa.int64(), nullable=False),
        pa.field("choice", pa.dictionary(pa.int8(), pa.string()), nullable=False),
        pa.field("object_id", pa.int32()),
        pa.field("seat", pa.int16()),
        pa.field("value", pa.string()),
    ]
)


def columns_of(rows: Sequence[tuple[int, int, int]]) -> Choices:
    """Return (choice, subject, value) rows of one state as columns, sorted."""
    table = np.array(sorted(rows), np.int64).reshape(-1, len(Choices._fields))
    return Choices(*(table[:, i].astype(dtype) for i, dtype in enumerate(DTYPES[Choices].values())))


def by_state(
    state: NDArray[Any], choice: NDArray[Any], subject: NDArray[Any], value: NDArray[Any], states: int
) -> tuple[Choices, Start]:
    """Return choices, sorted by state, choice and subject, as compiled functions take them for so many states."""
    columns = zip((choice, subject, value), DTYPES[Choices].values(), strict=True)
    start = np.searchsorted(state, np.arange(states + 1)).astype(np.int64)
    return Choices(*(column.astype(dtype) for column, dtype in columns)), start


def choices_to_arrow(choices: Choices, start: Start, boards: Boards) -> pa.Table:
    """Return the table `choices` of a batch."""
    state = np.repeat(np.arange(len(boards)), np.diff(start))
    subject, value = choices.subject.astype(np.int64), choices.value.astype(np.int64)
    of_player = choices.choice == v.CHOICES.index(_OF_PLAYERS)
    ids = np.append(boards.objects.object_id, np.int32(0))
    first = boards.objects_start[:-1][state]
    first_effect = boards.effects_start[:-1][state]
    object_id = ids[np.where(of_player, len(ids) - 1, first + subject)]
    named = np.where(of_player & (value < 0), first_effect - 1 - value, first + value)
    texts = [
        _value_text(v.CHOICES[choice], number, row, boards)
        for choice, number, row in zip(choices.choice.tolist(), value.tolist(), named.tolist(), strict=True)
    ]
    words = pa.DictionaryArray.from_arrays(pa.array(choices.choice.astype(np.int8)), pa.array(v.CHOICES))
    return pa.Table.from_arrays(
        [
            pa.array(boards.states.state_id[state]),
            words,
            pa.array(object_id, mask=of_player),
            pa.array((-1 - subject).astype(np.int16), mask=~of_player),
            pa.array(texts, pa.string()),
        ],
        schema=CHOICES_SCHEMA,
    )


def _value_text(choice: str, value: int, named: int, boards: Boards) -> str | None:
    """Return what the table says; `named` is the row of the object or effect if the value stands for one."""
    if choice == "keep":
        return None
    if choice == _OF_PLAYERS and value < 0:
        return f"{_EFFECT}{boards.effects.effect_id[named]}"
    for word, number in _WORDS.get(choice, {}).items():
        if number == value:
            return word
    return str(value if choice == "protector" else boards.objects.object_id[named])


def choices_from_arrow(table: pa.Table, boards: Boards) -> tuple[Choices, Start]:
    """Return the choices made on each state of `boards`, and the first row of each state.

    Raises
    ------
    DataError
        For columns, states, words, objects, seats and values that are not there; names `state_id` and field.
    """
    table = as_table("choices", table)
    _check_columns(table)
    state_id = _integers(table, "state_id")
    state = _states(state_id, boards)
    choice = _codes(table, state_id)
    object_id, seat = _integers(table, "object_id"), _integers(table, "seat")
    of_player = choice == v.CHOICES.index(_OF_PLAYERS)
    _refuse(
        (object_id != _NULL_ID) == of_player,
        state_id,
        "object_id",
        object_id,
        f"an object; null for {_OF_PLAYERS} alone",
    )
    _refuse((seat == _NULL_ID) == of_player, state_id, "seat", seat, f"a seat for {_OF_PLAYERS} alone")
    rows = _Objects(state, boards)
    subject = rows.find(object_id, ~of_player)
    _refuse(~of_player & (subject < 0), state_id, "object_id", object_id, "an object of the state")
    players = np.diff(boards.players_start)[state]
    _refuse(of_player & ((seat < 0) | (seat >= players)), state_id, "seat", seat, "a player of the state")
    subject = np.where(of_player, -1 - seat, subject)
    texts = _strings(table, "value")
    effects = _effects(texts, choice, state, boards)
    value = _values(texts, choice, rows, effects, players, state_id)
    order = np.lexsort((value, subject, choice, state))
    key = np.stack([state, choice, subject])[:, order]
    repeated = np.zeros(len(order), bool)
    repeated[order[1:]] = (key[:, 1:] == key[:, :-1]).all(axis=0)
    _refuse(repeated, state_id, "choice", np.array(v.CHOICES)[choice], "one choice of a kind for each object or player")
    return by_state(state[order], choice[order], subject[order], value[order], len(boards))


def _check_columns(table: pa.Table) -> None:
    known = CHOICES_SCHEMA.names
    for field in fields_of(table.schema):
        if field.name not in known:
            raise DataError(f"choices: unknown column {field.name!r}; expected {', '.join(known)}")
    for name in ("state_id", "choice"):
        if name not in table.column_names:
            raise DataError(f"choices: column {name} is missing; expected {', '.join(known)}")


def _column(table: pa.Table, name: str, dtype: pa.DataType) -> pa.Array:
    if name not in table.column_names:
        return pa.nulls(table.num_rows, dtype)
    column = table.column(name).combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0, column.type)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    found = column.type
    text = pa.types.is_string(found) or pa.types.is_large_string(found) or pa.types.is_string_view(found)
    # pandas turns whole numbers with nulls among them into floating ones
    number = pa.types.is_integer(found) or pa.types.is_floating(found)
    if not (pa.types.is_null(found) or (text if pa.types.is_string(dtype) else number)):
        raise DataError(f"choices: column {name}: expected {dtype}, found {found}")
    if pa.types.is_floating(found):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, found), column)
    try:
        return column.cast(dtype)
    except pa.ArrowInvalid as error:
        raise DataError(f"choices: column {name}: {error}") from None


def _integers(table: pa.Table, name: str) -> NDArray[np.int64]:
    filled: NDArray[np.int64] = pc.fill_null(_column(table, name, pa.int64()), _NULL_ID).to_numpy(zero_copy_only=False)
    return filled


def _strings(table: pa.Table, name: str) -> tuple[NDArray[np.int64], list[str | None]]:
    """Return the row of each text among the distinct ones, and those."""
    encoded = _column(table, name, pa.string()).dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary.to_pylist()


def _refuse(wrong: NDArray[np.bool_], state_id: NDArray[Any], field: str, found: NDArray[Any], expected: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        value = None if found[row] == _NULL_ID else found[row]
        raise DataError(f"choices, state_id {state_id[row]}, {field}: expected {expected}, found {value}")


def _states(state_id: NDArray[np.int64], boards: Boards) -> NDArray[np.int64]:
    order = np.argsort(boards.states.state_id, kind="stable")
    known = boards.states.state_id[order]
    place = np.searchsorted(known, state_id)
    missing = place == len(known)
    missing[~missing] = known[place[~missing]] != state_id[~missing]
    _refuse(missing, state_id, "state_id", state_id, "a state of the boards")
    repeated = np.searchsorted(known, state_id, "right") > place + 1
    _refuse(repeated, state_id, "state_id", state_id, "a state_id that stands once in the boards")
    return order[place].astype(np.int64)


def _codes(table: pa.Table, state_id: NDArray[np.int64]) -> NDArray[np.int64]:
    index, words = _strings(table, "choice")
    codes = np.array([v.CHOICES.index(word) if word in v.CHOICES else -1 for word in words], np.int64)[index]
    found = np.array(words, object)[index]
    _refuse(codes < 0, state_id, "choice", found, f"one of {', '.join(v.CHOICES)}")
    return codes


class _Objects:
    """Finds the rows of objects within the states that choices are made on."""

    def __init__(self, state: NDArray[np.int64], boards: Boards) -> None:
        chosen, self._rank = np.unique(state, return_inverse=True)
        first = boards.objects_start[:-1][chosen]
        lengths = boards.objects_start[1:][chosen] - first
        before = np.cumsum(lengths) - lengths
        within = np.arange(lengths.sum()) - np.repeat(before, lengths)
        ids = boards.objects.object_id[within + np.repeat(first, lengths)].astype(np.int64)
        keys = np.repeat(np.arange(len(chosen)), lengths) << 32 | ids
        order = np.argsort(keys, kind="stable")
        self._keys, self._rows = keys[order], within[order]

    def find(self, object_id: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the row of each object within its state, -1 where it is not there or not asked for."""
        rows = np.full(len(object_id), -1, np.int64)
        asked = asked & (object_id >= 0) & (object_id <= np.iinfo(np.int32).max)
        keys = self._rank[asked] << 32 | object_id[asked]
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        if len(self._keys):
            rows[asked] = np.where(self._keys[place] == keys, self._rows[place], -1)
        return rows


def _effects(
    texts: tuple[NDArray[np.int64], list[str | None]],
    choice: NDArray[np.int64],
    state: NDArray[np.int64],
    boards: Boards,
) -> NDArray[np.int64]:
    """Return the row of the effect within its state that a value names, -1 where it names none that is there."""
    index, words = texts
    ids = [_number(word.removeprefix(_EFFECT)) if word and word.startswith(_EFFECT) else -1 for word in words]
    effect_id = np.array(ids, np.int64)[index]
    rows = np.full(len(index), -1, np.int64)
    for row in np.flatnonzero((choice == v.CHOICES.index(_OF_PLAYERS)) & (effect_id >= 0)).tolist():
        first, last = boards.effects_start[state[row] : state[row] + 2]
        found = np.flatnonzero(boards.effects.effect_id[first:last] == effect_id[row])
        rows[row] = found[0] if len(found) else -1
    return rows


def _number(word: str | None) -> int:
    """Return the number that a text is, or -1."""
    return int(word) if word and word.isascii() and word.isdecimal() and len(word) < 11 else -1


def _values(
    texts: tuple[NDArray[np.int64], list[str | None]],
    choice: NDArray[np.int64],
    objects: _Objects,
    effects: NDArray[np.int64],
    players: NDArray[np.int64],
    state_id: NDArray[np.int64],
) -> NDArray[np.int64]:
    index, words = texts
    found = np.array(words, object)[index] if words else np.zeros(0, object)
    numbers = np.array([_number(word) for word in words], np.int64)[index]
    value = np.zeros(len(index), np.int64)

    def refuse(kind: str, wrong: NDArray[np.bool_], expected: str) -> None:
        _refuse((choice == v.CHOICES.index(kind)) & wrong, state_id, f"value ({kind})", found, expected)

    refuse("keep", found != None, "null")  # noqa: E711 (element by element)
    rows = objects.find(numbers, (choice == v.CHOICES.index("replace")) | (choice == v.CHOICES.index(_OF_PLAYERS)))
    for kind in v.CHOICES[1:]:
        here = choice == v.CHOICES.index(kind)
        known = _WORDS.get(kind, {})
        is_word = np.array([word in known for word in words], bool)[index]
        code = np.array([known.get(word or "", 0) for word in words], np.int64)[index]
        if kind == "protector":
            refuse(kind, (numbers < 0) | (numbers >= players), "the seat of a player of the state")
            code = numbers
        elif kind == "replace":
            refuse(kind, ~is_word & (rows < 0), " or ".join([*known, "an object_id of the state"]))
            code = np.where(is_word, code, rows)
        elif kind == _OF_PLAYERS:
            refuse(kind, (effects < 0) & (rows < 0), "an object_id of the state, or `effect` and an effect_id of it")
            code = np.where(effects >= 0, -1 - effects, rows)
        else:
            refuse(kind, ~is_word, f"one of {', '.join(known)}")
        value[here] = code[here]
    return value
