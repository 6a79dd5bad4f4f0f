"""Generated boards are lawful, the same everywhere, and as varied as their profiles say."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from headjudge import Boards, DataError, generate, generating, settle
from headjudge.filters import subtype_lists
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.catalogue import RULES
from headjudge.kernels.generation_draft import MOST_EFFECTS, Group
from headjudge.kernels.generation_things import Thing
from headjudge.kernels.generation_twists import Twist
from headjudge.kernels.tables import TABLES
from headjudge.pool import pool
from headjudge.validation import validate

if TYPE_CHECKING:
    from collections.abc import Callable

PROFILES = tuple(generating.PROFILES)


def digest(boards: Boards) -> str:
    """Return a hash of all columns of a batch."""
    columns = hashlib.sha256()
    for table in (boards.states, *(part for name in TABLES for part in boards.table(name))):
        for column in table if isinstance(table, tuple) else (table,):
            columns.update(np.ascontiguousarray(column).tobytes())
    return columns.hexdigest()


@pytest.fixture(scope="module")
def batch() -> dict[str, Boards]:
    return {profile: generate(4_000, 11, profile, size=50) for profile in PROFILES}


# --- the same everywhere


@pytest.mark.parametrize("profile", PROFILES)
def test_threads_and_chunks_change_nothing(profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = digest(generate(1_100, 3, profile, size=70, threads=1))
    assert digest(generate(1_100, 3, profile, size=70, threads=3)) == expected
    monkeypatch.setattr(generating, "CHUNK_BOARDS", 7)
    monkeypatch.setattr(generating, "CHUNK_TOKENS", 300)
    assert digest(generate(1_100, 3, profile, size=70, threads=2)) == expected


@pytest.mark.parametrize("profile", PROFILES)
def test_a_board_depends_on_its_own_id_alone(profile: str) -> None:
    whole = generate(40, 5, profile, first=100, size=30)
    assert whole.states.state_id.tolist() == list(range(100, 140))
    part = generate(10, 5, profile, first=117, size=30)
    assert digest(whole[17:27]) == digest(part)
    assert whole.lexicon is part.lexicon


def test_seeds_and_profiles_differ() -> None:
    digests = [
        digest(generate(5, seed, profile)) for seed in (0, 1, 2**62 - 1) for profile in ("quiet", "midgame", "dense")
    ]
    assert len(set(digests)) == len(digests)


def test_random_numbers_are_those_of_splitmix64() -> None:
    from headjudge.kernels.generation_draft import DRAFT, below, mixed

    draft = np.zeros(1, DRAFT).view(np.recarray)
    with np.errstate(over="ignore"):
        # the first outputs of the reference implementation for the state 0
        drawn = [below(draft[0], 1 << 31) for _ in range(3)]
        assert int(mixed(np.uint64(0x9E3779B97F4A7C15))) == 0xE220A8397B1DCDAF
    assert drawn == [x >> 33 for x in (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F)]


def test_interpreted_and_compiled_boards_are_equal() -> None:
    program = (
        "import sys; sys.path.insert(0, 'tests'); from test_generate import PROFILES, digest, generate;"
        "print(*(digest(generate(12, 9, p, size=20)) for p in PROFILES))"
    )
    other = "0" if os.environ.get("NUMBA_DISABLE_JIT") == "1" else "1"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": other},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == [digest(generate(12, 9, profile, size=20)) for profile in PROFILES]


# --- lawful


@pytest.mark.parametrize("profile", PROFILES)
def test_boards_are_lawful(batch: dict[str, Boards], profile: str) -> None:
    assert validate(batch[profile]) == []


def test_cards_have_subtypes_of_their_types() -> None:
    shared = {"kindred": "creature", "instant": "spell", "sorcery": "spell"}
    cards, lexicon = pool().cards.cards[0], pool().lexicon
    for card in cards:
        types = v.words_of(v.TYPES, int(card.types))
        allowed = {word for kind in types for word in subtype_lists().get(shared.get(kind, kind), ())}
        assert set(lexicon.subtypes_of(int(card.subtypes))) <= allowed, lexicon.names[card.name]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"profile": "midgme"}, "quiet, midgame"),
        ({"n": -1}, "n: "),
        ({"seed": -5}, "seed: "),
        ({"first": 1.5}, "first: "),
        ({"size": 0}, "size: "),
        ({"threads": 0}, "threads: "),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(DataError, match=words):
        generate(**{"n": 1, **arguments})  # type: ignore[arg-type]


def test_no_boards() -> None:
    assert len(generate(0)) == 0
    assert generate(0).lexicon is generate(1).lexicon


# --- profiles


def test_nothing_happens_on_quiet_boards(batch: dict[str, Boards]) -> None:
    quiet = batch["quiet"]
    settled = settle(quiet)
    assert settled.actions.num_rows == 0
    assert digest(settled.after) == digest(quiet)  # not even a mark to clear


def test_quiet_boards_look_like_games(batch: dict[str, Boards]) -> None:
    objects = batch["quiet"].objects
    assert (objects.attached_to != v.NONE).sum() > 500
    for card_type in ("land", "creature", "planeswalker", "battle", "artifact", "enchantment", "instant"):
        assert (objects.types & v.bit(v.TYPES, card_type) != 0).any()
    assert {v.ZONES[zone] for zone in np.unique(objects.zone)} >= {"battlefield", "graveyard", "hand", "stack", "exile"}


def test_midgame_has_something_to_do_on_three_boards_of_ten(batch: dict[str, Boards]) -> None:
    acted = settle(batch["midgame"], after=False).results["actions"].to_numpy() > 0
    assert 0.25 < acted.mean() < 0.35
    assert 14 < len(batch["midgame"].objects.zone) / 4_000 < 18


def test_dense_boards_hit_every_rule(batch: dict[str, Boards]) -> None:
    settled = settle(batch["dense"], after=False)
    boards = Counter(
        rule for _, rule in set(zip(*settled.actions.select(["state_id", "rule"]).to_pydict().values(), strict=True))
    )
    expected = [rule.name for rule in RULES if rule.kind != "procedure"]
    assert [rule for rule in expected if boards[rule] < 4_000 / 500] == []
    words = settled.actions["replaced_by"].to_pylist()
    assert set(words) == {None, "regeneration", "umbra_armor", "graveyard_replacement", "finality"}
    passes = settled.results["passes"].to_numpy()
    assert (passes >= 3).mean() > 0.02


def test_dense_boards_are_of_interest_unless_the_game_is_over(batch: dict[str, Boards]) -> None:
    results = settle(batch["dense"], after=False).results
    idle = results["actions"].to_numpy() == 0
    over = np.array(results["outcome"].to_pylist()) != "ongoing"
    assert (over | ~idle).all()
    assert 0 < idle.mean() < 0.04


def flagged(boards: Boards, flag: str) -> np.ndarray:
    return boards.objects.flags & v.bit(v.OBJECT_FLAGS, flag) != 0


def with_keyword(boards: Boards, word: str) -> np.ndarray:
    return boards.objects.keywords & v.bit(v.KEYWORDS, word) != 0


def host_of(boards: Boards) -> np.ndarray:
    """Return the row, in the whole batch, that each object is attached to, or -1."""
    o = boards.objects
    state = np.repeat(np.arange(len(boards)), np.diff(boards.objects_start))
    return np.where(o.attached_to >= 0, boards.objects_start[state] + o.attached_to, -1)


def is_umbra(boards: Boards) -> np.ndarray:
    return with_keyword(boards, "umbra_armor")


def of_host(boards: Boards, condition: np.ndarray) -> np.ndarray:
    """Whether something holds for what each object is attached to."""
    host = host_of(boards)
    return (host >= 0) & condition[host]


def is_circle(boards: Boards) -> np.ndarray:
    rows, host = np.arange(len(boards.objects.zone)), host_of(boards)
    return (host >= 0) & (host != rows) & (host[host] == rows)


def is_replaced(boards: Boards) -> np.ndarray:
    return boards.lexicon.tables.trait_graveyard[boards.objects.traits] != b.GRAVEYARD


def is_object(boards: Boards, card_type: int) -> np.ndarray:
    return boards.objects.types & card_type != 0


def row_in_state(boards: Boards) -> np.ndarray:
    return np.arange(len(boards.objects.zone)) - np.repeat(boards.objects_start[:-1], np.diff(boards.objects_start))


_ELSEWHERE = ("resolving", "triggered_during")  # flags that only boards in the middle of a procedure have
CORNERS: dict[str, Callable[[Boards], np.ndarray]] = {
    **{word: partial(with_keyword, word=word) for word in v.KEYWORDS},
    **{flag: partial(flagged, flag=flag) for flag in v.OBJECT_FLAGS if flag not in _ELSEWHERE},
    **{flag: lambda x, i=i: x.players.flags >> i & 1 == 1 for i, flag in enumerate(v.PLAYER_FLAGS)},
    **{kind: lambda x, i=i: x.objects.kind == i for i, kind in enumerate(v.KINDS)},
    **{f"zone {zone}": lambda x, i=i: x.objects.zone == i for i, zone in enumerate(v.ZONES)},
    **{variant: lambda x, i=i: x.states.variant >> i & 1 == 1 for i, variant in enumerate(v.VARIANTS)},
    **{f"sector {sector}": lambda x, i=i: x.objects.sector == i for i, sector in enumerate(v.SECTORS)},
    **{f"{n} players": lambda x, n=n: np.diff(x.players_start) == n for n in range(1, 9)},
    "several shields": lambda x: x.objects.regeneration > 1,
    "umbra on umbra": lambda x: is_umbra(x) & of_host(x, is_umbra(x)),
    "umbra with a shield counter": lambda x: is_umbra(x) & (x.objects.shield > 0),
    "umbra with a regeneration shield": lambda x: is_umbra(x) & (x.objects.regeneration > 0),
    "umbra that is indestructible": lambda x: is_umbra(x) & with_keyword(x, "indestructible"),
    "finality": lambda x: x.objects.finality > 0,
    "commander with a replacement": lambda x: flagged(x, "commander") & is_replaced(x),
    "bestowed without a host": lambda x: flagged(x, "bestowed") & (x.objects.attached_to == v.NONE),
    "bestowed on what is bestowed": lambda x: flagged(x, "bestowed") & of_host(x, flagged(x, "bestowed")),
    "attached to itself": lambda x: host_of(x) == np.arange(len(x.objects.zone)),
    "circle": is_circle,
    "battle attached": lambda x: is_object(x, b.BATTLE) & (x.objects.attached_to != v.NONE),
    "attached to a player": lambda x: (x.objects.attached_to < 0) & (x.objects.attached_to > v.NOTHING),
    "phased-out host": lambda x: of_host(x, flagged(x, "phased_out")),
    "keeps attachments": lambda x: x.keeps.object >= 0,
    "world since": lambda x: x.world_since.since >= 0,
    "no protector": lambda x: is_object(x, b.BATTLE) & (x.objects.protector == v.NO_SEAT),
    "attacks nothing": lambda x: x.objects.attacking == v.NOTHING,
    "attacker that is no creature": lambda x: ~is_object(x, b.CREATURE) & (x.objects.attacking != v.NONE),
    "no speed": lambda x: x.players.speed == v.NO_SPEED,
    "top speed": lambda x: x.players.speed == v.MAX_SPEED,
    "commander damage": lambda x: x.commander_damage.amount >= 21,
    "round expired": lambda x: x.states.round_expired,
    "departed player": lambda x: x.players.flags & b.IN_GAME == 0,
    "creature without toughness": lambda x: is_object(x, b.CREATURE) & (x.objects.toughness == v.NULL),
    "nameless": lambda x: x.objects.name == v.NAMELESS,
    "huge": lambda x: x.objects.damage == v.LARGEST,
    "merged": lambda x: x.components.object >= 0,
    "owner is not the controller": lambda x: x.objects.owner != x.objects.controller,
    "ids that are no rows": lambda x: x.objects.object_id != row_in_state(x),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_dense_boards_have_every_corner(batch: dict[str, Boards], corner: str) -> None:
    assert CORNERS[corner](batch["dense"]).any()


def test_dense_boards_have_counters_of_every_side_kind(batch: dict[str, Boards]) -> None:
    kinds = {batch["dense"].lexicon.counter_kinds[kind] for kind in np.unique(batch["dense"].counters.kind)}
    assert kinds == {"+1/+0", "-0/-1", "+2/+2", "dream", "indestructible", "charge", "stun"}


def test_every_card_is_dealt(batch: dict[str, Boards]) -> None:
    names = {
        batch[p].lexicon.names[name]
        for p in ("dense", "tangled")
        for name in np.unique(batch[p].objects.name)
        if name >= 0
    }
    assert names == set(pool().lexicon.names)


def test_tokens_are_on_one_battlefield() -> None:
    boards = generate(2, 1, "tokens", size=3_000)
    assert np.diff(boards.objects_start).tolist() == [3_000, 3_000]
    assert (boards.objects.kind == b.TOKEN).all()
    assert (boards.objects.zone == b.BATTLEFIELD).mean() > 0.95
    assert (settle(boards, after=False).results["actions"].to_numpy() > 0).all()


def test_a_third_of_the_effects_boards_have_effects(batch: dict[str, Boards]) -> None:
    boards = batch["effects"]
    count = np.diff(boards.effects_start)
    assert 0.3 < (count > 0).mean() < 0.37
    assert count.max() == MOST_EFFECTS
    assert set(np.unique(count)) == set(range(MOST_EFFECTS + 1))
    assert {v.DURATIONS[until] for until in np.unique(boards.effects.until)} == set(v.DURATIONS)
    assert len(np.unique(boards.effects.text)) > 0.9 * len(boards.lexicon.effects)
    passes = settle(boards, after=False).results["passes"].to_numpy()
    assert (passes[count > 0] >= 3).mean() > 0.05


def test_effects_of_the_pool_say_everything_that_an_effect_can_say() -> None:
    texts = pool().lexicon.effects
    stated = {field for text in texts for field, value in vars(text).items() if value not in (None, False)}
    assert stated == set(vars(texts[0]))
    assert {text.rule for text in texts} == {None, *v.RULE_WORDS}


def test_procedures_have_stacks_in_every_step(batch: dict[str, Boards]) -> None:
    boards = batch["procedures"]
    assert set(np.unique(boards.states.step)) == set(range(len(v.STEPS)))
    state = np.repeat(np.arange(len(boards)), np.diff(boards.objects_start))
    resolving = flagged(boards, "resolving")
    assert (boards.objects.zone[resolving] == b.STACK).all()
    assert np.bincount(state[resolving]).max() == 1
    kinds = {v.KINDS[kind] for kind in np.unique(boards.objects.kind[boards.objects.zone == b.STACK])}
    assert kinds == set(v.KINDS) - {"token", "emblem"}
    waiting = boards.objects.zone == b.WAITING
    assert flagged(boards, "triggered_during")[waiting].any()
    assert not flagged(boards, "triggered_during")[waiting].all()
    assert (boards.states.skips != 0).any()
    assert set(np.unique(boards.effects.until)) == set(range(len(v.DURATIONS)))


def test_every_thing_and_twist_is_in_some_profile() -> None:
    profiles = generating.PROFILES.values()
    assert {thing for p in profiles for thing in (*p.things, *p.effect_things)} == set(Thing)
    assert {kind for p in profiles for kind in p.twists} == set(Twist)
    assert len(Group) == len(pool().cards.first_card[0]) - 1
