"""The program that talks to phase: boards as JSON lines in, answers as JSON lines out (``headjudge.engines.lines``).

Runs in a process of its own, since native code may crash or hang. Imports nothing of headjudge that compiles.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from headjudge.engines import phase_state
from headjudge.engines.worker import serve

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHECK: Final = {"type": "Debug", "data": {"type": "RunStateBasedActions"}}
#: Calls of one check: far more than a board of ordinary size can need passes and choices.
MOST_CALLS: Final = 200


class Stuck(Exception):
    """The engine waits for something that no state-based action asks for."""


class Table:
    """One engine and what it was told of cards; a game for each board."""

    def __init__(self) -> None:
        self._cards = phase_state.Cards()
        self._engine = self._cards.empty_engine()

    def answer(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """Return what phase makes of a board."""
        state = phase_state.state_of(line, self._cards)
        game = self._engine.load_game(json.dumps(state))
        not_offered = self.settle(game, [int(handle) for handle in line.get("choices", {}).get("keep", ())])
        answer = phase_state.claim_of(line, game)
        if not_offered:
            answer["not_offered"] = [str(handle) for handle in not_offered]
        return answer

    @staticmethod
    def settle(game: Any, keep: list[int]) -> list[int]:
        """Have one check made, answering what it asks; return what was to be kept and was not on offer.

        One call repeats its passes by itself (CR 704.3), so that it is called again only where it stopped to ask.
        """
        asked: set[int] = set()
        check_due = True
        for _ in range(MOST_CALLS):
            waiting = game.waiting_for()
            kind, data = waiting["type"], waiting.get("data") or {}
            if kind == "GameOver" or (kind == "Priority" and not check_due):
                return [o for o in keep if o not in asked]
            action = _CHECK
            check_due = kind != "Priority"
            match kind:
                case "Priority":
                    pass
                case "ChooseLegend":
                    wanted = [o for o in data["candidates"] if phase_state.handle(o) in keep]
                    asked.update(map(phase_state.handle, wanted))
                    action = {"type": kind, "data": {"keep": wanted[0] if wanted else max(data["candidates"])}}
                case "BattleProtectorChoice":
                    action = {"type": "ChooseBattleProtector", "data": {"protector": min(data["candidates"])}}
                case "CommanderZoneChoice":
                    action = {"type": "DecideOptionalEffect", "data": {"accept": True}}
                case "ReplacementChoice":
                    action = {"type": "ChooseReplacement", "data": {"index": 0}}
                case _:
                    raise Stuck(f"it waits for {kind}")
            game.apply(data["player"], action)
        raise Stuck(f"no end after {MOST_CALLS} calls")


if __name__ == "__main__":
    serve(Table().answer)
