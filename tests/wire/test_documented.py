"""The tables of the protocol's description are those of the types."""

import re
from pathlib import Path

import pytest

from wire.documented import README, written


def test_the_tables_are_made_from_the_types() -> None:
    text = README.read_text("utf-8")
    assert text == written(text), "write them anew: python -m tests.wire.documented"


@pytest.mark.parametrize("module", sorted(set(re.findall(r"`(\w+\.py)`", README.read_text("utf-8")))))
def test_the_modules_that_it_names_are_there(module: str) -> None:
    assert (README.parent / module).exists()


def test_no_line_of_prose_is_too_long() -> None:
    lines = Path(README).read_text("utf-8").splitlines()
    assert [line for line in lines if len(line) > 130 and not line.startswith("|")] == []
