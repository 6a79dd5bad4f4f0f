"""Lawful random boards: profiles, and the loop over chunks of boards."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge.boards import Boards
from headjudge.errors import DataError
from headjudge.kernels.generation import draw_boards, draw_token_boards
from headjudge.kernels.generation_draft import DRAFT, MOST_OBJECTS, OBJECTS, PLAN, record
from headjudge.kernels.generation_things import Thing
from headjudge.kernels.generation_twists import Twist
from headjudge.kernels.tables import DTYPES, TABLES, Objects, States
from headjudge.pool import pool
from headjudge.spans import workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Boards, or tokens, that a chunk has: small enough for a core's cache.
CHUNK_BOARDS: Final = 512
CHUNK_TOKENS: Final = 1 << 15


@dataclass(frozen=True)
class Profile:
    """What boards are made of. Weights say how often, in relation to the others; rates are in 1,000 boards (`PLAN`)."""

    things: Mapping[Thing, int]
    twists: Mapping[Twist, int] = field(default_factory=dict)
    effect_things: Mapping[Thing, int] = field(default_factory=dict)
    least_things: int = 6
    most_things: int = 20
    twisted: int = 0
    most_twists: int = 1
    sure: bool = False
    variants: int = 0
    wild: bool = False
    roughness: int = 0
    combat: int = 0
    any_step: bool = False
    pending: int = 0
    with_effects: int = 0
    resolved_effects: int = 0

    def plan(self) -> Any:
        """Return the profile as kernels take it, a record of `PLAN`."""
        plan = np.zeros(1, PLAN)
        for f in fields(self):
            stated = getattr(self, f.name)
            if isinstance(stated, Mapping):
                menu = [int(what) for what, weight in stated.items() for _ in range(weight)]
                plan[f.name]["length"] = len(menu)
                plan[f.name]["items"][0, : len(menu)] = menu
            else:
                plan[f.name] = stated
        return plan.view(np.recarray)


_CALM: Final = {
    Thing.LAND: 40,
    Thing.CREATURE: 30,
    Thing.LEGEND: 4,
    Thing.TOKEN: 8,
    Thing.ARTIFACT: 5,
    Thing.ENCHANTMENT: 3,
    Thing.AURA: 4,
    Thing.CURSE: 1,
    Thing.UMBRA: 1,
    Thing.ROLE: 1,
    Thing.EQUIPMENT: 4,
    Thing.RECONFIGURE: 1,
    Thing.FORTIFICATION: 1,
    Thing.BESTOW: 2,
    Thing.SAGA: 2,
    Thing.PLANESWALKER: 4,
    Thing.SIEGE: 1,
    Thing.WORLD: 1,
    Thing.CARD_ELSEWHERE: 26,
    Thing.SPELL: 3,
    Thing.ABILITY: 2,
    Thing.EMBLEM: 1,
    Thing.UNUSED_ROW: 1,
}
_USUAL_TWISTS: Final = {
    Twist.LETHAL_DAMAGE: 40,
    Twist.TOUGHNESS_ZERO: 12,
    Twist.DEATHTOUCH: 6,
    Twist.LOYALTY_ZERO: 8,
    Twist.STRAY_TOKEN: 12,
    Twist.STRAY_COPY: 2,
    Twist.SECOND_LEGEND: 6,
    Twist.LOOSE_AURA: 6,
    Twist.LOOSE_EQUIPMENT: 4,
    Twist.LIFE_ZERO: 6,
    Twist.POISON: 1,
    Twist.EMPTY_DRAW: 1,
    Twist.CANCELLING_COUNTERS: 5,
    Twist.FINISHED_SAGA: 3,
    Twist.FALLEN_SIEGE: 2,
    Twist.SECOND_ROLE: 1,
}
_MIDGAME: Final = Profile(
    things=_CALM,
    twists=_USUAL_TWISTS,
    least_things=8,
    most_things=22,
    twisted=300,
    most_twists=3,
    variants=80,
    combat=250,
)
_DENSE: Final = Profile(
    things={
        Thing.LAND: 8,
        Thing.CREATURE: 16,
        Thing.ODD_CREATURE: 12,
        Thing.LIMITED_CREATURE: 3,
        Thing.PROTECTED_CREATURE: 7,
        Thing.RETURNING: 6,
        Thing.LEGEND: 4,
        Thing.TOKEN: 6,
        Thing.ARTIFACT: 3,
        Thing.ENCHANTMENT: 2,
        Thing.AURA: 6,
        Thing.PICKY_AURA: 14,
        Thing.GRAVE_AURA: 4,
        Thing.CURSE: 4,
        Thing.UMBRA: 6,
        Thing.ROLE: 4,
        Thing.EQUIPMENT: 5,
        Thing.RECONFIGURE: 4,
        Thing.FORTIFICATION: 3,
        Thing.BESTOW: 8,
        Thing.AURA_CREATURE: 5,
        Thing.SAGA: 7,
        Thing.PLANESWALKER: 4,
        Thing.ODD_PLANESWALKER: 4,
        Thing.SIEGE: 5,
        Thing.BATTLE: 4,
        Thing.WORLD: 3,
        Thing.CARD_ELSEWHERE: 8,
        Thing.SPELL: 2,
        Thing.ABILITY: 6,
        Thing.COMMANDER: 7,
        Thing.SCULPTOR: 2,
        Thing.ENGINE: 3,
        Thing.BLESSED: 4,
        Thing.DUNGEON: 3,
        Thing.SCHEME: 3,
        Thing.PHENOMENON: 3,
        Thing.EMBLEM: 1,
        Thing.MERGED: 2,
        Thing.UNUSED_ROW: 1,
    },
    twists={
        **_USUAL_TWISTS,
        Twist.LETHAL_DAMAGE: 15,
        Twist.SECOND_ROLE: 5,
        Twist.LOST_COMMANDER: 6,
        Twist.ARRIVAL: 4,
        Twist.MISPLACED_ATTACHMENT: 12,
        Twist.SELF_ATTACHMENT: 6,
        Twist.CYCLE: 6,
        Twist.TIMESTAMPS: 10,
        Twist.HUGE_NUMBER: 5,
        Twist.ODD_ATTACKER: 12,
        Twist.STRAY_OBJECT: 12,
        Twist.ATTACKED_PERMANENT: 8,
        Twist.GUARDED_LOSER: 4,
        Twist.HEAP_OF_UMBRAS: 10,
        Twist.CHANGED_OWNER: 10,
    },
    least_things=3,
    most_things=20,
    twisted=1000,
    most_twists=6,
    sure=True,
    wild=True,
    roughness=80,
    combat=300,
)
_EFFECT_THINGS: Final = {
    Thing.LORD: 4,
    Thing.ANTHEM: 5,
    Thing.SHAPER: 7,
    Thing.SELF_MADE: 4,
    Thing.LAWGIVER: 4,
    Thing.FALLING_LORDS: 2,
}
PROFILES: Final = {
    "quiet": replace(_MIDGAME, twists={}, twisted=0),
    "midgame": _MIDGAME,
    "dense": _DENSE,
    "tokens": Profile(things={}),
    "effects": replace(_MIDGAME, effect_things=_EFFECT_THINGS, with_effects=333),
    "tangled": replace(_DENSE, effect_things=_EFFECT_THINGS, with_effects=1000),
    "procedures": replace(
        _MIDGAME,
        effect_things=_EFFECT_THINGS,
        twisted=500,
        any_step=True,
        combat=800,
        pending=900,
        with_effects=150,
        resolved_effects=350,
    ),
}


def generate(
    n: int,
    seed: int = 0,
    profile: str = "midgame",
    *,
    first: int = 0,
    size: int = 1000,
    threads: int | None = None,
) -> Boards:
    """Return `n` lawful random boards, with state ids from `first` on.

    A board depends on its seed, profile and state id alone: it is the same on every machine, with any number of
    threads, in any batch. All batches share one lexicon.

    Parameters
    ----------
    n
        How many boards.
    seed
        From 0 to 2**62 - 1.
    profile
        ``quiet``: nothing applies on any board. ``midgame``: about 16 objects a board, something to do on about 30 %
        of them. ``dense``: all rules, all variants and every nasty corner, something to do on every board whose game
        is not over. ``tokens``: many tokens on one battlefield. ``effects``: like ``midgame``, with continuous effects
        on a third of the boards. ``tangled``: like ``dense``, with continuous effects on nearly all. ``procedures``:
        boards in every step, with stacks and waiting abilities.
    first
        The state id of the first board.
    size
        How many tokens a board of profile ``tokens`` has.
    threads
        How many threads draw; by default one a processor.

    Raises
    ------
    DataError
        For an unknown profile or a number out of range.
    """
    if profile not in PROFILES:
        raise DataError(f"profile: expected one of {', '.join(PROFILES)}, found {profile!r}")
    least = {"n": 0, "seed": 0, "first": 0, "size": 1, "threads": 1}
    for name, value in {"n": n, "seed": seed, "first": first, "size": size, "threads": threads}.items():
        if name == "threads" and value is None:
            continue
        if not isinstance(value, (int, np.integer)) or not least[name] <= value < 1 << 62:
            raise DataError(f"{name}: expected a whole number from {least[name]} to 2**62 - 1, found {value!r}")
    tokens = size if profile == "tokens" else 0
    drawing = _Drawing(n, seed, profile, first, tokens)
    count = min(workers(threads), max(len(drawing.chunks), 1))
    shares = [drawing.chunks[i::count] for i in range(count)]
    with ThreadPoolExecutor(count) as executor:
        list(executor.map(drawing.draw, shares))
        return drawing.boards(executor)


#: All tables that are drawn.
_TABLES: Final[dict[str, Any]] = {"states": States, **TABLES}


class _Drawing:
    """A batch that is being drawn, chunk by chunk, and then joined column by column."""

    def __init__(self, n: int, seed: int, profile: str, first: int, tokens: int) -> None:
        self.plan = PROFILES[profile].plan()
        self.key = np.uint64(seed), np.uint64(zlib.crc32(profile.encode()))
        self.first, self.tokens = first, tokens
        self.step = max(1, CHUNK_TOKENS // tokens) if tokens else CHUNK_BOARDS
        self.chunks = [range(start, min(start + self.step, n)) for start in range(0, n, self.step)]
        self.counts = np.zeros((len(TABLES), n), np.int64)
        #: By table and column: the rows of each chunk, by its first board.
        self.drawn: dict[tuple[str, str], dict[int, NDArray[Any]]] = {
            (name, column): {} for name, table in _TABLES.items() for column in table._fields
        }

    def _drawn(self, chunks: Sequence[range]) -> Iterator[tuple[range, Any, Any]]:
        """Draw chunks one after another: which, its drafts, and its objects."""
        drafts = np.zeros(self.step, DRAFT)
        objects = np.zeros(self.step * (self.tokens or MOST_OBJECTS), record(Objects))
        function: Any = draw_token_boards if self.tokens else draw_boards
        for chunk in chunks:
            boards = len(chunk)
            room = (drafts[:boards], objects[: boards * (self.tokens or MOST_OBJECTS)])
            # Interpreted, records are read as attributes, and NumPy would warn of what random numbers rely on: 64 bits
            # wrap around.
            with np.errstate(over="ignore"):
                views = (rows.view(np.recarray) for rows in room)
                function(*views, pool().cards, self.plan, *self.key, self.first + chunk.start)
            yield chunk, room[0], objects[: room[0]["used"][:, OBJECTS].sum()]

    def draw(self, chunks: Sequence[range]) -> None:
        """Draw chunks, and keep their rows as columns."""
        for chunk, drafts, objects in self._drawn(chunks):
            self.counts[:, chunk.start : chunk.stop] = drafts["used"].T
            self._keep("states", chunk, drafts["state"])
            for name, used in zip(TABLES, drafts["used"].T, strict=True):
                if name == "objects":
                    self._keep(name, chunk, objects)
                elif used.any():
                    room = drafts[name]
                    self._keep(name, chunk, room[np.arange(room.shape[1]) < used[:, np.newaxis]])

    def _keep(self, name: str, chunk: range, rows: Any) -> None:
        for column, drawn in zip(_TABLES[name]._fields, rows.dtype.names, strict=True):
            self.drawn[name, column][chunk.start] = rows[drawn].copy()

    def boards(self, executor: ThreadPoolExecutor) -> Boards:
        """Return the batch."""
        joined = dict(zip(self.drawn, executor.map(self._join, self.drawn), strict=True))
        tables = {name: table(*(joined[name, column] for column in table._fields)) for name, table in _TABLES.items()}
        starts = {
            name: np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
            for name, counts in zip(TABLES, self.counts, strict=True)
        }
        beside = {name: (tables[name], starts[name]) for name in TABLES}
        return Boards.of(tables["states"], beside, pool().lexicon)

    def _join(self, which: tuple[str, str]) -> NDArray[Any]:
        """Return a column whole, and forget its pieces."""
        name, column = which
        dtype, pieces = DTYPES[_TABLES[name]][column], self.drawn[which]
        whole = np.concatenate([np.zeros(0, dtype), *(pieces[start] for start in sorted(pieces))], dtype=dtype)
        pieces.clear()
        return whole
