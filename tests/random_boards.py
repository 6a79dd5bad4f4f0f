"""Boards of random values in every column, lawful or not as games go, but within the limits of each column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headjudge import effects
from headjudge.boards import Boards
from headjudge.effects import EffectText, LifeOfYou, PlayersAffected, While
from headjudge.filters import Filter
from headjudge.kernels import tables as t
from headjudge.kernels import vocabulary as v
from headjudge.lexicon import LexiconBuilder, Trait

if TYPE_CHECKING:
    from numpy.random import Generator

TRAITS = (
    Trait(),
    Trait(enchant=Filter(types=("creature",), not_subtypes=("wall",), controller="you", other=True), mana_value=2),
    Trait(enchant="opponent", protection=("everything", "player:1", "red"), final_chapter=3),
    Trait(graveyard_replacement="exile", mana_value=v.LARGEST, counter_limits=(("dream", 7), ("loyalty", 0))),
)
TEXTS = (
    EffectText("self", set_types=(), add_power=-3, per=LifeOfYou()),
    EffectText("host", control="you", gain_protection=("red",)),
    EffectText(
        Filter(any_types=("creature", "land"), tapped=True),
        define_power=0,
        per=Filter(subtypes=("saga",), zone="graveyard"),
        per_distinct=True,
    ),
    EffectText(PlayersAffected("opponents"), rule="cant_lose"),
    EffectText(PlayersAffected(1), rule="instead_of_losing", life=20, shuffle_owned=True, exile_source=True),
    EffectText(effects.Objects(), set_power="mana_value", set_toughness=-1, switch=True, lose_all_abilities=True),
    EffectText(effects.Objects(), control=1, condition=While(Filter(host=True), at_least=1, at_most=3)),
    EffectText("self", set_subtypes=("mountain",), gain_keywords=("bestow",), condition=While(LifeOfYou(), at_most=5)),
    EffectText(Filter(named="Ünïcode, with a comma"), rule="graveyard_to_exile", cards_only=True),
)
NAMES = ("Runeclaw Bear", "Ünïcode, with a comma", "", '"quoted"')


def _masks(rng: Generator, words: tuple[str, ...], rows: int) -> Any:
    return np.where(rng.random(rows) < 0.5, 0, rng.integers(0, 1 << len(words), rows))


def _or(rng: Generator, null: int, values: Any) -> Any:
    return np.where(rng.random(len(values)) < 0.5, null, values)


def random_boards(seed: int, states: int = 12, first_id: int = 0, gaps: bool = True) -> Boards:
    """Return random boards; with `gaps` state ids and object ids are not just 0, 1, 2..."""
    rng = np.random.default_rng(seed)
    builder = LexiconBuilder()
    names = [builder.name(name) for name in NAMES]
    subtypes = [
        builder.subtypes(words) for words in ((), ("aura", "goblin"), ("saga",), ("urza's", "power-plant", "elf"))
    ]
    kinds = [builder.counter_kind(kind) for kind in ("dream", "+2/+0", "stun")]
    traits = [builder.trait(trait) for trait in TRAITS]
    texts = [builder.effect(text) for text in TEXTS]

    def starts(most: int) -> Any:
        return np.concatenate(([0], np.cumsum(rng.integers(0, most + 1, states))))

    player_counts = rng.integers(2, 5, states)
    players_start = np.concatenate(([0], np.cumsum(player_counts)))
    objects_start = starts(9)
    object_counts = np.diff(objects_start)
    n, p = int(objects_start[-1]), int(players_start[-1])
    seats, rows = np.repeat(player_counts, object_counts), np.repeat(object_counts, object_counts)

    def below(limit: Any) -> Any:
        return (rng.random(len(limit)) * limit).astype(np.int64)

    def number(low: int = 0, high: int = v.LARGEST, count: int = n) -> Any:
        return np.where(rng.random(count) < 0.5, 0 if low <= 0 else low, rng.integers(low, high + 1, count))

    target = np.where(rng.random(n) < 0.5, below(rows), -1 - below(seats))
    step = np.cumsum(rng.integers(1, 4, n)) if gaps else np.arange(n)
    before = np.append(step, 0)[np.repeat(objects_start[:-1], object_counts)]
    values: dict[str, Any] = {
        "object_id": step - before + (rng.integers(0, 1000) if gaps else 0),
        "name": _or(rng, v.NAMELESS, rng.choice(names, n)),
        "kind": rng.integers(0, 5, n),
        "zone": rng.integers(0, len(v.ZONES), n),
        "controller": below(seats),
        "owner": below(seats),
        "types": _masks(rng, v.TYPES, n),
        "supertypes": _masks(rng, v.SUPERTYPES, n),
        "colors": _masks(rng, v.COLORS, n),
        "subtypes": rng.choice(subtypes, n),
        "power": _or(rng, v.NULL, rng.integers(-v.LARGEST, v.LARGEST, n, endpoint=True)),
        "toughness": _or(rng, v.NULL, rng.integers(-2, 9, n)),
        "timestamp": rng.integers(-(2**62), 2**62, n),
        "keywords": _masks(rng, v.KEYWORDS, n),
        "traits": rng.choice(traits, n),
        "flags": rng.integers(0, 1 << len(v.OBJECT_FLAGS), n),
        "damage": number(),
        "attached_to": _or(rng, v.NONE, target),
        "attacking": _or(rng, v.NONE, _or(rng, v.NOTHING, target)),
        "source": _or(rng, v.NONE, below(rows)),
        **{column: number() for column in v.COUNTER_COLUMNS},
        "regeneration": number(high=2**15 - 1),
        "protector": _or(rng, v.NO_SEAT, below(seats)),
        "sector": rng.integers(-1, 3, n),
    }
    columns: dict[str, tuple[Any, Any]] = {"objects": (_table(t.Objects, values), objects_start)}
    columns["players"] = (
        _table(
            t.Players,
            {
                "team": number(high=2**15 - 1, count=p),
                "life": number(-v.LARGEST, count=p),
                "poison": number(count=p),
                "speed": rng.integers(-1, 5, p),
                "flags": rng.integers(0, 1 << len(v.PLAYER_FLAGS), p) | 1,
            },
        ),
        players_start,
    )
    side: dict[str, list[list[tuple[int, ...]]]] = {name: [[] for _ in range(states)] for name in t.TABLES}
    for s in range(states):
        objects, seats_here = int(object_counts[s]), int(player_counts[s])
        if not objects:
            continue

        def one(limit: int) -> int:
            return int(rng.integers(0, limit))

        def some(*limits: int) -> list[tuple[int, ...]]:
            return sorted({tuple(one(limit) for limit in limits) for _ in range(one(4))})

        side["counters"][s] = [(i, kinds[k], one(5)) for i, k in some(objects, len(kinds))]
        side["commander_damage"][s] = [(seat, i, one(30)) for seat, i in some(seats_here, objects)]
        side["keeps"][s] = some(objects, objects)
        own = values["timestamp"][objects_start[s] :]
        side["world_since"][s] = [(i, int(own[i]) + 1 + one(9)) for (i,) in some(objects)]
        chosen = [(k, one(2**31 - 9) * 0 + k * (3 if gaps else 1)) for k in range(one(4))]
        for k, effect_id in chosen:
            text = texts[one(len(texts))]
            needs_source = TEXTS[text].affects in ("self", "host")
            source = one(objects) if needs_source or one(2) else v.NONE
            timestamp = v.NO_TIMESTAMP if one(2) else one(2**60)
            side["effects"][s].append((effect_id, text, source, one(seats_here + 1) - 1, one(3), timestamp))
            if isinstance(TEXTS[text].affects, effects.Objects):
                side["effect_objects"][s] += [(k, i) for (i,) in some(objects)]
        kind, owner = (values[name][objects_start[s] :].astype(int) for name in ("kind", "owner"))
        side["components"][s] = [
            (i, names[one(len(names))] if one(2) else v.NAMELESS, one(2) if position else kind[i], owner[i])
            for (i,) in some(objects)
            if v.KINDS[kind[i]] in v.COMPONENT_KINDS
            for position in range(1 + one(3))
        ]
    for name, table in t.TABLES.items():
        if name not in columns:
            start = np.concatenate(([0], np.cumsum([len(x) for x in side[name]])))
            rows_ = [row for x in side[name] for row in x]
            fields = zip(*rows_, strict=True) if rows_ else ((),) * len(table._fields)  # type: ignore[attr-defined]
            columns[name] = (_table(table, dict(zip(table._fields, fields, strict=True))), start)  # type: ignore[attr-defined]
    state_id = first_id + np.cumsum(rng.integers(1, 5, states) if gaps else np.ones(states, np.int64)) - 1
    state_columns = _table(
        t.States,
        {
            "state_id": state_id,
            "variant": _masks(rng, v.VARIANTS, states)
            & ~v.mask(v.VARIANTS, ("two_headed_giant", "archenemy_commander")),
            "active_player": below(player_counts),
            "step": rng.integers(0, len(v.STEPS), states),
            "skips": _masks(rng, v.STEPS, states),
            "round_expired": rng.integers(0, 2, states),
            "planar_controller": _or(rng, v.NO_SEAT, below(player_counts)),
        },
    )
    return Boards.of(state_columns, columns, builder.build())


def _table(table: Any, values: dict[str, Any]) -> Any:
    return table(*(np.asarray(values[name]).astype(dtype) for name, dtype in t.DTYPES[table].items()))


def plain(boards: Boards) -> list[Any]:
    """Return everything that the boards hold as plain values, whatever numbers their lexicon gave out."""
    lexicon = boards.lexicon

    def words(table: str, field: str, column: Any) -> list[Any]:
        numbers = column.tolist()
        meanings: dict[tuple[str, str], Any] = {
            ("objects", "name"): lambda x: None if x < 0 else lexicon.names[x],
            ("components", "name"): lambda x: None if x < 0 else lexicon.names[x],
            ("objects", "subtypes"): lambda x: sorted(lexicon.subtypes_of(x)),
            ("objects", "traits"): lambda x: lexicon.traits[x],
            ("counters", "kind"): lambda x: lexicon.counter_kinds[x],
            ("effects", "text"): lambda x: lexicon.effects[x],
        }
        meaning = meanings.get((table, field))
        return [meaning(x) for x in numbers] if meaning else numbers

    rows = []
    for s in range(len(boards)):
        board: dict[str, Any] = {name: column[s].item() for name, column in boards.states._asdict().items()}
        for name in t.TABLES:
            columns, start = boards.table(name)
            own = slice(start[s], start[s + 1])
            board[name] = {f: words(name, f, column[own]) for f, column in columns._asdict().items()}
            if name == "counters":  # sorted by the numbers of kinds, which differ
                board[name] = sorted(zip(*board[name].values(), strict=True))
        rows.append(board)
    return rows
