"""How the values of a scenario are read and written: one class a kind of value.

Reading checks a value and gives it its plain form: numbers, booleans and words as they are, sets as sorted tuples,
objects as rows, players as ``-1 - seat``, null as None. Writing is the way back.
"""

# ruff: noqa: D102 (`read` and `write` are documented once, by the protocol `Kind`)

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from headjudge.errors import DataError
from headjudge.filters import Filter, check_word, protection_mask, subtype_lists
from headjudge.kernels import vocabulary as v
from headjudge.lexicon import check_counter_kind

#: The word for `attacking` once what was attacked is gone.
NOTHING: Final = "nothing"
_MOST_LISTED: Final = 24


class OutOfRange(DataError):
    """A number that can be read, but that no board can hold: the board is rejected rather than the file refused."""


class Names(NamedTuple):
    """What a scenario's handles and seats may be."""

    rows: Mapping[str, int]
    players: int

    def row(self, handle: Any, where: str) -> int:
        """Return the row of the object that `handle` names."""
        if not isinstance(handle, str) or handle not in self.rows:
            known = f"expected one of {listed(self.rows)}" if self.rows else "there are no objects"
            raise DataError(f"{where}: unknown object {handle!r}; {known}")
        return self.rows[handle]

    def seat(self, seat: Any, where: str) -> int:
        """Return `seat` if such a player is there."""
        if not is_number(seat) or not 0 <= seat < self.players:
            known = f"expected a seat from 0 to {self.players - 1}" if self.players else "there are no players"
            raise DataError(f"{where}: unknown seat {seat!r}; {known}")
        return int(seat)

    def player(self, given: Mapping[str, Any], where: str) -> int:
        """Return the reference that ``{player: N}`` stands for."""
        known_keys(given, ("player",), where)
        return -1 - self.seat(given.get("player"), f"{where}.player")

    def reference(self, given: Any, where: str) -> int:
        """Return the row of a handle, or the reference of ``{player: N}``."""
        return self.player(given, where) if isinstance(given, Mapping) else self.row(given, where)


def listed(words: Collection[str]) -> str:
    """Return words as a message shows them: not more than a reader will look through."""
    shown = list(words)[:_MOST_LISTED]
    return (", ".join(map(str, shown)) or "none") + (", ..." if len(words) > len(shown) else "")


def known_keys(given: Mapping[Any, Any], known: Collection[str], where: str) -> None:
    """Raise `DataError` if a mapping has a key that is not `known`."""
    for key in given:
        if key not in known:
            raise DataError(f"{where}: unknown field {key!r}; expected one of {listed(known)}")


def is_number(value: Any) -> bool:
    """Whether YAML's `value` is a whole number (``true`` is none)."""
    return isinstance(value, int) and not isinstance(value, bool)


def mapping(value: Any, where: str) -> Mapping[str, Any]:
    """Return `value` if it is a mapping from text."""
    if not isinstance(value, Mapping):
        raise DataError(f"{where}: expected a mapping, found {value!r}")
    for key in value:
        if not isinstance(key, str):
            raise DataError(f"{where}: expected text as key, found {key!r} (put it in quotes)")
    return value


def sequence(value: Any, where: str) -> list[Any]:
    """Return `value` if it is a list."""
    if not isinstance(value, list):
        raise DataError(f"{where}: expected a list, found {value!r}")
    return value


def player_mapping(reference: int) -> dict[str, int]:
    """Return a player as scenarios write one."""
    return {"player": -1 - reference}


def write_reference(reference: int, handles: Sequence[str]) -> Any:
    """Return an object's handle or ``{player: N}``."""
    return handles[reference] if reference >= 0 else player_mapping(reference)


class Kind(Protocol):
    """How the values of a field are read and written."""

    def read(self, value: Any, where: str, names: Names) -> Any:
        """Return the plain form; `DataError` naming `where` for what is none."""

    def write(self, value: Any, handles: Sequence[str]) -> Any:
        """Return the plain form as YAML writes it."""


class _AsItIs:
    """Written as it is read."""

    def write(self, value: Any, handles: Sequence[str]) -> Any:
        return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Number(_AsItIs):
    """A whole number within bounds."""

    least: int = -v.LARGEST
    most: int = v.LARGEST
    nullable: bool = False

    def read(self, value: Any, where: str, names: Names) -> int | None:
        return None if value is None and self.nullable else _within(value, self.least, self.most, where)


def _within(value: Any, least: int, most: int, where: str) -> int:
    if not is_number(value):
        raise DataError(f"{where}: expected a whole number, found {value!r}")
    if not least <= value <= most:
        raise OutOfRange(f"{where}: expected a number from {least} to {most}, found {value}")
    return int(value)


def _amount(value: Any, where: str) -> int:
    return _within(value, 0, v.LARGEST, where)


@dataclass(frozen=True)
class Flag(_AsItIs):
    """True or false."""

    def read(self, value: Any, where: str, names: Names) -> bool:
        if not isinstance(value, bool):
            raise DataError(f"{where}: expected true or false, found {value!r}")
        return value


@dataclass(frozen=True)
class Text(_AsItIs):
    """Any text; null = none."""

    def read(self, value: Any, where: str, names: Names) -> str | None:
        if value is not None and not isinstance(value, str):
            raise DataError(f"{where}: expected text, found {value!r} (put it in quotes)")
        return value


@dataclass(frozen=True)
class Word(_AsItIs):
    """One of the words known."""

    words: tuple[str, ...]
    nullable: bool = False

    def read(self, value: Any, where: str, names: Names) -> str | None:
        if value is None and self.nullable:
            return None
        return check_word(value, self.words, where)


@dataclass(frozen=True)
class Words(_AsItIs):
    """A set of the words known, in their order."""

    words: tuple[str, ...]

    def read(self, value: Any, where: str, names: Names) -> tuple[str, ...]:
        chosen = {check_word(word, self.words, where) for word in sequence(value, where)}
        return tuple(word for word in self.words if word in chosen)


def _free_word(word: Any, known: Collection[str], where: str) -> str:
    """Any word will do, but not one that differs from a known one in capitals only: no rule would see it."""
    if not isinstance(word, str) or not word or "," in word:
        raise DataError(f"{where}: expected a word without commas, found {word!r}")
    if word not in known and word.lower() in known:
        raise DataError(f"{where}: unknown word {word!r}; expected {word.lower()!r}")
    return word


@dataclass(frozen=True)
class Subtypes(_AsItIs):
    """A set of subtypes."""

    def read(self, value: Any, where: str, names: Names) -> tuple[str, ...]:
        known = {*v.SUBTYPES, *(word for words in subtype_lists().values() for word in words)}
        return tuple(sorted({_free_word(word, known, where) for word in sequence(value, where)}))


@dataclass(frozen=True)
class Protection(_AsItIs):
    """A set of qualities; players among them must be there."""

    def read(self, value: Any, where: str, names: Names) -> tuple[str, ...]:
        for quality in sequence(value, where):
            if not isinstance(quality, str):
                raise DataError(f"{where}: expected a word, found {quality!r}")
        check_protection(value, where, names)
        return tuple(sorted(set(value)))


def check_protection(qualities: Collection[str], where: str, names: Names) -> None:
    """Raise `DataError` for an unknown quality, or a player who is not there."""
    protection_mask(qualities, where)
    for quality in qualities:
        if quality.startswith("player:"):
            names.seat(int(quality.removeprefix("player:")), where)


@dataclass(frozen=True)
class Seat(_AsItIs):
    """A player's seat."""

    nullable: bool = False

    def read(self, value: Any, where: str, names: Names) -> int | None:
        return None if value is None and self.nullable else names.seat(value, where)


@dataclass(frozen=True)
class Reference:
    """An object, or where a player may stand, ``{player: N}``; null = none."""

    players: bool = True
    nothing: bool = False

    def read(self, value: Any, where: str, names: Names) -> int | str | None:
        if value is None:
            return None
        if value == NOTHING and self.nothing:
            if NOTHING in names.rows:
                raise DataError(f"{where}: {NOTHING!r} is a word here; give the object of that name another handle")
            return NOTHING
        return names.reference(value, where) if self.players else names.row(value, where)

    def write(self, value: int | str | None, handles: Sequence[str]) -> Any:
        return write_reference(value, handles) if isinstance(value, int) else value


@dataclass(frozen=True)
class Attachments:
    """A set of objects."""

    def read(self, value: Any, where: str, names: Names) -> tuple[int, ...]:
        return tuple(sorted({names.row(handle, where) for handle in sequence(value, where)}))

    def write(self, value: tuple[int, ...], handles: Sequence[str]) -> list[str]:
        return [handles[row] for row in value]


@dataclass(frozen=True)
class Counts:
    """Numbers by word; those of 0 count as not there."""

    keep_zeros: bool = False

    def read(self, value: Any, where: str, names: Names) -> tuple[tuple[str, int], ...]:
        counts = []
        for kind, count in mapping(value, where).items():
            check_counter_kind(str(kind), where)
            number = _amount(count, f"{where}.{_free_word(kind, v.OWN_COUNTER_KINDS, where)}")
            if number or self.keep_zeros:
                counts.append((kind, number))
        return tuple(sorted(counts))

    def write(self, value: tuple[tuple[str, int], ...], handles: Sequence[str]) -> dict[str, int]:
        return dict(value)


@dataclass(frozen=True)
class CommanderDamage:
    """Damage by commander."""

    def read(self, value: Any, where: str, names: Names) -> tuple[tuple[int, int], ...]:
        return tuple(
            sorted(
                (names.row(handle, where), _amount(amount, f"{where}.{handle}"))
                for handle, amount in mapping(value, where).items()
            )
        )

    def write(self, value: tuple[tuple[int, int], ...], handles: Sequence[str]) -> dict[str, int]:
        return {handles[commander]: amount for commander, amount in value}


@dataclass(frozen=True)
class Enchant:
    """What an Aura may enchant: a filter, ``{player: any / you / opponent}``, or null = nothing."""

    def read(self, value: Any, where: str, names: Names) -> Filter | str | None:
        if isinstance(value, Mapping) and "player" in value:
            known_keys(value, ("player",), where)
            return check_word(value["player"], v.ENCHANT_PLAYERS, f"{where}.player")
        return None if value is None else Filter.parse(value, where)

    def write(self, value: Filter | str | None, handles: Sequence[str]) -> Any:
        return {"player": value} if isinstance(value, str) else value and value.to_mapping()


class Component(NamedTuple):
    """A card or token that a merged or melded permanent consists of."""

    name: str | None
    kind: str
    owner: int | None  # None = the permanent's owner


@dataclass(frozen=True)
class Components:
    """The parts of a merged or melded permanent, top first."""

    def read(self, value: Any, where: str, names: Names) -> tuple[Component, ...]:
        components = []
        for i, part in enumerate(sequence(value, where)):
            here = f"{where}[{i}]"
            known_keys(mapping(part, here), Component._fields, here)
            components.append(
                Component(
                    Text().read(part.get("name"), f"{here}.name", names),
                    check_word(part.get("kind", "card"), v.COMPONENT_KINDS, f"{here}.kind"),
                    Seat(nullable=True).read(part.get("owner"), f"{here}.owner", names),
                )
            )
        return tuple(components)

    def write(self, value: tuple[Component, ...], handles: Sequence[str]) -> list[dict[str, Any]]:
        plain = Component(None, "card", None)._asdict()
        return [{k: x for k, x in part._asdict().items() if x != plain[k]} for part in value]
