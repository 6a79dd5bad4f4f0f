"""``headjudge demo``: all of it at once."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from headjudge.commands.common import compile_first, positive, report, working
from headjudge.unfinished import SUFFIX

if TYPE_CHECKING:
    from argparse import Namespace

    from headjudge.commands.common import Commands

_FOLDER: Final = "demo"


def register(commands: Commands) -> None:
    """Add the parser."""
    parser = commands.add_parser("demo", help="generate a million boards, settle them and tell what happened")
    parser.add_argument("target", metavar="OUT", type=Path, nargs="?", help="the folder to write (default: demo)")
    parser.add_argument("--states", type=positive, metavar="N", default=1_000_000, help="how many (%(default)s)")
    parser.add_argument("--resume", action="store_true", help="go on with the demo that was stopped last")
    parser.set_defaults(run=run)


def run(given: Namespace) -> int:
    """Generate, settle, and say where everything lies."""
    from headjudge import pipeline
    from headjudge.io.parquet import DataSet

    target = given.target or (given.resume and stopped_folder()) or free_folder()
    boards, settled = target / "boards", target / "settled"
    compile_first(generator=True)
    with working("generating", given.states) as tell:
        pipeline.generate_data_set(boards, given.states, seed=1, resume=given.resume, tell=tell)
    with working("settling", given.states) as tell:
        record = pipeline.settle_data_set(DataSet.open(boards), settled, after=True, resume=given.resume, tell=tell)
    report(record)
    print(f"""
{boards}/*/*.parquet            the boards
{settled}/results/*.parquet     one row a board: passes, outcome, who won and lost
{settled}/actions/*.parquet     one row an action: pass, rule, object, zones, last known information
{settled}/after/*/*.parquet     the boards when nothing applies any more""")
    return 0


def stopped_folder() -> Path | None:
    """Return the folder of the demo that was stopped last."""
    stopped = [
        folder
        for folder in (*Path().glob(_FOLDER), *Path().glob(f"{_FOLDER}-*"))
        if any((folder / f"boards{ending}").exists() for ending in ("", SUFFIX)) and not (folder / "settled").exists()
    ]
    return max(stopped, key=lambda folder: folder.stat().st_mtime, default=None)


def free_folder() -> Path:
    """Return ``demo``, or ``demo-2``, ... if that is taken."""
    return next(path for path in (Path(_FOLDER if n == 1 else f"{_FOLDER}-{n}") for n in count(1)) if not path.exists())
