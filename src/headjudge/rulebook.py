"""The rule catalogue as text, JSON and Markdown."""

from __future__ import annotations

import json
from typing import Final

from headjudge.kernels.catalogue import EDITIONS, RULES, RULES_VERSION, RowKind, Rule

TITLES: Final[dict[RowKind, str]] = {
    "sba": "State-based actions",
    "consequence": "Consequences",
    "procedure": "Rows of a procedure",
}


def number(rule: Rule, edition: str = RULES_VERSION) -> str:
    """Return a rule's number in an edition; "-" where that edition has no such rule."""
    return rule.numbers[EDITIONS.index(edition)] or "-"


def as_text(edition: str = RULES_VERSION) -> str:
    """Return the catalogue as aligned lines."""
    width = max(len(rule.name) for rule in RULES)
    lines = [f"Comprehensive Rules of {edition}"]
    for kind, title in TITLES.items():
        lines += ["", f"{title} (kind: {kind})"]
        lines += [
            f"  {rule.name:{width}}  {number(rule, edition):9}  {rule.text}" for rule in RULES if rule.kind == kind
        ]
    return "\n".join(lines)


def as_json() -> str:
    """Return the catalogue as one JSON array, with the numbers of every edition."""
    return json.dumps(
        [
            {
                "rule": rule.name,
                "kind": rule.kind,
                "subject": rule.subject,
                "looks_at": rule.looks_at.split(", "),
                "numbers": dict(zip(EDITIONS, rule.numbers, strict=True)),
                "text": rule.text,
            }
            for rule in RULES
        ],
        indent=1,
    )


def as_markdown() -> str:
    """Return the catalogue as one Markdown table for each kind of row."""
    return "\n\n".join(f"### {title} (`{kind}`)\n\n{markdown_table(kind)}" for kind, title in TITLES.items())


def markdown_table(kind: RowKind) -> str:
    """Return the rules of one kind as a Markdown table; where the letter moved, with the older one in brackets."""
    lines = ["| rule | CR | looks at | in words |", "| --- | --- | --- | --- |"]
    for rule in RULES:
        if rule.kind == kind:
            fields = ", ".join(f"`{name}`" for name in rule.looks_at.split(", "))
            lines.append(f"| `{rule.name}` | {_numbers(rule)} | {fields} | {rule.text} |")
    return "\n".join(lines)


def _numbers(rule: Rule) -> str:
    older = [
        f"{old or 'absent'} before {EDITIONS[i + 1]}"
        for i, (old, new) in enumerate(zip(rule.numbers, rule.numbers[1:], strict=False))
        if old != new
    ]
    return number(rule) + (f" ({'; '.join(older)})" if older else "")
