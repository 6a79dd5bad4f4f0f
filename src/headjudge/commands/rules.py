"""``headjudge rules``: the rule catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headjudge import rulebook
from headjudge.errors import DataError
from headjudge.kernels.catalogue import EDITIONS, RULES_VERSION

if TYPE_CHECKING:
    from argparse import Namespace

    from headjudge.commands.common import Commands


def register(commands: Commands) -> None:
    """Add the parser."""
    parser = commands.add_parser("rules", help="print the rules, their names and their numbers")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    parser.add_argument(
        "--edition",
        choices=EDITIONS,
        help=f"the edition of the Comprehensive Rules whose numbers the text gives (default: {RULES_VERSION})",
    )
    parser.set_defaults(run=run)


def run(given: Namespace) -> int:
    """Print the catalogue."""
    if given.edition and given.format != "text":
        raise DataError(
            f"--edition: expected --format text, found {given.format}, which has the numbers of all editions"
        )
    if given.format == "text":
        print(rulebook.as_text(given.edition or RULES_VERSION))
    else:
        print(rulebook.as_json() if given.format == "json" else rulebook.as_markdown())
    return 0
