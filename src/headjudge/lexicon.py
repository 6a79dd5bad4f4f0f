"""The words of a batch that are not in the rules: names, subtypes, counter kinds, and the rarer abilities of cards.

Columns hold small numbers; a `Lexicon` says what they stand for. It never changes; a `LexiconBuilder` makes one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from headjudge.effects import text_records
from headjudge.errors import DataError
from headjudge.filters import SUBTYPE_CONDITIONS, Filter, bit_sets, filter_records, protection_mask, subtype_lists
from headjudge.kernels import vocabulary as v
from headjudge.kernels.bits import ENCHANT_NOTHING, ENCHANT_PLAYER
from headjudge.kernels.tables import LexiconTables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from headjudge.effects import EffectText
    from headjudge.validation import LexiconLimits

#: Low bits of the column `subtypes`: the words of v.SUBTYPES.
SUBTYPE_BITS: Final = len(v.SUBTYPES)
#: Keyword counters that matter (CR 122.1b).
_KEYWORD_COUNTERS: Final = {"indestructible": v.bit(v.KEYWORDS, "indestructible")}
_BONUS = re.compile(r"([+-][0-9]+)/([+-][0-9]+)")
#: The largest X and Y of +X/+Y counters: what all counters of one object add stays below `bits.MOST_POWER`.
MOST_BONUS: Final = 1_000


@dataclass(frozen=True)
class Trait:
    """The rarer fields of an object, which many copies of one card share."""

    #: What an Aura may enchant: a filter, or a word of v.ENCHANT_PLAYERS for players; None = nothing is legal.
    enchant: Filter | Literal["any", "you", "opponent"] | None = None
    #: Colors, card types, `everything`, `player:N`; sorted.
    protection: tuple[str, ...] = ()
    final_chapter: int = 0
    #: A word of v.GRAVEYARD_REPLACEMENTS.
    graveyard_replacement: str | None = None
    mana_value: int = 0
    #: (kind, most), sorted.
    counter_limits: tuple[tuple[str, int], ...] = ()


PLAIN: Final = Trait()


@dataclass(frozen=True)
class Lexicon:
    """What the numbers in columns stand for."""

    #: Column `name`.
    names: tuple[str, ...] = ()
    #: Words by their bit in a subtype set: v.SUBTYPES first.
    subtypes: tuple[str, ...] = v.SUBTYPES
    #: Column `subtypes` >> SUBTYPE_BITS: the words of a set beyond v.SUBTYPES, sorted; the first set is empty.
    subtype_sets: tuple[tuple[str, ...], ...] = ((),)
    #: Column `kind` of counters; the kinds with columns of their own first.
    counter_kinds: tuple[str, ...] = v.OWN_COUNTER_KINDS
    #: Column `traits`; the first is PLAIN.
    traits: tuple[Trait, ...] = (PLAIN,)
    #: Column `text` of effects.
    effects: tuple[EffectText, ...] = ()

    def subtypes_of(self, code: int) -> tuple[str, ...]:
        """Return the words that a value of the column `subtypes` stands for."""
        return v.words_of(v.SUBTYPES, code) + self.subtype_sets[code >> SUBTYPE_BITS]

    @cached_property
    def filters(self) -> tuple[Filter, ...]:
        """Every filter that a trait or an effect names, once."""
        named: list[object] = [trait.enchant for trait in self.traits]
        for text in self.effects:
            named += [text.affects, text.per, text.condition and text.condition.matching]
        return tuple(dict.fromkeys(f for f in named if isinstance(f, Filter)))

    @cached_property
    def tables(self) -> LexiconTables:
        """The same as arrays, for compiled functions."""
        row = {word: i for i, word in enumerate(self.subtypes)}
        width = -(-len(self.subtypes) // 64)
        lists = subtype_lists()

        def sets(*groups: Iterable[str]) -> NDArray[np.uint64]:
            return bit_sets(groups, row, width)

        # Kindred cards share the creature types, instants and sorceries the spell types (CR 205.3m, k).
        shared = {"kindred": "creature", "instant": "spell", "sorcery": "spell"}
        claimed = {word for words in lists.values() for word in words}
        kind_row = {kind: i for i, kind in enumerate(self.counter_kinds)}
        bonuses = [_BONUS.fullmatch(kind) for kind in self.counter_kinds]
        limits = [(kind_row[kind], most) for trait in self.traits for kind, most in trait.counter_limits]
        filter_row = {f: i for i, f in enumerate(self.filters)}
        return LexiconTables(
            subtype_sets=sets(*self.subtype_sets),
            type_subtypes=sets(*(lists.get(shared.get(card_type, card_type), ()) for card_type in v.TYPES)),
            free_subtypes=sets([word for word in self.subtypes if word not in claimed])[0],
            basic_land_types=sets(lists["basic_land"])[0],
            counter_power=np.array([int(b[1]) if b else 0 for b in bonuses], np.int32),
            counter_toughness=np.array([int(b[2]) if b else 0 for b in bonuses], np.int32),
            counter_keywords=np.array([_KEYWORD_COUNTERS.get(kind, 0) for kind in self.counter_kinds], np.uint16),
            trait_enchant=np.array([_enchant_code(trait, filter_row) for trait in self.traits], np.int32),
            trait_protection=np.array([protection_mask(t.protection) for t in self.traits], np.uint64).view(np.int64),
            trait_final_chapter=np.array([t.final_chapter for t in self.traits], np.int32),
            trait_graveyard=np.array(
                [v.ZONES.index(t.graveyard_replacement or "graveyard") for t in self.traits], np.uint8
            ),
            trait_mana_value=np.array([t.mana_value for t in self.traits], np.int32),
            limit_start=np.cumsum([0, *(len(t.counter_limits) for t in self.traits)], dtype=np.int64),
            limit_kind=np.array([kind for kind, _ in limits], np.int32),
            limit_most=np.array([most for _, most in limits], np.int32),
            filters=filter_records(self.filters, {name: i for i, name in enumerate(self.names)}),
            filter_subtypes=_triples(sets, [(f.subtypes, f.any_subtypes, f.not_subtypes) for f in self.filters], width),
            texts=text_records(self.effects, filter_row),
            text_subtypes=_triples(
                sets, [(t.set_subtypes, t.add_subtypes, t.remove_subtypes) for t in self.effects], width
            ),
        )

    @cached_property
    def filters_name_subtypes(self) -> bool:
        """Whether some filter looks at subtypes."""
        conditions = v.mask(v.FILTER_CONDITIONS, SUBTYPE_CONDITIONS)
        return bool((self.tables.filters["conditions"] & conditions).any())

    @cached_property
    def limits(self) -> LexiconLimits:
        """What columns may hold. Raises `DataError` for numbers that no card can have."""
        from headjudge import validation

        return validation.limits_of(self)


def _triples(
    sets: Callable[..., NDArray[np.uint64]], groups: list[tuple[tuple[str, ...] | None, ...]], width: int
) -> NDArray[np.uint64]:
    return sets(*(words or () for triple in groups for words in triple)).reshape(len(groups), 3, width)


def _enchant_code(trait: Trait, filter_row: dict[Filter, int]) -> int:
    if trait.enchant is None:
        return ENCHANT_NOTHING
    if isinstance(trait.enchant, Filter):
        return filter_row[trait.enchant]
    return ENCHANT_PLAYER - v.ENCHANT_PLAYERS.index(trait.enchant)


class Adopted(NamedTuple):
    """The new number of each number of a lexicon that another one took over."""

    names: NDArray[np.int32]
    subtype_sets: NDArray[np.int32]
    counter_kinds: NDArray[np.int32]
    traits: NDArray[np.int32]
    effects: NDArray[np.int32]


def check_counter_kind(kind: str, where: str) -> None:
    """Raise a `DataError` for a column that is no kind of counters, and for a kind that gives more than counts."""
    if v.COUNTER_COLUMNS.get(kind, kind) != kind:
        raise DataError(f"{where}: unknown word {kind!r}; expected {v.COUNTER_COLUMNS[kind]!r}")
    bonus = _BONUS.fullmatch(kind)
    if bonus and any(len(number) > 11 or abs(int(number)) > MOST_BONUS for number in bonus.groups()):
        raise DataError(f"{where}: expected at most {MOST_BONUS:,} of +X/+Y counters, found {kind[:40]!r}")


class LexiconBuilder:
    """Gives out numbers for words, the same number for the same word."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._subtypes: dict[str, int] = {word: i for i, word in enumerate(v.SUBTYPES)}
        self._sets: dict[tuple[str, ...], int] = {(): 0}
        self._kinds: dict[str, int] = {kind: i for i, kind in enumerate(v.OWN_COUNTER_KINDS)}
        self._traits: dict[Trait, int] = {PLAIN: 0}
        self._effects: dict[EffectText, int] = {}

    def name(self, name: str | None) -> int:
        """Return the value of the column `name`."""
        return v.NAMELESS if name is None else self._names.setdefault(name, len(self._names))

    def subtypes(self, words: tuple[str, ...] | list[str]) -> int:
        """Return the value of the column `subtypes` for a set of words."""
        others = tuple(sorted(set(words).difference(v.SUBTYPES)))
        self._know_subtypes(others)
        row = self._sets.setdefault(others, len(self._sets))
        return row << SUBTYPE_BITS | v.mask(v.SUBTYPES, set(words).intersection(v.SUBTYPES))

    def _know_subtypes(self, words: tuple[str, ...]) -> None:
        for word in words:
            self._subtypes.setdefault(word, len(self._subtypes))

    def counter_kind(self, kind: str) -> int:
        """Return the value of the column `kind` of counters. Raises `DataError` for a bonus beyond all numbers."""
        check_counter_kind(kind, "counters")
        return self._kinds.setdefault(kind, len(self._kinds))

    def trait(self, trait: Trait) -> int:
        """Return the value of the column `traits`."""
        self._know_filter(trait.enchant)
        for kind, _ in trait.counter_limits:
            self.counter_kind(kind)
        return self._traits.setdefault(trait, len(self._traits))

    def effect(self, text: EffectText) -> int:
        """Return the value of the column `text` of effects."""
        self._know_filter(text.affects)
        self._know_filter(text.per)
        self._know_filter(text.condition and text.condition.matching)
        for words in (text.set_subtypes, text.add_subtypes, text.remove_subtypes):
            self._know_subtypes(words or ())
        return self._effects.setdefault(text, len(self._effects))

    def _know_filter(self, filter_: object) -> None:
        if isinstance(filter_, Filter):
            for condition in SUBTYPE_CONDITIONS:
                self._know_subtypes(getattr(filter_, condition) or ())

    def adopt(self, lexicon: Lexicon) -> Adopted:
        """Know everything that another lexicon knows; return its numbers' new numbers."""
        return Adopted(
            names=np.array([self.name(name) for name in lexicon.names], np.int32),
            subtype_sets=np.array([self.subtypes(words) >> SUBTYPE_BITS for words in lexicon.subtype_sets], np.int32),
            counter_kinds=np.array([self.counter_kind(kind) for kind in lexicon.counter_kinds], np.int32),
            traits=np.array([self.trait(trait) for trait in lexicon.traits], np.int32),
            effects=np.array([self.effect(text) for text in lexicon.effects], np.int32),
        )

    def build(self) -> Lexicon:
        """Return what has been given out so far."""
        return Lexicon(
            tuple(self._names),
            tuple(self._subtypes),
            tuple(self._sets),
            tuple(self._kinds),
            tuple(self._traits),
            tuple(self._effects),
        )
