"""``headjudge explain``: what happens on a board, in words."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from headjudge.commands.common import compile_first
from headjudge.errors import DataError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from headjudge.commands.common import Commands
    from headjudge.explain import Explanation


def register(commands: Commands) -> None:
    """Add the parser."""
    parser = commands.add_parser("explain", help="tell what happens on a board, pass by pass")
    parser.add_argument("what", metavar="FILE|DATASET", type=Path, help="a scenario file, or the folder of a data set")
    parser.add_argument("--state", type=int, metavar="ID", help="the state_id, for a data set")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: one line a board")
    parser.set_defaults(run=run)


def run(given: Namespace) -> int:
    """Explain every scenario of a file, or one state of a data set."""
    if given.what.is_dir() and given.state is None:
        raise DataError(f"{given.what}: expected --state ID beside the folder of a data set")
    if given.state is not None and not given.what.is_dir():
        found = "a file, of which all are explained" if given.what.exists() else "nothing"
        raise DataError(f"{given.what}: expected the folder of a data set beside --state, found {found}")
    to_explain = [board_of(given.what, given.state)] if given.what.is_dir() else scenarios_of(given.what)
    compile_first()
    for number, explain in enumerate(to_explain):
        explanation = explain()
        if given.format == "json":
            print(json.dumps(explanation.mapping, ensure_ascii=False))
        else:
            print(explanation.text if number == 0 else f"\n\n{explanation.text}")
    return 0


def scenarios_of(file: Path) -> list[Callable[[], Explanation]]:
    """Return what explains each scenario of a file."""
    from headjudge.explain import explain_scenario
    from headjudge.io.scenarios import read

    return [partial(explain_scenario, scenario) for scenario in read(file)]


def board_of(folder: Path, state: int) -> Callable[[], Explanation]:
    """Return what explains one state of a data set."""
    import numpy as np
    import pyarrow.compute as pc

    from headjudge.explain import explain
    from headjudge.io.choices import choices_from_arrow
    from headjudge.io.parquet import DataSet

    data_set = DataSet.open(folder)
    number = next(i for i, ids in enumerate(data_set.stretches) if ids.upto is None or state <= ids.upto)
    part = data_set.read(number)
    rows = np.flatnonzero(part.boards.states.state_id == state)
    if not len(rows):
        raise DataError(f"{folder}: expected a state with state_id {state}, found none")
    board = part.boards[int(rows[0])]
    choices, _ = choices_from_arrow(part.choices.filter(pc.field("state_id") == state), board)
    return partial(explain, board, choices)
