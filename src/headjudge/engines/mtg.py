"""python-mtg, a rules engine in Datalog: what it can express, and the program that talks to it."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Final

from headjudge.engines.phase import require
from headjudge.engines.speaking import SpeakingEngine
from headjudge.engines.stripping import CREATURE, Stripping

if TYPE_CHECKING:
    from headjudge.io.board_records import BoardRecord
    from headjudge.io.scenario_fields import Record

#: Seconds for one board, the start on a busy machine included.
DEFAULT_LIMIT: Final = 120.0
_KEYWORDS: Final = ("indestructible",)
_COUNTERS: Final = ("+1/+1", "-1/-1", "loyalty", "lore", "defense", "charge")
_ZONES: Final = ("battlefield", "graveyard", "exile", "hand")


class MtgEngine(SpeakingEngine):
    """python-mtg in a process of its own."""

    name = "mtg"
    fields = frozenset(("zone", "attached_to", "counters", "tapped", "lost", "life", "poison"))

    def __init__(self, limit: float | None = None) -> None:
        require("mtg", "python-mtg")
        command = [sys.executable, "-m", "headjudge.engines.mtg_worker"]
        super().__init__(command, limit=DEFAULT_LIMIT if limit is None else limit, keep_alive=True)

    def strip(self, record: BoardRecord) -> tuple[BoardRecord | None, Counter[str]]:
        """Return a board without what python-mtg cannot express, and what was left out, counted."""
        return MtgStripping(record).done()


class MtgStripping(Stripping):
    """Damage is none of the facts that it keeps; its driver ends the game with the first who loses."""

    zones = _ZONES
    most_players = 2

    def _state(self) -> None:
        super()._state()
        self._reset(self.record.state, "variant", ())

    def _players(self) -> None:
        super()._players()
        for player in self.record.players:
            self._reset(player, "speed", None)
            self._reset(player, "designations", ())
            self._reset(player, "commander_damage", ())

    def _object(self, o: Record) -> None:
        super()._object(o)
        self._reset(o, "keywords", tuple(word for word in o["keywords"] if word in _KEYWORDS))
        self._reset(o, "counters", tuple((kind, n) for kind, n in o["counters"] if kind in _COUNTERS), "counters")
        for name, default in (("damage", 0), ("deathtouch_damage", False), ("protection", ()), ("phased_out", False)):
            self._reset(o, name, default)
        self._reset(o, "protector", None)
        self._reset(o, "final_chapter", 0)
        self._reset(o, "arrived", False)
        self._reset(o, "enchant", CREATURE if "aura" in o["subtypes"] else None)

    def _attachments(self) -> None:
        super()._attachments()
        for o in self.record.objects:
            if isinstance(o["attached_to"], int) and o["attached_to"] < 0:
                self._reset(o, "attached_to", None, "attached to a player")

    def _effects(self) -> None:
        self.left_out["effects"] += len(self.record.effects)
        self.left_out += Counter()  # without zeros
        self.record.effects.clear()
