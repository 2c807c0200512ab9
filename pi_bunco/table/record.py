"""The facts of a table: to which round and behind which bell they belong, however late they are told.

Each is put into its outbox, applied to its prediction, and saved or not yet.
"""

from collections.abc import Callable, Iterator
from math import inf
from typing import Any

from msgspec.structs import replace

from pi_bunco.devices.protocols import Throw, ThrowMark
from pi_bunco.game import facts
from pi_bunco.game.fields import LATEST_MS
from pi_bunco.reason import Reason
from pi_bunco.runtime.writer import Record
from pi_bunco.table.effects import ForgetThrow, ReportUntil, TableEffect, TableOptions
from pi_bunco.table.prediction import Prediction
from pi_bunco.table.reasons import DoesNotCount, NoEveningHere, RollBeforeRound
from pi_bunco.table.uplink import Uplink
from pi_bunco.wire import messages
from pi_bunco.wire.outbox import Outbox, Saved

LAST_SECONDS_MS = 10_000
DICE_REPORT_WITHIN_MS = 3000.0
"""Milliseconds that dice which cannot be reached are waited for."""

RungBell = list[str | int]
"""The bell of a round: evening, epoch, and the `t` from which on it could be heard."""
DECIDE_WITHIN_MS = 3000.0
"""Milliseconds that a throw may wait; none overtakes another."""


class Rounds:
    """The rounds of one evening and when they were opened; times are ms of the clock but for `opened_t`.

    A dice box keeps a throw while its table is off, and a table may hang: then what is reported happened
    before the round that is known by then, and belongs to an earlier one.
    """

    def __init__(self, started: float) -> None:
        self.evening = ""
        self.epoch = 0
        self.since = started
        """From then on things happened in the round `epoch`, or after it."""
        self.over_since = started
        """From then on nothing was open here, where nothing is now."""
        self._ends_t: int | None = None
        """The time at which the clock ends the round (ms of the evening clock); None where it does not."""
        self.head_told = False
        """A head has told of the round since the start: the card may have lost the news of one."""
        self.before = 0
        """The round for what happened before the known one was, where nothing tells more: the one before, or
        the known one where none of the evening was known."""
        self._from_disk = True
        self._opened: dict[int, int] = {}
        self._next: tuple[str, int, int] | None = None

    def take_up(self, evening: str, epoch: int, kept: Any) -> None:
        """Goes on with the round that an earlier start of the service stored, and `plain` of it."""
        self.evening, self.epoch, self.before = evening, epoch, epoch
        match kept:
            case {"evening": str(of), "opened": dict(opened)} if of == evening:
                self._opened = {
                    int(number): t for number, t in opened.items() if number.isdigit() and isinstance(t, int)
                }

    @property
    def plain(self) -> dict[str, Any]:
        """The plain values to store."""
        return {"evening": self.evening, "opened": {str(epoch): t for epoch, t in self._opened.items()}}

    def take(self, info: messages.RoundInfo) -> bool:
        """The head tells when the round was opened and when the clock ends it; whether the former is news."""
        self._ends_t = info.ends_t
        epoch, opened_t = info.epoch, info.opened_t
        if opened_t is None or self._opened.get(epoch) == opened_t:
            return False
        if info.evening != self.evening:
            self._next = (info.evening, epoch, opened_t)  # its view is still to come
            return False
        self._opened = {known: t for known, t in self._opened.items() if known <= epoch}
        self._opened[epoch] = opened_t
        return True

    def see(self, evening: str, epoch: int, now: float) -> bool:
        """A view of the round came; whether it is another round than before."""
        self.head_told = True
        if evening != self.evening:
            self.evening, self._opened, self.before = evening, {}, epoch
            if self._next is not None and self._next[0] == evening:
                self._opened[self._next[1]] = self._next[2]
        elif epoch == self.epoch:
            return False
        else:
            self.before = max(epoch - 1, 0)
        self.epoch, self.since, self.over_since, self._from_disk = epoch, now, now, False
        return True

    def over(self, now: float) -> None:
        """Nothing is open any more from `now` on."""
        self.over_since = now

    def ending(self, clock: Callable[[float], tuple[int, float] | None], now: float) -> bool:
        """True in the last seconds of a round that the clock ends, once the evening `clock` is measured."""
        if self._ends_t is None:
            return False
        measured = clock(now)
        return measured is not None and self._ends_t - measured[0] <= LAST_SECONDS_MS

    def of(self, at: float, clock: tuple[int, float] | None) -> int | None:
        """The round in which happened what happened `at`, given the evening `clock` then, if it is measured.

        None where only a measured clock can tell, or a surer one.
        """
        measured = clock is not None and bool(self._opened)
        if at >= self.since or (self._from_disk and not measured):
            return self.epoch
        if clock is None or (self.epoch not in self._opened and not self._from_disk):
            return None
        t, err = clock
        if t == 0:  # nobody throws when the evening is opened: it was before that
            return 0
        latest = self._begun(t)
        return latest if self._begun(t - err) == latest else None

    def _begun(self, t: float) -> int:
        """The last of these rounds that was opened at `t` of the evening clock."""
        begun = [epoch for epoch, opened_t in self._opened.items() if opened_t <= t]
        return min(max(begun, default=max(min(self._opened) - 1, 0)), self.epoch)


class BellReports:
    """Waits behind each bell for the dice, until the table may say that it knows of the bell.

    wire/README.md, `bell_seen`: all rolls that were made before it are on their way by then, although
    a line of a dice box has to be sent again, or the table hung.
    """

    def __init__(self, dice: bool) -> None:
        """`dice` is whether there are dice at all."""
        self._dice = dice
        self._bell: RungBell | None = None
        self._since = 0.0
        self._closed = False

    def known(self, bell: RungBell | None, now: float) -> list[TableEffect]:
        """This bell is known to the table and not told of, or none is: asks the dice for what they have."""
        if bell == self._bell:
            return []
        self._bell, self._since, self._closed = bell, now, not self._dice
        return [ReportUntil(now)] if bell is not None and self._dice else []

    def all_reported(self, at: float) -> None:
        """The dice have nothing more that was thrown up to `at`."""
        self._closed = self._closed or at >= self._since

    def due(self, now: float) -> RungBell | None:
        """The bell that may be told of now."""
        ready = self._closed or now - self._since >= DICE_REPORT_WITHIN_MS
        return self._bell if ready else None


class UndecidedThrows:
    """A throw is decided at once, but for one that was made before the news of its round came."""

    def __init__(self, prediction: Prediction, rounds: Rounds, uplink: Uplink) -> None:
        self._prediction = prediction
        self._rounds = rounds
        self._uplink = uplink
        self._waiting: list[tuple[Throw, float]] = []

    def add(self, throw: Throw, now: float) -> None:
        """A throw came."""
        self._waiting.append((throw, now))

    def earlier(self, at: float) -> int | None:
        """The round of what was made `at`, if that is one before the running one, or nothing tells which."""
        epoch = self._rounds.of(at, self._uplink.evening_clock(at))
        epoch = self._rounds.before if epoch is None else epoch
        return epoch if 0 < epoch < self._rounds.epoch else None

    def __contains__(self, throw: Throw) -> bool:
        return throw.mark is not None and any(throw.mark == one.mark for one, _ in self._waiting)

    def __len__(self) -> int:
        return len(self._waiting)

    def decided(self, now: float) -> Iterator[tuple[Throw, int, bool]]:
        """Each throw whose round is known, with that, and whether it came late; 0 if none was open."""
        while self._waiting:
            throw, came = self._waiting[0]
            waits_since = max(came, self._rounds.since)  # what tells its round comes behind the round's news
            given_up = now - waits_since >= DECIDE_WITHIN_MS
            epoch = self._epoch(throw, given_up, now)
            if epoch is None:
                return
            del self._waiting[0]
            yield throw, epoch, came - throw.settled > DICE_REPORT_WITHIN_MS

    def is_unsure(self, throw: Throw) -> bool:
        """Its time is measured and leaves open in which round it was made."""
        clock = self._uplink.evening_clock(throw.settled)
        if clock is None or self._rounds.of(throw.settled, clock) is not None:
            return False
        return self._rounds.of(throw.settled, (clock[0], 0.0)) is not None

    def _epoch(self, throw: Throw, given_up: bool, now: float) -> int | None:
        rounds = self._rounds
        if self._prediction.view is None:  # the head knows of what a box has kept since before the start
            return None if throw.settled < rounds.since else 0
        if not (rounds.head_told or given_up or throw.settled >= rounds.since):
            return None  # only a head tells which round was the last
        epoch = rounds.of(throw.settled, self._uplink.evening_clock(throw.settled))
        if epoch is None:
            given_up = given_up or (self._uplink.compared(now) and self.is_unsure(throw))
            return rounds.before if given_up else None
        if epoch < rounds.epoch or self._prediction.plays:
            return epoch
        if throw.settled >= rounds.over_since:  # none is open, unless the news of one is late
            return 0 if given_up else None
        return epoch


class FactRecord:
    """Records facts; a `mark` names the throw or tap behind one, which counts once however often it comes."""

    def __init__(
        self, options: TableOptions, outbox: Outbox, prediction: Prediction, rounds: Rounds, uplink: Uplink
    ) -> None:
        self._options = options
        self._outbox = outbox
        self._prediction = prediction
        prediction.apply_as(self._in_log)
        self._rounds = rounds
        self._uplink = uplink
        self._unsaved: dict[tuple[str, int], ThrowMark | None] = {}

    @property
    def saved(self) -> bool:
        """Every fact is on a disk, this table's or the head's."""
        return not self._unsaved

    def tell(
        self,
        fact: facts.TableFact,
        at: float,
        *,
        kept: dict[str, Any] | None = None,
        epoch: int | None = None,
        mark: ThrowMark | None = None,
        err: float | None = 0.0,
    ) -> Reason | None:
        """Records a fact of this table, made `at` (ms of the clock), its `t`; why it does not count, if so.

        `kept` is stored together with it; `err` is by how much `at` may be wrong, None if nobody knows.
        Raises `WireError`, recording nothing, for a fact that a head would drop.
        """
        view = self._prediction.view
        if view is None:
            return NoEveningHere()
        epoch = view.epoch if epoch is None else epoch
        envelope = self._outbox.append(
            evening=view.evening, epoch=epoch, err=err, up=int(at), boot=self._options.boot, fact=fact,
            t=self._least(view.evening, epoch, self._options.boot, at, err), mark=mark, kept=kept,
            guessed=at < self._rounds.since or not self._rounds.head_told,
        )  # fmt: skip
        self._unsaved[envelope.stream, envelope.seq] = mark
        if envelope.epoch != view.epoch:
            return RollBeforeRound()
        why = self._prediction.tell(envelope)
        return DoesNotCount(why) if why else None

    def knows_bell(self, bell: RungBell | None, now: float) -> None:
        """The table knows of a bell: what it makes from `now` on, or made surely behind it, stays behind."""
        if bell is not None and self._outbox.kept.get("bell_known", [])[:3] != bell:
            over = min(now, self._uplink.over(int(bell[2]), now))
            clock = self._uplink.clock_at(str(bell[0]), int(bell[2]))
            self._outbox.keep_later("bell_known", [*bell, self._options.boot, over, clock])

    def bell(self, evening: str | None, epoch: int) -> tuple[int | None, messages.ClockName | None]:
        """The `t` of that round's bell, None while it is not known here, and its clock if that is known."""
        match self._outbox.kept.get("bell_known"):
            case [of, number, int(bell_t), _, _, *clock] if (of, number) == (evening, epoch):
                return bell_t, (clock[0][0], clock[0][1]) if clock and clock[0] else None
        return None, None

    def _least(self, evening: str, epoch: int, boot: str, at: float, err: float | None) -> int | None:
        """The earliest time (ms of the evening clock) of what `boot` made `at`, if one is known."""
        bell_t, _ = self.bell(evening, epoch)
        if bell_t is None or err is None:
            return None
        bell_boot, over = self._outbox.kept["bell_known"][3:5]
        over = over if boot == bell_boot else 0 if boot == self._options.boot else inf
        return min(bell_t + 1, LATEST_MS) if at - err >= over else None

    def _behind_bell(self, one: messages.Envelope) -> messages.Envelope:
        """The fact, with a least time if it was made behind the bell of its round before that was known."""
        least = None if one.t is not None else self._least(one.evening, one.epoch, one.boot, one.up, one.err)
        return one if least is None else replace(one, t=least)

    def to_send(self, one: messages.Envelope) -> messages.Envelope:
        """The fact with its time as known now; one that a head had names the bell of its round, if known."""
        one = self._uplink.timed(self._behind_bell(one))
        bell_t, clock = self.bell(one.evening, one.epoch)
        if isinstance(one.fact, facts.SawBell):
            clock = clock if one.fact.bell == bell_t else None
        elif not one.received:
            return one
        return replace(one, bell=bell_t if one.received else None, bell_clock=clock)

    def repeated(self, mark: ThrowMark | None) -> list[TableEffect] | None:
        """The effects of a throw or tap that is in the outbox: it is forgotten once it is on disk.

        None if it is not there.
        """
        if mark is None or not self._outbox.has(mark):
            return None
        return [] if mark in self._unsaved.values() else [ForgetThrow(mark)]

    def on_disk(self, records: tuple[Record, ...]) -> list[TableEffect]:
        """These are on this table's disk."""
        saved = [one.envelope for one in records if isinstance(one, Saved)]
        for one in saved:
            self._unsaved.pop((one.stream, one.seq), None)
        return [ForgetThrow(ThrowMark(*one.mark)) for one in saved if one.mark]

    def acknowledged(self, ack: messages.Ack) -> list[TableEffect]:
        """The head has these, some of them on its disk."""
        self._outbox.acknowledged(ack.stream, ack.received, ack.committed)
        done = [one for one in self._unsaved if one[0] == ack.stream and one[1] <= ack.committed]
        marks = [self._unsaved.pop(one) for one in done]
        return [ForgetThrow(mark) for mark in marks if mark is not None]

    def untold_bell(self) -> RungBell | None:
        """A bell that this table knows of and the head was not told so: with it all rolls are told."""
        view, table = self._prediction.view, self._prediction.table
        if view is None or table is None or table.bell_t is None:
            return None
        bell: RungBell = [view.evening, view.epoch, table.bell_t]
        return bell if self._outbox.kept.get("bell_seen") != bell else None

    def _in_log(self, envelope: messages.Envelope) -> facts.Fact:
        """The fact as it will be in the log; what nobody has timed yet was made before the bell was known."""
        t, table = self._uplink.judged_t(self._behind_bell(envelope)), self._prediction.table
        if t is None:
            t = table.latest if table is not None else 0
        return facts.fact_at(envelope.fact, self._options.number, t)
