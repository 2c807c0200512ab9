"""What one table that lies, be it stolen or mad, can do to a head that asks the tables for the evening."""

from collections.abc import Sequence
from functools import partial

from msgspec import structs

from pi_bunco.head.rebuild import LIMIT
from pi_bunco.journal.copies import checksum
from pi_bunco.journal.journal import Entry
from pi_bunco.logcopy import copy_of
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Received
from pi_bunco.wire.gate import decode
from pi_bunco.wire.messages import BATCH, HeardBell, Held, HeldEvening
from pi_bunco.wire.publish import Publish
from services.hall import Hall, Node
from services.lost import BUNCO, entries, in_a_round, rebuild, throw

__all__ = ["in_a_round"]
FOREVER = 2**53 - 1
Logs = Sequence[list[Entry]]


class Liar(Node):
    """In the place of a table: says to hold these logs, the latest last, and sends them when it is asked."""

    def __init__(
        self, hall: Hall, number: int, logs: Sequence[list[Entry]], bell: HeardBell | None = None
    ) -> None:
        super().__init__(hall, f"table{number}", topics.inbox("home", f"table{number}"))
        self._logs = {log[0].evening: log for log in logs}
        self._bell = bell
        hall.network.join(self)
        self.beat()

    def beat(self) -> None:
        self.say("beat", messages.Beat(0))
        self.hall.later(1000, self.beat)

    def say(self, leaf: str, message: messages.Payload) -> None:
        self.hall.network.publish(Publish(topics.up("home", self.name, leaf), message))

    def receive(self, message: object) -> None:
        if not isinstance(message, Received):
            return
        match decode(message.topic, message.payload, message.retained):
            case messages.Need(evening=None):
                self.say("held", Held(tuple(map(summary, self._logs.values())), self._bell))
            case messages.Need(evening=str() as evening, start=start):
                for entry in self._logs[evening][start - 1 :][:BATCH]:
                    self.say("log", copy_of(entry))


def summary(log: Sequence[Entry]) -> HeldEvening:
    total = 0
    for entry in log:
        total = checksum(entry, total)
    return HeldEvening(log[0].evening, len(log), total)


def of_evening(log: Sequence[Entry], evening: str) -> list[Entry]:
    """The same facts as those of another evening."""
    opened = log[0].fact
    first = Entry(1, evening, structs.replace(opened, id=evening))
    return [first, *(Entry(one.n, evening, one.fact, one.origin) for one in log[1:])]


def replaced(hall: Hall, number: int, logs: Logs, bell: HeardBell | None = None) -> Liar:
    hall.kill(hall.tables[number])
    return Liar(hall, number, logs, bell)


def test_an_evening_that_one_table_makes_up_is_not_taken(hall: Hall) -> None:
    before = entries(hall.lose_head())
    forged = of_evening(before, "forged")
    replaced(hall, 3, [before, forged])
    assert rebuild(hall) == before
    assert "Table 3 alone holds evening forged; it is left out." in hall.warnings


def test_a_table_that_keeps_no_copy_has_none_to_offer(hall: Hall) -> None:
    before = entries(hall.lose_head())
    for number in (6, 7):
        Liar(hall, number, [before, of_evening(before, "forged")])
    assert rebuild(hall) == before


def test_what_only_one_table_holds_of_the_evening_is_told(hall: Hall) -> None:
    before = entries(hall.lose_head())
    more = [Entry(len(before) + n, before[0].evening, before[-1].fact) for n in (1, 2)]
    replaced(hall, 3, [[*before, *more]])
    assert rebuild(hall) == [*before, *more]
    assert "The last 2 of them are in no other table's copy." in hall.warnings


def test_one_table_cannot_mute_the_bell(hall: Hall) -> None:
    before = entries(hall.lose_head())
    replaced(hall, 3, [before], HeardBell(before[0].evening, 1, FOREVER))
    rebuild(hall)
    hall.wait(1000)
    throw(hall.tables[1], BUNCO)
    hall.wait(1000)
    assert [id.rpartition(":")[2] for id in hall.rings] == ["start", "end"]


def test_a_bell_of_another_round_mutes_none(hall: Hall) -> None:
    before = entries(hall.lose_head())
    for number in (2, 3):
        replaced(hall, number, [before], HeardBell(before[0].evening, 2, FOREVER))
    rebuild(hall)
    hall.wait(1000)
    throw(hall.tables[1], BUNCO)
    hall.wait(1000)
    assert [id.rpartition(":")[2] for id in hall.rings] == ["start", "end"]


def test_a_table_that_never_comes_to_an_end_is_given_up(hall: Hall) -> None:
    """It says every second that it holds yet another thing, of which nothing comes."""
    before = entries(hall.lose_head())
    hall.kill(hall.tables[3])
    began = hall.clock.time

    def lie(n: int = 1) -> None:
        said = HeldEvening(before[0].evening, 10_000 + n, n)
        hall.network.publish(Publish(topics.up("home", "table3", "held"), Held((said,))))
        hall.later(1000, partial(lie, n + 1))

    lie()
    hall.start_head(rebuild=True)
    hall.until(lambda: hall.head.rebuild is None, 2 * LIMIT)
    assert hall.clock.time - began < LIMIT + 1000
    assert hall.head.referee.ledger.log == before


def test_a_copy_without_an_end_is_given_up(hall: Hall) -> None:
    before = entries(hall.lose_head())
    evening, n = before[0].evening, len(before)
    hall.kill(hall.tables[3])

    def drip(n: int) -> None:
        fact = {"kind": "resume", "t": n}
        one = messages.LogCopy(evening, n, fact) if n > len(before) else copy_of(before[n - 1])
        hall.network.publish(Publish(topics.up("home", "table3", "log"), one))
        hall.later(4000, partial(drip, n + 1))

    hall.start_head(rebuild=True)
    hall.network.publish(
        Publish(topics.up("home", "table3", "held"), Held((HeldEvening(evening, FOREVER, 1),)))
    )
    hall.later(3500, partial(drip, 1))
    hall.until(lambda: hall.head.rebuild is None, 2 * LIMIT)
    assert hall.head.referee.ledger.log[:n] == before
