"""The loop of a program that talks to an engine: boards as JSON lines in, answers as JSON lines out."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MOST_KEPT: Final = 200


def serve(answer: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
    """Answer each board as it comes. What goes wrong inside the engine is an answer, too."""
    # Whatever a library prints must not stand between the answers, nor fill a file.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    for text in sys.stdin:
        line = json.loads(text)
        try:
            answered = answer(line)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of native code is no Exception
            answered = {"error": f"{type(error).__name__}: {str(error)[:_MOST_KEPT]}"}
        out.write(json.dumps({"state_id": line["state_id"], **answered}) + "\n")
        out.flush()
