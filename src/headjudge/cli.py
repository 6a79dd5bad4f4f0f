"""The command line: parsing, and errors as one clear line."""

from __future__ import annotations

import argparse
import os
import sys
from _thread import interrupt_main
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, NoReturn

from headjudge import RULES_VERSION, __version__
from headjudge.commands.common import INTERRUPTED, UNREAD, WRONG
from headjudge.errors import HeadjudgeError, OutputError, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose options are written out."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "allow_abbrev": False})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and refuse what is left in the name of the command that does not know it."""
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print, and let it be known if nobody reads on, which argparse keeps to itself."""
        if file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Leave once what was printed has been written."""
        _flush()
        super().exit(status, message)

    def error(self, message: str) -> NoReturn:
        """Print the message and leave."""
        self.exit(WRONG, f"headjudge: {one_line(message)} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    from headjudge.commands import demo, explain, export, fuzz, generate, import_, rules, scenarios, settle, verify

    top = Parser(
        prog="headjudge",
        description="Settle batches of Magic: The Gathering boards by every state-based action (CR 704).",
        epilog="Unofficial Fan Content, not approved or endorsed by Wizards of the Coast.",
    )
    version = f"headjudge {__version__}, Comprehensive Rules of {RULES_VERSION}"
    top.add_argument("--version", action="version", version=version)
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for command in (demo, generate, import_, settle, verify, fuzz, explain, scenarios, export, rules):
        command.register(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever called us
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - as long as we run
    sys.unraisablehook = _unraisable
    try:
        given = parser().parse_args(arguments)
        code: int = given.run(given)
        _flush()
    except BrokenPipeError:
        _discard()  # whoever read our output has enough (`| head`)
        return UNREAD
    except KeyboardInterrupt as interrupt:
        print(_line("interrupted", interrupt), file=sys.stderr)
        return INTERRUPTED
    except (HeadjudgeError, OSError) as error:
        print(_line(str(error), error), file=sys.stderr)
        return WRONG
    return code


def _unraisable(what: Any) -> None:
    """Let a Ctrl-C come again that came while C called Python, as when kernels are loaded: there it would be lost."""
    if what.exc_type is KeyboardInterrupt:
        Timer(0.05, interrupt_main).start()
    else:
        sys.__unraisablehook__(what)


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _discard()
        raise OutputError(f"standard output: {error.strerror}") from error


def _discard() -> None:
    """Let what is still to be printed go nowhere: else Python tries once more as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _line(message: str, error: BaseException) -> str:
    """Return what went wrong, and what those who passed it on added."""
    return "; ".join([f"headjudge: {message}", *getattr(error, "__notes__", [])])
