"""``headjudge import``: read boards of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headjudge.commands.common import WRONG, say
from headjudge.commands.conversion import add_format, tell

if TYPE_CHECKING:
    from argparse import Namespace

    from headjudge.commands.common import Commands


def register(commands: Commands) -> None:
    """Add the parser."""
    parser = commands.add_parser("import", help="read boards of other programs: forge (.pzl)")
    formats = parser.add_subparsers(metavar="FORMAT", required=True)
    forge = formats.add_parser("forge", help="state texts of Forge, such as its puzzles")
    forge.add_argument("files", metavar="FILE", nargs="+", type=Path, help="*.pzl, or a folder with such files")
    forge.add_argument(
        "--cards",
        metavar="FILE",
        type=Path,
        required=True,
        help="card facts: a bulk file of Scryfall (oracle_cards, default_cards) or AtomicCards of MTGJSON",
    )
    forge.add_argument("-o", "--out", metavar="OUT", type=Path, required=True, help="the data set to write")
    forge.add_argument(
        "--unknown",
        choices=("refuse", "blank"),
        default="refuse",
        help="cards without facts: refuse their file (the default), or take them for objects with nothing but a name",
    )
    add_format(forge)
    forge.set_defaults(run=run)


def run(given: Namespace) -> int:
    """Read the files, write the data set, and tell of each file what did not come across."""
    from headjudge.io import forge
    from headjudge.wording import counted

    read = forge.read_files(given.files, given.cards, given.unknown)
    if read.documents:
        forge.save(read, given.out)
    for file in read.files:
        tell(file, given.format)
    failed = [file for file in read.files if file.error]
    for file in failed:
        say(f"headjudge: {file.error}")
    if given.format == "text" and read.documents:
        print(f"\n{len(read.documents)} of {counted(len(read.files), 'file')}: {given.out}")
    return WRONG if failed else 0
