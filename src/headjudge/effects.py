"""Continuous effects (CR 611, 613): what one says, apart from whose it is and when it began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from headjudge.errors import DataError
from headjudge.filters import Filter, check_word, protection_mask
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.tables import TEXT

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SETS: Final[dict[str, tuple[str, ...] | None]] = {
    "set_types": v.TYPES,
    "add_types": v.TYPES,
    "remove_types": v.TYPES,
    "set_subtypes": None,
    "add_subtypes": None,
    "remove_subtypes": None,
    "add_supertypes": v.SUPERTYPES,
    "remove_supertypes": v.SUPERTYPES,
    "set_colors": v.COLORS,
    "add_colors": v.COLORS,
    "gain_keywords": v.KEYWORDS,
    "lose_keywords": v.KEYWORDS,
    "gain_protection": None,
}
_AMOUNTS: Final = ("define_power", "define_toughness", "add_power", "add_toughness")
_SETTINGS: Final = ("set_power", "set_toughness")
_FLAGS: Final = ("lose_all_abilities", "switch", "cards_only", "shuffle_owned", "exile_source")


@dataclass(frozen=True)
class Objects:
    """`affects`: the objects listed with the effect."""


@dataclass(frozen=True)
class PlayersAffected:
    """`affects`: players, by their relation to the effect's controller (v.PLAYER_RELATIONS) or by seat."""

    who: str | int


@dataclass(frozen=True)
class LifeOfYou:
    """`{life: you}`: the life total of the effect's controller."""


@dataclass(frozen=True)
class While:
    """The effect applies only while a count, or a life total, is within bounds; None = no bound stated."""

    matching: Filter | LifeOfYou
    at_least: int | None = None
    at_most: int | None = None


Affects = Literal["self", "host"] | Objects | Filter | PlayersAffected


@dataclass(frozen=True)
class EffectText:
    """What an effect says. None and False = not stated; an empty tuple, of what is set, is an empty set."""

    affects: Affects
    control: Literal["you"] | int | None = None
    set_types: tuple[str, ...] | None = None
    add_types: tuple[str, ...] | None = None
    remove_types: tuple[str, ...] | None = None
    set_subtypes: tuple[str, ...] | None = None
    add_subtypes: tuple[str, ...] | None = None
    remove_subtypes: tuple[str, ...] | None = None
    add_supertypes: tuple[str, ...] | None = None
    remove_supertypes: tuple[str, ...] | None = None
    set_colors: tuple[str, ...] | None = None
    add_colors: tuple[str, ...] | None = None
    lose_all_abilities: bool = False
    gain_keywords: tuple[str, ...] | None = None
    lose_keywords: tuple[str, ...] | None = None
    gain_protection: tuple[str, ...] | None = None
    define_power: int | None = None
    define_toughness: int | None = None
    set_power: int | Literal["mana_value"] | None = None
    set_toughness: int | Literal["mana_value"] | None = None
    add_power: int | None = None
    add_toughness: int | None = None
    switch: bool = False
    per: Filter | LifeOfYou | None = None
    per_distinct: bool = False  # `per_distinct: types`
    condition: While | None = None  # `while`
    rule: str | None = None
    cards_only: bool = False
    life: int | None = None
    shuffle_owned: bool = False
    exile_source: bool = False


#: The fields as YAML and Parquet write them, in layer order.
TEXT_FIELDS: Final = tuple("while" if f.name == "condition" else f.name for f in fields(EffectText))


def parse_text(given: Mapping[str, Any], affects: Affects, where: str) -> EffectText:
    """Read the fields of an effect other than `affects` (already read) and those of its row.

    Raises `DataError` naming `where` and the field for unknown words, wrong types and contradictions.
    """
    stated: dict[str, Any] = {}
    for key, value in given.items():
        if value is None:
            continue
        if key not in TEXT_FIELDS or key == "affects":
            raise DataError(f"{where}: unknown field {key!r}; an effect knows {', '.join(TEXT_FIELDS)}")
        read = _field(key, value, f"{where}.{key}")
        if read != () or key.startswith("set_"):  # no words to add, remove, gain or lose: nothing is stated
            stated["condition" if key == "while" else key] = read
    text = EffectText(affects, **stated)
    _check_consistency(text, where)
    return text


def _field(key: str, value: Any, where: str) -> Any:
    if key in _SETS:
        return _set(value, _SETS[key], where)
    if key in _FLAGS:
        if not isinstance(value, bool):
            raise DataError(f"{where}: expected true or false, found {value!r}")
        return value
    if key in _SETTINGS and value == "mana_value":
        return value
    if key in _AMOUNTS:
        # Amounts that were counted by `per` (headjudge.aftermath) can be as large as a product of two numbers.
        return _number(value, where, -(v.LARGEST**2), v.LARGEST**2)
    if key in _SETTINGS or key == "life":
        return _number(value, where)
    if key == "control":
        return value if value == "you" else _number(value, where, least=0)
    if key == "per":
        return _counted(value, where)
    if key == "per_distinct":
        if value != "types":
            raise DataError(f"{where}: expected 'types', found {value!r}")
        return True
    if key == "while":
        return _while(value, where)
    return check_word(value, v.RULE_WORDS, where)


def _set(value: Any, known: tuple[str, ...] | None, where: str) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple, set, frozenset)) or not all(isinstance(x, str) for x in value):
        raise DataError(f"{where}: expected a list of words, found {value!r}")
    return tuple(sorted({check_word(word, known, where) for word in value}))


def _number(value: Any, where: str, least: int = -v.LARGEST, most: int = v.LARGEST) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise DataError(f"{where}: expected a whole number from {least} to {most}, found {value!r}")
    return value


def _counted(value: Any, where: str) -> Filter | LifeOfYou:
    if isinstance(value, Mapping) and "life" in value:
        if dict(value) != {"life": "you"}:
            raise DataError(f"{where}: expected {{life: you}} alone, found {dict(value)!r}")
        return LifeOfYou()
    return Filter.parse(value, where)


def _while(value: Any, where: str) -> While:
    if not isinstance(value, Mapping):
        raise DataError(f"{where}: expected a mapping with matching or life, found {value!r}")
    unknown = set(value).difference(("matching", "life", "at_least", "at_most"))
    if unknown or ("matching" in value) == ("life" in value):
        raise DataError(f"{where}: expected one of matching and life, and at_least, at_most, found {dict(value)!r}")
    counted = _counted({"life": value["life"]} if "life" in value else value["matching"], where)
    bounds = {key: _number(value[key], f"{where}.{key}") for key in ("at_least", "at_most") if key in value}
    return While(counted, **bounds)


_MODIFIERS: Final = frozenset(
    ("per", "per_distinct", "condition", "cards_only", "life", "shuffle_owned", "exile_source")
)


def _stated(text: EffectText) -> set[str]:
    return {f.name for f in fields(text) if _is_stated(text, f.name)} - {"affects"}


def does_nothing(text: EffectText) -> bool:
    """Whether an effect changes nothing and rules nothing."""
    return not _stated(text) - _MODIFIERS


def _check_consistency(text: EffectText, where: str) -> None:
    stated = _stated(text)
    if does_nothing(text):
        raise DataError(f"{where}: it does nothing; expected one of {', '.join(TEXT_FIELDS[1:])}")
    if text.per is not None and not stated & set(_AMOUNTS):
        raise DataError(f"{where}.per: expected define_ or add_ power or toughness beside it; layer 7b has no amounts")
    for name in _AMOUNTS:
        if text.per is not None and abs(getattr(text, name) or 0) > v.LARGEST:
            raise DataError(f"{where}.{name}: expected at most {v.LARGEST} where `per` multiplies it")
    if text.per is not None and stated & set(_SETTINGS):
        raise DataError(f"{where}.per: set_power and set_toughness cannot be multiplied; write two effects")
    if text.per_distinct and not isinstance(text.per, Filter):
        raise DataError(f"{where}.per_distinct: expected a filter in per beside it")
    if text.set_types is not None and (text.add_types or text.remove_types):
        raise DataError(f"{where}: set_types and add_types or remove_types contradict each other")
    if text.set_subtypes is not None and (text.add_subtypes or text.remove_subtypes):
        raise DataError(f"{where}: set_subtypes and add_subtypes or remove_subtypes contradict each other")
    if text.set_colors is not None and text.add_colors:
        raise DataError(f"{where}: set_colors and add_colors contradict each other")
    if text.cards_only and text.rule != "graveyard_to_exile":
        raise DataError(f"{where}.cards_only: expected rule: graveyard_to_exile beside it")
    if (text.rule == "instead_of_losing") != (text.life is not None):
        raise DataError(f"{where}.life: rule: instead_of_losing and life belong together")
    if (text.shuffle_owned or text.exile_source) and text.rule != "instead_of_losing":
        raise DataError(f"{where}: shuffle_owned and exile_source need rule: instead_of_losing")
    if isinstance(text.affects, PlayersAffected):
        beyond = stated - _MODIFIERS - {"rule", "gain_protection"}
        if beyond:
            raise DataError(f"{where}: {', '.join(sorted(beyond))} cannot affect a player")
    elif text.affects != "host" and text.rule in ("cant_lose", "no_loss_at_zero_life", "instead_of_losing"):
        raise DataError(f"{where}.rule: {text.rule} affects players, found objects in affects")


def text_records(texts: Sequence[EffectText], filter_row: Mapping[Filter, int]) -> NDArray[Any]:
    """Return effects as records of `TEXT`; `filter_row` maps their filters to rows."""
    records = np.zeros(len(texts), TEXT)
    for record, text in zip(records, texts, strict=True):
        record["affects"], record["filter"], record["players"] = _affected(text.affects, filter_row)
        record["layers"] = sum(bit for bit, names in _LAYERS.items() if _states_any(text, names))
        seat = text.control if isinstance(text.control, int) else b.CONTROL_YOU
        record["control"] = b.NO_CONTROL if text.control is None else seat
        for name, words in _SETS.items():
            if words is not None:
                chosen = getattr(text, name)
                record[name] = -1 if chosen is None and name.startswith("set_") else v.mask(words, chosen or ())
        record["sets_subtypes"] = text.set_subtypes is not None
        record["adds_subtypes"] = bool(text.add_subtypes)
        record["gain_protection"] = np.uint64(protection_mask(text.gain_protection or ())).astype(np.int64)
        for name in (*_AMOUNTS, *_SETTINGS, "life"):
            amount = getattr(text, name)
            record[name] = {None: v.NULL, "mana_value": b.MANA_VALUE}.get(amount, amount)
        for name in (*_FLAGS, "per_distinct"):
            record[name] = getattr(text, name)
        record["per"] = _counted_row(text.per, filter_row)
        record["while_"], record["at_least"], record["at_most"] = _bounds(text.condition, filter_row)
        record["rule"] = -1 if text.rule is None else v.RULE_WORDS.index(text.rule)
    return records.view(np.recarray)


#: Where the fields of an effect apply (CR 613.1, 613.4).
_LAYERS: Final = {
    b.LAYER_CONTROL: ("control",),
    b.LAYER_TYPES: (
        "set_types", "add_types", "remove_types", "set_subtypes", "add_subtypes", "remove_subtypes", "add_supertypes",
        "remove_supertypes",
    ),
    b.LAYER_COLORS: ("set_colors", "add_colors"),
    b.LAYER_ABILITIES: ("lose_all_abilities", "gain_keywords", "lose_keywords", "gain_protection"),
    b.LAYER_DEFINE: ("define_power", "define_toughness"),
    b.LAYER_SET: ("set_power", "set_toughness"),
    b.LAYER_ADD: ("add_power", "add_toughness"),
    b.LAYER_SWITCH: ("switch",),
    b.LAYER_RULES: ("rule",),
}  # fmt: skip


def _bounds(condition: While | None, filter_row: Mapping[Filter, int]) -> tuple[int, int, int]:
    """Return the filter, the least and the most count of a `while`; without bounds at least one."""
    if condition is None:
        return b.NOT_STATED, 0, 0
    row = _counted_row(condition.matching, filter_row)
    if condition.at_least is None and condition.at_most is None:
        return row, 1, v.LARGEST
    least = -v.LARGEST if condition.at_least is None else condition.at_least
    return row, least, v.LARGEST if condition.at_most is None else condition.at_most


def _states_any(text: EffectText, names: tuple[str, ...]) -> bool:
    return any(_is_stated(text, name) for name in names)


def _is_stated(text: EffectText, name: str) -> bool:
    value = getattr(text, name)
    return value is not None and value is not False  # 0 is stated, and equals False


def _affected(affects: Affects, filter_row: Mapping[Filter, int]) -> tuple[int, int, int]:
    if isinstance(affects, Filter):
        return b.AFFECTS_FILTER, filter_row[affects], 0
    if isinstance(affects, PlayersAffected):
        who = affects.who
        return b.AFFECTS_PLAYERS, -1, -1 - who if isinstance(who, int) else v.PLAYER_RELATIONS.index(who)
    if isinstance(affects, Objects):
        return b.AFFECTS_LIST, -1, 0
    return (b.AFFECTS_SELF if affects == "self" else b.AFFECTS_HOST), -1, 0


def _counted_row(counted: Filter | LifeOfYou | None, filter_row: Mapping[Filter, int]) -> int:
    if counted is None:
        return b.NOT_STATED
    return b.LIFE_OF_YOU if isinstance(counted, LifeOfYou) else filter_row[counted]
