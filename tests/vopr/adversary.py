"""Somebody who has one table's account and says only what the schema allows."""

from collections.abc import Callable
from math import floor
from random import Random
from typing import TYPE_CHECKING, Any, Final

import msgspec

from pi_bunco.game import facts
from pi_bunco.log.entry import MAX_INT, ReplicaClaim
from pi_bunco.wire import messages, topics
from pi_bunco.wire.gate import encode

if TYPE_CHECKING:
    from vopr.hall import Hall

HOURS_11_MS: Final = 11 * 3_600_000
FIRST: Final = "first"
"""In the hall of a seed that says so it tells every head that reads its log that it is 11 hours later."""
FIRST_FOR_MS: Final = range(0, 600, 25)
TWO: Final = "two accounts"
"""In the hall of a seed that says so it has the account of the table before its own, too, and tells of clocks
that it has not compared."""


class Adversary:
    """Says one thing at a time in the name of its table."""

    def __init__(self, hall: "Hall", number: int, random: Random) -> None:
        self._hall, self._number, self._random = hall, number, random

    def says(self, index: int) -> bool:
        """One of its sentences; False while its table has no link."""
        table = self._hall.tables[self._number]
        if not table.link.session or not self._hall.head.running:
            return False
        lies = (*LIES, *OF_TWO) if TWO in str(self._hall.seed) else LIES
        self._tells(self._number, *lies[index % len(lies)](self))
        return True

    def _tells(self, number: int, leaf: str, message: Any) -> None:
        """Says this in the name of a table."""
        topic = topics.up("home", topics.table_node(number), leaf)
        payload = message if isinstance(message, bytes) else encode(message)
        self._hall.oracle.liars.add(number)
        self._hall.network.inject(self._hall.tables[number].link, topic, payload, retain=leaf == "status")

    def heard(self, table: int, head: messages.HeadStatus) -> None:
        """A table hears of a head: one that still reads its log has its clock from those who answer first."""
        reads = head.state == "online" and head.boot is None
        if table != self._number or not reads or FIRST not in str(self._hall.seed):
            return
        self._hall.oracle.liars.add(self._number)
        for ms in FIRST_FOR_MS:
            self._hall.clockwork.later(float(ms), self._says_later)

    def _says_later(self) -> None:
        table = self._hall.tables[self._number]
        if not (table.link.session and table.running and self._hall.head.running):
            return
        log, session = self._hall.head.referee.log, f"{table.link.name}-{table.link.session}"
        birth = messages.Status(
            "online", session, "1", table.machine.boot, log.evening.epoch, log.last_t + HOURS_11_MS,
            ((self._stream(), 1),), table.controller._log.claim(), clock=log.clock,
        )  # fmt: skip
        topic = topics.up("home", topics.table_node(self._number), "status")
        self._hall.network.inject(table.link, topic, encode(birth), retain=True)

    @property
    def _evening(self) -> str:
        return self._hall.head.referee.log.evening.id or "none"

    def _number_drawn(self) -> int:
        now = self._hall.head.referee.log.evening.epoch
        return self._random.choice((0, 1, now, now + 1, now + 2, 1000, 2**32, MAX_INT - 1, MAX_INT, MAX_INT))

    def _time(self) -> int | None:
        now = self._hall.head.referee.log.t(self._hall.head.machine.up())
        choices = (None, 0, max(now - 20_000, 0), now, now + 5000, now + HOURS_11_MS, 2**31)
        return self._random.choice(choices)

    def _clock(self) -> messages.ClockName | None:
        head = self._hall.head
        ours = head.machine.boot, floor(head.referee.log.began)
        return self._random.choice((None, ours, ours, ("z", self._number_drawn())))

    def _stream(self) -> str:
        own = self._hall.tables[self._number].outbox.stream
        return self._random.choice((own, "x", f"x{self._random.randrange(10**6)}"))

    def _birth(self) -> tuple[str, Any]:
        length = max(self._number_drawn(), 1)
        evening = self._random.choice((self._evening, "e9"))
        claim = ReplicaClaim(evening, max(self._number_drawn(), 1), 0, length, "0" * 32)
        session = (
            f"{self._hall.tables[self._number].link.name}-{self._hall.tables[self._number].link.session}"
        )
        streams = ((self._stream(), self._number_drawn()),)
        replica = self._random.choice((None, claim))
        boot = self._random.choice((self._hall.tables[self._number].machine.boot, "z"))
        return "status", messages.Status(
            "online", session, "1", boot, self._number_drawn(), self._time(), streams, replica, self._time(),
            self._hall.head.referee.log.clock,
        )  # fmt: skip

    def _will(self) -> tuple[str, Any]:
        return "status", messages.Status(self._random.choice(("lost", "stopped")), "x")

    def _fact(self) -> tuple[str, Any]:
        one, two, three = (self._random.randint(1, 6) for _ in range(3))
        fact = self._random.choice(
            (
                facts.Rolled((one, two, three), source="dice"),
                facts.Rolled(call="bunco", source="panel"),
                facts.UndoPressed(),
                facts.OkPressed(),
                facts.DiceFacedOff((one, two)),
                facts.SawBell(self._time() or 0),
            )
        )
        t = self._time()
        err = None if t is None else self._random.choice((None, 0.0, 1.0, float(MAX_INT)))
        mark = self._random.choice((None, (f"box{self._random.randint(1, 3)}", self._number_drawn())))
        return "fact", messages.Envelope(
            1, self._random.choice((self._evening, self._evening, "e9")), self._stream(),
            max(self._number_drawn(), 1), max(self._number_drawn(), 1), self._number_drawn(), t, err,
            self._number_drawn(), self._random.choice(("z", self._hall.tables[1].machine.boot)), fact,
            received=self._random.random() < 0.5, bell=self._time(), mark=mark, clock=self._clock(),
        )  # fmt: skip

    def _beat(self) -> tuple[str, Any]:
        return "beat", messages.Beat(self._number_drawn(), self._number_drawn(), float(MAX_INT), ("ok",))

    def _question(self) -> tuple[str, Any]:
        return "clock", messages.ClockRequest(float(self._number_drawn()))

    def _log_request(self) -> tuple[str, Any]:
        return "log_request", messages.LogRequest(self._evening, max(self._number_drawn(), 1))

    def _entries(self) -> tuple[str, Any]:
        n = max(self._number_drawn(), 1)
        line = messages.LogLine(n, msgspec.Raw(b'{"kind":"round_close","t":1}'), None, "0" * 32)
        return "log", messages.LogEntries(self._evening, (line,))

    def _same_bell(self) -> tuple[str, Any]:
        """Both of its tables heard the end of the round that runs, which began in this boot of the head."""
        log, boot = self._hall.head.referee.log, self._hall.head.machine.boot
        rings, partner = self._hall.oracle.rings, self._hall.tables[self._number - 1]
        began = bool(rings) and (rings[-1].epoch, rings[-1].boot) == (log.evening.epoch, boot)
        if not (began and rings[-1].signal.endswith("start") and partner.link.session):
            return self._question()
        heard = self._random.choice((log.last_t, log.last_t + 1, log.t(self._hall.head.machine.up())))
        for number in (self._number - 1, self._number):
            table = self._hall.tables[number]
            session, claim = f"{table.link.name}-{table.link.session}", table.controller._log.claim()
            birth = messages.Status(
                "online", session, "1", table.machine.boot, log.evening.epoch, None,
                table.outbox.streams(log.evening.id), claim, heard,
            )  # fmt: skip
            if number != self._number:
                self._tells(number, "status", birth)
        return "status", birth

    def _comparison(self) -> tuple[str, Any]:
        """The clocks of two heads of the evening are as far apart as it says, surely."""
        self._hall.oracle.clocks_are_lies = True
        boots = [one.boot or "z" for one in self._hall.head.referee.log.clocks][-4:]
        one, other = self._random.choice(boots), self._random.choice([*boots, "z"])
        ahead = self._random.choice((-60_000.0, 60_000.0, 0.0))
        return "clock", messages.ClockRequest(1.0, (messages.BootOffset(one, other, ahead, 0.0, 0.0),))

    def _deep(self) -> tuple[str, Any]:
        return "status", b'{"state":"online","x":' + b"[" * 300 + b"]" * 300 + b"}"


LIES: Final[tuple[Callable[[Adversary], tuple[str, Any]], ...]] = (
    Adversary._birth,
    Adversary._birth,
    Adversary._fact,
    Adversary._fact,
    Adversary._fact,
    Adversary._will,
    Adversary._beat,
    Adversary._question,
    Adversary._log_request,
    Adversary._entries,
    Adversary._deep,
)
OF_TWO: Final[tuple[Callable[[Adversary], tuple[str, Any]], ...]] = (
    Adversary._same_bell,
    Adversary._same_bell,
    Adversary._comparison,
    Adversary._comparison,
)
