"""What the commands share: words for a person at a terminal, all on standard error, and arguments."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol, TypeAlias

    from headjudge.pipeline import Record

    class Part(Protocol):
        """What was done with a part."""

        @property
        def states(self) -> int:
            """How many states it has."""

    class Tell(Protocol):
        """Tells of each part that it is done, and whether an earlier run did it."""

        def __call__(self, part: Part, *, earlier: bool = False) -> None:
            """Tell of a part."""

    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]


#: Wide enough for the name of every rule.
RULE_WIDTH = 24
#: Exit codes beside 0: something does not hold; the call or its input is wrong; Ctrl-C; nobody reads on.
FAILED, WRONG, INTERRUPTED, UNREAD = 1, 2, 130, 141


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
def working(verb: str, states: int) -> Iterator[Tell]:
    """Show how far the work is, on a terminal; say in the end how long it took. Yields what is told of each part."""
    from headjudge.wording import counted

    start, done = time.perf_counter(), 0
    with _bar(verb, states) as advance:

        def tell(part: Part, *, earlier: bool = False) -> None:
            nonlocal done
            done += 0 if earlier else part.states
            advance(part.states)

        yield tell
    seconds = time.perf_counter() - start
    boards = counted(states, "board")
    if done < states:
        boards = f"{done:,} of {boards}, the others in an earlier run,"
    rate = f" ({done / seconds:,.0f} a second)" if done else ""
    say(f"headjudge: {verb} {boards} took {seconds:.1f} s{rate}")


@contextmanager
def _bar(verb: str, states: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal. Yields what moves it on by a number of states."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        columns = ("[progress.description]{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
            task = bars.add_task(f"{verb} boards", total=states)
            yield lambda number: bars.advance(task, number)
    else:
        yield lambda number: None


def compile_first(*, generator: bool = False) -> None:
    """Compile what is about to be used, unless that was done before; say so, and how long it took."""
    from headjudge.kernels import jit

    needed = ("settling", "screen", "generation") if generator else ("settling", "screen")
    missing = [module for module in needed if jit.needs_compiling(module)]
    if not missing:
        return
    from headjudge import compiling

    if jit.CACHE_FOLDER:
        say("headjudge: the first run of this version on this machine: compiling, about a minute ...")
    else:
        say(
            "headjudge: compiling, about a minute, each time: HEADJUDGE_CACHE_DIR may name a folder that can be written"
        )
    start = time.perf_counter()
    compiling.compile_all(missing)
    say(f"headjudge: compiled in {time.perf_counter() - start:.0f} s")


def report(record: Record) -> None:
    """Print what happened: how the boards came out, and how often each rule was hit."""
    from headjudge import rulebook
    from headjudge.kernels.catalogue import RULES
    from headjudge.kernels.vocabulary import ROW_KINDS
    from headjudge.wording import counted

    busy = sum(count for passes, count in record.passes.items() if passes)
    most = max(record.passes, default=0)
    passes = f", in up to {counted(most, 'pass', 'passes')}" if most else ""
    print(f"{counted(record.states, 'board')}: {busy:,} had something to do{passes}")
    for name, words in (("status", record.statuses), ("outcome", record.outcomes)):
        if words:
            print(f"  {name:7}  {', '.join(f'{word} {count:,}' for word, count in words.most_common())}")
    if record.statuses["rejected"]:
        print("\n  why a board was rejected stands in the column reason of results")
    if record.hits:
        print(f"\n{'rule':{RULE_WIDTH}}  {'CR':9}  {'hits':>12}  kind")
    for rule, kind in product(RULES, ROW_KINDS):
        if hits := record.hits[f"{rule.name} {kind}"]:
            print(f"{rule.name:{RULE_WIDTH}}  {rulebook.number(rule):9}  {hits:12,}  {kind}")
