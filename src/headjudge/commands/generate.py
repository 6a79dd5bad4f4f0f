"""``headjudge generate``: write random lawful boards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headjudge.commands.common import compile_first, positive, report, working
from headjudge.errors import DataError

if TYPE_CHECKING:
    from argparse import Namespace

    from headjudge.commands.common import Commands


def register(commands: Commands) -> None:
    """Add the parser."""
    parser = commands.add_parser("generate", help="write a data set of random lawful boards")
    parser.add_argument("target", metavar="OUT", type=Path, help="the folder to write")
    parser.add_argument("--states", type=positive, metavar="N", required=True, help="how many boards")
    parser.add_argument("--seed", type=int, metavar="S", default=0, help="the same seed, the same boards (%(default)s)")
    parser.add_argument(
        "--profile",
        metavar="P",
        default="midgame",
        help="quiet, midgame, dense, tokens, effects, tangled or procedures (default: %(default)s)",
    )
    parser.add_argument(
        "--size", type=positive, metavar="N", help="tokens on a board of the profile tokens (default: 1000)"
    )
    parser.add_argument("--threads", type=positive, metavar="N", help="by default one a processor")
    parser.add_argument("--resume", action="store_true", help="go on with what an earlier run left in OUT.partial")
    parser.set_defaults(run=run)


def run(given: Namespace) -> int:
    """Write the boards; report how fast, and what comes of them when they are settled."""
    import headjudge
    from headjudge import pipeline

    headjudge.generate(0, given.seed, given.profile)  # what is wrong with these is said before anything is compiled
    if given.size and given.profile != "tokens":
        raise DataError(f"--size: expected --profile tokens beside it, found {given.profile}")
    compile_first(generator=True)
    with working("generating", given.states) as tell:
        record = pipeline.generate_data_set(
            given.target,
            given.states,
            seed=given.seed,
            profile=given.profile,
            size=given.size or 1000,
            threads=given.threads,
            resume=given.resume,
            tell=tell,
        )
    print("What settling these boards does:\n")
    report(record)
    print(f"\n{given.target}")
    return 0
