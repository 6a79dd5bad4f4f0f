"""Files and folders that appear whole or not at all: written aside, synced, renamed."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headjudge.errors import DataError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def draft_of(path: Path) -> Path:
    """Return the name under which a file is written aside."""
    return path.with_name(f".{path.name}.tmp")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says about a file or folder while it is written into an `OutputError` that names it."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OutputError(f"{path}: cannot be written ({reason})") from None


def publish(paths: Iterable[Path]) -> None:
    """Give drafts their names, when all of them are on the disk."""
    paths = list(paths)
    for path in paths:
        with writing(path):
            sync(draft_of(path))
    for path in paths:
        with writing(path):
            draft_of(path).replace(path)
    for folder in dict.fromkeys(path.parent for path in paths):
        sync(folder)


def write_text(path: Path, text: str) -> None:
    """Write a file of text aside and publish it."""
    with writing(path):
        draft_of(path).write_text(text, encoding="utf-8")
    publish([path])


def sync(path: Path) -> None:
    """Wait until a file, or the list of names in a folder, is on the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows opens no folders
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def rename_folder(draft: Path, path: Path) -> None:
    """Give a folder its name, which nothing or an empty folder has so far."""
    with writing(path):
        for folder in (draft, *sorted(entry for entry in draft.rglob("*") if entry.is_dir())):
            sync(folder)
        if path.exists():
            path.rmdir()
        draft.rename(path)
        sync(path.parent)


def check_free(path: Path) -> None:
    """Raise `DataError` if there is something at `path` already, or if it is inside a data set."""
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise DataError(f"{path}: expected nothing or an empty folder, found {'files' if path.is_dir() else 'a file'}")
    check_outside(path)


def check_outside(path: Path) -> None:
    """Raise `DataError` if `path` is a data set or inside one, which could not be read any more."""
    place = path.resolve()
    for folder in (place, *place.parents):
        if any((folder / "states").glob("*.parquet")):
            raise DataError(f"{path}: expected a folder outside of data sets, found one in the data set {folder}")


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Give a folder to write to that becomes `path` when all is written, and vanishes if something goes wrong."""
    check_free(path)
    path = path.absolute()
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with writing(path):
            draft.mkdir(parents=True)
        yield draft
        rename_folder(draft, path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
