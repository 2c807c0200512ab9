"""The documents name code that is there."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(ROOT / line for line in subprocess.run(
    ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.split())  # fmt: skip
ENDINGS = (".py", ".toml", ".md", ".service", ".conf", ".webp", ".svg", ".png", ".csv", ".scad")


def linked(document: Path) -> list[str]:
    """The files that a document links to."""
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text("utf-8"))
    return [link for link in links if "://" not in link and not link.startswith("mailto:")]


def named(document: Path) -> list[str]:
    """The files that a document names in backticks with their folder."""
    return [
        word
        for word in re.findall(r"`([\w./-]+/[\w.-]*)`", document.read_text("utf-8"))
        if word.endswith((*ENDINGS, "/")) and not word.startswith(("/", ".venv/", "~"))
    ]


def test_there_are_documents() -> None:
    assert {"README.md", "pi_bunco/README.md", "tests/README.md"} <= {
        str(document.relative_to(ROOT)) for document in DOCUMENTS
    }


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_that_is_linked_or_named_is_there(document: Path) -> None:
    for name in linked(document):
        assert (document.parent / name).exists(), f"{document} links to {name}"
    if document.name == "CHANGELOG.md":
        return
    for name in named(document):
        places = [document.parent / name, ROOT / name, ROOT / "pi_bunco" / name]
        assert any(place.exists() for place in places) or list(ROOT.glob(f"*/**/{name}")), (
            f"{document} names {name}"
        )
