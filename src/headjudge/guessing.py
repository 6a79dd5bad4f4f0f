"""What a claim shows of the choices that were made: a guess, which saves most searches for a lawful way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headjudge.io.choices import by_state
from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from headjudge.boards import Boards
    from headjudge.claims import Claim
    from headjudge.kernels.tables import Choices
    from headjudge.playing import Played


def meant_choices(
    before: Boards, claim: Claim, played: Played, offers: NDArray[Any], states: NDArray[np.int64]
) -> tuple[Choices, NDArray[np.int64]]:
    """Return the choices of some states, in order, by which a claim seems to differ from what was played by default.

    It does not show how losses are replaced, and not always how destructions are. `offers` hold those of the states.
    """
    offers = offers[np.isin(offers["state"], states) & (offers["object"] >= 0)]
    state, choice, subject, option = (offers[name].astype(np.int64) for name in ("state", "rule", "object", "amount"))
    first = before.objects_start[state]

    def claimed(field: str, rows: NDArray[np.int64] = subject) -> Any:
        return claim.view.objects[field][first + rows] if field in claim.objects else np.full(len(rows), v.NONE)

    stays = claimed("zone") == b.BATTLEFIELD
    settled = played.boards.objects
    shows = {
        # Of a group of which none stays one was kept that leaves anyway, and not the one kept by default.
        b.CHOOSE_KEEP: stays | (settled.zone[first + subject] != b.BATTLEFIELD),
        b.CHOOSE_COMMAND_ZONE: option == (claimed("zone") == b.COMMAND),
        b.CHOOSE_DESTINATION: option == claimed("zone"),
        b.CHOOSE_PROTECTOR: option == claimed("protector"),
        b.CHOOSE_SECTOR: option == claimed("sector"),
        b.CHOOSE_REPLACE: (option >= 0)
        & (claimed("zone", np.where(choice == b.CHOOSE_REPLACE, np.maximum(option, 0), 0)) != b.BATTLEFIELD),
    }
    shown = np.flatnonzero(np.select([choice == word for word in shows], list(shows.values()), False))
    # One answer a question: it is about an object, or about legends of one name and controller.
    keeps = choice == b.CHOOSE_KEEP
    about = np.where(keeps, settled.name[first + subject], subject)
    question = np.stack((state, choice, about, np.where(keeps, offers["controller"], v.NONE)))[:, shown]
    order = np.lexsort((~stays[shown], *question[::-1]))
    is_first = np.append(True, (np.diff(question[:, order]) != 0).any(axis=0))[: len(order)]
    rows = shown[order[is_first]]
    rows = rows[np.lexsort((subject[rows], choice[rows], state[rows]))]
    place = np.searchsorted(states, state[rows])
    return by_state(place, choice[rows], subject[rows], option[rows], len(states))
