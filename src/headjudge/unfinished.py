"""Output in the making: a folder beside its target, with a manifest of the parts that are done.

Work that was stopped, by whatever, is resumed from there. The manifest is a file of JSON lines: the first says what the
work is, each other one that a part is done, its files, and what was counted.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from headjudge.errors import DataError, HeadjudgeError, OutputError
from headjudge.io.durable import check_free, publish, rename_folder, write_text, writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

#: Readers of data sets pass over names that begin with an underscore.
MANIFEST: Final = "_headjudge.jsonl"
SUFFIX: Final = ".partial"


@dataclass
class Unfinished:
    """A folder to write parts to."""

    folder: Path
    #: What the work is; outputs of works that are described alike are the same.
    job: Mapping[str, Any]
    #: How many parts there will be.
    parts: int
    #: Of the parts that are done: the sizes of their `files`, and what was `counted` in them.
    done: dict[int, dict[str, Any]]

    def finish(self, number: int, drafts: Sequence[Path], counted: dict[str, Any]) -> None:
        """Give the files of a part their names and note that it is done."""
        publish(drafts)
        sizes = {path.relative_to(self.folder).as_posix(): path.stat().st_size for path in drafts}
        entry = {"files": sizes, "counted": counted}
        manifest = self.folder / MANIFEST
        with writing(manifest), manifest.open("a", encoding="utf-8") as file:
            file.write(_line({"part": number, **entry}))
            file.flush()
            os.fsync(file.fileno())
        self.done[number] = entry


def partial(target: Path) -> Path:
    """Return where the output stands until it is complete."""
    target = target.absolute()
    return target.with_name(target.name + SUFFIX)


@contextmanager
def unfinished(target: Path, job: Mapping[str, Any], parts: int, *, resume: bool) -> Iterator[Unfinished]:
    """Give a folder to write to that becomes `target` when all parts are done.

    If something goes wrong, what is done is kept to be resumed, and nothing is kept where nothing is done.

    Parameters
    ----------
    target
        Nothing or an empty folder; with `resume` also what an earlier run of the same work has left.
    job
        What the work is, as JSON has it.
    parts
        How many parts there are.
    resume
        Go on with what an earlier run has left.

    Raises
    ------
    DataError
        If there is something else at `target`, an earlier run that is not to be resumed, or that did something else.
    OutputError
        If the folder cannot be written, or another run writes to it.
    """
    folder = partial(target)
    if resume and (target / MANIFEST).is_file() and not folder.exists():
        complete = _open(target, job, parts)
        if len(complete.done) < parts:
            raise DataError(
                f"{target}: expected output of {parts} parts, found {len(complete.done)}; files are missing"
            )
        yield complete
        return
    check_free(target)
    if folder.exists() and not resume:
        with _locked(folder):
            raise DataError(
                f"{folder}: an earlier run was stopped there; go on with --resume, or delete the folder to start anew"
            )
    made = [parent for parent in folder.parents if not parent.exists()]
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=resume)
    with _locked(folder):
        found = (folder / MANIFEST).exists()
        output = _open(folder, job, parts) if found else Unfinished(folder, job, parts, {})
        try:
            write_text(folder / MANIFEST, _text(output))
            yield output
            _complete(output, target)
        except BaseException as error:
            if output.done:
                error.add_note(f"{len(output.done)} of {parts} parts are kept in {folder}, --resume goes on with them")
            else:
                shutil.rmtree(folder, ignore_errors=True)
                with suppress(OSError):  # another run has come to need them
                    for parent in made:
                        parent.rmdir()
            raise


def _complete(output: Unfinished, target: Path) -> None:
    for draft in output.folder.rglob(".*.tmp"):  # of runs that were stopped
        draft.unlink()
    rename_folder(output.folder, target.absolute())


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep others from the folder until we are done, or end in any way: the lock is the system's."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if folder.exists() and os.path.samestat(os.fstat(handle), folder.stat()):
                yield
                return
        raise OutputError(f"{folder}: another run is writing there")
    finally:
        os.close(handle)


def _line(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True) + "\n"


def _text(output: Unfinished) -> str:
    """Return the manifest of what is done, in the order of parts."""
    return _line({"job": output.job, "parts": output.parts}) + "".join(
        _line({"part": number, **output.done[number]}) for number in sorted(output.done)
    )


def _open(folder: Path, job: Mapping[str, Any], parts: int) -> Unfinished:
    """Return what an earlier run of this job has left, without parts whose files are not as it left them."""
    path = folder / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
        # A last line without an end was being written when the run was stopped.
        first, *others = map(json.loads, text.rpartition("\n")[0].split("\n"))
        _check_same({"parts": parts, **job}, {"parts": first["parts"], **first["job"]}, folder)
        done = {line.pop("part"): line for line in others}
        whole = {number: line for number, line in done.items() if _is_there(folder, line["files"])}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        if isinstance(error, HeadjudgeError):
            raise
        raise DataError(f"{path}: expected the manifest of an earlier run, found something else ({error})") from None
    return Unfinished(folder, job, parts, whole)


def _is_there(folder: Path, sizes: Mapping[str, int]) -> bool:
    files = {folder / name: size for name, size in sizes.items()}
    return all(file.is_file() and file.stat().st_size == size for file, size in files.items())


def _check_same(expected: Mapping[str, Any], found: Mapping[str, Any], folder: Path, where: str = "") -> None:
    """Raise `DataError` at the first thing in which two jobs differ."""
    for name in sorted(expected.keys() | found.keys()):
        ours, theirs = expected.get(name), found.get(name)
        if isinstance(ours, dict) and isinstance(theirs, dict):
            _check_same(ours, theirs, folder, f"{where}{name} ")
        elif ours != theirs:
            raise DataError(
                f"{folder}: expected what an earlier run of the same work left, found that of another one: "
                f"{where}{name} was {theirs}, is {ours}; delete the folder to start anew"
            )
