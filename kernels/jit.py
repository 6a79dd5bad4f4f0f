"""The decorators of compiled functions: `kernel` for those that Python calls, `part` and `inlined` for all others.

numba keys its disk cache by the file of the decorated function alone, so an edited callee or constant in another file
would leave old machine code in use: for a verifier, a wrong result. Here the cache lives in a folder named by the hash
of every file of this package, of where it lies, and of the versions of numba and Python: no other code is there.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import numba
from numba.core import types

from headjudge.kernels.linking import KernelCompiler, PartCompiler

config: Any = numba.config
F = TypeVar("F", bound=Callable[..., Any])

#: Set to 1 to compile with bounds checking (slower; for tests).
BOUNDSCHECK = os.environ.get("HEADJUDGE_BOUNDSCHECK", "0") == "1"


def _source_hash() -> str:
    package = Path(__file__).parent
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]} {BOUNDSCHECK} {package}".encode())
    for path in sorted(package.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path | None:
    """Return a writable folder for machine code, or None where there is none."""
    root = os.environ.get("HEADJUDGE_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(root) / "headjudge" / _source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


CACHE_FOLDER = _cache_folder()


def needs_compiling(module: str) -> bool:
    """Whether there is no machine code of a module of this package in the cache yet."""
    return not config.DISABLE_JIT and not (CACHE_FOLDER and any(CACHE_FOLDER.rglob(f"{module}.*.nbc")))


#: Kernels own no arrays, so that nothing counts references to them.
_OPTIONS: Final[dict[str, Any]] = {"nogil": True, "boundscheck": BOUNDSCHECK, "error_model": "numpy", "_nrt": False}


def kernel(function: F) -> F:
    """Compile a function that Python calls; its machine code is kept on disk with everything it calls."""
    before = config.CACHE_DIR
    if CACHE_FOLDER is not None:
        config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        return _compiled(function, cache=CACHE_FOLDER is not None, pipeline_class=KernelCompiler)
    finally:
        config.CACHE_DIR = before


def part(function: F) -> F:
    """Compile a function that only kernels call: leaving out what Python would need halves the time it takes."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=PartCompiler)


def inlined(function: F) -> F:
    """Do the same, and let it become part of its callers.

    For functions that take a whole batch, whose hundreds of fields would otherwise be handed over at each call.
    """
    return _compiled(
        function, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=PartCompiler, forceinline=True
    )


def _compiled(function: F, **options: Any) -> F:
    compiled: F = numba.njit(**_OPTIONS, **options)(function)
    if not config.DISABLE_JIT:
        _widen_arguments(compiled)
    return compiled


def _widen_arguments(dispatcher: Any) -> None:
    """Compile a function once for all signed whole numbers, not once for every width and constant it is given."""
    template = dispatcher.get_call_template

    def widened(arg: Any) -> Any:
        arg = types.unliteral(arg)
        return types.int64 if isinstance(arg, types.Integer) and getattr(arg, "signed", False) else arg

    def get_call_template(args: Any, keywords: Any) -> Any:
        return template(tuple(map(widened, args)), {name: widened(arg) for name, arg in keywords.items()})

    dispatcher.get_call_template = get_call_template
