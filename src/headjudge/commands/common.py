"""What the commands share: words for a person at a terminal, all on standard error, and arguments."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator
    from typing import Protocol, TypeAlias

    from headjudge.pipeline import Record

    class Part(Protocol):
        """What was done with a part."""

        @property
        def states(self) -> int:
            """How many states it has."""

    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]


#: Wide enough for the name of every rule.
RULE_WIDTH = 24
#: Exit codes beside 0: something does not hold; the call or its input is wrong; Ctrl-C.
FAILED, WRONG, INTERRUPTED = 1, 2, 130


def positive(text: str) -> int:
    """Read an argument that counts something."""
    try:
        number = int(text.replace("_", ""))
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 up, found {text!r}")
    return number


def say(text: str) -> None:
    """Tell the person at the terminal, apart from the output."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def working(verb: str, states: int) -> Iterator[Callable[[Part], None]]:
    """Show how far the work is, on a terminal; say in the end how long it took. Yields what is told of each part."""
    start = time.perf_counter()
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        columns = ("[progress.description]{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
            task = bars.add_task(f"{verb} boards", total=states)
            yield lambda part: bars.advance(task, part.states)
    else:
        yield lambda part: None
    seconds = time.perf_counter() - start
    from headjudge.wording import counted

    say(f"headjudge: {verb} {counted(states, 'board')} took {seconds:.1f} s ({states / seconds:,.0f} a second)")


def compile_first(*, generator: bool = False) -> None:
    """Compile what is about to be used, unless that was done before; say so, and how long it took."""
    from headjudge.kernels import jit

    needed = ("settling", "screen", "generation") if generator else ("settling", "screen")
    missing = [module for module in needed if jit.needs_compiling(module)]
    if not missing:
        return
    from headjudge import compiling

    say("headjudge: the first run of this version on this machine: compiling, about a minute ...")
    start = time.perf_counter()
    compiling.compile_all(missing)
    say(f"headjudge: compiled in {time.perf_counter() - start:.0f} s")


def report(record: Record) -> None:
    """Print what happened: how the boards came out, and how often each rule was hit."""
    from headjudge import rulebook
    from headjudge.kernels.catalogue import RULES
    from headjudge.wording import counted

    busy = sum(count for passes, count in record.passes.items() if passes)
    most = max(record.passes, default=0)
    print(
        f"{counted(record.states, 'board')}: {busy:,} had something to do, in up to {counted(most, 'pass', 'passes')}"
    )
    print(f"  status   {_listed(record.statuses)}\n  outcome  {_listed(record.outcomes)}\n")
    if record.statuses["rejected"]:
        print("  why a board was rejected stands in the column reason of results\n")
    print(f"{'rule':{RULE_WIDTH}}  {'CR':9}  {'hits':>12}  kind")
    for rule in RULES:
        if record.hits[rule.name]:
            print(f"{rule.name:{RULE_WIDTH}}  {rulebook.number(rule):9}  {record.hits[rule.name]:12,}  {rule.kind}")


def _listed(words: Counter[str]) -> str:
    return ", ".join(f"{word} {count:,}" for word, count in words.most_common()) or "none"
