"""Texts in columns and what they mean: sets of words joined by commas, JSON, and the texts of effects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, Final

from headjudge.effects import TEXT_FIELDS, Affects, EffectText, Objects, PlayersAffected, parse_text
from headjudge.errors import DataError
from headjudge.filters import Filter, check_word, protection_mask, subtype_lists
from headjudge.io.scenarios import effect_text_mapping
from headjudge.io.table_schema import NUMBER_OR_WORD, SETS
from headjudge.kernels import vocabulary as v

Enchant = Filter | str | None


def join(words: Collection[str]) -> str:
    """Return a set of words as one text."""
    return ",".join(words)


def split(text: str, column: str) -> tuple[str, ...]:
    """Return the words of a set, sorted."""
    words = {word.strip() for word in text.split(",")} if text else set()
    if "" in words:
        raise DataError(f"{column}: expected words joined by commas, found {text!r}")
    return tuple(sorted(words))


def mask_of(column: str, words: tuple[str, ...], mask_words: tuple[str, ...] | None = None) -> Callable[[str], int]:
    """Return what reads a set of known words as a mask over `mask_words` (by default `words`)."""

    def parse(text: str) -> int:
        return v.mask(mask_words or words, tuple(check_word(word, words, column) for word in split(text, column)))

    return parse


def index_of(column: str, words: tuple[Any, ...]) -> Callable[[str], int]:
    """Return what reads one of the known words as its index."""
    known = tuple(word for word in words if word is not None)
    return lambda text: words.index(check_word(text, known, column))


@cache
def _known_subtypes() -> frozenset[str]:
    return frozenset((*v.SUBTYPES, *(word for words in subtype_lists().values() for word in words)))


def free_word(word: str, known: Collection[str], column: str) -> str:
    """Any word will do, but not one that differs from a known one in capitals only: no rule would see it."""
    if not word:
        raise DataError(f"{column}: expected a word, found {word!r}")
    if word not in known and word.lower() in known:
        raise DataError(f"{column}: unknown word {word!r}; expected {word.lower()!r}")
    return word


def parse_subtypes(text: str, column: str = "subtypes") -> tuple[str, ...]:
    """Read a set of subtypes."""
    return tuple(free_word(word, _known_subtypes(), column) for word in split(text, column))


def parse_counter_kind(text: str) -> str:
    """Read the kind of counters."""
    return free_word(text, v.OWN_COUNTER_KINDS, "kind")


def parse_protection(text: str) -> tuple[str, ...]:
    """Read a set of qualities."""
    qualities = split(text, "protection")
    protection_mask(qualities)
    return qualities


def parse_json(text: str, column: str) -> Any:
    """Read JSON."""
    try:
        value = json.loads(text, object_pairs_hook=_object)
        if "\\u" in text:
            write_json(value).encode()  # half of a surrogate pair is no text
        return value
    except (ValueError, RecursionError) as error:
        raise DataError(f"{column}: expected JSON, found {text!r} ({error})") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; keys that stand twice are an error, as in YAML."""
    for key, times in Counter(key for key, _ in pairs).items():
        if times > 1:
            raise ValueError(f"the key {key!r} stands {times} times")
    return dict(pairs)


def write_json(value: Any) -> str:
    """Return a value as JSON in its shortest form."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def parse_enchant(text: str) -> Enchant:
    """Read what an Aura may enchant."""
    given = parse_json(text, "enchant")
    if isinstance(given, Mapping) and "player" in given:
        if len(given) > 1 or not isinstance(given["player"], str):
            raise DataError(f"enchant: expected a filter or {{player: word}}, found {text!r}")
        return check_word(given["player"], v.ENCHANT_PLAYERS, "enchant.player")
    return Filter.parse(given, "enchant")


def write_enchant(enchant: Enchant) -> str | None:
    """Return what an Aura may enchant as JSON."""
    if enchant is None:
        return None
    return write_json({"player": enchant} if isinstance(enchant, str) else enchant.to_mapping())


def parse_counter_limits(text: str) -> tuple[tuple[str, int], ...]:
    """Read the most counters by kind."""
    given = parse_json(text, "counter_limits")
    if not isinstance(given, Mapping):
        raise DataError(f'counter_limits: expected JSON such as {{"dream": 7}}, found {text!r}')
    for kind, most in given.items():
        free_word(kind, v.OWN_COUNTER_KINDS, "counter_limits")
        if not _is_number(most) or not 0 <= most <= v.LARGEST:
            raise DataError(f"counter_limits.{kind}: expected a number from 0 to {v.LARGEST}, found {most!r}")
    return tuple(sorted(given.items()))


def parse_keeps(text: str) -> tuple[int, ...]:
    """Read a list of objects."""
    return _ids(parse_json(text, "keeps_attachments"), "keeps_attachments")


def _ids(given: Any, column: str) -> tuple[int, ...]:
    if not isinstance(given, list) or not all(_is_number(x) and 0 <= x <= 2**31 - 1 for x in given):
        raise DataError(f"{column}: expected a list of object_ids, found {given!r}")
    return tuple(sorted(set(given)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def parse_affects(text: str) -> tuple[Affects, tuple[int, ...]]:
    """Read what an effect affects, and the objects if it is a list of them."""
    given = text if text in ("self", "host") else parse_json(text, "affects")
    if isinstance(given, str):
        check_word(given, ("self", "host"), "affects")
        return given, ()  # type: ignore[return-value]  # one of the two words
    if isinstance(given, list):
        return Objects(), _ids(given, "affects")
    if isinstance(given, Mapping) and "player" in given:
        who = given["player"]
        if len(given) > 1 or not (who in v.PLAYER_RELATIONS or (_is_number(who) and 0 <= who < v.MOST_PLAYERS)):
            raise DataError(f"affects: expected {{player: {', '.join(v.PLAYER_RELATIONS)} or a seat}}, found {text!r}")
        return PlayersAffected(who), ()
    return Filter.parse(given, "affects"), ()


#: The fields of an effect's text that have columns of their own.
EFFECT_COLUMNS: Final = tuple(field for field in TEXT_FIELDS if field != "affects")
_JSON_COLUMNS: Final = ("per", "while")


def parse_effect_field(column: str) -> Callable[[str], Any]:
    """Return what reads a text column of an effect as `headjudge.effects.parse_text` takes it."""
    if column in SETS:
        if column.endswith("subtypes"):
            return lambda text: parse_subtypes(text, column)
        return lambda text: split(text, column)
    if column in _JSON_COLUMNS:
        return lambda text: parse_json(text, column)
    if column in NUMBER_OR_WORD:
        return _number_or_word
    return lambda text: text


def _number_or_word(text: str) -> int | str:
    try:
        return int(text) if text.isascii() else text
    except ValueError:
        return text


def parse_effect(given: dict[str, Any]) -> EffectText:
    """Read the fields of an effect, `affects` among them; the message of a `DataError` begins with the field."""
    affects = given.pop("affects")
    if affects is None:
        raise DataError("affects: expected what the effect affects, found null")
    try:
        text = parse_text(given, affects, "effect")
        protection_mask(text.gain_protection or (), "gain_protection")
    except DataError as error:
        raise DataError(str(error).removeprefix("effect").lstrip(".: ")) from None
    return text


def write_effect(text: EffectText) -> dict[str, Any]:
    """Return the stated fields of an effect as their columns hold them; without `affects` where that is a list."""
    stated = effect_text_mapping(text)
    written = {column: _write_effect_field(column, value) for column, value in stated.items() if column != "affects"}
    if not isinstance(text.affects, Objects):
        written["affects"] = write_json(stated["affects"])
    return written


def _write_effect_field(column: str, value: Any) -> Any:
    if column in SETS:
        return join(value)
    if column in _JSON_COLUMNS:
        return write_json(value)
    return str(value) if column in NUMBER_OR_WORD else value
