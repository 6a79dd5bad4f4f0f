"""Forge's state texts (``.pzl``): files to a data set, and a data set to files.

`read_files` makes boards of files, `save` writes them as a data set that remembers the texts, `export` writes the
files again: what has not changed comes back to the byte.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from headjudge.boards import Boards
from headjudge.errors import DataError
from headjudge.io import forge_state, forge_text
from headjudge.io.board_records import boards_of, name_of, record_of
from headjudge.io.cards import CardBook
from headjudge.io.durable import check_outside, new_folder
from headjudge.io.forge_export import text_of
from headjudge.io.forge_import import board_of, names_of
from headjudge.io.forge_writing import Template
from headjudge.io.parquet import DataSet, write_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from headjudge.io.forge_import import Unknown
    from headjudge.io.forge_report import Finding
    from headjudge.io.forge_text import Document

SUFFIX: Final = ".pzl"
#: Where a data set keeps the texts that it came from; readers of data sets pass over names with an underscore.
TEXTS: Final = "_forge"
_INDEX: Final = "index.json"
_FORMAT: Final = 1


class File(NamedTuple):
    """What became of a file."""

    path: Path
    state_id: int
    objects: int
    findings: tuple[Finding, ...]
    #: Why there is no board of it; None = there is.
    error: str | None = None


@dataclass(frozen=True)
class Files:
    """Boards read from files: the `state_id` is the place of the file, from 0."""

    boards: Boards
    files: tuple[File, ...]
    #: Of the files that could be read, by `state_id`.
    documents: Mapping[int, Document]


def read_files(paths: Sequence[str | Path], cards: str | Path, unknown: Unknown = "refuse") -> Files:
    """Read state texts of Forge's, with card facts from a file.

    Parameters
    ----------
    paths : sequence of str or Path
        Files; of a folder, its ``*.pzl``.
    cards : str or Path
        A bulk file of Scryfall or AtomicCards of MTGJSON (`headjudge.io.cards`).
    unknown : {'refuse', 'blank'}
        Whether a card that the file of cards does not have makes its file unreadable, or an object with only a name.

    Raises
    ------
    DataError
        If the file of cards cannot be read, or there are no files. What is wrong with one of the files stands in
        `File.error`; the others are read.
    """
    listed = list(_expanded(paths))
    if not listed:
        raise DataError(f"expected files *{SUFFIX}, found none in {', '.join(map(str, paths)) or 'nothing'}")
    states: dict[int, forge_state.ForgeState] = {}
    errors: dict[int, str] = {}
    for i, path in enumerate(listed):
        try:
            states[i] = forge_state.parse(forge_text.read(path))
        except DataError as error:
            errors[i] = str(error)
    book = CardBook.read(cards, {name for state in states.values() for name in names_of(state)})
    boards: list[Boards] = []
    files: list[File] = []
    documents: dict[int, Document] = {}
    for i, path in enumerate(listed):
        findings: tuple[Finding, ...] = ()
        objects = 0
        if i in states:
            try:
                board = board_of(states[i], book, unknown)
            except DataError as error:
                errors[i] = str(error)
            else:
                boards.append(boards_of(board.record, i))
                documents[i] = states[i].document
                findings, objects = board.findings, len(board.record.objects)
        files.append(File(path, i, objects, findings, errors.get(i)))
    return Files(Boards.concat(boards), tuple(files), documents)


def _expanded(paths: Sequence[str | Path]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(path.glob(f"*{SUFFIX}"))
        else:
            yield path


def save(read: Files, target: str | Path) -> None:
    """Write the boards as a data set, and the texts beside them so that `export` can give them back.

    Raises `DataError` if `target` holds something.
    """
    from headjudge.io.arrow import schema_in_use

    with new_folder(Path(target)) as folder:
        write_part(folder, 0, read.boards, schema_in_use(read.boards))
        texts = folder / TEXTS
        texts.mkdir()
        index: dict[str, Any] = {}
        for board in read.boards:
            state_id = int(board.states.state_id[0])
            (texts / f"{state_id}{SUFFIX}").write_bytes(read.documents[state_id].data)
            index[str(state_id)] = {
                "file": read.files[state_id].path.name,
                "names": [name_of(board, code) for code in board.objects.name.tolist()],
            }
        content = json.dumps({"format": _FORMAT, "states": index}, ensure_ascii=False, indent=1)
        (texts / _INDEX).write_text(content + "\n", encoding="utf-8")


class _Texts:
    """The texts that a data set came from."""

    def __init__(self, data_set: Path) -> None:
        self._folder = data_set / TEXTS
        self._index: dict[str, Any] = {}
        index = self._folder / _INDEX
        if not index.is_file():
            return
        try:
            content = json.loads(index.read_text(encoding="utf-8"))
            if content["format"] != _FORMAT:
                raise DataError(f"{index}: expected format {_FORMAT}, found {content['format']}")
            self._index = {
                key: {"file": str(x["file"]), "names": list(x["names"])} for key, x in content["states"].items()
            }
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{index}: expected what headjudge import wrote, found something else ({error})") from None

    def __len__(self) -> int:
        return len(self._index)

    def file(self, state_id: int) -> str | None:
        """Return the name of the file that a state came from."""
        return self._index[str(state_id)]["file"] if str(state_id) in self._index else None

    def template(self, state_id: int) -> Template | None:
        """Return the text that a state came from."""
        if str(state_id) not in self._index:
            return None
        state = forge_state.parse(forge_text.read(self._folder / f"{state_id}{SUFFIX}"))
        names = self._index[str(state_id)]["names"]
        if len(names) != len(state.cards):
            raise DataError(
                f"{self._folder / _INDEX}: state {state_id}: expected {len(state.cards)} names, found {len(names)}"
            )
        return Template(state, names)


def export(
    source: str | Path,
    target: str | Path,
    *,
    state: int | None = None,
    like: str | Path | None = None,
    cards: str | Path | None = None,
) -> Iterator[File]:
    """Write the states of a data set as files, one by one.

    Parameters
    ----------
    source : str or Path
        The folder of a data set.
    target : str or Path
        The folder to write to; it may be there, but none of the files.
    state : int, optional
        Only the state of this `state_id`.
    like : str or Path, optional
        The data set that `import` wrote and that these states come from, if it is not `source`: its texts are used.
    cards : str or Path, optional
        Card facts, to tell cards that are not what their names say, and names that are no cards'.

    Raises
    ------
    DataError
        If the data set or the file of cards cannot be read, a file is there already, or `target` is inside a data set.
    """
    source, target = Path(source), Path(target)
    check_outside(target)
    texts = _Texts(source if like is None else Path(like))
    if like is not None and not len(texts):
        raise DataError(f"{like}: expected a data set that headjudge import wrote, found no {TEXTS}/{_INDEX} in it")
    data_set = DataSet.open(source)
    book = None if cards is None else CardBook.read(cards, _names(data_set, texts))
    taken: set[str] = set()
    found = False
    target.mkdir(parents=True, exist_ok=True)
    for number in range(len(data_set)):
        for board in data_set.read(number).boards:
            state_id = int(board.states.state_id[0])
            if state is not None and state_id != state:
                continue
            found = True
            for problem in board.problems:
                raise DataError(f"{source}: state {state_id} cannot be written: {problem.reason}")
            name = texts.file(state_id) or f"state-{state_id}{SUFFIX}"
            if name in taken:
                name = f"{Path(name).stem}-{state_id}{SUFFIX}"
            taken.add(name)
            object_ids = board.objects.object_id.tolist()
            exported = text_of(record_of(board), object_ids, f"State {state_id}", texts.template(state_id), book)
            path = target / name
            try:
                with path.open("xb") as file:
                    file.write(exported.document.data)
            except FileExistsError:
                raise DataError(f"{path}: expected no such file, found one") from None
            yield File(path, state_id, len(object_ids), exported.findings)
    if state is not None and not found:
        raise DataError(f"{source}: expected a state with state_id {state}, found none")


def _names(data_set: DataSet, texts: _Texts) -> set[str]:
    """Return the names of all objects and components of a data set, and of all cards in its texts."""
    names: set[str] = set()
    for number in range(len(data_set)):
        boards = data_set.read(number).boards
        names.update(boards.lexicon.names)
        for state_id in boards.states.state_id.tolist():
            template = texts.template(state_id)
            names.update(() if template is None else names_of(template.state))
    return names
