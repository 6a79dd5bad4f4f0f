"""``headjudge fuzz``: ask another engine about random boards, and judge what it says."""

from __future__ import annotations

import shlex
import signal
from contextlib import contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING

from headjudge.commands.common import compile_first, positive, working
from headjudge.errors import DataError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from headjudge.commands.common import Commands


def register(commands: Commands) -> None:
    """Add the parser."""
    parser = commands.add_parser("fuzz", help="ask another engine about random boards and judge what it says")
    parser.add_argument(
        "--engine",
        choices=("phase", "mtg", "command"),
        required=True,
        help="phase and mtg need pip install '.[engines]' in a checkout; command: any program, given by --command",
    )
    parser.add_argument("--command", metavar="'PROGRAM ...'", help="reads boards and writes answers as JSON lines")
    parser.add_argument("--states", type=positive, metavar="N", required=True, help="how many boards")
    parser.add_argument("--seed", type=int, metavar="S", default=0, help="the same seed, the same boards (%(default)s)")
    parser.add_argument(
        "-o", "--out", type=Path, metavar="OUT", required=True, help="the folder to write, or to resume"
    )
    parser.add_argument(
        "--profile", metavar="P,...", default="dense,tangled", help="profiles, in turn by batch (default: %(default)s)"
    )
    parser.add_argument("--batch", type=positive, metavar="N", default=500, help="boards of a batch (%(default)s)")
    parser.add_argument("--samples", type=positive, metavar="N", default=1, help="boards shrunk a group (%(default)s)")
    parser.add_argument(
        "--limit", type=float, metavar="S", help="seconds that the engine may take for a batch (60; phase and mtg: 120)"
    )
    parser.add_argument("--threads", type=positive, metavar="N", help="by default one a processor")
    parser.set_defaults(run=run)


def run(given: Namespace) -> int:
    """Run, or go on with a run, and print the summary."""
    with _ended_like_ctrl_c():
        return _run(given)


@contextmanager
def _ended_like_ctrl_c() -> Iterator[None]:
    """Let SIGTERM end the run as Ctrl-C does, for the engine has to be ended, too."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise DataError(f"--command: expected words as a shell reads them, found {command!r} ({error})") from None


def _run(given: Namespace) -> int:
    import headjudge
    from headjudge import fuzzing
    from headjudge.engines import open_engine
    from headjudge.fuzz_report import SUMMARY
    from headjudge.io.durable import check_outside
    from headjudge.pipeline import Record

    check_outside(given.out)
    profiles = tuple(given.profile.split(","))
    for profile in profiles:
        headjudge.generate(0, given.seed, profile)  # what is wrong with these is said before anything is compiled
    command = _words(given.command) if given.command else None
    name = " ".join(command) if command else given.engine
    options = fuzzing.Options(name, given.states, given.seed, profiles, given.batch, given.samples)
    # A run that goes on tells first of what an earlier one did.
    earlier = chain([fuzzing.Fuzz.begun(given.out, options).batches > 0], repeat(False))
    with open_engine(given.engine, command=command, limit=given.limit) as engine:
        compile_first(generator=True)
        with working("questioning", given.states) as tell:

            def told(boards: int) -> None:
                tell(Record(states=boards), earlier=next(earlier))

            try:
                fuzzing.fuzz(engine, options, given.out, tell=told, threads=given.threads)
            except KeyboardInterrupt as interrupt:
                if (given.out / fuzzing.STATE_FILE).exists():
                    interrupt.add_note(f"the same command goes on in {given.out}")
                raise
    print((given.out / SUMMARY).read_text(encoding="utf-8"), end="")
    print(f"\n{given.out}")
    return 0
