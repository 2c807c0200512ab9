"""The oracle: true time, every throw, every ring, every promise, and what the rules make of them.

It is written from the rules and from `pi_bunco/wire/README.md` alone and shares no code with the engine.
Times are true milliseconds, which nobody in the hall can read.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf
from typing import Any, Final

from vopr.referee import House, TableRound

CLOCK_ERROR_MS: Final = 60
"""Machines that have exchanged the time know it this well: a throw so near to the bell may count or not."""
TRUSTED_ERROR_MS: Final = 250
"""A time that its table knows this well is believed against the bell, as well as it is known."""
Heads = frozenset[str]
"""The boots of two heads."""

TOLD_WITHIN_MS: Final = 1000
"""So long after a table told a head of the clocks that it compared all tables know them."""

LAST_MS: Final = 10_000
"""The last seconds of a round that the clock ends."""
LATE_START_MS: Final = 1000
"""A round's time may run from its opening, so long before its bell starts it."""
AUDIBLE_MS: Final = 150
"""A relay that was on for less has rung for nobody."""
MANY_BELLS: Final = 5
"""The number of bells of which every table has heard one."""
BELL_WITHIN_MS: Final = 900
"""Three round trips and a new session: so long the way may be free before the bell must have rung."""
NEEDS_MEMORY: Final = ("second bell", "false sentence", "lost", "disorder")
"""Findings that cannot be right where the log itself is gone."""


@dataclass(frozen=True)
class Finding:
    """A sentence of the project that does not hold."""

    kind: str
    text: str


@dataclass
class Throw:
    """Three dice that came to rest at a table, and what became of them."""

    table: int
    number: int
    at: int
    dice: tuple[int, int, int]
    played: bool
    """Thrown while the table's own lights said that the round runs: somebody counts on it."""
    shown: int = 0
    """The round of which its table's lights were then."""
    heard: int = 0
    """The round of which its table's process, which took it, had heard the end by then."""
    excused: str = ""
    """The reason why this throw may be judged either way: its machine lost its clock."""
    saved: bool = False
    boot: str = ""
    err: float = 0.0
    """The bound of its time's error that its table has told, as far as the time is believed (ms)."""
    as_sent: str = ""
    """Its time as its table has told it, for the story."""

    def __str__(self) -> str:
        return f"throw {self.number} of table {self.table} ({'-'.join(map(str, self.dice))})"


@dataclass(frozen=True)
class Line:
    """A fact of the log as the wire has it, with the throw that it is of, and whether the fold counts it."""

    n: int
    fact: Mapping[str, Any]
    at: float
    """The time at which it was published first."""
    throw: Throw | None = None
    counted: bool = True
    entered: float = 0.0
    """The time at which a head took it into its log first."""
    forgotten: bool = False
    """The card of its table has lost it: what the table made since does not say that it comes after it."""


@dataclass(frozen=True)
class Ring:
    """The relay has switched for the start or the end of a round."""

    at: int
    epoch: int
    signal: str
    boot: str = ""
    """Since when its machine had power."""
    off: float = inf
    """The time at which the relay went off again with its head."""
    told: bool = False
    """A head that goes on by its note has told of it."""
    cut_short: bool = False
    """The power went, and with it the note, and nobody could hear it before, or was told of it."""
    unnoted: bool = False
    """The power went, and with it the note of what sounded: tables alone know of it."""

    @property
    def id(self) -> str:
        """The signal as its head notes it."""
        evening, name = self.signal.split()
        return f"{evening}:{self.epoch}:{name}"


@dataclass(frozen=True)
class Promise:
    """A command that was answered as done."""

    id: str
    command: str
    at: int
    text: tuple[str, ...]


KIND_OF_COMMAND: Final = {
    "evening_open": "evening",
    "seats_draw": "seating",
    "round_start": "round_open",
    "round_end": "round_close",
    "pause": "pause",
    "undo": "undo",
    "resume": "resume",
    "evening_close": "evening_close",
    "evening_reopen": "evening_reopen",
    "bypass": "bypass",
    "restore": "restore",
    "decide": "decide",
}


@dataclass
class Oracle:
    """Takes down what truly happens, and says at the end what was lost, doubled, misjudged or not true."""

    house: House
    limit_s: int | None = None
    """Seconds after which the clock ends a round."""
    clear: list[tuple[float, bool]] = field(default_factory=list)
    """From when on the way from the head table to the bell was free, and from when on it was not."""
    waits: list[tuple[float, int]] = field(default_factory=list)
    """Per bell how long its way was free before it rang (ms), and the round."""
    throws: dict[int, list[Throw]] = field(default_factory=lambda: defaultdict(list))
    rings: list[Ring] = field(default_factory=list)
    promises: list[Promise] = field(default_factory=list)
    closings: list[float] = field(default_factory=list)
    """Times at which the host pressed the button that closes the evening."""
    refused: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    amnesia: bool = False
    """Entries of the log are gone with the only card that had them: nobody can know better."""
    declined: Counter[str] = field(default_factory=Counter)
    """The kinds of facts of an end of the log that the host was told of, and went on without."""
    forgot_at: float = 0.0
    """The time at which the head's card lied last and lost entries: who else has them may not be there when
    the bell rings again, and what was counted meanwhile stays counted; 0 if it never did."""
    _compared: dict[int, dict[tuple[str, str], float]] = field(default_factory=lambda: defaultdict(dict))
    """Per table the boots whose clocks it has compared, and when first."""
    _told: dict[int, dict[Heads, float]] = field(default_factory=lambda: defaultdict(dict))
    """Per table the heads whose clocks it told to be so far apart, and when first."""
    _agreed: dict[Heads, float] = field(default_factory=dict)
    """The heads of whose clocks two tables told alike, and when first."""
    _heard_of: dict[int, dict[Heads, float]] = field(default_factory=lambda: defaultdict(dict))
    """Per table the heads of whose clocks its own card has that, though another one lied, and since when."""
    _closed: list[tuple[float, float]] = field(default_factory=list)
    _opened: set[int] = field(default_factory=set)
    """The rounds of the log: any other that was played is in an end of it that the host has left."""
    told: dict[str, list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(lambda: [(0.0, 0)]))
    """The greatest numbers of rounds (`epoch`) and evenings (`no`) that tables told of, since when (ms)."""
    liars: set[int] = field(default_factory=set)
    """Tables whose account the adversary has: what they say of themselves is nobody's loss."""

    clocks_are_lies: bool = False
    """The adversary told how far the clocks of heads were apart: what others tell of that leads nowhere."""

    def find(self, kind: str, text: str) -> None:
        """Takes a finding down once."""
        finding = Finding(kind, text)
        if finding not in self.findings:
            self.findings.append(finding)

    def thrown(
        self, table: int, at: int, dice: tuple[int, int, int], *, played: bool, shown: int, heard: int = 0
    ) -> Throw:
        """Three dice have come to rest."""
        throws = self.throws[table]
        throws.append(Throw(table, len(throws) + 1, at, dice, played, shown, heard))
        return throws[-1]

    def compared(self, table: int, boot: str, of_head: str, at: float) -> None:
        """A table has compared its clock with a head's: both as long as their machines have power."""
        self._compared[table].setdefault((boot, of_head), at)

    def passed_on(self, table: int, at: float) -> None:
        """A head has heard from a table which heads' clocks it compared in one boot."""
        met = defaultdict[str, set[str]](set)
        for boot, head in self._compared[table]:
            met[boot].add(head)
        for heads in met.values():
            for pair in combinations(heads, 2):
                both = frozenset(pair)
                self._told[table].setdefault(both, at)
                if sum(both in told for one, told in self._told.items() if one not in self.liars) > 1:
                    self._agreed.setdefault(both, at)

    def forgets(
        self,
        kept: Mapping[int, set[tuple[str, str]]],
        told: Mapping[int, set[Heads]],
        heard: Mapping[int, set[Heads]],
    ) -> None:
        """Cards lied: these comparisons of tables are `kept`, and those of heads of which each `told`.

        What is on the head's card no more helps only who has `heard` of it, until it is told again.
        """
        for table, links in heard.items():
            self._heard_of[table] = {one: at for one, at in self._agreed.items() if one in links}
        for table, known in kept.items():
            self._compared[table] = {one: at for one, at in self._compared[table].items() if one in known}
        for table, pairs in self._told.items():
            self._told[table] = {one: at for one, at in pairs.items() if one in told.get(table, ())}

    def comparable(self, throw: Throw, other: str, by: float) -> bool:
        """True if comparisons that its table knew `by` then lead from the boot of a throw to another.

        How far the clocks of heads were apart two tell alike, and one alone in vain.
        """
        known = {frozenset(one) for one, at in self._compared[throw.table].items() if at <= by}
        honest = [told for table, told in self._told.items() if table not in self.liars]
        voices = Counter(one for told in honest for one, at in told.items() if at + TOLD_WITHIN_MS <= by)
        heard = self._heard_of[throw.table].items()
        agreed = {one for one, many in voices.items() if many > 1}
        agreed |= {one for one, at in heard if at + TOLD_WITHIN_MS <= by}
        known |= set() if self.clocks_are_lies else agreed
        reached, new = {throw.boot}, {throw.boot}
        while new:
            new = {boot for one in known if reached & one for boot in one} - reached
            reached |= new
        return other in reached

    def rang(self, at: int, epoch: int, signal: str, boot: str, *, known: bool = True) -> None:
        """The relay has switched for a signal of a round: it does so once a round.

        What no note is left of, and is not `known` to who is there as a head believes it, no head can know.
        """
        for earlier in self.rings:
            again = (earlier.epoch, earlier.signal) == (epoch, signal) and not earlier.cut_short
            if again and not self.forgot_at and (known or not earlier.unnoted):
                self.find(
                    "second bell",
                    f"the {signal} bell of round {epoch} rang at {earlier.at} and again at {at}",
                )
        self.rings.append(Ring(at, epoch, signal, boot))
        self.tells("epoch", epoch, at)

    def ending(self, epoch: int, at: float) -> None:
        """Lights say that the clock is about to end a round: in its last seconds, if it ends it at all."""
        began = min((one.at for one in self.rings if one.epoch == epoch), default=0)
        left_ms = began + 1000 * (self.limit_s or inf) - at
        if left_ms > LAST_MS + LATE_START_MS + CLOCK_ERROR_MS:
            self.find("false sentence", f"lights say that round {epoch} is ending, {left_ms:.0f} ms before")

    def closed_by_time(self, epoch: int, at: float) -> None:
        """The clock closes a round: it was as long as people could hear it, whatever a card loses since."""
        starts = [ring.at for ring in self._heard(epoch, "start")]
        early = min(starts, default=-inf) + 1000 * (self.limit_s or -inf) - at
        if early > 2000:
            self.find("early bell", f"round {epoch} was closed by time {early:.0f} ms too early")

    def head_ended(self, at: float) -> None:
        """The head's process is gone: its relay is off."""
        self.rings = [replace(ring, off=min(ring.off, at)) for ring in self.rings]

    def head_told(self) -> None:
        """The head goes on by its log and its notes: those have rung, however short they sounded."""
        self.rings = [ring if ring.cut_short else replace(ring, told=True) for ring in self.rings]

    def silenced(self, kept: Collection[str] = (), heard: float = inf) -> None:
        """The bell's machine lost its power: what had just begun to sound, and is not `kept`, was no bell.

        Other machines have `heard` of the start of this round, and of none behind it.
        """
        for n, ring in enumerate(self.rings):
            told = ring.told and (ring.epoch <= heard or not ring.signal.endswith("start"))
            if ring.off - ring.at < AUDIBLE_MS and ring.id not in kept and not told:
                self.rings[n] = replace(ring, cut_short=True)
            elif ring.id not in kept:
                self.rings[n] = replace(ring, unnoted=True)

    def way(self, at: float, *, free: bool) -> None:
        """The way from the head table's dice to the bell is free from now on, or is not."""
        if not self.clear or self.clear[-1][1] != free:
            self.clear.append((at, free))

    def answered(self, promise: Promise) -> None:
        """A command was answered as done; the same id gets the same answer."""
        for earlier in self.promises:
            if earlier.id == promise.id and earlier.text != promise.text:
                self.find(
                    "false sentence", f"{promise.id} was answered {earlier.text} and then {promise.text}"
                )
        if all(earlier.id != promise.id for earlier in self.promises):
            self.promises.append(promise)

    def tells(self, what: str, number: int, at: float) -> None:
        """A table tells of a round or an evening by its number, or a signal of the round sounds."""
        if number > self.told[what][-1][1]:
            self.told[what].append((at, number))

    def judge(self, lines: Sequence[Line]) -> list[Finding]:
        """The findings on this log once all is healed."""
        self._closed = _closed(lines, self.closings)
        self._opened = {line.fact["epoch"] for line in lines if line.fact["kind"] == "round_open"}
        self._lost_and_doubled(lines)
        self._numbers(lines)
        self._bells_seen(lines)
        if self.amnesia:
            self.findings = [one for one in self.findings if one.kind not in NEEDS_MEMORY]
        else:
            self._rounds(lines)
            self._promises(lines)
        return self.findings

    def _while_closed(self, throw: Throw) -> bool:
        return any(a - CLOCK_ERROR_MS <= throw.at <= b + CLOCK_ERROR_MS for a, b in self._closed)

    def _lost_and_doubled(self, lines: Iterable[Line]) -> None:
        seen: Counter[int] = Counter()
        latest: dict[int, int] = {}
        for line in lines:
            if line.throw is None or line.throw.table in self.liars:
                continue
            seen[id(line.throw)] += 1
            late = line.throw.number < latest.get(line.throw.table, 0) and not line.forgotten
            if late and seen[id(line.throw)] == 1:
                self.find("disorder", f"{line.throw} stands in the log behind a later one of its table")
            latest[line.throw.table] = max(latest.get(line.throw.table, 0), line.throw.number)
        for throw in (each for throws in self.throws.values() for each in throws):
            if throw.table in self.liars:
                continue
            if seen[id(throw)] > 1:
                self.find("doubled", f"{throw} stands {seen[id(throw)]} times in the log")
            if not seen[id(throw)] and throw.saved:
                self.find("lost", f"{throw}, made at {throw.at} and shown as saved, is not in the log")

    def _bells_seen(self, lines: Iterable[Line]) -> None:
        """A table that plays tells of the bells that it knows of."""
        told = {line.fact["table"] for line in lines if line.fact["kind"] == "bell_seen"}
        many = sum(line.fact["kind"] in ("bell", "round_close") for line in lines)
        for table in self.throws.keys() - told - self.liars if many >= MANY_BELLS else ():
            self.find("unlike", f"{many} rounds have ended, and table {table} told of no bell")

    def _numbers(self, lines: Iterable[Line]) -> None:
        """A head's numbers go up by one, but where one was told of, or sounded, that is not in the log."""
        last = Counter[str]()
        for line in lines:
            what = {"round_open": "epoch", "evening": "no"}.get(line.fact["kind"])
            if what is None:
                continue
            number = line.fact[what] or 0
            told = max(one for at, one in self.told[what] if at <= line.at)
            if number > last[what] + 1 and told <= last[what]:
                self.find(
                    "odd number", f"{what} {number} follows {last[what]}, none above {told} was told of"
                )
            last[what] = number

    def _rounds(self, lines: Sequence[Line]) -> None:
        opened: int | None = None
        number = 0
        for place, line in enumerate(lines):
            if line.fact["kind"] == "round_open":
                opened = place
                number += 1
            ends = place + 1 == len(lines) or lines[place + 1].fact["kind"] == "round_open"
            if ends and opened is not None:
                self._round(lines[opened : place + 1], (number - 1) % 6 + 1)
                opened = None

    def _round(self, lines: Sequence[Line], target: int) -> None:
        """One round's facts in log order: who counts by when the throw was truly made."""
        opening = lines[0].fact
        epoch = opening["epoch"]
        if any(line.fact["kind"] in ("round_cancel", "bell_void", "undo", "turn", "tally") for line in lines):
            return
        rings = self._heard(epoch, "end")
        bell_facts = [line for line in lines if line.fact["kind"] == "bell"]
        self._rung_at_all(epoch, lines)
        if len(bell_facts) > 1 and not self.forgot_at:
            self.find("second bell", f"round {epoch} has {len(bell_facts)} bell facts")
        if bell_facts and not rings:
            self.find("no bell", f"round {epoch} has a bell fact and nobody could hear a bell")
        if self.forgot_at and len(rings) > 1:
            return
        bell_at = rings[0].at if rings else None
        forgot_at = max(self.forgot_at, *(ring.at for ring in rings[1:]), 0.0)
        tables: dict[int, TableRound] = defaultdict(lambda: TableRound(self.house, target))
        unknown: set[int] = set()
        first: dict[int, int] = {}
        clocks = [(0.0, ring.boot) for ring in self._heard(epoch, "start")[:1]]
        closed = _closed(lines, self.closings)
        ended = False
        ringing: Throw | None = None
        made = 0
        bell_t = inf
        for line in lines:
            kind, table = line.fact["kind"], line.fact.get("table") or 0
            if ended and not tables[table].rung:
                tables[table].bell()
            if kind in ("bell", "round_close"):
                if kind == "bell" and bell_at is not None and ringing is not None and not closed:
                    self._wait(epoch, ringing, made, bell_at)
                bell_t = line.fact["t"] if kind == "bell" else bell_t
                ended = True
                for each in tables.values():
                    each.bell()
            elif kind == "confirm" and line.counted:
                tables[table].confirm()
            elif kind == "decide":
                tables[table].final = True
            elif kind == "clock":
                clocks.append((line.entered, line.fact["boot"]))
            elif line.throw is not None and table not in self.liars:
                if line.fact.get("epoch") == epoch:
                    first.setdefault(table, line.throw.number)
                elif self._of_no_known_round(line, first.get(table, inf), clocks):
                    line.throw.excused = "its table lost the news of the round, and nothing tells when it was"
                if ringing is not None and not ended and not self._misjudged(epoch):
                    self.find("no bell", f"{ringing} should have rung for round {epoch}, and play went on")
                rung = ended or (bell_at is not None and bell_at <= line.at)  # for a head that lost it
                if rung and rings and not self.comparable(line.throw, rings[0].boot, line.at):
                    unknown.add(table)
                if table in unknown:  # its clock does not fall within the round
                    line.throw.excused = "a machine lost its power before the clocks could be compared"
                unheard = not ended and line.throw.heard < epoch
                if unheard and bell_at is not None and bell_at <= min(line.throw.at, forgot_at):
                    line.throw.excused = "the head forgot that the bell had rung"
                if any(a - CLOCK_ERROR_MS <= line.throw.at <= b + CLOCK_ERROR_MS for a, b in closed):
                    line.throw.excused = line.throw.excused or "the evening was closed then"
                if table == 1 and not ended:
                    made = max(made, line.throw.at)
                    if line.counted and tables[1].rings(line.throw.dice):
                        ringing = line.throw
                self._one(line, tables[table], epoch, lines[0], bell_at, bell_t)

    def _of_no_known_round(self, line: Line, first: float, clocks: Iterable[tuple[float, str]]) -> bool:
        """True if its table can but guess the round of a throw, and no head knows more.

        Its box did not number it behind the `first` of that round in the log, nor was its clock compared with
        one by which the evening went then: the `clocks`, boots and from when on.
        """
        throw = line.throw
        assert throw is not None
        if "guessed" not in throw.as_sent or throw.number > first:
            return False
        went = [boot for since, boot in clocks if since <= throw.at]
        return not any(self.comparable(throw, boot, line.at) for boot in went)

    def _heard(self, epoch: int, signal: str) -> list[Ring]:
        """The rings of a round's start or end that were not cut short; where all of them were, those."""
        rings = [ring for ring in self.rings if ring.epoch == epoch and ring.signal.endswith(signal)]
        return [ring for ring in rings if not ring.cut_short] or rings

    def _rung_at_all(self, epoch: int, lines: Sequence[Line]) -> None:
        """Finds a start that players did not hear, and an end that those who are told of it did not."""
        rung = {ring.signal.split()[-1] for ring in self.rings if ring.epoch == epoch}
        if "start" not in rung and any(line.throw and line.throw.played and line.counted for line in lines):
            self.find("no bell", f"round {epoch} is played, and nobody could hear it start")
        if "end" not in rung and any(line.fact["kind"] == "round_close" for line in lines):
            self.find("no bell", f"round {epoch} was closed, and nobody could hear its end")

    def _misjudged(self, epoch: int) -> bool:
        """A throw of the round was misjudged: what follows from that is no finding of its own."""
        return any(f" of round {epoch}," in one.text for one in self.findings)

    def _wait(self, epoch: int, ringing: Throw, made: int, bell_at: int) -> None:
        """The longest that the way was free between the throw that rings and the bell.

        All that stands before it in the log was `made` by then: where two ends of the log met, it may ring by
        throws that were made later.
        """
        longest, since = 0.0, None
        for at, free in [*self.clear, (float(bell_at), False)]:
            if since is not None:
                longest = max(longest, min(at, bell_at) - max(since, made))
            since = at if free else None
        self.waits.append((longest, epoch))
        if longest > BELL_WITHIN_MS:
            text = f"{ringing} was to ring for round {epoch}: its way was free for {longest:.0f} ms before"
            self.find("late bell", text)

    def _one(
        self, line: Line, table: TableRound, epoch: int, opening: Line, bell_at: int | None, bell_t: float
    ) -> None:
        throw, opened_at, entered = line.throw, opening.at, opening.entered
        assert throw is not None
        known = max(CLOCK_ERROR_MS, throw.err)
        early = throw.played and not throw.excused and throw.at < entered - known
        if early and line.counted:
            self.find(
                "misjudged", f"{throw}, made at {throw.at}, counts in round {epoch} opened at {entered:.0f}"
            )
        behind = throw.heard == epoch and bell_at is not None and throw.at >= bell_at
        near = bell_at is not None and abs(throw.at - bell_at) <= known and not behind
        near = near or throw.at <= opened_at + known or bool(throw.excused)
        near = near or not (throw.played or behind)
        # Nobody there knew of this round, and the dice were for one before it, or for one that is left.
        near = near or throw.shown < epoch or throw.shown not in {epoch, *self._opened}
        if near or self._while_closed(throw):
            if line.counted:  # it may be of both sides: the log says of which
                _takes(table, line, throw, before=line.fact["t"] <= bell_t)
            return
        before = bell_at is None or throw.at < bell_at
        counts = _takes(table, line, throw, before=before)
        if counts != line.counted:
            side = (
                ""
                if bell_at is None
                else f", {abs(throw.at - bell_at)} ms {'before' if before else 'after'} the bell"
            )
            word = "counts" if line.counted else "is ignored"
            kind = "unmeasured" if "t=None" in throw.as_sent else "misjudged"
            self.find(kind, f"{throw} of round {epoch}, made at {throw.at}{side}, {word}; {throw.as_sent}")

    def _promises(self, lines: Sequence[Line]) -> None:
        """Finds promises that outlived the host's choice of another end: nothing of before is promised then.

        Nor by what is in an end that the host was asked about and did not choose.
        """
        since = max((line.at for line in lines if line.fact["kind"] == "branch"), default=0.0)
        kinds = Counter(line.fact["kind"] for line in lines if line.at >= since)
        promised = Counter(
            KIND_OF_COMMAND[each.command]
            for each in self.promises
            if each.command in KIND_OF_COMMAND and each.at >= since
        )
        for kind, count in promised.items():
            if kinds[kind] + self.declined[kind] < count:
                self.find(
                    "false sentence",
                    f"{count} times a host was told that {kind} is done, the log has {kinds[kind]}",
                )


def _takes(table: TableRound, line: Line, throw: Throw, *, before: bool) -> bool:
    """True if it counts by the rules: a table that waits for one die of each team throws no roll."""
    if line.fact["kind"] == "faceoff":
        return table.faceoff(line.fact["dice"])
    return table.throw(throw.dice, before_bell=before)


def _closed(lines: Iterable[Line], pressed: Iterable[float]) -> list[tuple[float, float]]:
    """From when to when the evening was closed: what was made then counts nowhere.

    The head closes it between the host's press and the first that anybody reads of it.
    """
    presses = list(pressed)
    spans = list[tuple[float, float]]()
    since: float | None = None
    for line in lines:
        if line.fact["kind"] == "evening_close":
            since = max((at for at in presses if at <= line.entered), default=line.entered)
        elif line.fact["kind"] == "evening_reopen" and since is not None:
            spans.append((since, line.at))
            since = None
    return spans if since is None else [*spans, (since, inf)]
