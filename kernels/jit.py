"""The one decorator of compiled functions.

numba keys its disk cache by the file of the decorated function alone, so an edited callee or constant in another file would
leave old machine code in use: for a verifier, a wrong result. Here the cache lives in a folder named by the hash of every file of this
package and by numba's version.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config

F = TypeVar("F", bound=Callable[..., Any])

#: Set to 1 to compile with bounds checking (slower; for tests).
BOUNDSCHECK = os.environ.get("HEADJUDGE_BOUNDSCHECK", "0") == "1"


def _source_hash() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {BOUNDSCHECK}".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
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


def is_compiled_before() -> bool:
    """Whether machine code of this version lies in the cache."""
    return CACHE_FOLDER is not None and any(CACHE_FOLDER.rglob("*.nbc"))


def kernel(function: F) -> F:
    """Compile without the GIL, cached on disk under the hash of this package."""
    before = config.CACHE_DIR
    if CACHE_FOLDER is not None:
        config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        compiled: F = numba.njit(
            nogil=True, cache=CACHE_FOLDER is not None, boundscheck=BOUNDSCHECK, error_model="numpy"
        )(function)
    finally:
        config.CACHE_DIR = before
    return compiled
