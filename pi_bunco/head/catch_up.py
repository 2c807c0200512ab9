"""The end of the head's log, and the beginning of the evening clock: before it applies anything.

`recovery` finds what replicas have and the log has not; here it is taken, the tables' facts that it lacks are
entered again behind it, and tables are told how far their streams are taken.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from math import ceil, inf
from statistics import median_low
from typing import Any

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from pi_bunco.game import facts
from pi_bunco.game.pace import CLOCK, begun_late
from pi_bunco.head.effects import HeadEffect, Keep, TakeOver
from pi_bunco.head.evening_log import FAR_AHEAD_MS, EveningLog, TimedByTheLog, clock_of
from pi_bunco.head.intake import Intake, Positions, positions
from pi_bunco.head.publisher import HeadOptions, Publisher
from pi_bunco.head.reasons import (
    AndAlso,
    OtherEnd,
    OtherKey,
    PassedOver,
    ReadsTheEnd,
    ReadsTheEndFrom,
    replica,
    sentence,
)
from pi_bunco.log.chain import LogKey, rechained
from pi_bunco.log.entry import MAX_INT, PAGE_NO, Entry
from pi_bunco.log.recovery import AskReplica, ReadStep, Recovery, ReplicaFinding
from pi_bunco.log.rewriting import Renaming, written_anew
from pi_bunco.reason import Reason
from pi_bunco.runtime.loop import Warn
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.log_exchange import entries_of
from pi_bunco.wire.offset import TRUSTED_ERROR_MS
from pi_bunco.wire.topics import Topic

RUNG = "rung"
ACKS_EVERY_MS = 1000.0
"""Time between two times that all streams of a table's birth are acknowledged."""
MOST_RUNG = 8
"""Newest signals that are kept on disk: a start as it sounds, an end, which the log has, as a head starts, or
goes on by another log."""


class Memory(Struct, frozen=True):
    """The latest evening as it is on disk, to go on with after a restart, and the signals that have sounded.

    `no` is the highest running number of the journal's evenings, `noted` per signal when it sounded (ms of
    the clock) since this machine started, `rewritten` how many times evenings were written anew.
    """

    key: LogKey
    log: Sequence[tuple[Entry, facts.Fact]] = ()
    positions: Mapping[tuple[int, str], int] = {}
    answers: Mapping[str, Any] = {}
    kept: Mapping[str, Any] = {}
    noted: Mapping[str, float] = {}
    no: int = 0
    rewritten: Mapping[str, int] = {}
    damage: Reason | None = None
    """The reason why the journal began anew, if it did."""

    @property
    def rung(self) -> dict[str, tuple[str, float]]:
        """Per signal that is kept on disk its boot, and when it sounded (ms of that clock, 0 if unknown)."""
        try:
            return convert(self.kept.get(RUNG, {}), dict[str, tuple[str, float]])
        except ValidationError:
            return {}


class CatchUp:
    """Brings `log` to its end from `memory` and the replicas; times are ms of the clock."""

    def __init__(
        self,
        options: HeadOptions,
        memory: Memory,
        log: EveningLog,
        intake: Intake,
        publisher: Publisher,
        now: float,
    ) -> None:
        self._options = options
        self._memory = memory
        self._log = log
        self._intake = intake
        self._publisher = publisher
        self._births: dict[int, messages.Status] = {}
        self._unanswered: set[int] = set()
        """Tables whose birth names streams that are to be acknowledged, by the log as it is now."""
        self._answered_at: dict[int, float] = {}
        """The time at which the streams of a table's birth were acknowledged last."""
        self._clocks: dict[int, tuple[messages.ClockName | None, int, float]] = {}
        """Per table the evening clock that it knew last, its time by that, and when that came."""
        self._other_ends: dict[str, tuple[Sequence[Entry], TimedByTheLog]] = {}
        """By their last mac other ends whose tables' facts are entered once the evening is open again."""
        noted = {id: (options.boot, at) for id, at in memory.noted.items() if at or id not in memory.rung}
        self.rung = memory.rung | noted
        """`rung` of the memory, with what this boot has noted since."""
        self._unkept = bool(memory.noted)
        """True if a signal sounded before this start of which a cut would leave no trace yet."""
        self._start(memory.log, memory.positions, now)
        self.same_boot = log.goes_by(options.boot) is not None
        """This machine has not been off since the last entry of the journal."""
        self.recovery = Recovery(memory.key, lambda: log.entries, self.same_boot)
        self._set_clock(now)

    @property
    def pending(self) -> bool:
        """True while the end of the log is sought: nothing may be applied."""
        return self.recovery.pending

    def faults(self) -> list[Reason]:
        """The faults of the log that a host has to know."""
        found: list[Reason] = [self.waits_for()] if self.pending else []
        if self._memory.damage and not self._log.entries:
            found.append(self._memory.damage)
        found += map(_offer, self.recovery.offers.values())
        return found + [PassedOver(replica(table)) for table in self.recovery.passed_over]

    def waits_for(self) -> Reason:
        """The reason why nothing is done yet."""
        tables = sorted(self.recovery.awaited, key=lambda table: (table == PAGE_NO, table))
        return ReadsTheEndFrom(reduce(AndAlso, map(replica, tables))) if tables else ReadsTheEnd()

    def begun(self, now: float) -> list[HeadEffect]:
        """The log is as long as it gets: the clock is set, tables hear of it, a bell that was due rings."""
        log = self._log
        effects = self._set_clock_of_bell(*self._noted_end)
        self._learn_rounds()
        if clock := self._set_clock_of_bell(*self._end_of_two_tables(), log.bell_sounded or 0):
            effects += clock
            self._learn_rounds()  # by that clock
        self._set_clock(now)
        if log.entries:
            effects += [*log.set_clock(self._options.boot), *self.end_without_reason()]
            effects += self.start_was_late()
            effects += log.bell.restore(log.evening, self._start_unheard())
            effects += self._publisher.entries(log.entries[-1:])
        for table in self._births:
            self._publisher.repeat_for(table)
        return effects + self._acks(now)

    # What comes in.

    def status(self, topic: Topic, status: messages.Status, now: float, retained: bool) -> list[HeadEffect]:
        """A node that comes is told how far its streams are taken, and asked for what its replica has.

        What the broker has `retained` of it says neither that it is there now nor how late it is: a node that
        is there says so again to every session of a head.
        """
        effects: list[HeadEffect] = []
        replica = topics.replica_number(topic.node)
        if replica is not None:
            if status.state != "online":
                self.recovery.offline(replica)
            elif retained:
                self.recovery.claimed(replica, status.replica)
            else:
                effects += self._requests(self.recovery.online(replica, status.replica, now))
        if status.replica:
            self._log.claimed_no(status.replica.no)
        if topic.table is not None and status.state == "online":
            self._births[topic.table] = status
            self._unanswered.add(topic.table)
            if status.t is not None and not retained:
                self._clocks[topic.table] = status.clock, status.t, now
            if not self.pending:
                self._learn_rounds()
                effects += self._acks(now)
        return effects

    def beat(self, topic: Topic, beat: messages.Beat, now: float) -> list[HeadEffect]:
        """A node is there, which may have said so before in vain."""
        replica = topics.replica_number(topic.node)
        if replica is None:
            return []
        return self._requests(self.recovery.sign_of_life(replica, beat.replica, now))

    def entries(self, topic: Topic, answer: messages.LogEntries, now: float) -> list[HeadEffect]:
        """A replica's answer."""
        replica = topics.replica_number(topic.node)
        if replica is None:
            return []
        return self._results(self.recovery.entries(replica, answer.evening, entries_of(answer), now), now)

    def doubt(self, now: float) -> list[HeadEffect]:
        """A table knows of more than the log."""
        return self._requests(self.recovery.doubt(now))

    def tick(self, now: float) -> list[HeadEffect]:
        """Time has passed."""
        effects: list[HeadEffect] = [self._kept()] if self._unkept else []
        self._unkept = False
        if self._other_ends and not self._log.evening.closed:
            other_ends, self._other_ends = self._other_ends, {}
            for entries, timed in other_ends.values():
                if entries[0].evening == self._log.evening.id:
                    effects += self._merged(entries, now, timed)
        if not self.pending:
            effects += [*self._log.set_clock(self._options.boot), *self.end_without_reason()]
            effects += self._acks(now)
        return effects + self._results(self.recovery.tick(now), now)

    def end_without_reason(self) -> list[HeadEffect]:
        """Closes the running round of which the end has sounded, where the log has no reason for it.

        Everybody heard it: what was made after it does not count, whenever its reason comes. The head
        that rang was killed, or the log goes on by another end, in which the evening was closed then.
        """
        t = self._sounded_t()
        return [] if t is None else self._log.close_at(t)

    def start_sounded(self, id: str, at: float) -> Keep:
        """The start bell of a round sounded at `at` (ms of the clock): kept on disk."""
        self.rung.setdefault(id, (self._options.boot, at))
        return self._kept()

    def start_was_late(self) -> list[HeadEffect]:
        """Moves the end of the running round by how late its start sounded, where the log does not say so.

        The head that rang may have been killed before it could.
        """
        log = self._log
        t = log.t_of_boot(*self.rung.get(log.bell.id(log.evening, "start"), ("", 0.0)))
        if t is None or (log.evening.pace and log.evening.pace.t >= t):
            return []
        pace = begun_late(log.evening, t, CLOCK)
        return [] if pace is None else log.record(pace)

    def _kept(self) -> Keep:
        return Keep(RUNG, dict(list(self.rung.items())[-MOST_RUNG:]))

    # What the host says.

    def go_on(self) -> None:
        """Begins with what is here of the log, because the host says so."""
        self.recovery.go_on()

    def branch(self, table: int, now: float) -> list[HeadEffect] | None:
        """Takes the log that a replica offers, because the host says so; None if that table offers none."""
        offer = self.recovery.choose(table)
        if offer is None:
            return None
        if offer.kind == "key":
            offer = replace(offer, entries=rechained(self._log.key, offer.entries))
        branches = self._log.branches
        effects = [*self._take_over(offer, now), *self._log.bell_rang(now)]
        for _ in range(1 + max(branches - self._log.branches, 0)):  # what has more is newer
            effects += self._log.record(facts.Branch(self._log.t(now), table))
        self.recovery.chosen()
        return [*effects, *self._publisher.entries(offer.entries[-1:])]

    def written_anew(self, renaming: Renaming, now: float) -> list[HeadEffect]:
        """The journal has a pseudonym in place of somebody's names: so does the log."""
        log, began, since = self._log, self._log.began, self._log.since
        entries = written_anew(log.key, log.entries, renaming)
        if not entries:
            return []
        self._start([(entry, entry.decoded()) for entry in entries], positions(entries), now)
        log.began_at(began, since)
        return self._publisher.entries(entries[-1:])

    # The log.

    def _start_unheard(self) -> bool:
        """Nobody has heard a start that is not noted: this boot opened the round, or no table knows of it.

        A replica that has its opening was given that by a head behind the start.
        """
        log = self._log
        known = max((birth.epoch or 0 for birth in self._births.values()), default=log.evening.epoch)
        here = log.since <= (log.opened_t or 0)
        return here or (known < log.evening.epoch and not self.recovery.claims(log.opened_n))

    def _sounded_t(self) -> int | None:
        """The time (ms) of an end of the running round that sounded and is not in the log; None if none did.

        Where the head's note was lost, two tables that heard it tell of it.
        """
        log, round_ = self._log, self._log.evening.round
        if round_ is None or round_.bell is not None or log.evening.closed:
            return None
        end = log.bell.id(log.evening, "end")
        at = log.bell.noted.get(end)  # in this boot, and so not before the clock that goes by it
        boot, up = self._noted_end
        t = max(log.t(at), log.since) if at else log.t_while(boot, up) if up else None
        return log.end_bell_t if t is None and log.bell_sounded else t

    def _note_end(self) -> list[HeadEffect]:
        """Keeps when the end sounded that the log has: by another end of it the clock may go otherwise."""
        log, round_ = self._log, self._log.evening.round
        if round_ is None or round_.bell is None or log.bell.waiting:
            return []
        end = log.bell.id(log.evening, "end")
        at = log.bell.noted.get(end)
        sounded = (self._options.boot, at) if at else log.clock_at(round_.bell.t)
        if sounded and not self.rung.get(end, ("", 0.0))[1]:
            self.rung[end] = sounded
            log.bell.noted.setdefault(end, 0.0)
            return [self._kept()]
        return []

    @property
    def _noted_end(self) -> tuple[str, float]:
        """The boot that noted the running round's end, and when that was by its clock (ms), 0 if none did."""
        return self.rung.get(self._log.bell.id(self._log.evening, "end"), ("", 0.0))

    def _rung_t(self, id: str) -> int | None:
        """The time of a kept signal (ms of the evening clock); None if that or its clock is not known."""
        boot, at = self.rung.get(id, ("", 0.0))
        return self._log.t_by(boot, at) if at else None

    def _start(self, log: Sequence[tuple[Entry, facts.Fact]], committed: Positions, now: float) -> None:
        """Begins with these entries and their facts as the log; those up to `committed` are on disk."""
        self._log.replay(log, now)
        self._intake.begin(log, committed)

    def _set_clock(self, now: float, began: float | None = None, since: int = 0) -> int:
        """Sets the evening clock going; after a reboot from the log and from what most tables say.

        One that `began` and goes by this machine from its time `since` on goes forward until it began behind
        all of the log, and is another clock by that; returns by how much. None goes by it yet: it goes from
        `now` on, or since the running round's end that this boot noted, so that what was made later is later.
        """
        log = self._log
        if began is None:
            began = log.bell.noted.get(log.bell.id(log.evening, "end")) or now
        ours = (self._rung_t(id) or 0 for id in self.rung if id.startswith(f"{log.evening.id}:"))
        last = max(log.last_t, *ours, log.bell_sounded or 0)
        if (known := log.goes_by(self._options.boot)) is not None:
            log.began_at(known, log.clocks[-1].t if log.clocks else 0)
            return int(began - known)
        present = [(t, came) for clock, t, came in self._clocks.values() if clock == log.clock]
        times = [t + now - came for t, came in present if t <= last + FAR_AHEAD_MS]
        supported = last + now  # one voice is no median: alone it is worth no more than log and uptime
        if len(times) == 1:
            times.append(supported)
        most = median_low(times) if times else 0
        last = max([last, *(t for t in log.heard_t.values() if t <= supported)])
        behind = int(max(last + 1 - since, most - (now - began), 1)) if log.entries else 0
        log.began_at(began - behind, since + behind)
        return behind

    def _set_clock_of_bell(self, boot: str, at: float, t: int = 0) -> list[HeadEffect]:
        """Has the log say that the evening went by the earlier `boot` that rang the running round's end `at`.

        Where it does not, of that clock the bell alone is left, which was at `t` or later: it begins
        behind the log, and so long until the bell that what may be of before is in doubt.
        """
        log, round_ = self._log, self._log.evening.round or self._log.evening.abandoned
        known = boot == self._options.boot or log.t_by(boot, at) is not None
        if not at or known or round_ is None or round_.bell is not None:
            return []
        t = max(t, log.last_t + 2 + int(TRUSTED_ERROR_MS))
        log.began_at(at - t, max(log.last_t + 1, ceil(t - at)))
        return log.set_clock(boot)

    def _end_of_two_tables(self) -> tuple[str, float]:
        """The boot whose head rang the end that two tables heard, and when by its clock (ms).

        0 if that is unknown, and where the evening goes by this boot already, which was behind that bell.
        """
        log = self._log
        if log.goes_by(self._options.boot) is not None:
            return "", 0.0
        clocks = Counter(
            one.bell_clock
            for one in self._births.values()
            if one.bell_clock and (one.epoch, one.bell) == (log.evening.epoch, log.bell_sounded)
        )
        for (boot, began), tables in clocks.items():
            at = began + (log.bell_sounded or 0)
            if tables > 1 and 0 < at <= MAX_INT:
                return boot, at
        return "", 0.0

    def _results(self, results: Iterable[ReadStep], now: float) -> list[HeadEffect]:
        effects: list[HeadEffect] = []
        for one in results:
            match one:
                case AskReplica():
                    effects += self._requests([one])
                case ReplicaFinding(kind="better"):
                    effects += self._take_over(one, now)
                    effects += self._publisher.entries(one.entries[-1:])
                case ReplicaFinding(kind="shorter"):
                    effects += self._merged(one.entries, now, self._log.timed_behind(one.entries))
                case ReplicaFinding():
                    effects.append(Warn(sentence(_offer(one).english())))
        return effects

    def _requests(self, asks: Iterable[AskReplica]) -> list[HeadEffect]:
        return [
            Publish(
                topics.down(self._options.hall, topics.replica_node(ask.replica), "log_request"),
                messages.LogRequest(ask.evening, ask.start),
                1,
            )
            for ask in asks
        ]

    def _take_over(self, found: ReplicaFinding, now: float) -> list[HeadEffect]:
        """Goes on with a replica's log; applies the tables' facts again that it lacks."""
        log, began, since, clocks = self._log, self._log.began, self._log.since, self._log.clocks
        same = bool(log.entries) and log.evening.id == found.entries[0].evening
        kept, going = self._note_end(), log.goes_by(self._options.boot) is not None
        left = {rang: self._rung_t(id) for id, rang in self.rung.items()} if same else {}
        before = log.entries[: found.start - 1] if same else []
        ours = log.entries[found.start - 1 :] if same else []
        entries = [*before, *found.entries]
        self._start([(entry, entry.decoded()) for entry in entries], positions(before), now)
        self._unanswered.update(self._births)  # this log may lack what they were told that a head has
        bells = [fact for one in ours if isinstance(fact := one.decoded(), facts.BellRang)]
        rang_t = next((one.t for one in bells if one.epoch == log.evening.epoch), left.get(self._noted_end))
        # While the end is sought, what this one lacks of the journal was made before a bell without a time.
        early = self.pending and rang_t is None
        noted = [] if early else self._set_clock_of_bell(*self._noted_end, rang_t or 0)
        behind = self._set_clock(now, began, since) if same else self._set_clock(now)
        who = replica(found.replica).english().capitalize()
        text = (
            f"{who} had {len(found.entries)} entries of evening {log.evening.id} that the journal lacked,"
            f" from {found.start} on; they are taken."
        )
        taken = TakeOver(found.entries)
        self._learn_rounds()
        rang = log.evening.round and log.evening.round.bell
        theirs = [fact for one in found.entries if isinstance(fact := one.decoded(), facts.ClockSet)]
        theirs_since = theirs[0].t if theirs and rang and rang.t >= theirs[0].t else inf
        heard_by = {table for table, epoch in log.bell_seen.items() if rang and epoch == log.evening.epoch}
        goes_since, boots = log.since, {one.boot for one in theirs}

        def timed(t: int, table: int) -> int:
            clock = clock_of(clocks, t)
            known = clock is not None and clock[0] in boots
            if rang and theirs_since < t < since and not known:
                # perhaps behind the start of a clock that this end had not
                return min(t, rang.t + (table in heard_by))
            if t >= since:
                moved = max(t + behind, goes_since)
            else:
                moved = log.made_by_its_clocks(t, clock) if known else t
            over = log.evening.round and log.evening.round.bell
            sounded_t = over.t if over else self._sounded_t()
            if rang or rang_t is None or sounded_t is None:
                return moved
            return min(moved, sounded_t) if t <= rang_t else max(moved, sounded_t + 1)

        merged = self._merged(ours, now, timed)
        bell = [] if self.pending else log.bell_rang(now)
        clock = log.set_clock(self._options.boot) if same and going else []
        over = [] if self.pending else self.end_without_reason()
        return [Warn(text), *kept, taken, *noted, *merged, *bell, *clock, *over]

    def _merged(self, entries: Sequence[Entry], now: float, timed: TimedByTheLog) -> list[HeadEffect]:
        """Enters the tables' facts among the entries that the log lacks, `timed` by its clock.

        While the evening is closed they would count nowhere: they wait for its reopening.
        """
        if self._log.evening.closed and entries:
            self._other_ends[entries[-1].mac] = entries, timed
            return []
        length = len(self._log.entries)
        effects = self._log.merge(entries, now, timed, self._sounded_t)
        self._intake.entered(self._log.entries[length:])
        return effects

    def _acks(self, now: float) -> list[HeadEffect]:
        """Acknowledges each stream of tables that came, so that what the log does not have is sent again.

        Of one table it does so once a second: a birth of 8 KiB names 560 streams.
        """
        effects: list[HeadEffect] = []
        evening = self._log.evening
        for table in [
            one for one in self._unanswered if now >= self._answered_at.get(one, -inf) + ACKS_EVERY_MS
        ]:
            self._unanswered.remove(table)
            self._answered_at[table] = now
            if evening.rules is not None:
                effects += [
                    self._intake.ack(table, evening.id, one) for one, _ in self._births[table].streams
                ]
        return effects

    def _learn_rounds(self) -> None:
        """Puts the next round above every one that a table of this evening has told of; notes its bell."""
        for table, birth in self._births.items():
            if birth.replica and birth.replica.evening == self._log.evening.id:
                self._log.claimed_epoch(birth.epoch or 0)
                bell_t = self._log.by_its_clocks(birth.bell, birth.bell_clock)
                clock = birth.bell_clock
                rang = (clock[0], (birth.bell or 0) + clock[1]) if clock else None
                self._log.claimed_bell(table, birth.epoch, bell_t, rang)


def _offer(found: ReplicaFinding) -> Reason:
    who, entries = replica(found.replica), len(found.entries)
    if found.kind == "key":
        return OtherKey(who, entries, found.replica)
    return OtherEnd(who, found.start, entries, found.replica)
