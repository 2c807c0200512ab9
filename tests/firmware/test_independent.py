"""Two readers, one written from the protocol alone, agree on what the real firmware tells over bad wires.

The whole count: `python -m tests.firmware.comparison 400` and `python -m tests.firmware.comparison_serial
150`.
"""

import pytest

from firmware.comparison import WAYS, Tally, wires
from firmware.comparison_serial import DAMAGES, EVENTS, played

pytestmark = pytest.mark.process
LINES = [(damage, event) for damage in DAMAGES for event in EVENTS]


def test_no_fault_of_the_seven_wires_makes_a_wrong_roll() -> None:
    whole, goods = Tally(), 0
    for what, tally in wires(throws=5):
        assert (tally.wrong, tally.second_wrong, tally.late_named) == (0, 0, 0), what
        assert tally.accepted == tally.throws or "good" not in what
        goods += tally.accepted
        whole += tally
    assert whole.only_first <= whole.accepted / 20, "the package is not the more credulous one"
    assert goods > 5 * len(WAYS)


@pytest.mark.parametrize(("damage", "event"), LINES, ids=map("-".join, LINES))
def test_a_bad_serial_line_costs_no_throw_and_changes_none(damage: str, event: str) -> None:
    count = played(DAMAGES[damage], event, "package", throws=5, seed=3)
    assert (count.wrong, count.doubled, count.differences) == (0, 0, [])
    assert count.missing <= (5 if "long" in event else 0), "the box keeps its last five throws"
    assert count.accepted == count.throws - count.cut - count.missing
