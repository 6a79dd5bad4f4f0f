"""``headjudge export``: write boards for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headjudge.commands.common import say
from headjudge.commands.conversion import add_format, tell

if TYPE_CHECKING:
    from argparse import Namespace

    from headjudge.commands.common import Commands


def register(commands: Commands) -> None:
    """Add the parser."""
    parser = commands.add_parser("export", help="write boards for other programs: forge (.pzl)")
    formats = parser.add_subparsers(metavar="FORMAT", required=True)
    forge = formats.add_parser("forge", help="state texts of Forge, one file a state")
    forge.add_argument("source", metavar="DATASET", type=Path, help="the folder of a data set")
    forge.add_argument("-o", "--out", metavar="DIR", type=Path, required=True, help="the folder for the files")
    forge.add_argument("--state", type=int, metavar="ID", help="only this state_id")
    forge.add_argument(
        "--like",
        metavar="DATASET",
        type=Path,
        help="the data set of `headjudge import forge` that the states come from, if it is not DATASET itself",
    )
    forge.add_argument("--cards", metavar="FILE", type=Path, help="card facts, to be compared with the cards")
    add_format(forge)
    forge.set_defaults(run=run)


def run(given: Namespace) -> int:
    """Write the files, and tell of each what the text cannot say."""
    from headjudge.io import forge
    from headjudge.wording import counted

    # All files are written before anything is told: whoever reads that may have enough of it.
    files = list(forge.export(given.source, given.out, state=given.state, like=given.like, cards=given.cards))
    if given.cards is None and files:
        say("headjudge: without --cards, cards are taken to be what their names say")
    for file in files:
        tell(file, given.format)
    if given.format == "text":
        print(f"\n{counted(len(files), 'file')}: {given.out}")
    return 0
