"""Filters: sets of conditions on an object, as words and as arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge.errors import DataError
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import FilterTables

if TYPE_CHECKING:
    from numpy.typing import NDArray

RELATIONS: Final = ("any", "you", "opponent")


@cache
def subtype_lists() -> dict[str, tuple[str, ...]]:
    """Return the subtypes of each card type (CR 205.3g-q), and `basic_land` (CR 305.6)."""
    text = files("headjudge").joinpath("data/subtypes.json").read_text(encoding="utf-8")
    return {kind: tuple(words) for kind, words in json.loads(text).items()}


@dataclass(frozen=True)
class Filter:
    """Conditions on an object, all of which must hold; None = not stated. Sets are sorted tuples of words."""

    types: tuple[str, ...] | None = None
    any_types: tuple[str, ...] | None = None
    not_types: tuple[str, ...] | None = None
    supertypes: tuple[str, ...] | None = None
    not_supertypes: tuple[str, ...] | None = None
    subtypes: tuple[str, ...] | None = None
    any_subtypes: tuple[str, ...] | None = None
    not_subtypes: tuple[str, ...] | None = None
    colors: tuple[str, ...] | None = None
    keywords: tuple[str, ...] | None = None
    kind: str | None = None
    named: str | None = None
    controller: str | None = None
    owner: str | None = None
    other: bool | None = None
    attacking: bool | None = None
    tapped: bool | None = None
    host: bool | None = None
    zone: str | None = None

    @classmethod
    def parse(cls, given: Any, where: str) -> Filter:
        """Read a mapping of conditions; `DataError` naming `where` for anything else."""
        if not isinstance(given, Mapping):
            raise DataError(f"{where}: expected a filter (a mapping of conditions), found {given!r}")
        conditions: dict[str, Any] = {}
        for key, value in given.items():
            if key not in FILTER_CONDITIONS:
                raise DataError(f"{where}: unknown condition {key!r}; a filter knows {', '.join(FILTER_CONDITIONS)}")
            conditions[key] = _condition(key, value, f"{where}.{key}")
        return cls(**conditions)

    def to_mapping(self) -> dict[str, Any]:
        """Return the stated conditions as YAML and JSON write them."""
        stated = {field.name: getattr(self, field.name) for field in fields(self)}
        return {k: list(x) if isinstance(x, tuple) else x for k, x in stated.items() if x is not None}


#: The conditions in the order of their bits in FilterTables.conditions.
FILTER_CONDITIONS: Final = tuple(field.name for field in fields(Filter))
_WORDS_OF_CONDITION: Final[dict[str, tuple[str, ...]]] = {
    "types": v.TYPES,
    "any_types": v.TYPES,
    "not_types": v.TYPES,
    "supertypes": v.SUPERTYPES,
    "not_supertypes": v.SUPERTYPES,
    "colors": v.COLORS,
    "keywords": v.KEYWORDS,
    "kind": v.KINDS,
    "controller": RELATIONS,
    "owner": RELATIONS,
    "zone": v.ZONES,
}
SUBTYPE_CONDITIONS: Final = ("subtypes", "any_subtypes", "not_subtypes")
_SET_CONDITIONS: Final = (
    "types", "any_types", "not_types", "supertypes", "not_supertypes", "colors", "keywords", *SUBTYPE_CONDITIONS,
)  # fmt: skip
_FLAG_CONDITIONS: Final = ("other", "attacking", "tapped", "host")


def _condition(key: str, value: Any, where: str) -> Any:
    if key in _SET_CONDITIONS:
        if not isinstance(value, (list, tuple, set, frozenset)) or not all(isinstance(x, str) for x in value):
            raise DataError(f"{where}: expected a list of words, found {value!r}")
        for word in value:
            check_word(word, _WORDS_OF_CONDITION.get(key), where)
        return tuple(sorted(set(value)))
    if key in _FLAG_CONDITIONS:
        if not isinstance(value, bool):
            raise DataError(f"{where}: expected true or false, found {value!r}")
        return value
    if not isinstance(value, str):
        raise DataError(f"{where}: expected a word, found {value!r}")
    return check_word(value, _WORDS_OF_CONDITION.get(key), where)


def check_word(word: str, known: tuple[str, ...] | None, where: str) -> str:
    """Return `word`, or raise a `DataError` if it is not among the `known` (None: any word will do)."""
    if known is not None and word not in known:
        raise DataError(f"{where}: unknown word {word!r}; expected one of {', '.join(known)}")
    return word


def bit_sets(
    sets: tuple[tuple[str, ...], ...] | list[tuple[str, ...]], row: dict[str, int], width: int
) -> NDArray[np.uint64]:
    """Return one row of `width` words of 64 bits for each set of subtypes."""
    bits = np.zeros((len(sets), width), np.uint64)
    for i, words in enumerate(sets):
        for word in words:
            bits[i, row[word] // 64] |= np.uint64(1 << row[word] % 64)
    return bits


#: `named` of a filter that names something that no object of the batch is called.
NO_SUCH_NAME: Final = -2


def filter_tables(filters: tuple[Filter, ...], row: dict[str, int], width: int, names: dict[str, int]) -> FilterTables:
    """Return filters as arrays. All their subtypes must have a row."""
    states = [[getattr(f, c) is not None for c in FILTER_CONDITIONS] for f in filters]

    def masks(condition: str, words: tuple[str, ...], dtype: type) -> NDArray[Any]:
        return np.array([v.mask(words, getattr(f, condition) or ()) for f in filters], dtype)

    def indices(condition: str, words: tuple[str, ...], default: str) -> NDArray[np.uint8]:
        return np.array([words.index(getattr(f, condition) or default) for f in filters], np.uint8)

    def flags(condition: str) -> NDArray[np.bool_]:
        return np.array([bool(getattr(f, condition)) for f in filters], np.bool_)

    def subtypes(condition: str) -> NDArray[np.uint64]:
        return bit_sets([getattr(f, condition) or () for f in filters], row, width)

    return FilterTables(
        conditions=np.array([sum(1 << i for i, stated in enumerate(s) if stated) for s in states], np.uint32),
        types=masks("types", v.TYPES, np.uint16),
        any_types=masks("any_types", v.TYPES, np.uint16),
        not_types=masks("not_types", v.TYPES, np.uint16),
        supertypes=masks("supertypes", v.SUPERTYPES, np.uint8),
        not_supertypes=masks("not_supertypes", v.SUPERTYPES, np.uint8),
        colors=masks("colors", v.COLORS, np.uint8),
        keywords=masks("keywords", v.KEYWORDS, np.uint16),
        kind=indices("kind", v.KINDS, "card"),
        named=np.array([names.get(f.named or "", NO_SUCH_NAME) for f in filters], np.int32),
        controller=indices("controller", RELATIONS, "any"),
        owner=indices("owner", RELATIONS, "any"),
        zone=indices("zone", v.ZONES, "battlefield"),
        other=flags("other"),
        attacking=flags("attacking"),
        tapped=flags("tapped"),
        host=flags("host"),
        subtypes=subtypes("subtypes"),
        any_subtypes=subtypes("any_subtypes"),
        not_subtypes=subtypes("not_subtypes"),
    )
