"""``headjudge settle``: settle a data set, or carry out a procedure on it, part by part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headjudge.commands.common import compile_first, positive, report, working
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from argparse import Namespace

    from headjudge.commands.common import Commands


def register(commands: Commands) -> None:
    """Add the parser."""
    parser = commands.add_parser("settle", help="settle a data set, or end turns or combat phases on it: IN to OUT")
    parser.add_argument("source", metavar="IN", type=Path, help="the folder of a data set")
    parser.add_argument("target", metavar="OUT", type=Path, help="the folder to write: results, actions, after")
    parser.add_argument(
        "--do",
        choices=v.PROCEDURES,
        default=v.PROCEDURES[0],
        help="only settle (the default), end the turn (CR 724.1), end the combat phase (724.2) or clean up (514.2)",
    )
    parser.add_argument("--after", action="store_true", help="write the boards afterwards, too")
    parser.add_argument("--threads", type=positive, metavar="N", help="by default one a processor")
    parser.add_argument("--strict", action="store_true", help="stop at the first board that cannot be judged")
    parser.add_argument(
        "--choices",
        type=Path,
        metavar="PATH",
        help="a Parquet file or folder with the table choices, if not IN/choices",
    )
    parser.add_argument("--resume", action="store_true", help="go on with what an earlier run left in OUT.partial")
    parser.set_defaults(run=run)


def run(given: Namespace) -> int:
    """Settle the data set and report what happened."""
    from headjudge import pipeline
    from headjudge.io.parquet import DataSet

    data_set = DataSet.open(given.source)
    compile_first()
    with working("settling", data_set.states) as tell:
        record = pipeline.settle_data_set(
            data_set,
            given.target,
            choices=given.choices,
            threads=given.threads,
            after=given.after,
            strict=given.strict,
            do=given.do,
            resume=given.resume,
            tell=tell,
        )
    report(record)
    print(f"\n{given.target}")
    return 0
