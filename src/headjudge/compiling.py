"""Machine code made before it is needed: in two processes, for numba compiles one thing at a time.

``python -m headjudge.compiling NAME...`` compiles some parts; their code stays in the cache (`headjudge.kernels.jit`).
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Final

from headjudge.boards import Boards, empty
from headjudge.generating import generate
from headjudge.kernels import jit
from headjudge.kernels.tables import States
from headjudge.lexicon import Lexicon
from headjudge.settling import derived
from headjudge.validation import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def _settle() -> None:
    derived(Boards.of(empty(States, 1), {}, Lexicon()))


def _check() -> None:
    Check.of(Boards.of(empty(States, 1), {}, Lexicon()), 1)


def _generate() -> None:
    generate(1)


#: What compiles the kernels of a module of `headjudge.kernels`.
WORK: Final[Mapping[str, Callable[[], None]]] = {"settling": _settle, "screen": _check, "generation": _generate}


def compile_all(modules: Sequence[str]) -> None:
    """Compile modules, all but the first in another process; what fails there is compiled when it is needed.

    What takes longest, `settling`, comes first.
    """
    here = modules[:1] if jit.CACHE_FOLDER and sys.executable else modules
    elsewhere = modules[len(here) :]
    child = None
    if elsewhere:
        nowhere = subprocess.DEVNULL
        command = [sys.executable, "-m", "headjudge.compiling", *elsewhere]
        child = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere)
    try:
        for module in here:
            WORK[module]()
        if child:
            child.wait()
    finally:
        if child:
            child.kill()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        WORK[name]()
