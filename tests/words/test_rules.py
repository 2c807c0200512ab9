"""A rule set in words: what rings the bell."""

from typing import Any

import pytest

from pi_bunco.rules import override, preset
from pi_bunco.words.rules_in_words import described


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "21 points of a team or a Bunco at the head table"),
        ({"end.bunco": False}, "21 points of a team at the head table"),
        ({"end.points": None, "end.tables": "any"}, "a Bunco at any table"),
        ({"end.minutes": 5}, "21 points of a team or a Bunco at the head table or the clock after 5 minutes"),
        ({"end.points": None, "end.bunco": False}, "the host"),
    ],
)
def test_what_rings_the_bell(changed: dict[str, Any], said: str) -> None:
    rules = override(preset("bonko"), changed)
    assert f" The bell is rung by {said}. " in described(rules)
