"""The evening clock at a machine whose own tells the time since its boot, over a network that delays at will.

A time is a boot and the ms since it. Offsets belong to the boots of two machines, whatever service, link or
evening there is, and stay for as long as facts of these boots may have to be timed.

The method is NTP's (RFC 5905, section 8) with the clock filter reduced to its core: of the last exchanges
the one with the least round trip counts, because the error cannot be more than half of that.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, islice
from math import ceil, floor, inf
from typing import Any

from msgspec import Struct, ValidationError, convert, to_builtins
from msgspec.structs import replace

from pi_bunco.game.fields import LATEST_MS
from pi_bunco.wire.messages import BootOffset, ClockBefore, ClockName, ClockReply

MAX_EXCHANGES = 16
DRIFT_PER_MS = 50e-6  # two crystals may differ by 50 ppm
OFTEN_FOR_MS = 4000.0  # after the first answer
OFTEN_EVERY_MS = 250.0  # between exchanges
EXCHANGE_EVERY_MS = 1000.0
TRUSTED_ERROR_MS = 250.0
"""A clock that may be further off is not believed against the bell."""
_NOISE_MS = 1.0  # that a round trip may come out below zero by drift and rounding


class Exchange(Struct, frozen=True, gc=False):
    """One measured exchange: the offset that it gives, its round trip, and when it began here (ms)."""

    offset: float
    trip: float
    began: float


class Offset:
    """The clock of another machine's boot minus this one's, with a bound of the error; both in ms."""

    def __init__(self) -> None:
        self._kept: deque[Exchange] = deque(maxlen=MAX_EXCHANGES)
        self._best: Exchange | None = None
        self._peer = ""
        self._since = float("-inf")

    def begin(self, peer: str, now: float) -> bool:
        """Starts afresh if `peer` (the boot of the other side) has changed, and tells if it did.

        Exchanges that began before then are of another clock and are not taken any more.
        """
        if peer == self._peer:
            return False
        self._peer, self._since = peer, now
        self._kept.clear()
        self._best = None
        return True

    def add(self, t0: float, t1: float, t2: float, t3: float) -> bool:
        """Takes an exchange: sent `t0`, received `t1`, answered `t2` (both by the other clock), back `t3`.

        False if it is not taken: begun before `begin`, or a clock ran back meanwhile.
        """
        trip = (t3 - t0) - (t2 - t1)
        if t0 < self._since or t3 < t0 or t2 < t1 or trip < -_NOISE_MS:
            return False
        self._kept.append(Exchange(((t1 - t0) + (t2 - t3)) / 2, max(trip, 0.0), t0))
        self._best = min(self._kept, key=lambda exchange: exchange.trip)
        return True

    def estimate(self, at: float) -> tuple[float, float] | None:
        """Offset and bound of its error at local time `at`; None while unmeasured."""
        best = self._best
        if best is None:
            return None
        return best.offset, best.trip / 2 + DRIFT_PER_MS * abs(at - best.began)


MAX_KEPT = 16
"""Offsets, and clocks of evenings, that are kept, the newest."""
MOVED_MS = 20.0
"""Milliseconds by which an offset must be surer than what is stored, or contradict it, to be stored anew."""


Compared = Mapping[str, Sequence[BootOffset]]
"""Per boot the clocks that were compared with its own, as it sees them."""


class EveningClock(Struct, frozen=True):
    """The clock of `evening` was 0 at `began` of the boot `head` (ms), and goes by it since `since`."""

    evening: str
    head: str
    began: float
    since: int


class KeptClocks(Struct, frozen=True):
    """The clocks as they are stored, the newest last."""

    offsets: tuple[BootOffset, ...] = ()
    evenings: tuple[EveningClock, ...] = ()
    links: tuple[BootOffset, ...] = ()
    """Clocks of two heads, as two others have told of them."""


class Clocks:
    """The evening clocks that a machine knows; times are ms since its `boot`."""

    def __init__(self, boot: str, kept: Any) -> None:
        """`kept` is `plain` of an earlier start."""
        self._boot = boot
        self._offset = Offset()
        self._head = ""
        try:
            self._keep(convert(kept or {}, KeptClocks))
        except ValidationError:
            self._keep(KeptClocks())

    def _keep(self, kept: KeptClocks) -> None:
        self._kept = kept
        self._compared = by_boot(kept.offsets)
        self._linked = by_boot((*kept.offsets, *kept.links)) if kept.links else self._compared
        """The clocks that were compared here or by others."""

    @property
    def plain(self) -> dict[str, Any]:
        """The plain values to store."""
        plain: dict[str, Any] = to_builtins(self._kept)
        return plain

    def answered(self, reply: ClockReply, now: float) -> bool:
        """Takes the head's answer to a question; tells if there is something new to store."""
        self._head = reply.boot
        self._offset.begin(reply.boot, reply.t0)
        self._offset.add(reply.t0, reply.t1, reply.t2, now)
        before, kept = self._kept, self._kept
        if reply.evening is not None:
            current = ClockBefore(reply.boot, reply.began, reply.since)
            elsewhere = (one for one in kept.evenings if one.evening != reply.evening)
            clocks = (
                EveningClock(reply.evening, one.boot, one.began, one.since)
                for one in (*reply.before, current)
            )
            evenings = (*elsewhere, *clocks)[-MAX_KEPT:]
            if evenings != kept.evenings:
                kept = replace(kept, evenings=evenings)
        estimate = self._offset.estimate(now)
        stored = next((one for one in kept.offsets if (one.boot, one.head) == (self._boot, reply.boot)), None)
        if estimate:
            new = BootOffset(
                self._boot, reply.boot, round(estimate[0], 1), round(estimate[1], 2), round(now, 1)
            )
            if stored is None or _is_better(new, stored, now):
                others = tuple(one for one in kept.offsets if one is not stored)
                kept = replace(kept, offsets=(*others, new)[-MAX_KEPT:])
        if (links := with_links(kept.links, reply.links)) != kept.links:
            kept = replace(kept, links=links)
        if kept is before:
            return False
        self._keep(kept)
        return True

    def sure(self, evening: str | None, head: str | None, now: float, *, answered: bool) -> bool:
        """True if the clock of this boot of a head is known so well that times by it are believed.

        `answered`: the head has told since it is there which evening it has.
        """
        offset = self._offset_to(head, self._boot, now) if head else None
        known = answered or self.knows(evening, head)
        return known and offset is not None and offset[1] <= TRUSTED_ERROR_MS

    def knows(self, evening: str | None, head: str | None) -> bool:
        """True if it is known when the clock of the evening began to go by this boot of a head."""
        return any((one.evening, one.head) == (evening, head) for one in self._kept.evenings)

    def last(self, evening: str | None) -> ClockName | None:
        """The clock by which the evening goes, as a head told last."""
        clock = self._last(evening)
        return None if clock is None else (clock.head, floor(clock.began))

    def at(self, evening: str, t: int, head: str | None) -> ClockName | None:
        """The clock by which the evening went at `t`; None while that of the `head` is not known."""
        if not self.knows(evening, head):
            return None
        found = (one for one in reversed(self._kept.evenings) if one.evening == evening and one.since <= t)
        return next(((one.head, floor(one.began)) for one in found), None)

    def present_t(self, evening: str | None, now: float) -> int | None:
        """The time `now` (ms) by that clock and no earlier one; None while it is unmeasured."""
        clock = self._last(evening)
        if clock is None or (offset := self._offset_to(clock.head, self._boot, now)) is None:
            return None
        return min(max(round(now + offset[0] - clock.began), clock.since), LATEST_MS)

    def _last(self, evening: str | None) -> EveningClock | None:
        return next((one for one in reversed(self._kept.evenings) if one.evening == evening), None)

    def t(self, evening: str | None, boot: str, up: float, late: float = 0.0) -> tuple[int, float] | None:
        """The clock of the evening (ms) `up` ms after `boot`, and by how much it may have been earlier.

        None while it is unmeasured; `up` may be too `late` by so many ms. A time is by the clock that went
        then, at most until the next one began, and what surely was made behind that is no earlier. By a clock
        with which `boot` cannot be compared it is no later than by the one before, and no earlier than by the
        one behind: each goes on where the one before would be, or further back. What an earlier boot made was
        made before this one began, or before a clock that began later.
        """
        latest, least = float(LATEST_MS), 0.0
        unknown_since: int | None = None
        measured = False
        for clock in reversed([one for one in self._kept.evenings if one.evening == evening]):
            offset = self._offset_to(clock.head, boot, up)
            if offset is None:
                unknown_since = clock.since
                if boot != self._boot and (begun := self._offset_to(clock.head, self._boot, 0.0)):
                    latest = min(latest, max(sum(begun) - clock.began, clock.since))
                continue
            t, err, measured = up + offset[0] - clock.began, offset[1] + late, True
            if t < clock.since:
                latest, least, unknown_since = clock.since, t - err, None
                continue
            latest = min(t, latest)
            if unknown_since is None or t < unknown_since:
                return max(round(latest), 0), 0.0 if t - err > latest else round(err, 2)
            least = max(least, min(unknown_since, t - err))
            break
        t = max(round(latest), 0)
        return (t, ceil(100 * max(t - least, 0.0)) / 100) if measured else None

    def head_up(self, evening: str | None, boot: str, up: float, t: int) -> tuple[str, int] | None:
        """The head by whose clock the evening went `up` ms after `boot`, and its ms then at the earliest.

        None unless that was surely behind `t`, as it is where `t` is but the start of the next clock.
        """
        for clock in reversed([one for one in self._kept.evenings if one.evening == evening]):
            if (offset := self._offset_to(clock.head, boot, up)) is None:
                continue
            least = up + offset[0] - offset[1]
            if up + offset[0] - clock.began >= clock.since:
                return (clock.head, floor(least)) if least - clock.began > t and least >= 0 else None
        return None

    def _offset_to(self, head: str, boot: str, up: float) -> tuple[float, float] | None:
        """A head's lead over this clock (ms), and the bound: by others' word only where none here is sure."""
        lead = self._led_to(head, boot, up, self._compared)
        if not self._kept.links or (lead and lead[1] <= TRUSTED_ERROR_MS):
            return lead
        return self._led_to(head, boot, up, self._linked)

    def _led_to(self, head: str, boot: str, up: float, compared: Compared) -> tuple[float, float] | None:
        """The lead and its bound by the surest of these comparisons that reach the head's clock."""
        measured = self._offset.estimate(up) if head == self._head and boot == self._boot else None
        return lead(head, boot, up, compared, measured)  # an earlier start may have stored a surer one

    @property
    def links(self) -> tuple[BootOffset, ...]:
        """The clocks of any two heads that one boot met, and those on which others agree."""
        met: list[BootOffset] = []
        for boot in dict.fromkeys(one.boot for one in self._kept.offsets):
            for old, new in combinations((one for one in self._kept.offsets if one.boot == boot), 2):
                err = round(new.err + _err(old, new.up), 2)
                ahead, up = round(new.ahead - old.ahead, 1), round(old.up + old.ahead, 1)
                met.append(BootOffset(old.head, new.head, ahead, err, up))
        here = {(one.boot, one.head) for one in met}
        others = [one for one in self._kept.links if (one.boot, one.head) not in here]
        return (*others, *met)[-MAX_KEPT:]


def lead(
    head: str, boot: str, up: float, compared: Compared, measured: tuple[float, float] | None = None
) -> tuple[float, float] | None:
    """The lead of the clock of `head` over that of `boot`, `up` ms after that, and its error's bound (ms).

    By the surest of the comparisons, besides what was `measured`; None where they do not reach that clock.
    """
    found = {boot: (0.0, 0.0)}
    if measured:
        found[head] = measured
    new = [boot]
    while new:
        near = new.pop(0)
        ahead, err = found[near]
        for one in compared.get(near, ()):
            surer = err + _err(one, up + ahead)
            if one.head not in found or surer < found[one.head][1]:
                found[one.head] = ahead + one.ahead, surer
                new.append(one.head)
    return found.get(head)


def by_boot(compared: Iterable[BootOffset]) -> Compared:
    """Per boot the clocks that were compared with its own, as it sees them."""
    found = defaultdict[str, list[BootOffset]](list)
    for one in compared:
        found[one.boot].append(one)
        if one.head != one.boot:
            found[one.head].append(_back(one))
    return found


def _back(one: BootOffset) -> BootOffset:
    """The same comparison as the other of the two clocks sees it."""
    return BootOffset(one.head, one.boot, -one.ahead, one.err, one.up + one.ahead)


def _err(one: BootOffset, up: float) -> float:
    """The bound of a comparison's error when the clock of its `boot` was `up`."""
    return one.err + DRIFT_PER_MS * abs(up - one.up)


def _is_better(new: BootOffset, old: BootOffset, up: float) -> bool:
    """True if a new comparison of the same boots is to be stored: surer than the `old`, or against it."""
    err = _err(old, up)
    return max(err, abs(old.ahead - new.ahead) - err) > new.err + MOVED_MS


def with_links(links: tuple[BootOffset, ...], more: Iterable[BootOffset]) -> tuple[BootOffset, ...]:
    """The comparisons of clocks with those that are more or surer (by 1 ms): the newest."""
    surest = {(one.boot, one.head): one for one in links}
    for one in more:
        old = surest.get((one.boot, one.head))
        if old is None or one.err < old.err - 1:
            surest[one.boot, one.head] = one
    return tuple(surest.values())[-MAX_KEPT:]


def agreed(by_node: Iterable[Iterable[BootOffset]]) -> tuple[BootOffset, ...]:
    """The comparisons that two nodes tell alike, as sure as the less sure one: one alone may lie."""
    voices = defaultdict[tuple[str, str], list[BootOffset]](list)
    for comparisons in by_node:
        alone = {_pair(one): one for one in (min(one, _back(one), key=_pair) for one in comparisons)}
        for pair, one in alone.items():
            voices[pair].append(one)
    found = list[BootOffset]()
    for of_pair in voices.values():
        surest = sorted(of_pair, key=lambda one: one.err)
        pairs = ((surer, one) for n, one in enumerate(surest) for surer in surest[:n] if _alike(one, surer))
        found += [replace(surer, err=one.err) for surer, one in islice(pairs, 1)]
    return tuple(found[-MAX_KEPT:])


def _pair(one: BootOffset) -> tuple[str, str]:
    return one.boot, one.head


def _alike(one: BootOffset, other: BootOffset) -> bool:
    """True if both may be right."""
    return abs(one.ahead - other.ahead) <= one.err + _err(other, one.up)


def next_exchange(last: float | None, often_until: float) -> float:
    """The time of the next question (ms), given when the `last` was asked; None: none was."""
    if last is None:
        return -inf
    return last + (OFTEN_EVERY_MS if last < often_until else EXCHANGE_EVERY_MS)
