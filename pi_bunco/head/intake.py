"""The way of a table's fact into the log: in order, once, with a judged time, and acknowledged."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from math import ceil, inf
from sys import intern

from msgspec.structs import replace

from pi_bunco.errors import FactError
from pi_bunco.game import facts
from pi_bunco.game.rolloffs import table_of
from pi_bunco.head.effects import HeadEffect, SetAside
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.head.reasons import CameAfterTheClose, MadeOutsideRounds, RoundAhead, TieElsewhere
from pi_bunco.log.entry import Entry, Origin
from pi_bunco.log.records import StrayFact
from pi_bunco.reason import Reason
from pi_bunco.runtime.loop import Warn
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.gate import Rejects, plain_fact
from pi_bunco.wire.messages import Envelope, FactPlace
from pi_bunco.wire.offset import TRUSTED_ERROR_MS

TIMED = (facts.Rolled, facts.DiceFacedOff)
"""The facts whose times never fall within a stream."""


class ClockJudge:
    """Judges the times of tables' facts: by their own where it can be, else as come just now."""

    def __init__(self) -> None:
        self._latest: dict[tuple[int, str], int] = {}

    def t(
        self,
        table: int,
        envelope: Envelope,
        now: float,
        bell_t: int | None,
        bell_seen: Mapping[int, int],
        heard_t: int | None = None,
        behind: bool = False,
    ) -> int:
        """The judged time (ms) of a fact, never later than `now`; a roll's never falls within its stream.

        `bell_t` is the bell of the running round, `bell_seen` per table the last round whose bell it knows.
        Where the head has lost the clock of the bell, its table heard it at `heard_t`, which may not have
        come yet: what it made behind that is `behind` the bell.
        """
        t, err = envelope.t, envelope.err
        behind = behind or (heard_t is not None and _surely_behind(envelope, heard_t))
        if t is None or t > now + (err or 0) + 1:  # what has not come yet is no time of this clock
            t, err = int(now), None
        t = min(t, int(now))
        doubtful = err is None or (err > TRUSTED_ERROR_MS and bell_t is not None and t - err <= bell_t)
        if bell_t is not None and doubtful and not behind and bell_seen.get(table, 0) < envelope.epoch:
            t = min(t, bell_t)
        if bell_t is not None and behind:
            t = max(t, bell_t + 1)
        if not isinstance(envelope.fact, TIMED):
            return t
        key = (table, envelope.stream)
        self._latest[key] = t = max(t, self._latest.get(key, 0))
        return t

    def note(self, table: int, stream: str, t: int) -> None:
        """Remembers the time of a roll in the journal, so that none of its stream falls below it."""
        self._latest[(table, stream)] = max(t, self._latest.get((table, stream), 0))


Sequenced = Envelope | FactPlace

MAX_BEHIND_GAP = 256
"""Facts that wait behind a gap, per table: more are sent again."""
MAX_LATE = 1000
"""Facts of a table that are counted while they wait for the evening to be opened again."""
MAX_BACKLOG = 5000
"""Facts that a table may tell at once: what it made in a whole evening."""
FACTS_PER_S = 5
"""Facts that it may tell in each second behind that: more stay there, for no people throw so fast."""


class Reorder:
    """The streams of all tables; `upto` maps (table, stream) to the last place taken."""

    def __init__(self, upto: Mapping[tuple[int, str], int] | None = None) -> None:
        self.upto = dict(upto or {})
        self._behind: dict[tuple[int, str], dict[int, Sequenced]] = {}

    def take(self, table: int, envelope: Sequenced) -> list[Sequenced]:
        """The facts that can be applied now that `envelope` came, in order; a repeat gives none.

        A stream begins when the one that it comes after is there up to its end.
        """
        key = (table, envelope.stream)
        place = self.upto.get(key, 0)
        if envelope.seq <= place:
            return []
        if envelope.seq == place + 1 and envelope.after is None and not self._behind:  # as nearly always
            self.upto[key] = envelope.seq
            return [envelope]
        if envelope.seq == place + 1 or self._waiting(table) < MAX_BEHIND_GAP:
            self._behind.setdefault(key, {})[envelope.seq] = envelope
        ready = self._in_order(key)
        more = ready
        while more:
            more = [one for other in list(self._behind) if other[0] == table for one in self._in_order(other)]
            ready += more
        return ready

    def skip(self, table: int, envelope: Sequenced) -> bool:
        """Passes over all of a stream up to `envelope`, which is not applied; False for a repeat."""
        if self.has(table, envelope):
            return False
        key = (table, envelope.stream)
        self.upto[key] = envelope.seq
        self._behind.pop(key, None)
        return True

    def entered(self, places: Mapping[tuple[int, str], int]) -> None:
        """All up to these places is in the log without having come."""
        for place, seq in places.items():
            self.upto[place] = max(seq, self.upto.get(place, 0))

    def forget(self, stays: Callable[[Sequenced], bool]) -> None:
        """Of what waits behind a gap, what `stays` at its table for now comes again."""
        for key, waiting in list(self._behind.items()):
            self._behind[key] = {seq: one for seq, one in waiting.items() if not stays(one)}
            if not self._behind[key]:
                del self._behind[key]

    def has(self, table: int, envelope: Sequenced) -> bool:
        """True for a repeat."""
        return envelope.seq <= self.upto.get((table, envelope.stream), 0)

    def _waiting(self, table: int) -> int:
        return sum(len(waiting) for key, waiting in self._behind.items() if key[0] == table)

    def _in_order(self, key: tuple[int, str]) -> list[Sequenced]:
        waiting, ready = self._behind.get(key, {}), list[Sequenced]()
        while envelope := waiting.get(self.upto.get(key, 0) + 1):
            after = envelope.after
            if after and self.upto.get((key[0], after.stream), 0) < after.seq:
                break
            self.upto[key] = envelope.seq
            ready.append(waiting.pop(envelope.seq))
        if not waiting:
            self._behind.pop(key, None)
        return ready


Positions = Mapping[tuple[int, str], int]
"""Per table and stream the last place."""


class Intake:
    """Takes envelopes into `log`; times are ms of the clock."""

    def __init__(self, hall: str, log: EveningLog, rejects: Rejects) -> None:
        self.ahead: dict[int, int] = {}
        """Per table the round of which it tells and that the log does not have."""
        self.late: dict[int, set[tuple[str, int]]] = {}
        """Per table the places of facts of before the evening was closed that it keeps for its reopening."""
        self._room: dict[int, tuple[float, float]] = {}
        """Per table how many facts are taken of it now, and when (ms) that was counted."""
        self._hall = hall
        self._log = log
        self._rejects = rejects
        self._owed: dict[tuple[int, str], str] = {}
        """Per table and stream that is to be acknowledged, without a commit if need be, its evening."""
        self.begin((), {})

    def begin(self, entries: Iterable[tuple[Entry, facts.Fact]], committed: Positions) -> None:
        """The log is of these entries with their facts now, of which those up to `committed` are on disk."""
        self._judge = ClockJudge()
        self._unrung_behind: dict[tuple[int, str], int] = {}
        """Per table and stream the last place that may have rung: what is behind it is set aside, or was made
        while the evening was closed, and would ring behind another end of the log."""
        received, played = dict(committed), set[tuple[int, str]]()
        for entry, fact in entries:
            if origin := entry.origin:
                place = (origin.table, origin.stream)
                played.add(place)
                received[place] = max(origin.seq, received.get(place, 0))
                self._entered(origin, fact)
                if isinstance(fact, facts.Roll | facts.Faceoff):
                    self._judge.note(*place, fact.t)
        self._reorder = Reorder(received)
        self._committed = dict(committed)
        self._unrung_behind |= dict.fromkeys(committed.keys() - played, 0)
        self._ready: deque[tuple[int, Envelope | FactPlace]] = deque()

    def entered(self, entries: Iterable[Entry]) -> None:
        """These were entered from a replica: their tables need not send them."""
        self._reorder.entered(positions(entries))
        for entry in entries:
            if entry.origin:
                self._entered(entry.origin, entry.decoded())

    def _entered(self, origin: Origin, fact: facts.Fact) -> None:
        place = (origin.table, origin.stream)
        if getattr(fact, "while_closed", None):
            self._unrung_behind.setdefault(place, origin.seq - 1)
        else:
            self._unrung_behind.pop(place, None)

    def take(self, table: int, envelope: Envelope | FactPlace, now: float) -> list[HeadEffect]:
        """A fact that came, whose turn it may be; one of a round that the log lacks stays at its table."""
        evening = self._log.evening
        room = self._room_for(table, now)
        if room < 1 and not self._reorder.has(table, envelope):
            return []
        if evening.rules is None or envelope.evening != evening.id:
            self._room[table] = room - 1, now
            return self._of_another_evening(table, envelope)
        if (
            isinstance(envelope, Envelope) and envelope.t is None
        ):  # of the head's machine, and it hears nothing
            envelope = replace(envelope, t=self._log.t_of_boot(envelope.boot, envelope.up))
        if isinstance(envelope, Envelope) and envelope.epoch > evening.epoch:
            self.ahead[table] = envelope.epoch
            self._log.claimed_epoch(envelope.epoch)
            return []
        if self._too_late(table, envelope):
            places = self.late.setdefault(table, set())
            if len(places) < MAX_LATE:
                places.add((envelope.stream, envelope.seq))
            return []
        if self._waits_for_the_end(table, envelope):
            return []
        ready = self._reorder.take(table, envelope)
        self._room[table] = room - len(ready), now
        if ready:  # what waits behind a round that is missing ends no gap
            self.ahead.pop(table, None)
        self._ready.extend((table, one) for one in ready)
        self._owed[table, envelope.stream] = envelope.evening
        if envelope.after:  # its end may be here no more, and the table think that it is
            self._owed[table, envelope.after.stream] = envelope.evening
        return self.drain(now)

    def _waits_for_the_end(self, table: int, envelope: Envelope | FactPlace) -> bool:
        """True for a throw that its table made behind an end of the running round that it alone heard.

        Nobody else tells of that, so that the round goes on; but the throw is none of it, and stays at its
        table until it is over.
        """
        log, heard_t = self._log, self._log.heard_t.get(table)
        if heard_t is None or not log.end_claimed or log.knows_bell:
            return False
        if isinstance(envelope, FactPlace) or not isinstance(envelope.fact, TIMED):
            return False
        return envelope.epoch == log.evening.epoch and _surely_behind(envelope, heard_t)

    def _too_late(self, table: int, envelope: Envelope | FactPlace) -> bool:
        """True for a fact that may be of before the evening was closed, and counts if it is opened again."""
        if not self._log.evening.closed:
            self.late.clear()
            return False
        self._reorder.forget(self._may_be_of_before)
        return self._may_be_of_before(envelope) and not self._reorder.has(table, envelope)

    def _may_be_of_before(self, envelope: Envelope | FactPlace) -> bool:
        if isinstance(envelope, FactPlace) or isinstance(envelope.fact, facts.SawBell):
            return False
        return not _surely_behind(envelope, self._log.closings[-1][0])

    def _while_closed(self, envelope: Envelope, t: int, now: float) -> bool:
        """True for a fact surely made while the evening was closed that would have counted if open."""
        if isinstance(envelope.fact, facts.SawBell) or getattr(envelope.fact, "tie", None):
            return False
        err = envelope.err or 0
        return any(
            _surely_behind(envelope, closed) and (reopened == inf or t < reopened - err <= self._log.t(now))
            for closed, reopened in self._log.closings
        )

    def drain(self, now: float) -> list[HeadEffect]:
        """Applies the facts that are in order, up to one that rings: behind it comes the bell's own."""
        effects: list[HeadEffect] = []
        while self._ready and not self._log.bell.waiting:
            table, envelope = self._ready.popleft()
            effects += self._fact(table, envelope, now)
            self._owed[table, envelope.stream] = envelope.evening
        if self._log.bell.waiting:  # whoever is head after a power cut must know that it has rung
            effects += self.acknowledge()
        return effects

    def acknowledge(self) -> list[HeadEffect]:
        """Acknowledges what no commit has acknowledged since: a slow disk, a repeat."""
        owed, self._owed = self._owed, {}
        return [self.ack(table, evening, stream) for (table, stream), evening in owed.items()]

    def on_disk(self, entries: Iterable[Entry | StrayFact]) -> list[HeadEffect]:
        """These are on disk: what is acknowledged by that."""
        acks: dict[tuple[int, str], str] = {}
        for one in entries:
            if origin := one.origin:
                place = (origin.table, origin.stream)
                taken = min(origin.seq, self._reorder.upto.get(place, 0))  # the log may be another since
                self._committed[place] = max(taken, self._committed.get(place, 0))
                acks[place] = one.evening
                self._owed.pop(place, None)
        return [self.ack(table, evening, stream) for (table, stream), evening in acks.items()]

    def ack(self, table: int, evening: str, stream: str) -> Publish:
        """The last place of the table's stream that is applied, and on disk, if only set aside."""
        place = (table, stream)
        upto = self._reorder.upto.get(place, 0)
        for number, one in self._ready:
            if (number, one.stream) == place:
                upto = min(upto, one.seq - 1)
        received = min(upto, self._unrung_behind.get(place, upto))
        ack = messages.Ack(evening, stream, received, min(self._committed.get(place, 0), upto))
        return Publish(topics.down(self._hall, topics.table_node(table), "ack"), ack)

    def faults(self) -> list[Reason]:
        """Rounds that tables tell of and the log lacks, and what came behind the end of the evening."""
        late = self.late if self._log.evening.closed else {}
        last = self._log.evening.epoch
        return [
            *(RoundAhead(table, epoch, last) for table, epoch in sorted(self.ahead.items()) if epoch > last),
            *(CameAfterTheClose(table, len(places)) for table, places in sorted(late.items())),
        ]

    def _room_for(self, table: int, now: float) -> float:
        """The number of facts of a table that are taken now: one account fills neither memory nor card."""
        left, at = self._room.get(table, (MAX_BACKLOG, now))
        return min(left + (now - at) * FACTS_PER_S / 1000, MAX_BACKLOG)

    def _of_another_evening(self, table: int, envelope: Envelope | FactPlace) -> list[HeadEffect]:
        """Sets the fact aside; it is acknowledged when that is on disk."""
        place = (table, envelope.stream)
        self._unrung_behind.setdefault(place, self._reorder.upto.get(place, 0))
        if not self._reorder.skip(table, envelope):
            return [self.ack(table, envelope.evening, envelope.stream)]
        return [_aside(table, envelope)]

    def _fact(self, table: int, envelope: Envelope | FactPlace, now: float) -> list[HeadEffect]:
        """Takes a fact whose turn it is; sets aside a throw that the log has, and what is no fact."""
        log = self._log
        if isinstance(envelope, FactPlace) or log.has(table, envelope.mark):
            return [_aside(table, envelope)]
        last = log.evening.epoch
        since, then = _since(envelope), envelope.head_up
        if envelope.guessed and envelope.epoch < last and log.of_the_last_round(table, envelope.mark, since):
            envelope = replace(envelope, epoch=last, bell=None)  # the bell was of the round that it guessed
        round_ = log.evening.round
        bell_t = round_.bell.t if round_ and round_.bell else None
        heard_t = log.heard_t.get(table)
        behind = envelope.epoch == last and then is not None and log.behind_bells_by_boot(*then)
        t = self._judge.t(table, envelope, log.t(now), bell_t, log.bell_seen, heard_t, behind)
        bell = log.by_its_clocks(envelope.bell, envelope.bell_clock)
        log.claimed_bell(table, envelope.epoch, bell and min(bell, log.t(now)))
        try:
            if not envelope.epoch:
                raise FactError(MadeOutsideRounds())
            tie = getattr(envelope.fact, "tie", None)
            if tie and table_of(log.evening, tie) not in (None, table):
                raise FactError(TieElsewhere())
            fact = facts.fact_at(envelope.fact, table, t, envelope.epoch)
            if isinstance(fact, facts.BellSeen) and envelope.bell_clock:
                seen = log.by_its_clocks(fact.bell, envelope.bell_clock)
                fact = replace(fact, bell=seen and min(seen, log.t(now)))
            if self._while_closed(envelope, t, now):
                fact = replace(fact, while_closed=True)
            if envelope.guessed and isinstance(fact, facts.Roll):
                fact = replace(fact, guessed=ceil(max(t - max(since, 0.0), 0)))
            if envelope.head_up and isinstance(fact, facts.Roll):
                fact = replace(fact, head_up=envelope.head_up)
            origin, rung = _origin(table, envelope), envelope.received and not log.knows_bell
            effects = log.take(fact, origin, rung)
            self._entered(origin, fact)
            return effects
        except FactError as error:
            known = not self._rejects.count(topics.up(self._hall, topics.table_node(table), "fact"), now)
            warning = [] if known else [Warn(f"Table {table}: a fact is set aside: {error}.")]
            return [_aside(table, envelope), *warning]


def positions(entries: Iterable[Entry]) -> dict[tuple[int, str], int]:
    """Per (table, stream) the greatest place among the entries."""
    found: dict[tuple[int, str], int] = {}
    for origin in (entry.origin for entry in entries):
        if origin:
            place = (origin.table, origin.stream)
            found[place] = max(origin.seq, found.get(place, 0))
    return found


def _surely_behind(envelope: Envelope, t: float) -> bool:
    """True if the fact was surely made behind `t`, by its own time."""
    return _since(envelope) > t


def _since(envelope: Envelope) -> float:
    """The earliest time (ms) at which the fact may have been made."""
    return -inf if envelope.t is None or envelope.err is None else envelope.t - envelope.err


def _aside(table: int, envelope: Envelope | FactPlace) -> SetAside:
    return SetAside(StrayFact(envelope.evening, _origin(table, envelope), plain_fact(envelope)))


def _origin(table: int, envelope: Envelope | FactPlace) -> Origin:
    mark = envelope.mark if isinstance(envelope, Envelope) else None
    shared = (intern(mark[0]), mark[1]) if mark else None  # one text for a whole evening
    return Origin(table, intern(envelope.stream), envelope.seq, shared)
