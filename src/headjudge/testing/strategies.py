"""Hypothesis strategies for boards and choices: whatever is lawful can be drawn, and shrinks to a bare board.

>>> from hypothesis import given
>>> from headjudge.testing.strategies import boards
>>> @given(boards())
... def test_my_engine(board): ...

Every field of the board model is drawn by its kind, so a field that the model gains is drawn without a change here.
Some objects start as something that a rule looks at (`SHAPES`), because random fields alone seldom make one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError(
        "headjudge.testing.strategies needs Hypothesis; install it with: pip install '.[testing]' in a checkout"
    ) from error

from headjudge import effects as effect_texts
from headjudge.boards import Boards
from headjudge.filters import FILTER_ZONES, Filter
from headjudge.io import scenario_values as kinds
from headjudge.io.board_records import BoardRecord, EffectRecord, boards_of
from headjudge.io.choices import columns_of
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, STATE_FIELDS, Field, Record
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hypothesis.strategies import DrawFn, SearchStrategy
    from numpy.typing import NDArray

    from headjudge.kernels.tables import Choices

NAMES: Final = ("Runeclaw Bear", "Isamaru", "Pacifism")
SUBTYPES: Final = (*v.SUBTYPES, "goblin", "wall", "mountain", "word no list knows")
COUNTER_KINDS: Final = (*v.OWN_COUNTER_KINDS, "+1/+0", "-0/-1", "+2/+2", "dream", "indestructible", "charge")
#: Numbers drawn are mostly within these bounds, and now and then the least or the most that a field can hold.
SMALL: Final = (-2, 12)
#: Fields in which objects differ from their shape, and players and states from the defaults, at most.
MOST_CHANGES: Final = 4
MOST_EFFECTS: Final = 4

_AURA: Final = {"types": ("enchantment",), "subtypes": ("aura",), "enchant": Filter(types=("creature",))}
_CREATURE: Final = {"types": ("creature",), "power": 2, "toughness": 2}
_ATTACHED: Final = object()  # drawn: any reference
#: What an object may start as: fields that are not the defaults.
SHAPES: Final[tuple[Record, ...]] = (
    {},
    _CREATURE,
    {**_CREATURE, "damage": 2},
    {**_CREATURE, "kind": "token"},
    {**_CREATURE, "supertypes": ("legendary",), "name": "Isamaru"},
    {**_CREATURE, "regeneration": 1, "damage": 3},
    {**_CREATURE, "zone": "graveyard"},
    {**_AURA, "attached_to": _ATTACHED},
    {**_AURA, "attached_to": _ATTACHED, "keywords": ("umbra_armor",)},
    {**_AURA, "attached_to": _ATTACHED, "subtypes": ("aura", "role"), "kind": "token"},
    {"types": ("artifact",), "subtypes": ("equipment",), "attached_to": _ATTACHED},
    {"types": ("artifact",), "subtypes": ("fortification",), "attached_to": _ATTACHED},
    {
        "types": ("creature", "enchantment"),
        "power": 1,
        "toughness": 1,
        "keywords": ("bestow",),
        "bestowed": True,
        "attached_to": _ATTACHED,
    },
    {"types": ("land",), "supertypes": ("basic",), "subtypes": ("mountain",)},
    {"types": ("planeswalker",), "counters": (("loyalty", 3),)},
    {"types": ("battle",), "subtypes": ("siege",), "counters": (("defense", 3),), "protector": 0},
    {"types": ("enchantment",), "subtypes": ("saga",), "counters": (("lore", 2),), "final_chapter": 2},
    {"types": ("enchantment",), "supertypes": ("world",)},
    {**_CREATURE, "commander": True, "zone": "graveyard", "arrived": True},
    {"types": ("dungeon",), "zone": "command", "bottommost_room": True},
    {"types": ("scheme",), "zone": "command"},
    {"types": ("phenomenon",), "zone": "command"},
    {"kind": "triggered_ability", "zone": "waiting"},
    {"kind": "spell_copy", "types": ("instant",), "zone": "stack"},
)


class _Size(NamedTuple):
    """How many there are to refer to."""

    objects: int
    players: int


# Values, by kind of field


def _numbers(least: int, most: int) -> SearchStrategy[int]:
    small = st.integers(max(least, SMALL[0]), min(most, SMALL[1]))
    return small | st.sampled_from((least, most))


@cache  # a new strategy costs more than what it draws
def _some_of(names: tuple[str, ...], most: int) -> SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(names), unique=True, max_size=most)


def _subsets(words: tuple[str, ...]) -> SearchStrategy[tuple[str, ...]]:
    """Draw a set of words, in their order."""
    return _some_of(words, 3).map(lambda some: tuple(word for word in words if word in some))


def _sorted_subsets(words: tuple[str, ...]) -> SearchStrategy[tuple[str, ...]]:
    return _subsets(words).map(lambda some: tuple(sorted(some)))


def _rows(size: _Size) -> SearchStrategy[int]:
    return st.integers(0, size.objects - 1) if size.objects else st.nothing()


def _row_sets(size: _Size) -> SearchStrategy[tuple[int, ...]]:
    return st.sets(_rows(size), max_size=2).map(lambda rows: tuple(sorted(rows)))


def _seats(size: _Size) -> SearchStrategy[int]:
    return st.integers(0, size.players - 1) if size.players else st.nothing()


def _qualities(size: _Size) -> tuple[str, ...]:
    players = range(min(size.players, v.LAST_PROTECTED_FROM + 1))
    return (*v.COLORS, *v.TYPES, "everything", *(f"player:{seat}" for seat in players))


def _counts(keys: SearchStrategy[Any], least: int) -> SearchStrategy[tuple[tuple[Any, int], ...]]:
    counts = st.dictionaries(keys, _numbers(least, v.LARGEST), max_size=2)
    return counts.map(lambda drawn: tuple(sorted(drawn.items())))


def _components() -> SearchStrategy[Any]:
    part = st.builds(
        kinds.Component,
        st.none() | st.sampled_from(NAMES),
        st.sampled_from(v.COMPONENT_KINDS),
        st.none(),
    )
    return st.lists(part, max_size=3).map(tuple)


@cache
def _values(field: Field, size: _Size) -> SearchStrategy[Any]:
    """Draw a value of a field."""
    kind = field.kind
    match kind:
        case kinds.Number():
            drawn: SearchStrategy[Any] = _numbers(kind.least, kind.most)
        case kinds.Flag():
            drawn = st.booleans()
        case kinds.Text():
            return st.none() | st.sampled_from(NAMES)
        case kinds.Word():
            drawn = st.sampled_from(kind.words)
        case kinds.Words():
            drawn = _subsets(kind.words)
        case kinds.Subtypes():
            drawn = _sorted_subsets(SUBTYPES)
        case kinds.Protection():
            drawn = _sorted_subsets(_qualities(size))
        case kinds.Seat():
            drawn = _seats(size)
        case kinds.Reference():
            drawn = st.none() | _rows(size)
            drawn |= _seats(size).map(lambda seat: -1 - seat) if kind.players else st.nothing()
            drawn |= st.just(kinds.NOTHING) if kind.nothing else st.nothing()
        case kinds.Attachments():
            drawn = _row_sets(size)
        case kinds.Counts():
            drawn = _counts(st.sampled_from(COUNTER_KINDS), 0 if kind.keep_zeros else 1)
        case kinds.CommanderDamage():
            drawn = _counts(_rows(size), 0) if size.objects else st.just(())
        case kinds.Enchant():
            drawn = st.none() | filters() | st.sampled_from(v.ENCHANT_PLAYERS)
        case kinds.Components():
            drawn = _components()
        case _:
            raise TypeError(f"no strategy draws values of {kind!r}")
    return st.none() | drawn if getattr(kind, "nullable", False) else drawn


@st.composite
def _stated(draw: DrawFn, fields: Mapping[str, Field], shapes: tuple[Record, ...], size: _Size) -> Record:
    """Draw the fields of a record that are not the defaults: those of a shape, and a few others."""
    shape = draw(st.sampled_from(shapes))
    changed = draw(_some_of(tuple(fields), MOST_CHANGES))
    drawn = [name for name in fields if name in changed or name == "controller" or shape.get(name) is _ATTACHED]
    return {**shape, **{name: draw(_values(fields[name], size)) for name in drawn}}


def _completed(stated: Record, fields: Mapping[str, Field], row: int, objects: int) -> Record:
    """Return a record with all its fields, in which references are to objects that are there."""
    record: Record = {}
    for name, field in fields.items():
        if name not in stated:
            record[name] = field.default_of(record, row)
        elif stated[name] is None:
            record[name] = None
        elif isinstance(field.kind, kinds.Reference):
            record[name] = _folded(stated[name], objects)
        elif isinstance(field.kind, kinds.Attachments):
            record[name] = tuple(sorted({_folded(row, objects) for row in stated[name]}))
        elif isinstance(field.kind, kinds.CommanderDamage):
            damage = {_folded(row, objects): amount for row, amount in stated[name] if objects}
            record[name] = tuple(sorted(damage.items()))
        elif isinstance(field.kind, kinds.Components):
            # CR 730.2d: the topmost makes it a card or a token.
            top, rest = stated[name][:1], stated[name][1:]
            record[name] = (*(part._replace(kind=record["kind"]) for part in top), *rest)
            if record["kind"] not in v.COMPONENT_KINDS:
                record[name] = ()
        else:
            record[name] = stated[name]
    return record


def _folded(reference: Any, objects: int) -> Any:
    """Return a reference to one of the objects that are there for one to any of those that could be there.

    Objects are drawn without knowing how many there will be: so that Hypothesis can leave out any of them.
    """
    return reference % objects if isinstance(reference, int) and reference >= 0 else reference


# Filters and effects

_CONDITIONS: Final[dict[str, SearchStrategy[Any]]] = {
    **dict.fromkeys(("types", "any_types", "not_types"), _subsets(v.TYPES)),
    **dict.fromkeys(("supertypes", "not_supertypes"), _subsets(v.SUPERTYPES)),
    **dict.fromkeys(("subtypes", "any_subtypes", "not_subtypes"), _subsets(SUBTYPES)),
    "colors": _subsets(v.COLORS),
    "keywords": _subsets(v.KEYWORDS),
    "kind": st.sampled_from(v.KINDS),
    "named": st.sampled_from(NAMES),
    **dict.fromkeys(("controller", "owner"), st.sampled_from(v.RELATIONS)),
    **dict.fromkeys(("other", "attacking", "tapped", "host"), st.booleans()),
    "zone": st.sampled_from(FILTER_ZONES),
}


@st.composite
def filters(draw: DrawFn) -> Filter:
    """Draw a filter."""
    stated = draw(_some_of(v.FILTER_CONDITIONS, 3))
    return Filter.parse({condition: draw(_CONDITIONS[condition]) for condition in stated}, "filter")


def _either(first: str, others: tuple[str, ...], values: SearchStrategy[Any]) -> SearchStrategy[Record]:
    """Draw what an effect sets, or what it adds and removes: not both."""
    return st.fixed_dictionaries({first: values}) | st.fixed_dictionaries({}, optional=dict.fromkeys(others, values))


@cache
def _clauses(size: _Size) -> dict[str, SearchStrategy[Record]]:
    """Return what an effect can do to objects: strategies of fields."""
    number = _numbers(-v.LARGEST, v.LARGEST)
    amounts = dict.fromkeys(("define_power", "define_toughness", "add_power", "add_toughness"), number)
    setting = number | st.just("mana_value")
    supertypes = dict.fromkeys(("add_supertypes", "remove_supertypes"), _subsets(v.SUPERTYPES))
    abilities = {
        "lose_all_abilities": st.just(True),
        **dict.fromkeys(("gain_keywords", "lose_keywords"), _subsets(v.KEYWORDS)),
        "gain_protection": _subsets(_qualities(size)),
    }
    return {
        "add": st.fixed_dictionaries({}, optional=amounts),
        "set": st.fixed_dictionaries({}, optional=dict.fromkeys(("set_power", "set_toughness"), setting)),
        "types": _either("set_types", ("add_types", "remove_types"), _subsets(v.TYPES)),
        "subtypes": _either("set_subtypes", ("add_subtypes", "remove_subtypes"), _subsets(SUBTYPES)),
        "supertypes": st.fixed_dictionaries({}, optional=supertypes),
        "colors": _either("set_colors", ("add_colors",), _subsets(v.COLORS)),
        "abilities": st.fixed_dictionaries({}, optional=abilities),
        "control": st.fixed_dictionaries({"control": st.just("you") | _seats(size)}),
        "switch": st.just({"switch": True}),
        "rule": _rules(tuple(word for word in v.RULE_WORDS if word not in _FOR_PLAYERS)),
    }


_FOR_PLAYERS: Final = ("cant_lose", "no_loss_at_zero_life", "instead_of_losing")


@cache
def _rules(words: tuple[str, ...]) -> SearchStrategy[Record]:
    """Draw a rule, with what belongs to it."""
    instead = {"life": _numbers(-v.LARGEST, v.LARGEST), "shuffle_owned": st.booleans(), "exile_source": st.booleans()}
    with_more: dict[str, SearchStrategy[Record]] = {
        "graveyard_to_exile": st.fixed_dictionaries({"cards_only": st.booleans()}),
        "instead_of_losing": st.fixed_dictionaries(instead),
    }
    return st.sampled_from(words).flatmap(
        lambda word: with_more.get(word, st.just({})).map(lambda more: {"rule": word, **more})
    )


@st.composite
def _texts(draw: DrawFn, affects: Any, size: _Size, source: int | None) -> effect_texts.EffectText:
    """Draw what an effect says."""
    if isinstance(affects, effect_texts.PlayersAffected):
        protection = st.fixed_dictionaries({"gain_protection": _subsets(_qualities(size))})
        clauses = {"rule": _rules(v.RULE_WORDS), "protection": protection}
    elif affects == "host":  # which may be a player
        clauses = {**_clauses(size), "rule": _rules(v.RULE_WORDS)}
    else:
        clauses = _clauses(size)
    if source is None and isinstance(affects, Filter):
        # What the filter matches is fixed at the start, but not for a rule: the effect is one or the other.
        is_rule = draw(st.integers(0, 9)) == 9
        clauses = {name: clause for name, clause in clauses.items() if (name == "rule") == is_rule}
    stated: Record = {}
    for clause in draw(st.lists(st.sampled_from(tuple(clauses)), unique=True, min_size=1, max_size=3)):
        stated |= draw(clauses[clause])
    stated = {name: value for name, value in stated.items() if value != () or name.startswith("set_")}
    if not stated:
        stated |= {"rule": "cant_lose"} if isinstance(affects, effect_texts.PlayersAffected) else {"add_power": 0}
    counted = st.just({"life": "you"}) | filters().map(Filter.to_mapping)
    has_amounts = any(name.startswith(("define_", "add_p", "add_tou")) for name in stated)
    if has_amounts and not {"set_power", "set_toughness"} & set(stated) and draw(st.booleans()):
        stated["per"] = draw(counted)
        if "life" not in stated["per"] and draw(st.booleans()):
            stated["per_distinct"] = "types"
    if draw(st.booleans()):
        what = draw(counted)
        bounds = st.fixed_dictionaries({}, optional=dict.fromkeys(("at_least", "at_most"), st.integers(0, 4)))
        stated["while"] = {**(what if "life" in what else {"matching": what}), **draw(bounds)}
    return effect_texts.parse_text(stated, affects, "effect")


@st.composite
def _effects(draw: DrawFn, size: _Size) -> EffectRecord:
    """Draw a continuous effect."""
    source = draw(st.none() | _rows(size))
    whom = [st.just(effect_texts.Objects()), filters()]
    players = st.sampled_from(v.PLAYER_RELATIONS) | _seats(size)
    whom.append(players.map(effect_texts.PlayersAffected))
    if source is not None:
        whom.append(st.sampled_from(("self", "host")))
    affects = draw(st.one_of(whom))
    is_list = isinstance(affects, effect_texts.Objects) and size.objects
    return EffectRecord(
        text=draw(_texts(affects, size, source)),
        source=source,
        controller=draw(st.none() | _seats(size)),
        until=draw(st.sampled_from(v.DURATIONS)),
        timestamp=draw(st.none() | st.integers(*SMALL)),
        objects=draw(_row_sets(size)) if is_list else (),
    )


# Boards


def _share_totals(variant: tuple[str, ...], players: list[Record]) -> None:
    """Give the members of a team who are in the game one life total, or poison total, where the variant says so."""
    shared = []
    if "two_headed_giant" in variant:
        shared = ["life", "poison"]
    elif "archenemy_commander" in variant:
        shared = ["life"]
    first: dict[int, Record] = {}
    for player in players:
        if player["in_game"]:
            example = first.setdefault(player["team"], player)
            player |= {total: example[total] for total in shared}


def _object(stated: Record, row: int, size: _Size, in_game: list[int]) -> Record:
    """Return an object: whoever owns it is in the game, unless it is nowhere."""
    record = _completed(stated, OBJECT_FIELDS, row, size.objects)
    if not in_game:
        record["zone"] = "none"
    if record["zone"] != "none" and record["owner"] not in in_game:
        record["owner"] = in_game[record["owner"] % len(in_game)]
    return record


@st.composite
def boards(draw: DrawFn, max_objects: int = 8, max_players: int = 4, effects: bool = True) -> Boards:
    """Draw a batch of one lawful board.

    Parameters
    ----------
    max_objects, max_players
        The most there can be. The board shrinks to few of both.
    effects
        Whether the board may have continuous effects.
    """
    seats = draw(st.sampled_from([n for n in (2, 1, *range(3, max_players + 1), 0) if n <= max_players]))
    most = _Size(max_objects if seats else 0, seats)
    state_fields = STATE_FIELDS
    if not seats:
        state_fields = {name: f for name, f in STATE_FIELDS.items() if not isinstance(f.kind, kinds.Seat)}
    state = _completed(draw(_stated(state_fields, ({},), most)), STATE_FIELDS, 0, 0)
    stated_players = [draw(_stated(PLAYER_FIELDS, ({},), most)) for _ in range(seats)]
    stated = draw(st.lists(_stated(OBJECT_FIELDS, SHAPES, most), max_size=most.objects))
    size = _Size(len(stated), seats)
    players = [_completed(player, PLAYER_FIELDS, seat, size.objects) for seat, player in enumerate(stated_players)]
    _share_totals(state["variant"], players)
    in_game = [seat for seat, player in enumerate(players) if player["in_game"]]
    objects = [_object(record, row, size, in_game) for row, record in enumerate(stated)]
    drawn = draw(st.lists(_effects(size), max_size=MOST_EFFECTS)) if effects and seats else []
    return boards_of(BoardRecord(state, players, objects, drawn))


def batches(
    max_states: int = 4, max_objects: int = 8, max_players: int = 4, effects: bool = True
) -> SearchStrategy[Boards]:
    """Draw a batch of lawful boards with state ids from 0 on; it shrinks to an empty one."""
    several = st.lists(boards(max_objects, max_players, effects), max_size=max_states)
    return several.map(Boards.concat).map(_numbered)


def _numbered(batch: Boards) -> Boards:
    return replace(batch, states=batch.states._replace(state_id=np.arange(len(batch))))


# Choices


def choices(board: Boards) -> SearchStrategy[tuple[Choices, NDArray[np.int64]]]:
    """Draw what the players of a board choose, as `headjudge.settle` takes it; it shrinks to no choices.

    Choices are among those that look as if they were on offer. Where one is not, because effects make the difference or
    two copies of one legend are kept, the board is rejected with that reason.
    """
    offered = [st.sampled_from(options) for options in offers(board) if options]
    return st.lists(st.one_of(offered), unique_by=lambda option: option[:2], max_size=4 if offered else 0).map(
        _as_columns
    )


#: A row of `Choices`: choice, subject, value.
Option = tuple[int, int, int]


def offers(board: Boards) -> list[list[Option]]:
    """Return the choices that look as if they were on offer on a board, one list for each kind of choice."""
    return [find(board) for find in _OFFERS]


def _as_columns(rows: list[Option]) -> tuple[Choices, NDArray[np.int64]]:
    return columns_of(rows), np.array([0, len(rows)])


def _where(mask: NDArray[np.bool_]) -> list[int]:
    rows: list[int] = np.flatnonzero(mask).tolist()
    return rows


def _kept(board: Boards) -> list[Option]:
    legends = board.objects.supertypes & b.LEGENDARY != 0
    return [(b.CHOOSE_KEEP, row, 0) for row in _where(legends & (board.objects.name != v.NAMELESS))]


def _to_command_zone(board: Boards) -> list[Option]:
    commanders = board.objects.flags & b.IS_COMMANDER != 0
    return [(b.CHOOSE_COMMAND_ZONE, row, yes) for row in _where(commanders) for yes in (0, 1)]


def _protectors(board: Boards) -> list[Option]:
    """Return every legal protector: of a Siege the opponents of its controller, of another battle that player."""
    objects, players = board.objects, board.players
    in_game = players.flags & b.IN_GAME != 0
    options: list[Option] = []
    for row in _where(objects.types & b.BATTLE != 0):
        controller = objects.controller[row]
        legal = np.arange(len(in_game)) == controller
        if objects.subtypes[row] & b.SIEGE:
            legal = players.team != players.team[controller]
        options += [(b.CHOOSE_PROTECTOR, row, seat) for seat in _where(legal & in_game)]
    return options


def _sectors(board: Boards) -> list[Option]:
    creatures = board.objects.types & b.CREATURE != 0
    return [(b.CHOOSE_SECTOR, row, i) for row in _where(creatures) for i in range(len(v.SECTORS))]


def _replacements(board: Boards) -> list[Option]:
    objects = board.objects
    options = [(b.CHOOSE_REPLACE, row, b.CHOOSE_REGENERATION) for row in _where(objects.regeneration > 0)]
    options += [(b.CHOOSE_REPLACE, row, b.CHOOSE_SHIELD) for row in _where(objects.shield > 0)]
    umbras = (objects.keywords & b.UMBRA_ARMOR != 0) & (objects.attached_to >= 0)
    return options + [(b.CHOOSE_REPLACE, int(objects.attached_to[row]), row) for row in _where(umbras)]


def _texts_of(board: Boards) -> list[tuple[int, effect_texts.EffectText]]:
    """Return the source and the text of every effect."""
    texts = board.lexicon.effects
    return [(int(s), texts[k]) for s, k in zip(board.effects.source, board.effects.text, strict=True)]


def _destinations(board: Boards) -> list[Option]:
    texts = [text for _, text in _texts_of(board)]
    if not any(text.shuffle_owned or text.exile_source for text in texts):
        return []
    zones = (b.GRAVEYARD, b.LIBRARY, b.EXILE)
    return [(v.CHOICES.index("destination"), row, z) for row in range(len(board.objects.zone)) for z in zones]


def _loss_replacements(board: Boards) -> list[Option]:
    found = [(e, source) for e, (source, text) in enumerate(_texts_of(board)) if text.rule == "instead_of_losing"]
    values = {value for e, source in found for value in (-1 - e, source) if value != v.NONE}
    seats = range(len(board.players.life))
    return [(b.CHOOSE_LOSS_REPLACEMENT, -1 - seat, value) for seat in seats for value in sorted(values)]


_OFFERS: Final[tuple[Callable[[Boards], list[Option]], ...]] = (
    _kept,
    _to_command_zone,
    _protectors,
    _sectors,
    _replacements,
    _destinations,
    _loss_replacements,
)
