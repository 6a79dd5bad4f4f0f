"""README and docs: their snippets run, their tables are those of the code, their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from headjudge import rulebook
from headjudge.effects import TEXT_FIELDS
from headjudge.kernels import vocabulary as v
from headjudge.kernels.catalogue import RowKind
from headjudge.kernels.vocabulary import RULE_WORDS
from headjudge.results import ACTIONS, RESULTS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "bench/README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"(<!-- rules: (\w+) -->\n).*?(<!-- end of rules -->)", re.DOTALL)
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
WITH_SNIPPETS = [page for page in PAGES if SNIPPET.search(page.read_text(encoding="utf-8"))]
LINK = re.compile(r"\]\(([^)#]+)?(?:#([^)]+))?\)")

pytestmark = pytest.mark.compiled


def with_rules(page: str) -> str:
    """The page with its tables of rules made anew."""
    return BLOCK.sub(lambda m: f"{m[1]}{rulebook.markdown_table(kind(m[2]))}\n{m[3]}", page)


def kind(word: str) -> RowKind:
    assert word in get_args(RowKind)
    return word  # type: ignore[return-value]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_rule_tables_are_those_of_the_catalogue(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == with_rules(text), f"run: python {Path(__file__).relative_to(ROOT)}"


def test_rules_page_has_every_kind_of_rule() -> None:
    page = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    assert [block[1] for block in BLOCK.findall(page)] == list(get_args(RowKind))


@pytest.mark.parametrize("page", WITH_SNIPPETS, ids=lambda page: page.name)
def test_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from headjudge.cli import main

    monkeypatch.chdir(tmp_path)
    if page.name == "README.md":
        assert main(["demo", "--states", "2000"]) == 0
    names: dict[str, object] = {}
    for snippet in SNIPPET.findall(page.read_text(encoding="utf-8")):
        exec(compile(snippet, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith("http"):
            continue
        file = page.parent / target if target else page
        assert file.is_file(), target
        headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
        assert not anchor or anchor in anchors, f"{target}#{anchor}"


def test_board_model_names_every_word() -> None:
    """Every field and word that a data set may hold stands in docs/board-model.md."""
    said = set(re.findall(r"\w+", (ROOT / "docs/board-model.md").read_text(encoding="utf-8")))
    vocabulary = (v.VARIANTS, v.STEPS, v.KINDS, v.ZONES, v.TYPES, v.SUPERTYPES, v.COLORS, v.SUBTYPES, v.KEYWORDS)
    vocabulary += (v.OBJECT_FLAGS, v.PLAYER_FLAGS, v.COUNTER_COLUMNS, v.SECTORS, v.CHOICES, TEXT_FIELDS, RULE_WORDS)
    vocabulary += (v.FILTER_CONDITIONS,)
    assert not {word for words in vocabulary for word in words} - said


def test_results_page_names_every_column_and_word() -> None:
    said = set(re.findall(r"\w+", (ROOT / "docs/results.md").read_text(encoding="utf-8")))
    words = {*RESULTS.names, *ACTIONS.names, *v.OUTCOMES, *v.STATUSES, *v.ROW_KINDS, *v.REPLACEMENTS}
    assert not words - said


if __name__ == "__main__":  # make the tables of rules anew
    for path in PAGES:
        path.write_text(with_rules(path.read_text(encoding="utf-8")), encoding="utf-8")
