"""Filters: sets of conditions on an object, as words and as arrays."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge.errors import DataError
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import FILTER

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
            if key not in v.FILTER_CONDITIONS:
                raise DataError(f"{where}: unknown condition {key!r}; a filter knows {', '.join(v.FILTER_CONDITIONS)}")
            conditions[key] = _condition(key, value, f"{where}.{key}")
        return cls(**conditions)

    def to_mapping(self) -> dict[str, Any]:
        """Return the stated conditions as YAML and JSON write them."""
        stated = {field.name: getattr(self, field.name) for field in fields(self)}
        return {k: list(x) if isinstance(x, tuple) else x for k, x in stated.items() if x is not None}


#: Where a filter can look: what has ceased to exist matches nothing.
FILTER_ZONES: Final = tuple(zone for zone in v.ZONES if zone != "none")
_WORDS_OF_CONDITION: Final[dict[str, tuple[str, ...]]] = {
    "types": v.TYPES,
    "any_types": v.TYPES,
    "not_types": v.TYPES,
    "supertypes": v.SUPERTYPES,
    "not_supertypes": v.SUPERTYPES,
    "colors": v.COLORS,
    "keywords": v.KEYWORDS,
    "kind": v.KINDS,
    "controller": v.RELATIONS,
    "owner": v.RELATIONS,
    "zone": FILTER_ZONES,
}
_DEFAULT_WORDS: Final = {"kind": "card", "controller": "any", "owner": "any", "zone": "battlefield"}
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


def bit_sets(sets: Sequence[Iterable[str]], row: Mapping[str, int], width: int) -> NDArray[np.uint64]:
    """Return one row of `width` words of 64 bits for each set of subtypes; words without a row are left out."""
    bits = np.zeros((len(sets), width), np.uint64)
    for i, words in enumerate(sets):
        for word in row.keys() & words:
            bits[i, row[word] // 64] |= np.uint64(1 << row[word] % 64)
    return bits


#: `named` of a filter that names something that no object of the batch is called.
NO_SUCH_NAME: Final = -2


def filter_records(filters: Sequence[Filter], names: Mapping[str, int]) -> NDArray[Any]:
    """Return filters as records of `FILTER`; `names` maps names to their numbers."""
    records = np.zeros(len(filters), FILTER)
    for record, f in zip(records, filters, strict=True):
        stated = f.to_mapping()
        record["conditions"] = sum(1 << i for i, condition in enumerate(v.FILTER_CONDITIONS) if condition in stated)
        for condition, words in _WORDS_OF_CONDITION.items():
            if condition in _SET_CONDITIONS:
                record[condition] = v.mask(words, stated.get(condition, ()))
            else:
                record[condition] = words.index(stated.get(condition, _DEFAULT_WORDS[condition]))
        for condition in _FLAG_CONDITIONS:
            record[condition] = stated.get(condition, False)
        record["named"] = names.get(stated.get("named", ""), NO_SUCH_NAME)
    return records.view(np.recarray)


_SEATS: Final = tuple(map(str, range(v.LAST_PROTECTED_FROM + 1)))


def protection_mask(qualities: Iterable[str], where: str = "protection") -> int:
    """Return the bits of a protection set; `DataError` for an unknown quality."""
    bits = 0
    for quality in qualities:
        seat = quality.removeprefix("player:")
        if quality in v.COLORS:
            bits |= 1 << v.COLORS.index(quality)
        elif quality in v.TYPES:
            bits |= 1 << v.PROTECTION_TYPES + v.TYPES.index(quality)
        elif quality == "everything":
            bits |= 1 << v.PROTECTION_EVERYTHING
        elif seat != quality and seat in _SEATS:
            bits |= 1 << v.PROTECTION_PLAYERS + _SEATS.index(seat)
        else:
            raise DataError(
                f"{where}: unknown quality {quality!r}; expected a color, a card type, everything or player:N "
                f"(N up to {v.LAST_PROTECTED_FROM})"
            )
    return bits
