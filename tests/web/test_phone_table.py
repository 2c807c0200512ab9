"""The table service of a phone: what becomes of a tap."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clocks import FakeClock
from pi_bunco.reason import Reason
from pi_bunco.table.service import TableSettings
from pi_bunco.web.site.phones import PhoneState, PhoneTable, Tap
from pi_bunco.web.site.reasons import TapOfAnotherRound
from pi_bunco.wire.address import BrokerAddress
from table.bench import Bench


class PhoneBench(Bench):
    """A phone at table 2 and a head that says what the test makes it say; `answers` are those to its taps."""

    def __init__(self, folder: Path) -> None:
        self.shown = PhoneState()
        self.answers: list[Reason | None] = []
        super().__init__(folder / "bench")
        settings = TableSettings(BrokerAddress.parse("127.0.0.1:1"), folder, 2, dice=False)
        self.phone = PhoneTable(settings, FakeClock(self.now), self._show)

    def _show(self, state: PhoneState) -> None:
        self.shown = state

    def step(self, message: object) -> list[Any]:
        effects = list(self.phone.step(message, self.now)) if hasattr(self, "phone") else []
        for effect in effects:
            self.phone.perform(effect)
        return effects

    def tap(self, what: Any, seq: int, round: str = "", boot: str = "a7c1") -> Reason | None:
        """The answer, None for one that is on its way to disk."""
        self.answers.clear()
        self.step(Tap(boot, seq, what, (), self.answers.append, round))
        return self.answers[0] if self.answers else None

    @property
    def rolls(self) -> int:
        """So many throws are to go to the head."""
        return len(self.phone._outbox)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[PhoneBench]:
    (tmp_path / "bench").mkdir()
    made = PhoneBench(tmp_path)
    yield made
    made.phone.close()


def test_a_tap_that_was_kept_on_a_phone_is_none_of_the_next_round(bench: PhoneBench) -> None:
    bench.open()
    assert bench.shown.round == "e1.1"
    assert bench.tap("one", 1, "e1.1") is None
    bench.close()
    bench.open()
    assert bench.tap("two", 2, "e1.1") == TapOfAnotherRound()
    assert bench.tap("two", 3, "e0.2") == TapOfAnotherRound()
    assert bench.rolls == 1
    assert bench.tap("two", 4, "e1.2") is None
    assert bench.tap("help", 5, "e1.1") is None
    assert bench.rolls == 2
