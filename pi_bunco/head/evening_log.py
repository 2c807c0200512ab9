"""The evening and its log as the head keeps them: what is applied is numbered, chained and entered."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from pi_bunco.errors import FactError
from pi_bunco.game import codec, facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.fields import LATEST_MS
from pi_bunco.game.rolloffs import unnumbered
from pi_bunco.game.rounds import drawn_first
from pi_bunco.game.table import Table
from pi_bunco.head.bell import RoundBell, rings
from pi_bunco.head.effects import Append, HeadEffect
from pi_bunco.head.reasons import Refused
from pi_bunco.log.chain import LogKey, chained
from pi_bunco.log.entry import Entry, Origin, ThrowId
from pi_bunco.log.records import Answered
from pi_bunco.log.recovery import missing
from pi_bunco.reason import Reason
from pi_bunco.wire import topics
from pi_bunco.wire.messages import Answer, BootOffset, ClockBefore, ClockName
from pi_bunco.wire.offset import MAX_KEPT, Compared, by_boot, lead

FactOf = TypeVar("FactOf", bound=facts.Fact)
TimedByTheLog = Callable[[int, int], int]
"""The time in an end of the log at which a table made a fact, and the table, to the time in this log."""
FAR_AHEAD_MS = 12 * 3_600_000
"""Words of a table that are further ahead of the log tell no time.

A head that was off for longer goes on behind its log: what it may lack of that was made before it was off.
"""
PASSED_OVER = 100
"""Numbers of rounds, or of evenings, that are left out where somebody tells of one that the log has not."""


def following(last: int, claimed: int, t: int = 0) -> int:
    """The number behind `last`, above those of an end of the log that is missing where one is `claimed`.

    The numbers of a head follow only from entries that it can verify: a claim has some passed over, however
    high it is, so that the number behind any that the head accepts is acceptable. They are more with the time
    `t` (ms of the evening clock), so that none is given again where such an end was lost itself.
    """
    return last + (PASSED_OVER + t // 1000 if claimed > last else 1)


def last_counted(table: Table) -> int | None:
    """The log number of the latest roll that counts at a table; None if there is none."""
    return next((n for code, _, n in reversed(table.entries) if code >= 0), None)


class EveningLog:
    """The state of the evening, its log from the first entry on, and what follows from the log alone."""

    def __init__(
        self,
        key: LogKey,
        bell: RoundBell,
        now: float,
        no: int = 0,
        rewritten: Mapping[str, int] | None = None,
    ) -> None:
        self.key = key
        self.rewritten = dict(rewritten or {})
        """The evenings that were written anew, and how many times each."""
        self.bell = bell
        self._highest_no = max(no, key.base)
        """The highest running number of an evening that is known to be this hall's."""
        self._claimed_no = 0
        self.links_of: dict[str, tuple[BootOffset, ...]] = {}
        """Per node how far heads' clocks are apart, as it has told, kept for the next head."""
        self.begin(now)

    def begin(self, now: float) -> None:
        """A new evening, whose clock begins `now` (ms of the clock)."""
        self.evening = Evening()
        self.began = now
        self.since = 0
        """The time from which on the evening clock goes by this machine since its boot."""
        self.clocks: list[facts.EveningOpen | facts.ClockSet] = []
        """All of the log that says by which machine it goes."""
        self.entries: list[Entry] = []
        self.upto: dict[int, dict[str, int]] = {}
        """Per table and stream the last fact that was applied since the round was opened."""
        self.last_roll: dict[int, tuple[int, facts.Roll]] = {}
        """Per table the latest roll of the running round that counts, with its number in the log."""
        self.bell_seen: dict[int, int] = {}
        """Per table the last round of whose bell it knows."""
        self.heard_t: dict[int, int] = {}
        """Per table that has told so when it heard the end of the running round (ms)."""
        self._bells_by_boot: dict[tuple[int, str], int] = {}
        """Per table, 0 for the log, and head's boot by which the evening went then its ms at the end."""
        self._open_since = 0
        """The time at which the running round was opened, or its last bell void: no end was heard before."""
        self._claimed_epoch = 0
        self.closings: list[tuple[float, float]] = []
        """From when to when the evening was closed (ms), each time."""
        self.opened_t: int | None = None
        """The time at which the last round was opened (ms)."""
        self.opened_n = 0
        """The number of the entry by which it was opened."""
        self.last_t = 0
        """The greatest time in the log (ms)."""
        self.branches = 0
        """The number of branches in the log."""
        self._marks: dict[int, set[ThrowId]] = {}
        self._first_marks: dict[tuple[int, str], int] = {}
        """Per table and box or phone the number of the first fact that the log has of the last round."""
        self._on_disk = 0
        self._changed: set[int] | None = set()
        self._ringing: tuple[facts.Fact, Origin] | None = None
        self.bell.begin()

    def t(self, now: float) -> int:
        """The evening clock (ms); it stands still before a time that no fact could have."""
        return min(max(int(now - self.began), 0), LATEST_MS)

    def began_at(self, at: float, since: int = 0) -> None:
        """The evening clock began then (ms of the clock); it goes by this machine from `since` on.

        Where that would be behind the latest time that a fact can have it stands still there.
        """
        self.began, self.since = at, min(since, LATEST_MS)

    @property
    def clock(self) -> ClockName | None:
        """The clock by which the log says that the evening goes; None where it does not."""
        last = self.clocks[-1] if self.clocks else None
        return (last.boot, last.up - last.t) if last and last.boot and last.up is not None else None

    def goes_by(self, boot: str) -> int | None:
        """Start of the evening clock (ms of the clock), if the log says that it goes by this `boot`."""
        clock = self.clock
        return clock[1] if clock and clock[0] == boot else None

    def t_by(self, boot: str, at: float) -> int | None:
        """The evening clock (ms) when that of a `boot` was `at`; None if the evening never went by it."""
        for one in reversed(self.clocks):
            if one.boot == boot and one.up is not None:
                return max(int(at - one.up + one.t), one.t)
        return None

    def t_of_boot(self, boot: str, up: float) -> int | None:
        """The evening clock `up` ms after a `boot` by which it went then; None if it did not."""
        t = self.t_by(boot, up)
        by = None if t is None else self.clock_at(t)
        return t if by and by[0] == boot and by[1] <= up else None

    def t_while(self, boot: str, up: float, compared: Compared | None = None) -> int | None:
        """The evening clock `up` ms after a `boot`, at the earliest, and until the next clock began.

        By the latest clock of the log that had begun then, of that boot or one `compared` with it; None if
        none tells.
        """
        behind, latest = None, inf
        if self.since > max((one.t for one in self.clocks), default=0):
            latest = self.since
        for one in reversed(self.clocks):
            if one.boot and one.up is not None and (ahead := lead(one.boot, boot, up, compared or {})):
                at = up + ahead[0] - ahead[1]
                if at >= one.up:
                    return int(min(latest, at - one.up + one.t))
                behind = int(min(latest, one.t))
            latest = min(latest, one.t)
        return behind

    def t_then(self, table: int, boot: str, up: float, now: float) -> int | None:
        """Likewise, with what the `table` has compared, and never later than `now`."""
        t = self.t_while(boot, up, by_boot(self.links_of.get(topics.table_node(table), ())))
        return None if t is None else min(t, self.t(now))

    def clock_at(self, t: int) -> tuple[str, float] | None:
        """By which boot the evening went at `t`, and its clock then (ms); None where the log does not say."""
        for one in reversed(self.clocks):
            if one.boot and one.up is not None and one.t <= t:
                return one.boot, float(t - one.t + one.up)
        return None

    def clocks_before(self, boot: str) -> tuple[ClockBefore, ...]:
        """The last clocks by which the evening went, before it goes by this `boot`."""
        found = [
            ClockBefore(one.boot, float(one.up - one.t), one.t)
            for one in self.clocks
            if one.boot and one.up is not None
        ]
        if found and found[-1].boot == boot:
            found.pop()
        return tuple(found[-MAX_KEPT:])

    def set_clock(self, boot: str) -> list[HeadEffect]:
        """Has the log say that the evening clock goes by this `boot`, where it does not.

        Nothing comes between a fact that rings and its bell.
        """
        if not self.entries or self.bell.waiting or self.goes_by(boot) is not None:
            return []
        return self.record(facts.ClockSet(self.since, boot, int(self.since + self.began)))

    def claimed_no(self, no: int) -> None:
        """Somebody tells of an evening with this running number."""
        self._claimed_no = max(self._claimed_no, no)

    def claimed_epoch(self, epoch: int) -> None:
        """A table of this evening tells of this round."""
        self._claimed_epoch = max(self._claimed_epoch, epoch)

    def compared(self, node: str, links: tuple[BootOffset, ...]) -> None:
        """A node tells how far heads' clocks are apart."""
        self.links_of[node] = links

    def count_rewritten(self, evenings: Mapping[str, int]) -> None:
        """These evenings have been written anew, each for that many times now."""
        self.rewritten |= evenings

    @property
    def tables(self) -> set[int]:
        """The numbers of all tables."""
        return set(range(1, self.evening.tables + 1))

    def committed(self) -> Sequence[Entry]:
        """The entries that others may have: those on disk, all of them while the disk fails."""
        return self.entries[: self._on_disk]

    def publishable(self, number: int) -> list[Entry]:
        """The entries up to `number` that became so by being on disk, or by a disk that fails."""
        fresh = self.entries[self._on_disk : number]
        self._on_disk = max(self._on_disk, number)
        return fresh

    def replay(self, entries: Iterable[tuple[Entry, facts.Fact]], now: float) -> None:
        """Goes on from the entries of a journal with their facts, which are on disk."""
        self.begin(now)
        for entry, fact in entries:
            apply(self.evening, fact)
            self.bell.replayed(self.evening, fact)
            self._enter(entry, fact)
        self._on_disk = len(self.entries)

    def by_its_clocks(self, t: int | None, clock: ClockName | None) -> int | None:
        """The time `t` by the `clock` of that name, by those of the log: by another end one may have begun
        otherwise. Of a boot by which this log never went nobody can tell more than `t`.
        """
        by = self.t_by(clock[0], t + clock[1]) if clock and t is not None else None
        return t if by is None else by

    def made_by_its_clocks(self, t: int, clock: ClockName | None) -> int:
        """Likewise of what was made by that clock, so before the next one of this log began."""
        by = self.t_while(clock[0], t + clock[1]) if clock else None
        return t if by is None else by

    def claimed_bell(
        self, table: int, epoch: int | None, t: int | None, head_up: tuple[str, int] | None = None
    ) -> None:
        """A table tells that it heard the end of this round at `t`, None if it does not.

        That was `head_up`: so many ms after the boot of the head by which the evening went then.
        """
        if t is None or epoch != self.evening.epoch:
            return
        if self._open_since < t <= self.last_t + FAR_AHEAD_MS:
            self.heard_t[table] = max(self.heard_t.get(table, 0), t)
            if head_up:
                self._bells_by_boot[table, head_up[0]] = head_up[1]

    def behind_bells_by_boot(self, boot: str, up: int) -> bool:
        """True for what was made behind each bell of the running round that is timed by that boot's clock.

        Where this boot rang, nobody can tell it of another bell.
        """
        bells = [at for (_, rang), at in self._bells_by_boot.items() if rang == boot]
        return bool(bells) and not self._rang_here and up > max(bells)

    @property
    def _rang_here(self) -> bool:
        """This boot rang the end of the running round, and has noted when."""
        return bool(self.bell.noted.get(self.bell.id(self.evening, "end")))

    @property
    def end_bell_t(self) -> int:
        """The time at which two tables heard the end of the running round, else the least told of, or 0.

        What did not sound in this boot did so before the clock of it, whatever one before said then.
        """
        rang_t = self.bell_sounded or min(self.heard_t.values(), default=0)
        ours = not self.since or self.bell.noted.get(self.bell.id(self.evening, "end"))
        return rang_t if ours else min(rang_t, self.since)

    @property
    def end_claimed(self) -> bool:
        """True if a note or a table tells of an end of the running round that is not in the log."""
        round_ = self.evening.round
        if round_ is None or round_.bell is not None:
            return False
        return bool(self.heard_t) or self.bell.id(self.evening, "end") in self.bell.noted

    @property
    def knows_bell(self) -> bool:
        """True if this boot has been head since the round was opened, or its last bell was void.

        Then it has noted each bell before its relay moved: nobody can tell it of another one.
        """
        return self._open_since >= self.since

    @property
    def bell_sounded(self) -> int | None:
        """The end of the running round that two tables heard at the same time, before this boot was head.

        One alone may be wrong. Two that agree to lie end a round in which the head's machine was off: a head
        whose card was slow knows no better then, and the host declares such a bell void.
        """
        tables_at = Counter(() if self.knows_bell else self.heard_t.values())
        return next((t for t, tables in tables_at.items() if tables > 1), None)

    def has(self, table: int, mark: ThrowId | None) -> bool:
        """True if the throw that the table's box calls `mark` is in the log."""
        return mark is not None and mark in self._marks.get(table, ())

    def of_the_last_round(self, table: int, mark: ThrowId | None, since: float) -> bool:
        """True for what was made `since` then (ms), so surely behind the opening of the last round.

        Or if its box or phone numbered it behind one that the log has of that.
        """
        behind = mark is not None and self._first_marks.get((table, mark[0]), inf) < mark[1]
        return behind or since > (self.opened_t or 0)

    def take(self, fact: facts.Fact, origin: Origin, received: bool = False) -> list[HeadEffect]:
        """A table's fact, entered whether it counts or not; the bell of one that was `received` has rung.

        `FactError`, and nothing is entered, for a fact of no table or rule set.
        """
        self._apply(fact)
        return [*self._entered(fact, origin, received=received), *self._number_ties(fact.t)]

    def record(self, fact: facts.Fact, answer: Answer | None = None) -> list[HeadEffect]:
        """Applies a fact of the head and appends it; `Refused` if the state does not allow it.

        The `answer` to the command that made it is journaled with it.
        """
        try:
            why = self._apply(_readable(fact))
        except FactError as error:
            raise Refused(*error.reasons) from error
        if why:
            self.evening.not_entered()
            raise Refused(why)
        return [*self._entered(fact, None, answer), *self._number_ties(fact.t)]

    def _apply(self, fact: facts.Fact) -> Reason | None:
        """Applies a fact; what is not entered has no place in the log."""
        try:
            return apply(self.evening, fact)
        except FactError:
            self.evening.not_entered()
            raise

    def _number_ties(self, t: int) -> list[HeadEffect]:
        """Numbers every formed tie; tables and hosts name it by that."""
        effects: list[HeadEffect] = []
        while self.evening.round is None and (formed := unnumbered(self.evening, t)):
            apply(self.evening, formed)
            effects += self._entered(formed, None)
        return effects

    def open_evening(self, fact: facts.EveningOpen, boot: str, now: float) -> list[HeadEffect]:
        """Begins with a new evening, which is given number, key and clock; raises as `record` does."""
        no = following(self._highest_no, self._claimed_no)
        fact = _readable(replace(fact, no=no, key=self.key.id, boot=boot, up=int(now)))
        self.begin(int(now))
        return self.record(fact)

    def open_round(self, t: int, by: str, answer: Answer | None = None) -> list[HeadEffect]:
        """Opens a round above every one that anybody has told of or that sounded; raises as `record` does."""
        last = self.evening.epoch
        epoch = following(last, max(self._claimed_epoch, self.bell.last_round(self.evening)), t)
        effects = self.record(facts.RoundOpen(t, by, epoch=None if epoch == last + 1 else epoch), answer)
        for first in drawn_first(self.evening, t, by):
            effects += self.record(first)
        return effects

    def timed_behind(self, other: Sequence[Entry]) -> TimedByTheLog:
        """The times of the `other` end by this log: of a boot that has another clock here, by that.

        A clock of another boot that began here behind where the two part began after all of that end.
        """
        ours, theirs = (
            [fact for one in end if isinstance(fact := one.decoded(), facts.ClockSet)]
            for end in (self.entries[other[0].n - 1 :], other)
        )
        clocks = [*self.clocks[: len(self.clocks) - len(ours)][-1:], *theirs]
        began = inf if not ours or ours[-1].boot in {one.boot for one in theirs} else ours[-1].t

        return lambda t, _table: int(min(self.made_by_its_clocks(t, clock_of(clocks, t)), began))

    def merge(
        self,
        entries: Sequence[Entry],
        now: float,
        timed: TimedByTheLog,
        sounded_t: Callable[[], int | None],
    ) -> list[HeadEffect]:
        """Enters tables' facts of another end again by their identity, behind a log that has not all of them.

        A fact that ends the round only here, where more came together, rings. One that did so there has rung:
        what was behind it, if anything, is the bell. `timed` gives a time of that end by this log's clock.
        A round of which the end sounded (`sounded_t`) is over since then, whatever ends it here, and what was
        made later stands behind that.
        What was made while the evening was closed there counts if this log does not have it closed then; so
        does what was made before a clock of that end began, of which nobody knows more. That was made by the
        bell that only this log has, or 1 ms behind it where its table had heard it.
        A `bell_seen` keeps the time that it tells of: this boot has noted its bells, and no bell of another
        boot is put behind the start of its clock.
        """
        effects: list[HeadEffect] = []
        before = self.entries[: entries[0].n - 1] if entries else []
        starts = {fact.t for fact in map(Entry.decoded, entries) if isinstance(fact, facts.ClockSet)}
        starts_here = {one.t for one in self.clocks}
        here, there = (
            [one.n for one in end if self._is_bell(one)] for end in (self.entries[len(before) :], entries)
        )
        bell = self.evening.round.bell if self.evening.round and here else None
        for one in missing(self.entries, entries):
            rung = one.rang_t is not None or (one.last and _rings_at_last([*before, *entries]))
            effects += self.bell_rang(now)
            fact = one.entry.decoded()
            then = fact.head_up if isinstance(fact, facts.Roll) else None
            known = self.t_then(one.origin.table, *then, now) if then else None
            unsure = fact.t in starts and (known is None or known in starts_here)
            fact = replace(fact, t=timed(fact.t, one.origin.table) if known is None else known)
            fact = self._of_its_round(fact, one.origin, known)
            reopened = next((end for closed, end in self.closings if closed < fact.t < end), None)
            if unsure and bell and one.entry.n < min(there, default=inf):
                has_heard = self.bell_seen.get(one.origin.table) == self.evening.epoch
                fact = replace(fact, t=min(fact.t, bell.t + has_heard))
            if unsure and reopened is not None:
                fact, reopened = replace(fact, t=reopened), None
            if getattr(fact, "while_closed", None) and reopened is None:
                fact = replace(fact, while_closed=None)
            heard_t = sounded_t()
            if heard_t is not None and fact.t > heard_t:
                effects += [*self.close_at(heard_t), *self.bell_rang(now, heard_t)]
            try:
                effects += self.take(fact, one.origin, received=rung or heard_t is not None)
            except FactError:  # its table was drawn behind where the two part
                continue
            effects += self.behind_bell()
            rang_t = heard_t
            if rang_t is None and one.rang_t is not None:
                rang_t = timed(one.rang_t, one.origin.table)
            effects += self.bell_rang(now, rang_t if rung or rang_t is not None else self.t(now))
        return effects

    def _is_bell(self, entry: Entry) -> bool:
        """True for a bell that ended the last round."""
        fact = entry.decoded()
        return isinstance(fact, facts.BellRang) and fact.epoch == self.evening.epoch

    def _of_its_round(self, fact: facts.Fact, origin: Origin, since: int | None) -> facts.Fact:
        """The fact, of the last round where its table guessed an earlier one and it was made in that.

        It was made at `since` at the earliest; None where only its table's guess tells of that.
        """
        last = self.evening.epoch
        if not isinstance(fact, facts.Roll) or fact.guessed is None or (fact.epoch or 0) >= last:
            return fact
        since = fact.t - fact.guessed if since is None else since
        known = self.of_the_last_round(origin.table, origin.mark, since)
        return replace(fact, epoch=last) if known else fact

    def close_at(self, t: int) -> list[HeadEffect]:
        """Closes the running round, of which the end sounded at `t` for a reason that is not in the log."""
        self.bell.noted.setdefault(self.bell.id(self.evening, "end"), 0.0)
        return self.record(facts.RoundClose(t, facts.SOUNDED, self.evening.epoch))

    def bell_rang(self, now: float, t: int | None = None) -> list[HeadEffect]:
        """The end bell that is waited for, if any, could be heard at `t`; None: when its reason came, or when
        tables heard it, which was before `now`.
        """
        round_ = self.evening.round
        if self.bell.waiting is None or round_ is None or round_.bell is None:
            return []
        self.bell.silent(self.bell.waiting)
        rang_t = min(self.end_bell_t, self.t(now)) if t is None else t
        return self.rang_at(max(rang_t, round_.bell.t))

    def rang_at(self, t: int) -> list[HeadEffect]:
        """Enters that the end bell could be heard at `t`, and by which earlier clock, where a table tells."""
        went = self.clock_at(t)
        of_before = [(boot, at) for (_, boot), at in self._bells_by_boot.items() if went and boot != went[0]]
        known = len({boot for boot, _ in of_before}) == 1 and not self._rang_here
        return self.record(facts.BellRang(t, self.evening.epoch, max(of_before) if known else None))

    def _entered(
        self, fact: facts.Fact, origin: Origin | None, answer: Answer | None = None, received: bool = False
    ) -> list[HeadEffect]:
        """Enters a table's fact that rings once the relay has been told: see `behind_bell`."""
        effects = self.behind_bell()
        rung = self.bell.entered(self.evening, fact, received)
        if rung and origin:
            self._ringing = fact, origin
            return [*effects, *rung]
        return [*effects, *rung, self._chained(fact, origin, answer)]

    def behind_bell(self) -> list[HeadEffect]:
        """Enters the fact of a table that rang, of which the relay does not wait for hash and encoding."""
        ringing, self._ringing = self._ringing, None
        return [self._chained(*ringing)] if ringing else []

    def _chained(self, fact: facts.Fact, origin: Origin | None, answer: Answer | None = None) -> Append:
        before = self.entries[-1].mac if self.entries else ""
        entry = chained(self.key, before, self.evening.id, len(self.entries) + 1, fact, origin)
        self._enter(entry, fact)
        return Append((entry,), Answered(answer.id, msgspec.to_builtins(answer)) if answer else None)

    def changed(self) -> set[int] | None:
        """The tables of which entries came since this was asked last, None if none came."""
        changed, self._changed = self._changed, None
        return changed

    def _enter(self, entry: Entry, fact: facts.Fact) -> None:
        self.entries.append(entry)
        self.last_t = max(self.last_t, fact.t)
        origin = entry.origin
        table = origin.table if origin else getattr(fact, "table", None)
        if self._changed is None:
            self._changed = set()
        self._changed.update((table,) if table else self.tables)
        self._remember(fact, entry.n)
        if origin:
            self.upto.setdefault(origin.table, {})[origin.stream] = origin.seq
            if origin.mark:
                self._marks.setdefault(origin.table, set()).add(origin.mark)
                if getattr(fact, "epoch", None) == self.evening.epoch:
                    self._first_marks.setdefault((origin.table, origin.mark[0]), origin.mark[1])

    def _remember(self, fact: facts.Fact, n: int) -> None:
        match fact:
            case facts.Roll():
                if self._last_counted(fact.table) == n:
                    self.last_roll[fact.table] = (n, fact)
            case facts.Undo(table=table):
                last = self._last_counted(table)
                roll = self.entries[last - 1].decoded() if last else None
                if last and isinstance(roll, facts.Roll):
                    self.last_roll[table] = (last, roll)
                else:
                    self.last_roll.pop(table, None)
            case facts.BellSeen():
                self.bell_seen[fact.table] = fact.epoch or 0
                self.claimed_bell(fact.table, fact.epoch, fact.bell and min(fact.bell, fact.t))
            case facts.BellRang():
                if fact.head_up:
                    self._bells_by_boot[0, fact.head_up[0]] = fact.head_up[1]
            case facts.BellVoid():
                self.bell_seen.clear()
                self.heard_t, self._bells_by_boot, self._open_since = {}, {}, fact.t
            case facts.RoundOpen():
                self.heard_t, self._bells_by_boot, self._open_since = {}, {}, fact.t
                self.opened_t, self.opened_n = fact.t, n
                self.last_roll.clear()
                self.upto.clear()
                self._first_marks.clear()
            case facts.EveningOpen():
                self._highest_no = max(self._highest_no, fact.no or 0)
                if fact.rewritten:
                    self.rewritten[fact.id] = fact.rewritten
                self.clocks.append(fact)
            case facts.ClockSet():
                self.clocks.append(fact)
            case facts.EveningClose():
                self.closings.append((fact.t, inf))
            case facts.EveningReopen():
                if self.closings:
                    self.closings[-1] = (self.closings[-1][0], fact.t)
            case facts.Branch():
                self.branches += 1

    def _last_counted(self, table: int) -> int | None:
        round_ = self.evening.round
        return last_counted(round_.tables[table - 1]) if round_ else None


def clock_of(clocks: Sequence[facts.EveningOpen | facts.ClockSet], t: int) -> ClockName | None:
    """By which of these clocks the evening went at `t`; None where they do not say.

    What stands at the start of one may have been made before, and is not by that.
    """
    one = next((one for one in reversed(clocks) if one.t < t), None)
    return (one.boot, one.up - one.t) if one and one.boot and one.up is not None else None


def _rings_at_last(entries: Iterable[Entry]) -> bool:
    """True if the last fact of this end rang there: its head told the relay before it entered it."""
    evening = Evening()
    for entry in entries:
        try:
            apply(evening, entry.decoded())
        except FactError:
            return True
    return rings(evening)


def _readable(fact: FactOf) -> FactOf:
    """The fact, if it can be read again: one in the journal that cannot be takes all of it with it."""
    try:
        codec.decode(codec.encode(fact))
    except FactError as error:
        raise Refused(*error.reasons) from error
    return fact
