"""YAML in and out: only what scenarios need of it, and nothing that could hurt."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from headjudge.errors import DataError

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
#: Deeper than any scenario; the parser recurses.
_DEEPEST: Final = 40
#: Values that aliases may add to a file; nested aliases grow without end otherwise.
_MOST_ALIASED: Final = 1_000_000
_ENDLESS: Final = 2**31 - 1


class _Loader(_LOADER):  # type: ignore[misc]
    """The safe loader, which refuses to let the last of several equal keys win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if (key.tag, str(key.value)) in seen:
                raise DataError(f"line {key.start_mark.line + 1}: {key.value!r} stands twice in one mapping")
            seen.add((key.tag, str(key.value)))
        result: dict[Any, Any] = super().construct_mapping(node, deep)
        return result


_Loader.add_constructor("tag:yaml.org,2002:map", lambda loader, node: loader.construct_mapping(node, deep=True))


def _checked(kind: str, construct: Any) -> Any:
    """Return what reads a value as PyYAML does, but refuses what is none, or what YAML 1.1 takes for another number."""

    def read(loader: Any, node: Any) -> Any:
        text = node.value if isinstance(node, yaml.ScalarNode) else ""
        try:
            if kind in ("int", "float") and _OTHER_NUMBER.match(text):
                raise ValueError
            return construct(loader, node)
        except (ValueError, LookupError, AttributeError, OverflowError):
            raise DataError(f"{_line_of(node)}: expected {kind} as YAML has it, found {text:.80}") from None

    return read


#: 010 is eight and 1:30 ninety to YAML 1.1.
_OTHER_NUMBER: Final = re.compile(r"[+-]?(0[0-9_]|.*:)")
for _kind in ("int", "float", "bool", "timestamp", "binary"):
    _tag = f"tag:yaml.org,2002:{_kind}"
    _Loader.add_constructor(_tag, _checked(_kind, _LOADER.yaml_constructors[_tag]))


def load(text: str, origin: str) -> Any:
    """Return the one document of a YAML text; `DataError` naming `origin` and, where known, the line."""
    try:
        _check_size(text)
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise DataError(f"{origin}: {where}not YAML: {error.problem or error.context}") from None
    except DataError as error:
        raise DataError(f"{origin}: {error}") from None
    except yaml.YAMLError as error:
        raise DataError(f"{origin}: not YAML: {' '.join(str(error).split())}") from None


def _check_size(text: str) -> None:
    """Refuse depth and aliases that would exhaust the stack or memory, before anything is built."""
    open_nodes: list[tuple[str | None, int]] = []  # anchor, size so far
    sizes: dict[str, int] = {}
    aliased = 0
    for event in yaml.parse(text, Loader=_LOADER):
        size = 1
        anchor = getattr(event, "anchor", None)
        if isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((anchor, 1))
            if len(open_nodes) > _DEEPEST:
                raise DataError(f"{_line_of(event)}: nested more than {_DEEPEST} deep")
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, size = open_nodes.pop()
        elif isinstance(event, yaml.AliasEvent):
            if anchor not in sizes:
                raise DataError(f"{_line_of(event)}: *{anchor} stands for nothing that is complete")
            size = sizes[anchor]
            aliased += size
            if aliased > _MOST_ALIASED:
                raise DataError(f"{_line_of(event)}: aliases stand for more than {_MOST_ALIASED:,} values")
            anchor = None
        elif not isinstance(event, yaml.ScalarEvent):
            continue
        if anchor:
            sizes[anchor] = size
        if open_nodes:
            outer, so_far = open_nodes[-1]
            open_nodes[-1] = (outer, so_far + size)


def _line_of(event: Any) -> str:
    return f"line {event.start_mark.line + 1}"


class _Dumper(_DUMPER):  # type: ignore[misc]
    """The safe dumper, which keeps text of several lines on one."""


def _represent_text(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)


def flow(value: Any) -> str:
    """Return a value on one line, as it may stand within brackets."""
    return _dumped([value], flow_style=True)[1:-1]


def line(key: str, value: Any) -> str:
    """Return an entry of a block mapping on one line."""
    if isinstance(value, str):  # fewer quotes are needed outside brackets
        return _dumped({key: value}, flow_style=False)
    return f"{key}: {flow(value)}"


def _dumped(value: Any, *, flow_style: bool) -> str:
    text: str = yaml.dump(
        value, Dumper=_Dumper, default_flow_style=flow_style, width=_ENDLESS, allow_unicode=True, sort_keys=False
    )
    return text.strip()
