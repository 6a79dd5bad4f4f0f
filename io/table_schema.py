"""The tables and columns of a data set: names and types as they are written, and how they may be read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

import pyarrow as pa

from headjudge.effects import TEXT_FIELDS
from headjudge.errors import DataError, check_type
from headjudge.kernels import vocabulary as v

#: A word of a short list; a set of words joined by commas, a name, or JSON, of which there may be many.
WORD: Final = pa.dictionary(pa.int8(), pa.string())
TEXT: Final = pa.dictionary(pa.int32(), pa.string())
#: The index of the rows of a frame, a column that pandas writes without being asked.
_PANDAS_INDEX: Final = re.compile(r"__index_level_\d+__")
#: Columns of the tables of a data set.
Schema = Mapping[str, pa.Schema]

_AMOUNTS: Final = ("define_power", "define_toughness", "add_power", "add_toughness")
_EFFECT_FLAGS: Final = ("lose_all_abilities", "switch", "cards_only", "shuffle_owned", "exile_source")
_EFFECT_TYPES: Final = {
    **dict.fromkeys(_AMOUNTS, pa.int64()),
    "life": pa.int32(),
    **dict.fromkeys(_EFFECT_FLAGS, pa.bool_()),
}


def _schema(columns: Mapping[str, pa.DataType], nullable: Collection[str] = ()) -> pa.Schema:
    """Make a schema; columns without nulls are read up to three times faster if they say so."""
    return pa.schema([pa.field(name, dtype, nullable=name in nullable) for name, dtype in columns.items()])


#: Every column there is, in the order in which they are written.
FULL: Final[Schema] = {
    "states": _schema(
        {
            "state_id": pa.int64(),
            "variant": TEXT,
            "active_player": pa.int16(),
            "step": WORD,
            "skips": TEXT,
            "round_expired": pa.bool_(),
            "planar_controller": pa.int16(),
        },
        ["planar_controller"],
    ),
    "players": _schema(
        {
            "state_id": pa.int64(),
            "seat": pa.int16(),
            "team": pa.int16(),
            "life": pa.int32(),
            "poison": pa.int32(),
            "drew_from_empty": pa.bool_(),
            "speed": pa.int8(),
            "in_game": pa.bool_(),
            "designations": TEXT,
            "cant_lose": pa.bool_(),
            "no_loss_at_zero_life": pa.bool_(),
        },
        ["speed"],
    ),
    "objects": _schema(
        {
            "state_id": pa.int64(),
            "object_id": pa.int32(),
            "name": TEXT,
            "kind": WORD,
            "zone": WORD,
            "controller": pa.int16(),
            "owner": pa.int16(),
            "types": TEXT,
            "supertypes": TEXT,
            "subtypes": TEXT,
            "colors": TEXT,
            "power": pa.int32(),
            "toughness": pa.int32(),
            "mana_value": pa.int32(),
            "timestamp": pa.int64(),
            "world_since": pa.int64(),
            "damage": pa.int32(),
            **dict.fromkeys(v.COUNTER_COLUMNS, pa.int32()),
            "counter_limits": TEXT,
            "attached_to": pa.int32(),
            "enchant": TEXT,
            "keywords": TEXT,
            "protection": TEXT,
            "keeps_attachments": TEXT,
            "regeneration": pa.int16(),
            "graveyard_replacement": WORD,
            "final_chapter": pa.int32(),
            "source": pa.int32(),
            "attacking": pa.int32(),
            "protector": pa.int16(),
            "sector": WORD,
            **dict.fromkeys(v.OBJECT_FLAGS, pa.bool_()),
        },
        [
            "name",
            "power",
            "toughness",
            "world_since",
            "counter_limits",
            "attached_to",
            "enchant",
            "keeps_attachments",
            "graveyard_replacement",
            "source",
            "attacking",
            "protector",
            "sector",
        ],
    ),
    "counters": _schema({"state_id": pa.int64(), "object_id": pa.int32(), "kind": TEXT, "count": pa.int32()}),
    "commander_damage": _schema(
        {"state_id": pa.int64(), "seat": pa.int16(), "commander": pa.int32(), "amount": pa.int32()}
    ),
    "effects": _schema(
        {
            "state_id": pa.int64(),
            "effect_id": pa.int32(),
            "source": pa.int32(),
            "controller": pa.int16(),
            "until": WORD,
            "timestamp": pa.int64(),
            **{field: _EFFECT_TYPES.get(field, TEXT) for field in TEXT_FIELDS},
        },
        ["source", "controller", "until", "timestamp", *TEXT_FIELDS[1:]],
    ),
    "components": _schema(
        {
            "state_id": pa.int64(),
            "object_id": pa.int32(),
            "position": pa.int32(),
            "name": TEXT,
            "kind": WORD,
            "owner": pa.int16(),
        },
        ["name"],
    ),
}
#: Columns without which a row means nothing.
REQUIRED: Final = {
    "states": ("state_id",),
    "players": ("state_id", "seat"),
    "objects": ("state_id", "object_id", "controller"),
    "counters": ("state_id", "object_id", "kind", "count"),
    "commander_damage": ("state_id", "seat", "commander", "amount"),
    "effects": ("state_id", "effect_id", "affects"),
    "components": ("state_id", "object_id"),
}
#: Columns that hold sets of words, which may also be lists.
SETS: Final = frozenset(
    (
        "variant", "skips", "designations", "types", "supertypes", "subtypes", "colors", "keywords", "protection",
        "set_types", "add_types", "remove_types", "set_subtypes", "add_subtypes", "remove_subtypes", "add_supertypes",
        "remove_supertypes", "set_colors", "add_colors", "gain_keywords", "lose_keywords", "gain_protection",
    )
)  # fmt: skip


#: Columns of texts that are a number or a word.
NUMBER_OR_WORD: Final = ("control", "set_power", "set_toughness")


def as_table(name: str, given: Any) -> pa.Table:
    """Return a table as Arrow has it."""
    if isinstance(given, pa.Table):
        return given
    streams = hasattr(given, "__arrow_c_stream__")
    check_type(name, given, streams, "an Arrow table, or what has an Arrow stream, such as frames of pandas and Polars")
    return pa.table(given)


def fields_of(schema: pa.Schema) -> list[pa.Field]:
    """Return the columns of a table, without the index of pandas."""
    return [field for field in schema if not _PANDAS_INDEX.fullmatch(field.name)]


def check_tables(schemas: Schema) -> None:
    """Raise `DataError` for tables and columns that are unknown, missing or of a type that cannot be read."""
    for table, schema in schemas.items():
        if table not in FULL:
            raise DataError(unknown_table(table, FULL))
        for name in REQUIRED[table]:
            if name not in schema.names:
                raise DataError(f"{table}: column {name!r} is missing; found {', '.join(schema.names) or 'none'}")
        for field in fields_of(schema):
            _check_column(table, field)
        if len(set(schema.names)) < len(schema.names):
            twice = next(name for name in schema.names if schema.names.count(name) > 1)
            raise DataError(f"{table}: column {twice!r} stands there twice; expected it once")
    if "states" not in schemas:
        raise DataError(f"table 'states' is missing; found {', '.join(schemas) or 'none'}")


def unknown_table(name: str, known: Iterable[str]) -> str:
    """Return what is wrong with a table of that name."""
    return f"unknown table {name!r}; expected {_expected(name, list(known))}"


def _expected(found: str, known: list[str]) -> str:
    """Return the known name that is meant, or all of them."""
    near = get_close_matches(found, known, 1)
    return repr(near[0]) if near else f"one of {', '.join(known)}"


def _check_column(table: str, field: pa.Field) -> None:
    known = FULL[table]
    if field.name not in known.names:
        raise DataError(f"{table}: unknown column {field.name!r}; expected {_expected(field.name, known.names)}")
    found, written = field.type, known.field(field.name).type
    if pa.types.is_null(found):
        return
    if pa.types.is_integer(written):
        # pandas turns whole numbers with nulls among them into floating ones
        expected, fits = "whole numbers", pa.types.is_integer(_values(found)) or pa.types.is_floating(found)
    elif pa.types.is_boolean(written):
        expected, fits = "booleans", pa.types.is_boolean(found)
    elif field.name in NUMBER_OR_WORD:
        fits = is_text(found) or pa.types.is_integer(found) or pa.types.is_floating(found)
        expected = "strings or whole numbers"
    elif field.name in SETS:
        expected, fits = "strings or lists of strings", is_text(found) or is_list(found)
    else:
        expected, fits = "strings", is_text(found)
    if not fits:
        raise DataError(f"{table}.{field.name}: expected {expected}, found {found}")


def _values(dtype: pa.DataType) -> pa.DataType:
    return dtype.value_type if pa.types.is_dictionary(dtype) else dtype


def is_text(dtype: pa.DataType) -> bool:
    """Whether values of this type are strings."""
    values = _values(dtype)
    return bool(pa.types.is_string(values) or pa.types.is_large_string(values) or pa.types.is_string_view(values))


def is_list(dtype: pa.DataType) -> bool:
    """Whether values of this type are lists of strings."""
    lists = pa.types.is_list(dtype) or pa.types.is_large_list(dtype) or pa.types.is_list_view(dtype)
    return bool(lists and is_text(dtype.value_type))
